"""What a page has running: it ends with the page, and what replaces it is the only one that answers."""

from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from worker_functions import double, refuse, sleep

from tokenarium.models.task import Task
from tokenarium.work.jobs import Jobs
from tokenarium.work.running import Processes, Running
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress


class Owner(QObject):
    """An owner that notes what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = Jobs(self)
        self.running = Running(self.jobs, self)
        self.heard: list[object] = []

    def task(self, steps: int, error: str = "") -> Task:
        def work() -> object:
            for step in range(steps):
                yield Progress("Counting", step, steps, False)
            if error:
                raise TokenariumError(error)

        return Task("Counting", work())  # type: ignore[arg-type]


def test_slices_are_taken_until_the_end(qtbot: QtBot) -> None:
    owner, task = Owner(), Owner().task(3)
    owner.running.slices("Counting", task, owner.heard.append)
    assert owner.running.busy
    qtbot.waitUntil(lambda: not owner.running.busy)
    assert owner.heard[-1] == Progress("Counting", 3, 3, True) or task.finished
    owner.running.slices("Counting", owner.task(1, "No."), owner.heard.append, owner.heard.append)
    qtbot.waitUntil(lambda: owner.heard[-1] == "No.")
    assert not owner.running.busy


def test_a_process_answers_once(qtbot: QtBot) -> None:
    owner = Owner()
    running, heard = owner.running, owner.heard
    running.process(double, 21, take=heard.append, fail=heard.append, say=heard.append)
    assert running.runs()
    qtbot.waitUntil(lambda: not running.busy)
    progress, result = heard
    assert isinstance(progress, Progress)
    assert (progress.phase, progress.fraction, result) == ("doubling", 0.5, 42)
    running.process(refuse, take=heard.append, fail=heard.append)
    qtbot.waitUntil(lambda: len(heard) == 3)
    assert isinstance(heard[-1], str)


def test_what_is_replaced_or_ended_is_silent(qtbot: QtBot) -> None:
    owner = Owner()
    running, heard = owner.running, owner.heard
    running.process(sleep, take=heard.append, fail=heard.append, stopped="The first was stopped.")
    running.process(double, 4, take=heard.append, fail=heard.append)
    qtbot.waitUntil(lambda: not running.busy)
    assert heard == [8]
    running.process(sleep, take=heard.append, fail=heard.append, stopped="Stopped.", name="other")
    running.stop()
    assert not running.busy
    assert heard == [8]


def test_a_person_who_stops_it_is_told(qtbot: QtBot) -> None:
    owner = Owner()
    running, heard = owner.running, owner.heard
    worker = running.process(sleep, take=heard.append, fail=heard.append, stopped="Stopped.")
    worker.cancel()
    assert heard == ["Stopped."]
    running.process(sleep, take=heard.append, fail=heard.append, stopped="Again.")
    running.slices("Counting", owner.task(10**9), heard.append, name="slices")
    running.stop(stopped=True)
    assert not running.busy
    assert heard[1:] == ["Again."]


def test_one_of_several_is_stopped_by_a_person(qtbot: QtBot) -> None:
    owner = Owner()
    processes, heard = Processes(owner), owner.heard
    for name in ("first", "second"):
        processes.process(
            sleep, take=heard.append, fail=heard.append, stopped=f"The {name} ended.", name=name
        )
    processes.cancel("first", stopped=True)
    assert heard == ["The first ended."]
    assert processes.runs("second")
    processes.cancel("second")
    assert not processes.busy
    assert heard == ["The first ended."]


def test_all_that_an_owner_runs_ends_and_nothing_of_another_owner(qtbot: QtBot) -> None:
    owner, jobs = Owner(), Jobs()
    others = Running(jobs, owner)
    owner.running = Running(jobs, owner)
    others.slices("Counting", owner.task(10**9), owner.heard.append)
    assert not owner.running.runs()
    for name in ("first", "second"):
        owner.running.process(sleep, take=owner.heard.append, fail=owner.heard.append, name=name)
    owner.running.stop()
    assert not owner.running.busy
    assert others.runs()
    others.stop()
    assert not others.busy
