"""The metadata of a GGUF file: names and values, read in parts from its beginning; the tensors after it are not read.

```
"GGUF", version: u32, tensors: u64, fields: u64, then for each field its name, a type: u32, and its value;
a text is its size: u64 and its bytes, a list is the type of its items: u32, their number: u64, and the items
```

The ``gguf`` package reads the same data. It creates several numpy arrays for each text: 7 s and 600 MB for the
128,000 entries and 280,000 merges of Llama 3, which take half a second here; and it trusts any number that it reads. A
file mapped into memory, as there, crashes the process if another program truncates it; one that is read does not.

Source: ``docs/gguf.md`` in ggml-org/ggml, and ``ggml/src/gguf.cpp``.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import BinaryIO, Final, final

from librt.strings import read_i64_le
from mypy_extensions import i64

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.plain_files import open_file
from tokenarium_core.vocabulary import MAX_IDS

MAGIC: Final = b"GGUF"
"""The first bytes of a file."""

_TEXT: Final = 8
_LIST: Final = 9
_FORMATS: Final = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
"""The types of numbers, as `struct` calls them."""

_VERSIONS: Final = (2, 3)
_PART: Final = 1 << 20
_LONGEST_NAME: Final = 65535
_MOST_FIELDS: Final = 1 << 16
_MOST_ITEMS: Final = 4 * MAX_IDS
_MOST_KEPT: Final = 1 << 28
"""The most bytes of all values together: more than those of any tokenizer."""

_KEPT: Final = ("general.", "tokenizer.")
_LEFT_OUT: Final = ("tokenizer.huggingface.json", "tokenizer.rwkv.world")
"""Fields that contain another complete tokenizer: nothing reads them, and they are large."""


@final
class GgufMetadata:
    """The fields of a file that begin with ``general.`` or ``tokenizer.``, by name; ``source`` is the file's name.

    A value is an int, float, bool or, for a text, bytes; a list has items of one of these kinds.
    """

    def __init__(self, source: str, values: dict[str, object]) -> None:
        self.source = source
        self.values = values

    def text(self, name: str) -> str:
        """Returns a text, empty if there is none; FormatError for another kind of value."""
        value = self.values.get(name)
        if value is None:
            return ""
        if not isinstance(value, bytes):
            raise self.wrong(name, "a text")
        return value.decode("utf-8", "replace")

    def number(self, name: str) -> int:
        """Returns a non-negative integer, -1 if there is none; FormatError for another kind of value."""
        value = self.values.get(name)
        if value is None:
            return -1
        if type(value) is not int or value < 0:
            raise self.wrong(name, "a non-negative whole number")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Returns a boolean, ``default`` if there is none; FormatError for another kind of value."""
        value = self.values.get(name)
        if value is None:
            return default
        if type(value) is not bool:
            raise self.wrong(name, "true or false")
        return value

    def texts(self, name: str) -> list[bytes]:
        """Returns a list of texts, empty if there is none; FormatError for another kind of value."""
        texts: list[bytes] = []
        for value in self._items(name):
            if not isinstance(value, bytes):
                raise self.wrong(name, "a list of texts")
            texts.append(value)
        return texts

    def whole_numbers(self, name: str) -> list[int]:
        """Returns a list of integers, empty if there is none; FormatError for another kind of value."""
        numbers: list[int] = []
        for value in self._items(name):
            if type(value) is not int:
                raise self.wrong(name, "a list of whole numbers")
            numbers.append(value)
        return numbers

    def scores(self, name: str) -> list[float]:
        """Returns a list of numbers, empty if there is none; FormatError for another kind of value."""
        scores: list[float] = []
        for value in self._items(name):
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                raise self.wrong(name, "a list of numbers")
            scores.append(float(value))
        return scores

    def wrong(self, name: str, wanted: str) -> FormatError:
        """Returns the error for a field that is not of the kind ``wanted``."""
        return FormatError(f"{self.source}: the field {name!r} is not {wanted}.")

    def _items(self, name: str) -> list[object]:
        value = self.values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return value


