"""Tokens as tiles: they wrap, keep their order, and are reached by the pointer and the keys."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import emitted, off_screen

from tokenarium.style.cuts import Cut, tile_cuts
from tokenarium.style.theme import DARK, LIGHT, Theme
from tokenarium.widgets.text.token_tiles import NOTE, ShownTile, TokenTiles


def tiles(count: int) -> list[ShownTile]:
    return [ShownTile(f"tile {n}", str(n), n % 16, apart=n % 3 == 0) for n in range(count)]


@pytest.fixture
def shown(qtbot: QtBot) -> TokenTiles:
    widget = off_screen(qtbot, TokenTiles(), 300, 400)
    widget.show_tiles(tiles(12))
    widget.show()
    return widget


@pytest.mark.parametrize("width", [60, 200, 500, 2000])
def test_tiles_wrap_in_their_order_and_never_touch(shown: TokenTiles, width: int) -> None:
    shown.resize(width, 400)
    rects = [shown.rect_of(number) for number in range(12)]
    for before, after in pairwise(rects):
        assert after.left() > before.right() or after.top() >= before.bottom() + NOTE
    assert all(rect.right() <= max(width, 60) for rect in rects)
    assert shown.heightForWidth(width) >= rects[-1].bottom()


def test_keys_go_from_tile_to_tile_and_enter_asks_for_the_menu(shown: TokenTiles) -> None:
    asked: list[int] = []
    shown.menu_requested.connect(lambda point, number: asked.append(number))
    shown.setFocus()
    for key in (
        Qt.Key.Key_Right,
        Qt.Key.Key_Right,
        Qt.Key.Key_Return,
        Qt.Key.Key_End,
        Qt.Key.Key_Return,
    ):
        QTest.keyClick(shown, key)
    assert asked[-1] == 11
    assert len(asked) == 2


def test_a_click_picks_a_tile(shown: TokenTiles) -> None:
    picked: list[int] = emitted(shown.picked)
    QTest.mouseClick(shown, Qt.MouseButton.LeftButton, pos=shown.rect_of(4).center().toPoint())
    assert picked == [4]
    assert "tile 4" in shown.accessibleDescription()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_all_kinds_are_painted(shown: TokenTiles, theme: Theme) -> None:
    shown.setPalette(theme.palette())
    shown.show_tiles(
        [
            ShownTile("<0xE2><0x82>", "1", 3, Cut.STRAIGHT, Cut.TORN),
            ShownTile("nothing", "9", -1, dashed=True),
            ShownTile("a␣b", "2", 5, lit=True, superword=True),
        ]
    )
    assert not shown.grab().isNull()


@given(st.text(max_size=8), st.integers(0, 30), st.integers(0, 30))
def test_a_piece_is_torn_where_it_is_cut_inside_a_character(text: str, a: int, b: int) -> None:
    data = text.encode("utf-8", "replace")
    start, end = sorted((min(a, len(data)), min(b, len(data))))
    piece = data[start:end]
    left, right = tile_cuts(piece)
    if piece:
        assert (left is Cut.TORN) == (piece[0] & 0xC0 == 0x80)
        cut = end < len(data) and data[end] & 0xC0 == 0x80
        if left is not Cut.TORN:
            assert (right is Cut.TORN) == cut


def test_lost_text_is_hatched(qtbot: QtBot) -> None:
    tiles = off_screen(qtbot, TokenTiles(), 400, 80)
    kept = ShownTile("[UNK]", "1", 3)
    pictures = []
    for tile in (kept, replace(kept, lost=True)):
        tiles.show_tiles([ShownTile("low", "2", 4), tile])
        pictures.append(tiles.grab().toImage())
    assert "lost text" in tiles.accessibleDescription()
    second = tiles.rect_of(1).toRect()
    changed = {
        x
        for x in range(400)
        for y in range(80)
        if pictures[0].pixel(x, y) != pictures[1].pixel(x, y)
    }
    assert len(changed) > 10
    assert min(changed) >= second.left() - 1
