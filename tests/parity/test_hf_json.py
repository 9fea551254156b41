"""Whole ``tokenizer.json`` files against tokenizers: Gemma 3's, and one of each kind, trained here."""

from __future__ import annotations

import base64
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hf_models import CORPUS, KINDS, SAMPLES, byte_level, llama2, rules_of_sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface

tokenizers = pytest.importorskip("tokenizers")
AddedToken = tokenizers.AddedToken
pre_tokenizers = tokenizers.pre_tokenizers

TEXT = st.text(
    alphabet=st.sampled_from("abcdehlot THE.,'▁\n  \t0159éñ日本ー\U0001fae9<>[]#|"), max_size=40
) | st.text(max_size=20)


def same(ours: tc.Tokenizer, theirs: Any, text: str, *, fast: bool = False) -> None:
    """Checks that both agree on a text; ``fast``, for long ones, leaves out the places and encodes once for the template."""

    def encoded(*, template: bool = False) -> Any:
        if fast:
            return theirs.encode_batch_fast([text], add_special_tokens=template)[0]
        return theirs.encode(text, add_special_tokens=template)

    theirs.encode_special_tokens = False
    everything = encoded()
    assert list(ours.encode(text, special="all").ids) == everything.ids, text
    done = theirs.post_process(everything) if fast else encoded(template=True)
    assert list(ours.encode(text, special="all", template=True).ids) == done.ids, text
    theirs.encode_special_tokens = True
    plain = encoded().ids
    assert ours.encode_ids(text) == plain, text
    theirs.encode_special_tokens = False


def same_decoded(ours: tc.Tokenizer, theirs: Any, ids: list[int]) -> None:
    """Checks the text of some ids."""
    assert ours.decode(ids) == theirs.decode(ids), ids


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest) -> tuple[tc.Tokenizer, Any]:
    """A tokenizer of ours, and the one that it was read from."""
    theirs = KINDS[request.param](CORPUS)
    return read_huggingface(theirs.to_str().encode(), request.param), theirs


