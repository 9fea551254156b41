"""A text at every size of a vocabulary, and the chart of it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nested_columns import ids_at, nested
from played_models import bpe
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from small_vocabularies import LOWER
from windows import emitted, off_screen, on_screen

import tokenarium_core as tc
from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.models.merges.size_scale import SizeCurve, SizeScale, round_step
from tokenarium.style.theme import LIGHT
from tokenarium.widgets.charts.size_chart import (
    SIZE_TITLE,
    ReferenceLine,
    SizeChart,
    spread,
    values_at,
)

TEXTS = [
    "lower slow lowlow", "x", "Être ou ne pas être: ½ des ﬁn", "<mask> नमस्ते これは", "  a  b ",
    "䷀ ☃",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("tokenizer", [LOWER, bpe(True), bpe(False)], ids=["bytes", "sp", "unk"])
def test_the_whole_vocabulary_is_the_encoding(tokenizer: tc.Tokenizer, text: str) -> None:
    cuts = SizeCuts(nested(tokenizer, text))
    encoding = tokenizer.encode(text)
    parts = cuts.parts(cuts.merges, 0, len(text.encode()))
    assert parts.ids is not None
    assert parts.ids.tolist() == list(encoding.ids)
    spans = np.asarray(memoryview(encoding.spans)).reshape(-1, 2)
    assert [parts.span(k) for k in range(len(parts))] == [tuple(span) for span in spans.tolist()]
    assert cuts.count(cuts.merges) == len(encoding.ids)


@pytest.mark.parametrize("text", TEXTS)
def test_every_number_of_merges(text: str) -> None:
    columns = nested(bpe(), text)
    cuts = SizeCuts(columns)
    for number in range(0, cuts.merges + 1, 3):
        parts = cuts.parts(number, 0, len(text.encode()))
        assert parts.ids is not None
        assert parts.ids.tolist() == ids_at(columns, number)
        assert cuts.count(number) == len(parts)
    assert cuts.counts(range(cuts.merges + 1)).tolist() == [
        cuts.count(number) for number in range(cuts.merges + 1)
    ]


@given(st.integers(0, 90), st.integers(1, 40), st.integers(0, 7))
def test_a_window_has_the_tokens_of_all(start: int, width: int, number: int) -> None:
    text = "lower low ower é low slower wol lowlower " * 3
    cuts = SizeCuts(nested(LOWER, text))
    whole = cuts.parts(number, 0, len(text.encode()))
    parts = cuts.parts(number, start, start + width)
    touched = whole.between(start, start + width)
    expected = [whole.span(k) for k in touched]
    found = [parts.span(k) for k in parts.between(start, start + width)]
    assert found == expected


def test_changes_lead_through_the_text() -> None:
    cuts = SizeCuts(nested(LOWER, "lower low"))
    # lo 1, ow 2 (never), low 3, er 4, lower 5, " l" 6 and " low" 7 (its l was merged before)
    assert cuts.changes.tolist() == [1, 3, 4, 5]
    assert [cuts.change_after(number) for number in (0, 1, 2, 5)] == [1, 3, 3, None]
    assert [cuts.change_before(number) for number in (7, 5, 4, 1, 0)] == [5, 4, 3, 0, None]
    assert [cuts.joined(number) for number in (1, 2, 3, 4)] == [2, 0, 2, 1]
    assert cuts.place(5) == (0, 5)
    assert cuts.place(2) is None


@pytest.mark.parametrize("log", [True, False])
def test_scales(log: bool) -> None:
    scale = SizeScale(277, 100_277, log)
    assert [scale.size(share) for share in (-1.0, 0.0, 1.0, 2.0)] == [277, 277, 100_277, 100_277]
    for size in (277, 278, 5000, 100_276):
        assert abs(scale.size(scale.share(size)) - size) <= 1
    sizes = scale.sizes(400)
    assert (sizes[0], sizes[-1]) == (277, 100_277)
    assert (np.diff(sizes) > 0).all()
    marks = scale.marks()
    assert 3 <= len(marks) <= 9
    assert all(277 <= mark <= 100_277 for mark in marks)
    assert SizeScale(5, 5, log).share(5) == 0.0
    assert SizeScale(5, 5, log).size(0.7) == 5


@pytest.mark.parametrize(("width", "step"), [(1.0, 0.2), (4.4, 1.0), (1300, 500), (9, 2), (5, 1)])
def test_round_steps(width: float, step: float) -> None:
    assert round_step(width, 5) == pytest.approx(step)


ENDS = (8_000, 50_000, 100_000, 200_000)


@pytest.mark.parametrize(("height", "in_chart"), [(400, True), (200, True), (130, False)])
def test_names_are_in_the_chart_or_under_it(
    height: int, in_chart: bool, qtbot: QtBot, qapp: QApplication
) -> None:
    chart = off_screen(qtbot, SizeChart())
    curves = [
        SizeCurve(
            f"curve {end:,}",
            LIGHT.identity(place),
            np.array([256, end], np.int64),
            np.array([1_300.0, 320.0 + place]),
        )
        for place, end in enumerate(ENDS)
    ]
    chart.resize(560, height)
    chart.show()
    chart.show_curves(curves, SizeScale(256, 200_000), "Tokens")
    qapp.processEvents()
    drawing = chart.drawing
    assert drawing.named is in_chart
    assert chart.legend.isVisible() is not in_chart
    legend = [label.text() for label in chart.legend.findChildren(QLabel)]
    assert sorted(legend) == sorted([*(curve.name for curve in curves), SIZE_TITLE])
    bottom = chart.legend.mapTo(chart, chart.legend.rect().bottomLeft()).y()
    assert in_chart or (drawing.height() > height // 2 and bottom < height)
    names = drawing.placed_names()
    assert len(names) == len(ENDS)
    if in_chart:
        area = drawing.plot_area()
        for place, name in enumerate(names):
            assert name.rect.left() > area.right()  # no curve is covered, wherever it bends
            assert name.rect.right() <= drawing.width()
            assert 0 <= name.rect.top() <= name.rect.bottom() <= drawing.height()
            assert not any(name.rect.intersects(other.rect) for other in names[:place])


@given(
    st.lists(st.floats(0, 300), max_size=12).map(sorted),
    st.floats(1, 20),
)
def test_names_are_spread_without_overlaps(places: list[float], distance: float) -> None:
    moved = spread(places, distance, 0, 300)
    assert len(moved) == len(places)
    assert all(b - a >= distance - 1e-6 for a, b in itertools.pairwise(moved))
    assert all(0 <= place <= 300 + 1e-6 for place in moved)
    if all(b - a >= distance for a, b in itertools.pairwise(places)):
        assert moved == pytest.approx(places)


def test_an_axis_begins_where_the_values_do(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, SizeChart(from_zero=False), 600, 400)
    curve = SizeCurve(
        "one", LIGHT.identity(0), np.array([400, 8000], np.int64), np.array([1.9, 4.3])
    )
    chart.show_curves([curve], SizeScale(400, 8000), "", [ReferenceLine("known", 4.4)])
    ticks = [text for _, text in chart.drawing.ticks()]
    assert ticks == ["2", "2.5", "3", "3.5", "4", "4.5"]
    assert values_at(curve, 8000) == 4.3
    assert values_at(curve, 399) is None


@pytest.mark.parametrize("width", [300, 420, 600, 1200])
@pytest.mark.parametrize("starts", [(2000, 2100, 2300), (500, 3000, 7900), (401, 4000)])
def test_the_names_of_marks_keep_apart(qtbot: QtBot, starts: tuple[int, ...], width: int) -> None:
    chart = on_screen(qtbot, SizeChart(), width, 300)
    sizes = np.array([400, 8000], np.int64)
    curves = [
        SizeCurve("one", LIGHT.identity(0), sizes, np.array([900, 400]), mark=(start, "begins"))
        for start in starts
    ]
    chart.show_curves(curves, SizeScale(400, 8000), "Tokens")
    area = chart.drawing.plot_area()
    placed = chart.drawing.placed_marks(area)
    assert placed
    for place, (_, box) in enumerate(placed):
        assert area.left() <= box.left()
        assert box.right() <= area.right()
        assert not any(box.intersects(other) for _, other in placed[:place])


def test_the_line_is_dragged_and_moved_by_keys(qtbot: QtBot) -> None:
    chart = on_screen(qtbot, SizeChart(), 600, 400)
    curve = SizeCurve("one", LIGHT.identity(0), np.array([400, 8000], np.int64), np.array([9, 4]))
    chart.show_curves([curve], SizeScale(400, 8000), "Tokens")
    moved: list[int] = emitted(chart.moved)
    chart.moved.connect(lambda size: chart.show_size(size, [1.0]))
    area = chart.drawing.plot_area()
    for x, size in ((area.left() - 40, 400), (area.center().x(), 1789), (area.right() + 9, 8000)):
        qtbot.mouseClick(
            chart.drawing, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(area.top() + 9))
        )
        assert moved[-1] == pytest.approx(size, rel=0.01)
    qtbot.keyClick(chart.drawing, Qt.Key.Key_Left)
    assert 7000 < moved[-1] < 8000
    qtbot.keyClick(chart.drawing, Qt.Key.Key_Home)
    qtbot.keyClick(chart.drawing, Qt.Key.Key_Left)
    assert moved[-2:] == [400, 400]
    assert "At 400 entries, tokens: one 1" in chart.accessibleDescription()


def test_large_counts_are_written_out(qtbot: QtBot) -> None:
    chart = off_screen(qtbot, SizeChart())
    sizes, counts = np.array([256, 300], np.int64), np.array([2e6, 1.0])
    chart.show_curves(
        [SizeCurve("long", LIGHT.identity(0), sizes, counts)], SizeScale(256, 300), ""
    )
    assert "1,000,000" in [text for _, text in chart.drawing.ticks()]


def test_the_second_stage_is_marked_on_its_curve(qtbot: QtBot, qapp: QApplication) -> None:
    chart = on_screen(qtbot, SizeChart(), 560, 400)
    plain = SizeCurve(
        "one", LIGHT.identity(0), np.array([256, 2000], np.int64), np.array([1300.0, 320.0])
    )
    pictures = []
    for mark in ((0, ""), (1000, "second stage"), (3000, "beyond the curve")):
        chart.show_curves([replace(plain, mark=mark)], SizeScale(256, 2000), "Tokens")
        qapp.processEvents()
        pictures.append(chart.drawing.grab().toImage())
    assert pictures[0] != pictures[1]
    assert pictures[0] == pictures[2]
    chart.show_size(500, [900.0])
    assert chart.accessibleDescription()


@pytest.mark.parametrize("width", [420, 600, 1200])
@pytest.mark.parametrize(
    "values",
    [(4.4, 4.4), (4.3, 4.5), (1.9, 4.3), (4.5, 4.3), (4.38, 4.6), (4.9, 2.0)],
    ids=lambda values: f"{values[0]} to {values[1]}",
)
def test_the_names_of_references_meet_no_curve(
    qtbot: QtBot, values: tuple[float, float], width: int
) -> None:
    chart = off_screen(qtbot, SizeChart(from_zero=False), width, 400)
    sizes = np.array([400, 2000, 8000], np.int64)
    curves = [
        SizeCurve("one", LIGHT.identity(0), sizes, np.array([values[0], sum(values) / 2, values[1]])),
        SizeCurve("two", LIGHT.identity(1), sizes, np.array([1.5, 3.0, 4.35])),
    ]  # fmt: skip
    references = [ReferenceLine("GPT-4, 100,277: 4.40", 4.4), ReferenceLine("Known: 4.39", 4.39)]
    chart.show_curves(curves, SizeScale(400, 8000), "", references)
    drawing = chart.drawing
    area = drawing.plot_area()
    placed = drawing.placed_references(area)
    assert [name for name, _ in placed] == [reference.name for reference in references]
    assert not placed[0][1].intersects(placed[1][1])
    for _, box in placed:
        assert area.left() <= box.left()
        assert box.right() <= area.right()
        for curve in curves[1:] if values == (4.4, 4.4) else curves:
            ends = [
                drawing._point(*one, area) for one in zip(curve.sizes, curve.values, strict=True)
            ]
            xs = np.linspace(area.left(), area.right(), 500)
            ys = np.interp(xs, [end.x() for end in ends], [end.y() for end in ends])
            assert not any(
                box.contains(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)
            )
