"""Parity-aware BPE makes the merges of tokenizers' ParityBpeTrainer, in the same order.

Nothing in them depends on a hash: equally frequent pairs are told apart by their strings. Two kinds of corpora are left
out, for which that trainer does not end: with the variant window, where the languages that are over their share are
the only ones with pairs left; with ratios, where a language has no words.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, pre_tokenizers, trainers

from tokenarium_core.formats.registry import save
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.parity_trainer import ParityTrainer
from tokenarium_core.unicode.byte_alphabet import to_text

Corpus = dict[str, list[str]]


def ours(corpus: Corpus, merges: int, dev: Corpus | None = None, **options: Any) -> ParityTrainer:
    """Returns our trainer, at its end."""
    trainer = make_trainer(
        "parity-bpe", corpus, dev=dev, vocab_size=256 + merges, pattern="gpt2", **options
    )
    assert isinstance(trainer, ParityTrainer)
    trainer.run()
    return trainer


def theirs(
    corpus: Corpus,
    merges: int,
    dev: Corpus | None = None,
    ratios: dict[str, float] | None = None,
    min_frequency: int = 2,
    **options: Any,
) -> tokenizers.Tokenizer:
    """Returns what tokenizers trains."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.ParityBpeTrainer(  # type: ignore[attr-defined]
        num_merges=merges,
        min_frequency=min_frequency,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        **options,
    )
    trainer.train_from_iterator(
        tokenizer,
        [iter(texts) for texts in corpus.values()],
        None if dev is None else [iter(dev[name]) for name in corpus],
        None if ratios is None else [ratios[name] for name in corpus],
    )
    return tokenizer


def merges_of(trainer: ParityTrainer) -> list[tuple[str, str]]:
    """Returns the merges of our trainer, in GPT-2's alphabet."""
    pairs = zip(trainer.left, trainer.right, strict=True)
    return [(to_text(trainer.piece(left)), to_text(trainer.piece(right))) for left, right in pairs]


def their_merges(tokenizer: tokenizers.Tokenizer) -> list[tuple[str, str]]:
    """Returns the merges that tokenizers made."""
    return [(left, right) for left, right in json.loads(tokenizer.to_str())["model"]["merges"]]


TEXTS = st.lists(st.text(st.sampled_from("aab bcé語 "), max_size=40), max_size=4)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[Corpus, Corpus | None, dict[str, Any]]:
    """Draws small corpora of a few languages, a dev set or ratios or neither, and options."""
    names = "abcdef"[: draw(st.integers(1, 6))]
    corpus = {name: draw(TEXTS) for name in names}
    options: dict[str, Any] = {
        "min_frequency": draw(st.integers(1, 3)),
        "global_merges": draw(st.sampled_from([0, 0, 1, 3, 10])),
    }
    if draw(st.booleans()):
        options["variant"] = "window"
        options["window_size"] = draw(st.integers(1, 12))
        options["alpha"] = draw(st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0]))
    measure = draw(st.sampled_from(["dev", "ratios", "corpus"]))
    dev = {name: draw(TEXTS) for name in names} if measure == "dev" else None
    if measure == "ratios":
        assume(all("".join(texts) for texts in corpus.values()))
        options["ratios"] = {name: draw(st.sampled_from([0.5, 1.0, 1.3, 2.0])) for name in names}
    return corpus, dev, options


@settings(max_examples=400)
@given(corpora())
def test_small_corpora(drawn: tuple[Corpus, Corpus | None, dict[str, Any]]) -> None:
    corpus, dev, options = drawn
    trainer = ours(corpus, 40, dev, **options)
    assume(trainer.forced_choices == 0)
    assert merges_of(trainer) == their_merges(theirs(corpus, 40, dev, **options))


def parallel(names: str) -> Corpus:
    """Returns the project's parallel sentences in some languages."""
    folder = Path(__file__).parents[2] / "resources" / "parallel"
    return {name: [(folder / f"{name}.txt").read_text("utf-8")] for name in names.split()}


OPTIONS: list[dict[str, Any]] = [
    {},
    {"min_frequency": 5},
    {"global_merges": 150},
    {"variant": "window", "window_size": 100, "alpha": 2.0},
    {"variant": "window", "window_size": 20, "alpha": 1.5, "global_merges": 40},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_parallel_sentences(options: dict[str, Any]) -> None:
    corpus = parallel("de en hi ja ru sw zh")
    for dev in (None, {name: [texts[0][:800]] for name, texts in corpus.items()}):
        trainer = ours(corpus, 240, dev, **options)
        assert trainer.forced_choices == 0
        assert merges_of(trainer) == their_merges(theirs(corpus, 240, dev, **options))


@pytest.mark.parametrize("options", OPTIONS)
def test_declarations_of_human_rights(texts: dict[str, str], options: dict[str, Any]) -> None:
    corpus = {name: [text] for name, text in texts.items()}
    dev = {name: [text[:3000]] for name, text in texts.items()}
    ratios = {name: len(text.encode()) / len(text) for name, text in texts.items()}
    for measured in ({"dev": dev}, {"ratios": ratios}, {}):
        trainer = ours(corpus, 3000, **measured, **options)
        assert trainer.forced_choices == 0
        assert merges_of(trainer) == their_merges(theirs(corpus, 3000, **measured, **options))


def test_special_tokens() -> None:
    corpus = parallel("de en hi")
    special = ["<s>", "</s>"]
    trainer = ours(corpus, 200 + 2, special_tokens=special)
    reference = theirs(corpus, 200, special_tokens=special)
    assert merges_of(trainer) == their_merges(reference)
    last = 256 + trainer.merges_made
    encoded = trainer.tokenizer("parity").encode("<s></s>", special="all")
    assert list(encoded.ids) == [last, last + 1]


def test_the_exported_tokenizer_is_theirs(tmp_path: Path) -> None:
    corpus = parallel("de en hi ja")
    trainer = ours(corpus, 300, variant="window")
    path = tmp_path / "tokenizer.json"
    save(trainer.tokenizer("parity"), path, "huggingface")
    read = tokenizers.Tokenizer.from_file(str(path))
    reference = theirs(corpus, 300, variant="window")
    for texts in corpus.values():
        assert read.encode(texts[0]).tokens == reference.encode(texts[0]).tokens
