"""Work that is divided into items: done here one after the other, or by Dask in other processes and on other machines.

Dask (``dask[distributed]``) has the scheduler, the workers and their supervision: it starts a worker again that ended,
and gives its items to another. What an item does must be the same when it is done twice.

A scheduler has to be trusted: Dask's processes send each other programs, and run them. What is checked here is that
one answers, in time, that its workers have this version of the program, and that what they send has the right types.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Generic, TypeVar, cast

from tokenarium.models.files import sweep
from tokenarium.models.installation import how_to_get
from tokenarium_core import NotAvailable, TokenariumError, __version__

Item = TypeVar("Item")
Result = TypeVar("Result")

RETRIES: Final = 2
"""How often an item is tried again that ended in an exception."""

PATIENCE_S: Final = 20
"""How long a scheduler may take to answer."""

LEFT: Final = re.compile(r"tokenarium-(workers|count)-\w+")
"""Folders that workers leave which are killed."""

LARGEST_GREETING: Final = 1 << 16
"""Bytes of the message with which each process of Dask answers a connection, at most; usually a hundred."""

_GREETING: Final = b"pickle-protocol"
"""A word of that message."""

_MOST_HEARD: Final = 100_000
"""Reports of workers that may wait: later ones are dropped, as they say the same with larger counts."""

_TOPIC: Final = "tokenarium"
_OFTEN_S: Final = 0.3

_MALLOC: Final = {"MALLOC_TRIM_THRESHOLD_": 128 << 20, "MALLOC_MMAP_THRESHOLD_": 32 << 20}
"""glibc's thresholds for workers of this program, in bytes. With those that Dask sets, the memory of each text goes back
to the system and is cleared again for the next one: counting took 1.7 times the processor time."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """An item that is finished: with its result, or with the reason why there is none."""

    item: Item
    result: Result | None
    fault: str = ""
    place: int = 0  # of the item among all


class Cluster:
    """Does items of work, by one worker in this process or by those of Dask; a context, which ends its workers.

    ``workers`` more than 1 starts so many processes on this computer; ``address``, such as ``tcp://10.0.0.1:8786``, takes
    a scheduler that is running. NotAvailable where Dask is not installed, or the scheduler does not answer.
    """

    def __init__(self, workers: int = 1, address: str = "") -> None:
        self._workers = workers
        self._address = address
        self._client: Any = None
        self._local: Any = None
        self._scratch = ""
        self._threads = 0
        self._counted = -math.inf
        self.look: Callable[[], object] = int
        """Is called some times a second while others work; an exception ends that."""

    def limit(self, items: int) -> None:
        """Lets it start no more processes than there are items, and none for a single one; before the context begins."""
        self._workers = min(self._workers, items)

    @property
    def dashboard(self) -> str:
        """The address of Dask's own page about the work; empty if there is none."""
        if self._client is None or (self._local is not None and not _has_pages()):
            return ""
        try:
            return str(self._client.dashboard_link or "")
        except (KeyError, OSError, ValueError):  # a scheduler without pages
            return ""

    @property
    def workers(self) -> int:
        """How many items are done at a time, now."""
        if self._client is None:
            return 1
        now = time.monotonic()
        if now - self._counted > _OFTEN_S * 10 and self._client.status == "running":
            self._counted = now
            cores = self._asked(self._client.scheduler.ncores, {})
            threads = cores.values() if isinstance(cores, dict) else ()
            self._threads = sum(count for count in threads if isinstance(count, int))
        return self._threads or 1

    @property
    def bytes_moved(self) -> int:
        """How many bytes the workers have sent as results so far, as Dask counts them; 0 in this process."""
        if self._client is None:
            return 0
        return sum(self._client.run(_bytes_sent).values())

    def __enter__(self) -> Cluster:
        if self._workers <= 1 and not self._address:
            return self
        try:
            dask: Any = import_module("distributed")  # hardly typed
        except ImportError as error:
            raise NotAvailable(
                f"Several workers need Dask. {how_to_get('tokenarium[corpora]')}"
            ) from error
        try:
            if not self._address:
                sweep(Path(tempfile.gettempdir()), LEFT)
                self._scratch = tempfile.mkdtemp(prefix="tokenarium-workers-")
                # A process that the window started may have no processes of its own, else: they end with it anyway.
                config: dict[str, Any] = vars(multiprocessing.current_process())["_config"]
                config["daemon"] = False
                with import_module("dask").config.set(
                    {
                        f"distributed.nanny.pre-spawn-environ.{name}": n
                        for name, n in _MALLOC.items()
                    }
                ):
                    self._local = dask.LocalCluster(
                        n_workers=self._workers,
                        threads_per_worker=1,
                        dashboard_address="127.0.0.1:0",  # any free port: another may run here
                        silence_logs="CRITICAL",
                        local_directory=self._scratch,
                        env={"TMPDIR": self._scratch, "TEMP": self._scratch, "TMP": self._scratch},
                    )
            if self._local is not None:
                self._client = dask.Client(self._local, timeout=PATIENCE_S, set_as_default=False)
            else:
                check_greeting(self._address, PATIENCE_S)
                connect = partial(
                    dask.Client, self._address, timeout=PATIENCE_S, set_as_default=False
                )
                with _silent(dask.__name__):
                    self._client = within(2 * PATIENCE_S, connect, _close_client)
            self._client.wait_for_workers(1, timeout=PATIENCE_S)
        except Exception as error:  # whatever Dask raises for something that is not a scheduler
            answers = self._client is not None
            self._close()
            if not (self._address or isinstance(error, (OSError, ValueError, RuntimeError))):
                raise
            if not self._address:
                raise NotAvailable(f"The workers do not start: {error}. Count here.") from error
            if answers:
                raise NotAvailable(
                    f"The Dask scheduler at {self._address} has no workers. Start some with “dask worker {self._address}”."
                ) from error
            raise NotAvailable(
                f"No Dask scheduler answers at {self._address}: {_reason(error)}. Start one with “dask scheduler”, or check its"
                " address."
            ) from error
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _close(self) -> None:
        self.look = int
        for part in (self._client, self._local):
            if part is not None:
                # OSError: of a scheduler that is gone. AssertionError: Dask's own, where a worker that ended is just
                # being started again; that one ends by itself when it finds no scheduler.
                with suppress(OSError, AssertionError):
                    part.close(timeout=PATIENCE_S)
        self._client = self._local = None
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = ""

    def _asked(self, question: Callable[[], Any], otherwise: Any) -> Any:
        """Returns what the scheduler answers; ``otherwise`` where it does not, in time."""
        try:
            return self._client.sync(question, callback_timeout=PATIENCE_S)
        except (OSError, ValueError, RuntimeError):
            return otherwise

    def do(
        self,
        work: Callable[[Item, Callable[[Any], object]], Result],
        items: Sequence[Item],
        progressed: Callable[[int, Any], object],
        kind: type[Result] | None = None,
    ) -> Generator[Done[Item, Result]]:
        """Yields each item as soon as it is finished, in any order.

        ``work`` is given an item, and what it calls with a count, or several, from time to time; it and the items can
        be pickled. ``progressed`` is called with the place of an item and that count: between results, never in another
        thread. An item that fails, or whose workers end again and again, has a fault; the others go on. So has one
        whose result is not of a ``kind``, or comes from a worker with another version of the program.
        """
        if self._client is None:
            yield from self._here(work, items, progressed)
            return
        yield from self._elsewhere(work, items, progressed, kind)

    @staticmethod
    def _here(
        work: Callable[[Item, Callable[[Any], object]], Result],
        items: Sequence[Item],
        progressed: Callable[[int, Any], object],
    ) -> Generator[Done[Item, Result]]:
        for index, item in enumerate(items):
            try:
                result = work(item, lambda count, index=index: progressed(index, count))  # type: ignore[misc]
            except (TokenariumError, OSError) as error:
                yield Done(item, None, str(error), index)
            else:
                yield Done(item, result, place=index)

    def _elsewhere(
        self,
        work: Callable[[Item, Callable[[Any], object]], Result],
        items: Sequence[Item],
        progressed: Callable[[int, Any], object],
        kind: type[Result] | None,
    ) -> Generator[Done[Item, Result]]:
        heard: SimpleQueue[Any] = SimpleQueue()  # filled by a thread of Dask, as the next one
        ready: SimpleQueue[Any] = SimpleQueue()

        def hear(event: Any) -> None:
            if heard.qsize() < _MOST_HEARD:
                heard.put(event)

        topic = f"{_TOPIC}-{time.time_ns()}"
        client = self._client
        client.subscribe_topic(topic, hear)
        places: dict[Any, int] = {}
        tries = [0] * len(items)

        def submit(place: int) -> None:
            future = client.submit(
                _work_there,
                *(work, items[place], place, topic),
                pure=False,
                retries=RETRIES,
                priority=-place,
            )
            places[future] = place
            future.add_done_callback(ready.put)

        try:
            for index in range(len(items)):
                submit(index)
            while places:
                try:
                    future = ready.get(timeout=_OFTEN_S)
                except Empty:
                    future = None
                while not heard.empty():
                    report = _report_of(heard.get(), len(items))
                    if report is not None:
                        progressed(*report)
                self.look()
                if client.status != "running":
                    self._wait_for_scheduler()
                index = places.pop(future, -1)
                if index < 0:
                    continue
                item = items[index]
                if future.status == "finished":
                    yield _taken(item, index, future.result(), kind)
                elif future.status in ("cancelled", "lost") and tries[index] < RETRIES:
                    tries[index] += 1  # by a scheduler that was started again
                    submit(index)
                else:
                    yield Done(item, None, _fault(future), index)
        finally:
            if client.status == "running":
                client.unsubscribe_topic(topic)
                if places:
                    client.cancel(list(places))

    def _wait_for_scheduler(self) -> None:
        """Waits until a scheduler whose connection ended is there again; TokenariumError if it is not."""
        until = time.monotonic() + PATIENCE_S
        while self._client.status == "connecting" and time.monotonic() < until:
            time.sleep(_OFTEN_S)
            self.look()
        if self._client.status != "running":
            raise TokenariumError(
                "The connection to the Dask scheduler ended. What is finished is kept; start again to continue."
            )


