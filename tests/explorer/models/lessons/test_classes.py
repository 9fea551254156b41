"""Ready classes: their minutes, the steps that they show, and what is on their paper."""

from __future__ import annotations

import re

import pytest
from narrowed import there

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons.classes import MINUTES, ReadyClass, ready_classes
from tokenarium.models.lessons.handout import (
    Handout,
    HandoutChoice,
    HandoutQuestion,
    HandoutStep,
    class_handout,
    handout_page,
)
from tokenarium.models.lessons.lesson import Lesson, read_lesson
from tokenarium.pictures import handout_file
from tokenarium.pictures.handout_file import pdf_of_handout

CLASSES = list(ready_classes().values())
each_class = pytest.mark.parametrize("ready", CLASSES, ids=[one.id for one in CLASSES])


@pytest.fixture(scope="module")
def lessons() -> dict[str, Lesson]:
    return {path.stem: read_lesson(path) for path in lesson_paths()}


def test_there_are_three() -> None:
    assert [one.title for one in CLASSES] == [
        "Counting letters, arithmetic, other languages",
        "How a vocabulary is made",
        "Choosing a tokenizer",
    ]


@each_class
def test_a_class_takes_45_minutes_and_says_what_to_do_in_each(ready: ReadyClass) -> None:
    assert ready.times[0][0] == 0
    assert ready.times[-1][1] == MINUTES == 45
    assert all(
        end - start == part.minutes
        for part, (start, end) in zip(ready.parts, ready.times, strict=True)
    )
    assert all(one[1] == other[0] for one, other in zip(ready.times, ready.times[1:], strict=False))
    assert all(part.minutes > 0 and part.notes.endswith((".", "?", "…")) for part in ready.parts)


@each_class
@pytest.mark.slow
def test_the_parts_show_steps_that_there_are(ready: ReadyClass, lessons: dict[str, Lesson]) -> None:
    for part in ready.parts:
        if not part.lesson:
            assert not part.step
            assert not part.asks
            continue
        step = next(one for one in lessons[part.lesson].steps if one.title == part.step)
        assert not part.asks or step.question is not None
    assert sum(part.asks for part in ready.parts) >= 4


def sheet(with_answers: bool, count: int = 6) -> Handout:
    question = HandoutQuestion(
        "choose",
        "<p>Which of these two is larger?</p>",
        (HandoutChoice(1, "one", True, ""), HandoutChoice(2, "two", False, "<p>Not so.</p>")),
        (),
        1,
        "<p>Count.</p>",
        "one",
        "<p>So it is.</p>",
    )
    step = HandoutStep("A step", "<p>Prose.</p>", b"", "", question, "<p>A note.</p>")
    titles = {part.lesson: "A lesson" for part in CLASSES[0].parts}
    return class_handout(CLASSES[0], titles, [step] * count, ["A one"], "It", with_answers)


def pages(handout: Handout) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf_of_handout(handout)))


@pytest.mark.slow
@pytest.mark.usefixtures("qapp")
def test_a_worksheet_is_one_page_and_the_answers_are_apart() -> None:
    assert pages(sheet(False)) == 1
    assert pages(sheet(False, 20)) > 1  # never too small to read
    assert pages(sheet(True)) >= 3  # the plan, the worksheet, the answers


def beginnings(handout: Handout) -> list[str]:
    """How the text of each page begins."""
    laid = handout_file._pages_of(handout)
    return [there(page[0][0].document).toPlainText().split("\n")[0] for page in laid]


@pytest.mark.slow
@pytest.mark.usefixtures("qapp")
def test_plan_worksheet_and_answers_begin_a_page_each() -> None:
    title = CLASSES[0].title
    assert beginnings(sheet(True, 2)) == [title, title, f"Answers: {title}"]
    plan = handout_file._pages_of(sheet(True, 2))[0]
    assert len(plan) == 1 + len(CLASSES[0].parts)


@pytest.mark.slow
@pytest.mark.usefixtures("qapp")
def test_a_worksheet_is_as_large_as_one_page_has_room_for() -> None:
    sizes = [
        there(handout_file._pages_of(sheet(False, count))[0][0][0].document)
        .defaultFont()
        .pixelSize()
        for count in (2, 6)
    ]
    assert sizes[0] == handout_file.TEXT
    assert handout_file.LEAST_TEXT <= sizes[1] < handout_file.TEXT


def test_a_worksheet_has_questions_and_no_prose_answers_or_notes() -> None:
    page = handout_page(sheet(False))
    has = ["Which of these", "Name:", "☐", "Hint:"]
    lacks = ["Prose.", "So it is.", "Not so.", "A note.", "5 to 15", "✓", "A one"]
    assert [one in page for one in has] == [True] * len(has)
    assert [one in page for one in lacks] == [False] * len(lacks)


def test_the_teacher_has_the_plan_first_and_the_answers_last() -> None:
    page = handout_page(sheet(True))
    order = [
        "5 to 15",
        "Let everyone split",
        "Name:",
        "Which of these",
        "Answers:",
        "✓",
        "Not so.",
        "A note.",
    ]
    places = [page.index(one) for one in order]
    assert places == sorted(places)
    assert page.rindex("☐") < page.index("Answers:")
    assert page.count('class="apart"') == 2
