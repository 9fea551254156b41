"""What Hugging Face's JavaScript makes of a `tokenizer.json`: ``@huggingface/tokenizers``, which Transformers.js runs.

It is a second implementation of the format. Its own patterns have JavaScript's ``\\s``, which knows U+FEFF and not
U+0085; strings are sequences of UTF-16 units; and several options are not read.

Not known here: the Unicode version of the JavaScript engine, where a character is newer than the tables of this program, and
U+0085 and U+FEFF beside a token with ``lstrip`` or ``rstrip``.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.comparing.readers.javascript_models import (
    joined_unknowns,
    left_unknowns,
    prefix,
    single_word,
    template,
    unigram_bytes,
    word_level,
)
from tokenarium_core.comparing.readers.json_steps import (
    DECODER,
    NORMALIZER,
    POST_PROCESSOR,
    PRE_TOKENIZER,
    PUNCTUATION,
    Step,
    before_lowercase,
    change_patterns,
    matches,
    patterns_of,
    put_steps,
    replace_steps,
    replacing,
    space_before,
    splitting,
    steps_of,
    to_bytes,
)
from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderRule
from tokenarium_core.comparing.readers.regex_escapes import greedy

_SOURCE: Final = "src/core in @huggingface/tokenizers 0.2.0"

SPACES: Final = "\\t\\n\\x0b\\x0c\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
"""The white space of JavaScript's ``\\s``, as a part of a class."""

_BYTE_LEVEL: Final = (
    rf"'s|'t|'re|'ve|'m|'ll|'d| ?\p{{L}}+| ?\p{{N}}+| ?[^{SPACES}\p{{L}}\p{{N}}]+"
    rf"|[{SPACES}]+(?![^{SPACES}])|[{SPACES}]+"
)
_IDEOGRAPHS: Final = "\\x{4e00}-\\x{9fff}\\x{3400}-\\x{4dbf}\\x{f900}-\\x{faff}"
_PLACE: Final = "\ufdd0"  # no character, and no normalization form changes it
_WAVE: Final = "\uff5e"

_KNOWN: Final = {
    NORMALIZER: (
        [
            "BertNormalizer",
            "Precompiled",
            "Replace",
            "NFC",
            "NFD",
            "NFKC",
            "NFKD",
            "Strip",
            "StripAccents",
            "Lowercase",
            "Prepend",
        ],
        "Normalizer",
    ),
    PRE_TOKENIZER: (
        [
            "BertPreTokenizer",
            "Whitespace",
            "WhitespaceSplit",
            "Metaspace",
            "ByteLevel",
            "Split",
            "Punctuation",
            "Digits",
            "Replace",
            "FixedLength",
        ],
        "PreTokenizer",
    ),
    POST_PROCESSOR: (
        ["TemplateProcessing", "ByteLevel", "BertProcessing", "RobertaProcessing"],
        "PostProcessor",
    ),
    DECODER: (
        [
            "ByteLevel",
            "WordPiece",
            "Metaspace",
            "BPEDecoder",
            "CTC",
            "Replace",
            "Fuse",
            "Strip",
            "ByteFallback",
        ],
        "Decoder",
    ),
}
_DOLLARS: Final = re.compile(r"(\$[$&`'<0-9])")
_NEEDED: Final = ("model", DECODER, POST_PROCESSOR, PRE_TOKENIZER, NORMALIZER)

_REFUSED_PATTERN: Final = re.compile(
    r"\\[RXKyYNO]"  # escapes of Oniguruma only
    r"|\(\?(?!i:|[:=!>]|<[=!]|<[A-Za-z_][A-Za-z0-9_]*>)"  # groups, such as (?i) and (?m:
)


