"""The dialog "Chat": messages and template at the left, tokens by role at the right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from narrowed import there
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import Host, add_file, trigger

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models.chat.chat_template import (
    PROMPT,
)
from tokenarium.models.chat.conversation import (
    SAMPLE,
    STARTS,
    Message,
    from_json,
    to_json,
)
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.widgets.chat.chat_dialog import ADDED, MESSAGES, ROLE, TOKENS, ChatDialog
from tokenarium.widgets.text.legend import LOST, LegendEntry, _Chip

PLAIN = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> ChatDialog:
    """The dialog with the sample conversation."""
    trigger(window, "chat")
    dialog = there(window.lazy.chatting.dialog)
    settle(window, qtbot)
    return dialog


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Waits until the text is written and encoded."""
    qtbot.waitUntil(lambda: not window.lazy.chatting.busy and not window.session.jobs.running())


def cells(dialog: ChatDialog) -> dict[str, tuple[str, str, str]]:
    """The rows of the table."""
    items = [dialog.table.topLevelItem(row) for row in range(dialog.table.topLevelItemCount())]
    return {
        item.text(ROLE): (item.text(MESSAGES), item.text(TOKENS), item.text(ADDED))
        for item in items
    }


def shown(dialog: ChatDialog) -> str:
    return dialog.view.text_layout.text_map.text


def write(dialog: ChatDialog, host: Host, qtbot: QtBot, source: str) -> None:
    dialog.source.setPlainText(source)
    settle(host, qtbot)


def test_nothing_of_it_is_loaded_before(window: MainWindow) -> None:
    assert "chatting" not in vars(window.lazy)


def test_the_sample_by_role(host: Host, dialog: ChatDialog) -> None:
    assert dialog.messages.messages() == list(SAMPLE)
    text = STARTS[0].template().text_of([message.as_dict() for message in SAMPLE], True)
    assert shown(dialog) == text
    tokenizer = there(host.session.chosen()[0].tokenizer)
    encoding = tokenizer.encode(text, "all")
    parts = dialog.view.parts
    assert there(parts.ids).tolist() == np.asarray(memoryview(encoding.ids)).tolist()
    assert parts.rule_names == ("system", "user", "assistant", PROMPT)
    rows = cells(dialog)
    assert list(rows) == ["all", "system", "user", "assistant", PROMPT]
    assert [rows[role][0] for role in rows] == ["4", "1", "2", "1", ""]
    assert rows["all"][1] == f"{len(encoding):,}"
    assert rows[PROMPT][1] == rows[PROMPT][2]
    assert "<|im_start|>, <|im_end|>" in dialog.notes.text()


