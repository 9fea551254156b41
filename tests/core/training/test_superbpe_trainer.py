"""SuperBPE gives the merges of the plainest algorithm, and a tokenizer that cuts as it was trained."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_bpe import Merge, anything, merges_of, naive_merges, words_of
from narrowed import of_kind
from running import run_whole

import tokenarium_core as tc
from tokenarium_core.explaining.vocabulary_entries import superwords, words_in
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer

PROSE = (
    "By the way, I am a fan of the Milky Way. By the way: I am not. All of the 1234 stars, and all of "
    "the 12 moons; of the sun, and of the way.\nBy the way...\n\n  def of(the):\n    return the, way  \n"
    "日本語の文章、日本語の単語。 नमस्ते दुनिया, नमस्ते दुनिया. Ça va? Ça va bien!\r\nÇa va: of\tthe way, of\tthe sun."
)

Rule = Callable[[bytes, bytes], bool]


def within_words(most: int) -> Rule:
    """Returns a rule: at most so many words."""
    return lambda left, right: len((left + right).split()) <= most


def within_lines(left: bytes, right: bytes) -> bool:
    """Allows only blanks after a line break."""
    return (b"\n" not in left and b"\r" not in left) or not right.strip(b" \t\n\r\v\f")


def kinds(piece: bytes) -> set[str]:
    """Returns what kinds of characters a piece has: the first letters of Unicode's categories."""
    return {
        "Z" if character.isspace() else unicodedata.category(character)[0]
        for character in piece.decode(errors="ignore")
    }


def without_punctuation(left: bytes, right: bytes) -> bool:
    """Allows no punctuation beside letters and digits."""
    both = kinds(left) | kinds(right)
    return not (both & set("LN") and both - set("LNMZ"))


def both(*rules: Rule) -> Rule:
    """Returns a rule that combines others."""
    return lambda left, right: all(rule(left, right) for rule in rules)


def naive(
    texts: list[str],
    names: tuple[str, str],
    merges: int,
    transition: int,
    min_frequency: int,
    allowed: Rule,
) -> list[Merge]:
    """Returns the merges of both stages."""
    first = naive_merges(words_of(texts, names[0]), transition, min_frequency)
    return naive_merges(words_of(texts, names[1]), merges, min_frequency, first, allowed)


def trained(
    texts: list[str],
    names: tuple[str, str],
    merges: int,
    transition: int,
    min_frequency: int = 2,
    **options: object,
) -> SuperBpeTrainer:
    """Returns a trainer that has run to its end."""
    return run_whole(
        of_kind(
            make_trainer(
                "superbpe",
                texts,
                vocab_size=256 + merges,
                pattern=names[0],
                superword_pattern=names[1],
                transition=256 + transition,
                min_frequency=min_frequency,
                **options,
            ),
            SuperBpeTrainer,
        )
    )


ANY = {"max_words": 0, "across_lines": True}
NAMES = [("gpt2", "superbpe"), ("cl100k", "superbpe"), ("o200k", "digits"), ("whitespace", "gpt2")]


@pytest.mark.slow
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        (ANY, anything),
        ({"max_words": 2, "across_lines": True}, within_words(2)),
        ({"max_words": 0}, within_lines),
        ({**ANY, "across_punctuation": False}, without_punctuation),
        ({**ANY, "kept_apart": ":ya"}, lambda a, b: not set((a + b).decode(errors="ignore")) & set(":ya")),
        ({"across_punctuation": False}, both(within_words(4), within_lines, without_punctuation)),
    ],
)  # fmt: skip
def test_equals_naive_training(
    names: tuple[str, str], options: dict[str, object], allowed: Rule
) -> None:
    texts = [PROSE, PROSE[::-1], PROSE[40:200] * 3]
    trainer = trained(texts, names, 220, 90, **options)
    assert merges_of(trainer) == naive(texts, names, 220, 90, 2, allowed)


