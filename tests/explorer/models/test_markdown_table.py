"""Tables as Markdown, read again by a parser of it."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from tokenarium.models.markdown_table import escaped, markdown_table

CELLS = ["a|b", r"\|", "<|end|>", "`x`", "*a* _b_", "[a](b)", "~~a~~", "# a", "&amp;", "'s|'t| ?\\p{L}+", "", "a $x$"]  # fmt: skip


def test_every_cell_comes_back() -> None:
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = page.parse(markdown_table([["one", "other"], *([cell, "x"] for cell in CELLS)]))
    texts = ["".join(one.content for one in token.children or ()) for token in tokens if token.type == "inline"]  # fmt: skip
    assert texts == ["one", "other", *(text for cell in CELLS for text in (cell, "x"))]
    kinds = {one.type for token in tokens for one in token.children or ()}
    assert kinds <= {"text", "text_special"}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_line_break_stays_in_its_cell(ending: str) -> None:
    table = markdown_table([["head"], [f"a{ending}b"]])
    assert table == "| head |\n| --- |\n| a<br>b |\n"


def test_without_lines_there_is_no_table() -> None:
    assert markdown_table([]) == ""
    assert not re.search(r"[\r\n]", escaped("a\n\rb"))
