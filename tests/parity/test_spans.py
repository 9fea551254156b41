"""Where each token is in the text, as the references report it; `Encoding` says where they differ on purpose."""

from __future__ import annotations

import itertools
import json
from functools import partial

import hf_models
import pytest
import sentencepiece_models
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from trace_law import whole_characters

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.unicode import byte_alphabet

tiktoken = pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")

SIGNS = [
    *(" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u200b", "\ufeff", "▁", "\x00", "\x1b"),
    *("the", " thing", "Hello", "aaaaa", "é", "e\u0301", "A\u030a", "ﬁ", "Ⅷ", "½", "ﷺ", "ß", "İ"),
    *("नमस्ते", "日本語", "ｶﾞ", "한국어", "\u1100\u1161\u11a8", "مرحبا", "\u0651\u064e"),
    *("👩\u200d🚀", "👍🏽", "\U0001fae9", "<mask>", "<unk>", "[UNK]", "<0x41>", "##ing", "1,234"),
]
TEXT = st.lists(
    st.one_of(st.text(max_size=6), st.sampled_from(SIGNS), st.text("theod é", max_size=12)),
    max_size=8,
).map("".join)


def spans_of(encoding: tc.Encoding) -> list[tuple[int, int]]:
    return [encoding.span(index) for index in range(len(encoding))]


@pytest.mark.usefixtures("tiktoken_cache")
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "gpt2"])
def test_tiktoken(name: str) -> None:
    reference = tiktoken.get_encoding(name)
    tokenizer = tc.open(name)

    @settings(max_examples=150)
    @given(text=TEXT)
    def run(text: str) -> None:
        spans = spans_of(tokenizer.encode(text))
        ids = reference.encode_ordinary(text)
        shown, starts = reference.decode_with_offsets(ids)
        assert shown == text
        assert [start for start, _ in whole_characters(text, spans)] == starts
        assert [text.encode()[slice(*span)] for span in spans] == [
            reference.decode_single_token_bytes(token) for token in ids
        ]

    run()


SLIPPING = {"few_bytes", "xlm_roberta"}
"""Kinds that leave unknown characters out, or have the normalizer Precompiled."""

COMPOSING = {"composed_bytes", "clip", "word_level", "bert"}
"""Kinds that make one character of several."""


@pytest.mark.parametrize("kind", [kind for kind in hf_models.KINDS if kind not in SLIPPING])
def test_tokenizers(kind: str) -> None:
    theirs = hf_models.KINDS[kind](hf_models.CORPUS)
    ours = read_huggingface(theirs.to_str().encode(), kind)
    untrimmed = theirs.to_str().replace('"trim_offsets":true', '"trim_offsets":false')
    theirs = tokenizers.Tokenizer.from_str(untrimmed)

    @settings(max_examples=100)
    @given(text=TEXT)
    def run(text: str) -> None:
        encoding = ours.encode(text, special="all")
        expected = theirs.encode(text, add_special_tokens=False)
        assert list(encoding.ids) == expected.ids
        spans = spans_of(encoding)
        for index, span in enumerate(whole_characters(text, spans)):
            start, stop = expected.offsets[index]
            if spans[index][0] == spans[index][1]:  # put in, or the first bytes of a space
                assert start <= span[0] <= stop
            elif kind in COMPOSING:
                assert span[0] <= start <= stop <= span[1], (text, expected.tokens[index])
            else:
                assert span == (start, stop), (text, expected.tokens[index])

    run()


