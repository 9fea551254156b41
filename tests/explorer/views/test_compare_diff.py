"""The page Diff of the workspace Compare: the pair, its process, its cards and its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QToolButton
from pytestqt.qtbot import QtBot
from windows import Host, add_file, show_page, trigger

import tokenarium_core as tc
from tokenarium.analyses.diff import DIFF
from tokenarium.app.window import MainWindow
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.session.session import Session
from tokenarium.views.compare_diff import STOPPED, DiffPage
from tokenarium.widgets.compare.diff_cards import FIRST, LOOKS
from tokenarium.widgets.text.token_tiles import TokenTiles
from tokenarium_core.comparing.stage_differences import EFFECTS

ONE, OTHER, THIRD = "shipped:tokenarium-8k", "shipped:unigram-8k", "shipped:wordpiece-8k"


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> DiffPage:
    """The page with two tokenizers, compared."""
    host.session.set_text("The quick brown fox")
    host.session.edits.turn_on(OTHER, True)
    qtbot.waitUntil(lambda: not host.session.opening)
    found = show_page(host, "compare", DiffPage.id, DiffPage)
    compared(found, qtbot)
    return found


def compared(page: DiffPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: page.answered and not page.busy)


def pair(page: DiffPage) -> list[str]:
    assert page.pair.items is not None
    return [item.key for item in page.pair.items]


def buttons(page: DiffPage, words: str) -> list[QToolButton]:
    return [one for one in page.cards.findChildren(QToolButton) if one.text() == words]


def test_the_cards_have_what_the_core_finds(page: DiffPage) -> None:
    wanted = tc.diff(
        tc.open(shipped_path("tokenarium-8k")), tc.open(shipped_path("unigram-8k")), ["The quick brown fox"]
    )  # fmt: skip
    assert page.result.sentence == wanted.sentence
    assert page.result.tried == wanted.tried
    headline, *stages = page.cards.cards
    assert headline.sentence.text() == wanted.sentence
    assert headline.badge.words == "changes ids"
    assert {one.card.id for one in stages} == {one.stage for one in wanted.differences}
    assert len(page.lines()) == 1 + len(wanted.differences)


def test_the_tokens_are_those_of_each_tokenizer(page: DiffPage) -> None:
    first = page.result.first
    assert first is not None
    shown = page.cards.cards[0].findChildren(TokenTiles)
    assert [[tile.note for tile in one.tiles] for one in shown] == [
        [str(id) for id in ids] for ids in (first.ids_a, first.ids_b)
    ]


def test_it_is_about_the_one_in_front_and_the_next(
    page: DiffPage, session: Session, qtbot: QtBot
) -> None:
    assert pair(page) == [ONE, OTHER]
    session.set_current(OTHER)
    assert pair(page) == [OTHER, ONE]
    compared(page, qtbot)
    session.edits.turn_on(THIRD, True)
    qtbot.waitUntil(lambda: not session.opening)
    session.set_current(THIRD)
    keys = [item.key for item in session.chosen()]
    assert pair(page) == [THIRD, keys[(keys.index(THIRD) + 1) % 3]]
    box = page.pair.boxes[1]
    wanted = next(key for key in keys if key not in pair(page))
    box.setCurrentIndex(box.findData(wanted))
    box.activated.emit(box.currentIndex())
    session.set_current(ONE)  # what a person has chosen stays
    assert pair(page) == [THIRD, wanted]


def test_swapped(page: DiffPage, qtbot: QtBot) -> None:
    before = page.result.first
    assert before is not None
    page.pair.swap.click()
    assert page.busy
    assert not page.answered  # what was found is about A and B the other way round
    compared(page, qtbot)
    assert (page.result.first.ids_a, page.result.first.ids_b) == (before.ids_b, before.ids_a)
    assert page.lines()[0][2:4] == ["A: Unigram 8k", "B: Tokenarium 8k"]


def test_one_tokenizer_is_too_few(page: DiffPage, session: Session) -> None:
    session.edits.turn_on(OTHER, False)
    assert page.empty.isVisible()
    assert page.empty.title.text() == DIFF.too_few[0]
    assert not page.busy


def test_another_text_is_tried_while_the_result_stays(
    page: DiffPage, session: Session, qtbot: QtBot
) -> None:
    assert page.result.tried["your texts"] == 1
    session.set_text("one\ntwo\nthree\n")
    assert page.answered
    cards = list(page.cards.cards)
    compared(page, qtbot)
    assert page.result.tried["your texts"] == 3
    assert page.cards.cards != cards  # “How?” has another count


def test_a_text_goes_into_the_text(page: DiffPage, session: Session) -> None:
    first = page.result.first
    assert first is not None
    buttons(page, "Into the text")[0].click()
    assert session.text == first.text
    session.edits.undo_stack.undo()
    assert session.text == "The quick brown fox"


def test_cancel_and_again(page: DiffPage, qtbot: QtBot) -> None:
    page.pair.swap.click()
    assert page.button.text() == "Cancel"
    page.button.click()
    qtbot.waitUntil(lambda: not page.busy)
    assert page.waiting.isVisible()
    assert page.waiting.sentence.text().startswith(STOPPED)
    assert page.button.text() == "Compare again"
    assert page.python() == ""
    page.button.click()
    compared(page, qtbot)
    assert page.cards.isVisible()


def test_a_file_that_is_gone_is_said(
    page: DiffPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page.pair.items is not None
    one, other = page.pair.items
    gone = replace(other, source=str(tmp_path / "gone.json"))
    monkeypatch.setattr(type(page.pair), "items", (one, gone))
    page.pair.swap.click()
    page.ask_again()
    qtbot.waitUntil(lambda: not page.busy)
    assert "gone.json" in page.waiting.sentence.text()
    assert page.button.text() == "Compare again"


def test_how_and_more(page: DiffPage, session: Session, qtbot: QtBot) -> None:
    headline = page.cards.cards[0]
    assert not headline.how.isVisible()
    headline.how_button.click()
    assert "Tried: " in headline.how.text()
    assert headline.how.isVisible()
    scene = {one.name: one for one in page.keeps()}
    assert scene["how"].read() == ["result"]
    scene["how"].show(["normalizer"])
    assert page.cards.shown_methods == ["normalizer"]
    scene["how"].show(["result"])
    long = next(one for one in page.cards.cards if len(one.card.rows) > FIRST)
    assert (len(long.rows), long.more.isVisible()) == (FIRST, True)
    long.more.click()
    assert (len(long.rows), long.more.isVisible()) == (len(long.card.rows), False)
    session.set_text("another one\n\n")
    compared(page, qtbot)
    assert page.cards.cards[0].how_button.isChecked()
    assert next(one for one in page.cards.cards if one.card.id == long.card.id).is_whole


def test_no_difference_is_a_result(host: Host, qtbot: QtBot, tmp_path: Path) -> None:
    copied = tmp_path / "copied.json"
    copied.write_bytes(Path(shipped_path("tokenarium-8k")).read_bytes())
    add_file(host.session, copied, qtbot)
    page = show_page(host, "compare", DiffPage.id, DiffPage)
    compared(page, qtbot)
    (card,) = page.cards.cards
    assert card.sentence.text().startswith("No difference found in ")
    assert card.badge.tone == "good"
    assert page.save.isEnabled()
    assert "| no difference | texts of your own: not tried |" in page.as_markdown()
    assert "DIFF.run(" in page.python()


def test_every_effect_has_a_badge() -> None:
    assert list(LOOKS) == [*EFFECTS, ""]
    assert len({words for words, _, _ in LOOKS.values()}) == len(LOOKS)


@pytest.mark.parametrize(
    ("name", "kind", "suffix"),
    [("a", "Markdown (*.md)", ".md"), ("a.md", "Table (*.csv)", ".md"), ("a", "Table (*.csv)", ".csv"), ("a.CSV", "Markdown (*.md)", ".CSV"), ("a", "LaTeX (*.tex)", ".tex"), ("a.tex", "Table (*.csv)", ".tex")],
)  # fmt: skip
def test_the_table_is_saved(
    window: MainWindow, page: DiffPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: str, suffix: str
) -> None:  # fmt: skip
    folder = tmp_path / "saved"
    folder.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(folder / name), kind))
    page.save.click()
    (path,) = folder.iterdir()
    assert path.suffix == suffix
    written = path.read_text(encoding="utf-8")
    expected, begin = {
        ".md": (page.as_markdown(), "The text 'a' has different ids"),
        ".tex": (page.as_latex(), "\\begin{tabular}{lll"),
    }.get(suffix, (page.as_csv(), "Stage,Difference,A: "))
    assert written == expected
    assert written.startswith(begin)


def test_the_program_finds_the_same(window: MainWindow, page: DiffPage) -> None:
    trigger(window, "copy_python")
    assert "DIFF.run(TOKENIZERS, TEXT)" in page.python()
