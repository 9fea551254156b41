"""A lesson on paper: its steps with their pictures, the questions with room to write or with their computed answers.

A handout is plain data, and Markdown in it has become HTML. `handout_page` makes one page of it that needs no other
file; `tokenarium.pictures.handout_file` makes a PDF.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Final, NamedTuple

from tokenarium.models.lessons.answer_keys import AnswerKey, answer_key
from tokenarium.models.lessons.answers import AnswerError, Answers, shown
from tokenarium.models.lessons.asking import (
    choices_of,
    hides_answer,
    names_of,
    pair_of,
    reason_of,
)
from tokenarium.models.lessons.classes import MINUTES, ReadyClass
from tokenarium.models.lessons.lesson import Lesson, LessonQuestion, LessonStep
from tokenarium.models.lessons.limits import MOST_PARTS
from tokenarium.models.lessons.pictures import (
    WEB,
    PictureError,
    bounded_markdown,
    picture_uri,
    pictures_of,
)
from tokenarium.models.scene import Scene

LINES: Final = {"number": 1, "click": 1, "write": 2}
"""How many lines to write on a question of a kind has."""

WIDEST: Final = 600
"""Pixels of a picture of the lesson's own."""


class HandoutChoice(NamedTuple):
    """One choice of a question: its number, its text, whether it is right, and the reason as HTML."""

    number: int
    text: str
    right: bool
    reason: str


class HandoutQuestion(NamedTuple):
    """A question on paper. ``ask``, ``hint`` and ``after`` are HTML; ``answer`` is empty if there are many.

    ``parts`` are what is to be ordered, shuffled, or the characters that are cut; ``lines`` the lines to write on.
    ``key`` is for a page that asks it. ``hides``: what answers it is shown once it is answered.
    """

    kind: str
    ask: str
    choices: tuple[HandoutChoice, ...]
    parts: tuple[str, ...]
    lines: int
    hint: str
    answer: str
    after: str
    key: AnswerKey | None = None
    hides: bool = False


class HandoutStep(NamedTuple):
    """A step on paper: ``prose`` and ``notes`` are HTML, ``picture`` is a PNG, empty if it is that of the step before.

    ``text`` is that of the scene.
    """

    title: str
    prose: str
    picture: bytes
    alt: str
    question: HandoutQuestion | None
    notes: str
    text: str = ""


class PlannedPart(NamedTuple):
    """A part of a class in its plan: when it is, what is done, where it is in the window, and notes as text."""

    time: str
    title: str
    where: str
    notes: str


class Handout(NamedTuple):
    """A lesson or a class on paper; ``answers``: followed by the answers, reasons and notes.

    ``tokenizers`` are lines about each. ``kind`` says what it is, in a line below the title. ``plan`` comes first.
    ``one_page``: a worksheet, whose questions are as small as needed for one page.
    """

    title: str
    kind: str
    learns: tuple[str, ...]
    tokenizers: tuple[str, ...]
    program: str
    answers: bool
    steps: tuple[HandoutStep, ...]
    plan: tuple[PlannedPart, ...] = ()
    one_page: bool = False


def handout_of(
    lesson: Lesson,
    answers: Answers,
    scenes: Sequence[Scene],
    pictures: Sequence[bytes],
    tokenizers: Sequence[str],
    program: str,
    with_answers: bool,
    dark: bool = False,
) -> Handout:
    """Returns a lesson on paper; ``scenes`` and ``pictures`` are those of its steps, in their order.

    ``dark``: the lesson's own pictures are in it once more, as they are for dark themes.
    """
    steps = []
    for number, step in enumerate(lesson.steps):
        same = number > 0 and pictures[number] == pictures[number - 1]
        picture = b"" if same else pictures[number]
        steps.append(
            step_of(step, answers, scenes[number], picture, with_answers, lesson.file, dark)
        )
    return Handout(
        lesson.title,
        f"A lesson of {lesson.minutes} minutes · {lesson.level}",
        lesson.learns,
        tuple(tokenizers),
        program,
        with_answers,
        tuple(steps),
    )


def class_handout(
    ready: ReadyClass,
    titles: Mapping[str, str],
    steps: Sequence[HandoutStep],
    tokenizers: Sequence[str],
    program: str,
    with_answers: bool,
) -> Handout:
    """Returns the worksheet of a class, a page with the questions of ``steps``; ``with_answers``: after its plan.

    ``titles`` are those of its lessons, by their ids.
    """
    plan = [
        PlannedPart(
            f"{start} to {end}",
            part.title,
            f"{titles[part.lesson]}: {part.step}" if part.lesson else "",
            part.notes,
        )
        for part, (start, end) in zip(ready.parts, ready.times, strict=True)
    ]
    return Handout(
        ready.title,
        f"A class of {MINUTES} minutes",
        (ready.about,),
        tuple(tokenizers),
        program,
        with_answers,
        tuple(steps),
        tuple(plan) if with_answers else (),
        True,
    )


