"""The stops of the tour at the page Vocabulary size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merges import MergesView

Stop = tuple[str, str, Callable[[MainWindow], object]]
SMALL = QSize(800, 600)


class SizesGuide(Protocol):
    """What takes the pictures."""

    def settle(self) -> None:
        """Waits until nothing goes on any more."""


def size_stops(guide: SizesGuide, small_model: Callable[[str], Path]) -> list[Stop]:
    """Returns the name, the workspace and the preparation of each stop; ``small_model`` makes a model by its kind."""

    def sizes(
        text: str,
        share: float,
        size: QSize | None = None,
        log: bool = True,
        ratio: bool = False,
        current: str = "named:cl100k_base",
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_current(current)
            window.session.set_text(text)
            page = _page(guide, window)
            page.set_log(log)
            page.set_ratio(ratio)
            page.player.go_to(round(page.player.length * share))
            window.actions_by_id.refresh()

        return prepare

    def change(window: MainWindow) -> None:
        sizes(sample_text(WELCOME), 0.05)(window)
        _page(guide, window).player.step(1)

    def no_merges(window: MainWindow) -> None:
        window.session.set_text(sample_text(WELCOME))
        window.take_files([small_model("unigram")])
        guide.settle()
        window.session.set_current(window.session.chosen()[-1].key)
        _page(guide, window)

    def empty(window: MainWindow) -> None:
        _page(guide, window)
        window.session.set_text("")

    text = sample_text(WELCOME)
    return [
        ("sizes", "merges", sizes(text, 0.05)),
        ("sizes-start", "merges", sizes(text, 0.0)),
        ("sizes-end", "merges", sizes(text, 1.0, ratio=True)),
        ("sizes-linear", "merges", sizes(text, 0.2, log=False)),
        ("sizes-arabic", "merges", sizes(sample_text("prose-ar"), 0.3)),
        ("sizes-hindi", "merges", sizes(sample_text("prose-hi"), 0.6)),
        ("sizes-japanese", "merges", sizes(sample_text("prose-ja"), 0.3)),
        ("sizes-emoji", "merges", sizes(sample_text("emoji"), 0.5)),
        ("sizes-small", "merges", sizes(text, 0.05, SMALL)),
        ("sizes-change", "merges", change),
        ("sizes-none", "merges", no_merges),
        ("sizes-empty", "merges", empty),
    ]


def _page(guide: SizesGuide, window: MainWindow) -> MergeSizesPage:
    window.merge_commands.show_page(MergeSizesPage.id)
    guide.settle()
    view = window.workspace
    assert isinstance(view, MergesView)
    page = view.page
    assert isinstance(page, MergeSizesPage)
    page.recut()
    guide.settle()
    return page
