"""The counts of a show of hands: typed, undone, and what is said about them."""

from __future__ import annotations

import pytest

from tokenarium.models.lessons.hands import MOST_HANDS, Hands


def hands(*counts: int) -> Hands:
    made = Hands()
    made.offer([f"c{n}" for n in range(len(counts))])
    for place, count in enumerate(counts):
        made.set_count(place, count)
    made.current = 0
    return made


def test_counts_are_typed_digit_by_digit() -> None:
    made = hands(0, 0, 0)
    made.go(-1)
    assert made.current == 2
    made.go(1)
    for digit in (1, 2):
        made.type_digit(digit)
    made.go(1)
    made.type_digit(7)
    assert made.counts == (12, 7, 0)
    made.go(-1)
    made.type_digit(3)  # a new number
    assert made.counts == (3, 7, 0)
    made.erase_digit()
    made.type_digit(4)
    assert made.counts == (4, 7, 0)
    made.add(1)
    made.add(-2, 2)
    assert made.counts == (5, 7, 0)
    for _ in range(6):
        made.type_digit(9)
    assert max(made.counts) == MOST_HANDS


def test_each_change_is_undone_where_it_was_made() -> None:
    made = hands(0, 0)
    made.type_digit(5)
    made.go(1)
    made.type_digit(6)
    made.type_digit(1)
    seen = []
    for _ in range(4):
        made.undo()
        seen.append((made.counts, made.current))
    assert seen == [((5, 6), 1), ((5, 0), 1), ((0, 0), 0), ((0, 0), 0)]


def test_other_choices_begin_without_hands() -> None:
    made = hands(3, 4)
    made.show(True)
    made.offer(["c0", "c1"])
    assert made.counts == (3, 4)  # the same question
    assert made.shown
    made.offer(["c0", "c2"])
    assert (made.counts, made.shown, made.right) == ((0, 0), False, -1)
    made.offer([])
    made.show(True)
    assert not made.shown


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ((0, 0), ""),
        ((1, 0), "The only answer was wrong."),
        ((0, 1), "The only answer was right."),
        ((0, 30), "All 30 answers were right."),
        ((12, 7), "7 of 19 answers were right; most chose “c0” (12)."),
        ((12, 1), "1 of 13 answers was right; most chose “c0” (12)."),
        ((12, 0), "None of 12 answers were right; most chose “c0” (12)."),
        ((5, 5), "5 of 10 answers were right."),
        ((1, 1234), "1,234 of 1,235 answers were right, more than for any other choice."),
    ],
)
def test_what_is_said_with_the_answer(counts: tuple[int, ...], said: str) -> None:
    made = hands(*counts)
    assert made.said == ""  # before the answer is shown
    assert made.show_right("c1") == said == made.said
    assert made.show_right("another") == ""
