"""What a command does with text that cannot be read: it is named, counted, left out, and in the exit code."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_files import write_file
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands import compare
from tokenarium.commands.cli import app
from tokenarium.commands.reading import PARTLY, tokenizer_of
from tokenarium.models.text.text_file import SAMPLE

LINE = "größer und schöner " * 20 + "\n"
COUNT = 2 * SAMPLE // len(LINE.encode())
COMMANDS = {
    "train": ["train", "{}", "--vocab-size", "300", "--out", "made.json", "--json"],
    "count": ["count", "{}", "--out", "made.counts", "--json"],
    "compare": ["compare", "tokenarium-8k", "wordpiece-8k", "--file", "{}", "--json"],
    "encode-corpus": ["encode-corpus", "tokenarium-8k", "{}", "--out", "made", "--json"],
}


@pytest.mark.slow
@pytest.mark.parametrize("row", [100, COUNT - 100])  # in the sample of its beginning, and after it
@pytest.mark.parametrize("suffix", ["txt", "jsonl"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_byte_costs_its_line_and_is_named(
    command: str, suffix: str, row: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = LINE.encode()
    if suffix == "jsonl":
        line = json.dumps({"text": LINE}, ensure_ascii=False).encode() + b"\n"
    lines = [line] * COUNT
    path = write_file(Path(f"text.{suffix}"), b"".join(lines))
    arguments = [argument.replace("{}", str(path)) for argument in COMMANDS[command]]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    lines[row] = line.replace("ß".encode(), b"\xdf")
    path.write_bytes(b"".join(lines))
    arguments = [argument.replace("made", "again") for argument in arguments]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == PARTLY, done.output
    assert f"text.{suffix}: " in done.stderr
    assert "0xDF" in done.stderr
    if command == "compare":
        size = len(LINE.encode()) * (COUNT - 1)
        assert [row["bytes"] for row in json.loads(done.stdout)["rows"]] == [size] * 2
    if command == "encode-corpus":
        manifest = json.loads(Path("again/manifest.json").read_text("utf-8"))
        assert manifest["total"]["lines_left_out"] == 1
        assert "0xDF" in manifest["shards"][0]["sources"][0]["note"]
        assert manifest["total"]["characters"] == len(LINE) * (COUNT - 1)


@pytest.mark.slow
def test_compare_keeps_no_document() -> None:
    tokenizers = [tokenizer_of("tokenarium-8k")]

    def peak(count: int) -> int:
        def texts() -> Iterator[str]:
            for number in range(count):
                yield f"text {number} " * 10_000

        tracemalloc.start()
        sums = compare._sums(compare._tallies, tokenizers, texts())
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sums[0].texts == count
        return size

    peak(1)  # what is loaded once
    assert peak(12) < 1.2 * peak(3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
def test_a_text_is_one_document_and_its_ids_are_those_of_encode(name: str, tmp_path: Path) -> None:
    import gzip

    text = "a line\n\n  and more\r\n" * 100_000
    path = write_file(
        tmp_path / name, gzip.compress(text.encode(), 1) if name.endswith("gz") else text.encode()
    )
    done = CliRunner().invoke(app, ["compare", "tokenarium-8k", "--file", str(path), "--json"])
    [row] = json.loads(done.stdout)["rows"]
    tokenizer: tc.Tokenizer = tokenizer_of("tokenarium-8k")
    assert row["tokens"] == len(tokenizer.encode_ids(text))
