"""Places of a text that one walks through, from one to the next."""

from __future__ import annotations

import numpy as np

from tokenarium.models.text.text_map import IntArray


def next_place(places: IntArray, span: tuple[int, int] | None, step: int) -> int:
    """Returns the row of the place that follows a span (1), or precedes it (-1), round the ends of the text.

    ``places`` (n × 2 byte offsets) are sorted and not empty. From no span on, it is the first or the last.

    >>> next_place(np.array([[0, 2], [5, 6]]), (0, 2), 1)
    1
    """
    start = span[0] if span is not None else -1
    if step > 0:
        place = int(np.searchsorted(places[:, 0], start, side="right"))
    else:
        place = int(np.searchsorted(places[:, 0], start, side="left")) - 1
    return place % len(places)
