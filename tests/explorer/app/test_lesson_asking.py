"""Questions that are asked about what the window shows, and answered there or by keys; and the user's own text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from windows import shown_in

from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder
from tokenarium.views.compare import DifferencesPage
from tokenarium.views.merges import StepsPage
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.views.workspace import PagedWorkspace
from tokenarium.widgets.lesson_panel import LessonPanel
from tokenarium.widgets.text.token_view import TokenView

LESSON = """+++
title = "Asking"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:bpe-gpt2-8k"]
+++

## Merge

```scene
text = "an unbelievable thing"
workspace = "merges"
page = "steps"
select = " unbelievable"
at = 1
```

```question
kind = "merge"
ask = "Which?"
after = "Right."
```

## Cut

```scene
text = "one two three"
workspace = "tokens"
```

```question
kind = "click"
part = "cut"
ask = "Click the last cut."
answer = "item(cuts(text), -1)"
```

## Click

```question
kind = "click"
ask = "Click “ two”."
answer = '" two"'
hint = "The second word."
```

## Number

```scene
text = "one two three"
select = " two"
mark = ["range: two", "counts", "strip 1", "token 1", "sentence"]
```

```question
kind = "number"
ask = "How many tokens is it, “one two three”?"
answer = 'count("one two three")'
after = "It is {{ count(text) }}."
```

## A part

```question
kind = "number"
ask = "How many tokens is “three”?"
answer = 'count("three")'
```

## No text

```question
ask = "Who decides?"
choices = ["the program", "the user"]
answer = '"the program"'
[reasons]
"the user" = "No."
```

## A cut of pre-tokens

```scene
text = "unbelievable, it is"
workspace = "pretokens"
```

```question
kind = "click"
part = "cut"
ask = "Click the first cut before any merge."
answer = "item(pre_token_cuts(text), 1)"
```

## A cut in Compare

```scene
text = "unbelievable, it is"
workspace = "compare"
page = "differences"
```

