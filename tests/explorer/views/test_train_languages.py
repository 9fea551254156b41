"""Train in the window with parity-aware BPE: the languages of sources, and what the training shows of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from training_pages import train, training_page

from tokenarium.analyses.training_draft import SOURCES
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.inequality import gini
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_queue import RunState
from tokenarium.views.train_training import TrainingPage
from tokenarium.widgets.training.source_list import LANGUAGE_COLUMN, WEIGHT_COLUMN

LANGUAGES = ("en", "de", "hi", "ja")


@pytest.fixture
def page(window: MainWindow) -> TrainingPage:
    """The form for languages."""
    page = training_page(window)
    sources = [
        CorpusSource("text", sample_text(f"prose-{language}"), language=language)
        for language in LANGUAGES
    ]
    page.form.fill("parity-bpe", 700, {}, sources)
    return page


def test_the_training_shows_what_each_language_takes(page: TrainingPage, qtbot: QtBot) -> None:
    run = train(page, qtbot)
    assert run.state is RunState.FINISHED
    assert run.result is not None
    figures = run.result.trained.figures
    assert [row[0] for row in figures["languages"]] == list(LANGUAGES)
    assert figures["measured_on"] == "parallel sentences"
    assert sum(row[3] for row in figures["languages"]) == 700 - 256
    qtbot.waitUntil(lambda: not page.view.drawing)
    plot = page.view.scripts
    assert plot.title == "Tokens by language"
    assert {name for name, _ in plot.chart.bars} == set(LANGUAGES)
    unequal = page.view.compression
    assert unequal.title == "How unequal"
    points = unequal.chart.curves[0].points
    assert [points[0][0], points[-1][0]] == [256, 700]
    assert points[-1][1] == pytest.approx(gini([row[2] for row in figures["languages"]]))
    assert points[-1][1] < points[0][1] / 5
    assert "On the parallel sentences, " in page.view.status.text()
    assert "where 0 is equal" in page.view.status.text()
    assert run.progress is not None
    assert set(run.progress.last_languages) <= set(LANGUAGES)
    assert " for " in "".join(str(part) for part in page.view.last.sentence)
    page.form.fill("bpe", 700, {})
    train(page, qtbot)
    page.runs.choose(1)
    qtbot.waitUntil(lambda: plot.title == "Vocabulary by script")
    assert unequal.title == "Compression"


def test_the_form_says_what_is_missing(page: TrainingPage) -> None:
    sources = page.form.sources
    assert not page.form.problems
    assert not sources.list.isColumnHidden(LANGUAGE_COLUMN)
    assert sources.list.isColumnHidden(WEIGHT_COLUMN)
    sources.list.choose(1)
    sources.language.setText("")
    sources.language.textEdited.emit("")
    page.form.check()
    assert "write one into its row under Corpus" in page.form.problems[SOURCES]
    sources.language.setText("de")
    sources.language.textEdited.emit("de")
    page.form.check()
    assert not page.form.problems
    assert sources.list.item(1).text(LANGUAGE_COLUMN) == "de"
    sources.set_sources(sources.sources[:1])
    page.form.check()
    assert "nothing to compare" in page.form.problems[SOURCES]


def test_options_of_languages_are_checked(page: TrainingPage) -> None:
    form = page.form
    form.fields["ratios"].set_text("en=1, de=1")
    form.check()
    assert "no ratio for 'hi'" in form.problems["ratios"]
    form.fields["ratios"].set_text("en=1, de=1, hi=2, ja=2")
    form.check()
    assert not form.problems
    form.fields["dev_set"].set_text("parallel sentences")
    form.check()
    assert "give one of them" in form.problems["ratios"]
    form.fields["ratios"].set_text("")
    [first, *others] = form.sources.sources
    form.sources.set_sources([CorpusSource("text", first.value, language="xx"), *others])
    form.check()
    assert "no parallel sentences in xx" in form.problems["dev_set"]
    form.fields["dev_set"].set_text("automatic")
    form.check()
    assert not form.problems


def test_a_file_with_the_name_of_a_language_has_it(page: TrainingPage, tmp_path: Path) -> None:
    sources = page.form.sources
    for name in ("sw.txt", "notes.txt"):
        (tmp_path / name).write_text("some text")
        sources.add_path(tmp_path / name)
    assert [source.language for source in sources.sources[-2:]] == ["sw", ""]
    page.form.choose("bpe")
    assert sources.list.isColumnHidden(LANGUAGE_COLUMN)
    assert not sources.list.isColumnHidden(WEIGHT_COLUMN)
    (tmp_path / "ko.jsonl").write_text("{}")
    sources.add_path(tmp_path / "ko.jsonl")
    assert sources.sources[-1].language == ""
    page.form.choose("bpe", "parity-bpe")
    assert sources.sources[-1].language == "ko"
