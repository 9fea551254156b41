"""The distributions as a user gets them: two sdists, the wheels that pip builds from them, and what those install."""

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
from project import CORE_PROJECT, ROOT, core_settings
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


CORE_ONLY = """
import sys
import tokenarium_core as tc

made = tc.train("bpe", ["some words and some more words"] * 9, vocab_size=270)
made.save("made.json", format="huggingface")
assert tc.open("made.json").encode_ids("some words") == made.encode_ids("some words")
unwanted = {"PySide6", "numpy", "google", "sentencepiece", "tiktoken"} & set(sys.modules)
print(tc.COMPILED, tc.__version__, sorted(unwanted))
"""
"""Uses the core by itself: trains, saves, opens, encodes."""

QUIET = ("--disable-pip-version-check", "--no-input", "--progress-bar=off", "--quiet")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdists of the core and the app, and the wheels made of those, all built in isolation.

    Where the test command has just built them to compile the core, it names their folder.
    """
    built = os.environ.get("TOKENARIUM_DISTRIBUTIONS")
    if built:
        return Path(built)
    folder = tmp_path_factory.mktemp("dist")
    core_build.build_distributions(Environment(Path(sys.prefix)), folder)
    return folder


def _only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


@pytest.fixture(scope="module")
def pure(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the core for every system, made of its sdist without a network."""
    folder = tmp_path_factory.mktemp("pure")
    command = ("-m", "pip", "wheel", *QUIET, "--no-index", "--no-build-isolation", "--no-deps")
    sdist = _only(dist, "tokenarium_core-*.tar.gz")
    _run(sys.executable, *command, "--wheel-dir", folder, sdist, folder=folder, TOKENARIUM_PURE="1")
    return _only(folder, "*.whl")


def _environment(folder: Path, *arguments: str | Path) -> Environment:
    """Returns an empty environment in which pip installed something, and nothing else."""
    environment = Environment(folder)
    venv.create(environment.folder, with_pip=True)
    pip = (environment.python, "-m", "pip")
    _run(*pip, "install", *QUIET, *arguments, folder=environment.folder)
    _run(*pip, "check", folder=environment.folder)
    return environment


@pytest.fixture(scope="module")
def core(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the core alone, installed offline once what it needs is there."""
    house = tmp_path_factory.mktemp("needed")
    needed = core_settings()["project"]["dependencies"]
    download = (sys.executable, "-m", "pip", "download", *QUIET, "--only-binary=:all:")
    _run(*download, "--dest", house, *needed, folder=house)
    wheel = _only(dist, "tokenarium_core-*.whl")
    folder = tmp_path_factory.mktemp("core")
    return _environment(folder, "--no-index", "--find-links", house, wheel)


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the app, the core, and what they require, and nothing else."""
    return _environment(
        tmp_path_factory.mktemp("installed"),
        _only(dist, "tokenarium_core-*.whl"),
        _only(dist, "tokenarium-*.whl"),
    )


@pytest.mark.parametrize(
    ("pattern", "needed", "tops"),
    [
        (
            "tokenarium_core-*.tar.gz",
            {"setup.py", "pyproject.toml", "LICENSE", "README.md", "tokenarium_core/tokenizer.py"},
            {"tokenarium_core"},
        ),
        (
            "tokenarium-*.tar.gz",
            {
                *("setup.py", "pyproject.toml", "LICENSE", "README.md"),
                *("explorer/tokenarium/app/start.py", "core/tokenarium_core/version.py"),
            },
            {"core", "explorer", "resources"},
        ),
    ],
    ids=["core", "app"],
)
def test_an_sdist_has_what_a_build_needs_and_nothing_compiled(
    dist: Path, pattern: str, needed: set[str], tops: set[str]
) -> None:
    with tarfile.open(_only(dist, pattern)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert needed <= names
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".c"))]
    folders = {name.partition("/")[0] for name in names if "/" in name}
    assert {folder for folder in folders if not folder.endswith(".egg-info")} == tops


def _names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def _sources(folder: Path, package: str) -> set[str]:
    return {f"{package}/{path.relative_to(folder).as_posix()}" for path in folder.rglob("*.py")}


def test_the_wheels_of_the_core_have_every_module(dist: Path, pure: Path) -> None:
    sources = _sources(CORE_PROJECT / "tokenarium_core", "tokenarium_core")
    wheel = _only(dist, "tokenarium_core-*.whl")
    assert not wheel.name.endswith("-none-any.whl")
    assert pure.name.endswith("-py3-none-any.whl")
    for one in (wheel, pure):
        names = _names(one)
        assert sources | {"tokenarium_core/py.typed"} <= names
        assert {name.partition("/")[0].partition("-")[0] for name in names} == {"tokenarium_core"}
    compiled = {name for name in _names(wheel) if name.endswith(core_build.SUFFIX)}
    expected = {
        name.removesuffix(".py") + core_build.SUFFIX
        for name in sources
        if Path(name).name not in core_build.INTERPRETED
    }
    assert expected <= compiled
    assert not [name for name in _names(pure) if name.endswith((".so", ".pyd"))]


