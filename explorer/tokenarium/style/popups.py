"""What opens over the window: menus, lists of choices and tips, rounded, with rows of their own."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QBitmap,
    QColor,
    QGuiApplication,
    QIcon,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOption,
    QStyleOptionMenuItem,
    QStyleOptionViewItem,
    QWidget,
)

from tokenarium.style.control_painting import paint_chevron
from tokenarium.style.icons import paint_icon
from tokenarium.style.theme import CONTROL_RADIUS, GRID

MENU_RADIUS = 12
TIP_RADIUS = 6
"""Pixels of the corners of menus and lists of choices, and of tips."""

MENU_PADDING = 5
"""Pixels between the edge of a menu and its rows."""

ROW = 32
"""Pixels of the height of a row."""

_SIDE = 11  # pixels between the end of a row and what is in it
_ICON = 18
_GAP = 10
_ARROW = 16
_SEPARATOR = 2 * MENU_PADDING + 1
_ROW_RADIUS = CONTROL_RADIUS - 1

_State = QStyle.StateFlag
_Role = QPalette.ColorRole
_Item = QStyleOptionMenuItem.MenuItemType


def edge_colour(palette: QPalette) -> QColor:
    """Returns the colour of the line around what is over the page: stronger than a hairline, as it has no shadow."""
    colour = QColor(palette.color(_Role.Dark))
    colour.setAlphaF(0.55)
    return colour


def paint_over_card(
    painter: QPainter, rect: QRectF, palette: QPalette, radius: float = MENU_RADIUS
) -> None:
    """Paints the ground of a window that opens over the others."""
    painter.setPen(QPen(edge_colour(palette), 1))
    painter.setBrush(palette.color(_Role.Base))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius - 0.5, radius - 0.5)


class PopupShape(QObject):
    """Cuts the corners of a window without a frame; ``paints``: and paints its ground, which Qt leaves square."""

    def __init__(self, window: QWidget, radius: float, paints: bool = False) -> None:
        super().__init__(window)
        self._radius, self._paints = radius, paints
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        window, kind = cast(QWidget, watched), event.type()
        if kind == QEvent.Type.Resize:
            path = QPainterPath()
            path.addRoundedRect(QRectF(window.rect()), self._radius, self._radius)
            cut_to(window, path)
        elif kind == QEvent.Type.Show and self._paints:
            view = window.findChild(QAbstractItemView)
            if view is not None:  # Qt makes it as wide as the field, and cuts longer choices
                view.setMinimumWidth(view.sizeHintForColumn(0) + 2 * MENU_PADDING)
        elif kind == QEvent.Type.Paint and self._paints:
            painter = QPainter(window)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_over_card(painter, QRectF(window.rect()), window.palette(), self._radius)
            painter.end()
            return True
        return False


def cut_to(window: QWidget, path: QPainterPath) -> None:
    """Cuts a window to a path, where it cannot be transparent outside that."""
    if _is_masked():
        bits = QBitmap(window.size())
        bits.clear()
        painter = QPainter(bits)
        painter.setPen(QPen(Qt.GlobalColor.color1, 0.5))
        painter.setBrush(Qt.GlobalColor.color1)
        painter.drawPath(path)
        painter.end()
        window.setMask(bits)


def _is_masked() -> bool:
    """Whether windows are cut by a mask: with X11, what is transparent is black if nothing composes the screen."""
    return QGuiApplication.platformName() == "xcb"


def shape_popup(window: QWidget, radius: float = MENU_RADIUS, paints: bool = False) -> None:
    """Makes a window that opens over the others rounded, once; ``paints``: see `PopupShape`."""
    if window.property(_SHAPED):
        return
    window.setProperty(_SHAPED, True)
    if not _is_masked():
        # Not setWindowFlags: it hides a window that is about to be shown.
        window.overrideWindowFlags(window.windowFlags() | Qt.WindowType.FramelessWindowHint)
        window.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    PopupShape(window, radius, paints)


_SHAPED = "shaped"


def dress_popup(widget: QWidget) -> None:
    """Gives a window of Qt's own that opens over the others its look: a menu, a tip, the list of a field."""
    if isinstance(widget, QMenu):
        shape_popup(widget)
    elif widget.inherits("QTipLabel"):
        shape_popup(widget, TIP_RADIUS)
    elif widget.inherits("QComboBoxPrivateContainer"):
        shape_popup(widget, paints=True)
        view = widget.findChild(QAbstractItemView)
        if view is not None:
            _dress_list(view)
            widget.setContentsMargins(MENU_PADDING, MENU_PADDING, MENU_PADDING, MENU_PADDING)
    elif isinstance(widget, QAbstractItemView):  # what a field offers while one types
        _dress_list(widget)


