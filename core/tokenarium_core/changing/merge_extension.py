"""Trainings of BPE that continue: the corpus is split by the old merges, and new merges follow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.changing.extended_files import (
    NewEntry,
    first_new_id,
    score_last,
    with_entries,
)
from tokenarium_core.changing.extension import ExtensionTrainer
from tokenarium_core.changing.extension_words import ExtensionCorpus, MarkedCorpus, PlainCorpus
from tokenarium_core.errors import ArgumentError, IdError
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.encoded_segmentation import EncodedSegmentation, ModelWords
from tokenarium_core.training.merging.merger import MergeColumns, MergeRules
from tokenarium_core.training.sentencepiece.piece_merge_rules import PieceMergeRules
from tokenarium_core.training.sentencepiece.piece_rules import SPACE
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, Vocabulary

Paths = Sequence[str | os.PathLike[str]]

_MARK: Final = "▁"
_BYTE_FREQUENCY: Final = 2
_MARKED_FREQUENCY: Final = 1


class _MergeExtension(ExtensionTrainer):
    """The base of both kinds of BPE."""

    def __init__(
        self,
        algorithm: str,
        old: Tokenizer,
        vocab_size: int,
        corpus: ExtensionCorpus,
        min_frequency: int,
        resume: bool,
    ) -> None:
        super().__init__(algorithm, old, vocab_size, corpus)
        self.min_frequency = min_frequency
        self.resume = resume
        self.merges = MergeColumns(0)
        self.segmentation: EncodedSegmentation | None = None
        self._merger: BpeMerger | None = None
        self._first: i64 = 0  # symbols before the first new merge

    @property
    def progress(self) -> Progress:
        """The phase "counting" in bytes of files and characters of texts, then "encoding" in words, then "merging"."""
        reading = self._reading()
        if reading is not None:
            return reading
        merger = self._merger
        segmentation = self.segmentation
        if merger is None or segmentation is None:
            return self._counting()
        if segmentation.laid_out < segmentation.to_lay_out and not merger.done:
            return Progress("encoding", segmentation.laid_out, segmentation.to_lay_out, False)
        return Progress("merging", self.merges.made, self.merges.merge_count, merger.done)

    @property
    def report(self) -> str:
        """What was left out of the corpus, and whether there are fewer entries than requested; empty if neither."""
        parts = [self._corpus.left_out]
        merger = self._merger
        if merger is not None and merger.done and self.merges.made < self.merges.merge_count:
            old = len(self.old.vocabulary)
            parts.append(
                f"The texts gave {self.piece_count - old:,} of {self.vocab_size - old:,} entries: no other pair that"
                f" may become an entry occurs in them {self.min_frequency:,} times or more."
            )
        return " ".join(parts).strip()

    @property
    def usable(self) -> bool:
        """From the first merge on."""
        return self._merger is not None

    @property
    def tokens_before(self) -> int:
        """How many tokens the corpus takes by the old tokenizer; 0 until it was encoded."""
        if self.segmentation is None or self.segmentation.before == 0:
            return 0
        return self.segmentation.before + self._saved()

    @property
    def piece_count(self) -> int:
        """The old entries and the new ones so far."""
        return len(self.old.vocabulary) + len(self._characters()) + self.merges.made

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus takes after each new merge."""
        return self.merges.token_counts[: self.merges.made]

    @property
    def pair_counts(self) -> vec[i64]:
        """How often each merge's pair was in the corpus when it was made."""
        return self.merges.pair_counts[: self.merges.made]

    @property
    def entries(self) -> list[NewEntry]:
        """The entries found so far: characters, then merges; ``uses`` are of all of them together."""
        entries = self._characters()
        segmentation = self.segmentation
        if segmentation is None or (self.merges.made == 0 and not entries):
            return self._scored(entries)
        uses = segmentation.uses()
        tokens: i64 = segmentation.before
        saved: i64 = self._saved()
        self._use(entries, uses)
        for k in range(self.merges.made):
            left: i64 = i64(self.merges.lefts[k])
            right: i64 = i64(self.merges.rights[k])
            behind = self.merges.token_counts[k]
            entry = NewEntry(
                self._id(self._first + k),
                self._piece(self._first + k),
                [self._id(left), self._id(right)],
                merged=True,
            )
            entry.count = int(self.merges.pair_counts[k])
            entry.saved = int(tokens - behind)
            entry.total = int(saved + segmentation.before - behind)
            entry.uses = int(uses[self._first + k])
            tokens = behind
            entries.append(entry)
        entries = entries[: self.vocab_size - len(self.old.vocabulary)]
        if self.resume:
            self._move(entries)
        return self._scored(entries)

    def _move(self, entries: list[NewEntry]) -> None:
        """Gives the entries the ids that they have behind the merges: what was there comes after them."""
        size = len(self.old.vocabulary)
        first = first_new_id(self.old, True)
        for index, entry in enumerate(entries):
            entry.id = first + index
            entry.parts = [
                id if id < first else id + len(entries) if id < size else id - size + first
                for id in entry.parts
            ]
            entry.left, entry.right = entry.parts

    def _characters(self) -> list[NewEntry]:
        """Returns the characters that become entries, with what they save."""
        return []

    def _saved(self) -> int:
        """Returns how many tokens the characters save together."""
        entries = self._characters()
        return entries[-1].total if entries else 0

    def _use(self, characters: list[NewEntry], uses: vec[i64]) -> None:
        """Sets how often the characters are tokens in the end, from the uses of symbols."""

    def _scored(self, entries: list[NewEntry]) -> list[NewEntry]:
        """Returns the entries with their scores, where they have any."""
        return entries

    def _id(self, symbol: i64) -> int:
        """Returns the id of a symbol."""
        raise NotImplementedError

    def _piece(self, symbol: i64) -> bytes:
        """Returns the bytes of a symbol in a text."""
        raise NotImplementedError

    def tokenizer_of(self, entries: list[NewEntry], name: str) -> Tokenizer:
        """Returns the old tokenizer with some of the first entries."""
        self.check_usable()
        return with_entries(self.old, entries, name, self.resume)

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        merger = self._merger
        if merger is None:
            if not self._corpus.advance():
                self._begin()
            return True
        merger.advance()
        return not merger.done

    def _begin(self) -> None:
        """Makes the merger, once the words are counted."""
        raise NotImplementedError

    def _merge(
        self, words: ModelWords, numbers: vec[i32], first: i64, count: i64, rules: MergeRules
    ) -> None:
        """Begins to merge: ``first`` symbols exist, and up to ``count`` merges are made."""
        self._first = first
        self.merges = MergeColumns(count)
        segmentation = EncodedSegmentation(self._corpus.words, words, numbers, first + count)
        self.segmentation = segmentation
        self._merger = BpeMerger(segmentation, self.merges, count, self.min_frequency, rules, first)


