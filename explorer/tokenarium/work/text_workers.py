"""Encodes a long text beside the window: two processes take parts of it in turn.

Where a text can be divided (see `edited_encoding`), its parts are encoded by themselves, those at the beginning first;
else one process encodes all of it. What they make comes back in memory that is shared, in the order of the text.
"""

from __future__ import annotations

import shutil
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import tokenarium_core as tc
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.edited_encoding import is_taken_over
from tokenarium.models.text.joined_parts import JoinedParts
from tokenarium.models.text.packed_rows import memory_of
from tokenarium.models.text.part_encoding import PackedColumns, PartBounds, encoded_part, parts_of
from tokenarium.models.text.text_map import TextMap
from tokenarium.work.pickling import Pickling
from tokenarium.work.text_folder import new_text_folder
from tokenarium.work.text_worker import (
    Drop,
    EncodedPart,
    Fault,
    NewText,
    NewTokenizer,
    PartTask,
    read_part,
    remove_file,
    serve,
)
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

PROCESSES: Final = 2

PART_MS = 100.0
"""Milliseconds that a text without safe places is encoded for, before what is there is sent."""

PART = 1 << 21
"""Bytes of a part of the text: some hundredths of a second."""

FIRST_PART = 1 << 16
"""Bytes at the beginning that are encoded in this process, since it takes a moment until the others have started."""

MOST_AHEAD: Final = 8
"""How many parts may be encoded after one that is missing."""

COPIED = 1 << 23
"""Bytes of a text that are copied in one step: two milliseconds."""


class WorkerFault(Exception):
    """The processes cannot encode this; the window has to."""


class _Process:
    """One process, which calls `end_with_parent` itself, and what it knows by now."""

    def __init__(self) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        try:
            self.process: BaseProcess = context.Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
        except BaseException:
            self.pipe.close()
            raise
        finally:
            theirs.close()
        self.text: Path | None = None  # that it has
        self.tokenizers: set[int] = set()
        self.tasks: deque[PartTask] = deque()  # that it was given and has not finished

    def end(self) -> None:
        """Ends it."""
        self.pipe.close()
        self.process.kill()
        self.process.join(0.2)


