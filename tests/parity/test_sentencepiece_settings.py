"""The settings in SentencePiece's files beside the protobuf library: the same values, or both refuse."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError, Message
from hypothesis import given
from hypothesis import strategies as st
from mutations import packed_message
from narrowed import there
from sentencepiece import sentencepiece_model_pb2 as definition

import tokenarium_core as tc
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    _ModelFile,
    model_content,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import packed, varint
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    _DECLARED,
    SentencePieceSettings,
    details_of,
    read_settings,
)

KINDS = {
    "trainer_spec": definition.TrainerSpec,
    "normalizer_spec": definition.NormalizerSpec,
    "denormalizer_spec": definition.NormalizerSpec,
}
MESSAGES = ["trainer_spec", "normalizer_spec"]


def reference(message: str, content: bytes) -> Message | None:
    """Returns the message as the library reads it; None where it, or a text in it, cannot be read."""
    try:
        read: Message = KINDS[message].FromString(content)
        for field, value in read.ListFields():
            if field.type == field.TYPE_STRING:
                for text in [value] if isinstance(value, (str, bytes)) else value:
                    if isinstance(text, bytes):
                        text.decode()
    except (DecodeError, UnicodeDecodeError):
        return None
    return read


def compare(message: str, content: bytes) -> bool:
    """Checks that both read the same or both refuse; returns whether they read it."""
    theirs = reference(message, content)
    if theirs is None:
        with pytest.raises(tc.FormatError):
            read_settings(message, content, "a model")
        return False
    ours = read_settings(message, content, "a model")
    for field in theirs.DESCRIPTOR.fields:
        expected: Any = getattr(theirs, field.name)
        value = getattr(ours, field.name)
        assert repr(value) == repr(list(expected) if isinstance(value, list) else expected)
    stored = [(field.name, field.number) for field, _ in ours.stored()]
    assert sorted(stored, key=lambda pair: pair[1]) == [
        (field.name, field.number) for field, _ in theirs.ListFields()
    ]
    again = there(reference(message, ours.content()))
    assert again.SerializeToString() == theirs.SerializeToString()
    assert ours.content() == theirs.SerializeToString()
    return True


@pytest.mark.parametrize("message", sorted(_DECLARED))
def test_the_fields_are_those_of_the_definition(message: str) -> None:
    fields = KINDS[message].DESCRIPTOR.fields
    settings = SentencePieceSettings(message)
    declared = [(field.name, field.number) for field in _DECLARED[message]]
    assert declared == [(field.name, field.number) for field in fields]
    for field in fields:
        value = getattr(settings, field.name)
        default = field.default_value
        assert value == (list(default) if isinstance(value, list) else default)


@pytest.fixture(scope="module")
def contents(data: Path) -> list[tuple[str, bytes]]:
    """The settings of the models in the data."""
    found = []
    for path in sorted((data / "tokenizers").glob("*.model")):
        parts = _ModelFile(path.read_bytes(), path.name).parts
        found += [("trainer_spec", parts[2]), ("normalizer_spec", parts[3])]
    return found


def test_real_models(contents: list[tuple[str, bytes]]) -> None:
    for message, content in contents:
        assert compare(message, content)
        theirs = there(reference(message, content))
        details = {d.name: d.value for d in details_of("", read_settings(message, content, ""))}
        assert details.keys() == {field.name for field, _ in theirs.ListFields()}


@pytest.mark.parametrize("seed", range(4))
def test_mutated_settings(contents: list[tuple[str, bytes]], seed: int) -> None:
    chance = random.Random(seed)
    read = 0
    for _ in range(400):
        message, content = chance.choice(contents)
        content = content[: chance.choice([60, 300])] + content[-60:]
        changed = bytearray(content)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(changed))
            way = chance.randrange(4)
            if way == 0:
                changed[at] = chance.randrange(256)
            elif way == 1:
                del changed[at : at + chance.randrange(1, 5)]
            elif way == 2:
                changed[at:at] = chance.randbytes(chance.randrange(1, 5))
            else:
                changed[at:at] = bytes(changed[: chance.randrange(1, 40)])
        read += compare(message, bytes(changed))
    assert 0 < read < 400


def whole_fields(numbers: list[int]) -> st.SearchStrategy[bytes]:
    """Fields of these numbers, with each wire type and any payload."""
    number = st.one_of(st.sampled_from(numbers), st.sampled_from([200, 0x1FFFFFFF]))
    any_number = st.one_of(
        st.integers(0, 5), st.integers(0, 2**64 - 1), st.sampled_from([2**31, 2**32 + 1, 2**63])
    )
    content = st.one_of(st.binary(max_size=6), st.text(max_size=4).map(str.encode))
    value = st.one_of(
        st.tuples(number, st.just(0), any_number),
        st.tuples(number, st.just(2), content),
        st.tuples(number, st.just(5), st.binary(min_size=4, max_size=4)),
        st.tuples(number, st.just(1), st.binary(min_size=8, max_size=8)),
    )
    fields = st.lists(value, max_size=6).map(packed_message)
    return st.lists(
        st.one_of(
            fields,
            st.tuples(number, fields).map(
                lambda pair: varint(pair[0] << 3 | 3) + pair[1] + varint(pair[0] << 3 | 4)
            ),
        ),
        max_size=4,
    ).map(b"".join)


@pytest.mark.parametrize("message", MESSAGES)
@given(draw=st.data())
def test_any_fields(message: str, draw: st.DataObject) -> None:
    numbers = [field.number for field in _DECLARED[message]]
    compare(message, draw.draw(whole_fields(numbers)))


@given(st.binary(max_size=24))
def test_any_bytes(content: bytes) -> None:
    for message in MESSAGES:
        compare(message, content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x0a\x80\x00",  # a length in two bytes that fits into one
        b"\x0a\x80\x80\x80\x80\x00",
        b"\x0a\x80\x80\x80\x80\x80\x00",
        b"\x0a\xff\xff\xff\xff\x07",
        b"\x8a\x80\x80\x80\x00\x01a",  # a tag of five bytes
        b"\x8a\x80\x80\x80\x80\x00\x01a",  # and of six
        b"\x8a\x80\x80\x80\x10\x01a",  # of more than 32 bits
        b"\xfa\xff\xff\xff\x0f\x00",
        b"\x20" + b"\xff" * 9 + b"\x01",  # numbers of ten bytes, and more
        b"\x20" + b"\xff" * 9 + b"\x7f",
        b"\x20" + b"\xff" * 10 + b"\x01",
        b"\x20" + b"\x80" * 9 + b"\x00",
        b"\x58" + b"\xff" * 9 + b"\x01",
        b"\x18\x07",  # a type of model that there is not
        b"\x18\x02\x18\x07",
        b"\x18" + b"\xff" * 9 + b"\x01",
        b"\x1d\x00\x00\x00\x00",  # a field of another wire type
        b"\x00",
        b"\x00\x00",
        b"\x04",
        b"\x0c",
        b"\x0b",
        b"\x0b\x0c",
        b"\x0b\x14",
        b"\x0b\x13\x14\x0c",
        b"\x0e\x00",
        b"\x0f\x00",
        b"\x55\x00\x00\xc0\x7f",  # a number that is none
        b"\x55\x00\x00\x80\x7f",
        b"\x0a\x02\xc3\x28",  # not UTF-8
        b"\x0a\x02\xc3\x28\x0a\x01a",
        b"\x12\x02\xc3\x28\x12\x01a",
        b"\x0a\x03\xed\xa0\x80",
        *[b"\x0b" * depth + b"\x0c" * depth for depth in (98, 99, 100, 101, 102)],
    ],
    ids=lambda content: content[:12].hex(),
)
def test_bytes_at_the_bounds(content: bytes) -> None:
    for message in MESSAGES:
        compare(message, content)


def test_what_is_unknown_is_written_again() -> None:
    content = packed(200, b"of another program")
    settings = read_settings("trainer_spec", content, "a model")
    settings.put("vocab_size", 9)
    assert settings.content() == b"\x20\x09" + content
    with pytest.raises(AttributeError, match="trainer_spec has no field 'size'"):
        settings.put("size", 1)
    with pytest.raises(AttributeError, match="trainer_spec has no field 'size'"):
        _ = settings.size


@pytest.mark.parametrize(
    ("message", "content", "sentence"),
    [
        ("trainer_spec", b"\x9a\x02\x05ab", "trainer_spec .field 'byte_fallback'. has a field"),
        ("trainer_spec", b"\xea\x02\x01\xff", "'trainer_spec.unk_piece' of a model is not text"),
        ("normalizer_spec", b"\x12\x7f", "normalizer_spec .field 'precompiled_charsmap'. has"),
    ],
)
def test_a_fault_names_its_field(message: str, content: bytes, sentence: str) -> None:
    with pytest.raises(tc.FormatError, match=sentence):
        read_settings(message, content, "a model")


def test_a_model_is_written_as_it_was_read(data: Path) -> None:
    """The pieces, the settings and what is unknown, byte for byte; a usual piece needs no type."""
    content = (data / "tokenizers" / "mistral-v3.model").read_bytes() + packed(300, b"more")
    tokenizer = read_sentencepiece(content, "mistral", "mistral")
    written = model_content(tokenizer.vocabulary, tokenizer.stored)
    theirs = definition.ModelProto.FromString(content)
    for piece in theirs.pieces:
        if piece.type == definition.ModelProto.SentencePiece.NORMAL:
            piece.ClearField("type")
    assert written == theirs.SerializeToString()
    assert written.endswith(packed(300, b"more"))
