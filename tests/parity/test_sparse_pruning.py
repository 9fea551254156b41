"""Sparse pruning gives the pieces of sentencepiece's own trainer, from the same seed.

Only sentencepiece's program ``spm_train`` has it, its Python package does not: see `SPM_TRAIN`. So `RESULTS` has what that program made,
of version 0.2.3 built from its source, and the program itself is run where there is one.

The pairs of words that are a corpus have counts of their own, so that no two pieces are expected equally often: where they are, rounding
decides which stay, in sentencepiece also the number of threads.
"""

from __future__ import annotations

import hashlib
import math
import os
import pydoc_data.topics
import shutil
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from narrowed import of_kind
from running import run_whole

from tokenarium.resources.parallel_index import load_translations
from tokenarium_core.training import UnigramRecord
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

SPM_TRAIN = os.environ.get("TOKENARIUM_SPM_TRAIN") or shutil.which("spm_train") or ""
"""sentencepiece's program: CMake builds it from the source of version 0.2.3."""

needs_program = pytest.mark.skipif(
    not SPM_TRAIN, reason="there is no spm_train: name one in TOKENARIUM_SPM_TRAIN"
)

Pieces = dict[str, float]
Summary = tuple[str, str, int, float]
"""The hashes of the seed and of the pieces, how many pieces there are, and the sum of their scores."""

AUTO: dict[str, Any] = {"auto_character_coverage": True, "byte_fallback": True}
CASES: dict[str, tuple[list[str], int, dict[str, Any]]] = {
    "plain": (["en", "de"], 600, {}),
    "biased": (["ja", "zh", "ko"], 600, {"post_l1_debias": False}),
    "no penalty": (["en", "de"], 800, {}),
    "bytes": (["en", "de"], 400, {"byte_fallback": True, "character_coverage": 0.98}),
    "auto": (["en", "de"], 300, AUTO),
    "across words": (["en", "de"], 300, {"split_by_whitespace": False}),
    "Chinese characters": (["ja", "zh", "ko"], 600, {}),
    "auto, Chinese characters": (["ja", "zh", "ko"], 500, AUTO),
    "auto, biased": (["ja", "zh", "ko"], 700, {**AUTO, "post_l1_debias": False}),
    "auto, symbols": (
        ["ja", "zh", "ko"], 400, {**AUTO, "user_defined_symbols": ["人", "é"]},
    ),
    "three scripts": (["hi", "ar", "ru"], 500, {}),
    "suffix": (
        ["hi", "ar", "ru"], 450, {"treat_whitespace_as_suffix": True, "normalization": "identity"},
    ),
    "auto, three scripts": (["hi", "ar", "ru"], 400, AUTO),
}  # fmt: skip
RESULTS: dict[str, Summary] = {
    "plain": ("a18f8e7a980ed249", "28664196ec8d99c8", 238, -1373.6),
    "biased": ("e6259d21b2bcd784", "5539782195941cf6", 537, -9335.62),
    "no penalty": ("a18f8e7a980ed249", "c55406c5587f9fb5", 800, -15262.75),
    "bytes": ("3bdd472c4af7ac38", "5344641f1c40ecde", 400, -1208.7),
    "auto": ("5970798f08ea3671", "596d7b4d6a08f245", 300, -191.85),
    "across words": ("2ba818bbbf28a72f", "79bef93ec16597f5", 277, -4069.64),
    "Chinese characters": ("e6259d21b2bcd784", "5539782195941cf6", 537, -9661.98),
    "auto, Chinese characters": ("4f16175def86c295", "6fb8bb155cda0d0d", 491, -2725.09),
    "auto, biased": ("4f16175def86c295", "bd195471123cfc90", 700, -7204.4),
    "auto, symbols": ("985c2c1c9f50ee5c", "ecd073c803acc5ed", 400, -746.89),
    "three scripts": ("492bba2d9621d0d2", "9556e8ed06058359", 393, -4634.6),
    "suffix": ("ea916927694ab160", "5f114a518d125a5e", 397, -4711.0),
    "auto, three scripts": ("492bba2d9621d0d2", "61991a5aaf067ad8", 400, -753.31),
}
"""Made by `theirs`; `test_the_program` checks them where the program is."""


def rows(languages: list[str]) -> list[str]:
    """Returns pairs of words of the sentences in some languages, each with a count of its own."""
    texts = [text for text in load_translations() if text.language in languages]
    words = " ".join(sentence for text in texts for sentence in text.sentences()).split()
    pairs = sorted(
        {f"{left} {right}" for left, right in zip(words[::2], words[1::2], strict=False)}
    )
    return [f"{pair}\t{1000 + zlib.crc32(pair.encode()) % 9000}" for pair in pairs]


