"""Entries that no text becomes, and entries that are no whole characters."""

from __future__ import annotations

from collections.abc import Iterator

import tokenarium_core as tc
from tokenarium.models.diagnosis import SHOWN, Diagnosis, Evidence, Weight, many
from tokenarium.models.piece import hexadecimal
from tokenarium_core.unreached_pieces import unreached_pieces
from tokenarium_core.vocabulary import (
    BYTE,
    CONTINUING,
    NORMAL,
    SPACE_MARK,
    USER_DEFINED,
    WORD_END,
)

CONTEXTS = (
    ("{}", "by itself"),
    (" {}", "after a space"),
    ("a{}", "after a letter"),
    ("{}a", "before a letter"),
    ("1{}", "after a digit"),
    ("\n{}", "after a line end"),
    (". {} .", "between signs"),
    ("a {} a", "as a word"),
)
"""Texts around an entry in which it is looked for, with how to call them."""


NEVER_UTF8 = frozenset(bytes([byte]) for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))
"""Bytes that stand in no text (RFC 3629)."""

BEFORE = "abcdefghijklmnopqrstuvwxyz"
"""Letters behind which pieces are looked for that only go on words."""


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
    proved: list[Evidence] = []
    unseen: list[Evidence] = []
    elsewhere = 0
    for token in waiting:
        found = _witness(tokenizer, token)
        if found is not None:
            elsewhere += 1
            continue
        piece = vocabulary.piece(token)
        if kinds[token] == NORMAL and token in never:
            proved.append(Evidence(_instead(tokenizer, piece), token, _text(piece)))
        elif piece in NEVER_UTF8:
            note = f"The byte {hexadecimal(piece)} stands in no UTF-8."
            proved.append(Evidence(note, token))
        elif (
            kinds[token] == BYTE
            and vocabulary.spelling == SPACE_MARK
            and _is_piece(tokenizer, piece)
        ):
            note = (
                "A byte is only taken for a character that is no entry, and this character is one."
            )
            proved.append(Evidence(note, token, _text(piece)))
        else:
            unseen.append(
                Evidence(
                    f"In none of {len(CONTEXTS)} contexts; the model would make it of its bytes {hexadecimal(piece, 12)}"
                    " alone, so a stage before the model keeps them apart, or changes them.",
                    token,
                    _text(piece),
                )
            )
    count = len(proved) + len(unseen)
    reached = f"{len(learned) - count:,} of {len(learned):,} learned entries come out of a text"
    beside = (
        f", {many(elsewhere, 'of them', 'of them')} only beside other characters"
        if elsewhere
        else ""
    )
    told = [many(len(proved), "entry is", "entries are") + " out of reach"] if proved else []
    told += (
        [many(len(unseen), "entry was", "entries were") + " not seen in any text that was tried"]
        if unseen
        else []
    )
    return Diagnosis(
        "unreachable",
        "Entries out of reach",
        Weight.WARNING if count else Weight.FINE,
        f"{reached}{beside}. " + (f"{' and '.join(told)}." if told else "None is out of reach."),
        "Each entry's own text is encoded, alone and in"
        f" {len(CONTEXTS) - 1} contexts; bytes that are no whole character are completed to one. Proved is what the"
        " model does not make of the entry's own bytes: what is merged inside of a token does not hang on what stands around it.",
        count,
        tuple([*proved, *unseen][:SHOWN]),
        tuple(case.token for case in [*proved, *unseen]),
    )


