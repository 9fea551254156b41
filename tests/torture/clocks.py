"""A clock that jumps, and a computer that sleeps, while someone types in the window: what was typed is there at the next start."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random

from attack import Attack, Case
from planting import instead
from typed import ENDS, NUMBERS, RATE, STARTING_S, Window, texts_of
from typed_places import PLACES

JUMPS = ("+3s", "-3s", "+2d", "-2d", "+400d", "-400d", "+30y", "-30y")
LIBRARIES = [
    path
    for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib")
    for path in Path(folder).glob("**/faketime/libfaketimeMT.so*")
]
"""Of the program faketime: it tells another program a wall clock of its own."""


def clock_at(file: Path, jump: str) -> None:
    """Sets the clock of the programs that look at a file, relative to the computer's."""
    part = file.with_suffix(".part")
    part.write_text(f"{jump}\n", "ascii")
    part.replace(file)


def environment_of(file: Path) -> Mapping[str, str]:
    """Returns what a program has in its environment to have such a clock; the one that only goes on stays."""
    return {
        "LD_PRELOAD": str(LIBRARIES[0]),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def make_jump(chance: Random) -> Case:
    """Returns where is typed, the clock before and after it jumps, that of the next start, and how the program ends."""
    return {
        "field": chance.choice(list(PLACES)),
        "clocks": [chance.choice(["+0", *JUMPS]) for _ in range(3)],
        "second": chance.choice(["", *JUMPS]),
        "end": chance.choice(ENDS),
        "after_ms": [chance.randrange(1500, 3000) for _ in range(2)],
    }


def run_jump(case: Case) -> str:
    """Types while the clock jumps, and a second window may begin at another time: the text is back, whatever the clock says."""
    if not LIBRARIES:
        return "not tried: there is no faketime"
    home, clock, other = (Path(name).absolute() for name in ("home", "clock", "other"))
    before, after, last = case["clocks"]
    clock_at(clock, before)
    window = _typing(home, case["field"], environment_of(clock))
    window.read_words(case["after_ms"][0] / 1000, RATE)
    clock_at(clock, after)
    if case["second"]:
        clock_at(other, case["second"])
        second = Window(home, "look", environment=environment_of(other))
        second.first()  # which removes what is old, and not the other one's
        second.errors()
    at = window.read_words(case["after_ms"][1] / 1000, RATE)
    window.end(case["end"])
    wanted = window.typed(case["end"], at, RATE)
    clock_at(other, last)
    found = texts_of(home, case["field"], environment=environment_of(other))
    assert wanted, "nothing was typed"
    assert any(wanted in text for text in found), f"a clock that jumps loses {case['field']}"
    return str(case["end"])


def make_sleep(chance: Random) -> Case:
    """Returns where is typed, when the computer goes to sleep, for how long, and how the program ends."""
    return {
        "field": chance.choice(list(PLACES)),
        "after_ms": chance.randrange(3000),
        "asleep_ms": chance.choice([300, 3000, 8000]),
        "then_ms": chance.choice([0, 1500, 3000]),
        "end": chance.choice(ENDS),
    }


def run_sleep(case: Case) -> str:
    """Stops the whole program for some seconds while someone types: it goes on, and what was typed is back.

    The time of the sleep does not count as time in which it was kept: a kill right after it may take what was typed in
    the two seconds before.
    """
    home = Path("home").absolute()
    window = _typing(home, case["field"], {})
    asleep = window.read_words(case["after_ms"] / 1000, RATE)
    window.process.send_signal(signal.SIGSTOP)
    time.sleep(case["asleep_ms"] / 1000)
    window.process.send_signal(signal.SIGCONT)
    awake = time.monotonic()
    count = len(window.lines)
    at = window.read_words(case["then_ms"] / 1000, RATE)
    end = awake + STARTING_S
    while len(window.lines) == count and case["then_ms"]:
        assert time.monotonic() < end, "the window does not go on after a sleep"
        window.read(time.monotonic() + 0.1)
        at = time.monotonic()
    window.end(case["end"])
    slept = awake - asleep
    for line in window.lines:
        if line.get("t", at) <= asleep:
            line["t"] += slept
    wanted = window.typed(case["end"], at, RATE)
    if not wanted:
        return "too early"
    found = texts_of(home, case["field"])
    assert any(wanted in text for text in found), f"a sleep loses {case['field']}"
    return str(case["end"])


def _typing(home: Path, field: str, environment: Mapping[str, str]) -> Window:
    word = "12" if field in NUMBERS else "word"
    window = Window(home, "type", field, str(RATE), word, environment=environment)
    with contextlib.suppress(AssertionError):
        assert window.first()["focus"]
        return window
    raise AssertionError(f"the field “{field}” gets no focus: {window.errors()}")


_FORGOTTEN = instead(
    sys.modules[__name__],
    "texts_of",
    lambda before: lambda home, *places, environment=None: before(home / "none", *places),
)

ATTACKS = [
    Attack(
        "clocks-jump",
        make_jump,
        run_jump,
        patience=200.0,
        planted={"a clock that jumps loses": _FORGOTTEN} if LIBRARIES else {},
    ),
    Attack(
        "clocks-sleep",
        make_sleep,
        run_sleep,
        patience=150.0,
        planted={"a sleep loses": _FORGOTTEN},
    ),
]
