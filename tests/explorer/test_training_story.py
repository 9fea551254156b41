"""The story of a training: any merge of it at once, with the pairs, the text and the words as they were."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.models.merges.training_story import TrainingStory
from tokenarium_core.pretokenizers.by_name import pre_tokenizer
from tokenarium_core.training.bpe_trainer import WORDS, BpeTrainer
from tokenarium_core.training.merge_trainer import tokenizer_of_merges
from tokenarium_core.training.merging.recount_merger import PairRecord

CORPUS = (
    "the other then there, this that thing: the weather there. é日本 日本語 नमस्ते नमन मन 🎉🎉 " * 3
)
MERGES = 60


@functools.cache
def trained() -> tuple[BpeTrainer, TrainingStory]:
    record = PairRecord(10)
    trainer = BpeTrainer(
        pre_tokenizer("cl100k"), 256 + MERGES, [CORPUS], strategy=WORDS, record=record
    )
    trainer.run()
    return trainer, TrainingStory(trainer, record)


@pytest.mark.parametrize(
    "text", [CORPUS, "there", "", "日本の日本語 \n\n the the", "🎉 zzz", "the \udfff\ud800 there"]
)
def test_every_cut_is_that_of_the_tokenizer_of_so_many_merges(text: str) -> None:
    trainer, story = trained()
    story.set_text(text)
    for position in range(len(story) + 1):
        lefts, rights = trainer.left[:position], trainer.right[:position]
        smaller = tokenizer_of_merges("small", trainer.pre_tokenizer, lefts, rights, [])
        encoding = smaller.encode(text)
        cut = story.cut(position)
        assert (cut.ids.tolist() if cut.ids is not None else []) == list(encoding.ids)
        assert [cut.span(index) for index in range(len(cut))] == [
            encoding.span(index) for index in range(len(encoding.ids))
        ]


@settings(max_examples=100)
@given(text=st.text("theora wng,\né日語🎉", max_size=60), position=st.integers(0, MERGES))
def test_any_text_is_cut_so(text: str, position: int) -> None:
    trainer, story = trained()
    story.set_text(text)
    lefts, rights = trainer.left[:position], trainer.right[:position]
    smaller = tokenizer_of_merges("small", trainer.pre_tokenizer, lefts, rights, [])
    cut = story.cut(position)
    assert (cut.ids.tolist() if cut.ids is not None else []) == smaller.encode_ids(text)


def test_the_merge_stands_before_the_pairs_that_were_not_taken() -> None:
    trainer, story = trained()
    assert not any(bar.merged for bar in story.bars(0))
    for position in range(1, len(story) + 1):
        bars = story.bars(position)
        assert bars[0].pair == (trainer.left[position - 1], trainer.right[position - 1])
        assert [bar.merged for bar in bars] == [True] + [False] * (len(bars) - 1)
        assert [bar.count for bar in bars] == sorted((bar.count for bar in bars), reverse=True)
        sentence = story.sentence(position)
        assert f"Merge {position} joins “{bars[0].left}” and “{bars[0].right}”" in sentence
        assert ("as often" in sentence) == bars[0].tied
    assert story.sentence(0).startswith("Each byte is a token")


def test_compression_never_falls() -> None:
    _, story = trained()
    assert story.ratios[0] == 1.0
    assert np.all(np.diff(story.ratios) > 0)
    assert len(story.ratios) == len(story) + 1


def test_a_corpus_without_pairs_has_a_story_too() -> None:
    record = PairRecord(10)
    trainer = BpeTrainer(pre_tokenizer("cl100k"), 300, ["abc"], strategy=WORDS, record=record)
    trainer.run()
    story = TrainingStory(trainer, record)
    story.set_text("abc")
    assert len(story) == 0
    assert story.bars(0) == []
    assert len(story.cut(0)) == 3
    assert "No pair" in story.sentence(0)
