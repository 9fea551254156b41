"""Makes the handout of a lesson or a class: shows each step in its own window, without a display, and writes a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QBuffer, QCoreApplication, QEvent, QIODevice, QRect, QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit

from tokenarium.app.lesson_deck import deck_of_step
from tokenarium.app.lesson_tokenizers import first_here, item_here
from tokenarium.models.lessons.answers import Answers, kind_of
from tokenarium.models.lessons.asking import hides_answer, scene_at
from tokenarium.models.lessons.classes import ReadyClass
from tokenarium.models.lessons.handout import HandoutStep, class_handout, handout_of, step_of
from tokenarium.models.lessons.lesson import Lesson
from tokenarium.models.scene import ReadScene, Scene
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.offers import away_sentence
from tokenarium.pictures.handout_file import write_handout
from tokenarium.style.appearance import StageAppearance
from tokenarium.style.theme import PRINT, Theme
from tokenarium.tour.render import Renderer
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.veil import Veil
from tokenarium_core import __version__
from tokenarium_core.plain_files import file_sha256

SIZE = QSize(980, 580)
"""The size in pixels of the window whose workspace is on the pictures."""

SHEET_SIZE = QSize(600, 420)
"""The size in pixels of a picture on a worksheet, where it is small."""

SCALE = 2
"""The scale factor of the pictures."""

PROGRAM = f"Tokenarium {__version__}"

BELOW = 16
"""Pixels left below the lowest content of a picture."""


Report = Callable[[int, int], object]
"""Called after each picture, with the number of pictures made and to be made."""


class _Drawn(NamedTuple):
    """A lesson whose steps were shown: its answers and tokenizers, and the scene and the picture of each step."""

    answers: Answers
    items: list[LibraryItem]
    scenes: list[Scene]
    pictures: list[bytes]


def make_handout(
    lesson: Lesson,
    path: Path,
    with_answers: bool,
    report: Report = lambda done, total: None,
) -> list[str]:
    """Writes the handout of a lesson, as PDF or HTML; returns a sentence for each tokenizer that was replaced.

    The tokenizers are those of the lesson that are on this computer. Raises WriteError if the file cannot be written.
    """
    renderer = lesson_renderer()
    drawn = _draw(renderer, lesson, range(len(lesson.steps)), report)
    used = [used_line(item) for item in drawn.items]
    handout = handout_of(
        lesson, drawn.answers, drawn.scenes, drawn.pictures, used, PROGRAM, with_answers
    )
    write_handout(handout, path)
    sentences = replaced(renderer, lesson, drawn.items)
    renderer.close()
    return sentences


def make_class(
    ready: ReadyClass,
    lessons: Mapping[str, Lesson],
    path: Path,
    with_answers: bool,
    report: Report = lambda done, total: None,
) -> list[str]:
    """Writes the worksheet of a class, and with answers its plan before it; otherwise as `make_handout`."""
    renderer = lesson_renderer()
    asking = [part for part in ready.parts if part.asks]
    made: dict[str, HandoutStep] = {}
    lines: list[str] = []
    sentences: list[str] = []
    for id in dict.fromkeys(part.lesson for part in asking):
        lesson = lessons[id]
        asked = [part.step for part in asking if part.lesson == id]
        wanted = [n for n, step in enumerate(lesson.steps) if step.title in asked]
        report_here = partial(_report_after, report, len(made), len(asking))
        drawn = _draw(renderer, lesson, wanted, report_here, SHEET_SIZE)
        for number, scene, picture in zip(wanted, drawn.scenes, drawn.pictures, strict=True):
            step = lesson.steps[number]
            answers = drawn.answers
            made[step.title] = step_of(step, answers, scene, picture, with_answers, lesson.file)
        lines += [used_line(item) for item in drawn.items]
        sentences += replaced(renderer, lesson, drawn.items)
    steps = [made[part.step] for part in asking]
    titles = {id: lesson.title for id, lesson in lessons.items()}
    used = list(dict.fromkeys(lines))
    write_handout(class_handout(ready, titles, steps, used, PROGRAM, with_answers), path)
    renderer.close()
    return list(dict.fromkeys(sentences))


def _report_after(report: Report, before: int, all: int, done: int, total: int) -> None:
    """Reports the pictures of one lesson, after those of other lessons."""
    report(before + done, all)


def lesson_renderer() -> Renderer:
    """Returns a window for the steps of a lesson."""
    renderer = Renderer(())
    renderer.window.resize(SIZE)
    renderer.window.appearance.set_token_palette("print")
    return renderer


def open_lesson(renderer: Renderer, lesson: Lesson) -> tuple[list[LibraryItem], Answers]:
    """Opens the tokenizers of a lesson that are on this computer; returns them, and the answers by them."""
    session = renderer.window.session
    items = [item for group in lesson.tokenizers if (item := first_here(session, group))]
    for item in items:
        session.edits.turn_on(item.key, True)
    renderer.settle()
    items = [item for item in items if item.tokenizer is not None]
    named = [(session.short_name(item), item.tokenizer) for item in items if item.tokenizer]
    return items, Answers(named)


def _draw(
    renderer: Renderer, lesson: Lesson, wanted: Sequence[int], report: Report, size: QSize = SIZE
) -> _Drawn:
    """Shows some steps of a lesson, each as after those before it, and takes a picture of each."""
    items, answers = open_lesson(renderer, lesson)
    keys = [item.key for item in items]
    scenes: list[Scene] = []
    pictures: list[bytes] = []
    hidden = False
    for number in wanted:
        question = lesson.steps[number].question
        scene = scene_at(lesson, number, keys, answers)
        hides = question is not None and hides_answer(question)
        if not scenes or (scene, hides) != (scenes[-1], hidden):
            show_scene(renderer, scene)
            pictures.append(encoded(take_picture(renderer, hides, size)))
        else:
            pictures.append(pictures[-1])
        scenes.append(scene)
        hidden = hides
        report(len(scenes), len(wanted))
    return _Drawn(answers, items, scenes, pictures)


def replaced(renderer: Renderer, lesson: Lesson, items: Sequence[LibraryItem]) -> list[str]:
    """Returns a sentence for each tokenizer of a lesson that another one replaced."""
    sentences = []
    for group, item in zip(lesson.tokenizers, items, strict=False):
        missing = item_here(renderer.window.session, group[0])
        if missing is not None and missing.key != item.key:
            name = missing.model_name or missing.name
            sentences.append(away_sentence([name], [missing.key], f"; {item.name} replaces it"))
    return sentences


def used_line(item: LibraryItem) -> str:
    """Returns a line about a tokenizer: its name, how it works, its size, and the hash of its file."""
    tokenizer = item.tokenizer
    assert tokenizer is not None
    name = item.display_name
    line = f"{name}: {kind_of(tokenizer)}, {len(tokenizer.vocabulary):,} entries"
    digest = file_sha256(Path(item.source))
    return f"{line}, SHA-256 {digest[:16]}…" if digest else line


CONTROLS = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, Segmented)
"""What a page of the window has that paper has no use for."""


def show_scene(renderer: Renderer, scene: Scene) -> None:
    """Shows a scene, and waits until all of it is there."""
    renderer.window.stage.show(ReadScene(scene))
    renderer.settle()


def take_picture(
    renderer: Renderer,
    hides: bool,
    size: QSize = SIZE,
    theme: Theme = PRINT,
    scale: float = SCALE,
) -> QImage:
    """Returns what a presentation shows of the workspace, so without its buttons, in the colours of a theme.

    It has no empty room at its bottom; ``hides``: nor what answers the question. It is null if nothing else is shown.
    """
    window = renderer.window
    looks = StageAppearance(window.appearance)
    looks.theme = theme
    space = window.workspace
    space.hide_answer(hides)
    deck = deck_of_step(space, looks)
    deck.hide_prediction(hides)
    deck.setPalette(theme.palette())
    deck.resize(size)
    deck.show()
    renderer.settle(lambda: deck.busy)
    for kind in CONTROLS:
        for control in deck.findChildren(kind):
            control.hide()
    for veil in deck.findChildren(Veil):
        veil.says = False  # paper has no answer that it could come with
    renderer.settle()
    image = QImage(deck.size() * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(theme.surface)
    deck.render(image)
    deck.close_deck()
    deck.deleteLater()
    # At once: the next scene would have it begin work whose widgets are gone when it ends.
    QCoreApplication.sendPostedEvents(deck, QEvent.Type.DeferredDelete)
    space.hide_answer(False)
    rows = _rows_used(image)
    height = min(image.height(), rows + round(BELOW * scale)) if rows else 0
    return image.copy(QRect(0, 0, image.width(), height)) if rows else QImage()


def encoded(image: QImage, kind: str = "PNG", quality: int = -1) -> bytes:
    """Returns a picture as PNG, or as WebP of a quality (100: without loss); empty for a null one."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.isNull():
        image.save(buffer, kind, quality)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _rows_used(image: QImage) -> int:
    """Returns the height of a picture without rows of one colour at its bottom; 0 if nothing is on it."""
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    used = np.flatnonzero((pixels != pixels[:, :1]).any(axis=1))
    return int(used[-1]) + 1 if len(used) else 0
