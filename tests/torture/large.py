"""Texts that are too much for the window in one way or another, with bounds so low that some kilobytes are.

By every way into the window, a text is taken whole, or refused with a sentence before anything changes; what tokenizers
cut of it, in the window or in other processes, is exact, also after edits, and together within its room.
"""

from __future__ import annotations

import functools
import os
import time
from pathlib import Path
from random import Random
from typing import Any

import zoo
from attack import Attack, Case
from planting import instead
from PySide6.QtWidgets import QApplication

from tokenarium.app import start
from tokenarium.models.scene import ReadScene, Scene, SceneText
from tokenarium.models.text import text_file, text_map
from tokenarium.models.text.edited_encoding import _Splice
from tokenarium.session import encodings, settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.widgets.text import text_opening, text_panel
from tokenarium.widgets.text.text_blocks import blocks_of
from tokenarium.work import jobs, text_workers

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ON = ("shipped:tokenarium-8k", "shipped:bpe-gpt2-8k", "shipped:unigram-8k", "shipped:wordpiece-8k")

LINES, LARGEST, LARGE, ROOM, WHOLE = 3_000, 400_000, 3_000, 1_000_000, 20_000
"""The lowered bounds: lines and bytes of a text, bytes of a large one, of all encodings, and of a row with no safe cut."""

SLICE = 1_000_000
"""Bytes that one slice of a job may take of encodings beyond the share of its tokenizer: it looks at the share between two."""

PIECES = [
    *("a", "word ", "Ab1! ", "ab\n", "\n", "\r\n", "\r", "\x85", "\u2028", "\u2029", "\t", " ", "\0"),
    *("é", "中", "नि", "क्", "\u0301", "😀", "👩\u200d", "🇩", "ﷺ", "سلام ", "\u200f", "1", "!?", "\ud800", "ﬁ "),
]  # fmt: skip
EDITED = ["x", "", "word and", "1", "\n", "é", "नि", "😀", "  "]
WAYS = ("file", "paste", "text", "session")
PAGES = ("tokens", "pretokens", "merges", "bytes", "scripts", "compare")
SECONDS = 40.0


