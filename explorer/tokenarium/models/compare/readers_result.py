"""What other programs make of a file, as plain values that cross processes."""

from __future__ import annotations

from dataclasses import dataclass, field

import tokenarium_core as tc
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.text.piece import counted
from tokenarium_core.comparing.readers.readers import (
    NOT_READ,
    OTHER,
    OTHER_TEXT,
    REFUSES,
    SAME,
    UNKNOWN,
    VERDICTS,
    ReaderResult,
    ReadersJob,
)

STEP_MS = 100
"""Milliseconds for which a program is compared before the progress is reported."""

RUN = "run"
"""What stands in the place of the date of a comparison if the program itself was run."""

WORDS = {
    OTHER: "different ids",
    REFUSES: "refuses the file",
    OTHER_TEXT: "same ids, different text",
    UNKNOWN: "not known",
    SAME: "same ids",
    NOT_READ: "does not read it",
}
"""The verdicts in words."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What one program makes of a file; see the core's `ReaderResult`."""

    program: str
    version: str
    verdict: str
    text: str | None
    ids: list[int]
    other_ids: list[int]
    around: bool
    cause: str
    rules: list[str]
    compared: str
    texts_tried: int

    @property
    def name(self) -> str:
        """The program with its version, and whether it was run."""
        return f"{self.release}{f' ({RUN})' * self.was_run}"

    @property
    def release(self) -> str:
        """The program with its version."""
        return f"{self.program} {self.version}"

    @property
    def was_run(self) -> bool:
        """Whether the program itself was run, not its rules."""
        return self.compared == RUN


@dataclass(slots=True)
class ReadersResult:
    """What each program makes of a file, in the order of the core's `READERS`."""

    programs: list[ProgramResult] = field(default_factory=list)

    def take(self, results: list[ReaderResult]) -> None:
        """Takes over what the core has found."""
        self.programs = [ProgramResult(**one.as_json()) for one in results]

    @property
    def worst(self) -> str:
        """The worst verdict, one of `VERDICTS`; empty without programs."""
        found = {one.verdict for one in self.programs}
        return next((verdict for verdict in VERDICTS if verdict in found), "")

    @property
    def reading(self) -> list[ProgramResult]:
        """The programs that read files of this kind."""
        return [one for one in self.programs if one.verdict != NOT_READ]

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.reading:
            return (
                "No program that is compared here reads a file of this kind. Export the tokenizer in another format, and open"
                " that file."
            )
        said = []
        for verdict in VERDICTS:
            found = [one for one in self.programs if one.verdict == verdict]
            run = {one.release for one in found if one.was_run}
            names = [one.name for one in found if one.was_run or one.release not in run]
            if names and verdict != NOT_READ:
                said.append(f"{WORDS[verdict]}: {', '.join(names)}")
        releases = {one.release for one in self.reading}
        return f"Of {counted(len(releases), 'program')}, {'; '.join(said)}."


def readers_of_source(
    report: ProgressReporter, source: str, pattern: str, text: str
) -> ReadersResult:
    """Opens a tokenizer, and returns what other programs make of its file; for a process of its own.

    A large file is read anew for each program in one step, which takes seconds.
    """
    job = ReadersJob(tc.open(source, pattern=pattern or None), [text] if text else [])
    while not (progress := job.step(STEP_MS)).finished:
        report(progress)
    result = ReadersResult()
    result.take(job.results)
    return result
