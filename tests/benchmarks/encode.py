"""Encoding unseen text, one thread, by a fresh tokenizer: as its first text, and warmed on other text of the kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measure import OTHER_IDS, Goal, Series, Timing, busy_note, in_rounds, timed
from peers import OURS, Loaded, Peer
from report import Settings, goals_of, ratio_cell, table, takers, warn_of_samples
from subjects import TEXTS, Subject

WAYS = ("list", "buffer", "first")
"""Warmed, into a list and into a buffer; and the first text straight after opening, into a list."""
WARM, MEASURED = 2_000_000, 4_000_000  # bytes
ROUNDS = 5


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by subject, way (list or buffer) and text, and the goals."""
    texts = [settings.texts[name] for name in TEXTS]
    warn_of_samples(settings.console, texts)
    warm_bytes, measured_bytes = (WARM // 4, MEASURED // 4) if settings.quick else (WARM, MEASURED)
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    for subject in settings.subjects:
        if subject.only_loads:
            continue
        peers, absent = takers(settings, subject)
        results[subject.name] = {"absent": absent} | {way: {} for way in WAYS}
        if not peers:
            continue
        by_text: dict[str, dict[str, dict[str, Series]]] = {way: {} for way in WAYS}
        for text in texts:
            settings.console.print(f"[dim]encode: {subject.name}, {text.name} …[/dim]")
            warm, measured = text.parts(warm_bytes, measured_bytes)
            found = _measure(subject, peers, warm, measured, settings.rounds(ROUNDS))
            for way, series in found.items():
                by_text[way][text.name] = series
                reference = series.get(subject.reference)
                results[subject.name][way][text.name] = {
                    name: one.as_json(reference) for name, one in series.items()
                }
                expected = subject.documents.get(way, {}).get(text.name)
                what = "as the first text" if way == "first" else f"into a {way}"
                goals += goals_of(subject, f"{text.name}, {what}", expected, series)
            goals += _more_goals(subject, text.name, found)
        for way, series_by_text in by_text.items():
            _print(settings, subject, way, series_by_text, by_text["list"])
    return results, goals


def _more_goals(subject: Subject, text: str, found: dict[str, dict[str, Series]]) -> list[Goal]:
    """Returns how near the first text has to come to a warmed one, and both to the fastest peer."""
    ours = found["list"][OURS]
    what = f"{subject.name}, {text}"
    goals = [
        Goal(
            f"{what}, the first text beside a warmed one",
            0.85,
            ours.median / found["first"][OURS].median,
        )
    ]
    for way in ("list", "first"):
        fastest = found[way].get("fastokens")
        if fastest is not None:
            wanted = 1.0 if text == "japanese" else 0.7
            beside = f"{what}, {'first' if way == 'first' else 'warmed'}, beside fastokens"
            goals.append(Goal(beside, wanted, found[way][OURS].deserved_ratio(fastest)))
    return goals


def _measure(
    subject: Subject, peers: list[Peer], warm: str, measured: str, rounds: int
) -> dict[str, dict[str, Series]]:
    """Returns the series of each peer by way; all have encoded once before anything counts."""
    found: dict[str, dict[str, Series]] = {way: {} for way in WAYS}
    passes: dict[str, Callable[[], Timing]] = {}
    expected: dict[float, list[int]] = {}  # the reference's ids, for each share of the text
    reference = next((peer for peer in peers if peer.name == subject.reference), None)
    for peer in peers:
        part = measured[: int(len(measured) * peer.share)]
        if reference is not None and peer.share not in expected:
            expected[peer.share] = reference.load(subject.name).to_list(part)
        loaded = peer.load(subject.name)
        for way in WAYS:
            encode = _way(loaded, way)
            if encode is None:
                continue
            series = Series(peer.name, amount=len(part.encode()))
            if reference is not None:
                series.ids = _compared(encode(part), expected[peer.share])
            found[way][peer.name] = series
            passes[f"{peer.name} {way}"] = _Pass(
                peer, subject, way, "" if way == "first" else warm, part
            )
    for key, timings in in_rounds(passes, rounds).items():
        name, way = key.split()
        found[way][name].passes = timings
    return found


def _way(loaded: Loaded, way: str) -> Callable[[str], Any] | None:
    return loaded.to_buffer if way == "buffer" else loaded.to_list


def _compared(ids: Any, expected: list[int]) -> str:
    same = ids == expected if isinstance(ids, list) else np.array_equal(np.asarray(ids), expected)
    return "same" if same else OTHER_IDS


class _Pass:
    """One pass of one peer: load, warm up, and then the timed text.

    The text is a new `str` each time: one that was encoded before may hold its UTF-8 form from then on, which is
    what libraries of Rust and C ask it for, and would not be unseen.
    """

    def __init__(self, peer: Peer, subject: Subject, way: str, warm: str, measured: str) -> None:
        self._peer = peer
        self._subject = subject
        self._way = way
        self._warm = warm[: int(len(warm) * min(1.0, 4 * peer.share))]
        self._measured = measured

    def __call__(self) -> Timing:
        encode = _way(self._peer.load(self._subject.name), self._way)
        assert encode is not None
        unseen = "".join((self._measured[:1], self._measured[1:]))
        warm_up = (lambda: encode(self._warm)) if self._warm else None
        _, timing = timed(lambda: encode(unseen), warm_up=warm_up)
        return timing


def _print(
    settings: Settings,
    subject: Subject,
    way: str,
    by_text: dict[str, dict[str, Series]],
    warmed: dict[str, dict[str, Series]],
) -> None:
    first = way == "first"
    heads = ["into a list" if first else f"into a {way}"]
    for name in by_text:
        heads += [f"{name}\nMB/s", f"× {subject.reference}"]
        heads += ["of warmed"] if first else []
    what = "first text" if first else "unseen text, warmed"
    overview = table(f"Encode, {subject.name}, one thread, {what}", heads)
    for peer in next(iter(by_text.values())):
        cells = []
        for name, series in by_text.items():
            one = series[peer]
            cells += [
                f"{one.amount / one.median / 1e6:.1f}",
                ratio_cell(one, series.get(subject.reference)),
            ]
            if first:
                cells.append(f"{warmed[name][peer].median / one.median:.0%}")
        overview.add_row(peer, *cells)
    settings.console.print(overview)
    note = busy_note(one for series in by_text.values() for one in series.values())
    if note:
        settings.console.print(f"[yellow]{note}[/yellow]")
