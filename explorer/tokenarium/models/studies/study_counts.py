"""Counts the tokenizers of a study on its texts, unit by unit; what was counted before comes from the measure cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

import tokenarium_core as tc
from tokenarium.models.compare.kept_counts import load_rows, rows_key, store_rows, text_key
from tokenarium.models.compare.measure_cache import is_kept, tokenizer_key
from tokenarium.models.compare.part_tallies import PIECE
from tokenarium.models.compare.tally import measured, tally
from tokenarium.models.compare.unit_rows import UnitRows, counts_row
from tokenarium.models.studies.study_file import Study, StudyText
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import reading_notes
from tokenarium_core.plain_files import file_sha256

ALL_TEXTS: Final = "all texts"

_AT_ONCE: Final = 256
"""Units whose counts are added together."""


def count_texts(
    study: Study,
    tokenizers: Sequence[tc.Tokenizer],
    progressed: Callable[[float], object] = lambda _: None,
) -> list[tuple[str, UnitRows]]:
    """Returns the counts of each text of a study with all hashes, and of all texts together if there are several.

    What large texts gave is stored by their hashes, and not counted again. TokenariumError for a text that cannot be
    read in full, or is empty.
    """
    several = len(study.texts) > 1
    kept = _KeptRows(study, tokenizers)
    places = range(len(tokenizers))
    wholes = [kept.load(place, study.texts) if several else None for place in places]
    growing = {place: UnitRows(1) for place in places if several and wholes[place] is None}
    parts: list[tuple[str, UnitRows]] = []
    for number, text in enumerate(study.texts):

        def read(share: float, number: int = number) -> None:
            progressed((number + share) / len(study.texts))

        found = {place: rows for place in places if (rows := kept.load(place, [text])) is not None}
        # Units that are drawn together begin elsewhere if other texts come before them.
        joined = {place for place in growing if place in found and found[place].block > 1}
        units = {(rows.units, rows.block) for rows in found.values()}
        left = [one for one in places if one not in found or one in joined or len(units) > 1]
        if left:
            made = {place: UnitRows(1) for place in left}
            sinks = [
                [made[place], *([growing[place]] if place in growing else [])] for place in left
            ]
            _count(study, text, [tokenizers[place] for place in left], sinks, read)
            for place in left:
                kept.store(place, [text], made[place])
            found |= made
        for place in growing.keys() - set(left):
            growing[place].extend(found[place].counts)
        parts.append((text.name, UnitRows.together([found[place] for place in places])))
        read(1.0)
    if several:
        for place, rows in growing.items():
            kept.store(place, study.texts, rows)
            wholes[place] = rows
        parts.append((ALL_TEXTS, UnitRows.together([rows for rows in wholes if rows is not None])))
    return parts


class _KeptRows:
    """The counts of the tokenizers of a study in the measure cache; of small texts, none are there."""

    def __init__(self, study: Study, tokenizers: Sequence[tc.Tokenizer]) -> None:
        self._study = study
        places = [study.place(text.file) for text in study.texts]
        self._kept = {
            text for text, place in zip(study.texts, places, strict=True) if is_kept(place)
        }
        some = zip(tokenizers, study.tokenizers, strict=True) if self._kept else ()
        self._keys = [tokenizer_key(tokenizer, one.sha256) for tokenizer, one in some]

    def _key(self, place: int, texts: Sequence[StudyText]) -> str:
        keys = [text_key(self._study.place(one.file), one.sha256, one.field) for one in texts]
        return rows_key(self._keys[place], keys, self._study.unit)

    def load(self, place: int, texts: Sequence[StudyText]) -> UnitRows | None:
        """Returns the counts of a tokenizer on some texts, one after the other."""
        return load_rows(self._key(place, texts)) if self._kept.intersection(texts) else None

    def store(self, place: int, texts: Sequence[StudyText], rows: UnitRows) -> None:
        """Stores them, unless a text was changed while it was counted."""
        if self._kept.intersection(texts) and all(
            file_sha256(self._study.place(one.file)) == one.sha256 for one in texts
        ):
            store_rows(self._key(place, texts), rows)


def _count(
    study: Study,
    text: StudyText,
    tokenizers: Sequence[tc.Tokenizer],
    sinks: Sequence[Sequence[UnitRows]],
    progressed: Callable[[float], object],
) -> None:
    """Counts the units of a text with some tokenizers, and adds their counts to what each of them has in ``sinks``."""
    corpus = Corpus([CorpusSource("file", study.place(text.file), field=text.field)], longest=PIECE)
    rows: list[list[list[int]]] = []

    def add() -> None:
        for place, some in enumerate(sinks):
            for one in some:
                one.extend(np.array([[unit[place]] for unit in rows], np.int64))
        rows.clear()

    for unit in units_of(corpus, study.unit):
        rows.append(unit_counts(tokenizers, unit))
        if len(rows) == _AT_ONCE:
            add()
        progressed(min(corpus.done / max(corpus.total, 1), 1.0))
    if rows:
        add()
    damage = [*reading_notes(corpus)]
    if damage or not sinks[0][0].units:
        raise tc.TokenariumError(" ".join(damage) or f"{text.file} contains no text.")


def units_of(texts: Iterable[str], unit: str) -> Iterator[str]:
    """Yields what is encoded by itself: each text, or each line without its end, except lines of white space."""
    for text in texts:
        if unit != "line":
            yield text
            continue
        for line in text.split("\n"):
            if line.strip():
                yield line.removesuffix("\r")


def unit_counts(tokenizers: Sequence[tc.Tokenizer], unit: str) -> list[list[int]]:
    """Returns the counts of each tokenizer for a text that is encoded by itself, see `UnitRows`."""
    document = measured(unit)
    return [counts_row(tally(tokenizer, document)) for tokenizer in tokenizers]
