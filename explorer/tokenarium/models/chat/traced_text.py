"""Texts that know where each of their characters comes from, through what a chat template does with them.

A template trims, splits, joins and replaces texts with the methods of ``str``. Those of `Traced` return the same, and
keep the origins of the characters. Of what other methods make, the origin is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final, NoReturn, Self, SupportsIndex

TEMPLATE: Final = 0
"""The origin of what the template writes itself."""

UNKNOWN: Final = -1
"""The origin of what cannot be attributed."""

MOST_RUNS: Final = 20_000
"""Runs of one text. The origins of a text with more are not known."""

Runs = tuple[tuple[int, int], ...]
"""The origins of a text, from its beginning: numbers of characters, each with the number of their origin."""


class UntracedError(Exception):
    """A template does with a text what cannot be followed, such as encoding it."""


class Traced(str):
    """A text with the origins of its characters."""

    _runs: Runs  # with an underscore: templates cannot read it

    def __new__(cls, text: object = "", runs: Runs | None = None) -> Self:
        made = super().__new__(cls, text)
        made._runs = ((len(made), UNKNOWN),) if runs is None else runs
        return made

    def __str__(self) -> str:
        return self

    def __add__(self, other: str) -> str:
        return joined([self, other]) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> str:
        return joined([other, self])

    def __mul__(self, times: SupportsIndex) -> str:
        text = str.__mul__(self, times)
        return of_runs(text, merged(self._runs * (len(text) // max(len(self), 1))))

    __rmul__ = __mul__

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        if not isinstance(place, slice):
            at = range(len(self))[place]
            return self._cut(at, at + 1)
        places = range(len(self))[place]
        if places.step == 1:
            return self._cut(places.start, max(places.start, places.stop))
        letters = list(self)
        return joined([letters[at] for at in places])

    def __iter__(self) -> Iterator[str]:
        letters = str.__iter__(self)
        for length, origin in self._runs:
            for _ in range(length):
                yield of_runs(next(letters), ((1, origin),))

    def strip(self, chars: str | None = None, /) -> str:
        start = len(self) - len(str.lstrip(self, chars))
        return self._cut(start, max(start, len(str.rstrip(self, chars))))

    def lstrip(self, chars: str | None = None, /) -> str:
        return self._cut(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> str:
        return self._cut(0, len(str.rstrip(self, chars)))

    def removeprefix(self, prefix: str, /) -> str:
        return self._cut(len(self) - len(str.removeprefix(self, prefix)), len(self))

    def removesuffix(self, suffix: str, /) -> str:
        return self._cut(0, len(str.removesuffix(self, suffix)))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return self._found(str.split(self, sep, maxsplit), len(sep or ""))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return self._found(str.rsplit(self, sep, maxsplit), len(sep or ""))

    def splitlines(self, keepends: bool = False) -> list[str]:
        lines, at = [], 0
        for line, whole in zip(
            str.splitlines(self, keepends), str.splitlines(self, True), strict=True
        ):
            lines.append(self._cut(at, at + len(line)))
            at += len(whole)
        return lines

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        first, middle, last = self._found(str.partition(self, sep))
        return first, middle, last

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        first, middle, last = self._found(str.rpartition(self, sep))
        return first, middle, last

    def join(self, parts: Iterable[str], /) -> str:
        return joined_by(self, parts)

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        if not old:
            return self._changed(str.replace(self, old, new, count))
        return joined_by(new, self.split(old, count)) if old in self else self

    def upper(self) -> str:
        return self._by_letter(str.upper)

    def lower(self) -> str:
        return self._by_letter(str.lower)

    def casefold(self) -> str:
        return self._by_letter(str.casefold)

    def swapcase(self) -> str:
        return self._by_letter(str.swapcase)

    def title(self) -> str:
        return self._by_letter(str.title)

    def capitalize(self) -> str:
        return self._by_letter(str.capitalize)

    def center(self, width: SupportsIndex, fill: str = " ", /) -> str:
        return self._changed(str.center(self, width, fill))

    def ljust(self, width: SupportsIndex, fill: str = " ", /) -> str:
        text = str.ljust(self, width, fill)
        return joined([self, Traced(text[len(self) :], runs_of(fill, len(text) - len(self)))])

    def rjust(self, width: SupportsIndex, fill: str = " ", /) -> str:
        text = str.rjust(self, width, fill)
        before = len(text) - len(self)
        return joined([Traced(text[:before], runs_of(fill, before)), self])

    def zfill(self, width: SupportsIndex, /) -> str:
        return self._changed(str.zfill(self, width))

    def expandtabs(self, tabsize: SupportsIndex = 8) -> str:
        return self._changed(str.expandtabs(self, tabsize))

    def translate(self, table: Any, /) -> str:
        return self._changed(str.translate(self, table))

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> NoReturn:
        raise UntracedError("a text is encoded")

    def _cut(self, start: int, stop: int) -> str:
        """Returns the part between two characters."""
        if start == 0 and stop >= len(self):
            return self
        runs, at = [], 0
        for length, origin in self._runs:
            first, last = max(start, at), min(stop, at + length)
            if first < last:
                runs.append((last - first, origin))
            at += length
            if at >= stop:
                break
        return of_runs(str.__getitem__(self, slice(start, stop)), tuple(runs))

    def _found(self, parts: Iterable[str], between: int = 0) -> list[str]:
        """Returns the parts that a method has split the text into, each with its origins.

        ``between`` is the length of what separates them; whitespace of any length if it is 0.
        """
        found, at = [], 0
        for part in parts:
            at = str.index(self, part, at)
            found.append(self._cut(at, at + len(part)))
            at += len(part) + between
        return found

    def _changed(self, text: str) -> str:
        """Returns what a method has made that is not followed."""
        return self if text == self else Traced(text)

    def _by_letter(self, change: Callable[[str], str]) -> str:
        """Returns what a method has made that changes letters in their places.

        No change of case makes a letter shorter, so if the length is the same, so is each place; otherwise each run is
        changed on its own.
        """
        text = change(str.__str__(self))
        if len(text) == len(self):
            return of_runs(text, self._runs)
        runs, at, parts = [], 0, []
        for length, origin in self._runs:
            parts.append(change(str.__getitem__(self, slice(at, at + length))))
            runs.append((len(parts[-1]), origin))
            at += length
        return of_runs(text, tuple(runs)) if "".join(parts) == text else Traced(text)


class TracedInt(int):
    """A whole number of an input, which is written with its origin."""

    _origin: int

    def __new__(cls, value: int, origin: int) -> Self:
        made = super().__new__(cls, value)
        made._origin = origin
        return made

    def __str__(self) -> str:
        return whole(int.__repr__(self), self._origin)


class TracedFloat(float):
    """Another number of an input."""

    _origin: int

    def __new__(cls, value: float, origin: int) -> Self:
        made = super().__new__(cls, value)
        made._origin = origin
        return made

    def __str__(self) -> str:
        return whole(float.__repr__(self), self._origin)


class TracedList(list[Any]):
    """A list of an input: its brackets have this origin too."""

    _origin: int


class TracedDict(dict[Any, Any]):
    """An object of an input: its braces have this origin too."""

    _origin: int


def whole(text: str, origin: int) -> str:
    """Returns a text that is all of one origin."""
    return of_runs(text, merged([(len(text), origin)]))


def with_origin(value: Any, origin: int) -> Any:
    """Returns a JSON value whose texts, numbers, lists and objects have an origin."""
    if isinstance(value, str):
        return whole(value, origin)
    if isinstance(value, bool):
        return value  # nothing can stand for it
    if isinstance(value, int):
        return TracedInt(value, origin)
    if isinstance(value, float):
        return TracedFloat(value, origin)
    made: TracedList | TracedDict
    if isinstance(value, (list, tuple)):
        made = TracedList([with_origin(item, origin) for item in value])
    elif isinstance(value, dict):
        made = TracedDict(
            {with_origin(key, origin): with_origin(item, origin) for key, item in value.items()}
        )
    else:
        return value
    made._origin = origin
    return made


def origin_of(value: object) -> int | None:
    """Returns the origin that a whole value has; None if it has none, or several."""
    if isinstance(value, (TracedInt, TracedFloat, TracedList, TracedDict)):
        return value._origin
    if isinstance(value, Traced) and len({origin for _, origin in value._runs}) == 1:
        return value._runs[0][1]
    return None


def runs_of(text: str, length: int = -1) -> Runs:
    """Returns the origins of a text; with a length, of so many characters of a text that is repeated."""
    length = len(text) if length < 0 else length
    if not length:
        return ()
    if not isinstance(text, Traced):
        return ((length, TEMPLATE),)
    return text._runs if length == len(text) else ((length, origin_or_unknown(text)),)


def origin_or_unknown(value: object) -> int:
    """Returns the origin of a whole value, `UNKNOWN` if it has none."""
    origin = origin_of(value)
    return UNKNOWN if origin is None else origin


def merged(runs: Iterable[tuple[int, int]]) -> Runs:
    """Returns runs without empty ones, neighbours of the same origin as one."""
    made = tuple(
        (sum(length for length, _ in group), origin)
        for origin, group in groupby((run for run in runs if run[0]), key=lambda run: run[1])
    )
    return ((sum(length for length, _ in made), UNKNOWN),) if len(made) > MOST_RUNS else made


def of_runs(text: str, runs: Runs) -> str:
    """Returns a text with its origins: a plain one where all of it is the template's."""
    if all(origin == TEMPLATE for _, origin in runs):
        return str.__str__(text)
    return Traced(text, runs)


def joined(parts: Iterable[str]) -> str:
    """Returns texts as one."""
    texts = list(parts)
    text = "".join(texts)
    if not any(isinstance(part, Traced) for part in texts):
        return text
    return of_runs(text, merged(run for part in texts for run in runs_of(part)))


def joined_by(between: str, parts: Iterable[str]) -> str:
    """Returns texts as one, with another text between them."""
    made: list[str] = []
    for part in parts:
        if made:
            made.append(between)
        made.append(part)
    return joined(made)
