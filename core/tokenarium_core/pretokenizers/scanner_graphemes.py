"""The scanner of the pattern ``graphemes``: each extended grapheme cluster, which readers see as one character."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.unicode.codepoints import expand_runs
from tokenarium_core.unicode.graphemes_data import GRAPHEME_RUNS
from tokenarium_core.unicode.utf8 import code_point_at, start_before, width_of

GRAPHEMES: Final = r"\X"

_BREAKS: Final = "OCRNEZIPSLVTAB"
_OTHER: Final = 0
_CONTROL: Final = 1  # up to _LF: a cluster ends before and behind it
_CR: Final = 2
_LF: Final = 3
_EXTEND: Final = 4
_ZWJ: Final = 5
_FLAG: Final = 6  # Regional_Indicator: two of them are a flag
_PREPEND: Final = 7
_SPACING: Final = 8
_L: Final = 9
_V: Final = 10
_T: Final = 11
_LV: Final = 12
_LVT: Final = 13
_BREAK: Final = 15
_CONSONANT: Final = 16
_LINKER: Final = 32
_CONJOINS: Final = 64  # an extender in an Indic conjunct
_PICTOGRAPH: Final = 128
_MORE: Final = {"c": _CONSONANT, "k": _LINKER, "e": _CONJOINS, "p": _PICTOGRAPH}


def grapheme_kinds() -> bytes:
    """Returns for each code point its Grapheme_Cluster_Break, and the flags above."""
    names = sorted({run.rstrip("0123456789") for run in GRAPHEME_RUNS.split()})
    numbers = bytes(
        [_BREAKS.index(name[0]) + sum([_MORE[letter] for letter in name[1:]]) for name in names]
    )
    return expand_runs(GRAPHEME_RUNS, names).translate(numbers.ljust(256, b"\0"))


@final
class GraphemeScanner(PreTokenizer):
    """Splits a text into its extended grapheme clusters, by the rules GB3 to GB999 of UAX #29.

    They are those that ``\\X`` matches in the `regex` module, where a conjunct (GB9c) needs a linker before its
    consonant, and nothing before the linker. The table is created when a text is first split.
    """

    def __init__(self) -> None:
        super().__init__("graphemes", GRAPHEMES, ["grapheme"], True)
        self._kinds = b""

    def kinds(self) -> bytes:
        """Returns the kind of each code point."""
        if not self._kinds:
            self._kinds = grapheme_kinds()
        return self._kinds

    def divide(self, data: bytes, stop: i64) -> i64:
        """Returns a place as `PreTokenizer.divide` does: before a character that joins nothing before it."""
        kinds = self.kinds()
        at = stop
        behind: i64 = _EXTEND
        while at > 0:
            before = start_before(data, at)
            kind: i64 = kinds[code_point_at(data, before)]
            if behind == _OTHER and kind & _BREAK != _PREPEND:
                return at
            behind = kind
            at = before
        return 0

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`."""
        kinds = self.kinds()
        room: i64 = len(ends)
        count: i64 = 0
        at: i64 = start
        while at < stop and count < room:
            at = cluster_end(kinds, data, at, stop)
            ends[count] = i32(at)
            rules[count] = 0
            count += 1
        return count


def cluster_end(kinds: bytes, data: bytes, at: i64, stop: i64) -> i64:
    """Returns the end of the cluster that begins at ``at``."""
    lead: i64 = data[at]
    kind: i64 = kinds[lead if lead < 0x80 else code_point_at(data, at)]
    last = kind & _BREAK
    flags: i64 = 0  # regional indicators in a row
    if last == _FLAG:
        flags = 1
    pictures: i64 = 0  # 1 behind a pictograph and extenders, 2 behind them and a joiner
    if kind & _PICTOGRAPH:
        pictures = 1
    linked = kind & _LINKER != 0  # a linker, and behind it only extenders
    at += width_of(lead)
    while at < stop:
        lead = data[at]
        kind = kinds[lead if lead < 0x80 else code_point_at(data, at)]
        this = kind & _BREAK
        if last == _CR and this == _LF:
            return at + 1
        if _CONTROL <= last <= _LF or _CONTROL <= this <= _LF:
            return at
        if not (
            this == _EXTEND
            or this == _ZWJ
            or this == _SPACING
            or last == _PREPEND
            or (last == _L and (this == _L or this == _V or this == _LV or this == _LVT))
            or ((last == _LV or last == _V) and (this == _V or this == _T))
            or ((last == _LVT or last == _T) and this == _T)
            or (linked and kind & _CONSONANT != 0)
            or (pictures == 2 and kind & _PICTOGRAPH != 0)
            or (this == _FLAG and flags == 1)
        ):
            return at
        if this == _FLAG:
            flags += 1
        else:
            flags = 0
        if kind & _PICTOGRAPH:
            pictures = 1
        elif this == _ZWJ and pictures == 1:
            pictures = 2
        elif this != _EXTEND or pictures == 2:
            pictures = 0
        if kind & _CONJOINS == 0:
            linked = kind & _LINKER != 0
        last = this
        at += width_of(lead)
    return at
