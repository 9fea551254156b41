"""The languages of the page Overview of Compare: its premiums and Ginis against the formulas, and folders."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from narrowed import there
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from small_files import new_folder, saved, write_file
from windows import Host, on_screen, shown_in, trigger

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.models.charts.chart import Axis
from tokenarium.models.compare.comparing import LanguageCounts, ParallelCounts
from tokenarium.models.compare.dot_plot import DotPlot, DotRow, DotSeries, ticks
from tokenarium.models.compare.language_premiums import (
    MEASURES,
    PremiumEstimate,
    by_mean_premium,
    language_gini,
    language_premiums,
    lost_languages,
    widest_gap,
)
from tokenarium.models.compare.metric import Metric
from tokenarium.models.compare.parallel_texts import shipped
from tokenarium.models.compare.tally import line_tally, measured
from tokenarium.session import kept_session
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.views.compare_languages import TOO_FEW, LanguagesPart
from tokenarium.views.compare_overview import OverviewPage
from tokenarium.widgets.charts.dot_chart import DotChart
from tokenarium.widgets.keyboard import has_focus
from tokenarium_core.errors import TokenariumError


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> LanguagesPart:
    """The page with two tokenizers, on the sentences of the program."""
    path = saved(
        tc.train("bpe", [sample_text("prose-de")], vocab_size=400), tmp_path / "small.json"
    )
    window.take_files([path])
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 2)
    window.actions_by_id["compare_languages"].trigger()
    page = shown_in(window, OverviewPage).languages
    page.focus_first()
    wait(qtbot, page)
    return page


def wait(qtbot: QtBot, page: LanguagesPart) -> None:
    qtbot.waitUntil(lambda: not page.busy and not page.premiums.drawing.plot.empty)


def premiums(page: LanguagesPart) -> dict[tuple[str, str], float]:
    plot = page.premiums.drawing.plot
    return {
        (row.title, series.title): value.value
        for row in plot.rows
        for series, value in zip(plot.series, row.values, strict=True)
        if value is not None
    }


def counted(host: Host, texts: dict[str, str]) -> dict[str, dict[str, int]]:
    return {
        item.name: {title: len(item.tokenizer.encode_ids(text)) for title, text in texts.items()}
        for item in host.session.chosen()
        if item.tokenizer is not None
    }


def line_sums(host: Host) -> dict[str, dict[str, int]]:
    return {
        item.name: {
            text.title: sum(len(item.tokenizer.encode_ids(line)) for line in text.lines)
            for text in shipped()
        }
        for item in host.session.chosen()
        if item.tokenizer is not None
    }


@pytest.mark.parametrize("against", ["English", "Japanese"])
def test_premiums_are_quotients_of_tokens(host: Host, page: LanguagesPart, against: str) -> None:
    page.choice.reference.setCurrentText(against)
    found = premiums(page)
    assert len(found) == 2 * len(shipped())
    for name, tokens in line_sums(host).items():
        for title, count in tokens.items():
            assert found[title, name] == pytest.approx(count / tokens[against])
    assert page.premiums.drawing.plot.axis.label.endswith(f"({against} = 1)")


def test_languages_are_ordered_by_their_premium(host: Host, page: LanguagesPart) -> None:
    sums = line_sums(host)
    products = {
        text.title: np.prod([float(tokens[text.title]) for tokens in sums.values()])
        for text in shipped()
    }
    titles = [row.title for row in page.premiums.drawing.plot.rows]
    assert [products[title] for title in titles] == sorted(products.values())


def test_gini_is_that_of_the_pairs(host: Host, page: LanguagesPart) -> None:
    plot = page.ginis.drawing.plot
    for place, row in enumerate(plot.rows):
        values = np.array(list(line_sums(host)[row.title].values()), float)
        pairs = np.abs(values[:, None] - values[None, :]).sum()
        one = there(row.values[place])
        assert one.value == pytest.approx(pairs / (2 * len(values) ** 2 * values.mean()))
        assert one.low is not None
        assert one.high is not None
        assert one.low <= one.value <= one.high


def test_intervals_need_lines() -> None:
    counts = np.array([[10, 20], [10, 40], [10, 30]])
    names = ["A", "B"]
    known = np.zeros(2)
    (one, other) = language_premiums(LanguageCounts(counts, known), 0, names)
    assert (one.value, one.low, one.high) == (1, 1, 1)
    assert other.value == 3
    assert other.low is not None
    assert 2 <= other.low < 3 < there(other.high) <= 4
    whole = LanguageCounts(counts.sum(axis=0, keepdims=True), known)
    assert [value.low for value in language_premiums(whole, 0, names)] == [None, None]
    found = there(language_gini(whole))
    assert (found.value, found.low) == (pytest.approx(0.25), None)


NAMES = ["English", "Thai", "Greek"]
LOST = LanguageCounts(np.array([[20, 2, 30], [20, 2, 50]]), np.array([0.0, 0.97, 0.004]))
KEPT = LanguageCounts(np.array([[10, 40, 15], [10, 60, 15]]), np.zeros(3))


def test_a_language_of_unknown_tokens_is_doubtful() -> None:
    english, thai, greek = language_premiums(LOST, 0, NAMES)
    assert (english.doubt, greek.doubt) == ("", "")
    assert thai.doubt == "97.0% of it is lost, so it looks cheap"
    assert str(thai).startswith("? 0.10 (95%: ")
    assert not any(one.doubt for one in language_premiums(KEPT, 0, NAMES))


def test_all_premiums_are_doubtful_where_the_reference_is() -> None:
    english, thai, greek = language_premiums(LOST, 1, NAMES)
    assert "97.0% of Thai is lost" in english.doubt
    assert "97.0% of Thai is lost" in greek.doubt
    assert thai.doubt == ""
    sentence = lost_languages(LOST, NAMES, 1)
    assert sentence == "Thai itself 97.0%, so none can be compared"


def test_inequality_is_doubtful_with_lost_languages() -> None:
    lost, kept = there(language_gini(LOST)), there(language_gini(KEPT))
    assert lost.doubt == "1 of 3 languages lose a part of their text"
    assert kept.doubt == ""


def test_unknown_languages_do_not_rank_as_cheap() -> None:
    both = ParallelCounts(tuple(NAMES), {"lost": LOST, "kept": KEPT})
    assert by_mean_premium(both, 0) == [0, 2, 1]
    alone = ParallelCounts(tuple(NAMES), {"lost": LOST})
    assert by_mean_premium(alone, 0) == [0, 2, 1]  # Thai is the last though it has the least tokens
    assert lost_languages(LOST, NAMES, 0) == "Thai 97.0%"
    assert lost_languages(KEPT, NAMES, 0) == ""


def test_the_page_says_what_became_unknown(
    window: MainWindow, page: LanguagesPart, qtbot: QtBot, tmp_path: Path
) -> None:
    assert page.doubts.isHidden()
    file = write_file(
        tmp_path / "vocab.txt",
        "\n".join(["[PAD]", "[UNK]", *"abcdefghijklmnopqrstuvwxyz", *SUFFIXES]),
    )
    window.take_files([file])
    qtbot.waitUntil(lambda: len(page.premiums.drawing.plot.series) == 3)
    wait(qtbot, page)
    plot = page.premiums.drawing.plot
    place = len(plot.series) - 1
    name = plot.series[place].title
    by_title = {row.title: row.values[place] for row in plot.rows}
    japanese = there(by_title["Japanese"])
    assert "is lost" in japanese.doubt
    assert not page.doubts.isHidden()
    assert f"{name}: " in page.doubts.text()
    lines = list(csv.DictReader(io.StringIO(page.as_csv())))
    doubts = {(one["language"], one["tokenizer"]): one["doubt"] for one in lines}
    assert doubts["Japanese", name] == japanese.doubt
    assert doubts["Japanese", plot.series[0].title] == ""


SUFFIXES = [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def test_a_folder_is_counted_in_a_process_of_its_own(
    window: MainWindow, page: LanguagesPart, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = new_folder(tmp_path / "texts")
    texts = {"fra": "Bonjour.\nÀ demain.\nMerci.", "ukr": "Добрий день.\nДо завтра."}
    for title, text in texts.items():
        (folder / f"{title}.txt").write_bytes(text.encode())
    page.compare_folder(folder)
    assert page.busy
    wait(qtbot, page)
    page.same.setChecked(True)  # only the user knows that these say the same
    found = premiums(page)
    for name, tokens in counted(window, texts).items():
        assert found["Ukrainian", name] == pytest.approx(tokens["ukr"] / tokens["fra"])
    assert "no intervals" in page.told.text()
    window.actions_by_id["parallel_shipped"].trigger()
    wait(qtbot, page)
    assert len(premiums(page)) == 2 * len(shipped())


@pytest.mark.parametrize("lines", [(3, 2), (2, 2)])
def test_texts_that_may_not_say_the_same_have_no_premiums(
    host: Host, page: LanguagesPart, qtbot: QtBot, tmp_path: Path, lines: tuple[int, int]
) -> None:
    folder = new_folder(tmp_path / "texts")
    texts = {"novel": "It was a dark night.\n" * lines[0], "sums": "1 + 2 = 3\n" * lines[1]}
    for title, text in texts.items():
        (folder / f"{title}.txt").write_text(text, "utf-8")
    page.compare_folder(folder)
    wait(qtbot, page)
    assert page.same.isChecked() == (lines[0] == lines[1])
    if page.same.isChecked():
        assert "taken as the same content" in page.told.text()
        page.same.setChecked(False)
    assert page.measure.findText("Premium") < 0
    assert page.unequal.isHidden()
    assert page.choice.reference.isHidden()
    assert "the contents may differ" in page.told.text()
    shown = " ".join([page.told.text(), page.premiums.title, page.premiums.drawing.plot.axis.label])
    assert "same content" not in shown
    assert "premium" not in page.as_csv().splitlines()[0]
    for one in csv.DictReader(io.StringIO(page.as_csv())):
        assert float(one["Bytes per token (bytes)"]) > 0
    page.same.setChecked(True)
    assert not page.unequal.isHidden()
    assert "premium" in page.as_csv().splitlines()[0]


@pytest.mark.parametrize("metric", MEASURES, ids=lambda metric: str(metric.id))
def test_each_figure_of_a_language_can_be_shown(
    host: Host, page: LanguagesPart, metric: Metric
) -> None:
    page.measure.setCurrentText(metric.title)
    found = premiums(page)
    item = host.session.chosen()[0]
    assert item.tokenizer is not None
    for text in shipped():
        counts, _ = line_tally(item.tokenizer, measured(*text.lines))
        assert found[text.title, item.name] == metric.value(counts)
    rows = page.premiums.drawing.plot.rows
    means = [
        np.mean(sure)
        for row in rows
        if (sure := [one.value for one in row.values if one is not None and not one.doubt])
    ]
    assert means == sorted(means, reverse=metric.better == "high")
    assert metric.formula in page.premiums.toolTip()
    lines = list(csv.DictReader(io.StringIO(page.as_csv())))
    assert len(lines) == len(found)  # whatever is shown, all figures are in the table
    assert lines[0]["language"] == rows[0].title
    for one in lines:
        value = found[one["language"], one["tokenizer"]]
        assert float(one[f"{metric.title} ({metric.unit})"]) == pytest.approx(value, rel=1e-5)


def test_a_folder_without_texts_changes_nothing(
    window: MainWindow, page: LanguagesPart, tmp_path: Path
) -> None:
    before = premiums(page)
    (tmp_path / "none").mkdir()
    page.compare_folder(tmp_path / "none")
    assert "are needed" in window.messages.label.text()
    assert premiums(page) == before


def test_a_tokenizer_that_is_turned_off_goes(host: Host, page: LanguagesPart, qtbot: QtBot) -> None:
    for left in (1, 0):
        host.session.edits.turn_on(host.session.chosen()[0].key, False)
        assert len(page.ginis.drawing.plot.rows) == left
    assert page.isHidden()
    figures = shown_in(host, OverviewPage).figures
    qtbot.waitUntil(lambda: "No tokenizer" in figures.empty.title.text())


def test_keys_and_pointer_reach_the_rows(host: Host, page: LanguagesPart) -> None:
    bar = shown_in(host, OverviewPage).area.verticalScrollBar()
    bar.setValue(0)
    drawing = page.premiums.drawing
    drawing.setFocus()
    for _ in range(3):
        QTest.keyClick(drawing, Qt.Key.Key_Down)
    assert drawing.row == 2
    QTest.keyClick(drawing, Qt.Key.Key_Up)
    assert drawing.row == 1
    for _ in range(40):
        QTest.keyClick(drawing, Qt.Key.Key_Down)
    assert drawing.row == len(shipped()) - 1
    assert bar.value() > 0
    QTest.mouseMove(drawing, QPoint(50, drawing.height() - 20))
    reading = drawing.plot.reading(0)
    assert reading.startswith("English")
    assert "1.00" in reading


def test_a_chart_stays_where_it_is_when_tab_leaves_it(
    page: LanguagesPart, window: MainWindow
) -> None:
    window.resize(800, 600)
    chart = page.premiums
    chart.drawing.setFocus()
    QTest.keyClick(chart.drawing, Qt.Key.Key_Down)
    bar = shown_in(window, OverviewPage).area.verticalScrollBar()
    before = bar.value()
    QTest.keyClick(chart.drawing, Qt.Key.Key_Tab)
    assert not chart.drawing.hasFocus()
    assert window.focusWidget() is not None
    assert bar.value() <= before  # not to the middle of the chart


def test_export(page: LanguagesPart, window: MainWindow, tmp_path: Path) -> None:
    for suffix in ("png", "svg", "csv"):
        page.premiums.save(tmp_path / f"chart.{suffix}")
        assert (tmp_path / f"chart.{suffix}").stat().st_size > 500
    rows = list(csv.DictReader(io.StringIO((tmp_path / "chart.csv").read_text("utf-8"))))
    found = premiums(page)
    assert len(rows) == len(found)
    value = page.premiums.drawing.plot.axis.label
    for row in rows:
        assert float(row[value]) == pytest.approx(
            found[row["language"], row["tokenizer"]], rel=1e-5
        )
        assert float(row["low (95%)"]) <= float(row[value]) * (1 + 1e-5)
    with pytest.raises(TokenariumError):
        page.premiums.save(tmp_path / "none" / "chart.csv")
    trigger(window, "copy_comparison")
    assert QGuiApplication.clipboard().text().count("\n") == len(found) + 1


@pytest.mark.parametrize(
    ("low", "high", "logarithmic", "expected"),
    [
        (0.9, 8, True, [1, 1.5, 2, 3, 4, 6, 8]),
        (0, 0.34, False, [0, 0.1, 0.2, 0.3]),
        (0, 10, False, [0, 2, 4, 6, 8, 10]),
    ],
)
def test_ticks(low: float, high: float, logarithmic: bool, expected: list[float]) -> None:
    assert ticks(low, high, logarithmic) == pytest.approx(expected)


def test_an_empty_chart_says_why(qtbot: QtBot) -> None:
    chart = on_screen(qtbot, DotChart("Premium"), 400, 300)
    chart.show_plot(DotPlot(Axis("Gini")))
    blank = chart.drawing.grab().toImage()
    chart.show_plot(DotPlot(Axis("Gini")), "Counting …")
    assert chart.drawing.grab().toImage() != blank
    assert not chart.more.isEnabled()


def test_doubtful_values_take_no_room_from_the_others() -> None:
    sure, doubtful = PremiumEstimate(2.0, 1.5, 2.5), PremiumEstimate(0.1, 0.05, 0.2, "unknown")
    series = (DotSeries("a", 0), DotSeries("b", 1))
    both = DotPlot(Axis("Premium", "", True), series, [DotRow("Thai", (sure, doubtful))], at=1.0)
    assert both.bounds() == (1.0, 2.5)
    assert replace(both, rows=[DotRow("Thai", (None, doubtful))]).bounds() == (0.05, 1.0)


def estimates(*values: float) -> list[PremiumEstimate]:
    return [PremiumEstimate(value) for value in values]


def test_one_sentence_says_what_is_seen() -> None:
    names = ["English", "Thai", "Greek"]
    found = [estimates(1, 7.4, 6.0), estimates(1, 1.5, 1.1)]
    assert widest_gap(names, ["GPT-2", "GPT-4o"], found, 0) == (
        "6.0× → 1.1×",
        "The same content in Greek costs GPT-2 6.0 times its English; for GPT-4o it is 1.1.",
    )
    doubtful = [found[0], [*estimates(1, 1.5), PremiumEstimate(1.1, doubt="unknown")]]
    assert widest_gap(names, ["GPT-2", "GPT-4o"], doubtful, 0)[0] == "7.4× → 1.5×"
    assert widest_gap(names, ["GPT-2"], found[:1], 0) == (
        "7.4×",
        "The same content in Thai costs GPT-2 7.4 times its English, the most of all languages.",
    )
    assert widest_gap(names, [], [], 0) == ("", "")
    assert widest_gap(["English"], ["GPT-2"], [estimates(1)], 0) == ("", "")


def test_the_sentence_is_that_of_the_chart(page: LanguagesPart) -> None:
    assert not page.gap.isHidden()
    plot = page.premiums.drawing.plot
    factors = {
        row.title: max(values) / min(values)
        for row in plot.rows
        if (values := [one.value for one in row.values if one is not None])
    }
    widest = max(factors, key=factors.__getitem__)
    assert f"The same content in {widest} costs " in page.gap.sentence.text()
    page.measure.setCurrentIndex(1)
    assert page.gap.isHidden()


def tick(page: LanguagesPart, *titles: str) -> None:
    """Opens the list, takes all ticks, and ticks these by their names."""
    page.choice.open()
    popup = page.choice.popup
    QTest.mouseClick(popup.none, Qt.MouseButton.LeftButton)
    for title in titles:
        popup.search.clear()
        QTest.keyClicks(popup.search, title)
        QTest.keyClick(popup.search, Qt.Key.Key_Return)
    QTest.keyClick(popup.search, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_only_chosen_languages_are_compared(host: Host, page: LanguagesPart) -> None:
    assert page.choice.button.text() == f"All {len(shipped())} languages ▾"
    tick(page, "jap", "german", "en")
    assert page.choice.button.text() == f"3 of {len(shipped())} languages ▾"
    titles = {"English", "German", "Japanese"}
    assert {row.title for row in page.premiums.drawing.plot.rows} == titles
    sums = line_sums(host)
    found = premiums(page)
    for name, tokens in sums.items():
        assert found["German", name] == pytest.approx(tokens["German"] / tokens["English"])
    plot = page.ginis.drawing.plot
    for place, row in enumerate(plot.rows):
        values = np.array([sums[row.title][title] for title in titles], float)
        pairs = np.abs(values[:, None] - values[None, :]).sum()
        one = there(row.values[place])
        assert one.value == pytest.approx(pairs / (2 * len(values) ** 2 * values.mean()))
    lines = list(csv.DictReader(io.StringIO(page.as_csv())))
    assert {line["language"] for line in lines} == titles
    assert page.as_text().count("\n") == 1 + len(titles) * len(sums)


def test_nothing_to_copy_is_reported(window: MainWindow, qtbot: QtBot, page: LanguagesPart) -> None:
    tick(page)
    page.focus_first()  # the list may give it back later, and the table is that of the part with the focus
    qtbot.waitUntil(lambda: has_focus(page))
    QGuiApplication.clipboard().setText("before")
    for action in ("copy_comparison", "save_comparison"):
        window.actions_by_id[action].trigger()
        assert "no table to copy" in window.messages.label.text()
        window.messages.close_button.click()
    assert QGuiApplication.clipboard().text() == "before"


def test_the_reference_is_one_of_the_chosen(page: LanguagesPart) -> None:
    page.choice.reference.setCurrentText("Japanese")
    tick(page, "german", "japanese")
    box = page.choice.reference
    assert [box.itemText(place) for place in range(box.count())] == ["German", "Japanese"]
    assert page.premiums.drawing.plot.axis.label.endswith("(Japanese = 1)")
    tick(page, "german", "french")
    assert page.premiums.drawing.plot.axis.label.endswith("(German = 1)")
    tick(page, "english", "french", "japanese")  # what the user chose comes back
    assert page.premiums.drawing.plot.axis.label.endswith("(Japanese = 1)")


@pytest.mark.parametrize("titles", [(), ("greek",)])
def test_too_few_languages_compare_nothing(
    page: LanguagesPart, host: Host, titles: tuple[str, ...]
) -> None:
    tick(page, *titles)
    assert page.premiums.drawing.note == TOO_FEW[len(titles)]
    assert page.unequal.isHidden()
    assert page.as_csv() == page.as_text() == ""
    QTest.mouseClick(page.choice.button, Qt.MouseButton.LeftButton)
    popup = page.choice.popup
    assert popup.isVisible()
    QTest.mouseClick(popup.all, Qt.MouseButton.LeftButton)
    popup.close()
    assert not page.unequal.isHidden()
    assert len(page.premiums.drawing.plot.rows) == len(shipped())


def test_languages_are_chosen_with_keys_and_clicks(page: LanguagesPart, window: MainWindow) -> None:
    window.actions_by_id["choose_languages"].trigger()
    popup = page.choice.popup
    QTest.keyClicks(popup.search, "japan")
    QTest.keyClick(popup.search, Qt.Key.Key_Down)
    assert popup.list.hasFocus() or popup.focusWidget() is popup.list
    QTest.keyClick(popup.list, Qt.Key.Key_Space)
    assert window.session.figures.languages_out == {"ja"}
    assert popup.list.item(0).isHidden()
    popup.search.clear()
    box = popup.list.visualItemRect(popup.list.item(0))
    for x, out in ((100, {"ja", "en"}), (14, {"ja"}), (14, {"ja", "en"}), (100, {"ja"})):
        at = QPoint(box.left() + x, box.center().y())
        QTest.mouseClick(popup.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert window.session.figures.languages_out == out
    QTest.keyClicks(popup.search, "japan")
    QTest.mouseClick(popup.none, Qt.MouseButton.LeftButton)  # only what is listed
    QTest.mouseClick(popup.all, Qt.MouseButton.LeftButton)
    assert window.session.figures.languages_out == set()
    popup.close()


def test_the_choice_of_languages_is_kept(page: LanguagesPart, host: Host, store: Settings) -> None:
    tick(page, "english", "greek")
    kept_session.keep(host.session, store)
    session = Session()
    kept_session.restore(session, store)
    assert session.figures.languages_out == host.session.figures.languages_out
    assert len(session.figures.languages_out) == len(shipped()) - 2


def test_what_was_saved_is_reported(
    page: LanguagesPart, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = str(tmp_path / "languages")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (name, ""))
    bar = window.messages.label
    for suffix, save in (
        ("csv", window.actions_by_id["save_comparison"].trigger),
        ("svg", lambda: page.ginis.ask_and_save("svg")),
        ("png", window.actions_by_id["export_png"].trigger),
    ):
        bar.clear()
        save()
        assert bar.text() == f"Saved languages.{suffix} in {tmp_path}"
    bar.clear()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (name + "/none/a.csv", ""))
    page.ginis.ask_and_save("csv")
    assert "cannot be written" in window.messages.label.text()


def test_the_list_of_languages_opens_from_any_workspace(window: MainWindow, qtbot: QtBot) -> None:
    window.show_workspace("tokens")
    window.actions_by_id["choose_languages"].trigger()
    page = shown_in(window, OverviewPage).languages
    qtbot.waitUntil(page.choice.popup.isVisible)
    page.choice.popup.close()
    wait(qtbot, page)
