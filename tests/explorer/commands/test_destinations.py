"""The file that a command writes: how it is given, and which format its name means."""

from __future__ import annotations

import json
from pathlib import Path

import command_line
import pytest
from command_line import run
from narrowed import assert_contains
from tokenizers import Tokenizer as ReferenceTokenizer
from typer.testing import CliRunner

import tokenarium_core as tc

SHIPPED = "tokenarium-8k"
TEXT = "low lower lowest newer wider नमस्ते 12 345\n"


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A terminal in a folder with one text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT * 30, "utf-8")
    return CliRunner(env={"COLUMNS": "200"})


def refused(terminal: CliRunner, *arguments: str) -> str:
    """Returns the sentence of a command that must fail, and write no file."""
    before = sorted(Path().iterdir())
    sentence = command_line.refused(terminal, *arguments)
    assert sorted(Path().iterdir()) == before
    return sentence


@pytest.mark.slow
def test_tokenizer_json_is_hugging_faces(terminal: CliRunner) -> None:
    run(terminal, "train", "text.txt", "-n", "280", "--out", "tokenizer.json", "--no-keep")
    made = tc.open("tokenizer.json")
    assert made.source.format == "huggingface"
    library = ReferenceTokenizer.from_file("tokenizer.json")
    assert library.encode(TEXT).ids == made.encode_ids(TEXT)
    run(terminal, "count", "text.txt", "--out", "text.counts")
    Path("tokenizer.json").unlink()
    run(terminal, "train", "text.counts", "-n", "280", "--out", "tokenizer.json", "--no-keep")
    assert ReferenceTokenizer.from_file("tokenizer.json").encode(TEXT).ids == made.encode_ids(TEXT)
    run(terminal, "export", SHIPPED, "--out", "my-tokenizer.json")
    assert tc.open("my-tokenizer.json").source.format == "huggingface"
    run(terminal, "export", SHIPPED, "--out", "mine.json")
    assert tc.open("mine.json").source.format == "tokenarium"


def test_a_format_can_be_named(terminal: CliRunner) -> None:
    train = ("train", "text.txt", "-n", "280", "--no-keep")
    run(terminal, *train, "--out", "mine.json", "--format", "huggingface")
    assert tc.open("mine.json").source.format == "huggingface"
    run(terminal, *train, "--out", "mine.any", "--format", "tiktoken")
    assert tc.open("mine.any").source.format == "tiktoken"
    run(terminal, *train, "-o", "pattern=gpt2", "--out", "pair", "--format", "gpt2")
    assert {path.name for path in Path("pair").iterdir()} == {"encoder.json", "vocab.bpe"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "format", "sentence"),
    [
        ("tokenizer.json", "tokenarium", "is a name of Hugging Face tokenizer.json, and --format"),
        ("mine.tiktoken", "huggingface", "call it tokenizer.json"),
        ("mine.json", "tiktoken", "call it NAME.tiktoken"),
        ("tokenizer.model", "boundless", "is a name of SentencePiece model"),
        ("mine.json", "gpt2", "have fixed names: give encoder.json or vocab.bpe"),
        ("tekken.json", "", "Mistral's tekken.json, which this program reads but does not write"),
        ("mine.gguf", "", "GGUF model file, which this program reads but does not write"),
        ("vocab.json", "", "which are written as encoder.json and vocab.bpe"),
        ("mine.onnx", "", "belongs to no format: choose one with --format"),
        ("mine.json", "onnx", "'onnx' is not a format"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("train", "text.txt", "-n", "280", "--no-keep"),
        ("export", SHIPPED),
        ("change", SHIPPED, "--add", "<x>"),
        ("extend", SHIPPED, "--corpus", "text.txt", "--add", "1"),
        ("prune", SHIPPED, "--to-size", "8000"),
    ],
    ids=lambda command: str(command[0]),
)
def test_a_name_that_does_not_fit_is_refused_before_any_work(
    terminal: CliRunner, command: tuple[str, ...], name: str, format: str, sentence: str
) -> None:
    chosen = ["--format", format] if format else []
    assert sentence in refused(terminal, *command, "--out", name, *chosen)


