"""What pages keep comes back in another window, whatever was set there; a hostile value changes nothing and never raises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QScrollBar
from pytestqt.qtbot import QtBot

from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.scene import (
    ReadScene,
    Scene,
    SceneText,
    SceneTokenizer,
    read_scene,
    scene_bytes,
)
from tokenarium.session.settings import Settings
from tokenarium.views.kept import kept_scroll
from tokenarium.views.merge_training import OFFERED, MergeTrainingPage
from tokenarium.views.merges import MergesView
from tokenarium.views.vocabulary_release import FILES, ReleasePage
from tokenarium.views.workspace import Kept, PagedWorkspace

SHIPPED, UNIGRAM = "shipped:tokenarium-8k", "shipped:unigram-8k"
TEXT = "an unbelievable text, and the other words of it\n"
LONG = TEXT * 200
FORM = {
    "algorithm": "BPE",
    "pattern": "gpt2",
    "own": r"\w+",
    "merges": 12,
    "entries": 77,
    "least": 3,
    "share": 0.8,
}
TRAINED = {
    "corpus": "text",
    "file": "",
    "algorithm": "bpe",
    "size": 268,
    "options": {
        "pattern": "gpt2",
        "min_frequency": 1,
        "tie_break": "smallest ids",
        "strategy": "words",
    },
    "seconds": 0.1,
}

PAGES: list[tuple[str, str, dict[str, Any]]] = [
    ("merges.steps", TEXT, {"side_by_side": True, "in_step": False, "word_panel": 2, "lanes": [{"speed": 3, "zoom": 150}, {"speed": 0, "way": "an| unbelievable| text"}], "step": 5, "other_step": 2}),
    ("merges.sizes", LONG, {"log": False, "ratio": True, "speed": 3, "size": 700, "top": [245, 0.0]}),
    ("merges.why", TEXT, {"asked": "  unbelievably ", "tab": UNIGRAM, "offered": True}),
    ("merges.prefixes", "<|endoftext|> and <|fim_prefix|>", {"stage": "added tokens", "speed": 0, "step": 4}),
    ("merges.training", TEXT, {**FORM, "corpus": "text", "rate": 6, "table": 2, "filter": "un", "split": [300, 200], "trained": TRAINED, "sorted": [[0, False], [2, True], [1, False]], "step": 7}),
    ("merges.training", TEXT, {"corpus": "samples", "trained": {**TRAINED, "seconds": 12.5}, "step": 9}),
    ("vocabulary.entries", TEXT, {"filter": "script:latin len:2-4", "sorted": ["Bytes", True], "pane": 320, "entry": 300, "top": 40}),
    ("vocabulary.entries", TEXT, {"filter": "re:^.e", "sorted": ["Length", False], "entry": 400}),
    ("vocabulary.merges", TEXT, {"filter": "len:2-", "sorted": ["Left", False], "merge": 1, "top": 30}),
    ("vocabulary.diagnostics", TEXT, {"how": ["numbers", "round_trip"], "cases": [], "stopped": True}),
    ("vocabulary.release", TEXT, {"texts": [1], "part": 2}),
    ("scripts", TEXT, {"script": "Latin"}),
    ("scripts.vocabulary", TEXT, {"scale": "ratio", "reference": UNIGRAM, "zoom": 200, "top": 90}),
    ("scripts.text", TEXT, {"scale": "log", "reference": UNIGRAM}),
    ("scripts.characters", TEXT, {"sorted": [1, False], "script": "Greek", "which": 2, "halves": [400, 500]}),
    ("scripts.treemap", TEXT, {}),
    ("scripts.lengths", TEXT, {"zoom": 67}),
]  # fmt: skip

EVERY = sorted({name for name, _, _ in PAGES if "." in name})

HOSTILE: tuple[Any, ...] = (
    None, True, -1, 3, 1 << 31, 10**30, 0.5, 1e300, float("inf"), "", "x", "\ud800", "/dev/zero", "a\0b", [], [[]], [1],
    [10**30, 1], [-1, True, "x"], ["id", "no"], [{"speed": "x"}], [{"zoom": 10**12}], [None] * 3, {}, {"options": 1},
    {"options": {}, "corpus": 1}, {**TRAINED, "seconds": "x"}, {**TRAINED, "options": {"vocab_size": 3}},
    {**TRAINED, "options": {"smells": 1}}, {**TRAINED, "algorithm": "no"}, {**TRAINED, "size": -3},
    {**TRAINED, "corpus": "file", "file": "/dev/zero"}, {**TRAINED, "seconds": float("inf")},
)  # fmt: skip


@pytest.fixture
def other(qtbot: QtBot, qapp: QApplication, store: Settings, window: MainWindow) -> MainWindow:
    """A second window of the same settings."""
    found = make_window(qapp, store)
    qtbot.addWidget(found)
    found.show()
    return found


def scene_at(name: str, text: str, values: dict[str, Any]) -> Scene:
    space, _, page = name.partition(".")
    return Scene(
        text=SceneText(text),
        tokenizers=(SceneTokenizer(SHIPPED), SceneTokenizer(UNIGRAM)),
        front=SHIPPED,
        workspace=space,
        page=page,
        selection=(3, 20),
        pages={name: values},
    )


def show(window: MainWindow, scene: Scene, qtbot: QtBot) -> None:
    window.stage.show(read_scene(scene_bytes(scene)) if scene.pages else ReadScene(scene))
    rests(window, qtbot)


def rests(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session

    def rest() -> bool:
        return not (
            window.stage.busy or session.opening or session.jobs.running() or window.workspace.busy
        )

    qtbot.waitUntil(rest)
    qtbot.wait(50)
    qtbot.waitUntil(rest)


def without(values: dict[str, Any]) -> dict[str, Any]:
    """Returns settings without what a training took, which is another time each time."""
    trained = values.get("trained")
    return {**values, "trained": {**trained, "seconds": 0}} if trained else values


@pytest.mark.parametrize(
    ("name", "text", "values"), PAGES, ids=[f"{name}-{n}" for n, (name, _, _) in enumerate(PAGES)]
)
def test_what_a_page_keeps_comes_back_in_another_window(
    window: MainWindow,
    other: MainWindow,
    qtbot: QtBot,
    name: str,
    text: str,
    values: dict[str, Any],
) -> None:
    scene = scene_at(name, text, values)
    show(window, scene, qtbot)
    made = window.stage.make(portable=True)
    kept = without(made.pages.get(name, {}))
    assert {key: kept.get(key) for key in values} == without(values)
    show(other, made, qtbot)
    again = other.stage.make(portable=True)
    assert without(again.pages.get(name, {})) == kept
    assert (again.workspace, again.page, again.selection) == (
        made.workspace,
        made.page,
        made.selection,
    )


def all_kept(window: MainWindow, name: str) -> Iterable[Kept]:
    view = window.workspace
    assert isinstance(view, PagedWorkspace)
    yield from view.page.keeps()
    yield from view.keeps()


@pytest.mark.parametrize("name", EVERY)
def test_a_hostile_value_is_left_out(window: MainWindow, qtbot: QtBot, name: str) -> None:
    show(window, scene_at(name, TEXT, {}), qtbot)
    names = [one.name for one in all_kept(window, name)]
    for value in HOSTILE:
        window.stage.show(ReadScene(scene_at(name, TEXT, dict.fromkeys(names, value))))
    window.session.jobs.cancel_all()
    rests(window, qtbot)
    scene_bytes(window.stage.make(portable=True)).decode()
    assert read_scene(scene_bytes(window.stage.make(portable=True))).left_out == ()


def test_a_long_training_is_offered_and_comes_back_at_its_step(
    window: MainWindow, qtbot: QtBot
) -> None:
    values = {"trained": {**TRAINED, "seconds": 12.5}, "step": 9}
    show(window, scene_at("merges.training", TEXT, values), qtbot)
    view = window.workspace
    assert isinstance(view, MergesView)
    page = view.page
    assert isinstance(page, MergeTrainingPage)
    assert page.story is None
    assert page.empty.title.text() == OFFERED[0]
    assert "12 seconds" in page.empty.sentence.text()
    page.empty.buttons[0].click()
    qtbot.waitUntil(lambda: page.story is not None)
    assert (page.player.position, page.player.playing) == (9, False)


def test_a_training_of_another_text_is_not_kept(window: MainWindow, qtbot: QtBot) -> None:
    show(window, scene_at("merges.training", TEXT, {"trained": TRAINED, "step": 3}), qtbot)
    assert "trained" in window.stage.make().pages["merges.training"]
    window.session.set_text("another text")
    kept = window.stage.make().pages["merges.training"]
    assert "trained" not in kept
    assert "step" not in kept


def test_a_release_check_on_files_is_offered(
    window: MainWindow, qtbot: QtBot, tmp_path: Any
) -> None:
    (tmp_path / "a.txt").write_text("a text " * 10)
    values = {"texts": [FILES, str(tmp_path / "a.txt")]}
    show(window, scene_at("vocabulary.release", TEXT, values), qtbot)
    page = window.workspace.page  # type: ignore[attr-defined]
    assert isinstance(page, ReleasePage)
    assert page.report is None
    assert not page.busy
    assert page.texts.currentIndex() == FILES
    assert page.nothing.title.text() == "Not checked yet"


def test_a_page_that_follows_another_text_later_does_not_lose_its_step(
    window: MainWindow, qtbot: QtBot
) -> None:
    show(window, scene_at("merges.steps", "an other text", {"step": 2}), qtbot)
    window.stage.show(ReadScene(scene_at("merges.steps", TEXT, {"step": 6})))
    rests(window, qtbot)
    assert window.stage.make().pages["merges.steps"]["step"] == 6


def test_the_card_comes_back(window: MainWindow, other: MainWindow, qtbot: QtBot) -> None:
    for shown in (window, other):
        show(shown, scene_at("tokens", TEXT, {}), qtbot)
    window.token_commands.ask_why(3, 15)
    assert window.token_commands.answers is not None
    window.token_commands.answers.finish()
    window.token_commands.answers.choose(UNIGRAM)
    made = window.stage.make(portable=True)
    assert made.above["why"] == {"asked": [3, 15], "tab": UNIGRAM, "offered": False}
    other.token_commands.ask_why(0, 2)
    show(other, made, qtbot)
    assert other.stage.make(portable=True).above["why"] == made.above["why"]
    assert other.token_commands.card is not None
    assert other.token_commands.card.isVisible()


def test_the_row_of_the_library_comes_back(window: MainWindow) -> None:
    commands = window.library_commands
    row, _ = commands.keeps()
    front = window.session.current
    row.show(UNIGRAM)
    assert row.read() == UNIGRAM
    assert window.session.current is front


def test_a_scroll_bar_that_is_gone_keeps_nothing_waiting(qapp: QApplication) -> None:
    bar = QScrollBar()
    kept = kept_scroll("scroll", bar, lambda: False)
    assert kept.show(5) is False
    shiboken6.delete(bar)
    assert kept.show(5) is not False
