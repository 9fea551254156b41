"""A question about the text of a step is asked about another one, where that makes sense."""

from __future__ import annotations

import pytest
from narrowed import there

from tokenarium.models.lessons.lesson import LessonQuestion
from tokenarium.models.lessons.own_text import asked_about

TEXT, SELECTED = "an Egg salad", " Egg"


@pytest.mark.parametrize(
    ("question", "ask", "answer"),
    [
        (LessonQuestion("How many?", 'count("an Egg salad", 2)', "number"), "How many?", "count('new words', 2)"),
        (LessonQuestion("And “Egg”?", 'count(" Egg")', "number"), "And “words”?", "count(' words')"),
        (LessonQuestion("{{ name() }}: how many is {{ tokens(' Egg') }}?", "count(text)", "number"), "{{name()}}: how many is {{tokens(' words')}}?", "count(text)"),
        (LessonQuestion("Who?", '"the program"', choices=("the program", "x")), "Who?", "'the program'"),
        (LessonQuestion("Which?", kind="merge"), "Which?", ""),
        (LessonQuestion("Write.", "count(text) == 2", "write"), "Write.", "count(text) == 2"),
    ],
)  # fmt: skip
def test_the_users_text_takes_the_place(question: LessonQuestion, ask: str, answer: str) -> None:
    asked = there(asked_about(question, TEXT, SELECTED, "new words", " words"))
    assert (asked.ask, asked.answer, asked.reasons) == (ask, answer, {})


@pytest.mark.parametrize(
    "question",
    [
        LessonQuestion("How many?", 'count("salad")', "number"),
        LessonQuestion("How many is “salad”?", "count(text)", "number"),
        LessonQuestion("Split it.", "tokens('an')", "split", text="an"),
        LessonQuestion("Click.", '"an"', "click"),
    ],
)
def test_a_question_about_another_part_is_not_asked(question: LessonQuestion) -> None:
    assert asked_about(question, TEXT, SELECTED, "new words", " words") is None


def test_a_text_without_end_is_not_asked_about() -> None:
    question = LessonQuestion("How many?", "count(text)", "number")
    assert asked_about(question, TEXT, "", "a" * 30_000) is None
    assert asked_about(question, TEXT, "", "") is None


def test_a_word_of_the_user_is_cut() -> None:
    question = LessonQuestion("Cut it.", f'tokens("{TEXT}")', "split", text=TEXT)
    asked = there(asked_about(question, TEXT, "", "salads"))
    assert (asked.text, asked.answer) == ("salads", "tokens('salads')")
    assert asked_about(question, TEXT, "", "a" * 25) is None


def test_a_hint_about_the_old_text_is_left_out() -> None:
    question = LessonQuestion(
        "?", "count(text)", "number", hint="Look at “Egg”.", after="So {{ text }}."
    )
    asked = there(asked_about(question, TEXT, "", "b"))
    assert (asked.hint, asked.after) == ("", "So {{text}}.")
