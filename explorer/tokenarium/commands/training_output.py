"""What becomes of a training on the command line: its progress bar, the file, the library, and the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tokenarium.analyses.table import facts_table
from tokenarium.commands.terminal import write_json, write_tables
from tokenarium.models.machine import machine_name
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.store import Store
from tokenarium.models.training.trained_languages import language_figures
from tokenarium.models.training.training_run import TrainingRun
from tokenarium_core.changing.extending import Extension
from tokenarium_core.command_values import check_destination, save_trained
from tokenarium_core.formats.registered import store_folder
from tokenarium_core.progress import Progress

STEP_MS = 100


@contextmanager
def steps_bar(corpus: Corpus | None = None) -> Iterator[Callable[[Progress], float]]:
    """Shows a training in a progress bar; yields what takes its progress, see `TrainingRun.run`."""
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TextColumn("{task.percentage:>3.0f}%"),
        rich.TimeElapsedColumn(),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        phase = "reading"
        task = bar.add_task(phase, total=1.0)

        def look(progress: Progress) -> float:
            nonlocal phase
            if progress.finished:
                return 0.0
            if progress.phase != phase:
                phase = progress.phase
                bar.reset(task, description=phase)
            done = progress.fraction
            if corpus is not None and not progress.total:
                done = corpus.done / max(corpus.total, 1)
            bar.update(task, completed=done)
            return STEP_MS

        yield look


def run_extension(extension: Extension) -> None:
    """Steps an extension to its end, with a progress bar."""
    with steps_bar() as look:
        while not (progress := extension.step(STEP_MS)).finished:
            look(progress)


def run_training(run: TrainingRun) -> bool:
    """Trains with a progress bar; returns False if the user stopped it, as `TrainingRun.run` does."""
    with steps_bar(run.corpus) as look:
        return run.run(look)


@dataclass(frozen=True, slots=True)
class TrainingOutput:
    """Where a trained tokenizer goes, and how it is reported."""

    out: Path | None
    format: str
    allow_differences: bool
    keep: bool
    as_json: bool

    @property
    def store(self) -> Path:
        """The folder of the library."""
        return store_folder()

    def check(self) -> None:
        """Raises TokenariumError if the file or the library cannot be written."""
        if self.out is not None:
            check_destination(self.out, self.format)
        if self.keep:
            Store(self.store).check_writable()

    def write(
        self,
        run: TrainingRun,
        complete: bool,
        started: float,
        values: Mapping[str, object],
        facts: Sequence[tuple[str, str]],
        languages: Mapping[str, object] | None = None,
        unequal: str = "",
    ) -> None:
        """Writes the tokenizer and the report.

        A training that is not ``complete`` is not kept. ``values`` and ``facts`` describe the corpus in JSON and for the
        terminal, ``languages`` and ``unequal`` what its languages take.
        """
        tokenizer, trainer = run.tokenizer(), run.trainer
        entries = len(tokenizer.vocabulary)
        seconds, machine = time.perf_counter() - started, machine_name()
        identity, files = "", list[Path]()
        if self.keep and complete:
            figures = {"bytes": int(trainer.byte_count), "seconds": seconds, "machine": machine}
            identity = run.keep(tokenizer, figures | language_figures(trainer)).identity
        if self.out is not None:
            files = save_trained(tokenizer, self.out, self.format, self.allow_differences)
        if self.as_json:
            write_json(
                {
                    "name": tokenizer.name,
                    "algorithm": run.request.algorithm,
                    "entries": entries,
                    **values,
                    "identity": identity,
                    "files": [str(path) for path in files],
                    "seconds": round(seconds, 3),
                    "machine": machine,
                    "report": trainer.report,
                    **(languages or {}),
                }
            )
            return
        rows = [
            ("Entries", f"{entries:,}"),
            *facts,
            ("Time", f"{seconds:.1f} s"),
            ("Machine", machine),
            *(("File", str(path)) for path in files),
            ("Kept as", identity[:12]),
            ("Ended early", "and so not kept" * (self.keep and not complete)),
            ("Languages", unequal),
            ("Report", trainer.report),
        ]
        write_tables(facts_table([row for row in rows if row[1]], tokenizer.name))
