"""How differently two tokenizers divide a text, by lengths and frequencies: the page Divergence and ``tokenarium divergence``."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

import tokenarium_core as tc
from tokenarium.analyses.analysis import AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.parts import Part
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.packed_arrays import array_of
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import CONTROL, UNKNOWN, UNUSED

NSL = "normalized sequence length"
JSD = "Jensen–Shannon divergence"

NSL_TIP = "Tokens of the first ÷ tokens of the second. Source: Dagan et al. 2024, Getting the Most out of Your Tokenizer"
JSD_TIP = (
    "H(½P + ½Q) − ½H(P) − ½H(Q) in bits, where P and Q are the shares of the entries in the tokens: 0 if both are equal, 1 if no"
    " entry is in both. Source: Lin 1991, Divergence Measures Based on the Shannon Entropy"
)

EXACT = (
    "NSL depends on the tokenizer that it is divided by, and on the text: compare NSLs only with the same of both. A shorter"
    " sequence costs less, but does not make a better model (Schmidt et al. 2024, Tokenization Is More Than Compression)."
    " For the divergence, entries are equal if they stand for the same bytes; special and unknown tokens do not count. It says"
    " nothing about where the boundaries are. Entries of WordPiece have no spaces, so they are seldom equal to others."
)  # fmt: skip

Pair = tuple[Subject, Subject]


@dataclass(frozen=True, slots=True)
class EntryShares:
    """How many tokens a text has, and the share of each entry in those that stand for bytes, by these bytes."""

    tokens: int
    shares: dict[bytes, float]


def divergence(one: Mapping[bytes, float], other: Mapping[bytes, float]) -> float | None:
    """Returns the Jensen–Shannon divergence of two distributions in bits; None if one is empty.

    >>> divergence({b"a": 0.5, b"b": 0.5}, {b"b": 1.0})
    0.31127812445913283
    """
    if not one or not other:
        return None
    return (_against_mean(one, other) + _against_mean(other, one)) / 2


def _against_mean(one: Mapping[bytes, float], other: Mapping[bytes, float]) -> float:
    return sum(p * math.log2(2 * p / (p + other.get(piece, 0.0))) for piece, p in one.items())


class DivergenceAnalysis(EachAnalysis[EntryShares]):
    """Compares pairs of tokenizers on a text: how long their sequences are, and how differently they use entries."""

    id = "divergence"
    exact = EXACT
    title = "Divergence"
    asks = "How differently do the tokenizers divide {}?"
    doing = "Comparing the tokens"
    term = JSD
    several = True
    least = 2
    full_names = True
    parts = (Part("table", "table", "Lengths and divergence of each pair"), Part("note", "note"))

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, EntryShares]:  # fmt: skip
        yield Progress(subject.full_name, 0, 1, False)
        return entry_shares(subject.tokenizer, inputs.text)

    def table(self, inputs: AnalysisInputs, result: Each[EntryShares]) -> Table[Pair]:
        found = result.found

        def column(head: str, json: str, value: Callable[[EntryShares, EntryShares], float | None], form: str, tip: str = "", term: str = "") -> TableColumn[Pair]:  # fmt: skip
            def cell(pair: Pair) -> TableCell:
                if not all(one.key in found for one in pair):
                    faults = (result.faults.get(one.key, "") for one in pair)
                    return TableCell("not defined" if any(faults) else "", tip=" ".join(faults))
                made = value(found[pair[0].key], found[pair[1].key])
                if made is None:
                    return TableCell("–", "")
                return TableCell(format(made, form), f"{made:.6g}", order=made, value=made)

            return TableColumn(cell, head, head, head.lower(), tip=tip, term=term, json=json)

        columns = [
            _name(0, "Tokenizer"),
            _name(1, "Other"),
            column("JSD", "jsd", lambda one, other: divergence(one.shares, other.shares), ".3f", JSD_TIP, JSD),
            column("NSL", "nsl", lambda one, other: one.tokens / other.tokens if other.tokens else None, ".3f", NSL_TIP, NSL),
            column("Tokens", "tokens", lambda one, other: one.tokens, ",.0f"),
            column("Tokens of the other", "other_tokens", lambda one, other: other.tokens, ",.0f"),
        ]  # fmt: skip
        pairs = list(combinations(inputs.subjects, 2))
        return Table(columns, pairs, lambda pair: f"{pair[0].key}\n{pair[1].key}", ready=lambda pair: all(one.key in found for one in pair))  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[EntryShares]) -> Mapping[str, object]:
        return {"table": self.table(inputs, result), "note": EXACT}

    def as_json(self, inputs: AnalysisInputs, result: Each[EntryShares]) -> object:
        return {"pairs": self.table(inputs, result).values()}


def entry_shares(tokenizer: tc.Tokenizer, text: str) -> EntryShares:
    """Returns the tokens of a text and the shares of the entries."""
    vocabulary = tokenizer.vocabulary
    uses = np.bincount(array_of(tokenizer.encode(text).ids), minlength=len(vocabulary))
    kinds = array_of(vocabulary.kinds)[: len(vocabulary)]
    used = np.flatnonzero((uses > 0) & ~np.isin(kinds, (CONTROL, UNKNOWN, UNUSED)))
    total, shares = int(uses[used].sum()), dict[bytes, float]()
    for token in used.tolist():
        piece = vocabulary.piece(token)  # "##s" and "s" stand for the same bytes
        shares[piece] = shares.get(piece, 0.0) + int(uses[token]) / total
    return EntryShares(int(uses.sum()), shares)


def _name(place: int, head: str) -> TableColumn[Pair]:
    def cell(pair: Pair) -> TableCell:
        one = pair[place]
        return TableCell(one.name, tip=one.full_name, colour=one.colour, value=one.full_name)

    return TableColumn(cell, head, head, head.lower(), number=False, grows=True, json=head.lower())


DIVERGENCE = DivergenceAnalysis()
