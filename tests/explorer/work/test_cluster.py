"""Work that is divided: here, in processes of Dask, and on a scheduler that was running before."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from cluster_functions import always_killed, environment_of, killed_once, process, slow, squared

from tokenarium.work.cluster import Cluster, _report_of, _taken, check_greeting, within
from tokenarium_core import NotAvailable, TokenariumError, __version__

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of tornado, at its end
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def nothing(place: int, count: int) -> None:
    """Takes the progress."""


def results_of(cluster: Cluster, items: list[int]) -> tuple[dict[int, int | None], dict[int, str]]:
    with cluster:
        done = list(cluster.do(squared, items, nothing))
    return {one.item: one.result for one in done}, {
        one.item: one.fault for one in done if one.fault
    }


def dask(name: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Starts a scheduler or a worker of Dask as users do; the caller ends it."""
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{name}", "--no-dashboard", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def dask_worker(address: str, folder: Path) -> subprocess.Popen[bytes]:
    return dask("worker", address, "--nthreads", "1", "--local-directory", str(folder))


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and a worker of Dask; yields the address, and both processes, of which all are ended."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    started = [dask("scheduler", "--host", "127.0.0.1", "--port", str(port))]
    started.append(dask_worker(address, folder))
    try:
        yield address, started
    finally:
        for one in reversed(started):
            one.terminate()
            one.wait(300)


def test_one_worker_is_this_process() -> None:
    cluster = Cluster()
    results, faults = results_of(cluster, [1, 2, 3, 4])
    assert results == {1: 1, 2: 4, 3: None, 4: 16}
    assert faults == {3: "Three is not possible."}
    assert (cluster.dashboard, cluster.workers) == ("", 1)


@pytest.mark.slow
def test_it_starts_in_silence_where_the_port_of_dasks_pages_is_taken() -> None:
    """Dask's warning would be an error here."""
    with socket.socket() as taken:
        with suppress(OSError):  # then another program has it
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        assert results_of(Cluster(2), [2]) == ({2: 4}, {})


@pytest.mark.slow
def test_two_workers_give_the_same_and_one_that_ends_is_replaced(tmp_path: Path) -> None:
    with Cluster(2) as cluster:
        assert cluster.workers == 2
        done = list(cluster.do(squared, [1, 2, 3, 4], nothing))
        assert {one.item: one.result for one in done} == {1: 1, 2: 4, 3: None, 4: 16}
        assert [one.fault for one in done if one.fault] == ["Three is not possible."]
        items = [str(tmp_path / name) for name in "ab"]
        assert [one.result for one in cluster.do(killed_once, items, nothing)] == [1, 1]
        (lost,) = cluster.do(always_killed, ["x"], nothing)
        assert lost.result is None
        assert "ended early" in lost.fault


@pytest.mark.slow
def test_a_scheduler_that_is_running_is_taken(tmp_path: Path) -> None:
    with scheduler(tmp_path) as (address, _):
        results, faults = results_of(Cluster(address=address), [1, 2, 3, 4])
        assert results == {1: 1, 2: 4, 3: None, 4: 16}
        assert faults == {3: "Three is not possible."}


@pytest.mark.slow
def test_what_is_begun_can_be_left(tmp_path: Path) -> None:
    with Cluster(2) as cluster:
        working = cluster.do(slow, list(range(200)), nothing)
        next(working)
        working.close()


@pytest.mark.slow
def test_a_scheduler_that_is_started_again_gets_the_rest(tmp_path: Path) -> None:
    items = list(range(30))
    with scheduler(tmp_path) as (address, started), Cluster(address=address) as cluster:
        results = {}
        for one in cluster.do(slow, items, nothing):
            results[one.item] = one.result
            if len(results) == 3:
                started[0].kill()
                started[0].wait(300)
                port = address.rpartition(":")[2]
                started.append(dask("scheduler", "--host", "127.0.0.1", "--port", port))
                started.append(dask_worker(address, tmp_path))
        assert results == {item: item for item in items}


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scheduler(tmp_path) as (address, started), Cluster(address=address) as cluster:
        monkeypatch.setattr("tokenarium.work.cluster.PATIENCE_S", 0.5)
        working = cluster.do(slow, list(range(200)), nothing)
        next(working)
        started[0].kill()
        with pytest.raises(TokenariumError, match="start again to continue"):
            list(working)


@pytest.mark.slow
def test_a_scheduler_without_workers_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scheduler(tmp_path) as (address, started):
        with Cluster(address=address):
            pass
        started[1].terminate()
        started[1].wait(300)
        monkeypatch.setattr("tokenarium.work.cluster.PATIENCE_S", 1)
        with pytest.raises(NotAvailable, match=r"has no workers\. Start some with “dask worker"):
            Cluster(address=address).__enter__()


