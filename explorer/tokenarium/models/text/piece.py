"""How pieces of a vocabulary, characters, figures and sentences are written for users."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import tokenarium_core as tc
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.qt_text import is_seen
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

_C0 = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)  # fmt: skip

CONTROL_NAMES = dict(enumerate(_C0)) | {0x7F: "DEL", 0x85: "NEL"}
"""Names of control characters by code point, as in ISO/IEC 6429; most of its second set are used nowhere."""

FORMAT_NAMES = {
    0x00AD: "SHY", 0x034F: "CGJ", 0x061C: "ALM", 0x115F: "HCF", 0x1160: "HJF", 0x17B4: "KAQ", 0x17B5: "KAA",
    0x180E: "MVS", 0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM", 0x2028: "LS",
    0x2029: "PS", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x2060: "WJ",
    0x2061: "f()", 0x2062: "×", 0x2063: ",", 0x2064: "+", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI",
    0x2069: "PDI", 0x3164: "HF", 0xFEFF: "BOM", 0xFFF9: "IAA", 0xFFFA: "IAS", 0xFFFB: "IAT",
}  # fmt: skip
"""The same for line and paragraph separators and format characters, by the Unicode code charts."""

_CONTROLS = (
    "NULL", "START OF HEADING", "START OF TEXT", "END OF TEXT", "END OF TRANSMISSION", "ENQUIRY",
    "ACKNOWLEDGE", "BELL", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED", "LINE TABULATION",
    "FORM FEED", "CARRIAGE RETURN", "SHIFT OUT", "SHIFT IN", "DATA LINK ESCAPE", "DEVICE CONTROL ONE",
    "DEVICE CONTROL TWO", "DEVICE CONTROL THREE", "DEVICE CONTROL FOUR", "NEGATIVE ACKNOWLEDGE",
    "SYNCHRONOUS IDLE", "END OF TRANSMISSION BLOCK", "CANCEL", "END OF MEDIUM", "SUBSTITUTE", "ESCAPE",
    "INFORMATION SEPARATOR FOUR", "INFORMATION SEPARATOR THREE", "INFORMATION SEPARATOR TWO",
    "INFORMATION SEPARATOR ONE",
)  # fmt: skip
"""Unicode gives control characters no name, only these aliases."""

_LATER_CONTROLS = {0x7F: "DELETE", 0x85: "NEXT LINE"}


def character_name(character: str) -> str:
    """Returns Unicode's name of a character, or "(no name)"."""
    code = ord(character)
    if code < len(_CONTROLS):
        return _CONTROLS[code]
    if code in _LATER_CONTROLS:
        return _LATER_CONTROLS[code]
    return unicodedata.name(character, "(no name)")


_SIGNS = {code: f"‹{code:04X}›" for code in range(0x80, 0xA0)}
_SIGNS |= {code: f"‹{name}›" for code, name in (CONTROL_NAMES | FORMAT_NAMES).items()}
_SIGNS[0x0C] = "‹000C›"  # its name, FF, would be that of a byte
_SIGNS |= {0x20: "·", 0x09: "⇥", 0x0A: "⏎", 0xA0: "⍽", 0xFE0E: "‹VS15›", 0xFE0F: "‹VS16›"}


@lru_cache(maxsize=1 << 15)
def readable(piece: bytes, limit: int = 80) -> str:
    """Returns the text of some bytes; a byte outside of whole characters is written as ‹E2›.

    A combining mark at the beginning gets a dotted circle: it would combine with what is written before.

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
    """Returns some bytes for users, in quotation marks; see `code_point_note` for what may follow.

    >>> quoted(b"the"), quoted("\u2028".encode())
    ('“the”', '“‹LS›” (U+2028 LINE SEPARATOR)')
    """
    return f"“{isolated(readable(piece, limit))}”{code_point_note(piece, always)}"


def code_point_note(piece: bytes, always: bool = False) -> str:
    """Returns a note with code point and name for bytes that are one invisible character; else an empty text.

    ``always``: for any character except visible ASCII.
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
    """Returns a score for users: whole numbers without a point, and with a real minus.

    >>> score_text(-12317.0), score_text(-9.125), score_text(-1e9)
    ('−12,317', '−9.12', '−1e9')
    """
    if abs(score) >= 1e7:  # in files, it means "never, or last of all"
        text = f"{score:.3g}".replace("e+0", "e").replace("e+", "e")
    else:
        text = f"{score:,.0f}" if score == int(score) else f"{score:,.2f}"
    return text.replace("-", "−")


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


def signs(vocabulary: tc.Vocabulary, token: int) -> list[Sign]:
    """Returns the signs in the spelling of a piece, each once, in order."""
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
                "continues a word",
                f"{affix} says that the entry continues a word.",
            )
        )
    elif kind == WORD_END:
        affix = vocabulary.affix
        found.append(Sign(affix, affix, "ends a word", f"{affix} says that the entry ends a word."))
    return found


def signs_note(vocabulary: tc.Vocabulary, tokens: Iterable[int], limit: int = 5) -> str:
    """Returns a line on the signs in the spelling of some pieces, or an empty text."""
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
    """Returns the signs for bytes outside of whole characters in a piece: ``\\xe2``."""
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


def counted(count: int, one: str, several: str = "") -> str:
    """Returns a number with its noun; by default, the plural ends in s.

    >>> counted(1, "token"), counted(2000, "entry", "entries")
    ('1 token', '2,000 entries')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def whole_percent(part: float, whole: float) -> str:
    """Returns a share in whole percent; only nothing is written as 0%.

    >>> whole_percent(1, 3), whole_percent(74, 103_352), whole_percent(0, 5), whole_percent(0, 0)
    ('33%', '<1%', '0%', '0%')
    """
    share = part / whole if whole else 0.0
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def percent(share: float) -> str:
    """Returns a share with one decimal; only nothing is written as 0%, and only all as 100%.

    >>> percent(0.998), percent(0.0312), percent(0.0004), percent(1), percent(0)
    ('99.8%', '3.1%', '<0.1%', '100%', '0%')
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    digits = 0 if share in (0, 1) else 1
    return f"{100 * share:.{digits}f}%"


@dataclass(frozen=True, slots=True)
class SentenceToken:
    """A piece within a sentence: its text for users, and its id (-1: none).

    ``superword``: it holds several words.
    """

    text: str
    id: int = -1
    superword: bool = False


Sentence = tuple[str | SentenceToken, ...]
"""Texts and pieces, one after the other."""


def plain(sentence: Sentence) -> str:
    """Returns a sentence with its pieces in quotation marks."""
    return "".join(part if isinstance(part, str) else _quoted(part) for part in sentence)


def _quoted(chip: SentenceToken) -> str:
    return f"“{chip.text}” (a superword)" if chip.superword else f"“{chip.text}”"
