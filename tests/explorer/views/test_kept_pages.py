"""What the pages of Compare and Train keep: it comes back in another window, and a wrong value does no harm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tokenarium.app.scenes import SceneStage
from tokenarium.app.start import make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.scene import Scene, read_scene, scene_bytes
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session.settings import Settings

TEXT = "An unbelievable text: naïve 東京 3.14, don't!\n\tof the 2024 and 17"
ON = ("shipped:tokenarium-8k", "shipped:superbpe-8k", "shipped:wordpiece-8k")


@pytest.fixture
def other(qapp: QApplication, qtbot: QtBot, store: Settings) -> Iterator[MainWindow]:
    """A second window."""
    window = make_window(qapp, store)
    qtbot.addWidget(window)
    window.show()
    yield window
    window.close()


def opened(window: MainWindow, qtbot: QtBot, page: str) -> Any:
    """Shows a page by its name in a scene, with several tokenizers and a text."""
    for key in ON:
        window.session.edits.turn_on(key, True)
    window.session.set_text(TEXT)
    space, _, id = page.partition(".")
    window.show_workspace(space)
    window.workspace.show_page(id)  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: all(one.tokenizer for one in window.session.library if one.on))
    rests(window, qtbot)
    return window.workspace.page  # type: ignore[attr-defined]


def rests(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not (window.workspace.busy or window.session.jobs.running()))


def shown_again(scene: Scene, other: MainWindow, qtbot: QtBot) -> Scene:
    """Returns what another window shows after a scene was written, read and shown there."""
    said: list[str] = []
    other.session.problem.connect(said.append)
    stage: SceneStage = other.stage
    found = read_scene(scene_bytes(scene))
    assert found.left_out == ()
    stage.show(found)
    qtbot.waitUntil(lambda: not stage.busy)
    rests(other, qtbot)
    assert not [one for one in said if one]
    return stage.make(portable=True)


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


def kind(page: Any, folder: Path) -> None:
    page.kinds.choose("superword")


def texts(page: Any, folder: Path) -> None:
    page.show_example(3)
    page.sides[1].write("another\ntext 東京")


def pair(page: Any, folder: Path) -> None:
    page.matrix.setCurrentCell(2, 1)


def form(page: Any, folder: Path) -> None:
    page.form.sources.set_sources([CorpusSource("file", str(files(folder)[0]), 0.5)])
    page.form.choose("unigram", "superbpe")
    page.form.vocab_size.setText("777")
    page.form.name.setText("Mine")
    page.form.seed.setText("5")
    page.form.hold_out.setChecked(False)
    page.form.target.setText("2 MB")
    page.form.temperature.setText("3.3")
    page.form.repeat.setChecked(True)
    page.form.more.setChecked(True)
    page.form.type({"min_frequency": "3"})
    page._show_part(1)
    page._measure_again(1)
    page.pace.slider.setValue(2)


def sizes(page: Any, folder: Path) -> None:
    page.tokenizer.setCurrentIndex(1)
    page.width_field.setText("64")
    page.budget.setText("1M")
    page.model.setText("120M")
    page.tied.setChecked(True)
    page.multiple.setCurrentIndex(2)


def race(page: Any, folder: Path) -> None:
    page.choose(1)
    page.corpus.setCurrentIndex(1)
    page.vocab_size.setText("300")
    page.right.choose(1)


def search(page: Any, folder: Path) -> None:
    page.list.search.setText("none of these")


PAGES: dict[str, list[Callable[[Any, Path], None]]] = {
    "compare.overview": [figures, chosen_row],
    "compare.differences": [kind],
    "compare.texts": [texts],
    "compare.overlap": [pair],
    "train.training": [form],
    "train.sizes": [sizes],
    "train.race": [race],
    "train.kept": [search],
}


@pytest.mark.parametrize(
    ("page", "change"), [(page, one) for page, several in PAGES.items() for one in several]
)
def test_a_page_comes_back(
    window: MainWindow,
    other: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    page: str,
    change: Callable[[Any, Path], None],
) -> None:
    shown = opened(window, qtbot, page)
    before = window.stage.make().pages[page]
    change(shown, tmp_path)
    rests(window, qtbot)
    scene = window.stage.make(portable=True)
    changed = scene.pages[page]
    assert changed != before
    assert shown_again(scene, other, qtbot).pages == scene.pages
    assert all(name in changed for name in before)


@pytest.mark.slow
def test_the_runs_come_back(window: MainWindow, other: MainWindow, qtbot: QtBot) -> None:
    page = opened(window, qtbot, "train.training")
    text = "low lower lowest slow slower slowest new newer newest wide wider\n" * 60
    page.form.sources.set_sources([CorpusSource("text", text)])
    page.form.choose("bpe", "wordpiece")
    page.form.vocab_size.setText("270")
    page.train()
    qtbot.waitUntil(lambda: len(page.together) == 2 and all(run.result for run in page.together))
    rests(window, qtbot)
    page.runs.choose(0)
    page.go_to_size(262)
    scene = window.stage.make(portable=True)
    again = shown_again(scene, other, qtbot)
    assert again.pages == scene.pages
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


WRONG: list[Any] = [
    None, True, -1, 10**30, 0.5, "", "x" * 100_000, "\ud800", [], ["x"], [1, 2], {}, {"a": 1},
    [{"kind": "file"}], [{"kind": "folder", "value": 5}], [{"kind": "file", "value": "\0"}], ["a", "b"],
    [{"identity": "0", "name": "", "algorithm": "no", "vocab_size": -1, "options": {}, "sources": []}],
]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_wrong_values_are_left_out(window: MainWindow, qtbot: QtBot, page: str) -> None:
    shown = opened(window, qtbot, page)
    for one in shown.keeps():
        for value in WRONG:
            try:
                one.show(value)
            except (KeyError, TypeError, ValueError, OverflowError):
                continue  # a scene says so
        QApplication.processEvents()
    shown.stop()
    rests(window, qtbot)
    assert scene_bytes(window.stage.make(portable=True))
