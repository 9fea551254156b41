"""The stories of trainings: every step from the record of the run, and a text as it is cut after each."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pytest
from narrowed import of_kind, there

from tokenarium.models.merges.training_story import (
    MergeStory,
    TrainingStory,
    UnigramStory,
    story_of,
)
from tokenarium_core.training import ALGORITHMS, PairRecord, UnigramRecord, make_trainer

WORDS = "the other then there, this that thing: the weather there. low lower lowest newer wider "
CASES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "bpe": ("bpe", 280, {}),
    "first seen": ("bpe", 280, {"strategy": "naive", "tie_break": "first seen"}),
    "tokenizers": ("bpe", 280, {"tie_break": "tokenizers", "max_token_length": 4}),
    "superbpe": ("superbpe", 300, {"transition": 275}),
    "sentencepiece": ("sentencepiece-bpe", 60, {}),
    "wordpiece": ("wordpiece", 60, {}),
    "ratio": ("wordpiece", 60, {"scoring": "ratio"}),
    "likelihood": ("wordpiece", 60, {"scoring": "likelihood"}),
    "unigram": ("unigram", 40, {}),
    "final style": ("fsp-unigram", 26, {}),
}


SCORING = ("unigram", "final style")


@functools.cache
def story(case: str) -> TrainingStory:
    algorithm, size, options = CASES[case]
    record = UnigramRecord() if ALGORITHMS[algorithm].scores_pieces else PairRecord(5)
    trainer = make_trainer(algorithm, [WORDS * 6], vocab_size=size, record=record, **options)
    trainer.run()
    return story_of(trainer, record)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("text", [WORDS, "The lowest 日本 🎉", ""])
def test_a_text_is_cut_by_the_tokenizer_of_each_step(case: str, text: str) -> None:
    found = story(case)
    found.set_text(text)
    for position in (*range(len(found) + 1), 3, 0):  # forwards, and back
        encoding = found.trainer.tokenizer_after(position, "").encode(text)
        cut = found.cut(position)
        assert [cut.span(place) for place in range(len(cut))] == [
            encoding.span(place) for place in range(len(encoding.ids))
        ]
        if text and case != "sentencepiece":  # whose characters have ids after those of the merges
            assert cut.ids is not None
            assert cut.ids.tolist() == list(encoding.ids)


@pytest.mark.parametrize("case", CASES)
def test_what_a_text_loses_is_known_of_each_step(case: str) -> None:
    """The ids of a cut are those of the tokenizer that is asked, which may have more entries than the step had."""
    found = story(case)
    text = "the 日 weather"
    found.set_text(text)
    utf8 = text.encode()
    for position in (0, len(found) // 2, len(found)):
        parts, losing = found.cut(position), there(found.losing(position))
        assert parts.ids is not None
        spans = np.stack((parts.starts, parts.ends), axis=1)
        lost = losing.spans(utf8, parts.ids[:], spans, 0, len(utf8)).tolist()
        assert any(start <= 4 and end >= 7 for start, end in lost) == bool(losing.unknown.any())
    found.set_text("")
    assert found.losing(0) is None


@pytest.mark.parametrize("case", CASES)
def test_every_step_has_a_sentence_figures_and_a_row(case: str) -> None:
    found = story(case)
    assert len(found) > 3
    for position in range(len(found) + 1):
        assert found.sentence(position).endswith(".")
        assert found.measure(position)
    lines = found.lines()
    assert lines[0] == list(found.heads)
    assert len(lines) == len(found) + 2 - found.first_row
    assert all(len(line) == len(found.heads) for line in lines)
    for curve in found.curves():
        assert len(curve.values) == len(found) + 1
        assert not np.all(np.isnan(curve.values))


@pytest.mark.parametrize("case", [case for case in CASES if case not in SCORING])
def test_merges_are_listed_by_ids_with_their_counts(case: str) -> None:
    found = of_kind(story(case), MergeStory)
    vocabulary = found.tokenizer.vocabulary
    for row, line in enumerate(found.lines()[1:]):
        ids = [int(number) for number in re.findall(r"\d+", line[1])]
        assert line[1] == f"({ids[0]}, {ids[1]}) → {ids[2]}"
        left, right, made = (vocabulary.piece(token) for token in ids)
        assert left + right == made
        assert int(line[5]) == found.counts[row]
        assert found.bars(row + 1)[0].merged
        assert found.bars(row + 1)[0].count == found.counts[row]


def test_a_tie_is_explained_by_its_rule() -> None:
    rules = {
        "bpe": "the smallest ids go first",
        "first seen": "the one that comes first in the text goes first",
        "tokenizers": "the one with the smallest ids in tokenizers goes first",
        "sentencepiece": "the shorter piece goes first",
    }
    for case, rule in rules.items():
        found = story(case)
        tied = [position for position in range(1, len(found) + 1) if found.bars(position)[0].tied]
        assert tied
        assert rule in found.sentence(tied[0])


def test_wordpiece_shows_how_its_score_was_worked_out() -> None:
    found = story("ratio")
    bar = found.bars(1)[0]
    count, left, right = (int(number) for number in re.findall(r"\d+", bar.figure)[:3])
    assert bar.figure.startswith(f"{count} ÷ ({left} × {right}) = ")
    assert bar.score == count / (left * right)
    assert bar.figure in found.sentence(1)
    assert found.bars(0)[0].value == bar.score


def test_the_second_stage_is_marked_and_said() -> None:
    found = story("superbpe")
    assert found.transition == 275 - 256
    assert "second stage begins" in found.sentence(found.transition + 1)
    assert not any(
        "second stage" in found.sentence(position)
        for position in range(len(found) + 1)
        if position != found.transition + 1
    )
    assert isinstance(found, MergeStory)
    words = [found.is_superword(found.made(row)) for row in range(len(found))]
    assert not any(words[: found.transition])
    assert any(words[found.transition :])
    assert story("bpe").transition is None


@pytest.mark.parametrize("case", SCORING)
def test_the_rounds_of_unigram(case: str) -> None:
    found = of_kind(story(case), UnigramStory)
    names = [found.name_of(position) for position in range(len(found) + 1)]
    assert names[:4] == ["Seed", "EM 1.1", "EM 1.2", "Pruning 1"]
    assert names[-1] == "Selection"
    assert np.all(np.diff(found.left[:-1]) <= 0)
    for position in range(len(found) + 1):
        pieces = found.pieces(position)
        step = found.record.steps[position]
        assert len(pieces) == step.before
        removed = step.before - step.left
        assert pieces.kept.tolist() == [False] * removed + [True] * step.left
        fates = [pieces.fate(row) for row in range(len(pieces))]
        assert [fate.startswith("removed") for fate in fates] == [not kept for kept in pieces.kept]
        if step.kind == "EM":
            assert np.all(pieces.counts[:removed] < 0.5)
            kept = pieces.counts[removed:]
            assert np.all(kept >= 0.5) == (case == "unigram")
            assert f"{-step.log_likelihood:.3f} nats" in found.sentence(position)
    assert int(found.left[-1]) + 3 == len(found.tokenizer.vocabulary)


def test_final_style_pruning_says_that_scores_decide() -> None:
    found = of_kind(story("final style"), UnigramStory)
    position = next(n for n, step in enumerate(found.record.steps) if step.kind == "pruning")
    assert "removed, whose scores are the lowest;" in found.sentence(position)
    pieces = found.pieces(position)
    removed = [score for score, kept in zip(pieces.scores, pieces.kept, strict=True) if not kept]
    assert len(removed) > 1
    assert removed == sorted(removed, reverse=True)
    fates = {
        (len(pieces.texts[number]) == 1, pieces.fate(row))
        for row, number in enumerate(pieces.numbers)
    }
    assert fates == {
        (True, "stays: a character"),
        (False, "stays"),
        (False, "removed: a lower score"),
    }


def test_a_twin_has_a_text_of_its_own() -> None:
    for case in ("bpe", "unigram"):
        found = story(case)
        found.set_text("the weather")
        twin = found.twin()
        twin.set_text("low")
        last = len(found)
        for one, text in ((found, "the weather"), (twin, "low")):
            assert one.cut(last).span(len(one.cut(last)) - 1)[1] == len(text)


def test_scores_are_written_whole_and_as_programs_read_them() -> None:
    scored = story("ratio")
    for position, line in enumerate(scored.lines()[1:], 1):
        assert float(line[6]) == scored.bars(position)[0].score
    pieces = [line[6] for line in story("sentencepiece").lines()[1:]]
    assert pieces == [str(-row) for row in range(len(pieces))]
