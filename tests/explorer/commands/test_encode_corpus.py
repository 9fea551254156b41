"""``tokenarium encode-corpus`` as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from narrowed import assert_contains
from small_files import new_folder, saved, write_file
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands import cli
from tokenarium.models.corpora import encoded_corpus


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.app, ["encode-corpus", *map(str, arguments)])


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = new_folder(tmp_path / "texts")
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"text number {number}\n" * 9)
    return folder


def test_a_folder_becomes_ids_in_the_order_of_its_files(texts: Path, tmp_path: Path) -> None:
    done = run("tokenarium-8k", texts, "--out", tmp_path / "out", "--end", "none", "--check")
    assert done.exit_code == 0, done.output
    assert "Checked: all hashes, and 3 documents with their texts." in done.output
    from tokenarium.commands.reading import tokenizer_of

    tokenizer = tokenizer_of("tokenarium-8k")
    wanted = [tokenizer.encode_ids(path.read_text()) for path in sorted(texts.iterdir())]
    ids = np.fromfile(tmp_path / "out" / "tokens-00000.bin", np.uint16)
    assert ids.tolist() == [token for one in wanted for token in one]


def test_an_interrupted_run_goes_on(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (
        "tokenarium-8k",
        texts,
        "--out",
        tmp_path / "out",
        "--end",
        "none",
        "--shard-size",
        "1",
    )
    encoded = encoded_corpus._Encoder.__call__
    calls = []

    def interrupted(*given: object) -> object:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return encoded(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(encoded_corpus._Encoder, "__call__", interrupted)
    assert run(*arguments).exit_code == 130
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".bin", ".json", ".npy"]
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    assert "1 of 3 shards already existed." in done.output
    assert len(calls) == 4  # the first shard was not encoded again
    assert json.loads(done.stdout.splitlines()[-1])["documents"] == 3


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (("--layout", "tar"), "There is no layout “tar”"),
        (("--end", "<|no|>"), "is neither a special token"),
        (("--end", "99999"), "is neither a special token"),
        (("--shard-size", "much"), "is not a size"),
    ],
)
def test_what_is_not_possible_is_said(
    texts: Path, tmp_path: Path, extra: tuple[str, str], said: str
) -> None:
    done = run("tokenarium-8k", texts, "--out", tmp_path / "out", *extra)
    assert done.exit_code == 1
    assert said in done.output
    assert not list(tmp_path.glob("out/*"))


def test_a_folder_with_other_shards_is_left_as_it_is(texts: Path, tmp_path: Path) -> None:
    arguments = (texts, "--out", tmp_path / "out", "--end", "none")
    assert run("tokenarium-8k", *arguments).exit_code == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    done = run("bpe-gpt2-8k", *arguments)
    assert done.exit_code == 1
    assert "holds the shards of another run" in done.output
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_no_text_is_said(tmp_path: Path) -> None:
    done = run("tokenarium-8k", tmp_path / "none", "--out", tmp_path / "out", "--end", "none")
    assert done.exit_code == 1
    assert "No file of the corpus can be read." in done.output


def test_a_field_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    from tokenarium.commands.terminal import PARTLY

    rows = tmp_path / "rows.jsonl"
    line = {"id": 1, "body": "some text", "meta": {"title": "more"}, "\ud800": "odd"}
    rows.write_text(f"{json.dumps(line)}\n" * 3)
    arguments = ("tokenarium-8k", rows, "--out", tmp_path / "out", "--end", "none", "--field")
    done = run(*arguments, "nope")
    assert done.exit_code == 1
    said = " ".join(done.output.split())
    assert_contains(
        said,
        "Nothing was read from the corpus.",
        "no text in the field “nope”; it has text in body, '\\ud800', meta.title",
    )
    assert not list((tmp_path / "out").iterdir())
    done = run(*arguments, "meta.title")  # in the same folder
    assert done.exit_code == 0, done.output
    (tmp_path / "blank.jsonl").write_text("\n\n")
    done = run(
        "tokenarium-8k", tmp_path / "blank.jsonl", "--out", tmp_path / "none", "--end", "none"
    )
    assert done.exit_code == 1
    assert "Its files are empty." in done.output
    other = write_file(tmp_path / "other.jsonl", '{"text": "fine"}\n')
    done = run("tokenarium-8k", rows, other, "--out", tmp_path / "two", "--end", "none")
    assert done.exit_code == PARTLY
    assert "it has text in body" in " ".join(done.output.split())


@pytest.mark.parametrize(
    "command",
    [
        ["train", "rows.jsonl", "-n", "270", "--no-keep"],
        ["count", "rows.jsonl", "--out", "x.counts"],
        ["compare", "tokenarium-8k", "--file", "rows.jsonl"],
        ["extend", "tokenarium-8k", "--corpus", "rows.jsonl"],
        ["extend", "tokenarium-8k", "--corpus", "rows.jsonl", "--out", "x.json"],
        ["prune", "tokenarium-8k", "--corpus", "rows.jsonl"],
    ],
    ids=lambda command: " ".join(command[:1]),
)
def test_no_command_takes_a_field_that_is_not_there(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text('{"body": "some text"}\n')
    done = CliRunner().invoke(cli.app, [*command, "--field", "nope"])
    assert done.exit_code == 1, done.output
    assert "no text in the field “nope”; it has text in body" in " ".join(done.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_what_a_killed_worker_leaves_of_a_shard_is_removed(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is killed cannot remove its part; here one is left while the last shard is written."""
    out = tmp_path / "out"
    encoded = encoded_corpus._Encoder.__call__

    def leaving(*given: object) -> object:
        (out / ".tokens-00000.bin.0123456789abcdef.part").write_bytes(b"left")
        return encoded(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(encoded_corpus._Encoder, "__call__", leaving)
    done = run("tokenarium-8k", texts, "--out", out, "--end", "none")
    assert done.exit_code == 0, done.output
    assert not list(out.glob(".*"))


def test_the_end_of_text_is_the_tokenizers_own(texts: Path, tmp_path: Path) -> None:
    source = saved(
        tc.train("bpe", ["some text"], vocab_size=260, special_tokens=["<|endoftext|>"]),
        tmp_path / "own.json",
        "huggingface",
    )
    done = run(source, texts, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    ids = np.fromfile(tmp_path / "out" / "tokens-00000.bin", np.uint16)
    end = tc.open(source).special_tokens["<|endoftext|>"]
    assert (ids == end).sum() == 3
    assert ids[-1] == end
