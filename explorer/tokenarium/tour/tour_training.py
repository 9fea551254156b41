"""The stops of the tour at the page Training of the workspace Merges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize

from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merges import MergesView

if TYPE_CHECKING:
    from tokenarium.tour.render import Renderer

Stop = tuple[str, str, Callable[[MainWindow], object]]

PATTERN = "cl100k"
SMALL, USUAL = QSize(800, 600), QSize(1440, 900)
TEXTS = {
    "latin": "prose-de",
    "arabic": "prose-ar",
    "hindi": "prose-hi",
    "japanese": "prose-ja",
    "emoji": "emoji",
}


def training_stops(renderer: Renderer) -> list[Stop]:
    """Returns the names of the stops, their workspace, and what leads there."""

    def page(window: MainWindow, sample: str, size: QSize) -> MergeTrainingPage:
        window.resize(size)
        window.session.set_text(sample_text(sample) if sample else "")
        renderer.settle()
        window.merge_commands.show_page(MergeTrainingPage.id)
        view = window.workspace
        assert isinstance(view, MergesView)
        found = view.page
        assert isinstance(found, MergeTrainingPage)
        return found

    def played(share: float, sample: str, size: QSize = USUAL) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            training = page(window, sample, size)
            training.form.choose("text")
            training.form.pattern.setCurrentText(PATTERN)
            training.form.merges.setValue(300)
            training.train()
            renderer.settle()
            training.player.go_to(round(training.player.length * share))
            training.bars.finish_motion()

        return prepare

    def empty(sample: str) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            training = page(window, sample, USUAL)
            training.form.choose("text")
            training.train()

        return prepare

    return [
        ("training-none", "merges", lambda window: page(window, "welcome", USUAL)),
        ("training-empty", "merges", empty("")),
        ("training-begin", "merges", played(0.0, "prose-en")),
        ("training", "merges", played(0.3, "prose-en")),
        ("training-end", "merges", played(1.0, "prose-en")),
        ("training-small", "merges", played(0.3, "prose-en", SMALL)),
        *[(f"training-{name}", "merges", played(0.4, sample)) for name, sample in TEXTS.items()],
    ]
