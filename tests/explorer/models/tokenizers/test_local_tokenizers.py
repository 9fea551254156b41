"""Finding tokenizers on a made-up computer: caches, packages, folders, and obstacles."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from small_files import new_folder, write_file

import tokenarium_core as tc
from tokenarium.models.tokenizers import local_tokenizers
from tokenarium.models.tokenizers.local_tokenizers import (
    FOLDERS,
    HUB,
    PACKAGES,
    PLACES,
    TIKTOKEN,
    Limits,
    LocalTokenizer,
    Looked,
    family_of,
    find,
    hub_folder,
    tiktoken_folders,
    walk,
)
from tokenarium_core.formats.named import NAMED, cache_path
from tokenarium_core.formats.opening import is_tokenizer, tokenizers_in

TOKENIZER_JSON = b'{"version": "1.0", "truncation": null, "padding": null, "added_tokens": []}'
SENTENCEPIECE = b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02\n\x0c\n\x03<s>\x15\x00\x00\x00\x00"
RANKS = b"".join(base64.b64encode(bytes([b])) + b" %d\n" % b for b in range(256))
FILES = {
    "tokenizer.json": TOKENIZER_JSON,
    "tokenizer.model": SENTENCEPIECE,
    "tokenizer.model.v3": SENTENCEPIECE,
    "spiece.model": SENTENCEPIECE,
    "tekken.json": b'{"config": {"pattern": "x"}, "vocab": []}',
    "ranks.tiktoken": RANKS,
    "vocab.json": b'{"a": 0}',
    "encoder.json": b'{"a": 0}',
    "merges.txt": b"#version: 0.2\na b\n",
    "vocab.bpe": b"#version: 0.2\na b\n",
    "vocab.txt": b"[PAD]\n[UNK]\nthe\n",
    "mine.json": b'{\n"format": "tokenarium",\n"version": 1}',
    "other.json": TOKENIZER_JSON,
}


@pytest.fixture(autouse=True)
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with empty caches and no packages, which is not on any network."""
    for name in ("HF_HOME", "HUGGINGFACE_HUB_CACHE", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "ollama"))
    monkeypatch.setenv("LLAMA_CACHE", str(tmp_path / "llama.cpp"))
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(local_tokenizers.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    monkeypatch.setattr("importlib.metadata.distributions", lambda: iter(()))

    def forbidden(*args: object) -> None:
        raise AssertionError("Looking leaves the machine.")

    monkeypatch.setattr(socket, "socket", forbidden)
    return tmp_path


def put(folder: Path, *names: str, **contents: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(FILES[name])
    for name, content in contents.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


def tokenizers(folders: Sequence[Path] = ()) -> list[LocalTokenizer]:
    return [found for found in find(folders) if isinstance(found, LocalTokenizer)]


def looked(folders: Sequence[Path] = ()) -> dict[str, str]:
    return {found.place: found.note for found in find(folders) if isinstance(found, Looked)}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["tokenizer.json"], ["tokenizer.json: Hugging Face"]),
        (["tokenizer.model"], ["tokenizer.model: SentencePiece"]),
        (["tokenizer.model.v3"], ["tokenizer.model.v3: SentencePiece"]),
        (["tekken.json"], ["tekken.json: Tekken"]),
        (["ranks.tiktoken"], ["ranks.tiktoken: tiktoken"]),
        (["vocab.json", "merges.txt"], ["vocab.json: vocabulary and merges"]),
        (["encoder.json", "vocab.bpe"], ["encoder.json: vocabulary and merges"]),
        (["vocab.txt"], ["vocab.txt: vocab.txt"]),
        (["mine.json"], ["mine.json: Tokenarium"]),
        (["other.json"], ["other.json: Hugging Face"]),
        (
            ["tokenizer.json", "tokenizer.model"],
            ["tokenizer.json: Hugging Face", "tokenizer.model: SentencePiece"],
        ),
        (["tokenizer.json", "vocab.json", "merges.txt"], ["tokenizer.json: Hugging Face"]),
        (["tokenizer.json", "vocab.txt"], ["tokenizer.json: Hugging Face"]),
        (["vocab.json"], []),
        (["merges.txt"], []),
    ],
)
def test_files_are_known(tmp_path: Path, names: list[str], found: list[str]) -> None:
    put(tmp_path, *names)
    there = tokenizers_in(tmp_path, sorted(names))
    assert [f"{one.path.name}: {one.format.label}" for one in there] == found


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("content", [b"", b"\n", b"\x00\xff" * 40, b"[1, 2]", b"plain text\n" * 9])
def test_names_alone_are_not_believed(tmp_path: Path, name: str, content: bytes) -> None:
    put(tmp_path, "merges.txt", "vocab.bpe")
    (tmp_path / name).write_bytes(content)
    assert tokenizers_in(tmp_path, [name, "merges.txt"]) == []


