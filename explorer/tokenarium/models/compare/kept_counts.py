"""The counts of a file with a tokenizer, as the measure cache stores them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.compare.measure_cache import (
    is_kept,
    key_of,
    load_arrays,
    store_arrays,
    tally_arrays,
    tally_of_arrays,
    tokenizer_key,
)
from tokenarium.models.compare.part_tallies import PIECE
from tokenarium.models.compare.tally import Tally
from tokenarium.models.compare.unit_rows import COLUMNS, UnitRows
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_urls import is_url
from tokenarium_core.plain_files import file_sha256


def text_key(path: str, sha256: str, field: str, encoding: str = "") -> str:
    """Returns what identifies the documents of a file: its hash, and how it is read, which its suffixes say."""
    form = Path(path).name.partition(".")[2].lower()
    return key_of("text", sha256=sha256, form=form, field=field, encoding=encoding, longest=PIECE)


def rows_key(tokenizer: str, texts: list[str], unit: str) -> str:
    """Returns the name of the counts of the units of some texts, given the keys of the tokenizer and the texts."""
    return key_of("rows", tokenizer=tokenizer, texts=texts, unit=unit)


def load_rows(key: str) -> UnitRows | None:
    """Returns the counts of the units of a text for one tokenizer, if they are stored."""
    match load_arrays(key):
        case [numbers, rows] if numbers.shape == (2,) and rows.shape[1:] == (1, len(COLUMNS)):
            units, block = numbers.tolist()
            if units > 0 and block > 0 and len(rows) == -(-units // block):
                return UnitRows.of_counts(rows, units, block)
    return None


def store_rows(key: str, rows: UnitRows) -> None:
    """Stores the counts of the units of a text for one tokenizer."""
    store_arrays(key, [np.array([rows.units, rows.block], np.int64), rows.counts])


KEPT_UNITS: Final = 100_000
"""Documents of a file whose counts are stored one by one. Of more, neighbours are added together, and their counts are only
used where no other documents come before them."""


@dataclass(frozen=True, slots=True)
class FileTally:
    """The counts of the documents of a file for one tokenizer: each by itself, and all together."""

    rows: UnitRows
    tally: Tally


class KeptFiles:
    """The counts of files with some tokenizers, by key, as the measure cache has them."""

    def __init__(self, tokenizers: dict[str, tc.Tokenizer]) -> None:
        self._tokenizers = tokenizers
        self._keys: dict[str, str] = {}

    def text_of(self, source: CorpusSource) -> str:
        """Returns what identifies the documents of a file; empty if its counts are not stored."""
        path = source.value
        if source.kind != "file" or is_url(path) or not is_kept(path):
            return ""
        sha256 = file_sha256(path)
        return text_key(path, sha256, source.field, source.encoding) if sha256 else ""

    def load(self, text: str, before: int) -> dict[str, FileTally]:
        """Returns the counts of a text for the tokenizers for which they are stored, given how many documents come
        before it.
        """
        found = dict[str, FileTally]()
        for key, tokenizer in self._tokenizers.items() if text else ():
            rows = load_rows(self._rows(key, text))
            arrays = load_arrays(self._tally(key, text)) if rows is not None else None
            tally = tally_of_arrays(arrays, len(tokenizer.vocabulary)) if arrays else None
            if rows is not None and tally is not None and tally.texts == rows.units:
                found[key] = FileTally(rows, tally)
        same = len({one.rows.units for one in found.values()}) < 2
        return {
            key: one for key, one in found.items() if same and (one.rows.block == 1 or not before)
        }

    def store(self, source: CorpusSource, text: str, counted: dict[str, FileTally]) -> None:
        """Stores the counts of a text, unless its file was changed while it was counted."""
        if not text or self.text_of(source) != text:
            return
        for key, one in counted.items():
            store_rows(self._rows(key, text), one.rows)
            store_arrays(self._tally(key, text), tally_arrays(one.tally))

    def _tokenizer(self, key: str) -> str:
        if key not in self._keys:
            self._keys[key] = tokenizer_key(self._tokenizers[key])
        return self._keys[key]

    def _rows(self, key: str, text: str) -> str:
        return rows_key(self._tokenizer(key), [text], "document of a file")

    def _tally(self, key: str, text: str) -> str:
        return key_of("tally", tokenizer=self._tokenizer(key), text=text)
