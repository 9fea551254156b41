"""A font of boxes with code points, written here: the stand-ins for characters that no font on the computer has."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

FAMILY = "Tokenarium Code Points"
"""How the names of such fonts begin: each has a number after it."""

_EM, _ASCENT, _DESCENT = 1000, 800, 200
_ADVANCE = 920
_BOX = (50, -130, 870, 770)
"""Left, bottom, right and top, in units of the font, as everything here."""
_LINE = 44

_DIGITS = [
    "75557",
    "26227",
    "71747",
    "71717",
    "55711",
    "74717",
    "74757",
    "71111",
    "75757",
    "75717",
    "25755",
    "65656",
    "34443",
    "65556",
    "74647",
    "74644",
]
"""The five rows of each hexadecimal digit: three bits of pixels each."""

Rectangle = tuple[int, int, int, int]


def code_point_font(codes: Iterable[int], family: str) -> bytes:
    """Returns a TrueType font, as a file has it, with a glyph for each of these code points.

    A glyph is a box with the digits of its code point in two rows: four, or six above U+FFFF.
    """
    ordered = sorted(set(codes))
    glyphs = [_glyph(_box()), *(_glyph([*_box(), *_digits(code)]) for code in ordered)]
    offsets = [0]
    for glyph in glyphs:
        offsets.append(offsets[-1] + len(glyph))
    count = len(glyphs)
    left, bottom, right, top = _BOX
    tables = {
        "OS/2": struct.pack(
            ">HhHHHhhhhhhhhhhh10s4L4sHHHhhhHHLLhhHHH",
            3, _ADVANCE, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0, bytes(10), 0, 0, 0, 0,
            b"TOKN", 0x40, min(ordered[0], 0xFFFF), min(ordered[-1], 0xFFFF), _ASCENT, -_DESCENT, 0, _ASCENT,
            _DESCENT, 1, 0, 500, 700, 0, 32, 0,
        ),
        "cmap": _cmap(ordered),
        "glyf": b"".join(glyphs),
        "head": struct.pack(
            ">LLLLHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, _EM, 0, 0, left, bottom, right, top,
            0, 8, 2, 1, 0,
        ),
        "hhea": struct.pack(
            ">LhhhHhhhhhhhhhhhH", 0x10000, _ASCENT, -_DESCENT, 0, _ADVANCE, left, _ADVANCE - right, right,
            1, 0, 0, 0, 0, 0, 0, 0, count,
        ),
        "hmtx": struct.pack(">Hh", _ADVANCE, left) * count,
        "loca": struct.pack(f">{count + 1}L", *offsets),
        "maxp": struct.pack(
            ">L14H", 0x10000, count, max(map(_points, glyphs)), max(map(_contours, glyphs)), 0, 0, 1, 0, 0,
            0, 0, 0, 0, 0, 0,
        ),
        "name": _name(family),
        "post": struct.pack(">LLhhLLLLL", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }  # fmt: skip
    return _font_file(tables)


def _box() -> list[Rectangle]:
    """The four sides of the box."""
    left, bottom, right, top = _BOX
    return [
        (left, bottom, right, bottom + _LINE),
        (left, top - _LINE, right, top),
        (left, bottom + _LINE, left + _LINE, top - _LINE),
        (right - _LINE, bottom + _LINE, right, top - _LINE),
    ]


def _digits(code: int) -> list[Rectangle]:
    """The pixels of the digits, those beside each other as one rectangle."""
    digits = f"{code:04X}" if code <= 0xFFFF else f"{code:06X}"
    columns = len(digits) // 2
    left, bottom, right, top = (
        side + _LINE * sign for side, sign in zip(_BOX, (1, 1, -1, -1), strict=True)
    )
    cell = (right - left) // (4 * columns + 1), (top - bottom) // 13
    rectangles = []
    for place, digit in enumerate(digits):
        row, column = divmod(place, columns)
        for line, bits in enumerate(map(int, _DIGITS[int(digit, 16)])):
            y = top - (1 + 6 * row + line) * cell[1]
            for first, length in _RUNS[bits]:
                x = left + (1 + 4 * column + first) * cell[0]
                rectangles.append((x, y - cell[1], x + length * cell[0], y))
    return rectangles


_RUNS = ((), ((2, 1),), ((1, 1),), ((1, 2),), ((0, 1),), ((0, 1), (2, 1)), ((0, 2),), ((0, 3),))
"""The first pixel and the length of each run in a row of three, by its bits."""


def _glyph(rectangles: Sequence[Rectangle]) -> bytes:
    """The outline of a glyph, with an even number of bytes."""
    points = [
        point
        for left, bottom, right, top in rectangles
        for point in ((left, bottom), (left, top), (right, top), (right, bottom))
    ]
    count = len(points)
    moves = [
        (x - before[0], y - before[1])
        for (x, y), before in zip(points, [(0, 0), *points[:-1]], strict=True)
    ]
    glyph = struct.pack(
        f">hhhhh{len(rectangles)}HH", len(rectangles), *_BOX, *range(3, count, 4), 0
    )
    glyph += bytes([1]) * count  # each point is on the outline
    glyph += struct.pack(f">{count}h", *(x for x, _ in moves))
    glyph += struct.pack(f">{count}h", *(y for _, y in moves))
    return glyph + bytes(-len(glyph) % 4)


def _contours(glyph: bytes) -> int:
    return int(struct.unpack(">h", glyph[:2])[0])


def _points(glyph: bytes) -> int:
    return 4 * _contours(glyph)


def _cmap(codes: Sequence[int]) -> bytes:
    """The table from code points to glyphs, in the format for all planes."""
    groups = b"".join(struct.pack(">LLL", code, code, place) for place, code in enumerate(codes, 1))
    head = struct.pack(">HHHHL", 0, 1, 3, 10, 12)
    return head + struct.pack(">HHLLL", 12, 0, 16 + len(groups), 0, len(codes)) + groups


def _name(family: str) -> bytes:
    whole = family.replace(" ", "")
    names = {1: family, 2: "Regular", 3: family, 4: family, 5: "Version 1", 6: whole}
    records, texts = b"", b""
    for number, name in names.items():
        text = name.encode("utf-16-be")
        records += struct.pack(">HHHHHH", 3, 1, 0x409, number, len(text), len(texts))
        texts += text
    return struct.pack(">HHH", 0, len(names), 6 + len(records)) + records + texts


def _font_file(tables: dict[str, bytes]) -> bytes:
    """The file of tables, with their checksums."""
    count = len(tables)
    power = count.bit_length() - 1
    head = struct.pack(">LHHHH", 0x10000, count, 16 << power, power, 16 * count - (16 << power))
    at = len(head) + 16 * count
    records, body = b"", b""
    for tag, table in sorted(tables.items()):
        padded = table + bytes(-len(table) % 4)
        records += struct.pack(
            ">4sLLL", tag.encode(), _checksum(padded), at + len(body), len(table)
        )
        if tag == "head":
            adjusted = at + len(body) + 8
        body += padded
    whole = bytearray(head + records + body)
    struct.pack_into(">L", whole, adjusted, (0xB1B0AFBA - _checksum(whole)) & 0xFFFFFFFF)
    return bytes(whole)


def _checksum(table: bytes | bytearray) -> int:
    total: int = sum(struct.unpack(f">{len(table) // 4}L", table))
    return total & 0xFFFFFFFF
