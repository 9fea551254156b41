"""Loading an encoding or a model from files on this computer, and the first line encoded after it.

Each load is the first of a fresh process, or once more in the same one. Tokenarium loads twice more: what it may keep
on disk of a file that it opened is empty for its first process, and there for the next. Imports do not count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measure import Goal, Series, Timing, timed
from peers import OURS, Peer
from report import Settings, ratio_cell, table, takers
from subjects import Subject, named

ROUNDS = 5
LINE = "The quick brown fox jumps over the lazy dog, twice a day."
FIRST, AGAIN, NEXT, FIRST_LINE = "first", "again", "next process", "first line"
OPENS_AGAIN_WITHIN_MS = 100


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by subject and kind of load, and the goals."""
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    for subject in settings.subjects:
        peers, absent = takers(settings, subject)
        results[subject.name] = {"absent": absent}
        if not peers:
            continue
        settings.console.print(f"[dim]load: {subject.name} …[/dim]")
        found: dict[str, dict[str, Series]] = {
            kind: {} for kind in (FIRST, AGAIN, NEXT, FIRST_LINE)
        }
        for number in range(settings.rounds(ROUNDS) + 1):
            for peer in peers:
                for kind, timing in _loads(peer, subject).items():
                    series = found[kind].setdefault(peer.name, Series(peer.name))
                    if number > 0:  # the first round warms the file cache
                        series.passes.append(timing)
        for kind, by_peer in found.items():
            reference = by_peer.get(subject.reference)
            results[subject.name][kind] = {
                name: one.as_json(reference) for name, one in by_peer.items()
            }
        goals += _goals(subject, found)
        _print(settings, subject, peers, found)
    return results, goals


def _loads(peer: Peer, subject: Subject) -> dict[str, Timing]:
    """Returns the timings of one peer in one round."""
    if peer is not subject.ours:
        return _in_a_process(peer, subject)
    with tempfile.TemporaryDirectory() as folder:
        # Where caches are on Linux; elsewhere the first process finds what an earlier round left.
        timings = _in_a_process(peer, subject, XDG_CACHE_HOME=folder)
        later = _in_a_process(peer, subject, XDG_CACHE_HOME=folder)
        return {**timings, NEXT: later[FIRST]}


def _in_a_process(peer: Peer, subject: Subject, **variables: str) -> dict[str, Timing]:
    command = [sys.executable, str(Path(__file__)), peer.name, subject.name]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | variables
    )
    if done.returncode != 0:
        raise SystemExit(f"{peer.name} failed to load {subject.name}:\n{done.stderr}")
    return {kind: Timing(*figures) for kind, figures in json.loads(done.stdout).items()}


def _goals(subject: Subject, found: dict[str, dict[str, Series]]) -> list[Goal]:
    goals = []
    reference = found[FIRST].get(subject.reference)
    if subject.loading is not None and reference is not None:
        for kind, words in ((FIRST, "in a fresh process"), (AGAIN, "once more")):
            ratio = found[kind][OURS].ratio(found[kind][subject.reference])
            goals.append(Goal(f"Load {subject.name}, {words}", subject.loading, ratio))
    if subject.opens_within is not None:
        for kind, words, wanted_ms in (
            (FIRST, "Open {}", 1000 * subject.opens_within),
            (NEXT, "Open {} again, in another process", OPENS_AGAIN_WITHIN_MS),
        ):
            got_ms = 1000 * found[kind][OURS].median
            goals.append(Goal.within(words.format(subject.name), wanted_ms, got_ms))
    return goals


def _print(
    settings: Settings,
    subject: Subject,
    peers: list[Peer],
    found: dict[str, dict[str, Series]],
) -> None:
    beside = f"× {subject.reference}"
    heads = ("", "first, ms", beside, "again, ms", beside, "next process, ms", "line, µs", "loads")
    overview = table(f"Load {subject.name}; again in the same process; first line after", heads)
    for peer in peers:
        cells = []
        for kind in (FIRST, AGAIN):
            series = found[kind]
            cells.append(f"{series[peer.name].median * 1e3:.0f}")
            cells.append(ratio_cell(series[peer.name], series.get(subject.reference)))
        later = found[NEXT].get(peer.name)
        cells.append(f"{later.median * 1e3:.0f}" if later is not None else "")
        cells.append(f"{found[FIRST_LINE][peer.name].median * 1e6:.0f}")
        overview.add_row(peer.name, *cells, peer.source)
    settings.console.print(overview)


def _child(name: str, subject: str) -> None:
    """Prints the timings of a first load, a second one, and a first line."""
    peer = named(subject).peer(name)
    peer.prepare()
    loaded, first = timed(lambda: peer.load(subject))
    _, line = timed(lambda: loaded.to_list(LINE))
    _, again = timed(lambda: peer.load(subject))
    print(json.dumps({FIRST: first, AGAIN: again, FIRST_LINE: line}))


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2])
