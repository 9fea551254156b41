"""The tour: pictures of every state of the window. Most are scene files; the others are made here and in `faked`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tokenarium.models.scene import read_scene_file
from tokenarium.session import settings
from tokenarium.style.appearance import Scheme
from tokenarium.tour.faked import FAKED, show_faked
from tokenarium.tour.render import Renderer, scene_files
from tokenarium.tour.stops import Stop
from tokenarium.tour.tour_compare import compare_stops
from tokenarium.tour.tour_train import train_stops

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
    return [*train_stops(renderer), *compare_stops(renderer)]
