"""A fault that no code caught saves the session and opens one dialog; nothing that comes of it loops or hangs."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import worker_functions
from logs import close_log
from narrowed import assert_contains
from PySide6.QtCore import QCoreApplication, Qt, QTimer, qWarning
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import on_screen

from tokenarium.app import uncaught
from tokenarium.app.uncaught import HEADING, MOST_DIALOGS, SAVED, FaultWatch
from tokenarium.app.window import MainWindow
from tokenarium.models import problem_report
from tokenarium.models.fault_notes import FaultNote
from tokenarium.models.faults import NOTED, note_fault
from tokenarium.models.files import log_folder, session_folder
from tokenarium.models.program_log import log_path, tail_of
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.widgets import report_dialog
from tokenarium.widgets.report_dialog import ReportDialog
from tokenarium.work.worker import Worker

SECRET = "Geheimnis über 4711 Rüben"


@pytest.fixture
def watch(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultWatch]:
    """A watch of the window, as a start makes it; tracebacks are not printed."""
    NOTED.clear()
    close_log()
    monkeypatch.setattr(uncaught, "_print", lambda error: None)
    made = FaultWatch()
    made.begin()
    made.window = window
    made.loop_begins()
    yield made
    for dialog in (made.dialog, made.box):
        if dialog is not None:
            dialog.hide()
    made.end()
    close_log()
    NOTED.clear()


def fails(number: int = 0) -> None:
    """Raises what quotes the user: at another line for each number below three."""
    text = SECRET
    if number == 1:
        raise ValueError(f"cannot use {text}")
    if number == 2:
        raise RuntimeError(text)
    raise KeyError(text)


def raise_into_hook(error: BaseException) -> None:
    sys.excepthook(type(error), error, error.__traceback__)


def fault(run: Callable[[], object] = fails) -> None:
    try:
        run()
    except BaseException as error:
        raise_into_hook(error)


def the_dialog(watch: FaultWatch, qtbot: QtBot) -> ReportDialog:
    qtbot.waitUntil(lambda: watch.dialog is not None)
    assert watch.dialog is not None
    return watch.dialog


def test_a_fault_saves_the_session_and_says_so(
    window: MainWindow, watch: FaultWatch, qtbot: QtBot
) -> None:
    window.session.set_text(SECRET)
    assert not (session_folder() / "last.tokenarium").exists()
    fault()
    dialog = the_dialog(watch, qtbot)
    assert dialog.isVisible()
    assert dialog.heading.text() == HEADING
    assert_contains(dialog.sentence.text(), "KeyError in ", SAVED["saved"])
    assert SECRET in (session_folder() / "last.tokenarium").read_text("utf-8")
    assert dialog.windowModality() is Qt.WindowModality.ApplicationModal
    dialog.buttons["Go on"].click()
    qtbot.waitUntil(lambda: watch.dialog is None)
    assert window.isVisible()


def test_the_report_has_versions_and_no_text(
    window: MainWindow, watch: FaultWatch, qtbot: QtBot, tmp_path: Path
) -> None:
    """A secret is the text, the title, the name of a file, of a tokenizer, of a thread and of a message of Qt."""
    path = write_file(tmp_path / f"{SECRET}.txt", SECRET)
    window.take_files([path])
    window.session.set_own_pattern(SECRET)
    window.session.problem.emit(SECRET)
    fault()
    dialog = the_dialog(watch, qtbot)
    for run in (lambda: fails(1), lambda: path.with_suffix(".no").read_text()):
        fault(run)
    worker = threading.Thread(target=lambda: fails(2), name=SECRET)
    worker.start()
    worker.join()
    qtbot.waitUntil(lambda: "RuntimeError" in dialog.text.toPlainText())
    dialog.copy_button.click()
    report = QGuiApplication.clipboard().text()
    assert report == dialog.text.toPlainText()
    assert dialog.copy_button.text() == "Copied"
    for word in SECRET.split():
        assert word not in report
        for log in log_folder().iterdir():
            assert word not in log.read_text("utf-8")
    assert str(Path.home()) not in report
    for named in ("Tokenarium: ", "core ", "Python: ", "Qt: ", "PySide6 ", "numpy ", "Screens: "):
        assert named in report
    assert "FileNotFoundError: [Errno 2]" in report


def test_the_same_fault_is_counted_and_shown_once(watch: FaultWatch, qtbot: QtBot) -> None:
    timer = QTimer(interval=16)
    timer.timeout.connect(fault)
    timer.start()
    dialog = the_dialog(watch, qtbot)
    qtbot.waitUntil(lambda: "times" in dialog.heading.text())
    assert _dialogs() == [dialog]
    dialog.buttons["Go on"].click()
    before = NOTED.total()
    qtbot.waitUntil(lambda: NOTED.total() > before + 5)
    timer.stop()
    assert _dialogs() == []
    assert tail_of(log_path()).count("Traceback") == 0


def _dialogs() -> list[QDialog]:
    tops = QGuiApplication.instance().topLevelWidgets()  # type: ignore[union-attr]
    return [one for one in tops if isinstance(one, QDialog) and one.isVisible()]


def test_another_fault_while_the_dialog_is_open_joins_it(watch: FaultWatch, qtbot: QtBot) -> None:
    fault()
    dialog = the_dialog(watch, qtbot)
    fault(lambda: fails(1))
    qtbot.waitUntil(lambda: "ValueError" in dialog.text.toPlainText())
    assert _dialogs() == [dialog]
    assert "2 times, of 2 kinds" in dialog.heading.text()


def test_there_are_not_more_dialogs_than_one_can_bear(watch: FaultWatch, qtbot: QtBot) -> None:
    shown = 0
    for number in range(MOST_DIALOGS + 3):
        code = compile("\n" * number + "1 / 0", "some.py", "exec")
        fault(lambda code=code: exec(code))  # type: ignore[misc]
        qtbot.wait(20)
        if watch.dialog is not None:
            shown += 1
            watch.dialog.buttons["Go on"].click()
            qtbot.waitUntil(lambda: watch.dialog is None)
    assert shown == MOST_DIALOGS


def test_a_fault_in_the_dialog_is_said_in_a_simple_box(
    watch: FaultWatch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_dialog, "announce", lambda *_, **__: fails(1))
    fault()
    qtbot.waitUntil(lambda: watch.box is not None)
    assert watch.dialog is None
    assert watch.box is not None
    assert watch.box.informativeText() == SAVED["saved"]
    for _ in range(3):
        fault(lambda: fails(2))
    qtbot.wait(50)
    assert len(_dialogs()) == 1


def _again(depth: int = 0) -> int:
    return _again(depth + 1)


@pytest.mark.parametrize(
    ("run", "kind"),
    [(_again, "RecursionError"), (lambda: bytearray(1 << 62), "MemoryError")],
)
def test_no_room_is_left(
    run: Callable[[], object], kind: str, watch: FaultWatch, qtbot: QtBot
) -> None:
    fault(run)
    assert kind in the_dialog(watch, qtbot).text.toPlainText()


def test_a_fault_at_the_end_of_the_stack_does_not_loop(watch: FaultWatch, qtbot: QtBot) -> None:
    """The hook itself runs where no call is left."""

    def deep() -> None:
        try:
            deep()
        except RecursionError as error:
            raise_into_hook(error)

    deep()
    fault()
    assert the_dialog(watch, qtbot).isVisible()


def test_threads_and_finalizers_are_watched(watch: FaultWatch, qtbot: QtBot) -> None:
    class Ends:
        def __del__(self) -> None:
            fails(1)

    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
    dialog = the_dialog(watch, qtbot)
    Ends()
    gc.collect()
    qtbot.waitUntil(lambda: "ValueError" in dialog.text.toPlainText())


def test_a_fault_of_a_worker_is_in_the_log(watch: FaultWatch, qtbot: QtBot) -> None:
    worker = Worker(worker_functions.stumble)
    with qtbot.waitSignal(worker.failed):
        worker.start()
    assert "KeyError in ….py" in tail_of(log_path())


def test_only_faults_of_the_program_itself_open_the_dialog(watch: FaultWatch, qtbot: QtBot) -> None:
    """A library that refuses in a worker is a sentence of the window; what our own code did wrong is more."""
    note_fault(FaultNote("a", "ValueError", "lib/a.py, line 1", "trace", own=False))
    qtbot.wait(50)
    assert watch.dialog is None
    note_fault(FaultNote("b", "ValueError", "tokenarium/a.py, line 1", "trace"))
    the_dialog(watch, qtbot)


def test_an_open_menu_is_closed_first(watch: FaultWatch, window: MainWindow, qtbot: QtBot) -> None:
    menu = QMenu(window)
    menu.addAction("One")
    menu.popup(window.pos())
    fault()
    the_dialog(watch, qtbot)
    assert not menu.isVisible()


def test_where_nothing_is_kept_it_says_so(
    watch: FaultWatch, store: Settings, window: MainWindow, qtbot: QtBot
) -> None:
    store.set(settings.KEEP_TEXTS, False)
    window.session.set_text(SECRET)
    fault()
    assert SAVED["off"] in the_dialog(watch, qtbot).sentence.text()
    assert not (session_folder() / "last.tokenarium").exists()


def test_the_text_alone_is_saved_where_the_rest_is_broken(
    watch: FaultWatch, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.set_text(SECRET)
    monkeypatch.setattr(window.stage, "make", lambda **_: fails(2))
    fault()
    assert SAVED["saved"] in the_dialog(watch, qtbot).sentence.text()
    assert SECRET in (session_folder() / "last.tokenarium").read_text("utf-8")
    monkeypatch.undo()


def test_the_tracker_is_offered_where_one_is_known(
    watch: FaultWatch, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault()
    dialog = the_dialog(watch, qtbot)
    assert ("Report …" in dialog.buttons) == bool(problem_report.tracker_url())
    dialog.buttons["Go on"].click()
    qtbot.waitUntil(lambda: watch.dialog is None)
    monkeypatch.setattr(problem_report, "tracker_url", lambda: "https://example.org/issues")
    fault(lambda: fails(1))
    assert "Report …" in the_dialog(watch, qtbot).buttons


def test_restart_and_quit_close_the_window(
    watch: FaultWatch, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(uncaught.QApplication, "exit", codes.append)
    fault()
    the_dialog(watch, qtbot).buttons["Restart"].click()
    assert (watch.restart, codes) == ([], [0])
    assert not window.isVisible()


def test_messages_of_qt_are_in_the_log(
    watch: FaultWatch, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(uncaught, "log", lambda message, level: written.append(message))
    qWarning(f'cannot open "{SECRET}"')
    assert written == ['Qt: cannot open "…"']
    assert "cannot open" in capsys.readouterr().err


class Broken(QWidget):
    """A widget whose painting fails while its painter is open, of which Qt warns each time."""

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painter = QPainter(self)
        fails()


def test_a_fault_in_what_paints_is_counted(
    watch: FaultWatch,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    written: list[str] = []
    monkeypatch.setattr(uncaught, "log", lambda message, level: written.append(message))
    broken = on_screen(qtbot, Broken())
    for _ in range(120):
        broken.repaint()
    the_dialog(watch, qtbot).hide()
    broken.hide()
    kinds = {re.sub(r"[\d,]+ times so far", "", line) for line in written}
    assert len(written) <= 3 * len(kinds)  # the first one, then 10 and 100 times
    assert len(capfd.readouterr().err.splitlines()) <= len(kinds)
    del broken.painter


@pytest.mark.parametrize(
    ("times", "lines"), [(1, 1), (9, 1), (10, 2), (99, 2), (100, 3), (1_000, 4)]
)
def test_the_same_message_of_qt_is_counted(
    times: int, lines: int, watch: FaultWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(uncaught, "log", lambda message, level: written.append(message))
    for _ in range(times):
        qWarning("the painter is busy")
    assert len(written) == lines


def test_a_keyboard_interrupt_is_quiet(
    watch: FaultWatch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(uncaught.QApplication, "exit", codes.append)
    raise_into_hook(KeyboardInterrupt())
    assert codes == [130]
    assert capsys.readouterr().err == ""
    assert not NOTED


# Whole processes.

PROGRAM = """
import os, signal, sys, threading
from PySide6.QtCore import QCoreApplication, QSettings, QTimer
from tokenarium.app import start
from tokenarium.app.start import run
made = start.make_window
def make(app, store):
    window = made(app, store)
    def begin():
        if window.session.opening or not window.scene_commands._timer.isActive():
            QTimer.singleShot(20, begin)
            return
        text = {text!r}
        if text:
            window.session.set_text(text)
        print("message:", window.messages.label.text())
        print("title:", window.windowTitle())
        print("text:", window.session.text)
        print("on:", [item.key for item in window.session.library if item.on])
        sys.stdout.flush()
        window.scene_commands.keep(now=bool(text))
        {then}
    QTimer.singleShot(20, begin)
    {before}
    return window
