"""The stops of the tour at superwords: pieces of several words, marked in every view."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.merges.training_story import MergeStory
from tokenarium.tour.stops import SMALL, Guide, Stop
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merges import MergesView, StepsPage

LEARNED = ("prose-en", "prose-ar", "prose-hi", "prose-ja", "emoji")
PLAYED = 90
"""The characters of a sample, after its title, that are played."""

ACROSS = "superbpe"
"""A pattern that does not cut between words, so that plain BPE learns superwords as well."""


def superword_stops(guide: Guide) -> list[Stop]:
    """Returns the stops."""
    folder = tempfile.TemporaryDirectory(prefix="tokenarium-")

    def show(window: MainWindow, text: str, size: QSize | None = None) -> None:
        """Shows a text with a small SuperBPE tokenizer, which is trained the first time."""
        if size is not None:
            window.resize(size)
        path = Path(folder.name) / "superwords.json"
        if not path.exists():
            texts = [sample_text(name) for name in LEARNED] * 3
            tc.train("superbpe", texts, vocab_size=2400, transition=1600).save(path)
        window.session.set_text(text)
        window.take_files([path])
        guide.settle()
        key = f"file:{path}"
        for item in window.session.chosen():
            if item.key != key:
                window.session.edits.turn_on(item.key, False)
        window.session.set_current(key)
        guide.settle()

    def page(window: MainWindow, page_id: str) -> object:
        window.merge_commands.show_page(page_id)
        guide.settle()
        view = window.workspace
        assert isinstance(view, MergesView)
        return view.page

    def steps(
        sample: str, share: float, size: QSize | None = None
    ) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            text = sample_text(sample).split("\n", 1)[1].lstrip()
            show(window, text[:PLAYED], size)
            window.session.select(0, len(text[:PLAYED].encode()))
            found = page(window, StepsPage.id)
            assert isinstance(found, StepsPage)
            found.replay()
            if size is not None:
                window.resize(size)
            guide.settle()
            player = found.player
            assert player is not None
            player.go_to(round(player.length * share))
            QApplication.processEvents()

        return prepare

    def sizes(window: MainWindow) -> None:
        show(window, sample_text("prose-en"))
        found = page(window, MergeSizesPage.id)
        assert isinstance(found, MergeSizesPage)
        found.recut()
        guide.settle()
        found.player.go_to(found.player.length)

    def training(share: float) -> Callable[[MainWindow], object]:
        """Plays a training up to a share of the merges that make superwords."""

        def prepare(window: MainWindow) -> None:
            show(window, sample_text("prose-en"))
            found = page(window, MergeTrainingPage.id)
            assert isinstance(found, MergeTrainingPage)
            found.form.choose("text")
            found.form.choose_algorithm("bpe")
            found.form.pattern.setCurrentText(ACROSS)
            found.form.merges.setValue(400)
            found.train()
            guide.settle()
            story = found.story
            assert isinstance(story, MergeStory)
            several = [place for place in range(len(story)) if story.is_superword(256 + place)]
            found.player.pause()  # it plays at once
            found.player.go_to(several[round(share * (len(several) - 1))] + 1)
            found.bars.finish_motion()

        return prepare

    return [
        ("superwords-steps", "merges", steps("prose-en", 1.0)),
        ("superwords-steps-small", "merges", steps("prose-en", 1.0, SMALL)),
        ("superwords-steps-hindi", "merges", steps("prose-hi", 1.0)),
        ("superwords-sizes", "merges", sizes),
        ("superwords-training", "merges", training(1.0)),
        ("superwords-training-half", "merges", training(0.5)),
    ]