class TextWorkers:
    """The processes, which start with the first long text; `stop` ends them."""

    def __init__(self) -> None:
        self._processes: list[_Process] = []
        self._waiting: deque[tuple[RemoteEncoding, PartTask]] = deque()
        self._runs: dict[int, RemoteEncoding] = {}
        self._run = 0
        self._ahead: list[RemoteEncoding] = []  # begun before anyone asked for them
        self._folder: Path | None = None
        self._texts = 0
        self._text: tuple[TextMap, Path] | None = None
        self._copied = 0
        self._tokenizers: dict[int, tuple[tc.Tokenizer, Path]] = {}
        self.has_room: Callable[[], bool] = lambda: True
        """Whether there is room for more tokens; until then, tasks wait."""

    @property
    def busy(self) -> bool:
        """Whether something is being encoded."""
        return bool(self._runs)

    @property
    def pids(self) -> list[int]:
        """The ids of the processes."""
        return [one.process.pid or 0 for one in self._processes]

    def encode(
        self,
        tokenizer: tc.Tokenizer,
        text: TextMap,
        special: Literal["none", "all"],
        most_whole: int,
    ) -> RemoteEncoding:
        """Begins to encode a text without halves of pairs: call the `step` of what is returned until it is finished.

        What is still encoding another text fails: the processes have one at a time.
        """
        assert not text.has_halves
        self._ahead = [run for run in self._ahead if run.text_map is text]
        for ahead in self._ahead:
            if ahead.makes(tokenizer, text, special, most_whole):
                self._ahead.remove(ahead)
                return ahead
        for other in [run for run in self._runs.values() if run.text_map is not text]:
            self._fail(other, WorkerFault("Another text is encoded now."))
        self._run += 1
        run = self._runs[self._run] = RemoteEncoding(
            self, self._run, tokenizer, text, special, most_whole
        )
        return run

    def encode_ahead(
        self,
        tokenizers: Iterable[tc.Tokenizer],
        text: TextMap,
        special: Literal["none", "all"],
        most_whole: int,
    ) -> None:
        """Begins to encode a text that `encode` will be called for, or goes on; does not wait for the processes."""
        if not any(run.text_map is text for run in self._ahead):
            self.forget_ahead()
            self._ahead = [self.encode(one, text, special, most_whole) for one in tokenizers]
        self.step(0)

    def forget_ahead(self) -> None:
        """Ends what `encode_ahead` began and no one has asked for."""
        ahead, self._ahead = self._ahead, []
        for run in ahead:
            self.drop(run)

    def stop(self) -> None:
        """Ends the processes; what they were encoding fails."""
        self._ahead.clear()
        for one in self._processes:
            one.end()
        self._processes.clear()
        self._waiting.clear()
        for run in self._runs.values():
            run.fault = WorkerFault()
        self._runs.clear()
        self._text = None
        self._tokenizers.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    # For `RemoteEncoding`.

    def share_text(self, text: TextMap) -> bool:
        """Copies a part of a text to where the processes see it; returns whether all of it is there."""
        self.start()
        if self._text is None or self._text[0] is not text:
            if self._text is not None:
                remove_file(self._text[1])
            self._texts += 1
            self._text, self._copied = (text, self.folder / f"text-{self._texts}"), 0
        end = min(self._copied + COPIED, text.byte_count)
        with self._text[1].open("ab") as file:
            file.write(text.utf8_of(self._copied, end))
        self._copied = end
        return end == text.byte_count

    @property
    def folder(self) -> Path:
        """Where texts, tokenizers and parts are: in memory, if there is enough of it."""
        if self._folder is None:
            self._folder = new_text_folder()
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def share_tokenizer(self, tokenizer: tc.Tokenizer, pickled: bytes) -> int:
        """Puts a pickled tokenizer where the processes see it; returns its number."""
        number = id(tokenizer)
        if number not in self._tokenizers:
            path = self.folder / f"tokenizer-{number}"
            path.write_bytes(pickled)
            self._tokenizers[number] = tokenizer, path
        return number

    def has_tokenizer(self, tokenizer: tc.Tokenizer) -> bool:
        """Whether the processes can have a tokenizer already."""
        return id(tokenizer) in self._tokenizers

    def submit(self, run: RemoteEncoding, tasks: list[PartTask]) -> None:
        """Adds tasks behind those that wait."""
        self._waiting += [(run, task) for task in tasks]
        self._hand_out()

    def drop(self, run: RemoteEncoding) -> None:
        """Forgets the tasks of a run."""
        if self._runs.pop(run.number, None) is None:
            return
        self._waiting = deque(one for one in self._waiting if one[0] is not run)
        self._release_text()
        for one in self._processes:
            if any(task.run == run.number for task in one.tasks):
                with suppress(OSError):
                    one.pipe.send(Drop(run.number))

    def step(self, seconds: float) -> None:
        """Begins what is new, or takes what the processes have sent; waits for it for this time at most."""
        begins = [run for run in self._runs.values() if not run.submitted]
        for run in begins:
            try:
                run.begin()
            except Exception as fault:  # which the step of that run raises
                self._fail(run, fault)
        if begins:
            seconds = 0
        if self._waiting and not self._processes:
            for run, _ in list(self._waiting):
                self._fail(run, WorkerFault("All processes have ended."))
        pipes: dict[Any, _Process] = {one.pipe: one for one in self._processes}
        for pipe in wait(list(pipes), seconds) if pipes else []:
            self._receive(pipes[pipe])
        self._hand_out()
        self._release_text()

    def _release_text(self) -> None:
        """Removes the copy of a text that nothing encodes any more, here and in the processes."""
        if self._text is None or self._runs:
            return
        path = self._text[1]
        self._text = None
        remove_file(path)
        for one in self._processes:
            if one.text == path:
                one.text = None
                with suppress(OSError):
                    one.pipe.send(NewText(path, 0))

    def start(self) -> None:
        """Starts the processes, if they do not run."""
        while len(self._processes) < PROCESSES:
            self._processes.append(_Process())

    def _hand_out(self) -> None:
        """Gives each process two tasks: one to do, and one to go on with."""
        for most in (1, 2):
            for one in list(self._processes):
                if len(one.tasks) < most and self.has_room():
                    ready = next(
                        (
                            place
                            for place, (run, task) in enumerate(self._waiting)
                            if run.wants(task)
                        ),
                        -1,
                    )
                    if ready >= 0:
                        run, task = self._waiting[ready]
                        del self._waiting[ready]
                        self._hand_to(one, run, task)

    def _hand_to(self, process: _Process, run: RemoteEncoding, task: PartTask) -> None:
        assert self._text is not None
        path = self._tokenizers[task.tokenizer][1]
        process.tasks.append(task)
        try:
            if process.text != self._text[1]:
                process.text = self._text[1]
                process.pipe.send(NewText(process.text, run.text_map.byte_count))
            if task.tokenizer not in process.tokenizers:
                process.tokenizers.add(task.tokenizer)
                process.pipe.send(NewTokenizer(task.tokenizer, path))
            process.pipe.send(task)
        except OSError:
            self._lose(process)

    def _receive(self, process: _Process) -> None:
        try:
            message = process.pipe.recv()
            run = self._runs.get(message.task.run)
            columns = read_part(message) if isinstance(message, EncodedPart) else {}
        except (EOFError, OSError):
            self._lose(process)
            return
        task: PartTask = message.task
        if isinstance(message, Fault):
            process.tasks.remove(task)
            if run is not None:
                error = (
                    tc.TokenariumError(message.sentence)
                    if message.refused
                    else WorkerFault(message.sentence)
                )
                self._fail(run, error)
            return
        assert isinstance(message, EncodedPart)
        if message.last:
            process.tasks.remove(task)
        if run is not None:
            try:
                run.take(message, columns)
            except WorkerFault as fault:
                self._fail(run, fault)
            if run.finished and run.fault is None:
                del self._runs[task.run]

    def _lose(self, process: _Process) -> None:
        """Gives up on a process that has ended, and on all runs that it worked for."""
        if process not in self._processes:
            return
        self._processes.remove(process)
        process.end()
        for run in [self._runs[task.run] for task in process.tasks if task.run in self._runs]:
            self._fail(run, WorkerFault())

    def _fail(self, run: RemoteEncoding, fault: Exception) -> None:
        self.drop(run)
        run.fault = fault


