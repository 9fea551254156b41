"""How a share is written."""

from __future__ import annotations


def whole_percent(part: float, whole: float) -> str:
    """Returns a share in whole percent; what is there is never written as nothing.

    >>> whole_percent(1, 3), whole_percent(74, 103_352), whole_percent(0, 5), whole_percent(0, 0)
    ('33%', '<1%', '0%', '0%')
    """
    share = part / whole if whole else 0.0
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def percent(share: float) -> str:
    """Returns a share with one decimal; neither nothing nor all is written where it is only nearly so.

    >>> percent(0.998), percent(0.0312), percent(0.0004), percent(1), percent(0)
    ('99.8%', '3.1%', '<0.1%', '100%', '0%')
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    digits = 0 if share in (0, 1) else 1
    return f"{100 * share:.{digits}f}%"
