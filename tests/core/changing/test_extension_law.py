"""Vocabularies that grow, of every kind: trainings that go on, wanted words, and what each promises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import run_whole
from small_files import saved
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium_core.changing.differing_texts import differing_texts
from tokenarium_core.changing.extended_files import NewEntry
from tokenarium_core.changing.extending import Extension, extend_with
from tokenarium_core.changing.special_tokens import CHANGES
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training import word_counts

CORPUS = [
    "the cat sat on the mat, and the rat sat on the cat: aaaa aaaaaa thethe",
    "a kubernetes cluster; kubernetes nodes and kubernetes pods, kubernetes!",
    "naïve naïve café",
    "日本語 日本語 日本 tokens tokenizer tokenize tokenization 123 1234 12345",
] * 3
NO_SPECIAL: dict[str, Any] = {"normalization": "identity"}


def trained(algorithm: str, size: int, **options: Any) -> Tokenizer:
    return tc.train(algorithm, CORPUS, vocab_size=size, name="small", **options)


def entries_of(tokenizer: Tokenizer) -> list[tuple[bytes, str, float]]:
    vocabulary = tokenizer.vocabulary
    scores = list(vocabulary.scores) or [0.0] * len(vocabulary)
    return [
        (vocabulary.piece(id), vocabulary.kind(id), scores[id]) for id in range(len(vocabulary))
    ]


BPE = trained("bpe", 265)
MARKED = trained("sentencepiece-bpe", 60, **NO_SPECIAL)
BYTES = trained("sentencepiece-bpe", 310, byte_fallback=True, **NO_SPECIAL)
UNIGRAM = trained("unigram", 40, **NO_SPECIAL)
PIECES = tc.train("wordpiece", CORPUS, vocab_size=60, name="pieces")
GROWN = {old: tc.extend(old, CORPUS, 12) for old in (BPE, MARKED, BYTES, UNIGRAM)}
WORDS = {
    old: extend_with(old, [" podkubernetes" if old is BPE else "podkubernetes", "tokenization"])
    for old in (BPE, MARKED, BYTES, UNIGRAM)
}


def check_ids(old: Tokenizer, count: int, resumed: Tokenizer) -> None:
    """The ids of the entries, and of their parts, are those that they have in the resumed tokenizer."""
    extension = run_whole(Extension(old, count, CORPUS, resume=True))
    pieces = [resumed.vocabulary.piece(id) for id in range(len(resumed.vocabulary))]
    for entry in extension.added:
        assert pieces[entry.id] == entry.piece
        assert pieces[entry.left] + pieces[entry.right] == entry.piece


@pytest.mark.parametrize("size", [257, 290, 320])
def test_a_resumed_byte_training_is_the_training_at_once(size: int) -> None:
    options: dict[str, Any] = {"special_tokens": ["<a>", "<b>"]}
    for first in (258, 270):
        old = trained("bpe", first, **options)
        if size <= first:
            continue
        whole = trained("bpe", size, **options)
        resumed = tc.extend(old, CORPUS, size - first, resume=True)
        assert entries_of(resumed) == entries_of(whole)
        assert resumed.special_tokens == whole.special_tokens
        assert merges(resumed) == merges(whole)
        check_ids(old, size - first, resumed)
        for text in CORPUS:
            assert resumed.encode_ids(text) == whole.encode_ids(text)
        kept = tc.extend(old, CORPUS, size - first)
        assert kept.special_tokens == old.special_tokens
        new = {entry[0] for entry in entries_of(kept)[first:]}
        assert new == {entry[0] for entry in entries_of(whole)} - {
            entry[0] for entry in entries_of(old)
        }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"byte_fallback": True},
        {"split_by_whitespace": False},
        {"treat_whitespace_as_suffix": True},
        {"split_digits": True, "user_defined_symbols": ["tok"]},
        {"character_coverage": 0.98, "split_by_unicode_script": False},
    ],
)
def test_a_resumed_sentencepiece_training_is_the_training_at_once(
    options: dict[str, Any],
) -> None:
    options = {**NO_SPECIAL, **options}
    base = 256 if options.get("byte_fallback") else 0
    old = trained("sentencepiece-bpe", base + 70, **options)
    whole = trained("sentencepiece-bpe", base + 95, **options)
    resumed = tc.extend(old, CORPUS, 25, resume=True)
    assert entries_of(resumed) == entries_of(whole)
    check_ids(old, 25, resumed)
    for text in CORPUS:
        assert resumed.encode_ids(text) == whole.encode_ids(text)
    kept = tc.extend(old, CORPUS, 25)
    assert entries_of(kept)[: base + 70] == entries_of(old)
    assert {one[0] for one in entries_of(kept)} == {one[0] for one in entries_of(whole)}
    for text in CORPUS:
        pieces = [whole.vocabulary.piece(id) for id in whole.encode_ids(text)]
        assert [kept.vocabulary.piece(id) for id in kept.encode_ids(text)] == pieces


def test_counts_are_as_good_as_their_corpus() -> None:
    counts = word_counts.count("bpe", CORPUS)
    assert entries_of(tc.extend(BPE, counts=counts, count=12)) == entries_of(GROWN[BPE])
    lines = word_counts.count("sentencepiece-bpe", CORPUS, normalization="identity")
    assert entries_of(tc.extend(MARKED, counts=lines, count=12)) == entries_of(GROWN[MARKED])
    assert entries_of(tc.extend(UNIGRAM, counts=lines, count=12)) == entries_of(GROWN[UNIGRAM])
    for old, others in ((BPE, lines), (MARKED, counts)):
        with pytest.raises(tc.ArgumentError, match="count the corpus again with --algorithm"):
            tc.extend(old, counts=others, count=9)
    with pytest.raises(tc.ArgumentError, match="pattern = 'gpt2'"):
        tc.extend(BPE, counts=word_counts.count("bpe", CORPUS, pattern="gpt2"), count=9)
    with pytest.raises(tc.ArgumentError, match="split_digits"):
        tc.extend(
            MARKED,
            counts=word_counts.count(
                "unigram", CORPUS, normalization="identity", split_digits=True
            ),
            count=9,
        )


ALPHABET = st.lists(
    st.sampled_from([*"the cat son ,.:ubkrnis123é日本語\n", "kubernetes", "token", " "]),
    max_size=30,
).map("".join)


@given(ALPHABET)
def test_a_text_changes_only_where_a_new_entry_is(text: str) -> None:
    for made in (GROWN, WORDS):
        for old, new in made.items():
            size = len(old.vocabulary)
            assert entries_of(new)[:size] == entries_of(old)
            for differing in differing_texts(old, new, [text]):
                assert differing.has_new
                assert differing.old_ids == old.encode_ids(text)
                assert differing.new_ids == new.encode_ids(text)
            assert new.decode_bytes(new.encode_ids(text)) == old.decode_bytes(old.encode_ids(text))


def test_gains_are_the_tokens_that_the_corpus_saves() -> None:
    lacking = tc.train("sentencepiece-bpe", CORPUS[:1], vocab_size=30, name="few", **NO_SPECIAL)
    falling = tc.train(
        "sentencepiece-bpe",
        CORPUS[:1],
        vocab_size=290,
        name="few",
        byte_fallback=True,
        **NO_SPECIAL,
    )
    letters = tc.train("unigram", CORPUS[:1], vocab_size=30, name="few", **NO_SPECIAL)
    for old in (BPE, MARKED, BYTES, UNIGRAM, lacking, falling, letters):
        more = 40 if old in (lacking, falling, letters) else 12
        extension = Extension(old, more, CORPUS)
        seen = set()
        while not (progress := extension.step(0.0)).finished:
            seen.add(progress.phase.split(" ")[0])
            assert progress.fraction <= 1.0
        assert {"counting", "encoding"} <= seen
        entries = extension.added
        size = len(old.vocabulary)
        assert [entry.id for entry in entries] == list(range(size, size + len(entries)))
        before = sum(len(old.encode_ids(text)) for text in CORPUS)
        assert extension.tokens == before
        new = extension.tokenizer("made")
        for made in (1, len(entries) // 2, len(entries)):
            new = extension.tokenizer("made", made)
            after = sum(len(new.encode_ids(text)) for text in CORPUS)
            assert before - after == entries[made - 1].total
            assert sum(entry.saved for entry in entries[:made]) == entries[made - 1].total
        used = [id for text in CORPUS for id in new.encode_ids(text)]
        for entry in entries:
            assert used.count(entry.id) == entry.uses
        job = extension.trainer
        assert job.piece_count == len(new.vocabulary)
        assert job.token_counts[len(job.token_counts) - 1] == before - entries[-1].total
        assert job.new_piece(0) == entries[len(entries) - len(job.token_counts)].piece
        for word in extension.changed_words():
            assert max(word.new) >= size
            if old not in (lacking, letters):  # what was unknown has no text
                assert new.decode_bytes(word.new) == old.decode_bytes(word.old)


@pytest.mark.parametrize("long", ["-" * 1000, "ab" * 500, "日" * 340, "ab" * 800])
def test_unigram_weighs_long_words(long: str) -> None:
    """Sums over all cuts of a word have no end in ``exp`` alone, and a word of more than a kilobyte stays as it is.

    A character that was unknown may cost tokens, since unknown ones side by side are one token; what is then made of it
    saves some.
    """
    corpus = [*CORPUS, f"{long} x", f"{long} y"]
    extension = run_whole(Extension(UNIGRAM, 8, corpus))
    assert 6 <= len(extension.added) <= 8
    assert all(entry.saved > 0 or len(entry.text) == 1 for entry in extension.added)
    if long[0] == "-":
        assert max(len(entry.text) for entry in extension.added if "-" in entry.text) > 1
    assert extension.tokens == sum(len(UNIGRAM.encode_ids(text)) for text in corpus)
    new = extension.tokenizer()
    for entry in extension.added:
        assert entry.score == pytest.approx(new.vocabulary.scores[entry.id])
    if len(long) < 1024:
        after = sum(len(new.encode_ids(text)) for text in corpus)
        assert extension.tokens - after == extension.added[-1].total


def test_some_of_the_entries_can_be_added_with_the_steps_that_they_need() -> None:
    found = run_whole(Extension(BPE, 8, CORPUS))
    wanted = [one.piece for one in found.added if len(one.piece) > 2][::-1]
    new = extend_with(BPE, wanted)
    for piece in wanted:
        assert len(new.encode_ids(piece.decode())) == 1
    all_of_them = extend_with(BPE, [one.piece for one in found.added])
    assert len(all_of_them.vocabulary) == len(BPE.vocabulary) + 8


def wanted_of(tokenizer: Tokenizer, words: list[str | bytes]) -> list[NewEntry]:
    extension = Extension(tokenizer, 1000)
    extension.add_words(words)
    return extension.added


def test_wanted_words_become_one_token_with_the_steps_they_need() -> None:
    for old, new in WORDS.items():
        for word in (" podkubernetes" if old is BPE else "podkubernetes", "tokenization"):
            assert len(old.encode_ids(word)) > 1
            assert len(new.encode_ids(word)) == 1
        entries = wanted_of(old, ["tokenization"])
        assert entries[-1].wanted
        assert entries[-1].text.strip() == "tokenization"
        steps = len(entries) - 1
        assert steps == (0 if old is UNIGRAM else len(old.encode_ids("tokenization")) - 2)
        assert entries[-1].score == 0.0 if old is BPE else entries[-1].score < 0.0
        assert wanted_of(new, ["tokenization"]) == []
    shared = wanted_of(BPE, ["xyzq", "xyzqw"])
    assert len(shared) == 4
    assert [entry.text for entry in shared if entry.wanted] == ["xyzq", "xyzqw"]
    repeated = extend_with(BPE, ["xxxxxxxx"])
    assert len(repeated.vocabulary) == len(BPE.vocabulary) + 3
    strange = extend_with(MARKED, ["ΩΨΩ"])  # no character of it is an entry
    assert len(strange.encode_ids("ΩΨΩ")) == 1
    with pytest.raises(tc.ArgumentError, match="may be added"):
        Extension(BPE, 2).add_words(["podkubernetes"])


def test_what_changed_is_in_the_details() -> None:
    extension = run_whole(Extension(WORDS[BPE], 1, CORPUS))
    again = extension.tokenizer("both")
    said = [one.value for one in again.details if one.group == CHANGES]
    assert len(said) == 2
    assert said[1] == f"1 entry added to {len(WORDS[BPE].vocabulary):,}"
    assert again.name == "both"


def test_wordpiece_takes_words_only() -> None:
    old = PIECES
    new = extend_with(old, ["kubernetes", "##netes"])
    assert new.encode_ids("kubernetes") == [len(old.vocabulary)]
    assert new.vocabulary.surface(len(old.vocabulary) + 1) == "##netes"
    pieces = [entry[0] for entry in entries_of(new)]
    assert pieces[: len(old.vocabulary)] == [entry[0] for entry in entries_of(old)]


@pytest.mark.parametrize(
    ("old", "words", "reason"),
    [
        (BPE, ["two words"], "splits it before it merges, into 'two', ' words'"),
        (BPE, [""], "at least one character"),
        (BPE, [b""], "at least one byte"),
        (BPE, ["\ud800"], "half of a surrogate pair"),
        (MARKED, [b"\xff"], "is not UTF-8"),
        (UNIGRAM, [b"\xff"], "is not UTF-8"),
        (PIECES, [b"\xff"], "is not UTF-8"),
        (MARKED, ["two words"], "only begin with a space"),
        (UNIGRAM, [], "nothing to add"),
        (BPE, "word", "a list of words"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    old: Tokenizer, words: list[str | bytes], reason: str
) -> None:
    with pytest.raises(tc.ArgumentError, match=reason):
        extend_with(old, words)


def test_odd_requests_are_refused() -> None:
    with pytest.raises(tc.ArgumentError, match="cannot be added to 265"):
        tc.extend(BPE, CORPUS, 0)
    with pytest.raises(tc.ArgumentError, match="cannot be added"):
        tc.extend(BPE, CORPUS, 1 << 40)
    with pytest.raises(tc.ArgumentError, match="Texts and counts exclude each other"):
        tc.extend(BPE, CORPUS, 5, counts=word_counts.count("bpe", CORPUS))
    with pytest.raises(tc.UnsupportedError, match="cannot be resumed"):
        tc.extend(UNIGRAM, CORPUS, 100, resume=True)
    with pytest.raises(tc.ArgumentError, match="nothing to add"):
        tc.extend(BPE, ["a"], 5)
    with pytest.raises(tc.ArgumentError, match="leave resume out"):
        Extension(BPE, 50, resume=True).add_words(["podkubernetes"])
    extension = run_whole(Extension(BPE, 5, CORPUS))
    with pytest.raises(tc.ArgumentError, match="nothing to add"):
        extension.tokenizer(count=-2)
    lacking = tc.train("sentencepiece-bpe", CORPUS[:1], vocab_size=30, **NO_SPECIAL)
    with pytest.raises(tc.ArgumentError, match="characters that a training on it"):
        tc.extend(lacking, CORPUS, 40, resume=True)


def test_an_entry_that_no_merge_reaches_is_not_made_again() -> None:
    old = of_pieces([b"ab", b"bc"], special_tokens={"xy": 300})
    new = tc.extend(old, ["xyxy abcabc"] * 5, 99)
    added = [new.vocabulary.piece(id) for id in range(301, len(new.vocabulary))]
    assert len(set(added)) == len(added)
    assert new.special_tokens == {"xy": 300}
    assert new.vocabulary.find(b"xy") < 0


def test_resuming_needs_the_learned_entries_to_be_last(tmp_path: Path) -> None:
    path = saved(
        trained("bpe", 265, special_tokens=["<a>"]), tmp_path / "tokenizer.json", "huggingface"
    )
    with pytest.raises(tc.ArgumentError, match="cannot be resumed: its last entry"):
        tc.extend(tc.open(path), CORPUS, 5, resume=True)
    wanted = tc.extend(MARKED, CORPUS, 5)
    added = tc.change_special_tokens(wanted, add=["<x>"])
    with pytest.raises(tc.ArgumentError, match="the order of a training"):
        tc.extend(added, CORPUS, 5, resume=True)