def _dress_list(view: QAbstractItemView) -> None:
    if not isinstance(view.itemDelegate(), ChoiceRows):
        view.setItemDelegate(ChoiceRows(view))
    view.setMouseTracking(True)
    if not view.isWindow():
        view.setFrameShape(QFrame.Shape.NoFrame)


class ChoiceRows(QStyledItemDelegate):
    """The rows of a list that opens under a field."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        if self._is_separator(index):
            return QSize(size.width(), _SEPARATOR)
        return QSize(size.width() + 2 * _SIDE, ROW)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row = QStyleOptionViewItem(option)
        self.initStyleOption(row, index)
        rect, palette = row.rect, row.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._is_separator(index):
            painter.fillRect(QRect(rect.left(), rect.center().y(), rect.width(), 1), palette.mid())
            painter.restore()
            return
        selected = bool(row.state & _State.State_Selected)
        if selected or row.state & _State.State_MouseOver:
            paint_row(painter, QRectF(rect), palette)
        able = bool(row.state & _State.State_Enabled)
        group = QPalette.ColorGroup.Active if able else QPalette.ColorGroup.Disabled
        inside = rect.adjusted(_SIDE, 0, -_SIDE, 0)
        if not row.icon.isNull():
            box = QRect(inside.left(), inside.center().y() - _ICON // 2, _ICON, _ICON)
            mode = QIcon.Mode.Normal if able else QIcon.Mode.Disabled
            box = QStyle.visualRect(row.direction, inside, box)
            row.icon.paint(painter, box, Qt.AlignmentFlag.AlignCenter, mode)
            step = _ICON + _GAP
            mirrored = row.direction == Qt.LayoutDirection.RightToLeft
            inside = inside.adjusted(0 if mirrored else step, 0, -step if mirrored else 0, 0)
        painter.setFont(row.font)
        painter.setPen(palette.color(group, _Role.Text))
        text = row.fontMetrics.elidedText(row.text, Qt.TextElideMode.ElideRight, inside.width())
        along = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        painter.drawText(inside, along, text)
        painter.restore()

    @staticmethod
    def _is_separator(index: QModelIndex | QPersistentModelIndex) -> bool:
        return bool(index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "separator")


def paint_row(
    painter: QPainter,
    rect: QRectF,
    palette: QPalette,
    role: QPalette.ColorRole = QPalette.ColorRole.Light,
) -> None:
    """Paints the ground of the row under the pointer, or where the keys are."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.color(role))
    painter.drawRoundedRect(rect, _ROW_RADIUS, _ROW_RADIUS)


def menu_row_size(option: QStyleOptionMenuItem, contents: QSize) -> QSize:
    """Returns the size of a row of a menu; Qt adds the shortcuts' width itself."""
    if option.menuItemType == _Item.Separator:
        return QSize(contents.width(), _SEPARATOR)
    width = _text_left(option) + option.fontMetrics.horizontalAdvance(
        _without_mnemonic(option.text.split("\t")[0])
    )
    after = 3 * GRID if "\t" in option.text or option.reservedShortcutWidth else 0
    arrow = _ARROW if option.menuItemType == _Item.SubMenu else 0
    return QSize(width + max(after, arrow) + _SIDE + GRID, max(contents.height(), ROW))


def _without_mnemonic(text: str) -> str:
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def _text_left(option: QStyleOptionMenuItem) -> int:
    checks = (_ICON + GRID - 2) if option.menuHasCheckableItems else 0
    icons = (_ICON + _GAP) if option.maxIconWidth > 0 else 0
    return _SIDE + checks + icons


