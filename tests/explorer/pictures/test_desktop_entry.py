"""The user's own entry in the applications menu: added, found by the desktop, and removed without a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_files import new_folder, write_file
from typer.testing import CliRunner

from tokenarium.app.window import MainWindow
from tokenarium.commands import cli
from tokenarium.pictures import desktop_entry
from tokenarium.pictures.desktop_entry import ENTRY, TYPES, program, quoted

pytestmark = pytest.mark.skipif(
    not desktop_entry.is_possible(), reason="only Linux and BSD have such menus"
)


@pytest.fixture
def share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder for such entries, which is not there yet."""
    folder = tmp_path / "home" / "share"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "none"))
    return folder


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_it_is_added_and_removed_by_a_command(share: Path) -> None:
    other = share / "applications" / "other.desktop"
    other.parent.mkdir(parents=True)
    other.write_text("[Desktop Entry]\n")
    added = CliRunner().invoke(cli.app, ["desktop", "install"])
    assert added.exit_code == 0, added.output
    assert desktop_entry.is_installed()
    entry = (share / ENTRY).read_text("utf-8")
    assert f"\nExec={quoted(program()[0])}" in entry
    assert f"\nTryExec={program()[0]}\n" in entry
    assert len(files_in(share / "icons")) == 2 + 2 * 9
    removed = CliRunner().invoke(cli.app, ["desktop", "remove"])
    assert removed.exit_code == 0
    assert "Removed 22 files." in removed.output
    left = [name for name in files_in(share) if "cache" not in name]
    assert not [name for name in left if "tokenarium" in name]
    assert other.exists()
    assert "nothing to remove" in CliRunner().invoke(cli.app, ["desktop", "remove"]).output


def test_a_folder_that_cannot_be_written_is_named(share: Path) -> None:
    share.parent.mkdir(parents=True)
    share.write_text("a file")
    failed = CliRunner().invoke(cli.app, ["desktop", "install"])
    assert failed.exit_code == 1
    assert "Traceback" not in failed.output


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("/usr/bin/tokenarium", "/usr/bin/tokenarium"),
        ("/a b/c", '"/a b/c"'),
        ("/50%/c", "/50%%/c"),
        ('/a"$`/c', '"/a\\\\"\\\\$\\\\`/c"'),
        ("/a\\b", '"/a\\\\\\\\b"'),
        ("", '""'),
    ],
)
def test_words_of_a_command_are_quoted(word: str, written: str) -> None:
    assert quoted(word) == written


@pytest.mark.skipif(shutil.which("gio") is None, reason="needs gio")
def test_the_desktop_starts_the_program_by_its_entry(
    share: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with letters that have a meaning in an entry, and a file with a blank."""
    folder = new_folder(tmp_path / 'a "b" $c `d` \\e')
    noted = tmp_path / "noted"
    script = write_file(
        folder / "tokenarium",
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {noted}.part; mv {noted}.part {noted}\n',
    )
    script.chmod(0o755)
    monkeypatch.setattr(desktop_entry, "program", lambda: [str(script)])
    desktop_entry.install()
    link = "tokenarium:lesson/01-spaces-and-case/2"
    subprocess.run(["gio", "launch", share / ENTRY, link], check=True, timeout=300)
    while not noted.exists():
        os.sched_yield()
    assert noted.read_text().split("\n")[:-1] == [link]


def test_the_switch_of_the_window_adds_it_and_removes_it(share: Path, window: MainWindow) -> None:
    entry, actions = window.menu_entry, window.actions_by_id
    assert not actions["applications_menu"].isChecked()
    for shown in (True, False):
        actions["applications_menu"].trigger()
        entry.stop()
        assert (share / ENTRY).exists() is shown
        assert (share / TYPES).exists() is shown


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can take another user's place",
)
def test_a_closed_folder_has_no_entry(share: Path) -> None:
    (share / ENTRY).parent.mkdir(parents=True)
    share.chmod(0)
    try:
        os.seteuid(65534)
        assert not desktop_entry.is_installed()
    finally:
        os.seteuid(0)
        share.chmod(0o700)


def test_where_the_system_has_an_entry_there_is_no_switch(
    share: Path, window: MainWindow, tmp_path: Path
) -> None:
    assert len(window.menu_entry.declared()) == 1
    of_all = tmp_path / "none" / ENTRY
    of_all.parent.mkdir(parents=True)
    of_all.write_text("")
    assert window.menu_entry.declared() == []


def test_the_program_is_found_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert program() == [str(python), "-m", "tokenarium"]
    (tmp_path / "tokenarium").write_text("")
    assert program() == [str(tmp_path / "tokenarium")]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert program() == [str(python)]
    monkeypatch.setenv("APPIMAGE", "/opt/Tokenarium.AppImage")
    assert program() == ["/opt/Tokenarium.AppImage"]
