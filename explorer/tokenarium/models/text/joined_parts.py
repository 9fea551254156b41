"""The encodings of the parts of a long text, one after the other, as they come: see `part_encoding`."""

from __future__ import annotations

import numpy as np

import tokenarium_core as tc
from tokenarium.models.text.chunked_column import Chunk, ChunkedColumn
from tokenarium.models.text.chunked_encoding import ChunkedEncoding, NormalizedColumns
from tokenarium.models.text.part_encoding import PackedColumns, PartBounds, PartEdges
from tokenarium.models.text.text_map import TextMap


class JoinedParts:
    """The columns of the beginning of a text, to which the parts that follow are appended."""

    def __init__(self) -> None:
        self._chunks: dict[str, list[Chunk]] = {}
        self._rule_names: list[str] = []
        self._length = 0  # of the normalized text up to the part
        self._ends = True  # whether a word ends with what is there
        self._opened = 0  # where the word began that goes on after it

    def append(
        self,
        columns: PackedColumns,
        rule_names: list[str],
        bounds: PartBounds,
        edges: PartEdges,
        is_last: bool,
    ) -> None:
        """Adds columns of a part, of which these are perhaps not the last ones.

        Raises AssertionError where the part and the one before it do not agree on whether a word ends between them, as
        where an added token does: something may be put before what follows it.
        """
        if bounds.start and edges.begins != self._ends:
            raise AssertionError("The text cannot be divided there.")
        self._ends = edges.ends
        columns = dict(columns)
        both = columns.pop("edges", None)
        if both is not None:
            columns |= {"starts": both[:-1], "ends": both[1:]}
        spans = columns.get("cut_spans")
        if spans is not None and len(spans) and not edges.begins:
            # The first word is one that began in an earlier part.
            opened = np.array([self._opened], np.int32)
            self._chunks.setdefault("cut_spans", []).append((opened, 0))
            columns["cut_spans"] = spans[1:]
        if edges.opened >= 0:
            self._opened = edges.opened
        length = self._length
        added = {"places": length, "cut_ends": length, "ids": 0, "cut_rules": 0, "data": 0}
        for name, rows in columns.items():
            self._chunks.setdefault(name, []).append((rows, added.get(name, bounds.start)))
        self._rule_names = rule_names
        if is_last:
            data = columns.get("data")
            self._length = bounds.stop if data is None else length + len(data)

    def encoding(self, tokenizer: tc.Tokenizer, text: TextMap, run: object) -> ChunkedEncoding:
        """Returns the tokens so far."""
        normalized = None
        if tokenizer.normalizer is not None and "data" in self._chunks:
            names = ("text_starts", "text_stops", "places", "cut_spans")
            columns = map(self._column, names)
            normalized = NormalizedColumns(self._column("data", np.uint8), *columns)
        return ChunkedEncoding(
            self._column("ids"),
            self._column("starts"),
            self._column("ends"),
            self._column("cut_ends"),
            self._column("cut_rules", np.uint8),
            self._rule_names,
            normalized,
            text,
            tokenizer.vocabulary,
            run,
        )

    def _column(self, name: str, dtype: type[np.generic] = np.int32) -> ChunkedColumn:
        return ChunkedColumn(self._chunks.get(name, []), dtype)
