"""The page Vocabulary size in the window: its slider, its steps, and what has no first merges."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import there
from played_models import trained
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from windows import Host, show_page, trigger

from tokenarium.app.window import MainWindow
from tokenarium.views import merge_sizes
from tokenarium.views.merge_sizes import MergeSizesPage

TEXT = "Merging makes tokens of bytes.\n\nनमस्ते दुनिया, مرحبا, 本屋 and 👩‍🚀!"


@pytest.fixture
def page(host: Host) -> MergeSizesPage:
    host.session.set_text(TEXT)
    page = show_page(host, "merges", "sizes", MergeSizesPage)
    page.recut()
    return page


def shown_ids(page: MergeSizesPage) -> list[int]:
    ids = there(page.view.parts.ids)
    return ids.tolist()


def test_it_begins_with_the_whole_vocabulary(host: Host, page: MergeSizesPage) -> None:
    current = there(host.session.current)
    assert current.tokenizer is not None
    assert shown_ids(page) == current.tokenizer.encode_ids(TEXT)
    assert page.bar.number.value() == len(current.tokenizer.vocabulary)
    assert page.player.position == page.player.length
    assert f"{len(shown_ids(page)):,} tokens" in page.stage.count.text()


def test_the_keyboard_moves_the_slider(page: MergeSizesPage) -> None:
    slider, player = page.bar.slider, page.player
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert player.position == 0
    assert len(shown_ids(page)) == len(TEXT.encode())
    QTest.keyClick(slider, Qt.Key.Key_Right)
    QTest.keyClick(slider, Qt.Key.Key_Up)
    assert player.position == 2
    assert "Merge 2 of" in page.stage.sentence.text()
    QTest.keyClick(slider, Qt.Key.Key_Left)
    assert player.position == 1
    QTest.keyClick(slider, Qt.Key.Key_PageUp)
    paged = player.position
    assert paged > 20
    QTest.keyClick(slider, Qt.Key.Key_PageDown)
    assert player.position == pytest.approx(1, abs=2)
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert player.position == player.length


def test_all_controls_show_one_size(page: MergeSizesPage) -> None:
    base = there(page.player.cuts).base
    page.bar.number.setValue(base + 1000)
    assert page.player.position == 1000
    assert page.bar.slider.size_shown == base + 1000
    page.stage.chart.moved.emit(base + 50)
    assert page.bar.number.value() == base + 50
    page.bar.slider.setValue(page.bar.slider.maximum())
    assert page.bar.number.value() == base + page.player.length
    page.stage.chart.moved.emit(10_000_000)
    assert page.bar.number.value() == base + page.player.length


def test_steps_go_to_where_the_text_changes(window: MainWindow, page: MergeSizesPage) -> None:
    actions = window.actions_by_id
    actions.refresh()
    actions["play_start"].trigger()
    before = shown_ids(page)
    actions["step_on"].trigger()
    assert page.player.cuts is not None
    assert page.player.position == page.player.cuts.changes[0]
    assert shown_ids(page) != before
    assert window.session.hover is not None
    actions["step_back"].trigger()
    assert shown_ids(page) == before
    actions["play_end"].trigger()
    actions["step_back"].trigger()
    assert (
        page.player.position == page.player.cuts.changes[-2]
        or page.player.position < page.player.length
    )


def test_it_plays_through_all_sizes(qtbot: QtBot, window: MainWindow, page: MergeSizesPage) -> None:
    page.bar.speed.setCurrentIndex(page.bar.speed.count() - 1)
    page.player.speed = 100.0
    trigger(window, "play")
    assert page.player.playing
    qtbot.waitUntil(lambda: not page.player.playing)
    assert page.player.position == page.player.length


def test_leaving_the_page_pauses_it(window: MainWindow, page: MergeSizesPage) -> None:
    page.player.play()
    window.merge_commands.show_page("steps")
    assert not page.player.playing


def test_switches(window: MainWindow, page: MergeSizesPage) -> None:
    actions = window.actions_by_id
    for action_id in ("size_log", "size_ratio"):
        actions.refresh()
        before = actions[action_id].isChecked()
        QTest.mouseClick(page.switches[action_id == "size_ratio"], Qt.MouseButton.LeftButton)
        actions.refresh()
        assert actions[action_id].isChecked() != before


def test_another_text_is_cut_when_it_is_seen(host: Host, page: MergeSizesPage) -> None:
    host.show_workspace("tokens")
    host.session.set_text("Another text, with other words.")
    host.show_workspace("merges")
    page.recut()
    current = there(host.session.current)
    assert shown_ids(page) == there(current.tokenizer).encode_ids(host.session.text)
    host.session.set_text("")
    page.recut()
    assert page.empty.isVisible()


def test_a_long_text_is_cut_in_steps(qtbot: QtBot, host: Host, page: MergeSizesPage) -> None:
    text = "".join(f"word{number} of many, " for number in range(20_000))
    host.session.set_text(text)
    page.recut()
    qtbot.waitUntil(lambda: page.player.cuts is not None)
    current = there(host.session.current)
    assert current.tokenizer is not None
    assert there(page.player.cuts).count(page.player.length) == len(
        current.tokenizer.encode_ids(text)
    )
    assert 0 < len(shown_ids(page)) < 30_000
    assert not page.stage.count.text().startswith("first")


def test_of_a_very_long_text_it_is_said_how_much_is_cut(
    qtbot: QtBot, host: Host, page: MergeSizesPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge_sizes, "LONGEST", 1_200)
    host.session.set_text("word " * 300)
    page.recut()
    qtbot.waitUntil(lambda: page.stage.count.text().startswith("first 1,200 bytes: "))


def test_merging_that_is_stopped_says_so(qtbot: QtBot, host: Host, page: MergeSizesPage) -> None:
    host.session.set_text("".join(f"word{number} of many, " for number in range(20_000)))
    page.recut()
    assert host.session.jobs.running()
    host.session.jobs.cancel_all()
    page.recut()
    assert "was stopped" in page.stage.sentence.text()
    host.session.set_text("Short.")
    page.recut()
    assert page.player.cuts is not None


def test_walking_through_the_tokens_keeps_its_place(host: Host, page: MergeSizesPage) -> None:
    host.session.set_text("Many words stand in many lines.\n" * 100)
    page.recut()
    page.view.setFocus()
    for _ in range(3):
        QTest.keyClick(page.view, Qt.Key.Key_PageDown)
    QTest.keyClick(page.view, Qt.Key.Key_Right)
    start = host.session.selection
    QTest.keyClick(page.view, Qt.Key.Key_Right)
    assert start is not None
    assert there(host.session.selection)[0] == start[1] > 0


def test_a_model_without_merges_says_why(
    qtbot: QtBot, window: MainWindow, page: MergeSizesPage, tmp_path: Path
) -> None:
    path = tmp_path / "unigram.model"
    path.write_bytes(trained("unigram", 600, byte_fallback=True))
    window.take_files([path])
    qtbot.waitUntil(lambda: not window.session.opening)
    page.recut()
    assert "unigram" in page.note.text()
    window.session.set_current(f"file:{path}")
    page.recut()
    assert "Unigram does not merge" in page.stage.sentence.text()
    assert not page.bar.slider.isEnabled()
    assert page.player.length == 0
    assert shown_ids(page) == list(window.session.current.tokenizer.encode_ids(TEXT))  # type: ignore[union-attr]
