"""The parts of a Unigram training, each compared with its definition."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import u8
from plain_unigram import (
    Words,
    best_score,
    expectation,
    ordered,
    planted,
    repeated,
    scores_of,
    seeded,
    text_from,
)

from tokenarium_core.training.unigram.unigram_pieces import OFTEN, UnigramPieces, kth_largest
from tokenarium_core.training.unigram.unigram_pruning import SecondCut, UnigramPruning
from tokenarium_core.training.unigram.unigram_rounds import UnigramExpectation, digamma, maximize

some_words = st.dictionaries(
    st.text(" ab語", min_size=1, max_size=7), st.integers(1, 12), min_size=1, max_size=12
)


def expected(pieces: UnigramPieces, steps: int = 5) -> UnigramExpectation:
    """Returns a finished E step."""
    step = UnigramExpectation(pieces)
    while step.advance(steps):
        pass
    return step


def pruned(pieces: UnigramPieces, wanted: int) -> UnigramPruning:
    """Returns a finished pruning; the pieces are as they were."""
    pruning = UnigramPruning(pieces, wanted)
    while pruning.advance(3):
        pass
    return pruning


@settings(max_examples=60)
@given(some_words)
def test_the_trie_has_all_ends_of_words(words: Words) -> None:
    trie = planted(words)
    ends: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            ends[word[start:]] += count
    nodes = range(1, trie.size)
    assert {text_from(trie, node): trie.ends[node] for node in nodes} == ends
    assert {text_from(trie, n): trie.words[n] for n in nodes if trie.words[n] > 0} == words
    assert trie.total == sum(words.values())
    assert trie.height == max(map(len, words))
    for node in nodes:
        assert trie.parents[node] < node
        assert trie.depths[node] == len(text_from(trie, node))


def test_many_words_are_kept_apart() -> None:
    words = {f"{number:04}": number + 1 for number in range(3000)}
    trie = planted(words)
    found = {text_from(trie, n): trie.words[n] for n in range(trie.size) if trie.words[n] > 0}
    assert found == words


@settings(max_examples=60)
@given(some_words, st.integers(1, 8))
def test_texts_are_put_in_order(words: Words, reach: int) -> None:
    trie = planted(words)
    nodes = ordered(trie, reach)
    assert sorted(nodes) == list(range(trie.size))
    texts = [text_from(trie, node)[:reach] for node in nodes]
    assert texts == sorted(texts)


@settings(max_examples=100)
@given(some_words, st.integers(2, 7))
def test_repeated_texts_are_those_that_branch(words: Words, limit: int) -> None:
    trie = planted(words)
    texts = repeated(trie, limit)
    counts: Counter[str] = Counter()
    followers: dict[str, set[str]] = {}
    for word, count in words.items():
        for start in range(len(word)):
            for stop in range(start + 1, len(word) + 1):
                counts[word[start:stop]] += count
                followers.setdefault(word[start:stop], set()).add(word[stop : stop + 1])
    wanted = {
        text
        for text, count in counts.items()
        if len(text) == 1
        or (
            len(text) <= limit and count > 1 and (len(followers[text]) > 1 or "" in followers[text])
        )
    }
    found: dict[str, int] = {}
    for number in range(texts.count):
        length = int(texts.lengths[number])
        text = text_from(trie, int(texts.nodes[number]))[:length]
        if length <= limit:
            assert text not in found
            found[text] = number
            assert texts.counts[number] == counts[text]
            if length > 1:
                assert texts.final[number] == (followers[text] == {""})
    assert set(found) == wanted
    # They nest as texts begin with each other.
    for text, number in found.items():
        shorter = [text[:stop] for stop in range(1, len(text)) if text[:stop] in found]
        assert texts.parents[number] == (found[shorter[-1]] if shorter else -1)


def test_the_best_texts_are_the_seed() -> None:
    words = {"ab": 9, "abc": 3, "abcd": 3, "xy": int(OFTEN), "zy": int(OFTEN) - 1}
    everything = scores_of(seeded(words))
    assert set(everything) == {*"abcdxyz", "ab", "abc", "bc", "abcd", "bcd", "cd", "xy", "zy"}
    total = sum(math.exp(score) for score in everything.values())
    assert total == pytest.approx(1)
    assert everything["abc"] - everything["ab"] == pytest.approx(math.log(6 * 3 / (15 * 2)))
    # Of those that only end words, the rare ones fill up what is not enough, the best first.
    often = set(scores_of(seeded(words, enough=0)))
    assert often == {*"abcdxyz", "ab", "abc", "bc", "xy"}
    assert set(scores_of(seeded(words, enough=5))) == {*often, "zy"}
    assert set(scores_of(seeded(words, most=2))) == {*"abcdxyz", "ab", "abc"}


@settings(max_examples=60)
@given(some_words, st.integers(1, 9))
def test_expectation_is_the_sum_over_all_cuts(words: Words, steps: int) -> None:
    pieces = seeded(words)
    step = expected(pieces, steps)
    counts, likelihood = expectation(words, scores_of(pieces))
    assert step.log_likelihood == pytest.approx(likelihood)
    for piece in range(pieces.count):
        assert step.counts[piece] == pytest.approx(counts[pieces.text(piece)], abs=1e-9)


def test_long_words_do_not_vanish() -> None:
    """A word of 3,000 characters has a probability far below what a float can hold."""
    long = "".join("abc"[place * place % 7 % 3] for place in range(3000))
    words = {long: 3, "ab": 1000, "cb": 1, long[-400:]: 1}
    pieces = seeded(words)
    scores = scores_of(pieces)
    step = expected(pieces, 100)
    likelihood = 0.0
    expected_tokens = 0.0
    for word, count in words.items():
        # By logarithms alone, forwards: the likelihood, and how many tokens are expected up to each place.
        logs = [0.0]
        tokens = [0.0]
        for stop in range(1, len(word) + 1):
            ways = [
                (logs[start] + scores[word[start:stop]], tokens[start] + 1)
                for start in range(max(0, stop - 16), stop)
                if word[start:stop] in scores
            ]
            top = max(log for log, _ in ways)
            total = sum(math.exp(log - top) for log, _ in ways)
            logs.append(top + math.log(total))
            tokens.append(sum(math.exp(log - top) / total * number for log, number in ways))
        likelihood += count * logs[-1]
        expected_tokens += count * tokens[-1]
    assert math.exp(step.log_likelihood / 4) == 0.0
    assert step.log_likelihood == pytest.approx(likelihood)
    assert sum(step.counts) == pytest.approx(expected_tokens)


@settings(max_examples=40)
@given(some_words)
def test_em_never_lowers_the_likelihood(words: Words) -> None:
    """With plain relative frequencies; those of a training favour fewer pieces."""
    pieces = seeded(words)
    last = -math.inf
    for _ in range(5):
        step = expected(pieces)
        assert step.log_likelihood >= last - 1e-9 * abs(step.log_likelihood)
        last = step.log_likelihood
        total = sum(step.counts)
        for piece in range(pieces.count):
            pieces.scores[piece] = math.log(max(step.counts[piece] / total, 1e-30))


@settings(max_examples=60)
@given(some_words)
def test_a_piece_is_weighed_against_the_best_other_cut(words: Words) -> None:
    pieces = seeded(words)
    scores = scores_of(pieces)
    split = SecondCut(pieces)
    for piece in range(pieces.characters, pieces.count):
        text = pieces.text(piece)
        others = {other: score for other, score in scores.items() if other != text}
        assert split.find(piece) == pytest.approx(best_score(text, others))
        parts = [pieces.text(split.parts[index]) for index in range(split.count)]
        assert "".join(parts) == text
        assert sum(scores[part] for part in parts) == pytest.approx(split.find(piece))


@settings(max_examples=60)
@given(some_words, st.integers(0, 30))
@example({" b": 1, " ba": 1, " bab": 1, " abab": 2}, 3)  # the lowest piece goes
def test_pruning_keeps_as_many_as_are_wanted(words: Words, wanted: int) -> None:
    pieces = seeded(words)
    before = scores_of(pieces)
    maximize(pieces, expected(pieces).counts)
    scores = scores_of(pieces)
    assert set(scores) <= set(before)
    pruning = pruned(pieces, wanted)
    everything = pruned(pieces, 10**6)
    pieces.keep(pruning.keep)
    assert pieces.live == sum(pruning.keep) <= max(wanted, pieces.characters)
    assert pieces.live >= min(wanted, sum(everything.keep))
    after = scores_of(pieces)
    assert set(after) <= set(scores)
    # What is kept keeps its score. An unknown character has that of the lowest piece less ten, which may be higher than it was.
    for piece in range(pieces.count):
        text = pieces.text(piece)
        assert after[text] == (
            scores[text] if pieces.alive[piece] else pytest.approx(pieces.lowest - 10)
        )
    assert all(best_score(word, after) > -math.inf for word in words)  # all words can still be cut


def test_a_character_that_is_no_piece_stands_for_itself_as_unknown() -> None:
    words = {"ab": 50, "abab": 20, "c": 3}
    pieces = seeded(words)
    wanted = vec[u8]([1] * pieces.count)
    wanted[0] = 0  # "a"
    pieces.keep(wanted)
    scores = scores_of(pieces)
    others = [score for text, score in scores.items() if text != "a"]
    assert scores["a"] == pytest.approx(min(others) - 10)
    assert pieces.lowest == pytest.approx(min(others))
    assert pieces.live == pieces.count - 1
    counts, likelihood = expectation(words, scores)
    step = expected(pieces)
    assert step.log_likelihood == pytest.approx(likelihood)
    assert step.counts[0] == pytest.approx(counts["a"])
    maximize(pieces, step.counts)
    assert pieces.alive[0] == 0


@pytest.mark.parametrize(
    ("x", "value"),
    # Euler's constant and its like, from the definition by the harmonic numbers.
    [
        (1.0, -0.5772156649015329),
        (0.5, -0.5772156649015329 - 2 * math.log(2)),
        (10.0, sum(1 / n for n in range(1, 10)) - 0.5772156649015329),
        (1e9, math.log(1e9) - 0.5e-9),
    ],
)
def test_digamma(x: float, value: float) -> None:
    assert digamma(x) == pytest.approx(value, abs=1e-9)


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=40), st.data())
def test_the_kth_largest(values: list[float], data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, len(values)))
    assert kth_largest(vec[float](values), rank) == sorted(values, reverse=True)[rank - 1]
