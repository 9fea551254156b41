"""What a player shows of a run: the base of the bodies for BPE, Unigram and WordPiece."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from tokenarium.models.merges import narration
from tokenarium.models.merges.playback import Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.style.theme import MOTION_MS, Theme
from tokenarium.widgets.painting import PaintedPart
from tokenarium.widgets.players.tile_stage import Tile, TileStage


class WordTiles:
    """The tiles of the words of a run: the same ones as long as a word stays as it is.

    ``make`` makes them of a word's number and its symbols.
    """

    def __init__(self, make: Callable[[int, list[Symbol]], list[Tile]]) -> None:
        self._make = make
        self._kept: list[tuple[list[Symbol], list[Tile]]] = []

    def clear(self) -> None:
        """Forgets the tiles; those of another run follow."""
        self._kept = []

    def of(self, words: list[list[Symbol]]) -> list[list[Tile]]:
        """Returns the tiles of the words as they stand now."""
        for number, symbols in enumerate(words):
            if number == len(self._kept):
                self._kept.append((symbols, self._make(number, symbols)))
            elif self._kept[number][0] is not symbols:
                self._kept[number] = (symbols, self._make(number, symbols))
        return [tiles for _, tiles in self._kept]


class PlayerBody(QWidget):
    """Shows a run at the step that it stands at, by painted ``parts``. Bytes are those of the normalised text."""

    hovered = Signal(int, int)  # 0, 0 for none
    picked = Signal(int, int)
    piece_picked = Signal(int)  # an id

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, parts: Sequence[PaintedPart] = ()
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self._parts = parts
        self._stages = [part for part in parts if isinstance(part, TileStage)]
        self.slides = bool(self._stages)  # whether things move on the way from one step to the next
        self.run: TraceRun | None = None

    def set_run(self, run: TraceRun | None) -> None:
        """Shows another run; `show_step` follows."""
        self.run = run

    def show_step(self, slide: bool = False, duration_ms: int = MOTION_MS) -> None:
        """Shows the step that the run stands at; with ``slide`` things may move there."""
        raise NotImplementedError

    def sentence(self) -> str:
        """What happens next, in words."""
        return narration.next_step(self.run) if self.run is not None else ""

    def count(self) -> str:
        """How many symbols or tokens there are now."""
        return narration.count(self.run) if self.run is not None else ""

    def follow(self) -> None:
        """Scrolls to where something happens."""

    def light(self, start: int, end: int) -> None:
        """Marks what was made of a range of bytes; nothing where it is empty."""
        for part in self._parts:
            part.light(start, end)

    def set_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        self.theme = theme
        for part in self._parts:
            part.set_theme(theme)

    def set_motion(self, motion: bool) -> None:
        """Whether things slide; at once where a person wants no motion."""
        for stage in self._stages:
            stage.motion = motion

    def hold_motion(self, share: float) -> None:
        """Shows a slide that far on its way, and holds it there."""
        for stage in self._stages:
            stage.hold_motion(share)

    def finish_motion(self) -> None:
        """Ends a slide at once."""
        for stage in self._stages:
            stage.finish_motion()

    @property
    def controls(self) -> list[QWidget]:
        """What takes the focus, in the order of Tab."""
        return []
