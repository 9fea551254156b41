"""What is kept between two runs comes back, or is set aside; nothing is half there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokenarium.models.scene import Scene, SceneError, SceneText
from tokenarium.models.scene_store import MOST_RECENT, RecentEntry, SceneStore
from tokenarium.models.scene_texts import read_scene_file, text_path

SCENE = Scene(workspace="bytes", selection=(0, 2))


def test_a_small_text_is_in_the_scene(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, "Größe".encode(), "", "", 100)
    found = store.last()
    assert found is not None
    assert found.scene.text == SceneText("Größe")
    assert found.scene.workspace == "bytes"


def test_a_large_text_has_a_file_and_the_one_before_goes(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a" * 200, "", "", 100)
    store.keep(SCENE, b"b" * 200, "", "", 100)
    found = store.last()
    assert found is not None
    path = text_path(found)
    assert path is not None
    assert path.read_bytes() == b"b" * 200
    assert len(list(tmp_path.glob("text-*.txt"))) == 1


def test_a_file_of_the_user_is_named_and_never_removed(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_bytes(b"c" * 200)
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


def test_of_several_windows_one_keeps_the_scene_until_it_is_closed(tmp_path: Path) -> None:
    first, second = SceneStore(tmp_path), SceneStore(tmp_path)
    assert first.is_ours()
    assert first.is_ours()
    assert not second.is_ours()
    first.leave()
    assert second.is_ours()
    assert not first.is_ours()
    second.leave()


def test_where_nothing_can_be_written_no_other_window_is_assumed(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert SceneStore(blocked / "folder").is_ours()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_window_that_was_killed_leaves_the_scene_to_the_next(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from tokenarium.models.scene_store import SceneStore;"
        " assert SceneStore(Path(sys.argv[1])).is_ours(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert killed.returncode == -9
    store = SceneStore(tmp_path)
    assert store.is_ours()
    store.leave()


def test_the_text_of_what_was_set_aside_stays(tmp_path: Path) -> None:
    store = SceneStore(tmp_path)
    store.keep(SCENE, b"a" * 200, "", "", 100)
    store.last()
    with pytest.raises(SceneError, match="ended unexpectedly"):
        store.last()
    for word in (b"b", b"c"):
        store.keep(SCENE, word * 200, "", "", 100)
    path = text_path(read_scene_file(store.aside))
    assert path is not None
    assert path.read_bytes() == b"a" * 200
    assert len(list(tmp_path.glob("text-*.txt"))) == 2


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
    found = store.last()
    assert found is not None
    assert (found.scene.text, found.scene.selection) == (SceneText("a text"), (0, 1))
