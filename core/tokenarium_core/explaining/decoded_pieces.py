"""What each id of a tokenizer adds to a decoded text, found by its bytes: the pieces of which other tokenizations
consist.

A decoder may treat the first id differently from those after it: SentencePiece drops a space there, WordPiece adds
one before each word except the first. Apart from that, and from byte fallback, an id always adds the same bytes.
"""

from __future__ import annotations

from time import perf_counter
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
from tokenarium_core.errors import UnsupportedError
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.progress import Progress
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

_PLAIN: Final = 0
_SENTENCEPIECE: Final = 1
_STEPS: Final = 2
_ALPHABET: Final = 3

_ENTRIES: Final = 1024  # between two looks at the clock
_ROWS: Final = 8192
_MARK: Final = "▁".encode()


@final
class PieceTable:
    """Byte strings with the ids that add them; several ids may add the same.

    Row k is the id ``tokens[k]`` with ``arena[starts[k]:stops[k]]``. Rows can be found once `index` has processed them.
    """

    def __init__(self, arena: bytes, tokens: vec[i32], starts: vec[i32], stops: vec[i32]) -> None:
        """``arena`` is padded."""
        self.arena = arena
        self.tokens = tokens
        self.starts = starts
        self.stops = stops
        self.longest: i64 = 0
        self.empty: list[int] = []
        self.indexed: i64 = 0
        count: i64 = len(tokens)
        size: i64 = 1024
        while size < count * 2:
            size *= 2
        self._slots = vec[i32]([-1] * size)
        self._mask: i64 = size - 1
        self._alike = vec[i32]([-1] * count)  # the next row with the same bytes
        self._reach = vec[i32]([0] * 65536)  # the longest row by its first two bytes

    def index(self, rows: i64) -> bool:
        """Indexes some more rows; true when all are indexed."""
        count: i64 = len(self.tokens)
        stop = min(count, self.indexed + rows)
        row = self.indexed
        while row < stop:
            self._add(row)
            row += 1
        self.indexed = stop
        return stop == count

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
        """Returns an upper bound for the size of the rows that are prefixes of ``data[at:stop]`` (padded, not empty)."""
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
    """The pieces of a tokenizer as its decoder writes them: call `step` until it is finished.

    ``later`` are those of ids that follow another id, ``first`` those of the first id. ``by_byte[b]`` are the ids of
    byte fallback for a byte: in sequence they form whole characters, and alone U+FFFD. ``drops_all``: as long as
    nothing was written, every space is dropped. ``strips``: a space at the start is dropped even if a byte is one.
    Special tokens, unknown ones and ids without a piece are left out; ``special`` includes special tokens that decode
    to their text.

    Raises UnsupportedError, with the reason, if what an id adds depends on more than that.
    """

    def __init__(self, tokenizer: Tokenizer, special: bool = False) -> None:
        self.finished = False
        self.by_byte: list[list[int]] = [[] for _ in range(256)]
        self.falls_back = False
        self.drops_all = False
        self.strips = False
        self._vocabulary = tokenizer.vocabulary
        self._special_ids = tokenizer.added_tokens.special_ids
        self._special = special
        self._left_out: frozenset[int] = frozenset()
        self._steps: StepsDecoder | None = None
        self._drops = False
        self._kind: i64 = _PLAIN
        decoder = tokenizer.decoder
        if isinstance(decoder, SentencePieceDecoder):
            self._kind = _SENTENCEPIECE
            self._special = False  # control pieces give no text
            self._drops = decoder.first or decoder.every
            self.drops_all = decoder.every
            if decoder.denormalizer is not None:
                raise UnsupportedError(
                    "This model changes its decoded texts (denormalizer_spec), so that ids cannot be matched with a text."
                )
        elif isinstance(decoder, StepsDecoder):
            self._left_out = decoder.left_out
            if adds_bytes(decoder):
                self._kind = _ALPHABET
            else:
                self._kind = _STEPS
                self._steps = decoder
                self._drops = True
                _after_steps(decoder, [])  # raises now if it cannot be done
                for step in decoder.steps:
                    if isinstance(step, StripStep) and step.start == 1 and step.content == " ":
                        self.strips = True
        self._by_bytes = self._steps is not None and falls_back(self._steps)
        self._token: i64 = 0
        self._tokens = vec[i32]()
        self._starts = vec[i32]()
        self._stops = vec[i32]()
        self._firsts = vec[i32]()  # starts and stops of the first form
        self._first_stops = vec[i32]()
        self._writer = BytesWriter()
        self._later: PieceTable | None = None
        self._first: PieceTable | None = None

    @property
    def later(self) -> PieceTable:
        """The pieces of ids that follow another id."""
        table = self._later
        assert table is not None, "it is not finished"
        return table

    @property
    def first(self) -> PieceTable:
        """The pieces of the first id."""
        table = self._first
        assert table is not None, "it is not finished"
        return table

    def step(self, budget_ms: float) -> Progress:
        """Processes entries for about this many milliseconds."""
        end = perf_counter() + budget_ms / 1000
        while not self.finished and perf_counter() < end:
            if self._token < self._vocabulary.count:
                self._take_some()
            elif self._later is None:
                self._make_tables()
            elif self.later.index(_ROWS):
                self.finished = self._first is self._later or self.first.index(_ROWS)
        indexed = self._later.indexed if self._later is not None else 0
        count = self._vocabulary.count
        return Progress("Reading the entries", self._token + indexed, 2 * count, self.finished)

    def _make_tables(self) -> None:
        if self._kind == _PLAIN:
            arena = self._vocabulary.arena
        else:
            self._writer.write(ZEROS)
            arena = self._writer.getvalue()
        later = PieceTable(arena, self._tokens, self._starts, self._stops)
        self._later = later
        self._first = later
        if self._drops:
            self._first = PieceTable(arena, self._tokens, self._firsts, self._first_stops)

    def _take_some(self) -> None:
        """Processes the next entries."""
        stop = min(self._vocabulary.count, self._token + _ENTRIES)
        tokens: list[int] = []
        while self._token < stop:
            if self._counts(self._token):
                tokens.append(self._token)
            self._token += 1
        if self._kind == _PLAIN:
            offsets = self._vocabulary.offsets
            for token in tokens:
                if i64(offsets[token + 1]) > i64(offsets[token]):
                    self._tokens = append(self._tokens, i32(i64(token)))
                    self._starts = append(self._starts, offsets[token])
                    self._stops = append(self._stops, offsets[token + 1])
        elif self._kind == _ALPHABET:
            for token in tokens:
                piece = written_bytes(self._vocabulary, token)
                if piece:
                    self._add(token, piece, piece)
        elif self._kind == _SENTENCEPIECE:
            self._take_sentencepiece(tokens)
        else:
            self._take_steps(tokens)

    def _add(self, token: i64, later: bytes, first: bytes) -> None:
        writer = self._writer
        self._tokens = append(self._tokens, i32(token))
        self._starts = append(self._starts, i32(len(writer)))
        writer.write(later)
        self._stops = append(self._stops, i32(len(writer)))
        if not self._drops:
            return
        if first == later or later.endswith(first):
            self._firsts = append(self._firsts, i32(len(writer) - len(first)))
        else:
            self._firsts = append(self._firsts, i32(len(writer)))
            writer.write(first)
        self._first_stops = append(self._first_stops, i32(len(writer)))

    def _counts(self, token: i64) -> bool:
        kind: i64 = i64(self._vocabulary.kinds[token])
        if kind == UNUSED or kind == UNKNOWN or token in self._left_out:
            return False
        if kind == CONTROL or token in self._special_ids:
            return self._special
        return True

    def _take_sentencepiece(self, tokens: list[int]) -> None:
        vocabulary = self._vocabulary
        marked = vocabulary.spelling != SPACE_MARK
        for token in tokens:
            piece = vocabulary.piece(token)
            if i64(vocabulary.kinds[token]) == BYTE:
                self.by_byte[piece[0]].append(token)
                self.falls_back = True
            elif piece:
                if marked:
                    piece = piece.replace(_MARK, b" ")
                self._add(token, piece, piece[1:] if piece.startswith(b" ") else piece)

    def _take_steps(self, tokens: list[int]) -> None:
        decoder = self._steps
        assert decoder is not None, "there are no steps"
        vocabulary = self._vocabulary
        taken: list[int] = []
        surfaces: list[str] = []
        for token in tokens:
            surface = vocabulary.surface(token)
            byte = byte_of(surface) if self._by_bytes else -1
            if byte >= 0:
                self.by_byte[byte].append(token)
                self.falls_back = True
            elif surface:
                taken.append(token)
                surfaces.append(surface)
        later, first = _after_steps(decoder, surfaces)
        for index in range(len(taken)):
            self._add(
                taken[index],
                later[index].encode("utf-8", "replace"),
                first[index].encode("utf-8", "replace"),
            )

    def character(self, data: bytes, at: i64, stop: i64) -> tuple[int, int]:
        """Returns how many bytes the character at a byte has, and in how many ways byte fallback writes it.

        ``data`` is padded; 0 ways without byte fallback.
        """
        if not self.falls_back:
            return 0, 0
        size = character_at(data, at, stop)
        ways = 1 if size > 0 else 0
        for index in range(at, at + size):
            ways *= len(self.by_byte[data[index]])
        return size, ways


def _after_steps(decoder: StepsDecoder, surfaces: list[str]) -> tuple[list[str], list[str]]:
    """Returns what each spelling decodes to after another token, and as the first."""
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
            raise UnsupportedError(
                f"What an id adds to a decoded text is not defined here: the decoder {decoder.name} has the step"
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
    """Returns whether a step changes each token independently, except the first one."""
    return isinstance(step, (ReplaceStep, MetaspaceStep, WordPieceStep))


def written_bytes(vocabulary: Vocabulary, token: i64) -> bytes:
    """Returns the bytes that an id adds if a decoder reads GPT-2's alphabet (Hugging Face's ByteLevel).

    They are those of its piece, and the end-of-word marker if it has one.
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
