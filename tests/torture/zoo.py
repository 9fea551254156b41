"""The tokenizers that the attacks share: a small one of each kind, and the texts that go into them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from random import Random
from typing import Any

import hf_models
import sentencepiece_models
from small_vocabularies import of_pieces
from tekken_files import tekken
from trace_law import by_law

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.tekken_format import read_tekken
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt

PIECES = [b"th", b"he", b"the", b" the", b"ing", b" w", "é".encode(), b"aa", b"aaaa", b"\n\n"]
SPECIAL = {"<|endoftext|>": 300}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "th", "##e", "##ing", "a", "##a", "नम", "é"]
OWN_PATTERN = r"'(?:s|t)| ?\p{L}+(?=[\s\S])| ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@functools.cache
def huggingface_file(name: str) -> bytes:
    """Returns a ``tokenizer.json`` of one of `hf_models.KINDS`."""
    content: str = hf_models.KINDS[name](hf_models.CORPUS).to_str()
    return content.encode()


def _huggingface(name: str) -> tc.Tokenizer:
    return read_huggingface(huggingface_file(name), name)


def _sentencepiece(name: str) -> tc.Tokenizer:
    content = sentencepiece_models.trained(**sentencepiece_models.MODELS[name])
    return read_sentencepiece(content, f"{name}.model", name)


MAKERS: dict[str, Callable[[], tc.Tokenizer]] = {
    "bytes, cl100k": lambda: of_pieces(PIECES, "cl100k", SPECIAL),
    "bytes, o200k": lambda: of_pieces(PIECES, "o200k", SPECIAL),
    "bytes, own pattern": lambda: of_pieces(PIECES, OWN_PATTERN, SPECIAL),
    "tekken": lambda: read_tekken(json.dumps(tekken()).encode(), "tekken.json", "small"),
    "vocab.txt": lambda: read_vocab_txt("\n".join(WORDS).encode(), "vocab.txt", True),
    **{
        f"{kind}, {name}": functools.partial(_sentencepiece, f"{kind}, {name}")
        for kind, name in [
            ("bpe", "plain"),
            ("bpe", "bytes"),
            ("bpe", "case"),
            ("unigram", "plain"),
            ("unigram", "bytes"),
            ("unigram", "identity"),
            ("char", "suffix"),
            ("word", "plain"),
        ]
    },
    **{
        name: functools.partial(_huggingface, name)
        for name in (
            "llama3",
            "llama2",
            "clip",
            "xlm_roberta",
            "deepseek_3",
            "falcon",
            "bert",
            "t5",
        )
    },
}
"""What makes a new tokenizer of each kind."""


@functools.cache
def shared(name: str) -> tc.Tokenizer:
    """Returns the tokenizer of a kind that all cases of a process use."""
    return MAKERS[name]()


def make_all() -> None:
    """Makes all that `shared` returns, and so trains what the others are made of too."""
    for name in MAKERS:
        shared(name)


LONG = [
    ["\u0301", 10_000_000],
    ["a\u0301\u0327", 2_000_000],
    ["a", 3_000_000],
    [" ", 3_000_000],
    ["\n", 1_000_000],
    ["\x00", 1_000_000],
    ["\ud800", 500_000],
    ["👩\u200d🚀", 300_000],
    ["the ", 500_000],
    ["ab12 é\n", 300_000],
    ["<|endoftext|>", 60_000],
    ["ﷺ", 200_000],
    ["가", 300_000],
]
"""Texts of one part, repeated."""

SIGNS = [
    *("", " ", "  ", "\n", "\r\n", "\t", "\x00", "\x7f", "\x85", "\xa0", "\u200b", "\ufeff"),
    *("a", "the", " the", "thing", "aaaaa", "'s", "I'LL", "x" * 120, "##ing", "1234567", "٣", "Ⅷ"),
    *("é", "e\u0301", "ﬁ", "ß", "ẞ", "İ", "ı", "ſ", "ŉ", "ΑΣ", "\u0345", "\u1100\u1161", "한국어"),
    *("日本語", "ｶﾞ", "नमस्ते", "مرحبا", "\u202e", "👩\u200d🚀", "🇩🇪", "\U0001fae9", "\U0010ffff", "\ufffd"),
    *("\ud800", "\udfff", "\ud83d\ude00", "▁", "▁▁", "Ġ", "<0x41>", "<0xE3>", "<s>", "</s>", "<unk>"),
    *("<mask>", "[UNK]", "[MASK]", "<|endoftext|>", "<|begin|>", "$1", "\\", '"', "\ue000"),
]  # fmt: skip
"""Parts of texts that once led to faults."""


def text_of(chance: Random, most: int = 14) -> str:
    """Returns a short text made of such parts and of any characters."""
    parts = []
    for _ in range(chance.randrange(most)):
        kind = chance.random()
        if kind < 0.7:
            parts.append(chance.choice(SIGNS))
        elif kind < 0.9:
            parts.append("".join(chance.choice("abcdeht THE.,'\n  019éñ") for _ in range(8)))
        else:
            parts.append(chr(chance.choice([chance.randrange(0x300), chance.randrange(0x110000)])))
    return "".join(parts)


def whole(text: str) -> str:
    """Returns a text without half surrogate pairs, as other libraries take it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def law(tokenizer: tc.Tokenizer, text: str, special: str = "none") -> list[int]:
    """Returns the ids of a text, having checked that all ways to get them agree."""
    ids, encoding = by_law(tokenizer, text, special)
    if special == "none":
        assert list(tokenizer.encode_buffer(text)) == ids, "a buffer has other ids than a list"
    job = tokenizer.encode_job(text, special)
    while not job.finished:
        job.step(0.0)
    assert list(job.encoding.ids) == ids, f"the ids in steps are others, special {special}"
    check_encoding(encoding, len(tokenizer.vocabulary), text)
    return ids


def check_encoding(encoding: tc.Encoding, entries: int, text: str) -> None:
    """Checks that ids are in range, and that spans go forward within the text."""
    size = len(tc_padded(text))
    before = 0
    assert len(encoding.spans) == 2 * len(encoding.ids)
    for index in range(len(encoding)):
        assert 0 <= encoding.ids[index] < entries, "an id is out of range"
        start, stop = encoding.span(index)
        assert before <= start <= stop <= size, "the spans go back or out of the text"
        before = start


def tc_padded(text: str) -> bytes:
    """Returns the UTF-8 of a text as the core sees it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def parts_of(value: Any) -> Any:
    """Returns an argument of a call: ``{"repeat": ["a", 3]}`` is ``"aaa"``, ``{"set": […]}`` a set; all else is itself."""
    if isinstance(value, dict):
        if set(value) == {"repeat"}:
            part, times = value["repeat"]
            return part * times
        if set(value) == {"set"}:
            return {parts_of(item) for item in value["set"]}
        if set(value) == {"tuple"}:
            return tuple(parts_of(item) for item in value["tuple"])
        return {key: parts_of(item) for key, item in value.items()}
    if isinstance(value, list):
        return [parts_of(item) for item in value]
    return value