@pytest.mark.parametrize(
    ("names", "given", "is_one"),
    [
        (["tokenizer.model"], "tokenizer.model", True),
        (["vocab.txt"], "vocab.txt", True),
        (["vocab.json", "merges.txt"], "merges.txt", True),
        (["merges.txt"], "merges.txt", True),  # opening it says what is missing
        (["tokenizer.json", "vocab.txt"], "vocab.txt", True),
        (["tokenizer.json"], "", True),
        ([], "", False),
        ([], "nowhere.model", False),
    ],
)
def test_what_is_dropped_is_known_by_its_content(
    tmp_path: Path, names: list[str], given: str, is_one: bool
) -> None:
    put(tmp_path, *names)
    assert is_tokenizer(tmp_path / given) is is_one


def test_a_text_is_no_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("[UNK]\n")
    (tmp_path / "vocab.txt").write_text("Words that I learnt\n")
    assert not is_tokenizer(tmp_path / "notes.txt")
    assert not is_tokenizer(tmp_path / "vocab.txt")


def test_a_folder_with_a_configuration_is_opened_as_a_whole(tmp_path: Path) -> None:
    put(tmp_path, "tokenizer.json", tokenizer_config__json="{}")
    (found,) = tokenizers_in(tmp_path, ["tokenizer.json", "tokenizer_config.json"])
    assert found.source == tmp_path
    assert found.path == tmp_path / "tokenizer.json"


def test_a_vocabulary_with_settings_is_opened_with_them(tmp_path: Path) -> None:
    names = ["special_tokens_map.json", "vocab.txt"]
    put(tmp_path, "vocab.txt")
    (alone,) = tokenizers_in(tmp_path, names[1:])
    put(tmp_path, special_tokens_map__json="{}")
    (found,) = tokenizers_in(tmp_path, names)
    assert (alone.source, found.source) == (tmp_path / "vocab.txt", tmp_path)


