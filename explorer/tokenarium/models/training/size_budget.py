"""What each size of a vocabulary costs a model and what it brings: the embedding's parameters beside compression."""

from __future__ import annotations

from dataclasses import dataclass

from tokenarium.models.charts.chart import Axis, Chart, Curve, Mark
from tokenarium.models.training.store import Trained
from tokenarium.models.training.training_queue import (
    COMPRESSION_AXIS,
    SIZE_AXIS,
    compression_points,
)
from tokenarium_core.errors import TokenariumError

MATRICES = 2
"""A model has a row of its width for each entry twice: where entries go in, and where they come out."""

_FACTORS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9}
MOST = 1e13


@dataclass(frozen=True, slots=True)
class SizeBudget:
    """A trained tokenizer beside a model of some width, whose embedding may have so many parameters."""

    trained: Trained
    width: int
    budget: int

    @property
    def allowed(self) -> int:
        """The largest vocabulary that the budget allows: the parameters over 2·d."""
        return self.budget // (MATRICES * self.width)

    @property
    def training(self) -> list[tuple[float, float]]:
        """Bytes per token of the training text at each size."""
        figures = self.trained.figures
        return compression_points(figures.get("bytes", 0), figures.get("token_counts", ()))

    @property
    def held_out(self) -> list[tuple[float, float]]:
        """The same of the held-out text."""
        figures = self.trained.figures
        return compression_points(
            figures.get("held_out_bytes", 0), figures.get("held_out_counts", ())
        )

    @property
    def _marks(self) -> list[Mark]:
        points = self.training
        inside = bool(points) and points[0][0] <= self.allowed <= points[-1][0]
        return [Mark(self.allowed, f"the budget: {self.allowed:,}")] if inside else []

    def compression(self) -> Chart:
        """Both curves, with the size that the budget allows marked."""
        curves = []
        if self.training:
            curves.append(Curve("Training text", self.training))
        if self.held_out:
            curves.append(Curve("Held-out text", self.held_out, 1, True))
        return Chart(SIZE_AXIS, COMPRESSION_AXIS, curves, self._marks)

    def parameters(self) -> Chart:
        """The parameters of the embedding, 2·V·d, at each size."""
        axis = Axis("Embedding", "million parameters")
        points = [(size, MATRICES * size * self.width / 1e6) for size, _ in self.training]
        curves = [Curve("2·V·d", points, 2)] if points else []
        return Chart(SIZE_AXIS, axis, curves, self._marks)

    def sentence(self) -> str:
        """What the budget allows, and what that size brings."""
        allowed, pieces = self.allowed, self.trained.pieces
        each = MATRICES * self.width
        begin = (
            f"Each entry costs 2 · {self.width:,} = {each:,} parameters, all {pieces:,} of them"
            f" {pieces * each / 1e6:,.1f} million."
        )
        points = self.held_out or self.training
        text = "held-out" if self.held_out else "training"
        if not points:
            return f"{begin} The budget allows {allowed:,} entries."
        if allowed < points[0][0]:
            return f"{begin} The budget allows {allowed:,} entries: fewer than the smallest size, {points[0][0]:,.0f}."
        last = points[-1][1]
        if allowed >= points[-1][0]:
            return f"{begin} The budget allows {allowed:,} entries, more than there are: {last:.2f} bytes per token of {text} text."
        chart = Chart(SIZE_AXIS, COMPRESSION_AXIS, [Curve("", points)])
        height = _at(chart, allowed)
        return (
            f"{begin} The budget allows {allowed:,} entries: {height:.2f} bytes per token of {text} text, where all"
            f" {pieces:,} have {last:.2f} ({last / height - 1:+.1%})."
        )


def _at(chart: Chart, place: float) -> float:
    """Returns the height of the only curve at a place between its ends."""
    points = chart.curves[0].points
    behind = next(number for number, (x, _) in enumerate(points) if x >= place)
    (left, low), (right, high) = points[max(behind - 1, 0)], points[behind]
    return high if right == left else low + (high - low) * (place - left) / (right - left)


def parsed_count(text: str) -> int:
    """Returns a number that was typed as 4096, 4,096, 1.5B, 120M or 64k; TokenariumError for what is none."""
    plain = text.replace(",", "").replace(" ", "").strip().lower()
    unit = plain[-1:] if plain[-1:] in ("k", "m", "b", "g") else ""
    try:
        number = float(plain.removesuffix(unit)) * _FACTORS[unit]
    except ValueError:
        raise TokenariumError(f"“{text}” is no number: type one such as 4,096 or 120M.") from None
    if not 1 <= number <= MOST:
        raise TokenariumError(f"“{text}” has to be at least 1 and at most ten trillion.")
    return int(number)
