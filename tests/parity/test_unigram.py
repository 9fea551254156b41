"""The same ids as sentencepiece and tokenizers on Unigram models: trained in the test, and made by hand."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from unigram_models import (
    SAMPLES,
    Pair,
    by_hand,
    encode,
    encode_traced,
    encode_words,
    from_proto,
    from_rows,
    train,
)

from tokenarium_core.errors import FormatError, TokenariumError
from tokenarium_core.vocabulary import PLAIN

LANGUAGES = ["en", "de", "ja", "ar", "hi", "th"]

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"vocab_size": 2000},
    "small": {"vocab_size": 900, "character_coverage": 0.98},
    "bytes": {"vocab_size": 1500, "byte_fallback": True, "character_coverage": 0.98},
    "suffix": {"vocab_size": 1500, "treat_whitespace_as_suffix": True},
    "digits": {"vocab_size": 1500, "split_digits": True, "split_by_unicode_script": False},
    "user": {
        "vocab_size": 1500,
        "user_defined_symbols": ["<sep>", "the", "▁of▁", "日本", "aa", "aaa", "🙂"],
        "byte_fallback": True,
    },
    "across": {"vocab_size": 1500, "split_by_whitespace": False, "max_sentencepiece_length": 24},
}


@functools.cache
def corpus() -> str:
    """Returns some 60 KB of samples in several scripts."""
    return "\n".join(
        (SAMPLES / f"prose-{name}.txt").read_text("utf-8")[:20000] for name in LANGUAGES
    )


@functools.cache
def trained(name: str) -> Pair:
    """Returns a model trained with the options of this name."""
    return train(corpus(), **OPTIONS[name])


def check(pair: Pair, text: str) -> None:
    """Asserts the same ids as the reference, by the fast path twice, and by the plain algorithm."""
    ids = pair.reference.encode(text)
    spaced = text.replace("▁", " ")  # what the normalizer makes of it
    assert encode(pair.model, spaced) == ids
    assert encode(pair.model, spaced) == ids
    assert encode_traced(pair.model, spaced) == ids


@pytest.mark.parametrize("name", OPTIONS)
def test_samples(name: str) -> None:
    pair = trained(name)
    for path in sorted(SAMPLES.glob("*.txt")):
        text = path.read_text("utf-8")
        check(pair, text)
        for line in text.replace("▁", " ").split("\n")[:40]:
            assert encode(pair.model, line) == pair.reference.encode(line), path.name


@pytest.mark.parametrize("name", ["plain", "bytes", "user"])
def test_texts(name: str, texts: dict[str, str]) -> None:
    pair = trained(name)
    for text in texts.values():
        assert encode(pair.model, text) == pair.reference.encode(text)


def test_long_text() -> None:
    """Sums go beyond 100,000 here, where the reference begins again; and rests are taken."""
    text = corpus()
    for name in ("plain", "bytes"):
        pair = trained(name)
        long = "\n".join([text, text.upper(), text.replace(" ", ""), text[::-1], text])
        ids = pair.reference.encode(long)
        assert encode(pair.model, long) == ids
        assert encode_traced(pair.model, long) == ids


def test_no_place_to_cut() -> None:
    """Stretches of one character are left to the caller, together with the unknown characters before them."""
    pair = by_hand(
        [("▁", -2.0, 1), ("a", -3.0, 1), ("aa", -3.7, 1), ("aaaaa", -6.9, 1), ("b", -4.0, 1)]
    )
    for text in (
        "a" * 50000,
        "☃☃" + "a" * 30001 + "☃" + "a" * 9000 + " b",
        "☃" * 150000 + "a" * 20000 + "☃" * 70000,
        "b ☃" * 60000,
    ):
        ids = pair.reference.encode(text)
        assert encode(pair.model, text) == ids
        assert encode_traced(pair.model, text) == ids


PARTS = st.one_of(
    st.text(max_size=10),
    st.text("aehnost .,0123456789", max_size=30),
    st.sampled_from(
        [
            "the", "<sep>", " of ", "▁", "日本国", "aaaaaaa", "🙂🙂", "ज़", "\0", "<unk>", "<0x41>",
            "----",
        ]
    ),
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PARTS, max_size=12).map("".join), st.sampled_from(sorted(OPTIONS)))
def test_any_text(text: str, name: str) -> None:
    if text:
        check(trained(name), text)


HAND_MADE: dict[str, list[tuple[str, float, int]]] = {
    "ties": [
        ("a", -1.0, 1),
        ("aa", -2.0, 1),
        ("aaa", -3.0, 1),
        ("b", -0.1, 1),
        ("ab", -1.1, 1),
        ("ba", -1.1, 1),
    ],
    "rounding": [
        ("a", -0.3, 1),
        ("aa", -0.6, 1),
        ("b", -0.1, 1),
        ("ab", -0.4, 1),
        ("bb", -0.2, 1),
        ("▁", -7.3, 1),
    ],
    "unused": [
        ("a", -1.0, 1),
        ("b", -1.5, 5),
        ("ab", -9.0, 5),
        ("abc", -3.0, 1),
        ("c", -2.0, 1),
        ("bc", -2.5, 1),
    ],
    "user": [
        ("a", -1.0, 1),
        ("ab", 0.0, 4),
        ("b", -2.0, 1),
        ("bab", 0.0, 4),
        ("▁a▁", 0.0, 4),
        ("▁", -1.0, 1),
    ],
    "control": [("a", -1.0, 1), ("<s>", 0.0, 3), ("<", -2.0, 1), ("s", -2.0, 1), ("<s", -2.5, 1)],
    "no space": [("a", -1.0, 1), ("bé", -1.0, 1), ("é", -3.0, 1)],
    "positive": [
        ("a", 3.0, 1),
        ("b", 5000.0, 1),
        ("ab", 4000.0, 1),
        ("c", -60000.0, 1),
        ("bc", -7.0, 1),
    ],
    "unknown wins": [("ab", -100.0, 1), ("c", 50.0, 1), ("abcd", -200.0, 1)],
}


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("name", HAND_MADE)
@settings(max_examples=150)
@given(st.text("aaabbc é<s>d", min_size=1, max_size=40), st.integers(1, 12))
def test_hand_made(name: str, byte_fallback: bool, text: str, times: int) -> None:
    check(hand_made(name, byte_fallback), text * times)


@functools.cache
def hand_made(name: str, byte_fallback: bool) -> Pair:
    return by_hand(HAND_MADE[name], byte_fallback)


def tokenizers_pair(
    rows: list[tuple[str, float]], unknown: int | None, byte_fallback: bool
) -> tuple[tokenizers.Tokenizer, Any]:
    """Returns a tokenizer of the tokenizers library that has a model only, and our model."""
    reference = tokenizers.Tokenizer(tokenizers.models.Unigram(rows, unknown, byte_fallback))
    return reference, from_rows(rows, -1 if unknown is None else unknown, byte_fallback, PLAIN)


BYTE_ROWS = [(f"<0x{byte:02X}>", -3.0) for byte in range(256)]
LETTERS = [
    ("a", -1.0),
    ("b", -2.5),
    ("ab", -3.5),
    ("ba", -3.3),
    ("aa", -2.0),
    ("é", -4.0),
    (" a", -0.7),
    ("☃x", -30.0),
]


@pytest.mark.parametrize(
    ("rows", "byte_fallback"),
    [
        ([("<unk>", 0.0), *LETTERS], False),
        ([("<unk>", 0.0), *LETTERS, *BYTE_ROWS], True),
        ([("<unk>", 0.0), *LETTERS, *BYTE_ROWS[:230]], True),
        ([("?", -2.0), *LETTERS], False),
        ([("<unk>", 40.0), ("ab", 30.0), ("x", 21.0), ("xyz", 25.0), ("☃☃", 22.0)], False),
    ],
)
@settings(max_examples=200)
@given(
    st.lists(
        st.one_of(
            st.text("aab é", max_size=12),
            st.sampled_from(["<unk>", "<0x41>", "☃", "☃x", "?", "\u0301", "xyz", "<s>"]),
        ),
        min_size=1,
        max_size=10,
    ).map("".join)
)
def test_tokenizers_rules(rows: list[tuple[str, float]], byte_fallback: bool, text: str) -> None:
    reference, model = tokenizers_pair(rows, 0, byte_fallback)
    if text:
        ids = reference.encode(text).ids
        assert encode(model, text) == ids
        assert encode(model, text) == ids
        assert encode_traced(model, text) == ids


@pytest.mark.parametrize("text", ["ab", "abba", "abc", "x", "a☃xb"])
def test_no_unknown_token(text: str) -> None:
    reference, model = tokenizers_pair(LETTERS, None, False)
    try:
        ids = reference.encode(text).ids
    except Exception:
        with pytest.raises(TokenariumError, match="names no unknown token"):
            encode(model, text)
    else:
        assert encode(model, text) == ids


def test_trained_with_tokenizers() -> None:
    reference = tokenizers.Tokenizer(tokenizers.models.Unigram())
    reference.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=1200, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    reference.train_from_iterator(corpus().split("\n"), trainer)
    stored = json.loads(reference.to_str())["model"]
    rows = [(piece, score) for piece, score in stored["vocab"]]
    model = from_rows(rows, stored["unk_id"], stored["byte_fallback"])
    for path in sorted(SAMPLES.glob("*.txt")):
        text = path.read_text("utf-8").replace("▁", "_")
        words = [word for word, _ in reference.pre_tokenizer.pre_tokenize_str(text)]
        ids = reference.encode(text, add_special_tokens=False).ids
        spaced = [word.replace("▁", " ") for word in words]
        assert encode_words(model, spaced) == ids, path.name
    whole = tokenizers.Tokenizer(reference.model)
    for name in LANGUAGES:
        text = (SAMPLES / f"prose-{name}.txt").read_text("utf-8").replace(" ", "▁")
        assert encode(model, text.replace("▁", " ")) == whole.encode(text).ids


def test_refuses_what_it_cannot_run() -> None:
    with pytest.raises(FormatError, match="id of the unknown token is 9"):
        from_rows([("a", 0.0)], 9, False)
    with pytest.raises(FormatError, match="must be a number"):
        from_proto_with_score(float("nan"))


def from_proto_with_score(score: float) -> None:
    proto = by_hand([("a", -1.0, 1)]).proto
    proto.pieces[1].score = score
    from_proto(proto)


@pytest.mark.parametrize("name", ["plain", "bytes", "user", "across"])
@pytest.mark.parametrize("count", [1, 2, 7, 60])
def test_n_best(name: str, count: int) -> None:
    pair = trained(name)
    for sample in ("en", "ja", "hi"):
        for line in (SAMPLES / f"prose-{sample}.txt").read_text("utf-8").split("\n")[:6]:
            text = line[:50]
            if not text:
                continue
            lattice = pair.model.lattice(text)
            found = [pair.model.path_ids(lattice, path) for path in lattice.n_best(count)]
            assert found == pair.reference.nbest_encode_as_ids(text, count)


def test_n_best_of_equal_scores() -> None:
    pair = hand_made("ties", False)
    for text in ("aaaaaaab", "abababab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaabb"):
        lattice = pair.model.lattice(text)
        for count in (5, 300):
            found = [pair.model.path_ids(lattice, path) for path in lattice.n_best(count)]
            assert found == pair.reference.nbest_encode_as_ids(text, count)
