"""The slider of the vocabulary size, dragged through all sizes on a text of 10 KB, in a fresh process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measure import Goal
from model_files import model_file
from probes import percentile, probe, say_if_busy, timing_cells
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
    found = probe(PROBE, [], json.dumps(order))
    overview = table(
        "Dragging through all vocabulary sizes, 10 KB of English; milliseconds",
        ("", "median", "95 of 100", "worst", "times"),
    )
    goals = []
    for name, figures in found.items():
        for what, values in figures.items():
            overview.add_row(f"{name}: {what}", *timing_cells(values), str(len(values)))
        slow = percentile(figures["frame"])
        goals.append(Goal.within(f"Vocabulary size dragged, {name}, 95 of 100", FRAME_MS, slow))
        goals.append(
            Goal.within(f"Run for all sizes of 10 KB, {name}, worst", RUN_MS, max(figures["run"]))
        )
    settings.console.print(overview)
    frames, worked = (
        sum(sum(figures[what]) for figures in found.values())
        for what in ("frame", "frame, processor")
    )
    say_if_busy(settings, worked / frames if frames else 1.0)
    return found, goals
