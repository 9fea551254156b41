"""The window as a user works in it: keystrokes, pastes, scrolling and the start, in fresh processes.

The real widgets are driven, with no display: what the graphics card does comes on top, and is little.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import Goal
from model_files import model_file, tokenizer_json
from probes import percentile, probe, say_if_busy, timing_cells
from report import Settings, table, warn_of_samples
from rich.markup import escape
from texts import SAMPLES

PROBE = Path(__file__).with_name("window_probe.py")

FRAME_MS = 1000 / 60
FOLLOW_MS = 100
PASTE_MS = 100
START_MS = 600
"""The goals: at most so long."""

TYPED = (
    "mixed",
    "prose-en",
    "code-python",
    "prose-de",
    "emoji",
    "prose-hi",
    "prose-ar",
    "prose-ja",
)
TYPED_BYTES = 10_000
TYPED_PLACE = 300
PASTED_BYTES = 1_000_000
HARD = "hard-"
"""Samples whose names begin so have lines that a text field cannot hold, and are left out."""

OPENED = {"gemma3": model_file, "gemma3-json": tokenizer_json}
"""The largest of the models, in both its forms: opened while the event loop is watched."""
GAP_MS = 50

LARGE_BYTES = 36_000_000
"""Of a text file that is opened while the event loop is watched."""

LARGE = "36 MB, a text file"
MEMORY_BYTES = 12
"""The goal for its memory: bytes for each of its own."""
TOKENS_MS = 2000
"""The goal for the last of its tokens."""

PROCESSES, STARTS = 3, 10
KEYS, PASTES, FRAMES = 100, 3, 300


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the milliseconds of every frame and start, and the goals."""
    rounds = settings.rounds(PROCESSES)
    order = json.dumps(
        {
            "typed": _typed(),
            "place": TYPED_PLACE,
            "pasted": _pasted(settings),
            "keys": KEYS,
            "pastes": PASTES,
            "frames": FRAMES,
        }
    )
    runs = []
    for number in range(rounds):
        settings.console.print(f"[dim]window: process {number + 1} of {rounds} …[/dim]")
        runs.append(probe(PROBE, ["work"], order))
    settings.console.print("[dim]window: starts …[/dim]")
    # The first start fills the file cache and is not counted.
    starts = [_start() for _ in range(settings.rounds(STARTS) + 1)][1:]
    opened, gaps = _open(settings, rounds)
    large = _take_in(settings, rounds)
    gaps[LARGE] = [one["gap"] for one in large]
    frames = {
        "keystroke": _joined([one["type"] for one in runs]),
        "keystroke, all strips and counts": _joined([one["follow"] for one in runs]),
        "scroll": _joined([one["scroll"] for one in runs]),
        "first screen of a paste": _joined([_of_pastes(one, "first") for one in runs]),
        "all of a paste": _joined([_of_pastes(one, "whole") for one in runs]),
        "start": {
            "first window": [one["window"] for one in starts],
            "first tokens": [one["tokens"] for one in starts],
        },
        "open": opened,
        LARGE: {what: [one[what] for one in large] for what in ("shown", "tokens")},
        "longest gap in the event loop meanwhile": gaps,
    }
    memory = [one["memory"] for one in large]
    figures = {
        "tokenizers": runs[0]["tokenizers"],
        "milliseconds": frames,
        "memory": memory,
        "processor_share": min(one["share"] for one in runs),
    }
    _print(settings, figures)
    goals = _goals(frames)
    if worst := max(memory):
        what = f"{LARGE}: {worst:.1f} bytes of memory for each byte, at most {MEMORY_BYTES}"
        goals.append(Goal(what, 1.0, MEMORY_BYTES / worst))
    return figures, goals


def _goals(frames: dict[str, dict[str, list[float]]]) -> list[Goal]:
    goals = []
    for name, found in frames["keystroke"].items():
        goals.append(
            Goal.within(f"Keystroke in {name}, median", FRAME_MS, statistics.median(found))
        )
        goals.append(Goal.within(f"Keystroke in {name}, 95 of 100", FRAME_MS, percentile(found)))
    for name, found in frames["keystroke, all strips and counts"].items():
        goals.append(Goal.within(f"All strips and counts, {name}", FOLLOW_MS, percentile(found)))
    for name, found in frames["first screen of a paste"].items():
        goals.append(Goal.within(f"1 MB pasted, {name}, worst", PASTE_MS, max(found)))
    for name, found in frames["scroll"].items():
        goals.append(Goal.within(f"1 MB scrolled, {name}, 95 of 100", FRAME_MS, percentile(found)))
    found = frames[LARGE]["tokens"]
    goals.append(Goal.within(f"{LARGE}: its last token", TOKENS_MS, statistics.median(found)))
    found = frames["start"]["first window"]
    goals.append(
        Goal.within("Start to the first window, median", START_MS, statistics.median(found))
    )
    for name, found in frames["longest gap in the event loop meanwhile"].items():
        goals.append(Goal.within(f"The window's longest pause, {name}", GAP_MS, max(found)))
    return goals


