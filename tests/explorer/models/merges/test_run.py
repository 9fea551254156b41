"""Runs that are played: their steps in both directions, and what is said of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_models import bpe, unigram, wordpiece
from sentencepiece_models import SMALL, message
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.models.merges import narration
from tokenarium.models.merges.playback import Growth, Playback, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium_core import trace as kinds
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.trace import Trace

BYTES = of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower", "é".encode()])
LETTERS = "the dog quick <mask>é☃\n これ日मा🎉a!"


def tokenizers() -> list[tc.Tokenizer]:
    return [BYTES, bpe(), bpe(False), unigram(), unigram(False), wordpiece()]


def of(tokenizer: tc.Tokenizer, text: str, part: str | None = None) -> TraceRun:
    """Returns the run of a part of a text, by default of all."""
    utf8 = text.encode()
    start = utf8.index((part or text).encode())
    return TraceRun(tokenizer, utf8, start, start + len((part or text).encode()))


def ids(run: TraceRun) -> list[int]:
    """Returns the ids at the end of a run."""
    run.go_to(len(run))
    return [symbol.id for word in run.symbols() for symbol in word]


@pytest.mark.slow
@pytest.mark.parametrize("place", range(6))
@settings(max_examples=60)
@given(text=st.text(LETTERS, max_size=30))
def test_a_run_of_a_text_ends_as_its_ids(place: int, text: str) -> None:
    tokenizer = tokenizers()[place]
    run = of(tokenizer, text)
    assert ids(run) == list(tokenizer.encode(text).ids)
    assert run.position == len(run)
    run.go_to(0)
    assert run.position == 0
    assert ids(run) == list(tokenizer.encode(text).ids)


@pytest.mark.slow
@pytest.mark.parametrize("place", range(6))
@settings(max_examples=60)
@given(
    text=st.text(LETTERS, min_size=1, max_size=60),
    cut=st.tuples(st.integers(0, 60), st.integers(1, 12)),
)
def test_a_part_is_played_as_the_whole_text_is(place: int, text: str, cut: tuple[int, int]) -> None:
    tokenizer = tokenizers()[place]
    start = min(cut[0], len(text) - 1)
    utf8 = text.encode()
    first = len(text[:start].encode())
    run = TraceRun(tokenizer, utf8, first, first + len(text[start : start + cut[1]].encode()))
    whole = of(tokenizer, text)
    low, high = run.part
    assert ids(run) == [
        symbol.id for symbol in (whole.go_to(len(whole)), whole.playback.symbols(low, high))[1]
    ]
    for step in run.playback.steps:
        assert low <= step.start <= step.end <= high
    touched = run.normalized(first, first + len(text[start : start + cut[1]].encode()))
    if run.words:
        assert low <= max(touched[0], run.words[0].start)


@pytest.mark.parametrize("before", ["\udfff ", "x\ud800\ud800\ud800 ", "\udfff" * 3000 + " "])
def test_a_part_after_halves_of_surrogate_pairs_is_the_one_that_is_played(before: str) -> None:
    text = before + "lower and on"
    utf8 = text.encode("utf-8", "surrogatepass")
    start = utf8.index(b"lower")
    run = TraceRun(BYTES, utf8, start, start + 5)
    seen = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    other = of(BYTES, seen, "lower")
    assert run.data[slice(*run.part)] == other.data[slice(*other.part)]
    assert ids(run) == ids(other)


def test_of_a_whole_text_only_the_word_that_is_touched_is_played() -> None:
    for tokenizer in (bpe(), unigram()):
        run = of(tokenizer, "The quick brown fox jumps", "row")
        assert run.data[slice(*run.part)] == b" brown"


def test_where_no_space_is_near_the_stretch_itself_is_played() -> None:
    text = "これは日本語の文章です" * 12
    run = of(bpe(), text, "文章")
    assert len(run.data[slice(*run.part)].decode()) < 20


def test_a_user_defined_piece_is_there_from_the_start_and_frozen() -> None:
    run = of(bpe(), "the <mask> dog")
    frozen = [s for s in run.symbols()[0] if run.frozen(s)]
    assert [run.data[s.start : s.end] for s in frozen] == [b"<mask>"]
    after = frozen[0].end
    assert all(one.start != frozen[0].start for one in run.candidates(run.symbols()[0]))
    assert all(step.end <= frozen[0].start or step.start >= after for step in run.playback.steps)


def test_candidates_of_pieces_with_scores_have_them() -> None:
    run = of(bpe(), "the")
    merge = run.next_step
    assert merge is not None
    found = {one.start: one for one in run.candidates(run.symbols()[0])}
    scores = [one.score for one in found.values() if one.score is not None]
    assert found[merge.start].score == max(scores)
    assert all(
        one.score is None for one in of(BYTES, "low").candidates(of(BYTES, "low").symbols()[0])
    )


def test_a_character_that_is_no_piece_may_merge_into_one() -> None:
    content = message([*SMALL, ("☃a", -4.0, 1)], 2).SerializeToString()
    run = of(read_sentencepiece(content, "test.model", "small"), "☃a☃b")
    (candidate,) = run.candidates(run.symbols()[0])
    assert (candidate.start, candidate.score) == (0, -4.0)
    assert run.next_step is not None
    assert run.next_step.kind == kinds.MERGE
    assert "The only pair that has a merge" in narration.next_step(run)
    assert ids(run) == list(run.encoding.ids)


def test_the_bytes_of_a_character_are_one_step() -> None:
    run = of(bpe(), "☃")
    steps = [step.kind for step in run.playback.steps]
    assert steps.count(kinds.BYTE_FALLBACK) == 3
    run.go_to(len(run) - 1)
    assert [step.kind for step in run.next_steps] == [kinds.BYTE_FALLBACK] * 3
    assert "3 bytes" in narration.next_step(run)


def test_pieces_that_begin_at_one_place_of_a_lattice_are_one_step() -> None:
    run = of(unigram(), "the dog")
    starts = []
    for position in range(len(run) - 1):
        run.go_to(position)
        assert {step.kind for step in run.next_steps} == {kinds.EDGE}
        assert len({step.start for step in run.next_steps}) == 1
        starts.append(run.next_steps[0].start)
    assert starts == sorted(set(starts))
    run.go_to(len(run) - 1)
    assert {step.kind for step in run.next_steps} == {kinds.PIECE}


def test_a_piece_that_is_found_is_set_down_at_once() -> None:
    run = of(wordpiece(), "unaffable")
    assert ids(run) == list(wordpiece().encode("unaffable").ids)
    run.go_to(0)
    while [step.kind for step in run.next_steps] == [kinds.TRY]:
        run.go_to(run.position + 1)
    assert [step.kind for step in run.next_steps] == [kinds.TRY, kinds.PIECE]
    assert narration.next_step(run).startswith("Is “un” in the vocabulary? Yes")


@pytest.mark.parametrize(
    ("place", "text", "part"),
    [
        (1, "the", "score"),
        (0, "lower", "rank"),
        (2, "☃", "unknown token"),
        (5, "un☃!", "Is “un☃” in the vocabulary? No"),
        (5, "unq", "“unq” cannot be made from the vocabulary"),
        (5, "☃", "“☃” (U+2603 SNOWMAN) cannot be made"),
        (5, "a" * 101, "101 characters, more than the 100 that this model splits"),
        (5, "unaffable", "the longest window (no entry has more bytes)"),
        (1, "\U000f0000", "(U+F0000 private use)"),
        (5, "una", "##a"),
        (0, "", "nothing to play"),
    ],
)
def test_each_step_is_described(place: int, text: str, part: str) -> None:
    run = of(tokenizers()[place], text)
    sentences = []
    for position in range(len(run) + 1):
        run.go_to(position)
        sentences.append(narration.next_step(run))
    assert any(part in sentence for sentence in sentences), sentences
    assert all(sentence.endswith((".", "?")) for sentence in sentences)


def test_a_tree_has_each_symbol_under_what_it_became() -> None:
    run = of(bpe(), "the quick ☃")
    run.go_to(len(run))
    word = run.words[0]
    nodes = Growth(run.leaves(word), run.playback.steps, 0).nodes
    covered = [child for node in nodes for child in node.below]
    assert len(covered) == len(set(covered))
    for node in nodes:
        if node.below:
            assert nodes[node.below[0]].start == node.start
            assert nodes[node.below[-1]].end == node.end
            assert node.height == 1 + max(nodes[child].height for child in node.below)
    fallen = [node for node in nodes if node.kind == kinds.BYTE_FALLBACK]
    assert [run.data[node.start : node.end] for node in fallen] == ["☃".encode()]


def test_a_tree_grows_with_the_steps() -> None:
    run = of(bpe(), "the quick ☃ the quick")
    (word,) = run.words
    growth = Growth(run.leaves(word), run.playback.steps, 0)
    for position in (*range(len(run) + 1), *range(len(run), -1, -1)):
        run.go_to(position)
        count = growth.count(run.playback.position)
        tops = [growth.nodes[number] for number in growth.tops(count)]
        covered = [
            span
            for node in tops
            for span in (
                [(byte, byte + 1) for byte in range(node.start, node.end)]
                if node.kind == kinds.BYTE_FALLBACK
                else [(node.start, node.end)]
            )
        ]
        assert covered == [(symbol.start, symbol.end) for symbol in run.symbols()[0]]
        assert [node.start for node in tops] == sorted(node.start for node in tops)
        assert growth.height(count) == max(node.height for node in growth.nodes[:count])


@pytest.mark.parametrize("place", range(6))
def test_a_twin_goes_its_own_way(place: int) -> None:
    run = of(tokenizers()[place], "the dog <mask> é☃")
    run.go_to(2)
    before = run.symbols()
    twin = run.twin()
    assert twin.position == run.position
    expected = ids(of(tokenizers()[place], "the dog <mask> é☃"))
    assert ids(twin) == expected
    assert run.symbols() == before
    run.go_to(0)
    assert ids(twin) == expected
    assert ids(run) == expected


TOKENIZER = of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower", "é".encode()])


def playback(text: str) -> tuple[Playback, list[int]]:
    """Returns the run of a text, and its ids."""
    trace = Trace()
    encoding = TOKENIZER.encode(text, trace=trace)
    data = text.encode()
    byte_ids = [TOKENIZER.vocabulary.find(bytes([byte])) for byte in range(256)]
    return Playback(trace, len(data), data, byte_ids), list(encoding.ids)


def test_a_word_begins_as_bytes_and_ends_as_its_tokens() -> None:
    run, ids = playback("low")
    assert [symbol.start for symbol in run.symbols()] == [0, 1, 2]
    run.go_to(1)
    assert [(symbol.start, symbol.end) for symbol in run.symbols()] == [(0, 2), (2, 3)]
    run.go_to(99)
    assert [symbol.id for symbol in run.symbols()] == ids
    assert list(run.symbols()) == [Symbol(0, 3, ids[0])]


def test_words_know_their_steps() -> None:
    run, _ = playback("low lower")
    assert [(word.start, word.end) for word in run.words] == [(0, 3), (3, 4), (4, 9)]
    first, _, second = run.words
    assert (first.first, first.last) == (0, 2)
    assert second.last == len(run)
    assert all(step.word == 2 for step in run.steps[second.first :])
    assert run.word_at(0) is first
    assert run.word_at(len(run)) is second


def test_nothing_to_play() -> None:
    run, _ = playback("")
    run.go_to(5)
    assert len(run) == 0
    assert list(run.symbols()) == []
    assert run.word_at(0) is None


@given(st.text("lower é", max_size=20), st.lists(st.integers(0, 30), max_size=8))
def test_every_way_to_a_step_leads_to_the_same_symbols(text: str, ways: list[int]) -> None:
    run, ids = playback(text)
    seen = []
    for position in range(len(run) + 1):
        run.go_to(position)
        seen.append(list(run.symbols()))
        assert b"".join(text.encode()[s.start : s.end] for s in seen[-1]) == text.encode()
    assert [symbol.id for symbol in seen[-1]] == ids
    for position in ways:
        run.go_to(position)
        assert list(run.symbols()) == seen[min(position, len(run))]
