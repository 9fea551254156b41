"""The pieces that a Unigram training still has, and where they may occur in the corpus."""

from __future__ import annotations

import math
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.training.sentencepiece.piece_rules import PieceRules, as_mark
from tokenarium_core.training.unigram.repeated_texts import NONE, RepeatedTexts
from tokenarium_core.training.unigram.word_trie import WordTrie

UNKNOWN_PENALTY: Final = 10.0
"""How much lower the score of an unknown character is than that of the worst piece."""

OFTEN: Final = 8.0
"""How often a text that occurs only at the ends of words must occur to be in the seed.

In the suffix array of running text, as in sentencepiece, most of these are not inner nodes, because the same character
always follows: a space. The frequent ones improve a vocabulary, the rare ones make it worse for other texts.
(Measured on 20 MB of English, code and many languages, tokens of held-out text compared with sentencepiece's model: all
of them +0.3, +0.6 and -2.1 %; from 8 on -0.7, -0.7 and -2.6 %; none +10, +4 and +6 %.)
"""

SHORT: Final = 3
"""Texts of at most this many bytes are in the seed however rarely they occur, if that is more than once."""


def kth_largest(values: vec[float], rank: i64) -> float:
    """Returns the number at place ``rank`` (1: the largest) of the sorted numbers; reorders them.

    Hoare's quickselect, with the middle one of three as the pivot.
    """
    low: i64 = 0
    high: i64 = len(values) - 1
    place = rank - 1
    while low < high:
        pivot = _middle(values[low], values[(low + high) >> 1], values[high])
        left = low
        right = high
        while left <= right:
            while values[left] > pivot:
                left += 1
            while values[right] < pivot:
                right -= 1
            if left <= right:
                value = values[left]
                values[left] = values[right]
                values[right] = value
                left += 1
                right -= 1
        if place <= right:
            high = right
        elif place >= left:
            low = left
        else:
            break
    return values[place]


def _middle(first: float, second: float, third: float) -> float:
    if first > second:
        first, second = second, first
    if third <= first:
        return first
    return third if third < second else second


