"""The repairs of the differences of two tokenizers: a stage of the first becomes that of the second.

Only the values that differ are edited. Each repair is tried: it is offered only if the stage then no longer differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.compare.diff_result import (
    ADDED_TOKENS,
    CHAT,
    DECODER,
    MERGES,
    MODEL,
    NORMALIZER,
    PADDING,
    PRE_TOKENIZER,
    SCORES,
    TEMPLATE,
    TRUNCATION,
    VOCABULARY,
)
from tokenarium.models.mending.added_token_edits import flag_edits
from tokenarium.models.mending.json_edits import JsonPath
from tokenarium.models.mending.mended_folder import mended_tokenizer
from tokenarium.models.mending.repair import (
    LARGE,
    WHOLE,
    EditAction,
    FileEdit,
    Repair,
    json_of,
    whole_path,
)
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium_core.comparing.stage_differences import STAGES, StageDifference, find_differences
from tokenarium_core.formats import SETTINGS_FILES
from tokenarium_core.formats.chat_part import DEFAULT, TEMPLATES, chat_of
from tokenarium_core.formats.registry import files_of, obstacle_to

HUGGING_FACE: Final = "huggingface"

MOST_EDITS: Final = 64
"""The most values of a list or a table that are edited one by one; of more, the whole is replaced."""

_ABSENT: Final = object()
_FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
_MEMBERS: Final = {
    NORMALIZER: ("normalizer",),
    PRE_TOKENIZER: ("pre_tokenizer",),
    DECODER: ("decoder",),
    TEMPLATE: ("post_processor",),
    TRUNCATION: ("truncation",),
    PADDING: ("padding",),
}
"""The members of a ``tokenizer.json`` that a stage is stored in."""

_TABLES: Final = (VOCABULARY, MERGES, SCORES)


def find_stage_repairs(
    report: ReportProgress, a: str, a_pattern: str, b: str, b_pattern: str, b_name: str, cause: str
) -> list[Repair]:
    """Opens two tokenizers, and returns the repairs of one stage; for a process of its own."""
    report(stage("Opening the tokenizers", 0.0))
    ours, theirs = tc.open(a, pattern=a_pattern or None), tc.open(b, pattern=b_pattern or None)
    theirs.name = b_name
    return stage_repairs(ours, theirs, report, cause)


def stage_repairs(
    a: tc.Tokenizer,
    b: tc.Tokenizer,
    report: ReportProgress = lambda _: None,
    only: str = "",
) -> list[Repair]:
    """Returns a repair of ``a`` for each stage in which it differs from ``b``, in the order of the stages; of one if named.

    None if ``a`` is no ``tokenizer.json``, or ``b`` cannot be written as one. ``report`` gets the progress.
    """
    if whole_path(a) is None or obstacle_to(b, HUGGING_FACE):
        return []
    ours = json_of(a, WHOLE)
    theirs = json_of(b, WHOLE) if whole_path(b) is not None else _exported(b)
    before = _differing(a, b)
    found: list[Repair] = []
    stages = [one for one in STAGES if one in before and only in ("", one)]
    for place, name in enumerate(stages):
        report(stage(f"Trying a repair of the stage {name}", place / len(stages)))
        title = f"Take the {name} of {b.name}"
        for edits in _candidates(name, before, a, b, ours, theirs):
            said = f"{_said(name)} becomes that of {b.name}."
            repair = Repair(name.replace(" ", "-"), name, title, said, tuple(edits))
            if edits and _helps(repair, a, b, before):
                found.append(repair)
                break
    return found


def _exported(tokenizer: tc.Tokenizer) -> Mapping[str, Any]:
    """Returns a tokenizer of another format as a ``tokenizer.json`` has it."""
    fields: Mapping[str, Any] = json.loads(
        next(iter(files_of(tokenizer, HUGGING_FACE, "tokenizer").values()))
    )
    return fields


def _differing(a: tc.Tokenizer, b: tc.Tokenizer) -> set[str]:
    found: list[StageDifference] = []
    for _ in find_differences(a, b, found):
        pass
    return {one.stage for one in found}


def _said(name: str) -> str:
    plural = {ADDED_TOKENS: "The list of added tokens", MERGES: "The list of merges"}
    plural[SCORES] = "The list of scores"
    return plural.get(name, f"The {name}")


def _helps(repair: Repair, a: tc.Tokenizer, b: tc.Tokenizer, before: set[str]) -> bool:
    """Returns whether the stage no longer differs after a repair, and no other one does instead."""
    try:
        with mended_tokenizer(a, [repair]) as mended:
            left = _differing(mended, b)
    except tc.TokenariumError:
        return False
    return repair.cause not in left and left <= before


def _candidates(
    name: str,
    before: set[str],
    a: tc.Tokenizer,
    b: tc.Tokenizer,
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
) -> Iterator[list[FileEdit]]:
    """Yields lists of edits for a stage, the smallest first."""

    def members(*names: str) -> list[FileEdit]:
        return [
            edit for one in names for edit in changes_of((one,), ours.get(one), theirs.get(one))
        ]

    if name in _MEMBERS:
        yield members(*_MEMBERS[name])
        if name in (NORMALIZER, PRE_TOKENIZER):  # a stage of one may be stored in the other
            yield members("normalizer", "pre_tokenizer")
    elif name == MODEL:
        small = {key: value for key, value in ours["model"].items() if key not in _LARGE}
        wanted = {key: value for key, value in theirs["model"].items() if key not in _LARGE}
        yield [*changes_of(("model",), small, wanted)]
    elif name == ADDED_TOKENS:
        yield [*_token_edits(a, ours, theirs)]
        yield [*changes_of(("added_tokens",), ours.get("added_tokens"), theirs.get("added_tokens"))]
    elif name in _TABLES:
        model, other = ours["model"], theirs["model"]
        merges = [*_merge_edits(model.get("merges"), other.get("merges"))]
        if name == MERGES:
            yield merges
        vocab = [*changes_of(("model", "vocab"), model["vocab"], other["vocab"])]
        if len(vocab) > MOST_EDITS:
            vocab = [FileEdit(WHOLE, ("model", "vocab"), LARGE, other["vocab"])]
        yield vocab
        yield [*vocab, *merges]
        yield [*vocab, *merges, *members("added_tokens", "post_processor")]
    elif name == CHAT:
        yield _chat_edits(a, b)


_LARGE: Final = ("vocab", "merges")


def changes_of(path: JsonPath, old: Any, new: Any) -> Iterator[FileEdit]:
    """Yields the edits of a `WHOLE` file that turn one value into another, as far inside as possible.

    >>> [
    ...     (one.path, one.after)
    ...     for one in changes_of((), {"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}})
    ... ]
    [(('a', 'c'), 3)]
    """
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if old.get("type") == new.get("type") and old and new:
            for key in [*dict.fromkeys([*old, *new])]:
                yield from _member_changes((*path, key), old, new, key)
            return
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changes_of((*path, place), one, other)
        return
    if old != new or type(old) is not type(new):
        yield FileEdit(WHOLE, path, old, new)


def _member_changes(
    path: JsonPath, old: Mapping[str, Any], new: Mapping[str, Any], key: str
) -> Iterator[FileEdit]:
    before, after = old.get(key, _ABSENT), new.get(key, _ABSENT)
    if after is _ABSENT:
        yield FileEdit(WHOLE, path, before, None, EditAction.REMOVE)
    elif before is _ABSENT:
        yield FileEdit(WHOLE, path, None, after)
    else:
        yield from changes_of(path, before, after)


def _token_edits(
    a: tc.Tokenizer, ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> Iterator[FileEdit]:
    """Yields the edits of options, then of tokens that only one of the two has, from the end."""
    tokens = ours.get("added_tokens") or []
    wanted = {token["content"]: token for token in theirs.get("added_tokens") or []}
    known = {token["content"] for token in tokens}
    both = [(token, wanted[token["content"]]) for token in tokens if token["content"] in wanted]
    flags = {
        token["content"]: {flag: bool(other.get(flag)) for flag in _FLAGS if bool(token.get(flag)) != bool(other.get(flag))}
        for token, other in both
    }  # fmt: skip
    yield from flag_edits(a, flags)
    path: JsonPath = ("added_tokens",)
    for place in reversed(range(len(tokens))):
        if tokens[place]["content"] not in wanted:
            yield FileEdit(WHOLE, (*path, place), tokens[place], None, EditAction.REMOVE)
    count = sum(token["content"] in wanted for token in tokens)
    for content, token in wanted.items():
        if content not in known:
            yield FileEdit(WHOLE, (*path, count), None, token, EditAction.INSERT)
            count += 1


def _merge_edits(old: Any, new: Any) -> Iterator[FileEdit]:
    """Yields the edits of the merges: those that are missing, or all of them."""
    path: JsonPath = ("model", "merges")
    if not isinstance(old, list) or not isinstance(new, list):
        return
    is_text = bool(old) and isinstance(old[0], str)
    pairs = [tuple(one.split(" ", 1)) if isinstance(one, str) else tuple(one) for one in old]
    wanted = [tuple(one.split(" ", 1)) if isinstance(one, str) else tuple(one) for one in new]
    if pairs == wanted:
        return
    written = [" ".join(one) if is_text else list(one) for one in wanted]
    inserted, removed = _more_in(wanted, pairs), _more_in(pairs, wanted)
    if inserted is not None:
        for place in inserted:
            yield FileEdit(WHOLE, (*path, place), None, written[place], EditAction.INSERT)
    elif removed is not None:
        for place in reversed(removed):
            yield FileEdit(WHOLE, (*path, place), old[place], None, EditAction.REMOVE)
    else:
        yield FileEdit(WHOLE, path, LARGE, written)


def _more_in(longer: list[Any], shorter: list[Any]) -> list[int] | None:
    """Returns the places of what one list has more than another, in the same order; None if it is not so, or too much.

    >>> _more_in([1, 2, 3, 4], [1, 3]), _more_in([1, 2], [2, 1])
    ([1, 3], None)
    """
    places, at = [], 0
    for place, one in enumerate(longer):
        if at < len(shorter) and shorter[at] == one:
            at += 1
        else:
            places.append(place)
    return places if at == len(shorter) and len(places) <= MOST_EDITS else None


def _chat_edits(a: tc.Tokenizer, b: tc.Tokenizer) -> list[FileEdit]:
    """Returns the edit of the settings that have the default chat template; none if it is in a file of its own."""
    template = chat_of(b)[TEMPLATES].get(DEFAULT)
    config = json_of(a, SETTINGS_FILES[0])
    if template is None or not config:
        return []
    old = config.get("chat_template")
    return [FileEdit(SETTINGS_FILES[0], ("chat_template",), old, template)]
