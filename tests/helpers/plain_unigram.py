"""Unigram by definition: every way to split a word is examined, one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.training.sentencepiece.piece_rules import PieceRules
from tokenarium_core.training.unigram.repeated_texts import RepeatedTexts
from tokenarium_core.training.unigram.unigram_pieces import UnigramPieces
from tokenarium_core.training.unigram.unigram_seeding import TextOrder
from tokenarium_core.training.unigram.word_trie import WordTrie

Words = dict[str, int]


def planted(words: Words) -> WordTrie:
    """Returns the trie of counted words."""
    alphabet = sorted({ord(character) for word in words for character in word})
    trie = WordTrie(alphabet)
    for word, count in words.items():
        symbols = vec[i32]([alphabet.index(ord(character)) for character in word])
        trie.add(symbols, 0, len(word), count)
    trie.settle()
    return trie


def ordered(trie: WordTrie, reach: int) -> list[int]:
    """Returns the nodes in the order of their texts."""
    order = TextOrder(trie, reach)
    while order.advance():
        pass
    return list(order.nodes)


def repeated(trie: WordTrie, limit: int) -> RepeatedTexts:
    """Returns the repeated texts."""
    texts = RepeatedTexts(trie, vec[i32](ordered(trie, limit)), limit)
    while texts.advance(3):
        pass
    return texts


def seeded(words: Words, limit: int = 16, most: int = 1000, enough: int = 1000) -> UnigramPieces:
    """Returns the pieces that a training begins with."""
    trie = planted(words)
    return UnigramPieces(trie, repeated(trie, limit), PieceRules(limit), most, enough)


def text_from(trie: WordTrie, node: int) -> str:
    """Returns the text from a node to the end of its words."""
    text = ""
    while node > 0:
        text += chr(trie.alphabet[trie.symbols[node]])
        node = int(trie.parents[node])
    return text


def scores_of(pieces: UnigramPieces) -> dict[str, float]:
    """Returns the scores of all pieces and unknown characters by text."""
    return {pieces.text(piece): pieces.scores[piece] for piece in range(pieces.count)}


def cuts(word: str, scores: dict[str, float]) -> Iterator[list[str]]:
    """Yields all ways to split a word into pieces."""
    if not word:
        yield []
    for stop in range(1, len(word) + 1):
        if word[:stop] in scores:
            for rest in cuts(word[stop:], scores):
                yield [word[:stop], *rest]


def expectation(words: Words, scores: dict[str, float]) -> tuple[Counter[str], float]:
    """Returns how often each piece is expected, and the logarithm of the likelihood of all words."""
    expected: Counter[str] = Counter()
    likelihood = 0.0
    for word, count in words.items():
        ways = [(math.exp(sum(scores[piece] for piece in cut)), cut) for cut in cuts(word, scores)]
        total = sum(chance for chance, _ in ways)
        likelihood += count * math.log(total)
        for chance, cut in ways:
            for piece in cut:
                expected[piece] += count * chance / total
    return expected, likelihood


def best_score(word: str, scores: dict[str, float]) -> float:
    """Returns the score of the best way to split a word."""
    return max(sum(scores[piece] for piece in cut) for cut in cuts(word, scores))
