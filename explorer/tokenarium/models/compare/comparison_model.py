"""A comparison of tokenizers as a table, and its charts with a curve for each tokenizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve
from tokenarium.models.compare.distribution_metrics import DISTRIBUTION_METRICS, rank_frequency
from tokenarium.models.compare.intervals import (
    FEW_UNITS,
    MEASURED,
    SIGNIFICANCE,
    WHOLE_NUMBERS,
    Interval,
    confidence,
)
from tokenarium.models.compare.metric import Metric, cell_text, shown
from tokenarium.models.compare.metrics import METRICS, Figures, figures_of, is_flattered
from tokenarium.models.compare.tally import LONGEST, Tally
from tokenarium.models.compare.words import NO_WORDS
from tokenarium.models.csv_text import csv_text
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, listed, loses
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.titled_columns import ROOT, Index, TitledColumns
from tokenarium.resources.glossary import explanation

RAW_COUNTS = ("Bytes", "Code points", "Words", "Texts")
"""The titles of `Figures.raw`."""

BEST = Qt.ItemDataRole.UserRole
"""The role of whether a cell alone has the best figure of its column."""

SHARE = Qt.ItemDataRole.UserRole + 1
"""The role of the length of the bar in a cell, 0 to 1; None for no bar."""

IDENTITY = Qt.ItemDataRole.UserRole + 2
"""The role of the number of a row's identity, see `Theme.identity`."""

DETAIL = Qt.ItemDataRole.UserRole + 4
"""The role of the second line of a row's name."""

LOSSY = Qt.ItemDataRole.UserRole + 5
"""The role of whether a figure is doubtful because text is lost."""

BOUNDS = Qt.ItemDataRole.UserRole + 6
"""The role of where the interval of a figure begins and ends, as `SHARE`; None for no interval."""

CAVEAT = Qt.ItemDataRole.UserRole + 3
"""The role of what a column does not show; empty for no caveat."""

