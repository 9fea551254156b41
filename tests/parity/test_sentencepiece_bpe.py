"""The same ids as sentencepiece's BPE: published models, small trained ones, and handmade ones with every oddity."""

from __future__ import annotations

import functools
import io
import itertools
from pathlib import Path

import pytest
import sentencepiece
from character_models import (
    checked_ids,
    ids_of,
    read_proto,
    spaced,
    spans_of,
    vocabulary_of,
    whole_word,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32
from sentencepiece import sentencepiece_model_pb2 as protobuf

import tokenarium_core as tc
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import sentencepiece_bpe

MODELS = ["gemma3", "mistral-v3"]

SAMPLE = """\
The quick brown fox jumps over the lazy dog; the dog, being lazy, does not jump over the fox.
In 2024 there were 1,234,567 foxes and 89 dogs -- or so they say (nobody counted them twice).
Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung.
Все люди рождаются свободными и равными в своем достоинстве и правах.
すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。
人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。
def quick(brown, fox):\n    return [jump for jump in fox if jump != brown]
    over  the   lazy    dog
"""

PARTS = st.sampled_from(
    [" ", "  ", "▁", "\n", "\t", "the", " the", " fox", "ing", "é", "ß", "人", "すべ", "て", "Все"]
)
ODDS = st.sampled_from(
    [
        "12", "3", "<unused1>", "<b>", "<0x0A>", "<unk>", "\U0001fae9", "👩\u200d👩", "ᚠ", "\0", "a",
        "x",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PARTS | ODDS, max_size=30).map("".join))


class Pair:
    """One model twice: sentencepiece's and ours."""

    def __init__(self, content: bytes) -> None:
        self.proto = read_proto(content)
        self.reference = sentencepiece.SentencePieceProcessor(model_proto=content)
        self.model = sentencepiece_bpe(vocabulary_of(self.proto))

    def check(self, text: str) -> None:
        """Checks that both give the same ids, and that the spans lead from ids to their text."""
        data = spaced(self.proto, text)
        ids = checked_ids(self.model, data)
        assert ids == self.reference.encode(text), text
        spans = spans_of(self.model, data, ids)
        at = 0
        vocabulary = self.model.vocabulary
        for token, (start, stop) in zip(ids, spans, strict=True):
            assert start == at
            assert stop > start
            at = stop
            if vocabulary.kind(token) != "unknown":
                assert data[start:stop] == vocabulary.piece(token)
        assert at == len(data)


@functools.cache
def published(folder: Path, name: str) -> Pair:
    """Returns a model of the data folder."""
    return Pair((folder / "tokenizers" / f"{name}.model").read_bytes())


@functools.cache
def trained(**options: object) -> Pair:
    """Returns a small BPE model, trained on the sample."""
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SAMPLE.splitlines() * 3),
        model_writer=writer,
        model_type="bpe",
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    return Pair(writer.getvalue())


@pytest.mark.parametrize("name", MODELS)
def test_texts(name: str, data: Path, texts: dict[str, str]) -> None:
    pair = published(data, name)
    for text in texts.values():
        pair.check(text)
    # All of it is one word of some MB, taken in bites.
    everything = "".join(texts.values())
    ids = ids_of(pair.model, spaced(pair.proto, everything))
    assert ids == pair.reference.encode(everything)


@pytest.mark.parametrize("name", MODELS)
def test_random_text(name: str, data: Path) -> None:
    pair = published(data, name)

    @settings(max_examples=300)
    @given(TEXTS)
    @example("\U0001fae9")
    @example("a" * 10000)
    @example(" " * 100 + "\n" * 100 + "\t" * 40)
    @example("x▁y ▁ z")
    def check(text: str) -> None:
        pair.check(text)

    check()


def test_known_pieces(data: Path) -> None:
    model = published(data, "gemma3").model
    cases = {
        "<bos>Heyllo": "< bos > Hey llo",
        "<start_of_turn>user\nWho are you?<end_of_turn>\n<start_of_turn>model": (
            "<start_of_turn> user \n Who ▁are ▁you ? <end_of_turn> \n <start_of_turn> model"
        ),
        "<unused10> blahblahblah": "<unused10> ▁blah blah blah",
        "\U0001fae9": "<0xF0> <0x9F> <0xAB> <0xA9>",
    }
    for text, pieces in cases.items():
        ids = ids_of(model, text.encode())
        assert [model.vocabulary.surface(token) for token in ids] == pieces.split(" ")


FLAGS = [
    "byte_fallback",
    "split_digits",
    "treat_whitespace_as_suffix",
    "allow_whitespace_only_pieces",
]


