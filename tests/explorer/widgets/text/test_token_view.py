"""The view of tokens: their boxes, what it does with the mouse and the keys, and how it scrolls; and the legend of its colours."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot
from token_views import PROSE, by_words, cut_every, fill, middle, painted, shown_view
from windows import off_screen

from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.cuts import Cut
from tokenarium.style.palette import contrast
from tokenarium.style.theme import (
    DARK,
    HIGH_CONTRAST_DARK,
    HIGH_CONTRAST_LIGHT,
    LIGHT,
    PRESENTATION,
    PRINT,
    Theme,
)
from tokenarium.widgets.text.legend import Legend, rule_entries
from tokenarium.widgets.text.text_layout import TextLayout
from tokenarium.widgets.text.token_boxes import Box, line_boxes, span_boxes
from tokenarium.widgets.text.token_view import TokenView

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)

TEXTS = [
    "Hello brave new world", "السلام عليكم ورحمة الله", "word سلام عليكم and שלום again",
    "क्षत्रिय नमस्ते दुनिया", "ทุกคน กำลัง ทดสอบ", "日本語 の 文字", "👩‍👩‍👧‍👦 👍🏽 x",
]  # fmt: skip


@pytest.fixture
def view(qtbot: QtBot) -> TokenView:
    return shown_view(qtbot)


@pytest.mark.parametrize("text", TEXTS)
def test_a_part_is_found_in_the_middle_of_its_box(view: TokenView, text: str) -> None:
    parts = fill(view, text)
    for part in range(len(parts)):
        for rect in view.part_rects(part):
            if rect.width() > 2:
                assert view.part_at(rect.center()) == part


@pytest.mark.parametrize("text", TEXTS)
def test_boxes_of_a_line_cover_it_without_overlap(view: TokenView, text: str) -> None:
    parts = fill(view, text)
    [placed] = view.text_layout.lines(0)
    boxes = sorted(line_boxes(placed, parts, len(text.encode())), key=lambda b: b.left)
    assert {box.part for box in boxes} == set(range(len(parts)))
    for one, other in pairwise(boxes):
        assert one.right == pytest.approx(other.left, abs=1.0)


def test_a_part_in_two_directions_has_a_box_in_each(view: TokenView) -> None:
    text = "abc سلام"
    fill(view, text, TextParts.of_tokens([1, 2, 3], [[0, 2], [2, 8], [8, 12]]))
    assert [len(view.part_rects(part)) for part in range(3)] == [1, 2, 1]
    second = view.part_rects(1)
    # The Arabic half starts at the right end of the line.
    assert second[1].right() > view.part_rects(2)[0].right()


def test_a_wrapped_part_has_a_box_in_each_line(view: TokenView) -> None:
    text = PROSE * 2
    fill(view, text, TextParts.of_tokens([1], [[0, len(text)]]))
    rects = view.part_rects(0)
    assert len(rects) >= 2
    assert len({rect.top() for rect in rects}) == len(rects)


def boxes_of(view: TokenView) -> list[Box]:
    [placed] = view.text_layout.lines(0)
    return line_boxes(placed, view.parts, view.text_layout.text_map.byte_count)


def test_a_cut_inside_a_character_is_torn_at_its_place(view: TokenView) -> None:
    # The smile is bytes 1 to 5: one token has its first byte, another two, the last the rest and "b".
    fill(view, "a😀b", TextParts.of_tokens([1, 2, 3, 4], [[0, 1], [1, 2], [2, 4], [4, 6]]))
    found = boxes_of(view)
    straight, torn = Cut.STRAIGHT, Cut.TORN
    assert [(box.part, box.at_left, box.at_right) for box in found] == [
        (0, straight, straight),
        (1, straight, torn),
        (2, torn, torn),
        (3, torn, straight),
    ]
    assert found[2].right - found[2].left == pytest.approx(2 * (found[1].right - found[1].left))


def test_a_cut_inside_a_grapheme_is_notched(view: TokenView) -> None:
    fill(view, "e\u0301x", TextParts.of_tokens([1, 2, 3], [[0, 1], [1, 3], [3, 4]]))
    assert [(box.at_left, box.at_right) for box in boxes_of(view)] == [
        (Cut.STRAIGHT, Cut.NOTCH),
        (Cut.NOTCH, Cut.STRAIGHT),
        (Cut.STRAIGHT, Cut.STRAIGHT),
    ]


def test_byte_tokens_of_one_span_have_a_share_each(view: TokenView) -> None:
    fill(view, "a日", TextParts.of_tokens([1, 2, 3, 4], [[0, 1], [1, 4], [1, 4], [1, 4]]))
    found = boxes_of(view)
    assert [box.at_right for box in found] == [Cut.STRAIGHT, Cut.TORN, Cut.TORN, Cut.STRAIGHT]
    widths = [box.right - box.left for box in found[1:]]
    assert widths == pytest.approx([widths[0]] * 3)


def test_a_token_over_a_line_break_is_open_at_both_ends(view: TokenView) -> None:
    text = PROSE * 2
    fill(view, text, TextParts.of_tokens([1], [[0, len(text)]]))
    lines = view.text_layout.lines(0)
    boxes = [line_boxes(placed, view.parts, len(text))[0] for placed in lines]
    assert len(boxes) > 2
    assert [box.at_left is Cut.OPEN for box in boxes] == [False, *[True] * (len(boxes) - 1)]
    assert [box.at_right is Cut.OPEN for box in boxes] == [*[True] * (len(boxes) - 1), False]
    assert [box.opening for box in boxes] == [True, *[False] * (len(boxes) - 1)]


def test_every_cut_is_a_gap_in_the_rule_at_the_foot(view: TokenView) -> None:
    parts = fill(view, "one two three")
    image = painted(view)
    rules = {colour.name() for colour in LIGHT.token_rules}
    rects = [view.part_rects(part)[0] for part in range(len(parts))]
    [foot] = {
        y
        for y in range(image.height() - 1)
        if image.pixelColor(round(rects[0].center().x()), y).name() in rules
        and image.pixelColor(round(rects[0].center().x()), y + 1).name() in rules
    }
    for rect in rects:
        assert image.pixelColor(round(rect.center().x()), foot).name() in rules
    for cut in (rect.right() for rect in rects[:-1]):
        beside = {image.pixelColor(x, foot).name() for x in (int(cut - 1), int(cut), int(cut + 1))}
        assert not beside <= rules


def test_tokens_of_no_length_have_a_box(view: TokenView) -> None:
    parts = TextParts.of_tokens([1, 7, 2], [[0, 0], [0, 2], [2, 2]], special_ids=[1, 2])
    fill(view, "ab", parts)
    [placed] = view.text_layout.lines(0)
    assert [box.part for box in line_boxes(placed, parts, 2)] == [0, 1, 2]
    assert not painted(view).isNull()


def test_beside_the_text_there_is_nothing(view: TokenView) -> None:
    fill(view, "short\nline")
    rect = view.part_rects(0)[0]
    assert view.part_at(QPointF(rect.right() + 150, rect.center().y())) == -1
    assert view.part_at(QPointF(rect.center().x(), 230)) == -1
    assert view.part_at(QPointF(2, rect.center().y())) == -1


def test_the_boxes_of_a_span(view: TokenView) -> None:
    fill(view, "one two three")
    [placed] = view.text_layout.lines(0)
    [box] = span_boxes(placed, 0, 13)
    parts = [view.part_rects(part)[0] for part in range(3)]
    assert box.right - box.left == pytest.approx(sum(rect.width() for rect in parts))
    assert span_boxes(placed, 20, 30) == []


def test_rects_lie_in_the_viewport(view: TokenView) -> None:
    fill(view, PROSE)
    bounds = QRectF(view.viewport().rect())
    assert all(bounds.contains(rect) for part in range(5) for rect in view.part_rects(part))


def test_a_highlight_lights_its_bytes_only(view: TokenView) -> None:
    fill(view, "one two three\nfour")
    plain = painted(view)
    view.set_highlight(4, 7)
    lit = painted(view)
    assert lit != plain
    rect = view.part_rects(1)[0]
    inside = round(rect.left()) + 3, round(rect.top()) + 3
    assert lit.pixelColor(*inside) == plain.pixelColor(*inside)  # the fill is seen as before
    assert lit.pixelColor(round(rect.center().x()), round(rect.bottom()) + 5) == LIGHT.wash
    second_line = view.part_rects(3)[0].toRect()
    assert lit.copy(second_line) == plain.copy(second_line)
    view.set_highlight(-1, -1)
    assert painted(view) == plain


def test_pointing_elsewhere_is_seen(view: TokenView) -> None:
    fill(view, "one two three")
    plain = painted(view)
    view.set_pointed(4, 7)
    assert painted(view) != plain
    view.set_pointed(-1, -1)
    assert painted(view) == plain


def test_hovering_signals_the_span_once(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three")
    heard: list[tuple[int, int]] = []
    view.hovered.connect(lambda start, end: heard.append((start, end)))
    for part in (0, 0, 2):
        qtbot.mouseMove(view.viewport(), middle(view, part))
    qtbot.mouseMove(view.viewport(), QPoint(300, 200))
    assert heard == [(0, 4), (8, 13), (-1, -1)]


def test_click_drag_and_click_beside(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three four")
    heard: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: heard.append((start, end)))
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(view.viewport(), left, pos=middle(view, 2))
    qtbot.mouseMove(view.viewport(), middle(view, 1))
    qtbot.mouseMove(view.viewport(), middle(view, 3))
    qtbot.mouseRelease(view.viewport(), left, pos=middle(view, 3))
    qtbot.mouseClick(view.viewport(), left, pos=middle(view, 0))
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(view.viewport(), left, shift, pos=middle(view, 1))
    qtbot.mouseClick(view.viewport(), left, pos=QPoint(350, 200))
    assert heard == [(8, 14), (4, 14), (8, 18), (0, 4), (0, 8), (-1, -1)]


def test_the_keyboard_walks_from_part_to_part(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three\nfour five six")
    heard: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: heard.append((start, end)))
    keys = Qt.Key
    shift, control = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
    for key, modifier in (
        (keys.Key_Right, Qt.KeyboardModifier.NoModifier),
        (keys.Key_Right, Qt.KeyboardModifier.NoModifier),
        (keys.Key_Right, shift),
        (keys.Key_Home, Qt.KeyboardModifier.NoModifier),
        (keys.Key_Down, Qt.KeyboardModifier.NoModifier),
        (keys.Key_End, Qt.KeyboardModifier.NoModifier),
        (keys.Key_Home, control),
        (keys.Key_Left, Qt.KeyboardModifier.NoModifier),
        (keys.Key_End, control | shift),
        (keys.Key_Escape, Qt.KeyboardModifier.NoModifier),
    ):
        qtbot.keyClick(view, key, modifier)
    assert heard == [
        (0, 4), (4, 8), (4, 14), (0, 4), (14, 19), (24, 27), (0, 4), (0, 4), (0, 27), (-1, -1),
    ]  # fmt: skip


def test_right_to_left_text_is_walked_as_it_looks(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "שלום עולם טוב")
    heard: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: heard.append((start, end)))
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(view, key)
    assert heard == [(0, 9), (9, 18), (18, 24), (9, 18)]


def test_pages_scroll_along(view: TokenView, qtbot: QtBot) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(200))
    fill(view, text)
    with qtbot.waitSignals([view.scrolled, view.picked]):
        for _ in range(4):
            qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert view.verticalScrollBar().value() > 200
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.part_rects(len(view.parts) - 1)
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert view.verticalScrollBar().value() == 0


def test_the_current_part_is_reported_to_assistive_technology(
    view: TokenView, qtbot: QtBot
) -> None:
    fill(view, "one two three", TextParts.of_tokens([40, 50], [[0, 4], [4, 13]]))
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.accessibleName() == "Tokens"
    assert view.accessibleDescription() == "2 of 2: “two three”, id 50, bytes 4 to 13"


def test_no_key_hurts_an_empty_view(view: TokenView, qtbot: QtBot) -> None:
    view.set_empty_text("Type or open a text.")
    keys = Qt.Key
    for key in (
        keys.Key_Left,
        keys.Key_Right,
        keys.Key_Up,
        keys.Key_PageDown,
        keys.Key_Home,
        keys.Key_End,
    ):
        qtbot.keyClick(view, key)
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ControlModifier)
    assert view.part_at(QPointF(30, 20)) == -1


def test_an_empty_view_says_so(view: TokenView) -> None:
    blank = painted(view)
    view.set_empty_text("Type or open a text.")
    assert painted(view) != blank


@pytest.mark.parametrize("kind", ["ids", "bytes"])
def test_annotations_make_room_and_ink(view: TokenView, kind: str) -> None:
    fill(view, "one two three")
    plain, height = painted(view), view.content_height()
    view.set_annotations(kind)  # type: ignore[arg-type]
    assert view.content_height() > height
    assert painted(view) != plain
    view.set_annotations("none")
    assert painted(view) == plain


def test_whitespace_is_shown_on_demand_and_controls_always(view: TokenView) -> None:
    fill(view, "a b\tc\nd\u200de", cut_every("a b\tc\nd\u200de", 2))
    plain = painted(view)
    view.set_show_whitespace(True)
    shown = painted(view)
    view.set_show_whitespace(False)
    assert painted(view) == plain
    assert shown != plain
    fill(view, "a\x00b")
    named = painted(view)
    fill(view, "a\u2003b")
    assert named != painted(view)


def test_lines_with_names_above_their_letters_have_room_for_them(view: TokenView) -> None:
    view.set_show_whitespace(True)
    layout = view.text_layout
    fill(view, "plain\r\n\ttext\u00a0\x00\n")
    tight = layout.block_height(0)
    assert layout.block_height(1) == tight
    for invisible in "\u200d\ufe0f\u00ad\u2009\U000e0041":
        fill(view, f"é\na{invisible}b\nc")
        assert layout.block_height(0) == layout.block_height(2) == tight
        assert layout.block_height(1) > tight
    view.set_show_whitespace(False)
    assert layout.block_height(1) == tight


def test_a_paragraph_without_letters_is_where_the_one_before_is(view: TokenView) -> None:
    text = "שלום\n\n…\nabc\n\n"
    fill(view, text, cut_every(text, 1))
    edge = view.viewport().width() / 2
    starts = [byte for byte, piece in enumerate(text.encode()) if piece == 0x0A]
    sides = [view.part_rects(byte)[0].center().x() > edge for byte in starts]
    assert sides == [True, True, True, False, False]
    for byte in starts:
        assert view.part_at(view.part_rects(byte)[0].center()) == byte


def test_themes(view: TokenView) -> None:
    fill(view, "one two three")
    view.setPalette(DARK.palette())
    image = painted(view)
    assert image.pixelColor(1, 1) == DARK.surface
    rect = view.part_rects(0)[0]
    colour = view.parts.colours[0]
    assert image.pixelColor(int(rect.left()) + 1, int(rect.bottom()) - 1) == DARK.tokens[colour]


def test_the_whole_text_can_be_painted_elsewhere(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(40))
    fill(view, text)
    view.verticalScrollBar().setValue(300)
    rect = view.content_rect()
    assert rect.height() == pytest.approx(view.content_height())
    assert rect.top() == -300
    image = QImage(rect.size().toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    painter.translate(-rect.topLeft())
    view.paint_contents(painter, rect)
    painter.end()
    view.verticalScrollBar().setValue(0)
    first = painted(view)
    assert image.copy(first.rect()) == first


def test_views_share_one_layout(qtbot: QtBot) -> None:
    layout = TextLayout()
    text = TextMap("".join(f"{PROSE}{n}\n" for n in range(30)))
    counts = []
    for size in (2, 3, 5, 9):
        view = off_screen(qtbot, TokenView(layout), 420, 240)
        with qtbot.waitExposed(view):
            view.show()
        view.set_text_map(text)
        view.show_parts(cut_every(text.text, size))
        painted(view)
        counts.append(layout.laid_count)
    assert len(set(counts)) == 1


def test_a_megabyte_lays_out_only_what_is_seen(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(13_500))
    assert len(text) > 1_000_000
    fill(view, text, cut_every(text, 5))
    painted(view)
    assert view.text_layout.laid_count < 20
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    painted(view)
    assert view.text_layout.laid_count < 40
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    painted(view)
    assert view.text_layout.laid_count < 60


def test_the_end_of_the_text_can_be_reached(view: TokenView) -> None:
    text = "".join(f"{PROSE * (n % 5)}{n}\n" for n in range(300)) + "the end"
    parts = fill(view, text)
    for _ in range(5):  # Heights settle on the way, and the range of the bar with them.
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    rect = view.part_rects(len(parts) - 1)[0]
    assert 0 < rect.bottom() <= view.viewport().height()


def test_settling_above_moves_nothing_that_is_seen(view: TokenView, qtbot: QtBot) -> None:
    text = "".join(f"{n} {PROSE * 3}\n" for n in range(400))
    fill(view, text)
    view.scrollTo(len(text) // 2)
    qtbot.wait(5)
    before = painted(view)
    for block in range(0, view.text_layout.block_count // 2, 3):
        view.text_layout.block_height(block)
    qtbot.wait(5)
    assert painted(view) == before


def test_scrolling_up_line_by_line_is_steady(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE * (1 + n % 4)}\n" for n in range(300))
    fill(view, text)
    view.scrollTo(text.index("\n200 ") + 1)
    bar = view.verticalScrollBar()
    for _ in range(30):
        part = view.part_at(QPointF(40, 30))
        before = view.part_rects(part)[0].top()
        bar.setValue(bar.value() - 7)
        assert view.part_rects(part)[0].top() == pytest.approx(before + 7, abs=1.0)


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
        assert view.part_at(QPointF(20, 20)) >= 0
        assert all(
            rect.top() >= 0 and (rect.bottom() <= height or height < 40)
            for y in range(height)
            if (part := view.part_at(QPointF(20, y))) >= 0
            for rect in view.part_rects(part)
            if rect.top() <= y <= rect.bottom()
        )
    assert view.part_at(view.part_rects(len(parts) - 1)[0].center()) == len(parts) - 1


def test_where_there_are_few_lines_the_one_that_is_asked_for_is_seen(view: TokenView) -> None:
    view.resize(420, 58)
    text = "".join(f"{n} {PROSE * (n % 4)}\n" for n in range(60))
    parts = fill(view, text)
    for part in [*range(0, len(parts), 11), *range(len(parts) - 2, 0, -9)]:
        view.ensureVisible(parts.span(part)[0])
        rects = view.part_rects(part)
        assert any(view.part_at(rect.center()) == part for rect in rects)


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
    assert view.part_at(view.part_rects(view.parts.at(text.index("\n150 ") + 1))[0].center())
    assert view.part_rects(view.parts.at(text.index("\n150 ") + 1))[0].top() < 30


def test_an_edit_above_keeps_what_is_seen(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(300))
    fill(view, text)
    view.scrollTo(text.index("\n150 ") + 1)
    before = painted(view)
    edited = "typed\n" + text
    view.set_text_map(TextMap(edited))
    assert painted(view) == before  # Even the parts: the edit didn't touch these.


@pytest.mark.parametrize("kind", ["none", "ids"])
def test_after_edits_a_view_looks_like_a_new_one(view: TokenView, qtbot: QtBot, kind: str) -> None:
    """Lines that an edit does not change are kept, with their colours and the current notes."""
    notes = "ids" if kind == "ids" else "none"
    view.set_annotations(notes)
    text = "one two\n" + PROSE + "\nlast words here\n"
    for edited in (text, "zero " + text, "zero " + text.replace("last", "lasting"), text):
        words = by_words(edited)
        spans = list(zip(words.starts.tolist(), words.ends.tolist(), strict=True))
        # An id for each word, as a vocabulary has it: the same wherever the word is.
        parts = TextParts.of_tokens([sum(edited.encode()[a:b]) for a, b in spans], spans)
        fill(view, edited, parts)
        new = off_screen(qtbot, TokenView())
        new.resize(view.size())
        new.show()
        new.set_annotations(notes)
        fill(new, edited, parts)
        assert painted(view) == painted(new)


def test_the_legend_counts_rules(qtbot: QtBot) -> None:
    parts = TextParts.of_pre_tokens([3, 4, 8, 9], [0, 1, 0, 1], ["word", "blanks", "digits"])
    entries = rule_entries(parts, LIGHT)
    assert [(entry.name, entry.count) for entry in entries] == [
        ("word", 2),
        ("blanks", 2),
        ("digits", 0),
    ]
    legend = off_screen(qtbot, Legend())
    legend.setEntries(entries)
    legend.resize(160, 100)
    legend.show()
    chips = [child for child in legend.children() if child.isWidgetType()]
    assert [chip.accessibleName() for chip in chips] == ["word: 2", "blanks: 2", "digits: 0"]
    assert len({chip.y() for chip in chips}) > 1  # They flow on in a second row.
    assert not legend.grab().isNull()
    legend.setEntries(entries[:1])
    assert len([c for c in legend.children() if c.isWidgetType()]) == 1


def test_the_legend_shows_what_is_pointed_at_and_picked(qtbot: QtBot) -> None:
    parts = TextParts.of_pre_tokens([3, 4], [0, 1], ["word", "blanks"])
    legend = off_screen(qtbot, Legend())
    legend.setEntries(rule_entries(parts, LIGHT))
    legend.setPalette(DARK.palette())
    with qtbot.waitExposed(legend):
        legend.show()
    chips = [child for child in legend.children() if child.isWidgetType()]
    with qtbot.waitSignal(legend.hovered, check_params_cb=lambda name: name == "blanks"):
        chips[1].setFocus()
    with qtbot.waitSignal(legend.picked, check_params_cb=lambda name: name == "blanks"):
        qtbot.keyClick(chips[1], Qt.Key.Key_Space)
    with qtbot.waitSignal(legend.picked, check_params_cb=lambda name: name == "word"):
        qtbot.mouseClick(chips[0], Qt.MouseButton.LeftButton)


SCRIPTS = {
    "latin": "The unbelievable strawberries",
    "hindi": "सभी मनुष्यों को गौरव और अधिकारों",
    "arabic": "يولد جميع الناس أحرارًا متساوين",
    "japanese": "すべての人間は、生まれながらにして自由",
    "korean": "모든 인간은 태어날 때부터 자유로우며",
    "thai": "มนุษย์ทั้งหลายเกิดมามีอิสระ",
}


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
@pytest.mark.parametrize(
    "theme",
    [LIGHT, DARK, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK, PRESENTATION, PRINT],
    ids=lambda theme: theme.name,
)
def test_letters_are_seen_on_tokens_of_any_width(
    qtbot: QtBot, theme: Theme, text: str, size: int
) -> None:
    """What is under the letters differs enough from them, even if each byte is a token."""
    view = shown_view(qtbot)

    def pixels(ink: str) -> npt.NDArray[np.uint8]:
        view.setPalette(replace(theme, ink=QColor(ink)).palette())
        fill(view, text, cut_every(text, size))
        image = painted(view)
        whole = np.frombuffer(image.constBits(), dtype=np.uint8)
        return whole.reshape(image.height(), image.width(), 4)[:, :, 2::-1].copy()

    written, ground = pixels("#FF00FF"), pixels("#00000000")
    letters = (written == (255, 0, 255)).all(axis=2)
    assert letters.sum() > 50
    colours, counts = np.unique(ground[letters], axis=0, return_counts=True)
    seen = [contrast(theme.ink, QColor(*map(int, colour))) >= 6 for colour in colours]
    assert counts[seen].sum() >= 0.9 * counts.sum()
