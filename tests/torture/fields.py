"""Every field of the window that takes text, found in its tree of widgets: typed, pasted and dropped, what nobody would type."""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import zoo
from attack import ENDLESS, Attack, Case, SuiteError
from endless import EXPLODING
from planting import fail_inside, instead, never_end
from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QMimeData,
    QPoint,
    QPointF,
    QSettings,
    Qt,
    QTimer,
    QtMsgType,
    QUrl,
    qInstallMessageHandler,
    qWarning,
)
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTextEdit,
    QWidget,
)

from tokenarium.app.start import application, make_window
from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.menus.text_commands import TextCommands
from tokenarium.models import faults
from tokenarium.models.fault_notes import FaultNote
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.views.workspace import PagedWorkspace

FIELDS = (QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox)

PAGES = [
    (kind.name.id, page.id)
    for kind in WORKSPACES
    for view in [kind.load()]
    for page in (view.kinds if issubclass(view, PagedWorkspace) else ())
] + [(kind.name.id, "") for kind in WORKSPACES if not issubclass(kind.load(), PagedWorkspace)]
"""Workspaces and their pages."""

DIALOGS = [
    *("find_tokenizers", "save_tokenizer", "about_tokenizer", "register_tokenizer", "share_card"),
    *("encode_corpus", "chat", "settings", "palette", "shortcuts", "log", "help", "edit_lesson"),
    *("new_lesson", "save_handout", "questions", "lessons", "open_text", "open_session"),
    *("save_session", "open_tokenizer", "export_entries", "present", "prices", "tokenizer_sets"),
]
"""Actions that open something with fields, files' dialogs too."""

HOSTILE: list[Any] = [
    *("", " ", "\x00", "a\x00b\x00", "\x1b[31m", "\ufeff", "\ufffe\uffff", "\u202e" * 500 + "abc"),
    *("\u2028\u2029", "\r\n\r", "&amp;<b>bold</b><img src='file:///dev/zero'>", "{0}%s%n%1%L1", "\\"),
    *("0", "-1", "1e999", "nan", "inf", "0x10", "٣٤", "½", "1,5", "1.5", "1_000", "2**64", "--help"),
    *("-" + "9" * 30, "1 2 3", "-1 -2", "99999999999999999999", "[1, 2", "0xff 0x", "FF GG", "1-999999999"),
    *("/", "/dev/zero", "/dev/stdin", "/proc/self/mem", "/proc", ".", "..", "~", "~root", "pipe", "folder"),
    *("file:///dev/zero", "http://127.0.0.1:9/x", "https://[::1", "tokenarium:lesson/../../x", "owner/name"),
    *("a/../../../b", "\\\\server\\share", "CON", "x" * 300 + ".json", "folder/\n.txt", "*" * 50, "[a-"),
    *({"repeat": [part, times]} for part, times in [
        ("a", 1 << 20), ("a\n", 200_000), ("\u0301", 100_000), ("\u202e\u2066", 20_000), ("(", 5_000),
        ("[", 100_000), ("{", 100_000), ("9", 5_000), ("9 ", 50_000), ("😀", 20_000), ("\n", 100_000),
        ("the ", 60_000), ("<", 50_000), ("\\", 5_000), ("👩\u200d🚀", 20_000), (",", 30_000), ("ﷺ", 9_000),
    ]),
    *EXPLODING, *(f"re:{pattern}" for pattern in EXPLODING), "re:(?:|a|){900}[xy]", "a re:.* " * 2000,
    "id:" + "1," * 15_000, "re:" + "(?:a?|b?)" * 60 + "[xy]",
]  # fmt: skip
"""Texts for any field; those of many characters are written as what is repeated."""

KEYS = [
    *(Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backspace, Qt.Key.Key_Delete),
    *(Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End),
]
WAYS = ["insert", "type", "paste", "drop"]
SHORT = 60
"""Characters of a text that is typed key by key."""

URLS = [
    *("file:///dev/zero", "file:///proc/self/mem", "file:///", "file:", "file://server/share/x", "http://127.0.0.1:9/x"),
    *("tokenarium:x", "data:text/plain,a", "about:blank", "%", "file:///%00", "file:///tmp/%ff%fe", "FIFO", "FOLDER"),
    *("BINARY", "TEXT", "HUGE", "DEEP.json", "EMPTY.model"),
]  # fmt: skip
"""What is dropped; names in capitals are of the case's own folder."""

TURNS = 25
"""How often the event loop runs after each step; each time it may wait for a few milliseconds."""

MEETING_MS = 60
"""How often it is looked whether a dialog waits for its end."""

OFFSCREEN = "This plugin does not support"


# Cases.