@final
class UnigramPieces:
    """Pieces by number: first the characters of the trie's alphabet, then the longer ones.

    ``scores`` are natural logarithms of probabilities; ``lengths`` count characters; ``nodes`` say where in the trie
    a piece begins, for its text. All pieces that may begin at a node are a chain: ``longest[node]`` is the first,
    ``links[piece]`` the next shorter one, and the character itself the last. A character that is no longer a piece
    (``alive`` 0) keeps its number and stands for itself as unknown, with the score ``unknown``. ``outside`` is how many
    characters of the corpus are not in the alphabet; they are between the words.

    The seed: all characters; and of the texts that ``rules`` allow, the ``most`` texts that cover the most characters
    in the corpus (their count times their length, to the power of ``length_power``; the logarithm is the initial
    score). Texts that occur only at the ends of words, and less often than `OFTEN`, are added only up to ``enough``
    texts; texts of more than `SHORT` bytes must occur at least ``least_count`` times. With ``of_distinct_words`` they
    are instead those of a suffix array of the distinct words: a text that only ends words must end two different
    ones, or be a whole word.
    """

    def __init__(
        self,
        trie: WordTrie,
        texts: RepeatedTexts,
        rules: PieceRules,
        most: i64,
        enough: i64,
        length_power: float = 1.0,
        least_count: float = 2.0,
        outside: float = 0.0,
        of_distinct_words: bool = False,
    ) -> None:
        self.trie = trie
        self.outside = outside
        self.characters: i64 = len(trie.alphabet)
        self.unknown = 0.0
        self._frequencies = vec[float]([0.0] * self.characters)
        for symbol in range(self.characters):
            self._frequencies[symbol] = texts.counts[symbol]
        self.longest = texts.longest
        # By length: what one occurrence of a text counts.
        factors = vec[float]([1.0] * (rules.max_length + 2))
        for length in range(2, len(factors)):
            factors[length] = math.pow(float(length), length_power)
        if of_distinct_words:
            chosen = _allowed(trie, texts, rules)
            _drop_lone_endings(trie, texts, chosen)
            _keep_best(chosen, texts, factors, self.characters, most)
        else:
            chosen = _choose(trie, texts, rules, most, enough, factors, least_count)
        numbers = vec[i32]([NONE] * texts.count)
        self.count: i64 = 0
        for text in range(texts.count):
            if chosen[text] != 0:
                numbers[text] = i32(self.count)
                self.count += 1
        self.live: i64 = self.count
        """The number of pieces, without unknown characters."""
        self.alive = vec[u8]([1] * self.count)
        self.lengths = vec[i32]([0] * self.count)
        self.links = vec[i32]([NONE] * self.count)
        self.nodes = vec[i32]([0] * self.count)
        self.scores = vec[float]([0.0] * self.count)
        total = 0.0
        for text in range(texts.count):
            # A text that was not chosen counts as the longest of those it begins with.
            piece: i64 = i64(numbers[text])
            if piece < 0:
                continue
            self.lengths[piece] = texts.lengths[text]
            self.nodes[piece] = texts.nodes[text]
            score = texts.counts[text] * factors[i64(texts.lengths[text])]
            self.scores[piece] = score
            total += score
            parent: i64 = i64(texts.parents[text])
            while parent >= 0 and chosen[parent] == 0:
                parent = i64(texts.parents[parent])
            if parent >= 0:
                self.links[piece] = numbers[parent]
        for node in range(1, trie.size):
            inner: i64 = i64(self.longest[node])
            while chosen[inner] == 0:
                inner = i64(texts.parents[inner])
            self.longest[node] = numbers[inner]
        log_total = math.log(total)
        for piece in range(self.count):
            self.scores[piece] = math.log(self.scores[piece]) - log_total
        self.rate_unknown()

    def rate_unknown(self) -> None:
        """Computes the score of unknown characters, and assigns it to them."""
        lowest = 0.0
        for piece in range(self.count):
            if self.alive[piece] != 0 and self.scores[piece] < lowest:
                lowest = self.scores[piece]
        self.unknown = lowest - UNKNOWN_PENALTY
        for piece in range(self.characters):
            if self.alive[piece] == 0:
                self.scores[piece] = self.unknown

    def count_unknown(self, counts: vec[float]) -> None:
        """Adds the expected counts of unknown characters to those of the most frequent character that is a piece.

        sentencepiece does so: in its trainer, the id of the unknown piece is also that of the first piece.
        """
        first: i64 = -1
        unknown = self.outside
        for piece in range(self.characters):
            if self.alive[piece] == 0:
                unknown += counts[piece]
            elif first < 0 or self._comes_before(piece, first):
                first = piece
        if first >= 0:
            counts[first] += unknown

    def _comes_before(self, symbol: i64, other: i64) -> bool:
        """Whether a character is more frequent than another one, or as frequent, with a smaller code point."""
        if self._frequencies[symbol] != self._frequencies[other]:
            return self._frequencies[symbol] > self._frequencies[other]
        alphabet = self.trie.alphabet
        return as_mark(alphabet[symbol]) < as_mark(alphabet[other])

    @property
    def lowest(self) -> float:
        """The score of the worst piece."""
        return self.unknown + UNKNOWN_PENALTY

    def keep(self, kept: vec[u8]) -> None:
        """Drops the pieces marked 0; the numbers of the others change."""
        characters = self.characters
        numbers = vec[i32]([NONE] * self.count)
        links = self.links
        used: i64 = 0
        self.live = 0
        for piece in range(self.count):
            if kept[piece] != 0:
                self.live += 1
            elif piece >= characters:
                continue
            numbers[piece] = i32(used)
            self.alive[used] = kept[piece]
            used += 1
        if used == self.count:
            self.rate_unknown()
            return
        # A dropped piece passes on its next shorter one. That may have a larger number, so go up until one stays.
        new_links = vec[i32]([NONE] * used)
        for piece in range(self.count):
            number: i64 = i64(numbers[piece])
            if number < 0:
                continue
            link: i64 = i64(links[piece])
            while link >= 0 and numbers[link] < 0:
                link = i64(links[link])
            new_links[number] = numbers[link] if link >= 0 else NONE
            self.lengths[number] = self.lengths[piece]
            self.nodes[number] = self.nodes[piece]
            self.scores[number] = self.scores[piece]
        longest = self.longest
        for node in range(1, self.trie.size):
            inner: i64 = i64(longest[node])
            while numbers[inner] < 0:
                inner = i64(links[inner])
            longest[node] = numbers[inner]
        self.links = new_links
        self.count = used
        self.rate_unknown()

    def text(self, piece: i64) -> str:
        """Returns a piece as text."""
        return _text(self.trie, i64(self.nodes[piece]), i64(self.lengths[piece]))


