"""The players as a user moves them: step after step, on and back, scrubbing, and what slides meanwhile.

The real window is driven as the benchmark ``window`` does it, 1280 × 800 large. Then what else moves in one of
1440 × 900: the card "Why not one token?", the presentation, the player of a training, and the board of Train.
"""

from __future__ import annotations

import json
import statistics
from itertools import chain
from pathlib import Path
from typing import Any

from measure import Goal
from model_files import model_file, vocab_txt
from probes import percentile, probe, say_if_busy, timing_cells
from report import Settings, table, warn_of_samples
from texts import SAMPLES

PROBE = Path(__file__).with_name("players_probe.py")

FRAME_MS = 1000 / 60
TRACE_MS = 50
"""The goals: at most so long."""

Frame = list[float]
"""Milliseconds on the clock, and of processor time."""

PLAYED = {
    "cl100k_base": None,
    "gemma3": model_file,
    "mistral": model_file,
    "unigram": model_file,
    "wordpiece": vocab_txt,
}
"""A model of each kind; the encoding is a name of its own."""

SCRIPTS = ("emoji", "prose-hi", "prose-ar", "prose-ja", "code-python")
"""Samples whose beginnings make one text together, hard to draw."""

STRETCH = 1000
STEPS, JUMPS, SLIDES = 1000, 200, 40
QUICK_STEPS, QUICK_JUMPS, QUICK_SLIDES = 100, 20, 4
"""The same with ``--quick``: the usual ones of five models on two texts are more than ten thousand frames."""

TRACED_BYTES, TRACES = 10_000, 20
VIEWED_BYTES, VIEWED = 3_000, 160
QUICK = 40
"""The text of the other views, and how many steps each takes; fewer with ``--quick``."""

OPENED_MS = 50
"""The goal of what is opened for the first time."""


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the milliseconds of every frame by model and text, and the goals."""
    english = settings.texts["english"]
    warn_of_samples(settings.console, [english])
    texts = {"English": _stretch(" ".join(english.content[:20_000].split())), "scripts": _scripts()}
    found: dict[str, dict[str, list[Frame]]] = {}
    for name, file in PLAYED.items():
        subject = next((one for one in settings.subjects if one.name == name), None)
        if subject is None:
            continue
        if subject.train is not None:
            subject.train(settings.texts)
        try:
            path = str(file(name)) if file is not None else ""
        except FileNotFoundError as error:
            settings.console.print(f"[yellow]{name} is left out: {error}.[/yellow]")
            continue
        settings.console.print(f"[dim]players: {name} …[/dim]")
        steps, jumps, slides = (
            (QUICK_STEPS, QUICK_JUMPS, QUICK_SLIDES) if settings.quick else (STEPS, JUMPS, SLIDES)
        )
        order = {"texts": texts, "steps": steps, "jumps": jumps, "slides": slides}
        one = probe(PROBE, ["play", name, path], json.dumps(order))
        found |= {f"{name}, {text}": frames for text, frames in one["frames"].items()}
    views = _views(settings)
    traces = _traces(settings, english.content)
    figures = {"milliseconds": found, "views": views, "trace": traces}
    _print(settings, figures)
    return figures, [*_goals(found, traces), *_goals_of_views(views)]


def _goals(found: dict[str, dict[str, list[Frame]]], traces: list[float]) -> list[Goal]:
    goals = []
    for name, frames in found.items():
        for what, both in frames.items():
            goal, values = f"{name}, {what}", [clock for clock, _ in both]
            goals.append(Goal.within(f"{goal}, 95 of 100", FRAME_MS, percentile(values)))
            goals.append(Goal.within(f"{goal}, worst", FRAME_MS, max(values)))
    if traces:
        goals.append(
            Goal.within("Trace of 10 KB, Gemma 3, median", TRACE_MS, statistics.median(traces))
        )
    return goals


def _goals_of_views(views: dict[str, list[Frame]]) -> list[Goal]:
    goals = []
    for name, frames in views.items():
        values = [clock for clock, _ in frames]
        if len(values) == 1:
            goals.append(Goal.within(name, OPENED_MS, values[0]))
            continue
        goals.append(Goal.within(f"{name}, 95 of 100", FRAME_MS, percentile(values)))
        goals.append(Goal.within(f"{name}, worst", FRAME_MS, max(values)))
    return goals


def _views(settings: Settings) -> dict[str, list[Frame]]:
    """Returns the frames of what else moves, by view."""
    settings.console.print("[dim]players: the other views …[/dim]")
    text = _sample("prose-en").encode()[:VIEWED_BYTES].decode("utf-8", "ignore")
    order = json.dumps({"text": text, "count": QUICK if settings.quick else VIEWED})
    frames: dict[str, list[Frame]] = probe(PROBE, ["views"], order)["frames"]
    return frames


def _traces(settings: Settings, text: str) -> list[float]:
    """Returns the milliseconds of traces of a text by Gemma 3; none where the model is not there."""
    if not any(subject.name == "gemma3" for subject in settings.subjects):
        return []
    try:
        path = model_file("gemma3")
    except FileNotFoundError:
        return []
    traced = text.encode()[:TRACED_BYTES].decode("utf-8", "ignore")
    order = json.dumps({"text": traced, "times": TRACES})
    traces: list[float] = probe(PROBE, ["trace", str(path)], order)["milliseconds"]
    return traces


def _scripts() -> str:
    parts = []
    for name in SCRIPTS:
        sample = " ".join(_sample(name).split())
        parts.append(sample.encode()[: STRETCH // len(SCRIPTS)].decode("utf-8", "ignore"))
    return _stretch(" ".join(parts))


def _sample(name: str) -> str:
    return (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")


def _stretch(text: str) -> str:
    return text.encode()[:STRETCH].decode("utf-8", "ignore")


def _print(settings: Settings, figures: dict[str, Any]) -> None:
    title = f"Players on a stretch of {STRETCH:,} bytes, and other views; milliseconds a frame, and of processor time"
    heads = ("", "median", "95 of 100", "worst", "processor: 95 of 100", "worst", "times")
    overview = table(title, heads)
    spent = 0.0, 0.0
    rows = [
        (f"{name}: {what}", both)
        for name, frames in figures["milliseconds"].items()
        for what, both in frames.items()
    ]
    for name, both in [*rows, *figures["views"].items()]:
        if both:
            clock, processor = [one[0] for one in both], [one[1] for one in both]
            spent = spent[0] + sum(clock), spent[1] + sum(processor)
            cells = timing_cells(clock), timing_cells(processor)[1:], (str(len(clock)),)
            overview.add_row(name, *chain(*cells))
    if figures["trace"]:
        cells = timing_cells(figures["trace"]), ("", ""), (str(len(figures["trace"])),)
        overview.add_row("gemma3: a trace of 10 KB", *chain(*cells))
    settings.console.print(overview)
    say_if_busy(settings, spent[1] / spent[0] if spent[0] else 1.0)
