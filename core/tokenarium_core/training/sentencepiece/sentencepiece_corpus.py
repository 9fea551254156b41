"""Reads a corpus as SentencePiece does: lines, normalized, cut into words and counted; then its alphabet.

Source: ``TrainerInterface::LoadSentences`` in google/sentencepiece's ``src/trainer_interface.cc``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from struct import pack, unpack
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.normalizers.plain_ascii import PlainAscii
from tokenarium_core.normalizers.sentencepiece_normalizer import MARK
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.merging.character_words import count_characters
from tokenarium_core.training.sentencepiece.piece_rules import (
    BOUNDARY,
    UNKNOWN_MARK,
    SentencePieceSplitter,
    as_mark,
)
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.trainer import CountSource
from tokenarium_core.training.word_counter import WordCounter

_NESTED: Final = 64  # SentencePiece tries this many symbols that are prefixes of one another
_RESERVED: Final = chr(UNKNOWN_MARK).encode()
_BLOCK_ELEMENTS: Final = MARK[:2]  # the first byte of the mark, and the reserved character
_BOUNDARY: Final = bytes([BOUNDARY])
_LINES: Final = 1000  # of a sample that are normalized at a time
_SEED: Final = 1
_WORD: Final = (1 << 64) - 1


@final
class SentencePieceCorpus:
    """A corpus to be turned into counted words: call ``advance`` until it returns false, then read the ``alphabet``.

    Each line of a text or file is one sentence. The words in ``counter`` have a space for each ``▁``,
    and are split as finely as `SentencePieceSplitter` can, so that no piece crosses one. Each control or user-defined
    symbol, and each delimiter, becomes a word of one `BOUNDARY`.

    ``too_long`` and ``reserved`` are how many lines were skipped because of their length, and
    because they contain the character that SentencePiece reserves.
    """

    def __init__(
        self,
        training: SentencePieceTraining,
        texts: Iterable[str],
        files: Sequence[str | os.PathLike[str]],
    ) -> None:
        self.training = training
        self.too_long: int = 0
        self.reserved: int = 0
        normalizer = training.normalizer
        rules = training.rules
        self._splitter = SentencePieceSplitter(rules, normalizer.prefix)
        self.counter = WordCounter(self._splitter)
        self.reader = CorpusReader(texts, files)
        symbols = [symbol.replace("▁", " ") for symbol in training.symbols if " " not in symbol]
        self._matcher = PrefixMatcher(
            [symbol.encode() for symbol in symbols], list(range(len(symbols))), _NESTED
        )
        self._delimiter = training.pretokenization_delimiter.replace("▁", " ").encode()
        # Whether spaces can be normalized while cutting, and lines of plain ASCII stay unchanged.
        self._simple = (
            rules.by_whitespace
            and not rules.space_behind
            and normalizer.keeps_ascii
            and normalizer.keeps_spaces
            and not any(" " in symbol or "▁" in symbol for symbol in training.symbols)
            and b" " not in self._delimiter
        )
        self._ascii = PlainAscii()
        self._seen: int = 0  # lines that could be trained on, if not all of them are
        self._sample: list[bytes] = []
        self._taken: int = 0  # lines of it that were counted
        self._random: int = _SEED
        self._block = ZEROS  # lines that are being counted
        self._at: i64 = 0
        self.character_count: int = 0  # known together with the alphabet
        self._stop: i64 = 0

    def advance(self) -> bool:
        """Does about a millisecond of work (more if there is much to normalize); returns whether any is left."""
        if self._at < self._stop:
            self._at = self.counter.add_block(self._block, self._at, self._stop, self._stop)
            return True
        reader = self.reader
        end = reader.lines_end()
        sample_size = self.training.input_sentence_size
        if end > reader.start:
            lines = reader.data[reader.start : end]
            reader.start = end
            if sample_size:
                self._choose(lines)
                return True
        elif (self._seen < sample_size or self._shuffles or not sample_size) and reader.read():
            return True
        elif self._taken < len(self._sample):
            lines = b"\n".join(self._sample[self._taken : self._taken + _LINES])
            self._taken += _LINES
        else:
            return False
        self._block = self._prepared(lines)
        self._at = 0
        self._stop = len(self._block) - PADDING
        return True

    def take(self, words: WordCounter, source: CountSource) -> None:
        """Uses counted words instead of a corpus with texts."""
        self.counter = words
        self.too_long = source.too_long
        self.reserved = source.reserved

    @property
    def _shuffles(self) -> bool:
        return self.training.input_sentence_size > 0 and self.training.shuffle_input_sentence

    def _choose(self, lines: bytes) -> None:
        """Adds lines to the sample: the first ones, or with equal probability for all (Vitter's algorithm R)."""
        sample_size = self.training.input_sentence_size
        lines = self._not_too_long(lines)
        if _BLOCK_ELEMENTS in lines:
            lines = self._not_reserved(lines)
        for line in lines.split(b"\n"):
            if not line:
                continue
            self._seen += 1
            if len(self._sample) < sample_size and self._seen <= sample_size:
                self._sample.append(line)
            elif self._shuffles:
                # A linear congruential generator (Knuth's MMIX); its upper bits are the random ones.
                self._random = (self._random * 6364136223846793005 + 1442695040888963407) & _WORD
                place = (self._random >> 16) % self._seen
                if place < sample_size:
                    self._sample[place] = line

    @property
    def left_out(self) -> str:
        """One message for each reason why lines were skipped, empty if none were."""
        parts: list[str] = []
        if self.too_long:
            parts.append(
                f"{self.too_long:,} lines of more than {self.training.max_sentence_length:,} bytes were left out."
            )
        if self.reserved:
            parts.append(
                f"{self.reserved:,} lines with the character U+2585, which SentencePiece reserves, were left out."
            )
        return " ".join(parts)

    def alphabet(self) -> list[tuple[int, int]]:
        """Returns the characters that are to be pieces: code points (a space for ``▁``) and how often each occurs.

        The most frequent comes first, and among equal ones the smaller code point. They are the required characters,
        and as many others as cover the requested share of the corpus; all, if they are chosen later
        (``auto_character_coverage``).

        Raises TokenariumError if the corpus has no characters.
        """
        counts = count_characters(self.counter)
        self.character_count = sum(counts.values())
        total = self.character_count - counts.pop(0, 0)
        if total == 0:
            raise TokenariumError("The corpus has no text to train on: choose another.")
        counts.pop(UNKNOWN_MARK, None)
        required = self.training.required_codes
        for code in required:
            counts.setdefault(code, 0)
        ranked = sorted(
            counts, key=lambda code: (code not in required, -counts[code], as_mark(code))
        )
        training = self.training
        coverage = 2.0 if training.auto_character_coverage else _single(training.character_coverage)
        covered = 0
        chosen: list[int] = []
        for code in ranked:
            if _single(covered / total) >= coverage:
                break
            covered += counts[code]
            if code != BOUNDARY:
                chosen.append(code)
        chosen.sort(key=lambda code: (-counts[code], as_mark(code)))
        return [(code, counts[code]) for code in chosen]

    def _prepared(self, lines: bytes) -> bytes:
        """Returns some lines with boundaries for symbols, padded; normalized except for what splitting does."""
        lines = self._not_too_long(lines)
        simple = self._simple
        if _BLOCK_ELEMENTS in lines:
            lines = self._not_reserved(lines)
            simple = simple and MARK not in lines
        normalizer = self.training.normalizer
        self._splitter.squeeze = simple and normalizer.squeeze
        if not simple:
            lines = b"\n".join([self._normalized(line) for line in lines.split(b"\n") if line])
            data = b"\n" + lines + ZEROS
        else:
            if not normalizer.squeeze:
                while b"\n\n" in lines:
                    lines = lines.replace(b"\n\n", b"\n")
                lines = lines.strip(b"\n")
            has_lines = (
                len(lines) > 0
            )  # one may become empty: SentencePiece still puts its space before it
            if normalizer.charsmap is not None:
                lines = self._partly_normalized(lines)
            start = b"\n " if normalizer.prefix else b"\n"
            if normalizer.prefix:
                lines = lines.replace(b"\n", start)
            data = start + lines + ZEROS if has_lines else ZEROS
        data = self._without_symbols(data)
        return data.replace(self._delimiter, _BOUNDARY) if self._delimiter else data

    def _not_too_long(self, lines: bytes) -> bytes:
        longest = self.training.max_sentence_length
        if longest > 0 and len(lines) > longest:
            remaining = [line for line in lines.split(b"\n") if len(line) <= longest]
            self.too_long += lines.count(b"\n") + 1 - len(remaining)
            lines = b"\n".join(remaining)
        return lines

    def _not_reserved(self, lines: bytes) -> bytes:
        """Returns the lines that do not contain the reserved character."""
        if _RESERVED in lines:
            remaining = [line for line in lines.split(b"\n") if _RESERVED not in line]
            self.reserved += lines.count(b"\n") + 1 - len(remaining)
            lines = b"\n".join(remaining)
        return lines

    def _normalized(self, line: bytes) -> bytes:
        data = self.training.normalizer.normalize_plain(line + ZEROS)
        return data[: len(data) - PADDING]

    def _partly_normalized(self, lines: bytes) -> bytes:
        """Returns lines, normalized where they go beyond plain ASCII, but with no space added before any."""
        size: i64 = len(lines)
        place = self._ascii.lines_end(lines, 0, size)
        if place == size:
            return lines
        parts: list[bytes] = []
        at: i64 = 0
        while place < size:
            begin: i64 = max(lines.rfind(b"\n", at, place) + 1, at)
            end: i64 = lines.find(b"\n", place)
            if end < 0:
                end = size
            parts.append(lines[at:begin])
            line = self._normalized(lines[begin:end])
            parts.append(line[1:] if self.training.normalizer.prefix else line)
            at = end
            place = self._ascii.lines_end(lines, at, size)
        parts.append(lines[at:])
        return b"".join(parts)

    def _without_symbols(self, data: bytes) -> bytes:
        """Returns padded lines with a boundary in place of each control or user-defined symbol."""
        matcher = self._matcher
        stop: i64 = len(data) - PADDING
        at: i64 = 0
        matches = matcher.find(data, 0, stop)
        if matches == stop:
            return data
        parts: list[bytes] = []
        while matches < stop:
            parts.append(data[at:matches])
            parts.append(_BOUNDARY)
            at = matches + matcher.length
            matches = matcher.find(data, at, stop)
        parts.append(data[at:])
        return b"".join(parts)


def _single(number: float) -> float:
    """Returns a number as SentencePiece compares it, in 32 bits."""
    rounded: float = unpack("f", pack("f", number))[0]
    return rounded
