"""GPT-2's alphabet: a printable character for each of the 256 bytes, so that pieces can be text.

Bytes that Latin-1 prints stand for themselves; the other 68 are U+0100, U+0101 … in byte order, which
makes the space "Ġ" and the newline "Ċ".

Source: ``bytes_to_unicode`` of GPT-2's ``encoder.py`` (openai/gpt-2), whose files use it.
"""

from __future__ import annotations

from typing import Final


def _characters() -> list[str]:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters = [""] * 256
    for byte in printable:
        characters[byte] = chr(byte)
    following = 0x100
    for byte in range(256):
        if not characters[byte]:
            characters[byte] = chr(following)
            following += 1
    return characters


CHARACTERS: Final[list[str]] = _characters()
"""The character of each byte."""

BYTES: Final[dict[str, int]] = {character: byte for byte, character in enumerate(CHARACTERS)}
"""The byte of each character."""

_TO_TEXT: Final[dict[int, str]] = dict(enumerate(CHARACTERS))


def to_text(piece: bytes) -> str:
    """Returns a piece in GPT-2's alphabet: ``b" the"`` gives ``"Ġthe"``."""
    return piece.decode("latin-1").translate(_TO_TEXT)


def to_bytes(text: str) -> bytes:
    """Returns the bytes of a piece in GPT-2's alphabet; KeyError names a character outside it."""
    return bytes([BYTES[character] for character in text])
