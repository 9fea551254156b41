"""What becomes of a training on the command line: its progress bar, the file, the library, and the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.analyses.table import facts_table
from tokenarium.commands.terminal import write_json, write_tables
from tokenarium.models.machine import machine_name
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.store import Store, Trained
from tokenarium.models.training.training_algorithms import title_of
from tokenarium_core.changing.extending import Extension
from tokenarium_core.command_values import check_destination, save_trained
from tokenarium_core.formats.registered import store_folder
from tokenarium_core.training import Trainer

STEP_MS = 100


def run_steps(work: Trainer | Extension, corpus: Corpus | None = None) -> bool:
    """Steps a training to its end with a progress bar; returns whether the user stopped it, if it is usable then."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        phase = "reading"
        task = bar.add_task(phase, total=1.0)
        try:
            while not (progress := work.step(STEP_MS)).finished:
                if progress.phase != phase:
                    phase = progress.phase
                    bar.reset(task, description=phase)
                done = progress.fraction
                if corpus is not None and not progress.total:
                    done = corpus.done / max(corpus.total, 1)
                bar.update(task, completed=done)
        except KeyboardInterrupt:
            if isinstance(work, Extension) or not work.usable:
                raise
            return True
    return False


@dataclass(frozen=True, slots=True)
class TrainingOutput:
    """Where a trained tokenizer goes, and how it is reported."""

    algorithm: str
    name: str
    out: Path | None
    format: str
    allow_differences: bool
    keep: bool
    as_json: bool

    def check(self) -> None:
        """Raises TokenariumError if the file or the library cannot be written."""
        if self.out is not None:
            check_destination(self.out, self.format)
        if self.keep:
            Store(store_folder()).check_writable()

    def write(
        self,
        trainer: Trainer,
        interrupted: bool,
        started: float,
        keep: Callable[[tc.Tokenizer, Store, dict[str, Any]], Trained],
        values: Mapping[str, object],
        facts: Sequence[tuple[str, str]],
        languages: Mapping[str, object] | None = None,
        unequal: str = "",
    ) -> None:
        """Writes the tokenizer and the report.

        ``keep`` keeps it with its figures; an interrupted training is not kept. ``values`` and ``facts`` describe the
        corpus in JSON and for the terminal, ``languages`` and ``unequal`` what its languages take.
        """
        # Bytes that are not UTF-8 come from the terminal as surrogates, which no file can be written with.
        tokenizer = trainer.tokenizer(self.name.encode("utf-8", "backslashreplace").decode())
        entries = len(tokenizer.vocabulary)
        tokenizer.name = tokenizer.name or title_of(self.algorithm, entries)
        seconds, machine = time.perf_counter() - started, machine_name()
        identity, files = "", list[Path]()
        if self.keep and not interrupted:
            figures = {"bytes": int(trainer.byte_count), "seconds": seconds, "machine": machine}
            identity = keep(tokenizer, Store(store_folder()), figures).identity
        if self.out is not None:
            files = save_trained(tokenizer, self.out, self.format, self.allow_differences)
        if self.as_json:
            write_json(
                {
                    "name": tokenizer.name,
                    "algorithm": self.algorithm,
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
            ("Ended early", "and so not kept" * (self.keep and interrupted)),
            ("Languages", unequal),
            ("Report", trainer.report),
        ]
        write_tables(facts_table([row for row in rows if row[1]], tokenizer.name))
