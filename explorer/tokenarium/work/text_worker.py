"""What a process does that encodes parts of a long text beside the window: see `text_workers`.

It has no window of its own, and loads nothing of Qt. Texts and columns pass through files that are mapped into memory,
on Linux in memory alone; the pipe has only their names.
"""

from __future__ import annotations

import mmap
import os
import pickle
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.packed_rows import Layout, taken_apart
from tokenarium.models.text.part_encoding import (
    Columns,
    PackedColumns,
    PartBounds,
    PartEdges,
    encoded_part,
    packed_columns,
)
from tokenarium.work.child_process import end_with_parent
from tokenarium_core.padded_text import ZEROS

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

NICE: Final = 5
"""By how much the process has a lower priority than the window."""


@dataclass(frozen=True, slots=True)
class NewText:
    """The text that is encoded from now on: a file of so many bytes. It is gone once nothing encodes it any more."""

    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class NewTokenizer:
    """A pickled tokenizer in a file, and the number that tasks call it by."""

    number: int
    path: Path


@dataclass(frozen=True, slots=True)
class PartTask:
    """A part of the text to encode.

    ``whole``: it is all of the text, which has no safe places, and is sent in parts. ``most_whole``: see
    `tokenarium_core.encoding.EncodeJob.refuse_longer`. ``folder``: where parts are written. ``part_ms``: how often what is
    there of the whole text is sent.
    """

    run: int
    number: int
    tokenizer: int
    special: Literal["none", "all"]
    bounds: PartBounds
    whole: bool
    most_whole: int
    folder: str
    part_ms: float


@dataclass(frozen=True, slots=True)
class Drop:
    """A run whose tasks are no longer needed."""

    run: int


@dataclass(frozen=True, slots=True)
class EncodedPart:
    """Columns that a task has made, in a file: for each its name and its arrays, one after the other, see `ALIGNED`.

    ``done``: bytes of the text up to the last of them. ``last``: the task is finished.
    """

    task: PartTask
    path: Path
    columns: list[tuple[str, Layout]]
    rule_names: list[str]
    done: int
    last: bool
    edges: PartEdges


WHOLE: Final = PartEdges(True, True, -1)
"""The edges of all of a text."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A task that cannot be done; ``refused``: by the tokenizer, which would refuse the text anywhere."""

    task: PartTask
    sentence: str
    refused: bool


ALIGNED: Final = 8
"""Each array in a file begins at a multiple of so many bytes."""


class NotWrittenError(Exception):
    """What a task has made cannot be written, as on a full disk: the window does it instead."""


