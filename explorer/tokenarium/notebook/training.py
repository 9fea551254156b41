"""Training and counting in a notebook, with their progress in the output of the cell."""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.models.merges.training_story import story_of
from tokenarium.models.text.piece import counted
from tokenarium.models.training.asked_training import RECORDED, RUNNERS_UP
from tokenarium.models.training.training_run import curve_of
from tokenarium.notebook.curve import curve_svg
from tokenarium.notebook.figure import NotebookFigure
from tokenarium.notebook.live_progress import LiveProgress
from tokenarium.notebook.tables import table_figure
from tokenarium.web.page import page
from tokenarium.web.training_figure import training_figure
from tokenarium_core.html_view import escaped, figure
from tokenarium_core.training import (
    ALGORITHMS,
    PairRecord,
    Trainer,
    UnigramRecord,
    make_trainer,
)

STEP_MS = 50
"""Milliseconds between two looks at how far the work is."""

PLAYER_HEIGHT = 680
"""Pixels of a training that is played."""

POINTS = 12
"""The sizes in the table of a training."""

Paths = Sequence[str | os.PathLike[str]]


class NotebookTraining(NotebookFigure):
    """A training: its ``tokenizer``, and how many tokens its corpus needs at each size, in ``rows``.

    ``complete``: it was not stopped.
    """

    def __init__(
        self, trainer: Trainer, tokenizer: tc.Tokenizer, said: str, complete: bool
    ) -> None:
        self.tokenizer = tokenizer
        self.complete = complete
        size = max(int(trainer.byte_count), 1)
        points = [
            (entries, tokens, size / tokens) for entries, tokens in curve_of(trainer) if tokens
        ]
        step = max(-(-len(points) // POINTS), 1)
        some = [*points[:-1:step], *points[-1:]]
        columns: list[TableColumn[tuple[int, int, float]]] = [
            printed_column("entries", lambda point: point[0], COUNT, "entries"),
            printed_column("tokens", lambda point: point[1], COUNT, "tokens"),
            printed_column("bytes per token", lambda point: point[2], "{:.3f}".format, "bytes_per_token"),
        ]  # fmt: skip
        drawn = table_figure(Table(columns, some, title=said))
        picture = ""
        if len(points) > 1:
            svg = curve_svg([(entries, ratio) for entries, _, ratio in points])
            source = base64.b64encode(svg.encode()).decode()
            last = points[-1]
            about = f"Bytes per token grow from {points[0][2]:.2f} with {points[0][0]:,} entries to {last[2]:.2f} with {last[0]:,}."
            picture = f'<img src="data:image/svg+xml;base64,{source}" alt="{about}" width="480" height="240">'
        rows = [
            {"entries": entries, "tokens": tokens, "bytes_per_token": ratio}
            for entries, tokens, ratio in points
        ]
        still = figure(said, f"{picture}<div>{escaped(trainer.report)}</div>")
        super().__init__(still, drawn, rows)


def train(
    texts: Iterable[str] | Mapping[str, Iterable[str]] = (),
    vocab_size: int = 8192,
    algorithm: str = "bpe",
    *,
    name: str = "",
    files: Paths = (),
    counts: tc.WordCounts | None = None,
    play: str = "",
    **options: Any,
) -> NotebookTraining:
    """Trains a tokenizer on texts, on files, or from counts; it is the ``tokenizer`` of what is returned.

    The options are those of the algorithm, as in `tokenarium_core.train`, which raises the same errors. The output of the
    cell shows how far it is. An interrupt ends the training with what was learned so far, if the algorithm allows that.

    With a text to ``play``, the figure plays the training step by step: the pairs that it chose from, and how the text is
    cut. That is meant for small trainings. ArgumentError for an algorithm that keeps no record.
    """
    record = _record(algorithm) if play else None
    trainer = make_trainer(
        algorithm,
        texts,
        vocab_size=vocab_size,
        files=files,
        counts=counts,
        record=record,
        **options,
    )
    started = time.monotonic()
    complete = True
    with LiveProgress("Reading") as progress:
        try:
            while not (step := trainer.step(STEP_MS)).finished:
                progress.take(step)
        except KeyboardInterrupt:
            if not trainer.usable:
                raise
            complete = False
            progress.end("stopped")
    tokenizer = trainer.tokenizer(name)
    seconds = time.monotonic() - started
    entries = counted(len(tokenizer.vocabulary), "entry", "entries")
    ended = "" if complete else ", stopped early"
    said = f"{ALGORITHMS[algorithm].title}: {entries} in {seconds:.2f} s{ended}"
    made = NotebookTraining(trainer, tokenizer, said, complete)
    if record is not None and complete:
        story = story_of(trainer, record)
        about = f"{counted(len(story), 'step')} on {counted(int(trainer.byte_count), 'byte')}"
        figure_of_it = training_figure(story, play, ALGORITHMS[algorithm].title, about, 0)
        made.page, made.height = page("Training", [figure_of_it]), PLAYER_HEIGHT
    return made


def _record(algorithm: str) -> PairRecord | UnigramRecord:
    """Returns the empty record of a training that is played."""
    if algorithm not in RECORDED:
        known = ", ".join(RECORDED)
        raise tc.ArgumentError(
            f"A training of {algorithm!r} cannot be played: choose one of {known}."
        )
    return UnigramRecord() if ALGORITHMS[algorithm].scores_pieces else PairRecord(RUNNERS_UP)


def count(
    texts: Iterable[str] = (), algorithm: str = "bpe", *, files: Paths = (), **options: object
) -> tc.WordCounts:
    """Returns the words of texts and files with their numbers, from which `train` makes tokenizers of any size.

    The output of the cell shows how far it is. The options are those that counting depends on.
    """
    counts = tc.WordCounts(algorithm, **options)
    total = len(texts) if isinstance(texts, Sequence) else 0
    with LiveProgress("Counting") as progress:
        job = counts.adding(texts, files)
        while not (step := job.step(STEP_MS)).finished:
            done = counts.texts / total if total else step.fraction
            progress.show(step.phase, done)
    return counts
