"""Folders of models in slow form: their files, and what transformers makes of them in a process of its own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import transformers_child
from sentencepiece_models import LINES, trained

import tokenarium_core as tc
from tokenarium_core.formats.registry import save
from tokenarium_core.trace import Trace

Files = dict[str, Any]
"""The files of a folder by name: bytes, or what is written as JSON."""

TEXTS = [
    "",
    " ",
    "Hello, world! It's 2024, isn't it?",
    "  two  spaces and\ttabs\nlines ",
    "a<extra_id_0>b <extra_id_9> <|im_start|>user <|im_end|>",
    "<s> x</s> <pad><unk> [CLS]a[SEP] [MASK] <mask>  <mask>",
    "</nope><new> one new",
    "Größe ÉTÉ ﬁne naïve e\u0301 ``quoted'' x² 中文 日本語",
    "a literal ▁ and ▁▁marks",
    "<0x41><0x0A>\x00",
    *LINES,
]


class Child:
    """Transformers in a process of its own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", transformers_child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )

    def ask(self, folder: Path, texts: list[str]) -> dict[str, Any]:
        """Returns what it makes of a folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"folder": str(folder), "texts": texts}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def folder_of(files: Files, folder: Path) -> Path:
    """Writes the files of a folder."""
    for name, content in files.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / name).write_bytes(data)
    return folder


def check_class(
    child: Child, folder: Path, texts: list[str], kind: str, *, replaced: bool = True
) -> tuple[tc.Tokenizer, dict[str, Any]]:
    """Returns the tokenizer of a folder and what transformers makes of it with a class.

    Checks that the tokenizer and its saved copy give the same ids, with and without the special tokens around a text,
    and that the ids of a trace, and those with spans, do not differ. Without ``replaced``, decoded texts with a
    replacement character (U+FFFD) are not compared.
    """
    theirs = child.ask(folder, texts)
    assert "error" not in theirs, theirs
    assert theirs["class"] == kind
    ours = tc.open(folder)
    assert applied(ours)["class"].startswith(f"{kind} of")
    saved = tc.open(save(ours, folder / "saved.json", "tokenarium")[0])
    for text, (ids, inner, decoded) in zip(texts, theirs["texts"], strict=True):
        for tokenizer in (ours, saved):
            assert tokenizer.encode_ids(text, special="all", template=True) == ids, text
            assert tokenizer.encode_ids(text, special="all") == inner, text
        if replaced or "\ufffd" not in decoded:
            assert ours.decode(ids) == decoded, text
        check_spans(ours, text, inner)
    return ours, theirs


def check_spans(tokenizer: tc.Tokenizer, text: str, ids: list[int]) -> None:
    """Checks that the ids are the same with spans and with a trace, and that the spans are in order inside the text."""
    traced = tokenizer.encode(text, special="all", trace=Trace())
    plain = tokenizer.encode(text, special="all")
    assert list(plain.ids) == list(traced.ids) == ids
    assert list(plain.spans) == list(traced.spans)
    size = len(text.encode("utf-8", "surrogatepass"))
    starts, stops = list(plain.spans)[::2], list(plain.spans)[1::2]
    assert all(0 <= start <= stop <= size for start, stop in zip(starts, stops, strict=True))
    assert starts == sorted(starts)


def applied(tokenizer: tc.Tokenizer) -> dict[str, str]:
    """Returns what was done with the settings of a folder."""
    return {row.name: row.value for row in tokenizer.details if row.group == "model folder"}


BPE, PLAIN_BPE, UNIGRAM, T5, BERT_LIKE, USER = "bpe", "plain", "unigram", "t5", "bert", "user"
"""Models by kind."""

OPTIONS: dict[str, dict[str, Any]] = {
    BPE: {"kind": "bpe", "size": 480, "byte_fallback": True},
    PLAIN_BPE: {"kind": "bpe", "size": 300, "pieces": ("<mask>",)},
    UNIGRAM: {"kind": "unigram", "size": 300},
    T5: {"kind": "unigram", "size": 300, "pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    BERT_LIKE: {
        "kind": "unigram",
        "size": 300,
        "pad_id": 0,
        "unk_id": 1,
        "bos_id": -1,
        "eos_id": -1,
        "control_symbols": "[CLS],[SEP],[MASK]",
    },
    USER: {
        "kind": "unigram",
        "size": 300,
        "pieces": ("[CLS]", "[SEP]", "<extra>"),
        "control_symbols": "<pad>",
    },
}


def model(name: str) -> bytes:
    """Returns a model by its name."""
    return trained(**OPTIONS[name], character_coverage=0.98)


IM = {"content": "<|im_start|>", "special": True}
DECODER = {
    "0": {"content": "<unk>", "special": True, "normalized": False},
    "1": {"content": "<s>", "special": True, "normalized": False},
    "2": {"content": "</s>", "special": True, "normalized": False},
    "500": {**IM, "normalized": False},
    "501": {"content": " one ", "normalized": True, "lstrip": True, "rstrip": True},
    "502": {"content": "new", "single_word": True, "normalized": False},
}
TOKEN = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "normalized": True}

COMMON: list[Files] = [
    {},
    {"eos_token": "</nope>", "pad_token": "<pad>"},
    {"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]},
    {"extra_special_tokens": {"image_token": "<new>"}, "video_token": "<|im_end|>"},
    {"added_tokens_decoder": DECODER, "pad_token": "<|im_start|>"},
]
"""Settings that every class knows."""


def same(child: Child, folder: Path, texts: list[str] = TEXTS) -> tc.Tokenizer:
    """Checks that a folder gives the same ids and texts as in transformers; returns our tokenizer."""
    theirs = child.ask(folder, texts)
    assert "error" not in theirs, theirs
    ours = tc.open(folder)
    assert f"{theirs['class']} of" in applied(ours)["class"]
    for text, (ids, inner, decoded) in zip(texts, theirs["texts"], strict=True):
        assert list(ours.encode(text, special="all", template=True).ids) == ids, text
        assert list(ours.encode(text, special="all").ids) == inner, text
        assert ours.decode(ids) == decoded, text
    assert len(ours.vocabulary) == theirs["size"]
    return ours


NAMES = [
    "<s>", "</s>", "<unk>", "<pad>", "<mask>", "[CLS]", "[SEP]", "<new>", "</nope>", "new", "the",
    " a",
]  # fmt: skip
FLAGS = [
    *(
        "legacy",
        "add_prefix_space",
        "add_bos_token",
        "add_eos_token",
        "do_lower_case",
        "keep_accents",
    ),
    *("split_by_punct",),
]


def random_token(chance: random.Random) -> dict[str, object]:
    """Returns a token with some of its options set."""
    options = ("lstrip", "rstrip", "single_word", "normalized", "special")
    flags = {name: chance.random() < 0.5 for name in options if chance.random() < 0.4}
    return {"content": chance.choice(NAMES), **flags}


def random_settings(chance: random.Random) -> Files:
    """Returns unusual settings that mean something."""
    named: Files = {"__type": "AddedToken"}
    config: Files = {name: chance.random() < 0.5 for name in chance.sample(FLAGS, 3)}
    for name in chance.sample(
        ["bos_token", "eos_token", "pad_token", "cls_token", "mask_token"], 2
    ):
        config[name] = chance.choice([chance.choice(NAMES), {**named, **random_token(chance)}])
    if chance.random() < 0.4:
        config["additional_special_tokens"] = [
            chance.choice([chance.choice(NAMES), {**named, **random_token(chance)}])
            for _ in range(3)
        ]
    if chance.random() < 0.4:
        config["added_tokens_decoder"] = {
            str(id): random_token(chance) for id in chance.sample([0, 1, 2, 5, 479, 480, 700], 3)
        }
    files: Files = {"tokenizer_config.json": config}
    if chance.random() < 0.4:
        files["added_tokens.json"] = {chance.choice(NAMES): chance.choice([3, 300, 480, 700])}
    if chance.random() < 0.4:
        name = chance.choice(["bos_token", "unk_token", "sep_token"])
        files["special_tokens_map.json"] = {name: chance.choice(NAMES)}
    return files


def trained_pair(made: Any, trainer: Any) -> Files:
    """Returns vocab.json and merges.txt of a tokenizer of the library tokenizers, trained here."""
    from hf_models import CORPUS  # which skips where that library is missing

    made.train_from_iterator(CORPUS, trainer)
    model = json.loads(made.to_str())["model"]
    merges = "#version: 0.2\n" + "".join(f"{' '.join(merge)}\n" for merge in model["merges"])
    return {"vocab.json": model["vocab"], "merges.txt": merges.encode()}