def test_writing_a_message(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    qtbot.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    card = dialog.messages.cards[-1]
    assert card.role.currentText() == "assistant"
    qtbot.keyClicks(card.content, "Ins Museum.")
    card.role.setCurrentText("critic")
    dialog.prompt.setChecked(False)
    settle(host, qtbot)
    assert shown(dialog).endswith("<|im_start|>critic\nIns Museum.<|im_end|>\n")
    assert cells(dialog)["critic"][0] == "1"
    card.role.setCurrentText("")
    settle(host, qtbot)
    assert cells(dialog)["no role"][0] == "1"
    dialog.legend.picked.emit("no role")
    assert dialog.where.text().startswith("no role: ")
    assert PROMPT not in cells(dialog)


def test_moving_and_removing(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    first, second, *rest = SAMPLE
    cards = dialog.messages.cards
    assert not cards[0].up.isEnabled()
    assert not cards[-1].down.isEnabled()
    qtbot.mouseClick(cards[0].down, Qt.MouseButton.LeftButton)
    assert dialog.messages.messages() == [second, first, *rest]
    assert cards[0].up.accessibleName() == "Move up message 1 of 4"
    qtbot.mouseClick(cards[1].up, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(cards[1].remove, Qt.MouseButton.LeftButton)
    assert dialog.messages.messages() == [first, *rest]
    settle(host, qtbot)
    assert cells(dialog)["user"][0] == "1"
    qtbot.mouseClick(dialog.back, Qt.MouseButton.LeftButton)
    assert dialog.messages.messages() == list(SAMPLE)
    assert not dialog.back.isEnabled()
    for _ in SAMPLE:
        qtbot.mouseClick(dialog.messages.cards[0].remove, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert shown(dialog) == "<|im_start|>assistant\n"
    qtbot.mouseClick(dialog.sample, Qt.MouseButton.LeftButton)
    assert dialog.messages.messages() == list(SAMPLE)


@pytest.mark.parametrize(
    "content", ["a\r\nb", "\u00a0\ufeff", "\ufeffx", "\U0001f600 雨", "\t", "x" * 120_000]
)
def test_a_content_is_kept_as_it_is(
    host: Host, dialog: ChatDialog, qtbot: QtBot, content: str
) -> None:
    dialog.messages.set_messages([Message("user", content)])
    settle(host, qtbot)
    assert dialog.messages.messages() == [Message("user", content)]
    assert content in shown(dialog)


def test_editing_the_source(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    before = shown(dialog)
    write(dialog, host, qtbot, "{% for m in messages %}\n{{ m.content }\n{% endfor %}")
    assert "line 2" in dialog.problem.text()
    assert dialog.source.marked == 2
    assert shown(dialog) == before
    write(dialog, host, qtbot, PLAIN)
    assert not dialog.problem.isVisible()
    assert dialog.source.marked == 0
    assert shown(dialog).startswith("system: You plan")
    assert dialog.origin.text().endswith("edited")
    dialog.choice.activated.emit(1)
    settle(host, qtbot)
    assert shown(dialog).startswith("<|begin_of_text|>")
    dialog.choice.activated.emit(0)
    settle(host, qtbot)
    assert shown(dialog).startswith("system: You plan")
    dialog.tabs.setCurrentIndex(1)
    qtbot.mouseClick(dialog.reset, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert shown(dialog) == before
    assert not dialog.reset.isEnabled()


def test_a_hostile_template_is_stopped_and_reported(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    write(dialog, host, qtbot, "\n{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}")
    assert "was stopped in line 2" in dialog.problem.text()
    write(dialog, host, qtbot, "{{ ''.__class__.__mro__ }}")
    assert "unsafe" in dialog.problem.text()


def test_parts_that_are_guessed_are_reported(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    write(dialog, host, qtbot, "{{ messages[-1].content }}!")
    assert "are estimated" in dialog.notes.text()
    write(dialog, host, qtbot, "{% for m in messages %}{{ m.content.upper() }}{% endfor %}")
    assert "guessed" not in dialog.notes.text()
    assert "writes 0 (0%)" in dialog.notes.text()
    write(dialog, host, qtbot, "{% for m in messages %}{{ m.content | wordwrap(9) }}{% endfor %}")
    assert "cannot be followed" in dialog.notes.text()
    assert cells(dialog)["all"][2] == "?"
    assert cells(dialog)["all"][2] == "?"


def test_a_template_that_writes_nothing(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    write(dialog, host, qtbot, "{# nothing #}")
    assert shown(dialog) == ""
    assert not dialog.use.isEnabled()


def test_using_it_as_the_text_can_be_undone(
    window: MainWindow, dialog: ChatDialog, qtbot: QtBot
) -> None:
    window.session.set_text("before")
    text = shown(dialog)
    qtbot.mouseClick(dialog.use, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()
    assert window.session.text == text
    assert window.session.special == "all"
    window.actions_by_id["undo"].trigger()
    assert window.session.text == "before"


def test_the_messages_of_last_time(window: MainWindow, store: Settings, qtbot: QtBot) -> None:
    store.set(settings.CHAT_MESSAGES, to_json([Message("tool", "{}"), Message("user", "Oh")]))
    store.set(settings.CHAT_PROMPT, False)
    window.lazy.chatting.chat()
    dialog = there(window.lazy.chatting.dialog)
    assert dialog.messages.messages() == [Message("tool", "{}"), Message("user", "Oh")]
    assert not dialog.prompt.isChecked()
    qtbot.keyClicks(dialog.messages.cards[1].content, "Ah, ")
    window.close()
    assert from_json(store.get(settings.CHAT_MESSAGES)) == [
        Message("tool", "{}"),
        Message("user", "Ah, Oh"),
    ]


def test_settings_that_are_no_messages(window: MainWindow, store: Settings) -> None:
    store.set(settings.CHAT_MESSAGES, "?")
    window.lazy.chatting.chat()
    assert there(window.lazy.chatting.dialog).messages.messages() == list(SAMPLE)


def save_model(folder: Path, config: dict[str, object]) -> Path:
    """Puts a tokenizer and its settings into a folder."""
    folder.mkdir()
    tokenizer = tc.train("bpe", ["abc abc"], vocab_size=258, special_tokens=["<|im_end|>"])
    tokenizer.save(folder / "small.json")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder / "small.json"


def turn_on(host: Host, qtbot: QtBot, path: Path) -> None:
    item = add_file(host.session, path, qtbot)
    host.session.set_current(item.key)


def test_templates_of_the_tokenizers_folder(
    host: Host, dialog: ChatDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    templates = [
        {"name": "default", "template": "{{ bos_token }}" + PLAIN},
        {"name": "tool_use", "template": "tools"},
    ]
    path = save_model(tmp_path / "model", {"bos_token": "<s>", "chat_template": templates})
    turn_on(host, qtbot, path)
    settle(host, qtbot)
    titles = [dialog.choice.itemText(place) for place in range(dialog.choice.count())]
    assert titles == ["small: default", "small: tool_use", *(start.title for start in STARTS)]
    assert dialog.choice.currentIndex() == 0
    assert shown(dialog).startswith("<s>system: You plan")
    assert dialog.names.text() == "bos_token = <s>"
    assert str(tmp_path / "model") in dialog.origin.text()
    dialog.choice.activated.emit(1)
    settle(host, qtbot)
    assert shown(dialog) == "tools"
    host.session.edits.turn_on(f"file:{path}", False)
    settle(host, qtbot)
    assert dialog.choice.count() == len(STARTS)


def test_a_tokenizer_with_a_relative_path(
    host: Host,
    dialog: ChatDialog,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save_model(tmp_path / "model", {"chat_template": "mine"})
    monkeypatch.chdir(tmp_path)
    turn_on(host, qtbot, Path("model/small.json"))
    settle(host, qtbot)
    assert shown(dialog) == "mine"


def test_a_wrong_file_beside_the_tokenizer_is_reported(
    host: Host, dialog: ChatDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    turn_on(host, qtbot, save_model(tmp_path / "model", {"chat_template": "{% if"}))
    settle(host, qtbot)
    assert "small is not offered" in dialog.problem.text()
    assert dialog.choice.currentText() == "ChatML"
    assert "small: " in dialog.notes.text()
    assert dialog.windowTitle() == "Chat, as tokens of small"


def test_opening_a_file(
    host: Host,
    dialog: ChatDialog,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "mine.jinja"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    path.write_text("{% if")
    qtbot.mouseClick(dialog.file, Qt.MouseButton.LeftButton)
    assert "mine.jinja was not opened" in dialog.problem.text()
    path.write_text(PLAIN + "!")
    qtbot.mouseClick(dialog.file, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert dialog.choice.currentText() == "mine.jinja"
    assert shown(dialog).endswith("!")
    assert not dialog.problem.isVisible()


def test_without_a_tokenizer_the_text_is_shown(
    host: Host, dialog: ChatDialog, qtbot: QtBot
) -> None:
    host.session.edits.turn_on(host.session.chosen()[0].key, False)
    settle(host, qtbot)
    assert shown(dialog).startswith("<|im_start|>")
    assert "Turn a tokenizer on" in dialog.notes.text()
    assert cells(dialog) == {}


def test_a_long_chat_is_encoded_in_steps(host: Host, dialog: ChatDialog, qtbot: QtBot) -> None:
    dialog.messages.set_messages([Message("user", "Oh, a long line.\n" * 20_000)])
    settle(host, qtbot)
    assert int(cells(dialog)["user"][1].replace(",", "")) > 50_000


def test_the_legend_walks_through_the_tokens_of_a_role(dialog: ChatDialog, qtbot: QtBot) -> None:
    dialog.legend.picked.emit("user")
    assert dialog.where.text().startswith("user: “<”, id ")
    first = dialog.where.text()
    dialog.legend.picked.emit("user")
    assert dialog.where.text().startswith("user: ")
    assert dialog.where.text() != first
    for _ in range(int(cells(dialog)["user"][1]) - 1):
        dialog.legend.picked.emit("user")
    assert dialog.where.text() == first
    dialog.view.picked.emit(-1, -1)
    assert dialog.where.text() == ""


def test_ids_under_the_tokens(host: Host, dialog: ChatDialog) -> None:
    dialog.ids.click()
    assert host.session.annotations == "ids"
    host.session.set_annotations("bytes")
    assert not dialog.ids.isChecked()


def test_every_control_says_what_it_is(dialog: ChatDialog) -> None:
    for card in dialog.messages.cards:
        for widget in card.controls:
            assert widget.accessibleName()
    for button in (
        dialog.ids,
        dialog.prompt,
        dialog.add,
        dialog.sample,
        dialog.back,
        dialog.reset,
        dialog.file,
        dialog.use,
    ):
        assert button.toolTip()


REQUEST = {
    "model": "x",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Rain?"}, {"type": "image"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "rain"}}]},
        {"content": "{}", "role": "tool", "tool_call_id": "1"},
    ],
    "tools": [{"type": "function", "function": {"name": "rain"}}],
    "chat_template_kwargs": {"today": "Monday"},
    "add_generation_prompt": False,
}
WITH_TOOLS = "{{ today }}{{ tools | tojson }}{% for m in messages %}{{ m | tojson }}{% endfor %}"


def pasted(host: Host, dialog: ChatDialog, qtbot: QtBot, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    qtbot.mouseClick(dialog.paste, Qt.MouseButton.LeftButton)
    settle(host, qtbot)


def expected_of(request: dict[str, Any]) -> str:
    """What `WITH_TOOLS` makes of it; what is null is not passed."""
    text = "Monday" + json.dumps(request["tools"])
    for message in request["messages"]:
        text += json.dumps({key: value for key, value in message.items() if value is not None})
    return text


def test_a_conversation_with_tools_is_pasted_kept_and_rendered(
    window: MainWindow, dialog: ChatDialog, qtbot: QtBot, store: Settings
) -> None:
    pasted(window, dialog, qtbot, json.dumps(REQUEST))
    assert "tools, today" in dialog.notes.text()  # by a template that does not read them
    write(dialog, window, qtbot, WITH_TOOLS)
    assert shown(dialog) == expected_of(REQUEST)
    assert not dialog.prompt.isChecked()
    assert "Unknown, and not passed to the template: model." in dialog.notes.text()
    first, second, third = dialog.messages.cards
    assert first.content.isReadOnly()
    assert first.content.toPlainText() == "Rain?\n[image]"
    assert second.others.text() == "With tool_calls"
    assert dialog.messages.also.label.text() == 'Also given: 1 tool, today = "Monday"'
    third.content.setPlainText('{"mm": 3}')
    settle(window, qtbot)
    changed = json.loads(json.dumps(REQUEST))
    changed["messages"][2]["content"] = '{"mm": 3}'
    assert shown(dialog) == expected_of(changed)
    state = json.loads(json.dumps(window.lazy.chatting.state()))
    kept = store.get(settings.CHAT_MESSAGES)
    qtbot.mouseClick(dialog.sample, Qt.MouseButton.LeftButton)
    assert not dialog.messages.also.isVisible()
    for put_back in (
        lambda: qtbot.mouseClick(dialog.back, Qt.MouseButton.LeftButton),
        lambda: window.lazy.chatting.take_state(state),
        lambda: pasted(window, dialog, qtbot, kept),
    ):
        put_back()
        settle(window, qtbot)
        assert shown(dialog) == expected_of(changed)
        qtbot.mouseClick(dialog.sample, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.back, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.messages.also.remove, Qt.MouseButton.LeftButton)
    settle(window, qtbot)
    assert shown(dialog).startswith("null{")


def test_a_conversation_is_opened_and_what_is_none_is_refused(
    window: MainWindow, dialog: ChatDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(
        tmp_path / "request.json", json.dumps({**REQUEST, "continue_final_message": True})
    )
    window.lazy.chatting.open_path(path)
    write(dialog, window, qtbot, "{% for m in messages %}<{{ m.content }}>{% endfor %}")
    assert shown(dialog).endswith("<{}")  # the last one is left open
    before = dialog.messages.messages()
    pasted(window, dialog, qtbot, '[{"role": 1}]')
    assert "The clipboard has no conversation." in dialog.problem.text()
    path.write_text('{"messages": [{"role": "user", "content": 3}]}')
    window.lazy.chatting.open_path(path)
    assert "message 1 has a content that is not a text" in dialog.problem.text()
    assert dialog.messages.messages() == before


def test_with_tools_the_template_for_tools_is_chosen(
    host: Host, dialog: ChatDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    named = [{"name": name, "template": name} for name in ("default", "tool_use")]
    turn_on(host, qtbot, save_model(tmp_path / "model", {"chat_template": named}))
    settle(host, qtbot)
    assert shown(dialog) == "default"
    pasted(host, dialog, qtbot, json.dumps(REQUEST))
    assert shown(dialog) == "tool_use"
    qtbot.mouseClick(dialog.sample, Qt.MouseButton.LeftButton)
    settle(host, qtbot)
    assert shown(dialog) == "default"


def test_what_of_a_chat_is_lost_is_said_and_found(
    host: Host, dialog: ChatDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    assert LOST not in [entry.name for entry in entries(dialog)]
    assert "loses" not in dialog.notes.text()
    file = write_file(tmp_path / "vocab.txt", "\n".join(["[UNK]", *"abcdefghijklmnopqrstuvwxyz"]))
    item = add_file(host.session, file, qtbot)
    host.session.set_current(item.key)
    write(dialog, host, qtbot, "{% for m in messages %}a{{ m.content }} {% endfor %}")
    settle(host, qtbot)
    text = shown(dialog).encode()
    assert "? It loses " in dialog.notes.text()
    [lost] = [entry for entry in entries(dialog) if entry.name == LOST]
    assert lost.count > 2
    dialog.legend.picked.emit(LOST)
    first = dialog.view._painter.lit.selected
    dialog.legend.picked.emit(LOST)
    assert dialog.view._painter.lit.selected.start > first.start >= 0
    assert text[first.start : first.end].strip()


def entries(dialog: ChatDialog) -> list[LegendEntry]:
    return [chip.entry for chip in dialog.legend.findChildren(_Chip)]
