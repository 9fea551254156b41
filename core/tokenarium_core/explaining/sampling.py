"""Random tokenizations of a text: BPE-dropout and Unigram sampling, as used in training models.

    sample(tokenizer, "unbelievable", 1000, dropout=0.1).cuts[0].ids

A model that sees a word tokenized in several ways learns how it is composed. BPE skips merges at random (Provilkov
et al. 2020), Unigram samples a path with the probability given by its scores (Kudo 2018). Encoding itself is not
random.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import exp
from random import Random
from time import perf_counter
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE
from tokenarium_core.errors import ArgumentError, TokenariumError, UnsupportedError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_symbols import CharacterSymbols
from tokenarium_core.models.bpe.merge_heap import POSITION_MASK, PositionHeap
from tokenarium_core.models.bpe.merge_table import NO_MERGE, CharacterMerges
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.models.lowest_cost import LowestCost
from tokenarium_core.models.named_pieces import BY_NAME, NamedPieces
from tokenarium_core.models.unigram.lattice import Lattice
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import NORMAL, USER_DEFINED, Vocabulary

DROPOUT: Final = 0.1
"""The default share of merges that BPE-dropout skips, as in its paper."""

ALPHA: Final = 1.0
"""The default exponent of the probabilities in Unigram: those of the model."""

LONGEST: Final = 100_000
"""The most bytes of a text: each sample takes as much work as encoding."""

_GONE: Final = -1


@final
class SampledCut:
    """One tokenization of a text: its ids, how many times it was sampled, and for Unigram its exact probability (else -1)."""

    def __init__(self, ids: list[int], times: int, probability: float) -> None:
        self.ids = ids
        self.times = times
        self.probability = probability

    def __repr__(self) -> str:
        return f"<SampledCut {self.times} times {self.ids}>"


@final
class SampledCuts:
    """The tokenizations found in ``count`` samples, the most frequent first, then by their ids.

    ``canonical``: the ids of encoding. ``rule``: the sampling method, in words.
    """

    def __init__(self, cuts: list[SampledCut], count: int, canonical: list[int], rule: str) -> None:
        self.cuts = cuts
        self.count = count
        self.canonical = canonical
        self.rule = rule

    @property
    def tokens(self) -> float:
        """The average number of tokens in a sample."""
        total: int = 0
        for cut in self.cuts:
            total += cut.times * len(cut.ids)
        return total / self.count if self.count else 0.0

    @property
    def canonical_share(self) -> float:
        """The share of samples with the ids of encoding."""
        for cut in self.cuts:
            if cut.ids == self.canonical:
                return cut.times / self.count
        return 0.0

    def __repr__(self) -> str:
        return f"<SampledCuts: {len(self.cuts):,} in {self.count:,} draws>"


def sample(
    tokenizer: Tokenizer,
    text: str,
    count: int = 1,
    dropout: float = DROPOUT,
    alpha: float = ALPHA,
    seed: int = 0,
    special: bool = False,
) -> SampledCuts:
    """Returns ``count`` random tokenizations of a text; a seed gives the same ones on every computer.

    BPE: each merge is skipped with the probability ``dropout``, from 0 (encoding) to 1 (the initial symbols). A
    SentencePiece model skips a merge permanently, as sentencepiece does; all others try it again after the next merge,
    as Hugging Face tokenizers does. Unigram: a path has a probability proportional to its own raised to the
    power of ``alpha`` (0: all equal), as in sentencepiece with ``nbest_size=-1``. Pre-tokens are sampled one by
    one, added tokens stay.

    Raises UnsupportedError for models that neither merge nor score, ArgumentError for values out of their range.
    """
    job = SamplingJob(tokenizer, text, count, dropout, alpha, seed, special)
    while not job.finished:
        job.step(1e9)
    return job.cuts


@final
class SamplingJob:
    """Samples tokenizations of one text: call `step` until `finished`, or `draw` for one at a time."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        text: str,
        count: int,
        dropout: float = DROPOUT,
        alpha: float = ALPHA,
        seed: int = 0,
        special: bool = False,
    ) -> None:
        if not 0.0 <= dropout <= 1.0:
            raise ArgumentError(f"The dropout must be a probability from 0 to 1, not {dropout}.")
        if not 0.0 <= alpha <= 1e6:
            raise ArgumentError(f"Alpha must be 0 or more, not {alpha}.")
        if count < 1:
            raise ArgumentError(f"At least one tokenization must be drawn, not {count}.")
        self._check(tokenizer)
        encoding = tokenizer.encode(text, special="all" if special else "none")
        if encoding.text.size > LONGEST:
            raise UnsupportedError(
                f"The text has {encoding.text.size:,} bytes; at most {LONGEST:,} can be sampled. Choose a part of it."
            )
        self.finished = False
        self.count = count
        self._random = Random(seed)
        self._drawn: i64 = 0
        self._times: dict[tuple[int, ...], int] = {}
        self._likely: dict[tuple[int, ...], float] = {}
        self._canonical: list[int] = [i64(token) for token in encoding.ids]
        self._words: list[_Word] = []
        model = tokenizer.model
        unigram = isinstance(model, Unigram)
        self._rule = f"alpha {alpha:g}" if unigram else f"dropout {dropout:g}"
        lattices: dict[bytes, _Word] = {}
        data = encoding.text.data
        names = encoding.pre_tokens.names
        start: i64 = 0
        next_token: i64 = 0
        for word in range(len(encoding.pre_tokens.ends)):
            stop: i64 = i64(encoding.pre_tokens.ends[word])
            kind: i64 = i64(encoding.pre_tokens.rules[word])
            rule = names[kind]
            if rule == ADDED_RULE or rule == SPECIAL_RULE:
                while next_token < len(encoding) and i64(encoding.places[next_token * 2]) < start:
                    next_token += 1
                self._words.append(_Word([encoding.ids[next_token]]))
            elif stop > start and kind != encoding.pre_tokens.removed:
                piece = data[start:stop]
                known = lattices.get(piece)
                if known is None:
                    known = _word_of(model, piece, dropout, alpha)
                    lattices[piece] = known
                self._words.append(known)
            start = stop

    @staticmethod
    def _check(tokenizer: Tokenizer) -> None:
        model = tokenizer.model
        if isinstance(model, (BytePairEncoder, CharacterBpe, Unigram)):
            return
        if isinstance(model, WordPiece):
            raise UnsupportedError(
                "WordPiece matches the longest entry that fits: it has neither merges to leave out nor scores to"
                " draw by."
            )
        if isinstance(model, LongestMatch):
            raise UnsupportedError(
                "This model matches the longest entry at each position: it has neither merges to leave out nor"
                " scores to draw by."
            )
        if isinstance(model, LowestCost):
            raise UnsupportedError(
                "This model takes the entries of the lowest sum of whole costs: its source, llama.cpp, does not sample."
            )
        if isinstance(model, BoundlessBpe):
            raise UnsupportedError(
                "BoundlessBPE makes merges, deletions and supermerges in the order of its training: it is not defined"
                " which of them to leave out."
            )
        if isinstance(model, PickyBpe):
            raise UnsupportedError(
                "PickyBPE makes merges and removals in the order of its training: it is not defined which of them to"
                " leave out."
            )
        if isinstance(model, NamedPieces):
            raise UnsupportedError(
                f"Other tokenizations with this tokenizer are not shown: {BY_NAME}."
            )
        raise UnsupportedError(
            "This model looks up whole words or characters: it has only one tokenization."
        )

    def draw(self) -> list[int]:
        """Returns the ids of one random tokenization."""
        ids: list[int] = []
        for word in self._words:
            word.draw(self._random, ids)
        return ids

    def step(self, budget_ms: float) -> Progress:
        """Samples for about this many milliseconds."""
        end = perf_counter() + budget_ms / 1000
        while self._drawn < self.count:
            ids: list[int] = []
            likely = 0.0
            scored = False
            for word in self._words:
                likely += word.draw(self._random, ids)
                scored = scored or word.scored
            key = tuple(ids)
            self._times[key] = self._times.get(key, 0) + 1
            if scored and key not in self._likely:
                self._likely[key] = likely
            self._drawn += 1
            if perf_counter() >= end:
                break
        self.finished = self._drawn == self.count
        return Progress("Drawing", self._drawn, self.count, self.finished)

    @property
    def cuts(self) -> SampledCuts:
        """The samples; TokenariumError before the end."""
        if not self.finished:
            raise TokenariumError(
                "The tokenizations are not drawn yet: call step until it is finished."
            )
        counted: list[tuple[int, tuple[int, ...]]] = []
        for key, times in self._times.items():
            counted.append((-times, key))
        counted.sort()
        cuts: list[SampledCut] = []
        for less, key in counted:
            likely = exp(self._likely[key]) if key in self._likely else -1.0
            cuts.append(SampledCut(list(key), -less, likely))
        return SampledCuts(cuts, self.count, self._canonical, self._rule)


