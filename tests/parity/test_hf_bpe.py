"""The same ids as the BPE of Hugging Face tokenizers, over its options, with models made here."""

from __future__ import annotations

import itertools
import random

import pytest
from character_models import checked_ids, ids_of, spans_of
from hypothesis import given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium_core import vocabulary as kinds
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import hf_bpe
from tokenarium_core.models.bpe.merge_table import merges_of_list
from tokenarium_core.vocabulary import PieceArena, Vocabulary

Merges = list[tuple[str, str]]

WORDS = [
    "low", "lower", "newest", "widest", "élan", "人間", "人人", "aaaa", "x", "we", "lol", "stéréo",
    "anna",
]  # fmt: skip


def train(prefix: str, suffix: str, merges: int, left_out: str) -> tuple[dict[str, int], Merges]:
    """Returns a vocabulary and merges, made by merging neighbours of the words at random."""
    choice = random.Random(merges + len(prefix) * 7 + len(suffix) * 11)
    words = []
    for word in WORDS:
        symbols = [(prefix if at else "") + character for at, character in enumerate(word)]
        symbols[-1] += suffix
        words.append(symbols)
    vocabulary = dict.fromkeys(symbol for word in words for symbol in word)
    found: Merges = []
    for _ in range(merges):
        pairs = sorted({pair for word in words for pair in itertools.pairwise(word)})
        if not pairs:
            break
        left, right = choice.choice(pairs)
        merged = left + right[len(prefix) :]
        found.append((left, right))
        vocabulary[merged] = None
        for word in words:
            at = 0
            while at + 1 < len(word):
                if (word[at], word[at + 1]) == (left, right):
                    word[at : at + 2] = [merged]
                at += 1
    used = {symbol for pair in found for symbol in pair}
    spare = {
        first + letter + last
        for letter in left_out
        for first, last in [("", ""), (prefix, ""), ("", suffix), (prefix, suffix)]
    }
    names = [name for name in vocabulary if name in used or name not in spare]
    return {name: number for number, name in enumerate(["<unk>", *names])}, found


def both(
    vocab: dict[str, int],
    merges: Merges,
    unknown: bool = False,
    fuse: bool = False,
    prefix: str = "",
    suffix: str = "",
    byte_fallback: bool = False,
    ignore_merges: bool = False,
) -> tuple[models.BPE, CharacterBpe]:
    """Returns one model twice: that of tokenizers and ours."""
    named = {
        "unk_token": "<unk>" if unknown else "",
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
    }
    reference = models.BPE(
        vocab=vocab,
        merges=merges,
        fuse_unk=fuse,
        byte_fallback=byte_fallback,
        ignore_merges=ignore_merges,
        **{name: value for name, value in named.items() if value},
    )
    arena = PieceArena(len(vocab))
    affix = prefix or suffix
    for name in sorted(vocab, key=vocab.__getitem__):
        if byte_fallback and name.startswith("<0x"):
            arena.add(bytes([int(name[3:5], 16)]), kinds.BYTE)
        elif prefix and suffix:
            arena.add(name.encode(), kinds.NORMAL)  # one affix is all that a vocabulary can have
        elif prefix and name.startswith(prefix):
            arena.add(name.removeprefix(prefix).encode(), kinds.CONTINUING)
        elif suffix and name.endswith(suffix):
            arena.add(name.removesuffix(suffix).encode(), kinds.WORD_END)
        else:
            arena.add(name.encode(), kinds.UNKNOWN if name == "<unk>" else kinds.NORMAL)
    spelling = kinds.SPACE_MARK if byte_fallback else kinds.PLAIN
    vocabulary = Vocabulary(arena, (kinds.NORMAL,), spelling, "" if prefix and suffix else affix)
    lefts = vec[i32]([vocab[left] for left, _ in merges])
    rights = vec[i32]([vocab[right] for _, right in merges])
    results = vec[i32]([vocab[left + right[len(prefix) :]] for left, right in merges])
    model = hf_bpe(
        vocabulary,
        merges_of_list(lefts, rights, results),
        unknown=vocab["<unk>"] if unknown else -1,
        fuse_unknown=fuse,
        prefix=prefix,
        suffix=suffix,
        byte_fallback=byte_fallback,
        ignore_merges=ignore_merges,
    )
    return reference, model


