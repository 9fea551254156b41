"""Runs all examinations of one tokenizer; a caller can show each finding and stop between two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Level
from tokenarium.models.diagnosis.diagnosis_cuts import blank_runs, numbers, unstable
from tokenarium.models.diagnosis.diagnosis_embeddings import examine_embeddings
from tokenarium.models.diagnosis.diagnosis_entries import not_utf8, unreachable
from tokenarium.models.diagnosis.diagnosis_files import configuration, settings_beside
from tokenarium.models.diagnosis.diagnosis_gguf import same_model
from tokenarium.models.diagnosis.diagnosis_residues import residues
from tokenarium.models.diagnosis.diagnosis_stored import (
    added_blanks,
    added_ids,
    stored_cuts,
    stored_patterns,
    text_starts,
    zero_scores,
)
from tokenarium.models.diagnosis.diagnosis_texts import injection, lookalikes, round_trip
from tokenarium.models.progress_reporter import ProgressReporter


def under_trained(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which entries a model hardly trained, where its weights are beside the tokenizer."""
    return examine_embeddings(tokenizer)[0]


EXAMINATIONS: tuple[Callable[[tc.Tokenizer], Diagnosis], ...] = (
    unreachable,
    not_utf8,
    residues,
    round_trip,
    numbers,
    blank_runs,
    injection,
    lookalikes,
    unstable,
    added_ids,
    added_blanks,
    configuration,
    settings_beside,
    stored_cuts,
    stored_patterns,
    text_starts,
    zero_scores,
    same_model,
    under_trained,
)
"""All of them, in the order in which they are shown."""


EXAMINATION_OF = {
    "folder" if examine is settings_beside else examine.__name__: examine
    for examine in EXAMINATIONS
}
"""The examinations by the ids of their findings."""


def examined(examine: Callable[[tc.Tokenizer], Diagnosis], tokenizer: tc.Tokenizer) -> Diagnosis:
    """Returns the finding of an examination; one that the tokenizer stops, by refusing a text, says so."""
    try:
        return examine(tokenizer)
    except tc.TokenariumError as error:
        title = examine.__name__.replace("_", " ").capitalize()
        method = "The tokenizer rejected a text of this examination."
        return Diagnosis(examine.__name__, title, Level.UNKNOWN, str(error), method)


def diagnose(tokenizer: tc.Tokenizer) -> Iterator[Diagnosis]:
    """Yields the finding of each examination."""
    for examine in EXAMINATIONS:
        yield examined(examine, tokenizer)


def examine_source(
    report: ProgressReporter,
    source: str,
    pattern: str,
    weights: str = "",
    follow: Callable[[tc.Tokenizer, Diagnosis], None] = lambda *_: None,
) -> None:
    """Opens a tokenizer as the library does, and reports each finding as soon as it is made; ``follow`` is then called.

    ``weights`` are a model's safetensors files, where they are not beside the tokenizer; its `EntryIndicators` are
    reported too. For a process of its own: single examinations take longer than the window may wait.
    """
    tokenizer = tc.open(source, pattern=pattern or None)
    for examine in EXAMINATIONS:
        if examine is not under_trained:
            finding = examined(examine, tokenizer)
            report(finding)
            follow(tokenizer, finding)
            continue
        finding, indicators = examine_embeddings(tokenizer, weights)
        if indicators is not None:
            report(indicators)
        report(finding)
