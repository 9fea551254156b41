"""The sequences of ids that decode to a text, in figures and sentences for users."""

from __future__ import annotations

from math import floor, log10

from tokenarium.models.charts.chart import Axis, Chart
from tokenarium.models.text.piece import counted
from tokenarium_core.explaining.ways import Ways

WRITTEN_OUT = 10**9
"""Numbers below this are written out."""

_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_CHUNK = 10**4000  # Python refuses to write more than 4,300 digits at once


def big_number(number: int, superscript: bool = True) -> str:
    """Returns a number that people can read: all its digits, or two and the power of ten.

    >>> big_number(1834), big_number(13 * 10**411), big_number(9_960_000_000, superscript=False)
    ('1,834', '1.3 × 10⁴¹²', '1.0 × 10^10')
    """
    if number < WRITTEN_OUT:
        return f"{number:,}"
    # Far more digits than a double has are not needed: the first 17 decide.
    shift = max(number.bit_length() - 1000, 0)
    logarithm = log10(number >> shift) + shift * log10(2)
    power = floor(logarithm)
    if shift == 0:
        power = len(str(number)) - 1
        first = number / 10**power
    else:
        first = 10 ** (logarithm - power)
    if round(first, 1) >= 10:
        first, power = first / 10, power + 1
    exponent = "".join(_DIGITS[int(digit)] for digit in str(power)) if superscript else f"^{power}"
    return f"{first:.1f} × 10{exponent}"


def all_digits(number: int) -> str:
    """Returns a number with all its digits, however many.

    >>> all_digits(10**5000) == "1" + 5000 * "0"
    True
    """
    parts: list[str] = []
    while number >= _CHUNK:
        number, rest = divmod(number, _CHUNK)
        parts.append(f"{rest:04000d}")
    return "".join([str(number), *reversed(parts)])


def ways_sentence(found: Ways) -> str:
    """Returns what was found, in a sentence or two."""
    tokens = len(found.canonical)
    if found.count == 0:
        return "No sequence of ids decodes to it."
    if found.count == 1:
        return f"Only one sequence of ids decodes to it: {counted(tokens, 'token')}."
    said = f"{big_number(found.count)} sequences of ids decode to it; encoding gives one of them, of {counted(tokens, 'token')}."
    if found.shorter > 0:
        verb = "has" if found.shorter == 1 else "have"
        said += f" {big_number(found.shorter)} of the others {verb} fewer tokens."
    elif found.shorter == 0:
        said += " None has fewer tokens."
    return said


def ways_chart(found: Ways, colour: int = 0) -> Chart:
    """Returns how many sequences there are of each number of tokens, as bars; empty for a long text."""
    lengths = [(length, count) for length, count in enumerate(found.by_length) if count]
    shown = lengths[:40]
    return Chart(
        Axis("Sequences"),
        Axis("Tokens"),
        bars=[
            (f"{length}{' (encoding)' * (length == len(found.canonical))}", float(count))
            for length, count in shown
        ],
        colour=colour,
    )