class RemoteEncoding:
    """One text that is encoded by the processes: call `step` until it is finished.

    `tokens` are those of the beginning of the text, as far as they are there without a gap.
    """

    def __init__(
        self,
        workers: TextWorkers,
        number: int,
        tokenizer: tc.Tokenizer,
        text: TextMap,
        special: Literal["none", "all"],
        most_whole: int,
    ) -> None:
        self.number = number
        self.text_map = text
        self.fault: Exception | None = None
        self.bytes = 0
        """How much memory has been filled, also by tokens after a gap."""
        self._workers = workers
        self._tokenizer = tokenizer
        self._special = special
        self._most_whole = most_whole
        self._pickling: Pickling | None = None
        self.submitted = False
        self._early: dict[int, list[tuple[EncodedPart, PackedColumns]]] = {}
        self._next = 0  # the number of the task whose columns come next
        self._tasks = 0
        self._done = 0
        self._joined = JoinedParts()

    @property
    def finished(self) -> bool:
        """Whether all of the text is encoded."""
        return self.submitted and self._next == self._tasks

    def makes(
        self,
        tokenizer: tc.Tokenizer,
        text: TextMap,
        special: Literal["none", "all"],
        most_whole: int,
    ) -> bool:
        """Whether this encodes a text in just this way, and has not failed."""
        return (
            self._tokenizer is tokenizer
            and self.text_map is text
            and (self._special, self._most_whole) == (special, most_whole)
            and self.fault is None
        )

    def step(self, budget_ms: float) -> Progress:
        """Does a little here, or waits at most ``budget_ms`` milliseconds for the processes.

        Raises the error with which the tokenizer refuses the text, and WorkerFault where the processes cannot encode it.
        """
        if self.fault is not None:
            raise self.fault
        self._workers.step(budget_ms / 1000)
        if self.fault is not None:
            raise self.fault
        size = self.text_map.byte_count
        return Progress("encoding", self._done, size, self.finished)

    def cancel(self) -> None:
        """Ends the work."""
        self._workers.drop(self)

    @property
    def tokens(self) -> ChunkedEncoding:
        """The tokens so far."""
        return self._joined.encoding(self._tokenizer, self.text_map, self)

    def begin(self) -> None:
        """Takes one of the steps before the processes have their tasks."""
        if self._pickling is None and not self._workers.has_tokenizer(self._tokenizer):
            self._pickling = Pickling(self._tokenizer)
        if not self._workers.share_text(self.text_map):
            return
        if self._pickling is not None:
            self._pickling.join(0.002)
            if self._pickling.is_alive():
                return
            if not self._pickling.pickled:
                raise WorkerFault
        pickled = self._pickling.pickled if self._pickling is not None else b""
        number = self._workers.share_tokenizer(self._tokenizer, pickled)
        folder = str(self._workers.folder)
        size = self.text_map.byte_count
        parts = [PartBounds(0, 0, size, size, True)]
        is_divided = self._special == "none" and is_taken_over(self._tokenizer)
        if is_divided:
            parts = parts_of(self._tokenizer, self.text_map, FIRST_PART, PART)
        tasks = [
            PartTask(
                self.number,
                place,
                number,
                self._special,
                bounds,
                not is_divided,
                self._most_whole,
                folder,
                PART_MS,
            )
            for place, bounds in enumerate(parts)
        ]
        self._tasks, self.submitted = len(tasks), True
        if len(tasks) > 1:
            first = tasks.pop(0)
            bounds = first.bounds
            data = self.text_map.utf8_of(bounds.begin, bounds.read)
            try:
                columns, names, edges = encoded_part(
                    self._tokenizer, data, bounds, self._most_whole
                )
            except AssertionError as fault:
                raise WorkerFault(str(fault)) from fault
            self.take(EncodedPart(first, Path(), [], names, bounds.stop, True, edges), columns)
        self._workers.submit(self, tasks)

    def wants(self, task: PartTask) -> bool:
        """Whether a task may be done now: what comes back too far behind a gap cannot be shown."""
        return task.number < self._next + MOST_AHEAD

    def take(self, part: EncodedPart, columns: PackedColumns) -> None:
        """Adds what a process has made, once all before it is there."""
        self.bytes += sum(sum(memory_of(rows).values()) for rows in columns.values())
        self._early.setdefault(part.task.number, []).append((part, columns))
        while self._next in self._early:
            for ready, rows in self._early.pop(self._next):
                self._append(ready, rows)

    def _append(self, part: EncodedPart, columns: PackedColumns) -> None:
        try:
            bounds = part.task.bounds
            self._joined.append(columns, part.rule_names, bounds, part.edges, part.last)
        except AssertionError as fault:
            raise WorkerFault(str(fault)) from fault
        self._done = part.done
        if part.last:
            self._next += 1