def test_samples(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in SAMPLES:
        same(ours, theirs, text)


def test_declarations(pair: tuple[tc.Tokenizer, Any], texts: dict[str, str]) -> None:
    ours, theirs = pair
    for text in texts.values():
        same(ours, theirs, text, fast=True)


@settings(max_examples=60)
@given(text=TEXT)
def test_any_text(pair: tuple[tc.Tokenizer, Any], text: str) -> None:
    same(*pair, text)


def test_decoding(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in SAMPLES:
        ids = theirs.encode(text).ids
        same_decoded(ours, theirs, ids)
        same_decoded(ours, theirs, ids[::-1])
    size = theirs.get_vocab_size(with_added_tokens=True)
    same_decoded(ours, theirs, list(range(size)))


def test_added_tokens() -> None:
    theirs = llama2(CORPUS)
    theirs.add_tokens(
        [
            AddedToken("hello", single_word=True),
            AddedToken("quick brown", lstrip=True, rstrip=True),
            AddedToken("Dog", normalized=True),
            AddedToken("fox", normalized=False),
            AddedToken("▁the"),
        ]
    )
    theirs.add_special_tokens([AddedToken("<x>", lstrip=True), "<y y>"])
    ours = read_huggingface(theirs.to_str().encode(), "added")
    for text in (
        "hello hellos (hello) Xhello",
        "the quick brown fox; quick brown",
        "Dog dog  Dog",
        "a   <x> b<x><y y>  <x>the the",
        *SAMPLES,
    ):
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)


def added(content: str, id: int, *options: str) -> dict[str, Any]:
    """Returns an added token with these options."""
    names = ("special", "normalized", "lstrip", "rstrip", "single_word")
    return {"id": id, "content": content} | {name: name in options for name in names}


def small(model: dict[str, Any], **stages: Any) -> tuple[tc.Tokenizer, Any]:
    """Returns a small file in both libraries."""
    empty = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    file = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": []}
    content = json.dumps(file | empty | stages | {"model": model})
    return read_huggingface(content.encode(), "small"), tokenizers.Tokenizer.from_str(content)


def bpe(vocab: list[str], **options: Any) -> dict[str, Any]:
    """Returns a BPE model without merges."""
    return {"type": "BPE", "vocab": {e: k for k, e in enumerate(vocab)}, "merges": []} | options


def wordpiece(vocab: list[str], prefix: str = "##") -> dict[str, Any]:
    """Returns a WordPiece model whose first entry is the unknown token."""
    return {
        "type": "WordPiece",
        "unk_token": vocab[0],
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": 100,
        "vocab": {entry: number for number, entry in enumerate(vocab)},
    }


def unigram(vocab: list[str], byte_fallback: bool = False) -> dict[str, Any]:
    """Returns a Unigram model whose first entry is the unknown token."""
    rows = [[entry, -float(number)] for number, entry in enumerate(vocab)]
    return {"type": "Unigram", "unk_id": 0, "vocab": rows, "byte_fallback": byte_fallback}


def sequence(*steps: dict[str, Any]) -> dict[str, Any]:
    """Returns normalizers one after the other."""
    return {"type": "Sequence", "normalizers": list(steps)}


def in_turn(*steps: dict[str, Any]) -> dict[str, Any]:
    """Returns pre-tokenizers one after the other."""
    return {"type": "Sequence", "pretokenizers": list(steps)}


def split(pattern: dict[str, str], behavior: str) -> dict[str, Any]:
    """Returns a pre-tokenizer that looks for a pattern."""
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": False}


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
STRIP = {"type": "Strip", "strip_left": True, "strip_right": True}
TO_BYTES = {"type": "ByteLevel"}
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
MARKED = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
SPLIT = {"type": "WhitespaceSplit"}
FIRST = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
EACH = FIRST | {"prepend_scheme": "always"}
ONE_BY_ONE = {"type": "FixedLength", "length": 1}
AFTER_BYTES: dict[str, list[dict[str, Any]]] = {
    "digits": [{"type": "Digits", "individual_digits": False}],
    "scripts": [{"type": "UnicodeScripts"}],
    "single characters": [ONE_BY_ONE],
    "signs merged": [{"type": "Punctuation", "behavior": "MergedWithPrevious"}],
    "a string": [split({"String": "ã"}, "MergedWithNext"), ONE_BY_ONE | {"length": 3}],
    "what is dropped": [split({"String": "¨"}, "Removed")],
    "words": [{"type": "Whitespace"}],
    "a mark before each word": [EACH],
    "a mark before the first word": [ONE_BY_ONE, FIRST],
    "bytes once more": [BYTE_LEVEL, {"type": "Digits", "individual_digits": True}],
}
BLANK_TOKENS = [
    added("<r>", 2, "rstrip"),
    added(" ", 3),
    added("\n", 4, "rstrip"),
    added("\t", 5, "lstrip", "rstrip", "special"),
]
NOTHING_LEFT = [added(" ", 3, "normalized"), added("<x>", 4, "normalized", "special")]
IN_ALPHABET = [
    added("é", 300, "normalized", "single_word"),
    added("日", 301, "normalized"),
    added("x ", 302, "normalized", "special"),
    added("b", 303, "normalized", "lstrip", "rstrip"),
]

SMALL_FILES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "unknown words side by side": (
        unigram(["<unk>", "a", "ab"]),
        {"pre_tokenizer": {"type": "FixedLength", "length": 2}},
        "abxyé",
    ),
    "words without a blank between": (
        unigram(["<unk>", "a", "aa", "aaa", "b"]),
        {"pre_tokenizer": {"type": "Digits", "individual_digits": True}},
        "ab1x",
    ),
    "a word that is only the prefix, before a token": (
        wordpiece(["<unk>", "@y", "y", "x", "@x"], "@"),
        {"added_tokens": [added("y", 2)]},
        "@xy",
    ),
    "a token that goes on a word": (
        wordpiece(["<unk>", "l", "##l", "a"]),
        {"added_tokens": [added("##l", 2)]},
        "al#",
    ),
    "a token that ends a word": (
        bpe(["<unk>", "a", "b", "a</w>", "b</w>"], unk_token="<unk>", end_of_word_suffix="</w>"),
        {"added_tokens": [added("a</w>", 3)], "pre_tokenizer": SPLIT},
        "ab </w>",
    ),
    "a mark as the prefix": (
        wordpiece(["<unk>", "▁", "▁a", "a", "b", "▁b"], "▁"),
        {"pre_tokenizer": FIRST},
        "ab ▁",
    ),
    **{
        f"{name} in Unigram, {'normalized' if normalizer else 'as it is'}": (
            unigram(["<unk>", "▁", "▁a", "a", "b", "▁b", "▁ab", "ba"]),
            {"pre_tokenizer": splitter, "normalizer": normalizer},
            "aAb ▁\n日",
        )
        for name, splitter in {
            "a mark before each word": EACH,
            "a mark before the first word": FIRST,
            "a mark before each word between blanks": in_turn(SPLIT, EACH),
            "a mark before the first word between blanks": in_turn(SPLIT, FIRST),
        }.items()
        for normalizer in (None, sequence({"type": "Lowercase"}, STRIP))
    },
    "blanks that two tokens want": (bpe(["a", "b"]), {"added_tokens": BLANK_TOKENS}, "a \n<r>"),
    "blanks that two tokens want, normalized": (
        bpe(["a", "b"]),
        {"added_tokens": BLANK_TOKENS, "normalizer": {"type": "NFC"}, "pre_tokenizer": SPLIT},
        "a \n<r>",
    ),
    "a token of which nothing is left": (
        unigram(["<unk>", "a", "ab", "b"]),
        {"added_tokens": NOTHING_LEFT, "normalizer": STRIP},
        "ab ",  # no half of <x>: there the reference never ends
    ),
    "tokens spelled as bytes, in Unigram": (
        unigram(["<unk>", "a", *BYTES], True),
        {"added_tokens": [added("<0xC3>", 2 + 0xC3), added("<0xA9>", 2 + 0xA9, "special")]},
        "aéx<0C3>",
    ),
    "tokens spelled as bytes, in BPE": (
        bpe(["<unk>", "a", "▁", *BYTES], byte_fallback=True),
        {"added_tokens": [added("<0xC3>", 3 + 0xC3), added("<0xA9>", 3 + 0xA9, "special")], "normalizer": MARKED},
        "a éx<0C3>",
    ),
    "tokens spelled as the alphabet spells bytes": (
        bpe(ALPHABET),
        {
            "added_tokens": [
                added(letter, ALPHABET.index(letter), *options)
                for letter, options in [("é", ()), ("İ", ("special",)), ("Ġ", ()), ("a", ())]
            ],
            "pre_tokenizer": BYTE_LEVEL,
        },
        "aéİĠ 날",
    ),
    "blanks dropped before bytes": (
        bpe(ALPHABET),
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [SPLIT, BYTE_LEVEL]}} | {"decoder": BYTE_LEVEL},
        "a é\n\u3000",
    ),
    "blanks dropped before bytes, with no other cut": (
        bpe(ALPHABET),
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [SPLIT, BYTE_LEVEL | {"use_regex": False}]}},
        "a é\n\u3000",
    ),
    "signs dropped before bytes": (
        bpe(ALPHABET),
        {
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [
                    {"type": "Punctuation", "behavior": "Removed"},
                    BYTE_LEVEL | {"use_regex": False},
                ],
            }
        },
        "a é,.-",
    ),
    **{
        f"{name} after bytes, {'with' if prefix else 'without'} a space before": (
            bpe([*ALPHABET, "▁", "ã"]),
            {"pre_tokenizer": in_turn(BYTE_LEVEL | {"add_prefix_space": prefix}, *after)} | {"decoder": BYTE_LEVEL},
            "aò¨日1 \u3000,▁",
        )
        for name, after in AFTER_BYTES.items()
        for prefix in (False, True)
    },
    "characters after bytes": (
        wordpiece(["<unk>", *ALPHABET, "##²", "##±"]),
        {"pre_tokenizer": in_turn(BYTE_LEVEL, {"type": "Digits", "individual_digits": False})},
        "aòñ日1 ",
    ),
    **{
        f"a mark before the first word of bytes, after {len(before)} others": (
            bpe(["<unk>", "▁", *ALPHABET], unk_token="<unk>"),
            {
                "normalizer": sequence(*before, TO_BYTES),
                "pre_tokenizer": in_turn(ONE_BY_ONE, FIRST),
                "added_tokens": [added("Ã", 2 + ALPHABET.index("Ã"), "normalized")],
            },
            "é日a½ ",
        )
        for before in (
            [],
            [{"type": "NFKD"}],
            [{"type": "NFC"}, {"type": "Prepend", "prepend": "▁"}],
        )
    },
    "an unknown token without characters": (
        bpe(["a", "", "b"], unk_token=""),
        {},
        "abxé",
    ),
    "tokens in the alphabet of bytes": (
        bpe(ALPHABET),
        {"added_tokens": IN_ALPHABET, "normalizer": TO_BYTES},
        "aéb日x \u3000",
    ),
    "tokens in the alphabet of bytes, without options": (
        bpe(ALPHABET),
        {"added_tokens": IN_ALPHABET[1:3], "normalizer": TO_BYTES},
        "aéb日x \u3000",
    ),
    "the alphabet of bytes before other stages": (
        bpe(["<unk>", *ALPHABET, "a", "A"], unk_token="<unk>") | {"vocab": {"<unk>": 0, "ã": 1}},
        {"normalizer": sequence(TO_BYTES, {"type": "Lowercase"}), "pre_tokenizer": SPLIT},
        "aé日 ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL_FILES)
def test_small_files(name: str) -> None:
    model, stages, letters = SMALL_FILES[name]
    ours, theirs = small(model, **stages)
    contents = [token["content"] for token in stages.get("added_tokens", [])]

    @settings(max_examples=150)
    @given(st.lists(st.sampled_from([*letters, *contents]), max_size=12).map("".join))
    def run(text: str) -> None:
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)

    run()


