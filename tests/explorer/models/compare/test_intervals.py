"""Bootstrap intervals: against plain loops with the same draws, on texts whose truth is known, and Holm by hand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import tokenarium_core as tc
from tokenarium.models.compare import intervals as module
from tokenarium.models.compare import unit_rows
from tokenarium.models.compare.intervals import (
    MEASURED,
    holm,
    interval_notes,
    intervals_of,
    resampled_sums,
    two_sided,
)
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.compare.tally import measured, tally
from tokenarium.models.compare.unit_rows import COLUMNS, UnitRows, counts_row, tally_of_row
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

TEXTS = (
    "The quick brown fox.",
    "naïve café 東京",
    "Emoji: 👩🏽‍🚀!",
    "a\tb",
    "unbelievably long words",
    "12 34567 8901234567890 x**2 <= y",
)


def made_up(*tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Returns counts of units of 100 bytes, with the tokens that each tokenizer needs."""
    counts = np.zeros((len(tokens[0]), len(tokens), len(COLUMNS)), np.int64)
    counts[:, :, COLUMNS.index("byte_count")] = 100
    counts[:, :, COLUMNS.index("tokens")] = np.stack(tokens, axis=1)
    return counts


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.open(SHIPPED_TOKENIZERS[0].path)


def test_rows_add_up_to_the_figures_of_the_whole(tokenizer: tc.Tokenizer) -> None:
    tallies = [tally(tokenizer, measured(text)) for text in TEXTS]
    whole = tallies[0]
    for one in tallies[1:]:
        whole = whole + one
    summed = tally_of_row(np.sum([counts_row(one) for one in tallies], axis=0))
    for metric in METRICS:
        if metric.id in MEASURED:
            assert metric.value(summed) == metric.value(whole), metric.id
    assert summed.lost_share == whole.lost_share
    assert {metric.id for metric in METRICS} > set(MEASURED)


def test_sums_are_those_of_a_plain_loop_in_any_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.arange(21, dtype=np.int64).reshape(7, 3)
    random = np.random.default_rng(5)  # PCG64
    plain = [counts[random.integers(0, 7, 7)].sum(axis=0) for _ in range(50)]
    assert resampled_sums(counts, 50, 5).tolist() == [row.tolist() for row in plain]
    monkeypatch.setattr(module, "_AT_ONCE", 7 * 8)
    assert resampled_sums(counts, 50, 5).tolist() == [row.tolist() for row in plain]
    assert resampled_sums(counts, 50, 6).tolist() != [row.tolist() for row in plain]


def test_bounds_and_p_are_those_of_a_plain_loop() -> None:
    random = np.random.default_rng(0)
    one, other = random.integers(20, 40, 30), random.integers(22, 42, 30)
    (found,) = intervals_of(made_up(one, other), ["bytes_per_token"], 400, 3, 0.1)
    draws = np.random.default_rng(3)
    samples = []
    for _ in range(400):
        at = draws.integers(0, 30, 30)
        samples.append((3000 / one[at].sum(), 3000 / other[at].sum()))
    values = np.array(samples)
    assert found.intervals[0].value == 3000 / one.sum()
    assert (found.intervals[1].low, found.intervals[1].high) == pytest.approx(
        tuple(np.quantile(values[:, 1], [0.05, 0.95]))
    )
    apart = values[:, 0] - values[:, 1]
    (difference,) = found.differences
    assert (difference.low, difference.high) == pytest.approx(
        tuple(np.quantile(apart, [0.05, 0.95]))
    )
    assert difference.p == 2 * (min((apart <= 0).sum(), (apart >= 0).sum()) + 1) / 401


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(1)
    covered = 0
    for seed in range(300):
        (found,) = intervals_of(
            made_up(random.poisson(25, 60)), ["bytes_per_token"], 300, seed, 0.1
        )
        one = found.intervals[0]
        assert one.low is not None
        assert one.high is not None
        covered += one.low <= 4 <= one.high
    assert 255 <= covered <= 285  # 270 ± 3 standard deviations, which are 5.2


