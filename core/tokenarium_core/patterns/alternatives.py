"""Regular expressions for the `regex` module: compiled with their faults told, and taken apart into alternatives."""

from __future__ import annotations

import re
import warnings
from time import thread_time
from typing import Any, Final, final

import regex

from tokenarium_core.errors import PatternError

TIMEOUT: Final = 1.0
"""Seconds of processor time that a pattern may take for each million characters of a text."""

MOST_REPEATS: Final = 100_000
"""Repeats inside repeats, multiplied: beyond this the regex module may fill the memory to compile."""

MOST_CHARACTERS: Final = 20_000
"""Characters of a pattern: longer ones take seconds to compile."""

MOST_TRANSLATED: Final = 400_000
"""The same for one that was written out for the regex module."""

MARK: Final = "_end_of_rule_"

COUNT: Final = re.compile(r"\{(\d*)(?:,\d*)?\}")
GROUP_NAME: Final = re.compile(r"\(\?P?<(\w+)>")
FLAGS: Final = re.compile(r"\(\?([a-zA-Z0-9]+)(?:-[a-z]+)?\)")
NUMBERED: Final = re.compile(r"\\[1-9g]|\(\?(?:\(|R|[-+]?\d|&|P>)")
CALL: Final = re.compile(r"\(\?(?:R|[-+]?[0-9]+|&\w*|P>\w*)\)")


@final
class Patience:
    """``seconds`` of processor time that a pattern may take for a short text, `TIMEOUT` unless it is changed.

    A window sets it lower, since a person waits; then a pattern may also take no longer than that to its next match. No
    pattern cuts otherwise for it: it cuts, or it is refused.
    """

    def __init__(self) -> None:
        self.seconds: float = TIMEOUT


PATIENCE: Final = Patience()
"""The patience of this process."""


@final
class Allowance:
    """What a pattern may take for one text of ``size`` characters: ``timeout``, else the `Patience` of the process.

    The regex module looks at the time of the whole process, to which other threads add theirs. So what it ends counts
    only where this thread itself took so long.
    """

    def __init__(self, size: int, timeout: float | None) -> None:
        self._floor: float = PATIENCE.seconds if timeout is None else timeout
        rate: float = TIMEOUT if timeout is None else timeout
        self._left: float = max(self._floor, rate * size / 1e6)
        self._factor = 1.0
        self._asked = 0.0
        self._began = 0.0
        self.refused = 0.0  # the seconds after which a search was given up

    def begin(self, characters: int) -> float:
        """Returns the timeout of a search in the last ``characters`` of the text, which begins now."""
        self._asked = min(self._left, self._floor * max(1.0, characters / 5e5))
        self._began = thread_time()
        return max(self._asked * self._factor, 1e-3)

    def end(self) -> None:
        """Says that the search is over, or rests."""
        self._left -= thread_time() - self._began

    def goes_on(self, moved: bool) -> bool:
        """Tells whether a search that ran out of time may begin again where it was; ``moved``: it found something."""
        took = thread_time() - self._began
        self._left -= took
        if took < 0.9 * self._asked:
            self._factor *= 2  # it was others that took the time
        elif not moved:
            self._left = 0.0
        self.refused = self._asked
        return self._left > 0


@final
class Alternatives:
    """The top-level alternatives of a pattern, found by walking over it once.

    ``parts`` are their sources and ``names`` what to call them; ``repeats`` is how often the most
    repeated piece must come, counting repeats inside repeats.
    """

    def __init__(self, source: str) -> None:
        self.parts: list[str] = []
        self.names: list[str] = []
        self.repeats = 1
        self.call = (
            -1
        )  # where a group is called, as in (?R), which may go on until the memory is full
        # Not safe to mark where groups are called by number, or where # and [ have other meanings.
        self.safe = MARK not in source
        name = ""
        begin = 0
        groups: list[int] = []  # the repeats found in each open group
        inside = 1  # … in the innermost one
        piece = 1  # … in what a quantifier would repeat
        at = 0
        while at < len(source):
            character = source[at]
            if NUMBERED.match(source, at):
                self.safe = False
            width = 1
            if character == "{":
                count = COUNT.match(source, at)
                if count:
                    width = len(count[0])
                    piece *= max(int(count[1] or 0), 1)
                    inside = max(inside, piece)
            elif character == ")":
                piece = inside
                inside = max(piece, groups.pop()) if groups else piece
            elif character == "|" and not groups:
                self.add(source[begin:at], name)
                begin = at + 1
                name = ""
            else:
                piece = 1
                if character == "\\":
                    width = 2
                elif character == "[":
                    width = set_width(source, at)
                elif source.startswith("(?#", at):
                    width = max(source.find(")", at) - at, 0) + 1
                elif character == "(":
                    if self.call < 0 and CALL.match(source, at):
                        self.call = at
                    flags = FLAGS.match(source, at)
                    if flags and ("x" in flags[1] or "V" in flags[1]):
                        self.safe = False
                    group_name = GROUP_NAME.match(source, at)
                    if group_name and not name:
                        name = group_name[1]
                    groups.append(inside)
                    inside = 1
            at += width
        self.add(source[begin:], name)
        self.repeats = max([inside, *groups])

    def add(self, part: str, name: str) -> None:
        """Adds an alternative; one without a name is called by its number."""
        self.parts.append(part)
        self.names.append(name or f"alternative {len(self.parts)}")

    def marked(self) -> str:
        """Returns the pattern with an empty group behind each alternative, to tell which one matched."""
        return "|".join(f"{part}(?P<{MARK}{i}>)" for i, part in enumerate(self.parts))


def check_length(source: str, most: int = MOST_CHARACTERS) -> None:
    """Raises PatternError for a pattern that would take too long to compile."""
    if len(source) > most:
        raise PatternError(
            f"The pattern has {len(source):,} characters; at most {most:,} are allowed. Put sets, such as [a-z], for many"
            " alternatives."
        )


def set_width(source: str, at: int) -> int:
    """Returns how many characters the set takes that opens at ``at``: 6 for ``[^]a\\]]``."""
    end = at + 1
    if source.startswith("^", end):
        end += 1
    if source.startswith("]", end):
        end += 1
    while end < len(source) and source[end] != "]":
        if source[end] == "\\":
            end += 2
        elif source.startswith("[:", end) and source.find(":]", end) > 0:
            end = source.find(":]", end) + 2
        else:
            end += 1
    return end + 1 - at


def compile_source(source: str) -> Any:
    """Returns the compiled pattern; raises PatternError with the position of what is wrong in it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": meant for other versions
            return regex.compile(source)
    except regex.error as error:
        details: Any = error
        position: int = -1 if details.pos is None else details.pos
        place = "" if position < 0 else f" at character {position}"
        raise PatternError(
            f"The pattern does not compile: {details.msg}{place}.", position
        ) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise PatternError(f"The pattern does not compile: {error}.") from None
