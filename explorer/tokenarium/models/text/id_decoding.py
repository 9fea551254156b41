"""Lists of ids as users write them, and what ids decode to: the text, invalid UTF-8 and where it is from, unknown ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.text.part_decoding import malformed
from tokenarium.models.text.piece import byte_sign, counted, piece_text
from tokenarium_core.command_values import ids_in
from tokenarium_core.vocabulary import CONTROL, KINDS, UNKNOWN, UNUSED, USER_DEFINED

LIMIT = 2000
"""Most ids of which each is described."""


LONGEST_LIST = 1_000_000
"""Characters: a longer text is not taken for a list of ids."""


def looks_like_ids(text: str) -> bool:
    """Returns whether a text is probably a list of ids: numbers in brackets, or several numbers alone."""
    if len(text) > LONGEST_LIST or not re.match(r"\s*(?:tensor|array|\[|\(|\d)", text):
        return False
    ids = ids_in(text)
    bracketed = re.match(r"\s*(?:(?:tensor|array)\()?\[", text) is not None
    enough = len(ids.ids) >= (2 if bracketed else 5)
    return enough and not ids.others and max(ids.ids) >= 256


@dataclass(frozen=True, slots=True)
class DecodedId:
    """One id: its text for users, its bytes, and in few words what is special about it; ``known``: it is an entry."""

    id: int
    text: str
    piece: bytes
    note: str
    known: bool


@dataclass(frozen=True, slots=True)
class DecodingFault:
    """Bytes that are not UTF-8, the ids that they are from (places in the list), and a sentence about them."""

    data: bytes
    first: int
    last: int
    sentence: str


@dataclass(frozen=True, slots=True)
class DecodedIds:
    """What a tokenizer makes of a list of ids.

    ``rows`` describes the first `LIMIT` ids. ``data`` is what the decoder gives for the ids that it knows; ``spelled``
    the bytes of their entries one after the other, which differ where the decoder adds or drops spaces. ``same``:
    the text is encoded to these ids again; None if it is not text, or too long to try.
    """

    rows: tuple[DecodedId, ...]
    data: bytes
    spelled: bytes
    faults: tuple[DecodingFault, ...]
    unknown: tuple[int, ...]
    notes: tuple[str, ...]
    same: bool | None

    @property
    def text(self) -> str:
        """The text; bytes that are not UTF-8 are U+FFFD."""
        return self.data.decode("utf-8", "replace")

    def parts(self) -> list[tuple[str, bool]]:
        """Returns the text in parts: what is text (True), and the signs of bytes that are not (False)."""
        parts: list[tuple[str, bool]] = []
        at = 0
        for start, end in malformed(self.data):
            if at < start:
                parts.append((self.data[at:start].decode(), True))
            parts.append(("".join(byte_sign(byte) for byte in self.data[start:end]), False))
            at = end
        if at < len(self.data):
            parts.append((self.data[at:].decode(), True))
        return parts


AGAIN = 20_000
"""Most bytes of a text that is encoded again, to see whether it gives the same ids."""


def decode_ids(
    tokenizer: tc.Tokenizer, ids: Sequence[int], skip_special_tokens: bool | None = None
) -> DecodedIds:
    """Returns what a tokenizer makes of a list of ids; unknown ones are left out of the text.

    ``skip_special_tokens`` as in `Tokenizer.decode`.
    """
    vocabulary = tokenizer.vocabulary
    size = len(vocabulary)
    known = [token for token in ids if is_entry(vocabulary, token)]
    unknown = tuple(dict.fromkeys(token for token in ids if not is_entry(vocabulary, token)))
    data = tokenizer.decode_bytes(known, skip_special_tokens)
    rows = tuple(_row(tokenizer, token) for token in ids[:LIMIT])
    spelled = b"".join(row.piece for row in rows)
    faults = tuple(_faults(rows, spelled)) if len(ids) <= LIMIT else ()
    notes = []
    if unknown:
        shown = ", ".join(f"{token:,}" for token in unknown[:5]) + (
            " …" if len(unknown) > 5 else ""
        )
        have, them = ("has", "it") if len(unknown) == 1 else ("have", "them")
        notes.append(
            f"{shown} {have} no entry: this vocabulary has 0 to {size - 1:,}. The text leaves {them} out."
        )
    if len(ids) <= LIMIT and data != spelled and not faults:
        notes.append(_difference(data, spelled))
    same: bool | None = None
    if not unknown and len(data) <= AGAIN:
        same = _encodes_to(tokenizer, data, known)
    return DecodedIds(rows, data, spelled, faults, unknown, tuple(notes), same)


def text_of(
    tokenizer: tc.Tokenizer, ids: Sequence[int], skip_special_tokens: bool | None = None
) -> tuple[str, int]:
    """Returns the text of ids, with signs for bytes of no whole character, and how many of the ids have no entry."""
    known = [token for token in ids if is_entry(tokenizer.vocabulary, token)]
    return signed_text(tokenizer.decode_bytes(known, skip_special_tokens)), len(
        set(ids) - set(known)
    )


def signed_text(data: bytes) -> str:
    """Returns bytes as text, with signs for those of no whole character."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join(byte_sign(ord(c) - 0xDC00) if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)


