"""Each stage that a tokenizer.json can name, alone, against the same stage of tokenizers."""

from __future__ import annotations

import base64

import pytest
from hf_models import rules_of_sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.normalized_text import unchanged, untracked
from tokenarium_core.normalizers.character_normalizers import (
    FORMS,
    Lowercase,
    Nmt,
    Strip,
    StripAccents,
    UnicodeNormalizer,
)
from tokenarium_core.normalizers.normalizer import (
    ByteLevelNormalizer,
    Normalizer,
    NormalizerSequence,
    Prepend,
    Replace,
    SpaceMark,
)
from tokenarium_core.normalizers.precompiled import Precompiled
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.patterns.found_pattern import FoundPattern, FoundRegex, FoundString
from tokenarium_core.pretokenizers.character_splitters import (
    Digits,
    FixedLength,
    Punctuation,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from tokenarium_core.pretokenizers.hf_splitters import (
    BEHAVIORS,
    CharDelimiterSplit,
    Split,
    SplitterSequence,
    WordSplitter,
)
from tokenarium_core.pretokenizers.spelling_splitters import ByteLevel, Metaspace
from tokenarium_core.unicode import byte_alphabet, codepoints

tokenizers = pytest.importorskip("tokenizers")
pre_tokenizers = tokenizers.pre_tokenizers
normalizers = tokenizers.normalizers
Regex = tokenizers.Regex

NASTY = [
    "", " ", "   ", "\n", "Hello my friend, how is your day going?", "  two  spaces  ",
    "tab\tand\r\nlines\n\n end \n", "\u00a0nbsp\u2003em\u3000ideographic ",
    "don't I'LL we've 'S's ''s", "1234567 ٣٤٥ Ⅷ ½ x2 3.14",
    "e\u0301 a\u0300\u0323\u0327 o\u031b\u0323", "각 \u1100\u1161\u11a8 \u1100\u1161 한글 \u11a8",
    "ﬁ ﬂ ﬃ ŉ ǆ ǅ ß ẞ İ ı ΑΣ ΟΔΥΣΣΕΥΣ", "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 👍🏽 \U0001fae9",
    "שלום עולם مرحبا بالعالم \u200f\u200e", "日本語のテキスト。カタカナー 漢字 ﾊﾟﾋﾟ",
    "नमस्ते दुनिया กำลัง ำน\u0e49ำ3ลำ", "▁under ▁ ▁▁ a▁b _c_ the-final--countdown --",
    "\x00\x01\x7f\x85\u200b\u200d\ufeff\ufffd",
    "\u0b53\u088f\u1c89\ua7dd\U00016ea0 \U0001e944 \u0378", "x = (a+b)*c; // $5 < 6 & ^~`|", "one",
    "ſ ſt K Å Ω",
]  # fmt: skip
"""Texts that were once normalized or cut wrongly."""

ALPHABET = "".join(sorted(set("".join(NASTY)))) + "abcxyzABC  \n'-▁0123"
TEXT = st.text(alphabet=st.sampled_from(ALPHABET), max_size=24) | st.text(max_size=24)

RULES = rules_of_sentencepiece()

CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def words_of(splitter: WordSplitter, text: str) -> list[tuple[str, tuple[int, int]]]:
    """Returns the words with their places in the original, in characters: what pre_tokenize_str returns."""
    data = padded(text)
    split = splitter.split(unchanged(data, len(data) - PADDING, 0))
    if not splitter.reads_origin:
        bare = splitter.split(untracked(data, len(data) - PADDING))
        assert not bare.text.aligned
        assert bare.text.data == split.text.data
        assert list(bare.ends) == list(split.ends)
        assert list(bare.rules) == list(split.rules)
    assert len(split.ends) == len(split.rules)
    assert all(rule < len(splitter.rules) for rule in split.rules)
    found = []
    start = 0
    for end in split.ends:
        assert end > start
        first, last = split.text.start_of(start), split.text.stop_of(end)
        places = tuple(len(data[:at].decode()) for at in (first, last))
        found.append((split.text.data[start:end].decode(), places))
        start = end
    assert start == split.text.size
    return found


def bare_words(splitter: WordSplitter, text: str) -> list[str]:
    """Returns the words alone, as text."""
    data = padded(text)
    split = splitter.split(unchanged(data, len(data) - PADDING, 0))
    starts = [0, *split.ends]
    return [split.text.data[a:b].decode() for a, b in zip(starts, split.ends, strict=False)]


def expected(stage, text: str) -> list[tuple[str, tuple[int, int]]]:
    return stage.pre_tokenize_str(text)


def regexes(pattern: str) -> tuple[FoundPattern, object]:
    return FoundRegex(pattern), Regex(pattern)


def both_splits(pattern: str | FoundPattern, theirs: object, behavior: str, invert: bool = False):
    ours = FoundString(pattern) if isinstance(pattern, str) else pattern
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in behavior)[1:]
    return Split(ours, behavior, invert), pre_tokenizers.Split(theirs, name, invert)


QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
STAGES = {
    "WhitespaceSplit": (WhitespaceSplit(), pre_tokenizers.WhitespaceSplit()),
    "Whitespace": (Whitespace(), pre_tokenizers.Whitespace()),
    "Digits": (Digits(), pre_tokenizers.Digits()),
    "Digits, individual": (Digits(True), pre_tokenizers.Digits(individual_digits=True)),
    "UnicodeScripts": (UnicodeScripts(), pre_tokenizers.UnicodeScripts()),
    "FixedLength": (FixedLength(3), pre_tokenizers.FixedLength(3)),
    "CharDelimiterSplit": (CharDelimiterSplit("-"), pre_tokenizers.CharDelimiterSplit("-")),
    **{
        f"Punctuation, {behavior}": (
            Punctuation(behavior),
            pre_tokenizers.Punctuation(
                "".join(f"_{c.lower()}" if c.isupper() else c for c in behavior)[1:]
            ),
        )
        for behavior in BEHAVIORS
    },
    **{
        f"Metaspace, {scheme}, {split}": (
            Metaspace("▁", scheme, split, space_form=False),
            pre_tokenizers.Metaspace("▁", scheme, split),
        )
        for scheme in ("always", "first", "never")
        for split in (True, False)
    },
    "Metaspace, _": (Metaspace("_", space_form=False), pre_tokenizers.Metaspace("_")),
    **{
        f"Split, {pattern!r}, {behavior}, {invert}": both_splits(pattern, pattern, behavior, invert)
        for pattern in (" ", "--", "", "-")
        for behavior in BEHAVIORS
        for invert in (False, True)
    },
    **{
        f"Split by regex, {pattern!r}, {behavior}, {invert}": both_splits(
            FoundRegex(pattern), Regex(pattern), behavior, invert
        )
        for pattern in (r"\w+|[^\w\s]+", r"\s+", "(?=[A-Z])", "a*", "-", QWEN)
        for behavior in BEHAVIORS
        for invert in (False, True)
    },
    "Sequence of WhitespaceSplit and Metaspace": (
        SplitterSequence([WhitespaceSplit(), Metaspace(space_form=False)]),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
    ),
    "Sequence of WhitespaceSplit and Metaspace, first": (
        SplitterSequence([WhitespaceSplit(), Metaspace("▁", "first", space_form=False)]),
        pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="first")]
        ),
    ),
    "Sequence of Whitespace, Digits and Punctuation": (
        SplitterSequence([Whitespace(), Digits(True), Punctuation()]),
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.Whitespace(),
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.Punctuation(),
            ]
        ),
    ),
    "Sequence of nothing": (SplitterSequence([]), pre_tokenizers.Sequence([])),
}


@pytest.mark.parametrize("name", STAGES)
def test_words_and_their_places(name: str) -> None:
    ours, theirs = STAGES[name]
    for text in NASTY:
        if text:  # of which the reference makes an empty word, without ids
            assert words_of(ours, text) == expected(theirs, text), text


@given(name=st.sampled_from(list(STAGES)), text=TEXT)
@settings(max_examples=1500)
def test_words_and_their_places_of_any_text(name: str, text: str) -> None:
    ours, theirs = STAGES[name]
    assert words_of(ours, text) == [word for word in expected(theirs, text) if word[0]]


def spelled(words: list[tuple[str, tuple[int, int]]]) -> list[str]:
    return [byte_alphabet.to_text(word.encode()) for word, _ in words]


@given(prefix=st.booleans(), use_regex=st.booleans(), text=TEXT)
@settings(max_examples=300)
def test_byte_level(prefix: bool, use_regex: bool, text: str) -> None:
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=use_regex)
    words = expected(theirs, text)
    ours = words_of(ByteLevel(prefix, use_regex), text)
    assert spelled(ours) == [word for word, _ in words]
    if not prefix:  # the reference counts a space that it put in to the first character
        assert [place for _, place in ours] == [place for _, place in words]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("use_regex", [True, False])
