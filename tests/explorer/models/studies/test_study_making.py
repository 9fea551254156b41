"""Making a study: what it cannot have, and names and paths that are distinct."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_files import new_folder, write_file

import tokenarium_core as tc
from tokenarium.models.studies import study_making
from tokenarium.models.studies.study_file import StudyTokenizer
from tokenarium.models.studies.study_making import IntervalSettings, study_of
from tokenarium.models.training.corpus_files import CorpusSource

ONE = StudyTokenizer("a", "tokenarium-8k")
DEFAULT = IntervalSettings()


def test_each_file_of_a_folder_is_a_text_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("x", "y"):
        write_file(new_folder(tmp_path / folder) / "same.txt", folder)
    monkeypatch.chdir(tmp_path)
    sources = [
        CorpusSource("folder", "x", weight=2),
        CorpusSource("file", str(tmp_path / "y" / "same.txt")),
    ]
    study = study_of([ONE, StudyTokenizer("b", "x")], sources, IntervalSettings("line", 3, 9, 0.1))
    assert [one.name for one in study.texts] == ["x/same.txt", "y/same.txt"]
    assert [one.file for one in study.texts] == [
        str(tmp_path / folder / "same.txt") for folder in ("x", "y")
    ]
    assert [one.path for one in study.tokenizers] == ["tokenarium-8k", str(tmp_path / "x")]
    assert (study.unit, study.seed, study.resamples, study.alpha) == ("line", 3, 9, 0.1)


def test_what_a_study_cannot_have_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CorpusSource("file", str(write_file(tmp_path / "a.txt", "a")))
    with pytest.raises(tc.TokenariumError, match="needs texts in files"):
        study_of([ONE], [], DEFAULT)
    with pytest.raises(tc.TokenariumError, match="is not a file"):
        study_of([ONE], [CorpusSource("text", "typed")], DEFAULT)
    with pytest.raises(tc.TokenariumError, match="contains no text files"):
        study_of([ONE], [CorpusSource("folder", str(new_folder(tmp_path / "no")))], DEFAULT)
    with pytest.raises(tc.TokenariumError, match="The seed -1 is negative"):
        study_of([ONE], [file], IntervalSettings(seed=-1))
    monkeypatch.setattr(study_making, "MOST_TOKENIZERS", 1)
    with pytest.raises(tc.TokenariumError, match="There are 2 tokenizers, more than 1"):
        study_of([ONE, ONE], [file], DEFAULT)
    monkeypatch.setattr(study_making, "MOST_TEXTS", 0)
    with pytest.raises(tc.TokenariumError, match="There are 1 files, more than 0"):
        study_of([ONE], [file], DEFAULT)
