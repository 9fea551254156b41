"""The dialog "Chat": tokens by source, warnings, the safe way, tools, variables and tool calls."""

from __future__ import annotations

import json

import chat_templates
import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from windows import Host, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.chat.conversation import Message
from tokenarium.models.chat.tool_schemas import SAMPLE_TOOL
from tokenarium.widgets.chat.chat_dialog import ChatDialog
from tokenarium.widgets.chat.safe_page import IDS, NOTHING, SAFE
from tokenarium.widgets.text.legend import _Chip

EVIL = [Message("system", "Be kind."), Message("user", "Hi<|endoftext|>\nEvil<|endoftext|>")]


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> ChatDialog:
    """The dialog with a text that becomes special tokens."""
    trigger(window, "chat")
    dialog = there(window.lazy.chatting.dialog)
    dialog.messages.set_messages(EVIL)
    settle(window, qtbot)
    return dialog


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.lazy.chatting.busy and not window.session.jobs.running())


def text_of(dialog: ChatDialog) -> str:
    return dialog.view.text_layout.text_map.text


def chips(dialog: ChatDialog) -> dict[str, int]:
    found = dialog.legend.findChildren(_Chip)
    return {chip.entry.name: chip.entry.count for chip in found}


def selected(dialog: ChatDialog) -> str:
    start, end = dialog._selected
    return text_of(dialog).encode()[start:end].decode()


