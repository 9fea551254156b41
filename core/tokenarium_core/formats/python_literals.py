"""The literals of texts and bytes in Python's source, as ``repr`` writes them, without running anything.

Source: "String and Bytes literals" in the reference of the Python language.
"""

from __future__ import annotations

from typing import Final

_SINGLE: Final = {
    "\\": "\\", "'": "'", '"': '"', "\n": "",
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_OCTAL: Final = frozenset("01234567")
_LARGEST: Final = 0x10FFFF


def literal_bytes(literal: str) -> bytes:
    """Returns the bytes of a literal: those of ``b'…'``, and the UTF-8 of ``'…'``.

    Raises ValueError, with what is wrong after "which", for anything else; also for triple quotes, other prefixes and
    named characters, which ``repr`` never writes.
    """
    is_bytes = literal.startswith(("b", "B"))
    body = literal[1:] if is_bytes else literal
    if len(body) < 2 or body[0] not in "'\"" or body[-1] != body[0]:
        raise ValueError("is not a text or bytes in quotes")
    quote = body[0]
    body = body[1:-1]
    if is_bytes and not body.isascii():
        raise ValueError("has a character beyond ASCII among bytes")
    parts: list[str] = []
    start = 0
    while True:
        at = body.find("\\", start)
        plain = body[start:] if at < 0 else body[start:at]
        if quote in plain:
            raise ValueError("continues after its closing quote")
        parts.append(plain)
        if at < 0:
            break
        if at + 1 == len(body):
            raise ValueError("ends within an escape")
        text, start = _escaped(body, at + 1, is_bytes)
        parts.append(text)
    text = "".join(parts)
    if is_bytes:
        return text.encode("latin-1")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError("has half a surrogate pair, which has no UTF-8") from None


def _escaped(body: str, at: int, is_bytes: bool) -> tuple[str, int]:
    """Returns what the escape with the letter at ``at`` stands for, and the place after it."""
    letter = body[at]
    if letter in _SINGLE:
        return _SINGLE[letter], at + 1
    if letter in _OCTAL:
        stop = at + 1
        while stop < min(at + 3, len(body)) and body[stop] in _OCTAL:
            stop += 1
        code = int(body[at:stop], 8)
        if code > 0xFF:
            raise ValueError("has an octal escape above \\377")
        return chr(code), stop
    if letter == "N" and not is_bytes:
        raise ValueError("names a character (\\N), which is not read")
    if letter not in _DIGITS or (is_bytes and letter != "x"):
        return "\\" + letter, at + 1  # as Python has it, with a warning
    stop = at + 1 + _DIGITS[letter]
    digits = body[at + 1 : stop]
    if len(digits) < _DIGITS[letter] or not _HEX.issuperset(digits):
        raise ValueError(f"has an escape \\{letter} without its {_DIGITS[letter]} digits")
    code = int(digits, 16)
    if code > _LARGEST:
        raise ValueError("has an escape above U+10FFFF")
    return chr(code), stop
