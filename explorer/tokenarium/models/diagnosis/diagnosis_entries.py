"""Entries that no text becomes, and entries that are no whole characters."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Severity, many
from tokenarium.models.diagnosis.diagnosis_witness import Witnesses, ends_whole
from tokenarium.models.text.piece import hexadecimal
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces
from tokenarium_core.vocabulary import (
    BYTE,
    CONTINUING,
    NORMAL,
    SPACE_MARK,
    USER_DEFINED,
    WORD_END,
)

NEVER_UTF8 = frozenset(bytes([byte]) for byte in (0xC0, 0xC1, *range(0xF5, 0x100)))
"""Bytes that stand in no text (RFC 3629)."""


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
    needless: list[
        Evidence
    ] = []  # bytes that no text asks for: every vocabulary with all bytes has some
    elsewhere = 0
    for token in waiting:
        piece = vocabulary.piece(token)
        if piece in NEVER_UTF8:
            note = f"The byte {hexadecimal(piece)} stands in no UTF-8."
            needless.append(Evidence(note, token))
        elif witnesses.find(token) is not None:
            elsewhere += 1
        elif kinds[token] == NORMAL and token in never:
            proved.append(Evidence(_instead(tokenizer, piece), token, _text(piece)))
        elif kinds[token] == BYTE and (note := _needless(tokenizer, piece)):
            needless.append(Evidence(note, token, _text(piece)))
        else:
            unseen.append(Evidence(_not_seen(piece, witnesses.tried), token, _text(piece)))
    cases = [*proved, *unseen, *needless]
    told = [
        f"{len(learned) - len(cases):,} of {len(learned):,} learned entries come out of a text"
        + (
            f", {many(elsewhere, 'of them', 'of them')} only beside other characters"
            if elsewhere
            else ""
        )
    ]
    if proved:
        told.append(f"{many(len(proved), 'entry is', 'entries are')} out of reach")
    if unseen:
        told.append(
            f"{many(len(unseen), 'entry was', 'entries were')} not seen in any text that was tried"
        )
    if needless:
        told.append(f"{many(len(needless), 'is a byte', 'are bytes')} that no text needs")
    if not cases:
        told.append("None is out of reach")
    return Diagnosis(
        "unreachable",
        "Entries out of reach",
        Severity.WARNING if proved or unseen else Severity.NOTE if needless else Severity.FINE,
        ". ".join(told) + ".",
        "Each entry's own text is encoded, alone and beside others; bytes that are no whole character are completed to"
        " one. Out of reach is what the model does not make of the entry's own bytes: what is merged inside of a token"
        " does not hang on what stands around it.",
        len(cases),
        tuple(cases[:SHOWN]),
        tuple(case.token for case in cases),
    )


def _not_seen(piece: bytes, tried: int) -> str:
    texts = f"It did not come out of any of {many(tried, 'text', 'texts')} that hold it."
    if _text(piece) is None:
        return (
            f"{hexadecimal(piece, 12)}: {texts} Other merges take these bytes first, as it seems."
        )
    return (
        f"{texts} The model alone would make it of its bytes {hexadecimal(piece, 12)}, so a stage before the model seems"
        " to keep them apart, or to change them."
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
        late, early = 0x80 <= piece[0] < 0xC0, piece[-1] >= 0x80 and not ends_whole(piece)
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
    sentence = (
        f"{entries} not made of whole characters: {begins:,} begin one, {ends:,} end one, {inside:,} do both"
        if count
        else "All entries of several bytes are made of whole characters"
    )
    return Diagnosis(
        "not_utf8",
        "Entries that split characters",
        Severity.NOTE if count else Severity.FINE,
        f"{sentence}. {many(single, 'single byte beyond ASCII is', 'single bytes beyond ASCII are')} there too, by which any character can be written.",
        "The bytes of each entry are decoded as UTF-8.",
        count,
        tuple(found),
        tuple(tokens),
    )


def _alone(tokenizer: tc.Tokenizer, token: int) -> bool:
    """Tells whether an entry's own text is this one token; the space before it may be one that encoding puts there."""
    text = _text(tokenizer.vocabulary.piece(token))
    if text is None:
        return False
    ids = tokenizer.encode_ids(text)
    if ids == [token] or (len(ids) == 2 and ids == [tokenizer.vocabulary.find(b" "), token]):
        return True
    return text[:1] == " " and tokenizer.encode_ids(text[1:]) == [token]


def _needless(tokenizer: tc.Tokenizer, byte: bytes) -> str:
    """Returns why no text becomes a byte of a vocabulary of characters; empty where one might."""
    if tokenizer.vocabulary.spelling != SPACE_MARK:
        return ""
    if _is_piece(tokenizer, byte):
        return "A byte is only taken for a character that is no entry, and this character is one."
    if 0xC2 <= byte[0] < 0xE0 and all(
        _is_piece(tokenizer, byte + bytes([last])) for last in range(0x80, 0xC0)
    ):
        return (
            f"A byte is only taken for a character that is no entry, and all 64 characters that begin with"
            f" {hexadecimal(byte)} are entries."
        )
    text = _text(byte)
    if text is not None:
        normalised = tokenizer.encode(f"a{text}b").text
        if byte not in normalised.data[: normalised.size]:
            return "The normalizer drops this character, or writes another one for it."
    return ""


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