@pytest.mark.parametrize("flags", list(itertools.product([False, True], repeat=len(FLAGS))))
@pytest.mark.parametrize("coverage", [1.0, 0.98])
def test_small_trained_models(flags: tuple[bool, ...], coverage: float) -> None:
    options = dict(zip(FLAGS, flags, strict=True))
    pair = trained(vocab_size=500, character_coverage=coverage, **options)
    for text in [SAMPLE, *SAMPLE.splitlines(), SAMPLE.upper(), SAMPLE[::-1], ""]:
        pair.check(text)

    @settings(max_examples=15)
    @given(TEXTS)
    def check(text: str) -> None:
        pair.check(text)

    check()


@pytest.mark.parametrize("size", [450, 900])
@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("split_by_whitespace", [False, True])
def test_trained_models_with_user_defined_pieces(
    size: int, byte_fallback: bool, split_by_whitespace: bool
) -> None:
    pair = trained(
        vocab_size=size,
        byte_fallback=byte_fallback,
        split_by_whitespace=split_by_whitespace,
        user_defined_symbols="<b>,fox,the,\t,x,▁▁,人",
        character_coverage=0.98,
        add_dummy_prefix=False,
    )
    for text in [SAMPLE, *SAMPLE.splitlines(), SAMPLE[::-1], "<b>fo<b>x the fox</b>xfoxx人人"]:
        pair.check(text)

    @settings(max_examples=60)
    @given(TEXTS)
    def check(text: str) -> None:
        pair.check(text)

    check()


def made(pieces: list[tuple[str, float, int]], byte_fallback: bool) -> bytes:
    """Returns a model file of pieces, each with its score and its type (1 normal, 4 user-defined, 5 unused)."""
    proto = protobuf.ModelProto()
    proto.trainer_spec.model_type = 2
    proto.trainer_spec.byte_fallback = byte_fallback
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = False
    proto.normalizer_spec.remove_extra_whitespaces = False
    proto.pieces.add(piece="<unk>", score=0, type=2)
    proto.pieces.add(piece="<s>", score=0, type=3)
    if byte_fallback:
        for byte in range(256):
            proto.pieces.add(piece=f"<0x{byte:02X}>", score=0, type=6)
    for piece, score, kind in pieces:
        unusable = byte_fallback and piece == "▁"  # a space must not become the bytes of that sign
        proto.pieces.add(piece=piece, score=score, type=1 if unusable else kind)
    if byte_fallback and all(piece != "▁" for piece, _, _ in pieces):
        proto.pieces.add(piece="▁", score=-100, type=1)
    return proto.SerializeToString()


def test_equal_scores_merge_from_the_left() -> None:
    pair = Pair(made([("ab", -1, 1), ("bc", -1, 1), ("cd", -1, 1), *_letters("abcd")], False))
    for text in ["abc", "bcd", "abcd", "cdabc", "abcdabcdbcdbc"]:
        pair.check(text)


def test_unused_pieces_are_taken_apart() -> None:
    pieces = [("ab", -1.0, 1), ("abc", -2.0, 5), ("abcd", -3.0, 5), *_letters("abcd")]
    pair = Pair(made(pieces, False))
    for text in ["abc", "abcd", "abcdabcab", "xabcdx"]:
        pair.check(text)
    names = [pair.model.vocabulary.surface(token) for token in ids_of(pair.model, b"abcd")]
    assert names == ["ab", "c", "d"]


def test_unused_pieces_that_two_pairs_make_are_taken_apart_as_seen_last() -> None:
    pieces = [
        ("ab", -1.0, 1),
        ("bc", -1.0, 1),
        ("abc", -0.5, 5),
        ("xa", -0.1, 1),
        *_letters("abcx"),
    ]
    pair = Pair(made(pieces, False))
    for text in ["abc", "abcxabc", "xabcabc", "abcbcxabcab" * 3, "abc" * 3000]:
        pair.check(text)


def test_a_piece_with_a_user_defined_one_inside_is_never_made() -> None:
    pieces = [("bc", -1.0, 1), ("ab", -1.0, 1), ("abc", -0.5, 5), ("b", -9.0, 4)]
    for more in ([], [("xa", -3.0, 1), ("xab", -4.0, 1), *_letters("x")]):
        pair = Pair(made([*pieces, *more, *_letters("ac")], False))
        for text in ["ab", "xab", "abc", "xabxab"]:
            pair.check(text)


def test_characters_that_are_no_pieces_but_occur_in_some() -> None:
    for byte_fallback in (False, True):
        pair = Pair(made([("aé", -1.0, 1), ("aéß", -2.0, 1), ("a", -9.0, 1)], byte_fallback))
        for text in ["aé", "é", "aéß", "ßéa", "éaéé", "aaéßßß", "ßß" * 40 + "aéé" * 40]:
            pair.check(text)


