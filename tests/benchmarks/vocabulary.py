"""The filter of the workspace Vocabulary on the largest vocabulary: keystrokes and clicks on heads, in fresh processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from measure import Goal
from model_files import model_file
from probes import percentile, probe, timing_cells
from report import Settings, table

PROBE = Path(__file__).with_name("vocabulary_probe.py")
FRAME_MS = 30
ROUNDS = 3


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the milliseconds of every keystroke to what is painted, and of every sort."""
    try:
        file = str(model_file("gemma3"))
    except FileNotFoundError as error:
        settings.console.print(f"[yellow]gemma3 is left out: {error}.[/yellow]")
        return {}, []
    rounds = range(settings.rounds(ROUNDS))
    runs = [probe(PROBE, [file], QT_QPA_PLATFORM="offscreen") for _ in rounds]
    frames: dict[str, list[float]] = {"first rows": [one["shown"] for one in runs]}
    for name in runs[0]["keys"]:
        frames[f"key, {name}"] = [ms for one in runs for ms in one["keys"][name]]
    frames["sort"] = [ms for one in runs for ms in one["sort"]]
    overview = table(
        f"{runs[0]['entries']:,} entries of Gemma 3, to what is painted; milliseconds",
        ("", "median", "95 of 100", "worst", "times"),
    )
    goals = []
    for name, values in frames.items():
        overview.add_row(name, *timing_cells(values), str(len(values)))
        if name != "first rows":
            what = f"Vocabulary of Gemma 3, {name}, 95 of 100"
            goals.append(Goal.within(what, FRAME_MS, percentile(values)))
    settings.console.print(overview)
    return {
        "milliseconds": frames,
        "until an expression has been tried on all": runs[0]["whole"],
    }, goals
