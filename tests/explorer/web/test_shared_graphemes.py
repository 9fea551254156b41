"""Graphemes that several tokens share are painted in the colours of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import browser, needs_browser
from shown_scenes import shown_scene

from tokenarium.resources.samples_index import load_samples
from tokenarium.web.scene_pages import page_of_shown

UNPAINTED = """(() => {
  const pieces = [...document.querySelectorAll(".row i[data-t]")];
  const unpainted = pieces.filter(one => {
    const style = getComputedStyle(one), shared = one.classList.contains("g");
    const fills = style.backgroundImage.split("linear-gradient(").slice(-1)[0];
    return !fills.includes("rgb") || shared && !style.maskImage.includes("url(");
  });
  return [unpainted.length, pieces.length, pieces.filter(one => one.classList.contains("g")).length];
})()"""
"""How many pieces of tokens have no colour, or no teeth where several share a grapheme; all pieces; and those with teeth."""


@needs_browser
@pytest.mark.slow
def test_every_token_has_its_colour(tmp_path: Path) -> None:
    texts = {one.id: one.text() for one in load_samples()}
    with browser(tmp_path) as opened:
        for name in ("prose-hi", "prose-ar", "emoji"):
            page = tmp_path / f"{name}.html"
            page.write_text(page_of_shown(shown_scene(texts[name])), encoding="utf-8")
            opened.open(page)
            unpainted, pieces, shared = opened.value(UNPAINTED)
            assert unpainted == 0, f"{name}: {unpainted} of {pieces} pieces have no colour"
            assert pieces > 50
            assert shared > 5
