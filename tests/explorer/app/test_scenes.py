"""What a window shows is a scene: it comes back in another window, in a file, as a link, and after the program is killed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from narrowed import assert_contains, there
from PySide6.QtCore import QSettings
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import come_to_rest, emitted, off_screen, on_screen, trigger

import tokenarium_core as tc
from tokenarium.app.start import make_window, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models import scene as scene_model
from tokenarium.models.compare.prices import Price, PriceList
from tokenarium.models.files import session_folder
from tokenarium.models.lessons.classes import ready_classes
from tokenarium.models.scene import (
    ReadScene,
    Scene,
    SceneText,
    SceneTokenizer,
    read_scene,
    scene_bytes,
)
from tokenarium.models.scene_store import LEFT_OUT, SceneStore
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryGroup, State
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.views.merges import StepsPage
from tokenarium.widgets.text.text_opening import LARGE
from tokenarium_core.bounded_json import JsonBounds

SHIPPED = "shipped:tokenarium-8k"
UNIGRAM = "shipped:unigram-8k"


def play(window: MainWindow, qtbot: QtBot) -> StepsPage:
    """Shows the merges of a word at the third step."""
    window.session.set_text("an unbelievable text")
    window.session.select(2, 15)
    window.merge_commands.show_page("steps")
    page = window.workspace.page  # type: ignore[attr-defined]
    assert isinstance(page, StepsPage)
    qtbot.waitUntil(lambda: page.player is not None and page.player.length > 3)
    assert page.player is not None
    page.player.go_to(3)
    return page


def shown_again(window: MainWindow, qtbot: QtBot) -> tuple[object, ...]:
    qtbot.waitUntil(lambda: not window.stage.busy)
    page = window.workspace.page  # type: ignore[attr-defined]
    session = window.session
    return session.text, session.selection, window.workspace.name.id, page.id, page.player.position


AS_PLAYED = ("an unbelievable text", (2, 15), "merges", "steps", 3)


def test_a_player_with_nothing_to_play_has_no_step(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("a")
    window.merge_commands.show_page("steps")
    qtbot.waitUntil(lambda: not (window.session.opening or window.workspace.busy))
    scene = window.stage.make()
    said = emitted(window.session.problem)
    window.stage.show(ReadScene(scene))
    qtbot.waitUntil(lambda: not window.stage.busy)
    assert said == []


def test_a_file_has_the_text_the_page_and_the_step(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    play(window, qtbot)
    window.session.set_annotations("ids")
    window.scene_commands.save_to(tmp_path / "a.tokenarium")
    window.session.set_annotations("none")
    window.session.set_text("another")
    window.show_workspace("bytes")
    window.take_files([tmp_path / "a.tokenarium"])
    assert shown_again(window, qtbot) == AS_PLAYED
    assert window.session.annotations == "ids"
    window.session.edits.undo_stack.undo()
    assert window.session.text == "another"


def test_a_link_is_copied_and_pasted(window: MainWindow, qtbot: QtBot) -> None:
    play(window, qtbot)
    trigger(window, "copy_link")
    link = QGuiApplication.clipboard().text()
    window.session.set_text("another")
    window.text.pasted.emit(link)
    assert shown_again(window, qtbot) == AS_PLAYED


def test_the_next_window_goes_on(
    window: MainWindow, qtbot: QtBot, qapp: QApplication, store: Settings
) -> None:
    play(window, qtbot)
    window.close()
    other = on_screen(qtbot, make_window(qapp, store))
    assert other.scene_commands.restore()
    assert shown_again(other, qtbot) == AS_PLAYED
    assert not other.session.edits.undo_stack.can_undo


def test_a_lesson_comes_back_above_the_text_that_was_open(
    window: MainWindow, qtbot: QtBot, qapp: QApplication, store: Settings
) -> None:
    window.session.set_text("my own text")
    title = window.session.title
    window.lessons.open("01-spaces-and-case", 0)
    qtbot.waitUntil(lambda: not window.lessons.waits)
    window.lessons.step(1)
    window.scene_commands.keep(now=True)
    path = session_folder() / "last.tokenarium"
    kept, written = read_scene_file(path).scene, path.read_bytes()
    assert kept.text == SceneText("my own text", title=title)
    assert kept.above == {"lesson": {"step": ["01-spaces-and-case", 1]}}
    window.close()
    path.write_bytes(written)  # a crash closes no lesson
    other = on_screen(qtbot, make_window(qapp, store))
    assert other.scene_commands.restore()
    qtbot.waitUntil(lambda: other.lessons.lesson is not None and not other.lessons.waits)
    assert other.lessons.at == 1
    other.lessons.close()
    qtbot.waitUntil(lambda: other.session.text == "my own text")
    other.scene_commands.keep(now=True)
    assert not read_scene_file(path).scene.above


def test_a_part_of_a_class_comes_back_with_the_text_that_was_tried(
    window: MainWindow, qtbot: QtBot, qapp: QApplication, store: Settings
) -> None:
    ready = ready_classes()["class-letters"]
    parts = [part for part in ready.parts if part.lesson]
    lessons = window.lessons
    lessons.open_list()
    panel = there(lessons.panel)
    next(one for one in panel.rows if one.row.id == ready.id).click()
    panel.rows[0].click()
    qtbot.waitUntil(lambda: not (lessons.waits or window.stage.busy))
    window.session.set_text("a text to try")
    window.scene_commands.keep(now=True)
    path = session_folder() / "last.tokenarium"
    written = path.read_bytes()
    window.close()
    path.write_bytes(written)  # a crash closes no lesson
    other = on_screen(qtbot, make_window(qapp, store))
    assert other.scene_commands.restore()
    lessons = other.lessons
    qtbot.waitUntil(lambda: lessons.own_text and not (lessons.waits or other.stage.busy))
    assert other.session.text == "a text to try"
    step = there(lessons.step_shown)
    assert (step.noun, step.count, step.next_title) == ("Part", len(parts), parts[1].title)
    lessons.step(1)
    qtbot.waitUntil(lambda: not (lessons.waits or other.stage.busy))
    assert (there(lessons.lesson).id, there(lessons.current).title) == (
        parts[1].lesson,
        parts[1].step,
    )


def test_settings_that_are_too_large_are_not_left_out_in_silence(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = emitted(window.session.problem)
    window.session.set_text("my own text")
    with monkeypatch.context() as patched:
        patched.setattr(scene_model, "BOUNDS", JsonBounds(1 << 20, 32, 30))
        window.scene_commands.keep(now=True)
        window.scene_commands._keep_all()
    assert said == [LEFT_OUT]
    kept = read_scene_file(session_folder() / "last.tokenarium").scene
    assert (there(kept.text).inline, kept.pages, kept.panes) == ("my own text", {}, {})
    window.session.set_text("my own text, changed")
    window.scene_commands.keep(now=True)
    window.scene_commands._keep_all()
    assert said[1:] == [""]  # it is all there again
    assert read_scene_file(session_folder() / "last.tokenarium").scene.panes


def test_what_is_shown_is_kept_as_one_works(window: MainWindow, qtbot: QtBot) -> None:
    play(window, qtbot)
    window.scene_commands.keep(now=True)
    path = session_folder() / "last.tokenarium"
    found = read_scene_file(path).scene
    assert found.text == SceneText("an unbelievable text")
    assert found.pages["merges.steps"]["step"] == 3
    written = path.stat().st_mtime_ns
    window.scene_commands.keep(now=True)  # nothing has changed
    assert path.stat().st_mtime_ns == written


def test_the_tokenizers_that_are_on_are_kept_as_one_works(
    window: MainWindow, store: Settings, tmp_path: Path
) -> None:
    window.scene_commands.keep(now=True)
    window.session.edits.turn_on(UNIGRAM, True)
    window.scene_commands.keep(now=True)
    written = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    assert written.get(settings.TOKENIZERS_ON) == [SHIPPED, UNIGRAM]


def test_sets_and_prices_are_kept_as_one_works(window: MainWindow, tmp_path: Path) -> None:
    session = window.session
    window.scene_commands.keep(now=True)
    session.sets.save("one")
    window.scene_commands.keep(now=True)

    def written() -> Settings:
        return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))

    assert written().get(settings.TOKENIZER_SETS) == [f'["one", "{SHIPPED}"]']
    prices = PriceList((Price("other", UNIGRAM, 1.0),))
    session.figures.set_prices(prices)
    window.scene_commands.keep(now=True)
    assert written().get(settings.PRICES) == prices.lines()


def test_no_texts_are_kept_if_that_is_off(window: MainWindow, store: Settings) -> None:
    window.session.set_text("secret")
    window.scene_commands.keep(now=True)
    window.scene_commands.keep_texts(False)
    window.session.set_text("more secret")
    window.scene_commands.keep(now=True)
    assert not any(b"secret" in path.read_bytes() for path in session_folder().iterdir())
    assert not window.scene_commands.restore()
    assert not store.get(settings.KEEP_TEXTS)


def test_a_window_that_is_closed_at_once_shows_its_session_again(
    window: MainWindow, qtbot: QtBot, qapp: QApplication, store: Settings
) -> None:
    play(window, qtbot)
    window.close()
    for _ in range(2):
        other = off_screen(qtbot, make_window(qapp, store))
        assert other.scene_commands.restore()
        other.close()
        other.close()


def test_a_full_disk_harms_nothing(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.session.set_text("first")
    window.scene_commands.keep(now=True)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("tokenarium.models.scene_store.write_files", full)
        window.session.set_text("second")
        window.scene_commands.keep(now=True)
        kept = read_scene_file(session_folder() / "last.tokenarium").scene
        assert kept.text == SceneText("first")
    window.scene_commands.keep(now=True)  # there is room again
    kept = read_scene_file(session_folder() / "last.tokenarium").scene
    assert kept.text == SceneText("second")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_what_cannot_be_kept_is_said_and_kept_once_it_can(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    commands, said = window.scene_commands, []
    window.session.problem.connect(said.append)
    turn = commands._keep_all
    own = tmp_path / "own.tokenarium"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        window.session.set_text("second")
        commands.keep_draft("mine.md", "a draft")
        commands.keep(now=True)
        turn()
        turn()
        [sentence] = said  # once
        assert_contains(
            sentence,
            str(session_folder()),
            f"cannot be written: {os.strerror(code)}.",
            "File › Save session",
        )
        assert window.messages.label.text() == sentence
        commands.save_to(own)
        assert not own.exists()
        assert str(own) in said[-1]
        assert not commands.drafts
    said.clear()

    def kept() -> bool:
        turn()
        return bool(commands.drafts) and said == [""]

    qtbot.waitUntil(kept)
    assert commands.drafts[0].read_text() == "a draft"
    commands.keep(now=True)
    assert read_scene_file(session_folder() / "last.tokenarium").scene.text == SceneText("second")


def test_recent_texts_are_those_of_the_user(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "notes.txt").write_text("from a file")
    window.session.set_text("my first words")
    window.session.set_text("a sample", title="Sample")
    window.take_files([tmp_path / "notes.txt"])
    window.session.set_text("last")
    commands = window.scene_commands.recent_commands()
    assert [one.title for one in commands] == ["notes.txt", "my first words"]
    commands[1].run()
    assert window.session.text == "my first words"
    commands[0].run()
    assert window.session.text == "from a file"


def test_pages_that_were_not_shown_yet_wait(window: MainWindow, qtbot: QtBot) -> None:
    scene = Scene(
        text=SceneText("an unbelievable text"),
        selection=(2, 15),
        workspace="tokens",
        pages={"merges.steps": {"step": 3}},
    )
    window.stage.show(ReadScene(scene))
    assert window.stage.make().pages["merges.steps"] == {"step": 3}
    window.merge_commands.show_page("steps")
    assert shown_again(window, qtbot) == AS_PLAYED


def test_the_forms_of_trainings_are_kept(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    window.train_commands.show_page("training")
    form = window.workspace.page.form  # type: ignore[attr-defined]
    (tmp_path / "a.txt").write_text("a text " * 100)
    form.choose("unigram", "superbpe")
    form.controls["vocab_size"].show("777")
    form.sources.set_sources([CorpusSource("file", str(tmp_path / "a.txt"), 0.5)])
    form.type({"min_frequency": "3"})
    window.merge_commands.show_page("training")
    played = window.workspace.page.form  # type: ignore[attr-defined]
    played.algorithm.setCurrentIndex(2)
    played.controls["merges"].show(20)
    found = ReadScene(window.stage.make(portable=True))
    kept, shown = form.typed, played.algorithm.currentText()
    form.choose("bpe")
    form.controls["vocab_size"].show("1")
    form.sources.set_sources([])
    form.type({"min_frequency": "1"})
    played.algorithm.setCurrentIndex(0)
    played.controls["merges"].show(30)
    window.stage.show(found)
    assert (played.algorithm.currentText(), played.controls["merges"].value) == (shown, 20)
    window.train_commands.show_page("training")
    assert [one.name for one in form.chosen] == ["superbpe", "unigram"]
    assert form.controls["vocab_size"].value == "777"
    assert form.sources.sources == (CorpusSource("file", str(tmp_path / "a.txt"), 0.5),)
    assert form.typed == kept


LONG = "an unbelievable text, word by word, with a few lines\n" * 40


def test_panels_and_what_is_pinned_come_back(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text(LONG)
    window.session.select(3, 15)
    qtbot.waitUntil(lambda: window.inspector.shown == (3, 15))
    window.inspector.pin.click()
    window.session.select(20, 24)
    window.panes.show_library(False)
    window.panes.pin_text(False)
    window.pipeline_controller.show_pipeline(True)
    window.session.set_ends(True, False)
    window.session.set_decimal(True)
    window.text.field.verticalScrollBar().setValue(5)
    made = window.stage.make(portable=True)
    assert made.panes["pinned"] == [3, 15]
    assert made.panes["text_scroll"] == 5
    window.text.field.verticalScrollBar().setValue(0)
    window.inspector.pin.click()
    window.panes.show_library(True)
    window.panes.pin_text(True)
    window.pipeline_controller.show_pipeline(False)
    window.session.set_ends(False, False)
    window.session.set_decimal(False)
    assert window.stage.make(portable=True) != made
    window.stage.show(read_scene(scene_bytes(made)))
    come_to_rest(window, qtbot)
    assert window.inspector.shown == (3, 15)
    assert window.stage.make(portable=True) == made


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("welcome", {}),
        ("lessons", {}),
        ("lesson", {"step": ["01-spaces-and-case", 2]}),
        ("why", {"asked": [3, 15], "tab": SHIPPED, "offered": False}),
        ("palette", {"typed": "tok"}),
        ("shortcuts", {}),
        ("help", {}),
        ("settings", {}),
        ("prices", {}),
        ("sets", {}),
        ("about_tokenizer", {}),
        ("share", {}),
        ("save_tokenizer", {}),
    ],
)
def test_what_is_open_above_a_page_comes_back(
    window: MainWindow, qtbot: QtBot, id: str, values: dict[str, object]
) -> None:
    scene = Scene(text=SceneText(LONG), selection=(3, 15), workspace="tokens", above={id: values})
    said: list[str] = emitted(window.session.problem)
    window.stage.show(ReadScene(scene))
    assert window.stage.make(portable=True).above == {id: values}
    come_to_rest(window, qtbot)
    assert not any(said)
    (made,) = window.stage.make(portable=True).above.items()
    assert made[0] == id
    assert made[1].items() >= values.items()
    assert not window.stage.make().above


def test_what_can_be_open_is_documented(window: MainWindow) -> None:
    page = (Path(__file__).parents[3] / "docs" / "lessons.md").read_text("utf-8")
    ids = [one.id for one in window.above()]
    assert len(ids) == len(set(ids))
    for id in ids:
        assert f"`{id}`" in page


def test_what_is_not_known_is_said(window: MainWindow, qtbot: QtBot) -> None:
    scene = Scene(
        text=SceneText("abc"),
        workspace="tokens",
        page="stream",
        pages={"tokens.stream": {"volume": 3, "step": 1}},
        panes={"curtain": True, "text": "upside down"},
        above={"console": {}, "palette": {"run": "quit"}},
    )
    said: list[str] = emitted(window.session.problem)
    window.stage.show(ReadScene(scene))
    come_to_rest(window, qtbot)
    for name in ("volume", "curtain", "text", "console", "run"):
        assert f"“{name}” is left out" in said[-1]
    assert "step" not in said[-1]


@pytest.mark.parametrize(("repeat", "times"), [(1, 1), (3, 3), (10_000, None)])
def test_a_sample_is_taken_some_times(window: MainWindow, repeat: int, times: int | None) -> None:
    text = sample_text("emoji")
    scene = Scene(text=SceneText(sample="emoji", repeat=repeat))
    said: list[str] = emitted(window.session.problem)
    window.stage.show(ReadScene(scene))
    size = len(text.encode())
    most = (4 << 20) // size
    assert window.session.text_map.byte_count == size * (times or most)
    assert any(said) == (times is None)
    window.stage.show(ReadScene(Scene(text=SceneText(sample="nothing"))))
    assert "no sample “nothing”" in said[-1]


def test_all_tokenizers_may_be_off(window: MainWindow) -> None:
    window.stage.show(ReadScene(Scene()))
    assert window.session.chosen()
    window.stage.show(ReadScene(Scene(tokenizers=())))
    assert not window.session.chosen()
    assert window.stage.make().tokenizers == ()


def test_a_missing_tokenizer_has_another_in_its_place(window: MainWindow) -> None:
    said: list[str] = emitted(window.session.problem)
    missing = SceneTokenizer(
        "file:/nowhere/t.json", "Theirs", get="https://example.org", instead=(UNIGRAM,)
    )
    window.stage.show(ReadScene(Scene(tokenizers=(missing,), front="file:/nowhere/t.json")))
    assert [item.key for item in window.session.library if item.on] == [UNIGRAM]
    assert_contains(said[-1], "Theirs is not on this computer; Unigram 8k", "https://example.org")
    window.session.edits.undo_stack.undo()
    assert [item.key for item in window.session.library if item.on] == [SHIPPED]


@pytest.mark.parametrize("changed", [False, True])
def test_a_tokenizers_file_is_known_by_its_hash(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, changed: bool
) -> None:
    path = write_file(tmp_path / "own.json", '{"first": 1}')
    added = window.session.edits.add_file(path)
    window.session.library.set_on(added, True)
    window.scene_commands.save_to(tmp_path / "a.tokenarium")
    scene = read_scene_file(tmp_path / "a.tokenarium").scene
    if changed:
        path.write_text('{"first": 2}')
    said: list[str] = emitted(window.session.problem)
    window.stage.show(ReadScene(scene))
    assert ("not the same file" in " ".join(said)) is changed


@pytest.mark.parametrize("size", [100, LARGE + 100])
def test_a_text_file_that_has_changed_is_named(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, size: int
) -> None:
    path = write_file(tmp_path / "notes.txt", b"a" * size)
    said: list[str] = emitted(window.session.problem)
    scene = Scene(
        text=SceneText(file=str(path), sha256="0" * 64), selection=(0, 10), workspace="bytes"
    )
    window.stage.show(ReadScene(scene))
    qtbot.waitUntil(lambda: window.workspace.name.id == "bytes")
    assert window.session.text_map.byte_count == size
    assert window.session.selection == (0, 10)
    assert "notes.txt has changed" in said[-1]


@pytest.mark.parametrize("order", ["bad", "bad good", "good bad", "bad good bad", "bad bad"])
def test_undo_survives_a_session_with_refused_tokenizers(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, order: str
) -> None:
    tokenizers = []
    for number, kind in enumerate(order.split()):
        path = tmp_path / f"{kind}{number}.json"
        if kind == "good":
            tc.train("bpe", [""], vocab_size=256).save(path)
        else:
            path.write_text('{"version": "1.0", "model": {"vocab": {"a"')
        tokenizers.append(SceneTokenizer(f"file:{path}"))
    session, commands = window.session, window.undo_commands
    session.set_text("before")
    session.set_text("just before")
    session_file = write_file(
        tmp_path / "a.tokenarium",
        scene_bytes(Scene(text=SceneText("after"), tokenizers=tuple(tokenizers))),
    )
    window.take_files([session_file])
    come_to_rest(window, qtbot)
    good = [one.key for one in tokenizers if "good" in one.key]

    def state() -> tuple[str, list[str]]:
        return session.text, [item.key for item in session.library if item.on]

    assert state() == ("after", good)
    for _ in range(3):
        commands.undo()
        come_to_rest(window, qtbot)
        assert state() == ("just before", [SHIPPED])
        commands.undo()
        assert state() == ("before", [SHIPPED])
        commands.redo()
        commands.redo()
        come_to_rest(window, qtbot)
        assert state() == ("after", good)
    assert all(item.state is State.OPEN for item in session.library if item.on)
    assert [one.key for one in session.library.group(LibraryGroup.FILES)] == good


def test_a_session_that_is_undone_before_its_tokenizers_are_refused(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "bad.json", "{")
    session, commands = window.session, window.undo_commands
    session.set_text("before")
    scene = Scene(text=SceneText("after"), tokenizers=(SceneTokenizer(f"file:{path}"),))
    window.stage.show(ReadScene(scene))
    commands.undo()
    come_to_rest(window, qtbot)
    assert (session.text, [item.key for item in session.chosen()]) == ("before", [SHIPPED])
    commands.redo()
    come_to_rest(window, qtbot)
    assert (session.text, session.chosen()) == ("after", [])
    assert session.library.item(f"file:{path}") is None


def test_a_session_with_many_faults_has_a_few_lines(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    many = {f"f{number}": 1 for number in range(3_000)}
    tokenizers = [{"key": f"file:/no/{number}", "name": "n" * 500} for number in range(60)]
    values = {"panes": many, "display": many, "pages": {"tokens": many}, "tokenizers": tokenizers}
    path = write_file(
        tmp_path / "a.tokenarium",
        json.dumps({"tokenarium": 1, "workspace": "tokens", **many, **values}),
    )
    window.take_files([path])
    come_to_rest(window, qtbot)
    said = window.messages.label.text()
    assert_contains(said, "and 2,995 more are not known here", "(And ")
    assert len(said) < 4_000
    assert window.messages.height() < window.height()


@pytest.mark.parametrize("inline", [True, False], ids=["of a former version", "beside"])
def test_a_large_session_is_read_in_another_process(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, inline: bool
) -> None:
    text, path = "a line\n" * (LARGE // 7 + 10), tmp_path / "a.tokenarium"
    if inline:
        path.write_bytes(scene_bytes(Scene(text=SceneText(text), workspace="bytes")))
    else:
        window.session.show_text(TextMap(text))
        window.show_workspace("bytes")
        window.scene_commands.save_to(path)
        assert path.stat().st_size < 100_000
    window.session.set_text("another")
    window.show_workspace("tokens")
    window.take_files([path])
    assert window.scene_commands.reading is inline
    qtbot.waitUntil(lambda: window.workspace.name.id == "bytes", timeout=60_000)
    assert window.session.text == text
    assert window.session.file == ""
    come_to_rest(window, qtbot)


@pytest.mark.parametrize(("title", "called"), [("Faust", "Faust"), ("", "the text")])
def test_a_large_text_comes_back_under_its_own_title(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, title: str, called: str
) -> None:
    path = tmp_path / "a.tokenarium"
    window.session.show_text(TextMap("a line\n" * (LARGE // 7 + 10)), title=title)
    window.scene_commands.save_to(path)
    window.session.set_text("another")
    window.take_files([path])
    (job,) = window.session.jobs.running()
    assert job.title == f"Opening {called}"
    come_to_rest(window, qtbot)
    assert window.session.title == title


@pytest.mark.parametrize("fault", ["missing", "changed"])
def test_a_text_beside_a_session_that_is_not_whole_is_said(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, fault: str
) -> None:
    path, said = tmp_path / "a.tokenarium", []
    window.session.show_text(TextMap("a line\n" * 160_000))
    window.scene_commands.save_to(path)
    [beside] = tmp_path.glob("a-*.txt")
    beside.unlink() if fault == "missing" else beside.write_text("other")
    window.session.set_text("kept")
    window.session.problem.connect(said.append)
    window.take_files([path])
    come_to_rest(window, qtbot)
    assert window.session.text == ("kept" if fault == "missing" else "other")
    assert_contains(said[-1], beside.name, "is not here" if fault == "missing" else "has changed")


@pytest.mark.parametrize("inline", [1, 1 << 20])
def test_a_large_text_is_kept_as_one_works(
    window: MainWindow, qtbot: QtBot, qapp: QApplication, store: Settings, inline: int
) -> None:
    """With half a surrogate pair too, which a file of UTF-8 cannot hold."""
    text = "a line \ud800\n" * (1 + inline // 8)
    window.session.set_text(text)
    window.close()
    other = on_screen(qtbot, make_window(qapp, store))
    assert other.scene_commands.restore()
    qtbot.waitUntil(lambda: other.session.text == text, timeout=60_000)
    come_to_rest(other, qtbot)


@pytest.mark.parametrize("path", ["/a\0b", "/\ud800", "a" * 5000])
def test_paths_that_no_file_has_are_said(window: MainWindow, path: str) -> None:
    said: list[str] = emitted(window.session.problem)
    key = SceneTokenizer(f"file:{path}")
    window.stage.show(ReadScene(Scene(text=SceneText(file=path), tokenizers=(key,))))
    assert_contains(said[-1], "is not on this computer", "The text is not here.")


def test_what_has_no_meaning_here_is_left_out(window: MainWindow) -> None:
    scene = Scene(
        text=SceneText("abc"),
        selection=(1, 10**30),
        workspace="projector",
        page="x",
        front="no",
        display={"annotations": "smells", "patterns": "gpt2", "unheard": 1, "special": "all"},
        colours={"scheme": "plaid"},
        pages={"tokens": {"step": "x"}, "nowhere": {}},
    )
    said: list[str] = emitted(window.session.problem)
    window.stage.show(ReadScene(scene))
    assert window.session.selection == (1, 3)
    assert window.session.special == "all"
    assert window.workspace.name.id == "tokens"
    assert all(what in said[-1] for what in ("annotations", "unheard", "not known"))


def test_the_prices_of_a_session_never_replace_ones_own(window: MainWindow) -> None:
    figures = window.session.figures
    on, off = Price("large", SHIPPED, 2.5), Price("other", UNIGRAM, 1.0)
    figures.set_prices(PriceList((on, off), "$"))
    scene = window.stage.make(portable=True)
    assert scene.display["prices"] == {"currency": "$", "models": PriceList((on,)).lines()}
    figures.set_prices(PriceList())
    assert "prices" not in window.stage.make().display
    window.stage.show(ReadScene(scene))
    assert figures.price_list == PriceList((on,), "$")
    own = PriceList((off,), "EUR")
    figures.set_prices(own)
    window.stage.show(ReadScene(scene))
    assert figures.price_list == own


@pytest.mark.parametrize(
    "prices",
    [
        1,
        [],
        {"models": []},
        {"currency": 1, "models": []},
        {"currency": "dollars", "models": []},
        {"currency": "", "models": ["large\tmuch\t\tk"]},
        {"currency": "", "models": ["large\t1\t\tk"] * 2},
        {"currency": "", "models": [None]},
    ],
)
def test_prices_without_meaning_are_left_out(window: MainWindow, prices: object) -> None:
    said: list[str] = emitted(window.session.problem)
    window.stage.show(ReadScene(Scene(display={"prices": prices, "price_per_million": -1e300})))
    assert "“prices” and “price_per_million” are left out" in said[-1]
    assert window.session.figures.price_list == PriceList()
    assert window.session.figures.price_per_million == 0


def test_a_file_that_is_none_is_refused(window: MainWindow, tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.tokenarium", "[1, 2")
    window.session.set_text("kept")
    said: list[str] = emitted(window.session.problem)
    window.take_files([path])
    assert said[-1] == "a.tokenarium is not a Tokenarium session: it is not valid JSON (line 1)."
    assert window.session.text == "kept"
    assert window.scene_commands.recent_commands() == []


@pytest.mark.slow
def test_render_writes_a_picture_of_the_size(tmp_path: Path) -> None:
    scene = Scene(1, SceneText("a picture"), (SceneTokenizer(SHIPPED),), workspace="bytes")
    path = write_file(tmp_path / "a.tokenarium", json.dumps(msgspec.to_builtins(scene)))
    for name in ("a.png", "a.svg"):
        done = subprocess.run(
            [sys.executable, "-m", "tokenarium", "render", str(path), "--out", str(tmp_path / name), "--size", "900x700", "--theme", "dark"],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    picture = QImage(str(tmp_path / "a.png"))
    assert (picture.width(), picture.height()) == (900, 700)
    assert picture.pixelColor(5, 5).lightness() < 60
    assert "<svg" in (tmp_path / "a.svg").read_text()[:2000]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--size", "9x9"], "is not a size"),
        (["--out", "a.gif"], "must end with"),
        ([], "is not a Tokenarium session"),
    ],
)
def test_render_says_what_is_wrong(tmp_path: Path, options: list[str], said: str) -> None:
    from typer.testing import CliRunner

    from tokenarium.commands.cli import app

    (tmp_path / "a.tokenarium").write_text("{}")
    done = CliRunner().invoke(
        app, ["render", str(tmp_path / "a.tokenarium"), "--out", str(tmp_path / "a.png"), *options]
    )
    assert done.exit_code != 0
    assert said in done.output


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_closing_asks_where_the_text_cannot_be_kept(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", full_disk)
    window.session.set_text("only here")
    window.close()
    box = there(window.closing.box)
    assert window.isVisible()
    assert os.strerror(errno.ENOSPC) in box.informativeText()
    window.close()
    assert window.closing.box is box
    buttons = {button.text(): button for button in box.buttons()}
    assert box.defaultButton() is box.escapeButton() is buttons["Stay"]
    buttons["Stay"].click()
    qtbot.waitUntil(lambda: window.closing.box is None)
    assert window.isVisible()
    window.close()
    assert window.closing.box is not None
    next(one for one in window.closing.box.buttons() if one.text() == "Close anyway").click()
    qtbot.waitUntil(lambda: not window.isVisible())


@pytest.mark.parametrize(
    "what", ["empty", "sample", "not kept", "room again", "ended by the system"]
)
def test_closing_asks_nothing_where_nothing_is_lost(
    what: str, window: MainWindow, monkeypatch: pytest.MonkeyPatch, store: Settings
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_disk)
        title = "Welcome" if what == "sample" else ""
        window.session.set_text("" if what == "empty" else "a text", title=title)
        window.scene_commands.keep(now=True)
        if what == "room again":
            patched.undo()
        if what == "not kept":
            window.scene_commands.keep_texts(keep=False)
        if what == "ended by the system":
            window.closing.ask_no_more()
        window.close()
    assert window.closing.box is None
    assert not window.isVisible()


def test_recent_texts_that_cannot_be_written_are_said_once(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = emitted(window.session.problem)
    window.session.set_text("one")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_disk)
        for text in ("two", "three", "four"):
            window.session.set_text(text)
        [sentence] = filter(None, said)
        assert sentence.startswith("File › Recent does not list what was open before.")
        assert os.strerror(errno.ENOSPC) in sentence
    window.session.set_text("five")
    assert [entry.text for entry in SceneStore(session_folder()).recent()] == ["four"]
    with monkeypatch.context() as patched:  # which is news again
        patched.setattr(os, "fsync", full_disk)
        window.session.set_text("six")
    assert len([one for one in said if one]) == 2
