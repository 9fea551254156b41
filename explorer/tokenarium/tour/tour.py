"""The tour: pictures of every state of the window. Most are scene files; the others are made here and in `faked`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from tokenarium.models.scene_texts import read_scene_file
from tokenarium.session import settings
from tokenarium.style.appearance import Scheme
from tokenarium.tour.faked import FAKED, show_faked
from tokenarium.tour.render import Renderer, scene_files

SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def take_tour(folder: Path, names: Collection[str] = ()) -> Iterator[Path]:
    """Writes two pictures of each state, light and dark, each in its own window; yields their paths.

    With ``names``, only those states. Differences from a scene file are printed.
    """
    for path in scene_files():
        if names and path.stem not in names:
            continue
        renderer = Renderer((), settings.CUTS.default)
        for sentence in renderer.show(read_scene_file(path)):
            print(f"{path.stem}: {sentence}", file=sys.stderr)
        yield from _both(renderer, folder, path.stem)
    for name in names or FAKED:
        if name not in FAKED:
            continue
        yield from _both(show_faked(name), folder, name)


def _both(renderer: Renderer, folder: Path, name: str) -> Iterator[Path]:
    for scheme in SCHEMES:
        yield renderer.picture(folder, f"{name}-{scheme}", "", scheme)
    renderer.close()
