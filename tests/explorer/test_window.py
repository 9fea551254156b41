"""The window as a person uses it: writing, pointing, selecting, dropping, looks, and coming back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.actions import ACTIONS, plain_text
from tokenarium.app import make_window, sample_text
from tokenarium.inspecting import inspect
from tokenarium.models.editor_text import (
    LONGEST_LINE,
    character_offset,
    from_editor,
    to_editor,
    utf16_offset,
)
from tokenarium.models.text_file import TextFileError, read_text
from tokenarium.resources.samples_index import load_samples
from tokenarium.settings import Settings
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.views.workspace import has_focus
from tokenarium.widgets.inspector import Inspector
from tokenarium.widgets.measure_header import MeasureHeader
from tokenarium.widgets.panel import ElidedLabel
from tokenarium.widgets.switch_bar import SwitchBar
from tokenarium.window import WORKSPACES, MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier


# The text.


def test_what_is_typed_is_the_text(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(window.text.field, "ab c")
    assert window.session.text == "ab c"
    assert window.text.counts.text() == "4 characters · 4 bytes · 1 line"
    qtbot.keyClick(window.text.field, Qt.Key.Key_Z, CONTROL)
    assert window.session.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "a\u00a0b",
        "a\r\nb\rc\n",
        "tab\tand nul \0",
        "line\u2028separator",
        "😀 é \u200d",
        "\ufeffbom",
        "\ufffc",
    ],
)
def test_the_field_keeps_every_character(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.session.set_text(text)
    assert not window.text.field.isReadOnly()
    window.text.field.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(window.text.field, "x")
    assert window.session.text == text + "x"


@pytest.mark.parametrize("text", ["a\u2029b", "␍", "x" * (LONGEST_LINE + 1), "\ud800"])
def test_what_the_field_would_spoil_is_shown_but_not_edited(window: MainWindow, text: str) -> None:
    window.session.set_text(text)
    assert window.session.text == text
    assert window.text.field.isReadOnly()
    assert window.text.note.isVisible()
    window.session.set_text("fine")
    assert not window.text.field.isReadOnly()
    assert not window.text.note.isVisible()


def test_a_long_line_is_pasted_whole(window: MainWindow) -> None:
    window.session.set_text("ab")
    window.text.field.moveCursor(QTextCursor.MoveOperation.Right)
    data = QMimeData()
    data.setText("x" * LONGEST_LINE)
    window.text.field.insertFromMimeData(data)
    assert window.session.text == "a" + "x" * LONGEST_LINE + "b"
    assert window.text.field.isReadOnly()


def test_a_large_paste_leaves_the_cursor_behind_it(window: MainWindow) -> None:
    window.session.set_text("ab")
    window.text.field.moveCursor(QTextCursor.MoveOperation.Right)
    data = QMimeData()
    data.setText("line\n" * 100_000)
    window.text.field.insertFromMimeData(data)
    assert window.session.text == "a" + "line\n" * 100_000 + "b"
    assert window.text.field.textCursor().position() == 500_001


def test_a_sample_can_be_undone(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClicks(window.text.field, "mine")
    window.session.set_text(sample_text("prose-de"))
    window.text.field.undo()
    assert window.session.text == "mine"


def test_the_sample_menu_has_every_sample(window: MainWindow) -> None:
    window.sample_menu.aboutToShow.emit()
    groups = [action.menu() for action in window.sample_menu.actions()]
    actions = [action for menu in groups if menu is not None for action in menu.actions()]  # type: ignore[attr-defined]
    assert [action.text() for action in actions] == [sample.title for sample in load_samples()]
    actions[-1].trigger()
    assert window.session.text == load_samples()[-1].text()


def test_the_clipboard_becomes_the_text_and_clear_empties_it(window: MainWindow) -> None:
    QGuiApplication.clipboard().setText("from elsewhere")
    window.actions_by_id.refresh()
    window.actions_by_id["paste_text"].trigger()
    assert window.session.text == "from elsewhere"
    window.actions_by_id.refresh()
    window.actions_by_id["clear_text"].trigger()
    assert window.session.text == ""


def test_a_dropped_text_file_is_opened(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Größe\r\n".encode())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    window.text.field.insertFromMimeData(data)
    assert window.session.text == "Größe\r\n"


def test_json_is_a_text_and_a_broken_model_is_not(window: MainWindow, tmp_path: Path) -> None:
    data, broken = tmp_path / "data.json", tmp_path / "broken.model"
    data.write_text('{"some": "data"}')
    broken.write_bytes(b"\x00\x01 garbage")
    window.take_files([data])
    assert window.session.text == '{"some": "data"}'
    window.take_files([broken])
    assert window.session.text == '{"some": "data"}'
    assert [entry.name for entry in window.session.library][-1] == "broken"


def test_a_file_that_is_not_text_changes_nothing_and_says_where(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(b"one\ntwo\xe9")
    window.session.set_text("mine")
    window.take_files([path])
    assert window.session.text == "mine"
    assert window.messages.isVisible()
    assert "0xE9 at offset 7 (line 2)" in window.messages.label.text()
    qtbot.mouseClick(window.messages.close_button, Qt.MouseButton.LeftButton)
    assert not window.messages.isVisible()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="cannot be read"):
        read_text(tmp_path / "none.txt")


def test_wide_characters_are_read_and_what_is_no_text_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for encoding in ("utf-16", "utf-32"):
        path.write_bytes("Grüße\r\n🎉".encode(encoding))
        assert read_text(path) == "Grüße\r\n🎉"
    path.write_bytes(b"\xfe\xff" + "Grüße".encode("utf-16-be"))
    assert read_text(path) == "Grüße"
    for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xfea"):
        path.write_bytes(content)
        with pytest.raises(TextFileError, match="is no text"):
            read_text(path)
    with pytest.raises(TextFileError, match="is a folder"):
        read_text(tmp_path)


@given(st.text())
def test_the_way_through_the_field_and_back(text: str) -> None:
    fit = to_editor(text)
    if fit.editable:
        assert from_editor(fit.shown.replace("\n", "\u2029")) == text


@given(st.text(), st.data())
def test_utf16_offsets(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    assert character_offset(text, utf16_offset(text, character)) == character


# Pointing and selecting.


def test_a_selection_in_the_field_is_the_selected_bytes(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("é😀ab")
    window.text.field.setFocus()
    cursor = window.text.field.textCursor()
    cursor.setPosition(1)
    cursor.setPosition(4, QTextCursor.MoveMode.KeepAnchor)
    window.text.field.setTextCursor(cursor)
    assert window.session.selection == (2, 7)
    qtbot.waitUntil(lambda: "bytes 2 to 7" in window.inspector.span.text())
    assert window.inspector.piece.text() == "😀a"
    rows = [window.inspector.characters.topLevelItem(k) for k in range(2)]
    assert [row.text(1) for row in rows if row is not None] == ["U+1F600", "U+0061"]
    assert [row.text(3) for row in rows if row is not None] == [
        "GRINNING FACE",
        "LATIN SMALL LETTER A",
    ]


def test_the_inspector_shows_the_tokens_of_every_tokenizer(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("Hello, world")
    window.session.select(5, 12)
    qtbot.waitUntil(lambda: window.inspector.tokens.topLevelItemCount() == 1)
    head = window.inspector.tokens.topLevelItem(0)
    assert head is not None
    tokens = [head.child(k) for k in range(head.childCount())]
    assert "".join(token.text(0) for token in tokens) == ",·world"
    assert tokens[0].text(2) == "5–6"
    assert tokens[0].text(3) == "punctuation"
    window.inspector.tokens.itemClicked.emit(tokens[0], 0)
    assert window.session.selection == (5, 6)


def test_a_long_selection_goes_on_in_the_next_line_of_the_inspector(window: MainWindow) -> None:
    window.session.set_text("some words of a long line " * 5)
    window.session.select(0, window.session.text_map.byte_count)
    QApplication.processEvents()
    piece = window.inspector.piece
    assert piece.minimumSizeHint().width() < window.inspector.width()


def test_pointing_at_bytes_marks_them_in_the_field(window: MainWindow) -> None:
    window.session.set_text("é b")
    window.session.point_at(0, 1)  # half of the letter
    marks = window.text.field.extraSelections()
    assert [mark.cursor.selectedText() for mark in marks] == ["é"]  # type: ignore[attr-defined]
    window.session.point_at(-1, -1)
    assert window.text.field.extraSelections() == []


def test_copying_takes_the_selection_or_all(window: MainWindow) -> None:
    window.session.set_text("Hello, world")
    clipboard = QGuiApplication.clipboard()
    window.actions_by_id.refresh()
    window.actions_by_id["copy_text"].trigger()
    assert clipboard.text() == "Hello, world"
    window.session.select(5, 6)
    window.actions_by_id["copy_ids"].trigger()
    tokenizer = window.session.chosen()[0].tokenizer
    assert tokenizer is not None
    assert clipboard.text() == str(tokenizer.encode_ids(","))


# The window itself.


def test_the_focus_follows_into_a_workspace(window: MainWindow) -> None:
    actions = window.actions_by_id
    window.text.field.setFocus()
    actions["vocabulary"].trigger()
    assert window.text.field.hasFocus()  # who writes goes on writing
    actions["vocabulary"].trigger()
    assert has_focus(window.workspace)
    for name in ("compare", "compare_languages", "scripts", "script_treemap", "tokens"):
        actions[name].trigger()
        assert has_focus(window.workspace), name
    actions["vocabulary_diagnostics"].trigger()
    view = window.workspace
    assert isinstance(view, VocabularyView)
    assert not view.diagnostics.button.hasFocus()
    view.desk.stop()


def test_f6_goes_round_the_panes(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("text")
    window.session.select(0, 4)
    qtbot.waitUntil(window.inspector.tokens.isVisible)
    window.library.tree.setFocus()
    seen = []
    for _ in range(4):
        window.actions_by_id["next_pane"].trigger()
        focus = window.focusWidget()
        assert focus is not None
        seen.append(focus.accessibleName())
    assert seen == ["Text to be cut into tokens", "Tokenarium 8k", "Tokens", "Tokenizer library"]


def test_tab_goes_through_the_window_as_one_reads_it(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("text")
    window.session.select(0, 4)
    qtbot.waitUntil(window.inspector.tokens.isVisible)
    qtbot.waitUntil(lambda: not window._refresh_soon.isActive())

    def walk(start: QWidget, steps: int) -> list[str]:
        start.setFocus()
        seen = []
        for _ in range(steps):
            focus = window.focusWidget()
            assert focus is not None
            seen.append(focus.accessibleName())
            qtbot.keyClick(focus, Qt.Key.Key_Tab)
        return seen

    names = walk(window.library.controls[0], 4)
    library = ["Find tokenizers …", "Open tokenizer …", "Tokenizer library"]
    assert names == [*library, "Choose a sample text"]
    switches = ["Show whitespace", "No annotations", "Annotate with ids", "Annotate with bytes"]
    switches.append("Recognise special tokens")
    inspector = ["Characters", "Tokens"]
    assert walk(window.tabs, 9) == ["Workspaces", *switches, "Tokenarium 8k", *inspector]


def test_much_is_inspected_in_two_frames(window: MainWindow, qtbot: QtBot) -> None:
    inspector, session = Inspector(), window.session
    qtbot.addWidget(inspector)

    def show(end: int) -> list[int]:
        session.select(0, end)
        inspector.show_bytes(inspect(session, window.appearance.theme))
        return shown()

    def shown() -> list[int]:
        tokens = inspector.tokens.topLevelItem(0)
        return [inspector.characters.topLevelItemCount(), tokens.childCount() if tokens else 0]

    session.set_text("a b " * 200)
    qtbot.waitUntil(lambda: session.encoded("shipped:tokenarium-8k") is not None)
    few = show(8)
    assert few[0] == 8
    assert few[1] > 0
    assert show(160) == [160, few[1]]
    qtbot.waitUntil(lambda: shown()[1] > 50)
    assert show(120)[0] == 120
    assert show(8) == few
    qtbot.wait(60)
    assert shown() == few  # those of before have no turn any more


@pytest.mark.parametrize("pane", ["library", "text", "inspector"])
def test_panes_come_and_go(window: MainWindow, pane: str) -> None:
    action = window.actions_by_id[f"show_{pane}"]
    assert action.isChecked()
    action.trigger()
    part = {"library": window.library, "text": window.text.body, "inspector": window.inspector}[
        pane
    ]
    assert not part.isVisible()
    action.trigger()
    assert part.isVisible()


def test_the_colour_scheme_can_be_chosen(window: MainWindow) -> None:
    window.actions_by_id["scheme_dark"].trigger()
    assert window.appearance.theme.dark
    assert QApplication.palette().window().color() == window.appearance.theme.window
    window.actions_by_id["scheme_light"].trigger()
    assert not window.appearance.theme.dark


def test_the_next_window_takes_up_where_this_one_was_left(
    window: MainWindow, qapp: QApplication, store: Settings, qtbot: QtBot
) -> None:
    window.show_workspace("pretokens")
    window.show_inspector(False)
    window.session.set_annotations("ids")
    window.session.set_patterns(["digits"])
    window.session.turn_on("shipped:tokenarium-8k", False)
    window.resize(780, 640)
    window.close()
    other = make_window(qapp, store)
    qtbot.addWidget(other)
    assert other.workspace.id == "pretokens"
    assert not other.inspector_is_shown()
    assert other.session.annotations == "ids"
    assert other.session.patterns == ("digits",)
    assert not [entry for entry in other.session.library if entry.on]
    assert other.height() == window.height()


def test_every_control_has_a_name(window: MainWindow) -> None:
    window.show_workspace("pretokens")
    window.session.set_patterns(["own", "gpt2"])
    window.session.set_text("abc")
    nameless = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and widget.isVisibleTo(window)
    ]
    assert [(type(w).__name__, w.objectName()) for w in nameless] == []


# Room.


def test_the_window_fits_a_small_screen(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello, world")
    window.show_workspace("pretokens")
    window.show_workspace("tokens")
    window.resize(1200, 700)
    assert window.inspector_is_shown()
    window.resize(800, 600)
    assert (window.width(), window.height()) == (800, 600)
    assert not window.inspector_is_shown()  # gives way …
    qtbot.waitUntil(lambda: window.tabs.width() >= window.tabs.sizeHint().width())  # all are seen
    window.show_inspector(True)
    assert window.width() == 800  # … but has room where it is asked for
    window.show_inspector(False)
    window.resize(1200, 700)
    assert not window.inspector_is_shown()  # … and what a person closed stays closed


def test_an_inspector_that_gave_way_comes_back(window: MainWindow) -> None:
    window.resize(1200, 700)
    window.resize(800, 600)
    assert not window.inspector_is_shown()
    window.resize(1200, 700)
    assert window.inspector_is_shown()


def test_charts_and_tables_have_the_room_of_the_inspector(window: MainWindow) -> None:
    window.resize(1200, 700)
    strip = window.pipelining.strip
    window.show_workspace("scripts")
    assert not window.inspector_is_shown()
    assert not strip.isVisible()
    window.show_workspace("compare")
    assert not window.inspector_is_shown()
    window.compare_commands.show_compare_page("differences")  # tokens of the text are seen there
    assert window.inspector_is_shown()
    assert strip.isVisible()
    window.show_workspace("vocabulary")
    window.show_inspector(True)
    window.show_workspace("tokens")
    window.show_workspace("train")
    assert window.inspector_is_shown()  # as it was asked for in another workspace without the text


def come_to_rest(window: MainWindow, qtbot: QtBot) -> None:
    """Waits until the workspace shows the text: how much room it asks for is not known before."""
    session = window.session
    qtbot.waitUntil(
        lambda: (
            session.grapheme_edges is not None
            and not session.jobs.running()
            and not window.workspace.busy
            and window.at_rest
        )
    )


@pytest.mark.parametrize("space", [space.id for space in WORKSPACES])
def test_every_workspace_fits_a_small_screen_at_once(
    window: MainWindow, qtbot: QtBot, space: str
) -> None:
    window.session.set_text("Hello, world")
    window.show_workspace(space)
    window.resize(1440, 900)
    QApplication.processEvents()
    window.resize(800, 600)
    assert (window.width(), window.height()) == (800, 600)  # while it does not show the text yet …
    come_to_rest(window, qtbot)
    assert (window.width(), window.height()) == (800, 600)  # … when it does …
    window.resize(1440, 900)
    come_to_rest(window, qtbot)
    window.resize(800, 600)
    assert (window.width(), window.height()) == (800, 600)  # … and when it had room for it


def test_what_was_shown_before_keeps_no_window_large(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello, world")
    for space in WORKSPACES:
        window.show_workspace(space.id)
    window.play_commands.show_merge_page("training")
    window.show_workspace("bytes")
    window.resize(1440, 900)
    window.session.select(0, 5)
    for space in ("bytes", "merges", "tokens"):
        window.show_workspace(space)
        window.resize(1440, 900)
        come_to_rest(window, qtbot)
        window.resize(800, 600)
        assert (window.width(), window.height()) == (800, 600)


def test_an_inspector_that_is_asked_for_is_not_cut(window: MainWindow) -> None:
    window.session.set_text("Hello, world")
    window.show_workspace("bytes")
    window.resize(1440, 900)
    window.resize(800, 600)
    window.show_inspector(True)
    QApplication.processEvents()
    assert window.inspector.geometry().right() < window.columns.width() <= window.width()


def test_switches_go_below_the_tabs_where_they_have_no_room_beside_them(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.show_workspace("merges")
    bar = window._switches
    window.resize(2400, 800)
    qtbot.waitUntil(lambda: bar.geometry().top() < window.tabs.geometry().bottom())
    window.resize(1400, 800)
    qtbot.waitUntil(lambda: bar.geometry().top() >= window.tabs.geometry().bottom())
    row = bar.currentWidget()
    assert isinstance(row, SwitchBar)
    assert not row.more.isVisible()


def test_switches_without_room_are_a_menu(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1800, 800)
    window.show_workspace("tokens")
    bar = window.findChild(SwitchBar)
    assert isinstance(bar, SwitchBar)
    bar.setParent(None)
    qtbot.addWidget(bar)
    bar.show()
    bar.resize(600, 40)
    assert [button.isVisibleTo(bar) for button in bar.buttons] == [True] * 5
    bar.resize(120, 40)
    assert [button.isVisibleTo(bar) for button in bar.buttons] == [False] * 5
    assert bar.more.isVisibleTo(bar)
    actions = [action for action in bar.menu.actions() if not action.isSeparator()]
    assert actions == [button.defaultAction() for button in bar.buttons]


def test_a_line_without_room_is_elided_and_told_on_hover(qtbot: QtBot) -> None:
    label = ElidedLabel("34 end inside a character")
    qtbot.addWidget(label)
    label.set_tip("What that means")
    label.show()
    label.resize(400, 20)
    assert label.toolTip() == "What that means"
    label.resize(60, 20)
    assert label.toolTip() == "34 end inside a character\nWhat that means"


def test_a_sentence_goes_on_over_its_lines(qtbot: QtBot) -> None:
    label = ElidedLabel("A sentence of seven words 😀😀 and more 😀 behind it")
    qtbot.addWidget(label)
    label.show()
    width = label.fontMetrics().horizontalAdvance(label.text())
    for lines, share, told in ((1, 0.7, True), (2, 0.7, False), (2, 0.3, True), (1, 1.1, False)):
        label.set_lines(lines)
        label.resize(round(share * width), label.minimumHeight())
        label.grab()
        assert bool(label.toolTip()) is told
    label.set_lines(2)
    assert label.minimumHeight() >= 2 * label.fontMetrics().lineSpacing()


def test_the_means_give_way_to_the_name(qtbot: QtBot) -> None:
    header = MeasureHeader("cl100k_base", "token", QColor("red"))
    qtbot.addWidget(header)
    numbers = (header.parts, header.bytes, header.characters)
    for width, seen in ((600, [True, True, True]), (330, [True, True, False])):
        header.resize(width, 32)
        header.show()
        assert [label.isVisibleTo(header) for label in numbers] == seen


def test_the_shortcut_sheet_has_every_action(window: MainWindow) -> None:
    window.actions_by_id["shortcuts"].trigger()
    sheet = window.shortcut_sheet
    assert sheet is not None
    heads = [sheet.table.topLevelItem(k) for k in range(sheet.table.topLevelItemCount())]
    rows = [head.child(k) for head in heads if head is not None for k in range(head.childCount())]
    listed = {(row.text(0), row.text(1)) for row in rows}
    for spec in ACTIONS:
        assert (plain_text(spec).removesuffix(" …"), spec.shortcut) in listed
    sheet.close()


def test_the_room_of_the_text_goes_to_the_workspace_and_comes_back(window: MainWindow) -> None:
    window.resize(1440, 900)
    QApplication.processEvents()
    before = window.workspace.height()
    text = window.text.height()
    window.show_text(False)
    QApplication.processEvents()
    assert window.text.height() == window.text.maximumHeight() < text
    assert window.workspace.height() >= before + text - window.text.height()
    window.show_text(True)
    QApplication.processEvents()
    assert window.text.height() == text
    assert window.workspace.height() == before
