"""The repair of a GGUF file that names another pattern than its model's: a copy with the right name.

The fields and the list of tensors are read in parts; the tensors are copied as they are, at the alignment that the file
names. Source: ``docs/gguf.md`` in ggml-org/ggml.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Level
from tokenarium.models.diagnosis.diagnosis_gguf import other_file
from tokenarium.models.mending.repair import Repair
from tokenarium.resources.samples_index import load_samples
from tokenarium_core.formats.gguf.gguf_cuts import CUTS
from tokenarium_core.plain_files import open_file

PRE: Final = b"tokenizer.ggml.pre"
"""The field that names the pattern."""

GGUF: Final = "gguf"
_ALIGNMENT: Final = b"general.alignment"
_USUAL_ALIGNMENT: Final = 32
_NUMBER, _TEXT, _LIST = struct.pack("<I", 4), 8, 9
_SIZES: Final = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_PART: Final = 1 << 20


def pattern_repairs(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    """Yields the repair: the first name of a pattern with which all samples have the ids of the model's own tokenizer."""
    if finding.level is not Level.WRONG_IDS:
        return
    other = other_file(tokenizer)
    name = pattern_like(tokenizer, other[0]) if other is not None else ""
    if other is None or not name:
        return
    said = (
        f"Writes the name “{name}” into the field {PRE.decode()}: all samples then have the ids of {other[1]}. The tensors"
        " stay as they are."
    )
    yield Repair(finding.id, finding.id, f"Split by the pattern “{name}”", said, pattern=name)


def pattern_like(tokenizer: tc.Tokenizer, other: tc.Tokenizer) -> str:
    """Returns the name of a pattern with which a GGUF file gives the ids of another tokenizer; empty if there is none."""
    texts = [sample.text() for sample in load_samples()]
    expected = [other.encode_ids(text) for text in texts]
    names = {id(cuts): name for name, cuts in reversed(CUTS.items())}
    for name in reversed(names.values()):
        try:
            mended = with_pattern(tokenizer, name)
            if all(mended.encode_ids(text) == ids for text, ids in zip(texts, expected, strict=True)):  # fmt: skip
                return name
        except tc.TokenariumError:  # not every pattern suits every kind of vocabulary
            continue
    return ""


def with_pattern(tokenizer: tc.Tokenizer, name: str) -> tc.Tokenizer:
    """Returns the tokenizer of a GGUF file as another name of the pattern makes it; the tensors are not read."""
    path = Path(tokenizer.source.path)
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(_Header(path, name).without_tensors())
        return tc.open(copy)


def mended_gguf(path: Path, name: str) -> Iterator[bytes]:
    """Yields the bytes of a GGUF file with another name of the pattern; NotAvailable if it cannot be read."""
    try:
        header = _Header(path, name)
        yield from header.whole()
    except OSError as error:
        raise tc.NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from None


class _Header:
    """The beginning of a file, up to its tensors, with another value of the field `PRE`."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        with open_file(path) as file:
            self._file: BinaryIO = file
            self._end = os.fstat(file.fileno()).st_size
            self._read_whole(name.encode())

    def _read_whole(self, name: bytes) -> None:
        magic, version = self._take(4), self._take(4)
        if magic != b"GGUF" or struct.unpack("<I", version)[0] not in (2, 3):
            raise tc.FormatError(f"{self.path.name} is no GGUF file of version 2 or 3.")
        self.begin = magic + version
        self.tensors, count = struct.unpack("<QQ", self._take(16))
        alignment, found = _USUAL_ALIGNMENT, False
        self.fields: list[bytes] = []
        written = _text(PRE) + struct.pack("<I", _TEXT) + _text(name)
        for _ in range(count):
            key = self._string()
            kind = self._take(4)
            value = self._value(struct.unpack("<I", kind)[0])
            if key[8:] == _ALIGNMENT:
                alignment = struct.unpack("<I", value)[0] if kind == _NUMBER else 0
                if alignment.bit_count() != 1:
                    raise tc.FormatError(f"{self.path.name} aligns its tensors to no power of two.")
            if key[8:] == PRE:
                found = True
                self.fields.append(written)
            else:
                self.fields.append(key + kind + value)
        if not found:
            self.fields.append(written)
        infos = []
        for _ in range(self.tensors):
            key, dimensions = self._string(), self._take(4)
            rest = self._take(8 * struct.unpack("<I", dimensions)[0] + 12)
            infos.append(key + dimensions + rest)
        self.infos = b"".join(infos)
        self.alignment = alignment
        self.data = -(-self._file.tell() // alignment) * alignment
        if self.tensors and self.data > self._end:
            raise tc.FormatError(f"{self.path.name} is cut off.")

    def without_tensors(self) -> bytes:
        """Returns a file that has only the fields."""
        return self.begin + struct.pack("<QQ", 0, len(self.fields)) + b"".join(self.fields)

    def whole(self) -> Iterator[bytes]:
        """Yields the whole file in parts; the tensors are copied."""
        head = self.begin + struct.pack("<QQ", self.tensors, len(self.fields))
        head += b"".join(self.fields) + self.infos
        yield head + b"\0" * (-len(head) % self.alignment)
        with open_file(self.path) as file:
            file.seek(self.data)
            while part := file.read(_PART):
                yield part

    def _take(self, size: int) -> bytes:
        data = self._file.read(size) if size <= self._end else b""  # a wrong size is not allocated
        if len(data) < size:
            raise tc.FormatError(f"{self.path.name} is cut off.")
        return data

    def _string(self) -> bytes:
        """Returns a text with its size."""
        size = self._take(8)
        return size + self._take(struct.unpack("<Q", size)[0])

    def _value(self, kind: int) -> bytes:
        """Returns a value as it is in the file."""
        if kind == _TEXT:
            return self._string()
        if kind != _LIST:
            return self._take(self._size(kind))
        head = self._take(12)
        item, count = struct.unpack("<IQ", head)
        if item == _TEXT:
            return head + b"".join([self._string() for _ in range(count)])
        return head + self._take(self._size(item) * count)

    def _size(self, kind: int) -> int:
        if kind not in _SIZES:
            raise tc.FormatError(f"{self.path.name} has a field of an unknown type.")
        return _SIZES[kind]


def _text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value
