"""The slider of the vocabulary size, dragged through all sizes on a text of 10 KB, in a fresh process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure import BUSY, Goal
from model_files import model_file
from report import Settings, table, warn_of_samples

PROBE = Path(__file__).with_name("sizes_probe.py")
FRAME_MS = 1000 / 60
RUN_MS = 50
TEXT_BYTES = 10_000
FRAMES = 600
ENCODINGS = ("named:cl100k_base", "named:o200k_base")


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the milliseconds of every frame, and of the runs that the frames are read from."""
    text = settings.texts["english"]
    warn_of_samples(settings.console, [text])
    try:
        files = [str(model_file("gemma3"))]
    except FileNotFoundError as error:
        settings.console.print(f"[yellow]gemma3 is left out: {error}.[/yellow]")
        files = []
    content = text.content[:TEXT_BYTES]
    order = {"text": content, "subjects": ENCODINGS, "files": files}
    order |= {"frames": FRAMES // 10 if settings.quick else FRAMES}
    done = subprocess.run(
        [sys.executable, str(PROBE)],
        input=json.dumps(order),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"The page of the vocabulary size failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    overview = table(
        "Dragging through all vocabulary sizes, 10 KB of English; milliseconds",
        ("", "median", "95 of 100", "worst", "times"),
    )
    goals = []
    for name, figures in found.items():
        for what, values in figures.items():
            ordered = sorted(values)
            overview.add_row(
                f"{name}: {what}",
                f"{statistics.median(values):.1f}",
                f"{ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]:.1f}",
                f"{ordered[-1]:.1f}",
                str(len(ordered)),
            )
        frames = sorted(figures["frame"])
        slow = frames[min(len(frames) - 1, int(0.95 * len(frames)))]
        goals.append(Goal.within(f"Vocabulary size dragged, {name}, 95 of 100", FRAME_MS, slow))
        goals.append(
            Goal.within(f"Run for all sizes of 10 KB, {name}, worst", RUN_MS, max(figures["run"]))
        )
    settings.console.print(overview)
    frames, worked = (
        sum(sum(figures[what]) for figures in found.values())
        for what in ("frame", "frame, processor")
    )
    if worked < BUSY * frames:
        settings.console.print(
            f"The machine was busy with other things: {worked / frames:.0%} of a processor was left for"
            " the window. The frames took as much longer."
        )
    return found, goals
