"""Random cuts: what they must hold, and how often each comes, beside tokenizers' dropout and sentencepiece's sampling."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from math import exp, sqrt
from pathlib import Path

import pytest
import sentencepiece
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.explaining.sampling import LONGEST, SamplingJob, sample
from tokenarium_core.models import Unigram

Ids = tuple[int, ...]
CORPUS = [
    "the then there the other one",
    "a café in the street, unbelievable",
    "日本 and 日本語 नमस्ते",
] * 4
DRAWS = 20_000
TEXT = "the others believe"


@pytest.fixture(scope="module")
def byte_level() -> tc.Tokenizer:
    return tc.train("bpe", CORPUS, vocab_size=330, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def characters() -> tc.Tokenizer:
    return tc.train("sentencepiece-bpe", CORPUS, vocab_size=330, byte_fallback=True)


@pytest.fixture(scope="module")
def unigram() -> tc.Tokenizer:
    return tc.train("unigram", CORPUS, vocab_size=310, byte_fallback=True)


def reference_tokenizer(tokenizer: tc.Tokenizer, folder: Path, dropout: float) -> tokenizers.Tokenizer:  # fmt: skip
    """Returns the tokenizer as Hugging Face's library opens it, with dropout."""
    path = saved(tokenizer, folder / "tokenizer.json", format="huggingface")
    content = json.loads(path.read_text("utf-8"))
    content["model"]["dropout"] = dropout
    return tokenizers.Tokenizer.from_str(json.dumps(content))


def reference_processor(tokenizer: tc.Tokenizer, folder: Path) -> sentencepiece.SentencePieceProcessor:  # fmt: skip
    path = saved(tokenizer, folder / "tokenizer.model", format="sentencepiece")
    sentencepiece.set_random_generator_seed(7)
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def ours(tokenizer: tc.Tokenizer, text: str, count: int = DRAWS, **how: float) -> Counter[Ids]:
    return Counter({tuple(cut.ids): cut.times for cut in sample(tokenizer, text, count, **how).cuts})  # type: ignore[arg-type]  # fmt: skip


def drawn(draw: Callable[[], Iterable[int]], count: int = DRAWS) -> Counter[Ids]:
    return Counter(tuple(draw()) for _ in range(count))


def assert_alike(one: Counter[Ids], other: Counter[Ids]) -> None:
    """Compares two samples of one size by the chi-squared test; rare cuts are taken together.

    For k degrees of freedom the statistic has the mean k and the variance 2k: eight deviations are beyond chance.
    """
    assert one.total() == other.total()
    statistic, cells = 0.0, 0
    rare = [0, 0]
    for cut in one | other:
        here, there = one[cut], other[cut]
        if here + there < 40:
            rare[0] += here
            rare[1] += there
            continue
        statistic += (here - there) ** 2 / (here + there)
        cells += 1
    if sum(rare):
        statistic += (rare[0] - rare[1]) ** 2 / sum(rare)
        cells += 1
    assert statistic < cells + 8 * sqrt(2 * cells) + 8


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("text", [TEXT, " unbelievable", "aaaa日本語日本"])
def test_byte_level_bpe_drops_as_tokenizers(
    byte_level: tc.Tokenizer, text: str, dropout: float, tmp_path: Path
) -> None:
    reference = reference_tokenizer(byte_level, tmp_path, dropout)
    theirs = drawn(lambda: reference.encode(text, add_special_tokens=False).ids)
    assert_alike(ours(byte_level, text, dropout=dropout), theirs)


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("text", [TEXT, "unbelievable", "aaaa日本語 é☃"])
def test_sentencepiece_bpe_drops_as_sentencepiece(
    characters: tc.Tokenizer, text: str, dropout: float, tmp_path: Path
) -> None:
    reference = reference_processor(characters, tmp_path)
    theirs = drawn(
        lambda: reference.encode(text, enable_sampling=True, alpha=dropout, nbest_size=-1)
    )
    assert_alike(ours(characters, text, dropout=dropout), theirs)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.0, 0.2, 1.0, 2.0])
@pytest.mark.parametrize("text", [TEXT, "unbelievable", "日本語 é☃☃"])
def test_unigram_draws_as_sentencepiece_and_as_its_probabilities_say(
    unigram: tc.Tokenizer, text: str, alpha: float, tmp_path: Path
) -> None:
    reference = reference_processor(unigram, tmp_path)
    theirs = drawn(lambda: reference.encode(text, enable_sampling=True, alpha=alpha, nbest_size=-1))
    found = sample(unigram, text, DRAWS, alpha=alpha)
    assert_alike(Counter({tuple(cut.ids): cut.times for cut in found.cuts}), theirs)
    for cut in found.cuts[:20]:
        expected = DRAWS * cut.probability
        assert abs(cut.times - expected) < 8 * sqrt(expected) + 8


def test_probabilities_of_a_short_text_add_up_to_one(unigram: tc.Tokenizer) -> None:
    found = sample(unigram, "the", 50_000, alpha=0.5)
    assert sum(cut.probability for cut in found.cuts) == pytest.approx(1, abs=1e-6)
    model = unigram.model
    assert isinstance(model, Unigram)
    lattice = model.lattice(" the")
    paths = lattice.n_best(1000)
    assert len(paths) == len(found.cuts)
    total = sum(exp(0.5 * path.score) for path in paths)
    best = exp(0.5 * paths[0].score) / total
    assert max(cut.probability for cut in found.cuts) == pytest.approx(best, rel=1e-6)


