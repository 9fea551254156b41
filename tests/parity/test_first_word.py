"""Which words the reference takes for the first one, behind normalizers: how much of a text begins with the original."""

from __future__ import annotations

import base64
import json
from random import Random
from typing import Any

import pytest
from hf_models import rules_of_sentencepiece
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface

tokenizers = pytest.importorskip("tokenizers")

Stage = dict[str, Any]

PARTS = [
    *("a", "b", " ", "  ", "\n", "▁", "é", "e\u0301", "\u0301", "\u0327", "\u0344", "\u0301\u0327", "\u1e9b\u0323"),
    *("ﬁ", "㌀", "각", "\u1100\u1161\u11a8", "\u00ad", "\x01", "日", "##", "_", "İ", "\u200d", "a\u0327\u0301"),
    *("\u302e", "\U0001d15e", "\u0315", "\u0f73"),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=6).map("".join)
STRIP: Stage = {"type": "Strip", "strip_left": True, "strip_right": True}
BERT: Stage = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": True,
    "lowercase": True,
}


def replace(pattern: str, content: str, regex: bool = True) -> Stage:
    """Returns a Replace."""
    return {
        "type": "Replace",
        "pattern": {"Regex" if regex else "String": pattern},
        "content": content,
    }


def prepend(content: str) -> Stage:
    """Returns a Prepend."""
    return {"type": "Prepend", "prepend": content}


def first(replacement: str = "▁", split: bool = False) -> Stage:
    """Returns a Metaspace that marks the first word."""
    return {
        "type": "Metaspace",
        "replacement": replacement,
        "prepend_scheme": "first",
        "split": split,
    }


RULES = base64.b64encode(rules_of_sentencepiece()).decode()
COUNTING = [
    {"type": name} for name in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")
]
STEPS = [
    *COUNTING,
    *(STRIP, BERT, {"type": "Precompiled", "precompiled_charsmap": RULES}),
    *(prepend(content) for content in ("▁", "ab", "", "\u0301")),
    *(replace(r"\s+", content) for content in ("##", "", " ")),
    *(replace("a", "bb", False), replace(" ", "▁", False), replace(r"\R", " "), replace("^", "▁")),
    *(replace("a*", " "), replace("", "_", False), replace(r"[^a]|\n", "\u0327")),
]
CUTS: list[Stage] = [
    {"type": "BertPreTokenizer"},
    {"type": "Whitespace"},
    {"type": "Split", "pattern": {"Regex": "(?m:.)"}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"String": "a"}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Digits", "individual_digits": True},
]
VOCABULARY = {
    piece: number
    for number, piece in enumerate(
        ["<unk>", *dict.fromkeys("".join(PARTS) + "#cdefghino│▁ı\u0307\u030c")]
    )
}


def tokenizer_file(normalizers: list[Stage], splitters: list[Stage]) -> str:
    """Returns a file whose model takes a word character by character."""
    model = {
        "type": "BPE",
        "vocab": VOCABULARY,
        "merges": [],
        "unk_token": "<unk>",
        "fuse_unk": False,
    }
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": splitters},
            "post_processor": None,
            "decoder": None,
            "model": model,
        }
    )


def compared(normalizers: list[Stage], splitters: list[Stage], texts: list[str]) -> int:
    """Compares the ids of texts; returns how many, 0 where the file is refused. The reference panics at some texts."""
    content = tokenizer_file(normalizers, splitters)
    try:
        ours = read_huggingface(content.encode(), "test")
    except tc.FormatError as error:
        if "before" in str(error):
            return 0
        raise
    theirs = tokenizers.Tokenizer.from_str(content)
    for text in texts:
        expected = theirs.encode(text).ids
        assert ours.encode_ids(text) == expected, (text, normalizers, splitters)
        assert list(ours.encode(text).ids) == expected
    return len(texts)


