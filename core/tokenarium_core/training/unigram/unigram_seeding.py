"""From counted words to the first pieces of a Unigram training."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.training.merging.character_words import CharacterWords
from tokenarium_core.training.sentencepiece.piece_rules import PieceRules
from tokenarium_core.training.unigram.repeated_texts import RepeatedTexts
from tokenarium_core.training.unigram.text_order import TextOrder
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces
from tokenarium_core.training.unigram.word_trie import WordTrie

BYTES_A_NODE: Final = 110
"""The memory that a training takes at its peak for each node of its trie, beside the counted words (measured)."""

_WORDS: Final = 2000  # about a millisecond
_TEXTS: Final = 10_000


@final
class UnigramSeeding:
    """The way to the seed: `advance` until it says False, then take the ``pieces``.

    A step takes a millisecond, but for some six that go over all nodes of the trie at once: a tenth of
    a second each for ten million characters of distinct words.
    """

    def __init__(
        self,
        words: CharacterWords,
        alphabet: list[int],
        rules: PieceRules,
        most: i64,
        enough: i64,
    ) -> None:
        self.pieces: UnigramPieces | None = None
        self.total: int = 0  # words to plant, and nodes of the trie after that
        self.done: int = 0
        self._rules = rules
        self._most = most
        self._enough = enough
        self._words: CharacterWords | None = words
        self._slots = words.slots_by_count()
        self._trie = WordTrie(alphabet)
        self._order: TextOrder | None = None
        self._texts: RepeatedTexts | None = None
        self._room = vec[i32]([0] * 1024)
        self._next: i64 = 0
        self.total = 2 * len(self._slots)

    @property
    def memory(self) -> int:
        """About how many bytes the training takes at its peak for the words that were planted so far."""
        return BYTES_A_NODE * int(self._trie.size)

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        words = self._words
        if words is not None:
            self._plant(words)
            if self._next == len(self._slots):
                self._words = None
                self._trie.settle()
        elif self._order is None:
            self._order = TextOrder(self._trie, self._rules.max_length)
        elif self._texts is None:
            if not self._order.advance():
                self._texts = RepeatedTexts(self._trie, self._order.nodes, self._rules.max_length)
                self.done = self.total = self._trie.size
                self.total *= 2
        elif self._texts.advance(_TEXTS):
            self.done += _TEXTS
        else:
            self.pieces = UnigramPieces(
                self._trie, self._texts, self._rules, self._most, self._enough
            )
            self._trie.ends = vec[float]()
            return False
        return True

    def _plant(self, words: CharacterWords) -> None:
        """Puts some words into the trie, parted at characters that are left out."""
        slots = self._slots
        trie = self._trie
        stop = min(self._next + _WORDS, len(slots))
        for index in range(self._next, stop):
            slot: i64 = i64(slots[index])
            size = words.size_of(slot)
            if size > len(self._room):
                self._room = vec[i32]([0] * (2 * size))
            room = self._room
            size = words.write(slot, room, 0)
            count = words.count_of(slot)
            start: i64 = 0
            for at in range(size):
                if i64(room[at]) < 0:
                    if at > start:
                        trie.add(room, start, at, count)
                    start = at + 1
            if size > start:
                trie.add(room, start, size, count)
        self._next = stop
        self.done = stop
