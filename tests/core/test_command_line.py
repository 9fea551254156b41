"""The command line of the core: what it writes for people and for programs, its errors, and what it imports."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.command_line import main
from tokenarium_core.command_values import IdList, ids_in, list_text, option_value
from tokenarium_core.training import Option

WORDS = "a word and another word, and words again; und wörter\n" * 20
TEXT = "word wörter\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tokenizer of our own, as a Hugging Face file."""
    return saved(
        tc.train("bpe", [WORDS], vocab_size=290),
        tmp_path_factory.mktemp("trained") / "small.json",
        format="huggingface",
    )


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Returns what a command writes."""
    main([str(argument) for argument in arguments])
    return capsys.readouterr().out


def values(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """Returns what a command writes as JSON."""
    return json.loads(run(capsys, *arguments, "--json"))


def fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """Returns the sentence with which a command ends."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 1
    sentence = capsys.readouterr().err
    assert "Traceback" not in sentence
    return sentence


def test_encode_and_decode(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = tc.open(trained).encode_ids(TEXT)
    assert run(capsys, "encode", trained, TEXT).split() == [str(token) for token in ids]
    found = values(capsys, "encode", trained, TEXT)
    assert found["ids"] == ids
    assert b"".join(bytes.fromhex(token["bytes"]) for token in found["tokens"]) == TEXT.encode()
    assert found["tokens"][0]["span"][0] == 0
    shown = run(capsys, "encode", trained, TEXT, "--show").splitlines()
    assert shown[0].split() == ["id", "bytes", "span", "token"]
    assert len(shown) == len(ids) + 1
    assert values(capsys, "decode", trained, *ids)["text"] == TEXT
    assert values(capsys, "decode", trained, json.dumps(ids))["valid_utf8"] is True


def test_a_text_is_read_from_a_file_and_from_the_standard_input(
    trained: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(TEXT.encode())
    expected = run(capsys, "encode", trained, TEXT)
    assert run(capsys, "encode", trained, "--file", file) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert run(capsys, "encode", trained) == expected


def test_bytes_that_are_no_text_are_named(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    made = tc.train("bpe", [WORDS], vocab_size=260)
    made.save(tmp_path / "made.json")
    token = made.vocabulary.find(b"\xc3")
    main(["decode", str(tmp_path / "made.json"), str(token)])
    written = capsysbinary.readouterr()
    assert written.out == b"\xc3"
    assert "not UTF-8: byte 0 (0xC3)" in written.err.decode()


def test_count(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, encoding="utf-8", newline="")
    tokens = len(tc.open(trained).encode_ids(TEXT))
    (found,) = values(capsys, "count", trained, "--file", file)
    assert (found["tokens"], found["bytes"], found["characters"]) == (
        tokens,
        len(TEXT.encode()),
        len(TEXT),
    )
    rows = run(capsys, "count", trained, trained, "--text", TEXT).splitlines()
    assert [row.split()[0] for row in rows] == ["tokens", str(tokens), str(tokens)]
    assert values(capsys, "count", trained, "--text", "")[0]["bytes_per_token"] is None


def test_info(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = values(capsys, "info", trained, "--digests")
    assert found["format"] == "huggingface"
    assert found["entries"] == len(tc.open(trained).vocabulary)
    assert len(found["sha256"]["small.json"]) == 64
    assert "huggingface" in run(capsys, "info", trained)
    (entry,) = values(capsys, "info", trained, "Ġword")
    assert bytes.fromhex(entry["bytes"]) == b" word"
    assert "has no entry 'nothing'" in fails(capsys, "info", trained, "word", "nothing")
    assert "but not 99,999" in fails(capsys, "info", trained, "99999")


def test_a_trace_has_the_cuts_and_the_merges(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = values(capsys, "trace", trained, TEXT)
    assert found["ids"] == tc.open(trained).encode_ids(TEXT)
    assert "".join(cut["text"] for cut in found["pre_tokens"]) == found["normalized"] == TEXT
    merges = [event for event in found["events"] if event["kind"] == "merge"]
    assert len(TEXT.encode()) - len(merges) == len(found["ids"])
    assert "merge" in run(capsys, "trace", trained, TEXT)


@pytest.mark.parametrize("algorithm", ["bpe", "unigram", "wordpiece"])
def test_train_and_convert(
    algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "words.txt").write_text(WORDS, encoding="utf-8")
    out = tmp_path / "made.json"
    allowed = ("--allow-differences",) if algorithm == "unigram" else ()
    options = ("--option", "normalization=identity", *allowed) if allowed else ()
    command = ("train", tmp_path / "texts", "-a", algorithm, "-n", 280, "--out", out, *options)
    if algorithm != "bpe":
        command = tuple(40 if part == 280 else part for part in command)
    found = values(capsys, *command)
    assert found["files"] == [str(out)]
    assert found["entries"] == len(tc.open(out).vocabulary)
    obstacles = values(capsys, "convert", out)
    format = next(name for name in ("huggingface", "sentencepiece") if not obstacles[name])
    to = tmp_path / "other.any"
    assert str(to) in run(capsys, "export", out, "--out", to, "--format", format, *allowed)
    assert tc.open(to).encode_ids(TEXT) == tc.open(out).encode_ids(TEXT)


def test_formats_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert {one["name"] for one in values(capsys, "formats")} >= {"sentencepiece", "huggingface"}
    assert "normalization" in values(capsys, "train", "--options", "-a", "unigram")
    assert "character_coverage" in run(capsys, "train", "--options", "-a", "unigram")
    assert "usage" in run(capsys)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["encode", "nothing.json", "x"], "There is no file nothing.json"),
        (["encode", "{trained}", "--file", "{folder}/none.txt"], "No such file"),
        (["encode", "{trained}", "x", "--file", "{trained}"], "a text or a file, not both"),
        (["encode", "{trained}", "--file", "{folder}/latin.txt"], "latin.txt is not UTF-8: byte 1"),
        (["decode", "{trained}", "1", "two"], "'two' is not an id"),
        (["decode", "{trained}", "99999"], "99,?999"),
        (["train", "--out", "x.json"], "nothing to train on"),
        (["train", "{trained}"], "name the file to write with --out"),
        (["train", "{trained}", "-a", "other", "--out", "x.json"], "'other' is not an algorithm"),
        (["train", "{trained}", "--out", "{folder}/x.other"], "to no format: choose"),
        (["train", "{trained}", "--out", "{folder}/no/x.json"], "there is no folder"),
        (["train", "{folder}/no", "--out", "{folder}/x.json"], "does not exist"),
        (["train", "{folder}", "-o", "a=1", "--out", "{folder}/x.json"], "'a=1' is not an option"),
        (["convert", "{trained}", "{folder}/x.other"], "to no format: choose one with --format"),
        (["convert", "{trained}", "x.json", "--format", "other"], "'other' is not a format"),
        (["convert", "{trained}", "x.json", "--out", "y.json"], "name only one, with --out"),
        (
            ["convert", "{trained}", "--out", "x.tiktoken", "--format", "gpt2"],
            "is a name of tiktoken",
        ),
        (["train", "{trained}", "--out", "x.gguf"], "reads but does not write"),
    ],
)
def test_an_error_is_a_sentence(
    arguments: list[str],
    sentence: str,
    trained: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "latin.txt").write_bytes("für".encode("latin-1"))
    filled = [part.format(trained=trained, folder=tmp_path) for part in arguments]
    assert re.search(sentence, fails(capsys, *filled))


def test_ids_as_they_are_written() -> None:
    assert ids_in("tensor([1, 2], dtype=torch.int64)") == IdList((1, 2), ())
    assert ids_in("1 -2 x").others == ("-2", "x")
    assert ids_in("1,2").checked() == [1, 2]


@pytest.mark.parametrize(
    "values", [[], ["a"], ["a", "b"], ["a,b"], [" a"], ["\n"], [""], ['["x"]'], ["[PAD]", "[UNK]"]]
)
def test_a_list_is_read_as_it_is_written(values: list[str]) -> None:
    assert option_value(Option("a", ["x"], ""), list_text(values)) == values


def test_a_value_of_an_option() -> None:
    assert option_value(Option("a", 5, ""), "1,000") == 1000
    assert option_value(Option("a", ["x"], ""), "y, z,") == ["y", "z"]
    assert option_value(Option("a", ["x"], ""), '["a,b", " c"]') == ["a,b", " c"]
    assert option_value(Option("a", ["x"], ""), "[PAD], [UNK]") == ["[PAD]", "[UNK]"]
    assert option_value(Option("a", ["x"], ""), "[" * 100_000) == ["[" * 100_000]
    with pytest.raises(tc.TokenariumError, match="a takes yes or no, such as no, not “1”"):
        option_value(Option("a", False, ""), "1", "a")


def test_the_start_imports_nothing_large() -> None:
    """Neither what the app has, nor what a training alone needs: the command line has to start at once."""
    code = (
        "import sys\nfrom tokenarium_core.command_line import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'PySide6', 'numpy', 'google', 'sentencepiece', 'tiktoken', 'asyncio', 'shutil',"
        # From 3.14 on, argparse itself imports these two, to colour its help.
        " *(() if '_colorize' in sys.modules else ('dataclasses', 'inspect'))} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert done[0].startswith(f"tokenarium-core {tc.__version__}, ")
    assert done[1] == "[]"
