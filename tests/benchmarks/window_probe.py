"""The process in which the real window is driven and timed: no display, nothing else to do.

    window_probe.py work  < JSON of the texts      keystrokes, pastes and scrolling
    window_probe.py open PATH  < JSON of a text    a tokenizer file that is added
    window_probe.py text PATH                      a text file that is opened
    window_probe.py start SECONDS                  a start; SECONDS is time.time() before the process began

A frame lasts from the event (a key, a turn of the wheel) until the event loop has nothing left to do
and all that the event changed is painted: the text field and the comparison of all tokenizers.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["QT_QPA_PLATFORM"] = "offscreen"

if sys.argv[1:2] == ["start"]:
    from tokenarium.app.opening import import_before_qt

    import_before_qt()  # the app does so too

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tokenarium.work.garbage import GarbageAtRest

PAUSE_S = 0.04
"""Between two keys, as a fast typist."""

REST_S = 0.25
"""Now and then: long enough for what waits for a pause in typing."""

KEYS = (*[Qt.Key.Key_X] * 4, Qt.Key.Key_Space, Qt.Key.Key_Backspace, Qt.Key.Key_Return)
PATIENCE_S = 60.0


class Painted(QObject):
    """Notes which of some widgets have been painted."""

    def __init__(self, widgets: list[QWidget]) -> None:
        super().__init__()
        self._widgets = widgets
        self._missing: set[QWidget] = set()
        for widget in widgets:
            widget.installEventFilter(self)

    def reset(self) -> None:
        """Forgets what was painted."""
        self._missing = set(self._widgets)

    @property
    def all(self) -> bool:
        """Whether each of the widgets has been painted since."""
        return not self._missing

    @property
    def some(self) -> bool:
        """Whether one of the widgets has been painted since."""
        return len(self._missing) < len(self._widgets)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._missing -= {watched}
        return False


class Gaps(QObject):
    """The longest time, in seconds, that a timer which is due at once had to wait for the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.note)
        self._timer.start(0)

    def note(self) -> None:
        """Takes the time since the last turn of the loop, or since the beginning."""
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now


