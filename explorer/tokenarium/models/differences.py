"""Where several ways to cut one text disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokenarium.models.text_map import IntArray


def disputed(cuts: Sequence[IntArray]) -> IntArray:
    """Returns the offsets, sorted, at which some of the ways to cut a text cut it and some don't.

    >>> disputed([np.array([2, 5, 9]), np.array([2, 3, 5, 9])]).tolist()
    [3]
    """
    if len(cuts) < 2:
        return np.empty(0, dtype=np.int32)
    offsets, votes = np.unique(np.concatenate(cuts), return_counts=True)
    return offsets[votes < len(cuts)].astype(np.int32)


def differences(cuts: Sequence[IntArray]) -> IntArray:
    """Returns the stretches of a text (n × 2 byte offsets) in which not all cuts are the same.

    ``cuts`` are the sorted end offsets of the parts, one array for each way to cut; all end where
    the text ends. A stretch goes from one cut that all share to the next that all share.

    >>> differences([np.array([2, 5, 9]), np.array([2, 3, 5, 9])]).tolist()
    [[2, 5]]
    """
    if len(cuts) < 2:
        return np.empty((0, 2), dtype=np.int32)
    offsets, votes = np.unique(np.concatenate(cuts), return_counts=True)
    shared = np.concatenate(([0], offsets[votes == len(cuts)]))
    disputed = offsets[votes < len(cuts)]
    stretch = np.unique(np.searchsorted(shared, disputed))
    stretch = stretch[stretch < len(shared)]
    return np.stack((shared[stretch - 1], shared[stretch]), axis=1).astype(np.int32)
