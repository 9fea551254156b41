"""How Qt's own controls are painted: a style over Fusion, in the colours of the palette.

The palette carries the theme: Mid is its hairline, Dark the border of controls, Midlight the sunken ground, Light the
wash of what is on. A button with the property ``primary`` is filled, one with ``ghost`` has no border.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QProxyStyle,
    QPushButton,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionMenuItem,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionToolButton,
    QWidget,
)

from tokenarium.style.control_painting import (
    CONTROLS,
    PRIMITIVES,
    TOOL_MARGIN,
    has_property,
    is_beside,
    keyboard_focus,
    paint_chevron,
    paint_field,
    paint_tool_label,
    text_colour,
)
from tokenarium.style.popups import (
    MENU_PADDING,
    dress_popup,
    menu_row_size,
    paint_menu_bar_ground,
    paint_menu_bar_row,
    paint_menu_ground,
    paint_menu_row,
    paint_tip_ground,
)
from tokenarium.style.theme import CONTROL_HEIGHT, GRID, SMALL_CONTROL_HEIGHT
from tokenarium.style.themed import take_palette

FIELD_MARGIN = 10
"""Pixels between the border of a field and its text."""

SPIN_MARGIN = 6
"""Pixels that the base class lacks of it in a box for a number."""

ICON_GAP = 4
"""Pixels between the icon of a box and its text, in the base class."""

_POPUPS = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)
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
        if kind == QStyle.ContentsType.CT_ComboBox:
            # The base class knows nothing of the margin that `subControlRect` adds on the left.
            return QSize(size.width() + FIELD_MARGIN - 5, max(size.height(), CONTROL_HEIGHT))
        if kind == QStyle.ContentsType.CT_SpinBox:
            return QSize(size.width() + SPIN_MARGIN, CONTROL_HEIGHT)
        if kind == QStyle.ContentsType.CT_LineEdit:
            return QSize(size.width(), max(size.height(), CONTROL_HEIGHT))
        if kind == QStyle.ContentsType.CT_ToolButton:
            more = 2 * TOOL_MARGIN if is_beside(option) else 4
            return QSize(size.width() + more, max(size.height(), SMALL_CONTROL_HEIGHT))
        if kind == QStyle.ContentsType.CT_MenuItem and isinstance(option, QStyleOptionMenuItem):
            return menu_row_size(option, contents)
        if kind == QStyle.ContentsType.CT_MenuBarItem:
            return QSize(contents.width() + 2 * GRID, contents.height() + GRID)
        return size

    def polish(self, what: QWidget | QPalette | QApplication) -> None:  # type: ignore[override]  # three in one
        super().polish(what)
        if isinstance(what, QWidget):
            take_palette(what)
            if what.windowType() in _POPUPS:
                dress_popup(what)

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
        if element == _Control.CE_ToolButtonLabel and is_beside(option):
            paint_tool_label(painter, cast(QStyleOptionToolButton, option))
            return
        enabled = bool(option.state & _State.State_Enabled)
        if element == _Control.CE_PushButtonLabel and has_property(widget, "primary") and enabled:
            option = QStyleOptionButton(cast(QStyleOptionButton, option))
            option.palette.setColor(_Role.ButtonText, option.palette.color(_Role.HighlightedText))
        if element == _Control.CE_ComboBoxLabel:
            option = self._elided(cast(QStyleOptionComboBox, option), widget)
        super().drawControl(element, option, painter, widget)

    def _elided(self, option: QStyleOptionComboBox, widget: QWidget | None) -> QStyleOptionComboBox:
        """Returns a box whose text fits beside its icon and its chevron; the base class would paint over both."""
        option = QStyleOptionComboBox(option)
        area = QStyle.ComplexControl.CC_ComboBox
        room = self.subControlRect(area, option, QStyle.SubControl.SC_ComboBoxEditField, widget)
        icon = 0 if option.currentIcon.isNull() else option.iconSize.width() + ICON_GAP
        option.currentText = option.fontMetrics.elidedText(
            option.currentText, Qt.TextElideMode.ElideMiddle, room.width() - 2 - icon
        )
        return option

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
            part == QStyle.SubControl.SC_SpinBoxEditField
            and control == QStyle.ComplexControl.CC_SpinBox
        ):
            return rect.adjusted(SPIN_MARGIN, 0, 0, 0)
        if (
            part == QStyle.SubControl.SC_ComboBoxEditField
            and control == QStyle.ComplexControl.CC_ComboBox
        ):
            return rect.adjusted(
                FIELD_MARGIN - 3, 0, 4, 0
            )  # the chevron is narrower than its place
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
        held = enabled and bool(option.activeSubControls & QStyle.SubControl.SC_SliderHandle)
        if held and option.state & (_State.State_MouseOver | _State.State_Sunken):
            halo = QColor(accent)
            halo.setAlphaF(0.3 if option.state & _State.State_Sunken else 0.16)
            painter.setBrush(halo)
            painter.drawEllipse(centre, 11.5, 11.5)
        painter.setPen(QPen(accent, 3))
        painter.setBrush(palette.color(_Role.Base))
        painter.drawEllipse(centre, 7.5, 7.5)
        if keyboard_focus(option):
            painter.setPen(QPen(palette.color(_Role.Accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(centre, 10.5, 10.5)
        painter.restore()

    def _paint_combo_box(
        self, painter: QPainter, option: QStyleOptionComboBox, widget: QWidget | None
    ) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_field(painter, option, widget)
        area = QStyle.ComplexControl.CC_ComboBox
        arrow = self.subControlRect(area, option, QStyle.SubControl.SC_ComboBoxArrow, widget)
        paint_chevron(painter, QRectF(arrow).center(), text_colour(option))
        painter.restore()

    def _paint_spin_box(
        self, painter: QPainter, option: QStyleOptionSpinBox, widget: QWidget | None
    ) -> None:
        """A field with two chevrons; the one under the pointer has a ground."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.frame:
            paint_field(painter, option, widget)
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
            paint_chevron(
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


_PRIMITIVES = PRIMITIVES | {
    _Primitive.PE_PanelMenu: paint_menu_ground,
    _Primitive.PE_FrameMenu: lambda painter, option, widget: None,
    _Primitive.PE_PanelTipLabel: paint_tip_ground,
}

_CONTROLS = CONTROLS | {
    _Control.CE_MenuItem: paint_menu_row,
    _Control.CE_MenuBarItem: paint_menu_bar_row,
    _Control.CE_MenuBarEmptyArea: paint_menu_bar_ground,
}

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
    _Metric.PM_MenuHMargin: MENU_PADDING - 1,
    _Metric.PM_MenuVMargin: MENU_PADDING - 1,
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


def primary(button: QPushButton) -> QPushButton:
    """Returns the button filled with the accent: the one action of a page."""
    button.setProperty("primary", True)
    return button


def ghost(button: QPushButton) -> QPushButton:
    """Returns the button without a border."""
    button.setProperty("ghost", True)
    return button