def _hostile(chance: Random) -> Any:
    kind = chance.random()
    if kind < 0.75:
        return chance.choice(HOSTILE)
    return zoo.text_of(chance, 30)


def make_texts(chance: Random) -> Case:
    """Returns a page or a dialog, and what is done with its fields."""
    steps = [
        {
            "field": chance.randrange(1 << 16),
            "text": _hostile(chance),
            "way": chance.choice(WAYS),
            "keys": [chance.randrange(len(KEYS)) for _ in range(chance.randrange(3))],
            "switch": chance.randrange(1 << 16) if chance.random() < 0.4 else None,
        }
        for _ in range(chance.randrange(1, 6))
    ]
    place: list[str] = (
        list(chance.choice(PAGES)) if chance.random() < 0.7 else [chance.choice(DIALOGS)]
    )
    return {
        "place": place,
        "steps": steps,
        "first": _hostile(chance) if chance.random() < 0.3 else "the thing, é 12 aaaa",
    }


def make_mimes(chance: Random) -> Case:
    """Returns data of odd kinds that is pasted and dropped, and where."""
    return {
        "place": list(chance.choice(PAGES)),
        "steps": [
            {
                "urls": [chance.choice(URLS) for _ in range(chance.choice([0, 0, 1, 1, 3, 2000]))],
                "formats": {
                    format: chance.choice(
                        [
                            b"",
                            b"\xff\xfe\x00",
                            b"\xed\xa0\x80 half",
                            "\ud800\udfff".encode("utf-16", "surrogatepass"),
                            b"<div>" * 5000,
                            b"a\x00b" * 1000,
                            chance.randbytes(200),
                        ]
                    )
                    for format in chance.sample(FORMATS, chance.randrange(3))
                },
                "text": _hostile(chance) if chance.random() < 0.5 else None,
                "image": chance.random() < 0.1,
                "target": chance.randrange(1 << 16),
                "way": chance.choice(["paste", "drop", "enter"]),
            }
            for _ in range(chance.randrange(1, 4))
        ],
    }


FORMATS = [
    *("text/plain", "text/html", "text/uri-list", "text/plain;charset=utf-16", "image/png"),
    *("application/x-color", "application/x-qabstractitemmodeldatalist", "x", ""),
]


# The window.


class Watch:
    """Hears of all that goes wrong while a window is open: uncaught errors, faults that became sentences, Qt's warnings."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self.said: list[str] = []

    def uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Takes an error that no code caught."""
        self.errors.append(error)

    def noted(self, note: FaultNote) -> None:
        """Takes a fault that became a sentence."""
        self.said.append(
            f"a fault that became a sentence: {note.kind} in {note.place}\n{note.trace}"
        )

    def message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        """Takes a message of Qt."""
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and OFFSCREEN not in message:
            self.said.append(f"Qt warns: {message}")

    def check(self) -> None:
        """Raises what was heard first."""
        if self.errors:
            raise self.errors[0]
        assert not self.said, self.said[0]


@contextlib.contextmanager
def watched() -> Iterator[Watch]:
    """The block's uncaught errors and Qt's messages are heard; what was heard first is raised at its end."""
    watch = Watch()
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    sys.excepthook = watch.uncaught
    threading.excepthook = lambda what: watch.errors.append(what.exc_value or what.exc_type())
    sys.unraisablehook = lambda what: watch.errors.append(what.exc_value or what.exc_type())
    faults.NOTED.clear()
    faults.LISTENERS.append(watch.noted)
    former = qInstallMessageHandler(watch.message)
    try:
        yield watch
    finally:
        qInstallMessageHandler(former)
        faults.LISTENERS.remove(watch.noted)
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
    watch.check()


@functools.cache
def _app() -> QApplication:
    app = application()
    app.setCursorFlashTime(0)
    app.setQuitOnLastWindowClosed(False)
    return app


@contextlib.contextmanager
def opened(text: str) -> Iterator[MainWindow]:
    """A window with two tokenizers and a text; closed at the end, and nothing of it stays."""
    app = _app()
    for name in ("http_proxy", "https_proxy"):
        os.environ[name] = os.environ[name.upper()] = "http://127.0.0.1:9"
    os.environ |= {"TIKTOKEN_CACHE_DIR": str(Path("none").absolute()), "HF_HUB_OFFLINE": "1"}
    os.environ["TOKENARIUM_DATA"] = str(Path("data").absolute())
    store = Settings(QSettings(str(Path("settings.ini").absolute()), QSettings.Format.IniFormat))
    store.set(settings.TOKENIZERS_ON, ["shipped:tokenarium-8k", "shipped:unigram-8k"])
    store.set(settings.KEEP_TEXTS, False)
    window = make_window(app, store)
    window.resize(1280, 800)
    window.show()
    try:
        settle(window)
        window.session.set_text(text)
        settle(window)
        yield window
    finally:
        _close(window)


