"""What each id of a tokenizer adds to a decoded text, found by its bytes: the pieces that other cuts are made of.

A decoder may treat the first id in another way than those after it: SentencePiece drops a space there, WordPiece puts
one before each word but the first. Apart from that, and from byte fallback, an id adds the same wherever it is.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.decoders.sentencepiece_decoder import SentencePieceDecoder
from tokenarium_core.decoders.token_decoders import (
    ByteFallbackStep,
    ByteLevelStep,
    DecoderStep,
    FuseStep,
    MetaspaceStep,
    ReplaceStep,
    StepsDecoder,
    StripStep,
    WordPieceStep,
    byte_of,
)
from tokenarium_core.errors import NotAvailable
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.unicode.utf8 import character_at
from tokenarium_core.vocabulary import (
    BYTE,
    BYTE_ALPHABET,
    CONTROL,
    NORMAL,
    SPACE_MARK,
    UNKNOWN,
    UNUSED,
    Vocabulary,
    hash_bytes,
    same_bytes,
)

_MARK: Final = "▁".encode()


@final
class PieceTable:
    """Bytes with the ids that add them; several ids may add the same.

    Row k is the id ``tokens[k]`` with ``arena[starts[k]:stops[k]]``.
    """

    def __init__(self, arena: bytes, tokens: vec[i32], starts: vec[i32], stops: vec[i32]) -> None:
        """``arena`` is padded."""
        self.arena = arena
        self.tokens = tokens
        self.starts = starts
        self.stops = stops
        self.longest: i64 = 0
        self.empty: list[int] = []
        count: i64 = len(tokens)
        size: i64 = 1024
        while size < count * 2:
            size *= 2
        self._slots = vec[i32]([-1] * size)
        self._mask: i64 = size - 1
        self._alike = vec[i32]([-1] * count)  # the next row with the same bytes
        self._reach = vec[i32]([0] * 65536)  # the longest row by its first two bytes
        row: i64 = 0
        while row < count:
            self._add(row)
            row += 1

    def _add(self, row: i64) -> None:
        arena = self.arena
        start: i64 = i64(self.starts[row])
        stop: i64 = i64(self.stops[row])
        size = stop - start
        if size == 0:
            self.empty.append(i64(self.tokens[row]))
            return
        self.longest = max(self.longest, size)
        if size > 1:
            first: i64 = arena[start]
            second: i64 = arena[start + 1]
            lead = first << 8 | second
            if size > i64(self._reach[lead]):
                self._reach[lead] = i32(size)
        at = hash_bytes(arena, start, stop) & self._mask
        while True:
            other: i64 = i64(self._slots[at])
            if other < 0:
                break
            begin: i64 = i64(self.starts[other])
            if i64(self.stops[other]) - begin == size and same_bytes(
                arena, begin, arena, start, size
            ):
                self._alike[row] = i32(other)
                break
            at = (at + 1) & self._mask
        self._slots[at] = i32(row)

    def reach(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns a size that no row which ``data[at:stop]`` (padded, not empty) begins with exceeds."""
        if at + 1 >= stop:
            return 1
        first: i64 = data[at]
        second: i64 = data[at + 1]
        size: i64 = i64(self._reach[first << 8 | second])
        return max(1, min(size, stop - at))

    def find(self, data: bytes, start: i64, stop: i64) -> i64:
        """Returns a row that is ``data[start:stop]`` (padded); -1 if there is none."""
        size = stop - start
        at = hash_bytes(data, start, stop) & self._mask
        while True:
            row: i64 = i64(self._slots[at])
            if row < 0:
                return -1
            begin: i64 = i64(self.starts[row])
            if i64(self.stops[row]) - begin == size and same_bytes(
                self.arena, begin, data, start, size
            ):
                return row
            at = (at + 1) & self._mask

    def alike(self, row: i64) -> i64:
        """Returns the next row with the same bytes; -1 after the last."""
        return i64(self._alike[row])


