"""Custom normalization rules, in the form that SentencePiece's trainer reads, and their compilation.

A rule is a line: the code points of a text in hexadecimal, with whitespace between them; a tab; those of its
replacement, none to remove the text. What follows another tab is a comment. Of two rules for the same text the last
counts, and of two texts with a common beginning the longest match, as in SentencePiece.

Source: ``Builder::LoadCharsMap`` and ``CompileCharsMap`` in google/sentencepiece's ``src/builder.cc``.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.errors import FormatError, NotAvailable, TokenariumError

MOST_RULES: Final = 1 << 20
"""The most rules of a table; NFKC has 200,000."""

_LONGEST: Final = (
    255  # code points on each side, which then have at most the 1,024 bytes that are read
)
_NESTED: Final = 31  # texts of which one begins with another
_SHOWN: Final = 40
_CODE: Final = re.compile(r"(?:U\+|0[xX])?([0-9A-Fa-f]{1,8})")
_NAME: Final = "normalization_rule_tsv"


def read_rules(content: str) -> dict[str, str]:
    """Returns the rules of a table, the texts with their replacements.

    FormatError, with the line, for an invalid rule.
    """
    rules: dict[str, str] = {}
    for number, line in enumerate(content.removeprefix("\ufeff").split("\n"), 1):
        line = line.removesuffix("\r")
        if not line.strip(" \t"):
            continue
        source, tab, rest = line.partition("\t")
        if not tab:
            raise _fault(
                number,
                line,
                "has no tab: a replacement follows it, or nothing where the text is removed",
            )
        text = _characters(source, number, line)
        replacement = _characters(rest.partition("\t")[0], number, line)
        if not text:
            raise _fault(number, line, "has no code point before the tab")
        if text == replacement:
            raise _fault(number, line, "replaces a text by itself, which changes nothing")
        rules[text] = replacement
        if len(rules) > MOST_RULES:
            raise _fault(
                number, line, f"is one rule more than the {MOST_RULES:,} that there may be"
            )
    if not rules:
        raise FormatError(
            f"{_NAME} has no rules: write one in each line, such as 00DF, a tab, and 0073 0073."
        )
    _check_nesting(rules)
    return rules


def compiled_table(content: str) -> bytes:
    """Returns the rules of a table as SentencePiece compiles them, in a serialized ``NormalizerSpec``.

    FormatError for an invalid line; NotAvailable without sentencepiece, which compiles them.
    """
    rules = read_rules(content)
    try:
        import sentencepiece
    except ImportError as error:
        raise NotAvailable(
            f"The rules of {_NAME} are compiled by the package sentencepiece: pip install"
            ' "tokenarium-core[sentencepiece]", or leave them out.'
        ) from error
    # It writes a line for each step otherwise; its level of 1 leaves warnings and errors.
    sentencepiece.SetMinLogLevel(1)
    try:
        normalizer = sentencepiece.SentencePieceNormalizer(norm_map=list(rules.items()))
    except (RuntimeError, ValueError, TypeError, OSError) as error:
        said = " ".join(str(error).split())
        raise TokenariumError(f"{_NAME} cannot be compiled by sentencepiece: {said}") from error
    spec: bytes = normalizer.serialized_normalizer_spec()
    return spec


def _characters(codes: str, number: int, line: str) -> str:
    """Returns the text of code points in hexadecimal."""
    characters: list[str] = []
    for code in codes.split(" "):
        if not code:
            continue
        match = _CODE.fullmatch(code)
        if match is None:
            shown = repr(code if len(code) <= _SHOWN else f"{code[:_SHOWN]}…")
            raise _fault(number, line, f"has {shown}, which is not a code point in hexadecimal")
        value = int(match[1], 16)
        if not 0 < value < 0x110000 or 0xD800 <= value < 0xE000:
            raise _fault(number, line, f"has U+{value:04X}, which is not a character of a text")
        characters.append(chr(value))
        if len(characters) > _LONGEST:
            raise _fault(number, line, f"has more than {_LONGEST} code points on a side of the tab")
    return "".join(characters)


def _check_nesting(rules: dict[str, str]) -> None:
    """Raises FormatError if more texts are prefixes of one another than SentencePiece looks for."""
    for text in rules:
        if len(text) <= _NESTED:
            continue
        nested = sum(text[:size] in rules for size in range(1, len(text) + 1))
        if nested > _NESTED:
            raise FormatError(
                f"{_NAME} has {nested} rules for {text[:_SHOWN]!r} and what it begins with, and SentencePiece tries"
                f" {_NESTED}: leave some out."
            )


def _fault(number: int, line: str, why: str) -> FormatError:
    shown = repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")
    return FormatError(
        f"Line {number:,} of {_NAME} {why}: {shown}. A rule is code points in hexadecimal, a tab, and those of the"
        " replacement."
    )
