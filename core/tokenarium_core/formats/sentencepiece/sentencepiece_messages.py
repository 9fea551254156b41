"""The messages of a SentencePiece model, in protobuf's wire format.

They are read field by field, so that an error can name its byte and field.

Source: protobuf's own description of the encoding: a message is a run of fields, each a tag (field number
and wire type, in one varint) and a payload. The bounds are those of its library: a tag and a length have at most five
bytes, a number ten, and groups, which SentencePiece never writes, are nested at most a hundred deep.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
GROUP: Final = 3
GROUP_END: Final = 4
FIXED32: Final = 5

_WIRE_TYPES: Final = {
    VARINT: "a number",
    FIXED64: "8 bytes",
    BYTES: "bytes",
    GROUP: "a group",
    FIXED32: "4 bytes",
}
_DEEPEST: Final = 100  # groups in groups


def packed(field: int, content: bytes) -> bytes:
    """Returns a field that holds bytes, or a message, in the wire format."""
    return varint(field << 3 | BYTES) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """Returns a non-negative number in the wire format, seven bits per byte."""
    parts: list[int] = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


@final
class WireReader:
    """The fields of one message, ``data[start:stop]``: call `advance` until it returns false.

    Then ``field`` and ``wire`` are the field's number and wire type, and its payload is ``data[start:stop]``,
    or ``value`` for a number (its low 62 bits; `number` has all). ``tag`` is the byte where the field begins.
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
        """Restarts with another message of the same kind."""
        self.tag = start
        self.start = start
        self.stop = start
        self._end = stop

    def advance(self) -> bool:
        """Moves to the next field; false after the last. FormatError if it cannot be read."""
        at = self.stop
        end = self._end
        if at >= end:
            return False
        self._take(at)
        if self.wire == GROUP:
            self._skip_group()
        elif self.wire == GROUP_END:
            raise self.error("ends a group that did not begin")
        return True

    def _take(self, at: i64) -> None:
        """Reads the field at a byte; for the start or the end of a group, only the tag."""
        self.tag = at
        data = self.data
        end = self._end
        tag: i64 = data[at]
        if tag < 0x80:
            at += 1
        else:
            tag = self._varint(at, 5)
            at = self._at
        self.field = tag >> 3
        wire: i64 = tag & 7
        self.wire = wire
        if self.field == 0 or tag >> 3 > 0x1FFFFFFF:
            raise self.error("has a field with an impossible number")
        if wire == VARINT:
            self.start = at
            self.value = self._varint(at, 10)
            self.stop = self._at
            return
        size: i64 = 0
        if wire == BYTES:
            byte: i64 = data[at] if at < end else 0x80
            if byte < 0x80:
                size = byte
                at += 1
            else:
                size = self._varint(at, 5)
                at = self._at
        elif wire == FIXED32:
            size = 4
        elif wire == FIXED64:
            size = 8
        elif wire != GROUP and wire != GROUP_END:
            raise self.error(f"has a field of wire type {wire}, which does not exist")
        if size > end - at:
            raise self.error(f"has a field of {size:,} bytes where {end - at:,} are left")
        self.start = at
        self.stop = at + size

    def _skip_group(self) -> None:
        """Moves to the end of the group whose tag was read last: its payload ends with its end tag."""
        tag = self.tag
        start = self.start
        open = [self.field]
        while open:
            if self.stop >= self._end:
                raise self.error("ends inside a group")
            self._take(self.stop)
            if self.wire == GROUP:
                if len(open) == _DEEPEST:
                    raise self.error(f"has more than {_DEEPEST} groups inside one another")
                open.append(self.field)
            elif self.wire == GROUP_END and open.pop() != self.field:
                raise self.error("ends a group that did not begin")
        self.tag = tag
        self.start = start
        self.wire = GROUP

    def number(self) -> int:
        """Returns the number that the field holds, all of its 64 bits."""
        value = 0
        for index in range(self.start, self.stop):
            value |= (self.data[index] & 127) << 7 * (index - self.start)
        return value & 0xFFFFFFFFFFFFFFFF

    def expect(self, wire: i64) -> None:
        """Raises FormatError if the field has another wire type."""
        if self.wire != wire:
            raise self.error(f"has {_WIRE_TYPES[self.wire]} where {_WIRE_TYPES[wire]} should be")

    def error(self, what: str) -> FormatError:
        """Returns the error with its position: the file, the byte, the message and the field."""
        name = self.names.get(self.field, f"number {self.field}")
        return FormatError(
            f"{self.source} is damaged or cut off: at byte {self.tag:,}, {self.message}"
            f" (field {name!r}) {what}."
        )

    def _varint(self, at: i64, longest: i64) -> i64:
        """Returns the number at byte ``at``, its low 62 bits, and sets ``_at`` after it."""
        data = self.data
        end = self._end
        value: i64 = 0
        shift: i64 = 0
        while True:
            if at >= end:
                raise self.error("ends inside a number")
            byte: i64 = data[at]
            at += 1
            if shift < 63:
                value |= (byte & 127) << shift
            if byte < 0x80:
                self._at = at
                return value & 0x3FFFFFFFFFFFFFFF
            shift += 7
            if shift == 7 * longest:
                raise self.error(f"has a number of more than {longest} bytes")