LOST_TEXT = f"It {{loses}}, so this figure looks better than it is. {SAYS}"


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One tokenizer: its key, name and identity, what was counted with it so far, or why nothing was.

    ``detail`` is a second line under the name, ``colour`` the number of its identity.
    Where there are rows for each file, ``file`` is its name, and ``figures`` are of it alone. ``intervals`` has those
    of the figures over several documents, by the id of the figure.
    """

    key: str
    name: str
    colour: int
    tally: Tally | None = None
    note: str = ""
    file: str = ""
    figures: Figures | None = None
    detail: str = ""
    intervals: Mapping[str, Interval] = field(default_factory=dict)


class ComparisonModel(TitledColumns):
    """Rows of figures, sorted by tokens at first. ``dim`` returns the colour of text that matters less."""

    columns = tuple(metric.title for metric in METRICS)

    def __init__(
        self,
        dim: Callable[[], QColor],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._dim = dim
        self._rows: list[ComparedRow] = []
        self._figures: dict[
            tuple[str, str], tuple[ComparedRow, Figures | None]
        ] = {}  # by file, key
        self._best: dict[tuple[str, str], float] = {}  # by file, and id of the figure
        self._most: dict[tuple[str, str], float] = {}
        self._sorted_by: tuple[int, Qt.SortOrder] | None = (0, Qt.SortOrder.AscendingOrder)
        self.complete = True
        self.alpha = SIGNIFICANCE
        """The significance of the intervals of the rows."""

    @property
    def rows(self) -> Sequence[ComparedRow]:
        """The rows in the order in which they are shown."""
        return self._rows

    @property
    def sorting(self) -> str:
        """The id of the figure that sorts, with a "-" before it where the greatest comes first; empty for none."""
        if self._sorted_by is None:
            return ""
        column, order = self._sorted_by
        return "-" * (order is Qt.SortOrder.DescendingOrder) + METRICS[column].id

    def set_rows(self, rows: Sequence[ComparedRow], complete: bool = True) -> None:
        """Shows other rows.

        As long as they are not ``complete`` no figure is the best, and rows that are there keep their places: figures
        that still grow would move them about. What is selected stays so.
        """
        self.complete = complete
        known, found = self._figures, dict[tuple[str, str], tuple[ComparedRow, Figures | None]]()
        for row in rows:  # worked out once: a cell is painted often
            before = known.get(_key(row))
            if row.figures is not None or row.tally is None:
                found[_key(row)] = row, row.figures
            elif before is not None and before[0].tally is row.tally:
                found[_key(row)] = before
            else:
                found[_key(row)] = row, figures_of(row.tally)
        self._figures = known | found  # also of rows that are about to go
        self._replace_rows(rows)
        self._figures = found
        self._best = self._find_best() if complete else {}
        self._most = self._find_most()
        if complete and self._sorted_by is not None:
            self.sort(*self._sorted_by)
        self.repaint_all()

    def _replace_rows(self, rows: Sequence[ComparedRow]) -> None:
        """Makes these the rows: those that stay are known by file and key, so that selection and scroll position stay."""
        new = {_key(row): row for row in rows}
        there = {_key(row) for row in self._rows}
        if there.isdisjoint(new):
            self.beginResetModel()
            self._rows = self._arranged(rows)
            self.endResetModel()
            return
        last = len(self._rows)
        while last:  # runs of rows that are gone, from the end
            first = last
            while first and _key(self._rows[first - 1]) not in new:
                first -= 1
            if first < last:
                self.beginRemoveRows(ROOT, first, last - 1)
                del self._rows[first:last]
                self.endRemoveRows()
            last = max(first - 1, 0)
        more = [row for row in rows if _key(row) not in there]
        if more:
            self.beginInsertRows(ROOT, len(self._rows), len(self._rows) + len(more) - 1)
            self._rows += more
            self.endInsertRows()
        if (
            self._sorted_by is None or self.complete
        ):  # sorted from the order of the library, which ties keep
            self._arrange(rows)
        else:
            files = {file: index for index, file in enumerate(dict.fromkeys(r.file for r in rows))}
            same = [new[_key(row)] for row in self._rows]
            self._arrange(sorted(same, key=lambda row: files[row.file]))

    def _arrange(self, rows: Sequence[ComparedRow]) -> None:
        """Shows the same rows in another order, with the selection on them."""
        self.layoutAboutToBeChanged.emit()
        places = {_key(row): index for index, row in enumerate(rows)}
        held = self.persistentIndexList()
        moved = [
            self.createIndex(places[_key(self._rows[index.row()])], index.column())
            for index in held
        ]
        self._rows = list(rows)
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def repaint_all(self) -> None:
        """Repaints all cells, such as after a change of colours."""
        if self._rows:
            last = self.index(len(self._rows) - 1, len(METRICS) - 1)
            self.dataChanged.emit(self.index(0, 0), last, [])

    def figures(self, row: ComparedRow) -> Figures | None:
        """Returns the figures of a row; None if nothing was counted."""
        return self._figures[row.file, row.key][1]

    def _value(self, row: ComparedRow, metric: Metric) -> float | None:
        figures = self.figures(row)
        return figures.value(metric.id) if figures is not None else None

    def _says_something(self, row: ComparedRow, metric: Metric) -> bool:
        figures = self.figures(row)
        return not metric.of_words or figures is None or figures.words_say

    def _is_doubtful(self, row: ComparedRow, metric: Metric) -> bool:
        figures = self.figures(row)
        return figures is not None and is_flattered(metric, figures)

    def _find_best(self) -> dict[tuple[str, str], float]:
        """Returns the best value of each figure that one tokenizer alone has, on the same file.

        Doubtful figures do not count.
        """
        files: dict[str, list[ComparedRow]] = {}
        for row in self._rows:
            files.setdefault(row.file, []).append(row)
        best = {}
        for file, rows in files.items():
            for metric in METRICS if len(rows) > 1 else ():
                values = [
                    value
                    for row in rows
                    if (value := self._value(row, metric)) is not None
                    and not self._is_doubtful(row, metric)
                ]
                if not metric.better or len(values) < 2:
                    continue
                one = (min if metric.better == "low" else max)(values)
                if [shown(metric, value) for value in values].count(shown(metric, one)) == 1:
                    best[file, metric.id] = one
        return best

    def _find_most(self) -> dict[tuple[str, str], float]:
        """Returns the greatest value of each figure on the same file, or end of an interval: the length of a bar."""
        most: dict[tuple[str, str], float] = {}
        for row in self._rows:
            figures = self.figures(row)
            for metric in METRICS if figures is not None else ():
                key = row.file, metric.id
                interval = self._interval(row, metric)
                high = interval.high if interval is not None else None
                most[key] = max(most.get(key, 0.0), self._value(row, metric) or 0.0, high or 0.0)
        return most

    def _interval(self, row: ComparedRow, metric: Metric) -> Interval | None:
        return row.intervals.get(metric.id) if self._says_something(row, metric) else None

    def bounds(self, row: ComparedRow, metric: Metric) -> tuple[float, float] | None:
        """Returns where the interval of a figure begins and ends, as `share`; None if it has none."""
        interval = self._interval(row, metric)
        most = self._most.get((row.file, metric.id), 0.0)
        if interval is None or interval.low is None or interval.high is None or not most:
            return None
        return interval.low / most, interval.high / most

    def share(self, row: ComparedRow, metric: Metric) -> float | None:
        """Returns the length of a bar: the figure divided by the greatest one, or by the end of an interval beyond it;
        None without a figure.
        """
        value = self._value(row, metric)
        if value is None:
            return None
        most = self._most.get((row.file, metric.id), 0.0)
        return value / most if most else 0.0

    def is_best(self, row: ComparedRow, metric: Metric) -> bool:
        """Returns whether a figure is better than those of all other tokenizers."""
        value = self._value(row, metric)
        if value is None or (row.file, metric.id) not in self._best:
            return False
        if not self._says_something(row, metric) or self._is_doubtful(row, metric):
            return False
        return shown(metric, value) == shown(metric, self._best[row.file, metric.id])

    # What Qt asks for.

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return self._name_data(self._rows[section], role)
        metric = METRICS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{metric.heading}\n{metric.remark}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (explained(metric), metric.caveat)))
        return metric.caveat if role == CAVEAT else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        metric = METRICS[index.column()]
        value = self._value(row, metric)
        best = self.is_best(row, metric)
        if role == Qt.ItemDataRole.DisplayRole:
            text = "–" if value is None else cell_text(metric, value)
            return f"{SIGN} {text}" if self._is_doubtful(row, metric) else text
        if role == BEST:
            return best
        if role == SHARE:
            return self.share(row, metric)
        if role == BOUNDS:
            return self.bounds(row, metric)
        if role == LOSSY:
            return self._is_doubtful(row, metric)
        if role == IDENTITY:
            return row.colour
        if role == Qt.ItemDataRole.ForegroundRole and (
            value is None
            or not self.complete
            or not self._says_something(row, metric)
            or self._is_doubtful(row, metric)
        ):
            return self._dim()
        if role == Qt.ItemDataRole.ToolTipRole:
            figures = self.figures(row)
            parts = [] if self._says_something(row, metric) else [NO_WORDS]
            if best:
                parts.append(
                    f"The best of these{' on this file' if row.file else ''}, without a tie."
                )
            if figures is not None and self._is_doubtful(row, metric):
                parts.append(LOST_TEXT.format(loses=loses(figures.lost_share)))
            if figures is not None:
                interval = self._interval(row, metric)
                parts.append(interval_sentence(metric, interval, figures.texts, self.alpha))
                if row.intervals and self._says_something(row, metric):
                    parts.append(no_interval(metric))
            return "\n".join([*filter(None, parts), explained(metric)])
        if role == Qt.ItemDataRole.AccessibleTextRole and value is not None:
            unit = f" {metric.unit}" if metric.unit else ""
            text = f"{_full_name(row)}, {metric.title}: {shown(metric, value)}{unit}"
            figures = self.figures(row)
            if figures is not None and self._is_doubtful(row, metric):
                return f"{text}, doubtful: it {loses(figures.lost_share)}"
            return f"{text}, the best" if best else text
        return None

    def _name_data(self, row: ComparedRow, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == IDENTITY:
            return row.colour
        if role == DETAIL:
            return row.file or row.detail
        if role == Qt.ItemDataRole.ToolTipRole:
            return as_tip(row.note or _full_name(row))
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts the rows of each file by a column (-1: not at all).

        Those with a doubtful figure come after the others, as they are compared with none, and those with none last.
        """
        if column < 0:
            self._sorted_by = None
            return
        self._sorted_by = (column, order)
        self._arrange(self._arranged(self._rows))
        if self._rows:
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(self._rows) - 1)

    def _arranged(self, rows: Sequence[ComparedRow]) -> list[ComparedRow]:
        """Returns rows as they are sorted; those that are equal keep their order."""
        if self._sorted_by is None:
            return list(rows)
        column, order = self._sorted_by
        down, metric = order is Qt.SortOrder.DescendingOrder, METRICS[column]
        files = {file: index for index, file in enumerate(dict.fromkeys(r.file for r in rows))}
        return sorted(
            rows,
            key=lambda row: (
                files[row.file],
                self._is_doubtful(row, metric),
                _rank(self._value(row, metric), down),
            ),
        )

    # Exporting it.

    def as_text(self, separator: str = "\t") -> str:
        """Returns the table with a line of titles: figures as they are shown, with tabs between."""
        return "".join(separator.join(line) + "\n" for line in self._table(shown, SIGN + " "))

    def lines(self, ids: Collection[str]) -> list[list[str]]:
        """Returns some figures as they are shown, by their ids, with a line of titles."""
        table = self._table(shown, SIGN + " ")
        names = len(table[0]) - len(METRICS)
        places = [names + at for at, metric in enumerate(METRICS) if metric.id in ids]
        return [[line[at] for at in (*range(names), *places)] for line in table]

    def as_csv(self) -> str:
        """Returns the table as CSV with a line of titles: figures with all their digits, and what they are made of."""
        lines = self._table(lambda _, v: f"{v:.12g}")
        bounded = [metric for metric in METRICS if metric.id in MEASURED]
        has_bounds = any(row.intervals for row in self._rows)
        lines[0] += RAW_COUNTS
        if has_bounds:
            lines[0] += [f"{_title(one)}, {end}" for one in bounded for end in ("low", "high")]
        for line, row in zip(lines[1:], self._rows, strict=True):
            figures = self.figures(row)
            line += [""] * 4 if figures is None else map(str, figures.raw)
            for metric in bounded if has_bounds else ():
                interval = row.intervals.get(metric.id, Interval(None))
                line += [
                    "" if one is None else f"{one:.12g}" for one in (interval.low, interval.high)
                ]
        return csv_text(lines)

    def _table(self, written: Callable[[Metric, float], str], sign: str = "") -> list[list[str]]:
        by_file = any(row.file for row in self._rows)
        lines = [[*["File"] * by_file, "Tokenizer", *map(_title, METRICS)]]
        for row in self._rows:
            values = [(metric, self._value(row, metric)) for metric in METRICS]
            texts = [
                ""
                if value is None
                else sign * self._is_doubtful(row, metric) + written(metric, value)
                for metric, value in values
            ]
            lines.append([*[row.file] * by_file, row.name, *texts])
        return lines


