"""At every size the ids of the reference library with a vocabulary of that size."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from nested_columns import ids_at, nested
from played_models import bpe, unigram
from sentencepiece import sentencepiece_model_pb2 as protobuf
from sentencepiece_models import BYTES, LINES, Piece, message, trained

import tokenarium_core as tc
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.models.nested_cuts import NestedCuts

SHARES = (0.0, 0.001, 0.03, 0.3, 0.7, 0.999, 1.0)


@pytest.mark.usefixtures("tiktoken_cache")
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_encodings_of_openai(name: str, texts: dict[str, str]) -> None:
    tokenizer, full = tc.open(name), tiktoken.get_encoding(name)
    parts = [text[:1500] for text in texts.values()] + [" " * 500, "a" * 700, "\n\n\n  x"]
    text = "\n".join(parts)
    cuts = nested(tokenizer, text)
    # gpt2 has its bytes in another order than by their value.
    ranked = sorted(full._mergeable_ranks.items(), key=lambda item: item[1])
    assert len(cuts.merges) == len(ranked) - 256
    for share in SHARES:
        number = round(share * len(cuts.merges))
        ranks = dict(ranked[: 256 + number])
        short = tiktoken.Encoding(
            name, pat_str=full._pat_str, mergeable_ranks=ranks, special_tokens={}
        )
        assert ids_at(cuts, number) == short.encode_ordinary(text), number


def shortened(content: bytes, cuts: NestedCuts, number: int) -> tuple[bytes, list[int]]:
    """Returns a SentencePiece model without the pieces of later merges, and the old ids of those that are left."""
    proto = protobuf.ModelProto()
    proto.ParseFromString(content)
    kept = [
        token for token in range(len(proto.pieces)) if int(cuts.merges.of_piece[token]) <= number
    ]
    pieces = [proto.pieces[token] for token in kept]
    del proto.pieces[:]
    proto.pieces.extend(pieces)
    return proto.SerializeToString(), kept


def check_sentencepiece(content: bytes, text: str, numbers: list[int]) -> None:
    tokenizer = read_sentencepiece(content, "test.model", "test")
    cuts = nested(tokenizer, text)
    assert ids_at(cuts, len(cuts.merges)) == tokenizer.encode_ids(text)
    for number in numbers:
        if number > len(cuts.merges):
            continue
        short, old = shortened(content, cuts, number)
        reference = sentencepiece.SentencePieceProcessor(model_proto=short)
        assert ids_at(cuts, number) == [old[token] for token in reference.encode(text)], number


@pytest.mark.parametrize(("name", "merges"), [("gemma3", 236_249), ("mistral-v3", 28_446)])
def test_published_models(data: Path, texts: dict[str, str], name: str, merges: int) -> None:
    content = (data / "tokenizers" / f"{name}.model").read_bytes()
    text = "\n".join(text[:1000] for text in texts.values()) + " 🦤 \N{KHMER LETTER KA}\u1fff <b>"
    shares = SHARES[1::2] if name == "gemma3" else SHARES
    check_sentencepiece(content, text, [round(share * merges) for share in shares])


@pytest.mark.parametrize("byte_fallback", [True, False])
def test_small_models(byte_fallback: bool) -> None:
    content = trained("bpe", 700, ("<mask>",), byte_fallback=byte_fallback, character_coverage=0.98)
    check_sentencepiece(content, "\n".join(LINES) + "䷀䷁ ䷀", list(range(0, 460, 7)))


@functools.cache
def odd_model(seed: int) -> bytes:
    """Returns a model of pieces at random: unreachable ones, equal scores, characters that are no pieces."""
    choice = random.Random(seed)
    pieces = [("<unk>", 0.0, 2), ("▁", -9.0, 1), ("a", -9.0, 1), ("c", -9.0, 1), ("ca", 0.0, 4)]
    names = sorted({"".join(choices) for choices in _tuples(choice, 14)})
    choice.shuffle(names)
    pieces += [(name, -float(choice.randint(1, 9)), 1) for name in names]
    return _falling_back(pieces)


def _falling_back(pieces: list[Piece]) -> bytes:
    """Returns a BPE model with these pieces and those of the bytes."""
    model = message([*pieces, *BYTES], 2)
    model.trainer_spec.byte_fallback = True
    return model.SerializeToString()


def _tuples(choice: random.Random, count: int) -> list[list[str]]:
    return [choice.choices("abé▁", k=choice.randint(2, 4)) for _ in range(count)]


@given(st.integers(0, 60), st.text("abcé ", min_size=1, max_size=30))
def test_odd_models(seed: int, text: str) -> None:
    check_sentencepiece(odd_model(seed), text, _between_groups(odd_model(seed)))


def _between_groups(content: bytes) -> list[int]:
    """Returns the numbers of merges at which pieces of equal score are all in or all out."""
    cuts = nested(read_sentencepiece(content, "test.model", "test"), "a")
    return [0, *sorted({int(level) for level in cuts.merges.of_piece if level > 0})]


MERGES = [
    ("l", "o"), ("w", "e"), ("lo", "w"), ("e", "r"), ("o", "w"), ("we", "r"), ("l", "ow"), ("low", "er"),
    ("n", "a"), ("a", "n"), ("na", "n"), ("é", "l"), ("人", "人"), ("lo", "l"),
]  # fmt: skip


@pytest.mark.parametrize("ignore_merges", [True, False])
@pytest.mark.parametrize("unknown", ["", "<unk>"])
@pytest.mark.parametrize("byte_level", [True, False])
def test_hugging_face(tmp_path: Path, ignore_merges: bool, unknown: str, byte_level: bool) -> None:
    letters = dict.fromkeys("lowernaé人")
    if byte_level:
        letters = dict.fromkeys(sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    merges = [pair for pair in MERGES if not byte_level or "".join(pair).isascii()]
    made = list(dict.fromkeys("".join(pair) for pair in merges))
    names = ["<unk>", *letters, *made, "nanow"]  # the last one is made by no merge
    vocab = {name: number for number, name in enumerate(names)}
    text = "lower lol anna nanan nanow xélow 人人人x 😀😀l low"

    def built(merges: list[tuple[str, str]], vocab: dict[str, int]) -> tokenizers.Tokenizer:
        options = {"unk_token": unknown, "fuse_unk": True} if unknown else {}
        model = tokenizers.models.BPE(vocab, merges, ignore_merges=ignore_merges, **options)
        tokenizer = tokenizers.Tokenizer(model)
        tokenizer.pre_tokenizer = (
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
            if byte_level
            else tokenizers.pre_tokenizers.WhitespaceSplit()
        )
        return tokenizer

    path = tmp_path / "tokenizer.json"
    built(merges, vocab).save(str(path))
    assert json.loads(path.read_text("utf-8"))["model"]["type"] == "BPE"
    cuts = nested(tc.open(str(path)), text)
    for number in range(len(cuts.merges) + 1):
        left = {
            name: token for name, token in vocab.items() if cuts.merges.of_piece[token] <= number
        }
        first = [pair for pair in merges if "".join(pair) in left]
        # A second way to a piece needs other merges, and comes with them.
        first = [pair for pair in first if _place(merges, pair) <= number]
        assert ids_at(cuts, number) == built(first, left).encode(text).ids, number


def _place(merges: list[tuple[str, str]], pair: tuple[str, str]) -> int:
    """Returns how many pieces are made by the merges up to a pair."""
    return len({"".join(one) for one in merges[: merges.index(pair) + 1]})


def test_unigram_and_unused_pieces_say_why_not() -> None:
    with pytest.raises(tc.UnsupportedError, match="Unigram does not merge"):
        unigram().nested_cuts("a")
    assert bpe().nested_cuts("a").step(1e9).finished
    unused = _falling_back([("<unk>", 0, 2), ("▁", -1, 1), ("a", -1, 1), ("aa", -2, 5)])
    tokenizer = read_sentencepiece(unused, "test.model", "test")
    with pytest.raises(tc.UnsupportedError, match="marked as unused"):
        tokenizer.nested_cuts("aa")
