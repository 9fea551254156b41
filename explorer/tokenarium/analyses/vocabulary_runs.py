"""What analyses of trainings on one text share: a row for each vocabulary, and which entries only it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.parts import Bar, Board
from tokenarium.analyses.table import COUNT, Table, TableCell, TableColumn
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import readable
from tokenarium.models.training.vocabulary_run import VocabularyRun

NAMED = 8
"""Pieces that a row names."""


class VocabularyRunsAnalysis(Analysis[list[VocabularyRun]]):
    """Base of the analyses that train vocabularies on the text and compare them.

    The first part is the table. ``tips`` are what its heads of entries mean: all, those not used, and those only here;
    ``has_loss``: whether the vocabularies have probabilities.
    """

    least = 0
    page_limit = 100_000
    tips: ClassVar[tuple[str, str, str]]
    has_loss: ClassVar[bool] = False

    def begin(self, inputs: AnalysisInputs) -> list[VocabularyRun]:
        return []

    def table(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> Table[VocabularyRun]:
        def number(
            title: str,
            of: Callable[[VocabularyRun], float],
            tip: str,
            form: Callable[[float], str] = COUNT,
            term: str = "",
            spare: bool = False,
        ) -> TableColumn[VocabularyRun]:
            def cell(run: VocabularyRun) -> TableCell:
                return TableCell(form(of(run)), f"{of(run):.6g}", order=of(run), value=of(run))

            return TableColumn(cell, title, title, title.lower(), tip=tip, term=term, spare=spare)

        def examples(run: VocabularyRun) -> TableCell:
            return TableCell(" · ".join(isolated(readable(one)) for one in run.only[:NAMED]))

        thousandths = "{:.3f}".format
        entries, unused, only = self.tips
        losses = [
            number("Loss", lambda run: run.loss, "The mean of −log P of a word, in nats, over all ways to split it", thousandths, term="loss", spare=True),
            number("Least loss", lambda run: run.least_loss, "The loss with the probabilities that make the text most likely: it depends on the entries alone", thousandths, term="loss"),
        ]  # fmt: skip
        columns: list[TableColumn[VocabularyRun]] = [
            TableColumn(lambda run: TableCell(run.name, colour=run.number), "Training", "Training", "training", number=False),
            number("Entries", lambda run: len(run.pieces), entries),
            number("Not used", lambda run: run.unused, unused, spare=True),
            number("Tokens", lambda run: run.tokens, "Tokens of the text"),
            number("Bytes/token", lambda run: run.ratio, "Bytes per token of the text", thousandths, term="bytes per token"),
            *(losses if self.has_loss else []),
            number("Only here", lambda run: len(run.only), only),
            TableColumn(examples, "The most used of them", "The most used of them", "the most used of them", number=False, grows=True),
        ]  # fmt: skip
        return Table(columns, result, lambda run: run.name, self.parts[0].name)

    def show(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> Mapping[str, object]:
        return {
            "table": self.table(inputs, result),
            "note": " ".join(self.remarks(inputs, result)),
        }

    def boards(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> Sequence[Board]:
        """Returns the steps on the tokens of the text, and on the least loss if there are probabilities."""
        if not result:
            return ()
        note = self.remarks(inputs, result)[0]
        boards = [
            _board(
                "Tokens of the text",
                result,
                lambda run: run.tokens,
                COUNT,
                "Which of them needs the fewest tokens for this text?",
                note,
            )
        ]
        if self.has_loss:
            boards.append(
                _board(
                    "Least loss",
                    result,
                    lambda run: run.least_loss,
                    "{:.3f} nats".format,
                    "Whose entries make the text most likely?",
                    "The mean of −log P of a word, with the probabilities that make the text most likely.",
                )
            )
        return boards

    def as_json(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> object:
        return [
            {
                "training": run.name,
                "entries": len(run.pieces),
                "not_used": run.unused,
                "bytes": run.size,
                "tokens": run.tokens,
                "bytes_per_token": run.ratio,
                **({"loss": run.loss, "least_loss": run.least_loss} if self.has_loss else {}),
                "only_here": [readable(piece) for piece in run.only],
            }
            for run in result
        ]


def _board(
    title: str,
    runs: Sequence[VocabularyRun],
    of: Callable[[VocabularyRun], float],
    form: Callable[[float], str],
    question: str,
    note: str,
) -> Board:
    """Returns a step with a bar for each vocabulary; the least is the best."""
    values = [of(run) for run in runs]
    least, most = min(values), max(values)
    bars = [
        Bar(run.name, form(value), value / (most or 1.0), run.number)
        for run, value in zip(runs, values, strict=True)
    ]
    if form(least) == form(most):
        return Board(title, bars, "They are the same.", note=note)
    best = values.index(least)
    sentence = f"{runs[best].name}: {form(least)}, {1 - least / most:.1%} less than {form(most)}."
    return Board(title, bars, sentence, question, note, best)
