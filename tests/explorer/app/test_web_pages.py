"""Saving the view as a web page from the window: another process writes it, and says where it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from asked import wait_asked
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tokenarium.app import web_pages
from tokenarium.app.window import MainWindow
from tokenarium.session.requests import TellSaved

FAILS = "import sys; sys.exit('It cannot be written.')"


def test_the_view_is_written_by_the_command(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.set_text("Hello there, <b>you</b>", title="A greeting")
    window.session.select(0, 5)
    path = tmp_path / "seen"
    suggested: list[str] = []

    def answer(*values: str) -> tuple[str, str]:
        suggested.append(values[2])
        return str(path), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    with wait_asked(qtbot, window.session.requests, TellSaved) as saved:
        window.actions_by_id["save_web_page"].trigger()
    assert saved.args == [TellSaved(path.with_suffix(".html"))]
    assert Path(suggested[0]).name == "tokens.html"
    html = path.with_suffix(".html").read_text()
    assert "<title>A greeting</title>" in html
    assert "<p>Hello there, &lt;b&gt;you&lt;/b&gt;</p>" in html
    current = window.session.current
    assert current is not None
    assert f"<b>{current.model_name}</b>" in html
    assert " selected</span>" in html
    assert window.web_pages.process is None


def test_another_page_says_which_can_be_web_pages(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("asked"))
    said: list[str] = []
    window.session.problem.connect(said.append)
    window.vocabulary_commands.show_page("release")
    window.actions_by_id["save_web_page"].trigger()
    assert said[-1].startswith("This page cannot be a web page. These pages can: Tokens, Steps, ")


def test_a_failure_is_said(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_pages, "program", lambda: [sys.executable, "-c", FAILS])
    with qtbot.waitSignal(window.session.problem) as said:
        window.web_pages.write(tmp_path / "a.html")
    assert said.args == ["The web page was not written. It cannot be written."]


def test_closing_ends_it_and_leaves_no_file(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [sys.executable, "-c", "import time; time.sleep(60)"]
    monkeypatch.setattr(web_pages, "program", lambda: waits)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    window.web_pages.write(tmp_path / "a.html")
    assert list(tmp_path.glob("tokenarium-*/page.tokenarium"))
    window.web_pages.cancel()
    assert window.web_pages.process is None
    assert not [*tmp_path.glob("tokenarium-*"), *tmp_path.glob("*.html")]