@final
class ByteExtension(_MergeExtension):
    """A training of byte-level BPE that continues: symbols are the old ids, then the new ones."""

    def __init__(
        self,
        old: Tokenizer,
        vocab_size: int,
        corpus: Iterable[str],
        files: Paths,
        min_frequency: int,
        resume: bool,
    ) -> None:
        words = PlainCorpus(old, corpus, files)
        least = min_frequency if min_frequency > 0 else _BYTE_FREQUENCY
        super().__init__("bpe", old, vocab_size, words, least, resume)
        self._rules: NewPieces | None = None

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of the piece that ``token_counts[number]`` belongs to."""
        if not 0 <= number < self.merges.made:
            raise IdError(f"There is no merge {number}: {self.merges.made} were made so far.")
        return self._piece(self._first + number)

    def _id(self, symbol: i64) -> int:
        return int(symbol)

    def _piece(self, symbol: i64) -> bytes:
        assert self._rules is not None
        return self._rules.pieces[symbol]

    def _begin(self) -> None:
        vocabulary = self.old.vocabulary
        size: i64 = len(vocabulary)
        numbers = vec[i32]([-1] * size)
        for id in range(size):
            kind: i64 = i64(vocabulary.kinds[id])
            if kind == NORMAL or kind == BYTE:
                numbers[id] = i32(id)
        self._rules = NewPieces(self.old)
        words = ModelWords(self.old.model)
        self._merge(words, numbers, size, self.vocab_size - size, self._rules)


@final
class NewPieces(MergeRules):
    """Of equally frequent pairs the one with the smallest ids comes first; no pair makes a piece that there is already.

    ``pieces`` are the bytes of all ids, of added tokens their names.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        vocabulary = tokenizer.vocabulary
        self.pieces = [vocabulary.piece(id) for id in range(len(vocabulary))]
        self._known = set(self.pieces)
        for token in tokenizer.added_tokens.tokens:
            self._known.add(token.content.encode())

    def allow(self, left: i64, right: i64) -> bool:
        """Returns whether the piece of two is new."""
        return self.pieces[left] + self.pieces[right] not in self._known

    def add(self, left: i64, right: i64) -> None:
        """Notes the piece of the next id."""
        piece = self.pieces[left] + self.pieces[right]
        self.pieces.append(piece)
        self._known.add(piece)


