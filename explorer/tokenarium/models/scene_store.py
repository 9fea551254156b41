"""What is kept from one run to the next: the last scene with its text, recent texts and files, drafts of lessons."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec
from PySide6.QtCore import QLockFile

from tokenarium.models.files import make_way
from tokenarium.models.run_marks import lock_at
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
from tokenarium_core.plain_files import read_file
from tokenarium_core.whole_files import write_files

MOST_RECENT: Final = 12
"""The most entries of each kind that are kept."""

MOST_RECENT_TEXT: Final = 256 << 10
"""The most characters of a text that is kept among the recent ones."""

MOST_RECENT_FILE: Final = 32 << 20

RecentKind = Literal["text", "file", "session"]


class RecentEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text that the user wrote (``text``), or the path of a text's file or of a session."""

    kind: RecentKind
    title: str
    path: str = ""
    text: str = ""


class SceneStore:
    """A folder with the last scene, the recent texts and the drafts of lessons. Every file is whole, or was not written at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._scene = folder / f"last{SUFFIX}"
        self.aside = self._scene.with_stem("set-aside")
        """The path of a session that was set aside, as it was damaged or not wanted."""
        self._recent = folder / "recent.json"
        self._showing = folder / "showing.txt"
        self._drafts = folder / "drafts"
        self._text: tuple[bytes, str] = (b"", "")  # the last text, and its hash
        self._lock: QLockFile | None = None

    def is_ours(self) -> bool:
        """Whether this window keeps the last scene: of several, the first that asks, until it is closed."""
        if self._lock is not None:
            return True
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
        lock = lock_at(self.folder / "window.lock")
        if not lock.tryLock(0) and lock.error() == QLockFile.LockError.LockFailedError:
            return False
        self._lock = lock
        return True

    def leave(self) -> None:
        """Lets another window keep the last scene."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def keep(self, scene: Scene, utf8: bytes, title: str, file: str, inline: int) -> None:
        """Writes a scene and its text: into the scene up to ``inline`` bytes, else by its file or one beside the scene.

        WriteError or SceneError if it cannot be written; the last one is then unchanged.
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
        try:
            content = scene_bytes(scene)
        except SceneError:  # the settings are too much to be read again; the text is what counts
            scene = msgspec.structs.replace(scene, pages={}, panes={}, display={})
            content = scene_bytes(scene)
        write_texts(self.folder, texts)
        write_files({self._scene: content})
        self._remove_texts("text-*.txt", {*texts, Path(file).name})

    def set_aside(self, scene: Scene) -> None:
        """Writes a scene with its text as the one that was set aside; WriteError or SceneError if it cannot be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_session(scene, self.aside)
        self._remove_texts(f"{self.aside.stem}-*.txt", set())

    def _remove_texts(self, pattern: str, wanted: set[str]) -> None:
        """Removes the texts that neither the scene nor the one that was set aside names."""
        old = [path for path in self.folder.glob(pattern) if path.name not in wanted]
        aside = b""
        if old and os.path.exists(self.aside):
            try:
                aside = file_bytes(self.aside)
            except SceneError:  # it is not known what it names
                return
        for path in old:
            if path.name.encode() not in aside:
                with suppress(OSError):
                    path.unlink()

    def last(self) -> ReadScene | None:
        """Returns the last scene, and notes that it is being shown; None if there is none.

        SceneError if it is damaged, or if the program ended while it was shown: it is then set aside.
        """
        if not os.path.exists(self._scene):
            return None
        aside = self.aside
        if os.path.exists(self._showing):
            self.was_shown()
            with suppress(OSError):
                self._scene.replace(aside)
            raise SceneError(
                "Tokenarium ended unexpectedly while it was showing your last session, so that was not opened again."
                f" It is kept as {aside}."
            )
        try:
            found = read_scene_file(self._scene)
        except SceneError as error:
            with suppress(OSError):
                self._scene.replace(aside)
            raise SceneError(
                f"Your last session is damaged. {error} It is kept as {aside}."
            ) from error
        with suppress(OSError):
            self._showing.write_text("")
        return found

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
        kept = [entry]
        for old in self.recent():
            same = (old.kind, old.path, old.text) == (entry.kind, entry.path, entry.text)
            if not same and sum(one.kind == old.kind for one in kept) < MOST_RECENT:
                kept.append(old)
        data = json.dumps(msgspec.to_builtins(kept)).encode()
        self.folder.mkdir(parents=True, exist_ok=True)
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
        """Returns the drafts of lessons, the last one first."""
        found = []
        with suppress(OSError):  # a folder on the way may be closed
            for path in self._drafts.glob("*.md"):
                with suppress(OSError):
                    found.append((-path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found)]

    def size(self) -> int:
        """Returns the bytes of all that is kept."""
        sizes = 0
        with suppress(OSError):
            sizes = sum(
                path.stat().st_size for path in self.folder.rglob("*") if os.path.isfile(path)
            )
        return sizes

    def clear(self) -> None:
        """Removes everything that is kept."""
        kept = [self._scene, self._recent, self._showing, *self.drafts()]
        with suppress(OSError):
            kept += self.folder.glob("*.t*")
        for path in kept:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _text_name(digest: str) -> str:
    return f"text-{digest[:16]}.txt"