def not_utf8(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which entries are no whole characters."""
    vocabulary = tokenizer.vocabulary
    kinds = memoryview(vocabulary.kinds).tolist()
    begins = ends = inside = 0
    found: list[Evidence] = []
    tokens: list[int] = []
    single = 0
    for token, kind in enumerate(kinds):
        if kind not in (NORMAL, BYTE):
            continue
        piece = vocabulary.piece(token)
        if _text(piece) is not None:
            continue
        if len(piece) == 1:
            single += 1
            continue
        tokens.append(token)
        whole = piece.decode("utf-8", "ignore")
        late, early = 0x80 <= piece[0] < 0xC0, piece[-1] >= 0x80 and not _ends_whole(piece)
        begins += early and not late
        ends += late and not early
        inside += late and early
        if len(found) < SHOWN:
            what = (
                "the end of one character and the beginning of the next"
                if late and early
                else ("the end of a character" if late else "the beginning of one")
            )
            found.append(
                Evidence(
                    f"{hexadecimal(piece, 12)}: {what}" + (f", beside “{whole}”" if whole else ""),
                    token,
                )
            )
    count = len(tokens)
    entries = many(count, "entry of several bytes is", "entries of several bytes are")
    sentence = f"{entries} not made of whole characters"
    if count:
        sentence += f": {begins:,} begin one, {ends:,} end one, {inside:,} do both"
    return Diagnosis(
        "not_utf8",
        "Entries that split characters",
        Weight.NOTE if count else Weight.FINE,
        f"{sentence}. {many(single, 'single byte beyond ASCII is', 'single bytes beyond ASCII are')} there too, by which any character can be written.",
        "The bytes of each entry are decoded as UTF-8.",
        count,
        tuple(found),
        tuple(tokens),
    )


def _alone(tokenizer: tc.Tokenizer, token: int) -> bool:
    """Tells whether an entry's own text is this one token."""
    text = _text(tokenizer.vocabulary.piece(token))
    return text is not None and tokenizer.encode_ids(text) == [token]


def _witness(tokenizer: tc.Tokenizer, token: int) -> str | None:
    """Returns a text in which an entry comes out; None where none was found."""
    contexts = [context for context, _ in CONTEXTS]
    if tokenizer.vocabulary.kinds[token] == CONTINUING:
        contexts += [f"{letter}{{}}" for letter in BEFORE]
    for core in _completions(tokenizer.vocabulary.piece(token)):
        for context in contexts:
            text = context.format(core) if "{" not in core else context.replace("{}", core)
            if token in tokenizer.encode_ids(text):
                return text
    return None


def _completions(piece: bytes) -> Iterator[str]:
    """Yields texts that hold the bytes: themselves, or with what makes whole characters of them."""
    text = _text(piece)
    if text is not None:
        yield text
        return
    for lead in _leads(piece):
        for tail in _tails(piece):
            text = _text(lead + piece + tail)
            if text is not None:
                yield text


def _leads(piece: bytes) -> tuple[bytes, ...]:
    """Returns bytes that may stand before one that goes on a character."""
    missing = 0
    while missing < len(piece) and 0x80 <= piece[missing] < 0xC0:
        missing += 1
    if not missing:
        return (b"",)
    return tuple(
        bytes(lead)
        for lead in (
            [0xC3],
            [0xCE],
            [0xD0],
            [0xD9],
            [0xE0, 0xA4],
            [0xE1, 0x80],
            [0xE2, 0x80],
            [0xE3, 0x81],
            [0xE4, 0xB8],
            [0xE6, 0x9C],
            [0xE9, 0x80],
            [0xEA, 0xB0],
            [0xEC, 0x9D],
            [0xEF, 0xBC],
            [0xE2],
            [0xE3],
            [0xE5],
            [0xE8],
            [0xF0, 0x9F, 0x98],
            [0xF0, 0x9F],
            [0xF0],
        )
    )


def _tails(piece: bytes) -> tuple[bytes, ...]:
    """Returns bytes that may go on the character that the last one begins."""
    if _ends_whole(piece):
        return (b"",)
    return tuple(
        bytes([byte] * size) for size in (1, 2, 3) for byte in (0x80, 0x8D, 0xA0, 0xBF, 0x99, 0xB0)
    )


def _ends_whole(piece: bytes) -> bool:
    """Tells whether the last character of some bytes is whole."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if byte >= 0xC0:
            return back >= (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
        if byte < 0x80:
            return True
    return True


def _is_piece(tokenizer: tc.Tokenizer, character: bytes) -> bool:
    """Tells whether a character has an entry that text finds."""
    found = tokenizer.vocabulary.find(character)
    return found >= 0 and tokenizer.vocabulary.kinds[found] != BYTE


def _text(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def _instead(tokenizer: tc.Tokenizer, piece: bytes) -> str:
    """Returns what becomes of an entry's own bytes."""
    text = _text(piece)
    if text is None:
        return "Its bytes are merged otherwise."
    surface = tokenizer.vocabulary.surface
    return (
        "Its text becomes "
        + " | ".join(surface(token) for token in tokenizer.encode_ids(text))
        + "."
    )
