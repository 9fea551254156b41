"""Entries that no text becomes, and entries that are not whole characters."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Iterator

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level
from tokenarium.models.text.piece import counted, hexadecimal, piece_text
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces
from tokenarium_core.vocabulary import BYTE, CONTINUING, NORMAL, SPACE_MARK, USER_DEFINED, WORD_END

NEVER_UTF8 = frozenset(bytes([byte]) for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))
"""Bytes that occur in no text (RFC 3629)."""


def unreachable(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which entries encoding can never produce."""
    vocabulary = tokenizer.vocabulary
    kinds = memoryview(vocabulary.kinds).tolist()
    learned = [
        token
        for token, kind in enumerate(kinds)
        if kind in (NORMAL, BYTE, USER_DEFINED, CONTINUING, WORD_END)
    ]
    waiting = [token for token in learned if not _alone(tokenizer, token)]
    never = set(unreached_pieces(tokenizer.model, 0, len(vocabulary))) if waiting else set()
    witnesses = Witnesses(tokenizer)
    proved: list[Evidence] = []
    unseen: list[Evidence] = []
    needless: list[Evidence] = []  # bytes that no text needs
    elsewhere = 0
    for token in waiting:
        piece = vocabulary.piece(token)
        if piece in NEVER_UTF8:
            note = f"The byte {hexadecimal(piece)} occurs in no UTF-8."
            needless.append(Evidence(note, token))
        elif witnesses.find(token) is not None:
            elsewhere += 1
        elif kinds[token] == NORMAL and token in never:
            proved.append(Evidence(_instead(tokenizer, piece), token, whole_text(piece)))
        elif kinds[token] == BYTE and (note := _needless(tokenizer, piece)):
            needless.append(Evidence(note, token, whole_text(piece)))
        else:
            unseen.append(Evidence(_not_seen(piece, witnesses.tried), token, whole_text(piece)))
    cases = [*proved, *unseen, *needless]
    parts = [
        f"{len(learned) - len(cases):,} of {len(learned):,} learned entries come out of a text"
        + (
            f", {counted(elsewhere, 'of them', 'of them')} only beside other characters"
            if elsewhere
            else ""
        )
    ]
    if proved:
        parts.append(f"{counted(len(proved), 'entry is', 'entries are')} out of reach")
    if unseen:
        parts.append(
            f"{counted(len(unseen), 'entry was', 'entries were')} not seen in any text that was tried"
        )
    if needless:
        parts.append(f"{counted(len(needless), 'is a byte', 'are bytes')} that no text needs")
    if not cases:
        parts.append("None is out of reach")
    return Diagnosis(
        "unreachable",
        "Entries out of reach",
        Level.SURPRISE if proved or unseen else Level.FINE,
        ". ".join(parts) + ".",
        "Each entry's own text is encoded, alone and beside others; bytes of a part of a character are completed to"
        " one. Out of reach is what the model does not make of the entry's own bytes: merges inside a token do not depend"
        " on the text around it.",
        len(cases),
        tuple(cases[:SHOWN]),
        tuple(case.token for case in cases),
    )


def _not_seen(piece: bytes, tried: int) -> str:
    texts = f"It did not come out of any of {counted(tried, 'text')} that contain it."
    if whole_text(piece) is None:
        return f"{hexadecimal(piece, 12)}: {texts} Other merges seem to take these bytes first."
    return (
        f"{texts} The model alone would make it of its bytes {hexadecimal(piece, 12)}, so a stage before the model seems"
        " to keep them apart, or to change them."
    )


