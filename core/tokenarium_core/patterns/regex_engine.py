"""The `regex` module as used here: errors give their position, and time and memory are limited."""

from __future__ import annotations

import re
import warnings
from time import thread_time
from typing import Any, Final, final

import regex

from tokenarium_core.errors import PatternError
from tokenarium_core.patterns.syntax_tree import SINGLE, read_pattern

TIMEOUT: Final = 1.0
"""Seconds of processor time that a pattern may take for each million characters of a text."""

MOST_REPEATS: Final = 100_000
"""Repeats inside repeats, multiplied: above this the regex module may fill the memory when it compiles."""

MOST_CHARACTERS: Final = 20_000
"""The most characters of a pattern: longer ones take seconds to compile."""

MOST_TRANSLATED: Final = 400_000
"""The same for a pattern that was translated for the regex module."""


@final
class Patience:
    """``seconds`` of processor time that a pattern may take for a short text, `TIMEOUT` unless it is changed.

    A window sets it lower, because the user waits; then a pattern may also take no longer than this to its next match.
    It never changes the result of a pattern: the pattern either runs or is refused.
    """

    def __init__(self) -> None:
        self.seconds: float = TIMEOUT


PATIENCE: Final = Patience()
"""The patience of this process."""


@final
class Allowance:
    """The time that a pattern may take for one text of ``size`` characters: ``timeout``, else the process's `Patience`.

    The regex module measures the time of the whole process, including other threads. So a stop by it counts only if
    this thread itself took so long.
    """

    def __init__(self, size: int, timeout: float | None) -> None:
        self._floor: float = PATIENCE.seconds if timeout is None else timeout
        rate: float = TIMEOUT if timeout is None else timeout
        self._left: float = max(self._floor, rate * size / 1e6)
        self._factor = 1.0
        self._asked = 0.0
        self._began = 0.0
        self._whole: float = self._left
        self.refused = 0.0  # the seconds after which a search was stopped

    def begin(self, characters: int) -> float:
        """Returns the timeout of a search in the last ``characters`` of the text, which starts now."""
        patience: float = self._floor * max(1.0, characters / 5e5)
        self._asked = min(self._left, patience)
        self.refused = min(
            self._whole, patience
        )  # the earlier tries count, so not the remaining time
        self._began = thread_time()
        return max(self._asked * self._factor, 1e-3)

    def end(self) -> None:
        """Records that the search is over, or paused."""
        self._left -= thread_time() - self._began

    def goes_on(self, moved: bool) -> bool:
        """Returns whether a search that ran out of time may start again where it was; ``moved``: it found something."""
        took = thread_time() - self._began
        self._left -= took
        if took < 0.9 * self._asked:
            self._factor *= 2  # other threads took the time
        elif not moved:
            self._left = 0.0
        return self._left > 0


def check_length(source: str, most: int = MOST_CHARACTERS) -> None:
    """Raises PatternError for a pattern that would take too long to compile."""
    if len(source) > most:
        raise PatternError(
            f"The pattern has {len(source):,} characters; at most {most:,} are allowed. Use sets, such as [a-z],"
            " instead of many alternatives."
        )


_ALL_BUT_ONE: Final = re.compile(
    r"\[\^(?P<one>\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|[0-7]{1,3}|[\s\S])|[^\\])\]"
)
_NESTED: Final = re.compile(r"\\[\s\S]|" + _ALL_BUT_ONE.pattern)


def compile_source(source: str) -> Any:
    """Returns the compiled pattern; raises PatternError with the position of an error in it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": meant for other versions
            compiled = regex.compile(source)
            apart = _kept_apart(source)
            return compiled if apart == source else regex.compile(apart)
    except regex.error as error:
        details: Any = error
        position: int = -1 if details.pos is None else details.pos
        place = "" if position < 0 else f" at character {position}"
        raise PatternError(
            f"The pattern does not compile: {details.msg}{place}.", position
        ) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise PatternError(f"The pattern does not compile: {error}.") from None


def _kept_apart(source: str) -> str:
    """Returns the pattern with ``[^a]`` written as ``[^aa]``, where there are several such sets.

    The regex module makes one set of those that are alternatives, or side by side in a set: of ``[^a]`` and ``[^b]``
    one that has neither ``a`` nor ``b``, instead of every character (``SetUnion._compile`` in its
    ``_regex_core.py``).
    """
    if source.count("[^") < 2:
        return source
    sets: list[tuple[int, str]] = []  # the end of each such set, and its character
    if source.startswith("(?V1)"):  # where sets are in sets
        sets += [(part.end(), part["one"]) for part in _NESTED.finditer(source) if part["one"]]
    else:
        for node in read_pattern(source).all_parts():
            inside = _ALL_BUT_ONE.fullmatch(node.text) if node.kind == SINGLE else None
            if inside:
                sets.append((node.end, inside["one"]))
    if len({one for _, one in sets}) < 2:
        return source
    parts: list[str] = []
    at = 0
    for end, one in sets:
        once = one if one[0] == "\\" or one.isalnum() else "\\" + one
        parts += [source[at : end - len(one) - 1], once, once, "]"]
        at = end
    return "".join(parts) + source[at:]
