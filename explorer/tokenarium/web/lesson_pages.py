"""A lesson as a page: its steps with their figures, and questions that are answered there.

Everything is computed when the page is written. Without a script the page is a plain lesson whose answers are folded
in; with one, questions are judged and counted, and nothing of that is kept.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Final

from tokenarium.models.lessons.answer_keys import AnswerKey
from tokenarium.models.lessons.asking import keys_of
from tokenarium.models.lessons.handout import Handout, HandoutQuestion
from tokenarium.models.lessons.pictures import picture_uri
from tokenarium.models.scene import ReadScene, Scene, SceneTokenizer
from tokenarium.web.html import bdi, escaped
from tokenarium.web.page import Figure, page, united
from tokenarium.web.scene_pages import FIGURES
from tokenarium.web.shown_scene import open_scene
from tokenarium_core import TokenariumError, Tokenizer

SEEN: Final = "What the window shows"
"""The summary of a figure that answers a question, and so comes with its answer."""

HIDDEN: Final = "Answers are hidden until you ask for them, but they are in this file: do not use it for an exam."

_TAG: Final = re.compile(r"(<[^<>]*>)")


def lesson_page(lesson: Handout, figures: Sequence[Sequence[Figure]]) -> str:
    """Returns a lesson as a page; ``figures`` are those of each of its steps."""
    used = f"All figures and answers were computed with {lesson.program} and these tokenizers:"
    steps = list(_steps(lesson, figures))
    return page(lesson.title, steps, intro=_intro(lesson), notes=[used, *lesson.tokenizers, HIDDEN])


def live_figures(scene: Scene, opened: Mapping[str, Tokenizer]) -> list[Figure] | None:
    """Returns the figures of a scene, with tokenizers by their keys; None if its page of the window has none."""

    def opener(one: SceneTokenizer) -> Tokenizer:
        return opened[one.key]

    shown, _ = open_scene(ReadScene(scene), opener)
    known = FIGURES.get(shown.page)
    try:
        return None if known is None else known[1](shown)
    except TokenariumError:
        return None


def picture_figure(light: bytes, dark: bytes, alt: str, width: int) -> Figure:
    """Returns a picture of the window as a figure, in both themes as WebP; ``width`` in pixels of a page."""
    images = (
        f'<img class="window {theme}" src="{picture_uri(webp, "webp")}" alt="{escaped(alt)}" width="{width}">'
        for theme, webp in (("light", light), ("dark", dark))
    )
    return Figure("".join(images))


def _intro(lesson: Handout) -> str:
    """Returns what comes before the steps: what the lesson is about, its steps as links, and the score."""
    learns = "".join(f"<li>{escaped(one)}</li>" for one in lesson.learns)
    steps = "".join(
        f'<li><a href="#step-{number}">{bdi(step.title)}</a></li>'
        for number, step in enumerate(lesson.steps, 1)
    )
    return (
        f'<p class="lesson-kind">{escaped(lesson.kind)}</p><ul class="learns" dir="auto">{learns}</ul>'
        f'<nav class="lesson-steps" aria-label="Steps"><ol>{steps}</ol><p class="score" role="status"></p></nav>'
    )


def _steps(lesson: Handout, figures: Sequence[Sequence[Figure]]) -> Iterator[Figure]:
    """Yields the steps, each with what it shows and asks; what is shown already is not shown again."""
    before: Sequence[Figure] = ()
    for number, (step, shown) in enumerate(zip(lesson.steps, figures, strict=True), 1):
        question = step.question if step.question is not None and step.question.key else None
        hides = bool(shown) and question is not None and question.hides
        drawn = united(shown if hides or shown != before else ())
        seen, said, asked = drawn.html, "", ""
        if hides:
            inside = f"<summary>{SEEN}</summary>{seen}"
            seen = f'<details class="seen" id="seen-{number}">{inside}</details>'
            said = f'<p class="scene-text" dir="auto">{escaped(step.text)}</p>' if step.text else ""
        if question is not None:
            asked = united([_asked(question, number, hides)]).html
        parts = (said, asked, seen) if hides else (seen, asked)
        yield Figure(
            f'<h2 id="step-{number}" dir="auto">{number}. {escaped(step.title)}</h2>'
            f'<div class="prose" dir="auto">{step.prose}</div>{"".join(parts)}',
            styles=drawn.styles,
        )
        before = () if hides else shown


# Questions.


def _asked(question: HandoutQuestion, number: int, hides: bool) -> Figure:
    """Returns the question of a step; ``hides``: its figure comes with the answer."""
    key = question.key
    assert key is not None, "a question that a page cannot ask"
    title = "Predict first" if hides else "Question"
    hint = (
        _folded("hint", "Hint", f'<div dir="auto">{question.hint}</div>') if question.hint else ""
    )
    html = (
        f'<div class="question" role="group" aria-labelledby="ask-{number}"><h3 id="ask-{number}">{title}</h3>'
        f'<div class="ask" dir="auto">{question.ask}</div>{_offered(question)}{hint}'
        f"{_folded('answer', 'Show the answer', spelled(_answer(question)))}</div>"
    )
    kind = "cut" if key.places else question.kind
    choices = [choice.text for choice in question.choices]
    data = {
        "kind": kind,
        "step": f"step-{number}",
        "opens": f"seen-{number}" if hides else "",
        "texts": choices or list(question.parts) or list(key.offers),
        "keys": keys_of(choices),
        "places": list(key.places),
        "key": _coded(key),
    }
    return Figure(html, data, "question")


def _offered(question: HandoutQuestion) -> str:
    """Returns what there is to choose, to order, to cut or to click, as it is read without a script."""
    key = question.key
    if question.choices:
        texts = [choice.text for choice in question.choices]
        return _listed("ol", "choices" if keys_of(texts) != texts else "choices digits", texts)
    if question.kind == "split":
        return f'<p class="letters" dir="auto">{escaped("".join(question.parts))}</p>'
    if question.parts:
        return _listed("ul", "parts", question.parts)
    return _listed("ul", "offers", key.offers) if key is not None and key.offers else ""


def _answer(question: HandoutQuestion) -> str:
    """Returns the answer and what is said about it: ``after``, and the reasons of wrong choices."""
    parts = []
    if question.answer:
        parts.append(f'<p class="right">✓ {bdi(question.answer)}</p>')
    elif question.key is not None and question.key.right:
        texts = _listed("ul", "texts", question.key.right)
        parts.append(f"<p>One of many right answers:</p>{texts}")
    if question.after:
        parts.append(f'<div class="after" dir="auto">{question.after}</div>')
    reasons = [
        f'<li data-choice="{choice.number}" value="{choice.number}">{bdi(choice.text)}'
        f'<div class="reason" dir="auto">{choice.reason}</div></li>'
        for choice in question.choices
        if choice.reason
    ]
    if reasons:
        parts.append(f'<ol class="reasons">{"".join(reasons)}</ol>')
    return "".join(parts)


def _folded(name: str, summary: str, html: str) -> str:
    return f'<details class="{name}"><summary>{summary}</summary>{html}</details>'


def _listed(tag: str, name: str, texts: Sequence[str]) -> str:
    items = "".join(f"<li>{bdi(text)}</li>" for text in texts)
    return f'<{tag} class="{name}">{items}</{tag}>'


def _coded(key: AnswerKey) -> str:
    """Returns what answers are compared with so that it is not read by chance in the source."""
    compared: dict[str, object] = {"right": key.right, "wrong": key.wrong}
    if key.needs or key.whole:
        compared |= {"needs": key.needs, "entries": key.entries, "whole": key.whole}
    return b64encode(json.dumps(compared).encode()).decode()


def spelled(html: str) -> str:
    """Returns the same HTML with its letters and digits as numbers, so that it is not read by chance in the source.

    >>> spelled("<p>No &amp; 7</p>")
    '<p>&#78;&#111; &amp; &#55;</p>'
    """
    return "".join(
        part
        if part.startswith("<")
        else "".join(f"&#{ord(c)};" if c.isalnum() else escaped(c) for c in unescape(part))
        for part in _TAG.split(html)
    )
