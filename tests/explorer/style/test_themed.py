"""Widgets take the theme of the window that they are in, whenever they get into it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QTreeWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from windows import off_screen, on_screen

from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import (
    DARK,
    HIGH_CONTRAST_DARK,
    HIGH_CONTRAST_LIGHT,
    LIGHT,
    PRESENTATION,
    PRINT,
    Theme,
    theme_in,
)
from tokenarium.style.themed import Themed, theme_of
from tokenarium.widgets.flat_table import make_flat
from tokenarium.widgets.stage_sheet import StageSheet

THEMES = (LIGHT, DARK, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK, PRESENTATION, PRINT)


class Sample(Themed, QWidget):
    """Writes down in what it was dressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.worn: list[Theme] = []
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        self.worn.append(theme)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, theme.bad)
        self.setPalette(palette)


@pytest.fixture
def looks(qtbot: QtBot) -> Iterator[Appearance]:
    made = Appearance(cast("QApplication", QApplication.instance()), "light")
    yield made
    made.set_token_palette("standard")
    made.set_scheme("light")


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_palette_says_its_theme(theme: Theme) -> None:
    assert theme_in(theme.palette()) == theme
    changed = theme.palette()
    changed.setColor(QPalette.ColorRole.Window, QColor("magenta"))
    assert theme_in(changed) == theme


def test_equal_themes_have_one_number(qtbot: QtBot) -> None:
    clear = [replace(DARK, page=QColor(1, 2, 3, 0)) for _ in range(3)]
    assert len({theme_in(one.palette()).name for one in clear}) == 1
    assert {id(theme_in(one.palette())) for one in clear} == {id(theme_in(clear[0].palette()))}
    assert theme_in(clear[0].palette()).page == clear[0].page


def test_a_palette_of_the_system_has_the_theme_of_the_app(looks: Appearance) -> None:
    looks.set_scheme("dark")
    strange = QPalette()
    strange.setColor(QPalette.ColorRole.Shadow, QColor("white"))
    assert theme_in(strange) is DARK
    assert theme_in(QGuiApplication.palette()) is DARK


def test_what_was_hidden_is_dressed_when_it_is_shown(looks: Appearance, qtbot: QtBot) -> None:
    window = on_screen(qtbot, QWidget())
    part = Sample(window)
    part.show()
    part.hide()
    looks.set_scheme("dark")
    looks.set_token_palette("print")
    assert part.worn == [LIGHT]
    assert part.theme is PRINT
    part.show()
    assert part.worn == [LIGHT, PRINT]
    looks.set_token_palette("standard")
    assert part.worn == [LIGHT, PRINT, DARK]


def test_a_switch_has_arrived_before_it_is_told(looks: Appearance, qtbot: QtBot) -> None:
    window = off_screen(qtbot, QWidget())
    part = Sample(window)
    told: list[Theme] = []
    looks.changed.connect(lambda: told.append(part.worn[-1]))
    looks.set_scheme("dark")
    assert told == [DARK]
    looks.set_token_palette("print")
    looks.set_reading_size(30)
    assert part.worn == [LIGHT, DARK, PRINT]
    assert part.palette().color(QPalette.ColorRole.Text) == PRINT.bad


def test_what_is_in_another_window_has_the_theme_of_that(looks: Appearance, qtbot: QtBot) -> None:
    looks.set_scheme("dark")
    stage = off_screen(qtbot, QWidget())
    stage.setPalette(PRESENTATION.palette())
    rows = QVBoxLayout(stage)
    stage.show()
    late, early, label, table = Sample(), Sample(), QLabel("late"), QTreeWidget()
    make_flat(table)
    early.ensurePolished()
    for part in (late, early, label, table):
        rows.addWidget(part)
        part.show()
    assert early.worn == [DARK, PRESENTATION]
    assert theme_of(label) == PRESENTATION
    assert late.worn == [DARK, PRESENTATION]
    for part in (late, label, table):
        assert part.palette().color(QPalette.ColorRole.WindowText) == PRESENTATION.ink
    looks.set_scheme("light")
    assert late.worn == [DARK, PRESENTATION]
    assert label.palette().color(QPalette.ColorRole.WindowText) == PRESENTATION.ink


def test_a_sheet_gives_its_theme_to_what_is_made_later(looks: Appearance, qtbot: QtBot) -> None:
    looks.set_scheme("dark")
    sheet, content = StageSheet(PRESENTATION), QWidget()
    qtbot.addWidget(sheet)
    rows = QVBoxLayout(content)
    sheet.put(content)
    sheet.show()
    label = QLabel("late")
    rows.addWidget(label)
    label.show()
    assert theme_of(label) == PRESENTATION
    assert label.palette().color(QPalette.ColorRole.WindowText) == PRESENTATION.ink
