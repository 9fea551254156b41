"""What each vocabulary size costs a model, in parameters of the embedding, and brings, in compression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, ChartMark
from tokenarium.models.text.piece import counted, percent
from tokenarium.models.training.training_queue import (
    COMPRESSION_AXIS,
    SIZE_AXIS,
    compression_points,
    transition_marks,
)
from tokenarium.models.typed_numbers import parsed_part
from tokenarium.models.vocabulary.padded_sizes import padded_size
from tokenarium_core import TokenariumError

PRECISIONS = (("fp32", 4), ("bf16", 2), ("int8", 1))
"""How a parameter may be stored, with its bytes."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedding of a model: a row of ``width`` numbers for each entry at the input, and one at the output.

    ``tied``: both share one matrix. ``model`` is the number of parameters of the whole model; 0: unknown.
    ``multiple``: the rows are padded to a multiple of it.
    """

    width: int
    tied: bool = False
    model: int = 0
    multiple: int = 1

    @property
    def each(self) -> int:
        """The parameters of an entry: d, or 2·d."""
        return self.width if self.tied else 2 * self.width

    @property
    def formula(self) -> str:
        """The parameters of V entries of width d."""
        return "V·d" if self.tied else "2·V·d"

    def rows(self, entries: int) -> int:
        """Returns the rows for this many entries."""
        return padded_size(entries, self.multiple)

    def parameters(self, entries: int) -> int:
        """Returns the parameters for this many entries, those of unused rows included."""
        return self.rows(entries) * self.each

    def share(self, entries: int) -> float | None:
        """Returns the share of this many entries in the model's parameters, or None."""
        return self.parameters(entries) / self.model if self.model else None


@dataclass(frozen=True, slots=True)
class SizeRow:
    """What a vocabulary of some size costs; ``bytes_per_token`` is what it brings, if known.

    ``rows``: those of its embedding.
    """

    name: str
    entries: int
    parameters: int
    share: float | None
    bytes_per_token: float | None = None
    rows: int = 0

    def cells(self) -> list[str]:
        """Returns the texts of the columns of `COLUMNS`."""
        brings = self.bytes_per_token
        return [
            self.name,
            f"{self.entries:,}",
            f"{self.rows:,}",
            f"{self.parameters / 1e6:,.2f}",
            "–" if self.share is None else percent(self.share),
            *(f"{self.parameters * size / 1e6:,.1f}" for _, size in PRECISIONS),
            "–" if brings is None else f"{brings:.2f}",
        ]


COLUMNS = (
    ("Vocabulary", "A loaded tokenizer, or the chosen one at a smaller size"),
    ("Entries", "The size is V"),
    ("Rows", "The rows of the embedding: the entries, padded to the multiple that is chosen above"),
    (
        "Parameters (M)",
        "Parameters of the embedding in millions: V·d if it is tied, otherwise 2·V·d",
    ),
    ("Of the model", "Parameters of the embedding ÷ parameters of the model, as typed above"),
    *(
        (f"{name} (MB)", f"Parameters × {size} byte{'s' * (size > 1)}, in millions of bytes")
        for name, size in PRECISIONS
    ),
    ("Bytes/token", "Of held-out text, or else of the training text, at that size"),
)
"""The heads of the table with their meanings."""

ENTRIES, PARAMETERS, BYTES_PER_TOKEN = 1, 3, len(COLUMNS) - 1


def size_row(name: str, entries: int, embedding: Embedding) -> SizeRow:
    """Returns the row of a vocabulary."""
    return SizeRow(
        name,
        entries,
        embedding.parameters(entries),
        embedding.share(entries),
        rows=embedding.rows(entries),
    )


