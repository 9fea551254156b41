"""Runs all examinations of one tokenizer; a caller can show each finding and stop between two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Severity
from tokenarium.models.diagnosis.diagnosis_cuts import blank_runs, numbers, unstable
from tokenarium.models.diagnosis.diagnosis_entries import not_utf8, unreachable
from tokenarium.models.diagnosis.diagnosis_files import configuration, settings_beside
from tokenarium.models.diagnosis.diagnosis_texts import injection, round_trip
from tokenarium.models.files import cache_folder
from tokenarium.models.progress_reporter import ProgressReporter


def _under_trained(tokenizer: tc.Tokenizer) -> Diagnosis:
    return Diagnosis(
        "under_trained",
        "Under-trained tokens",
        Severity.UNKNOWN,
        "Which entries a model has hardly seen in its training is not known from the tokenizer: it takes the"
        " model's embedding weights.",
        "Not examined. Land and Bartolo 2024, Fishing for Magikarp, show how it is done with the weights.",
    )


EXAMINATIONS: tuple[Callable[[tc.Tokenizer], Diagnosis], ...] = (
    unreachable,
    not_utf8,
    round_trip,
    numbers,
    blank_runs,
    injection,
    unstable,
    configuration,
    settings_beside,
    _under_trained,
)
"""All of them, in the order in which they are shown."""


def diagnose(tokenizer: tc.Tokenizer) -> Iterator[Diagnosis]:
    """Yields the finding of each examination."""
    for examine in EXAMINATIONS:
        yield examine(tokenizer)


def examine_source(report: ProgressReporter, source: str, pattern: str) -> None:
    """Opens a tokenizer as the library does, and reports each finding as soon as it is made.

    For a process of its own: single examinations take longer than the window may wait.
    """
    tokenizer = tc.open(source, pattern=pattern or None, cache=cache_folder())
    for finding in diagnose(tokenizer):
        report(finding)
