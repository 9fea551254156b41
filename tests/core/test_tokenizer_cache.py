"""The stored form of a large file opens as the file itself does, and never in place of another one."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import platformdirs
import pytest
import tiktoken
from librt.vecs import vec
from mypy_extensions import i32, i64, u8
from narrowed import there
from sentencepiece_models import SMALL, message, trained
from small_files import write_file
from tokenizer_facts import TEXT, facts

import tokenarium_core as tc
from tokenarium_core import tokenizer_cache
from tokenarium_core.formats import opening
from tokenarium_core.formats.named import NAMED, read_files
from tokenarium_core.formats.opening import cached_digest

pytestmark = pytest.mark.compiled


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, which is empty."""
    folder = tmp_path / "kept"
    monkeypatch.setenv(tokenizer_cache.VARIABLE, str(folder))
    return folder


def stored(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.exists() else []


def uses(folder: Path) -> list[tuple[int, int]]:
    """Returns the inode of each stored form, and when it was last used; these times are set back."""
    found = []
    for path in folder.iterdir():
        about = path.stat()
        found.append((about.st_ino, about.st_mtime_ns))
        os.utime(path, ns=(1, 1))
    return found


@pytest.mark.parametrize(
    "source",
    ["gemma3.model", "gemma3-tokenizer.json", "cl100k_base", "o200k_base", "o200k_harmony"],
)
def test_a_stored_file_is_the_file(
    data: Path, kept: Path, tiktoken_cache: Path, source: str
) -> None:
    path = str(data / "tokenizers" / source) if "." in source else source
    expected = facts(tc.open(path, cache=False))
    assert not stored(kept)
    first = tc.open(path)
    ((inode, _),) = uses(kept)
    again = tc.open(path)
    ((inode_again, time),) = uses(kept)
    assert inode_again == inode, "it is made again"
    assert time > 1, "it is not used"
    for tokenizer in (first, again):
        found = facts(tokenizer)
        for name, value in expected.items():
            assert found[name] == value, name


@pytest.mark.slow
def test_the_special_tokens_are_those_of_each_open(
    data: Path, kept: Path, tiktoken_cache: Path
) -> None:
    """Two encodings have the ranks of one file."""
    for name, more in (("o200k_base", {}), ("o200k_harmony", {}), ("o200k_base", {"<x>": 200_050})):
        tokenizer = tc.open(name, special_tokens=more)
        reference = tiktoken.get_encoding(name)
        assert tokenizer.special_tokens == {**reference._special_tokens, **more}
        assert tokenizer.encode_ids(TEXT) == reference.encode_ordinary(TEXT)
        assert len(stored(kept)) == 1
    with pytest.raises(tc.FormatError, match="which another entry of"):
        tc.open("o200k_base", special_tokens={"<x>": 5})


@pytest.mark.slow
def test_the_pattern_is_that_of_each_open(tmp_path: Path, kept: Path, tiktoken_cache: Path) -> None:
    ranks = read_files(NAMED["cl100k_base"])[0]
    path = write_file(tmp_path / "x.tiktoken", ranks)
    for _ in range(2):
        by_words = tc.open(path, pattern=r"\w+|\W+")
        assert by_words.encode_ids(TEXT) != tc.open(path).encode_ids(TEXT)
        assert tc.open(path).encode_ids(TEXT) == tc.open("cl100k_base").encode_ids(TEXT)
    assert len(stored(kept)) == 1


@pytest.mark.slow
def test_a_gap_among_ranks_is_that_of_a_special_token(
    tmp_path: Path, kept: Path, tiktoken_cache: Path
) -> None:
    """As in p50k_base. Without a special token there, it is refused, whatever is stored."""
    gap = 100_250
    lines = read_files(NAMED["cl100k_base"])[0].splitlines(keepends=True)
    path = write_file(tmp_path / "x.tiktoken", b"".join(lines[:gap] + lines[gap + 1 :]))
    ranks = {base64.b64decode(one): int(rank) for one, rank in (line.split() for line in lines)}
    pattern = tc.open("cl100k_base", cache=False).pre_tokenizer.pattern
    special = {"<gap>": gap, "<after>": 100_300}
    reference = tiktoken.Encoding(
        "x",
        pat_str=pattern,
        mergeable_ranks={piece: rank for piece, rank in ranks.items() if rank != gap},
        special_tokens=special,
    )
    text = f"{TEXT} a<gap>b<after>"
    for _ in range(2):
        tokenizer = tc.open(path, pattern=pattern, special_tokens=special)
        ids = tokenizer.encode(text, special="all").ids
        assert list(ids) == reference.encode(text, allowed_special="all")
        assert facts(tokenizer) == facts(
            tc.open(path, pattern=pattern, special_tokens=special, cache=False)
        )
        assert len(stored(kept)) == 1
        with pytest.raises(tc.FormatError, match="no entry of rank 100250"):
            tc.open(path, pattern=pattern)


def large_model(piece: str) -> bytes:
    """Returns a model so large that its tables are kept in the cache."""
    model = message([*SMALL, (piece, -0.1, 1)], kind=2)
    model.trainer_spec.input.append("x" * (1 << 20))
    content: bytes = model.SerializeToString()
    return content


@pytest.fixture
def kept_file(tmp_path: Path, kept: Path) -> Path:
    """A large file that was opened, with its stored form in the folder ``kept``."""
    path = write_file(tmp_path / "t.model", large_model("aab"))
    assert len(tc.open(path).encode_ids("aab")) == 1
    return path


def reader_of(path: Path, folder: Path) -> tokenizer_cache.CacheReader | None:
    """Returns a reader of the stored form, which is closed; None if there is none."""
    reader = tokenizer_cache.load(there(cached_digest(path)), "sentencepiece", folder)
    if reader is not None:
        reader.close()
    return reader


@pytest.mark.slow
@pytest.mark.parametrize("way", ["in place", "by another file"])
def test_a_file_swapped_with_its_time_and_size_kept(way: str, kept_file: Path, kept: Path) -> None:
    about = kept_file.stat()
    target = kept_file if way == "in place" else kept_file.with_name("other")
    os.utime(write_file(target, large_model("abb")), ns=(about.st_atime_ns, about.st_mtime_ns))
    target.replace(kept_file)
    assert kept_file.stat().st_mtime_ns == about.st_mtime_ns
    again = tc.open(kept_file)
    assert again.encode_ids("aab abb") == tc.open(kept_file, cache=False).encode_ids("aab abb")
    assert len(again.encode_ids("abb")) == 1
    assert len(stored(kept)) == 2


def test_a_copy_elsewhere_shares_it(kept_file: Path, kept: Path) -> None:
    folder = kept_file.parent / "elsewhere"
    folder.mkdir()
    copy = write_file(folder / "copy.model", kept_file.read_bytes())
    before = stored(kept)
    opened = tc.open(copy)
    assert (opened.name, opened.source.path) == ("copy", str(copy))
    assert stored(kept) == before
    content = (kept / before[0]).read_bytes()
    assert str(kept_file.parent).encode() not in content, "it has no path"


@pytest.mark.slow
def test_any_bit_that_is_damaged_is_noticed(kept_file: Path, kept: Path) -> None:
    (path,) = kept.iterdir()
    content = path.read_bytes()
    for at in [*range(0, 600, 7), *range(1000, len(content), 20_011), len(content) - 1]:
        for bit in (0, 7):
            damaged = bytearray(content)
            damaged[at] ^= 1 << bit
            path.write_bytes(damaged)
            assert not loads(kept_file, kept), at
    path.write_bytes(content)
    assert loads(kept_file, kept)


def loads(path: Path, folder: Path) -> bool:
    """Returns whether a file is opened from its stored form."""
    format = opening.FORMATS["sentencepiece"]
    file = opening.TokenizerFile(path, b"", "t")
    return opening._from_cache(format, file, folder) is not None


def test_that_of_another_file_is_not_used(kept_file: Path, kept: Path) -> None:
    (path,) = kept.iterdir()
    other = write_file(kept_file.with_name("other.model"), large_model("abb"))
    tc.open(other)
    path.replace(tokenizer_cache.stored_path(there(cached_digest(other)), kept))
    assert not loads(other, kept)
    assert len(tc.open(other).encode_ids("abb")) == 1


@pytest.mark.parametrize("size", [0, 10, 30, 60, 1000, -1])
def test_one_that_is_cut_off_is_made_again(kept_file: Path, kept: Path, size: int) -> None:
    (path,) = kept.iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:size])
    assert not loads(kept_file, kept)
    assert len(tc.open(kept_file).encode_ids("aab")) == 1
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "before", [b"tokenarium 6 ", b" little ", tc.__version__.encode(), b"sentencepiece"]
)
def test_one_of_another_program_is_made_again(kept_file: Path, kept: Path, before: bytes) -> None:
    (path,) = kept.iterdir()
    content = path.read_bytes()
    assert before in content[:150] or (before == b" little " and sys.byteorder == "big")
    path.write_bytes(content.replace(before, before.replace(b"e", b"f"), 1).replace(b" 6 ", b" 5 "))
    assert reader_of(kept_file, kept) is None
    assert len(tc.open(kept_file).encode_ids("aab")) == 1
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(tmp_path / "t.model", large_model("aab"))
    write_file(tmp_path / "file", "")
    for folder in ("file", "file/under"):
        monkeypatch.setenv(tokenizer_cache.VARIABLE, str(tmp_path / folder))
        assert len(tc.open(path).encode_ids("aab")) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_folder_that_cannot_be_written_can_be_read(kept_file: Path, kept: Path) -> None:
    kept.chmod(0o500)
    (path,) = kept.iterdir()
    path.chmod(0o400)
    user = os.geteuid()
    opened: list[bool] = []
    try:
        if user == 0:
            kept_file.parent.parent.chmod(0o755)
            os.chown(kept, 65534, -1)
            os.chown(path, 65534, -1)
        opened.append(loads(kept_file, kept))
    finally:
        kept.chmod(0o700)
    assert opened == [True]


