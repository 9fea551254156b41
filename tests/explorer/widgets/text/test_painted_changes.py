"""After an edit or by scrolling only what looks different is painted: the picture is that of a view which paints all."""

from __future__ import annotations

from itertools import pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from token_views import PROSE, cut_every, painted
from windows import off_screen

from tokenarium.models.text.lost_text import TextLoss
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import IntArray, TextMap
from tokenarium.style.theme import LIGHT
from tokenarium.widgets.text.interlinear_view import InterlinearRow, InterlinearView

pytestmark = pytest.mark.qt_log_ignore(
    "OpenType support missing", "does not support propagateSizeHints"
)

KEYS = ("front", "alike", "other", "late")
LINES = (
    "unbelievable strawberries\n",
    "नमस्ते दुनिया\n",
    "السلام عليكم 12\n",
    "👩‍👩‍👧‍👦 🦤\n",
    "\n",
    "a" * 90,
    "z" + "\u0302" * 9 + " reaches out of its line\n",
)


class EveryFifth(TextLoss):
    """Loses the parts with every fifth id, as a tokenizer does that does not know them."""

    def __init__(self) -> None:
        pass

    def spans_in(
        self, text: TextMap, ids: npt.NDArray[np.int32], spans: IntArray, first: int, last: int
    ) -> IntArray:
        return spans[ids % 5 == 0]


LOSING = {"front": EveryFifth(), "late": EveryFifth()}


class Screen(QObject):
    """What a screen shows of a view: its paint events, one over the other."""

    def __init__(self, view: InterlinearView) -> None:
        super().__init__()
        self._view = view
        self.image = painted(view)
        self.painted = QRegion()
        viewport = self._viewport = view.viewport()
        self._scroll_in_qt = viewport.scroll
        viewport.scroll = self._scroll  # type: ignore[method-assign]
        viewport.installEventFilter(self)

    def _scroll(self, x: int, y: int) -> None:
        self.image = self.image.copy(self.image.rect().translated(-x, -y))
        self._scroll_in_qt(x, y)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.painted += event.region()
            self.image = self.image.copy(self._view.viewport().rect())  # it may have another size
            painter = QPainter(self.image)
            painter.setClipRegion(event.region())
            whole = event.region() == QRegion(self._view.viewport().rect())
            self._view.paint_contents(painter, event.rect(), None if whole else event.region())
            painter.end()
        return False

    def update(self) -> QRegion:
        """Returns what is painted by the next turns of the event loop."""
        self.painted = QRegion()
        for _ in range(3):
            QApplication.processEvents()
        return self.painted


def by_bytes(text: str, size: int) -> TextParts:
    """Parts of some bytes in each word, so that an edit changes few of them."""
    spans, at = [], 0
    for word in text.replace("\n", "\n ").split(" "):
        data = word.encode() + (b"" if word.endswith("\n") else b" ")
        edges = [*range(at, at + len(data), size), at + len(data)]
        spans += pairwise(edges)
        at += len(data)
    end = len(text.encode())
    spans = [(start, min(stop, end)) for start, stop in spans if start < end]
    ids = [crc32(text.encode()[start:stop]) % 500 for start, stop in spans]
    return TextParts.of_tokens(ids, spans)


def parts_of(key: str, text: str) -> TextParts:
    sizes = {"front": 4, "alike": 4, "other": 3, "late": 5}
    return cut_every(text, 7) if key == "other" else by_bytes(text, sizes[key])


@pytest.fixture
def view(qtbot: QtBot) -> InterlinearView:
    view = off_screen(qtbot, InterlinearView(), 700, 500)
    with qtbot.waitExposed(view):
        view.show()
    view.set_rows([InterlinearRow(key, key, LIGHT.identity(at)) for at, key in enumerate(KEYS)])
    return view


def show(view: InterlinearView, text: str, keys: tuple[str, ...] = KEYS) -> None:
    for key in keys:
        view.set_parts(key, parts_of(key, text), losing=LOSING.get(key))


def edit(view: InterlinearView, first: int, last: int, characters: str) -> str:
    text = view.text_layout.text_map.replaced(first, last, characters)
    view.set_text_map(text)
    return text.text


def assert_shows_all(view: InterlinearView, screen: Screen, within: int = 0) -> None:
    """``within``: the most by which a colour may differ, as edges are smoothed a little differently elsewhere."""
    whole = painted(view)
    shown, wanted = (np.asarray(one.constBits()).astype(np.int16) for one in (screen.image, whole))
    differs = np.abs(shown - wanted) > within
    rows = np.flatnonzero(differs.reshape(whole.height(), -1).any(axis=1))
    assert not len(rows), f"differs from y = {rows[0]} to {rows[-1]}"


EDIT = st.tuples(
    st.integers(0, 400),
    st.integers(0, 3),
    st.sampled_from(
        ["", "x", " ", "\n", "é", "ब", "ا", "👍", "several words\nand lines ", "e\u0301" * 3]
    ),
    st.sampled_from([KEYS, KEYS[:3], KEYS[:1], ()]),
)


