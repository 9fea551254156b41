"""The workspace Pre-tokens: chosen patterns, one's own, its errors, and differences."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.app import PATIENCE_S
from tokenarium.models.text import differences
from tokenarium.models.text.cut_job import CutJob
from tokenarium.models.text.differences import CutComparison
from tokenarium.views import pretokens
from tokenarium.views.pattern_choices import OWN
from tokenarium.views.pretokens import PretokensView
from tokenarium.window import MainWindow
from tokenarium_core.padded_text import padded

TEXT = "It's 12345 o'clock.\n\nGo"


@pytest.fixture
def view(window: MainWindow) -> PretokensView:
    window.session.set_text(TEXT)
    window.session.set_patterns(["gpt2", "cl100k"])
    window.show_workspace("pretokens")
    assert isinstance(window.workspace, PretokensView)
    return window.workspace


def parts(view: PretokensView, key: str) -> list[str]:
    row = view.stack.rows[key]
    text = view.session.text_map
    return [text.slice(*row.view.segmentation.span(k)) for k in range(len(row.view.segmentation))]


def write(view: PretokensView, qtbot: QtBot, pattern: str) -> None:
    view.pattern_edit.clear()
    if pattern:
        qtbot.keyClicks(view.pattern_edit, pattern)
    qtbot.waitUntil(lambda: not view._try_own.isActive())


def test_each_pattern_has_a_row(view: PretokensView) -> None:
    assert parts(view, "gpt2")[2] == " 12345"
    assert parts(view, "cl100k")[2:5] == [" ", "123", "45"]
    assert view.stack.rows["gpt2"].header.parts.text() == f"{len(parts(view, 'gpt2'))} pre-tokens"


def test_the_patterns_of_tokenizers_that_are_on_come_first(
    view: PretokensView, window: MainWindow
) -> None:
    assert list(view.choices.buttons) == [
        "o200k",
        *[n for n in tc.PRE_TOKENIZERS if n != "o200k"],
        OWN,
    ]
    assert "used by Tokenarium 8k" in view.choices.buttons["o200k"].toolTip()
    window.session.edits.turn_on("shipped:tokenarium-8k", False)
    assert list(view.choices.buttons) == [*tc.PRE_TOKENIZERS, OWN]


def test_a_button_shows_and_hides_a_pattern(view: PretokensView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view.choices.buttons["digits"], Qt.MouseButton.LeftButton)
    assert "digits" in view.stack.rows
    qtbot.mouseClick(view.choices.buttons["digits"], Qt.MouseButton.LeftButton)
    assert "digits" not in view.stack.rows


def test_no_pattern_is_said(view: PretokensView, window: MainWindow) -> None:
    window.session.set_patterns([])
    assert view.empty.isVisible()


def test_the_text_is_cut_anew(view: PretokensView, window: MainWindow) -> None:
    window.session.set_text("one two")
    assert parts(view, "gpt2") == ["one", " two"]
    window.session.set_text("")
    assert parts(view, "gpt2") == []


def test_a_pattern_of_ones_own_is_live_and_names_its_rules(
    view: PretokensView, qtbot: QtBot
) -> None:
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, r"(?P<digit>\d)|(?P<rest>\D+)")
    qtbot.waitUntil(lambda: len(parts(view, OWN)) == 7)
    names = view.stack.rows[OWN].view.segmentation.rule_names
    assert names[:2] == ("digit", "rest")


@pytest.mark.parametrize(
    ("pattern", "position", "words"),
    [(r"\w+|(", 5, "does not compile"), (r"[a-z]+", -1, "matches nothing")],
)
def test_errors_are_said_and_marked(
    view: PretokensView, qtbot: QtBot, pattern: str, position: int, words: str
) -> None:
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, pattern)
    qtbot.waitUntil(lambda: words in view.own_problem.text())
    assert view.own_problem.isVisible()
    assert view.pattern_edit.marked == position
    assert parts(view, OWN) == []
    assert len(parts(view, "gpt2")) > 0
    write(view, qtbot, r"(?s).")
    qtbot.waitUntil(lambda: len(parts(view, OWN)) == len(TEXT))
    assert not view.own_problem.isVisible()
    assert view.pattern_edit.marked == -1


def test_a_pattern_that_takes_too_long_is_stopped(
    view: PretokensView, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("a" * 40)
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, r"(a|aa)+$x|b")
    qtbot.waitUntil(lambda: view.own_problem.text() != "")
    assert parts(view, OWN) == []


def test_the_own_pattern_outlives_its_row(view: PretokensView, qtbot: QtBot) -> None:
    for _ in range(2):
        qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
        write(view, qtbot, r"(?s).")
        qtbot.waitUntil(lambda: len(parts(view, OWN)) == len(TEXT))
        qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
        assert OWN not in view.stack.rows
    assert view.pattern_edit.text() == r"(?s)."


def test_a_chip_of_the_legend_walks_what_its_rule_cut(
    view: PretokensView, window: MainWindow
) -> None:
    found = []
    for _ in range(4):
        view._legends["cl100k"].picked.emit("1 to 3 digits")
        assert window.session.selection is not None
        found.append(window.session.text_map.slice(*window.session.selection))
    assert found == ["123", "45", "123", "45"]


def test_f8_walks_the_differences(view: PretokensView, window: MainWindow, qtbot: QtBot) -> None:
    found = []
    assert view.difference_count == 3
    window.actions_by_id.refresh()
    for _ in range(4):
        window.actions_by_id["next_difference"].trigger()
        assert window.session.selection is not None
        found.append(window.session.text_map.slice(*window.session.selection))
    assert found == [" 12345", "'clock", ".\n\n", " 12345"]
    window.actions_by_id["previous_difference"].trigger()
    assert window.session.text_map.slice(*window.session.selection) == found[2]


def test_one_pattern_differs_from_nothing(view: PretokensView, window: MainWindow) -> None:
    window.session.set_patterns(["gpt2"])
    assert view.difference_count == 0
    assert not view.difference_bar.buttons[0].isEnabled()


@pytest.mark.parametrize(
    ("cuts", "wanted"),
    [
        ([[2, 5, 9], [2, 3, 5, 9]], [[2, 5]]),
        ([[1, 2], [1, 2]], []),
        ([[4], [1, 4], [2, 4]], [[0, 4]]),
        ([[1, 3, 6], [2, 3, 6], [1, 3, 5, 6]], [[0, 3], [3, 6]]),
        ([[3]], []),
        ([], []),
    ],
)
def test_differences(
    cuts: list[list[int]], wanted: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stretch in (1 << 20, 4, 2, 1):
        monkeypatch.setattr(differences, "STRETCH", stretch)
        comparison = compared(cuts)
        assert comparison.places.tolist() == wanted
        ways = [set(cut) for cut in cuts]
        all_of_them = set.union(*ways) - set.intersection(*ways) if ways else set()
        assert comparison.disputed.tolist() == sorted(all_of_them)


def compared(cuts: list[list[int]]) -> CutComparison:
    comparison = CutComparison([np.array(cut, dtype=np.int32) for cut in cuts])
    while not comparison.step(0).finished:
        pass
    return comparison


def test_a_long_text_is_compared_when_all_have_cut_it(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretokens, "SLICE_MS", 0.0)
    monkeypatch.setattr(differences, "STRETCH", 1 << 10)
    window.session.set_patterns(["gpt2", "cl100k"])
    window.show_workspace("pretokens")
    view = window.workspace
    assert isinstance(view, PretokensView)
    window.session.set_text("We're 12345 \n" * 20_000)
    assert view.difference_bar.label.text() == "Comparing …"
    qtbot.waitUntil(lambda: not window.session.jobs.running())
    assert view.difference_bar.label.text().startswith("They differ in ")


def test_a_pattern_kept_from_last_time_says_what_is_wrong_with_it(window: MainWindow) -> None:
    window.session.set_text(TEXT)
    window.session.set_patterns(["own"])
    window.session.set_own_pattern(r"\p{L}+|(\s+")
    window.show_workspace("pretokens")
    assert isinstance(window.workspace, PretokensView)
    assert "does not compile" in window.workspace.own_problem.text()
    assert window.workspace.pattern_edit.marked == 11


def test_a_pattern_without_an_end_holds_up_the_window_for_a_moment_only(
    view: PretokensView, qtbot: QtBot
) -> None:
    view.session.set_text("xx" + "a" * 300)
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, r"x|(?:a|aa)+[bc]")
    qtbot.waitUntil(lambda: view.own_problem.text() != "")
    assert f"took more than {PATIENCE_S:g} s at character 2" in view.own_problem.text()


@pytest.mark.parametrize("name", tc.PRE_TOKENIZERS)
def test_a_cut_in_slices_is_the_cut_at_once(name: str) -> None:
    text = TEXT * 5000
    job = CutJob(tc.pre_tokenizer(name), padded(text))
    steps = 1
    while not job.step(0).finished:
        steps += 1
    whole = tc.cut(tc.pre_tokenizer(name), text)
    assert steps > 1
    assert job.ends.tolist() == np.asarray(memoryview(whole.ends)).tolist()
    assert job.rules.tolist() == np.asarray(memoryview(whole.rules)).tolist()


def test_tab_goes_through_the_patterns_and_then_the_differences(
    view: PretokensView, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("It's 12345 words.")
    wanted = [*view.choices.buttons.values(), *view.difference_bar.buttons]
    qtbot.waitUntil(lambda: all(button.isEnabled() for button in wanted))
    wanted[0].setFocus()
    for button in wanted:
        assert QApplication.focusWidget() is button
        qtbot.keyClick(button, Qt.Key.Key_Tab)


def test_tokenizers_with_no_pattern_that_is_shown_change_no_row(
    view: PretokensView, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []
    monkeypatch.setattr(view.stack, "set_rows", told.append)
    for on in (False, True):
        window.session.edits.turn_on("shipped:tokenarium-8k", on)
    assert not told


def test_what_changes_unseen_is_shown_when_it_is_seen(
    view: PretokensView, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_workspace("bytes")
    with monkeypatch.context() as patch:
        patch.setattr(view, "stack", None)  # nothing is done to it meanwhile
        patch.setattr(view, "choices", None)
        window.session.set_text("It's 2026")
        window.session.edits.turn_on("shipped:tokenarium-8k", False)
        window.session.set_patterns(["digits", "cl100k"])
        window.session.select(0, 2)
    window.show_workspace("pretokens")
    assert set(view.stack.rows) == {"cl100k", "digits"}
    assert parts(view, "cl100k") == ["It", "'s", " ", "202", "6"]
    assert view.difference_count > 0
    assert list(view.choices.buttons) == [*tc.PRE_TOKENIZERS, OWN]


def test_cutting_ends_with_its_text_also_unseen(view: PretokensView, window: MainWindow) -> None:
    window.session.set_text(TEXT * 200_000)
    assert window.session.jobs.runs("cut gpt2")
    window.show_workspace("bytes")
    window.session.set_text("short")
    assert not any(job.key.startswith("cut ") for job in window.session.jobs.running())


def test_tokenizers_that_change_only_the_order_compare_nothing(
    view: PretokensView, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.set_patterns(["gpt2", "o200k"])
    assert list(view.stack.rows) == ["o200k", "gpt2"]
    count = view.difference_count
    monkeypatch.setattr(pretokens, "CutComparison", None)
    window.session.edits.turn_on("shipped:tokenarium-8k", False)
    assert list(view.stack.rows) == ["gpt2", "o200k"]
    assert view.difference_count == count
