"""Fills in the form of the workspace Train, and trains."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_queue import QueuedTraining, RunState
from tokenarium.views.train import TrainView
from tokenarium.views.train_training import TrainingPage

TEXTS = [
    CorpusSource("text", sample_text(name)) for name in ("prose-en", "prose-ru", "code-python")
]

GOING = (RunState.WAITING, RunState.TRAINING, RunState.STOPPING)


def training_page(window: MainWindow) -> TrainingPage:
    """Shows the form with a small training."""
    window.actions_by_id["train_workspace"].trigger()
    assert isinstance(window.workspace, TrainView)
    page = window.workspace.page
    assert isinstance(page, TrainingPage)
    page.form.fill("bpe", 600, {}, TEXTS)
    return page


def enlarge(page: TrainingPage) -> None:
    """Makes the corpus so large that a part of it is held out."""
    words = "".join(source.value for source in page.form.sources.sources)
    longer = words * (60_000 // len(words))
    page.form.sources.set_sources(
        [CorpusSource("text", f"{number} {longer}") for number in range(25)]
    )


def press_train(page: TrainingPage, qtbot: QtBot) -> None:
    """Presses the button once the corpus is checked, for which some algorithms wait."""
    page.form.check()
    qtbot.waitUntil(lambda: not page.trainings.estimating.busy)
    qtbot.mouseClick(page.form.train, Qt.MouseButton.LeftButton)


def train(page: TrainingPage, qtbot: QtBot) -> QueuedTraining:
    """Trains with the settings of the form, and returns the finished training."""
    press_train(page, qtbot)
    run = page.trainings.runs[-1]
    qtbot.waitUntil(lambda: run.state not in GOING)
    return run
