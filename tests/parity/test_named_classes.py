"""Folders of SigLIP, PLBART and BARTpho: a SentencePiece model with ids or rules of the class, compared with transformers."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest
from model_folders import (
    BPE,
    PLAIN_BPE,
    T5,
    TEXTS,
    UNIGRAM,
    USER,
    Child,
    Files,
    applied,
    folder_of,
    model,
)

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.registry import save
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces
from tokenarium_core.trace import Trace

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)

FILES = {
    "SiglipTokenizer": "spiece.model",
    "PLBartTokenizer": "sentencepiece.bpe.model",
    "BartphoTokenizer": "sentencepiece.bpe.model",
}
PARTS = [
    *["</s>", "<unk>", "<pad>", "<s>", "<mask>", "<new>", "__java__", "__en_XX__", " ", "  ", "\t", "\n"],
    *["\u3000", "\u00a0", "漢字", "\U0001f600", "ж", "ﷺ", "Ж Ж", "▁", "Hello", " WORLD", "the ", "isn't", "é"],
    *["e\u0301", "नमस्ते", "สวัสดี", "مرحبا", "12,345.", "<<", "!!!", "\x00", "ﬁ", "ΟΔΟΣ", "\u200b", "\x1c", "İ"],
]  # fmt: skip


def texts_of(seed: int) -> list[str]:
    """Returns texts in many scripts, with special tokens."""
    chance = random.Random(seed)
    made = [
        "".join(chance.choice(PARTS) for _ in range(chance.randrange(1, 9))) for _ in range(120)
    ]
    return [
        *TEXTS,
        "x</s>",
        "</s>",
        "</s> Y",
        "  </s> y",
        "x</s></s>",
        "!!!",
        "a </s>!!</s> B",
        *made,
    ]


def dictionary(name: str) -> bytes:
    """Returns a list of most pieces of a model, in another order, each with a number."""
    chance = random.Random(name)
    pieces = [piece for piece, _, kind in raw_pieces(model(name), name)[0] if kind != 3]
    pieces = [piece for piece in pieces if piece not in ("<unk>", "<mask>")]
    chance.shuffle(pieces)
    chosen = pieces[: len(pieces) * 3 // 4]
    return "".join(f"{piece} {number}\n" for number, piece in enumerate(chosen)).encode()


def files_of(kind: str, name: str, settings: Files) -> Files:
    """Returns the files of a folder."""
    files: Files = {FILES[kind]: model(name)}
    if kind == "BartphoTokenizer":
        files["dict.txt"] = dictionary(name)
    return {**files, "tokenizer_config.json": {"tokenizer_class": kind, **settings}}


MASK = {"__type": "AddedToken", "content": "<mask>", "rstrip": True}
SETTINGS: dict[str, list[Files]] = {
    "SiglipTokenizer": [
        {},
        {"additional_special_tokens": ["<new>"]},
        {"do_lower_case": False, "pad_token": "<pad>", "add_bos_token": True},
    ],
    "PLBartTokenizer": [
        {},
        {"src_lang": "java", "tgt_lang": "en_XX"},
        {"src_lang": "__en_XX__", "clean_up_tokenization_spaces": False, "mask_token": MASK},
    ],
    "BartphoTokenizer": [{}, {"mask_token": "<new>", "sep_token": "<sep>"}, {"mask_token": MASK}],
}
MODELS = {
    "SiglipTokenizer": (UNIGRAM, T5),
    "PLBartTokenizer": (UNIGRAM, BPE),
    "BartphoTokenizer": (UNIGRAM, PLAIN_BPE, USER, BPE),
}


@pytest.mark.parametrize(
    ("kind", "name", "number"),
    [
        pytest.param(kind, name, number, id=f"{kind}-{name}-{number}")
        for kind, models in MODELS.items()
        for name in models
        for number in range(3)
    ],
)
def test_same_ids(child: Child, tmp_path: Path, kind: str, name: str, number: int) -> None:
    folder = folder_of(files_of(kind, name, SETTINGS[kind][number]), tmp_path)
    texts = texts_of(number)
    theirs = child.ask(folder, texts)
    assert "error" not in theirs, theirs
    assert theirs["class"] == kind
    ours = tc.open(folder)
    assert applied(ours)["class"].startswith(f"{kind} of")
    saved = tc.open(save(ours, tmp_path / "saved.json", "tokenarium")[0])
    for text, (ids, inner, decoded) in zip(texts, theirs["texts"], strict=True):
        for tokenizer in (ours, saved):
            assert tokenizer.encode_ids(text, special="all", template=True) == ids, text
            assert tokenizer.encode_ids(text, special="all") == inner, text
        assert ours.decode(ids) == decoded, text
        traced = ours.encode(text, special="all", trace=Trace())
        assert list(traced.ids) == inner
        starts = list(traced.spans)[::2]
        assert starts == sorted(starts)
    assert len(ours.vocabulary) == theirs["size"]


def test_the_model_comes_before_a_tokenizer_json(child: Child, tmp_path: Path) -> None:
    files = files_of("SiglipTokenizer", UNIGRAM, {})
    words = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    whole = {"added_tokens": [], "model": words}
    folder = folder_of({**files, "tokenizer.json": whole}, tmp_path)
    theirs = child.ask(folder, ["Hello, World!"])
    assert tc.open(folder).encode_ids("Hello, World!", template=True) == theirs["texts"][0][0]


REFUSED: list[tuple[str, str, Files, str]] = [
    ("SiglipTokenizer", PLAIN_BPE, {}, "no piece “>”"),
    ("SiglipTokenizer", UNIGRAM, {"legacy": False}, "legacy"),
    ("PLBartTokenizer", UNIGRAM, {"language_codes": "multi"}, "language_codes"),
    ("PLBartTokenizer", UNIGRAM, {"src_lang": "fr"}, "src_lang is 'fr'"),
    ("PLBartTokenizer", UNIGRAM, {"eos_token": "<new>"}, "the token '<new>'"),
    ("PLBartTokenizer", PLAIN_BPE, {}, "the name of a special token"),
    ("BartphoTokenizer", UNIGRAM, {"additional_special_tokens": ["<new>"]}, "the token '<new>'"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "settings", "said"), REFUSED)
def test_refused(tmp_path: Path, kind: str, name: str, settings: Files, said: str) -> None:
    folder_of(files_of(kind, name, settings), tmp_path)
    with pytest.raises(FormatError, match=said):
        tc.open(tmp_path)


@pytest.mark.parametrize(
    ("lines", "said"),
    [(b"a 1\n\n", "Line 2"), (b"a 1\na 2\n", "repeats"), (b"<s> 1\n", "already"), (b"\xff", "UTF-8")],
)  # fmt: skip
def test_a_list_with_an_error(tmp_path: Path, lines: bytes, said: str) -> None:
    folder_of({**files_of("BartphoTokenizer", UNIGRAM, {}), "dict.txt": lines}, tmp_path)
    with pytest.raises(FormatError, match=said):
        tc.open(tmp_path)


def test_no_list(tmp_path: Path) -> None:
    files = files_of("BartphoTokenizer", UNIGRAM, {})
    del files["dict.txt"]
    with pytest.raises(NotAvailable, match=r"needs dict\.txt"):
        tc.open(folder_of(files, tmp_path))
