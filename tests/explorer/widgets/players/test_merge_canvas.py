"""The canvas of merges: every tile is over its letters, and every tree is whole and under its tile."""

from __future__ import annotations

from itertools import pairwise

import pytest
from narrowed import there
from played_models import bpe
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from small_vocabularies import of_pieces
from windows import off_screen

import tokenarium_core as tc
from tokenarium.models.merges.run import TraceRun
from tokenarium.style.cuts import Cut
from tokenarium.style.theme import DARK, LIGHT, PRESENTATION, Theme
from tokenarium.widgets.players.merge_body import MergeBody

BYTES = of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower"])
TEXTS = ("lower", "low lower low", "the ☃ नमस्ते", "مرحبا", "👩\N{ZERO WIDTH JOINER}🚀", "日本語", "")


def body_of(qtbot: QtBot, tokenizer: tc.Tokenizer, text: str) -> MergeBody:
    data = text.encode()
    body = off_screen(qtbot, MergeBody(), 800, 420)
    body.set_motion(False)
    body.set_run(TraceRun(tokenizer, data, 0, len(data)))
    body.show()
    body.show_step()
    QApplication.processEvents()
    return body


def go_to(body: MergeBody, position: int, slide: bool = False) -> None:
    assert body.run is not None
    body.run.go_to(position)
    body.show_step(slide)


@pytest.mark.parametrize("model", ["bytes", "scores"])
@pytest.mark.parametrize("text", TEXTS)
def test_nothing_covers_anything_else(qtbot: QtBot, model: str, text: str) -> None:
    body = body_of(qtbot, BYTES if model == "bytes" else bpe(), text)
    run, stage = there(body.run), body.stage
    for position in range(len(run) + 1):
        go_to(body, position)
        tiles = [tile for word in stage.scene.words for tile in word]
        rects = [stage.tile_rect(tile.start) for tile in tiles if tile.end > tile.start]
        nodes = [rect for word in stage.node_rects() for rect in word]
        whole = QRectF(stage.rect())
        placed = [*rects, *nodes, *stage.pill_rects()]
        for number, rect in enumerate(placed):
            assert whole.contains(rect)
            assert not any(rect.intersects(other) for other in placed[:number])
        assert not stage.grab().isNull()


def test_letters_stay_where_they_are(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "lower")
    run, stage = there(body.run), body.stage
    first = [stage.tile_rect(byte).center().x() for byte in range(5)]
    for position in range(len(run) + 1):
        go_to(body, position)
        leaves = sorted(rect.center().x() for rect in stage.node_rects()[0])
        assert {round(x) for x in first} <= {round(x) for x in leaves}
        foot = max(rect.top() for rect in stage.node_rects()[0])
        assert sum(rect.top() == foot for rect in stage.node_rects()[0]) == 5
    assert stage.tile_rect(0).width() > 4 * stage.node_rects()[0][0].width()


def test_a_word_fills_a_large_window_if_it_is_alone(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "lower")
    body.resize(2400, 1600)
    stage = body.stage
    qtbot.waitUntil(lambda: stage.height() > 1400)
    large = stage.tile_rect(0)
    least = stage.minimumSize()
    stage.set_alone(False)
    assert large.height() == pytest.approx(2 * stage.tile_rect(0).height())
    assert stage.minimumSize() == least
    stage.set_alone(True)
    assert stage.tile_rect(0) == large


def test_what_reads_from_right_to_left_is_shown_so(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "مرحبا")
    tiles = body.stage.scene.words[0]
    rects = [body.stage.tile_rect(tile.start) for tile in tiles]
    assert all(one.left() > other.left() for one, other in pairwise(rects))


def test_cuts_in_characters_and_graphemes_are_seen(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "aé")
    tiles = body.stage.scene.words[0]
    assert [(tile.left, tile.right) for tile in tiles] == [
        (Cut.STRAIGHT, Cut.STRAIGHT),
        (Cut.STRAIGHT, Cut.TORN),
        (Cut.TORN, Cut.STRAIGHT),
    ]
    joined = body_of(qtbot, BYTES, "e\N{COMBINING ACUTE ACCENT}")
    cuts = [tile.right for tile in joined.stage.scene.words[0]]
    assert cuts == [Cut.NOTCH, Cut.TORN, Cut.STRAIGHT]


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRESENTATION])
def test_a_merge_is_seen_and_ends_where_it_should(qtbot: QtBot, theme: Theme) -> None:
    body = body_of(qtbot, BYTES, "lower")
    body.setPalette(theme.palette())
    body.set_motion(True)
    run, stage = there(body.run), body.stage
    for position in range(1, len(run) + 1):
        go_to(body, position, slide=True)
        assert stage.moving
        pictures = []
        for share in (0.05, 0.4, 0.65, 0.85):
            body.hold_motion(share)
            pictures.append(stage.grab().toImage())
        body.finish_motion()
        end = stage.grab().toImage()
        assert not stage.moving
        assert all(one != other for one, other in zip(pictures, [*pictures[1:], end], strict=True))
        body.set_motion(False)
        go_to(body, position - 1)
        go_to(body, position)
        assert stage.grab().toImage() == end
        body.set_motion(True)


