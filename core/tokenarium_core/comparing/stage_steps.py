"""The steps of a tokenizer's stages in canonical forms: equal steps are equal, however a file writes them.

A tokenizer from another format has the steps that a ``tokenizer.json`` would have, see `hf_stages_writer`.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import Any, Final, final

from tokenarium_core.comparing.pattern_forms import (
    class_in,
    form_of,
    form_of_class,
    form_of_string,
    leaves_nothing_out,
    run_of,
    spelled_for,
)
from tokenarium_core.formats.hf.hf_stages_writer import obstacle, stages_of
from tokenarium_core.formats.parts import FIELDS, fields_of
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import (
    SentencePieceSettings,
    read_settings,
)
from tokenarium_core.pretokenizers.scanners import SCANNERS
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.code_sets import Spans, listed, spans_of
from tokenarium_core.unicode.codepoints import FLAGS, SPACE
from tokenarium_core.unicode.hf_codepoints_data import NUMERIC, PUNCTUATION

NORMALIZER: Final = "normalizer"
PRE_TOKENIZER: Final = "pre-tokenizer"
DECODER: Final = "decoder"

SPACES: Final = "spaces as ▁"
"""The step that writes a mark for each space: Metaspace, or Prepend and Replace."""

_MARK: Final = "▁"
_TRAINER: Final = "trainer_spec"
_LISTS: Final = ("normalizers", "pretokenizers", "processors", "decoders")
_BEHAVIORS: Final = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_LONG: Final = 300  # characters of a setting that are shown
_ONCE: Final = ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "Strip")
"""Normalizers that change nothing the second time."""


@final
class StageStep:
    """A step of a stage: its name, its settings as a reader sees them, and its canonical form.

    ``pattern``: the regular expression in it, if it has one, and ``form`` its canonical form.
    """

    def __init__(
        self, name: str, settings: dict[str, str], key: str, pattern: str = "", form: str = ""
    ) -> None:
        self.name = name
        self.settings = settings
        self.key = key
        self.pattern = pattern
        self.form = form

    @property
    def shown(self) -> str:
        """The step in words: its name, and its settings in parentheses."""
        inside = ", ".join([f"{name} {value}" for name, value in self.settings.items()])
        return f"{self.name} ({inside})" if inside else self.name


@final
class StageSteps:
    """The steps of the normalizer, of the pre-tokenizer and of the decoder.

    ``known``: whether they come from fields; the steps of other tokenizers are only names.
    """

    def __init__(
        self,
        normalizer: list[StageStep],
        pre_tokenizer: list[StageStep],
        decoder: list[StageStep],
        known: bool,
    ) -> None:
        self.normalizer = normalizer
        self.pre_tokenizer = pre_tokenizer
        self.decoder = decoder
        self.known = known


def stage_fields(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the fields of a ``tokenizer.json`` without the entries and the merges; empty if there is no such form."""
    if FIELDS in tokenizer.stored:
        return fields_of(tokenizer)
    return {} if obstacle(tokenizer) else stages_of(tokenizer)


def is_sentencepiece(tokenizer: Tokenizer) -> bool:
    """Returns whether a tokenizer has the settings of a SentencePiece model, whose stages have no steps."""
    return _TRAINER in tokenizer.stored and FIELDS not in tokenizer.stored


def sentencepiece_steps(tokenizer: Tokenizer) -> StageSteps:
    """Returns the stages of a SentencePiece model, each as one step with its settings."""
    rules = _settings(tokenizer, "normalizer_spec")
    back = _settings(tokenizer, "denormalizer_spec")
    trainer = _settings(tokenizer, _TRAINER)
    settings = {
        "rules": _digest(rules.precompiled_charsmap),
        "a space before the text": _shown(bool(rules.add_dummy_prefix)),
        "extra spaces removed": _shown(bool(rules.remove_extra_whitespaces)),
        "spaces as ▁": _shown(bool(rules.escape_whitespaces)),
        "spaces after words": _shown(bool(trainer.treat_whitespace_as_suffix)),
    }
    decoded = {
        "rules": _digest(back.precompiled_charsmap),
        "unknown entries": repr(trainer.unk_surface),
        "a space before the text": settings["a space before the text"],
    }
    normalizer = _plain("SentencePiece", settings)
    return StageSteps([normalizer], [], [_plain("SentencePiece", decoded)], True)


def _settings(tokenizer: Tokenizer, message: str) -> SentencePieceSettings:
    return read_settings(message, tokenizer.stored.get(message, b""), "the model")


def _digest(rules: bytes) -> str:
    return f"SHA-256 {sha256(rules).hexdigest()[:12]}" if rules else "none"