@pytest.mark.slow
@settings(max_examples=150 if tc.COMPILED else 10)
@given(
    st.lists(st.text(st.sampled_from("aab  \n.,1é"), max_size=80), max_size=4),
    st.sampled_from(NAMES),
    st.integers(0, 30),
    st.integers(1, 3),
)
def test_equals_naive_training_on_any_text(
    texts: list[str], names: tuple[str, str], transition: int, min_frequency: int
) -> None:
    trainer = trained(texts, names, 60, transition, min_frequency)
    rule = both(within_words(4), within_lines)
    made = naive(texts, names, 60, transition, min_frequency, rule)
    assert merges_of(trainer) == made
    if trainer.merges_made > transition:
        tokenizer = trainer.tokenizer("any")
        assert sum(len(tokenizer.encode_ids(text)) for text in texts) == made[-1][3]


@pytest.mark.parametrize("names", NAMES)
def test_the_tokenizer_gives_the_tokens_that_were_counted(names: tuple[str, str]) -> None:
    texts = [PROSE, PROSE[::-1], PROSE[40:200] * 3]
    trainer = trained(texts, names, 220, 90)
    tokenizer = trainer.tokenizer("counted")
    assert trainer.token_counts[-1] == sum(len(tokenizer.encode_ids(text)) for text in texts)
    for text in texts:
        assert tokenizer.decode(tokenizer.encode_ids(text)) == text


@pytest.mark.slow
def test_real_texts(texts: dict[str, str]) -> None:
    some = [texts[name][: 4000 if tc.COMPILED else 1500] for name in sorted(texts)[::6]]
    names = ("cl100k", "superbpe")
    trainer = trained(some, names, 120, 80)
    assert merges_of(trainer) == naive(some, names, 120, 80, 2, both(within_words(4), within_lines))
    every = list(texts.values()) if tc.COMPILED else some[:2]
    large = trained(every, names, 6000, 4000)
    tokenizer = large.tokenizer("real")
    assert large.token_counts[-1] == sum(len(tokenizer.encode_ids(text)) for text in every)


def test_superwords_are_known_by_their_bytes() -> None:
    tokenizer = trained([PROSE] * 3, ("gpt2", "superbpe"), 220, 90).tokenizer("super")
    pieces = [tokenizer.vocabulary.piece(token) for token in superwords(tokenizer)]
    assert b" of the" in pieces
    assert all(2 <= words_in(piece) <= 4 for piece in pieces)
    assert len(pieces) == sum(
        words_in(tokenizer.vocabulary.piece(token)) > 1
        for token in range(256, len(tokenizer.vocabulary))
    )
    plain = tc.train("bpe", [PROSE] * 3, vocab_size=476, pattern="gpt2")
    assert superwords(plain) == []
    assert words_in(b"  a\n") == 1
    assert words_in(b"e of the ") == 3


def test_tiny_steps_give_what_one_run_gives() -> None:
    texts = [PROSE] * 5 + [PROSE[::-1]] * 2
    whole = trained(texts, ("gpt2", "superbpe"), 200, 120)
    trainer = of_kind(
        make_trainer("superbpe", texts, vocab_size=456, transition=376, pattern="gpt2"),
        SuperBpeTrainer,
    )
    phases: list[str] = []
    while True:
        progress = trainer.step(0)
        if progress.phase not in phases:
            phases.append(progress.phase)
        assert progress.phase == phases[-1]
        assert progress.total == 0 or progress.done <= progress.total
        assert merges_of(trainer) == merges_of(whole)[: trainer.merges_made]
        if progress.finished:
            break
    assert phases == ["counting", "merging", "cutting again", "merging words"] or phases == [
        "counting",
        "merging",
        "merging words",
    ]
    assert merges_of(trainer) == merges_of(whole)
    assert trainer.byte_count == sum(len(text.encode()) for text in texts)


