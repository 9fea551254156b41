"""Work that is divided into items: done here one after the other, or by Dask in other processes and on other machines.

Dask (``dask[distributed]``) has the scheduler, the workers and their supervision: it starts a worker again that ended,
and gives its items to another. What an item does must be the same when it is done twice.
"""

from __future__ import annotations

import math
import multiprocessing
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final, Generic, TypeVar

from tokenarium.models.files import sweep
from tokenarium.models.installation import how_to_get
from tokenarium_core import NotAvailable, TokenariumError

Item = TypeVar("Item")
Result = TypeVar("Result")

RETRIES: Final = 2
"""How often an item is tried again that ended in an exception."""

PATIENCE_S: Final = 20
"""How long a scheduler may take to answer."""

LEFT: Final = re.compile(r"tokenarium-(workers|count)-\w+")
"""Folders that workers leave which are killed."""

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

    @property
    def dashboard(self) -> str:
        """The address of Dask's own page about the work; empty where there is none."""
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
            self._threads = sum(self._client.nthreads().values())
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
            self._client = dask.Client(
                self._local or self._address, timeout=PATIENCE_S, set_as_default=False
            )
            self._client.wait_for_workers(1, timeout=PATIENCE_S)
        except (OSError, ValueError, RuntimeError) as error:
            answers = self._client is not None
            self._close()
            if not self._address:
                raise NotAvailable(f"The workers do not start: {error}. Count here.") from error
            if answers:
                raise NotAvailable(
                    f"The Dask scheduler at {self._address} has no workers. Start some by “dask worker {self._address}”."
                ) from error
            raise NotAvailable(
                f"No Dask scheduler answers at {self._address}: {_reason(error)}. Start one by “dask scheduler”, or look at"
                " its address."
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
        for one in (self._client, self._local):
            if one is not None:
                # OSError: of a scheduler that is gone. AssertionError: Dask's own, where a worker that ended is just
                # being started again; that one ends by itself when it finds no scheduler.
                with suppress(OSError, AssertionError):
                    one.close()
        self._client = self._local = None
        if self._scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = ""

    def do(
        self,
        work: Callable[[Item, Callable[[Any], object]], Result],
        items: Sequence[Item],
        progressed: Callable[[int, Any], object],
    ) -> Generator[Done[Item, Result]]:
        """Yields each item as soon as it is finished, in any order.

        ``work`` is given an item, and what it calls with a count, or several, from time to time; it and the items can be pickled.
        ``progressed`` is called with the place of an item and that count: between results, never in another thread.
        An item that fails, or whose workers end again and again, has a fault; the others go on.
        """
        if self._client is None:
            yield from self._here(work, items, progressed)
            return
        yield from self._elsewhere(work, items, progressed)

    @staticmethod
    def _here(
        work: Callable[[Item, Callable[[Any], object]], Result],
        items: Sequence[Item],
        progressed: Callable[[int, Any], object],
    ) -> Generator[Done[Item, Result]]:
        for place, item in enumerate(items):
            try:
                result = work(item, lambda count, place=place: progressed(place, count))  # type: ignore[misc]
            except (TokenariumError, OSError) as error:
                yield Done(item, None, str(error), place)
            else:
                yield Done(item, result, place=place)

    def _elsewhere(
        self,
        work: Callable[[Item, Callable[[Any], object]], Result],
        items: Sequence[Item],
        progressed: Callable[[int, Any], object],
    ) -> Generator[Done[Item, Result]]:
        heard: SimpleQueue[tuple[int, Any]] = (
            SimpleQueue()
        )  # filled by a thread of Dask, as the next one
        ready: SimpleQueue[Any] = SimpleQueue()
        topic = f"{_TOPIC}-{time.time_ns()}"
        client = self._client
        client.subscribe_topic(topic, lambda event: heard.put(event[1]))
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
            for place in range(len(items)):
                submit(place)
            while places:
                try:
                    future = ready.get(timeout=_OFTEN_S)
                except Empty:
                    future = None
                while not heard.empty():
                    progressed(*heard.get())
                self.look()
                if client.status != "running":
                    self._wait_for_scheduler()
                place = places.pop(future, -1)
                if place < 0:
                    continue
                item = items[place]
                if future.status == "finished":
                    yield Done(item, future.result(), place=place)
                elif future.status in ("cancelled", "lost") and tries[place] < RETRIES:
                    tries[place] += 1  # by a scheduler that was started again
                    submit(place)
                else:
                    yield Done(item, None, _fault(future), place)
        finally:
            if client.status == "running":
                client.unsubscribe_topic(topic)
                if places:
                    client.cancel(list(places))

    def _wait_for_scheduler(self) -> None:
        """Waits until a scheduler whose connection ended is there again; TokenariumError where it is not."""
        until = time.monotonic() + PATIENCE_S
        while self._client.status == "connecting" and time.monotonic() < until:
            time.sleep(_OFTEN_S)
            self.look()
        if self._client.status != "running":
            raise TokenariumError(
                "The connection to the Dask scheduler ended. What is finished is kept: start again, and it goes on."
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

    return work(item, report)


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
        return "Each worker that tried it ended in the middle: perhaps it needs more memory."
    if isinstance(error, ImportError):
        return f"The workers cannot load Tokenarium: install the same version there ({error})."
    if isinstance(error, (TokenariumError, OSError)):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _reason(error: Exception) -> str:
    """Returns the first line of an error, without the full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _has_pages() -> bool:
    """Whether Dask's dashboard can be shown, for which it needs bokeh."""
    return find_spec("bokeh") is not None
