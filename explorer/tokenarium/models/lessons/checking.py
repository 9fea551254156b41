"""What is wrong with a lesson that is well-formed: expressions without a value, questions that cannot be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import tokenarium_core as tc
from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.asking import marks_of, names_of, scene_of, span_of
from tokenarium.models.lessons.lesson import Lesson, LessonQuestion, LessonScene, LessonStep
from tokenarium.models.lessons.marks import mark_of
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

SHOWN = ("tokens", "pretokens", "merges", "bytes", "vocabulary", "scripts", "compare", "train")
"""The ids of the workspaces, as a scene names them."""


def faults_of(
    lesson: Lesson, open_tokenizer: Callable[[str], tc.Tokenizer | None] | None = None
) -> list[str]:
    """Returns a sentence for each fault, with its line; ``open_tokenizer`` opens those of the library by their keys.

    Each of the lesson's tokenizers is the first that can be opened; without ``open_tokenizer``, the shipped ones.
    """
    opening = open_tokenizer or shipped_tokenizer
    return [
        f"line {line}: {fault}"
        for faults in faults_by_step(lesson, opening)
        for line, fault in faults
    ]


def faults_by_step(
    lesson: Lesson, open_tokenizer: Callable[[str], tc.Tokenizer | None]
) -> Iterator[list[tuple[int, str]]]:
    """Yields the faults of each step with their lines, so that other work can be done between two steps."""
    tokenizers = []
    for group in lesson.tokenizers:
        tokenizer = next(
            ((key, opened) for key in group if (opened := open_tokenizer(key)) is not None), None
        )
        if tokenizer is None:
            names = ", ".join(group)
            yield [
                (
                    2,
                    f"none of {names} is on this computer: name a tokenizer that is shipped as the last one.",
                )
            ]
            return
        tokenizers.append(tokenizer)
    plain = Answers(tokenizers)
    for number, step in enumerate(lesson.steps):
        scenes = [step.scene for step in lesson.steps[: number + 1] if step.scene is not None]
        yield list(_faults_of_step(step, scenes, plain))


def _faults_of_step(
    step: LessonStep, scenes: Sequence[LessonScene], plain: Answers
) -> Iterator[tuple[int, str]]:
    """Yields the faults of a step, each with the line of its block."""
    asks = step.lines.get("question", step.line)
    shows = step.lines.get("scene", step.line)
    try:
        answers = plain.about(names_of(scene_of(scenes, [], plain)))
    except AnswerError as error:
        yield shows, str(error)
        return
    texts = [
        (step.line, step.prose),
        (step.lines.get("notes", step.line), step.notes),
    ]
    if step.scene is not None:
        texts += [(shows, text) for text in step.scene.texts]
    for fault in _faults_of_scene(step, answers):
        yield shows, fault
    question = step.question
    if question is not None:
        parts = (question.ask, question.hint, question.after, *question.reasons.values())
        texts += [(asks, part) for part in parts]
        for fault in _faults_of(question, answers):
            yield asks, fault
    for line, text in texts:
        try:
            answers.filled(text)
        except AnswerError as error:
            yield _line_of_fault(step, answers) if text is step.prose else line, str(error)


def _line_of_fault(step: LessonStep, answers: Answers) -> int:
    """Returns the first line of the prose with an expression that has no value; that of the title if none is by itself."""
    for line, text in zip(step.prose_lines, step.prose.split("\n"), strict=False):
        if "{{" in text:
            try:
                answers.filled(text)
            except AnswerError:
                return line
    return step.line


def _faults_of_scene(step: LessonStep, answers: Answers) -> Iterator[str]:
    """Yields what a scene names and its text does not have."""
    scene = step.scene
    if scene is None:
        return
    if scene.workspace is not None and scene.workspace not in SHOWN:
        yield f"“{scene.workspace}” is not a workspace. There are: {', '.join(SHOWN)}."
    text_map = TextMap(str(answers.value("text")))
    marks = [mark_of(written) for written in marks_of(scene, answers)]
    parts = [(mark.text, 1) for mark in marks if mark.part == "range"]
    if scene.select:
        parts.append((answers.filled(scene.select), scene.nth))
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
    expected = kinds.get(question.kind)
    if expected and not isinstance(value, expected):
        return [
            f"“{question.answer}” is not what a question of the kind “{question.kind}” asks for."
        ]
    return []


@cache
def shipped_tokenizer(key: str) -> tc.Tokenizer | None:
    """Returns a shipped tokenizer by its key in the library; None for others."""
    for tokenizer in SHIPPED_TOKENIZERS:
        if key == f"shipped:{tokenizer.id}":
            return tc.open(tokenizer.path)
    return None
