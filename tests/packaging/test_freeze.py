"""The frozen app: what goes into it, what is made of it, and, where one was built, that it works."""

from __future__ import annotations

import ast
import plistlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import frozen_app
import frozen_checks
import frozen_packages
import frozen_parts
from project import ROOT
from terminal import CommandError
from tokenarium.app.start import USER_MODEL_ID
from tokenarium.models.scene import read_link
from tokenarium.work.child_process import CONSOLE_TWIN
from tokenarium_core import __version__

needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only for Linux")


@needs_linux
@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("PySide6/Qt/lib/libQt6Gui.so.6", True),
        ("PySide6/Qt/lib/libQt6Quick.so.6", False),
        ("libQt6EglFsKmsSupport.so.6", False),
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/Qt/plugins/platforms/libqwayland.so", True),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
        ("PySide6/Qt/plugins/imageformats/libqpdf.so", False),
        ("PySide6\\plugins\\platforms\\qdirect2d.dll", False),
        ("PySide6/opengl32sw.dll", False),
        ("PySide6/Qt/translations/qtbase_de.qm", False),
        ("libpython3.11.so.1.0", True),
        ("libxcb-cursor.so.0", True),
        ("libxcb.so.1", False),
        ("libstdc++.so.6", False),
        ("libglib-2.0.so.0", False),
        ("libatk-bridge-2.0.so.0", False),
        ("libfontconfig.so.1", False),
        ("libjpeg.so.62", False),
        ("libpng16.so.16", False),
        ("PySide6/Qt/plugins/imageformats/libqjpeg.so", True),
        ("pillow.libs/libfreetype-57f805ba.so.6", True),
        ("tokenarium_core/tokenizer.cpython-311-x86_64-linux-gnu.so", True),
    ],
)
def test_the_app_has_what_it_uses_and_no_libraries_of_the_system(place: str, wanted: bool) -> None:
    assert frozen_parts.is_wanted(place) is wanted


def test_imports_of_compiled_modules_are_found_in_their_sources(tmp_path: Path) -> None:
    source = "import json\nfrom heapq import heappush\nimport regex, no_such_module\n"
    (tmp_path / "a.py").write_text(source)
    found = frozen_parts.imports_of(tmp_path)
    assert {"json", "heapq", "regex"} <= set(found)
    assert "no_such_module" not in found
    assert "heapq.heappush" not in found


def test_the_sources_of_python_s_library_are_where_a_training_looks() -> None:
    found = dict(frozen_parts.library_sources())
    json = next(path for path in found if path.endswith(("json/decoder.py", "json\\decoder.py")))
    assert re.fullmatch(r"(lib/python3\.\d+|Lib)/json", found[json])
    assert not [path for path in found if "site-packages" in path]


def test_licences_are_written_for_every_part(tmp_path: Path) -> None:
    from importlib import metadata

    found = [metadata.distribution(name) for name in ("PySide6_Essentials", "regex", "tokenizers")]
    frozen_parts.write_licences(tmp_path / "licences", found, [])
    names = {path.name for path in (tmp_path / "licences").iterdir()}
    assert {"Python", "PySide6_Essentials", "regex", "tokenizers", "README.md"} <= names
    assert (tmp_path / "licences/PySide6_Essentials/LGPL-3.0.txt").stat().st_size > 7000
    about = (tmp_path / "licences/README.md").read_text(encoding="utf-8")
    assert "You may replace them" in about
    assert "LGPL-3.0" in about


def test_the_version_is_the_core_s_in_all_places() -> None:
    assert frozen_app.version() == __version__
    tree = ast.parse(frozen_app.windows_version("1.20.3"))
    assert "(1, 20, 3, 0)" in ast.unparse(tree)
    assert "1.20.3" in ast.unparse(tree)


def test_the_fingerprint_follows_what_the_app_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "explorer").mkdir()
    source = tmp_path / "explorer" / "a.py"
    source.write_text("1")
    monkeypatch.setattr(frozen_app, "ROOT", tmp_path)
    first = frozen_app.fingerprint()
    assert frozen_app.fingerprint() == first
    source.write_text("2")
    assert frozen_app.fingerprint() != first


def test_an_extra_pins_what_freezes() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert all("==" in requirement for requirement in extras["freeze"])
    assert set(frozen_app.EXTRAS.split(",")) <= set(extras)


# Packages.


