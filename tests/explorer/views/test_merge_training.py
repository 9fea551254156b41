"""The page of a training of BPE, merge by merge, and what it says of each."""

from __future__ import annotations

import csv
import functools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from narrowed import there
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from running import run_whole
from small_files import write_file
from windows import emitted, off_screen, shown_in, trigger

from tokenarium.app.window import MainWindow
from tokenarium.models.merges.training_story import MergeStory, TrainingStory
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.views import merge_training
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.widgets.players.merge_table import LearnedMergesTable
from tokenarium.widgets.players.training_tables import OVERVIEW, PAIRS, PRE_TOKENS
from tokenarium.widgets.players.watch_speed import AS_FAST_AS_IT_CAN, BY_KEY
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.bpe_trainer import WORDS, BpeTrainer
from tokenarium_core.training.merge_trainer import tokenizer_of_merges
from tokenarium_core.training.merging.pair_record import PairRecord

TEXT = "the other then there, this that thing: the weather there. مرحبا مرحبا 日本語 日本 🎉🎉 " * 4


@pytest.fixture
def page(window: MainWindow) -> MergeTrainingPage:
    """The page, before any training."""
    window.session.set_text(TEXT)
    window.actions_by_id["merge_training"].trigger()
    return shown_in(window, MergeTrainingPage)


@pytest.fixture
def trained(page: MergeTrainingPage, window: MainWindow, qtbot: QtBot) -> MergeTrainingPage:
    """The page with a training of 30 merges on the text."""
    page.watch.set_rate(BY_KEY)
    page.watch.changed.emit(BY_KEY)
    page.form.controls["merges"].show(30)
    window.actions_by_id["train"].trigger()
    window.actions_by_id.refresh()  # there is nothing to keep yet; in the end there is
    qtbot.waitUntil(lambda: page.story is not None)
    qtbot.waitUntil(window.actions_by_id["keep_training"].isEnabled)
    page.player.go_to(0)
    return page


def test_before_a_training_the_page_says_what_to_do(page: MergeTrainingPage) -> None:
    assert page.empty.isVisible()
    assert "train" in page.empty.sentence.text()
    assert page.player.length == 0
    page.player.play()
    assert not page.player.playing