def mapped(path: Path) -> mmap.mmap:
    """Returns the bytes of a file, which is not empty, in memory that it shares."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def read_part(part: EncodedPart) -> PackedColumns:
    """Returns the columns of a part, in the memory of its file, which nothing else refers to any more."""
    shapes = [shape for _, layout in part.columns for shape in layout.arrays]
    data = mapped(part.path) if any(count for _, count in shapes) else b""
    remove_file(part.path)
    columns: PackedColumns = {}
    at = 0
    for name, layout in part.columns:
        arrays: list[npt.NDArray[Any]] = []
        for dtype, count in layout.arrays:
            array = np.frombuffer(data, dtype, count, at) if count else np.empty(0, dtype)
            at += array.nbytes + -array.nbytes % ALIGNED
            arrays.append(array)
        columns[name] = layout.of(arrays)
    return columns


def remove_file(path: Path) -> None:
    """Removes a file, if it can be removed."""
    with suppress(OSError):  # on Windows it is removed with its folder
        path.unlink()


def serve(pipe: Connection) -> None:
    """Does tasks until the pipe is closed."""
    end_with_parent()
    if hasattr(os, "nice"):
        os.nice(NICE)
    _Server(pipe).run()


class _Server:
    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._waiting: deque[Any] = deque()
        self._text: mmap.mmap | None = None
        self._size = 0
        self._tokenizers: dict[int, tc.Tokenizer] = {}
        self._parts = 0  # how many were written

    def run(self) -> None:
        """Reads messages and does what they ask."""
        while True:
            try:
                message = self._waiting.popleft() if self._waiting else self._pipe.recv()
                self._take(message)
            except (EOFError, OSError):
                return  # the window has ended, or needs no more

    def _take(self, message: object) -> None:
        if isinstance(message, NewText):
            if self._text is not None:
                self._text.close()
            self._text = None
            with suppress(OSError):  # it was removed: no one needs its tasks
                self._text, self._size = mapped(message.path), message.size
        elif isinstance(message, NewTokenizer):
            with suppress(tc.TokenariumError, OSError):  # its file has changed: the tasks say so
                self._tokenizers[message.number] = pickle.loads(message.path.read_bytes())
        elif isinstance(message, PartTask):
            try:
                self._do(message)
            except tc.TokenariumError as error:
                self._pipe.send(Fault(message, str(error), True))
            except (EOFError, OSError):
                raise
            except BaseException as error:
                self._pipe.send(Fault(message, f"{type(error).__name__}: {error}", False))

    def _do(self, task: PartTask) -> None:
        tokenizer = self._tokenizers.get(task.tokenizer)
        text = self._text
        if tokenizer is None or text is None or self._is_dropped(task):
            self._pipe.send(Fault(task, "", False))
            return
        if not task.whole:
            bounds = task.bounds
            data = text[bounds.begin : bounds.read]
            columns, names, edges = encoded_part(tokenizer, data, bounds, task.most_whole)
            self._send(task, columns, names, bounds.stop, True, edges)
            return
        job = tokenizer.encode_job(text[: self._size] + ZEROS, task.special)
        job.refuse_longer(task.most_whole)
        sent: dict[str, int] = {}
        while not self._is_dropped(task):
            progress = job.step(task.part_ms)
            encoding = ChunkedEncoding.of(job.encoding)
            made = {name: rows[sent.get(name, 0) :] for name, rows in _columns(encoding).items()}
            for name, rows in made.items():
                sent[name] = sent.get(name, 0) + len(rows)
            names = encoding.rule_names
            done, finished = progress.done, progress.finished
            self._send(task, packed_columns(made), names, done, finished, WHOLE)
            if progress.finished:
                return
        self._pipe.send(Fault(task, "", False))

    def _send(
        self,
        task: PartTask,
        columns: PackedColumns,
        rule_names: list[str],
        done: int,
        last: bool,
        edges: PartEdges,
    ) -> None:
        """Writes columns into a file, which its reader removes, and says so."""
        self._parts += 1
        path = Path(task.folder, f"{os.getpid()}-{self._parts}")
        layout = []
        try:
            with path.open("wb") as file:
                for name, rows in columns.items():
                    how, arrays = taken_apart(rows)
                    layout.append((name, how))
                    for array in arrays:
                        file.write(np.ascontiguousarray(array).data)
                        file.write(bytes(-array.nbytes % ALIGNED))
        except OSError as error:
            with suppress(OSError):  # what was written needs the room that is missing
                path.unlink()
            raise NotWrittenError(f"A part cannot be written: {error}") from error
        self._pipe.send(EncodedPart(task, path, layout, rule_names, done, last, edges))

    def _is_dropped(self, task: PartTask) -> bool:
        while self._pipe.poll():
            self._waiting.append(self._pipe.recv())
        return any(isinstance(one, Drop) and one.run == task.run for one in self._waiting)


def _columns(encoding: ChunkedEncoding) -> Columns:
    """All columns of an encoding, of which those of a changed text come first."""
    columns: Columns = {}
    if encoding.normalized is not None:
        of_text = encoding.normalized
        columns = {
            "text_starts": of_text.starts[:],
            "text_stops": of_text.stops[:],
            "places": of_text.places[:],
            "cut_spans": of_text.cut_spans[:],
            "data": of_text.data[:],
        }
    return columns | {
        "ids": encoding.ids[:],
        "starts": encoding.starts[:],
        "ends": encoding.ends[:],
        "cut_ends": encoding.cut_ends[:],
        "cut_rules": encoding.cut_rules[:],
    }