def test_a_training_that_a_format_cannot_hold_is_written_beside(terminal: CliRunner) -> None:
    train = ["train", "text.txt", "-n", "280", "--no-keep", "--out", "mine.model"]
    said = command_line.refused(terminal, *train)
    assert_contains(
        said,
        "cannot be saved as SentencePiece model in mine.model",
        "It can be saved as NAME.json, tokenizer.json, NAME.tiktoken",
        "The training is in mine.json, which holds it exactly",
    )
    assert not Path("mine.model").exists()
    assert len(tc.open("mine.json").vocabulary) > 256


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["export", SHIPPED],
        ["change", SHIPPED, "--add", "<x>"],
        ["prune", SHIPPED, "--to-size", "7900"],
        ["extend", SHIPPED, "--corpus", "text.txt", "--add", "1"],
    ],
    ids=lambda command: str(command[0]),
)
def test_the_file_without_its_option_is_still_understood(
    terminal: CliRunner, command: list[str]
) -> None:
    given = json.loads(run(terminal, *command, "--out", "a.json", "--json"))
    before = json.loads(run(terminal, command[0], SHIPPED, "b.json", *command[2:], "--json"))
    assert (given["files"], before["files"]) == (["a.json"], ["b.json"])
    assert tc.open("a.json").encode_ids(TEXT) == tc.open("b.json").encode_ids(TEXT)
    both = refused(terminal, command[0], SHIPPED, "c.json", *command[2:], "--out", "d.json")
    assert "Two files are to be written, c.json and --out d.json" in both
    assert "[to]" not in run(terminal, command[0], "--help")


def test_change_has_to_know_where(terminal: CliRunner) -> None:
    assert "name the file to write with --out" in refused(
        terminal, "change", SHIPPED, "--add", "<x>"
    )


def test_nothing_is_held_out_unless_asked(
    terminal: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A training of counts and one of the texts give the same file, byte for byte."""
    monkeypatch.setattr("tokenarium.models.training.keeping.SMALL", 1)
    rows = [json.dumps({"text": f"row {number} low{number % 7}"}) for number in range(900)]
    Path("rows.jsonl").write_text("\n".join(rows))
    run(terminal, "count", "rows.jsonl", "--out", "rows.counts")
    train = ["-n", "300", "--no-keep", "--name", "x", "--json"]
    direct = json.loads(run(terminal, "train", "rows.jsonl", *train, "--out", "direct.json"))
    run(terminal, "train", "rows.counts", *train, "--out", "counted.json")
    assert direct["held_out"] == {"documents": 0, "bytes": 0}
    assert Path("direct.json").read_bytes() == Path("counted.json").read_bytes()
    held = json.loads(
        run(terminal, "train", "rows.jsonl", *train, "--out", "held.json", "--hold-out")
    )
    assert held["held_out"]["documents"] == 45


@pytest.mark.slow
def test_special_tokens_are_given_with_commas_one_by_one_or_as_json(terminal: CliRunner) -> None:
    given = {
        ("special_tokens=<a>,<b>",): ["<a>", "<b>"],
        ("special_tokens=<a>", "special_tokens=<b>, <c>"): ["<a>", "<b>", "<c>"],
        ('special_tokens=["<a,b>", "<c>"]',): ["<a,b>", "<c>"],
        ("special_tokens=[PAD],[UNK]",): ["[PAD]", "[UNK]"],
        ("special_tokens=<a>", "special_tokens=<a>"): ["<a>"],
    }
    for options, expected in given.items():
        chosen = [part for one in options for part in ("-o", one)]
        run(terminal, "train", "text.txt", "-n", "280", "--no-keep", "--out", "made.json", *chosen)
        assert sorted(tc.open("made.json").special_tokens) == sorted(expected), options
    twice = ("-o", "pattern=gpt2", "-o", "pattern=cl100k")
    said = refused(terminal, "train", "text.txt", "--no-keep", *twice)
    assert "pattern is given twice, as 'gpt2' and 'cl100k'" in said
    assert "write a JSON list" in " ".join(
        run(terminal, "train", "--help").replace("│", " ").split()
    )