def paint_menu_row(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """A row of a menu: the check, the icon, the text, the shortcut in the weaker colour, the arrow of a submenu."""
    item = cast(QStyleOptionMenuItem, option)
    rect, palette = item.rect, item.palette
    if item.menuItemType == _Item.Separator:
        line = QRect(rect.left() + _SIDE, rect.center().y(), rect.width() - 2 * _SIDE, 1)
        painter.fillRect(line, palette.mid())
        return
    able = bool(item.state & _State.State_Enabled)
    if able and item.state & _State.State_Selected:
        paint_row(painter, QRectF(rect), palette)
    group = QPalette.ColorGroup.Active if able else QPalette.ColorGroup.Disabled
    ink = palette.color(group, _Role.Text)

    def placed(left: int, width: int, height: int) -> QRect:
        box = QRect(rect.left() + left, rect.center().y() - height // 2 + 1, width, height)
        return QStyle.visualRect(item.direction, rect, box)

    left = _SIDE
    if item.menuHasCheckableItems:
        if item.checked:
            colour = palette.color(_Role.Accent) if able else ink
            paint_icon(painter, QRectF(placed(left, _ICON, _ICON)), "check", colour)
        left += _ICON + GRID - 2
    if not item.icon.isNull():
        mode = QIcon.Mode.Normal if able else QIcon.Mode.Disabled
        item.icon.paint(painter, placed(left, _ICON, _ICON), Qt.AlignmentFlag.AlignCenter, mode)
    left = _text_left(item)
    text, _, keys = item.text.partition("\t")
    room = QRect(rect.left() + left, rect.top(), rect.width() - left - _SIDE, rect.height())
    room = QStyle.visualRect(item.direction, rect, room)
    style = widget.style() if widget is not None else None
    shown = style is not None and style.styleHint(
        QStyle.StyleHint.SH_UnderlineShortcut, item, widget
    )
    mnemonic = Qt.TextFlag.TextShowMnemonic if shown else Qt.TextFlag.TextHideMnemonic
    painter.setFont(item.font)
    painter.setPen(ink)
    flags = Qt.AlignmentFlag.AlignVCenter | mnemonic | Qt.TextFlag.TextSingleLine
    painter.drawText(room, flags | Qt.AlignmentFlag.AlignLeading, text)
    if keys:
        painter.setPen(palette.color(group, _Role.PlaceholderText) if able else ink)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing, keys)
    if item.menuItemType == _Item.SubMenu:
        box = placed(rect.width() - _SIDE - _ARROW + 4, _ARROW, _ARROW)
        painter.save()
        painter.translate(QRectF(box).center())
        painter.rotate(90 if item.direction == Qt.LayoutDirection.RightToLeft else -90)
        paint_chevron(painter, QRectF().center(), palette.color(_Role.PlaceholderText))
        painter.restore()


def paint_menu_bar_row(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """A name of the menu bar, with a ground under the pointer and while its menu is open."""
    item = cast(QStyleOptionMenuItem, option)
    palette = item.palette
    painter.fillRect(item.rect, palette.window())
    able = bool(item.state & _State.State_Enabled)
    if able and item.state & (_State.State_Selected | _State.State_Sunken):
        paint_row(painter, QRectF(item.rect).adjusted(1, 2, -1, -2), palette)
    group = QPalette.ColorGroup.Active if able else QPalette.ColorGroup.Disabled
    painter.setPen(palette.color(group, _Role.WindowText))
    style = widget.style() if widget is not None else None
    shown = style is not None and style.styleHint(
        QStyle.StyleHint.SH_UnderlineShortcut, item, widget
    )
    mnemonic = Qt.TextFlag.TextShowMnemonic if shown else Qt.TextFlag.TextHideMnemonic
    painter.drawText(item.rect, Qt.AlignmentFlag.AlignCenter | mnemonic, item.text)


def paint_menu_bar_ground(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    painter.fillRect(option.rect, option.palette.window())


def paint_menu_ground(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    paint_over_card(painter, QRectF(option.rect), option.palette)


def paint_tip_ground(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(option.palette.color(_Role.ToolTipBase))
    painter.drawRoundedRect(QRectF(option.rect), TIP_RADIUS, TIP_RADIUS)