@final
class DecodedPieces:
    """The pieces of a tokenizer as its decoder writes them.

    ``later`` are those of ids after another one, ``first`` those of the first id. ``by_byte[b]`` are the ids of byte
    fallback for a byte: in a row they are whole characters, and alone U+FFFD. ``drops_all``: as long as nothing was
    written, every space is dropped. ``strips``: a space at the start is dropped even if a byte is one. Special tokens, unknown ones and ids without a piece are left out; ``special``
    takes in special tokens that decode to their text.

    Raises NotAvailable, with the reason, if what an id adds depends on more than that.
    """

    def __init__(self, tokenizer: Tokenizer, special: bool = False) -> None:
        self.by_byte: list[list[int]] = []
        self.falls_back = False
        self.drops_all = False
        self.strips = False
        self._tokenizer = tokenizer
        self._special = special
        decoder = tokenizer.decoder
        if isinstance(decoder, SentencePieceDecoder):
            self._take_sentencepiece(decoder)
        elif isinstance(decoder, StepsDecoder):
            self._take_steps(decoder)
        else:
            self._take_plain()

    @property
    def later(self) -> PieceTable:
        """The pieces of ids after another one."""
        return self._later

    @property
    def first(self) -> PieceTable:
        """The pieces of the first id."""
        return self._first

    def _counts(self, token: i64, left_out: frozenset[int]) -> bool:
        vocabulary = self._tokenizer.vocabulary
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == UNUSED or kind == UNKNOWN or token in left_out:
            return False
        if kind == CONTROL or token in self._tokenizer.added_tokens.special_ids:
            return self._special
        return True

    def _take_plain(self) -> None:
        """Takes the bytes of the vocabulary as they are."""
        vocabulary = self._tokenizer.vocabulary
        tokens = vec[i32]()
        starts = vec[i32]()
        stops = vec[i32]()
        nothing: frozenset[int] = frozenset()
        for token in range(vocabulary.count):
            start = vocabulary.offsets[token]
            stop = vocabulary.offsets[token + 1]
            if stop > start and self._counts(token, nothing):
                tokens = append(tokens, i32(token))
                starts = append(starts, start)
                stops = append(stops, stop)
        self._later = PieceTable(vocabulary.arena, tokens, starts, stops)
        self._first = self._later

    def _take_sentencepiece(self, decoder: SentencePieceDecoder) -> None:
        if decoder.denormalizer is not None:
            raise NotAvailable(
                "This model changes its decoded texts (denormalizer_spec), so that ids cannot be matched with a text."
            )
        vocabulary = self._tokenizer.vocabulary
        marked = vocabulary.spelling != SPACE_MARK
        by_byte = _no_bytes()
        tokens: list[int] = []
        pieces: list[bytes] = []
        self._special = False  # control pieces give no text
        nothing: frozenset[int] = frozenset()
        for token in range(vocabulary.count):
            if not self._counts(token, nothing):
                continue
            piece = vocabulary.piece(token)
            if i64(vocabulary.kinds[token]) == BYTE:
                by_byte[piece[0]].append(token)
                self.falls_back = True
            elif piece:
                tokens.append(token)
                pieces.append(piece.replace(_MARK, b" ") if marked else piece)
        self.by_byte = by_byte
        self._later = _table(tokens, pieces)
        if decoder.first or decoder.every:
            self._first = _table(
                tokens, [piece[1:] if piece.startswith(b" ") else piece for piece in pieces]
            )
            self.drops_all = decoder.every
        else:
            self._first = self._later

    def _take_steps(self, decoder: StepsDecoder) -> None:
        if len(decoder.steps) == 1 and isinstance(decoder.steps[0], ByteLevelStep):
            self._take_plain_without(decoder.left_out)
            return
        vocabulary = self._tokenizer.vocabulary
        by_byte = _no_bytes()
        tokens: list[int] = []
        surfaces: list[str] = []
        by_bytes = falls_back(decoder)
        for token in range(vocabulary.count):
            if not self._counts(token, decoder.left_out):
                continue
            surface = vocabulary.surface(token)
            byte = byte_of(surface) if by_bytes else -1
            if byte >= 0:
                by_byte[byte].append(token)
                self.falls_back = True
            elif surface:
                tokens.append(token)
                surfaces.append(surface)
        self.by_byte = by_byte
        for step in decoder.steps:
            if isinstance(step, StripStep) and step.start == 1 and step.content == " ":
                self.strips = True
        later, first = _after_steps(decoder, surfaces)
        self._later = _table(tokens, [text.encode("utf-8", "replace") for text in later])
        self._first = _table(tokens, [text.encode("utf-8", "replace") for text in first])

    def _take_plain_without(self, left_out: frozenset[int]) -> None:
        vocabulary = self._tokenizer.vocabulary
        tokens: list[int] = []
        pieces: list[bytes] = []
        for token in range(vocabulary.count):
            if not self._counts(token, left_out):
                continue
            piece = written_bytes(vocabulary, token)
            if piece:
                tokens.append(token)
                pieces.append(piece)
        self._later = _table(tokens, pieces)
        self._first = self._later

    def character(self, data: bytes, at: i64, stop: i64) -> tuple[int, int]:
        """Returns how many bytes the character at a byte has, and in how many ways byte fallback writes it.

        ``data`` is padded; 0 ways without byte fallback.
        """
        if not self.falls_back:
            return 0, 0
        size = character_at(data, at, stop)
        ways = 1 if size > 0 else 0
        for place in range(at, at + size):
            ways *= len(self.by_byte[data[place]])
        return size, ways


