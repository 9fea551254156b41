"""A prediction: what answers it is hidden in the window and on the stage, until it is answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lesson_player import answers_in_sight, covered
from narrowed import of_kind, there
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from pytestqt.qtbot import QtBot

from tokenarium.analyses.figure_boards import language_boards
from tokenarium.app.lesson_deck import LessonDeck
from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder
from tokenarium.models.text.token_row import TokenRow
from tokenarium.views.compare_overview import OverviewPage
from tokenarium.views.decks import BarsDeck, Deck
from tokenarium.views.figure_decks import BytesDeck
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.presentation import ViewDeck
from tokenarium.views.step_decks import MergesDeck, TrainingDeck
from tokenarium.views.text_decks import TextDeck, TokensDeck
from tokenarium.views.workspace import PagedWorkspace
from tokenarium.widgets.lesson_panel import LessonPanel
from tokenarium.widgets.players.merge_body import MergeBody
from tokenarium.widgets.veil import Veil

LESSON = """+++
title = "Predicting"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:bpe-gpt2-8k"]
+++

## {page}

```scene
text = "newest newest widest"
workspace = "{workspace}"
page = "{page}"
```

```question
ask = "How many?"
choices = ["1", "99"]
answer = "count(text)"
hint = "Think."
after = "So it is."

[reasons]
99 = "Too many."
```

## No question

