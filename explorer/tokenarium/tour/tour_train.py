"""The stops of the tour in the workspace Train that are no scene files: they train something."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_race import RaceRequest
from tokenarium.models.training.training_queue import QueuedTraining
from tokenarium.tour.stops import SMALL, Guide, Stop
from tokenarium.views.train import RacePage, TrainView
from tokenarium.views.train_sizes import TrainSizesPage
from tokenarium.views.train_training import TrainingPage

PATIENCE_S = 120
RACED = 17
"""Laps of the race in a picture."""

SCRIPTS = ("en", "de", "ru", "ja", "hi", "ar", "el", "ko")


def train_stops(guide: Guide) -> list[Stop]:
    """Returns the stops. They do not change the user's files."""
    store = tempfile.TemporaryDirectory(prefix="tokenarium-")

    def page(window: MainWindow, size: QSize | None = None) -> TrainingPage:
        if size is not None:
            window.resize(size)
        window.session.trainings.folder = Path(store.name)
        window.session.set_text(sample_text(WELCOME))
        window.train_commands.show_page(TrainingPage.id)
        view = window.workspace
        assert isinstance(view, TrainView)
        assert isinstance(view.page, TrainingPage)
        trainings = window.session.trainings
        trainings.stop_all()
        for run in list(trainings.runs):
            trainings.forget(run)
        return view.page

    def wait(until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not until() and time.monotonic() < deadline:
            QApplication.processEvents()
            time.sleep(0.01)

    def train(shown: TrainingPage) -> None:
        """Trains what the form says, once the corpus is checked."""
        shown.form.check()
        wait(lambda: not shown.trainings.estimating.busy)
        shown.train()

    def small(shown: TrainingPage, algorithm: str = "bpe", size: int = 1200) -> None:
        texts = [CorpusSource("text", sample_text(f"prose-{language}")) for language in SCRIPTS]
        shown.form.fill(algorithm, size, {}, texts)

    def going(window: MainWindow) -> None:
        shown = page(window)
        shown.form.fill("bpe", 100_000, {}, [CorpusSource("library")])
        train(shown)
        small(shown)
        train(shown)
        first = shown.trainings.runs[0]
        shown.runs.choose(0)

        def far() -> bool:
            progress = first.progress
            drawn = not (shown.view.compression.chart.empty or shown.view.scripts.chart.empty)
            return not first.state.going or (
                progress is not None and progress.piece_count > 3000 and drawn
            )

        wait(far)

    def done(algorithm: str, size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            shown = page(window, size)
            small(shown, algorithm)
            train(shown)
            run: QueuedTraining = shown.trainings.runs[-1]
            wait(lambda: (run.result is not None or bool(run.problem)) and not shown.view.drawing)

        return prepare

    def by_another(window: MainWindow) -> None:
        shown = page(window)
        shown.form.fill("sentencepiece:unigram", 8000, {}, [CorpusSource("library")])
        train(shown)
        small(shown)
        train(shown)
        shown.form.choose("sentencepiece:unigram")
        shown.runs.choose(0)
        run = shown.trainings.runs[0]

        def trains() -> bool:
            return not run.state.going or (
                run.progress is not None and "training" in run.progress.phase
            )

        wait(trains)

    def corpus(window: MainWindow) -> None:
        done("bpe")(window)
        view = window.workspace
        assert isinstance(view, TrainView)
        assert isinstance(view.page, TrainingPage)
        view.page.view.tabs.setCurrentIndex(1)

    def board(size: QSize | None = None, details: int = 0) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            shown = page(window, size)
            small(shown)
            shown.form.choose("bpe", "superbpe", "unigram")
            train(shown)
            runs = shown.trainings.runs
            wait(lambda: len(runs) == 3 and all(run.over for run in runs))
            wait(lambda: len(shown.text.rows) == 3)
            shown.go_to_size(800)
            shown.pages.setCurrentIndex(details)

        return prepare

    def watched(window: MainWindow) -> None:
        shown = page(window)
        small(shown, "bpe", 2000)
        shown.pace.slider.setValue(shown.pace.slider.maximum() - 4)
        train(shown)
        [run] = shown.trainings.runs
        wait(lambda: run.entries > 320)
        shown.pace.slider.setValue(0)

    def kept(window: MainWindow) -> None:
        page(window)
        window.train_commands.show_page("kept")

    def times(window: MainWindow) -> None:
        page(window)
        window.train_commands.show_page("times")

    def sizes(size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            done("bpe", size)(window)
            window.train_commands.show_page("sizes")
            view = window.workspace
            assert isinstance(view, TrainView)
            assert isinstance(view.page, TrainSizesPage)
            view.page.budget.setText("1M")

        return prepare

    def race(size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            page(window, size)
            racing = window.session.trainings.racing
            window.train_commands.show_page("race")
            race_page(window).choose(0)
            racing.start(RaceRequest([CorpusSource("library")], 400))
            wait(lambda: not racing.running or len(racing.race.laps) > RACED)
            racing.stop()

        return prepare

    def race_page(window: MainWindow) -> RacePage:
        view = window.workspace
        assert isinstance(view, TrainView)
        assert isinstance(view.page, RacePage)
        return view.page

    def race_encoding(chart: int) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            page(window)
            window.train_commands.race_encoding()
            racing = race_page(window)
            racing.corpus.setCurrentIndex(1)
            racing.right.setCurrentIndex(chart)
            racing.begin()
            wait(racing.bar.isHidden)

        return prepare

    def export(source: str, size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            done(source, size)(window)
            guide.settle()
            run = window.session.trainings.runs[-1]
            assert run.result is not None
            window.session.set_current(f"trained:{run.result.trained.identity}")
            window.lazy.exporting.save_tokenizer()

        return prepare

    def exported(window: MainWindow) -> None:
        export("bpe")(window)
        exporting = window.lazy.exporting
        exporting.save("huggingface", Path(store.name) / "tokenizer.json")
        wait(lambda: exporting.worker is None)

    return [
        ("save-as", "train", export("bpe")),
        ("save-as-small", "train", export("unigram", SMALL)),
        ("save-as-proved", "train", exported),
        ("train-going", "train", going),
        ("train-by-another", "train", by_another),
        ("train-done", "train", done("bpe")),
        ("train-done-small", "train", done("bpe", SMALL)),
        ("train-unigram", "train", done("unigram")),
        ("train-corpus", "train", corpus),
        ("train-sizes", "train", sizes()),
        ("train-sizes-small", "train", sizes(SMALL)),
        ("train-race", "train", race()),
        ("train-race-small", "train", race(SMALL)),
        ("train-race-encoding", "train", race_encoding(0)),
        ("train-race-encoding-merges", "train", race_encoding(1)),
        ("train-board", "train", board()),
        ("train-board-small", "train", board(SMALL)),
        ("train-board-runs", "train", board(details=1)),
        ("train-watched", "train", watched),
        ("train-time", "train", times),
        ("train-kept", "train", kept),
    ]
