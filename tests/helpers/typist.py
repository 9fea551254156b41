"""A user at a real window of the program, in a separate process: types in a field, or checks what was restored.

python typist.py type FIELD LETTERS_PER_SECOND [WORD…]   types until it is ended; a line of JSON for each word
python typist.py look                                    prints all texts that came back as JSON, and closes
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from PySide6.QtCore import QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox
from typed_places import PLACES, text_of, texts_at

from tokenarium.app import start
from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.models.training.corpus_files import CorpusSource

REST_MS = 50


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def when_ready(do: Callable[[MainWindow], object]) -> None:
    """Does something once the window shows its first contents."""

    def look() -> None:
        found = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
        if found and found[0].scene_commands._timer.isActive():
            window = found[0]
            if not (window.session.opening or window.stage.busy or window.session.jobs.running()):
                timer.stop()
                do(window)

    timer = QTimer(QApplication.instance(), interval=REST_MS)
    timer.timeout.connect(look)
    timer.start()


def type_on(window: MainWindow, place: str, rate: float, word: str) -> None:
    field: Any = PLACES[place](window)
    QTest.qWait(REST_MS)
    field.window().activateWindow()
    field.setFocus(Qt.FocusReason.OtherFocusReason)
    QTest.qWait(REST_MS)
    if isinstance(field, QLineEdit):
        field.end(False)
    else:
        field.moveCursor(QTextCursor.MoveOperation.End)
    number = 0
    say(focus=field.hasFocus(), window=type(field.window()).__name__)

    def type_word() -> None:
        nonlocal number
        number += 1
        QTest.keyClicks(field, f"{word}{number} ")
        shown = window.messages.label.text() if window.messages.isVisible() else ""
        over = window.fields.said
        if over is not None:
            shown = over.label.text()
        say(t=time.monotonic(), text=text_of(field).strip(), said=shown)

    type_word()
    timer = QTimer(window, interval=round(1000 / rate))
    timer.timeout.connect(type_word)
    timer.start()
    asked = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, window)
    asked.activated.connect(lambda: close(window))


def close(window: MainWindow) -> None:
    """Closes the window as a user does; questions get the answers that lose least."""
    sys.stdin.readline()
    QTimer.singleShot(REST_MS, answer)
    window.close()


def answer() -> None:
    box = QApplication.activeModalWidget()
    if isinstance(box, QMessageBox):
        box.button(QMessageBox.StandardButton.Save).click()


def say_kept(window: MainWindow) -> None:
    """Reports the tokenizers made in the window, as it shows them."""
    trained = window.session.library.group(LibraryGroup.TRAINED)
    say(t=time.monotonic(), kept=[item.key.partition(":")[2] for item in trained])


def change(window: MainWindow) -> None:
    field: Any = PLACES["special token"](window)
    space: Any = window.workspace
    part = space.page.special_tokens
    number = 0
    say(focus=True)

    def go_on() -> None:
        nonlocal number
        if not part.busy and not window.session.opening:
            say_kept(window)
            number += 1
            field.setText(f"<|token {number}|>")
            part.add()
            part.press()

    timer = QTimer(window, interval=REST_MS)
    timer.timeout.connect(go_on)
    timer.start()


def train(window: MainWindow) -> None:
    window.show_workspace("train")
    space: Any = window.workspace
    space.show_page("training")
    page = space.page
    text = "the cat sat on the mat, and the other cat sat there too. " * 400
    number = 0
    say(focus=True)

    def go_on() -> None:
        nonlocal number
        if not page.trainings.unfinished:
            say_kept(window)
            number += 1
            page.form.fill("bpe", 280 + number, {}, [CorpusSource("text", text)])
            page.train()

    timer = QTimer(window, interval=REST_MS)
    timer.timeout.connect(go_on)
    timer.start()


def look(window: MainWindow, places: Sequence[str]) -> None:
    shown = window.messages.label.text() if window.messages.isVisible() else ""
    say(said=shown, texts=texts_at(window, places))
    window.close()


WORK = {"change": change, "train": train}


def main(mode: str, *arguments: str) -> int:
    start.application()
    if mode == "type":
        place, rate, word = arguments
        when_ready(lambda window: type_on(window, place, float(rate), word))
    elif mode in WORK:
        when_ready(WORK[mode])
    else:
        when_ready(lambda window: look(window, arguments))
    return start.run([])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
