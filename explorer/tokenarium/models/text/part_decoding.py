"""Decodes a part of the ids, and explains differences from the text."""

from __future__ import annotations

from dataclasses import dataclass

from tokenarium.models.text.character_rows import grapheme_label
from tokenarium.models.text.lost_text import unknown_ids
from tokenarium.models.text.piece import hexadecimal, readable
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_row import TokenRow

LIMIT = 1000
"""Most tokens that are decoded to be shown."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class DecodedPart:
    """The text that some ids give; sentences on each replacement character, and on other differences."""

    ids: tuple[int, ...]
    text: str
    notes: tuple[str, ...]
    cut: int


def decode_part(row: TokenRow, text: TextMap, first: int, last: int) -> DecodedPart:
    """Returns what the tokens from ``first`` up to but not including ``last`` decode to by themselves."""
    shown = min(last, first + LIMIT)
    ids = row.ids[first:shown].tolist()
    try:
        data = row.tokenizer.decode_bytes(ids)
    except IndexError as error:
        return DecodedPart(tuple(ids), "", (str(error),), 0)
    holes = malformed(data)
    notes = [_about(row, text, first, shown, data, start, end) for start, end in holes[:4]]
    if len(holes) > 4:
        notes.append(f"And {len(holes) - 4} more.")
    start, end = row.span(first, shown)
    original = text.utf8_of(start, end)
    if data != original and not holes:
        notes += _cut_by_decoder(text, start, end, data, original) or [
            f"The text has {readable(original)}: {_reason(row, ids, data, original)}."
        ]
    if shown < last:
        notes.append(f"Only the first {LIMIT:,} of {last - first:,} tokens are decoded here.")
    return DecodedPart(tuple(ids), data.decode("utf-8", "replace"), tuple(notes), len(holes))


def malformed(data: bytes) -> list[tuple[int, int]]:
    """Returns the ranges of bytes that are not UTF-8; decoding replaces each by U+FFFD.

    >>> malformed(b"a\\xe2\\x82b\\x80")
    [(1, 3), (4, 5)]
    """
    ranges: list[tuple[int, int]] = []
    at = 0
    while True:
        try:
            data[at:].decode()
            return ranges
        except UnicodeDecodeError as error:
            ranges.append((at + error.start, at + error.end))
            at += error.end


def _about(
    row: TokenRow, text: TextMap, first: int, last: int, data: bytes, start: int, end: int
) -> str:
    """Returns why some bytes of decoded ids became a replacement character."""
    what = f"{REPLACEMENT} stands for {_bytes(data[start:end])}"
    begin, stop = row.span(first, last)
    if start == 0 and data[0] & 0xC0 == 0x80:
        a, b = text.characters(begin, begin + 1)
        return f"{what}: {grapheme_label(text.utf8_of(a, b))} begins in the previous token."
    if end == len(data) and stop > begin:
        a, b = text.characters(stop - 1, stop)
        return f"{what}: {grapheme_label(text.utf8_of(a, b))} goes on in the next token."
    return f"{what}, which form no character."


def _bytes(data: bytes) -> str:
    return f"the byte{'s' if len(data) > 1 else ''} {hexadecimal(data, 8)}"


def _cut_by_decoder(text: TextMap, start: int, end: int, data: bytes, original: bytes) -> list[str]:
    """Returns why a decoder inserted replacement characters itself, as SentencePiece's does."""
    sign = REPLACEMENT.encode()
    if data.count(sign) <= original.count(sign) or start >= end:
        return []
    notes = []
    edges = ((start, "begins in the previous token"), (end, "goes on in the next token"))
    for at, how in edges:
        if bool(text.inside_character(at)):
            a, b = text.characters(at, at + 1)
            notes.append(
                f"{grapheme_label(text.utf8_of(a, b))} {how}: each of its bytes gives {REPLACEMENT}."
            )
    return notes


def _reason(row: TokenRow, ids: list[int], data: bytes, original: bytes) -> str:
    if unknown_ids(row.tokenizer)[ids].any():
        return "the unknown token keeps nothing of what it stands for"
    if data == original.lstrip(b" "):
        return "the decoder drops a space at the start"
    if data.replace(b" ", b"") == original.replace(b" ", b""):
        return "only spaces differ"
    return "the difference is lost with the normalizer"
