"""The stops of the tour at the workspace Compare."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.compare.parallel_texts import shipped
from tokenarium.tour.stops import LARGE, SMALL, Guide, Stop
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

    def page(
        page_id: str,
        text: str,
        size: QSize | None = None,
        few: bool = False,
        many: bool = False,
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(text)
            if few:
                for item in window.session.chosen()[1:]:
                    window.session.edits.turn_on(item.key, False)
            if many:
                window.take_files([guide.small_model("unigram"), guide.small_model("wordpiece")])
            guide.settle()
            if page_id == "overview":  # files may have been compared before
                window.compare_commands.compare_text()
            elif page_id == "languages":
                window.compare_commands.parallel_shipped()
            else:
                window.compare_commands.show_page(page_id)
            guide.settle()

        return prepare

    def differences(text: str) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            page("differences", text)(window)
            for _ in range(3):
                window.workspace.go_to_difference(1)

        return prepare

    def languages(codes: tuple[str, ...], listed: bool = False) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            page("languages", welcome)(window)
            out = [text.language for text in shipped() if text.language not in codes]
            window.session.leave_out_languages(out)
            if listed:
                window.compare_commands.choose_languages()

        return prepare

    def nothing_read(window: MainWindow) -> None:
        page("overview", sample_text(WELCOME))(window)
        with tempfile.TemporaryDirectory() as folder:
            window.compare_commands.compare_paths([Path(folder)])
            guide.settle()

    def counted_files(page_id: str, parallel: bool = False) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            page(page_id, welcome)(window)
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for code in FIVE:
                    text = sample_text(f"prose-{code}")
                    (folder / f"{code}.txt").write_text(text, "utf-8")
                overview = shown_overview(window)
                if page_id == "languages":
                    overview.languages.compare_folder(folder)
                    guide.settle()
                    overview.languages.same.setChecked(parallel)
                else:
                    window.compare_commands.compare_paths([folder])
                    guide.settle()
                    overview.figures.by_file.setChecked(True)

        return prepare

    def all_columns(window: MainWindow) -> None:
        page("overview", welcome)(window)
        window.session.compare_columns(metric.id for metric in METRICS)

    def columns(window: MainWindow) -> None:
        page("overview", welcome)(window)
        overview = shown_overview(window)
        overview.figures.columns.click()

    def figure(window: MainWindow) -> None:
        page("overview", welcome)(window)
        shown_overview(window).languages.premiums.open_figure()
        guide.settle()

    def share(window: MainWindow) -> None:
        window.session.set_text("Strawberries cost €1,234.56, सभी मनुष्यों 👩🏽‍🚀")
        guide.settle()
        window.lazy.sharing.share_card()

    welcome = sample_text(WELCOME)
    return [
        ("share", "tokens", share),
        ("compare-figure", "compare", figure),
        ("compare-columns", "compare", columns),
        ("compare-all-columns", "compare", all_columns),
        ("compare", "compare", page("overview", welcome)),
        ("compare-one", "compare", page("overview", welcome, few=True)),
        ("compare-six", "compare", page("overview", welcome, many=True)),
        ("compare-small", "compare", page("overview", welcome, SMALL)),
        ("compare-arabic", "compare", page("overview", sample_text("prose-ar"))),
        ("compare-unknown", "compare", page("overview", sample_text("prose-ar"), many=True)),
        ("compare-japanese", "compare", page("overview", sample_text("prose-ja"))),
        ("compare-arabic-six", "compare", page("overview", sample_text("prose-ar"), many=True)),
        ("compare-japanese-six", "compare", page("overview", sample_text("prose-ja"), many=True)),
        ("compare-hebrew-six", "compare", page("overview", sample_text("prose-he"), many=True)),
        ("compare-chinese-six", "compare", page("overview", sample_text("prose-zh"), many=True)),
        ("compare-large", "compare", page("overview", welcome, LARGE, many=True)),
        ("compare-nothing-read", "compare", nothing_read),
        ("compare-by-file", "compare", counted_files("overview")),
        ("compare-languages", "compare", page("languages", welcome)),
        ("compare-languages-folder", "compare", counted_files("languages")),
        ("compare-languages-parallel", "compare", counted_files("languages", parallel=True)),
        ("compare-languages-one", "compare", page("languages", welcome, few=True)),
        ("compare-languages-six", "compare", page("languages", welcome, many=True)),
        ("compare-languages-five", "compare", languages(FIVE)),
        ("compare-languages-chosen", "compare", languages(FIVE, listed=True)),
        ("compare-languages-none", "compare", languages(())),
        ("compare-languages-small", "compare", page("languages", welcome, SMALL)),
        ("compare-languages-large", "compare", page("languages", welcome, LARGE, many=True)),
        ("compare-differences", "compare", differences(welcome)),
        ("compare-differences-six", "compare", page("differences", welcome, many=True)),
        (
            "compare-differences-arabic-six",
            "compare",
            page("differences", sample_text("prose-ar"), many=True),
        ),
        ("compare-differences-small", "compare", page("differences", welcome, SMALL)),
        ("compare-differences-arabic", "compare", differences(sample_text("prose-ar"))),
        ("compare-differences-japanese", "compare", differences(sample_text("prose-ja"))),
        ("compare-differences-hebrew", "compare", differences(sample_text("prose-he"))),
        ("compare-differences-chinese", "compare", differences(sample_text("prose-zh"))),
        ("compare-differences-large", "compare", page("differences", welcome, LARGE, many=True)),
        ("compare-differences-code", "compare", differences(sample_text("code-python"))),
        ("compare-differences-one", "compare", page("differences", welcome, few=True)),
        ("compare-texts", "compare", page("texts", welcome)),
        ("compare-texts-six", "compare", page("texts", welcome, many=True)),
        ("compare-texts-small", "compare", page("texts", welcome, SMALL)),
        ("compare-overlap", "compare", page("overlap", welcome)),
        ("compare-overlap-six", "compare", page("overlap", welcome, many=True)),
        ("compare-overlap-large", "compare", page("overlap", welcome, LARGE, many=True)),
        ("compare-overlap-small", "compare", page("overlap", welcome, SMALL)),
        ("compare-overlap-one", "compare", page("overlap", welcome, few=True)),
        ("compare-empty", "compare", page("overview", "")),
    ]