def _text(trie: WordTrie, node: i64, length: i64) -> str:
    """Returns the characters starting at a node."""
    characters: list[str] = []
    for _ in range(length):
        characters.append(chr(trie.alphabet[i64(trie.symbols[node])]))
        node = i64(trie.parents[node])
    return "".join(characters)


def _choose(
    trie: WordTrie,
    texts: RepeatedTexts,
    rules: PieceRules,
    most: i64,
    enough: i64,
    factors: vec[float],
    least_count: float,
) -> vec[u8]:
    """Returns 1 for each text that becomes a piece."""
    characters: i64 = len(trie.alphabet)
    chosen = _allowed(trie, texts, rules)
    if least_count > 2.0:
        for text in range(characters, texts.count):
            if chosen[text] != 0 and texts.counts[text] < least_count:
                piece = _text(trie, i64(texts.nodes[text]), i64(texts.lengths[text]))
                if len(piece.replace(" ", "▁").encode()) > SHORT:
                    chosen[text] = 0
    rare = vec[u8]([0] * texts.count)
    for text in range(characters, texts.count):
        if chosen[text] != 0 and texts.final[text] != 0 and texts.counts[text] < OFTEN:
            chosen[text] = 0
            rare[text] = 1
    count = _keep_best(chosen, texts, factors, characters, most)
    room = min(most, enough) - count
    if room > 0:
        _keep_best(rare, texts, factors, characters, room)
        for text in range(characters, texts.count):
            chosen[text] |= rare[text]
    return chosen


def _drop_lone_endings(trie: WordTrie, texts: RepeatedTexts, chosen: vec[u8]) -> None:
    """Marks 0 the texts that only ever end one and the same word, without being it."""
    words = vec[i32](
        [0] * trie.size
    )  # by node: the distinct words that end in the text from here on
    node = trie.size - 1
    while node > 0:
        if trie.words[node] > 0.0:
            words[node] += 1
        words[i64(trie.parents[node])] += words[node]
        node -= 1
    for text in range(texts.count):
        node = i64(texts.nodes[text])
        if texts.final[text] != 0 and words[node] < 2 and trie.words[node] == 0.0:
            chosen[text] = 0


def _keep_best(
    chosen: vec[u8], texts: RepeatedTexts, factors: vec[float], start: i64, most: i64
) -> i64:
    """Leaves 1 for the best texts from ``start`` on; of equal ones, for those with the smaller numbers.

    Returns their number.
    """
    count: i64 = 0
    for text in range(start, texts.count):
        count += i64(chosen[text])
    if count <= most:
        return count
    scores = vec[float]([0.0] * count)
    count = 0
    for text in range(start, texts.count):
        if chosen[text] != 0:
            scores[count] = texts.counts[text] * factors[i64(texts.lengths[text])]
            count += 1
    bound = kth_largest(scores, most) if most > 0 else math.inf
    more = most  # this many of those at the bound are kept
    for index in range(count):
        if scores[index] > bound:
            more -= 1
    for text in range(start, texts.count):
        if chosen[text] != 0:
            score = texts.counts[text] * factors[i64(texts.lengths[text])]
            if score < bound or (score == bound and more == 0):
                chosen[text] = 0
            elif score == bound:
                more -= 1
    return most


def _allowed(trie: WordTrie, texts: RepeatedTexts, rules: PieceRules) -> vec[u8]:
    """Returns 1 for each text that may be a piece; all characters may."""
    characters: i64 = len(trie.alphabet)
    allowed = vec[u8]([1] * texts.count)
    free = vec[u8]([0] * characters)
    for symbol in range(characters):
        if rules.is_free(trie.alphabet[symbol]):
            free[symbol] = 1
    for text in range(characters, texts.count):
        length: i64 = i64(texts.lengths[text])
        if length > rules.max_length:
            allowed[text] = 0
            continue
        node: i64 = i64(texts.nodes[text])
        for _ in range(length):
            if free[i64(trie.symbols[node])] != 0:
                if not rules.allows(_text(trie, i64(texts.nodes[text]), length)):
                    allowed[text] = 0
                break
            node = i64(trie.parents[node])
    return allowed