def _work_there(
    work: Callable[[Any, Callable[[Any], object]], Any], item: Any, place: int, topic: str
) -> Any:
    """Does an item in a worker of Dask, which sends the counts to the client."""
    from distributed import get_worker

    worker = get_worker()
    last = [0.0]

    def report(count: Any) -> None:
        now = time.monotonic()
        if now - last[0] >= _OFTEN_S:
            last[0] = now
            worker.log_event(topic, (place, count))

    return __version__, work(item, report)


def _taken(item: Item, place: int, answer: Any, kind: type[Result] | None) -> Done[Item, Result]:
    """Returns a finished item with what a worker answered, or with why that is not taken."""
    version, result = answer if isinstance(answer, tuple) and len(answer) == 2 else ("", None)
    if version != __version__:
        other = (
            f"Tokenarium {version}"
            if isinstance(version, str) and version
            else "another Tokenarium"
        )
        fault = f"Its worker has {other[:40]}, and this is {__version__}: install the same version there."
        return Done(item, None, fault, place)
    if kind is not None and not isinstance(result, kind):
        fault = f"Its worker answered with {type(result).__name__}, not {kind.__name__}: install the same version there."
        return Done(item, None, fault, place)
    return Done(item, result, place=place)


def _report_of(event: Any, items: int) -> tuple[int, Any] | None:
    """Returns the place and the counts of what a worker reported; None if it is not a report: anyone may send to a
    topic.
    """
    report = event[1] if isinstance(event, (tuple, list)) and len(event) == 2 else None
    if not (isinstance(report, (tuple, list)) and len(report) == 2):
        return None
    index, count = report
    counts = count if isinstance(count, (tuple, list)) else [count]
    if not all(type(number) is int and 0 <= number < 1 << 62 for number in (index, *counts)):
        return None
    if index >= items or not 1 <= len(counts) <= 2:
        return None
    return index, tuple(counts) if isinstance(count, (tuple, list)) else count


