"""A word merged by a queue and by scanning: the same ids, and what each looks at; and what a cache of words finds."""

from __future__ import annotations

from typing import Any

import hf_models
import pytest
import sentencepiece_models
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.explaining.merge_work import (
    HIT,
    LONG,
    MISS,
    LongMerging,
    MergeWork,
    WordLookups,
)
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.padded_text import padded
from tokenarium_core.trace import MERGE, Trace

MODELS = {
    "bytes": LOWER,
    "equal pairs": of_pieces([b"aa", b"aaaa", b"ab", b"aba"], "whitespace"),
    "trained": tc.train("bpe", ["low lower lowest slow slower newest newer"] * 2, vocab_size=276),
    "characters": tc.train(
        "sentencepiece-bpe", ["low lower lowest slow slower newest newer"] * 2, vocab_size=40
    ),
}


def work_of(tokenizer: tc.Tokenizer, word: str) -> MergeWork:
    data = padded(word)
    return MergeWork(tokenizer.model, data, 0, len(word.encode()))


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=60)
@given(word=st.text(st.sampled_from("aabloweśtrn▁é"), max_size=60))
def test_queue_scan_and_trace_make_the_same_merges(name: str, word: str) -> None:
    tokenizer = MODELS[name]
    data, size = padded(word), len(word.encode())
    work = MergeWork(tokenizer.model, data, 0, size)
    trace = Trace()
    if size:
        room = memoryview(bytearray(4 * (3 * size + 1))).cast("i")
        from librt.vecs import vec
        from mypy_extensions import i32

        out = vec[i32]([0] * len(room))
        tokenizer.model.encode_traced(data, 0, size, out, 0, trace)
    merges = [n for n in range(len(trace)) if trace.kinds[n] == MERGE]
    assert work.merges == len(merges)
    assert len(work.queued) == len(work.scanned) == work.merges + 1
    made = [(trace.positions[n], trace.results[n]) for n in merges]
    before = work.links()
    for step, (place, result) in enumerate(made, 1):
        work.go_to(step)
        after = work.links()
        changed = [
            (new[0], new[2]) for old, new in zip(before, after, strict=True) if old[2] != new[2]
        ]
        assert (place, result) in changed
        before = after
    ids = work.symbols()
    by_scan = LongMerging(tokenizer.model, word, queue=False)
    by_queue = LongMerging(tokenizer.model, word, queue=True)
    for merging in (by_scan, by_queue):
        while merging.step(7):
            pass
        if work.whole < 0:
            assert merging.ids() == ids
    if work.whole < 0:
        assert by_queue.looked == work.queued[work.merges]
        assert by_scan.looked == work.scanned[work.merges]


@given(word=st.text("aab", min_size=1, max_size=30))
def test_links_lead_both_ways_and_stale_entries_are_those_whose_pair_is_gone(word: str) -> None:
    work = work_of(MODELS["equal pairs"], word)
    for step in [*range(work.merges + 1), 0]:
        work.go_to(step)
        links = work.links()
        order, at, last = [], 0, -1
        while at < work.count:
            assert links[at][3] == last
            order.append(at)
            at, last = links[at][4], at
        assert [links[n][2] for n in order] == work.symbols()
        assert all(links[n][2] == -1 for n in range(work.count) if n not in order)
        ranks = [entry[:2] for entry in work.waiting()]
        assert not ranks or min(ranks) == ranks[0]  # the heap's first entry is the smallest
        for rank, place, stale in work.waiting():
            follower = links[place][4]
            there = links[place][2] >= 0 and follower < work.count
            model = MODELS["equal pairs"].model
            same = there and model.merge_rank(links[place][2], links[follower][2]) == rank
            assert stale == (not same)


def test_what_a_scan_looks_at() -> None:
    """l o w e r: 4 pairs, then 3, 2 and 1, and the last symbol has no pair any more."""
    work = work_of(LOWER, "lower")
    assert work.merges == 4
    assert list(work.scanned) == [0, 4, 7, 9, 10]
    assert work.count == 5


