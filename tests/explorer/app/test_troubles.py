"""The log, newer versions, and what is said after a crash and in a safe start, in the window."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from narrowed import assert_contains, there
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.app import troubles
from tokenarium.app.window import MainWindow
from tokenarium.models import installation, problem_report
from tokenarium.models.files import log_folder
from tokenarium.models.program_log import ERROR, begin_log, fault_path, log
from tokenarium.models.run_marks import CrashedRun
from tokenarium.models.updates import NewVersion, upgrade_command
from tokenarium.session import settings
from tokenarium.session.fetching import NOT_ALLOWED
from tokenarium.session.settings import Settings
from tokenarium.widgets.report_dialog import ReportDialog

pytestmark = pytest.mark.usefixtures("own_log")


def report_of(window: MainWindow) -> ReportDialog:
    dialog = there(window.troubles.report_dialog)
    assert dialog.isVisible()
    return dialog


# The log.


def test_the_log_follows_and_filters(window: MainWindow, qtbot: QtBot) -> None:
    begin_log(lambda: "start")
    log("all is well")
    window.actions_by_id["log"].trigger()
    dialog = there(window.troubles.log_dialog)
    assert "all is well" in dialog.text.toPlainText()
    log("wrong\nin detail", ERROR)
    qtbot.waitUntil(lambda: "in detail" in dialog.text.toPlainText())
    bar = dialog.text.verticalScrollBar()
    assert bar.value() == bar.maximum()
    dialog.levels.setCurrentIndex(2)
    assert "all is well" not in dialog.text.toPlainText()
    dialog.copy()
    assert QGuiApplication.clipboard().text() == dialog.text.toPlainText()
    dialog.follow.setChecked(False)
    log("more", ERROR)
    dialog._look()
    assert "more" not in dialog.text.toPlainText()


def test_the_log_shows_runs_before(window: MainWindow) -> None:
    begin_log(lambda: "start")
    other = log_folder() / "tokenarium-20260102-030405-77.log"
    other.write_text("2026-01-02 03:04:05.678 INFO    of another run\n")
    window.troubles.show_log()
    dialog = there(window.troubles.log_dialog)
    names = [dialog.runs.itemText(place) for place in range(dialog.runs.count())]
    assert names[0].startswith("This run, ")
    assert "2026-01-02, 03:04:05" in names
    place = names.index("2026-01-02, 03:04:05")
    dialog.runs.setCurrentIndex(place)
    dialog.runs.activated.emit(place)
    assert "of another run" in dialog.text.toPlainText()
    assert dialog.path.text() == str(other)


def test_an_empty_log_says_so(window: MainWindow) -> None:
    window.troubles.show_log()
    dialog = there(window.troubles.log_dialog)
    assert dialog.text.toPlainText() == ""
    assert dialog.text.placeholderText()


def test_the_usual_button_of_a_notice_has_the_focus(window: MainWindow) -> None:
    window.troubles.show_crash(CrashedRun(1.0, "", 1))
    dialog = report_of(window)
    usual = dialog.buttons["Close"]
    assert dialog.focusWidget() is usual
    assert usual.isDefault()


# After a crash.


def test_after_a_crash_it_says_that_all_is_as_it_was(window: MainWindow) -> None:
    folder = log_folder()
    folder.mkdir(parents=True)
    (folder / "tokenarium-20260102-030405-77.log").write_text("the last line\n")
    fault_path("tokenarium-20260102-030405-77").write_text(
        'Fatal Python error: Aborted\n\nCurrent thread:\n  File "/home/anna/x/Diary.py", line 3 in <module>\n\nExtension modules: a, b\n'
    )
    crash = CrashedRun(1.0, "tokenarium-20260102-030405-77", 1)
    window.troubles.say_crashed(crash, "")
    bar = window.messages
    assert bar.label.text() == f"{troubles.ENDED} {troubles.AS_IT_WAS}"
    assert (bar.offered.text(), bar.second.text()) == ("Show report", "Start fresh")
    bar.offered.click()
    dialog = report_of(window)
    assert "in compiled code: Aborted" in dialog.sentence.text()
    report = dialog.text.toPlainText()
    assert_contains(report, '"….py", line 3', "the last line")
    assert "Extension" not in report


def test_what_differs_is_said_instead(window: MainWindow) -> None:
    window.troubles.say_crashed(CrashedRun(1.0, "", 1), "One is off now.")
    assert window.messages.label.text() == f"{troubles.ENDED} One is off now."
    sentence = "Tokenarium ended unexpectedly while one was being opened."
    window.troubles.say_crashed(CrashedRun(1.0, "", 1), sentence)
    assert window.messages.label.text() == sentence


def test_a_draft_is_offered_after_what_is_said_of_a_crash(window: MainWindow) -> None:
    window.scene_commands.keep_draft("mine.md", "a draft")
    window.scene_commands.stop()
    bar, writing = window.messages, window.lesson_writing
    window.troubles.say_crashed(CrashedRun(1.0, "", 1), "")
    writing.offer_draft(bar.offer_later)
    assert bar.label.text() == f"{troubles.ENDED} {troubles.AS_IT_WAS}"
    assert (bar.offered.text(), bar.second.text()) == ("Show report", "Start fresh")
    bar.close_button.click()
    assert "“mine.md” has changes" in bar.label.text()
    assert bar.offered.text() == "Continue writing"
    assert bar.second.isHidden()
    bar.close_button.click()
    assert bar.isHidden()
    writing.offer_draft(bar.offer_later)  # at once where nothing is shown
    assert bar.isVisible()


def test_start_fresh_can_be_taken_back(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("my text")
    window.show_workspace("bytes")
    window.troubles.say_crashed(CrashedRun(1.0, "", 1), "")
    window.messages.second.click()
    assert window.session.title == "Welcome"
    assert window.workspace.name.id == "tokens"
    on = {item.key for item in window.session.library if item.on}
    assert on == set(settings.TOKENIZERS_ON.default)
    assert window.messages.offered.text() == "Bring it back"
    window.messages.offered.click()
    qtbot.waitUntil(lambda: window.session.text == "my text")


def test_a_safe_start_offers_the_usual_one(window: MainWindow) -> None:
    asked: list[list[str]] = []
    window.troubles.leave = lambda arguments: asked.append(list(arguments))
    window.troubles.say_safe("This is a safe start.")
    assert window.messages.offered.text() == "Start normally"
    window.messages.offered.click()
    assert asked == [[]]


# Newer versions.


def serve(folder: Path, served: str, window: MainWindow, version: str, news: str = "") -> None:
    info = {"version": version, "description": f"# {version}\n{news}"}
    content = {"info": info, "releases": {version: [{"yanked": False}]}}
    (folder / "served" / "index.json").write_text(json.dumps(content))
    window.troubles.index_url = f"{served}/index.json"


def test_a_newer_version_is_shown(
    window: MainWindow, tmp_path: Path, served: str, qtbot: QtBot
) -> None:
    serve(tmp_path, served, window, "999.1", "- All is <b>new</b>.")
    window.actions_by_id["check_updates"].trigger()
    qtbot.waitUntil(lambda: window.troubles.report_dialog is not None)
    dialog = report_of(window)
    assert "999.1 is available" in dialog.heading.text()
    assert "- All is <b>new</b>." in dialog.text.toPlainText()
    dialog.buttons["Copy the command"].click()
    assert QGuiApplication.clipboard().text() in dialog.sentence.text()
    assert dialog.isVisible()
    dialog.buttons["Close"].click()
    assert not dialog.isVisible()


def test_no_newer_version_is_said(
    window: MainWindow, tmp_path: Path, served: str, qtbot: QtBot
) -> None:
    serve(tmp_path, served, window, "0.0.1")
    window.troubles.check_now()
    sentence = f"This is the newest version: {tc.__version__}."
    qtbot.waitUntil(lambda: window.messages.label.text() == sentence)


def test_no_answer_is_said(window: MainWindow, served: str, qtbot: QtBot) -> None:
    window.troubles.index_url = f"{served}/fails/x"
    window.troubles.check_now()
    qtbot.waitUntil(lambda: "answered with the error 500" in window.messages.label.text())


def test_nothing_is_asked_where_downloads_are_off(window: MainWindow) -> None:
    window.session.downloads_allowed = False
    window.troubles.check_now()
    assert window.messages.label.text() == NOT_ALLOWED
    assert window.troubles.check is None


def test_once_a_week_only_where_it_is_switched_on(
    window: MainWindow, store: Settings, tmp_path: Path, served: str, qtbot: QtBot
) -> None:
    serve(tmp_path, served, window, "999.1")
    window.troubles.check_weekly()
    assert window.troubles.check is None  # off by default
    store.set(settings.CHECK_UPDATES, True)
    store.set(settings.UPDATES_CHECKED, (date.today() - timedelta(3)).isoformat())
    window.troubles.check_weekly()
    assert window.troubles.check is None
    store.set(settings.UPDATES_CHECKED, (date.today() - timedelta(8)).isoformat())
    window.troubles.check_weekly()
    qtbot.waitUntil(lambda: "999.1 is available" in window.messages.label.text())
    assert store.get(settings.UPDATES_CHECKED) == date.today().isoformat()
    window.messages.offered.click()
    assert not report_of(window).text.isVisible()  # nothing is known of what is new


def test_a_weekly_question_without_an_answer_is_quiet(
    window: MainWindow, store: Settings, served: str, qtbot: QtBot
) -> None:
    store.set(settings.CHECK_UPDATES, True)
    window.troubles.index_url = f"{served}/fails/x"
    window.troubles.check_weekly()
    check = there(window.troubles.check)
    with qtbot.waitSignal(check.failed):
        pass
    assert window.messages.label.text() == ""


@pytest.mark.parametrize("page", ["", "https://example.org/get"])
def test_a_frozen_app_names_the_page(
    page: str, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "is_frozen", lambda: True)
    monkeypatch.setattr(problem_report, "project_url", lambda *_: page)
    window.troubles.show_new(NewVersion("999.1"))
    dialog = report_of(window)
    assert ("Open the page" in dialog.buttons) == bool(page)
    assert "pip" not in dialog.sentence.text()


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/anna/.local/share/pipx/venvs/tokenarium", "pipx upgrade tokenarium"),
        (r"C:\Users\Anna\AppData\Roaming\uv\tools\tokenarium", "uv tool upgrade tokenarium"),
        ("/usr", "python3 -m pip install --upgrade tokenarium"),
    ],
)
def test_the_command_is_that_of_the_installer(prefix: str, command: str) -> None:
    assert upgrade_command(prefix) == command
