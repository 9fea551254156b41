"""The pieces of a `tokenizer.json` as the bytes that they stand for, see `vocabulary`.

How a file spells bytes depends on its stages: in GPT-2's alphabet, with ``▁`` for a space, or unchanged.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.formats.hf.hf_vocabulary import CODE_POINTS, HfVocabulary
from tokenarium_core.formats.json_scanner import hexadecimal, write_character
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    BYTE_ALPHABET,
    CONTINUING,
    CONTROL,
    NORMAL,
    SPACE_MARK,
    UNUSED,
    USER_DEFINED,
    WORD_END,
    PieceArena,
    Vocabulary,
)

MARK: Final = "▁".encode()


@final
class Affixes:
    """The prefix of pieces that continue a word, or the suffix of those that end one; empty for none."""

    def __init__(self, prefix: str = "", suffix: str = "") -> None:
        self.prefix = prefix.encode()
        self.suffix = suffix.encode()

    @property
    def shown(self) -> str:
        """The affix of the vocabulary: there is at most one."""
        return (self.prefix or self.suffix).decode()


def vocabulary_of(
    entries: HfVocabulary,
    added: list[AddedToken],
    spelling: i64,
    findable: tuple[int, ...],
    byte_fallback: bool,
    affixes: Affixes,
) -> Vocabulary:
    """Returns the vocabulary: the model's entries, and added tokens that it does not have.

    ``byte_fallback``: ``<0x0A>`` is the piece of a byte. Raises FormatError if two pieces that must be distinguished
    have the same bytes.
    """
    count: i64 = entries.size
    tokens: dict[int, AddedToken] = {}
    for token in added:
        tokens[token.id] = token
        count = max(count, token.id + 1)
    writer = _PieceWriter(entries, count, spelling, byte_fallback, affixes)
    outside: set[int] = set()
    for id in range(count):
        known = id < entries.size and i64(entries.numbers[id]) >= 0
        added_token = tokens.get(id) if tokens else None
        if added_token is None:
            if not known:
                writer.pieces.add(b"", UNUSED)
            elif not writer.write(id):
                outside.add(id)
            continue
        content = added_token.content
        if known and writer.is_spelled(content):
            writer.write(id)  # the model still finds it, although a token has the same spelling
            continue
        if not known or not _becomes_text(content, spelling):
            outside.add(id)
        elif spelling == SPACE_MARK:
            content = content.replace("▁", " ")
        kind: i64 = CONTROL if added_token.special else USER_DEFINED
        writer.pieces.add(content.encode(), kind)
    writer.pieces.scores = _scores(entries, count)
    vocabulary = Vocabulary(writer.pieces, findable, spelling, affixes.shown, frozenset(outside))
    if byte_fallback and spelling != SPACE_MARK:
        for id in range(count):
            if i64(vocabulary.kinds[id]) == BYTE:
                vocabulary.spelled[id] = f"<0x{vocabulary.piece(id)[0]:02X}>"
    return vocabulary


def vocabulary_of_code_points(added: list[AddedToken]) -> Vocabulary:
    """Returns the vocabulary of all code points by their numbers, and of added tokens, those of several characters behind.

    A surrogate, which no text has, is spelled ``U+D800``.
    """
    beyond = [token.id for token in added if token.id >= CODE_POINTS]
    pieces = PieceArena(CODE_POINTS + len(beyond))
    for token in sorted(added, key=lambda token: token.id):
        _add_code_points(pieces, min(token.id, CODE_POINTS))
        pieces.add(token.content.encode(), CONTROL if token.special else USER_DEFINED)
    _add_code_points(pieces, CODE_POINTS)
    return Vocabulary(pieces, (), outside=frozenset(beyond))


def _add_code_points(pieces: PieceArena, stop: i64) -> None:
    """Appends the characters from the first code point without a piece up to ``stop``."""
    writer = pieces.writer
    while pieces.count < stop:
        code = pieces.count
        if code >= 0xD800 and code < 0xE000:
            writer.write(b"U+%X" % code)
        else:
            write_character(writer, code)
        pieces.close(NORMAL)


def _becomes_text(content: str, spelling: i64) -> bool:
    """Returns whether the model may find an added token that is also an entry by the token's own bytes."""
    if spelling == BYTE_ALPHABET:
        return content.isascii() and content.isprintable() and " " not in content
    return spelling != SPACE_MARK or " " not in content