def test_unknown_characters_fuse_over_cuts_and_bites() -> None:
    pair = Pair(made([("ab", -1.0, 1), ("éa", -1.0, 1), ("aé", -3.0, 5), *_letters("ab")], False))
    pair.check("x" * 70000 + "ab" + "yz" * 40000 + "a")
    pair.check("ab" * 40000 + "xyz" * 4000 + "ab" * 40000)
    pair.check("éa" * 5000 + "éé" * 5000 + "xé" * 40000 + "aé")


def test_a_long_stretch_with_no_cut_waits() -> None:
    pair = Pair(made([("aa", -1.0, 1), ("aé", -1.5, 1), ("aaa", -2.0, 1), *_letters("a")], False))
    for text in ["a" * 9000, "é" + "a" * 9001 + "éxé" + "a" * 5000 + "éé", "xa" + "a" * 9000 + "x"]:
        pair.check(text)


PIECES = st.lists(
    st.tuples(
        st.text("abé▁", min_size=1, max_size=4),
        st.sampled_from([-1.0, -2.0, -3.0, -4.0, -5.0]),
        st.sampled_from([1, 1, 1, 1, 4, 5]),
    ),
    min_size=1,
    max_size=14,
    unique_by=lambda piece: piece[0],
)


@settings(max_examples=400)
@given(PIECES, st.booleans(), st.lists(st.text("abéc ", max_size=24), min_size=1, max_size=4))
def test_any_made_model(
    pieces: list[tuple[str, float, int]], byte_fallback: bool, texts: list[str]
) -> None:
    pair = Pair(made(pieces, byte_fallback))
    for text in texts:
        pair.check(text)


@pytest.mark.parametrize("scores", list(itertools.product([0.0, -0.0, -1.0], repeat=3)))
def test_two_zeros(scores: tuple[float, float, float]) -> None:
    """SentencePiece orders a negative zero below a positive one."""
    pieces = [(piece, score, 1) for piece, score in zip(("ab", "bc", "ca"), scores, strict=True)]
    pair = Pair(made([*pieces, *_letters("abc")], False))
    for text in ("abcabc", "bcabcab", "cabc", "abca"):
        pair.check(text)


def test_what_a_model_needs() -> None:
    proto = read_proto(made(_letters("ab"), False))
    proto.pieces[0].type = 1
    with pytest.raises(tc.FormatError, match="no unknown piece"):
        sentencepiece_bpe(vocabulary_of(proto))
    proto = read_proto(made(_letters("ab"), True))
    proto.pieces[7].type = 3
    with pytest.raises(tc.FormatError, match="255 of the 256 bytes"):
        sentencepiece_bpe(vocabulary_of(proto))
    proto = read_proto(made(_letters("ab"), True))
    del proto.pieces[-1]
    with pytest.raises(tc.FormatError, match="no piece for the space"):
        sentencepiece_bpe(vocabulary_of(proto))
    vocabulary = vocabulary_of(proto)
    vocabulary.scores = vocabulary.scores[:3]
    with pytest.raises(tc.FormatError, match="3 scores for 260 pieces"):
        sentencepiece_bpe(vocabulary)


def test_bites_are_bounded() -> None:
    model: CharacterBpe = Pair(made([("ab", -1.0, 1), *_letters("ab")], False)).model
    text = b"ab" * 200000
    out = vec[i32]([0] * len(text))
    word = whole_word(text)
    count = model.encode_words(word, out, 0)
    assert 16000 < word.start < 24000
    assert count * 2 == word.start
    assert word.first == 0


STRETCHES = st.tuples(
    st.sampled_from(["ab", "aé", "éa", "é", "abc", "b\u4e00\u4e8c", " "]), st.integers(1, 3000)
)


@settings(max_examples=60)
@given(st.lists(STRETCHES, min_size=1, max_size=6), st.booleans())
def test_bites_need_little_room(stretches: list[tuple[str, int]], byte_fallback: bool) -> None:
    pieces = [("ab", -1.0, 1), ("abab", -2.0, 1), *_letters("abc▁")]
    model = Pair(made(pieces, byte_fallback)).model
    data = "".join(part * times for part, times in stretches).encode()
    assert _ids_in_little_room(model, data) == ids_of(model, data)


def _ids_in_little_room(model: CharacterBpe, data: bytes) -> list[int]:
    """Returns the ids of one word, each call with no more room than it needs."""
    ids: list[int] = []
    room = 4500
    word = whole_word(data)
    while word.start < len(data):
        out = vec[i32]([0] * room)
        position, word.first = word.start, 0
        count = model.encode_words(word, out, 0)
        pending = model.take_pending()
        if pending is not None:
            ids += out[:count]
            while not pending.step(1000, None):
                pass
            out = vec[i32]([0] * (pending.stop - pending.start))
            count = pending.write(out, 0)
        elif word.start == position:
            assert count == 0
            assert room < len(data) - position
            room = len(data) - position
        ids += out[:count]
    return ids


def _letters(letters: str) -> list[tuple[str, float, int]]:
    return [(letter, -100.0, 1) for letter in letters]
