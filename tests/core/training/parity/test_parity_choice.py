"""Which language gets the next merge."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.training.parity.parity_choice import NO_LANGUAGE, ParityChoice


def lengths(*values: int) -> vec[i64]:
    """Returns tokens of languages."""
    return vec[i64](values)


def test_the_longest_text_comes_first_and_of_equal_ones_the_first() -> None:
    choice = ParityChoice(lengths(5, 9, 9), [], 0, 2.0)
    assert choice.choose(lengths(5, 9, 9)) == 1
    assert choice.choose(lengths(5, 8, 9)) == 2
    choice.run_out(2)
    choice.run_out(2)
    assert choice.choose(lengths(5, 8, 9)) == 1
    choice.run_out(1)
    choice.run_out(0)
    assert choice.choose(lengths(5, 8, 9)) == NO_LANGUAGE


def test_ratios_weigh_the_rates_of_compression() -> None:
    choice = ParityChoice(lengths(100, 100, 0), [1.0, 2.0, 1.0], 0, 2.0)
    assert choice.choose(lengths(100, 100, 0)) == 1
    assert choice.choose(lengths(100, 49, 0)) == 0  # 1.0 against 1.02


def test_the_window_passes_over_a_language_that_had_its_share() -> None:
    choice = ParityChoice(lengths(1, 9, 5), [], 4, 1.5)  # at most half of four
    chosen = [choice.choose(lengths(1, 9, 5)) for _ in range(9)]
    assert chosen == [1, 1, 1, 2, 2, 1, 1, 1, 2]
    assert choice.forced == 0


def test_where_all_are_over_their_share_the_least_needy_is_taken() -> None:
    choice = ParityChoice(lengths(3, 2), [], 2, 0.1)
    assert [choice.choose(lengths(3, 2)) for _ in range(4)] == [0, 1, 1, 0]


def test_a_choice_is_forced_where_no_language_with_pairs_is_within_its_share() -> None:
    choice = ParityChoice(lengths(9, 8, 7), [], 10, 0.75)
    choice.run_out(1)
    assert [choice.choose(lengths(9, 8, 7)) for _ in range(6)] == [0, 0, 0, 2, 2, 2]
    assert choice.forced == 0
    assert choice.choose(lengths(9, 8, 7)) == 0
    assert choice.forced == 1
