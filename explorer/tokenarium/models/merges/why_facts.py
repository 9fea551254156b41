"""What is to be known beside the reason why a string is not one token: the evidence, line by line."""

from __future__ import annotations

from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.merges.sentence import Sentence, SentenceToken
from tokenarium.models.merges.why_sentences import (
    counted,
    is_scored,
    joining,
    own_of,
    some,
    value_of,
    who_changes,
)
from tokenarium.models.text.piece import score_text
from tokenarium_core.explaining import verdict as kinds
from tokenarium_core.explaining.verdict import Verdict
from tokenarium_core.models.unigram.lattice import LatticeEdge

SHOWN = 12
"""Merges of an ancestry, or pieces of a way, that are listed."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of evidence: what it is, and what it says."""

    label: str
    sentence: Sentence


def facts(verdict: Verdict, tokenizer: tc.Tokenizer) -> list[Fact]:
    """Returns what else is to be known: the normalised form, the merges and scores behind the verdict."""
    lines = []
    own = own_of(verdict)
    normalised = verdict.data if verdict.whole else own
    if verdict.changed and verdict.kind not in (kinds.CHANGED, kinds.PREFIXED, kinds.NOTHING):
        who = who_changes(tokenizer)
        lines.append(
            Fact("The model gets", (SentenceToken(some(normalised)), f", which {who} makes of it"))
        )
    if verdict.kind == kinds.CUT and verdict.piece >= 0:
        lines.append(
            Fact(
                "In the vocabulary",
                (
                    SentenceToken(some(own)),
                    f" is there, id {verdict.piece}, but no token crosses a cut",
                ),
            )
        )
    if verdict.kind != kinds.ONE and verdict.fallbacks:
        size = counted(verdict.fallbacks, "byte")
        lines.append(Fact("Falls back", (f"to {size}, for characters that are no entry",)))
    if verdict.kind == kinds.NOT_THERE and verdict.unknown:
        lines.append(Fact("Unknown", ("what is no entry becomes the unknown token",)))
    scored = is_scored(tokenizer)
    if verdict.kind == kinds.PREFIXED:
        lines += _merge_facts(verdict, scored)
    if verdict.path and verdict.kind != kinds.MERGED_ON:
        lines.append(Fact("Would be made by", _ancestry(verdict, scored)))
    if verdict.kind == kinds.OUTSCORED:
        lines.append(Fact("Best way", _way(verdict, verdict.best_path, verdict.best_score)))
        if len(verdict.own_path) > 1:
            lines.append(Fact("With it", _way(verdict, verdict.own_path, verdict.own_score)))
    return lines


def _merge_facts(verdict: Verdict, scored: bool) -> list[Fact]:
    """Returns the merges of an outranked piece where the sentence does not tell of them."""
    named = [("Came first", verdict.merge), ("Had to wait", verdict.needed)]
    if verdict.blocked is not verdict.needed:
        named.append(("Lost a side", verdict.blocked))
    return [
        Fact(label, (*joining(verdict, merge), f"  {value_of(merge, scored)}"))
        for label, merge in named
        if merge is not None
    ]


def _way(verdict: Verdict, edges: list[LatticeEdge], score: float) -> Sentence:
    """Returns the pieces of a way through a lattice with their scores, and the sum."""
    parts: list[str | SentenceToken] = []
    for edge in edges[:SHOWN]:
        piece = SentenceToken(some(verdict.data[edge.start : edge.stop]), edge.token)
        parts += [piece, f" {score_text(edge.score)}  "]
    if len(edges) > SHOWN:
        parts.append(f"and {len(edges) - SHOWN:,} more  ")
    return (*parts, f"= {score_text(score)}") if len(edges) > 1 else tuple(parts)


def _ancestry(verdict: Verdict, scored: bool) -> Sentence:
    """Returns the merges of a piece in the order in which they would be made."""
    merges = sorted(verdict.path, key=lambda merge: (merge.rank, merge.start))
    parts: list[str | SentenceToken] = []
    for merge in merges[:SHOWN]:
        if parts:
            parts.append(" → ")
        value = score_text(merge.score) if scored else f"{merge.rank:,}"
        parts += [
            SentenceToken(some(verdict.data[merge.start : merge.stop]), merge.result),
            f" {value}",
        ]
    if len(merges) > SHOWN:
        parts.append(f" … {len(merges) - SHOWN:,} more")
    return tuple(parts)
