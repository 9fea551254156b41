"""The dialog that makes a figure of a chart: its size, letters, colours and caption, with a preview."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QPushButton,
)

from tokenarium.models.charts.figure import PRESETS, FigureColours, FigureLook
from tokenarium.models.files import chosen_path
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID
from tokenarium.widgets.charts.figure_sheet import KINDS, NO_PROGRAM, FigureChart, figure_sheet
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import named, secondary
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.bounded_field import BoundedField
from tokenarium_core import TokenariumError

PREVIEW = (400, 320)
"""Pixels of the preview; a figure is made smaller to fit, never larger."""

SOON_MS = 80
"""Milliseconds after the last change until the preview follows."""

SMALLEST, LARGEST = 5.0, 40.0
"""Points of the letters."""

COLOURS: tuple[FigureColours, ...] = get_args(FigureColours)


class FigureDialog(QDialog):
    """The choices next to a preview; the chart itself is not changed."""

    def __init__(self, chart: FigureChart) -> None:
        super().__init__(chart)
        self.setWindowTitle("Figure")
        self._chart = chart
        self.preview = named(QLabel(), "The figure")
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.preview.setMinimumSize(*PREVIEW)
        self.size_text = secondary(QLabel())
        self.presets = named(QComboBox(), "The size of the figure")
        for preset in PRESETS:
            self.presets.addItem(preset.title)
        self.presets.currentIndexChanged.connect(self._take_preset)
        self.points = named(QDoubleSpinBox(), "The size of the letters, in points")
        self.points.setRange(SMALLEST, LARGEST)
        self.points.setSuffix(" pt")
        self.points.setDecimals(1)
        self.points.setValue(PRESETS[0].points)
        self.colours = named(Segmented([colour.capitalize() for colour in COLOURS]), "The colours")
        self.ground = named(Segmented(["Filled", "Transparent"]), "The background")
        self.title = QCheckBox("With the title")
        self.title.setChecked(True)
        self.captioned = QCheckBox("With the caption")
        self.captioned.setChecked(True)
        self.caption = named(BoundedField(chart.caption()), "The caption")
        self.caption.setTabChangesFocus(True)
        self.note = secondary(QLabel(wordWrap=True))
        form = QFormLayout()
        for name, field in (
            ("Size", self.presets),
            ("Letters", self.points),
            ("Colours", self.colours),
            ("Ground", self.ground),
            ("", self.title),
            ("", self.captioned),
        ):
            form.addRow(name, field)
        self.copy = primary(QPushButton("Copy picture"))
        self.copy.clicked.connect(self._copy)
        self.code = QPushButton("Copy as Python")
        self.code.setToolTip("Copies a program that reproduces the numbers")
        self.code.setEnabled(chart.source.code is not None)
        self.code.clicked.connect(self._copy_code)
        buttons = in_row(self.code, STRETCH, spacing=GRID)
        self.saves: dict[str, QPushButton] = {}
        for suffix in KINDS:
            button = self.saves[suffix] = QPushButton(f"Save {suffix.upper()} …")
            button.clicked.connect(lambda _, suffix=suffix: self._save(suffix))
            buttons.addWidget(button)
        buttons.addWidget(self.copy)
        for button in (self.code, *self.saves.values()):
            button.setAutoDefault(False)
        right = in_column(form, (self.caption, 1), spacing=GRID)
        left = in_column((self.preview, 1), self.size_text, spacing=GRID)
        both = in_row((left, 3), (right, 2), spacing=2 * GRID)
        in_column((both, 1), self.note, buttons, into=self, spacing=GRID, margins=2 * GRID)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self.show_preview)
        for signal in (
            self.points.valueChanged,
            self.colours.currentChanged,
            self.ground.currentChanged,
            self.title.toggled,
            self.captioned.toggled,
            self.caption.textChanged,
        ):
            signal.connect(self._soon.start)
        self.show_preview()

    @property
    def look(self) -> FigureLook:
        """The choices."""
        return FigureLook(
            PRESETS[self.presets.currentIndex()],
            self.points.value(),
            COLOURS[self.colours.currentIndex()],
            self.ground.currentIndex() == 1,
            self.title.isChecked(),
            self.caption.toPlainText().strip() if self.captioned.isChecked() else "",
        )

    def _take_preset(self, place: int) -> None:
        """Sets the usual letter size for a figure size."""
        self.points.setValue(PRESETS[place].points)
        self._soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_preview()  # the size of the preview is known only now

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._soon.start()

    def show_preview(self) -> None:
        """Shows the figure with the current choices."""
        self._soon.stop()
        room = self.preview.contentsRect().size()
        ratio = self.devicePixelRatioF()
        with figure_sheet(self._chart, self.look) as sheet:
            wide, high = sheet.width() * sheet.scale, sheet.height() * sheet.scale
            scale = min(room.width() / wide, room.height() / high, 1.0)
            pixmap = QPixmap.fromImage(sheet.image(scale * ratio))
        pixmap.setDevicePixelRatio(ratio)
        self.preview.setPixmap(pixmap)
        self.size_text.setText(f"{wide * 25.4 / 96:.0f} × {high * 25.4 / 96:.0f} mm")

    def _copy(self) -> None:
        look = self.look
        with figure_sheet(self._chart, look) as sheet:
            QGuiApplication.clipboard().setImage(sheet.image(look.preset.dpi / 96))
        self.note.setText("Copied: paste it into a document or a slide.")

    def _copy_code(self) -> None:
        if self._chart.copy_code():
            self.note.setText("Copied: a program that reproduces the numbers.")
        else:
            self.note.setText(NO_PROGRAM)

    def _save(self, suffix: str) -> None:
        name, _ = ask_new_file(
            "pictures", self, "Save the figure", f"{self._chart.title}.{suffix}", KINDS[suffix]
        )
        if not name:
            return
        path = chosen_path(name, f".{suffix}", *(f".{kind}" for kind in KINDS))
        try:
            if suffix == "csv":
                self._chart.save(path)
            else:
                self._chart.save_figure(path, self.look)
        except TokenariumError as error:
            self.note.setText(str(error))
        else:
            self._chart.saved.emit(path)
            self.note.setText(f"Saved {path.name} in {path.parent}.")
