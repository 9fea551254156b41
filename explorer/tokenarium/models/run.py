"""The run of one tokenizer on a stretch of a text, with its trace: what the players play.

A stretch is encoded where it stands, for a word may be cut otherwise by itself: with all of a short text, else
with the lines around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import tokenarium_core as tc
from tokenarium.models.playback import Playback, Step, Symbol, Word
from tokenarium_core.trace import KINDS

WHOLE_TEXT = 16 * 1024
"""Up to so many bytes, a text is traced as a whole."""

CONTEXT = 4 * 1024
"""Bytes before and after a stretch that are traced with it in a longer text."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two neighbouring symbols that have a merge: the byte where the left one begins, and the merge's rank."""

    start: int
    rank: int


class Run:
    """What a tokenizer did to ``utf8[start:end]`` of a text.

    ``playback`` holds the steps; its bytes are those of the normalised ``data``. ``origin`` is the byte of the
    original text at which the traced part begins. ``first`` and ``last`` are the words that touch the stretch.
    """

    def __init__(
        self, tokenizer: tc.Tokenizer, utf8: bytes, start: int, end: int, special: str = "none"
    ) -> None:
        self.tokenizer = tokenizer
        self.origin, stop = traced_part(utf8, start, end)
        trace = tc.Trace()
        encoding = tokenizer.encode(
            utf8[self.origin : stop].decode("utf-8", "replace"), special=special, trace=trace
        )
        self.encoding = encoding
        self.data = encoding.text.data[: encoding.text.size]
        self.playback = Playback(trace, len(self.data), self.data, tokenizer.model.byte_symbols())
        words = self.playback.words
        touched = [
            number
            for number, word in enumerate(words)
            if self.original(word.start, word.end)[1] > start
            and self.original(word.start, word.end)[0] < end
        ]
        self._leaves: dict[int, list[Symbol]] = {}
        self.first = touched[0] if touched else 0
        self.last = touched[-1] + 1 if touched else 0
        self.begin = words[self.first].first if touched else 0
        self.finish = words[self.last - 1].last if touched else 0
        self.playback.go_to(0)
        for number in range(self.first, self.last):
            word = words[number]
            self._leaves[word.start] = list(self.playback.symbols(word.start, word.end))
        self.playback.go_to(self.begin)

    def __len__(self) -> int:
        """How many steps the words of the stretch take."""
        return self.finish - self.begin

    @property
    def position(self) -> int:
        """How many of these steps are applied."""
        return self.playback.position - self.begin

    def go_to(self, position: int) -> None:
        """Applies so many of the steps."""
        self.playback.go_to(self.begin + max(0, min(position, len(self))))

    @property
    def next_step(self) -> Step | None:
        """The step that comes next; none at the end."""
        at = self.playback.position
        return self.playback.steps[at] if at < self.finish else None

    @property
    def last_step(self) -> Step | None:
        """The step that was applied last; none at the beginning."""
        at = self.playback.position
        return self.playback.steps[at - 1] if at > self.begin else None

    def words(self) -> list[list[Symbol]]:
        """Returns the symbols of each word as they stand now."""
        words = self.playback.words[self.first : self.last]
        return [list(self.playback.symbols(word.start, word.end)) for word in words]

    def leaves(self, word: Word) -> list[Symbol]:
        """Returns the symbols with which a word of the stretch begins."""
        return self._leaves[word.start]

    def candidates(self, symbols: list[Symbol]) -> list[Candidate]:
        """Returns which neighbours in a word have a merge, from the left; empty for models that don't merge."""
        model = self.tokenizer.model
        found = []
        for left, right in pairwise(symbols):
            rank = model.merge_rank(left.id, right.id) if left.end == right.start else -1
            if rank >= 0:
                found.append(Candidate(left.start, rank))
        return found

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Returns the bytes of the original text that a range of the normalised part was made of."""
        text = self.encoding.text
        return self.origin + text.start_of(start), self.origin + text.stop_of(end)

    def rule(self, word: int) -> str:
        """The name of the rule that made a word."""
        number = self.playback.words[word].rule
        names = self.encoding.pre_tokens.names
        return names[number] if 0 <= number < len(names) else KINDS[3]


def traced_part(utf8: bytes, start: int, end: int) -> tuple[int, int]:
    """Returns the bytes to be traced so that ``utf8[start:end]`` is cut as in the whole text."""
    if len(utf8) <= WHOLE_TEXT:
        return 0, len(utf8)
    first = utf8.rfind(b"\n", 0, max(0, start - CONTEXT // 4)) + 1
    if start - first > CONTEXT:
        first = _character(utf8, start - CONTEXT)
    last = utf8.find(b"\n", min(len(utf8), end + CONTEXT // 4))
    if last < 0 or last - end > CONTEXT:
        last = _character(utf8, min(len(utf8), end + CONTEXT))
    return first, last


def _character(utf8: bytes, at: int) -> int:
    """Returns the first byte of the character that byte ``at`` belongs to."""
    while 0 < at < len(utf8) and utf8[at] & 0xC0 == 0x80:
        at -= 1
    return at
