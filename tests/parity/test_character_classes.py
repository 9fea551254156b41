"""Folders of VITS and MGP-STR, whose tokens are characters: compared with the classes in Python of transformers."""

from __future__ import annotations

import importlib.util
import os
import random
from pathlib import Path

import pytest
from model_folders import TEXTS, Child, Files, folder_of, same

import tokenarium_core as tc
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.opening import is_tokenizer, tokenizers_in
from tokenarium_core.trace import Trace

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)

SOUNDS = {
    entry: id for id, entry in enumerate([*"k'zyu d.hw–s-ljbpnfmoeitavgrcqx_01234éăţ", "<unk>"])
}
SIGNS = {
    entry: id for id, entry in enumerate(["[GO]", "[s]", *"0123456789abcdefghijklmnopqrstuvwxyz"])
}
PARTS = [
    *["Hello", "WORLD", " ", "  ", "k", "K", "<unk>", "kk", "lake", "É", "漢", "İ", "ß", "\t", "\n", "<pad>", "ţ"],
    *["ț", "–", "ς Σ", "_", "e\u0301"],
]  # fmt: skip


def texts_of(seed: int) -> list[str]:
    """Returns texts with the blank, capitals, and characters that are no entries."""
    chance = random.Random(seed)
    made = ["".join(chance.choice(PARTS) for _ in range(chance.randrange(1, 7))) for _ in range(80)]
    return [*TEXTS, "lake", "kk", "k", " k ", "KaK", "Hello, World! k", "<pad>k", *made]


VITS: list[Files] = [
    {"pad_token": "k", "language": "eng"},  # as published
    {"pad_token": "k", "add_blank": False},
    {},
    {"pad_token": "k", "language": "ron", "unk_token": "e"},
    {"pad_token": "a", "additional_special_tokens": ["x", "<z>"]},
]


def vits(settings: Files, entries: Files) -> Files:
    config = {"tokenizer_class": "VitsTokenizer", "phonemize": False, **settings}
    return {"vocab.json": entries, "tokenizer_config.json": config}


@pytest.mark.parametrize("number", range(len(VITS)))
def test_vits(child: Child, tmp_path: Path, number: int) -> None:
    folder = folder_of(vits(VITS[number], SOUNDS), tmp_path)
    texts = texts_of(number)
    theirs = child.ask(folder, texts)
    ours = tc.open(folder)
    for text, (ids, inner, _) in zip(texts, theirs["texts"], strict=True):
        assert ours.encode_ids(text, special="all", template=True) == ids, text
        traced = ours.encode(text, special="all", trace=Trace())
        assert list(traced.ids) == inner
        starts = list(traced.spans)[::2]
        assert starts == sorted(starts)
    assert len(ours.vocabulary) == theirs["size"]


@pytest.mark.parametrize(
    ("settings", "entries", "said"),
    [
        ({"phonemize": True}, SOUNDS, "phonemizer"),
        ({"is_uroman": True}, SOUNDS, "uroman"),
        ({"normalize": False}, SOUNDS, "normalize"),
        ({}, {"a": 0, "B": 1}, "the entry 'B'"),
        ({}, {"<pad>": 0, "a": 1}, "no entry of one character with the id 0"),
        ({}, {"a": 0, "b": 0}, "both have the id 0"),
        ({}, {}, "no entries"),
    ],
)
def test_vits_refused(tmp_path: Path, settings: Files, entries: Files, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        tc.open(folder_of(vits(settings, entries), tmp_path))


@pytest.mark.parametrize(
    "settings", [{}, {"additional_special_tokens": ["<new>"]}, {"unk_token": "a"}]
)
def test_mgp_str(child: Child, tmp_path: Path, settings: Files) -> None:
    config = {"tokenizer_class": "MgpstrTokenizer", **settings}
    folder = folder_of({"vocab.json": SIGNS, "tokenizer_config.json": config}, tmp_path)
    same(child, folder, [*texts_of(9), "hello [GO]x[s]", "[GO][s]"])


def test_mgp_str_without_its_unknown_token(tmp_path: Path) -> None:
    config = {"tokenizer_class": "MgpstrTokenizer", "unk_token": "[UNK]"}
    folder_of({"vocab.json": SIGNS, "tokenizer_config.json": config}, tmp_path)
    with pytest.raises(FormatError, match=r"no entry '\[UNK\]'"):
        tc.open(tmp_path)


def test_a_folder_is_listed(tmp_path: Path) -> None:
    folder = folder_of(vits({}, SOUNDS), tmp_path)
    assert is_tokenizer(folder)
    assert [found.source for found in tokenizers_in(folder, sorted(os.listdir(folder)))] == [folder]
