"""The start: what ended the last session is off, and no saved state prevents the start."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from narrowed import assert_contains, there
from PySide6.QtCore import QByteArray, QLockFile, QPoint, QRect, QSettings, QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from small_files import new_folder, saved, write_file
from typer.testing import CliRunner
from windows import off_screen

import tokenarium_core as tc
from tokenarium.app import start
from tokenarium.app.start import fit_on_screen, fit_when_framed, make_window
from tokenarium.app.window import MainWindow
from tokenarium.commands import cli
from tokenarium.models import files
from tokenarium.models.files import cache_folder, sweep, sweep_all, trials_folder
from tokenarium.models.tokenizers.trials import Trials
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium_core.whole_files import PART_NAME

SHIPPED = "shipped:tokenarium-8k"
SOURCES = str(Path(files.__file__).parents[2])
needs_unix = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such signals or rights"
)


def open_window(app: QApplication, store: Settings, qtbot: QtBot) -> MainWindow:
    window = off_screen(qtbot, make_window(app, store))
    window.session.set_text("some text")
    window.show()
    qtbot.waitUntil(lambda: not window.session.opening and not window.session.jobs.running())
    return window


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([SOURCES, *sys.path])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


TRY_AND_DIE = (
    "import os, signal; from tokenarium.models.tokenizers.trials import Trials;"
    " from tokenarium.models.files import trials_folder; trials = Trials(trials_folder());"
    " trials.begin({one!r}); trials.begin({two!r}); trials.end({two!r}); os.kill(os.getpid(), signal.SIGKILL)"
)


@needs_unix
def test_what_ended_the_last_start_is_off(
    qapp: QApplication, store: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    keys = []
    for name in ("one", "two"):
        tc.train("bpe", ["abc"], vocab_size=257).save(tmp_path / f"{name}.json")
        keys.append(f"file:{tmp_path / name}.json")
    store.set(settings.TOKENIZER_FILES, [key.removeprefix("file:") for key in keys])
    store.set(settings.TOKENIZERS_ON, [SHIPPED, *keys])
    died = run_python(TRY_AND_DIE.format(one=keys[0], two=keys[1]))
    assert died.returncode == -signal.SIGKILL, died.stderr
    window = open_window(qapp, store, qtbot)
    assert "ended unexpectedly while one was being opened" in window.notice
    item = there(window.session.library.item(keys[0]))
    assert "Turn it on to try again" in item.note
    assert {one.key for one in window.session.library if one.on} == {SHIPPED, keys[1]}
    assert store.get(settings.TOKENIZERS_ON) == [SHIPPED, keys[1]]  # before anything else happens
    window.close()
    window = open_window(qapp, store, qtbot)
    assert window.notice == ""
    item = there(window.session.library.item(keys[0]))
    assert not item.on
    window.session.edits.turn_on(keys[0], True)
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    assert item.note == ""
    window.close()
    assert list(trials_folder().iterdir()) == []


def test_a_small_file_that_grows_is_no_obstacle_at_the_next_start(
    qapp: QApplication, store: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    """It stays on: ten steps that each make ten of a character do not fill the memory, and the others get the text."""
    grow = {"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 10}
    path = tmp_path / "tokenizer.json"
    model = {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "some": 1}}
    normalizer = {"type": "Sequence", "normalizers": [grow] * 10}
    file = {"version": "1.0", "added_tokens": [], "normalizer": normalizer, "model": model}
    path.write_text(json.dumps(file))
    key = f"file:{path}"
    store.set(settings.TOKENIZER_FILES, [str(path)])
    store.set(settings.TOKENIZERS_ON, [SHIPPED, key])
    for _ in range(2):
        window = open_window(qapp, store, qtbot)
        session = window.session
        assert window.notice == ""
        assert {item.key for item in session.chosen()} == {SHIPPED, key}
        grown, shipped = there(session.encoded(key)), there(session.encoded(SHIPPED))
        assert "would make more than" in str(grown.error)
        assert not shipped.error
        window.close()


def test_a_tokenizer_is_noted_until_it_has_the_text(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.set_text("some text")
    path = saved(tc.train("bpe", ["abc"], vocab_size=257), tmp_path / "one.json")
    notes: list[str] = []
    open_tokenizer = tc.open

    def look(*arguments: object, **options: object) -> tc.Tokenizer:
        notes.extend(note.read_text() for note in trials_folder().glob("*.txt"))
        return open_tokenizer(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(tc, "open", look)
    item = window.session.edits.add_file(path)
    qtbot.waitUntil(lambda: item.tokenizer is not None and not window.session.jobs.running())
    assert notes == [f"file:{path}\n"]
    assert [note.read_text() for note in trials_folder().glob("*.txt")] == [""]
    assert Trials(trials_folder()).left() == {}  # the window lives


@needs_unix
def test_a_window_that_lives_is_not_blamed(tmp_path: Path) -> None:
    mine, other = Trials(tmp_path), Trials(tmp_path)
    mine.begin("a")
    assert other.left() == {}
    assert mine.left() == {}
    mine.close()
    blocked = write_file(tmp_path / "file", "")
    unwritten = Trials(blocked / "folder")
    unwritten.begin("a")
    assert unwritten.left() == {}
    unwritten.close()


def test_a_safe_start_keeps_nothing(
    qapp: QApplication, store: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    store.set(settings.TOKENIZER_FILES, [str(tmp_path / "gone.json")])
    store.set(settings.TOKENIZERS_ON, [f"file:{tmp_path / 'gone.json'}"])
    store.set(settings.WORKSPACE, "vocabulary")
    store.write()
    before = (tmp_path / "settings.ini").read_bytes()
    safe = Settings(
        QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat), safe=True
    )
    window = open_window(qapp, safe, qtbot)
    assert [item.key for item in window.session.library if item.on] == [SHIPPED]
    assert window.workspace.name.id == "tokens"
    assert "safe start" in window.notice
    window.show_workspace("bytes")
    window.close()
    assert safe.get(settings.WORKSPACE) == "bytes"
    assert (tmp_path / "settings.ini").read_bytes() == before


def write_nothing(path: Path) -> None:
    path.write_bytes(b"")


def write_noise(path: Path) -> None:
    path.write_bytes(bytes((n * 7919 + n // 13) % 256 for n in range(3000)))


def write_wrong_types(path: Path) -> None:
    kept = QSettings(str(path), QSettings.Format.IniFormat)
    odd = [
        7,
        2.5,
        True,
        "",
        "\0",
        "x" * 100_000,
        [],
        ["\0", "/x\ny\nz"],
        QByteArray(b"\xff" * 99),
        {"a": 1},
    ]
    declared = [one for one in vars(settings).values() if isinstance(one, settings.Setting)]
    for number, setting in enumerate(declared):
        kept.setValue(setting.key, odd[number % len(odd)])
    kept.sync()


def write_wrong_lists(path: Path) -> None:
    kept = QSettings(str(path), QSettings.Format.IniFormat)
    for setting in vars(settings).values():
        if isinstance(setting, settings.Setting):
            kept.setValue(
                setting.key, ["\0", "../../..", "x\ny\nz", "file:/\0", "named:none", "trained:x"]
            )
    kept.sync()


def write_objects(path: Path) -> None:
    path.write_text(
        "[window]\ngeometry=@Variant(\\0\\0\\0\\x7f\\0zz)\n[library]\non=@DateTime(x)\nfiles=@Rect(1 2)\n"
    )


def make_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.qt_log_ignore("QVariant::load: unknown user type")
@pytest.mark.parametrize(
    "damage",
    [write_nothing, write_noise, write_wrong_types, write_wrong_lists, write_objects, make_folder],
)
def test_damaged_settings_do_not_matter(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "damaged.ini"
    damage(path)
    before = path.read_bytes() if damage is write_noise else b""
    store = Settings(QSettings(str(path), QSettings.Format.IniFormat))
    window = open_window(qapp, store, qtbot)
    assert window.isVisible()
    window.close()
    if damage is write_noise:
        assert path.with_name("damaged.ini.damaged").read_bytes() == before


def test_what_a_killed_program_locked_is_removed(qapp: QApplication, tmp_path: Path) -> None:
    """Qt leaves this file where it is killed as it removes the lock of a program that was killed before; one that is held stays."""
    path = tmp_path / "settings.ini"
    left = write_file(tmp_path / "settings.ini.lock.rmlock", "999999999\npython\nhost\n")
    Settings(QSettings(str(path), QSettings.Format.IniFormat))
    assert not left.exists()
    lock = QLockFile(str(left))
    assert lock.tryLock(0)
    Settings(QSettings(str(path), QSettings.Format.IniFormat))
    assert left.exists()


def test_parts_of_settings_that_a_killed_program_wrote_are_removed(tmp_path: Path) -> None:
    """Once they are a day old: another window may be writing one. What a person may have named so stays."""
    path = tmp_path / "settings.ini"
    parts = ["settings.ini.itGHzd", "settings.ini.MlptaQ", "settings.ini.aaaaaZ"]
    others = ["settings.ini.backup", "settings.ini.Backup", "settings.ini.BACKUP", "settings.ini"]
    others += ["settings.ini.damaged", "else.ini.itGHzd", "settings.ini.itGHzd1"]
    for name in [*parts, *others]:
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (1e9, 1e9))
    new = write_file(tmp_path / "settings.ini.IvFqzN", "")
    Settings(QSettings(str(path), QSettings.Format.IniFormat))
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([*others, new.name])


START = """
import os, sys
words = []
from PySide6.QtCore import QTimer
from tokenarium.app import start as app
make = app.make_window
def make_and_leave(*arguments):
    window = make(*arguments)
    def look():
        if window.session.opening or not window.session.text:
            return
        print([item.key for item in window.session.library if item.on])
        print(window.panes.covered, window.session.text[:20])
        window.close()
        app.application().quit()
    timer = QTimer(window, interval=20)
    timer.timeout.connect(look)
    timer.start()
    return window
