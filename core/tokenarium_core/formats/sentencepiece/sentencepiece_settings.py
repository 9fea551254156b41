"""The settings in a SentencePiece model: its trainer's and its normalizer's, read and written in the wire format.

A field is declared once, with its number, kind and default. Unexpected bytes are handled as in protobuf: a field
of another wire type and an unknown enum value are unknown fields, which are preserved and written again;
if a field occurs several times the last value counts, and repeated strings are collected.

Source: ``src/sentencepiece_model.proto`` in google/sentencepiece, and protobuf's description of the encoding.
"""

from __future__ import annotations

from typing import Any, Final, final

from librt.strings import BytesWriter, read_f32_le, write_f32_le

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import (
    BYTES,
    FIXED32,
    VARINT,
    WireReader,
    packed,
    varint,
)

_FLAG: Final = 0
_NUMBER: Final = 1  # of 32 bits, with a sign
_COUNT: Final = 2  # of 64 bits, without one
_REAL: Final = 3
_CHOICE: Final = 4
_TEXT: Final = 5
_TEXTS: Final = 6  # several
_DATA: Final = 7

_WIRES: Final = [VARINT, VARINT, VARINT, FIXED32, VARINT, BYTES, BYTES, BYTES]  # by kind

MODEL_TYPES: Final = {1: "UNIGRAM", 2: "BPE", 3: "WORD", 4: "CHAR"}
"""The values of the field ``model_type``."""


@final
class SettingsField:
    """A field as the format defines it: its name, its number, its type, and its default value."""

    def __init__(self, name: str, number: int, kind: int, default: object) -> None:
        self.name = name
        self.number = number
        self.kind = kind
        self.default = default


def _fields(rows: list[tuple[str, int, int, object]]) -> list[SettingsField]:
    return [SettingsField(name, number, kind, default) for name, number, kind, default in rows]


_DECLARED: Final[dict[str, list[SettingsField]]] = {
    "trainer_spec": _fields(
        [
            ("input", 1, _TEXTS, None),
            ("input_format", 7, _TEXT, ""),
            ("model_prefix", 2, _TEXT, ""),
            ("model_type", 3, _CHOICE, 1),
            ("vocab_size", 4, _NUMBER, 8000),
            ("character_coverage", 10, _REAL, 0.9994999766349792),
            ("input_sentence_size", 11, _COUNT, 0),
            ("shuffle_input_sentence", 19, _FLAG, True),
            ("seed_sentencepiece_size", 14, _NUMBER, 1000000),
            ("shrinking_factor", 15, _REAL, 0.75),
            ("max_sentence_length", 18, _NUMBER, 4192),
            ("num_threads", 16, _NUMBER, 16),
            ("num_sub_iterations", 17, _NUMBER, 2),
            ("max_sentencepiece_length", 20, _NUMBER, 16),
            ("split_by_unicode_script", 21, _FLAG, True),
            ("split_by_number", 23, _FLAG, True),
            ("split_by_whitespace", 22, _FLAG, True),
            ("treat_whitespace_as_suffix", 24, _FLAG, False),
            ("allow_whitespace_only_pieces", 26, _FLAG, False),
            ("split_digits", 25, _FLAG, False),
            ("pretokenization_delimiter", 53, _TEXT, ""),
            ("control_symbols", 30, _TEXTS, None),
            ("user_defined_symbols", 31, _TEXTS, None),
            ("required_chars", 36, _TEXT, ""),
            ("byte_fallback", 35, _FLAG, False),
            ("vocabulary_output_piece_score", 32, _FLAG, True),
            ("hard_vocab_limit", 33, _FLAG, True),
            ("use_all_vocab", 34, _FLAG, False),
            ("unk_id", 40, _NUMBER, 0),
            ("bos_id", 41, _NUMBER, 1),
            ("eos_id", 42, _NUMBER, 2),
            ("pad_id", 43, _NUMBER, -1),
            ("unk_piece", 45, _TEXT, "<unk>"),
            ("bos_piece", 46, _TEXT, "<s>"),
            ("eos_piece", 47, _TEXT, "</s>"),
            ("pad_piece", 48, _TEXT, "<pad>"),
            ("unk_surface", 44, _TEXT, " ⁇ "),
            ("seed_sentencepieces_file", 54, _TEXT, ""),
            ("auto_character_coverage", 55, _FLAG, False),
            ("accept_language", 5, _TEXTS, None),
            ("self_test_sample_size", 6, _NUMBER, 0),
            ("mining_sentence_size", 12, _NUMBER, 0),
            ("training_sentence_size", 13, _NUMBER, 0),
            ("train_extremely_large_corpus", 49, _FLAG, False),
            ("enable_differential_privacy", 50, _FLAG, False),
            ("differential_privacy_noise_level", 51, _REAL, 0.0),
            ("differential_privacy_clipping_threshold", 52, _COUNT, 0),
        ]
    ),
    "normalizer_spec": _fields(
        [
            ("name", 1, _TEXT, ""),
            ("precompiled_charsmap", 2, _DATA, b""),
            ("add_dummy_prefix", 3, _FLAG, True),
            ("remove_extra_whitespaces", 4, _FLAG, True),
            ("escape_whitespaces", 5, _FLAG, True),
            ("normalization_rule_tsv", 6, _TEXT, ""),
        ]
    ),
}
_DECLARED["denormalizer_spec"] = _DECLARED["normalizer_spec"]