PLAIN = [
    name
    for name in sentencepiece_models.MODELS
    if "pieces" not in sentencepiece_models.MODELS[name]
]


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=100)
@given(text=TEXT)
def test_sentencepiece(name: str, text: str) -> None:
    model = sentencepiece_models.trained(**sentencepiece_models.MODELS[name])
    reference = sentencepiece_models.reference(model)
    encoding = read_sentencepiece(model, "test.model", "test").encode(text)
    pieces = reference.encode(text, return_type="proto").pieces
    assert list(encoding.ids) == [piece.id for piece in pieces]
    after = 0  # of what was lit before
    first = -1  # of the bytes of a character
    for index, (piece, (start, stop)) in enumerate(zip(pieces, spans_of(encoding), strict=True)):
        assert after <= stop
        after = stop
        if start == stop == len(text.encode()):  # the space after a text
            assert piece.end <= stop
            continue
        if reference.is_byte(piece.id):
            first = start if first < 0 else first
            assert piece.begin == first
            if piece.begin == piece.end:
                continue
        else:
            assert piece.begin == start
        place = encoding.places[2 * index + 1]
        following = encoding.text.start_of(place)
        if place < encoding.text.size and following < len(text.encode()):
            # a piece ends where the next one begins
            assert piece.end == following
        else:
            assert stop <= piece.end or ("suffix" in name and stop == len(text.encode()))
        first = -1


@pytest.mark.parametrize(
    ("normalizer", "text", "spans"),
    [
        (None, "a b", [(0, 0), (0, 1), (1, 2), (2, 3)]),
        ({"type": "NFC"}, "e\u0301a", [(0, 0), (0, 3), (3, 4)]),
        # Marks that change places, after a letter that could have become another one with them.
        ({"type": "NFC"}, "b\u0651\u064ea", [(0, 0), (0, 1), (1, 5), (1, 5), (5, 6)]),
        ({"type": "NFD"}, "é\u0301a", [(0, 0), (0, 2), (0, 2), (2, 4), (4, 5)]),
        ({"type": "Replace", "pattern": {"String": "bb"}, "content": "a"}, "abba", [(0, 0), (0, 1), (1, 3), (3, 4)]),
        ({"type": "Strip", "strip_left": True, "strip_right": True}, "  a ", [(2, 3)]),
    ],
)  # fmt: skip
def test_what_was_put_in_taken_away_and_joined(normalizer, text: str, spans) -> None:
    """Here the references report less."""
    vocab = {piece: number for number, piece in enumerate(["<unk>", "▁", "a", "b", "é"])}
    file = {
        "version": "1.0",
        "normalizer": normalizer,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"},
        "model": {"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": []},
    }
    encoding = read_huggingface(json.dumps(file).encode(), "small").encode(text)
    assert spans_of(encoding) == spans


@pytest.mark.parametrize("normalized", [False, True])
def test_an_added_token_after_what_was_taken_away(normalized: bool) -> None:
    options = dict.fromkeys(("special", "lstrip", "rstrip", "single_word"), False)
    tokens = [
        options | {"id": 2, "content": "ab", "normalized": normalized},
        options | {"id": 3, "content": "x", "normalized": True},
    ]
    vocab = {"<unk>": 0, "a": 1}
    content = json.dumps(
        {
            "version": "1.0",
            "added_tokens": tokens,
            "normalizer": {"type": "Strip", "strip_left": True, "strip_right": False},
            "model": {"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": []},
        }
    )
    ours = read_huggingface(content.encode(), "small")
    for text in ("  ab", " aba", "\nabx ab", "ab", " x", "  "):
        expected = tokenizers.Tokenizer.from_str(content).encode(text)
        encoding = ours.encode(text)
        assert (list(encoding.ids), spans_of(encoding)) == (expected.ids, expected.offsets), text


def test_bytes_that_merges_spell() -> None:
    """The token <0x41> is also what merges make of these six characters, and then it stands for them."""
    byte = "<0x41>"
    bytes_ = [f"<0x{value:02X}>" for value in range(256)]
    pieces = dict.fromkeys(["<unk>", "a", *byte, *(byte[:size] for size in range(2, 7)), *bytes_])
    file = {
        "version": "1.0",
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "byte_fallback": True,
            "vocab": {piece: number for number, piece in enumerate(pieces)},
            "merges": [[byte[:size], byte[size]] for size in range(1, 6)],
        },
    }
    content = json.dumps(file)
    ours = read_huggingface(content.encode(), "small")
    for text in ("<0x41>a", "a<0x41><0x41>a", "A<0x41>", "<0x4a"):
        expected = tokenizers.Tokenizer.from_str(content).encode(text)
        encoding = ours.encode(text)
        assert (list(encoding.ids), spans_of(encoding)) == (expected.ids, expected.offsets), text