def _typed() -> str:
    """Some 10 KB with prose, code, emoji and several scripts; the first screen has them mixed."""
    text = "".join(_sample(SAMPLES / f"{name}.txt") for name in TYPED)
    return _beginning(text, TYPED_BYTES)


def _pasted(settings: Settings) -> dict[str, str]:
    """A megabyte of English in ASCII alone, and one in many languages and scripts."""
    english, many = settings.texts["english"], settings.texts["multilingual"]
    warn_of_samples(settings.console, [english, many])
    paths = (path for path in sorted(SAMPLES.glob("*.txt")) if not path.stem.startswith(HARD))
    samples = "".join(map(_sample, paths))
    plain = english.content[: 2 * PASTED_BYTES].encode("ascii", "ignore").decode()
    return {
        "ASCII": _beginning(_repeated(plain), PASTED_BYTES),
        "mixed scripts": _beginning(_repeated(samples + many.content), PASTED_BYTES),
    }


def _sample(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _repeated(text: str) -> str:
    return text * (PASTED_BYTES // len(text) + 1)


def _beginning(text: str, size: int) -> str:
    """As much of a text as ``size`` bytes hold; the characters that a text field changes are left out."""
    head = text[:size].translate({0x0D: None, 0x2029: None, 0xFDD0: None, 0xFDD1: None})
    return head.encode()[:size].decode("utf-8", "ignore")


def _start() -> dict[str, Any]:
    """Returns the milliseconds of one start, with new settings and nothing kept."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        return probe(PROBE, ["start", repr(time.time())], **homes)


def _open(settings: Settings, rounds: int) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Returns how long each file takes to be open, and the longest gap in the event loop meanwhile.

    Each is opened by two processes: for the first one the folder of caches is empty.
    """
    opened: dict[str, list[float]] = {}
    gaps: dict[str, list[float]] = {}
    text = json.dumps(_typed())
    for subject, file in OPENED.items():
        settings.console.print(f"[dim]window: {subject} is opened …[/dim]")
        try:
            path = file(subject)
        except FileNotFoundError as error:
            settings.console.print(f"[yellow]{subject} is left out: {error}.[/yellow]")
            continue
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                for number in ("first", "again"):
                    found = probe(PROBE, ["open", str(path)], text, XDG_CACHE_HOME=folder)
                    if found["failed"]:
                        what = f"{subject} is left out: {found['failed']}"
                        settings.console.print(f"[yellow]{escape(what)}[/yellow]")
                        break
                    name = f"{subject}, {number}"
                    opened.setdefault(name, []).append(found["opened"])
                    gaps.setdefault(name, []).append(found["gap"])
    return opened, gaps


def _take_in(settings: Settings, rounds: int) -> list[dict[str, Any]]:
    """Returns how long a large text takes to appear, and all its tokens, and the longest gap meanwhile."""
    settings.console.print(f"[dim]window: {LARGE} …[/dim]")
    content = settings.texts["multilingual"].content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.txt")
        data = (content * (LARGE_BYTES // len(content) + 1)).encode()[:LARGE_BYTES]
        path.write_bytes(data[: data.rfind(b"\n") + 1])
        return [probe(PROBE, ["text", str(path)]) for _ in range(rounds)]


def _of_pastes(one: dict[str, Any], what: str) -> dict[str, list[float]]:
    return {name: [paste[what] for paste in pastes] for name, pastes in one["paste"].items()}


def _joined(runs: list[dict[str, list[float]]]) -> dict[str, list[float]]:
    return {name: [value for one in runs for value in one[name]] for name in runs[0]}


def _print(settings: Settings, figures: dict[str, Any]) -> None:
    names = figures["tokenizers"]
    title = f"The window, {len(names)} tokenizers on ({', '.join(names)}); milliseconds"
    overview = table(title, ("", "median", "95 of 100", "worst", "times"))
    for what, by_text in figures["milliseconds"].items():
        for name, found in by_text.items():
            overview.add_row(f"{what}: {name}", *timing_cells(found), str(len(found)))
    settings.console.print(overview)
    say_if_busy(settings, figures["processor_share"])
    if len(names) < 4:
        settings.console.print(
            "[yellow]The goals are for four tokenizers; tiktoken's cache lacks the others.[/yellow]"
        )
