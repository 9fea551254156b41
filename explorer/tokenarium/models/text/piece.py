"""Bytes as a person reads them: blanks, controls and bytes that are no character made visible."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from tokenarium.models.text.direction import isolated
from tokenarium.models.text.qt_text import is_seen
from tokenarium.models.text.sign_names import CONTROL_NAMES, FORMAT_NAMES, character_name

_SIGNS = {code: f"‹{code:04X}›" for code in range(0x80, 0xA0)}
_SIGNS |= {code: f"‹{name}›" for code, name in (CONTROL_NAMES | FORMAT_NAMES).items()}
_SIGNS[0x0C] = "‹000C›"  # its name, FF, would be that of a byte
_SIGNS |= {0x20: "·", 0x09: "⇥", 0x0A: "⏎", 0xA0: "⍽", 0xFE0E: "‹VS15›", 0xFE0F: "‹VS16›"}


@lru_cache(maxsize=1 << 15)
def readable(piece: bytes, limit: int = 80) -> str:
    """Returns the text of some bytes; a byte that is part of no whole character stands as ‹E2›.

    A mark at the beginning has a circle to stand on: it would sit on what is written before, such as a quotation mark.

    >>> readable(b" the\\n")
    '·the⏎'
    >>> readable(b"a\\0\\r")
    'a‹NUL›‹CR›'
    >>> readable("é".encode()[:1])
    '‹C3›'
    >>> readable("ै,".encode())
    '◌ै,'
    """
    text = piece.decode("utf-8", "surrogateescape").translate(_SIGNS)
    shown = "".join(
        f"‹{ord(c) - 0xDC00:02X}›" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text[:limit]
    )
    if unicodedata.category(text[:1] or " ").startswith("M"):
        shown = f"◌{shown}"
    return shown + "…" if len(text) > limit else shown


def quoted(piece: bytes, limit: int = 80, always: bool = False) -> str:
    """Returns some bytes as people read them, in quotation marks; see `code_point_note` for what may follow.

    >>> quoted(b"the"), quoted("\u2028".encode())
    ('“the”', '“‹LS›” (U+2028 LINE SEPARATOR)')
    """
    return f"“{isolated(readable(piece, limit))}”{code_point_note(piece, always)}"


def code_point_note(piece: bytes, always: bool = False) -> str:
    """Returns the code point and the name of bytes that are one character that is not seen, to write after it; else nothing.

    ``always``: of any character but those of ASCII that can be seen.
    """
    if len(piece) > 4:
        return ""
    text = piece.decode("utf-8", "ignore")
    if len(text) != 1 or text.encode() != piece or "!" <= text <= "~":
        return ""
    if not always and (text in " \t\n" or is_seen(text)):
        return ""
    return f" (U+{ord(text):04X} {character_name(text)})"


def hexadecimal(data: bytes, limit: int = 32) -> str:
    """Returns bytes as pairs of hexadecimal digits.

    >>> hexadecimal(b"h\\xc3")
    '68 C3'
    """
    shown = data[:limit].hex(" ").upper()
    return shown + " …" if len(data) > limit else shown


def score_text(score: float) -> str:
    """Returns a score as people read it: whole ones without a point, and with a real minus.

    >>> score_text(-12317.0), score_text(-9.125), score_text(-1e9)
    ('−12,317', '−9.12', '−1e9')
    """
    if abs(score) >= 1e7:  # in files that mean "never, or last of all"
        text = f"{score:.3g}".replace("e+0", "e").replace("e+", "e")
    else:
        text = f"{score:,.0f}" if score == int(score) else f"{score:,.2f}"
    return text.replace("-", "−")
