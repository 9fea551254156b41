"""The comparison of several ways to cut a text: strips under each line, the front, counts, markers, ticks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from narrowed import assert_contains
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from token_views import PROSE, by_words, cut_every, painted
from windows import off_screen

from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.style import appearance
from tokenarium.style.appearance import Appearance
from tokenarium.style.theme import DARK, LIGHT, PAGE_MARGIN
from tokenarium.widgets.text import interlinear_view
from tokenarium.widgets.text.interlinear_view import InterlinearRow, InterlinearView

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)

TEXT = "unbelievable strawberries\nनमस्ते दुनिया\nالسلام عليكم\n👩‍👩‍👧‍👦 🦤\n"
SIZES = {"one": 100, "two": 5, "three": 3}


@pytest.fixture
def view(qtbot: QtBot) -> InterlinearView:
    """Three rows: words in front, then pieces of five and of three bytes."""
    view = off_screen(qtbot, InterlinearView(), 700, 500)
    with qtbot.waitExposed(view):
        view.show()
    show(view, TEXT)
    return view


def show(view: InterlinearView, text: str, **sizes: int) -> None:
    sizes = sizes or SIZES
    view.set_rows(
        [InterlinearRow(key, key, LIGHT.identity(place)) for place, key in enumerate(sizes)]
    )
    view.set_text_map(TextMap(text))
    for key, size in sizes.items():
        view.set_parts(key, by_words(text) if size == 100 else cut_every(text, size))


def strip_middle(view: InterlinearView, row: int, line: int = 0) -> float:
    """The y of the middle of a strip, in the viewport."""
    top, placed = view._lines_in(view.viewport().rect())[line]
    band = view._painter.strip_band(placed, row)
    return top + band.top + band.height / 2


def colours(image: QImage, y: float) -> set[str]:
    return {image.pixelColor(x, round(y)).name() for x in range(image.width())}


def test_the_front_is_on_the_text_and_the_others_have_strips(view: InterlinearView) -> None:
    image = painted(view)
    for row, slot in ((0, 1), (1, 2)):
        identity = LIGHT.identity(slot)
        found = colours(image, strip_middle(view, row))
        assert {identity.soft.name(), identity.mid.name()} <= found
        assert identity.full.name() not in {
            image.pixelColor(x, round(strip_middle(view, row))).name() for x in range(46, 600)
        }
    assert view.parts is view.rows["one"].parts
    view.set_front("three", moves=False)
    assert view.parts is view.rows["three"].parts
    image = painted(view)
    identity = LIGHT.identity(0)
    assert {identity.soft.name(), identity.mid.name()} <= colours(image, strip_middle(view, 0))


def test_what_is_selected_and_pointed_at_is_deeper_in_the_strips(view: InterlinearView) -> None:
    identity = LIGHT.identity(1)

    def deep(image: QImage) -> bool:
        y = round(strip_middle(view, 0))
        seen = {image.pixelColor(x, y).name() for x in range(PAGE_MARGIN + 26, image.width() - 60)}
        return identity.full.name() in seen

    assert not deep(painted(view))
    view.set_highlight(5, 10)
    assert deep(painted(view))
    view.set_highlight(-1, -1)
    view.set_pointed(5, 10)
    assert deep(painted(view))


def test_every_token_is_counted_in_one_line(view: InterlinearView) -> None:
    show(view, TEXT + PROSE * 4 + "\nthe end")
    layout = view.text_layout
    end = layout.text_map.byte_count
    for layer in view.rows.values():
        counts = [
            layer.count(placed, end)
            for block in range(layout.block_count)
            for placed in layout.lines(block)
        ]
        assert sum(counts) == len(layer.parts)


@pytest.mark.parametrize("text", [TEXT, "\n", "a", "e\u0301\u0302\n\nb", "\u202eab\n"])
@pytest.mark.parametrize("annotations", ["none", "ids", "bytes"])
def test_any_text_is_painted_with_any_front(
    view: InterlinearView, text: str, annotations: str
) -> None:
    show(view, text)
    view.set_annotations(annotations)  # type: ignore[arg-type]
    view.set_show_whitespace(annotations == "ids")
    for key in SIZES:
        view.set_front(key, moves=False)
        for end in range(0, len(text.encode()) + 1, 3):
            view.set_highlight(0, end)
            assert not painted(view).isNull()


def test_a_strip_is_pointed_at_clicked_and_described(view: InterlinearView, qtbot: QtBot) -> None:
    heard: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: heard.append((start, end)))
    x = view._left + 3
    for row, size in ((0, 5), (1, 3)):
        at = QPoint(x, round(strip_middle(view, row)))
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert heard[-1] == (0, size)
    tip = view._tip(QPoint(x, round(strip_middle(view, 0))))
    assert tip.startswith("two: “")
    assert_contains(tip, "unbel", "id 100", "bytes 0 to 5")
    assert "click to put it in front" in view._tip(
        QPoint(PAGE_MARGIN + 4, round(strip_middle(view, 1)))
    )


def test_a_marker_asks_for_its_row_in_front(view: InterlinearView, qtbot: QtBot) -> None:
    for row, key in ((0, "two"), (1, "three")):
        at = QPoint(PAGE_MARGIN + 4, round(strip_middle(view, row)))
        with qtbot.waitSignal(
            view.front_requested, check_params_cb=lambda found, key=key: found == key
        ):
            qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_another_front_fades_over_and_the_text_stays(
    view: InterlinearView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interlinear_view, "motion_enabled", lambda: True)
    before = view.part_rects(0)[0]
    view.set_front("two")
    assert view._before is not None
    qtbot.waitUntil(lambda: view._before is None)
    after = view.part_rects(0)[0]
    assert (before.left(), before.top()) == (after.left(), after.top())
    view.set_front("three")
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(300, 400))
    assert view._before is None  # input ends it
    monkeypatch.setattr(interlinear_view, "motion_enabled", lambda: False)
    view.set_front("one")
    assert view._before is None
    assert appearance.motion_enabled is not None


def test_nine_rows_are_one_scroll_area_that_scrolls_smoothly(view: InterlinearView) -> None:
    show(view, (PROSE + "\n") * 30, **{f"t{size}": size for size in range(2, 11)})
    bar = view.verticalScrollBar()
    assert 130 < view.text_layout.line_height < 170
    tops = []
    for value in range(0, 40, 7):
        bar.setValue(value)
        tops.append(view.part_rects(30)[0].top())
    assert np.allclose(np.diff(tops), -7, atol=1)


def test_cuts_that_not_all_make_are_ticked_where_they_are_made(view: InterlinearView) -> None:
    show(view, "abcdefghijklmno" * 3, five=5, three=3)
    ask = LIGHT.ask.name()

    def ticked(row: int) -> int:
        image = painted(view)
        y = round(strip_middle(view, row))
        line = [image.pixelColor(x, y).name() == ask for x in range(image.width())]
        return sum(one and not before for before, one in pairwise(line))

    nothing = np.empty((0, 2), dtype=np.int32)
    cuts = np.array([3, 5, 6], dtype=np.int32)
    view.set_disputed(cuts, np.array([[0, 15]], dtype=np.int32))
    assert view.rows["three"].ticks(0, 45).tolist() == [3, 6]
    assert view.rows["five"].ticks(0, 45).tolist() == [5]
    assert ticked(0) == 2
    view.set_disputed(cuts, nothing, ["five"])
    assert ticked(0) == 0
    assert view.rows["three"].ticks(0, 45).tolist() == []


def test_ids_and_bytes_are_in_strips_of_which_the_front_has_one_too(view: InterlinearView) -> None:
    show(view, "unbelievable strawberries", two=8, three=12)
    plain = view.text_layout.line_height
    front = view.rows["two"]
    view.set_annotations("ids")
    assert view.text_layout.line_height > plain + 20
    assert view._painter.note(front, 0) == str(int(front.parts.ids[0]))  # type: ignore[index]
    view.set_annotations("bytes")
    assert view._painter.note(front, 0) == b"unbeliev".hex(" ")
    assert view._painter._beginning("75 6e 62", 1000) == "75 6e 62…"
    assert view._painter._beginning("75 6e 62", 3) == ""


def test_all_heights_follow_the_size_of_the_letters(view: InterlinearView) -> None:
    heights = []
    for pixels in (14, 19, 26, 48):
        view.set_text_size(pixels)
        heights.append(view.text_layout.line_height)
        assert not painted(view).isNull()
    assert heights == sorted(set(heights))


def test_a_row_with_rules_is_coloured_by_them(view: InterlinearView) -> None:
    text = "aaaa 1111 aaaa"
    view.set_rows([InterlinearRow(key, key, LIGHT.identity(0)) for key in ("words", "rules")])
    view.set_text_map(TextMap(text))
    view.set_parts("words", by_words(text))
    parts = TextParts.of_pre_tokens([4, 5, 9, 14], [0, 1, 2, 0], ["word", "blanks", "digits"])
    view.set_parts("rules", parts)
    found = colours(painted(view), strip_middle(view, 0))
    assert_contains(
        found, QColor(LIGHT.rule("digits")[0]).name(), QColor(LIGHT.rule("word")[0]).name()
    )


def test_a_selection_over_lines_has_one_frame(view: InterlinearView) -> None:
    show(view, PROSE * 6)
    view.set_highlight(4, 300)
    lines = view._lines_in(view.viewport().rect())
    outline = view._outline(view._painter.lit.selected, lines).simplified()
    assert len(outline.toSubpathPolygons()) == 1
    view.set_highlight(66, 74)  # around a line break: two parts that do not touch
    outline = view._outline(view._painter.lit.selected, lines).simplified()
    assert len(outline.toSubpathPolygons()) in (1, 2)
    assert outline.contains(view.part_rects(14)[0].center() if view.part_rects(14) else QPointF())


def test_themes(view: InterlinearView) -> None:
    view.setPalette(DARK.palette())
    view.set_rows([InterlinearRow(key, key, DARK.identity(n)) for n, key in enumerate(SIZES)])
    found = colours(painted(view), strip_middle(view, 0))
    assert DARK.identity(1).soft.name() in found


def test_a_menu_is_about_the_row_that_is_pointed_at(view: InterlinearView, qtbot: QtBot) -> None:
    asked: list[tuple[int, int, str]] = []
    view.token_menu_requested.connect(
        lambda _, start, end: asked.append((start, end, view.menu_row))
    )
    view.token_activated.connect(lambda start, end: asked.append((start, end, view.menu_row)))
    strip = QPoint(view._left + 3, round(strip_middle(view, 1)))

    def menu(reason: QContextMenuEvent.Reason) -> None:
        event = QContextMenuEvent(reason, strip, view.viewport().mapToGlobal(strip))
        view.contextMenuEvent(event)

    reasons = QContextMenuEvent.Reason
    menu(reasons.Mouse)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=strip)
    assert asked == [(0, 3, "three")] * 2
    view.set_highlight(0, 13)
    menu(reasons.Mouse)
    menu(reasons.Keyboard)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert asked[2:] == [(0, 13, "three"), (0, 13, ""), (0, 13, "")]


def test_a_blank_line_has_no_strips(qtbot: QtBot) -> None:
    view = off_screen(qtbot, InterlinearView(), 600, 400)
    view.set_text_map(TextMap("one\n\ntwo\r\n\r\n"))
    view.set_rows(
        [InterlinearRow(key, key, LIGHT.identity(place)) for place, key in enumerate("abcd")]
    )
    layout = view.text_layout
    heights = [layout.block_height(block) for block in range(layout.block_count)]
    assert heights[0] == heights[2] == layout.line_height
    for height in (heights[1], heights[3], heights[4]):
        assert height < 0.6 * layout.line_height
    blank = layout.lines(1)[0]
    assert view._painter.foot(blank) <= blank.bottom - blank.top


def test_letters_of_a_fixed_width(qapp: QApplication, qtbot: QtBot) -> None:
    looks = Appearance(qapp, "light")
    view = off_screen(qtbot, InterlinearView())
    view.follow_size(looks)
    usual = view.text_layout.font.families()
    looks.set_letters("fixed")
    letters = QFontMetricsF(view.text_layout.font)
    assert letters.horizontalAdvance("i") == letters.horizontalAdvance("W")
    looks.set_letters("auto")
    assert view.text_layout.font.families() == usual