def interval_sentence(
    metric: Metric, interval: Interval | None, documents: int, alpha: float = SIGNIFICANCE
) -> str:
    """Returns how much a figure depends on the documents; empty if it has no interval."""
    if interval is None or interval.low is None or interval.high is None:
        return ""
    low, high = (f"{bound:,.{metric.digits + 1}f}" for bound in (interval.low, interval.high))
    few = " They are few, so it is too narrow." if documents < FEW_UNITS else ""
    return (
        f"{confidence(alpha)} interval: {low} to {high}{'%' * (metric.unit == '%')}, by drawing from the"
        f" {documents:,} documents (bootstrap, Efron 1979).{few}"
    )


OF_IDS = frozenset(("used", *(metric.id for metric in DISTRIBUTION_METRICS)))
"""The ids of the figures that depend on how many different ids occur."""


def no_interval(metric: Metric) -> str:
    """Returns why a figure has no interval over documents; empty if it has one, or is a sum."""
    if metric.id in WHOLE_NUMBERS:
        return "No interval: it is a whole number of tokens, which is the same in nearly all samples of the documents."
    if metric.id in OF_IDS:
        return (
            "No interval: a sample of the documents has fewer different ids than all of them, so the figures of samples are"
            " not around this one."
        )
    return ""


def explained(metric: Metric) -> str:
    """Returns the title of a figure, what it is, its formula and its source, and which way is better."""
    title = f"{metric.title} ({metric.unit})" if metric.unit else metric.title
    better = {"low": "Lower is better.", "high": "Higher is better.", "": ""}[metric.better]
    end = "" if metric.source.endswith("?") else "."
    source = f"Source: {metric.source}{end}" if metric.source else ""
    known = explanation(metric.term) if metric.term else ""
    return "\n".join(part for part in (title, known, f"= {metric.formula}", source, better) if part)


