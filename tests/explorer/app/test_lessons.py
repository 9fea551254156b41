"""A lesson beside the real window: it shows its scenes, asks, and gives the window back."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import there
from opened_lessons import panel, settle
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from windows import emitted, off_screen

from tokenarium.app import lesson_list
from tokenarium.app.window import MainWindow
from tokenarium.menus.command_palette import BESIDE_NOTE, note_of
from tokenarium.models.files import lessons_folder, session_folder
from tokenarium.models.lessons.classes import ready_classes
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.session import settings
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, ui_font
from tokenarium.style.icons import ICON_SIZE
from tokenarium.style.theme import GRID
from tokenarium.views.workspace import PagedWorkspace
from tokenarium.widgets.lesson_prose import ProseLabel
from tokenarium.widgets.lesson_rows import ROW_LEFT

LESSON = """+++
title = "Small"
minutes = 5
learns = ["x"]
tokenizers = [["named:gpt2", "shipped:bpe-gpt2-8k"], "shipped:unigram-8k"]
asked = ["Why?"]
+++

## One

{{ name() }} has {{ count("Egg") }} tokens.

```scene
text = "Egg an Egg"
select = " Egg"
```

```question
ask = "How many?"
choices = ["1", "8"]
answer = 'count("Egg")'
hint = "Look."
after = "So it is."
[reasons]
8 = "Too many."
```

## Two

```scene
workspace = "merges"
page = "steps"
select = "Egg"
at = 1
```

```question
kind = "split"
ask = "Split it."
text = "Egg"
answer = 'tokens("Egg")'
```

## Three

```question
kind = "order"
ask = "Order."
answer = 'merges("unbelievable")'
```

## Four

```question
kind = "write"
ask = "Write two tokens."
answer = "count(text) == 2"
```

## Five

