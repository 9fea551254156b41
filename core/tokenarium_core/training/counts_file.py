"""The file of counted words: written from a table or from other files, read in blocks that are checked.

All numbers are little-endian:

| bytes | what |
|---|---|
| 8 | ``TOKCOUNT`` |
| 4 | the version, 1 |
| 4 | the size of the header, at most `MOST_HEADER` |
| … | the header: JSON in UTF-8, with the family of algorithms, the options of counting and the totals |
| 4 | zlib's CRC-32 of all bytes before |
| … | blocks |

A block begins with 20 bytes: its kind (4: `WORDS`, `REGIONS` or `END`), its rows (4), the bytes of their text (8), and
the CRC-32 of these 16 bytes and of what follows (4): the count of each row (8), the length of each (4), then the texts
one after another. Rows are sorted by their bytes, over all blocks of a kind, and each occurs once; words come before
regions. The last block is of the kind `END` and has two rows: the numbers of words and of regions, as counts, with no
text and lengths of 0. Nothing follows it.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
from pathlib import Path
from typing import Any, Final, final
from zlib import crc32

from librt.strings import (
    BytesWriter,
    read_i32_le,
    read_i64_be,
    read_i64_le,
    write_i32_le,
    write_i64_le,
)
from mypy_extensions import i32, i64

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.plain_files import open_file
from tokenarium_core.training.word_counter import WordCounter
from tokenarium_core.whole_files import WholeFile

MAGIC: Final = b"TOKCOUNT"
VERSION: Final = 1
WORDS: Final = 1
REGIONS: Final = 2
END: Final = 3
MOST_HEADER: Final = 1 << 20
_ROWS: Final = 1 << 15  # of a block at most
_TEXT: Final = 1 << 20  # bytes of a block that is full
_HEAD: Final = 20
_FIRST: Final = 16  # bytes before the header
_LARGEST: Final = 0x3FFFFFFFFFFFFFFF
_RESIDENT: Final = 1 << 22  # bytes of a mapped file that are read before their memory is released


@final
class CountsWriter:
    """Writes a file of counts: `add` rows in order, `end_section` after each kind, `finish`; or `drop`."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        content = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
        if len(content) > MOST_HEADER:
            raise FormatError(
                f"The options of the counts take {len(content):,} bytes, more than the {MOST_HEADER:,} that their file"
                " can hold: name fewer special tokens."
            )
        head = MAGIC + struct.pack("<II", VERSION, len(content)) + content
        self._file = WholeFile(path)
        self._kind: i64 = WORDS
        self._counts = BytesWriter()
        self._lengths = BytesWriter()
        self._text = BytesWriter()
        self._rows: i64 = 0
        self._written: i64 = 0  # rows of this kind
        self._words: i64 = 0
        self._file.write(head + struct.pack("<I", crc32(head)))

    def add(self, data: bytes, at: i64, size: i64, count: i64) -> None:
        """Adds a row: the text ``data[at:at + size]``, padded."""
        text = self._text
        end: i64 = len(text) + size
        done: i64 = 0
        while done < size:
            write_i64_le(text, read_i64_le(data, at + done))
            done += 8
        text.truncate(end)
        self._note(size, count)

    def add_all(self, counter: WordCounter) -> None:
        """Adds all words of a counter."""
        for slot in counter.slots_by_bytes():
            text = self._text
            end: i64 = len(text)
            size = counter.write_units(i64(slot), text)
            text.truncate(end + size)
            self._note(size, counter.count_of(i64(slot)))

    def _note(self, size: i64, count: i64) -> None:
        write_i64_le(self._counts, count)
        write_i32_le(self._lengths, i32(size))
        self._rows += 1
        if self._rows == _ROWS or i64(len(self._text)) >= _TEXT:
            self._write(self._kind)

    def _write(self, kind: i64) -> None:
        """Writes the collected rows as a block."""
        text = self._text.getvalue()
        head = struct.pack("<IIQ", int(kind), int(self._rows), len(text))
        body = self._counts.getvalue() + self._lengths.getvalue() + text
        check = crc32(body, crc32(head))
        self._file.write(head + struct.pack("<I", check))
        self._file.write(body)
        self._written += self._rows
        self._rows = 0
        self._counts = BytesWriter()
        self._lengths = BytesWriter()
        self._text = BytesWriter()

    def end_section(self) -> None:
        """Ends the words, so that regions follow."""
        if self._rows > 0:
            self._write(self._kind)
        self._words = self._written
        self._written = 0
        self._kind = REGIONS

    def finish(self) -> None:
        """Ends the regions, and gives the file its name."""
        if self._rows > 0:
            self._write(self._kind)
        regions = self._written
        for count in (self._words, regions):
            write_i64_le(self._counts, count)
            write_i32_le(self._lengths, 0)
        self._rows = 2
        self._write(END)
        self._file.finish()

    def drop(self) -> None:
        """Discards the file, unless it is finished."""
        self._file.drop()


