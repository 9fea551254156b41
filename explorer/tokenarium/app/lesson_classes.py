"""Ready classes in the list of lessons: a row for each, and rows for the parts of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenarium.models.lessons.classes import MINUTES, ReadyClass, ready_classes
from tokenarium.models.lessons.lesson import StepOutline
from tokenarium.widgets.lesson_rows import LessonRow


def class_rows() -> list[LessonRow]:
    """Returns a row for each class."""
    return [
        LessonRow(id, one.title, f"Class · {len(one.parts)} parts · {MINUTES} min", ready=True)
        for id, one in ready_classes().items()
    ]


def part_rows(
    ready: ReadyClass, outlines: Callable[[str], Sequence[StepOutline]]
) -> list[LessonRow]:
    """Returns a row for each part of a class, with its minutes and its notes.

    ``outlines`` returns the steps of a lesson. A part whose step is no longer in the lesson opens its first one.
    """
    rows = []
    for part, (start, end) in zip(ready.parts, ready.times, strict=True):
        titles = [one.title for one in outlines(part.lesson)] if part.lesson else []
        step = titles.index(part.step) if part.step in titles else 0
        title = f"{start} to {end} min: {part.title}"
        rows.append(LessonRow(part.lesson, title, part.notes, step=step, part=True))
    return rows