def test_spans_never_go_back() -> None:
    """Not even where a space is put between what one character became."""
    splitters = [{"type": "FixedLength", "length": 1}, {"type": "Metaspace", "replacement": "▁"}]
    file = {
        "version": "1.0",
        "normalizer": {"type": "NFD"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": splitters},
        "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, "▁": 1}, "merges": []},
    }
    encoding = read_huggingface(json.dumps(file).encode(), "small").encode("a가b")
    spans = spans_of(encoding)
    assert spans == [(0, 0), (0, 1), (1, 1), (1, 4), (1, 4), (1, 4), (4, 4), (4, 5)]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(spans))


def test_spans_never_go_back_before_an_added_token() -> None:
    """Nor where that is a part of what one character became."""
    options = dict.fromkeys(("special", "lstrip", "rstrip", "single_word"), False)
    file = {
        "version": "1.0",
        "added_tokens": [options | {"id": 2, "content": "1", "normalized": True}],
        "normalizer": {"type": "NFKD"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁"},
        "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, "▁": 1}, "merges": []},
    }
    encoding = read_huggingface(json.dumps(file).encode(), "small").encode("½1")
    assert list(encoding.ids) == [2, 1, 0, 0, 2]
    assert spans_of(encoding) == [(0, 2), (0, 2), (0, 2), (0, 2), (2, 3)]


pre_tokenizers, normalizers = tokenizers.pre_tokenizers, tokenizers.normalizers

BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]

PRE_TOKENIZERS = {
    "none": lambda: None,
    "whitespace": pre_tokenizers.Whitespace,
    "whitespace split": pre_tokenizers.WhitespaceSplit,
    "bert": pre_tokenizers.BertPreTokenizer,
    "digits": pre_tokenizers.Digits,
    "single digits": lambda: pre_tokenizers.Digits(individual_digits=True),
    "scripts": pre_tokenizers.UnicodeScripts,
    "fixed length": lambda: pre_tokenizers.FixedLength(3),
    "delimiter": lambda: pre_tokenizers.CharDelimiterSplit("e"),
    "metaspace": pre_tokenizers.Metaspace,
    "metaspace, uncut": lambda: pre_tokenizers.Metaspace(prepend_scheme="never", split=False),
    "metaspace, first": lambda: pre_tokenizers.Metaspace(prepend_scheme="first"),
    "bytes": pre_tokenizers.ByteLevel,
    "bytes, unspaced": lambda: pre_tokenizers.ByteLevel(add_prefix_space=False),
    "bytes, uncut": lambda: pre_tokenizers.ByteLevel(use_regex=False),
    "pegasus": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    ),
    "several patterns": lambda: pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex("[\r\n]"), "isolated"),
            pre_tokenizers.Split(tokenizers.Regex(r"\s?\p{L}+"), "isolated"),
            pre_tokenizers.Split(tokenizers.Regex(r"\s?\p{P}+"), "isolated"),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    ),
    **{
        f"punctuation, {behavior}": partial(pre_tokenizers.Punctuation, behavior)
        for behavior in BEHAVIORS
    },
    **{
        f"split, {behavior}{', inverted' * invert}": partial(
            pre_tokenizers.Split, tokenizers.Regex(r"\s+|\d"), behavior, invert
        )
        for behavior in BEHAVIORS
        for invert in (False, True)
    },
}


def run_by(name: str, normalizer: object = None) -> tuple[object, tc.Tokenizer]:
    """Returns a tokenizer of the reference with this pre-tokenizer, and the same of ours."""
    words = tokenizers.models.WordLevel({"<unk>": 0, "the": 1}, "<unk>")
    theirs = tokenizers.Tokenizer(words)
    stage = PRE_TOKENIZERS[name]()
    if stage is not None:
        theirs.pre_tokenizer = stage
    if normalizer is not None:
        theirs.normalizer = normalizer
    return theirs, read_huggingface(theirs.to_str().encode(), name)


