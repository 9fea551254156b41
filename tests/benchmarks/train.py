"""Training 32,768 pieces on 20 MB and more: time, peak memory, and what the vocabulary is worth on other text.

Each algorithm has its own peers, and runs in its own rounds.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure import Goal, Series, Timing
from report import Settings, ratio_cell, table, warn_of_samples
from texts import ROOT, SMALLEST_TO_TRAIN_ON, Text
from trainers import BPE, PARITY, SENTENCEPIECE, THREADS, TRAINERS, UNIGRAM, WORDPIECE, Trainer

TEXTS = ("english", "code", "multilingual")
SIZE = 32_768
QUICK_BYTES, QUICK_SIZE = 3_000_000, 8_192
ROUNDS = 3
REFERENCES = {
    BPE: "tokenizers",
    SENTENCEPIECE: "sentencepiece",
    WORDPIECE: "tokenizers",
    UNIGRAM: "sentencepiece",
    PARITY: "tokenizers",
}
OURS = "tokenarium"
# How many times as long as our BPE our other algorithms on bytes may take.
MOST = {"superbpe": 4.0, "picky-bpe": 3.0, "boundless-bpe": 3.0}
# Our BPE on the text of all languages, and how many times as long parity-aware BPE may take.
TOGETHER = "bpe"
MOST_OF_PARITY = 3.0
# How many times as fast as each peer we want to be.
GOALS = {
    BPE: {
        "tokenizers": 6.0,
        "sentencepiece": 3.0,
        "ffbpe": 1.0,
        "gigabpe": 1.0,
        "gigatoken": 1.0,
        "rustbpe": 1.0,
    },
    SENTENCEPIECE: {"sentencepiece": 3.0},
    WORDPIECE: {"tokenizers": 6.0},
    UNIGRAM: {"sentencepiece": 2.0},
    PARITY: {"tokenizers": 6.0},
}
WORTH = 0.99  # of the bytes per token that the best of the same kind reaches
FOLDER = ROOT / "build" / "benchmarks" / "training"


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by algorithm and text, and the goals: to be faster than each, and no larger than the leanest."""
    absent = {
        t.name: "not installed" for t in TRAINERS if importlib.util.find_spec(t.module) is None
    }
    for name, reason in absent.items():
        settings.console.print(f"[dim]{name} is left out: {reason}.[/dim]")
    results: dict[str, Any] = {"absent": absent, "threads": THREADS}
    goals: list[Goal] = []
    for name in TEXTS:
        text = settings.texts[name]
        warn_of_samples(settings.console, [text])
        train, test, size = _files(settings, text)
        for algorithm, reference in REFERENCES.items():
            if algorithm == PARITY:  # its corpora are of languages
                if name != "multilingual" or not (folder := _language_folder(settings)):
                    continue
                train = folder
            found = _rounds(settings, algorithm, absent, name, (train, test, size))
            results.setdefault(algorithm, {})[name] = {
                "bytes": _size_of(train),
                "size": size,
                "peers": {one.name: one.as_json(found.get(reference)) for one in found.values()},
            }
            goals += _goals(algorithm, name, found)
            _print(settings, f"{algorithm}, {name}", _size_of(train), size, found, reference)
    return results, goals


def _rounds(
    settings: Settings,
    algorithm: str,
    absent: dict[str, str],
    name: str,
    job: tuple[Path, Path, int],
) -> dict[str, Series]:
    """Returns what each trainer of an algorithm took for a job; one that fails is reported and left out."""
    present = [one for one in TRAINERS if one.algorithm == algorithm and one.name not in absent]
    found = {trainer.name: Series(trainer.name) for trainer in present}
    peaks: dict[str, list[int]] = {trainer.name: [] for trainer in present}
    # The first round is only to warm up, and quick runs do without it.
    for number in range(0 if settings.quick else -1, settings.rounds(ROUNDS)):
        for trainer in present:
            settings.console.print(f"[dim]train: {algorithm}, {name}, {trainer.name} …[/dim]")
            answer = _in_a_process(trainer, *job)
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
    return found


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


def _language_folder(settings: Settings) -> Path | None:
    """Returns a folder with a file for each language; None where there are no such texts."""
    most = QUICK_BYTES if settings.quick else SMALLEST_TO_TRAIN_ON
    texts = settings.texts.by_language(most)
    if not texts:
        settings.console.print("[dim]parity-bpe is left out: there are no texts by language.[/dim]")
        return None
    folder = FOLDER / "languages"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
    return folder


def _size_of(path: Path) -> int:
    """Returns the bytes of a file, or of all files in a folder."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _in_a_process(trainer: Trainer, train: Path, test: Path, size: int) -> dict[str, Any]:
    script = Path(__file__).with_name("trainers.py")
    names = [trainer.algorithm, trainer.name]
    command = [sys.executable, str(script), *names, str(train), str(test), str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {
            "failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:200]
        }
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _goals(algorithm: str, name: str, found: dict[str, Series]) -> list[Goal]:
    ours = found[OURS]
    goals = [
        Goal(f"Train {algorithm}, {name}, beside {peer}", wanted, ours.ratio(found[peer]))
        for peer, wanted in GOALS[algorithm].items()
        if peer in found
    ]
    for other, most in MOST.items():
        if other in found:
            what = f"Train, {name}, {other} in {most:g} times the time of BPE"
            goals.append(Goal(what, 1 / most, found[other].ratio(ours)))
    if TOGETHER in found:
        what = f"Train, {name}, parity-aware BPE in {MOST_OF_PARITY:g} times the time of BPE"
        goals.append(Goal(what, 1 / MOST_OF_PARITY, ours.ratio(found[TOGETHER])))
    own = (OURS, *MOST, TOGETHER)
    others = [series for series in found.values() if series.name not in own]
    if others:
        what = f"Train {algorithm}, {name}, the leanest peer's memory to ours"
        peak = min(series.extra["peak"] for series in others)
        goals.append(Goal(what, 1.0, peak / ours.extra["peak"]))
    same = [
        one.extra["bytes_a_token"] for one in others if one.extra["about"] == ours.extra["about"]
    ]
    if same:
        what = f"Train {algorithm}, {name}, our bytes per token to the best peer's"
        goals.append(Goal(what, WORTH, ours.extra["bytes_a_token"] / max(same)))
    return goals


def _print(
    settings: Settings,
    name: str,
    train_bytes: int,
    size: int,
    found: dict[str, Series],
    reference_name: str,
) -> None:
    reference = found.get(reference_name)
    heads = (
        *("", "seconds", "fastest", f"× {reference_name}"),
        *("peak MB", "of it before", "vocabulary"),
    )
    overview = table(
        f"Train {size:,} on {train_bytes / 1e6:.1f} MB, {name}, {THREADS} threads",
        (*heads, "bytes per token", "counts"),
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
