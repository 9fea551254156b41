"""Reading ``model.merges`` of a `tokenizer.json` in place: hundreds of thousands of pairs of pieces.

Source: huggingface/tokenizers, ``models/bpe/serialization.rs``.
"""

from __future__ import annotations

from typing import final

from librt.strings import BytesWriter
from mypy_extensions import i64

from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.formats.hf.surface_table import SurfaceTable, hash_of
from tokenarium_core.formats.json_scanner import (
    BACKSLASH,
    CLOSE_LIST,
    COMMA,
    OPEN_LIST,
    QUOTE,
    JsonScanner,
    Span,
    skip_space,
)
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.vocabulary import MAX_IDS


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
    at = scanner.enter(span, OPEN_LIST, "a list of merges")
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
                    f"{table.text(left)!r} and {table.text(right)!r} merge into what is no entry of model.vocab",
                )
            if rank == MAX_IDS or not merges.set(
                rank, i64(ids[left]), i64(ids[right]), i64(ids[result])
            ):
                what = f"{table.text(left)!r} and {table.text(right)!r} merge a second time"
                if rank == MAX_IDS:
                    what = f"there are more than the {MAX_IDS:,} merges that this program holds"
                raise scanner.error(start, f"{path}[{rank}]", what)
            rank += 1
        at = scanner.following(at, CLOSE_LIST, path)
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
        raise self.scanner.error(at, f"{path}[{rank}]", "a merge is a list of two entries")

    def read_line(self, at: i64, path: str, rank: i64) -> i64:
        """Reads ``"t he"``; returns the byte behind it."""
        scratch = self._scratch
        scratch.truncate(0)
        stop = self.scanner.write_string(at, scratch)
        size: i64 = len(scratch)
        scratch.write(ZEROS)
        line = scratch.getvalue()
        if line.startswith(b"#version"):
            self.left = -1
            return stop
        middle: i64 = line.find(b" ")
        if middle < 0 or line.find(b" ", middle + 1) >= 0:
            raise self.scanner.error(
                at, f"{path}[{rank}]", "a merge is two entries with one space between them"
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
            raise scanner.error(at, f"{path}[{rank}]", "an entry was expected, in quotes")
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
        scratch.write(ZEROS)
        self.right = self._find(scratch.getvalue(), 0, size, at, path, rank)
        return skip_space(data, stop)

    def _find(self, piece: bytes, start: i64, stop: i64, at: i64, path: str, rank: i64) -> i64:
        number = self.table.find(piece, start, stop, hash_of(piece, start, stop))
        if number < 0:
            text = piece[start:stop].decode("utf-8", "replace")
            raise self.scanner.error(
                at, f"{path}[{rank}]", f"this merges {text!r}, which is no entry of model.vocab"
            )
        return number


def _counted(data: bytes, start: i64, stop: i64, in_lists: bool) -> i64:
    """Returns how many merges there can be at most: so many brackets or lines."""
    if in_lists:
        return min(i64(data.count(b"[", start, stop)), MAX_IDS)
    return min(i64(data.count(b'",', start, stop)) + 1, MAX_IDS)