@final
class CountsFile:
    """A file of counts, mapped into memory: its ``header``, and its blocks, each of which is checked when it is read.

    Raises FormatError for a file of another kind or version, or with an invalid header; NotAvailable for one that
    cannot be read. `check` reads all of it once: then ``words`` and ``regions`` are their numbers, ``total`` and
    ``byte_count`` all words and their bytes, and ``region_total`` all regions.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.words: i64 = 0
        self.regions: i64 = 0
        self.total: i64 = 0
        self.byte_count: i64 = 0
        self.region_total: i64 = 0
        self._resident: i64 = 0  # bytes read since the last `release`
        try:
            with open_file(self.path) as file:
                self.size: i64 = os.fstat(file.fileno()).st_size
                if self.size < _FIRST:
                    raise self.fault("it is too short for counts", self.size)
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be read: {error.strerror or error}.") from error
        self.header = self._header()

    def fault(self, what: str, offset: i64) -> FormatError:
        """Returns the error for invalid data at a byte."""
        return FormatError(
            f"{self.path} has no valid counts: {what}, at byte {offset:,}. Count the corpus again, or copy the"
            " file again."
        )

    def _header(self) -> dict[str, Any]:
        head = self._map[:_FIRST]
        if head[:8] != MAGIC:
            raise FormatError(
                f"{self.path} is not a file of counts: it does not begin with {MAGIC.decode()}. Make one with"
                " “tokenarium count”."
            )
        version, size = struct.unpack("<II", head[8:])
        if version != VERSION:
            raise FormatError(
                f"{self.path} has counts of version {version:,}, and this program reads version {VERSION}:"
                " count the corpus again."
            )
        if size > MOST_HEADER or _FIRST + size + 4 > self.size:
            raise self.fault(f"the header is said to have {size:,} bytes", 12)
        content = self._map[_FIRST : _FIRST + size]
        (check,) = struct.unpack("<I", self._map[_FIRST + size : _FIRST + size + 4])
        if crc32(content, crc32(head)) != check:
            raise self.fault("the checksum of the header does not fit", _FIRST)
        self.first: i64 = _FIRST + size + 4
        try:
            header = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self.fault("the header is not JSON", _FIRST) from error
        if not isinstance(header, dict):
            raise self.fault("the header is not a JSON object", _FIRST)
        return header

    def block(self, at: i64) -> tuple[int, int, int, bytes]:
        """Returns the kind and the rows of the block at a byte, the bytes of its text, and its body, padded."""
        if at + _HEAD > self.size:
            raise self.fault("it ends before its last block", self.size)
        head = self._map[at : at + _HEAD]
        kind, rows, size, check = struct.unpack("<IIQI", head)
        if kind not in (WORDS, REGIONS, END):
            raise self.fault(f"a block is of the unknown kind {kind:,}", at)
        if rows == 0 or 12 * rows + size > self.size - at - _HEAD:
            raise self.fault(f"a block is said to have {rows:,} rows and {size:,} bytes", at)
        body = self._map[at + _HEAD : at + _HEAD + 12 * rows + size]
        self._resident += len(body)
        if self._resident > _RESIDENT:
            self.release()
        if crc32(body, crc32(head[:16])) != check:
            raise self.fault("the checksum of a block does not fit", at)
        return kind, rows, size, body + ZEROS

    def release(self) -> None:
        """Lets go of the memory of what was read, where the system allows it: it counts as the process's own."""
        self._resident = 0
        if sys.platform != "win32":
            self._map.madvise(mmap.MADV_DONTNEED)

    def check(self) -> None:
        """Reads the whole file; FormatError if anything is invalid."""
        words = CountsReader(self, WORDS, 0)
        while words.next_row():
            pass
        regions = CountsReader(self, REGIONS, words.at)
        while regions.next_row():
            pass
        self.words = words.rows
        self.total = words.total
        self.byte_count = words.byte_count
        self.regions = regions.rows
        self.region_total = regions.total
        regions.check_end(self.words, self.regions)
        self.release()


