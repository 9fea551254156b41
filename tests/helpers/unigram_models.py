"""Unigram models with their references: trained in the test, or made by hand."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import sentencepiece
from librt.vecs import vec
from mypy_extensions import i32, u8
from sentencepiece import sentencepiece_model_pb2

from tokenarium_core.models.model import WordBatch
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    SPACE_MARK,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

SAMPLES = Path(__file__).resolve().parents[2] / "resources" / "samples"
KINDS = {1: NORMAL, 2: UNKNOWN, 3: CONTROL, 4: USER_DEFINED, 5: UNUSED, 6: BYTE}
BYTE_PIECE = re.compile(r"<0x([0-9A-F]{2})>")


class Pair:
    """sentencepiece's processor and our model of the same file."""

    def __init__(self, proto: Any) -> None:
        self.proto = proto
        self.reference = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
        self.model = from_proto(proto)


def train(text: str, **options: Any) -> Pair:
    """Returns a model that sentencepiece trains on the lines of a text, without any normalization."""
    file = io.BytesIO()
    lines = [line for line in text.split("\n") if line]
    settings: dict[str, Any] = {
        "model_type": "unigram",
        "normalization_rule_name": "identity",
        "add_dummy_prefix": False,
        "remove_extra_whitespaces": False,
        "hard_vocab_limit": False,
        "minloglevel": 2,
        "max_sentence_length": 1 << 20,
        "num_threads": 1,
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=file, **(settings | options)
    )
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(file.getvalue())
    return Pair(proto)


def by_hand(pieces: list[tuple[str, float, int]], byte_fallback: bool = False) -> Pair:
    """Returns a model of these pieces (text, score, sentencepiece's type) after ``<unk>`` and the bytes."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.trainer_spec.model_type = 1
    proto.trainer_spec.byte_fallback = byte_fallback
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = False
    proto.normalizer_spec.remove_extra_whitespaces = False
    proto.normalizer_spec.escape_whitespaces = True
    rows = [("<unk>", 0.0, 2)]
    if byte_fallback:
        rows += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    for text, score, kind in rows + pieces:
        piece = proto.pieces.add()
        piece.piece = text
        piece.score = score
        piece.type = kind
    return Pair(proto)


def from_proto(proto: Any) -> Unigram:
    """Returns our model of a SentencePiece file."""
    arena = PieceArena(len(proto.pieces))
    unknown = -1
    for token, piece in enumerate(proto.pieces):
        kind = KINDS[piece.type]
        if kind == BYTE:
            arena.add(bytes([int(piece.piece[3:5], 16)]), kind)
        else:
            arena.add(piece.piece.replace("▁", " ").encode(), kind)
        if kind == UNKNOWN:
            unknown = token
    arena.scores = vec[float]([piece.score for piece in proto.pieces])
    vocabulary = Vocabulary(arena, (NORMAL, USER_DEFINED), SPACE_MARK)
    return Unigram(vocabulary, unknown, proto.trainer_spec.byte_fallback)


def from_rows(
    rows: list[tuple[str, float]], unknown: int, byte_fallback: bool, spelling: int = SPACE_MARK
) -> Unigram:
    """Returns our model of the vocabulary of a tokenizers file."""
    arena = PieceArena(len(rows))
    for text, _ in rows:
        byte = BYTE_PIECE.fullmatch(text)
        if byte is not None:
            arena.add(bytes([int(byte[1], 16)]), BYTE)
        else:
            arena.add((text.replace("▁", " ") if spelling == SPACE_MARK else text).encode(), NORMAL)
    arena.scores = vec[float]([score for _, score in rows])
    vocabulary = Vocabulary(arena, (NORMAL,), spelling)
    return Unigram(vocabulary, unknown, byte_fallback, TOKENIZERS)


def encode(model: Unigram, text: str) -> list[int]:
    """Returns the ids of a text that is one word, by the fast path."""
    return encode_words(model, [text])


def encode_words(model: Unigram, words: list[str]) -> list[int]:
    """Returns the ids of these words, by the fast path; checks `locate` at each step."""
    data = padded("".join(words))
    stop = 0
    sizes = [len(padded(word)) - PADDING for word in words]
    places = []
    for size in sizes:
        stop += size
        places.append(stop)
    batch = WordBatch(vec[i32](places), vec[u8]([0] * len(words)))
    batch.data = data
    batch.stop = len(words)
    out = vec[i32]([0] * (3 * stop + 1))
    count = 0
    while batch.first < len(words) and stop:
        before, begin = count, batch.start
        count = model.encode_words(batch, out, count)
        pending = model.take_pending()
        if len(words) == 1:
            check_spans(
                model, data, begin, pending.start if pending else batch.start, out, before, count
            )
        if pending is not None:
            before = count
            while not pending.step(1000, None):
                pass
            count = pending.write(out, count)
            if len(words) == 1:
                check_spans(model, data, pending.start, pending.stop, out, before, count)
            if batch.start == places[batch.first]:
                batch.first += 1
    return [out[index] for index in range(count)]


def encode_traced(model: Unigram, text: str) -> list[int]:
    """Returns the ids of a text by the plain algorithm; asserts that its trace replays to them."""
    data = padded(text)
    size = len(data) - PADDING
    out = vec[i32]([0] * (3 * size + 1))
    trace = Trace()
    count = model.encode_traced(data, 0, size, out, 0, trace)
    check_spans(model, data, 0, size, out, 0, count)
    ids = [out[index] for index in range(count)]
    assert trace.replay(data[:size], []) == ids
    return ids


def check_spans(
    model: Unigram, data: bytes, start: int, stop: int, out: vec[i32], first: int, last: int
) -> None:
    """Asserts that the spans follow each other, and that known pieces are at their positions."""
    spans = vec[i32]([0] * (2 * last))
    model.locate(data, start, stop, out, first, last, spans)
    at = start
    vocabulary = model.vocabulary
    for index in range(first, last):
        begin, end = spans[2 * index], spans[2 * index + 1]
        assert begin == at
        kind = vocabulary.kind(out[index])
        if kind in {"normal", "user-defined"} and out[index] != model.unknown_id:
            assert data[begin:end] == vocabulary.piece(out[index])
        elif out[index] == model.unknown_id:
            assert data[begin:end].decode()
        elif begin < end and end - begin == 1:
            assert data[begin:end] == vocabulary.piece(out[index]) or data[begin:end] == b" "
        at = end
    assert at == stop
