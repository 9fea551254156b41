"""The library at the left: the tokenizers, which of them are on, and how to get others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QTreeView,
    QWidget,
)

from tokenarium.models.tokenizers.library import (
    LibraryGroup,
    LibraryItem,
    LibraryModel,
    State,
    status,
)
from tokenarium.style.fonts import SMALL_SIZE, number_font, ui_font
from tokenarium.style.shapes import paint_marker
from tokenarium.style.theme import CONTROL_RADIUS, GRID, Identity
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import MARGIN, Panel, named, tool_button
from tokenarium.widgets.text.text_field import local_files

Index = QModelIndex | QPersistentModelIndex
ROW = 46
HEAD = 32
HINT_ROW = 72
CHECK = 28
MARKER = 15
BUTTON = 76
"""Pixels that the button of a row takes at the right of its first line."""
WAITING = (State.MISSING, State.FETCHING, State.FAILED)
"""States in which a row has a button."""


HINTS = {
    LibraryGroup.FILES: "Drop a tokenizer file here, or press Ctrl+Shift+O.",
    LibraryGroup.TRAINED: "What you train is here: press Ctrl+8.",
}
"""The hint in an empty group."""


class LibraryPanel(Panel):
    """The tree of tokenizers. It emits requests; the window handles them."""

    get_requested = Signal(str)
    cancel_requested = Signal(str)
    current_changed = Signal(str)  # key, empty for a group
    files_dropped = Signal(list)  # of Path

    def __init__(
        self,
        model: LibraryModel,
        identity: Callable[[int], Identity],
        parent: QWidget | None = None,
    ) -> None:
        self.tree = LibraryTree(model, identity)
        body = QWidget()
        in_column((self.tree, 1), into=body, margins=(0, GRID // 2, 0, 0))
        super().__init__("Library", body, parent)
        self._model = model
        self.tree.files_dropped.connect(self.files_dropped)
        self.tree.activated.connect(self._activate)
        self.tree.selectionModel().currentChanged.connect(self._tell_current)
        model.rowsInserted.connect(self._place_buttons)
        model.rowsMoved.connect(self._place_buttons)
        model.rowsInserted.connect(self.tree.scheduleDelayedItemsLayout)
        model.rowsRemoved.connect(self.tree.scheduleDelayedItemsLayout)
        model.dataChanged.connect(self._place_buttons)
        self._place_buttons()

    def set_actions(self, head: list[tuple[QAction, str]], menu: Sequence[QAction | None]) -> None:
        """Adds buttons to the head line and a menu to the rows; None is a separator."""
        for action, text in head:
            self.add_right(tool_button(action, text))

        def open_menu(position: QPoint) -> None:
            index = self.tree.indexAt(position)
            if self._model.item_at(index) is None:
                return
            self.tree.setCurrentIndex(index)
            popup = QMenu(self.tree)
            for action in menu:
                popup.addAction(action) if action is not None else popup.addSeparator()
            popup.popup(self.tree.viewport().mapToGlobal(position))

        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(open_menu)

    @property
    def current(self) -> LibraryItem | None:
        """The tokenizer of the row that is selected."""
        return self._model.item_at(self.tree.currentIndex())

    def set_current(self, item: LibraryItem) -> None:
        """Selects the row of a tokenizer."""
        index = self._model.index_of(item)
        self.tree.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )

    def _activate(self, index: Index) -> None:
        item = self._model.item_at(index)
        if item is None:
            return
        if item.state in (State.MISSING, State.FAILED):
            self.get_requested.emit(item.key)
        elif item.state is not State.FETCHING:
            self._model.check_requested.emit(item.key, not item.on)

    def _tell_current(self) -> None:
        item = self.current
        self.current_changed.emit(item.key if item is not None else "")

    def _place_buttons(self) -> None:
        """Adds buttons to rows that need one, and removes the others."""
        for item in self._model:
            index = self._model.index_of(item)
            holder = self.tree.indexWidget(index)
            name = _BUTTONS.get(item.state, "")
            if (holder.accessibleName() if holder is not None else "") == name:
                continue
            button = self._button(item, name) if name else None
            # None removes the old one; the stubs do not know that.
            self.tree.setIndexWidget(index, button)  # type: ignore[arg-type]
            self.tree.scheduleDelayedItemsLayout()

    def _button(self, item: LibraryItem, text: str) -> QWidget:
        holder = named(QWidget(), text)
        button = named(QToolButton(holder), f"{text}: {item.display_name}")
        button.setText(text)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Enter on the row does the same
        signal = self.cancel_requested if item.state is State.FETCHING else self.get_requested
        button.clicked.connect(lambda: signal.emit(item.key))
        in_row(
            STRETCH,
            button,
            into=holder,
            spacing=-1,
            margins=(0, 0, 2 * GRID, 0),
        )
        return holder


_LEFT, _RIGHT, _MIDDLE = (
    Qt.AlignmentFlag.AlignLeft,
    Qt.AlignmentFlag.AlignRight,
    Qt.AlignmentFlag.AlignVCenter,
)
_BOLD = QFont.Weight.DemiBold
_BUTTONS = {State.MISSING: "Get it", State.FETCHING: "Stop", State.FAILED: "Try again"}


class LibraryTree(QTreeView):
    """The tree itself: groups stay open, and rows can be dragged within their group."""

    files_dropped = Signal(list)  # of Path

    def __init__(self, model: LibraryModel, identity: Callable[[int], Identity]) -> None:
        super().__init__()
        self.setAccessibleName("Tokenizer library")
        self.setModel(model)
        self.setHeaderHidden(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setExpandsOnDoubleClick(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_RowDelegate(identity, self))
        self.expandAll()

    def focusInEvent(self, event: QFocusEvent) -> None:
        fresh = not self.currentIndex().isValid()
        super().focusInEvent(event)
        # By keyboard the focus is on a row, not on the heading as in Qt; passing by does not change the current
        # tokenizer.
        keys = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if fresh and event.reason() in keys:
            with QSignalBlocker(self.selectionModel()):
                self.setCurrentIndex(self.model().index(0, 0, self.model().index(0, 0)))
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Qt activates on Enter only where editing is possible.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.activated.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragEnterEvent) -> None:  # type: ignore[override]
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        paths = local_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
        else:
            super().dropEvent(event)


class _RowDelegate(QStyledItemDelegate):
    """Paints a row: the marker, the name of the model and that of the encoding below it, the size of the vocabulary."""

    def __init__(self, identity: Callable[[int], Identity], parent: QWidget) -> None:
        super().__init__(parent)
        self._identity = identity

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if _item(index) is not None:
            return QSize(0, ROW)
        return QSize(0, HEAD if index.model().rowCount(index) else HINT_ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect: QRect = option.rect
        palette: QPalette = option.palette
        item = _item(index)
        painter.save()
        if item is None:
            hint = (
                ""
                if index.model().rowCount(index)
                else HINTS.get(list(LibraryGroup)[index.row()], "")
            )
            _paint_group(painter, rect, palette, str(index.data()), hint)
        else:
            self._paint_item(painter, option, rect, palette, item)
        painter.restore()

    def _paint_item(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        rect: QRect,
        palette: QPalette,
        item: LibraryItem,
    ) -> None:
        roles = QPalette.ColorRole
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        inside = QRectF(rect).adjusted(GRID, 1, -GRID, -1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color(roles.Light if selected else roles.Midlight))
            painter.drawRoundedRect(inside, CONTROL_RADIUS, CONTROL_RADIUS)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(palette.color(roles.Accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inside, CONTROL_RADIUS, CONTROL_RADIUS)
        waiting = item.state in WAITING
        _paint_switch(painter, check_rect(rect), palette, self._identity(item.identity), item)
        left = check_rect(rect).right() + GRID
        right = rect.right() - 2 * GRID - (BUTTON if waiting else 0)
        note = status(item)
        line = QRect(left, rect.top() + 6, right - left, 18)
        if note and not waiting:
            painter.setFont(number_font(SMALL_SIZE))
            painter.setPen(palette.color(roles.PlaceholderText))
            painter.drawText(line, int(_RIGHT | _MIDDLE), note)
            line.setRight(right - painter.fontMetrics().horizontalAdvance(note) - GRID)
        second = QRect(left, rect.top() + 24, right - left, 16)
        about = note if waiting and item.state is not State.MISSING else item.encoding_name
        painter.setFont(ui_font(SMALL_SIZE))
        painter.setPen(palette.color(roles.PlaceholderText))
        about = painter.fontMetrics().elidedText(
            about, Qt.TextElideMode.ElideMiddle, second.width()
        )
        painter.drawText(second, int(_LEFT | _MIDDLE), about)
        if item.state is State.FETCHING and item.total:
            bar = QRect(left, rect.bottom() - 4, second.width(), 3)
            painter.fillRect(bar, palette.color(roles.Mid))
            bar.setWidth(bar.width() * item.received // item.total)
            painter.fillRect(bar, palette.color(roles.Accent))
        painter.setFont(ui_font(weight=_BOLD if item.on else QFont.Weight.Normal))
        painter.setPen(palette.color(roles.Text if item.on else roles.PlaceholderText))
        if not about:
            line.moveTop(rect.top() + (rect.height() - line.height()) // 2)
        name = item.model_name if item.encoding_name else item.name
        name = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, int(_LEFT | _MIDDLE), name)

    def editorEvent(
        self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        item = _item(index)
        if item is None or item.state in WAITING:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            near = check_rect(option.rect).adjusted(-GRID, -GRID, GRID, GRID)
            return near.contains(event.position().toPoint()) and _tick(index, item)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.key() == Qt.Key.Key_Space and _tick(index, item)
        return False


def check_rect(row: QRect) -> QRect:
    """Returns the rectangle in a row whose click shows or hides its tokenizer."""
    return QRect(row.left() + MARGIN, row.center().y() + 1 - CHECK // 2, CHECK, CHECK)


def _paint_switch(
    painter: QPainter, rect: QRect, palette: QPalette, identity: Identity, item: LibraryItem
) -> None:
    """Paints the marker: on a tile where its tokenizer is on, pale where it is off, hollow where it is not at hand."""
    painter.save()
    if item.on:
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Dark), 1))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        tile = QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(tile, CONTROL_RADIUS, CONTROL_RADIUS)
    elif item.state in WAITING:
        identity = replace(identity, hollow=True)
    else:
        painter.setOpacity(0.55)
    size = (CHECK - MARKER) / 2
    paint_marker(painter, QRectF(rect).adjusted(size, size, -size, -size), identity)
    painter.restore()


def _tick(index: Index, item: LibraryItem) -> bool:
    model = index.model()
    assert isinstance(model, LibraryModel)
    model.check_requested.emit(item.key, not item.on)
    return True


def _item(index: Index) -> LibraryItem | None:
    model = index.model()
    return model.item_at(index) if isinstance(model, LibraryModel) else None


def _paint_group(
    painter: QPainter, rect: QRect, palette: QPalette, name: str, hint: str = ""
) -> None:
    painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
    painter.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
    left = Qt.AlignmentFlag.AlignLeft
    line = QRect(rect.left() + MARGIN, rect.top(), rect.width() - MARGIN - GRID, HEAD)
    painter.drawText(line, left | Qt.AlignmentFlag.AlignVCenter, name)
    if hint:
        painter.setFont(ui_font(SMALL_SIZE))
        below = QRect(line.left(), line.bottom(), line.width(), rect.height() - HEAD)
        painter.drawText(below, int(left) | int(Qt.TextFlag.TextWordWrap), hint)
