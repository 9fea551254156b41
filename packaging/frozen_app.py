"""The app as a folder that needs no Python.

It is made in its own environment with the packages that a user would install and PyInstaller, without developer tools.
The core is the one that is compiled in place.
"""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import core_build
import terminal
from environment import ADVICE, Environment, child_variables
from project import BUILD, ROOT, settings

FROZEN = BUILD / "freeze"
OUTPUT = FROZEN
"""Where packages and installers are written to."""

APP = FROZEN / "app" / "tokenarium"
"""The folder of the app; on macOS, Tokenarium.app is next to it."""

PACKAGING = ROOT / "packaging"
PROGRAM = "from tokenarium.__main__ import main\n\nmain()\n"
COPIED = ("core", "explorer", "resources")
NOT_COPIED = shutil.ignore_patterns(
    "*.so", "*.pyd", "__pycache__", "build", "*.egg-info", "screenshots"
)
EXTRAS = "hub,reference,weights,words,code"
"""The extras of pyproject.toml that the app has."""


@dataclass(frozen=True)
class Freezer:
    """Makes the app, once for each state of the sources."""

    environment: Environment

    def make(self) -> None:
        """Makes the app if anything that goes into it has changed."""
        wanted = fingerprint()
        stamp = FROZEN / "app.stamp"
        if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted and program().exists():
            return
        stamp.unlink(missing_ok=True)
        self._provide_packages()
        self._install_ours()
        (FROZEN / "tokenarium_app.py").write_text(PROGRAM, encoding="utf-8")
        (FROZEN / "version.txt").write_text(windows_version(version()), encoding="utf-8")
        terminal.run_quietly(
            [self.environment.python, PACKAGING / "icons.py", FROZEN / "icons"],
            "Drawing the icons",
            variables=child_variables() | {"QT_QPA_PLATFORM": "offscreen"},
        )
        variables = child_variables() | {
            "TOKENARIUM_FREEZE": str(FROZEN),
            "TOKENARIUM_FREEZE_VERSION": version(),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYINSTALLER_CONFIG_DIR": str(FROZEN / "cache"),
        }
        folders = [f"--distpath={FROZEN / 'app'}", f"--workpath={FROZEN / 'work'}"]
        specification = str(PACKAGING / "tokenarium.spec")
        terminal.run_quietly(
            [
                self.environment.python,
                "-m",
                "PyInstaller",
                "--noconfirm",
                "--log-level=WARN",
                *folders,
                specification,
            ],
            "Freezing the app",
            variables=variables,
        )
        place = (
            APP
            if sys.platform != "darwin"
            else APP.parent / "Tokenarium.app" / "Contents" / "Resources"
        )
        shutil.copytree(FROZEN / "licences", place / "licences", dirs_exist_ok=True)
        stamp.write_text(wanted, encoding="ascii")

    def _provide_packages(self) -> None:
        """Makes the environment, and fills it again if the requirements have changed."""
        folder = self.environment.folder
        requirements = hashlib.sha256(sys.version.encode())
        for path in sorted([ROOT / "pyproject.toml", *ROOT.glob("core/pyproject.toml")]):
            requirements.update(path.read_bytes())
        stamp = folder / "packages.stamp"
        if stamp.is_file() and stamp.read_text(encoding="ascii") == requirements.hexdigest():
            return
        shutil.rmtree(folder, ignore_errors=True)
        base = getattr(sys, "_base_executable", None) or sys.executable
        terminal.run_quietly([base, "-m", "venv", folder], "Making an environment for the app")
        wanted = [
            *settings()["build-system"]["requires"],
            *settings()["project"]["optional-dependencies"]["freeze"],
        ]
        self._pip("Installing PyInstaller", *wanted)
        trees = [str(tree) for tree in self._trees()]
        trees[-1] += f"[{EXTRAS}]"
        self._pip("Installing Qt and the other packages", "--no-build-isolation", *trees)
        stamp.write_text(requirements.hexdigest(), encoding="ascii")

    def _install_ours(self) -> None:
        """Installs the current state of our own packages, with the compiled core."""
        trees = [str(tree) for tree in self._trees()]
        self._pip(
            "Installing Tokenarium",
            "--no-build-isolation",
            "--no-deps",
            "--force-reinstall",
            *trees,
        )
        core = self.environment.packages() / "tokenarium_core"
        for path in core_build.CORE.rglob(f"*{core_build.SUFFIX}"):
            shutil.copy2(path, core / path.relative_to(core_build.CORE))

    def _trees(self) -> list[Path]:
        """Returns copies of the source trees of the distributions, the app's last: a build leaves files in them."""
        copy = FROZEN / "sources"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir(parents=True)
        for name in COPIED:
            shutil.copytree(ROOT / name, copy / name, ignore=NOT_COPIED)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy2(path, copy)
        return [copy / "core", copy] if (copy / "core" / "pyproject.toml").exists() else [copy]

    def _pip(self, what: str, *arguments: str) -> None:
        options = ["--disable-pip-version-check", "--no-input", "--progress-bar=off"]
        terminal.run_quietly(
            [self.environment.python, "-m", "pip", "install", *options, *arguments],
            what,
            variables=child_variables() | {"TOKENARIUM_PURE": "1"},
            advice=ADVICE.format(folder=terminal.short(self.environment.folder)),
        )


def program(console: bool = False) -> Path:
    """Returns the path of the frozen program; ``console``: on Windows, the one with a standard output."""
    if sys.platform == "win32":
        return APP / ("tokenarium-console.exe" if console else "tokenarium.exe")
    if sys.platform == "darwin":
        return APP.parent / "Tokenarium.app" / "Contents" / "MacOS" / "tokenarium"
    return APP / "tokenarium"


def version() -> str:
    """Returns the version of the sources."""
    text = (core_build.CORE / "version.py").read_text(encoding="utf-8")
    return text.partition("__version__")[2].partition('"')[2].partition('"')[0]


def windows_version(version: str) -> str:
    """Returns the file of versions that PyInstaller puts into the programs of Windows."""
    numbers = [int(part) for part in version.split(".") if part.isdecimal()]
    four = tuple([*numbers, 0, 0, 0, 0][:4])
    said = {
        "CompanyName": "The Tokenarium developers",
        "FileDescription": "Tokenarium",
        "FileVersion": version,
        "InternalName": "tokenarium",
        "LegalCopyright": "The Tokenarium developers. MIT licence.",
        "OriginalFilename": "tokenarium.exe",
        "ProductName": "Tokenarium",
        "ProductVersion": version,
    }
    strings = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in said.items())
    return (
        f"VSVersionInfo(ffi=FixedFileInfo(filevers={four}, prodvers={four}, mask=0x3F, flags=0, OS=0x40004,"
        " fileType=1, subtype=0, date=(0, 0)), kids=[StringFileInfo([StringTable('040904B0',"
        f" [{strings}])]), VarFileInfo([VarStruct('Translation', [1033, 1200])])])\n"
    )


def fingerprint() -> str:
    """Returns a hash of everything that the app is made from."""
    digest = hashlib.sha256(sys.version.encode())
    for path in _inputs():
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _inputs() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.toml"))
    for name in (*COPIED, "packaging"):
        for path in sorted((ROOT / name).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
                yield path


def size_of(path: Path) -> int:
    """Returns the bytes of a file, or of all files in a folder, not counting links."""
    if path.is_file():
        return path.stat().st_size
    return sum(
        one.stat().st_size for one in path.rglob("*") if one.is_file() and not one.is_symlink()
    )
