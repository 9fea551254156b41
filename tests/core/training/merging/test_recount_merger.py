"""The record of a training has the pairs that the plainest counting gives, in the order of the merges."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_bpe import join, words_of

from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.bpe_trainer import NAIVE, WORDS, BpeTrainer
from tokenarium_core.training.merging.pair_record import EMPTY, PairRecord

TEXT = st.lists(st.text(st.sampled_from("aabc é"), max_size=40), min_size=1, max_size=4)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [WORDS, NAIVE])
@settings(max_examples=100)
@given(texts=TEXT, width=st.integers(1, 6))
def test_each_row_has_the_most_frequent_pairs(strategy: str, texts: list[str], width: int) -> None:
    record = PairRecord(width)
    trainer = BpeTrainer(
        pre_tokenizer("whitespace"), 256 + 12, texts, strategy=strategy, record=record
    )
    trainer.run()
    assert len(record) == trainer.merges_made
    words = {word: list(word) for word in words_of(texts, "whitespace")}
    weights = words_of(texts, "whitespace")
    for merge in range(len(record)):
        counts: Counter[tuple[int, int]] = Counter()
        for word, tokens in words.items():
            for pair in pairwise(tokens):
                counts[pair] += weights[word]
        best = sorted(counts, key=lambda pair: (-counts[pair], pair))
        row = slice(merge * width, (merge + 1) * width)
        pairs = [(pair >> 32, pair & 0xFFFFFFFF) for pair in record.pairs[row] if pair != EMPTY]
        assert pairs == best[:width]
        assert list(record.counts[row])[: len(pairs)] == [counts[pair] for pair in pairs]
        assert record.ties[merge] == sum(counts[pair] == counts[best[0]] for pair in best)
        assert record.totals[merge] == len(best)
        assert pairs[0] == (trainer.left[merge], trainer.right[merge])
        words = {w: join(tokens, *pairs[0], 256 + merge) for w, tokens in words.items()}


def test_a_record_is_no_part_of_the_training() -> None:
    texts = ["the other then there, this that thing"] * 3
    plain = BpeTrainer(pre_tokenizer("cl100k"), 280, texts)
    recorded = BpeTrainer(
        pre_tokenizer("cl100k"), 280, texts, strategy=WORDS, record=PairRecord(10)
    )
    for trainer in (plain, recorded):
        trainer.run()
    assert list(plain.left) == list(recorded.left)
    assert list(plain.right) == list(recorded.right)
    assert list(plain.pair_counts) == list(recorded.pair_counts)
