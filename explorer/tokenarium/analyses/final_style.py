"""What final-style pruning costs and gains beside Unigram's own: the page Final-style pruning and ``tokenarium final-style``."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from tokenarium.analyses.analysis import AnalysisInputs
from tokenarium.analyses.field import Number
from tokenarium.analyses.parts import Part
from tokenarium.analyses.vocabulary_runs import VocabularyRunsAnalysis
from tokenarium.models.task import TaskWork
from tokenarium.models.training.final_style_runs import final_style_runs
from tokenarium.models.training.vocabulary_run import VocabularyRun

HOW = (
    "Unigram estimates for each piece how much less likely the text is without it, and removes the pieces with the smallest loss."
    " Final-style pruning keeps the pieces with the highest probabilities in all rounds, as Unigram does only at its end."
)


class FinalStyleAnalysis(VocabularyRunsAnalysis):
    """Trains Unigram on a text with its own pruning and with final-style pruning, and writes what each keeps, the loss and
    how many tokens the text needs.

    Final-style pruning (Land and Pinter 2026) keeps the most probable entries in all rounds. Its authors found a slightly
    higher loss, and fewer tokens.
    """

    id = "final_style"
    title = "Final-style"
    term = "final-style pruning"
    asks = "Which entries does Unigram keep of {} if it never estimates losses?"
    doing = "Training Unigram twice"
    fields = (
        Number("entries", "How many entries longer than a character the vocabularies have.", "Entries", "Entries longer than a character; the characters of the text are entries too", default=100, low=1, high=100_000, step=50),
        Number("seed", "How many times as many it begins with.", "Seed", "How many times as many entries final-style pruning begins with", default=10, low=2, high=1000),
    )  # fmt: skip
    parts = (Part("table", "table", "Entries of Unigram by its pruning"), Part("note", "note"))
    tips = (
        "Entries of the vocabulary: all characters, and the longer ones",
        "Entries of more than one character that the text never uses",
        "Entries that the other vocabulary does not have",
    )
    has_loss = True
    stage_title = "Unigram with final-style pruning"

    def work(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> TaskWork:
        entries, seed = int(inputs.values["entries"]), int(inputs.values["seed"])
        result += yield from final_style_runs(inputs.text, entries, seed)

    def remarks(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> Sequence[str]:
        if not result:
            return [HOW]
        usual, simpler = result
        tokens = _compared(simpler.tokens, usual.tokens, "fewer", "more", "as many")
        loss = _compared(simpler.least_loss, usual.least_loss, "lower", "higher", "the same")
        sizes = (len(simpler.pieces), len(usual.pieces))
        unequal = (
            "" if sizes[0] == sizes[1] else f" It found {sizes[0]:,} entries, Unigram {sizes[1]:,}."
        )
        return [
            HOW,
            f"With it, the text that both were trained on needs {tokens} tokens, and the least loss is {loss}.{unequal}",
        ]


def _compared(value: float, other: float, less: str, more: str, same: str) -> str:
    """Returns how much less or more a value is than another, as “1.2% more”, or that it is the ``same``."""
    if isclose(value, other):
        return same
    share = f"{abs(value / other - 1):.1%}" if other else ""
    if share == f"{0:.1%}":
        return f"almost {same}"
    return f"{share} {less if value < other else more}".lstrip()


FINAL_STYLE = FinalStyleAnalysis()