def test_new_tokens_are_counted_on_from_the_entries() -> None:
    """Gaps between the ids of the entries change nothing."""
    model = bpe([]) | {"vocab": {"a": 0, "b": 9}}
    tokens = [added("b", 9), added("x", 10), added("a", 0), added("y", 11)]
    ours, theirs = small(model, added_tokens=tokens)
    same(ours, theirs, "abxy")
    assert ours.encode_ids("xy") == [2, 3]


def test_the_characters_beside_a_single_word() -> None:
    ours, theirs = small(bpe([]), added_tokens=[added("x", 0, "single_word")])
    characters = [chr(code) for code in [*range(0x3100), *range(0x1F100, 0x1F1A0)]]
    for first in range(0, len(characters), 128):
        same(ours, theirs, "".join([f"-{c}x-x{c}-" for c in characters[first : first + 128]]))


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "a", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "b", "type_id": 0}},
        {"SpecialToken": {"id": "c", "type_id": 0}},
    ],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {
        "a": {"id": "a", "ids": [0], "tokens": ["a"]},
        "b": {"id": "b", "ids": [1, 0], "tokens": ["b", "a"]},
        "c": {"id": "c", "ids": [2], "tokens": ["c"]},
    },
}
PROCESSORS: list[dict[str, Any]] = [
    TEMPLATE | {"single": TEMPLATE["single"][1:2]},
    {"type": "BertProcessing", "cls": ["d", 3], "sep": ["e", 4]},
    {"type": "RobertaProcessing", "cls": ["f", 5], "sep": ["g", 6]}
    | {"trim_offsets": True, "add_prefix_space": False},
    BYTE_LEVEL,
]


