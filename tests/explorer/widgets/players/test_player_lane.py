"""A player shows each model in its own way, goes step by step, and plays by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest
from narrowed import of_kind, there
from played_models import bpe, unigram, wordpiece
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QAction, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from small_vocabularies import of_pieces
from windows import off_screen

import tokenarium_core as tc
from tokenarium.models.merges.narration import next_step
from tokenarium.models.merges.run import TraceRun
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.players.greedy_body import GreedyBody
from tokenarium.widgets.players.lattice_body import LatticeBody
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.players.player_body import PlayerBody
from tokenarium.widgets.players.player_lane import LaneStack, PlayerLane
from tokenarium.widgets.players.word_panel import CACHE, LIST
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.trace import MERGE

SIGNS = ("start", "back", "play", "on", "end")
BYTES = of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower"])


def run_of(tokenizer: tc.Tokenizer, text: str) -> TraceRun:
    return TraceRun(tokenizer, text.encode(), 0, len(text.encode()))


@pytest.fixture
def lane(qtbot: QtBot) -> PlayerLane:
    """A player with nothing to play."""
    lane = off_screen(
        qtbot, PlayerLane("Small", LIGHT.identity(0), [(QAction(sign), sign) for sign in SIGNS])
    )
    lane.set_motion(False)
    lane.resize(800, 600)
    lane.show()
    return lane


def test_two_players_scroll_where_there_is_room_for_one(qtbot: QtBot) -> None:
    stack = off_screen(qtbot, LaneStack())
    lanes = [PlayerLane(name, LIGHT.identity(0), []) for name in ("One", "Two")]
    for lane in lanes:
        lane.set_run(run_of(BYTES, "low lower"))
        stack.lanes.addWidget(lane)
    stack.resize(700, stack.minimumSizeHint().height())
    stack.show()
    bar = stack.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    qtbot.waitUntil(lambda: all(x.height() >= x.minimumSizeHint().height() for x in lanes))
    bar.setValue(bar.maximum())
    assert stack.rect().bottom() == lanes[1].mapTo(stack, lanes[1].rect().bottomRight()).y()
    stack.resize(700, 900)
    qtbot.waitUntil(lambda: bar.maximum() == 0)


@pytest.mark.parametrize(
    ("tokenizer", "body"),
    [(BYTES, MergeBody), (bpe, MergeBody), (unigram, LatticeBody), (wordpiece, GreedyBody)],
)
def test_each_model_has_its_body_at_every_step(
    lane: PlayerLane, tokenizer: tc.Tokenizer, body: type[PlayerBody]
) -> None:
    opened = tokenizer() if callable(tokenizer) else tokenizer
    for text in ("low lower unaffable ☃", "", "नमस्ते 日本 مرحبا 🎉", "low"):
        lane.set_run(run_of(opened, text))
        assert type(lane.body) is body
        for position in range(lane.player.length + 1):
            lane.player.go_to(position)
            lane.grab()
            assert lane.sentence.text()
        for position in range(lane.player.length, -1, -1):
            lane.player.go_to(position)
        assert lane.player.position == 0


def test_one_player_takes_one_body_after_the_other(lane: PlayerLane, qtbot: QtBot) -> None:
    for opened in (unigram(), wordpiece(), BYTES, unigram()):
        lane.set_run(run_of(opened, "unaffable low"))
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert lane.findChildren(PlayerBody) == [lane.body]
        qtbot.waitUntil(lane.body.isVisible)
    lane.set_run(None)
    assert lane.player.length == 0
    assert lane.sentence.text() == ""


def test_candidates_are_labelled_by_rank_or_score(lane: PlayerLane) -> None:
    for opened, sign in ((BYTES, ""), (bpe(), "−")):
        lane.set_run(run_of(opened, "lower the"))
        assert isinstance(lane.body, MergeBody)
        scene = lane.body.stage.scene
        assert scene.pairs
        assert sum(pair.winner for pair in scene.pairs) == 1
        assert all(pair.label.startswith(sign) for pair in scene.pairs)


def test_labels_of_pairs_leave_each_other_room(lane: PlayerLane) -> None:
    lane.set_run(run_of(bpe(), "the lazy dog"))
    assert isinstance(lane.body, MergeBody)
    scene, stage = lane.body.stage.scene, lane.body.stage
    tiles = [tile for word in scene.words for tile in word]
    widths = [stage.tile_rect(tile.start).width() for tile in tiles]
    metrics = stage.fontMetrics()
    assert min(widths) >= max(metrics.horizontalAdvance(pair.label) for pair in scene.pairs) * 0.8


def test_the_nodes_of_a_tree_do_not_overlap(lane: PlayerLane) -> None:
    for opened in (BYTES, bpe()):
        lane.set_run(run_of(opened, "the lower ☃ dog, lower"))
        lane.player.go_to(lane.player.length)
        assert isinstance(lane.body, MergeBody)
        rects = [rect for word in lane.body.stage.node_rects() for rect in word]
        assert len(rects) > 10
        for place, rect in enumerate(rects):
            assert not any(rect.intersects(other) for other in rects[:place])


@pytest.mark.parametrize("tokenizer", [BYTES, bpe, wordpiece])
def test_every_way_to_a_step_leads_to_the_same_picture(
    lane: PlayerLane, tokenizer: tc.Tokenizer, qtbot: QtBot
) -> None:
    """What a step does not change is not placed again; it has to be where that would put it."""
    opened = tokenizer() if callable(tokenizer) else tokenizer
    text = "the lower ☃ dog, lower unaffable नमस्ते 日本 مرحبا 🎉 " * 3
    fresh = off_screen(
        qtbot, PlayerLane("Small", LIGHT.identity(0), [(QAction(sign), sign) for sign in SIGNS])
    )
    fresh.resize(lane.size())
    fresh.show()
    lane.set_run(run_of(opened, text))
    length = lane.player.length
    for position in (1, 2, 3, 2, length, length - 1, 0, length // 2, length // 2 + 1, 1):
        lane.player.go_to(position)
        fresh.set_run(run_of(opened, text))
        fresh.player.go_to(position)
        QApplication.processEvents()  # the sentence may take another line
        assert _places(lane.body) == _places(fresh.body), position


def _places(body: PlayerBody) -> list[object]:
    """Returns the places of all tiles, nodes and windows."""
    assert isinstance(body, (MergeBody, GreedyBody))
    tiles = [tile for word in body.stage.scene.words for tile in word]
    found: list[object] = [(tile, body.stage.tile_rect(tile.start)) for tile in tiles]
    if isinstance(body, MergeBody):
        return [*found, body.stage.node_rects(), body.stage.pill_rects(), body.stage.sizeHint()]
    rows = range(len(body.view.windows))
    return [*found, [body.view.row_rect(row) for row in rows], body.view.sizeHint()]


def test_a_short_word_needs_no_scroll_bar(lane: PlayerLane, qtbot: QtBot) -> None:
    lane.set_run(run_of(BYTES, "lower"))
    assert isinstance(lane.body, MergeBody)
    area = lane.body.area
    qtbot.waitUntil(lambda: lane.body.isVisible() and area.viewport().height() > 0)
    for bar in (area.horizontalScrollBar(), area.verticalScrollBar()):
        assert bar.maximum() == 0
    lane.player.go_to(lane.player.length)
    stage = lane.body.stage
    for rect in [*stage.node_rects()[0], stage.tile_rect(0)]:
        assert QRectF(stage.rect()).contains(rect)


def test_it_plays_by_itself_and_offers_a_pause(lane: PlayerLane, qtbot: QtBot) -> None:
    lane.transport.speed.setCurrentIndex(lane.transport.speed.count() - 1)
    lane.set_run(run_of(BYTES, "lower lower"))
    still = lane.transport.buttons[2].icon().cacheKey()
    with qtbot.waitSignal(lane.player.playing_changed):
        lane.player.play()
    assert lane.player.playing
    assert lane.transport.buttons[2].icon().cacheKey() != still
    qtbot.waitUntil(lambda: lane.player.position == lane.player.length)
    assert not lane.player.playing


def test_colours_change_with_the_theme(lane: PlayerLane) -> None:
    for opened in (BYTES, unigram(), wordpiece()):
        lane.set_run(run_of(opened, "unaffable low"))
        lane.setPalette(LIGHT.palette())
        light = lane.body.grab().toImage()
        lane.setPalette(DARK.palette())
        assert lane.body.grab().toImage() != light


def test_what_is_pointed_at_is_given_in_bytes_of_the_text(lane: PlayerLane, qtbot: QtBot) -> None:
    text = "Größe low"
    lane.set_run(run_of(bpe(), text))
    assert isinstance(lane.body, MergeBody)
    start = lane.body.stage.scene.words[0][-1].start
    point = lane.body.stage.tile_rect(start).center()
    with qtbot.waitSignal(lane.hovered) as heard:
        _move(lane.body.stage, point)
    assert heard.args == [len(text.encode()) - 1, len(text.encode())]
    lane.light(0, 2)
    lane.light(0, 0)


def _move(widget: object, point: QPointF) -> None:
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        point,
        point,
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)  # type: ignore[arg-type]


# The lattice.


@pytest.fixture
def lattice(lane: PlayerLane) -> LatticeBody:
    """The lattice of two words, at its end."""
    lane.set_run(run_of(unigram(), "the quick dog sleeps"))
    lane.player.go_to(lane.player.length)
    assert isinstance(lane.body, LatticeBody)
    return lane.body


def test_the_pieces_of_a_lattice_do_not_overlap_over_their_characters(lattice: LatticeBody) -> None:
    paths = there(lattice.paths)
    rects = [lattice.view.edge_rect(number) for number in range(len(paths.edges))]
    for number, (rect, edge) in enumerate(zip(rects, paths.edges, strict=True)):
        assert lattice.view.place(edge.start) < rect.left() < rect.right()
        assert rect.right() < lattice.view.place(edge.end)
        assert not any(rect.intersects(other) for other in rects[:number])


@pytest.mark.parametrize("height", [110, 140, 180, 240, 400])
def test_the_winners_are_seen_at_the_end(
    lattice: LatticeBody, lane: PlayerLane, height: int
) -> None:
    lane.player.go_to(lane.player.length - 1)
    before = lattice.view.grab().toImage()
    lattice.area.setFixedHeight(height)
    lane.player.go_to(lane.player.length)
    room, view, paths = lattice.area.viewport().rect(), lattice.view, there(lattice.paths)
    assert view.grab().toImage() != before

    def whole(rects: list[QRectF]) -> bool:
        places = [view.mapTo(lattice.area.viewport(), rect.center().toPoint()) for rect in rects]
        shown = [place for place in places if 0 <= place.x() < room.width()]
        return bool(shown) and all(room.contains(place) for place in shown)

    winners = paths.best.edges
    rows = [view.edge_rect(number) for number in winners]
    assert whole(rows) or whole([view.tile_rect(number) for number in winners])
    for number in winners:
        assert view._at(view.tile_rect(number).center()) == number


def test_one_of_the_best_ways_is_picked(lattice: LatticeBody) -> None:
    assert lattice.list.best.topLevelItemCount() == 5
    before = lattice.view.grab().toImage()
    lattice.list.best.setCurrentItem(lattice.list.best.topLevelItem(1))
    assert lattice.view.grab().toImage() != before
    assert lattice.list.partings.topLevelItemCount() >= 1
    assert "less than the best" in lattice.list.answer.text()
    lattice.list.best.setCurrentItem(lattice.list.best.topLevelItem(0))
    assert lattice.list.answer.text().startswith("This is the best path")


def test_a_piece_that_is_clicked_asks_for_the_way_through_it(
    lattice: LatticeBody, qtbot: QtBot
) -> None:
    paths = there(lattice.paths)
    number = next(n for n in range(len(paths.edges)) if n not in paths.best.edges)
    point = lattice.view.edge_rect(number).center().toPoint()
    qtbot.mouseClick(lattice.view, Qt.MouseButton.LeftButton, pos=QPoint(point))
    path = there(paths.through([number]))
    assert lattice.list.other.text() == paths.text(path.edges)
    qtbot.mouseClick(lattice.view, Qt.MouseButton.LeftButton, pos=QPoint(point))
    assert lattice.list.other.text() == paths.text(paths.best.edges)


@pytest.fixture
def press(lattice: LatticeBody, qtbot: QtBot) -> Callable[[Qt.Key], int]:
    """Presses a key in the lattice, which has the focus, and returns the piece that it reaches."""
    lattice.window().activateWindow()
    lattice.view.setFocus()
    qtbot.waitUntil(lattice.view.hasFocus)
    reached = [-1]
    lattice.view.edge_reached.connect(reached.append)

    def press_and_look(key: Qt.Key) -> int:
        qtbot.keyClick(lattice.view, key)
        return reached[-1]

    return press_and_look


def test_every_piece_is_reached_by_arrow_keys(
    lattice: LatticeBody, press: Callable[[Qt.Key], int]
) -> None:
    paths, view, room = there(lattice.paths), lattice.view, lattice.area.viewport()
    lit: list[tuple[int, int]] = []
    view.hovered.connect(lambda start, end: lit.append((start, end)))
    reached: list[int] = []
    number = press(Qt.Key.Key_Home)
    while number not in reached:
        while number not in reached:
            reached.append(number)
            edge, said = paths.edges[number], view.accessibleName()
            score = f"{edge.score:.2f}".replace("-", "−")
            assert f"“{paths.surface(number)}”, score {score}, " in said
            assert said.endswith("not on the best path") == (number not in paths.best.edges)
            assert "Bytes " in view.accessibleDescription()
            assert lit[-1] == (edge.start, edge.end)
            place = view.mapTo(room, view.edge_rect(number).center().toPoint())
            assert room.rect().contains(place)
            number = press(Qt.Key.Key_Up)
            assert paths.edges[number].start == edge.start
            assert paths.edges[number].end >= edge.end
        number = press(Qt.Key.Key_Right)
        while number != (below := press(Qt.Key.Key_Down)):
            number = below
    assert sorted(reached) == list(range(len(paths.edges)))
    assert paths.edges[press(Qt.Key.Key_Home)].start == paths.start
    assert paths.edges[press(Qt.Key.Key_Left)].start == paths.start
    assert paths.edges[press(Qt.Key.Key_End)].end == paths.end


def test_keys_pick_a_piece_and_let_go(
    lattice: LatticeBody, press: Callable[[Qt.Key], int], qtbot: QtBot
) -> None:
    paths, view = there(lattice.paths), lattice.view
    number = press(Qt.Key.Key_Home)
    for _ in paths.edges:
        if number in paths.best.edges:
            number = press(Qt.Key.Key_Right)
    assert number not in paths.best.edges
    ringed = view.grab().toImage()
    path = there(paths.through([number]))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        press(key)
        taken = path if key == Qt.Key.Key_Return else paths.best
        assert lattice.list.other.text() == paths.text(taken.edges)
    press(Qt.Key.Key_Escape)
    assert view.accessibleName() == "Lattice of pieces"
    assert view.grab().toImage() != ringed
    press(Qt.Key.Key_End)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert lattice.list.best.hasFocus()


def test_a_way_of_ones_own_is_typed(lattice: LatticeBody, qtbot: QtBot) -> None:
    assert lattice.paths is not None
    letters = "|".join(" the quick dog sleeps")
    lattice.list.other.selectAll()
    qtbot.keyClicks(lattice.list.other, letters)
    qtbot.keyClick(lattice.list.other, Qt.Key.Key_Return)
    assert "less than the best" in lattice.list.answer.text()
    assert lattice.list.partings.topLevelItemCount() >= 1
    lattice.list.other.setText("▁thee")
    qtbot.keyClick(lattice.list.other, Qt.Key.Key_Return)
    assert "not with “e”" in lattice.list.answer.text()
    assert lattice.list.partings.topLevelItemCount() == 0


def test_where_it_is_low_the_graph_has_the_room(lane: PlayerLane, qtbot: QtBot) -> None:
    lane.set_run(run_of(unigram(), "the dog"))
    assert isinstance(lane.body, LatticeBody)
    lane.resize(800, 300)
    body = lane.body
    qtbot.waitUntil(lambda: not body.list.isVisible())
    lane.resize(800, 700)
    qtbot.waitUntil(body.list.isVisible)


@pytest.mark.parametrize(("whole", "width"), [(True, 800), (False, 800), (True, 400)])
def test_the_pieces_that_win_are_in_sight(
    lane: PlayerLane, qtbot: QtBot, whole: bool, width: int
) -> None:
    word = "abcdefghij"
    pieces = {word[a:b] for a in range(len(word)) for b in range(a + 1, len(word) + 1) if b - a < 8}
    scores = [("<unk>", 0.0), *((piece, -1.0 - len(piece)) for piece in sorted(pieces))]
    if whole:
        scores.append((word[2:], -0.5))  # in the highest row
    model = {"type": "Unigram", "unk_id": 0, "vocab": scores}
    tokenizer = read_huggingface(json.dumps({"added_tokens": [], "model": model}).encode(), "tall")
    lane.resize(width, 360)
    lane.set_run(run_of(tokenizer, word))
    body = of_kind(lane.body, LatticeBody)
    qtbot.waitUntil(lambda: body.area.verticalScrollBar().maximum() > 0)
    for position in range(lane.player.length + 1):
        lane.player.go_to(position)
        paths, frontier = there(body.paths), body.view.frontier
        winner = paths.best.edges[-1] if frontier.done else frontier.sums[frontier.at][1]
        if winner >= 0:
            rect = body.view.edge_rect(winner).toRect()
            seen = body.view.visibleRegion().boundingRect()
            assert seen.top() <= rect.top()
            assert rect.bottom() <= seen.bottom()
            assert rect.intersects(seen)


# The greedy match.


def sees(view: QWidget, point: QPoint) -> bool:
    return view.visibleRegion().boundingRect().contains(point)


def test_a_word_that_is_longer_than_the_window_is_followed(lane: PlayerLane, qtbot: QtBot) -> None:
    lane.set_run(run_of(wordpiece(), "un" + "a" * 60))
    body = of_kind(lane.body, GreedyBody)
    qtbot.waitUntil(lambda: body.area.horizontalScrollBar().maximum() > 0)
    for position in (lane.player.length, lane.player.length // 2, 0):
        lane.player.go_to(position)
        newest = body.view.newest().toRect().center()
        qtbot.waitUntil(partial(sees, body.view, newest))


@pytest.mark.parametrize("width", [560, 816, 1200])
def test_the_longest_window_is_shown(lane: PlayerLane, width: int) -> None:
    lane.resize(width, 600)
    lane.set_run(run_of(wordpiece(), "unaffable"))
    assert "the longest window (no entry has more bytes)" in lane.sentence.text()
    for position in range(lane.player.length + 1):
        lane.player.go_to(position)
        assert not lane.sentence.toolTip()  # which has what is cut short
    assert isinstance(lane.body, GreedyBody)
    limited = [window.text for window in lane.body.view.windows if window.limited]
    assert limited == ["unaffa", "##affabl"[: 2 + 6]]


def test_windows_shrink_until_a_piece_is_found(lane: PlayerLane) -> None:
    lane.set_run(run_of(wordpiece(), "unaffable"))
    lane.player.go_to(lane.player.length)
    assert isinstance(lane.body, GreedyBody)
    view = lane.body.view
    found = [window.text for window in view.windows if window.id >= 0]
    assert found == ["un", "##aff", "##able"]
    for row, (before, after) in enumerate(zip(view.windows, view.windows[1:], strict=False)):
        assert view.row_rect(row).bottom() <= view.row_rect(row + 1).top()
        if before.id < 0:
            assert (after.start, after.end) == (before.start, before.end - 1)
        else:
            assert after.start == before.end
    tiles = lane.body.stage.scene.words[0]
    assert [tile.text for tile in tiles] == found


def test_a_word_that_cannot_be_covered_ends_as_unknown(lane: PlayerLane) -> None:
    lane.set_run(run_of(wordpiece(), "unqa"))
    lane.player.go_to(lane.player.length - 1)
    assert isinstance(lane.body, GreedyBody)
    assert [tile.text for tile in lane.body.stage.scene.words[0]] == ["un", "qa"]
    assert "unknown token" in lane.sentence.text()
    lane.player.go_to(lane.player.length)
    (tile,) = lane.body.stage.scene.words[0]
    assert tile.text == "unqa"
    assert tile.note.startswith("[UNK]")
    assert lane.body.view.windows[-1].lost


def test_what_a_step_does_not_repaint_is_as_it_was(lane: PlayerLane) -> None:
    lane.set_run(run_of(wordpiece(), "unaffable " * 30))
    body = of_kind(lane.body, GreedyBody)
    stage = body.stage
    parts: list[QRect] = []
    stage.update = lambda *part: parts.extend(part)  # type: ignore[method-assign, assignment]
    before, shares = stage.grab().toImage(), []
    for place in (1, 2, 5, 6, 7, 40, 12, 13, 14, 15, lane.player.length, lane.player.length - 1, 0):
        parts.clear()
        lane.player.go_to(place)
        after = stage.grab().toImage()
        if before.size() != after.size():
            before = after  # Qt paints all of it
            continue
        painter = QPainter(before)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        for part in parts:
            painter.drawImage(part.topLeft(), after, part)
            shares.append(part.height() / stage.height())
        painter.end()
        assert before == after
    assert len(shares) > 4
    assert min(shares) < 0.2


def test_merges_are_the_steps_of_a_byte_run(lane: PlayerLane) -> None:
    run = run_of(BYTES, "lower")
    lane.set_run(run)
    assert lane.player.length == sum(step.kind == MERGE for step in run.playback.steps)
    lane.player.step(1)
    assert lane.player.position == 1
    lane.player.step(-1)
    assert lane.player.position == 0
    lane.transport.scrubber.setValue(2)
    assert lane.player.position == 2


def test_the_panel_shows_the_queue_the_list_and_the_cache(lane: PlayerLane) -> None:
    lane.show_queue(True)
    lane.resize(1200, 800)
    lane.set_run(run_of(of_pieces([b"aa", b"aaaa"], "whitespace"), "aaaa aaaa"))
    assert lane.panel.isVisible()
    lane.player.go_to(1)
    scene = lane.queue.scene
    assert [(one.start, one.stale) for one in scene.entries] == [(1, True), (2, False)]
    assert scene.entries[0].left == "a"  # as it was when the entry was made
    assert scene.looked is not None
    assert scene.looked.scanned == 3
    assert scene.looked.last[1] == 3
    lane.grab()
    lane.panel.choose(LIST)
    links = lane.panel.links
    rows = [[links.index(row, n).data() for n in range(5)] for row in range(links.rowCount())]
    assert rows == [
        ["0", "aa", "256", "–", "2"],
        ["1", "a", "gone", "", ""],
        ["2", "a", "97", "0", "3"],
        ["3", "a", "97", "2", "–"],
    ]
    lane.player.go_to(2)
    assert links.index(3, 2).data() == "gone"
    lane.grab()
    lane.panel.choose(CACHE)
    cache = lane.panel.cache
    found = [cache.index(row, 1).data() for row in range(cache.rowCount())]
    assert found == ["miss, merged", "miss, merged", "hit"]
    assert cache.current == 0
    lane.player.go_to(lane.player.length)
    assert cache.current == 2
    pointed: list[tuple[int, int]] = []
    lane.hovered.connect(lambda start, end: pointed.append((start, end)))
    lane.panel._cache_table.pointed.emit(2)
    lane.panel._cache_table.pointed.emit(-1)
    assert pointed == [(5, 9), (0, 0)]
    lane.setPalette(DARK.palette())
    lane.grab()


def test_a_word_that_is_not_merged_has_no_list(lane: PlayerLane) -> None:
    lane.show_queue(True)
    lane.resize(1200, 800)
    lane.set_run(run_of(of_pieces([b"abc"], "whitespace"), "abc"))
    lane.panel.choose(LIST)
    assert lane.panel.links.rowCount() == 0
    assert not lane.queue.scene.entries
    lane.set_run(None)
    lane.panel.choose(CACHE)
    assert lane.panel.cache.rowCount() == 0


def test_the_sentence_is_about_a_merge_while_it_moves(lane: PlayerLane, qtbot: QtBot) -> None:
    lane.set_motion(True)
    run = run_of(BYTES, "low lower")
    lane.set_run(run)
    sentences = [next_step(run_at(run, position)) for position in range(len(run) + 1)]
    for position in range(len(run)):
        assert lane.sentence.text() == sentences[position]
        lane.player.go_to(position + 1)
        assert lane.body.merging
        assert lane.sentence.text() == sentences[position]
        lane.body.finish_motion()
        assert lane.sentence.text() == sentences[position + 1]
    lane.player.go_to(len(run) - 1)
    assert lane.sentence.text() == sentences[-2]
    lane.player.go_to(0)
    lane.player.go_to(1)
    lane.player.go_to(2)  # which ends the first merge, and begins the second
    assert lane.sentence.text() == sentences[1]
    qtbot.waitUntil(lambda: not lane.body.merging)
    assert lane.sentence.text() == sentences[2]


def test_a_moment_of_an_animation_says_which_merge_moves(lane: PlayerLane) -> None:
    run = run_of(BYTES, "low lower")
    lane.set_run(run)
    twin = lane.twin(LIGHT.identity(0))
    twin.set_motion(True)
    first, second = next_step(run_at(run, 0)), next_step(run_at(run, 1))
    for share in (0.2, 0.8):
        twin.show_on_the_way(1, share)
        assert twin.sentence.text() == first
    twin.show_on_the_way(1, 1.0)
    assert twin.sentence.text() == second
    twin.deleteLater()


def run_at(run: TraceRun, position: int) -> TraceRun:
    """Returns the same run at a step."""
    twin = run.twin()
    twin.go_to(position)
    return twin
