"""What pages keep comes back in another window, whatever was set there; a hostile value changes nothing and never raises."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from msgspec.structs import replace
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QScrollBar
from pytestqt.qtbot import QtBot
from windows import emitted, on_screen, shown_in

from tokenarium.app.scenes import WRONG
from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.models.scene import (
    ReadScene,
    Scene,
    SceneText,
    SceneTokenizer,
    read_scene,
    scene_bytes,
)
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium.views import merge_training
from tokenarium.views.kept import Kept, kept_scroll
from tokenarium.views.merge_training import OFFERED, MergeTrainingPage
from tokenarium.views.vocabulary_release import FILES, ReleasePage
from tokenarium.views.workspace import PagedWorkspace, WorkspacePart

SHIPPED, UNIGRAM = "shipped:tokenarium-8k", "shipped:unigram-8k"
COMPARED = (SHIPPED, "shipped:superbpe-8k", "shipped:wordpiece-8k")
TEXT = "an unbelievable text, and the other words of it\n"
LONG = TEXT * 200
LINES = "an unbelievable text, word by word, with a few lines\n" * 40
MIXED = "An unbelievable text: naïve 東京 3.14, don't!\n\tof the 2024 and 17"
FORM = {
    "algorithm": "BPE",
    "pattern": "gpt2",
    "own": r"\w+",
    "merges": 12,
    "entries": 77,
    "least": 3,
    "share": 0.8,
}
LONG_S = 10.0**6
"""Seconds after which a training is only offered, in these tests."""

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


# What a person changes on a page of Compare and Train, where a file or a folder takes part.


def files(folder: Path) -> list[Path]:
    """Writes two texts for each of three languages."""
    for language in ("en", "de", "fr"):
        (folder / f"{language}.txt").write_text(f"{language} some words\nmore\n", "utf-8")
    return sorted(folder.iterdir())


def figures(page: Any, folder: Path) -> None:
    page.figures.count_files(files(folder))
    page.figures.by_file.setChecked(True)
    page.figures._sort_by("-fertility")
    page.languages.compare_folder(folder)
    page.languages.measure.setCurrentIndex(2)
    page.languages.choice.reference.setCurrentIndex(2)


def chosen_row(page: Any, folder: Path) -> None:
    page.figures._sort_by("-bytes_per_token")
    page.figures.table.selectRow(1)
    page.languages.choice.reference.setCurrentIndex(3)


def superwords(page: Any, folder: Path) -> None:
    page.kinds.choose("superword")


def two_texts(page: Any, folder: Path) -> None:
    page.show_example(3)
    page.sides[1].write("another\ntext 東京")


def pair(page: Any, folder: Path) -> None:
    page.parts["matrix"].setCurrentCell(2, 1)


def turned_round(page: Any, folder: Path) -> None:
    page.swap.click()


def another_pair(page: Any, folder: Path) -> None:
    page.pair.swap.click()
    page._open(["result"])


def filled_form(page: Any, folder: Path) -> None:
    page.form.sources.set_sources([CorpusSource("file", str(files(folder)[0]), 0.5)])
    page.form.choose("unigram", "superbpe")
    page.form.controls["vocab_size"].show("777")
    page.form.controls["name"].show("Mine")
    page.form.controls["seed"].show("5")
    page.form.controls["hold_out"].show(False)
    page.form.controls["target"].show("2 MB")
    page.form.controls["temperature"].show("3.3")
    page.form.controls["repeat"].show(True)
    page.form.more.setChecked(True)
    page.form.type({"min_frequency": "3"})
    page._show_part(1)
    page._measure_again(1)
    page.pace.slider.setValue(2)


def model_sizes(page: Any, folder: Path) -> None:
    page.tokenizer.setCurrentIndex(1)
    page.controls["width"].show("64")
    page.controls["budget"].show("1M")
    page.controls["model"].show("120M")
    page.controls["tied"].show(True)
    page.multiple.setCurrentIndex(2)


def a_race(page: Any, folder: Path) -> None:
    page.choose(1)
    page.corpus.setCurrentIndex(1)
    page.vocab_size.setText("300")
    page.right.choose(1)


def race_of_parts(page: Any, folder: Path) -> None:
    page.choose(2)
    page.vocab_size.setText("280")


def searched(page: Any, folder: Path) -> None:
    page.list.search.setText("none of these")


Change = Callable[[Any, Path], None]

CASES: list[tuple[str, str, dict[str, Any] | Change]] = [
    ("tokens.tokens", LINES, {"scroll": [400, 3.0]}),
    ("tokens.perturb", LINES[:52], {"seed": 7, "groups_out": ["Typos"], "sorted": [3, False], "variant": "upper"}),
    ("tokens.stream", LINES[:52], {"stops": "wor", "speed": "20 tokens/s", "dropped": 3, "step": 4}),
    ("tokens.ways", LINES[:52], {"dropout": 0.35, "seed": 7}),
    ("tokens.covering", LINES[:52], {"sorted": [3, False], "place": "15"}),
    ("pretokens", LINES, {"front": "gpt2", "scroll": [400, 2.0]}),
    ("bytes.bytes", LINES, {"tokens": [3, 5], "scroll": [108, 6]}),
    ("bytes.decode", LINES, {"ids": "[64, 226, 999999]"}),
    ("bytes.encode", LINES, {"bytes": "49 20 E9", "note": "These are the first."}),
    ("bytes.alphabet", LINES, {"filter": "", "mapped": True, "sorted": [2, False], "byte": 3, "scroll": 40}),
    ("bytes.first_bytes", LINES, {}),
    ("merges.steps", TEXT, {"side_by_side": True, "in_step": False, "word_panel": 2, "lanes": [{"speed": 3, "zoom": 150}, {"speed": 0, "way": "an| unbelievable| text"}], "step": 5, "other_step": 2}),
    ("merges.sizes", LONG, {"log": False, "ratio": True, "speed": 3, "size": 700, "top": [245, 0.0]}),
    ("merges.why", TEXT, {"asked": "  unbelievably ", "tab": UNIGRAM, "offered": True}),
    ("merges.prefixes", "<|endoftext|> and <|fim_prefix|>", {"stage": "added tokens", "speed": 0, "step": 4}),
    ("merges.prefixes", TEXT, {"strings": "ab abcd", "typed": "babd", "speed": 2, "step": 4}),
    ("merges.training", TEXT, {**FORM, "corpus": "text", "rate": 6, "table": 2, "filter": "un", "split": [300, 200], "trained": TRAINED, "sorted": [[0, False], [2, True], [1, False]], "step": 7}),
    ("merges.training", TEXT, {"corpus": "samples", "trained": {**TRAINED, "seconds": 2 * LONG_S}, "step": 9}),
    ("vocabulary.entries", TEXT, {"filter": "script:latin len:2-4", "sorted": ["Bytes", True], "pane": 320, "entry": 300, "top": 40}),
    ("vocabulary.entries", TEXT, {"filter": "re:^.e", "sorted": ["Length", False], "entry": 400}),
    ("vocabulary.merges", TEXT, {"filter": "len:2-", "sorted": ["Left", False], "merge": 1, "top": 30}),
    ("vocabulary.diagnostics", TEXT, {"how": ["numbers", "round_trip"], "cases": [], "stopped": True}),
    ("vocabulary.release", TEXT, {"texts": [1], "part": 2}),
    ("vocabulary.change", TEXT, {"add": {"<|user|>": None, "<|end|>": 9000}, "typed": "<|x"}),
    ("vocabulary.change", TEXT, {"part": 2, "extend_texts": [1], "extend_count": 50, "extend_words": "one, two", "extend_suggested": True}),
    ("vocabulary.change", TEXT, {"part": 1, "prune_texts": [1], "prune_size": 500, "prune_multiple": 64, "prune_scripts": "Greek", "prune_never_used": True, "prune_view": 1, "prune_counted": True}),
    ("scripts", TEXT, {"script": "Latin"}),
    ("scripts.vocabulary", TEXT, {"scale": "ratio", "reference": UNIGRAM, "zoom": 200, "top": 90}),
    ("scripts.text", TEXT, {"scale": "log", "reference": UNIGRAM}),
    ("scripts.characters", TEXT, {"sorted": [1, False], "script": "Greek", "which": 2, "halves": [400, 500]}),
    ("scripts.treemap", TEXT, {}),
    ("scripts.lengths", TEXT, {"zoom": 67}),
    ("compare.overview", MIXED, chosen_row),
    ("compare.overview", MIXED, figures),
    ("compare.differences", MIXED, superwords),
    ("compare.texts", MIXED, two_texts),
    ("compare.overlap", MIXED, pair),
    ("compare.stages", MIXED, {}),
    ("compare.stage_times", MIXED, {}),
    ("compare.numbers", MIXED, {"up_to": 1234}),
    ("compare.digits", MIXED, {}),
    ("compare.text_sizes", MIXED, {"texts_out": ["German", "Python"]}),
    ("compare.superwords", MIXED, {"entries": 300, "first": 0.5, "seed": 3}),
    ("compare.mingram", MIXED, {"entries": 300, "overshoot": 1.5}),
    ("compare.final_style", MIXED, {"entries": 150, "seed": 5}),
    ("compare.morphology", "undoing\tun|do|ing\ncats\tcat s\n" * 30, {"after_space": True, "single_tokens": True}),
    ("compare.code", "def f(x):\n    return x\n" * 30, {"language": "Python"}),
    ("compare.divergence", MIXED, {}),
    ("compare.bits", MIXED, {"order": 2}),
    ("compare.unused", MIXED, {"sorted": [4, False]}),
    ("compare.diff", MIXED, another_pair),
    ("compare.readers", MIXED, {}),
    ("compare.migrate", MIXED, turned_round),
    ("train.training", MIXED, filled_form),
    ("train.sizes", MIXED, model_sizes),
    ("train.race", MIXED, a_race),
    ("train.race", MIXED, race_of_parts),
    ("train.times", MIXED, {}),
    ("train.kept", MIXED, searched),
]  # fmt: skip
"""All pages, each with a text and with settings that a person may have made."""

EVERY = list(dict.fromkeys(name for name, _, _ in CASES))

TRAININGS: tuple[Any, ...] = (
    {**TRAINED, "seconds": "x"}, {**TRAINED, "options": {"vocab_size": 3}}, {**TRAINED, "options": {"smells": 1}},
    {**TRAINED, "algorithm": "no"}, {**TRAINED, "size": -3}, {**TRAINED, "corpus": "file", "file": "/dev/zero"},
    {**TRAINED, "seconds": float("inf")},
)  # fmt: skip

HOSTILE: tuple[Any, ...] = (
    None, True, -1, 3, 1 << 31, 10**30, 0.5, 1e300, float("inf"), "", "x", "x" * 100_000, "\ud800", "/dev/zero", "a\0b",
    [], [[]], [1], ["x"], ["a", "b"], [1, 2], [10**30, 1], [10**30, "x"], [-1, True, "x"], ["id", "no"], [{"speed": "x"}],
    [{"zoom": 10**12}], [None] * 3, {}, {"a": [1]}, {"options": 1}, {"options": {}, "corpus": 1},
    *TRAININGS, [{"kind": "file"}], [{"kind": "folder", "value": 5}],
    [{"kind": "file", "value": "\0"}],
    [{"identity": "0", "name": "", "algorithm": "no", "vocab_size": -1, "options": {}, "sources": []}],
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training is repeated however long it took on this machine, unless the scene says `LONG_S` or more."""
    monkeypatch.setattr(merge_training, "AGAIN_S", LONG_S)


