"""Tries to break it, for some minutes, on all cores: reports how much was tried and what failed.

    python3 packaging/dev.py torture                         one minute of everything
    python3 packaging/dev.py torture --minutes 60 --seed 7   other cases, for an hour
    python3 packaging/dev.py torture --only files            one family, or one attack
    python3 packaging/dev.py torture --replay FILE           what failed, once more, with its traceback
    python3 packaging/dev.py torture --planted               whether each attack finds the faults planted for it
    python3 packaging/dev.py torture --planted --note        the same; writes which cases found them, to be tried first

Every case is made of the seed, the name of the attack and a number. It runs in a process with limits of memory and
time; a process that ends in the middle of a case has failed in it, and another goes on. A failure is written to
build/torture as a file that replays it. What fails and is listed in tests/torture/known.toml is counted apart, and so
is what the suite itself does wrong, which is no verdict on a case: the run fails by it too, and shows the traceback.
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
import threading
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "helpers")]

from attack import (  # noqa: E402 - found by the path above
    ENDLESS,
    ROOT,
    Attack,
    chance_of,
    memory_file,
    packed,
    seconds_of,
)
from batch import FAULTS, attacks, families, found, run_batch  # noqa: E402
from fork_server import ForkedProcess, ForkServer  # noqa: E402

OUT = ROOT / "build" / "torture"
KNOWN = FOLDER / "known.toml"
FILES_A_KIND = 3
"""So many failures of one kind are written down; the others are counted."""

MOST_SHOWN = 12
"""Kinds of failures of an attack, and files, that are printed."""

SHORTEST_BATCH_S, LONGEST_BATCH_S = 3.0, 20.0
STARTING_S = 120.0
"""A process that says nothing for so long before a case has not started."""

LOOKS = 6
"""How often it is looked what a silent process does, before its time is over."""

LONGEST_SILENCE = 10
"""So many times its time is the most for a process that says nothing, whatever it does."""

BETWEEN = 1_000_000
"""From the number of one batch's first case to the next one's."""

MOST_OWN = 3
"""An attack in which the suite itself failed so often is left out of the rest of a run; so many tracebacks are shown."""

PLANTED_CASES, PLANTED_S = 1000, 180.0
"""So many cases, and seconds, an attack has to find a planted fault."""

NUMBERS = FOLDER / "planted.json"
"""The case that finds each planted fault, by attack and fault: it is tried first. Where it finds nothing any more, all are."""

_FRAME = re.compile(r'  File "([^"]+)", line (\d+) in (\S+)')
_LOADED = re.compile(r"^Extension modules: .*$", re.MULTILINE)
_DIGITS = re.compile(r"(?<=\.py:)\d+")
"""The number of a line of a program, which other changes of it move."""


@dataclass
class Score:
    """The results of one attack."""

    seeks: str = ""  # the words of a planted fault
    found: str = ""  # the failure with them
    finder: int = 0  # the case that has failed so
    processes: int = 0
    tried: int = 0
    failed: int = 0
    known: int = 0  # failures that are listed
    own: int = 0  # cases in which the suite itself failed
    lost: int = 0  # cases in which another library hung or ended the process
    words: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    tracebacks: list[str] = field(default_factory=list)  # of the suite's own failures


@dataclass(frozen=True)
class Known:
    """Failures that are listed: those of an attack whose kind begins with some words, and the reason to leave them."""

    attack: str
    kind: str
    reason: str


def known_failures(path: Path = KNOWN) -> list[Known]:
    """Returns the failures that are listed in a file."""
    listed = tomllib.loads(path.read_text("utf-8")).get("known", [])
    return [Known(**entry) for entry in listed]


class Runner:
    """Runs batches, one on each core or so many as ``workers``, and counts."""

    def __init__(
        self, chosen: list[Attack], seed: int, out: Path, workers: int = 0, known: Path = KNOWN
    ) -> None:
        self.chosen = chosen
        self.seed = seed
        self.out = out
        self.workers = workers or os.cpu_count() or 1
        self.known = known_failures(known)
        self.listed: Counter[Known] = Counter()
        self.scores = {attack.name: Score() for attack in chosen}
        self.finders: dict[str, dict[str, int]] = {}
        """The case that has found each planted fault, by attack and fault."""
        self.broken: dict[str, str] = {}
        """The families that cannot be imported, with the tracebacks."""
        self.files: list[Path] = []
        self.unwritten: list[str] = []
        self.stopped = 0  # the signal that ends the run
        self._running: set[ForkedProcess] = set()
        self._lock = threading.RLock()

    @property
    def failed(self) -> bool:
        """Whether anything failed that is not listed, the suite itself included, or an attack began and tried nothing."""
        scores = self.scores.values()
        return bool(self.broken) or any(
            s.failed or s.own or (s.processes and not s.tried) for s in scores
        )

    def stop(self, number: int, frame: object = None) -> None:
        """Ends the run, for a signal; what it has counted stays."""
        self.stopped = number
        for process in list(self._running):
            _kill(process)

    def run_cases(self, count: int) -> None:
        """Tries so many cases of each attack, from the first on."""
        self._in_threads([lambda a=a: self._batch(a, 0, count, 1e9) for a in self.chosen])  # type: ignore[misc]

    def run_for(self, seconds: float) -> None:
        """Tries all attacks in turn until the time is over."""
        end = time.monotonic() + seconds
        share = seconds * self.workers / (2 * max(1, len(self.chosen)))
        length = min(max(share, SHORTEST_BATCH_S), LONGEST_BATCH_S)
        place = [0]

        def work() -> None:
            while (left := end - time.monotonic()) > 0 and not self.stopped:
                with self._lock:
                    fit = [a for a in self.chosen if self.scores[a.name].own < MOST_OWN]
                    if not fit:
                        return
                    attack = self.chosen[place[0] % len(self.chosen)]
                    first = place[0] // len(self.chosen) * BETWEEN
                    place[0] += 1
                if attack in fit:
                    self._batch(attack, first, BETWEEN, min(length, left))

        self._in_threads([work] * self.workers)

    def find_planted(self) -> dict[str, dict[str, str]]:
        """Returns what each attack found of the faults planted for it, by attack and fault; an empty text for nothing."""
        results: dict[str, dict[str, str]] = {attack.name: {} for attack in self.chosen}
        known = json.loads(NUMBERS.read_text("utf-8")) if NUMBERS.exists() else {}

        def seek(attack: Attack, fault: str) -> None:
            own = Score(seeks=fault)
            end = time.monotonic() + PLANTED_S
            likely = known.get(attack.name, {}).get(fault)
            if likely is not None:
                self._process(attack, likely, 1, PLANTED_S, own, fault)
            first: int | None = 0
            while first is not None and first < PLANTED_CASES and not (own.found or own.own):
                left = end - time.monotonic()
                if left <= 0 or self.stopped:
                    break
                first = self._process(attack, first, PLANTED_CASES - first, left, own, fault)
            with self._lock:
                if own.found:
                    self.finders.setdefault(attack.name, {})[fault] = own.finder
                self.scores[attack.name].tried += own.tried
                self.scores[attack.name].own += own.own
                self.scores[attack.name].tracebacks += own.tracebacks
                results[attack.name][fault] = own.found

        self._in_threads(
            [lambda a=a, f=f: seek(a, f) for a in self.chosen for f in a.planted]  # type: ignore[misc]
        )
        return results

    def _in_threads(self, works: list[Callable[[], None]]) -> None:
        """Runs all of these; an error in one of them ends it alone, and counts as the suite's own."""

        def guarded(work: Callable[[], None]) -> None:
            try:
                if not self.stopped:
                    work()
            except Exception:
                self._own(next(iter(self.scores.values()), Score()), traceback.format_exc())

        # The server first: a process with threads cannot be forked.
        with ForkServer(run_batch) as self._server, ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(guarded, works))

    def _own(self, score: Score, said: str) -> None:
        with self._lock:
            score.own += 1
            if len(score.tracebacks) < MOST_OWN:
                score.tracebacks.append(said.strip())

    def _batch(self, attack: Attack, first: int, count: int, seconds: float) -> None:
        """Runs the cases of a batch; starts another process where one ends early."""
        end = time.monotonic() + seconds
        stop = first + count
        score = self.scores[attack.name]
        while first < stop and (first == 0 or time.monotonic() < end):
            left = max(end - time.monotonic(), 0.1)
            went_on = self._process(attack, first, stop - first, left, score)
            if went_on is None or self.stopped or score.own >= MOST_OWN:
                return
            first = went_on

    def _process(
        self,
        attack: Attack,
        first: int,
        count: int,
        seconds: float,
        score: Score,
        fault: str = "",
    ) -> int | None:
        """Runs one process; returns the number of the next case, None when all are done."""
        with self._lock:
            score.processes += 1
        reader, writer = os.pipe()
        arguments = [attack.name, *map(str, (self.seed, first, count, seconds)), fault]
        with memory_file() as errors, os.fdopen(reader, "rb", buffering=0) as pipe:
            try:
                process = self._server.start(arguments, writer, errors.fileno())
            finally:
                os.close(writer)
            self._running.add(process)
            if self.stopped:
                _kill(process)
            state = _State(fault)
            hung = False
            rest = b""
            silence = _Silence(process.pid)
            while True:
                wait = attack.patience if state.running else STARTING_S
                if not select.select([pipe], [], [], wait / LOOKS)[0]:
                    hung = silence.lasts(wait)
                    if hung:
                        break
                    continue
                data = pipe.read(1 << 16)
                if not data:
                    break
                silence.ends()
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._take(score, attack, state, json.loads(line))
            if hung:
                with contextlib.suppress(ProcessLookupError):  # it says where it is, and ends
                    os.kill(process.pid, signal.SIGPROF)
                process.ends_in(5)
                _kill(process)
            code = process.exit_code()
            _kill(process)  # what it has started, and what outlived it
            self._running.discard(process)
            errors.seek(max(0, errors.seek(0, os.SEEK_END) - 20_000))
            said = errors.read().decode("utf-8", "replace")
        if self.stopped:
            return None
        if not state.running:
            if state.ended:
                return None
            if state.number is None:
                self._own(score, f"{attack.name} did not start (exit code {code}):\n{said}")
                return None
            if not state.making:
                return state.number + 1
            if code == 0:
                return state.number  # it went out of memory before this case
            what = _end_of(attack, code, hung, said, fault)["kind"]
            self._own(score, f"{attack.name} {what} as it makes case {state.number}:\n{said}")
            return state.number + 1
        assert state.number is not None
        with self._lock:
            score.tried += 1
        if state.phase == "others":
            with self._lock:
                score.lost += 1
        else:
            what = _end_of(attack, code, hung, said, fault)
            self._fail(score, attack, state.number, what, fault)
        return state.number + 1

    def _take(self, score: Score, attack: Attack, state: _State, line: dict[str, Any]) -> None:
        if "making" in line:
            state.number, state.making = line["making"], True
        elif "begin" in line:
            state.running, state.making, state.phase = True, False, "ours"
        elif "phase" in line:
            state.phase = line["phase"]
        elif "end" in line:
            state.ended = True
        else:
            state.running = state.making = False
            if "own" in line:
                about = f"{attack.name}, seed {self.seed}, case {state.number}: "
                self._own(score, f"{about}{line['own']['message']}\n{line['own']['traceback']}")
                return
            with self._lock:
                score.tried += 1
                if "held" in line:
                    score.words[line["held"]] += 1
            if "failed" in line:
                assert state.number is not None
                self._fail(score, attack, state.number, line["failed"], state.fault)

    def _fail(
        self, score: Score, attack: Attack, number: int, failure: dict[str, Any], fault: str
    ) -> None:
        kind = _DIGITS.sub("", failure["kind"])
        with self._lock:
            for known in self.known if not fault else ():
                if known.attack == attack.name and kind.startswith(_DIGITS.sub("", known.kind)):
                    score.known += 1
                    self.listed[known] += 1
                    return
            score.failed += 1
            score.kinds[failure["kind"]] += 1
            if fault and found(fault, failure):
                score.found = failure["message"].partition("\n")[0][:160]
                score.finder = number
            if fault or score.kinds[failure["kind"]] > FILES_A_KIND:
                return
            about = {"attack": attack.name, "seed": self.seed, "number": number}
            path = self.out / f"FAILURE-{attack.name}-{self.seed}-{number}.json"
            try:
                if "case" not in failure:
                    failure["case"] = packed(attack.make(chance_of(self.seed, attack.name, number)))
                self.out.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(about | failure, indent=1), encoding="utf-8")
                self.files.append(path)
            except (OSError, ValueError, MemoryError, RecursionError) as error:
                self.unwritten.append(
                    f"{attack.name}, seed {self.seed}, case {number} is not written: {error}\n"
                    f"{failure['message'][:500]}\n{failure['traceback'][-2000:]}"
                )


