"""Writes entries of a vocabulary to a CSV or JSON file, in slices, completely or not at all."""

from __future__ import annotations

import csv
import io
import json
import math
import time
from pathlib import Path
from typing import Any

from tokenarium.models.vocabulary.vocabulary_columns import NO_RANK, Ids, VocabularyColumns
from tokenarium_core import Progress
from tokenarium_core.explaining import piece_facts as facts
from tokenarium_core.vocabulary import KINDS
from tokenarium_core.whole_files import WholeFile

TURN = 64


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
        "flags": columns.flags_of(token),
    }


def _value(columns: VocabularyColumns, token: int) -> dict[str, float | None]:
    value = float(columns.values[token])
    if columns.has_scores:
        return {"score": json_score(value)}
    return {"rank": None if value == NO_RANK else int(value)}


def json_score(score: float) -> float | None:
    """Returns a score; None for an infinite one, which JSON cannot write."""
    return score if math.isfinite(score) else None


def csv_line(values: list[Any]) -> str:
    """Returns a line of CSV (RFC 4180)."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(values)
    return out.getvalue()


def _csv_row(one: dict[str, Any]) -> str:
    return csv_line([" ".join(v) if isinstance(v, list) else v for v in one.values()])


class EntryWriter:
    """Writes one file: JSON with the tokenizer's name, if the path's suffix says so, else CSV with a head line."""

    def __init__(self, columns: VocabularyColumns, rows: Ids, path: Path) -> None:
        self._columns = columns
        self._rows = rows.tolist()
        self._path = path
        self._at = 0
        self._as_json = path.suffix.lower() == ".json"
        self._file = WholeFile(path)
        name = json.dumps(columns.tokenizer.name, ensure_ascii=False)
        if self._as_json:
            self._write(f'{{"tokenizer": {name}, "entries": [')
        else:
            self._write(csv_line(list(record(columns, 0))) if columns.count else "")

    def step(self, budget_ms: float) -> Progress:
        """Writes some more rows; if that fails, the file is removed and TokenariumError is raised."""
        until = time.perf_counter() + budget_ms / 1000
        while self._at < len(self._rows) and time.perf_counter() < until:
            turn = self._rows[self._at : self._at + TURN]
            self._write("".join(self._row(token, self._at + n) for n, token in enumerate(turn)))
            self._at += len(turn)
        total = len(self._rows)
        finished = self._at == total
        if finished:
            self._finish()
        return Progress(f"Writing {self._path.name}", self._at, total, finished)

    def drop(self) -> None:
        """Cancels the export and removes the file."""
        self._file.drop()

    def _row(self, token: int, place: int) -> str:
        one = record(self._columns, token)
        if not self._as_json:
            return _csv_row(one)
        return (",\n " if place else "\n ") + json.dumps(one, ensure_ascii=False)

    def _finish(self) -> None:
        if self._as_json:
            self._write("\n]}\n")
        self._file.finish()

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "surrogatepass"))