class _Word:
    """A pre-token, or an added token with its one id. ``scored``: `draw` returns the logarithm of a probability."""

    def __init__(self, ids: list[int]) -> None:
        self._ids = ids
        self.scored = False

    def draw(self, random: Random, ids: list[int]) -> float:
        """Adds the ids of a random tokenization; returns the logarithm of its probability, or 0 if it is unknown."""
        ids += self._ids
        return 0.0


def _word_of(model: object, piece: bytes, dropout: float, alpha: float) -> _Word:
    if isinstance(model, Unigram):
        return _ScoredWord(model, piece, alpha)
    if isinstance(model, CharacterBpe) and isinstance(model.source, SentencePieceSymbols):
        return _PieceWord(model.vocabulary, model.source, piece, dropout)
    return _MergedWord(model, piece, dropout)


@final
class _ScoredWord(_Word):
    """A word in Unigram: its lattice, with the sum over all of its paths."""

    def __init__(self, model: Unigram, piece: bytes, alpha: float) -> None:
        super().__init__([])
        self.scored = True
        self._model = model
        self._alpha = alpha
        self._lattice: Lattice = model.lattice(piece.decode("utf-8", "replace"))
        self._total = self._lattice.log_total(alpha)

    def draw(self, random: Random, ids: list[int]) -> float:
        path = self._lattice.sample(self._alpha, random)
        ids += self._model.path_ids(self._lattice, path)
        return self._alpha * path.score - self._total


