"""The page Other programs of the workspace Compare: its process, its rows and its files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from windows import Host, show_page, trigger

from tokenarium.app.window import MainWindow
from tokenarium.session.session import Session
from tokenarium.views.compare_readers import STOPPED, ReadersPage
from tokenarium_core.comparing.readers.readers import READERS

UNIGRAM, OWN = "shipped:unigram-8k", "shipped:tokenarium-8k"
EARLIER = "sentencepiece 0.2.1"


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


def test_saved_as_markdown(
    page: ReadersPage, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "programs.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path), ""))
    trigger(window, "save_comparison")
    written = path.read_text("utf-8")
    assert written.startswith(page.result.sentence[:20])
    assert written.count("\n|") == 2 + len(READERS)
