"""Training 32,768 pieces on 20 MB and more: time, peak memory, and what the vocabulary is worth on other text."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from corpora import ROOT, SMALLEST_TO_TRAIN_ON, Text
from measure import Goal, Series, Timing
from report import Settings, ratio_cell, table, warn_of_samples
from trainers import THREADS, TRAINERS

TEXTS = ("english", "code", "multilingual")
SIZE = 32_768
QUICK_BYTES, QUICK_SIZE = 3_000_000, 8_192
ROUNDS = 3
REFERENCE = "tokenizers"
OURS = "tokenarium"
SUPERBPE = "superbpe"
# How many times as long as our BPE our SuperBPE may take.
MOST_OF_SUPERBPE = 4.0
# How many times as fast as each peer we want to be.
GOALS = {"tokenizers": 6.0, "sentencepiece": 3.0, "ffbpe": 1.0, "gigatoken": 1.0, "rustbpe": 1.0}
FOLDER = ROOT / "build" / "benchmarks" / "training"


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by text, and the goals: to be faster than each, and no larger than the leanest."""
    absent = {
        t.name: "not installed" for t in TRAINERS if importlib.util.find_spec(t.module) is None
    }
    present = [trainer for trainer in TRAINERS if trainer.name not in absent]
    for name, reason in absent.items():
        settings.console.print(f"[dim]{name} is left out: {reason}.[/dim]")
    results: dict[str, Any] = {"absent": absent, "threads": THREADS}
    goals: list[Goal] = []
    for name in TEXTS:
        text = settings.texts[name]
        warn_of_samples(settings.console, [text])
        train, test, size = _files(settings, text)
        found = {trainer.name: Series(trainer.name) for trainer in present}
        peaks: dict[str, list[int]] = {trainer.name: [] for trainer in present}
        # The first round is only to warm up, and quick runs do without it.
        for number in range(0 if settings.quick else -1, settings.rounds(ROUNDS)):
            for trainer in present:
                settings.console.print(f"[dim]train: {name}, {trainer.name} …[/dim]")
                answer = _in_a_process(trainer.name, train, test, size)
                if "failed" in answer:
                    absent[trainer.name] = answer["failed"]
                    found.pop(trainer.name, None)
                    settings.console.print(f"[dim]{trainer.name} failed: {answer['failed']}[/dim]")
                elif number >= 0:
                    found[trainer.name].passes.append(Timing(*answer.pop("timing")))
                    peaks[trainer.name].append(answer["peak"])
                    found[trainer.name].extra = answer
            present = [trainer for trainer in present if trainer.name in found]
        for series in found.values():
            series.extra["peak"] = min(peaks[series.name])
            series.extra["peaks"] = peaks[series.name]
        reference = found.get(REFERENCE)
        results[name] = {
            "bytes": train.stat().st_size,
            "size": size,
            "peers": {one.name: one.as_json(reference) for one in found.values()},
        }
        goals += _goals(name, found)
        _print(settings, name, train.stat().st_size, size, found)
    return results, goals


def _files(settings: Settings, text: Text) -> tuple[Path, Path, int]:
    """Returns the file to train on, the file to test on, and the size of the vocabulary."""
    train, test = text.train_and_test()
    if settings.quick:
        train = train[: QUICK_BYTES * len(train) // text.size]
    FOLDER.mkdir(parents=True, exist_ok=True)
    paths = (FOLDER / f"{text.name}.txt", FOLDER / f"{text.name}-test.txt")
    for path, content in zip(paths, (train, test), strict=True):
        path.write_bytes(content.encode())
    size = QUICK_SIZE if settings.quick else SIZE
    if not settings.quick and paths[0].stat().st_size < SMALLEST_TO_TRAIN_ON:
        settings.console.print(
            f"[yellow]{text.name} has {paths[0].stat().st_size / 1e6:.1f} MB to train on; "
            f"the goals are for {SMALLEST_TO_TRAIN_ON / 1e6:.0f} MB or more.[/yellow]"
        )
    return *paths, size


def _in_a_process(name: str, train: Path, test: Path, size: int) -> dict[str, Any]:
    script = Path(__file__).with_name("trainers.py")
    command = [sys.executable, str(script), name, str(train), str(test), str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {
            "failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:200]
        }
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _goals(name: str, found: dict[str, Series]) -> list[Goal]:
    ours = found[OURS]
    goals = [
        Goal(f"Train, {name}, beside {peer}", wanted, ours.ratio(found[peer]))
        for peer, wanted in GOALS.items()
        if peer in found
    ]
    if SUPERBPE in found:
        what = f"Train, {name}, SuperBPE in {MOST_OF_SUPERBPE:g} times the time of BPE"
        goals.append(Goal(what, 1 / MOST_OF_SUPERBPE, found[SUPERBPE].ratio(ours)))
    others = [
        series.extra["peak"] for series in found.values() if series.name not in (OURS, SUPERBPE)
    ]
    if others:
        what = f"Train, {name}, the leanest peer's memory to ours"
        goals.append(Goal(what, 1.0, min(others) / ours.extra["peak"]))
    return goals


def _print(
    settings: Settings, name: str, train_bytes: int, size: int, found: dict[str, Series]
) -> None:
    reference = found.get(REFERENCE)
    heads = ("", "seconds", "fastest", f"× {REFERENCE}", "peak MB", "of it before", "vocabulary")
    overview = table(
        f"Train {size:,} on {train_bytes / 1e6:.1f} MB, {name}, {THREADS} threads",
        (*heads, "bytes a token", "counts"),
    )
    for series in found.values():
        extra = series.extra
        overview.add_row(
            series.name,
            f"{series.median:.2f}",
            f"{series.minimum:.2f}",
            ratio_cell(series, reference),
            f"{extra['peak'] / 1e6:.0f}",
            f"{extra['peak_before'] / 1e6:.0f}",
            f"{extra['vocabulary']:,}",
            f"{extra['bytes_a_token']:.3f}",
            extra["about"],
        )
    settings.console.print(overview)
