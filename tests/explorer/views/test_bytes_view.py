"""The workspace Bytes: linked bytes, the keyboard, a part of the ids; and the strip of stages."""

from __future__ import annotations

import pytest
from narrowed import assert_contains, there
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot
from windows import Host, Room, off_screen, shown_in

from tokenarium.app.controllers import inspect
from tokenarium.app.window import MainWindow
from tokenarium.models.text.byte_cells import CellRow
from tokenarium.models.text.pipeline import PipelineStage
from tokenarium.models.text.token_row import TokenRow
from tokenarium.session import settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.style.theme import DARK
from tokenarium.views.bytes import BytesView
from tokenarium.widgets.text.byte_painter import GUTTER
from tokenarium.widgets.text.pipeline_strip import PipelineStrip

SHIPPED = "shipped:tokenarium-8k"
ASTRONAUT = "👩\N{ZERO WIDTH JOINER}🚀"


@pytest.fixture
def view(host: Host) -> BytesView:
    host.show_workspace("bytes")
    return shown_in(host, BytesView)


def show(session: Session, view: BytesView, text: str, qtbot: QtBot) -> None:
    """Shows a text, and waits for its graphemes."""
    with qtbot.waitSignal(session.graphemes_changed):
        session.set_text(text)
    view.show_rows()


def row_named(view: BytesView, title: str) -> tuple[int, CellRow]:
    return next((n, row) for n, row in enumerate(view.grid.rows) if row.title == title)


def place_of(view: BytesView, title: str, byte: int) -> QPoint:
    number, row = row_named(view, title)
    cell = there(row.cell_at(byte))
    return view.grid.cell_rect(number, cell).center()


