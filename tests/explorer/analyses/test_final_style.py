"""Final-style pruning beside Unigram's own: the vocabularies, and losses summed over all ways to split each word."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest
from plain_unigram import best_score, cuts, expectation
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.final_style import FINAL_STYLE, HOW
from tokenarium.commands.cli import app
from tokenarium.models.training.final_style_runs import PLAIN
from tokenarium.models.training.vocabulary_run import VocabularyRun
from tokenarium.resources.samples_index import load_samples

ENGLISH = next(one for one in load_samples() if one.title == "English").text()
SHORT = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3 + ["wider"] * 3)
WORDS = dict(Counter(f" {word}" for word in SHORT.split()))


def scores_of(tokenizer: tc.Tokenizer) -> dict[str, float]:
    vocabulary = tokenizer.vocabulary
    return {
        vocabulary.piece(token).decode(): vocabulary.scores[token]
        for token in range(3, len(vocabulary))
    }


def trained(number: int, size: int, seed: int) -> tc.Tokenizer:
    if number:
        return tc.train("fsp-unigram", [SHORT], vocab_size=size, initial_vocab_factor=seed, **PLAIN)
    return tc.train("unigram", [SHORT], vocab_size=size, **PLAIN)


def test_a_presentation_asks_for_the_fewest_tokens_and_the_least_loss() -> None:
    answer = FINAL_STYLE.run({}, ENGLISH[:2000], entries=60, seed=10)
    runs = answer.result
    boards = FINAL_STYLE.boards(answer.inputs, runs)
    for board, values in zip(
        boards, ([run.tokens for run in runs], [run.least_loss for run in runs]), strict=True
    ):
        assert board.right == values.index(min(values))
        assert [bar.share for bar in board.bars] == pytest.approx([v / max(values) for v in values])
        assert board.sentence.startswith(
            f"{runs[board.right].name}: {board.bars[board.right].said}"
        )
    same = FINAL_STYLE.boards(answer.inputs, [runs[0], runs[0]])
    assert {(board.sentence, board.right) for board in same} == {("They are the same.", -1)}
    assert not FINAL_STYLE.boards(answer.inputs, [])


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (2.5, "25.0% higher"),
        (1.5, "25.0% lower"),
        (2.0001, "almost the same"),
        (2 + 1e-15, "the same"),
    ],
)
def test_equal_figures_are_said_to_be_the_same(loss: float, said: str) -> None:
    runs = [
        VocabularyRun("a", n, {b"a": 5}, 5, [], 1.0, least) for n, least in enumerate((2, loss))
    ]
    answer = FINAL_STYLE.inputs_for({}, SHORT)
    sentence = FINAL_STYLE.remarks(answer, runs)[1]
    assert sentence.endswith(f"needs as many tokens, and the least loss is {said}.")
    (_, board) = FINAL_STYLE.boards(answer, runs)
    assert (board.right < 0) == said.endswith("same")


@pytest.mark.parametrize("seed", [2, 10])
@pytest.mark.parametrize("number", [0, 1])
def test_the_rows_are_those_of_the_tokenizers(number: int, seed: int) -> None:
    """All characters of the text and the longer entries, their uses in the best splits, and the loss."""
    runs = FINAL_STYLE.run({}, SHORT, entries=6, seed=seed).result
    run = runs[number]
    scores = scores_of(trained(number, 3 + len(set(SHORT)) + 6, seed))
    assert {piece.decode() for piece in run.pieces} == set(scores)
    assert run.base == {one.encode() for one in SHORT}
    used: Counter[str] = Counter()
    for word, times in WORDS.items():
        best = best_score(word, scores)
        cut = next(
            cut
            for cut in cuts(word, scores)
            if sum(scores[one] for one in cut) == pytest.approx(best, abs=1e-6)
        )
        used.update({piece: count * times for piece, count in Counter(cut).items()})
    assert {piece.decode(): count for piece, count in run.pieces.items() if count} == used
    _, likelihood = expectation(WORDS, scores)
    assert run.loss == pytest.approx(-likelihood / sum(WORDS.values()), rel=1e-5)
    other = runs[1 - number]
    assert set(run.only) == set(run.pieces) - set(other.pieces)


def test_the_least_loss_is_that_of_the_best_probabilities() -> None:
    """No change of one probability lowers it, and EM has nearly ended."""
    usual, simpler = FINAL_STYLE.run({}, SHORT, entries=6).result
    for run in (usual, simpler):
        assert run.least_loss < run.loss
        scores = {piece.decode(): -3.0 for piece in run.pieces}
        likelihood = 0.0
        for _ in range(200):
            expected, likelihood = expectation(WORDS, scores)
            total = sum(expected.values())
            scores = {
                one: math.log(expected[one] / total) for one in scores if expected[one] > 1e-30
            }
        assert run.least_loss == pytest.approx(-likelihood / sum(WORDS.values()), rel=0.002)


def test_final_style_entries_explain_english_less_well() -> None:
    """As in the paper; for the model's own loss, SentencePiece 0.2.3 has no EM after its last pruning."""
    usual, simpler = FINAL_STYLE.run({}, ENGLISH, entries=100).result
    assert len(usual.pieces) == len(simpler.pieces) == len(set(ENGLISH) - {"\n"}) + 100
    assert usual.least_loss < simpler.least_loss < simpler.loss < usual.loss


