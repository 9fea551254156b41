"""The text as Qt's text field can hold it, and the way back.

A `QTextDocument` reads carriage returns and paragraph separators as line ends, and needs a second to lay
out a line of a million characters. To a tokenizer all characters count, so a carriage return is shown as
the sign ␍, and a text that the field would still change, or that would block the window, is only shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_map import STRETCH, TextMap, half_at

CARRIAGE_RETURN_SIGN = "␍"
LONGEST_LINE = 100_000
"""Characters: laying out such a line takes about one frame."""
PREVIEW = 5_000
LARGEST = 50_000_000
"""Characters: a field takes some seconds to be filled with them, and two bytes for each."""

MOST_LINES = 800_000
"""Lines: to add some to a field that has more of them takes more than a frame, and each takes 200 bytes."""

LARGEST_IN_FIELD = 1 << 20
"""Characters of a field that is not that of the text: such fields are read back whole after each keystroke."""

LONGEST_FIELD_LINE = LONGEST_LINE // 2
"""Characters of a line of such a field: one that grows with its text lays it out several times."""

MOST_FIELD_LINES = 50_000
"""Lines of such a field."""

_UNKEPT_BYTES = (
    "\u2029".encode(),
    "\ufdd0".encode(),
    "\ufdd1".encode(),
    CARRIAGE_RETURN_SIGN.encode(),
)
_UNKEPT = re.compile("[\u2029\ufdd0\ufdd1\ud800-\udfff" + CARRIAGE_RETURN_SIGN + "]")


@dataclass(frozen=True, slots=True)
class EditorText:
    """What the field shows, in parts, and a sentence on why it cannot be edited, if so."""

    source: TextMap
    why_not: str = ""

    @property
    def editable(self) -> bool:
        """Whether the field can be edited."""
        return not self.why_not

    @property
    def size(self) -> int:
        """How many characters the field shows."""
        return self.source.char_count

    def part(self, first: int, last: int) -> str:
        """Returns what to pass to Qt for the characters from ``first`` to ``last``."""
        return into_qt(self.source.part(first, last).replace("\r", CARRIAGE_RETURN_SIGN))

    def line_end(self, place: int) -> int:
        """Returns the character after the next line feed that follows a character, or the end of the text."""
        while place < self.size:
            feed = self.source.part(place, place + AHEAD).find("\n")
            if feed >= 0:
                return place + feed + 1
            place += AHEAD
        return self.size

    @property
    def shown(self) -> str:
        """All that the field shows."""
        return self.part(0, self.size)


AHEAD = 1 << 12
"""Characters in which the end of a line is looked for at once."""


def to_editor(text: str) -> EditorText:
    """Returns the text for the field."""
    return fit_of(TextMap(text))


def fit_of(text: TextMap) -> EditorText:
    """Returns the text for the field, or the beginning of one that it cannot hold; see `prepare_fit`."""
    if text not in _why_not:
        for _ in prepare_fit(text):
            pass
    why_not = _why_not[text]
    if not why_not:
        return EditorText(text)
    return EditorText(TextMap(_UNKEPT.sub("\ufffd", text.part(0, PREVIEW))), why_not)


def prepare_fit(text: TextMap) -> Iterator[float]:
    """Finds whether the field can hold a text step by step, for `fit_of`; yields the progress, up to 1."""
    if text.char_count > LARGEST:
        _why_not[text] = f"This text has {text.char_count:,} characters, too many to edit here."
        return
    if text.line_feeds >= MOST_LINES:
        _why_not[text] = f"This text has {text.line_feeds + 1:,} lines, too many to edit here."
        return
    unkept, longest, last = -1, 0, -1
    for at in range(0, text.byte_count, STRETCH):
        data = text.utf8_of(at, at + STRETCH + 2)
        if unkept < 0 and not data.isascii():
            found = [data.find(one) for one in _UNKEPT_BYTES] + [half_at(data)]
            unkept = at + min((place for place in found if place >= 0), default=-1 - at)
        feeds = np.flatnonzero(np.frombuffer(data, np.uint8)[:STRETCH] == 0x0A) + at
        if len(feeds):
            longest = max(longest, int(np.diff(feeds, prepend=last).max()) - 1)
            last = int(feeds[-1])
        yield at / text.byte_count
    longest = max(longest, text.byte_count - last - 1)
    why_not = ""
    if longest > LONGEST_LINE:  # in bytes
        longest = max(map(len, text.text.split("\n")))
        if longest > LONGEST_LINE:
            why_not = f"A line of {longest:,} characters is too long to edit here."
    if not why_not and unkept >= 0:
        place = int(text.byte_to_char(unkept))
        why_not = (
            f"A text field cannot hold U+{ord(text.part(place, place + 1)):04X} (character {place + 1:,}), "
            "so this text is not edited here."
        )
    _why_not[text] = why_not


_why_not: WeakKeyDictionary[TextMap, str] = WeakKeyDictionary()


def from_editor(raw: str) -> str:
    """Returns the text from the raw text of a `QTextDocument`."""
    return raw.replace("\u2029", "\n").replace(CARRIAGE_RETURN_SIGN, "\r")


def why_not_in_field(text: str, before: str = "", after: str = "", others: int = 0) -> str:
    """Returns a sentence on why a field of several lines does not take a text, "" if it does.

    ``before`` and ``after`` are what the line of the cursor has around the text, and ``others`` counts the characters
    that the field keeps.
    """
    count = len(text) + others
    if count > LARGEST_IN_FIELD:
        return f"This field holds {LARGEST_IN_FIELD:,} characters at most, and this text would make {count:,}."
    lines = text.count("\n") + text.count("\r") - text.count("\r\n") + text.count("\u2029") + 1
    if lines > MOST_FIELD_LINES:
        return f"This field holds {MOST_FIELD_LINES:,} lines at most, and this text has {lines:,}."
    if len(before) + len(text) + len(after) <= LONGEST_FIELD_LINE:
        return ""
    longest = max(map(len, re.split("[\n\r\u2029]", before + text + after)))
    if longest > LONGEST_FIELD_LINE:
        return f"A line of this field holds {LONGEST_FIELD_LINE:,} characters at most, and one would have {longest:,}."
    return ""


def shown_part(text: str) -> str:
    """Returns a text that is only shown, or the beginning of one that is too much for a field, which says so."""
    if not why_not_in_field(text):
        return text
    return f"{text[:PREVIEW]} …\n\nThis is the beginning of {len(text):,} characters; they are copied whole."


def utf16_count(text: str) -> int:
    """Returns how many characters Qt counts in a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def equal_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """Returns how many items at the beginning of two texts or lists are equal.

    >>> equal_beginning("token", "tokens"), equal_beginning(["a", "b"], ["b"])
    (5, 0)
    """
    low, high = 0, min(len(one), len(other))
    while low < high:  # by halves, as slices are compared much faster than items
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
