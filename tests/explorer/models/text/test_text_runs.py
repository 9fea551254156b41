"""The runs of a text: pieces that one token has alone, and graphemes that several tokens share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown_scenes import FOUR, shipped

from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.text_runs import TextRun, line_runs, text_lines
from tokenarium.style.cuts import Cut

S, N, T, O = Cut.STRAIGHT, Cut.NOTCH, Cut.TORN, Cut.OPEN  # noqa: E741
SIGNS = st.sampled_from(
    "ab .\n\r\u2028é e\u0301क्षि\u0627\u0644\u0644\u0627👩\u200d🚀한 \u0000\ud83d"
)


def runs(text: str, *spans: tuple[int, int]) -> list[list[TextRun]]:
    """The runs of each line of a text with parts at some bytes."""
    text_map = TextMap(text)
    parts = TextParts.of_tokens(list(range(len(spans))), [*spans])
    return [list(line_runs(text_map, parts, line)) for line in text_lines(text_map)]


def shape(run: TextRun) -> tuple[object, ...]:
    return run.text, *((part.part, part.left, part.right) for part in run.parts)


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("ab", [(0, 1), (1, 2)], [("a", (0, S, S)), ("b", (1, S, S))]),
        ("abc", [(1, 2)], [("a",), ("b", (0, S, S)), ("c",)]),
        (
            "aéb",
            [(0, 2), (2, 4)],
            [("a", (0, S, O)), ("é", (0, O, T), (1, T, O)), ("b", (1, O, S))],
        ),
        ("xe\u0301", [(0, 2), (2, 4)], [("x", (0, S, O)), ("e\u0301", (0, O, N), (1, N, S))]),
        ("한", [(0, 1), (1, 2), (2, 3)], [("한", (0, S, T), (1, T, T), (2, T, S))]),
        ("\u0644\u0627", [(0, 2), (2, 4)], [("\u0644\u0627", (0, S, S), (1, S, S))]),
        ("a", [(0, 0), (0, 1), (1, 1)], [("", (0, S, S)), ("a", (1, S, S)), ("", (2, S, S))]),
        ("é", [(0, 2), (0, 2)], [("é", (0, S, T), (1, T, S))]),
    ],
)
def test_runs_end_between_graphemes(
    text: str, spans: list[tuple[int, int]], expected: list[tuple[object, ...]]
) -> None:
    assert [shape(run) for run in runs(text, *spans)[0]] == expected


def test_shares_are_those_of_the_bytes() -> None:
    (run,) = runs("한", (0, 1), (1, 3))[0]
    assert [(round(part.start, 3), round(part.end, 3)) for part in run.parts] == [
        (0.0, 0.333),
        (0.333, 1.0),
    ]


def test_a_part_over_a_line_end_is_open_and_begins_once() -> None:
    first, second = runs("a\nb", (0, 3))
    assert [shape(run) for run in first] == [("a", (0, S, O))]
    assert [shape(run) for run in second] == [("b", (0, O, S))]
    assert [part.first for run in (*first, *second) for part in run.parts] == [True, False]


def test_a_line_end_of_its_own_is_a_run_without_text() -> None:
    lines = runs("a\r\n\n", (0, 1), (1, 3), (3, 4))
    assert [[shape(run) for run in line] for line in lines] == [
        [("a", (0, S, S)), ("", (1, S, S))],
        [("", (2, S, S))],
        [],
    ]


@given(st.lists(SIGNS, max_size=24).map("".join), st.sampled_from(FOUR))
def test_every_character_is_in_one_run_and_every_token_begins_once(text: str, id: str) -> None:
    text_map = TextMap(text)
    encoding = shipped(id).encode(text)
    parts = TextParts.of_tokens(array_of(encoding.ids), array_of(encoding.spans))
    lines = text_lines(text_map)
    begun: list[int] = []
    for line in lines:
        found = list(line_runs(text_map, parts, line))
        assert "".join(run.text for run in found) == text_map.string(line.start, line.end)
        for run in found:
            assert [part.start for part in run.parts] == sorted(part.start for part in run.parts)
            assert all(before.end <= after.start + 1e-9 for before, after in pairwise(run.parts))
            begun += [part.part for part in run.parts if part.first]
    assert begun == list(range(len(parts)))
    assert [line.next for line in lines[:-1]] == [line.start for line in lines[1:]]
    assert lines[-1].next == text_map.byte_count
