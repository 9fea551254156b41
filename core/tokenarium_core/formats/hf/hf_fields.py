"""The fields of an object in a `tokenizer.json`, read one by one; fields that are not read are refused by name."""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.errors import FormatError

_LARGEST: Final = (1 << 64) - 1  # that the reference reads
_ENOUGH: Final = 1 << 60
_SHOWN: Final = 60  # characters of a value in a message
_MOST_DIGITS: Final = 18  # that surely fit 63 bits
_DIGITS: Final = (16, 17, 18)  # after the point, of the forms that are tried
_STEPS: Final = 10  # of the last digit, up and down
_POWERS: Final[list[float]] = [float(f"1e{exponent}") for exponent in range(309)]


@final
class Fields:
    """An object of the file, and its path in it (``pre_tokenizer.pretokenizers[1]``)."""

    def __init__(self, source: str, path: str, value: object) -> None:
        self.source = source
        self.path = path
        if not isinstance(value, dict):
            raise FormatError(f"{source}: {path} is {shown(value)}, not an object.")
        self._members: dict[str, object] = dict(value)
        self._left: dict[str, object] = dict(value)
        self.type = ""
        if "type" in value:
            self.type = self.text("type")

    def has(self, name: str) -> bool:
        """Returns whether there is a member of this name that is not null."""
        return self._members.get(name) is not None

    def take(self, name: str) -> object:
        """Returns a member unchanged, None if there is none; it counts as known."""
        self._left.pop(name, None)
        return self._members.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """Returns a member that is a string; required unless there is a default."""
        value = self.take(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self.error(name, "a text", value)
        return value

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Returns a member that is a boolean; required unless there is a default."""
        value = self.take(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, bool):
            raise self.error(name, "true or false", value)
        return value

    def number(self, name: str, default: int | None = None) -> int:
        """Returns a member that is a non-negative integer; required unless there is a default."""
        value = self.take(name)
        if value is None and default is not None:
            return default
        if type(value) is not int or not 0 <= value <= _LARGEST:
            raise self.error(name, "a whole number", value)
        return min(value, _ENOUGH)  # no id or length is so large

    def choice(self, name: str, choices: list[str], default: str | None = None) -> str:
        """Returns a member that is one of these strings."""
        value = self.text(name, default)
        if value not in choices:
            raise self.error(name, f"one of {', '.join(choices)}", value)
        return value

    def items(self, name: str) -> list[object]:
        """Returns a member that is a list."""
        value = self.take(name)
        if not isinstance(value, list):
            raise self.error(name, "a list", value)
        return value

    def inner(self, name: str) -> Fields:
        """Returns a member that is an object, as fields."""
        if not self.has(name):
            raise self.error(name, "an object", None)
        return Fields(self.source, self.place(name), self.take(name))

    def objects(self, name: str) -> list[Fields]:
        """Returns the objects of a list, each with its fields."""
        place = self.place(name)
        return [
            Fields(self.source, f"{place}[{index}]", value)
            for index, value in enumerate(self.items(name))
        ]

    def place(self, name: str) -> str:
        """Returns the path of a member."""
        return f"{self.path}.{name}" if self.path else name

    def error(self, name: str, wanted: str, value: object) -> FormatError:
        """Returns the error for a member with an invalid value."""
        if name not in self._members:
            return FormatError(f"{self.source}: {self.path} has no field {name!r}.")
        return FormatError(f"{self.source}: {self.place(name)} is {shown(value)}, not {wanted}.")

    def refuse(self, what: str) -> FormatError:
        """Returns the error for an object that cannot be run."""
        return FormatError(f"{self.source}: {self.path} {what}, which this program cannot run.")

    def finish(self) -> None:
        """Raises FormatError if an unknown field remains; null fields are ignored."""
        for name, value in self._left.items():
            if value is not None:
                raise FormatError(
                    f"{self.source}: {self.path or 'the file'} has the field {name!r}, which this program does"
                    " not know: it may change what the tokenizer does."
                )


def shown(value: object) -> str:
    """Returns a value for a message, in one short line."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# Numbers, which serde_json and Python may read with different last digits. Source: serde-rs/json, ``src/de.rs``.


def serde_float(text: bytes) -> float | None:
    """Returns a number in JSON as serde_json reads it: its digits as an integer, times a power of ten.

    None if it is not a number.
    """
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
    """Returns a form of a number that serde_json reads exactly: Python's shortest form if possible.

    For about one number in five hundred, none of the forms tried works; its last bit is then wrong.
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