def _unknown_types(draft: ReaderDraft) -> bool:
    fields = draft.json()
    for name in _NEEDED:
        if name not in fields:
            draft.refusal = f'Tokenizer must contain a "{name}" property'
            return True
    for stage, (known, kind) in _KNOWN.items():
        for step in steps_of(fields, stage):
            if step.get("type") not in known:
                draft.refusal = f"Unknown {kind} type: {step.get('type')}"
                return True
    return False


def _patterns(draft: ReaderDraft) -> bool:
    for pattern in patterns_of(draft.json()):
        if _REFUSED_PATTERN.search(pattern.replace("\\\\", "")):
            draft.refusal = f"Invalid regular expression: /{pattern}/gu"
            return True
    return False


def _possessive(draft: ReaderDraft) -> bool:
    return change_patterns(draft.json(), greedy)


# Normalizers.


def _settings(draft: ReaderDraft) -> bool:
    config = draft.file.config() if draft.file.is_folder else {}
    first: list[Step] = []
    if config.get("remove_space") is True:
        first += [
            replacing(rf"\A[{SPACES}]+", ""),
            replacing(rf"[{SPACES}]+\z", ""),
            replacing(rf"[{SPACES}]+", " "),
        ]
    if config.get("do_lowercase_and_remove_accent"):
        first += [{"type": "Lowercase"}, replacing(r"\p{M}", "")]
    if not first:
        return False
    fields = draft.json()
    put_steps(fields, NORMALIZER, first + steps_of(fields, NORMALIZER))
    return True


def _dollars(draft: ReaderDraft) -> bool:
    found = False
    for step in steps_of(draft.json(), NORMALIZER):
        content = str(step.get("content", ""))
        if step["type"] != "Replace" or "$" not in content:
            continue
        literal = step["pattern"].get("String")
        parts = _DOLLARS.split(content)
        for index in range(1, len(parts), 2):
            if parts[index] == "$$":
                parts[index] = "$"
            elif parts[index] == "$&" and literal is not None:
                parts[index] = literal
            elif literal is None or parts[index][1] in "`'":
                draft.unknown = (
                    f"The replacement {content!r} refers to the match, which cannot be run here."
                )
                return True
        changed = "".join(parts)
        if changed != content:
            step["content"] = changed
            found = True
    return found


def _stripping(step: Step) -> list[Step] | None:
    if step["type"] != "Strip":
        return None
    steps: list[Step] = []
    if step.get("strip_left"):
        steps.append(replacing(rf"\A[{SPACES}]+", ""))
    if step.get("strip_right"):
        steps.append(replacing(rf"[{SPACES}]+\z", ""))
    return steps


def _strip(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), NORMALIZER, _stripping)


def _fixed_list(step: Step) -> list[Step] | None:
    if step["type"] != "Precompiled":
        return None
    return [
        replacing(r"[\x01-\x08\x0b\x0e-\x1f\x7f\x{8f}\x{9f}]", ""),
        replacing(
            r"[\t\n\x0c\r\x{a0}\x{1680}\x{2000}-\x{200f}\x{2028}\x{2029}\x{202f}\x{205f}\x{2581}\x{3000}"
            r"\x{feff}\x{fffd}]",
            " ",
        ),
        replacing(_WAVE, _PLACE, literal=True),
        {"type": "NFKC"},
        replacing(_PLACE, _WAVE, literal=True),
    ]


def _precompiled(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), NORMALIZER, _fixed_list)


def _sigma(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), NORMALIZER, before_lowercase)


def _unspaced(step: Step) -> list[Step] | None:
    if step["type"] != "BertNormalizer" or not step.get("handle_chinese_chars"):
        return None
    return [{**step, "handle_chinese_chars": False}]


