"""How pieces of a vocabulary, characters, figures and sentences are written for users."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import tokenarium_core as tc
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.qt_text import is_seen, notice
from tokenarium_core.vocabulary import CONTINUING, WORD_END

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
    "ACKNOWLEDGE", "ALERT", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED", "LINE TABULATION",
    "FORM FEED", "CARRIAGE RETURN", "SHIFT OUT", "SHIFT IN", "DATA LINK ESCAPE", "DEVICE CONTROL ONE",
    "DEVICE CONTROL TWO", "DEVICE CONTROL THREE", "DEVICE CONTROL FOUR", "NEGATIVE ACKNOWLEDGE",
    "SYNCHRONOUS IDLE", "END OF TRANSMISSION BLOCK", "CANCEL", "END OF MEDIUM", "SUBSTITUTE", "ESCAPE",
    "INFORMATION SEPARATOR FOUR", "INFORMATION SEPARATOR THREE", "INFORMATION SEPARATOR TWO",
    "INFORMATION SEPARATOR ONE",
)  # fmt: skip
"""Unicode gives control characters no name, only these aliases."""

_LATER_CONTROLS = (
    "DELETE", "PADDING CHARACTER", "HIGH OCTET PRESET", "BREAK PERMITTED HERE", "NO BREAK HERE", "INDEX",
    "NEXT LINE", "START OF SELECTED AREA", "END OF SELECTED AREA", "CHARACTER TABULATION SET",
    "CHARACTER TABULATION WITH JUSTIFICATION", "LINE TABULATION SET", "PARTIAL LINE FORWARD",
    "PARTIAL LINE BACKWARD", "REVERSE LINE FEED", "SINGLE SHIFT TWO", "SINGLE SHIFT THREE",
    "DEVICE CONTROL STRING", "PRIVATE USE ONE", "PRIVATE USE TWO", "SET TRANSMIT STATE", "CANCEL CHARACTER",
    "MESSAGE WAITING", "START OF GUARDED AREA", "END OF GUARDED AREA", "START OF STRING",
    "SINGLE GRAPHIC CHARACTER INTRODUCER", "SINGLE CHARACTER INTRODUCER", "CONTROL SEQUENCE INTRODUCER",
    "STRING TERMINATOR", "OPERATING SYSTEM COMMAND", "PRIVACY MESSAGE", "APPLICATION PROGRAM COMMAND",
)  # fmt: skip
"""The same from U+007F on."""

_KINDS_WITHOUT_NAMES = {"Co": "private use", "Cs": "surrogate"}


@lru_cache(maxsize=1 << 14)
def character_name(character: str) -> str:
    """Returns Unicode's name of a character; for one without a name an alias, or what its code point is for.

    >>> (
    ...     character_name("a"),
    ...     character_name("\\n"),
    ...     character_name("\\ue000"),
    ...     character_name("\\U0001fae9"),
    ... )
    ('LATIN SMALL LETTER A', 'LINE FEED', 'private use', 'FACE WITH BAGS UNDER EYES')
    """
    import unicodedata2  # here, as the window starts without names; Python's own table may be years older

    code = ord(character)
    if code < len(_CONTROLS):
        return _CONTROLS[code]
    if 0x7F <= code < 0xA0:
        return _LATER_CONTROLS[code - 0x7F]
    name: str = unicodedata2.name(character, "")
    if name:
        return name
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return "noncharacter"
    return _KINDS_WITHOUT_NAMES.get(unicodedata2.category(character), "unassigned")


SPACE = "␣"
"""The sign for a space. A middle dot would look like the character U+00B7, which shows itself."""

_SIGNS = {code: f"‹{code:04X}›" for code in range(0x80, 0xA0)}
_SIGNS |= {code: f"‹{name}›" for code, name in (CONTROL_NAMES | FORMAT_NAMES).items()}
_SIGNS |= {0x20: SPACE, 0x09: "⇥", 0x0A: "⏎", 0xA0: "⍽", 0xFE0E: "‹VS15›", 0xFE0F: "‹VS16›"}


def byte_sign(byte: int) -> str:
    """Returns the sign of a byte that is not part of a whole character, as SentencePiece spells it.

    >>> byte_sign(0xE2)
    '<0xE2>'
    """
    return f"<0x{byte:02X}>"


@lru_cache(maxsize=1 << 15)
def readable(piece: bytes, limit: int = 80) -> str:
    """Returns the text of some bytes; a byte outside whole characters is written as <0xE2>.

    A combining mark at the beginning gets a dotted circle: it would combine with what is written before.

    >>> readable(b" the\\n")
    '␣the⏎'
    >>> readable(b"a\\0\\r")
    'a‹NUL›‹CR›'
    >>> readable("é".encode()[:1])
    '<0xC3>'
    >>> readable("ै,".encode())
    '◌ै,'
    """
    text = piece.decode("utf-8", "surrogateescape").translate(_SIGNS)
    notice(text[:limit])
    shown = "".join(
        byte_sign(ord(c) - 0xDC00) if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text[:limit]
    )
    if unicodedata.category(text[:1] or " ").startswith("M"):
        shown = f"◌{shown}"
    return shown + "…" if len(text) > limit else shown


_HARMFUL = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u202a-\\u202e\\u2066\\u2067\\ud800-\\udfff]"
)
"""Characters that command a terminal, break lines elsewhere, turn the text around them, or belong to no encoding."""


def harmless(text: str) -> str:
    """Returns a text in which characters that would change what is around it, on a terminal or a page, are signs.

    A file's name may have them. Newlines, tabs and isolates are left.

    >>> harmless("a\\x1b[31m\\u202eb\\udcff\\n")
    'a‹ESC›[31m‹RLO›b‹DCFF›\\n'
    """
    return _HARMFUL.sub(_sign_of, text) if not text.isprintable() else text


def _sign_of(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _SIGNS.get(code, f"‹{code:04X}›")


def in_tile(text: str) -> str:
    """Returns a readable text with its single bytes as digits alone, for a narrow tile.

    >>> in_tile("a<0xE0><0xA4>")
    'a E0 A4'
    """
    return _BYTE.sub(r" \1", text).strip() if "<0x" in text else text


_BYTE = re.compile("<0x([0-9A-F]{2})>")


def as_read(piece: bytes, limit: int = 400) -> str:
    """Returns bytes as a text to be read, not taken apart: only controls, and bytes of no whole character, are signs.

    >>> as_read(b" a\\0b "), as_read(b"  ")
    ('a‹NUL›b', '␣␣')
    """
    text = piece.decode("utf-8", "surrogateescape")[:limit]
    notice(text)
    shown = "".join(
        byte_sign(ord(c) - 0xDC00)
        if 0xDC80 <= ord(c) <= 0xDCFF
        else _SIGNS.get(ord(c), c)
        if unicodedata.category(c) == "Cc"
        else c
        for c in text
    ).strip()
    seen = any(unicodedata.category(c)[0] not in "ZC" for c in shown)
    return (
        (shown + "…" if len(piece) > len(text.encode("utf-8", "surrogateescape")) else shown)
        if seen
        else readable(piece, limit)
    )


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


class NumberBase:
    """How bytes and code points are written for users: in hexadecimal, or in decimal, as Python's ``ord`` and ``list``."""

    decimal = False


