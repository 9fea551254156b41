"""A short share of `dev.py torture`: some cases of each attack, always the same ones, and that failures replay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().with_name("run.py")

SHARES = {
    "files": 40,
    "calls": 15,
    "configurations": 30,
    "kills": 2,
    "surroundings": 3,
    "endless": 3,
    "typed": 1,
}
"""Cases of each attack, by family: about two seconds' worth."""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="the limits of its processes are those of Unix"
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    return subprocess.run(
        [sys.executable, str(RUN), *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("family", SHARES)
def test_nothing_breaks(family: str, tmp_path: Path) -> None:
    made = run("--only", family, "--cases", str(SHARES[family]), "--out", str(tmp_path))
    failures = [json.loads(path.read_text("utf-8")) for path in sorted(tmp_path.iterdir())]
    shown = "\n\n".join(failure["traceback"][-3000:] for failure in failures[:3])
    assert made.returncode == 0, f"{made.stdout}\n{made.stderr}\n{shown}"


FAULTS = {
    "raises": "KeyError",
    "asserts": "AssertionError: it does not hold",
    "ends": "ends the process by SIGABRT",
    "hangs": "takes more than 0.2 s of processor time",
    "waits": "waits for more than",
    "fills": "MemoryError",
}


def test_failures_are_found_and_replayed(tmp_path: Path) -> None:
    """The runner itself, on attacks that do fail: each kind is distinguished, written down, and fails again."""
    made = run("--only", "faults", "--cases", "1", "--seed", "5", "--out", str(tmp_path))
    assert made.returncode == 1, made.stdout + made.stderr
    written = {}
    for path in tmp_path.iterdir():
        failure = json.loads(path.read_text("utf-8"))
        written[failure["attack"].removeprefix("faults-")] = path, failure
    assert set(written) == set(FAULTS)
    for name, (path, failure) in written.items():
        assert failure["kind"].startswith(FAULTS[name]), failure["kind"]
        again = run("--replay", str(path))
        assert again.returncode == 1, again.stdout
    assert "KeyError: 'here'" in run("--replay", str(written["raises"][0])).stderr
