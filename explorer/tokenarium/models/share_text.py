"""How a share is written."""

from __future__ import annotations


def whole_percent(part: float, whole: float) -> str:
    """Returns a share in whole percent; what is there is never written as nothing.

    >>> whole_percent(1, 3), whole_percent(74, 103_352), whole_percent(0, 5), whole_percent(0, 0)
    ('33%', '<1%', '0%', '0%')
    """
    share = part / whole if whole else 0.0
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"
