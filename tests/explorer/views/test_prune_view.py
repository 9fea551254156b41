"""The part Prune of the page Change: what is counted, what it says, what is refused, and the new tokenizer."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from narrowed import there
from PySide6.QtCore import QPoint, QRect, Qt
from pytestqt.qtbot import QtBot
from windows import Host, show_page

from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.changed import CHANGED
from tokenarium.views.text_choice import SAMPLES
from tokenarium.views.vocabulary_change import PARTS, ChangePage
from tokenarium.views.vocabulary_prune import COST, FIRST, RESIDUES, PrunePart
from tokenarium.widgets.training.trained_list import facts
from tokenarium.widgets.vocabulary.going_table import ENTRY, GOES

WAIT_MS = 60_000
TEXT = "the lower the slower, the low lower\n" * 20


@pytest.fixture
def part(host: Host, qtbot: QtBot) -> PrunePart:
    host.session.set_text(TEXT)
    page = show_page(host, "vocabulary", "change", ChangePage)
    page.choice.setCurrentIndex(PARTS.index(PrunePart))
    qtbot.waitUntil(lambda: page.prune.item is not None, timeout=WAIT_MS)
    return page.prune


def count(part: PrunePart, qtbot: QtBot) -> None:
    part.find_button.click()
    assert part.busy
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)


def test_the_cost_of_every_size_is_counted(part: PrunePart, qtbot: QtBot) -> None:
    assert part.nothing.isVisible()
    assert part.lines() == []
    count(part, qtbot)
    curve = there(part.result)
    assert curve.entries == 8000
    assert curve.smallest == 257
    assert not part.plot.chart.empty
    assert "are never used in the text" in part.summary.text()
    part.size_field.setValue(257)
    assert "7,743 entries are removed, 257 remain" in part.summary.text()
    assert part.plot.chart.marks[0].at == 257
    part.size_field.setValue(100)
    assert "257 entries must stay" in part.summary.text()
    part.size_field.setValue(0)
    part.controls["never_used"].show(True)
    assert "0 tokens more on the text (0%)" in part.summary.text()
    part.views.setCurrentIndex(FIRST)
    rows = part.lines()
    assert rows[1][GOES] == "goes"
    assert rows[-1][GOES] == ""
    part.views.setCurrentIndex(RESIDUES)
    assert all(len(row) == 4 for row in part.lines())
    part.views.setCurrentIndex(COST)
    part.controls["script"].show("Latin, Greek")
    assert part.request.scripts == ("Latin", "Greek")
    assert "known once the tokenizer is made" in part.summary.text()


def test_a_share_of_the_entries_is_a_size(part: PrunePart, qtbot: QtBot) -> None:
    field = part.size_field
    field.selectAll()
    qtbot.keyClicks(field, "50%")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert part.request.to_size == 4_000
    assert field.text() == "4,000"
    field.selectAll()
    qtbot.keyClicks(field, "0")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert part.request.to_size is None
    assert field.text() == "any size"


def test_a_share_of_no_entry_is_refused_in_words(part: PrunePart, qtbot: QtBot) -> None:
    field = part.size_field
    field.selectAll()
    qtbot.keyClicks(field, "0.001%")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "any size"
    qtbot.waitUntil(lambda: "“0.001%” of 8,000 is not possible" in part.summary.text())


def test_the_new_tokenizer_is_in_the_library_and_undo_takes_it_out(
    part: PrunePart, host: Host, qtbot: QtBot
) -> None:
    session = host.session
    old = there(session.current)
    assert not part.make_button.isEnabled()
    part.size_field.setValue(1000)
    part.multiple.setCurrentIndex(part.multiple.findData(64))
    part.name_field.setText("small")
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not None and session.current.name == "small")
    made = there(session.current)
    assert len(there(made.tokenizer).vocabulary) == 960
    trained = session.trainings.store.all()[0]
    assert trained.algorithm == CHANGED
    assert facts(trained).startswith(f"Made from {old.name}: 7,040 entries removed: down to 1,000")
    assert "more tokens on the text" in facts(trained)
    session.edits.undo_stack.undo()
    assert session.library.item(made.key) is None


def test_other_texts_can_decide(part: PrunePart, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("Other words entirely, and more of them.\n" * 30, encoding="utf-8")
    part.texts.use_paths([path])
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    assert part.result is not None
    assert len(part.plot.chart.curves) == 2
    assert "corpus.txt" in part.summary.text()
    assert "PATHS" in part.python()
    part.texts.use_paths([])
    assert part.texts.currentIndex() == 2
    part.texts.use_paths([tmp_path / "none.txt"])
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    assert "none.txt" in part.summary.text()
    assert part.result is None
    part.texts.activated.emit(SAMPLES)
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    assert part.result is not None
    assert part.residue_table.topLevelItemCount()


def test_what_cannot_be_is_said_and_work_can_be_stopped(
    part: PrunePart, host: Host, qtbot: QtBot
) -> None:
    part.controls["script"].show("Elvish")
    part.make_button.click()
    qtbot.waitUntil(lambda: not part.busy, timeout=WAIT_MS)
    assert "is not a script" in part.summary.text()
    assert host.session.trainings.store.all() == []
    part.find_button.click()
    assert part.find_button.text() == "Stop"
    part.find_button.click()
    assert "you stopped the count" in part.summary.text()
    host.session.set_text("")
    part.find_now()
    assert "is empty" in part.summary.text()
    assert part.python() == ""


def test_the_program_makes_the_figures_again(part: PrunePart, qtbot: QtBot) -> None:
    count(part, qtbot)
    part.size_field.setValue(4000)
    names: dict[str, object] = {}
    exec(part.python(), names)
    rows = names["rows"]
    curve = there(part.result)
    assert isinstance(rows, list)
    assert [row["Tokens without it"] for row in rows] == list(curve.tokens[1:])
    assert rows[0]["Id"] == curve.going[0].id
    small = names["small"]
    assert len(small.vocabulary) == 4000  # type: ignore[attr-defined]
    assert part.first_table.lines()[1][ENTRY] == curve.going[0].entry


def test_nothing_covers_anything_else_in_a_low_window(
    part: PrunePart, window: MainWindow, qtbot: QtBot
) -> None:
    count(part, qtbot)
    window.resize(640, 480)
    rows = (part.texts, part.controls["keep_ids"].widget, part.summary, part.views)

    def places() -> list[QRect]:
        return [QRect(row.mapTo(part, QPoint()), row.size()) for row in rows]

    qtbot.waitUntil(lambda: all(one.bottom() < other.top() for one, other in pairwise(places())))
    assert part.summary.height() >= part.summary.heightForWidth(part.summary.width())
    assert part.make_button.isVisible()
