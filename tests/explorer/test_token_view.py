"""The token view under hands: what it paints, lights, finds, walks and scrolls to."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot
from token_views import PROSE, cut_every, fill, middle, painted, shown_view

from tokenarium.models.text.segmentation import TextSpans
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.text.token_view import TokenView

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)


@pytest.fixture
def view(qtbot: QtBot) -> TokenView:
    return shown_view(qtbot)


def test_a_highlight_lights_its_bytes_only(view: TokenView) -> None:
    fill(view, "one two three\nfour")
    plain = painted(view)
    view.setHighlight(4, 7)
    lit = painted(view)
    assert lit != plain
    rect = view.partRects(1)[0]
    assert lit.pixelColor(int(rect.left()) + 3, int(rect.top()) + 3) == LIGHT.selection
    second_line = view.partRects(3)[0].toRect()
    assert lit.copy(second_line) == plain.copy(second_line)
    view.setHighlight(-1, -1)
    assert painted(view) == plain


def test_pointing_elsewhere_draws_an_outline(view: TokenView) -> None:
    fill(view, "one two three")
    plain = painted(view)
    view.setPointed(4, 7)
    assert painted(view) != plain
    view.setPointed(-1, -1)
    assert painted(view) == plain


def test_hovering_tells_the_span_once(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three")
    told: list[tuple[int, int]] = []
    view.hovered.connect(lambda start, end: told.append((start, end)))
    for part in (0, 0, 2):
        qtbot.mouseMove(view.viewport(), middle(view, part))
    qtbot.mouseMove(view.viewport(), QPoint(300, 200))
    assert told == [(0, 4), (8, 13), (-1, -1)]


def test_click_drag_and_click_beside(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three four")
    told: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: told.append((start, end)))
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(view.viewport(), left, pos=middle(view, 2))
    qtbot.mouseMove(view.viewport(), middle(view, 1))
    qtbot.mouseMove(view.viewport(), middle(view, 3))
    qtbot.mouseRelease(view.viewport(), left, pos=middle(view, 3))
    qtbot.mouseClick(view.viewport(), left, pos=middle(view, 0))
    shift = Qt.KeyboardModifier.ShiftModifier
    qtbot.mouseClick(view.viewport(), left, shift, pos=middle(view, 1))
    qtbot.mouseClick(view.viewport(), left, pos=QPoint(350, 200))
    assert told == [(8, 14), (4, 14), (8, 18), (0, 4), (0, 8), (-1, -1)]


def test_the_keyboard_walks_from_part_to_part(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three\nfour five six")
    told: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: told.append((start, end)))
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
    assert told == [
        (0, 4), (4, 8), (4, 14), (0, 4), (14, 19), (24, 27), (0, 4), (0, 4), (0, 27), (-1, -1),
    ]  # fmt: skip


def test_right_to_left_text_is_walked_as_it_looks(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "שלום עולם טוב")
    told: list[tuple[int, int]] = []
    view.picked.connect(lambda start, end: told.append((start, end)))
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(view, key)
    assert told == [(0, 9), (9, 18), (18, 24), (9, 18)]


def test_pages_scroll_along(view: TokenView, qtbot: QtBot) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(200))
    fill(view, text)
    with qtbot.waitSignals([view.scrolled, view.picked]):
        for _ in range(4):
            qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert view.verticalScrollBar().value() > 200
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.partRects(len(view.segmentation) - 1)
    qtbot.keyClick(view, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert view.verticalScrollBar().value() == 0


def test_the_current_part_is_told_to_assistive_technology(view: TokenView, qtbot: QtBot) -> None:
    fill(view, "one two three", TextSpans.of_tokens([40, 50], [[0, 4], [4, 13]]))
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.accessibleName() == "Tokens"
    assert view.accessibleDescription() == "2 of 2: “two three”, id 50, bytes 4 to 13"


def test_no_key_hurts_an_empty_view(view: TokenView, qtbot: QtBot) -> None:
    view.setEmptyText("Type or open a text.")
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
    assert view.partAt(QPointF(30, 20)) == -1


def test_an_empty_view_says_so(view: TokenView) -> None:
    blank = painted(view)
    view.setEmptyText("Type or open a text.")
    assert painted(view) != blank


@pytest.mark.parametrize("kind", ["ids", "bytes"])
def test_annotations_make_room_and_ink(view: TokenView, kind: str) -> None:
    fill(view, "one two three")
    plain, height = painted(view), view.contentHeight()
    view.setAnnotations(kind)  # type: ignore[arg-type]
    assert view.contentHeight() > height
    assert painted(view) != plain
    view.setAnnotations("none")
    assert painted(view) == plain


def test_whitespace_is_shown_on_demand_and_controls_always(view: TokenView) -> None:
    fill(view, "a b\tc\nd\u200de", cut_every("a b\tc\nd\u200de", 2))
    plain = painted(view)
    view.setShowWhitespace(True)
    shown = painted(view)
    view.setShowWhitespace(False)
    assert painted(view) == plain
    assert shown != plain
    fill(view, "a\x00b")
    named = painted(view)
    fill(view, "a\u2003b")
    assert named != painted(view)


def test_lines_with_names_above_their_letters_have_room_for_them(view: TokenView) -> None:
    view.setShowWhitespace(True)
    layout = view.textLayout
    fill(view, "plain\r\n\ttext\u00a0\x00\n")
    tight = layout.block_height(0)
    assert layout.block_height(1) == tight
    for invisible in "\u200d\ufe0f\u00ad\u2009\U000e0041":
        fill(view, f"é\na{invisible}b\nc")
        assert layout.block_height(0) == layout.block_height(2) == tight
        assert layout.block_height(1) > tight
    view.setShowWhitespace(False)
    assert layout.block_height(1) == tight


def test_disputed_cuts_are_ticked_where_the_view_makes_them(view: TokenView) -> None:
    fill(view, "one two three")  # cuts at 4, 8 and 13
    warning = LIGHT.warning.name()

    def ticks() -> list[int]:
        image = painted(view)
        line = round(view.partRects(0)[0].bottom()) + 1
        return [x for x in range(image.width()) if image.pixelColor(x, line).name() == warning]

    assert ticks() == []
    view.setDisputed(np.array([2, 8], dtype=np.int32))  # a cut at 2 is another's
    edge = round(view.partRects(1)[0].right())
    assert ticks() == [edge - 2, edge - 1, edge]
    view.setDisputed(np.array([2], dtype=np.int32))
    assert ticks() == []


def test_a_paragraph_without_letters_stands_where_the_one_before_does(view: TokenView) -> None:
    text = "שלום\n\n…\nabc\n\n"
    fill(view, text, cut_every(text, 1))
    edge = view.viewport().width() / 2
    starts = [byte for byte, piece in enumerate(text.encode()) if piece == 0x0A]
    sides = [view.partRects(byte)[0].center().x() > edge for byte in starts]
    assert sides == [True, True, True, False, False]
    for byte in starts:
        assert view.partAt(view.partRects(byte)[0].center()) == byte


def test_themes(view: TokenView) -> None:
    fill(view, "one two three")
    view.setTheme(DARK)
    image = painted(view)
    assert image.pixelColor(1, 1) == DARK.panel
    rect = view.partRects(0)[0]
    colour = view.segmentation.colours[0]
    assert image.pixelColor(int(rect.left()) + 1, int(rect.bottom()) - 1) == DARK.tokens[colour]


def test_the_whole_text_can_be_painted_elsewhere(view: TokenView) -> None:
    text = "".join(f"{n} {PROSE}\n" for n in range(40))
    fill(view, text)
    view.verticalScrollBar().setValue(300)
    rect = view.contentRect()
    assert rect.height() == pytest.approx(view.contentHeight())
    assert rect.top() == -300
    image = QImage(rect.size().toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    painter.translate(-rect.topLeft())
    view.paintContents(painter, rect)
    painter.end()
    view.verticalScrollBar().setValue(0)
    first = painted(view)
    assert image.copy(first.rect()) == first
