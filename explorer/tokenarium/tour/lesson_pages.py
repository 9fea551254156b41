"""Makes the page of a lesson: with live figures where its scenes have them, and otherwise with pictures of the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize

from tokenarium.models.lessons.asking import scene_at
from tokenarium.models.lessons.handout import handout_of
from tokenarium.models.lessons.lesson import Lesson
from tokenarium.models.scene import Scene
from tokenarium.style.theme import LIGHT
from tokenarium.tour.handouts import (
    PROGRAM,
    Report,
    encoded,
    lesson_renderer,
    open_lesson,
    replaced,
    take_picture,
    used_line,
)
from tokenarium.tour.render import Renderer
from tokenarium.web.lesson_pages import lesson_page, live_figures, picture_figure
from tokenarium.web.page import Figure
from tokenarium_core.whole_files import write_files

SIZE = QSize(760, 480)
"""The size in pixels of a picture, as it is on the page."""

SCALE = 1.5
"""The scale factor of the pictures."""


def make_page(lesson: Lesson, path: Path, report: Report = lambda done, total: None) -> list[str]:
    """Writes a lesson as a page; returns a sentence for each tokenizer that was replaced.

    The tokenizers are those of the lesson that are on this computer. Raises WriteError if the file cannot be written.
    """
    renderer = lesson_renderer()
    items, answers = open_lesson(renderer, lesson)
    count, keys = len(lesson.steps), [item.key for item in items]
    scenes = [scene_at(lesson, number, keys, answers) for number in range(count)]
    used = [used_line(item) for item in items]
    opened = {item.key: item.tokenizer for item in items if item.tokenizer is not None}
    written = handout_of(lesson, answers, scenes, [b""] * count, used, PROGRAM, False)
    figures: list[list[Figure]] = []
    for number, (scene, step) in enumerate(zip(scenes, written.steps, strict=True)):
        if number and scene == scenes[number - 1]:
            figures.append(figures[-1])
        else:
            live = live_figures(scene, opened)
            figures.append(_pictured(renderer, scene, step.alt) if live is None else live)
        report(number + 1, count)
    write_files({path: lesson_page(written, figures).encode()})
    sentences = replaced(renderer, lesson, items)
    renderer.close()
    return sentences


def _pictured(renderer: Renderer, scene: Scene, alt: str) -> list[Figure]:
    """Returns a picture of the window as a figure; none if nothing would be on it."""
    image = take_picture(renderer, scene, False, SIZE, LIGHT, SCALE)
    return [] if image.isNull() else [picture_figure(encoded(image, "WEBP"), alt, SIZE.width())]
