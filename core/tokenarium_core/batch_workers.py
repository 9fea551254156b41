"""Encodes the texts of a batch in several processes of this computer.

Compiled code keeps the interpreter's lock, so threads would not help. A worker is another Python. It is started when it
is first needed, and ends with this process, since nothing comes from it any more. Texts and ids go through memory that
both share; only their sizes go through a socket. While the workers encode, this process encodes other texts.
"""

from __future__ import annotations

import atexit
import os
import pickle
import socket
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.shared_memory import SharedMemory
from typing import Any, Final, final

from tokenarium_core.errors import TokenariumError

SMALL: Final = 1 << 20
"""Characters of a batch that is encoded faster in one process."""

CHUNK: Final = 1 << 18
"""Characters that a worker gets at a time, and more if a text is longer."""

_ROOM: Final = 6 * CHUNK  # bytes of shared memory for a chunk, its texts or its ids
_WAITING: Final = (
    2  # chunks that a worker has at a time: the next one is there when it has finished one
)
_KNOWN: Final = 4  # tokenizers that a worker keeps open
_PATIENCE_S: Final = 5.0

Chunk = tuple[int, int]
"""The first text of a chunk and the one behind it."""

Lists = list[list[int]]


@final
class BatchEncoder:
    """How a tokenizer encodes texts, here and in other processes.

    ``here`` returns the ids of some texts; ``lists`` makes lists of ids of all ids as int32 and the length of each list
    as int64. ``options`` are those of `Tokenizer.encode_texts` after the texts.
    """

    def __init__(
        self,
        tokenizer: Any,
        options: tuple[Any, ...],
        here: Callable[[list[Any], tuple[Any, ...]], Lists],
        lists: Callable[[bytes, bytes], Lists],
    ) -> None:
        self.tokenizer = tokenizer
        self.options = options
        self.here = here
        self.lists = lists


