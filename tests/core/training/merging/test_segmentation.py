"""Words made compact are the same words; and merges found with little room for lists are those of a full recount."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.merging.bpe_merger import BpeMerger
from tokenarium_core.training.merging.merger import BYTES, MergeColumns
from tokenarium_core.training.merging.segmentation import (
    BLOCK_BITS,
    FIRST_POSITION,
    Segmentation,
    WordSegmentation,
)
from tokenarium_core.training.word_counter import SlotWords, WordCounter


def text_of(seed: int, words: int, letters: str) -> str:
    """Returns a text whose words are as unequally frequent as in real text, and many occur once."""
    chance = random.Random(seed)
    pieces = []
    for _ in range(words):
        rank = int(chance.paretovariate(0.3)) % 3_000
        size = 1 + rank % 12
        pieces.append("".join(random.Random(rank).choices(letters, k=size)))
    return " ".join(pieces)


def words_in(words: Segmentation, merges: MergeColumns) -> Counter[tuple[bytes, int, int]]:
    """Returns the words of two tokens and more: bytes, tokens and count; checks that the array leads back, too."""
    pieces = [bytes([byte]) for byte in range(BYTES)]
    for k in range(merges.made):
        pieces.append(pieces[merges.lefts[k]] + pieces[merges.rights[k]])
    found: Counter[tuple[bytes, int, int]] = Counter()
    at = FIRST_POSITION
    while at < words.end:
        first, tokens = at, []
        while (token := words.symbols[at]) >= 0:
            assert not tokens or words.symbols[at - 1] == tokens[-1]
            assert words.weights[at >> BLOCK_BITS] == words.weights[first >> BLOCK_BITS]
            tokens.append(token)
            at += words.sizes[token]
        at += 1
        if len(tokens) > 1:
            word = b"".join(pieces[token] for token in tokens)
            found[word, len(tokens), words.weights[first >> BLOCK_BITS]] += 1
    return found


@pytest.mark.parametrize("made", [0, 1, 7, 60])
@pytest.mark.parametrize("letters", ["ab", "abcd", "abcdefghij", "aé日🙂"])
def test_compact_words_are_the_same_words(made: int, letters: str) -> None:
    counter = WordCounter(cutting("gpt2"))
    counter.add(text_of(made, 900, letters))
    words = WordSegmentation(SlotWords(counter), BYTES + 60, True)
    end, room = words.end, len(words.symbols)
    merges = MergeColumns(60)
    merger = BpeMerger(words, merges, made, 1)
    while not merger.done:
        merger.advance()
    before = words_in(words, merges)
    words.compact(BYTES + merges.made)
    assert words_in(words, merges) == before
    assert words.end <= end if made < 60 else words.end < end
    assert words.end + words.spare == room == len(words.symbols)
    assert all(words.sizes[token] == 1 for token in range(BYTES + merges.made))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("letters", ["ab", "abc", "abcdefghij", "aé日🙂"])
@pytest.mark.parametrize("frequency", [1, 3])
def test_little_room_for_lists_changes_no_merge(seed: int, letters: str, frequency: int) -> None:
    texts = [text_of(seed, 4_000, letters)]
    made = [
        make_trainer(
            "bpe", texts, vocab_size=340, pattern="gpt2", strategy=strategy, min_frequency=frequency
        )
        for strategy in ("incremental", "words")
    ]
    for trainer in made:
        trainer.run()
    ours, wanted = (
        [list(getattr(trainer, name)) for name in ("left", "right", "pair_counts", "token_counts")]
        for trainer in made
    )
    assert ours == wanted
    assert ours[0]
