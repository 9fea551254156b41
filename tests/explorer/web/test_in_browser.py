"""Web pages in a real browser: where tokens are, keys, pointers, colours, print, and what a screen reader gets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browser import Browser, violations
from PySide6.QtGui import QImage
from shown_scenes import HOSTILE, shown_scene

from tokenarium.resources.samples_index import load_samples
from tokenarium.style.theme import DARK, HIGH_CONTRAST, LIGHT
from tokenarium.web.page import Look
from tokenarium.web.scene_pages import page_of_shown

pytestmark = pytest.mark.slow

Opened = Callable[..., Browser]

SHORT = "Tokenization of naïve words: 1234567 👩‍🚀\n\nनमस्ते, السلام عليكم\n"
SAMPLES = ("prose-en", "prose-ar", "prose-hi", "prose-ja", "emoji")

PLACES = """(() => {
  const ends = one => {
    const boxes = [...one.getClientRects()].filter(box => box.width);
    return [Math.min(...boxes.map(box => box.left)), Math.max(...boxes.map(box => box.right)), boxes.length];
  };
  let worst = 0, runs = 0, characters = true;
  for (const line of document.querySelectorAll(".line")) {
    const whole = line.querySelector("p");
    const ink = [...line.querySelectorAll(".ink u")];
    characters &&= !whole.textContent || ink.map(one => one.dataset.t).join("") === whole.textContent;
    for (const row of line.querySelectorAll(".row")) {
      const pieces = [...row.querySelectorAll("[data-t]")];
      characters &&= pieces.map(one => one.dataset.t).join("\\n") === ink.map(one => one.dataset.t).join("\\n");
      pieces.forEach((piece, at) => {
        const [of, is] = [ends(ink[at]), ends(piece)];
        if (!of[2] && !is[2]) return;
        runs++;
        worst = Math.max(worst, Math.abs(of[0] - is[0]), Math.abs(of[1] - is[1]), 9 * Math.abs(of[2] - is[2]));
      });
    }
  }
  return [worst, runs, characters];
})()"""
"""How far the pieces of all layers are from their characters in ink, in pixels; how many pieces there are; and whether the
characters are those of the text.
"""


@cache
def page_with(text: str = SHORT, **fields: Any) -> str:
    return page_of_shown(shown_scene(text, **fields))


def sample(id: str) -> str:
    return next(one for one in load_samples() if one.id == id).text()


@pytest.mark.parametrize("id", SAMPLES)
@pytest.mark.parametrize("width", [1280, 390])
def test_a_token_is_where_its_characters_are(opened: Opened, id: str, width: int) -> None:
    page = opened(page_of_shown(shown_scene(sample(id), workspace="tokens")), width)
    worst, runs, characters = page.value(PLACES)
    assert runs > 500
    assert characters
    assert worst < 0.1, f"{worst} pixels from its characters"
    assert page.value("document.documentElement.scrollWidth") <= width


def about(page: Browser) -> str:
    return str(page.value("document.querySelector('.about output').textContent"))


def test_keys_go_from_token_to_token(opened: Opened) -> None:
    page = opened(page_with())
    page.value("document.querySelector('.lines').focus()")
    page.press("ArrowRight")
    assert about(page).startswith("Token · id ")
    assert " · token 1 of " in about(page)
    page.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert " · token 2 of " in about(page)
    count = page.value("document.querySelector('.card .count b').textContent")
    page.press("End")
    assert f" · token {count} of {count} · " in about(page)
    page.press("Home")
    assert " · token 1 of " in about(page)
    marked = (
        "[...document.querySelectorAll('.row:nth-child(2) .on')].map(one => one.dataset.t).join('')"
    )
    assert page.value(marked) == "Token"


def test_digits_and_cards_put_another_tokenizer_in_front(opened: Opened) -> None:
    page = opened(page_with())
    page.value("document.querySelector('.lines').focus()")
    page.press("ArrowRight", "3")
    checked = "document.querySelector('.card[aria-checked=true]').textContent"
    assert "Unigram 8k" in page.value(checked)
    front = "document.querySelector('.line .row:nth-child(2)').className"
    assert page.value(front) == "row i8"
    assert "In its place: Tokenarium 8k: " in about(page)
    page.value("document.querySelector('.card[aria-checked=true]').focus()")
    page.press("ArrowRight")
    assert "WordPiece 8k" in page.value(checked)
    assert page.value("document.activeElement.getAttribute('aria-checked')") == "true"


def test_right_is_the_next_place_on_the_screen(opened: Opened) -> None:
    page = opened(page_with("السلام عليكم"))
    page.value("document.querySelector('.lines').focus()")
    page.press("End", "ArrowLeft", "ArrowRight")
    place = "document.querySelector('.row:nth-child(2) .on').getBoundingClientRect().left"
    before = page.value(place)
    page.press("ArrowRight")
    assert page.value(place) > before


def test_a_click_chooses_the_token_under_it(opened: Opened) -> None:
    page = opened(page_with())
    piece = "document.querySelectorAll('.line .row:nth-child(2) i')[6]"
    box = page.value(
        f"(() => {{ const one = {piece}.getBoundingClientRect(); return [one.x + one.width / 2, one.y + 10]; }})()"
    )
    page.click(*box)
    assert page.value(f"{piece}.classList.contains('on')")
    shown = page.value("document.querySelector('.about bdi').textContent")
    assert page.value(f"{piece}.dataset.t").strip() in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_do_nothing(opened: Opened, text: str) -> None:
    """The fixture fails at any error of the browser, such as a violation of the policy."""
    for workspace, page_id in (("tokens", "tokens"), ("pretokens", ""), ("bytes", "bytes")):
        html = page_of_shown(shown_scene(text, workspace=workspace, page=page_id), title=text)
        page = opened(html)
        assert (
            page.value("document.querySelectorAll('img, .figure script:not([type])').length") == 0
        )
        assert page.value("document.querySelectorAll('footer').length") == 1
        assert page.value("document.querySelectorAll('main > .figure').length") == 1


WHY = {"workspace": "merges", "page": "why", "pages": {"merges.why": {"asked": "Tokenization"}}}


@pytest.mark.parametrize("look", ["light", "dark", "contrast"])
@pytest.mark.parametrize(
    "fields",
    [
        {"workspace": "tokens", "selection": (0, 8)},
        {"workspace": "pretokens", "display": {"patterns": ["gpt2", "tokenizers"]}},
        {"workspace": "bytes"},
        WHY,
    ],
    ids=["tokens", "pretokens", "bytes", "why"],
)
def test_everyone_can_use_it(opened: Opened, fields: dict[str, Any], look: Look) -> None:
    html = page_of_shown(shown_scene(SHORT, **fields), look)
    assert violations(opened(html)) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("contrast", ["no-preference", "more"])
@pytest.mark.parametrize("look", ["auto", "light", "dark", "contrast"])
def test_the_colours_are_those_of_a_theme(
    opened: Opened, look: Look, contrast: str, scheme: str
) -> None:
    """Those of the system, or those that are chosen; more contrast wherever the system or the reader asks for it."""
    dark = scheme == "dark" if look in ("auto", "contrast") else look == "dark"
    more = contrast == "more" or look == "contrast"
    theme = HIGH_CONTRAST[dark] if more else DARK if dark else LIGHT
    html = page_of_shown(shown_scene(SHORT), "auto" if look == "contrast" else look)
    page = opened(html, prefers_color_scheme=scheme, prefers_contrast=contrast)
    if look == "contrast":
        page.value(
            "(() => { const one = document.querySelector('#tools select'); one.value = 'contrast';"
            " one.dispatchEvent(new Event('change')); })()"
        )
    root = "getComputedStyle(document.documentElement)"
    expected = {
        "page": theme.page,
        "surface": theme.surface,
        "ink": theme.ink,
        "strong": theme.strong,
        "accent": theme.accent,
        "token-ink": theme.fills.ink,
        "t0": theme.tokens[0],
        "t15": theme.tokens[15],
        "u3": theme.fills.rules[3],
        "soft2": theme.identities[2].soft,
    }
    for name, colour in expected.items():
        assert page.value(f"{root}.getPropertyValue('--{name}')") == colour.name(), name
    assert page.value(f"{root}.colorScheme") == ("dark" if dark else "light")
    fill = (
        "getComputedStyle(document.querySelector('.row:nth-child(2) [class^=s]')).backgroundImage"
    )
    found = page.value(fill)
    assert any(f"rgb({one.red()}, {one.green()}, {one.blue()})" in found for one in theme.tokens)


def test_forced_colours_leave_tokens_as_they_are(opened: Opened, tmp_path: Path) -> None:
    """A browser would paint a plate behind each text, over the layers."""
    page = opened(page_with(), forced_colors="active", prefers_color_scheme="dark")
    page.picture(tmp_path / "seen.png")
    seen = QImage(str(tmp_path / "seen.png"))
    soft = {one.soft.rgb() for one in DARK.identities} | {one.mid.rgb() for one in DARK.identities}
    strips = page.value(
        "[...document.querySelectorAll('.line:first-child .row:nth-child(n+3) [class^=s]')].map(one => {"
        " const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2, box.width]; })"
    )
    wide = [(x, y) for x, y, width in strips if width > 6]
    assert len(wide) > 20
    assert all(seen.pixel(round(x), round(y)) in soft for x, y in wide)


def test_nothing_is_missing_without_a_script(opened: Opened, one_browser: Browser) -> None:
    one_browser.run_scripts(False)
    try:
        page = opened(page_with())
    finally:
        one_browser.run_scripts(True)
    assert page.value(
        "[...document.querySelectorAll('.line > p')].map(one => one.textContent).join('|')"
    ) == ("Tokenization of naïve words: 1234567 👩‍🚀||नमस्ते, السلام عليكم|")
    assert page.value("document.querySelectorAll('.card .count').length") == 4
    assert page.value("document.querySelectorAll('details tbody tr').length") > 20
    assert page.value("document.querySelector('.about')") is None


def test_the_selection_is_marked_in_every_row(opened: Opened) -> None:
    page = opened(page_with(selection=(13, 21)))
    marked = (
        "[...document.querySelectorAll('.line:first-child .row')].map(row =>"
        " [...row.querySelectorAll('.b')].map(one => one.dataset.t).join(''))"
    )
    assert page.value(marked) == ["of naïv"] * 4
    shadow = "getComputedStyle(document.querySelector('.row:nth-child(2) .b')).boxShadow"
    assert page.value(shadow) != "none"


def test_the_answers_of_a_card_are_tabs(opened: Opened) -> None:
    page = opened(page_of_shown(shown_scene(SHORT, **WHY)))
    seen = "[...document.querySelectorAll('[role=tabpanel]')].filter(one => !one.hidden).map(one => one.textContent)"
    (first,) = page.value(seen)
    page.value("document.querySelector('[role=tab]').focus()")
    page.press("ArrowRight")
    (second,) = page.value(seen)
    assert first != second
    assert page.value("document.activeElement.textContent").startswith("BPE 8k")


def test_it_is_printed_with_its_colours(opened: Opened) -> None:
    page = opened(page_with())
    page.show_as_printed()
    assert page.value("getComputedStyle(document.querySelector('.about')).display") == "none"
    exact = "getComputedStyle(document.querySelector('.row i')).printColorAdjust"
    assert page.value(exact) == "exact"
    assert page.pdf().startswith(b"%PDF")


def test_sizes() -> None:
    """A card has less than 60 KB."""
    card = page_of_shown(shown_scene(SHORT, **WHY))
    assert len(card.encode()) < 60_000


JOINED = """[...document.querySelectorAll(".line .row:nth-child(n+3) i")].flatMap(one => {
  const box = one.getBoundingClientRect(), y = box.y + box.height / 2;
  return box.width > 4 ? ["l", "r"].map(side => [one.classList.contains(side), side === "l" ? box.left : box.right, y]) : [];
})"""
"""The sides of the elements in the strips, on which nothing is written: whether the token goes on there, and where it is."""


@pytest.mark.parametrize("text", ["words: 1234567 internationalization", "السلام عليكم في المكتبة"])
def test_gaps_are_between_tokens_and_not_inside(opened: Opened, tmp_path: Path, text: str) -> None:
    """Where another tokenizer splits, a token consists of several elements."""
    page = opened(page_of_shown(shown_scene(text)))
    page.picture(tmp_path / "seen.png")
    seen = QImage(str(tmp_path / "seen.png"))
    joined, apart = [], []
    for goes_on, x, y in page.value(JOINED):
        near = [seen.pixel(round(x) + side, round(y)) for side in (-1, 0)]
        (joined if goes_on else apart).append(LIGHT.surface.rgb() in near)
    assert len(joined) > 12
    assert len(apart) > 12
    assert not any(joined)
    assert sum(apart) > 0.9 * len(apart)  # a gap is narrower than two pixels


def test_characters_that_tokens_share_are_painted(opened: Opened) -> None:
    page = opened(page_with())
    painted = "[...document.querySelectorAll('.row .g')].map(one => getComputedStyle(one).backgroundImage)"
    found = page.value(painted)
    assert len(found) > 8
    assert all(one.count("linear-gradient") == 2 for one in found)