def step_of(
    step: LessonStep,
    answers: Answers,
    scene: Scene,
    picture: bytes,
    with_answers: bool,
    file: str,
    dark: bool = False,
) -> HandoutStep:
    """Returns a step on paper; ``scene`` is its scene, ``file`` that of its lesson, ``dark`` as in `handout_of`."""
    here = answers.about(names_of(scene))
    question = None
    if step.question is not None:
        question = _question(step.question, here, scene, file, dark)
    alt = f"The window at this step: {step.title}."
    text = names_of(scene)["text"]
    if text:
        alt += f" The text is “{text if len(text) <= 200 else text[:199] + '…'}”."
    notes = _html(here, step.notes, file, dark) if with_answers else ""
    return HandoutStep(
        step.title, _html(here, step.prose, file, dark), picture, alt, question, notes, text
    )


def _question(
    question: LessonQuestion, answers: Answers, scene: Scene, file: str, dark: bool
) -> HandoutQuestion | None:
    """Returns a question with its answer; None if nothing can be asked with these tokenizers."""
    answer: Any = None
    choices = list(dict.fromkeys(choices_of(question, answers)))
    if question.kind == "merge":
        pair = pair_of(scene, answers)
        if pair is None:
            return None
        choices = [str(choice) for choice in pair.choices]
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
        parts = [shown(item) for item in answer]
        random.Random(question.ask).shuffle(parts)
        right = " → ".join(shown(item) for item in answer)
    elif question.kind == "split":
        try:
            parts = list(answers.filled(question.text))
        except AnswerError:
            return None
    if len(parts) > MOST_PARTS:
        return None
    offered = tuple(
        HandoutChoice(
            number,
            text,
            text == right,
            _html(answers, reason_of(question, text, answers), file, dark),
        )
        for number, text in enumerate(choices, 1)
    )
    return HandoutQuestion(
        question.kind,
        _html(answers, question.ask, file, dark),
        offered if question.kind in ("choose", "merge") else (),
        tuple(parts),
        LINES.get(question.kind, 0),
        _html(answers, question.hint, file, dark),
        right,
        _html(answers, question.after, file, dark),
        answer_key(question, answer, right, scene, answers),
        hides_answer(question),
    )


def _around(cut: object, text: str) -> str:
    """Returns the text around a cut, for people."""
    data = text.encode("utf-8", "surrogatepass")
    at = cut if isinstance(cut, int) else 0
    before = data[max(0, at - 12) : at].decode("utf-8", "ignore")
    return f"…{before} | {data[at : at + 12].decode('utf-8', 'ignore')}…"


def _html(answers: Answers, written: str, file: str, dark: bool) -> str:
    """Returns Markdown of a lesson as HTML, with the values of its expressions as plain text in it.

    It contains its pictures, which are beside the lesson's ``file``, and nothing in it loads anything by itself.
    """
    if not written:
        return ""
    try:
        prose = answers.filled(written, escaped=_plain)
    except AnswerError as error:
        prose = f"{written}\n\n*{_plain(str(error))}*"
    environment = {"pictures": pictures_of(file), "dark": pictures_of(file, True) if dark else None}
    return str(_markdown().render(bounded_markdown(prose), environment)).strip()


def _plain(value: str) -> str:
    """Returns a value with its signs escaped for Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", value)


@cache
def _markdown() -> Any:
    """Returns what makes HTML: that of the text is text in it, and links lead to the web, or are text."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False})
    parser.validateLink = _any_link  # type: ignore[method-assign]  # as its documentation has it
    parser.add_render_rule("image", _image)
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("link_close", _link_close)
    return parser


def _any_link(url: str) -> bool:
    """Takes any address for a link: one that leads elsewhere becomes text, and not the signs of Markdown."""
    return True


def _image(self: Any, tokens: Sequence[Any], place: int, options: Any, env: Any) -> str:
    """Returns a picture with what is in it, or why it is not shown."""
    token = tokens[place]
    source = str(token.attrs.get("src", ""))
    try:
        shown = [(env["pictures"](source), "own")]
        if env["dark"] is not None and (dark := env["dark"](source)) != shown[0][0]:
            shown = [(shown[0][0], "own light"), (dark, "own dark")]
    except PictureError as error:
        return f"<em>{escape(str(error))}</em>"
    alt = escape(self.renderInlineAsText(token.children or [], options, env))
    return "".join(
        f'<img src="{one.uri}" alt="{alt}" width="{min(one.width, WIDEST)}" class="{kind}">'
        for one, kind in shown
    )


def _link_open(self: Any, tokens: Sequence[Any], place: int, options: Any, env: Any) -> str:
    address = str(tokens[place].attrs.get("href", ""))
    known = WEB.match(address)
    env.setdefault("links", []).append(address if known else "")
    return f'<a href="{escape(address)}" rel="noopener noreferrer">' if known else ""


def _link_close(self: Any, tokens: Sequence[Any], place: int, options: Any, env: Any) -> str:
    """Ends a link with its address, which paper shows too."""
    address = env["links"].pop()
    return f"</a> ({escape(address)})" if address else ""


def handout_page(handout: Handout) -> str:
    """Returns a handout as a page of HTML with everything in it: styles, pictures, and their descriptions."""
    from jinja2 import Environment

    source = (resources.files("tokenarium.resources") / "handout.html").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["data"] = picture_uri
    return environment.from_string(source).render(handout=handout)