```question
kind = "click"
ask = "Click the second."
answer = 'joined([" an"])'
```
"""


@pytest.fixture
def lesson(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """A window with a lesson of its own folder at the first step."""
    lessons_folder().mkdir(parents=True)
    (lessons_folder() / "small.md").write_text(LESSON)
    window.resize(1440, 900)
    window.session.set_text("my text")
    window.lessons.open_list()
    window.lessons.open("small")
    settle(window, qtbot)
    return window


def test_a_step_shows_its_scene_and_computes_its_prose(lesson: MainWindow) -> None:
    session = lesson.session
    assert session.text == "Egg an Egg"
    assert session.selection == (6, 10)
    assert [item.key for item in session.chosen()] == ["shipped:bpe-gpt2-8k", "shipped:unigram-8k"]
    count = len(session.chosen()[0].tokenizer.encode_ids("Egg"))  # type: ignore[union-attr]
    assert panel(lesson).prose.text() == f"BPE 8k, GPT-2 cuts has {count} tokens."
    assert panel(lesson).get.isVisible()  # GPT-2 is not here


def test_a_choice_has_its_reason_and_the_computed_one_is_there(
    lesson: MainWindow, qtbot: QtBot
) -> None:
    card = panel(lesson).question
    count = str(len(lesson.session.chosen()[0].tokenizer.encode_ids("Egg")))  # type: ignore[union-attr]
    assert [one.text() for one in card.choices] == sorted({"1", "8", count})
    qtbot.mouseClick(card.choices[-1], Qt.MouseButton.LeftButton)
    assert card.verdict.text() == "**Not quite.** Too many."
    assert card.choices[-1].state == "bad"
    right = next(one for one in card.choices if one.text() == count)
    qtbot.mouseClick(right, Qt.MouseButton.LeftButton)
    assert card.verdict.text() == "**Yes.** So it is."
    assert right.state == "good"


def test_all_kinds_of_questions_can_be_answered(lesson: MainWindow, qtbot: QtBot) -> None:
    lessons, card = lesson.lessons, panel(lesson).question
    answers = lessons.answers
    lessons.step(1)
    settle(lesson, qtbot)
    assert lesson.workspace.name.id == "merges"
    assert card.split is not None
    tokens = answers.tokens("Egg")
    ends = {len("".join(tokens[: number + 1])) for number in range(len(tokens) - 1)}
    for place, cut in enumerate(card.split.cuts, 1):
        cut.setChecked(place in ends)
    card._send()
    assert "Yes" in card.verdict.text()
    lessons.step(1)
    settle(lesson, qtbot)
    assert card.items is not None
    rows = [card.items.item(row).text() for row in range(card.items.count())]
    merges = answers.merges("unbelievable")
    assert sorted(rows) == sorted(merges)
    assert rows != merges
    card._send()
    assert "Not quite" in card.verdict.text()
    card.items.setCurrentRow(0)
    qtbot.keyClick(card.items, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    moved = [card.items.item(row).text() for row in range(card.items.count())]
    assert moved == [rows[1], rows[0], *rows[2:]]
    lessons.answer(merges)
    assert "Yes" in card.verdict.text()
    lessons.step(1)
    settle(lesson, qtbot)
    assert card.field is not None
    qtbot.keyClicks(card.field, "the of")
    qtbot.keyClick(card.field, Qt.Key.Key_Return)
    settle(lesson, qtbot)
    assert "Yes" in card.verdict.text()
    lessons.step(1)
    settle(lesson, qtbot)
    lesson.session.select(3, 6)
    assert "Yes" in card.verdict.text()


def test_closing_gives_the_window_back(lesson: MainWindow, qtbot: QtBot) -> None:
    lesson.lessons.step(1)
    settle(lesson, qtbot)
    lesson.lessons.close()
    assert not lesson.lessons.is_open
    assert lesson.session.text == "my text"
    assert lesson.workspace.name.id == "tokens"
    assert [item.key for item in lesson.session.chosen()] == ["shipped:tokenarium-8k"]


@pytest.mark.parametrize("killed", [True, False])
def test_what_is_kept_is_the_users_and_not_the_lessons(lesson: MainWindow, killed: bool) -> None:
    lesson.scene_commands.keep(now=True)
    if not killed:
        lesson.close()
    kept = read_scene_file(session_folder() / "last.tokenarium").scene
    assert there(kept.text).inline == "my text"
    assert kept.workspace == "tokens"


def test_progress_is_kept(lesson: MainWindow, qtbot: QtBot) -> None:
    lesson.lessons.step(1)
    settle(lesson, qtbot)
    assert lesson._store.get(settings.LESSONS_SEEN) == ["small 2"]
    lesson.lessons.open_list()
    row = next(one.row for one in panel(lesson).rows if one.row.id == "small")
    assert (row.seen, row.line) == (2, "Lesson · Step 2 of 5")
    lesson.lessons.open("small")
    settle(lesson, qtbot)
    assert lesson.lessons.at == 1


def test_the_answer_is_shown_on_demand(lesson: MainWindow) -> None:
    lesson.lessons.reveal()
    count = lesson.lessons.answers.count("Egg")
    assert panel(lesson).question.verdict.text() == f"**{count}**. So it is."


def test_a_damaged_lesson_is_named_and_left_out(window: MainWindow, tmp_path: Path) -> None:
    lessons_folder().mkdir(parents=True)
    (lessons_folder() / "broken.md").write_text("no head")
    said: list[str] = emitted(window.session.problem)
    assert "broken" not in window.lessons.all
    assert "broken.md, line 1" in said[-1]


def test_the_list_opens_and_closes_by_its_action(window: MainWindow) -> None:
    window.actions_by_id["lessons"].trigger()
    assert window.lessons.is_open
    window.actions_by_id["lessons"].trigger()
    assert not window.lessons.is_open


def test_the_menu_of_questions_opens_the_step(window: MainWindow, qtbot: QtBot) -> None:
    menu = window.questions
    assert window.actions_by_id["questions"].menu() is menu
    menu.fill()
    by_lesson = {action.text(): action.menu() for action in menu.actions()}
    assert set(by_lesson) == {head.title for head in window.lessons.all.values() if head.asked}
    asked = by_lesson["Boundaries, streams and stop strings"].actions()  # type: ignore[union-attr]
    next(one for one in asked if "stop string" in one.text()).trigger()
    qtbot.waitUntil(lambda: window.lessons.current is not None and not window.stage.busy)
    assert there(window.lessons.current).title == "Where to stop"


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("why is it worse in Japanese", "One sentence, many prices"),
        ("SolidGoldMagikarp", "A name that became a token"),
        ("count the r in strawberry", "Count the letters"),
        ("petertodd", "A name that became a token"),
    ],
)
def test_the_palette_opens_the_step_that_answers(
    window: MainWindow, qtbot: QtBot, typed: str, title: str
) -> None:
    window.palette_commands.open_palette()
    palette = there(window.palette_commands.opened)
    qtbot.keyClicks(palette.search, typed)
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert there(window.lessons.current).title == title


def test_the_list_is_searched(window: MainWindow, qtbot: QtBot) -> None:
    window.lessons.open_list()
    shown = panel(window)
    count = len(shown.rows)
    qtbot.keyClicks(shown.search, "trailing space")
    assert shown.rows[0].row.title == "What does a trailing space do to a prompt?"
    shown.search.setText("xyzzy")
    assert not shown.rows
    assert shown.nothing.isVisible()
    shown.search.clear()
    assert len(shown.rows) == count
    qtbot.keyClicks(shown.search, "trailing space")
    qtbot.keyClick(shown.search, Qt.Key.Key_Return)
    assert there(window.lessons.current).title == "A space at the end"


@pytest.mark.parametrize("width", [800, 1280])
def test_a_question_that_was_found_is_not_cut_off(
    window: MainWindow, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 600)
    window.lessons.open_list()
    shown = panel(window)
    qtbot.keyClicks(shown.search, "worse answers when a prompt ends with a colon")
    QApplication.processEvents()
    button = shown.rows[0]
    title = "Why does my prompt give worse answers when it ends with a colon?"
    assert button.row.title == title
    metrics = QFontMetrics(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
    one_line = metrics.height()
    lines = metrics.boundingRect(
        QRect(0, 0, button.width() - ROW_LEFT - 4, 1000), Qt.TextFlag.TextWordWrap, title
    ).height()
    assert lines >= 2 * one_line
    assert button.height() >= lines + one_line + 16  # the lesson is below it


def test_no_question_is_cut_off_in_the_palette(window: MainWindow) -> None:
    window.palette_commands.choose_question()
    palette = there(window.palette_commands.opened)
    room = palette.list.viewport().width() - 2 * 12 - ICON_SIZE - 12
    metrics = palette.list.fontMetrics()
    for row in range(palette.model.rowCount()):
        command = there(palette.model.command(row))
        note = metrics.horizontalAdvance(note_of(command, metrics, room))
        assert metrics.horizontalAdvance(command.title) + note + BESIDE_NOTE <= room, command.title
    assert any(
        there(palette.model.command(row)).kind == "Question"
        for row in range(palette.model.rowCount())
    )


@pytest.mark.parametrize("typed", ["9.11", "token healing", "special tokens in a prompt"])
def test_what_the_palette_finds_says_whether_it_is_a_question(
    window: MainWindow, typed: str
) -> None:
    window.lessons.open_list()
    found = window.lessons.find_commands(typed)
    asked = {one.question for head in window.lessons.all.values() for one in head.asked}
    assert found
    assert all((one.kind == "Question") == (one.title in asked) for one in found)


def test_a_lesson_is_chosen_by_key(window: MainWindow, qtbot: QtBot) -> None:
    window.lessons.open_list()
    shown = panel(window)
    shown.search.setFocus()
    qtbot.keyClick(shown.search, Qt.Key.Key_Down)
    assert shown.rows[0].hasFocus()
    qtbot.keyClick(shown.rows[0], Qt.Key.Key_Down)
    assert shown.rows[1].hasFocus()
    qtbot.keyClick(shown.rows[1], Qt.Key.Key_Up)
    assert shown.rows[0].hasFocus()
    qtbot.keyClick(shown.rows[0], Qt.Key.Key_Return)
    assert there(window.lessons.current).title == "The space goes with the word"


def test_a_class_lists_its_parts_which_open_their_steps(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 900)
    window.lessons.open_list()
    shown = panel(window)
    everything = len(shown.rows)
    row = next(one for one in shown.rows if one.row.title == "How a vocabulary is made")
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert shown.class_head.isVisible()
    assert "Byte-pair encoding by hand" in shown.about_class.text()
    assert shown.rows[0].row.title == "0 to 8 min: Start with bytes"
    assert shown.rows[1].row.line.startswith("In groups of four")
    assert not shown.rows[-1].isEnabled()  # it is without the window
    QApplication.processEvents()
    notes = QFontMetrics(ui_font(SMALL_SIZE))
    room = QRect(0, 0, shown.rows[1].width() - ROW_LEFT - 4, 1000)
    high = notes.boundingRect(room, Qt.TextFlag.TextWordWrap, shown.rows[1].row.line).height()
    assert shown.rows[1].height() > high + 20
    shown.all_lessons.click()
    assert len(shown.rows) == everything
    assert not shown.class_head.isVisible()
    next(one for one in shown.rows if one.row.id == "class-vocabulary").click()
    shown.rows[2].click()
    settle(window, qtbot)
    assert there(window.lessons.lesson).id == "04-merges"
    assert there(window.lessons.current).title == "Twenty merges"


def shown_step(window: MainWindow) -> tuple[str, str]:
    """Returns which lesson and which step of it are shown."""
    return there(window.lessons.lesson).id, there(window.lessons.current).title


def test_a_class_goes_from_part_to_part(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 900)
    lessons, ready = window.lessons, ready_classes()["class-letters"]
    lessons.open_list()
    shown = panel(window)
    next(one for one in shown.rows if one.row.id == ready.id).click()
    parts = [part for part in ready.parts if part.lesson]
    shown.rows[0].click()
    for part in parts:
        settle(window, qtbot)
        assert shown_step(window) == (part.lesson, part.step)
        if part is parts[1]:
            step = there(lessons.step_shown)
            assert (step.noun, step.number, step.count) == ("Part", 1, len(parts))
            assert step.next_title == parts[2].title
            shown.back.click()
            settle(window, qtbot)
            assert shown_step(window) == (parts[0].lesson, parts[0].step)
            shown.next.click()
            settle(window, qtbot)
        shown.next.click()
    assert shown.class_head.isVisible()  # after the last part, and from each of them
    shown.rows[1].click()
    settle(window, qtbot)
    shown.back_to_list.click()
    assert shown.class_head.isVisible()
    lessons.open(parts[0].lesson, 0)  # by itself, it is not a part
    settle(window, qtbot)
    assert there(lessons.step_shown).noun == "Step"
    lessons.step(1)
    settle(window, qtbot)
    assert shown_step(window)[0] == parts[0].lesson


def test_a_class_is_presented_part_by_part(window: MainWindow, qtbot: QtBot) -> None:
    ready = ready_classes()["class-letters"]
    parts = [part for part in ready.parts if part.lesson]
    window.lessons.open_list()
    next(one for one in panel(window).rows if one.row.id == ready.id).click()
    panel(window).rows[0].click()
    settle(window, qtbot)
    window.actions_by_id["present"].trigger()
    stage = there(window.presenting.shown)
    assert stage.deck.length == len(parts) - 1
    assert stage.deck.notes.startswith(parts[0].notes)
    stage.deck.go_to(2)
    settle(window, qtbot)
    assert shown_step(window) == (parts[2].lesson, parts[2].step)
    assert stage.deck.position == 2
    stage.close()


@pytest.mark.parametrize("typed", ["class", "worksheet", "lesson plan", "45 minutes letters"])
def test_classes_are_found_by_what_they_are(window: MainWindow, typed: str) -> None:
    window.lessons.open_list()
    shown = panel(window)
    shown.search.setText(typed)
    assert "class-letters" in [one.row.id for one in shown.rows]
    assert shown.nothing.isHidden()


def test_the_classes_below_the_lessons_are_shown(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 720)
    window.lessons.open_list()
    shown = panel(window)
    shown.search.setText("strawberry")
    shown.classes.click()
    row = next(one for one in shown.rows if one.row.ready)
    qtbot.waitUntil(lambda: row.hasFocus() and not row.visibleRegion().isEmpty())


def test_prose_has_room_between_its_paragraphs(qtbot: QtBot) -> None:
    label = off_screen(qtbot, ProseLabel())
    heights = []
    for text in ("One *word*.", "One *word*.\n\nTwo a < b.", "- one\n- two"):
        label.setText(text)
        assert label.text() == text
        heights.append(label.heightForWidth(300))
    one, two, items = heights
    assert abs(two - (2 * one + GRID)) <= 1  # the height of a line has a fraction
    assert items <= 2 * one + 2  # a list stays together


@pytest.mark.parametrize(("width", "height"), [(853, 480), (800, 600), (1440, 900)])
def test_the_panel_leaves_the_window_its_room(window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    window.lessons.open_list()
    assert (window.width(), window.height()) == (width, height)
    assert 280 <= panel(window).width() <= 380
    assert panel(window).width() <= 0.36 * width


def test_the_start_reads_no_lesson(window: MainWindow) -> None:
    assert window.lessons.list._reading is None
    assert window.lessons.panel is None


def test_the_page_of_the_next_step_is_made_while_one_reads(
    lesson: MainWindow, qtbot: QtBot
) -> None:
    assert lesson.workspace.name.id == "tokens"

    def made() -> bool:
        merges = next((one for one in lesson.spaces if one.name.id == "merges"), None)
        return isinstance(merges, PagedWorkspace) and "steps" in merges.made

    qtbot.waitUntil(made)
    assert lesson.workspace.name.id == "tokens"


# Lessons of strangers.

STRANGE = """+++
title = "Strange"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:tokenarium-8k"]
+++

