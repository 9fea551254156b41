"""Web pages in a real browser: where tokens are, keys, pointers, colours, print, and what a screen reader gets."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from browser import Browser, needs_browser, violations
from shown_scenes import HOSTILE, shown_scene

from tokenarium.resources.samples_index import load_samples
from tokenarium.style.theme import DARK, HIGH_CONTRAST_LIGHT, LIGHT
from tokenarium.web.scene_pages import page_of_shown

pytestmark = [needs_browser, pytest.mark.slow]

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
    const ink = [...line.querySelectorAll(".ink i")];
    characters &&= !whole.textContent || ink.map(one => one.dataset.t).join("") === whole.textContent;
    for (const row of line.querySelectorAll(".row")) {
      const pieces = [...row.querySelectorAll("i[data-t]")];
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
def test_everyone_can_use_it(opened: Opened, fields: dict[str, Any], look: str) -> None:
    html = page_of_shown(shown_scene(SHORT, **fields), look)  # type: ignore[arg-type]
    assert violations(opened(html)) == []


def test_the_colours_are_those_of_the_system_until_others_are_chosen(opened: Opened) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"

    def rgb(colour: Any) -> str:
        return f"rgb({colour.red()}, {colour.green()}, {colour.blue()})"

    page = opened(page_with(), prefers_color_scheme="dark")
    assert page.value(ground) == rgb(DARK.page)
    page = opened(page_with(), prefers_color_scheme="light")
    assert page.value(ground) == rgb(LIGHT.page)
    page.value(
        "(() => { const one = document.querySelector('#tools select'); one.value = 'contrast';"
        " one.dispatchEvent(new Event('change')); })()"
    )
    assert page.value(ground) == rgb(HIGH_CONTRAST_LIGHT.page)
    fill = (
        "getComputedStyle(document.querySelector('.row:nth-child(2) [class^=s]')).backgroundImage"
    )
    colours = {rgb(colour) for colour in HIGH_CONTRAST_LIGHT.tokens}
    assert any(colour in page.value(fill) for colour in colours)


def test_nothing_is_missing_without_a_script(opened: Opened, one_browser: Browser) -> None:
    one_browser("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page = opened(page_with())
    finally:
        one_browser("Emulation.setScriptExecutionDisabled", value=False)
    assert page.value(
        "[...document.querySelectorAll('.line > p')].map(one => one.textContent).join('|')"
    ) == ("Tokenization of naïve words: 1234567 👩‍🚀||नमस्ते, السلام عليكم|")
    assert page.value("document.querySelectorAll('.card .count').length") == 4
    assert page.value("document.querySelectorAll('details tbody tr').length") > 20
    assert page.value("document.querySelector('.about')") is None


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
    page("Emulation.setEmulatedMedia", media="print")
    assert page.value("getComputedStyle(document.querySelector('.about')).display") == "none"
    exact = "getComputedStyle(document.querySelector('.row i')).printColorAdjust"
    assert page.value(exact) == "exact"
    assert page.pdf().startswith(b"%PDF")


def test_sizes() -> None:
    """A card has less than 60 KB."""
    card = page_of_shown(shown_scene(SHORT, **WHY))
    assert len(card.encode()) < 60_000