def ours(lines: list[str], size: int, **options: Any) -> tuple[Pieces, list[str]]:
    """Returns the pieces of our training with their scores, and the seed as lines of sentencepiece's file of it."""
    record = UnigramRecord()
    trainer = run_whole(
        make_trainer(
            "unigram",
            ["\n".join(lines)],
            vocab_size=size,
            record=record,
            use_sparse_pruning=True,
            **options,
        )
    )
    seed = record.pieces(0)
    code, count = of_kind(trainer, UnigramTrainer).alphabet[0]
    total = count / math.exp(seed[chr(code)])
    found = [
        f"{text.replace(' ', '▁')}\t{round(math.exp(score) * total / len(text))}"
        for text, score in seed.items()
        if len(text) > 1  # sentencepiece adds the characters itself
    ]
    return pieces_of(of_kind(trainer, UnigramTrainer).model_file()), found


def pieces_of(model: bytes) -> Pieces:
    """Returns the pieces of a model with their scores."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return {
        processor.id_to_piece(token): processor.get_score(token) for token in range(len(processor))
    }


def theirs(
    folder: Path, lines: list[str], size: int, seed: list[str] | None, **options: Any
) -> Pieces:
    """Returns the pieces that spm_train makes, from a seed or its own."""
    (folder / "corpus.txt").write_text("\n".join([*lines, ""]), "utf-8")
    if seed is not None:
        (folder / "seed.tsv").write_text("\n".join([*seed, ""]), "utf-8")
        options["seed_sentencepieces_file"] = folder / "seed.tsv"
    options["normalization_rule_name"] = options.pop("normalization", "nmt_nfkc")
    flags = {
        "input": folder / "corpus.txt",
        "model_prefix": folder / "made",
        "vocab_size": size,
        "use_sparse_pruning": True,
        "hard_vocab_limit": False,
        "max_sentence_length": 1 << 20,
        "num_threads": 1,
        **options,
    }
    written = [
        f"--{name}={','.join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else value}"
        for name, value in flags.items()
    ]
    subprocess.run([SPM_TRAIN, *written], check=True, capture_output=True, timeout=300)
    return pieces_of((folder / "made.model").read_bytes())


def summary(seed: list[str], pieces: Pieces) -> Summary:
    """Returns what `RESULTS` has of pieces."""
    hashes = [
        hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]
        for texts in (seed, pieces)
    ]
    return hashes[0], hashes[1], len(pieces), round(sum(pieces.values()), 2)


@pytest.mark.parametrize("case", CASES)
def test_the_pieces_are_those_of_the_program(case: str) -> None:
    languages, size, options = CASES[case]
    pieces, seed = ours(rows(languages), size, input_format="tsv", **options)
    made = summary(seed, pieces)
    assert made[0] == RESULTS[case][0], "the seed is a different one: make the results again"
    assert made[:3] == RESULTS[case][:3]
    assert made[3] == pytest.approx(RESULTS[case][3], abs=0.05)


@needs_program
@pytest.mark.parametrize("case", CASES)
def test_the_program(tmp_path: Path, case: str) -> None:
    languages, size, options = CASES[case]
    lines = rows(languages)
    pieces, seed = ours(lines, size, input_format="tsv", **options)
    reference = theirs(tmp_path, lines, size, seed, input_format="tsv", **options)
    assert pieces == pytest.approx(reference, abs=1e-3)
    assert summary(seed, reference) == RESULTS.get(case)


def manual() -> list[str]:
    """Returns some 9,000 lines of English about Python, with code between."""
    text = "\n".join(pydoc_data.topics.topics.values())
    return [line for line in text.split("\n") if line.strip()]


@needs_program
def test_a_text_as_it_is(tmp_path: Path) -> None:
    """Some of its pieces are expected equally often; that changes none here."""
    lines = manual()[:3000]
    pieces, seed = ours(lines, 1000)
    reference = theirs(tmp_path, lines, 1000, seed)
    assert pieces == pytest.approx(reference, abs=1e-3)


@needs_program
@pytest.mark.parametrize(
    "options",
    [
        {},
        AUTO,
        {"seed_piece_length_power": 0.5},
        {"seed_piece_length_power": 0.0, "min_freq_alpha": 2.0},
        {"min_freq_alpha": 10.0},
    ],
)
def test_the_models_are_alike_from_other_seeds(tmp_path: Path, options: dict[str, Any]) -> None:
    """Its seed is of running text, ours of words."""
    lines = manual()
    pieces, _ = ours(lines[::2], 2000, **options)
    reference = theirs(tmp_path, lines[::2], 2000, None, **options)
    assert len(pieces) == pytest.approx(len(reference), rel=0.05)
    assert len(pieces.keys() & reference.keys()) > 0.7 * len(reference)