def test_the_ends_of_the_scale(
    byte_level: tc.Tokenizer, characters: tc.Tokenizer, unigram: tc.Tokenizer
) -> None:
    for text in (*CORPUS[:3], "", " ", "x<|end|>y", "☃"):
        for tokenizer in (byte_level, characters):
            nothing_dropped = sample(tokenizer, text, 3, dropout=0.0)
            [cut] = nothing_dropped.cuts
            assert (cut.ids, cut.times) == (tokenizer.encode_ids(text), 3)
            assert nothing_dropped.canonical_share == 1
        [whole] = sample(byte_level, text, 3, dropout=1.0).cuts
        assert [byte_level.vocabulary.piece(id) for id in whole.ids] == [
            bytes([byte]) for byte in text.encode()
        ]
        [best] = sample(unigram, text, 3, alpha=1000.0).cuts
        assert best.ids == unigram.encode_ids(text)


@given(st.text(max_size=40), st.floats(0, 1), st.integers(0, 1 << 40))
def test_every_cut_is_of_the_text(
    byte_level: tc.Tokenizer, characters: tc.Tokenizer, unigram: tc.Tokenizer,
    text: str, share: float, seed: int,
) -> None:  # fmt: skip
    for tokenizer in (byte_level, characters, unigram):
        whole = tokenizer.decode_bytes(tokenizer.encode_ids(text))
        found = sample(tokenizer, text, 5, dropout=share, alpha=share * 3, seed=seed)
        assert sum(cut.times for cut in found.cuts) == found.count == 5
        for cut in found.cuts:
            assert tokenizer.decode_bytes(cut.ids) == whole
        assert [cut.times for cut in found.cuts] == sorted((cut.times for cut in found.cuts), reverse=True)  # fmt: skip
        again = sample(tokenizer, text, 5, dropout=share, alpha=share * 3, seed=seed)
        assert [cut.ids for cut in again.cuts] == [cut.ids for cut in found.cuts]


def test_a_seed_gives_the_same_cuts_everywhere(
    byte_level: tc.Tokenizer, characters: tc.Tokenizer, unigram: tc.Tokenizer
) -> None:
    job = SamplingJob(byte_level, "the street", 1, dropout=0.5, seed=11)
    pieces = ["|".join(byte_level.vocabulary.surface(id) for id in job.draw()) for _ in range(3)]
    assert pieces == ["t|h|e| s|tre|et", "the| |s|t|re|e|t", "the| s|tre|et"]
    job = SamplingJob(characters, "the street", 1, dropout=0.5, seed=11)
    pieces = ["|".join(characters.vocabulary.surface(id) for id in job.draw()) for _ in range(2)]
    assert pieces == ["▁|t|h|e|▁|s|t|reet", "▁|t|he|▁|st|re|et"]
    job = SamplingJob(unigram, "the street", 1, alpha=0.2, seed=11)
    pieces = ["|".join(unigram.vocabulary.surface(id) for id in job.draw()) for _ in range(2)]
    assert pieces == ["▁the|▁street", "▁the|▁street"]


def test_added_tokens_stay_whole(byte_level: tc.Tokenizer) -> None:
    end = byte_level.special_tokens["<|end|>"]
    found = sample(byte_level, "the<|end|>other", 50, dropout=0.7, special=True)
    assert len(found.cuts) > 5
    assert all(cut.ids.count(end) == 1 for cut in found.cuts)
    assert 5 < found.tokens < 9


def test_it_goes_in_steps(byte_level: tc.Tokenizer) -> None:
    job = SamplingJob(byte_level, TEXT, 3000, dropout=0.3)
    with pytest.raises(tc.TokenariumError, match="call step"):
        _ = job.cuts
    steps = 0
    while not job.finished:
        job.step(0.05)
        steps += 1
    assert steps > 2
    assert job.cuts.count == 3000


def test_what_cannot_be_drawn_is_refused(byte_level: tc.Tokenizer) -> None:
    wordpiece = tc.train("wordpiece", CORPUS, vocab_size=200)
    with pytest.raises(tc.UnsupportedError, match="longest entry"):
        sample(wordpiece, "the")
    for wrong in ({"dropout": 1.5}, {"dropout": float("nan")}, {"alpha": -1.0}, {"alpha": float("inf")}):  # fmt: skip
        with pytest.raises(tc.ArgumentError):
            sample(byte_level, "the", **wrong)  # type: ignore[arg-type]
    with pytest.raises(tc.ArgumentError, match="At least one"):
        sample(byte_level, "the", 0)
    with pytest.raises(tc.UnsupportedError, match="Choose a part"):
        sample(byte_level, "a" * (LONGEST + 1))


@pytest.mark.skipif(not tc.COMPILED, reason="takes long where it is interpreted")
def test_real_vocabularies(data: Path, tiktoken_cache: Path, tmp_path: Path) -> None:
    text = "Tokenization of unbelievable naïve strings, 日本語"
    gpt2 = tc.open("gpt2")
    reference = reference_tokenizer(gpt2, tmp_path, 0.2)
    theirs = drawn(lambda: reference.encode(text, add_special_tokens=False).ids, 5000)
    assert_alike(ours(gpt2, text, 5000, dropout=0.2), theirs)
    path = next(data.glob("tokenizers/**/*emma*.model"))
    gemma, processor = tc.open(path), sentencepiece.SentencePieceProcessor(model_file=str(path))
    sentencepiece.set_random_generator_seed(3)
    theirs = drawn(lambda: processor.encode(text, enable_sampling=True, alpha=0.2, nbest_size=-1), 5000)  # fmt: skip
    assert_alike(ours(gemma, text, 5000, dropout=0.2), theirs)
