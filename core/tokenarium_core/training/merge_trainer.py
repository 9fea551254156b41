"""The base classes of trainers that merge pairs, also over bytes, and tokenizers made from merges."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import EMPTY_TOKEN, of_special
from tokenarium_core.details import Source
from tokenarium_core.errors import IdError, TokenariumError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder, encoder_of_merges
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.model import Model
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.merger import BYTES, MergeColumns, Merger
from tokenarium_core.training.trainer import Trainer
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, PieceArena, Vocabulary


class PairTrainer(Trainer):
    """Base of the trainers that count words first and then merge pairs in them, as a `Merger` does.

    A subclass counts in `_count` and starts merging in `_make_merger`. ``merges`` are the merges made so far.

    Merges nest, so one training answers for all smaller vocabularies: the first ``n`` merges are the training for ``n``
    merges, and ``token_counts[n - 1]`` is how many tokens the corpus has with them. All columns may be read at any
    time, and hold the merges made so far.

    The first ``inherited`` merges come from an earlier tokenizer: their frequency in the corpus is unknown, so
    ``pair_counts`` and ``token_counts`` start after them.
    """

    def __init__(self, algorithm: str, vocab_size: int, min_frequency: int) -> None:
        super().__init__(algorithm, vocab_size)
        self.min_frequency = max(min_frequency, 1)
        self.merges = MergeColumns(0)
        self.inherited: i64 = 0
        self._merger: Merger | None = None

    @property
    def merge_count(self) -> int:
        """How many merges the requested vocabulary has."""
        return self.merges.merge_count

    @property
    def merges_made(self) -> int:
        """How many merges exist so far; at the end, fewer than requested if the pairs ran out."""
        return self.merges.made

    @property
    def visited(self) -> int:
        """How many positions of the text or its words were visited so far, to find and make merges."""
        return 0 if self._merger is None else self._merger.visited

    @property
    def left(self) -> vec[i32]:
        """The number of each merge's left symbol, see `symbol`."""
        return self.merges.lefts[: self.merges.made]

    @property
    def right(self) -> vec[i32]:
        """The number of each merge's right symbol."""
        return self.merges.rights[: self.merges.made]

    @property
    def pair_counts(self) -> vec[i64]:
        """How often each merge's pair was in the corpus when it was made."""
        return self.merges.pair_counts[self.inherited : self.merges.made]

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus has after each merge."""
        return self.merges.token_counts[self.inherited : self.merges.made]

    @property
    def progress(self) -> Progress:
        """The phase "counting" in bytes of files and characters of texts, then "merging" in merges."""
        reading = self._reading()
        if reading is not None:
            return reading
        merger = self._merger
        assert merger is not None
        return Progress("merging", self.merges_made, self.merge_count, merger.done)

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty if it gave what was requested."""
        merger = self._merger
        if merger is None or not merger.done or self.merges_made == self.merge_count:
            return ""
        return self.ran_out()

    def ran_out(self) -> str:
        """Returns the sentence for a training with fewer merges than requested."""
        return (
            f"The corpus gave {self.merges_made:,} of {self.merge_count:,} merges: no other pair"
            f" occurs in it {self.min_frequency:,} times or more."
        )

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        merger = self._merger
        if merger is None:
            if not self._count():
                self._merger = self._make_merger()
                self._reader = None
            return True
        if not merger.done:
            merger.advance()
        return not merger.done

    def _count(self) -> bool:
        """Counts some words, or reads on where none is left; returns whether there may be more."""
        raise NotImplementedError

    def _make_merger(self) -> Merger:
        """Returns what merges the words that were counted; raises TokenariumError if they cannot be."""
        raise NotImplementedError


