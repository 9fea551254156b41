"""A number for each character, found out for 256 of them when the first one comes up."""

from __future__ import annotations

from typing import Final

from librt.strings import read_i64_le
from librt.vecs import extend, vec
from mypy_extensions import i32, i64

from tokenarium_core.unicode.utf8 import code_in

PAGE: Final = 256
"""The characters of a page."""

_PAGES: Final = 0x110000 // PAGE


class CharacterPages:
    """Base of tables with a number for each character; ``of_ascii[code point]`` needs no call.

    What a subclass has to know for `page` must be set before this is initialised, since the first page is made at once.
    """

    def __init__(self) -> None:
        self._places = vec[i32]([-1] * _PAGES)
        self._numbers = vec[i64]()
        self._learn(0)
        self.of_ascii = self._numbers

    def page(self, first: i64) -> vec[i64]:
        """Returns the numbers of the `PAGE` characters from a code point on."""
        raise NotImplementedError

    def at(self, data: bytes, at: i64) -> i64:
        """Returns the number of the character at byte ``at`` of padded UTF-8."""
        group = read_i64_le(data, at)
        code = group & 0xFF
        if code < 0x80:
            return self._numbers[code]
        code = code_in(group)
        place: i64 = i64(self._places[code >> 8])
        if place < 0:
            place = self._learn(code >> 8)
        return self._numbers[place + (code & 0xFF)]

    def _learn(self, number: i64) -> i64:
        """Makes a page; returns its place."""
        place: i64 = len(self._numbers)
        self._numbers = extend(self._numbers, self.page(number * PAGE))
        self._places[number] = i32(place)
        return place


def characters_from(first: i64) -> str:
    """Returns the `PAGE` characters from a code point on."""
    return "".join([chr(code) for code in range(first, first + PAGE)])
