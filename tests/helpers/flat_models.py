"""Models of SentencePiece's lite runtime, written by the library flatbuffers."""

from __future__ import annotations

from typing import Any

import flatbuffers
from sentencepiece import sentencepiece_model_pb2 as model_pb2


def flat(content: bytes, **changes: Any) -> bytes:
    """Returns a model as a FlatBuffer, by the schema of sentencepiece 0.2.3; ``changes`` are fields to write instead."""
    proto = model_pb2.ModelProto.FromString(content)
    trainer, rules = proto.trainer_spec, proto.normalizer_spec
    is_bpe = trainer.model_type == 2
    builder = flatbuffers.Builder(1024)

    def vector(size: int, numbers: list[Any], prepend: Any) -> int:
        builder.StartVector(size, len(numbers), size)
        for number in reversed(numbers):
            prepend(number)
        return int(builder.EndVector())

    made = changes.get("pieces", [piece.piece for piece in proto.pieces])
    strings = [builder.CreateString(piece) for piece in made]
    pieces = vector(4, strings, builder.PrependUOffsetTRelative)
    scores = [piece.score for piece in proto.pieces]
    if is_bpe:
        scored = vector(4, [int(score) for score in scores], builder.PrependInt32)
    else:
        scored = vector(4, scores, builder.PrependFloat32)
    types = vector(
        1, changes.get("types", [piece.type for piece in proto.pieces]), builder.PrependInt8
    )
    trie = builder.CreateByteVector(b"trie" * 8)
    surface = builder.CreateString(trainer.unk_surface)
    name = builder.CreateString(rules.name)
    charsmap = builder.CreateByteVector(rules.precompiled_charsmap)
    builder.StartObject(6)
    builder.PrependUOffsetTRelativeSlot(0, name, 0)
    builder.PrependUOffsetTRelativeSlot(1, charsmap, 0)
    builder.PrependBoolSlot(2, rules.add_dummy_prefix, True)
    builder.PrependBoolSlot(3, rules.remove_extra_whitespaces, True)
    builder.PrependBoolSlot(4, rules.escape_whitespaces, True)
    builder.PrependBoolSlot(5, trainer.treat_whitespace_as_suffix, False)
    spec = builder.EndObject()
    builder.StartObject(16)
    builder.PrependUOffsetTRelativeSlot(0, pieces, 0)
    builder.PrependUOffsetTRelativeSlot(2 if is_bpe else 1, scored, 0)
    builder.PrependUOffsetTRelativeSlot(3, types, 0)
    builder.PrependInt32Slot(4, trainer.unk_id, 0)
    builder.PrependUOffsetTRelativeSlot(5, surface, 0)
    builder.PrependInt8Slot(6, trainer.model_type, 1)
    builder.PrependUOffsetTRelativeSlot(7, spec, 0)
    builder.PrependUOffsetTRelativeSlot(8, trie, 0)
    for field, id in ((13, trainer.bos_id), (14, trainer.eos_id), (15, trainer.pad_id)):
        builder.PrependInt32Slot(field, id, -1)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())
