"""The process of lessons: its answers are those of the window, and nothing in it hangs, fills the memory or ends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import worker_functions
from narrowed import of_kind, there

import tokenarium_core as tc
from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.asking import names_of, scene_of
from tokenarium.models.lessons.checking import shipped_tokenizer
from tokenarium.models.lessons.known_answers import (
    Known,
    KnownAnswers,
    NotYetError,
    Question,
    expressions_in,
)
from tokenarium.models.lessons.lesson import read_lesson
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.work.answering import LessonProcess, TokenizerSource
from tokenarium.work.bounded_process import BoundedProcess, StoppedError

SOURCES = {
    f"shipped:{one.id}": TokenizerSource(one.name, f"shipped:{one.id}", str(one.path), "")
    for one in SHIPPED_TOKENIZERS
}
FIRST = [SOURCES["shipped:tokenarium-8k"]]


@pytest.fixture
def process() -> Iterator[LessonProcess]:
    process = LessonProcess()
    yield process
    process.stop()


def values(process: LessonProcess, *expressions: str, **names: str) -> list[Any]:
    process.ask("its", FIRST, names, expressions)
    found: list[Any] = process.wait()["values"]
    return found


@pytest.mark.slow
def test_the_answers_are_those_of_the_window(process: LessonProcess) -> None:
    for path in lesson_paths():
        lesson = read_lesson(path)
        keys = [next(key for key in group if key in SOURCES) for group in lesson.tokenizers]
        sources = [SOURCES[key] for key in keys]
        opened = [(one.name, shipped_tokenizer(one.key)) for one in sources]
        here = Answers([(name, one) for name, one in opened if one is not None])
        scenes = []
        for step in lesson.steps:
            scenes += [step.scene] if step.scene is not None else []
            names = names_of(scene_of(scenes, [], here))
            expressions = expressions_in(step.texts)
            if step.question is not None and step.question.answer:
                expressions.append(step.question.answer)
            process.ask(path.stem, sources, names, expressions)
            found = process.wait()["values"]
            about = here.about(names)
            assert [value for value, _ in found] == [about.value(one) for one in expressions]


@pytest.mark.slow
def test_what_has_no_value_is_said(process: LessonProcess) -> None:
    found = values(process, 'merges("x" * 20000)', "1 + 1", "count(text)", text="\ud800 a")
    here = Answers(_opened()).about({"text": "\ud800 a"})
    assert found[1:] == [[2, ""], [here.value("count(text)"), ""]]
    assert "it takes too much work" in found[0][1]


def _opened() -> list[tuple[str, tc.Tokenizer]]:
    one = there(shipped_tokenizer("shipped:tokenarium-8k"))
    return [("x", one)]


@pytest.mark.slow
def test_what_takes_too_long_is_ended_and_the_next_one_answered() -> None:
    process = LessonProcess(seconds=0.0001)
    try:
        process.ask("its", FIRST, {}, ['count("a")'])
        try:
            answer = process.wait()
        except StoppedError as error:
            answer = {"error": str(error)}
        assert "it took longer than" in str(answer["error"])
        process._seconds = 10
        process.stop()
        assert values(process, "1") == [[1, ""]]
    finally:
        process.stop()


@pytest.mark.slow
def test_a_tokenizer_that_cannot_be_opened_is_said(process: LessonProcess) -> None:
    process.ask("its", [TokenizerSource("x", "file:/none", "/none", "")], {}, ["1"])
    assert str(process.wait()["error"]).endswith(".")


@pytest.mark.slow
def test_a_check_says_what_is_wrong_with_the_line(process: LessonProcess) -> None:
    source = (
        '+++\ntitle = "T"\nminutes = 5\nlearns = ["x"]\ntokenizers = ["shipped:tokenarium-8k"]\n+++\n'
        '## One\n\n{{ nothing() }}\n\n```scene\ntext = "a"\n```\n'
    )
    process.check("its.md", [], source)
    found = process.wait()["found"]
    assert found[0][0] == 9
    assert "“nothing” is not a function" in found[0][1]


@pytest.mark.slow
def test_a_killed_process_is_started_again(process: LessonProcess) -> None:
    assert values(process, "1") == [[1, ""]]
    assert process._process is not None
    process._process.kill()
    process._process.join()
    assert values(process, "2") == [[2, ""]]


def test_a_process_that_cannot_begin_is_not_started_for_ever() -> None:
    process = BoundedProcess(worker_functions.end_at_once, "lesson", 1.0, 100)
    try:
        process.send("its", {})
        with pytest.raises(StoppedError, match=r"ended before it began \(exit code 3\)"):
            process.wait()
        assert not process.busy
    finally:
        process.stop()


# The table that the window looks into.


def test_what_is_not_known_is_wanted_once_and_then_known() -> None:
    known: Known = {}
    wanted: list[Question] = []
    answers = of_kind(KnownAnswers([], known, wanted.append).about({"text": "a"}), KnownAnswers)
    assert answers.value("text") == "a"
    with pytest.raises(NotYetError):
        answers.value("count(text)")
    assert not answers.has(["count(text)"])
    known[wanted[0]] = 7
    assert answers.value(" count(text) ") == 7
    assert answers.has(["count(text)"])
    known[wanted[0]] = AnswerError("No.")
    with pytest.raises(AnswerError, match=r"No\."):
        answers.filled("{{ count(text) }}")
    assert answers.has(["count(text)"])


def test_a_text_that_is_too_long_is_not_sent() -> None:
    answers = KnownAnswers([], {}, pytest.fail).about({"text": "a" * 20_001})
    with pytest.raises(AnswerError, match="more than 20,000 characters"):
        answers.value("count(text)")
