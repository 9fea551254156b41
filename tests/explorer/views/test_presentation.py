"""The presentation: the workspace on the whole screen, its keys, and questions made from the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.style.theme import PRESENTATION
from tokenarium.views.decks import TokensDeck, ViewDeck
from tokenarium.views.merges import MergesView
from tokenarium.views.presentation import Presentation
from tokenarium.views.step_decks import MergesDeck
from tokenarium.widgets.players.merge_body import MergeBody

TEXT = "Unbelievable merging of strawberries"

Begin = Callable[[str], Presentation]


@pytest.fixture
def begin(window: MainWindow, qtbot: QtBot) -> Iterator[Begin]:
    """Presents a workspace, or a page of Merges."""

    def present(what: str) -> Presentation:
        window.session.set_text(TEXT)
        qtbot.waitUntil(lambda: all(window.session.encoded(x.key) for x in window.session.chosen()))
        if what in ("steps", "why", "sizes", "training", "prefixes"):
            window.merge_commands.show_page(what)
        else:
            window.show_workspace(what)
        if what == "steps":
            view = window.workspace
            assert isinstance(view, MergesView)
            window.session.select(0, len("Unbelievable"))
            view.steps.replay()
        window.actions_by_id["present"].trigger()
        shown = window.presentation
        assert shown is not None
        return shown

    yield present
    if window.presentation is not None:
        window.presentation.close()


def test_it_takes_the_whole_screen_and_gives_all_back(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    before, theme = window.size(), window.appearance.theme
    shown = begin("steps")
    assert shown.isFullScreen()
    assert shown.theme is PRESENTATION
    assert window.appearance.theme is theme  # the window is not painted again
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.presentation is None)
    assert window.appearance.theme == theme
    assert window.size() == before


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("steps", MergesDeck),
        ("tokens", TokensDeck),
        ("why", ViewDeck),
        ("compare", ViewDeck),
        ("scripts", ViewDeck),
    ],
)
def test_workspaces_are_presented(begin: Begin, what: str, kind: type) -> None:
    shown = begin(what)
    assert type(shown.deck) is kind
    assert shown.title.text()
    assert shown.grab().width() > 0


def merges(shown: Presentation) -> tuple[MergesDeck, MergeBody]:
    deck = shown.deck
    assert isinstance(deck, MergesDeck)
    assert isinstance(deck.body, MergeBody)
    return deck, deck.body


def test_keys_go_through_the_steps(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("steps")
    deck, _ = merges(shown)
    seen = []
    for key in (
        Qt.Key.Key_Space,
        Qt.Key.Key_Right,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Left,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_End,
        Qt.Key.Key_Space,
        Qt.Key.Key_Home,
    ):
        qtbot.keyClick(shown, key)
        seen.append(deck.position)
    last = deck.length
    assert seen == [1, 2, 3, 2, 1, last, last, 0]


def test_each_question_has_one_right_answer_among_pairs_that_wait(begin: Begin) -> None:
    deck, body = merges(begin("steps"))
    asked = 0
    for position in range(deck.length + 1):
        deck.go_to(position)
        question = deck.question
        assert body.stage.ranks_hidden is (question is not None)
        if question is None:
            assert deck.sentence
            continue
        asked += 1
        assert 2 <= len(question.choices) <= 4
        assert len({one.texts for one in question.choices}) == len(question.choices)
        (following,) = [one for one in body.queue().waiting if one.next]
        right = question.choices[question.right]
        assert right.texts == (following.left, following.right)
        deck.go_to(position)
        assert deck.question == question  # the same again
    assert asked > 2
    deck.ask_questions(False)
    deck.go_to(0)
    assert deck.question is None
    assert not body.stage.ranks_hidden


@pytest.mark.parametrize("by", ["key", "click"])
def test_a_wrong_answer_turns_bad_and_then_the_merge_plays(
    begin: Begin, qtbot: QtBot, by: str
) -> None:
    shown = begin("steps")
    deck, body = merges(shown)
    question = deck.question
    assert question is not None
    wrong = 0 if question.right else 1
    if by == "key":
        qtbot.keyClick(shown, (Qt.Key.Key_1, Qt.Key.Key_2)[wrong])
    else:
        qtbot.waitExposed(shown)
        point = shown.band.rects()[wrong].center().toPoint()
        qtbot.mouseClick(shown.band, Qt.MouseButton.LeftButton, pos=QPoint(point))
    assert deck.question is not None
    states = deck.question.states
    assert states[wrong] == "bad"
    assert states[question.right] == "good"
    assert states.count("dim") == len(states) - 2
    assert not body.stage.ranks_hidden
    assert deck.position == 0
    qtbot.waitUntil(lambda: deck.position == 1)


def test_r_reveals_without_going_on(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("steps")
    deck, body = merges(shown)
    qtbot.keyClick(shown, Qt.Key.Key_R)
    assert deck.question is not None
    assert deck.question.states.count("good") == 1
    assert "bad" not in deck.question.states
    assert not body.stage.ranks_hidden
    assert deck.position == 0


def test_b_makes_the_screen_black(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("steps")
    deck, _ = merges(shown)
    qtbot.keyClick(shown, Qt.Key.Key_B)
    assert shown.black.isVisible()
    assert shown.grab().toImage().pixelColor(9, 9).name() == "#000000"
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    assert not shown.black.isVisible()
    assert deck.position == 0


def test_the_tokens_of_the_next_tokenizer_are_asked_for_first(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    window.session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    shown = begin("tokens")
    deck = shown.deck
    assert isinstance(deck, TokensDeck)
    assert "tokens:" in deck.sentence
    first = deck.position
    qtbot.keyClick(shown, Qt.Key.Key_Home if first else Qt.Key.Key_End)
    assert deck.position != first
    assert deck.sentence.startswith("How many tokens")
    qtbot.keyClick(shown, Qt.Key.Key_R)
    assert "bytes per token" in deck.sentence
    assert len(deck.view.rows) == 2


def test_the_window_goes_on_at_the_same_step(window: MainWindow, begin: Begin) -> None:
    shown = begin("steps")
    shown.deck.go_to(3)
    shown.close()
    view = window.workspace
    assert isinstance(view, MergesView)
    assert view.steps.player is not None
    assert view.steps.player.position == 3


def test_closing_the_window_ends_the_presentation(window: MainWindow, begin: Begin) -> None:
    begin("steps")
    window.close()
    assert window.presentation is None
