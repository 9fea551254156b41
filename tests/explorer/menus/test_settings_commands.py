"""The settings dialog: each row shows what is set, changes it at once, and the next start has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from small_files import new_folder
from windows import off_screen

from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.menus import settings_commands
from tokenarium.models.files import MEASURES
from tokenarium.models.tokenizers.library import State
from tokenarium.session import settings
from tokenarium.session.fetching import NOT_ALLOWED
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style import zoom
from tokenarium.style.appearance import Appearance, Letters, motion_enabled
from tokenarium.style.fonts import READING_SIZE, READING_SIZES, reading_font, ui_font
from tokenarium.style.theme import HIGH_CONTRAST_LIGHT, LIGHT, PRESENTATION, PRINT
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.settings_dialog import SettingsDialog


@pytest.fixture
def dialog(window: MainWindow) -> Iterator[SettingsDialog]:
    """The dialog; all that it changed is reset after the test, for the app is the same."""
    window.actions_by_id["settings"].trigger()
    found = there(window.lazy.settings.dialog)
    yield found
    window.lazy.settings.reset()


def control(dialog: SettingsDialog, name: str) -> QWidget:
    return next(row.control for row in dialog.rows if row.name == name)


def choose(dialog: SettingsDialog, name: str, text: str) -> None:
    """Chooses as a user does: by a click in a row of choices, or in a list."""
    found = control(dialog, name)
    if isinstance(found, Segmented):
        found.setCurrentIndex([found.tabText(at) for at in range(found.count())].index(text))
    else:
        assert isinstance(found, QComboBox)
        found.setCurrentText(text)
        found.activated.emit(found.currentIndex())


def test_each_row_has_a_name_of_its_own_and_shows_what_is_set(
    window: MainWindow, dialog: SettingsDialog
) -> None:
    names = [row.name for row in dialog.rows]
    assert len(set(names)) == len(names)
    for row in dialog.rows:
        assert row.control.accessibleName() or row.control.findChildren(QPushButton)
    colours, downloads = control(dialog, "Colours"), control(dialog, "Downloads")
    assert isinstance(colours, Segmented)
    assert colours.tabText(colours.currentIndex()) == "Light"
    assert isinstance(downloads, QCheckBox)
    assert downloads.isChecked()


def test_it_follows_what_is_changed_elsewhere(window: MainWindow, dialog: SettingsDialog) -> None:
    window.actions_by_id["scheme_dark"].trigger()
    colours = of_kind(control(dialog, "Colours"), Segmented)
    assert colours.tabText(colours.currentIndex()) == "Dark"


def test_colours_change_at_once(
    window: MainWindow, dialog: SettingsDialog, store: Settings
) -> None:
    looks = window.appearance
    assert looks.theme is LIGHT
    choose(dialog, "Colours", "High contrast")
    assert looks.theme is HIGH_CONTRAST_LIGHT
    for text, theme in (("Presentation", PRESENTATION), ("Print", PRINT)):
        choose(dialog, "Tokens", text)
        assert looks.theme is theme
    assert store.get(settings.COLOUR_SCHEME) == "contrast"
    assert store.get(settings.TOKEN_PALETTE) == "print"
    choose(dialog, "Tokens", "Standard")
    assert looks.theme is HIGH_CONTRAST_LIGHT


def test_motion_is_full_less_or_none(dialog: SettingsDialog, store: Settings) -> None:
    for text, decorates, explains in (
        ("None", False, False),
        ("Less", False, True),
        ("Full", True, True),
    ):
        choose(dialog, "Motion", text)
        assert (motion_enabled(), motion_enabled(explains=True)) == (decorates, explains)
        assert store.get(settings.MOTION) == text.lower()


def test_the_font_changes_at_once(dialog: SettingsDialog, window: MainWindow) -> None:
    before = ui_font().families()
    choose(dialog, "Font", "System font")
    assert ui_font().families() == before[1:]
    title = window.library.title.font()
    assert title.families() == before[1:]
    assert title.pixelSize() != ui_font().pixelSize()
    choose(dialog, "Font", "Inter")
    assert ui_font().families() == before == window.library.title.font().families()


def test_sizes_change_at_once(window: MainWindow, dialog: SettingsDialog, store: Settings) -> None:
    choose(dialog, "Everything", "150 %")
    assert (zoom.scale(), kept_scale(store)) == (150, 150)
    choose(dialog, "Text in tokens", "32 pixels")
    assert window.appearance.reading_size == 32
    assert store.get(settings.READING_SIZE) == "32"


def test_costs_go_to_the_session(window: MainWindow, dialog: SettingsDialog) -> None:
    for name, value in (("Context window", 200_000), ("Price, other models", 2.5)):
        field = of_kind(control(dialog, name), QDoubleSpinBox)
        field.setValue(value)
    assert window.session.figures.context_tokens == 200_000
    assert window.session.figures.price_per_million == 2.5
    window.session.figures.set_cost(0, 0)
    dialog.refresh()
    field = of_kind(control(dialog, "Context window"), QDoubleSpinBox)
    assert field.text() == "not entered"


def test_without_leave_nothing_is_downloaded(
    window: MainWindow, dialog: SettingsDialog, store: Settings, qtbot: QtBot
) -> None:
    box = of_kind(control(dialog, "Downloads"), QCheckBox)
    box.click()
    assert not store.get(settings.DOWNLOADS)
    item = next(item for item in window.session.library if item.state is State.MISSING)
    with qtbot.waitSignal(window.session.problem) as problem:
        window.fetcher.fetch(item.key)
    assert problem.args == [NOT_ALLOWED]
    assert item.state is State.MISSING
    window.lazy.finding.get_repository("someone/something")
    assert not window.lazy.finding.running.busy


def test_prepared_files_are_removed_and_folders_opened(
    dialog: SettingsDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = new_folder(tmp_path / "opened")
    monkeypatch.setattr(settings_commands, "cache_folder", lambda: folder)
    (folder / "one.frozen").write_bytes(bytes(2_000_000))
    (folder / "kept.txt").write_bytes(b"of somebody else")
    measured = new_folder(folder / MEASURES)
    (measured / "one.frozen").write_bytes(bytes(1_000_000))
    dialog.refresh()
    row = control(dialog, "Prepared files")
    shown = row.layout().itemAt(0).widget()
    assert shown.text() == "3.0 MB"
    row.findChildren(QPushButton)[0].click()
    assert shown.text() == "None"
    assert sorted(path.name for path in folder.iterdir()) == ["kept.txt", MEASURES]
    assert not list(measured.iterdir())
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    control(dialog, "Trained").findChildren(QPushButton)[0].click()
    assert opened[0].toLocalFile().endswith("trained")


@pytest.mark.parametrize(
    ("variables", "token", "said"),
    [
        ({"HF_TOKEN": "hf_secret"}, False, "A token is set, by HF_TOKEN"),
        ({}, True, "A token is set, by “hf auth login”"),
        ({}, False, "No token"),
    ],
)
def test_it_says_whether_there_is_a_token_and_never_which(
    variables: dict[str, str],
    token: bool,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HF_TOKEN", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    if token:
        (tmp_path / "token").write_text("hf_secret")
    assert settings_commands._hub_token() == said


def test_the_next_start_has_them(
    window: MainWindow, dialog: SettingsDialog, store: Settings, qapp: QApplication, qtbot: QtBot
) -> None:
    for name, text in (
        ("Tokens", "Print"),
        ("Motion", "Less"),
        ("Font", "System font"),
        ("Text in tokens", "26 pixels"),
    ):
        choose(dialog, name, text)
    Appearance(qapp).set_motion("full")
    again = off_screen(qtbot, make_window(qapp, store))
    looks = again.appearance
    assert (looks.token_palette, looks.motion, looks.system_font, looks.reading_size) == (
        "print",
        "less",
        True,
        26,
    )


def test_reset_brings_the_first_start_back(window: MainWindow, dialog: SettingsDialog) -> None:
    for name, text in (("Colours", "Dark"), ("Motion", "None"), ("Everything", "125 %")):
        choose(dialog, name, text)
    control(dialog, "All settings").findChildren(QPushButton)[0].click()
    looks = window.appearance
    assert (looks.scheme, looks.motion, zoom.scale()) == ("system", "full", 100)
    motion = of_kind(control(dialog, "Motion"), Segmented)
    assert motion.currentIndex() == 0


@pytest.mark.parametrize("kept", ["", "-3", "1000000", "large"])
def test_a_size_that_there_is_not_is_the_nearest_or_none(
    kept: str, store: Settings, qapp: QApplication, qtbot: QtBot
) -> None:
    store.set(settings.READING_SIZE, kept)
    window = off_screen(qtbot, make_window(qapp, store))
    size = window.appearance.reading_size
    assert size == (READING_SIZES[-1] if kept == "1000000" else READING_SIZE)


def test_the_text_zooms_alone_between_its_ends(window: MainWindow) -> None:
    window.session.set_text("some text")
    view, looks = window.workspace.view, window.appearance  # type: ignore[attr-defined]
    view.zoom_by(2, QPoint())
    assert looks.reading_size == 26
    assert reading_font(looks.reading_size).pixelSize() == 26
    view.zoom_by(-100, QPoint())
    assert looks.reading_size == READING_SIZES[0]
    view.zoom_by(100, QPoint())
    assert looks.reading_size == READING_SIZES[-1]


def test_code_has_letters_of_one_width_when_it_comes(window: MainWindow) -> None:
    looks, session = window.appearance, window.session
    code = "def f(n):\n    return [n, n + 1]\n"
    for text, fixed in (("Some words.", False), (code, True), ("Other words.", False)):
        session.set_text(text)
        assert looks.fixed_width is fixed
        letters = window.text.field.fontMetrics()
        assert (letters.horizontalAdvance("i") == letters.horizontalAdvance("W")) is fixed
    for at in range(len(code)):  # typed
        session.set_text(code[: at + 1], edited=True)
        assert not looks.fixed_width


@pytest.mark.parametrize(("letters", "fixed"), [("fixed", True), ("usual", False)])
def test_the_letters_can_be_chosen(window: MainWindow, letters: Letters, fixed: bool) -> None:
    display = window.display_commands
    display.set_letters(letters)
    for text in ("Some words.", '{"a": [1, 2, 3]}'):
        window.session.set_text(text)
        assert window.appearance.fixed_width is fixed
    display.set_letters("auto")
    assert window.appearance.fixed_width
