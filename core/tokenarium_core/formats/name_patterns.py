"""Names of files with wildcards, many at once: most of ten thousand names are decided without trying each pattern."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from typing import Final, final

_LONGEST_NAME: Final = 255  # of a file, on all systems


@final
class NamePatterns:
    """Patterns of names as `fnmatch` takes them, with upper and lower case distinguished."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.whole: set[str] = set()
        self.ends: tuple[str, ...] = ()
        others: list[str] = []
        for pattern in patterns:
            if not _has_wildcard(pattern):
                self.whole.add(pattern)
            elif pattern.startswith("*") and not _has_wildcard(pattern[1:]):
                self.ends += (pattern[1:],)
            else:
                others.append(fnmatch.translate(pattern))
        self.others = re.compile("|".join(others) or "(?!)")

    def has(self, name: str) -> bool:
        """Returns whether the name of a file, after its folders, matches. A file of macOS's attributes, ``._NAME``, does not."""
        base = name[name.rfind("/") + 1 :]
        if len(base) > _LONGEST_NAME or base.startswith("._"):
            return False
        if base in self.whole or base.endswith(self.ends):
            return True
        return self.others.match(base) is not None


def _has_wildcard(name: str) -> bool:
    return any(mark in name for mark in "*?[")
