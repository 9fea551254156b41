"""The library: the model's laws, its rows, the panel with its buttons, and fetching."""

from __future__ import annotations

import hashlib
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
from narrowed import there
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent, QFont, QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.models.tokenizers.library import (
    LibraryGroup,
    LibraryItem,
    LibraryModel,
    State,
    describe,
    status,
)
from tokenarium.session import catalogue
from tokenarium.style.fonts import TEXT_SIZE, ui_font
from tokenarium.widgets.library.library_panel import EDGE, NAME, marker_rect
from tokenarium_core.formats.named import NAMED, NamedEncoding, SourceFile, cache_path

SHIPPED = "shipped:tokenarium-8k"
Check = Qt.ItemDataRole.CheckStateRole


def item(name: str, group: LibraryGroup = LibraryGroup.FILES, **more: object) -> LibraryItem:
    return LibraryItem(f"file:{name}", group, name, name, 0, **more)  # type: ignore[arg-type]


@pytest.fixture
def model(qtbot: QtBot) -> LibraryModel:
    model = LibraryModel()
    mode = QAbstractItemModelTester.FailureReportingMode.Warning
    QAbstractItemModelTester(model, mode, model)
    for place, name in enumerate("abc"):
        model.insert(item(name), place)
    return model


def test_only_its_library_changes_an_item(model: LibraryModel) -> None:
    changed: list[str] = []
    model.dataChanged.connect(lambda index, _: changed.append(index.data()))
    found = there(model.item("file:b"))
    for field in fields(LibraryItem):
        with pytest.raises(FrozenInstanceError):
            setattr(found, field.name, None)
    model.set_on(found, True)
    model.set_state(found, State.FAILED, "It is cut off.")
    assert (found.on, found.state, found.note) == (False, State.FAILED, "It is cut off.")
    assert model.rename(found, "c")  # which another has
    assert not model.rename(found, found.name)
    assert changed == ["b", "b", found.name]
    model.remove(found)
    model.set_received(found, 1, 2)  # what was taken out meanwhile has no row
    assert len(changed) == 3


def names(model: LibraryModel, group: LibraryGroup = LibraryGroup.FILES) -> str:
    return "".join(item.name for item in model.group(group))


def row(model: LibraryModel, name: str) -> QModelIndex:
    found = there(model.item(f"file:{name}"))
    return model.index_of(found)


@pytest.mark.parametrize(
    ("name", "to", "after"),
    [("a", 0, "abc"), ("a", 1, "bac"), ("a", 2, "bca"), ("c", 0, "cab"), ("b", 2, "acb")],
)
def test_rows_move(model: LibraryModel, name: str, to: int, after: str) -> None:
    found = there(model.item(f"file:{name}"))
    model.move(found, to)
    assert names(model) == after


def test_no_two_items_have_one_name(qtbot: QtBot) -> None:
    model = LibraryModel()
    sources = ["/a/bert", "/b/bert", "/c/b/bert", "/b/bert/vocab.txt", "bert", "bert.model"]
    for place, source in enumerate(sources):
        model.insert(LibraryItem(f"file:{source}", LibraryGroup.FILES, "bert", source, 0), place)
    for place, identity in enumerate(["0123456789", "9876543210"]):
        model.insert(
            LibraryItem(f"trained:{identity}", LibraryGroup.TRAINED, "bert", "/s/x.json", 0), place
        )
    found = [one.name for one in model]
    assert found[:4] == ["bert", "bert (b)", "bert (c)", "bert (vocab.txt)"]
    assert found[-2:] == ["bert (0123456)", "bert (9876543)"]
    assert len(set(found)) == len(found)
    first = next(iter(model))
    assert model.distinct_name(first, "bert") == "bert"
    assert model.distinct_name(first, "bert (b)") == "bert (b) (a)"
    beside = LibraryItem("file:x", LibraryGroup.FILES, "bert", "/a/tokenizer.json", 0)
    assert (
        model.distinct_name(beside, "bert") == "bert (tokenizer.json)"
    )  # "/a/bert" is in that folder too


def test_rows_come_and_go(model: LibraryModel) -> None:
    found = there(model.item("file:b"))
    model.remove(found)
    model.insert(item("z"), 0)
    assert names(model) == "zac"
    heads = [model.index(place, 0).data() for place in range(model.rowCount())]
    assert heads == [group.value for group in LibraryGroup]


@pytest.mark.parametrize(
    ("dragged", "row_below", "expected"),
    [
        ("a", 2, ("file:a", 1)),
        ("a", 3, ("file:a", 2)),
        ("c", 0, ("file:c", 0)),
        ("a", -1, ("file:a", 2)),
    ],
)
def test_a_dragged_row_asks_for_its_place(
    model: LibraryModel, qtbot: QtBot, dragged: str, row_below: int, expected: tuple[str, int]
) -> None:
    data = model.mimeData([row(model, dragged)])
    files = row(model, dragged).parent()
    with qtbot.waitSignal(model.move_requested) as asked:
        model.dropMimeData(data, Qt.DropAction.MoveAction, row_below, 0, files)
    assert tuple(asked.args) == expected


