"""A lesson on paper: its steps with their pictures, the questions with room to write or with their computed answers.

A handout is plain data, and Markdown in it has become HTML. `handout_page` makes one page of it that needs no other
file; `tokenarium.pictures.handout_file` makes a PDF.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from tokenarium.models.lessons.answers import AnswerError, Answers, shown
from tokenarium.models.lessons.asking import choices_of, names_of, pair_of, reason_of
from tokenarium.models.lessons.lesson import Lesson, LessonQuestion, LessonStep
from tokenarium.models.scene import Scene

LINES: Final = {"number": 1, "click": 1, "write": 2}
"""How many lines to write on a question of a kind has."""

LETTERS: Final = "ABCDEFGH"


class HandoutChoice(NamedTuple):
    """One choice of a question: its letter, its text, whether it is right, and the reason as HTML."""

    letter: str
    text: str
    right: bool
    reason: str


class HandoutQuestion(NamedTuple):
    """A question on paper. ``ask``, ``hint`` and ``after`` are HTML; ``answer`` is empty where there are many.

    ``parts`` are what is to be ordered, shuffled, or the characters that are cut; ``lines`` the lines to write on.
    """

    kind: str
    ask: str
    choices: tuple[HandoutChoice, ...]
    parts: tuple[str, ...]
    lines: int
    hint: str
    answer: str
    after: str


class HandoutStep(NamedTuple):
    """A step on paper: ``prose`` and ``notes`` are HTML, ``picture`` is a PNG, empty if it is that of the step before."""

    title: str
    prose: str
    picture: bytes
    alt: str
    question: HandoutQuestion | None
    notes: str


class Handout(NamedTuple):
    """A lesson on paper; ``answers``: with the answers, reasons and notes. ``tokenizers`` are lines about each."""

    title: str
    level: str
    minutes: int
    learns: tuple[str, ...]
    tokenizers: tuple[str, ...]
    program: str
    answers: bool
    steps: tuple[HandoutStep, ...]


def handout_of(
    lesson: Lesson,
    answers: Answers,
    scenes: Sequence[Scene],
    pictures: Sequence[bytes],
    tokenizers: Sequence[str],
    program: str,
    with_answers: bool,
) -> Handout:
    """Returns a lesson on paper; ``scenes`` and ``pictures`` are those of its steps, in their order."""
    steps = []
    for number, step in enumerate(lesson.steps):
        same = number > 0 and pictures[number] == pictures[number - 1]
        picture = b"" if same else pictures[number]
        steps.append(_step(step, answers, scenes[number], picture, with_answers))
    return Handout(
        lesson.title,
        lesson.level,
        lesson.minutes,
        lesson.learns,
        tuple(tokenizers),
        program,
        with_answers,
        tuple(steps),
    )


def _step(
    step: LessonStep, answers: Answers, scene: Scene, picture: bytes, with_answers: bool
) -> HandoutStep:
    here = answers.about(names_of(scene))
    question = None
    if step.question is not None:
        question = _question(step.question, here, scene)
    alt = f"The window at this step: {step.title}."
    text = names_of(scene)["text"]
    if text:
        alt += f" The text is “{text if len(text) <= 200 else text[:199] + '…'}”."
    notes = _html(here, step.notes) if with_answers else ""
    return HandoutStep(step.title, _html(here, step.prose), picture, alt, question, notes)


def _question(question: LessonQuestion, answers: Answers, scene: Scene) -> HandoutQuestion | None:
    """Returns a question with its answer; None where nothing can be asked with these tokenizers."""
    answer: Any = None
    choices = list(dict.fromkeys(choices_of(question, answers)))
    if question.kind == "merge":
        pair = pair_of(scene, answers)
        if pair is None:
            return None
        choices = [str(one) for one in pair.choices]
        answer = str(pair.choices[pair.right])
    elif question.kind != "write":
        try:
            answer = answers.value(question.answer)
        except AnswerError:
            return None
    right = "" if answer is None else shown(answer)
    if question.part == "cut":
        right = _around(answer, names_of(scene)["text"])
    if question.kind == "choose" and right not in choices:
        choices = [*choices, right]
    parts: list[str] = []
    if question.kind == "order" and isinstance(answer, list):
        parts = [shown(one) for one in answer]
        random.Random(question.ask).shuffle(parts)
        right = " → ".join(shown(one) for one in answer)
    elif question.kind == "split":
        parts = list(answers.filled(question.text))
    offered = tuple(
        HandoutChoice(
            letter, text, text == right, _html(answers, reason_of(question, text, answers))
        )
        for letter, text in zip(LETTERS, choices, strict=False)
    )
    return HandoutQuestion(
        question.kind,
        _html(answers, question.ask),
        offered if question.kind in ("choose", "merge") else (),
        tuple(parts),
        LINES.get(question.kind, 0),
        _html(answers, question.hint),
        right,
        _html(answers, question.after),
    )


def _around(cut: object, text: str) -> str:
    """Returns the text around a cut, for people."""
    data = text.encode("utf-8", "surrogatepass")
    at = cut if isinstance(cut, int) else 0
    before = data[max(0, at - 12) : at].decode("utf-8", "ignore")
    return f"…{before} | {data[at : at + 12].decode('utf-8', 'ignore')}…"


def _html(answers: Answers, written: str) -> str:
    """Returns Markdown of a lesson as HTML, with the values of its expressions as plain text in it."""
    if not written:
        return ""
    try:
        prose = answers.filled(written, escaped=_plain)
    except AnswerError as error:
        prose = f"{written}\n\n*{error}*"
    return str(_markdown().render(prose)).strip()


def _plain(value: str) -> str:
    """Returns a value so that Markdown takes none of its signs for a mark."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", value)


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False})


def picture_data(picture: bytes) -> str:
    """Returns a picture as a URI that contains it."""
    return "data:image/png;base64," + base64.b64encode(picture).decode()


def handout_page(handout: Handout) -> str:
    """Returns a handout as a page of HTML with everything in it: styles, pictures, and their descriptions."""
    from jinja2 import Environment

    source = (resources.files("tokenarium.resources") / "handout.html").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["data"] = picture_data
    return environment.from_string(source).render(handout=handout)