def test_byte_level_after_another(text: str, use_regex: bool) -> None:
    ours = SplitterSequence([Digits(True), ByteLevel(True, use_regex)])
    theirs = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(True, use_regex=use_regex)]
    )
    assert spelled(words_of(ours, text)) == [word for word, _ in expected(theirs, text)]


@given(scheme=st.sampled_from(["always", "first", "never"]), split=st.booleans(), text=TEXT)
@settings(max_examples=300)
def test_metaspace_in_space_form(scheme: str, split: bool, text: str) -> None:
    theirs = pre_tokenizers.Metaspace("▁", scheme, split)
    words = [(word.replace("▁", " "), place) for word, place in expected(theirs, text) if word]
    assert words_of(Metaspace("▁", scheme, split), text) == words


CLASSES = {
    "WhitespaceSplit": (WhitespaceSplit(), pre_tokenizers.WhitespaceSplit()),
    "Whitespace": (Whitespace(), pre_tokenizers.Whitespace()),
    "Digits": (Digits(True), pre_tokenizers.Digits(individual_digits=True)),
    "Punctuation": (Punctuation(), pre_tokenizers.Punctuation()),
    "UnicodeScripts": (UnicodeScripts(), pre_tokenizers.UnicodeScripts()),
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_code_point(name: str) -> None:
    ours, theirs = CLASSES[name]
    for around in ("a{}-", "я{}1"):
        for first in range(0, len(CHARACTERS), 512):  # the reference takes longer for long texts
            # One word that all have in common keeps the classes of neighbours apart.
            text = "".join([around.format(c) for c in CHARACTERS[first : first + 512]])
            assert bare_words(ours, text) == [word for word, _ in expected(theirs, text)]


def test_every_script_is_known() -> None:
    stage = UnicodeScripts()
    examples = {}
    for character in CHARACTERS:
        examples.setdefault(codepoints.script_of(ord(character)), character)
    every = list(examples.values())
    text = " ".join([a + b for a in every for b in every])
    theirs = expected(pre_tokenizers.UnicodeScripts(), text)
    assert bare_words(stage, text) == [word for word, _ in theirs]


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Metaspace("ab"), "replacement"),
        (lambda: Metaspace("▁", "sometimes"), "sometimes"),
        (lambda: FixedLength(0), "FixedLength"),
        (lambda: CharDelimiterSplit(""), "delimiter"),
        (lambda: Punctuation("removed"), "behavior"),
        (lambda: Split(FoundString(" "), ""), "behavior"),
    ],
)
def test_wrong_settings_are_refused(make, named: str) -> None:
    with pytest.raises(tc.FormatError, match=named):
        make()


NORMALIZERS = {
    **{form: (UnicodeNormalizer(form), getattr(normalizers, form)()) for form in FORMS},
    "Lowercase": (Lowercase(), normalizers.Lowercase()),
    "StripAccents": (StripAccents(), normalizers.StripAccents()),
    "Nmt": (Nmt(), normalizers.Nmt()),
    "Strip": (Strip(), normalizers.Strip()),
    "Strip left": (Strip(True, False), normalizers.Strip(True, False)),
    "Strip right": (Strip(False, True), normalizers.Strip(False, True)),
    "Strip nothing": (Strip(False, False), normalizers.Strip(False, False)),
    "Prepend": (Prepend("▁"), normalizers.Prepend("▁")),
    "Prepend two": (Prepend("xy"), normalizers.Prepend("xy")),
    "Prepend nothing": (Prepend(""), normalizers.Prepend("")),
    **{
        f"Replace {pattern!r} by {content!r}": (
            Replace(FoundString(pattern), content),
            normalizers.Replace(pattern, content),
        )
        for pattern, content in (
            (" ", "▁"),
            ("", "-"),
            ("--", ""),
            ("``", '"'),
            ("▁", " "),
            ("aa", "a"),
        )
    },
    **{
        f"Replace regex {pattern!r} by {content!r}": (
            Replace(FoundRegex(pattern), content),
            normalizers.Replace(Regex(pattern), content),
        )
        for pattern, content in ((" {2,}", " "), (r"\s+$|^\s+", ""), ("(a)|b", "$1"), (r"", "é"))
    },
    "Precompiled": (
        Precompiled(base64.b64encode(RULES).decode(), "the rules"),
        normalizers.Precompiled(RULES),
    ),
    "ByteLevel": (ByteLevelNormalizer(), normalizers.ByteLevel()),
    "Sequence of NFKD, StripAccents, Lowercase, Strip": (
        NormalizerSequence([UnicodeNormalizer("NFKD"), StripAccents(), Lowercase(), Strip()]),
        normalizers.Sequence(
            [
                normalizers.NFKD(),
                normalizers.StripAccents(),
                normalizers.Lowercase(),
                normalizers.Strip(),
            ]
        ),
    ),
    "Sequence of nothing": (NormalizerSequence([]), normalizers.Sequence([])),
}