def test_the_inspector_gives_its_room_away(page: MergeTrainingPage, window: MainWindow) -> None:
    window.resize(1300, 700)
    assert not window.panes.inspector_is_shown()
    for seen in (True, False, True):  # a choice is kept for this page, and changes no other kind
        window.actions_by_id.refresh()
        QTest.keyClick(window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
        assert window.panes.inspector_is_shown() == seen
        window.actions_by_id["tokens"].trigger()
        assert window.panes.inspector_is_shown()
        window.actions_by_id["merge_training"].trigger()
        assert window.panes.inspector_is_shown() == seen


def test_every_part_goes_to_the_same_merge(trained: MergeTrainingPage, window: MainWindow) -> None:
    page, actions = trained, window.actions_by_id
    assert page.story is not None
    assert page.player.length == 30
    tokens = [len(page.story.cut(position)) for position in range(31)]
    for action_id, position in (("step_on", 1), ("step_on", 2), ("step_back", 1), ("play_end", 30)):
        actions[action_id].trigger()
        assert page.player.position == position
        assert page.transport.scrubber.value() == position
        assert page.table.currentIndex().row() == position - 1
        assert len(page.view.parts) == tokens[position]
        assert page.bars.bars[0].merged
        assert f"Merge {position} joins" in page.sentence.text()
    actions["play_start"].trigger()
    assert not page.table.currentIndex().isValid()
    assert page.measure.text().endswith(" tokens · 1.00 bytes per token")


def test_a_shorter_training_begins_at_its_beginning(
    trained: MergeTrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.actions_by_id["play_end"].trigger()
    trained.form.controls["merges"].show(5)
    window.actions_by_id["train"].trigger()
    qtbot.waitUntil(lambda: trained.player.length == 5)
    assert trained.player.position == 0
    assert trained.table.rows.rowCount() == 5
    assert trained.measure.text().endswith(" · 1.00 bytes per token")


def test_a_long_piece_has_the_room_of_short_ones(qtbot: QtBot) -> None:
    _, story = trained_story("extraordinarily long " * 40 + "a b " * 3, 30)
    table = off_screen(qtbot, LearnedMergesTable(), 620, 300)
    table.set_story(story)
    table.show()
    metrics = table.fontMetrics()
    for column in (1, 2, 3, 4):
        for row in range(table.rows.rowCount()):
            text = table.rows.data(table.rows.index(row, column))
            assert metrics.horizontalAdvance(text) < table.columnWidth(column)
    assert sum(table.columnWidth(column) for column in range(6)) <= table.viewport().width()
    table.resize(400, 300)  # where they do not fit, the longest give way
    assert table.columnWidth(4) >= table.columnWidth(3)
    assert sum(table.columnWidth(column) for column in range(6)) <= table.viewport().width()


def test_any_merge_is_a_click_away(trained: MergeTrainingPage) -> None:
    page = trained
    page.transport.scrubber.setValue(20)
    assert page.player.position == 20
    page.table.setCurrentIndex(page.table.rows.index(24, 0))
    assert page.player.position == 25
    page.resize(1000, 700)
    QTest.mouseClick(page.curve, Qt.MouseButton.LeftButton, pos=QPoint(page.curve.width() - 20, 60))
    assert page.player.position >= 29
    page.bars.finish_motion()
    for widget in (page.bars, page.curve, page.table):
        assert not widget.grab().isNull()


def test_a_training_is_watched_at_once(
    page: MergeTrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.watch.slider.setValue(page.watch.slider.maximum())
    assert page.player.rate == AS_FAST_AS_IT_CAN
    page.form.controls["merges"].show(30)
    window.actions_by_id["train"].trigger()
    qtbot.waitUntil(lambda: page.player.length == 30)
    qtbot.waitUntil(lambda: page.player.position == 30)


def test_a_key_makes_a_merge(trained: MergeTrainingPage, qtbot: QtBot) -> None:
    page = trained
    for key, position in (
        (Qt.Key.Key_Space, 1),
        (Qt.Key.Key_Space, 2),
        (Qt.Key.Key_Right, 3),
        (Qt.Key.Key_Left, 2),
        (Qt.Key.Key_End, 30),
        (Qt.Key.Key_Home, 0),
    ):
        qtbot.keyClick(page, key)
        assert page.player.position == position
        assert not page.player.playing
    qtbot.keyClick(page.watch.slider, Qt.Key.Key_Space)
    assert page.player.position == 1


def test_it_plays_to_the_end(trained: MergeTrainingPage, window: MainWindow, qtbot: QtBot) -> None:
    page = trained
    page.watch.slider.setValue(page.watch.slider.maximum())
    page.player.go_to(page.player.length - 2)
    window.actions_by_id["play"].trigger()
    assert page.player.playing
    qtbot.waitUntil(lambda: page.player.position == page.player.length)
    assert not page.player.playing
    page.player.play()  # from the beginning
    assert page.player.position == 0
    window.merge_commands.show_page("steps")
    assert not page.player.playing


def test_another_text_is_cut_by_the_same_merges(
    trained: MergeTrainingPage, window: MainWindow
) -> None:
    page = trained
    page.player.go_to(30)
    window.session.set_text("the weather")
    assert page.player.position == 30
    assert page.story is not None
    assert there(page.view.parts.ids).tolist() == page.story.tokenizer.encode_ids("the weather")
    window.session.set_text("")
    assert len(page.view.parts) == 0


def test_a_trained_tokenizer_is_kept(
    trained: MergeTrainingPage,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path))
    window.actions_by_id.refresh()
    for number in (1, 2):
        window.actions_by_id["keep_training"].trigger()
        path = tmp_path / "trained" / f"cl100k-286-{number}.json"
        assert path.exists()
        entry = there(window.session.library.item(f"file:{path}"))
        qtbot.waitUntil(lambda entry=entry: entry.tokenizer is not None)
        assert entry.tokenizer is not None
        assert trained.story is not None
        assert entry.tokenizer.encode_ids(TEXT) == trained.story.tokenizer.encode_ids(TEXT)


def test_what_is_kept_is_named_by_its_training_and_not_by_the_form(
    trained: MergeTrainingPage, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path))
    trained.form.pattern.setCurrentText("whitespace")
    trained.form.controls["merges"].show(4)
    trigger(window, "keep_training")
    assert [path.name for path in (tmp_path / "trained").iterdir()] == ["cl100k-286-1.json"]


def test_figures_of_an_earlier_text_say_so(trained: MergeTrainingPage, window: MainWindow) -> None:
    assert "earlier" not in trained.measure.text()
    window.session.set_text("another text")
    assert "of the earlier text" in trained.measure.text()
    assert "train again" in trained.sentence.text()
    window.session.set_text(TEXT)
    assert "earlier" not in trained.measure.text()


def test_it_learns_from_what_is_chosen(
    page: MergeTrainingPage,
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    path = write_file(tmp_path / "corpus.txt", "lo low lower lowest " * 5)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    page.form.controls["merges"].show(4)
    window.session.select(0, len(b"the other"))
    for corpus, byte_count in (("file", 100), ("selection", 9), ("samples", 10_000)):
        page.form.choose(corpus)
        if corpus == "file":
            page.form.corpus.activated.emit(page.form.corpus.currentIndex())
            assert "corpus.txt" in page.form.corpus.currentText()
        before = page.story
        page.train()
        qtbot.waitUntil(lambda before=before: page.story is not before)
        assert page.story is not None
        if corpus == "samples":
            assert page.story.byte_count > byte_count
        else:
            assert page.story.byte_count == byte_count


def test_what_cannot_be_learned_from_is_said(
    page: MergeTrainingPage, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.form.choose("selection")
    page.train()
    assert "nothing is selected" in page.empty.sentence.text()
    page.form.choose("text")
    monkeypatch.setattr(merge_training, "LARGEST", 10)
    page.train()
    assert "too much" in page.empty.title.text()
    window.session.set_text("")
    page.train()
    assert "the text is empty" in page.empty.sentence.text()
    path = write_file(tmp_path / "latin.txt", "Café".encode("latin-1"))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    page.form.choose("file")
    page.form.corpus.activated.emit(page.form.corpus.currentIndex())
    page.train()
    assert "not UTF-8" in page.empty.sentence.text()
    assert page.story is None


def test_a_reason_goes_with_its_cause(page: MergeTrainingPage, window: MainWindow) -> None:
    page.form.choose("selection")
    page.train()
    assert page.empty.title.text() == "No corpus"
    window.session.select(0, 9)
    assert page.empty.title.text() == merge_training.NOTHING[0]
    page.form.choose("text")
    window.session.set_text("")
    page.train()
    assert page.empty.title.text() == "No corpus"
    window.session.set_text(TEXT)
    assert page.empty.title.text() == merge_training.NOTHING[0]


def test_train_is_offered_where_there_is_a_corpus(
    page: MergeTrainingPage, window: MainWindow
) -> None:
    offered = {"text": ["Train"], "selection": [], "samples": ["Train"], "file": []}
    for corpus, buttons in offered.items():
        page.form.choose(corpus)
        assert [button.text() for button in page.empty.buttons] == buttons
    page.form.choose("selection")
    assert "nothing is selected" in page.empty.sentence.text()
    window.session.select(0, 9)
    assert [button.text() for button in page.empty.buttons] == ["Train"]
    page.form.choose("text")
    window.session.set_text("")
    assert "the text is empty" in page.empty.sentence.text()
    assert [button.text() for button in page.empty.buttons] == ["Samples …", "Open …", "Paste"]


def test_an_empty_file_is_named(
    page: MergeTrainingPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "nothing.txt"
    path.touch()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    page.form.choose("file")
    page.form.corpus.activated.emit(page.form.corpus.currentIndex())
    assert page.empty.title.text() == merge_training.NOTHING[0]
    page.train()
    assert "nothing.txt is empty" in page.empty.sentence.text()


def test_a_training_can_be_stopped_and_leaves_the_last_one(
    trained: MergeTrainingPage, window: MainWindow
) -> None:
    page, story = trained, trained.story
    page.form.choose("samples")
    page.train()
    assert page.trainer is not None
    assert page.empty.isVisible()
    window.session.jobs.cancel_all()
    assert page.trainer is None
    assert page.story is story
    assert not page.empty.isVisible()


# Every algorithm, and what can be chosen of it.


def train_by(page: MergeTrainingPage, qtbot: QtBot, algorithm: str, size: int) -> TrainingStory:
    """Trains on the text, watched by keys."""
    page.watch.set_rate(BY_KEY)
    page.watch.changed.emit(BY_KEY)
    page.form.choose_algorithm(algorithm)
    page.form.controls["merges"].widget.setValue(size)
    page.form.controls["entries"].widget.setValue(size)
    before = page.story
    page.train()
    qtbot.waitUntil(lambda: page.story is not before)
    return there(page.story)


ALGORITHMS = [
    ("bpe", 30),
    ("superbpe", 60),
    ("sentencepiece-bpe", 80),
    ("wordpiece", 80),
    ("unigram", 60),
    ("fsp-unigram", 34),
]


@pytest.mark.parametrize(("algorithm", "size"), ALGORITHMS)
def test_every_training_is_played_forwards_and_backwards(
    page: MergeTrainingPage, window: MainWindow, qtbot: QtBot, algorithm: str, size: int
) -> None:
    story = train_by(page, qtbot, algorithm, size)
    assert story.algorithm == algorithm
    assert page.player.length == len(story) > 3
    seen = {}
    for position in (*range(len(story) + 1), *range(len(story), -1, -1)):
        page.player.go_to(position)
        assert page.measure.text() == story.measure(position)
        assert story.sentence(position)[:20] in page.sentence.text()
        cut = page.view.parts
        spans = [cut.span(place) for place in range(len(cut))]
        assert seen.setdefault(position, spans) == spans
    assert not page.stage.grab().isNull()
    unigram = algorithm in ("unigram", "fsp-unigram")
    assert page.stage.pieces.isVisible() == unigram
    assert page.bars.isVisible() != unigram
    assert window.actions_by_id["export_steps"].isEnabled() or page.has_animation


def test_only_what_an_algorithm_asks_for_is_shown(page: MergeTrainingPage) -> None:
    form = page.form
    shown = {
        "bpe": {"pattern", "ties", "least", "merges"},
        "superbpe": {"pattern", "transition", "least", "merges"},
        "sentencepiece-bpe": {"bytes", "least", "entries"},
        "wordpiece": {"scoring", "least", "entries"},
        "unigram": {"bytes", "seed", "share", "entries"},
        "fsp-unigram": {"bytes", "share", "entries"},
    }
    every = {"pattern": form.pattern, **{name: one.widget for name, one in form.controls.items()}}
    for algorithm, wanted in shown.items():
        form.choose_algorithm(algorithm)
        assert {name for name, one in every.items() if one.isVisible()} == wanted
        assert form.corpus.isVisible()
    form.choose_algorithm("bpe")
    form.pattern.setCurrentText("own …")
    assert form.own.isVisible()


def test_the_notebook_comes_out_line_by_line(
    page: MergeTrainingPage, window: MainWindow, qtbot: QtBot, data: Path
) -> None:
    """A published notebook prints 20 merges over the raw bytes of its text, and what they make of it."""
    source = data.parent / "sources" / "003_434367c2088108d1.txt"
    if not source.exists():
        pytest.skip("needs the notebook")
    printed = source.read_text(encoding="utf-8")
    cell = there(re.search(r'^text = "(A Programmer.*?)"$', printed, re.MULTILINE | re.DOTALL))
    # The file was once read as Mac Roman.
    text = json.loads('"' + cell[1].replace("\n", "\\n") + '"').encode("mac_roman").decode()
    window.session.set_text(text)
    page.form.pattern.setCurrentText("none")
    page.form.controls["ties"].show("first seen")
    train_by(page, qtbot, "bpe", 20)
    page.player.go_to(20)
    merged = re.findall(r"merging (\(\d+, \d+\)) into a new token (\d+)", printed)
    rows = page.table.rows
    shown = [rows.data(rows.index(row, 1)) for row in range(rows.rowCount())]
    assert shown == [f"{pair} → {token}" for pair, token in merged]
    assert len(shown) == 20
    assert page.measure.text() == "3,797 → 2,947 tokens · 1.29 bytes per token"
    assert [line[1] for line in page.lines()[1:]] == shown


def test_only_ties_by_the_first_place_need_the_whole_text(page: MergeTrainingPage) -> None:
    found = {}
    for place in range(page.form.controls["ties"].widget.count()):
        page.form.controls["ties"].widget.setCurrentIndex(place)
        _, _, options = page.form.request()
        found[options["tie_break"]] = options["strategy"]
    assert found == {
        "smallest ids": "incremental",
        "first seen": "naive",
        "tokenizers": "incremental",
    }


def test_a_pattern_of_ones_own_cuts_the_corpus(
    page: MergeTrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.form.pattern.setCurrentText("own …")
    page.form.own.setText("[a-z")
    page.train()
    assert page.trainer is None
    assert page.story is None
    assert "does not compile" in page.empty.sentence.text()
    page.form.own.setText("th|.")
    story = train_by(page, qtbot, "bpe", 10)
    assert story.tokenizer.pre_tokenizer.pattern == "th|."
    assert isinstance(story, MergeStory)
    made = [story.trainer.symbol(story.made(row)) for row in range(len(story))]
    assert [piece for piece in made if piece.isascii()] == [b"th"]


def test_the_second_stage_begins_where_it_is_asked_for(
    page: MergeTrainingPage, qtbot: QtBot
) -> None:
    page.form.choose_algorithm("superbpe")
    page.form.controls["transition"].show(12)
    story = train_by(page, qtbot, "superbpe", 40)
    assert story.transition == 12
    assert "second stage" in page.curve.toolTip()
    page.form.controls["transition"].show(0)
    assert train_by(page, qtbot, "superbpe", 40).transition == 296 * 9 // 10 - 256


def test_a_vocabulary_that_is_too_small_is_refused(page: MergeTrainingPage, qtbot: QtBot) -> None:
    page.form.choose_algorithm("wordpiece")
    page.form.controls["entries"].show(10)
    page.train()
    qtbot.waitUntil(lambda: page.trainer is None)
    assert "too small" in page.empty.sentence.text()


@pytest.mark.parametrize(("algorithm", "size"), [("bpe", 8), ("unigram", 60)])
def test_the_steps_are_exported_as_pictures_and_as_a_table(
    page: MergeTrainingPage,
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    algorithm: str,
    size: int,
) -> None:
    story = train_by(page, qtbot, algorithm, size)
    animation = there(page.animation(LIGHT))
    assert animation.length == len(story)
    animation.set_up(LIGHT, QSize(900, 640))
    pictures = []
    for step in (0, 3):
        animation.show_step(step)
        pictures.append(animation.picture(1.0))
    assert pictures[0].size() == QSize(900, 640)
    assert pictures[0] != pictures[1]
    window.session.set_text("another text")  # the animation keeps its own
    animation.show_step(3)
    assert animation.picture(1.0) == pictures[1]
    animation.close()
    path = tmp_path / "steps.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    trigger(window, "save_steps")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert rows == story.lines()
    window.actions_by_id["copy_steps"].trigger()
    assert QGuiApplication.clipboard().text().splitlines()[0] == "\t".join(story.heads)


CORPUS = (
    "the other then there, this that thing: the weather there. é日本 日本語 नमस्ते नमन मन 🎉🎉 " * 3
)
MERGES = 60


@functools.cache
def trained_story(corpus: str = CORPUS, merges: int = MERGES) -> tuple[BpeTrainer, MergeStory]:
    record = PairRecord(10)
    trainer = run_whole(
        BpeTrainer(pre_tokenizer("cl100k"), 256 + merges, [corpus], strategy=WORDS, record=record)
    )
    return trainer, MergeStory(trainer, record)


@pytest.mark.parametrize(
    "text", [CORPUS, "there", "", "日本の日本語 \n\n the the", "🎉 zzz", "the \udfff\ud800 there"]
)
def test_every_cut_is_that_of_the_tokenizer_of_so_many_merges(text: str) -> None:
    trainer, story = trained_story()
    story.set_text(text)
    for position in range(len(story) + 1):
        lefts, rights = trainer.left[:position], trainer.right[:position]
        smaller = tokenizer_of_merges("small", trainer.pre_tokenizer, lefts, rights, [])
        encoding = smaller.encode(text)
        cut = story.cut(position)
        assert (cut.ids.tolist() if cut.ids is not None else []) == list(encoding.ids)
        assert [cut.span(index) for index in range(len(cut))] == [
            encoding.span(index) for index in range(len(encoding.ids))
        ]


@settings(max_examples=100)
@given(text=st.text("theora wng,\né日語🎉", max_size=60), position=st.integers(0, MERGES))
def test_any_text_is_cut_so(text: str, position: int) -> None:
    trainer, story = trained_story()
    story.set_text(text)
    lefts, rights = trainer.left[:position], trainer.right[:position]
    smaller = tokenizer_of_merges("small", trainer.pre_tokenizer, lefts, rights, [])
    cut = story.cut(position)
    assert (cut.ids.tolist() if cut.ids is not None else []) == smaller.encode_ids(text)


def test_the_merge_comes_before_the_pairs_that_were_not_taken() -> None:
    trainer, story = trained_story()
    assert not any(bar.merged for bar in story.bars(0))
    for position in range(1, len(story) + 1):
        bars = story.bars(position)
        assert bars[0].pair == (trainer.left[position - 1], trainer.right[position - 1])
        assert [bar.merged for bar in bars] == [True] + [False] * (len(bars) - 1)
        assert [bar.count for bar in bars] == sorted((bar.count for bar in bars), reverse=True)
        sentence = story.sentence(position)
        assert f"Merge {position} joins “{bars[0].left}” and “{bars[0].right}”" in sentence
        assert ("as often" in sentence) == bars[0].tied
    assert story.sentence(0).startswith("Each byte is a token")


def test_compression_never_falls() -> None:
    _, story = trained_story()
    assert story.ratios[0] == 1.0
    assert np.all(np.diff(story.ratios) > 0)
    assert len(story.ratios) == len(story) + 1


def test_a_corpus_without_pairs_has_a_story_too() -> None:
    record = PairRecord(10)
    trainer = run_whole(
        BpeTrainer(pre_tokenizer("cl100k"), 300, ["abc"], strategy=WORDS, record=record)
    )
    story = MergeStory(trainer, record)
    story.set_text("abc")
    assert len(story) == 0
    assert story.bars(0) == []
    assert len(story.cut(0)) == 3
    assert "No pair" in story.sentence(0)


def test_the_tables_follow_the_player(trained: MergeTrainingPage, window: MainWindow) -> None:
    page, actions = trained, window.actions_by_id
    assert page.story is not None
    for place, name in enumerate(("overview", "pre_tokens", "pairs", "changes")):
        actions[f"training_{name}"].trigger()
        assert page.tables.shown == place
        assert (page.tables.view is None) == (place == OVERVIEW)
    actions.refresh()
    assert actions["training_changes"].isChecked()
    page.player.go_to(4)
    view = there(page.tables.view)
    merge = f"({page.story.lefts[3]}, {page.story.rights[3]})"
    assert page.tables.sentence.text().startswith(f"{merge} → 259: ")
    cells = {view.rows.index(row, 0).data(): row for row in range(view.rows.rowCount())}
    row = cells[merge]
    assert view.rows.index(row, 1).data() == f"{page.story.counts[3]:,}"
    assert view.rows.index(row, 2).data() == "0"
    page.player.go_to(0)
    assert view.rows.rowCount() == 0
    assert "No merge yet" in page.tables.sentence.text()
    page.tables.choose(PAIRS)
    view = there(page.tables.view)
    first = page.story.bars(0)[0]
    assert view.rows.index(0, 0).data() == f"({first.pair[0]}, {first.pair[1]})"
    assert view.rows.index(0, 1).data() == f"{first.count:,}"


def test_tables_are_sorted_filtered_copied_and_saved(
    trained: MergeTrainingPage,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = trained.tables
    tables.choose(PRE_TOKENS)
    view = there(tables.view)
    view.horizontalHeader().sectionClicked.emit(2)
    sizes = [int(view.rows.index(row, 2).data()) for row in range(view.rows.rowCount())]
    assert sizes == sorted(sizes, reverse=True)
    view.horizontalHeader().sectionClicked.emit(4)  # how it is cut: no order
    assert view.horizontalHeader().sortIndicatorSection() == 2
    before = view.rows.rowCount()
    tables.filter.setText("the")
    shown = [view.rows.index(row, 0).data() for row in range(view.rows.rowCount())]
    assert 0 < len(shown) < before
    assert all("the" in text for text in shown)
    assert f"of {before:,}" in tables.sentence.text()
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Pre-token", "Count", "Bytes", "Tokens now", "Cut now"]
    assert len(lines) == 1 + len(shown)
    path = tmp_path / "words.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    tables.ask_and_save()
    qtbot.waitUntil(path.exists)
    assert len(path.read_text("utf-8").splitlines()) == 1 + len(shown)
    problems: list[str] = emitted(trained.session.problem)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path), ""))
    tables.ask_and_save()
    missing = tmp_path / "none" / "words.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(missing), ""))
    tables.ask_and_save()
    (problem,) = filter(None, problems)
    assert "cannot be written" in problem
    tables.setPalette(DARK.palette())


def test_another_training_has_other_tables(
    trained: MergeTrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    page = trained
    page.tables.choose(PAIRS)
    old = page.tables.views
    before = page.story
    window.session.set_text("another text with other words " * 3)
    window.actions_by_id["train"].trigger()
    qtbot.waitUntil(lambda: page.story is not None and page.story is not before)
    assert page.tables.shown == PAIRS
    assert page.tables.views
    assert not set(page.tables.views) & set(old)
    page.tables.set_story(None)  # of a training that notes no pairs
    assert page.tables.shown == OVERVIEW
    assert page.tables.view is None


def test_a_low_window_leaves_its_height_to_what_was_trained(
    trained: MergeTrainingPage, window: MainWindow, qtbot: QtBot
) -> None:
    form = trained.form
    window.resize(853, 480)
    qtbot.waitUntil(form.more.isVisible)
    assert form.algorithm.isVisible()
    assert not form.controls["least"].widget.isVisible()
    form.more.click()
    assert form.controls["least"].widget.isVisible()
    window.resize(1280, 900)
    qtbot.waitUntil(lambda: not form.more.isVisible())
    assert form.controls["least"].widget.isVisible()
