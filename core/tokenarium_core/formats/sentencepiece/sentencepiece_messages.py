"""The messages of a SentencePiece model, in protobuf's wire format.

They are walked, so that an error names its byte and field, or parsed by the protobuf library and shown as stored.

Source: protobuf's own description of the encoding: a message is a run of fields, each a tag (field number
and wire type, in one varint) and a payload.
"""

from __future__ import annotations

from typing import Any, Final, final

from mypy_extensions import i64

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5

_WIRE_TYPES: Final = {VARINT: "a number", FIXED64: "8 bytes", BYTES: "bytes", FIXED32: "4 bytes"}


def packed(field: int, content: bytes) -> bytes:
    """Returns a field that holds bytes, or a message, in the wire format."""
    return _varint_of(field << 3 | BYTES) + _varint_of(len(content)) + content


def _varint_of(value: int) -> bytes:
    parts: list[int] = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


@final
class WireReader:
    """The fields of one message, ``data[start:stop]``: call `advance` until it says that there are no more.

    Then ``field`` and ``wire`` are the field's number and wire type, and its payload is ``data[start:stop]``,
    or ``value`` for a number (its low 62 bits). ``tag`` is the byte where the field begins.
    ``source`` names the file in errors, ``message`` what is read, ``names`` its fields.
    """

    def __init__(
        self, data: bytes, start: i64, stop: i64, source: str, message: str, names: dict[int, str]
    ) -> None:
        self.data = data
        self.source = source
        self.message = message
        self.names = names
        self.field: i64 = 0
        self.wire: i64 = 0
        self.value: i64 = 0
        self.tag: i64 = start
        self.start: i64 = start
        self.stop: i64 = start
        self._end: i64 = stop
        self._at: i64 = start  # after the varint that was read last

    def again(self, start: i64, stop: i64) -> None:
        """Begins again with another message of the same kind."""
        self.tag = start
        self.start = start
        self.stop = start
        self._end = stop

    def advance(self) -> bool:
        """Goes on to the next field; false after the last. FormatError if it cannot be read."""
        at = self.stop
        end = self._end
        if at >= end:
            return False
        self.tag = at
        data = self.data
        tag: i64 = data[at]
        if tag < 0x80:
            at += 1
        else:
            tag = self._varint(at)
            at = self._at
        self.field = tag >> 3
        wire: i64 = tag & 7
        self.wire = wire
        if self.field == 0 or tag >> 3 > 0x1FFFFFFF:
            raise self.error("has a field of a number that there cannot be")
        if wire == VARINT:
            self.start = at
            self.value = self._varint(at)
            self.stop = self._at
            return True
        size: i64 = 0
        if wire == BYTES:
            byte: i64 = data[at] if at < end else 0x80
            if byte < 0x80:
                size = byte
                at += 1
            else:
                size = self._varint(at)
                at = self._at
        elif wire == FIXED32:
            size = 4
        elif wire == FIXED64:
            size = 8
        else:
            raise self.error(f"has a field of wire type {wire}, which SentencePiece never writes")
        if size > end - at:
            raise self.error(f"has a field of {size:,} bytes where {end - at:,} are left")
        self.start = at
        self.stop = at + size
        return True

    def expect(self, wire: i64) -> None:
        """Raises FormatError if the field has another wire type."""
        if self.wire != wire:
            raise self.error(f"has {_WIRE_TYPES[self.wire]} where {_WIRE_TYPES[wire]} should be")

    def error(self, what: str) -> FormatError:
        """Returns the error with the place: the file, the byte, the message and the field."""
        name = self.names.get(self.field, f"number {self.field}")
        return FormatError(
            f"{self.source} is damaged or cut off: at byte {self.tag:,}, {self.message}"
            f" (field {name!r}) {what}."
        )

    def _varint(self, at: i64) -> i64:
        """Returns the number at byte ``at``, its low 62 bits, and sets ``_at`` after it."""
        data = self.data
        end = self._end
        value: i64 = 0
        shift: i64 = 0
        while True:
            if at >= end:
                raise self.error("ends inside of a number")
            byte: i64 = data[at]
            at += 1
            if shift < 63:
                value |= (byte & 127) << shift
            if byte < 0x80:
                self._at = at
                return value & 0x3FFFFFFFFFFFFFFF
            shift += 7
            if shift > 63:
                raise self.error("has a number of more than ten bytes")


# The settings.

_TITLES: Final = {"TrainerSpec": "trainer_spec", "NormalizerSpec": "normalizer_spec"}


def parsed(message: str, content: bytes, source: str) -> Any:
    """Returns a message ("TrainerSpec", "NormalizerSpec") of the protobuf library.

    Raises FormatError for content that is not such a message, NotAvailable if the library is not installed.
    """
    try:
        from google.protobuf.message import DecodeError
        from sentencepiece import sentencepiece_model_pb2
    except ImportError as error:
        raise NotAvailable(
            f"SentencePiece models need the packages sentencepiece and protobuf: {error}."
        ) from error
    kind = getattr(sentencepiece_model_pb2, message)
    try:
        settings = kind.FromString(content)
        for field, value in settings.ListFields():
            str(value)  # this decodes texts
            if field.type == field.TYPE_STRING:
                for text in [value] if isinstance(value, (str, bytes)) else value:
                    if isinstance(
                        text, bytes
                    ):  # for bytes that are not text, some versions raise it
                        text.decode()
        return settings
    except (DecodeError, UnicodeDecodeError) as error:
        names = {field.number: field.name for field in kind.DESCRIPTOR.fields}
        reader = WireReader(content, 0, len(content), source, _TITLES[message], names)
        while reader.advance():  # names the place
            pass
        raise FormatError(
            f"The field {_TITLES[message]!r} of {source} is not what SentencePiece writes: {error}."
        ) from error


def shortened(text: str, most: int) -> str:
    """Returns the beginning of a text that is longer than ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def details_of(group: str, settings: Any) -> list[Detail]:
    """Returns the fields that are stored, in the order of the format's definition."""
    details: list[Detail] = []
    stored = {field.name: (field, value) for field, value in settings.ListFields()}
    for name in [field.name for field in settings.DESCRIPTOR.fields]:
        if name in stored:
            field, value = stored[name]
            details.append(Detail(group, name, _told(field, value)))
    return details


def _told(field: Any, value: Any) -> str:
    """Returns a value as text, as in protobuf's text format; several values take a line each."""
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    if isinstance(value, (str, int)):
        return shortened(str(value), 2000)
    return "\n".join([str(part) for part in value])
