"""The animation of a vocabulary that grows: the text at sizes that stand evenly on the scale of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokenarium.models.merges.size_cuts import TokenizerCuts
from tokenarium.models.merges.size_scale import SizeScale
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.theme import Theme
from tokenarium.widgets.players.animation import Animation
from tokenarium.widgets.players.size_stage import SizeStage

STEPS = 160
"""Sizes from the smallest to the whole vocabulary."""


class SizeAnimation(Animation):
    """Takes a second stage through the sizes of ``shown``; ``number`` is the one that the page shows now."""

    def __init__(
        self,
        text: tuple[TextMap, int],
        shown: TokenizerCuts,
        curves: Sequence[TokenizerCuts],
        scale: SizeScale,
        number: int,
        like: SizeStage,
        sweep_s: float,
        theme: Theme,
    ) -> None:
        self._shown = shown
        sizes = np.append(scale.sizes(STEPS), shown.cuts.base + number)
        self._numbers = np.unique(np.clip(sizes - shown.cuts.base, 0, shown.cuts.merges)).tolist()
        stage = SizeStage(theme)
        stage.log, stage.ratio = like.log, like.ratio
        stage.view.copyLooks(like.view)
        stage.set_text(*text)
        stage.show_curves(curves)
        stage.set_shown(shown)
        self._stage = stage
        last = len(self._numbers) - 1
        step_ms = round(1000 * sweep_s / max(last, 1))
        position = self._numbers.index(number)
        super().__init__(f"{shown.name} by size", stage, last, position, step_ms, False)

    def show_step(self, step: int, share: float = 1.0) -> None:
        self._stage.show_number(self._numbers[step])

    def name_of(self, step: int) -> str:
        return f"{self._shown.cuts.base + self._numbers[step]:,} entries"
