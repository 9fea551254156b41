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
    QDragLeaveEvent,
    QDropEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QLabel,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QToolTip,
    QTreeView,
    QWidget,
)

from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.library import (
    LibraryItem,
    LibraryModel,
    State,
    can_be_put_back,
    megabytes,
    status,
)
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, number_font, ui_font
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.shapes import paint_badge, paint_marker
from tokenarium.style.theme import (
    CONTROL_RADIUS,
    GRID,
    SMALL_CONTROL_HEIGHT,
    Identity,
)
from tokenarium.widgets.drops import accept_copy, local_files
from tokenarium.widgets.keyboard import focused_by_keyboard, paint_keyboard_ring
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import FlatButton, named

Index = QModelIndex | QPersistentModelIndex

HEAD = 64
"""Pixels of the header, as high as the top bar next to it."""

HEADING, ROW = 36, 48
"""Pixels of the name of a group, and of a row."""

EDGE, MARKER, NAME = 8, 16, 46
"""Pixels: the room next to a row's background, the size of a marker, the left end of a name."""

WAITING = (State.MISSING, State.FETCHING, State.FAILED)
"""States in which a row has a button."""


class LibraryPanel(QWidget):
    """The tree of tokenizers. It emits requests; the window handles them."""

    get_requested = Signal(str)
    cancel_requested = Signal(str)
    put_back_requested = Signal(str)
    current_changed = Signal(str)  # key, empty for a group
    front_requested = Signal(str)  # key of a tokenizer to show in front of the others
    files_dropped = Signal(list)  # of Path
    choice_toggled = Signal(str)  # key of a tokenizer to add to the choice, or to remove
    choice_ended = Signal()

    def __init__(
        self,
        model: LibraryModel,
        identity: Callable[[int], Identity],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Library")
        self.setAcceptDrops(True)
        self.floats = False
        """Whether the library is in a floating card, which has its own background."""
        self._model = model
        self.tree = LibraryTree(model, identity)
        self.title = QLabel("Library")
        self.title.setFont(ui_font(16, QFont.Weight.DemiBold))
        self.controls: list[QWidget] = []
        self._head = in_row(self.title, STRETCH, spacing=2, margins=(16, 0, 10, 0))
        top = QWidget()
        top.setFixedHeight(HEAD)
        top.setLayout(self._head)
        self.drop = DropArea()
        below = in_row(self.drop, margins=(12, GRID, 12, 12))
        in_column(top, (self.tree, 1), below, into=self, margins=(0, 0, 1, 0))
        self.tree.files_dropped.connect(self.files_dropped)
        self.tree.entered_row.connect(self._activate)
        self.tree.choice_toggled.connect(self.choice_toggled)
        self.tree.choice_ended.connect(self.choice_ended)
        self.tree.clicked.connect(self._take_click)
        self.tree.selectionModel().currentChanged.connect(self._tell_current)
        for signal in (model.rowsInserted, model.rowsMoved):
            signal.connect(self._place_buttons)
        model.dataChanged.connect(self._place_button_of)
        for signal in (model.rowsInserted, model.rowsRemoved, model.rowsMoved):
            signal.connect(self.tree.hide_empty_groups)
        self._place_buttons()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.floats:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.palette().base())
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self.palette().mid())
        painter.end()

    def set_actions(
        self, head: Sequence[QAction], menu: Sequence[QAction | None], opens: QAction
    ) -> None:
        """Adds buttons to the header and a menu to the rows, where None is a separator.

        The footer triggers ``opens``.
        """
        for action in head:
            button = named(FlatButton(), action.text().replace("&", ""))
            if action.isCheckable():  # it is on wherever the button is visible
                button.setIcon(action.icon())
                button.setToolTip(action.toolTip())
                button.clicked.connect(action.trigger)
            else:
                button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setFixedSize(32, 32)
            self._head.addWidget(button)
            self.controls.append(button)
        self.drop.clicked.connect(opens.trigger)
        self.drop.setToolTip(opens.toolTip())

        self._menu = menu

        def open_menu(position: QPoint) -> None:
            item = self._model.item_at(self.tree.indexAt(position))
            if item is not None:
                self.open_menu(item, self.tree.viewport().mapToGlobal(position))

        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(open_menu)

    def open_menu(self, item: LibraryItem, point: QPoint) -> None:
        """Selects the row of a tokenizer, and opens its menu at a point of the screen."""
        self.set_current(item)
        popup = QMenu(self.tree)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action in self._menu:
            popup.addAction(action) if action is not None else popup.addSeparator()
        popup.popup(point)

    def show_choice(self, keys: Sequence[str]) -> None:
        """Marks the tokenizers that are chosen for a set."""
        self.tree.show_choice(keys)
        self.title.setText(f"{len(keys):,} chosen" if keys else "Library")

    def show_front(self, key: str) -> None:
        """Marks the tokenizer in front; none for ""."""
        self.tree.show_front(key)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            accept_copy(event)
            self.drop.set_over(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop.set_over(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop.set_over(False)
        accept_copy(event)
        self.files_dropped.emit(local_files(event.mimeData()))

    @property
    def current(self) -> LibraryItem | None:
        """The tokenizer of the selected row."""
        return self._model.item_at(self.tree.currentIndex())

    def set_current(self, item: LibraryItem) -> None:
        """Selects the row of a tokenizer."""
        index = self._model.index_of(item)
        self.tree.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )

    def scroll_to(self, item: LibraryItem) -> None:
        """Scrolls to the row of a tokenizer, such as one that was added at the end, if there is one."""
        if self._model.item(item.key) is not item:
            return
        index = self._model.index_of(item)
        if not self.tree.viewport().rect().contains(self.tree.visualRect(index)):
            self.tree.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _activate(self, index: Index) -> None:
        """Turns a tokenizer on or off, or gets it."""
        item = self._model.item_at(index)
        if item is None:
            return
        if can_be_put_back(item):
            self.put_back_requested.emit(item.key)
        elif item.state in (State.MISSING, State.FAILED):
            self.get_requested.emit(item.key)
        elif item.state is not State.FETCHING:
            self._model.check_requested.emit(item.key, not item.on)

    def _take_click(self, index: Index) -> None:
        """Puts the tokenizer of a row in front, and turns it on if it was off."""
        item = self._model.item_at(index)
        if item is None or item.state in WAITING or self.tree.on_marker:
            return
        if not item.on:
            self._model.check_requested.emit(item.key, True)
        self.front_requested.emit(item.key)

    def _tell_current(self) -> None:
        if self.tree.on_marker:
            return
        item = self.current
        self.current_changed.emit(item.key if item is not None else "")

    def _place_buttons(self) -> None:
        """Adds buttons to rows that need one, and removes the others."""
        for item in self._model:
            self._place_button(item)

    def _place_button_of(self, first: Index, last: Index) -> None:
        item = self._model.item_at(first)
        if item is not None and first == last:
            self._place_button(item)
        else:
            self._place_buttons()

    def _place_button(self, item: LibraryItem) -> None:
        index = self._model.index_of(item)
        holder = self.tree.indexWidget(index)
        name = _button_name(item)
        if (holder.accessibleName() if holder is not None else "") == name:
            return
        button = self._button(item, name) if name else None
        # None removes the old one; the stubs do not know that.
        self.tree.setIndexWidget(index, button)  # type: ignore[arg-type]
        self.tree.scheduleDelayedItemsLayout()

    def _button(self, item: LibraryItem, name: str) -> QWidget:
        text, glyph = _BUTTONS[item.state]
        signal = self.cancel_requested if item.state is State.FETCHING else self.get_requested
        if can_be_put_back(item):
            text, signal = "Put back", self.put_back_requested
        if item.state is State.MISSING and item.total:
            text = megabytes(item.total)
        holder = named(QWidget(), name)
        button = named(QToolButton(holder), name)
        button.setText(text)
        button.setToolTip(name)
        button.setIcon(icon(glyph))
        button.setIconSize(QSize(16, 16))
        button.setFont(ui_font(SMALL_SIZE, QFont.Weight.DemiBold))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFixedHeight(SMALL_CONTROL_HEIGHT)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Enter on the row does the same
        button.clicked.connect(lambda: signal.emit(item.key))
        in_row(STRETCH, button, into=holder, margins=(0, 0, 12, 0))
        holder.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        return holder


_BUTTONS = {
    State.MISSING: ("Get", "download-simple"),
    State.FETCHING: ("Stop", "x"),
    State.FAILED: ("Try again", "arrow-counter-clockwise"),
}
"""The short texts and the icons of the buttons of rows."""


def _button_name(item: LibraryItem) -> str:
    if item.state is State.MISSING:
        return f"Get {item.name}"
    if item.state is State.FETCHING:
        return f"Stop getting {item.name}"
    if can_be_put_back(item):
        return f"Put the registered files of {item.name} back"
    return f"Try {item.name} again" if item.state is State.FAILED else ""


class DropArea(QAbstractButton):
    """The area for dropping files, at the foot of the library; a click asks for a file."""

    def __init__(self) -> None:
        super().__init__()
        self.setText("Drop a tokenizer file here")
        self.setAccessibleName("Open a tokenizer file")
        self.setFixedHeight(44)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the button in the header does the same
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._over = False

    def set_over(self, over: bool) -> None:
        """Shows whether a file is held over the library."""
        self._over = over
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, roles = self.palette(), QPalette.ColorRole
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = palette.color(roles.Accent if self._over else roles.Dark)
        painter.setPen(QPen(colour, 1.5 if self._over else 1, Qt.PenStyle.DashLine))
        under = palette.light() if self._over else palette.midlight()
        painter.setBrush(under if self._over or self.underMouse() else Qt.BrushStyle.NoBrush)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(frame, CONTROL_RADIUS, CONTROL_RADIUS)
        text = palette.color(roles.Accent if self._over else roles.PlaceholderText)
        painter.setFont(ui_font(TEXT_SIZE))
        width = painter.fontMetrics().horizontalAdvance(self.text())
        left = (self.width() - width - 26) / 2
        paint_icon(painter, QRectF(left, self.height() / 2 - 9, 18, 18), "tray", text)
        painter.setPen(text)
        place = QRectF(left + 26, 0, width + 4, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()
        paint_keyboard_ring(self, self.rect())


class LibraryTree(QTreeView):
    """The tree itself: groups stay open, and rows can be dragged within their group."""

    files_dropped = Signal(list)  # of Path
    entered_row = Signal(QModelIndex)  # by Enter
    choice_toggled = Signal(str)  # key of a tokenizer that was clicked with Ctrl
    choice_ended = Signal()  # by a click without Ctrl, or Escape

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
        self._delegate = _RowDelegate(identity, self)
        self.setItemDelegate(self._delegate)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.expandAll()
        self.on_marker = False
        """Whether the mouse was last pressed on a marker."""
        self._chooses = False  # whether the mouse is pressed with Ctrl
        self.hide_empty_groups()

    def hide_empty_groups(self) -> None:
        """Shows the names of the groups that have tokenizers."""
        model = self.model()
        for row in range(model.rowCount()):
            self.setRowHidden(row, QModelIndex(), not model.rowCount(model.index(row, 0)))
        self.scheduleDelayedItemsLayout()

    def show_front(self, key: str) -> None:
        """Marks the tokenizer in front."""
        if key != self._delegate.front:
            self._delegate.front = key
            self.viewport().update()

    def show_choice(self, keys: Sequence[str]) -> None:
        """Marks the tokenizers that are chosen for a set."""
        if tuple(keys) != self._delegate.chosen:
            self._delegate.chosen = tuple(keys)
            self.setAccessibleDescription(f"{len(keys):,} chosen" if keys else "")
            self.viewport().update()

    def marker_at(self, place: QPoint) -> QModelIndex:
        """The row whose marker is at a place, where a click shows or hides its tokenizer; else no index."""
        index = self.indexAt(place)
        item = _item(index)
        here = item is not None and item.state not in WAITING
        near = here and _near(marker_rect(self.visualRect(index))).contains(place)
        return index if near else QModelIndex()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            item = _item(self.indexAt(event.position().toPoint()))
            self._chooses = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if self._chooses:
                if item is not None:
                    self.choice_toggled.emit(item.key)
                return
            self.choice_ended.emit()
        self.on_marker = self.marker_at(event.position().toPoint()).isValid()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._chooses:  # Qt would take it for a click on the row that was pressed last
            super().mouseReleaseEvent(event)
        self._chooses = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point_at(self.marker_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(QModelIndex())

    def _point_at(self, marker: QModelIndex) -> None:
        """Shows that the pointer is on the marker of a row."""
        if marker != self._delegate.pointed:
            self._delegate.pointed = QPersistentModelIndex(marker)
            hand = Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(hand if marker.isValid() else Qt.CursorShape.ArrowCursor)
            self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            item = _item(self.marker_at(event.pos()))
            if item is not None:
                tip = f"{'Hide' if item.on else 'Show'} {item.display_name} (Space)"
                QToolTip.showText(event.globalPos(), as_tip(tip), self)
                return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        fresh = not self.currentIndex().isValid()
        super().focusInEvent(event)
        # With the keyboard, the focus is on a row, not on the heading as in Qt; passing rows does not change the
        # current tokenizer.
        keys = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if fresh and event.reason() in keys:
            with QSignalBlocker(self.selectionModel()):
                self.setCurrentIndex(self.model().index(0, 0, self.model().index(0, 0)))
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.on_marker = False
        if event.key() == Qt.Key.Key_Escape and self._delegate.chosen:
            self.choice_ended.emit()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.entered_row.emit(
                self.currentIndex()
            )  # not activated: a double click does that too
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            accept_copy(event)
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragEnterEvent) -> None:  # type: ignore[override]
        if local_files(event.mimeData()):
            accept_copy(event)
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        paths = local_files(event.mimeData())
        if paths:
            accept_copy(event)
            self.files_dropped.emit(paths)
        else:
            super().dropEvent(event)


class _RowDelegate(QStyledItemDelegate):
    """Paints a row: marker, the model's name over the encoding's, and the size of the vocabulary."""

    def __init__(self, identity: Callable[[int], Identity], parent: LibraryTree) -> None:
        super().__init__(parent)
        self._identity = identity
        self._tree = parent
        self.front = ""  # the key of the tokenizer in front
        self.chosen: tuple[str, ...] = ()  # the keys of those that are chosen for a set
        self.pointed = QPersistentModelIndex()  # the row whose marker the pointer is on

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, HEADING if _item(index) is None else ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = _item(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if item is None:
            painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
            painter.setFont(ui_font(SMALL_SIZE, QFont.Weight.Medium))
            line = option.rect.adjusted(16, 8, -EDGE, 0)
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        else:
            on_marker = index == self.pointed
            self._paint_item(painter, option, item, self._tree.indexWidget(index), on_marker)
        painter.restore()

    def _paint_item(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        item: LibraryItem,
        holder: QWidget | None,
        on_marker: bool,
    ) -> None:
        rect, palette, roles = option.rect, option.palette, QPalette.ColorRole
        strong, weak = palette.color(roles.Text), palette.color(roles.PlaceholderText)
        ground = QRectF(rect.adjusted(EDGE, 0, -EDGE, 0))
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(Qt.PenStyle.NoPen)
        front = item.key == self.front and item.on
        if front or over:
            painter.setBrush(palette.light() if front else palette.midlight())
            painter.drawRoundedRect(ground, CONTROL_RADIUS, CONTROL_RADIUS)
        if option.state & QStyle.StateFlag.State_HasFocus and focused_by_keyboard(self._tree):
            painter.setPen(QPen(palette.accent(), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(
                ground.adjusted(1, 1, -1, -1), CONTROL_RADIUS - 1, CONTROL_RADIUS - 1
            )
        waiting = item.state in WAITING
        box = marker_rect(rect)
        if on_marker:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.mid())
            painter.drawRoundedRect(QRectF(box).adjusted(-6, -6, 6, 6), 6, 6)
        identity = replace(self._identity(item.identity), hollow=not item.on)
        paint_marker(painter, QRectF(box), identity)
        if item.key in self.chosen:
            paint_badge(painter, QRectF(box), palette.accent().color(), palette.base().color())
        name = item.model_name if item.encoding_name else item.name
        second = _second_line(item)
        top = rect.top() + (6 if second else 14)
        left, right = rect.left() + NAME, rect.right() - EDGE - GRID
        names = QFontMetrics(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        name_room = right - left
        if waiting and holder is not None:
            right = rect.right() - holder.sizeHint().width() - 4
            name_room = right - left
        elif item.tokenizer is not None:
            size = status(item)
            painter.setFont(number_font(SMALL_SIZE))
            width = painter.fontMetrics().horizontalAdvance(size)
            painter.setPen(weak)
            place = QRect(right - width, rect.top(), width, rect.height())
            right -= width + GRID // 2
            if names.horizontalAdvance(name) > right - left:  # a long name has the line to itself
                place.setTop(top + 18)
                place.setHeight(18)
            else:
                name_room = right - left
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, size)
        room = max(right - left, 0)
        painter.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        painter.setPen(strong if item.on else weak)
        place = QRect(left, top, max(name_room, 0), 20)
        shown = names.elidedText(name, Qt.TextElideMode.ElideMiddle, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)
        if second:
            failed = item.state is State.FAILED
            painter.setFont(ui_font(SMALL_SIZE))
            painter.setPen(palette.color(roles.BrightText) if failed else weak)
            place = QRect(left, top + 18, room, 18)
            mode = Qt.TextElideMode.ElideRight if failed else Qt.TextElideMode.ElideMiddle
            shown = painter.fontMetrics().elidedText(second, mode, room)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)
        if item.state is State.FETCHING and item.total:
            bar = QRectF(left, rect.bottom() - 4, room, 3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.mid())
            painter.drawRoundedRect(bar, 1.5, 1.5)
            bar.setWidth(bar.width() * min(item.received / item.total, 1.0))
            painter.setBrush(palette.accent())
            painter.drawRoundedRect(bar, 1.5, 1.5)

    def editorEvent(
        self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        item = _item(index)
        if item is None or item.state in WAITING:
            return False
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            near = _near(marker_rect(option.rect)).contains(event.position().toPoint())
            return near and self._tree.on_marker and _tick(index, item)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.key() == Qt.Key.Key_Space and _tick(index, item)
        return False


def marker_rect(row: QRect) -> QRect:
    """Returns the square of the marker in a row."""
    return QRect(row.left() + 18, row.center().y() + 1 - MARKER // 2, MARKER, MARKER)


def _near(marker: QRect) -> QRect:
    """What counts as the marker for a click: 28 pixels and more."""
    return marker.adjusted(-10, -12, 8, 12)


def _second_line(item: LibraryItem) -> str:
    """The line under the name: the other name of the tokenizer, or its state."""
    if item.state in (State.FETCHING, State.FAILED, State.OPENING):
        return status(item)
    return item.encoding_name


def _tick(index: Index, item: LibraryItem) -> bool:
    model = index.model()
    assert isinstance(model, LibraryModel)
    model.check_requested.emit(item.key, not item.on)
    return True


def _item(index: Index) -> LibraryItem | None:
    model = index.model()
    return model.item_at(index) if isinstance(model, LibraryModel) else None
