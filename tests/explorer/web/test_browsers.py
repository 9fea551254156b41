"""The browsers of the tests: they notice what is wrong with a page, and show the same page alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, BrowserName, needs
from shown_scenes import shown_scene

from tokenarium.web.scene_pages import page_of_shown

pytestmark = pytest.mark.slow

POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'\">"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<script>throw new Error('thrown here')</script>", "thrown here"),
        (f"{POLICY}<img src='data:image/png;base64,AAAA'>", "img-src"),
        (f"{POLICY}<p style='color: red'>", "style-src"),
        ("<img src='http://127.0.0.1:64999/a.png'>", "asks for http://127.0.0.1:64999/a.png"),
    ],
    ids=["exception", "picture", "style", "request"],
)
def test_what_is_wrong_is_noticed(
    one_browser: Browser, tmp_path: Path, html: str, said: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<!DOCTYPE html><title>T</title>{html}")
    one_browser.errors.clear()
    one_browser.open(path)
    assert any(said in error for error in one_browser.errors), one_browser.errors
    one_browser.errors.clear()
    path.write_text("<!DOCTYPE html><title>T</title><script>1</script>")
    one_browser.open(path)
    assert one_browser.errors == []


BOXES = """[...document.querySelectorAll("h1, .figure, .card, .line > p, .ink u, .row i, .mark, .row em, button, .said, svg, .tile, .cell, .token, text")]
  .filter(one => one.checkVisibility() && !one.closest(".off")).map(one => {
    const box = one.getBoundingClientRect();
    return [`${one.localName} ${one.getAttribute("class")} ${one.textContent.slice(0, 20)}`, box.left, box.top, box.right, box.bottom];
  })"""
"""What is seen, and where, in pixels."""

STEPS = {"workspace": "merges", "page": "steps", "selection": (0, 12)}
SHOWN: dict[str, dict[str, Any]] = {
    "tokens": {"workspace": "tokens"},
    "pre-tokens": {"workspace": "pretokens", "display": {"patterns": ["gpt2", "tokenizers"]}},
    "bytes": {"workspace": "bytes"},
    "why": {"workspace": "merges", "page": "why", "pages": {"merges.why": {"asked": "nation"}}},
    "merges": {**STEPS, "pages": {"merges.steps": {"step": 3}}},
    "lattice": {**STEPS, "front": "shipped:unigram-8k"},
    "windows": {**STEPS, "front": "shipped:wordpiece-8k"},
}


@cache
def html_of(page: str) -> str:
    text = "Tokenization of naïve words\nनमस्ते, السلام عليكم 日本 👩‍🚀"
    return page_of_shown(shown_scene(text, **SHOWN[page]))


@needs("chromium")
@needs("firefox")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("page", SHOWN)
def test_browsers_show_a_page_alike(
    running: Callable[[BrowserName], Browser], tmp_path: Path, page: str, width: int
) -> None:
    path = tmp_path / "page.html"
    path.write_text(html_of(page), encoding="utf-8")
    boxes = []
    for name in ("chromium", "firefox"):
        running(name).open(path, width)
        boxes.append(running(name).value(BOXES))
    assert [one[0] for one in boxes[0]] == [one[0] for one in boxes[1]]
    apart = [
        (one, other)
        for one, other in zip(*boxes, strict=True)
        if max(abs(a - b) for a, b in zip(one[1:], other[1:], strict=True)) > 4
    ]
    assert apart == []
