"""What two tokenizers do differently, as plain values that cross processes."""

from __future__ import annotations

from dataclasses import dataclass, field

import tokenarium_core as tc
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium_core.comparing.diff import DiffJob, TokenizerDiff
from tokenarium_core.comparing.stage_differences import STAGES

(
    ADDED_TOKENS, NORMALIZER, PRE_TOKENIZER, MODEL, VOCABULARY, MERGES, SCORES, TEMPLATE, DECODER, CHAT, TRUNCATION,
    PADDING,
) = STAGES  # fmt: skip
"""The names of the stages, see the core's `STAGES`."""

STEP_MS = 100
"""Milliseconds for which texts are tried before the progress is reported."""


@dataclass(frozen=True, slots=True)
class DifferentText:
    """The shortest text found with different ids; see the core's `PartingText`."""

    text: str
    special: str
    template: bool
    stage: str
    because: str
    ids_a: list[int]
    ids_b: list[int]


@dataclass(frozen=True, slots=True)
class DifferentStage:
    """A difference of one stage; see the core's `StageDifference`."""

    stage: str
    what: str
    a: str
    b: str
    effect: str
    text: str | None
    ids_a: list[int]
    ids_b: list[int]


@dataclass(slots=True)
class DiffResult:
    """All that was found; see the core's `TokenizerDiff`. The names of the fields are those of the command's JSON."""

    worst: str | None = None
    sentence: str = ""
    first: DifferentText | None = None
    differences: list[DifferentStage] = field(default_factory=list)
    tried: dict[str, int] = field(default_factory=dict)
    not_tried: list[str] = field(default_factory=list)

    def take(self, found: TokenizerDiff) -> None:
        """Takes over what the core has found."""
        self.worst = found.worst or None
        self.sentence = found.sentence
        first = found.first
        if first is not None:
            self.first = DifferentText(
                first.text, first.special, first.template, first.stage, first.because,
                list(first.ids_a), list(first.ids_b),
            )  # fmt: skip
        self.differences = [
            DifferentStage(
                one.stage, one.what, one.a, one.b, one.effect, one.text,
                list(one.ids_a), list(one.ids_b),
            )
            for one in found.differences
        ]  # fmt: skip
        self.tried, self.not_tried = dict(found.tried), list(found.not_tried)


def diff_sources(
    report: ProgressReporter, a: str, a_pattern: str, b: str, b_pattern: str, text: str
) -> DiffResult:
    """Opens two tokenizers, and returns what they do differently; for a process of its own.

    The stages of two large vocabularies are compared in one step, which takes seconds.
    """
    job = DiffJob(
        tc.open(a, pattern=a_pattern or None),
        tc.open(b, pattern=b_pattern or None),
        [text] if text else [],
    )
    while not (progress := job.step(STEP_MS)).finished:
        report(progress)
    result = DiffResult()
    result.take(job.result)
    return result