## One

{{ merges("x" * 20000) }} ![a](/dev/zero) <img src="/dev/zero">

```scene
text = "{{ nothing() }}"
```

```question
kind = "split"
ask = "Split."
text = "{{ nothing() }}"
answer = '1'
```

## Two

It is {{ count(text) }}.

```scene
text = "plain"
```

```question
kind = "order"
ask = "Order."
answer = 'ids("a b " * 200)'
```

## Three

```question
kind = "click"
ask = "Click."
answer = 'nothing()'
```
"""


def test_a_strangers_lesson_is_shown_with_sentences(window: MainWindow, qtbot: QtBot) -> None:
    lessons_folder().mkdir(parents=True)
    (lessons_folder() / "strange.md").write_text(STRANGE)
    said: list[str] = emitted(window.session.problem)
    window.lessons.open("strange")
    settle(window, qtbot)
    assert "it takes too much work" in panel(window).prose.text()
    assert "<img" not in panel(window).prose.text().partition('<img src="/dev/zero">')[2]
    assert any("“nothing” is not a function" in one for one in said)
    assert window.session.text == "{{ nothing() }}"
    assert not panel(window).question.isVisible()
    window.lessons.step(1)
    settle(window, qtbot)
    count = len(window.session.chosen()[0].tokenizer.encode_ids("plain"))  # type: ignore[union-attr]
    assert panel(window).prose.text() == f"It is {count}."
    assert not panel(window).question.isVisible()  # it has too many parts
    window.lessons.step(1)
    settle(window, qtbot)
    window.session.select(0, 2)
    window.lessons.reveal()
    assert "“nothing” is not a function" in panel(window).question.verdict.text()


def test_only_a_strangers_lesson_needs_another_process(window: MainWindow, qtbot: QtBot) -> None:
    window.lessons.open("01-spaces-and-case")
    settle(window, qtbot)
    assert window.lessons.values._process is None
    lessons_folder().mkdir(parents=True)
    (lessons_folder() / "strange.md").write_text(STRANGE)
    window.lessons.refresh()
    window.lessons.open("strange")
    settle(window, qtbot)
    assert window.lessons.values._process is not None


def test_a_large_folder_is_read_between_events(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lesson_list, "AT_ONCE", 1)
    lessons_folder().mkdir(parents=True)
    (lessons_folder() / "small.md").write_text(LESSON)
    window.lessons.open_list()
    assert sum(not one.row.ready for one in panel(window).rows) == 1
    qtbot.waitUntil(lambda: sum(not one.row.ready for one in panel(window).rows) == 20)
