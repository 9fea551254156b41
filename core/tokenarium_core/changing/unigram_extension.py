"""New pieces for a Unigram model, scored by EM alongside its old ones, whose scores stay.

A seed of frequent texts of the corpus; then rounds of EM over old and new pieces in which only the new scores are
fitted, each round followed by a pruning of the new pieces that matter least (as in Kudo 2018). Since each old piece
keeps its score, and no new one is below the lowest of them, by which the unknown is weighed, a text gets other ids only
if its best cut has a new piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from os import PathLike
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.changing.extended_files import NewEntry, spelled_already, with_entries
from tokenarium_core.changing.extension import ExtensionTrainer
from tokenarium_core.changing.extension_words import ExtensionCorpus, MarkedCorpus, PlainCorpus
from tokenarium_core.changing.special_tokens import library_of
from tokenarium_core.changing.wanted_words import UNKNOWN_PENALTY, normal_scores
from tokenarium_core.changing.word_cuts import LONGEST_WORD, NEVER, WordCuts
from tokenarium_core.errors import IdError, TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.character_words import CharacterWords, count_characters
from tokenarium_core.training.merging.encoded_segmentation import ModelWords
from tokenarium_core.training.sentencepiece.piece_rules import PieceRules
from tokenarium_core.training.unigram.unigram_rounds import LEAST_EXPECTED, digamma
from tokenarium_core.training.unigram.unigram_seeding import UnigramSeeding
from tokenarium_core.vocabulary import BYTE, SPACE_MARK

_SEED: Final = 8  # new pieces in the seed for each requested piece
_LEAST_SEED: Final = 200
_SHRINKING: Final = 0.6  # the share of the new pieces that a round leaves
_SUB_ITERATIONS: Final = 2
_WORDS: Final = 200  # about a millisecond
_MUCH: Final = 1e18  # more tokens than anything saves
_COVERAGE: Final = 0.9995
_MARK: Final = "▁".encode()


@final
class UnigramExtension(ExtensionTrainer):
    """A training of Unigram that continues: ``step`` until it says "finished".

    The entries come in the order of what they save, each after all before it.
    """

    def __init__(
        self,
        old: Tokenizer,
        vocab_size: int,
        corpus: Iterable[str],
        files: Sequence[str | PathLike[str]],
    ) -> None:
        marked = library_of(old) == "sentencepiece"
        words: ExtensionCorpus = (
            MarkedCorpus(old, corpus, files) if marked else PlainCorpus(old, corpus, files)
        )
        super().__init__("unigram", old, vocab_size, words)
        self._target = vocab_size - len(old.vocabulary)
        self._old = normal_scores(old.vocabulary)
        self._lowest = min(self._old.values(), default=-1.0)
        self._highest = max(self._old.values(), default=0.0)
        self._characters: list[bytes] = []
        kinds = old.vocabulary.kinds
        self._fallback = any(i64(kinds[id]) == BYTE for id in range(len(old.vocabulary)))
        self._seeding: UnigramSeeding | None = None
        self._cuts: WordCuts | None = None
        self._slots = vec[i32]()
        self._next: i64 = 0
        self._phase = "counting"
        self._words = ModelWords(old.model)
        self._new: dict[bytes, float] = {}
        self._longest: i64 = 0
        self._before: int = 0
        self._single: int = 0  # tokens of the words that stay as they are
        self._round: int = 1
        self._iteration: int = 0
        self._expected = vec[float]()
        self._uses = vec[i64]()
        self._waiting: list[tuple[float, int]] = []
        self._useless: list[int] = []  # pieces that save nothing so far
        self._tried: int = 0  # entries when these were last tried
        self._words_of: list[list[int]] = []  # the words of each piece
        self._entries: list[NewEntry] = []
        self._finished = False

    @property
    def progress(self) -> Progress:
        """The phase: "counting", "seeding", "encoding" in words, then round by round, then "ordering" in entries."""
        reading = self._reading()
        if reading is not None:
            return reading
        if self._phase == "counting":
            return self._counting()
        if self._seeding is not None:
            seeding = self._seeding
            return Progress("seeding", min(seeding.done, seeding.total), seeding.total, False)
        if self._phase == "ordering":
            return Progress("ordering", len(self._entries), self._target, self._finished)
        total = len(self._slots)
        if self._phase == "encoding":
            return Progress("encoding", int(self._next), total, False)
        words = 0 if self._cuts is None else len(self._cuts.words)
        return Progress(f"{self._phase} round {self._round}", int(self._next), words, False)

    @property
    def report(self) -> str:
        """What was left out of the corpus, and whether there are fewer entries than requested; empty if neither."""
        said = self._corpus.left_out
        if self._finished and len(self._entries) < self._target:
            said += f" The texts gave {len(self._entries):,} of {self._target:,} entries: no other entry saves tokens."
        return said.strip()

    @property
    def usable(self) -> bool:
        """When it is finished: before, the scores are not final."""
        return self._finished

    @property
    def tokens_before(self) -> int:
        """How many tokens the corpus has by the old tokenizer; 0 until it was encoded."""
        return self._before if self._phase not in ("counting", "seeding", "encoding") else 0

    @property
    def piece_count(self) -> int:
        """The old entries and the new ones so far."""
        return len(self.old.vocabulary) + len(self._entries)

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus has after each new entry."""
        return vec[i64]([self._before - entry.total for entry in self._entries])

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of a new entry."""
        if not 0 <= number < len(self._entries):
            raise IdError(f"There is no new entry {number} yet.")
        return self._entries[number].piece

    @property
    def entries(self) -> list[NewEntry]:
        """The new entries, the one that saves most first."""
        return list(self._entries)

    def tokenizer_of(self, entries: list[NewEntry], name: str) -> Tokenizer:
        """Returns the old tokenizer with some of the first entries."""
        self.check_usable()
        return with_entries(self.old, entries, name)

    def _advance(self) -> bool:
        """Does about a millisecond of work, some more where a round ends; returns whether any is left."""
        if self._phase == "counting":
            if not self._corpus.advance():
                self._begin_seeding()
        elif self._phase == "seeding":
            self._seed()
        elif self._phase == "encoding":
            self._encode_some()
        elif self._phase == "EM":
            self._expect_some()
        elif self._phase == "pruning":
            self._use_some()
        else:
            self._order_some()
        return not self._finished

    def _begin_seeding(self) -> None:
        corpus = self._corpus
        counter = corpus.words
        if counter.distinct == 0:
            raise TokenariumError("The corpus has no text to train on: choose another.")
        rules = PieceRules(by_script=False, by_number=False)
        counted = count_characters(counter)
        total = sum(counted.values())
        chosen: list[int] = []
        if isinstance(corpus, MarkedCorpus):
            rules = corpus.training.rules
            chosen = [code for code, count in corpus.lines.alphabet() if count > 0]
        else:
            covered = 0
            for code in sorted(counted, key=counted.__getitem__, reverse=True):
                if covered < _COVERAGE * total:
                    chosen.append(code)
                covered += counted[code]
        taken = spelled_already(self.old)
        codes: list[int] = []
        for code in counted:
            piece = self._spelled(chr(code).encode())
            if piece in self._old:
                codes.append(code)
        missing = [
            code
            for code in chosen
            if self._spelled(chr(code).encode()) not in self._old and chr(code) not in taken
        ]
        if not self._fallback:
            missing = missing[: self._target]
        self._characters = [self._spelled(chr(code).encode()) for code in missing]
        self._slots = counter.slots_by_count()
        self._phase = "seeding"
        alphabet = sorted(codes + missing)
        if not alphabet:
            raise TokenariumError("The corpus has no characters that are entries: choose another.")
        words = CharacterWords(counter, alphabet, total)
        most = max(self._target * _SEED, _LEAST_SEED) + len(self._old)
        self._seeding = UnigramSeeding(words, alphabet, rules, most, most)

    def _spelled(self, piece: bytes) -> bytes:
        """Returns a text of the corpus as the vocabulary has it."""
        if isinstance(self._corpus, MarkedCorpus) and (self.old.vocabulary.spelling != SPACE_MARK):
            return piece.replace(b" ", _MARK)
        return piece

    def _seed(self) -> None:
        seeding = self._seeding
        assert seeding is not None
        if seeding.advance():
            return
        pieces = seeding.pieces
        assert pieces is not None
        taken = spelled_already(self.old)
        marked = self.old.vocabulary.spelling == SPACE_MARK
        seed: list[tuple[float, bytes]] = []
        for number in range(pieces.count):
            text = pieces.text(number)
            piece = self._spelled(text.encode())
            spelled = text.replace(" ", "▁") if marked else piece.decode()
            if len(text) > 1 and piece not in self._old and spelled not in taken:
                seed.append((-pieces.scores[number], piece))
        seed.sort()
        for piece in self._characters:
            self._new[piece] = self._lowest
        for score, piece in seed[: max(self._target * _SEED, _LEAST_SEED)]:
            self._new[piece] = self._held(-score)
        self._longest = max(
            [len(piece) for piece in self._old] + [len(piece) for piece in self._new]
        )
        self._cuts = WordCuts(self._lowest - UNKNOWN_PENALTY, self._fallback)
        self._seeding = None
        self._phase = "encoding"
        self._next = 0

    def _held(self, score: float) -> float:
        """Returns a score between the lowest and the highest of the old ones."""
        return min(max(score, self._lowest), self._highest)

    def _encode_some(self) -> None:
        """Takes the next words that are several tokens by the old tokenizer."""
        counter = self._corpus.words
        cuts = self._cuts
        assert cuts is not None
        stop = min(self._next + _WORDS, i64(len(self._slots)))
        data = vec[i32]([0] * LONGEST_WORD)
        while self._next < stop:
            slot = i64(self._slots[self._next])
            self._next += 1
            size = counter.size_of(slot)
            count = counter.count_of(slot)
            if size > len(data):
                data = vec[i32]([0] * int(2 * size))
            counter.write(slot, data, 0)
            word = self._spelled(bytes([int(data[at]) for at in range(size)]))
            tokens = len(self._words.ids_of(word))
            if tokens < 2 or len(word) > LONGEST_WORD:
                self._single += int(tokens * count)
                self._before += int(tokens * count)
            else:
                cuts.add(word, count, self._old, self._new, self._longest)
        if self._next == len(self._slots):
            for piece in range(len(cuts.pieces)):  # the cuts by the old pieces alone
                if i64(cuts.new[piece]) == 1:
                    cuts.new[piece] = 2
            for word_number in range(len(cuts.words)):
                cuts.tokens[word_number] = cuts.cut(word_number, vec[i64]())
                self._before += int(cuts.tokens[word_number] * cuts.counts[word_number])
            for piece in range(len(cuts.pieces)):
                if i64(cuts.new[piece]) == 2:
                    cuts.new[piece] = 1
            self._begin_phase("EM")

    def _begin_phase(self, phase: str) -> None:
        assert self._cuts is not None
        self._phase = phase
        self._next = 0
        count = len(self._cuts.pieces)
        self._expected = vec[float]([0.0] * count)
        self._uses = vec[i64]([0] * count)

    def _expect_some(self) -> None:
        cuts = self._cuts
        assert cuts is not None
        stop = min(self._next + _WORDS, i64(len(cuts.words)))
        while self._next < stop:
            cuts.expect(self._next, self._expected)
            self._next += 1
        if self._next < len(cuts.words):
            return
        total = float(self._single)
        for piece in range(1, len(cuts.pieces)):
            total += self._expected[piece]
        log_total = digamma(max(total, 1.0))
        for piece in range(1, len(cuts.pieces)):
            if i64(cuts.new[piece]) == 1:
                expected = self._expected[piece]
                if expected < LEAST_EXPECTED and not self._is_character(piece):
                    cuts.new[piece] = 2
                else:
                    cuts.scores[piece] = self._held(
                        digamma(max(expected, LEAST_EXPECTED)) - log_total
                    )
        self._iteration += 1
        self._begin_phase("EM" if self._iteration < _SUB_ITERATIONS else "pruning")

    def _is_character(self, piece: i64) -> bool:
        """Returns whether a piece is a character that would be unknown without it."""
        assert self._cuts is not None
        return not self._fallback and self._cuts.pieces[piece] in self._characters

    def _use_some(self) -> None:
        """Counts the pieces of the best cuts; then drops the new ones by which the corpus becomes least likely."""
        cuts = self._cuts
        assert cuts is not None
        stop = min(self._next + _WORDS, i64(len(cuts.words)))
        while self._next < stop:
            cuts.cut(self._next, self._uses)
            self._next += 1
        if self._next < len(cuts.words):
            return
        losses: list[tuple[float, int]] = []
        for piece in range(1, len(cuts.pieces)):
            if i64(cuts.new[piece]) == 1:
                loss = self._loss(piece)
                if loss > 0.0:
                    losses.append((-loss, piece))
                else:
                    cuts.new[piece] = 2
        losses.sort()
        remaining = max(self._target, int(_SHRINKING * len(losses)))
        for _, piece in losses[remaining:]:
            cuts.new[piece] = 2
        if len(losses) <= self._target or remaining == self._target:
            self._begin_order([piece for _, piece in losses[:remaining]])
            return
        self._round += 1
        self._iteration = 0
        self._begin_phase("EM")

    def _loss(self, piece: i64) -> float:
        """Returns by how many nats the corpus becomes less likely without a piece.

        Of a character, more than of others.
        """
        cuts = self._cuts
        assert cuts is not None
        uses = float(self._uses[piece])
        if self._is_character(piece):
            return 1e12 + uses
        if uses == 0.0:
            return 0.0
        text = cuts.pieces[piece]
        size: i64 = len(text)
        best = vec[float]([NEVER] * (size + 1))
        best[0] = 0.0
        start: i64 = 0
        while start < size:
            end = start + 1
            single = False
            while end <= size:
                if end == size or text[end] & 0xC0 != 0x80:
                    number = cuts.numbers.get(text[start:end], -1)
                    if number >= 0 and number != piece and i64(cuts.new[number]) != 2:
                        best[end] = max(best[end], best[start] + cuts.scores[number])
                    elif not single:
                        best[end] = max(best[end], best[start] + cuts.scores[0])
                    single = True
                end += 1
            start += 1
        return uses * (cuts.scores[piece] - best[size])

    # The order: always the entry that saves most after those before it.

    def _begin_order(self, pieces: list[int]) -> None:
        cuts = self._cuts
        assert cuts is not None
        self._words_of = [[] for _ in cuts.pieces]
        for word in range(len(cuts.words)):
            for edge in range(i64(cuts.firsts[word]), i64(cuts.firsts[word + 1])):
                piece: i64 = i64(cuts.edges[edge])
                if i64(cuts.new[piece]) == 1:
                    words = self._words_of[piece]
                    if not words or words[-1] != word:
                        words.append(word)
        for piece in pieces:
            cuts.new[piece] = 2
        self._waiting = []
        for piece in pieces:  # no entry can save more than all tokens of its words but one
            most = 0.0
            for word in self._words_of[piece]:
                most += float((cuts.tokens[word] - 1) * cuts.counts[word])
            self._waiting.append((-most, piece))
        heapify(self._waiting)
        self._phase = "ordering"

    def _order_some(self) -> None:
        """Finds out what the next entry saves; it is added if it saves any, and no other can save more.

        One that saves nothing is tried again when others were added: it may only save some after a character that had
        to be added.
        """
        cuts = self._cuts
        assert cuts is not None
        if self._waiting:
            bound, piece = heappop(self._waiting)
            gain = self._gain(piece)
            if self._waiting and float(gain) < -self._waiting[0][0] and -bound > float(gain):
                heappush(self._waiting, (-float(gain), piece))
                return
            if gain <= 0 and not self._is_character(piece):
                self._useless.append(piece)
                return
            cuts.new[piece] = 1
            for word in self._words_of[piece]:
                cuts.tokens[word] = cuts.cut(word, vec[i64]())
            before = self._entries[-1].total if self._entries else 0
            text = cuts.pieces[piece]
            entry = NewEntry(
                len(self.old.vocabulary) + len(self._entries),
                text,
                self._words.ids_of(text),
                score=cuts.scores[piece],
            )
            entry.saved = int(gain)
            entry.total = int(before + gain)
            self._entries.append(entry)
            return
        if self._useless and len(self._entries) > self._tried:
            self._tried = len(self._entries)
            self._waiting = [(-_MUCH, piece) for piece in self._useless]
            self._useless = []
            return
        uses = vec[i64]([0] * len(cuts.pieces))
        for word in range(len(cuts.words)):
            cuts.cut(word, uses)
        for entry in self._entries:
            entry.uses = int(uses[cuts.numbers[entry.piece]])
        self._finished = True

    def _gain(self, piece: i64) -> i64:
        """Returns how many tokens fewer the corpus takes with a piece."""
        cuts = self._cuts
        assert cuts is not None
        cuts.new[piece] = 1
        saved: i64 = 0
        for word in self._words_of[piece]:
            saved += (cuts.tokens[word] - cuts.cut(word, vec[i64]())) * cuts.counts[word]
        cuts.new[piece] = 2
        return saved