def normalized(normalizer: Normalizer, text: str) -> str:
    """Returns the normalized text, made in both ways, once its alignment was looked at."""
    data = padded(text)
    size = len(data) - PADDING
    form = normalizer.normalize(unchanged(data, size, 0))
    assert form.data == normalizer.normalize_plain(data)
    assert len(form.data) == form.size + PADDING
    assert form.data[form.size :] == bytes(PADDING)
    after = 0
    for at in range(form.size):
        start, stop = form.start_of(at), form.stop_of(at + 1)
        assert after <= stop <= size
        assert start <= stop
        after = stop
    return form.data[: form.size].decode()


@pytest.mark.parametrize("name", NORMALIZERS)
def test_normalized_text(name: str) -> None:
    ours, theirs = NORMALIZERS[name]
    for text in NASTY:
        assert normalized(ours, text) == theirs.normalize_str(text), text


@given(name=st.sampled_from(list(NORMALIZERS)), text=TEXT)
@settings(max_examples=1000)
def test_normalized_form_of_any_text(name: str, text: str) -> None:
    ours, theirs = NORMALIZERS[name]
    assert normalized(ours, text) == theirs.normalize_str(text)


MARKED = "aeouAEO\u00e9\u1e09가각\u1100\u1161\u11a8カか\ufb01\uff76\uff9e\u0bc6\u0bbe" + "".join(
    [chr(code) for code in (*range(0x300, 0x330), 0x345, 0x338, 0x5B0, 0x5B4, 0x3099, 0x309A)]
)


@given(form=st.sampled_from(FORMS), text=st.text(alphabet=st.sampled_from(MARKED), max_size=10))
@settings(max_examples=1000)
def test_normal_forms_of_many_marks(form: str, text: str) -> None:
    ours, theirs = NORMALIZERS[form]
    assert normalized(ours, text) == theirs.normalize_str(text)


GRAPHEMES = (
    "aeиεф각가\u1100\u1161\u11a8ﾊﾟﬁ①，ำก\u0e49नक\u093c\u094d\u0600\u200d\u200b👍🏽🇩🇪\r\n\t x."
    + "".join([chr(code) for code in (*range(0x300, 0x30C), 0x5B0, 0x3099, 0x20E3, 0xFE0F)])
)


@given(text=st.text(alphabet=st.sampled_from(GRAPHEMES), max_size=12))
@settings(max_examples=2000)
def test_rules_put_to_use_grapheme_by_grapheme(text: str) -> None:
    ours, theirs = NORMALIZERS["Precompiled"]
    assert normalized(ours, text) == theirs.normalize_str(text)


@pytest.mark.parametrize("name", ["Lowercase", "StripAccents", "Nmt", *FORMS])
def test_every_code_point_normalized(name: str) -> None:
    ours, theirs = NORMALIZERS[name]
    contexts = ("a{}-", "a\u0301{}\u0334\u0323-", "\u1100{}\u11a8-")
    for around in contexts if name in FORMS else contexts[:1]:
        for first in range(0, len(CHARACTERS), 256):  # newer characters have few others beside them
            text = "".join([around.format(c) for c in CHARACTERS[first : first + 256]])
            form = ours.normalize_plain(padded(text))[:-PADDING].decode()
            assert form == theirs.normalize_str(text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("newer", ["\U00011935\U00011930", "\U00011938", "a\u0898\u0334", "㋿"])
def test_what_newer_unicodes_would_change_stays(form: str, newer: str) -> None:
    ours, theirs = NORMALIZERS[form]
    for text in (newer, f"é{newer}e\u0301 ﬁ"):
        assert normalized(ours, text) == theirs.normalize_str(text)


@given(text=TEXT)
@settings(max_examples=200)
def test_space_form(text: str) -> None:
    theirs = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    ours = NormalizerSequence([Prepend(" "), SpaceMark()])
    assert normalized(ours, text) == theirs.normalize_str(text).replace("▁", " ")