def check_greeting(address: str, patience: float) -> None:
    """Raises OSError if nothing of Dask listens at an address: in time, whatever is sent, and however slowly.

    Each process of Dask begins a connection with a message, in a frame: the bytes of the rest, the number of frames,
    their lengths, and MessagePack (``distributed.comm.tcp`` and ``distributed.comm.core``). Dask itself would take as
    much memory as the first bytes say, and wait forever. An address that is not of plain TCP is left to it.
    """
    named = re.fullmatch(r"(?:tcp://)?(\[[^\]]+\]|[^:/\[\]]+):(\d{1,5})", address)
    if named is None or int(named[2]) > 65535:
        if "://" not in address or address.startswith("tcp://"):
            raise OSError("it is not an address such as tcp://10.0.0.1:8786")
        return
    until = time.monotonic() + patience
    with _connected((named[1].strip("[]"), int(named[2])), until) as line:
        size = int.from_bytes(_received(line, 8, until), "little")
        if not 8 <= size <= LARGEST_GREETING or _GREETING not in _received(line, size, until):
            raise OSError("it answers something else")


def _connected(place: tuple[str, int], until: float) -> socket.socket:
    """Returns a connection; a scheduler that just starts is waited for, as Dask does."""
    while True:
        try:
            return socket.create_connection(place, max(until - time.monotonic(), 0.01))
        except ConnectionRefusedError:
            if time.monotonic() + _OFTEN_S >= until:
                raise
            time.sleep(_OFTEN_S)


