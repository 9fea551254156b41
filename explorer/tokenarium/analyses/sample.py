"""Cuts of a text drawn at random, by BPE-dropout or by the scores of Unigram: a card of the page Ways and
``tokenarium sample``."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace

import tokenarium_core as tc
from tokenarium.analyses.analysis import AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.field import Flag, Number
from tokenarium.analyses.parts import Part, TileRow, TilesCard
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.task import slices
from tokenarium.models.text.piece import counted, percent, readable
from tokenarium_core.explaining.sampling import ALPHA, DROPOUT, SampledCut, SampledCuts, SamplingJob
from tokenarium_core.models import Unigram
from tokenarium_core.progress import Progress

LONGEST = 2_000
"""Characters of a text of which a page draws cuts."""

SHOWN = 8
TILES = 60
"""Cuts that are shown, and the most tokens of one that is."""


class SampleAnalysis(EachAnalysis[SampledCuts]):
    """Draws cuts of a text at random, as models are trained with them, and writes the most frequent ones."""

    id = "sample"
    title = "Cuts drawn at random"
    term = "subword regularization"
    fields = (
        Number("count", "How many cuts are drawn.", default=1000, low=1, high=10_000_000),
        Number("dropout", "BPE: the probability of leaving out a merge.", "Dropout", "The probability of leaving out a merge: 0 is normal encoding, 1 leaves only the first symbols", default=DROPOUT, high=1, decimals=2, step=0.05, kept_if_usual=False),
        Number("alpha", "Unigram: the exponent of the probabilities; with 0, all cuts are equally likely.", "Alpha", "The exponent of the probabilities: with 0, all cuts are equally likely; a large one leaves only the best", default=ALPHA, high=10, decimals=2, step=0.1, bounds=(0, None), kept_if_usual=False),
        Number("seed", "The same seed draws the same cuts again.", "Seed", "The same seed draws the same cuts again, on every computer", high=1_000_000, bounds=(None, None), kept_if_usual=False),
        Number("shown", "How many of the most frequent cuts are written.", default=10, bounds=(0, None)),
        Flag("special", "Special tokens stay whole."),
    )  # fmt: skip
    parts = (Part("cuts", "tiles"),)

    def working(self, inputs: AnalysisInputs) -> str:
        return f"Drawing cuts by {inputs.subjects[0].full_name}"

    @staticmethod
    def rule(tokenizer: tc.Tokenizer) -> str:
        """Returns the field that says how cuts are drawn: the dropout of merges, or the alpha of scores."""
        return "alpha" if isinstance(tokenizer.model, Unigram) else "dropout"

    def work_on(
        self, subject: Subject, inputs: AnalysisInputs
    ) -> Generator[Progress | None, None, SampledCuts]:
        if len(inputs.text) > LONGEST and not inputs.strict:
            raise tc.ArgumentError(f"Select up to {LONGEST:,} characters to draw cuts of them.")
        how = (inputs.values[name] for name in ("count", "dropout", "alpha", "seed", "special"))
        job = SamplingJob(subject.tokenizer, inputs.text, *how)
        yield from slices(job)
        return job.cuts

    def table(self, inputs: AnalysisInputs, result: Each[SampledCuts]) -> Table[SampledCut]:
        front = inputs.subjects[0]
        sampled = result.found.get(front.key)
        pieces = front.tokenizer.vocabulary.surface

        def share(cut: SampledCut) -> TableCell:
            return TableCell(percent(cut.times / sampled.count) if sampled is not None else "")

        def chance(cut: SampledCut) -> TableCell:
            known = cut.probability >= 0
            return TableCell(percent(cut.probability) * known, repr(cut.probability) * known)

        def tokens(cut: SampledCut) -> TableCell:
            return TableCell("·".join(readable(pieces(id).encode()) for id in cut.ids))

        def encoding(cut: SampledCut) -> TableCell:
            return TableCell("encoding" * (sampled is not None and cut.ids == sampled.canonical))

        columns: list[TableColumn[SampledCut]] = [
            TableColumn(lambda cut: TableCell(f"{cut.times:,}", str(cut.times)), file="times", terminal="times"),
            TableColumn(share, terminal="share"),
            TableColumn(chance, file="probability", terminal="exact"),
            TableColumn(tokens, terminal="tokens", number=False, grows=True),
            TableColumn(lambda cut: TableCell(" ".join(map(str, cut.ids))), file="ids"),
            TableColumn(encoding, terminal="", number=False),
        ]  # fmt: skip
        return Table(columns, sampled.cuts if sampled is not None else [], str)

    def show(self, inputs: AnalysisInputs, result: Each[SampledCuts]) -> Mapping[str, object]:
        front = inputs.subjects[0]
        sampled, rows = result.found.get(front.key), []
        said = result.faults.get(front.key, "Drawing …")
        if sampled is not None:
            said = (
                f"{sampled.count:,} draws gave {counted(len(sampled.cuts), 'cut')}; {percent(sampled.canonical_share)} of the draws"
                f" are the same as the normal encoding. {sampled.tokens:.1f} tokens on average, {len(sampled.canonical):,} by encoding."
            )
            rows = [_row(cut, sampled) for cut in sampled.cuts[:SHOWN] if len(cut.ids) <= TILES]
        return {"cuts": TilesCard(said, front.tokenizer, rows, plain=True)}

    # The command, which is given one tokenizer.

    def summary_lines(self, inputs: AnalysisInputs, result: Each[SampledCuts]) -> list[str]:
        (sampled,) = result.found.values()
        return [
            f"{sampled.count:,} draws with {sampled.rule}: {len(sampled.cuts):,} different cuts, {sampled.tokens:.1f} tokens on average;"
            f" {percent(sampled.canonical_share)} are the normal encoding ({len(sampled.canonical):,} tokens)."
        ]

    def printed(
        self, inputs: AnalysisInputs, result: Each[SampledCuts]
    ) -> Table[SampledCut] | None:
        table = self.table(inputs, result)
        rows = table.rows[: inputs.values["shown"]]
        return replace(table, rows=rows, title=f"The most frequent {len(rows)}") if rows else None

    def as_json(self, inputs: AnalysisInputs, result: Each[SampledCuts]) -> object:
        (sampled,) = result.found.values()
        tokenizer = inputs.subjects[0].tokenizer
        pieces = tokenizer.vocabulary.surface
        return {
            "tokenizer": tokenizer.name,
            "rule": sampled.rule,
            "seed": inputs.values["seed"],
            "draws": sampled.count,
            "different": len(sampled.cuts),
            "tokens": sampled.tokens,
            "canonical": sampled.canonical,
            "canonical_share": sampled.canonical_share,
            "cuts": [
                {
                    "times": cut.times,
                    "ids": cut.ids,
                    "pieces": [pieces(id) for id in cut.ids],
                    "probability": cut.probability if cut.probability >= 0 else None,
                }
                for cut in sampled.cuts[: inputs.values["shown"]]
            ],
        }


def _row(cut: SampledCut, found: SampledCuts) -> TileRow:
    said, lit = [counted(len(cut.ids), "token")], cut.ids == found.canonical
    if cut.probability >= 0:
        said.append(f"exactly {percent(cut.probability)}")
    if lit:
        said.append("encoding")
    share, tip = percent(cut.times / found.count), f"{cut.times:,} of {found.count:,} draws"
    return TileRow(cut.ids, "", share, " · ".join(said), lit, tip)


SAMPLE = SampleAnalysis()
