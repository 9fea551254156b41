"""Asks what to export of a player: a picture or an animation, the steps, the size, the colours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QWidget,
)

from tokenarium.style.controls import primary
from tokenarium.style.theme import DARK, GRID, LIGHT
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.players.animation import Animation, png
from tokenarium.widgets.players.animation_job import Kind, Order, seconds, shots
from tokenarium.widgets.players.transport import SPEEDS, speed_text

KINDS: tuple[tuple[Kind, str], ...] = (
    ("gif", "Animation (GIF)"),
    ("webp", "Animation (WebP)"),
    ("frames", "Numbered pictures (PNG)"),
    ("png", "One step (PNG)"),
    ("svg", "One step (SVG)"),
)
RATES = (0, 25, 30, 60)
SCALES = (1.0, 2.0, 3.0)
SMALLEST, LARGEST = QSize(320, 200), QSize(2560, 1440)
PREVIEW = QSize(44 * GRID, 30 * GRID)
PREVIEW_MS = 120
"""Milliseconds after which the preview follows."""

STEPS, STEP = "&Steps", "&Step"


class AnimationDialog(QDialog):
    """The choices, with a preview made by ``make_animation(dark)``; emits ``chosen``."""

    chosen = Signal(object)  # an Order without its path

    def __init__(
        self,
        make_animation: Callable[[bool], Animation | None],
        size: QSize,
        dark: bool,
        moving: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export steps")
        self._make_animation = make_animation
        self._animation = make_animation(dark)
        self._animation_dark = dark
        self._png_bytes = 0  # of the picture in the preview
        self.kind = _combo("What is written", [text for _, text in KINDS])
        self.first, self.last = _spin("First step"), _spin("Last step")
        self.step_name = secondary(QLabel())
        self.speed = _combo("Speed", [speed_text(speed) for speed in SPEEDS])
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.setToolTip("1× is the current speed of the player")
        self.rate = _combo("Frames a second", ["one per picture", "25", "30", "60"])
        self.pixels = (_spin("Width"), _spin("Height"))
        for spin, least, most, now in (
            (self.pixels[0], SMALLEST.width(), LARGEST.width(), size.width()),
            (self.pixels[1], SMALLEST.height(), LARGEST.height(), size.height()),
        ):
            spin.setRange(least, most)
            spin.setValue(now)
        self.scale = _combo("Pixels for each of the window", ["1 ×", "2 ×", "3 ×"])
        self.scale.setMinimumWidth(9 * GRID)
        self.colours = _combo("Colours", ["Light", "Dark"])
        self.colours.setCurrentIndex(int(dark))
        self.moving = QCheckBox("&Motion between the steps")
        self.moving.setToolTip("Includes the motion from one step to the next, not only the steps")
        self.moving.setChecked(moving)
        self.loop = QCheckBox("&Repeat forever")
        self.loop.setToolTip("Starts again after the last step")
        self.loop.setChecked(True)
        self.estimate = secondary(QLabel(wordWrap=True))
        self.preview = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), "Preview")
        self.preview.setFixedSize(PREVIEW)
        self._soon = QTimer(self, singleShot=True, interval=PREVIEW_MS)
        self._soon.timeout.connect(self.show_preview)
        self._build()
        self._begin()
        for combo in (self.kind, self.speed, self.rate, self.scale, self.colours):
            combo.currentIndexChanged.connect(self._follow)
        for box in (self.moving, self.loop):
            box.toggled.connect(self._follow)
        for spin in (self.first, self.last, *self.pixels):
            spin.valueChanged.connect(self._follow)
        self._follow()

    def _build(self) -> None:
        self._form = QFormLayout()
        self._form.setSpacing(GRID)
        self._steps, self._size = QWidget(), QWidget()
        self._to = QLabel("to")
        rows: tuple[tuple[QWidget, tuple[QWidget, ...]], ...] = (
            (self._steps, (self.first, self._to, self.last, self.step_name)),
            (self._size, (self.pixels[0], QLabel("×"), self.pixels[1], self.scale)),
        )
        for row, widgets in rows:
            cells = in_row(into=row, spacing=GRID)
            for widget in widgets:
                cells.addWidget(widget)
            cells.addStretch(1)
        for label, widget in (
            ("&Write", self.kind),
            (STEPS, self._steps),
            ("S&peed", self.speed),
            ("&Frames a second", self.rate),
            ("Si&ze", self._size),
            ("&Colours", self.colours),
        ):
            name = QLabel(label)
            buddy = {self._steps: self.first, self._size: self.pixels[0]}.get(widget, widget)
            name.setBuddy(buddy)
            self._form.addRow(name, widget)
        self._form.addRow("", self.moving)
        self._form.addRow("", self.loop)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.export = self.buttons.addButton("Export …", QDialogButtonBox.ButtonRole.AcceptRole)
        primary(self.export)
        for button in self.buttons.buttons():
            button.setIcon(QIcon())
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        columns = in_row(
            (self.preview, 0, Qt.AlignmentFlag.AlignTop), (self._form, 1), spacing=3 * GRID
        )
        below = in_row((self.estimate, 1), self.buttons, spacing=-1)
        in_column(columns, below, into=self, spacing=2 * GRID, margins=2 * GRID)

    def _begin(self) -> None:
        """Starts with all steps of the animation."""
        animation = self._animation
        length = animation.length if animation is not None else 0
        for spin, value in ((self.first, 0), (self.last, length)):
            spin.setRange(0, length)
            spin.setValue(value)

    # The choices.

    @property
    def single(self) -> bool:
        """Whether a single step is written instead of an animation."""
        return KINDS[self.kind.currentIndex()][0] in ("png", "svg")

    def order(self) -> Order:
        """Returns the choices, without a file name."""
        animation = self._animation
        step_ms = animation.step_ms if animation is not None else 500
        first = self.first.value()
        return Order(
            KINDS[self.kind.currentIndex()][0],
            Path(),
            first,
            first if self.single else max(first, self.last.value()),
            max(20, round(step_ms / SPEEDS[self.speed.currentIndex()])),
            self.moving.isChecked() and self.moving.isEnabled(),
            self.loop.isChecked(),
            RATES[self.rate.currentIndex()],
            self.pixels[0].value(),
            self.pixels[1].value(),
            SCALES[self.scale.currentIndex()],
            self.colours.currentIndex() == 1,
        )

    def _choose(self) -> None:
        self.chosen.emit(self.order())
        self.accept()

    # Display.

    def _follow(self) -> None:
        """Shows the options of the chosen kind, and the estimate."""
        kind, animation = KINDS[self.kind.currentIndex()][0], self._animation
        if self.sender() is self.kind and animation is not None:
            self.first.setValue(animation.position if self.single else 0)
        for row, shown in (
            (self.speed, not self.single),
            (self.rate, kind == "frames"),
            (self.loop, kind in ("gif", "webp")),
            (self.moving, not self.single),
        ):
            self._form.setRowVisible(row, shown)
        for widget in (self._to, self.last):
            widget.setVisible(not self.single)
        name = self._form.labelForField(self._steps)
        assert isinstance(name, QLabel)
        name.setText(STEP if self.single else STEPS)
        self.moving.setEnabled(animation is not None and animation.slides)
        self.scale.setEnabled(kind != "svg")
        self.last.setMinimum(self.first.value())
        self._tell()
        self._soon.start()

    def _tell(self) -> None:
        order, animation = self.order(), self._animation
        if animation is None:
            return
        names = [animation.name_of(order.first), animation.name_of(order.last)]
        self.step_name.setText(names[0] if self.single or not names[0] else " to ".join(names))
        width, height = round(order.width * order.scale), round(order.height * order.scale)
        pictures = shots(order)
        estimate = f"{len(pictures):,} pictures" if len(pictures) > 1 else "One picture"
        estimate += f" of {width:,} × {height:,} pixels"
        if not self.single:
            estimate += f", {seconds(pictures):,.1f} seconds"
        if order.kind in ("png", "frames") and self._png_bytes:
            size = self._png_bytes * order.scale * len(pictures)  # text grows less than its area
            estimate += (
                f", about {size / 1e6:,.1f} MB" if size > 1e6 else f", about {size / 1e3:,.0f} KB"
            )
        self.estimate.setText(estimate)

    def show_preview(self) -> None:
        """Shows a preview of the first step."""
        self._soon.stop()
        order = self.order()
        if order.dark != self._animation_dark:
            self._close_animation()
            self._animation, self._animation_dark = self._make_animation(order.dark), order.dark
        animation = self._animation
        if animation is None:
            return
        animation.set_up(DARK if order.dark else LIGHT, QSize(order.width, order.height))
        animation.show_step(order.first)
        picture = animation.picture(1.0)
        self._png_bytes = len(png(picture))
        self._tell()
        ratio = self.devicePixelRatioF()
        fitted = picture.scaled(
            PREVIEW * ratio,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        fitted.setDevicePixelRatio(ratio)
        self.preview.setPixmap(QPixmap.fromImage(fitted))

    def done(self, result: int) -> None:
        self._soon.stop()
        self._close_animation()
        super().done(result)

    def _close_animation(self) -> None:
        if self._animation is not None:
            self._animation.close()
            self._animation = None


def _combo(name: str, texts: list[str]) -> QComboBox:
    combo = named(QComboBox(), name)
    combo.addItems(texts)
    return combo


def _spin(name: str) -> QSpinBox:
    spin = named(QSpinBox(), name)
    spin.setGroupSeparatorShown(True)
    return spin
