"""How Qt's own controls are painted: a style over Fusion, in the colours of the palette.

The palette carries the theme: Mid is its hairline, Dark the border of controls, Midlight the sunken ground, Light the
wash of what is on. A button with the property ``primary`` is filled, one with ``ghost`` has no border.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QProxyStyle,
    QPushButton,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionHeader,
    QStyleOptionMenuItem,
    QStyleOptionProgressBar,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionToolButton,
    QToolButton,
    QWidget,
)

from tokenarium.style.theme import CONTROL_HEIGHT, CONTROL_RADIUS, SMALL_CONTROL_HEIGHT

RING = 2
"""Pixels of the ring around what has the keyboard focus."""

TOOL_MARGIN = 8
"""Pixels between the edge of a tool button and its icon."""

TOOL_GAP = 6
"""Pixels between the icon of a tool button and its text."""

FIELD_MARGIN = 10
"""Pixels between the border of a field and its text."""

_State = QStyle.StateFlag
_Role = QPalette.ColorRole
_Control = QStyle.ControlElement
_Primitive = QStyle.PrimitiveElement
_Metric = QStyle.PixelMetric


class ControlStyle(QProxyStyle):
    """Fusion with controls of our own: see the module."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    # Sizes.

    def pixelMetric(
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        own = _METRICS.get(metric)
        return super().pixelMetric(metric, option, widget) if own is None else own

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returned: object = None,
    ) -> int:
        own = _HINTS.get(hint)
        if own is not None:
            return own
        return super().styleHint(hint, option, widget, returned)  # type: ignore[arg-type]  # None is allowed

    def sizeFromContents(
        self,
        kind: QStyle.ContentsType,
        option: QStyleOption,
        contents: QSize,
        widget: QWidget | None = None,
    ) -> QSize:
        size = super().sizeFromContents(kind, option, contents, cast(QWidget, widget))
        if kind == QStyle.ContentsType.CT_PushButton:
            return QSize(
                max(size.width(), contents.width() + 28), max(size.height(), CONTROL_HEIGHT)
            )
        if kind in (
            QStyle.ContentsType.CT_LineEdit,
            QStyle.ContentsType.CT_ComboBox,
            QStyle.ContentsType.CT_SpinBox,
        ):
            return QSize(size.width(), max(size.height(), CONTROL_HEIGHT))
        if kind == QStyle.ContentsType.CT_ToolButton:
            more = 2 * TOOL_MARGIN if _is_beside(option) else 4
            return QSize(size.width() + more, max(size.height(), SMALL_CONTROL_HEIGHT))
        if kind == QStyle.ContentsType.CT_MenuItem:
            separator = isinstance(option, QStyleOptionMenuItem) and (
                option.menuItemType == QStyleOptionMenuItem.MenuItemType.Separator
            )
            return QSize(size.width() + 12, 9 if separator else max(size.height(), 30))
        return size

    # Painting.

    def drawPrimitive(
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        paint = _PRIMITIVES.get(element)
        if paint is None:
            super().drawPrimitive(element, option, painter, widget)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter, option, widget)
        painter.restore()

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        paint = _CONTROLS.get(element)
        if paint is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter, option, widget)
            painter.restore()
            return
        if element == _Control.CE_ToolButtonLabel and _is_beside(option):
            _paint_tool_label(painter, cast(QStyleOptionToolButton, option))
            return
        enabled = bool(option.state & _State.State_Enabled)
        if element == _Control.CE_PushButtonLabel and _is(widget, "primary") and enabled:
            option = QStyleOptionButton(cast(QStyleOptionButton, option))
            option.palette.setColor(_Role.ButtonText, option.palette.color(_Role.HighlightedText))
        super().drawControl(element, option, painter, widget)

    def drawComplexControl(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if control == QStyle.ComplexControl.CC_ScrollBar:
            self._paint_scroll_bar(painter, cast(QStyleOptionSlider, option), widget)
        elif control == QStyle.ComplexControl.CC_Slider:
            self._paint_slider(painter, cast(QStyleOptionSlider, option), widget)
        elif control == QStyle.ComplexControl.CC_ComboBox:
            self._paint_combo_box(painter, cast(QStyleOptionComboBox, option), widget)
        elif control == QStyle.ComplexControl.CC_SpinBox:
            self._paint_spin_box(painter, cast(QStyleOptionSpinBox, option), widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def _paint_scroll_bar(
        self, painter: QPainter, option: QStyleOptionSlider, widget: QWidget | None
    ) -> None:
        """A handle of 6 pixels in 10; always visible, since hidden ones are missed on projectors."""
        part = QStyle.SubControl.SC_ScrollBarSlider
        handle = self.subControlRect(QStyle.ComplexControl.CC_ScrollBar, option, part, widget)
        if option.minimum == option.maximum:
            return
        held = option.activeSubControls & part and option.state & (
            _State.State_MouseOver | _State.State_Sunken
        )
        colour = QColor(option.palette.color(_Role.Dark))
        colour.setAlphaF(0.8 if held else 0.45)
        inset = 2
        rounded = QRectF(handle).adjusted(inset, inset, -inset, -inset)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(rounded, 3, 3)
        painter.restore()

    def subControlRect(
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: QWidget | None = None,
    ) -> QRect:
        if control == QStyle.ComplexControl.CC_ScrollBar and isinstance(option, QStyleOptionSlider):
            return _scroll_bar_part(self, option, part)
        rect = super().subControlRect(control, option, part, cast(QWidget, widget))
        if (
            part == QStyle.SubControl.SC_ComboBoxEditField
            and control == QStyle.ComplexControl.CC_ComboBox
        ):
            return rect.adjusted(FIELD_MARGIN - 3, 0, 0, 0)
        return rect

    def subElementRect(
        self, element: QStyle.SubElement, option: QStyleOption, widget: QWidget | None = None
    ) -> QRect:
        rect = super().subElementRect(element, option, cast(QWidget, widget))
        if element == QStyle.SubElement.SE_LineEditContents and getattr(option, "lineWidth", 0) > 0:
            return rect.adjusted(FIELD_MARGIN - 2, 0, 2 - FIELD_MARGIN, 0)
        return rect

    def _paint_slider(
        self, painter: QPainter, option: QStyleOptionSlider, widget: QWidget | None
    ) -> None:
        area = QStyle.ComplexControl.CC_Slider
        groove = self.subControlRect(area, option, QStyle.SubControl.SC_SliderGroove, widget)
        handle = self.subControlRect(area, option, QStyle.SubControl.SC_SliderHandle, widget)
        if option.subControls & QStyle.SubControl.SC_SliderTickmarks:
            ticks = QStyleOptionSlider(option)
            ticks.subControls = QStyle.SubControl.SC_SliderTickmarks
            super().drawComplexControl(area, ticks, painter, widget)
        palette = option.palette
        enabled = bool(option.state & _State.State_Enabled)
        lying = option.orientation == Qt.Orientation.Horizontal
        track = QRectF(groove)
        middle = track.center()
        if lying:
            track = QRectF(track.left(), middle.y() - 3, track.width(), 6)
        else:
            track = QRectF(middle.x() - 3, track.top(), 6, track.height())
        centre = QRectF(handle).center()
        full = QRectF(track)
        if not lying:
            full.setTop(centre.y())
        elif option.upsideDown:
            full.setLeft(centre.x())
        else:
            full.setRight(centre.x())
        accent = palette.color(_Role.Accent if enabled else _Role.Mid)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(_Role.Midlight))
        painter.drawRoundedRect(track, 3, 3)
        painter.setBrush(accent)
        painter.drawRoundedRect(full, 3, 3)
        painter.setPen(QPen(accent, 3))
        painter.setBrush(palette.color(_Role.Base))
        painter.drawEllipse(centre, 7.5, 7.5)
        if _keyboard_focus(option):
            painter.setPen(QPen(palette.color(_Role.Accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, 10.5, 10.5)
        painter.restore()

    def _paint_combo_box(
        self, painter: QPainter, option: QStyleOptionComboBox, widget: QWidget | None
    ) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_field(painter, option, widget)
        area = QStyle.ComplexControl.CC_ComboBox
        arrow = self.subControlRect(area, option, QStyle.SubControl.SC_ComboBoxArrow, widget)
        _paint_chevron(painter, QRectF(arrow).center(), _text_colour(option))
        painter.restore()

    def _paint_spin_box(
        self, painter: QPainter, option: QStyleOptionSpinBox, widget: QWidget | None
    ) -> None:
        """A field with two chevrons; the one under the pointer has a ground."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.frame:
            _paint_field(painter, option, widget)
        enabled = QAbstractSpinBox.StepEnabledFlag
        for part, flag, upward in (
            (QStyle.SubControl.SC_SpinBoxUp, enabled.StepUpEnabled, True),
            (QStyle.SubControl.SC_SpinBoxDown, enabled.StepDownEnabled, False),
        ):
            area = QStyle.ComplexControl.CC_SpinBox
            box = QRectF(self.subControlRect(area, option, part, widget)).adjusted(0, 1, -2, -1)
            if box.isEmpty() or not option.subControls & part:
                continue
            able = bool(option.stepEnabled & flag and option.state & _State.State_Enabled)
            if able and option.activeSubControls & part:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(option.palette.color(_Role.Midlight))
                painter.drawRoundedRect(box, 4, 4)
            group = QPalette.ColorGroup.Active if able else QPalette.ColorGroup.Disabled
            _paint_chevron(
                painter, box.center(), option.palette.color(group, _Role.ButtonText), upward
            )
        painter.restore()


def _scroll_bar_part(style: QStyle, option: QStyleOptionSlider, part: QStyle.SubControl) -> QRect:
    """A scroll bar without arrows: the handle moves over its whole length."""
    lying = option.orientation == Qt.Orientation.Horizontal
    area = option.rect
    length = area.width() if lying else area.height()
    span = option.maximum - option.minimum
    handle = length
    if span > 0:
        handle = max(32, length * option.pageStep // (span + option.pageStep))
        handle = min(handle, length)
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - handle, option.upsideDown
    )
    parts = {
        QStyle.SubControl.SC_ScrollBarGroove: (0, length),
        QStyle.SubControl.SC_ScrollBarSlider: (start, handle),
        QStyle.SubControl.SC_ScrollBarSubPage: (0, start),
        QStyle.SubControl.SC_ScrollBarAddPage: (start + handle, length - start - handle),
    }
    if part not in parts:
        return QRect()
    begin, size = parts[part]
    if lying:
        return QRect(area.left() + begin, area.top(), size, area.height())
    return QRect(area.left(), area.top() + begin, area.width(), size)


def _is(widget: QWidget | None, name: str) -> bool:
    return widget is not None and bool(widget.property(name))


def _is_beside(option: QStyleOption) -> bool:
    """Whether it is a tool button with an icon and a text after it."""
    return (
        isinstance(option, QStyleOptionToolButton)
        and option.toolButtonStyle == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        and not option.icon.isNull()
        and bool(option.text)
    )


def _paint_tool_label(painter: QPainter, option: QStyleOptionToolButton) -> None:
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
    painter.setPen(_text_colour(option))
    painter.drawText(text, flags, option.text)


def _keyboard_focus(option: QStyleOption) -> bool:
    """Whether the control got the focus by the keyboard, not by a click."""
    both = _State.State_HasFocus | _State.State_KeyboardFocusChange
    return option.state & both == both


def _text_colour(option: QStyleOption) -> QColor:
    enabled = option.state & _State.State_Enabled
    group = QPalette.ColorGroup.Active if enabled else QPalette.ColorGroup.Disabled
    return option.palette.color(group, _Role.ButtonText)


def _paint_ring(painter: QPainter, rect: QRectF, option: QStyleOption, radius: float) -> None:
    painter.setPen(QPen(option.palette.color(_Role.Accent), RING))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = RING / 2
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius, radius)


def _paint_chevron(
    painter: QPainter, centre: QPointF, colour: QColor, upward: bool = False
) -> None:
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
    if _is(widget, "primary"):
        ground = palette.color(_Role.Accent) if enabled else palette.color(_Role.Midlight)
        if down or over:
            ground = ground.darker(112) if ground.lightnessF() < 0.6 else ground.lighter(108)
        line = None
    elif _is(widget, "ghost"):
        ground = (
            palette.color(_Role.Midlight) if over or down else QColor(Qt.GlobalColor.transparent)
        )
        line = None
    elif on:
        ground, line = palette.color(_Role.Light), palette.color(_Role.Accent)
    elif down:
        ground = palette.color(_Role.Mid)
    elif over:
        ground = palette.color(_Role.Midlight)
    else:
        ground = palette.color(_Role.Button)
    painter.setPen(Qt.PenStyle.NoPen if line is None else QPen(line, 1))
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)
    if _keyboard_focus(option):
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
        painter.setBrush(
            palette.color(_Role.Light if on else _Role.Mid if down else _Role.Midlight)
        )
        painter.drawRoundedRect(QRectF(option.rect), CONTROL_RADIUS, CONTROL_RADIUS)
    if _keyboard_focus(option):
        _paint_ring(painter, QRectF(option.rect), option, CONTROL_RADIUS)


def _paint_field(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    palette = option.palette
    focused = bool(option.state & _State.State_HasFocus)
    enabled = bool(option.state & _State.State_Enabled)
    width = 2 if focused else 1
    half = width / 2
    colour = palette.color(_Role.Accent if focused else _Role.Dark if enabled else _Role.Mid)
    painter.setPen(QPen(colour, width))
    painter.setBrush(palette.color(_Role.Base if enabled else _Role.Midlight))
    rect = QRectF(option.rect).adjusted(half, half, -half, -half)
    painter.drawRoundedRect(rect, CONTROL_RADIUS, CONTROL_RADIUS)


def _paint_field_panel(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    parent = widget.parentWidget() if widget is not None else None
    if isinstance(parent, (QComboBox, QAbstractItemView)) or getattr(option, "lineWidth", 1) == 0:
        painter.fillRect(option.rect, option.palette.color(_Role.Base))
    else:
        _paint_field(painter, option, widget)


def _paint_box(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    palette = option.palette
    rect = QRectF(option.rect).adjusted(0.75, 0.75, -0.75, -0.75)
    on = bool(option.state & (_State.State_On | _State.State_NoChange))
    enabled = bool(option.state & _State.State_Enabled)
    accent = palette.color(_Role.Accent if enabled else _Role.Mid)
    painter.setPen(QPen(accent if on else palette.color(_Role.Dark), 1.5))
    painter.setBrush(accent if on else palette.color(_Role.Base))
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
    painter.setPen(QPen(accent if on else palette.color(_Role.Dark), 1.5))
    painter.setBrush(palette.color(_Role.Base))
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


def _paint_menu_ground(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    painter.fillRect(option.rect, option.palette.color(_Role.Base))


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
    painter.fillRect(option.rect, option.palette.color(_Role.Mid))


def _paint_arrow(painter: QPainter, option: QStyleOption, widget: QWidget | None) -> None:
    _paint_chevron(painter, QRectF(option.rect).center(), _text_colour(option))


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


_METRICS = {
    _Metric.PM_ScrollBarExtent: 10,
    _Metric.PM_ScrollView_ScrollBarSpacing: 0,
    _Metric.PM_ScrollView_ScrollBarOverlap: 0,
    _Metric.PM_ButtonShiftHorizontal: 0,
    _Metric.PM_ButtonShiftVertical: 0,
    _Metric.PM_IndicatorWidth: 16,
    _Metric.PM_IndicatorHeight: 16,
    _Metric.PM_ExclusiveIndicatorWidth: 16,
    _Metric.PM_ExclusiveIndicatorHeight: 16,
    _Metric.PM_SliderThickness: 24,
    _Metric.PM_SliderLength: 18,
    _Metric.PM_SliderControlThickness: 18,
    _Metric.PM_ToolBarIconSize: 18,
    _Metric.PM_ButtonIconSize: 18,
    _Metric.PM_SmallIconSize: 18,
    _Metric.PM_MenuPanelWidth: 1,
    _Metric.PM_MenuHMargin: 4,
    _Metric.PM_MenuVMargin: 4,
    _Metric.PM_SplitterWidth: 1,
    _Metric.PM_ToolTipLabelFrameWidth: 6,
}

_HINTS = {
    QStyle.StyleHint.SH_ToolTip_WakeUpDelay: 500,
    QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons: 0,
    QStyle.StyleHint.SH_EtchDisabledText: 0,
    QStyle.StyleHint.SH_ScrollBar_LeftClickAbsolutePosition: 0,
    QStyle.StyleHint.SH_Slider_AbsoluteSetButtons: Qt.MouseButton.LeftButton.value,
    QStyle.StyleHint.SH_ComboBox_Popup: 0,
    QStyle.StyleHint.SH_ItemView_ShowDecorationSelected: 1,
}

_PRIMITIVES = {
    _Primitive.PE_PanelButtonCommand: _paint_button,
    _Primitive.PE_PanelButtonTool: _paint_tool_button,
    _Primitive.PE_FrameDefaultButton: lambda painter, option, widget: None,
    _Primitive.PE_PanelLineEdit: _paint_field_panel,
    _Primitive.PE_FrameLineEdit: _paint_field,
    _Primitive.PE_IndicatorCheckBox: _paint_box,
    _Primitive.PE_IndicatorItemViewItemCheck: _paint_box,
    _Primitive.PE_IndicatorRadioButton: _paint_radio,
    _Primitive.PE_FrameFocusRect: _paint_focus,
    _Primitive.PE_PanelMenu: _paint_menu_ground,
    _Primitive.PE_FrameMenu: _paint_frame,
    _Primitive.PE_Frame: _paint_frame,
    _Primitive.PE_PanelScrollAreaCorner: lambda painter, option, widget: None,
    _Primitive.PE_IndicatorArrowDown: _paint_arrow,
    _Primitive.PE_IndicatorBranch: _paint_branch,
}

_CONTROLS = {
    _Control.CE_ProgressBarGroove: _paint_progress_groove,
    _Control.CE_ProgressBarContents: _paint_progress,
    _Control.CE_HeaderSection: _paint_header,
    _Control.CE_HeaderEmptyArea: _paint_header,
    _Control.CE_Splitter: _paint_splitter,
}


def primary(button: QPushButton) -> QPushButton:
    """Returns the button filled with the accent: the one action of a page."""
    button.setProperty("primary", True)
    return button


def ghost(button: QPushButton) -> QPushButton:
    """Returns the button without a border."""
    button.setProperty("ghost", True)
    return button
