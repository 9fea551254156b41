"""Removing entries: those that texts use least are removed first, and the rest give every other text the same pieces
as before.

A BPE entry is removed only if it is not part of any other entry: then only its own merge is lost. So a text without
any removed tokens has the same merges as before, and the same pieces. In Unigram the best path remains the best when
others are removed. In WordPiece the longest entry remains the longest; only a word that was unknown can become known
through shorter entries.

The cost of a text without an entry is counted, not estimated: every word that contained it is encoded again. So the
next entry to be removed is always the one that the texts use least after all earlier removals.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.changing.prunable import (
    entries_of_scripts,
    order_of_equals,
    script_codes,
    staying_entries,
)
from tokenarium_core.changing.pruned_files import has_entry, without_entries
from tokenarium_core.changing.recutting import MergeParts, Recutter, merge_parts, recutter
from tokenarium_core.changing.special_tokens import CHANGES
from tokenarium_core.changing.token_usage import TokenUsage, usage_of
from tokenarium_core.columns import grown
from tokenarium_core.details import Detail
from tokenarium_core.errors import ArgumentError
from tokenarium_core.guard import TURNS
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter
from tokenarium_core.training.word_counts import WordCounts

BY_SCRIPT: Final = "script"
NEVER_USED: Final = "never used"
TO_SIZE: Final = "size"
"""Why an entry was removed: its script, because the texts never use it, or to reach a size."""

_WORDS: Final = 256  # that are encoded between two looks at the clock
_REMOVED: Final = 64  # entries, in the same way
_RANK_BITS: Final = 21  # bits of a rank in the order of entries that are used equally often
_RANK_MASK: Final = (1 << 21) - 1
_NOT_THERE: Final = 1 << 60


@final
class Pruning:
    """Removes entries one by one: call ``step`` until the progress is "finished".

    ``usage`` has the texts whose cost decides; without it all entries count as used equally often, and the last
    merges are removed first, or in Unigram the pieces with the lowest scores. ``text`` is another text whose cost is
    also counted. ``scripts``: all entries with a character of these scripts (ISO 15924 codes or English names) are
    removed first. ``never_used``: then all that ``usage`` never uses. ``to_size``: then the least used, down to this
    many entries; ``multiple_of``: down to the next multiple of it. By default, as many as possible are removed.

    Single bytes and characters, special and added tokens stay, and so do entries that a vocabulary without byte
    fallback needs for a character.

    ``entries`` is the initial number, ``smallest`` the lowest possible one; ``removed`` are the removed ids in order,
    ``reasons`` why, ``uses`` how many tokens of the texts each accounted for when it was removed. ``tokens[n]`` and
    ``text_tokens[n]`` are the costs of the texts and of ``text`` without the first n of them.

    Raises UnsupportedError for a model that cannot be pruned, ArgumentError for an invalid request. A step raises
    ArgumentError if no entry is left that can go.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        usage: TokenUsage | None = None,
        text: str = "",
        scripts: Sequence[str] = (),
        never_used: bool = False,
        to_size: int | None = None,
        multiple_of: int = 1,
    ) -> None:
        if usage is not None and usage.tokenizer is not tokenizer:
            raise ArgumentError(
                f"The words were counted for {usage.tokenizer.name}, not for {tokenizer.name}: count them again."
            )
        if never_used and (usage is None or len(usage) == 0):
            raise ArgumentError(
                "Only texts show which entries are never used: give texts, or counts of them."
            )
        if multiple_of < 1:
            raise ArgumentError(f"The size cannot be a multiple of {multiple_of}: give 1 or more.")
        self.tokenizer = tokenizer
        self.entries = 0
        self.smallest = 0
        self.removed: list[int] = []
        self.reasons: list[str] = []
        self.uses: list[int] = []
        self.tokens: list[int] = []
        self.text_tokens: list[int] = []
        self.finished = False
        chosen = script_codes(scripts)
        count: i64 = len(tokenizer.vocabulary)
        self._parts: MergeParts = merge_parts(tokenizer)
        self._cutter: Recutter = recutter(tokenizer, self._parts)
        self._stays = staying_entries(tokenizer)
        for id in range(count):
            if has_entry(tokenizer, id):
                self.entries += 1
        self._hold_parts()
        going = 0
        for id in range(count):
            if i64(self._stays[id]) == 0:
                going += 1
        self.smallest = self.entries - going
        self._phases: list[str] = []
        if chosen:
            self._phases.append(BY_SCRIPT)
        if never_used:
            self._phases.append(NEVER_USED)
        if to_size is not None or multiple_of > 1 or not self._phases:
            self._phases.append(TO_SIZE)
        self._size: int = self.smallest  # to come to, in the last phase
        self._multiple: int = multiple_of
        self._asked: bool = to_size is not None
        if to_size is not None:
            self._size = to_size // multiple_of * multiple_of
            self._check_size(to_size)
        self._of_script = entries_of_scripts(tokenizer, chosen)
        self._ranks = order_of_equals(
            tokenizer, self._parts
        )  # of each id among those used equally often
        self._by_rank = vec[i32]([0] * count)
        for id in range(count):
            self._by_rank[i64(self._ranks[id])] = i32(id)
        self._heap: list[int] = []
        self._pushed = vec[i64]([0] * count)  # with how many uses an entry is in the heap
        self._phase: int = -1
        # How many tokens of the texts each id is, and the words that have it: a linked list of rows.
        self._now = vec[i64]([0] * count)
        self._total: i64 = 0
        self._text_total: i64 = 0
        self._heads = vec[i32]([-1] * count)
        self._row_words = vec[i32]([0] * 1024)
        self._row_next = vec[i32]([-1] * 1024)
        self._rows: i64 = 0
        self._stamp: i64 = 0
        self._seen = vec[i64]([0] * count)  # the stamp of the word in which an id was seen last
        self._word: i64 = 0  # the next one to be encoded
        self._read_words(usage, text)
        self._old = vec[i32]([0] * 1024)  # what the words were that are encoded again
        self._row_stamps = vec[i64]([0] * len(self._ends))

    def __repr__(self) -> str:
        return f"<Pruning of {self.tokenizer.name}: {self.entries - len(self.removed):,} of {self.entries:,} entries>"

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds; the progress counts words, then entries."""
        end = perf_counter() + budget_ms / 1000
        while not self.finished:
            TURNS.enter()
            try:
                self._advance()
            finally:
                TURNS.leave()
            if perf_counter() >= end:
                break
        if self._phase < 0:
            return Progress("encoding the words", int(self._word), len(self._ends), False)
        return Progress(
            "removing entries", len(self.removed), self.entries - self._size, self.finished
        )

    def run(self) -> None:
        """Works to the end."""
        while not self.finished:
            self.step(1e9)

    def tokens_at(self, size: int) -> int:
        """Returns the cost of the texts with this many entries; ArgumentError for a size that was not reached."""
        return self.tokens[self.steps_to(size)]

    def text_tokens_at(self, size: int) -> int:
        """Returns the cost of ``text`` with this many entries; ArgumentError for a size that was not reached."""
        return self.text_tokens[self.steps_to(size)]

    def steps_to(self, size: int) -> int:
        """Returns how many entries are removed to reach a size; ArgumentError for a size that was not reached."""
        steps = self.entries - size
        if not 0 <= steps < len(self.tokens):
            raise ArgumentError(
                f"The size is {size:,}; it must be from {self.entries - len(self.tokens) + 1:,} to {self.entries:,}."
            )
        return steps

    def _check_size(self, asked: int) -> None:
        if self._size > self.entries:
            raise ArgumentError(
                f"{self.tokenizer.name} has {self.entries:,} entries: it cannot be pruned to {asked:,}."
            )
        if self._size < self.smallest:
            raise ArgumentError(
                f"{self.tokenizer.name} cannot be pruned to {self._size:,} entries: {self.smallest:,} have to stay, since"
                " they are single bytes or characters, special tokens, or needed for these."
            )

    def _hold_parts(self) -> None:
        """Keeps the parts of remaining entries too: they never become leaves."""
        parts = self._parts
        count: i64 = len(self._stays)
        waiting = [id for id in range(count) if i64(self._stays[id]) == 1]
        while waiting:
            id: i64 = waiting.pop()
            for index in range(i64(parts.firsts[id]), i64(parts.firsts[id + 1])):
                for part in (i64(parts.lefts[index]), i64(parts.rights[index])):
                    if part < count and i64(self._stays[part]) == 0:
                        self._stays[part] = 1
                        waiting.append(part)

    # The words.

    def _read_words(self, usage: TokenUsage | None, text: str) -> None:
        """Collects the words of the texts and of the other text, with their counts."""
        nothing = vec[i64]()
        first = PreTokenCounts(b"", nothing, nothing)
        second = first
        if usage is not None:
            first = usage.words()
            for id, times in usage.fixed.items():
                self._now[id] += times
                self._total += times
        if text:
            other = TokenUsage(self.tokenizer)
            other.add([text])
            second = other.words()
            for times in other.fixed.values():
                self._text_total += times
        known: i64 = len(first)
        most: i64 = known + len(second)
        ends = vec[i64]([0] * most)
        counts = vec[i64]([0] * most)
        text_counts = vec[i64]([0] * most)
        for number in range(known):
            ends[number] = first.ends[number]
            counts[number] = first.counts[number]
        result: i64 = known
        extra: list[bytes] = []
        if len(second):
            numbers = WordCounter(BertPreTokenizer())
            data = first.data + ZEROS
            at: i64 = 0
            for number in range(known):
                numbers.count(data, at, ends[number], 0)
                at = ends[number]
            size: i64 = len(first.data)
            data = second.data + ZEROS
            at = 0
            for number in range(len(second)):
                stop: i64 = second.ends[number]
                index = numbers.count(data, at, stop, 0)
                if index >= known:
                    extra.append(data[at:stop])
                    size += stop - at
                    ends[index] = size
                    result = index + 1
                text_counts[index] = second.counts[number]
                at = stop
        self._data = first.data + b"".join(extra) + ZEROS
        self._ends = ends[:result]
        self._counts = counts[:result]
        self._text_counts = text_counts[:result]

    def _encode_words(self) -> None:
        """Encodes some words with the current entries."""
        stop = min(self._word + _WORDS, i64(len(self._ends)))
        while self._word < stop:
            self._put(self._word)
            self._word += 1

    def _put(self, word: i64) -> None:
        """Counts the tokens of a word for the first time, and records it under its ids."""
        start: i64 = 0
        if word > 0:
            start = self._ends[word - 1]
        cutter = self._cutter
        result = cutter.cut(self._data, start, self._ends[word])
        times = self._counts[word]
        self._total += result * times
        self._text_total += result * self._text_counts[word]
        self._stamp += 1
        stamp = self._stamp
        out = cutter.out
        for index in range(result):
            token: i64 = i64(out[index])
            self._now[token] += times
            if self._seen[token] != stamp:
                self._seen[token] = stamp
                self._note(token, word)

    def _note(self, token: i64, word: i64) -> None:
        """Records that a word has a token; tokens that always stay need no list."""
        if i64(self._stays[token]) == 1:
            return
        if self._rows == len(self._row_words):
            self._row_words = grown(self._row_words, self._rows, 2 * self._rows)
            self._row_next = grown(self._row_next, self._rows, 2 * self._rows)
        self._row_words[self._rows] = i32(word)
        self._row_next[self._rows] = self._heads[token]
        self._heads[token] = i32(self._rows)
        self._rows += 1

    # The entries.

    def _advance(self) -> None:
        if self._word < len(self._ends):
            self._encode_words()
            return
        if self._phase < 0:
            self.tokens.append(int(self._total))
            self.text_tokens.append(int(self._text_total))
            self._begin_phase()
            return
        for _ in range(_REMOVED):
            if not self._remove_next():
                self._begin_phase()
                return

    def _begin_phase(self) -> None:
        self._phase += 1
        if self._phase == len(self._phases):
            self._size = self.entries - len(self.removed)
            self.finished = True
            return
        if self._phases[self._phase] == TO_SIZE and self._multiple > 1 and not self._asked:
            left = self.entries - len(self.removed)
            self._size = left // self._multiple * self._multiple
            self._check_size(self._size)
        self._heap = []
        for id in range(len(self._stays)):
            self._pushed[id] = _NOT_THERE
            self._offer(id)

    def _may_go(self, id: i64) -> bool:
        """Returns whether an entry can be removed now, in this phase."""
        if i64(self._stays[id]) == 1 or i64(self._cutter.gone[id]) == 1:
            return False
        if i64(self._parts.users[id]) > 0:
            return False
        return self._phases[self._phase] != BY_SCRIPT or i64(self._of_script[id]) == 1

    def _remove_next(self) -> bool:
        """Removes the least used entry; false if no more are to be removed in this phase."""
        phase = self._phases[self._phase]
        if phase == TO_SIZE and self.entries - len(self.removed) <= self._size:
            return False
        heap = self._heap
        while heap:
            key = heapq.heappop(heap)
            id: i64 = i64(self._by_rank[key & _RANK_MASK])
            if i64(self._cutter.gone[id]) == 1:
                continue
            if key >> _RANK_BITS != self._pushed[id]:
                continue  # it came again when it was used less often
            self._pushed[id] = _NOT_THERE
            if self._now[id] > key >> _RANK_BITS:  # it is used more often since others went
                self._offer(id)
                continue
            if phase == NEVER_USED and self._now[id] > 0:
                return False
            self._remove(id, phase)
            return True
        return False

    def _remove(self, id: i64, phase: str) -> None:
        self.removed.append(int(id))
        self.reasons.append(phase)
        self.uses.append(int(self._now[id]))
        words = self._take_out(id)
        self._cutter.take(id)
        self._put_back(words)
        parts = self._parts
        count: i64 = len(self._stays)
        for index in range(i64(parts.firsts[id]), i64(parts.firsts[id + 1])):
            left: i64 = i64(parts.lefts[index])
            right: i64 = i64(parts.rights[index])
            if left < count:
                parts.users[left] -= 1
                self._offer(left)
            if right < count:
                parts.users[right] -= 1
                self._offer(right)
        self.tokens.append(int(self._total))
        self.text_tokens.append(int(self._text_total))

    def _offer(self, id: i64) -> None:
        """Adds an entry to the candidates, if it can be removed and is not already a candidate with this usage."""
        uses = self._now[id]
        if uses < self._pushed[id] and self._may_go(id):
            self._pushed[id] = uses
            heapq.heappush(self._heap, int(uses) << _RANK_BITS | int(i64(self._ranks[id])))

    def _take_out(self, id: i64) -> list[tuple[int, int]]:
        """Subtracts the words that have an id from all sums; returns each with the end of its old ids in ``_old``."""
        result: list[tuple[int, int]] = []
        row: i64 = i64(self._heads[id])
        used: i64 = 0
        cutter = self._cutter
        removal: i64 = len(self.removed)
        while row >= 0:
            word: i64 = i64(self._row_words[row])
            row = i64(self._row_next[row])
            if self._row_stamps[word] == removal:
                continue  # it is on the list twice
            self._row_stamps[word] = removal
            start: i64 = 0
            if word > 0:
                start = self._ends[word - 1]
            count = cutter.cut(self._data, start, self._ends[word])
            out = cutter.out
            has = False
            for index in range(count):
                if i64(out[index]) == id:
                    has = True
            if not has:
                continue  # another merge took it since
            if used + count > len(self._old):
                self._old = grown(self._old, used, 2 * (used + count))
            old = self._old
            times = self._counts[word]
            for index in range(count):
                token: i64 = i64(out[index])
                self._now[token] -= times
                old[used + index] = i32(token)
            used += count
            self._total -= count * times
            self._text_total -= count * self._text_counts[word]
            result.append((int(word), int(used)))
        self._heads[id] = -1
        return result

    def _put_back(self, words: list[tuple[int, int]]) -> None:
        """Encodes words again, and adds them to all sums."""
        cutter = self._cutter
        old = self._old
        first: i64 = 0
        for number, end in words:
            word: i64 = number
            stop: i64 = end
            start: i64 = 0
            if word > 0:
                start = self._ends[word - 1]
            count = cutter.cut(self._data, start, self._ends[word])
            out = cutter.out
            times = self._counts[word]
            self._total += count * times
            self._text_total += count * self._text_counts[word]
            self._stamp += 1
            stamp = self._stamp
            for index in range(first, stop):
                self._seen[i64(old[index])] = stamp
            for index in range(count):
                token: i64 = i64(out[index])
                self._now[token] += times
                if self._seen[token] != stamp:
                    self._seen[token] = stamp
                    self._note(token, word)
            first = stop
        for index in range(first):  # what is used less now comes earlier
            self._offer(i64(old[index]))


@final
class Pruned:
    """A tokenizer with fewer entries, and what happened to the old ones.

    ``ids[old]`` is the new id of an old one, -1 if it was removed. ``removed`` are the old ids of the removed
    entries in order, ``reasons`` why each was removed: `BY_SCRIPT`, `NEVER_USED` or `TO_SIZE`. The texts have
    ``tokens_before`` tokens in the old tokenizer and ``tokens`` in this one; both are 0 without texts.
    """

    def __init__(self, tokenizer: Tokenizer, ids: list[int], pruning: Pruning, steps: int) -> None:
        self.tokenizer = tokenizer
        self.ids = ids
        self.removed = pruning.removed[:steps]
        self.reasons = pruning.reasons[:steps]
        self.tokens_before = pruning.tokens[0]
        self.tokens = pruning.tokens[steps]

    def __repr__(self) -> str:
        return f"<Pruned {self.tokenizer.name}: {len(self.removed):,} entries fewer>"


def prune(
    tokenizer: Tokenizer,
    usage: TokenUsage | WordCounts | Iterable[str] | None = None,
    to_size: int | None = None,
    multiple_of: int = 1,
    scripts: Sequence[str] = (),
    never_used: bool = False,
    keep_ids: bool = False,
) -> Pruned:
    """Returns a tokenizer with fewer entries; `Tokenizer.details` of the group `CHANGES` say how many went.

    ``usage``: texts, or the `usage_of` texts, or `WordCounts` of byte-level BPE with this tokenizer's pattern.
    `Pruning` says what is removed; its law: a text without any removed tokens has the same pieces as before (except
    for words unknown to WordPiece). The ids are renumbered in the old order; with ``keep_ids`` they do not change and
    there are gaps, which a ``tokenizer.json`` can represent only if all of its added tokens are among its entries.

    The change is made in the file that the tokenizer's own library reads, and every remaining entry is encoded as
    before. Raises ArgumentError, with the reason, for an impossible request, UnsupportedError for a model that cannot be
    pruned.
    """
    if to_size is None and multiple_of == 1 and not scripts and not never_used:
        raise ArgumentError(
            "There is nothing to remove: give a size, a number to be a multiple of, scripts, or never_used."
        )
    counted = _usage(tokenizer, usage)
    pruning = Pruning(tokenizer, counted, "", scripts, never_used, to_size, multiple_of)
    pruning.run()
    return pruned(pruning, keep_ids)


def pruned(pruning: Pruning, keep_ids: bool = False, to_size: int | None = None) -> Pruned:
    """Returns the tokenizer of a finished pruning; see `prune`. ``to_size``: only down to this size.

    Raises ArgumentError if a pruning is not finished, did not reach the size, or removes nothing.
    """
    if not pruning.finished:
        raise ArgumentError("The pruning is not finished: call step until its progress says so.")
    steps = len(pruning.removed)
    if to_size is not None:
        steps = pruning.steps_to(to_size)
    tokenizer = pruning.tokenizer
    if steps == 0:
        raise ArgumentError(f"{tokenizer.name} has no such entries: there is nothing to remove.")
    gone = [False] * len(tokenizer.vocabulary)
    for id in pruning.removed[:steps]:
        gone[id] = True
    smaller, ids = without_entries(tokenizer, gone, keep_ids)
    smaller.details.append(
        Detail(
            CHANGES,
            "pruned",
            f"{steps:,} of {pruning.entries:,} entries; {pruning.entries - steps:,} are left",
        )
    )
    return Pruned(smaller, ids, pruning, steps)


def prune_curve(
    tokenizer: Tokenizer,
    usage: TokenUsage | WordCounts | Iterable[str] | None = None,
    text: str = "",
) -> Pruning:
    """Returns the cost of texts, and of one more, at every size down to the smallest, and the order of removal: see `Pruning`."""
    pruning = Pruning(tokenizer, _usage(tokenizer, usage), text)
    pruning.run()
    return pruning


def _usage(
    tokenizer: Tokenizer, usage: TokenUsage | WordCounts | Iterable[str] | None
) -> TokenUsage | None:
    if usage is None or isinstance(usage, TokenUsage):
        return usage
    if isinstance(usage, WordCounts):
        counted = TokenUsage(tokenizer)
        counted.add_counts(usage)
        return counted
    if isinstance(usage, str):
        usage = [usage]
    return usage_of(tokenizer, usage)