def make_text(chance: Random) -> Case:
    """Returns a text as pieces with counts, a way into the window, and the pages that are looked at."""
    parts = []
    for _ in range(chance.randrange(1, 4)):
        size = int(10 ** chance.uniform(1, 5.7))
        piece = chance.choice(PIECES)
        parts.append([piece, max(1, size // len(piece.encode("utf-8", "surrogatepass")))])
    if chance.random() < 0.3:
        parts.insert(0, ["a" + zoo.text_of(chance)[:50], 1])
    edits = [
        [chance.random(), chance.choice((0, 0, 1, 5, 2_000)), chance.choice(EDITED)]
        for _ in range(chance.choice((0, 3, 12)))
    ]
    return {
        "parts": parts,
        "edits": edits,
        "way": chance.choice(WAYS),
        "pages": chance.sample(PAGES, chance.randrange(3)),
    }


def run_text(case: Case) -> str:
    """Shows the text after another one."""
    window = _window()
    session = window.session
    text = "".join(piece * count for piece, count in case["parts"])
    session.set_text("before")
    _settle(window)
    said: list[str] = []
    hear = said.append
    session.problem.connect(hear)
    try:
        _bring(window, text, case["way"])
        _settle(window)
        outcome = _check(window, text, said, case["way"])
        if outcome != "refused" and case["edits"]:
            text = _edited(window, case["edits"])
            _settle(window)
            _check(window, text, said, "typed")
        for page in case["pages"]:
            window.show_workspace(page)
            _settle(window)
        window.show_workspace("tokens")
        _check(window, text, said, "typed" if case["edits"] else case["way"])
    finally:
        session.problem.disconnect(hear)
        session.jobs.cancel_all()
    return outcome


def _bring(window: Any, text: str, way: str) -> None:
    if way == "file":
        path = Path("text.txt")
        path.write_bytes(text.encode("utf-8", "replace"))
        window.take_files([path])
    elif way == "paste":
        window.text_commands.take_text(text)
    elif way == "session":
        window.stage.show(ReadScene(Scene(text=SceneText(inline=text))))
    else:
        window.session.set_text(text)


def _edited(window: Any, edits: list[list[Any]]) -> str:
    """Edits the text in its field, if that can be, one edit after the other; returns what it should be then."""
    session = window.session
    text = str(session.text)
    if window.text.field.isReadOnly():
        return text
    for place, gone, put in edits:
        first = round(place * len(text))
        last = min(first + gone, len(text))
        cursor = window.text.field.textCursor()
        cursor.setPosition(len(text[:first].encode("utf-16-le")) // 2)
        kept = cursor.MoveMode.KeepAnchor
        cursor.setPosition(len(text[:last].encode("utf-16-le")) // 2, kept)
        cursor.insertText(put)
        text = text[:first] + put + text[last:]
        QApplication.processEvents()
    return text


def _check(window: Any, text: str, said: list[str], way: str) -> str:
    session = window.session
    if way == "file":
        text = text.encode("utf-8", "replace").decode()
    if session.text == "before":
        said = [*said, window.messages.label.text()]
        assert way == "session" or any("Compare" in one for one in said), said
        utf8 = text.encode("utf-8", "surrogatepass")
        ends = sum(map(text.count, "\n\r\x85\u2028\u2029")) - text.count("\r\n")
        assert len(utf8) > LARGEST or ends + 1 > LINES, "it was refused for no reason"
        return "refused"
    marked = text[1:] if text.startswith("\ufeff") and way == "file" else text
    assert session.text in (text, marked), "the text is another one"
    assert len(blocks_of(session.text_map).edges) - 1 <= LINES + LARGEST // 700
    taken, cut = 0, "whole"
    for item in session.chosen():
        encoded = session.encoded(item.key)
        assert encoded is not None
        assert encoded.complete or encoded.error, f"{item.key} waits for nothing"
        if encoded.tokens is None or encoded.encoding is None:
            assert encoded.error.endswith("."), encoded.error
            cut = "in part"
            continue
        taken += encoded.tokens.bytes
        ids, spans = list(encoded.encoding.ids), list(encoded.encoding.spans)
        exact = item.tokenizer.encode(session.text)
        assert ids == list(exact.ids)[: len(ids)], f"{item.key} has other ids"
        # What the next edits look for by place, and would find elsewhere, long before an id is another.
        assert spans == list(exact.spans)[: len(spans)], f"{item.key} has other ids by place"
        if encoded.complete:
            assert len(ids) == len(exact.ids)
        else:
            cut = "in part"
    assert taken <= ROOM + len(ON) * SLICE, f"{taken:,} bytes were taken"
    return cut


@functools.cache
def _window() -> Any:
    """Returns a window that all cases share, with the lowered bounds."""
    text_file.MOST_LINES, text_file.LARGEST = LINES, LARGEST
    text_opening.LARGE = text_panel.LARGE = encodings.LARGE_TEXT = LARGE
    encodings.SMALL_TEXT = LARGE // 2
    encodings.ROOM, encodings.LONGEST_WHOLE = ROOM, WHOLE
    text_map.CARRIED = LARGE
    text_workers.PART_MS = 0.2
    text_workers.FIRST_PART, text_workers.PART, text_workers.COPIED = LARGE // 4, LARGE, LARGE
    jobs.SLICE_MS = 0.2  # or one slice would encode all of it before its room is looked at
    app = start.application()
    store = Settings()
    store.set(settings.TOKENIZERS_ON, list(ON))
    store.set(settings.KEEP_TEXTS, False)
    window = start.make_window(app, store)
    window.resize(1000, 700)
    window.show()
    _settle(window)
    return window


def _settle(window: Any) -> None:
    session, quiet = window.session, 0
    end = time.process_time() + SECONDS
    while quiet < 3:
        QApplication.processEvents()
        busy = session.jobs.running() or session.opening or window.workspace.busy
        quiet = 0 if busy or not window.at_rest else quiet + 1
        assert time.process_time() < end, "the window does not come to rest"


def _shortening(before: Any) -> Any:
    return lambda session, text, *given, **named: before(session, text[:-1], *given, **named)


def _misplacing(before: Any) -> Any:
    """Tokens after an edit that are not moved far enough."""
    return lambda splice, old, made, offset=0, further=0, each=1: before(
        splice, old, made, offset, further - (further > 0), each
    )


def _refusing(before: Any) -> Any:
    return lambda what, size: before(what, 1 << 40)


ATTACKS = [
    Attack(
        "large-text",
        make_text,
        run_text,
        seconds=SECONDS,
        planted={
            "the text is another one": instead(Session, "set_text", _shortening),
            "other ids": instead(_Splice, "tokens", _misplacing),
            "it was refused for no reason": instead(text_opening, "refuse_too_large", _refusing),
        },
    )
]
