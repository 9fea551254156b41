"""Parts that many widgets use: rows that flow, balanced lines, the ring of the keyboard, painted bars and sliders."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QLineF, QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QStackedWidget,
    QStyleOptionGraphicsItem,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from windows import off_screen, on_screen

from tokenarium.app.window import MainWindow
from tokenarium.pictures.svg_picture import svg_picture
from tokenarium.style.appearance import Appearance, Scheme
from tokenarium.style.fonts import ui_font
from tokenarium.style.theme import GRID, LIGHT
from tokenarium.views.merge_training import NOTHING
from tokenarium.widgets.charts.bar_plot import SeenBars
from tokenarium.widgets.empty_state import LONGEST, BalancedLabel, EmptyState, balanced_width
from tokenarium.widgets.keyboard import RING
from tokenarium.widgets.layouts import FlowLayout
from tokenarium.widgets.panel import ElidedLabel, FlatButton
from tokenarium.widgets.players.transport import TrackSlider
from tokenarium.widgets.term_marks import TermButton
from tokenarium.widgets.title_row import TitleRow


def test_what_is_put_in_while_it_is_hidden_is_set_out(qtbot: QtBot, qapp: QApplication) -> None:
    pages, row = QStackedWidget(), QWidget()
    qtbot.addWidget(pages)
    layout = FlowLayout(row)
    for page in (row, QWidget()):
        pages.addWidget(page)
    layout.addWidget(QLabel("one"))
    pages.resize(400, 100)
    pages.show()
    qapp.processEvents()
    pages.setCurrentIndex(1)
    old = there(layout.takeAt(0).widget())
    old.deleteLater()
    labels = [QLabel(text) for text in ("one", "two", "three")]
    for label in labels:
        layout.addWidget(label)
    pages.setCurrentIndex(0)
    qapp.processEvents()
    places = [label.geometry() for label in labels]
    assert all(
        place.size() == label.sizeHint() for place, label in zip(places, labels, strict=True)
    )
    assert all(one.right() < other.left() for one, other in itertools.pairwise(places))


def lines(text: str, metrics: QFontMetrics, width: int) -> list[int]:
    """The widths of the lines in which words are set one after the other."""
    found = [""]
    for word in text.split(" "):
        longer = f"{found[-1]} {word}".lstrip()
        if metrics.horizontalAdvance(longer) <= width:
            found[-1] = longer
        else:
            found.append(word)
    return [metrics.horizontalAdvance(line) for line in found]


@pytest.mark.parametrize("room", [240, 400, 560, LONGEST, 2000])
def test_no_line_is_much_shorter_than_the_others(qtbot: QtBot, room: int) -> None:
    metrics = QFontMetrics(ui_font())
    width = balanced_width(NOTHING[1], metrics, room)
    before, after = (lines(NOTHING[1], metrics, each) for each in (room, width))
    assert width <= room
    assert len(after) == len(before)
    assert min(after) > 0.6 * max(after)


@pytest.mark.parametrize("text", ["", "word", "a_word_that_is_wider_than_its_room"])
def test_what_cannot_be_broken_stays_in_its_room(qtbot: QtBot, text: str) -> None:
    metrics = QFontMetrics(ui_font())
    assert balanced_width(text, metrics, 60) <= 60


def test_an_empty_state_sets_its_sentence_so(qtbot: QtBot) -> None:
    state = off_screen(qtbot, EmptyState(), 1000, 300)
    state.say(*NOTHING)
    with qtbot.waitExposed(state):
        state.show()
    label = of_kind(state.sentence, BalancedLabel)
    assert label.height() == label.heightForWidth(LONGEST)
    image = label.grab().toImage()
    middle = image.height() // 2
    first, last = (inked(image, rows) for rows in (range(middle), range(middle, image.height())))
    assert first
    assert last
    assert len(last) > 0.6 * len(first)


def inked(image: QImage, rows: range) -> range:
    """Returns the first and last x at which something is drawn in some rows."""
    ground = image.pixel(0, 0)
    columns = [x for x in range(image.width()) if any(image.pixel(x, y) != ground for y in rows)]
    return range(columns[0], columns[-1] + 1) if columns else range(0)


def has_ring(widget: QWidget, left: int) -> bool:
    """Whether the left side of a ring is at an x in the middle of a widget's height."""
    image = widget.grab().toImage()
    colour = image.pixelColor(left + RING // 2, widget.height() // 2)
    return colour == widget.palette().highlight().color()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_keyboard_is_seen_where_it_is(window: MainWindow, qtbot: QtBot, scheme: Scheme) -> None:
    window.display_commands.set_colour_scheme(scheme)
    QApplication.processEvents()
    button = window.text_line.samples
    window.library.tree.setFocus()
    qtbot.mouseClick(window.text_line, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    assert not has_ring(button, 0)
    window.library.tree.setFocus()
    qtbot.keyClick(window.library.tree, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is button
    assert has_ring(button, 0)
    qtbot.keyClick(button, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is window.text_line.pencil
    assert not has_ring(button, 0)
    window.panes.rail.focus_current()
    assert has_ring(window.rail.current, 0)


def test_all_buttons_of_the_head_lines_have_a_ring(window: MainWindow) -> None:
    buttons = [*window.library.controls, *window.text.controls]
    assert len([b for b in buttons if isinstance(b, QToolButton)]) > 4
    assert all(isinstance(b, FlatButton) for b in buttons if isinstance(b, QToolButton))


@pytest.mark.parametrize(("value", "enabled"), [(0, True), (30, True), (100, True), (30, False)])
def test_a_track_is_coloured_up_to_its_handle(
    value: int, enabled: bool, qtbot: QtBot, qapp: QApplication
) -> None:
    Appearance(qapp, "light")
    slider = off_screen(qtbot, TrackSlider())
    slider.setRange(0, 100)
    slider.setValue(value)
    slider.setEnabled(enabled)
    slider.resize(300, 24)
    slider.show()
    image = slider.grab().toImage()
    accent = slider.palette().color(QPalette.ColorRole.Highlight)
    coloured = [x for x in range(300) if image.pixelColor(x, 12) == accent]
    ends = {0: 0, 30: 90, 100: 290}
    assert len(coloured) == pytest.approx(ends[value] if enabled else 0, abs=14)
    svg = ElementTree.fromstring(svg_picture(slider, ""))
    filled = [e.get("fill") for e in svg.iter() if e.get("fill")]
    assert (accent.name() in filled) is enabled
    assert slider.palette().color(QPalette.ColorRole.Midlight).name() in filled


def test_bars_end_where_the_chart_does(qapp: QApplication) -> None:
    seen = QRectF(10, 20, 50, 40)
    bars = [QRectF(0, 0, 30, 30), QRectF(40, 50, -20, 30), QRectF(12, 70, 9, 9)]
    marks = [QLineF(15, 0, 15, 90), QLineF(15, 70, 15, 90), QLineF(5, 30, 5, 40)]
    item = SeenBars(bars, LIGHT.identity(0).full, marks, LIGHT.identity(1).full, lambda: seen)
    assert all(item.boundingRect().contains(bar.normalized()) for bar in bars)
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.fill(LIGHT.surface)
    painter = QPainter(image)
    item.paint(painter, QStyleOptionGraphicsItem())
    painter.end()
    colours = {
        (x, y): image.pixelColor(x, y)
        for x in range(100)
        for y in range(100)
        if image.pixelColor(x, y) != LIGHT.surface
    }
    assert all(seen.adjusted(-1, -1, 1, 1).contains(x, y) for x, y in colours)
    assert colours[25, 25] == colours[30, 55] == LIGHT.identity(0).full
    assert colours[15, 40] == LIGHT.identity(1).full


def test_controls_go_below_a_title_that_would_be_cut_short(qtbot: QtBot) -> None:
    title, mark, field = ElidedLabel("A question"), TermButton("superword"), QToolButton()
    field.setFixedSize(80, 24)
    row = on_screen(qtbot, TitleRow(title, [mark, field]))
    needed = title.sizeHint().width() + mark.sizeHint().width() + field.width() + 2 * GRID
    row.resize(needed, row.sizeHint().height())
    qtbot.waitUntil(lambda: field.x() > mark.x() > title.x())
    assert field.geometry().right() == row.rect().right()
    title.setText("A question that is longer")
    qtbot.waitUntil(lambda: field.y() >= title.geometry().bottom())
    assert title.width() >= title.sizeHint().width()
    assert field.x() == title.x() == 0
    title.setText("A question")
    qtbot.waitUntil(lambda: field.x() > mark.x())


def test_help_stays_beside_a_title_that_is_cut_short(qtbot: QtBot) -> None:
    title, mark = ElidedLabel("A question that is long"), TermButton("superword")
    row = on_screen(qtbot, TitleRow(title, [mark]))
    row.resize(title.sizeHint().width(), 40)
    qtbot.waitUntil(lambda: mark.x() > title.geometry().right() > 0)
    assert title.width() < title.sizeHint().width()