def not_utf8(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which entries are not whole characters."""
    vocabulary = tokenizer.vocabulary
    kinds = memoryview(vocabulary.kinds).tolist()
    begins = ends = inside = 0
    cases: list[Evidence] = []
    tokens: list[int] = []
    single = 0
    for token, kind in enumerate(kinds):
        if kind not in (NORMAL, BYTE):
            continue
        piece = vocabulary.piece(token)
        if whole_text(piece) is not None:
            continue
        if len(piece) == 1:
            single += 1
            continue
        tokens.append(token)
        whole = piece.decode("utf-8", "ignore")
        late, early = 0x80 <= piece[0] < 0xC0, piece[-1] >= 0x80 and not ends_whole(piece)
        begins += early and not late
        ends += late and not early
        inside += late and early
        if len(cases) < SHOWN:
            what = (
                "the end of one character and the beginning of the next"
                if late and early
                else ("the end of a character" if late else "the beginning of one")
            )
            cases.append(
                Evidence(
                    f"{hexadecimal(piece, 12)}: {what}" + (f", beside “{whole}”" if whole else ""),
                    token,
                )
            )
    count = len(tokens)
    entries = counted(count, "entry of several bytes is", "entries of several bytes are")
    sentence = (
        f"{entries} not made of whole characters: {begins:,} begin one, {ends:,} end one, {inside:,} do both"
        if count
        else "All entries of several bytes are made of whole characters"
    )
    return Diagnosis(
        "not_utf8",
        "Entries that split characters",
        Level.FINE,
        f"{sentence}. {counted(single, 'single byte beyond ASCII is', 'single bytes beyond ASCII are')} there too, with which any character can be written.",
        "The bytes of each entry are decoded as UTF-8.",
        count,
        tuple(cases),
        tuple(tokens),
    )


def _alone(tokenizer: tc.Tokenizer, token: int) -> bool:
    """Returns whether an entry's own text is this one token; encoding may have put the space before it there."""
    text = whole_text(tokenizer.vocabulary.piece(token))
    if text is None:
        return False
    ids = tokenizer.encode_ids(text)
    if ids == [token] or (len(ids) == 2 and ids == [tokenizer.vocabulary.find(b" "), token]):
        return True
    return text[:1] == " " and tokenizer.encode_ids(text[1:]) == [token]


def _needless(tokenizer: tc.Tokenizer, byte: bytes) -> str:
    """Returns why no text becomes a byte of a vocabulary of characters; empty if some text might."""
    if tokenizer.vocabulary.spelling != SPACE_MARK:
        return ""
    if _is_piece(tokenizer, byte):
        return "A byte is used only for a character without an entry, and this character has one."
    if 0xC2 <= byte[0] < 0xE0 and all(
        _is_piece(tokenizer, byte + bytes([last])) for last in range(0x80, 0xC0)
    ):
        return (
            f"A byte is used only for a character without an entry, and all 64 characters that begin with"
            f" {hexadecimal(byte)} have entries."
        )
    text = whole_text(byte)
    if text is not None:
        normalized = tokenizer.encode(f"a{text}b").text
        if byte not in normalized.data[: normalized.size]:
            return "The normalizer drops or replaces this character."
    return ""


def _is_piece(tokenizer: tc.Tokenizer, character: bytes) -> bool:
    """Returns whether a character has an entry that text can become."""
    entry = tokenizer.vocabulary.find(character)
    return entry >= 0 and tokenizer.vocabulary.kinds[entry] != BYTE


def whole_text(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def _instead(tokenizer: tc.Tokenizer, piece: bytes) -> str:
    """Returns what becomes of an entry's own bytes."""
    text = whole_text(piece)
    if text is None:
        return "Its bytes are merged differently."
    pieces = [piece_text(tokenizer.vocabulary, token) for token in tokenizer.encode_ids(text)]
    return f"Its text becomes {' | '.join(pieces)}."


CONTEXTS = ("{}", " {}", "a{}", "{}a", "1{}", "\n{}", ". {} .", "a {} a")
"""The first contexts in which an entry is looked for; they are enough for nearly all."""

MORE_CONTEXTS = (
    *(f"{sign}{{}}" for sign in string.punctuation if sign not in "{}"),
    *(f"{{}}{ending}" for ending in (*string.ascii_letters, "ve", "re", "ll", *".,;:!?)\"'")),
    *(f"{letter}{{}}" for letter in string.ascii_letters),
)
"""The next ones: signs that a splitter joins to what follows, endings of contractions, letters."""

WORDS = 60
"""Long words of the vocabulary, after which pieces are looked for that only continue words."""

MOST_TEXTS = 200_000
"""Most texts that are tried in further contexts, for all entries together: some tenths of a second."""

_LEADS = (
    b"\xc3", b"\xce", b"\xd0", b"\xd9", b"\xe0\xa4", b"\xe1\x80",
    b"\xe2\x80", b"\xe3\x81", b"\xe4\xb8", b"\xe6\x9c", b"\xe9\x80", b"\xea\xb0",
    b"\xec\x9d", b"\xef\xbc", b"\xe2", b"\xe3", b"\xe5", b"\xe8",
    b"\xf0\x9f\x98", b"\xf0\x9f", b"\xf0",
)  # fmt: skip
"""Beginnings of characters of several scripts."""

_TAILS = (0x80, 0x8D, 0xA0, 0xBF, 0x99, 0xB0)
_CONTINUING = range(0x80, 0xC0)


class Witnesses:
    """Finds texts for the entries of one tokenizer; ``tried`` is the number of texts for the last entry."""

    def __init__(self, tokenizer: tc.Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._left = MOST_TEXTS
        self._words: list[str] | None = None
        self.tried = 0

    def find(self, token: int) -> str | None:
        """Returns a text that becomes an entry among others, or None."""
        self.tried = 0
        piece = self._tokenizer.vocabulary.piece(token)
        witness = self._first(token, _texts(CONTEXTS, _completions(piece)))
        if witness is not None:
            return witness
        if self._tokenizer.vocabulary.kinds[token] == CONTINUING:
            more = _texts((f"{word}{{}}" for word in self._long_words()), _completions(piece))
        elif _witness_text(piece) is None:
            more = _texts(("{}", " {}", "a{}"), _all_completions(piece))
        else:
            more = _texts(MORE_CONTEXTS, _completions(piece))
        return self._first(token, itertools.islice(more, max(self._left, 0)), True)

    def _first(self, token: int, texts: Iterable[str], more: bool = False) -> str | None:
        encode = self._tokenizer.encode_ids
        for text in texts:
            self.tried += 1
            self._left -= more
            if token in encode(text):
                return text
        return None

    def _long_words(self) -> list[str]:
        """Returns words that probably no longer piece continues; letters first, which is quicker."""
        if self._words is None:
            vocabulary = self._tokenizer.vocabulary
            kinds = memoryview(vocabulary.kinds).tolist()
            pieces = (vocabulary.piece(token) for token, kind in enumerate(kinds) if kind == NORMAL)
            words = sorted((piece for piece in pieces if piece.isalpha()), key=len, reverse=True)
            self._words = [*string.ascii_lowercase, *(word.decode() for word in words[:WORDS])]
        return self._words


def _texts(contexts: Iterable[str], cores: Iterator[str]) -> Iterator[str]:
    all_contexts = list(contexts)
    for core in cores:
        for context in all_contexts:
            yield context.replace("{}", core)


def _completions(piece: bytes) -> Iterator[str]:
    """Yields texts that hold the bytes, completed to whole characters in a few ways."""
    text = _witness_text(piece)
    if text is not None:
        yield text
        return
    leads = _LEADS if 0x80 <= piece[0] < 0xC0 else (b"",)
    tails: tuple[bytes, ...] = (b"",)
    if not ends_whole(piece):
        tails = tuple(bytes([byte] * size) for size in (1, 2, 3) for byte in _TAILS)
    yield from _whole(leads, piece, tails)


def _all_completions(piece: bytes) -> Iterator[str]:
    """Yields texts that hold the bytes, completed in all ways; where there are too many, in some."""
    leads: list[bytes] = [b""]
    if 0x80 <= piece[0] < 0xC0:
        leads = [bytes([lead]) for lead in range(0xC2, 0xF5)]
        leads += [bytes(pair) for pair in itertools.product(range(0xE0, 0xF5), _CONTINUING)]
    tails: list[bytes] = [b""]
    if not ends_whole(piece):
        tails = [bytes([last]) for last in _CONTINUING]
        tails += [bytes(pair) for pair in itertools.product(_CONTINUING, repeat=2)]
        tails += [bytes([first, 0x80, 0x80]) for first in _CONTINUING]
    yield from _whole(leads, piece, tails)


def _whole(leads: Iterable[bytes], piece: bytes, tails: Iterable[bytes]) -> Iterator[str]:
    for lead, tail in itertools.product(leads, tails):
        text = _witness_text(lead + piece + tail)
        if text is not None:
            yield text


def ends_whole(piece: bytes) -> bool:
    """Returns whether the last character of some bytes is whole."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte >= 0xC0:
            return back >= (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
        if byte < 0x80:
            return True
    return True


def _witness_text(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None