@dataclass(frozen=True, slots=True)
class SizeBudget:
    """A vocabulary and the number of parameters that a model's embedding may have.

    ``figures`` are those of a training, with the compression at every smaller size, or empty.
    """

    name: str
    entries: int
    embedding: Embedding
    budget: int
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def allowed(self) -> int:
        """The largest vocabulary that the budget allows: parameters ÷ d, or ÷ 2·d."""
        rows = self.budget // self.embedding.each
        return rows // self.embedding.multiple * self.embedding.multiple

    @property
    def training(self) -> list[tuple[float, float]]:
        """Bytes per token of the training text at each size."""
        figures = self.figures
        return compression_points(figures.get("bytes", 0), figures.get("token_counts", ()))

    @property
    def held_out(self) -> list[tuple[float, float]]:
        """Bytes per token of the held-out text at each size."""
        figures = self.figures
        return compression_points(
            figures.get("held_out_bytes", 0), figures.get("held_out_counts", ())
        )

    @property
    def _marks(self) -> list[ChartMark]:
        points = self.training
        inside = bool(points) and points[0][0] <= self.allowed <= points[-1][0]
        return [ChartMark(self.allowed, f"the budget: {self.allowed:,}")] if inside else []

    def compression(self) -> Chart:
        """Both curves, with a mark at the size that the budget allows."""
        curves = []
        if self.training:
            curves.append(ChartCurve("Training text", self.training))
        if self.held_out:
            curves.append(ChartCurve("Held-out text", self.held_out, 1, True))
        points = self.training or self.held_out
        begun = int(self.figures.get("transition", 0))
        second = transition_marks(begun, points[0][0], points[-1][0]) if points else []
        return Chart(SIZE_AXIS, COMPRESSION_AXIS, curves, [*self._marks, *second])

    def parameters(self) -> Chart:
        """The parameters of the embedding at each size."""
        axis = Axis("Embedding", "million parameters")
        points = [(size, self.embedding.parameters(int(size)) / 1e6) for size, _ in self.training]
        curves = [ChartCurve(self.embedding.formula, points, 2)] if points else []
        return Chart(SIZE_AXIS, axis, curves, self._marks)

    def rows(self) -> list[SizeRow]:
        """Returns a row for the vocabulary and, if it was trained here, for smaller sizes, the largest first."""
        points = self.held_out or self.training
        whole = size_row(self.name, self.entries, self.embedding)
        if not points:
            return [whole]
        chart = Chart(SIZE_AXIS, COMPRESSION_AXIS, [ChartCurve("", points)])
        first, last = int(points[0][0]), int(points[-1][0])
        sizes = {1 << power for power in range(first.bit_length(), last.bit_length())}
        sizes = {size for size in {*sizes, self.allowed} if first <= size < last}
        rows = [(self.name, self.entries, last)]
        for size in sorted(sizes, reverse=True):
            is_budget = " (the budget)" if size == self.allowed else ""
            rows.append((f"at {size:,}{is_budget}", size, size))
        return [
            replace(size_row(name, size, self.embedding), bytes_per_token=_at(chart, at))
            for name, size, at in rows
        ]

    def sentence(self) -> str:
        """A sentence on what the entries cost, what the budget allows, and what that size brings."""
        allowed, entries, embedding = self.allowed, self.entries, self.embedding
        each = (
            f"{embedding.width:,}"
            if embedding.tied
            else f"2 · {embedding.width:,} = {embedding.each:,}"
        )
        share = embedding.share(entries)
        of_model = "" if share is None else f", {percent(share)} of the model's {embedding.model:,}"
        unused = embedding.rows(entries) - entries
        padded = f" with {counted(unused, 'unused row')}" if unused else ""
        begin = (
            f"Each entry costs {each} parameters, all {entries:,} of them"
            f" {embedding.parameters(entries) / 1e6:,.1f} million{padded}{of_model}."
        )
        if share is not None and share > 1:
            begin += " That is more than the model has: is its number of parameters right?"
        points = self.held_out or self.training
        text = "held-out" if self.held_out else "training"
        if not points:
            fits = "fewer than it has" if allowed < entries else "enough for all it has"
            return f"{begin} The budget allows {allowed:,} entries, {fits}."
        if allowed < points[0][0]:
            return f"{begin} The budget allows {allowed:,} entries: fewer than the smallest size, {points[0][0]:,.0f}."
        last = points[-1][1]
        if allowed >= points[-1][0]:
            return f"{begin} The budget allows {allowed:,} entries, more than there are: {last:.2f} bytes per token of {text} text."
        chart = Chart(SIZE_AXIS, COMPRESSION_AXIS, [ChartCurve("", points)])
        height = _at(chart, allowed)
        return (
            f"{begin} The budget allows {allowed:,} entries: {height:.2f} bytes per token of {text} text, where all"
            f" {entries:,} have {last:.2f} ({last / height - 1:+.1%})."
        )


def _at(chart: Chart, place: float) -> float:
    """Returns the height of the only curve at a place between its ends."""
    points = chart.curves[0].points
    after = next(number for number, (x, _) in enumerate(points) if x >= place)
    (left, low), (right, high) = points[max(after - 1, 0)], points[after]
    return high if right == left else low + (high - low) * (place - left) / (right - left)


def parsed_budget(text: str, model: int) -> int:
    """Returns a number of parameters as `parsed_count` does, or of a share as 2% that of ``model``; 0: not known."""
    if text.strip().endswith("%") and not model:
        raise TokenariumError(
            f"“{text}” is a share of the model's parameters: type how many it has into the field Model."
        )
    return parsed_part(text, model)
