"""The figure of the longest match: the text as it is read, the path through the trie, and the edges of the state."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial

from tokenarium.models.merges.prefix_play import (
    PrefixPlay,
    WalkMoment,
    WalkPart,
    byte_label,
    walk_parts,
)
from tokenarium.models.text.piece import readable
from tokenarium.models.text.segmentation import token_colour
from tokenarium.web.html import bdi, escaped
from tokenarium.web.page import Figure
from tokenarium.web.step_parts import StepParts, StepReport, StepSaid, each_step, figure, untold
from tokenarium_core.explaining.prefix_walk import PrefixStep

MOST_EDGES = 12
"""The most edges of a state that are listed."""

FEW = 4
"""Edges for which a low list has room."""

TEXT, PATH, EDGES = range(3)


def prefix_figure(
    play: PrefixPlay, name: str, about: str, step: int, report: StepReport = untold
) -> Figure:
    """Returns the steps of a walk, shown at a step at first."""
    parts, text, said, most = StepParts(), _WalkText(play), [], 0
    for position in each_step(len(play), report):
        moment = play.moment(position)
        parts.begin(position)
        text.show(parts, moment)
        _show_path(parts, moment)
        most = max(most, _show_edges(parts, play, moment))
        said.append(
            StepSaid(
                play.sentence(position),
                f"State {moment.state:,}" if moment.state >= 0 else "No state",
            )
        )
    parts.end()
    step = max(0, min(step, len(play)))
    stage = (
        f'<p class="tokens cells" dir="auto" data-parts>{parts.markup(step, TEXT)}</p>'
        f'<div class="walk{" few" if most <= FEW else ""}"><div><p class="label">The path in the trie</p><p class="states" data-parts>{parts.markup(step, PATH)}</p></div>'
        f'<div><p class="label">Edges from the state</p><ul class="edges" data-parts>{parts.markup(step, EDGES)}</ul></div></div>'
    )
    return figure(name, about, stage, parts, said, step)


class _WalkText:
    """The text of a walk: what was matched, and what is read now."""

    def __init__(self, play: PrefixPlay) -> None:
        self._play = play
        self._taken = -1
        self._cells: list[WalkPart] = []
        self._read: set[WalkPart] = set()

    def show(self, parts: StepParts, moment: WalkMoment) -> None:
        """Goes on to a moment."""
        if moment.taken != self._taken:
            cells = walk_parts(self._play, moment)
            now = set(cells)
            for gone in set(self._cells) - now:
                parts.drop(gone)
            for cell in sorted(now - set(self._cells)):
                self._keep(parts, cell, "")
            self._taken, self._cells = moment.taken, cells
            self._read &= now
        place, reads = moment.place, set()
        if place is not None:
            read = place.start + max(1, len(moment.read))
            matched = 0
            if moment.longest is not None:
                matched = place.start + moment.read.index(moment.longest) + 1
            at = bisect_left(self._cells, place.start, key=_start)
            while at < len(self._cells) and self._cells[at][0] < read:
                cell = self._cells[at]
                if cell[2] < 0:
                    self._keep(parts, cell, "read matched" if cell[1] <= matched else "read")
                    reads.add(cell)
                at += 1
        for cell in self._read - reads:
            self._keep(parts, cell, "")
        self._read = reads

    def _keep(self, parts: StepParts, cell: WalkPart, look: str) -> None:
        start, _, token, left = cell
        base = "token left" if left else f"token s{token_colour(token)}" if token >= 0 else "cell"
        parts.keep(cell, TEXT, "span", base, partial(self._cell, cell), look, start)

    def _cell(self, cell: WalkPart) -> str:
        start, end, token, left = cell
        note = f"<small>{token}{' stays text' if left else ''}</small>" if token >= 0 else ""
        return f"<b>{bdi(readable(self._play.data[start:end], 60))}</b>{note}"


def _start(cell: WalkPart) -> int:
    return cell[0]


def _show_path(parts: StepParts, moment: WalkMoment) -> None:
    place = moment.place
    root = place.root if place is not None else 0
    first = partial(str, f"<b>{root}</b>")
    parts.part(("state", root), PATH, "span", "state", first, "" if moment.read else "last")
    if place is None:
        return
    for number, one in enumerate(moment.read):
        kind = "failed" if one.state < 0 else "ends" if one.id >= 0 else ""
        last = "last" if number == len(moment.read) - 1 else ""
        key = ("read", place.start, number)
        base = f"state {kind}".strip()
        parts.part(key, PATH, "span", base, partial(_state, one), last, number + 1)


def _state(one: PrefixStep) -> str:
    shown = "×" if one.state < 0 else f"{one.state:,}"
    said = f"<small>id {one.id}</small>" if one.state >= 0 and one.id >= 0 else ""
    return f"<i>{escaped(byte_label(one.byte))} →</i> <b>{shown}</b>{said}"


def _show_edges(parts: StepParts, play: PrefixPlay, moment: WalkMoment) -> int:
    """Shows the edges from the state of the walk, and returns how many there are."""
    state = moment.state
    edges: list[PrefixStep] = list(play.trie.edges(state)) if state >= 0 else []
    following = -1
    if moment.place is not None and len(moment.read) < len(moment.place.steps):
        following = moment.place.steps[len(moment.read)].byte
    place = next((at for at, edge in enumerate(edges) if edge.byte == following), 0)
    first = max(0, min(place - MOST_EDGES // 2, len(edges) - MOST_EDGES))
    for at, edge in enumerate(edges[first : first + MOST_EDGES]):
        taken = "taken" if edge.byte == following else ""
        parts.part(("edge", state, edge.byte), EDGES, "li", "edge", partial(_edge, edge), taken, at)
    more = len(edges) - MOST_EDGES
    if more > 0:
        rest = partial(str, f"and {more:,} more")
        parts.part(("more", state), EDGES, "li", "more", rest, "", MOST_EDGES)
    elif not edges:
        words = "No edge continues from here." if state >= 0 else "The longest match is taken."
        parts.part(("none", state >= 0), EDGES, "li", "more", partial(str, words))
    return len(edges)


def _edge(edge: PrefixStep) -> str:
    ends = f" <small>ends id {edge.id}</small>" if edge.id >= 0 else ""
    return f"<b>{escaped(byte_label(edge.byte))}</b> → {edge.state:,}{ends}"
