"""The paired differences on the page Overview of Compare: against a study of the same files, at the chosen α."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from narrowed import of_kind, there
from patching import patch_all
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import off_screen, shown_in, trigger

from tokenarium.analyses.paired_differences import DIFFERS, UNDECIDED, interval_text
from tokenarium.analyses.study_tables import exact_differences
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.compare.comparison_model import no_interval
from tokenarium.models.compare.intervals import MEASURED, Interval
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.studies.study import run_study
from tokenarium.models.text.lost_text import SIGN
from tokenarium.views import compare_paired
from tokenarium.views.compare_overview import OverviewPage
from tokenarium.views.compare_paired import ALPHAS, TITLE, PairedPart
from tokenarium.views.decks import BarsDeck

SHIPPED, OTHER = "shipped:tokenarium-8k", "shipped:unigram-8k"
NAMES = ("prose-en", "prose-de", "code-python")


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> OverviewPage:
    window.session.edits.turn_on(OTHER, True)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    window.session.set_text("A text.")
    window.compare_commands.show_page("overview")
    page = shown_in(window, OverviewPage)
    qtbot.waitUntil(lambda: not page.busy)
    return page


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Documents of which the tokenizers need different numbers of tokens."""
    texts = [sample_text(name) for name in NAMES]
    return [
        write_file(tmp_path / f"{number}.txt", texts[number % 3][number : 400 + 50 * number])
        for number in range(24)
    ]


def count(window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]) -> PairedPart:
    window.compare_commands.compare_paths(paths)
    qtbot.waitUntil(lambda: not page.busy and bool(page.figures.rows[0].tally))
    return page.paired


def cells(part: PairedPart) -> list[list[str]]:
    return [
        [there(part.table.topLevelItem(row)).text(at) for at in range(part.table.columnCount())]
        for row in range(part.table.topLevelItemCount())
    ]


def choose(part: PairedPart, measure: str) -> None:
    part.measure.setCurrentIndex(MEASURED.index(measure))


