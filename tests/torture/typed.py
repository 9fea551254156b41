"""Kills and signals while someone works in the window: what was typed and made is there at the next start."""

from __future__ import annotations

import hashlib
import json
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from attack import ROOT, Attack, Case, apart
from planting import instead
from surroundings import _fill, _has_disks, _mount
from typed_places import PLACES

import tokenarium_core as tc
from tokenarium.models.training.store import Store

TYPIST = ROOT / "tests" / "helpers" / "typist.py"

LOST_S = 2.0
"""Seconds of typing that a kill may take."""

RATE = 3.0
"""Words a second, where a case says nothing else."""

STARTING_S = 50.0
NUMBERS = ("ids to decode", "bytes to encode")

ENDS = ("SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "close")


class Window:
    """A window in a process of its own, and a person at it."""

    def __init__(
        self, home: Path, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> None:
        (home / "run").mkdir(parents=True, exist_ok=True, mode=0o700)
        everything = os.environ | {
            "QT_QPA_PLATFORM": "offscreen",
            "HOME": str(home),
            "TOKENARIUM_DATA": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            **(environment or {}),
        }
        self.process = subprocess.Popen(
            [sys.executable, str(TYPIST), *arguments],
            env=everything,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        os.set_blocking(self.process.stdout.fileno(), False)
        self._rest = b""
        self.lines: list[dict[str, Any]] = []

    def read(self, until: float) -> bool:
        """Takes what the window says until a time; returns False once it has ended."""
        pipe = self.process.stdout
        assert pipe is not None
        while (left := until - time.monotonic()) > 0:
            if not select.select([pipe], [], [], left)[0]:
                return True
            data = pipe.read()
            if not data:
                return False
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.lines += [json.loads(line) for line in lines]
        return True

    def first(self) -> dict[str, Any]:
        """Returns the first line that it says."""
        end = time.monotonic() + STARTING_S
        while not self.lines:
            goes_on = self.read(min(end, time.monotonic() + 0.2)) and time.monotonic() < end
            assert goes_on or self.lines, f"the window does not come: {self.errors()}"
        return self.lines[0]

    def errors(self) -> str:
        """Returns what went to the error output, of a window that is ended."""
        self.process.kill()
        return self.process.communicate()[1].decode("utf-8", "replace")[-3000:]

    def end(self, how: str) -> None:
        """Ends it, and waits for that."""
        if how == "close":
            assert self.process.stdin is not None
            self.process.stdin.write(b"close\n")
            self.process.stdin.flush()
        else:
            self.process.send_signal(getattr(signal, how))
        while self.read(time.monotonic() + STARTING_S):
            assert time.monotonic() < 0, (
                f"a window that was ended by {how} goes on: {self.errors()}"
            )
        code = self.process.wait()
        said = self.errors()
        assert "Traceback" not in said, said
        wanted = {"SIGKILL": -9, "close": 0}.get(how)
        if wanted is None:
            wanted = 128 + getattr(signal, how)
        assert code == wanted, f"a window that was ended by {how} ends with {code}"

    def read_words(self, seconds: float, rate: float) -> float:
        """Takes what the window says for so long, and until a kill leaves a word; returns the time then."""
        until = time.monotonic() + seconds
        end = time.monotonic() + STARTING_S
        while self.read(until) and not self.typed("SIGKILL", until, rate):
            assert time.monotonic() < end, "nothing was typed"
            until = time.monotonic() + 0.1
        return time.monotonic()

    def typed(self, how: str, at: float, rate: float) -> str:
        """Returns what has to come back of a window that was ended at a time, of so many words a second.

        A kill may take the last two seconds: by the clock, and by the words. On a busy machine both the words and what
        keeps them come late.
        """
        words = [line for line in self.lines if "text" in line and line["t"] <= at]
        count = len(words)
        if how == "SIGKILL":
            early = [word for word in words if word["t"] <= at - LOST_S]
            count = min(len(early), count - math.ceil(LOST_S * rate))
        return str(words[count - 1]["text"]) if count > 0 else ""


def texts_of(home: Path, *places: str, environment: Mapping[str, str] | None = None) -> list[str]:
    """Returns the texts that the next start has."""
    window = Window(home, "look", *places, environment=environment)
    found = window.first()
    window.errors()  # it ends by itself, or now
    return [str(text) for text in found["texts"]]


def make_field(chance: Random) -> Case:
    """Returns a field, and how and when the program ends while someone types in it."""
    return {
        "field": chance.choice(list(PLACES)),
        "end": chance.choice(ENDS),
        "after_ms": chance.randrange(2200, 4200),
        "rate": chance.choice([2.0, 4.0, 12.0]),
    }


def run_field(case: Case) -> str:
    """Types in a field; after a kill all but the last two seconds come back, and after any other end all."""
    home = Path("home").absolute()
    word = "12" if case["field"] in NUMBERS else "word"
    window = Window(home, "type", case["field"], str(case["rate"]), word)
    assert window.first()["focus"], f"the field “{case['field']}” gets no focus"
    at = window.read_words(case["after_ms"] / 1000, case["rate"])
    window.end(case["end"])
    wanted = window.typed(case["end"], at, case["rate"])
    assert wanted, "nothing was typed"
    found = texts_of(home, case["field"])
    assert any(wanted in text for text in found), f"what was typed is lost: {case['field']}"
    return f"{case['end']}"


def make_windows(chance: Random) -> Case:
    """Returns two fields, in two windows on one home, and how each window ends."""
    return {
        "fields": [chance.choice(list(PLACES)), chance.choice(list(PLACES))],
        "ends": [chance.choice(ENDS), chance.choice(ENDS)],
        "after_ms": chance.randrange(2200, 3200),
        "turned": chance.random() < 0.5,
    }


def run_windows(case: Case) -> str:
    """Types in two windows at once; what was typed in each of them is back or offered at the next start."""
    home = Path("home").absolute()
    words = ["12" if field in NUMBERS else f"w{n}" for n, field in enumerate(case["fields"], 1)]
    windows = [
        Window(home, "type", field, str(RATE), word)
        for field, word in zip(case["fields"], words, strict=True)
    ]
    for window in windows:
        window.first()
    window.read_words(case["after_ms"] / 1000, RATE)
    windows[0].read_words(0.1, RATE)
    wanted = []
    places = [1, 0] if case["turned"] else [0, 1]
    for place in places:
        at = time.monotonic()
        how = case["ends"][place]
        windows[place].end(how)
        wanted.append(windows[place].typed(how, at, RATE))
    found = texts_of(home, *case["fields"])
    for place, text in zip(places, wanted, strict=True):
        there = bool(text) and any(text in one for one in found)
        assert there, f"a window loses what was typed: {case['fields'][place]}"
    return "both"


def make_disk(chance: Random) -> Case:
    """Returns a field, and how little room there is for what is typed."""
    return {
        "field": chance.choice(["text", "welcome", "words to extend with", "chat message"]),
        "bytes": chance.choice([0, 100, 4096]),
        "again": chance.random() < 0.5,
    }


def run_disk(case: Case) -> str:
    """Types on a full disk: the window says so, and once there is room, what was typed is kept without more ado."""
    if not _has_disks():
        return "not tried: a disk of its own takes an administrator"
    Path("home").mkdir()
    apart(lambda: _on_full_disk(case))
    return "said"


def _on_full_disk(case: Case) -> None:
    home = Path("home").absolute()
    _mount(home, 4 << 20)
    _fill(home, case["bytes"])
    window = Window(home, "type", case["field"], str(RATE), "word")
    window.first()
    end = time.monotonic() + STARTING_S
    while not any("not kept" in line.get("said", "") for line in window.lines):
        assert time.monotonic() < end, "a full disk says nothing"
        window.read(time.monotonic() + 0.2)
    (home / "filler").unlink()
    while "not kept" in window.lines[-1].get("said", ""):
        assert time.monotonic() < end, "what is said of a full disk stays when there is room"
        window.read(time.monotonic() + 0.2)
    at = window.read_words(LOST_S + 1, RATE)
    window.end("SIGKILL")
    wanted = window.typed("SIGKILL", at, RATE)
    found = texts_of(home, case["field"])
    assert any(wanted in text for text in found), "what was typed on a full disk is lost"


def make_work(chance: Random) -> Case:
    """Returns what the window is making, and when it is killed, twice."""
    return {
        "work": chance.choice(["change", "train"]),
        "after_ms": [chance.randrange(3000) for _ in range(2)],
    }


def run_work(case: Case) -> str:
    """Kills a window that makes tokenizers; those that it had shown are there, whole, and the next start works."""
    home = Path("home").absolute()
    kept: set[str] = set()
    for after in case["after_ms"]:
        window = Window(home, case["work"])
        window.first()
        end = time.monotonic() + STARTING_S
        while not any(line.get("kept") for line in window.lines) and time.monotonic() < end:
            window.read(time.monotonic() + 0.1)
        window.read(time.monotonic() + after / 1000)
        window.end("SIGKILL")
        kept |= {key for line in window.lines for key in line.get("kept", ())}
        assert kept, "the window makes nothing"
        store = Store(home / "data" / "trained")
        found = {trained.identity: trained for trained in store.all()}
        assert kept <= set(found), "a tokenizer that the window had is lost"
        for trained in found.values():
            content = store.path(trained).read_bytes()
            whole = hashlib.sha256(content).hexdigest() == trained.content
            assert whole, "a tokenizer that the window made is half there"
            assert tc.open(store.path(trained)).encode_ids("the cat")
    assert texts_of(home), "the next start shows nothing"
    return str(case["work"])


def _forgetting(before: Any) -> Any:
    """Has the program lose what it keeps between two runs."""

    def look(home: Path, *places: str) -> list[str]:
        shutil.rmtree(home / "data")
        return list(before(home, *places))

    return look


_FORGOTTEN = instead(sys.modules[__name__], "texts_of", _forgetting)

ATTACKS = [
    Attack(
        "typed-field",
        make_field,
        run_field,
        patience=150.0,
        planted={"what was typed is lost": _FORGOTTEN},
    ),
    Attack(
        "typed-windows",
        make_windows,
        run_windows,
        patience=200.0,
        planted={"a window loses what was typed": _FORGOTTEN},
    ),
    Attack(
        "typed-work",
        make_work,
        run_work,
        patience=200.0,
        planted={
            "a tokenizer that the window had is lost": instead(
                Store, "all", lambda before: lambda store: []
            )
        },
    ),
    Attack(
        "typed-disk",
        make_disk,
        run_disk,
        patience=200.0,
        planted={"what was typed on a full disk is lost": _FORGOTTEN},
    ),
]