def _received(line: socket.socket, size: int, until: float) -> bytes:
    data = b""
    while len(data) < size:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("it does not answer")
        line.settimeout(left)
        try:
            part = line.recv(size - len(data))
        except TimeoutError:
            raise TimeoutError("it does not answer") from None
        if not part:
            raise OSError("it ends the connection")
        data += part
    return data


def within(seconds: float, work: Callable[[], Result], drop: Callable[[Result], object]) -> Result:
    """Returns what some work returns, which another thread does; TimeoutError if that takes longer.

    That thread then goes on by itself, and gives what comes later to ``drop``.
    """
    done: SimpleQueue[tuple[Result | None, BaseException | None]] = SimpleQueue()
    late = Event()

    def do() -> None:
        try:
            result = work()
        except BaseException as error:
            done.put((None, error))
            return
        done.put((result, None))
        if late.is_set():
            drop(result)

    Thread(target=do, daemon=True).start()
    try:
        result, error = done.get(timeout=seconds)
    except BaseException as ended:
        late.set()
        if isinstance(ended, Empty):
            raise TimeoutError("it does not answer") from None
        raise
    if error is not None:
        raise error
    return cast("Result", result)


def _close_client(client: Any) -> None:
    with suppress(Exception):
        client.close(timeout=PATIENCE_S)


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Turns off the log of a library: what goes wrong is said in a sentence."""
    log = logging.getLogger(name)
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


def _bytes_sent(dask_worker: Any) -> int:
    """Returns the bytes of results that a worker has sent."""
    return int(dask_worker.transfer_outgoing_bytes_total)


def _fault(future: Any) -> str:
    """Returns why an item has no result."""
    from distributed.scheduler import KilledWorker

    if future.cancelled():
        return "It was cancelled on the scheduler."
    error = future.exception()
    if isinstance(error, KilledWorker):
        return "Each worker that tried it ended early: it may need more memory."
    if isinstance(error, ImportError):
        return f"The workers cannot load Tokenarium: install the same version there ({error})."
    if isinstance(error, (TokenariumError, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _reason(error: Exception) -> str:
    """Returns the first line of an error, without the full stop."""
    if isinstance(error, TimeoutError) and not str(error):
        return "it does not answer"
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _has_pages() -> bool:
    """Whether Dask's dashboard can be shown, for which it needs bokeh."""
    return find_spec("bokeh") is not None
