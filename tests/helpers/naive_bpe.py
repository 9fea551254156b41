"""BPE and SuperBPE trained in the simplest way, with lists and dictionaries, as a reference for the trainers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from librt.vecs import vec
from mypy_extensions import i32, u8

from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.merge_trainer import MergeTrainer

Merge = tuple[int, int, int, int]
"""Left id, right id, count of the pair, tokens of the corpus afterwards."""

Word = list[int]
"""A word as a list of token ids."""


def words_of(texts: list[str], name: str) -> Counter[bytes]:
    """Returns the pre-tokens of texts, counted by Python."""
    words: Counter[bytes] = Counter()
    for text in texts:
        data = padded(text)
        size = len(data)
        ends = vec[i32]([0] * size)
        count = pre_tokenizer(name).cut(data, 0, size - PADDING, ends, vec[u8]([0] * size))
        cuts = list(ends)[:count]
        words.update(data[a:b] for a, b in zip([0, *cuts], cuts, strict=False))
    return words


def join(word: Word, left: int, right: int, token: int) -> Word:
    """Returns a word with the pair merged, left to right."""
    joined: Word = []
    k = 0
    while k < len(word):
        if word[k : k + 2] == [left, right]:
            joined.append(token)
            k += 2
        else:
            joined.append(word[k])
            k += 1
    return joined


def anything(left: bytes, right: bytes) -> bool:
    """Allows any two pieces to be joined."""
    return True


def naive_merges(
    words: Counter[bytes],
    wanted: int,
    min_frequency: int = 2,
    inherited: list[Merge] | None = None,
    allowed: Callable[[bytes, bytes], bool] = anything,
) -> list[Merge]:
    """Returns merges, starting with the ``inherited`` ones; each is found by counting all pairs again."""
    cut = [(list(word), weight) for word, weight in words.items()]
    merges = list(inherited or [])
    pieces = [bytes([byte]) for byte in range(256)]
    for token, (left, right, _, _) in enumerate(merges, 256):
        cut = [(join(word, left, right, token), weight) for word, weight in cut]
        pieces.append(pieces[left] + pieces[right])
    while len(merges) < wanted:
        pairs: Counter[tuple[int, int]] = Counter()
        for word, weight in cut:
            for pair in pairwise(word):
                pairs[pair] += weight
        possible = [
            pair
            for pair, count in pairs.items()
            if count >= min_frequency and allowed(pieces[pair[0]], pieces[pair[1]])
        ]
        if not possible:
            break
        left, right = min(possible, key=lambda pair: (-pairs[pair], pair))
        cut = [(join(word, left, right, 256 + len(merges)), weight) for word, weight in cut]
        pieces.append(pieces[left] + pieces[right])
        tokens = sum(len(word) * weight for word, weight in cut)
        merges.append((left, right, pairs[left, right], tokens))
    return merges


def merges_of(trainer: MergeTrainer) -> list[Merge]:
    """Returns the merges of a trainer so far."""
    columns = trainer.left, trainer.right, trainer.pair_counts, trainer.token_counts
    return list(zip(*columns, strict=True))
