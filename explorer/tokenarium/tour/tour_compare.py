"""The stops of the tour at the workspace Compare that are no scene files: they need files, or open a popup."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.compare.parallel_texts import shipped
from tokenarium.tour.stops import Guide, Stop
from tokenarium.views.compare import CompareView
from tokenarium.views.compare_overview import OverviewPage

FIVE = ("en", "de", "hi", "ja", "ar")


def shown_overview(window: MainWindow) -> OverviewPage:
    """Returns the page Overview, which is shown."""
    view = window.workspace
    assert isinstance(view, CompareView)
    assert isinstance(view.page, OverviewPage)
    return view.page


def compare_stops(guide: Guide) -> list[Stop]:
    """Returns the stops."""

    def overview(window: MainWindow) -> OverviewPage:
        window.session.set_text(sample_text(WELCOME))
        guide.settle()
        window.compare_commands.compare_text()  # files may have been compared before
        guide.settle()
        return shown_overview(window)

    def languages_chosen(window: MainWindow) -> None:
        overview(window)
        window.compare_commands.parallel_shipped()
        out = [text.language for text in shipped() if text.language not in FIVE]
        window.session.leave_out_languages(out)
        window.compare_commands.choose_languages()

    def nothing_read(window: MainWindow) -> None:
        overview(window)
        with tempfile.TemporaryDirectory() as folder:
            window.compare_commands.compare_paths([Path(folder)])
            guide.settle()

    def counted_files(page_id: str, parallel: bool = False) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            page = overview(window)
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for code in FIVE:
                    text = sample_text(f"prose-{code}")
                    (folder / f"{code}.txt").write_text(text, "utf-8")
                if page_id == "languages":
                    page.show_languages()
                    page.languages.compare_folder(folder)
                    guide.settle()
                    page.languages.same.setChecked(parallel)
                else:
                    window.compare_commands.compare_paths([folder])
                    guide.settle()
                    page.figures.by_file.setChecked(True)

        return prepare

    def columns(window: MainWindow) -> None:
        overview(window).figures.columns.click()

    def figure(window: MainWindow) -> None:
        overview(window).languages.premiums.open_figure()
        guide.settle()

    def share(window: MainWindow) -> None:
        window.session.set_text("Strawberries cost €1,234.56, सभी मनुष्यों 👩🏽‍🚀")
        guide.settle()
        window.lazy.sharing.share_card()

    return [
        ("share", "tokens", share),
        ("compare-figure", "compare", figure),
        ("compare-columns", "compare", columns),
        ("compare-nothing-read", "compare", nothing_read),
        ("compare-by-file", "compare", counted_files("overview")),
        ("compare-languages-folder", "compare", counted_files("languages")),
        ("compare-languages-parallel", "compare", counted_files("languages", parallel=True)),
        ("compare-languages-chosen", "compare", languages_chosen),
    ]
