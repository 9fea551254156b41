"""The store of trained tokenizers: what it finds again, and that it stays whole."""

from __future__ import annotations

import hashlib
import multiprocessing
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest
from worker_functions import keep_saving

from tokenarium.models.training.store import FILES, INDEX, Store, Trained
from tokenarium_core.errors import TokenariumError

TRAINED = Trained(
    name="English, small",
    algorithm="bpe",
    settings={"vocab_size": 500, "pattern": "cl100k"},
    corpus={"sources": ["Prosa.txt"], "documents": 3},
    fingerprint="ab" * 32,
    suffix=".json",
    pieces=500,
    version="0.1",
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "trained")


def test_what_is_saved_is_found_again(store: Store) -> None:
    kept = store.save(TRAINED, b"{}")
    again = Store(store.folder)
    assert again.all() == [kept]
    assert again.get(kept.identity) == kept
    assert again.path(kept).read_bytes() == b"{}"
    assert kept.content == hashlib.sha256(b"{}").hexdigest()


def test_identity_is_of_settings_and_corpus_alone(store: Store) -> None:
    other = replace(TRAINED, name="another", version="0.2", note="x", made="2001")
    assert other.identity == TRAINED.identity
    turned = replace(TRAINED, settings={"pattern": "cl100k", "vocab_size": 500})
    assert turned.identity == TRAINED.identity
    for change in (
        {"algorithm": "unigram"},
        {"fingerprint": "cd" * 32},
        {"settings": {"vocab_size": 501, "pattern": "cl100k"}},
    ):
        assert replace(TRAINED, **change).identity != TRAINED.identity
    store.save(TRAINED, b"1")
    store.save(replace(other, name=""), b"1")
    assert [(kept.name, kept.note) for kept in store.all()] == [("English, small", "x")]


def test_names_notes_and_search(store: Store) -> None:
    one = store.save(TRAINED, b"1")
    two = store.save(replace(TRAINED, algorithm="unigram", name="Zweiter"), b"2")
    store.note(two.identity, "for the Class of May")
    store.rename(one.identity, " First ")
    assert [kept.name for kept in store.find("prosa")] == [
        kept.name for kept in store.all() if kept.identity in (one.identity, two.identity)
    ]
    assert [kept.name for kept in store.find("class UNIGRAM")] == ["Zweiter"]
    assert [kept.name for kept in store.find("first")] == ["First"]
    assert store.find("nothing") == []
    with pytest.raises(TokenariumError, match="needs a name"):
        store.rename(one.identity, "  ")


def test_a_deletion_can_be_taken_back(store: Store) -> None:
    kept = store.save(TRAINED, b"1")
    gone = store.delete(kept.identity)
    assert gone == kept
    assert store.all() == []
    assert store.delete(kept.identity) is None
    Store(store.folder)  # which tidies up, but not what is fresh
    store.restore(kept)
    assert store.all() == [kept]


def test_files_of_nobody_are_removed_when_they_are_old(store: Store) -> None:
    import os

    kept = store.save(TRAINED, b"1")
    strays = [store.path(kept).with_name(name) for name in ("old.json", "new.json")]
    for path in strays:
        path.write_bytes(b"x")
    for path in (strays[0], store.path(kept)):
        os.utime(path, (0, 0))
    Store(store.folder)
    assert [path.exists() for path in strays] == [False, True]
    assert store.path(kept).exists()


def test_a_process_that_is_killed_while_saving_leaves_the_store_whole(tmp_path: Path) -> None:
    folder = tmp_path / "trained"
    Store(folder)
    context = multiprocessing.get_context("spawn")
    found = 0
    for lifetime in (0.0, 0.004, 0.011, 0.023, 0.05):
        process = context.Process(target=keep_saving, args=(folder, found))
        process.start()
        while len(list((folder / FILES).glob("*/*"))) <= found:
            time.sleep(0.001)
        time.sleep(lifetime)
        process.kill()
        process.join()
        store = Store(folder)
        kept = store.all()
        for trained in kept:
            content = store.path(trained).read_bytes()
            assert hashlib.sha256(content).hexdigest() == trained.content
        found = len(list((folder / FILES).glob("*/*")))
    assert len(kept) > 0


def test_a_damaged_or_later_store_is_refused_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "trained"
    folder.mkdir()
    (folder / INDEX).write_bytes(b"no database at all, though long enough to be read" * 30)
    with pytest.raises(TokenariumError, match=f"{INDEX}, cannot be used"):
        Store(folder)
    later = tmp_path / "later"
    Store(later)
    connection = sqlite3.connect(later / INDEX)
    connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(TokenariumError, match="by a later Tokenarium"):
        Store(later)
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    with pytest.raises(TokenariumError, match="cannot be used"):
        Store(blocked / "store")
