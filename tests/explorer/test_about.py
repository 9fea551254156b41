"""What the program says of itself."""

from __future__ import annotations

import platform

import pytest
from PySide6.QtCore import qVersion
from PySide6.QtWidgets import QMessageBox

from tokenarium.app.window import MainWindow
from tokenarium_core.version import __version__


def test_about_names_what_a_report_of_a_fault_needs(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "about", lambda _parent, _title, text: told.append(text))
    window.actions_by_id["about"].trigger()
    for named in (__version__, platform.python_version(), qVersion(), "Core "):
        assert named in told[0]
