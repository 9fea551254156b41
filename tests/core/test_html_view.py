"""What notebooks show of encodings, vocabularies and tokenizers: complete, bounded, and nothing in it is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.html_view import (
    FILLS,
    LONGEST,
    MOST_SPECIAL,
    MOST_TOKENS,
    SAMPLE,
    TokenBox,
    boxes,
    colour_number,
    escaped,
    id_boxes,
    table,
    token_text,
)

LOW = of_pieces([b"lo", b"low", b" low"], "gpt2", special_tokens={"<s>": 260, "<x>": 262})
"""Its id 261 has no entry."""

HOSTILE = (
    "<script>alert(1)</script>",
    "</span></bdi>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "&lt;b&gt;",
    "\u202eabc\u2066",
    "a\0b\x1b[31m",
    "\ud800",
    "\u2028\u2029",
    "e" + "\u0301" * 10_000,
)
"""Texts that are markup, turn the text around, or are none that HTML can have."""


class Seen(HTMLParser):
    """The elements of HTML with their attributes, and its text; an element that is not closed is an error."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(written)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.text += " "
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def words(self) -> list[str]:
        """The words of the text, those of different elements apart."""
        return self.text.split()

    @property
    def boxes(self) -> list[dict[str, str | None]]:
        """The attributes of the boxes."""
        return [
            given for _, given in self.elements if (given.get("style") or "").startswith("display:inline-block")
        ]  # fmt: skip


def test_an_encoding_is_its_tokens_with_their_ids() -> None:
    seen = Seen(LOW.encode("low low<x>")._repr_html_())
    assert seen.words == [
        "5",
        "tokens",
        "low",
        "257",
        "␣low",
        "258",
        "<",
        "60",
        "x",
        "120",
        ">",
        "62",
    ]
    assert [box["title"] for box in seen.boxes][:2] == ["id 257, normal", "id 258, normal"]


def test_neighbours_have_different_grounds_and_an_id_one_hue() -> None:
    seen = Seen(LOW.encode("lowlowlow")._repr_html_())
    grounds = [re.findall("background:(#[0-9A-F]{6})", box["style"] or "") for box in seen.boxes]  # fmt: skip
    hue = colour_number(257, 0)
    assert grounds == [[FILLS[hue]], [FILLS[hue + 8]], [FILLS[hue]]]
    assert {colour_number(id, place) for id in range(4096) for place in (0, 1)} == set(range(16))


def test_a_line_feed_ends_a_line_of_boxes() -> None:
    tags = [tag for tag, _ in Seen(LOW.encode("lo\nlo")._repr_html_()).elements]
    assert tags.count("br") == 1


def test_of_a_long_encoding_the_beginning_is_shown() -> None:
    seen = Seen(LOW.encode("low" * (MOST_TOKENS + 1234))._repr_html_())
    assert len(seen.boxes) == MOST_TOKENS
    assert seen.words[:2] == ["1,490", "tokens"]
    assert seen.words[-4:] == ["…", "and", "1,234", "more"]
    ids = Seen(id_boxes(LOW.vocabulary, [257] * (MOST_TOKENS + 2)))
    assert len(ids.boxes) == MOST_TOKENS
    assert ids.words[-4:] == ["…", "and", "2", "more"]
    whole = Seen(LOW.encode("low" * MOST_TOKENS)._repr_html_())
    assert len(whole.boxes) == MOST_TOKENS
    assert "more" not in whole.words


def test_a_vocabulary_is_its_kinds_and_a_sample() -> None:
    seen = Seen(LOW.vocabulary._repr_html_())
    assert seen.words[:6] == ["263", "entries", "normal", "3", "control", "2"]
    assert len(seen.boxes) == SAMPLE
    shown = [int((box["title"] or "").split(",")[0].removeprefix("id ")) for box in seen.boxes]
    assert shown == [place * 263 // SAMPLE for place in range(SAMPLE)]
    few = Seen(LOWER.vocabulary._repr_html_())
    assert len(few.boxes) == min(SAMPLE, len(LOWER.vocabulary))


def test_a_tokenizer_is_its_stages_and_its_special_tokens() -> None:
    seen = Seen(LOW._repr_html_())
    assert seen.words[:3] == ["small", "Entries", "263"]
    assert {"Pre-tokenizer", "BytePairEncoder"} <= set(seen.words)
    assert seen.words[-4:] == ["<s>", "260", "<x>", "262"]
    special = {f"<{number}>": 300 + number for number in range(MOST_SPECIAL + 3)}
    many = Seen(of_pieces([b"lo"], special_tokens=special)._repr_html_())
    assert len(many.boxes) == MOST_SPECIAL
    assert many.words[-4:] == ["…", "and", "3", "more"]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_text_is_markup(text: str) -> None:
    for written in (
        LOW.encode(text)._repr_html_(),
        boxes([TokenBox(text, text, 3, text)]),
        table([text], [[text]], [False]),
        of_pieces([b"lo"], special_tokens={text: 300})._repr_html_()
        if "\ud800" not in text
        else "",
    ):
        seen = Seen(written)
        assert {tag for tag, _ in seen.elements} <= {
            "div", "span", "strong", "bdi", "small", "table", "thead", "tbody", "tr", "th", "td", "br",
        }  # fmt: skip
        assert all(given.keys() <= {"style", "title"} for _, given in seen.elements)
        assert all(c.isprintable() for c in seen.text)
        written.encode("utf-8")


def test_a_long_token_is_cut() -> None:
    assert token_text(b"a" * 100) == "a" * LONGEST + "…"
    assert token_text(("\u0301" * 10_000).encode()) == "◌" + "\u0301" * LONGEST + "…"


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        (b" low\n", "␣low⏎"),
        (b"\t", "⇥"),
        (b"\xe2\x80", "<0xE2><0x80>"),
        ("\u200d\u202e".encode(), "‹U+200D›‹U+202E›"),
        ("\u0301a".encode(), "◌\u0301a"),
        (b"\0", "‹U+0000›"),
        (b"", ""),
    ],
)
def test_each_character_of_a_token_is_seen(piece: bytes, shown: str) -> None:
    assert token_text(piece) == shown


def test_escaping_keeps_spaces_and_line_feeds() -> None:
    assert escaped("a b\n\tc\r") == "a b\n⇥c‹U+000D›"


def test_ids_that_are_not_there() -> None:
    with pytest.raises(tc.IdError):
        id_boxes(LOW.vocabulary, [99_999])
    assert "∅" in Seen(id_boxes(LOW.vocabulary, [261])).text
