"""The page Release check: a check from its start to its files, other texts, thresholds, and an older report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from asked import wait_asked
from narrowed import there
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import Host, show_page

from tokenarium.app.window import MainWindow
from tokenarium.models.release.evaluation import evaluation_code
from tokenarium.models.release.evaluation_report import RANK
from tokenarium.models.release.release_limits import ReleaseVerdict
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session.requests import TellSaved
from tokenarium.views.vocabulary_release import BUTTONS, SAMPLES, TEXT, ReleasePage
from tokenarium.widgets.vocabulary.release_card import ReleaseCard, WorseCard

WAIT_MS = 60_000
ACTIONS = [text for _, text in BUTTONS]


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> ReleasePage:
    """The page with the report of a short text."""
    host.session.set_text("low lower lowest")
    found = show_page(host, "vocabulary", "release", ReleasePage)
    found.stop()  # the samples take longer
    found.texts.setCurrentIndex(TEXT)
    found.texts.activated.emit(TEXT)
    qtbot.waitUntil(lambda: found.report is not None, timeout=WAIT_MS)
    return found


def checked(page: ReleasePage, qtbot: QtBot) -> None:
    before = page.report
    qtbot.waitUntil(
        lambda: not page.busy and page.report is not None and page.report is not before,
        timeout=WAIT_MS,
    )


def test_a_check_is_shown_by_verdict(page: ReleasePage, qtbot: QtBot) -> None:
    report = there(page.report)
    cards = [card for card in page.cards if isinstance(card, ReleaseCard)]
    assert sum(len(card.found) for card in cards) == len(report.checks)
    for card in cards:
        assert {one.verdict for one in card.found} == {card.verdict}
    order = [list(RANK).index(card.verdict) for card in cards]
    assert order == sorted(order)
    assert report.corpus["bytes"] == 16
    assert report.summary in page.summary.text()
    for wide in (320, 1000):  # nothing of a card is outside of a narrow pane
        cards[0].resize(wide, 400)
        assert cards[0].minimumSizeHint().width() <= 320
    left = [card.found[-1].check.title for card in cards]
    qtbot.waitUntil(lambda: set(left) <= {one.text() for one in page.findChildren(QLabel)})
    rows = [table.topLevelItemCount() for table in page.tables]
    assert rows == [
        1,
        len(report.languages),
        len(report.scripts),
        len(report.numbers) + len(report.spaces),
    ]
    for place in range(page.parts.count()):
        page.parts.setCurrentIndex(place)
    assert page.lines()[1][1] == report.checks[0].check.title


def test_the_buttons_of_the_report_are_in_one_row(window: MainWindow) -> None:
    page = show_page(window, "vocabulary", "release", ReleasePage)
    page.stop()
    for width in (1400, 800):
        window.resize(width, 600)
        QApplication.processEvents()
        shown = [one for one in page.findChildren(QToolButton) if one.text() in ACTIONS]
        assert len(shown) == len(ACTIONS)
        assert len({one.mapTo(page, one.rect().topLeft()).y() for one in shown}) == 1


def test_a_running_check_can_be_stopped(page: ReleasePage, qtbot: QtBot) -> None:
    page.run_button.click()
    assert page.busy
    assert page.run_button.text() == "Stop"
    page.run_button.click()
    assert not page.busy
    assert page.summary.text() == "The check was stopped."
    assert page.report is not None  # the last one stays


def test_another_text_is_measured_when_it_is_checked_again(
    page: ReleasePage, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("lower")
    window.actions_by_id["release_run"].trigger()
    checked(page, qtbot)
    assert page.report is not None
    assert page.report.corpus["bytes"] == 5
    window.session.set_text("")
    page.press()
    assert page.report is None
    assert "is empty" in page.summary.text()


def test_thresholds_configuration_and_an_older_report(
    page: ReleasePage, host: Host, qtbot: QtBot, tmp_path: Path
) -> None:
    assert page.report is not None
    old = json.loads(page.report.as_json())
    next(one for one in old["checks"] if one["id"] == "fertility")["figure"] = 0.5
    (tmp_path / "old.json").write_text(json.dumps(old))
    page.compare_with(tmp_path / "old.json")
    assert isinstance(page.cards[0], WorseCard)
    assert "1 worse" in page.cards[0].title.text()
    limits = write_file(tmp_path / "limits.toml", "[limits]\nfertility = 0.5")
    page.use_limits(limits)
    checked(page, qtbot)
    assert page.report is not None
    assert page.report.verdict is ReleaseVerdict.FAIL
    assert "limits.toml" in page.summary.text()
    assert "'fertility': ReleaseLimit(look=0.5, fail=0.5)" in evaluation_code(there(page.request))
    (tmp_path / "config.json").write_text('{"vocab_size": 100}')
    page.use_config(tmp_path / "config.json")
    checked(page, qtbot)
    figures = {one.check.id: one.figure for one in page.report.checks}
    assert figures["config_rows"] == 7900
    page.check_plainly()
    checked(page, qtbot)
    assert page.compared is None


def test_a_wrong_file_leaves_what_is_shown(
    page: ReleasePage, host: Host, tmp_path: Path, qtbot: QtBot
) -> None:
    before = page.report
    wrong = write_file(tmp_path / "wrong.json", "[]")
    for use in (page.use_limits, page.compare_with):
        with qtbot.waitSignal(host.session.problem):
            use(wrong)
    assert page.report is before


def test_the_report_is_saved_and_copied(
    page: ReleasePage, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    commands = window.vocabulary_commands
    qtbot.waitUntil(window.actions_by_id["release_save"].isEnabled)
    commands.write_release(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["verdict"]
    with wait_asked(qtbot, window.session.requests, TellSaved, WAIT_MS):
        commands.write_release(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    with wait_asked(qtbot, window.session.requests, TellSaved, WAIT_MS):
        commands.write_release(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    window.actions_by_id["copy_python"].trigger()
    code = QGuiApplication.clipboard().text()
    compile(code, "copied", "exec")
    assert "CorpusSource('text', value='low lower lowest')" in code


def test_files_are_measured(page: ReleasePage, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("lower")
    page.measure_paths([])
    assert page.texts.currentIndex() == TEXT
    page.measure_paths([tmp_path / "b.txt"])
    checked(page, qtbot)
    assert page.report is not None
    assert [one.name for one in page.report.files] == ["b.txt"]
    assert there(page.request).sources == (CorpusSource("file", str(tmp_path / "b.txt")),)
    assert page.texts.currentIndex() != SAMPLES
