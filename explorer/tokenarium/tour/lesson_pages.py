"""Makes the page of a lesson: with live figures where its scenes have them, and otherwise with pictures of the window."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

from tokenarium.models.lessons.asking import scene_at
from tokenarium.models.lessons.handout import handout_of
from tokenarium.models.lessons.lesson import Lesson
from tokenarium.models.scene import Scene
from tokenarium.style.theme import DARK, LIGHT, Theme
from tokenarium.tour.handouts import (
    PROGRAM,
    Report,
    encoded,
    lesson_renderer,
    open_lesson,
    replaced,
    show_scene,
    take_picture,
    used_line,
)
from tokenarium.tour.render import Renderer
from tokenarium.web.lesson_pages import lesson_page, live_figures, picture_figure
from tokenarium.web.page import Figure
from tokenarium_core import Tokenizer
from tokenarium_core.whole_files import write_files

SIZE = QSize(760, 480)
"""The size in pixels of a picture, as it is on the page."""

SCALE = 1.25
"""The scale factor of the pictures."""

LOSSLESS, LOSSY = 100, 50
"""Qualities of WebP. Pictures with few colours are smaller without loss, those of charts with some."""


MOST_BYTES = 16_000
"""Bytes of a picture of that scale: a page has each of them twice, for light and dark themes."""


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
    written = handout_of(lesson, answers, scenes, [b""] * count, used, PROGRAM, False, True)
    figures: list[list[Figure]] = []
    for number, (scene, step) in enumerate(zip(scenes, written.steps, strict=True)):
        if number and scene == scenes[number - 1]:
            figures.append(figures[-1])
        else:
            figures.append(_figures(renderer, scene, opened, step.alt))
        report(number + 1, count)
    write_files({path: lesson_page(written, figures).encode()})
    sentences = replaced(renderer, lesson, items)
    renderer.close()
    return sentences


def _figures(
    renderer: Renderer, scene: Scene, opened: Mapping[str, Tokenizer], alt: str
) -> list[Figure]:
    """Returns the figures of a scene, or else a picture of the window; none if nothing would be on it."""
    live = live_figures(scene, opened)
    if live is None:
        show_scene(renderer, scene)
        # Pages fill in what a scene leaves out, such as the corpus of a training.
        pages = renderer.window.stage.make().pages
        live = live_figures(msgspec.structs.replace(scene, pages=pages), opened)
    if live is not None:
        return live
    light, dark = (_picture(renderer, theme) for theme in (LIGHT, DARK))
    return [picture_figure(light, dark, alt, SIZE.width())] if light and dark else []


def _picture(renderer: Renderer, theme: Theme) -> bytes:
    """Returns a picture of the window in a theme as WebP; nothing if nothing would be on it.

    One that is too large is as small as on the page.
    """
    image = take_picture(renderer, False, SIZE, theme, SCALE)
    webp = _webp(image)
    if len(webp) <= MOST_BYTES:
        return webp
    return _webp(image.scaledToWidth(SIZE.width(), Qt.TransformationMode.SmoothTransformation))


def _webp(image: QImage) -> bytes:
    return min((encoded(image, "WEBP", one) for one in (LOSSLESS, LOSSY)), key=len)
