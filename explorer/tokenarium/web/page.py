"""A page of HTML in one file: its figures, one style sheet, one script, and nothing from anywhere else.

    >>> html = page("Two tokens", [Figure("<p>one, two</p>")])
    >>> html.count("<style>"), "http" in html
    (1, False)

A figure is complete without its script: `Figure.html` is its still form. The script finds the figures that have data,
and gives each to the function of its kind (``kinds`` in ``resources/web/script.js``).
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal, NamedTuple

from tokenarium.web.html import attributes, escaped, json_block, paragraphs
from tokenarium_core import __version__

Look = Literal["auto", "light", "dark", "contrast"]
"""The colours of a page: those of the reader's system, or given ones. The reader can change them."""

FIRST: Final = ("colours.css", "style.css", "script.js")
"""The files of `resources/web` that come before all others of their kind."""

NEEDED: Final = {
    "steps": ('data-kind="steps"', 'data-kind="training"'),
    "answers": ('class="chart"', 'class="answer"'),
    "lesson": ('data-kind="question"', 'data-kind="compare"', 'class="lesson-kind"'),
}
"""Those that only some pages need: the names of the files without their suffixes, and what is in the HTML of these pages."""

_UNREAD: Final = re.compile(r"|//.*|/\*.*\*/")


class Figure(NamedTuple):
    """A figure of a page.

    ``html`` is complete and readable without a script. ``data`` is what the script plays it from, as JSON, or None;
    ``kind`` says which of its functions does so. ``title`` is a heading above the figure, as text. ``styles`` are rules of
    CSS that only this figure needs: no element has a style of its own.
    """

    html: str
    data: object | None = None
    kind: str = ""
    title: str = ""
    styles: tuple[str, ...] = ()


def page(
    title: str,
    figures: Sequence[Figure],
    *,
    theme: Look = "auto",
    intro: str = "",
    notes: Sequence[str] = (),
) -> str:
    """Returns a whole page. ``intro`` is HTML below the title; ``notes`` are sentences below the figures, as text."""
    body = "".join(map(_section, figures))
    unused = tuple(
        name for name, marks in NEEDED.items() if not any(mark in intro + body for mark in marks)
    )
    style = "\n".join((joined("css", unused), *united(figures).styles))
    script = f'(() => {{"use strict";\n{joined("js", unused)}\nstart();}})();'
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en" data-theme="{theme}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="generator" content="Tokenarium {escaped(__version__)}">\n'
        f"<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<header><h1 dir="auto">{escaped(title)}</h1><span id="tools"></span></header>\n<main>{intro}{body}</main>\n'
        f"<footer>{paragraphs(notes)}<p>Made with Tokenarium {escaped(__version__)}.</p></footer>\n"
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def united(figures: Sequence[Figure]) -> Figure:
    """Returns several figures as one, with the rules of all of them."""
    styles = dict.fromkeys(rule for figure in figures for rule in figure.styles)
    return Figure("".join(map(_section, figures)), styles=tuple(styles))


def _section(figure: Figure) -> str:
    head = f'<h2 dir="auto">{escaped(figure.title)}</h2>' if figure.title else ""
    kind = {"data-kind": figure.kind} if figure.kind else {}
    data = json_block(figure.data) if figure.data is not None else ""
    return f'<section class="figure"{attributes(kind)}>{head}{figure.html}{data}</section>\n'


@cache
def joined(suffix: Literal["css", "js"], unused: tuple[str, ...] = ()) -> str:
    """Returns the style sheet, or the script, of pages: the files of `resources/web` one after the other.

    Those with the names ``unused`` are left out; so are indentation and lines of comments, which only developers read.
    """
    folder = files("tokenarium.resources") / "web"
    left_out = {f"{name}.{suffix}" for name in unused}
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(f".{suffix}"))
    names = [name for name in names if name not in left_out]
    names.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    lines = "\n".join((folder / name).read_text("utf-8") for name in names).splitlines()
    return "\n".join(line for line in map(str.strip, lines) if not _UNREAD.fullmatch(line))


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
