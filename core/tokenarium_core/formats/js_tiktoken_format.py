"""The JSON of js-tiktoken, and of tiktoken's package for JavaScript: ranks in a row, a pattern and special tokens.

```json
{"pat_str": "…", "special_tokens": {"<|endoftext|>": 50256}, "bpe_ranks": "! 0 IQ== Ig== …\n! 256 IHQ= …"}
```

The package itself has it in modules of JavaScript, ``dist/ranks/gpt2.js`` and ``gpt2.cjs``: ``export default {…}``. The JSON in them
is read, and nothing is run.

A line of ``bpe_ranks`` has a word, the rank of its first entry, and entries in base64. A pattern that JavaScript takes
is read as it does there; it differs from tiktoken in what is white space. Any other one is read as tiktoken reads it.
Source: ``core.ts`` and ``utils.ts`` of js-tiktoken; ECMA-262, "WhiteSpace" and "CharacterClassEscape".
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, PatternError
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Format, named_after_file
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.tiktoken_format import check_order
from tokenarium_core.formats.tiktoken_pickle_format import tokenizer_of_ranks
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

_SPACES: Final = r"\t\n\x0B\x0C\r\x20\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}"
"""What ``\\s`` is in JavaScript, as the inside of a class: with U+FEFF and without U+0085."""

_MODULES: Final = (b"export default {", b"module.exports = {")
_END: Final = b"};"

_ESCAPE: Final = re.compile(r"\\(?:[pP]\{[^}]*\}|.)", re.DOTALL)
_CLASS: Final = re.compile(r"\[[^\]]*\]")
_ONLY_TIKTOKEN: Final = re.compile(r"[+*?}]\+|\(\?[^:=!<]")
"""Possessive repeats and flags, outside escapes and classes: JavaScript does not accept them."""

_OTHER_ESCAPES: Final = "AzZhHGKQRX"
_ASCII_ESCAPES: Final = "dDwWbB"
"""Escapes that JavaScript does not take, and those that mean ASCII alone there."""


def read_js_tiktoken(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of such a JSON; ``source`` names it in errors.

    Raises FormatError, with the field or the line of ``bpe_ranks``, for fields of other kinds, a rank that is not a number
    or out of range, what is not base64, an entry or a rank that was there before, and a pattern that cannot be run.
    """
    fields = whole_json(_in_module(content, source), source)
    pattern = fields.get("pat_str") if isinstance(fields, dict) else None
    special = fields.get("special_tokens") if isinstance(fields, dict) else None
    lines = fields.get("bpe_ranks") if isinstance(fields, dict) else None
    if not isinstance(pattern, str) or not isinstance(lines, str) or not isinstance(special, dict):
        raise FormatError(
            f"{source} should have the fields 'pat_str' and 'bpe_ranks' (texts) and 'special_tokens' (ids by text)."
        )
    if not all(type(token) is int for token in special.values()):
        raise FormatError(f"{source}: 'special_tokens' are not ids by their texts.")
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(lines.split("\n"), 1):
        words = line.split(" ")
        if not line:
            continue
        if len(words) < 2 or not (words[1].isascii() and words[1].isdigit() and len(words[1]) < 8):
            raise FormatError(
                f"{source}: line {number} of 'bpe_ranks' has no rank after its first word."
            )
        first = int(words[1])
        if first + len(words) > MAX_IDS:
            raise FormatError(
                f"{source}: line {number} of 'bpe_ranks' has ranks above {MAX_IDS - 1:,}, the most that fits."
            )
        for index, word in enumerate(words[2:]):
            try:
                piece = base64.b64decode(word, validate=True)
            except binascii.Error as error:
                raise FormatError(
                    f"{source}: line {number} of 'bpe_ranks' has {word[:40]!r}, which is not base64."
                ) from error
            if piece in ranks:
                raise FormatError(
                    f"{source}: line {number} of 'bpe_ranks' has the entry {word[:40]!r}, which an earlier line"
                    " already has."
                )
            ranks[piece] = first + index
    check_order(special, source)
    in_javascript = _is_javascript(pattern)
    try:
        cutter = _javascript(pattern) if in_javascript else tiktoken_pattern(pattern)
    except PatternError as error:
        raise FormatError(f"{source}: 'pat_str' cannot be read: {error}") from error
    tokenizer = tokenizer_of_ranks(ranks, special, cutter, source)
    library = "as in JavaScript: U+FEFF is white space, U+0085 is not" if in_javascript else ""
    tokenizer.details = [
        Detail("pattern", "pat_str", pattern),
        Detail("pattern", "read", library or "as in tiktoken: JavaScript does not accept it"),
    ]
    return tokenizer


def _in_module(content: bytes, source: str) -> bytes:
    """Returns the JSON of a module of JavaScript, or else the content; FormatError if the module has more than that."""
    for start in _MODULES:
        if content.startswith(start):
            inside = content.rstrip()
            if not inside.endswith(_END):
                raise FormatError(
                    f"{source} should end with {_END.decode()!r}, as a module of js-tiktoken does: it is cut off, or is"
                    " other code."
                )
            return inside[len(start) - 1 : -1]
    return content


def _is_javascript(pattern: str) -> bool:
    """Returns whether JavaScript takes a pattern, as far as its possessive repeats, flags and escapes say."""
    if any(escape[0][1] in _OTHER_ESCAPES for escape in _ESCAPE.finditer(pattern)):
        return False
    return _ONLY_TIKTOKEN.search(_CLASS.sub("c", _ESCAPE.sub("e", pattern))) is None


def _javascript(pattern: str) -> PreTokenizer:
    """Returns the pre-tokenizer of a pattern as JavaScript reads it; PatternError for what means something else there."""
    for match in _ESCAPE.finditer(pattern):
        if match[0][1] in _ASCII_ESCAPES:
            raise PatternError(
                f"{match[0]} at character {match.start()} matches only ASCII in JavaScript, which this program does"
                " not run.",
                match.start(),
            )
    written: list[str] = []
    inside = False
    at = 0
    while at < len(pattern):
        part = pattern[at]
        if part == "\\":
            part = pattern[at : at + 2]
            if part == "\\s":
                written.append(_SPACES if inside else f"[{_SPACES}]")
            elif part == "\\S":
                written.append(f"[^{_SPACES}]")
            else:
                written.append(part)
        elif part == "." and not inside:
            written.append(r"[^\n\r\x{2028}\x{2029}]")
        else:
            if inside and part in "[&~":
                part = f"\\{part}"  # which have a meaning within classes to tiktoken, and none in JavaScript
                at -= 1
            elif part in "[]":
                inside = part == "["
            written.append(part)
        at += len(part)
    return tiktoken_pattern("".join(written))


def _recognized(head: FileHead) -> int:
    in_module = head.content.startswith(_MODULES) and b'"bpe_ranks":"' in head.content
    return CERTAIN if in_module or head.fields.get("bpe_ranks") == '"' else NO


FORMAT: Final[Format] = Format(
    "js-tiktoken",
    "js-tiktoken's JSON and its modules",
    "js-tiktoken",
    (".json", ".js", ".cjs"),
    _recognized,
    named_after_file(read_js_tiktoken),
    signs="An object with the text `bpe_ranks`, also in a module that begins with `export default {` or `module.exports = {`.",
    algorithms="byte-level BPE by ranks",
    compared="js-tiktoken 1.0.21, and tiktoken 0.14",
)
