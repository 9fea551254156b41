"""A library of the system or a display that is missing ends in a sentence, never in an abort."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokenarium.models import system_libraries
from tokenarium.models.system_libraries import (
    display_refusal,
    how_to_get,
    missing_libraries,
    qt_files,
    qt_folder,
    refusal,
)

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="only on Linux does Qt need libraries of the system",
)
NO_EGL = ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")


@pytest.fixture
def have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """The programs of the system."""
    found = {"apt-get"}
    monkeypatch.setattr(system_libraries, "_has_program", found.__contains__)
    monkeypatch.setattr(system_libraries, "missing_libraries", list)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system_libraries, "APT_LISTS", tmp_path)
    (tmp_path / "deb.debian.org_Packages").write_text("")
    return found


def test_the_command_for_this_system(have: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(NO_EGL) == (
        "Qt needs libraries that this system does not have: libEGL.so.1.\n"
        "Type:\n    sudo apt-get install --no-install-recommends libegl1"
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    system_libraries.APT_LISTS.joinpath("deb.debian.org_Packages").unlink()
    assert refusal(NO_EGL).endswith(
        "\n    apt-get update && apt-get install --no-install-recommends libegl1"
    )
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    both = how_to_get(["libEGL.so.1", "libnew.so.9"])
    assert both.endswith("libegl1\nand the packages that contain libnew.so.9.")
    assert how_to_get(["libnew.so.9"]).endswith("Install the packages that contain them.")
    have.clear()
    assert "Install the packages" in how_to_get(["libEGL.so.1"])
    have.add("dnf")
    assert "sudo dnf install 'libEGL.so.1()(64bit)'" in how_to_get(["libEGL.so.1"])


def test_all_that_is_missing_is_named_at_once(
    have: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    more = ["libEGL.so.1", "libxcb-cursor.so.0", "libxkbcommon.so.0"]
    monkeypatch.setattr(system_libraries, "missing_libraries", lambda: more)
    assert "install --no-install-recommends libegl1 libxcb-cursor0 libxkbcommon0" in refusal(NO_EGL)


def test_other_faults_are_not_explained_away() -> None:
    assert refusal(ImportError("cannot import name 'x'", name="tokenarium.x")) == ""
    assert refusal(ModuleNotFoundError("No module named 'numpy'", name="numpy")) == ""
    gone = ModuleNotFoundError("No module named 'PySide6'", name="PySide6")
    assert "pip install --force-reinstall PySide6-Essentials" in refusal(gone)


def test_qt_of_this_environment_has_all_that_it_needs() -> None:
    folder = qt_folder()
    assert folder is not None
    assert len(qt_files(folder)) >= 9
    assert missing_libraries() == []


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "There is no display here"),
        ({"DISPLAY": ":987"}, "The display :987 cannot be reached"),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":987", "WAYLAND_DISPLAY": "w"}, "The display :987"),
        ({"QT_QPA_PLATFORM": "offscreen"}, ""),
        ({"QT_QPA_PLATFORM": "minimal:enable_fonts", "DISPLAY": ":987"}, ""),
    ],
)
def test_a_display_that_is_not_there(
    variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert display_refusal().startswith(said)
    assert bool(display_refusal()) is bool(said)


@pytest.mark.parametrize("platform", ["xcb", "wayland"])
def test_a_plugin_whose_library_is_missing(
    platform: str, have: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin is linked with a library that is not there, as without libxcb-cursor."""
    folder = tmp_path / "plugins" / "platforms"
    folder.mkdir(parents=True)
    plugin = folder / f"libq{platform}.so"
    plugin.write_bytes(b"")
    monkeypatch.setattr(system_libraries, "qt_folder", lambda: tmp_path)

    def load(path: str) -> None:
        assert path == str(plugin)
        raise OSError("libxcb-cursor.so.0: cannot open shared object file: No such file")

    monkeypatch.setattr("ctypes.CDLL", load)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    monkeypatch.setenv("DISPLAY", ":987")
    if platform == "wayland":
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-9")
        monkeypatch.delenv("DISPLAY")
    assert "install --no-install-recommends libxcb-cursor0" in display_refusal()


@pytest.mark.parametrize(
    ("arguments", "variables"), [([], {}), ([], {"DISPLAY": ":987"}), (["--safe"], {})]
)
def test_a_start_without_a_display_ends_with_a_sentence(
    arguments: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    unwanted = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment |= variables | {"TOKENARIUM_DATA": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-m", "tokenarium", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert ended.returncode == 1
    assert "display" in ended.stderr
    assert "tokenarium --render DIR" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_qt_that_cannot_be_imported_ends_with_a_sentence(tmp_path: Path) -> None:
    """Another PySide6, found before the real one, fails as the loader does without libEGL."""
    (tmp_path / "PySide6").mkdir()
    (tmp_path / "PySide6" / "__init__.py").write_text(f"raise ImportError({str(NO_EGL)!r})")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    environment |= {"TOKENARIUM_DATA": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-m", "tokenarium"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert ended.returncode == 1
    assert "libEGL.so.1" in ended.stderr
    assert "Traceback" not in ended.stderr
