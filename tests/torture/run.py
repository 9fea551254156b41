"""Tries to break it, for some minutes, on all cores: reports how much was tried and what failed.

    python3 packaging/dev.py torture                         one minute of everything
    python3 packaging/dev.py torture --minutes 60 --seed 7   other cases, for an hour
    python3 packaging/dev.py torture --only files            one family, or one attack
    python3 packaging/dev.py torture --replay FILE           what failed, once more, with its traceback

Every case is made of the seed, the name of the attack and a number. It runs in a process with limits of memory and
time; a process that ends in the middle of a case has failed in it, and another goes on. A failure is written to
build/torture as a file that replays it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "helpers")]

from attack import ROOT, Attack, chance_of, packed  # noqa: E402 - found by the path above
from batch import FAMILIES, FAULTS, attacks  # noqa: E402

OUT = ROOT / "build" / "torture"
FILES_A_KIND = 3
"""So many failures of one kind are written down; the others are counted."""

MOST_SHOWN = 12
"""Kinds of failures of an attack, and files, that are printed."""

SHORTEST_BATCH_S, LONGEST_BATCH_S = 3.0, 20.0
STARTING_S = 120.0
"""A process that says nothing for so long before a case has not started."""

BETWEEN = 1_000_000
"""From the number of one batch's first case to the next one's."""

_FRAME = re.compile(r'  File "([^"]+)", line (\d+) in (\S+)')
_DIGITS = re.compile(r"\d+")


@dataclass
class Score:
    """The results of one attack."""

    tried: int = 0
    failed: int = 0
    lost: int = 0  # cases in which another library hung or ended the process
    words: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    batches: int = 0


class Runner:
    """Runs batches, one on each core, and counts."""

    def __init__(self, chosen: list[Attack], seed: int, out: Path) -> None:
        self.chosen = chosen
        self.seed = seed
        self.out = out
        self.scores = {attack.name: Score() for attack in chosen}
        self.files: list[Path] = []
        self._lock = threading.Lock()

    def run_cases(self, count: int) -> None:
        """Tries so many cases of each attack, from the first on."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda attack: self._batch(attack, 0, count, 1e9), self.chosen))

    def run_for(self, seconds: float) -> None:
        """Tries all attacks in turn until the time is over."""
        cores = os.cpu_count() or 1
        end = time.monotonic() + seconds
        share = seconds * cores / (2 * len(self.chosen))
        length = min(max(share, SHORTEST_BATCH_S), LONGEST_BATCH_S)
        place = [0]

        def work(_: int) -> None:
            while (left := end - time.monotonic()) > 0:
                with self._lock:
                    attack = self.chosen[place[0] % len(self.chosen)]
                    first = place[0] // len(self.chosen) * BETWEEN
                    place[0] += 1
                self._batch(attack, first, BETWEEN, min(length, left))

        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(work, range(cores)))

    def _batch(self, attack: Attack, first: int, count: int, seconds: float) -> None:
        """Runs the cases of a batch; starts another process where one ends early."""
        end = time.monotonic() + seconds
        stop = first + count
        while first < stop and (first == 0 or time.monotonic() < end):
            went_on = self._process(attack, first, stop - first, max(end - time.monotonic(), 0.1))
            if went_on is None:
                return
            first = went_on

    def _process(self, attack: Attack, first: int, count: int, seconds: float) -> int | None:
        """Runs one process; returns the number of the next case, None when all are done."""
        score = self.scores[attack.name]
        reader, writer = os.pipe()
        command = [
            *(sys.executable, str(FOLDER / "batch.py"), str(writer), attack.name),
            *(str(self.seed), str(first), str(count), str(seconds)),
        ]
        with tempfile.TemporaryFile() as errors, os.fdopen(reader, "rb", buffering=0) as pipe:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                pass_fds=(writer,),
                start_new_session=True,  # so that it ends with all that it has started
            )
            os.close(writer)
            state = _State()
            hung = False
            rest = b""
            while True:
                wait = attack.patience if state.running else STARTING_S
                if not select.select([pipe], [], [], wait)[0]:
                    hung = True
                    break
                data = pipe.read(1 << 16)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._take(score, attack, state, json.loads(line))
            if hung:
                _kill(process)
            code = process.wait()
            _kill(process)  # what it has started, and what outlived it
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")
        if not state.running:
            if state.number is None:
                raise RuntimeError(f"{attack.name} did not start (exit code {code}):\n{said}")
            return None if state.ended else state.number + 1
        assert state.number is not None
        with self._lock:
            score.tried += 1
        if state.phase == "others":
            with self._lock:
                score.lost += 1
        else:
            self._fail(score, attack, state.number, _end_of(attack, code, hung, said))
        return state.number + 1

    def _take(self, score: Score, attack: Attack, state: _State, line: dict[str, Any]) -> None:
        if "begin" in line:
            state.number, state.running, state.phase = line["begin"], True, "ours"
        elif "phase" in line:
            state.phase = line["phase"]
        elif "end" in line:
            state.ended = True
            state.number = line["end"]
        else:
            state.running = False
            with self._lock:
                score.tried += 1
                if "held" in line:
                    score.words[line["held"]] += 1
            if "failed" in line:
                assert state.number is not None
                self._fail(score, attack, state.number, line["failed"])

    def _fail(self, score: Score, attack: Attack, number: int, failure: dict[str, Any]) -> None:
        with self._lock:
            score.failed += 1
            score.kinds[failure["kind"]] += 1
            if score.kinds[failure["kind"]] > FILES_A_KIND:
                return
            about = {"attack": attack.name, "seed": self.seed, "number": number}
            if "case" not in failure:
                failure["case"] = packed(attack.make(chance_of(self.seed, attack.name, number)))
            self.out.mkdir(parents=True, exist_ok=True)
            path = self.out / f"FAILURE-{attack.name}-{self.seed}-{number}.json"
            path.write_text(json.dumps(about | failure, indent=1), encoding="utf-8")
            self.files.append(path)


