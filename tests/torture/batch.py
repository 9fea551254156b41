"""Runs some cases of one attack in this process, and reports each on a pipe: the runner forks a process for each batch.

A line of JSON at each step: ``{"making": 7}``, ``{"begin": 7}``, ``{"phase": "others"}``, ``{"held": "refused"}``,
``{"failed": …}`` or, where the suite itself is wrong, ``{"own": …}``. With a planted fault it ends at the first failure.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "helpers")]

from attack import (  # noqa: E402 - found by the path above
    ENDLESS,
    ROOT,
    SECONDS,
    Attack,
    SuiteError,
    chance_of,
    end_children,
    is_own,
    limit_memory,
    listen,
    packed,
    seconds_of,
    unpacked,
)

OURS = (str(ROOT / "core"), str(ROOT / "explorer"), "core/", "explorer/", "tokenarium")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")
_ATTACKS = re.compile(r"^ATTACKS\b.*= ", re.MULTILINE)

FAULTS = "faults"
"""A family that fails on purpose, and runs only when it is asked for."""


def families() -> list[str]:
    """Returns the names of the modules of this folder that have ``ATTACKS``; their attacks' names begin with theirs.

    ``SEEDS``, where there are any, make what the cases of a family share.
    """
    paths = [path for path in FOLDER.glob("*.py") if not path.name.startswith("test_")]
    found = [path.stem for path in paths if _ATTACKS.search(path.read_text("utf-8"))]
    return sorted(name for name in found if name != FAULTS)


def attacks(*families: str) -> dict[str, Attack]:
    """Returns the attacks of some families by name."""
    modules = [importlib.import_module(family) for family in families]
    return {attack.name: attack for module in modules for attack in module.ATTACKS}


def attack_of(name: str) -> Attack:
    """Returns the attack of a name."""
    return attacks(name.partition("-")[0])[name]


def make_seeds(family: str) -> None:
    """Makes what the cases of a family share, by its ``SEEDS``: other libraries train it, in threads of their own.

    They end the process where they get no memory, so this comes before the limit.
    """
    for make in getattr(importlib.import_module(family), "SEEDS", ()):
        make()


def run_batch(file: int, arguments: list[str]) -> int:
    """Returns 0 when the cases ran, whether they failed or not.

    ``arguments`` are the attack, the seed, the number of the first case, how many cases and seconds at most, and the
    planted fault or an empty text.
    """
    pipe = os.fdopen(file, "w", buffering=1, encoding="ascii")
    name, seed, first, count, seconds, words = arguments
    attack = attack_of(name)
    fault = attack.planted[words] if words else None
    limit = seconds_of(attack, words)
    make_seeds(name.partition("-")[0])
    prepare()

    def say(**what: Any) -> None:
        pipe.write(json.dumps(what) + "\n")

    listen(lambda phase: say(phase=phase))
    end = time.monotonic() + float(seconds)
    number, stop = int(first), int(first) + int(count)
    with own_folder(), fault() if fault else contextlib.nullcontext():
        while number < stop and time.monotonic() <= end:
            say(making=number)
            try:
                case = made(attack, int(seed), number)
            except BaseException as error:
                if isinstance(error, MemoryError) and number > int(first):
                    return 0  # the cases before it may have left too little: once more, in a process of its own
                say(own=failure_of(error, None))
                number += 1
                continue
            say(begin=number)
            failure, word = tried(attack, case, limit)
            number += 1
            if failure is None:
                say(held=word)
                continue
            say(**{"own" if failure.pop("own") else "failed": failure})
            if failure["kind"].startswith("MemoryError"):
                return (
                    0  # what it took may not be given back: the next case has a process of its own
                )
            if fault is not None and found(words, failure):
                break
    say(end=number)
    return 0


def found(planted: str, failure: dict[str, Any]) -> bool:
    """Returns whether a failure is the one that a planted fault has to lead to.

    A case that merely takes long has not met a fault that never ends.
    """
    met = planted != ENDLESS or " in never_end" in failure["traceback"]
    return met and planted in f"{failure['kind']}\n{failure['message']}"


def made(attack: Attack, seed: int, number: int) -> Any:
    """Returns a case, made in the time that one may take."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return attack.make(chance_of(seed, attack.name, number))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def prepare() -> None:
    """Sets the limits of this process, once all that a case needs is imported and made."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # At the end of its time a case shows where it is, and ends by the signal: also in the middle of compiled code.
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, all_threads=True, chain=True)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    limit_memory()


@contextlib.contextmanager
def own_folder() -> Any:
    """Works in a temporary folder, which is also the user's home."""
    with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        before = Path.cwd()
        os.environ |= {
            "HOME": folder,
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
            "TMPDIR": str(home / "tmp"),
        }
        (home / "tmp").mkdir()
        tempfile.tempdir = None
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            tempfile.tempdir = None
            shutil.rmtree(home / "tmp", ignore_errors=True)


def tried(attack: Attack, case: Any, limit: float) -> tuple[dict[str, Any] | None, str]:
    """Runs a case for so many seconds; returns the failure if there is one, else the word on what happened."""
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        return None, attack.run(case)
    except BaseException as error:
        return failure_of(error, case), ""
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        end_children()
        for path in Path.cwd().iterdir():
            if path.name != "tmp":
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        with contextlib.suppress(OSError):
            path.chmod(0o700)
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def failure_of(error: BaseException, case: Any) -> dict[str, Any]:
    """Returns the failure as JSON: its kind, by which failures are grouped, and all details."""
    return {
        "kind": kind_of(error),
        "message": f"{type(error).__name__}: {str(error)[:2000]}",
        "traceback": "".join(traceback.format_exception(error, limit=-30))[-8000:],
        "case": packed(case),
        "own": is_own(error),
    }


def kind_of(error: BaseException) -> str:
    """Returns the kind of an error: its type and the place in our code, or its message."""
    if isinstance(error, SuiteError):
        return next((line for line in str(error).splitlines() if line.strip()), "SuiteError")
    name = type(error).__name__
    place = _place(error.__traceback__)
    if isinstance(error, AssertionError) or not place:
        words = _NUMBER.sub("#", str(error).strip().partition("\n")[0])
        return f"{name}: {words.partition(': ')[0][:100]}"
    return f"{name} {place}"


def _place(trace: TracebackType | None) -> str:
    found = ""
    for frame, line in traceback.walk_tb(trace):
        path = frame.f_code.co_filename
        if path.startswith(OURS) and "/tests/" not in path:
            found = f"at {Path(path).name}:{line} in {frame.f_code.co_name}"
    return found


def replay(path: Path) -> int:
    """Runs a case again that failed, within the same limits; returns 0 when it holds now, and shows it where not."""
    written = json.loads(path.read_text(encoding="utf-8"))
    attack = attack_of(written["attack"])
    make_seeds(written["attack"].partition("-")[0])
    case = written.get("case")
    case = (
        unpacked(case)
        if case is not None
        else attack.make(chance_of(written["seed"], attack.name, written["number"]))
    )
    print(f"{attack.name}: {written['message']}", flush=True)
    prepare()
    signal.setitimer(signal.ITIMER_REAL, attack.patience)
    with own_folder():
        signal.setitimer(signal.ITIMER_PROF, attack.seconds)
        try:
            word = attack.run(case)
        finally:
            end_children()
    print(f"It holds now: {word}.")
    return 0


if __name__ == "__main__":
    sys.exit(replay(Path(sys.argv[1])))
