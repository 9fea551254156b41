"""Which entries vocabularies share, by their bytes: the page Overlap and ``tokenarium overlap``."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import filterfalse

from tokenarium.analyses.analysis import Analysis, AnalysisInputs, Subject
from tokenarium.analyses.parts import Bar, Board, PairCell, PairMatrix, Part, PieceList
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.compare.metrics import jaccard
from tokenarium.models.compare.vocabulary_overlap import OverlapJob, shared_entries
from tokenarium.models.task import TaskWork, slices
from tokenarium.resources.glossary import explanation

TIP = (
    "Jaccard = entries that both have ÷ entries that either has, by the bytes that they stand for;\nspecial, unknown"
    " and unused ones do not count. Source: Jaccard 1901."
)

Couple = tuple[Subject, Subject]


class OverlapAnalysis(Analysis[OverlapJob]):
    """Compares the entries of vocabularies, by the bytes that they stand for: how many each two share."""

    id = "overlap"
    title = "Overlap"
    term = "Jaccard index"
    doing = "Comparing vocabularies"
    stage_title = "What the vocabularies have in common"
    full_names = True
    heading = "Entries in common"
    note = "How many entries both have, and their share of the entries of either. Click a cell to see them."
    note_tip = TIP
    too_few = (
        "Two tokenizers are needed",
        "Click another tokenizer in the library (Ctrl+B) to compare their vocabularies by bytes.",
    )
    waiting = (
        "Comparing the vocabularies …",
        "This page will show which entries each pair of them shares.",
    )
    needs_text = False
    least = 2
    several = True
    chooses = "pair"
    chosen_type = tuple[str, str]
    parts = (
        Part("matrix", "matrix", "Shared entries of each pair of vocabularies"),
        Part("lists", "pieces"),
    )
    more = """
pieces = answer.result.pieces
one, other = (pieces[name] for name in PAIR)
only_in_one = [piece for piece in one if piece not in other]
in_both = [piece for piece in one if piece in other]
only_in_other = [piece for piece in other if piece not in one]
"""

    def begin(self, inputs: AnalysisInputs) -> OverlapJob:
        return OverlapJob(
            {subject.key: subject.tokenizer for subject in inputs.subjects}, inputs.cache
        )

    def work(self, inputs: AnalysisInputs, result: OverlapJob) -> TaskWork:
        yield from slices(result)
        inputs.cache.update(result.pieces)

    def table(self, inputs: AnalysisInputs, result: OverlapJob) -> Table[Couple]:
        def share(pair: Couple) -> float:
            return _share(result, *pair)

        columns: list[TableColumn[Couple]] = [
            TableColumn(lambda pair: TableCell(pair[0].full_name), file="tokenizer", terminal="tokenizer", number=False),
            TableColumn(lambda pair: TableCell(pair[1].full_name), file="other", terminal="other", number=False),
            TableColumn(lambda pair: TableCell(f"{_shared(result, *pair):,}", str(_shared(result, *pair))), file="shared entries", terminal="shared entries"),
            TableColumn(lambda pair: TableCell(f"{share(pair):.1%}", f"{share(pair):.6g}"), file="Jaccard", terminal="Jaccard"),
        ]  # fmt: skip
        subjects = inputs.subjects
        return Table(columns, [(subject, other) for subject in subjects for other in subjects], str)

    def show(self, inputs: AnalysisInputs, result: OverlapJob) -> Mapping[str, object]:
        cells = [
            [_cell(result, subject, other) for other in inputs.subjects]
            for subject in inputs.subjects
        ]
        subjects = inputs.subjects
        keys, names, colours = zip(
            *((subject.key, subject.full_name, subject.colour) for subject in subjects), strict=True
        )
        return {"matrix": PairMatrix(keys, names, colours, cells)}

    def show_chosen(
        self, inputs: AnalysisInputs, result: OverlapJob, key: Hashable
    ) -> Mapping[str, object]:
        first, second = self._pair(inputs, key)
        one, other = result.pieces[first.key], result.pieces[second.key]
        return {
            "lists": [
                PieceList(f"only in {first.full_name}", list(filterfalse(other.__contains__, one)), one, first.key),
                PieceList("in both", list(filter(other.__contains__, one)), one, first.key),
                PieceList(f"only in {second.full_name}", list(filterfalse(one.__contains__, other)), other, second.key),
            ]
        }  # fmt: skip

    def program_values(self, inputs: AnalysisInputs, key: Hashable) -> Mapping[str, object]:
        return {"pair": tuple(subject.full_name for subject in self._pair(inputs, key))}

    @staticmethod
    def _pair(inputs: AnalysisInputs, key: Hashable) -> Sequence[Subject]:
        """Returns two tokenizers by their keys, or the first two."""
        by_key = {subject.key: subject for subject in inputs.subjects}
        return [by_key[name] for name in key] if isinstance(key, tuple) else inputs.subjects[:2]

    def boards(self, inputs: AnalysisInputs, result: OverlapJob) -> Sequence[Board]:
        boards = []
        for subject in inputs.subjects:
            others = [
                (_share(result, subject, other), other)
                for other in inputs.subjects
                if other is not subject
            ]
            others.sort(key=lambda pair: -pair[0])
            most = max((share for share, _ in others), default=0.0) or 1.0
            bars = [
                Bar(other.name, f"{share:.1%} · {_shared(result, subject, other):,}", share / most, other.colour)
                for share, other in others
            ]  # fmt: skip
            several = len(bars) > 1
            boards.append(
                Board(
                    f"Entries that {subject.name} shares, of those that either has",
                    bars,
                    f"{subject.name} has {len(result.pieces[subject.key]):,} entries; {bars[0].name} shares the most of them.",
                    f"Which vocabulary is most like {subject.name}?" if several else "",
                    "By the entries that both have.",
                    0 if several and bars[0].said != bars[1].said else -1,
                )
            )
        return boards

    def as_json(self, inputs: AnalysisInputs, result: OverlapJob) -> object:
        sizes = {subject.full_name: len(result.pieces[subject.key]) for subject in inputs.subjects}
        pairs = [
            {
                "tokenizer": first.full_name,
                "other": other.full_name,
                "shared": _shared(result, first, other),
                "jaccard": _share(result, first, other),
            }
            for first, other in self.table(inputs, result).rows
            if first is not other
        ]
        return {"entries": sizes, "pairs": pairs}


def _shared(result: OverlapJob, one: Subject, other: Subject) -> int:
    """Returns how many entries two vocabularies share; of a vocabulary and itself, its size."""
    return shared_entries(result.pieces, result.shared, one.key, other.key)


def _share(result: OverlapJob, one: Subject, other: Subject) -> float:
    sizes = len(result.pieces[one.key]), len(result.pieces[other.key])
    return jaccard(_shared(result, one, other), *sizes) or 0.0


def _cell(result: OverlapJob, one: Subject, other: Subject) -> PairCell:
    count, name = _shared(result, one, other), one.full_name
    if one is other:
        return PairCell(
            f"{count:,} entries",
            -1,
            f"{name} has {count:,} entries that stand for bytes of a text.",
        )
    share = _share(result, one, other)
    part = f"{count / max(len(result.pieces[one.key]), 1):.1%} of the entries of {name}"
    tip = f"{name} and {other.full_name} share {count:,} entries, {part}.\n{explanation(OVERLAP.term)}\n{TIP}"
    return PairCell(f"{share:.1%}\n{count:,}", share, tip)


OVERLAP = OverlapAnalysis()