def test_input_ends_a_merge_at_its_end(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "lower")
    body.set_motion(True)
    go_to(body, 1, slide=True)
    assert body.stage.moving
    go_to(body, 0, slide=True)  # back is not a merge
    assert not body.stage.moving


def test_a_long_word_scrolls_with_the_pair_in_sight(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "low" * 40)
    run, stage, area = there(body.run), body.stage, body.area
    qtbot.waitUntil(lambda: area.horizontalScrollBar().maximum() > 0)
    for position in (0, len(run) // 2, len(run) - 1, len(run)):
        go_to(body, position)
        for pair in (one for one in stage.scene.pairs if one.winner):
            place = stage.tile_rect(pair.start).toRect()
            assert stage.visibleRegion().boundingRect().contains(place)


def test_a_tile_and_a_node_are_pointed_at_and_picked(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "lower")
    run, stage = there(body.run), body.stage
    go_to(body, len(run))
    heard: list[tuple[int, int]] = []
    stage.hovered.connect(lambda start, end: heard.append((start, end)))
    inner = stage.node_rects()[0][0].center()
    for point in (stage.tile_rect(0).center(), inner, QPointF(1, 1)):
        left = Qt.MouseButton.NoButton
        event = QMouseEvent(
            QEvent.Type.MouseMove, point, point, left, left, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(stage, event)
    assert heard[0] == (0, 5)
    assert 0 < heard[1][1] - heard[1][0] < 5
    assert heard[2] == (0, 0)
    with qtbot.waitSignal(stage.piece_picked) as picked:
        qtbot.mouseDClick(
            stage, Qt.MouseButton.LeftButton, pos=stage.tile_rect(0).center().toPoint()
        )
    assert run.tokenizer.vocabulary.piece(picked.args[0]) == b"lower"


def test_the_queue_lists_what_waits_and_what_was_done(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "lower lower")
    run = there(body.run)
    for position in range(len(run) + 1):
        go_to(body, position)
        queue = body.queue()
        ranks = [int(pair.label.replace(",", "")) for pair in queue.waiting if pair.label]
        assert ranks == sorted(ranks)
        assert [pair.label for pair in queue.waiting[len(ranks) :]] == [""] * (
            len(queue.waiting) - len(ranks)
        )
        done = [merge for merge in queue.done if not merge.next]
        assert [merge.number for merge in done] == list(range(1, position + 1))
        coming = [merge for merge in queue.done if merge.next]
        assert len(coming) == (position < len(run))
        if coming:
            assert queue.waiting[0].next
            assert coming[0].left + coming[0].right == coming[0].made
            assert 0 < queue.waiting[0].share <= 1


def test_a_tile_has_a_menu_by_keys(qtbot: QtBot) -> None:
    body = body_of(qtbot, BYTES, "low er")
    asked: list[tuple[int, int]] = []
    body.menu_wanted.connect(lambda place, start, end: asked.append((start, end)))
    stage = body.stage
    tiles = [(tile.start, tile.end) for word in stage.scene.words for tile in word]
    shift = Qt.KeyboardModifier.ShiftModifier
    stage.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(len(tiles) + 1):
        qtbot.keyClick(stage, Qt.Key.Key_Return)
        qtbot.keyClick(stage, Qt.Key.Key_Right, shift)
    assert asked == [*tiles, tiles[-1]]
    qtbot.keyClick(stage, Qt.Key.Key_Left, shift)
    where = QPoint(1, 1)
    key = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(stage, QContextMenuEvent(key, where, stage.mapToGlobal(where)))
    assert asked[-1] == tiles[-2]


@pytest.mark.parametrize("percent", [50, 67, 150, 400])
def test_an_enlarged_canvas_is_pointed_at_where_it_is_painted(qtbot: QtBot, percent: int) -> None:
    body = body_of(qtbot, BYTES, "lower low")
    stage = body.stage
    stage.set_percent(percent)
    QApplication.processEvents()
    picked: list[tuple[int, int]] = []
    body.picked.connect(lambda start, end: picked.append((start, end)))
    tiles = [tile for word in stage.scene.words for tile in word]
    for tile in tiles:
        rect = stage.tile_rect(tile.start)
        assert QRectF(stage.rect()).contains(rect)
        qtbot.mouseClick(stage, Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert picked == [(tile.start, tile.end) for tile in tiles]
    ground = QPoint(2, stage.height() - 2)
    qtbot.mouseDClick(stage, Qt.MouseButton.LeftButton, pos=ground)
    assert stage.percent == 100
    QApplication.processEvents()
    assert stage.size() == body.area.viewport().size()
