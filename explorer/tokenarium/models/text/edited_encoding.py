"""The encoding of a text after an edit, made of the one before it: only what is around the edit is encoded again.

That is exact where a text can be divided: at such a place there is a cut that a few characters beside it decide, and
what follows is cut as if nothing came before. From the last such place before the edit to one after it the text is
encoded; the tokens outside stay, those after it at other offsets.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import regex
from librt.vecs import vec
from mypy_extensions import i32, u8

import tokenarium_core as tc
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import ZEROS

BLOCKS: Final = (1 << 11, 1 << 14, 1 << 17)
"""Bytes on each side of an edit in which a place to divide the text is looked for, one size after the other."""

CONTEXT: Final = 64
"""Bytes after the last place that are encoded too, and left out: what decides that there is a cut."""

_SUPERBPE: Final = r"[^\p{N}](?=\p{N})|\p{L}(?=[^\s\p{L}\p{N}]{2})"
"""Where SuperBPE's pattern cuts: before a number, and between a letter and two signs. It has no other way on there."""

_FIRST, _LAST = regex.compile(_SUPERBPE), regex.compile(f"(?r){_SUPERBPE}")


def can_be_edited(tokenizer: tc.Tokenizer) -> bool:
    """Whether the encodings of a tokenizer can be taken over after an edit, where special tokens are plain text."""
    return (
        tokenizer.normalizer is None
        and tokenizer.splitter is None
        and not tokenizer.added_tokens.always
        and (tokenizer.pre_tokenizer.divides or tokenizer.pre_tokenizer.name == "superbpe")
    )


def edited_encoding(
    tokenizer: tc.Tokenizer, old: TextMap, before: tc.Encoding, new: TextMap
) -> tc.Encoding | None:
    """Returns the encoding of a text from that of a similar one, equal to what ``tokenizer.encode`` gives.

    ``before`` is the whole encoding of ``old`` with special tokens as plain text. None where that is not possible, or
    not worth it: no place was found at which the text can be divided, as in one that is a single word.
    """
    if not can_be_edited(tokenizer):
        return None
    first, old_stop, new_stop = changed_bytes(old, new)
    data, ends = new.padded, np.asarray(before.pre_tokens.ends)
    start = _place_before(tokenizer, data, first)
    if start < 0 or (start and ends[_at(ends, start)] != start):
        return None
    stop = _place_after(tokenizer, data, new_stop, new.byte_count)
    moved = new_stop - old_stop
    if stop < 0 or (stop < new.byte_count and ends[_at(ends, stop - moved)] != stop - moved):
        return None
    end = min(stop + CONTEXT, new.byte_count)
    while end < new.byte_count and data[end] & 0xC0 == 0x80:
        end += 1
    middle = tokenizer.encode_job(data[start:end] + ZEROS)
    while not middle.finished:
        middle.step(1e9)
    return _joined(before, middle.encoding, new, start, stop, moved)


def changed_bytes(old: TextMap, new: TextMap) -> tuple[int, int, int]:
    """Returns the first byte that differs, and the ends of what was replaced in the old text and in the new one.

    All three are between characters.

    >>> changed_bytes(TextMap("one two"), TextMap("one to two"))
    (5, 5, 8)
    """
    a, b = old.bytes, new.bytes
    shorter = min(len(a), len(b))
    first = _equal(a[:shorter], b[:shorter])
    while first and first < shorter and _inside(b[first]):
        first -= 1
    if first < len(a) and _inside(a[first]):  # the new text ends in the middle of an old character
        while _inside(a[first]):
            first -= 1
    rest = shorter - first
    same = _equal(a[len(a) - rest :][::-1], b[len(b) - rest :][::-1])
    while same and _inside(b[len(b) - same]):
        same -= 1
    return first, len(a) - same, len(b) - same


