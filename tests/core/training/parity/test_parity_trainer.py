"""Training parity-aware BPE gives the merges of the plainest algorithm, and says what it cannot do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_parity import naive_parity
from narrowed import of_kind
from running import run_whole

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.parity_trainer import ParityTrainer
from tokenarium_core.training.word_counts import count

GERMAN = "der Hund und die Katze, der Hof und das Haus, und dann der Regen und der Wind " * 3
HINDI = "कुत्ता और बिल्ली, घर और आँगन, बारिश और हवा, और फिर धूप " * 2
JAPANESE = "犬と猫、家と庭、雨と風、そして犬と猫。" * 2
CORPUS = {"de": [GERMAN], "hi": [HINDI], "ja": [JAPANESE]}


def trained(
    corpus: Any = CORPUS, merges: int = 60, pattern: str = "gpt2", **given: Any
) -> ParityTrainer:
    """Returns a trainer that has run to its end."""
    return run_whole(
        of_kind(
            make_trainer("parity-bpe", corpus, vocab_size=256 + merges, pattern=pattern, **given),
            ParityTrainer,
        )
    )


def merges_of(trainer: ParityTrainer) -> list[tuple[int, int, int]]:
    """Returns its merges, each with the number of its language."""
    return list(zip(trainer.left, trainer.right, trainer.merge_languages, strict=True))


TEXTS = st.lists(st.text(st.sampled_from("aab bcé語 "), max_size=30), max_size=3)
CORPORA = st.lists(TEXTS, min_size=1, max_size=5)


@pytest.mark.slow
@settings(max_examples=200 if COMPILED else 40)
@given(CORPORA, st.none() | CORPORA, st.integers(1, 3), st.sampled_from([0, 0, 2, 9]))
def test_equals_naive_training(
    corpora: list[list[str]], dev: list[list[str]] | None, min_frequency: int, together: int
) -> None:
    corpus = {str(number): texts for number, texts in enumerate(corpora)}
    measured = None
    if dev is not None:
        measured = {name: dev[int(name) % len(dev)] for name in corpus}
    trainer = trained(corpus, 40, dev=measured, min_frequency=min_frequency, global_merges=together)
    assert merges_of(trainer) == naive_parity(corpus, 40, measured, min_frequency, together)


def test_lengths_are_those_of_the_tokenizer() -> None:
    dev = {"de": [GERMAN[:80]], "hi": [HINDI[:60]], "ja": [JAPANESE[:20]]}
    for measured in (None, dev):
        trainer = trained(dev=measured)
        texts = CORPUS if measured is None else dev
        tokenizer = trainer.tokenizer("parity")
        found = [sum(map(len, tokenizer.encode_ids_batch(texts[name]))) for name in texts]
        assert trainer.lengths_now() == found
        history = trainer.history
        assert history.row(len(history) - 1) == found
        assert history.row(0) == [len("".join(one).encode()) for one in texts.values()]
        assert list(history.steps) == list(range(61))
        assert trainer.token_counts[-1] == sum(
            len(tokenizer.encode_ids(text)) for texts in CORPUS.values() for text in texts
        )


def test_a_step_for_a_few_hundred_merges_is_kept() -> None:
    corpus = {name: [text for text in texts for _ in range(2)] for name, texts in CORPUS.items()}
    trainer = trained(corpus, 1200, min_frequency=1)
    steps = list(trainer.history.steps)
    assert steps[:4] == [0, 2, 4, 6]
    assert steps[-1] == trainer.merges_made
    with pytest.raises(IndexError):
        trainer.history.row(len(steps))


def test_it_takes_steps_and_can_end_early() -> None:
    whole = merges_of(trained())
    trainer = of_kind(
        make_trainer("parity-bpe", CORPUS, vocab_size=256 + 60, pattern="gpt2"), ParityTrainer
    )
    assert trainer.lengths_now() == []
    while not trainer.step(0).finished:
        assert merges_of(trainer) == whole[: trainer.merges_made]
    assert merges_of(trainer) == whole
    assert not trainer.step(0).finished or trainer.progress.finished
    early = trainer.tokenizer_after(20, "early")
    assert len(early.vocabulary) == 276


def test_files_and_counts_by_language_give_the_same(tmp_path: Path) -> None:
    files: dict[str, list[Path]] = {}
    counts: dict[str, tc.WordCounts] = {}
    for name, texts in CORPUS.items():
        files[name] = [tmp_path / name]
        files[name][0].write_text(texts[0], "utf-8", newline="")
        counts[name] = count("parity-bpe", [texts[0][:90]], pattern="gpt2")
        # A cut between two texts is one between two words.
        whole = count("parity-bpe", texts, pattern="gpt2")
        half = tc.WordCounts("parity-bpe", pattern="gpt2")
        half.merge(whole)
        counts[name] = half
    expected = merges_of(trained())
    assert merges_of(trained((), files=files)) == expected
    assert merges_of(trained({}, counts=counts)) == expected
    dev = {"de": [GERMAN[:80]], "hi": [HINDI[:60]], "ja": [JAPANESE[:20]]}
    assert merges_of(trained({}, counts=counts, dev=dev)) == merges_of(trained(dev=dev))


def test_merged_counts_are_the_counts_of_the_corpus() -> None:
    parts = {name: [text[:50], text[50:]] for name, [text] in CORPUS.items()}
    counts = {}
    for name, texts in parts.items():
        counts[name] = count("bpe", texts[:1], pattern="gpt2")
        counts[name].merge(count("parity-bpe", texts[1:], pattern="gpt2"))
    assert merges_of(trained({}, counts=counts)) == merges_of(trained(parts))


def test_one_language_needs_no_name() -> None:
    trainer = trained([GERMAN])
    assert trainer.languages == ["und"]
    assert merges_of(trainer) == naive_parity({"und": [GERMAN]}, 60)


def test_a_record_changes_nothing() -> None:
    record = PairRecord(4)
    trainer = trained(record=record)
    assert merges_of(trainer) == merges_of(trained())
    assert [record.pairs[4 * k] for k in range(60)] == [
        left << 32 | right for left, right in zip(trainer.left, trainer.right, strict=True)
    ]
    assert list(record.counts)[::4] == list(trainer.pair_counts)
    assert record.first_tokens == trainer.byte_count


def test_it_says_what_ran_out() -> None:
    trainer = trained({"a": ["ab ab"], "b": ["cd"]}, 50)
    assert trainer.progress.finished
    assert trainer.report.startswith("The corpus gave 1 of 50 merges: no other pair")
    assert [list(trainer.pre_tokens.counts), trainer.pre_token_count] == [[1, 1, 1], 3]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dev": {"de": [], "hi": []}}, "no texts in 'ja'"),
        ({"dev": {"de": [], "hi": [], "ja": [], "sw": []}}, "texts in 'sw', which the corpus does not have"),
        ({"ratios": {"de": 1.0, "hi": 2.0}}, "no ratio for 'ja'"),
        ({"ratios": {"de": 1.0, "hi": 2.0, "ja": 1.0, "sw": 1.0}}, "a ratio for 'sw', but no corpus"),
        ({"ratios": ["de=0", "hi=1", "ja=1"]}, "'de=0' is not a ratio"),
        ({"ratios": ["1.2"]}, "'1.2' is not a ratio"),
        ({"ratios": {"de": 1, "hi": 1, "ja": 1}, "dev": CORPUS}, "give one of them"),
        ({"alpha": 0.0}, "alpha = 0 has to be"),
        ({"window_size": 0}, "window_size = 0 has to be"),
        ({"variant": "moving"}, "choose one of base, window"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(tc.TokenariumError, match=said):
        trained(**given)


def test_other_algorithms_take_no_languages() -> None:
    for some in ({"corpus": CORPUS}, {"dev": CORPUS}, {"files": {"de": []}}):
        with pytest.raises(
            tc.ArgumentError, match=r"Byte-pair encoding has no languages.*parity-bpe"
        ):
            tc.train("bpe", vocab_size=300, **some)
    with pytest.raises(tc.ArgumentError, match="counts or a corpus, not both"):
        tc.train("parity-bpe", CORPUS, vocab_size=300, counts={"de": count("bpe", ["a"])})
