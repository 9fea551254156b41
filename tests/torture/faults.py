"""Attacks that fail on purpose, each in another way, to test the runner. They run only when asked for."""

from __future__ import annotations

import os
import time
from random import Random

from attack import Attack, Case


def make(chance: Random) -> Case:
    """Returns some values of every kind that a case may have."""
    return {
        "number": chance.random(),
        "bytes": chance.randbytes(4),
        "text": "\ud800",
        "list": [None],
    }


def raises(case: Case) -> str:
    """Raises an unexpected error."""
    return str(case["here"])


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


def fills(case: Case) -> str:
    """Takes more memory than allowed."""
    return str(len(bytearray(3 << 30)))


ATTACKS = [
    Attack("faults-raises", make, raises),
    Attack("faults-asserts", make, asserts),
    Attack("faults-ends", make, ends),
    Attack("faults-hangs", make, hangs, seconds=0.2),
    Attack("faults-waits", make, waits, patience=0.5),
    Attack("faults-fills", make, fills),
]
