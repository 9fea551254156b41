"""Cuts normalised lines into the parts that no piece goes beyond: words, and within them at scripts and digits.

SentencePiece counts whole words and refuses pieces that hold several scripts; cutting there at once
gives the same pieces, of far fewer distinct words. Source of the cuts at spaces: ``SplitIntoWords`` in
google/sentencepiece's ``src/model_interface.cc``.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import EACH_20, PLACES, TO_BRACE, TO_LETTER
from tokenarium_core.training.sentencepiece.piece_rules import (
    ALONE,
    BLANK,
    FREE,
    LINE_END,
    SCRIPT,
    PieceRules,
)
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

_WORD: Final = 0
_SPACE: Final = 0x20
_NOT_ASCII: Final = 255


@final
class SentencePieceSplitter(PreTokenizer):
    """Cuts lines in which a space stands for ``▁``; line ends are taken out.

    A word is a space and what is behind it (or before it, where spaces stand behind words), up to the
    next one. ``squeeze``: the lines are not normalised yet but for that, so of several spaces the last
    one counts, and those at the end of a line, or at its start where no ``prefix`` was put there, do not. It
    can be set for each block of lines anew, and works only where spaces stand before words and part them.
    """

    def __init__(self, rules: PieceRules, prefix: bool) -> None:
        super().__init__("SentencePiece", "", ["word"])
        self.squeeze = False
        self._prefix = prefix
        self._by_whitespace = rules.by_whitespace
        self._behind = rules.space_behind
        self._runs = rules.space_runs
        self._classes: bytes = rules.classes
        self._leads: bytes = rules.classes[:128] + bytes([_NOT_ASCII]) * 128

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        leads = self._leads
        squeeze = self.squeeze
        room: i64 = len(ends)
        count: i64 = 0
        at = start
        while at < stop and count < room:
            kind: i64 = leads[data[at]]
            if kind == LINE_END or (kind == BLANK and squeeze):
                next_kind: i64 = leads[data[at + 1]]
                if (
                    kind == LINE_END
                    or next_kind == BLANK
                    or next_kind == LINE_END
                    or at + 1 == stop
                ):
                    at = self._gap_end(data, at, stop)
                    ends[count] = i32(at)
                    rules[count] = REMOVED
                    count += 1
                    continue
            ends[count] = i32(self._word_end(data, at, stop))
            at = i64(ends[count])
            rules[count] = _WORD
            count += 1
        return count

    def _gap_end(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns where the next word begins behind line ends and spaces: with the last of these, or behind it."""
        if not self.squeeze:
            return at + 1
        broken = False
        byte: i64 = data[at]
        while at < stop and (byte == _SPACE or byte == 0x0A):
            broken = broken or byte == 0x0A
            at += 1
            byte = data[at]
        if at < stop and data[at - 1] == _SPACE and (self._prefix or not broken):
            return at - 1
        return at

    def _word_end(self, data: bytes, begin: i64, stop: i64) -> i64:
        """Returns where the word ends that begins at ``begin``."""
        leads = self._leads
        classes = self._classes
        latin: i64 = leads[0x61]
        at = begin
        if self._by_whitespace and data[at] == _SPACE:
            at = self._spaces_end(data, at, stop)
            if self._behind:
                return at
        before: i64 = FREE
        while at < stop:
            kind: i64 = leads[data[at]]
            if kind == latin and kind == before:
                # Eight letters in a step, see `scanner_runs`.
                eight: i64 = read_i64_le(data, at)
                folded = eight | EACH_20
                others = ((~(folded + TO_LETTER) | (folded + TO_BRACE) | eight) >> 7) & EACH_01
                if others == 0:
                    at += 8
                    continue
                at += (((others & -others) * PLACES) >> 56) & 7
                kind = leads[data[at]]
            width: i64 = 1
            if kind == _NOT_ASCII:
                kind = classes[code_point_at(data, at)]
                width = width_of(data[at])
            if kind >= SCRIPT:
                if kind != before and before != FREE:
                    break
            elif kind == BLANK:
                if self._by_whitespace:
                    if self._behind:
                        at = self._spaces_end(data, at, stop)
                    break
                before = FREE  # a piece may begin here, and then the script before does not matter
                at += 1
                continue
            elif kind == ALONE:
                if at == begin:
                    at += width
                break
            elif kind == LINE_END:
                break
            before = kind
            at += width
        return min(at, stop)

    def _spaces_end(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns where the spaces end that belong together: one, or all of a run."""
        at += 1
        while self._runs and at < stop and data[at] == _SPACE:
            at += 1
        return at
