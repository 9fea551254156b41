"""The steps of the stages in a `tokenizer.json`, as rules look at them and replace them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tokenarium_core.unicode import byte_alphabet

Step = dict[str, Any]

NORMALIZER: Final = "normalizer"
PRE_TOKENIZER: Final = "pre_tokenizer"
POST_PROCESSOR: Final = "post_processor"
DECODER: Final = "decoder"

_LISTS: Final = {
    NORMALIZER: "normalizers",
    PRE_TOKENIZER: "pretokenizers",
    POST_PROCESSOR: "processors",
    DECODER: "decoders",
}

PUNCTUATION: Final = r"\p{P}!-/:-@\[-`{-~"
"""Punctuation and ASCII's symbols, as a part of a class: tokenizers knows those of an older Unicode version only."""

_CASED: Final = r"[\p{Lu}\p{Ll}\p{Lt}]"
_BETWEEN: Final = r"[\p{Mn}\p{Me}\p{Cf}\p{Lm}\p{Sk}'.:\x{b7}\x{2019}]"
_FINAL_SIGMA: Final = rf"(?:(?<={_CASED})|(?<={_CASED}{_BETWEEN}))\x{{3a3}}(?!{_BETWEEN}*{_CASED})"


def steps_of(fields: dict[str, Any], stage: str) -> list[Step]:
    """Returns the steps of a stage in their order, without the sequences that contain them."""
    steps: list[Step] = []
    _flatten(fields.get(stage), _LISTS[stage], steps)
    return steps


def _flatten(step: Step | None, name: str, steps: list[Step]) -> None:
    if step is None:
        return
    if step.get("type") == "Sequence":
        for part in step.get(name) or []:
            _flatten(part, name, steps)
    else:
        steps.append(step)


def put_steps(fields: dict[str, Any], stage: str, steps: list[Step]) -> None:
    """Replaces a stage."""
    if not steps:
        fields[stage] = None
    elif len(steps) == 1:
        fields[stage] = steps[0]
    else:
        fields[stage] = {"type": "Sequence", _LISTS[stage]: steps}


def replace_steps(
    fields: dict[str, Any], stage: str, change: Callable[[Step], list[Step] | None]
) -> bool:
    """Replaces each step for which ``change`` returns others; returns whether there was one."""
    found = False
    steps: list[Step] = []
    for step in steps_of(fields, stage):
        others = change(step)
        if others is None:
            steps.append(step)
        else:
            steps += others
            found = True
    if found:
        put_steps(fields, stage, steps)
    return found


def change_patterns(fields: dict[str, Any], change: Callable[[str], str]) -> bool:
    """Replaces the regular expressions of normalizers and pre-tokenizers; returns whether one is different."""
    found = False
    for stage in (NORMALIZER, PRE_TOKENIZER):
        for step in steps_of(fields, stage):
            pattern = (step.get("pattern") or {}).get("Regex")
            other = None if pattern is None else change(pattern)
            if other != pattern:
                step["pattern"] = {"Regex": other}
                found = True
    return found


def patterns_of(fields: dict[str, Any]) -> list[str]:
    """Returns the regular expressions of normalizers and pre-tokenizers."""
    steps = steps_of(fields, NORMALIZER) + steps_of(fields, PRE_TOKENIZER)
    found = [(step.get("pattern") or {}).get("Regex") for step in steps]
    return [pattern for pattern in found if pattern is not None]


def space_before() -> Step:
    """Returns a pre-tokenizer that puts a space before a text that does not begin with one."""
    return {"type": "Metaspace", "replacement": " ", "prepend_scheme": "always", "split": False}


def first_unknown_type(fields: dict[str, Any], stage: str, known: frozenset[str]) -> str:
    """Returns the type of the first step of a stage that a program does not know; an empty text if it knows all."""
    for step in steps_of(fields, stage):
        if step.get("type") not in known:
            return str(step.get("type"))
    return ""


def replacing(pattern: str, content: str, literal: bool = False) -> Step:
    """Returns a normalizer that replaces what a pattern matches, or a literal text."""
    kind = "String" if literal else "Regex"
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def before_lowercase(step: Step) -> list[Step] | None:
    """Returns a step that lowercases behind one that makes a final sigma at the end of words, as Unicode has it.

    tokenizers lowercases each character without its context.
    """
    if step["type"] == "Lowercase" or (step["type"] == "BertNormalizer" and step.get("lowercase")):
        return [replacing(_FINAL_SIGMA, "\u03c2"), step]
    return None


def splitting(pattern: str, behavior: str = "Isolated", invert: bool = False) -> Step:
    """Returns a pre-tokenizer that splits around what a pattern matches."""
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": behavior,
        "invert": invert,
    }


def matches(pattern: str) -> Step:
    """Returns a pre-tokenizer whose pre-tokens are what a pattern matches; the rest is removed."""
    return splitting(pattern, "Removed", True)


def to_bytes(step: Step) -> Step:
    """Returns a ``ByteLevel`` step that only spells bytes, without a prefix and its own pattern."""
    return {**step, "add_prefix_space": False, "use_regex": False}


def model_type(fields: dict[str, Any]) -> str:
    """Returns the type of the model, which old files leave out."""
    model = fields["model"]
    if "type" in model:
        return str(model["type"])
    if "merges" in model:
        return "BPE"
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "continuing_subword_prefix" in model else "WordLevel"


def keep_words_whole(fields: dict[str, Any]) -> bool:
    """Makes a BPE model without the option ``continuing_subword_prefix``, whose merges then do not apply.

    Returns whether the model has that option.
    """
    model = fields["model"]
    prefix = model.get("continuing_subword_prefix")
    if model_type(fields) != "BPE" or not prefix:
        return False
    merges: list[Any] = []
    for merge in model.get("merges") or []:
        right = merge.split(" ")[1] if isinstance(merge, str) else merge[1]
        if not right.startswith(prefix):
            merges.append(merge)
    model["merges"] = merges
    model["continuing_subword_prefix"] = None
    return True


def drop_flags(fields: dict[str, Any], *flags: str) -> bool:
    """Switches options of added tokens off; returns whether a token had one."""
    found = False
    for token in fields.get("added_tokens") or []:
        for flag in flags:
            if token.get(flag):
                token[flag] = False
                found = True
    return found


def is_byte_level(fields: dict[str, Any]) -> bool:
    """Returns whether a stage spells bytes in GPT-2's alphabet."""
    steps = steps_of(fields, NORMALIZER) + steps_of(fields, PRE_TOKENIZER)
    return any(step.get("type") == "ByteLevel" for step in steps)


def leaves_unknowns(fields: dict[str, Any]) -> bool:
    """Returns whether characters without an entry stay between others: of BPE, without a token that stands for them."""
    model = fields["model"]
    if model_type(fields) != "BPE" or not missing_bytes(fields):
        return False
    return model.get("unk_token") is None or bool(model.get("byte_fallback"))


def missing_bytes(fields: dict[str, Any]) -> bool:
    """Returns whether a BPE model has no entry for a byte, so that its text has unknown characters."""
    model = fields["model"]
    vocab = model["vocab"]
    if model.get("byte_fallback") and all(f"<0x{byte:02X}>" in vocab for byte in range(256)):
        return False
    if is_byte_level(fields):
        return any(byte_alphabet.to_text(bytes([byte])) not in vocab for byte in range(256))
    return True