def test_a_row_cannot_be_dragged_into_another_group(model: LibraryModel) -> None:
    data = model.mimeData([row(model, "a")])
    shipped = model.index(0, 0)
    assert not model.canDropMimeData(data, Qt.DropAction.MoveAction, 0, 0, shipped)


def test_ticking_asks_and_changes_nothing_itself(model: LibraryModel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.check_requested) as asked:
        model.setData(row(model, "a"), Qt.CheckState.Checked, Check)
    assert asked.args == ["file:a", True]
    assert row(model, "a").data(Check) == Qt.CheckState.Unchecked


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (item("a"), ""),
        (item("a", state=State.MISSING), "not on this computer"),
        (item("a", state=State.FETCHING), "downloading …"),
        (item("a", state=State.FETCHING, received=310_000, total=836_000), "0.3 of 0.8 MB"),
        (item("a", state=State.FAILED), "cannot be opened"),
    ],
)
def test_status(given: LibraryItem, words: str) -> None:
    assert status(given) == words


def test_the_tooltip_says_why(model: LibraryModel) -> None:
    assert "It is cut off." in describe(item("a", note="It is cut off."))


def test_what_is_on_and_its_order_come_from_last_time() -> None:
    items = catalogue.offered(
        [SHIPPED], ["named:o200k_base", "named:gpt2"], ["/x/y.json", "/z.tiktoken\ngpt2"]
    )
    openai = [e.name for e in items if e.group is LibraryGroup.OPENAI]
    assert openai[:2] == ["GPT-4o", "GPT-2"]
    assert [e.key for e in items if e.on] == [SHIPPED]
    files = [(e.source, e.pattern) for e in items if e.group is LibraryGroup.FILES]
    assert files == [("/x/y.json", ""), ("/z.tiktoken", "gpt2")]
    assert [catalogue.file_line(e) for e in items if e.group is LibraryGroup.FILES] == [
        "/x/y.json",
        "/z.tiktoken\ngpt2",
    ]


@pytest.mark.parametrize("path", ["/x/y", "/a\nb/y.json", "/a\n", "/3\n4\n5"])
@pytest.mark.parametrize("pattern", ["", "gpt2", r"\s+|[^\s]" + "\n|a"])
def test_any_path_and_pattern_come_back(path: str, pattern: str) -> None:
    item = catalogue.file_item(path, pattern)
    again = catalogue.file_of_line(catalogue.file_line(item))
    assert (again.key, again.source, again.pattern) == (item.key, path, pattern)


def test_encodings_that_are_not_here_say_so() -> None:
    named = [e for e in catalogue.offered([], [], []) if e.group is LibraryGroup.OPENAI]
    assert {e.state for e in named} == {State.MISSING}


# The panel, in the window.


def visual_rect(window: MainWindow, key: str):  # type: ignore[no-untyped-def]
    found = there(window.session.library.item(key))
    return window.library.tree.visualRect(window.session.library.index_of(found))


def test_a_click_on_the_marker_turns_off_and_space_turns_on(
    window: MainWindow, qtbot: QtBot
) -> None:
    tree = window.library.tree
    place = marker_rect(visual_rect(window, SHIPPED)).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.session.chosen() == []
    qtbot.keyClick(tree, Qt.Key.Key_Space)
    assert [e.key for e in window.session.chosen()] == [SHIPPED]


def test_a_click_on_the_row_puts_in_front(
    window: MainWindow, qtbot: QtBot, bytes_only: str
) -> None:
    tree, session = window.library.tree, window.session
    for key in (bytes_only, SHIPPED, bytes_only):
        place = visual_rect(window, key).center()
        qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert session.current is session.library.item(key)
        assert tree._delegate.front == key
    assert len(session.chosen()) == 2
    session.edits.turn_on(SHIPPED, False)
    place = visual_rect(window, SHIPPED).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.current is session.library.item(SHIPPED)  # it is turned on for that
    mark = marker_rect(visual_rect(window, bytes_only)).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert [item.key for item in session.chosen()] == [SHIPPED]
    assert session.current is session.library.item(SHIPPED)


def test_the_marker_says_what_a_click_does(window: MainWindow, qtbot: QtBot) -> None:
    tree = window.library.tree
    mark = marker_rect(visual_rect(window, SHIPPED)).center()
    missing = marker_rect(visual_rect(window, "named:gpt2")).center()
    for place, hand in (
        (mark, True),
        (visual_rect(window, SHIPPED).center(), False),
        (missing, False),
    ):
        qtbot.mouseMove(tree.viewport(), place)
        assert tree.marker_at(place).isValid() is hand
        shape = tree.viewport().cursor().shape()
        assert (shape == Qt.CursorShape.PointingHandCursor) is hand
        tree.grab()