start.make_window = make
sys.exit(run([], {safe}))
"""


@pytest.fixture
def runs(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program in folders of the test's own: ``then`` is what happens in its window."""

    def run_it(
        then: str = "window.close()", text: str = "", before: str = "", safe: bool = False
    ) -> subprocess.CompletedProcess[str]:
        code = PROGRAM.format(then=then, text=text, before=before, safe=safe)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "TOKENARIUM_DATA": str(tmp_path / "data"),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "PYTHONIOENCODING": "utf-8",
        }
        return subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run_it


Runs = Callable[..., "subprocess.CompletedProcess[str]"]
needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


@needs_signals
@pytest.mark.slow
@pytest.mark.window
@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.abort()",
        "import faulthandler; faulthandler._sigsegv()",
    ],
)
def test_the_next_start_comes_back_and_says_so(end: str, runs: Runs, tmp_path: Path) -> None:
    died = runs(end, SECRET)
    assert died.returncode < 0, died.stderr
    back = runs()
    assert back.returncode == 0, back.stderr
    assert_contains(
        back.stdout,
        "message: Tokenarium ended unexpectedly last time. Everything is as you left it.",
        f"text: {SECRET}",
    )
    third = runs()
    assert "ended unexpectedly" not in third.stdout
    assert f"text: {SECRET}" in third.stdout
    assert list((tmp_path / "data" / "runs").iterdir()) == []