app.make_window = make_and_leave
sys.exit(app.run(words))
"""


@pytest.mark.slow
def test_it_starts_with_no_home_and_no_folders(tmp_path: Path) -> None:
    blocked = write_file(tmp_path / "file", "")
    nowhere = str(blocked / "folder")
    started = run_python(
        START,
        HOME=nowhere,
        XDG_CONFIG_HOME=nowhere,
        XDG_CACHE_HOME=nowhere,
        XDG_DATA_HOME=nowhere,
        TOKENARIUM_DATA=nowhere,
        TIKTOKEN_CACHE_DIR=nowhere,
    )
    assert (started.returncode, started.stdout) == (
        0,
        f"{settings.TOKENIZERS_ON.default}\nTrue Welcome! Every patch\n",
    ), started.stderr


@pytest.mark.slow
def test_a_start_with_a_file_is_restored_at_the_next_and_not_covered(tmp_path: Path) -> None:
    path = write_file(tmp_path / "mine.txt", "a text of mine")
    for name in ("home", "config"):
        (tmp_path / name).mkdir()
    for words in ([str(path)], []):
        started = run_python(
            START.replace("words = []", f"words = {words}"),
            HOME=str(tmp_path / "home"),
            XDG_CONFIG_HOME=str(tmp_path / "config"),
            TOKENARIUM_DATA=str(tmp_path / "home"),
        )
        assert started.stdout.endswith("\nFalse a text of mine\n"), started.stderr


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    def find_none(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    for name in ("TOKENARIUM_DATA", "TOKENARIUM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(platformdirs, "user_data_path", find_none)
    monkeypatch.setattr(Path, "home", find_none)
    folders = (cache_folder(), files.lost_folder(), trials_folder(), files.store_folder())
    for folder in (*folders, files.data_folder()):
        assert folder.is_absolute()


def test_only_what_is_ours_and_old_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TOKENARIUM_DATA", "TIKTOKEN_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    part, fetched = ".a file.json.0123456789abcdef.part", f"{'0a' * 20}.ab12cd_9.tmp"
    fetched_too = ["gemma.model.ab12cd34.tmp", "gemma.model.part", f"{'0a' * 20}.part"]
    handed = ["tokenarium-ab12cd34.txt", "tokenarium-ab12cd34.request", "tokenarium-ab12cd34"]
    theirs = ["a.part", ".part", "x.document.tmp", "x.json", ".a.0123.part", "tokenarium-notes.txt"]
    everything = [part, fetched, *fetched_too, *handed, *theirs]
    places = ["TOKENARIUM_DATA", "TIKTOKEN_CACHE_DIR", "TOKENARIUM_DATA/trained/files/ab"]
    for place in [*places, "temporary", "theirs", "new"]:
        folder = tmp_path / place
        folder.mkdir(parents=True, exist_ok=True)
        for name in everything:
            (folder / name).write_text("")
        (folder / ".model.0123456789abcdef.part").mkdir()
        (folder / ".model.0123456789abcdef.part" / "a").write_text("")
    yesterday = time.time() - 25 * 60 * 60
    for path in tmp_path.rglob("*"):
        if "new" not in path.parts:
            os.utime(path, (yesterday, yesterday))
    sweep_all()
    for place in ("theirs", "new", "absent"):
        sweep(tmp_path / place, PART_NAME)

    def gone(place: str) -> set[str]:
        return set(everything) - {path.name for path in (tmp_path / place).iterdir()}

    assert [gone(place) for place in places[:2]] == [{part, fetched, *fetched_too}] * 2
    assert gone(places[2]) == {part}
    assert gone("temporary") == set(handed)
    assert gone("theirs") == {part}
    assert gone("new") == set()
    assert not (tmp_path / "theirs" / ".model.0123456789abcdef.part").exists()
    assert (tmp_path / "new" / ".model.0123456789abcdef.part").exists()


def test_safe_is_an_option_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], bool, bool]] = []

    def open_window(words: list[str], safe: bool, new_window: bool) -> int:
        asked.append((words, safe, new_window))
        return 0

    monkeypatch.setattr("tokenarium.app.opening.open_window", open_window)
    for arguments in (["--safe"], ["x.txt", "--safe"], ["x.txt"], ["--new-window", "x.txt"]):
        assert CliRunner().invoke(cli.app, arguments).exit_code == 0
    x = ["x.txt"]
    assert asked == [([], True, False), (x, True, False), (x, False, False), (x, False, True)]


@pytest.mark.slow
def test_the_start_does_not_read_the_glossary() -> None:
    """Its tips are worked out when they are shown."""
    code = (
        "from PySide6.QtCore import QDeadlineTimer; from tokenarium.app.start import application, make_window;"
        " from tokenarium.session.settings import Settings; from tokenarium.resources.glossary import load_glossary;"
        " app = application(); window = make_window(app, Settings(safe=True)); window.session.set_text('some text');"
        " window.show(); deadline = QDeadlineTimer(60_000)\n"
        "while not deadline.hasExpired() and (window.session.opening or window.session.jobs.running()):\n"
        "    app.processEvents()\n"
        "print(load_glossary.cache_info().currsize)"
    )
    run = run_python(code)
    assert run.stdout.split() == ["0"], run.stderr


# Where the folders of the user are closed.

CLOSED = """
import ctypes, os, sys, traceback
from pathlib import Path
if os.geteuid() == 0:  # who may read all, and has to do without that
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None)
    libc.capget(head, sets)
    sets[0] &= ~0b110
    assert libc.capset(head, sets) == 0
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMenu
from tokenarium.app import start
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.models.faults import NOTED