def steps_of(tokenizer: Tokenizer, fields: dict[str, Any]) -> StageSteps:
    """Returns the steps of a tokenizer with these fields (`stage_fields`)."""
    if not fields:
        normalizer = tokenizer.normalizer
        splitter = tokenizer.splitter
        cutter = tokenizer.pre_tokenizer
        normalizers = [_plain(normalizer.name, {})] if normalizer is not None else []
        cutters = [_plain(splitter.name, {})] if splitter is not None else []
        if cutter.name != "none":
            cutters.append(_plain(cutter.name, {"pattern": cutter.pattern}))
        return StageSteps(normalizers, cutters, [_plain(tokenizer.decoder.name, {})], False)
    normalizers = _canonical(fields.get("normalizer"))
    cutters = _canonical(fields.get("pre_tokenizer"))
    decoders = [_decoding(step) for step in _flat(fields.get("decoder"))]
    return StageSteps(normalizers, cutters, decoders, True)


def align_marks(one: StageSteps, other: StageSteps) -> None:
    """Moves a Metaspace to the normalizer, if the other tokenizer writes marks there; nothing is between the stages.

    Only if no added token is searched in the normalized text, where it would make a difference.
    """
    for mine, its in ((one, other), (other, one)):
        cutters = mine.pre_tokenizer
        if cutters and cutters[0].name == SPACES and cutters[0].settings["splits"] == "no":
            if any(step.name == SPACES for step in its.normalizer):
                mine.normalizer.append(cutters.pop(0))


def drop_idle(one: StageSteps, other: StageSteps) -> None:
    """Takes away a Split at spaces after a normalizer that leaves none, unless the other tokenizer begins with it too."""
    for mine, its in ((one, other), (other, one)):
        cutters, others = mine.pre_tokenizer, its.pre_tokenizer
        idle = mine.known and mine.normalizer and mine.normalizer[-1].name == SPACES
        if idle and cutters and cutters[0].key in _at_spaces():
            if not others or others[0].key != cutters[0].key:
                cutters.pop(0)


def _canonical(field: Any) -> list[StageStep]:
    """Returns the steps of a stage."""
    steps: list[StageStep] = []
    for step in _flat(field):
        steps += _steps_of(step)
    kept: list[StageStep] = []
    for one in _without_repeats(steps):
        marks = _marks(kept[-1], one) if kept else None
        if marks is not None:
            kept[-1] = marks
        else:
            kept.append(one)
    return [_lone_marks(step) for step in kept]


def _without_repeats(steps: list[StageStep]) -> list[StageStep]:
    """Returns steps without those that do again what the one before has done."""
    return [
        step
        for index, step in enumerate(steps)
        if not (index and step.name in _ONCE and step.key == steps[index - 1].key)
    ]


def _decoding(step: dict[str, Any]) -> StageStep:
    """Returns a step of a decoder, without the settings that only encoding reads."""
    name = str(step.get("type"))
    if name == "ByteLevel":
        return _plain(name, {})
    if name == "Metaspace":
        scheme = "never" if step.get("add_prefix_space") is False else step.get("prepend_scheme")
        settings = {"mark": str(step.get("replacement")), "before a text": str(scheme or "always")}
        return _plain(name, settings)
    if name == "Replace":
        return _replace(step)
    return _plain(name, _settings_of(step))


def _flat(field: Any) -> list[dict[str, Any]]:
    """Returns the steps of nested sequences in order."""
    flat: list[dict[str, Any]] = []
    waiting: list[Any] = [field]
    while waiting:
        step = waiting.pop()
        if not isinstance(step, dict):
            continue
        inner = next((step[name] for name in _LISTS if isinstance(step.get(name), list)), None)
        if inner is None:
            flat.append(step)
        else:
            waiting += reversed(inner)
    return flat


def _steps_of(step: dict[str, Any]) -> list[StageStep]:
    """Returns what a step of a file does, as no, one or several steps."""
    name = str(step.get("type"))
    if name == "ByteLevel":
        steps: list[StageStep] = []
        if "use_regex" in step or "add_prefix_space" in step:
            if step.get("add_prefix_space", True):
                steps.append(_plain("a space before the text", {}))
            if step.get("use_regex", True):
                steps.append(_split(spelled_for(SCANNERS["gpt2"]), "Isolated", False))
        return [*steps, _plain("ByteLevel", {})]
    if name == "Split":
        return [_split_of(step)]
    if name == "CharDelimiterSplit":
        form = form_of_string(str(step.get("delimiter")))
        return [_cut(form, repr(step.get("delimiter")), "Removed", False)]
    if name == "Metaspace":
        scheme = str(step.get("prepend_scheme", "always"))
        if step.get("add_prefix_space") is False:
            scheme = "never"
        return [
            _spaces(
                str(step.get("replacement")), scheme, step.get("split", True) is not False, False
            )
        ]
    if name == "Strip" and "strip_left" in step and not (step["strip_left"] or step["strip_right"]):
        return []
    if name == "Prepend" and not step.get("prepend"):
        return []
    if name == "Replace":
        return [_replace(step)]
    if name == "BertNormalizer" and step.get("strip_accents") is None:
        step = {**step, "strip_accents": step.get("lowercase", True)}
    if name == "Punctuation":
        step = {"behavior": "Isolated", **step}
    if name in _classes():
        return [_class_step(step)]
    return [_plain(name, _settings_of(step))]


def _settings_of(step: dict[str, Any]) -> dict[str, str]:
    return {key: _shown(value) for key, value in sorted(step.items()) if key != "type"}