def _close(window: MainWindow) -> None:
    for above in QApplication.topLevelWidgets():
        if above is not window and above.isVisible():
            above.close()
    window.closing.ask_no_more()
    window.session.jobs.cancel_all()
    window.close()
    window.deleteLater()
    QGuiApplication.clipboard().clear()
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    gc.collect()


def settle(window: MainWindow, turns: int = TURNS) -> None:
    """Runs the event loop for a while, or until nothing is to be done."""
    quiet = 0
    for _ in range(4 * turns):
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        session = window.session
        busy = session.opening or session.jobs.running() or not window.at_rest
        quiet = 0 if busy else quiet + 1
        if quiet > turns // 4:
            return
        time.sleep(0.002)


def fields_in(root: QWidget) -> list[QWidget]:
    """Returns the fields that are to be seen and take text or a choice, in the order of the tree."""
    found: list[QWidget] = []
    for widget in root.findChildren(QWidget):
        part = isinstance(widget, QLineEdit) and isinstance(
            widget.parent(), (QAbstractSpinBox, QComboBox)
        )
        if not isinstance(widget, FIELDS) or part or not widget.isVisible():
            continue
        if widget.isEnabled() and not getattr(widget, "isReadOnly", bool)():
            found.append(widget)
    return found


def show_place(window: MainWindow, place: list[str], act: Callable[[QWidget], None]) -> None:
    """Shows a page or opens a dialog, and acts on it. A dialog that waits for its end is ended, also one that the act opens."""
    acting: list[QWidget] = []
    acted = over = False

    def do(widget: QWidget) -> None:
        nonlocal acted
        acted = True
        acting.append(widget)
        try:
            act(widget)
        finally:
            acting.clear()

    def meet() -> None:
        if over:
            return
        QTimer.singleShot(MEETING_MS, meet)  # now, since what is done below may open another
        modal = QApplication.activeModalWidget()
        if modal is None or modal in acting:
            return
        if not acted:
            do(modal)
        elif isinstance(modal, QDialog):
            modal.reject()
        else:
            modal.close()

    QTimer.singleShot(MEETING_MS, meet)
    try:
        if len(place) == 2:
            window.show_workspace(place[0])
            if place[1] and isinstance(window.workspace, PagedWorkspace):
                window.workspace.show_page(place[1])
            settle(window)
            do(window)
            return
        action = window.actions_by_id[place[0]]
        if action.menu() is not None:
            return
        action.trigger()
        settle(window)
        if not acted:
            above = [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window]
            do(next((w for w in above if fields_in(w)), window))
        settle(window)
    finally:
        over = True


def line_of(field: QWidget) -> QWidget:
    """Returns what takes the keys of a field."""
    if isinstance(field, QAbstractSpinBox) or (isinstance(field, QComboBox) and field.isEditable()):
        return field.lineEdit() or field
    return field


# What is done.


def run_texts(case: Case) -> str:
    """Does it: no error is uncaught, Qt warns of nothing, and the window goes on in time."""
    _make_things()
    met = [0]
    with watched() as watch, opened(zoo.whole(zoo.parts_of(case["first"]))) as window:

        def act(place: QWidget) -> None:
            for step in case["steps"]:
                if step["switch"] is not None:
                    _switch(place, step["switch"])
                    settle(window)
                met[0] += _fill(place, step)
                settle(window)

        show_place(window, case["place"], act)
        watch.check()
    return "filled" if met[0] else "no field"


def _fill(place: QWidget, step: dict[str, Any]) -> int:
    fields = fields_in(place)
    if not fields:
        return 0
    field = fields[step["field"] % len(fields)]
    text = zoo.whole(zoo.parts_of(step["text"]))
    if isinstance(field, QComboBox) and not field.isEditable():
        field.setCurrentIndex(step["field"] % max(1, field.count()))
        field.activated.emit(field.currentIndex())
        return 1
    if isinstance(field, (QSpinBox, QDoubleSpinBox)) and step["field"] % 3 == 0:
        field.setValue([field.minimum(), field.maximum()][step["field"] % 2])
    line = line_of(field)
    line.setFocus()
    if hasattr(line, "selectAll"):
        line.selectAll()
    if step["way"] == "type" and len(text) <= SHORT:
        for character in text:
            _press(line, character)
    elif step["way"] == "drop":
        _drop(line, _text_data(text), step["way"])
    elif step["way"] == "paste":
        QGuiApplication.clipboard().setText(text)
        line.paste()  # type: ignore[attr-defined]
    elif isinstance(line, QLineEdit):
        line.insert(text)
    elif isinstance(line, (QPlainTextEdit, QTextEdit)):
        line.insertPlainText(text)
    for number in step["keys"]:
        QTest.keyClick(line, KEYS[number])
    return 1


