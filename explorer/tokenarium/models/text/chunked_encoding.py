"""The encoding of a text in chunks: what an edit did not touch is shared with the encoding before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i32, u8

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.chunked_column import ChunkedColumn, memory_of_columns
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.encoding import Template
from tokenarium_core.normalized_text import NormalizedText, unchanged
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.pretokenizers.pretokenizer import PreTokens


@dataclass(frozen=True, slots=True)
class NormalizedColumns:
    """What an encoding has where a normalizer changed the text; see `tokenarium_core.Encoding`.

    ``data``: the normalized bytes. ``starts`` and ``stops``: the original bytes of each. ``places``: two rows a token.
    ``cut_spans``: two rows a pre-token.
    """

    data: ChunkedColumn
    starts: ChunkedColumn
    stops: ChunkedColumn
    places: ChunkedColumn
    cut_spans: ChunkedColumn


@dataclass(frozen=True, eq=False)
class ChunkedEncoding:
    """The columns of a `tokenarium_core.Encoding`, which `whole` joins when it is asked for.

    ``ids``, ``starts``, ``ends``: one row a token. ``cut_ends``, ``cut_rules``: the pre-tokens. ``normalized`` is
    None where no normalizer changed the text. ``text_map`` is the text, or None where `whole` was there first. ``run`` is the same object for
    all encodings of one run over one text: each of them begins with the ones before. ``before`` and ``after`` are how
    many ids a template put around the text.
    """

    ids: ChunkedColumn
    starts: ChunkedColumn
    ends: ChunkedColumn
    cut_ends: ChunkedColumn
    cut_rules: ChunkedColumn
    rule_names: list[str]
    normalized: NormalizedColumns | None
    text_map: TextMap | None
    vocabulary: tc.Vocabulary
    run: object
    before: int = 0
    after: int = 0

    @classmethod
    def of(cls, encoding: tc.Encoding | ChunkedEncoding) -> ChunkedEncoding:
        """Returns the columns of an encoding, without a copy."""
        if isinstance(encoding, ChunkedEncoding):
            return encoding
        text, cuts = encoding.text, encoding.pre_tokens
        normalized = None
        # A text of which nothing is left has no places either.
        if text.aligned or text.size < len(encoding.original) - PADDING:
            data = np.frombuffer(text.data, np.uint8)[: text.size]
            columns = (text.starts, text.stops, encoding.places, encoding.pre_token_spans)
            normalized = NormalizedColumns(_column(data), *map(_column, map(array_of, columns)))
        spans = array_of(encoding.spans)
        chunked = cls(
            _column(array_of(encoding.ids)),
            _column(spans[::2]),
            _column(spans[1::2]),
            _column(array_of(cuts.ends)),
            _column(array_of(cuts.rules)),
            cuts.names,
            normalized,
            None,
            encoding.vocabulary,
            text,
        )
        chunked.__dict__["whole"] = encoding
        return chunked

    def __len__(self) -> int:
        return len(self.ids)

    def spans(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """Returns the spans of some tokens, n × 2: the first byte of each, and the byte after its last."""
        return np.stack((self.starts[first:last], self.ends[first:last]), axis=1)

    def place(self, token: int) -> int:
        """Returns the first byte of a token in the normalized text."""
        if "whole" in self.__dict__:
            return int(self.whole.places[2 * token])
        if self.normalized is None:
            return self.starts[token]
        return self.normalized.places[2 * token]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Returns the bytes of the text that a range of the normalized text was made of."""
        if "whole" in self.__dict__:
            return self.whole.text.start_of(start), self.whole.text.stop_of(end)
        if self.normalized is None:
            return start, end
        starts, stops = self.normalized.starts, self.normalized.stops
        return starts[start] if start < len(starts) else stops[-1], stops[
            end - 1
        ] if end else starts[0]

    @cached_property
    def bytes(self) -> int:
        """How many bytes of memory the columns need."""
        columns = [self.ids, self.starts, self.ends, self.cut_ends, self.cut_rules]
        if self.normalized is not None:
            of_text = self.normalized
            columns += [of_text.data, of_text.starts, of_text.stops, of_text.places]
            columns.append(of_text.cut_spans)
        return memory_of_columns(columns)

    @cached_property
    def whole(self) -> tc.Encoding:
        """The encoding with its columns in one piece."""
        assert self.text_map is not None, "an encoding that no text was edited for"
        original, size = self.text_map.padded, self.text_map.byte_count
        ids, pairs = _vec(self.ids), self.spans(0, len(self))
        spans = vec[i32](pairs.reshape(-1).data)
        cuts = PreTokens(_vec(self.cut_ends), vec[u8](self.cut_rules[:].data), self.rule_names)
        if self.normalized is None:
            text, places, cut_spans = unchanged(original, size, 0), spans, vec[i32]()
        else:
            columns = self.normalized
            data = columns.data[:].tobytes()
            starts, stops = _vec(columns.starts), _vec(columns.stops)
            text = NormalizedText(data + ZEROS, len(data), 0, starts, stops)
            places, cut_spans = _vec(columns.places), _vec(columns.cut_spans)
        return tc.Encoding(
            ids,
            spans,
            cuts,
            text,
            places,
            cut_spans,
            original,
            self.vocabulary,
            self.before,
            self.after,
        )

    def with_ends(self, ends: Template) -> ChunkedEncoding:
        """Returns the same with the ids of a template around it; see `tokenarium_core.Encoding.with_ends`."""
        if self.text_map is None or self.normalized is not None:
            return ChunkedEncoding.of(self.whole.with_ends(ends))
        count, size = len(ends.before), self.text_map.byte_count
        last = _vec(self.ids.part(max(len(self) - 1, 0), len(self)))
        after = array_of(ends.around(last))[count + len(last) :].tolist()
        return replace(
            self,
            ids=self.ids.around(ends.before, after),
            starts=self.starts.around([0] * count, [size] * len(after)),
            ends=self.ends.around([0] * count, [size] * len(after)),
            before=self.before + count,
            after=self.after + len(after),
        )


def of_unchanged(encoding: ChunkedEncoding) -> NormalizedColumns:
    """Returns the columns of a text that no normalizer changed."""
    whole = encoding.whole
    size = len(whole.original) - PADDING
    places = np.arange(size + 1, dtype=np.int32)
    cuts = array_of(whole.pre_token_spans)
    data = np.frombuffer(whole.original, np.uint8)[:size]
    return NormalizedColumns(
        _column(data),
        _column(places[:-1]),
        _column(places[1:]),
        _column(array_of(whole.places)),
        _column(cuts),
    )


def _column(rows: npt.NDArray[Any]) -> ChunkedColumn:
    return ChunkedColumn([(rows, 0)], rows.dtype)


def _vec(column: ChunkedColumn) -> vec[i32]:
    return vec[i32](np.ascontiguousarray(column[:], np.int32).data)
