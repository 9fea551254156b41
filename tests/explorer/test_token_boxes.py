"""The boxes of tokens in a text that is laid out: where each stands, and what is found at a point."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot
from token_views import PROSE, fill, painted, shown_view

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.widgets.text.token_boxes import line_boxes, span_boxes
from tokenarium.widgets.text.token_view import TokenView

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)

TEXTS = [
    "Hello brave new world",
    "السلام عليكم ورحمة الله",
    "word سلام عليكم and שלום again",
    "क्षत्रिय नमस्ते दुनिया",
    "ทุกคน กำลัง ทดสอบ",
    "日本語 の 文字",
    "👩‍👩‍👧‍👦 👍🏽 x",
]


@pytest.fixture
def view(qtbot: QtBot) -> TokenView:
    return shown_view(qtbot)


@pytest.mark.parametrize("text", TEXTS)
def test_a_part_is_found_in_the_middle_of_its_box(view: TokenView, text: str) -> None:
    parts = fill(view, text)
    for part in range(len(parts)):
        for rect in view.partRects(part):
            if rect.width() > 2:
                assert view.partAt(rect.center()) == part


@pytest.mark.parametrize("text", TEXTS)
def test_boxes_of_a_line_cover_it_without_overlap(view: TokenView, text: str) -> None:
    parts = fill(view, text)
    [placed] = view.textLayout.lines(0)
    boxes = sorted(line_boxes(placed, parts, len(text.encode())).boxes, key=lambda b: b.left)
    assert {box.part for box in boxes} == set(range(len(parts)))
    for one, other in pairwise(boxes):
        assert one.right == pytest.approx(other.left, abs=1.0)


def test_a_part_in_two_directions_has_a_box_in_each(view: TokenView) -> None:
    text = "abc سلام"
    fill(view, text, TextSpans.of_tokens([1, 2, 3], [[0, 2], [2, 8], [8, 12]]))
    assert [len(view.partRects(part)) for part in range(3)] == [1, 2, 1]
    second = view.partRects(1)
    # The Arabic half starts at the right end of the line.
    assert second[1].right() > view.partRects(2)[0].right()


def test_a_wrapped_part_has_a_box_in_each_line(view: TokenView) -> None:
    text = PROSE * 2
    fill(view, text, TextSpans.of_tokens([1], [[0, len(text)]]))
    rects = view.partRects(0)
    assert len(rects) >= 2
    assert len({rect.top() for rect in rects}) == len(rects)


def test_tokens_inside_a_character_share_a_strip_under_it(view: TokenView) -> None:
    # The smile is bytes 1 to 5: one token has its first byte, another two, the last the rest and "b".
    fill(view, "a😀b", TextSpans.of_tokens([1, 2, 3, 4], [[0, 1], [1, 2], [2, 4], [4, 6]]))
    [placed] = view.textLayout.lines(0)
    line = line_boxes(placed, view.segmentation, 6)
    assert [(box.part, box.sliced, box.opening) for box in line.boxes] == [
        (0, False, True),
        (1, True, True),
        (2, True, True),
        (3, True, True),
        (3, False, False),
    ]
    assert len(line.shared) == 1
    left, right = line.shared[0]
    slices = [box for box in line.boxes if box.sliced]
    assert slices[0].left == pytest.approx(left)
    assert slices[-1].right == pytest.approx(right)
    assert slices[1].right - slices[1].left == pytest.approx((right - left) / 2)


def test_tokens_that_end_inside_a_grapheme_share_it(view: TokenView) -> None:
    fill(view, "e\u0301x", TextSpans.of_tokens([1, 2], [[0, 1], [1, 4]]))
    [placed] = view.textLayout.lines(0)
    line = line_boxes(placed, view.segmentation, 4)
    assert [box.sliced for box in line.boxes] == [True, True, False]


def test_byte_tokens_of_one_span_are_slices(view: TokenView) -> None:
    fill(view, "a日", TextSpans.of_tokens([1, 2, 3, 4], [[0, 1], [1, 4], [1, 4], [1, 4]]))
    [placed] = view.textLayout.lines(0)
    line = line_boxes(placed, view.segmentation, 4)
    assert [box.sliced for box in line.boxes] == [False, True, True, True]


def test_tokens_of_no_length_have_a_box(view: TokenView) -> None:
    parts = TextSpans.of_tokens([1, 7, 2], [[0, 0], [0, 2], [2, 2]], special_ids=[1, 2])
    fill(view, "ab", parts)
    [placed] = view.textLayout.lines(0)
    assert [box.part for box in line_boxes(placed, parts, 2).boxes] == [0, 1, 2]
    assert not painted(view).isNull()


def test_beside_the_text_there_is_nothing(view: TokenView) -> None:
    fill(view, "short\nline")
    rect = view.partRects(0)[0]
    assert view.partAt(QPointF(rect.right() + 150, rect.center().y())) == -1
    assert view.partAt(QPointF(rect.center().x(), 230)) == -1
    assert view.partAt(QPointF(2, rect.center().y())) == -1


def test_the_boxes_of_a_span(view: TokenView) -> None:
    fill(view, "one two three")
    [placed] = view.textLayout.lines(0)
    [box] = span_boxes(placed, 0, 13).boxes
    parts = [view.partRects(part)[0] for part in range(3)]
    assert box.right - box.left == pytest.approx(sum(rect.width() for rect in parts))
    assert span_boxes(placed, 20, 30).boxes == []


def test_rects_lie_in_the_viewport(view: TokenView) -> None:
    fill(view, PROSE)
    bounds = QRectF(view.viewport().rect())
    assert all(bounds.contains(rect) for part in range(5) for rect in view.partRects(part))
