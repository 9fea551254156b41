"""Reading tiktoken's files: a line a piece, its bytes in base64 and its rank, which is its id.

Source: ``load_tiktoken_bpe`` in tiktoken's ``tiktoken/load.py``.
"""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.added_tokens import of_special
from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.byte_pair_encoder import encoder_of_ranks
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNUSED,
    PieceArena,
    Vocabulary,
)

_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NO_DIGIT: Final = 255
_SPACE: Final = 32
_NEWLINE: Final = 10
_RETURN: Final = 13
_EQUALS: Final = 61
_ZERO: Final = 48


def read_tiktoken(
    data: bytes, source: str, name: str, pre_tokenizer: PreTokenizer, special_tokens: dict[str, int]
) -> Tokenizer:
    """Returns the tokenizer of a ``.tiktoken`` file's content; ``source`` names it in errors.

    Raises FormatError, with the line, for what is not base64 and a rank, a rank or a piece that
    stands twice, a rank without a piece, and a special token whose id a piece has already.
    """
    pieces = _Lines(data, source)
    by_id = _special_by_id(special_tokens, pieces.starts, source)
    return Tokenizer(
        name, encoder_of_ranks(pieces.vocabulary(by_id)), pre_tokenizer, of_special(special_tokens)
    )


def _special_by_id(
    special_tokens: dict[str, int], starts: vec[i32], source: str
) -> dict[int, bytes]:
    """Returns the special tokens by id; FormatError where a piece has the id, or it is out of range.

    Two special tokens may share an id (o200k_harmony's do): its piece is then the first one's text.
    """
    by_id: dict[int, bytes] = {}
    for token, number in special_tokens.items():
        if number < 0 or number >= MAX_IDS:
            raise FormatError(
                f"The special token {token!r} has the id {number}, which is out of range."
            )
        if number < len(starts) and i64(starts[number]) >= 0:
            raise FormatError(
                f"The special token {token!r} has the id {number}, which another entry of {source} has"
                " already. Give it one of its own."
            )
        by_id.setdefault(number, token.encode())
    return by_id


class _Lines:
    """The pieces of a file: by rank, where each begins in ``bytes`` and how long it is (-1: none)."""

    def __init__(self, data: bytes, source: str) -> None:
        self.source = source
        self.bytes = b""
        self.starts = vec[i32]()
        self.sizes = vec[i32]()
        self._read(data)

    def _read(self, data: bytes) -> None:
        if len(data) > 1 << 28:
            raise FormatError(f"{self.source} is larger than 256 MiB: this is not a vocabulary.")
        digits = vec[u8]([_NO_DIGIT] * 256)
        for index in range(64):
            digits[i64(_ALPHABET[index])] = u8(index)
        length: i64 = len(data)
        starts = vec[i32]([-1] * 1024)
        sizes = vec[i32]([0] * 1024)
        largest: i64 = -1
        writer = BytesWriter()
        at: i64 = 0
        line: i64 = 0
        while at < length:
            line += 1
            start: i64 = len(writer)
            # The piece: four characters of base64 are three bytes.
            bits: i64 = 0
            held: i64 = 0
            characters: i64 = 0
            while at < length:
                byte: i64 = data[at]
                digit: i64 = i64(digits[byte])
                if digit == _NO_DIGIT:
                    break
                bits = (bits << 6 | digit) & 0xFFFFFF
                held += 6
                characters += 1
                if held >= 8:
                    held -= 8
                    writer.append(u8(bits >> held & 255))
                at += 1
            padding: i64 = 0
            byte = data[at] if at < length else _NEWLINE
            while byte == _EQUALS:
                padding += 1
                at += 1
                byte = data[at] if at < length else _NEWLINE
            if characters == 0 and padding == 0 and (byte == _NEWLINE or byte == _RETURN):
                at += 1  # an empty line
                continue
            if byte != _SPACE:
                raise self._error(line, "is not base64, a space and a rank")
            if (characters + padding) & 3 or padding > 2 or characters & 3 == 1:
                raise self._error(line, "has an entry whose base64 is cut off")
            at += 1
            rank: i64 = 0
            first: i64 = at
            while at < length:
                byte = data[at]
                byte -= _ZERO
                if byte < 0 or byte > 9:
                    break
                rank = rank * 10 + byte
                at += 1
                if rank >= MAX_IDS:
                    raise self._error(line, f"has a rank above {MAX_IDS - 1:,}, the most that fits")
            if at == first:
                raise self._error(line, "has no rank behind its entry")
            byte = data[at] if at < length else _NEWLINE
            while byte == _RETURN:
                at += 1
                byte = data[at] if at < length else _NEWLINE
            if byte != _NEWLINE:
                raise self._error(line, "goes on behind its rank")
            at += 1
            while rank >= len(starts):
                starts = _doubled(starts)
                sizes = _doubled(sizes)
            if i64(starts[rank]) >= 0:
                raise self._error(line, f"has the rank {rank}, which an earlier line has already")
            starts[rank] = i32(start)
            sizes[rank] = i32(len(writer) - start)
            largest = rank if rank > largest else largest
        if largest < 0:
            raise FormatError(
                f"{self.source} is empty: a .tiktoken file has a line for each entry."
            )
        self.bytes = writer.getvalue()
        self.starts = starts[: largest + 1]
        self.sizes = sizes[: largest + 1]

    def vocabulary(self, special: dict[int, bytes]) -> Vocabulary:
        """Returns the pieces by id, special tokens among them; FormatError for a gap they do not fill."""
        count = len(self.starts)
        for token in special:
            count = max(count, token + 1)
        pieces = PieceArena(count)
        for rank in range(count):
            if rank < len(self.starts) and i64(self.starts[rank]) >= 0:
                start: i64 = i64(self.starts[rank])
                size: i64 = i64(self.sizes[rank])
                pieces.add(self.bytes[start : start + size], BYTE if size == 1 else NORMAL)
            elif rank in special:
                pieces.add(special[rank], CONTROL)
            elif rank < len(self.starts):
                raise FormatError(
                    f"{self.source} has no entry of rank {rank}, though it has higher ranks: some of it is"
                    " missing. Get the whole file, or name the special token that has this id."
                )
            else:
                pieces.add(b"", UNUSED)
        return Vocabulary(pieces)

    def _error(self, line: i64, what: str) -> FormatError:
        return FormatError(f"Line {line} of {self.source} {what}.")


def _doubled(old: vec[i32]) -> vec[i32]:
    larger = vec[i32]([-1] * (len(old) * 2))
    for index in range(len(old)):
        larger[index] = old[index]
    return larger
