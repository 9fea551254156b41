"""The lock of the development environment: every package with its version and the hashes of its files.

``requirements.lock`` is of all groups and all systems at once, and uv writes it. The packages of one group are found by
the names that uv notes next to each package; pip installs only these, and rejects a file with a different hash.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import terminal
from project import ROOT, core_settings, settings

LOCK = ROOT / "packaging" / "requirements.lock"
COMMAND = "python3 packaging/dev.py lock"
HASH_LINE = "# Of the requirements with the hash "
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def requirements() -> dict[str, list[str]]:
    """Returns the requirements of the two pyproject.toml: for "build", for "run", and for each extra.

    Without our own distributions, which are installed from this tree.
    """
    app, core = settings(), core_settings()
    found = {
        "build": [*app["build-system"]["requires"], *core["build-system"]["requires"]],
        "run": [*core["project"]["dependencies"], *app["tool"]["tokenarium"]["dependencies"]],
    }
    for project in (core, app):
        for extra, required in project["project"].get("optional-dependencies", {}).items():
            found.setdefault(extra, []).extend(required)
    ours = {app["project"]["name"], core["project"]["name"]}
    return {
        group: [one for one in required if name_of(one) not in ours]
        for group, required in found.items()
    }


def name_of(requirement: str) -> str:
    """Returns the name of the package in a requirement, as indexes spell it."""
    found = NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def fingerprint() -> str:
    """Returns a hash of all requirements and of the oldest Python, from which a lock is made."""
    text = "\n".join([_oldest_python(), *_all_requirements()])
    return hashlib.sha256(text.encode()).hexdigest()


def is_fresh() -> bool:
    """Returns whether the lock matches the current requirements of the two pyproject.toml."""
    return f"{HASH_LINE}{fingerprint()}\n" in text()


def write(uv: Path, variables: dict[str, str], *, upgrade: bool) -> int:
    """Resolves all requirements with uv, and writes the lock; returns how many packages it has.

    Locked versions stay if they still fit, unless all should be upgraded. Raises CommandError.
    """
    with tempfile.TemporaryDirectory() as folder:
        wanted, made = Path(folder) / "requirements.in", Path(folder) / LOCK.name
        wanted.write_text("".join(f"{line}\n" for line in _all_requirements()), encoding="utf-8")
        if LOCK.exists() and not upgrade:
            shutil.copy(LOCK, made)  # uv keeps the versions that it finds there
        command: list[str | Path] = [uv, "pip", "compile", "--quiet", "--universal"]
        options = ["--generate-hashes", "--no-header", "--python-version", _oldest_python()]
        terminal.run_quietly(
            [*command, *options, "--output-file", made, wanted],
            "Finding a version of each package that fits the others",
            variables=variables,
            advice="Is the network there? If two packages exclude each other, change pyproject.toml.",
        )
        lines = made.read_text(encoding="utf-8").replace(f"-r {wanted}", "tokenarium")
    head = (
        f"# Written by: {COMMAND}\n{HASH_LINE}{fingerprint()}\n"
        "# All groups, systems and Pythons; the environment takes what it needs of it.\n"
    )
    LOCK.write_text(head + lines, encoding="utf-8", newline="\n")
    return sum(1 for _ in blocks(lines))


def part(names: Iterable[str]) -> str:
    """Returns the lines of the lock for these packages and for all that they require in turn.

    Raises KeyError with the name of one that is not locked.
    """
    locked: dict[str, list[str]] = {}  # a package may be listed twice, for different Pythons
    required_by: dict[str, set[str]] = {}
    for block in blocks(text()):
        name = name_of(block)
        locked.setdefault(name, []).append(block)
        for parent in _parents(block):
            required_by.setdefault(parent, set()).add(name)
    waiting, found = [name_of(name) for name in names], set()
    while waiting:
        name = waiting.pop()
        if name not in locked:
            raise KeyError(name)
        if name not in found:
            found.add(name)
            waiting += required_by.get(name, ())
    return "".join(block for name in sorted(found) for block in locked[name])


def blocks(lines: str) -> Iterator[str]:
    """Yields the lines of each package: its version, its hashes, and what requires it."""
    for block in re.split(r"^(?=[A-Za-z0-9])", lines, flags=re.MULTILINE):
        if NAME.match(block):
            yield block


def _parents(block: str) -> list[str]:
    """Returns the packages that require this one; "tokenarium" is this project."""
    _, _, via = block.partition("# via")
    return [name_of(line.strip(" #")) for line in via.splitlines() if line.strip(" #")]


def text() -> str:
    """Returns the lock, or "" if there is none."""
    try:
        return LOCK.read_text(encoding="utf-8")
    except OSError:
        return ""


def _all_requirements() -> list[str]:
    return sorted({line for required in requirements().values() for line in required})


def _oldest_python() -> str:
    return str(settings()["project"]["requires-python"]).removeprefix(">=")
