"""The card "Why not one token?": a string, its tokens, the verdict and the reasons, with a tab for each tokenizer."""

from __future__ import annotations

from typing import Final

from tokenarium.models.merges.playback import NO_PIECE
from tokenarium.models.merges.why_finding import (
    LONGEST,
    Finding,
    Question,
    alone,
    asked,
    comparisons,
    finding,
    longest_entry,
)
from tokenarium.models.text.piece import as_read, counted, readable
from tokenarium.web.html import bdi, escaped
from tokenarium.web.page import Figure
from tokenarium.web.shapes import marker_svg
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer
from tokenarium.web.tiles import sentence, tile
from tokenarium_core import TokenariumError

MOST_TILES: Final = 80
"""Tokens that are shown, at most; the line below the string gives the number of all."""

BEFORE: Final = 4
AFTER: Final = 4
"""Prefixes that are shown before the longest entry, and after it."""


def why_card_figures(shown: ShownScene) -> list[Figure]:
    """Returns the card about the selected part of the text."""
    return [why_figure(shown, _selected(shown))]


def why_figures(shown: ShownScene) -> list[Figure]:
    """Returns the answer about the string that the page Why asks about: one by itself, or the selected part."""
    text = shown.kept("asked", "merges.why")
    question = alone(text) if isinstance(text, str) and text else _selected(shown)
    return [why_figure(shown, question, str(shown.kept("tab", "merges.why") or ""))]


def _selected(shown: ShownScene) -> Question:
    if shown.selection is None:
        raise TokenariumError("Nothing is selected, so there is no string to ask about.")
    return asked(shown.text, *shown.text.characters(*shown.selection))


def why_figure(shown: ShownScene, question: Question, tab: str = "") -> Figure:
    """Returns the answers of all tokenizers to a question; TokenariumError if the string is too long for one."""
    if question.end - question.start > LONGEST:
        raise TokenariumError(
            f"Only strings of up to {LONGEST} bytes can be one token: select less."
        )
    special = "all" if shown.scene.display.get("special") == "all" else "none"
    answers = [finding(one.tokenizer, question, special) for one in shown.tokenizers]
    keys = [one.key for one in shown.tokenizers]
    first = keys.index(tab) if tab in keys else shown.front
    order = sorted(range(len(answers)), key=lambda at: at != first)
    panels = []
    for at in order:
        others = [
            (shown.tokenizers[other].name, answers[other])
            for other in range(len(answers))
            if other != at
        ]
        panels.append(_panel(shown.tokenizers[at], answers[at], others))
    one = bool(answers) and answers[first].is_one
    title = "Why is it one token?" if one else "Why not one token?"
    return Figure(f'<div class="panels">{"".join(panels)}</div>', {}, "tabs", title)


def _panel(who: ShownTokenizer, answer: Finding, others: list[tuple[str, Finding]]) -> str:
    """Returns the answer of one tokenizer."""
    count = sum(len(word) for word in answer.touched)
    tokens = escaped(counted(count, "token")) if answer.touched else ""
    head = f'<h2>{marker_svg(who.identity)}<span class="tab">{escaped(who.name)}</span> <small>{tokens}</small></h2>'
    if answer.error:
        return f"<div>{head}<p>{escaped(answer.error)}</p></div>"
    good = " good" if answer.is_one else ""
    facts = [*answer.facts, *comparisons(answer, others)]
    reasons = "".join(
        f"<li>{f'<b>{escaped(fact.label)}</b> ' if fact.label else ''}{sentence(fact.sentence)}</li>"
        for fact in facts
    )
    return (
        f"<div>{head}{_word(answer, count)}"
        f'<p class="verdict{good}">{sentence(answer.sentence)}</p>{_beginnings(answer)}'
        f"{f'<ul class=reasons>{reasons}</ul>' if reasons else ''}{_near(answer)}</div>"
    )


def _word(answer: Finding, count: int) -> str:
    text = answer.question.text
    bare = as_read(text.encode("utf-8", "replace"), 120)
    size = answer.question.end - answer.question.start
    space = "with the space before it, " if text.startswith(" ") and text.strip() else ""
    more = f" · the first {MOST_TILES} of {count:,} tokens" if count > MOST_TILES else ""
    about = f"{space}{counted(len(text), 'character')}, {counted(size, 'byte')}{more}"
    tiles: list[str] = []
    run = answer.run
    for word in answer.touched if run is not None else []:
        for number, symbol in enumerate(word):
            if run is not None and len(tiles) < MOST_TILES:
                token = symbol.id if symbol.id != NO_PIECE else -1
                apart = " apart" if number == 0 and tiles else ""
                piece = run.data[symbol.start : symbol.end]
                tiles.append(tile(piece, token, len(tiles), more=apart))
    large = "" if len(bare) <= 24 else " long"
    return (
        f'<div class="asked"><div><p class="word{large}">{bdi(bare)}</p><small>{escaped(about)}</small></div>'
        f'<div class="tiles">{"".join(tiles)}</div></div>'
    )


def _beginnings(answer: Finding) -> str:
    """Returns the prefixes of the string around the longest that is an entry, and the whole string."""
    shown = answer.beginnings
    if len(shown) < 2:
        return ""
    longest = longest_entry(shown)
    near = range(max(longest - BEFORE, 0), min(longest + AFTER + 1, len(shown)))
    boxes = ["<li>…</li>"] if near.start else []
    for at in (*near, *([len(shown) - 1] if near.stop < len(shown) else [])):
        if at == len(shown) - 1 and near.stop < at:
            boxes.append("<li>…</li>")
        one = shown[at]
        kind = " class=longest" if at == longest else "" if one.token >= 0 else " class=missing"
        below = f"id {one.token}" if one.token >= 0 else "not an entry"
        boxes.append(f"<li{kind}>{bdi(readable(one.piece))}<small>{below}</small></li>")
    return f'<h3>Prefixes of increasing length</h3><ol class="prefixes">{"".join(boxes)}</ol>'


def _near(answer: Finding) -> str:
    """Returns similar strings that are one token."""
    if not answer.near:
        return ""
    rows = "".join(
        f"<li>{bdi(readable(one.text.encode(), 40))} <small>id {one.token}, {escaped(one.how)}</small></li>"
        for one in answer.near
    )
    return f'<h3>Similar, and one token</h3><ul class="near">{rows}</ul>'
