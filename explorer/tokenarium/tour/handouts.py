"""Makes the handout of a lesson: shows each step in its own window, without a display, and writes a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, QRect, QSize, Qt
from PySide6.QtGui import QImage

from tokenarium.app.lesson_tokenizers import first_here, item_here
from tokenarium.models.lessons.answers import AnswerError, Answers, kind_of
from tokenarium.models.lessons.asking import hides_answer, scene_of
from tokenarium.models.lessons.handout import handout_of
from tokenarium.models.lessons.lesson import Lesson
from tokenarium.models.scene import ReadScene, Scene
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.offers import away_sentence
from tokenarium.pictures.handout_file import write_handout
from tokenarium.tour.render import Renderer
from tokenarium_core import __version__
from tokenarium_core.plain_files import file_sha256

SIZE = QSize(980, 580)
"""The size in pixels of the window whose workspace is on the pictures."""

SCALE = 2
"""The scale factor of the pictures."""

BELOW = 16
"""Pixels left below the lowest content of a picture."""


def make_handout(
    lesson: Lesson,
    path: Path,
    with_answers: bool,
    report: Callable[[int, int], object] = lambda done, total: None,
) -> list[str]:
    """Writes the handout of a lesson, as PDF or HTML; returns a sentence for each tokenizer that was replaced.

    The tokenizers are those of the lesson that are on this computer. ``report`` is called after each picture.
    Raises WriteError if the file cannot be written.
    """
    renderer = Renderer(())
    window, session = renderer.window, renderer.window.session
    window.resize(SIZE)
    window.appearance.set_token_palette("print")
    items = [item for group in lesson.tokenizers if (item := first_here(session, group))]
    for item in items:
        session.edits.turn_on(item.key, True)
    renderer.settle()
    items = [item for item in items if item.tokenizer is not None]
    answers = Answers(
        [(session.short_name(item), item.tokenizer) for item in items if item.tokenizer]
    )
    scenes: list[Scene] = []
    pictures: list[bytes] = []
    shown = []
    hidden = False
    for step in lesson.steps:
        shown += [step.scene] if step.scene is not None else []
        try:
            scene = scene_of(shown, items, answers)
        except AnswerError:
            scene = scene_of(shown, items, answers, as_written=True)
        hides = step.question is not None and hides_answer(step.question) and not with_answers
        if not scenes or (scene, hides) != (scenes[-1], hidden):
            window.stage.show(ReadScene(scene))
            renderer.settle()
            pictures.append(_picture(renderer, hides))
        else:
            pictures.append(pictures[-1])
        scenes.append(scene)
        hidden = hides
        report(len(scenes), len(lesson.steps))
    program = f"Tokenarium {__version__}"
    used = [_line(item) for item in items]
    handout = handout_of(lesson, answers, scenes, pictures, used, program, with_answers)
    write_handout(handout, path)
    sentences = []
    for group, item in zip(lesson.tokenizers, items, strict=False):
        missing = item_here(session, group[0])
        if missing is not None and missing.key != item.key:
            name = missing.model_name or missing.name
            sentences.append(away_sentence([name], [missing.key], f"; {item.name} replaces it"))
    renderer.close()
    return sentences


def _line(item: LibraryItem) -> str:
    """Returns a line about a tokenizer: its name, how it works, its size, and the hash of its file."""
    tokenizer = item.tokenizer
    assert tokenizer is not None
    name = item.display_name
    line = f"{name}: {kind_of(tokenizer)}, {len(tokenizer.vocabulary):,} entries"
    digest = file_sha256(Path(item.source))
    return f"{line}, SHA-256 {digest[:16]}…" if digest else line


def _picture(renderer: Renderer, hides: bool) -> bytes:
    """Returns the workspace as PNG, without the empty room at its bottom; ``hides``: nor what answers the question."""
    space = renderer.window.workspace
    if hides:
        space.hide_answer(True)
        renderer.settle()
    image = QImage(space.size() * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(Qt.GlobalColor.white)
    space.render(image)
    if hides:
        space.hide_answer(False)
    image = image.copy(QRect(0, 0, image.width(), _last_row(image)))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _last_row(image: QImage) -> int:
    """Returns the height of a picture without rows of one colour at its bottom."""
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    used = np.flatnonzero((pixels != pixels[:, :1]).any(axis=1))
    last = int(used[-1]) + 1 if len(used) else image.height()
    return min(image.height(), last + BELOW * SCALE)
