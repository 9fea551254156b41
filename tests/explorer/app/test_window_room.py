"""The room in the window: what is hidden where there is little, and shown again where there is more."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.views.compare import CompareView
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.workspace import PagedWorkspace, WorkspaceName
from tokenarium.widgets.areas import FitArea
from tokenarium.widgets.check_popup import Popup
from tokenarium.widgets.panel import ElidedLabel
from tokenarium.widgets.tab_row import SwitchBar


def test_the_window_fits_a_small_screen(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello, world")
    window.show_workspace("pretokens")
    window.show_workspace("tokens")
    window.resize(1200, 700)
    assert window.panes.inspector_is_shown()
    window.resize(800, 600)
    assert (window.width(), window.height()) == (800, 600)
    assert not window.panes.inspector_is_shown()  # gives way …
    qtbot.waitUntil(lambda: window.tabs.width() >= window.tabs.sizeHint().width())  # all are seen
    window.panes.show_inspector(True)
    assert window.width() == 800  # … but has room where it is asked for
    window.panes.show_inspector(False)
    window.resize(1200, 700)
    assert not window.panes.inspector_is_shown()  # … and what the user closed stays closed


@pytest.mark.parametrize("width", [800, 920, 1024, 1140, 1152, 1200, 1280])
def test_all_tabs_are_seen_beside_the_inspector_or_without_it(
    window: MainWindow, width: int
) -> None:
    window.resize(1440, 700)
    window.resize(width, 700)
    QApplication.processEvents()
    assert window.tabs.width() >= window.tabs.sizeHint().width()


def test_an_inspector_that_gave_way_comes_back(window: MainWindow) -> None:
    window.resize(1200, 700)
    window.resize(800, 600)
    assert not window.panes.inspector_is_shown()
    window.resize(1200, 700)
    assert window.panes.inspector_is_shown()


def test_charts_and_tables_have_the_room_of_the_inspector(window: MainWindow) -> None:
    window.resize(1200, 700)
    strip = window.pipeline_controller.strip
    window.show_workspace("scripts")
    assert not window.panes.inspector_is_shown()
    assert not strip.isVisible()
    window.show_workspace("compare")
    assert not window.panes.inspector_is_shown()
    window.session.set_text("Hello, world")
    window.compare_commands.show_page("differences")  # tokens of the text are seen there
    assert window.panes.inspector_is_shown()
    assert strip.isVisible()
    window.show_workspace("vocabulary")
    window.panes.show_inspector(True)
    window.show_workspace("tokens")
    window.show_workspace("train")
    assert (
        window.panes.inspector_is_shown()
    )  # as it was asked for in another workspace without the text


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
    page = window.merge_commands.page
    assert page is not None
    area = page.findChild(FitArea)
    assert isinstance(area, FitArea)
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
    page = window.merge_commands.page
    assert isinstance(page, MergeTrainingPage)
    assert page.transport.visibleRegion().boundingRect() == page.transport.rect()


@pytest.mark.parametrize(
    "action_id", ["palette", "shortcuts", "about_tokenizer", "find_tokenizers"]
)
def test_what_opens_over_a_low_window_stays_within_it(window: MainWindow, action_id: str) -> None:
    window.resize(853, 480)
    window.actions_by_id.refresh()
    window.actions_by_id[action_id].trigger()
    (above,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    top = above.y() - window.y() if isinstance(above, Popup) else 0
    assert top + above.height() <= window.height()
    assert above.width() <= window.width()
    above.close()


def test_the_parts_of_a_chat_do_not_overlap_in_a_low_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(853, 480)
    window.actions_by_id.refresh()
    window.actions_by_id["chat"].trigger()
    dialog = window.lazy.chatting.dialog
    assert dialog is not None
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
    assert window.inspector.geometry().right() < window.panes.columns.width() <= window.width()


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
    bar = SwitchBar([(window.actions_by_id[action], text) for action, text in CompareView.switches])
    qtbot.addWidget(bar)
    bar.show()
    bar.resize(600, 40)
    assert [button.isVisibleTo(bar) for button in bar.buttons] == [True] * 4
    bar.resize(120, 40)
    assert [button.isVisibleTo(bar) for button in bar.buttons] == [False] * 4
    assert bar.more.isVisibleTo(bar)
    actions = [action for action in bar.menu.actions() if not action.isSeparator()]
    assert actions == [button.defaultAction() for button in bar.buttons]


def test_a_line_without_room_is_elided_and_shown_on_hover(qtbot: QtBot) -> None:
    label = ElidedLabel("34 end inside a character")
    qtbot.addWidget(label)
    label.set_tip("What that means")
    label.show()
    label.resize(400, 20)
    assert label.toolTip() == "What that means"
    label.resize(60, 20)
    assert label.toolTip() == "34 end inside a character\nWhat that means"


def test_a_sentence_goes_on_over_its_lines(qtbot: QtBot) -> None:
    label = ElidedLabel("A sentence of seven words 😀😀 and more 😀 after it")
    qtbot.addWidget(label)
    label.show()
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
    dialog = window.shortcut_dialog
    assert dialog is not None
    heads = [dialog.table.topLevelItem(k) for k in range(dialog.table.topLevelItemCount())]
    rows = [head.child(k) for head in heads if head is not None for k in range(head.childCount())]
    listed = {(row.text(0), row.text(1)) for row in rows}
    for spec in window.actions_by_id.declared:
        assert (spec.plain_text.removesuffix(" …"), spec.shortcut) in listed
    assert ("Copy the selected text", "Ctrl+C") in listed
    dialog.close()


def test_the_room_of_the_text_goes_to_the_workspace_and_comes_back(window: MainWindow) -> None:
    window.resize(1440, 900)
    QApplication.processEvents()
    before = window.workspace.height()
    text = window.text.height()
    window.panes.show_text(False)
    QApplication.processEvents()
    assert window.text.height() == window.text.maximumHeight() < text
    assert window.workspace.height() >= before + text - window.text.height()
    window.panes.show_text(True)
    QApplication.processEvents()
    assert window.text.height() == text
    assert window.workspace.height() == before