def is_entry(vocabulary: tc.Vocabulary, token: int) -> bool:
    """Returns whether an id has an entry, which is not the case for one that is unused or too large."""
    return 0 <= token < len(vocabulary) and vocabulary.kinds[token] != UNUSED


def _row(tokenizer: tc.Tokenizer, token: int) -> DecodedId:
    vocabulary = tokenizer.vocabulary
    if not is_entry(vocabulary, token):
        unused = 0 <= token < len(vocabulary)
        return DecodedId(token, "?", b"", "unused id" if unused else "no such id", False)
    kind = int(vocabulary.kinds[token])
    note = ""
    if token in tokenizer.special_tokens.values():
        note = "special token"
    elif kind in (UNKNOWN, CONTROL, USER_DEFINED):
        note = KINDS[kind]
    return DecodedId(token, piece_text(vocabulary, token), vocabulary.piece(token), note, True)


def _faults(rows: Sequence[DecodedId], spelled: bytes) -> list[DecodingFault]:
    """Returns the bytes that are no characters, with the ids that they are from."""
    ends = []
    at = 0
    for row in rows:
        at += len(row.piece)
        ends.append(at)
    faults = []
    for start, end in malformed(spelled):
        touched = [
            index
            for index, row in enumerate(rows)
            if row.piece and ends[index] > start and ends[index] - len(row.piece) < end
        ]
        first, last = touched[0], touched[-1]
        data = spelled[start:end]
        signs = "".join(byte_sign(byte) for byte in data)
        numbers = (
            f"id {rows[first].id}" if first == last else f"ids {rows[first].id} to {rows[last].id}"
        )
        what = f"{signs} of {numbers} {'is' if len(data) == 1 else 'are'} not UTF-8"
        if data[0] & 0xC0 == 0x80:
            why = "the character begins in an id that is missing before this one"
        elif end == len(spelled):
            why = "the character goes on in an id that is missing at the end"
        else:
            why = "the character does not go on in the next id"
        faults.append(DecodingFault(data, first, last, f"{what}: {why}."))
    return faults


def _difference(data: bytes, spelled: bytes) -> str:
    """Returns how the decoder's text differs from the entries one after the other."""
    if data == spelled.lstrip(b" "):
        return "The decoder drops the space at the start."
    if data.replace(b" ", b"") == spelled.replace(b" ", b""):
        return "The decoder changes the spaces."
    return "The decoder changes more than spaces: special tokens, or marks of words."


def _encodes_to(tokenizer: tc.Tokenizer, data: bytes, ids: Sequence[int]) -> bool | None:
    try:
        return tokenizer.encode_ids(data.decode()) == list(ids)
    except (UnicodeDecodeError, tc.TokenariumError):
        return None


def summary(decoded: DecodedIds, count: int) -> str:
    """Returns the figures of what ids decode to, in one line."""
    parts = [counted(count, "id"), counted(len(decoded.data), "byte")]
    if decoded.faults:
        parts.append(
            f"{counted(sum(len(fault.data) for fault in decoded.faults), 'byte')} of no character"
        )
    if decoded.unknown:
        parts.append(counted(len(decoded.unknown), "unknown id"))
    if decoded.same is not None:
        parts.append(
            "the text encodes to these ids again"
            if decoded.same
            else "the text gives different ids"
        )
    return " · ".join(parts)
