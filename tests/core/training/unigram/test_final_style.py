"""Unigram with final-style pruning, against the algorithm written out: every text and every split is looked at.

The algorithm is that of Land and Pinter 2026, as the ``UnigramTrainer`` of github.com/sanderland/script_tok has it with
``flat_score_prune``, ``pre_final_vocab_factor=1`` and its other defaults.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from narrowed import of_kind
from plain_unigram import Words, expectation
from running import run_whole

import tokenarium_core as tc
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.unigram.unigram_record import (
    EM,
    PRUNING,
    SEED,
    SELECTION,
    UnigramRecord,
)
from tokenarium_core.training.unigram.unigram_rounds import digamma
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

pytestmark = pytest.mark.core

SYMBOLS = 3
APART = 1e-9
"""Values that differ by less may be in either order."""

SYLLABLES = ["ka", "mi", "no", "ru", "te", "sho", "en"]
CORPUS = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3 + ["wider"] * 3)


class Undecided(Exception):
    """Two values are so close that rounding decides between them."""


def candidates(words: Words, longest: int) -> Counter[str]:
    """Returns the texts that may be in the seed, with their counts.

    Those of a suffix array of the distinct words: what follows them, a character or the end of some word, differs. A
    whole word that occurs twice is one too, and so are all characters.
    """
    counts: Counter[str] = Counter()
    after: defaultdict[str, set[str]] = defaultdict(set)
    for word, times in words.items():
        for start in range(len(word)):
            for stop in range(start + 1, len(word) + 1):
                counts[word[start:stop]] += times
                after[word[start:stop]].add(word[stop] if stop < len(word) else f"end of {word}")
    return Counter(
        {
            text: count
            for text, count in counts.items()
            if len(text) == 1
            or (len(text) <= longest and (len(after[text]) > 1 or words.get(text, 0) > 1))
        }
    )


def best(values: dict[str, float], most: int) -> dict[str, float]:
    """Returns the characters, and of the longer texts as many as fit."""
    kept = {text: value for text, value in values.items() if len(text) == 1}
    longer = sorted((text for text in values if len(text) > 1), key=lambda text: -values[text])
    room = max(most - len(kept), 0)
    if 0 < room < len(longer) and values[longer[room - 1]] - values[longer[room]] < APART:
        raise Undecided
    return kept | {text: values[text] for text in longer[:room]}


def trained_plainly(
    words: Words, more: int, factor: int = 10, shrinking: float = 0.75, ems: int = 2, longest: int = 16
) -> dict[str, float]:  # fmt: skip
    """Returns the pieces of a training, at most ``more`` besides the characters, with their scores."""
    sizes = {text: float(count * len(text)) for text, count in candidates(words, longest).items()}
    characters = sum(len(text) == 1 for text in sizes)
    seed = best(sizes, characters + more * factor)
    total = sum(seed.values())
    scores = {text: math.log(size / total) for text, size in seed.items()}
    while True:
        for _ in range(ems):
            counts, _ = expectation(words, scores)
            if any(abs(counts[text] - 0.5) < APART for text in scores if len(text) > 1):
                raise Undecided
            counts = Counter(
                {
                    text: max(counts[text], 0.01)
                    for text in scores
                    if len(text) == 1 or counts[text] >= 0.5
                }
            )
            total = sum(counts.values())
            scores = {text: digamma(count) - digamma(total) for text, count in counts.items()}
        if len(scores) <= characters + more:
            return scores
        longer = len(scores) - characters
        scores = best(scores, max(characters + more, longer - int(longer * (1 - shrinking))))


def begun(text: str, size: int, **options: Any) -> tuple[UnigramTrainer, UnigramRecord]:
    """Returns a finished training of words with spaces before them, and its record."""
    record = UnigramRecord()
    options = {"normalization": "identity"} | options
    trainer = make_trainer("fsp-unigram", [text], vocab_size=size, record=record, **options)
    return of_kind(run_whole(trainer), UnigramTrainer), record


def scores_of(trainer: UnigramTrainer) -> dict[str, float]:
    """Returns the pieces of a trainer with their scores."""
    pieces, scores = trainer.pieces()
    return dict(zip([piece.decode() for piece in pieces], scores, strict=True))


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 40), min_size=1, max_size=9),
    st.integers(0, 9),
    st.sampled_from([{}, {"initial_vocab_factor": 2}, {"shrinking_factor": 0.5}, {"num_sub_iterations": 1}, {"max_sentencepiece_length": 3}]),
)  # fmt: skip
def test_the_pieces_and_scores_are_those_of_the_algorithm(
    counted: Words, more: int, options: dict[str, Any]
) -> None:
    words = {f" {word}": times for word, times in counted.items()}
    characters = set("".join(words))
    try:
        wanted = trained_plainly(
            words,
            more,
            options.get("initial_vocab_factor", 10),
            options.get("shrinking_factor", 0.75),
            options.get("num_sub_iterations", 2),
            options.get("max_sentencepiece_length", 16),
        )
    except Undecided:
        assume(False)
    text = " ".join(" ".join([word] * times) for word, times in counted.items())
    trainer, _ = begun(text, SYMBOLS + len(characters) + more, character_coverage=1.0, **options)
    found = scores_of(trainer)
    assert found == pytest.approx(wanted, rel=1e-7)
    assert characters <= set(found)


def test_the_seed() -> None:
    """“widest” ends in “idest” too, but that only ever ends one word, and is none itself."""
    trainer, record = begun(CORPUS, SYMBOLS + 11 + 20)
    seed = {record.texts[number] for number in record.steps[0].numbers}
    assert {" widest", "est", " low", "wide", "er"} <= seed
    assert seed.isdisjoint({"idest", "widest", "newest", "wid"})
    counts = candidates(dict(Counter(f" {word}" for word in CORPUS.split())), 16)
    assert seed == set(counts)
    total = sum(len(text) * count for text, count in counts.items())
    scores = dict(zip(record.texts, record.steps[0].scores, strict=True))
    assert scores[" widest"] == pytest.approx(math.log(3 * 7 / total))
    assert trainer.piece_count <= SYMBOLS + 11 + 20


def test_the_seed_has_so_many_times_the_entries_to_be_added() -> None:
    _, small = begun(CORPUS, SYMBOLS + 11 + 3, initial_vocab_factor=2)
    _, large = begun(CORPUS, SYMBOLS + 11 + 3, initial_vocab_factor=3)
    assert [one.steps[0].before for one in (small, large)] == [11 + 6, 11 + 9]


def test_characters_stay_however_rarely_they_are_expected() -> None:
    """“w” is expected only within longer pieces: it counts as a hundredth of an occurrence."""
    trainer, record = begun(CORPUS, SYMBOLS + 11 + 6)
    last = record.steps[-2]
    expected = dict(
        zip([record.texts[number] for number in last.numbers], last.counts, strict=True)
    )
    rare = {text for text, count in expected.items() if count < 0.01}
    assert rare
    assert all(len(text) == 1 for text in rare)
    total = sum(
        max(count, 0.01) for count, kept in zip(last.counts, last.kept, strict=True) if kept
    )
    found = scores_of(trainer)
    for text in rare:
        assert found[text] == pytest.approx(digamma(0.01) - digamma(total))


def test_the_record_has_an_em_after_the_last_pruning_and_no_losses() -> None:
    chance = random.Random(4)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 5))) for _ in range(60)]
    text = " ".join(chance.choices(words, range(60, 0, -1), k=400))
    characters, more = len(set(text)), 12
    trainer, record = begun(text, SYMBOLS + characters + more, character_coverage=1.0)
    kinds = [step.kind for step in record.steps]
    rounds = (len(kinds) - 4) // 3
    assert kinds == [SEED, *[EM, EM, PRUNING] * rounds, EM, EM, SELECTION]
    assert rounds > 1
    for place, step in enumerate(record.steps):
        if step.kind != PRUNING:
            continue
        assert all(math.isinf(loss) for loss in step.losses)
        before = record.pieces(place - 1)
        kept = record.pieces(place)
        longer = len(before) - characters
        assert len(kept) == max(characters + more, longer - int(longer * 0.25))
        lowest = min(score for text, score in kept.items() if len(text) > 1)
        assert all(before[text] <= lowest for text in before.keys() - kept.keys())
        tokenizer = trainer.tokenizer_after(place - 1, "before")
        assert step.tokens == len(tokenizer.encode_ids(text))


def test_it_ends_although_no_round_can_shrink_it_enough() -> None:
    trainer, _ = begun("ab " * 9, SYMBOLS + 3)
    assert sorted(scores_of(trainer)) == [" ", "a", "b"]


def test_the_report_says_why_there_are_fewer_entries() -> None:
    trainer, _ = begun(CORPUS, SYMBOLS + 11 + 50)
    found = SYMBOLS + len(scores_of(trainer))
    assert found < SYMBOLS + 11 + 50
    assert trainer.report == (
        f"The corpus gave {found} of 64 entries: it has no others, or the last EM expected them less than half a time."
    )


def test_characters_that_the_corpus_lacks_are_pieces_too() -> None:
    trainer, _ = begun(CORPUS, SYMBOLS + 12 + 2, required_chars="z")
    found = scores_of(trainer)
    assert len(found) == 14
    assert found["z"] == min(found.values())


def test_the_bytes_stay_with_byte_fallback() -> None:
    tokenizer = tc.train("fsp-unigram", [CORPUS], vocab_size=256 + SYMBOLS + 16, byte_fallback=True)
    assert tokenizer.decode(tokenizer.encode_ids("日 low")) == "日 low"


def test_counts_train_the_same() -> None:
    counts = tc.WordCounts("fsp-unigram")
    counts.add([CORPUS])
    from_counts = make_trainer("fsp-unigram", vocab_size=20, counts=counts)
    direct = make_trainer("fsp-unigram", [CORPUS], vocab_size=20)
    models = [of_kind(run_whole(one), UnigramTrainer).model_file() for one in (from_counts, direct)]
    assert models[0] == models[1]
