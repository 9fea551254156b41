"""What is wrong with a lesson that is well-formed: expressions without a value, questions that cannot be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import tokenarium_core as tc
from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.asking import names_of, scene_of, span_of
from tokenarium.models.lessons.lesson import Lesson, LessonQuestion, LessonStep
from tokenarium.models.lessons.marks import mark_of
from tokenarium.models.text.text_map import TextMap
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
    plain = Answers(tokenizers)
    faults = []
    for number, step in enumerate(lesson.steps):
        scenes = [one.scene for one in lesson.steps[: number + 1] if one.scene is not None]
        try:
            answers = plain.about(names_of(scene_of(scenes, [], plain)))
        except AnswerError as error:
            faults.append(f"line {step.line}: {error}")
            continue
        texts = [step.prose, step.notes]
        if step.scene is not None and step.scene.text is not None:
            texts.append(step.scene.text)
        faults += [f"line {step.line}: {fault}" for fault in _faults_of_scene(step, answers)]
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


def _faults_of_scene(step: LessonStep, answers: Answers) -> Iterator[str]:
    """Yields what a scene names and its text does not have."""
    scene = step.scene
    if scene is None:
        return
    text_map = TextMap(answers.filled("{{ text }}"))
    parts = [(mark.text, 1) for one in scene.mark if (mark := mark_of(one)).part == "range"]
    if scene.select:
        parts.append((scene.select, scene.nth))
    for part, nth in parts:
        if span_of(text_map, part, nth) is None:
            again = f" {nth} times" if nth > 1 else ""
            yield f"“{part}” is not in the text of the scene{again}."


def _faults_of(question: LessonQuestion, answers: Answers) -> list[str]:
    if question.kind == "merge":
        return []
    clicked = (int,) if question.part == "cut" else (str,)
    kinds = {"number": (int, float), "order": (list,), "split": (list,), "click": clicked}
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
