"""Turning a path into ids: adjacent unknown characters are one token, or bytes.

Sources: sentencepiece's ``src/sentencepiece_processor.cc`` (bytes for each unknown character, or one token for a
run of them); tokenizers' ``models/unigram/model.rs`` (the run is looked up, and falls back, as a whole).
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.models.unigram.unigram_scores import SENTENCEPIECE, UnigramScores
from tokenarium_core.trace import BYTE_FALLBACK, PIECE, Trace
from tokenarium_core.trace import UNKNOWN as UNKNOWN_EVENT
from tokenarium_core.vocabulary import BYTE, SPACE_MARK, Vocabulary

_MARK: Final = b"\xe2\x96\x81"  # a space in the reference


@final
class UnigramWriter:
    """Writes ids, and records where unknown characters were.

    ``run`` is the first byte of a run of unknown characters that is not written yet, -1 if there is none.
    ``in_bytes``: unknown characters become bytes one by one (sentencepiece with byte fallback).
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        scores: UnigramScores,
        unknown_id: i64,
        byte_fallback: bool,
        rules: i64,
    ) -> None:
        self.run: i64 = -1
        self.in_bytes = byte_fallback and rules == SENTENCEPIECE
        self.noted_data = b""  # the text that the notes are about, if there are any
        self._vocabulary = vocabulary
        self._scores = scores
        self._unknown_id: i64 = unknown_id
        self._byte_fallback = byte_fallback
        self._per_character = rules == SENTENCEPIECE
        self._marked = vocabulary.spelling == SPACE_MARK
        self._notes = vec[i32]([0] * 96)  # what became of unknown characters: start, stop, ids
        self._noted: i64 = 0
        self.byte_ids = vec[i32]([-1] * 256)
        for token in range(vocabulary.count):
            if i64(vocabulary.kinds[token]) == BYTE:
                byte: i64 = vocabulary.arena[vocabulary.offsets[token]]
                self.byte_ids[byte] = i32(token)

    def start_notes(self) -> None:
        """Resets the unknown characters: `locate` refers to what is written next."""
        self._noted = 0
        self.noted_data = b""

    def write_pieces(
        self,
        path: vec[i32],
        path_stops: vec[i32],
        pieces: i64,
        data: bytes,
        start: i64,
        out: vec[i32],
        count: i64,
        trace: Trace | None,
    ) -> i64:
        """Writes the ids of the pieces of a path; a run of unknown characters at its end waits for what follows."""
        unknown_id = self._unknown_id
        values = self._scores.values
        in_bytes = self.in_bytes
        at = start
        for index in range(pieces):
            token: i64 = i64(path[index])
            end: i64 = i64(path_stops[index])
            if token == unknown_id:
                if in_bytes:
                    count = self.write_bytes(data, at, end, out, count, trace)
                elif self.run < 0:
                    self.run = at
            else:
                if self.run >= 0:
                    count = self.write_run(data, at, out, count, trace)
                out[count] = i32(token)
                count += 1
                if trace is not None:
                    trace.add(PIECE, at, end, -1, token, -1, values[token])
            at = end
        return count

    def write_run(
        self, data: bytes, stop: i64, out: vec[i32], count: i64, trace: Trace | None
    ) -> i64:
        """Writes the ids of the unknown characters from ``run`` to ``stop``."""
        start = self.run
        self.run = -1
        token = self._unknown_id
        kind = UNKNOWN_EVENT
        if not self._per_character:
            found = self._scores.find(data, start, stop)
            if found >= 0:
                token = found
                kind = PIECE
            elif self._byte_fallback and self._has_bytes(data, start, stop):
                return self.write_bytes(data, start, stop, out, count, trace)
        out[count] = i32(token)
        self._note(data, start, stop, 1)
        if trace is not None:
            score = self._scores.unknown if kind == UNKNOWN_EVENT else self._scores.values[token]
            trace.add(kind, start, stop, -1, token, -1, score)
        return count + 1

    def _has_bytes(self, data: bytes, start: i64, stop: i64) -> bool:
        """Returns whether all bytes that are written for ``data[start:stop]`` have a piece."""
        byte_ids = self.byte_ids
        for at in range(start, stop):
            byte: i64 = data[at]
            if byte == 32 and self._marked:
                for mark in _MARK:
                    if i64(byte_ids[mark]) < 0:
                        return False
            elif i64(byte_ids[byte]) < 0:
                return False
        return True

    def write_bytes(
        self, data: bytes, start: i64, stop: i64, out: vec[i32], count: i64, trace: Trace | None
    ) -> i64:
        """Writes the ids of the bytes of ``data[start:stop]``; a space is three where the file has ``▁``."""
        byte_ids = self.byte_ids
        before = count
        for at in range(start, stop):
            byte: i64 = data[at]
            if byte == 32 and self._marked:
                for index in range(2):
                    mark: i64 = _MARK[index]
                    out[count] = byte_ids[mark]
                    if trace is not None:
                        trace.add(BYTE_FALLBACK, at, at, -1, i64(out[count]), -1, 0.0)
                    count += 1
                byte = _MARK[2]
            out[count] = byte_ids[byte]
            if trace is not None:
                trace.add(BYTE_FALLBACK, at, at + 1, -1, i64(out[count]), -1, self._scores.unknown)
            count += 1
        self._note(data, start, stop, count - before)
        return count

    def _note(self, data: bytes, start: i64, stop: i64, ids: i64) -> None:
        """Records for `locate` what unknown characters became."""
        at = self._noted
        if at + 3 > len(self._notes):
            larger = vec[i32]([0] * (len(self._notes) * 2))
            for index in range(at):
                larger[index] = self._notes[index]
            self._notes = larger
        self._notes[at] = i32(start)
        self._notes[at + 1] = i32(stop)
        self._notes[at + 2] = i32(ids)
        self._noted = at + 3
        self.noted_data = data

    def needs_notes(self, ids: vec[i32], first: i64, last: i64) -> bool:
        """Returns whether the positions of these ids do not follow from the pieces alone."""
        kinds = self._vocabulary.kinds
        for index in range(first, last):
            token: i64 = i64(ids[index])
            if token == self._unknown_id or i64(kinds[token]) == BYTE:
                return True
        return False

    def locate(
        self, data: bytes, start: i64, ids: vec[i32], first: i64, last: i64, spans: vec[i32]
    ) -> None:
        """Writes the places of the ids of ``data`` from ``start`` on, see `Unigram.locate`."""
        offsets = self._vocabulary.offsets
        kinds = self._vocabulary.kinds
        notes = self._notes
        noted = self._noted if self.needs_notes(ids, first, last) else 0
        note: i64 = 0
        while note < noted and i64(notes[note]) < start:
            note += 3
        at = start
        index = first
        while index < last:
            if note < noted and i64(notes[note]) == at:
                end: i64 = i64(notes[note + 1])
                behind = index + i64(notes[note + 2])
                note += 3
                if behind == index + 1:
                    spans[index * 2] = i32(at)
                    spans[index * 2 + 1] = i32(end)
                    index += 1
                while index < behind:
                    if self._marked and data[at] == 32:
                        for _ in range(2):
                            spans[index * 2] = i32(at)
                            spans[index * 2 + 1] = i32(at)
                            index += 1
                    spans[index * 2] = i32(at)
                    at += 1
                    spans[index * 2 + 1] = i32(at)
                    index += 1
                at = end
                continue
            token: i64 = i64(ids[index])
            spans[index * 2] = i32(at)
            at += i64(offsets[token + 1]) - i64(offsets[token])
            if i64(kinds[token]) == BYTE:
                at += 5  # the text "<0x41>" itself
            spans[index * 2 + 1] = i32(at)
            index += 1