def middle_of(view: InterlinearView, line: int, row: int) -> int:
    """The y of the middle of a row."""
    top, placed = view._lines_in(view.viewport().rect())[line]
    band = view._painter.strip_band(placed, row)
    return round(top + band.top + band.height / 2)


def rows_at(region: QRegion, view: InterlinearView, line: int) -> list[bool]:
    """Whether each row of a line is in a region: the text, and the strips."""
    return [
        region.contains(QPoint(100, middle_of(view, line, row))) for row in range(-1, len(KEYS) - 1)
    ]


def test_a_keystroke_paints_its_line_and_the_rows_whose_parts_change(view: InterlinearView) -> None:
    text = "unbelievable strawberries\n" * 4
    view.set_text_map(TextMap(text))
    show(view, text)
    screen = Screen(view)
    screen.update()
    show(view, edit(view, 30, 31, "x"))
    screen.update()  # all, as what was painted before the first edit is not known
    show(view, edit(view, 30, 31, "y"), KEYS[:1])
    first = screen.update()
    assert rows_at(first, view, 1) == [True, False, False, False], "the strips wait"
    show(view, view.text_layout.text_map.text, KEYS[1:])
    second = screen.update()
    assert rows_at(second, view, 1) == [False, True, True, True]
    others = [rows_at(region, view, line) for region in (first, second) for line in (0, 2, 3)]
    assert not any(map(any, others))
    assert_shows_all(view, screen)


@pytest.mark.parametrize(("word", "flips"), [("x ", True), ("x y ", False)])
def test_one_token_more_flips_the_shades_of_the_lines_below(
    view: InterlinearView, word: str, flips: bool
) -> None:
    """Neighbours have different shades, also those at the ends of lines."""
    text = "unbelievable strawberries\n" * 4
    view.set_text_map(TextMap(text))
    show(view, text)
    screen = Screen(view)
    screen.update()
    show(view, edit(view, 30, 31, "y"))
    screen.update()  # all, as what was painted before the first edit is not known
    show(view, edit(view, 26, 26, word))
    painted = screen.update()
    assert not any(rows_at(painted, view, 0))
    assert all(rows_at(painted, view, 1))
    for line in (2, 3):
        front, alike, other, late = rows_at(painted, view, line)
        assert (front, alike, late) == (flips, flips, flips)
        assert other, "its cuts move"
    assert_shows_all(view, screen)


def test_scrolling_paints_what_comes_in(view: InterlinearView) -> None:
    text = "unbelievable strawberries\n" * 40
    view.set_text_map(TextMap(text))
    show(view, text)
    screen = Screen(view)
    screen.update()
    bar, height = view.verticalScrollBar(), view.viewport().height()
    bar.setValue(48)
    assert screen.update().boundingRect().top() == height - 48
    bar.setValue(30)
    assert screen.update().boundingRect().bottom() == 18 - 1
    assert_shows_all(view, screen, within=1)


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    lines=st.lists(st.sampled_from([*LINES, PROSE + "\n"]), min_size=1, max_size=9),
    edits=st.lists(EDIT, min_size=1, max_size=6),
    dense=st.booleans(),
    annotations=st.sampled_from(["none", "ids", "bytes"]),
)
def test_after_edits_the_screen_shows_what_a_new_view_would(
    view: InterlinearView,
    lines: list[str],
    edits: list[tuple[int, int, str, tuple[str, ...]]],
    dense: bool,
    annotations: str,
) -> None:
    text = "".join(lines)
    view.set_dense(dense)
    view.set_annotations(annotations)  # type: ignore[arg-type]
    view.set_text_map(TextMap(text))
    show(view, text)
    view.scrollTo(0)
    screen = Screen(view)
    screen.update()
    for at, removed, characters, keys in edits:
        first = at % (len(text) + 1)
        text = edit(view, first, min(first + removed, len(text)), characters)
        show(view, text, keys)  # the others wait for their turn
        screen.update()
        show(view, text, tuple(key for key in KEYS if key not in keys))
        screen.update()
        assert_shows_all(view, screen)


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    lines=st.lists(st.sampled_from([*LINES, PROSE + "\n"]), min_size=9, max_size=40),
    steps=st.lists(st.integers(-300, 300), min_size=1, max_size=6),
    selected=st.integers(0, 300),
    pointed=st.integers(0, 300),
    dense=st.booleans(),
)
def test_scrolled_the_screen_shows_what_a_new_view_would(
    view: InterlinearView,
    lines: list[str],
    steps: list[int],
    selected: int,
    pointed: int,
    dense: bool,
) -> None:
    text = "".join(lines)
    view.set_dense(dense)
    view.set_annotations("none")
    view.set_text_map(TextMap(text))
    show(view, text)
    view.set_highlight(*((selected, selected + 9) if selected < 100 else (-1, -1)))
    view.set_pointed(*((pointed, pointed + 3) if pointed < 100 else (-1, -1)))
    view.scrollTo(0)
    screen = Screen(view)
    screen.update()
    bar = view.verticalScrollBar()
    for step in steps:
        bar.setValue(bar.value() + step)
        screen.update()
        assert_shows_all(view, screen, within=1)
