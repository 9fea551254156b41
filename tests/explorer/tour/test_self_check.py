"""The app's check of itself: it passes here, and reports what is wrong by its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tokenarium.tour import self_check
from tokenarium.tour.self_check import SelfCheckError


def test_libraries_and_the_corpus_are_there(tmp_path: Path) -> None:
    assert "tiktoken" in self_check.libraries(tmp_path)
    assert "files of Python's library" in self_check.corpus(tmp_path)


def test_a_training_and_a_count_run_in_other_processes(qtbot: QtBot, tmp_path: Path) -> None:
    assert "in process" in self_check.training(tmp_path)
    assert self_check.count(tmp_path).startswith("2 tokenizers in ")


def test_a_large_file_is_opened_by_another_process(qtbot: QtBot, tmp_path: Path) -> None:
    assert self_check.opening(tmp_path, []) == "large.json with 8,000 entries"


def test_a_file_that_is_wrong_is_reported(qtbot: QtBot, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}" + " " * self_check.LARGE)
    with pytest.raises(SelfCheckError, match=r"wrong\.json"):
        self_check.opening(tmp_path, [str(wrong)])


def test_what_is_wrong_ends_it_with_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(folder: Path) -> str:
        raise SelfCheckError("It is not there.")

    for name in (
        "libraries", "corpus", "window", "training", "other_trainings", "count", "chat_template", "another_start", "advice",
    ):  # fmt: skip
        monkeypatch.setattr(self_check, name, lambda folder: "fine")
    monkeypatch.setattr(self_check, "opening", lambda folder, files: "fine")
    monkeypatch.setattr(self_check, "command_line", lambda folder: "fine")
    assert self_check.main() == 0
    monkeypatch.setattr(self_check, "command_line", fail)
    assert self_check.main() == 1
    assert "command line: FAILED: SelfCheckError: It is not there." in capsys.readouterr().out


def test_the_advice_of_a_frozen_app_is_not_pip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "pip install jinja2" in self_check.advice(tmp_path)
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert "pip" not in self_check.advice(tmp_path)
    monkeypatch.setattr("tokenarium.models.installation.how_to_get", lambda name: "pip install it")
    with pytest.raises(SelfCheckError, match="pip install it"):
        self_check.advice(tmp_path)
