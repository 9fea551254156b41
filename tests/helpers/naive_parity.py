"""Parity-aware BPE trained in the simplest way, with lists and dictionaries, as a reference for the trainer."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from naive_bpe import Word, join, words_of

from tokenarium_core.unicode.byte_alphabet import to_text


def naive_parity(
    corpus: dict[str, list[str]],
    wanted: int,
    dev: dict[str, list[str]] | None = None,
    min_frequency: int = 2,
    together: int = 0,
    pattern: str = "gpt2",
) -> list[tuple[int, int, int]]:
    """Returns merges by the variant base, each as two ids and the number of the language that it was for, or -1.

    All pairs of all languages are counted again for each merge.
    """
    cut = [_cut(texts, pattern) for texts in corpus.values()]
    measured = cut if dev is None else [_cut(dev[name], pattern) for name in corpus]
    pieces = [bytes([byte]) for byte in range(256)]
    left = set(range(len(cut)))
    merges: list[tuple[int, int, int]] = []
    while len(merges) < wanted and left:
        language = -1
        counts: Counter[tuple[int, int]] = Counter()
        if len(merges) < together:
            for words in cut:
                counts.update(_pairs(words))
        else:
            language = max(left, key=lambda one: (_length(measured[one]), -one))
            counts = _pairs(cut[language])
        possible = [pair for pair, count in counts.items() if count >= min_frequency]
        if not possible:
            if language < 0:
                break
            left.remove(language)
            continue
        first, second = max(
            possible,
            key=lambda pair: (counts[pair], to_text(pieces[pair[0]]), to_text(pieces[pair[1]])),
        )
        token = len(pieces)
        pieces.append(pieces[first] + pieces[second])
        cut = [_joined(words, first, second, token) for words in cut]
        measured = cut if dev is None else [_joined(w, first, second, token) for w in measured]
        merges.append((first, second, language))
    return merges


Words = list[tuple[Word, int]]


def _cut(texts: list[str], pattern: str) -> Words:
    return [(list(word), count) for word, count in words_of(texts, pattern).items()]


def _pairs(words: Words) -> Counter[tuple[int, int]]:
    counts: Counter[tuple[int, int]] = Counter()
    for word, count in words:
        for pair in pairwise(word):
            counts[pair] += count
    return counts


def _length(words: Words) -> int:
    return sum(len(word) * count for word, count in words)


def _joined(words: Words, left: int, right: int, token: int) -> Words:
    return [(join(word, left, right, token), count) for word, count in words]