@pytest.fixture
def small_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An app of one program, from which packages are made; returns the folder of the packages."""
    app = tmp_path / "app" / "tokenarium"
    app.mkdir(parents=True)
    shutil.copyfile(Path(sys.executable).resolve(), app / "tokenarium")
    output = tmp_path / "out"
    output.mkdir()
    (output / "environment/bin").mkdir(parents=True)
    python = output / "environment/bin/python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    for name, value in {"APP": app, "FROZEN": output, "OUTPUT": output}.items():
        monkeypatch.setattr(frozen_packages, name, value)
    return output


@pytest.mark.slow
@needs_linux
@pytest.mark.skipif(
    not (shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps")),
    reason="needs dpkg-deb and dpkg-shlibdeps",
)
def test_a_debian_package_names_what_its_libraries_need(small_app: Path) -> None:
    path = frozen_packages.debian_package()
    fields = subprocess.run(
        ["dpkg-deb", "--field", path], capture_output=True, text=True, check=True
    ).stdout
    assert f"Version: {__version__}" in fields
    assert re.search(r"^Depends: .*libc6 \(>= ", fields, re.MULTILINE)
    listed = subprocess.run(
        ["dpkg-deb", "--contents", path], capture_output=True, text=True, check=True
    ).stdout
    assert "./usr/bin/tokenarium -> /usr/lib/tokenarium/tokenarium" in listed
    assert re.search(r"^-rwxr-xr-x root/root .*/usr/lib/tokenarium/tokenarium$", listed, re.M)
    for name in ("doc/tokenarium/copyright", "applications/tokenarium.desktop", "mime/packages/"):
        assert f"./usr/share/{name}" in listed
    assert "./DEBIAN" not in listed


@needs_linux
def test_an_appimage_needs_the_program_that_it_begins_with(
    small_app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RUNTIME", raising=False)
    with pytest.raises(CommandError, match="let RUNTIME name it"):
        frozen_packages.appimage()


@needs_linux
def test_an_appimage_is_that_program_and_a_squashfs_of_the_app(
    small_app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = tmp_path / "runtime"
    start.write_bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00\x00" + bytes(89))
    listed = tmp_path / "listed"
    packer = tmp_path / "bin" / "mksquashfs"
    packer.parent.mkdir()
    packer.write_text(f'#!/bin/sh\ncd "$1" && ls -AL > "{listed}" && printf packed > "$2"\n')
    packer.chmod(0o755)
    monkeypatch.setenv("RUNTIME", str(start))
    monkeypatch.setenv("PATH", f"{packer.parent}:/usr/bin:/bin")
    made = frozen_packages.appimage()
    assert made.read_bytes() == b"\x7fELF\x02\x01\x01\x00AI\x02" + bytes(89) + b"packed"
    assert made.stat().st_mode & 0o111
    names = listed.read_text().split()
    assert names == [".DirIcon", "AppRun", "tokenarium.desktop", "tokenarium.svg", "usr"]
    tree = frozen_packages.FROZEN / "AppDir"
    assert (tree / "AppRun").samefile(tree / "usr/bin/tokenarium")


def test_installers_of_other_systems_say_where_they_are_made() -> None:
    if sys.platform != "win32":
        with pytest.raises(CommandError, match="on Windows, by Inno Setup"):
            frozen_packages.windows_installer()
    if sys.platform != "darwin":
        with pytest.raises(CommandError, match="on macOS"):
            frozen_packages.disk_image()


def test_windows_and_macos_know_the_same_types_as_the_app() -> None:
    setup = (ROOT / "packaging/windows/tokenarium.iss").read_text(encoding="utf-8")
    assert f'"{USER_MODEL_ID}"' in setup
    for name in (".tokenarium", ".tiktoken", ".model", "URL Protocol"):
        assert name in setup
    specification = (ROOT / "packaging/tokenarium.spec").read_text(encoding="utf-8")
    assert f'"{CONSOLE_TWIN.removesuffix(".exe")}"' in specification
    about = plistlib.loads((ROOT / "packaging/macos/Info.plist").read_bytes())
    assert about["CFBundleURLTypes"][0]["CFBundleURLSchemes"] == ["tokenarium"]
    extensions = str(about["CFBundleDocumentTypes"]) + str(about["UTExportedTypeDeclarations"])
    assert {"tiktoken", "model", "tokenarium"} <= set(re.findall(r"'(\w+)'", extensions))


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("/var/cache/x", True),
        ("/tmp", True),
        ("/etc/ld.so.cache", True),
        ("/usr/lib/tokenarium", False),
        ("/etc/fonts", False),
        ("/var/lib/dpkg/status", True),
        ("/home/x", False),
    ],
)
def test_what_a_removal_is_compared_by(path: str, changes: bool) -> None:
    assert bool(frozen_checks.CHANGES_ANYWAY.match(path)) is changes


def test_packages_with_two_names_are_named_by_both() -> None:
    names = frozen_packages.alternatives
    assert names("libc6", "2.35") == "libc6 (>= 2.35)"
    assert names("libgl1", "") == "libgl1"
    assert names("libglib2.0-0", "") == "libglib2.0-0 | libglib2.0-0t64"
    assert names("libglib2.0-0t64", "2.80") == "libglib2.0-0t64 (>= 2.80) | libglib2.0-0 (>= 2.80)"


def test_no_library_of_the_gpl_is_taken() -> None:
    assert "readline" in frozen_parts.UNUSED


def test_pictures_are_compared_by_their_files(tmp_path: Path) -> None:
    some, others = tmp_path / "some", tmp_path / "others"
    for folder, files in (
        (some, {"a": "1", "b": "1", "c": "1"}),
        (others, {"a": "1", "b": "2", "d": "1"}),
    ):
        folder.mkdir()
        for name, content in files.items():
            (folder / f"{name}.png").write_text(content)
    assert frozen_checks.different(some, others) == ["b", "c", "d"]


def test_states_that_may_differ_exist() -> None:
    assert set(frozen_checks.states()) >= frozen_checks.DIFFERENT.keys()


def test_the_link_that_is_handed_over_is_one() -> None:
    assert read_link(frozen_checks.link_to("a text")).scene.text.inline == "a text"


# The app itself.


@pytest.fixture
def app(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """The program of the frozen app of these sources, and variables for it."""
    program = frozen_app.program(console=True)
    stamp = frozen_app.FROZEN / "app.stamp"
    if not program.exists() or not stamp.is_file():
        pytest.skip("no frozen app was built: python3 packaging/dev.py freeze")
    if stamp.read_text(encoding="ascii") != frozen_app.fingerprint():
        pytest.skip("the frozen app is of other sources: python3 packaging/dev.py freeze")
    return program, frozen_checks._variables(tmp_path)


@pytest.mark.slow
@pytest.mark.dist
def test_the_app_says_its_version_and_works_in_processes_of_its_own(
    app: tuple[Path, dict[str, str]],
) -> None:
    program, variables = app
    results = frozen_checks.Results()
    frozen_checks._check_version(results, [program], variables)
    frozen_checks._check_itself(results, [program], variables, [])
    assert (results.passed, results.failed) == (2, 0)
