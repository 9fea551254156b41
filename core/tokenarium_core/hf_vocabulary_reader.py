"""Reading ``model.vocab`` and ``model.merges`` of a `tokenizer.json` in place: the two members that are huge.

Sources: huggingface/tokenizers, ``models/bpe/serialization.rs`` and ``models/unigram/serialization.rs``; numbers
as serde_json reads them, which differs from Python in the last digit.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import doubled
from tokenarium_core.frozen import FrozenReader, FrozenWriter
from tokenarium_core.json_scanner import (
    BACKSLASH,
    CLOSE_LIST,
    CLOSE_OBJECT,
    COLON,
    COMMA,
    OPEN_LIST,
    OPEN_OBJECT,
    QUOTE,
    JsonScanner,
    Span,
    read_number,
    skip_digits,
    skip_space,
)
from tokenarium_core.merge_table import MAX_IDS, MergeTable
from tokenarium_core.pretokenizer import PADDING
from tokenarium_core.surface_table import SurfaceTable, hash_of

_SPACE: Final = 32
_MOST_DIGITS: Final = 18  # that surely fit 63 bits
_LARGEST: Final = 18446744073709551615
_POWERS: Final[list[float]] = [float(f"1e{exponent}") for exponent in range(309)]


@final
class HfVocabulary:
    """The entries of ``model.vocab``, in the order of the file and by id.

    Entry ``k`` of ``table`` has the id ``ids[k]``; the entry of an id is ``numbers[id]``, -1 where there is none.
    ``scores`` (Unigram) are by id, and empty in other models.
    """

    def __init__(self) -> None:
        self.table = SurfaceTable()
        self.ids = vec[i32]()
        self.numbers = vec[i32]()
        self.scores = vec[float]()

    @property
    def size(self) -> int:
        """How many ids there are, gaps counted."""
        return len(self.numbers)

    def find(self, text: str) -> int:
        """Returns the id of an entry, or -1."""
        number = self.table.find_text(text)
        return self.ids[number] if number >= 0 else -1

    def has_space(self) -> bool:
        """Tells whether a real space stands in some entry."""
        return b" " in self.table.arena

    def freeze(self, out: FrozenWriter) -> None:
        """Writes the entries."""
        self.table.freeze(out)
        out.i32s(self.ids[: self.table.count])
        out.i32s(self.numbers)
        out.floats(self.scores)

    def thaw(self, frozen: FrozenReader) -> None:
        """Reads what `freeze` wrote."""
        self.table.thaw(frozen)
        self.ids = frozen.i32s()
        self.numbers = frozen.i32s()
        self.scores = frozen.floats()


def read_vocabulary(scanner: JsonScanner, span: Span) -> HfVocabulary:
    """Returns the entries of an object of pieces and ids: BPE, WordPiece, WordLevel.

    Raises FormatError, with the place, for an id that is no whole number or out of range, and for an entry
    or an id that stands twice.
    """
    data = scanner.data
    path = span.path
    vocabulary = HfVocabulary()
    table = vocabulary.table
    writer = table.writer
    places = vec[i32]([0] * 1024)
    ids = vec[i32]([0] * 1024)
    largest: i64 = -1
    at = _opened(scanner, span, OPEN_OBJECT, "an object of pieces and their ids")
    byte: i64 = data[at]
    while byte != CLOSE_OBJECT:
        if byte != QUOTE:
            raise scanner.error(at, path, "a piece was expected, in quotes")
        number = table.count
        if number == MAX_IDS:
            raise scanner.error(
                at, path, f"there are more than the {MAX_IDS:,} pieces that this program holds"
            )
        if number == len(ids):
            ids = doubled(ids)
            places = doubled(places)
        places[number] = i32(at)
        at = scanner.write_string(at, writer)
        table.add()
        at = skip_space(data, at)
        byte = data[at]
        if byte != COLON:
            raise scanner.error(at, path, "a colon was expected")
        at = skip_space(data, at + 1)
        token = read_number(data, at)
        if token < 0 or token >= MAX_IDS:
            raise scanner.error(
                at, path, f"an id was expected, a whole number from 0 to {MAX_IDS - 1:,}"
            )
        ids[number] = i32(token)
        if token > largest:
            largest = token
        at = _next(scanner, skip_digits(data, at), CLOSE_OBJECT, path)
        byte = data[at]
    vocabulary.ids = ids[: table.count]
    _close(scanner, path, table, places)
    numbers = vec[i32]([-1] * (largest + 1))
    for number in range(table.count):
        token = i64(ids[number])
        if i64(numbers[token]) >= 0:
            other = table.text(i64(numbers[token]))
            raise scanner.error(
                i64(places[number]),
                path,
                f"this piece has the id {token}, which {other!r} has already",
            )
        numbers[token] = i32(number)
    vocabulary.numbers = numbers
    return vocabulary


def read_scored(scanner: JsonScanner, span: Span) -> HfVocabulary:
    """Returns the entries of a list of pieces and scores, whose ids are their places: Unigram.

    Raises FormatError, with the place, for what is no such pair, and for a piece that stands twice.
    """
    data = scanner.data
    path = span.path
    vocabulary = HfVocabulary()
    table = vocabulary.table
    writer = table.writer
    places = vec[i32]([0] * 1024)
    scores = vec[float]()
    at = _opened(scanner, span, OPEN_LIST, "a list of pieces and their scores")
    byte: i64 = data[at]
    while byte != CLOSE_LIST:
        number = table.count
        if number == MAX_IDS:
            raise scanner.error(
                at, path, f"there are more than the {MAX_IDS:,} pieces that this program holds"
            )
        if number == len(places):
            places = doubled(places)
        places[number] = i32(at)
        place = f"{path}[{number}]"
        if byte != OPEN_LIST:
            raise scanner.error(at, place, "a piece and its score were expected, in brackets")
        at = skip_space(data, at + 1)
        byte = data[at]
        if byte != QUOTE:
            raise scanner.error(at, place, "a piece was expected, in quotes")
        at = skip_space(data, scanner.write_string(at, writer))
        table.add()
        byte = data[at]
        if byte != COMMA:
            raise scanner.error(at, place, "a comma and a score were expected")
        at = skip_space(data, at + 1)
        stop = _number_end(data, at)
        score = serde_float(data[at:stop])
        if score is None:
            raise scanner.error(at, place, "a score was expected, a number")
        scores = append(scores, score)
        at = skip_space(data, stop)
        byte = data[at]
        if byte != CLOSE_LIST:
            raise scanner.error(at, place, "a closing bracket was expected")
        at = _next(scanner, at + 1, CLOSE_LIST, path)
        byte = data[at]
    _close(scanner, path, table, places)
    count = table.count
    numbers = vec[i32]([0] * count)
    for number in range(count):
        numbers[number] = i32(number)
    vocabulary.ids = numbers
    vocabulary.numbers = numbers
    vocabulary.scores = scores
    return vocabulary


def read_merges(
    scanner: JsonScanner, span: Span, vocabulary: HfVocabulary, skipped: i64
) -> MergeTable:
    """Returns the merges, in both forms that the format has: ``["t", "he"]`` and ``"t he"``.

    ``skipped`` bytes of the right piece, its prefix, are not a part of the merged one. Raises FormatError, with
    the place, for a merge of what is no piece, or into what is none, and for one that stands twice.
    """
    data = scanner.data
    path = span.path
    table = vocabulary.table
    ids = vocabulary.ids
    at = _opened(scanner, span, OPEN_LIST, "a list of merges")
    byte: i64 = data[at]
    in_lists = byte == OPEN_LIST
    merges = MergeTable(0 if byte == CLOSE_LIST else _counted(data, at, span.stop, in_lists))
    parts = _Parts(scanner, table)
    rank: i64 = 0
    while byte != CLOSE_LIST:
        start = at
        if in_lists and byte == OPEN_LIST:
            at = parts.read_list(at, path, rank)
        elif not in_lists and byte == QUOTE:
            at = parts.read_line(at, path, rank)
        else:
            raise scanner.error(
                at, f"{path}[{rank}]", "a merge was expected, in the form of the first"
            )
        left = parts.left
        right = parts.right
        if left >= 0:
            result = table.find_joined(left, right, skipped)
            if result < 0:
                raise scanner.error(
                    start,
                    f"{path}[{rank}]",
                    f"{table.text(left)!r} and {table.text(right)!r} merge into what is no piece of model.vocab",
                )
            if rank == MAX_IDS or not merges.set(
                rank, i64(ids[left]), i64(ids[right]), i64(ids[result])
            ):
                what = f"{table.text(left)!r} and {table.text(right)!r} merge a second time"
                if rank == MAX_IDS:
                    what = f"there are more than the {MAX_IDS:,} merges that this program holds"
                raise scanner.error(start, f"{path}[{rank}]", what)
            rank += 1
        at = _next(scanner, at, CLOSE_LIST, path)
        byte = data[at]
    merges.cut(rank)
    return merges


@final
class _Parts:
    """Reads one merge: the numbers of its two pieces; ``left`` is -1 for a line that is none."""

    def __init__(self, scanner: JsonScanner, table: SurfaceTable) -> None:
        self.scanner = scanner
        self.table = table
        self.left: i64 = -1
        self.right: i64 = -1
        self._scratch = BytesWriter()

    def read_list(self, at: i64, path: str, rank: i64) -> i64:
        """Reads ``["t", "he"]``; returns the byte behind it."""
        data = self.scanner.data
        at = self._piece(skip_space(data, at + 1), path, rank)
        self.left = self.right
        byte: i64 = data[at]
        if byte == COMMA:
            at = self._piece(skip_space(data, at + 1), path, rank)
            byte = data[at]
            if byte == CLOSE_LIST:
                return at + 1
        raise self.scanner.error(at, f"{path}[{rank}]", "a merge is a list of two pieces")

    def read_line(self, at: i64, path: str, rank: i64) -> i64:
        """Reads ``"t he"``; returns the byte behind it."""
        scratch = self._scratch
        scratch.truncate(0)
        stop = self.scanner.write_string(at, scratch)
        size: i64 = len(scratch)
        scratch.write(bytes(PADDING))
        line = scratch.getvalue()
        if line.startswith(b"#version"):
            self.left = -1
            return stop
        middle: i64 = line.find(b" ")
        if middle < 0 or line.find(b" ", middle + 1) >= 0:
            raise self.scanner.error(
                at, f"{path}[{rank}]", "a merge is two pieces with one space between them"
            )
        self.left = self._find(line, 0, middle, at, path, rank)
        self.right = self._find(line, middle + 1, size, at, path, rank)
        return stop

    def _piece(self, at: i64, path: str, rank: i64) -> i64:
        """Reads one piece into ``right``; returns the place of what stands behind it."""
        scanner = self.scanner
        data = scanner.data
        byte: i64 = data[at]
        if byte != QUOTE:
            raise scanner.error(at, f"{path}[{rank}]", "a piece was expected, in quotes")
        stop = at + 1
        byte = data[stop]
        while byte != QUOTE and byte != BACKSLASH:
            stop += 1
            byte = data[stop]
        if byte == QUOTE:
            self.right = self._find(data, at + 1, stop, at, path, rank)
            return skip_space(data, stop + 1)
        scratch = self._scratch
        scratch.truncate(0)
        stop = scanner.write_string(at, scratch)
        size: i64 = len(scratch)
        scratch.write(bytes(PADDING))
        self.right = self._find(scratch.getvalue(), 0, size, at, path, rank)
        return skip_space(data, stop)

    def _find(self, piece: bytes, start: i64, stop: i64, at: i64, path: str, rank: i64) -> i64:
        number = self.table.find(piece, start, stop, hash_of(piece, start, stop))
        if number < 0:
            text = piece[start:stop].decode("utf-8", "replace")
            raise self.scanner.error(
                at, f"{path}[{rank}]", f"this merges {text!r}, which is no piece of model.vocab"
            )
        return number


def serde_float(text: bytes) -> float | None:
    """Returns a number in JSON as serde_json reads it, None where it is none: all its digits as one integer, by a power of ten."""
    whole, _, power = text.lower().partition(b"e")
    if not text or (b"e" in text.lower() and not power.lstrip(b"+-").isdigit()):
        return None
    negative = whole.startswith(b"-")
    digits, point, fraction = whole[1 if negative else 0 :].partition(b".")
    if not digits.isdigit() or (point and not fraction.isdigit()):
        return None
    if len(digits) > 1 and digits.startswith(b"0"):
        return None
    exponent = 0
    if len(digits) + len(fraction) <= _MOST_DIGITS:
        significand = int(digits + fraction)
        exponent = -len(fraction)
    else:
        significand = 0
        full = False
        for index, digit in enumerate(digits + fraction):
            grown = significand * 10 + digit - 48
            full = full or grown > _LARGEST
            if not full:
                significand = grown
                exponent -= index >= len(digits)
            elif index < len(digits):
                exponent += 1
    if power:
        exponent += max(-100_000, min(int(power[:20]), 100_000))
    value = float(significand)
    while exponent < -308 and value:
        value /= 1e308
        exponent += 308
    if value and exponent > 308:
        return None
    if value:
        value = value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
    return -value if negative else value


def _opened(scanner: JsonScanner, span: Span, bracket: i64, what: str) -> i64:
    """Returns the first byte within the brackets of a value that must be of this kind."""
    byte: i64 = scanner.data[span.start]
    if byte != bracket:
        raise scanner.error(span.start, span.path, f"{what} was expected")
    return skip_space(scanner.data, span.start + 1)


def _next(scanner: JsonScanner, at: i64, closing: i64, path: str) -> i64:
    """Returns where the next element stands, or the closing bracket, behind an element that ends at ``at``."""
    data = scanner.data
    at = skip_space(data, at)
    byte: i64 = data[at]
    if byte == closing:
        return at
    if byte != COMMA:
        raise scanner.error(at, path, f"a comma or {chr(closing)!r} was expected")
    at = skip_space(data, at + 1)
    byte = data[at]
    if byte == closing:
        raise scanner.error(at, path, "something was expected behind the comma")
    return at


def _close(scanner: JsonScanner, path: str, table: SurfaceTable, places: vec[i32]) -> None:
    twice = table.close()
    if twice >= 0:
        raise scanner.error(
            i64(places[twice]), path, f"the piece {table.text(twice)!r} stands a second time"
        )


def _counted(data: bytes, start: i64, stop: i64, in_lists: bool) -> i64:
    """Returns how many merges there can be at most: so many brackets or lines."""
    if in_lists:
        return min(i64(data.count(b"[", start, stop)), MAX_IDS)
    return min(i64(data.count(b'",', start, stop)) + 1, MAX_IDS)


def _number_end(data: bytes, at: i64) -> i64:
    byte: i64 = data[at]
    while (byte >= 48 and byte <= 57) or byte == 45 or byte == 43 or byte == 46 or byte | 32 == 101:
        at += 1
        byte = data[at]
    return at
