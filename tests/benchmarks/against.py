"""Runs the benchmarks of this checkout and of another one in turn, and prints the ratios of all figures that both have.

    python3 packaging/dev.py bench window --against ../before          three turns of each
    python3 packaging/dev.py bench encode --against ../before --turns 5

The other checkout has to be built: its own ``.venv`` runs its own benchmarks. What a turn measures several times counts
with its median.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from report import table
from rich.console import Console
from rich.markup import escape

RUN = Path("tests", "benchmarks", "run.py")

Figures = dict[str, list[float]]
"""The figure of each turn, by its path in the JSON of a run."""


def compare(console: Console, other: Path, arguments: list[str], turns: int) -> dict[str, Any]:
    """Returns the medians of both checkouts, which are also printed; SystemExit if the other one cannot be run."""
    python = other / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (other / RUN).is_file() or not python.is_file():
        raise SystemExit(
            f"{other} is not a checkout that is built: run “python3 packaging/dev.py bench --help” in it first."
        )
    here = Path(__file__).resolve().parents[2]
    ours: Figures = {}
    theirs: Figures = {}
    for turn in range(turns):
        for name, root, program, figures in (
            ("the other", other, str(python), theirs),
            ("this", here, sys.executable, ours),
        ):
            console.print(f"[dim]turn {turn + 1} of {turns}: {name} checkout …[/dim]")
            for path, figure in figures_of(_run(root, program, arguments)):
                figures.setdefault(path, []).append(figure)
    rows = {
        path: {"before": statistics.median(theirs[path]), "now": statistics.median(ours[path])}
        for path in ours
        if path in theirs
    }
    _print(console, rows, [path for path in (*ours, *theirs) if path not in rows])
    return {"turns": turns, "figures": rows}


def figures_of(tree: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Yields the numbers of a tree with the names that lead to each; a list of numbers counts as its median.

    Of frames, each the milliseconds on the clock and those of processor time, both count so.

    >>> list(figures_of({"keystroke": {"10 KB": [1, 9, 2]}, "title": "x"}))
    [('keystroke · 10 KB', 2)]
    >>> list(figures_of({"step": [[5, 1], [9, 3], [7, 2]]}))
    [('step', 7), ('step · processor', 2)]
    """
    if isinstance(tree, dict):
        for name, inner in tree.items():
            yield from figures_of(inner, f"{path} · {name}" if path else name)
    elif isinstance(tree, list):
        if tree and all(_is_number(value) for value in tree):
            yield path, statistics.median(tree)
        elif tree and all(isinstance(frame, list) and len(frame) == 2 for frame in tree):
            for name, values in zip(
                (path, f"{path} · processor"), zip(*tree, strict=True), strict=True
            ):
                yield name, statistics.median(values)
    elif _is_number(tree):
        yield path, tree


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _run(root: Path, program: str, arguments: list[str]) -> Any:
    """Returns what a checkout's benchmarks write as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "figures.json")
        command = [program, str(root / RUN), *arguments, "--json", str(out)]
        done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", check=False)
        if done.returncode != 0 or not out.is_file():
            raise SystemExit(f"The benchmarks of {root} failed:\n{done.stdout}{done.stderr}")
        return json.loads(out.read_text(encoding="utf-8"))["benchmarks"]


def _print(console: Console, rows: dict[str, dict[str, float]], single: list[str]) -> None:
    made = table("This checkout and the other", ("figure", "other", "this", "this / other"))
    for path, row in rows.items():
        ratio = f"{row['now'] / row['before']:.2f}" if row["before"] else ""
        made.add_row(escape(path), f"{row['before']:.4g}", f"{row['now']:.4g}", ratio)
    console.print(made)
    if single:
        console.print(
            f"[dim]Only one of them has: {escape(', '.join(dict.fromkeys(single)))}[/dim]"
        )
