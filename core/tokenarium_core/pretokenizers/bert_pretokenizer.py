"""BERT's pre-tokenizer: words between whitespace, each punctuation mark separately.

Source: Hugging Face tokenizers, ``pre_tokenizers/bert.rs`` (0.23).
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import EACH_20, PLACES, TO_BRACE, TO_LETTER
from tokenarium_core.unicode import bert_data
from tokenarium_core.unicode.codepoints import CODE_POINTS, fill
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

WORD: Final = 0
PUNCTUATION: Final = 1
BLANK: Final = 2
_NOT_ASCII: Final = 3


def character_classes() -> bytes:
    """Returns the class of each code point: part of a word, punctuation, or whitespace."""
    classes = bytearray(CODE_POINTS)
    fill(classes, bert_data.PUNCTUATION, PUNCTUATION)
    fill(classes, bert_data.PRE_BLANKS, BLANK)
    return bytes(classes)


@final
class BertPreTokenizer(PreTokenizer):
    """Splits at whitespace, which is removed, and around each punctuation mark.

    ``classes``: for each code point WORD, PUNCTUATION or BLANK, instead of those of `character_classes`.
    """

    def __init__(self, classes: bytes = b"") -> None:
        super().__init__("BertPreTokenizer", "", ["word", "punctuation"])
        self._classes: bytes = classes or character_classes()
        self._leads: bytes = self._classes[:128] + bytes([_NOT_ASCII]) * 128

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        leads = self._leads
        classes = self._classes
        room: i64 = len(ends)
        count: i64 = 0
        begin: i64 = start
        at: i64 = start
        while at < stop and count < room:
            eight: i64 = read_i64_le(data, at)
            if eight & 0x80 == 0:
                folded = eight | EACH_20
                others = ((~(folded + TO_LETTER) | (folded + TO_BRACE) | eight) >> 7) & EACH_01
                if others == 0:
                    at += 8
                    continue
                at += (((others & -others) * PLACES) >> 56) & 7
                if at >= stop:
                    break
            kind: i64 = leads[data[at]]
            end: i64 = at + 1
            if kind == _NOT_ASCII:
                kind = classes[code_point_at(data, at)]
                end = at + width_of(data[at])
            if kind == WORD:
                at = end
                continue
            if begin < at:
                ends[count] = i32(at)
                rules[count] = WORD
                count += 1
                if count == room:
                    break
            if kind == BLANK:
                if leads[data[end]] != WORD:
                    end = self._blanks_end(data, end, stop)
                rules[count] = REMOVED
            else:
                rules[count] = PUNCTUATION
            ends[count] = i32(end)
            count += 1
            begin = end
            at = end
        if begin < stop and count < room and at >= stop:
            ends[count] = i32(stop)
            rules[count] = WORD
            count += 1
        return count

    def _blanks_end(self, data: bytes, at: i64, stop: i64) -> i64:
        """Returns where a run of whitespace ends."""
        classes = self._classes
        while at < stop and classes[code_point_at(data, at)] == BLANK:
            at += width_of(data[at])
        return at
