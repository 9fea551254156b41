"""Tokenizers in archives, in repositories of a Hugging Face cache and in pipelines are those of their files."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from patching import patch_all
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.formats import archives
from tokenarium_core.formats.chat_part import chat_of
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer
from tokenarium_core.formats.places import folders_of
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import packed, varint
from tokenarium_core.trace import Trace

TEXT = "the low tokens <|end|>"


@pytest.fixture
def made(tmp_path: Path) -> tuple[bytes, list[int]]:
    """Returns a tokenizer.json and the ids of the text."""
    tokenizer = tc.train("bpe", ["the low tokens of the lowest"] * 3, vocab_size=270)
    path = tmp_path / "made" / "tokenizer.json"
    path.parent.mkdir()
    tokenizer.save(path)
    return path.read_bytes(), tc.open(path).encode_ids(TEXT)


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix in (".gz", ".tgz") else "w") as archive:
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return path


@pytest.mark.parametrize("name", ["small.zip", "small.tgz"])
def test_a_class_without_a_vocabulary(name: str, tmp_path: Path) -> None:
    write = zipped if name.endswith(".zip") else tarred
    settings = b'{"tokenizer_class": "ByT5Tokenizer"}'
    path = write(tmp_path / name, {"byt5/tokenizer_config.json": settings})
    assert is_tokenizer(path)
    assert tc.open(path).encode_ids("hi") == [107, 108]


@pytest.mark.parametrize("name", ["small.zip", "small.tar", "small.tar.gz", "small.tgz"])
def test_a_folder_in_an_archive(name: str, made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    content, ids = made
    write = zipped if name.endswith(".zip") else tarred
    members = {
        "model/weights.bin": b"\1" * 9_000,
        "model/tokenizer.json": content,
        "model/tokenizer_config.json": b'{"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": "hi"}',
    }
    path = write(tmp_path / name, members)
    assert is_tokenizer(path)
    assert foreign_kind(path) is None
    tokenizer = tc.open(path)
    assert tokenizer.encode_ids(TEXT) == ids
    assert tokenizer.name == "small"
    assert (tokenizer.source.path, tokenizer.source.files) == (str(path), [path])
    assert tokenizer.decode(tokenizer.encode_ids(TEXT)) == TEXT
    assert list(tokenizer.encode(TEXT, trace=Trace()).ids) == ids
    copy = saved(tokenizer, tmp_path / "copy.tokenarium.json")
    assert tc.open(copy).encode_ids(TEXT) == ids


def test_all_settings_are_unpacked(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    """What a folder reads beside its vocabulary, an archive has too."""
    files = {
        "vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nlow\nthe\n",
        "config.json": b'{"model_type": "bert"}',
        "tokenizer_config.json": b'{"tokenizer_class": "BertTokenizer", "do_lower_case": false}',
        "special_tokens_map.json": b'{"unk_token": "[UNK]"}',
        "added_tokens.json": b'{"<more>": 7}',
        "chat_template.jinja": b"hello",
    }
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    plain, packed = tc.open(folder), tc.open(zipped(tmp_path / "same.zip", files))
    assert packed.get_vocab() == plain.get_vocab()
    assert packed.encode_ids("low Low<more>", special="all") == plain.encode_ids(
        "low Low<more>", special="all"
    )
    assert packed.encode_ids("<more>", special="all") == [7]
    assert chat_of(packed)["templates"] == {"default": "hello"}


def test_a_bundle_of_mediapipe(tmp_path: Path) -> None:
    tokenizer = tc.train("unigram", ["the low tokens of the lowest"] * 3, vocab_size=40)
    model = saved(tokenizer, tmp_path / "spiece.model", "sentencepiece")
    path = zipped(
        tmp_path / "small.task", {"TF_LITE": b"\0", "TOKENIZER_MODEL": model.read_bytes()}
    )
    assert is_tokenizer(path)
    opened = tc.open(path)
    assert opened.encode_ids(TEXT) == tc.open(model).encode_ids(TEXT)
    assert opened.name == "small"


@pytest.mark.parametrize("enabled", [varint(7 << 3) + varint(1), packed(7, b"\1")])
def test_the_description_of_a_bundle(enabled: bytes, tmp_path: Path) -> None:
    tokenizer = tc.train("unigram", ["the low tokens of the lowest"] * 3, vocab_size=40)
    model = saved(tokenizer, tmp_path / "spiece.model", "sentencepiece").read_bytes()
    affixes = packed(1, b"Be brief.") + packed(2, b"<user>\n") + packed(3, "<é>\n".encode())
    about = varint(2 << 3) + varint(40) + packed(5, b"<eos>") + packed(5, b"<end>")
    about += packed(6, b"<bos>") + packed(8, affixes)
    members = {"TF_LITE_PREFILL_DECODE": b"\0", "TOKENIZER_MODEL": model, "METADATA": about}
    opened = tc.open(zipped(tmp_path / "small.task", members))
    assert opened.encode_ids(TEXT) == tokenizer.encode_ids(TEXT)
    rows = [(row.name, row.value) for row in opened.details if row.group == "prompt template"]
    assert rows == [
        ("session_prefix", "'Be brief.'"),
        ("prompt_prefix", r"'<user>\n'"),
        ("prompt_suffix", r"'<é>\n'"),
    ]
    rows = [(row.name, row.value) for row in opened.details if row.group == "bundle"]
    assert rows == [
        ("stop_tokens", "'<eos>'"),
        ("stop_tokens", "'<end>'"),
        ("start_token", "'<bos>'"),
    ]
    empty = tc.open(zipped(tmp_path / "empty.task", {**members, "METADATA": b""}))
    assert empty.encode_ids(TEXT) == tokenizer.encode_ids(TEXT)
    changed = zipped(tmp_path / "changed.task", {**members, "METADATA": enabled + about})
    with pytest.raises(tc.FormatError, match=r"^changed\.task writes the bytes of a text as"):
        tc.open(changed)
    damaged = zipped(tmp_path / "damaged.task", {**members, "METADATA": about[:-3]})
    with pytest.raises(tc.FormatError, match=r"^damaged\.task is damaged or cut off"):
        tc.open(damaged)


@pytest.mark.parametrize("write", [zipped, tarred])
def test_names_that_lead_out_are_passed_over(
    write: object, made: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    write = zipped if write is zipped else tarred
    content, _ = made
    names = [
        "../tokenizer.json",
        "/tmp/tokenizer.json",
        "a/../../tokenizer.json",
        "c:\\tokenizer.json",
    ]
    path = write(tmp_path / "out.zip", dict.fromkeys(names, content))
    with pytest.raises(
        tc.FormatError, match=r"out\.zip is a (ZIP|tar) archive without a tokenizer"
    ):
        tc.open(path)
    assert not (tmp_path / "tokenizer.json").exists()


def test_links_in_an_archive_are_passed_over(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as archive:
        about = tarfile.TarInfo("tokenizer.json")
        about.type, about.linkname = tarfile.SYMTYPE, str(tmp_path / "made" / "tokenizer.json")
        archive.addfile(about)
    with pytest.raises(tc.FormatError, match="without a tokenizer"):
        tc.open(path)


def test_the_chat_templates_are_those_in_the_archive(
    made: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    members = {}
    for one in ("a", "b"):
        members[f"{one}/tokenizer.json"] = made[0]
        members[f"{one}/tokenizer_config.json"] = b'{"chat_template": "hello %s"}' % one.encode()
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "a neighbour"}')
    path = zipped(tmp_path / "two.zip", members)
    for one in ("a", "b"):
        assert chat_of(tc.open(path / one))["templates"] == {"default": f"hello {one}"}
    bare = zipped(tmp_path / "bare.zip", {"tokenizer.json": made[0]})
    assert chat_of(tc.open(bare))["templates"] == {}
    wrong = zipped(
        tmp_path / "wrong.zip", {"tokenizer.json": made[0], "tokenizer_config.json": b"[7"}
    )
    assert tc.open(wrong).encode_ids(TEXT) == made[1]


def test_only_the_folder_that_is_asked_for_is_unpacked(
    made: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    path = zipped(tmp_path / "two.zip", {"a/tokenizer.json": made[0], "b/tokenizer.json": made[0]})
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)  # within the first member
    path.write_bytes(content)
    assert tc.open(path / "b").encode_ids(TEXT) == made[1]
    with pytest.raises(tc.FormatError, match="damaged"):
        tc.open(path / "a")


@pytest.mark.parametrize("name", ["two.zip", "two.tar.gz"])
def test_one_of_several_tokenizers(
    name: str, made: tuple[bytes, list[int]], tmp_path: Path
) -> None:
    """Each is opened by its folder in the archive, and dropped, each is added."""
    write = zipped if name == "two.zip" else tarred
    members = {f"{one}/tokenizer.json": made[0] for one in ("a", "b/c")}
    members |= {"b/c/old/tokenizer.json": made[0], "notes/merges.txt": b"#version: 0.2\n"}
    path = write(tmp_path / name, members)
    assert folders_of(path) == [path / "a", path / "b" / "c"]
    with pytest.raises(tc.FormatError, match=rf"several tokenizers: open one .*{name}/a, .*/b/c\."):
        tc.open(path)
    many = write(tmp_path / f"many.{name}", {f"d{n:02}/tokenizer.json": made[0] for n in range(17)})
    with pytest.raises(tc.FormatError, match=r"/d15, …\."):
        tc.open(many)
    for folder in folders_of(path):
        assert is_tokenizer(folder)
        opened = tc.open(folder)
        assert (opened.name, opened.encode_ids(TEXT)) == (folder.name, made[1])
        assert (opened.source.path, opened.source.files) == (str(folder), [path])
    for wrong in ("none", "notes", "a/deeper", "b/../a"):
        with pytest.raises(
            tc.TokenariumError, match=r"without a tokenizer .* in the folder|no file"
        ):
            tc.open(f"{path}/{wrong}")
    single = write(tmp_path / f"one.{name}", {"a/tokenizer.json": made[0]})
    assert folders_of(single) == [single]


def test_a_broken_archive_is_refused(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    for name in ("x.zip", "x.tgz", "x.tar"):
        write = zipped if name == "x.zip" else tarred
        content = write(tmp_path / name, {"tokenizer.json": made[0]}).read_bytes()
        whole = 512 + len(made[0]) if name == "x.tar" else len(content) - 48
        for size in range(600, whole, len(content) // 7):
            (tmp_path / name).write_bytes(content[:size])
            assert is_tokenizer(tmp_path / name), "so that opening it says what is wrong"
            with pytest.raises(tc.TokenariumError, match=r"\.$|\)\.?$"):
                tc.open(tmp_path / name)


@pytest.mark.parametrize("write", [zipped, tarred])
def test_bounds(
    write: object,
    made: tuple[bytes, list[int]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = zipped if write is zipped else tarred
    path = write(tmp_path / "big.zip", {"tokenizer.json": made[0], "a.txt": b"", "b.txt": b""})
    if tc.COMPILED:
        pytest.skip("the bounds are constants of compiled code")
    monkeypatch.setattr(archives, "MOST_BYTES", 100)
    with pytest.raises(tc.FormatError, match="is an archive with more than 0 MiB"):
        tc.open(path)
    patch_all(monkeypatch, archives, MOST_BYTES=1 << 20, MOST_MEMBERS=2)
    with pytest.raises(tc.FormatError, match=r"is an archive with .* members"):
        tc.open(path)


def test_what_is_too_large_by_the_list_is_not_unpacked(
    made: tuple[bytes, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "big.zip", {"tokenizer.json": made[0], "a.txt": b""})
    content = bytearray(path.read_bytes())
    size_at = content.index(b"PK\x01\x02") + 24
    content[size_at : size_at + 4] = struct.pack("<L", 600 << 20)
    path.write_bytes(content)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    assert is_tokenizer(path)
    with pytest.raises(tc.FormatError, match="is an archive with more than 256 MiB of tokenizer"):
        tc.open(path)


def test_the_list_of_members_is_bounded_before_it_is_read(
    made: tuple[bytes, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "big.zip", {"tokenizer.json": made[0], "a.txt": b""})
    content = path.read_bytes()
    end = content.rindex(b"PK\x05\x06")
    library = zipfile.ZipFile
    monkeypatch.setattr(zipfile, "ZipFile", None)  # it does not come to the library

    def said(at: int, code: str, value: int) -> str:
        number = struct.pack(code, value)
        path.write_bytes(content[: end + at] + number + content[end + at + len(number) :])
        with pytest.raises(tc.FormatError, match=r"\.$") as raised:
            tc.open(path)
        assert is_tokenizer(path), "so that opening it says what is wrong"
        return str(raised.value)

    assert "is an archive with 60,000 members" in said(10, "<H", 60_000)
    assert "a list of members of 16,777,216 bytes" in said(12, "<L", 1 << 24)
    assert "damaged, cut off, or encrypted" in said(12, "<L", 1 << 20)
    monkeypatch.setattr(zipfile, "ZipFile", library)
    path.write_bytes(content)
    assert tc.open(path).encode_ids(TEXT) == made[1]


def test_ends_of_archives(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    """A comment, and the records of ZIP64, are gone over as in the library."""
    path = zipped(tmp_path / "a.zip", {"tokenizer.json": made[0]})
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"a comment"
    assert tc.open(path).encode_ids(TEXT) == made[1]
    content = zipped(path, {"tokenizer.json": made[0]}).read_bytes()
    at = content.rindex(b"PK\x05\x06")
    count, length, start = struct.unpack_from("<HLL", content, at + 10)
    long = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, start)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(content[:at] + long + locator + end)
    assert zipfile.ZipFile(path).namelist() == ["tokenizer.json"]
    assert tc.open(path).encode_ids(TEXT) == made[1]
    assert is_tokenizer(path)


def cached(tmp_path: Path, content: bytes) -> Path:
    """Makes the folder of a repository as huggingface_hub does: snapshots with links to blobs."""
    top = tmp_path / "hub" / "models--some--small"
    for commit in ("1" * 40, "2" * 40):
        (top / "snapshots" / commit).mkdir(parents=True)
    (top / "blobs").mkdir()
    (top / "blobs" / "abc").write_bytes(content)
    (top / "refs").mkdir()
    (top / "refs" / "main").write_text("1" * 40)
    (top / "snapshots" / ("1" * 40) / "tokenizer.json").symlink_to("../../blobs/abc")
    return top


def test_a_repository_of_the_cache(
    made: tuple[bytes, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = cached(tmp_path, made[0])
    assert is_tokenizer(top)
    tokenizer = tc.open(top)
    assert (tokenizer.name, tokenizer.encode_ids(TEXT)) == ("some/small", made[1])
    assert tokenizer.source.path == str(top)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert tc.open("some/small").name == "some/small"
    (top / "snapshots" / ("1" * 40) / "vocab.txt").symlink_to(tmp_path / "made" / "tokenizer.json")
    with pytest.raises(tc.FormatError, match="leads out of the cache"):
        tc.open(top)


def test_a_pipeline(made: tuple[bytes, list[int]], tmp_path: Path) -> None:
    top = tmp_path / "pipeline"
    (top / "tokenizer").mkdir(parents=True)
    (top / "model_index.json").write_text("{}")
    (top / "tokenizer" / "tokenizer.json").write_bytes(made[0])
    assert is_tokenizer(top)
    tokenizer = tc.open(top)
    assert (tokenizer.name, tokenizer.encode_ids(TEXT)) == ("pipeline", made[1])
    (top / "tokenizer_2").mkdir()
    (top / "tokenizer_2" / "tokenizer.json").write_bytes(made[0])
    assert is_tokenizer(top)
    assert [one.name for one in folders_of(top)] == ["tokenizer", "tokenizer_2"]
    with pytest.raises(tc.FormatError, match="open one of its folders tokenizer, tokenizer_2"):
        tc.open(top)
