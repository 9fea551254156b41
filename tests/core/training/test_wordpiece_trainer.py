"""Training WordPiece gives what its plainest form gives, and can be stepped and stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_wordpiece import LINES, learn, words_of

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.vocab_txt_format import SPECIAL
from tokenarium_core.training.wordpiece_trainer import WordPieceTrainer

pytestmark = pytest.mark.core

PROSE = (
    "The first merge takes the most frequent pair; the next merge takes the next one, and so on.\n"
    "aaaa aaa aaaaaaa abababab ababa bababab aabbaabb 1234 12 1212 ... !!! ????\n\n  \n\tΑθήνα, "
    "Ελλάδα; 日本語の文章は空白で区切られない。東京都東京都\nТо be, або не be. naïve Café ÉCOLE\n"
)


def pieces_of(trainer: WordPieceTrainer) -> list[str]:
    """Returns the pieces that were learned, without the special tokens."""
    lines = trainer.vocab_txt().decode().split("\n")
    assert lines[: len(SPECIAL)] == SPECIAL
    return lines[len(SPECIAL) : -1]


@pytest.mark.slow
@given(
    lines=LINES,
    lowercase=st.booleans(),
    min_frequency=st.integers(1, 3),
    limit=st.sampled_from([2, 5, 1000]),
    scoring=st.sampled_from(["frequency", "likelihood", "ratio"]),
)
@settings(max_examples=100 if COMPILED else 25)  # interpreted, one takes a second
def test_it_learns_what_the_plain_training_learns(
    lines: list[str], lowercase: bool, min_frequency: int, limit: int, scoring: str
) -> None:
    words = words_of(lines, lowercase)
    if not words:
        return
    plain = learn(words, 40, min_frequency, limit, scoring)
    trainer = WordPieceTrainer(
        40 + len(SPECIAL), lines, (), lowercase, limit, min_frequency, scoring
    )
    trainer.run()
    assert pieces_of(trainer) == plain.symbols + plain.merges


@pytest.mark.parametrize("lowercase", [True, False])
def test_prose_as_texts_and_as_a_file(lowercase: bool, tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_bytes((PROSE * 3).encode())
    plain = learn(words_of([PROSE * 3], lowercase), 250, 2, 1000)
    for trainer in (
        WordPieceTrainer(255, [PROSE] * 3, lowercase=lowercase),
        WordPieceTrainer(255, files=[path], lowercase=lowercase),
    ):
        trainer.run()
        assert pieces_of(trainer) == plain.symbols + plain.merges
        assert trainer.piece_count == len(plain.symbols) + len(plain.merges) + len(SPECIAL)


@pytest.mark.parametrize("scoring", ["likelihood", "ratio"])
def test_longer_prose_in_the_other_orders(scoring: str) -> None:
    text = (PROSE + PROSE.replace("e", "er").replace("a", "an")) * 7
    plain = learn(words_of([text], True), 400, 2, 1000, scoring)
    trainer = WordPieceTrainer(405, [text], scoring=scoring)
    trainer.run()
    assert pieces_of(trainer) == plain.symbols + plain.merges


def test_it_can_be_stepped_watched_and_stopped() -> None:
    trainer = WordPieceTrainer(180, [PROSE] * 5)
    with pytest.raises(TokenariumError, match="The training is still counting"):
        trainer.tokenizer("early")
    phases = []
    early: tc.Tokenizer | None = None
    progress = trainer.step(0)
    while not progress.finished:
        phases.append(progress.phase)
        if early is None and trainer.usable:
            early = trainer.tokenizer("early")
        progress = trainer.step(0)
    assert phases[0] == "counting"
    assert phases[-1] == "merging"
    assert early is not None
    assert early.encode_ids("merge") != [1]
    assert list(trainer.token_counts) == sorted(trainer.token_counts, reverse=True)
    assert trainer.new_piece(0).decode() == pieces_of(trainer)[-trainer.merges.made]
    final = trainer.tokenizer("final")
    assert len(final.vocabulary) == trainer.piece_count == 180
    assert final.decode(final.encode_ids("The next merge")) == "the next merge"


def test_the_tokenizer_is_that_of_its_vocab_txt(tmp_path: Path) -> None:
    trainer = WordPieceTrainer(160, [PROSE], lowercase=False)
    trainer.run()
    path = tmp_path / "vocab.txt"
    path.write_bytes(trainer.vocab_txt())
    made = trainer.tokenizer("made")
    opened = tc.open(path)
    text = "The Café of Αθήνα ☃"
    assert made.encode_ids(text) == opened.encode_ids(text)
    assert made.special_tokens == {name: token for token, name in enumerate(SPECIAL)}
    assert made.source.format == "trained"


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(TokenariumError, match="the special tokens and a character take 6"):
        WordPieceTrainer(5, ["ab"])
    with pytest.raises(TokenariumError, match=r"8 characters, .* take 13\. Ask for at least"):
        WordPieceTrainer(12, ["abcd bcda"]).run()
    with pytest.raises(TokenariumError, match="no text to train on"):
        WordPieceTrainer(100, [" \n"]).run()
    trainer = WordPieceTrainer(100, ["ab ab"])
    trainer.run()
    assert trainer.report == (
        "The corpus gave 1 of 92 merges: no other pair occurs in it 2 times or more."
    )


def test_the_short_way() -> None:
    tokenizer = tc.train("wordpiece", [PROSE], vocab_size=140, lowercase=False)
    assert len(tokenizer.vocabulary) == 140
