"""How the parts of Qt's controls are painted, by element: buttons, fields, boxes, menus, headers."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QStyle,
    QStyleOption,
    QStyleOptionHeader,
    QStyleOptionProgressBar,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from tokenarium.style.palette import mix
from tokenarium.style.theme import CONTROL_RADIUS

RING = 2
"""Pixels of the ring around what has the keyboard focus."""

TOOL_MARGIN = 8
"""Pixels between the edge of a tool button and its icon."""

TOOL_GAP = 6
"""Pixels between the icon of a tool button and its text."""

_State = QStyle.StateFlag
_Role = QPalette.ColorRole
_Control = QStyle.ControlElement
_Primitive = QStyle.PrimitiveElement


def has_property(widget: QWidget | None, name: str) -> bool:
    return widget is not None and bool(widget.property(name))


def is_beside(option: QStyleOption) -> bool:
    """Whether it is a tool button with an icon and a text after it."""
    return (
        isinstance(option, QStyleOptionToolButton)
        and option.toolButtonStyle == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        and not option.icon.isNull()
        and bool(option.text)
    )


def paint_tool_label(painter: QPainter, option: QStyleOptionToolButton) -> None:
    """The icon, a gap, and the text; Qt leaves no more than two pixels between them."""
    size, mirrored = option.iconSize, option.direction == Qt.LayoutDirection.RightToLeft
    rect = option.rect.adjusted(TOOL_MARGIN, 0, -TOOL_MARGIN, 0)
    left = rect.right() + 1 - size.width() if mirrored else rect.left()
    box = QRect(left, rect.center().y() - size.height() // 2, size.width(), size.height())
    able = bool(option.state & _State.State_Enabled)
    on = QIcon.State.On if option.state & _State.State_On else QIcon.State.Off
    mode = QIcon.Mode.Normal if able else QIcon.Mode.Disabled
    option.icon.paint(painter, box, Qt.AlignmentFlag.AlignCenter, mode, on)
    step = size.width() + TOOL_GAP
    text = rect.adjusted(0, 0, -step, 0) if mirrored else rect.adjusted(step, 0, 0, 0)
    mnemonic = Qt.TextFlag.TextHideMnemonic
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading | mnemonic
    painter.setFont(option.font)
    painter.setPen(text_colour(option))
    painter.drawText(text, flags, option.text)


def keyboard_focus(option: QStyleOption) -> bool:
    """Whether the control got the focus by the keyboard, not by a click."""
    both = _State.State_HasFocus | _State.State_KeyboardFocusChange
    return option.state & both == both


def text_colour(option: QStyleOption) -> QColor:
    enabled = option.state & _State.State_Enabled
    group = QPalette.ColorGroup.Active if enabled else QPalette.ColorGroup.Disabled
    return option.palette.color(group, _Role.ButtonText)


def _paint_ring(painter: QPainter, rect: QRectF, option: QStyleOption, radius: float) -> None:
    painter.setPen(QPen(option.palette.color(_Role.Accent), RING))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = RING / 2
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius, radius)


def lit_ground(button: QAbstractButton, ground: QColor) -> QColor:
    """Returns the ground of a button that paints itself: darker under the pointer, more so while it is pressed."""
    if not button.isEnabled() or not (button.underMouse() or button.isDown()):
        return ground
    palette = button.palette()
    if ground == palette.color(_Role.Base):
        return palette.color(_Role.Mid if button.isDown() else _Role.Midlight)
    return mix(ground, palette.color(_Role.Text), 0.16 if button.isDown() else 0.08)


def paint_chevron(painter: QPainter, centre: QPointF, colour: QColor, upward: bool = False) -> None:
    pen = QPen(colour, 1.5, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    x, y, deep = centre.x(), centre.y(), -2 if upward else 2
    painter.drawPolyline([QPointF(x - 4, y - deep), QPointF(x, y + deep), QPointF(x + 4, y - deep)])


def _paint_button(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    palette = option.palette
    rect = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5)
    enabled = bool(option.state & _State.State_Enabled)
    down = bool(option.state & _State.State_Sunken)
    over = bool(option.state & _State.State_MouseOver) and enabled
    on = bool(option.state & _State.State_On)
    line: QColor | None = palette.color(_Role.Mid)
    if has_property(widget, "primary"):
        ground = palette.color(_Role.Accent) if enabled else palette.color(_Role.Midlight)
        if down or over:
            ground = mix(ground, palette.color(_Role.Text), 0.28 if down else 0.14)
        line = None
    elif has_property(widget, "ghost"):
        ground = QColor(Qt.GlobalColor.transparent)
        if over or down:
            ground = palette.color(_Role.Mid if down else _Role.Midlight)
        line = None
    elif on:
        ground, line = palette.color(_Role.Light), palette.color(_Role.Accent)
        if down or over:
            ground = mix(ground, line, 0.2 if down else 0.1)
    elif down:
        ground = palette.color(_Role.Mid)
    elif over:
        ground = palette.color(_Role.Midlight)
    else:
        ground = palette.color(_Role.Button)
    painter.setPen(Qt.PenStyle.NoPen if line is None else QPen(line, 1))
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)
    if keyboard_focus(option):
        _paint_ring(painter, QRectF(option.rect), option, CONTROL_RADIUS)


def _paint_tool_button(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """A flat button: a ground only under the pointer, while pressed, and where it is on."""
    flat = isinstance(widget, QToolButton) and widget.autoRaise()
    if not flat:
        _paint_button(painter, option, widget)
        return
    palette = option.palette
    on = bool(option.state & _State.State_On)
    over = bool(option.state & _State.State_MouseOver and option.state & _State.State_Enabled)
    down = bool(option.state & _State.State_Sunken)
    if on or over or down:
        painter.setPen(Qt.PenStyle.NoPen)
        ground = palette.color(_Role.Light if on else _Role.Mid if down else _Role.Midlight)
        if on and (over or down):
            ground = mix(ground, palette.color(_Role.Accent), 0.2 if down else 0.1)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(option.rect), CONTROL_RADIUS, CONTROL_RADIUS)
    if keyboard_focus(option):
        _paint_ring(painter, QRectF(option.rect), option, CONTROL_RADIUS)


def paint_field(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    palette = option.palette
    focused = bool(option.state & _State.State_HasFocus)
    enabled = bool(option.state & _State.State_Enabled)
    over = enabled and bool(option.state & _State.State_MouseOver)
    width = 2 if focused else 1
    half = width / 2
    colour = palette.color(_Role.Accent if focused else _Role.Dark if enabled else _Role.Mid)
    if over and not focused:
        colour = palette.color(_Role.Text)
    painter.setPen(QPen(colour, width))
    painter.setBrush(_field_ground(option))
    rect = QRectF(option.rect).adjusted(half, half, -half, -half)
    painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)


def _field_ground(option: QStyleOption) -> QColor:
    enabled = bool(option.state & _State.State_Enabled)
    return option.palette.color(_Role.Base if enabled else _Role.Midlight)


def _paint_field_panel(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    parent = widget.parentWidget() if widget is not None else None
    if isinstance(parent, (QComboBox, QAbstractItemView)) or getattr(option, "lineWidth", 1) == 0:
        painter.fillRect(option.rect, _field_ground(option))
    else:
        paint_field(painter, option, widget)


def _under(option: QStyleOption) -> QColor:
    """The ground of a box that is not ticked, darker while it is under the pointer, and while it is pressed."""
    enabled = bool(option.state & _State.State_Enabled)
    if enabled and option.state & _State.State_Sunken:
        return option.palette.color(_Role.Mid)
    over = enabled and bool(option.state & _State.State_MouseOver)
    return option.palette.color(_Role.Midlight if over else _Role.Base)


def _paint_box(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    palette = option.palette
    rect = QRectF(option.rect).adjusted(0.75, 0.75, -0.75, -0.75)
    on = bool(option.state & (_State.State_On | _State.State_NoChange))
    enabled = bool(option.state & _State.State_Enabled)
    accent = palette.color(_Role.Accent if enabled else _Role.Mid)
    line, ground = (accent, accent) if on else (palette.color(_Role.Dark), _under(option))
    if enabled and option.state & (_State.State_MouseOver | _State.State_Sunken):
        line = mix(line, palette.color(_Role.Text), 0.3) if on else palette.color(_Role.Text)
        ground = line if on else ground
    painter.setPen(QPen(line, 1.5))
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, 4, 4)
    painter.setPen(
        QPen(
            palette.color(_Role.HighlightedText),
            1.8,
            c=Qt.PenCapStyle.RoundCap,
            j=Qt.PenJoinStyle.RoundJoin,
        )
    )
    x, y, w = rect.left(), rect.top(), rect.width()
    if option.state & _State.State_On:
        tick = ((0.24, 0.52), (0.43, 0.7), (0.77, 0.32))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline([QPointF(x + a * w, y + b * w) for a, b in tick])
    elif option.state & _State.State_NoChange:
        painter.drawLine(QPointF(x + 0.28 * w, y + 0.5 * w), QPointF(x + 0.72 * w, y + 0.5 * w))


def _paint_radio(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    palette = option.palette
    rect = QRectF(option.rect).adjusted(0.75, 0.75, -0.75, -0.75)
    on = bool(option.state & _State.State_On)
    accent = palette.color(_Role.Accent if option.state & _State.State_Enabled else _Role.Mid)
    line = accent if on else palette.color(_Role.Dark)
    over = option.state & (_State.State_MouseOver | _State.State_Sunken)
    if over and option.state & _State.State_Enabled:
        line = mix(line, palette.color(_Role.Text), 0.3) if on else palette.color(_Role.Text)
    painter.setPen(QPen(line, 1.5))
    painter.setBrush(_under(option))
    painter.drawEllipse(rect)
    if on:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawEllipse(rect.center(), rect.width() * 0.28, rect.width() * 0.28)


def _paint_focus(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    if option.state & _State.State_KeyboardFocusChange and not isinstance(
        widget, QAbstractItemView
    ):
        _paint_ring(painter, QRectF(option.rect), option, 4)


def _paint_frame(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    if getattr(option, "lineWidth", 1) <= 0:
        return
    painter.setPen(QPen(option.palette.color(_Role.Mid), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


def _paint_progress_groove(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    rect = QRectF(option.rect)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(option.palette.color(_Role.Midlight))
    radius = min(rect.height() / 2, 4)
    painter.drawRoundedRect(rect, radius, radius)


def _paint_progress(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    bar = cast(QStyleOptionProgressBar, option)
    rect = QRectF(bar.rect)
    span = bar.maximum - bar.minimum
    if span > 0:
        rect.setWidth(rect.width() * (bar.progress - bar.minimum) / span)
    elif not bar.progress:  # of unknown length
        rect.adjust(rect.width() / 3, 0, -rect.width() / 3, 0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(bar.palette.color(_Role.Accent))
    radius = min(rect.height() / 2, 4, rect.width() / 2)
    painter.drawRoundedRect(rect, radius, radius)


def _paint_header(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """The ground of a header's section: a hairline under it, none between sections."""
    rect = option.rect
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(rect, option.palette.color(_Role.Base))
    painter.setPen(option.palette.color(_Role.Mid))
    lying = bool(
        option.state & _State.State_Horizontal
    )  # what the area after the last section says
    if isinstance(option, QStyleOptionHeader):
        lying = option.orientation == Qt.Orientation.Horizontal
    if lying:
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
    else:
        painter.drawLine(rect.topRight(), rect.bottomRight())


