"""Shows widgets enlarged, for an audience far from the screen."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent, QTransform
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGraphicsScene,
    QGraphicsView,
    QSizePolicy,
    QWidget,
)

from tokenarium.style.fonts import RAIL_SIZE
from tokenarium.style.icons import icons_in
from tokenarium.style.theme import Theme

LEAST_TEXT = 20
HIGH = 720
"""The least size of text, in pixels of a screen of this height; in proportion on other screens."""

SHAPE = 4 / 3
"""Narrower screens show less height, not less width."""


def stage_scale(size: QSizeF) -> float:
    """Returns the scale of widgets on a screen of a size.

    >>> round(RAIL_SIZE * stage_scale(QSizeF(1280, 720)), 3)
    20.0
    """
    return LEAST_TEXT / RAIL_SIZE * min(size.height() / HIGH, size.width() / (HIGH * SHAPE))


class StageSheet(QGraphicsView):
    """Fills itself with a widget that is drawn larger, so that its smallest text can be read from the back row.

    The widget is drawn by its own painters, not as a picture, so letters stay sharp; other windows stay as they are.
    """

    def __init__(self, theme: Theme) -> None:
        self._palette = theme.palette()
        super().__init__()
        self._holder = (
            QWidget()
        )  # which, unlike a widget with a layout, can be smaller than its size hint
        self._content: QWidget | None = None
        scene = QGraphicsScene(self)
        scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        scene.setBackgroundBrush(theme.surface)
        scene.setPalette(self._palette)
        scene.addWidget(self._holder)
        self.setScene(scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)

    @property
    def scale_now(self) -> float:
        """The scale of the widget."""
        return stage_scale(QSizeF(self.size()))

    def put(self, content: QWidget) -> None:
        """Shows a widget."""
        content.setParent(self._holder)
        content.setPalette(
            self._palette
        )  # a widget that gets a parent later does not take its palette
        self._content = content
        self._fit()
        content.show()

    def _fit(self) -> None:
        scale = self.scale_now
        size = (QSizeF(self.size()) / scale).toSize()
        self.setTransform(QTransform.fromScale(scale, scale))
        self.setSceneRect(0, 0, size.width(), size.height())
        self._holder.resize(size)
        if self._content is not None:
            self._content.setGeometry(self._holder.rect())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        with icons_in(self._palette):
            super().paintEvent(event)

    def picture(self, room: QSize, ratio: float) -> QPixmap:
        """Returns a picture of the sheet, as large as fits ``room``; ``ratio``: device pixels per pixel."""
        shown = self.size().scaled(room * ratio, Qt.AspectRatioMode.KeepAspectRatio)
        made = QPixmap(shown.expandedTo(QSize(1, 1)))
        painter = QPainter(made)
        painter.setRenderHints(self.renderHints() | QPainter.RenderHint.SmoothPixmapTransform)
        with icons_in(self._palette):
            self.render(painter, QRectF(made.rect()), self.viewport().rect())
        painter.end()
        made.setDevicePixelRatio(ratio)
        return made

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Gives a key to the field that has the focus, if any; never scrolls."""
        event.ignore()
        if self.scene().focusItem() is not None:
            QApplication.sendEvent(self.scene(), event)
