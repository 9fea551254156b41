"""Which strings of characters may be pieces in SentencePiece, and where a text can therefore be split.

SentencePiece counts whole words and rejects pieces with several scripts. Splitting there right away gives the same
pieces, from far fewer distinct words.

Sources: ``TrainerInterface::IsValidSentencePiece`` in google/sentencepiece's ``src/trainer_interface.cc``; for the cuts
at spaces, ``SplitIntoWords`` in its ``src/model_interface.cc``.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import REMOVED, PreTokenizer
from tokenarium_core.pretokenizers.scanner_runs import EACH_20, PLACES, TO_BRACE, TO_LETTER
from tokenarium_core.unicode.codepoints import CODE_POINTS, SCRIPT_TABLE, SCRIPTS
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

SPACE: Final = 0x20
"""``▁`` is a space here."""

BOUNDARY: Final = 0x1F
"""A character that no piece contains: it replaces user-defined and control symbols in the corpus."""

UNKNOWN_MARK: Final = 0x2585
"""SentencePiece writes ``▅`` for characters outside its alphabet; a line that contains one is skipped."""

# The classes of characters. A class of `SCRIPT` or more is a script.
FREE: Final = 0
"""Compatible with any script: a mark that inherits the script before it, or any character if scripts do not matter."""

ALONE: Final = 1
"""Forms no piece with any other character."""

BLANK: Final = 2
LINE_END: Final = 3
SCRIPT: Final = 4
_DIGITS: Final = [*range(0x30, 0x3A), *range(0xFF10, 0xFF1A)]
_WORD: Final = 0
_SPACE: Final = 0x20
_NOT_ASCII: Final = 255


def as_mark(code: int) -> int:
    """Returns SentencePiece's code point for one of ours: ``▁`` for a space."""
    return 0x2581 if code == SPACE else code


@final
class PieceRules:
    """The rules of one training; ``classes[code point]`` is the class of a character.

    The kana and the Chinese characters count as one script, and characters without a script (digits, punctuation,
    emoji) as another. Characters newer than SentencePiece's tables have no script there.
    """

    def __init__(
        self,
        max_length: i64 = 16,
        by_script: bool = True,
        by_number: bool = True,
        by_whitespace: bool = True,
        split_digits: bool = False,
        space_behind: bool = False,
        space_runs: bool = False,
    ) -> None:
        self.max_length: i64 = max_length
        self.by_script = by_script
        self.by_whitespace = by_whitespace
        self.space_behind = space_behind
        self.space_runs = space_runs
        classes = _script_classes() if by_script else bytearray(CODE_POINTS)
        for code in _DIGITS:
            if split_digits:
                classes[code] = ALONE
            elif not by_number:
                classes[code] = FREE
        classes[0] = ALONE
        classes[BOUNDARY] = ALONE
        classes[UNKNOWN_MARK] = ALONE
        classes[SPACE] = BLANK
        classes[0x0A] = LINE_END
        self.classes = bytes(classes)
        self._marks = bytes(
            [1 if script == "Zinh" and by_script else 0 for script in SCRIPTS]
        )  # by the index of the script

    def is_free(self, code: i64) -> bool:
        """Returns whether pieces with this character must be checked as a whole, see `allows`."""
        kind: i64 = self.classes[code]
        return (kind == FREE and self.by_script) or (
            kind == BLANK and (self.space_runs or not self.by_whitespace)
        )

    def allows(self, piece: str) -> bool:
        """Returns whether a string may be a piece; a space stands for ``▁``."""
        size: i64 = len(piece)
        if size == 0 or size > self.max_length:
            return False
        blank = self.space_runs and piece.count(" ") == size
        before: i64 = FREE
        for at, character in enumerate(piece):
            code: i64 = ord(character)
            kind: i64 = self.classes[code]
            if kind == BLANK:
                if not blank and not self._allows_space(at, size):
                    return False
            elif kind == ALONE or kind == LINE_END:
                if size > 1 or (code == 0 or code == BOUNDARY or code == UNKNOWN_MARK):
                    return False
            elif kind == FREE:
                if not self.by_script or self._marks[SCRIPT_TABLE[code]] == 0:
                    before = FREE
            else:
                if before != FREE and before != kind:
                    return False
                before = kind
        return True

    def _allows_space(self, at: i64, size: i64) -> bool:
        """Returns whether a piece of ``size`` characters may have a space at character ``at``."""
        if self.space_behind:
            return at == size - 1 or (not self.by_whitespace and at > 0)
        return at == 0 or (not self.by_whitespace and at < size - 1)


def _script_classes() -> bytearray:
    """Returns the class of each code point if scripts matter."""
    common = SCRIPT + SCRIPTS.index("Zyyy")
    han = SCRIPT + SCRIPTS.index("Hani")
    by_script = bytearray(256)
    for index, script in enumerate(SCRIPTS):
        by_script[index] = SCRIPT + index
        if script == "Zzzz":
            by_script[index] = common
        elif script in ("Hira", "Kana"):
            by_script[index] = han
        elif script == "Zinh":
            by_script[index] = FREE
    classes = bytearray(SCRIPT_TABLE.translate(bytes(by_script)))
    classes[0x30FC] = han  # the mark of a long vowel
    return classes


@final
class SentencePieceSplitter(PreTokenizer):
    """Cuts lines in which a space stands for ``▁``; line endings are removed.

    A word is a space and the text after it (or before it, if spaces follow words), up to the next one. ``squeeze``:
    the lines are not yet fully normalized: of several spaces only the last counts, and those at the end of a line,
    or at its start without a ``prefix``, do not count. It can be set again for each block of lines, and works only if
    spaces are before words and separate them.
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
        """Returns where the next word begins after line endings and spaces: at the last of these, or after it."""
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
        """Returns the end of the word that begins at ``begin``."""
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
                before = FREE  # a piece may begin here, so the script before does not matter
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
        """Returns the end of the spaces that belong together: one, or a whole run."""
        at += 1
        while self._runs and at < stop and data[at] == _SPACE:
            at += 1
        return at
