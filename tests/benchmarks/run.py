"""Runs the benchmarks: tables on the terminal, every figure in a JSON file.

    python3 packaging/dev.py bench                       all of them
    python3 packaging/dev.py bench encode lines --quick  some, with one round and less text
    python3 packaging/dev.py bench encode --only gemma3  one encoding or model
    python3 packaging/dev.py bench window --against DIR  beside another checkout, in turn: the ratios

The peers run in the same process or in processes like ours, in turn. `CONTRIBUTING.md` says more.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import platform
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from against import compare
from measure import Goal, limit_threads, one_processor
from model_files import data_folder
from report import Settings, print_goals
from rich.console import Console
from subjects import OLDER, SUBJECTS
from texts import Texts

from tokenarium.models.training.corpus import parsed_bytes

FOLDER = Path(__file__).resolve().parent
# A benchmark is a module with run(settings), which returns its figures and its goals.
NAMES = tuple(
    name
    for name in (
        "encode",
        "lines",
        "load",
        "train",
        "corpora",
        "window",
        "players",
        "sizes",
        "vocabulary",
    )
    if (FOLDER / f"{name}.py").exists()
)
ON_ONE_PROCESSOR = {"encode", "lines"}
DISTRIBUTIONS = (
    "tokenarium",
    "tiktoken",
    "tokenizers",
    "sentencepiece",
    "fastokens",
    "gigatoken",
    "splintr-rs",
    "quicktok-v1",
    "kitoken",
    "nanotoken",
    "ffbpe",
    "gigabpe",
    "toktok-rs",
    "snaptokens",
    "distributed",
    "rustbpe",
    "regex",
    "numpy",
    "PySide6-Essentials",
)


def main(arguments: list[str]) -> int:
    """Returns 0 when the benchmarks ran; whether they reached their goals is for the reader to see."""
    beside = argparse.ArgumentParser(add_help=False)
    beside.add_argument("--json", type=Path, metavar="OUT", help="write every figure to this file")
    beside.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="run another checkout, which is built, in turn with this one, and print the ratios",
    )
    beside.add_argument(
        "--turns", type=int, default=3, help="how often each of the two is run (%(default)s)"
    )
    parser = argparse.ArgumentParser(
        prog="dev.py bench", description=(__doc__ or "").split("\n")[0], parents=[beside]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(NAMES)}; all if none")
    parser.add_argument("--quick", action="store_true", help="one round, less text: only to see")
    parser.add_argument(
        "--only",
        action="append",
        metavar="SUBJECT",
        choices=[subject.name for subject in SUBJECTS + OLDER],
        help="only this encoding or model (may be given several times): %(choices)s",
    )
    parser.add_argument("--all", action="store_true", help="gpt2 and r50k_base as well")
    parser.add_argument(
        "--texts",
        type=Path,
        metavar="DIR",
        help="measure on english.txt, code.txt … in this folder",
    )
    parser.add_argument(
        "--size",
        type=parsed_bytes,
        default=0,
        help="bytes of the corpus that corpora makes, such as 10GB",
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}: choose from {', '.join(NAMES)}")
    _find_tiktoken_cache()
    limit_threads(1)
    console = Console(width=None if sys.stdout.isatty() else 132, highlight=False)
    if options.against is not None:
        alone = beside.parse_known_args(arguments)[1]
        figures = compare(console, options.against.resolve(), alone, options.turns)
        if options.json is not None:
            options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
        return 0
    subjects = SUBJECTS + OLDER if options.all else SUBJECTS
    if options.only:
        subjects = tuple(one for one in SUBJECTS + OLDER if one.name in options.only)
    settings = Settings(Texts(options.texts), console, subjects, options.quick, options.size)
    results: dict[str, Any] = {"machine": machine(), "quick": options.quick, "benchmarks": {}}
    goals: list[Goal] = []
    for name in options.names or NAMES:
        console.rule(f"[bold]{name}[/bold]")
        with one_processor() if name in ON_ONE_PROCESSOR else nullcontext():
            found, wanted = importlib.import_module(name).run(settings)
        results["benchmarks"][name] = found
        goals += wanted
        results["goals"] = [{**goal._asdict(), "reached": goal.reached} for goal in goals]
        results["texts"] = settings.texts.described()
        if options.json is not None:
            # After each benchmark, so that an interrupted run leaves what it found.
            options.json.parent.mkdir(parents=True, exist_ok=True)
            options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    print_goals(console, goals)
    if options.json is not None:
        console.print(f"Every figure: {options.json}")
    return 0


def machine() -> dict[str, Any]:
    """Returns what the figures were measured on."""
    import tokenarium_core as tc

    return {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "system": platform.platform(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "python": sys.version,
        "core_compiled": tc.COMPILED,
        "versions": {name: version for name in DISTRIBUTIONS if (version := _version(name))},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "")


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _find_tiktoken_cache() -> None:
    """Lets tiktoken, and us, read the official files of the tests' data where nothing else is set."""
    cache = data_folder() / "tokenizers" / "tiktoken-cache"
    if cache.is_dir():
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(cache))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