def _equal(a: npt.NDArray[np.uint8], b: npt.NDArray[np.uint8]) -> int:
    """Returns how many bytes at the beginning are equal."""
    step = 1 << 16
    for at in range(0, len(a), step):
        if not np.array_equal(a[at : at + step], b[at : at + step]):
            return at + int(np.argmax(a[at : at + step] != b[at : at + step]))
    return len(a)


def _inside(byte: np.uint8) -> bool:
    """Whether a byte continues a character."""
    return int(byte) & 0xC0 == 0x80


def _at(ends: npt.NDArray[np.int32], place: int) -> int:
    """Returns the number of the first pre-token that ends at a place or after it."""
    return min(int(np.searchsorted(ends, place)), len(ends) - 1)


def _place_before(tokenizer: tc.Tokenizer, data: bytes, stop: int) -> int:
    """Returns the last place up to ``stop`` where the text can be divided; 0 for its beginning, -1 for too far away."""
    for size in BLOCKS:
        begin = max(0, stop - size)
        while begin and data[begin] & 0xC0 == 0x80:
            begin -= 1
        place = _divided(tokenizer, data[begin:stop], _LAST)
        if place:
            return begin + place
        if not begin:
            return 0
    return -1


def _place_after(tokenizer: tc.Tokenizer, data: bytes, start: int, size: int) -> int:
    """Returns a place after ``start`` where the text can be divided; ``size`` for its end, -1 for too far away."""
    for block in BLOCKS:
        end = min(size, start + block)
        if end == size:
            return size
        while data[end] & 0xC0 == 0x80:
            end -= 1
        place = _divided(tokenizer, data[start:end], _FIRST)
        if place:
            return start + place
    return -1


def _divided(tokenizer: tc.Tokenizer, block: bytes, places: regex.Pattern[str]) -> int:
    """Returns a place inside a block of whole characters where the text can be divided, or 0."""
    if tokenizer.pre_tokenizer.divides:
        return int(tokenizer.pre_tokenizer.divide(block + ZEROS, len(block)))
    text = block.decode("utf-8", "replace")
    found = places.search(text)
    return len(text[: found.end()].encode()) if found is not None else 0


def _joined(
    before: tc.Encoding, middle: tc.Encoding, new: TextMap, start: int, stop: int, moved: int
) -> tc.Encoding:
    """Returns the tokens before ``start``, those of the middle up to ``stop``, and those after it, ``moved`` bytes on."""
    inner = np.asarray(middle.spans).reshape(-1, 2)
    count = int(np.searchsorted(inner[:, 1], stop - start, side="right"))
    cuts = np.asarray(middle.pre_tokens.ends)
    words = int(np.searchsorted(cuts, stop - start, side="right"))
    spans = np.asarray(before.spans).reshape(-1, 2)
    begins = spans[:, 0]
    head, tail = (int(n) for n in np.searchsorted(begins, [start, stop - moved]))
    ids = np.asarray(before.ids)
    ends, rules = np.asarray(before.pre_tokens.ends), np.asarray(before.pre_tokens.rules)
    first, last = (int(n) for n in np.searchsorted(ends, [start, stop - moved], side="right"))
    all_spans = np.concatenate((spans[:head], inner[:count] + start, spans[tail:] + moved)).reshape(
        -1
    )
    all_ends = np.concatenate((ends[:first], cuts[:words] + start, ends[last:] + moved))
    made = np.asarray(middle.pre_tokens.rules)[:words]
    all_rules = np.concatenate((rules[:first], made, rules[last:]))
    pre_tokens = type(before.pre_tokens)(
        _vec(all_ends), vec[u8](all_rules.data), list(middle.pre_tokens.names)
    )
    columns = _vec(all_spans)
    return tc.Encoding(
        _vec(np.concatenate((ids[:head], np.asarray(middle.ids)[:count], ids[tail:]))),
        columns,
        pre_tokens,
        unchanged(new.padded, new.byte_count, 0),
        columns,
        vec[i32](),
    )


def _vec(numbers: npt.NDArray[Any]) -> vec[i32]:
    return vec[i32](np.ascontiguousarray(numbers, np.int32).data)
