"""Tokenizers of many kinds, texts that are hard for them, and the comparison of two encodings in all columns."""

from __future__ import annotations

from functools import cache

import tokenarium_core as tc
from tokenarium.resources.samples_index import load_samples
from tokenarium_core.formats.hf.hf_format import read_huggingface

SAMPLES = {sample.id: sample.text() for sample in load_samples()}
HARD = [
    " ", "  ", "\n", "\r\n", "\t ", "a", "the", "'s", "'", "12", "3456", ".", "...", "?!", "(x", "é", "e\u0301",
    "नमस्ते", "مرحبا", "日本", "👩\u200d👧", "\u00a0", "\ud800", "_", "//", " 7", "ſ", "'LL", "Ⅷ", "\u0301", "Éa b", "\x00", " x y ", "Ab 1 c",
    "▁", "▁▁", "<unused7>", "<unus", "ed7>", "</h1>", "<s>", "  \n\n", "<pad>x",
    "walking and", " singing ", "ing", "<" + "x" * 90 + ">", "xx", "Ⅷनम", "ᚠᚢ", "ꙮ",
]  # fmt: skip


@cache
def of_kind(kind: str) -> tc.Tokenizer:
    """A tokenizer.json of a kind of `hf_models`; ``kind+`` has added tokens that need no permission, as Gemma's.

    One of ``kind*`` takes the white space before it. In ``kind-`` unknown characters are one token together.
    """
    import hf_models

    made = hf_models.KINDS[kind.rstrip("+*-")](hf_models.CORPUS)
    if kind.endswith("*"):
        made.add_tokens([hf_models.AddedToken("<mask>", lstrip=True, normalized=False)])
    if kind.endswith("-"):
        made.model.byte_fallback = False
    if kind.endswith("+"):
        plain = ["\n\n", "<unused7>", "</h1>", "▁▁", "Ⅷन", "<pad>", "<" + "x" * 90 + ">"]
        made.add_tokens([hf_models.AddedToken(one, normalized=False) for one in plain])
        made.add_tokens([hf_models.AddedToken("ing", single_word=True, normalized=True)])
    return read_huggingface(made.to_str().encode(), kind)


def equal(found: tc.Encoding, expected: tc.Encoding) -> None:
    for column in ("ids", "spans", "places", "pre_token_spans"):
        assert list(getattr(found, column)) == list(getattr(expected, column)), column
    assert list(found.pre_tokens.ends) == list(expected.pre_tokens.ends)
    names = [
        [one.pre_tokens.names[rule] for rule in one.pre_tokens.rules] for one in (found, expected)
    ]
    assert names[0] == names[1]
    assert found.text.data[: found.text.size] == expected.text.data[: expected.text.size]
    for at in range(expected.text.size + 1):
        assert found.text.start_of(at) == expected.text.start_of(at)
        assert found.text.stop_of(at) == expected.text.stop_of(at)