@final
class _MergedWord(_Word):
    """A word in BPE with a list of merges: its initial symbols, which are merged again for each sample.

    They are merged as in tokenizers (``merge_all`` in ``models/bpe/word.rs``): skipped entries of the heap return
    after the next one that is not skipped. Stale entries are sampled too, and bring the others back: this affects the
    probability of a result. A symbol that was merged into the one before it is `_GONE`.
    """

    def __init__(self, model: object, piece: bytes, dropout: float) -> None:
        super().__init__([])
        size: i64 = len(piece)
        self._data = piece + ZEROS
        self._dropout = dropout
        self._source: CharacterSymbols | None = None
        self._first = vec[i64]([0] * size)
        self._begins = vec[i32]([0] * size)
        self._ends = vec[i32]([0] * size)
        count: i64 = 0
        if isinstance(model, BytePairEncoder):
            # Several pairs may share a rank: they make the same piece, so the order is that of the ranks.
            self._merges = CharacterMerges(model.merges, vec[i32](), NO_MERGE)
            for index in range(size):
                byte: i64 = piece[index]
                self._first[index] = model.merger.byte_ids[byte]
            count = size
        elif isinstance(model, CharacterBpe):
            self._merges = model.merges
            source = model.source
            self._source = source
            count = source.split(self._data, 0, size, True, None)
            for index in range(count):
                self._first[index] = source.symbols[index]
                self._begins[index] = source.starts[index]
                self._ends[index] = source.stops[index]
        else:
            raise UnsupportedError("This model does not merge.")
        self._count: i64 = count
        self._symbols = vec[i64]([0] * size)
        self._starts = vec[i32]([0] * size)
        self._stops = vec[i32]([0] * size)
        self._following = vec[i64]([0] * (size + 1))
        self._previous = vec[i64]([0] * (size + 1))
        self._waiting = PositionHeap(size)
        self._nothing: dict[int, tuple[int, int]] = {}

    def draw(self, random: Random, ids: list[int]) -> float:
        count = self._count
        for index in range(count):
            self._symbols[index] = self._first[index]
            self._starts[index] = self._begins[index]
            self._stops[index] = self._ends[index]
            self._following[index] = index + 1
            self._previous[index] = index - 1
        waiting = self._waiting
        waiting.count = 0
        for index in range(count - 1):
            priority = self._merges.priority(self._symbols[index], self._symbols[index + 1])
            if priority != NO_MERGE:
                waiting.fill(priority, index)
        waiting.arrange()
        self._merge_all(random)
        self._write(ids)
        return 0.0

    def _merge_all(self, random: Random) -> None:
        waiting = self._waiting
        dropout = self._dropout
        merges = self._merges
        results = merges.table.results
        skipped: list[int] = []
        while waiting.count > 0:
            entry = waiting.pop()
            if dropout > 0.0 and random.random() < dropout:
                skipped.append(entry)
                continue
            for other in skipped:
                waiting.push(i64(other) >> 32, i64(other) & POSITION_MASK)
            if skipped:
                skipped = []
            left: i64 = entry & POSITION_MASK
            right: i64 = self._following[left]
            if self._symbols[left] == _GONE or right >= self._count:
                continue
            rank = merges.table.find(self._symbols[left], self._symbols[right])
            if rank == NO_MERGE or i64(results[rank]) != i64(results[entry >> 32]):
                continue
            self._merge(left)

    def _merge(self, left: i64) -> None:
        """Merges a symbol with the next one, and adds the merges with their neighbours."""
        symbols = self._symbols
        following = self._following
        right: i64 = following[left]
        table = self._merges.table
        rank = table.find(symbols[left], symbols[right])
        symbols[left] = i64(table.results[rank])
        symbols[right] = _GONE
        self._stops[left] = self._stops[right]
        after: i64 = following[right]
        following[left] = after
        before: i64 = self._previous[left]
        if after < self._count:
            self._previous[after] = left
        if before >= 0:
            self._take_up(before, left)
        if after < self._count:
            self._take_up(left, after)

    def _take_up(self, left: i64, right: i64) -> None:
        priority = self._merges.priority(self._symbols[left], self._symbols[right])
        if priority != NO_MERGE:
            self._waiting.push(priority, left)

    def _write(self, ids: list[int]) -> None:
        symbols = self._symbols
        following = self._following
        at: i64 = 0
        left: i64 = 0
        source = self._source
        if source is None:
            while at < self._count:
                ids.append(symbols[at])
                at = following[at]
            return
        while at < self._count:
            symbols[left] = symbols[at]
            self._starts[left] = self._starts[at]
            self._stops[left] = self._stops[at]
            left += 1
            at = following[at]
        if left == 0:
            return
        out = vec[i32]([0] * (len(self._data) * 3))
        count = source.write(
            self._data, symbols, self._starts, self._stops, left, self._nothing, False, out, 0,
            vec[i32](), None,
        )  # fmt: skip
        ids += [i64(out[index]) for index in range(count)]


