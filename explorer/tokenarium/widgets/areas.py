"""Areas that contain other widgets: as high as their contents, a column of cards, a stack as small as its page."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QScrollBar, QSizePolicy, QStackedWidget, QWidget

from tokenarium.style.theme import GRID
from tokenarium.widgets.layouts import STRETCH, Placed, in_column

LEAST_BODY = 12 * GRID
"""The least pixels of what fills a column."""


def page_area(widget: QWidget, parent: QWidget | None = None) -> QScrollArea:
    """Returns an area without a frame, as wide as a widget in it, which scrolls only down. It takes no focus."""
    area = QScrollArea(parent)
    _scroll_down(area)
    area.setWidget(widget)
    return area


def _scroll_down(area: QScrollArea) -> None:
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


class MarginArea(QScrollArea):
    """An area as `page_area`, whose scroll bar is in the right margin of its contents: they are as wide with it as without.

    Qt's own bar, which would take room from the contents, is hidden, and has the value that counts.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        _scroll_down(self)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(widget)
        own = self.verticalScrollBar()
        self.bar = QScrollBar(Qt.Orientation.Vertical, self)
        self.bar.valueChanged.connect(own.setValue)
        own.valueChanged.connect(self.bar.setValue)
        own.rangeChanged.connect(lambda *_: self._follow())
        self._follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self.bar.sizeHint().width()
        self.bar.setGeometry(self.width() - width, 0, width, self.height())
        self._follow()

    def _follow(self) -> None:
        own = self.verticalScrollBar()
        self.bar.setPageStep(own.pageStep())
        self.bar.setSingleStep(own.singleStep())
        self.bar.setRange(own.minimum(), own.maximum())
        self.bar.setValue(own.value())
        self.bar.setVisible(own.maximum() > own.minimum())


class FitArea(QScrollArea):
    """Shows a widget on the background of panels, as high as that; ``fills``: with all the available height.

    ``clear``: on the background of its parent, such as a card with round corners.
    """

    def __init__(self, widget: QWidget, fills: bool = False, clear: bool = False) -> None:
        super().__init__()
        self._fills = fills
        self._whole = False
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        vertical = QSizePolicy.Policy.Expanding if fills else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        for area in (self.viewport(), widget):
            area.setBackgroundRole(QPalette.ColorRole.Base)
            area.setAutoFillBackground(not clear)
        self.setWidget(widget)
        if clear:
            widget.setAutoFillBackground(False)  # which the previous line turns on

    def show_whole(self, whole: bool) -> None:
        """Never scrolls, for a page that scrolls as a whole."""
        self._whole = whole
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint = self._wanted()
        return QSize(hint.width(), hint.height())

    def minimumSizeHint(self) -> QSize:
        height = self._wanted().height()
        least = (
            6 * GRID if self._fills else 12 * GRID
        )  # a widget that fills gets most of the room anyway
        return QSize(16 * GRID, height if self._whole else min(height, least))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _wanted(self) -> QSize:
        widget = self.widget()
        if widget is None:
            return QSize(16 * GRID, 12 * GRID)
        hint = widget.sizeHint()
        height = hint.height()
        if widget.hasHeightForWidth():
            height = widget.heightForWidth(self.viewport().width())
        elif hint.width() > self.viewport().width():
            height += self.horizontalScrollBar().sizeHint().height()
        return QSize(hint.width(), height)


def filled_column(*above: Placed, body: QWidget) -> FitArea:
    """Returns a column whose ``body`` gets the remaining height; if that is too low, the whole column scrolls."""
    rest, whole = _Rest(), QWidget()
    in_column((body, 1), into=rest)
    in_column(*above, (rest, 1), into=whole)
    return FitArea(whole, fills=True, clear=True)


class _Rest(QWidget):
    """Requests little height, however much it contains."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), LEAST_BODY)


class CardArea(MarginArea):
    """A column of cards as wide as the area; ``framed``: they have their own background, on that of the window.

    Each card has the margin of a page at its right.
    """

    def __init__(self, framed: bool = False) -> None:
        body = QWidget(autoFillBackground=True)
        body.setBackgroundRole(QPalette.ColorRole.Window if framed else QPalette.ColorRole.Base)
        self._rows = in_column(STRETCH, into=body)
        super().__init__(body)

    def put(self, place: int, card: QWidget) -> None:
        """Shows a card at a place of the column, or moves it there."""
        self._rows.insertWidget(place, card)

    def take_out(self, card: QWidget) -> None:
        """Removes and deletes a card."""
        self._rows.removeWidget(card)
        card.setParent(None)
        card.deleteLater()


class StillArea(QWidget):
    """Holds a widget as wide as the area, and updates its size only when `settle` is called.

    A label with a new text makes Qt lay out all its parents again, up to the window. For a number that changes
    with every step, that takes longer than the step.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._widget = widget
        widget.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def settle(self) -> None:
        """Updates its size hint."""
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return self._widget.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._widget.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._widget.resize(event.size())


class PageStack(QStackedWidget):
    """A stack as small as its current page may be; Qt's own is always as large as its largest page."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def sizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.sizeHint().expandedTo(page.minimumSize()) if page is not None else QSize()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return (
            page.minimumSizeHint().expandedTo(page.minimumSize()) if page is not None else QSize()
        )
