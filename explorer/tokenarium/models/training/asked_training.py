"""A training to play: what is asked for, as scenes keep it, and the job that makes its story."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tokenarium.models.merges.training_story import StoryJob
from tokenarium_core.training import NAIVE, PairLedger, PairRecord, UnigramRecord, Value
from tokenarium_core.training.algorithms import ALGORITHMS

TEXT, SELECTION, SAMPLES, FILE = "text", "selection", "samples", "file"
CORPORA = {
    TEXT: "This text",
    SELECTION: "The selection",
    SAMPLES: "All samples",
    FILE: "A file …",
}
CHANGING = (TEXT, SELECTION)
"""The corpora from the window, whose text may change."""

RECORDED = tuple(key for key, one in ALGORITHMS.items() if one.recorded and not one.by_language)
"""The algorithms whose trainings can be played."""

RUNNERS_UP = 10
"""Pairs that are recorded for each merge."""

LARGEST = 8_000_000
"""The most bytes of a corpus, as each merge looks at all of its pairs."""

COUNTED_AGAIN = 200_000_000
"""The most bytes of a corpus times entries for which all pairs are recorded if each merge counts them again."""


@dataclass(frozen=True, slots=True)
class AskedTraining:
    """The request of a training, as scenes keep it: the corpus by its key, the path of a file, and the trainer's settings.

    ``seconds`` is how long it took.
    """

    corpus: str
    file: str
    algorithm: str
    size: int
    options: dict[str, Value]
    seconds: float = field(default=0.0, compare=False)


def begun_story(asked: AskedTraining, corpus: str) -> tuple[StoryJob, bool]:
    """Returns the job of a training on a text, and whether all pairs are recorded; TokenariumError if it cannot begin."""
    # Imported here: the code that reads corpora is not needed before.
    from tokenarium.models.training.corpus_files import CorpusSource
    from tokenarium.models.training.training_request import TrainingRequest
    from tokenarium.models.training.training_run import TrainingRun

    ledger: PairLedger | None = PairLedger()
    again = asked.options.get("strategy") == NAIVE  # it counts all pairs again for each merge
    if again and len(corpus.encode("utf-8", "replace")) * asked.size > COUNTED_AGAIN:
        ledger = None
    scores = ALGORITHMS[asked.algorithm].scores_pieces
    record = UnigramRecord() if scores else PairRecord(RUNNERS_UP, ledger)
    sources = [CorpusSource("text", corpus)]
    inputs = "", asked.algorithm, asked.size, asked.options, sources, Path()
    run = TrainingRun(TrainingRequest(*inputs, hold_out=False), record=record)
    return StoryJob(run.trainer, record), ledger is not None
