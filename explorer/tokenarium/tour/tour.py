"""The tour: pictures of every state of the window. Most are scene files; the others are made here and in `faked`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.scene import read_scene_file
from tokenarium.session import settings
from tokenarium.style.appearance import Scheme
from tokenarium.tour.faked import FAKED, show_faked
from tokenarium.tour.render import WORD, Renderer, scene_files
from tokenarium.tour.stops import SMALL, USUAL, Stop
from tokenarium.tour.tour_compare import compare_stops
from tokenarium.tour.tour_merges import (
    export_stops,
    prefix_stops,
    size_stops,
    training_stops,
    why_stops,
)
from tokenarium.tour.tour_scripts import script_stops
from tokenarium.tour.tour_superwords import superword_stops
from tokenarium.tour.tour_train import train_stops
from tokenarium.tour.tour_vocabulary import vocabulary_stops
from tokenarium.views.merges import MergesView
from tokenarium.widgets.players.lattice_body import LatticeBody

SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def take_tour(folder: Path) -> Iterator[Path]:
    """Writes two pictures of each state, light and dark, each in a window of its own; yields their paths.

    What is not as a scene file says is printed.
    """
    for path in scene_files():
        renderer = Renderer((), settings.CUTS.default)
        for sentence in renderer.show(read_scene_file(path)):
            print(f"{path.stem}: {sentence}", file=sys.stderr)
        yield from _both(renderer, folder, path.stem)
    for name in FAKED:
        yield from _both(show_faked(name), folder, name)
    renderer = Renderer()
    yield from renderer.tour(folder, tour_stops(renderer))


def _both(renderer: Renderer, folder: Path, name: str) -> Iterator[Path]:
    for scheme in SCHEMES:
        yield renderer.picture(folder, f"{name}-{scheme}", "", scheme)
    renderer.close()


def tour_stops(renderer: Renderer) -> list[Stop]:
    """Returns the stops that are not scene files yet, in their order."""

    def merges(
        share: float, word: str = WORD, sample_id: str = WELCOME, panel: int = -1
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.session.set_text(sample_text(sample_id))
            renderer.settle()
            window.merge_commands.show_page("steps")
            renderer.select(word)
            view = window.workspace
            assert isinstance(view, MergesView)
            view.steps.show_word_panel(max(panel, 0))
            view.steps.set_side_by_side(panel < 0 and len(window.session.chosen()) > 1)
            for lane in view.steps.lanes.values():
                lane.go_to(round(lane.length * share))
                lane.body.finish_motion()

        return prepare

    def played(
        names: tuple[str, ...], text: str, word: str, share: float, size: QSize = USUAL
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            window.resize(size)
            for item in window.session.chosen():
                window.session.edits.turn_on(item.key, False)
            window.take_files([renderer.small_model(name) for name in names])
            renderer.settle()
            merges(share, word, text)(window)
            view = window.workspace
            assert isinstance(view, MergesView)
            for lane in view.steps.lanes.values():
                if isinstance(lane.body, LatticeBody) and share == 1.0:
                    best = lane.body.list.best
                    best.setCurrentIndex(best.model().index(2, 0))

        return prepare

    return [
        ("merges", "merges", merges(0.5)),
        ("merges-end", "merges", merges(1.0)),
        ("merges-queue", "merges", merges(0.5, panel=0)),
        ("merges-list", "merges", merges(0.5, panel=1)),
        ("merges-cache", "merges", merges(0.5, panel=2)),
        ("unigram", "merges", played(("unigram",), WELCOME, "Familiar words", 0.5)),
        ("unigram-end", "merges", played(("unigram",), WELCOME, "Familiar words", 1.0)),
        ("unigram-small", "merges", played(("unigram",), WELCOME, "Familiar", 0.5, SMALL)),
        ("wordpiece", "merges", played(("wordpiece",), WELCOME, "phlogiston", 0.4)),
        ("wordpiece-end", "merges", played(("wordpiece",), WELCOME, "phlogiston", 1.0)),
        ("players", "merges", played(("unigram", "wordpiece"), WELCOME, "unfamiliar", 0.5)),
        *why_stops(renderer),
        *prefix_stops(renderer),
        *train_stops(renderer),
        *superword_stops(renderer),
        *training_stops(renderer),
        *size_stops(renderer),
        *script_stops(renderer),
        *compare_stops(renderer),
        *export_stops(renderer),
        *vocabulary_stops(renderer),
    ]
