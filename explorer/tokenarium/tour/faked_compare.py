"""The states of the tour that show Compare with the user's files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tokenarium.app.start import sample_text
from tokenarium.models.compare.parallel_texts import shipped
from tokenarium.tour.render import Renderer
from tokenarium.tour.waiting import page_of
from tokenarium.views.compare_overview import OverviewPage

COMPARED = ("en", "de", "hi", "ja", "ar")
"""The languages of the samples."""


def overview(renderer: Renderer) -> OverviewPage:
    """Shows and returns the overview of the text."""
    renderer.window.compare_commands.compare_text()
    renderer.settle()
    return page_of(renderer, OverviewPage)


def samples_in(folder: Path) -> Path:
    """Returns a new folder with some samples in files."""
    folder.mkdir()
    for code in COMPARED:
        (folder / f"{code}.txt").write_text(sample_text(f"prose-{code}"), "utf-8")
    return folder


def nothing_read(renderer: Renderer) -> None:
    """Shows the message about a folder without texts."""
    (renderer.folder / "empty").mkdir()
    renderer.window.compare_commands.compare_paths([renderer.folder / "empty"])


def by_file(renderer: Renderer) -> None:
    """Shows a folder of files, each counted alone."""
    page = overview(renderer)
    renderer.window.compare_commands.compare_paths([samples_in(renderer.folder / "texts")])
    renderer.settle()
    page.figures.by_file.setChecked(True)


def paired(renderer: Renderer) -> None:
    """Shows the paired differences of the tokenizers on a folder of files."""
    for key in ("shipped:unigram-8k", "shipped:wordpiece-8k"):
        renderer.window.session.edits.turn_on(key, True)
    page = overview(renderer)
    renderer.window.compare_commands.compare_paths([samples_in(renderer.folder / "texts")])
    renderer.settle()
    page.show_paired()


def languages_of_folder(same: bool) -> Callable[[Renderer], None]:
    """Shows the languages of a folder; ``same``: with the same content in all of them."""

    def show(renderer: Renderer) -> None:
        page = overview(renderer)
        page.show_languages()
        page.languages.compare_folder(samples_in(renderer.folder / "texts"))
        renderer.settle()
        page.languages.same.setChecked(same)

    return show


def languages_chosen(renderer: Renderer) -> None:
    """Shows the list in which languages are chosen."""
    overview(renderer)
    renderer.window.compare_commands.parallel_shipped()
    out = [text.language for text in shipped() if text.language not in COMPARED]
    renderer.window.session.figures.leave_out(out)
    renderer.window.compare_commands.choose_languages()
