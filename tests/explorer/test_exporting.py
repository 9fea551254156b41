"""The dialog on which a tokenizer is saved in other formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.menus.exporting import ExportingCommands
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.library.export_dialog import ExportDialog
from tokenarium_core.formats.registry import EXPORT_FORMATS


@pytest.fixture
def exporting(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> ExportingCommands:
    """The dialog, open on a small BPE."""
    tokenizer = tc.train("bpe", [sample_text("prose-en")], vocab_size=400, pattern="gpt2")
    tokenizer.save(tmp_path / "small one.json")
    entry = window.session.edits.add_file(tmp_path / "small one.json")
    qtbot.waitUntil(lambda: entry.tokenizer is not None)
    window.session.set_current(entry.key)
    window.actions_by_id.refresh()
    window.actions_by_id["save_tokenizer"].trigger()
    return window.late.exporting


def dialog_of(exporting: ExportingCommands) -> ExportDialog:
    assert exporting.dialog is not None
    return exporting.dialog


def wait(exporting: ExportingCommands, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: exporting.worker is None)
    dialog = dialog_of(exporting)
    return dialog.sentence.text() or dialog.problem.text()


def test_formats_that_cannot_hold_it_are_grey_and_say_why(exporting: ExportingCommands) -> None:
    dialog = dialog_of(exporting)
    possible = {name for name, box in dialog.choices.items() if box.isEnabled()}
    assert possible == {"tokenarium", "huggingface", "tiktoken", "gpt2"}
    assert list(dialog.choices) == list(EXPORT_FORMATS)
    assert "other stages" in dialog.choices["sentencepiece"].toolTip()
    assert dialog.chosen == "tokenarium"


@pytest.mark.parametrize(
    ("format", "files", "library"),
    [
        ("huggingface", ["small-one.json"], "tokenizers"),
        ("gpt2", ["encoder.json", "vocab.bpe"], "tokenizers"),
    ],
)
def test_what_is_proved_is_written(
    exporting: ExportingCommands,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    format: str,
    files: list[str],
    library: str,
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    asked: list[str] = []

    def ask(*arguments: object) -> tuple[str, str]:
        asked.append(str(arguments[2]))
        return str(out / str(arguments[2])), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(out))
    dialog = dialog_of(exporting)
    dialog.choices[format].setChecked(True)
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert dialog.bar.isVisible()
    told = wait(exporting, qtbot)
    assert "identical on" in told
    assert library in told
    assert sorted(path.name for path in out.iterdir()) == files
    assert asked in ([], ["small-one.json"])
    assert dialog.save.isVisible()


def test_a_failure_and_a_cancellation_are_told(
    exporting: ExportingCommands, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = dialog_of(exporting)
    exporting.save("tokenarium", tmp_path / "no such" / "folder" / "t.json")
    assert "cannot be written" in wait(exporting, qtbot)
    assert (dialog.sentence.isVisible(), dialog.problem.isVisible()) == (False, True)
    for scheme, theme in (("dark", DARK), ("light", LIGHT)):
        window.display_commands.set_colour_scheme(scheme)
        assert dialog.problem.palette().color(QPalette.ColorRole.WindowText) == theme.error
    exporting.save("tiktoken", tmp_path / "t.tiktoken")
    qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert "given up" in dialog.sentence.text()
    assert not dialog.problem.isVisible()
    assert not (tmp_path / "t.tiktoken").exists()
    exporting.save("tiktoken", tmp_path / "t.tiktoken")
    dialog.reject()
    assert exporting.worker is None
