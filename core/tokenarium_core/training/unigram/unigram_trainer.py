"""Trains a Unigram model: starting with many pieces, it keeps those that make the corpus most likely."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.character_words import CharacterWords
from tokenarium_core.training.sentencepiece.piece_rules import SPACE
from tokenarium_core.training.sentencepiece.sentencepiece_corpus import SentencePieceCorpus
from tokenarium_core.training.sentencepiece.sentencepiece_training import (
    AUTO_COVERAGE,
    SENTENCEPIECE_OPTIONS,
    UNIGRAM,
    SentencePieceTraining,
)
from tokenarium_core.training.trainer import CountSource, Option, Trainer
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces
from tokenarium_core.training.unigram.unigram_record import SELECTION, UnigramRecord
from tokenarium_core.training.unigram.unigram_rounds import (
    DiscreteRounds,
    SparseRounds,
    UnigramRounds,
)
from tokenarium_core.training.unigram.unigram_seeding import UnigramSeeding
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter


def _shrinking(about: str) -> Option:
    return Option("shrinking_factor", 0.75, about, least=0.5, most=0.95)


def _sub_iterations(about: str) -> Option:
    return Option("num_sub_iterations", 2, about, least=1, most=10)


OPTIONS: Final[list[Option]] = [
    *SENTENCEPIECE_OPTIONS,
    Option(
        AUTO_COVERAGE.name,
        False,
        "Characters become entries by their scores, like all others, whatever the character_coverage. All others become"
        " bytes, so it needs byte_fallback, and use_sparse_pruning.",
    ),
    Option(
        "seed_sentencepiece_size", 1_000_000, "How many entries it begins with at most.", least=1000
    ),
    _shrinking("The share of the entries that a round keeps; without use_sparse_pruning."),
    _sub_iterations("How often a round runs EM; without use_sparse_pruning."),
    Option(
        "seed_piece_length_power",
        1.0,
        "Which entries it begins with: those whose count, times their length to this power, is largest; 0: the most"
        " frequent.",
        least=0.0,
        most=10.0,
    ),
    Option(
        "min_freq_alpha",
        0.0,
        "How often an entry of more than three bytes has to occur at first: this, times the bytes of the corpus, by"
        " vocab_size times its logarithm; at least twice.",
        least=0.0,
        most=1e6,
    ),
    Option(
        "use_sparse_pruning",
        False,
        "Each round is an EM with an L1 penalty, which drops a quarter of the entries at once, without estimating the"
        " loss of each.",
    ),
    Option(
        "post_l1_debias",
        True,
        "After use_sparse_pruning, an EM without the penalty corrects the scores.",
    ),
]
"""The options of Unigram. The last four are flags of SentencePiece's ``spm_train``, which its Python package and its model
files do not have."""

FINAL_STYLE_OPTIONS: Final[list[Option]] = [
    *SENTENCEPIECE_OPTIONS,
    Option(
        "initial_vocab_factor",
        10,
        "How many entries longer than a character it begins with for each that it ends with.",
        least=2,
        most=1000,
    ),
    _shrinking("The share of the entries longer than a character that a round keeps."),
    _sub_iterations("How often a round runs EM."),
]
"""The options of Unigram with final-style pruning."""

_SURPLUS: Final = 1.1  # the rounds end with this many pieces for each requested one
_SEED_SHARE: Final = 4  # pieces in the seed for each requested one
_STEP_APART: Final = 0.0001


@final
class UnigramTrainer(Trainer):
    """A training of a Unigram model, run in steps: call ``step`` until it reports "finished".

    Kudo 2018, "Subword Regularization" (https://aclanthology.org/P18-1007), as implemented in google/sentencepiece
    0.2.3 (``src/unigram_model_trainer.cc``): a seed of frequent texts; then rounds of EM, each followed by a pruning
    of the pieces that matter least, or with ``use_sparse_pruning`` with a penalty (see `SparseRounds`); finally the
    characters of the corpus and the best other pieces. With ``auto_character_coverage`` these are the best of both.
    Three things differ. The seed is taken from words, not from running text (see `OFTEN`); numbers are doubles, not
    32-bit floats; and expected unknown characters are not counted as the first piece (see
    `UnigramPieces.count_unknown`), except in sparse pruning. So models resemble those of the reference, but are not
    identical; those of sparse pruning are, from the same seed.

    ``min_freq_alpha`` is multiplied by the bytes of all words, where the reference has those of all lines, with a NUL
    after each, and at most 500 MB at a time.

    With an ``initial_vocab_factor`` it is the simpler training of Land and Pinter 2026 (see `DiscreteRounds`), which never
    weighs pieces: the seed has that many times the entries to be added to the characters, by count times length, of the
    suffix array of the distinct words; each round keeps the best scores; and characters stay. The other options of the
    seed and of pruning then have no effect.

    The result depends only on the corpus, not on the order of its texts. ``corpus`` gives texts, ``files`` are UTF-8
    texts; each line is a sentence. Once there is a seed, `tokenizer` returns a model of the current pieces.

    A ``record`` is filled with what each step did; with one, `tokenizer_after` returns the tokenizer of any step.
    """

    def __init__(
        self,
        training: SentencePieceTraining,
        vocab_size: int,
        corpus: Iterable[str] = (),
        files: Sequence[str | os.PathLike[str]] = (),
        seed_sentencepiece_size: int = 1_000_000,
        shrinking_factor: float = 0.75,
        num_sub_iterations: int = 2,
        seed_piece_length_power: float = 1.0,
        min_freq_alpha: float = 0.0,
        use_sparse_pruning: bool = False,
        post_l1_debias: bool = True,
        record: UnigramRecord | None = None,
        initial_vocab_factor: int = 0,
    ) -> None:
        super().__init__("fsp-unigram" if initial_vocab_factor else "unigram", vocab_size)
        training.check_size(vocab_size)
        if training.auto_character_coverage and not use_sparse_pruning:
            raise TokenariumError(
                "auto_character_coverage = True needs use_sparse_pruning = True in Unigram, as in SentencePiece."
            )
        self.training = training
        self.seed_sentencepiece_size = seed_sentencepiece_size
        self.shrinking_factor = shrinking_factor
        self.num_sub_iterations = num_sub_iterations
        self.seed_piece_length_power = seed_piece_length_power
        self.min_freq_alpha = min_freq_alpha
        self.use_sparse_pruning = use_sparse_pruning
        self.post_l1_debias = post_l1_debias
        self.initial_vocab_factor = initial_vocab_factor
        self.alphabet: list[tuple[int, int]] = []
        """The characters that will be pieces, as code points, with their counts, once they are known; with
        ``auto_character_coverage`` all that there are."""
        self._corpus: SentencePieceCorpus | None = SentencePieceCorpus(training, corpus, files)
        self._reader = self._corpus.reader
        self._counted = (0, 0, 0)  # bytes, words and different words, once the corpus is let go
        self._left_out = ""
        self._memory: int = 0
        self._seeding: UnigramSeeding | None = None
        self._rounds: UnigramRounds | None = None
        self._record = record
        self._words = PreTokenCounts(b"", vec[i64](), vec[i64]())

    @property
    def progress(self) -> Progress:
        """The progress: "counting" (bytes of files, characters of texts), "seeding", then round by round.

        Within a round, it counts processed parts of words and pieces. The number of rounds is not known.
        """
        reading = self._reading()
        if reading is not None:
            return reading
        rounds = self._rounds
        if rounds is not None:
            phase = (
                f"pruning round {rounds.number}" if rounds.pruning else f"EM round {rounds.number}"
            )
            return Progress(phase, min(rounds.done, rounds.total), rounds.total, rounds.finished)
        seeding = self._seeding
        assert seeding is not None
        return Progress("seeding", min(seeding.done, seeding.total), seeding.total, False)

    @property
    def report(self) -> str:
        """What was skipped in the corpus, whether there are fewer pieces than requested, and whether the space is none;
        empty if nothing of that.
        """
        parts = [self._left_out if self._corpus is None else self._corpus.left_out]
        if self._rounds is not None and self._rounds.finished:
            if self.piece_count < self.vocab_size:
                why = "no others make it more likely"
                if self.initial_vocab_factor:
                    why = "it has no others, or the last EM expected them less than half a time"
                parts.append(
                    f"The corpus gave {self.piece_count:,} of {self.vocab_size:,} entries: {why}."
                )
            if self.training.auto_character_coverage and b" " not in self.pieces()[0]:
                parts.append(
                    "The space alone is no entry: a space that begins no entry becomes bytes, which decode to ▁."
                )
        return " ".join([part for part in parts if part])

    @property
    def usable(self) -> bool:
        """Whether there are pieces: from the first round on."""
        return self._rounds is not None

    @property
    def byte_count(self) -> int:
        """How many bytes of the normalized corpus were counted, a space for each ``▁``."""
        return self._counted[0] if self._corpus is None else self._corpus.counter.byte_count

    @property
    def pre_token_count(self) -> int:
        """How many words were counted, split where no piece can cross."""
        return self._counted[1] if self._corpus is None else self._corpus.counter.total

    @property
    def distinct_count(self) -> int:
        """How many of them are distinct."""
        return self._counted[2] if self._corpus is None else self._corpus.counter.distinct

    @property
    def pre_tokens(self) -> PreTokenCounts:
        """The distinct words, with a space for each ``▁``, if there is a record; otherwise none."""
        return self._words

    @property
    def piece_count(self) -> int:
        """How many pieces there are now, including symbols; at first more than requested."""
        count = len(self.training.symbols) + len(self.alphabet)
        if self._rounds is None:
            return count
        pieces = self._rounds.pieces
        if self.training.auto_character_coverage:
            count = len(self.training.symbols) + int(pieces.live)
        else:
            count += int(pieces.count - pieces.characters)
        return min(count, self.vocab_size) if self._rounds.finished else count

    @property
    def memory(self) -> int:
        """About how many bytes it needs at its peak, without the counted words; 0 until these are counted."""
        return self._memory if self._seeding is None else self._seeding.memory

    @property
    def em_pieces(self) -> vec[i64]:
        """The number of pieces in each EM."""
        return vec[i64]() if self._rounds is None else self._rounds.em_pieces

    @property
    def em_log_likelihoods(self) -> vec[float]:
        """The mean natural logarithm of the likelihood of a word in each EM, before its pieces were changed."""
        return vec[float]() if self._rounds is None else self._rounds.em_log_likelihoods

    @property
    def pruned_pieces(self) -> vec[i64]:
        """How many pieces there were before each pruning."""
        return vec[i64]() if self._rounds is None else self._rounds.pruned_pieces

    @property
    def pruned_tokens(self) -> vec[i64]:
        """How many tokens the corpus had with these."""
        return vec[i64]() if self._rounds is None else self._rounds.pruned_tokens

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the best pieces so far; see `Trainer.tokenizer`."""
        pieces, scores = self.pieces()
        return self.training.tokenizer(UNIGRAM, pieces, scores, name)

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of all pieces that remain after a step of the record, at most `MAX_IDS`; see
        `UnigramRecord`.

        Raises TokenariumError if the training has no record.
        """
        record = self._record
        if record is None:
            raise TokenariumError("The training has no record of its steps: begin it with one.")
        scores = record.pieces(step)
        if record.steps[step].kind == SELECTION:
            return self.tokenizer(name)
        ranked = sorted(scores.items(), key=_rank)
        pieces = [text.encode() for text, _ in ranked]
        return self.training.tokenizer(UNIGRAM, pieces, [score for _, score in ranked], name)

    def model_file(self) -> bytes:
        """Returns the content of a ``.model`` file of the same pieces; see `tokenizer`."""
        pieces, scores = self.pieces()
        return self.training.model_file(UNIGRAM, pieces, scores)

    def pieces(self) -> tuple[list[bytes], list[float]]:
        """Returns the pieces after the symbols, with a space for each ``▁``, and their scores; see `tokenizer`."""
        self.check_usable()
        final = self._final()
        return [text.encode() for text, _ in final], [score for _, score in final]

    def _take(self, words: WordCounter, source: CountSource) -> None:
        assert self._corpus is not None
        self._corpus.take(words, source)

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        if self._rounds is not None:
            more = self._rounds.advance()
            if not more and self._record is not None:
                self._record.finish(dict(self._final()))
            return more
        if self._seeding is not None:
            if not self._seeding.advance():
                pieces = self._seeding.pieces
                assert pieces is not None
                self._memory = self._seeding.memory
                self._seeding = None
                self._begin_rounds(pieces)
        elif self._corpus is not None and not self._corpus.advance():
            self._begin_seeding(self._corpus)
        return True

    def _begin_seeding(self, corpus: SentencePieceCorpus) -> None:
        self.alphabet = corpus.alphabet()
        if not self.training.auto_character_coverage:
            self.training.check_size(self.vocab_size, len(self.alphabet))
        characters = sorted([code for code, count in self.alphabet if count > 0])
        if not characters:
            raise TokenariumError("The corpus has no text to train on: choose another.")
        counter = corpus.counter
        self._counted = (counter.byte_count, counter.total, counter.distinct)
        self._left_out = corpus.left_out
        if self._record is not None:
            self._words = counter.listed()
        room = self.vocab_size - len(self.training.symbols) - len(self.alphabet)
        factor = self.initial_vocab_factor
        self._seeding = UnigramSeeding(
            CharacterWords(counter, characters, corpus.character_count),
            characters,
            self.training.rules,
            room * factor if factor else self.seed_sentencepiece_size,
            self.vocab_size * _SEED_SHARE,
            self.seed_piece_length_power,
            self._least_count(),
            float(corpus.character_count - sum([count for _, count in self.alphabet])),
            factor > 0,
        )
        self._corpus = None
        self._reader = None

    def _begin_rounds(self, pieces: UnigramPieces) -> None:
        piece_count = int(self.vocab_size * _SURPLUS)
        if self.initial_vocab_factor:
            absent = len(self.alphabet) - int(pieces.characters)
            piece_count = self.vocab_size - len(self.training.symbols) - absent
        if self.use_sparse_pruning:
            self._rounds = SparseRounds(pieces, piece_count, self.post_l1_debias, self._record)
            return
        self._rounds = DiscreteRounds(
            pieces,
            piece_count,
            self.num_sub_iterations,
            self.shrinking_factor,
            self._record,
            self.initial_vocab_factor > 0,
        )

    def _least_count(self) -> float:
        """Returns how often a text of some bytes has to occur to be in the seed."""
        spaces = dict(self.alphabet).get(SPACE, 0)
        corpus_size = self._counted[0] + 2 * spaces  # the mark for a space has three bytes
        entries = float(self.vocab_size)
        by_size = self.min_freq_alpha * corpus_size / max(1.0, entries * math.log(entries))
        return max(2.0, float(math.floor(by_size)))

    def _final(self) -> list[tuple[str, float]]:
        """Returns the pieces and scores of the model, the best first: all characters, unless they are chosen by their
        scores too, and the best others.

        Characters that are no longer pieces get the lowest scores, slightly increasing, the most frequent one first.
        (Pieces that their better parts make unreachable were pruned before.)
        """
        assert self._rounds is not None
        pieces = self._rounds.pieces
        scores: dict[str, float] = {}
        for piece in range(pieces.count):
            if pieces.alive[piece] != 0:
                scores[pieces.text(piece)] = pieces.scores[piece]
        final: dict[str, float] = {}
        above = 0.0
        for code, _ in [] if self.training.auto_character_coverage else self.alphabet:
            character = chr(code)
            if character in scores:
                final[character] = scores.pop(character)
            else:
                final[character] = pieces.lowest + above
                above += _STEP_APART
        room = self.vocab_size - len(self.training.symbols) - len(final)
        final.update(sorted(scores.items(), key=_rank)[:room])
        return sorted(final.items(), key=_rank)


def _rank(piece: tuple[str, float]) -> tuple[float, str]:
    """Returns the sort key of a model's pieces: the best first, equal ones by their bytes."""
    return -piece[1], piece[0].replace(" ", "▁")
