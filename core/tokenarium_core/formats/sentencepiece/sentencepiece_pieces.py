"""The pieces of a SentencePiece model: read from the file in one compiled pass, and checked.

Models that SentencePiece itself does not load (``ModelInterface::InitializePieces`` in
``src/model_interface.cc``), or that could not encode any text, are refused.
"""

from __future__ import annotations

from math import isinf, isnan
from typing import Final, final

from librt.strings import read_f32_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import (
    BYTES,
    FIXED32,
    VARINT,
    WireReader,
)
from tokenarium_core.normalizers.sentencepiece_normalizer import MARK
from tokenarium_core.unicode.utf8 import character_at
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    NORMAL,
    PLAIN,
    SPACE_MARK,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

UNIGRAM: Final = 1
BPE: Final = 2
WORD: Final = 3
CHAR: Final = 4
"""The types of models."""

LONGEST: Final = 8000
"""A piece of this many bytes is refused, as in SentencePiece."""

PIECE_FIELDS: Final = {1: "piece", 2: "score", 3: "type"}
"""The fields of a piece."""

_KINDS: Final = (NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE)  # of the types 1 to 6
_SPACE: Final = 32


@final
class SentencePieces:
    """The pieces of a model by id.

    ``spelling`` is `SPACE_MARK` if the arena has a space for each ``▁``, and `PLAIN` if it has the pieces of the file.
    `SPACE_MARK` is not possible if whitespace is not escaped, if a piece has a real space (it would look like another
    piece), or if a ``▁`` itself may fall back to its three bytes.

    Piece ``k`` is the message ``data[starts[k]:stops[k]]``. ``kind`` is the type of the model: one that looks up
    whole words may have a ``▁`` in an unknown one, and only Unigram sums scores, which must therefore be finite.
    Raises FormatError, with the number of the piece.
    """

    def __init__(
        self,
        data: bytes,
        starts: vec[i32],
        stops: vec[i32],
        source: str,
        escaped: bool,
        byte_fallback: bool,
        kind: i64,
    ) -> None:
        self.source = source
        self._finite = kind == UNIGRAM
        self.byte_fallback = byte_fallback
        self.unknown: i64 = -1
        self.control: dict[str, int] = {}  # ids by what the file writes
        self.user_defined: list[bytes] = []  # as the file writes them
        self.spelling: i64 = SPACE_MARK if escaped else PLAIN
        self._reserved: dict[
            str, int
        ] = {}  # ids of control, unknown and byte pieces, in the same way
        self._bytes_found = vec[u8]([0] * 256)
        self._lone_mark = False  # whether a space is a piece of its own
        arena = self._read(data, starts, stops)
        if arena is None or (escaped and byte_fallback and (kind == WORD or not self._lone_mark)):
            self.spelling = PLAIN
            arena = self._read(data, starts, stops)
        assert arena is not None  # only `SPACE_MARK` may fail
        self._check()
        self._arena = arena

    def vocabulary(self, findable: tuple[int, ...]) -> Vocabulary:
        """Returns the vocabulary; FormatError if two pieces that are found by their bytes are equal."""
        vocabulary = Vocabulary(self._arena, findable, self.spelling)
        for text, token in self._reserved.items():
            if vocabulary.surface(token) != text:
                vocabulary.spelled[token] = text
        return vocabulary

    def check_apart(self, vocabulary: Vocabulary) -> None:
        """Raises FormatError if a piece is spelled like a control, unknown or byte piece: BPE refuses that."""
        for text, reserved in self._reserved.items():
            spelled = text.replace("▁", " ") if self.spelling == SPACE_MARK else text
            if self.spelling == SPACE_MARK and " " in text:
                continue  # no other piece has it
            token = vocabulary.find(spelled.encode())
            if token >= 0:
                raise self._error(
                    max(token, reserved), f"is {text!r}, as piece {min(token, reserved)} is"
                )

    def _read(self, data: bytes, starts: vec[i32], stops: vec[i32]) -> PieceArena | None:
        """Returns the pieces; None if a space could be mistaken for a mark."""
        count: i64 = len(starts)
        arena = PieceArena(count)
        scores = vec[float]([0.0] * count)
        reader = WireReader(data, 0, 0, self.source, "a piece", PIECE_FIELDS)
        marked = self.spelling == SPACE_MARK
        self.unknown = -1
        self.control = {}
        self.user_defined = []
        self._reserved = {}
        for number in range(count):
            reader.again(i64(starts[number]), i64(stops[number]))
            start: i64 = 0
            stop: i64 = 0
            score = 0.0
            kind: i64 = NORMAL
            while reader.advance():
                if reader.field == 1:
                    reader.expect(BYTES)
                    start = reader.start
                    stop = reader.stop
                elif reader.field == 2:
                    reader.expect(FIXED32)
                    score = read_f32_le(data, reader.start)
                    # SentencePiece's trainer gives required characters that do not occur the score -inf.
                    if isnan(score) or (self._finite and isinf(score)):
                        raise self._error(
                            number, f"has the score {score}, which cannot be compared"
                        )
                elif reader.field == 3:
                    reader.expect(VARINT)
                    kind = self._kind(reader.value, number)
            if start == stop:
                raise self._error(number, "is empty")
            if stop - start >= LONGEST:
                raise self._error(
                    number, f"has {stop - start:,} bytes, more than SentencePiece accepts"
                )
            scores[number] = score
            if stop - start == 1 and data[start] == 0 and (kind == UNUSED or self.byte_fallback):
                arena.writer.append(u8(0))
                arena.close(UNUSED)  # some converters write it; SentencePiece only decodes it
                continue
            if kind == BYTE or kind == CONTROL or kind == UNKNOWN:
                text = self._text(data[start:stop], number)
                if text in self._reserved:
                    raise self._error(number, f"is {text!r}, as piece {self._reserved[text]} is")
                self._reserved[text] = number
                if kind == BYTE:
                    arena.add(self._byte(data[start:stop], number), BYTE)
                    continue
                if kind == UNKNOWN:
                    if self.unknown >= 0:
                        raise self._error(
                            number,
                            f"is a second unknown piece: piece {self.unknown} already is one",
                        )
                    self.unknown = number
                else:
                    self.control[text] = number
                arena.add(data[start:stop], kind)
                continue
            if kind == USER_DEFINED:
                self.user_defined.append(data[start:stop])
            at = start
            writer = arena.writer
            while at < stop:
                byte: i64 = data[at]
                if byte < 0x80:
                    if byte == 0:
                        raise self._error(number, "contains a NUL character, which no piece may")
                    if byte == _SPACE and marked:
                        return None
                    writer.append(u8(byte))
                    at += 1
                    continue
                size = character_at(data, at, stop)
                if size == 0:
                    raise self._error(number, f"is {data[start:stop]!r}, which is not UTF-8")
                if (
                    marked
                    and byte == 0xE2
                    and size == 3
                    and data[at + 1] == 0x96
                    and data[at + 2] == 0x81
                ):
                    writer.append(u8(_SPACE))
                else:
                    for index in range(at, at + size):
                        byte = data[index]
                        writer.append(u8(byte))
                at += size
            arena.close(kind)
            if stop - start == 3 and kind != UNUSED and data[start:stop] == MARK:
                self._lone_mark = True
        arena.scores = scores
        return arena

    def _kind(self, number: i64, piece: i64) -> i64:
        if number < 1 or number > 6:
            raise self._error(piece, f"is of type {number}, which this program does not know")
        return _KINDS[number - 1]

    def _byte(self, spelled: bytes, number: i64) -> bytes:
        """Returns the one byte that ``<0x0A>`` stands for."""
        if not self.byte_fallback:
            raise self._error(
                number, f"is the byte {spelled!r}, though the field 'byte_fallback' is off"
            )
        if len(spelled) == 6 and spelled[:3] == b"<0x" and spelled[5:] == b">":
            digits = spelled[3:5]
            if digits.upper() == digits and digits.isalnum():
                try:
                    byte = bytes.fromhex(digits.decode())
                    self._bytes_found[byte[0]] = 1
                    return byte
                except ValueError:
                    pass
        raise self._error(number, f"is {spelled!r}, which is not a byte such as '<0x0A>'")

    def _text(self, spelled: bytes, number: i64) -> str:
        if b"\0" in spelled:
            raise self._error(number, "contains a NUL character, which no piece may")
        try:
            return spelled.decode()
        except UnicodeDecodeError as error:
            raise self._error(number, f"is {spelled!r}, which is not UTF-8") from error

    def _check(self) -> None:
        if self.byte_fallback:
            for byte in range(256):
                if self._bytes_found[byte] == 0:
                    raise FormatError(
                        f"{self.source} falls back to bytes, but has no piece '<0x{byte:02X}>': all 256 are needed."
                    )
        elif self.unknown < 0:
            raise FormatError(
                f"{self.source} has no unknown piece: a character that is in no piece would have no id."
            )

    def _error(self, number: i64, what: str) -> FormatError:
        return FormatError(f"Piece {number} of {self.source} {what}.")
