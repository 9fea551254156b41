"""Graphemes end where UAX #29 says, by the samples of its test and by its rules."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.text.grapheme_ends import grapheme_ends
from tokenarium.models.text.graphemes import GraphemeJob
from tokenarium.models.text.text_map import TextMap

# Each rule of UAX #29 has samples here, in the notation of GraphemeBreakTest.txt: code points with "÷" between
# graphemes and "×" inside of one. Most are from that file, of Unicode 17.
SAMPLES = """
GB3   000D × 000A ÷ 000A
GB4   000D ÷ 0308 ÷ 0061
GB5   0061 ÷ 000D × 000A ÷ 0062
GB5   0915 × 094D ÷ 000D × 000A
GB6   1100 × 1160 × 11A8 ÷ 1100
GB7   AC00 × 1160 ÷ 1100
GB8   AC01 × 11A8 × 11A8 ÷ AC01
GB9   0061 × 0308 × 0308 ÷ 0062
GB9   0061 × 200D ÷ 0062
GB9a  0915 × 093F ÷ 0924
GB9a  0020 × 0903
GB9b  0600 × 0627 ÷ 0627
GB9c  0915 × 094D × 0937 × 093F
GB9c  0915 × 094D × 200D × 0924
GB9c  0915 × 093C × 200D × 094D × 0924
GB9c  0915 × 094D × 094D × 0924
GB9c  0915 × 0308 ÷ 0924
GB9c  0915 × 094D ÷ 0061
GB9c  0061 × 094D ÷ 0924
GB9c  094D ÷ 0924
GB9c  0061 × 0308 × 094D × 200D ÷ 0924
GB9c  0B95 × 0BCD ÷ 0BB7
GB9c  0995 × 09CD × 09B7
GB11  1F469 × 200D × 1F680 ÷ 0061
GB11  1F6D1 × 200D × 1F6D1
GB11  0061 × 200D ÷ 1F6D1
GB11  1F476 × 1F3FF ÷ 1F476
GB12  1F1E6 × 1F1E7 ÷ 1F1E8 × 1F1E9 ÷ 0062
GB13  0061 ÷ 1F1E6 × 1F1E7 ÷ 1F1E8
GB999 0915 × 094D ÷ 1F44D
""".strip().splitlines()


def parsed(sample: str) -> tuple[str, list[int]]:
    """Returns the text of a sample, and where its graphemes end."""
    text, ends = "", []
    for sign in sample.split()[1:]:
        if sign == "÷":
            ends.append(len(text))
        elif sign != "×":
            text += chr(int(sign, 16))
    return text, [*ends, len(text)]


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_samples_of_unicode(sample: str) -> None:
    text, ends = parsed(sample)
    assert list(grapheme_ends(text)) == ends


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_job_finds_the_same(sample: str) -> None:
    text, ends = parsed(sample)
    text_map = TextMap(text)
    job = GraphemeJob(text_map)
    while not job.finished:
        job.step(1.0)
    expected = {0, *text_map.char_to_byte(ends).tolist()}
    assert set(job.edges.between(0, text_map.byte_count).tolist()) == expected


def test_nothing_has_no_grapheme() -> None:
    assert list(grapheme_ends("")) == []


PARTS = st.sampled_from(
    [
        *"ab\r\n",
        *"\u0915\u094d\u0937\u093f\u093c\u200d\u0308\u0bcd\u0b95",
        "🇮",
        "👩",
        "🏽",
        "\ud800",
    ]
)


@given(st.lists(PARTS, max_size=12).map("".join))
def test_ends_rise_to_the_length_of_the_text(text: str) -> None:
    ends = list(grapheme_ends(text))
    assert all(before < after for before, after in pairwise([0, *ends]))
    assert (ends or [0])[-1] == len(text)
