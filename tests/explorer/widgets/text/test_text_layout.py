"""Texts in blocks and lines: cut where they may be, laid out where seen, placed where the ink is."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject, QTextBoundaryFinder
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from tokenarium.models.text import text_map
from tokenarium.models.text.text_map import TextMap
from tokenarium.widgets.text import text_blocks
from tokenarium.widgets.text.laid_block import LaidBlock, glyph_box
from tokenarium.widgets.text.text_blocks import (
    LONGEST_CHUNK,
    blocks_of,
    display_string,
    has_right_to_left,
    invisible_characters,
)
from tokenarium.widgets.text.text_layout import TextLayout

pytestmark = pytest.mark.qt_log_ignore("OpenType support missing")

PROSE = "The quick brown fox jumps over the lazy dog and does not look back. "


def blocks(text: str) -> list[str]:
    m = TextMap(text)
    edges = blocks_of(m).edges.tolist()
    return [m.slice(a, b) for a, b in pairwise(edges)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a\n", ""]),
        ("a\n\nb", ["a\n", "\n", "b"]),
        ("a\r\nb\rc", ["a\r\n", "b\r", "c"]),
        ("é\u2028ü\u2029x\x85y", ["é\u2028", "ü\u2029", "x\x85", "y"]),
        ("\u2027\u202a", ["\u2027\u202a"]),
    ],
)
def test_blocks_end_where_lines_end(text: str, expected: list[str]) -> None:
    assert blocks(text) == expected


@given(st.text(alphabet="ab é\n\r\u2028", max_size=40))
def test_blocks_make_up_the_text(text: str) -> None:
    assert "".join(blocks(text)) == text


WORDS = st.lists(
    st.sampled_from(["ab ", "é", "\n", "\r", "\r\n", "\u2028", "x" * 30, "日本語 "]), max_size=14
).map("".join)


@pytest.mark.slow
@given(WORDS, WORDS, WORDS, WORDS)
def test_blocks_after_an_edit_are_those_of_the_text(
    head: str, old: str, new: str, tail: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_map, "CARRIED", 0)
        patch.setattr(text_blocks, "LONGEST_CHUNK", 40)
        patch.setattr(text_blocks, "SHORTEST_CHUNK", 20)
        before = TextMap(head + old + tail)
        blocks_of(before)
        after = before.edited(head + new + tail)
        found, expected = blocks_of(after), blocks_of(TextMap(after.text))
    assert found.edges.tolist() == expected.edges.tolist()
    assert found.characters.tolist() == expected.characters.tolist()
    assert found.weights.tolist() == expected.weights.tolist()


@pytest.mark.parametrize(
    "line", [PROSE * 200, "日本語の文。" * 900, "👩‍👩‍👧‍👦" * 700, "x" * 9000, "e\u0301" * 5000]
)
def test_a_long_line_is_cut_between_graphemes(line: str) -> None:
    m = TextMap(line)
    edges = blocks_of(m).edges
    sizes = np.diff(edges)
    assert len(sizes) > 2
    assert sizes.max() <= 2 * LONGEST_CHUNK
    assert set(edges.tolist()) <= set(m.grapheme_edges(0, m.byte_count).tolist())


@given(st.text(alphabet="ab é\n\r\u2028\x85", max_size=40), st.integers(1, 7))
def test_blocks_are_the_same_however_few_bytes_are_looked_at(text: str, stretch: int) -> None:
    at_once = blocks(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "STRETCH", stretch)
        assert blocks(text) == at_once


def test_words_are_not_cut() -> None:
    assert all(chunk.endswith(" ") for chunk in blocks(PROSE * 200)[:-1])


@pytest.mark.parametrize("at", [0, 5_000, 13_000])
def test_an_edit_of_a_long_line_changes_few_chunks(at: int) -> None:
    words = " ".join(str(n * n * 7919) for n in range(4000))
    before = blocks(words)
    after = blocks(words[:at] + "typed " + words[at:])
    assert len(set(after) - set(before)) <= 4


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ("plain words\n", "plain words\u2002"),
        ("a  b", "a \u00a0b"),
        ("    x", " \u00a0\u00a0\u00a0x"),
        ("\x00\x1b\x85", "\u2003\u2003\u2002"),
        ("a\tb\u200d\u00a0", "a\tb\u200d\u00a0"),
        ("سلام 👩‍👧", "سلام 👩‍👧"),
    ],
)
def test_what_is_laid_out(block: str, shown: str) -> None:
    assert display_string(block) == shown


@given(st.text())
def test_what_is_laid_out_is_as_long(block: str) -> None:
    assert len(display_string(block).encode("utf-16-le")) == len(block.encode("utf-16-le"))


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("a b\tc\n", ["␣", "→", "↵"]),
        ("\u00a0\u202f\u3000\u2003", ["NBSP", "NNBSP", "IDSP", "2003"]),
        ("x\u200dy\u200b\ufeff\u202e", ["ZWJ", "ZWSP", "BOM", "RLO"]),
        ("\x00\x7f\x9f\r", ["NUL", "DEL", "9F", "CR"]),
        ("☎\ufe0f\U000e0067", ["VS16", "tag g"]),
        ("visible", []),
    ],
)
def test_names_of_invisible_characters(text: str, labels: list[str]) -> None:
    assert [label for _, label in invisible_characters(text)] == labels


def laid(text: str, width: float = 400.0) -> LaidBlock:
    font = QFont()
    font.setPixelSize(16)
    return LaidBlock(text, font, width, 32.0)


BIDI = [
    "abc السلام عليكم def ok", "السلام عليكم abc  def ok", "شלום 123 abc 456 עולם",
    "a (ב) c [12 ד 34] e", "س\tب\tص abc\t", "abc ا def ב", "لا إله abc لا",
]  # fmt: skip


@pytest.mark.parametrize("width", [60.0, 110.0, 500.0])
@pytest.mark.parametrize("text", BIDI)
def test_runs_are_where_the_ink_is(qtbot: QtBot, text: str, width: float) -> None:
    assert_ink(laid(text, width))


@given(
    st.text(alphabet="ab1 (אבسلم", min_size=1, max_size=24), st.sampled_from([50.0, 90.0, 400.0])
)
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_runs_are_where_the_ink_is_in_any_mixture(qtbot: QtBot, text: str, width: float) -> None:
    assert_ink(laid(text, width))


def assert_ink(block: LaidBlock) -> None:
    """Every byte of every line is in one run, and every glyph in the box of its characters."""
    for line in block.lines:
        covered = sorted((run.start, run.end) for run in line.runs)
        assert covered[0][0] == line.start
        assert covered[-1][1] == line.end
        assert all(a[1] == b[0] for a, b in pairwise(covered))
        boxes = {}
        for run in line.runs:
            for start, end, x0, x1 in zip(
                run.edges, run.edges[1:], run.xs, run.xs[1:], strict=False
            ):
                unit, stop = block.text.byte_to_utf16([int(start), int(end)]).tolist()
                boxes[unit, stop] = (min(x0, x1), max(x0, x1))
        ink = {key: glyph_box(line.line, *key) for key in boxes}
        lefts = [box[0] for box in ink.values() if box is not None]
        for key, (left, right) in boxes.items():
            glyphs = ink[key]
            # Characters that share one glyph (a ligature) have a share of its box each.
            if glyphs is not None and lefts.count(glyphs[0]) == 1:
                assert left == pytest.approx(glyphs[0], abs=1.0), (block.text.text, key)
                assert right == pytest.approx(glyphs[1], abs=1.0), (block.text.text, key)


@pytest.mark.parametrize(
    "text",
    ["abc def", "क्षत्रिय नमस्ते", "👩‍👩‍👧‍👦 x", "e\u0301e\u0301", "ทุกคน กำลัง", "a\tb", "日本語"],
)
def test_x_rises_with_the_bytes_of_a_plain_line(qtbot: QtBot, text: str) -> None:
    [line] = laid(text).lines
    [run] = line.runs
    assert (run.start, run.end) == (0, len(text.encode()))
    assert (np.diff(run.xs) >= 0).all()
    assert run.xs[-1] > run.xs[0]
    assert set(run.edges.tolist()) <= set(
        TextMap(text).grapheme_edges(0, len(text.encode())).tolist()
    )


def test_a_sequence_stays_one_cluster(qtbot: QtBot) -> None:
    [run] = laid("a👩‍👩‍👧‍👦").lines[0].runs
    assert run.edges.tolist() == [0, 1, 26]


def test_spaces_hang_over_the_end_of_a_line_with_their_width(qtbot: QtBot) -> None:
    first = laid("wwww wwww wwww", 70.0).lines[0]
    run = first.runs[0]
    assert run.end == first.end
    assert run.xs[-1] > run.xs[-2]


def test_only_the_first_of_many_spaces_hangs(qtbot: QtBot) -> None:
    lines = laid("wwww" + " " * 40 + "wwww", 70.0).lines
    assert len(lines) > 2
    assert max(run.right for line in lines for run in line.runs) < 70.0 + 16


def test_right_to_left_paragraphs_are_at_the_right(qtbot: QtBot) -> None:
    line = laid("שלום", 300.0).lines[0]
    assert line.runs[0].right == pytest.approx(300.0, abs=0.6)
    assert line.runs[0].xs[0] > line.runs[0].xs[-1]


@given(st.characters(categories=["Lo", "L", "Nd"]))
def test_right_to_left_letters_are_known(character: str) -> None:
    import unicodedata

    if unicodedata.bidirectional(character) in {"R", "AL"}:
        assert has_right_to_left(character)


def test_offset_and_x_are_each_others_inverse(qtbot: QtBot) -> None:
    for text in ("hello world", "שלום עולם", "日本語"):
        line = laid(text).lines[0]
        run = line.runs[0]
        for start, x0, x1 in zip(run.edges, run.xs, run.xs[1:], strict=False):
            assert line.offset_at((x0 + x1) / 2) >= start
            assert run.offset(float(run.x(start))) == pytest.approx(start, abs=1e-6)


# The layout of a whole text


def layout_of(text: str, width: float = 500.0) -> TextLayout:
    font = QFont()
    font.setPixelSize(16)
    layout = TextLayout()
    layout.set_font(font)
    layout.set_width(width)
    layout.set_text_map(TextMap(text))
    return layout


def test_nothing_is_laid_out_before_it_is_asked_for(qtbot: QtBot) -> None:
    layout = layout_of((PROSE + "\n") * 10_000)
    assert layout.block_count == 10_001
    assert layout.laid_count == 0
    seen = list(layout.lines_from(5_000, 600.0))
    assert 10 < len(seen) < 60
    assert layout.laid_count == 1  # All blocks have the same text: one layout serves them.


def test_estimates_settle(qtbot: QtBot) -> None:
    layout = layout_of("".join(f"{PROSE * (n % 7)} {n}\n" for n in range(400)))
    estimate = layout.height
    for block in range(layout.block_count):
        layout.block_height(block)
    assert layout.height == pytest.approx(estimate, rel=0.35)
    lines = sum(len(layout.lines(block)) for block in range(layout.block_count))
    assert layout.height == pytest.approx(lines * layout.line_height, rel=0.02)


def test_settling_is_signalled(qtbot: QtBot) -> None:
    layout = layout_of("wide " * 100)
    with qtbot.waitSignal(layout.settled):
        layout.set_width(100.0)
        layout.block_height(0)


def test_an_edit_lays_out_only_what_it_changed(qtbot: QtBot) -> None:
    lines = [f"{PROSE} {n}\n" for n in range(50)]
    layout = layout_of("".join(lines))
    for block in range(layout.block_count):
        layout.block_height(block)
    before, height = layout.laid_count, layout.height
    lines[20] = "x" + lines[20]
    layout.set_text_map(TextMap("".join(lines)))
    assert layout.height == height
    for block in range(layout.block_count):
        layout.block_height(block)
    assert layout.laid_count == before + 1


@pytest.mark.parametrize(
    ("old", "new", "byte", "carried"),
    [
        ("abc", "abXc", 1, 1),
        ("abc", "abXc", 3, 4),
        ("aaaa", "aa", 4, 2),
        ("one two", "one 2", 7, 5),
        ("", "new", 0, 0),
    ],
)
def test_where_a_byte_is_after_an_edit(
    qtbot: QtBot, old: str, new: str, byte: int, carried: int
) -> None:
    layout = layout_of(old)
    layout.set_text_map(TextMap(new))
    assert layout.carried(byte) == carried
    layout.set_width(333.0)
    assert layout.carried(byte) == byte


@given(st.text("ab\n", max_size=12), st.text("ab\n", max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_edit_gives_the_layout_of_the_new_text(qtbot: QtBot, old: str, new: str) -> None:
    layout, fresh = layout_of(old), layout_of(new)
    layout.block_height(0)
    layout.set_text_map(TextMap(new))
    for one in (layout, fresh):
        for block in range(one.block_count):
            one.block_height(block)
    assert layout.height == fresh.height
    assert layout.block_count == fresh.block_count


def test_room_moves_lines_apart_without_laying_out(qtbot: QtBot) -> None:
    layout = layout_of("one\ntwo\nthree")
    one, other = QObject(), QObject()
    layout.set_room(one, 2, 4)
    first = [line.top for block in range(3) for line in layout.lines(block)]
    count, height = layout.laid_count, layout.height
    layout.set_room(other, 10, 0)
    assert layout.laid_count == count
    assert layout.height == height + 3 * 8  # 10 above for one, 4 below for the other.
    layout.set_room(other, 0, 0)
    assert [line.top for block in range(3) for line in layout.lines(block)] == first


def test_blocks_by_byte_and_by_place(qtbot: QtBot) -> None:
    layout = layout_of("one\ntwo\nthree")
    assert [layout.block_of(b) for b in (0, 3, 4, 12, 13)] == [0, 0, 1, 2, 2]
    assert layout.block_start(2) == 8
    assert layout.block_at(layout.top(1) + 1) == 1
    assert layout.block_at(-5) == 0
    assert layout.block_at(1e9) == 2


def test_the_cache_is_bounded(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.widgets.text.text_layout.KEPT_CHARACTERS", 500)
    layout = layout_of("".join(f"{PROSE}{n}\n" for n in range(60)))
    for block in range(layout.block_count):
        layout.block_height(block)
    assert layout.cached_characters <= 500


@pytest.mark.parametrize("text", ["👍🏽", "ab", "क्ष", "\r\n"])
def test_boundaries_are_those_of_qt(text: str) -> None:
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    expected = [0]
    while (at := finder.toNextBoundary()) >= 0:
        expected.append(at)
    m = TextMap(text)
    assert m.byte_to_utf16(m.grapheme_edges(0, m.byte_count)).tolist() == expected
