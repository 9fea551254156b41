"""Pre-tokenizers that test each character: is it whitespace, a digit or punctuation, and which script does it belong to?"""

from __future__ import annotations

from functools import cache
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.patterns.found_regions import FoundRegions
from tokenarium_core.pretokenizers.hf_splitters import (
    CONTIGUOUS,
    ISOLATED,
    REMOVED,
    Cuts,
    Cutter,
    check_behavior,
    delimit,
    rules_of,
)
from tokenarium_core.unicode.codepoints import (
    CATEGORIES,
    CATEGORY_TABLE,
    CODE_POINTS,
    FLAGS,
    SCRIPT_TABLE,
    SCRIPTS,
    SPACE,
    fill,
)
from tokenarium_core.unicode.hf_codepoints_data import NUMERIC, OTHER_SCRIPTS, PUNCTUATION
from tokenarium_core.unicode.utf8 import code_point_at, width_of

_IN_WORDS: Final = ("L", "M", "Nd", "Nl", "Pc")  # the categories in \w of Rust's regex
_LETTERED: Final = "200C-200D 24B6-24E9 1F130-1F149 1F150-1F169 1F170-1F189"  # … and other letters

WORD: Final = 1


@cache
def spanned(spans: str) -> bytes:
    """Returns a table with 1 for each code point in spans such as "0021 0024-002F"."""
    marked = bytearray(CODE_POINTS)
    fill(marked, spans, 1)
    return bytes(marked)


@cache
def word_table() -> bytes:
    """Returns a table with 0 for whitespace, `WORD` for word characters and 2 for all others."""
    kinds = bytes([WORD if name.startswith(_IN_WORDS) else 2 for name in CATEGORIES])
    marked = bytearray(CATEGORY_TABLE.translate(kinds.ljust(256, b"\2")))
    fill(marked, _LETTERED, WORD)
    for code_point, flags in enumerate(FLAGS[:0x3001]):
        if flags & SPACE:
            marked[code_point] = 0
    return bytes(marked)


@cache
def script_table() -> bytes:
    """Returns a script's number for each code point, 255 for those that fit every script.

    Japanese and Chinese count as one, as in SentencePiece.
    """
    marked = bytearray(SCRIPT_TABLE)
    for span in OTHER_SCRIPTS.split():
        codes, _, script = span.partition("=")
        fill(marked, codes, 255 if script == "*" else SCRIPTS.index(script))
    same = bytearray(range(256))
    for script in ("Hira", "Kana"):
        same[SCRIPTS.index(script)] = SCRIPTS.index("Hani")
    return bytes(marked).translate(same)


@cache
def _blank_table() -> bytes:
    return FLAGS.translate(bytes([1 if flags & SPACE else 0 for flags in range(256)]))


class _ClassCutter(Cutter):
    """Base: finds characters of one class; a behaviour says what happens to them."""

    def __init__(self, name: str, table: bytes, behavior: str, found: str, rest: str) -> None:
        super().__init__(name, rules_of(check_behavior(behavior), found, rest))
        self._table = table
        self.behavior = behavior
        self._drops = behavior == REMOVED
        self._found = FoundRegions()

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word at the characters of the class, each found separately."""
        table = self._table
        drops = self._drops  # which needs only the text between
        found = self._found
        found.clear()
        rest = start  # the beginning of the text that is not found
        at = start
        while at < stop:
            lead: i64 = data[at]
            width = width_of(lead)
            if table[lead if lead < 0x80 else code_point_at(data, at)]:
                if drops:
                    cuts.add(rest, at, 0)
                else:
                    if rest < at:
                        found.add(at, False)
                    found.add(at + width, True)
                rest = at + width
            at += width
        if drops:
            cuts.add(rest, stop, 0)
            return
        if rest < stop:
            found.add(stop, False)
        delimit(found, start, self.behavior, cuts)


@final
class WhitespaceSplit(_ClassCutter):
    """Splits at whitespace, and drops it."""

    def __init__(self) -> None:
        super().__init__("WhitespaceSplit", _blank_table(), REMOVED, "blank", "between blanks")


@final
class Digits(_ClassCutter):
    """Splits numbers from everything else; with ``individual_digits`` each digit separately."""

    def __init__(self, individual_digits: bool = False) -> None:
        super().__init__(
            "Digits",
            spanned(NUMERIC),
            ISOLATED if individual_digits else CONTIGUOUS,
            "digit" if individual_digits else "digits",
            "text",
        )


@final
class Punctuation(_ClassCutter):
    """Splits at punctuation: ASCII's signs and what Unicode 8 counts as such."""

    def __init__(self, behavior: str = ISOLATED) -> None:
        super().__init__("Punctuation", spanned(PUNCTUATION), behavior, "punctuation", "text")


@final
class Whitespace(Cutter):
    """Splits words and runs of other characters from one another, and drops whitespace: ``\\w+|[^\\w\\s]+``."""

    def __init__(self) -> None:
        super().__init__("Whitespace", ["word", "signs"])
        self._table = word_table()

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word where the class of its characters changes."""
        table = self._table
        at = start
        while at < stop:
            first = at
            kind: i64 = table[code_point_at(data, at)]
            at += width_of(data[at])
            while at < stop and table[code_point_at(data, at)] == kind:
                at += width_of(data[at])
            if kind:
                cuts.add(first, at, kind - 1)


@final
class UnicodeScripts(Cutter):
    """Splits where the script changes; a space is compatible with any."""

    def __init__(self) -> None:
        super().__init__("UnicodeScripts", ["one script"])
        self._table = script_table()

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word before each character whose script differs from the last one.

        As in the reference, the text before the first character with a script belongs to no part, and is lost.
        """
        table = self._table
        script: i64 = 255  # of the part so far
        first: i64 = -1
        at = start
        while at < stop:
            here: i64 = table[code_point_at(data, at)]
            if here != 255 and here != script:
                if first >= 0:
                    cuts.add(first, at, 0)
                first = at
                script = here
            at += width_of(data[at])
        if first >= 0:
            cuts.add(first, stop, 0)


@final
class FixedLength(Cutter):
    """Splits after every ``length`` characters; FormatError for a length below 1."""

    def __init__(self, length: int = 5) -> None:
        if length < 1:
            raise FormatError(f"The length of FixedLength must be 1 or more, not {length}.")
        super().__init__("FixedLength", [f"{length} characters"])
        self.length: i64 = min(length, 1 << 40)

    def cut_word(self, data: bytes, start: i64, stop: i64, cuts: Cuts) -> None:
        """Cuts one word into parts of that length; the last may be shorter."""
        length = self.length
        first = start
        at = start
        count: i64 = 0
        while at < stop:
            at += width_of(data[at])
            count += 1
            if count == length or at == stop:
                cuts.add(first, at, 0)
                first = at
                count = 0
