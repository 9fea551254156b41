"""Files are whole or not there, under any name, whatever else is there, and with other writers."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.errors import WriteError
from tokenarium_core.whole_files import PART_NAME, WholeFile, part_path, write_files

pytestmark = pytest.mark.core

OTHER = of_pieces([b"lo", b"we", b"st"], "gpt2")


def test_a_part_has_a_name_that_is_known_by_its_form(tmp_path: Path) -> None:
    names = ["a", "a.json", ".hidden", "x" * 255, "é" * 127, "new\nline", "…".join("abc")]
    parts = [part_path(tmp_path / name) for name in names for _ in range(9)]
    assert len(set(parts)) == len(parts)
    for part in parts:
        assert PART_NAME.fullmatch(part.name)
        assert part.parent == tmp_path
        part.write_bytes(b"")  # no name is too long
    for name in [
        *names,
        "a.part",
        ".a.part",
        "a.0123456789abcdef.part",
        ".a.0123456789ABCDEF.part",
    ]:
        assert not PART_NAME.fullmatch(name)


def test_the_mode_is_that_of_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_files({tmp_path / "whole": b"abc"})
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_files_beside_it_stay_and_no_link_is_followed(tmp_path: Path) -> None:
    """As the `<name>.part` of another program, and as a link of that name."""
    for name in ("t.json.part", "elsewhere"):
        (tmp_path / name).write_bytes(b"kept")
    (tmp_path / "t.json").symlink_to(tmp_path / "elsewhere")
    LOWER.save(tmp_path / "t.json")
    assert tc.open(tmp_path / "t.json").encode_ids("lower") == LOWER.encode_ids("lower")
    assert (tmp_path / "elsewhere").read_bytes() == b"kept"
    assert (tmp_path / "t.json.part").read_bytes() == b"kept"
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "t.json", "t.json.part"]


@pytest.mark.parametrize(
    "name", ["folder", "missing/t.json", "file/t.json", "nul\0.json", "x" * 300]
)
def test_what_cannot_be_written_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"kept")
    for save in (LOWER.save, lambda path: WholeFile(path).drop()):
        with pytest.raises(WriteError, match=r"folder, not a file|cannot be written: .*\.$"):
            save(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="a device or a pipe, not a file"):
        LOWER.save(tmp_path / "pipe")
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("failing", [0, 1])
def test_all_or_none(failing: int, tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.write_bytes(b"old")
    paths[failing] = tmp_path / "missing" / "c"
    with pytest.raises(WriteError, match="missing"):
        write_files(dict.fromkeys(paths, b"new"))
    assert {path.read_bytes() for path in (tmp_path / "a", tmp_path / "b")} == {b"old"}
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_old_parts_of_a_file_are_swept(tmp_path: Path) -> None:
    """Those of other files are kept, and those that may still be written."""
    target = tmp_path / "a"
    old, fresh, others = part_path(target), part_path(target), part_path(tmp_path / "a.b")
    folder = part_path(target)
    folder.mkdir()
    (folder / "inner").write_bytes(b"x")
    for path in (old, fresh, others):
        path.write_bytes(b"x")
    for path in (old, others, folder):
        os.utime(path, (0, 0))
    write_files({target: b"new"})
    assert set(os.listdir(tmp_path)) == {"a", fresh.name, others.name}


def test_a_dropped_file_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    file = WholeFile(tmp_path / "a")
    file.write(b"new")
    file.drop()
    file.drop()
    assert (tmp_path / "a").read_bytes() == b"old"
    file = WholeFile(tmp_path / "a")
    file.write(b"new")
    file.finish()
    file.drop()
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


PAIRS = {"tiktoken": ("t.tiktoken", "t.pattern.json"), "gpt2": ("encoder.json", "vocab.bpe")}


def saved(folder: Path, format: str, tokenizer: tc.Tokenizer) -> dict[str, bytes]:
    """Returns the two files of a tokenizer."""
    folder.mkdir(exist_ok=True)
    tokenizer.save(folder / PAIRS[format][0], format=format)
    return {name: (folder / name).read_bytes() for name in PAIRS[format]}


def pair(format: str) -> list[tc.Tokenizer]:
    """Returns two tokenizers that a pair of files can hold, of equal size: halves of them go together."""
    texts = ["low lower lowest " * 9, "new newer newest " * 9]
    return [tc.train("bpe", [text], vocab_size=260, pattern="gpt2") for text in texts]


@pytest.mark.parametrize("format", PAIRS)
def test_halves_of_two_pairs_are_refused(format: str, tmp_path: Path) -> None:
    """As left by a process that is killed between the two."""
    one, other = pair(format)
    first = saved(tmp_path / "one", format, one)
    second = saved(tmp_path / "other", format, other)
    main, beside = PAIRS[format]
    for mixture in (
        {main: first[main], beside: second[beside]},
        {main: second[main], beside: first[beside]},
    ):
        for name, content in mixture.items():
            (tmp_path / name).write_bytes(content)
        with pytest.raises(tc.FormatError, match="replaced without the other"):
            tc.open(tmp_path / main)


def test_a_pair_without_a_hash_opens(tmp_path: Path) -> None:
    for format, (main, beside) in PAIRS.items():
        tokenizer = pair(format)[0]
        files = saved(tmp_path, format, tokenizer)
        lines = [line for line in files[beside].split(b"\n") if b"ranks_sha256" not in line]
        lines = [b"#version: 0.2" if line.startswith(b"#version") else line for line in lines]
        content = b"\n".join(lines).replace(b"},\n}", b"}\n}")
        assert content != files[beside]
        (tmp_path / beside).write_bytes(content)
        text = "lower lowest"
        assert tc.open(tmp_path / main).encode_ids(text) == tokenizer.encode_ids(text)


@pytest.mark.parametrize("format", PAIRS)
def test_several_savers_leave_one_whole_pair(format: str, tmp_path: Path) -> None:
    tokenizers = pair(format)
    expected = [saved(tmp_path / str(number), format, one) for number, one in enumerate(tokenizers)]
    path = tmp_path / PAIRS[format][0]

    def save(tokenizer: tc.Tokenizer) -> None:
        for _ in range(10):
            tokenizer.save(path, format=format)

    threads = [threading.Thread(target=save, args=[tokenizer]) for tokenizer in tokenizers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: (tmp_path / name).read_bytes() for name in PAIRS[format]} in expected
    assert not [name for name in os.listdir(tmp_path) if PART_NAME.fullmatch(name)]
