"""The encoding of a part of a long text, between two places where the text can be divided: see `edited_encoding`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.text.chunked_encoding import ChunkedEncoding, of_unchanged
from tokenarium.models.text.edited_encoding import (
    Division,
    is_one_word,
    place_after,
    place_in,
    read_around,
)
from tokenarium.models.text.packed_rows import Rows, packed_ids, packed_rising
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.padded_text import ZEROS

Columns = dict[str, npt.NDArray[Any]]
PackedColumns = dict[str, Rows]


@dataclass(frozen=True, slots=True)
class PartBounds:
    """Bytes of a text: the part is from ``start`` to ``stop``; those from ``begin`` to ``read`` are encoded for it.

    What is around the part decides where its first token begins and its last one ends. ``is_end``: it ends with the text.
    """

    begin: int
    start: int
    stop: int
    read: int
    is_end: bool


@dataclass(frozen=True, slots=True)
class PartEdges:
    """What the parts before and after one have to know of it: whether a word begins with it, and one ends with it.

    ``opened``: the byte of the text at which the word begins that goes on after it; -1 where it began before the part.
    """

    begins: bool
    ends: bool
    opened: int


def parts_of(tokenizer: tc.Tokenizer, text: TextMap, first: int, size: int) -> list[PartBounds]:
    """Returns parts of a text that can be divided: one of at least ``first`` bytes, the others of at least ``size``."""
    parts: list[PartBounds] = []
    start, end = 0, text.byte_count
    while start < end:
        near, stop = start, -1
        while stop < 0:
            near = text.characters(0, min(near + (size if near else first), end))[1]
            stop = place_after(tokenizer, text, near) if near < end else end
        begin, read = read_around(tokenizer, text, start, stop)
        parts.append(PartBounds(begin, start, stop, read, stop == end))
        start = stop
    return parts


def encoded_part(
    tokenizer: tc.Tokenizer, data: bytes, bounds: PartBounds, most_whole: int
) -> tuple[PackedColumns, list[str], PartEdges]:
    """Returns the columns of a part, the names of its rules, and its edges; ``data`` are the bytes that are read for it.

    Columns of bytes are counted from the beginning of the part. Where each token begins where the one before ends,
    ``edges`` are in place of ``starts`` and ``ends``. Words are those that end in the part. Raises AssertionError where
    the text cannot be divided.
    """
    job = tokenizer.encode_job(data + ZEROS)
    job.refuse_longer(most_whole)
    encoding = ChunkedEncoding.of(job.whole())
    names = encoding.rule_names
    normalized = encoding.normalized
    if normalized is None and tokenizer.normalizer is not None:
        normalized = of_unchanged(encoding)
    inside = bounds.start - bounds.begin
    first = Division(0, 0, 0, True, True)
    if inside:
        first = place_in(encoding, inside, False)
    last = place_in(encoding, bounds.stop - bounds.begin, bounds.is_end)
    is_divided = is_one_word(tokenizer) or (first.is_cut and last.is_cut)
    if not (is_divided and first.parts and last.parts):
        raise AssertionError("The text cannot be divided there.")
    tokens, words = slice(first.token, last.token), slice(first.word, last.word)
    columns: Columns = {}
    opened = -1
    if normalized is not None:
        chars = slice(first.byte, last.byte)
        spans = normalized.cut_spans
        columns = {
            "text_starts": normalized.starts[chars] - np.int32(inside),
            "text_stops": normalized.stops[chars] - np.int32(inside),
            "places": normalized.places[2 * tokens.start : 2 * tokens.stop] - np.int32(first.byte),
            "cut_spans": spans[2 * words.start : 2 * words.stop] - np.int32(inside),
            "data": normalized.data[chars],
        }
        goes_on = 2 * words.stop < len(spans) and not last.is_cut
        if goes_on and (words.stop > words.start or first.is_cut):
            opened = bounds.begin + spans[2 * words.stop]
    starts, ends = encoding.starts[tokens], encoding.ends[tokens]
    if inside:
        starts, ends = starts - np.int32(inside), ends - np.int32(inside)
    if len(starts) and (starts[1:] == ends[:-1]).all():
        columns["edges"] = np.concatenate((starts[:1], ends))
    else:
        columns |= {"starts": starts, "ends": ends}
    columns |= {
        "ids": encoding.ids[tokens],
        "cut_ends": encoding.cut_ends[words] - np.int32(first.byte),
        "cut_rules": encoding.cut_rules[words],
    }
    return packed_columns(columns), names, PartEdges(first.is_cut, last.is_cut, opened)


def packed_columns(columns: Columns) -> PackedColumns:
    """Returns the same rows in less memory."""
    packed: PackedColumns = {}
    for name, rows in columns.items():
        if name == "ids":
            packed[name] = packed_ids(rows)
        else:
            packed[name] = rows if rows.dtype == np.uint8 else packed_rising(rows)
    return packed
