"""Pairs of random tokenizers, one an edited copy of the other: what the diff says of them is true."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import configurations
import differing_pairs
import zoo
from attack import Attack, Case
from planting import fail_inside, instead

import tokenarium_core as tc
from tokenarium_core import diff
from tokenarium_core.comparing.diff import TokenizerDiff
from tokenarium_core.comparing.stage_differences import (
    CHANGES_IDS,
    CHANGES_TEXT,
    EFFECTS,
    MAY_CHANGE_IDS,
    STAGES,
    TEMPLATE,
)
from tokenarium_core.formats.hf.hf_format import read_huggingface

NONE, ALL = "none", "all"
PROCESSORS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


# Edits.


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Returns where the plain values of a file are, but for entries and merges."""
    if isinstance(value, dict):
        keys = [key for key in value if key not in ("vocab", "merges", "precompiled_charsmap")]
        return [leaf for key in keys for leaf in _leaves(value[key], (*path, key))]
    if isinstance(value, list):
        return [leaf for place, one in enumerate(value) for leaf in _leaves(one, (*path, place))]
    return [path]


def _edit_setting(chance: Random, file: dict[str, Any]) -> None:
    """Gives a setting of a stage, or an option of an added token, another value of its kind."""
    parts = ("added_tokens", "model", *PROCESSORS)
    path = chance.choice(_leaves({name: file[name] for name in parts if name in file}))
    inner: Any = file
    for name in path[:-1]:
        inner = inner[name]
    value = inner[path[-1]]
    if isinstance(value, bool):
        inner[path[-1]] = not value
    elif isinstance(value, int):
        inner[path[-1]] = max(0, value + chance.choice([-1, 1, 5]))
    elif value is None:
        inner[path[-1]] = chance.choice([True, 0.1, "<x>"])
    elif isinstance(value, str) and path[-1] == "behavior":
        inner[path[-1]] = chance.choice(configurations.BEHAVIORS)
    elif isinstance(value, str):
        inner[path[-1]] = value + chance.choice(["", "a", "▁", "|b"])


def _edit_stage(chance: Random, file: dict[str, Any]) -> None:
    """Replaces a stage, or takes it away."""
    name = chance.choice(PROCESSORS)
    file[name] = chance.choice([None, configurations.make_stage(chance, name, file)])


def _edit_entries(chance: Random, file: dict[str, Any]) -> None:
    """Swaps two entries, two merges or two scores, or takes the last merge away."""
    model = file["model"]
    vocab, merges = model["vocab"], model.get("merges")
    if merges and chance.random() < 0.7:
        one, other = chance.randrange(len(merges)), chance.randrange(len(merges))
        if chance.random() < 0.3:
            merges.pop(one)
        else:
            merges[one], merges[other] = merges[other], merges[one]
        return
    keys = list(vocab) if isinstance(vocab, dict) else list(range(len(vocab)))
    one, other = chance.choice(keys), chance.choice(keys)
    if isinstance(vocab, dict):
        vocab[one], vocab[other] = vocab[other], vocab[one]
    else:
        vocab[one][1], vocab[other][1] = vocab[other][1], vocab[one][1]


def _edit_tokens(chance: Random, file: dict[str, Any]) -> None:
    """Takes an added token away, or adds some."""
    tokens = file["added_tokens"]
    if tokens and chance.random() < 0.4:
        tokens.pop(chance.randrange(len(tokens)))
    else:
        configurations.add_tokens(chance, file)


def _edit_form(chance: Random, file: dict[str, Any]) -> None:
    """Writes a part of the file in another form, which changes nothing."""
    differing_pairs.FORMS[chance.choice(list(differing_pairs.FORMS))](file)


EDITS: list[Callable[[Random, dict[str, Any]], None]] = [
    _edit_setting,
    _edit_setting,
    _edit_stage,
    _edit_entries,
    _edit_tokens,
    _edit_form,
    _edit_form,
]


def make_edited(chance: Random) -> Case:
    """Returns two files, the second an edited copy of the first, and texts."""
    case = configurations.make_huggingface(chance)
    file = json.loads(case["file"])
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        edited = copy.deepcopy(file)
        try:
            chance.choice(EDITS)(chance, edited)
        except (KeyError, IndexError, TypeError, AssertionError):
            continue  # an edit for files of another kind
        file = edited
    texts = [*case["texts"], *[zoo.whole(zoo.text_of(chance)) for _ in range(12)]]
    return {"a": case["file"], "b": json.dumps(file), "texts": texts}