class Probe:
    """The window with its tokenizers, and what a user does to it."""

    def __init__(self) -> None:
        from tokenarium.tour.render import Renderer

        self._renderer = Renderer()
        self.window = self._renderer.window
        self._field = self.window.text.field
        self._session = self.window.session
        self.tokenizers = [item.name for item in self._session.chosen()]
        self.longest_turn = 0.0
        self._seconds = self._cpu_seconds = 0.0

    @property
    def share(self) -> float:
        """How much of a processor the frames had: 1.0 where nothing else was running."""
        return self._cpu_seconds / self._seconds

    def type(self, text: str, place: int, keys: int) -> list[float]:
        """Returns the milliseconds of each keystroke, at a place that is seen."""
        self._show(text)
        cursor = self._field.textCursor()
        cursor.setPosition(place)
        self._field.setTextCursor(cursor)
        self._field.setFocus()
        self._rest(REST_S)
        painted = Painted([self._field.viewport(), *self._rows()])
        frames = []
        for number in range(keys):
            key = KEYS[number % len(KEYS)]
            frames.append(self._frame(painted, lambda key=key: QTest.keyClick(self._field, key)))
            self._rest(REST_S if number % 10 == 9 else PAUSE_S)
        return frames

    def follow(self, text: str, place: int, keys: int) -> list[float]:
        """Returns the milliseconds from each keystroke until all strips and all counts follow it."""
        self._show(text)
        cursor = self._field.textCursor()
        cursor.setPosition(place)
        self._field.setTextCursor(cursor)
        self._field.setFocus()
        session, chosen = self._session, self._session.chosen()

        def follows() -> bool:
            states = [session.encoded(item.key) for item in chosen]
            complete = all(one is not None and one.complete for one in states)
            return complete and not self.window.workspace.busy

        times = []
        for _ in range(keys):
            self._rest(REST_S)
            begin = time.perf_counter()
            QTest.keyClick(self._field, Qt.Key.Key_X)
            self._wait(follows)
            QApplication.processEvents()
            times.append(1000 * (time.perf_counter() - begin))
        return times

    def paste(self, text: str) -> dict[str, float]:
        """Returns the milliseconds to the first screen, and until all is encoded and laid out."""
        self._show("")
        QGuiApplication.clipboard().setText(text)
        self._field.setFocus()
        self._rest(REST_S)
        painted = Painted([self._field.viewport(), *self._rows()])
        begin = time.perf_counter()
        paste = Qt.KeyboardModifier.ControlModifier
        first = self._frame(painted, lambda: QTest.keyClick(self._field, Qt.Key.Key_V, paste))
        self.longest_turn = 0.0
        self._wait(lambda: not self._session.jobs.running() and self._shows_all())
        whole = 1000 * (time.perf_counter() - begin)
        assert self._session.text == text, "the text that was pasted is another"
        self._settle()
        return {"first": first, "whole": whole, "longest_turn": self.longest_turn}

    def scroll(self, text: str, frames: int) -> list[float]:
        """Returns the milliseconds of each frame: the wheel turns over the comparison."""
        self._show(text)
        self._rest(REST_S)
        rows = self._rows()
        painted = Painted(rows)
        viewport = rows[0]
        here = QPointF(viewport.rect().center())

        def turn() -> None:
            down = QPoint(0, -120)
            event = QWheelEvent(
                here,
                QPointF(viewport.mapToGlobal(here.toPoint())),
                QPoint(),
                down,
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(viewport, event)

        return [self._frame(painted, turn) for _ in range(frames)]

    def open(self, path: Path, text: str) -> dict[str, Any]:
        """Returns the milliseconds until a file is open and has encoded the text, and the longest gap meanwhile."""
        from tokenarium.models.tokenizers.library import State

        self._show(text)
        self._rest(REST_S)
        gaps = Gaps()
        begin = time.perf_counter()
        item = self._session.edits.add_file(path)
        self._wait(lambda: not self._session.opening and item.state is not State.OPENING)
        opened = 1000 * (time.perf_counter() - begin)
        self._wait(lambda: not self._session.jobs.running())
        QApplication.processEvents()
        gaps.note()
        failed = "" if item.state is State.OPEN else item.note
        return {"failed": failed, "opened": opened, "gap": 1000 * gaps.longest}

    def take_in(self, path: Path) -> dict[str, Any]:
        """Returns the milliseconds until a text file is shown, until all its tokens are, and the longest gap meanwhile.

        Then the bytes of memory that the window has for each byte of it, without the processes, which end; on Linux.
        """
        self._show("before")
        self._rest(REST_S)
        before = memory()
        gaps = Gaps()
        begin = time.perf_counter()
        self.window.take_files([path])
        size = path.stat().st_size
        self._wait(lambda: self._session.text_map.byte_count == size)
        shown = 1000 * (time.perf_counter() - begin)
        chosen = self._session.chosen()
        encoded = self._session.encoded
        self._wait(lambda: all((of := encoded(e.key)) is not None and of.complete for e in chosen))
        tokens = 1000 * (time.perf_counter() - begin)
        self._wait(lambda: self._session.grapheme_edges is not None)
        self._wait(lambda: not self._session.jobs.running())
        gaps.note()
        self._rest(REST_S)
        found = {"shown": shown, "tokens": tokens, "gap": 1000 * gaps.longest}
        return found | {"memory": (memory() - before) / size}

    def _frame(self, painted: Painted, act: Callable[[], object]) -> float:
        painted.reset()
        cpu, begin = time.process_time(), time.perf_counter()
        act()
        QApplication.processEvents()
        while not painted.all:
            if time.perf_counter() > begin + PATIENCE_S:
                raise TimeoutError("The window was not painted.")
            QApplication.processEvents()
        seconds = time.perf_counter() - begin
        self._seconds += seconds
        self._cpu_seconds += time.process_time() - cpu
        return 1000 * seconds

    def _rows(self) -> list[QWidget]:
        tokens: Any = self.window.workspace
        return [tokens.view.viewport()]

    def _show(self, text: str) -> None:
        self._session.set_text(text)
        self._field.moveCursor(QTextCursor.MoveOperation.Start)
        self._settle()

    def _settle(self) -> None:
        self._renderer.settle()
        self._wait(self._shows_all)

    def _shows_all(self) -> bool:
        return self._field.document().characterCount() - 1 == self._session.text_map.utf16_count

    def _rest(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        self._wait(lambda: time.perf_counter() > end)
        if seconds >= REST_S:
            GarbageAtRest.collect()  # the events of a real loop would have it done

    def _wait(self, condition: Callable[[], bool]) -> None:
        end = time.perf_counter() + PATIENCE_S
        while not condition():
            begin = time.perf_counter()
            QApplication.processEvents()
            spent = time.perf_counter() - begin
            self.longest_turn = max(self.longest_turn, 1000 * spent)
            if begin > end:
                raise TimeoutError("The window did not come to rest.")
            if spent < 0.0005:
                time.sleep(0.0005)


def memory() -> int:
    """Returns the bytes of memory that this process has, without files on a disk, such as libraries.

    What it shares through files in memory counts whole: those pages are taken, whether this process has read them or
    not. 0 where the system does not say it.
    """
    if sys.platform != "linux":
        return 0
    taken, is_shared = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            is_shared = "/dev/shm/" in line
        elif name == ("Size:" if is_shared else "Anonymous:"):
            taken += 1024 * int(rest[0])
    return taken


def work(order: dict[str, Any]) -> dict[str, Any]:
    """Returns all figures in milliseconds; ``order`` has the texts and how often to do what."""
    probe = Probe()
    found: dict[str, Any] = {"tokenizers": probe.tokenizers}
    found |= {what: {} for what in ("paste", "scroll", "type", "follow")}
    probe.type(order["typed"], order["place"], 20)  # fonts are loaded, caches filled
    found["type"]["10 KB"] = probe.type(order["typed"], order["place"], order["keys"])
    for name, text in order["pasted"].items():
        found["paste"][name] = [probe.paste(text) for _ in range(order["pastes"])]
        found["scroll"][name] = probe.scroll(text, order["frames"])
        found["type"][f"1 MB, {name}"] = probe.type(text, 500, order["keys"] // 4)
        found["follow"][f"1 MB, {name}"] = probe.follow(text, 500, order["keys"] // 8)
    return found | {"share": probe.share}


class Start(QObject):
    """Says when the window is painted first, and when the tokens of its first text are; then it ends."""

    def __init__(self, began: float) -> None:
        super().__init__()
        self._began = began
        self._found: dict[str, float] = {}
        self._window: Any = None
        self._look = QTimer(self)
        self._look.timeout.connect(self._look_for_tokens)

    def exec(self) -> int:
        """Runs the event loop in place of `QApplication.exec`."""
        from tokenarium.app.window import MainWindow

        self._note("event_loop")
        widgets = QApplication.topLevelWidgets()
        self._window = next(widget for widget in widgets if isinstance(widget, MainWindow))
        self._window.installEventFilter(self)
        return _exec()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self._look.isActive():
            self._look.start(0)  # which comes when all of the window is painted
        return False

    def _look_for_tokens(self) -> None:
        session = self._window.session
        if "window" not in self._found:
            self._note("window")
        elif session.text and not session.opening and not session.jobs.running():
            QApplication.processEvents()
            self._note("tokens")
            print(json.dumps(self._found), flush=True)
            os._exit(0)
        elif time.time() - self._began > PATIENCE_S:
            print("The first text has no tokens.", file=sys.stderr, flush=True)
            os._exit(1)

    def _note(self, what: str) -> None:
        self._found[what] = 1000 * (time.time() - self._began)


_exec = QApplication.exec


def start(began: float) -> None:
    """Starts the app as ``python -m tokenarium`` does; prints the milliseconds since ``began``."""
    import runpy

    QApplication.exec = Start(began).exec  # type: ignore[method-assign]
    sys.argv = ["tokenarium"]
    runpy.run_module("tokenarium", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    if sys.argv[1] == "start":
        start(float(sys.argv[2]))
    elif sys.argv[1] == "text":
        print(json.dumps(Probe().take_in(Path(sys.argv[2]))))
    elif sys.argv[1] == "open":
        print(json.dumps(Probe().open(Path(sys.argv[2]), json.load(sys.stdin))))
    else:
        print(json.dumps(work(json.load(sys.stdin))))
