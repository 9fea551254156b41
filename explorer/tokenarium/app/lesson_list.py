"""The list of lessons: built-in ones and the user's, read within bounds and never for longer than a frame."""

from __future__ import annotations

import os
import time
from importlib import resources
from itertools import islice
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from tokenarium.models.files import lessons_folder
from tokenarium.models.lessons.finding import FoundStep, StepIndex
from tokenarium.models.lessons.lesson import (
    LEVELS,
    LessonError,
    LessonHead,
    StepOutline,
    read_outline,
)
from tokenarium.models.lessons.limits import MOST_LESSONS
from tokenarium.session.session import Session
from tokenarium_core.progress import Progress

AT_ONCE = 1 << 20
"""Bytes of lessons that are read when they are first asked for; the others are read in slices."""

MOST_SEARCHED = 1 << 19
"""Bytes of lessons whose prose is searched; in the rest, only titles and questions are."""

MOST_ENTRIES = 20_000
"""The most files that are read in the user's folder."""

JOB = "lessons"


class LessonList(QObject):
    """The lessons of a window, and the search in them."""

    listed = Signal()
    """More lessons have been read."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._reading: LessonReading | None = None
        self._index: StepIndex | None = None

    @property
    def all(self) -> dict[str, LessonHead]:
        """The lessons read so far, by their ids; a damaged one is reported and left out."""
        found = self.read().heads
        return dict(sorted(found.items(), key=lambda one: (LEVELS.index(one[1].level), one[0])))

    def read(self) -> LessonReading:
        """Begins to read the lessons, if that is not done yet; returns those read so far."""
        if self._reading is None:
            reading = self._reading = LessonReading(lesson_paths())
            reading.read_at_once()
            if reading.finished:
                self._tell(reading)
            else:
                self._session.jobs.start(
                    JOB, "Reading the lessons", reading, self._note, lambda error: None
                )
        return self._reading

    def _note(self, progress: Progress) -> None:
        if progress.finished and self._reading is not None:
            self._index = None
            self._tell(self._reading)
            self.listed.emit()

    def _tell(self, reading: LessonReading) -> None:
        """Says which lessons are left out, and why."""
        if not reading.faults:
            return
        first, *others = reading.faults
        more = (
            f" {len(others):,} more {'is' if len(others) == 1 else 'are'} left out as well, such as: {others[0]}"
            if others
            else ""
        )
        self._session.problem.emit(f"This lesson is left out. {first}{more}")

    def find(self, typed: str, most: int = 20) -> list[FoundStep]:
        """Returns the steps that answer what is typed, the best first."""
        if self._index is None:
            self._index = StepIndex(
                {id: (head, self.outlines(id)) for id, head in self.all.items()}
            )
        return self._index.find(typed, most)

    def outlines(self, id: str) -> list[StepOutline]:
        """Returns what the steps of a lesson are found by; nothing if it is not among those read so far."""
        return self._reading.outlines.get(id, []) if self._reading is not None else []

    def forget(self) -> None:
        """Reads the lessons again the next time they are needed."""
        self._session.jobs.cancel(JOB)
        self._reading = self._index = None


class LessonReading:
    """Reads what a list of lessons shows, file by file: ``heads``, ``outlines`` and ``faults`` of those it has read."""

    def __init__(self, paths: list[Path]) -> None:
        self.heads: dict[str, LessonHead] = {}
        self.outlines: dict[str, list[StepOutline]] = {}
        self.faults: list[str] = []
        self._paths = paths
        self._at = 0
        self._bytes = 0
        own = lessons_folder()
        count = sum(path.parent == own for path in paths)
        if count > MOST_LESSONS:
            self._paths = paths[: len(paths) - count + MOST_LESSONS]
            last = self._paths[-1].name
            self.faults.append(
                f"{own} has {count:,} lessons, more than {MOST_LESSONS}: those after {last} are not listed."
            )

    @property
    def finished(self) -> bool:
        """Whether all lessons are read."""
        return self._at == len(self._paths)

    def read_at_once(self) -> None:
        """Reads the first lessons, or all of them if they are as small as usual."""
        while not self.finished and self._bytes < AT_ONCE:
            self._read()

    def step(self, budget_ms: float) -> Progress:
        """Reads for a number of milliseconds, but at least one file."""
        end = time.monotonic() + budget_ms / 1000
        while not self.finished:
            self._read()
            if time.monotonic() > end:
                break
        return Progress("Reading the lessons", self._at, len(self._paths), self.finished)

    def _read(self) -> None:
        path = self._paths[self._at]
        self._at += 1
        try:
            head, outlines = read_outline(path)
        except LessonError as error:
            self.faults.append(str(error))
            self._bytes += AT_ONCE // 50
            return
        size = sum(len(one.prose) for one in outlines)
        self._bytes += size + 1_000
        if self._bytes > MOST_SEARCHED:
            outlines = [one._replace(prose="") for one in outlines]
        self.heads[path.stem], self.outlines[path.stem] = head, outlines


def lesson_paths() -> list[Path]:
    """Returns the files of all lessons: built-in ones, and the user's, which replace those with the same name."""
    found: dict[str, Path] = {}
    with resources.as_file(resources.files("tokenarium.resources") / "lessons") as ours:
        found |= {path.name: path for path in sorted(ours.glob("*.md"))}
    own = lessons_folder()
    try:
        with os.scandir(own) as entries:
            names = [one.name for one in islice(entries, MOST_ENTRIES) if one.name.endswith(".md")]
    except OSError:  # there is no such folder
        names = []
    found |= {name: own / name for name in sorted(names)}
    return list(found.values())


def is_ours(file: str) -> bool:
    """Returns whether a lesson's file is one of the program's own, which the tests have checked."""
    with resources.as_file(resources.files("tokenarium.resources") / "lessons") as ours:
        return bool(file) and os.path.realpath(os.path.dirname(file)) == os.path.realpath(ours)
