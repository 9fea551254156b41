"""Encoding a short line: what one call costs, on different lines of about 60 bytes that were not seen before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from measure import OTHER_IDS, Goal, Series, Timing, busy_note, in_rounds, timed
from peers import OURS, REFERENCE, Peer
from report import Settings, ratio_cell, table, takers, warn_of_samples

TEXTS = ("english", "code")
GOAL = 3.0  # times tiktoken
WARM, MEASURED = 20_000, 20_000  # lines
ROUNDS = 5
LINE = re.compile(r"\S.{53,60}\S(?=\s)")


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by encoding and text, and the goals."""
    texts = [settings.texts[name] for name in TEXTS]
    warn_of_samples(settings.console, texts)
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    for encoding in settings.encodings:
        peers, absent = takers(settings, encoding)
        results[encoding] = {"absent": absent}
        for text in texts:
            settings.console.print(f"[dim]lines: {encoding}, {text.name} …[/dim]")
            lines = lines_of(text.content)
            warm = lines[: min(WARM, len(lines) // 2)]
            measured = lines[len(warm) :][: MEASURED // 4 if settings.quick else MEASURED]
            size = sum(len(line.encode()) for line in measured) / len(measured)
            series = _measure(peers, encoding, warm, measured, settings.rounds(ROUNDS))
            reference = series.get(REFERENCE)
            results[encoding][text.name] = {
                "lines": len(measured),
                "bytes_a_line": size,
                "peers": {name: one.as_json(reference) for name, one in series.items()},
            }
            if reference is not None:
                what = f"{encoding}, a line of {text.name}"
                goals.append(Goal(what, GOAL, series[OURS].deserved_ratio(reference)))
            title = f"A line, {encoding}, {text.name}: {len(measured):,} of {size:.0f} bytes"
            overview = table(title, ("", "µs a line", "fastest", f"× {REFERENCE}"))
            for name, one in series.items():
                overview.add_row(
                    name,
                    f"{one.median / one.amount * 1e6:.2f}",
                    f"{one.minimum / one.amount * 1e6:.2f}",
                    ratio_cell(one, reference),
                )
            settings.console.print(overview)
            note = busy_note(series.values())
            if note:
                settings.console.print(f"[yellow]{note}[/yellow]")
    return results, goals


def lines_of(text: str) -> list[str]:
    """Returns the different stretches of 55 to 62 characters that end with a word."""
    return list(dict.fromkeys(LINE.findall(text[: 60 * 4 * (WARM + MEASURED)])))


def _measure(
    peers: list[Peer], encoding: str, warm: list[str], measured: list[str], rounds: int
) -> dict[str, Series]:
    found: dict[str, Series] = {}
    passes: dict[str, Callable[[], Timing]] = {}
    wanted: list[list[int]] = []
    for peer in sorted(peers, key=lambda peer: peer.name != REFERENCE):
        encode = peer.load(encoding).to_list
        ids = [encode(line) for line in measured]
        series = Series(peer.name, amount=len(measured))
        if peer.name == REFERENCE:
            wanted = ids
        if wanted:
            series.ids = "same" if ids == wanted else OTHER_IDS
        found[peer.name] = series
        passes[peer.name] = _Pass(peer, encoding, warm, measured)
    for name, timings in in_rounds(passes, rounds).items():
        found[name].passes = timings
    return {peer.name: found[peer.name] for peer in peers}


class _Pass:
    """One pass of one peer: load, warm up on other lines, and then a call for each line."""

    def __init__(self, peer: Peer, encoding: str, warm: list[str], measured: list[str]) -> None:
        self._peer = peer
        self._encoding = encoding
        self._warm = warm
        self._measured = measured

    def __call__(self) -> Timing:
        encode = self._peer.load(self._encoding).to_list
        for line in self._warm:
            encode(line)
        _, timing = timed(lambda: _each(encode, self._measured))
        return timing


def _each(encode: Callable[[str], list[int]], lines: list[str]) -> None:
    for line in lines:
        encode(line)
