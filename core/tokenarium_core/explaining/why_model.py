"""Why a model does not make a string within one word a single token: for each kind of model, by its own rule.

For BPE, the reason is the first merge of the run that consumed a part of the piece, or the merge that does not exist.
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.explaining.merge_path import Merge, MergePath, MergePaths
from tokenarium_core.explaining.verdict import (
    JOINED,
    MERGED_ON,
    NO_MERGE,
    OUTRANKED,
    OUTSCORED,
    PARTED,
    TOO_LONG,
    UNCOVERED,
    WRONG_PLACE,
    Verdict,
)
from tokenarium_core.explaining.vocabulary_entries import longest_entry
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.lattice import Lattice, LatticeEdge
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.trace import (
    BYTE_FALLBACK,
    MERGE,
    PIECE,
    PRE_TOKEN,
    SYMBOL,
    UNKNOWN,
    UNMERGE,
    WHOLE,
    Trace,
)
from tokenarium_core.vocabulary import (
    BYTE,
    CONTINUING,
    NORMAL,
    SPACE_MARK,
    USER_DEFINED,
    WORD_END,
    Vocabulary,
)


def judge_model(verdict: Verdict, model: Model, entries: list[int], start: int, stop: int) -> None:
    """Finds out why the model did not make one token of the string, which is in the word ``start`` to ``stop``.

    ``entries`` are the entries with its bytes. If there are none, that is the verdict, unless the model provides more
    detail.
    """
    if isinstance(model, WordPiece):
        _judge_wordpiece(verdict, model, entries, start, stop)
    elif isinstance(model, Unigram):
        _judge_unigram(verdict, model, entries, start, stop)
    elif entries and isinstance(model, (BytePairEncoder, CharacterBpe)):
        if not judge_merges(verdict, model, entries[0], verdict.low, verdict.high):
            _judge_ends(verdict, model.vocabulary, entries)
    elif entries:
        _judge_ends(verdict, model.vocabulary, entries)


def name_longest(verdict: Verdict, vocabulary: Vocabulary) -> None:
    """Records the longest entry that is a prefix of the string."""
    kinds: list[int] = [NORMAL, USER_DEFINED]
    if vocabulary.spelling != SPACE_MARK:
        kinds.append(BYTE)
    data = verdict.data + ZEROS
    token, end = longest_entry(vocabulary, data, verdict.low, verdict.high, kinds)
    verdict.token = token
    verdict.start = verdict.low
    verdict.stop = end


def _judge_unigram(
    verdict: Verdict, model: Unigram, entries: list[int], start: int, stop: int
) -> None:
    data = verdict.data
    low, high = verdict.low, verdict.high
    token = model.scores.find(data + ZEROS, low, high)
    if token < 0:
        if entries:
            _judge_ends(verdict, model.vocabulary, entries)
        return
    # The scores of a path add up, so the best one through the piece is the best one before it, the piece, and the best
    # one after it.
    best = _best_edges(model, data, start, stop)
    own = _best_edges(model, data, start, low)
    own.append(
        LatticeEdge(
            low, high, token, model.scores.lattice_score(token, _characters(data[low:high]))
        )
    )
    own += _best_edges(model, data, high, stop)
    first, last = _where_they_part(best, own, low, high)
    verdict.kind = OUTSCORED
    verdict.token = token
    verdict.best_path = [edge for edge in best if first <= edge.start and edge.stop <= last]
    verdict.own_path = [edge for edge in own if first <= edge.start and edge.stop <= last]
    verdict.best_score = _sum(verdict.best_path)
    verdict.own_score = _sum(verdict.own_path)
    verdict.start = first
    verdict.stop = last


def _best_edges(model: Unigram, data: bytes, start: int, stop: int) -> list[LatticeEdge]:
    """Returns the edges of the best path over ``data[start:stop]``, with positions in ``data``."""
    if start == stop:
        return []
    lattice = Lattice(data[start:stop], model.scores, model.unknown_id)
    edges: list[LatticeEdge] = []
    for number in lattice.best().edges:
        edge = lattice.edge(number)
        edges.append(LatticeEdge(edge.start + start, edge.stop + start, edge.token, edge.score))
    return edges


def _where_they_part(
    best: list[LatticeEdge], own: list[LatticeEdge], low: int, high: int
) -> tuple[int, int]:
    """Returns where two paths over the same bytes diverge before ``low``, and where they meet again after ``high``."""
    ends = {edge.stop for edge in best}
    first = best[0].start
    last = best[len(best) - 1].stop
    for edge in own:
        if edge.stop in ends:
            if first < edge.stop <= low:
                first = edge.stop
            if high <= edge.stop < last:
                last = edge.stop
    return first, last


def _sum(edges: list[LatticeEdge]) -> float:
    total = 0.0
    for edge in edges:
        total += edge.score
    return total


def _characters(data: bytes) -> int:
    return len(data.decode("utf-8", "replace"))


def _judge_wordpiece(
    verdict: Verdict, model: WordPiece, entries: list[int], start: int, stop: int
) -> None:
    vocabulary = model.vocabulary
    characters = _characters(verdict.data[start:stop])
    if characters > model.max_input_chars:
        verdict.kind = TOO_LONG
        verdict.limit = model.max_input_chars
        verdict.token = -1
        verdict.start = start
        verdict.stop = stop
        return
    uncovered = _uncovered(verdict.trace, start, stop)
    if not entries:
        if uncovered >= 0 and verdict.low == start and verdict.high == stop:
            _say_uncovered(verdict, uncovered, stop)
        return
    if uncovered >= 0:
        _say_uncovered(verdict, uncovered, stop)
    _judge_ends(verdict, vocabulary, entries)
    inside = verdict.low > start
    for token in entries:
        if (i64(vocabulary.kinds[token]) == CONTINUING) == inside:
            return
    verdict.kind = WRONG_PLACE
    verdict.token = entries[0]


def _say_uncovered(verdict: Verdict, start: int, stop: int) -> None:
    verdict.kind = UNCOVERED
    verdict.token = -1
    verdict.start = start
    verdict.stop = stop


def _uncovered(trace: Trace, start: int, stop: int) -> int:
    """Returns the first byte of a word at which no WordPiece piece matches; -1 if the word is covered."""
    unknown = False
    behind = start
    for event in range(len(trace)):
        at: i64 = i64(trace.positions[event])
        if start <= at < stop:
            kind: i64 = i64(trace.kinds[event])
            if kind == PIECE:
                behind = i64(trace.lefts[event])
            elif kind == UNKNOWN:
                unknown = True
    return behind if unknown else -1


def _judge_ends(verdict: Verdict, vocabulary: Vocabulary, entries: list[int]) -> None:
    """Records which token extends beyond the string, if any, and entries only for the end of a word."""
    if verdict.kind == UNCOVERED:
        return
    spans = verdict.encoding.places
    for index in range(len(verdict.ids)):
        number = verdict.first + index
        start = i64(spans[2 * number])
        stop = i64(spans[2 * number + 1])
        if start < verdict.low or stop > verdict.high:
            verdict.kind = JOINED
            verdict.token = verdict.ids[index]
            verdict.start = start
            verdict.stop = stop
            return
    verdict.kind = PARTED
    for token in entries:
        if i64(vocabulary.kinds[token]) not in (WORD_END, CONTINUING):
            return
    verdict.kind = WRONG_PLACE
    verdict.token = entries[0]


@final
class _Hindrance:
    """The event that ended a way to make the piece; ``made``: the piece existed by then."""

    def __init__(self, event: int, merge: Merge, path: MergePath, made: list[bool]) -> None:
        self.event = event
        self.merge = merge
        self.path = path
        self.made = made


def judge_merges(verdict: Verdict, model: Model, token: int, low: int, high: int) -> bool:
    """Finds out why the piece ``token`` is not at ``low`` to ``high``; false if the run does not show it.

    The run is in the verdict's trace. It may contain the merges of the piece's ancestry, and any others that do not
    affect its bytes. The first other merge joins a part of the piece to something else: from then on the piece cannot
    be made. If there are several ways to make the piece, the one that lasted longest is reported.
    """
    paths = MergePaths(model)
    last: _Hindrance | None = None
    lacking: MergePath | None = None
    for path in paths.paths(token, low):
        if path.missing >= 0:
            if lacking is None:
                lacking = path
            continue
        hindrance = _hindrance(verdict.trace, len(verdict.data), paths, path, low, high)
        if hindrance is not None and (last is None or hindrance.event > last.event):
            last = hindrance
    if last is not None:
        verdict.event = last.event
        verdict.merge = last.merge
        verdict.path = last.path.merges
        verdict.start = last.merge.start
        verdict.stop = last.merge.stop
        if (
            not last.made or last.made[len(last.made) - 1]
        ):  # a single symbol is there from the beginning
            verdict.kind = MERGED_ON
        else:
            verdict.kind = OUTRANKED
            _name_needed(verdict, last)
        return True
    if lacking is not None:
        verdict.kind = NO_MERGE
        verdict.token = lacking.missing
        verdict.start = lacking.missing_start
        verdict.stop = lacking.missing_stop
        verdict.path = lacking.merges
        return True
    return False


def _hindrance(
    trace: Trace, size: int, paths: MergePaths, path: MergePath, low: int, high: int
) -> _Hindrance | None:
    indices: dict[tuple[int, int], int] = {}
    for index in range(len(path.merges)):
        merge = path.merges[index]
        indices[merge.start, merge.stop] = index
    made = [False] * len(path.merges)
    ends = vec[i32]([0] * (size + 1))
    for event in range(len(trace)):
        kind: i64 = i64(trace.kinds[event])
        at: i64 = i64(trace.positions[event])
        if kind == PRE_TOKEN:
            for byte in range(at, i64(trace.lefts[event])):
                ends[byte] = i32(byte + 1)
        elif kind == MERGE:
            middle: i64 = i64(ends[at])
            stop: i64 = i64(ends[middle])
            ends[at] = i32(stop)
            if at >= high or stop <= low:
                continue
            index = indices.get((at, stop), -1)
            if index >= 0 and not made[index] and path.merges[index].middle == middle:
                made[index] = True
                continue
            hinders = Merge(
                at,
                middle,
                stop,
                i64(trace.lefts[event]),
                i64(trace.rights[event]),
                i64(trace.results[event]),
                paths.priority(i64(trace.ranks[event])),
                trace.scores[event],
            )
            return _Hindrance(event, hinders, path, made)
        elif kind == UNMERGE:
            middle = i64(trace.ranks[event])
            ends[middle] = ends[at]
            ends[at] = i32(middle)
        elif kind in (SYMBOL, PIECE, UNKNOWN, BYTE_FALLBACK, WHOLE):
            ends[at] = trace.lefts[event]
    return None


def _name_needed(verdict: Verdict, hindrance: _Hindrance) -> None:
    """Records the smallest piece that lost a side to that merge, and which of its merges was still possible."""
    merges = hindrance.path.merges
    made = hindrance.made
    standing: dict[tuple[int, int], bool] = {}
    blocked: Merge | None = None
    for index in range(len(merges)):
        merge = merges[index]
        standing[merge.start, merge.stop] = made[index]
        crosses = merge.start < hindrance.merge.stop and hindrance.merge.start < merge.stop
        if blocked is None and crosses and not made[index]:
            blocked = merge
    assert blocked is not None
    needed: Merge | None = None
    for index in range(len(merges)):
        merge = merges[index]
        if made[index] or merge.start < blocked.start or merge.stop > blocked.stop:
            continue
        # A side that is not a merge itself exists from the beginning.
        left = standing.get((merge.start, merge.middle), True)
        right = standing.get((merge.middle, merge.stop), True)
        if left and right and (needed is None or merge.rank < needed.rank):
            needed = merge
    verdict.blocked = blocked
    verdict.needed = needed
