"""Encoding unseen text, one thread: a fresh tokenizer, warmed on other text of the kind, then one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measure import OTHER_IDS, Goal, Series, Timing, busy_note, in_rounds, timed
from peers import NEWER, OURS, REFERENCE, Loaded, Peer
from report import Settings, ratio_cell, table, takers, warn_of_samples

TEXTS = ("english", "code", "german", "japanese")
GOALS = {"list": 6.0, "buffer": 10.0}  # times tiktoken, for cl100k_base and o200k_base
WARM, MEASURED = 2_000_000, 4_000_000  # bytes
ROUNDS = 5


def run(settings: Settings) -> tuple[dict[str, Any], list[Goal]]:
    """Returns the figures by encoding, way (list or buffer) and text, and the goals."""
    texts = [settings.texts[name] for name in TEXTS]
    warn_of_samples(settings.console, texts)
    warm_bytes, measured_bytes = (WARM // 4, MEASURED // 4) if settings.quick else (WARM, MEASURED)
    results: dict[str, Any] = {}
    goals: list[Goal] = []
    for encoding in settings.encodings:
        peers, absent = takers(settings, encoding)
        results[encoding] = {"absent": absent, "list": {}, "buffer": {}}
        by_text: dict[str, dict[str, dict[str, Series]]] = {"list": {}, "buffer": {}}
        for text in texts:
            settings.console.print(f"[dim]encode: {encoding}, {text.name} …[/dim]")
            warm, measured = text.parts(warm_bytes, measured_bytes)
            found = _measure(peers, encoding, warm, measured, settings.rounds(ROUNDS))
            for way, series in found.items():
                by_text[way][text.name] = series
                reference = series.get(REFERENCE)
                results[encoding][way][text.name] = {
                    name: one.as_json(reference) for name, one in series.items()
                }
                if encoding in NEWER and reference is not None:
                    what = f"{encoding}, {text.name}, into a {way}"
                    goals.append(Goal(what, GOALS[way], series[OURS].deserved_ratio(reference)))
        for way, series_by_text in by_text.items():
            _print(settings, encoding, way, series_by_text)
    return results, goals


def _measure(
    peers: list[Peer], encoding: str, warm: str, measured: str, rounds: int
) -> dict[str, dict[str, Series]]:
    """Returns the series of each peer by way; all have encoded once before anything counts."""
    found: dict[str, dict[str, Series]] = {"list": {}, "buffer": {}}
    passes: dict[str, Callable[[], Timing]] = {}
    wanted: dict[float, list[int]] = {}  # the reference's ids, for each share of the text
    reference = next((peer for peer in peers if peer.name == REFERENCE), None)
    for peer in peers:
        part = measured[: int(len(measured) * peer.share)]
        if reference is not None and peer.share not in wanted:
            wanted[peer.share] = reference.load(encoding).to_list(part)
        loaded = peer.load(encoding)
        for way in ("list", "buffer"):
            encode = _way(loaded, way)
            if encode is None:
                continue
            series = Series(peer.name, amount=len(part.encode()))
            if reference is not None:
                series.ids = _compared(encode(part), wanted[peer.share])
            found[way][peer.name] = series
            passes[f"{peer.name} {way}"] = _Pass(peer, encoding, way, warm, part)
    for key, timings in in_rounds(passes, rounds).items():
        name, way = key.split()
        found[way][name].passes = timings
    return found


def _way(loaded: Loaded, way: str) -> Callable[[str], Any] | None:
    return loaded.to_list if way == "list" else loaded.to_buffer


def _compared(ids: Any, wanted: list[int]) -> str:
    same = ids == wanted if isinstance(ids, list) else np.array_equal(np.asarray(ids), wanted)
    return "same" if same else OTHER_IDS


class _Pass:
    """One pass of one peer: load, warm up, and then the timed text."""

    def __init__(self, peer: Peer, encoding: str, way: str, warm: str, measured: str) -> None:
        self._peer = peer
        self._encoding = encoding
        self._way = way
        self._warm = warm[: int(len(warm) * min(1.0, 4 * peer.share))]
        self._measured = measured

    def __call__(self) -> Timing:
        encode = _way(self._peer.load(self._encoding), self._way)
        assert encode is not None
        encode(self._warm)
        _, timing = timed(lambda: encode(self._measured))
        return timing


def _print(
    settings: Settings, encoding: str, way: str, by_text: dict[str, dict[str, Series]]
) -> None:
    heads = [f"into a {way}"]
    for name in by_text:
        heads += [f"{name}\nMB/s", f"× {REFERENCE}"]
    overview = table(f"Encode, {encoding}, one thread, unseen text", heads)
    for peer in next(iter(by_text.values())):
        cells = []
        for series in by_text.values():
            one = series[peer]
            cells += [
                f"{one.amount / one.median / 1e6:.1f}",
                ratio_cell(one, series.get(REFERENCE)),
            ]
        overview.add_row(peer, *cells)
    settings.console.print(overview)
    note = busy_note(one for series in by_text.values() for one in series.values())
    if note:
        settings.console.print(f"[yellow]{note}[/yellow]")