def check(reference: models.BPE, model: CharacterBpe, word: str) -> None:
    """Checks the ids of a word, the law of the trace, and the spans as far as the reference's are right."""
    data = word.encode()
    tokens = reference.tokenize(word)
    ids = checked_ids(model, data)
    assert ids == [token.id for token in tokens], word
    spans = spans_of(model, data, ids)
    if tokens and tokens[-1].offsets[1] == len(data):  # nothing was left out
        assert spans == [token.offsets for token in tokens], word


LETTERS = "loweridnst人間éaxz?\U0001fae9 "
AFFIXES = [("", ""), ("##", ""), ("", "</w>"), ("##", "</w>")]


@pytest.mark.parametrize("affixes", AFFIXES)
@pytest.mark.parametrize(
    ("unknown", "fuse", "ignore_merges"), list(itertools.product([False, True], repeat=3))
)
@pytest.mark.parametrize("merges", [0, 12, 60])
def test_options(
    affixes: tuple[str, str], unknown: bool, fuse: bool, ignore_merges: bool, merges: int
) -> None:
    prefix, suffix = affixes
    vocab, pairs = train(prefix, suffix, merges, left_out="ix間")
    reference, model = both(
        vocab, pairs, unknown, fuse, prefix, suffix, ignore_merges=ignore_merges
    )

    @settings(max_examples=60)
    @given(st.lists(st.sampled_from([*LETTERS, *WORDS, *vocab]), max_size=12).map("".join))
    def run(word: str) -> None:
        check(reference, model, word)

    run()
    for word in [*WORDS, "low?" * 2000, "人" * 5000, "aaaa" * 1500, "?" * 70000 + "low", "lo?w"]:
        check(reference, model, word)


@pytest.mark.parametrize("missing", ["", "A9", "E9"])
@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("ignore_merges", [False, True])
def test_byte_fallback(missing: str, unknown: bool, fuse: bool, ignore_merges: bool) -> None:
    vocab, pairs = train("", "", 40, left_out="ix")
    for byte in range(256):
        if f"{byte:02X}" not in (missing, missing and "9F"):
            vocab[f"<0x{byte:02X}>"] = len(vocab)
    reference, model = both(
        vocab, pairs, unknown, fuse, byte_fallback=True, ignore_merges=ignore_merges
    )

    @settings(max_examples=100)
    @given(st.lists(st.sampled_from([*LETTERS, *WORDS, "<0x41>", "é"]), max_size=12).map("".join))
    def run(word: str) -> None:
        check(reference, model, word)

    run()


def test_the_last_of_two_equal_merges_counts() -> None:
    vocab = {name: number for number, name in enumerate(["<unk>", "a", "b", "c", "ab", "bc"])}
    merges = [("a", "b"), ("b", "c"), ("a", "b")]
    reference, model = both(vocab, merges)
    check(reference, model, "abc")
    assert ids_of(model, b"abc") == [vocab["a"], vocab["bc"]]


def test_merges_of_the_unknown_token() -> None:
    vocab = {name: number for number, name in enumerate(["<unk>", "a", "<unk>a", "b", "ab"])}
    reference, model = both(vocab, [("<unk>", "a"), ("a", "b")], unknown=True)
    for word in ["xa", "xab", "xxa", "axa", "xb"]:
        assert ids_of(model, word.encode()) == [token.id for token in reference.tokenize(word)]


def test_byte_fallback_with_affixes_is_refused() -> None:
    with pytest.raises(tc.FormatError, match="Byte fallback together"):
        both({"<unk>": 0, "a": 1, "##a": 2}, [], prefix="##", byte_fallback=True)


def test_training_cut_at_special_tokens() -> None:
    """Of a corpus with special tokens our trainer learns what Hugging Face's learns of the text between them.

    The words are of ASCII letters alone, in whose order both break ties.
    """
    special = ["<|end|>", "<|x|>"]
    words = [word for word in sample_text("prose-en").split() if word.isascii() and word.isalpha()]
    choice = random.Random(5)
    corpus = "".join(word + choice.choice(special) for word in words * 2)
    size = 256 + len(special) + 150
    reference = Tokenizer(models.BPE())
    reference.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        special_tokens=special,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    reference.train_from_iterator(words * 2, trainer)
    ours = tc.train("bpe", [corpus], vocab_size=size, pattern="gpt2", special_tokens=special)
    learned = {ours.vocabulary.piece(token).decode() for token in range(256, size)}
    assert len(learned) == size - 256
    assert learned == set(reference.get_vocab()) - set(alphabet)
