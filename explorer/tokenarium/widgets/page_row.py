"""The row at the top of a workspace: its pages at the left, always in the same place, and its switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QFont, QIcon, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from tokenarium.style.control_painting import lit_ground
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.palette import mix
from tokenarium.style.theme import GRID, PAGE_MARGIN, SMALL_CONTROL_HEIGHT
from tokenarium.widgets.keyboard import paint_keyboard_ring
from tokenarium.widgets.panel import FlatButton, named
from tokenarium.widgets.segmented import TRACK_HEIGHT, Segmented
from tokenarium.widgets.term_marks import TermButton, explain

MOST_SEGMENTS = 5
"""The most choices as buttons; more become a menu."""

ROW_GAP = GRID


class ChoiceMenu(FlatButton):
    """The choices as a menu, whose button has the text of the current one."""

    def __init__(self, actions: Sequence[QAction], name: str) -> None:
        super().__init__()
        self.setAutoRaise(False)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.setFixedHeight(TRACK_HEIGHT)
        self._name = name
        self._actions = list(actions)
        self.choices = QMenu(self)
        self.choices.addActions(self._actions)
        self.clicked.connect(self._open)
        for action in self._actions:
            action.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        on = next((action for action in self._actions if action.isChecked()), self._actions[0])
        self.setText(on.iconText())
        self.setAccessibleName(f"{self._name}: {on.iconText()}")
        self.updateGeometry()

    def _open(self) -> None:
        self.choices.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def sizeHint(self) -> QSize:
        widest = max(
            self.fontMetrics().horizontalAdvance(action.iconText()) for action in self._actions
        )
        return QSize(
            widest + 48, TRACK_HEIGHT
        )  # equally wide for each choice, so that nothing moves

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.mid(), 1))
        painter.setBrush(lit_ground(self, palette.base().color()))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 9, 9)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.setFont(self.font())
        painter.drawText(
            self.rect().adjusted(14, 0, -30, 0), Qt.AlignmentFlag.AlignVCenter, self.text()
        )
        square = QRectF(self.width() - 30, (self.height() - 16) / 2, 16, 16)
        paint_icon(painter, square, "caret-down", palette.color(QPalette.ColorRole.PlaceholderText))
        painter.end()
        paint_keyboard_ring(self, self.rect())


class ChipButton(QToolButton):
    """A switch as a chip: sunken, or in the accent with a check mark if it is on."""

    def __init__(self, action: QAction, text: str) -> None:
        super().__init__()
        self._text = text
        self.setDefaultAction(action)
        self.setAccessibleName(action.text().replace("&", ""))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.Medium))
        self.setFixedHeight(SMALL_CONTROL_HEIGHT)

    def sizeHint(self) -> QSize:
        return QSize(
            self.fontMetrics().horizontalAdvance(self._text) + 24 + 22, SMALL_CONTROL_HEIGHT
        )

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        on, palette, roles = self.isChecked(), self.palette(), QPalette.ColorRole
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = palette.color(roles.Light if on else roles.Midlight)
        if self.isEnabled() and (self.underMouse() or self.isDown()):
            further = palette.color(roles.Accent if on else roles.Text)
            ground = mix(ground, further, 0.16 if self.isDown() else 0.08)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        radius = self.height() / 2
        painter.drawRoundedRect(QRectF(self.rect()), radius, radius)
        group = QPalette.ColorGroup.Active if self.isEnabled() else QPalette.ColorGroup.Disabled
        colour = palette.color(group, roles.Accent if on else roles.Text)
        square = QRectF(10, (self.height() - 16) / 2, 16, 16)
        own = self.defaultAction().icon()
        if on and self.isEnabled():
            paint_icon(painter, square, "check", colour)
        elif own.isNull():
            paint_icon(painter, square, "plus", colour)
        else:
            mode = QIcon.Mode.Normal if self.isEnabled() else QIcon.Mode.Disabled
            own.paint(painter, square.toRect(), mode=mode)
        painter.setPen(colour)
        painter.setFont(self.font())
        place = self.rect().adjusted(32, 0, 0, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self._text)
        painter.end()
        paint_keyboard_ring(self, self.rect())


class PageRow(QWidget):
    """The row of one workspace; it needs no room if the workspace has neither pages nor switches.

    ``choices`` are groups of actions that exclude each other, each group with a name for screen readers; ``switches``
    are actions with short texts. If there is too little room, first the choices after the first one become menus, then
    as many of the last switches as necessary move into a menu, then the first choice becomes one too.
    """

    def __init__(
        self,
        choices: Sequence[tuple[str, Sequence[QAction]]],
        switches: Sequence[tuple[QAction, str]],
        terms: Mapping[QAction, str] | None = None,
        spread: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """``terms`` of the glossary explain switches; ``spread``: all but the first choice is at the right end."""
        super().__init__(parent)
        self.segments: list[Segmented] = []
        self.menus: list[ChoiceMenu] = []
        self.buttons = [ChipButton(action, text) for action, text in switches]
        self.marks = {action: TermButton(term) for action, term in (terms or {}).items()}
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.more = named(FlatButton(), "What is shown", "What is shown")
        self.more.setIcon(icon("sliders-horizontal"))
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more.setFixedSize(TRACK_HEIGHT, TRACK_HEIGHT)
        self.more.clicked.connect(self._open_menu)
        self._has_tools = True
        self._collected: list[QAction] = []  # the switches in the menu
        row = self._row = QHBoxLayout(self)
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)  # its parts shrink
        row.setSpacing(ROW_GAP)
        for name, actions in choices:
            if spread and len(self.segments) == 1:
                row.addStretch(1)
            segmented = named(Segmented(), name)
            segmented.follow(actions)
            menu = ChoiceMenu(actions, name)
            self.segments.append(segmented)
            self.menus.append(menu)
            row.addWidget(segmented)
            row.addWidget(menu)
        if spread and len(self.segments) < 2:
            row.addStretch(1)
        for button in self.buttons:
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
            mark = self.marks.get(button.defaultAction())
            if mark is not None:
                row.addWidget(mark, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.more)
        if not spread:
            row.addStretch(1)
        self._empty = not choices and not switches
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_low(False)

    @property
    def least_height(self) -> int:
        """Pixels of its height in a low window."""
        return 0 if self._empty else TRACK_HEIGHT + 2 * GRID

    def set_low(self, low: bool) -> None:
        """Reduces the height, for a low window."""
        above, below = (GRID, GRID) if low else (2 * GRID, 12)
        if self._empty:
            above = below = 0
        self._row.setContentsMargins(PAGE_MARGIN, above, PAGE_MARGIN, below)
        self.setFixedHeight(0 if self._empty else above + TRACK_HEIGHT + below)
        self._fit()

    def show_tools(self, show: bool) -> None:
        """Shows or hides everything but the first choice, for a page that has no use for the tools."""
        if show != self._has_tools:
            self._has_tools = show
            self.updateGeometry()
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._width(0, len(self._tools), _width_of), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width(len(self._choices), 0, _width_of), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def _tools(self) -> list[ChipButton]:
        """The switches of the current page."""
        return self.buttons if self._has_tools else []

    @property
    def _choices(self) -> list[Segmented]:
        """The choices of the current page."""
        return self.segments if self._has_tools else self.segments[:1]

    def _parts(self, menus: int) -> list[QWidget]:
        """The widgets of the choices, the last ``menus`` of which are menus."""
        choices = self._choices
        return [
            menu
            if place >= len(choices) - menus or segmented.count() > MOST_SEGMENTS
            else segmented
            for place, (segmented, menu) in enumerate(zip(choices, self.menus, strict=False))
        ]

    def _width(self, menus: int, switches: int, width_of: Callable[[QWidget], int]) -> int:
        """Pixels that the row needs with some choices as menus, and with only the first switches outside the menu."""
        parts = self._parts(menus)
        for button in self._tools[:switches]:
            parts += [button, *self._mark_of(button)]
        if switches < len(self._tools):
            parts.append(self.more)
        return sum(map(width_of, parts)) + ROW_GAP * len(parts) + 2 * PAGE_MARGIN

    def _fitting(self) -> tuple[int, int]:
        """How many choices are menus, and how many switches are outside the menu, in the present width."""
        room, all_of_them, choices = self.width(), len(self._tools), len(self._choices)
        later = max(choices - 1, 0)
        width_of = cache(_width_of)  # each part is measured once, however many ways are tried
        for menus in range(later + 1):
            if self._width(menus, all_of_them, width_of) <= room:
                return menus, all_of_them
        for menus in range(later, choices + 1):
            for switches in range(all_of_them, -1, -1):
                if self._width(menus, switches, width_of) <= room:
                    return menus, switches
        return choices, 0

    def _fit(self) -> None:
        menus, switches = self._fitting()
        shown = self._parts(menus)
        for part in (*self.segments, *self.menus):
            part.setVisible(part in shown)
        for place, button in enumerate(self.buttons):
            for part in (button, *self._mark_of(button)):
                part.setVisible(place < switches)
        collected = [button.defaultAction() for button in self._tools[switches:]]
        if collected != self._collected:
            self._collected = collected
            self._fill_menu()
        self.more.setVisible(bool(collected))

    def _mark_of(self, button: ChipButton) -> list[TermButton]:
        """The mark of the term that explains a switch, if it has one."""
        mark = self.marks.get(button.defaultAction())
        return [] if mark is None else [mark]

    def _fill_menu(self) -> None:
        self.menu.clear()
        for action in self._collected:
            self.menu.addAction(action)
            mark = self.marks.get(action)
            if mark is not None:
                asks = self.menu.addAction(mark.icon(), f"What does “{mark.term}” mean?")
                asks.triggered.connect(
                    lambda _=False, mark=mark: explain(self.more, mark.explanation)
                )

    def _open_menu(self) -> None:
        self.menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))


def _width_of(part: QWidget) -> int:
    """Returns the width that a part needs, in pixels."""
    return part.sizeHint().width()