def test_the_note_says_it_in_figures() -> None:
    def note(sizes: tuple[int, int], losses: tuple[float, float]) -> str:
        runs = [
            VocabularyRun("", n, {b"a": size}, 9, [], 0.0, loss)
            for n, (size, loss) in enumerate(zip(sizes, losses, strict=True))
        ]
        return FINAL_STYLE.remarks(FINAL_STYLE.inputs_for({}, "a"), runs)[1]

    assert "needs 10.0% fewer tokens" in note((100, 90), (2.0, 2.1))
    assert "the least loss is 5.0% higher." in note((100, 90), (2.0, 2.1))
    assert "needs 20.0% more tokens" in note((100, 120), (2.0, 1.0))
    assert "the least loss is 50.0% lower." in note((100, 120), (2.0, 1.0))


def test_the_note_says_that_the_sizes_differ() -> None:
    japanese = next(one for one in load_samples() if one.title == "Japanese").text()
    answer = FINAL_STYLE.run({}, japanese, entries=100)
    usual, simpler = (len(run.pieces) for run in answer.result)
    assert usual < simpler
    said = FINAL_STYLE.remarks(answer.inputs, answer.result)[1]
    assert f"It found {simpler} entries, Unigram {usual}." in said


@pytest.mark.parametrize("text", ["one", "\ud800 x", "日本語" * 9, "x" * 3000, "a\tb\r\n\0▁ c"])
def test_short_texts_and_long_words(text: str) -> None:
    answer = FINAL_STYLE.run({}, text, entries=20)
    assert all(math.isfinite(run.loss) for run in answer.result)
    assert FINAL_STYLE.show(answer.inputs, answer.result)


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(tc.TokenariumError, match="no text to train on"):
        FINAL_STYLE.run({}, text)


def test_it_is_done_in_slices() -> None:
    inputs = FINAL_STYLE.inputs_for({}, SHORT)
    result = FINAL_STYLE.begin(inputs)
    task = FINAL_STYLE.task(inputs, result)
    task.step(0)
    assert (task.finished, result) == (False, [])
    task.run()
    assert len(result) == 2


def test_the_command_needs_no_tokenizer() -> None:
    line = ["final-style", SHORT, "--entries", "6"]
    rows = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    answer = FINAL_STYLE.run({}, SHORT, entries=6)
    assert [(row["tokens"], row["loss"]) for row in rows] == [
        (run.tokens, pytest.approx(run.loss)) for run in answer.result
    ]
    assert HOW in CliRunner().invoke(app, line).stdout
