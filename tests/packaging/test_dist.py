"""The distributions as a user gets them: an sdist, the wheel that pip builds from it, and what that installs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import core_build
import tokenarium_core as tc
from environment import Environment, child_variables
from project import ROOT
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

pytestmark = pytest.mark.dist

WINDOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tokenarium.app import start as app
from tokenarium.app.window import MainWindow

def look():
    windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow) and w.isVisible()]
    if windows and windows[0].session.text and not windows[0].session.opening:
        windows[0].grab().save(sys.argv[1])
        windows[0].close()

application = app.application()
timer = QTimer(interval=100)
timer.timeout.connect(look)
timer.start()
sys.exit(app.run([]))
"""
"""Opens the window as the command ``tokenarium`` does, and closes it when it has its text and its tokenizers."""


def _run(*command: str | Path, folder: Path, **variables: str) -> str:
    """Returns what a command prints; fails with all of its output where the command does."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=child_variables() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"{command} returned {done.returncode}:\n{done.stdout}\n{done.stderr}"[-8000:])
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist of the project, and the wheel made of that sdist, both built in isolation.

    Where the test command has just built them to compile the core, it names their folder.
    """
    built = os.environ.get("TOKENARIUM_DISTRIBUTIONS")
    if built:
        return Path(built)
    folder = tmp_path_factory.mktemp("dist")
    core_build.build_distributions(Environment(Path(sys.prefix)), folder)
    return folder


@pytest.fixture(scope="module")
def sdist(dist: Path) -> Path:
    """The sdist."""
    (path,) = dist.glob("*.tar.gz")
    return path


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    """The wheel."""
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and what it requires, and nothing else."""
    environment = Environment(tmp_path_factory.mktemp("installed"))
    venv.create(environment.folder, with_pip=True)
    options = ("--disable-pip-version-check", "--no-input", "--progress-bar=off", "--quiet")
    pip = (environment.python, "-m", "pip")
    _run(*pip, "install", *options, wheel, folder=environment.folder)
    _run(*pip, "check", folder=environment.folder)
    return environment


def test_the_sdist_has_what_a_build_needs_and_nothing_compiled(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"setup.py", "pyproject.toml", "LICENSE", "README.md"} <= names
    assert {"core/tokenarium_core/tokenizer.py", "explorer/tokenarium/app/start.py"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]


def test_the_wheel_has_every_module_of_the_project(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    folders = {
        "core/tokenarium_core": "tokenarium_core",
        "explorer/tokenarium": "tokenarium",
        "resources": "tokenarium/resources",
    }
    sources = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in folders.items()
        for path in (ROOT / folder).rglob("*.py")
    }
    assert sources <= names
    assert {"tokenarium_core/py.typed", "tokenarium/py.typed"} <= names
    assert not [name for name in names if name.startswith(("tests", "packaging", "build"))]
    assert not [name for name in names if "screenshots" in name]


def test_the_command_line_runs_from_the_wheel(installed: Environment, tmp_path: Path) -> None:
    program = installed.program("tokenarium")
    assert "core compiled" in _run(program, "--version", folder=tmp_path)
    text = "How a text becomes ids, and wie es geht: 語"
    for shipped in SHIPPED_TOKENIZERS:
        answer = json.loads(_run(program, "encode", shipped.id, text, "--json", folder=tmp_path))
        assert answer["ids"] == tc.open(shipped.path).encode_ids(text)


def test_a_window_opens_from_the_wheel(installed: Environment, tmp_path: Path) -> None:
    script = tmp_path / "window.py"
    script.write_text(WINDOW, encoding="utf-8")
    picture = tmp_path / "window.png"
    _run(installed.python, script, picture, folder=tmp_path, HOME=str(tmp_path))
    assert picture.stat().st_size > 10_000
