"""Superwords are marked: in the boxes of their tokens, in the counts over them, and in the inspector."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot
from running import run_through
from windows import Host, off_screen, show_page, shown_in

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models.merges.training_story import MergeStory
from tokenarium.models.text.byte_cells import CellMark
from tokenarium.models.text.inspection import tokens
from tokenarium.models.text.piece import SentenceToken, plain
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids, superword_note
from tokenarium.models.text.token_row import TokenRow
from tokenarium.views.bytes import BytesView
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merges import MergesView, StepsPage
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.charts.pair_bars import ROW, TITLE, PairBars
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.players.merge_table import LearnedMergesTable
from tokenarium_core.explaining.vocabulary_entries import superwords, words_in
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.training.bpe_trainer import WORDS, BpeTrainer
from tokenarium_core.training.merging.pair_record import PairRecord

TEXT = "by the way, by the way it is by the sea. " * 30


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.train("superbpe", [TEXT], vocab_size=320, transition=275)


def test_the_parts_know_superwords(tokenizer: tc.Tokenizer) -> None:
    encoding = tokenizer.encode(TEXT)
    parts = TextParts.of_tokens(
        memoryview(encoding.ids), memoryview(encoding.spans), (), superword_ids(tokenizer)
    )
    assert parts.superwords is not None
    pieces = [tokenizer.vocabulary.piece(token) for token in memoryview(encoding.ids)]
    assert parts.superwords.tolist() == [len(piece.split()) > 1 for piece in pieces]
    assert parts.superwords.any()
    edited = parts.after_edit(3, 3, 2)
    assert len(there(edited.superwords)) == len(edited)
    assert TextParts.of_tokens([1, 2], [0, 1, 1, 2]).superwords is None
    assert any(row.kind == "superword" for row in tokens(encoding, tokenizer, 0, 40))


def test_the_view_marks_and_counts_them(
    window: MainWindow, qtbot: QtBot, tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "super.json"
    tokenizer.save(path)
    window.session.set_text(TEXT)
    window.take_files([path])
    view = shown_in(window, TokensView)
    key = f"file:{path}"
    qtbot.waitUntil(lambda: len(view.cards.cards) == 2)
    qtbot.waitUntil(lambda: "superwords" in view.cards.cards[key].tip)
    marked = there(view.view.rows[key].parts.superwords)
    assert f"{np.count_nonzero(marked):,} superwords" in view.cards.cards[key].tip
    assert view.view.grab().width() > 0
    with_one = next(
        piece
        for token in range(len(tokenizer.vocabulary))
        if len((piece := tokenizer.vocabulary.piece(token).decode(errors="replace")).split()) > 1
        and len(tokenizer.encode_ids(piece)) == 1
    )
    window.session.set_text(with_one)
    qtbot.waitUntil(lambda: "1 superword" in view.cards.cards[key].tip)
    assert "superwords" not in view.cards.cards[key].tip


def open_in(host: Host, tokenizer: tc.Tokenizer, path: Path, qtbot: QtBot) -> None:
    """Opens the tokenizer as the only one."""
    tokenizer.save(path)
    host.session.set_text(TEXT[:80])
    host.session.edits.add_file(path)
    key = f"file:{path}"
    qtbot.waitUntil(lambda: host.session.encoded(key) is not None)
    for entry in host.session.chosen():
        if entry.key != key:
            host.session.edits.turn_on(entry.key, False)
    host.session.set_current(key)


def superword(tokenizer: tc.Tokenizer) -> int:
    """The longest superword of a tokenizer."""
    return max(superwords(tokenizer), key=lambda token: len(tokenizer.vocabulary.piece(token)))


def test_a_superword_is_described_in_words(tokenizer: tc.Tokenizer) -> None:
    vocabulary, token = tokenizer.vocabulary, superword(tokenizer)
    words = len(vocabulary.piece(token).split())
    assert superword_note(vocabulary, token) == (
        f"A superword: one entry that holds {words} words."
    )
    assert superword_note(vocabulary, ord("a")) == ""
    assert superword_note(vocabulary, -1) == ""
    assert plain(("Learned ", SentenceToken("a␣b", 7, True))) == "Learned “a␣b” (a superword)"


def test_tiles_and_trees_mark_them(
    window: MainWindow, qtbot: QtBot, tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    open_in(window, tokenizer, tmp_path / "super.json", qtbot)
    window.session.select(0, window.session.text_map.byte_count)
    window.merge_commands.show_page("steps")
    page = shown_in(window, StepsPage)
    qtbot.waitUntil(lambda: page.player is not None and page.player.length > 0)
    lane = there(page.lane)
    assert isinstance(lane.body, MergeBody)
    seen = []
    for position in range(lane.player.length + 1):
        lane.player.go_to(position)
        seen.append(lane.sentence.text())
    assert any("become the superword “" in sentence for sentence in seen)
    assert "superword" in seen[-1]
    tiles = [tile for word in lane.body.stage.scene.words for tile in word]
    marked = [tile for tile in tiles if tile.superword]
    assert marked == [tile for tile in tiles if len(tile.text.replace("␣", " ").split()) > 1]
    stage = lane.body.stage
    centre = stage.tile_rect(marked[0].start).center()
    window.show()
    point(stage, centre.toPoint())
    assert "A superword: one entry that holds" in QToolTip.text()
    point(stage, QPoint(1, 1))
    assert stage.grab().width() > 0


def point(widget: QWidget, place: QPoint) -> None:
    """Rests with the pointer over a place."""
    event = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)


def assert_the_line_is_free(image: QImage, ink: QColor) -> None:
    """Checks that no id touches the line of a superword: two pixels above it there is only the ground."""
    found = 0
    for y in range(2, image.height()):
        run = [x for x in range(image.width()) if image.pixelColor(x, y) == ink]
        for x in (one for one in run if {*range(one, one + 60)} <= {*run} and one - 1 not in run):
            above = {image.pixelColor(at, y - 2).rgb() for at in range(x, x + 60)}
            assert len(above) == 1, (x, y)
            found += 1
    assert found


def test_bytes_mark_and_count_them(
    host: Host, qtbot: QtBot, tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    open_in(host, tokenizer, tmp_path / "super.json", qtbot)
    host.show_workspace("bytes")
    view = shown_in(host, BytesView)
    qtbot.waitUntil(lambda: "superword" in view.counts.text())
    [row] = [row for row in view.grid.rows if isinstance(row, TokenRow)]
    cells = row.cells(0, 80)
    marked = [cell for cell in cells if cell.mark & CellMark.SUPERWORD]
    assert len(marked) == row.counts.superwords > 0
    assert all(len(cell.label.replace("␣", " ").split()) > 1 for cell in marked)
    assert "A superword: one entry that holds" in row.tip(marked[0])
    other = next(cell for cell in cells if not cell.mark & CellMark.SUPERWORD)
    assert "superword" not in row.tip(other)
    assert_the_line_is_free(view.grid.grab().toImage(), view.grid.theme.ink)


def test_every_size_marks_them(
    host: Host, qtbot: QtBot, tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    open_in(host, tokenizer, tmp_path / "super.json", qtbot)
    view = show_page(host, "merges", "sizes", MergesView)
    page = of_kind(view.page, MergeSizesPage)
    qtbot.waitUntil(lambda: page.player.length > 0)
    page.player.go_to(page.player.length)
    qtbot.waitUntil(lambda: page.stage.view.parts.superwords is not None)
    assert "Superwords" in page.stage.count.toolTip()
    seen = set()
    for position in range(page.player.length + 1):
        page.player.go_to(position)
        seen.add("a superword" in page.stage.sentence.text())
    assert seen == {True, False}
    page.player.go_to(1)
    assert page.stage.view.parts.superwords is None


@pytest.fixture
def story() -> MergeStory:
    """A training that learns superwords, with its text."""
    record = PairRecord(4)
    trainer = BpeTrainer(cutting("superbpe"), 320, [TEXT], strategy=WORDS, record=record)
    run_through(trainer, 1000)
    story = MergeStory(trainer, record)
    story.set_text(TEXT)
    return story


def test_a_training_that_is_played_marks_them(story: MergeStory) -> None:
    parts = story.cut(len(story))
    assert parts.superwords is not None
    several = [place for place in range(len(story)) if story.is_superword(256 + place)]
    assert several
    assert ", a superword: " in story.sentence(several[0] + 1)
    assert "a superword" not in story.sentence(1)
    table = LearnedMergesTable()
    table.rows.set_story(story)
    for row, underlined in ((several[0], True), (0, False)):
        font = table.rows.index(row, 4).data(Qt.ItemDataRole.FontRole)
        spoken = table.rows.index(row, 4).data(Qt.ItemDataRole.AccessibleTextRole)
        assert (font is not None and font.underline()) == underlined
        assert bool(spoken and "superword" in spoken) == underlined


def test_pairs_that_would_make_one_are_marked(qtbot: QtBot, story: MergeStory) -> None:
    bars = off_screen(qtbot, PairBars())
    bars.resize(bars.sizeHint())
    bars.show()
    seen = set()
    for position in range(1, len(story) + 1):
        shown = story.bars(position)
        assert shown[0].superword == story.is_superword(255 + position)
        for bar in shown:
            whole = b"".join(story.tokenizer.vocabulary.piece(token) for token in bar.pair)
            assert bar.words == words_in(whole)
        bars.show_bars(shown)
        several = [bar.superword for bar in shown]
        assert bars.accessibleDescription().count("(a superword)") == sum(several)
        assert ("line at the foot" in bars.toolTip()) == any(several)
        if len(set(several)) == 2:
            for row, bar in enumerate(shown):
                point(bars, QPoint(40, round(TITLE + (row + 0.5) * ROW)))
                said = f"Together a superword: one entry that holds {bar.words} words."
                assert (said in QToolTip.text()) == bar.superword
            seen.add(position)
        marked = bars.grab().toImage()
        bars.show_bars([replace(bar, words=0) for bar in shown])
        assert (bars.grab().toImage() != marked) == any(several)
    assert seen
