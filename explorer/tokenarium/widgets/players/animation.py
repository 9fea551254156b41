"""Animations for an export: a separate widget goes from step to step, so that the page does not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QIODevice, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from tokenarium.models.merges.size_cuts import TokenizerCuts
from tokenarium.models.merges.size_scale import SizeScale
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.theme import Identity, Theme
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.players.player_lane import PlayerLane
from tokenarium.widgets.players.size_stage import SizeStage
from tokenarium.widgets.players.transport import STEP_MS

MOST_SHRUNK = 2.5
"""The least scale of a picture of the widget: below it, letters are too small to read."""

SETTLING = 3
"""How often pending events are processed before a picture."""


class Animation:
    """Base of the animations. A page makes an animation on demand, with the steps of its player.

    ``title`` is used in the file name too. The steps are 0 to ``length``; the page shows ``position`` now. Each step is
    shown for ``step_ms``. ``slides``: things move between two steps. ``widget`` shows the step of the last `show_step`.
    Call `close` at the end.
    """

    def __init__(
        self, title: str, widget: QWidget, length: int, position: int, step_ms: int, slides: bool
    ) -> None:
        self.title = title
        self.widget = widget
        self.length = length
        self.position = position
        self.step_ms = step_ms
        self.slides = slides
        self._asked = QSize()
        self._shrunk = 1.0  # the scale of the widget relative to its pictures
        widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        widget.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)

    def show_step(self, step: int, share: float = 1.0) -> None:
        """Shows a step; with a share below 1, a moment of the transition to it."""
        raise NotImplementedError

    def name_of(self, step: int) -> str:
        """Returns a few words on a step, or "" if its number says enough."""
        return ""

    def set_up(self, theme: Theme, size: QSize) -> None:
        """Gives the widget its colours and its size, in pixels of the window.

        If it needs more room, it is larger in the same shape, and its pictures are scaled down.
        """
        palette = theme.palette()
        self.widget.setPalette(palette)
        least = self.least_size().expandedTo(size)
        share = max(least.width() / size.width(), least.height() / size.height())
        self._shrunk = min(share, MOST_SHRUNK)
        self._asked = size
        self.widget.setFixedSize(size * self._shrunk)
        for area in self.widget.findChildren(QAbstractScrollArea):
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.widget.show()

    def least_size(self) -> QSize:
        """The size in which everything is visible; smaller widgets scroll by default."""
        return QSize(0, 0)

    def picture(self, scale: float) -> QImage:
        """Returns a picture of the widget, at ``scale`` times the requested size in pixels."""
        self.make_ready()
        image = QImage(_rounded(self._asked, scale), QImage.Format.Format_RGB888)
        image.setDevicePixelRatio(scale / self._shrunk)
        image.fill(self.widget.palette().window().color())
        self.widget.render(image)
        return image

    def make_ready(self) -> None:
        """Completes all movements of the current step."""
        self._settle()
        self.scroll()
        self._settle()

    def scroll(self) -> None:
        """Scrolls to where something happens."""

    def _settle(self) -> None:
        """Processes only the layout events of the widget; scroll areas need several turns."""
        widgets = [self.widget, *self.widget.findChildren(QWidget)]
        for _ in range(SETTLING):
            for widget in widgets:
                QCoreApplication.sendPostedEvents(widget, 0)

    def close(self) -> None:
        """Deletes the widget."""
        self.widget.hide()
        self.widget.deleteLater()


def _rounded(size: QSize, scale: float) -> QSize:
    return QSize(round(size.width() * scale), round(size.height() * scale))


def png(image: QImage) -> bytes:
    """Returns a picture as the bytes of a PNG file."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # its stub asks for bytes, which Qt refuses
    return bytes(content.data())


class PlayerAnimation(Animation):
    """Copies of some lanes without controls, each with its colour, in step."""

    def __init__(self, marked: Sequence[tuple[PlayerLane, Identity]]) -> None:
        lanes = [lane for lane, _ in marked]
        widget = QWidget()
        rows = in_column(into=widget)
        self.lanes = [lane.twin(identity) for lane, identity in marked]
        for lane in self.lanes:
            rows.addWidget(lane, 1)
        super().__init__(
            " and ".join(lane.name for lane in lanes),
            widget,
            max((lane.player.length for lane in lanes), default=0),
            max((lane.player.position for lane in lanes), default=0),
            round(STEP_MS / lanes[0].transport.speed_factor) if lanes else STEP_MS,
            any(lane.body.slides for lane in lanes),
        )

    def least_size(self) -> QSize:
        sizes = [lane.whole_size() for lane in self.lanes]
        width = max((size.width() for size in sizes), default=0)
        return QSize(width, sum(size.height() for size in sizes))

    def show_step(self, step: int, share: float = 1.0) -> None:
        for lane in self.lanes:
            lane.show_on_the_way(
                min(step, lane.player.length), share if step <= lane.player.length else 1.0
            )

    def scroll(self) -> None:
        for lane in self.lanes:
            for area in lane.body.findChildren(QAbstractScrollArea):
                area.horizontalScrollBar().setValue(0)
                area.verticalScrollBar().setValue(0)
            lane.body.follow()


STEPS = 160
"""The most sizes of an animation, from the smallest to the whole vocabulary."""


class SizeAnimation(Animation):
    """Goes through the sizes of ``shown`` on a second stage; ``number`` is the page's current one."""

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
        stage = SizeStage()
        stage.setPalette(theme.palette())
        stage.log, stage.ratio = like.log, like.ratio
        stage.view.copy_display(like.view)
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
