"""SentencePiece models with one fault each, and what is reported about valid ones."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sentencepiece_models import BYTES, SMALL, message, reference
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece


def read(content: bytes) -> tc.Tokenizer:
    return read_sentencepiece(content, "fault.model", "fault")


@pytest.mark.parametrize(
    ("pieces", "message_"),
    [
        ([], "has no pieces"),
        ([("", 0.0, 1)], "Piece 9 of fault.model is empty"),
        ([("a\0", 0.0, 1)], "Piece 9 of fault.model contains a NUL character"),
        ([("<a\0>", 0.0, 3)], "Piece 9 of fault.model contains a NUL character"),
        ([("x" * 8000, 0.0, 1)], "Piece 9 of fault.model has 8,000 bytes"),
        ([("x", float("nan"), 1)], "Piece 9 of fault.model has the score nan"),
        ([("x", float("-inf"), 1)], "Piece 9 of fault.model has the score -inf"),
        ([("ab", 0.0, 1)], "ids 7 and 9 have the same bytes, b'ab'"),
        ([("ab", 0.0, 4)], "ids 7 and 9 have the same bytes, b'ab'"),
        ([("</s>", 0.0, 3)], "Piece 9 of fault.model is '</s>', as piece 2 is"),
        (
            [("<u>", 0.0, 2)],
            "Piece 9 of fault.model is a second unknown piece: piece 0 already is one",
        ),
        ([("<0x41>", 0.0, 6)], "Piece 9 .* the byte b'<0x41>', though the field 'byte_fallback'"),
    ],
)
def test_pieces_with_a_fault(pieces: list[Any], message_: str) -> None:
    content = message([*SMALL, *pieces] if pieces else []).SerializeToString()
    with pytest.raises(tc.FormatError, match=message_):
        read(content)


def with_bytes(change: Callable[[list[Any]], list[Any]]) -> bytes:
    model = message([*SMALL, *change(BYTES)])
    model.trainer_spec.byte_fallback = True
    content: bytes = model.SerializeToString()
    return content


@pytest.mark.parametrize(
    ("change", "message_"),
    [
        (lambda pieces: pieces[:10] + pieces[11:], "but has no piece '<0x0A>'"),
        (lambda pieces: [*pieces, ("<0xaa>", 0.0, 6)], "Piece 265 .* is b'<0xaa>', which is not a byte"),
        (lambda pieces: [*pieces, ("<0x1>", 0.0, 6)], "Piece 265 .* is b'<0x1>', which is not a byte"),
        (lambda pieces: [*pieces, ("<0xGG>", 0.0, 6)], "Piece 265 .* is b'<0xGG>', which is not a"),
    ],
)  # fmt: skip
def test_bytes_with_a_fault(change: Callable[[list[Any]], list[Any]], message_: str) -> None:
    with pytest.raises(tc.FormatError, match=message_):
        read(with_bytes(change))


def test_a_model_without_an_unknown_piece() -> None:
    with pytest.raises(tc.FormatError, match="has no unknown piece"):
        read(message(SMALL[1:]).SerializeToString())


def varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


GOOD = message(SMALL).SerializeToString()


@pytest.mark.parametrize(
    ("content", "message_"),
    [
        (GOOD + field(1, field(1, b"\xff")), r"Piece 9 of fault.model is b'\\xff', which is not UTF-8"),
        (GOOD + field(1, field(1, b"\xc3")), "Piece 9 .* not UTF-8"),
        (GOOD + field(1, field(1, b"<\xff>") + b"\x18\x03"), "Piece 9 .* not UTF-8"),
        (GOOD + field(1, field(1, b"x") + b"\x18\x07"), "Piece 9 of fault.model is of type 7"),
        (GOOD + field(1, field(1, b"x") + b"\x18\x00"), "Piece 9 of fault.model is of type 0"),
        (GOOD + field(1, b"\x10\x01"), r"a piece \(field 'score'\) has a number where 4 bytes should be"),
        (GOOD + field(1, b"\x15\0\0"), r"a piece \(field 'score'\) has a field of 4 bytes where 2 are"),
        (GOOD + field(1, b"\x0a\x05ab"), r"a piece \(field 'piece'\) has a field of 5 bytes where 2"),
        (GOOD + b"\x0a\xff\xff\xff\xff\x7f", r"the model \(field 'pieces'\) has a field of 34,359,738,367"),
        (GOOD + b"\x0a" + b"\xff" * 11, r"field 'pieces'\) has a number of more than 5 bytes"),
        (GOOD + b"\x08" + b"\xff" * 11, r"field 'pieces'\) has a number of more than 10 bytes"),
        (GOOD + b"\x0a\xff", r"field 'pieces'\) ends inside a number"),
        (GOOD + b"\x0b", r"field 'pieces'\) ends inside a group"),
        (GOOD + b"\x0c", r"field 'pieces'\) ends a group that did not begin"),
        (GOOD + b"\x0b\x0c", r"field 'pieces'\) has a group where bytes should be"),
        (GOOD + b"\x0e", r"field 'pieces'\) has a field of wire type 6"),
        (GOOD + b"\x00\x00", "has a field with an impossible number"),
        (GOOD + field(2, b"\x0a\x05ab"), r"fault.model .* trainer_spec \(field 'input'\) has a field of 5"),
        (GOOD + field(3, b"\x12\x7f"), r"normalizer_spec \(field 'precompiled_charsmap'\) has a field of"),
        (GOOD + b"\x10\x01", r"field 'trainer_spec'\) has a number where bytes should be"),
        (GOOD + field(4, b"\x0a\x05ab"), r"the self-test data \(field 'samples'\) has a field of 5 bytes"),
    ],
)  # fmt: skip
def test_a_wire_format_with_a_fault(content: bytes, message_: str) -> None:
    with pytest.raises(tc.FormatError, match=message_):
        read(content)


def test_the_place_of_a_fault() -> None:
    with pytest.raises(tc.FormatError, match=f"at byte {len(GOOD):,}, the model"):
        read(GOOD + b"\x0a\x50cut off")


def trie(units: dict[int, int], size: int = 768) -> bytes:
    """Returns a trie with these units; all others hold a value and lead nowhere."""
    all_units = [units.get(index, 1 << 31) for index in range(size)]
    return b"".join([struct.pack("<I", unit) for unit in all_units])


def charsmap(units: bytes, replacements: bytes = b"x\0") -> bytes:
    return struct.pack("<I", len(units)) + units + replacements


ROOT = {0: 256 << 10}
LOOP = {**ROOT, 256 ^ 97: (256 ^ 97 ^ 256) << 10 | 97}


@pytest.mark.parametrize(
    ("blob", "message_"),
    [
        (b"\0", "does not even contain its size"),
        (struct.pack("<I", 1024) + b"abc", "its trie has 1,024 bytes, and 3 are there"),
        (charsmap(b"\0" * 100), "a trie of 100 bytes, which is not a multiple of 1,024"),
        (charsmap(trie(ROOT), b"x"), "cut off inside its last replacement"),
        (charsmap(trie({})), "whose first unit is not its root"),
        (charsmap(trie({**ROOT, 9: 1 << 31 | 2})), "replacement out of range in unit 9 "),
        (charsmap(trie({**ROOT, 9: 5000 << 10 | 9})), "leads out of its trie in unit 9"),
        (
            charsmap(trie({**ROOT, 9: (9 ^ 256) << 10 | 1 << 8 | 9, 256: 7})),
            "a rule without a replacement in unit 9 ",
        ),
        (charsmap(trie(LOOP)), "a rule that runs in a circle, at unit 353 "),
        (
            charsmap(
                trie({**ROOT, 256 ^ 97: (256 ^ 97 ^ 512) << 10 | 1 << 8 | 97, 512: 1 << 31}),
                b"\xff\0",
            ),
            "a replacement that is not UTF-8, at byte 0",
        ),
        (
            charsmap(
                trie({**ROOT, 256 ^ 97: (256 ^ 97 ^ 512) << 10 | 1 << 8 | 97, 512: 1 << 31}),
                b"x" * 1025 + b"\0",
            ),
            "a replacement of more than 1,024 bytes",
        ),
    ],
)
def test_rules_with_a_fault(blob: bytes, message_: str) -> None:
    model = message(SMALL)
    model.normalizer_spec.precompiled_charsmap = blob
    with pytest.raises(tc.FormatError, match=f"field 'precompiled_charsmap' of .* {message_}"):
        read(model.SerializeToString())


def test_a_rule_that_is_too_long() -> None:
    """Rules of up to 1,024 bytes are followed at any depth."""
    for length in (1000, 1100):
        units = dict(ROOT)
        for base in range(256, 256 + length):
            units[base ^ 97] = (base ^ 97 ^ base + 1) << 10 | 97
        model = message(SMALL)
        model.normalizer_spec.precompiled_charsmap = charsmap(trie(units, 1536))
        content = model.SerializeToString()
        if length < 1024:
            assert read(content).encode_ids("a" * 1200) == [5] * 1200
        else:
            with pytest.raises(tc.FormatError, match="has a rule of more than 1,024 bytes"):
                read(content)


def test_what_a_file_says(tmp_path: Path) -> None:
    model = message(SMALL)
    model.trainer_spec.model_prefix = "small"
    model.trainer_spec.character_coverage = 0.9995
    model.trainer_spec.user_defined_symbols.extend(["<mask>", "<x>"])
    model.normalizer_spec.name = "none"
    model.normalizer_spec.normalization_rule_tsv = ""
    sample = field(1, b"ab") + field(2, "▁ab".encode())
    path = write_file(
        tmp_path / "tokenizer.model", model.SerializeToString() + field(4, field(1, sample))
    )
    tokenizer = tc.open(path)
    details = {(detail.group, detail.name): detail.value for detail in tokenizer.details}
    assert details == {
        ("trainer", "model_prefix"): "small",
        ("trainer", "model_type"): "UNIGRAM",
        ("trainer", "character_coverage"): "0.9995",
        ("trainer", "user_defined_symbols"): "<mask>\n<x>",
        ("normalizer", "name"): "none",
        ("normalizer", "add_dummy_prefix"): "false",
        ("normalizer", "remove_extra_whitespaces"): "false",
        ("normalizer", "normalization_rule_tsv"): "",
        ("self-test", "ab"): "▁ab",
    }
    assert tokenizer.name == tmp_path.name
    assert tokenizer.special_tokens == {"<s>": 1, "</s>": 2}
    assert list(tokenizer.encode("a ab<mask>", template=True).ids) == [1, 5, 8, 3]
    assert list(tokenizer.encode("<s>a</s>", special="all").ids) == [1, 5, 2]
    assert tc.open(tmp_path).encode_ids(" ab") == [8]


def test_a_null_piece_that_converters_write() -> None:
    tokenizer = read(with_bytes(lambda pieces: [*pieces, ("\0", 0.0, 1)]))
    assert tokenizer.vocabulary.kind(265) == "unused"
    assert tokenizer.encode_ids("\0") == [9]


def test_other_options_are_refused(tmp_path: Path) -> None:
    path = write_file(tmp_path / "some.model", GOOD)
    with pytest.raises(tc.FormatError, match="has its own pattern and special tokens"):
        tc.open(path, pattern="gpt2")
    with pytest.raises(tc.FormatError, match="has its own pattern and special tokens"):
        tc.open(path, special_tokens={"<x>": 100})


def test_a_model_cut_off_after_its_pieces_says_what_is_assumed() -> None:
    """SentencePiece itself reads what is left, as Unigram."""
    model = message(SMALL, kind=2)
    model.ClearField("trainer_spec")
    model.ClearField("normalizer_spec")
    content = model.SerializeToString()
    assert reference(content).encode(" ab") == read(content).encode_ids(" ab")
    (detail,) = [detail for detail in read(content).details if detail.group == "assumed"]
    assert (detail.name, detail.value.split(":")[0]) == ("model_type", "UNIGRAM")
    whole = read(message(SMALL).SerializeToString())
    assert not [detail for detail in whole.details if detail.group == "assumed"]