def _plain(name: str, settings: dict[str, str]) -> StageStep:
    return StageStep(name, settings, f"{name} {json.dumps(settings)}")


def _split(source: str, behavior: str, invert: bool) -> StageStep:
    if behavior == "Removed" and invert and leaves_nothing_out(source):
        behavior, invert = "Isolated", False
    return _cut(form_of(source), source, behavior, invert, source)


def _split_of(step: dict[str, Any]) -> StageStep:
    pattern = step.get("pattern")
    behavior = str(step.get("behavior"))
    invert = bool(step.get("invert"))
    if isinstance(pattern, dict) and "String" in pattern:
        content = str(pattern["String"])
        return _cut(form_of_string(content), repr(content), behavior, invert)
    return _split(str(pattern.get("Regex")) if isinstance(pattern, dict) else "", behavior, invert)


def _cut(form: str, shown: str, behavior: str, invert: bool, pattern: str = "") -> StageStep:
    settings = {"pattern": shown, "behavior": behavior}
    if invert and behavior != "Isolated":  # else what matches and what does not are treated alike
        settings["invert"] = "yes"
    return StageStep("Split", settings, _key_of_cuts(form, behavior, invert), pattern, form)


def _key_of_cuts(form: str, behavior: str, invert: bool) -> str:
    """Returns what a step splits in one form: a class that is matched once, and one that is matched in runs."""
    invert = invert and behavior != "Isolated"
    one = class_in(form)
    if one and behavior == "Contiguous":  # runs of what matches, and of what does not
        behavior, form, invert = "Isolated", run_of(one), False
    elif one and behavior == "Removed" and not invert:
        form = one
    return f"Split {behavior} {'yes' if invert else None} {form}"


def _class_step(step: dict[str, Any]) -> StageStep:
    """Returns a step that splits at the characters of a set, whose key is that of the Split that does the same."""
    name = str(step["type"])
    behavior = str(step.get("behavior"))
    if name == "Digits":
        behavior = "Isolated" if step.get("individual_digits") else "Contiguous"
    elif name == "WhitespaceSplit":
        behavior = "Removed"
    spans = _classes()[name]
    runs = [f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in spans]
    key = _key_of_cuts(form_of_class(spans), behavior, False)
    return StageStep(name, _settings_of(step), key, f"[{''.join(runs)}]")


@cache
def _classes() -> dict[str, Spans]:
    """Returns the characters at which steps split, by the type of the step."""
    blank = [flags for flags in range(256) if flags & SPACE]
    return {
        "Digits": listed(NUMERIC),
        "Punctuation": listed(PUNCTUATION),
        "WhitespaceSplit": spans_of(FLAGS, blank),
    }


def _replace(step: dict[str, Any]) -> StageStep:
    pattern = step.get("pattern")
    content = str(step.get("content"))
    if isinstance(pattern, dict) and "Regex" in pattern:
        source = str(pattern["Regex"])
        shown = {"pattern": source, "by": repr(content)}
        form = form_of(source)
        return StageStep("Replace", shown, f"Replace {content!r} {form}", source, form)
    string = str(pattern.get("String")) if isinstance(pattern, dict) else ""
    shown = {"pattern": repr(string), "by": repr(content)}
    form = form_of_string(string)
    return StageStep("Replace", shown, f"Replace {content!r} {form}", "", form)


# Marks for spaces.


def _spaces(mark: str, scheme: str, splits: bool, doubled: bool) -> StageStep:
    """Returns the step that writes a mark for each space; ``doubled``: also before a text that begins with one."""
    settings = {"mark": mark, "before a text": scheme, "splits": "yes" if splits else "no"}
    if doubled:
        settings["before a text that begins with a space"] = "yes"
    return _plain(SPACES, settings)


def _is_mark_for_space(step: StageStep) -> bool:
    return step.key == f"Replace {_MARK!r} {form_of_string(' ')}"


def _is_mark_before(step: StageStep) -> bool:
    return step.name == "Prepend" and step.settings.get("prepend") == json.dumps(
        _MARK, ensure_ascii=False
    )


def _marks(one: StageStep, other: StageStep) -> StageStep | None:
    """Returns Prepend and Replace, in any order, as one step; None for any others."""
    together = (_is_mark_before(one) and _is_mark_for_space(other)) or (
        _is_mark_for_space(one) and _is_mark_before(other)
    )
    return _spaces(_MARK, "always", False, True) if together else None


@cache
def _at_spaces() -> frozenset[str]:
    """Returns the keys of the steps that split where a space is."""
    form = form_of_string(" ")
    return frozenset([_cut(form, "", behavior, False).key for behavior in _BEHAVIORS])


def _lone_marks(step: StageStep) -> StageStep:
    return _spaces(_MARK, "never", False, False) if _is_mark_for_space(step) else step


def _shown(value: Any) -> str:
    """Returns a setting as a reader sees it; the rules of a Precompiled step by their digest."""
    if isinstance(value, str) and len(value) > _LONG:
        return _digest(value.encode())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False)