@final
class CountsReader:
    """The rows of one kind in order: `next_row` until it returns False.

    A row is ``data[start:start + size]``, padded, and occurs ``count`` times. ``at`` is the byte after the blocks read
    so far. A block is checked as a whole when its first row is read; FormatError if it is invalid.
    """

    def __init__(self, file: CountsFile, kind: i64, at: i64) -> None:
        self.at: i64 = max(at, file.first)
        self.data: bytes = ZEROS
        self.start: i64 = 0
        self.size: i64 = 0
        self.count: i64 = 0
        self.rows: i64 = 0  # that were read
        self.total: i64 = 0  # of the counts in the blocks that were read
        self.byte_count: i64 = 0  # of their texts, as often as they occur
        self._file = file
        self.kind: i64 = kind
        self._row: i64 = 0
        self._in_block: i64 = 0
        self._behind: i64 = 0  # the end of the last row in ``data``

    def next_row(self) -> bool:
        """Moves to the next row; false after the last one."""
        row = self._row
        if row == self._in_block:
            if not self._next_block():
                return False
            row = 0
        data = self.data
        size = i64(read_i32_le(data, 8 * self._in_block + 4 * row))
        self.start = self._behind
        self._behind += size
        self.size = size
        self.count = read_i64_le(data, 8 * row)
        self._row = row + 1
        self.rows += 1
        return True

    def _next_block(self) -> bool:
        """Reads the next block, if it is of this kind, and checks its rows."""
        file = self._file
        before = self.data[self.start : self.start + self.size] + ZEROS
        kind, rows, size, data = file.block(self.at)
        if kind != self.kind:
            return False
        at = self.at
        self._in_block = rows
        text: i64 = 12 * i64(rows)
        stop = text + size
        total = self.total
        byte_count = self.byte_count
        place = text
        row: i64 = 0
        last: i64 = 0
        while row < rows:
            length = i64(read_i32_le(data, 8 * self._in_block + 4 * row))
            count = read_i64_le(data, 8 * row)
            if length <= 0 or length > stop - place:
                raise file.fault(f"row {row:,} of a block has the length {length:,}", at)
            if count <= 0 or count > (_LARGEST - byte_count) // length:
                raise file.fault(f"row {row:,} of a block has the count {count:,}", at)
            total += count
            byte_count += count * length
            byte: i64 = data[place]
            if byte & 0xC0 == 0x80:
                raise file.fault(f"row {row:,} of a block begins inside a character", at)
            if row > 0:
                if not precedes(data, place - last, last, data, place, length):
                    raise file.fault(f"row {row:,} of a block is not in its order", at)
            elif self.rows > 0 and not precedes(before, 0, self.size, data, place, length):
                raise file.fault("a block is not in its order", at)
            place += length
            last = length
            row += 1
        if place != stop:
            raise file.fault("the lengths of a block do not add up", at)
        if not data.isascii() and not _is_utf8(data[text:stop]):
            raise file.fault("a block has bytes that are not UTF-8", at)
        self.data = data
        self.total = total
        self.byte_count = byte_count
        self.at = at + _HEAD + text + size
        self._row = 0
        self._behind = text
        return True

    def check_end(self, words: i64, regions: i64) -> None:
        """Raises FormatError unless the block after the last row ends the file, and says how many rows it has."""
        file = self._file
        kind, rows, size, data = file.block(self.at)
        if kind != END:
            raise file.fault("words come after regions", self.at)
        if (
            rows != 2
            or size != 0
            or read_i64_le(data, 0) != words
            or read_i64_le(data, 8) != regions
            or data[16:24] != ZEROS[:8]
        ):
            raise file.fault(
                f"it has {words:,} words and {regions:,} regions, not what its end says", self.at
            )
        if self.at + _HEAD + 24 != file.size:
            raise file.fault("more follows its end", self.at + _HEAD + 24)


def precedes(data: bytes, at: i64, size: i64, other: bytes, place: i64, length: i64) -> bool:
    """Returns whether ``data[at:at + size]`` is before ``other[place:place + length]``, by bytes; both are padded."""
    shared = min(size, length)
    done: i64 = 0
    while done < shared:
        left = read_i64_be(data, at + done)
        right = read_i64_be(other, place + done)
        rest = shared - done
        if rest < 8:
            left >>= 64 - 8 * rest
            right >>= 64 - 8 * rest
        if left != right:
            # As numbers without a sign: of two with different signs the negative one is larger.
            return left < right if (left < 0) == (right < 0) else right < 0
        done += 8
    return size < length


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def merge_rows(readers: list[CountsReader], writer: CountsWriter) -> None:
    """Merges the sorted rows of several files, adding the counts of equal ones.

    It holds one block of each file in memory. FormatError if the counts become too large.
    """
    heap = [reader for reader in readers if reader.next_row()]
    size: i64 = len(heap)
    at = size // 2 - 1
    while at >= 0:
        _sift(heap, at, size)
        at -= 1
    byte_count: i64 = 0
    while size > 0:
        first = heap[0]
        data = first.data
        start = first.start
        length = first.size
        count: i64 = 0
        while size > 0:
            top = heap[0]
            if top.size != length or precedes(data, start, length, top.data, top.start, length):
                break
            if top.count > (_LARGEST - byte_count) // length - count:
                raise FormatError("The counts of all files together are too large for one file.")
            count += top.count
            if not top.next_row():
                size -= 1
                heap[0] = heap[size]
            _sift(heap, 0, size)
        writer.add(data, start, length, count)
        byte_count += count * length


def _sift(heap: list[CountsReader], at: i64, size: i64) -> None:
    """Sifts a reader down in ``heap[:size]`` until its row is before those below it."""
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and _before(heap[child + 1], heap[child]):
            child += 1
        if not _before(heap[child], heap[at]):
            return
        sunk = heap[at]
        heap[at] = heap[child]
        heap[child] = sunk
        at = child


def _before(one: CountsReader, other: CountsReader) -> bool:
    return precedes(one.data, one.start, one.size, other.data, other.start, other.size)
