"""Lanes under each other, which share the height, or scroll where it is too low for all."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QSplitter


class LaneStack(QScrollArea):
    """Scrolls a splitter with the lanes; wide enough for each of them, and high enough for one."""

    def __init__(self) -> None:
        super().__init__()
        self.lanes = QSplitter(Qt.Orientation.Vertical)
        self.lanes.setChildrenCollapsible(False)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self.lanes)

    def minimumSizeHint(self) -> QSize:
        lanes = [self.lanes.widget(place) for place in range(self.lanes.count())]
        heights = [lane.minimumSizeHint().height() for lane in lanes if lane is not None]
        bar = self.verticalScrollBar().sizeHint().width() if len(heights) > 1 else 0
        return QSize(self.lanes.minimumSizeHint().width() + bar, max(heights, default=0))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done