def test_rows_come_with_the_current_tokenizer_first(
    session: Session, view: BytesView, bytes_only: str, qtbot: QtBot
) -> None:
    show(session, view, "plain", qtbot)
    titles = [row.title for row in view.grid.rows]
    assert titles == ["Characters", "Code points", "Bytes", "Tokenarium 8k", "bytes"]
    number, _ = row_named(view, "bytes")
    top = view.grid._tops[number] + 10
    qtbot.mouseClick(
        view.grid.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(GUTTER // 2, round(top))
    )
    assert session.current is session.library.item(bytes_only)
    view.show_rows()
    assert [row.title for row in view.grid.rows][3:] == ["bytes", "Tokenarium 8k"]
    press(view, qtbot, *[Qt.Key.Key_Down] * 5, Qt.Key.Key_Return)
    assert session.current is session.library.item(SHIPPED)


def test_other_scripts_have_names(session: Session, view: BytesView, qtbot: QtBot) -> None:
    show(session, view, "né", qtbot)
    assert [row.title for row in view.grid.rows][:5] == [
        "Characters",
        "Code points",
        "Names",
        "Scripts",
        "Bytes",
    ]


def test_counts_are_over_the_rows(
    session: Session, view: BytesView, bytes_only: str, qtbot: QtBot
) -> None:
    session.set_current(bytes_only)
    show(session, view, "ae\u0301", qtbot)
    assert view.counts.text() == (
        "bytes: 4 tokens · 2 with part of a character · 1 with part of a grapheme"
    )
    show(session, view, "ab", qtbot)
    assert view.counts.text() == "bytes: 2 tokens, none of which splits a character"


def test_pointing_and_clicking_are_linked(session: Session, view: BytesView, qtbot: QtBot) -> None:
    show(session, view, "né 😀", qtbot)
    place = place_of(view, "Characters", 1)
    qtbot.mouseMove(view.grid.viewport(), place)
    assert session.hover == (1, 3)
    qtbot.mouseClick(view.grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.selection == (1, 3)
    qtbot.mouseClick(
        view.grid.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ShiftModifier,
        place_of(view, "Bytes", 5),
    )
    assert session.selection == (1, 6)
    tip = view.grid.tip_at(QPointF(place))
    assert "U+00E9 LATIN SMALL LETTER E WITH ACUTE" in tip
    assert view.grid.tip_at(QPointF(2, place.y())).startswith("What readers see")
    QToolTip.hideText()


def press(view: BytesView, qtbot: QtBot, *keys: Qt.Key, shift: bool = False) -> None:
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    for key in keys:
        qtbot.keyClick(view.grid, key, modifier)


def test_keys_go_by_what_the_row_is_made_of(
    session: Session, view: BytesView, qtbot: QtBot
) -> None:
    show(session, view, f"a{ASTRONAUT}é", qtbot)
    press(view, qtbot, Qt.Key.Key_Right)
    assert session.selection == (0, 1)
    press(view, qtbot, Qt.Key.Key_Right)
    assert session.selection == (1, 12)
    press(view, qtbot, Qt.Key.Key_Down)
    assert session.selection == (1, 5)  # a code point
    press(view, qtbot, Qt.Key.Key_Right)
    assert session.selection == (5, 8)
    press(view, qtbot, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down)
    assert session.selection == (5, 6)  # a byte
    press(view, qtbot, Qt.Key.Key_Right, Qt.Key.Key_Right, shift=True)
    assert session.selection == (5, 8)
    press(view, qtbot, Qt.Key.Key_Left, shift=True)
    assert session.selection == (5, 7)
    press(view, qtbot, Qt.Key.Key_Escape)
    assert session.selection is None


def test_keys_reach_every_row_and_end(session: Session, view: BytesView, qtbot: QtBot) -> None:
    show(session, view, "é😀 word" * 30, qtbot)
    size = session.text_map.byte_count
    press(view, qtbot, *[Qt.Key.Key_Down] * 60)
    press(view, qtbot, Qt.Key.Key_PageDown, Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_PageUp)
    qtbot.keyClick(view.grid, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert session.selection is not None
    assert session.selection[1] == size
    start, end = view.grid.visible()
    assert start < size == end
    press(view, qtbot, Qt.Key.Key_Right)
    assert session.selection[1] == size
    qtbot.keyClick(view.grid, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert session.selection[0] == 0
    assert view.grid.accessibleDescription()


def test_a_selection_from_elsewhere_is_scrolled_to(
    session: Session, view: BytesView, qtbot: QtBot
) -> None:
    show(session, view, "some words " * 300, qtbot)
    session.select(2500, 2504)
    start, end = view.grid.visible()
    assert start <= 2500 < end
    press(view, qtbot, Qt.Key.Key_Right)
    assert there(session.selection)[0] == 2504


def test_a_selection_in_sight_stays_there_in_less_room(
    session: Session, view: BytesView, qtbot: QtBot
) -> None:
    show(session, view, "some words " * 300, qtbot)
    grid = view.grid
    session.select(2500, 2504)
    for width, height in ((0, -120), (-160, 0), (160, 60)):
        grid.resize(grid.width() + width, grid.height() + height)
        top = grid.line_height * (2500 // grid.columns) - grid.verticalScrollBar().value()
        assert 0 <= top <= grid.viewport().height() - grid.line_height


def test_a_part_of_the_ids_is_decoded(
    session: Session, view: BytesView, bytes_only: str, qtbot: QtBot
) -> None:
    session.set_current(bytes_only)
    show(session, view, "a€b", qtbot)
    assert "Select bytes" in view.part.note.text()
    session.select(0, 2)
    assert (view.part.first.value(), view.part.last.value()) == (0, 1)
    assert "�" in view.part.text.text()
    assert "€ goes on in the next token" in view.part.note.text()
    view.part.last.setValue(3)
    assert session.selection == (0, 4)
    assert "a€" in view.part.text.text()
    view.part.first.setValue(4)
    assert (view.part.first.value(), view.part.last.value()) == (4, 4)
    assert session.selection == (4, 5)
    assert view.part.ids.text().startswith("ids ")


def test_a_large_text_has_few_cells(session: Session, view: BytesView, qtbot: QtBot) -> None:
    session.set_text("The harbour lay still, né 😀. " * 30_000)
    view.show_rows()
    view.grid.verticalScrollBar().setValue(view.grid.verticalScrollBar().maximum() // 2)
    view.grid.viewport().repaint()
    assert 0 < len(view.grid._kept) < 20
    start, end = view.grid.visible()
    assert end - start < 2000
    qtbot.waitUntil(lambda: session.encoded(SHIPPED).complete)  # type: ignore[union-attr]
    view.show_rows()
    assert "so far" not in view.counts.text()


def test_states_without_text_or_tokenizer(session: Session, view: BytesView) -> None:
    assert view.empty.isVisible()
    session.set_text("abc")
    view.show_rows()
    assert not view.empty.isVisible()
    session.edits.turn_on(SHIPPED, False)
    view.show_rows()
    assert "No tokenizer" in view.empty.title.text()


def test_a_hidden_view_does_nothing(room: Room, view: BytesView, qtbot: QtBot) -> None:
    session = room.session
    show(session, view, "one", qtbot)
    room.show_workspace("pretokens")
    rows = view.grid.rows
    with qtbot.waitSignal(session.graphemes_changed):
        session.set_text("né two")
    session.select(4, 7)
    assert view.grid.rows is rows
    room.show_workspace("bytes")
    assert view.grid.rows is not rows
    assert "two" in view.part.text.text()


@pytest.mark.parametrize(
    "text", ["", "\n", "\r\n", "\ufeffab", "a\u0301\n", "مرحبا", "नमस्ते", "\u0301", "\u200f\t"]
)
def test_any_range_can_be_lit(room: Room, view: BytesView, text: str) -> None:
    session = room.session
    session.set_text(text)
    view.show_rows()
    size = session.text_map.byte_count
    for scheme in ("dark", "light"):
        room.appearance.set_scheme(scheme)
        for start in range(size + 1):
            for end in range(start, size + 1):
                session.select(start, end)
                session.point_at(start, end)
                view.grid.grab()
    assert all(isinstance(row, TokenRow) or row.about for row in view.grid.rows)


def test_what_is_written_is_seen(window: MainWindow, view: BytesView, qtbot: QtBot) -> None:
    show(window.session, view, "line é😀\n" * 200, qtbot)
    assert view.grid.verticalScrollBar().value() == 0
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(window.text.field, "x")
    end = window.session.text_map.byte_count
    qtbot.waitUntil(lambda: view.grid.visible()[1] >= end)


# The strip of stages.


def contents(window: MainWindow) -> list[str]:
    window.pipeline_controller.show_pipeline(True)
    window.pipeline_controller.show_stages()
    return [stage.content for stage in window.pipeline_controller.strip.stages]


def test_the_strip_follows_the_selection_then_the_pointer(window: MainWindow) -> None:
    window.session.set_text("one two")
    assert contents(window) == []
    assert "Tokenarium 8k" in window.pipeline_controller.strip.hint
    window.session.point_at(0, 3)
    assert contents(window)[0] == "one"
    window.session.select(3, 7)
    assert contents(window)[0] == "␣two"
    assert "␣two" in window.pipeline_controller.strip.accessibleDescription()
    assert contents(window)[1:3] == ["unchanged", "unchanged"]  # no added token, nothing normalized


def test_the_strip_shows_the_added_token(window: MainWindow) -> None:
    window.session.set_text("one<|endoftext|>")
    window.session.select(5, 8)
    window.session.set_special("all")
    added = contents(window)[1]
    assert added == "<|endoftext|>"
    stage = window.pipeline_controller.strip.stages[1]
    assert (stage.name, "special: found only where" in stage.about) == ("Added", True)
    window.session.set_special("none")
    assert contents(window)[1] == "unchanged"


@pytest.mark.parametrize("width", [1100, 1280, 1440])
@pytest.mark.parametrize("words", ["␣ a space", "<0xD9> a byte, part of a character · " * 3])
def test_signs_and_legend_are_not_cut_off(
    window: MainWindow, view: BytesView, qtbot: QtBot, width: int, words: str
) -> None:
    show(window.session, view, "plain", qtbot)
    window.resize(width, 800)
    legend, signs = view.legend, view.signs
    signs.setText(words)
    view._fit_head()
    needed = min(signs.fontMetrics().horizontalAdvance(words), view.width() - 40)
    qtbot.waitUntil(lambda: signs.width() >= needed)
    if legend.isVisible():
        qtbot.waitUntil(lambda: not legend.geometry().intersects(signs.geometry()))
        assert legend.width() >= legend.sizeHint().width()
        assert view.rect().contains(legend.geometry())


def test_a_narrow_strip_leaves_the_rules_out(window: MainWindow) -> None:
    window.session.set_text("one two three")
    window.session.select(3, 7)
    assert contents(window)[3] == "lower-case word “␣two”"
    strip = window.pipeline_controller.strip
    assert strip.stages[3].brief == "␣two"
    narrow, wide = QSize(300, strip.height()), QSize(1_500, strip.height())
    for size, shown in ((wide, "lower-case word “␣two”"), (narrow, "␣two")):
        strip.resize(size)
        strip.boxes()
        assert strip._text(strip.stages[3]) == shown


def test_the_strip_can_be_hidden_for_good(window: MainWindow, store: Settings) -> None:
    window.session.set_text("one two")
    window.pipeline_controller.show_stages()
    strip = window.pipeline_controller.strip
    assert not strip.isVisible()
    window.actions_by_id["show_pipeline"].trigger()
    assert strip.isVisible()
    assert store.get(settings.SHOW_PIPELINE)
    window.actions_by_id["show_pipeline"].trigger()
    assert not strip.isVisible()
    assert not store.get(settings.SHOW_PIPELINE)


@pytest.mark.parametrize("width", [300, 560, 1200])
def test_boxes_of_the_strip_keep_inside(qtbot: QtBot, width: int) -> None:
    strip = off_screen(qtbot, PipelineStrip())
    strip.resize(width, strip.height())
    strip.show_stages(
        [PipelineStage(name, "long content " * 9, "About.", term="id") for name in ("Raw", "Ids")]
    )
    boxes = strip.boxes()
    assert boxes[0].right() < boxes[1].left()
    assert boxes[-1].right() <= width
    assert_contains(
        strip.tip_at(boxes[1].center()), "About.", "Ids are all that a language model reads."
    )
    strip.setPalette(DARK.palette())
    strip.grab()


def test_numbers_in_decimal(window: MainWindow, view: BytesView, qtbot: QtBot) -> None:
    show(window.session, view, "안!", qtbot)
    switch = window.actions_by_id["decimal_numbers"]
    switch.trigger()
    view.show_rows()
    assert [cell.label for cell in row_named(view, "Code points")[1].cells(0, 4)] == ["50504", "33"]
    labels = [cell.label for cell in row_named(view, "Bytes")[1].cells(0, 4)]
    assert labels == ["236", "149", "136", "33"]
    assert "in decimal" in row_named(view, "Bytes")[1].about
    window.session.select(0, 3)
    inspected = there(inspect(window.session, window.appearance.theme))
    assert [row.code_point for row in inspected.characters] == ["50504"]
    qtbot.waitUntil(lambda: "236 149 136" in window.inspector.facts.toolTip())
    switch.trigger()
    view.show_rows()
    assert [cell.label for cell in row_named(view, "Bytes")[1].cells(0, 3)] == ["EC", "95", "88"]