def _paint_splitter(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    """Paints a hairline in the middle of the handle, which may be wide so that it is easy to reach."""
    held = option.state & (_State.State_MouseOver | _State.State_Sunken)
    rect, width = QRect(option.rect), 3 if held else 1
    if rect.width() < rect.height():
        rect.adjust(max(0, (rect.width() - width) // 2), 0, 0, 0)
        rect.setWidth(min(width, rect.width()))
    else:
        rect.adjust(0, max(0, (rect.height() - width) // 2), 0, 0)
        rect.setHeight(min(width, rect.height()))
    painter.fillRect(rect, option.palette.color(_Role.Accent if held else _Role.Mid))


def _paint_arrow(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    paint_chevron(painter, QRectF(option.rect).center(), text_colour(option))


def _paint_branch(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    if not option.state & _State.State_Children:
        return
    centre = QRectF(option.rect).center()
    path = QPainterPath()
    if option.state & _State.State_Open:
        points = [QPointF(-4, -2), QPointF(0, 2), QPointF(4, -2)]
    else:
        points = [QPointF(-2, -4), QPointF(2, 0), QPointF(-2, 4)]
    path.moveTo(centre + points[0])
    path.lineTo(centre + points[1])
    path.lineTo(centre + points[2])
    painter.strokePath(path, QPen(option.palette.color(_Role.PlaceholderText), 1.5))


PRIMITIVES = {
    _Primitive.PE_PanelButtonCommand: _paint_button,
    _Primitive.PE_PanelButtonTool: _paint_tool_button,
    _Primitive.PE_FrameDefaultButton: lambda painter, option, widget: None,
    _Primitive.PE_PanelLineEdit: _paint_field_panel,
    _Primitive.PE_FrameLineEdit: paint_field,
    _Primitive.PE_IndicatorCheckBox: _paint_box,
    _Primitive.PE_IndicatorItemViewItemCheck: _paint_box,
    _Primitive.PE_IndicatorRadioButton: _paint_radio,
    _Primitive.PE_FrameFocusRect: _paint_focus,
    _Primitive.PE_Frame: _paint_frame,
    _Primitive.PE_PanelScrollAreaCorner: lambda painter, option, widget: None,
    _Primitive.PE_IndicatorArrowDown: _paint_arrow,
    _Primitive.PE_IndicatorBranch: _paint_branch,
}

CONTROLS = {
    _Control.CE_ProgressBarGroove: _paint_progress_groove,
    _Control.CE_ProgressBarContents: _paint_progress,
    _Control.CE_HeaderSection: _paint_header,
    _Control.CE_HeaderEmptyArea: _paint_header,
    _Control.CE_Splitter: _paint_splitter,
}