def caveats(ids: Iterable[str]) -> list[str]:
    """Returns the caveats of figures, by their ids, each once, after the titles of the figures that it is of."""
    shown, titles = set(ids), dict[str, list[str]]()
    for metric in METRICS:
        if metric.id in shown and metric.caveat:
            titles.setdefault(metric.caveat, []).append(metric.title)
    return [f"{'; '.join(of)}: {caveat}" for caveat, of in titles.items()]


def _title(metric: Metric) -> str:
    unit = metric.unit.replace(" per ", "/")
    return f"{metric.title} ({unit})" if unit else metric.title


def _full_name(row: ComparedRow) -> str:
    return f"{row.file}, {row.name}" if row.file else row.name


def doubts(rows: Sequence[ComparedRow]) -> str:
    """Returns a sentence on the figures that lost text flatters, or an empty text."""
    shares = [
        (row.name, row.tally.lost_share)
        for row in rows
        if row.tally is not None and is_doubtful(row.tally.lost_share)
    ]
    if not shares:
        return ""
    return (
        f"{SIGN} A part of this text is lost ({listed(shares)}), so figures with a {SIGN} look better than they are,"
        f" and come after the others. {SAYS}"
    )


def _key(row: ComparedRow) -> tuple[str, str]:
    """Returns what a row is known by."""
    return row.file, row.key


