"""Walking from one place of a text to the next."""

from __future__ import annotations

import numpy as np
import pytest

from tokenarium.models.text.text_map import next_place

PLACES = np.array([[0, 2], [5, 6], [9, 12]], dtype=np.int32)


@pytest.mark.parametrize(
    ("span", "behind", "before"),
    [
        (None, 0, 2),  # from no selection on: the first, the last
        ((0, 2), 1, 2),
        ((3, 4), 1, 0),
        ((5, 5), 2, 0),
        ((9, 12), 0, 1),  # round the ends
        ((20, 21), 0, 2),
    ],
)
def test_the_places_around_a_span(span: tuple[int, int] | None, behind: int, before: int) -> None:
    assert next_place(PLACES, span, 1) == behind
    assert next_place(PLACES, span, -1) == before