def _no_bytes() -> list[list[int]]:
    return [[] for _ in range(256)]


def _table(tokens: list[int], pieces: list[bytes]) -> PieceTable:
    """Returns the table of some ids with their pieces."""
    writer = BytesWriter()
    count: i64 = len(tokens)
    numbers = vec[i32]([0] * count)
    starts = vec[i32]([0] * count)
    stops = vec[i32]([0] * count)
    for row in range(count):
        numbers[row] = i32(i64(tokens[row]))
        starts[row] = i32(len(writer))
        writer.write(pieces[row])
        stops[row] = i32(len(writer))
    writer.write(ZEROS)
    return PieceTable(writer.getvalue(), numbers, starts, stops)


def _after_steps(decoder: StepsDecoder, surfaces: list[str]) -> tuple[list[str], list[str]]:
    """Returns what each spelling becomes after another one, and as the first."""
    later = surfaces
    first = surfaces
    fused = False
    if not decoder.steps and decoder.spaced:
        return [" " + text for text in surfaces], surfaces
    for step in decoder.steps:
        if isinstance(step, ByteFallbackStep):
            continue
        if isinstance(step, FuseStep):
            fused = True
            continue
        if isinstance(step, StripStep) and fused and step.start <= 1 and step.stop == 0:
            if step.start == 1:
                first = [text[1:] if text.startswith(step.content) else text for text in first]
            continue
        if fused or not _takes_each(step):
            raise NotAvailable(
                f"What an id adds to a decoded text cannot be said here: the decoder {decoder.name} has the step"
                f" {step.name}, which looks at several tokens together."
            )
        if isinstance(step, ReplaceStep):
            same = later is first
            later = step.apply(later)
            first = later if same else step.apply(first)
        else:
            later = step.apply(["", *later])[1:]
            first = [step.apply([text])[0] for text in first]
    return later, first


def _takes_each(step: DecoderStep) -> bool:
    """Returns whether a step changes each token alone, but for the first one."""
    return isinstance(step, (ReplaceStep, MetaspaceStep, WordPieceStep))


def written_bytes(vocabulary: Vocabulary, token: i64) -> bytes:
    """Returns the bytes that an id adds where a decoder reads GPT-2's alphabet (ByteLevel of Hugging Face).

    They are those of its piece, and the mark of a word's end if it has one.
    """
    kind: i64 = i64(vocabulary.kinds[token])
    if vocabulary.spelling == BYTE_ALPHABET and kind == NORMAL:
        return vocabulary.piece(token)
    surface = vocabulary.surface(token)
    for character in surface:
        if character not in byte_alphabet.BYTES:
            return surface.encode("utf-8", "replace")
    return byte_alphabet.to_bytes(surface)


def adds_bytes(decoder: Decoder) -> bool:
    """Returns whether a decoder joins the bytes of the pieces, which together need not be UTF-8."""
    if isinstance(decoder, StepsDecoder):
        return len(decoder.steps) == 1 and isinstance(decoder.steps[0], ByteLevelStep)
    return not isinstance(decoder, SentencePieceDecoder)


def falls_back(decoder: Decoder) -> bool:
    """Returns whether a decoder joins tokens of single bytes, which stand for other characters, into text."""
    if isinstance(decoder, StepsDecoder):
        return any(isinstance(step, ByteFallbackStep) for step in decoder.steps)
    return isinstance(decoder, SentencePieceDecoder)
