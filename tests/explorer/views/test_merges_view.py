"""The workspace Merges in the window: its pages, and the commands that reach the player in sight."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from narrowed import of_kind, there
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot
from sentencepiece_models import Piece, message
from small_files import write_file
from windows import Host, add_file, trigger

from tokenarium.app.window import MainWindow
from tokenarium.views.merge_prefixes import PrefixPage
from tokenarium.views.merges import MergesView
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.explaining.prefix_walk import prefix_tries


@pytest.fixture
def view(window: MainWindow) -> MergesView:
    window.session.set_text("Merging makes tokens of bytes.")
    window.merge_commands.show_page("steps")
    workspace = of_kind(window.workspace, MergesView)
    workspace.steps.replay()
    return workspace


def test_each_page_has_a_switch(window: MainWindow, view: MergesView) -> None:
    switches = [action_id for action_id, _ in view.switches]
    for page in view.kinds:
        assert f"merge_{page.id}" in switches
        window.actions_by_id[f"merge_{page.id}"].trigger()
        assert view.page.id == page.id
        window.actions_by_id.refresh()
        assert window.actions_by_id[f"merge_{page.id}"].isChecked()


def test_commands_step_through_the_run(window: MainWindow, view: MergesView) -> None:
    player = there(view.page.player)
    assert player.length > 3
    window.actions_by_id.refresh()
    for action_id, position in (
        ("step_on", 1),
        ("step_on", 2),
        ("step_back", 1),
        ("play_end", player.length),
        ("play_start", 0),
    ):
        window.actions_by_id[action_id].trigger()
        assert player.position == position
    window.actions_by_id["play"].trigger()
    assert player.playing
    window.actions_by_id["play"].trigger()
    assert not player.playing


def test_a_player_that_comes_to_another_is_at_its_step(
    window: MainWindow, view: MergesView, qtbot: QtBot, tmp_path: Path
) -> None:
    shipped = window.session.chosen()[0]
    path = write_file(tmp_path / "again.json", Path(shipped.source).read_bytes())
    window.session.edits.add_file(path)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2 and not window.session.opening)
    first = view.steps.lanes[shipped.key]
    first.player.go_to(3)
    window.actions_by_id.refresh()  # what was added counts
    window.actions_by_id["side_by_side"].trigger()
    assert [lane.player.position for lane in view.steps.lanes.values()] == [3, 3]


def test_what_is_played_is_described_with_the_names_of_controls(
    host: Host, view: MergesView
) -> None:
    host.session.set_text("a\0b\x1bc 👩\N{ZERO WIDTH JOINER}🚀")
    host.session.select(0, host.session.text_map.byte_count)
    view.steps.replay()
    assert "“a‹NUL›b‹ESC›c 👩\N{ZERO WIDTH JOINER}🚀”" in view.steps.stretch.text()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("An unbelievable story", "unbelievable"),
        ("for i in range(10):", "range"),
        ("नमस्ते दुनिया", "नमस्ते"),
        ("日本語", "日本語"),
        ("👩\N{ZERO WIDTH JOINER}🚀", "👩\N{ZERO WIDTH JOINER}🚀"),
        ("x" * 500, "x" * 24),
    ],
)
def test_without_a_selection_the_longest_word_is_played(
    host: Host, view: MergesView, text: str, word: str
) -> None:
    host.session.set_text(text)
    view.steps.replay()
    start, end = view.steps.span()
    assert text.encode()[start:end].decode() == word
    assert view.steps.stretch.text().startswith(f"“{word}”")
    assert "select another one" in view.steps.stretch.text()


@pytest.mark.parametrize(
    ("selected", "said"),
    [
        ((4, 16), "12 characters · now 12 symbols"),
        ((3, 16), "13 characters · now 13 symbols"),  # with the space before it
        ((20, 24), "4 characters · now 4 symbols"),
        ((0, 0), "12 characters · now 12 symbols"),  # the longest word
    ],
)
def test_only_the_selected_word_is_counted(
    host: Host, view: MergesView, selected: tuple[int, int], said: str
) -> None:
    host.session.set_text("The unbelievable strawberries cost much.")
    host.session.select(*selected)
    view.steps.replay()
    assert view.steps.stretch.text().endswith(said)
    run = there(there(view.steps.lane).run)
    there(view.steps.player).go_to(len(run))
    assert view.steps.stretch.text().endswith(f"now {run.count()} tokens")
    first, last = run.region
    ends = [symbol.end for word in run.symbols() for symbol in word]
    assert run.count() == len([end for end in ends if end > first and end < last]) + 1


def test_buttons_go_from_word_to_word(host: Host, view: MergesView, qtbot: QtBot) -> None:
    host.session.set_text("One two, three")
    before, after = view.steps.words
    seen = []
    host.session.select(0, 3)
    for button in (before, after, after, after, before):
        button.click()
        selection = there(host.session.selection)
        seen.append(host.session.text_map.slice(*selection))
    assert seen == ["One", "two", "three", "three", "two"]


def test_the_menu_puts_another_tokenizer_in_front(
    host: Host, view: MergesView, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "again.json", Path(host.session.chosen()[0].source).read_bytes())
    host.session.edits.add_file(path)
    qtbot.waitUntil(lambda: len(host.session.chosen()) == 2 and not host.session.opening)
    steps = view.steps
    steps.menu.aboutToShow.emit()
    assert [action.text() for action in steps.menu.actions()] == [
        item.name for item in host.session.chosen()
    ]
    steps.menu.actions()[-1].trigger()
    steps.replay()
    assert host.session.current is host.session.chosen()[-1]
    assert steps.chooser.text() == host.session.chosen()[-1].name


def test_two_players_in_a_low_window_show_their_tiles_and_buttons(
    window: MainWindow, view: MergesView, qtbot: QtBot, tmp_path: Path
) -> None:
    window.resize(1280, 720)
    path = write_file(tmp_path / "again.json", Path(window.session.chosen()[0].source).read_bytes())
    window.session.edits.add_file(path)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2 and not window.session.opening)
    window.session.select(0, 7)
    view.steps.replay()
    (one,) = view.steps.lanes.values()
    assert isinstance(one.body, MergeBody)
    window.actions_by_id.refresh()  # what was added counts
    window.actions_by_id["side_by_side"].trigger()
    both = list(view.steps.lanes.values())
    assert len(both) == 2
    assert not any(lane.queue.isVisible() for lane in both)
    qtbot.waitUntil(lambda: not both[0].transport.visibleRegion().isEmpty())
    qtbot.waitUntil(lambda: all(x.height() >= x.minimumSizeHint().height() for x in both))
    for lane in both:
        assert isinstance(lane.body, MergeBody)
        tile = lane.body.stage.tile_rect(0).toRect()
        assert lane.body.area.viewport().height() >= tile.bottom()


def test_in_step_is_for_two_players(window: MainWindow, view: MergesView, qtbot: QtBot) -> None:
    window.actions_by_id.refresh()
    in_step = window.actions_by_id["in_step"]
    assert not in_step.isEnabled()
    window.actions_by_id.refresh()  # what was added counts
    window.actions_by_id["side_by_side"].trigger()
    qtbot.waitUntil(in_step.isEnabled)
    in_step.trigger()
    assert not view.steps.in_step
    window.actions_by_id.refresh()  # what was added counts
    window.actions_by_id["side_by_side"].trigger()
    qtbot.waitUntil(lambda: not in_step.isEnabled())


def test_the_merges_that_were_used_have_ids_and_are_copied(
    window: MainWindow, view: MergesView
) -> None:
    window.session.set_text("the the")
    window.session.select(0, 7)
    view.steps.replay()
    lane = there(view.steps.lane)
    assert lane.run is not None
    lines = view.steps.lines()
    known = {
        f"({left}, {right}) → {made}": rank
        for rank, (left, right, made) in enumerate(merges(lane.run.tokenizer))
    }
    assert lines[0][:4] == ["Rank", "Left id", "Right id", "Id"]
    assert [int(line[0]) for line in lines[1:]] == [known[line[7]] for line in lines[1:]]
    assert sum(int(line[8]) for line in lines[1:]) == len(lane.run)
    trigger(window, "copy_used_merges")
    assert QGuiApplication.clipboard().text() == view.steps.as_text()
    lane.player.go_to(1)
    (done, *_rest) = lane.body.queue().done
    assert done.ids in known


@pytest.fixture
def prefixes(window: MainWindow, view: MergesView, qtbot: QtBot, tmp_path: Path) -> PrefixPage:
    """The page Longest match for BPE with the user-defined pieces "ab" and "abcd"."""
    pieces: list[Piece] = [("<unk>", 0.0, 2), ("ab", 0.0, 4), ("abcd", 0.0, 4)]
    proto = message([*pieces, *((one, -1.0, 1) for one in "▁abcd")], 2)
    proto.normalizer_spec.add_dummy_prefix = False
    path = write_file(tmp_path / "user.model", proto.SerializeToString())
    window.session.set_current(add_file(window.session, path, qtbot).key)
    window.session.set_text("babd abcd")
    window.actions_by_id["merge_prefixes"].trigger()
    page = of_kind(view.page, PrefixPage)
    page.replay()
    return page


def test_the_longest_match_is_saved_as_a_figure(prefixes: PrefixPage, tmp_path: Path) -> None:
    prefixes.player.go_to(3, by_hand=True)
    assert prefixes.figure.more.isEnabled()
    for kind in ("png", "svg", "csv"):
        prefixes.figure.save(tmp_path / f"match.{kind}")
    assert QImage(str(tmp_path / "match.png")).width() > 500
    assert "<svg" in (tmp_path / "match.svg").read_text("utf-8")
    heads, *rows = csv.reader((tmp_path / "match.csv").read_text("utf-8").splitlines())
    assert heads == ["stage", "start", "end", "id", "text", "stays"]
    assert [(row[1], row[2], row[3], row[4]) for row in rows if row[3]] == [
        ("1", "3", "1", "ab"),
        ("5", "9", "2", "abcd"),
    ]
    assert prefixes.sentence.text()
    assert there(prefixes.play).sentence(3) in prefixes.figure.caption()


def test_the_longest_match_is_stepped_through(window: MainWindow, prefixes: PrefixPage) -> None:
    player = prefixes.player
    assert player.length == len(there(prefixes.play))
    assert "2 tokens · 5 states over bytes" in prefixes.about.text()
    window.actions_by_id.refresh()
    for _ in range(3):
        window.actions_by_id["step_on"].trigger()
    assert "longest match so far" in prefixes.sentence.text()
    assert prefixes.moment.longest is not None
    window.actions_by_id["play_end"].trigger()
    assert prefixes.moment.place is None
    assert [cell.id for cell in prefixes.stage._cells if cell.id >= 0] == [1, 2]
    window.actions_by_id["play"].trigger()
    assert player.playing
    assert player.position == 0
    prefixes.trigger("merge_steps")
    assert not player.playing


def test_the_strings_that_a_user_types_are_walked(
    window: MainWindow, prefixes: PrefixPage, qtbot: QtBot
) -> None:
    window.session.set_text("xyz xy")
    prefixes.strings.setText("xy xyzz")
    qtbot.waitUntil(lambda: not prefixes.busy)
    assert prefixes.about.text().startswith("Your strings: 2 tokens · 5 states")
    assert [line[4] for line in prefixes.lines() if line[3] == "0"] == ["xy", "xy"]
    asked = []
    window.session.requests.asked.connect(asked.append)
    prefixes.stage.picked.emit(0)  # it is no entry of the tokenizer in front
    assert not asked
    prefixes.typed.setText("babd")
    prefixes.strings.setText("ab abcd")
    qtbot.waitUntil(lambda: not prefixes.busy)
    assert [line[1:5] for line in prefixes.lines()[1:]] == [
        ["0", "1", "", "b"],
        ["1", "3", "0", "ab"],
        ["3", "4", "", "d"],
    ]
    prefixes.stage.hovered.emit(1, 3)  # a place of what is typed, not of the text
    assert window.session.hover is None
    assert there(prefixes.deck(window.appearance.theme)).title == "The longest match in ab abcd"
    prefixes.strings.setText("")
    qtbot.waitUntil(lambda: not prefixes.busy)
    assert "2 tokens · 5 states over bytes" in prefixes.about.text()  # those of the tokenizer
    assert [line[3] for line in prefixes.lines()[1:]] == ["", "1", ""]


def test_strings_need_neither_a_text_nor_a_tokenizer(
    window: MainWindow, prefixes: PrefixPage, qtbot: QtBot
) -> None:
    window.session.set_text("")
    for item in window.session.chosen():
        window.session.edits.turn_on(item.key, False)
    qtbot.waitUntil(prefixes.empty.isVisible)
    assert prefixes.strings.isVisible()
    prefixes.strings.setText("ab")
    prefixes.typed.setText("cab")
    qtbot.waitUntil(lambda: not prefixes.busy and not prefixes.empty.isVisible())
    assert prefixes.lines()[-1][1:5] == ["1", "3", "0", "ab"]


def test_a_tokenizer_without_added_tokens_says_so(
    host: Host, view: MergesView, prefixes: PrefixPage
) -> None:
    shipped = next(item for item in host.session.chosen() if item.key.startswith("shipped:"))
    host.session.set_current(shipped.key)
    prefixes.replay()
    has = bool(prefix_tries(shipped.tokenizer)) if shipped.tokenizer is not None else False
    assert prefixes.empty.isVisible() != has
