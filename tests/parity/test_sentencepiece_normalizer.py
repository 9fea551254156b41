"""The same normalized text as sentencepiece, with the same places in the original."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_models import LINES, message, reference, trained

from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, padded

PIECES = ("<mask>", "[URL]", "ﬁ", "é", "a b", "▁▁", "\n")

MODELS: dict[str, dict[str, Any]] = {
    "nmt_nfkc": {},
    "nfkc": {"normalization_rule_name": "nfkc"},
    "nmt_nfkc_cf": {"normalization_rule_name": "nmt_nfkc_cf"},
    "nfkc_cf, no prefix": {"normalization_rule_name": "nfkc_cf", "add_dummy_prefix": False},
    "identity": {"normalization_rule_name": "identity"},
    "identity, all blanks": {
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
    },
    "identity, bare": {
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "add_dummy_prefix": False,
    },
    "all blanks": {"remove_extra_whitespaces": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, all blanks": {
        "treat_whitespace_as_suffix": True,
        "remove_extra_whitespaces": False,
    },
    "pieces": {"pieces": PIECES},
    "pieces, all blanks": {"pieces": PIECES, "remove_extra_whitespaces": False},
    "pieces, identity": {"pieces": PIECES, "normalization_rule_name": "identity"},
    "pieces with the mark alone": {"pieces": ("<mask>", "▁▁", "é")},
    "bytes": {"byte_fallback": True, "character_coverage": 0.98, "size": 330},
}

TEXT = st.lists(
    st.one_of(
        st.text(max_size=6),
        st.sampled_from([*LINES, *PIECES]),
        st.sampled_from([" ", "  ", "▁", "▁ ", "\t", "\n", "\u3000", "\u200b", "\u00a0", "\ufeff"]),
        st.sampled_from(
            ["e\u0301", "a\u0308\u0304", "ｶﾞ", "\u1112\u1161\u11ab", "ﷺ", "²", "\0", "\x7f"]
        ),
        st.text("ab é▁", max_size=8),
    ),
    max_size=8,
).map("".join)


def normalizer_of(model: bytes) -> tuple[Normalizer, bool]:
    """Returns our normalizer of a model, and whether it writes spaces for marks."""
    tokenizer = read_sentencepiece(model, "test.model", "test")
    assert tokenizer.normalizer is not None
    return tokenizer.normalizer, tokenizer.vocabulary.spelling != 0


def check(model: bytes, texts: list[str]) -> None:
    """Compares the normalized form of texts, and where each of its characters came from."""
    processor = reference(model)
    normalizer, spaced = normalizer_of(model)
    for text in texts:
        expected, offsets = processor.normalize(text, with_offsets=True)
        shown = expected.replace("▁", " ") if spaced else expected
        data = padded(text)
        assert normalizer.normalize_plain(data)[:-PADDING].decode() == shown, repr(text)
        size = len(data) - PADDING
        normalized = normalizer.normalize(unchanged(data, size, 0))
        assert normalized.data[: normalized.size].decode() == shown, repr(text)
        at = 0
        last = 0
        for index, character in enumerate(shown):
            start = len(data[: normalized.start_of(at)].decode("utf-8", "ignore"))
            stop = normalized.stop_of(at + len(character.encode()))
            assert last <= normalized.start_of(at) <= stop <= size
            last = normalized.start_of(at)
            # Inside of a user-defined piece the reference has the piece's own beginning; it puts a space
            # that it adds at the end before blanks that it took away there, and we after them.
            assert (
                start == offsets[index]
                or piece_around(text, offsets[index], start)
                or (index == len(shown) - 1 and offsets[index] < start == len(text))
            ), repr(text)
            at += len(character.encode())


def piece_around(text: str, start: int, place: int) -> bool:
    """Returns whether a user-defined piece that begins at ``start`` goes on at ``place``."""
    return any(
        text.startswith(piece, start) and start < place < start + len(piece) for piece in PIECES
    )


@pytest.mark.parametrize("name", MODELS)
def test_lines(name: str) -> None:
    blanks = [
        "", " ", "  ", "▁", " ▁ ", "▁a", "a▁", " a  b ", "\u3000a\u3000", "\u200b", "a\u200b ",
    ]  # fmt: skip
    check(trained(**MODELS[name]), [*LINES, *blanks, *["  ".join(LINES)]])


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=150)
@given(text=TEXT)
def test_random_text(name: str, text: str) -> None:
    check(trained(**MODELS[name]), [text])


@pytest.mark.parametrize("name", ["nmt_nfkc", "nmt_nfkc_cf", "pieces", "identity"])
def test_texts(name: str, texts: dict[str, str]) -> None:
    processor = reference(trained(**MODELS[name]))
    normalizer, spaced = normalizer_of(trained(**MODELS[name]))
    for language, text in texts.items():
        expected = processor.normalize(text)
        expected = expected.replace("▁", " ") if spaced else expected
        data = padded(text)
        assert normalizer.normalize_plain(data)[:-PADDING].decode() == expected, language
        normalized = normalizer.normalize(unchanged(data, len(data) - PADDING, 0))
        assert normalized.data[: normalized.size].decode() == expected, language


def test_every_code_point() -> None:
    model = trained(**MODELS["nmt_nfkc"])
    processor = reference(model)
    normalizer, _ = normalizer_of(model)
    points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for first in range(0, len(points), 4096):
        text = "\n".join(f"a{chr(point)}b {chr(point)}" for point in points[first : first + 4096])
        expected = processor.normalize(text).replace("▁", " ")
        got = normalizer.normalize_plain(padded(text))[:-PADDING].decode()
        assert got == expected, hex(points[first])


def test_characters_with_marks() -> None:
    """Each character that Unicode decomposes, decomposed: after letters and other marks, and before them."""
    model = trained(**MODELS["nmt_nfkc"])
    processor = reference(model)
    normalizer, _ = normalizer_of(model)
    parts = [unicodedata.normalize("NFD", chr(point)) for point in range(0x80, 0x30000)]
    parts = [part for part in parts if len(part) > 1]
    assert len(parts) > 10_000
    for first in range(0, len(parts), 1024):
        for around in ("a{}b", "か{}か", "é{}\u0301", "\u3099{}😀", "か{}▁"):
            text = "\n".join(around.format(part) for part in parts[first : first + 1024])
            expected = processor.normalize(text).replace("▁", " ")
            got = normalizer.normalize_plain(padded(text))[:-PADDING].decode()
            assert got == expected, (around, parts[first])


def test_spaces_that_are_not_escaped() -> None:
    small = message([("<unk>", 0.0, 2), ("a", 0.0, 1), (" ", 0.0, 1), ("▁", -1.0, 1)])
    for squeeze in (False, True):
        for prefix in (False, True):
            small.normalizer_spec.escape_whitespaces = False
            small.normalizer_spec.remove_extra_whitespaces = squeeze
            small.normalizer_spec.add_dummy_prefix = prefix
            check(small.SerializeToString(), ["", " ", "a", " a  a ", "▁a▁ ", "a ▁", "▁"])


def test_pieces_with_a_real_space() -> None:
    small = message(
        [("<unk>", 0.0, 2), ("a", 0.0, 1), ("a b", 0.0, 4), ("a▁b", 0.0, 1), ("▁", 0.0, 1)]
    )
    for squeeze in (False, True):
        small.normalizer_spec.remove_extra_whitespaces = squeeze
        check(small.SerializeToString(), ["a b", "a  b", " a b ", "▁a▁b▁", " ", "a ▁"])


def test_rules_that_end_inside_of_a_character() -> None:
    """The two bytes that such a rule leaves become U+FFFD, each."""
    units = [1 << 31] * 768
    units[0] = 256 << 10  # the root's children are in the second block
    units[256 ^ 0xE2] = (256 ^ 0xE2 ^ 512) << 10 | 1 << 8 | 0xE2  # its child, in the third
    blob = b"".join([unit.to_bytes(4, "little") for unit in units])
    small = message([("<unk>", 0.0, 2), ("x", 0.0, 1)])
    small.normalizer_spec.precompiled_charsmap = len(blob).to_bytes(4, "little") + blob + b"x\0"
    check(small.SerializeToString(), ["a–b", "–", "a"])
