"""A registered tokenizer is opened by ``name@version`` from the app's index, which is only read."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.formats import registered
from tokenarium_core.formats.registered import INDEX, LAYOUT, ChangedError, kept_file, stored_name

TEXT = "low lower lowest"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    folder = registered.store_folder()
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return saved(
        tc.train("bpe", [TEXT] * 5, vocab_size=260), tmp_path / "own.json", format="huggingface"
    )


def written(store: Path, content: object, layout: int = LAYOUT) -> None:
    """Writes an index with one tokenizer, own@1, as the app does."""
    with closing(sqlite3.connect(store / INDEX)) as index, index:
        index.execute("create table registered (name, version, content, files)")
        index.execute("insert into registered values ('own', '1', ?, '')", (content,))
        index.execute(f"pragma user_version = {layout}")


def entry(file: Path) -> str:
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    files = [{"path": str(file), "sha256": digest, "size": 1}]
    return json.dumps({"source": str(file), "pattern": "", "files": files})


def test_it_opens_by_name_and_version(store: Path, file: Path) -> None:
    written(store, entry(file))
    before = (store / INDEX).read_bytes()
    tokenizer = tc.open("own@1")
    assert tokenizer.name == "own@1"
    assert tokenizer.encode_ids(TEXT) == tc.open(file).encode_ids(TEXT)
    assert (store / INDEX).read_bytes() == before
    assert os.listdir(store) == [INDEX]


def test_a_file_of_that_name_comes_first(
    store: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(store, entry(file))
    monkeypatch.chdir(tmp_path)
    file.rename(tmp_path / "own@1")
    (opened,) = tc.open("own@1").source.files
    assert opened.name == "own@1"


def test_a_changed_file_is_refused(store: Path, file: Path) -> None:
    written(store, entry(file))
    before = file.read_bytes()
    digest = hashlib.sha256(before).hexdigest()
    file.write_bytes(before + b"\n")
    with pytest.raises(
        ChangedError, match=f"has changed. Expected: SHA-256 {digest}; found: .* Put"
    ):
        tc.open("own@1")
    copy = kept_file(store, stored_name(str(file), digest))
    copy.parent.mkdir(parents=True)
    copy.write_bytes(before)
    file.unlink()
    with pytest.raises(ChangedError, match=r"is gone. .*: tokenarium registry restore own@1."):
        tc.open("own@1")


def test_other_files_than_the_registered_ones_are_refused(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    path = saved(
        tc.train("bpe", [TEXT] * 5, vocab_size=260), folder / "tokenizer.json", format="huggingface"
    )
    files = json.loads(entry(path))["files"]
    written(store, json.dumps({"source": str(folder), "pattern": "", "files": files}))
    assert tc.open("own@1").name == "own@1"
    files.append({"path": str(folder / "config.json"), "sha256": files[0]["sha256"]})
    (folder / "config.json").write_bytes(path.read_bytes())
    with closing(sqlite3.connect(store / INDEX)) as index, index:
        content = json.dumps({"source": str(folder), "pattern": "", "files": files})
        index.execute("update registered set content = ?", (content,))
    with pytest.raises(
        ChangedError, match=r"files that were not registered, such as .*config.json"
    ):
        tc.open("own@1")


def test_a_pattern_beside_it_is_refused(store: Path, file: Path) -> None:
    written(store, entry(file))
    with pytest.raises(tc.ArgumentError, match="own@1 is registered with its pattern"):
        tc.open("own@1", pattern="gpt2")


def make_pipe(store: Path) -> None:
    os.mkfifo(store / INDEX)


def make_garbage(store: Path) -> None:
    (store / INDEX).write_bytes(b"no database" * 100)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda store: None, tc.NotAvailable, "own@1 is not registered in .*: tokenarium registry list"),
        (lambda store: written(store, "{}", LAYOUT - 1), tc.NotAvailable, "is not registered"),
        (lambda store: written(store, "{}", LAYOUT + 1), tc.TokenariumError, "by a later Tokenarium"),
        (lambda store: written(store, "{}"), tc.TokenariumError, "has a damaged entry for own@1"),
        (lambda store: written(store, None), tc.TokenariumError, "has a damaged entry for own@1"),
        (lambda store: written(store, "[" * 9000), tc.TokenariumError, "has a damaged entry"),
        (make_pipe, tc.TokenariumError, "index.sqlite cannot be read: .*pipe.* own@1 is not opened"),
        (make_garbage, tc.TokenariumError, "index.sqlite cannot be read: file is not a database"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_index_is_said(
    store: Path, make: Callable[[Path], None], error: type[Exception], said: str
) -> None:
    make(store)
    before = os.listdir(store)
    with pytest.raises(error, match=said):
        tc.open("own@1")
    assert os.listdir(store) == before


def test_without_the_app_it_says_where_tokenizers_are_registered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TOKENARIUM_DATA", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "platformdirs", None)
    with pytest.raises(tc.NotAvailable, match=re.escape("pip install tokenarium")):
        tc.open("own@1")
