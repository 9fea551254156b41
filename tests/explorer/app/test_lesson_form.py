"""The form of the lesson editor: what is typed in a field is written into the Markdown, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.app.window import MainWindow
from tokenarium.models.lessons.lesson import lesson_of, read_text
from tokenarium.models.lessons.source import LessonSource
from tokenarium.widgets.lesson_editor import BOTH, FORM, MARKDOWN, NOT_KEPT, WIDE, LessonEditor
from tokenarium.widgets.lesson_fields import AnswerRows, FormRow
from tokenarium.widgets.lesson_form import FAULT, FOLLOW_MS, NO_NUMBER
from tokenarium.widgets.text.bounded_field import BoundedField

LESSON = """+++
title = "A" # ours
minutes = 5
learns = ["x"]
tokenizers = ["shipped:tokenarium-8k"]
+++

## One

Prose\u00a0here.

```scene
text = "Hello"   # all of it
workspace = "tokens"
own = 1
```

```question
ask = "How many?"
choices = ["1", "2"]
answer = "count(text)"

[reasons]
2 = "Is it?"
```

## Two

The end.
"""


@pytest.fixture
def editor(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[LessonEditor]:
    """An editor that finds no faults and saves nothing."""
    discard = QMessageBox.StandardButton.Discard
    monkeypatch.setattr(QMessageBox, "question", lambda *_: discard)
    shown = LessonEditor(lambda _: iter([]), lambda _: True)
    qtbot.addWidget(shown)
    shown.edit("a.md", LESSON)
    shown.show()
    yield shown
    shown.close_now()


def row(editor: LessonEditor, block: str, key: str = "") -> FormRow:
    return editor.form.rows[block, key]


def type_into(row: FormRow, text: str) -> None:
    """Replaces the text of a field as a user does."""
    control = row.control
    if isinstance(control, QComboBox):
        control.setCurrentIndex(control.findData(text))
        control.activated.emit(control.currentIndex())
        return
    control.setFocus()
    QTest.keyClick(control, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(control, text)


def shown_in(row: FormRow) -> str:
    control = row.control
    assert isinstance(control, QLineEdit | BoundedField)
    return control.plain_text() if isinstance(control, BoundedField) else control.text()


def lines_that_differ(one: str, other: str) -> tuple[list[str], list[str]]:
    before, after = one.split("\n"), other.split("\n")
    return [line for line in before if line not in after], [
        line for line in after if line not in before
    ]


@pytest.mark.parametrize(
    ("block", "key", "typed", "removed", "added"),
    [
        ("title", "", "First", ["## One"], ["## First"]),
        ("prose", "", "New words", ["Prose\u00a0here."], ["New words"]),
        ("scene", "text", "Hi", ['text = "Hello"   # all of it'], ['text = "Hi"   # all of it']),
        ("scene", "at", "3", [], ["at = 3"]),
        ("scene", "mark", "token 2", [], ['mark = ["token 2"]']),
        ("question", "hint", "Count", [], ['hint = "Count"']),
        ("question", "kind", "number", [], ['kind = "number"']),
        ("asked", "", "Why?", [], ["```asked", "Why?"]),
        ("notes", "", "Wait", [], ["```notes", "Wait"]),
    ],
)  # fmt: skip
def test_what_is_typed_in_a_field_is_written_alone(
    editor: LessonEditor, block: str, key: str, typed: str, removed: list[str], added: list[str]
) -> None:
    type_into(row(editor, block, key), typed)
    assert lines_that_differ(LESSON, editor.text) == (removed, added)
    assert editor.changed
    while editor.source.document().isUndoAvailable():
        editor.source.undo()
    assert editor.text == LESSON


def test_the_head_has_fields_too(editor: LessonEditor) -> None:
    editor.form.list.setCurrentRow(0)
    type_into(row(editor, "head", "title"), "Ours")
    type_into(row(editor, "head", "level"), "deeper")
    type_into(row(editor, "head", "tokenizers"), "named:gpt2 or shipped:bpe-gpt2-8k")
    lesson = lesson_of(editor.text.replace("own = 1\n", ""), "a.md")
    assert (lesson.title, lesson.level) == ("Ours", "deeper")
    assert lesson.tokenizers == (("named:gpt2", "shipped:bpe-gpt2-8k"),)
    assert 'title = "Ours" # ours' in editor.text


def test_choices_have_their_reasons_beside_them(editor: LessonEditor) -> None:
    answers = row(editor, "question", "choices").control
    assert isinstance(answers, AnswerRows)
    assert answers.pairs == [("1", ""), ("2", "Is it?")]
    QTest.keyClicks(answers.rows[2][0], "3")
    QTest.keyClicks(answers.rows[2][1], "No.")
    assert len(answers.rows) == 4  # an empty one remains
    question: Any = LessonSource(editor.text).steps[0].values("question")
    assert (question["choices"], question["reasons"]) == (
        ["1", "2", "3"],
        {"2": "Is it?", "3": "No."},
    )
    answers.rows[1][0].selectAll()
    QTest.keyClicks(answers.rows[1][0], "5")
    question = LessonSource(editor.text).steps[0].values("question")
    assert question["reasons"] == {"5": "Is it?", "3": "No."}


def test_the_form_follows_the_markdown(editor: LessonEditor, qtbot: QtBot) -> None:
    assert shown_in(row(editor, "title")) == "One"
    assert shown_in(row(editor, "prose")) == "Prose\u00a0here."
    editor.replace(editor.text.replace("The end.", "Not yet."))
    editor.go_to_line(editor.text.split("\n").index("Not yet.") + 1)
    editor.source.setFocus()
    editor.source.insertPlainText("So: ")
    qtbot.waitUntil(lambda: editor.form.step == 1)
    assert shown_in(row(editor, "prose")) == "So: Not yet."
    editor.form.list.setCurrentRow(1)
    assert editor.line == LESSON.split("\n").index("## One") + 1


def test_a_step_is_added_moved_and_removed_and_undone(editor: LessonEditor) -> None:
    def titles() -> list[str]:
        steps = LessonSource(editor.text).steps
        listed = [editor.form.list.item(n + 1).text() for n in range(len(steps))]
        assert listed == [f"{n}  {step.title}" for n, step in enumerate(steps, 1)]
        return [step.title for step in steps]

    form = editor.form
    form.add.click()
    assert titles() == ["One", "A new step", "Two"]
    assert form.step == 1
    form.down.click()
    assert titles() == ["One", "Two", "A new step"]
    assert not form.down.isEnabled()
    form.list.setCurrentRow(1)
    form.copy.click()
    assert titles() == ["One", "One", "Two", "A new step"]
    form.remove.click()
    form.list.setCurrentRow(3)
    form.remove.click()
    assert titles() == ["One", "Two"]
    assert editor.text == LESSON
    form.remove.click()
    assert titles() == ["One"]
    QTest.keyClick(editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.text == LESSON


def test_what_cannot_be_written_alone_is_said_at_its_field(editor: LessonEditor) -> None:
    prose = row(editor, "prose")
    type_into(prose, "# A")
    assert not prose.problem.isVisible()
    before = editor.text
    prose.control.setPlainText("a\n\n## A step\n")  # type: ignore[attr-defined]
    assert editor.text == before
    assert "Write it in the Markdown" in prose.problem.text()
    at = row(editor, "scene", "at")
    type_into(at, "x")
    assert at.problem.text() == NO_NUMBER
    assert editor.text == before
    type_into(at, "1")
    assert not at.problem.isVisible()


def test_a_block_with_a_fault_has_no_fields_until_it_is_mended(
    editor: LessonEditor, qtbot: QtBot
) -> None:
    editor.replace(LESSON.replace("own = 1", "own = "))
    editor.go_to_line(9)
    editor.form.follow(editor.text, editor.line)
    qtbot.waitUntil(editor.form.faults["scene"].isVisible)
    assert not row(editor, "scene", "text").isVisibleTo(editor.form)
    type_into(row(editor, "question", "hint"), "Count")
    assert 'hint = "Count"' in editor.text
    editor.source.undo()
    editor.replace(LESSON)
    editor.form.follow(editor.text, 9)
    qtbot.waitUntil(lambda: not editor.form.faults["scene"].isVisible())
    editor.replace("nothing")
    editor.form.follow(editor.text, 1)
    qtbot.waitUntil(editor.form.nothing.isVisible)
    assert not row(editor, "head", "title").isEnabled()


def test_steps_with_faults_are_marked(editor: LessonEditor) -> None:
    editor.form.show_faults([LESSON.split("\n").index("The end.") + 1])
    assert [editor.form.list.item(n).text()[0] for n in range(3)] == ["A", "1", FAULT]


def test_characters_that_a_field_cannot_keep_are_not_changed(editor: LessonEditor) -> None:
    text = LESSON.replace('"Hello"', '"a\\r\\nb"')
    editor.edit("a.md", text)
    field = row(editor, "scene", "text")
    assert field.control.isReadOnly()  # type: ignore[attr-defined]
    assert field.problem.isVisible()
    assert editor.text == text
    assert editor.warning.isHidden()
    editor.edit("a.md", text.replace("The end.", "a\u2029b"))
    assert editor.warning.text() == NOT_KEPT


@pytest.mark.slow
def test_looking_through_our_lessons_changes_no_byte(editor: LessonEditor, qtbot: QtBot) -> None:
    for path in lesson_paths():
        text = read_text(path)
        editor.edit(path.name, text)
        for place in range(editor.form.list.count()):
            editor.form.list.setCurrentRow(place)
            for field in editor.form.rows.values():
                if field.isVisibleTo(editor.form):
                    field.edited.emit()  # as if it had been typed again
                    odd = field.field.key == "text" and "\\r\\n" in text
                    assert field.can_write or odd
        assert editor.text == text
        assert not editor.changed
    qtbot.wait(FOLLOW_MS)


def test_both_sides_are_shown_where_there_is_room(editor: LessonEditor) -> None:
    editor.resize(WIDE, 600)
    assert editor.form.isVisible()
    assert editor.source.isVisible()
    editor.resize(WIDE - 1, 600)
    assert (editor.form.isVisible(), editor.source.isVisible()) == (True, False)
    assert not editor.views.isTabVisible(BOTH)
    editor.resize(WIDE, 600)
    assert editor.source.isVisible()
    editor.resize(WIDE - 1, 600)
    editor.show_view(MARKDOWN)
    assert (editor.form.isVisible(), editor.source.isVisible()) == (False, True)
    editor.resize(WIDE, 600)
    editor.show_view(FORM)
    assert (editor.form.isVisible(), editor.source.isVisible()) == (True, False)


@pytest.fixture
def written(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[LessonEditor]:
    """A lesson that is written in a window."""
    discard = QMessageBox.StandardButton.Discard
    monkeypatch.setattr(QMessageBox, "question", lambda *_: discard)
    source = LESSON.replace("own = 1\n", "")
    window.lesson_writing._edit(window.lesson_writing._new_path("A"), source)
    assert window.lesson_writing.editor is not None
    yield window.lesson_writing.editor
    window.lesson_writing.close(asks=False)


def test_the_view_is_recorded_as_one_clicks(
    window: MainWindow, qtbot: QtBot, written: LessonEditor
) -> None:
    recording, form = window.lesson_writing.recording, written.form
    before = written.text
    place = written.geometry()
    form.record.click()
    assert recording.runs
    assert not form.isVisible()
    assert written.strip.isVisible()
    assert written.height() < place.height() / 2
    assert window.geometry().contains(written.geometry())
    rail = window.panes.rail
    assert written.x() > rail.mapToGlobal(rail.rect().topRight()).x()  # its icons are in sight
    qtbot.waitUntil(lambda: window.session.text == "Hello" and recording._before is not None)
    recording.look()
    assert written.text == before  # what the step shows is not written again
    window.session.select(1, 4)
    recording.look()
    assert lines_that_differ(before, written.text) == ([], ['select = "ell"'])
    assert shown_in(row(written, "scene", "select")) == "ell"
    assert written.strip.written.text() == "Written: select."
    window.merge_commands.show_page("steps")
    window.session.select(0, 0)
    recording.look()
    scene: Any = LessonSource(written.text).steps[0].values("scene")
    assert (scene["workspace"], scene["page"], scene["text"]) == ("merges", "steps", "Hello")
    assert "select" not in scene
    assert 'text = "Hello"   # all of it' in written.text
    written.strip.stop.click()
    assert not recording.runs
    assert form.isVisible()
    assert written.geometry() == place
    form.record.click()
    assert recording.runs
    form.list.setCurrentRow(2)
    assert not recording.runs
    assert not form.record.isChecked()


def test_the_editor_makes_room_for_the_step_that_it_shows(
    window: MainWindow, qtbot: QtBot, written: LessonEditor
) -> None:
    written.setGeometry(window.geometry())
    place, before = written.geometry(), written.text
    written.show_button.click()
    assert written.strip.isVisible()
    assert not written.form.isVisible()
    assert written.strip.step.text().startswith("Showing “")
    qtbot.waitUntil(lambda: window.session.text == "Hello")
    window.session.select(1, 4)
    window.lesson_writing.recording.look()
    assert written.text == before  # it records nothing
    written.strip.stop.click()
    assert written.form.isVisible()
    assert written.geometry() == place
    written.move(window.geometry().bottomRight())  # beside the window, as on another screen
    written.show_button.click()
    assert written.form.isVisible()
    written.replace("nothing")
    written.setGeometry(place)
    written.show_button.click()  # a lesson with a fault shows no step
    assert written.form.isVisible()


def test_recording_ends_when_the_window_shows_something_else(
    window: MainWindow, qtbot: QtBot, written: LessonEditor
) -> None:
    recording, form = window.lesson_writing.recording, written.form
    form.record.click()
    qtbot.waitUntil(lambda: recording._before is not None)
    before = written.text
    window.lessons.close()
    recording.look()
    assert not recording.runs
    assert not form.record.isChecked()
    assert written.text == before
    written.replace("nothing")
    form.record.click()  # a lesson with a fault shows no step
    assert not form.record.isChecked()
    assert form.isVisible()
    assert "begins with its head" in written.warning.text()


def test_a_step_without_a_scene_takes_the_whole_view(
    window: MainWindow, qtbot: QtBot, written: LessonEditor
) -> None:
    recording, form = window.lesson_writing.recording, written.form
    form.list.setCurrentRow(2)
    form.record.click()
    qtbot.waitUntil(lambda: recording._before is not None)
    scene = LessonSource(written.text).steps[1].values("scene")
    assert scene is not None
    assert (scene["text"], scene["workspace"]) == ("Hello", "tokens")
    form.record.click()
    window.session.set_text("Another text")
    window.show_workspace("bytes")
    form.take.click()
    scene = LessonSource(written.text).steps[1].values("scene")
    assert scene is not None
    assert (scene["text"], scene["workspace"]) == ("Another text", "bytes")