@given(
    steps=st.lists(st.sampled_from(STEPS), max_size=4),
    cut=st.sampled_from([None, *CUTS]),
    replacement=st.sampled_from("▁_"),
    split=st.booleans(),
    texts=st.lists(TEXTS, min_size=4, max_size=8),
)
def test_any_steps(
    steps: list[Stage], cut: Stage | None, replacement: str, split: bool, texts: list[str]
) -> None:
    compared(steps, [*([cut] if cut else []), first(replacement, split)], texts)


@pytest.mark.parametrize("number", range(len(STEPS)))
def test_one_step(number: int) -> None:
    chance = Random(number)
    texts = ["".join(chance.choices(PARTS, k=chance.randrange(1, 5))) for _ in range(60)]
    for cut in CUTS:
        assert compared([STEPS[number]], [cut, first()], texts)


def test_words_of_one_replacement() -> None:
    """Of the signs that two blanks become, none begins where the text does."""
    assert compared([replace(r"\s+", "##")], [CUTS[0], first("_")], ["  a", " a", "a", "\n b  "])


def test_marks_that_change_their_places() -> None:
    """A mark that moves before one that is removed begins where that one did, and not all marks of a word begin so."""
    texts = ["\u0301\u302e", "a\u0301\u302eb", "\u302e\u0315\u302e", "\U0001d15e\u302e"]
    assert compared([BERT], [CUTS[2], first()], texts)


def test_what_is_removed_behind_a_character_put_in() -> None:
    """The last of the four that one becomes then begins where the removed one did."""
    texts = ["㌀\x01", "㌀\x01_", "a㌀\x01", "㌀\x01\x01a", "㌀a"]
    precompiled = {"type": "Precompiled", "precompiled_charsmap": RULES}
    assert compared([precompiled], [CUTS[2], first()], texts)


@pytest.mark.parametrize(
    "inserted",
    [
        prepend(""),
        replace("a*", " "),
        replace("^", "_"),
        replace(r"\b", "a"),
        replace("", "b", False),
    ],
)
@pytest.mark.parametrize("behind", [*COUNTING, STRIP, BERT, {"type": "ByteLevel"}])
def test_steps_that_the_reference_repeats_text_in(inserted: Stage, behind: Stage) -> None:
    refused = f"before {behind['type']}"
    with pytest.raises(tc.FormatError, match=refused):
        read_huggingface(tokenizer_file([inserted, behind], []).encode(), "test")
    read_huggingface(tokenizer_file([behind, inserted], []).encode(), "test")


def test_the_reference_repeats_text() -> None:
    """Why these are refused: the first character comes twice."""
    normalizers = tokenizers.normalizers
    steps = [normalizers.NFKD(), normalizers.Prepend(""), normalizers.NFKC()]
    assert normalizers.Sequence(steps).normalize_str("á") == "aá"


@pytest.mark.parametrize(
    "pattern", [r"\R", r"\s+", "a|b+", "(?:a?b)", "(?>a+)", "(a)", "[^a]|a", "(?=a)a"]
)
def test_patterns_that_find_characters_may_stand_before(pattern: str) -> None:
    texts = ["ab", " a b", "\n\nb", "é a"]
    assert compared([replace(pattern, "▁"), STRIP, {"type": "NFKC"}], [first()], texts)


def test_added_tokens_that_are_the_same_once_normalized() -> None:
    """The reference finds one of them: which one, is another one from process to process."""
    file = json.loads(tokenizer_file([{"type": "Lowercase"}], []))
    flags = dict.fromkeys(("special", "lstrip", "rstrip", "single_word"), False)
    file["added_tokens"] = [
        {"id": 500 + number, "content": content, "normalized": True, **flags}
        for number, content in enumerate(["<X>", "<x>"])
    ]
    with pytest.raises(tc.FormatError, match="'<X>' and '<x>' are the same"):
        read_huggingface(json.dumps(file).encode(), "test")
    file["added_tokens"][0]["normalized"] = False
    opened = read_huggingface(json.dumps(file).encode(), "test")
    theirs = tokenizers.Tokenizer.from_str(json.dumps(file))
    assert opened.encode_ids("a<X><x>") == theirs.encode("a<X><x>").ids