def test_what_is_not_here_is_shown_last(window: MainWindow) -> None:
    library, tree = window.session.library, window.library.tree
    found = there(library.item("named:gpt2"))
    groups = list(LibraryGroup)

    def heading() -> str:
        return str(library.index_of(found).parent().data())

    assert heading() == "More to download"
    openai = library.index(groups.index(LibraryGroup.OPENAI), 0)
    assert tree.isRowHidden(openai.row(), QModelIndex())
    for state, name in ((State.FETCHING, "More to download"), (State.CLOSED, "OpenAI")):
        library.set_state(found, state)
        assert heading() == name
        assert library.item_at(library.index_of(found)) is found
    assert not tree.isRowHidden(openai.row(), QModelIndex())
    assert found in library.group(LibraryGroup.OPENAI)
    assert tree.indexWidget(library.index_of(found)) is None
    library.set_state(found, State.MISSING)
    assert heading() == "More to download"
    assert tree.indexWidget(library.index_of(found)) is not None


def test_no_name_is_cut_off(window: MainWindow) -> None:
    names = QFontMetrics(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
    scroll_bar = 10
    room = window.library.width() - NAME - 2 * EDGE - scroll_bar
    for one in window.session.library:
        assert names.horizontalAdvance(one.model_name) <= room, one.model_name


def test_tab_shows_a_row_of_the_library_and_changes_nothing(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        window.session, "set_current", lambda key: pytest.fail(f"{key} was made the current one")
    )
    assert not window.library.tree.currentIndex().isValid()
    window.library.tree.setFocus(Qt.FocusReason.TabFocusReason)
    assert window.library.current is window.session.library.item(SHIPPED)
    qtbot.keyClick(window.library.tree, Qt.Key.Key_Space)
    assert window.session.chosen() == []


def test_rows_move_by_alt_and_arrows(window: MainWindow, qtbot: QtBot) -> None:
    library = window.session.library
    first, second = library.group(LibraryGroup.OPENAI)[:2]
    window.session.library.set_state(second, State.CLOSED)
    window.library.set_current(second)
    window.actions_by_id.refresh()
    qtbot.keyClick(window.library.tree, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert library.group(LibraryGroup.OPENAI)[:2] == (second, first)
    assert window.library.current is second


def test_dropped_tokenizers_are_opened_and_removed_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    import tokenarium_core as tc

    path = tmp_path / "mine.json"
    tc.train("bpe", ["abc abc"], vocab_size=258).save(path)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    tree = window.library.tree
    window.library.tree.dropEvent(
        QDropEvent(
            QPoint(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    added = window.session.library.group(LibraryGroup.FILES)[0]
    window.library.set_current(added)
    window.actions_by_id.refresh()
    QTest.keyClick(tree, Qt.Key.Key_Delete, Qt.KeyboardModifier.ControlModifier)
    assert window.session.library.group(LibraryGroup.FILES) == ()


def test_get_it_fetches_every_file_and_opens_the_tokenizer(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, served: str, tmp_path: Path
) -> None:
    content = b"".join(
        b"%s %d\n" % (__import__("base64").b64encode(bytes([b])), b) for b in range(256)
    )
    (tmp_path / "served" / "tiny.tiktoken").write_bytes(content)
    file = SourceFile(f"{served}/tiny.tiktoken", hashlib.sha256(content).hexdigest(), len(content))
    monkeypatch.setitem(NAMED, "gpt2", NamedEncoding("gpt2", "", "gpt2", {}, (file,)))
    found = there(window.session.library.item("named:gpt2"))
    holder = window.library.tree.indexWidget(window.session.library.index_of(found))
    button = holder.findChild(QToolButton)
    assert button.accessibleName() == "Get GPT-2"
    assert button.text() == "1.5 MB"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: found.state is State.OPEN)
    assert cache_path(file).read_bytes() == content
    assert found in window.session.chosen()


def test_a_file_that_is_not_the_published_one_is_refused(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, served: str, tmp_path: Path
) -> None:
    (tmp_path / "served" / "bad").write_bytes(b"not this")
    file = SourceFile(f"{served}/bad", "0" * 64, 8)
    monkeypatch.setitem(NAMED, "gpt2", NamedEncoding("gpt2", "", "gpt2", {}, (file,)))
    window.fetcher.fetch("named:gpt2")
    found = there(window.session.library.item("named:gpt2"))
    assert found.state is State.FETCHING
    qtbot.waitUntil(lambda: found.state is State.MISSING)
    assert window.messages.isVisible()
    assert "SHA-256" in window.messages.label.text()
    assert not cache_path(file).exists()
