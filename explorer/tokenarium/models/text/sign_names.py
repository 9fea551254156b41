"""Names of characters: short ones of those that draw nothing (controls, marks that only steer how text is set), and Unicode's."""

from __future__ import annotations

import unicodedata

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
"""The same for line and paragraph separators and format characters, after the Unicode code charts."""

_CONTROLS = [
    "NULL",
    "START OF HEADING",
    "START OF TEXT",
    "END OF TEXT",
    "END OF TRANSMISSION",
    "ENQUIRY",
    "ACKNOWLEDGE",
    "BELL",
    "BACKSPACE",
    "CHARACTER TABULATION",
    "LINE FEED",
    "LINE TABULATION",
    "FORM FEED",
    "CARRIAGE RETURN",
    "SHIFT OUT",
    "SHIFT IN",
    "DATA LINK ESCAPE",
    "DEVICE CONTROL ONE",
    "DEVICE CONTROL TWO",
    "DEVICE CONTROL THREE",
    "DEVICE CONTROL FOUR",
    "NEGATIVE ACKNOWLEDGE",
    "SYNCHRONOUS IDLE",
    "END OF TRANSMISSION BLOCK",
    "CANCEL",
    "END OF MEDIUM",
    "SUBSTITUTE",
    "ESCAPE",
    "INFORMATION SEPARATOR FOUR",
    "INFORMATION SEPARATOR THREE",
    "INFORMATION SEPARATOR TWO",
    "INFORMATION SEPARATOR ONE",
]
"""Unicode gives control characters no name, only these aliases."""

_LATER_CONTROLS = {0x7F: "DELETE", 0x85: "NEXT LINE"}


def character_name(character: str) -> str:
    """Returns Unicode's name of a character, "(no name)" for one that has none."""
    code = ord(character)
    if code < len(_CONTROLS):
        return _CONTROLS[code]
    if code in _LATER_CONTROLS:
        return _LATER_CONTROLS[code]
    return unicodedata.name(character, "(no name)")