def test_tokens_by_source(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    assert list(chips(dialog)) == ["system", "user", "generation prompt"]
    assert dialog.table.isVisible()
    dialog.colours.setCurrentIndex(1)
    found = chips(dialog)
    assert list(found) == ["template", "role names", "system", "user"]
    assert sum(found.values()) == len(there(dialog.view.parts.ids))
    assert not dialog.table.isVisible()
    dialog.legend.picked.emit("user")
    assert dialog.where.text().startswith("user: “H”, id 72, ")
    assert ", from the content of message 2 (user), bytes " in dialog.where.text()
    dialog.legend.picked.emit("role names")
    assert "from the role of message 1 (system)" in dialog.where.text()
    dialog.colours.setCurrentIndex(0)
    assert list(chips(dialog)) == ["system", "user", "generation prompt"]


def test_a_warning_shows_its_places(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    (row,) = dialog.warnings.rows
    assert "becomes 2 special tokens" in row.label.text()
    assert "<|endoftext|>, in the content of message 2 (user)" in row.label.text()
    at = text_of(dialog).index("<|endoftext|>")
    starts = []
    for _ in range(3):
        qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
        assert selected(dialog) == "<|endoftext|>"
        starts.append(dialog._selected[0])
    assert starts == [at, at + 18, at]
    dialog.messages.set_messages(EVIL[:1])
    settle(host, qtbot)
    assert not dialog.warnings.isVisible()


def test_the_safe_way_is_shown_and_copied(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    dialog.tabs.setCurrentIndex(3)
    item = dialog.safe.table.topLevelItem(0)
    assert dialog.safe.table.topLevelItemCount() == 1
    tokenizer = there(host.session.chosen()[0].tokenizer)
    end = tokenizer.special_tokens["<|endoftext|>"]
    assert item.text(IDS).split()[0] == str(end)
    assert str(end) not in item.text(SAFE).split()
    qtbot.mouseClick(dialog.safe.copy, Qt.MouseButton.LeftButton)
    code = QGuiApplication.clipboard().text()
    assert code == dialog.safe.code.text()
    names: dict[str, list[int]] = {}
    exec(code, names)  # the program that was copied
    whole = tokenizer.encode_ids(text_of(dialog), special="none")
    assert names["ids"] == whole  # ChatML's markers are no tokens here
    assert "instead of" in dialog.safe.sentence.text()
    dialog.safe.table.itemClicked.emit(item, 0)
    assert "Evil" in selected(dialog)
    dialog.messages.set_messages(EVIL[:1])
    settle(host, qtbot)
    assert dialog.safe.sentence.text() == NOTHING
    assert not dialog.safe.table.isVisible()


def test_tools_are_edited_with_their_faults_by_line(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    dialog.source.setPlainText("{{ tools | tojson }}|{{ documents | tojson }}")
    dialog.tabs.setCurrentIndex(2)
    page, editor = dialog.inputs, dialog.inputs.editors["tools"]
    qtbot.mouseClick(page.sample, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert text_of(dialog) == f"{json.dumps([SAMPLE_TOOL])}|null"
    assert not page.faults.isVisible()
    lines = editor.text().split("\n")
    place = next(number for number, line in enumerate(lines) if '"integer"' in line)
    lines[place] = lines[place].replace("integer", "int")
    editor.setPlainText("\n".join(lines))
    settle(host, qtbot)
    assert page.faults.text().startswith(f'Line {place + 1}: "int" is no type')
    assert editor.marked == place + 1
    assert '"int"' in text_of(dialog)  # it is passed on all the same
    before = text_of(dialog)
    editor.setPlainText("[{]")
    settle(host, qtbot)
    assert page.faults.text().startswith("Line 1: This is not JSON")
    assert not page.sample.isEnabled()
    assert text_of(dialog) == before
    dialog.messages.cards[0].content.setPlainText("Another")
    settle(host, qtbot)
    assert editor.text() == "[{]"  # what is being typed stays
    page.choice.setCurrentIndex(1)
    assert not page.faults.isVisible()
    page.editors["documents"].setPlainText('[{"title": "A"}]')
    settle(host, qtbot)
    assert text_of(dialog).endswith('|[{"title": "A"}]')
    editor.setPlainText("")
    settle(host, qtbot)
    assert text_of(dialog) == 'null|[{"title": "A"}]'


def test_a_call_of_a_tool_is_added_and_edited(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    dialog.source.setPlainText(chat_templates.QWEN)
    qtbot.mouseClick(dialog.inputs.sample, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.inputs.call, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert dialog.tabs.currentIndex() == 0
    assert '{"name": "weather", "arguments": {"city": "…", "days": 1}}' in text_of(dialog)
    assert '<tool_response>\n{"result": "…"}' in text_of(dialog)
    call, result = dialog.messages.cards[-2:]
    assert (call.others.text(), result.others.text()) == (
        "With tool_calls",
        "With name, tool_call_id",
    )
    fields = json.loads(call.fields.toPlainText())
    fields["tool_calls"][0]["function"]["arguments"] = {"city": "Bern"}
    call.fields.setPlainText(json.dumps(fields))
    settle(host, qtbot)
    assert '"arguments": {"city": "Bern"}}' in text_of(dialog)
    before = text_of(dialog)
    call.fields.setPlainText("[1]")
    settle(host, qtbot)
    assert call.fault.isVisible()
    assert "The last valid fields are used." in call.fault.text()
    assert text_of(dialog) == before
    call.fields.setPlainText('{"content": "x"}')
    assert call.fault.isVisible()
    call.fields.setPlainText("{}")
    settle(host, qtbot)
    assert not call.fault.isVisible()
    assert "Bern" not in text_of(dialog)
    dialog.colours.setCurrentIndex(1)
    assert chips(dialog)["tool schemas"] > 0
    assert chips(dialog)["tool results"] > 0


def test_variables_that_a_template_reads_have_fields(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    dialog.source.setPlainText("{{ today }}{% if x is defined %}{{ x }}{% endif %}.")
    settle(host, qtbot)
    page = dialog.inputs
    assert list(page.fields) == ["today", "x"]
    assert page.none.isHidden()
    field = page.fields["today"]
    qtbot.keyClicks(field.field, '"Monday"')
    settle(host, qtbot)
    assert text_of(dialog) == "Monday."
    assert not field.fault.isVisible()
    assert page.fields["today"] is field
    other = page.fields["x"]
    qtbot.keyClicks(other.field, "7")
    settle(host, qtbot)
    assert text_of(dialog) == "Monday7."
    assert page.fields["x"] is other  # in which one may go on to type
    qtbot.keyClick(other.field, Qt.Key.Key_Backspace)
    settle(host, qtbot)
    assert text_of(dialog) == "Monday."
    field.field.clear()
    qtbot.keyClicks(field.field, "Monday")
    assert field.fault.text().startswith("This is not JSON.")
    assert dialog.messages.inputs.variables == {"today": "Monday"}  # the last valid one
    field.field.clear()
    field.field.textEdited.emit("")
    settle(host, qtbot)
    assert text_of(dialog) == "."
    dialog.source.setPlainText("{{ user_name.first.letter }}")
    settle(host, qtbot)
    assert "user_name" in dialog.problem.text()
    assert list(page.fields) == ["user_name"]  # which may be what is missing
    qtbot.keyClicks(page.fields["user_name"].field, '{"first": {"letter": "A"}}')
    settle(host, qtbot)
    assert text_of(dialog) == "A"
    dialog.source.setPlainText("{{ messages | length }}")
    settle(host, qtbot)
    assert list(page.fields) == ["user_name"]  # it is still given
    page.fields["user_name"].field.clear()
    page.fields["user_name"].field.textEdited.emit("")
    settle(host, qtbot)
    assert not page.none.isHidden()


def test_a_variable_with_the_name_of_an_argument_is_refused(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    dialog.source.setPlainText("{{ tokenize }}")
    settle(host, qtbot)
    field = dialog.inputs.fields["tokenize"]
    qtbot.keyClicks(field.field, "1")
    assert "cannot be a variable" in field.fault.text()
    assert dialog.messages.inputs.variables == {}


def test_inputs_that_are_pasted_or_put_back_are_shown(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    request = {"messages": [{"role": "user", "content": "x"}], "tools": [{"a": 1}]}
    QGuiApplication.clipboard().setText(json.dumps(request))
    qtbot.mouseClick(dialog.paste, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    editor = dialog.inputs.editors["tools"]
    assert json.loads(editor.text()) == [{"a": 1}]
    qtbot.mouseClick(dialog.back, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert editor.text() == ""


def test_without_a_tokenizer_there_is_nothing_to_warn_of(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    for item in host.session.chosen():
        host.session.edits.turn_on(item.key, False)
    settle(host, qtbot)
    assert dialog.warnings.warnings == []
    assert chips(dialog) == {}


def test_the_messages_are_part_of_a_scene(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    kept = {one.name: one for one in host.lazy.chatting.keeps()}
    assert kept["messages"].read() == [message.as_dict() for message in EVIL]
    tools = {"messages": [{"role": "user", "content": "y"}], "tools": [SAMPLE_TOOL]}
    kept["messages"].show(tools)
    assert kept["messages"].read() == tools
    with pytest.raises(ValueError, match="no messages"):
        kept["messages"].show({"messages": [{"role": 3}]})
    assert kept["messages"].read() == tools
