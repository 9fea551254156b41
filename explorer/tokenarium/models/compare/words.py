"""What the words of a text are: by white space, and in scripts that put none between words by ICU's dictionaries."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt
import regex

from tokenarium.models.installation import how_to_get
from tokenarium.models.packed_arrays import array_of
from tokenarium_core.pretokenizers import pretokenizer
from tokenarium_core.pretokenizers.scanners import pre_tokenizer

DICTIONARIES = find_spec("icu4py") is not None
"""Whether ICU is there (the extra ``words``), which finds the words of the scripts in `_IN_DICTIONARIES`."""

_IN_DICTIONARIES = frozenset(["Thai", "Laoo", "Khmr", "Mymr", "Hani", "Hira", "Kana"])
"""The scripts for whose words ICU has dictionaries."""

UNSPACED = frozenset([
    "Hani", "Hira", "Kana", "Bopo", "Yiii", "Tang", "Nshu", "Kits", "Thai", "Laoo", "Khmr", "Mymr",
    "Lana", "Tale", "Talu", "Tavt", "Ahom", "Tibt", "Phag", "Java", "Bali", "Batk", "Bugi", "Maka",
    "Kawi",
])  # fmt: skip
"""Scripts without spaces between words, so that spaces do not mark words: by UAX #14 those of the classes ID and CJ, SA
(which need a dictionary) and AK, and those whose marks are between syllables, as the tsheg of Tibetan."""

WORD_DIVIDERS = "\u1361\u200b\u2e31\u16eb\u16ec\u16ed\U00010100\U00010101\U0001039f\U000103d0\U0001091f\U00012470"
"""Characters between words besides White_Space (UAX #14, visible word dividers): of Ethiopic and of old scripts; and the
zero-width space, by which words are marked in scripts without spaces."""

_BY_SPACES = (
    "Words are separated by white space (White_Space), zero-width spaces and the word dividers of scripts, such as the"
    " Ethiopic ፡"
)

WORD_RULE = (
    f"{_BY_SPACES}; in Thai, Lao, Khmer, Burmese, Chinese and Japanese by the dictionaries of ICU."
    if DICTIONARIES
    else f"{_BY_SPACES}."
)
"""How words are counted, for users."""

NO_WORDS = (
    "Most of this text is in scripts that put no spaces between words, so figures of words mean nothing."
    + (
        ""
        if DICTIONARIES
        else f" ICU finds the words of Thai, Lao, Khmer, Burmese, Chinese and Japanese. {how_to_get('tokenarium[words]')}"
    )
)
"""Why a text has no figures of words, and what to do."""

_DIVIDER = regex.compile(f"[{WORD_DIVIDERS}]")
# Spaces of the same size in UTF-8, so that all offsets stay.
_AS_BLANKS = {
    ord(divider): "\u2003" if divider < "\U00010000" else "\xa0\xa0" for divider in WORD_DIVIDERS
}
_UNDIVIDED = regex.compile(
    "[" + "".join(rf"\p{{Script={script}}}" for script in sorted(_IN_DICTIONARIES)) + "]"
)
_WORD = regex.compile(r"[\p{L}\p{N}]")

Spans = npt.NDArray[np.int32]


def word_spans(text: str, utf8: bytes) -> tuple[Spans, Spans]:
    """Returns where the words of a text begin and end, in bytes of its UTF-8, by `WORD_RULE`."""
    spaced = text
    if not text.isascii() and _DIVIDER.search(text):
        spaced = text.translate(_AS_BLANKS)
    cuts = pretokenizer.cut(pre_tokenizer("whitespace"), spaced)
    ends = array_of(cuts.ends)
    starts = np.concatenate(([0], ends[:-1])).astype(np.int32)
    is_word = array_of(cuts.rules) == 0
    starts, ends = starts[is_word], ends[is_word]
    if not DICTIONARIES or text.isascii() or not _UNDIVIDED.search(text):
        return starts, ends
    divided: list[tuple[int, int]] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        word = utf8[start:end].decode("utf-8", "replace")
        if _UNDIVIDED.search(word):
            divided += _by_dictionary(word, start)
        else:
            divided.append((start, end))
    spans = np.array(divided, np.int32).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def _by_dictionary(text: str, offset: int) -> list[tuple[int, int]]:
    """Returns the spans of the words that ICU finds, in bytes; what has no letter and no digit is none."""
    from icu4py.breakers import WordBreaker

    spans = []
    for segment in WordBreaker(text, "en"):  # the locale does not matter to its dictionaries
        end = offset + len(segment.encode())
        if _WORD.search(segment):
            spans.append((offset, end))
        offset = end
    return spans


def unspaced_characters(text: str) -> int:
    """Returns how many characters are of scripts whose words are found by nothing here."""
    if text.isascii():
        return 0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    unspaced = UNSPACED - _IN_DICTIONARIES if DICTIONARIES else UNSPACED
    return int(_are_in(unspaced)[codes].sum())


@lru_cache(maxsize=2)
def _are_in(scripts: frozenset[str]) -> npt.NDArray[np.bool_]:
    """Returns for each code point whether it is of one of these scripts."""
    from tokenarium_core.unicode import SCRIPT_TABLE, SCRIPTS

    unspaced = [number for number, code in enumerate(SCRIPTS) if code in scripts]
    table: npt.NDArray[np.bool_] = np.isin(np.frombuffer(SCRIPT_TABLE, np.uint8), unspaced)
    return table
