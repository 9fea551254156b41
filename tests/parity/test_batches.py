"""Truncated, cut and padded texts are those of the library tokenizers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors

import tokenarium_core as tc
from tokenarium_core.batches import Batch, Padding, Truncation, stored_padding, stored_truncation

LETTERS = "abcdefghij"
AROUND = {"both": "<s> $A </s>", "before": "<s> $A", "none": "$A"}
SIDES = st.sampled_from(["left", "right"])


def reference(around: str) -> Tokenizer:
    entries = {letter: id for id, letter in enumerate(LETTERS)}
    entries |= {"<s>": 10, "</s>": 11, "<pad>": 12}
    made = Tokenizer(models.BPE(entries, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.add_special_tokens(["<s>", "</s>", "<pad>"])
    made.post_processor = processors.TemplateProcessing(
        single=AROUND[around], special_tokens=[("<s>", 10), ("</s>", 11)]
    )
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("batches")


def opened(made: Tokenizer, folder: Path) -> tc.Tokenizer:
    path = folder / "tokenizer.json"
    path.write_text(made.to_str(), "utf-8")
    return tc.open(path)


def batch_of(made: Tokenizer, texts: list[str], template: bool) -> dict[str, Any]:
    encodings = made.encode_batch(texts, add_special_tokens=template)
    return {
        "ids": [one.ids for one in encodings],
        "attention_mask": [one.attention_mask for one in encodings],
        "overflowing": [[rest.ids for rest in one.overflowing] for one in encodings],
    }


@given(data=st.data())
def test_as_tokenizers_does(data: st.DataObject, folder: Path) -> None:
    draw = data.draw
    made = reference(draw(st.sampled_from(list(AROUND))))
    texts = draw(st.lists(st.text(LETTERS, max_size=30), max_size=4))
    template = draw(st.booleans())
    mine = opened(made, folder)
    count = len([*mine.template.before, *mine.template.after]) if mine.template and template else 0
    truncation = padding = None
    if draw(st.booleans()):
        length = draw(st.integers(count + 1, 14))
        # The library measures the stride against what is left with a template, also without one.
        stride = draw(st.integers(0, max(0, length - 3)))
        side = draw(SIDES)
        truncation = Truncation(length, stride, side)
        made.enable_truncation(length, stride=stride, direction=side)
    if draw(st.booleans()):
        length, multiple = draw(st.integers(0, 12)), draw(st.integers(0, 5))
        side = draw(SIDES)
        padding = Padding(12, length, multiple, side)
        made.enable_padding(
            pad_id=12, length=length or None, pad_to_multiple_of=multiple or None, direction=side
        )
    wanted = batch_of(made, texts, template)
    got = tc.batch(mine, texts, truncation, padding, template=template)
    assert {name: getattr(got, name) for name in wanted} == wanted
    stored = opened(made, folder)
    again = tc.batch(
        stored, texts, stored_truncation(stored), stored_padding(stored), template=template
    )
    assert vars_of(again) == wanted


def vars_of(made: Batch) -> dict[str, Any]:
    return {name: getattr(made, name) for name in ("ids", "attention_mask", "overflowing")}


def test_what_leaves_no_room_is_refused_where_tokenizers_leaves_the_text_long(folder: Path) -> None:
    made = reference("both")
    made.enable_truncation(1)
    assert len(made.encode(LETTERS).ids) == len(LETTERS) + 2
    mine = opened(made, folder)
    with pytest.raises(tc.ArgumentError, match="2 are added around the text"):
        tc.batch(mine, [LETTERS], stored_truncation(mine))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("truncation", {"strategy": "OnlySecond", "max_length": 5}, "second of two"),
        ("truncation", {"max_length": 0}, "at least 1"),
        ("truncation", {"max_length": 5, "direction": "Up"}, "direction"),
        ("padding", {"pad_id": 12, "pad_to_multiple_of": "8"}, "not a valid size"),
        ("padding", {"pad_id": 12, "strategy": {"Fixed": -4}}, "not a valid size"),
    ],
)
def test_what_is_stored_and_makes_no_sense(
    field: str, value: dict[str, Any], words: str, folder: Path
) -> None:
    mine = opened(reference("both"), folder)
    fields = json.loads(mine.stored["fields"])
    mine.stored["fields"] = json.dumps(fields | {field: value}).encode()
    read: Any = {"truncation": stored_truncation, "padding": stored_padding}[field]
    with pytest.raises((tc.FormatError, tc.ArgumentError), match=words):
        read(mine)
