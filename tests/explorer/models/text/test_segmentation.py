"""Segmentations: the parts of a text by byte, with colours that differ between neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there

from tokenarium.models.text import segmentation
from tokenarium.models.text.segmentation import (
    TOKEN_COLOURS,
    TextParts,
    token_colour,
    token_colours,
)


def spans(*lengths: int) -> list[int]:
    ends = np.cumsum(lengths)
    return np.stack([ends - lengths, ends], axis=1).ravel().tolist()


def test_tokens_are_found_by_byte() -> None:
    parts = TextParts.of_tokens([7, 8, 9], spans(2, 1, 4))
    assert len(parts) == 3
    assert [parts.at(b) for b in range(7)] == [0, 0, 1, 2, 2, 2, 2]
    assert parts.at(7) == parts.at(-1) == -1
    assert parts.span(2) == (3, 7)


def test_gaps_hold_nothing() -> None:
    parts = TextParts.of_tokens([1, 2], [[1, 3], [5, 6]])
    assert [parts.at(b) for b in range(7)] == [-1, 0, 0, -1, -1, 1, -1]
    assert list(parts.between(3, 5)) == []


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [(0, 7, [0, 1, 2]), (0, 2, [0]), (1, 3, [0, 1]), (2, 3, [1]), (6, 7, [2]), (3, 3, [])],
)
def test_parts_between_two_bytes(start: int, end: int, found: list[int]) -> None:
    assert list(TextParts.of_tokens([7, 8, 9], spans(2, 1, 4)).between(start, end)) == found


def test_parts_of_no_length_stay_where_they_are() -> None:
    # A tokenizer that puts its own tokens before and after the text.
    parts = TextParts.of_tokens([1, 5, 6, 2], [[0, 0], [0, 3], [3, 5], [5, 5]], special_ids=[1, 2])
    assert list(parts.between(0, 3)) == [0, 1]
    assert list(parts.between(3, 6)) == [2, 3]
    assert there(parts.special).tolist() == [True, False, False, True]


def test_parts_that_share_a_span_are_drawn_side_by_side() -> None:
    parts = TextParts.of_tokens([1, 2, 3, 4], [[0, 1], [1, 4], [1, 4], [1, 4]])
    assert parts.drawn_starts.tolist() == [0, 1, 2, 3]
    assert parts.drawn_ends.tolist() == [1, 2, 3, 4]
    assert [parts.at(b) for b in (0, 1.5, 2.5, 3.9)] == [0, 1, 2, 3]
    assert parts.span(2) == (1, 4)


@given(st.lists(st.integers(0, 20), max_size=60))
def test_neighbours_never_have_the_same_colour(ids: list[int]) -> None:
    colours = token_colours(np.asarray(ids, dtype=np.int32))
    assert (colours < TOKEN_COLOURS).all()
    assert (colours[1:] != colours[:-1]).all()


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=40), st.integers(0, 200_000))
def test_an_edit_keeps_the_hues_of_the_text_after_it(ids: list[int], new: int) -> None:
    before = token_colours(np.asarray(ids, dtype=np.int32))
    after = token_colours(np.asarray([new, *ids], dtype=np.int32))
    assert (after[1:] % 8 == before % 8).all()
    assert [token_colour(i) for i in ids] == (before % 8).tolist()


def test_pre_tokens_have_a_colour_by_rule_and_a_shade_by_turn() -> None:
    parts = TextParts.of_pre_tokens([3, 5, 8, 9], [0, 0, 0, 1], ["word", "punctuation"])
    assert parts.starts.tolist() == [0, 3, 5, 8]
    assert parts.colours.tolist() == [0, 1, 0, 3]
    assert parts.rule_names == ("word", "punctuation")


def test_parts_outlive_an_edit_elsewhere() -> None:
    parts = TextParts.of_tokens([1, 2, 3, 4], spans(2, 2, 2, 2))
    # Byte 3 was replaced by three bytes: the text is unchanged before 3 and from 4 on.
    kept = parts.after_edit(3, 4, 2)
    assert kept.starts.tolist() == [0, 6, 8]
    assert kept.ends.tolist() == [2, 8, 10]
    assert there(kept.ids).tolist() == [1, 3, 4]
    assert (kept.colours % 8).tolist() == (parts.colours[[0, 2, 3]] % 8).tolist()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=40),
    st.integers(1, 7),
    st.data(),
)
def test_looks_are_the_same_page_by_page(
    tokens: list[tuple[int, int]], page: int, data: st.DataObject
) -> None:
    places, at = [], 0
    for _, size in tokens:  # of no length: it shares the span of the one before
        places.append([at, at + size] if size or not places else places[-1])
        at = places[-1][1]
    ids = [token for token, _ in tokens]
    parts = TextParts.of_tokens(ids, places, [1], [2])
    first = data.draw(st.integers(0, len(ids)))
    last = data.draw(st.integers(first, len(ids)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segmentation, "PAGE", page)
        looks = parts.looks(range(first, last))
    assert looks.starts.tolist() == parts.drawn_starts[first:last].tolist()
    assert looks.ends.tolist() == parts.drawn_ends[first:last].tolist()
    assert looks.colours.tolist() == parts.colours[first:last].tolist()
    assert looks.colours.tolist() == token_colours(np.asarray(ids, np.int32))[first:last].tolist()
    assert looks.special is not None
    assert looks.special.tolist() == [token == 1 for token in ids[first:last]]
    assert looks.superwords is not None
    assert looks.superwords.tolist() == [token == 2 for token in ids[first:last]]


def test_a_run_that_began_long_before_keeps_its_colours() -> None:
    ids = np.zeros(3 * segmentation.PAGE + 5, dtype=np.int32)
    parts = TextParts.of_tokens(ids, spans(*[1] * len(ids)))
    last = parts.looks(range(3 * segmentation.PAGE + 1, len(ids)))
    assert last.colours.tolist() == token_colours(ids)[3 * segmentation.PAGE + 1 :].tolist()


def test_all_parts_that_an_edit_did_not_touch_outlive_it() -> None:
    parts = TextParts.of_tokens(range(10), spans(*[2] * 10))
    kept = parts.after_edit(10, 11, 1)  # in the sixth
    assert kept.ends.tolist() == [2, 4, 6, 8, 10, 15, 17, 19, 21]
    assert there(kept.ids).tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 9]


def test_parts_of_before_stay_after_those_that_are_known_so_far() -> None:
    before = TextParts.of_tokens([1, 2, 3, 4], spans(2, 2, 2, 2), special_ids=[4])
    so_far = TextParts.of_tokens([7, 8], spans(3, 1))
    both = so_far.followed_by(before)
    assert both.starts.tolist() == [0, 3, 4, 6]
    assert both.ends.tolist() == [3, 4, 6, 8]
    assert there(both.ids).tolist() == [7, 8, 3, 4]
    assert there(both.special).tolist() == [False, False, False, True]
    assert TextParts.empty().followed_by(before).ends.tolist() == before.ends.tolist()


def test_parts_that_reach_into_older_ones_replace_them() -> None:
    before = TextParts.of_tokens([1, 2], spans(2, 2))
    assert TextParts.of_tokens([9], spans(3)).followed_by(before).ends.tolist() == [3]


def test_an_empty_segmentation_has_nothing_anywhere() -> None:
    parts = TextParts.empty()
    assert len(parts) == 0
    assert parts.at(0) == -1
    assert list(parts.between(0, 10)) == []
