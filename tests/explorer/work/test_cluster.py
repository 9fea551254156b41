"""Work that is divided: here, in processes of Dask, and on a scheduler that was running before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cluster_functions import always_killed, killed_once, slow, squared

from tokenarium.work.cluster import Cluster
from tokenarium_core import NotAvailable

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


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """A scheduler and a worker of Dask as users start them; yields the address."""
    module = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    file = folder / "scheduler.json"
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": settings}
    started = [
        subprocess.Popen(  # ended below, so without `end_with_parent`
            [*module, "--port", "0", "--no-dashboard", "--scheduler-file", str(file)], **quiet
        ),
        subprocess.Popen(
            [
                *[sys.executable, "-m", "distributed.cli.dask_worker", "--no-dashboard"],
                *["--scheduler-file", str(file), "--nthreads", "1"],
                *["--local-directory", str(folder)],
            ],
            **quiet,
        ),
    ]
    try:
        until = time.monotonic() + 60
        while not file.exists() or not file.read_text():
            assert time.monotonic() < until
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"]
    finally:
        for one in reversed(started):
            one.terminate()
            one.wait(30)


def test_one_worker_is_this_process() -> None:
    cluster = Cluster()
    results, faults = results_of(cluster, [1, 2, 3, 4])
    assert results == {1: 1, 2: 4, 3: None, 4: 16}
    assert faults == {3: "Three is not possible."}
    assert (cluster.dashboard, cluster.workers) == ("", 1)


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
        assert "ended in the middle" in lost.fault


def test_a_scheduler_that_is_running_is_taken(tmp_path: Path) -> None:
    with scheduler(tmp_path) as address:
        results, faults = results_of(Cluster(address=address), [1, 2, 3, 4])
        assert results == {1: 1, 2: 4, 3: None, 4: 16}
        assert faults == {3: "Three is not possible."}


def test_what_is_begun_can_be_left(tmp_path: Path) -> None:
    with Cluster(2) as cluster:
        working = cluster.do(slow, list(range(200)), nothing)
        next(working)
        working.close()


def test_no_scheduler_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.work.cluster.PATIENCE_S", 1)
    with pytest.raises(NotAvailable, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        Cluster(address="tcp://127.0.0.1:1").__enter__()


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NotAvailable, match=r"tokenarium\[corpora\]"):
        Cluster(2).__enter__()
