"""The estimate of a training's memory: what it reads, and that it grows as the corpus does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from narrowed import assert_contains, of_kind, there
from patching import patch_all
from small_files import write_file

import tokenarium_core as tc
from tokenarium.models.training import memory_estimate
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.memory_estimate import PROCESS, MemoryEstimate, estimate, rounded
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium_core.formats.registry import files_of
from tokenarium_core.training.algorithms import ALGORITHMS


def request(sources: list[CorpusSource], algorithm: str = "bpe") -> TrainingRequest:
    options = {option.name: option.default for option in ALGORITHMS[algorithm].options}
    return TrainingRequest("x", algorithm, 8000, options, sources, Path("/nowhere"))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_more_text_takes_more(tmp_path: Path, algorithm: str) -> None:
    found = []
    for size in (3_000, 30_000):
        path = write_file(tmp_path / f"{size}.txt", "".join(f"{n * n:x} " for n in range(size)))
        found.append(estimate(request([CorpusSource("file", str(path))], algorithm)))
    assert PROCESS < found[0].memory < found[1].memory
    assert 0 < found[0].distinct < found[1].distinct


def test_only_a_sample_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patch_all(monkeypatch, memory_estimate, SAMPLE=50_000, FROM_A_FILE=10_000)
    for number in range(30):
        words = " ".join(f"word{n}" for n in range(number * 1500, (number + 1) * 1500))
        (tmp_path / f"{number}.txt").write_text(words)
    found = estimate(request([CorpusSource("folder", str(tmp_path))]))
    assert found.corpus == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert 1_500 < found.distinct < 300_000
    half = estimate(
        replace(request([CorpusSource("folder", str(tmp_path))]), size=found.corpus // 2)
    )
    assert half.corpus == found.corpus // 2


def test_an_empty_corpus_is_no_trouble(tmp_path: Path) -> None:
    found = estimate(request([CorpusSource("folder", str(tmp_path))]))
    assert found.distinct == 0
    assert found.warns
    assert found.sentence.startswith("No text was found")


def test_what_does_not_fit_is_a_warning() -> None:
    large = MemoryEstimate(30_000_000_000, 12_345_678, 9_000_000_000, 24_000_000_000)
    assert large.too_large
    assert large.warns
    assert_contains(large.sentence, "30.0 GB", "24.0 GB")
    fits = MemoryEstimate(120_000_000, 310_456, 31_000_000, 24_000_000_000)
    assert not fits.warns
    assert fits.sentence == (
        "Takes about 120 MB of memory (about 310,000 different pre-tokens in 31 MB of text)."
    )
    assert not MemoryEstimate(10**12, 1, 1, 0).too_large  # where the system does not say
    assert rounded(7) == 7


def test_the_shares_are_known_before_anything_is_read(tmp_path: Path) -> None:
    for name, size in (("a", 1000), ("b", 3000)):
        (tmp_path / name).write_text("abcde fghi" * (size // 10))
    sources = [CorpusSource("file", str(tmp_path / name)) for name in "ab"]
    plain = estimate(request(sources))
    assert plain.shares == ((0.25, 0.25), (0.75, 0.75))
    assert plain.notes == ()
    weighted = [
        CorpusSource("file", str(tmp_path / "a"), 0.8),
        CorpusSource("file", str(tmp_path / "b"), 0.4),
    ]
    for asked in (request(weighted), other(weighted)):
        found = estimate(asked)
        assert [before for before, _ in found.shares] == [0.25, 0.75]
        assert [after for _, after in found.shares] == pytest.approx([2 / 3, 1 / 3])
        assert found.corpus == 1500
        assert_contains(found.sentence, "add up to 1.2", "the least text for its share")
    (tmp_path / "a").write_text("")
    assert "has no text, so its share would be empty" in estimate(request(weighted)).sentence


def other(sources: list[CorpusSource]) -> TrainingRequest:
    """Asks for a training by another library."""
    return TrainingRequest("x", "tokenizers:bpe", 8000, {}, sources, Path("/nowhere"))


def test_of_another_library_no_memory_is_said() -> None:
    found = estimate(other([CorpusSource("text", "some words")]))
    assert (found.memory, found.warns) == (0, False)
    assert found.sentence == "Trains on about 1 KB of text."


RARE = "".join(chr(0x4E00 + number) for number in range(300))
PLAIN = "some plain words of a text, with few letters " * 900


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-bpe", "wordpiece"])
@pytest.mark.parametrize("byte_fallback", [False, True])
def test_a_training_that_must_fail_is_known_before_and_each_remedy_helps(
    algorithm: str, byte_fallback: bool
) -> None:
    text = PLAIN + RARE
    options: dict[str, Any] = {
        option.name: option.default for option in ALGORITHMS[algorithm].options
    }
    if algorithm != "wordpiece":
        options |= {"character_coverage": 1.0, "byte_fallback": byte_fallback}
    asked = replace(
        request([CorpusSource("text", text)], algorithm), vocab_size=300, options=options
    )
    found = there(estimate(asked).obstacle)
    assert found.sentence.startswith("300 entries are too few")
    with pytest.raises(tc.TokenariumError, match="too small"):
        tc.train(algorithm, [text], vocab_size=300, **options)
    needed = of_kind(found.remedies[0].changes["vocab_size"], int)
    assert f"{needed:,}" in found.sentence
    assert found.remedies[0].text == f"Use {needed:,}"
    with pytest.raises(tc.TokenariumError, match="too small"):
        tc.train(algorithm, [text], vocab_size=needed - 1, **options)
    for remedy in found.remedies:
        changes = dict(remedy.changes)
        size = of_kind(changes.pop("vocab_size", 300), int)
        tc.train(algorithm, [text], vocab_size=size, **{**options, **changes})
        fits = replace(asked, vocab_size=size, options={**options, **changes})
        assert estimate(fits).obstacle is None
    if algorithm != "wordpiece":
        assert len(found.remedies) == 2
        assert found.remedies[1].text.startswith("Cover" if byte_fallback else "Turn on byte")


def test_of_a_large_corpus_a_sample_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_estimate, "CHECKED", 1000)
    asked = replace(request([CorpusSource("text", PLAIN + RARE)], "unigram"), vocab_size=9)
    found = there(estimate(asked).obstacle)
    assert "need at least" in found.sentence


@pytest.mark.parametrize("algorithm", ["bpe", "superbpe"])
def test_bytes_are_always_enough(algorithm: str) -> None:
    asked = replace(request([CorpusSource("text", PLAIN + RARE)], algorithm), vocab_size=300)
    assert estimate(asked).obstacle is None


def test_a_base_that_cannot_be_gone_on_from_is_known_before(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "unigram.model",
        files_of(tc.train("unigram", [PLAIN], vocab_size=60), "sentencepiece", "it").popitem()[1],
    )
    asked = request([CorpusSource("text", PLAIN)], "superbpe")
    asked = replace(asked, options={**asked.options, "base": str(path)})
    found = there(estimate(asked).obstacle)
    assert "is not plain byte-level BPE" in found.sentence
    assert found.remedies == ()
