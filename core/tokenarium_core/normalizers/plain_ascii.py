"""The plain beginning of a text: printable ASCII with no space after another, eight bytes at a time."""

from __future__ import annotations

from typing import Final, final

from librt.strings import read_i64_le
from mypy_extensions import i64

_ONES: Final = b"\x01" * 8
_SPACES: Final = b" " * 8
_TOPS: Final = b"\x80" * 8
_LOWER_TOPS: Final = 0x80808080808080
_SPACE: Final = 32
_NEWLINE: Final = 10
_DELETE: Final = 127


@final
class PlainAscii:
    """Checks the eight bytes of an integer at once.

    A sum or difference of two such integers works byte by byte as long as no byte overflows. If one does, the next may
    be misread; but only as more than plain, and then it is checked again.
    """

    def __init__(self) -> None:
        self._ones: i64 = read_i64_le(_ONES, 0)
        self._spaces: i64 = read_i64_le(_SPACES, 0)
        self._tops: i64 = read_i64_le(_TOPS, 0)

    def skip(self, data: bytes, at: i64, size: i64, blank: bool) -> i64:
        """Returns the start of the first eight bytes, from ``at`` on, that may be more than plain.

        ``blank`` says whether a space is before ``at``. Fewer than eight bytes before ``size`` are not checked.
        """
        ones = self._ones
        spaces = self._spaces
        tops = self._tops
        before: i64 = 0x80 if blank else 0
        while at + 8 <= size:
            group = read_i64_le(data, at)
            # The top bits: of bytes below the space, of those that are not ASCII, and of the last one of ASCII.
            if ((group - spaces) | group | (group + ones)) & tops != 0:
                break
            found = group ^ spaces
            found = (found - ones) & ~found & tops  # the top bits of spaces
            if found & (found >> 8 & _LOWER_TOPS | before) != 0:
                break
            before = found >> 56 & 0x80
            at += 8
        return at

    def lines_end(self, data: bytes, at: i64, size: i64) -> i64:
        """Returns the first byte from ``at`` on that is neither printable ASCII nor a newline, or ``size``."""
        ones = self._ones
        spaces = self._spaces
        tops = self._tops
        while at < size:
            if at + 8 <= size:
                group = read_i64_le(data, at)
                if ((group - spaces) | group | (group + ones)) & tops == 0:
                    at += 8
                    continue
            stop = min(at + 8, size)
            while at < stop:
                byte: i64 = data[at]
                if (byte < _SPACE and byte != _NEWLINE) or byte >= _DELETE:
                    return at
                at += 1
        return size

    def holds(self, data: bytes, start: i64, stop: i64) -> bool:
        """Returns whether ``data[start:stop]`` is surely plain: at least eight bytes, and no space at either end."""
        if stop - start < 8 or data[start] == _SPACE or data[stop - 1] == _SPACE:
            return False
        if self.skip(data, start, stop, False) + 8 <= stop:
            return False
        last = stop - 8
        return self.skip(data, last, stop, last > start and data[last - 1] == _SPACE) == stop