closed = Path({closed!r})
made = start.make_window

def make(app, store):
    window = made(app, store)

    def use():
        window.session.set_text("my text")
        for menu in window.menuBar().findChildren(QMenu):
            menu.aboutToShow.emit()
        for kind in WORKSPACES:
            window.show_workspace(kind.name.id)
            app.processEvents()
        window.take_files([closed / "a.txt", closed / "folder"])
        window.take_files([closed])
        window.session.set_text("another text")
        window.troubles.show_log()
        app.processEvents()
        print("said:", window.messages.label.text())
        window.close()
        if window.closing.box is not None:
            print("asked:", window.closing.box.informativeText())
            window.closing.ask_no_more()

    def use_or_end():
        try:
            use()
        except BaseException:
            traceback.print_exc()
            os._exit(3)

    QTimer.singleShot(600, use_or_end)
    return window

start.make_window = make
code = start.run({words!r})
print("faults:", dict(NOTED))
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere folders close otherwise"
)
@pytest.mark.parametrize("word", ["", "text.txt"])
def test_closed_folders_end_nothing(tmp_path: Path, word: str) -> None:
    """Start, menus, pages, a drop and the end of a window whose user may not enter any folder of the user's."""
    closed = new_folder(tmp_path / "closed")
    (closed / "folder").mkdir()
    names = [
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "TIKTOKEN_CACHE_DIR",
        "HF_HOME",
        "TOKENARIUM_DATA",
    ]
    environment = {
        **os.environ,
        **{name: str(closed / name.lower()) for name in names},
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "QT_QPA_PLATFORM": "offscreen",
    }
    program = CLOSED.format(
        closed=str(closed),
        words=[str(closed / word)] if word else [],
    )
    closed.chmod(0)
    try:
        found = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
    finally:
        closed.chmod(0o700)
    assert found.returncode == 0, found.stderr
    assert "Traceback" not in found.stderr, found.stderr
    assert_contains(found.stdout, "faults: {}", "asked:", "Permission denied")


