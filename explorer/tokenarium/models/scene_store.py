"""What is kept from one run to the next: the last scene with its text, recent texts and files, drafts of lessons."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from tokenarium.models.files import make_way
from tokenarium.models.process_lock import ProcessLock, is_held
from tokenarium.models.scene import (
    SUFFIX,
    ReadScene,
    Scene,
    SceneError,
    SceneText,
    file_bytes,
    scene_bytes,
)
from tokenarium.models.scene_texts import (
    read_scene_file,
    sha256,
    texts_apart,
    write_session,
    write_texts,
)
from tokenarium.models.typed_texts import (
    MOST_LEFT,
    UNKNOWN,
    LeftWindow,
    TypedFile,
    read_typed,
    typed_bytes,
)
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import read_file
from tokenarium_core.whole_files import write_files

LOCK: Final = "window.lock"
"""The name of the file that a window holds a lock of, in the folder of its session."""

MOST_RECENT: Final = 12
"""The most entries of each kind that are kept."""

MOST_RECENT_TEXT: Final = 256 << 10
"""The most characters of a text that is kept among the recent ones."""

MOST_RECENT_FILE: Final = 32 << 20

LOCK_TRIES: Final = 20
LOCK_PAUSE_S: Final = 0.005
"""How often, and after how long, it is tried again to be the one window that writes the recent texts."""

BEGINNING_S: Final = 60.0
"""Seconds after which an empty folder is not that of a window that begins."""

ASIDE: Final = f"set-aside*{SUFFIX}"
"""The files of sessions that were set aside."""

OF_WINDOW: Final = (f"last{SUFFIX}", ASIDE, "*.txt", "typed.json", "drafts/*.md")
"""The files of one window, in its folder."""

LEFT_OUT: Final = (
    "The text is kept for the next start, but not the settings of the pages: there is too much in them. Empty their largest"
    " fields."
)

MOST_ASIDE: Final = 20
"""The most sessions of a folder that were set aside and are kept."""

RecentKind = Literal["text", "file", "session"]


class RecentEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text that the user wrote (``text``), or the path of a text's file or of a session."""

    kind: RecentKind
    title: str
    path: str = ""
    text: str = ""