@final
class MarkedExtension(_MergeExtension):
    """A training of SentencePiece's BPE that continues.

    Symbols are the characters by code point, then the pieces in the order of their merges, as in
    `SentencePieceBpeTrainer`, then the new ones.
    """

    def __init__(
        self,
        old: Tokenizer,
        vocab_size: int,
        corpus: Iterable[str],
        files: Paths,
        min_frequency: int,
        resume: bool,
    ) -> None:
        words = MarkedCorpus(old, corpus, files)
        least = min_frequency if min_frequency > 0 else _MARKED_FREQUENCY
        super().__init__("sentencepiece-bpe", old, vocab_size, words, least, resume)
        self._marked = words
        self._new: list[NewEntry] = []  # characters that become entries
        self._alone: dict[int, int] = {}  # how often they are a word by themselves, by id
        self._ids: list[int] = []  # of the symbols before the first new merge
        self._rules: PieceMergeRules | None = None
        kinds = old.vocabulary.kinds
        self._fallback = any(i64(kinds[id]) == BYTE for id in range(len(old.vocabulary)))
        self._trial = False  # with more characters than may be worth it

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes that merge ``number`` makes, with a space for each ``▁``."""
        if not 0 <= number < self.merges.made:
            raise IdError(f"There is no merge {number}: {self.merges.made} were made so far.")
        return self._piece(self._first + number)

    def _characters(self) -> list[NewEntry]:
        return list(self._new)

    def _use(self, characters: list[NewEntry], uses: vec[i64]) -> None:
        for symbol, id in enumerate(self._ids):
            index = id - len(self.old.vocabulary)
            if index >= 0:
                characters[index].uses = int(uses[symbol]) + self._alone.get(id, 0)

    def _id(self, symbol: i64) -> int:
        if symbol < self._first:
            return self._ids[symbol]
        return int(len(self.old.vocabulary) + len(self._new) + symbol - self._first)

    def _piece(self, symbol: i64) -> bytes:
        assert self._rules is not None
        return spelled_as(self.old.vocabulary, self._rules.pieces[symbol])

    def _scored(self, entries: list[NewEntry]) -> list[NewEntry]:
        score_last(self.old.vocabulary, entries)
        return entries

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        if super()._advance():
            return True
        if self._trial:
            self._trial = False
            return self._drop_characters()
        return False

    def _drop_characters(self) -> bool:
        """Leaves out the characters that save less than the merges in their place, and merges again.

        Those that save most come first. Of n entries, i characters and the first n - i merges save most together
        as long as the next character saves less than the merge that it would take the place of.
        """
        ranked = sorted(self._new, key=_less_saved)
        before: i64 = 0 if self.segmentation is None else self.segmentation.before
        saved: list[int] = []
        for behind in self.token_counts:
            saved.append(int(before - behind))
            before = behind
        room = self.vocab_size - len(self.old.vocabulary)
        count = 0
        while count < min(room, len(ranked)):
            rival = room - count - 1
            if rival < len(saved) and saved[rival] > ranked[count].saved:
                break
            count += 1
        self._lay_out([entry.text.replace(" ", _MARK) for entry in ranked[:count]])
        return True

    def _begin(self) -> None:
        """Chooses the characters that the model lacks; they come first among the new entries."""
        vocabulary = self.old.vocabulary
        room = self.vocab_size - len(vocabulary)
        lacking: list[str] = []
        found = self._marked.lines.alphabet() if self._corpus.words.distinct > 0 else []
        for code, _ in found:
            character = _MARK if code == SPACE else chr(code)
            if vocabulary.find(spelled_as(vocabulary, character)) < 0:
                lacking.append(character)
        if lacking and self.resume:
            raise ArgumentError(
                f"{self.old.name} cannot be resumed: the corpus has {len(lacking):,} characters that a training on it"
                f" would have made entries, such as {lacking[0]!r}. Extend it and keep its ids instead."
            )
        self._trial = self._fallback and len(lacking) > 0
        self._lay_out(lacking if self._trial else lacking[:room])

    def _lay_out(self, lacking: list[str]) -> None:
        """Gives the symbols their numbers, and begins to merge."""
        vocabulary = self.old.vocabulary
        size = len(vocabulary)
        ids: dict[str, int] = {}
        for id in range(size):
            if i64(vocabulary.kinds[id]) == NORMAL:
                ids[vocabulary.surface(id)] = id
        room = self.vocab_size - size
        cutter = ModelWords(self.old.model)
        self._new = []
        self._alone = {}
        for character in lacking:
            piece = spelled_as(vocabulary, character)
            ids[character] = size + len(self._new)
            self._new.append(NewEntry(ids[character], piece, cutter.ids_of(piece)))
        single = sorted([ord(piece) for piece in ids if len(piece) == 1])
        longer = sorted(
            [
                (-vocabulary.scores[id] if id < size else 0.0, id)
                for piece, id in ids.items()
                if len(piece) > 1
            ]
        )
        known = {vocabulary.surface(id) for id in range(size)}
        alphabet = [chr(code) for code in single]
        rules = PieceMergeRules(self._marked.training.rules, alphabet, known)
        for _, id in longer:
            rules.know(vocabulary.surface(id))
        self._ids = [ids[chr(code)] for code in single] + [id for _, id in longer]
        numbers = vec[i32]([-1] * (size + len(self._new)))
        for symbol, id in enumerate(self._ids):
            numbers[id] = i32(symbol)
        self._rules = rules
        model = self.old.model
        marked = vocabulary.spelling != SPACE_MARK
        if self._new:  # so that the new characters are tokens, and can be merged
            self._weigh_characters(set(ids))
            model = with_entries(self.old, self._scored(self._new), self.old.name).model
            marked = model.vocabulary.spelling != SPACE_MARK
        # A trial is for as many merges as there would be without characters.
        count: i64 = room if self._trial else room - len(self._new)
        self._merge(ModelWords(model, marked), numbers, len(self._ids), count, rules)

    def _weigh_characters(self, known: set[str]) -> None:
        """Finds out what each new character saves after those before it.

        As what is unknown, it takes a token for each of its bytes; without byte fallback, unknown characters side by
        side share one token, so a character between others may even cost some.
        """
        size = len(self.old.vocabulary)
        indices = {entry.text.replace(" ", _MARK): index for index, entry in enumerate(self._new)}
        gains = [0] * len(self._new)
        listed = self._corpus.words.listed()
        for number in range(len(listed)):
            word = listed.piece(number).decode().replace(" ", _MARK)
            held = [indices[character] for character in word if character in indices]
            if not held:
                continue
            count: i64 = listed.counts[number]
            for index in held:
                self._new[index].count += int(count)
            if len(word) == 1:
                self._alone[size + held[0]] = int(count)
            if self._fallback:
                for index in held:
                    gains[index] += int(count) * (len(self._new[index].piece) - 1)
                continue
            before = _unknown_tokens(word, known, indices, -1)
            for index in sorted(set(held)):
                after = _unknown_tokens(word, known, indices, index)
                gains[index] += int(count) * (before - after)
                before = after
        total = 0
        for entry, gain in zip(self._new, gains, strict=True):
            total += gain
            entry.saved = gain
            entry.total = total


def _less_saved(entry: NewEntry) -> int:
    return -entry.saved


def _unknown_tokens(word: str, known: set[str], indices: dict[str, int], last: int) -> int:
    """Returns how many tokens the unknown characters of a word take, if the new ones up to ``last`` are known."""
    tokens = 0
    inside = False
    for character in word:
        index = indices.get(character, -1)
        if index >= 0 and index <= last:
            tokens += 1
            inside = False
        elif index >= 0 or character not in known:
            if not inside:
                tokens += 1
            inside = True
        else:
            inside = False
    return tokens


def spelled_as(vocabulary: Vocabulary, piece: str) -> bytes:
    """Returns the bytes that a vocabulary of SentencePiece has for a piece with ``▁``."""
    text = piece.replace(_MARK, " ") if vocabulary.spelling == SPACE_MARK else piece
    return text.encode()
