"""Bundles of LiteRT-LM, whose header is written by the library flatbuffers."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import flatbuffers

BLOCK = 16 * 1024
SENTENCEPIECE, METADATA, HUGGINGFACE = 4, 5, 6
_TEXT_TYPE = 9


def packed(content: bytes) -> bytes:
    """Returns the section of a tokenizer.json."""
    return struct.pack("<Q", len(content)) + zlib.compress(content)


def bundle(sections: Sequence[tuple[int, bytes, str]], moved: int = 0, version: int = 1) -> bytes:
    """Returns a bundle of sections: the type, the content, and the model that each is for, or nothing.

    ``moved``: how many bytes beyond its end each section is said to end.
    """
    builder = flatbuffers.Builder(1024)
    at = BLOCK
    body = b""
    tables = []
    for kind, content, model in sections:
        items = 0
        if model:
            key, text = builder.CreateString("Model_Type"), builder.CreateString(model)
            builder.StartObject(1)
            builder.PrependUOffsetTRelativeSlot(0, text, 0)
            value = builder.EndObject()
            builder.StartObject(3)
            builder.PrependUOffsetTRelativeSlot(0, key, 0)
            builder.PrependUint8Slot(1, _TEXT_TYPE, 0)
            builder.PrependUOffsetTRelativeSlot(2, value, 0)
            items = _vector(builder, [builder.EndObject()])
        builder.StartObject(4)
        if items:
            builder.PrependUOffsetTRelativeSlot(0, items, 0)
        builder.PrependUint64Slot(1, at, 0)
        builder.PrependUint64Slot(2, at + len(content) + moved, 0)
        builder.PrependUint8Slot(3, kind, 0)
        tables.append(builder.EndObject())
        body += content + b"\0" * (-len(content) % BLOCK)
        at = BLOCK + len(body)
    objects = _vector(builder, tables)
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, objects, 0)
    metadata = builder.EndObject()
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(1, metadata, 0)
    builder.Finish(builder.EndObject())
    header = bytes(builder.Output())
    head = b"LITERTLM" + struct.pack("<3I4xQ", version, 5, 0, 32 + len(header)) + header
    return head + b"\0" * (BLOCK - len(head)) + body


def _vector(builder: flatbuffers.Builder, tables: Sequence[int]) -> int:
    builder.StartVector(4, len(tables), 4)
    for table in reversed(tables):
        builder.PrependUOffsetTRelative(table)
    return int(builder.EndVector())
