"""The room in the window: what is hidden where there is little, and shown again where there is more."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from narrowed import of_kind, there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog
from pytestqt.qtbot import QtBot
from windows import come_to_rest, off_screen, on_screen, trigger

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.resources.glossary import explanation
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.pattern_choices import PatternChoices
from tokenarium.views.tokens import TokensView
from tokenarium.views.workspace import PagedWorkspace, WorkspaceName
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.check_popup import Popup
from tokenarium.widgets.page_row import PageRow
from tokenarium.widgets.panel import ElidedLabel
from tokenarium.widgets.popup import Popover
from tokenarium.widgets.text.interlinear_view import InterlinearView
from tokenarium.widgets.text.token_cards import TokenCards
from tokenarium.widgets.text.token_painter import DENSE_STRIP


def test_the_inspector_has_a_column_or_floats(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello, world")
    window.resize(1280, 800)
    column = window.panes.inspector_card.geometry()
    assert window.panes.inspector_is_shown()  # though nothing is selected: the column is reserved
    left = window.workspace.mapTo(window, QPoint()).x()
    window.session.select(0, 5)
    assert window.panes.inspector_card.geometry() == column
    assert window.workspace.mapTo(window, QPoint()).x() == left
    window.session.select(0, 0)
    window.resize(1100, 800)
    assert not window.panes.inspector_is_shown()
    width = window.workspace.width()
    window.session.select(0, 5)
    assert window.panes.inspector_is_shown()
    assert window.workspace.width() == width  # it is over the workspace
    QTest.keyClick(window.workspace, Qt.Key.Key_Escape)
    assert not window.panes.inspector_is_shown()
    window.session.select(0, 5)
    qtbot.mouseClick(window.inspector.close_button, Qt.MouseButton.LeftButton)
    assert not window.panes.inspector_is_shown()
    window.session.select(0, 4)
    assert window.panes.inspector_is_shown()  # it was closed for one selection
    window.session.select(0, 0)
    window.actions_by_id["show_inspector"].trigger()
    assert window.panes.inspector_is_shown()  # where it is asked for, also with nothing to show
    QTest.keyClick(window.workspace, Qt.Key.Key_Escape)
    assert not window.panes.inspector_is_shown()
    window.resize(1280, 800)
    assert window.panes.inspector_is_shown()
    window.panes.show_inspector(False)
    window.resize(1100, 800)
    window.session.select(0, 5)
    assert not window.panes.inspector_is_shown()  # what the user closed stays closed


@pytest.mark.parametrize("size", [(2560, 1440), (1440, 900), (853, 480), (800, 600), (720, 450)])
def test_every_workspace_is_within_reach_of_the_mouse(
    window: MainWindow, size: tuple[int, int]
) -> None:
    window.resize(*size)
    QApplication.processEvents()
    assert (window.width(), window.height()) == size
    labelled = size[0] >= 900 and size[1] >= 700
    assert window.rail.width() == (76 if labelled else 52)
    for button in window.rail.buttons:
        assert button.visibleRegion().boundingRect() == button.rect()
        assert button.toolTip()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert button.isChecked()
        assert window.rail.current is button
    assert window.workspace.name.id == "train"
    for control in window.top_bar.controls:
        assert control.visibleRegion().boundingRect() == control.rect() or control.isHidden()


def test_the_library_makes_room_or_floats(window: MainWindow) -> None:
    window.resize(1100, 800)
    for space, listed in (("tokens", True), ("scripts", True), ("merges", False), ("train", False)):
        window.show_workspace(space)
        assert window.panes.library_is_shown() is listed
        assert window.top_bar.library.isHidden() is listed  # a button brings it where it is not
    window.resize(1000, 800)
    window.show_workspace("tokens")
    assert not window.panes.library_is_shown()
    width = window.workspace.width()
    QTest.mouseClick(window.top_bar.library, Qt.MouseButton.LeftButton)
    assert window.library.isVisible()
    assert window.library.tree.hasFocus()
    assert window.workspace.width() == width
    window.workspace.setFocus()
    assert not window.panes.library_is_shown()  # who goes on elsewhere is done with it
    window.panes.show_library(True)
    QTest.keyClick(window.library.tree, Qt.Key.Key_Escape)
    assert not window.panes.library_is_shown()
    window.resize(1100, 800)
    assert window.panes.library_is_shown()


def test_charts_and_tables_have_the_room_of_the_panels(window: MainWindow) -> None:
    window.resize(1440, 900)
    strip = window.pipeline_controller.strip
    window.pipeline_controller.show_pipeline(True)
    window.session.set_text("Hello, world")
    window.show_workspace("scripts")
    assert not window.panes.inspector_is_shown()
    assert not strip.isVisible()
    window.compare_commands.show_page("differences")  # tokens of the text are seen there
    assert not window.panes.inspector_is_shown()
    assert strip.isVisible()
    window.panes.show_inspector(True)
    window.show_workspace("tokens")
    window.show_workspace("train")
    assert window.panes.inspector_is_shown()  # as it was asked for in another workspace like it


@pytest.mark.parametrize("space", [kind.name.id for kind in WORKSPACES])
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


@pytest.mark.parametrize("space", ["tokens", "pretokens", "merges", "bytes"])
def test_a_projector_with_larger_letters_has_room_for_a_message(
    window: MainWindow, space: str
) -> None:
    window.resize(1024, 576)  # 1280 x 720 at 125 %
    window.session.set_text("Hello, world")
    window.session.select(0, 5)
    window.show_workspace(space)
    QApplication.processEvents()
    window.session.problem.emit("A sentence about what went wrong, and where, and what to do.")
    QApplication.processEvents()
    assert (window.width(), window.height()) == (1024, 576)


@pytest.mark.parametrize("space", [kind.name for kind in WORKSPACES], ids=lambda name: name.id)
def test_every_page_fits_a_projector_at_150_percent(
    window: MainWindow, qtbot: QtBot, space: WorkspaceName
) -> None:
    window.session.set_text("Hello, world. " * 20)
    window.session.select(0, 5)
    window.show_workspace(space.id)
    pages = [spec.id for spec in window.actions_by_id.declared if spec.choice == f"{space.id}_page"]
    assert isinstance(window.workspace, PagedWorkspace) is bool(pages)
    for page in pages or [""]:
        if page:
            window.actions_by_id[page].trigger()
        window.resize(853, 480)  # 1280 x 720
        come_to_rest(window, qtbot)
        assert (window.width(), window.height()) == (853, 480), page


def test_the_curves_of_all_sizes_are_whole_in_a_small_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("Hello, world. " * 20)
    window.resize(800, 600)
    window.actions_by_id["merge_sizes"].trigger()
    come_to_rest(window, qtbot)
    page = there(window.merge_commands.page)
    area = of_kind(page.findChild(FitArea), FitArea)
    assert area.verticalScrollBar().maximum() == 0


def test_a_training_that_is_played_fits_a_projector_at_150_percent(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text("Hello, world. " * 20)
    window.resize(853, 480)
    window.actions_by_id["merge_training"].trigger()
    window.actions_by_id["train"].trigger()
    qtbot.waitUntil(window.merge_commands.can_play)
    come_to_rest(window, qtbot)
    assert (window.width(), window.height()) == (853, 480)
    page = of_kind(window.merge_commands.page, MergeTrainingPage)
    assert page.transport.visibleRegion().boundingRect() == page.transport.rect()


@pytest.mark.parametrize(
    "action_id", ["palette", "shortcuts", "about_tokenizer", "find_tokenizers"]
)
def test_what_opens_over_a_low_window_stays_within_it(window: MainWindow, action_id: str) -> None:
    window.resize(853, 480)
    trigger(window, action_id)
    (above,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    top = above.y() - window.y() if isinstance(above, Popup) else 0
    assert top + above.height() <= window.height()
    assert above.width() <= window.width()
    above.close()


def test_the_parts_of_a_chat_do_not_overlap_in_a_low_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(853, 480)
    trigger(window, "chat")
    dialog = there(window.lazy.chatting.dialog)
    qtbot.waitUntil(lambda: not window.lazy.busy and dialog.table.topLevelItemCount() > 0)
    QApplication.processEvents()
    assert dialog.notes.height() >= dialog.notes.heightForWidth(dialog.notes.width())
    assert dialog.table.geometry().bottom() < dialog.notes.y()
    dialog.close()


def test_what_was_shown_before_keeps_no_window_large(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello, world")
    for kind in WORKSPACES:
        window.show_workspace(kind.name.id)
    window.merge_commands.show_page("training")
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
    window.panes.show_inspector(True)
    QApplication.processEvents()
    right = window.inspector.mapTo(window, window.inspector.rect().bottomRight())
    assert window.rect().contains(right)


@pytest.mark.parametrize("space", [kind.name.id for kind in WORKSPACES])
def test_the_pages_of_a_workspace_never_move(window: MainWindow, qtbot: QtBot, space: str) -> None:
    window.resize(1440, 900)
    window.session.set_text("Hello, world")
    window.show_workspace(space)
    row = window.spaces.row
    place = row.mapTo(window, QPoint())
    for pin in (False, True):
        window.panes.pin_text(pin)
        window.panes.show_inspector(not pin)
        window.session.set_text("Hello, world\n" * 9)
        window.session.select(0, 5)
        window.session.problem.emit("Something is wrong.")
        QApplication.processEvents()
        assert row.mapTo(window, QPoint()) == place


def row_of(window: MainWindow, space: str, qtbot: QtBot) -> PageRow:
    """Returns the row of a workspace outside of the window."""
    window.show_workspace(space)
    row = window.spaces.row
    row.setParent(None)
    qtbot.addWidget(row)
    row.show()
    return row


def seen(row: PageRow) -> tuple[list[str], list[str]]:
    """The texts of the choices and switches of a row, and those in its menu."""
    choices = [
        menu.text() if menu.isVisible() else "|".join(map(segmented.tabText, range(segmented.count())))
        for segmented, menu in zip(row.segments, row.menus, strict=True)
        if segmented.isVisible() or menu.isVisible()
    ]  # fmt: skip
    chips = [button.accessibleName() for button in row.buttons if button.isVisible()]
    inside = [action.text().replace("&", "") for action in row.menu.actions()]
    assert row.more.isVisible() == bool(inside)
    return choices + chips, inside


def test_pages_and_switches_without_room_are_menus(window: MainWindow, qtbot: QtBot) -> None:
    row = row_of(window, "merges", qtbot)
    row.resize(row.sizeHint().width(), 60)
    pages = "Steps|Vocabulary size|Why not one?|Longest match|Training"
    switches = [button.accessibleName() for button in row.buttons]
    assert len(switches) == 3
    assert seen(row) == ([pages, *switches], [])
    row.resize(row.sizeHint().width() - 1, 60)
    assert seen(row) == ([pages, *switches[:2]], switches[2:])
    row.resize(row.minimumSizeHint().width(), 60)
    assert seen(row) == (["Steps"], switches)
    window.actions_by_id["merge_why"].trigger()
    window.actions_by_id.refresh()
    assert row.menus[0].text() == "Why not one?"
    actions = row.menus[0].choices.actions()
    assert actions == [
        window.actions_by_id[f"merge_{page}"]
        for page in ("steps", "sizes", "why", "prefixes", "training")
    ]


TOOLS = [
    "Show whitespace",
    "Recognize special tokens",
    "What tokens cost …",
    "Add BOS",
    "Add EOS",
]


def test_the_tools_of_the_tokens_are_one_row(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id.refresh()
    row = row_of(window, "tokens", qtbot)
    pages, strips = "Tokens|Perturb|Stream|Ways|Covering", "Bars|Ids|Bytes"
    row.resize(row.sizeHint().width(), 60)
    assert seen(row) == ([pages, strips, *TOOLS], [])
    [mark] = row.marks.values()
    assert mark.isVisible()
    row.resize(row.sizeHint().width() - 1, 60)
    assert seen(row) == ([pages, "Bars", *TOOLS], [])
    row.resize(600, 60)  # beside the library and the inspector at 1280 pixels
    assert seen(row) == (["Tokens", "Bars", *TOOLS[:2]], TOOLS[2:])
    row.resize(660, 60)
    asks = "What does “special token” mean?"
    assert seen(row) == ([pages, "Bars"], [*TOOLS[:2], asks, *TOOLS[2:]])
    assert not mark.isVisible()
    shown = window.session.show_whitespace
    row.menu.actions()[0].trigger()
    assert window.session.show_whitespace is not shown
    row.menu.actions()[2].trigger()
    [note] = row.more.findChildren(Popover)
    assert note.accessibleName() == " ".join(explanation("special token").splitlines())
    note.close()
    window.actions_by_id["annotate_ids"].trigger()
    window.actions_by_id.refresh()
    assert seen(row)[0] == [pages, "Ids"]


def test_the_tools_of_the_tokens_are_hidden_on_other_pages(window: MainWindow) -> None:
    window.resize(2560, 1440)
    window.show_workspace("tokens")
    row = window.spaces.row
    assert len(seen(row)[0]) == 2 + len(TOOLS)
    for page in ("perturb", "stream", "ways", "covering"):
        window.tokens_commands.show_page(page)
        assert seen(row) == (["Tokens|Perturb|Stream|Ways|Covering"], [])
    window.tokens_commands.show_page("tokens")
    assert len(seen(row)[0]) == 2 + len(TOOLS)


def test_pages_follow_the_actions_both_ways(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1440, 900)
    window.show_workspace("compare")
    segmented = window.spaces.row.segments[0]
    texts = [segmented.tabText(place) for place in range(segmented.count())]
    place = segmented.tabRect(texts.index("Differences")).center()
    qtbot.mouseClick(segmented, Qt.MouseButton.LeftButton, pos=place)
    assert window.compare_commands.page_id == "differences"
    window.actions_by_id["compare_overlap"].trigger()
    assert segmented.tabText(segmented.currentIndex()) == "Overlap"


def test_a_line_without_room_is_elided_and_shown_on_hover(qtbot: QtBot) -> None:
    label = off_screen(qtbot, ElidedLabel("34 end inside a character"))
    label.set_tip("What that means")
    label.show()
    label.resize(400, 20)
    assert label.toolTip() == "What that means"
    label.resize(60, 20)
    assert label.toolTip() == "34 end inside a character\nWhat that means"


def test_a_sentence_goes_on_over_its_lines(qtbot: QtBot) -> None:
    label = on_screen(qtbot, ElidedLabel("A sentence of seven words 😀😀 and more 😀 after it"))
    width = label.fontMetrics().horizontalAdvance(label.text())
    for lines, share, has_tip in ((1, 0.7, True), (2, 0.7, False), (2, 0.3, True), (1, 1.1, False)):
        label.set_lines(lines)
        label.resize(round(share * width), label.minimumHeight())
        label.grab()
        assert bool(label.toolTip()) is has_tip
    label.set_lines(2)
    assert label.minimumHeight() >= 2 * label.fontMetrics().lineSpacing()


def test_the_shortcut_dialog_has_every_action(window: MainWindow) -> None:
    window.actions_by_id["shortcuts"].trigger()
    dialog = there(window.help.shortcut_dialog)
    heads = [dialog.table.topLevelItem(k) for k in range(dialog.table.topLevelItemCount())]
    rows = [head.child(k) for head in heads if head is not None for k in range(head.childCount())]
    listed = {(row.text(0), row.text(1)) for row in rows}
    for spec in window.actions_by_id.declared:
        assert (spec.plain_text.removesuffix(" …"), spec.shortcut) in listed
    assert ("Copy the selected text", "Ctrl+C") in listed
    dialog.close()


def test_the_editor_is_pinned_where_the_height_allows(window: MainWindow) -> None:
    window.session.set_text("Hello, world")
    for height, pinned in ((800, True), (600, False), (900, True)):
        window.resize(1440, height)
        assert window.text.isVisible() is pinned
        assert window.panes.text_is_pinned() is pinned
    window.panes.pin_text(True)
    window.resize(1440, 600)
    assert window.text.isVisible()  # as it was asked for
    window.show_workspace("train")
    assert not window.text.isVisible()  # nothing follows the text there


def test_the_room_of_the_text_goes_to_the_workspace_and_comes_back(window: MainWindow) -> None:
    window.resize(1440, 900)
    QApplication.processEvents()
    before = window.workspace.height()
    text = window.panes.text_card.height()
    window.actions_by_id["pin_text"].trigger()
    QApplication.processEvents()
    assert not window.text.isVisible()
    assert window.workspace.height() >= before + text
    window.actions_by_id["pin_text"].trigger()
    QApplication.processEvents()
    assert window.panes.text_card.height() == text
    assert window.workspace.height() == before


@pytest.mark.parametrize("size", [(1440, 900), (853, 480), (800, 600)])
def test_the_editor_unfolds_over_the_workspace(
    window: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.panes.pin_text(False)
    window.resize(*size)
    window.session.set_text("Hello")
    QApplication.processEvents()
    workspace = window.workspace.geometry()
    window.actions_by_id["edit_text"].trigger()
    assert window.text.field.hasFocus()
    assert window.workspace.geometry() == workspace
    assert 0 < window.panes.sheet.card.height() <= 0.4 * window.height()
    qtbot.keyClicks(window.text.field, "x")
    assert window.session.text == "xHello"
    qtbot.keyClick(window.text.field, Qt.Key.Key_Escape)
    assert not window.text.isVisible()
    assert not window.text.field.hasFocus()
    qtbot.mouseClick(window.text_line, Qt.MouseButton.LeftButton, pos=QPoint(250, 5))
    assert window.text.field.hasFocus()
    qtbot.mouseClick(window.text.pin, Qt.MouseButton.LeftButton)
    assert window.panes.text_card.isVisible()
    assert window.text.field.hasFocus()
    qtbot.mouseClick(window.text.fold, Qt.MouseButton.LeftButton)
    assert not window.text.isVisible()


def test_what_is_pasted_into_a_window_with_a_folded_editor_goes_into_that(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.panes.pin_text(False)
    QApplication.clipboard().setText("pasted")
    window.workspace.setFocus()
    qtbot.keyClick(window.workspace, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.session.text == "pasted"
    assert window.text.isVisible()


def test_the_line_of_the_text_has_its_name_and_its_beginning(window: MainWindow) -> None:
    line = window.text_line
    assert "No text yet" in line.preview.text()
    window.sample_menu.aboutToShow.emit()
    window.sample_menu.actions()[0].trigger()
    assert line.samples.accessibleDescription() == window.session.title != ""
    assert line.preview.text().startswith(window.session.text.split()[0])
    window.session.set_text("own\nwords", edited=True)
    assert line.samples.accessibleDescription() == "Your text"
    assert line.preview.text() == "own words"


# Messages and jobs.


def test_a_message_goes_and_a_problem_stays(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages = window.messages
    messages._over.setInterval(20)
    workspace = window.workspace.geometry()
    messages.tell("Saved.")
    assert messages.isVisible()
    assert window.workspace.geometry() == workspace
    qtbot.waitUntil(lambda: not messages.isVisible())
    messages.say("It is broken. Mend it.")
    messages.tell("Saved.")
    assert messages.label.text() == "Saved."
    qtbot.waitUntil(lambda: messages.label.text() == "It is broken. Mend it.")
    qtbot.wait(60)
    assert messages.isVisible()
    qtbot.keyClick(window.workspace, Qt.Key.Key_Escape)
    messages.close_button.click()
    assert not messages.isVisible()
    messages.tell("Saved.")
    qtbot.waitUntil(lambda: not messages.isVisible())


@pytest.mark.parametrize("size", [(1440, 900), (853, 480), (640, 480)])
def test_a_message_is_whole(window: MainWindow, size: tuple[int, int]) -> None:
    window.resize(*size)
    messages = window.messages
    for count in (1, 20, 60):
        messages.say("words " * count + "end.")
        QApplication.processEvents()
        assert messages.label.height() >= messages.label.heightForWidth(messages.label.width())
        shown = messages.card.visibleRegion().boundingRect()
        assert shown == messages.card.rect()


def test_jobs_are_shown_over_the_workspace(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.job_watch.bar
    workspace = window.workspace.geometry()
    stopped: list[bool] = []
    bar.cancel_requested.connect(lambda: stopped.append(True))
    bar._soon.setInterval(20)
    bar.show_jobs(["Encoding with gpt2", "Counting"], 0.25)
    assert bar.isVisible()
    assert not bar.named.isVisible()
    qtbot.waitUntil(bar.named.isVisible)
    assert bar.label.text() == "Encoding with gpt2 and 1 more"
    assert window.workspace.geometry() == workspace
    qtbot.mouseClick(bar.cancel, Qt.MouseButton.LeftButton)
    assert stopped == [True]
    bar.show_jobs([], 1.0)
    assert not bar.isVisible()
    assert not bar.named.isVisible()


# The menu bar.


@pytest.mark.skipif(sys.platform == "darwin", reason="the system shows the menu bar")
def test_alt_shows_the_menus_for_one_choice(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.menuBar()
    assert not bar.isVisible()
    field = window.text.field
    qtbot.keyPress(field, Qt.Key.Key_Alt)
    qtbot.keyClick(field, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    qtbot.keyRelease(field, Qt.Key.Key_Alt)
    assert not bar.isVisible()  # Alt was held for another key
    qtbot.keyPress(field, Qt.Key.Key_Alt)
    qtbot.keyRelease(field, Qt.Key.Key_Alt)
    assert bar.isVisible()
    assert bar.activeAction() is bar.actions()[0]
    field.setFocus()
    qtbot.waitUntil(lambda: not bar.isVisible())
    qtbot.keyClick(window.library.tree, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert not bar.isVisible()  # a shortcut


@pytest.mark.skipif(sys.platform == "darwin", reason="the system shows the menu bar")
def test_the_menu_bar_can_stay(window: MainWindow, store: Settings) -> None:
    window.actions_by_id["show_menu_bar"].trigger()
    assert window.menuBar().isVisible()
    assert store.get(settings.SHOW_MENU_BAR)
    window.actions_by_id["show_menu_bar"].trigger()
    assert not window.menuBar().isVisible()


@pytest.mark.parametrize("scheme", ["scheme_light", "scheme_dark", "scheme_contrast"])
def test_eight_lines_of_text_are_seen_on_a_projector(
    window: MainWindow, qtbot: QtBot, scheme: str
) -> None:
    for name in ("bpe-gpt2-8k", "bpe-cl100k-8k", "superbpe-8k"):
        window.session.edits.turn_on(f"shipped:{name}", True)
    trigger(window, scheme)
    window.resize(1280, 720)
    window.session.set_text(
        "One line of a text.\nसभी मनुष्यों को\nيولد جميع الناس\n日本語の文章\n" * 4
    )
    come_to_rest(window, qtbot)
    view = of_kind(window.workspace, TokensView).view
    assert len(view.rows) == 4

    def whole_lines() -> int:
        strips = [view.strip_rects(key) for key in view.rows]
        return min(sum(rect.height() >= DENSE_STRIP for rect in rects) for rects in strips)

    assert window.panes.inspector_is_shown()
    assert window.panes.library_is_shown()
    assert whole_lines() >= 8
    window.session.select(0, 30)  # nothing moves
    come_to_rest(window, qtbot)
    assert whole_lines() >= 8


@pytest.mark.parametrize("space", ["pretokens", "compare"])
def test_chips_of_many_tokenizers_keep_their_room_at_300_percent(
    window: MainWindow, qtbot: QtBot, space: str
) -> None:
    names = ("bpe-gpt2-8k", "bpe-cl100k-8k", "superbpe-8k", "unigram-8k", "wordpiece-8k")
    for name in names:
        window.session.edits.turn_on(f"shipped:{name}", True)
    window.session.set_text("One line of a text.\n" * 10)
    window.show_workspace(space)
    if space == "compare":
        window.compare_commands.show_page("differences")
    window.resize(467, 336)  # 1400 x 1008 pixels
    come_to_rest(window, qtbot)
    view = window.workspace
    [cards] = [one for one in view.findChildren(TokenCards) if one.isVisible()]
    [text] = [one for one in view.findChildren(InterlinearView) if one.isVisible()]
    chips = [one for one in cards.findChildren(QAbstractButton) if one.isVisibleTo(cards)]
    assert len(chips) >= 2
    assert all(cards.rect().contains(chip.geometry()) for chip in chips)
    assert cards.mapTo(view, QPoint(0, cards.height())).y() <= text.mapTo(view, QPoint()).y()
    places = {
        flow: flow.mapTo(view, QPoint(0, flow.height())).y()
        for flow in view.findChildren(PatternChoices)
    }
    assert all(y <= cards.mapTo(view, QPoint()).y() for y in places.values())
    assert all(one.height() >= one.heightForWidth(one.width()) for one in places)
    assert text.height() >= 60


def test_a_tokenizer_that_is_opened_is_in_sight(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:  # fmt: skip
    window.resize(1280, 500)
    tree = window.library.tree
    qtbot.waitUntil(lambda: tree.verticalScrollBar().maximum() > 0)
    path = tmp_path / "mine.json"
    shutil.copy(shipped_path("tokenarium-8k"), path)
    window.library_commands.add_path(path)
    item = there(window.session.library.item(f"file:{path}"))
    row = tree.visualRect(window.session.library.index_of(item))
    assert tree.viewport().rect().contains(row)
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    window.library.scroll_to(replace(item))  # a copy, which is not in the library: nothing happens
