"""What fastokens makes of a `tokenizer.json`: BPE only, with patterns that PCRE2 runs.

Not known here: U+180E, which PCRE2 takes for white space in some patterns, and entries that no merge makes, which stand for
a text that has characters without an entry.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.comparing.readers.json_steps import (
    NORMALIZER,
    POST_PROCESSOR,
    PRE_TOKENIZER,
    change_patterns,
    first_unknown_type,
    is_byte_level,
    missing_bytes,
    model_type,
    patterns_of,
)
from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderRule
from tokenarium_core.comparing.readers.regex_escapes import (
    escapes_of,
    possessive_intervals,
    replace_escapes,
)

_SOURCE: Final = "fastokens 0.3.5, as it runs"

_STAGES: Final = (
    (NORMALIZER, "normalizer", frozenset({"NFC", "Lowercase", "Replace", "Prepend"})),
    (PRE_TOKENIZER, "pre-tokenizer", frozenset({"ByteLevel", "Split", "Digits"})),
    (POST_PROCESSOR, "post-processor", frozenset({"TemplateProcessing", "ByteLevel"})),
)

_WORD: Final = r"\p{L}\p{N}\p{Mn}\p{Pc}"
_HAN: Final = (
    r"\p{Han}\x{b7}\x{3001}-\x{3003}\x{3005}-\x{3011}\x{3013}-\x{301f}\x{3021}-\x{302d}\x{3030}\x{3037}-\x{303f}"
    r"\x{30fb}\x{3190}-\x{319f}\x{31c0}-\x{31e3}\x{3220}-\x{3247}\x{3280}-\x{32b0}\x{32c0}-\x{32cb}\x{32ff}"
    r"\x{3358}-\x{3370}\x{337b}-\x{337f}\x{33e0}-\x{33fe}\x{fe45}\x{fe46}\x{ff61}-\x{ff65}"
)
_OUTSIDE: Final = {
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\b": f"(?:(?<![{_WORD}])(?=[{_WORD}])|(?<=[{_WORD}])(?![{_WORD}]))",
    r"\B": f"(?:(?<![{_WORD}])(?![{_WORD}])|(?<=[{_WORD}])(?=[{_WORD}]))",
    r"\h": r"[\t\p{Zs}\x{180e}]",
    r"\H": r"[^\t\p{Zs}\x{180e}]",
    r"\p{Han}": f"[{_HAN}]",
    r"\P{Han}": f"[^{_HAN}]",
}
_INSIDE: Final = {
    r"\w": _WORD,
    r"\h": r"\t\p{Zs}\x{180e}",
    r"\p{Han}": _HAN,
    "[:alpha:]": r"\p{L}",
}
_SAME_CLASSES: Final = frozenset({"[:alpha:]", "[:digit:]", "[:upper:]", "[:lower:]", "[:space:]"})
_GENERAL: Final = re.compile(r"\[?\\[pP]\{\^?(?:[LMNPSZC][a-z&]?|Han|Any)\}")
_REFUSED: Final = re.compile(r"\\[RXKO]")


def _types(draft: ReaderDraft) -> bool:
    fields = draft.json()
    for stage, name, known in _STAGES:
        unknown = first_unknown_type(fields, stage, known)
        if unknown:
            draft.refusal = f"{name} error: unsupported {name} type: {unknown}"
            return True
    kind = model_type(fields)
    if kind != "BPE":
        draft.refusal = f"model error: unsupported model type: {kind}"
    return draft.ended


def _gaps(draft: ReaderDraft) -> bool:
    ids = sorted(draft.json()["model"]["vocab"].values())
    if ids == list(range(len(ids))):
        return False
    draft.refusal = "model error: unsupported model type: Other"
    return True


def _bytes(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if not missing_bytes(fields):
        return False
    if is_byte_level(fields) and not fields["model"].get("end_of_word_suffix"):
        draft.refusal = "model error: a byte of the text has no token in vocabulary"
    elif fields["model"].get("unk_token") is None:
        draft.unknown = (
            "An unknown character stays between its neighbours, which cannot be run here."
        )
    return draft.ended


def _intervals(draft: ReaderDraft) -> bool:
    return change_patterns(draft.json(), possessive_intervals)


def _as_in_pcre(pattern: str) -> str:
    return replace_escapes(pattern, _OUTSIDE, _INSIDE)


def _classes(draft: ReaderDraft) -> bool:
    fields = draft.json()
    for pattern in patterns_of(fields):
        if "&&" in pattern and r"\p{Han}" in pattern:
            draft.unknown = "What \\p{Han} is in an intersection of classes is not known here."
            return True
        if _REFUSED.search(pattern.replace("\\\\", "")):
            draft.refusal = f"pre-tokenizer error: regex error in {pattern}"
            return True
        for escape in escapes_of(pattern):
            known = escape.removeprefix("[") in _INSIDE if escape[0] == "[" else escape in _OUTSIDE
            if known or escape in _SAME_CLASSES or (escape.startswith("[:") and escape in _INSIDE):
                continue
            properties = escape.removeprefix("[")[:2] in (r"\p", r"\P")
            if escape in (r"[\W", r"[\H") or escape.startswith("[:"):
                draft.unknown = (
                    f"What {escape.removeprefix('[')} is in a class of PCRE2 cannot be run here."
                )
            elif properties and not _GENERAL.fullmatch(escape):
                draft.unknown = (
                    f"Which characters PCRE2 has in {escape.removeprefix('[')} is not known here."
                )
            if draft.ended:
                return True
    return change_patterns(fields, _as_in_pcre)


FASTOKENS: Final = Reader(
    "fastokens",
    "0.3.5",
    ("huggingface",),
    (
        ReaderRule(
            "fast-types",
            "Only BPE is read, with the normalizers NFC, Lowercase, Replace and Prepend, the pre-tokenizers ByteLevel, Split"
            " and Digits, and the post-processors TemplateProcessing and ByteLevel.",
            _SOURCE,
            _types,
        ),
        ReaderRule(
            "fast-gaps",
            "A vocabulary whose ids have gaps is refused.",
            _SOURCE,
            _gaps,
        ),
        ReaderRule(
            "fast-bytes",
            "A text with a byte or character that has no entry is an error, or is split there.",
            _SOURCE,
            _bytes,
        ),
        ReaderRule(
            "fast-intervals",
            "A plus sign after an interval, as in {1,3}+, makes it possessive; Oniguruma repeats it, so that there is no limit.",
            _SOURCE,
            _intervals,
        ),
        ReaderRule(
            "fast-classes",
            r"Classes of patterns are those of PCRE2: \w has all numbers, \h is white space in a line, [:alpha:] has letters"
            r" only, and \p{Han} has what is written with Han as well.",
            _SOURCE,
            _classes,
        ),
    ),
    compared="2026-11-30",
    about="fastokens.Tokenizer.from_file(path)",
)
