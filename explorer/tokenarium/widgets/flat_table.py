"""The looks of tables: flat headings, and the same margin in them as in the cells under them."""

from __future__ import annotations

from tokenarium.theme import GRID, Theme

CELL_MARGIN = GRID
"""Pixels between a column's edge and what stands in it."""

_QT_MARGIN = 3
"""Pixels of it that Qt leaves itself in a cell."""


def flat_table(theme: Theme) -> str:
    """Returns a style sheet for a table, in the colours of a theme: it follows no palette.

    The arrow of the sorted column stands over its heading, where no text is.
    """
    ground = f"background: {theme.window.name()}; border: none;"
    sections = "QHeaderView::section, QTableCornerButton::section"
    arrows = "QHeaderView::up-arrow, QHeaderView::down-arrow"
    return (
        f"QHeaderView {{ {ground} }} {sections} {{ {ground} padding: 0 {CELL_MARGIN}px; }}"
        f" QAbstractItemView::item {{ padding: 0 {CELL_MARGIN - _QT_MARGIN}px; }}"
        f" {arrows} {{ subcontrol-origin: border; subcontrol-position: top center; width: {GRID}px; height: {GRID}px; }}"
    )