def test_overlapping_pairs_leave_a_stale_entry() -> None:
    """a a a: both places wait, the left one merges, and the other one is thrown away."""
    work = work_of(MODELS["equal pairs"], "aaa")
    assert work.waiting() == [(256, 0, False), (256, 1, False)]
    work.go_to(1)
    assert work.waiting() == [(256, 1, True)]


def test_a_word_that_is_taken_whole() -> None:
    odd = of_pieces([b"abc"], "whitespace")  # merging does not reach it
    work = work_of(odd, "abc")
    assert work.whole == 256
    assert work.symbols() == [256]
    assert work.merges == 0


def test_scans_grow_with_the_square_of_the_length() -> None:
    looked: dict[bool, list[int]] = {}
    for queue in (False, True):
        for size in (50, 100, 200):
            merging = LongMerging(MODELS["trained"].model, "lower" * (size // 5), queue)
            while merging.step(1000):
                pass
            looked.setdefault(queue, []).append(merging.looked)
    scan, queue_looks = looked[False], looked[True]
    assert 3.5 < scan[2] / scan[1] < 4.5
    assert queue_looks[2] / queue_looks[1] < 2.5


@pytest.mark.parametrize("name", ["trained", "characters"])
def test_the_second_time_a_word_is_a_hit(name: str) -> None:
    tokenizer = MODELS[name]
    text = "low slow low newest low" + " wow" * 3 + " " + "x" * 40
    found = WordLookups(tokenizer, text)
    data = tokenizer.encode(text).text.data
    seen: set[bytes] = set()
    for start, stop, outcome in zip(found.starts, found.stops, found.outcomes, strict=True):
        word = data[start:stop]
        if len(word) <= 15:
            assert outcome == (HIT if word in seen else MISS)
        seen.add(word)
    assert {HIT, MISS} <= set(found.outcomes)
    if name == "trained":
        assert sum(found.id_counts) == len(tokenizer.encode_ids(text))


def test_a_word_too_long_to_be_kept() -> None:
    joined = of_pieces([b"xx", b"xxxx"], "whitespace")  # no safe cut between two x
    found = WordLookups(joined, "x" * 40 + " " + "x" * 40)
    assert list(found.outcomes).count(LONG) == 2


@pytest.mark.parametrize("name", list(sentencepiece_models.MODELS)[:4])
def test_models_of_the_reference(name: str) -> None:
    from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

    content = sentencepiece_models.trained(**sentencepiece_models.MODELS[name])
    tokenizer = read_sentencepiece(content, f"{name}.model", name)
    check_against_ids(tokenizer)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(hf_models.KINDS))
def test_models_of_hugging_face(name: str) -> None:
    made: Any = hf_models.KINDS[name](hf_models.CORPUS)
    check_against_ids(read_huggingface(made.to_str().encode(), name))


def check_against_ids(tokenizer: tc.Tokenizer) -> None:
    """The symbols that are left are the ids, where each symbol is an entry."""
    text = "The next merge takes the most frequent pair"
    encoding = tokenizer.encode(text)
    try:
        work = MergeWork(tokenizer.model, encoding.text.data, 0, encoding.text.size)
    except tc.ArgumentError:
        with pytest.raises(tc.ArgumentError, match="examined"):
            WordLookups(tokenizer, text)
        return
    WordLookups(tokenizer, text)
    work.go_to(work.merges)
    if len(encoding.pre_tokens.ends) == 1 and all(i >= 0 for i in work.symbols()):
        assert work.symbols() == list(encoding.ids)


def test_other_models_have_no_queue() -> None:
    unigram = tc.train("unigram", ["low lower lowest slow slower"] * 3, vocab_size=20)
    with pytest.raises(tc.ArgumentError, match="no queue"):
        work_of(unigram, "low")
    with pytest.raises(tc.ArgumentError, match="no queue"):
        LongMerging(unigram.model, "low", queue=True)
    with pytest.raises(tc.ArgumentError, match="no bytes"):
        MergeWork(LOWER.model, padded("low"), 0, 9)
