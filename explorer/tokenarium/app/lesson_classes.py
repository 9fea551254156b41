"""Ready classes in the list of lessons: a row for each, and rows for the parts of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tokenarium.models.lessons.classes import MINUTES, ReadyClass, ready_classes
from tokenarium.models.lessons.lesson import StepOutline
from tokenarium.widgets.lesson_rows import LessonRow

FOUND_BY = f"ready classes, lesson plans, worksheets, teachers, teaching, school, {MINUTES} minutes"
"""Words that find every class."""


class RouteStep(NamedTuple):
    """A step that is gone through, with those before and after it: its lesson, its number from 0, and its title."""

    lesson: str
    step: int
    title: str


def route_of(
    ready: ReadyClass, outlines: Callable[[str], Sequence[StepOutline]]
) -> list[RouteStep]:
    """Returns the steps that the parts of a class show, in their order; see `part_rows`."""
    parts = zip(part_rows(ready, outlines), ready.parts, strict=True)
    return [RouteStep(row.id, row.step, part.title) for row, part in parts if row.id]


def class_rows() -> list[LessonRow]:
    """Returns a row for each class."""
    return [
        LessonRow(id, one.title, f"Class · {len(one.parts)} parts · {MINUTES} min", ready=True)
        for id, one in ready_classes().items()
    ]


def found_classes(typed: str) -> list[LessonRow]:
    """Returns a row for each class with all of the words that are typed, in what it says or what it is for."""
    words = typed.casefold().split()
    about = {
        id: f"{one.title} {one.about} {' '.join(part.title for part in one.parts)} {FOUND_BY}"
        for id, one in ready_classes().items()
    }
    return [row for row in class_rows() if all(one in about[row.id].casefold() for one in words)]


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