@pytest.mark.parametrize("after", [*itertools.permutations(PROCESSORS, 2), PROCESSORS[1:]])
@pytest.mark.parametrize("template_first", [False, True])
def test_processors_in_sequence(after: tuple[dict[str, Any], ...], template_first: bool) -> None:
    steps = [TEMPLATE, *after] if template_first else [*after, TEMPLATE]
    sequence = {"type": "Sequence", "processors": steps}
    if template_first and PROCESSORS[0] in after:
        with pytest.raises(tc.FormatError, match="is a second template"):
            small(bpe([*"abcdefghx"]), post_processor=sequence)
        return
    ours, theirs = small(bpe([*"abcdefghx"]), post_processor=sequence)
    for text in ("", "x", "xx"):
        same(ours, theirs, text)


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("content", ["é", "Ġ", "Ġthe", '"', "Ċ", "é鰀"])
def test_an_added_token_that_is_spelled_as_bytes_are(content: str, special: bool) -> None:
    """It takes the id of the entry that GPT-2's alphabet spells so, but stands for its own characters."""
    theirs = byte_level(CORPUS)
    token = AddedToken(content, special=special, normalized=False)
    (theirs.add_special_tokens if special else theirs.add_tokens)([token])
    ours = read_huggingface(theirs.to_str().encode(), "added")
    for text in ('é 鰀 the the\n"Ġthe Ċ', "é鰀é鰀", *SAMPLES):
        same(ours, theirs, text)


@pytest.mark.parametrize("options", [("special",), ("single_word",), ("special", "normalized")])
def test_an_added_token_that_merges_make(options: tuple[str, ...]) -> None:
    """Where it is not one, the model makes it of its parts, in long words too, which are cut first."""
    model = bpe([*ALPHABET, "he", "the"], merges=[["h", "e"], ["t", "he"]])
    token = added("the", len(ALPHABET) + 1, *options)
    ours, theirs = small(model, added_tokens=[token], pre_tokenizer=BYTE_LEVEL)
    for text in ("the", "xthex", "x" * 20 + "thethe", "日本thethe" * 4, "ethe" * 2000):
        same(ours, theirs, text)