def _rank(value: float | None, down: bool) -> float:
    if value is None:
        return math.inf
    return -value if down else value


TAIL = 0.001
"""The share of the tokens below which longer lengths are not drawn, so that the others have room."""

POINTS = 160
"""Points of a rank–frequency curve at most: more look the same."""

LENGTHS_AXES = (Axis("Length of a token", "bytes of the text"), Axis("Share of the tokens", "%"))
RANKS_AXES = (Axis("Rank of the id", "", True), Axis("Times it came out", "", True))


def length_chart(rows: Sequence[ComparedRow]) -> Chart:
    """Returns the share of the tokens by length; the last one includes all longer tokens."""
    counted = [(row, row.tally) for row in rows if row.tally is not None and row.tally.tokens]
    last = 1
    for _, tally in counted:
        shares = tally.lengths / tally.tokens
        last = max(last, int(np.flatnonzero(np.cumsum(shares[::-1])[::-1] >= TAIL)[-1]))
    curves = []
    for row, tally in counted:
        shares = 100 * tally.lengths / tally.tokens
        first = 0 if shares[0] else 1
        points = [(float(length), float(shares[length])) for length in range(first, last + 1)]
        counts = tally.lengths[first : last + 1].tolist()
        curves.append(ChartCurve(row.name, points, row.colour, counts=counts))
    x, y = LENGTHS_AXES
    unit = x.unit if last < LONGEST else f"{x.unit}; {LONGEST}: or more"
    return Chart(Axis(x.title, unit), y, curves)


def rank_chart(rows: Sequence[ComparedRow]) -> Chart:
    """Returns how often the most frequent id, the second, and so on occur, on logarithmic scales."""
    curves = []
    for row in rows:
        counts = rank_frequency(row.tally.uses) if row.tally is not None else np.empty(0, np.int64)
        if len(counts):
            ranks = np.unique(np.geomspace(1, len(counts), POINTS).round().astype(np.int64))
            points = [(float(rank), float(counts[rank - 1])) for rank in ranks.tolist()]
            curves.append(ChartCurve(row.name, points, row.colour))
    return Chart(*RANKS_AXES, curves)