def _ideographs(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if not replace_steps(fields, NORMALIZER, _unspaced):
        return False
    steps = steps_of(fields, PRE_TOKENIZER)
    if not any(step["type"] in ("BertPreTokenizer", "WhitespaceSplit") for step in steps):
        draft.unknown = "Its spaces around ideographs cannot be run here with this pre-tokenizer."
        return True
    put_steps(fields, PRE_TOKENIZER, [*steps, splitting(f"[{_IDEOGRAPHS}]")])
    return True


# Pre-tokenizers.


def _byte_level_steps(step: Step) -> list[Step] | None:
    if step["type"] != "ByteLevel" or not step.get("use_regex", True):
        return None
    steps: list[Step] = []
    if step.get("add_prefix_space"):
        steps.append(space_before())
    return [*steps, splitting(_BYTE_LEVEL), to_bytes(step)]


def _byte_level(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _byte_level_steps)


_OWN_PATTERNS: Final = {
    "Whitespace": f"[0-9A-Za-z_]+|[^0-9A-Za-z_{SPACES}]+",
    "WhitespaceSplit": f"[^{SPACES}]+",
    "BertPreTokenizer": f"[^{SPACES}{PUNCTUATION}]+|[{PUNCTUATION}]",
}


def _ascii_words(step: Step) -> list[Step] | None:
    return [matches(_OWN_PATTERNS["Whitespace"])] if step["type"] == "Whitespace" else None


def _whitespace(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _ascii_words)


def _own_spaces(step: Step) -> list[Step] | None:
    if step["type"] not in ("WhitespaceSplit", "BertPreTokenizer"):
        return None
    return [matches(_OWN_PATTERNS[step["type"]])]


def _spaces(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _own_spaces)


def _ascii_digits(step: Step) -> list[Step] | None:
    if step["type"] != "Digits":
        return None
    return [splitting("[0-9]" if step.get("individual_digits") else "[0-9]+")]


def _digits(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _ascii_digits)


def _contiguous(step: Step) -> list[Step] | None:
    return [splitting(f"[{PUNCTUATION}]+")] if step["type"] == "Punctuation" else None


def _punctuation(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _contiguous)


def _behaving(step: Step) -> list[Step] | None:
    if step["type"] != "Split":
        return None
    behavior = str(step.get("behavior", ""))
    removed = behavior.lower() == "removed"
    if step.get("invert"):
        return None if removed else [{**step, "behavior": "Removed"}]
    if behavior == "Isolated" or (removed and "Regex" in step["pattern"]):
        return None
    return [{**step, "behavior": "Isolated"}]


def _split(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _behaving)


def _unsplit(step: Step) -> list[Step] | None:
    if step["type"] != "Metaspace" or not step.get("split", True):
        return None
    return [{**step, "split": False}]


def _metaspace(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), PRE_TOKENIZER, _unsplit)


def _units(draft: ReaderDraft) -> bool:
    if not any(step["type"] == "FixedLength" for step in steps_of(draft.json(), PRE_TOKENIZER)):
        return False
    draft.unknown = "Pre-tokens that begin or end inside a surrogate pair cannot be run here."
    return True


