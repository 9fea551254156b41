"""GGUF files taken apart into their fields, put together again, and with faults in them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from random import Random

TEXT, LIST = 8, 9
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
NAMES = [
    "gpt-2", "llama-bpe", "qwen2", "default", "glm4", "chatglm-bpe", "tekken", "jina-v2-de", "gpt-4o", "hy_v4", "no-such-name",
    "", "\x00", "é" * 40,
]  # fmt: skip
KINDS = ["gpt2", "llama", "bert", "t5", "rwkv", "plamo2", "gemma4", "whitespace", "none", ""]
NUMBERS = [0, 1, 2, 101, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]

Field = tuple[bytes, int, bytes]
"""A name, a type, and the bytes of the value."""


@dataclass(frozen=True)
class GgufFields:
    """A file: its version, how many tensors it says that it has, its fields, and the bytes after them."""

    version: int
    tensors: int
    fields: tuple[Field, ...]
    rest: bytes

    def joined(self) -> bytes:
        """Returns the bytes of the file."""
        head = b"GGUF" + struct.pack("<IQQ", self.version, self.tensors, len(self.fields))
        return head + b"".join(joined_field(field) for field in self.fields) + self.rest


def joined_field(field: Field) -> bytes:
    """Returns the bytes of a field."""
    name, kind, value = field
    return _text(name) + struct.pack("<I", kind) + value


def fields_of(content: bytes) -> GgufFields:
    """Returns the fields of a file; ValueError for one that has no whole fields."""
    try:
        version, tensors, count = struct.unpack_from("<IQQ", content, 4)
        at, fields = 24, []
        for _ in range(count):
            start = at + 8
            at = start + struct.unpack_from("<Q", content, at)[0]
            name, kind = content[start:at], struct.unpack_from("<I", content, at)[0]
            stop = _end(content, at + 4, kind)
            fields.append((name, kind, content[at + 4 : stop]))
            at = stop
    except (struct.error, KeyError, OverflowError) as error:
        raise ValueError("no whole GGUF file") from error
    if at > len(content):
        raise ValueError("a GGUF file that is cut off")
    return GgufFields(version, tensors, tuple(fields), content[at:])


def _end(content: bytes, at: int, kind: int) -> int:
    if kind == TEXT:
        return at + 8 + int(struct.unpack_from("<Q", content, at)[0])
    if kind != LIST:
        return at + SIZES[kind]
    item, count = struct.unpack_from("<IQ", content, at)
    at += 12
    if item != TEXT:
        return at + SIZES[item] * int(count)
    for _ in range(count):
        at = _end(content, at, TEXT)
    return at


def _text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def mutated_gguf(chance: Random, content: bytes) -> bytes | None:
    """Returns a file with a fault in one of its fields, or in what it says of them; None if it has no whole fields."""
    try:
        file = fields_of(content)
    except ValueError:
        return None
    fields = [*file.fields]
    way = chance.randrange(9)
    if way == 0 or not fields:
        number = chance.choice(NUMBERS)
        if chance.random() < 0.5:
            return replace(file, tensors=number).joined()
        return content[:16] + struct.pack("<Q", number) + content[24:]
    place = chance.randrange(len(fields))
    name, kind, value = fields[place]
    if way == 1:
        del fields[place]
    elif way == 2:
        fields.insert(chance.randrange(len(fields) + 1), (name, kind, value))
    elif way == 3:
        fields[place] = (chance.choice(fields)[0], kind, value)
    elif way == 4:
        other = chance.choice(fields)
        fields[place] = (name, other[1], other[2])
    elif way == 5 and file.rest:  # the list of tensors
        at = chance.randrange(min(len(file.rest), 80))
        packed = struct.pack("<Q", chance.choice(NUMBERS))
        return replace(file, rest=file.rest[:at] + packed + file.rest[at + 8 :]).joined()
    else:
        fields[place] = (name, kind, _other_value(chance, name, kind, value))
    return replace(file, fields=tuple(fields)).joined()


def _other_value(chance: Random, name: bytes, kind: int, value: bytes) -> bytes:
    """Returns another value of the same type, mostly a whole one."""
    if kind == TEXT:
        words = KINDS if name.endswith(b".model") else NAMES
        return _text(chance.choice(words).encode())
    if kind != LIST:
        return struct.pack("<Q", chance.choice(NUMBERS))[: SIZES[kind]]
    item, count = struct.unpack_from("<IQ", value)
    if item != TEXT:
        size = SIZES[item]
        at = 12 + size * chance.randrange(max(count, 1))
        if chance.random() < 0.3:
            return struct.pack("<IQ", item, max(count, 1) - 1) + value[12 + size :]
        number = struct.pack("<Q", chance.choice([*range(8), *NUMBERS]))[:size]
        return value[:at] + number + value[at + size :]
    texts, at = [], 12
    for _ in range(count):
        end = _end(value, at, TEXT)
        texts.append(value[at + 8 : end])
        at = end
    place = chance.randrange(len(texts)) if texts else 0
    if texts and chance.random() < 0.3:
        del texts[place]
    elif texts:
        one = chance.choice(texts)
        texts[place] = chance.choice([b"", b" ", b"\xff", b"a b", one, one + b"x", one * 50])
    return struct.pack("<IQ", item, len(texts)) + b"".join(map(_text, texts))


# Small files.


def text_field(name: str, value: str) -> Field:
    """Returns a field of a text."""
    return name.encode(), TEXT, _text(value.encode())


def list_field(name: str, item: int, values: list[str] | list[int] | list[float]) -> Field:
    """Returns a field of a list: of texts, of 32-bit integers (5), or of 32-bit floats (6)."""
    head = struct.pack("<IQ", item, len(values))
    if item == TEXT:
        return name.encode(), LIST, head + b"".join(_text(str(one).encode()) for one in values)
    return name.encode(), LIST, head + struct.pack(f"<{len(values)}{'if'[item - 5]}", *values)


def number_field(name: str, value: int) -> Field:
    """Returns a field of an unsigned 32-bit number."""
    return name.encode(), 4, struct.pack("<I", value)


def with_tensors(content: bytes, alignment: int) -> bytes:
    """Returns a file without tensors with one of 256 bytes; 32 is the alignment of files that name none."""
    file = fields_of(content)
    fields = file.fields
    if alignment != USUAL_ALIGNMENT:
        fields = (*fields, number_field(ALIGNMENT.decode(), alignment))
    info = _text(b"token_embd.weight") + struct.pack("<IQQIQ", 2, 8, 8, 0, 0)
    made = GgufFields(file.version, 1, fields, info).joined()
    return made + bytes(-len(made) % alignment) + bytes(range(256))


ALIGNMENT, USUAL_ALIGNMENT = b"general.alignment", 32


def data_of(content: bytes) -> bytes:
    """Returns the bytes of the tensors, without those before them that align them."""
    file = fields_of(content)
    given = [value for name, _, value in file.fields if name == ALIGNMENT]
    alignment = struct.unpack("<I", given[0])[0] if given else 0
    at = 0
    for _ in range(file.tensors):
        at = _end(file.rest, at, TEXT)
        at += 4 + 8 * int(struct.unpack_from("<I", file.rest, at)[0]) + 12
    start = len(content) - len(file.rest) + at
    alignment = alignment or USUAL_ALIGNMENT
    return content[-(-start // alignment) * alignment :]