def test_it_can_be_turned_off(
    kept_file: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stored(kept)
    write_file(kept_file, large_model("abb"))
    tc.open(kept_file, cache=False)
    assert stored(kept) == before
    monkeypatch.setenv(tokenizer_cache.VARIABLE, tokenizer_cache.OFF)
    assert tokenizer_cache.cache_folder() is None
    tc.open(kept_file)
    assert stored(kept) == before
    tc.open(kept_file, cache=tmp_path / "mine")
    assert len(stored(tmp_path / "mine")) == 1


def test_the_folder_of_the_user_is_that_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(tokenizer_cache.VARIABLE, raising=False)
    for named in ("", "  ", str(tmp_path)):
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        folder = platformdirs.user_cache_path("tokenarium", appauthor=False)
        assert tokenizer_cache.user_cache_folder() == folder
        assert tokenizer_cache.cache_folder() == folder / "opened"


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_none() -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv(tokenizer_cache.VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", find_none)
    assert tokenizer_cache.cache_folder() is None


def test_the_least_recently_used_are_removed(tmp_path: Path, kept: Path) -> None:
    names = ["aab", "abb", "bab"]
    paths = [write_file(tmp_path / f"{name}.model", large_model(name)) for name in names]
    digests = [there(cached_digest(path)) for path in paths]
    for number, (path, digest) in enumerate(zip(paths, digests, strict=True)):
        tc.open(path)
        assert tokenizer_cache.is_cached(digest, kept)
        os.utime(tokenizer_cache.stored_path(digest, kept), ns=(1, 1 + number))
    size = tokenizer_cache.stored_path(digests[0], kept).stat().st_size
    theirs = [write_file(kept / name, b"x" * size) for name in ("model.frozen", "a.txt")]
    tc.open(paths[0])  # so that the second is now the least recently used
    tokenizer_cache.prune(kept, size * 5 // 2)
    assert [tokenizer_cache.is_cached(digest, kept) for digest in digests] == [True, False, True]
    assert all(path.exists() for path in theirs), "they are of somebody else"


def test_small_files_are_not_kept(tmp_path: Path, kept: Path) -> None:
    path = write_file(tmp_path / "small.model", trained("bpe", normalization_rule_name="identity"))
    tc.open(path)
    assert (stored(kept), cached_digest(path)) == ([], None)


OPEN = """
import sys, tokenarium_core as tc
for _ in range(20):
    for path in sys.argv[1:]:
        ids = tc.open(path, cache=False).encode_ids("aab abb")
        assert tc.open(path).encode_ids("aab abb") == ids, path
"""


@pytest.mark.slow
def test_several_processes_write_at_once(tmp_path: Path, kept: Path) -> None:
    """Each removes what the others wrote, too."""
    names = ["aab", "abb"]
    paths = [str(write_file(tmp_path / f"{name}.model", large_model(name))) for name in names]
    command = [sys.executable, "-W", "error", "-c", OPEN, *paths]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    done = threading.Event()

    def remove() -> None:
        while not done.is_set():
            tokenizer_cache.prune(kept, 0)

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        assert [(process.communicate()[1], process.returncode) for process in processes] == [
            (b"", 0)
        ] * 3
    finally:
        done.set()
        remover.join()
    assert not [name for name in stored(kept) if name.endswith(".part")]


COLUMNS: list[tuple[str, Callable[[], object]]] = [
    ("i32s", lambda: vec[i32]([1, -2])),
    ("i64s", lambda: vec[i64]([1 << 62, -2])),
    ("u8s", lambda: vec[u8]([0, 255])),
    ("floats", lambda: vec[float]([0.5, -1e300])),
    ("i32s", vec[i32]),
    ("floats", vec[float]),
]


@pytest.mark.parametrize(("kind", "made"), COLUMNS)
def test_columns_come_back_as_they_went(kind: str, made: Callable[[], object]) -> None:
    writer = tokenizer_cache.CacheWriter()
    column = made()
    getattr(writer, kind)(column)
    again = getattr(tokenizer_cache.CacheReader(BytesIO(writer.getvalue())), kind)()
    assert (type(again), list(again)) == (type(column), list(column))  # type: ignore[call-overload]


def test_values_come_back_as_they_went() -> None:
    writer = tokenizer_cache.CacheWriter()
    writer.number(-7)
    writer.text("Ġ\ud800")
    writer.data(b"abc")
    writer.data(b"abc" * 9999)
    writer.text("")
    reader = tokenizer_cache.CacheReader(BytesIO(writer.getvalue()))
    values = (reader.number(), reader.text(), reader.data(), reader.data(), reader.text())
    assert values == (-7, "Ġ\ud800", b"abc", b"abc" * 9999, "")
    with pytest.raises(tc.FormatError, match="cut off"):
        reader.number()
