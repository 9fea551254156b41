"""The dialogs for files: each kind opens where it was left, after a restart too."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from patching import patch_all
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QFileDialog

import tokenarium
from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.session.settings import Settings
from tokenarium.widgets import file_dialogs


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Answers every dialog with ``answer``, and keeps in ``at`` where it opened."""
    said: dict[str, Any] = {"answer": ""}

    def ask(parent: object, title: str, place: str = "", *_: object) -> Any:
        said["at"] = place
        return said["answer"]

    patch_all(
        monkeypatch,
        QFileDialog,
        getOpenFileName=lambda *a: (ask(*a), ""),
        getOpenFileNames=lambda *a: ([one] if (one := ask(*a)) else [], ""),
        getSaveFileName=lambda *a, **_: (ask(*a), ""),
        getExistingDirectory=ask,
    )
    return said


def test_each_kind_opens_where_it_was_left_in_the_next_window(
    qapp: QApplication, tmp_path: Path, opened: dict[str, Any]
) -> None:
    texts, pictures = tmp_path / "texts", tmp_path / "pictures"
    for folder in (texts, pictures):
        folder.mkdir()
    (texts / "a.txt").write_text("A text.")
    store = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    first = make_window(qapp, Settings(store))
    opened["answer"] = str(texts / "a.txt")
    first.text_commands.open_text()
    assert opened["at"] == "", "nothing is kept yet"
    opened["answer"] = str(pictures / "view.png")
    first.text_commands.export_png()
    opened["answer"] = ""  # cancelled
    first.text_commands.open_text()
    assert opened["at"] == str(texts)
    first.close()
    first.deleteLater()
    store.sync()
    second = make_window(
        qapp, Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    )
    second.text_commands.open_text()
    assert opened["at"] == str(texts)
    second.text_commands.export_png()
    assert os.path.dirname(opened["at"]) == str(pictures)
    assert os.path.basename(opened["at"]).endswith(".png"), "a name is still suggested"
    second.library_commands.open_tokenizer()
    assert opened["at"] == "", "another kind"
    second.close()
    second.deleteLater()


def test_a_folder_that_is_gone_is_not_opened(window: MainWindow, tmp_path: Path) -> None:
    file_dialogs.folders.restore([f"texts\t{tmp_path / 'gone'}", "none", "\t", "tables\t"])
    assert file_dialogs.folders.at("texts", "a.txt") == "a.txt"
    assert file_dialogs.folders.at("tables") == ""


def test_all_dialogs_for_files_are_asked_for_in_one_place() -> None:
    root = Path(next(iter(tokenarium.__path__)))
    asking = {
        path.name
        for path in root.rglob("*.py")
        if re.search(r"QFileDialog\.get|QFileDialog\(", path.read_text(encoding="utf-8"))
    }
    assert asking == {"file_dialogs.py"}
