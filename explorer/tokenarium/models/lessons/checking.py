"""What is wrong with a lesson that is well-formed: expressions without a value, questions that cannot be answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import tokenarium_core as tc
from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.lesson import Lesson, LessonQuestion
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


def faults_of(
    lesson: Lesson, open_tokenizer: Callable[[str], tc.Tokenizer | None] | None = None
) -> list[str]:
    """Returns a sentence for each fault, with its line; ``open_tokenizer`` opens those of the library by their keys.

    Each of the lesson's tokenizers is the first that can be opened; without ``open_tokenizer``, the shipped ones.
    """
    open_one = open_tokenizer or shipped_tokenizer
    tokenizers = []
    for group in lesson.tokenizers:
        found = next(
            ((key, opened) for key in group if (opened := open_one(key)) is not None), None
        )
        if found is None:
            return [
                f"line 2: none of {', '.join(group)} is here: name one that is shipped as the last."
            ]
        tokenizers.append(found)
    answers = Answers(tokenizers)
    faults = []
    for step in lesson.steps:
        texts = [step.prose, step.notes]
        if step.scene is not None and step.scene.text is not None:
            texts.append(step.scene.text)
            if step.scene.select and step.scene.select not in step.scene.text:
                faults.append(
                    f"line {step.line}: “{step.scene.select}” is not in the text of the scene."
                )
        question = step.question
        if question is not None:
            texts += [question.ask, question.hint, question.after, *question.reasons.values()]
            faults += [f"line {step.line}: {fault}" for fault in _faults_of(question, answers)]
        for text in texts:
            try:
                answers.filled(text)
            except AnswerError as error:
                faults.append(f"line {step.line}: {error}")
    return faults


def _faults_of(question: LessonQuestion, answers: Answers) -> list[str]:
    kinds = {"number": (int, float), "order": (list,), "split": (list,), "click": (str,)}
    try:
        names = {"text": "a"} if question.kind == "write" else {}
        value = answers.value(question.answer, **names)
    except AnswerError as error:
        return [str(error)]
    wanted = kinds.get(question.kind)
    if wanted and not isinstance(value, wanted):
        return [
            f"“{question.answer}” is not what a question of the kind “{question.kind}” asks for."
        ]
    return []


@cache
def shipped_tokenizer(key: str) -> tc.Tokenizer | None:
    """Returns a shipped tokenizer by its key in the library; None for others."""
    for one in SHIPPED_TOKENIZERS:
        if key == f"shipped:{one.id}":
            return tc.open(one.path)
    return None
