"""Rings around what a step names: where they are, and when they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder
from tokenarium.models.lessons.marks import PARTS
from tokenarium.style.theme import DARK, LIGHT, Theme
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.mark_rings import MarkRings

LESSON = """+++
title = "Marks"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:bpe-gpt2-8k", "shipped:unigram-8k"]
+++

## One

```scene
text = "one two three"
workspace = "{workspace}"
page = "{page}"
mark = [{marks}]
```

## Two

More.
"""

Begin = Callable[..., MarkRings]


@pytest.fixture
def begin(window: MainWindow, qtbot: QtBot) -> Begin:
    """Shows a step with these marks."""
    lessons_folder().mkdir(parents=True)
    window.resize(1440, 900)

    def begin(*marks: str, workspace: str = "tokens", page: str = "") -> MarkRings:
        listed = ", ".join(f'"{one}"' for one in marks)
        text = LESSON.format(marks=listed, workspace=workspace, page=page)
        (lessons_folder() / "marks.md").write_text(text)
        window.lessons.open_list()
        window.lessons.open("marks", 0)
        panel = there(window.lessons.panel)
        qtbot.waitUntil(lambda: panel.shows_step and not window.stage.busy)
        assert window.lessons.marks is not None
        return there(window.lessons.marks.rings)

    return begin


def in_window(window: MainWindow, widget: object) -> QRectF:
    view = widget
    corner = view.mapTo(window, QPoint())  # type: ignore[attr-defined]
    return QRectF(corner.x(), corner.y(), view.width(), view.height())  # type: ignore[attr-defined]


def test_a_range_a_token_and_strips_are_in_the_text(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    rings = begin("range: two", "token 1", "strip 2")
    space = of_kind(window.workspace, TokensView)
    qtbot.waitUntil(lambda: len(rings.rings) == 3)
    whole = in_window(window, space.view)
    assert all(whole.contains(ring.center()) for ring in rings.rings)
    word, token, strip = rings.rings
    assert token.left() < word.left()
    assert strip.top() > token.top()


@pytest.mark.parametrize("part", [one for one in PARTS if one != "strip"])
def test_a_named_part_is_ringed_where_it_is_seen(
    begin: Begin, window: MainWindow, qtbot: QtBot, part: str
) -> None:
    steps = part in ("sentence", "player", "queue", "stage")
    rings = begin(part, workspace="merges" if steps else "tokens", page="steps" if steps else "")
    if part in ("inspector", "library"):  # which the lesson has folded
        assert rings.rings == []
        window.actions_by_id[f"show_{part}"].trigger()
    qtbot.waitUntil(lambda: len(rings.rings) == 1)
    ring = rings.rings[0]
    assert QRectF(window.rect()).contains(ring)
    assert ring.width() > 20


def test_what_is_not_there_has_no_ring(begin: Begin, qtbot: QtBot) -> None:
    rings = begin("sentence", "range: nowhere", "token 99", "strip 9")
    qtbot.wait(150)
    assert rings.rings == []


def test_they_go_as_the_reader_goes_on(begin: Begin, window: MainWindow, qtbot: QtBot) -> None:
    rings = begin("counts")
    qtbot.waitUntil(lambda: bool(rings.rings))
    window.lessons.step(1)
    assert rings.rings == []
    window.lessons.step(-1)
    qtbot.waitUntil(lambda: bool(rings.rings))
    window.lessons.close()
    assert rings.rings == []


def test_they_go_as_the_reader_acts_in_the_window(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    rings = begin("counts")
    qtbot.waitUntil(lambda: bool(rings.rings))
    handle, panel = window.windowHandle(), there(window.lessons.panel)
    inside = panel.mapTo(window, QPoint(40, 200))
    QTest.mouseClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, inside)
    assert rings.rings
    QTest.mouseClick(
        handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(500, 700)
    )
    assert rings.rings == []


@pytest.fixture
def motion(window: MainWindow) -> Iterator[Callable[[str], None]]:
    """Sets the motion that is wanted."""
    before = window.appearance.motion
    yield window.appearance.set_motion  # type: ignore[misc]
    window.appearance.set_motion(before)


@pytest.mark.parametrize("wanted", ["none", "less"])
def test_they_are_still_where_nothing_may_move(
    begin: Begin, motion: Callable[[str], None], qtbot: QtBot, wanted: str
) -> None:
    motion(wanted)
    rings = begin("counts")
    qtbot.waitUntil(lambda: bool(rings.rings))
    assert not rings.moves


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_ring_is_seen_on_the_page(theme: Theme) -> None:
    def light(colour: QColor) -> float:
        parts = [colour.redF(), colour.greenF(), colour.blueF()]
        linear = [
            one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for ground in (theme.surface, theme.page):
        first, second = sorted((light(QColor(theme.ink)), light(QColor(ground))), reverse=True)
        assert (first + 0.05) / (second + 0.05) > 3
