"""A short share of `dev.py torture`: some cases of each attack, always the same ones, that each finds what is planted
for it, and that the runner survives whatever fails.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import mutations
import pytest

FOLDER = Path(__file__).resolve().parent
RUN = FOLDER / "run.py"
sys.path[:0] = [str(FOLDER)]

import batch  # noqa: E402 - found by the path above
import clocks  # noqa: E402
import run as runner  # noqa: E402
from attack import ENDLESS  # noqa: E402

SHARES = {
    "archives": 40,
    "files": 40,
    "calls": 15,
    "configurations": 30,
    "diffs": 6,
    "readers": 6,
    "repairs": 6,
    "expected": 20,
    "kills": 2,
    "surroundings": 3,
    "endless": 3,
    "sessions": 3,
    "links": 3,
    "lessons": 6,
    "handouts": 4,
    "sockets": 15,
    "schedulers": 8,
    "owned": 25,
    "large": 4,
    "typed": 1,
    "pages": 8,
    "measures": 6,
}
"""Cases of each attack, by family: about two seconds' worth; 3 where nothing is said."""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="the limits of its processes are those of Unix"
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    return subprocess.run(
        [sys.executable, str(RUN), *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("family", batch.families())
def test_nothing_breaks(family: str, tmp_path: Path) -> None:
    cases = str(SHARES.get(family, 3))
    made = run("--only", family, "--cases", cases, "--out", str(tmp_path))
    failures = [json.loads(path.read_text("utf-8")) for path in sorted(tmp_path.iterdir())]
    shown = "\n\n".join(failure["traceback"][-3000:] for failure in failures[:3])
    assert made.returncode == 0, f"{made.stdout}\n{made.stderr}\n{shown}"


@pytest.mark.parametrize("family", batch.families())
def test_what_is_planted_is_found(family: str) -> None:
    """Each attack has faults of the program that it finds: one that cannot fail shows nothing."""
    if family == "clocks" and not clocks.LIBRARIES:
        pytest.skip("needs the program faketime")
    made = run("--only", family, "--planted")
    assert made.returncode == 0, f"{made.stdout}\n{made.stderr}"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_nothing_is_imported_late(path: Path) -> None:
    """What is gone from the program ends an attack as it starts, and not in the one case that comes to use it."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    late = [
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert not late, f"imports in functions, in lines {late}"


def test_importing_the_attacks_starts_no_threads() -> None:
    """Their process is copied, and a copy has only the thread that asked for it."""
    code = "import sys, threading; sys.path[:0] = [sys.argv[1]]; import batch; batch.attacks(*batch.families()); print(threading.active_count())"
    assert subprocess.check_output([sys.executable, "-c", code, str(FOLDER)], text=True) == "1\n"


def test_what_is_listed_exists() -> None:
    every = batch.attacks(*batch.families())
    for known in runner.known_failures():
        assert known.attack in every
        assert known.kind
        assert known.reason.endswith((".", ")"))


FAULTS = {
    "raises": "KeyError",
    "asserts": "AssertionError: it does not hold",
    "ends": "ends the process by SIGABRT",
    "hangs": "takes more than 0.2 s of processor time",
    "waits": "waits for more than",
    "fills": "MemoryError",
}
OWN = {
    "gone": (0, 4, "AttributeError: module 'os' has no attribute 'gone'"),
    "forgotten": (0, 4, "KeyError: 'a key'"),
    "unmade": (2, 2, "RecursionError: maximum recursion depth exceeded"),
    "unmaking": (0, 3, "faults-unmaking ends the process by SIGABRT"),
}
"""What the suite itself does wrong in four cases: how many are tried, in how many it fails, and what is shown of that."""


def test_failures_are_found_and_replayed(tmp_path: Path) -> None:
    """The runner itself, on attacks that do fail: each kind is distinguished, written down, and fails again."""
    made = run("--only", "faults", "--cases", "4", "--seed", "5", "--out", str(tmp_path))
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
    assert "KeyError: 'nothing" in run("--replay", str(written["raises"][0])).stderr
    for name, (tried, own, shown) in OWN.items():
        row = next(line for line in made.stdout.splitlines() if line.startswith(f"faults-{name} "))
        assert row.split()[1:4] == [str(tried), "0", str(own)], row
        assert shown in made.stdout


def test_listed_failures_are_told_apart(tmp_path: Path) -> None:
    listed = tmp_path / "known.toml"
    listed.write_text(
        '[[known]]\nattack = "faults-asserts"\nkind = "AssertionError: it does"\nreason = "It has to."\n'
    )
    common = ["--cases", "2", "--out", str(tmp_path / "out"), "--known", str(listed)]
    made = run("--only", "faults-asserts", *common)
    assert made.returncode == 0, made.stdout
    assert "known, 2 times: faults-asserts, AssertionError: it does: It has to." in made.stdout
    assert not (tmp_path / "out").exists()
    assert run("--only", "faults-raises", *common).returncode == 1


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_prints_its_table(ending: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, str(RUN), "--only", "faults-asserts", "--only", "faults-waits"]
    process = subprocess.Popen(
        [*command, "--minutes", "10", "--out", str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    while not list(tmp_path.glob("FAILURE-faults-asserts-*")):
        time.sleep(0.02)
    process.send_signal(ending)
    printed = process.communicate()[0]
    assert process.returncode == 128 + ending
    assert "AssertionError: it does not hold" in printed
    assert printed.endswith(f"Ended early by {ending.name}.\n")


def test_what_cannot_be_written_is_printed(tmp_path: Path) -> None:
    """As where the disk is full: here a file is in the place of the folder."""
    (tmp_path / "out").write_bytes(b"")
    made = run("--only", "faults-asserts", "--cases", "1", "--out", str(tmp_path / "out"))
    assert made.returncode == 1
    assert "faults-asserts, seed 1, case 0 is not written" in made.stdout
    assert "in asserts" in made.stdout


def test_an_attack_that_cannot_fail_is_found() -> None:
    made = run("--only", "faults-raises", "--planted")
    assert made.returncode == 1
    assert "NO FAULT IS PLANTED" in made.stdout
    made = run("--only", "faults-blind", "--planted")
    assert made.returncode == 1
    assert "faults-blind: another answer: NOT FOUND" in made.stdout
    made = run("--only", "faults-seeing", "--planted")
    assert made.returncode == 0, made.stdout


SOUGHT = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
import run
from batch import attacks
run.NUMBERS = Path(sys.argv[2])
made = run.Runner([attacks("faults")["faults-rare"]], 1, Path())
assert made.find_planted()["faults-rare"]["another answer"]
print(made.finders["faults-rare"]["another answer"], made.scores["faults-rare"].tried)
"""


def test_a_planted_fault_is_sought_first_where_it_was_found(tmp_path: Path) -> None:
    known = tmp_path / "planted.json"

    def sought(noted: dict[str, int]) -> tuple[int, int]:
        """Returns the case that has found it, and how many were tried."""
        known.write_text(json.dumps({"faults-rare": noted}))
        command = [sys.executable, "-c", SOUGHT, str(FOLDER), str(known)]
        number, tried = subprocess.check_output(command, text=True).split()
        return int(number), int(tried)

    number, tried = sought({})
    assert tried == number + 1 > 2
    assert sought({"another answer": number}) == (number, 1)
    # It finds nothing any more: all are tried.
    assert sought({"another answer": 0}) == (number, number + 2)


def test_each_planted_fault_has_the_case_that_finds_it() -> None:
    """Else all cases are tried until one does. `dev.py torture --planted --note` writes them."""
    noted = json.loads(runner.NUMBERS.read_text("utf-8"))
    every = batch.attacks(*batch.families())
    assert set(noted) == set(every)
    for name, attack in every.items():
        assert not attack.planted or set(noted[name]) == set(attack.planted), name


def test_a_case_that_only_takes_long_has_not_met_a_fault_that_never_ends() -> None:
    failure = {"kind": f"{ENDLESS} 2 s", "message": "", "traceback": "line 5 in encode"}
    assert not batch.found(ENDLESS, failure)
    assert batch.found(ENDLESS, failure | {"traceback": "line 5 in never_end"})


LARGE = b"a" * (mutations.ROOM - 100)
EXTREMES = {
    "a.json": b'{"a": ["' + LARGE + b'", 1]}',
    "deep.json": b'{"a": ' * 400 + b"1" + b"}" * 400,
    "deeper.json": b"[" * 900 + b"]" * 900,
    "many.json": b"[" + b"1, " * (20_000) + b"1]",
    "a.model": mutations.packed_message([(1, 2, LARGE), (2, 0, 1)]),
    "a.tiktoken": LARGE + b" 1\nYQ== 2",
}


@pytest.mark.parametrize("name", EXTREMES)
def test_a_mutant_is_never_much_larger_than_its_file(name: str) -> None:
    """Also of what was mutated before: each fault adds a little, and takes little stack."""
    chance = Random(7)
    for _ in range(60):
        files = mutations.mutated(chance, {name: EXTREMES[name]})
        assert len(files[name]) < 8 * mutations.ROOM
