"""The registry: what is registered is opened by its name, and only while its files are the registered ones."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from narrowed import assert_contains

import tokenarium_core as tc
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import about_corpus, keep
from tokenarium.models.training.store import Store
from tokenarium.models.training.tokenizer_registry import (
    RegisteredState,
    TokenizerRegistry,
    check_registered,
    open_registered,
)
from tokenarium_core import NotAvailable, TokenariumError
from tokenarium_core.formats.registered import ChangedError

TEXT = "low lower lowest"


@pytest.fixture
def registry(tmp_path: Path) -> TokenizerRegistry:
    return TokenizerRegistry(Store(tmp_path / "store"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return saved(tmp_path / "own.json")


def saved(path: Path, size: int = 260) -> Path:
    tc.train("bpe", [TEXT] * 5, vocab_size=size).save(path, format="huggingface")
    return path


def add(registry: TokenizerRegistry, reference: str, path: Path, **more: str) -> None:
    registry.register(reference, tc.open(path), str(path), **more)


def test_a_registered_tokenizer_is_opened_by_its_name(
    registry: TokenizerRegistry, file: Path
) -> None:
    add(registry, "own@1", file, author=" A. Person ", note="first")
    found = registry.open("own@1")
    assert found.name == "own@1"
    assert found.encode_ids(TEXT) == tc.open(file).encode_ids(TEXT)
    (entry,) = registry.all()
    assert (entry.reference, entry.author, entry.note) == ("own@1", "A. Person", "first")
    assert (entry.source, entry.made_from) == (str(file), str(file))
    assert entry.entries == len(found.vocabulary)
    assert entry.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert registry.copy_of(entry.files[0]).read_bytes() == file.read_bytes()
    assert [one.reference for one in registry.of_file(file)] == ["own@1"]


def test_a_changed_file_is_refused_with_what_to_do(registry: TokenizerRegistry, file: Path) -> None:
    add(registry, "own@1", file)
    before = file.read_bytes()
    (entry,) = registry.all()
    file.write_bytes(before + b"\n")
    with pytest.raises(ChangedError) as caught:
        registry.open("own@1")
    sentence = str(caught.value)
    assert_contains(
        sentence,
        entry.sha256,
        hashlib.sha256(before + b"\n").hexdigest(),
        "tokenarium registry restore own@1",
    )
    assert registry.copy_of(entry.files[0]).is_file()
    assert "register what is there now as another version" in sentence
    assert registry.state(entry) is RegisteredState.CHANGED
    file.unlink()
    with pytest.raises(ChangedError, match="is gone"):
        registry.open("own@1")
    assert registry.state(entry) is RegisteredState.GONE
    file.write_bytes(registry.copy_of(entry.files[0]).read_bytes())
    assert registry.open("own@1").encode_ids(TEXT)
    assert registry.state(entry) is RegisteredState.WHOLE


def test_a_version_never_gets_other_files(registry: TokenizerRegistry, file: Path) -> None:
    add(registry, "own@1", file)
    add(registry, "own@1", file, author="another")  # the same files: nothing changes
    assert [one.author for one in registry.all()] == [""]
    saved(file, 262)
    with pytest.raises(TokenariumError, match="is registered already"):
        add(registry, "own@1", file)
    add(registry, "own@2", file)
    add(registry, "own@10", file)
    assert [one.version for one in registry.all()] == ["1", "2", "10"]


@pytest.mark.parametrize("name", ["own", "own@", "@1", "a/b@1", "own@1@2", "own 1@1", ""])
def test_a_wrong_name_is_refused(registry: TokenizerRegistry, file: Path, name: str) -> None:
    with pytest.raises(TokenariumError, match="write a name and a version"):
        add(registry, name, file)


def test_what_is_not_registered_is_named(registry: TokenizerRegistry, file: Path) -> None:
    with pytest.raises(NotAvailable, match="Nothing is registered yet"):
        registry.open("own@1")
    add(registry, "own@1", file)
    with pytest.raises(NotAvailable, match=r"own@2 is not registered\. Registered: own@1\."):
        registry.open("own@2")
    trained = tc.train("bpe", [TEXT], vocab_size=260)
    with pytest.raises(TokenariumError, match="no file of its own"):
        registry.register("own@3", trained, "")


def test_several_files_are_one_digest(registry: TokenizerRegistry, tmp_path: Path) -> None:
    folder = tmp_path / "pair"
    folder.mkdir()
    trained = tc.train("bpe", [TEXT] * 5, vocab_size=260, pattern="gpt2")
    trained.save(folder / "encoder.json", format="gpt2")
    add(registry, "pair@1", folder)
    (entry,) = registry.all()
    assert len(entry.files) == 2
    names = [Path(one.path).name for one in entry.files]
    # As sha256sum writes it.
    digests = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names]
    lines = "".join(f"{digest}  {name}\n" for digest, name in zip(digests, names, strict=True))
    assert entry.sha256 == hashlib.sha256(lines.encode()).hexdigest()
    (folder / names[1]).write_bytes((folder / names[1]).read_bytes() + b"\n")
    with pytest.raises(ChangedError, match=names[1]):
        registry.open("pair@1")


def test_what_was_trained_here_is_listed_with_its_training(registry: TokenizerRegistry) -> None:
    store = registry.store
    corpus = Corpus([CorpusSource("text", TEXT)])
    trained = tc.train("bpe", list(corpus), vocab_size=260)
    kept = keep(
        store, trained, "bpe", {"vocab_size": 260}, about_corpus(corpus, None), corpus.fingerprint
    )
    add(registry, "own@1", store.path(kept))
    (entry,) = registry.all()
    assert entry.origin["settings"] == {"vocab_size": 260}
    assert entry.origin["fingerprint"] == corpus.fingerprint
    assert entry.made_from.startswith("bpe, trained 2")
    store.delete(kept.identity)
    again = TokenizerRegistry(Store(store.folder))
    assert again.open("own@1").encode_ids(TEXT)
    assert again.store.all() == []  # the file is not taken for a lost one


def test_files_of_registered_tokenizers_are_kept_and_then_removed(
    registry: TokenizerRegistry, file: Path
) -> None:
    add(registry, "own@1", file)
    add(registry, "own@2", file)
    copy = registry.copy_of(registry.all()[0].files[0])

    def a_day_later() -> None:
        with closing(sqlite3.connect(registry.store.folder / "index.sqlite")) as index:
            index.execute("update deleted set at = '2020-01-01T00:00:00+00:00'")
            index.commit()
        Store(registry.store.folder)

    registry.remove("own@1")
    a_day_later()
    assert copy.is_file()
    assert registry.open("own@2").encode_ids(TEXT)
    registry.remove("own@2")
    assert copy.is_file()
    a_day_later()
    assert not copy.exists()
    assert file.is_file()


def test_a_damaged_row_hides_no_other(registry: TokenizerRegistry, file: Path) -> None:
    add(registry, "own@1", file)
    add(registry, "own@2", file)
    with closing(sqlite3.connect(registry.store.folder / "index.sqlite")) as index:
        for torn in ("[", json.dumps({"name": "own"})):
            index.execute("update registered set content = ? where version = '1'", (torn,))
            index.commit()
            assert [one.reference for one in registry.all()] == ["own@2"]


def test_a_damaged_index_keeps_what_is_registered(registry: TokenizerRegistry, file: Path) -> None:
    add(registry, "own@1", file)
    with closing(sqlite3.connect(registry.store.folder / "index.sqlite")) as index:
        index.execute("drop table deleted")
        index.commit()
    again = TokenizerRegistry(Store(registry.store.folder))
    assert [one.reference for one in again.all()] == ["own@1"]


def test_python_opens_it_by_a_function(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: Path
) -> None:
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    add(TokenizerRegistry(Store(tmp_path / "data" / "trained")), "own@1", file)
    assert open_registered("own@1").encode_ids(TEXT) == tc.open(file).encode_ids(TEXT)
    check_registered("own@1")
    file.write_bytes(b"{}")
    for use in (open_registered, check_registered):
        with pytest.raises(ChangedError):
            use("own@1")


def test_what_was_put_back_is_taken_back_unless_it_changed(
    registry: TokenizerRegistry, file: Path
) -> None:
    add(registry, "own@1", file)
    entry, whole = registry.need("own@1"), file.read_bytes()
    for other in (b"{}", None):
        file.unlink() if other is None else file.write_bytes(other)
        restored = registry.restore(entry)
        assert file.read_bytes() == whole
        registry.take_back(entry, restored)
        assert (file.read_bytes() if file.exists() else None) == other
    file.write_bytes(b"{}")
    restored = registry.restore(entry)
    file.write_bytes(b"[]")
    with pytest.raises(TokenariumError, match="stays as it is"):
        registry.take_back(entry, restored)
    assert file.read_bytes() == b"[]"
    [one] = restored
    assert one.aside is not None
    assert one.aside.read_bytes() == b"{}"
