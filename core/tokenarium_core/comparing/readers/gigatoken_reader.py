"""What gigatoken makes of a `tokenizer.json`: it knows a few patterns, and takes BPE of bytes or with byte fallback only.

Not known here: characters newer than the tables of this program, which has an older Unicode version than gigatoken.
"""

from __future__ import annotations

from typing import Any, Final

from tokenarium_core.comparing.readers.json_steps import (
    NORMALIZER,
    POST_PROCESSOR,
    PRE_TOKENIZER,
    Step,
    drop_flags,
    first_unknown_type,
    missing_bytes,
    model_type,
    put_steps,
    space_before,
    splitting,
    steps_of,
)
from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderRule

_SOURCE: Final = "src/load_tokenizer/hf.rs and src/pretokenize in marcelroed/gigatoken"

_ENDINGS: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTIONS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_GPT2: Final = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_GPT4: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s+"
)
_OLD_GPT4: Final = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]"
    r"|\s+(?!\S)|\s+"
)
_RUN_GPT4: Final = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s+\z|\s*[\r\n]"
    r"|\s+(?!\S)|\s+"
)
_MARKS: Final = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+%s|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*%s|%s"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_ENDINGS}"
)
_DEEPSEEK: Final = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)
_KNOWN: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    (pattern,): (pattern,)
    for pattern in (
        _GPT2,
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_ENDINGS}",
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_ENDINGS}",
        rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_ENDINGS}",
        _MARKS % (f"{_CONTRACTIONS}?", f"{_CONTRACTIONS}?", r"\p{N}{1,3}"),
        _MARKS % ("", "", r"\p{N}"),
    )
} | {(_GPT4,): (_RUN_GPT4,), (_OLD_GPT4,): (_RUN_GPT4,), _DEEPSEEK: _DEEPSEEK}
"""The patterns that it knows, by those of the file, with what it does for them."""


def _falls_back(fields: dict[str, Any]) -> bool:
    return bool(fields["model"].get("byte_fallback"))


def _models(draft: ReaderDraft) -> bool:
    fields = draft.json()
    kind = model_type(fields)
    if kind != "BPE":
        draft.refusal = f'Unsupported model type "{kind}"'
    elif not _falls_back(fields):
        unknown = first_unknown_type(fields, NORMALIZER, frozenset({"NFC"}))
        if unknown:
            draft.refusal = f"Unsupported normalizer type: {unknown}"
    return draft.ended


def _bytes(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if _falls_back(fields):
        if missing_bytes(fields):
            draft.unknown = "With byte fallback, entries of bytes are missing."
    elif missing_bytes({**fields, "pre_tokenizer": {"type": "ByteLevel"}}):
        draft.refusal = "Byte remapping failed: there is no entry for a byte."
    return draft.ended


def _pieces(draft: ReaderDraft) -> bool:
    """With byte fallback, it reads the stages of Llama's and Gemma's files; what it makes of others is not known."""
    fields = draft.json()
    if not _falls_back(fields):
        return False
    if first_unknown_type(fields, PRE_TOKENIZER, frozenset({"Metaspace", "Split"})) or (
        first_unknown_type(fields, NORMALIZER, frozenset({"Prepend", "Replace"}))
    ):
        draft.unknown = "What it makes of these stages with byte fallback is not known here."
        return True
    return False


def _splits(draft: ReaderDraft) -> bool:
    fields = draft.json()
    if _falls_back(fields):
        return False
    before = fields.get("pre_tokenizer")
    steps = steps_of(fields, PRE_TOKENIZER)
    patterns = [
        step["pattern"]["Regex"]
        for step in steps
        if step.get("type") == "Split" and "Regex" in step["pattern"]
    ]
    known: tuple[str, ...] = (_GPT2,)
    if patterns:
        known = _KNOWN.get(tuple(patterns), ())
        if not known:
            draft.refusal = (
                f"Unknown pre_tokenizer Split regexes, no fast pretokenizer for: {patterns}"
            )
            return True
    elif before is not None and before.get("type") != "ByteLevel":
        draft.refusal = (
            f"Unsupported pre_tokenizer type: {before.get('type')} (no Split regex found)"
        )
        return True
    spelled = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    prefixed = any(step.get("add_prefix_space") for step in steps if step["type"] == "ByteLevel")
    made: list[Step] = [space_before()] if prefixed else []
    made += [splitting(pattern) for pattern in known]
    put_steps(fields, PRE_TOKENIZER, [*made, {**spelled, "use_regex": False}])
    return not (_as_written(steps, known) or _only_gpt2(steps))


def _only_gpt2(steps: list[Step]) -> bool:
    return [step["type"] for step in steps] == ["ByteLevel"] and steps[0].get("use_regex", True)


def _as_written(steps: list[Step], known: tuple[str, ...]) -> bool:
    """Returns whether a file says what gigatoken does: its patterns, and then bytes."""
    if not steps or steps[-1]["type"] != "ByteLevel":
        return False
    last = steps[-1]
    if last.get("use_regex", True) or last.get("add_prefix_space"):
        return False
    for step in steps[:-1]:
        if step["type"] != "Split" or step["pattern"].get("Regex") not in known:
            return False
        if step.get("behavior") != "Isolated" and not step.get("invert"):
            return False
    return True


def _single_word(draft: ReaderDraft) -> bool:
    return drop_flags(draft.json(), "single_word")


def _around(draft: ReaderDraft) -> bool:
    unknown = first_unknown_type(
        draft.json(), POST_PROCESSOR, frozenset({"TemplateProcessing", "ByteLevel"})
    )
    if unknown:
        draft.refusal = f"cannot add special tokens: unsupported post_processor type: {unknown}"
    return bool(unknown)


GIGATOKEN: Final = Reader(
    "gigatoken",
    "0.10.0",
    ("huggingface",),
    (
        ReaderRule(
            "giga-models",
            "Only BPE is read, and of the normalizers only NFC; with byte fallback also those of Llama and Gemma.",
            _SOURCE,
            _models,
        ),
        ReaderRule("giga-bytes", "Every byte needs an entry.", _SOURCE, _bytes),
        ReaderRule("giga-pieces", "With byte fallback, few stages are read.", _SOURCE, _pieces),
        ReaderRule(
            "giga-splits",
            "Only the regular expressions of Split are read, and a few are known. All other pre-tokenizers and options are"
            " ignored, such as use_regex of ByteLevel: without a Split, GPT-2's pattern splits every text.",
            _SOURCE,
            _splits,
        ),
        ReaderRule(
            "giga-single-word",
            "The option single_word of added tokens is not read: they match inside words too.",
            _SOURCE,
            _single_word,
        ),
        ReaderRule(
            "giga-around",
            "With the post-processors of BERT and RoBERTa, encoding fails unless add_special_tokens=False.",
            _SOURCE,
            _around,
        ),
    ),
    compared="2026-11-30",
    about="gigatoken.Tokenizer(path).as_hf()",
)
