"""The colours of web pages are those of the app's themes."""

from __future__ import annotations

import generate_web_colours
from tokenarium.style.theme import DARK, HIGH_CONTRAST_DARK, LIGHT


def test_the_committed_style_sheet_is_current() -> None:
    """If not: ``.venv/bin/python packaging/generate_web_colours.py``."""
    written = generate_web_colours.FILE.read_text("utf-8")
    assert written == generate_web_colours.style_sheet()


def test_it_has_every_colour_of_a_theme() -> None:
    written = generate_web_colours.variables(DARK)
    for colour in (*DARK.tokens, *DARK.fills.rules, DARK.ink, DARK.accent, DARK.bad_ground):
        assert colour.name() in written
    assert [one.mid.name() in written for one in DARK.identities] == [True] * 12
    shorter = generate_web_colours.variables(HIGH_CONTRAST_DARK, DARK)
    assert "--frame:2px" in shorter
    assert "--accent:" not in shorter  # that of the dark theme, which holds there too
    assert generate_web_colours.variables(LIGHT).startswith("color-scheme:light;")
