"""The page of HTML of a scene: which pages of the window have figures, and how a scene becomes a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tokenarium.models.counted import listed
from tokenarium.models.scene import ReadScene
from tokenarium.web.page import Figure, Look, page
from tokenarium.web.shown_scene import Opener, ShownScene, open_scene
from tokenarium.web.text_figures import tokens_figures
from tokenarium_core import TokenariumError

SceneFigures = Callable[[ShownScene], list[Figure]]
"""Returns the figures of a scene; TokenariumError, with a sentence, if they cannot be made."""

FIGURES: Final[Mapping[str, tuple[str, SceneFigures]]] = {
    "tokens.tokens": ("Tokens", tokens_figures),
}
"""The name of each page of the window that has figures, and what makes them; by `ShownScene.page`."""


def scene_page(
    found: ReadScene, opener: Opener, theme: Look | None = None, title: str = ""
) -> tuple[str, list[str]]:
    """Returns a scene as a page of HTML, and sentences about what differs from the scene.

    Raises TokenariumError if the page of the scene has no figures. ``theme`` replaces the colours of the scene.
    """
    shown, said = open_scene(found, opener)
    return page_of_shown(shown, theme, title), said


def page_of_shown(shown: ShownScene, theme: Look | None = None, title: str = "") -> str:
    """Returns an opened scene as a page of HTML; see `scene_page`."""
    known = FIGURES.get(shown.page)
    if known is None:
        names = listed([name for name, _ in FIGURES.values()])
        raise TokenariumError(f"This page cannot be a web page yet. These can: {names}.")
    name, figures = known
    text = shown.scene.text
    about = title or (text.title if text is not None and text.title else "") or name
    used = "; ".join(
        f"{one.name}{f' ({one.second})' if one.second else ''}, {len(one.tokenizer.vocabulary):,} entries"
        for one in shown.tokenizers
    )
    notes = [f"Computed with {used}."] if used else []
    return page(about, figures(shown), theme=theme or _look(shown), notes=notes)


def _look(shown: ShownScene) -> Look:
    """Returns the colours of a scene."""
    scheme = shown.scene.colours.get("scheme")
    return scheme if scheme in ("light", "dark", "contrast") else "auto"