class SceneStore:
    """A folder with the last scene, the recent texts and the drafts of lessons. Every file is whole, or was not written
    at all.
    """

    NAME: Final = f"last{SUFFIX}"
    """The name of the file of a window's session, in its folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        """The folder that all windows share; the session of one of them is in it, those of others in ``windows``."""
        self._recent = folder / "recent.json"
        self._text: tuple[bytes, str] = (b"", "")  # the last text, and its hash
        self._lock: ProcessLock | None = None
        self.left_out = ""
        """A sentence, if a part of the last session was too large to be kept."""
        self._use(folder)

    def _use(self, folder: Path) -> None:
        self.folder = folder
        """The folder of this window's own session."""
        self._scene = folder / self.NAME
        self._showing = folder / "showing.txt"
        self._drafts = folder / "drafts"
        self._typed = folder / "typed.json"

    # Each window has a folder of its own, and a lock in it that ends with its process.

    def claim(self, again: bool = False) -> bool:
        """Takes a folder for this window; does nothing if it has one.

        ``again``: where no other window runs, the folder of the last one that ended, to continue with its session; returns
        whether it is that.
        """
        if self._lock is not None:
            return False
        others = self._folders()
        if again and not any(is_held(folder / LOCK) for folder in others):
            ended = [(_written(folder), folder) for folder in others]
            for when, folder in sorted(ended, reverse=True):
                if when and self._take(folder):
                    return True
        if not _holds(self.home) and self._take(self.home):
            return False
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(4).hex()}"
        self._take(self.home / "windows" / name)
        return False

    def _folders(self) -> list[Path]:
        """Returns the folders of all windows but this one's, of those that run too."""
        folders = [self.home]
        with suppress(OSError):
            folders += (self.home / "windows").iterdir()
        return [folder for folder in folders if self._lock is None or folder != self.folder]

    def _take(self, folder: Path) -> bool:
        lock = ProcessLock(folder / LOCK)
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if lock.take() is False:
            return False
        self._lock = lock  # where nothing can be written, no other window is assumed
        self._use(folder)
        return True

    def leave(self) -> None:
        """Ends this window's hold on its folder, which the next start may continue with."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def change_to(self, folder: Path) -> bool:
        """Leaves the folder of this window for that of one that has ended; returns False if that is not possible."""
        former, own = self._lock, self.folder
        if folder == own or not _holds(folder) or not self._take(folder):
            return False
        if former is not None:
            former.release()
        about = read_typed(own / "typed.json") or UNKNOWN
        if about.typed:
            self._note_offered(own, about)
        return True

    def left(self) -> list[LeftWindow]:
        """Returns the windows that have ended with something that was typed, the last one first.

        Those without are removed, and of many that the user was told of, the oldest.
        """
        windows: list[LeftWindow] = []
        for folder in self._folders():
            if not _holds(folder) or is_held(folder / LOCK):
                if folder != self.home:
                    _remove_empty(folder, BEGINNING_S)
                continue
            about = read_typed(folder / "typed.json")
            has_scene = os.path.exists(folder / self.NAME)
            if about is None:
                about = UNKNOWN if has_scene else TypedFile()
            window = LeftWindow(folder, _written(folder), about, has_scene)
            if window.file.typed or list(folder.glob("drafts/*.md")):
                windows.append(window)
            elif not _asides(folder):
                self.forget(folder)
        windows.sort(key=lambda one: -one.when)
        for old in windows[MOST_LEFT:]:
            if old.file.offered:
                self.forget(old.folder)
        return windows[:MOST_LEFT] + [old for old in windows[MOST_LEFT:] if not old.file.offered]

    def note_offered(self, windows: list[LeftWindow]) -> None:
        """Notes that the user was told of these windows: later starts do not tell again."""
        for window in windows:
            self._note_offered(window.folder, window.file)

    def _note_offered(self, folder: Path, about: TypedFile) -> None:
        with suppress(OSError, TokenariumError):
            updated = msgspec.structs.replace(about, offered=True)
            write_files({folder / "typed.json": typed_bytes(updated)})

    def forget(self, folder: Path, all_of_it: bool = False) -> None:
        """Removes what is kept of a window that has ended; nothing of one that runs.

        The sessions that were set aside stay, which are listed by themselves, but for ``all_of_it``.
        """
        if folder == self.folder and self._lock is not None:
            return
        lock = ProcessLock(folder / LOCK)
        if lock.take() is False:
            return
        if _asides(folder) and not all_of_it:
            _remove_texts(folder, "*.txt", set())
            stays = {ASIDE, "*.txt"}
        else:
            stays = set()
        for pattern in OF_WINDOW:
            for path in folder.glob(pattern) if pattern not in stays else ():
                with suppress(OSError):
                    path.unlink()
        lock.release()
        if folder != self.home:
            _remove_empty(folder)

    # What is kept of this window.

    def keep_typed(self, file: TypedFile) -> None:
        """Writes what was typed in this window. OSError or WriteError if it cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_files({self._typed: typed_bytes(file)})

    def typed(self) -> TypedFile:
        """Returns what was typed in the window whose folder this is."""
        return read_typed(self._typed) or (UNKNOWN if os.path.exists(self._scene) else TypedFile())

    def keep(self, scene: Scene, utf8: bytes, title: str, file: str, inline: int) -> None:
        """Writes a scene and its text: into the scene up to ``inline`` bytes, else by its file or one beside the scene.

        `left_out` then says what is too large to be kept. WriteError or SceneError if it cannot be written; the last one
        is then unchanged.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        scene, texts = texts_apart(scene, _text_name)
        if len(utf8) <= inline:
            text = SceneText(utf8.decode("utf-8", "surrogatepass"), title=title)
        else:
            if self._text[0] is not utf8:
                self._text = utf8, sha256(utf8)
            digest = self._text[1]
            own = "" if file else _text_name(digest)
            if own:
                texts[own] = utf8
            text = SceneText(file=file, beside=own, sha256=digest, title=title)
        scene = msgspec.structs.replace(scene, text=text)
        left_out = ""
        try:
            content = scene_bytes(scene)
        except SceneError:  # the settings are too much to be read again; the text is what counts
            scene = msgspec.structs.replace(scene, pages={}, panes={}, display={})
            content = scene_bytes(scene)
            left_out = LEFT_OUT
        write_texts(self.folder, texts)
        write_files({self._scene: content})
        self.left_out = left_out
        _remove_texts(self.folder, "text-*.txt", {*texts, Path(file).name})

    def set_aside(self, scene: Scene) -> Path:
        """Writes a scene with its text as one that was set aside, and returns its path.

        WriteError or SceneError if it cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._free_aside()
        write_session(scene, path)
        _remove_texts(self.folder, "set-aside*.txt", set())
        return path

    def asides(self) -> list[tuple[Path, float]]:
        """Returns the sessions that were set aside, because they were damaged or not wanted, and when each was written,
        the last first.

        Those of windows that run are theirs.
        """
        sessions = _asides(self.folder)
        for folder in self._folders():
            if folder != self.folder and not is_held(folder / LOCK):
                sessions += _asides(folder)
        return sorted(((path, _changed(path)) for path in sessions), key=lambda one: -one[1])

    def forget_aside(self, path: Path) -> None:
        """Removes a session that was set aside, and the text that was written with it."""
        with suppress(OSError):
            path.unlink(missing_ok=True)
        _remove_texts(path.parent, "set-aside*.txt", set())

    def _free_aside(self) -> Path:
        """Returns the path of the next session that is set aside; of many, that of the oldest."""
        paths = [self._scene.with_stem("set-aside")]
        paths += [self._scene.with_stem(f"set-aside-{n}") for n in range(2, MOST_ASIDE + 1)]
        free = (path for path in paths if not os.path.lexists(path))
        return next(free, None) or min(paths, key=_changed)

    def last(self) -> ReadScene | None:
        """Returns the last scene, and notes that it is being shown; None if there is none.

        SceneError if it is damaged, or if the program ended while it was shown: it is then set aside.
        """
        if not os.path.exists(self._scene):
            return None
        aside = self._free_aside()
        if os.path.exists(self._showing):
            self.was_shown()
            with suppress(OSError):
                self._scene.replace(aside)
            raise SceneError(
                "Tokenarium ended unexpectedly while it was showing your last session, so that was not opened again."
                f" File › Kept texts has it; it is kept as {aside}."
            )
        try:
            scene = read_scene_file(self._scene)
        except SceneError as error:
            with suppress(OSError):
                self._scene.replace(aside)
            raise SceneError(
                f"Your last session is damaged. {error} File › Kept texts has it; it is kept as {aside}."
            ) from error
        with suppress(OSError):
            self._showing.write_text("")
        return scene

    def was_shown(self) -> None:
        """Notes that the last scene was shown without harm."""
        with suppress(OSError):
            self._showing.unlink(missing_ok=True)

    def recent(self) -> list[RecentEntry]:
        """Returns the recent texts, files and sessions, the last one first; none from a damaged file."""
        try:
            data = read_file(self._recent, MOST_RECENT_FILE)
            return msgspec.json.decode(data, type=list[RecentEntry])
        except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
            return []

    def add_recent(self, entry: RecentEntry) -> None:
        """Puts an entry first; of each kind some are kept. OSError or WriteError if it cannot be written."""
        if len(entry.text) > MOST_RECENT_TEXT:
            return
        self.home.mkdir(parents=True, exist_ok=True)
        lock = ProcessLock(self._recent.with_suffix(".lock"))  # two windows may add at once
        tries = 0
        while lock.take() is False and tries < LOCK_TRIES:
            tries += 1
            time.sleep(LOCK_PAUSE_S)
        try:
            self._add_recent(entry)
        finally:
            lock.release()

    def _add_recent(self, entry: RecentEntry) -> None:
        entries = [entry]
        for old in self.recent():
            same = (old.kind, old.path, old.text) == (entry.kind, entry.path, entry.text)
            if not same and sum(recent.kind == old.kind for recent in entries) < MOST_RECENT:
                entries.append(old)
        data = json.dumps(msgspec.to_builtins(entries)).encode()
        self.home.mkdir(parents=True, exist_ok=True)
        make_way(self._recent, MOST_RECENT_FILE)
        write_files({self._recent: data})

    def keep_draft(self, name: str, source: str | None) -> None:
        """Writes what is not saved yet of a lesson, by the name of its file; None removes it.

        WriteError if it cannot be written; the last draft is then unchanged.
        """
        path = self._drafts / name
        if source is None:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return
        self._drafts.mkdir(parents=True, exist_ok=True)
        write_files({path: source.encode("utf-8", "replace")})

    def drafts(self) -> list[Path]:
        """Returns the drafts of lessons, of this window and of those that have ended, the last one first."""
        drafts = []
        folders = [self.folder, *self._folders()]
        for folder in dict.fromkeys(folders):
            if folder != self.folder and is_held(folder / LOCK):
                continue
            with suppress(OSError):  # a folder on the way may be closed
                for path in (folder / "drafts").glob("*.md"):
                    with suppress(OSError):
                        drafts.append((-path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(drafts)]

    def take_draft(self, path: Path) -> Path:
        """Makes a draft of a window that has ended one of this window; returns its path now."""
        own = self._drafts / path.name
        if path != own:
            with suppress(OSError):
                self._drafts.mkdir(parents=True, exist_ok=True)
                os.replace(path, own)
                return own
        return path

    def size(self) -> int:
        """Returns the bytes of all that is kept."""
        sizes = 0
        with suppress(OSError):
            sizes = sum(
                path.stat().st_size for path in self.home.rglob("*") if os.path.isfile(path)
            )
        return sizes

    def clear(self) -> None:
        """Removes everything that is kept, but for what other windows that run keep."""
        with suppress(OSError):
            self._recent.unlink(missing_ok=True)
        for folder in self._folders():
            self.forget(folder, all_of_it=True)
        for pattern in OF_WINDOW:
            with suppress(OSError):
                for path in self.folder.glob(pattern):
                    path.unlink(missing_ok=True)


def _holds(folder: Path) -> bool:
    """Whether there is anything of a window in a folder."""
    with suppress(OSError):
        return any(next(folder.glob(pattern), None) is not None for pattern in OF_WINDOW)
    return False


def _asides(folder: Path) -> list[Path]:
    """Returns the sessions in a folder that were set aside."""
    try:
        return [path for path in folder.glob(ASIDE) if os.path.isfile(path)]
    except OSError:
        return []


def _remove_texts(folder: Path, pattern: str, wanted: set[str]) -> None:
    """Removes the texts of a folder that are not wanted, and that no session that was set aside names."""
    old = [path for path in folder.glob(pattern) if path.name not in wanted]
    try:
        aside = b"".join(file_bytes(path) for path in _asides(folder)) if old else b""
    except SceneError:  # it is not known what one names
        return
    for path in old:
        if path.name.encode() not in aside:
            with suppress(OSError):
                path.unlink()


def _changed(path: Path) -> float:
    """Returns when a file was written, in seconds since 1970; 0 if it is gone."""
    with suppress(OSError):
        return os.stat(path).st_mtime
    return 0.0


def _written(folder: Path) -> float:
    """Returns when something was last written of a window that has a session to continue with; 0 if it has none."""
    with suppress(OSError):
        when = os.stat(folder / SceneStore.NAME).st_mtime
        with suppress(OSError):
            when = max(when, os.stat(folder / "typed.json").st_mtime)
        return when
    return 0.0


def _remove_empty(folder: Path, since_s: float = 0) -> None:
    """Removes the folder of a window if nothing is in it, for so many seconds."""
    with suppress(OSError):
        if time.time() - os.stat(folder).st_mtime < since_s or is_held(folder / LOCK):
            return
        with suppress(OSError):
            (folder / LOCK).unlink()
        for inner in (folder / "drafts", folder):
            with suppress(OSError):
                inner.rmdir()


def _text_name(digest: str) -> str:
    return f"text-{digest[:16]}.txt"
