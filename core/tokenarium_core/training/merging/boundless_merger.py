"""The merges of BoundlessBPE: within pre-tokens, and across them, of which the more frequent is made."""

from __future__ import annotations

from typing import Any, Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import PatternError
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.patterns.regex_engine import TIMEOUT
from tokenarium_core.training.merging.deleting_merger import DeletingMerger
from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeColumns, Merger, MergeRules
from tokenarium_core.training.merging.place_merger import PlaceMerger, WordPlaces
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.word_counter import SlotWords, WordCounter

_OPERATIONS: Final = 1 << 15
_EACH: Final = 64


@final
class BoundlessMerger(Merger):
    """Merges as `BoundlessTrainer` describes it, in words whose order is ``blocks``, see `WordPlaces`.

    ``joining`` matches the pre-tokens that may join. ``crosses[k]`` is 1 if merge ``k`` is a supermerge; ``deleted`` are
    the deleted tokens in their order, ``deleted_after`` the number of the merge after which each was deleted.
    """

    def __init__(
        self,
        counter: WordCounter,
        blocks: list[vec[i32]],
        merges: MergeColumns,
        min_frequency: i64,
        threshold: float,
        joining: Any,
    ) -> None:
        ids: i64 = BYTES + merges.merge_count
        words = WordSegmentation(SlotWords(counter), ids)
        rules = BoundlessRules()
        super().__init__(words, merges, merges.merge_count, min_frequency, rules)
        self.crosses = vec[u8]([0] * merges.merge_count)
        self.deleted = vec[i32]()
        self.deleted_after = vec[i32]()
        self._pieces = rules.pieces
        self._counter = counter
        self._threshold = threshold
        self._joining = joining
        self._within = DeletingMerger(words, merges, min_frequency, rules, threshold <= 1)
        places = WordPlaces(blocks, counter.distinct, ids)
        self._across = PlaceMerger(places, merges, min_frequency, rules)

    def advance(self) -> None:
        """Works on for about a millisecond; done where no merge is left to make, which may be so from the beginning."""
        if self.merges.made == self.end:
            self.done = True
        elif not self._within.ready:
            self._within.advance()
        elif not self._across.ready:
            self._across.advance()
        else:
            self._merge_some()

    def _merge_some(self) -> None:
        """Makes some merges, until a threshold has to be lowered."""
        within = self._within
        across = self._across
        least = self.min_frequency
        operations: i64 = _OPERATIONS
        while operations > 0 and self.merges.made < self.end:
            row = within.best_row()
            count = within.count(row)
            row_across = across.best_row()
            count_across = across.count(row_across)
            hidden = within.threshold - 1  # the most that a pair may have that is hidden
            hidden_across = across.threshold - 1
            if row < 0 and hidden >= least and count_across < hidden:
                within.lower(max(count_across, 1))
                return
            if row_across < 0 and hidden_across >= least and count <= hidden_across:
                across.lower((count if row >= 0 else hidden_across) >> 1)
                return
            if row < 0 and row_across < 0:
                self.done = True
                return
            if count > count_across:
                self._merge_within(row)
            else:
                self.crosses[self.merges.made] = 1
                across.make(row_across)
            self.merges.token_counts[self.merges.made - 1] = (
                within.words.tokens + across.words.tokens
            )
            operations -= _EACH + max(count, count_across) >> 3

    def _merge_within(self, row: i64) -> None:
        """Merges a pair within pre-tokens; deletes its tokens, and lets a pre-token join, as the merge decides."""
        within = self._within
        pair = within.pair(row)
        left = pair >> 32
        right = pair & RIGHT
        count = within.count(row)
        share_left = float(count) / float(within.occurrences(left))
        share_right = float(count) / float(within.occurrences(right))
        token = BYTES + self.merges.made
        within.make(row)
        if left >= BYTES and share_left >= self._threshold:
            self._delete(left)
        if right >= BYTES and right != left and share_right >= self._threshold:
            self._delete(right)
        if within.whole:
            piece = self._pieces[token]
            if self._joins(piece.decode()):
                number = self._counter.count(piece + ZEROS, 0, len(piece), 0)
                self._across.unlock(number, token)

    def _joins(self, word: str) -> bool:
        """Returns whether a pre-token may join; PatternError if its pattern takes too long or all memory."""
        try:
            return self._joining.match(word, concurrent=False, timeout=TIMEOUT) is not None
        except (TimeoutError, MemoryError):
            raise PatternError(
                f"The joining pattern takes more than {TIMEOUT:.3g} s or fills the memory on {word[:40]!r}. A repeat"
                " inside a repeat is the usual reason; make one of them possessive (++)."
            ) from None

    def _delete(self, token: i64) -> None:
        self.deleted = append(self.deleted, i32(token))
        self.deleted_after = append(self.deleted_after, i32(self.merges.made - 1))
        self._within.delete(token, self._pieces[token])


@final
class BoundlessRules(MergeRules):
    """No entry is made twice; of equally frequent pairs, the one whose tokens come first by their bytes.

    ``pieces`` are the bytes of all tokens by id.
    """

    def __init__(self) -> None:
        self.pieces = [bytes([byte]) for byte in range(BYTES)]
        self._known = set(self.pieces)
        self._orders = vec[i64]([byte << 48 for byte in range(BYTES)])

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the joined piece is a new one."""
        return self.pieces[left] + self.pieces[right] not in self._known

    def add(self, left: i64, right: i64) -> None:
        """Notes the piece of the next id."""
        piece = self.pieces[left] + self.pieces[right]
        self.pieces.append(piece)
        self._known.add(piece)
        self._orders = append(self._orders, i64(int.from_bytes((piece[:7] + bytes(7))[:7], "big")))

    def order(self, pair: i64) -> i64:
        """Returns the first seven bytes of the left token as a number."""
        return self._orders[pair >> 32]

    def precedes(self, pair: i64, other: i64) -> bool:
        """Returns whether a pair comes first, where the seven bytes are equal."""
        pieces = self.pieces
        left = pieces[pair >> 32]
        other_left = pieces[other >> 32]
        if left != other_left:
            return left < other_left
        return pieces[pair & RIGHT] < pieces[other & RIGHT]
