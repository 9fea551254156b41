"""Pages that compare tokenizers: the counts, the links between them, and the menus, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from browser import Browser, violations
from shown_scenes import unruled

import live_pages
from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.resources.samples_index import load_samples
from tokenarium.web.compare_pages import INDEX, MOST_BYTES, ComparedText, compare_pages
from tokenarium.web.shown_beginning import beginning
from tokenarium.web.shown_scene import ShownTokenizer

TEXTS = (
    ComparedText("one", "First", "One <b>", "Short & plain", "Hello, world"),
    ComparedText("two", "Second", "Two", "Unknown to some", "ᚠᚢᚦ hello 🤷🏽"),
    ComparedText("three", "Second", "Three", "Long", "token " * 400),
)


@cache
def shipped() -> list[ShownTokenizer]:
    return live_pages.shipped()


@cache
def pages() -> Mapping[str, str]:
    return compare_pages(TEXTS, shipped())


def test_the_table_has_the_counts_of_all_texts() -> None:
    index = pages()[INDEX]
    assert set(pages()) == {INDEX, "compare-one.html", "compare-two.html", "compare-three.html"}
    for one in TEXTS:
        (row,) = re.findall(rf'<tr><td><a href="{one.file}">.*?</tr>', index)
        cells = [
            re.sub(r"<.*?>.*", "", re.sub("^<b>", "", cell))
            for cell in re.findall("<td>(.*?)</td>", row)
        ][1:]
        counts = [len(shown.tokenizer.encode_ids(one.text)) for shown in shipped()]
        assert [int(cell.replace(",", "")) for cell in [*cells]] == [
            len(one.text.encode()),
            *counts,
        ]


def test_graphemes_of_several_tokens_have_their_colours() -> None:
    assert 'class="g g' in pages()["compare-two.html"]
    assert [unruled(html) for html in pages().values()] == [set()] * len(pages())


def test_the_fewest_tokens_are_not_those_of_who_loses_a_part() -> None:
    index = pages()[INDEX]
    (row,) = re.findall(r'<tr><td><a href="compare-two.html">.*?</tr>', index)
    lossy = [shown.name for shown in shipped()].index("WordPiece 8k")
    cells = re.findall("<td>(.*?)</td>", row)[2:]
    assert "loses" in cells[lossy]
    assert not any("loses" in cell for cell in cells if cell.startswith("<b>"))
    assert any(cell.startswith("<b>") for cell in cells)


def test_a_long_text_is_shown_up_to_a_grapheme() -> None:
    text = "🤷🏽" * 300
    shown = beginning(text, MOST_BYTES)
    assert MOST_BYTES - 8 < len(shown.encode()) <= MOST_BYTES
    assert len(shown) in set(grapheme_ends(text))
    assert "These are its first 1,500 bytes." in pages()["compare-three.html"]
    assert "These are its first" not in pages()["compare-one.html"]


@pytest.mark.slow
def test_texts_and_tokenizers_are_chosen(one_browser: Browser, tmp_path: Path) -> None:
    for name, html in pages().items():
        (tmp_path / name).write_text(html, encoding="utf-8")
    opened = one_browser
    opened.errors.clear()
    opened.open(tmp_path / "compare-one.html")
    cards = "[...document.querySelectorAll('.card .name b')].map(one => one.textContent)"
    names = [shown.name for shown in shipped()]
    assert opened.value(cards) == names
    for place in (0, 2):
        opened.value(f"document.querySelectorAll('fieldset input')[{place}].focus()")
        opened.press(" ")
    chosen = [name for name in names if name not in (names[0], names[2])]
    assert opened.value(cards) == chosen
    assert opened.value("document.querySelectorAll('.line .row').length") == len(chosen)
    opened.value("document.querySelector('.lines').focus()")
    opened.press("ArrowRight")
    said = opened.value("document.querySelector('.about output').textContent")
    token = shipped()[1].tokenizer.encode_ids("Hello, world")[0]
    assert f"id {token} " in said
    assert f"{names[3]}: " in said
    assert f"{names[0]}: " not in said
    assert violations(opened) == []
    opened.follow(
        "const menu = document.querySelector('.choose-rows select');"
        " menu.value = 'compare-two.html'; menu.dispatchEvent(new Event('change'));"
    )
    assert opened.value("document.querySelector('h1').textContent") == "Two"
    opened.open(tmp_path / INDEX, 390)
    assert violations(opened) == []
    lines = "[...document.querySelectorAll('th')].map(one => [one.textContent, one.clientHeight])"
    heads = dict(opened.value(lines))
    assert heads["Bytes"] == heads["Text"]  # a narrow table scrolls, and breaks no word
    assert opened.value("document.querySelector('.wide').scrollWidth") > 390
    assert opened.errors == []


@pytest.mark.slow
def test_all_samples_are_compared_in_the_documentation() -> None:
    made = live_pages.text_pages(shipped())
    assert set(made) == {INDEX, *(f"compare-{sample.id}.html" for sample in load_samples())}
    assert max(map(len, made.values())) < 600_000
