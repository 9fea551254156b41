"""The store of trained tokenizers: what it finds after a restart, and that it stays whole."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from narrowed import assert_contains
from worker_functions import keep_saving

import tokenarium_core as tc
from tokenarium.models.training.corpus import SourceShare
from tokenarium.models.training.store import FILES, INDEX, RECOVERED, Store, Trained
from tokenarium.widgets.training.trained_list import facts
from tokenarium_core.errors import TokenariumError
from tokenarium_core.whole_files import part_path

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


SHARES = (("a", 50), ("b", 10))


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


def make_old(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (0, 0))


def change_index(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / INDEX)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_only_what_was_deleted_a_day_ago_is_removed(store: Store) -> None:
    kept, gone, late = (
        store.save(replace(TRAINED, fingerprint=name), name.encode())
        for name in ("kept", "gone", "late")
    )
    twin = store.save(replace(TRAINED, fingerprint="twin"), b"kept")  # of the same content
    for one in (gone, late, twin):
        store.delete(one.identity)
    places = [store.path(one) for one in (kept, gone, late)]
    strays = [store.path(kept).with_name(name) for name in ("notes.part", "a.json")]
    strays.insert(0, part_path(store.path(kept)))
    for path in strays:
        path.write_bytes(b"x")
    make_old(*places, *strays)
    old = "2001-01-01T00:00:00+00:00"
    change_index(store.folder, f"update deleted set at = '{old}' where content != '{late.content}'")
    again = Store(store.folder)
    assert [path.exists() for path in places] == [True, False, True]
    assert [path.exists() for path in strays] == [False, True, True]
    assert again.all() == [kept]
    with pytest.raises(TokenariumError, match="is gone"):
        again.restore(gone)
    again.restore(late)
    assert len(again.all()) == 2


def lose(folder: Path) -> None:
    (folder / INDEX).unlink()


def empty(folder: Path) -> None:
    (folder / INDEX).write_bytes(b"")


def forget_rows(folder: Path) -> None:
    change_index(folder, "delete from trained")


def forget_tables(folder: Path) -> None:
    change_index(folder, "drop table trained", "drop table deleted", "pragma user_version = 0")


def overwrite(folder: Path) -> None:
    (folder / INDEX).write_bytes(b"no database at all, though long enough to be read" * 300)


def overwrite_pages(folder: Path) -> None:
    content = bytearray((folder / INDEX).read_bytes())
    content[100:] = bytes(len(content) - 100)
    (folder / INDEX).write_bytes(content)


def cut_off(folder: Path) -> None:
    (folder / INDEX).write_bytes((folder / INDEX).read_bytes()[:-4096])


def fill_with_others(folder: Path) -> None:
    change_index(folder, "drop table trained", "create table trained (identity, note)")
    change_index(folder, "insert into trained values ('x', 'y')")


def spoil_values(folder: Path) -> None:
    change_index(folder, "update trained set settings = '[', made = 'once'")


DAMAGED = [overwrite, overwrite_pages, cut_off, fill_with_others, spoil_values]


@pytest.mark.slow
@pytest.mark.parametrize("harm", [lose, empty, forget_rows, forget_tables, *DAMAGED])
def test_no_file_is_lost_with_its_index(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    store = Store(tmp_path)
    trained = tc.train("bpe", ["the cat sat on the mat"], vocab_size=260)
    trained.name = "My own"
    trained.save(tmp_path / "own.json")
    content = (tmp_path / "own.json").read_bytes()
    kept = [
        store.save(TRAINED, content),
        store.save(replace(TRAINED, fingerprint="2"), b"no tokenizer that can be opened"),
    ]
    make_old(*map(store.path, kept))
    harm(tmp_path)
    before = (tmp_path / INDEX).read_bytes() if harm in DAMAGED else b""
    again = Store(tmp_path)
    for _ in range(2):
        found = {one.content: one for one in again.all()}
        assert found.keys() == {one.content for one in kept}
        assert all(again.path(one).exists() for one in found.values())
        own, other = (found[one.content] for one in kept)
        assert (own.name, own.algorithm, own.pieces) == (
            "My own",
            RECOVERED,
            len(trained.vocabulary),
        )
        assert own.settings == {"format": "tokenarium"}
        assert (other.name, other.pieces) == (f"recovered {other.content[:8]}", 0)
        assert "Found again" in facts(own)
        again = Store(tmp_path)
    aside = list(tmp_path.glob("index-damaged-*.sqlite"))
    assert [path.read_bytes() for path in aside] == ([before] if harm in DAMAGED else [])
    gone = again.delete(own.identity)
    assert [one.content for one in Store(tmp_path).all()] == [other.content]
    assert gone is not None
    again.restore(gone)
    again.save(TRAINED, content)  # trained once more, it needs no stand-in
    assert {one.algorithm for one in again.all() if one.content == own.content} == {"bpe"}


def test_what_can_be_read_of_a_damaged_index_is_taken_over(store: Store) -> None:
    kept = [store.save(replace(TRAINED, fingerprint=str(n)), str(n).encode()) for n in range(3)]
    change_index(
        store.folder, f"update trained set corpus = '' where content = '{kept[0].content}'"
    )
    again = Store(store.folder)
    assert {one.identity for one in kept[1:]} < {one.identity for one in again.all()}
    assert len(again.all()) == 3
    assert len(list(store.folder.glob("index-damaged-*"))) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "set_aside"),
    [
        ("settings = '{\"torn'", True),
        ("settings = replace(hex(zeroblob(50000)), '00', '[')", True),
        ("settings = cast(x'7bff' as text)", True),
        ("corpus = 'null'", True),
        ("figures = x'ff'", True),
        ("pieces = 9e999", True),
        ("pieces = 'many'", True),
        ("made = cast(x'ff' as text)", True),
        ("content = x'ff'", True),
        ("content = '../../../other'", True),
        ("suffix = '/../..'", True),
        ("name = x'ff'", True),
        ("name = cast(x'61ff' as text)", False),
        ("note = cast(x'ff' as text)", False),
    ],
)
def test_a_torn_row_is_no_obstacle(store: Store, change: str, set_aside: bool) -> None:
    """The other rows do not change, and no row leads out of the folder."""
    kept = [store.save(replace(TRAINED, fingerprint=str(n)), str(n).encode()) for n in range(3)]
    change_index(store.folder, f"update trained set {change} where content = '{kept[0].content}'")
    for _ in range(2):
        found = Store(store.folder).all()
        assert {one.content for one in found} == {one.content for one in kept}
        others = [one for one in found if one.content != kept[0].content]
        assert sorted(others, key=lambda one: one.fingerprint) == kept[1:]
    assert len(list(store.folder.glob("index-damaged-*"))) == set_aside


@pytest.mark.parametrize("place", ["x'ff', x'ff'", "cast(x'ff' as text), '.json'", "'..', '/..'"])
def test_a_torn_row_of_the_deleted_is_passed_over(store: Store, place: str) -> None:
    kept = store.save(TRAINED, b"1")
    change_index(store.folder, f"insert into deleted values ({place}, '2001-01-01')")
    assert Store(store.folder).all() == [kept]


def test_two_windows_on_one_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.models.training.store.WAIT_S", 0.01)
    other = Store(store.folder)
    kept = store.save(TRAINED, b"1")
    assert other.all() == [kept]
    other.delete(kept.identity)
    assert store.all() == []
    with closing(sqlite3.connect(store.folder / INDEX, isolation_level=None)) as writing:
        writing.execute("begin immediate")
        assert other.all() == []
        with pytest.raises(TokenariumError, match="another window or program"):
            other.save(TRAINED, b"1")
    other.save(TRAINED, b"1")


def test_a_full_disk_is_named_and_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.save(TRAINED, b"1")
    make_old(store.path(kept))
    connect = sqlite3.connect

    def connect_without_room(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.execute("pragma max_page_count = 1")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_without_room)
    with pytest.raises(TokenariumError, match=r"is full\. Free some space") as raised:
        store.save(replace(TRAINED, fingerprint="2", note="x" * 100_000), b"2")
    assert str(store.folder / INDEX) in str(raised.value)
    assert "move" not in str(raised.value)
    assert {one.algorithm for one in Store(store.folder).all()} == {"bpe", RECOVERED}
    assert store.path(kept).read_bytes() == b"1"


@contextmanager
def read_only_copy(store: Store) -> Iterator[Path]:
    """A folder with a copy of a store that cannot be written: root, too, is another user meanwhile."""
    import shutil

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "trained"
        shutil.copytree(store.folder, folder)
        user = os.geteuid()
        os.chmod(place, 0o755)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        if user == 0:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            os.seteuid(user)
            for path in [folder, *folder.rglob("*")]:
                path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
def test_read_only_media_are_read(store: Store, tmp_path: Path) -> None:
    kept = store.save(TRAINED, b"1")
    (tmp_path / "older").mkdir()
    with read_only_copy(store) as folder:
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        copy = Store(folder)
        assert copy.all() == [kept]
        assert copy.path(kept).read_bytes() == b"1"
        changes: list[Callable[[], object]] = [
            lambda: copy.save(TRAINED, b"2"),
            lambda: copy.delete(kept.identity),
            lambda: copy.rename(kept.identity, "x"),
            copy.check_writable,
        ]
        for change in changes:
            with pytest.raises(TokenariumError, match="TOKENARIUM_DATA"):
                change()
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
        absent = Store(folder / "absent")
        assert absent.all() == []
        with pytest.raises(TokenariumError, match="TOKENARIUM_DATA"):
            absent.save(TRAINED, b"2")
    change_index(store.folder, "drop table deleted", "pragma user_version = 1")  # an older one
    with read_only_copy(store) as folder:
        assert Store(folder).all() == [kept]


def test_an_older_store_is_taken_over(store: Store) -> None:
    kept = store.save(TRAINED, b"1")
    change_index(store.folder, "drop table deleted", "pragma user_version = 1")
    again = Store(store.folder)
    assert again.all() == [kept]
    again.delete(kept.identity)
    assert Store(store.folder).all() == []


def test_parts_that_an_earlier_version_left_are_removed(store: Store) -> None:
    kept = store.save(TRAINED, b"{}")
    old, new = (store.path(kept).with_name(f"tmpab12cd3{n}.part") for n in "45")
    for path in (old, new):
        path.write_bytes(b"x")
    make_old(old)
    Store(store.folder)
    assert (old.exists(), new.exists(), store.path(kept).exists()) == (False, True, True)


def test_what_an_earlier_version_says_of_a_corpus_is_read(store: Store) -> None:
    settings = {"vocab_size": 500, "hold_out": True, "min_frequency": 2, "pattern": "cl100k"}
    corpus = {"sources": ["a.txt", "b.txt"], "weights": [1.0, 0.5], "seed": 3, "documents": 2}
    corpus |= {"characters": 90, "notes": ["c.txt: It is empty."]}
    [kept] = [store.save(replace(TRAINED, settings=settings, corpus=corpus), b"{}")]
    said = facts(Store(store.folder).all()[0])
    assert_contains(
        said,
        "a.txt, b.txt (2 documents, 90 characters)",
        "c.txt: It is empty.",
        "hold out yes",
        kept.identity[:12],
    )
    shares = [asdict(SourceShare(name, 50, 0.5, taken, taken / 60)) for name, taken in SHARES]
    for mixed in ({"size": 60}, {"weights": [5, 1]}, {"temperature": 2.0}):
        said = facts(replace(kept, corpus={**corpus, "weights": [None], "shares": shares, **mixed}))
        assert "a: 83.3% of the bytes (50 of 50; it has 50.0% of all)" in said


@pytest.mark.slow
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


def test_a_later_or_blocked_store_is_refused_with_its_place(tmp_path: Path) -> None:
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