```question
kind = "click"
part = "cut"
ask = "Click the first cut."
answer = "item(cuts(text), 1)"
```
"""

Begin = Callable[[int], LessonPanel]


@pytest.fixture
def begin(window: MainWindow, qtbot: QtBot) -> Begin:
    """Begins the lesson at a step."""
    lessons_folder().mkdir(parents=True)
    (lessons_folder() / "asking.md").write_text(LESSON)
    window.resize(1440, 900)
    window.session.set_text("my text")

    def begin(step: int) -> LessonPanel:
        window.lessons.open_list()
        window.lessons.open("asking", step)
        panel = there(window.lessons.panel)
        qtbot.waitUntil(lambda: panel.shows_step and not window.stage.busy)
        qtbot.wait(10)
        return panel

    return begin


def steps_page(window: MainWindow) -> StepsPage:
    space = of_kind(window.workspace, PagedWorkspace)
    assert isinstance(space.page, StepsPage)
    return space.page


def test_the_next_merge_is_hidden_asked_and_played(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    card = begin(0).question
    page = steps_page(window)
    qtbot.waitUntil(lambda: page.player is not None and page.player.position == 1)
    lane = there(page.lane)
    stage = lane.body.stage  # type: ignore[attr-defined]
    assert stage.ranks_hidden
    assert not lane.sentence.isVisible()
    assert not lane.panel.isVisible()
    right = window.lessons.answers.next_merge(" unbelievable", 1)
    texts = [one.text() for one in card.choices]
    assert texts.count(right) == 1
    wrong = next(one for one in card.choices if one.text() != right)
    qtbot.keyClick(wrong, Qt.Key.Key_Space)
    assert (wrong.state, lane.player.position) == ("bad", 1)
    qtbot.mouseClick(card.choices[texts.index(right)], Qt.MouseButton.LeftButton)
    assert card.verdict.text() == "**Yes.** Right."
    assert lane.player.position == 2
    assert not stage.ranks_hidden
    assert lane.sentence.isVisible()
    qtbot.mouseClick(card.another, Qt.MouseButton.LeftButton)
    assert window.lessons.asking.right_answer == window.lessons.answers.next_merge(
        " unbelievable", 2
    )
    assert stage.ranks_hidden
    window.lessons.close()
    assert not stage.ranks_hidden


def test_a_shown_answer_shows_the_ranks(begin: Begin, window: MainWindow) -> None:
    card = begin(0).question
    window.lessons.reveal()
    assert window.lessons.answers.next_merge(" unbelievable", 1) in card.verdict.text()
    lane = there(steps_page(window).lane)
    assert lane.sentence.isVisible()


def cut_view(window: MainWindow, qtbot: QtBot) -> TokenView:
    """Returns the view of the tokens, when the text is tokenized."""
    view = of_kind(window.workspace, TokensView).view
    qtbot.waitUntil(lambda: len(view.parts) > 1)
    return view


def test_a_cut_is_clicked_in_the_text(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    card = begin(1).question
    view = cut_view(window, qtbot)
    cuts = window.lessons.answers.cuts("one two three")
    for cut, said in ((cuts[0], "Not quite"), (cuts[-1], "Yes")):
        click_cut(view, cut, qtbot)
        assert said in card.verdict.text()


def click_cut(view: TokenView, cut: int, qtbot: QtBot) -> None:
    """Clicks at the begin of the part that a cut is before."""
    segments = view.parts
    part = next(n for n in range(len(segments)) if segments.span(n)[0] == cut)
    rect = view.part_rects(part)[0]
    place = QPoint(round(rect.left()) + 2, round(rect.center().y()))
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_cut_is_clicked_between_pre_tokens(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    card = begin(6).question
    space = of_kind(window.workspace, PretokensView)
    qtbot.waitUntil(lambda: len(space.view.parts) > 1)
    text = window.session.text
    cuts = window.lessons.answers.pre_token_cuts(text)
    assert cuts[0] not in window.lessons.answers.cuts(text)[:1]
    assert card.cuts is not None
    assert list(card.cuts.cuts) == [str(cut) for cut in cuts]
    for cut, said in ((cuts[-1], "Not quite"), (cuts[0], "Yes")):
        click_cut(space.view, cut, qtbot)
        assert said in card.verdict.text()


def test_a_cut_is_clicked_in_compare(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    card = begin(7).question
    page = shown_in(window, DifferencesPage)
    qtbot.waitUntil(lambda: len(page.view.parts) > 1)
    click_cut(page.view, window.lessons.answers.cuts(window.session.text)[0], qtbot)
    assert "Yes" in card.verdict.text()


def test_a_cut_is_chosen_by_key(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    card = begin(1).question
    assert card.cuts is not None
    cuts = window.lessons.answers.cuts("one two three")
    assert list(card.cuts.cuts) == [str(cut) for cut in cuts]
    button = card.cuts.cuts[str(cuts[-1])]
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert "Yes" in card.verdict.text()
    assert button.text() == "✓"


def test_a_cut_is_revealed(begin: Begin, window: MainWindow) -> None:
    card = begin(1).question
    window.lessons.reveal()
    assert "|" in card.verdict.text()


def test_a_token_is_walked_to_and_checked(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    card = begin(2).question
    view = cut_view(window, qtbot)
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert card.selected is not None
    assert not card.verdict.isVisible()  # it was only walked to
    assert "one" in card.selected.text()
    card._send()
    assert "Not quite" in card.verdict.text()
    window.session.select(3, 7)
    assert "Yes" in card.verdict.text()


def test_a_token_is_clicked(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    card = begin(2).question
    view = cut_view(window, qtbot)
    rect = view.part_rects(0)[0]
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=rect.center().toPoint())
    assert card.verdict.isVisible()


def own(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.session.set_text(text)
    qtbot.waitUntil(lambda: bool(window.lessons.step_shown and window.lessons.step_shown.own_text))


def test_a_question_is_asked_about_the_users_text(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    panel = begin(3)
    own(window, qtbot, "quite another text")
    assert panel.own_said.isVisible()
    assert panel.again.text() == "Back to the step"
    shown = there(window.lessons.step_shown)
    assert there(shown.question).ask == "How many tokens is it, “quite another text”?"
    count = window.lessons.answers.count("quite another text")
    window.lessons.answer(str(count))
    assert panel.question.verdict.text() == f"**Yes.** It is {count}."
    panel.again.click()
    assert window.session.text == "one two three"
    assert window.session.selection == (3, 7)
    assert not panel.own_said.isVisible()
    assert window.lessons.asking.right_answer == str(window.lessons.answers.count("one two three"))


def test_a_question_about_a_part_of_the_text_is_hidden(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    panel = begin(4)
    assert panel.question.isVisible()
    own(window, qtbot, "other")
    assert not panel.question.isVisible()
    window.lessons.step(1)
    qtbot.waitUntil(lambda: not window.lessons.waits)
    assert panel.question.isVisible()


def test_a_question_about_no_text_stays(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    panel = begin(5)
    own(window, qtbot, "other")
    assert [one.text() for one in panel.question.choices] == ["the program", "the user"]
    assert panel.question.isVisible()


def test_the_own_text_is_written_in_the_editor(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    panel = begin(3)
    panel.own.click()
    assert window.panes.text_is_shown()
    qtbot.keyClicks(window.text.field, "abc")
    qtbot.waitUntil(lambda: window.session.text == "abc")
    qtbot.waitUntil(lambda: bool(window.lessons.step_shown and window.lessons.step_shown.own_text))
    window.lessons.close()
    assert window.session.text == "my text"


def test_the_users_text_is_not_copied(begin: Begin, window: MainWindow) -> None:
    text_map = window.session.text_map
    begin(3)
    assert window.session.text_map is not text_map
    window.lessons.close()
    assert window.session.text_map is text_map