PRECOMPILED = {
    "type": "Precompiled",
    "precompiled_charsmap": base64.b64encode(rules_of_sentencepiece()).decode(),
}
WITHOUT_DIGITS = {"type": "Replace", "pattern": {"Regex": r"\d+"}, "content": ""}
TO_ONE = {"type": "Replace", "pattern": {"Regex": "b+"}, "content": "a"}


@pytest.mark.parametrize(
    "normalizer",
    [
        PRECOMPILED,
        WITHOUT_DIGITS,
        TO_ONE,
        STRIP,
        {"type": "Nmt"},
        sequence(TO_ONE, PRECOMPILED),
        sequence(PRECOMPILED, TO_ONE, {"type": "Lowercase"}),
        sequence(PRECOMPILED, {"type": "NFKC"}, WITHOUT_DIGITS),
        sequence(STRIP, {"type": "Prepend", "prepend": "b"}, TO_ONE),
    ],
)
@pytest.mark.parametrize("tokens", [[], [added("x", 4, "normalized")]])
def test_where_the_first_word_begins(normalizer: dict[str, Any], tokens: list[Any]) -> None:
    """It gets a mark if it is at the start of the text, which is not so where something was removed there."""
    ours, theirs = small(
        bpe(["<unk>", "▁", "a", "b"], unk_token="<unk>"),
        normalizer=normalizer,
        pre_tokenizer=FIRST,
        added_tokens=tokens,
    )
    beginnings = ["", "\x01", "\x01\x7f", "½", "12", "1", "b", "bb", " ", "  ", "x", "xbb", "x\x01"]
    for beginning in beginnings:
        for text in ("a", "b a", "1b", "\x01a", "B", "ba"):
            same(ours, theirs, beginning + text)


def test_marks_that_join_consonants() -> None:
    """A virama joins two consonants to one grapheme, but not any other character and a consonant."""
    letters = ["ǆ", "é", "x", "\u0915", "\u0958"]
    ours, theirs = small(
        bpe(["<unk>", *"džxe", "é", "\u094d", "\u0937", "\u1019"], unk_token="<unk>"),
        normalizer=PRECOMPILED,
    )
    for letter in letters:
        for mark in "\u094d\u09cd\u0d4d\u1039\u17d2\u1a60\u1b44\ua9c0\U00011133\u0301":
            for after in ("\u0937", "\u1019", "\u1780", "\u094d\u0937", "\u200d\u0937"):
                same(ours, theirs, letter + mark + after)


@pytest.fixture(scope="module")
def gemma(data: Path) -> tuple[tc.Tokenizer, Any]:
    """Gemma 3 in both libraries."""
    content = (data / "tokenizers" / "gemma3-tokenizer.json").read_bytes()
    return read_huggingface(content, "gemma3"), tokenizers.Tokenizer.from_str(content.decode())


def test_gemma_on_texts(gemma: tuple[tc.Tokenizer, Any], texts: dict[str, str]) -> None:
    for text in texts.values():
        same(*gemma, text)


def test_gemma_on_samples(gemma: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = gemma
    for text in SAMPLES:
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)


@settings(max_examples=200)
@given(text=TEXT)
def test_gemma_on_any_text(gemma: tuple[tc.Tokenizer, Any], text: str) -> None:
    same(*gemma, text)


@pytest.mark.parametrize(
    ("text", "special", "pieces"),
    [
        ("<bos>Heyllo", "none", "< bos > Hey llo"),
        (
            "<start_of_turn>user\nWho are you?<end_of_turn>\n<start_of_turn>model",
            "all",
            "<start_of_turn> user \n Who ▁are ▁you ? <end_of_turn> \n <start_of_turn> model",
        ),
        ("<unused10> blahblahblah", "none", "<unused10> ▁blah blah blah"),
        ("\U0001fae9", "none", "<0xF0> <0x9F> <0xAB> <0xA9>"),
    ],
)
def test_gemma_on_examples(
    gemma: tuple[tc.Tokenizer, Any], text: str, special: str, pieces: str
) -> None:
    ours, _ = gemma
    ids = ours.encode(text, special=special).ids
    assert [ours.vocabulary.surface(token) for token in ids] == pieces.split(" ")


def test_gemma_loses_marks(gemma: tuple[tc.Tokenizer, Any]) -> None:
    ours, _ = gemma
    assert ours.decode(ours.encode_ids("a▁b")) == "a b"
