"""Files are whole or not there, under any name, whatever else is there, and with other writers."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path

import pytest
from small_files import new_folder
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.errors import WriteError
from tokenarium_core.whole_files import PART_NAME, WholeFile, part_path, replace_files, write_files

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


def test_files_beside_it_stay(tmp_path: Path) -> None:
    """As the `<name>.part` of another program."""
    (tmp_path / "t.json.part").write_bytes(b"kept")
    LOWER.save(tmp_path / "t.json")
    assert (tmp_path / "t.json.part").read_bytes() == b"kept"
    assert sorted(os.listdir(tmp_path)) == ["t.json", "t.json.part"]


needs_links = pytest.mark.skipif(
    sys.platform == "win32", reason="links and modes are those of POSIX"
)


@needs_links
@pytest.mark.parametrize("there", [True, False], ids=["whole", "broken"])
def test_a_link_stays_and_what_it_leads_to_is_written(there: bool, tmp_path: Path) -> None:
    other = new_folder(tmp_path / "other")
    target = other / "real.json"
    if there:
        target.write_bytes(b"old")
    (tmp_path / "second").symlink_to(Path("other", "real.json"))
    (tmp_path / "t.json").symlink_to("second")
    for data in (b"one", b"two"):
        write_files({tmp_path / "t.json": data})
        assert target.read_bytes() == data
    assert os.readlink(tmp_path / "t.json") == "second"
    assert sorted(os.listdir(tmp_path)) == ["other", "second", "t.json"]
    assert os.listdir(other) == ["real.json"]  # and no part
    assert part_path(tmp_path / "t.json").parent == other


@needs_links
def test_links_in_a_circle_and_into_nothing_are_said(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "c").symlink_to(Path("gone", "t.json"))
    for name in "ac":
        with pytest.raises(WriteError, match=rf"{name} cannot be written: .*\.$"):
            write_files({tmp_path / name: b"abc"})
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]


@needs_links
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o755, 0o444, 0o666])
def test_what_is_replaced_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(mode)
    link.symlink_to(real)
    file = WholeFile(link)
    assert file.part.stat().st_mode & 0o777 & ~mode == 0  # no one can read more meanwhile
    file.write(b"new")
    file.finish()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == mode


@needs_links
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may")
def test_an_administrator_leaves_the_owner_and_a_link_of_another_in_a_shared_folder(
    tmp_path: Path,
) -> None:
    real, shared = tmp_path / "real", tmp_path / "shared"
    real.write_bytes(b"old")
    os.chown(real, 1234, 2345)
    write_files({real: b"new"})
    assert (real.stat().st_uid, real.stat().st_gid) == (1234, 2345)
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "t").symlink_to(real)
    os.lchown(shared / "t", 1234, 2345)
    with pytest.raises(WriteError, match="it is a link of another user"):
        write_files({shared / "t": b"theirs"})
    assert real.read_bytes() == b"new"
    os.lchown(shared / "t", 0, 0)
    write_files({shared / "t": b"ours"})
    assert real.read_bytes() == b"ours"


@needs_links
def test_a_part_on_another_disk_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a folder was made beside a link, and the files go to what it leads to."""
    part, target = tmp_path / "part", tmp_path / "target"
    part.write_bytes(b"new")
    target.write_bytes(b"old")
    real = os.replace

    def replace(one: Path, other: Path) -> None:
        if one == part:
            raise OSError(errno.EXDEV, "another disk")
        real(one, other)

    monkeypatch.setattr("os.replace", replace)
    replace_files([(part, target)])
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["target"]


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
    folder = new_folder(part_path(target))
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