def test_a_small_difference_in_each_unit_is_found_where_single_intervals_overlap() -> None:
    tokens = np.random.default_rng(2).integers(10, 90, 40)
    (found,) = intervals_of(made_up(tokens, tokens + 1), ["bytes_per_token"], 2000)
    first, second = found.intervals
    assert first.low is not None
    assert second.high is not None
    assert first.low < second.high
    (difference,) = found.differences
    assert difference.p == 2 / 2001
    assert difference.differs is True


def test_equal_tokenizers_do_not_differ_and_all_pairs_are_corrected() -> None:
    tokens = np.random.default_rng(4).integers(20, 30, 40)
    (found,) = intervals_of(
        made_up(tokens, tokens, tokens + 3), ["bytes_per_token"], 1000, alpha=0.005
    )
    assert [(one.first, one.second) for one in found.differences] == [(0, 1), (0, 2), (1, 2)]
    assert [one.p for one in found.differences] == [1.0, 2 / 1001, 2 / 1001]
    assert [one.adjusted for one in found.differences] == [1.0, 6 / 1001, 6 / 1001]
    assert [one.differs for one in found.differences] == [False, False, False]  # 0.006 > 0.005


@pytest.mark.parametrize(
    ("chances", "adjusted"),
    [
        ([], []),
        ([0.04], [0.04]),
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
        ([0.9, 0.001, 0.5], [1.0, 0.003, 1.0]),
    ],
)
def test_holm(chances: list[float], adjusted: list[float]) -> None:
    assert holm(chances) == pytest.approx(adjusted)


def test_a_p_value_is_never_zero() -> None:
    assert two_sided(np.full(99, 2.5)) == 0.02


def test_a_single_unit_has_no_interval_and_no_p() -> None:
    (found,) = intervals_of(made_up(np.array([25]), np.array([20])), ["bytes_per_token"], 100)
    assert [one.value for one in found.intervals] == [4.0, 5.0]
    assert [(one.low, one.high) for one in found.intervals] == [(None, None)] * 2
    assert [(one.value, one.p, one.differs) for one in found.differences] == [(-1.0, None, None)]


def test_figures_of_words_have_no_meaning_without_words() -> None:
    (found,) = intervals_of(made_up(np.array([25, 20])), ["fertility"], 100)
    assert found.intervals[0].value is None
    assert found.differences == ()
    counts = made_up(np.array([25, 20]), np.array([30, 20]))
    for column in ("words_in_one", "characters", "touching"):
        counts[:, :, COLUMNS.index(column)] = 10
    (found,) = intervals_of(counts, ["fertility"], 100)
    assert [one.value for one in found.intervals] == [1.0, 1.0]
    counts[:, :, COLUMNS.index("unspaced")] = 10  # their words are not found
    (found,) = intervals_of(counts, ["fertility"], 100)
    assert [(one.value, one.low) for one in found.intervals] == [(None, None)] * 2
    assert found.differences == ()


def test_units_beyond_the_most_are_drawn_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_rows, "MOST_UNITS", 4)
    rows = UnitRows(1)
    for unit in range(11):
        rows.add([[unit, *[0] * (len(COLUMNS) - 1)]])
    assert (rows.units, rows.block) == (11, 4)
    assert rows.counts[:, 0, 0].tolist() == [0 + 1 + 2 + 3, 4 + 5 + 6 + 7, 8 + 9 + 10]


@pytest.mark.parametrize(
    ("units", "resamples", "said"),
    [
        (1, 1000, "at least two lines"),
        (7, 1000, "only 7 lines"),
        (50, 100, "use at least 120 resamples"),
    ],
)
def test_what_limits_the_intervals_is_said(units: int, resamples: int, said: str) -> None:
    (note,) = interval_notes(units, "line", 3, resamples, 0.05)
    assert said in note
    assert interval_notes(50, "line", 3, 1000, 0.05) == []
