"""Exports with proof: what is proved is put in its place, what is not leaves no file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from narrowed import of_kind
from small_files import saved, write_file

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.tokenizers import export_proof
from tokenarium.models.tokenizers.export_proof import ExportRequest, export, export_file
from tokenarium.models.tokenizers.references import TiktokenReference, reference_for
from tokenarium_core.progress import Progress

TEXT = sample_text("mixed") + "<|end|> 1234"


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    corpus = [sample_text("prose-en"), sample_text("prose-de")]
    return tc.train("bpe", corpus, vocab_size=500, pattern="gpt2", special_tokens=["<|end|>"])


@pytest.mark.parametrize(
    ("format", "name", "files", "library"),
    [
        ("huggingface", "t.json", ["t.json"], "tokenizers"),
        ("tiktoken", "t.tiktoken", ["t.tiktoken", "t.pattern.json"], "tiktoken"),
        ("gpt2", "encoder.json", ["encoder.json", "vocab.bpe"], "tokenizers"),
        ("tokenarium", "t.json", ["t.json"], ""),
    ],
)
def test_what_is_proved_comes_to_its_place(
    tokenizer: tc.Tokenizer,
    tmp_path: Path,
    format: str,
    name: str,
    files: list[str],
    library: str,
) -> None:
    stages: list[Progress] = []
    proof = export(tokenizer, format, tmp_path / name, TEXT, stages.append)
    assert [path.name for path in proof.files] == files
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)
    assert proof.library.split(" ")[0] == library
    assert proof.characters == len(TEXT) - len("<|end|>")
    assert "identical on" in proof.sentence
    assert stages[0].phase.startswith("Writing")


def test_a_special_token_with_a_blank_is_proved_too(tmp_path: Path) -> None:
    """OpenAI's own reader of the pair takes none; Hugging Face's does."""
    tokenizer = tc.train(
        "bpe", [TEXT], vocab_size=300, pattern="gpt2", special_tokens=["<end of text>"]
    )
    proof = export(tokenizer, "gpt2", tmp_path / "encoder.json", TEXT)
    assert proof.library.split(" ")[0] == "tokenizers"


def test_a_format_that_cannot_hold_it_says_why(tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(tc.TokenariumError, match="This tokenizer has different stages"):
        export(tokenizer, "sentencepiece", tmp_path / "t.model", TEXT)
    assert list(tmp_path.iterdir()) == []


def test_a_reference_that_disagrees_stops_the_export(
    tokenizer: tc.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(TiktokenReference):
        def ids(self, text: str) -> Sequence[int]:
            ids = list(super().ids(text))
            return [*ids[:-1], 0] if "4" in text else ids

    def wrong(tokenizer: tc.Tokenizer, special: bool) -> TiktokenReference:
        reference = of_kind(reference_for(tokenizer, special), TiktokenReference)
        return Wrong(reference._encoding, special)

    target = write_file(tmp_path / "t.tiktoken", "what was there before")
    monkeypatch.setattr(export_proof, "reference_for", wrong)
    with pytest.raises(tc.TokenariumError, match=r"gives different ids from character .*“Model”"):
        export(tokenizer, "tiktoken", target, TEXT)
    assert [path.name for path in tmp_path.iterdir()] == ["t.tiktoken"]
    assert target.read_text() == "what was there before"


def test_a_folder_that_cannot_be_written_is_reported(
    tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    with pytest.raises(tc.TokenariumError, match=r"cannot be written: .* Choose another folder"):
        export(tokenizer, "tokenarium", tmp_path / "none" / "t.json", TEXT)


def test_it_works_from_files_alone(tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    source = saved(tokenizer, tmp_path / "source.json")
    text = write_file(tmp_path / "text.txt", TEXT)
    target = tmp_path / "made.json"
    request = ExportRequest(str(source), "", "made", "huggingface", target, text)
    proof = export_file(lambda doing: None, request)
    assert proof.files == (target,)
    assert tc.open(target).encode_ids("a test") == tokenizer.encode_ids("a test")