class _Worker:
    """A worker, and what it has to do."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.room = SharedMemory(create=True, size=_WAITING * _ROOM)
            program = "import sys; from tokenarium_core.batch_workers import work; work(int(sys.argv[1]), sys.argv[2])"
            paths = os.pathsep.join(path for path in sys.path if path)
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-c", program, str(theirs.fileno()), self.room.name],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=os.environ | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl+C is for this process
                )
            except OSError:
                ours.close()
                self.room.close()
                self.room.unlink()
                raise
        self.connection = Connection(ours.detach())
        self.ready = False
        self.known: list[int] = []  # the numbers of tokenizers that it has opened
        self.chunks: list[int] = []  # that it encodes now, in order
        self._turn = 0  # of the parts of the room

    def send(self, number: int, pickled: bytes, options: tuple[Any, ...], texts: list[str]) -> bool:
        """Gives it some texts; returns whether they fit into the room. OSError if it has ended."""
        encoded = [text.encode() for text in texts]
        content = b"".join(encoded)
        if len(content) > _ROOM:
            return False
        first = self._turn * _ROOM
        _bytes_of(self.room)[first : first + len(content)] = content
        new = number not in self.known
        if new:
            self.known = [*self.known, number][-_KNOWN:]
        sizes = array("q", [len(text) for text in encoded]).tobytes()
        request = (number, pickled if new else b"", options, first, sizes)
        self.connection.send_bytes(pickle.dumps(request))
        self._turn = (self._turn + 1) % _WAITING
        return True

    def receive(self) -> tuple[int, bytes, bytes]:
        """Returns a chunk, its ids and the lengths of their lists; no lengths if it cannot encode it.

        EOFError or OSError if the worker has ended.
        """
        first, count, lengths = pickle.loads(self.connection.recv_bytes())
        return self.chunks.pop(0), bytes(_bytes_of(self.room)[first : first + 4 * count]), lengths

    def begin(self) -> None:
        """Notes that it has begun; from now on no name of its memory is left behind, however both end."""
        self.connection.recv_bytes()
        self.ready = True
        self.room.unlink()

    def end(self) -> None:
        """Ends the worker."""
        self.connection.close()
        if not self.ready:
            with suppress(OSError):
                self.room.unlink()
        with suppress(BufferError):
            self.room.close()
        self.process.kill()
        self.process.wait()

    def forget(self) -> None:
        """Closes what a fork of this process has of the worker."""
        self.connection.close()
        self.process.returncode = 0  # it is no child of the fork


@final
class _Pool:
    """The workers of this process, and the tokenizers that they know."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._tokenizers: list[tuple[int, object, bytes]] = []  # number, tokenizer, pickled
        self._next_number = 0

    def encode(self, batch: _Batch, count: int) -> list[Lists]:
        """Returns the ids of all chunks, encoded by this process and ``count`` workers."""
        with suppress(OSError):  # then there are fewer
            while len(self._workers) < count:
                self._workers.append(_Worker())
        try:
            batch.run(self._workers[:count], self._drop)
        finally:
            for worker in list(self._workers):
                if worker.chunks:  # after an error
                    self._drop(worker)
        return batch.result()

    def numbered(self, tokenizer: object) -> tuple[int, bytes]:
        """Returns the number of a tokenizer, and the tokenizer pickled; TokenariumError if it cannot be."""
        for number, known, pickled in self._tokenizers:
            if known is tokenizer:
                return number, pickled
        pickled = pickle.dumps(tokenizer)
        self._next_number += 1
        self._tokenizers = [*self._tokenizers, (self._next_number, tokenizer, pickled)][-_KNOWN:]
        return self._next_number, pickled

    def _drop(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()

    def forget(self) -> None:
        """Closes what a fork of this process has of the workers."""
        for worker in self._workers:
            worker.forget()

    def end(self) -> None:
        """Ends all workers."""
        for worker in list(self._workers):
            self._drop(worker)


@final
class _Batch:
    """The chunks of a batch while they are encoded."""

    def __init__(
        self,
        encoder: BatchEncoder,
        texts: list[Any],
        chunks: list[Chunk],
        number: int,
        pickled: bytes,
    ) -> None:
        self._encoder = encoder
        self._texts = texts
        self._chunks = chunks
        self._number = number
        self._pickled = pickled
        self._done: dict[int, Lists] = {}
        self._faults: dict[int, Exception] = {}
        self._next = 0
        self._returned: list[int] = []  # chunks that no worker could encode

    def run(self, workers: list[_Worker], drop: Callable[[_Worker], None]) -> None:
        """Encodes all chunks, those before one with an error at least."""
        workers = list(workers)
        while True:
            for worker in list(workers):
                try:
                    self._exchange(worker)
                except (OSError, EOFError):
                    self._returned += worker.chunks
                    worker.chunks = []
                    workers.remove(worker)
                    drop(worker)
            chunk = self._own_chunk()
            if chunk >= 0:
                self._encode_here(chunk)
                continue
            busy = [worker.connection for worker in workers if worker.chunks]
            if not busy:
                return
            wait(busy, _PATIENCE_S)

    def result(self) -> list[Lists]:
        """Returns the ids by chunk; raises the error of the first text that has one."""
        if self._faults:
            raise self._faults[min(self._faults)]
        return [self._done[chunk] for chunk in range(len(self._chunks))]

    def _exchange(self, worker: _Worker) -> None:
        """Takes what a worker has finished, and gives it more."""
        while worker.connection.poll():
            if not worker.ready:
                worker.begin()
                continue
            chunk, ids, lengths = worker.receive()
            if lengths:
                self._done[chunk] = self._encoder.lists(ids, lengths)
            else:
                self._returned.append(chunk)
        while worker.ready and len(worker.chunks) < _WAITING and self._has_more():
            chunk = self._next
            self._next += 1
            if self._send(worker, chunk):
                worker.chunks.append(chunk)
            else:
                self._returned.append(chunk)

    def _send(self, worker: _Worker, chunk: int) -> bool:
        start, stop = self._chunks[chunk]
        texts = self._texts[start:stop]
        if not all(isinstance(text, str) for text in texts):
            return False
        try:
            return worker.send(self._number, self._pickled, self._encoder.options, texts)
        except UnicodeError:  # half a pair, of which this process says where it is
            return False

    def _has_more(self) -> bool:
        return self._next < len(self._chunks) and not self._faults

    def _own_chunk(self) -> int:
        """Returns the chunk to encode here; -1 if none is left."""
        if self._returned:
            return self._returned.pop(0)
        if not self._has_more():
            return -1
        self._next += 1
        return self._next - 1

    def _encode_here(self, chunk: int) -> None:
        start, stop = self._chunks[chunk]
        encoder = self._encoder
        try:
            encoded = encoder.tokenizer.encode_texts(
                self._texts[start:stop], (), (), *encoder.options
            )
            self._done[chunk] = encoder.lists(
                bytes(memoryview(encoded.ids)), bytes(memoryview(encoded.lengths))
            )
        except Exception as error:  # whatever a text of the caller does: it is raised at the end
            self._faults[chunk] = error


_POOL: list[_Pool] = []


def encode_in_processes(encoder: BatchEncoder, texts: list[Any], count: int) -> Lists:
    """Returns the ids of each text, encoded by up to ``count`` processes, this one among them; 0: one for each processor.

    Raises what ``encoder.here`` raises, for the first text with an error. A small batch is encoded here, and so is any
    batch if there can be no workers: on Windows, in a program that is not run by Python, for a tokenizer that cannot be
    pickled, and while another thread uses the workers.
    """
    chunks = _chunks_of(texts)
    processes = min(count or _processors(), len(chunks))
    if processes <= 1 or not _can_start():
        return encoder.here(texts, encoder.options)
    if not _POOL:
        _POOL.append(_Pool())
    pool = _POOL[0]
    if not pool.lock.acquire(blocking=False):
        return encoder.here(texts, encoder.options)
    try:
        try:
            number, pickled = pool.numbered(encoder.tokenizer)
        except (TokenariumError, OSError):
            return encoder.here(texts, encoder.options)
        parts = pool.encode(_Batch(encoder, texts, chunks, number, pickled), processes - 1)
    finally:
        pool.lock.release()
    return [ids for part in parts for ids in part]


def _processors() -> int:
    """Returns how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_start() -> bool:
    return os.name == "posix" and bool(sys.executable) and not getattr(sys, "frozen", False)


def _chunks_of(texts: list[Any]) -> list[Chunk]:
    """Returns the chunks of a batch; one if it is small."""
    chunks: list[Chunk] = []
    start = 0
    size = 0
    total = 0
    for index, text in enumerate(texts):
        length = len(text) if isinstance(text, str) else 0
        size += length
        total += length
        if size >= CHUNK:
            chunks.append((start, index + 1))
            start = index + 1
            size = 0
    if start < len(texts):
        chunks.append((start, len(texts)))
    return chunks if total >= SMALL else chunks[:1]


def _forget_workers() -> None:
    """Leaves the workers to the process that this one is a fork of."""
    for pool in _POOL:
        pool.forget()
    _POOL.clear()


def _end_workers() -> None:
    for pool in _POOL:
        pool.end()


atexit.register(_end_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)


def work(descriptor: int, room: str) -> None:
    """Encodes what comes through a socket, until the other process ends: the program of a worker."""
    connection = Connection(descriptor)
    # The name belongs to the other process, which removes it: this one need not remember it.
    resource_tracker.register = _remember_nothing  # type: ignore[assignment]
    memory = SharedMemory(room)
    connection.send_bytes(b"ready")
    tokenizers: dict[int, Any] = {}
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            os._exit(0)  # nothing is left to be written, and the memory is not to be looked after
        number, pickled, options, first, sizes = pickle.loads(message)
        answer = (first, 0, b"")
        with suppress(
            Exception
        ):  # the other process then encodes them itself, and raises the same error
            if number not in tokenizers:
                tokenizers[number] = pickle.loads(pickled)
                if len(tokenizers) > _KNOWN:
                    tokenizers.pop(next(iter(tokenizers)))
            texts = []
            at = first
            for size in memoryview(sizes).cast("q"):
                texts.append(str(_bytes_of(memory)[at : at + size], "utf-8"))
                at += size
            encoded = tokenizers[number].encode_texts(texts, (), (), *options)
            ids = memoryview(encoded.ids).cast("B")
            if len(ids) <= _ROOM:
                _bytes_of(memory)[first : first + len(ids)] = ids
                answer = (first, len(ids) // 4, bytes(memoryview(encoded.lengths)))
        connection.send_bytes(pickle.dumps(answer))


def _bytes_of(memory: SharedMemory) -> memoryview:
    content = memory.buf
    assert content is not None  # it is open
    return content


def _remember_nothing(name: str, kind: str) -> None:
    """Does nothing, instead of what `resource_tracker` does with a name."""