def read_metadata(path: Path) -> GgufMetadata:
    """Returns the metadata of a file.

    Raises NotAvailable if it cannot be read; FormatError, with the field and the byte, for one that is truncated,
    damaged, or of another version.
    """
    try:
        with open_file(path) as file:
            return GgufMetadata(path.name, _FileParts(file, path.name).fields())
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error


def metadata_sha256(path: Path) -> str:
    """Returns the SHA-256, in hexadecimal, of a file up to the end of its metadata; empty if that cannot be read."""
    try:
        with open_file(path) as file:
            parts = _FileParts(file, path.name)
            parts.fields(kept=())
            left = parts.before + parts.at
            digest = hashlib.sha256()
            file.seek(0)
            while left > 0:
                content = file.read(min(left, _PART))
                if not content:
                    return ""
                digest.update(content)
                left -= len(content)
            return digest.hexdigest()
    except (OSError, FormatError):
        return ""


@final
class _FileParts:
    """Reads a file from its beginning, one part at a time. ``field`` is the field being read."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        self.file = file
        self.source = source
        self.size: i64 = os.fstat(file.fileno()).st_size
        self.field = ""
        self.part = b""
        self.at: i64 = 0  # in the part
        self.before: i64 = 0  # bytes of the file before the part
        self.kept: i64 = 0  # bytes of values

    def fields(self, kept: tuple[str, ...] = _KEPT) -> dict[str, object]:
        """Returns the fields whose names begin as ``kept``, without `_LEFT_OUT`."""
        if self.take(4) != MAGIC:
            raise FormatError(
                f"{self.source} does not begin with 'GGUF': it is another kind of file."
            )
        version = self.number("I")
        if version not in _VERSIONS:
            if version & 0xFFFF == 0:
                raise FormatError(
                    f"{self.source} was written for machines that store the highest byte first, which this program"
                    " does not read."
                )
            raise FormatError(
                f"{self.source} has the version {version} of GGUF; this program reads 2 and 3, as llama.cpp does."
            )
        self.number("Q")  # tensors
        count = self.number("Q")
        if count > _MOST_FIELDS:
            raise self.error(f"it has {count:,} fields, more than any model")
        values: dict[str, object] = {}
        names: set[str] = set()
        for _ in range(count):
            self.field = ""
            size = self.length(_LONGEST_NAME)
            name = self.take(size).decode("utf-8", "replace")
            self.field = name
            if name in names:
                raise self.error("there are two of them")
            names.add(name)
            kind = self.number("I")
            if name.startswith(kept) and name not in _LEFT_OUT:
                values[name] = self.value(kind)
            else:
                self.skip(kind)
        return values

    def value(self, kind: int) -> object:
        """Returns the next value."""
        if kind == _TEXT:
            return self.text()
        if kind != _LIST:
            return self.scalar(self.format(kind))
        item = self.number("I")
        count = self.count(item)
        if item == _TEXT:
            return self.texts(count)
        format = self.format(item)
        size = struct.calcsize(f"<{format}") * count
        self.keep(size + 8 * count)
        return list(struct.unpack(f"<{count}{format}", self.take(size)))

    def skip(self, kind: int) -> None:
        """Skips the next value."""
        if kind == _TEXT:
            self.move(self.length(self.size))
        elif kind == _LIST:
            item = self.number("I")
            count = self.count(item)
            if item == _TEXT:
                self.skip_texts(count)
            else:
                self.move(struct.calcsize(f"<{self.format(item)}") * count)
        else:
            self.move(struct.calcsize(f"<{self.format(kind)}"))

    def skip_texts(self, count: i64) -> None:
        """Skips some texts, of which there may be hundreds of thousands."""
        left = count
        while left > 0:
            size: i64 = -1
            if self.at + 8 <= len(self.part):
                size = read_i64_le(self.part, self.at)
            if 0 <= size <= len(self.part) - self.at - 8:
                self.at += 8 + size
            else:
                self.move(self.length(self.size))
            left -= 1

    def count(self, item: int) -> int:
        """Returns the length of the list; FormatError if it cannot fit into the file."""
        count = self.number("Q")
        least = 8 if item == _TEXT else struct.calcsize(f"<{self.format(item)}")
        left: int = self.size - self.before - self.at  # a count may be larger than an i64
        if count > left // least:
            raise self.error(
                f"it has {count:,} items, and only {left:,} bytes are left of the file, which is cut off or damaged"
            )
        if count > _MOST_ITEMS:
            raise self.error(f"it has {count:,} items, more than any tokenizer")
        return count

    def texts(self, count: i64) -> list[bytes]:
        """Returns some texts one after another."""
        texts: list[bytes] = []
        left = count
        while left > 0:
            self.need(8)
            size = read_i64_le(self.part, self.at)
            self.check(size, self.size)
            self.at += 8
            texts.append(self.take(size))
            self.keep(size + 48)  # an object of Python each
            left -= 1
        return texts

    def text(self) -> bytes:
        """Returns the next text."""
        size = self.length(_MOST_KEPT)
        self.keep(size)
        return self.take(size)

    def length(self, most: i64) -> i64:
        """Returns the size of the next text, in bytes; FormatError for more than ``most``."""
        self.need(8)
        size = read_i64_le(self.part, self.at)
        self.check(size, most)
        self.at += 8
        return size

    def check(self, size: i64, most: i64) -> None:
        """Raises FormatError if a text of that size is too long for the file, or for any use."""
        left = self.size - self.before - self.at - 8
        if size < 0 or size > left:
            raise self.error(
                f"a text in it is longer than the {left:,} bytes that are left of the file, which is cut off or damaged"
            )
        if size > most:
            raise self.error(f"a text in it has {size:,} bytes, more than {most:,}")

    def number(self, format: str) -> int:
        """Returns the next unsigned number."""
        value = self.scalar(format)
        assert isinstance(value, int)
        return value

    def scalar(self, format: str) -> object:
        """Returns the next number or boolean."""
        value: object = struct.unpack(f"<{format}", self.take(struct.calcsize(f"<{format}")))[0]
        return value

    def format(self, kind: int) -> str:
        """Returns a type of numbers as `struct` calls it; FormatError for any other type."""
        found = _FORMATS.get(kind)
        if found is None:
            what = "a list of lists, which" if kind == _LIST else f"of type {kind}, which"
            raise self.error(f"it is {what} this program does not know")
        return found

    def keep(self, size: i64) -> None:
        """Counts the bytes of values; FormatError for more than any tokenizer has."""
        self.kept += size
        if self.kept > _MOST_KEPT:
            raise self.error(f"the fields up to here have more than {_MOST_KEPT >> 20} MiB")

    def take(self, size: i64) -> bytes:
        """Returns the next bytes."""
        self.need(size)
        start = self.at
        self.at += size
        return self.part[start : self.at]

    def need(self, size: i64) -> None:
        """Reads more, so that the part has this many more bytes."""
        if self.at + size <= len(self.part):
            return
        self.before += self.at
        if self.before + size > self.size:
            raise self.cut_off()
        parts = [self.part[self.at :]]
        had: i64 = len(self.part) - self.at
        self.at = 0
        while had < size:
            more = self.file.read(max(_PART, size - had))
            if not more:
                raise self.cut_off()
            parts.append(more)
            had += len(more)
        self.part = b"".join(parts)

    def move(self, size: i64) -> None:
        """Skips some bytes."""
        if self.at + size <= len(self.part):
            self.at += size
            return
        self.before += self.at + size
        if self.before > self.size:
            raise self.cut_off()
        self.file.seek(self.before)
        self.part = b""
        self.at = 0

    def cut_off(self) -> FormatError:
        """Returns the error for a file that ends too early."""
        where = f" in the field {self.field!r}" if self.field else ""
        return FormatError(
            f"{self.source} ends{where}, after {self.size:,} bytes: it is cut off. Download or copy it again."
        )

    def error(self, what: str) -> FormatError:
        """Returns the error for the field being read."""
        where = f"the field {self.field!r}" if self.field else "the list of fields"
        return FormatError(
            f"{self.source}: {where}, before byte {self.before + self.at:,}, is wrong: {what}."
        )
