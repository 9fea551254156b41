"""Writes entries of a vocabulary, or its merges, to a CSV or JSON file, in slices, completely or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tokenarium.models.csv_text import csv_text
from tokenarium.models.sliced_writer import SlicedWriter
from tokenarium.models.text.piece import json_score
from tokenarium.models.vocabulary.merge_list import MergeItem, MergeList
from tokenarium.models.vocabulary.vocabulary_columns import NO_RANK, Ids, VocabularyColumns
from tokenarium_core import Vocabulary
from tokenarium_core.explaining import piece_facts as facts
from tokenarium_core.vocabulary import KINDS


def record(columns: VocabularyColumns, token: int) -> dict[str, Any]:
    """Returns the data of an entry, by the names in the files.

    ``text`` is null if the bytes are not whole characters, a score if it is infinite; ``surface`` is the spelling in
    the vocabulary's file.
    """
    piece = columns.piece(token)
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        text = None
    return {
        "id": token,
        "text": text,
        "surface": columns.vocabulary.surface(token),
        "bytes": piece.hex(),
        "type": KINDS[columns.kinds[token]],
        **_value(columns, token),
        "length": len(piece),
        "characters": int(columns.characters[token]),
        "script": columns.scripts_of(token),
        "leading_space": bool(columns.flags[token] & facts.LEADING_SPACE),
        **({"trained": round(float(columns.indicators[token]), 6)} if columns.indicator else {}),
        "flags": columns.flags_of(token),
    }


def _value(columns: VocabularyColumns, token: int) -> dict[str, float | None]:
    value = float(columns.values[token])
    if columns.has_scores:
        return {"score": json_score(value)}
    return {"rank": None if value == NO_RANK else int(value)}


def _csv_row(one: dict[str, Any]) -> str:
    cells = [" ".join(v) if isinstance(v, list) else v for v in one.values()]
    return csv_text([cells], end="\r\n")


class RowWriter(SlicedWriter):
    """Writes rows to one file: JSON with the tokenizer's name, if the path's suffix says so, else CSV with a head line.

    ``what`` is the name of the rows in JSON, ``heads`` those of their values, and ``row`` returns a row by its number.
    """

    def __init__(
        self,
        tokenizer: str,
        what: str,
        heads: Sequence[str],
        count: int,
        row: Callable[[int], dict[str, Any]],
        path: Path,
    ) -> None:
        def in_json(start: int, stop: int) -> str:
            texts = (json.dumps(row(place), ensure_ascii=False) for place in range(start, stop))
            return ("," if start else "") + ",".join(f"\n {text}" for text in texts)

        def in_csv(start: int, stop: int) -> str:
            return "".join(_csv_row(row(place)) for place in range(start, stop))

        if path.suffix.lower() == ".json":
            name = json.dumps(tokenizer, ensure_ascii=False)
            super().__init__(path, count, in_json, f'{{"tokenizer": {name}, "{what}": [', "\n]}\n")
        else:
            head = csv_text([heads], end="\r\n") if heads else ""
            super().__init__(path, count, in_csv, head)


class EntryWriter(RowWriter):
    """Writes entries by their ids."""

    def __init__(self, columns: VocabularyColumns, rows: Ids, path: Path) -> None:
        ids = rows.tolist()
        heads = list(record(columns, 0)) if columns.count else []
        super().__init__(
            columns.tokenizer.name,
            "entries",
            heads,
            len(ids),
            lambda place: record(columns, ids[place]),
            path,
        )


MERGE_HEADS = ("rank", "left", "right", "id", "left_surface", "right_surface", "surface", "bytes")


def merge_record(vocabulary: Vocabulary, merge: MergeItem) -> dict[str, Any]:
    """Returns the data of a merge, by the names in the files.

    ``left``, ``right`` and ``id`` are null for a character that is not an entry; a surface is the spelling in the
    vocabulary's file, and the bytes are those of the result.
    """

    def known(token: int) -> int | None:
        return token if token >= 0 else None

    def surface(token: int) -> str:
        return vocabulary.surface(token) if token >= 0 else ""

    ids = (merge.left, merge.right, merge.made)
    piece = vocabulary.piece(merge.made).hex() if merge.made >= 0 else ""
    values = (merge.rank, *map(known, ids), *map(surface, ids), piece)
    return dict(zip(MERGE_HEADS, values, strict=True))


class MergeWriter(RowWriter):
    """Writes merges by their places in the list."""

    def __init__(self, merges: MergeList, rows: Ids, path: Path) -> None:
        places = rows.tolist()
        vocabulary = merges.columns.vocabulary
        super().__init__(
            merges.columns.tokenizer.name,
            "merges",
            MERGE_HEADS,
            len(places),
            lambda place: merge_record(vocabulary, merges.item(places[place])),
            path,
        )
