"""The lattice of a run: its paths, their scores, and why one is not the best."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_models import unigram

import tokenarium_core as tc
from tokenarium.models.merges.lattice_paths import LatticePath, LatticePaths
from tokenarium.models.merges.run import TraceRun
from tokenarium_core import trace as kinds

LETTERS = "the dog quické☃| これ日"


def ways_of(text: str, tokenizer: tc.Tokenizer | None = None) -> tuple[LatticePaths, TraceRun]:
    utf8 = text.encode()
    run = TraceRun(tokenizer or unigram(), utf8, 0, len(utf8))
    return LatticePaths(run), run


def every_way(paths: LatticePaths) -> list[LatticePath]:
    """Returns all paths, by trying each."""
    open_ways: list[tuple[int, list[int]]] = [(paths.start, [])]
    found = []
    while open_ways:
        at, numbers = open_ways.pop()
        if at == paths.end:
            found.append(paths.path(numbers))
        for number, edge in enumerate(paths.edges):
            if edge.start == at:
                open_ways.append((edge.end, [*numbers, number]))
    return found


@settings(max_examples=60)
@given(text=st.text(LETTERS, min_size=1, max_size=20), byte_fallback=st.booleans())
def test_the_best_way_becomes_the_ids(text: str, byte_fallback: bool) -> None:
    tokenizer = unigram(byte_fallback)
    paths, run = ways_of(text, tokenizer)
    assert paths.ids(paths.best) == list(tokenizer.encode(text).ids)
    edges = {(s.start, s.end, s.result) for s in run.playback.steps if s.kind == kinds.EDGE}
    assert {(edge.start, edge.end, edge.id) for edge in paths.edges} == edges


def test_the_n_best_are_the_best_of_all() -> None:
    paths, _ = ways_of("the dog")
    scores = sorted((path.score for path in every_way(paths)), reverse=True)
    found = paths.n_best(5)
    assert found[0] == paths.best
    assert [path.score for path in found] == pytest.approx(scores[:5], abs=1e-3)
    assert len({path.edges for path in found}) == 5


def test_the_best_way_through_an_edge() -> None:
    paths, _ = ways_of("the dog")
    everything = every_way(paths)
    for number in range(len(paths.edges)):
        path = paths.through([number])
        assert path is not None
        assert number in path.edges
        assert path.score == pytest.approx(max(w.score for w in everything if number in w.edges))


def test_the_front_knows_the_best_sum_up_to_it() -> None:
    paths, _ = ways_of("the dog")
    total, number = paths.sums(paths.end)[paths.end]
    assert total == pytest.approx(paths.best.score)
    assert number == paths.best.edges[-1]
    assert paths.sums(paths.start) == {paths.start: (0.0, -1)}
    reached = paths.sums(2)
    assert all(paths.edges[number].start < 2 for _, number in reached.values() if number >= 0)


@settings(max_examples=60)
@given(text=st.text(LETTERS, min_size=1, max_size=12), count=st.integers(1, 4))
def test_a_way_can_be_written_and_read(text: str, count: int) -> None:
    paths, _ = ways_of(text)
    for path in paths.n_best(count):
        written = paths.text(path.edges)
        if "|" not in text:
            assert paths.typed(written) == path
            assert paths.typed(written.replace("␣", "▁")) == path


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("␣the|␣dig", "The text goes on with “og”, not with “i”"),
        ("␣the", "“␣dog” is left over"),
        ("␣the|␣dogs", "is after the end"),
        ("␣the␣|dog", "“␣the␣” is not an entry"),
    ],
)
def test_what_is_no_way_is_answered(typed: str, answer: str) -> None:
    paths, _ = ways_of("the dog")
    with pytest.raises(ValueError, match=r"\.$") as raised:
        paths.typed(typed)
    assert answer in str(raised.value)


def test_partings_add_up_to_the_difference() -> None:
    paths, _ = ways_of("the dog sleeps, and the quick")
    for path in paths.n_best(20):
        partings = paths.partings(path)
        assert sum(p.difference for p in partings) == pytest.approx(path.score - paths.best.score)
        for parting in partings:
            assert parting.taken != parting.best
            for numbers in (parting.taken, parting.best):
                assert paths.edges[numbers[0]].start == parting.start
                assert paths.edges[numbers[-1]].end == parting.end
    assert paths.partings(paths.best) == []


def test_chances_of_the_pieces_over_a_character_add_up_to_one() -> None:
    paths, _ = ways_of("the dog")
    for at in range(paths.start, paths.end):
        over = [n for n, edge in enumerate(paths.edges) if edge.start <= at < edge.end]
        assert sum(paths.chances[number] for number in over) == pytest.approx(1.0)