def byte_numbers(data: bytes, limit: int = 32) -> str:
    """Returns bytes as numbers in the chosen base: pairs of hexadecimal digits, or decimal numbers.

    >>> byte_numbers(b"h\\xc3")
    '68 C3'
    """
    if not NumberBase.decimal:
        return hexadecimal(data, limit)
    return " ".join(map(str, data[:limit])) + (" …" if len(data) > limit else "")


def code_point_number(code: int) -> str:
    """Returns the number of a code point in the chosen base: "U+C548", or 50504.

    >>> code_point_number(0xC548)
    'U+C548'
    """
    return str(code) if NumberBase.decimal else f"U+{code:04X}"


def json_score(score: float) -> float | None:
    """Returns a score; None for an infinite one, which JSON cannot write."""
    return score if math.isfinite(score) else None


def score_text(score: float) -> str:
    """Returns a score for users: whole numbers without a point, and with a real minus; a dash if it is not a number.

    >>> score_text(-12317.0), score_text(-9.125), score_text(-1e9), score_text(math.nan)
    ('−12,317', '−9.12', '−1e9', '–')
    """
    if math.isnan(score):
        return "–"  # the difference of two infinite sums
    if abs(score) >= 1e7:  # in files, it means "never, or last of all"
        text = f"{score:.3g}".replace("e+0", "e").replace("e+", "e")
    else:
        text = f"{score:,.0f}" if score == int(score) else f"{score:,.2f}"
    return text.replace("-", "−")


