"""What Hugging Face's JavaScript makes of a `tokenizer.json`: ``@huggingface/tokenizers``, which Transformers.js runs.

It is a second implementation of the format. Its own patterns have JavaScript's ``\\s``, which knows U+FEFF and not
U+0085; strings are sequences of UTF-16 units; and several options are not read.

Not known here: the Unicode version of the JavaScript engine, where a character is newer than the tables of this program, and
U+0085 and U+FEFF beside a token with ``lstrip`` or ``rstrip``.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.comparing.readers.json_steps import (
    DECODER,
    NORMALIZER,
    POST_PROCESSOR,
    PRE_TOKENIZER,
    Step,
    before_lowercase,
    change_patterns,
    drop_flags,
    keep_words_whole,
    matches,
    missing_bytes,
    model_type,
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

_PUNCTUATION: Final = r"\p{P}!-/:-@\[-`{-~"
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
    def change(step: Step) -> list[Step] | None:
        content = step.get("content", "")
        if step.get("type") != "Replace" or "$" not in content:
            return None
        literal = step["pattern"].get("String")
        whole = "" if literal is None else literal
        found = [match.group() for match in re.finditer(r"\$[$&`'<0-9]", content)]
        if any(one[1] in "`'" or (literal is None and one != "$$") for one in found):
            draft.unknown = (
                f"The replacement {content!r} refers to the match, which cannot be run here."
            )
            return None
        changed = re.sub(r"\$[$&]", lambda match: "$" if match.group() == "$$" else whole, content)
        if changed == content:
            return None
        return [{**step, "content": changed}]

    return replace_steps(draft.json(), NORMALIZER, change) or bool(draft.unknown)


def _strip(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        if step["type"] != "Strip":
            return None
        steps: list[Step] = []
        if step.get("strip_left"):
            steps.append(replacing(rf"\A[{SPACES}]+", ""))
        if step.get("strip_right"):
            steps.append(replacing(rf"[{SPACES}]+\z", ""))
        return steps

    return replace_steps(draft.json(), NORMALIZER, change)


def _precompiled(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
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

    return replace_steps(draft.json(), NORMALIZER, change)


def _sigma(draft: ReaderDraft) -> bool:
    return replace_steps(draft.json(), NORMALIZER, before_lowercase)


def _ideographs(draft: ReaderDraft) -> bool:
    fields = draft.json()
    spaced: list[Step] = []

    def change(step: Step) -> list[Step] | None:
        if step["type"] != "BertNormalizer" or not step.get("handle_chinese_chars"):
            return None
        spaced.append(step)
        return [{**step, "handle_chinese_chars": False}]

    found = replace_steps(fields, NORMALIZER, change)
    if not found:
        return False
    steps = steps_of(fields, PRE_TOKENIZER)
    if not any(step["type"] in ("BertPreTokenizer", "WhitespaceSplit") for step in steps):
        draft.unknown = "Its spaces around ideographs cannot be run here with this pre-tokenizer."
        return True
    put_steps(fields, PRE_TOKENIZER, [*steps, splitting(f"[{_IDEOGRAPHS}]")])
    return True


# Pre-tokenizers.


def _byte_level(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        if step["type"] != "ByteLevel" or not step.get("use_regex", True):
            return None
        steps: list[Step] = []
        if step.get("add_prefix_space"):
            steps.append(space_before())
        return [*steps, splitting(_BYTE_LEVEL), to_bytes(step)]

    return replace_steps(draft.json(), PRE_TOKENIZER, change)


_OWN_PATTERNS: Final = {
    "Whitespace": f"[0-9A-Za-z_]+|[^0-9A-Za-z_{SPACES}]+",
    "WhitespaceSplit": f"[^{SPACES}]+",
    "BertPreTokenizer": f"[^{SPACES}{_PUNCTUATION}]+|[{_PUNCTUATION}]",
}


def _of_type(name: str, draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        return [matches(_OWN_PATTERNS[name])] if step["type"] == name else None

    return replace_steps(draft.json(), PRE_TOKENIZER, change)


def _whitespace(draft: ReaderDraft) -> bool:
    return _of_type("Whitespace", draft)


def _spaces(draft: ReaderDraft) -> bool:
    return _of_type("WhitespaceSplit", draft) | _of_type("BertPreTokenizer", draft)


def _digits(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        if step["type"] != "Digits":
            return None
        return [splitting("[0-9]" if step.get("individual_digits") else "[0-9]+")]

    return replace_steps(draft.json(), PRE_TOKENIZER, change)


def _punctuation(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        if step["type"] != "Punctuation" or step.get("behavior") == "Contiguous":
            return None
        return [{**step, "behavior": "Contiguous"}]

    return replace_steps(draft.json(), PRE_TOKENIZER, change)


def _split(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        if step["type"] != "Split":
            return None
        behavior = str(step.get("behavior", ""))
        removed = behavior.lower() == "removed"
        if step.get("invert"):
            return None if removed else [{**step, "behavior": "Removed"}]
        if behavior == "Isolated" or (removed and "Regex" in step["pattern"]):
            return None
        return [{**step, "behavior": "Isolated"}]

    return replace_steps(draft.json(), PRE_TOKENIZER, change)


def _metaspace(draft: ReaderDraft) -> bool:
    def change(step: Step) -> list[Step] | None:
        if step["type"] != "Metaspace" or not step.get("split", True):
            return None
        return [{**step, "split": False}]

    return replace_steps(draft.json(), PRE_TOKENIZER, change)


def _units(draft: ReaderDraft) -> bool:
    if not any(step["type"] == "FixedLength" for step in steps_of(draft.json(), PRE_TOKENIZER)):
        return False
    draft.unknown = "Pre-tokens that begin or end inside a surrogate pair cannot be run here."
    return True


# Added tokens, models and post-processors.


def _single_word(draft: ReaderDraft) -> bool:
    return drop_flags(draft.json(), "single_word")


def _word_level(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if model_type(fields) != "WordLevel":
        return False
    unknown = draft.file.config().get("unk_token") if draft.file.is_folder else None
    if not isinstance(unknown, str) or unknown not in fields["model"]["vocab"]:
        draft.unknown = "Without that, a word that is no entry has undefined in place of an id."
        return True
    if unknown == fields["model"].get("unk_token"):
        return False
    fields["model"]["unk_token"] = unknown
    return True


def _prefix(draft: ReaderDraft) -> bool:
    return keep_words_whole(draft.json())


def _joined_unknowns(draft: ReaderDraft) -> bool:
    fields = draft.json()
    model = fields["model"]
    kind = model_type(fields)
    splits = {step["type"] for step in steps_of(fields, PRE_TOKENIZER)} - {"Metaspace"}
    if kind == "BPE":
        if not missing_bytes(fields) or model.get("unk_token") is None:
            return False
        if not model.get("fuse_unk") or not splits:
            return False
    elif kind != "Unigram" or not splits:
        return False
    elif splits == {"WhitespaceSplit"} and any(map(_marks_each, steps_of(fields, PRE_TOKENIZER))):
        return False  # a mark is between them
    draft.unknown = "That cannot be run here."
    return True


def _marks_each(step: Step) -> bool:
    return bool(step["type"] == "Metaspace" and step.get("prepend_scheme", "always") == "always")


def _left_unknowns(draft: ReaderDraft) -> bool:
    fields = draft.json()
    model = fields["model"]
    if model_type(fields) != "BPE" or not missing_bytes(fields):
        return False
    if model.get("unk_token") is not None and not model.get("byte_fallback"):
        return False
    draft.unknown = "That cannot be run here."
    return True


def _unigram_bytes(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if model_type(fields) != "Unigram" or not fields["model"].get("byte_fallback"):
        return False
    fields["model"]["byte_fallback"] = False
    return True


def _template(draft: ReaderDraft) -> bool:
    fields = draft.json()
    vocab = fields["model"]["vocab"]
    ids: dict[str, int] = (
        {entry[0]: id for id, entry in enumerate(vocab)} if isinstance(vocab, list) else dict(vocab)
    )
    for token in fields.get("added_tokens") or []:
        ids[token["content"]] = int(token["id"])
    found = False
    for step in steps_of(fields, POST_PROCESSOR):
        for special in (step.get("special_tokens") or {}).values():
            own = ids.get(special["id"])
            if special["ids"] == [own]:
                continue
            found = True
            if own is None:
                draft.unknown = (
                    f"{special['id']!r} is no entry, and undefined stands in place of its ids."
                )
                return True
            special["ids"], special["tokens"] = [own], [special["id"]]
    return found


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
            _left_unknowns,
        ),
        ReaderRule(
            "js-joined-unknowns",
            "Unknown characters at the end of a pre-token and at the beginning of the next become one token.",
            _SOURCE,
            _joined_unknowns,
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
            "In Whitespace, only ASCII letters, digits and _ are parts of words; all others are split off as punctuation is.",
            _SOURCE,
            _whitespace,
        ),
        ReaderRule(
            "js-spaces",
            "WhitespaceSplit and BertPreTokenizer take U+FEFF for white space, and not U+0085.",
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
            "Punctuation has one behavior, Contiguous: the one in the file is not read.",
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
            _single_word,
        ),
        ReaderRule(
            "js-word-level",
            "WordLevel takes the unknown token of tokenizer_config.json, not that of the file.",
            _SOURCE,
            _word_level,
        ),
        ReaderRule(
            "js-prefix",
            "BPE does not read continuing_subword_prefix, so that its merges do not apply.",
            _SOURCE,
            _prefix,
        ),
        ReaderRule(
            "js-unigram-bytes",
            "Unigram does not read byte_fallback: unknown characters become the unknown token.",
            _SOURCE,
            _unigram_bytes,
        ),
        ReaderRule(
            "js-template",
            "A special token of a template gets the id of the entry that has its name, not the ids in the template.",
            _SOURCE,
            _template,
        ),
    ),
    compared="2026-11-30",
    about="new Tokenizer(tokenizer.json, tokenizer_config.json), as in @huggingface/transformers 4.3.2",
)
