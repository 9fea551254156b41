"""Training WordPiece gives the pieces of tokenizers' own trainer, as far as those are the same each time.

Its ids of ``##`` and one character depend on a hash, and with them which of two equally frequent pairs comes first.
Two pairs that make one piece are both merged there, and here only one. So the pieces are compared up to the first
such place, and after it what they are worth on other text.
"""

from __future__ import annotations

import tokenizers
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain_wordpiece import LINES, learn, words_of
from tokenizers import models, normalizers, pre_tokenizers, trainers

import tokenarium_core as tc
from tokenarium_core.formats.vocab_txt_format import SPECIAL
from tokenarium_core.training.wordpiece_trainer import WordPieceTrainer


def theirs(
    lines: list[str],
    size: int,
    lowercase: bool = True,
    min_frequency: int = 2,
    special: list[str] = SPECIAL,
    unknown: str = "[UNK]",
) -> tokenizers.Tokenizer:
    """Returns what tokenizers trains."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token=unknown))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=min_frequency,
        limit_alphabet=1000,
        special_tokens=special,
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def pieces_of(tokenizer: tokenizers.Tokenizer) -> list[str]:
    """Returns its pieces in the order of their ids."""
    ids: dict[str, int] = tokenizer.get_vocab()
    return sorted(ids, key=ids.__getitem__)


@given(lines=LINES, lowercase=st.booleans(), min_frequency=st.integers(1, 3))
@settings(max_examples=150)
def test_small_texts(lines: list[str], lowercase: bool, min_frequency: int) -> None:
    words = words_of(lines, lowercase)
    assume(words)
    plain = learn(words, 60, min_frequency, 1000)
    size = len(SPECIAL) + len(plain.symbols) + plain.sure
    trainer = WordPieceTrainer(size, lines, (), lowercase, 1000, min_frequency)
    trainer.run()
    ours = trainer.vocab_txt().decode().split("\n")[:-1]
    found = pieces_of(theirs(lines, size, lowercase, min_frequency))
    symbols = len(SPECIAL) + len(plain.symbols)
    assert sorted(found[:symbols]) == sorted(ours[:symbols])
    assert found[symbols:] == ours[symbols:]


@given(
    lines=LINES,
    special=st.sampled_from([["<unk>"], ["<s>", "<unk>", "</s>"], ["[X]", "[Y]", "<unk>", "[Z]"]]),
)
@settings(max_examples=60)
def test_other_special_tokens(lines: list[str], special: list[str]) -> None:
    words = words_of(lines, True)
    assume(words)
    plain = learn(words, 60, 2, 1000)
    size = len(special) + len(plain.symbols) + plain.sure
    reference = theirs(lines, size, special=special, unknown="<unk>")
    ours = tc.train("wordpiece", lines, vocab_size=size, special_tokens=special, unk_token="<unk>")
    found = pieces_of(reference)
    made = [ours.vocabulary.surface(token) for token in range(len(ours.vocabulary))]
    symbols = len(special) + len(plain.symbols)
    assert made[: len(special)] == found[: len(special)] == special
    assert sorted(found[:symbols]) == sorted(made[:symbols])
    assert found[symbols:] == made[symbols:]
    for line in [*lines, "é?", "<unk>"]:
        ids = ours.encode(line, "all").ids
        assert [made[token] for token in ids] == reference.encode(line).tokens


def test_prose_is_worth_the_same(texts: dict[str, str]) -> None:
    names = ["eng", "deu_1996", "fra", "rus", "jpn", "hin"]
    lines = [line for name in names for line in texts[name].split("\n")]
    train, test = lines[::2], "\n".join(lines[1::2])
    reference = theirs(train, 2000)
    ours = tc.train("wordpiece", train, vocab_size=2000)
    found = set(pieces_of(reference))
    made = {ours.vocabulary.surface(token) for token in range(len(ours.vocabulary))}
    assert len(found) == len(made) == 2000
    assert len(found & made) > 1900
    count = len(reference.encode(test, add_special_tokens=False).ids)
    assert abs(len(ours.encode_ids(test)) - count) < 0.01 * count
