"""All kinds of fields of the window in which users type, and how to show each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from tokenarium.app.window import MainWindow
from tokenarium.models.files import lessons_folder
from tokenarium.views.pattern_choices import OWN
from tokenarium.widgets.lesson_editor import MARKDOWN

PATIENCE_S = 120.0
"""Seconds that a page may need to restore its contents."""

Way = Callable[[MainWindow], QWidget]


def _page(workspace: str, page: str, field: Callable[[Any], QWidget]) -> Way:
    def show(window: MainWindow) -> QWidget:
        window.show_workspace(workspace)
        space: Any = window.workspace
        if page:
            space.show_page(page)
            return field(space.page)
        return field(space)

    return show


def _change(part: str, field: str) -> Way:
    def show(page: Any) -> QWidget:
        chosen = getattr(page, part)
        page.choice.setCurrentIndex(page.parts.index(chosen))
        controls = getattr(chosen, "controls", {})
        return controls[field].widget if field in controls else getattr(chosen, field)  # type: ignore[no-any-return]

    return _page("vocabulary", "change", show)


def _welcome(window: MainWindow) -> QWidget:
    window.welcoming.show_page()
    assert window.welcoming.page is not None
    return window.welcoming.page.field


def _text(window: MainWindow) -> QWidget:
    window.show_workspace("tokens")
    window.panes.show_text(True)
    return window.text.field


def _chat(field: Callable[[Any], QWidget]) -> Way:
    def show(window: MainWindow) -> QWidget:
        window.lazy.chatting.chat()
        return field(window.lazy.chatting.dialog)

    return show


def _name(page: Any) -> QWidget:
    page.form.more.setChecked(True)
    return page.form.controls["name"].widget  # type: ignore[no-any-return]


def _template(dialog: Any) -> QWidget:
    dialog.tabs.setCurrentIndex(1)
    return dialog.source  # type: ignore[no-any-return]


def _register(window: MainWindow) -> QWidget:
    window.lazy.registering.register_tokenizer()
    assert window.lazy.registering.dialog is not None
    return window.lazy.registering.dialog.note


def _share(window: MainWindow) -> QWidget:
    window.lazy.sharing.share_card()
    assert window.lazy.sharing.dialog is not None
    return window.lazy.sharing.dialog.field


def _own_pattern(window: MainWindow) -> QWidget:
    if OWN not in window.session.patterns:
        window.session.set_patterns([*window.session.patterns, OWN])
    return _page("pretokens", "", lambda space: space.pattern_edit)(window)


def _lesson(window: MainWindow) -> QWidget:
    window.lesson_writing._edit(window.lesson_writing._new_path("Typed"), "# x\n", changed=True)
    editor = window.lesson_writing.editor
    assert editor is not None
    editor.show_view(MARKDOWN)
    return editor.source


PLACES: dict[str, Way] = {
    "text": _text,
    "welcome": _welcome,
    "chat message": _chat(lambda dialog: dialog.messages.cards[0].content),
    "chat template": _chat(_template),
    "lesson": _lesson,
    "note of a registered tokenizer": _register,
    "text of a picture": _share,
    "special token": _change("special_tokens", "token"),
    "name of a changed tokenizer": _change("special_tokens", "name_field"),
    "words to extend with": _change("extend", "words"),
    "scripts to prune": _change("prune", "script"),
    "text to compare": _page("compare", "texts", lambda page: page.sides[1].field),
    "why not one token": _page("merges", "why", lambda page: page.field),
    "ids to decode": _page("bytes", "decode", lambda page: page.field),
    "bytes to encode": _page("bytes", "encode", lambda page: page.field),
    "stop strings": _page("tokens", "stream", lambda page: page.stops),
    "name of a training": _page("train", "training", _name),
    "own pattern": _own_pattern,
}
"""The functions that show and return a field, by its name."""


def text_of(field: Any) -> str:
    """Returns the text of a field."""
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


GONE = ("lesson", "note of a registered tokenizer", "text of a picture")
"""Places whose fields are not restored: their typed texts are among the kept texts."""


def texts_at(window: MainWindow, places: Sequence[str]) -> list[str]:
    """Returns the texts that a user finds again: the text, the kept texts, and those of some fields."""
    found = [window.session.text]
    found += [draft.read_text("utf-8") for draft in window.scene_commands.drafts]
    found += [lesson.read_text("utf-8") for lesson in lessons_folder().glob("*.md")]
    found += [row.text() for row in window.kept_texts.rows()]
    for place in places:
        if place not in GONE:
            field = PLACES[place](window)
            end = time.monotonic() + PATIENCE_S
            while (window.stage.busy or window.session.opening) and time.monotonic() < end:
                QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            found.append(text_of(field))
    return found
