"""The ledger of a training has the counts of all pairs at each step, and the changes of each merge."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i64
from naive_bpe import join, words_of
from running import run_whole

import tokenarium_core as tc
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training import (
    EMPTY,
    INCREMENTAL,
    NAIVE,
    WORDS,
    BpeTrainer,
    PairLedger,
    PairRecord,
    Value,
    WordMerges,
    make_trainer,
    pair_scores,
)
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer

TEXT = st.lists(st.text(st.sampled_from("aabc é"), max_size=40), min_size=1, max_size=4)


def trained(texts: list[str], merges: int, strategy: str = WORDS) -> tuple[BpeTrainer, PairLedger]:
    ledger = PairLedger()
    trainer = run_whole(
        BpeTrainer(
            pre_tokenizer("whitespace"),
            256 + merges,
            texts,
            min_frequency=1,
            strategy=strategy,
            record=PairRecord(1, ledger),
        )
    )
    return trainer, ledger


def test_the_changes_of_one_merge() -> None:
    """(1, 2) occurs five times, four of them after a 0 and before a 3: (0, 1) loses four, (0, 256) gains four."""
    _, ledger = trained(["\x00\x01\x02\x03", "\x00\x01\x02\x03"] * 2 + ["\x01\x02"], 1)
    assert ledger.counts(0) == {(0, 1): 4, (1, 2): 5, (2, 3): 4}
    assert sorted(ledger.merge_changes(1)) == [
        ((0, 1), 4, 0),
        ((0, 256), 0, 4),
        ((1, 2), 5, 0),
        ((2, 3), 4, 0),
        ((256, 3), 0, 4),
    ]
    assert ledger.counts(1) == {(0, 256): 4, (256, 3): 4}


def test_the_pairs_of_a_row() -> None:
    """1 2 3 4 and one more 2 3: the merge of (2, 3) takes (1, 2) and (3, 4) with it, and leaves all else alone."""
    _, ledger = trained(["\x01\x02\x03\x04", "\x02\x03", "\x05\x06"], 1)
    changes = {pair: (before, after) for pair, before, after in ledger.merge_changes(1)}
    assert changes == {
        (1, 2): (1, 0),
        (2, 3): (2, 0),
        (3, 4): (1, 0),
        (1, 256): (0, 1),
        (256, 4): (0, 1),
    }
    assert ledger.counts(1)[5, 6] == 1


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [WORDS, NAIVE, INCREMENTAL])
@settings(max_examples=60)
@given(texts=TEXT)
def test_each_step_has_what_the_plainest_counting_gives(strategy: str, texts: list[str]) -> None:
    trainer, ledger = trained(texts, 12, strategy)
    assert len(ledger) == trainer.merges_made + 1
    weights = words_of(texts, "whitespace")
    words = {word: list(word) for word in weights}
    earlier: dict[tuple[int, int], int] = {}
    for step in range(len(ledger)):
        counts: Counter[tuple[int, int]] = Counter()
        for word, tokens in words.items():
            for pair in pairwise(tokens):
                counts[pair] += weights[word]
        assert ledger.counts(step) == counts
        pairs = counts.keys() | earlier.keys()
        changed = {
            (pair, earlier.get(pair, 0), counts[pair])
            for pair in pairs
            if counts[pair] != earlier.get(pair, 0)
        }
        assert set(ledger.merge_changes(step)) == changed
        earlier = dict(counts)
        if step < trainer.merges_made:
            left, right = trainer.left[step], trainer.right[step]
            words = {word: join(tokens, left, right, 256 + step) for word, tokens in words.items()}


def test_it_is_no_part_of_the_training() -> None:
    texts = ["the other then there, this that thing"] * 3
    plain = run_whole(BpeTrainer(pre_tokenizer("whitespace"), 280, texts, min_frequency=1))
    noted, _ = trained(texts, 24)
    for column in ("left", "right", "pair_counts", "token_counts"):
        assert list(getattr(plain, column)) == list(getattr(noted, column))


def test_a_step_that_is_not_there() -> None:
    _, ledger = trained(["ab"], 1)
    for step in (-1, 2):
        with pytest.raises(tc.ArgumentError, match="the steps 0 to 1"):
            ledger.counts(step)


@pytest.mark.slow
@given(texts=TEXT)
def test_the_pre_tokens_are_those_that_were_counted(texts: list[str]) -> None:
    trainer, _ = trained(texts, 1)
    listed = trainer.pre_tokens
    found = {listed.piece(n): listed.counts[n] for n in range(len(listed))}
    assert found == words_of(texts, "whitespace")
    assert len(listed) == trainer.distinct_count
    assert sorted(listed.counts, reverse=True) == list(listed.counts)
    with pytest.raises(IndexError):
        listed.piece(len(listed))


SECOND_STAGE = r"[^\n]+|\n+"
OTHERS = [
    ("bpe", {"strategy": INCREMENTAL, "pattern": "whitespace"}, 268),
    (
        "superbpe",
        {"pattern": "whitespace", "superword_pattern": SECOND_STAGE, "transition": 261},
        270,
    ),
    ("sentencepiece-bpe", {}, 24),
    ("wordpiece", {"scoring": "frequency"}, 24),
    ("wordpiece", {"scoring": "likelihood"}, 24),
    ("wordpiece", {"scoring": "ratio"}, 24),
]


def cut(merges: WordMerges, symbols: list[int], first: int, made: int) -> list[int]:
    """Returns the symbols of a word after so many merges, by what `WordMerges` says."""
    found = symbols[:1]
    latest = -1
    for symbol, merge in zip(symbols[1:], merges.joins(symbols), strict=True):
        if 0 <= merge < made:
            latest = max(latest, merge)
            found[-1] = first + latest
        else:
            found.append(symbol)
            latest = -1
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "options", "size"), OTHERS)
@settings(max_examples=25 if tc.COMPILED else 8)
@given(texts=st.lists(st.text(st.sampled_from("aabc é\n"), max_size=40), min_size=1, max_size=3))
def test_the_incremental_trainers_note_all_pairs(
    algorithm: str, options: dict[str, Value], size: int, texts: list[str]
) -> None:
    """What they note is what counting the pairs of all words gives, cut as the merges cut them."""
    ledger = PairLedger()
    record = PairRecord(3, ledger)
    try:
        trainer = run_whole(
            make_trainer(
                algorithm,
                texts,
                vocab_size=size,
                record=record,
                min_frequency=1,
                **dict[str, Any](options),
            )
        )
    except tc.TokenariumError:
        assume(False)  # no text, or too many characters
    merges = WordMerges(trainer.left, trainer.right, trainer.first_symbols)
    occurrences = list(ledger.symbol_counts)
    for made in range(len(trainer.left) + 1):
        words = trainer.pre_tokens
        if isinstance(trainer, SuperBpeTrainer) and made > trainer.transition - 256:
            words = trainer.regions
        counts: Counter[tuple[int, int]] = Counter()
        tokens = 0
        for number in range(len(words)):
            symbols = trainer.word_symbols(words.piece(number))
            now = cut(merges, symbols, trainer.first_symbols, made)
            tokens += len(now) * words.counts[number]
            for pair in pairwise(now):
                counts[pair] += words.counts[number]
        found = ledger.counts(ledger.step_of(made))
        assert found == {pair: count for pair, count in counts.items() if min(pair) >= 0}
        assert made == 0 or tokens == trainer.token_counts[made - 1]
        if made == len(trainer.left):
            break
        if occurrences:
            check_scores(record, made, found, occurrences, options["scoring"] == "ratio")
            joined = ledger.joined[made]
            occurrences[trainer.left[made]] -= joined
            occurrences[trainer.right[made]] -= joined
            occurrences[trainer.first_symbols + made] += joined


def check_scores(
    record: PairRecord,
    made: int,
    counts: dict[tuple[int, int], int],
    occurrences: list[int],
    ratio: bool,
) -> None:
    """The scores of all pairs are those by which the training chose."""
    pairs = [left << 32 | right for left, right in counts]
    packed = vec[i64](pairs), vec[i64](list(counts.values())), vec[i64](occurrences)
    scores = dict(zip(pairs, pair_scores(*packed, ratio), strict=True))
    for place in range(made * record.width, (made + 1) * record.width):
        if record.pairs[place] != EMPTY:
            assert scores[record.pairs[place]] == pytest.approx(record.scores[place], rel=1e-12)


def test_the_second_stage_is_a_step_of_its_own() -> None:
    ledger = PairLedger()
    trainer = run_whole(
        make_trainer(
            "superbpe",
            ["of the sea of the sea"] * 3,
            vocab_size=264,
            record=PairRecord(1, ledger),
            pattern="gpt2",
            superword_pattern=SECOND_STAGE,
            transition=260,
        )
    )
    assert ledger.recounted == 5
    assert [ledger.step_of(made) for made in range(9)] == [0, 1, 2, 3, 4, 6, 7, 8, 9]
    assert len(ledger) == 10
    assert isinstance(trainer, SuperBpeTrainer)
    assert [trainer.regions.piece(n) for n in range(len(trainer.regions))] == [
        b"of the sea of the sea"
    ]