def test_the_hub_cache(computer: Path) -> None:
    repository = computer / "hub" / "models--google--gemma"
    blob = put(repository / "blobs", "tokenizer.json") / "tokenizer.json"
    for commit in ("aaa", "bbb"):
        snapshot = repository / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (snapshot / "tokenizer.json").symlink_to(blob)
        (snapshot / "config.json").write_text('{"model_type": "gemma3_text"}')
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("aaa")
    put(computer / "hub" / "datasets--x--y" / "snapshots" / "c", "tokenizer.json")
    put(computer / "hub" / "models--a--b" / "snapshots" / "c" / "tokenizer", "vocab.txt")
    assert [(one.name, one.place, one.format, one.family, one.size) for one in tokenizers()] == [
        ("a/b", HUB, "vocab.txt", "", len(FILES["vocab.txt"])),
        ("google/gemma", HUB, "Hugging Face", "gemma3_text", len(TOKENIZER_JSON)),
    ]
    assert tokenizers()[1].path.parent.name == "aaa"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HF_HUB_CACHE": "/a"}, "/a"),
        ({"HUGGINGFACE_HUB_CACHE": "/b"}, "/b"),
        ({"HF_HOME": "/c"}, "/c/hub"),
        ({"HF_HOME": "$HERE/c", "HERE": "/d"}, "/d/c/hub"),
        ({"XDG_CACHE_HOME": "/e"}, "/e/huggingface/hub"),
        ({}, "~/.cache/huggingface/hub"),
    ],
)
def test_where_the_hub_cache_is(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], folder: str
) -> None:
    for name in ("HF_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert hub_folder() == Path(folder).expanduser()


def test_the_hub_cache_is_where_huggingface_hub_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_CACHE")
    pytest.importorskip("huggingface_hub")
    ask = "from huggingface_hub import constants; print(constants.HF_HUB_CACHE)"
    command = [sys.executable, "-c", ask]  # it looks at the environment once in a process
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert hub_folder() == Path(answer.strip())


def test_tiktokens_cache(computer: Path, empty_cache: Path) -> None:
    empty_cache.mkdir()
    write_file(cache_path(NAMED["cl100k_base"].files[0]), RANKS)
    cache_path(NAMED["gpt2"].files[0]).write_bytes(b"half of it")
    default = computer / "tmp" / "data-gym-cache"
    default.mkdir(parents=True)
    o200k = write_file(default / cache_path(NAMED["o200k_base"].files[0]).name, RANKS)
    assert tiktoken_folders() == [empty_cache, default]
    found = {one.name: one for one in tokenizers()}
    assert {name: one.source for name, one in found.items()} == {
        "cl100k_base": "cl100k_base",
        "o200k_base": str(o200k),
        "o200k_harmony": str(o200k),
    }
    assert found["cl100k_base"].place == TIKTOKEN
    assert found["cl100k_base"].family == "GPT-3.5, GPT-4"


class Package:
    """An installed package, as importlib.metadata shows it."""

    def __init__(self, name: str, root: Path, files: Sequence[str]) -> None:
        self.metadata = {"Name": name}
        self._root = root
        self._record = "".join(f"{file},sha256=x,1\n" for file in files)

    def read_text(self, name: str) -> str | None:
        return self._record

    def locate_file(self, path: str) -> Path:
        return self._root / path


def test_packages_that_carry_tokenizers(computer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = put(computer / "site" / "mistral_common" / "data", "tekken.json", "tokenizer.model.v3")
    shutil.copy(data / "tekken.json", data / "tekken_240911.json")
    put(computer / "site" / "other", "tokenizer.model")
    packages = [
        Package(
            "mistral-common",
            computer / "site",
            [
                "mistral_common/__init__.py",
                "mistral_common/data/tekken_240911.json",
                "mistral_common/data/tokenizer.model.v3",
            ],
        ),
        Package("elsewhere", computer / "site", ["../../../bin/tokenizer.model", "gone/vocab.txt"]),
        Package("plain", computer / "site", ["plain/__init__.py"]),
    ]
    monkeypatch.setattr("importlib.metadata.distributions", lambda: iter(packages))
    before = set(sys.modules)
    found = tokenizers()
    assert [(one.name, one.path.name, one.place) for one in found] == [
        ("mistral-common: data", "tekken.json", PACKAGES),
        ("mistral-common: tekken_240911", "tekken_240911.json", PACKAGES),
        ("mistral-common: tokenizer.model.v3", "tokenizer.model.v3", PACKAGES),
    ]
    assert looked()[PACKAGES] == "3 packages"
    assert not {name for name in set(sys.modules) - before if "mistral" in name}


def test_folders_of_ones_own_are_looked_through(computer: Path) -> None:
    top = computer / "mine"
    put(top / "bert", "vocab.txt", tokenizer_config__json='{"tokenizer_class": "BertTokenizer"}')
    put(top / "deep" / "er", "spiece.model")
    put(top / ".hidden", "spiece.model")
    found = tokenizers([top])
    assert [(one.name, one.family, one.place) for one in found] == [
        ("bert", "Bert", FOLDERS),
        ("er", "", FOLDERS),
    ]


def test_it_says_what_it_looked_through(computer: Path) -> None:
    notes = looked([computer / "nowhere", computer])
    assert list(notes) == [FOLDERS, *PLACES[:-1]]  # a folder that was just named is not waited for
    assert notes[HUB] == "not there"
    assert notes[FOLDERS] == ""


def test_one_file_is_listed_once(computer: Path) -> None:
    top = put(computer / "mine", "spiece.model")
    (computer / "again").symlink_to(top, target_is_directory=True)
    assert len(tokenizers([top, computer / "again", top])) == 1


def test_a_ring_of_links_ends(computer: Path) -> None:
    top = put(computer / "ring" / "inside", "vocab.txt").parent
    (top / "inside" / "out").symlink_to(top, target_is_directory=True)
    (top / "itself").symlink_to(top / "itself")
    assert len(tokenizers([top])) == 1


def test_a_walk_has_an_end(tmp_path: Path) -> None:
    deepest = tmp_path / "/".join("abcdefghij")[:19]
    deepest.mkdir(parents=True)
    limits = Limits(depth=2)
    assert [folder.name for folder, _ in walk(tmp_path, limits)][1:] == ["a", "b"]
    assert limits.reached
    limits = Limits(entries=3)
    assert len(list(walk(tmp_path, limits))) == 4
    assert limits.reached
    limits = Limits(seconds=-1.0)
    assert list(walk(tmp_path, limits)) == []
    assert limits.reached
    limits = Limits(depth=20)
    assert len(list(walk(tmp_path, limits))) == 11
    assert not limits.reached


def test_it_stops_when_asked(computer: Path) -> None:
    put(computer / "mine", "vocab.txt", "spiece.model")
    asked: list[object] = []

    def stop() -> bool:
        asked.append(None)
        return len(asked) > 3

    assert len(list(find([computer / "mine"], stop))) < len(list(find([computer / "mine"])))


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that is closed")
def test_what_cannot_be_read_is_passed_over(computer: Path) -> None:
    top = put(computer / "mine", "vocab.txt")
    closed = put(top / "closed", "vocab.txt")
    closed.chmod(0)
    try:
        assert len(tokenizers([top])) == 1
    finally:
        closed.chmod(0o700)


def test_a_folder_that_goes_away_is_passed_over(
    computer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = put(computer / "mine", "vocab.txt")
    put(top / "closed", "vocab.txt")
    scan = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert len(tokenizers([top])) == 1


@pytest.mark.parametrize(
    ("config", "tokenizer_config", "family"),
    [
        ('{"model_type": "llama"}', '{"tokenizer_class": "GemmaTokenizer"}', "llama"),
        ("{}", '{"tokenizer_class": "GemmaTokenizerFast"}', "Gemma"),
        ("{}", '{"tokenizer_class": "PreTrainedTokenizerFast"}', ""),
        ("[" * 100_000, "not JSON", ""),
        ('{"model_type": 5}', "[]", ""),
        ('{"model_type": "' + "x" * 100 + '"}', "{}", ""),
    ],
)
def test_families(tmp_path: Path, config: str, tokenizer_config: str, family: str) -> None:
    put(tmp_path, config__json=config, tokenizer_config__json=tokenizer_config)
    assert family_of(tmp_path) == family


def test_what_is_found_can_be_opened(computer: Path) -> None:
    top = new_folder(computer / "mine")
    tc.train("bpe", ["abc abc"], vocab_size=258).save(top / "small.json")
    (found,) = tokenizers([top])
    assert len(tc.open(found.source).vocabulary) == 258
    assert json.loads(found.path.read_bytes())["format"] == "tokenarium"