class _Framed(QWidget):
    """A window with a frame, as window managers give it: offscreen none has one."""

    def frameGeometry(self) -> QRect:
        return self.geometry().adjusted(-1, -22, 1, 5)

    def move(self, x: int, y: int) -> None:  # type: ignore[override]
        self.setGeometry(QRect(QPoint(x + 1, y + 22), self.size()))


@pytest.mark.parametrize("shown", [False, True])
def test_a_window_is_on_its_screen_with_its_frame(qtbot: QtBot, shown: bool) -> None:
    window = off_screen(qtbot, _Framed())
    room = window.screen().availableGeometry()
    window.setVisible(shown)
    for place in (room.bottomRight() - QPoint(40, 40), room.topLeft() - QPoint(300, 300)):
        window.setGeometry(QRect(place, room.size() * 2))
        fit_on_screen(window)
        fit_on_screen(window)  # changes nothing more
        assert window.frameGeometry().size() == room.size()
        assert not shown or window.frameGeometry() == room
    small = QRect(room.topLeft() + QPoint(50, 60), QSize(200, 100))
    window.setGeometry(small)
    fit_on_screen(window)
    assert window.geometry() == small


class _FramedLate(_Framed):
    """A window that a busy window manager frames only after a while."""

    framed = False

    def frameGeometry(self) -> QRect:
        return super().frameGeometry() if self.framed else self.geometry()


def test_a_window_that_is_framed_late_is_on_its_screen(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "FRAME_MS", 1)
    window = off_screen(qtbot, _FramedLate())
    room = window.screen().availableGeometry()
    window.setGeometry(room)
    window.show()
    fit_when_framed(window)
    assert window.size() == room.size()  # as far as is known
    window.framed = True
    qtbot.waitUntil(lambda: window.frameGeometry() == room)
