"""Trainings and counts in a notebook, and what is seen of their progress."""

from __future__ import annotations

import base64
import re
import sys
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import tokenarium_core as tc
from tokenarium import notebook
from tokenarium.notebook import live_progress, training
from tokenarium.notebook.live_progress import LiveProgress
from tokenarium_core.progress import Progress

TEXTS = ["low lower lowest low low", "newer newest"] * 9


def test_a_training_is_that_of_the_core() -> None:
    made = notebook.train(TEXTS, 265, name="mine")
    same = tc.train("bpe", TEXTS, vocab_size=265)
    assert made.complete
    assert made.tokenizer.name == "mine"
    assert made.tokenizer.get_vocab() == same.get_vocab()
    assert made.rows[-1]["entries"] == 265
    assert made.rows[-1]["tokens"] == sum(len(same.encode_ids(text)) for text in TEXTS)
    assert "Byte-pair encoding: 265 entries" in made.still


def test_the_curve_of_a_training_is_a_picture_with_a_description() -> None:
    still = notebook.train(TEXTS, 265).still
    source, about = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', still)[0]
    picture = ElementTree.fromstring(base64.b64decode(source))
    (line,) = picture.iter("{http://www.w3.org/2000/svg}polyline")
    points = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    assert points == sorted(points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    assert about.endswith("with 265.")


def test_options_and_faults_are_those_of_the_core() -> None:
    made = notebook.train(TEXTS, 60, "wordpiece", lowercase=True)
    assert "WordPiece" in made.still
    with pytest.raises(tc.TokenariumError, match="no option 'merges'"):
        notebook.train(TEXTS, 265, merges=3)
    with pytest.raises(tc.ArgumentError, match="algorithm to train"):
        notebook.train(TEXTS, 265, "magic")


def test_a_training_from_counts_is_that_from_the_texts() -> None:
    counts = notebook.count(TEXTS)
    assert counts.texts == len(TEXTS)
    made = notebook.train(vocab_size=265, counts=counts)
    assert made.tokenizer.get_vocab() == notebook.train(TEXTS, 265).tokenizer.get_vocab()


@pytest.mark.parametrize(("algorithm", "size"), [("bpe", 265), ("unigram", 20), ("wordpiece", 40)])
def test_a_small_training_is_played(algorithm: str, size: int) -> None:
    made = notebook.train(TEXTS, size, algorithm, play="lowest newest")
    assert 'data-kind="training"' in made.page
    assert made.html.startswith("<iframe ")
    assert made.still in made.html
    assert made.tokenizer.get_vocab() == notebook.train(TEXTS, size, algorithm).tokenizer.get_vocab()  # fmt: skip
    with pytest.raises(tc.ArgumentError, match="'picky-bpe' cannot be played"):
        notebook.train(TEXTS, 265, "picky-bpe", play="low")


def test_an_interrupt_ends_a_training_with_what_was_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stopped:
        """A trainer that is interrupted at its second step."""

        report = "Stopped."
        byte_count = 10

        def __init__(self, usable: bool) -> None:
            self.usable = usable
            self._whole = tc.training.algorithms.make_trainer("bpe", TEXTS, vocab_size=265)
            self._whole.run()
            self._steps = 0

        def step(self, budget_ms: float) -> Progress:
            self._steps += 1
            if self._steps == 2:
                raise KeyboardInterrupt
            return Progress("merging", 1, 2, False)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._whole, name)

    monkeypatch.setattr(training, "make_trainer", lambda *_, **__: Stopped(True))
    made = notebook.train(TEXTS, 265)
    assert not made.complete
    assert "stopped early" in made.still
    assert len(made.tokenizer.vocabulary) == 265
    monkeypatch.setattr(training, "make_trainer", lambda *_, **__: Stopped(False))
    with pytest.raises(KeyboardInterrupt):
        notebook.train(TEXTS, 265)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(live_progress, "time", made)
    return made


def test_work_of_a_moment_shows_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with LiveProgress("Counting") as progress:
        clock.now += 0.4
        progress.show("counting", 0.5)
    assert capsys.readouterr() == ("", "")


def test_long_work_writes_a_line_now_and_then(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with LiveProgress("Counting") as progress:
        for percent in range(0, 100, 2):
            clock.now += 0.5
            progress.take(Progress("merging" if percent >= 50 else "reading", percent, 100, False))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "reading: 0%, 0.5 s",
        "reading: 20%, 5.5 s",
        "reading: 40%, 10.5 s",
        "merging: 50%, 13.0 s",
        "merging: 70%, 18.0 s",
        "merging: 90%, 23.0 s",
        "merging: done, 25.0 s",
    ]


def test_in_a_notebook_one_bar_goes_on(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def display(state: object, *, display_id: bool) -> object:
        assert display_id
        shown.append(f"new {state!r}")
        return SimpleNamespace(update=lambda state: shown.append(repr(state)))

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))

    def work() -> None:
        with LiveProgress("Counting") as progress:
            for percent in range(0, 100, 5):
                clock.now += 0.125
                progress.show("counting", percent / 100)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()
    assert shown[:2] == ["new counting: 15%, 0.5 s", "counting: 25%, 0.8 s"]
    assert shown[-1] == "counting: stopped, 2.5 s"
    shell.kernel = None  # IPython in a terminal
    assert live_progress._notebook_display() is None
