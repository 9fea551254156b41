"""Graphemes that several tokens share are painted in the colours of all of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser import Browser
from shown_scenes import shown_scene

from tokenarium.resources.samples_index import load_samples
from tokenarium.web.scene_pages import page_of_shown

UNPAINTED = """(() => {
  const pieces = [...document.querySelectorAll(".row i[data-t]")];
  const unpainted = pieces.filter(one => {
    const style = getComputedStyle(one), shared = one.classList.contains("g");
    const fills = style.backgroundImage.split("linear-gradient(").slice(-1)[0];
    return !/rgb|color/.test(fills) || shared && !style.maskImage.includes("url(");
  });
  return [unpainted.length, pieces.length, pieces.filter(one => one.classList.contains("g")).length];
})()"""
"""How many pieces of tokens have no colour, or no teeth where several share a grapheme; all pieces; and those with teeth."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prose-hi", "prose-ar", "emoji"])
def test_every_token_has_its_colour(opened: Callable[..., Browser], name: str) -> None:
    (text,) = (one.text() for one in load_samples() if one.id == name)
    unpainted, pieces, shared = opened(page_of_shown(shown_scene(text))).value(UNPAINTED)
    assert unpainted == 0, f"{unpainted} of {pieces} pieces have no colour"
    assert pieces > 50
    assert shared > 5
