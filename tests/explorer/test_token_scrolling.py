"""A token view over a long text: only what is seen is laid out, and what is seen stays where it is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot
from token_views import PROSE, by_words, cut_every, fill, painted, shown_view

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.models.text.text_map import TextMap
from tokenarium.widgets.text.text_layout import TextLayout
from tokenarium.widgets.text.token_view import TokenView

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)


@pytest.fixture
def view(qtbot: QtBot) -> TokenView:
    return shown_view(qtbot)


def test_views_share_one_layout(qtbot: QtBot) -> None:
    layout = TextLayout()
    text = TextMap("".join(f"{PROSE}{n}\n" for n in range(30)))
    counts = []
    for size in (2, 3, 5, 9):
        view = TokenView(layout)
        qtbot.addWidget(view)
        view.resize(420, 240)
        with qtbot.waitExposed(view):
            view.show()
        view.setTextMap(text)
        view.setSegmentation(cut_every(text.text, size))
        painted(view)
        counts.append(layout.laid_count)
    assert len(set(counts)) == 1


def test_a_megabyte_lays_out_only_what_is_seen(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(13_500))
    assert len(text) > 1_000_000
    fill(view, text, cut_every(text, 5))
    painted(view)
    assert view.textLayout.laid_count < 20
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    painted(view)
    assert view.textLayout.laid_count < 40
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    painted(view)
    assert view.textLayout.laid_count < 60


def test_the_end_of_the_text_can_be_reached(view: TokenView) -> None:
    text = "".join(f"{PROSE * (n % 5)}{n}\n" for n in range(300)) + "the end"
    parts = fill(view, text)
    for _ in range(5):  # Heights settle on the way, and the range of the bar with them.
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    rect = view.partRects(len(parts) - 1)[0]
    assert 0 < rect.bottom() <= view.viewport().height()


def test_settling_above_moves_nothing_that_is_seen(view: TokenView, qtbot: QtBot) -> None:
    text = "".join(f"{n} {PROSE * 3}\n" for n in range(400))
    fill(view, text)
    view.scrollTo(len(text) // 2)
    qtbot.wait(5)
    before = painted(view)
    for block in range(0, view.textLayout.block_count // 2, 3):
        view.textLayout.block_height(block)
    qtbot.wait(5)
    assert painted(view) == before


def test_scrolling_up_line_by_line_is_steady(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE * (1 + n % 4)}\n" for n in range(300))
    fill(view, text)
    view.scrollTo(text.index("\n200 ") + 1)
    bar = view.verticalScrollBar()
    for _ in range(30):
        part = view.partAt(QPointF(40, 30))
        before = view.partRects(part)[0].top()
        bar.setValue(bar.value() - 7)
        assert view.partRects(part)[0].top() == pytest.approx(before + 7, abs=1.0)


@pytest.mark.parametrize("height", [20, 58, 61, 90])
def test_where_there_are_few_lines_none_is_cut(view: TokenView, height: int) -> None:
    view.resize(420, height)
    text = (
        "".join(f"line {n} {PROSE * (n % 3)}{'الخطّاط والمطر' * (n % 2)}\n" for n in range(12))
        + "the end"
    )
    parts = fill(view, text)
    bar = view.verticalScrollBar()
    for value in range(0, bar.maximum() + 1, 7):
        bar.setValue(value)
        image = painted(view)
        plain = image.pixel(0, 0)
        edges = [0, height - 1] if height > 40 else [0]  # one line is seen, however high it is
        assert {image.pixel(x, y) for x in range(image.width()) for y in edges} == {plain}
        assert view.partAt(QPointF(20, 20)) >= 0
        assert all(
            rect.top() >= 0 and (rect.bottom() <= height or height < 40)
            for y in range(height)
            if (part := view.partAt(QPointF(20, y))) >= 0
            for rect in view.partRects(part)
            if rect.top() <= y <= rect.bottom()
        )
    assert view.partAt(view.partRects(len(parts) - 1)[0].center()) == len(parts) - 1


def test_where_there_are_few_lines_the_one_that_is_asked_for_is_seen(view: TokenView) -> None:
    view.resize(420, 58)
    text = "".join(f"{n} {PROSE * (n % 4)}\n" for n in range(60))
    parts = fill(view, text)
    for part in [*range(0, len(parts), 11), *range(len(parts) - 2, 0, -9)]:
        view.ensureVisible(parts.span(part)[0])
        rects = view.partRects(part)
        assert any(view.partAt(rect.center()) == part for rect in rects)


def test_views_scroll_together(qtbot: QtBot) -> None:
    layout = TextLayout()
    one, other = TokenView(layout), TokenView(layout)
    text = "".join(f"{n} {PROSE}\n" for n in range(300))
    for each in (one, other):
        qtbot.addWidget(each)
        each.resize(420, 240)
        fill(each, text)
    one.scrolled.connect(other.scrollTo)
    one.show()
    other.show()
    one.verticalScrollBar().setValue(1234)
    assert painted(one) == painted(other)
    assert other.verticalScrollBar().value() == one.verticalScrollBar().value()


def test_a_new_width_keeps_the_line_at_the_top(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE * 2}\n" for n in range(300))
    fill(view, text)
    view.scrollTo(text.index("\n150 ") + 1)
    view.resize(300, 240)
    assert view.partAt(view.partRects(view.segmentation.at(text.index("\n150 ") + 1))[0].center())
    assert view.partRects(view.segmentation.at(text.index("\n150 ") + 1))[0].top() < 30


def test_an_edit_above_keeps_what_is_seen(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(300))
    fill(view, text)
    view.scrollTo(text.index("\n150 ") + 1)
    before = painted(view)
    edited = "typed\n" + text
    view.setTextMap(TextMap(edited))
    assert painted(view) == before  # Even the parts: the edit didn't touch these.


@pytest.mark.parametrize("kind", ["none", "ids"])
def test_after_edits_a_view_looks_like_a_new_one(view: TokenView, qtbot: QtBot, kind: str) -> None:
    """Lines that an edit leaves alone are kept: with their colours, and the notes of now."""
    notes = "ids" if kind == "ids" else "none"
    view.setAnnotations(notes)
    text = "one two\n" + PROSE + "\nlast words here\n"
    for edited in (text, "zero " + text, "zero " + text.replace("last", "lasting"), text):
        words = by_words(edited)
        spans = list(zip(words.starts.tolist(), words.ends.tolist(), strict=True))
        # An id for each word, as a vocabulary has it: the same wherever the word stands.
        parts = TextSpans.of_tokens([sum(edited.encode()[a:b]) for a, b in spans], spans)
        fill(view, edited, parts)
        new = TokenView()
        qtbot.addWidget(new)
        new.resize(view.size())
        new.show()
        new.setAnnotations(notes)
        fill(new, edited, parts)
        assert painted(view) == painted(new)
