"""The page Other programs of the workspace Compare: its process, its rows and its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from differing_pairs import fields_of
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from windows import Host, add_file, show_page, shown_in, trigger
from worker_functions import never_answers

from tokenarium.app.window import MainWindow
from tokenarium.models.diagnosis.diagnosis import Level
from tokenarium.session.session import Session
from tokenarium.views.compare_readers import NONE_INSTALLED, NOT_ALL, RUNNING, STOPPED, ReadersPage
from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage
from tokenarium.widgets.vocabulary.finding_card import OF_FILES
from tokenarium.work import program_process
from tokenarium.work.program_process import runnable
from tokenarium_core.comparing.readers.readers import READERS

UNIGRAM, OWN = "shipped:unigram-8k", "shipped:tokenarium-8k"
EARLIER = "sentencepiece 0.2.1"

WAIT_MS = 60_000


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> ReadersPage:
    """The page with a SentencePiece model in front, compared."""
    host.session.edits.turn_on(UNIGRAM, True)
    qtbot.waitUntil(lambda: not host.session.opening)
    host.session.set_current(UNIGRAM)
    found = show_page(host, "compare", ReadersPage.id, ReadersPage)
    compared(found, qtbot)
    return found


def compared(page: ReadersPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: page.answered and not page.busy)


def test_a_row_for_each_program_that_reads_the_file(page: ReadersPage) -> None:
    table = page.chooser
    names = [table.topLevelItem(row).text(0) for row in range(table.topLevelItemCount())]
    assert names[0] == EARLIER  # the worst is first
    assert {"sentencepiece 0.2.3", "mistral-common 1.13.1"} <= set(names)
    assert len(names) == len(page.result.reading)
    assert page.chosen == EARLIER
    assert page.parts["detail"].sentence.text().startswith(f"{EARLIER}: different ids.")
    assert page.parts["head"].text().startswith(f"Unigram 8k. Of {len(names)} programs")
    assert len(page.lines()) == 1 + len(READERS)
    assert page.save.isEnabled()


def test_another_program_is_chosen(page: ReadersPage) -> None:
    assert page.chooser.choose("sentencepiece 0.2.3")
    assert page.parts["detail"].sentence.text().startswith("sentencepiece 0.2.3: same ids.")


def test_another_tokenizer_in_front(page: ReadersPage, session: Session, qtbot: QtBot) -> None:
    session.set_current(OWN)
    qtbot.waitUntil(lambda: page.inputs is None or page.inputs.subjects[0].key == OWN)
    compared(page, qtbot)
    assert page.parts["table"].isHidden()
    assert "No program" in page.parts["head"].text()


def test_cancelled_and_compared_again(page: ReadersPage, qtbot: QtBot) -> None:
    page.button.click()
    assert page.busy
    assert page.button.text() == "Cancel"
    assert not page.answered
    page.button.click()
    qtbot.waitUntil(lambda: not page.busy)
    assert page.parts["head"].text() == STOPPED
    assert page.button.text() == "Compare again"
    assert not page.save.isEnabled()
    page.button.click()
    compared(page, qtbot)
    assert page.save.isEnabled()


def test_the_installed_programs_are_run(page: ReadersPage, qtbot: QtBot) -> None:
    rows = page.chooser.topLevelItemCount()
    programs = runnable(page.result.programs)
    assert "sentencepiece" in programs
    assert page.run_button.isEnabled()
    assert page.run_button.toolTip().startswith("Runs ")
    page.run_button.click()
    assert page.busy
    assert page.button.text() == "Cancel"
    assert not page.run_button.isEnabled()
    qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
    assert page.button.text() == "Compare again"
    assert page.run_button.isEnabled()
    run = [one for one in page.result.programs if one.was_run]
    assert [one.program for one in run] == programs
    assert page.chooser.topLevelItemCount() == rows + len(run)
    assert page.chooser.choose(run[0].name)
    assert page.parts["detail"].sentence.text().startswith(f"{run[0].name}: ")
    assert "The program itself was run on " in page.parts["detail"].sentence.text()
    assert run[0].name in page.parts["head"].text()
    assert len(page.lines()) == 1 + len(READERS) + len(run)


def test_a_run_is_stopped(page: ReadersPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_process, "serve", never_answers)
    before = page.parts["head"].text()
    page.run_button.click()
    qtbot.waitUntil(lambda: page.parts["head"].text().startswith(RUNNING))
    page.button.click()
    assert not page.busy
    assert page.parts["head"].text() == f"{before} {NOT_ALL}"
    assert page.button.text() == "Compare again"
    assert page.answered
    page.run_button.click()
    page.ask_again()  # another comparison ends the run
    compared(page, qtbot)
    assert page.parts["head"].text() == before


def test_without_installed_programs(page: ReadersPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_process, "installed_version", lambda _: "")
    page.ask_again()
    assert not page.run_button.isEnabled()
    assert page.run_button.toolTip() == NONE_INSTALLED


def test_from_a_finding_and_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(fields_of("prefixed_bytes")), "utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>"}', "utf-8")
    (tmp_path / "config.json").write_text('{"bos_token_id": 1}', "utf-8")
    item = add_file(window.session, path, qtbot)
    window.session.set_current(item.key)
    findings = show_page(window, "vocabulary", DiagnosticsPage.id, DiagnosticsPage)
    qtbot.waitUntil(lambda: findings.item is item and not findings.busy, timeout=WAIT_MS)
    linked = {one.finding.id for one in findings.cards if not one.programs.isHidden()}
    assert {"configuration", "added_blanks"} <= linked <= OF_FILES
    assert all(
        one.finding.level.reaches(Level.SURPRISE)
        for one in findings.cards
        if not one.programs.isHidden()
    )
    next(one for one in findings.cards if one.finding.id in linked).programs.click()
    page = shown_in(window, ReadersPage)
    qtbot.waitUntil(lambda: page.answered and not page.busy, timeout=WAIT_MS)
    assert page.inputs is not None
    assert page.inputs.subjects[0].key == item.key
    page.diagnostics.click()
    assert shown_in(window, DiagnosticsPage) is findings


def test_saved_as_markdown(
    page: ReadersPage, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "programs.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    trigger(window, "save_comparison")
    written = path.read_text("utf-8")
    assert written.startswith(page.result.sentence[:20])
    assert written.count("\n|") == 2 + len(READERS)
