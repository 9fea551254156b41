"""Large texts lie beside a session, and come back whole; where they do not, it is said."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from narrowed import there
from running import run_through
from small_files import new_folder

from tokenarium.models import scene_texts
from tokenarium.models.scene import Scene, SceneText
from tokenarium.models.scene_texts import (
    is_read_at_once,
    read_scene_file,
    text_path,
    write_session,
)
from tokenarium.widgets.text.text_opening import TextOpening

PARTS = [
    "an ordinary line\n",
    "Größe 東京 👋🏽 ",
    "\ud800 and \udc00",
    "\r\n\0\x1b",
    "\ud83d\ude00",
]


@pytest.fixture(autouse=True)
def lower_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_texts, "MOST_INLINE", 1000)
    monkeypatch.setattr(scene_texts, "MOST_INLINE_SETTING", 100)


def opened(path: Path) -> str:
    work = TextOpening(path, kept=True)
    run_through(work, 1000)
    assert work.text_map.utf8 == work.text_map.text.encode("utf-8", "surrogatepass")
    return work.text_map.text


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("times", [1, 100, 200_000])
def test_texts_come_back(tmp_path: Path, part: str, times: int) -> None:
    text, path = part * times, tmp_path / "my session.tokenarium"
    setting = {"typed": text, "list": [text + "!", 1, "short"], "short": "a"}
    write_session(Scene(text=SceneText(text, title="Mine"), pages={"bytes.decode": setting}), path)
    moved = new_folder(tmp_path / "elsewhere")
    for file in tmp_path.iterdir():
        if file.is_file():
            shutil.move(file, moved)
    found = read_scene_file(moved / path.name)
    assert found.left_out == ()
    assert found.scene.pages == {"bytes.decode": setting}
    assert found.scene.text is not None
    assert found.scene.text.title == "Mine"
    beside = text_path(found)
    assert (opened(beside) if beside is not None else found.scene.text.inline) == text
    assert (beside is None) == (len(text.encode("utf-8", "surrogatepass")) <= 1000)
    assert (moved / path.name).stat().st_size < 4000


@pytest.mark.parametrize(
    "fault", ["missing", "changed", "folder", "pipe", "not UTF-8", "too large"]
)
def test_a_setting_whose_text_is_not_whole_is_said(
    tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == "pipe" and sys.platform == "win32":
        pytest.skip("a pipe is no file there")
    path = tmp_path / "a.tokenarium"
    write_session(Scene(pages={"a": {"b": "x" * 300, "c": 1}}), path)
    [text] = tmp_path.glob("*.txt")
    if fault in ("changed", "not UTF-8"):
        text.write_bytes(b"\xff" if fault == "not UTF-8" else b"y")
    elif fault == "too large":
        monkeypatch.setattr(scene_texts, "MOST_TEXT", 299)
    else:
        text.unlink()
    if fault == "folder":
        text.mkdir()
    elif fault == "pipe":
        os.mkfifo(text)
    found = read_scene_file(path)
    [sentence] = found.left_out
    assert text.name in sentence
    value = {"changed": "y", "not UTF-8": "\ufffd"}.get(fault)
    assert found.scene.pages == {"a": {"b": value, "c": 1}}
    assert ("has changed" in sentence) == (value is not None)


@pytest.mark.parametrize(
    "name", ["../secret.txt", "/etc/hostname", "..", ".", "a/b", "a\\b", "C:b", ""]
)
def test_no_text_outside_of_the_folder_is_read(tmp_path: Path, name: str) -> None:
    folder = new_folder(tmp_path / "sessions")
    (tmp_path / "secret.txt").write_text("secret")
    path = folder / "a.tokenarium"
    reference = {scene_texts.BESIDE: name, "sha256": ""}
    write_session(Scene(text=SceneText(beside=name), pages={"a": {"b": reference}}), path)
    found = read_scene_file(path)
    assert found.scene.pages == {"a": {"b": None}}
    assert text_path(found) is None
    assert found.left_out


def test_a_session_that_is_saved_again_keeps_the_texts_of_its_copies(tmp_path: Path) -> None:
    path = tmp_path / "a.tokenarium"
    write_session(Scene(text=SceneText("first " * 300)), path)
    copy = tmp_path / "copy.tokenarium"
    shutil.copy(path, copy)
    write_session(Scene(text=SceneText("second " * 300)), path)
    for file, text in ((copy, "first " * 300), (path, "second " * 300)):
        beside = there(text_path(read_scene_file(file)))
        assert opened(beside) == text


@pytest.mark.parametrize(
    ("what", "at_once"),
    [
        ("small", True),
        ("large", False),
        ("setting beside", False),
        ("missing", True),
        ("folder", True),
    ],
)
def test_what_is_read_at_once(tmp_path: Path, what: str, at_once: bool) -> None:
    path = tmp_path / "a.tokenarium"
    text = "x" * 3000 if what == "setting beside" else "x"
    write_session(Scene(pages={"a": {"b": text}}), path)
    if what == "large":
        path.write_bytes(path.read_bytes() + b" " * scene_texts.AT_ONCE)
    elif what in ("missing", "folder"):
        path.unlink()
        if what == "folder":
            path.mkdir()
    assert is_read_at_once(path) is at_once
