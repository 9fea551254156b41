"""The training of WordPiece in its simplest form: all pairs counted again for each merge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import log

from hypothesis import strategies as st
from plain_sentencepiece import Word

from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.padded_text import padded
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.pretokenizer import cut_bytes

PARTS = [
    "a", "b", "ab", "ba", "abc", " ", " ", "c", "é", "É", "人", "1", ".", "##", "\t", "\n", "ﬁ",
]  # fmt: skip
LINES = st.lists(st.lists(st.sampled_from(PARTS), max_size=14).map("".join), min_size=1, max_size=8)


@dataclass
class Learned:
    """What was learned: the symbols, and the pieces by merge.

    ``sure``: the number of merges before the first that depends on how ties are broken, or in which a pair makes an
    existing piece.
    """

    symbols: list[str]
    merges: list[str]
    sure: int


def words_of(lines: list[str], lowercase: bool) -> Counter[str]:
    """Returns the words of lines and their counts."""
    words: Counter[str] = Counter()
    normalizer, pre_tokenizer = BertNormalizer(lowercase=lowercase), BertPreTokenizer()
    for line in lines:
        data = normalizer.normalize_plain(padded(line))
        found = cut_bytes(pre_tokenizer, data)
        begin = 0
        for end, rule in zip(found.ends, found.rules, strict=True):
            if rule != found.removed:
                words[data[begin:end].decode()] += 1
            begin = end
    return words


def joined(symbols: Word, pair: tuple[str, str], piece: str) -> Word:
    """Returns a word with each occurrence of a pair merged into one symbol, from left to right."""
    result: list[str] = []
    at = 0
    while at < len(symbols):
        if symbols[at : at + 2] == pair:
            result.append(piece)
            at += 2
        else:
            result.append(symbols[at])
            at += 1
    return tuple(result)


def score(scoring: str, count: int, left: int, right: int, total: int) -> float:
    """Returns the score of a pair from the counts of the pair, of its two parts, and of all tokens."""
    if scoring == "ratio":
        return count / (float(left) * float(right))
    if scoring == "likelihood":
        return count * (log(count) + log(total) - log(left) - log(right))
    return count


def learn(
    words: Counter[str], size: int, min_frequency: int, limit: int, scoring: str = "frequency"
) -> Learned:
    """Returns up to ``size`` symbols and merges."""
    counts = Counter[str]()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    kept = sorted(sorted(counts, key=lambda c: (-counts[c], c))[:limit])
    inside = {character for word in words for character in word[1:]}
    continuing = ["##" + character for character in kept if character in inside]
    learned = Learned(kept + continuing, [], -1)
    ids = {symbol: number for number, symbol in enumerate(learned.symbols)}
    split: Counter[Word] = Counter()
    for word, count in words.items():
        parts = [("##" if at else "") + c for at, c in enumerate(word) if c in kept]
        split[tuple(parts)] += count
    refused: set[tuple[str, str]] = set()
    while len(ids) < size:
        pairs: Counter[tuple[str, str]] = Counter()
        for symbols, count in split.items():
            for pair in pairwise(symbols):
                pairs[pair] += count
        parts_of = Counter[str]()
        for symbols, count in split.items():
            for symbol in symbols:
                parts_of[symbol] += count
        scores = {
            pair: score(scoring, count, parts_of[pair[0]], parts_of[pair[1]], parts_of.total())
            for pair, count in pairs.items()
            if count >= min_frequency and pair not in refused
        }
        frequent = [pair for pair, found in scores.items() if found > 0]
        if not frequent:
            break
        best = min(frequent, key=lambda pair: (-scores[pair], ids[pair[0]], ids[pair[1]]))
        equal = [pair for pair in frequent if scores[pair] == scores[best]]
        piece = best[0] + best[1][2:]
        if learned.sure < 0 and (len(equal) > 1 or piece in ids):
            learned.sure = len(learned.merges)
        if piece in ids:
            refused.add(best)
            continue
        ids[piece] = len(ids)
        learned.merges.append(piece)
        merged: Counter[Word] = Counter()
        for symbols, count in split.items():
            merged[joined(symbols, best, piece)] += count
        split = merged
    if learned.sure < 0:
        learned.sure = len(learned.merges)
    return learned