class MergeTrainer(PairTrainer):
    """Base of the trainers of byte-level BPE.

    Token ids: 0 to 255 are the bytes, 256 + k is merge ``k``, the special tokens come last.
    """

    def __init__(
        self,
        algorithm: str,
        pre_tokenizer: PreTokenizer,
        vocab_size: int,
        min_frequency: int,
        special_tokens: list[str],
    ) -> None:
        super().__init__(algorithm, vocab_size, min_frequency)
        if "" in special_tokens:
            raise TokenariumError(EMPTY_TOKEN)
        if len(set(special_tokens)) < len(special_tokens):
            raise TokenariumError("A special token is named twice: name each of them once.")
        smallest = BYTES + len(special_tokens)
        if vocab_size < smallest:
            raise TokenariumError(
                f"A vocabulary of {vocab_size:,} is too small: the 256 bytes and the special tokens need"
                f" {smallest:,}. Ask for at least that many."
            )
        self.merges = MergeColumns(vocab_size - smallest)
        self.pre_tokenizer = pre_tokenizer
        self.special_tokens = special_tokens
        self.normalizer: Normalizer | None = None
        self._pieces = [bytes([byte]) for byte in range(BYTES)]

    @property
    def piece_count(self) -> int:
        """The bytes, the merges made so far and the special tokens."""
        return BYTES + self.merges_made + len(self.special_tokens)

    @property
    def usable(self) -> bool:
        """Always true: before the first merge there are the bytes."""
        return True

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of the piece that ``token_counts[number]`` belongs to."""
        if not 0 <= number < self.merges_made - self.inherited:
            raise IdError(f"There is no piece number {number}: the training has not made it yet.")
        return self.piece(BYTES + self.inherited + number)

    def piece(self, token: int) -> bytes:
        """Returns the bytes of an id that is not a special token."""
        pieces = self._pieces
        while len(pieces) <= token:
            k: i64 = len(pieces) - BYTES
            left: i64 = i64(self.merges.lefts[k])
            right: i64 = i64(self.merges.rights[k])
            pieces.append(pieces[left] + pieces[right])
        return pieces[token]

    @property
    def first_symbols(self) -> int:
        """256: the bytes."""
        return BYTES

    def symbol(self, number: int) -> bytes:
        """Returns the bytes of a symbol: here its number is its id."""
        return self.piece(number)

    def word_symbols(self, word: bytes) -> list[int]:
        """Returns the bytes of a pre-token."""
        return list(word)

    def symbol_id(self, number: int) -> int:
        """Returns the id of a symbol: its number."""
        return number

    def cutter_after(self, merges: int) -> PreTokenizer:
        """Returns the pre-tokenizer for the first ``merges`` merges."""
        return self.pre_tokenizer

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of the merges made so far.

        For SuperBPE, a plain BPE before the transition.
        """
        return self.tokenizer_after(self.merges_made, name)

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer of the first ``step`` merges."""
        return tokenizer_of_merges(
            name,
            self.cutter_after(step),
            self.left[:step],
            self.right[:step],
            self.special_tokens,
            self.normalizer,
        )


def tokenizer_of_merges(
    name: str,
    pre_tokenizer: PreTokenizer,
    lefts: vec[i32],
    rights: vec[i32],
    special: list[str],
    normalizer: Normalizer | None = None,
) -> Tokenizer:
    """Returns a tokenizer whose ids are the 256 bytes, then the merges, then the special tokens.

    Merge ``k`` makes token 256 + k of ``lefts[k]`` and ``rights[k]``.
    """
    count: i64 = len(lefts)
    pieces = [bytes([byte]) for byte in range(BYTES)]
    table = MergeTable(count)
    for rank in range(count):
        left: i64 = i64(lefts[rank])
        right: i64 = i64(rights[rank])
        pieces.append(pieces[left] + pieces[right])
        table.set(rank, left, right, BYTES + rank)
    model = encoder_of_merges(vocabulary_of(pieces, special), table)
    return trained_tokenizer(name, model, pre_tokenizer, special, normalizer)


def vocabulary_of(pieces: list[bytes], special: list[str]) -> Vocabulary:
    """Returns a vocabulary of pieces, starting with the bytes, and after the pieces the special tokens."""
    arena = PieceArena(len(pieces) + len(special))
    for token, piece in enumerate(pieces):
        arena.add(piece, BYTE if token < BYTES else NORMAL)
    for text in special:
        arena.add(text.encode(), CONTROL)
    return Vocabulary(arena)


def trained_tokenizer(
    name: str,
    model: Model,
    pre_tokenizer: PreTokenizer,
    special: list[str],
    normalizer: Normalizer | None,
) -> Tokenizer:
    """Returns the tokenizer of a trained model whose last entries are the special tokens."""
    first = len(model.vocabulary) - len(special)
    ids = {token: first + index for index, token in enumerate(special)}
    tokenizer = Tokenizer(name, model, pre_tokenizer, of_special(ids), normalizer)
    tokenizer.source = Source("trained", "")
    return tokenizer


def merges_of_tokenizer(tokenizer: Tokenizer) -> list[tuple[int, int]]:
    """Returns the merges of a byte-level BPE in order, with ids as assigned by `tokenizer_of_merges`.

    So they do not depend on the tokenizer's own ids: 0 to 255 are the bytes, 256 + k is merge ``k``.
    Raises TokenariumError for a tokenizer that is not byte-level BPE, or has merges that no training gives.
    """
    model = tokenizer.model
    if not isinstance(model, BytePairEncoder) or tokenizer.normalizer or tokenizer.splitter:
        raise TokenariumError(
            f"{tokenizer.name} is not plain byte-level BPE: training can continue only from such a tokenizer."
        )
    numbers = {token: byte for byte, token in enumerate(model.byte_symbols())}
    table = model.merges
    merges: list[tuple[int, int]] = []
    for rank in range(table.capacity):
        result: i64 = i64(table.results[rank])
        if result < 0:
            continue
        left: i64 = i64(table.lefts[rank])
        right: i64 = i64(table.rights[rank])
        if result in numbers or left not in numbers or right not in numbers:
            raise TokenariumError(
                f"{tokenizer.name} has entries that more than one merge makes, or none: training cannot continue from"
                " it."
            )
        merges.append((numbers[left], numbers[right]))
        numbers[result] = 255 + len(merges)
    if model.whole_pieces or table.pairs != len(merges):
        raise TokenariumError(
            f"{tokenizer.name} has entries that its merges do not lead to: training cannot continue from it."
        )
    return merges
