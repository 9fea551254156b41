"""An environment with the lowest versions that the two pyproject.toml allow, to test their lower bounds.

A lower bound that is never tried is soon wrong: the stage ``floors`` of the test command runs the tests of formats, of
trainings and of a window with what uv finds to be the lowest versions for this Python, of wheels only.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import locking
import terminal
from environment import Environment, child_variables
from project import BUILD, CORE_PROJECT, ROOT

FOLDER = BUILD / "floors"
VERSIONS = "versions.txt"
# What the tests need besides the app, as the environment has it; and what installs our own distributions.
TOOLS = (
    "pytest",
    "pytest_qt",
    "pytest_xdist",
    "hypothesis",
    "setuptools",
    "protobuf",
    "flatbuffers",
)
GROUPS = (
    "run",
    "tiktoken",
    "sentencepiece",
    "hub",
    "reference",
    "weights",
    "corpora",
    "words",
    "code",
)


def prepare(environment: Environment) -> Environment:
    """Returns the environment of the lowest versions; filled again if a requirement has changed.

    Raises CommandError if there are no such versions.
    """
    floors = Environment(FOLDER / "environment")
    stamp, versions = FOLDER / "stamp", FOLDER / VERSIONS
    tools = [name.replace("-", "==", 1) for name in environment.installed(*TOOLS)]
    wanted = fingerprint(tools)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return floors
    stamp.unlink(missing_ok=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = FOLDER / "requirements.in"
    lines.write_text("\n".join(requirements()), encoding="utf-8")
    uv: list[str | Path] = [environment.program("uv"), "--quiet"]
    lowest = ["--resolution=lowest-direct", "--only-binary=:all:", "--no-header"]
    _uv([*uv, "venv", "--clear", "--python", environment.python, floors.folder])
    _uv([*uv, "pip", "compile", *lowest, "--python", floors.python, "-o", versions, lines])
    _uv([*uv, "pip", "install", "--python", floors.python, "-r", versions, *tools])
    ours = ["--editable", str(CORE_PROJECT), "--editable", str(ROOT)]
    _uv([*uv, "pip", "install", "--python", floors.python, "--no-deps", *ours])
    stamp.write_text(wanted, encoding="utf-8")
    return floors


def requirements() -> list[str]:
    """Returns what the core and the app require, and their extras for users."""
    found = locking.requirements()
    return sorted({line for group in GROUPS for line in found[group]})


def fingerprint(tools: list[str]) -> str:
    """Returns a hash of everything that decides the contents of the environment."""
    parts = [sys.version, str(ROOT), *requirements(), *tools]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _uv(command: list[str | Path]) -> None:
    # The core is compiled in place by then; its editable install leaves it alone.
    variables = child_variables() | {"TOKENARIUM_PURE": "1"}
    terminal.run_quietly(command, "Finding and installing the lowest versions", variables=variables)
