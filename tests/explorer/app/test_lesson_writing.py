"""Writing lessons in the window: a template, the view as a step, and the editor with its check."""

from __future__ import annotations

import errno
import os
from contextlib import suppress

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QInputDialog, QMessageBox
from pytestqt.qtbot import QtBot

from tokenarium.app.lesson_writing import NEW
from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder, session_folder
from tokenarium.models.lessons.lesson import lesson_of, read_lesson, read_text
from tokenarium.models.lessons.writing import TEMPLATE_STEP, new_lesson
from tokenarium.widgets.lesson_editor import LessonEditor
from tokenarium.widgets.new_lesson_dialog import COPY, EXAMPLE, VIEW, NewLessonDialog


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the user answers: a title, a lesson, and what to do with changes."""
    given = {"title": "My words", "lesson": NEW, "changes": "Cancel"}
    given |= {"beginning": EXAMPLE, "copied": "04-merges"}

    def begun(dialog: NewLessonDialog) -> bool:
        dialog.field.setText(given["title"])
        dialog.choices[given["beginning"]].setChecked(True)
        dialog.lessons.setCurrentIndex(dialog.lessons.findData(given["copied"]))
        return True

    monkeypatch.setattr(NewLessonDialog, "exec", begun)
    monkeypatch.setattr(
        QInputDialog, "getItem", lambda *_: (given["lesson"], bool(given["lesson"]))
    )
    monkeypatch.setattr(
        QMessageBox,
        "question",
        lambda *_: getattr(QMessageBox.StandardButton, given["changes"]),
    )
    return given


def editor(window: MainWindow, qtbot: QtBot) -> LessonEditor:
    found = window.lesson_writing.editor
    assert found is not None
    qtbot.waitUntil(lambda: not found.checking)
    return found


def test_a_new_lesson_is_one_without_faults(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    window.lesson_writing.new()
    shown = editor(window, qtbot)
    assert shown.faults == []
    assert "No faults" in shown.verdict.text()
    assert shown.changed
    assert shown.save()
    lesson = read_lesson(lessons_folder() / "my-words.md")
    assert (lesson.title, lesson.count) == ("My words", 1)
    assert lesson.tokenizers[0] == ("shipped:tokenarium-8k",)
    assert "my-words" in window.lessons.all
    shown.close()
    assert window.lesson_writing.editor is None


def test_a_lesson_begins_with_the_view(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    window.session.set_text("strawberry")
    window.session.select(0, 5)
    window.show_workspace("bytes")
    answers |= {"beginning": VIEW, "changes": "Discard"}
    window.lesson_writing.new()
    shown = editor(window, qtbot)
    assert shown.faults == []
    step = lesson_of(shown.text, "x.md").steps[0]
    assert step.scene is not None
    assert (step.scene.text, step.scene.workspace) == ("strawberry", "bytes")
    assert step.scene.select == "straw"


def test_a_lesson_begins_as_a_copy(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    answers |= {"beginning": COPY, "copied": "07-unicode-traps", "changes": "Discard"}
    window.lesson_writing.new()
    shown = editor(window, qtbot)
    ours = read_text(window.lesson_writing._ids()["07-unicode-traps"])
    assert shown.text.split("\n")[2:] == ours.split("\n")[2:]
    assert lesson_of(shown.text, "x.md").title == "My words"
    assert shown.name.text() == "my-words.md"
    assert shown.save()
    assert (lessons_folder() / "my-words.md").read_text("utf-8") == shown.text


def test_what_a_new_lesson_may_begin_with(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[NewLessonDialog] = []

    def note(dialog: NewLessonDialog) -> None:
        asked.append(dialog)

    monkeypatch.setattr(NewLessonDialog, "exec", note)
    window.session.set_text("strawberry")
    window.session.select(0, 5)
    window.lesson_writing.new()
    dialog = asked[-1]
    assert dialog.beginning == VIEW
    assert "Tokens, with “straw” selected." in dialog.choices[VIEW].accessibleDescription()
    assert not dialog.write.isEnabled()
    dialog.field.setText("Why? & how")
    assert dialog.write.isEnabled()
    assert dialog.saved.text() == "Saved as why-how.md in your lessons."
    dialog.lessons.activated.emit(0)
    assert (dialog.beginning, dialog.copied) == (COPY, "01-spaces-and-case")
    window.session.set_text("")
    monkeypatch.undo()

    def leave() -> None:
        asked.append(window.findChildren(NewLessonDialog)[-1])
        asked[-1].reject()

    QTimer.singleShot(0, leave)
    window.lesson_writing.new()
    assert not asked[-1].choices[VIEW].isEnabled()
    assert asked[-1].beginning == EXAMPLE
    assert window.lesson_writing.editor is None


def test_the_view_becomes_a_step(window: MainWindow, qtbot: QtBot, answers: dict[str, str]) -> None:
    window.session.set_text('an "odd" {{text}}, an odd one\n')
    window.session.select(19, 22)
    window.merge_commands.show_page("steps")
    window.lesson_writing.add_view()
    shown = editor(window, qtbot)
    assert shown.faults == []
    step = lesson_of(shown.text, "x.md").steps[-1]
    assert step.scene is not None
    assert (step.scene.workspace, step.scene.page) == ("merges", "steps")
    shown.show_wanted.emit(shown.line)
    qtbot.waitUntil(lambda: window.lessons.current is not None and not window.stage.busy)
    assert window.session.text == 'an "odd" {{text}}, an odd one\n'
    assert window.session.selection == (19, 22)
    window.lessons.close()
    assert shown.save()
    shown.close()
    answers["lesson"] = "My lesson"
    window.show_workspace("bytes")
    window.lesson_writing.add_view()
    shown = editor(window, qtbot)
    assert [one.scene.workspace for one in lesson_of(shown.text, "x").steps if one.scene] == [
        "merges",
        "bytes",
    ]
    shown.source.undo()
    assert len(lesson_of(shown.text, "x").steps) == 1


def test_a_fault_is_named_with_its_line(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    window.lesson_writing.new()
    shown = editor(window, qtbot)
    shown.replace(shown.text.replace("{{ name() }}", "{{ nam() }}"))
    qtbot.waitUntil(lambda: not shown.checking)
    lines = shown.text.split("\n")
    line = next(n for n, one in enumerate(lines, 1) if "{{ nam() }}" in one)
    assert [one[0] for one in shown.faults] == [line]
    assert "Did you mean “name”?" in shown.list.item(0).text()
    shown.list.itemClicked.emit(shown.list.item(0))
    assert shown.line == line
    shown.replace("nothing")
    qtbot.waitUntil(lambda: not shown.checking)
    assert shown.list.item(0).text().startswith("Line 1: a lesson begins with its head")


def test_one_of_ours_is_copied_when_it_is_saved(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    window.lesson_writing.edit_lesson("04-merges")
    shown = editor(window, qtbot)
    assert shown.note.isVisible()
    assert not (lessons_folder() / "04-merges.md").exists()
    shown.replace(shown.text.replace("How a merge is learned", "How merges are learned"))
    assert shown.save()
    assert window.lessons.all["04-merges"].title.startswith("How merges are learned")


@pytest.mark.parametrize(
    ("choice", "closed", "kept"),
    [("Cancel", False, False), ("Discard", True, False), ("Save", True, True)],
)
def test_nothing_is_lost_on_closing(
    window: MainWindow,
    qtbot: QtBot,
    answers: dict[str, str],
    choice: str,
    closed: bool,
    kept: bool,
) -> None:
    window.lesson_writing.new()
    shown = editor(window, qtbot)
    answers["changes"] = choice
    assert shown.close() is closed
    assert (window.lesson_writing.editor is None) is closed
    assert (lessons_folder() / "my-words.md").exists() is kept
    answers["changes"] = "Discard"


def test_the_window_stays_while_changes_are_not_decided(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    window.lesson_writing.new()
    editor(window, qtbot)
    assert not window.close()
    assert window.isVisible()
    answers["changes"] = "Discard"
    assert window.close()


def test_a_long_text_is_refused_in_words(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    said: list[str] = []
    window.session.problem.connect(said.append)
    window.session.set_text("a " * 20_000)
    window.lesson_writing.add_view()
    assert "20,000 at most" in said[-1]
    answers["changes"] = "Discard"


def test_titles_that_are_taken_get_a_number(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    for _ in range(2):
        window.lesson_writing.new()
        shown = editor(window, qtbot)
        assert shown.save()
        shown.close()
    assert sorted(path.name for path in lessons_folder().glob("*.md")) == [
        "my-words-2.md",
        "my-words.md",
    ]


def drafts(window: MainWindow) -> dict[str, str]:
    """Returns the drafts by their names, without one that another thread removes meanwhile."""
    found = {}
    for path in window.scene_commands.drafts:
        with suppress(FileNotFoundError):
            found[path.name] = path.read_text()
    return found


def test_what_is_not_saved_is_kept_until_it_is(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    writing = window.lesson_writing
    writing._keep_soon.setInterval(0)
    writing.new()
    shown = editor(window, qtbot)
    qtbot.waitUntil(lambda: drafts(window) == {"my-words.md": shown.text})
    shown.source.appendPlainText("More.")
    qtbot.waitUntil(lambda: drafts(window)["my-words.md"].endswith("More."))
    assert shown.save()
    qtbot.waitUntil(lambda: not drafts(window))
    shown.source.appendPlainText("Even more.")
    qtbot.waitUntil(lambda: bool(drafts(window)))
    answers["changes"] = "Discard"
    shown.close()
    qtbot.waitUntil(lambda: not drafts(window))


def test_a_draft_of_a_run_that_ended_is_offered(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    writing = window.lesson_writing
    writing.new()
    source = editor(window, qtbot).text + "Not saved.\n"
    answers["changes"] = "Discard"
    writing.close()
    window.scene_commands.keep_draft("my-words.md", source)
    qtbot.waitUntil(lambda: bool(drafts(window)))
    writing.offer_draft(window.messages.offer)
    assert window.messages.isVisible()
    assert "“my-words.md” has changes" in window.messages.label.text()
    window.messages.offered.click()
    shown = editor(window, qtbot)
    assert shown.text == source
    assert shown.changed
    assert shown.note.isVisible()
    assert not (lessons_folder() / "my-words.md").exists()
    assert shown.save()
    assert (lessons_folder() / "my-words.md").read_text() == source
    qtbot.waitUntil(lambda: not drafts(window))


def test_no_draft_is_kept_where_no_texts_are(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str]
) -> None:
    window.scene_commands.keep_texts(keep=False)
    writing = window.lesson_writing
    writing._keep_soon.setInterval(0)
    writing.new()
    editor(window, qtbot)
    qtbot.waitUntil(lambda: not writing._keep_soon.isActive())
    window.scene_commands.stop()
    assert not list(session_folder().rglob("*.md"))
    writing.offer_draft(lambda *_: pytest.fail("there is none"))
    answers["changes"] = "Discard"


def test_a_full_disk_loses_nothing_of_a_lesson(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    window.lesson_writing.new()
    shown = editor(window, qtbot)
    assert shown.save()
    path = lessons_folder() / "my-words.md"
    before = path.read_text()
    shown.source.appendPlainText("More.")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert not shown.save()
        assert shown.changed
        assert shown.warning.isVisible()
        assert f"Not saved: {path} cannot be written: No space left" in shown.warning.text()
        assert path.read_text() == before
        answers["changes"] = "Save"
        assert not shown.close()  # it stays with what cannot be saved
    assert shown.save()
    assert not shown.warning.isVisible()
    assert path.read_text().endswith("More.")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_file_keeps_its_line_ends_and_its_spaces(
    window: MainWindow, qtbot: QtBot, answers: dict[str, str], line_end: str
) -> None:
    path = lessons_folder() / "mine.md"
    lessons_folder().mkdir(parents=True, exist_ok=True)
    source = new_lesson("A\u00a0b", ["shipped:tokenarium-8k"]) + TEMPLATE_STEP
    path.write_bytes(source.replace("\n", line_end).encode())
    window.lesson_writing.edit_lesson("mine")
    shown = editor(window, qtbot)
    assert not shown.changed
    shown.replace(shown.text.replace("The first step", "One"))
    assert shown.save()
    expected = source.replace("The first step", "One").replace("\n", line_end)
    assert path.read_bytes() == expected.encode()
