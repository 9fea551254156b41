"""What is kept between two runs comes back, or is set aside; nothing is half there."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from narrowed import there
from small_files import write_file

from tokenarium.models import scene_store
from tokenarium.models.scene import Scene, SceneError, SceneText
from tokenarium.models.scene_store import MOST_RECENT, RecentEntry, SceneStore
from tokenarium.models.scene_texts import read_scene_file, text_path
from tokenarium.models.typed_texts import TypedFile

SCENE = Scene(workspace="bytes", selection=(0, 2))


def test_a_small_text_is_in_the_scene(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, "Größe".encode(), "", "", 100)
    found = there(store.last())
    assert found.scene.text == SceneText("Größe")
    assert found.scene.workspace == "bytes"


def test_a_large_text_has_a_file_and_the_one_before_goes(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a" * 200, "", "", 100)
    store.keep(SCENE, b"b" * 200, "", "", 100)
    found = there(store.last())
    path = there(text_path(found))
    assert path.read_bytes() == b"b" * 200
    assert len(list(tmp_path.glob("text-*.txt"))) == 1


def test_a_file_of_the_user_is_named_and_never_removed(tmp_path: Path) -> None:
    own = write_file(tmp_path / "own.txt", b"c" * 200)
    store = SceneStore(tmp_path / "kept")
    store.keep(SCENE, own.read_bytes(), "own.txt", str(own), 100)
    store.keep(SCENE, b"d", "", "", 100)
    store.clear()
    assert own.exists()
    assert not store.size()


def test_a_scene_that_ended_the_program_is_set_aside(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a", "", "", 100)
    assert store.last() is not None
    with pytest.raises(SceneError, match="ended unexpectedly"):
        SceneStore(tmp_path).last()
    assert (tmp_path / "set-aside.tokenarium").exists()
    assert store.last() is None


def test_a_scene_that_was_shown_comes_back(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a", "", "", 100)
    store.last()
    store.was_shown()
    assert SceneStore(tmp_path).last() is not None


def test_a_damaged_scene_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "last.tokenarium").write_bytes(b'{"tokenarium": 1, "te')
    with pytest.raises(SceneError, match="damaged"):
        SceneStore(tmp_path).last()
    assert (tmp_path / "set-aside.tokenarium").exists()


def test_recent_entries_are_few_and_the_last_is_first(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.add_recent(RecentEntry("file", "a", "/a"))
    for number in range(MOST_RECENT + 3):
        store.add_recent(RecentEntry("text", str(number), text=str(number)))
    store.add_recent(RecentEntry("text", "5", text="5"))
    entries = store.recent()
    assert [one.title for one in entries[:2]] == ["5", str(MOST_RECENT + 2)]
    assert sum(one.kind == "text" for one in entries) == MOST_RECENT
    assert sum(one.kind == "file" for one in entries) == 1
    assert len({one.text for one in entries}) == len(entries)


@pytest.mark.parametrize("data", [b"", b"[{}]", b"{", b"[" * 10_000, b"\xff"])
def test_a_damaged_list_is_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "recent.json").write_bytes(data)
    store = SceneStore(tmp_path)
    assert store.recent() == []
    store.add_recent(RecentEntry("text", "a", text="a"))
    assert len(store.recent()) == 1


def test_drafts_of_lessons_are_kept_by_name_the_last_first(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    assert store.drafts() == []
    for number, name in enumerate(("one.md", "two.md")):
        store.keep_draft(name, f"Größe {name}")
        os.utime(tmp_path / "drafts" / name, (number, number))
    assert [path.name for path in store.drafts()] == ["two.md", "one.md"]
    assert store.drafts()[0].read_text() == "Größe two.md"
    assert store.size() > 0
    store.keep_draft("two.md", None)
    store.keep_draft("two.md", None)
    assert [path.name for path in store.drafts()] == ["one.md"]
    store.clear()
    assert store.drafts() == []
    assert not store.size()


def window_store(folder: Path, text: str, again: bool = False) -> SceneStore:
    """Returns the store of a window in which a text was typed."""
    store = SceneStore(folder)
    store.claim(again)
    store.keep_typed(TypedFile(typed=True, head=text))
    store.keep(Scene(), text.encode(), "", "", 1000)
    return store


def text_of(store: SceneStore) -> str:
    found = there(store.last())
    store.was_shown()
    return there(found.scene.text).inline


def test_each_window_keeps_its_own_and_the_last_that_ended_comes_back(tmp_path: Path) -> None:
    first, second = window_store(tmp_path, "first"), window_store(tmp_path, "second")
    assert first.folder != second.folder
    assert not first.claim()  # it has one
    assert first.left() == []  # both run
    second.leave()
    assert [one.file.head for one in first.left()] == ["second"]
    first.leave()
    later = time.time() + 10
    os.utime(first.folder / SceneStore.NAME, (later, later))
    third = SceneStore(tmp_path)
    assert third.claim(again=True)
    assert text_of(third) == "first"
    assert [one.file.head for one in third.left()] == ["second"]
    third.leave()
    os.utime(second.folder / SceneStore.NAME, (later + 10, later + 10))
    fourth = SceneStore(tmp_path)
    assert fourth.claim(again=True)
    assert text_of(fourth) == "second"


def test_a_start_beside_another_window_begins_anew(tmp_path: Path) -> None:
    first, second = window_store(tmp_path, "first"), window_store(tmp_path, "second")
    second.leave()
    third = SceneStore(tmp_path)
    assert not third.claim(again=True)
    assert third.last() is None
    assert third.folder not in (first.folder, second.folder)
    assert [one.file.head for one in third.left()] == ["second"]


def test_a_start_that_opens_something_else_leaves_the_last_session_alone(tmp_path: Path) -> None:
    window_store(tmp_path, "mine").leave()
    other = window_store(tmp_path, "of a file")
    assert [one.file.head for one in other.left()] == ["mine"]
    assert not other.left()[0].file.offered


def test_windows_change_places(tmp_path: Path) -> None:
    window_store(tmp_path, "one").leave()
    store = window_store(tmp_path, "two")
    (left,) = store.left()
    assert store.change_to(left.folder)
    assert text_of(store) == "one"
    (now,) = store.left()
    assert now.file.head == "two"
    assert now.file.offered  # who opened the other one knows of it
    assert not store.change_to(tmp_path / "windows" / "none")
    other = SceneStore(tmp_path)
    assert not other.change_to(left.folder)  # the first has it now
    assert text_of(store) == "one"


def test_of_many_windows_only_those_that_were_offered_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_store, "MOST_LEFT", 3)
    for number in range(6):
        store = window_store(tmp_path, str(number))
        then = 1_000_000 + number
        for name in (SceneStore.NAME, "typed.json"):
            os.utime(store.folder / name, (then, then))
        store.leave()
    mine = SceneStore(tmp_path)
    mine.claim()
    assert [one.file.head for one in mine.left()] == ["5", "4", "3", "2", "1", "0"]
    oldest = [one for one in mine.left() if one.file.head in "01"]
    mine.note_offered(oldest)
    for one in oldest:
        os.utime(one.folder / "typed.json", (1, 1))
    assert [one.file.head for one in mine.left()] == ["5", "4", "3", "2"]
    assert [one.file.head for one in mine.left()] == ["5", "4", "3", "2"]


def test_a_window_in_which_nothing_was_typed_leaves_nothing(tmp_path: Path) -> None:
    first, second = window_store(tmp_path, "first"), SceneStore(tmp_path)
    second.claim()
    second.keep_typed(TypedFile())
    second.keep(Scene(), b"Welcome", "Welcome", "", 1000)
    second.leave()
    assert first.left() == []
    assert not second.folder.exists()


def test_a_damaged_file_of_what_was_typed_counts_as_typed(tmp_path: Path) -> None:
    first, second = window_store(tmp_path, "first"), window_store(tmp_path, "second")
    second.leave()
    for damage in (b"", b"[]", b'{"typed": 3}', b"[" * 100_000):
        (second.folder / "typed.json").write_bytes(damage)
        (left,) = first.left()
        assert left.file.typed
        assert left.has_scene


def test_where_nothing_can_be_written_no_other_window_is_assumed(tmp_path: Path) -> None:
    blocked = write_file(tmp_path / "file", "")
    store = SceneStore(blocked / "folder")
    assert not store.claim(again=True)
    assert store.left() == []


def test_drafts_of_windows_that_ended_are_taken_over(tmp_path: Path) -> None:
    first, second = window_store(tmp_path, "first"), window_store(tmp_path, "second")
    second.keep_draft("one.md", "of the second")
    assert first.drafts() == []  # its window writes it
    second.leave()
    (draft,) = first.drafts()
    first.keep_draft("one.md", "of the first")
    assert len(first.drafts()) == 2
    first.keep_draft("one.md", None)
    assert first.take_draft(draft).read_text() == "of the second"
    first.keep_draft("one.md", None)
    assert first.drafts() == []


def test_two_windows_add_recent_texts_at_once(tmp_path: Path) -> None:
    stores = [SceneStore(tmp_path) for _ in range(4)]

    def add(number: int) -> None:
        stores[number].add_recent(RecentEntry("text", str(number), text=str(number)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    assert {entry.text for entry in stores[0].recent()} == {"0", "1", "2", "3"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_window_that_was_killed_leaves_the_scene_to_the_next(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from tokenarium.models.scene_store import SceneStore;"
        " SceneStore(Path(sys.argv[1])).claim(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert killed.returncode == -9
    store = SceneStore(tmp_path)
    store.claim()
    assert store.folder == tmp_path
    store.leave()


def test_the_text_of_what_was_set_aside_stays(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a" * 200, "", "", 100)
    store.last()
    with pytest.raises(SceneError, match="ended unexpectedly"):
        store.last()
    for word in (b"b", b"c"):
        store.keep(SCENE, word * 200, "", "", 100)
    path = there(text_path(read_scene_file(store.asides()[0][0])))
    assert path.read_bytes() == b"a" * 200
    assert len(list(tmp_path.glob("text-*.txt"))) == 2


def test_each_session_that_is_set_aside_stays_until_it_is_forgotten(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    for word in (b"a", b"b"):
        store.keep(SCENE, word * 200, "", "", 100)
        store.last()
        with pytest.raises(SceneError, match="ended unexpectedly"):
            store.last()
    made = store.set_aside(msgspec.structs.replace(SCENE, text=SceneText("c")))
    assert len(store.asides()) == 3
    store.forget_aside(made)
    texts = {text_path(read_scene_file(path)) for path, _ in store.asides()}
    assert {path.read_bytes()[:1] for path in texts if path is not None} == {b"a", b"b"}


def test_a_window_that_is_forgotten_leaves_what_was_set_aside(tmp_path: Path) -> None:
    ended = SceneStore(tmp_path)
    ended.claim()
    ended.keep(SCENE, b"a" * 200, "", "", 100)
    ended.last()
    with pytest.raises(SceneError, match="ended unexpectedly"):
        ended.last()
    ended.keep_typed(TypedFile(typed=True, head="b"))
    ended.keep(SCENE, b"b" * 200, "", "", 100)
    ended.leave()
    store = SceneStore(tmp_path / "other")
    store.home = tmp_path
    store.claim()
    (window,) = store.left()
    store.forget(window.folder)
    assert store.left() == []
    ((path, _),) = store.asides()
    text = there(text_path(read_scene_file(path)))
    assert text.read_bytes() == b"a" * 200
    assert len(list(tmp_path.glob("*.txt"))) == 1
    store.clear()
    assert store.asides() == []
    assert list(tmp_path.glob("*.t*")) == []


def test_of_many_sessions_that_were_set_aside_the_oldest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.models.scene_store.MOST_ASIDE", 2)
    store = SceneStore(tmp_path)
    for number in range(3):
        made = store.set_aside(msgspec.structs.replace(SCENE, text=SceneText(f"{number}")))
        os.utime(made, (number, number))
    texts = [read_scene_file(path).scene.text for path, _ in store.asides()]
    assert [text.inline for text in texts if text is not None] == ["2", "1"]


def test_a_kept_text_that_was_damaged_is_written_again(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a" * 200, "", "", 100)
    [path] = tmp_path.glob("text-*.txt")
    path.write_bytes(b"a")
    store.keep(SCENE, b"a" * 200, "", "", 100)
    assert path.read_bytes() == b"a" * 200


def test_a_text_is_written_once(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a" * 200, "", "", 100)
    [path] = tmp_path.glob("text-*.txt")
    written = path.stat().st_mtime_ns
    store.keep(Scene(workspace="merges"), b"a" * 200, "", "", 100)
    assert path.stat().st_mtime_ns == written


def test_settings_that_are_too_much_do_not_cost_the_text(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(Scene(selection=(0, 1), pages={"a": {"b": [1] * 300_000}}), b"a text", "", "", 100)
    found = there(store.last())
    assert (found.scene.text, found.scene.selection) == (SceneText("a text"), (0, 1))
