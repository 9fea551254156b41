"""The page of HTML of a scene: which pages of the window have figures, and how a scene becomes a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Final

from tokenarium.models.scene import ReadScene, Scene
from tokenarium.web.byte_figures import bytes_figures
from tokenarium.web.page import Figure, Look, page
from tokenarium.web.shown_scene import Opener, ShownScene, open_scene, page_of
from tokenarium.web.step_parts import StepReport, untold
from tokenarium.web.step_scenes import steps_figures, training_figures, walk_figures
from tokenarium.web.text_figures import pretokens_figures, tokens_figures
from tokenarium.web.why_figures import why_card_figures, why_figures
from tokenarium_core import TokenariumError

SceneFigures = Callable[[ShownScene], list[Figure]]
"""Returns the figures of a scene; TokenariumError, with a sentence, if they cannot be made."""

ANALYSES: Final[Mapping[str, str]] = {
    "tokens.perturb": "Perturb",
    "tokens.covering": "Covering",
    "tokens.ways": "Ways",
    "compare.stages": "Stages",
    "compare.numbers": "Numbers",
    "compare.digits": "Digits",
    "compare.text_sizes": "Sizes",
    "compare.superwords": "Superwords",
    "compare.mingram": "MinGram",
    "compare.final_style": "Final-style",
    "compare.divergence": "Divergence",
    "compare.bits": "Bits per byte",
    "compare.unused": "Unused entries",
    "bytes.first_bytes": "First bytes",
}
"""The titles of the pages of analyses that have figures; they are imported when they are first asked."""


def _answer(name: str, shown: ShownScene) -> list[Figure]:
    """Returns the figures of the analysis in the module of a name."""
    from tokenarium.analyses.analysis import analysis_named
    from tokenarium.web.analysis_figures import analysis_figures

    return analysis_figures(analysis_named(name), shown)


def _later(module: str, function: str, shown: ShownScene) -> list[Figure]:
    """Returns the figures of a module that is imported now."""
    figures: list[Figure] = getattr(import_module(f"tokenarium.web.{module}"), function)(shown)
    return figures


FIGURES: Final[Mapping[str, tuple[str, SceneFigures]]] = {
    "tokens.tokens": ("Tokens", tokens_figures),
    "merges.steps": ("Steps", steps_figures),
    "merges.prefixes": ("Longest match", walk_figures),
    "merges.training": ("Training", training_figures),
    "pretokens.pretokens": ("Pre-tokens", pretokens_figures),
    "bytes.bytes": ("Bytes", bytes_figures),
    "above.why": ("Why not one token?", why_card_figures),
    "merges.why": ("Why not one token?", why_figures),
    "tokens.stream": ("Stream", partial(_later, "stream_figures", "stream_figures")),
    "bytes.decode": ("Decode", partial(_later, "stream_figures", "decode_figures")),
    "bytes.alphabet": ("Byte table", partial(_later, "vocabulary_figures", "byte_table_figures")),
    "vocabulary.entries": ("Entries", partial(_later, "vocabulary_figures", "entries_figures")),
    "vocabulary.diagnostics": (
        "Diagnostics",
        partial(_later, "vocabulary_figures", "diagnostics_figures"),
    ),
    "scripts.vocabulary": (
        "Vocabularies by script",
        partial(_later, "vocabulary_figures", "scripts_figures"),
    ),
    "compare.overview": ("Overview", partial(_later, "overview_figures", "overview_figures")),
    "compare.migrate": ("Migrate", partial(_later, "migrate_figures", "migrate_figures")),
    "merges.sizes": ("Vocabulary size", partial(_later, "size_figures", "sizes_figures")),
    "train.training": (
        "Train",
        partial(_later, "training_form_figure", "training_form_figures"),
    ),
    "train.sizes": ("What each size costs", partial(_later, "size_figures", "budget_figures")),
    **{key: (title, partial(_answer, key.partition(".")[2])) for key, title in ANALYSES.items()},
}
"""The name of each page of the window that has figures, and what makes them; by `ShownScene.page`."""


def scene_page(
    found: ReadScene,
    opener: Opener,
    theme: Look | None = None,
    title: str = "",
    report: StepReport = untold,
) -> tuple[str, list[str]]:
    """Returns a scene as a page of HTML, and sentences about what differs from the scene.

    Raises TokenariumError if the page of the scene has no figures. ``theme`` replaces the colours of the scene.
    """
    shown, said = open_scene(found, opener)
    return page_of_shown(shown._replace(report=report), theme, title), said


def page_of_shown(shown: ShownScene, theme: Look | None = None, title: str = "") -> str:
    """Returns an opened scene as a page of HTML; see `scene_page`."""
    reason = refusal(shown.scene)
    if reason:
        raise TokenariumError(reason)
    name, figures_of = FIGURES[page_of(shown.scene)]
    figures = figures_of(shown)
    text = shown.scene.text
    if not title and len(figures) == 1 and figures[0].title:
        title, figures = figures[0].title, [figures[0]._replace(title="")]
    about = title or (text.title if text is not None and text.title else "") or name
    used = "; ".join(
        f"{one.name}{f' ({one.second})' if one.second else ''}, {len(one.tokenizer.vocabulary):,} entries"
        for one in (shown.tokenizers if _asks_tokenizers(shown.page) else ())
    )
    notes = [f"Computed with {used}."] if used else []
    return page(about, figures, theme=theme or _look(shown), notes=notes)


def _asks_tokenizers(page: str) -> bool:
    """Returns whether the tokenizers of a scene are asked on a page: some analyses only train their own on the text."""
    if page not in ANALYSES:
        return True
    from tokenarium.analyses.analysis import analysis_named

    return analysis_named(page.partition(".")[2]).least > 0


def refusal(scene: Scene) -> str:
    """Returns why a scene cannot be a web page, with those that can; empty if it can."""
    if page_of(scene) in FIGURES:
        return ""
    names = list(dict.fromkeys(name.rstrip("?") for name, _ in FIGURES.values()))
    return f"This page cannot be a web page. These pages can: {', '.join(names)}."


def page_name(scene: Scene) -> str:
    """Returns the name of the page of a scene that can be a web page."""
    return FIGURES[page_of(scene)][0]


def _look(shown: ShownScene) -> Look:
    """Returns the colours of a scene."""
    looks: dict[str, Look] = {"light": "light", "dark": "dark", "contrast": "contrast"}
    return looks.get(shown.scene.colours.get("scheme", ""), "auto")
