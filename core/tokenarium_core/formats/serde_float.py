"""Numbers of a JSON file as serde_json reads them, and for it to read, which differs from Python in the last digit.

Source: serde-rs/json, ``src/de.rs``.
"""

from __future__ import annotations

from typing import Final

_MOST_DIGITS: Final = 18  # that surely fit 63 bits
_LARGEST: Final = 18446744073709551615
_DIGITS: Final = (16, 17, 18)  # behind the point, of the forms that are tried
_STEPS: Final = 10  # of the last digit, up and down
_POWERS: Final[list[float]] = [float(f"1e{exponent}") for exponent in range(309)]


def serde_float(text: bytes) -> float | None:
    """Returns a number in JSON as serde_json reads it, None where it is none: all its digits as one integer, by a power of ten."""
    whole, _, power = text.lower().partition(b"e")
    if not text or (b"e" in text.lower() and not power.lstrip(b"+-").isdigit()):
        return None
    negative = whole.startswith(b"-")
    digits, point, fraction = whole[1 if negative else 0 :].partition(b".")
    if not digits.isdigit() or (point and not fraction.isdigit()):
        return None
    if len(digits) > 1 and digits.startswith(b"0"):
        return None
    exponent = 0
    if len(digits) + len(fraction) <= _MOST_DIGITS:
        significand = int(digits + fraction)
        exponent = -len(fraction)
    else:
        significand = 0
        full = False
        for index, digit in enumerate(digits + fraction):
            grown = significand * 10 + digit - 48
            full = full or grown > _LARGEST
            if not full:
                significand = grown
                exponent -= index >= len(digits)
            elif index < len(digits):
                exponent += 1
    if power:
        exponent += max(-100_000, min(int(power[:20]), 100_000))
    value = float(significand)
    while exponent < -308 and value:
        value /= 1e308
        exponent += 308
    if value and exponent > 308:
        return None
    if value:
        value = value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
    return -value if negative else value


def serde_text(value: float) -> str:
    """Returns how to write a number so that serde_json reads that very one: Python's shortest form wherever it does.

    For about one number in five hundred there is no such form among those that are tried; it is off by its last bit then.
    """
    shortest = repr(value)
    if serde_float(shortest.encode()) == value:
        return shortest
    sign = "-" if value < 0 else ""
    for step in range(_STEPS):
        for digits in _DIGITS:
            written, _, power = f"{abs(value):.{digits}e}".partition("e")
            last = int(written.replace(".", ""))
            for number in (last + step, last - step):
                spelled = str(number)
                text = f"{sign}{spelled[0]}.{spelled[1:]}e{power}"
                if serde_float(text.encode()) == value:
                    return text
    return shortest
