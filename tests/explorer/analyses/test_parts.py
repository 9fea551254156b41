"""What the parts of pages show: which ids of a long row."""

from __future__ import annotations

import pytest

from tokenarium.analyses.parts import TileRow, part_row


@pytest.mark.parametrize(
    ("start", "heading", "shown"),
    [
        (0, "All: 9 tokens, the first 4 here", [0, 1, 2, 3]),
        (2, "All: 9 tokens, 3 to 6 here", [2, 3, 4, 5]),
        (5, "All: 9 tokens, the last 4 here", [5, 6, 7, 8]),
    ],
)
def test_a_long_row_says_which_of_its_ids_are_shown(start: int, heading: str, shown: list[int]) -> None:  # fmt: skip
    assert part_row("All", list(range(9)), start, 4) == TileRow(shown, heading)


def test_a_short_row_is_shown_whole() -> None:
    row = part_row("Best", [7], what=("entry", "entries"), lit=True)
    assert row == TileRow([7], "Best: 1 entry", lit=True)