@pytest.mark.slow
def test_local_workers_leave_no_files_and_no_processes() -> None:
    before = set(Path(tempfile.gettempdir()).glob("tokenarium-workers-*"))
    with Cluster(2) as cluster:
        done = [one.result for one in cluster.do(process, [1, 2, 3, 4], nothing)]
        assert set(Path(tempfile.gettempdir()).glob("tokenarium-workers-*")) - before
    assert set(Path(tempfile.gettempdir()).glob("tokenarium-workers-*")) <= before
    assert not any(one is not None and is_running(one) for one in done)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_no_scheduler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.work.cluster.PATIENCE_S", 1)
    with pytest.raises(NotAvailable, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        Cluster(address="tcp://127.0.0.1:1").__enter__()


@contextmanager
def answering(answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """Something that listens and is no scheduler; yields its address."""
    held = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                line, _ = server.accept()
                held.append(line)  # it stays open
                with suppress(OSError):
                    answer(line)

    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        Thread(target=accept, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    for line in held:
        line.close()


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"", "it does not answer"),
        (b"220 mail", "it answers something else"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "it answers something else"),
        (bytes(100), "it answers something else"),
        ((1 << 20).to_bytes(8, "little") + b"x" * 100, "it answers something else"),
        ((100).to_bytes(8, "little") + b"x", "it does not answer"),
        ((100).to_bytes(8, "little") + b"x" * 100, "it answers something else"),
        ((100).to_bytes(8, "little") + b"pickle-protocol".ljust(100), "it does not answer"),
        (None, "it ends the connection"),
    ],
    ids=["silent", "mail", "web", "zeros", "large", "slow", "other", "only a greeting", "ends"],
)
def test_what_is_no_scheduler_is_said_in_time(
    sent: bytes | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(line: socket.socket) -> None:
        if sent is None:
            line.shutdown(socket.SHUT_RDWR)
        else:
            line.sendall(sent)

    monkeypatch.setattr("tokenarium.work.cluster.PATIENCE_S", 0.3)
    with answering(answer) as address, pytest.raises(NotAvailable) as raised:
        Cluster(address=address).__enter__()
    said = str(raised.value)
    assert said.startswith(f"No Dask scheduler answers at {address}: ")
    if sent != (100).to_bytes(8, "little") + b"pickle-protocol".ljust(
        100
    ):  # there Dask has a reason
        assert (
            said
            == f"No Dask scheduler answers at {address}: {reason}. Start one with “dask scheduler”, or check its address."
        )


@pytest.mark.parametrize("address", ["", "x", "tcp://", "tcp://x", "tcp://a:99999", "tcp://[::1"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(OSError, match="it is not an address"):
        check_greeting(address, 0.1)


def test_work_that_takes_too_long_is_left_and_dropped() -> None:
    begin, dropped = Event(), Event()
    with pytest.raises(TimeoutError, match="it does not answer"):
        within(0.01, begin.wait, lambda _: dropped.set())
    begin.set()
    assert dropped.wait(300)
    assert within(30, lambda: 3, nothing_done) == 3
    with pytest.raises(KeyError):
        within(30, lambda: {}["x"], nothing_done)


def nothing_done(result: object) -> None:
    """Drops nothing."""


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ((__version__, 3), ""),
        (3, "Its worker has another Tokenarium, and this is"),
        (("0.0.1", 3), r"Its worker has Tokenarium 0\.0\.1, and this is"),
        ((__version__, "3"), "Its worker answered with str, not int"),
        ((__version__, None), "Its worker answered with NoneType, not int"),
        ((__version__,), "Its worker has another Tokenarium"),
        (("x" * 1000, 3), "Its worker has Tokenarium x{29}, and this is"),
        (None, "Its worker has another Tokenarium"),
    ],
)
def test_answers_of_workers_are_looked_at(answer: Any, fault: str) -> None:
    done = _taken("item", 2, answer, int)
    assert (done.item, done.place) == ("item", 2)
    assert (done.result == 3) is (fault == "")
    assert re.match(fault, done.fault)


@pytest.mark.parametrize(
    ("event", "report"),
    [
        ((1.5, (0, 3)), (0, 3)),
        ((1.5, [2, [3, 4]]), (2, (3, 4))),
        ((1.5, (3, 1)), None),
        ((1.5, (-1, 1)), None),
        ((1.5, (0, -1)), None),
        ((1.5, (0, "x")), None),
        ((1.5, (0, True)), None),
        ((1.5, (0, 1 << 80)), None),
        ((1.5, (0, [1] * 1000)), None),
        ((1.5, {"a": 1}), None),
        ((1.5, None), None),
        (None, None),
        ("ab", None),
    ],
)
def test_reports_of_workers_are_looked_at(event: Any, report: Any) -> None:
    assert _report_of(event, 3) == report


@pytest.mark.slow
def test_a_worker_with_another_version_has_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(2) as cluster:
        monkeypatch.setattr("tokenarium.work.cluster.__version__", "another")
        (done,) = cluster.do(squared, [2], nothing)
        assert done.result is None
        assert done.fault.startswith("Its worker has Tokenarium ")
        monkeypatch.undo()
        (done,) = cluster.do(squared, [2], nothing, str)
        assert done.fault.startswith("Its worker answered with int, not str")


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NotAvailable, match=r"tokenarium\[corpora\]"):
        Cluster(2).__enter__()


@pytest.mark.slow
def test_workers_keep_the_memory_that_texts_need_again() -> None:
    with Cluster(2) as cluster:
        found = {
            one.item: one.result
            for one in cluster.do(environment_of, ["MALLOC_MMAP_THRESHOLD_"], nothing)
        }
    assert found == {"MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
