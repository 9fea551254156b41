"""The k-th largest of many numbers, without sorting them."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64


def kth_largest(values: vec[float], rank: i64) -> float:
    """Returns the number that comes at place ``rank`` (1: the largest) when they are sorted; moves them around.

    Hoare's quickselect, with the middle one of three as the pivot.
    """
    low: i64 = 0
    high: i64 = len(values) - 1
    place = rank - 1
    while low < high:
        pivot = _middle(values[low], values[(low + high) >> 1], values[high])
        left = low
        right = high
        while left <= right:
            while values[left] > pivot:
                left += 1
            while values[right] < pivot:
                right -= 1
            if left <= right:
                value = values[left]
                values[left] = values[right]
                values[right] = value
                left += 1
                right -= 1
        if place <= right:
            high = right
        elif place >= left:
            low = left
        else:
            break
    return values[place]


def _middle(first: float, second: float, third: float) -> float:
    if first > second:
        first, second = second, first
    if third <= first:
        return first
    return third if third < second else second
