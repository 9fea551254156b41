"""The figures of a study: bars for one text, rows of dots for several, with the values and bounds of the study."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_files import write_file

from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.studies.study import StudyResult, run_study
from tokenarium.models.studies.study_file import Study, StudyText, StudyTokenizer
from tokenarium.widgets.charts.study_figures import LOST, measure_plot

NAMES = ("tokenarium-8k", "wordpiece-8k")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    write_file(folder / "en.txt", "".join(f"Line {number} of English.\n" for number in range(30)))
    write_file(folder / "ja.txt", "".join(f"日本語の文章 {number}。\n" for number in range(30)))
    return folder


def result_of(place: Path, *names: str) -> StudyResult:
    texts = tuple(StudyText(name, str(place / f"{name}.txt")) for name in names)
    tokenizers = tuple(StudyTokenizer(name, name) for name in NAMES)
    study = Study(
        tokenizers, texts, unit="line", measures=("fertility", "bytes_per_token"), resamples=50
    )
    return run_study(study, tokenizer_of)


def test_one_text_has_a_bar_for_each_tokenizer(place: Path) -> None:
    result = result_of(place, "en")
    plot = measure_plot(result, 1)
    assert plot.one_each
    assert [row.title for row in plot.rows] == list(NAMES)
    for number, row in enumerate(plot.rows):
        one = result.parts[0].measures[1].intervals[number]
        bar = row.values[number]
        assert bar is not None
        assert (bar.value, bar.low, bar.high, bar.doubt) == (one.value, one.low, one.high, "")
        assert row.values[1 - number] is None


def test_several_texts_have_a_row_each_and_lost_text_is_marked(place: Path) -> None:
    result = result_of(place, "en", "ja")
    words, compression = measure_plot(result, 0), measure_plot(result, 1)
    assert not compression.one_each
    assert [row.title for row in compression.rows] == ["en", "ja", "all texts"]
    doubts = [[one.doubt for one in row.values if one is not None] for row in compression.rows]
    assert doubts == [["", ""], ["", LOST], ["", LOST]]
    assert (compression.axis.title, compression.axis.unit) == ("Bytes per token", "")
    assert words.axis.unit == "tokens per word"
