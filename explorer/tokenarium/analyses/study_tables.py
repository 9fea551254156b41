"""The results of a study as tables and files: the same bytes whenever the study is run."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tokenarium.analyses.paired_differences import (
    PairRow,
    exact_pairs,
    interval_text,
    pair_columns,
    pair_rows,
)
from tokenarium.analyses.table import COUNT, Table, TableCell, TableColumn
from tokenarium.models.compare.intervals import confidence
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.metrics import METRIC_OF
from tokenarium.models.compare.unit_rows import COLUMNS
from tokenarium.models.csv_text import csv_text
from tokenarium.models.latex_table import latex_table
from tokenarium.models.markdown_table import markdown_table
from tokenarium.models.studies.study import StudyPart, StudyResult
from tokenarium.models.studies.study_file import study_toml


class _FiguresRow(NamedTuple):
    """All figures of a tokenizer on one text."""

    part: StudyPart
    tokenizer: int


def figures_table(result: StudyResult) -> Table[_FiguresRow]:
    """Returns a row for each text and tokenizer, with its figures and their intervals."""
    study = result.study
    rows = [
        _FiguresRow(part, tokenizer)
        for part in result.parts
        for tokenizer in range(len(study.tokenizers))
    ]
    columns = [
        _both("text", lambda row: row.part.name, False),
        _both("tokenizer", lambda row: study.tokenizers[row.tokenizer].name, False),
        _both(f"{study.unit}s", lambda row: COUNT(row.part.units)),
        _both("tokens", lambda row: COUNT(int(row.part.counts[:, row.tokenizer, 0].sum()))),
    ]
    for place, name in enumerate(study.measures):
        metric = METRIC_OF[name]
        unit = f" ({metric.unit})" if metric.unit == "%" else ""

        def shown(row: _FiguresRow, place: int = place, metric: Metric = metric) -> str:
            interval = row.part.measures[place].intervals[row.tokenizer]
            return interval_text(metric, interval, row.part.is_doubtful(metric, row.tokenizer))

        columns.append(_both(f"{metric.title}{unit}", shown))
    title = f"{study.title or 'Figures'}, {confidence(study.alpha)} intervals over {study.unit}s"
    return Table(columns, rows, title=title, keys=2)


def differences_table(
    result: StudyResult, parts: Sequence[StudyPart] | None = None
) -> Table[tuple[str, PairRow]]:
    """Returns a row for each figure and pair of tokenizers on each text, or on those in ``parts``: how much they differ,
    and how surely.
    """
    shown = result.parts if parts is None else parts
    rows = [(part.name, row) for part in shown for row in _pairs(part)]
    names = [one.name for one in result.study.tokenizers]
    of_pairs: Sequence[TableColumn[Any]] = pair_columns(names, result.study.alpha)
    columns = [
        _both("text", lambda row: row[0], False),
        _both("figure", lambda row: row[1].metric.title, False),
        *(replace(one, cell=_of_pair(one.cell)) for one in of_pairs),
    ]
    return Table(columns, rows, title="Paired differences", keys=4)


def _of_pair(cell: Callable[[PairRow], TableCell]) -> Callable[[tuple[str, PairRow]], TableCell]:
    return lambda row: cell(row[1])


def _pairs(part: StudyPart) -> list[PairRow]:
    return [row for found in part.measures for row in pair_rows(found, part.is_doubtful)]


def _both(head: str, text: Any, number: bool = True) -> TableColumn[Any]:
    """Returns a column that files and a terminal show alike."""
    return TableColumn(lambda row: TableCell(text(row)), file=head, terminal=head, number=number)


def exact_figures(result: StudyResult) -> list[dict[str, object]]:
    """Returns a row for each text, tokenizer and figure, with exact values."""
    return [
        {
            "text": part.name,
            "tokenizer": one.name,
            "units": part.units,
            "measure": found.metric.id,
            "value": found.intervals[place].value,
            "low": found.intervals[place].low,
            "high": found.intervals[place].high,
            "doubtful": part.is_doubtful(found.metric, place),
        }
        for part in result.parts
        for place, one in enumerate(result.study.tokenizers)
        for found in part.measures
    ]


def exact_differences(result: StudyResult) -> list[dict[str, object]]:
    """Returns a row for each text, figure and pair of tokenizers, with exact values."""
    names = [one.name for one in result.study.tokenizers]
    return [
        {"text": part.name, **row}
        for part in result.parts
        for row in exact_pairs(_pairs(part), names)
    ]


def raw_counts(result: StudyResult) -> dict[str, list[Any]]:
    """Returns the counts of each unit and tokenizer, by column; several units that are drawn together are one row."""
    columns: dict[str, list[Any]] = {name: [] for name in ("text", "unit", "tokenizer", *COLUMNS)}
    texts = result.parts[: len(result.study.texts)]  # all texts together would repeat them
    for part in texts:
        for unit, rows in enumerate(part.counts):
            for one, row in zip(result.study.tokenizers, rows.tolist(), strict=True):
                for name, value in zip(columns, (part.name, unit, one.name, *row), strict=True):
                    columns[name].append(value)
    return columns


def study_values(result: StudyResult) -> dict[str, object]:
    """Returns the results for JSON."""
    study = result.study
    return {
        "schema": "tokenarium-study",
        "version": 1,
        "tokenarium": study.version,
        "title": study.title,
        "unit": study.unit,
        "seed": study.seed,
        "resamples": study.resamples,
        "alpha": study.alpha,
        "tokenizers": [{"name": one.name, "sha256": one.sha256} for one in study.tokenizers],
        "texts": [{"name": one.name, "sha256": one.sha256} for one in study.texts],
        "figures": exact_figures(result),
        "differences": exact_differences(result),
        "notes": list(result.notes),
    }


def study_files(result: StudyResult) -> dict[str, bytes]:
    """Returns the files of the results by their names; ``counts.parquet`` only where pyarrow is installed."""
    figures, differences = figures_table(result).lines(), differences_table(result).lines()
    counts = raw_counts(result)
    texts = {
        "study.toml": study_toml(result.study),
        "results.json": json.dumps(study_values(result), ensure_ascii=False, indent=1) + "\n",
        "figures.csv": _exact_csv(exact_figures(result)),
        "figures.md": markdown_table(figures),
        "figures.tex": latex_table(figures),
        "counts.csv": csv_text([list(counts), *zip(*counts.values(), strict=True)]),
    }
    if differences:
        texts |= {
            "differences.csv": _exact_csv(exact_differences(result)),
            "differences.md": markdown_table(differences),
            "differences.tex": latex_table(differences),
        }
    files = {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}
    parquet = _parquet(counts)
    return files | ({"counts.parquet": parquet} if parquet else {})


def _exact_csv(rows: list[dict[str, object]]) -> str:
    return csv_text([list(rows[0]), *(list(row.values()) for row in rows)]) if rows else ""


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:  # it comes with an extra
        return b""
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()
