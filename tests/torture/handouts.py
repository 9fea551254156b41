"""Handouts and pages of strangers' lessons: they load nothing, run nothing of the lesson and are of a bounded size."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import lesson_cases
from attack import Attack, Case, check_sentence
from planting import instead, patched

from tokenarium.models.lessons.answers import AnswerError, Answers
from tokenarium.models.lessons.asking import scene_of
from tokenarium.models.lessons.handout import handout_of, handout_page
from tokenarium.models.lessons.lesson import LessonError, read_lesson
from tokenarium.pictures.handout_file import pdf_of_handout
from tokenarium.web.lesson_pages import lesson_page
from tokenarium_core import WriteError

MOST_BYTES = 30 << 20
"""The largest page."""


class Loads(HTMLParser):
    """Notes what a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "base", "link", "form", "svg", "video"):
            self.found.append(tag)
        for name, value in attributes:
            address = (value or "").strip()
            if name.startswith("on") or name in ("style", "srcset", "background", "formaction"):
                self.found.append(f"{tag} {name}")
            elif (name == "href" and not address.startswith(("https://", "http://"))) or (
                name == "src" and not address.startswith("data:image/png;base64,")
            ):
                self.found.append(f"{tag} {name}={address[:60]}")


def make_page(chance: Random) -> Case:
    """Returns a lesson, and for whom its handout is."""
    return {"source": lesson_cases.lesson(chance), "answers": chance.random() < 0.5}


def _handout(case: Case) -> Any:
    """Returns the handout of a lesson in a folder with pictures, as the command makes it, but for the views."""
    folder = Path("lessons").resolve()
    folder.mkdir()
    lesson_cases.pictures(folder)
    path = folder / "its.md"
    path.write_text(case["source"], encoding="utf-8")
    lesson = read_lesson(path)
    answers = Answers(lesson_cases.tokenizers())
    scenes, shown = [], []
    for step in lesson.steps:
        shown += [step.scene] if step.scene is not None else []
        try:
            scenes.append(scene_of(shown, [], answers))
        except AnswerError:
            scenes.append(scene_of(shown, [], answers, as_written=True))
    pictures = [b""] * len(scenes)
    return handout_of(lesson, answers, scenes, pictures, ["<b>x"], "Tokenarium", case["answers"])


def run_page(case: Case) -> str:
    """Makes a page of it: it holds all that it shows, and runs nothing."""
    try:
        page = handout_page(_handout(case))
    except LessonError as error:
        check_sentence(error)
        return "refused"
    assert len(page) < MOST_BYTES, "the page is too large"
    loads = Loads()
    loads.feed(page)
    assert not loads.found, f"the page loads or runs: {loads.found[:3]}"
    found = lesson_cases.widths(page)
    assert set(found) <= {5}, "a picture from elsewhere is in it"
    return "with pictures" if found else "without"


class Runs(Loads):
    """Notes what a live page would load or run besides its own script and its data."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        inside = [one for one in attributes if not (one[0] == "href" and str(one[1])[:1] == "#")]
        if tag == "script":
            self.scripts += not attributes
            return
        super().handle_starttag(tag, inside)


def run_live(case: Case) -> str:
    """Makes a live page of it: only the script of all pages runs."""
    try:
        handout = _handout(case)
    except LessonError as error:
        check_sentence(error)
        return "refused"
    page = lesson_page(handout, [[]] * len(handout.steps))
    assert len(page) < MOST_BYTES, "the page is too large"
    page.encode()
    runs = Runs()
    runs.feed(page)
    assert not runs.found, f"the page loads or runs: {runs.found[:3]}"
    assert runs.scripts == 1, "the page has other scripts"
    return "asked" if 'data-kind="question"' in page else "without questions"


def run_pdf(case: Case) -> str:
    """Makes a PDF of it."""
    lesson_cases.application()
    try:
        data = pdf_of(_handout(case))
    except (LessonError, WriteError) as error:
        check_sentence(error)
        return "refused"
    assert data.startswith(b"%PDF"), "it is no PDF"
    assert len(data) < MOST_BYTES, "the PDF is too large"
    assert b"/JavaScript" not in data, "the PDF has a program in it"
    return "made"


def pdf_of(handout: Any) -> bytes:
    """Returns a handout as PDF."""
    return pdf_of_handout(handout)


SEEDS = (lesson_cases.tokenizers, lesson_cases.application)

ATTACKS = [
    Attack(
        "handouts-page",
        make_page,
        run_page,
        seconds=30.0,
        planted={
            "the page loads or runs": patched(
                "tokenarium.models.lessons.handout.WEB", re.compile("")
            )
        },
    ),
    Attack(
        "handouts-live",
        make_page,
        run_live,
        seconds=30.0,
        planted={
            "the page loads or runs": patched("tokenarium.web.lesson_pages.escaped", str),
        },
    ),
    Attack(
        "handouts-pdf",
        make_page,
        run_pdf,
        seconds=30.0,
        planted={
            "the PDF has a program in it": instead(
                sys.modules[__name__], "pdf_of", lambda before: lambda made: b"%PDF /JavaScript"
            )
        },
    ),
]
