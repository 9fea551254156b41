"""Each step of a decoder alone, and chains of them, against the decoders of tokenizers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.decoders.token_decoders import (
    BpeStep,
    ByteFallbackStep,
    ByteLevelStep,
    CtcStep,
    DecoderStep,
    FuseStep,
    MetaspaceStep,
    ReplaceStep,
    StepsDecoder,
    StripStep,
    WordPieceStep,
)
from tokenarium_core.patterns.found_pattern import FoundRegex, FoundString
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, SPACE_MARK, PieceArena, Vocabulary

tokenizers = pytest.importorskip("tokenizers")
decoders = tokenizers.decoders
Regex = tokenizers.Regex

CHAINS: dict[str, tuple[list[DecoderStep], object]] = {
    "ByteLevel": ([ByteLevelStep()], decoders.ByteLevel()),
    "ByteFallback": ([ByteFallbackStep()], decoders.ByteFallback()),
    "Fuse": ([FuseStep()], decoders.Fuse()),
    "Replace": ([ReplaceStep(FoundString("▁"), " ")], decoders.Replace("▁", " ")),
    "Replace nothing": ([ReplaceStep(FoundString(""), "-")], decoders.Replace("", "-")),
    "Replace by regex": (
        [ReplaceStep(FoundRegex("a|▁+|$"), "-")],
        decoders.Replace(Regex("a|▁+|$"), "-"),
    ),
    "Strip before": ([StripStep(" ", 1, 0)], decoders.Strip(" ", 1, 0)),
    "Strip more before": ([StripStep("▁", 2, 0)], decoders.Strip("▁", 2, 0)),
    "Metaspace": ([MetaspaceStep()], decoders.Metaspace()),
    "Metaspace, first": ([MetaspaceStep("▁", "first")], decoders.Metaspace("▁", "first")),
    "Metaspace, never": ([MetaspaceStep("_", "never")], decoders.Metaspace("_", "never")),
    "BPEDecoder": ([BpeStep()], decoders.BPEDecoder()),
    "BPEDecoder, @@": ([BpeStep("@@")], decoders.BPEDecoder("@@")),
    "CTC": ([CtcStep()], decoders.CTC()),
    "CTC, no cleanup": ([CtcStep("a", "b", False)], decoders.CTC("a", "b", False)),
    "WordPiece": ([WordPieceStep()], decoders.WordPiece()),
    "WordPiece, no cleanup": ([WordPieceStep("a", False)], decoders.WordPiece("a", False)),
    "Gemma": (
        [ReplaceStep(FoundString("▁"), " "), ByteFallbackStep(), FuseStep()],
        decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]),
    ),
    "Llama": (
        [
            ReplaceStep(FoundString("▁"), " "),
            ByteFallbackStep(),
            FuseStep(),
            StripStep(" ", 1, 0),
        ],
        decoders.Sequence(
            [
                decoders.Replace("▁", " "),
                decoders.ByteFallback(),
                decoders.Fuse(),
                decoders.Strip(" ", 1, 0),
            ]
        ),
    ),
    "WordPiece in a sequence": (
        [WordPieceStep(), ReplaceStep(FoundString(" "), "_"), MetaspaceStep("_")],
        decoders.Sequence(
            [decoders.WordPiece(), decoders.Replace(" ", "_"), decoders.Metaspace("_")]
        ),
    ),
}

TOKENS = [
    *("a", "b", "▁", "▁the", "▁▁x", "▁a▁", "", " ", "_", "Ġthe", "Ċ", "Ã", "©", "âĤ¬", "日本", "é"),
    *("<0xE5>", "<0x8F>", "<0xab>", "<0x41>", "<0xGG>", "<0x+1>", "<0x1>", "<0xé>", "<0x0A>"),
    *("<pad>", "|", "##ing", "##", "a##", " .", "n't", " n't", " do not", "</w>", "low</w>", "x</w>y"),
    *("@@", "wi@@", "."),
]  # fmt: skip


@given(name=st.sampled_from(list(CHAINS)), tokens=st.lists(st.sampled_from(TOKENS), max_size=8))
@settings(max_examples=2000)
def test_decoded_tokens(name: str, tokens: list[str]) -> None:
    steps, theirs = CHAINS[name]
    expected = theirs.decode(tokens)
    for step in steps:
        tokens = step.apply(tokens)
    assert "".join(tokens) == expected


@given(
    content=st.sampled_from("a▁"),
    start=st.integers(0, 3),
    stop=st.integers(0, 3),
    token=st.text(alphabet="ab▁", max_size=8),
)
def test_strip_at_both_ends(content: str, start: int, stop: int, token: str) -> None:
    if len(token.strip(content)) == 0:  # here the reference may stop the program
        assert len(StripStep(content, start, stop).apply([token])[0]) <= len(token)
    else:
        theirs = decoders.Strip(content, start, stop)
        assert StripStep(content, start, stop).apply([token]) == [theirs.decode([token])]


def small_vocabulary() -> Vocabulary:
    pieces = PieceArena(6)
    pieces.add(b"<s>", CONTROL)
    for piece in (b" a", b"b", b" "):
        pieces.add(piece, NORMAL)
    pieces.add(b"\xc3", BYTE)
    pieces.add(b"\xa9", BYTE)
    return Vocabulary(pieces, spelling=SPACE_MARK)


def test_ids_are_decoded_by_their_spelling() -> None:
    steps, _ = CHAINS["Llama"]
    decoder = StepsDecoder(steps, frozenset([0]))
    assert decoder.decode(small_vocabulary(), [0, 1, 2, 1, 4, 5]) == "ab aé".encode()
    assert decoder.decode(small_vocabulary(), [4]) == "\ufffd".encode()
    assert decoder.name == "Replace → ByteFallback → Fuse → Strip"


def test_tokens_without_a_decoder_are_joined_by_spaces() -> None:
    assert StepsDecoder([], spaced=True).decode(small_vocabulary(), [0, 2, 2]) == b"<s> b b"
    assert StepsDecoder([]).decode(small_vocabulary(), [0, 2, 2]) == b"<s>bb"


def test_a_strip_of_more_than_one_character_is_refused() -> None:
    with pytest.raises(tc.FormatError, match="Strip"):
        StripStep("ab", 1, 1)
