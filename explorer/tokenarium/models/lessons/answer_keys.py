"""What a page without tokenizers compares the answer to a question with; computed when the page is written."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from tokenarium.models.lessons.answers import AnswerError, Answers, shown
from tokenarium.models.lessons.asking import as_shown, cuts_of, is_right, split_parts
from tokenarium.models.lessons.lesson import LessonQuestion
from tokenarium.models.lessons.limits import MOST_PARTS
from tokenarium.models.scene import Scene

MOST_TRIED: Final = 40
"""The most texts that are tried as answers to a question that asks for one."""

_QUOTED: Final = re.compile(r"“([^“”]{1,200})”")


class AnswerKey(NamedTuple):
    """The right answer as texts: a number, a token, the bytes before a cut, the parts of a word, or items in their order.

    For a question that asks for a text, they are those texts that are known to be right, and ``wrong`` are others.
    ``offers`` are the tokens to click; of a cut, the parts between the cuts ``places``, each the bytes before it.
    """

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


def answer_key(
    question: LessonQuestion, answer: Any, right: str, scene: Scene, answers: Answers
) -> AnswerKey | None:
    """Returns what a page compares answers with; None if it cannot ask the question.

    ``answer`` is the value of the right one, and ``right`` how it is shown.
    """
    if question.kind == "write":
        return _tried(question, answers)
    if question.kind == "split":
        return AnswerKey(tuple(split_parts(answer))) if isinstance(answer, list) else None
    if question.kind == "order":
        return AnswerKey(tuple(map(shown, answer))) if isinstance(answer, list) else None
    if question.kind == "number":
        return AnswerKey((str(answer),)) if isinstance(answer, int | float) else None
    if question.kind == "click":
        try:
            offers, places = cuts_of(scene, answers)
        except AnswerError:
            return None
        if len(offers) > MOST_PARTS:
            return None
        if question.part == "cut":
            return AnswerKey((str(answer),), (), tuple(offers), tuple(places))
        return AnswerKey((as_shown(answer),), (), tuple(offers))
    return AnswerKey((right,))


def _tried(question: LessonQuestion, answers: Answers) -> AnswerKey:
    """Tries the texts that are quoted in what is said about a question that asks for a text."""
    said = []
    for text in (question.hint, question.after, question.ask):
        try:
            said.append(answers.filled(text))
        except AnswerError:
            continue
    right: list[str] = []
    wrong: list[str] = []
    for text in list(dict.fromkeys(_QUOTED.findall("\n".join(said))))[:MOST_TRIED]:
        try:
            (right if is_right(question, text, answers) else wrong).append(text)
        except AnswerError:
            continue
    return AnswerKey(tuple(right), tuple(wrong))
