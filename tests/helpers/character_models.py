"""SentencePiece models for the tests: their vocabularies as ours, and a model run on one word."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i32, u8
from sentencepiece import sentencepiece_model_pb2 as protobuf

from tokenarium_core import vocabulary as kinds
from tokenarium_core.models.model import Model, WordBatch
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import PieceArena, Vocabulary

PADDING = b"\0" * 16
KINDS = {
    1: kinds.NORMAL,
    2: kinds.UNKNOWN,
    3: kinds.CONTROL,
    4: kinds.USER_DEFINED,
    5: kinds.UNUSED,
    6: kinds.BYTE,
}


def read_proto(content: bytes) -> protobuf.ModelProto:
    """Returns a model file as the library's own classes read it."""
    proto = protobuf.ModelProto()
    proto.ParseFromString(content)
    return proto


def vocabulary_of(proto: protobuf.ModelProto) -> Vocabulary:
    """Returns the vocabulary of a model, in space form."""
    arena = PieceArena(len(proto.pieces))
    scores = []
    for piece in proto.pieces:
        kind = KINDS[piece.type]
        if kind == kinds.BYTE:
            arena.add(bytes([int(piece.piece[3:5], 16)]), kind)
        else:
            arena.add(piece.piece.replace("▁", " ").encode(), kind)
        scores.append(piece.score)
    arena.scores = vec[float](scores)
    findable = (kinds.NORMAL, kinds.USER_DEFINED, kinds.UNUSED)
    return Vocabulary(arena, findable, kinds.SPACE_MARK)


def spaced(proto: protobuf.ModelProto, text: str) -> bytes:
    """Returns a text in space form, for models that change nothing but put a space before or after it."""
    text = text.replace("▁", " ")
    if text and proto.normalizer_spec.add_dummy_prefix:
        text = text + " " if proto.trainer_spec.treat_whitespace_as_suffix else " " + text
    return text.encode()


def whole_word(data: bytes) -> WordBatch:
    """Returns a text as one word for `Model.encode_words`."""
    words = WordBatch(vec[i32]([len(data)]), vec[u8]([0]))
    words.data = data + PADDING
    words.stop = 1
    return words


def ids_of(model: Model, data: bytes, start: int = 0) -> list[int]:
    """Returns the ids of ``data[start:]`` as one word, encoded in as many steps as the model asks for."""
    stop = len(data)
    words = whole_word(data)
    words.start = start
    out = vec[i32]([0] * (stop + 1))
    count = 0
    while words.start < stop:
        words.first = 0
        count = model.encode_words(words, out, count)
        pending = model.take_pending()
        if pending is not None:
            assert pending.stop == words.start
            while not pending.step(1000, None):
                pass
            count = pending.write(out, count)
    return list(out[:count])


def checked_ids(model: Model, data: bytes) -> list[int]:
    """Returns `ids_of`, having checked the law of the trace, and that the spans cover the whole text."""
    ids = ids_of(model, data)
    assert ids_of(model, data) == ids
    trace = Trace()
    out = vec[i32]([0] * (len(data) + 1))
    if not data:
        assert ids == []
        return ids
    count = model.encode_traced(data + PADDING, 0, len(data), out, 0, trace)
    assert list(out[:count]) == ids
    assert trace.replay(data, []) == ids
    return ids


def spans_of(model: Model, data: bytes, ids: list[int]) -> list[tuple[int, int]]:
    """Returns where the ids of a word are in it."""
    spans = vec[i32]([-1] * (2 * len(ids) + 2))
    model.locate(data + PADDING, 0, len(data), vec[i32](ids), 0, len(ids), spans)
    return [(int(spans[2 * k]), int(spans[2 * k + 1])) for k in range(len(ids))]
