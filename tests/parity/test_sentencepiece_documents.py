"""The same ids as sentencepiece's for documents, which are encoded in blocks, and for words after runs of spaces."""

from __future__ import annotations

from pathlib import Path

import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2 as protobuf

import tokenarium_core as tc
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_merger import CharacterMerger
from tokenarium_core.models.bpe.space_runs import SpaceRuns, space_runs

NORMAL, USER_DEFINED = 1, 4


def made(
    pieces: list[tuple[str, float, int]], prefix: bool = False, suffix: bool = False
) -> protobuf.ModelProto:
    """Returns a model of pieces, each with its score and type, which falls back to bytes."""
    proto = protobuf.ModelProto()
    proto.trainer_spec.model_type = 2
    proto.trainer_spec.byte_fallback = True
    proto.trainer_spec.treat_whitespace_as_suffix = suffix
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = prefix
    proto.normalizer_spec.remove_extra_whitespaces = False
    proto.pieces.add(piece="<unk>", score=0, type=2)
    for byte in range(256):
        proto.pieces.add(piece=f"<0x{byte:02X}>", score=0, type=6)
    for piece, score, kind in pieces:
        proto.pieces.add(piece=piece, score=score, type=kind)
    return proto


def opened(proto: protobuf.ModelProto) -> tuple[tc.Tokenizer, sentencepiece.SentencePieceProcessor]:
    content = proto.SerializeToString()
    ours = read_sentencepiece(content, "a model", "made")
    return ours, sentencepiece.SentencePieceProcessor(model_proto=content)


def check(ours: tc.Tokenizer, reference: sentencepiece.SentencePieceProcessor, text: str) -> None:
    ids = reference.encode(text)
    assert ours.encode_ids(text) == ids
    assert list(ours.encode_buffer(text)) == ids
    assert list(ours.encode(text).ids) == ids


@pytest.mark.parametrize("name", ["gemma3", "mistral-v3"])
def test_documents(name: str, data: Path, texts: dict[str, str]) -> None:
    path = data / "tokenizers" / f"{name}.model"
    ours = tc.open(path)
    reference = sentencepiece.SentencePieceProcessor(model_file=str(path))
    code = Path(__file__).read_text(encoding="utf-8") * 30
    everything = "".join(texts.values())
    for text in [code, everything, code + everything[:50_000] + "\n\n\n" * 20_000 + " " * 70_000]:
        check(ours, reference, text)


LETTERS = [(letter, -100.0, NORMAL) for letter in "abc(\n▁"]


@pytest.mark.parametrize("prefix", [False, True])
@pytest.mark.parametrize("suffix", [False, True])
def test_blocks_end_where_nothing_is_joined(prefix: bool, suffix: bool) -> None:
    # A user-defined piece may span any line end, and "é" is joined to nothing.
    proto = made(
        [("ab", -1, 1), ("ba", -2, 1), ("▁a", -3, 1), ("c\n\n(", 0, USER_DEFINED), *LETTERS],
        prefix,
        suffix,
    )
    ours, reference = opened(proto)
    for unit in ["abc\n\n(", "ab", "aéb\n", "▁ a", "\n", "c\n\n", "é"]:
        for before in range(0, 12, 5):
            check(ours, reference, " " * before + unit * (70_000 // len(unit)) + "a")


def test_blocks_are_not_cut_between_surrogates() -> None:
    ours, _ = opened(made(LETTERS))
    for before in (32_766, 32_767, 32_768, 40_000):
        text = "a\n" * (before // 2) + "a" * (before % 2) + "\ud83d\ude00b\ud83d" + "c" * 40_000
        ids = ours.encode_ids(text)
        assert ids == list(ours.encode(text).ids)
        assert ours.decode(ids).endswith("\U0001f600b\ufffd" + "c" * 40_000)


def runs_of(model: object) -> SpaceRuns | None:
    assert isinstance(model, CharacterBpe)
    merger = CharacterMerger(model.vocabulary, model.merges, model.source.plain)
    return space_runs(model.vocabulary, model.merges, merger)


SPACES_LAST = [("▁▁", -50.0, 1), ("▁▁▁▁", -51.0, 1), ("▁▁▁", -51.0, 1), ("▁" * 8, -52.0, 1)]
WORDS = st.lists(
    st.text("ab(", min_size=1, max_size=3).flatmap(
        lambda word: st.sampled_from([word, "▁" + word, word + "▁"])
    ),
    max_size=10,
    unique=True,
)
TEXTS = st.lists(
    st.sampled_from(
        ["a", "b", "(", "ab", "é", "\n", " ", "  ", "   ", " " * 7, " " * 46, " " * 60]
    ),
    max_size=16,
).map("".join)


@settings(max_examples=150)
@given(WORDS, st.integers(0, 4), st.lists(TEXTS, min_size=1, max_size=4), st.booleans())
@example(["▁a"], 4, [" " * size + "a(" for size in range(60)], False)
@example(["▁a"], 4, [" " * size + "é" for size in range(60)], True)
def test_models_that_merge_spaces_last(
    words: list[str], blanks: int, texts: list[str], prefix: bool
) -> None:
    pieces = [(word, -1.0 - at, 1) for at, word in enumerate(words) if len(word) > 1]
    ours, reference = opened(made([*pieces, *SPACES_LAST[:blanks], *LETTERS], prefix))
    assert (runs_of(ours.model) is not None) == (blanks > 0)
    for text in texts:
        check(ours, reference, text)


@pytest.mark.parametrize(
    "pieces",
    [
        [("▁▁a", -3.0, 1), ("▁▁", -4.0, 1), ("▁a", -2.0, 1)],  # spaces and more in one piece
        [("▁▁", -1.0, 1), ("▁a", -2.0, 1)],  # spaces first
        [("▁▁", 0.0, USER_DEFINED), ("▁a", -2.0, 1)],
        [("▁a", -2.0, 1)],  # no runs at all
    ],
)
def test_models_that_do_not(pieces: list[tuple[str, float, int]]) -> None:
    ours, reference = opened(made([*pieces, *LETTERS]))
    assert runs_of(ours.model) is None
    for size in range(12):
        check(ours, reference, "b" + " " * size + "ab" + " " * size)


def test_runs_and_long_words_in_bites() -> None:
    ours, reference = opened(made([("▁a", -1.0, 1), ("aa", -2.0, 1), *SPACES_LAST, *LETTERS]))
    assert runs_of(ours.model) is not None
    for size in (1, 2, 9, 48, 49):
        check(ours, reference, "b" + " " * size + "a" * 5000 + "b")
        check(ours, reference, "b" + " " * size + "é" * 5000 + "b")
        check(ours, reference, ("b" + " " * size + "a" * 7) * 3000)
