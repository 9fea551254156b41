"""The differences between the stages of two tokenizers, as a person reads them: stage by stage, in canonical forms."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, final

from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.comparing.entry_differences import EntryLists
from tokenarium_core.comparing.merge_differences import MergeLists
from tokenarium_core.comparing.pattern_forms import parting_alternatives
from tokenarium_core.comparing.stage_steps import (
    DECODER,
    NORMALIZER,
    PRE_TOKENIZER,
    StageStep,
    StageSteps,
    align_marks,
    drop_idle,
    is_sentencepiece,
    sentencepiece_steps,
    stage_fields,
    steps_of,
)
from tokenarium_core.comparing.stored_parts import chats_of, excerpt, object_of, pair_form
from tokenarium_core.encoding import Template
from tokenarium_core.formats.parts import PADDING, TRUNCATION
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import USER_DEFINED

ADDED_TOKENS: Final = "added tokens"
MODEL: Final = "model"
VOCABULARY: Final = "vocabulary"
MERGES: Final = "merges"
SCORES: Final = "scores"
TEMPLATE: Final = "template"
CHAT: Final = "chat template"

STAGES: Final = (
    ADDED_TOKENS,
    NORMALIZER,
    PRE_TOKENIZER,
    MODEL,
    VOCABULARY,
    MERGES,
    SCORES,
    TEMPLATE,
    DECODER,
    CHAT,
    TRUNCATION,
    PADDING,
)
"""The stages, in the order in which differences are listed."""

CHANGES_IDS: Final = "changes-ids"
MAY_CHANGE_IDS: Final = "may-change-ids"
CHANGES_TEXT: Final = "changes-text"
KEEPS_IDS: Final = "keeps-ids"

EFFECTS: Final = (CHANGES_IDS, MAY_CHANGE_IDS, CHANGES_TEXT, KEEPS_IDS)
"""What a difference does, the worst first: a text shows that ids differ; no text was found, but there may be one; ids
decode to different texts; the ids of a text remain the same."""

_ID: Final = "the id"
_MOST_SINGLE: Final = 8  # tokens with the same difference that are listed one by one
_MOST_NAMED: Final = 5  # of more, those that are named
_MOST_PROBED: Final = 100
_SPLITS: Final = frozenset([NORMALIZER, PRE_TOKENIZER])
_DEFAULTS: Final[dict[str, str]] = {
    "fuse_unk": "no",
    "byte_fallback": "no",
    "ignore_merges": "no",
    "continuing_subword_prefix": "none",
    "end_of_word_suffix": "none",
    "unk_token": "none",
    "unk_id": "none",
    "dropout": "none",
    "max_input_chars_per_word": "100",
}


@final
class StageDifference:
    """A difference of one stage: what it is, its values in both tokenizers, and what it does.

    ``effect`` is one of `EFFECTS`. ``text`` is the shortest text found that shows it, with its ids in both; None if no text
    is needed or none was found. ``probes`` are texts that were made for it, ``stages`` those in which a trace shows it.
    """

    def __init__(
        self,
        stage: str,
        what: str,
        a: str,
        b: str,
        probes: Iterable[str] = (),
        effect: str = MAY_CHANGE_IDS,
        stages: frozenset[str] = frozenset(),
        pattern_a: str = "",
        pattern_b: str = "",
    ) -> None:
        self.stage = stage
        self.what = what
        self.a = a
        self.b = b
        self.effect = effect
        self.text: str | None = None
        self.ids_a: list[int] = []
        self.ids_b: list[int] = []
        self.probes = list(probes)
        self.stages = stages or frozenset([stage])
        self.pattern_a = pattern_a
        self.pattern_b = pattern_b

    def __repr__(self) -> str:
        shown = "" if self.text is None else f", shown by {self.text!r}"
        return f"<StageDifference {self.stage}: {self.what} ({self.effect}{shown})>"


def find_differences(a: Tokenizer, b: Tokenizer, found: list[StageDifference]) -> Iterator[None]:
    """Adds the differences in the order of `STAGES`, before any text has been tried; step by step."""
    fields_a = {} if is_sentencepiece(a) and is_sentencepiece(b) else stage_fields(a)
    fields_b = {} if is_sentencepiece(a) and is_sentencepiece(b) else stage_fields(b)
    steps_a, steps_b = _steps(a, b, fields_a), _steps(b, a, fields_b)
    if steps_a.known != steps_b.known:
        steps_a, steps_b = steps_of(a, {}), steps_of(b, {})
    if not any(t.normalized for t in [*a.added_tokens.tokens, *b.added_tokens.tokens]):
        align_marks(steps_a, steps_b)
    drop_idle(steps_a, steps_b)
    normalizes = bool(steps_a.normalizer or steps_b.normalizer)
    yield
    found += _added_differences(_tokens_of(a), _tokens_of(b), normalizes)
    yield
    found += _step_differences(NORMALIZER, steps_a.normalizer, steps_b.normalizer)
    found += _step_differences(PRE_TOKENIZER, steps_a.pre_tokenizer, steps_b.pre_tokenizer)
    found += _model_differences(a, b, fields_a, fields_b)
    stages = frozenset([VOCABULARY, MERGES, SCORES, MODEL])
    lists = EntryLists(a, b)
    yield
    for what, mine, its, probes in lists.entries():
        found.append(StageDifference(VOCABULARY, what, mine, its, probes, stages=stages))
    yield
    merges = MergeLists(a, b)
    for _ in merges.compare():
        yield
    for what, mine, its, probes in merges.found:
        found.append(StageDifference(MERGES, what, mine, its, probes, stages=stages))
    for what, mine, its, probes in lists.scores():
        found.append(StageDifference(SCORES, what, mine, its, probes, stages=stages))
    yield
    found += _template_differences(a, b, fields_a, fields_b)
    for one in _step_differences(DECODER, steps_a.decoder, steps_b.decoder):
        one.effect = KEEPS_IDS
        found.append(one)
    found += _chat_differences(a, b)
    found += _batch_differences(fields_a, fields_b)


def _steps(tokenizer: Tokenizer, other: Tokenizer, fields: dict[str, Any]) -> StageSteps:
    if is_sentencepiece(tokenizer) and is_sentencepiece(other):
        return sentencepiece_steps(tokenizer)
    return steps_of(tokenizer, fields)


# Steps.


def _step_differences(
    stage: str, ours: list[StageStep], theirs: list[StageStep]
) -> list[StageDifference]:
    keys_a = [step.key for step in ours]
    keys_b = [step.key for step in theirs]
    found: list[StageDifference] = []
    moved = sorted(keys_a) == sorted(keys_b)
    if moved and keys_a != keys_b:
        shown_a = " → ".join([step.name for step in ours])
        shown_b = " → ".join([step.name for step in theirs])
        return [StageDifference(stage, "the order of the steps", shown_a, shown_b, stages=_SPLITS)]
    matcher = difflib.SequenceMatcher(None, keys_a, keys_b, autojunk=False)
    for tag, start, stop, its_start, its_stop in matcher.get_opcodes():
        if tag == "equal":
            continue
        mine, its = ours[start:stop], theirs[its_start:its_stop]
        while mine and its and mine[0].name == its[0].name:
            found += _setting_differences(stage, mine.pop(0), its.pop(0))
        one, other = (steps[0].pattern if steps else "" for steps in (mine, its))
        found += [_only(stage, step, True, other) for step in mine]
        found += [_only(stage, step, False, one) for step in its]
    return found


def _only(stage: str, step: StageStep, in_a: bool, instead: str) -> StageDifference:
    """Returns the difference that only one has a step; ``instead``: the pattern of the step that the other has there."""
    shown = step.shown
    stages = frozenset([stage]) if stage == DECODER else _SPLITS
    a, b = (shown, "none") if in_a else ("none", shown)
    probes = _probes_of(step)
    return StageDifference(
        stage,
        f"the step {step.name}",
        a,
        b,
        probes,
        stages=stages,
        pattern_a=step.pattern,
        pattern_b=instead,
    )


def _setting_differences(stage: str, one: StageStep, other: StageStep) -> list[StageDifference]:
    stages = frozenset([stage]) if stage == DECODER else _SPLITS
    found: list[StageDifference] = []
    for name in {**one.settings, **other.settings}:
        a, b = one.settings.get(name, "none"), other.settings.get(name, "none")
        if a == b:
            continue
        is_pattern = name == "pattern"
        if is_pattern and one.form and one.form == other.form:  # only spelled differently
            continue
        if is_pattern and one.pattern and other.pattern:
            a, b = parting_alternatives(one.pattern, other.pattern)
        probes = _probes_of(one) + _probes_of(other)
        found.append(
            StageDifference(
                stage,
                f"{name} of the step {one.name}",
                a,
                b,
                probes,
                stages=stages,
                pattern_a=one.pattern if is_pattern else "",
                pattern_b=other.pattern if is_pattern else "",
            )
        )
    return found


def _probes_of(step: StageStep) -> list[str]:
    """Returns texts that contain what a step looks for."""
    found: list[str] = []
    for name in ("pattern", "by", "prepend", "content", "replacement"):
        value = step.settings.get(name, "")
        if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
            inside = value[1:-1]
            found += [inside, f"a{inside}b", f"a {inside} b", inside * 2]
    return found


# Added tokens.


def _tokens_of(tokenizer: Tokenizer) -> list[AddedToken]:
    """Returns the added tokens, and the user-defined pieces of SentencePiece, which are such tokens in other files."""
    tokens = list(tokenizer.added_tokens.tokens)
    if is_sentencepiece(tokenizer):
        vocabulary = tokenizer.vocabulary
        tokens += [
            AddedToken(vocabulary.surface(id), id, False, True)
            for id in range(len(vocabulary))
            if i64(vocabulary.kinds[id]) == USER_DEFINED
        ]
    return tokens


def _added_differences(
    ours: list[AddedToken], theirs: list[AddedToken], normalizes: bool
) -> list[StageDifference]:
    tokens_a = {token.content: token for token in ours}
    tokens_b = {token.content: token for token in theirs}
    together: dict[str, list[str]] = {}
    alike: dict[tuple[str, str, str], list[str]] = {}  # tokens with the same difference
    for content in {**tokens_a, **tokens_b}:
        one, other = tokens_a.get(content), tokens_b.get(content)
        if one is None or other is None:
            said_a = "none" if one is None else ", ".join(one.flags) or "no options"
            said_b = "none" if other is None else ", ".join(other.flags) or "no options"
            alike.setdefault(("", said_a, said_b), []).append(content)
            continue
        if one.id != other.id:
            alike.setdefault((_ID, "", ""), []).append(content)
        for flag in sorted(set(one.flags) ^ set(other.flags)):
            if flag == "normalized" and not normalizes:
                overlapping = _overlapping(content, [*ours, *theirs])
                if not overlapping:
                    continue  # the text is the same before and after
                together.setdefault(content, overlapping)
            a, b = ("yes", "no") if flag in one.flags else ("no", "yes")
            alike.setdefault((flag, a, b), []).append(content)
    found: list[StageDifference] = []
    for (name, a, b), contents in alike.items():
        of = f"{name} of " if name else ""
        rows = [contents] if len(contents) > _MOST_SINGLE else [[content] for content in contents]
        for row in rows:
            if len(row) == 1:
                what = f"{of}the token {row[0]!r}"
            else:
                what = f"{of}{len(row):,} tokens: {', '.join(map(repr, row[:_MOST_NAMED]))}, …"
            if name == _ID:
                a = ", ".join([str(tokens_a[content].id) for content in row[:_MOST_NAMED]])
                b = ", ".join([str(tokens_b[content].id) for content in row[:_MOST_NAMED]])
            tried = _varied(row)
            probes = [text for content in tried for text in together.get(content, [])]
            probes += [text for content in tried for text in _around(content)]
            found.append(StageDifference(ADDED_TOKENS, what, a, b, probes))
    return found


def _varied(contents: list[str]) -> list[str]:
    """Returns some contents: the shortest one of each kind of characters, then others."""
    kinds: dict[str, str] = {}
    for content in sorted(contents, key=len):
        kind = {"a" if c.isalpha() else "0" if c.isdigit() else c for c in content}
        kinds.setdefault("".join(sorted(kind)), content)
    return list(dict.fromkeys([*kinds.values(), *contents]))[:_MOST_PROBED]


def _overlapping(content: str, tokens: Iterable[AddedToken]) -> list[str]:
    """Returns texts in which a token meets one that it overlaps, or that reaches beyond itself: one of them is found."""
    texts: list[str] = []
    for token in tokens:
        other = token.content
        if token.lstrip or token.rstrip:
            texts += [f"{content} {other}", f"{other} {content}"]
        if other == content:
            continue
        if other in content or content in other:
            texts.append(max(other, content, key=len))
        for size in range(1, min(len(other), len(content))):
            if other.endswith(content[:size]):
                texts.append(other + content[size:])
            if content.endswith(other[:size]):
                texts.append(content + other[size:])
    return texts


def _around(content: str) -> list[str]:
    return [
        content,
        f"a{content}",
        f"{content}b",
        f" {content}",
        f"{content} ",
        f"a {content}",
        f"{content} b",
        f"a {content} b",
        f"a\n{content}\nb",
        content * 2,
        content.upper(),
        content.lower(),
        f"é{content}",
        f"{content}\u0301",
        f"a{content[:-1]}",
    ]


# The model, the template, chats and batches.


def _model_differences(
    a: Tokenizer, b: Tokenizer, fields_a: dict[str, Any], fields_b: dict[str, Any]
) -> list[StageDifference]:
    ours, theirs = _model_settings(a, fields_a), _model_settings(b, fields_b)
    on_bytes = isinstance(a.model, BytePairEncoder) and isinstance(b.model, BytePairEncoder)
    found: list[StageDifference] = []
    if ours["type"] != theirs["type"]:  # which have different settings
        ours, theirs = {"type": ours["type"]}, {"type": theirs["type"]}
    for name in {**ours, **theirs}:
        one = ours.get(name, _DEFAULTS.get(name, "none"))
        other = theirs.get(name, _DEFAULTS.get(name, "none"))
        if one == other or (on_bytes and name not in ("type", "ignore_merges", "dropout")):
            continue  # with an entry for each byte, nothing is unknown
        if name == "fuse_unk" and "none" in (
            ours.get("unk_token", "none"),
            theirs.get("unk_token", "none"),
        ):
            continue
        difference = StageDifference(
            MODEL,
            name,
            one,
            other,
            _model_probes(a, b),
            stages=frozenset([MODEL, MERGES, SCORES, VOCABULARY]),
        )
        if name == "dropout":  # for training only: encoding makes all merges
            difference.effect = KEEPS_IDS
        found.append(difference)
    return found


def _model_settings(tokenizer: Tokenizer, fields: dict[str, Any]) -> dict[str, str]:
    """Returns the settings of a model as a reader sees them, without those that have their default."""
    settings: dict[str, Any] = dict(fields.get("model") or {})
    if not settings:
        settings = {"type": str(type(tokenizer.model).__name__)}
        unknown = getattr(tokenizer.model, "unknown_id", None)
        if unknown is not None:
            settings["unk_id"] = int(unknown)
        settings["byte_fallback"] = bool(getattr(tokenizer.model, "byte_fallback", False))
    shown: dict[str, str] = {}
    for name, value in settings.items():
        if name not in ("vocab", "merges"):
            said = value
            if isinstance(value, bool):
                said = "yes" if value else "no"
            elif value is None or value == "":
                said = "none"
            shown[name] = str(said)
    return shown


def _model_probes(a: Tokenizer, b: Tokenizer) -> list[str]:
    """Returns unknown characters, alone and in a row, and long words."""
    texts = [
        "\U0001fae8",
        "\U0001fae8\U0001fae8",
        "\ue000",
        "\ue000\ue001",
        "a\ue000b",
        "\x01",
        "\x01\x01",
    ]
    texts += ["\ue000 \ue000", "\x7f\x7f"]
    for size in (2, 5, 10, 16, 19, 50, 101, 201):
        texts += ["a" * size, "e" * size]
    return texts


def _template_differences(
    a: Tokenizer, b: Tokenizer, fields_a: dict[str, Any], fields_b: dict[str, Any]
) -> list[StageDifference]:
    one, other = _around_text(a, a.template), _around_text(b, b.template)
    if one != other:
        return [StageDifference(TEMPLATE, "the ids around a text", one, other, ["", "a"])]
    if fields_a and fields_b:
        pair_a = pair_form(fields_a.get("post_processor"))
        pair_b = pair_form(fields_b.get("post_processor"))
        if pair_a != pair_b:
            what = "the ids around two texts"
            return [StageDifference(TEMPLATE, what, pair_a, pair_b, effect=KEEPS_IDS)]
    return []


def _around_text(tokenizer: Tokenizer, template: Template | None) -> str:
    if template is None:
        return "none"
    surface = tokenizer.vocabulary.surface
    before = [f"{surface(id)} ({id})" for id in template.before]
    after = [f"{surface(id)} ({id})" for id in template.after]
    return " ".join([*before, "…", *after])


def _chat_differences(a: Tokenizer, b: Tokenizer) -> list[StageDifference]:
    ours, theirs = chats_of(a), chats_of(b)
    found: list[StageDifference] = []
    for name in {**ours, **theirs}:
        one, other = ours.get(name, ""), theirs.get(name, "")
        if one != other:
            found.append(
                StageDifference(
                    CHAT, name, excerpt(one, other), excerpt(other, one), effect=KEEPS_IDS
                )
            )
    return found


def _batch_differences(fields_a: dict[str, Any], fields_b: dict[str, Any]) -> list[StageDifference]:
    found: list[StageDifference] = []
    for stage in (TRUNCATION, PADDING):
        ours, theirs = object_of(fields_a.get(stage)), object_of(fields_b.get(stage))
        for name in {**ours, **theirs}:
            one, other = ours.get(name), theirs.get(name)
            if one != other:
                a, b = json.dumps(one), json.dumps(other)
                found.append(StageDifference(stage, name, a, b, effect=KEEPS_IDS))
    return found