def score_number(score: float) -> str:
    """Returns a score as programs read it: exact, with a hyphen for a minus, and nothing between the thousands.

    >>> score_number(-6781.0), score_number(-9.125), score_number(-1e9)
    ('-6781', '-9.125', '-1000000000')
    """
    return f"{score:.0f}" if score == round(score, 0) and abs(score) < 1e15 else repr(score)


def piece_text(vocabulary: tc.Vocabulary, token: int, limit: int = 80) -> str:
    """Returns an entry for users: the bytes that it stands for, as `readable` writes them, with its affix (``##ing``).

    How its file spells it (``Ġthe``) is `Vocabulary.surface`, shown only where it is called that.
    """
    text = readable(vocabulary.piece(token), limit)
    kind = vocabulary.kinds[token]
    if kind == CONTINUING:
        return vocabulary.affix + text
    return text + vocabulary.affix if kind == WORD_END else text


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign, and what it stands for in a few words ("a space") and in a sentence.

    Of signs of one ``kind`` a note explains only the first.
    """

    kind: str
    sign: str
    short: str
    sentence: str


def signs(vocabulary: tc.Vocabulary, token: int) -> list[Sign]:
    """Returns the signs in the text of an entry (see `piece_text`), each once, in order."""
    piece, kind, affix = vocabulary.piece(token), vocabulary.kinds[token], vocabulary.affix
    signs_of_entry: list[Sign] = []
    if kind == CONTINUING:
        said = f"{affix} says that the entry continues a word."
        signs_of_entry.append(Sign(affix, affix, "continues a word", said))
    if b" " in piece:
        signs_of_entry.append(Sign(SPACE, SPACE, "a space", f"{SPACE} stands for a space."))
    lone = piece.decode("utf-8", "surrogateescape")
    for byte in dict.fromkeys(ord(c) - 0xDC00 for c in lone if 0xDC80 <= ord(c) <= 0xDCFF):
        sign = byte_sign(byte)
        said = f"{sign} is the byte 0x{byte:02X}, part of a character."
        signs_of_entry.append(Sign("byte", sign, "a byte, part of a character", said))
    if kind == WORD_END:
        said = f"{affix} says that the entry ends a word."
        signs_of_entry.append(Sign(affix, affix, "ends a word", said))
    return signs_of_entry


def signs_note(vocabulary: tc.Vocabulary, tokens: Iterable[int], limit: int = 5) -> str:
    """Returns a line on the signs in the texts of some entries, or an empty text."""
    by_kind: dict[str, Sign] = {}
    for token in tokens:
        for sign in signs(vocabulary, token):
            by_kind.setdefault(sign.kind, sign)
    parts = [f"{sign.sign} {sign.short}" for sign in list(by_kind.values())[:limit]]
    return " · ".join(parts)


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
