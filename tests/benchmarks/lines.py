"""Encoding a short line: what one call costs, on different lines of about 60 bytes that were not seen before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from measure import OTHER_IDS, Goal, Series, Timing, busy_note, in_rounds, timed
from peers import Peer
from report import Settings, goals_of, ratio_cell, table, takers, warn_of_samples
from subjects import Subject

TEXTS = ("english", "code")
WARM, MEASURED = 20_000, 20_000  # lines
ROUNDS = 5
LINE = re.compile(r"\S.{53,60}\S(?=\s)")


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by subject and text, and the goals."""
    texts = [settings.texts[name] for name in TEXTS]
    warn_of_samples(settings.console, texts)
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    for subject in settings.subjects:
        if subject.only_loads:
            continue
        peers, absent = takers(settings, subject)
        results[subject.name] = {"absent": absent}
        if not peers:
            continue
        for text in texts:
            settings.console.print(f"[dim]lines: {subject.name}, {text.name} …[/dim]")
            lines = lines_of(text.content)
            less = 4 if settings.quick else 1
            warm = lines[: min(WARM // less, len(lines) // 2)]
            measured = lines[len(warm) :][: MEASURED // less]
            size = sum(len(line.encode()) for line in measured) / len(measured)
            series = _measure(subject, peers, warm, measured, settings.rounds(ROUNDS))
            reference = series.get(subject.reference)
            results[subject.name][text.name] = {
                "lines": len(measured),
                "bytes_a_line": size,
                "peers": {name: one.as_json(reference) for name, one in series.items()},
            }
            goals += goals_of(subject, f"a line of {text.name}", subject.line, series)
            title = f"A line, {subject.name}, {text.name}: {len(measured):,} of {size:.0f} bytes"
            overview = table(title, ("", "µs a line", "fastest", f"× {subject.reference}"))
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
    subject: Subject, peers: list[Peer], warm: list[str], measured: list[str], rounds: int
) -> dict[str, Series]:
    found: dict[str, Series] = {}
    passes: dict[str, Callable[[], Timing]] = {}
    expected: list[list[int]] = []
    for peer in sorted(peers, key=lambda peer: peer.name != subject.reference):
        encode = peer.load(subject.name).to_list
        ids = [encode(line) for line in measured]
        series = Series(peer.name, amount=len(measured))
        if peer.name == subject.reference:
            expected = ids
        if expected:
            series.ids = "same" if ids == expected else OTHER_IDS
        found[peer.name] = series
        passes[peer.name] = _Pass(peer, subject, warm, measured)
    for name, timings in in_rounds(passes, rounds).items():
        found[name].passes = timings
    return {peer.name: found[peer.name] for peer in peers}


class _Pass:
    """One pass of one peer: load, warm up on other lines, and then a call for each line."""

    def __init__(self, peer: Peer, subject: Subject, warm: list[str], measured: list[str]) -> None:
        self._peer = peer
        self._subject = subject
        self._warm = warm
        self._measured = measured

    def __call__(self) -> Timing:
        encode = self._peer.load(self._subject.name).to_list
        _, timing = timed(
            lambda: _each(encode, self._measured), warm_up=lambda: _each(encode, self._warm)
        )
        return timing


def _each(encode: Callable[[str], list[int]], lines: list[str]) -> None:
    for line in lines:
        encode(line)
