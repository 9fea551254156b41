"""The list of actions: each whole, each with keys of its own, each where menus and palette show it."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from narrowed import there
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.menus.actions import MENUS, Action, Section
from tokenarium.models import fuzzy
from tokenarium.models.tokenizers.library import State


@pytest.fixture
def declared(window: MainWindow) -> list[Action]:
    return window.actions_by_id.declared


def test_ids_and_keys_are_given_once(declared: list[Action]) -> None:
    assert max(Counter(spec.id for spec in declared).values()) == 1
    keys = [key for spec in declared for key in (spec.shortcut, spec.also) if key]
    assert max(Counter(keys).values()) == 1


_TAKEN = re.compile(
    r"""Ctrl\+Alt\+ | Alt\+Ctrl\+                      # AltGr on Windows, desktops and terminals on Linux
    | Meta\+ | \bSuper                               # the desktop's own key
    | Alt\+(F\d+|Tab|Esc|Space|Print|`)\b            # windows and menus of desktops
    | Ctrl\+(Space|Esc|Tab|M|H|F\d+|`|Shift\+Esc)\b # input methods, macOS, virtual desktops
    | Ctrl\+Shift\+(U|Esc|Q)\b                       # characters by code on Linux, the task manager, logging out
    | Shift\+F10 | \b(Print|F11|F12)\b               # the context menu, pictures of the screen
    """,
    re.VERBOSE,
)
"""Keys that desktops, input methods and browsers of the common systems take before an app gets them."""


def test_no_keys_are_taken_by_a_desktop(declared: list[Action]) -> None:
    keys = [(spec.id, key) for spec in declared for key in (spec.shortcut, spec.also)]
    assert not [(id, key) for id, key in keys if _TAKEN.search(key)]


@pytest.mark.parametrize(
    "keys", ["Ctrl+Alt+T", "Ctrl+Alt+Left", "Ctrl+Space", "Alt+F4", "Ctrl+Alt+Del", "Meta+L"]
)
def test_the_known_keys_of_desktops_are_among_them(keys: str) -> None:
    assert _TAKEN.search(keys)


def test_every_action_has_an_icon(window: MainWindow, declared: list[Action]) -> None:
    for spec in declared:
        assert spec.icon, spec.id
        assert not window.actions_by_id[spec.id].icon().isNull()


def test_every_workspace_has_an_action(declared: list[Action]) -> None:
    shown = [spec.id for spec in declared if spec.choice == "workspace"]
    assert len(shown) == len(WORKSPACES)


def test_no_keys_begin_the_keys_of_another(declared: list[Action]) -> None:
    chords = {spec.shortcut.split(", ")[0] for spec in declared if ", " in spec.shortcut}
    assert not chords & {spec.shortcut for spec in declared}


def test_an_action_is_whole(declared: list[Action]) -> None:
    for spec in declared:
        assert spec.shortcut, spec.id
        assert "&" in spec.text, spec.id
        assert spec.checked is not None or not spec.choice, spec.id


def test_every_action_is_in_its_menu(window: MainWindow, declared: list[Action]) -> None:
    assert {section.menu for section in Section} == set(MENUS)
    shown = {
        name: [action.objectName() for action in menu.actions() if not action.isSeparator()]
        for name, menu in window.actions_by_id.menus.items()
    }
    assert shown == {
        name: [spec.id for spec in declared if spec.section.menu == name] for name in MENUS
    }


def test_a_line_is_between_the_sections_of_a_menu_and_nowhere_else(window: MainWindow) -> None:
    menu = window.actions_by_id.menus["Help"]
    shown = [action.objectName() or "line" for action in menu.actions()]
    lessons = ["lessons", "questions", "next_lesson_step", "last_lesson_step"]
    lessons += ["copy_lesson_link", "own_lesson_text"]
    lessons += ["new_lesson", "add_lesson_step", "edit_lesson", "save_handout"]
    lessons += ["add_lesson_file", "save_lesson_copy"]
    usual = ["palette", "welcome", "help", "shortcuts"]
    about = ["log", "check_updates", "about"]
    assert shown == [*lessons, "line", *usual, "line", *about]


@pytest.mark.parametrize("menu", MENUS)
def test_access_keys_of_a_menu_differ(menu: str, declared: list[Action]) -> None:
    texts = [spec.text for spec in declared if spec.section.menu == menu]
    keys = Counter(text[text.index("&") + 1].lower() for text in texts)
    assert max(keys.values()) == 1, keys


def test_what_cannot_be_done_is_grey(window: MainWindow) -> None:
    actions = window.actions_by_id
    actions.refresh()
    assert not actions["copy_ids"].isEnabled()
    assert not actions["clear_selection"].isEnabled()
    window.session.set_text("abc")
    window.session.select(0, 1)
    actions.refresh()
    assert actions["copy_ids"].isEnabled()
    assert actions["clear_selection"].isEnabled()


def test_checks_follow_the_session(window: MainWindow) -> None:
    window.session.set_annotations("bytes")
    window.actions_by_id.refresh()
    assert window.actions_by_id["annotate_bytes"].isChecked()
    assert not window.actions_by_id["annotate_none"].isChecked()
    window.actions_by_id["annotate_ids"].trigger()
    assert window.session.annotations == "ids"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("pretok", "Pre-tokens"),
        ("whitespace", "Show whitespace"),
        ("german", "German (Deutsch)"),
        ("off tok", "Turn off Tokenarium 8k · BPE"),
        ("dark", "Dark colours"),
        ("heap", "Queue of the word: a heap"),
        ("linked list", "Links of the symbols: a doubly linked list"),
        ("cache of", "Cache of words"),
        ("deltas", "Changes of a merge: the deltas of its pairs"),
        ("pairs counts", "Pairs of the training, with counts and ids"),
        ("queue against", "Race of encoding: a queue against scanning"),
        ("chat", "Chat …"),
        ("csv", "Save the table as CSV, LaTeX …"),
        ("latex", "Save the table as CSV, LaTeX …"),
        ("png", "Export view as PNG …"),
        ("export", "Export view as PNG …"),
        ("copy", "Copy as Python"),
        ("copy ids", "Copy token ids"),
        ("session", "Open session …"),
        ("save s", "Save session …"),
        ("train", "Train"),
        ("merge", "Merges"),
        ("tokens", "Tokens"),
        ("vocab", "Vocabulary"),
        ("undo", "Undo"),
        ("settings", "Settings …"),
        ("present", "Present to an audience"),
        ("help", "Help for this page"),
        ("report", "Save the evaluation report …"),
        ("light", "Light colours"),
        ("hindi", "Hindi (हिन्दी)"),
        ("quit", "Quit"),
        ("prtk", "Pre-tokens"),
    ],
)
def test_the_palette_finds(window: MainWindow, qtbot: QtBot, query: str, first: str) -> None:
    window.palette_commands.open_palette()
    assert window.palette_commands.opened is not None
    qtbot.keyClicks(window.palette_commands.opened.search, query)
    assert window.palette_commands.opened.model.index(0, 0).data() == first


def test_the_palette_finds_each_action_by_its_title(window: MainWindow) -> None:
    window.palette_commands.open_palette()
    model = there(window.palette_commands.opened).model
    for spec in window.actions_by_id.declared:
        if spec.id != "palette":
            model.filter(spec.plain_text.rstrip(" …"))
            first = model.index(0, 0).data()
            assert first.rstrip(" …") == spec.plain_text.rstrip(" …")


def test_the_palette_finds_each_page_by_its_short_name(window: MainWindow) -> None:
    window.show_workspace("compare")
    window.palette_commands.open_palette()
    model = there(window.palette_commands.opened).model
    short = 0
    for spec in window.actions_by_id.declared:
        name = window.actions_by_id[spec.id].iconText()
        if spec.id.startswith("compare_") and name != spec.plain_text:
            short += 1
            model.filter(name)
            assert spec.plain_text in [model.index(row, 0).data() for row in range(4)], name
    assert short > 10


def test_enter_runs_nothing_else_where_the_best_is_not_available(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.palette_commands.open_palette()
    palette = there(window.palette_commands.opened)
    qtbot.keyClicks(palette.search, "csv")
    first = there(palette.model.command(0))
    assert not first.enabled
    before = window.session.text_map.text
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert window.session.text_map.text == before


def test_the_palette_offers_what_is_not_on_this_computer(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(window.fetcher, "fetch", fetched.append)
    missing = [entry for entry in window.session.library if entry.state is State.MISSING]
    window.palette_commands.open_palette()
    model = there(window.palette_commands.opened).model
    model.filter(f"get {missing[0].name}")
    command = there(model.command(0))
    assert command.title == f"Get {missing[0].display_name}"
    command.run()
    assert fetched == [missing[0].key]


def test_the_palette_lists_every_action_and_runs_none_that_is_grey(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.palette_commands.open_palette()
    palette = there(window.palette_commands.opened)
    shown = {palette.model.index(row, 0).data() for row in range(palette.model.rowCount())}
    declared = window.actions_by_id.declared
    assert {spec.plain_text for spec in declared if spec.id != "palette"} <= shown
    qtbot.keyClicks(palette.search, "clear selection")
    command = there(palette.model.command(0))
    assert not command.enabled
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_ctrl_k_works_while_writing_and_enter_runs(window: MainWindow, qtbot: QtBot) -> None:
    window.panes.edit_text()
    qtbot.keyClick(window.text.field, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = there(window.palette_commands.opened)
    assert palette.isVisible()
    qtbot.keyClicks(palette.search, "hebrew")
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert "א" in window.session.text


def test_arrows_walk_the_palette_and_nothing_is_said_so(window: MainWindow, qtbot: QtBot) -> None:
    window.palette_commands.choose_sample()
    palette = there(window.palette_commands.opened)
    qtbot.keyClick(palette.search, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 1
    qtbot.keyClicks(palette.search, "qqqq")
    assert palette.nothing.isVisible()
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert palette.isVisible()


@pytest.mark.parametrize(
    ("query", "names", "order"),
    [
        ("", ["b", "a"], [0, 1]),
        ("tok", ["Trust no kin", "Copy the token ids", "Tokens"], [2, 1, 0]),
        ("xyz", ["Tokens"], []),
        ("PT", ["Show the text", "Pre-tokens"], [1]),
        ("ci", ["Copy token ids", "Special"], [0, 1]),
    ],
)
def test_fuzzy(query: str, names: list[str], order: list[int]) -> None:
    assert fuzzy.best(query, names) == order