def new_window(qapp: QApplication, path: Path) -> MainWindow:
    store = Settings(QSettings(str(path), QSettings.Format.IniFormat))
    store.set(settings.COLOUR_SCHEME, "light")
    store.set(settings.TOKENIZERS_ON, [SHIPPED])
    window = make_window(qapp, store)
    window.show()
    return window


@pytest.fixture(scope="module")
def windows(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[MainWindow, MainWindow]]:
    """Two windows for all cases: a page has to come back also where another case has left its own settings."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TIKTOKEN_CACHE_DIR", str(folder / "tiktoken-cache"))
        patched.setenv("TOKENARIUM_DATA", str(folder / "fetched"))
        both = new_window(qapp, folder / "a.ini"), new_window(qapp, folder / "b.ini")
    yield both
    for window in both:
        window.session.jobs.cancel_all()
        window.close()
        window.deleteLater()


@pytest.fixture
def shown(windows: tuple[MainWindow, MainWindow]) -> MainWindow:
    """A window that other cases have used before."""
    return windows[0]


@pytest.fixture
def again(windows: tuple[MainWindow, MainWindow]) -> MainWindow:
    """A second one."""
    return windows[1]


@pytest.fixture
def other(qtbot: QtBot, qapp: QApplication, store: Settings, window: MainWindow) -> MainWindow:
    """A second window of the same settings, where nothing was shown yet."""
    return on_screen(qtbot, make_window(qapp, store))


def scene_at(name: str, text: str, values: dict[str, Any]) -> Scene:
    space, _, page = name.partition(".")
    keys = COMPARED if space in ("compare", "train") else (SHIPPED, UNIGRAM)
    return Scene(
        text=SceneText(text),
        tokenizers=tuple(SceneTokenizer(key) for key in keys),
        front=SHIPPED,
        workspace=space,
        page=page,
        display={"patterns": ["tokenizers", "gpt2"]},
        selection=(3, 20),
        pages={name: values} if values else {},
    )


def show(window: MainWindow, scene: Scene, qtbot: QtBot) -> list[str]:
    """Shows a scene as a file holds it, and returns what is said of it."""
    said: list[str] = emitted(window.session.problem)
    read = read_scene(scene_bytes(scene))
    assert not read.left_out
    window.stage.show(read)
    rests(window, qtbot)
    window.session.problem.disconnect(said.append)
    return [one for one in said if one]


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


def part_of(window: MainWindow) -> WorkspacePart:
    view = window.workspace
    return view.page if isinstance(view, PagedWorkspace) else view


def test_all_pages_are_here() -> None:
    found = set()
    for kind in WORKSPACES:
        pages = getattr(kind.load(), "kinds", ())
        found |= {f"{kind.name.id}.{page.id}" for page in pages} or {kind.name.id}
    assert found <= set(EVERY)


@pytest.mark.parametrize(
    ("name", "text", "made"), CASES, ids=[f"{name}-{n}" for n, (name, _, _) in enumerate(CASES)]
)
def test_what_a_page_keeps_comes_back_in_another_window(
    shown: MainWindow,
    again: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    name: str,
    text: str,
    made: dict[str, Any] | Change,
) -> None:
    values = made if isinstance(made, dict) else {}
    assert not show(shown, scene_at(name, text, values), qtbot)
    if not isinstance(made, dict):
        before = shown.stage.make().pages[name]
        made(part_of(shown), tmp_path)
        rests(shown, qtbot)
        changed = shown.stage.make().pages[name]
        assert changed != before
        assert before.keys() - changed.keys() <= {"row"}  # it was in a table of other rows
    scene = shown.stage.make(portable=True)
    kept = without(scene.pages.get(name, {}))
    assert {one: kept.get(one) for one in values} == without(values)
    again.resize(shown.size())
    assert not show(again, scene, qtbot)
    found = again.stage.make(portable=True)
    assert without(found.pages.get(name, {})) == kept
    assert replace(found, pages={}) == replace(scene, pages={})


@pytest.mark.parametrize("name", EVERY)
def test_a_hostile_value_is_left_out(shown: MainWindow, qtbot: QtBot, name: str) -> None:
    show(shown, scene_at(name, TEXT, {}), qtbot)
    part, space = part_of(shown), shown.workspace
    keeps: list[Kept] = [*part.keeps(), *(space.keeps() if part is not space else ())]
    for value in HOSTILE:
        values = dict.fromkeys((one.name for one in keeps), value)
        shown.stage.show(ReadScene(Scene(pages={name: values, name.partition(".")[0]: values})))
        for one in keeps:
            if one.late:  # a scene waits with these until the page rests
                with contextlib.suppress(*WRONG):
                    one.show(value)
        if value not in TRAININGS:  # some of them would be done
            QApplication.processEvents()
    shown.session.jobs.cancel_all()
    rests(shown, qtbot)
    made = scene_bytes(shown.stage.make(portable=True))
    assert made.decode()
    assert read_scene(made).left_out == ()


@pytest.mark.slow
def test_the_runs_come_back(window: MainWindow, other: MainWindow, qtbot: QtBot) -> None:
    show(window, scene_at("train.training", MIXED, {}), qtbot)
    page = window.workspace.page  # type: ignore[attr-defined]
    text = "low lower lowest slow slower slowest new newer newest wide wider\n" * 60
    page.form.sources.set_sources([CorpusSource("text", text)])
    page.form.choose("bpe", "wordpiece")
    page.form.controls["vocab_size"].show("270")
    page.train()
    qtbot.waitUntil(lambda: len(page.together) == 2 and all(run.result for run in page.together))
    rests(window, qtbot)
    page.runs.choose(0)
    page.go_to_size(262)
    scene = window.stage.make(portable=True)
    assert not show(other, scene, qtbot)
    assert other.stage.make(portable=True).pages == scene.pages
    there = other.workspace.page  # type: ignore[attr-defined]
    assert [run.cells()[:2] for run in there.trainings.runs] == [
        run.cells()[:2] for run in page.trainings.runs
    ]
    assert len(there.together) == 2
    assert there.line_size == 262
    assert len(there.chart.chart.drawing.curves) == 2
    for run in list(page.trainings.runs):
        page.trainings.delete(run.result.trained)
    other.stage.show(read_scene(scene_bytes(scene)))  # they are on the list
    assert len(there.trainings.runs) == 2


def test_a_long_training_is_offered_and_comes_back_at_its_step(
    window: MainWindow, qtbot: QtBot
) -> None:
    values = {"trained": {**TRAINED, "seconds": 2 * LONG_S}, "step": 9}
    show(window, scene_at("merges.training", TEXT, values), qtbot)
    page = shown_in(window, MergeTrainingPage)
    assert page.story is None
    assert page.empty.title.text() == OFFERED[0]
    assert "2,000,000 seconds" in page.empty.sentence.text()
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
    window.token_commands.explain(3, 15)
    assert window.token_commands.answers is not None
    window.token_commands.answers.finish()
    window.token_commands.answers.choose(UNIGRAM)
    made = window.stage.make(portable=True)
    assert made.above["why"] == {"asked": [3, 15], "tab": UNIGRAM, "offered": False}
    other.token_commands.explain(0, 2)
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