@dataclass
class _State:
    """What a process has reported."""

    fault: str = ""
    number: int | None = None
    making: bool = False
    running: bool = False
    phase: str = "ours"
    ended: bool = False


class _Silence:
    """How long a process says nothing. Where it or what it has started runs, or waits for a processor, that does not count."""

    def __init__(self, session: int) -> None:
        self._session = session
        self.ends()

    def ends(self) -> None:
        """It has said something."""
        self._began = self._looked = 0.0
        self._idle = 0.0
        self._busy: dict[str, float] = {}

    def lasts(self, patience: float) -> bool:
        """Returns whether it has waited for so many seconds, or has said nothing for many times as long."""
        now = time.monotonic()
        slice = patience / LOOKS
        if not self._began:
            self._began = self._looked = now - slice
        busy = self._busy_threads()
        # The busiest thread: one that has just come is taken to have been idle before.
        spent = max((busy[one] - self._busy.get(one, busy[one]) for one in busy), default=0.0)
        self._idle += max(now - self._looked - spent, 0.0)
        self._looked, self._busy = now, busy
        return self._idle >= patience or now - self._began >= LONGEST_SILENCE * patience

    def _busy_threads(self) -> dict[str, float]:
        """Returns the seconds that each thread of the session ran or waited for a processor; nothing where Linux does not tell."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                about = (process / "stat").read_text().rpartition(")")[2].split()
                if int(about[3]) != self._session:
                    continue
                for thread in (process / "task").iterdir():
                    ran, waited, _ = (thread / "schedstat").read_text().split()
                    found[thread.name] = (int(ran) + int(waited)) / 1e9
        return found


def _kill(process: ForkedProcess) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_of(attack: Attack, code: int, hung: bool, said: str, fault: str) -> dict[str, Any]:
    """Returns what ended a process in the middle of a case."""
    places = [match.groups() for match in _FRAME.finditer(said)]
    ours = [place for place in places if "tests/torture" not in place[0]] or places
    place = f" at {Path(ours[0][0]).name}:{ours[0][1]} in {ours[0][2]}" if ours else ""
    if hung:
        reason = f"waits for more than {attack.patience:g} s"
    elif code == -signal.SIGPROF:
        reason = f"{ENDLESS} {seconds_of(attack, fault):g} s of processor time"
    elif code < 0:
        reason = f"ends the process by {signal.Signals(-code).name}"
    else:
        reason = f"ends the process with {code}"
    said = _LOADED.sub("", said)[-8000:]
    return {"kind": reason + place, "message": reason + place, "traceback": said}


def _print(runner: Runner, seconds: float) -> None:
    width = max(map(len, [*runner.scores, "all"]))
    print(f"{'':{width}}  {'tried':>9}  {'failed':>7}  {'known':>7}  {'own':>5}")
    for name, score in runner.scores.items():
        words = ", ".join(f"{count:,} {word}" for word, count in score.words.most_common() if word)
        if score.lost:
            words += f", {score.lost:,} in which another library ended or hung"
        print(_row(name, width, score), f" {words}")
        for kind, count in score.kinds.most_common(MOST_SHOWN):
            print(f"{'':{width}}  {count:9,} times: {kind}")
        if len(score.kinds) > MOST_SHOWN:
            print(f"{'':{width}}  and {len(score.kinds) - MOST_SHOWN} more kinds")
    every = Score()
    for score in runner.scores.values():
        for column in ("tried", "failed", "known", "own"):
            setattr(every, column, getattr(every, column) + getattr(score, column))
    print(_row("all", width, every), f" in {seconds:.0f} s, seed {runner.seed}")
    for known, times in runner.listed.most_common():
        print(f"known, {times:,} times: {known.attack}, {known.kind}: {known.reason}")
    if runner.files:
        print(f"{len(runner.files)} files replay what failed, for example:")
    for path in sorted(runner.files)[:MOST_SHOWN]:
        print(f"  python3 packaging/dev.py torture --replay {os.path.relpath(path, ROOT)}")
    for said in runner.unwritten:
        print(f"\n{said}")
    _print_own(runner)
    if runner.stopped:
        print(f"Ended early by {signal.Signals(runner.stopped).name}.")


def _row(name: str, width: int, score: Score) -> str:
    counts = f"{score.tried:9,}  {score.failed:7,}  {score.known or '':>7}  {score.own or '':>5}"
    return f"{name:{width}}  {counts}"


def _print_own(runner: Runner) -> None:
    for family, said in runner.broken.items():
        print(f"\nThe family {family} cannot be tried:\n{said}")
    for name, score in runner.scores.items():
        for said in score.tracebacks:
            print(f"\nThe suite's own failure in {name}:\n{said}")


def _print_planted(runner: Runner, found: dict[str, dict[str, str]]) -> bool:
    """Prints what each attack found of its planted faults; returns whether all were found."""
    complete = True
    for name, faults in found.items():
        for fault, kind in faults.items():
            print(f"{name}: {fault}: {kind or 'NOT FOUND'}")
            complete = complete and bool(kind)
        if not faults:
            print(f"{name}: NO FAULT IS PLANTED")
            complete = False
    _print_own(runner)
    return complete and not runner.broken and not any(score.own for score in runner.scores.values())


def _note_finders(finders: dict[str, dict[str, int]]) -> None:
    """Writes which cases found faults, beside those of the attacks that were not tried."""
    known = json.loads(NUMBERS.read_text("utf-8")) if NUMBERS.exists() else {}
    written = json.dumps(known | finders, indent=1, sort_keys=True)
    NUMBERS.write_text(f"{written}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Returns 0 when nothing failed that is not listed."""
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
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="processes; one a core")
    parser.add_argument("--planted", action="store_true", help="find the planted faults instead")
    parser.add_argument(
        "--note", action="store_true", help=f"write to {NUMBERS.name} which cases found them"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="one failure, once more")
    parser.add_argument(
        "--out", type=Path, default=OUT, metavar="DIR", help="where failures are written"
    )
    parser.add_argument(
        "--known", type=Path, default=KNOWN, metavar="FILE", help="the failures that are listed"
    )
    options = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        parser.error("the processes are limited by means that this system does not have")
    if options.replay is not None:
        return _replay(options.replay)
    usual = families()
    wanted = options.only or usual
    every: dict[str, Attack] = {}
    broken: dict[str, str] = {}
    for family in dict.fromkeys(name.partition("-")[0] for name in wanted):
        if family not in (*usual, FAULTS):
            continue
        try:
            every |= attacks(family)
        except Exception:
            broken[family] = traceback.format_exc()
    chosen = [
        attack
        for name, attack in every.items()
        if name in wanted or name.partition("-")[0] in wanted
    ]
    if not {*every, *usual, FAULTS}.issuperset(wanted):
        parser.error(f"there is no such attack: there is {', '.join([*usual, *every])}")
    runner = Runner(chosen, options.seed, options.out, options.workers, options.known)
    runner.broken = broken
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, runner.stop)
    began = time.monotonic()
    if options.planted:
        complete = _print_planted(runner, runner.find_planted())
        if options.note:
            _note_finders(runner.finders)
        return 0 if complete and not runner.stopped else 1
    if options.cases is not None:
        runner.run_cases(options.cases)
    else:
        runner.run_for(options.minutes * 60)
    _print(runner, time.monotonic() - began)
    return 128 + runner.stopped if runner.stopped else int(runner.failed)


def _replay(path: Path) -> int:
    code = subprocess.run(
        [sys.executable, str(FOLDER / "batch.py"), str(path)], cwd=ROOT, check=False
    ).returncode
    if code < 0:
        print(f"The process was ended by {signal.Signals(-code).name}.")
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