JAVASCRIPT: Final = Reader(
    "@huggingface/tokenizers",
    "0.2.0",
    ("huggingface",),
    (
        ReaderRule(
            "js-types",
            "Steps of some types are refused: the normalizers Nmt and ByteLevel, the pre-tokenizers UnicodeScripts and"
            " CharDelimiterSplit, and decoders that it does not know.",
            _SOURCE,
            _unknown_types,
        ),
        ReaderRule(
            "js-patterns",
            "Patterns that JavaScript cannot express are refused, such as (?i) for all that follows, and \\R.",
            _SOURCE,
            _patterns,
        ),
        ReaderRule(
            "js-possessive",
            "Possessive quantifiers and atomic groups of patterns are greedy: they give back a part where the rest needs it.",
            _SOURCE,
            _possessive,
        ),
        ReaderRule(
            "js-left-unknowns",
            "A character without an entry and without an unknown token stays between its neighbours, which are not merged.",
            _SOURCE,
            left_unknowns,
        ),
        ReaderRule(
            "js-joined-unknowns",
            "Unknown characters at the end of a pre-token and at the beginning of the next become one token.",
            _SOURCE,
            joined_unknowns,
        ),
        ReaderRule(
            "js-settings",
            "remove_space and do_lowercase_and_remove_accent of tokenizer_config.json change the text before the normalizer.",
            _SOURCE,
            _settings,
        ),
        ReaderRule(
            "js-dollar",
            "In the text that a Replace normalizer inserts, $$ is a dollar sign, and $& is what was matched.",
            _SOURCE,
            _dollars,
        ),
        ReaderRule(
            "js-precompiled",
            "The rules of a Precompiled normalizer are not read: a fixed list of controls and spaces, then NFKC, replaces"
            " them.",
            _SOURCE,
            _precompiled,
        ),
        ReaderRule(
            "js-strip",
            "Strip removes JavaScript's white space: U+FEFF, and not U+0085.",
            _SOURCE,
            _strip,
        ),
        ReaderRule(
            "js-sigma",
            "Lowercasing makes a final sigma (\u03c2) of a \u03a3 at the end of a word.",
            _SOURCE,
            _sigma,
        ),
        ReaderRule(
            "js-ideographs",
            "BertNormalizer puts no spaces around ideographs beyond U+FFFF.",
            _SOURCE,
            _ideographs,
        ),
        ReaderRule(
            "js-byte-level",
            "The pattern of ByteLevel takes U+FEFF for white space, and not U+0085.",
            _SOURCE,
            _byte_level,
        ),
        ReaderRule(
            "js-whitespace",
            "Whitespace splits between letters of ASCII and others, as between a word and punctuation.",
            _SOURCE,
            _whitespace,
        ),
        ReaderRule(
            "js-spaces",
            "WhitespaceSplit and BertPreTokenizer take U+FEFF for white space, and not U+0085; BertPreTokenizer has the punctuation"
            " of newer Unicode versions, such as U+061D.",
            _SOURCE,
            _spaces,
        ),
        ReaderRule(
            "js-digits",
            "Digits splits only at ASCII digits.",
            _SOURCE,
            _digits,
        ),
        ReaderRule(
            "js-punctuation",
            "Punctuation has one behavior, Contiguous: the one in the file is not read. It also has the punctuation of newer Unicode"
            " versions, such as U+061D.",
            _SOURCE,
            _punctuation,
        ),
        ReaderRule(
            "js-split",
            "Split has two behaviors: with invert, what does not match is removed; without it, what matches becomes a"
            " pre-token. Only Removed with a regular expression does what the file says.",
            _SOURCE,
            _split,
        ),
        ReaderRule(
            "js-metaspace",
            "Metaspace does not split at the spaces that it marks.",
            _SOURCE,
            _metaspace,
        ),
        ReaderRule(
            "js-units",
            "FixedLength counts UTF-16 units.",
            _SOURCE,
            _units,
        ),
        ReaderRule(
            "js-single-word",
            "The option single_word of added tokens is not read: they match inside words too.",
            _SOURCE,
            single_word,
        ),
        ReaderRule(
            "js-word-level",
            "WordLevel takes the unknown token of tokenizer_config.json, not that of the file.",
            _SOURCE,
            word_level,
        ),
        ReaderRule(
            "js-prefix",
            "BPE does not read continuing_subword_prefix, so that its merges do not apply.",
            _SOURCE,
            prefix,
        ),
        ReaderRule(
            "js-unigram-bytes",
            "Unigram does not read byte_fallback: unknown characters become the unknown token.",
            _SOURCE,
            unigram_bytes,
        ),
        ReaderRule(
            "js-template",
            "A special token of a template gets the id of the entry that has its name, not the ids in the template.",
            _SOURCE,
            template,
        ),
    ),
    compared="2026-11-30",
    about="new Tokenizer(tokenizer.json, tokenizer_config.json), as in @huggingface/transformers 4.3.2",
)
