"""What is below and beside tokens: the pre-tokens and the bytes of a text, and why a string is one token or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.models.merges.why_finding import Finding, alone, asked, comparisons, finding
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.scene import Scene
from tokenarium.models.text.cut_job import cut_parts, part_rows
from tokenarium.models.text.piece import (
    byte_numbers,
    character_name,
    code_point_number,
    counted,
    harmless,
    plain,
    readable,
)
from tokenarium.models.text.text_map import TextMap, joined_halves
from tokenarium.notebook.figure import NotebookFigure
from tokenarium.notebook.given import GivenTokenizer, named, shown_ones
from tokenarium.notebook.showing import MOST_SHOWN, tile_of
from tokenarium.notebook.tables import table_figure
from tokenarium.web.page import page
from tokenarium.web.scene_pages import page_of_shown
from tokenarium.web.shown_scene import ShownScene
from tokenarium.web.text_figures import OWN
from tokenarium.web.why_figures import why_figure
from tokenarium_core.html_view import boxes, escaped, figure
from tokenarium_core.pretokenizers.pattern import pattern as pattern_of
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer

HEIGHT, WHY_HEIGHT = 560, 640
"""Pixels of a live figure."""

Row = Mapping[str, Any]


def pretokens(text: str, *tokenizers: GivenTokenizer, pattern: str = "") -> NotebookFigure:
    """Returns how tokenizers split a text before any merge: each part, and the rule that it matched.

    ``pattern``: another one beside them, by its name ("gpt2", "o200k" …) or as a regular expression. Of a longer text, the
    first 1,000 characters are split. The rows are the parts. PatternError if the pattern does not compile.
    """
    shown, opened = TextMap(joined_halves(text[:MOST_SHOWN])), named(tokenizers)
    splitting: dict[str, Any] = dict(opened)
    display: dict[str, Any] = {"patterns": ["tokenizers"]}
    if pattern in PRE_TOKENIZERS:
        splitting[f"Pattern {pattern}"] = pre_tokenizer(pattern)
        display["patterns"] += [pattern]
    elif pattern:
        splitting["Own pattern"] = pattern_of(pattern)
        display |= {"patterns": ["tokenizers", OWN], "own_pattern": pattern}
    rows: list[Row] = [
        {"tokenizer": name, **row}
        for name, by in splitting.items()
        for row in part_rows(cut_parts(by, shown.text), shown)
    ]
    columns: list[TableColumn[Row]] = [
        printed_column("split by", lambda row: row["tokenizer"]),
        printed_column("pre-token", lambda row: readable(_utf8(str(row["text"])))),
        printed_column("rule", lambda row: row["rule"]),
        printed_column("first byte", lambda row: row["start"], COUNT),
        printed_column("byte after", lambda row: row["end"], COUNT),
    ]
    scene = Scene(workspace="pretokens", page="pretokens", display=display)
    return _live(columns, rows, text, "Pre-tokens", ShownScene(scene, shown, shown_ones(opened)))


def bytes_of(text: str, *tokenizers: GivenTokenizer) -> NotebookFigure:
    """Returns the characters of a text with their code points, names and bytes, and the tokens over them.

    Of a longer text, the first 1,000 characters are shown. The rows are the characters; ``tokens`` has the ids by tokenizer.
    """
    shown, opened = TextMap(joined_halves(text[:MOST_SHOWN])), named(tokenizers)
    spans = {name: _spans(one, shown.text) for name, one in opened.items()}
    rows: list[Row] = []
    at = 0
    for character in shown.text:
        end = at + len(_utf8(character))
        tokens = {name: [id for id, first, last in of if first < end and last > at] for name, of in spans.items()}  # fmt: skip
        rows.append(
            {"character": character, "code_point": ord(character), "name": character_name(character),
             "start": at, "bytes": list(_utf8(character)), "tokens": tokens}
        )  # fmt: skip
        at = end
    columns: list[TableColumn[Row]] = [
        printed_column("character", lambda row: readable(_utf8(row["character"]))),
        printed_column("code point", lambda row: code_point_number(row["code_point"])),
        printed_column("name", lambda row: row["name"]),
        printed_column("bytes", lambda row: byte_numbers(_utf8(row["character"]))),
        *(_tokens_column(name) for name in opened),
    ]
    scene = Scene(workspace="bytes", page="bytes")
    return _live(columns, rows, text, "Bytes", ShownScene(scene, shown, shown_ones(opened)))


def _tokens_column(name: str) -> TableColumn[Row]:
    return printed_column(name, lambda row: " ".join(map(str, row["tokens"][name])))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _spans(tokenizer: tc.Tokenizer, text: str) -> list[tuple[int, int, int]]:
    """Returns the tokens of a text: id, first byte, and byte after the last."""
    encoding = tokenizer.encode(text)
    spans = array_of(encoding.spans).reshape(-1, 2).tolist()
    ids = array_of(encoding.ids).tolist()
    return [(id, start, end) for id, (start, end) in zip(ids, spans, strict=True)]


def _live(
    columns: Sequence[TableColumn[Row]], rows: list[Row], text: str, title: str, shown: ShownScene
) -> NotebookFigure:
    """Returns a table whose live form is a page of the window."""
    if len(text) > MOST_SHOWN:
        title = f"{title} of the first {MOST_SHOWN:,} characters"
    made = table_figure(Table(columns, rows, title=title), rows=rows)
    made.page, made.height = page_of_shown(shown, title=title), HEIGHT
    return made


def why(string: str, *tokenizers: GivenTokenizer, text: str = "") -> NotebookFigure:
    """Returns why a string is one token of each tokenizer, or not: its tokens, the verdict, and the reasons.

    ``text``: the text in which it stands, where it occurs first; without one, it is asked about by itself. The rows are the
    answers. ArgumentError for no string, for one that is not in the text, and for one that is too long to be a token.
    """
    string, text = joined_halves(string), joined_halves(text)
    start = text.find(string) if text else 0
    if not string or start < 0:
        raise tc.ArgumentError(
            "The string does not occur in the text: ask about a part of it."
            if string
            else "There is no string to ask about."
        )
    question = alone(string)
    if text:
        first = len(_utf8(text[:start]))
        question = asked(TextMap(text), first, first + len(_utf8(string)))
    opened = named(tokenizers)
    shown = ShownScene(Scene(), TextMap(text or string), shown_ones(opened))
    drawn_page = why_figure(shown, question)  # which refuses a long one
    answers = {name: finding(one, question) for name, one in opened.items()}
    rows, still, drawn = [], "", Text()
    for name, answer in answers.items():
        others = [(other, one) for other, one in answers.items() if other != name]
        reasons = [
            " ".join(filter(None, (fact.label, plain(fact.sentence))))
            for fact in (*answer.facts, *comparisons(answer, others))
        ]
        verdict = answer.error or plain(answer.sentence)
        ids = [symbol.id for word in answer.touched for symbol in word]
        rows.append({"tokenizer": name, "one": answer.is_one, "ids": ids, "verdict": verdict, "reasons": reasons})  # fmt: skip
        listed = "".join(f"<li>{escaped(one)}</li>" for one in reasons)
        content = f"{_boxes(answer)}<div>{escaped(verdict)}</div><ul>{listed}</ul>"
        head = f"{name}: {counted(len(ids), 'token')}"
        still += figure(head, content)
        drawn.append(harmless(f"{head}\n"), "bold")
        drawn.append(
            harmless("\n".join([verdict, *(f"  {one}" for one in reasons)]) + "\n"), "none"
        )
    title = drawn_page.title
    whole = page(title, [drawn_page._replace(title="")])
    return NotebookFigure(figure(title, still), drawn, rows, whole, WHY_HEIGHT)


def _boxes(answer: Finding) -> str:
    """Returns the tokens of the string."""
    run = answer.run
    symbols = [symbol for word in answer.touched for symbol in word]
    return boxes([tile_of(run, *one) for one in enumerate(symbols)]) if run is not None else ""
