"""A GGUF file beside the tokenizer of its model: the same ids, or how many tokens more."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import gguf_files
import pytest
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands.cli import app
from tokenarium.models.diagnosis.diagnosis import Level
from tokenarium.models.diagnosis.diagnosis_gguf import same_model
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

SHIPPED = {shipped.id: shipped.path for shipped in SHIPPED_TOKENIZERS}


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hub"
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    return folder


def in_hub(hub: Path, repository: str, tokenizer: tc.Tokenizer) -> None:
    folder = hub / f"models--{repository.replace('/', '--')}" / "snapshots" / "c"
    folder.mkdir(parents=True)
    tokenizer.save(folder / "tokenizer.json", format="huggingface")


def model_file(path: Path, pre: str | None, name: str = "Small Model") -> tc.Tokenizer:
    def more(writer: Any) -> None:
        writer.add_string("general.name", name)

    path.parent.mkdir(exist_ok=True)
    original = tc.open(SHIPPED["bpe-gpt2-8k"])
    return tc.open(gguf_files.of_merges(path, original, pre, more))


def test_the_same_ids(hub: Path, tmp_path: Path) -> None:
    in_hub(hub, "other/model", tc.train("bpe", ["low lower " * 50], vocab_size=300))
    in_hub(hub, "owner/small-model", tc.open(SHIPPED["bpe-gpt2-8k"]))
    finding = same_model(model_file(tmp_path / "x" / "m.gguf", "gpt-2"))
    assert finding.level is Level.FINE
    assert (
        finding.sentence == f"All {len(load_samples())} samples have the ids of owner/small-model."
    )


@pytest.mark.slow
@pytest.mark.parametrize("pre", ["default", None])
def test_the_default_pattern(pre: str | None, hub: Path, tmp_path: Path) -> None:
    original = tc.open(SHIPPED["bpe-gpt2-8k"])
    in_hub(hub, "owner/small-model", original)
    opened = model_file(tmp_path / "x" / "m.gguf", pre)
    finding = same_model(opened)
    texts = [sample.text() for sample in load_samples()]
    here = sum(len(opened.encode_ids(text)) for text in texts)
    there = sum(len(original.encode_ids(text)) for text in texts)
    assert here > there
    assert finding.level is Level.WRONG_IDS
    assert (
        f"owner/small-model: {(here - there) / there * 100:.1f} % more tokens over all"
        in finding.sentence
    )
    assert finding.sentence.endswith("is llama.cpp's default, not the model's.")
    assert finding.count == sum(
        opened.encode_ids(text) != original.encode_ids(text) for text in texts
    )
    for case in finding.evidence:
        assert case.text
        assert any(case.text in text for text in texts)


def test_beside_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    opened = model_file(folder / "m.gguf", "llama-bpe")
    assert same_model(opened).level is Level.UNKNOWN
    tc.open(SHIPPED["bpe-gpt2-8k"]).save(folder / "tokenizer.json", format="huggingface")
    finding = same_model(opened)
    assert finding.level is Level.WRONG_IDS
    assert "different ids with model: " in finding.sentence
    assert finding.sentence.endswith("the one that llama.cpp has for “llama-bpe”.")


def test_other_files_are_not_compared() -> None:
    assert same_model(tc.open(SHIPPED["bpe-gpt2-8k"])).level is Level.UNKNOWN


def test_the_command_line(tmp_path: Path) -> None:
    """A file of any size is opened and inspected by its beginning; its hash would take minutes."""
    opened = model_file(tmp_path / "model" / "m.gguf", "default")
    path = opened.source.files[0]
    found = CliRunner().invoke(app, ["diagnose", str(path), "--only", "same_model", "--json"])
    assert json.loads(found.stdout)["findings"][0]["level"] == "not-examined"
    before = CliRunner().invoke(app, ["inspect", str(path), "--json"])
    assert before.exit_code == 0
    assert "not computed" not in before.stdout
    if os.name != "nt":
        os.truncate(path, 3_000_000_000)  # a hole: the tensors of a model
        large = CliRunner().invoke(app, ["inspect", str(path), "--json"])
        assert "not computed, since the file is 3.0 GB" in large.stdout
        assert large.exit_code == 0
