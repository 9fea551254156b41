"""Small SentencePiece models for the tests: trained on a few lines, or made by hand, piece by piece."""

from __future__ import annotations

import functools
import io
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as model_pb2

LINES = [
    "The quick brown fox jumps over the lazy dog, and the dog sleeps.",
    "He said: don't stop, the other one isn't here yet!",
    "Ｆｕｌｌ ｗｉｄｔｈ and ﬁne ligatures, ½ of №5, Ⅷ and x² — naïve café, e\u0301 and \u0041\u030a",
    "Être ou ne pas être: Ça va? Größe, STRASSE, straße, İstanbul, ΣΊΣΥΦΟΣ",
    "これは日本語の文章です。カタカナ ﾊﾝｶｸ ｶﾞ と ひらがな",
    "Привет, мир! Всеобщая декларация прав человека",
    "مرحبا بالعالم ﷺ ﻻ لا",
    "नमस्ते दुनिया क\u093c",
    "한국어 문장입니다 \u1112\u1161\u11ab",
    "tabs\tand  double  spaces , 12,345.67 (a+b)*c == d",
    "zero\u200bwidth, no\u00a0break, ideographic\u3000space, soft\u00adhyphen, e\u2026",
    "<mask> in a line, [URL] too, a<mask>b",
]


WAYS: dict[str, dict[str, Any]] = {
    "plain": {"character_coverage": 0.98},
    "suffix": {"treat_whitespace_as_suffix": True},
    "identity": {
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "add_dummy_prefix": False,
        "pieces": ("<mask>", "▁▁", "\n"),
        "character_coverage": 0.98,
    },
    "bytes": {"byte_fallback": True, "character_coverage": 0.98, "size": 450},
    "case": {"normalization_rule_name": "nmt_nfkc_cf", "pieces": ("<mask>", "[URL]")},
}

MODELS: dict[str, dict[str, Any]] = {
    f"{kind}, {name}": {"kind": kind, **options}
    for kind in ("char", "word", "bpe", "unigram")
    for name, options in WAYS.items()
}
"""Options of `trained`: each kind of model in several ways."""


@functools.cache
def trained(
    kind: str = "char", size: int = 400, pieces: tuple[str, ...] = (), **options: Any
) -> bytes:
    """Returns a ``.model`` trained on `LINES`; ``pieces`` are user-defined."""
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES * 4),
        model_writer=writer,
        model_type=kind,
        vocab_size=size,
        hard_vocab_limit=False,
        character_coverage=options.pop("character_coverage", 1.0),
        user_defined_symbols=list(pieces),
        num_threads=1,  # if memory is limited, a thread that cannot start ends the process
        minloglevel=2,
        **options,
    )
    return writer.getvalue()


def reference(model: bytes) -> sentencepiece.SentencePieceProcessor:
    """Returns the reference library's processor of a model."""
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def listing(model: bytes) -> bytes:
    """Returns what sentencepiece writes beside a model: its pieces and their scores, with six digits."""
    pieces = model_pb2.ModelProto.FromString(model).pieces
    return "".join(f"{piece.piece}\t{piece.score:g}\n" for piece in pieces).encode()


Piece = tuple[str, float, int]


def message(pieces: list[Piece], kind: int = 1) -> model_pb2.ModelProto:
    """Returns a model of these pieces (text, score, type), to be changed and serialised.

    ``kind`` is the model type: 1 Unigram, 2 BPE, 3 words, 4 characters. Nothing is normalized.
    """
    model = model_pb2.ModelProto()
    for text, score, number in pieces:
        model.pieces.add(piece=text, score=score, type=number)
    model.trainer_spec.model_type = kind
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    return model


SMALL: list[Piece] = [
    ("<unk>", 0.0, 2),
    ("<s>", 0.0, 3),
    ("</s>", 0.0, 3),
    ("<mask>", 0.0, 4),
    ("▁", -1.0, 1),
    ("a", -2.0, 1),
    ("b", -3.0, 1),
    ("ab", -0.5, 1),
    ("▁ab", -0.25, 1),
]
"""Pieces in which `` ab`` is one token."""

BYTES: list[Piece] = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
"""The 256 pieces of a model that falls back to bytes."""
