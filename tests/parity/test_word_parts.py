"""Folders of classes in Python that cut words into parts, PhoBERT's and its like: compared with transformers."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from model_folders import Child, Files, check_class, folder_of
from word_parts import learned, parts, texts_of

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.explaining.verdict import ONE
from tokenarium_core.explaining.why import why_not

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)

FAIRSEQ = ("PhobertTokenizer", "BertweetTokenizer")
SPECIAL = {
    "CTRLTokenizer": ["<unk>"],
    "BlenderbotSmallTokenizer": ["__null__", "__start__", "__end__", "__unk__"],
}


def files_of(kind: str, seed: int, settings: Files) -> Files:
    """Returns the files of a folder."""
    merges = learned(seed)
    names = parts(merges, seed)
    config = {"tokenizer_config.json": {"tokenizer_class": kind, **settings}}
    if kind in FAIRSEQ:
        words = "".join(f"{name} {9000 - place}\n" for place, name in enumerate(names))
        codes = "".join(f"{left} {right} {count}\n" for left, right, count in merges)
        return {"vocab.txt": words.encode(), "bpe.codes": codes.encode(), **config}
    entries = [*SPECIAL[kind], *[name for name in names if name not in SPECIAL[kind]]]
    if kind == "BlenderbotSmallTokenizer":
        entries = list(dict.fromkeys(entry.lower() for entry in entries))
    lines = "".join(f"{left} {right}\n" for left, right, _ in merges)
    return {
        "vocab.json": {entry: id for id, entry in enumerate(entries)},
        "merges.txt": f"#version: 0.2\n{lines}".encode(),
        **config,
    }


MASK = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "special": True}
SETTINGS: list[Files] = [
    {},
    {"additional_special_tokens": ["<new>", "the"]},
    {"add_bos_token": True, "add_eos_token": True, "pad_token": "<new>"},
]
CASES = [
    pytest.param(kind, number, id=f"{kind}-{number}")
    for kind in (*FAIRSEQ, *SPECIAL)
    for number in range(4 if kind in FAIRSEQ else 3)
]


@pytest.mark.parametrize(("kind", "number"), CASES)
def test_same_ids(child: Child, tmp_path: Path, kind: str, number: int) -> None:
    settings = SETTINGS[number] if number < 3 else {"mask_token": MASK, "unk_token": "<new>"}
    folder = folder_of(files_of(kind, number, settings), tmp_path)
    ours, theirs = check_class(child, folder, texts_of(number), kind)
    assert len(ours.vocabulary) == theirs["size"]


def test_why_not_one_token(tmp_path: Path) -> None:
    tokenizer = tc.open(folder_of(files_of("PhobertTokenizer", 2, {}), tmp_path))
    text = "the lowest z low"
    ids = [tokenizer.encode_ids(word) for word in text.split()]
    at = 0
    for word, found in zip(text.split(), ids, strict=True):
        verdict = why_not(tokenizer, text, at, at + len(word))
        assert (verdict.kind == ONE) == (len(found) == 1 and found[0] != 3), word
        at += len(word) + 1


def test_long_texts(tmp_path: Path) -> None:
    tokenizer = tc.open(folder_of(files_of("PhobertTokenizer", 1, {}), tmp_path))
    text = "the lowest \U0001f600 chào\n" * 20_000
    ids = tokenizer.encode_ids(text)
    assert list(tokenizer.encode(text).ids) == ids
    assert ids[: len(ids) // 20_000] * 20_000 == ids


HOSTILE: list[tuple[str, Files, str]] = [
    ("PhobertTokenizer", {"vocab.txt": b"a 5\nb\n"}, r"Line 2 of vocab\.txt"),
    ("PhobertTokenizer", {"vocab.txt": b"a 5\nb 4\na 3\n"}, r"Line 3 of vocab\.txt has the entry 'a'"),
    ("PhobertTokenizer", {"vocab.txt": b"a 5\n\xff 4\n"}, r"Line 2 of vocab\.txt is not UTF-8"),
    ("PhobertTokenizer", {"bpe.codes": b"a b 5\nc d\n"}, r"Line 2 of bpe\.codes"),
    ("PhobertTokenizer", {"bpe.codes": b"a</w> b 5\n"}, r"Line 1 of bpe\.codes has </w>"),
    ("PhobertTokenizer", {"tokenizer_config.json": {"bos_token": "</s>"}}, "first ids are the same"),
    ("PhobertTokenizer", {"tokenizer_config.json": {"cls_token": None}}, "PhobertTokenizer puts"),
    ("BertweetTokenizer", {"tokenizer_config.json": {"normalization": True}}, "normalization"),
    ("CTRLTokenizer", {"vocab.json": {"<unk>": 0, "a": 2}}, "the id 2"),
    ("CTRLTokenizer", {"vocab.json": {"a": 0}}, "no entry '<unk>'"),
    ("CTRLTokenizer", {"merges.txt": b"#version: 0.2\na b c\n"}, r"Line 2 of merges\.txt"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "files", "said"), HOSTILE)
def test_refused(tmp_path: Path, kind: str, files: Files, said: str) -> None:
    settings = {"tokenizer_class": kind, **files.get("tokenizer_config.json", {})}
    folder_of({**files_of(kind, 0, {}), **files, "tokenizer_config.json": settings}, tmp_path)
    with pytest.raises(FormatError, match=said):
        tc.open(tmp_path)


def test_no_codes(tmp_path: Path) -> None:
    files = files_of("PhobertTokenizer", 0, {})
    del files["bpe.codes"]
    with pytest.raises(NotAvailable, match=r"needs bpe\.codes beside vocab\.txt"):
        tc.open(folder_of(files, tmp_path))
