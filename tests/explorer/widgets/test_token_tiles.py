"""Tokens as tiles."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tokenarium.style.theme import LIGHT
from tokenarium.widgets.text.token_tiles import ShownTile, TokenTiles


def test_lost_text_is_hatched(qtbot: QtBot) -> None:
    tiles = TokenTiles(LIGHT)
    qtbot.addWidget(tiles)
    tiles.resize(400, 80)
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
