"""Loading an encoding from files on this computer, and the first line encoded after it, in fresh processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from measure import Goal, Series, Timing, timed
from peers import OURS, PEERS, REFERENCE
from report import Settings, ratio_cell, table, takers

GOAL = 2.0  # times tiktoken, cl100k_base
ROUNDS = 5
LINE = "The quick brown fox jumps over the lazy dog, twice a day."


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by encoding: the first load of a process, and one more in the same process."""
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    for encoding in settings.encodings:
        peers, absent = takers(settings, encoding)
        settings.console.print(f"[dim]load: {encoding} …[/dim]")
        first = {peer.name: Series(peer.name) for peer in peers}
        again = {peer.name: Series(peer.name) for peer in peers}
        line = {peer.name: Series(peer.name) for peer in peers}
        for number in range(settings.rounds(ROUNDS) + 1):
            for peer in peers:
                found = _in_a_process(peer.name, encoding)
                if number > 0:  # the first round warms the file cache
                    for series, figure in zip((first, again, line), found, strict=True):
                        series[peer.name].passes.append(figure)
        results[encoding] = {"absent": absent}
        for key, series in (("first", first), ("again", again), ("first_line", line)):
            reference = series.get(REFERENCE)
            results[encoding][key] = {name: one.as_json(reference) for name, one in series.items()}
        if encoding == "cl100k_base" and REFERENCE in first:
            for word, series in (("in a fresh process", first), ("once more", again)):
                ratio = series[OURS].ratio(series[REFERENCE])
                goals.append(Goal(f"Load {encoding}, {word}", GOAL, ratio))
        heads = (
            "",
            "first, ms",
            f"× {REFERENCE}",
            "again, ms",
            f"× {REFERENCE}",
            "line, µs",
            "loads",
        )
        overview = table(f"Load {encoding}; again in the same process; first line after", heads)
        for peer in peers:
            name = peer.name
            overview.add_row(
                name,
                f"{first[name].median * 1e3:.0f}",
                ratio_cell(first[name], first.get(REFERENCE)),
                f"{again[name].median * 1e3:.0f}",
                ratio_cell(again[name], again.get(REFERENCE)),
                f"{line[name].median * 1e6:.0f}",
                peer.source,
            )
        settings.console.print(overview)
    return results, goals


def _in_a_process(name: str, encoding: str) -> list[Timing]:
    command = [sys.executable, str(Path(__file__)), name, encoding]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [Timing(*figures) for figures in json.loads(done.stdout)]


def _child(name: str, encoding: str) -> None:
    """Prints the timings of a first load, a second one, and a first line; imports do not count."""
    peer = next(peer for peer in PEERS if peer.name == name)
    peer.prepare()
    loaded, first = timed(lambda: peer.load(encoding))
    _, line = timed(lambda: loaded.to_list(LINE))
    _, again = timed(lambda: peer.load(encoding))
    print(json.dumps([first, again, line]))


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2])
