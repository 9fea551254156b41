"""Writes lessons in the window: new ones, the view as a step, and the editor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QInputDialog, QWidget

from tokenarium.app.lesson_recording import RECORDED, LessonRecording
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.menus.actions import Action, Section
from tokenarium.models.files import lessons_folder, why_not_written
from tokenarium.models.lessons.lesson import Lesson, LessonError, lesson_of, read_text
from tokenarium.models.lessons.limits import MOST_BYTES
from tokenarium.models.lessons.writing import (
    TEMPLATE_STEP,
    WritingError,
    file_name,
    new_lesson,
    step_of,
)
from tokenarium.models.tokenizers.offers import joined_names
from tokenarium.session.session import Session
from tokenarium.work.answering import LessonProcess, TokenizerSource
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import open_file
from tokenarium_core.whole_files import write_files

if TYPE_CHECKING:  # few starts need them
    from tokenarium.app.lessons import Lessons
    from tokenarium.app.scene_commands import SceneCommands
    from tokenarium.app.scenes import SceneStage
    from tokenarium.widgets.lesson_editor import Finding, LessonEditor

NEW = "A new lesson"
FIRST = "The first step"
MOST_NAMED = 40
"""Bytes of the selection that are named."""

KEEP_MS = 600
"""Milliseconds between a change and saving the draft."""

NOT_SAVED = "These changes were not saved when Tokenarium ended. Save writes them to the lesson."


class LessonWriting(QObject):
    """The lesson being written, if any, in its editor."""

    def __init__(
        self,
        session: Session,
        lessons: Lessons,
        stage: SceneStage,
        scenes: SceneCommands,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._lessons = lessons
        self._stage = stage
        self._window = window
        self.editor: LessonEditor | None = None
        self._path: Path | None = None
        self._line_end = "\n"  # that of its file
        self._process: LessonProcess | None = None
        self._scenes = scenes
        self.recording = LessonRecording(session, lessons, stage, self)
        self.recording.changed.connect(self._write_view)
        self.recording.ended.connect(self._end_recording)
        self._keep_soon = QTimer(self, singleShot=True, interval=KEEP_MS)
        self._keep_soon.timeout.connect(self._keep)
        lessons.edit_wanted.connect(self.edit)
        lessons.new_wanted.connect(self.new)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("new_lesson", "&New lesson …", Section.LESSONS, "Ctrl+Shift+G, N", self.new, "Starts a lesson of your own: from what the window shows, an example, or another lesson", icon="plus"),
            Action("add_lesson_step", "Add this &view as a step …", Section.LESSONS, "Ctrl+Shift+G, V", self.add_view, "Adds what the window shows as a step of one of your lessons", self._has_text, icon="floppy-disk"),
            Action("edit_lesson", "&Edit a lesson …", Section.LESSONS, "Ctrl+Shift+G, D", self.edit, "Shows a lesson as a form and as Markdown, with a check; editing a built-in lesson makes a copy", icon="pencil-simple"),
        ]
        # fmt: on

    def _has_text(self) -> bool:
        return self._session.has_text

    # Commands.

    def new(self) -> None:
        """Asks what a lesson begins with, and begins it."""
        from tokenarium.widgets.new_lesson_dialog import COPY, VIEW, NewLessonDialog

        heads = self._lessons.all
        titles = {id: heads[id].title if id in heads else id for id in self._ids()}
        dialog = NewLessonDialog(
            self._view_sentence(),
            titles,
            lambda title: self._new_path(title).name,
            joined_names([self._session.short_name(item) for item in self._session.chosen()])
            or "Tokenarium 8k",
            self._window,
        )
        done = dialog.exec()
        dialog.deleteLater()
        if not done or not dialog.title or not self._may_leave():
            return
        from tokenarium.models.lessons.source import LessonSource

        title, keys = dialog.title, self._keys()
        try:
            if dialog.beginning == COPY:
                copied = read_text(self._ids()[dialog.copied])
                source = LessonSource(copied).with_head("title", title)
            elif dialog.beginning == VIEW:
                step = step_of(FIRST, self._stage.make(), self._session.text_map, keys)
                source = new_lesson(title, keys) + step
            else:
                source = new_lesson(title, keys) + TEMPLATE_STEP
        except (LessonError, WritingError) as error:
            self._session.problem.emit(str(error))
            return
        self._edit(self._new_path(title), source, changed=True)

    def _view_sentence(self) -> str:
        """Returns a sentence about what the window shows; "" if it has no text."""
        if not self._session.has_text:
            return ""
        selected = ""
        if self._session.selection is not None:
            start, end = self._session.selection
            part = self._session.text_map.utf8_of(start, min(end, start + MOST_NAMED))
            more = "…" if end > start + MOST_NAMED else ""
            selected = f", with “{part.decode('utf-8', 'ignore')}{more}” selected" if part else ""
        id = self._stage.make().workspace
        title = next(kind.name.title for kind in WORKSPACES if kind.name.id == id)
        return f"{title}{selected}. The first step shows it."

    def edit(self) -> None:
        """Edits the current lesson, or a chosen one."""
        lesson = self._lessons.lesson
        id = lesson.id if lesson is not None else self._choose("Edit a lesson", list(self._ids()))
        if id:
            self.edit_lesson(id)

    def edit_lesson(self, id: str) -> None:
        """Edits a lesson; a built-in one is copied into the user's folder when it is saved."""
        path = self._ids().get(id)
        if path is None or not self._may_leave():
            return
        draft = next((draft for draft in self._scenes.drafts if draft.name == path.name), None)
        if draft is not None:
            former, draft = draft, self._scenes.take_draft(draft)
            path = draft if path == former else path
        try:
            source = read_text(draft or path)
        except LessonError as error:
            self._session.problem.emit(str(error))
            return
        own = lessons_folder() / path.name
        line_end = "\n"
        with suppress(OSError), open_file(own if own.exists() else path) as file:
            line_end = "\r\n" if file.readline(MOST_BYTES).endswith(b"\r\n") else "\n"
        note = "" if path in (own, draft) else "Saving makes your own copy, which replaces it."
        self._edit(own, source, NOT_SAVED if draft else note, draft is not None, line_end)

    def add_view(self) -> None:
        """Appends the view to a lesson as its last step, and shows it in the editor."""
        scene, text_map = self._stage.make(), self._session.text_map
        keys = self._keys()
        editor = self.editor
        if editor is None:
            own = [id for id, path in self._ids().items() if path.parent == lessons_folder()]
            chosen = self._choose("Add this view as a step", [NEW, *own])
            if not chosen:
                return
            if chosen == NEW:
                self._edit(self._new_path("My lesson"), new_lesson("My lesson", keys), changed=True)
            else:
                self.edit_lesson(chosen)
            editor = self.editor
        if editor is None:
            return
        from tokenarium.models.lessons.source import LessonSource

        try:
            source = LessonSource(editor.text).with_tokenizers(keys)
        except WritingError:  # which is named next to the text
            source = editor.text
        try:
            known = [group[0] for group in lesson_of(source + "\n## x\n", "x").tokenizers]
        except LessonError:
            known = list(keys)  # it is named next to the text
        try:
            step = step_of("A new step", scene, text_map, known)
        except WritingError as error:
            self._session.problem.emit(str(error))
            return
        editor.replace(source.rstrip("\n") + "\n" + step)
        editor.raise_()

    def _keys(self) -> list[str]:
        current = self._session.current
        keys = [item.key for item in self._session.chosen()]
        if current is not None and current.key in keys:
            keys.remove(current.key)
            keys.insert(0, current.key)
        return keys or ["shipped:tokenarium-8k"]

    def _ids(self) -> dict[str, Path]:
        from tokenarium.app.lesson_list import lesson_paths

        return {path.stem: path for path in (*self._scenes.drafts, *lesson_paths())}

    def _choose(self, title: str, ids: Sequence[str]) -> str:
        """Asks for a lesson; returns its id, or ""."""
        heads = self._lessons.all
        titles = {heads[id].title if id in heads else id: id for id in ids}
        chosen, done = QInputDialog.getItem(
            self._window, title, "Which lesson?", list(titles), 0, False
        )
        return titles.get(chosen, "") if done else ""

    def _new_path(self, title: str) -> Path:
        """Returns a path in the user's folder that is not taken."""
        path = lessons_folder() / file_name(title)
        number = 2
        while os.path.exists(path) or path.stem in self._ids():
            path = path.with_name(f"{Path(file_name(title)).stem}-{number}.md")
            number += 1
        return path

    # The editor.

    def _edit(
        self,
        path: Path,
        source: str,
        note: str = "",
        changed: bool = False,
        line_end: str = "\n",
    ) -> None:
        from tokenarium.widgets.lesson_editor import LessonEditor

        self._drop_draft()
        self._path, self._line_end = path, line_end
        if self.editor is None:
            self.editor = LessonEditor(self._check, self._save, self._window)
            self.editor.show_wanted.connect(self._show_wanted)
            self.editor.view_wanted.connect(self.add_view)
            self.editor.form.record_wanted.connect(self._record)
            self.editor.form.take_wanted.connect(self._take_view)
            self.editor.form.step_chosen.connect(lambda _: self._end_recording())
            self.editor.left.connect(self._forget)
            self.editor.source.textChanged.connect(self._note_change)
        self.editor.edit(path.name, source, note, changed)
        self.editor.show()
        self.editor.raise_()
        self.editor.activateWindow()

    def _note_change(self) -> None:
        if not self._keep_soon.isActive():
            self._keep_soon.start()

    def _keep(self) -> None:
        """Keeps unsaved changes, in case the program ends."""
        if self.editor is not None and self._path is not None:
            self._scenes.keep_draft(
                self._path.name, self.editor.text if self.editor.changed else None
            )

    def _drop_draft(self) -> None:
        """Forgets the draft: it was saved or discarded."""
        self._keep_soon.stop()
        if self.editor is not None and self._path is not None:
            self._scenes.keep_draft(self._path.name, None)

    def offer_draft(self, offer: Callable[[str, str, str, Callable[[], None]], object]) -> None:
        """Offers to continue a lesson that was not saved when the program ended."""
        drafts = self._scenes.drafts
        if drafts:
            last, others = drafts[0], len(drafts) - 1
            more = f" So do {others} more lessons." if others > 1 else " So does one more lesson."
            offer(
                f"“{last.name}” has changes that were not saved when Tokenarium ended.{more if others else ''}",
                "Continue writing",
                "Opens the lesson with the changes",
                lambda: self.edit_lesson(last.stem),
            )

    def _forget(self) -> None:
        self._drop_draft()
        self._let_go()

    def _let_go(self) -> None:
        """Ends the editor and its process; a draft stays."""
        self.recording.stop()
        if self.editor is not None:
            self.editor.deleteLater()
        self.editor = None
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _may_leave(self) -> bool:
        return self.editor is None or self.editor.may_close()

    def close(self, asks: bool = True) -> bool:
        """Closes the editor, as the window closes; returns False if the user stays.

        ``asks``: whether to ask what to do with changes. If not, they are kept as a draft, as when the system ends the
        program.
        """
        if not asks and self.editor is not None:
            self._keep_soon.stop()
            self._keep()
            self.editor.left.disconnect(self._forget)
            self.editor.close_now()
            self._let_go()
        elif not self._may_leave():
            return False
        elif self.editor is not None:
            self.editor.close_now()
        return True

    def _save(self, source: str) -> bool:
        """Writes the lesson, whole or not at all; returns whether it was written."""
        assert self._path is not None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            written = source.replace("\n", self._line_end)
            write_files({self._path: written.encode("utf-8", "replace")})
        except (OSError, TokenariumError) as error:
            self._say_not_saved(why_not_written(error, self._path))
            return False
        self._drop_draft()
        self._session.requests.tell_saved(self._path)
        self._lessons.refresh()
        return True

    def _say_not_saved(self, why: str) -> None:
        """Says in the editor why the lesson is not saved, and what to do."""
        self._keep()
        sentence = f"Not saved: {why} Free some space there, and save again; the text stays here until then."
        self._session.problem.emit(sentence)
        if self.editor is not None:
            self.editor.warn(sentence)

    def _show_wanted(self, line: int) -> None:
        if self.show_step(line) and self.editor is not None:
            self.editor.show_window()

    # Recording.

    def _record(self, on: bool) -> None:
        """Shows the step of the form, and records what changes in the window, or stops that."""
        self.recording.stop()
        if on and self.editor is not None:
            if self.show_step(self.editor.form.line):
                self.recording.begin()
            else:
                self._end_recording()

    def _end_recording(self, why: str = "") -> None:
        self.recording.stop()
        if self.editor is not None:
            self.editor.form.record.setChecked(False)
            if why:
                self.editor.warn(why)

    def _write_view(self, changed: dict[tuple[str, ...], object]) -> None:
        """Writes what the window shows into the step of the form."""
        if self.editor is not None:
            why_not = self.editor.form.write_scene(
                lambda source, step: source.with_block_values(step, "scene", changed)
            )
            if why_not:
                self._end_recording(why_not)
            else:
                self.editor.strip.tell([path[0] for path in changed])

    def _take_view(self) -> None:
        """Writes all that the window shows into the step of the form."""
        if self.editor is None or self._path is None:
            return
        try:
            lesson = lesson_of(self.editor.text, self._path.name)
        except LessonError:
            lesson = None  # it has faults elsewhere
        try:
            values = self.recording.values(lesson)
        except WritingError as error:
            self.editor.warn(str(error))
            return
        shown = self._lessons
        is_shown = shown.lesson is not None and shown.lesson.id == self._path.stem
        if is_shown and shown.at == self.editor.form.step and not shown.own_text:
            values.pop("text")  # as it is written, it may have expressions
        self._write_view(
            {(key,): values.get(key) for key in RECORDED if key != "text" or key in values}
        )

    def show_step(self, line: int) -> bool:
        """Shows the step at a line of the source in the window, saved or not; returns whether it has no fault."""
        if self.editor is None or self._path is None:
            return False
        try:
            lesson = lesson_of(self.editor.text, self._path.name, self._path)
        except LessonError as error:
            self._session.problem.emit(str(error))
            self.editor.warn(str(error))
            return False
        before = [number for number, step in enumerate(lesson.steps) if step.line <= line]
        self._lessons.show_lesson(lesson, before[-1] if before else 0)
        return True

    def _check(self, source: str) -> Iterator[Sequence[Finding]]:
        """Yields the faults of a lesson; nothing until another process has checked it."""
        from tokenarium.models.lessons.source import faults_of_format

        name = self._path.name if self._path is not None else "lesson.md"
        if faults := faults_of_format(source, name):
            yield faults
            return
        lesson = lesson_of(source, name)
        if self._process is None:
            self._process = LessonProcess()
        try:
            self._process.check(name, self._sources(lesson), source)
            while (answer := self._process.received()) is None:
                yield []
        except TokenariumError as error:
            yield [(1, str(error))]
            return
        if "error" in answer:
            yield [(1, str(answer["error"]))]
        yield [(int(line), str(said)) for line, said in answer.get("found", [])]

    def _sources(self, lesson: Lesson) -> list[TokenizerSource]:
        """Returns the tokenizers of a lesson that are open in the window."""
        keys = [key for group in lesson.tokenizers for key in group]
        items = [item for key in keys if (item := self._session.library.item(key)) is not None]
        return [
            TokenizerSource(item.name, item.key, item.source, item.pattern)
            for item in items
            if item.tokenizer is not None
        ]
