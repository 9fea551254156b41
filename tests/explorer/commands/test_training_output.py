"""What a training on the command line keeps is what a training of the window keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.commands.cli import app
from tokenarium.commands.training_output import TrainingOutput
from tokenarium.models.programs import NoReport
from tokenarium.models.progress_reporter import StoppedWork
from tokenarium.models.training import keeping
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.store import Store, Trained
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_run import TrainingRun, train
from tokenarium_core.progress import Progress


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """A terminal in a folder of two texts of which something is held out, with a store of its own."""
    monkeypatch.setattr("tokenarium.commands.training_output.store_folder", lambda: tmp_path / "s")
    monkeypatch.setattr(keeping, "SMALL", 0)
    monkeypatch.setattr(keeping, "HELD_OUT_EVERY", 3)
    monkeypatch.chdir(tmp_path)
    for name in ("de", "en"):
        Path(f"{name}.txt").write_text(sample_text(f"prose-{name}"), "utf-8")
    return CliRunner()


def request(folder: Path, algorithm: str = "bpe", **inputs: Any) -> TrainingRequest:
    """Returns a training of the texts with the default options."""
    options = {option.name: option.default for option in TRAINING_ALGORITHMS[algorithm].options}
    sources = [CorpusSource("file", f"{name}.txt") for name in ("de", "en")]
    return TrainingRequest("mine", algorithm, 300, options, sources, folder, **inputs)


def kept(terminal: CliRunner, folder: Path, *arguments: str) -> Trained:
    """Returns what a command keeps."""
    result = terminal.invoke(app, ["train", "-n", "300", "--name", "mine", *arguments])
    assert result.exit_code == 0, result.output
    [trained] = Store(folder / "s").all()
    Store(folder / "s").delete(trained.identity)
    return trained


@pytest.mark.parametrize(
    ("arguments", "inputs"),
    [
        ((), {"hold_out": False}),
        (("--hold-out",), {}),  # paragraphs of each text
        (("--hold-out", "--size", "2kB", "--seed", "3"), {"size": 2000, "seed": 3}),
        (("-a", "superbpe", "--temperature", "2"),
         {"algorithm": "superbpe", "temperature": 2.0, "hold_out": False}),
    ],
)  # fmt: skip
def test_a_command_keeps_what_the_window_keeps(
    terminal: CliRunner, tmp_path: Path, arguments: tuple[str, ...], inputs: dict[str, Any]
) -> None:
    here = kept(terminal, tmp_path, "de.txt", "en.txt", *arguments)
    there = train(NoReport(), request(tmp_path / "w", **inputs)).trained  # type: ignore[arg-type]
    assert (here.identity, here.settings, here.corpus) == (
        there.identity,
        there.settings,
        there.corpus,
    )
    assert (here.name, here.content, here.pieces) == (there.name, there.content, there.pieces)
    assert here.figures["bytes"] == there.figures["bytes"]
    assert (here.settings.get("held_out") == "paragraphs") is ("--hold-out" in arguments)


def test_a_training_from_counts_keeps_the_settings_of_one_from_texts(
    terminal: CliRunner, tmp_path: Path
) -> None:
    counting = ["count", "de.txt", "en.txt", "--out", "x.counts", "-o", "pattern=gpt2"]
    assert terminal.invoke(app, counting).exit_code == 0
    counted = kept(terminal, tmp_path, "x.counts", "-o", "min_frequency=3")
    read = kept(
        terminal, tmp_path, "de.txt", "en.txt", "-o", "min_frequency=3", "-o", "pattern=gpt2"
    )
    assert counted.settings == read.settings
    assert counted.content == read.content


def test_another_dev_set_is_another_training(terminal: CliRunner, tmp_path: Path) -> None:
    languages = ("-a", "parity-bpe", "--language", "de=de.txt", "--language", "en=en.txt")
    made = [
        kept(terminal, tmp_path, *languages, "--dev", f"de={one}", "--dev", "en=en.txt").identity
        for one in ("de.txt", "en.txt", "de.txt")
    ]
    assert made[0] == made[2] != made[1]


def test_what_is_stopped_is_written_but_not_kept(terminal: CliRunner, tmp_path: Path) -> None:
    run = TrainingRun(replace(request(tmp_path / "s"), vocab_size=2000))

    def look(progress: Progress) -> float:
        if run.trainer.piece_count >= 280:
            raise StoppedWork
        return 0.0

    out = tmp_path / "x.json"
    output = TrainingOutput(out, "", False, True, True)
    output.write(run, run.run(look), 0.0, {}, ())
    assert 280 <= len(tc.open(out).vocabulary) < 2000
    assert Store(tmp_path / "s").all() == []