def test_it_can_be_left_at_any_time() -> None:
    trainer = make_trainer("superbpe", [PROSE] * 3, vocab_size=456, transition=376)
    assert trainer.usable
    assert len(trainer.tokenizer("none").vocabulary) == 256
    while trainer.progress.phase != "merging words":
        trainer.step(0)
    plain = tc.train("bpe", [PROSE] * 3, vocab_size=376)
    early = trainer.tokenizer("early")
    if trainer.piece_count == 376:
        assert early.encode_ids(PROSE) == plain.encode_ids(PROSE)
        assert early.pre_tokenizer.name == "cl100k"
    trainer.run()
    assert trainer.tokenizer("late").pre_tokenizer.name == "superbpe"


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k"])
def test_goes_on_from_a_finished_bpe(pattern: str, tmp_path: Path) -> None:
    texts = [PROSE, PROSE[::-1]]
    whole = trained(texts, (pattern, "superbpe"), 90, 60)
    base = tc.train("bpe", texts, vocab_size=316, pattern=pattern, special_tokens=[])
    base.save(tmp_path / "base.json")
    trainer = run_whole(
        make_trainer("superbpe", texts, vocab_size=346, base=str(tmp_path / "base.json"))
    )
    assert isinstance(trainer, SuperBpeTrainer)
    assert (list(trainer.left), list(trainer.right)) == (list(whole.left), list(whole.right))
    assert list(trainer.token_counts) == list(whole.token_counts)[60:]
    assert trainer.new_piece(0) == whole.new_piece(60)
    assert trainer.tokenizer("a").encode_ids(PROSE) == whole.tokenizer("b").encode_ids(PROSE)


def test_takes_only_as_many_merges_of_a_base_as_there_are_before_the_transition() -> None:
    texts = [PROSE, PROSE[::-1]]
    base = tc.train("bpe", texts, vocab_size=340, pattern="gpt2")
    pre_tokenizers = pre_tokenizer("gpt2"), pre_tokenizer("superbpe")
    trainer = run_whole(SuperBpeTrainer(*pre_tokenizers, 346, texts, transition=316, base=base))
    whole = trained(texts, ("gpt2", "superbpe"), 90, 60)
    assert list(trainer.left) == list(whole.left)
    with pytest.raises(tc.TokenariumError, match="84 merges, more than a vocabulary of 330"):
        SuperBpeTrainer(*pre_tokenizers, 330, texts, base=base)


def test_a_large_corpus_is_sampled() -> None:
    texts = [PROSE] * 64
    whole = trained(texts, ("gpt2", "superbpe"), 90, 60)
    sampled = trained(texts, ("gpt2", "superbpe"), 90, 60, sample=2000)
    assert sampled.merges_made == 90
    assert merges_of(sampled)[:60] == merges_of(whole)[:60]
    assert 0.5 < sampled.token_counts[-1] / whole.token_counts[-1] < 2
    assert sampled.report == "The second stage used one of 4 stretches of text."
    assert whole.report == ""


def test_a_transition_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(tc.TokenariumError, match="cannot begin at a vocabulary of 256"):
        make_trainer("superbpe", [], vocab_size=300, transition=256, special_tokens=["<a>"])
    with pytest.raises(tc.TokenariumError, match=r"between 256, .* and 300"):
        make_trainer("superbpe", [], vocab_size=300, transition=301)


@pytest.mark.parametrize("texts", [[], [""], ["a"], [" ", "", "x"], ["ab ab"]])
def test_a_corpus_with_little_in_it(texts: list[str]) -> None:
    trainer = trained(texts, ("gpt2", "superbpe"), 50, 20)
    made = naive(texts, ("gpt2", "superbpe"), 50, 20, 2, within_words(4))
    assert merges_of(trainer) == made
    assert "gave" in trainer.report


def test_a_stretch_longer_than_the_encoder_takes_at_once() -> None:
    texts = ["ab" * 6000 + "ba" * 6000, "of the " * 3000]
    trainer = trained(texts, ("gpt2", "superbpe"), 40, 10)
    tokenizer = trainer.tokenizer("long")
    assert merges_of(trainer) == naive(
        texts, ("gpt2", "superbpe"), 40, 10, 2, both(within_words(4), within_lines)
    )
    assert trainer.token_counts[-1] == sum(len(tokenizer.encode_ids(text)) for text in texts)
