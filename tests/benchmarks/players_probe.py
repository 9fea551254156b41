"""The process in which the players are driven and timed: the real window, no display, nothing else to do.

    players_probe.py play NAME PATH  < JSON of the texts  a tokenizer by its name, or by its file
    players_probe.py trace PATH      < JSON of a text     traces alone

A frame lasts from the step (a key, the scrubber) until the event loop has nothing left to do and what the
step changed is painted. While things slide, each turn of the event loop that paints is a frame.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget
from window_probe import PATIENCE_S, Painted

from tokenarium.work.garbage import GarbageAtRest

SIZE = QSize(1280, 800)
Frame = tuple[float, float]
"""Milliseconds on the clock, and of processor time: what a frame takes where nothing else is running."""

EACH = 10
"""After so many steps, things may slide to where they belong; else the next step comes at once."""


class Probe:
    """The window with one tokenizer in the workspace Merges, and what a user does to its player."""

    def __init__(self, name: str, path: str) -> None:
        from tokenarium.tour.render import Renderer

        self._renderer = Renderer()
        self.window = self._renderer.window
        self.window.resize(SIZE)
        session = self.window.session
        for item in session.chosen():
            session.edits.turn_on(item.key, False)
        key = session.edits.add_file(Path(path)).key if path else f"named:{name}"
        self._wait(lambda: not session.opening)
        session.edits.turn_on(key, True)

    def play(self, text: str, steps: int, jumps: int, slides: int) -> dict[str, list[Frame]]:
        """Returns the frames of steps on, steps back, jumps and slides."""
        lane = self._show(text)
        lane.set_motion(True)
        painted = Painted(self._surfaces(lane))
        found: dict[str, list[Frame]] = {"step": [], "step back": [], "jump": [], "slide": []}
        for _ in self._walk(lane, 60):  # fonts are loaded, texts measured
            self._settle(lane)
        while len(found["step"]) + len(found["step back"]) < steps:
            for what, count, end in (("step", 1, lane.length), ("step back", -1, 0)):
                while lane.position != end and len(found[what]) < steps // 2:
                    found[what].append(self._frame(painted, partial(lane.step, count)))
                    if len(found[what]) % EACH == 0 and len(found["slide"]) < 5 * slides:
                        found["slide"] += self._slide(lane, painted)
        # The scrubber is where a user drags it to.
        places = random.Random(1)
        for _ in range(jumps):
            self._settle(lane)
            place = places.randrange(lane.length + 1)
            if place != lane.position:
                move = partial(lane.transport.scrubber.setValue, place)
                found["jump"].append(self._frame(painted, move))
        return {what: frames for what, frames in found.items() if frames}

    def _walk(self, lane: Any, count: int) -> Any:
        for _ in range(min(count, lane.length)):
            lane.step(1)
            yield lane.position
        lane.go_to(0)

    def _show(self, text: str) -> Any:
        session = self.window.session
        session.set_text(text)
        self._renderer.settle()
        self.window.merge_commands.show_page("steps")
        session.select(0, len(text.encode()))
        self._renderer.settle()
        view: Any = self.window.workspace
        view.steps.replay()
        lane = view.steps.player
        assert lane is not None, "there is no player"
        assert lane.length > 0, "there is nothing to play"
        self._settle(lane)
        return lane

    def _surfaces(self, lane: Any) -> list[QWidget]:
        """What every step paints: the scrubber, and the larger part of the body."""
        body = lane.body
        return [lane.transport.scrubber, getattr(body, "stage", None) or body.view]

    def _settle(self, lane: Any) -> None:
        lane.body.finish_motion()
        QApplication.processEvents()

    def _frame(self, painted: Painted, act: Callable[[], object]) -> Frame:
        GarbageAtRest.collect()  # a loop that rests between two keys would have it done
        painted.reset()
        cpu, begin = time.process_time(), time.perf_counter()
        act()
        QApplication.processEvents()
        while not painted.all:
            if time.perf_counter() > begin + PATIENCE_S:
                raise TimeoutError("The player was not painted.")
            QApplication.processEvents()
        return 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - cpu)

    def _slide(self, lane: Any, painted: Painted) -> list[Frame]:
        """Returns the frames until things have slid to where they belong."""
        stage = getattr(lane.body, "stage", None)
        frames = []
        while stage is not None and stage.moving:
            painted.reset()
            cpu, begin = time.process_time(), time.perf_counter()
            QApplication.processEvents()
            frame = 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - cpu)
            if painted.some:
                frames.append(frame)
            else:
                time.sleep(0.001)
        return frames

    def _wait(self, condition: Callable[[], bool]) -> None:
        end = time.perf_counter() + PATIENCE_S
        while not condition():
            QApplication.processEvents()
            time.sleep(0.001)
            if time.perf_counter() > end:
                raise TimeoutError("The window did not come to rest.")


def play(name: str, path: str, order: dict[str, Any]) -> dict[str, Any]:
    """Returns the frames of all texts."""
    probe = Probe(name, path)
    frames = {
        text: probe.play(content, order["steps"], order["jumps"], order["slides"])
        for text, content in order["texts"].items()
    }
    return {"frames": frames}


def trace(path: str, order: dict[str, Any]) -> dict[str, Any]:
    """Returns the milliseconds of encoding a text with a trace; the first time is not counted."""
    import tokenarium_core as tc

    tokenizer = tc.open(path)
    times = []
    for _ in range(order["times"] + 1):
        begin = time.perf_counter()
        tokenizer.encode(order["text"], trace=tc.Trace())
        times.append(1000 * (time.perf_counter() - begin))
    return {"milliseconds": times[1:]}


if __name__ == "__main__":
    if sys.argv[1] == "trace":
        print(json.dumps(trace(sys.argv[2], json.load(sys.stdin))))
    else:
        print(json.dumps(play(sys.argv[2], sys.argv[3], json.load(sys.stdin))))
