"""Training SentencePiece's BPE gives what its plainest form gives, and can be stepped and stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from narrowed import assert_contains
from plain_sentencepiece import LINES, choices, learn
from running import run_whole
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core import COMPILED
from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.training.sentencepiece.sentencepiece_bpe_trainer import SentencePieceBpeTrainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining

PROSE = (
    "The first merge takes the most frequent pair; the next merge takes the next one, and so on.\n"
    "aaaa aaa aaaaaaa abababab ababa bababab aabbaabb 1234 12 1212 ... !!! ????\n\n  \n\tΑθήνα, "
    "Ελλάδα; 日本語の文章は空白で区切られない。日本語の単語は長い。東京都東京都東京都\nТо be, або не be.\n"
    "def first(merge):  return  merge12 <s> is <unk>, e\u0301a\u0301 б\u0301b\u0301 ▁a▁▁b ｶﾞ ﬁﬁ\n"
)


def trained(lines: list[str], size: int, **options: Any) -> SentencePieceBpeTrainer:
    """Returns a trainer that has run to its end, with a vocabulary of ``size`` pieces beside the symbols."""
    training = SentencePieceTraining(**options)
    return run_whole(
        SentencePieceBpeTrainer(training, size + len(training.symbols), ["\n".join(lines)])
    )


def merges_of(trainer: SentencePieceBpeTrainer) -> list[str]:
    """Returns the pieces that were merged."""
    return [
        trainer.new_piece(number).decode().replace(" ", "▁")
        for number in range(trainer.merges.made)
    ]


def check(lines: list[str], size: int, **options: Any) -> None:
    """Checks a training against the plain one, up to the first tie."""
    training = SentencePieceTraining(**options)
    plain = learn(training, lines, size)
    if not 0 < len(plain.characters) <= size:
        return
    if plain.ambiguous:
        size = len(plain.characters) + len(plain.merges)
    trainer = trained(lines, size, **options)
    assert merges_of(trainer) == plain.merges
    pieces, scores = trainer.pieces()
    assert [piece.decode().replace(" ", "▁") for piece in pieces[trainer.merges.made :]] == (
        plain.characters
    )
    assert scores == [-float(number) for number in range(len(pieces))]
    assert list(trainer.token_counts) == plain.token_counts


@pytest.mark.slow
@given(lines=LINES, options=choices())
@example(lines=["\x1f"], options={"remove_extra_whitespaces": False})  # becomes empty
@settings(max_examples=100 if COMPILED else 25)  # interpreted, one takes a second
def test_it_learns_what_the_plain_training_learns(
    lines: list[str], options: dict[str, Any]
) -> None:
    check(lines, 30, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalization": "identity"},
        {"split_by_whitespace": False, "normalization": "identity"},
        {"treat_whitespace_as_suffix": True},
        {"remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True},
        {"add_dummy_prefix": False, "normalization": "identity"},
        {"split_digits": True, "split_by_unicode_script": False},
        {"split_by_number": False, "user_defined_symbols": ["merge", "12"]},
    ],
)
def test_prose_in_many_ways(options: dict[str, Any]) -> None:
    check(PROSE.split("\n") * 2, 150, **options)


def test_files_and_texts_are_read_alike(tmp_path: Path) -> None:
    path = write_file(tmp_path / "prose.txt", (PROSE * 3).encode())
    training = SentencePieceTraining()
    of_file = SentencePieceBpeTrainer(training, 200, files=[path])
    of_lines = SentencePieceBpeTrainer(training, 200, (PROSE * 3).split("\n"))
    of_file.run()
    of_lines.run()
    assert of_file.model_file() == of_lines.model_file()


def test_a_long_line_is_read_whole(tmp_path: Path) -> None:
    path = write_file(tmp_path / "long.txt", ("abc é " * 200_000).encode())
    training = SentencePieceTraining(normalization="identity")
    trainer = run_whole(SentencePieceBpeTrainer(training, 20, files=[path]))
    assert trainer.pre_token_count == 400_000
    assert trainer.byte_count == 200_000 * 7


def test_long_lines_are_left_out_where_that_is_asked_for() -> None:
    options: dict[str, Any] = {"max_sentence_length": 10, "normalization": "identity"}
    trainer = trained(["abab abab", "cdcd cdcd cdcd", "▅ ab"], 12, **options)
    assert merges_of(trainer)[0] == "ab"
    assert "cd" not in "".join(merges_of(trainer))
    assert_contains(
        trainer.report,
        "1 lines of more than 10 bytes were left out.",
        "1 lines with the character U+2585",
    )


def test_it_can_be_stepped_watched_and_stopped() -> None:
    training = SentencePieceTraining()
    trainer = SentencePieceBpeTrainer(training, 200, [PROSE] * 5)
    assert not trainer.usable
    with pytest.raises(TokenariumError, match="The training is still counting"):
        trainer.tokenizer("early")
    phases = []
    early: tc.Tokenizer | None = None
    progress = trainer.step(0)
    while not progress.finished:
        phases.append(progress.phase)
        if early is None and trainer.usable:
            early = trainer.tokenizer("early")
            assert len(early.vocabulary) == trainer.piece_count
        progress = trainer.step(0)
    assert phases[0] == "counting"
    assert phases[-1] == "merging"
    assert early is not None
    assert early.decode(early.encode_ids("the next merge")) == "the next merge"
    final = trainer.tokenizer("final")
    assert len(final.vocabulary) == trainer.piece_count == 200
    whole = run_whole(SentencePieceBpeTrainer(training, 200, [PROSE] * 5))
    assert whole.model_file() == trainer.model_file()


def test_the_tokenizer_is_that_of_its_model_file(tmp_path: Path) -> None:
    trainer = trained([PROSE], 200, byte_fallback=True, control_symbols=["<c>"])
    path = write_file(tmp_path / "trained.model", trainer.model_file())
    made = trainer.tokenizer("made")
    opened = tc.open(path)
    text = "the most frequent pair 東京 <c> ∑"
    assert made.encode_ids(text) == opened.encode_ids(text)
    assert made.decode(made.encode_ids(text)) == text
    assert [made.vocabulary.surface(token) for token in range(6)] == [
        "<unk>", "<s>", "</s>", "<c>", "<0x00>", "<0x01>",
    ]  # fmt: skip
    assert made.special_tokens == {"<s>": 1, "</s>": 2, "<c>": 3}


def test_the_report_names_missing_pieces() -> None:
    trainer = trained(["ab ab"], 100)
    assert trainer.report == (
        "The corpus gave 2 of 97 merges: no other pair that may be an entry occurs in it 1 times or more."
    )


@pytest.mark.parametrize(
    ("options", "size", "message"),
    [
        ({}, 3, "A vocabulary of 3 is too small: the control and user-defined symbols"),
        ({"byte_fallback": True}, 259, "alone need 259. Ask for more than that."),
        ({}, 20, r"3 symbols and the 40 characters of the corpus need 43\. Ask for at least"),
        ({"character_coverage": 0.5}, 100, "has to be between 0.98 and 1"),
        ({"max_sentencepiece_length": 0}, 100, "has to be between 1 and"),
        ({"normalization": "NFD"}, 100, "choose one of nmt_nfkc"),
        ({"control_symbols": ["<unk>"]}, 100, "<unk> already exists"),
        ({"control_symbols": ["a"], "user_defined_symbols": ["a"]}, 100, "'a' is named twice"),
        ({"control_symbols": [""]}, 100, "'' cannot be a symbol"),
        (
            {"control_symbols": ["é"], "required_chars": "aé"},
            100,
            "'é' is a control symbol, .*, and a required character",
        ),
        ({"byte_fallback": True, "user_defined_symbols": ["<0x41>"]}, 300, "'<0x41>' is the name of a byte"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(options: dict[str, Any], size: int, message: str) -> None:
    text = "".join(chr(code) for code in range(0x61, 0x61 + 26)) + "αβγδεζηθικλμν"
    with pytest.raises(TokenariumError, match=message):
        SentencePieceBpeTrainer(SentencePieceTraining(**options), size, [text]).run()


@pytest.mark.parametrize("algorithm", ["sentencepiece-bpe", "unigram"])
def test_a_required_character_that_is_a_symbol_is_one_entry(algorithm: str) -> None:
    tokenizer = tc.train(
        algorithm,
        ["a cab and a cob"] * 3,
        vocab_size=16,
        required_chars="a▁z",
        user_defined_symbols=["a", "▁"],
    )
    vocabulary = tokenizer.vocabulary
    surfaces = [vocabulary.surface(token) for token in range(len(vocabulary))]
    assert len(set(surfaces)) == len(surfaces)
    assert {"a", "▁", "z"} <= set(surfaces)
    assert tokenizer.decode(tokenizer.encode_ids("a cab")) == "a cab"


def test_a_corpus_without_text_is_said() -> None:
    with pytest.raises(TokenariumError, match="no text to train on"):
        SentencePieceBpeTrainer(SentencePieceTraining(), 100, ["", "  \n"]).run()


def test_a_file_that_is_not_utf8_is_said(tmp_path: Path) -> None:
    path = write_file(tmp_path / "latin1.txt", b"caf\xe9 au lait")
    with pytest.raises(FormatError, match="not UTF-8"):
        SentencePieceBpeTrainer(SentencePieceTraining(), 100, files=[path]).run()


def test_the_short_way() -> None:
    tokenizer = tc.train("sentencepiece-bpe", [PROSE], vocab_size=150, split_digits=True)
    assert len(tokenizer.vocabulary) == 150
    assert tokenizer.source.format == "trained"
    with pytest.raises(TokenariumError, match="has no option 'pattern'"):
        tc.train("sentencepiece-bpe", [PROSE], vocab_size=150, pattern="gpt2")
