"""How the program starts itself in another process, run by Python and as a frozen app."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokenarium import __main__ as main_module
from tokenarium.work import child_process
from tokenarium.work.child_process import (
    asked_module,
    forget_own_libraries,
    program,
    program_module,
    start_again,
)


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the program take itself for a frozen app."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/app/_internal", raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/app/tokenarium")


def test_python_runs_the_program_and_its_modules() -> None:
    assert program() == [sys.executable, "-m", "tokenarium"]
    assert program_module("tokenarium.x") == [sys.executable, "-m", "tokenarium.x"]


@pytest.mark.usefixtures("frozen")
def test_a_frozen_app_runs_itself() -> None:
    assert program() == ["/opt/app/tokenarium"]
    command = [*program_module("tokenarium.work.opening_worker"), "file"]
    assert asked_module(command) == "tokenarium.work.opening_worker"
    assert command == ["/opt/app/tokenarium", "file"]


@pytest.mark.parametrize("arguments", [["t"], ["t", "--worker"], ["t", "encode", "--worker", "x"]])
def test_other_arguments_ask_for_no_module(arguments: list[str]) -> None:
    before = list(arguments)
    assert asked_module(arguments) == ""
    assert arguments == before


@pytest.mark.usefixtures("frozen")
def test_a_frozen_app_ends_after_its_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["t", child_process.WORKER, "platform"])
    with pytest.raises(SystemExit) as ended:
        main_module.main()
    assert not ended.value.code
    assert capsys.readouterr().out.strip()


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize(
    ("variables", "after"),
    [
        ({"LD_LIBRARY_PATH": "/opt/app/_internal"}, None),
        ({"LD_LIBRARY_PATH": "/opt/app/_internal", "LD_LIBRARY_PATH_ORIG": "/x"}, "/x"),
        ({"LD_LIBRARY_PATH": "/y"}, "/y"),
    ],
)
def test_other_programs_find_the_libraries_of_the_system(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], after: str | None
) -> None:
    for name in ("LD_LIBRARY_PATH", "LD_LIBRARY_PATH_ORIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYINSTALLER_RESET_ENVIRONMENT", "0")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    forget_own_libraries()
    assert os.environ.get("LD_LIBRARY_PATH") == after
    assert "LD_LIBRARY_PATH_ORIG" not in os.environ
    assert os.environ["PYINSTALLER_RESET_ENVIRONMENT"] == "1"  # our own processes find ours


def test_the_program_starts_again_with_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*arguments: object, **options: object) -> None:
        assert options["stdin"] == options["stdout"] == options["stderr"] == subprocess.DEVNULL
        options |= {"stdout": subprocess.PIPE, "cwd": tmp_path}
        started.append(popen(*arguments, **options))  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", start)
    start_again("--version")
    output, _ = started[0].communicate(timeout=300)
    assert output.startswith(b"Tokenarium ")