def test_a_text_has_none_and_one_file_says_why(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    assert page.paired.isHidden()
    assert page.paired.as_csv() == page.paired.python() == ""
    part = count(window, page, qtbot, paths[:1])
    assert part.isVisible()
    assert "they need at least two documents" in part.note.text()
    assert part.table.isHidden()
    window.session.edits.turn_on(OTHER, False)
    qtbot.waitUntil(part.isHidden)


def test_the_differences_are_those_of_a_study_at_the_same_alpha(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    part = count(window, page, qtbot, paths)
    assert "10,000 samples of the 24 documents" in part.note.text()
    assert "corrected for 1 pair" in part.note.text()
    for alpha in (0.05, 0.001):
        part.alpha.setCurrentIndex(ALPHAS.index(alpha))
        study = page.figures.study()
        assert study.alpha == alpha
        found = run_study(study, lambda path, _: tokenizer_of(path))
        expected = {
            str(row["measure"]): row
            for row in exact_differences(found)
            if row["text"] == "all texts"
        }
        rows = list(csv.DictReader(io.StringIO(part.as_csv())))
        assert [row["measure"] for row in rows] == list(MEASURED)
        for row in (row for row in rows if row["measure"] in expected):
            one = expected[row["measure"]]
            for name in ("difference", "low", "high", "p", "p_holm"):
                assert float(row[name]) == pytest.approx(one[name])
            assert row["differs"] == str(one["differs"])
        assert set(expected) == set(study.measures)
        one, metric = expected["bytes_per_token"], METRICS[1]
        ((first, second, difference, p, holm, verdict),) = cells(part)
        assert [first, second] == [row.name for row in page.figures.rows]
        bounds = Interval(float(rows[0]["difference"]), float(rows[0]["low"]), float(rows[0]["high"]))  # fmt: skip
        assert difference == interval_text(metric, bounds)
        assert (p, holm) == (f"{one['p']:.4f}", f"{one['p_holm']:.4f}")
        assert verdict == (DIFFERS if one["differs"] else UNDECIDED)
        assert there(part.table.headerItem()).text(5) == f"α = {alpha:g}"


def test_another_alpha_is_that_of_the_intervals_too(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    part = count(window, page, qtbot, paths)
    usual = page.figures.model.rows[0].intervals["bytes_per_token"]
    part.alpha.setCurrentIndex(ALPHAS.index(0.001))
    wide = page.figures.model.rows[0].intervals["bytes_per_token"]
    assert there(wide.low) < there(usual.low) < there(usual.high) < there(wide.high)
    tip = str(page.figures.model.index(0, 1).data(3))
    assert "99.9% interval" in tip


def test_a_figure_without_a_difference_is_not_said_to_differ(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    part = count(window, page, qtbot, paths)
    choose(part, "unknown")  # neither has unknown tokens
    assert cells(part)[0][2:] == ["0.000 [0.000, 0.000]", "1.0000", "1.0000", UNDECIDED]


def test_lost_text_marks_a_difference(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, tmp_path: Path
) -> None:
    window.session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 3)
    paths = [
        write_file(tmp_path / f"{n}.txt", "日本語の文章 and words\n" * (n + 1)) for n in range(4)
    ]
    part = count(window, page, qtbot, paths)
    marked = [row[2].startswith(f"{SIGN} ") for row in cells(part)]
    assert len(marked) == 3
    assert sum(marked) == 2  # both pairs with the one that loses text
    assert "too narrow" in part.note.text()


def test_of_very_many_tokenizers_the_shown_figure_is_written(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    part = count(window, page, qtbot, paths)
    choose(part, "fertility")
    monkeypatch.setattr(compare_paired, "MOST_WRITTEN", len(MEASURED) - 1)
    assert [row["measure"] for row in csv.DictReader(io.StringIO(part.as_csv()))] == ["fertility"]
    monkeypatch.setattr(compare_paired, "MOST_WRITTEN", len(MEASURED))
    assert len(list(csv.DictReader(io.StringIO(part.as_csv())))) == len(MEASURED)


def test_the_program_finds_the_same(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    part = count(window, page, qtbot, paths)
    choose(part, "fertility")
    (mine,) = [
        row for row in csv.DictReader(io.StringIO(part.as_csv())) if row["measure"] == "fertility"
    ]
    written = subprocess.run(
        [sys.executable, "-c", part.python()], capture_output=True, text=True, check=True
    ).stdout
    (row,) = csv.DictReader(io.StringIO(written))
    assert row["measure"] == "fertility"
    for name in ("difference", "low", "high", "p", "p_holm"):
        assert float(row[name]) == pytest.approx(float(mine[name]))


def test_figures_without_intervals_say_why(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    count(window, page, qtbot, paths)
    model = page.figures.model
    for column, metric in enumerate(METRICS):
        tip = str(model.index(0, column).data(3))
        expected = metric.id in MEASURED
        assert ("95% interval" in tip) == expected, metric.id
        reason = no_interval(metric)
        assert not (reason and expected), metric.id
        assert reason in tip
    of = {metric.id: no_interval(metric) for metric in METRICS}
    assert "a whole number" in of["alone_median"]
    assert "fewer different ids" in of["shannon"]
    assert "fewer different ids" in of["used"]


def test_the_figure_and_alpha_are_kept(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    part = count(window, page, qtbot, paths)
    choose(part, "whole_words")
    part.alpha.setCurrentIndex(ALPHAS.index(0.01))
    kept = {one.name: one for one in page.keeps()}
    values = {name: kept[name].read() for name in ("paired", "alpha")}
    choose(part, "fertility")
    part.alpha.setCurrentIndex(ALPHAS.index(0.1))
    for name, value in values.items():
        kept[name].show(value)
    assert part.measure.currentData() == "whole_words"
    assert page.figures.alpha == 0.01


def test_the_differences_are_a_step_of_the_presentation(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    window.session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 3)
    title = f"{TITLE}: {METRICS[1].title}"
    theme = page.appearance.theme
    without = off_screen(qtbot, of_kind(page.deck(theme), BarsDeck))
    assert title not in [board.title for board in without._boards]
    part = count(window, page, qtbot, paths)
    page.area.verticalScrollBar().setValue(0)
    deck = off_screen(qtbot, of_kind(page.deck(theme), BarsDeck))
    assert deck.heading.text() == METRICS[0].title  # the figures come first
    page.show_paired()
    deck = off_screen(qtbot, of_kind(page.deck(theme), BarsDeck))
    assert deck.heading.text() == title
    largest = max((row for row in part.pairs if not row.doubtful), key=lambda row: abs(row.pair.value))  # fmt: skip
    names = [row.name for row in page.figures.rows]
    assert deck.answer == f"{names[largest.pair.first]} − {names[largest.pair.second]}"
    assert deck.bars.hidden
    hidden = [bar.name for bar in deck.bars.bars]
    assert hidden == sorted(hidden)  # the order of the rows does not say the answer
    assert "0." not in deck.bars.accessibleDescription()
    deck.ask_questions(False)
    assert deck.bars.bars[0].name == deck.bars.accessibleDescription().partition(":")[0]
    shares = [bar.share for bar in deck.bars.bars if not bar.said.startswith(SIGN)]
    assert shares == sorted(shares, reverse=True)
    differing = [bar for bar in deck.bars.bars if bar.said.endswith(f" {DIFFERS}")]
    assert len(differing) == sum(bool(row.pair.differs) for row in part.pairs)
    assert f"Of 3 pairs of tokenizers, {len(differing)} differ" in deck.sentence


def test_the_pairs_of_six_tokenizers_do_not_scroll(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path]
) -> None:
    for name in ("wordpiece", "bpe-gpt2", "bpe-cl100k", "superbpe"):
        window.session.edits.turn_on(f"shipped:{name}-8k", True)
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 6 and not window.session.opening)
    part = count(window, page, qtbot, paths)
    qtbot.waitUntil(lambda: len(part.pairs) == 15)
    assert part.table.verticalScrollBar().maximum() == 0


def test_each_part_is_saved_as_latex_and_markdown(
    window: MainWindow, page: OverviewPage, qtbot: QtBot, paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    part = count(window, page, qtbot, paths)
    names = [row.name for row in page.figures.rows]
    out = tmp_path / "table.tex"

    def saved(save: Callable[[], object]) -> list[str]:
        patch_all(monkeypatch, QFileDialog, getSaveFileName=lambda *_: (str(out), ""))
        save()
        return out.read_text("utf-8").splitlines()

    def save() -> None:
        trigger(window, "save_comparison")

    page.figures.focus_first()
    figures = saved(save)
    shown = [metric for metric in METRICS if metric.id in page.figures.shown_columns]
    assert figures[0] == f"\\begin{{tabular}}{{l{'r' * len(shown)}}}"
    assert [line.partition(" & ")[0] for line in figures[4:-2]] == names
    assert f" & {page.figures.rows[0].tally.tokens:,} & " in figures[4]
    assert page.as_markdown().startswith("| Tokenizer |")
    part.focus_first()
    pairs = saved(save)
    assert any("bytes\\_per\\_token" in line for line in pairs)
    chart = page.languages.premiums
    (latex,) = [one for one in chart.menu.actions() if one.text() == "Save as LaTeX …"]
    qtbot.waitUntil(lambda: not page.languages.busy)
    lines = saved(latex.trigger)
    page.languages.focus_first()
    assert saved(save) == lines
    assert page.as_markdown().startswith("| Language |")
    plot = page.languages.premiums.drawing.plot
    heads = " & ".join(["Language", *(series.title for series in plot.series)])
    assert lines[2] == f"{heads} \\\\"
    assert len(lines) == len(plot.rows) + 6
    first = there(plot.rows[-1].values[0])
    assert f"{first.value:.2f} [{there(first.low):.2f}, {there(first.high):.2f}]" in lines[-3]
