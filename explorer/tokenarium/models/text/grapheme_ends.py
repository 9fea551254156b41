"""Where the graphemes of a string end: what readers see as one character, as UAX #29 defines it (extended clusters).

The library `regex` finds them. It joins a consonant to any virama before it; the rule GB9c asks for a consonant before
the virama too, so those places are added.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

_RUN = r"[\p{InCB=Extend}\p{InCB=Linker}]*"
_LOOSE = rf"(?=\p{{InCB=Consonant}})(?<=\p{{InCB=Linker}}{_RUN})(?<!\p{{InCB=Consonant}}{_RUN})"
"""Before a consonant after a virama that follows no consonant."""


@lru_cache(maxsize=1)
def _patterns() -> tuple[regex.Pattern[str], regex.Pattern[str]]:
    import regex  # here: texts of ASCII alone do not need it

    return regex.compile(r"\X"), regex.compile(_LOOSE)


def grapheme_ends(text: str) -> Iterator[int]:
    """Yields the ends of the graphemes of a text, rising, in code points; the last one is the length of the text."""
    clusters, loose = _patterns()
    extra = [match.start() for match in loose.finditer(text)]
    extra.reverse()
    for cluster in clusters.finditer(text):
        start, end = cluster.span()
        while extra and extra[-1] <= end:
            at = extra.pop()
            if start < at < end:
                yield at
        yield end
