"""Training Unigram: from a corpus to a tokenizer, step by step."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from narrowed import assert_contains, of_kind
from running import run_through, run_whole
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

SYLLABLES = ["ka", "mi", "no", "ru", "te", "sho", "en", "ra", "vi", "pol"]


def sentences(count: int, seed: int = 1) -> list[str]:
    """Returns lines of made-up words, some of them frequent."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 5))) for _ in range(150)]
    return [" ".join(chance.choices(words, range(150, 0, -1), k=6)) for _ in range(count)]


CORPUS = sentences(150)


def trainer(vocab_size: int, corpus: list[str] | str = CORPUS, **options: object) -> UnigramTrainer:
    """Returns a trainer of lines."""
    text = corpus if isinstance(corpus, str) else "\n".join(corpus)
    return of_kind(
        make_trainer("unigram", [text], vocab_size=vocab_size, **options), UnigramTrainer
    )


def pieces_of(tokenizer: tc.Tokenizer) -> list[str]:
    """Returns all pieces as the file spells them."""
    return [tokenizer.vocabulary.surface(token) for token in range(len(tokenizer.vocabulary))]


def test_a_trained_tokenizer_works_at_once() -> None:
    tokenizer = tc.train("unigram", ["\n".join(CORPUS)], vocab_size=60, name="syllables")
    pieces = pieces_of(tokenizer)
    assert len(pieces) == 60
    assert pieces[:3] == ["<unk>", "<s>", "</s>"]
    assert {"▁", *"kaminorutesholvp"} <= set(pieces)
    scores = list(tokenizer.vocabulary.scores)[3:]
    assert scores == sorted(scores, reverse=True)
    assert all(score < 0 for score in scores)
    for line in CORPUS[:20]:
        ids = tokenizer.encode_ids(line)
        assert tokenizer.decode(ids) == line
        assert len(ids) < len(line) / 2
    assert tokenizer.encode_ids("x") == [pieces.index("▁"), 0]


def test_the_steps_report_the_progress() -> None:
    training = trainer(60)
    assert training.progress.phase == "counting"
    phases: list[str] = []
    made: tc.Tokenizer | None = None
    while not training.progress.finished:
        progress = training.step(0)
        assert 0 <= progress.done <= progress.total
        if progress.phase not in phases:
            phases.append(progress.phase)
        if not training.usable:
            with pytest.raises(tc.TokenariumError, match="it has made no tokenizer yet"):
                training.tokenizer("early")
        elif made is None:
            made = training.tokenizer("early")
    rounds = len(training.pruned_pieces)
    assert rounds > 2
    expected = ["counting", "seeding"]
    for number in range(1, rounds + 1):
        expected += [f"EM round {number}", f"pruning round {number}"]
    assert phases == expected
    assert made is not None
    assert len(made.vocabulary) == 60
    assert made.decode(made.encode_ids(CORPUS[0])) == CORPUS[0]
    assert training.piece_count == 60
    assert training.report == ""
    assert training.pre_token_count == 6 * 150
    assert training.distinct_count <= 150
    assert training.byte_count == sum(len(line) + 1 for line in CORPUS)
    assert training.memory > 0
    # Fewer pieces take more tokens, and distinguish the words less well.
    assert list(training.pruned_pieces) == sorted(training.pruned_pieces, reverse=True)
    assert list(training.pruned_tokens) == sorted(training.pruned_tokens)
    assert len(training.em_pieces) == len(training.em_log_likelihoods) == 2 * rounds
    first = range(0, 2 * rounds, 2)
    likelihoods = list(training.em_log_likelihoods)
    assert all(likelihoods[at] < likelihoods[at + 1] for at in first)


@pytest.mark.parametrize("vocab_size", [30, 45, 80])
def test_there_are_as_many_pieces_as_asked_for(vocab_size: int) -> None:
    training = run_whole(trainer(vocab_size))
    assert len(training.tokenizer("sized").vocabulary) == vocab_size == training.piece_count


def test_a_corpus_can_have_too_few() -> None:
    training = run_whole(trainer(1000))
    count = len(training.tokenizer("few").vocabulary)
    assert 100 < count == training.piece_count < 1000
    assert training.report == (
        f"The corpus gave {count} of 1,000 entries: no others make it more likely."
    )


