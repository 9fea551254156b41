"""What the model keeps while it merges a word, at the step that a player shows: its queue, its list, its cache.

All of it is read from a second run of the core over the same word, which makes the same merges as the trace.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

from tokenarium.models.merges.playback import PlayedWord, Step
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import readable
from tokenarium_core import ArgumentError
from tokenarium_core import trace as kinds
from tokenarium_core.explaining.merge_work import OUTCOMES, MergeWork, WordLookups
from tokenarium_core.models import BytePairEncoder, CharacterBpe

T = TypeVar("T")

LONGEST = 2048
"""The most bytes of a word that is merged a second time: the time to scan it grows with the square of that."""


class LazyList(Sequence[T]):
    """A list of ``length`` items, each made by ``make`` where it is read: of a long queue only some rows are seen."""

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, slice):
            return [self._make(at) for at in range(self._length)[place]]
        return self._make(range(self._length)[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A waiting merge: its place in the heap, what it is sorted by, the byte of its left symbol; stale ones are skipped.

    ``result`` is the id that it would make, ``left`` and ``right`` are those that it joins, as the vocabulary lists the
    merge, or -1.
    """

    place: int
    order: tuple[int, int]
    start: int
    stale: bool
    left: int
    right: int
    result: int


@dataclass(frozen=True, slots=True)
class LinkedSymbol:
    """A symbol of the list: its number, its bytes, its id (-1: gone, merged into the one before), its neighbours.

    ``changed``: the last merge changed it, or its links.
    """

    number: int
    start: int
    end: int
    id: int
    previous: int
    following: int
    changed: bool


@dataclass(frozen=True, slots=True)
class WorkMoment:
    """The queue and the list of a word after some of its merges, and how many places each way looked at.

    ``heads`` are the start and the staleness of each of the ``entries``, which are made where they are read.
    ``queued`` and ``scanned`` are those so far, ``in_all`` the two sums at the end of the word, ``last`` those of the
    last merge.
    """

    word: PlayedWord
    merges: int
    heads: list[tuple[int, bool]]
    entries: Sequence[QueueEntry]
    symbols: Sequence[LinkedSymbol]
    queued: int
    scanned: int
    in_all: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """A word that was looked up in the cache: its bytes in the normalized text, what was found, and how many ids it
    has.
    """

    start: int
    end: int
    outcome: str
    ids: int


class WordWork:
    """The work of the words of a run, each made when it is first played."""

    def __init__(self, run: TraceRun) -> None:
        self._run = run
        self._kept: dict[int, MergeWork | None] = {}
        self._lookups: list[LookedUp] | None = None

    def moment(self) -> WorkMoment | None:
        """Returns what there is at the step of the run; None for a word that is not merged."""
        run = self._run
        word = run.playback.word_at(run.playback.position)
        if word is None:
            return None
        work = self._work(word)
        if work is None:
            return None
        steps = run.playback.steps[
            word.first : max(word.first, min(run.playback.position, word.last))
        ]
        made = sum(_merges(step) for step in steps)
        before: list[tuple[int, int, int, int, int]] = []
        if made:
            work.go_to(made - 1)
            before = work.links()
        work.go_to(made)
        links = work.links()
        waiting = work.waiting()
        order = sorted(range(len(waiting)), key=waiting.__getitem__)

        def entry(at: int) -> QueueEntry:
            priority, number, stale = waiting[order[at]]
            return self._entry(order[at], priority, number, stale, links[number][0])

        def symbol(number: int) -> LinkedSymbol:
            changed = bool(before) and before[number] != links[number]
            return LinkedSymbol(number, *links[number], changed)

        queued, scanned = work.queued, work.scanned
        earlier = max(0, made - 1)
        return WorkMoment(
            word,
            made,
            [(links[waiting[at][1]][0], waiting[at][2]) for at in order],
            LazyList(len(order), entry),
            LazyList(len(links), symbol),
            int(queued[made]),
            int(scanned[made]),
            (int(queued[work.merges]), int(scanned[work.merges])),
            (int(queued[made] - queued[earlier]), int(scanned[made] - scanned[earlier])),
        )

    def lookups(self) -> list[LookedUp]:
        """Returns what an empty cache finds of the traced text, word by word; nothing for models that do not merge."""
        if self._lookups is None:
            run = self._run
            try:
                cache = WordLookups(run.tokenizer, run.text, run.special)
            except ArgumentError:
                self._lookups = []
            else:
                self._lookups = [
                    LookedUp(
                        int(cache.starts[n]),
                        int(cache.stops[n]),
                        OUTCOMES[cache.outcomes[n]],
                        int(cache.id_counts[n]),
                    )
                    for n in range(len(cache))
                ]
        return self._lookups

    @property
    def data(self) -> bytes:
        """The normalized text."""
        return self._run.data

    def looked_up(self) -> int:
        """Returns the number of the look-up of the word that is played; -1: none."""
        lookups = self.lookups()
        word = self._run.playback.word_at(self._run.playback.position)
        if word is None:
            return -1
        step = self._run.next_step or self._run.last_step
        byte = step.start if step is not None else word.start
        number = bisect_right(lookups, byte, key=lambda one: one.start) - 1
        return number if number >= 0 and byte < lookups[number].end else -1

    def _work(self, word: PlayedWord) -> MergeWork | None:
        if word.start not in self._kept:
            self._kept[word.start] = self._made(word)
        return self._kept[word.start]

    def _made(self, word: PlayedWord) -> MergeWork | None:
        run = self._run
        model = run.tokenizer.model
        steps = run.playback.steps[word.first : word.last]
        if word.end - word.start > LONGEST or not isinstance(
            model, (BytePairEncoder, CharacterBpe)
        ):
            return None
        if any(step.kind in (kinds.SPECIAL, kinds.WHOLE) for step in steps):
            return None
        work = MergeWork(model, run.encoding.text.data, word.start, word.end)
        return work if work.merges == sum(map(_merges, steps)) else None

    def _entry(self, place: int, priority: int, number: int, stale: bool, start: int) -> QueueEntry:
        model = self._run.tokenizer.model
        table = model.merges.table if isinstance(model, CharacterBpe) else None
        if isinstance(model, BytePairEncoder):
            table = model.merges
        assert table is not None
        left, right, result = table.lefts[priority], table.rights[priority], table.results[priority]
        size = len(model.vocabulary)
        ids = [int(token) if 0 <= token < size else -1 for token in (left, right, result)]
        return QueueEntry(place, (priority, number), start, stale, *ids)

    def text(self, token: int) -> str:
        """Returns the text of an id; "" for -1."""
        return readable(self._run.tokenizer.vocabulary.piece(token)) if token >= 0 else ""


def _merges(step: Step) -> int:
    return int(step.kind == kinds.MERGE)
