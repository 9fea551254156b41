"""The figure of a training, step by step: the pairs or pieces that it chose from, its curve, and a text as it is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tokenarium.models.merges.training_story import PairBar, StepCurve, TrainingStory, UnigramStory
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.segmentation import token_colour
from tokenarium.web.counted_table import counted_html, counted_table
from tokenarium.web.html import bdi, escaped, table
from tokenarium.web.page import Figure
from tokenarium.web.shapes import number
from tokenarium.web.step_parts import StepReport, StepSaid, each_step, frame, untold
from tokenarium.web.svg_parts import line, svg, text_at

KIND = "training"
"""The behaviour of the script that plays such figures."""

MOST_STEPS = 600
"""The most steps that a page has; of more, some are left out at equal distances."""

MOST_PIECES = 12
"""The most pieces of a step of Unigram that are listed."""

SHOWN = 700
"""The most characters of the text that is cut."""

WIDTH, HEIGHT = 420.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 24.0, 22.0
"""Pixels of a curve, and around it for the labels of its axes."""

ROW = 24.0
"""Pixels of a bar."""

Unit = tuple[int, int, int, int, int]
"""A part of the text: where it begins and ends (UTF-16 code units), its hue (-1: several tokens share it), and the steps
from which and up to which it is there."""


def training_figure(
    story: TrainingStory,
    shown_text: str,
    name: str,
    about: str,
    step: int,
    table_shown: int = 0,
    report: StepReport = untold,
) -> Figure:
    """Returns the steps of a training, with a text as it is cut after each, shown at a step at first.

    ``table_shown`` is the number of one of its tables, which follows the steps too; with 0, there is none.
    """
    story = story.twin()
    short = shown_text[:SHOWN].encode("utf-16-le", "replace").decode("utf-16-le", "replace")
    story.set_text(short)
    steps = _steps(len(story), step)
    at = steps.index(max(0, min(step, len(story))))
    said = [_said(story, one) for one in steps]
    bars = [story.bars(steps[place]) for place in each_step(len(steps) - 1, report)]
    units = _units(story, short, steps, report)
    curves = story.curves()
    data: dict[str, Any] = {
        "said": [list(one) for one in said],
        "at": at,
        "steps": steps,
        "text": short,
        "units": units,
        "curves": [_places(curve, steps) for curve in curves],
    }
    beside = "".join(_curve(curve, steps, at) for curve in curves)
    candidates = ""
    if any(bars):
        pairs: dict[tuple[int, int], int] = {}
        data["bars"] = [[_bar_data(bar, pairs) for bar in row] for row in bars]
        every = {bar.pair: bar for row in bars for bar in row}
        data["pairs"] = [[_label(every[pair]), _hue(every[pair])] for pair in pairs]
        candidates = f'<div class="bars">{_bars(bars[at])}</div>'
    elif isinstance(story, UnigramStory):
        data["pieces"] = [_pieces(story, one) for one in steps]
        candidates = _piece_table(data["pieces"][at])
    counted = ""
    if story.tables is not None and 0 < table_shown <= len(story.tables.tables):
        data["table"] = counted_table(story.tables, table_shown - 1, steps, report)
        counted = counted_html(story.tables, table_shown - 1, data["table"], at)
    words = _text(short, units, at)
    stage = (
        f'<div class="training"><div class="chosen">{candidates}</div><div class="curves">{beside}</div></div>'
        f'<p class="cut" dir="auto">{words}</p>'
    )
    left_out = ""
    if len(steps) <= len(story):
        left_out = f"<p>{len(steps):,} of the {len(story) + 1:,} steps are on this page.</p>"
    head, *rows = story.lines()
    listed = table(
        head, [[bdi(cell) for cell in row] for row in rows[: MOST_STEPS + 1]], story.unit
    )
    more = (
        f'{counted}{left_out}<details class="listed"><summary>All steps</summary>{listed}</details>'
    )
    return Figure(frame(name, about, stage, said[at], more), data, KIND)


def _steps(last: int, chosen: int) -> list[int]:
    """Returns the steps of a page: all, or some at equal distances with the first, the last and the chosen one."""
    chosen = max(0, min(chosen, last))
    if last < MOST_STEPS:
        return list(range(last + 1))
    some = {round(at * last / (MOST_STEPS - 2)) for at in range(MOST_STEPS - 1)}
    return sorted({*some, chosen})


def _said(story: TrainingStory, step: int) -> StepSaid:
    report = story.report if step == len(story) else ""
    sentence = story.sentence(step, rivals=not report)
    return StepSaid(" ".join(part for part in (sentence, report) if part), story.measure(step))


# The pairs.


def _label(bar: PairBar) -> str:
    return f"{isolated(bar.left)} + {isolated(bar.right)}"


def _hue(bar: PairBar) -> int:
    return token_colour(31 * bar.pair[0] + bar.pair[1])


def _bar_data(bar: PairBar, pairs: dict[tuple[int, int], int]) -> list[object]:
    """Returns the number of the pair, the value, what stands after the bar, and what is to be said about it."""
    pair = pairs.setdefault(bar.pair, len(pairs))
    return [pair, round(bar.value, 6), bar.figure or f"{bar.count:,}", _note(bar)]


def _note(bar: PairBar) -> str:
    return "merged" if bar.merged else "tied" if bar.tied else ""


def _bars(bars: Sequence[PairBar]) -> str:
    most = max((bar.value for bar in bars), default=1.0) or 1.0
    rows = []
    for bar in bars:
        share = number(max(0.5, 100 * bar.value / most))
        drawn = (
            f'<svg class="length s{_hue(bar)}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="f" width="{share}" height="10"/></svg>'
        )
        note = _note(bar)
        rows.append(
            f'<div class="{f"pair {note}".strip()}"><span>{escaped(_label(bar))}</span>{drawn}'
            f"<span>{escaped(bar.figure or f'{bar.count:,}')} <em>{note}</em></span></div>"
        )
    return "".join(rows)


# The pieces of Unigram.


def _pieces(story: UnigramStory, step: int) -> list[list[str]]:
    """Returns the first pieces of a step: each with its score and what happened to it."""
    pieces = story.pieces(step)
    rows = []
    for row in range(min(len(pieces), MOST_PIECES)):
        score = pieces.scores[row]
        shown = "" if np.isnan(score) else f"{score:,.2f}".replace("-", "−")
        rows.append([pieces.text(row), shown, pieces.fate(row)])
    return rows


def _piece_table(rows: Sequence[Sequence[str]]) -> str:
    return table(
        ["Piece", "Score", "What happened to it"],
        [[bdi(cell) for cell in row] for row in rows],
        "Pieces of the step",
    )


# The curves.


def _span(curve: StepCurve) -> tuple[float, float]:
    """Returns the least and the greatest value of the axis of a curve."""
    values = curve.values[~np.isnan(curve.values)]
    least = float(values.min()) if len(values) else 0.0
    most = float(values.max()) if len(values) else 1.0
    low = curve.base if curve.base is not None else least
    return low, max(most, low + 1e-9)


def _places(curve: StepCurve, steps: Sequence[int]) -> list[list[float] | None]:
    """Returns where a curve is at each step, in pixels; None where it has no value."""
    low, high = _span(curve)
    last = max(1, len(curve.values) - 1)
    places: list[list[float] | None] = []
    for step in steps:
        value = float(curve.values[step])
        x = LEFT + (WIDTH - LEFT - RIGHT) * step / last
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)
        places.append(None if np.isnan(value) else [round(x, 1), round(y, 1)])
    return places


def _curve(curve: StepCurve, steps: Sequence[int], at: int) -> str:
    places = _places(curve, steps)
    low, high = _span(curve)
    known = [(one[0], one[1]) for one in places if one is not None]
    foot, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    axes = line("axis", (LEFT, TOP), (LEFT, foot), (right, foot))
    labels = (
        text_at(curve.title, LEFT, TOP - 10, "start")
        + text_at(_figure(high), LEFT - 6, TOP + 4, "end")
        + text_at(_figure(low), LEFT - 6, foot + 4, "end")
        + text_at("0", LEFT, HEIGHT - 6, "start")
        + text_at(f"{len(curve.values) - 1:,}", right, HEIGHT - 6, "end")
    )
    drawn = line("curve", *known) if known else ""
    here = places[at] or (known[-1] if known else (LEFT, foot))
    marker = f'<circle class="here" cx="{number(here[0])}" cy="{number(here[1])}" r="5"/>'
    return svg(axes + labels + drawn + marker, WIDTH, HEIGHT, f"{curve.title} after each step")


def _figure(value: float) -> str:
    whole = value == round(value) or abs(value) >= 100
    return f"{value:,.0f}" if whole else f"{value:,.2f}"


# The text.


def _units(
    story: TrainingStory, shown: str, steps: Sequence[int], report: StepReport
) -> list[Unit]:
    """Returns the parts of the text at all steps, each with the steps at which it is there."""
    starts = _code_units(shown)
    there: dict[tuple[int, int, int], int] = {}
    units: list[Unit] = []
    for at in each_step(len(steps) - 1, report, "splitting the text"):
        now = set(_cut_units(story, steps[at], starts))
        gone = [one for one in there if one not in now]
        units += [(*one, there.pop(one), at) for one in gone]
        for one in now:
            there.setdefault(one, at)
    units += [(*one, first, len(steps)) for one, first in there.items()]
    return sorted(units, key=lambda unit: (unit[0], unit[3], unit[1]))


def _code_units(shown: str) -> list[int]:
    """Returns for each byte of a text, and its end, the UTF-16 code unit at which its character begins."""
    starts: list[int] = []
    at = 0
    for sign in shown:
        starts += [at] * len(sign.encode("utf-8", "replace"))
        at += 2 if ord(sign) > 0xFFFF else 1
    return [*starts, at]


def _cut_units(
    story: TrainingStory, step: int, starts: Sequence[int]
) -> list[tuple[int, int, int]]:
    """Returns the parts of the text after a step; tokens that share a character are one part, of the hue -1."""
    cut = story.cut(step)
    units: list[tuple[int, int, int]] = []
    ids = cut.ids[:].tolist() if cut.ids is not None else [0] * len(cut)
    for start, end, token in zip(cut.starts[:].tolist(), cut.ends[:].tolist(), ids, strict=True):
        first = starts[start]
        last = starts[end]
        if end > start and starts[end - 1] == starts[min(end, len(starts) - 1)]:
            last = next((at for at in starts[end:] if at > starts[end]), starts[-1])
        if units and first < units[-1][1]:
            units[-1] = (units[-1][0], max(units[-1][1], last), -1)
        elif last > first:
            units.append((first, last, token_colour(token)))
    return units


def _text(shown: str, units: Sequence[Unit], at: int) -> str:
    """Returns the text as it is cut at a step: the shades of neighbours differ."""
    words = shown.encode("utf-16-le")
    parts = []
    for place, (first, last, hue) in enumerate(now_units(units, at)):
        piece = words[2 * first : 2 * last].decode("utf-16-le", "replace")
        look = "shared" if hue < 0 else f"s{hue + 8 * (place % 2)}"
        parts.append(f'<span class="{look}">{escaped(piece)}</span>')
    return "".join(parts)


def now_units(units: Sequence[Unit], at: int) -> list[tuple[int, int, int]]:
    """Returns the parts of the text that are there at a step, from the left: their ends and their hues."""
    return [(first, last, hue) for first, last, hue, since, until in units if since <= at < until]
