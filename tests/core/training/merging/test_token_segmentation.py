"""The sequence of a corpus's words is the corpus, with the cuts of its stretches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core import COMPILED
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.merging.token_segmentation import (
    BLOCK,
    FIRST,
    FRAGMENT,
    NUMBER_SHIFT,
    WordSequence,
    is_kept,
)
from tokenarium_core.training.word_counter import WordCounter

PROSE = "By the way,  I'm 12345 ((far)) from\n\n  the ... 日本語の文章。 1,000 ways\r\n" * 3


def sequence_of(
    texts: list[str], names: tuple[str, str], most: int = 1 << 30, chunk: int = 1 << 20
) -> WordSequence:
    """Returns the sequence of some texts."""
    sequence = WordSequence(*map(pre_tokenizer, names), most)
    reader = CorpusReader(texts, [], chunk)
    while True:
        while sequence.add_block(reader.data, reader.stop, reader.limit):
            pass
        start = sequence.needed_from()
        reader.start = start
        if not reader.read():
            return sequence
        sequence.move(start)


def pieces_of(counter: WordCounter) -> list[bytes]:
    """Returns the words of a counter by their numbers."""
    pieces = []
    for slot in counter.slots_by_number():
        symbols = vec[i32]([0] * counter.size_of(slot))
        counter.write(slot, symbols, 0)
        pieces.append(bytes(list(symbols)))
    return pieces


def stretches_of(sequence: WordSequence) -> list[bytes]:
    """Returns the stretches of a sequence, put together out of its words."""
    words, fragments = pieces_of(sequence.words), pieces_of(sequence.fragments)
    stretches: list[bytes] = []
    for k in range(sequence.size):
        entry = sequence.blocks[k // BLOCK][k % BLOCK]
        pieces = fragments if entry & FRAGMENT else words
        if entry & FIRST:
            stretches.append(b"")
        stretches[-1] += pieces[entry >> NUMBER_SHIFT]
    return stretches


def expected(texts: list[str], name: str) -> list[bytes]:
    """Returns the stretches as the pre-tokenizer cuts them."""
    stretches = []
    for text in texts:
        start = 0
        for end in cut(pre_tokenizer(name), text).ends:
            stretches.append(text.encode()[start:end])
            start = end
    return stretches


@pytest.mark.parametrize("words", PRE_TOKENIZERS)
@pytest.mark.parametrize("stretches", PRE_TOKENIZERS)
def test_puts_the_corpus_together_again(words: str, stretches: str) -> None:
    texts = [PROSE, "", PROSE[::-1], "a"]
    sequence = sequence_of(texts, (words, stretches))
    assert stretches_of(sequence) == expected(texts, stretches)
    assert sequence.regions == len(expected(texts, stretches))
    assert sequence.words.byte_count == sum(len(text.encode()) for text in texts)


@settings(max_examples=150 if COMPILED else 40)
@given(
    st.lists(st.text(st.sampled_from("aB1. \n,é'"), max_size=60), max_size=5),
    st.sampled_from(PRE_TOKENIZERS),
    st.sampled_from(PRE_TOKENIZERS),
)
def test_puts_any_text_together_again(texts: list[str], words: str, stretches: str) -> None:
    sequence = sequence_of(texts, (words, stretches))
    assert stretches_of(sequence) == expected(texts, stretches)


@pytest.mark.parametrize("chunk", [2000, 4096, 5000])
def test_reads_long_texts_in_chunks(chunk: int) -> None:
    texts = [PROSE * 60, "word " * 3000 + "\nword. " * 800, "1234 " * 1500]
    sequence = sequence_of(texts, ("gpt2", "superbpe"), chunk=chunk)
    assert stretches_of(sequence) == expected(texts, "superbpe")


@settings(max_examples=100)
@given(st.lists(st.text(st.sampled_from("ab. 1"), max_size=200), max_size=4), st.integers(1, 60))
def test_thins_out_evenly(texts: list[str], most: int) -> None:
    sequence = sequence_of(texts, ("gpt2", "superbpe"), most)
    kept = [
        stretch
        for k, stretch in enumerate(expected(texts, "superbpe"))
        if is_kept(k, sequence.step)
    ]
    assert stretches_of(sequence) == kept
    assert sequence.regions == len(stretches_of(sequence))


def test_memory_stays_bounded() -> None:
    texts = [PROSE] * 400
    sequence = sequence_of(texts, ("gpt2", "superbpe"), 500)
    assert sequence.size <= 500
    assert sequence.step > 8
    assert sequence.words.total == sequence_of(texts, ("gpt2", "superbpe")).words.total
