"""Training WordPiece gives what its plainest form gives, and can be stepped and stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_wordpiece import LINES, learn, words_of
from running import run_whole
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.vocab_txt_format import SPECIAL
from tokenarium_core.training.wordpiece_trainer import WordPieceTrainer

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
    trainer = run_whole(
        WordPieceTrainer(40 + len(SPECIAL), lines, (), lowercase, limit, min_frequency, scoring)
    )
    assert pieces_of(trainer) == plain.symbols + plain.merges


@pytest.mark.parametrize("lowercase", [True, False])
def test_prose_as_texts_and_as_a_file(lowercase: bool, tmp_path: Path) -> None:
    path = write_file(tmp_path / "prose.txt", (PROSE * 3).encode())
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
    trainer = run_whole(WordPieceTrainer(405, [text], scoring=scoring))
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
    trainer = run_whole(WordPieceTrainer(160, [PROSE], lowercase=False))
    path = write_file(tmp_path / "vocab.txt", trainer.vocab_txt())
    made = trainer.tokenizer("made")
    opened = tc.open(path)
    text = "The Café of Αθήνα ☃"
    assert made.encode_ids(text) == opened.encode_ids(text)
    assert made.special_tokens == {name: token for token, name in enumerate(SPECIAL)}
    assert made.source.format == "trained"


OWN = ["<pad>", "<s>", "</s>", "<?>", "<m>", "<x1>"]


def with_own_tokens(special: list[str] = OWN) -> tc.Tokenizer:
    return tc.train(
        "wordpiece",
        [PROSE + "<x1>", "<s>" * 3],
        vocab_size=180,
        special_tokens=special,
        unk_token="<?>",
        cls_token="<s>",
        sep_token="</s>",
    )


@pytest.mark.parametrize("format", ["tokenarium", "huggingface"])
def test_special_tokens_of_ones_own_are_kept_in_files(format: str, tmp_path: Path) -> None:
    made = with_own_tokens()
    made.save(tmp_path / "made.json", format=format)
    text = "The next merge ☃ <x1> a"
    for tokenizer in (made, tc.open(tmp_path / "made.json")):
        assert tokenizer.special_tokens == {name: token for token, name in enumerate(OWN)}
        ids = list(tokenizer.encode(text, "all").ids)
        assert ids == list(made.encode(text, "all").ids)
        assert ids[-3:-1] == [3, 5]  # the snowman is unknown
        assert tokenizer.template is not None
        assert (tokenizer.template.before, tokenizer.template.after) == ([1], [2])
        assert tokenizer.decode([1, *ids, 2]).startswith("the next merge")
    with pytest.raises(TokenariumError, match=r"no line \[UNK\]"):
        made.save(tmp_path / "vocab.txt", format="vocab.txt")


def test_the_token_for_unknown_words_has_to_be_the_one_of_the_file(tmp_path: Path) -> None:
    options = {"vocab_size": 160, "unk_token": "[MASK]"}
    made = tc.train("wordpiece", [PROSE], **options)  # type: ignore[arg-type]
    assert made.encode_ids("☃") == [SPECIAL.index("[MASK]")]
    with pytest.raises(TokenariumError, match=r"unknown words is \[UNK\]"):
        made.save(tmp_path / "vocab.txt", format="vocab.txt")


def test_fewer_special_tokens_of_berts_names_make_a_vocab_txt(tmp_path: Path) -> None:
    made = tc.train("wordpiece", [PROSE], vocab_size=160, special_tokens=["[SEP]", "[UNK]"])
    assert made.template is None
    made.save(tmp_path / "vocab.txt", format="vocab.txt")
    assert tc.open(tmp_path / "vocab.txt").special_tokens == {"[SEP]": 0, "[UNK]": 1}


def test_no_entry_is_made_twice() -> None:
    """Lower-casing makes the word of a special token, at which the corpus itself is not cut."""
    made = tc.train(
        "wordpiece", ["AB AB"] * 9, vocab_size=99, special_tokens=["ab", "?"], unk_token="?"
    )
    pieces = [made.vocabulary.surface(token) for token in range(len(made.vocabulary))]
    assert pieces == ["ab", "?", "a", "b", "##b"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"special_tokens": []}, r"have no '\[UNK\]'.*or say by unk_token"),
        ({"special_tokens": ["[UNK]", ""]}, "empty"),
        ({"special_tokens": ["[UNK]", "[UNK]"]}, "named twice"),
        ({"special_tokens": ["[UNK]", "##a"]}, "begins with ##"),
        ({"cls_token": "<s>"}, "cls_token = '<s>' is not one of the special tokens"),
        ({"sep_token": "<s>"}, "sep_token = '<s>' is not one of the special tokens"),
        ({"special_tokens": ["[UNK]", "a"]}, "'a' is also a character of the normalized corpus"),
    ],
)
def test_special_tokens_that_cannot_be(options: dict[str, object], said: str) -> None:
    with pytest.raises(TokenariumError, match=said):
        tc.train("wordpiece", ["A bc"], vocab_size=50, **options)


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(TokenariumError, match="the special tokens and a character need 6"):
        WordPieceTrainer(5, ["ab"])
    with pytest.raises(TokenariumError, match=r"8 characters, .* need 13\. Ask for at least"):
        WordPieceTrainer(12, ["abcd bcda"]).run()
    with pytest.raises(TokenariumError, match="no text to train on"):
        WordPieceTrainer(100, [" \n"]).run()
    trainer = run_whole(WordPieceTrainer(100, ["ab ab"]))
    assert trainer.report == (
        "The corpus gave 1 of 92 merges: no other pair occurs in it 2 times or more."
    )


def test_the_short_way() -> None:
    tokenizer = tc.train("wordpiece", [PROSE], vocab_size=140, lowercase=False)
    assert len(tokenizer.vocabulary) == 140