# What the result says.


def run_edited(case: Case) -> str:
    """Checks the texts of each difference, and that no text differs where no difference is said to change ids."""
    try:
        a = read_huggingface(case["a"].encode(), "a")
        b = read_huggingface(case["b"].encode(), "b")
    except tc.TokenariumError:
        return "refused"
    result = diff(a, b)
    assert result.sentence, "no sentence"
    for one in result.differences:
        assert one.effect in EFFECTS, f"no effect: {one!r}"
        assert one.stage in STAGES, f"no stage: {one!r}"
        if one.effect == CHANGES_IDS:
            assert one.text is not None, f"changes ids, but there is no text: {one!r}"
            ways = [(NONE, True)] if one.stage == TEMPLATE else [(NONE, False), (ALL, False)]
            _shows(a, b, one.text, ways, one.ids_a, one.ids_b)
        elif one.effect == CHANGES_TEXT:
            texts = [[t.decode(one.ids_a, skipped) for skipped in (False, True)] for t in (a, b)]
            assert texts[0] != texts[1], f"decodes to the same text: {one!r}"
        else:
            assert one.text is None, f"a text without an effect: {one!r}"
    first = result.first
    if first is not None:
        way = (first.special, first.template)
        _shows(a, b, first.text, [way], first.ids_a, first.ids_b)
    worst = result.worst
    if worst not in (CHANGES_IDS, MAY_CHANGE_IDS):
        for text in case["texts"]:
            for special in (NONE, ALL):
                ids_a, ids_b = _ids(a, text, special), _ids(b, text, special)
                assert ids_a == ids_b, (
                    f"said to keep ids ({worst or 'no difference'}): {text!r} with special tokens {special}"
                    f" has {ids_a} and {ids_b}"
                )
    return worst or "no difference"


def _shows(
    a: tc.Tokenizer,
    b: tc.Tokenizer,
    text: str,
    ways: list[tuple[str, bool]],
    ids_a: list[int],
    ids_b: list[int],
) -> None:
    assert ids_a != ids_b, f"a text that shows nothing: {text!r} has {ids_a} in both"
    found = [(_ids(a, text, *way), _ids(b, text, *way)) for way in ways]
    assert (ids_a, ids_b) in found, f"other ids: {text!r} has {found}, not {ids_a} and {ids_b}"


def _ids(
    tokenizer: tc.Tokenizer, text: str, special: str = NONE, template: bool = False
) -> list[int]:
    try:
        return tokenizer.encode_ids(text, special=special, template=template)
    except tc.TokenariumError:
        return [-1]  # as the diff has it


# Faults.


def _changed(change: Callable[[TokenizerDiff], None]) -> Any:
    """Returns what makes a diff whose result is wrong."""

    def make(before: Any) -> Any:
        def wrong(*given: Any) -> TokenizerDiff:
            result: TokenizerDiff = before(*given)
            change(result)
            return result

        return wrong

    return make


def _without_differences(result: TokenizerDiff) -> None:
    result.differences, result.first = [], None


def _with_same_ids(result: TokenizerDiff) -> None:
    for one in result.differences:
        one.ids_b = one.ids_a


def _with_longer_text(result: TokenizerDiff) -> None:
    if result.first is not None:
        result.first.text += "."


def _without_texts(result: TokenizerDiff) -> None:
    for one in result.differences:
        one.text = None


HERE = sys.modules[__name__]

ATTACKS = [
    Attack(
        "diffs-edited",
        make_edited,
        run_edited,
        planted={
            "said to keep ids (no difference)": instead(
                HERE, "diff", _changed(_without_differences)
            ),
            "a text that shows nothing": instead(HERE, "diff", _changed(_with_same_ids)),
            "other ids": instead(HERE, "diff", _changed(_with_longer_text)),
            "there is no text": instead(HERE, "diff", _changed(_without_texts)),
            "KeyError": instead(HERE, "diff", lambda before: fail_inside),
        },
    )
]