def test_the_order_and_the_number_of_texts_do_not_matter(tmp_path: Path) -> None:
    shuffled = CORPUS[::-1]
    first = run_whole(trainer(60))
    second = make_trainer("unigram", shuffled, vocab_size=60)
    run_through(second, 1)
    file = write_file(tmp_path / "lines.txt", "\n".join(CORPUS[50:] + CORPUS[:50]))
    third = run_whole(make_trainer("unigram", files=[file], vocab_size=60))
    tokenizers = [made.tokenizer("same") for made in (first, second, third)]
    assert len({tuple(pieces_of(tokenizer)) for tokenizer in tokenizers}) == 1
    scores = [list(tokenizer.vocabulary.scores) for tokenizer in tokenizers]
    assert scores[1] == pytest.approx(scores[0])
    assert scores[2] == pytest.approx(scores[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "there", "not_there"),
    [
        ({"byte_fallback": True, "vocab_size": 320}, {"<0x00>", "<0xFF>", "<unk>"}, set()),
        ({"required_chars": "žQ"}, {"ž", "Q"}, set()),
        ({"user_defined_symbols": ["ka"], "control_symbols": ["<go>"]}, {"ka", "<go>"}, {"kami"}),
        ({"split_digits": True}, {"1", "2"}, {"12", "▁12"}),
        ({}, {"▁12"}, {"▁12ka", "2k", "кот-"}),
        ({"split_by_number": False}, {"▁12ka"}, set()),
        ({"treat_whitespace_as_suffix": True}, {"12▁"}, {"▁12"}),
        ({"split_by_whitespace": False}, {"▁terute▁sho"}, set()),
        ({"max_sentencepiece_length": 3}, {"▁12"}, {"▁кот", "▁pol"}),
        ({"split_by_unicode_script": False}, {"▁кот-no"}, set()),
        ({"normalization": "nfkc_cf"}, {"▁кот"}, {"К"}),
        ({"normalization": "nmt_nfkc_cf"}, {"▁loud"}, {"L", "O", "▁LOUD"}),
    ],
)
def test_what_is_a_piece_is_chosen(
    options: dict[str, object], there: set[str], not_there: set[str]
) -> None:
    lines = [*CORPUS[:40], *["12 кот-no 12ka КОТ"] * 60, *["LOUD"] * 30]
    choices = {"vocab_size": 90, "character_coverage": 1.0, **options}
    vocab_size = of_kind(choices.pop("vocab_size"), int)
    training = run_whole(trainer(vocab_size, lines, **choices))
    pieces = set(pieces_of(training.tokenizer("chosen")))
    assert there <= pieces
    assert not not_there & pieces
    longest = of_kind(choices.get("max_sentencepiece_length", 16), int)
    assert max(len(piece) for piece in pieces if piece[0] != "<") <= longest


def test_rare_characters_are_unknown_and_the_others_are_kept() -> None:
    lines = [*CORPUS, "~ ^ka"]
    training = run_whole(trainer(60, lines, character_coverage=0.998))
    tokenizer = training.tokenizer("covered")
    pieces = pieces_of(tokenizer)
    assert {"▁" if code == 32 else chr(code) for code, _ in training.alphabet} <= set(pieces)
    assert not {"~", "^"} & set(pieces)
    assert 0 in tokenizer.encode_ids("~")


@pytest.mark.parametrize(
    ("corpus", "vocab_size", "options", "said"),
    [
        ("", 50, {}, "has no text to train on"),
        ("\n \n", 50, {}, "has no text to train on"),
        ("ka\nka", 50, {"user_defined_symbols": ["ka"], "add_dummy_prefix": False}, "has no text"),
        ("a", 3, {}, "A vocabulary of 3 is too small"),
        ("a", 200, {"byte_fallback": True}, "A vocabulary of 200 is too small"),
        ("abcdefgh", 9, {}, "3 symbols and the 9 characters of the corpus need 12"),
        ("a", 50, {"shrinking_factor": 0.2}, "shrinking_factor = 0.2 has to be at least 0.5"),
        ("a", 50, {"num_sub_iterations": 0}, "num_sub_iterations = 0 has to be"),
        ("a", 50, {"seed_sentencepiece_size": 5}, "has to be at least 1,000"),
        ("a", 50, {"character_coverage": 0.5}, "character_coverage = 0.5 has to be"),
    ],
)
def test_what_cannot_be_trained_is_refused(
    corpus: str, vocab_size: int, options: dict[str, object], said: str
) -> None:
    with pytest.raises(tc.TokenariumError, match=said):
        trainer(vocab_size, corpus, **options).run()


def test_lines_that_were_left_out_are_reported() -> None:
    training = run_whole(trainer(60, [*CORPUS, "▅ka"], max_sentence_length=40))
    assert_contains(
        training.report,
        "lines of more than 40 bytes were left out.",
        "1 lines with the character U+2585",
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", ["a", "a b", "aaaa", "ab" * 500, "日本語", "\U0001f600\u200d x"])
def test_the_smallest_corpora(text: str) -> None:
    training = run_whole(trainer(40, text))
    tokenizer = training.tokenizer("small")
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    assert "The corpus gave" in training.report


def test_both_cores_train_the_same() -> None:
    """The compiled core and the interpreted one are compared with the same result."""
    training = run_whole(UnigramTrainer(SentencePieceTraining(), 30, ["\n".join(CORPUS)]))
    tokenizer = training.tokenizer("golden")
    scores = [round(score, 3) for score in tokenizer.vocabulary.scores]
    found = list(zip(pieces_of(tokenizer), scores, strict=True))
    assert found[3:] == GOLDEN


GOLDEN = [
    ("ru", -2.383),
    ("vi", -2.715),
    ("ra", -2.92),
    ("pol", -2.929),
    ("sho", -2.989),
    ("mi", -2.989),
    ("▁ra", -3.009),
    ("no", -3.052),
    ("te", -3.062),
    ("▁sho", -3.085),
    ("ka", -3.216),
    ("m", -5.562),
    ("k", -5.562),
    ("t", -5.562),
    ("s", -5.562),
    ("h", -5.562),
    ("p", -5.562),
    ("l", -5.563),
    ("u", -5.563),
    ("v", -5.563),
    ("n", -5.563),
    ("a", -5.563),
    ("e", -5.563),
    ("i", -5.563),
    ("r", -5.563),
    ("o", -5.563),
    ("▁", -5.563),
]
