"""Tokens and tables as HTML for notebooks: no script and no style sheet, only what JupyterLab's sanitizer leaves in.

Each token has its own ground and ink, so that it is read on a light page and on a dark one. Where a page removes styles,
the text and the id of each token are left, one after the other.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.encoding import Encoding
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import CONTINUING, KINDS, WORD_END, Vocabulary

MOST_TOKENS: Final = 256
"""The tokens of an encoding that are shown; the others are counted."""

SAMPLE: Final = 48
"""The entries of a vocabulary that are shown, at equal distances."""

MOST_SPECIAL: Final = 24
"""The special tokens of a tokenizer that are shown."""

LONGEST: Final = 60
"""The characters of a token that are shown."""

HUES: Final = 8

INK: Final = "#16181D"
FILLS: Final = [
    "#FEC7CD",
    "#FFCAAB",
    "#E9D494",
    "#ACE2B3",
    "#8CE4E0",
    "#B3D9FE",
    "#D1D1FF",
    "#FDC4EF",
    "#F396A2",
    "#EC9E6F",
    "#CAAE57",
    "#79C084",
    "#3EC2BE",
    "#74B6F3",
    "#ABA8F7",
    "#E199D1",
]
"""The grounds of tokens by colour number: a hue 0…7, and 8 more in an odd place of the text."""

RULES: Final = [
    "#9D3349",
    "#904400",
    "#6C5703",
    "#016826",
    "#006462",
    "#025C9A",
    "#574CA7",
    "#8C397D",
]
"""The line at the foot of a token, by hue."""

NO_FILL: Final = "#EFEEE9"
NO_RULE: Final = "#8B8D94"

_SIGNS: Final = {" ": "␣", "\n": "⏎", "\t": "⇥"}

# Written short, as a cell may show a thousand tokens.
_BOX: Final = "display:inline-block;margin:1px;padding:1px 3px;text-align:center;vertical-align:top"
CELL: Final = "padding: 2px 8px; vertical-align: top; text-align: "
"""The style of a cell, without its side."""

TABLE: Final = "border-collapse: collapse; margin: 4px 0"
"""The style of a table."""


@final
class TokenBox:
    """A token to be shown: its text, what stands under it, its colour number (-1 for none) and what a pointer shows.

    ``ends_line``: the next token begins a line.
    """

    def __init__(
        self, text: str, under: str, colour: int, tip: str = "", ends_line: bool = False
    ) -> None:
        self.text = text
        self.under = under
        self.colour = colour
        self.tip = tip
        self.ends_line = ends_line


def escaped(text: str) -> str:
    """Returns a text in which no character is markup, and each is one that HTML can have.

    >>> escaped("<b>&\\0\\ud800")
    '&lt;b&gt;&amp;‹U+0000›‹U+D800›'
    """
    if not text.isprintable():
        text = "".join([c if c == "\n" or c.isprintable() else _seen(c) for c in text])
    return html.escape(text)


def token_text(piece: bytes) -> str:
    """Returns the bytes of a token as text in which each character is seen; a byte of no whole character is <0xE2>.

    >>> token_text(b" low\\n"), token_text(b"\\xe2\\x80"), token_text("\\u200b".encode())
    ('␣low⏎', '<0xE2><0x80>', '‹U+200B›')
    """
    text = piece.decode("utf-8", "surrogateescape")
    shown = "".join([_seen(c) for c in text[:LONGEST]])
    if unicodedata.category(text[:1] or " ").startswith("M"):
        shown = "◌" + shown  # it would combine with what stands before
    return shown + "…" if len(text) > LONGEST else shown


def _seen(character: str) -> str:
    if character in _SIGNS:
        return _SIGNS[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        return f"<0x{code - 0xDC00:02X}>"
    return f"‹U+{code:04X}›"


def colour_number(token: i64, place: i64) -> i64:
    """Returns the colour number of an id: the same hue everywhere, and another shade in odd places."""
    number: i64 = max(token, 0)
    hue = ((number * 2654435761) & 0xFFFFFFFF) >> 13 & 7
    return hue + HUES if place % 2 == 1 else hue


def boxes(tokens: list[TokenBox]) -> str:
    """Returns tokens as boxes, one after the other, with what stands under each."""
    parts: list[str] = []
    for token in tokens:
        fill = FILLS[token.colour] if token.colour >= 0 else NO_FILL
        rule = RULES[token.colour % HUES] if token.colour >= 0 else NO_RULE
        tip = f' title="{escaped(token.tip)}"' if token.tip else ""
        under = (
            f' <small style="display:block">{escaped(token.under)}</small>' if token.under else ""
        )
        parts.append(
            f'<span style="{_BOX};background:{fill};border-bottom:2px solid {rule}"{tip}>'
            f"<bdi>{escaped(token.text)}</bdi>{under}</span>"
        )
        if token.ends_line:
            parts.append("<br>")
    return f'<span style="color:{INK};line-height:1.3">{" ".join(parts)}</span>' if parts else ""


def table(heads: list[str], rows: list[list[str]], numbers: list[bool]) -> str:
    """Returns a table of texts; the columns of ``numbers`` are aligned right. Without heads, it begins with its rows."""
    sides = ["right" if number else "left" for number in numbers]
    head = "".join(
        [
            f'<th style="{CELL}{side}">{_lines(text)}</th>'
            for text, side in zip(heads, sides, strict=False)
        ]
    )
    body = "".join(
        [
            "<tr>"
            + "".join(
                [
                    f'<td style="{CELL}{side}">{_lines(text)}</td>'
                    for text, side in zip(row, sides, strict=False)
                ]
            )
            + "</tr>"
            for row in rows
        ]
    )
    top = f"<thead><tr>{head}</tr></thead>" if heads else ""
    return f'<table style="{TABLE}">{top}<tbody>{body}</tbody></table>'


def _lines(text: str) -> str:
    """Returns the text of a cell, which may have several lines."""
    return f"<bdi>{escaped(text)}</bdi>".replace("\n", "<br>")


def id_boxes(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    """Returns the first of some ids as boxes, and how many more there are; IdError for one that there is not."""
    shown: list[TokenBox] = []
    for place in range(min(len(ids), MOST_TOKENS)):
        box = _box_of(vocabulary, ids[place], place)
        box.ends_line = b"\n" in vocabulary.piece(ids[place])
        shown.append(box)
    return boxes(shown) + _more(len(ids) - MOST_TOKENS)


def figure(title: str, content: str) -> str:
    """Returns HTML with a title, if there is one, as one block."""
    head = f"<div><strong>{escaped(title)}</strong></div>" if title else ""
    return f"<div>{head}{content}</div>"


def encoding_html(encoding: Encoding) -> str:
    """Returns the first tokens of an encoding as boxes with their ids, and how many more there are."""
    count: i64 = len(encoding.ids)
    first = [i64(token) for token in encoding.ids[:MOST_TOKENS]]
    shown = id_boxes(encoding.vocabulary, first) + _more(count - MOST_TOKENS)
    return figure(_counted(count, "token", "tokens"), shown)


def vocabulary_html(vocabulary: Vocabulary) -> str:
    """Returns how many entries of each kind there are, and some of them."""
    count: i64 = len(vocabulary)
    kinds = [0] * len(KINDS)
    for token in range(count):
        kinds[i64(vocabulary.kinds[token])] += 1
    rows = [[name, f"{number:,}"] for name, number in zip(KINDS, kinds, strict=True) if number]
    sample: list[TokenBox] = []
    shown: i64 = min(count, SAMPLE)
    for place in range(shown):
        id: i64 = place * count // shown
        sample.append(_box_of(vocabulary, id, place))
    said = table([], rows, [False, True]) if len(rows) > 1 else ""
    return figure(_counted(count, "entry", "entries"), said + boxes(sample))


def tokenizer_html(tokenizer: Tokenizer) -> str:
    """Returns the stages of a tokenizer, the size of its vocabulary, and its special tokens."""
    source = tokenizer.source
    files = ", ".join([file.name for file in source.files[:4]])
    normalizer = tokenizer.normalizer
    cuts = tokenizer.splitter
    rows = [
        ["Entries", f"{len(tokenizer.vocabulary):,}"],
        ["Normalizer", "none" if normalizer is None else normalizer.name],
        ["Pre-tokenizer", tokenizer.pre_tokenizer.name if cuts is None else cuts.name],
        ["Model", type(tokenizer.model).__name__],
        ["Format", f"{source.format} ({files})" if files else source.format],
    ]
    special = sorted(tokenizer.special_tokens.items(), key=_id_of)
    shown = [
        TokenBox(token_text(text.encode("utf-8", "surrogatepass")), str(token), -1)
        for text, token in special[:MOST_SPECIAL]
    ]
    said = table([], [row for row in rows if row[1]], [False, False])
    if shown:
        said += boxes(shown) + _more(len(special) - MOST_SPECIAL)
    return figure(tokenizer.name, said)


def _id_of(item: tuple[str, int]) -> int:
    return item[1]


def _box_of(vocabulary: Vocabulary, token: i64, place: i64) -> TokenBox:
    piece = vocabulary.piece(token)
    kind: i64 = i64(vocabulary.kinds[token])
    text = token_text(piece)
    if kind == CONTINUING:
        text = vocabulary.affix + text
    elif kind == WORD_END:
        text += vocabulary.affix
    tip = f"id {token}, {vocabulary.kind(token)}"
    colour = colour_number(token, place)
    return TokenBox(text or "∅", str(token), colour, tip)


def _more(count: i64) -> str:
    return f" <span>… and {count:,} more</span>" if count > 0 else ""


def _counted(count: i64, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
