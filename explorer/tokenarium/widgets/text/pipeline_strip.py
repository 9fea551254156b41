"""A line with the stages of some characters, each as a small box."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from tokenarium.models.text.pipeline import PipelineStage
from tokenarium.models.text.qt_text import as_tip, into_qt
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, ui_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import fair_share
from tokenarium.widgets.painting import PaintedPart
from tokenarium.widgets.panel import MARGIN

HEIGHT = 4 * GRID
ARROW = 2 * GRID
INSET = 0.75 * GRID
SHORT = "="
"""Short for "unchanged", if the other stages need the room."""


class PipelineStrip(PaintedPart):
    """Shows stages from left to right, or a hint; long texts are elided in the middle."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Stages")
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._stages: Sequence[PipelineStage] = ()
        self._hint = ""
        self._short = False
        self._name_font, self._font = ui_font(SMALL_SIZE), ui_font(TEXT_SIZE)

    @property
    def stages(self) -> Sequence[PipelineStage]:
        """The current stages."""
        return self._stages

    @property
    def hint(self) -> str:
        """The text without stages."""
        return self._hint

    def show_stages(self, stages: Sequence[PipelineStage], hint: str = "") -> None:
        """Shows new stages, or the hint if there are none."""
        if (stages, hint) == (self._stages, self._hint):
            return
        self._stages, self._hint = stages, hint
        spoken = [f"{stage.name}: {stage.content}" for stage in stages]
        self.setAccessibleDescription("; ".join(spoken) or hint)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40 * GRID, HEIGHT)

    def boxes(self) -> list[QRectF]:
        """The rectangle of each stage: as wide as it needs, or less if there is too little room."""
        names, texts = QFontMetricsF(self._name_font), QFontMetricsF(self._font)
        heads = [names.horizontalAdvance(stage.name) + 3 * INSET for stage in self._stages]
        bodies = [texts.horizontalAdvance(into_qt(s.content)) + 1 for s in self._stages]
        shared = [b for b, stage in zip(bodies, self._stages, strict=True) if not stage.unchanged]
        room = self.width() - 2 * MARGIN - sum(heads) - ARROW * max(len(self._stages) - 1, 0)
        self._short = sum(bodies) > room
        if self._short:
            bodies = [texts.horizontalAdvance(into_qt(self._text(s))) + 1 for s in self._stages]
            shared = [b for b, s in zip(bodies, self._stages, strict=True) if not s.unchanged]
        limit = fair_share(shared, max(room - sum(bodies) + sum(shared), 0.0))
        boxes = []
        x = float(MARGIN)
        for stage, head, body in zip(self._stages, heads, bodies, strict=True):
            width = head + (body if stage.unchanged else min(body, limit))
            boxes.append(QRectF(x, 0.5 * GRID, width, HEIGHT - GRID))
            x += width + ARROW
        return boxes

    def _text(self, stage: PipelineStage) -> str:
        """The text of a stage, shortened if the stages have too little room."""
        if not self._short:
            return stage.content
        return SHORT if stage.unchanged else stage.brief or stage.content

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        theme = self.theme
        if not self._stages:
            painter.setPen(theme.dim)
            painter.setFont(self._font)
            rect = QRectF(self.rect()).adjusted(MARGIN, 0, -MARGIN, 0)
            shown = QFontMetricsF(self._font).elidedText(
                self._hint, Qt.TextElideMode.ElideRight, rect.width()
            )
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, shown)
        boxes = self.boxes()
        for stage, box in zip(self._stages, boxes, strict=True):
            self._paint(painter, stage, box)
        painter.setPen(QPen(theme.dim, 1.2))
        for box in boxes[1:]:
            x, y = box.left() - ARROW / 2, box.center().y()
            painter.drawPolyline([QPointF(x - 2, y - 4), QPointF(x + 2, y), QPointF(x - 2, y + 4)])

    def _paint(self, painter: QPainter, stage: PipelineStage, box: QRectF) -> None:
        theme = self.theme
        painter.setPen(QPen(theme.line, 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush if stage.unchanged else theme.surface)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        inner = box.adjusted(INSET, 0, -INSET, 0)
        painter.setPen(theme.dim)
        painter.setFont(self._name_font)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inner, middle, stage.name)
        inner.setLeft(
            inner.left() + QFontMetricsF(self._name_font).horizontalAdvance(stage.name) + INSET
        )
        metrics = QFontMetricsF(self._font)
        shown = metrics.elidedText(
            into_qt(self._text(stage)), Qt.TextElideMode.ElideMiddle, inner.width() + 1
        )
        painter.setPen(theme.dim if stage.unchanged else theme.ink)
        painter.setFont(self._font)
        painter.drawText(inner.adjusted(0, 0, 2, 0), middle | Qt.AlignmentFlag.AlignLeft, shown)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), as_tip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def tip_at(self, point: QPointF) -> str:
        """Returns a description of a stage, and its effect on these characters."""
        hits = (s for s, box in zip(self._stages, self.boxes(), strict=True) if box.contains(point))
        stage = next(hits, None)
        if stage is None:
            return self._hint
        known = explanation(stage.term) if stage.term else ""
        parts = (f"{stage.name}: {stage.content}", stage.about, known)
        return "\n".join(part for part in parts if part)
