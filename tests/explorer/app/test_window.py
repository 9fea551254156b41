"""The window as a user works with it: the way round it, its looks, and coming back."""

from __future__ import annotations

import platform

import pytest
from narrowed import there
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from windows import off_screen, shown_in

from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.session.settings import Settings
from tokenarium.views.vocabulary import VocabularyView
from tokenarium.widgets.keyboard import has_focus
from tokenarium_core.version import __version__


def test_the_focus_follows_into_a_workspace(window: MainWindow) -> None:
    actions = window.actions_by_id
    window.text.field.setFocus()
    actions["pretokens"].trigger()
    assert window.text.field.hasFocus()  # who writes goes on writing
    actions["pretokens"].trigger()
    assert has_focus(window.workspace)
    window.text.field.setFocus()
    actions["vocabulary"].trigger()  # where the editor has no place
    assert has_focus(window.workspace)
    for name in ("compare", "compare_languages", "scripts", "script_treemap", "tokens"):
        actions[name].trigger()
        assert has_focus(window.workspace), name
    actions["vocabulary_diagnostics"].trigger()
    view = shown_in(window, VocabularyView)
    assert not view.diagnostics.button.hasFocus()
    view.stop()


def test_what_is_pasted_first_becomes_the_text(window: MainWindow) -> None:
    QApplication.clipboard().setText("pasted")
    QTest.keySequence(window.focusWidget(), QKeySequence(QKeySequence.StandardKey.Paste))
    assert window.session.text == "pasted"


def test_f6_goes_round_the_panes(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("text")
    window.session.select(0, 4)
    qtbot.waitUntil(window.inspector.tokens.isVisible)
    window.library.tree.setFocus()
    seen = []
    for _ in range(5):
        window.actions_by_id["next_pane"].trigger()
        focus = there(window.focusWidget())
        seen.append(focus.accessibleName())
    workspace, inspector, rail = "Tokens", "Tokens and characters", "Tokens"
    assert seen == [
        "Text to split into tokens",
        workspace,
        inspector,
        rail,
        "Tokenizer library",
    ]


def test_tab_goes_through_the_window_as_one_reads_it(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("text")
    window.session.select(0, 4)
    qtbot.waitUntil(window.inspector.tokens.isVisible)
    qtbot.waitUntil(lambda: not window._refresh_soon.isActive())

    def walk(start: QWidget, steps: int) -> list[str]:
        start.setFocus()
        seen = []
        for _ in range(steps):
            focus = there(window.focusWidget())
            seen.append(focus.accessibleName())
            qtbot.keyClick(focus, Qt.Key.Key_Tab)
        return seen

    names = walk(window.library.controls[0], 6)
    library = ["Sets of tokenizers …", "Find tokenizers …", "Open tokenizer …", "Show the library", "Tokenizer library"]  # fmt: skip
    assert names == [*library, "Choose a sample text"]
    assert walk(window.text_line.pencil, 5) == [
        "Edit the text",
        "Find anything",
        "Share",
        "Present",
        "Text to split into tokens",
    ]
    text = ["Text to split into tokens", "Open text …", "Clear the text"]
    text += ["Pin the text above the tokens", "Fold the editor (Esc)"]
    inspector = ["Keep this in the card", "Close the inspector", "Tokens and characters"]
    names = walk(window.text.field, 19)
    assert [name for name in names if name != "Paste as the whole text"][:5] == text
    assert ["Tokens", *inspector] == names[names.index("Tokens") :][:4]


@pytest.mark.parametrize("pane", ["show_library", "pin_text", "show_inspector"])
def test_panes_come_and_go(window: MainWindow, pane: str) -> None:
    action = window.actions_by_id[pane]
    window.actions_by_id.refresh()
    assert action.isChecked()
    action.trigger()
    part = {
        "show_library": window.library,
        "pin_text": window.text,
        "show_inspector": window.inspector,
    }[pane]
    assert not part.isVisible()
    action.trigger()
    assert part.isVisible()


def test_the_colour_scheme_can_be_chosen(window: MainWindow) -> None:
    window.actions_by_id["scheme_dark"].trigger()
    assert window.appearance.theme.dark
    assert QApplication.palette().window().color() == window.appearance.theme.page
    window.actions_by_id["scheme_light"].trigger()
    assert not window.appearance.theme.dark


def test_the_next_window_takes_up_where_this_one_was_left(
    window: MainWindow, qapp: QApplication, store: Settings, qtbot: QtBot
) -> None:
    window.show_workspace("pretokens")
    window.panes.show_inspector(False)
    window.session.set_annotations("ids")
    window.session.set_patterns(["digits"])
    window.session.edits.turn_on("shipped:tokenarium-8k", False)
    window.resize(780, 640)
    window.close()
    other = off_screen(qtbot, make_window(qapp, store))
    assert other.workspace.name.id == "pretokens"
    assert not other.panes.inspector_is_shown()
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


def test_about_names_what_a_report_of_a_fault_needs(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(QMessageBox, "about", lambda _parent, _title, text: shown.append(text))
    window.actions_by_id["about"].trigger()
    for named in (__version__, platform.python_version(), qVersion(), "Core "):
        assert named in shown[0]