@dataclass
class _State:
    """What a process has reported."""

    number: int | None = None
    running: bool = False
    phase: str = "ours"
    ended: bool = False


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_of(attack: Attack, code: int, hung: bool, said: str) -> dict[str, Any]:
    """Returns what ended a process in the middle of a case."""
    places = [match.groups() for match in _FRAME.finditer(said)]
    ours = [place for place in places if "tests/torture" not in place[0]] or places
    place = f" at {Path(ours[0][0]).name}:{ours[0][1]} in {ours[0][2]}" if ours else ""
    if hung:
        reason = f"waits for more than {attack.patience:g} s"
    elif code == -signal.SIGPROF:
        reason = f"takes more than {attack.seconds:g} s of processor time"
    elif code < 0:
        reason = f"ends the process by {signal.Signals(-code).name}"
    else:
        reason = f"ends the process with {code}"
    return {"kind": reason + place, "message": reason + place, "traceback": said[-8000:]}


def _print(runner: Runner, seconds: float) -> None:
    width = max(map(len, runner.scores))
    print(f"{'':{width}}  {'tried':>9}  {'failed':>7}")
    for name, score in runner.scores.items():
        words = ", ".join(f"{count:,} {word}" for word, count in score.words.most_common() if word)
        if score.lost:
            words += f", {score.lost:,} in which another library ended or hung"
        print(f"{name:{width}}  {score.tried:9,}  {score.failed:7,}  {words}")
        for kind, count in score.kinds.most_common(MOST_SHOWN):
            print(f"{'':{width}}  {count:9,} times: {kind}")
        if len(score.kinds) > MOST_SHOWN:
            print(f"{'':{width}}  and {len(score.kinds) - MOST_SHOWN} more kinds")
    tried = sum(score.tried for score in runner.scores.values())
    failed = sum(score.failed for score in runner.scores.values())
    print(f"{'all':{width}}  {tried:9,}  {failed:7,}  in {seconds:.0f} s, seed {runner.seed}")
    if runner.files:
        print(f"{len(runner.files)} files replay what failed, for example:")
    for path in sorted(runner.files)[:MOST_SHOWN]:
        print(f"  python3 packaging/dev.py torture --replay {os.path.relpath(path, ROOT)}")


def main(arguments: list[str]) -> int:
    """Returns 0 when nothing failed."""
    parser = argparse.ArgumentParser(
        prog="dev.py torture",
        description=(__doc__ or "").split("\n\n")[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=1.0, metavar="N", help="how long; 1")
    parser.add_argument("--cases", type=int, metavar="N", help="so many of each attack instead")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="other cases; 1")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="a family or an attack, may be given several times",
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="one failure, once more")
    parser.add_argument(
        "--out", type=Path, default=OUT, metavar="DIR", help="where failures are written"
    )
    options = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        parser.error("the processes are limited by means that this system does not have")
    if options.replay is not None:
        return _replay(options.replay)
    every = attacks(*FAMILIES, FAULTS)
    wanted = options.only or FAMILIES
    chosen = [
        attack
        for name, attack in every.items()
        if name in wanted or name.partition("-")[0] in wanted
    ]
    known = {*every, *FAMILIES, FAULTS}
    if not known.issuperset(wanted):
        parser.error(f"there is no such attack: there is {', '.join([*FAMILIES, *every])}")
    runner = Runner(chosen, options.seed, options.out)
    began = time.monotonic()
    if options.cases is not None:
        runner.run_cases(options.cases)
    else:
        runner.run_for(options.minutes * 60)
    _print(runner, time.monotonic() - began)
    return 1 if runner.files else 0


def _replay(path: Path) -> int:
    code = subprocess.run(
        [sys.executable, str(FOLDER / "batch.py"), "--replay", str(path)], cwd=ROOT, check=False
    ).returncode
    if code < 0:
        print(f"The process was ended by {signal.Signals(-code).name}.")
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