def test_the_wheel_of_the_app_has_every_module_and_not_the_core(dist: Path) -> None:
    wheel = _only(dist, "tokenarium-*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    names = _names(wheel)
    sources = _sources(ROOT / "explorer" / "tokenarium", "tokenarium")
    sources |= _sources(ROOT / "resources", "tokenarium/resources")
    assert sources | {"tokenarium/py.typed"} <= names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"tokenarium"}
    assert not [name for name in names if "screenshots" in name or name.endswith((".so", ".pyd"))]


def test_both_are_of_one_version_and_the_app_needs_that_core(dist: Path) -> None:
    found = sorted(path.name for path in [*dist.glob("*.whl"), *dist.glob("*.tar.gz")])
    assert len(found) == 4
    assert all(path.split("-")[1].startswith(tc.__version__) for path in found)
    with zipfile.ZipFile(_only(dist, "tokenarium-*.whl")) as wheel:
        about = wheel.read(f"tokenarium-{tc.__version__}.dist-info/METADATA").decode()
        starts = wheel.read(f"tokenarium-{tc.__version__}.dist-info/entry_points.txt").decode()
    assert f"Requires-Dist: tokenarium-core=={tc.__version__}\n" in about
    assert "[gui_scripts]" in starts


def test_the_wheels_pass_the_checks_of_package_indexes(dist: Path, pure: Path) -> None:
    tools = Environment(Path(sys.prefix))
    wheels = [_only(dist, "tokenarium_core-*.whl"), _only(dist, "tokenarium-*.whl"), pure]
    sdists = sorted(dist.glob("*.tar.gz"))
    _run(tools.program("twine"), "check", "--strict", *wheels, *sdists, folder=dist)
    _run(tools.program("check-wheel-contents"), *wheels, folder=ROOT)
    settings = (ROOT / "pyproject.toml", CORE_PROJECT / "pyproject.toml")
    _run(tools.program("validate-pyproject"), *settings, folder=dist)
    if sys.platform == "linux":
        shown = _run(tools.program("auditwheel"), "show", wheels[0], folder=dist)
        assert "manylinux" in shown


def test_the_core_alone_runs_in_an_empty_environment(core: Environment, tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(CORE_ONLY, encoding="utf-8")
    answer = _run(core.python, "use.py", folder=tmp_path)
    assert answer.split(maxsplit=2) == ["True", tc.__version__, "[]\n"]
    program = core.program("tokenarium-core")
    assert _run(program, "--version", folder=tmp_path) == (
        f"tokenarium-core {tc.__version__}, compiled\n"
    )
    answer = _run(program, "encode", "made.json", "some words", "--json", folder=tmp_path)
    assert json.loads(answer)["ids"] == tc.open(tmp_path / "made.json").encode_ids("some words")
    listed = _run(core.python, "-m", "pip", "list", "--format=json", folder=tmp_path)
    names = {one["name"].lower().replace("_", "-") for one in json.loads(listed)}
    assert names - {"pip", "setuptools"} == {
        "tokenarium-core",
        "librt",
        "mypy-extensions",
        "regex",
    }


def test_without_a_compiler_the_core_is_interpreted_and_says_so(dist: Path, tmp_path: Path) -> None:
    """pip shows the sentence with -v; where a compiler is required, it is the error."""
    sdist = _only(dist, "tokenarium_core-*.tar.gz")
    command = (
        *(sys.executable, "-m", "pip", "wheel", "--disable-pip-version-check", "-v", "--no-index"),
        *("--no-build-isolation", "--no-deps", "--wheel-dir", tmp_path, sdist),
    )
    variables = child_variables() | {"CC": str(tmp_path / "no-such-compiler")}
    variables.pop("TOKENARIUM_PURE", None)
    if sys.platform == "win32":
        pytest.skip("setuptools looks for Visual Studio, and not for CC")
    done = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
    )
    assert "installed interpreted, some fifty times slower. No C compiler works" in done.stderr
    assert _only(tmp_path, "*.whl").name.endswith("-py3-none-any.whl")
    required = variables | {"TOKENARIUM_COMPILED": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=required, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "tokenarium-core: No C compiler works here" in done.stdout + done.stderr


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