@needs_signals
@pytest.mark.slow
def test_a_safe_start_reads_and_changes_nothing_of_the_user(runs: Runs, tmp_path: Path) -> None:
    runs("window.show_workspace('bytes'); window.close()", SECRET)
    kept = _contents(tmp_path)
    then = "window.session.set_text('other'); window.session.set_own_pattern('x'); window.appearance.set_scheme('dark'); window.scene_commands.keep(now=True); window.show_workspace('compare'); window.close()"
    safe = runs(then, safe=True)
    assert safe.returncode == 0, safe.stderr
    assert_contains(safe.stdout, "title: Tokenarium (safe start)", "message: This is a safe start.")
    assert SECRET not in safe.stdout
    assert "on: ['shipped:tokenarium-8k']" in safe.stdout
    assert _contents(tmp_path) == kept
    assert f"text: {SECRET}" in runs().stdout


def _contents(folder: Path) -> dict[str, bytes]:
    """The files of the user: all but the logs."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "log" not in path.parts
    }


@pytest.mark.slow
@needs_signals
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_quietly_and_saves(number: signal.Signals, runs: Runs) -> None:
    ended = runs(f"os.kill(os.getpid(), {int(number)})", SECRET)
    assert ended.returncode == 128 + number
    assert "Traceback" not in ended.stderr
    back = runs()
    assert "ended unexpectedly" not in back.stdout
    assert f"text: {SECRET}" in back.stdout


@needs_signals
def test_a_signal_amid_a_save_waits_for_its_end(
    watch: FaultWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it waited for ever where what it came amid held a lock that saving takes."""
    lock = threading.Lock()
    codes = []

    def leave(code: int) -> None:
        assert not lock.locked()
        codes.append(code)

    monkeypatch.setattr(watch, "leave_quietly", leave)
    with lock:
        signal.raise_signal(signal.SIGTERM)
    assert codes == []
    QCoreApplication.processEvents()
    assert codes == [128 + signal.SIGTERM]


@needs_signals
def test_a_second_signal_ends_what_is_busy(
    watch: FaultWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(watch, "leave_quietly", codes.append)
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGINT)
    assert codes == [128 + signal.SIGINT]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there the box would wait for a click")
def test_a_fault_at_the_start_is_in_the_log_and_counts_as_a_crash(
    runs: Runs, tmp_path: Path
) -> None:
    failed = runs(before="raise ValueError('Geheimnis')")
    assert failed.returncode == 1
    assert "ValueError" in failed.stderr
    (log,) = (tmp_path / "data" / "log").glob("*.log")
    assert "ERROR   ValueError in " in log.read_text("utf-8")
    assert "Geheimnis" not in log.read_text("utf-8")
    assert "ended unexpectedly" in runs().stdout


@pytest.mark.slow
def test_a_window_that_closes_leaves_no_mark(runs: Runs, tmp_path: Path) -> None:
    ended = runs()
    assert ended.returncode == 0, ended.stderr
    assert list((tmp_path / "data" / "runs").iterdir()) == []
    (log,) = (tmp_path / "data" / "log").iterdir()
    assert log.suffix == ".log"
    assert "stop (code 0)" in log.read_text("utf-8")
    assert QCoreApplication.instance() is not None
