"""Trains BoundlessBPE: merges within pre-tokens, deletions, and merges of whole pre-tokens with their neighbours."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, Final, final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.added_tokens import of_special
from tokenarium_core.details import Source
from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.merge_events import MergeEvents
from tokenarium_core.models.bpe.supermerges import Supermerges
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.patterns.regex_engine import TIMEOUT, compile_source
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.merge_trainer import MergeTrainer
from tokenarium_core.training.merging.deleting_merger import DeletingMerger
from tokenarium_core.training.merging.merger import BYTES, RIGHT, MergeRules
from tokenarium_core.training.merging.place_merger import BOUNDARY, PlaceMerger, WordPlaces
from tokenarium_core.training.merging.segmentation import WordSegmentation
from tokenarium_core.training.trainer import (
    SPECIAL_TOKENS,
    CountSource,
    Option,
)
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, PieceArena, Vocabulary

JOINING: Final = r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$"
"""The pre-tokens that may join, as in the published code: letters, blanks, underscores and apostrophes."""

OPTIONS: Final = [
    Option(
        "pattern",
        "o200k",
        "How a text is cut into pre-tokens: a name, or a regular expression.",
    ),
    Option(
        "joining",
        JOINING,
        "A regular expression, searched at the beginning of a pre-token: those that have it may become one entry with"
        " their neighbours.",
    ),
    Option(
        "threshold",
        0.9,
        "The share of a token's places that one merge has to take from it for the token to be deleted; above 1, none is.",
        least=0.5,
    ),
    Option(
        "min_frequency",
        2,
        "How often a pair, in pre-tokens or of pre-tokens, has to be in the corpus to be merged.",
        least=1,
    ),
    SPECIAL_TOKENS,
]
"""The options of BoundlessBPE."""

_OPERATIONS: Final = 1 << 15
_EACH: Final = 64


@final
class BoundlessTrainer(MergeTrainer):
    """A training of BoundlessBPE that is stepped through: ``step`` until it says "finished".

    Schmidt, Reddy, Tanner and Pinter 2025, "Boundless Byte Pair Encoding: Breaking the Pre-tokenization Barrier"
    (https://arxiv.org/abs/2504.00178), as their code trains (kensho-technologies/boundlessbpe, commit 9c7ef2e,
    ``boundlessbpetrain.py``, with ``blowup``):

    - A merge joins a pair within pre-tokens. A pre-token that one merge leaves as a single token may join from then on,
      if ``joining`` matches it; one of a single byte never may. A *supermerge* joins two neighbours in a text that may
      join; what comes out may join too, unless both were the same token. Nothing joins across two texts, files or a
      special token.
    - The next merge is the pair that occurs most often. A pair in a run of one token is counted without overlap ("aaa"
      has one "aa"). Of a merge and a supermerge that occur equally often, the supermerge is made; else, of equal pairs,
      the one whose left token comes first by its bytes, then the right one. A pair that would make an entry that exists
      is never merged.
    - After a merge within pre-tokens, its left token and then its right one is deleted if the merge took at least
      ``threshold`` of its places, counted before: it is taken apart into its bytes everywhere in the pre-tokens. Single
      bytes are never deleted. After a supermerge nothing is.
    - A deleted token keeps its entry and its id, and is not made again. A pre-token that joined as this token goes on to
      join here, though an encoder takes it apart from then on; supermerges that are learned of it are never used.

    The published code states these as they are, except for three things where it has no steady rule, and where this is
    the rule: a token that is both sides of a merge is deleted once, not twice; a supermerge of a token with itself does
    not open its product to others, not even where a text consists of that product alone; and a pre-token with the bytes
    of a supermerge's product remains as it is.

    ``token_counts`` are the tokens of all pre-tokens, less the places that supermerges joined.

    The corpus is read once, and kept as the sequence of its pre-tokens: some twelve bytes for each of them.
    """

    def __init__(
        self,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        joining: str = JOINING,
        threshold: float = 0.9,
        min_frequency: int = 2,
        special_tokens: Sequence[str] = (),
    ) -> None:
        super().__init__(
            "boundless-bpe", pre_tokenizer, vocab_size, min_frequency, list(special_tokens)
        )
        self.joining = joining
        self.threshold = threshold
        self.crosses = vec[u8]([0] * self.merges.merge_count)
        """For each merge, 1 if it is a supermerge."""
        self.deleted = vec[i32]()
        """The deleted tokens, by id, in their order."""
        self.deleted_after = vec[i32]()
        """For each of them, the number of the merge after which it was deleted."""
        self._joining: Any = compile_source(joining)
        self._reader: CorpusReader | None = CorpusReader(corpus, files, symbols=self.special_tokens)
        self._counter = WordCounter(pre_tokenizer)
        self._blocks: list[vec[i32]] = []
        self._block = vec[i32]()
        self._rules = BoundlessRules()
        self._words: DeletingMerger | None = None
        self._places: PlaceMerger | None = None
        self._done = False

    @property
    def byte_count(self) -> int:
        """How many bytes of the corpus were counted."""
        return self._counter.byte_count

    @property
    def pre_token_count(self) -> int:
        """How many pre-tokens were counted."""
        return self._counter.total

    @property
    def distinct_count(self) -> int:
        """How many different pre-tokens were counted."""
        return self._counter.distinct

    @property
    def pre_tokens(self) -> PreTokenCounts:
        """The different pre-tokens that were counted, with how often each occurs: made at each call."""
        return self._counter.listed()

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty if it gave what was requested."""
        return self.ran_out() if self._done and self.merges_made < self.merge_count else ""

    @property
    def progress(self) -> Progress:
        """The phase "counting" in bytes of files and characters of texts, then "merging" in merges."""
        if self._words is None:
            assert self._reader is not None
            return Progress("counting", self._reader.done, self._reader.total, False)
        return Progress("merging", self.merges_made, self.merge_count, self._done)

    def begin_with(self, source: CountSource) -> None:
        """Raises TokenariumError: counts do not have the order of the words, which supermerges come from."""
        raise TokenariumError(
            "BoundlessBPE joins neighbouring words, and counts do not have the order of the words: train on the corpus."
        )

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of the first ``step`` merges, and of the deletions up to there."""
        events = MergeEvents(to_bytes=True)
        supermerges = Supermerges()
        numbers = list(range(BYTES))  # of the tokens by id, -1 for products of supermerges
        deletion: i64 = 0
        for k in range(step):
            left: i64 = i64(self.merges.lefts[k])
            right: i64 = i64(self.merges.rights[k])
            if self.crosses[k]:
                numbers.append(-1)
                supermerges.add(left, right, BYTES + k, len(events))
            else:
                numbers.append(events.merge(numbers[left], numbers[right]))
            while deletion < len(self.deleted) and i64(self.deleted_after[deletion]) == k:
                events.remove(numbers[i64(self.deleted[deletion])])
                deletion += 1
        pieces = [self.piece(token) for token in range(BYTES + step)]
        return tokenizer_of_supermerges(
            name, self.pre_tokenizer, pieces, events, supermerges, self.special_tokens
        )

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        words = self._words
        places = self._places
        if words is None or places is None:
            self._count()
        elif not words.ready:
            words.advance()
        elif not places.ready:
            places.advance()
        else:
            self._merge(words, places)
        return not self._done

    def _count(self) -> None:
        """Counts some words and notes their order; reads more if none is left."""
        reader = self._reader
        assert reader is not None
        counter = self._counter
        start = reader.start
        before = counter.total
        reader.start = counter.add_block(reader.data, start, reader.stop, reader.limit)
        if reader.start != start:
            self._note(counter.numbers[: counter.total - before])
        else:
            if reader.limit == reader.stop:
                self._note(vec[i32]([BOUNDARY]))
            if not reader.read():
                self._reader = None
                self._begin()

    def _note(self, numbers: vec[i32]) -> None:
        """Adds words to the sequence, or a boundary."""
        self._block = numbers if len(self._block) == 0 else extend(self._block, numbers)
        if len(self._block) >= 1 << 15:
            self._blocks.append(self._block)
            self._block = vec[i32]()

    def _begin(self) -> None:
        """Begins to merge."""
        self._blocks.append(self._block)
        ids: i64 = BYTES + self.merges.merge_count
        self._words = DeletingMerger(
            WordSegmentation(self._counter, ids),
            self.merges,
            self.min_frequency,
            self._rules,
            self.threshold <= 1,
        )
        places = WordPlaces(self._blocks, self._counter.distinct, ids)
        self._places = PlaceMerger(places, self.merges, self.min_frequency, self._rules)

    def _merge(self, words: DeletingMerger, places: PlaceMerger) -> None:
        """Makes some merges, until a threshold has to be lowered."""
        least: i64 = self.min_frequency
        end = self.merges.merge_count
        operations: i64 = _OPERATIONS
        while operations > 0:
            if self.merges.made == end:
                self._done = True
                return
            row = words.best_row()
            count = words.count(row)
            row_across = places.best_row()
            count_across = places.count(row_across)
            hidden = words.threshold - 1  # the most that a pair may have that is hidden
            hidden_across = places.threshold - 1
            if row < 0 and hidden >= least and count_across < hidden:
                words.lower(max(count_across, 1))
                return
            if row_across < 0 and hidden_across >= least and count <= hidden_across:
                places.lower((count if row >= 0 else hidden_across) >> 1)
                return
            if row < 0 and row_across < 0:
                self._done = True
                return
            if count > count_across:
                self._merge_within(words, places, row)
            else:
                self.crosses[self.merges.made] = 1
                places.make(row_across)
            self.merges.token_counts[self.merges.made - 1] = (
                words.words.tokens + places.words.tokens
            )
            operations -= _EACH + max(count, count_across) >> 3

    def _merge_within(self, words: DeletingMerger, places: PlaceMerger, row: i64) -> None:
        """Merges a pair within pre-tokens; deletes its tokens, and lets a pre-token join, as the merge decides."""
        pair = words.pair(row)
        left = pair >> 32
        right = pair & RIGHT
        count = words.count(row)
        share_left = float(count) / float(words.occurrences(left))
        share_right = float(count) / float(words.occurrences(right))
        token = BYTES + self.merges.made
        words.make(row)
        if left >= BYTES and share_left >= self.threshold:
            self._delete(words, left)
        if right >= BYTES and right != left and share_right >= self.threshold:
            self._delete(words, right)
        if words.whole:
            piece = self.piece(token)
            if self._may_join(piece):
                places.unlock(self._counter.count(piece + ZEROS, 0, len(piece), 0), token)

    def _delete(self, words: DeletingMerger, token: i64) -> None:
        self.deleted = append(self.deleted, i32(token))
        self.deleted_after = append(self.deleted_after, i32(self.merges.made - 1))
        words.delete(token, self.piece(token))

    def _may_join(self, piece: bytes) -> bool:
        """Returns whether a pre-token may join."""
        return self._joining.match(piece.decode(), timeout=TIMEOUT) is not None


def tokenizer_of_supermerges(
    name: str,
    pre_tokenizer: PreTokenizer,
    pieces: list[bytes],
    events: MergeEvents,
    supermerges: Supermerges,
    special: list[str],
) -> Tokenizer:
    """Returns a tokenizer of BoundlessBPE, whose ids are those of the pieces in their order, then the special tokens."""
    arena = PieceArena(len(pieces) + len(special))
    for piece in pieces:
        arena.add(piece, BYTE if len(piece) == 1 else NORMAL)
    for token in special:
        arena.add(token.encode(), CONTROL)
    ids = {token: len(pieces) + index for index, token in enumerate(special)}
    model = BoundlessBpe(Vocabulary(arena), events, supermerges)
    tokenizer = Tokenizer(name, model, pre_tokenizer, of_special(ids))
    tokenizer.source = Source("trained", "")
    return tokenizer


@final
class BoundlessRules(MergeRules):
    """No entry is made twice; of equally frequent pairs, the one whose tokens come first by their bytes."""

    def __init__(self) -> None:
        self._pieces = [bytes([byte]) for byte in range(BYTES)]
        self._known = set(self._pieces)
        self._orders = vec[i64]([byte << 48 for byte in range(BYTES)])

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the joined piece is a new one."""
        return self._pieces[left] + self._pieces[right] not in self._known

    def add(self, left: i64, right: i64) -> None:
        """Notes the piece of the next id."""
        piece = self._pieces[left] + self._pieces[right]
        self._pieces.append(piece)
        self._known.add(piece)
        self._orders = append(self._orders, i64(int.from_bytes((piece[:7] + bytes(7))[:7], "big")))

    def order(self, pair: i64) -> i64:
        """Returns the first seven bytes of the left token as a number."""
        return self._orders[pair >> 32]

    def precedes(self, pair: i64, other: i64) -> bool:
        """Returns whether a pair comes first, where the seven bytes are equal."""
        pieces = self._pieces
        left = pieces[pair >> 32]
        other_left = pieces[other >> 32]
        if left != other_left:
            return left < other_left
        return pieces[pair & RIGHT] < pieces[other & RIGHT]
