"""Encodings after an edit: equal to those of the whole text, for any edit and each way of cutting."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hf_kinds import HARD, SAMPLES, equal, of_kind
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models.text import edited_encoding
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.edited_encoding import changed_bytes, is_taken_over
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

FAMILY = {one.id: one for one in SHIPPED_TOKENIZERS}
EDITED = (
    "tokenarium-8k", "bpe-gpt2-8k", "bpe-cl100k-8k", "superbpe-8k", "wordpiece-8k", "sentencepiece-bpe-8k"
)  # fmt: skip
PARTS = st.sampled_from(HARD)


@cache
def opened(name: str) -> tc.Tokenizer:
    return tc.open(FAMILY[name].path)


def whole(tokenizer: tc.Tokenizer, text: TextMap) -> tc.Encoding:
    job = tokenizer.encode_job(text.padded)
    while not job.finished:
        job.step(1e9)
    return job.encoding


def check(tokenizer: tc.Tokenizer, old: str, new: str) -> bool:
    """Compares all columns; returns whether the encoding was taken over."""
    before, after = TextMap(old), TextMap(new)
    chunked = ChunkedEncoding.of(whole(tokenizer, before))
    edited = edited_encoding.edited_encoding(tokenizer, before, chunked, after)
    if edited is None:
        return False
    equal(edited.whole, whole(tokenizer, after))
    return True


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITED)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_any_edit_of_any_sample_gives_what_the_whole_text_gives(
    name: str, data: st.DataObject
) -> None:
    text = SAMPLES[data.draw(st.sampled_from(sorted(SAMPLES)))]
    start = data.draw(st.integers(0, len(text)))
    stop = min(len(text), start + data.draw(st.sampled_from([0, 0, 0, 1, 2, 9, 200])))
    put = "".join(data.draw(st.lists(PARTS, max_size=4)))
    check(opened(name), text, text[:start] + put + text[stop:])


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITED)
@settings(max_examples=150, deadline=None)
@given(
    parts=st.lists(PARTS, max_size=30),
    put=st.lists(PARTS, max_size=3),
    place=st.floats(0, 1),
    gone=st.integers(0, 3),
)
def test_hard_texts(name: str, parts: list[str], put: list[str], place: float, gone: int) -> None:
    """With small blocks, so that places are found close to the edit."""
    at = round(place * len(parts))
    old, new = "".join(parts), "".join([*parts[:at], *put, *parts[at + gone :]])
    blocks = edited_encoding.BLOCKS
    try:
        edited_encoding.BLOCKS = (8, 24, 64)  # type: ignore[misc]
        check(opened(name), old, new)
    finally:
        edited_encoding.BLOCKS = blocks  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["llama2", "llama2+", "llama2-", "byte_level", "llama3", "inverted", "bert"]
)
def test_files_of_every_kind(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random texts of hard parts and of what these files search for, with small blocks."""
    pytest.importorskip("tokenizers")
    monkeypatch.setattr(edited_encoding, "BLOCKS", (8, 24, 64))
    draw, taken = random.Random(5), 0
    for _ in range(800):
        parts = draw.choices(HARD, k=draw.randrange(30))
        put = draw.choices(HARD, k=draw.randrange(3))
        at, gone = draw.randrange(len(parts) + 1), draw.randrange(4)
        edited = "".join([*parts[:at], *put, *parts[at + gone :]])
        taken += check(of_kind(kind), "".join(parts), edited)
    assert taken > 200


def test_an_added_token_that_ends_where_none_did_is_no_place() -> None:
    """What follows it becomes a section, which gets a mark of its own."""
    pytest.importorskip("tokenizers")
    hindi = "नमस्तेⅧ  \n\n\x00"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edited_encoding, "BLOCKS", (8, 24, 64))
        for changed in (("the(x", "<unus"), ("<unus", "the(x")):
            old, new = (f"<unus<unusthe<unus...{one}ed7>{hindi}" for one in changed)
            check(of_kind("llama2+"), old, new)


@pytest.mark.parametrize(("kind", "row"), [("llama2-", "ᚠᚢ"), ("llama2+", "Ⅷन")])
def test_places_are_beside_rows_that_are_one_token(kind: str, row: str) -> None:
    """Unknown characters are one token, and added tokens have no place inside."""
    pytest.importorskip("tokenizers")
    old = "ab7\n" + row * 40 + "7\nab walk"
    for at in (40, 41):
        assert check(of_kind(kind), old, old[:at] + row[0] + old[at:])


