"""Bytes as users write them, and what tokenizers make of bytes that need not be UTF-8."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.part_decoding import malformed
from tokenarium.models.text.piece import NumberBase, byte_numbers, counted, piece_text
from tokenarium_core.byte_texts import BYTES_RULE

MOST_BYTES = 4 * 1024
"""Bytes that are encoded in the window; the command line takes a file of any size."""

A_LINE = 32

_ESCAPED = re.compile(r"\\x([0-9A-Fa-f]{2})")
_SEPARATORS = re.compile(r"[\s,;:\[\]()_-]+")


@dataclass(frozen=True, slots=True)
class WrittenBytes:
    """The bytes that a text lists, and a sentence on what in it is not a byte; empty if everything is."""

    data: bytes
    fault: str = ""


def bytes_in(text: str, decimal: bool | None = None) -> WrittenBytes:
    """Returns the bytes of a text: hexadecimal digits, ``\\xE9``, Python's ``b'caf\\xe9'``, or decimal numbers.

    A list in brackets is decimal, as Python prints it; ``decimal`` says what numbers alone are, by default what
    `NumberBase` says.

    >>> bytes_in("63 61 66 E9").data, bytes_in("[99, 97, 102, 233]").data
    (b'caf\\xe9', b'caf\\xe9')
    """
    stripped = text.strip()
    if re.match(r"b['\"]", stripped):
        try:
            value = ast.literal_eval(stripped)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = None
        return (
            WrittenBytes(value)
            if isinstance(value, bytes)
            else WrittenBytes(b"", "This is not how Python writes bytes: b'caf\\xe9'.")
        )
    if "\\x" in stripped and not _ESCAPED.sub("", stripped).strip():
        return WrittenBytes(bytes(int(pair, 16) for pair in _ESCAPED.findall(stripped)))
    if decimal is None:
        decimal = NumberBase.decimal
    decimal = decimal or (stripped.startswith(("[", "(")) and "," in stripped)
    data = bytearray()
    for word in filter(None, _SEPARATORS.split(stripped)):
        digits = word[2:] if word[:2].lower() == "0x" else word
        plain = decimal and digits is word
        if plain and word.isdecimal() and word.isascii() and len(word) < 4 and int(word) < 256:
            data.append(int(word))
        elif not plain and re.fullmatch(r"(?:[0-9A-Fa-f]{2})+|[0-9A-Fa-f]", digits):
            data += bytes.fromhex(digits if len(digits) % 2 == 0 else f"0{digits}")
        else:
            base = "a number from 0 to 255" if plain else "pairs of hexadecimal digits"
            return WrittenBytes(bytes(data), f"“{word[:24]}” is not {base}.")
    return WrittenBytes(bytes(data))


def written_bytes(data: bytes) -> str:
    """Returns bytes as `bytes_in` reads them, 32 a line: a field lays out only the lines that are seen."""
    lines = [data[at : at + A_LINE] for at in range(0, len(data), A_LINE)]
    return "\n".join(byte_numbers(line) for line in lines)


@dataclass(frozen=True, slots=True)
class ByteToken:
    """One token: its id, its text for users, its bytes, and where it is."""

    id: int
    text: str
    piece: bytes
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EncodedBytes:
    """What a tokenizer makes of bytes: ids, and two offsets per token in ``spans``.

    ``merged_from``: from this byte on, everything is one pre-token, -1 for none. ``error`` says why there are no ids.
    """

    tokenizer: tc.Tokenizer
    ids: list[int]
    spans: list[int]
    merged_from: int = -1
    error: str = ""

    def tokens(self, limit: int = 1 << 30) -> list[ByteToken]:
        """Returns the first tokens."""
        vocabulary, spans = self.tokenizer.vocabulary, self.spans
        return [
            ByteToken(
                token,
                piece_text(vocabulary, token),
                vocabulary.piece(token),
                spans[2 * index],
                spans[2 * index + 1],
            )
            for index, token in enumerate(self.ids[:limit])
        ]

    def decoded(self, limit: int = 1 << 30) -> str:
        """Returns what the first ids decode to: U+FFFD stands for bytes of no character."""
        return self.tokenizer.decode(self.ids[:limit])


def encoded_bytes(tokenizer: tc.Tokenizer, data: bytes) -> EncodedBytes:
    """Returns what a tokenizer makes of bytes; see `tokenarium_core.Tokenizer.encode_bytes`."""
    try:
        encoding = tokenizer.encode_bytes(data)
    except tc.TokenariumError as error:
        return EncodedBytes(tokenizer, [], [], error=str(error))
    cuts = encoding.pre_tokens
    merged = -1
    if len(cuts) and cuts.names[cuts.rules[len(cuts) - 1]] == BYTES_RULE:
        merged = encoding.text.start_of(int(cuts.ends[len(cuts) - 2]) if len(cuts) > 1 else 0)
    ids, spans = array_of(encoding.ids).tolist(), array_of(encoding.spans).tolist()
    return EncodedBytes(tokenizer, ids, spans, merged)


def about_bytes(data: bytes) -> str:
    """Returns in a sentence whether bytes are UTF-8, and where they are not."""
    faults = malformed(data)
    if not data:
        return ""
    if not faults:
        return f"{counted(len(data), 'byte')}: whole UTF-8, so the ids are those of the text."
    count = sum(end - start for start, end in faults)
    start, end = faults[0]
    first = byte_numbers(data[start:end], 4)
    return (
        f"{counted(len(data), 'byte')}: {count:,} of them {'is' if count == 1 else 'are'} not UTF-8, the first at byte"
        f" {start:,} ({first})."
    )


def merged_sentence(encoded: EncodedBytes) -> str:
    """Returns in a sentence what is done with bytes that cannot be cut by characters, as tiktoken does it."""
    if encoded.merged_from < 0:
        return ""
    return (
        f"From byte {encoded.merged_from:,} on, everything is merged as one pre-token, as in tiktoken: a pattern splits"
        " characters, and there are none that it could split."
    )


def token_rows(encoded: EncodedBytes) -> list[list[str]]:
    """Returns the tokens as rows of a table with its head."""
    return [
        ["id", "token", "bytes", "start", "end"],
        *(
            [
                str(token.id),
                token.text,
                byte_numbers(token.piece, 1 << 20),
                str(token.start),
                str(token.end),
            ]
            for token in encoded.tokens()
        ),
    ]