More.
"""

PAGES = (
    ("tokens", ""),
    ("tokens", "stream"),
    ("tokens", "ways"),
    ("pretokens", ""),
    ("bytes", "bytes"),
    ("merges", "steps"),
    ("merges", "sizes"),
    ("compare", "overview"),
)

ON_STAGE = (
    *PAGES,
    ("merges", "training"),
    ("merges", "prefixes"),
    ("compare", "differences"),
    ("scripts", "vocabulary"),
    ("vocabulary", "entries"),
    ("vocabulary", "diagnostics"),
)

Begin = Callable[..., LessonPanel]


@pytest.fixture
def begin(window: MainWindow, qtbot: QtBot) -> Begin:
    """Shows the question beside a page."""
    window.resize(1440, 900)
    lessons_folder().mkdir(parents=True)

    def begin(workspace: str = "tokens", page: str = "") -> LessonPanel:
        text = LESSON.format(workspace=workspace, page=page)
        (lessons_folder() / "predicting.md").write_text(text)
        window.lessons.open("predicting", 0)
        panel = there(window.lessons.panel)
        qtbot.waitUntil(
            lambda: (
                panel.shows_step
                and not (window.stage.busy or window.lessons.waits or window.workspace.busy)
                and window.session.encoded("shipped:bpe-gpt2-8k") is not None
            )
        )
        return panel

    return begin


@pytest.mark.parametrize(("workspace", "page"), PAGES)
def test_each_page_hides_the_answer_and_shows_it(
    begin: Begin, window: MainWindow, qtbot: QtBot, workspace: str, page: str
) -> None:
    card = begin(workspace, page).question
    assert answers_in_sight(window) == []
    card.hint.click()
    qtbot.wait(150)  # counts follow a moment later
    assert answers_in_sight(window) == []
    wrong = next(one for one in card.choices if one.text() == "99")
    qtbot.mouseClick(wrong, Qt.MouseButton.LeftButton)
    assert card.verdict.text() == "**Not quite.** Too many."
    qtbot.waitUntil(lambda: answers_in_sight(window) != [])


def test_a_prediction_is_called_one(begin: Begin, window: MainWindow) -> None:
    shown = there(window.lessons.step_shown) if begin() else None
    assert there(there(shown).question).title == "Predict first"


@pytest.mark.parametrize("way", ["reveal", "step", "close", "own text"])
def test_what_is_hidden_comes_back(
    begin: Begin, window: MainWindow, qtbot: QtBot, way: str
) -> None:
    begin()
    assert answers_in_sight(window) == []
    if way == "reveal":
        window.lessons.reveal()
    elif way == "step":
        window.lessons.step(1)
    elif way == "close":
        window.session.set_text("newest")
        window.lessons.close()
        window.session.set_text("newest")
    else:
        window.session.set_text("my own text")
    qtbot.waitUntil(lambda: "colours are shown" in answers_in_sight(window))
    assert len(answers_in_sight(window)) > 1  # the counts, too


def test_another_page_is_not_hidden(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    begin()
    window.show_workspace("bytes")
    qtbot.waitUntil(lambda: answers_in_sight(window) == ["tokens are shown"])
    window.lessons.reveal()
    window.show_workspace("tokens")
    qtbot.waitUntil(lambda: "colours are shown" in answers_in_sight(window))


def test_the_stage_hides_the_answer_too(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    begin()
    window.actions_by_id["present"].trigger()
    shown = there(window.presenting.shown)
    deck = of_kind(shown.deck, LessonDeck)
    qtbot.waitUntil(lambda: isinstance(deck.inner, TokensDeck))
    view = of_kind(deck.inner, TokensDeck).view
    assert not len(view.parts)
    deck.choose(
        next(n for n, one in enumerate(there(deck.question).choices) if one.description == "99")
    )
    assert not len(view.parts)  # the others can go on
    deck.reveal()
    qtbot.waitUntil(lambda: len(of_kind(deck.inner, TokensDeck).view.parts) > 0)
    shown.close()


def shown_on(deck: Deck) -> list[str]:
    """Returns what a deck shows of tokens, counts and figures."""
    if covered_inside(deck):
        return []
    if isinstance(deck, TextDeck):
        return ["colours"] if len(deck.view.parts) else []
    if isinstance(deck, BytesDeck):
        return ["tokens"] if any(isinstance(row, TokenRow) for row in deck.grid.rows) else []
    if isinstance(deck, MergesDeck):
        return [] if of_kind(deck.body, MergeBody).stage.ranks_hidden else ["ranks"]
    if isinstance(deck, BarsDeck):
        return [] if deck.bars.hidden else ["bars"]
    if isinstance(deck, TrainingDeck):
        bars = [] if covered(deck.bars) else ["pairs"]
        return bars + (["colours"] if len(deck.view.parts) else [])
    return ["all of it"]


def covered_inside(deck: Deck) -> bool:
    """Returns whether a veil covers all of a deck, or the page in it."""
    return any(
        veil.isVisibleTo(deck) and (veil.parent() is deck or isinstance(deck, ViewDeck))
        for veil in deck.findChildren(Veil)
    )


@pytest.mark.parametrize(("workspace", "page"), ON_STAGE)
def test_each_page_hides_the_answer_on_the_stage(
    begin: Begin, window: MainWindow, qtbot: QtBot, workspace: str, page: str
) -> None:
    begin(workspace, page)
    if page == "training":
        training = of_kind(of_kind(window.workspace, PagedWorkspace).page, MergeTrainingPage)
        training.train()
        qtbot.waitUntil(lambda: training.story is not None and not training.busy)
    window.actions_by_id["present"].trigger()
    shown = there(window.presenting.shown)
    deck = of_kind(shown.deck, LessonDeck)
    qtbot.waitUntil(lambda: deck.inner is not None and deck.inner.isVisible())
    assert shown_on(there(deck.inner)) == []
    deck.reveal()
    qtbot.waitUntil(lambda: shown_on(there(deck.inner)) != [])
    shown.close()
    window.lessons.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.session.set_text("what is left of the stage hears of another text")


def test_the_stage_begins_with_the_languages_that_a_step_is_about(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1280, 720)
    window.lessons.open("06-languages", 6)
    qtbot.waitUntil(
        lambda: not (window.stage.busy or window.lessons.waits or window.workspace.busy)
    )
    window.actions_by_id["present"].trigger()
    shown = there(window.presenting.shown)
    deck = of_kind(shown.deck, LessonDeck)
    qtbot.waitUntil(lambda: isinstance(deck.inner, BarsDeck))
    page = of_kind(of_kind(window.workspace, PagedWorkspace).page, OverviewPage)
    first = language_boards(page.languages.premiums.drawing.plot)[0]
    assert of_kind(deck.inner, BarsDeck).heading.text() == first.title
    page.area.verticalScrollBar().setValue(0)
    assert of_kind(page.deck(window.appearance.theme), BarsDeck).heading.text() == "Tokens"
    shown.close()