_BY_NUMBER: Final = {
    message: {field.number: field for field in fields} for message, fields in _DECLARED.items()
}
_BY_NAME: Final = {
    message: {field.name: field for field in fields} for message, fields in _DECLARED.items()
}


@final
class SentencePieceSettings:
    """One message of settings; a field is an attribute, which has its default value if it is not stored.

    ``message`` is "trainer_spec", "normalizer_spec" or "denormalizer_spec". ``unknown`` are the undeclared
    fields, in the wire format.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        self.unknown = b""
        self._stored: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        field = _BY_NAME[self.message].get(name)
        if field is None:
            raise AttributeError(f"{self.message} has no field {name!r}")
        if name in self._stored:
            return self._stored[name]
        return list[str]() if field.kind == _TEXTS else field.default

    def put(self, name: str, value: Any) -> None:
        """Stores a value of the field's kind."""
        if name not in _BY_NAME[self.message]:
            raise AttributeError(f"{self.message} has no field {name!r}")
        self._stored[name] = value

    def stored(self) -> list[tuple[SettingsField, Any]]:
        """Returns the fields that are stored and their values, in the order of the format's definition."""
        return [
            (field, self._stored[field.name])
            for field in _DECLARED[self.message]
            if field.name in self._stored
        ]

    def content(self) -> bytes:
        """Returns the message in the wire format: the fields by number, then those that are unknown."""
        parts: list[bytes] = []
        for number in sorted(_BY_NUMBER[self.message]):
            field = _BY_NUMBER[self.message][number]
            if field.name in self._stored:
                value = self._stored[field.name]
                values: list[Any] = value if field.kind == _TEXTS else [value]
                parts.extend([_written(field, one) for one in values])
        parts.append(self.unknown)
        return b"".join(parts)


def read_settings(message: str, content: bytes, source: str) -> SentencePieceSettings:
    """Returns the settings of a message; ``source`` names the file in errors.

    Raises FormatError, with the byte and the field, for content that protobuf refuses too.
    """
    known = _BY_NUMBER[message]
    names = {number: field.name for number, field in known.items()}
    reader = WireReader(content, 0, len(content), source, message, names)
    values: dict[str, Any] = {}
    places: dict[str, int] = {}
    unknown: list[bytes] = []
    while reader.advance():
        field = known.get(reader.field)
        if field is None or _WIRES[field.kind] != reader.wire:
            unknown.append(content[reader.tag : reader.stop])
            continue
        value = _read(field, reader)
        if field.kind == _CHOICE and value not in MODEL_TYPES:
            unknown.append(packed_number(field.number, value))
            continue
        if field.kind == _TEXTS:
            values.setdefault(field.name, []).append(value)
        else:
            values[field.name] = value
            places[field.name] = reader.tag
    settings = SentencePieceSettings(message)
    settings.unknown = b"".join(unknown)
    for name, value in values.items():
        kind = _BY_NAME[message][name].kind
        if kind == _TEXT:  # of texts that repeat, each was read as one; of others, the last counts
            value = _text(value, message, name, source)
        elif kind == _TEXTS:
            value = [_text(part, message, name, source) for part in value]
        settings.put(name, value)
    return settings


def packed_number(field: int, value: int) -> bytes:
    """Returns a field that holds a number, which may be negative, in the wire format."""
    return varint(field << 3 | VARINT) + varint(value & 0xFFFFFFFFFFFFFFFF)


def _read(field: SettingsField, reader: WireReader) -> Any:
    """Returns the current value of the reader; strings as bytes."""
    kind = field.kind
    if kind == _REAL:
        return read_f32_le(reader.data, reader.start)
    if kind in (_TEXT, _TEXTS, _DATA):
        return reader.data[reader.start : reader.stop]
    value = reader.number()
    if kind == _FLAG:
        return value != 0
    if kind == _COUNT:
        return value
    value &= 0xFFFFFFFF
    return value - 0x100000000 if value & 0x80000000 else value


def _text(content: bytes, message: str, name: str, source: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            f"The field '{message}.{name}' of {source} is not text: {error}."
        ) from error


def _written(field: SettingsField, value: Any) -> bytes:
    if field.kind == _REAL:
        out = BytesWriter()
        write_f32_le(out, float(value))
        return varint(field.number << 3 | FIXED32) + out.getvalue()
    if field.kind in (_TEXT, _TEXTS):
        return packed(field.number, str(value).encode())
    if field.kind == _DATA:
        return packed(field.number, bytes(value))
    return packed_number(field.number, int(value))


# As text.


def shortened(text: str, most: int) -> str:
    """Returns the beginning of a text that is longer than ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def details_of(group: str, settings: SentencePieceSettings) -> list[Detail]:
    """Returns the fields that are stored, in the order of the format's definition."""
    return [Detail(group, field.name, _shown(field, value)) for field, value in settings.stored()]


def _shown(field: SettingsField, value: Any) -> str:
    """Returns a value as text, as in protobuf's text format; multiple values take one line each."""
    if field.kind == _CHOICE:
        return MODEL_TYPES[value]
    if field.kind == _FLAG:
        return "true" if value else "false"
    if field.kind == _REAL:
        return f"{value:.7g}"
    if field.kind == _DATA:
        return f"{len(value):,} bytes"
    if field.kind == _TEXTS:
        return "\n".join(value)
    return shortened(str(value), 2000)
