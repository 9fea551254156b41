"""The session from one run to the next, as a file, and as a link."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from tokenarium.app.scenes import WRONG, SceneStage
from tokenarium.menus.actions import Action, Section
from tokenarium.models.counted import printable
from tokenarium.models.files import chosen_path, why_not_written
from tokenarium.models.scene import (
    SUFFIX,
    ReadScene,
    Scene,
    SceneError,
    SceneText,
    is_link,
    named_files,
    read_link,
    scene_link,
    without_files,
)
from tokenarium.models.scene_store import RecentEntry, SceneStore
from tokenarium.models.scene_texts import (
    MOST_INLINE,
    is_read_at_once,
    read_scene_file,
    write_session,
)
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.typed_texts import TypedFile, TypedText, head_of, joined, not_in
from tokenarium.session import kept_session, settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.views.kept import Kept
from tokenarium.views.workspace import soon
from tokenarium.widgets.file_dialogs import ask_file, ask_new_file
from tokenarium.work.running import Processes
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from tokenarium.app.typed_fields import TypedFields
    from tokenarium.menus.command_palette import Command

KEEP_MS = 1_500
"""How often the session is checked for changes to keep."""

TYPED_MS = 600
"""Milliseconds after a keystroke at which typed text is written."""

RESCUE_S = 10
"""Seconds that a session may take to be written after a fault."""

NOT_KEPT = (
    "What you see is not kept for the next start. {} Free some space there; Tokenarium then tries again. Until then, save"
    " your work elsewhere: File › Save session."
)

NOT_RECENT = "File › Recent does not list what was open before. {}"

LESSON = "lesson"
"""What is open above the page and is kept for the next run."""

KIND = f"Session (*{SUFFIX})"
MOST_LISTED = 8
"""The most files that a question lists."""

TITLE = 60
"""Characters of a text that name it."""


class SceneCommands(QObject):
    """Saves and opens sessions, and keeps the current one complete as the user works."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        kept: SceneStore,
        stage: SceneStage,
        fields: TypedFields,
        own: Callable[[], Iterable[Kept]],
        paused: Callable[[], bool],
        window: QWidget,
    ) -> None:
        """``fields`` are those in which the user types.

        ``own`` returns what is kept for the next run, but not in sessions that are passed on; ``paused``, whether something
        that is not the user's is shown for a while, such as a lesson.
        """
        super().__init__(window)
        self._session = session
        self._settings = store
        self._store = kept
        self._stage = stage
        self._window = window
        self._writer = ThreadPoolExecutor(1, "session")
        self._writing: Future[None] | None = None
        self._drafting: dict[str, tuple[str | None, Future[None]]] = {}  # by the name of the file
        self._says_why = False  # the message that the session is not kept
        self._not_kept = ""  # its sentence
        self._left_out = ""  # what was said about settings that are too large
        self._says_recent = False  # the message that recent texts are not kept
        self._last: tuple[Scene | None, TextMap, TypedFile] | None = None
        self._named = ("", "")  # the title and the file of the user's text, which a lesson replaces
        self.fields, self.own, self.paused = fields, own, paused
        self._typed_before = False  # in an earlier run that this one continues
        self.left: tuple[TypedText, ...] = ()
        """What was typed in earlier runs and could not be restored, the last first."""
        self.left_told = False
        """Whether the user was told of that."""
        self._stopped = False
        self._running = Processes(self)
        self._former: TextMap | None = None  # the one before
        self._own: TextMap | None = None  # the current text, if the user wrote it
        self._timer = QTimer(self, interval=KEEP_MS)
        self._timer.timeout.connect(self._keep_all)
        self._typed_soon = soon(self, self._keep_all, TYPED_MS)
        self._restores = False
        self._entered: object = None  # the sets and prices that were written last
        stage.shown.connect(kept.was_shown)
        stage.shown.connect(self._note_restored)
        stage.given_up.connect(self._leave_behind)
        session.text_replaced.connect(self._note_replaced)
        session.text_changed.connect(self._note_text)
        session.text_changed.connect(self.keep_soon)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("open_session", "Open sess&ion …", Section.OPEN, "Ctrl+R, W", self.open_session, "Shows what a session file or a link contains: text, tokenizers, page, selection and step", icon="folder-open"),
            Action("save_session", "Save sessio&n …", Section.OPEN, "Ctrl+S", self.save_session, "Writes what the window shows to a file: text, tokenizers, page, selection and step", icon="floppy-disk"),
            Action("copy_link", "Copy &link to this view", Section.COPY, "Ctrl+Shift+L", self.copy_link, "Copies a link that opens this view in another Tokenarium, with its text", self._has_text, icon="link"),
            Action("recent", "&Recent …", Section.OPEN, "Ctrl+R, X", self.show_recent, "Lists recent texts, files and sessions", lambda: bool(self._store.recent()), icon="clock-counter-clockwise"),
        ]
        # fmt: on

    # From one run to the next.

    def restore(self) -> bool:
        """Restores the view of the last run; returns whether there was one."""
        if not (self._keeps() and self._store.claim(again=True)):
            return False
        return self._show_last()

    def _show_last(self) -> bool:
        """Restores the view of the window whose folder this one has; returns whether there was one."""
        self._restores = True
        typed = self._store.typed()
        self._typed_before = typed.typed
        self.left = joined(typed.fields, typed.left)
        own = {one.name: one for one in self.own()}
        for name in own.keys() & typed.own.keys():
            with suppress(*WRONG):
                own[name].show(typed.own[name])
        try:
            found = self._store.last()
        except SceneError as error:
            self._session.problem.emit(str(error))
            return False
        if found is None:
            return False
        # The settings contain the tokenizers that are on, and the colours.
        scene = msgspec.structs.replace(found.scene, tokenizers=None, colours={})
        self.left = not_in(self.left, msgspec.to_builtins(scene), typed.own)
        self.left_told = typed.left_told and set(self.left) <= set(typed.left)
        if scene.front:
            self._session.set_current(scene.front)
        self._stage.show(found._replace(scene=scene))
        self._session.edits.undo_stack.clear()  # nothing was changed
        return True

    def _note_restored(self) -> None:
        self._restores = False

    def _leave_behind(self) -> None:
        """Keeps the last session for later if its text is not used now, and begins another."""
        if self._restores and not self._stopped:
            self._restores = False
            self._store.leave()
            self._store.claim()
            self._last = None

    def begin(self) -> None:
        """Begins to keep the session."""
        self._keep_entered()
        self._timer.start()
        self.fields.typed.connect(self.keep_soon)

    def keep_soon(self) -> None:
        """Keeps the session within two seconds, however long the user types."""
        large = self._session.text_map.byte_count > MOST_INLINE  # writing takes a while
        if self._timer.isActive() and not self._typed_soon.isActive() and not large:
            self._typed_soon.start()

    @property
    def keeps(self) -> bool:
        """Whether anything is kept from one run to the next."""
        return self._keeps()

    def _keeps(self) -> bool:
        return not self._settings.safe and self._settings.get(settings.KEEP_TEXTS)

    def keep(self, now: bool = False) -> None:
        """Writes the session in another thread, if it has changed; ``now``: waits until it is written."""
        if not self._keeps() or self._stopped:
            return
        if self._writing is not None and not now and not self._writing.done():
            self._typed_soon.start()
            return
        self._store.claim()
        last, scene, text_map = self._last, None, self._session.text_map
        if not (self.paused() or self._stage.opens):
            scene = self._stage.make()
            self._named = self._session.title, self._session.file
        elif last is not None:
            scene, text_map = last[0], last[1]
        if scene is not None:  # the lesson comes back after a crash, above the user's own text
            scene = msgspec.structs.replace(scene, above=self._stage.opened(LESSON))
        typed = self._typed()
        self._keep_entered()
        if last is None or last[0] != scene or last[1] is not text_map or last[2] != typed:
            self._last = scene, text_map, typed
            session = self._session
            if scene is not None and (
                last is None
                or last[0] is None
                or (last[0].tokenizers, last[0].display) != (scene.tokenizers, scene.display)
            ):
                kept_session.keep(session, self._settings)  # which the next run begins with
                self._settings.write()
            self._writing = self._writer.submit(
                self._write, scene, text_map.utf8, *self._named, typed
            )
            self._writing.add_done_callback(self._note_failure)
        if now and self._writing is not None:
            with suppress(OSError, TokenariumError):
                self._writing.result()

    def _keep_entered(self) -> None:
        """Writes the settings if other sets or prices were entered, which no scene has."""
        entered = self._session.sets.sets, self._session.figures.price_list
        if entered != self._entered:
            if self._entered is not None:
                kept_session.keep(self._session, self._settings)
                self._settings.write()
            self._entered = entered

    def _write(
        self, scene: Scene | None, utf8: bytes, title: str, file: str, typed: TypedFile
    ) -> None:
        """Writes typed text in another thread, before the rest: a scene without it counts as nothing typed."""
        self._store.keep_typed(typed)
        if scene is not None:
            self._store.keep(scene, utf8, title, file, MOST_INLINE)

    def _typed(self) -> TypedFile:
        """Returns what was typed in this window."""
        own, fields = self._own, self.fields.texts()
        head = head_of(own.text) if own is not None and not self.paused() else ""
        self._typed_before = self._typed_before or bool(fields or head)
        values = {one.name: value for one in self.own() if (value := one.read()) is not None}
        return TypedFile(self._typed_before, head, fields, self.left, self.left_told, values)

    def _is_typed(self, typed: TypedFile) -> bool:
        return bool(typed.head or typed.fields or typed.left)

    def forget_left(self, texts: Iterable[TypedText]) -> None:
        """Forgets some of the texts that could not be restored."""
        gone = set(texts)
        self.left = tuple(one for one in self.left if one not in gone)
        self.keep_soon()

    def change_to(self, folder: Path) -> bool:
        """Continues the session of a window that has ended; the current one is kept as if it had ended."""
        self.keep(now=True)
        if not self._store.change_to(folder):
            return False
        self._last = None
        left = self.left
        self._show_last()
        self.left = joined(self.left, left)
        self.keep_soon()
        return True

    def rescue(self) -> str:
        """Writes the session after a fault, or only the text if the rest cannot be written.

        Returns "saved", "failed", or "off" if nothing is kept from one run to the next.
        """
        if not self._keeps():
            return "off"
        session = self._session
        with suppress(Exception):
            self.keep(now=True)
            if self._writing is None or self._writing.exception(RESCUE_S) is None:
                return "saved"
        self._last = None
        with suppress(Exception):
            self._store.keep(
                Scene(), session.text_map.utf8, session.title, session.file, MOST_INLINE
            )
            return "saved"
        return "failed"

    def why_not_kept(self) -> str:
        """Keeps the session; returns why the user's own text is not kept, or "" if it is or need not be."""
        if not self._keeps() or not self._is_typed(self._typed()):
            return ""
        self.keep(now=True)
        error = self._writing.exception() if self._writing is not None else None
        return why_not_written(error, self._store.folder) if error is not None else ""

    def start_fresh(self) -> Path | None:
        """Shows the text and tokenizers of a first start; returns where the previous session is kept.

        None if it cannot be kept: then nothing changes, and the window says so.
        """
        from tokenarium.resources.samples_index import load_samples

        try:
            aside = self._store.set_aside(self._stage.make(portable=True))
        except (OSError, TokenariumError) as error:
            self._session.problem.emit(str(error))
            return None
        on = settings.TOKENIZERS_ON.default
        welcome = next(sample for sample in load_samples() if sample.id == "welcome")
        with self._session.edits.undo_stack.step("Start fresh"):
            for item in list(self._session.library):
                if item.on != (item.key in on):
                    self._session.edits.turn_on(item.key, item.key in on)
            self._session.set_text(welcome.text(), title="Welcome")
        return aside

    def keep_draft(self, name: str, source: str | None) -> None:
        """Keeps the unsaved text of a lesson, in another thread; None: there is none any more."""
        if not self._stopped and (source is None or self._keeps()):
            self._store.claim()
            self._drafting[name] = (
                source,
                self._writer.submit(self._store.keep_draft, name, source),
            )

    def take_draft(self, path: Path) -> Path:
        """Takes over a draft that another window left; returns its new path."""
        self._store.claim()
        return self._store.take_draft(path)

    @property
    def drafts(self) -> list[Path]:
        """The lessons that were not saved when the program ended, the last one first."""
        return self._store.drafts() if self._keeps() else []

    def _keep_all(self) -> None:
        """Keeps changes, and retries what could not be written; says why it is not kept."""
        written = [] if self._writing is None else [self._writing]
        written += [writing for _, writing in self._drafting.values()]
        if not all(one.done() for one in written):
            self._typed_soon.start()
            return
        for name, (source, writing) in list(self._drafting.items()):
            if writing.exception() is not None:
                self.keep_draft(name, source)
            else:
                del self._drafting[name]
        error = next((found for one in written if (found := one.exception())), None)
        if (error is not None) != self._says_why:
            self._says_why = error is not None
            why = why_not_written(error, self._store.folder) if error is not None else ""
            self._say_not_kept(NOT_KEPT.format(why) if why else "")
        elif self._says_why:
            self.fields.say(self._not_kept)
        if self._store.left_out != self._left_out:
            self._left_out = self._store.left_out
            self._session.problem.emit(self._left_out)
        self.keep()

    def _say_not_kept(self, sentence: str) -> None:
        """Says why nothing is kept, in the window and in the dialog in front; an empty sentence removes the message."""
        self._not_kept = sentence
        self._session.problem.emit(sentence)
        self.fields.say(sentence)

    def _note_failure(self, written: Future[None]) -> None:
        """Tries again later, for instance after a full disk."""
        if written.exception() is not None:
            self._last = None

    def stop(self) -> None:
        """Keeps the current session for the next run."""
        self._timer.stop()
        self.stop_reading()
        self._typed_soon.stop()
        self.keep(now=True)
        if self._keeps():
            self._store.was_shown()
        self._stopped = True
        self.fields.stop()
        self._writer.shutdown()
        self._store.leave()

    def keep_texts(self, keep: bool) -> None:
        """Begins to keep texts, or stops and removes those that were kept."""
        self._settings.set(settings.KEEP_TEXTS, keep)
        if not keep:
            self.clear()

    def clear(self) -> None:
        """Removes the last session, the recent texts and the drafts of lessons from this computer."""
        if self._writing is not None:
            with suppress(OSError, TokenariumError):
                self._writing.result()
        self._store.clear()
        self.left = ()
        self._typed_before = False
        self._last = None if self._keeps() else self._last

    @property
    def kept_bytes(self) -> int:
        """The size of everything that is kept, in bytes."""
        return self._store.size()

    # Recent texts.

    def _note_replaced(self) -> None:
        session, former = self._session, self._former
        if self._keeps():
            if former is not None and former.text.strip():
                self._add_recent(RecentEntry("text", title_of(former.text), text=former.text))
            if session.file:
                self._add_recent(RecentEntry("file", session.title, session.file))

    def _add_recent(self, entry: RecentEntry) -> None:
        """Notes what was open; says once if that cannot be written."""
        try:
            self._store.add_recent(entry)
        except (OSError, TokenariumError) as error:
            if not (self._says_recent or self._says_why):
                self._says_recent = True
                why = why_not_written(error, self._store.folder)
                self._session.problem.emit(NOT_RECENT.format(why))
        else:
            self._says_recent = False

    def _note_text(self) -> None:
        session = self._session
        self._former = self._own
        self._own = None if session.title or session.file else session.text_map

    def show_recent(self) -> None:
        """Shows a menu of what was open before."""
        menu = QMenu(self._window)
        for command in self.recent_commands():
            menu.addAction(command.title).triggered.connect(command.run)
        menu.exec(self._window.mapToGlobal(self._window.rect().center()))
        menu.deleteLater()

    def recent_commands(self) -> list[Command]:
        """Returns a command for each recent text, file and session."""
        from tokenarium.menus.command_palette import Command

        kinds = {"text": "Recent text", "file": "Recent file", "session": "Recent session"}
        return [
            Command(
                entry.title,
                kinds[entry.kind],
                "",
                _opens(self._open_entry, entry),
                icon="clock-counter-clockwise",
            )
            for entry in self._store.recent()
        ]

    def _open_entry(self, entry: RecentEntry) -> None:
        if entry.kind == "text":
            self._session.set_text(entry.text)
        elif entry.kind == "session":
            self.open_path(Path(entry.path))
        else:
            self._stage.show(ReadScene(Scene(text=SceneText(file=entry.path, title=entry.title))))

    # Files and links.

    def save_session(self) -> None:
        """Asks for a name and writes the session."""
        name, _ = ask_new_file(
            "sessions",
            self._window,
            "Save the session",
            f"{self._session.title or 'session'}{SUFFIX}",
            KIND,
        )
        if name:
            self.save_to(chosen_path(name, SUFFIX))

    def save_to(self, path: Path) -> None:
        """Writes the session to a file."""
        try:
            write_session(self._stage.make(portable=True), path)
        except TokenariumError as error:
            self._session.problem.emit(str(error))
            return
        self._note_session(path)
        self._session.requests.tell_saved(path)

    def open_session(self) -> None:
        """Opens the link of the clipboard, or asks for a file."""
        name = ask_file("sessions", self._window, "Open a session", f"{KIND};;All files (*)")
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> None:
        """Shows the session of a file, at once or when a process has read it; says what is wrong with it."""
        self.stop_reading()
        if is_read_at_once(path):
            if self._show(lambda: read_scene_file(path)):
                self._note_session(path)
            return
        from tokenarium.work.session_reading import read_session

        def finished(found: ReadScene) -> None:
            self._show(lambda: found)
            self._note_session(path)

        self._session.problem.emit("")
        self._running.process(read_session, path, take=finished, fail=self._session.problem.emit)

    @property
    def reading(self) -> bool:
        """Whether a large session is being read."""
        return self._running.busy

    def stop_reading(self) -> None:
        """Stops reading a session: another one is opened, or the window closes."""
        self._running.stop()

    def _note_session(self, path: Path) -> None:
        if self._keeps():
            self._add_recent(RecentEntry("session", path.stem, str(path.absolute())))

    def open_link(self, link: str) -> None:
        """Shows the session of a link, or says what is wrong with the link.

        Links come from anywhere: before a file of this computer is opened for one, the user is asked.
        """
        self._show(lambda: read_link(link), asks=True)

    def _ask(self, found: ReadScene, files: list[str]) -> None:
        """Asks whether to open the files that a link names."""
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Open a link")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText("This link names files on this computer. Open them?")
        box.setInformativeText(listed_files(files))
        opened = box.addButton("Open them", QMessageBox.ButtonRole.AcceptRole)
        left_out = box.addButton("Show the rest", QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        rest = found._replace(scene=without_files(found.scene))
        opened.clicked.connect(lambda: self._stage.show(found))
        left_out.clicked.connect(lambda: self._stage.show(rest))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _show(self, read: Callable[[], ReadScene], asks: bool = False) -> bool:
        """Shows a session that was read; returns whether it is one. ``asks``: asks before its files are opened."""
        self._session.problem.emit("")
        try:
            found = read()
        except SceneError as error:
            self._session.problem.emit(str(error))
            return False
        files = named_files(found.scene) if asks else []
        if files:
            self._ask(found, files)
        else:
            self._stage.show(found)
        return True

    def copy_link(self) -> None:
        """Copies a link to the session."""
        try:
            link = scene_link(self._stage.make(portable=True))
        except SceneError as error:
            self._session.problem.emit(str(error))
            return
        QGuiApplication.clipboard().setText(link)

    def _has_text(self) -> bool:
        return self._session.text_map.byte_count > 0


def title_of(text: str) -> str:
    """Returns the first words of a text, as its name."""
    words = " ".join(text[: 4 * TITLE].split())
    return words if len(words) <= TITLE else f"{words[: TITLE - 1].rstrip()}…"


def listed_files(files: list[str]) -> str:
    """Returns the first of the paths, one per line; marks that change the writing direction are written out."""
    lines = [printable(file[:200]) for file in files[:MOST_LISTED]]
    more = len(files) - len(lines)
    return "\n".join([*lines, *([f"and {more:,} more"] if more > 0 else [])])


def takes_link(text: str) -> bool:
    """Returns whether a pasted text is a link to a session."""
    return len(text) < 2_000_000 and is_link(text)


def _opens(run: Callable[[RecentEntry], object], entry: RecentEntry) -> Callable[[], object]:
    return lambda: run(entry)
