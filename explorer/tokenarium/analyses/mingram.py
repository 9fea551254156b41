"""What MinGram keeps of a larger BPE, beside BPE itself: the page MinGram of Compare and ``tokenarium mingram``."""

from __future__ import annotations

from collections.abc import Sequence

from tokenarium.analyses.analysis import AnalysisInputs
from tokenarium.analyses.field import Number
from tokenarium.analyses.parts import Part
from tokenarium.analyses.vocabulary_runs import VocabularyRunsAnalysis
from tokenarium.models.task import TaskWork
from tokenarium.models.text.piece import counted
from tokenarium.models.training.mingram import BYTES
from tokenarium.models.training.mingram_runs import mingram_runs
from tokenarium.models.training.vocabulary_run import VocabularyRun

HOW = (
    "MinGram begins with the entries of a larger BPE, splits each word into as few of them as possible, and keeps those that are used"
    " most often. Between ways with as many tokens, the probabilities of the pieces decide."
)


class MinGramAnalysis(VocabularyRunsAnalysis):
    """Trains BPE and MinGram on a text, and writes what each keeps and how many tokens the text needs.

    MinGram (Land 2026) keeps the entries of a larger BPE that the segmentations with the fewest tokens use most often.
    """

    id = "mingram"
    title = "MinGram"
    term = "MinGram"
    asks = "Which entries give {} the fewest tokens?"
    doing = "Training BPE and MinGram"
    fields = (
        Number("entries", "The most entries of the vocabularies.", "Entries", "The most entries: 256 bytes, and longer pieces", default=400, low=BYTES + 1, high=200_000, step=50),
        Number("overshoot", "How many times as many merges the BPE has that it begins with.", "Overshoot", "How many times as many merges the BPE has that MinGram begins with", default=1.1, low=1, high=10, decimals=2, step=0.1),
    )  # fmt: skip
    stage_title = "BPE and MinGram"
    parts = (Part("table", "table", "Entries of BPE and of MinGram"), Part("note", "note"))
    tips = (
        "Entries of the vocabulary: those that are not used are dropped by MinGram",
        "Entries of more than one byte that the text never uses",
        "Entries that MinGram does not have, or that only MinGram has",
    )

    def work(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> TaskWork:
        entries, overshoot = int(inputs.values["entries"]), float(inputs.values["overshoot"])
        result += yield from mingram_runs(inputs.text, entries, overshoot)

    def remarks(self, inputs: AnalysisInputs, result: list[VocabularyRun]) -> Sequence[str]:
        saved = [
            f"Of {counted(bpe.tokens - mingram.tokens, 'token')} saved, {bpe.tokens - split.tokens:,} are due to splitting alone."
            for bpe, split, mingram in [result]
            if bpe.tokens > mingram.tokens
        ] if result else []  # fmt: skip
        return [HOW, *saved]


MINGRAM = MinGramAnalysis()