def test_files_that_look_around_are_encoded_whole() -> None:
    pytest.importorskip("tokenizers")
    for kind in ("metaspace_bpe", "real_spaces", "unknown_characters", "xlm_roberta", "bert+"):
        assert not is_taken_over(of_kind(kind)), kind
    assert is_taken_over(of_kind("llama2+"))
    assert not is_taken_over(of_kind("llama2*"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma3.model", "gemma3-tokenizer.json", "mistral-v3.model"])
def test_published_files_that_cut_nothing(
    name: str, real: Callable[[str], tc.Tokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most edits of a text in many scripts, with what these files search for, are taken over."""
    monkeypatch.setattr(edited_encoding, "BLOCKS", (64, 512, 4096))
    tokenizer, draw = real(name), random.Random(11)
    text = "".join(
        SAMPLES[one][:1500] for one in ("prose-en", "prose-hi", "code-python", "prose-ja")
    )
    text += "<unused7>\n\n▁ <b>bold</b>  \t"
    taken = 0
    for _ in range(60):
        at = draw.randrange(len(text))
        put = draw.choice(["x", " and", "é", "नम", "\n", "12", "", "<unused1", "▁", "</b>", "  "])
        edited = text[:at] + put + text[min(at + draw.choice([0, 0, 1, 5]), len(text)) :]
        taken += check(tokenizer, text, edited)
        text = edited
    assert taken > 55


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITED)
def test_a_long_text_is_encoded_around_the_edit_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "".join(SAMPLES[name] for name in ("prose-en", "prose-hi", "code-python", "prose-ja")) * 8
    )
    half = len(text) // 2
    tokenizer = opened(name)
    encoded: list[int] = []
    divided = edited_encoding._joined

    def noted(*values: object) -> ChunkedEncoding:
        encoded.append(len(values[1].whole.original))  # type: ignore[attr-defined]
        return divided(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(edited_encoding, "_joined", noted)
    assert check(tokenizer, text, text[:half] + "x" + text[half:])
    assert check(tokenizer, text, text[:half] + text[half + 1 :])
    assert all(size < 3 * edited_encoding.BLOCKS[1] for size in encoded)


@pytest.mark.slow
@pytest.mark.parametrize("name", EDITED)
def test_many_edits_one_after_the_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In other places and in the same, so that chunks are divided, replaced and joined."""
    monkeypatch.setattr(edited_encoding, "BLOCKS", (64, 512, 4096))
    monkeypatch.setattr("tokenarium.models.text.chunked_column.FEW", 5)
    monkeypatch.setattr("tokenarium.models.text.chunked_column.SMALL", 200)
    draw = random.Random(7)
    text = "".join(SAMPLES[one] for one in ("prose-en", "prose-hi", "code-python", "prose-ja"))
    tokenizer, old = opened(name), TextMap(text)
    encoding = ChunkedEncoding.of(whole(tokenizer, old))
    at, edited_ones = 0, 0
    for _ in range(150):
        at = draw.randrange(len(text)) if draw.random() < 0.5 else min(at + 1, len(text))
        put = draw.choice(["x", " and", "é", "नम", "\n", "12", ""])
        text = text[:at] + put + text[min(at + draw.choice([0, 0, 1, 5]), len(text)) :]
        new = TextMap(text)
        edited = edited_encoding.edited_encoding(tokenizer, old, encoding, new)
        edited_ones += edited is not None
        encoding = edited or ChunkedEncoding.of(whole(tokenizer, new))
        old = new
        expected = ChunkedEncoding.of(whole(tokenizer, new))
        for column in ("ids", "starts", "ends", "cut_ends"):
            assert getattr(encoding, column).tolist() == getattr(expected, column).tolist()
    assert edited_ones > 100
    equal(encoding.whole, whole(tokenizer, old))
    template = tokenizer.ends.chosen(True, True)
    if template is not None:
        equal(encoding.with_ends(template).whole, whole(tokenizer, old).with_ends(template))


@pytest.mark.parametrize("name", sorted(set(FAMILY) - set(EDITED)))
def test_what_normalizes_is_encoded_whole(name: str) -> None:
    assert not is_taken_over(opened(name))


@given(
    st.text(st.sampled_from("aé日👧\u0301"), max_size=8),
    st.text(st.sampled_from("aé日👧\u0301"), max_size=8),
)
@settings(deadline=None)
def test_what_changed_is_between_characters(old: str, new: str) -> None:
    first, old_stop, new_stop = changed_bytes(TextMap(old), TextMap(new))
    a, b = old.encode(), new.encode()
    assert a[:first].decode() == b[:first].decode()
    assert a[old_stop:].decode() == b[new_stop:].decode()
    assert first <= old_stop
    assert first <= new_stop
    a[first:old_stop].decode()
    b[first:new_stop].decode()


def test_columns_are_those_of_the_core() -> None:
    tokenizer = opened("tokenarium-8k")
    old, new = TextMap("one two three. four"), TextMap("one two, three. four")
    before = ChunkedEncoding.of(whole(tokenizer, old))
    found = edited_encoding.edited_encoding(tokenizer, old, before, new)
    assert found is not None
    assert np.asarray(found.ids).dtype == np.int32
    assert len(found) == len(found.whole.ids)