@final
class _PieceWriter:
    """Writes entries in sequence into an arena, as the bytes that it stands for."""

    def __init__(
        self,
        entries: HfVocabulary,
        count: i64,
        spelling: i64,
        byte_fallback: bool,
        affixes: Affixes,
    ) -> None:
        self.pieces = PieceArena(count)
        self._numbers = entries.numbers
        self._arena = entries.table.arena
        self._offsets = entries.table.offsets
        self._spelling: i64 = spelling
        self._byte_fallback = byte_fallback
        self._prefix = affixes.prefix
        self._suffix = affixes.suffix
        self._bytes = vec[i64]([-1] * 2048)
        for character, byte in byte_alphabet.BYTES.items():
            self._bytes[ord(character)] = byte

    def is_spelled(self, content: str) -> bool:
        """Returns whether an entry stands for something other than its characters in the file."""
        piece = content.encode()
        size = len(piece)
        if self._spelling == BYTE_ALPHABET:
            return not content.isascii() and byte_alphabet.BYTES.keys() >= set(content)
        if self._byte_fallback and size == 6 and byte_of(piece, 0) >= 0:
            return True
        prefix = self._prefix
        suffix = self._suffix
        return bool(
            (prefix and size > len(prefix) and piece.startswith(prefix))
            or (suffix and size > len(suffix) and piece.endswith(suffix))
        )

    def write(self, id: i64) -> bool:
        """Writes the entry of an id; false if no text can produce it because of its spelling."""
        pieces = self.pieces
        arena = self._arena
        number: i64 = i64(self._numbers[id])
        start: i64 = i64(self._offsets[number])
        stop: i64 = i64(self._offsets[number + 1])
        if self._spelling == BYTE_ALPHABET:
            if self._write_bytes(start, stop):
                return True
            pieces.add(arena[start:stop], USER_DEFINED)
            return False
        if self._byte_fallback and stop - start == 6:
            byte: i64 = arena[start]
            if byte == 60:  # <
                value = byte_of(arena, start)
                if value >= 0:
                    pieces.add(bytes([value]), BYTE)
                    return True
        piece = arena[start:stop]
        kind: i64 = NORMAL
        if self._prefix and len(piece) > len(self._prefix) and piece.startswith(self._prefix):
            piece = piece[len(self._prefix) :]
            kind = CONTINUING
        elif self._suffix and len(piece) > len(self._suffix) and piece.endswith(self._suffix):
            piece = piece[: len(piece) - len(self._suffix)]
            kind = WORD_END
        if self._spelling == SPACE_MARK:
            piece = piece.replace(MARK, b" ")
        pieces.add(piece, kind)
        return True

    def _write_bytes(self, start: i64, stop: i64) -> bool:
        """Writes a piece in GPT-2's alphabet; returns false and writes nothing if it is spelled differently."""
        arena = self._arena
        values = self._bytes
        writer = self.pieces.writer
        size: i64 = len(writer)
        at = start
        while at < stop:
            code: i64 = arena[at]
            at += 1
            if code >= 0x80:
                low: i64 = arena[at]
                at += 1
                code = (code & 31) << 6 | (low & 63) if code < 0xE0 else 0
            value = values[code]
            if value < 0:
                writer.truncate(size)
                return False
            writer.append(value)
        self.pieces.close(BYTE if len(writer) == size + 1 else NORMAL)
        return True


def byte_of(data: bytes, start: i64) -> i64:
    """Returns the byte named by six bytes like ``<0x0A>``, with uppercase digits only; -1 if they name none."""
    if data[start : start + 3] != b"<0x" or data[start + 5] != 62:
        return -1
    digits = data[start + 3 : start + 5]
    return hexadecimal(b"00" + digits, 0) if digits == digits.upper() else -1


def _scores(entries: HfVocabulary, count: i64) -> vec[float]:
    """Returns the scores by id; an id beyond the entries has none, and gets 0."""
    scores = entries.scores
    if len(scores) == 0 or len(scores) == count:
        return scores
    longer = vec[float]([0.0] * count)
    for id in range(len(scores)):
        longer[id] = scores[id]
    return longer