@final
class _PieceWord(_Word):
    """A word in SentencePiece's BPE: any two neighbours whose joined characters are an entry may merge.

    They are merged as in sentencepiece (``SampleEncode`` in ``src/bpe_model.cc``): a skipped pair stays skipped until
    one of its sides changes. Encoding needs only the merges that it can reach; here are all of them.
    """

    def __init__(
        self, vocabulary: Vocabulary, source: SentencePieceSymbols, piece: bytes, dropout: float
    ) -> None:
        super().__init__([])
        if len(source.merges.splits):
            raise UnsupportedError(
                "Some entries of this vocabulary are marked as unused, and split again after the last merge: its"
                " tokenizations cannot be drawn."
            )
        size: i64 = len(piece)
        self._data = piece + ZEROS
        self._vocabulary = vocabulary
        self._source = source
        self._dropout = dropout
        self._count: i64 = source.split(self._data, 0, size, True, None)
        count = self._count
        self._first = [source.symbols[index] for index in range(count)]
        self._begins = [i64(source.starts[index]) for index in range(count)]
        self._ends = [i64(source.stops[index]) for index in range(count)]
        kinds = vocabulary.kinds
        self._frozen = [
            symbol < vocabulary.count and i64(kinds[symbol]) == USER_DEFINED
            for symbol in self._first
        ]
        self._symbols = vec[i64]([0] * size)
        self._starts = vec[i32]([0] * size)
        self._stops = vec[i32]([0] * size)
        self._following = vec[i64]([0] * (size + 1))
        self._previous = vec[i64]([0] * (size + 1))
        self._made = vec[i64](
            [0] * (size + 1)
        )  # the entry that a symbol and the next one may become
        self._waiting: list[tuple[float, int, int]] = []
        self._known: dict[bytes, int] = {}
        self._nothing: dict[int, tuple[int, int]] = {}

    def draw(self, random: Random, ids: list[int]) -> float:
        count = self._count
        for index in range(count):
            self._symbols[index] = i64(self._first[index])
            self._starts[index] = i32(self._begins[index])
            self._stops[index] = i32(self._ends[index])
            self._following[index] = index + 1
            self._previous[index] = index - 1
            self._made[index] = _GONE
        self._waiting = []
        for index in range(count - 1):
            self._take_up(index, index + 1)
        dropout = self._dropout
        while self._waiting:
            _, at, token = heappop(self._waiting)
            left: i64 = at
            if self._symbols[left] == _GONE or self._made[left] != i64(token):
                continue  # the pair is another one now
            self._made[left] = _GONE
            if dropout >= 1.0 or (dropout > 0.0 and random.random() < dropout):
                continue
            self._merge(left, token)
        self._write(ids)
        return 0.0

    def _merge(self, left: i64, token: i64) -> None:
        following = self._following
        right: i64 = following[left]
        self._symbols[left] = token
        self._symbols[right] = _GONE
        self._stops[left] = self._stops[right]
        after: i64 = following[right]
        following[left] = after
        before: i64 = self._previous[left]
        if before >= 0:
            self._take_up(before, left)
        if after < self._count:
            self._previous[after] = left
            self._take_up(left, after)

    def _take_up(self, left: i64, right: i64) -> None:
        """Records the entry that two neighbours may become, if there is one."""
        self._made[left] = _GONE
        if self._frozen[left] or self._frozen[right]:
            return
        start: i64 = i64(self._starts[left])
        stop: i64 = i64(self._stops[right])
        joined = self._data[start:stop]
        token = self._known.get(joined, -2)
        if token == -2:
            token = self._vocabulary.find_in(self._data, start, stop)
            if token >= 0 and i64(self._vocabulary.kinds[token]) != NORMAL:
                token = -1
            self._known[joined] = token
        if token >= 0:
            self._made[left] = token
            heappush(self._waiting, (-self._vocabulary.scores[token], left, token))

    def _write(self, ids: list[int]) -> None:
        at: i64 = 0
        left: i64 = 0
        while at < self._count:
            self._symbols[left] = self._symbols[at]
            self._starts[left] = self._starts[at]
            self._stops[left] = self._stops[at]
            left += 1
            at = self._following[at]
        if left == 0:
            return
        out = vec[i32]([0] * (len(self._data) * 3))
        count = self._source.write(
            self._data, self._symbols, self._starts, self._stops, left, self._nothing, False,
            out, 0, vec[i32](), None,
        )  # fmt: skip
        ids += [i64(out[index]) for index in range(count)]
