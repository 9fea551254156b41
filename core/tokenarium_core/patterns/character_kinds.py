"""Characters distinguished only as far as some sets require, so that a pattern of such sets runs on small numbers.

A text is rewritten with one character for each original one: the number of its kind, which says in which of the
sets it is. Patterns then contain only sets of kinds, so that neither the Unicode of the engine that
runs them nor its notion of case counts, and its sets stay small.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, final

from librt.strings import BytesWriter, write_i32_le
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.patterns.oniguruma_characters import literal
from tokenarium_core.unicode.code_sets import Spans
from tokenarium_core.unicode.codepoints import PAGE, CharacterPages
from tokenarium_core.unicode.utf8 import width_of

_NARROW: Final = 256  # kinds that fit into one byte


@final
class CharacterKinds(CharacterPages):
    """The kinds of characters that some sets tell apart; ``written[k]`` is set ``k`` as the `regex` module writes it,
    for a text of `seen`.
    """

    def __init__(self, sets: list[Spans]) -> None:
        edges: dict[int, int] = {0: 0}
        bit = 1
        for spans in sets:
            for first, last in spans:
                edges[first] = edges.get(first, 0) ^ bit
                edges[last + 1] = edges.get(last + 1, 0) ^ bit
            bit <<= 1
        self._starts: list[int] = sorted(edges)
        self._kinds: list[int] = []
        masks: list[int] = []
        kind_of: dict[int, int] = {}
        mask = 0
        for start in self._starts:
            mask ^= edges[start]
            kind = kind_of.get(mask)
            if kind is None:
                kind = len(masks)
                kind_of[mask] = kind
                masks.append(mask)
            self._kinds.append(kind)
        self._is_narrow = len(masks) < _NARROW
        self.written: list[str] = []
        for number in range(len(sets)):
            members = [kind for kind, mask in enumerate(masks) if mask >> number & 1]
            # No character has the number after the last.
            self.written.append(_set_of(members or [len(masks)]))
        super().__init__()

    def page(self, first: i64) -> vec[i64]:
        """Returns the kinds of some characters; see `CharacterPages.page`."""
        kinds = vec[i64]([0] * PAGE)
        place = bisect_right(self._starts, first) - 1
        for index in range(PAGE):
            while place + 1 < len(self._starts) and self._starts[place + 1] <= first + index:
                place += 1
            kinds[index] = self._kinds[place]
        return kinds

    def seen(self, data: bytes, start: i64, stop: i64) -> str:
        """Returns a text of the kinds in ``data[start:stop]`` (padded UTF-8), one character for each."""
        of_ascii = self.of_ascii
        at = start
        writer = BytesWriter()
        if self._is_narrow:
            while at < stop:
                byte: i64 = data[at]
                writer.append(u8(of_ascii[byte] if byte < 0x80 else self.at(data, at)))
                at += width_of(byte)
            return writer.getvalue().decode("latin-1")
        while at < stop:
            write_i32_le(writer, i32(code_of(self.at(data, at))))
            at += width_of(data[at])
        return writer.getvalue().decode("utf-32-le")


def code_of(kind: i64) -> i64:
    """Returns the code point that stands for a kind; no surrogates."""
    return kind if kind < 0xD800 else kind + 0x800


def _set_of(kinds: list[int]) -> str:
    """Returns a set of kinds as the `regex` module writes it."""
    codes: Spans = []
    for kind in kinds:
        code = int(code_of(kind))
        if codes and codes[-1][1] == code - 1:
            codes[-1] = (codes[-1][0], code)
        else:
            codes.append((code, code))
    return set_of_characters(codes)


def set_of_characters(spans: Spans) -> str:
    """Returns a set of code points as the `regex` module writes it, whatever its version of Unicode."""
    if not spans:
        return "(?:(?!))"
    if len(spans) == 1 and spans[0][0] == spans[0][1]:
        return literal(spans[0][0])
    parts: list[str] = []
    for first, last in spans:
        parts.append(literal(first) + (f"-{literal(last)}" if last > first else ""))
    return f"[{''.join(parts)}]"