def their_pre_tokens(theirs, text: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Returns the pre-tokens of the reference, and their places in the original text, in characters."""
    normalized = text if theirs.normalizer is None else theirs.normalizer.normalize_str(text)
    split = tokenizers.PreTokenizedString(text)
    if theirs.normalizer is not None:
        split.normalize(theirs.normalizer.normalize)
    if theirs.pre_tokenizer is None:
        return [normalized] * (normalized != ""), [(0, len(text))] * (normalized != "")
    theirs.pre_tokenizer.pre_tokenize(split)
    words = [word for word, _ in theirs.pre_tokenizer.pre_tokenize_str(normalized)]
    return words, [place for _, place, _ in split.get_splits("original", "char")]


def our_pre_tokens(ours: tc.Tokenizer, text: str) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Returns the pre-tokens that the run made, and their spans, with those that were removed left out."""
    encoding = ours.encode(text)
    cuts, data = encoding.pre_tokens, encoding.text.data
    ends, spans = list(cuts.ends), list(encoding.pre_token_spans)
    kept = [index for index, rule in enumerate(cuts.rules) if rule != cuts.removed]
    words = [data[ends[index - 1] if index else 0 : ends[index]] for index in kept]
    assert len(spans) == 2 * len(ends)
    return words, [(spans[2 * index], spans[2 * index + 1]) for index in kept]


def read_by_reference(ours: tc.Tokenizer, word: bytes, expected: str) -> str:
    """Returns one of our words as the reference spells it: its bytes may be in GPT-2's alphabet, its spaces ▁."""
    spelled = "".join(byte_alphabet.CHARACTERS[byte] for byte in word)
    if spelled == expected:
        return spelled
    text = word.decode("utf-8", "replace")
    return text if text == expected else text.replace(" ", "▁")


def assert_same_pre_tokens(theirs, ours: tc.Tokenizer, text: str, places: bool) -> None:
    expected, their_places = their_pre_tokens(theirs, text)
    words, spans = our_pre_tokens(ours, text)
    assert len(words) == len(expected), text
    shown = [read_by_reference(ours, *pair) for pair in zip(words, expected, strict=True)]
    assert shown == expected
    if places:
        found = whole_characters(text, spans)
        for span, place, ours_in_bytes in zip(found, their_places, spans, strict=True):
            if ours_in_bytes[0] == ours_in_bytes[1]:  # put in
                assert place[0] <= span[0] <= place[1]
            else:
                assert span == place, text


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
@settings(max_examples=30)
@given(text=TEXT)
@example(text="hello world's 123 test")
@example(text=" ")
@example(text="مرحبا 日本語 👩\u200d🚀\n")
def test_pre_tokens_are_those_of_the_run(name: str, text: str) -> None:
    assert_same_pre_tokens(*run_by(name), text, True)


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
@settings(max_examples=20)
@given(text=TEXT)
@example(text="\u03000")
def test_pre_tokens_after_normalizers(name: str, text: str) -> None:
    several = [normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]
    theirs, ours = run_by(name, normalizers.Sequence(several))
    assert ours.encode_ids(text) == theirs.encode(text).ids
    if "first" in name and text and not theirs.normalizer.normalize_str(text[0]):
        return  # `encode` puts nothing before what is no longer first; `pre_tokenize_str` does not know that
    assert_same_pre_tokens(theirs, ours, text, False)


@pytest.mark.parametrize("kind", hf_models.KINDS)
def test_pre_tokens_of_tokenizers(kind: str) -> None:
    theirs = hf_models.KINDS[kind](hf_models.CORPUS)
    ours = read_huggingface(theirs.to_str().encode(), kind)

    @settings(max_examples=30)
    @given(text=TEXT)
    def run(text: str) -> None:
        assume(not ours.added_token_matches(text))
        assert_same_pre_tokens(theirs, ours, text, False)

    run()
