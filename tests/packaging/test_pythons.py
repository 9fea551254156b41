"""Building the core with each Python: what is said of it, which wheel is kept, and which builds are a release's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pythons
import terminal
from project import ROOT
from terminal import CommandError

WHEEL = "tokenarium_core-0.1.0-cp312-cp312-linux_x86_64.whl"
PASSED = pythons.Tried("3.12.1", WHEEL, 5.0, 421.0, 224.0, "1934 passed in 120.28s", True)
KEPT = pythons.Tried("3.13.0", WHEEL, 4.9, 0.0, 9.0, "1 failed, 3 passed in 8.00s", False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the script keeps what it makes, empty."""
    monkeypatch.setattr(pythons, "FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def ran(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run, of which pip alone does something: it makes a wheel of five bytes."""
    commands: list[list[str]] = []

    def run_quietly(command: list[str | Path], what: str, **others: object) -> None:
        words = [str(word) for word in command]
        commands.append(words)
        if "--wheel-dir" in words:
            wheels = Path(words[words.index("--wheel-dir") + 1])
            wheels.mkdir(parents=True)
            (wheels / WHEEL).write_bytes(b"wheel")

    def captured(command: list[str | Path], **others: object) -> tuple[int, str]:
        words = [str(word) for word in command]
        commands.append(words)
        return (0, "== 7 passed in 1.00s ==\n") if "pytest" in words else (0, "3.12.1\n")

    monkeypatch.setattr(terminal, "run_quietly", run_quietly)
    monkeypatch.setattr(terminal, "captured", captured)
    return commands


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("....\n== 12 passed in 3.4s ==\n", "12 passed in 3.4s"),
        ("1 failed, 2 passed in 3s\nlater lines\n", "1 failed, 2 passed in 3s"),
        ("1 error in 0.5s", "1 error in 0.5s"),
        ("no tests ran in 0.1s\n", "pytest ended with 5"),
        ("", "pytest ended with 5"),
    ],
)
def test_the_result_is_the_last_line_that_counts(output: str, said: str) -> None:
    assert pythons.result_of(output, 5) == said


def test_the_table_has_a_row_for_each_python() -> None:
    head, rule, *rows = pythons.table([PASSED, KEPT]).splitlines()
    assert {line.count("|") for line in (head, rule, *rows)} == {7}
    assert "| 5.0 | 7 min 01 s | 3 min 44 s | 1934 passed" in rows[0]
    assert "| earlier | 9.0 s | 1 failed, 3 passed" in rows[1]


def test_a_python_builds_installs_and_tests_in_that_order(
    folder: Path, ran: list[list[str]]
) -> None:
    tried = pythons.attempt(Path("python3.12"), folder / "core.tar.gz", [])
    assert (tried.wheel, tried.result, tried.passed) == (WHEEL, "7 passed in 1.00s", True)
    build, install, tests = ran[-3:]
    assert build[-1] == str(folder / "core.tar.gz")
    assert str(folder / "3.12.1" / "wheel" / WHEEL) in install
    assert tests[-1] == str(ROOT / "tests" / "core")
    assert build[0] == install[0] == tests[0] != sys.executable


def test_a_wheel_of_the_same_sources_is_not_built_again(
    folder: Path, ran: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = folder / "core.tar.gz"
    for builds in (1, 1):
        pythons.attempt(Path("python3.12"), source, ["-x"])
        assert sum("--wheel-dir" in words for words in ran) == builds
    monkeypatch.setattr(pythons, "fingerprint", lambda: "of a change")
    pythons.attempt(Path("python3.12"), source, ["-x"])
    assert sum("--wheel-dir" in words for words in ran) == 2
    assert ran[-1][-1] == "-x"


def test_the_build_is_a_release_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENARIUM_QUICK", "1")
    monkeypatch.setenv("TOKENARIUM_PURE", "1")
    variables = pythons._variables()
    assert variables["TOKENARIUM_COMPILED"] == "1"
    assert not pythons.UNWANTED & variables.keys()


def test_a_python_that_does_not_start_is_named(folder: Path) -> None:
    with pytest.raises(CommandError, match=r"python-none does not start"):
        pythons.attempt(Path("python-none"), folder / "core.tar.gz", [])


@pytest.mark.parametrize(
    ("arguments", "found", "results", "code"),
    [
        ([], {"python3.12"}, [PASSED], 0),  # those of the usual names that are here
        ([], set(), [], 1),
        (["python3.12", "python3.99"], {"python3.12"}, [PASSED], 1),
        (["python3.12", "python3.13"], {"python3.12", "python3.13"}, [PASSED, KEPT], 1),
    ],
)
def test_the_exit_code(
    arguments: list[str],
    found: set[str],
    results: list[pythons.Tried],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    left = iter(results)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in found else None)
    monkeypatch.setattr(pythons, "sdist", lambda: Path("core.tar.gz"))
    monkeypatch.setattr(pythons, "attempt", lambda *others: next(left))
    assert pythons.main(arguments) == code
    said = capsys.readouterr().out
    assert all(one.result in said for one in results)
    missing = [name for name in arguments or pythons.PYTHONS if name not in found]
    assert ("Not on this computer" in said) == bool(missing)


def test_one_that_cannot_be_built_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def attempt(python: Path, *others: object) -> pythons.Tried:
        if python.name == "python3.11":
            raise CommandError("no headers")
        return PASSED

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(pythons, "sdist", lambda: Path("core.tar.gz"))
    monkeypatch.setattr(pythons, "attempt", attempt)
    assert pythons.main(["python3.11", "python3.12"]) == 1
    said = capsys.readouterr()
    assert "not built" in said.out
    assert "1934 passed" in said.out
    assert "no headers" in said.err


def test_a_chroot_gets_the_sources_and_none_of_what_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "usr" / "bin" / "python3.14"
    python.parent.mkdir(parents=True)
    python.touch()
    asked: list[list[str]] = []

    def run(command: list[str], **others: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 3)

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(pythons, "COPIED", ("packaging", "setup.py", "core"))
    assert pythons.in_chroot(tmp_path, ["-x"]) == 3
    (command,) = asked
    assert command[:3] == ["chroot", str(tmp_path), "python3.14"]
    assert command[-2:] == ["--pytest=-x", "python3.14"]
    place = tmp_path / "tokenarium"
    assert (place / "packaging" / "pythons.py").is_file()
    assert (place / "setup.py").is_file()
    assert not [*place.rglob("*.so"), *place.rglob("__pycache__")]


def test_without_debootstrap_it_is_said_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CommandError, match="apt install debootstrap"):
        pythons.in_chroot(tmp_path, [])
