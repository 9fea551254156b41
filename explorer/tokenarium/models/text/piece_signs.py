"""The signs with which vocabularies spell what cannot be printed: ``Ġ``, ``▁``, ``<0xE2>``, ``##``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.text.sign_names import character_name
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    BYTE_ALPHABET,
    CONTINUING,
    CONTROL,
    PLAIN,
    SPACE_MARK,
    USER_DEFINED,
    WORD_END,
)


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign, and what it stands for in a few words ("= 20, the space") and in a sentence.

    Of signs of one ``kind`` a note explains only the first.
    """

    kind: str
    sign: str
    short: str
    sentence: str


ALPHABET = "GPT-2's alphabet"

ABOUT_ALPHABET = "GPT-2's alphabet has a printable character for each of the 256 bytes, so that entries can be text."


def signs(vocabulary: tc.Vocabulary, token: int) -> list[Sign]:
    """Returns the signs in the spelling of a piece, each once, in their order."""
    surface = vocabulary.surface(token)
    kind = vocabulary.kinds[token]
    found: list[Sign] = []
    outside = token in vocabulary.outside or kind in (CONTROL, USER_DEFINED)
    if vocabulary.spelling == BYTE_ALPHABET and not outside:
        found += [
            _of_alphabet(c) for c in dict.fromkeys(surface) if c > "~" and c in byte_alphabet.BYTES
        ]
    elif vocabulary.spelling == SPACE_MARK:
        if kind == BYTE:
            byte = surface[3:5]
            found.append(
                Sign(
                    "byte",
                    surface,
                    "one byte by its number",
                    f"{surface} stands for the byte 0x{byte} alone.",
                )
            )
        elif "▁" in surface:
            found.append(Sign("▁", "▁", "a space", "▁ stands for a space."))
    elif vocabulary.spelling == PLAIN and not outside:
        found += _escapes(vocabulary.piece(token))
    if kind == CONTINUING:
        affix = vocabulary.affix
        found.append(
            Sign(
                affix,
                affix,
                "goes on with a word",
                f"{affix} says that the entry goes on with a word.",
            )
        )
    elif kind == WORD_END:
        affix = vocabulary.affix
        found.append(Sign(affix, affix, "ends a word", f"{affix} says that the entry ends a word."))
    return found


def signs_note(vocabulary: tc.Vocabulary, tokens: Iterable[int], limit: int = 5) -> str:
    """Returns a line on the signs in the spelling of some pieces; empty where there are none."""
    found: dict[str, Sign] = {}
    for token in tokens:
        for sign in signs(vocabulary, token):
            found.setdefault(sign.kind, sign)
    if not found:
        return ""
    blanks_first = sorted(found.values(), key=lambda sign: sign.kind == "part")
    parts = [f"{sign.sign} {sign.short}" for sign in blanks_first[:limit]]
    more = " …" if len(found) > limit else ""
    line = " · ".join(parts) + more
    return f"{line} ({ALPHABET})" if vocabulary.spelling == BYTE_ALPHABET else line


def _of_alphabet(character: str) -> Sign:
    byte = byte_alphabet.BYTES[character]
    name = f"the {_BLANKS[byte]}" if byte in _BLANKS else "part of a character"
    if byte < 0x80 and byte not in _BLANKS:
        name = character_name(chr(byte)).lower()
    return Sign(
        "part" if byte >= 0x80 else character,
        character,
        f"= {byte:02X}, {name}",
        f"{character} stands for the byte 0x{byte:02X}: {name}.",
    )


_BLANKS = {0x20: "space", 0x0A: "line feed", 0x09: "tab", 0x0D: "carriage return"}


def _escapes(piece: bytes) -> list[Sign]:
    """Returns the bytes of a piece that are part of no whole character in it: ``\\xe2``."""
    lone = piece.decode("utf-8", "surrogateescape")
    bad = dict.fromkeys(ord(c) - 0xDC00 for c in lone if 0xDC80 <= ord(c) <= 0xDCFF)
    return [
        Sign(
            "byte",
            f"\\x{byte:02x}",
            f"the byte {byte:02X}, part of a character",
            f"\\x{byte:02x} is the byte 0x{byte:02X}, part of a character.",
        )
        for byte in bad
    ]
