"""The lattice of a Unigram model: its edges, and that paths are drawn as often as their scores say."""

from __future__ import annotations

from collections import Counter
from math import exp, fsum, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from librt.vecs import vec

from tokenarium_core.models.unigram.lattice import Lattice
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.vocabulary import NORMAL, PieceArena, Vocabulary

PIECES = [
    ("<unk>", -9.0),
    ("a", -1.0),
    ("b", -1.25),
    ("ab", -1.5),
    ("ba", -2.0),
    ("bab", -3.0),
    ("é", -2.0),
]


def model() -> Unigram:
    arena = PieceArena(len(PIECES))
    for text, _ in PIECES:
        arena.add(text.encode(), NORMAL)
    arena.scores = vec[float]([score for _, score in PIECES])
    return Unigram(Vocabulary(arena, (NORMAL,)), 0, False, TOKENIZERS)


MODEL = model()


def all_paths(lattice: Lattice) -> dict[tuple[int, ...], float]:
    """Returns every path with its score, by trying all."""
    found: dict[tuple[int, ...], float] = {}
    waiting: list[tuple[int, tuple[int, ...], float]] = [(0, (), 0.0)]
    while waiting:
        at, edges, score = waiting.pop()
        if at == lattice.size:
            found[edges] = score
        for number in range(len(lattice)):
            edge = lattice.edge(number)
            if edge.start == at:
                waiting.append((edge.stop, (*edges, number), score + edge.score))
    return found


def test_edges() -> None:
    lattice = MODEL.lattice("ab☃")
    edges = [lattice.edge(number) for number in range(len(lattice))]
    assert [(edge.start, edge.stop, edge.token, edge.score) for edge in edges] == [
        (0, 1, 1, -1.0),
        (0, 2, 3, -1.5),
        (1, 2, 2, -1.25),
        (2, 5, 0, -19.0),
    ]
    assert repr(edges[1]) == "<LatticeEdge 0 to 2: id 3, -1.5000>"


TEXTS = st.text("ab☃é", min_size=1, max_size=7)


@given(TEXTS)
def test_n_best_are_all_paths_in_order(text: str) -> None:
    lattice = MODEL.lattice(text)
    expected = all_paths(lattice)
    paths = lattice.n_best(1000)
    assert {tuple(path.edges): path.score for path in paths} == pytest.approx(expected)
    scores = [path.score for path in paths]
    assert scores == sorted(scores, reverse=True)
    best = lattice.best()
    assert best.score == pytest.approx(scores[0])
    for path in paths[:5]:
        again = lattice.path([lattice.edge(number).stop for number in path.edges])
        assert again.edges == path.edges
        assert again.score == pytest.approx(path.score)


@given(TEXTS, st.sampled_from([0.0, 0.3, 1.0, 2.5]))
def test_marginals_and_entropy(text: str, theta: float) -> None:
    lattice = MODEL.lattice(text)
    paths = all_paths(lattice)
    total = fsum(exp(theta * score) for score in paths.values())
    chances = {path: exp(theta * score) / total for path, score in paths.items()}
    expected = [
        fsum(chance for path, chance in chances.items() if number in path)
        for number in range(len(lattice))
    ]
    assert lattice.marginals(theta) == pytest.approx(expected)
    assert lattice.log_total(theta) == pytest.approx(log(total))
    entropy = -fsum(chance * log(chance) for chance in chances.values())
    assert lattice.entropy(theta) == pytest.approx(entropy, abs=1e-9)


@pytest.mark.parametrize("theta", [0.0, 0.5, 1.0])
def test_samples_are_as_likely_as_their_scores(theta: float) -> None:
    lattice = MODEL.lattice("ababé")
    paths = all_paths(lattice)
    total = fsum(exp(theta * score) for score in paths.values())
    random = Random(7)
    times = 3000
    counts = Counter(tuple(lattice.sample(theta, random).edges) for _ in range(times))
    distance = fsum(
        (counts[path] - times * exp(theta * score) / total) ** 2
        / (times * exp(theta * score) / total)
        for path, score in paths.items()
    )
    assert len(counts) <= len(paths)
    assert distance < 40  # chi-squared with some 7 degrees of freedom


def test_same_seed_same_sample() -> None:
    lattice = MODEL.lattice("abababab")
    first = [lattice.sample(0.2, Random(3)).edges for _ in range(2)]
    assert first[0] == first[1]


def test_best_is_what_encoding_takes() -> None:
    for text in ("ababab", "☃☃ab", "babéba", ""):
        lattice = MODEL.lattice(text)
        ids = MODEL.path_ids(lattice, lattice.best())
        assert ids == [token for token in ids if 0 <= token < len(PIECES)]
        if text == "☃☃ab":
            assert ids == [0, 3]


def test_a_path_that_is_none() -> None:
    lattice = MODEL.lattice("abé")
    with pytest.raises(ValueError, match=r"'bé' \(bytes 1 to 4\) is not a piece"):
        lattice.path([1, 4])
    with pytest.raises(ValueError, match="ends at byte 2, the text at byte 4"):
        lattice.path([1, 2])
