"""Texts in which an entry of a vocabulary comes out: looked for in some contexts, and then in many."""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Iterator

import tokenarium_core as tc
from tokenarium_core.vocabulary import CONTINUING, NORMAL

CONTEXTS = ("{}", " {}", "a{}", "{}a", "1{}", "\n{}", ". {} .", "a {} a")
"""Texts around an entry in which it is looked for first: they do for nearly all."""

MORE_CONTEXTS = (
    *(f"{sign}{{}}" for sign in string.punctuation if sign not in "{}"),
    *(f"{{}}{ending}" for ending in (*string.ascii_letters, "ve", "re", "ll", *".,;:!?)\"'")),
    *(f"{letter}{{}}" for letter in string.ascii_letters),
)
"""Those for the others: signs that a splitter takes together with what follows, endings of contractions, letters."""

WORDS = 60
"""Words, the longest of the vocabulary, behind which pieces are looked for that only go on words."""

MOST_TEXTS = 200_000
"""Texts that are tried in more contexts at most, for all entries together: some tenths of a second."""

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
    """Finds texts for the entries of one tokenizer. ``tried`` is how many texts were tried for the last one."""

    def __init__(self, tokenizer: tc.Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._left = MOST_TEXTS
        self._words: list[str] | None = None
        self.tried = 0

    def find(self, token: int) -> str | None:
        """Returns a text in which an entry comes out; None where none was found."""
        self.tried = 0
        piece = self._tokenizer.vocabulary.piece(token)
        found = self._first(token, _texts(CONTEXTS, _completions(piece)))
        if found is not None:
            return found
        if self._tokenizer.vocabulary.kinds[token] == CONTINUING:
            more = _texts((f"{word}{{}}" for word in self._long_words()), _completions(piece))
        elif _text(piece) is None:
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
        """Returns words that no longer piece goes on, most likely; letters first, which is quicker."""
        if self._words is None:
            vocabulary = self._tokenizer.vocabulary
            kinds = memoryview(vocabulary.kinds).tolist()
            pieces = (vocabulary.piece(token) for token, kind in enumerate(kinds) if kind == NORMAL)
            words = sorted((piece for piece in pieces if piece.isalpha()), key=len, reverse=True)
            self._words = [*string.ascii_lowercase, *(word.decode() for word in words[:WORDS])]
        return self._words


def _texts(contexts: Iterable[str], cores: Iterator[str]) -> Iterator[str]:
    kept = list(contexts)
    for core in cores:
        for context in kept:
            yield context.replace("{}", core)


def _completions(piece: bytes) -> Iterator[str]:
    """Yields texts that hold the bytes: themselves, or with some of what makes whole characters of them."""
    text = _text(piece)
    if text is not None:
        yield text
        return
    leads = _LEADS if 0x80 <= piece[0] < 0xC0 else (b"",)
    tails: tuple[bytes, ...] = (b"",)
    if not ends_whole(piece):
        tails = tuple(bytes([byte] * size) for size in (1, 2, 3) for byte in _TAILS)
    yield from _whole(leads, piece, tails)


def _all_completions(piece: bytes) -> Iterator[str]:
    """Yields texts with all that makes whole characters of the bytes; where there are too many, only some of it."""
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
        text = _text(lead + piece + tail)
        if text is not None:
            yield text


def ends_whole(piece: bytes) -> bool:
    """Tells whether the last character of some bytes is whole."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte >= 0xC0:
            return back >= (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
        if byte < 0x80:
            return True
    return True


def _text(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None
