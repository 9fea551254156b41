"""The lessons that ship as pages: small, without complaints of a browser, and usable with keys and a screen reader."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import Browser, BrowserName, installed, needs, violations
from PySide6.QtWidgets import QApplication
from shown_scenes import unruled

from project import ROOT
from tokenarium.models.lessons.lesson import read_lesson
from tokenarium.tour.lesson_pages import make_page

LESSONS = sorted((ROOT / "resources" / "lessons").glob("*.md"))
MOST_BYTES = 300_000

PageOf = Callable[[Path], tuple[Path, list[tuple[int, int]]]]


@pytest.fixture(scope="module")
def page_of(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> PageOf:
    """Makes the page of a lesson once for all tests; returns its file, and the progress that was reported."""
    folder = tmp_path_factory.mktemp("pages")

    @functools.cache
    def page_of(path: Path) -> tuple[Path, list[tuple[int, int]]]:
        out = folder / f"{path.stem}.html"
        reports: list[tuple[int, int]] = []
        make_page(read_lesson(path), out, lambda done, total: reports.append((done, total)))
        return out, reports

    return page_of


@pytest.mark.slow
@needs("chromium")
@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_a_page(
    path: Path, running: Callable[[BrowserName], Browser], page_of: PageOf
) -> None:
    """In every browser that is here, as it takes longer to make a page than to open it."""
    lesson = read_lesson(path)
    out, reports = page_of(path)
    count = len(lesson.steps)
    assert reports == [(done, count) for done in range(1, count + 1)]
    assert out.stat().st_size < MOST_BYTES
    assert unruled(out.read_text("utf-8")) == set()
    asked = sum(step.question is not None for step in lesson.steps)
    for name in installed():
        opened = running(name)
        opened.errors.clear()
        opened.open(out)
        assert opened.value("document.querySelectorAll('.room:not(:empty)').length") == asked
        assert opened.value("document.querySelectorAll('h2[id]').length") == count
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        for width in (1280, 800, 360):
            opened.resize(width, 700)
            assert not opened.value(wide), (name, width)
        opened.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        opened.value("new Promise(done => setTimeout(done, 50))")
        assert opened.value("document.querySelector('.lesson-steps .score').textContent") == (
            f"0 of {asked} questions answered, {asked} shown."
        )
        assert opened.errors == []


@pytest.mark.slow
@needs("chromium")
@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(
    "path",
    [path for path in LESSONS if path.stem[:2] in ("01", "04", "14", "16")],
    ids=lambda path: path.stem,
)
def test_everybody_can_use_a_lesson(
    path: Path, colours: str, running: Callable[[BrowserName], Browser], page_of: PageOf
) -> None:
    (out, _), opened = page_of(path), running("chromium")
    opened.open(out, prefers_color_scheme=colours)
    opened.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    opened.value("document.querySelectorAll('.choices button').forEach(one => one.click())")
    assert violations(opened) == []
