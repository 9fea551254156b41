"""The process in which the players are driven and timed: the real window, no display, nothing else to do.

    players_probe.py play NAME PATH  < JSON of the texts  a tokenizer by its name, or by its file
    players_probe.py views           < JSON of a text     what else moves: see `Moving`
    players_probe.py trace PATH      < JSON of a text     traces alone

A frame lasts from the step (a key, the scrubber) until the event loop has nothing left to do and what the
step changed is painted. While things slide, each turn of the event loop that paints is a frame.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from window_probe import PATIENCE_S, Painted

from tokenarium.session.requests import ExplainBytes
from tokenarium.work.garbage import GarbageAtRest
from tokenarium_core.trace import Trace

SIZE = QSize(1280, 800)
LARGER = QSize(1440, 900)
"""The window with players, and with the other views that move."""

SLIDE_S = 0.4
"""How long things may slide after a step."""

MERGES, ENTRIES = 300, 1200
BOARD = ("bpe", "superbpe", "unigram")
"""The sizes of the trainings, and the algorithms on the board."""

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
            for what, count, end in (("step", 1, lane.player.length), ("step back", -1, 0)):
                while lane.player.position != end and len(found[what]) < steps // 2:
                    found[what].append(self._frame(painted, partial(lane.player.step, count)))
                    if len(found[what]) % EACH == 0 and len(found["slide"]) < 5 * slides:
                        found["slide"] += self._slide(lane, painted)
        # The scrubber is where a user drags it to.
        places = random.Random(1)
        for _ in range(jumps):
            self._settle(lane)
            place = places.randrange(lane.player.length + 1)
            if place != lane.player.position:
                move = partial(lane.transport.scrubber.setValue, place)
                found["jump"].append(self._frame(painted, move))
        return {what: frames for what, frames in found.items() if frames}

    def _walk(self, lane: Any, count: int) -> Any:
        for _ in range(min(count, lane.player.length)):
            lane.player.step(1)
            yield lane.player.position
        lane.player.go_to(0)

    def _show(self, text: str) -> Any:
        session = self.window.session
        session.set_text(text)
        self._renderer.settle()
        self.window.merge_commands.show_page("steps")
        session.select(0, len(text.encode()))
        self._renderer.settle()
        view: Any = self.window.workspace
        view.steps.replay()
        lane = view.steps.lane
        assert lane is not None, "there is no player"
        assert lane.player.length > 0, "there is nothing to play"
        self._settle(lane)
        return lane

    def _surfaces(self, lane: Any) -> list[QWidget]:
        """What every step paints: the scrubber, and the part of the body that every step changes."""
        body = lane.body
        return [lane.transport.scrubber, getattr(body, "view", None) or body.stage]

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


class Moving:
    """The window with its usual tokenizers, and the views that move besides the players of steps."""

    def __init__(self) -> None:
        from tokenarium.tour.render import Renderer

        self._renderer = Renderer()
        self._folder = tempfile.TemporaryDirectory(prefix="tokenarium-")
        self.window = self._renderer.window
        self.window.resize(LARGER)
        self.session = self.window.session
        self.session.trainings.folder = Path(self._folder.name)

    def frames(self, text: str, count: int) -> dict[str, list[Frame]]:
        """Returns the frames of each view, of about ``count`` steps; what is opened first has entries of its own."""
        self.session.set_text(text)
        self._renderer.settle()
        found = {}
        for view in (self._why_card, self._presented_tokens, self._presented_merges):
            found |= view(text, count)
        found |= self._training_player(count)
        return found | self._board(count)

    def _why_card(self, text: str, count: int) -> dict[str, list[Frame]]:
        words = [word for word in dict.fromkeys(text.split()) if word.isalpha() and len(word) > 3]
        spans = [
            (at := text.encode().index(word.encode()), at + len(word.encode())) for word in words
        ]
        first = self._step(partial(self._explain, *spans[0]))
        frames = []
        for start, end in spans[1 : count // 8]:
            frames += self._moved(partial(self._explain, start, end))
        self.window.token_commands.close_card()
        self._renderer.settle()
        return {"Why card, opened first": [first], "Why card": frames}

    def _explain(self, start: int, end: int) -> None:
        self.session.requests.ask(ExplainBytes(start, end))

    def _presented_tokens(self, text: str, count: int) -> dict[str, list[Frame]]:
        return self._presented("tokens", count)

    def _presented_merges(self, text: str, count: int) -> dict[str, list[Frame]]:
        self.window.merge_commands.show_page("steps")
        self.session.select(0, len(text[:60].encode()))
        self._renderer.settle()
        view: Any = self.window.workspace
        view.steps.replay()
        self._renderer.settle()
        return self._presented("merges", count)

    def _presented(self, name: str, count: int) -> dict[str, list[Frame]]:
        first = self._step(self.window.presenting.present)
        shown = self.window.presenting.shown
        assert shown is not None, "nothing is presented"
        frames = []
        for number in range(count):
            key = Qt.Key.Key_Space if number < count * 3 // 4 else Qt.Key.Key_Left
            frames += self._moved(partial(QTest.keyClick, shown, key))
        shown.close()
        self._renderer.settle()
        return {f"presentation of {name}, opened": [first], f"presentation of {name}": frames}

    def _training_player(self, count: int) -> dict[str, list[Frame]]:
        self.window.merge_commands.show_page("training")
        view: Any = self.window.workspace
        page = view.page
        page.form.choose("text")
        page.form.controls["merges"].show(MERGES)
        page.train()
        self._renderer.settle()
        player = page.player
        player.pause()
        player.go_to(0)
        assert player.length > 0, "nothing was trained"
        frames = []
        for _ in range(min(count, player.length)):
            frames += self._moved(partial(player.step, 1))
        player.set_rate(player.length / 2)
        player.play()
        playing = self._turns(lambda: player.playing)
        return {"training player": frames, "training player, playing": playing}

    def _board(self, count: int) -> dict[str, list[Frame]]:
        from tokenarium.app.start import sample_text
        from tokenarium.models.training.corpus_files import CorpusSource

        self.window.train_commands.show_page("training")
        view: Any = self.window.workspace
        page = view.page
        texts = [CorpusSource("text", sample_text(f"prose-{one}")) for one in ("en", "de", "ru")]
        page.form.fill("bpe", ENTRIES, {}, texts)
        page.form.choose(*BOARD)
        page.form.check()
        self._turns(lambda: page.trainings.estimating.busy)
        page.train()
        runs = page.trainings.runs
        training = self._turns(lambda: not all(run.over for run in runs))
        self._turns(lambda: len(page.text.rows) < len(BOARD))
        self._renderer.settle()
        frames = []
        for number in range(count):
            size = 300 + number * (ENTRIES - 300) // count
            frames.append(self._step(partial(page.go_to_size, size)))
        return {"board of Train, training": training, "board of Train": frames}

    def _moved(self, act: Callable[[], object]) -> list[Frame]:
        """Returns the frame of a step, and those in which things slide after it."""
        first = self._step(act)
        end = time.perf_counter() + SLIDE_S
        return [first, *self._turns(lambda: time.perf_counter() < end)]

    def _step(self, act: Callable[[], object]) -> Frame:
        GarbageAtRest.collect()
        cpu, begin = time.process_time(), time.perf_counter()
        act()
        QApplication.processEvents()
        return 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - cpu)

    def _turns(self, going: Callable[[], bool]) -> list[Frame]:
        """Returns the turns of the event loop that painted something, for as long as something goes on."""
        painted = Painted(list(_seen(QApplication.topLevelWidgets())))
        frames = []
        end = time.perf_counter() + PATIENCE_S
        while going() and time.perf_counter() < end:
            painted.reset()
            cpu, begin = time.process_time(), time.perf_counter()
            QApplication.processEvents()
            frame = 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - cpu)
            if painted.some:
                frames.append(frame)
            else:
                time.sleep(0.001)
        return frames


def _seen(tops: Iterable[QWidget]) -> Iterable[QWidget]:
    for top in tops:
        if top.isVisible():
            yield top
            yield from (widget for widget in top.findChildren(QWidget) if widget.isVisible())


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
        tokenizer.encode(order["text"], trace=Trace())
        times.append(1000 * (time.perf_counter() - begin))
    return {"milliseconds": times[1:]}


if __name__ == "__main__":
    if sys.argv[1] == "trace":
        print(json.dumps(trace(sys.argv[2], json.load(sys.stdin))))
    elif sys.argv[1] == "views":
        order = json.load(sys.stdin)
        print(json.dumps({"frames": Moving().frames(order["text"], order["count"])}))
    else:
        print(json.dumps(play(sys.argv[2], sys.argv[3], json.load(sys.stdin))))