def _press(line: QWidget, character: str) -> None:
    """Sends a key that writes a character; QTest knows keys of Latin letters alone, and ends the process at others."""
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        event = QKeyEvent(kind, Qt.Key.Key_unknown, Qt.KeyboardModifier.NoModifier, character)
        QApplication.sendEvent(line, event)


def _switch(place: QWidget, number: int) -> None:
    """Presses one of the switches, tabs and choices that are to be seen; they show other fields."""
    found = [
        button
        for button in place.findChildren(QAbstractButton)
        if button.isVisible() and button.isEnabled() and button.isCheckable()
    ]
    if found:
        found[number % len(found)].click()


def _make_things() -> None:
    """Puts into the folder of the case what the texts name."""
    os.mkfifo("pipe")
    Path("folder").mkdir()
    os.mkfifo("FIFO")
    Path("FOLDER").mkdir()
    Path("BINARY").write_bytes(bytes(range(256)) * 400)
    Path("TEXT").write_text("the thing\n" * 50)
    Path("DEEP.json").write_text("[" * 50_000)
    Path("EMPTY.model").write_bytes(b"")
    with Path("HUGE").open("wb") as file:
        file.truncate(3 << 30)


def _text_data(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def _drop(target: QWidget, data: QMimeData, way: str) -> None:
    """Moves data over a widget, and lets go of it there where the widget takes it."""
    if isinstance(target, QAbstractScrollArea):
        target = target.viewport()
    middle = QPoint(target.width() // 2, target.height() // 2)
    rest = (
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter = QDragEnterEvent(middle, *rest)
    QApplication.sendEvent(target, enter)
    if way == "drop" and enter.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(middle), *rest))


def run_mimes(case: Case) -> str:
    """Pastes and drops it: no error is uncaught, Qt warns of nothing, and the window goes on in time."""
    _make_things()
    with watched() as watch, opened("the thing, é 12 aaaa") as window:

        def act(place: QWidget) -> None:
            for step in case["steps"]:
                _take(window, step)
                settle(window)

        show_place(window, case["place"], act)
        watch.check()
    return "taken"


def _take(window: MainWindow, step: dict[str, Any]) -> None:
    data = QMimeData()
    if step["text"] is not None:
        data.setText(zoo.whole(zoo.parts_of(step["text"])))
    for format, content in step["formats"].items():
        data.setData(format, QByteArray(content))
    if step["urls"]:
        data.setUrls([_url(url) for url in step["urls"]])
    if step["image"]:
        data.setImageData(QImage(9, 9, QImage.Format.Format_ARGB32))
        data.setColorData(QColor("red"))
    if step["way"] == "paste":
        QGuiApplication.clipboard().setMimeData(data)
        fields = [f for f in fields_in(window) if hasattr(line_of(f), "paste")]
        action = window.actions_by_id["paste_text"]
        if fields and step["target"] % 2:
            line_of(fields[step["target"] % len(fields)]).paste()  # type: ignore[attr-defined]
        elif action.isEnabled():
            action.trigger()
        return
    takers = [
        w for w in [window, *window.findChildren(QWidget)] if w.acceptDrops() and w.isVisible()
    ]
    if not takers:
        raise SuiteError("Nothing in the window takes what is dropped.")
    _drop(takers[step["target"] % len(takers)], data, step["way"])


def _url(text: str) -> QUrl:
    if text.partition(".")[0].isupper():
        return QUrl.fromLocalFile(str(Path(text).absolute()))
    return QUrl(text)


SEEDS = (zoo.make_all,)


def _warning(before: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what does the same, and has Qt warn of something."""

    def warn(*values: Any, **named: Any) -> Any:
        qWarning("planted")
        return before(*values, **named)

    return warn


ATTACKS = [
    Attack(
        "fields-texts",
        make_texts,
        run_texts,
        seconds=30.0,
        planted={
            "A PLANTED FAULT": instead(MainWindow, "_show_text", lambda _: fail_inside),
            "Qt warns: planted": instead(MainWindow, "_show_text", _warning),
        },
    ),
    Attack(
        "fields-mimes",
        make_mimes,
        run_mimes,
        seconds=30.0,
        planted={
            "A PLANTED FAULT": instead(MainWindow, "take_files", lambda _: fail_inside),
            "Qt warns: planted": instead(MainWindow, "take_files", _warning),
            ENDLESS: instead(TextCommands, "take_text", lambda _: never_end),
        },
    ),
]
