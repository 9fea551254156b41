"""Attacks that fail on purpose, each in another way, to test the runner. They run only when asked for."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from attack import Attack, Case, apart, ended, forked
from planting import instead


def make(chance: Random) -> Case:
    """Returns some values of every kind that a case may have."""
    return {
        "number": chance.random(),
        "bytes": chance.randbytes(4),
        "text": "\ud800",
        "list": [None],
    }


def raises(case: Case) -> str:
    """Raises an unexpected error, not in a line of the tests."""
    return os.environ[f"nothing {case['number']}"]


def asserts(case: Case) -> str:
    """Fails by an assertion."""
    raise AssertionError(f"it does not hold: {case['number']}")


def ends(case: Case) -> str:
    """Ends the process."""
    os.abort()


def hangs(case: Case) -> str:
    """Never ends."""
    while True:
        pass


def waits(case: Case) -> str:
    """Waits for what never comes."""
    time.sleep(600)
    return ""


def computes(case: Case) -> str:
    """Says nothing for a little longer than it may wait, but computes."""
    end = time.process_time() + 1.1
    while time.process_time() < end:
        pass
    return "held"


def fills(case: Case) -> str:
    """Takes more memory than allowed."""
    return str(len(bytearray(3 << 30)))


def calls_what_is_gone(case: Case) -> str:
    """Calls what is not there any more, in a process of its own."""

    def work() -> None:
        os.gone()  # type: ignore[attr-defined]

    apart(work)
    return "held"


def forgets(case: Case) -> str:
    """Fails in a process whose end it does not look at."""
    ended(forked(lambda: dict[str, int]()["a key"]))
    return "held"


def cannot_make(chance: Random) -> Case:
    """Fails to make a case, in each second one."""
    if chance.random() < 0.5:
        return make(chance)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return {"text": json.dumps(deep)}


def dies_making(chance: Random) -> Case:
    """Ends the process as it makes a case."""
    os.abort()


def holds(case: Case) -> str:
    """Does not fail."""
    return "held"


def answer() -> int:
    """Returns what is right."""
    return 42


def sees(case: Case) -> str:
    """Fails where what it looks at is wrong."""
    assert answer() == 42, "another answer"
    return "held"


def sees_rarely(case: Case) -> str:
    """Looks only in few cases."""
    return sees(case) if case["number"] > 0.9 else "held"


WRONG = {
    "another answer": instead(sys.modules[__name__], "answer", lambda before: lambda: before() + 1)
}

ATTACKS = [
    Attack("faults-raises", make, raises),
    Attack("faults-asserts", make, asserts),
    Attack("faults-ends", make, ends),
    Attack("faults-hangs", make, hangs, seconds=0.2),
    Attack("faults-waits", make, waits, patience=0.5),
    *(
        [Attack("faults-computes", make, computes, patience=1.0)]
        if Path("/proc/self/schedstat").exists()
        else []
    ),
    Attack("faults-fills", make, fills),
    Attack("faults-gone", make, calls_what_is_gone),
    Attack("faults-forgotten", make, forgets),
    Attack("faults-unmade", cannot_make, holds),
    Attack("faults-unmaking", dies_making, holds),
    Attack("faults-blind", make, holds, planted=WRONG),
    Attack("faults-seeing", make, sees, planted=WRONG),
    Attack("faults-rare", make, sees_rarely, planted=WRONG),
]
