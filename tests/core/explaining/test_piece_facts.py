"""The facts found in the bytes of entries are those that plain Python finds."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

from tokenarium_core.explaining.piece_facts import (
    BYTES,
    COMMON,
    LEADING_SPACE,
    MIXED,
    RESERVED,
    SPECIAL,
    SPLITS,
    SUPERWORD,
    piece_facts,
    written_class,
)
from tokenarium_core.explaining.vocabulary_entries import is_superword, words_in
from tokenarium_core.unicode.codepoints import SCRIPTS, category_of, script_of

CLASSES = {MIXED: "mixed", COMMON: "common", BYTES: "bytes", SPECIAL: "special"}


def words_plainly(piece: bytes) -> int:
    """Returns how many parts between white space have a letter."""
    text = piece.decode("utf-8", "replace")
    # The core has tiktoken's letters; regex may know those of a later Unicode too.
    text = "".join("0" if category_of(ord(c)) == "Cn" else c for c in text)
    parts = regex.split(r"\p{White_Space}+", text)
    return sum(regex.search(r"\p{L}", part) is not None for part in parts)


def plainly(piece: bytes) -> tuple[int, str, int]:
    """Returns the characters, the class and the flags of a normal piece."""
    flags = LEADING_SPACE if piece[:1] == b" " else 0
    if words_plainly(piece) > 1:
        flags |= SUPERWORD
    characters = len(piece.decode("utf-8", "ignore"))
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return characters, "bytes", flags | SPLITS
    scripts = {script_of(ord(c)) for c in text} - {"Zyyy", "Zinh"}
    name = "mixed" if len(scripts) > 1 else "".join(scripts) or "common"
    return characters, name, flags


@pytest.mark.slow
@example([b"A\t\xf0\xbd\x80\x80"])
@given(
    st.lists(
        st.binary(min_size=2, max_size=9) | st.text(min_size=2, max_size=5).map(str.encode),
        unique=True,
        max_size=12,
    )
)
def test_facts_are_those_of_plain_python(pieces: list[bytes]) -> None:
    plain = [piece for piece in pieces if len(piece) > 1 and written_class(piece) < 0]
    vocabulary = of_pieces(plain).vocabulary
    facts = piece_facts(vocabulary)
    for token in range(len(vocabulary)):
        number = facts.scripts[token]
        name = CLASSES.get(number) or SCRIPTS[number]
        assert (facts.characters[token], name, facts.flags[token]) == plainly(
            vocabulary.piece(token)
        )


def test_the_scripts_of_mixed_entries_are_beside_each_other() -> None:
    vocabulary = of_pieces(["aб".encode(), b"abc", "яzαя".encode()]).vocabulary
    facts = piece_facts(vocabulary)
    found = [
        (facts.mixed_ids[n], SCRIPTS[facts.mixed_scripts[n]]) for n in range(len(facts.mixed_ids))
    ]
    assert found == [(256, "Latn"), (256, "Cyrl"), (258, "Cyrl"), (258, "Latn"), (258, "Grek")]


def test_what_stands_for_no_text_is_special() -> None:
    vocabulary = of_pieces([b"ab"], special_tokens={"<|end|>": 260}).vocabulary
    facts = piece_facts(vocabulary)
    assert [facts.scripts[token] for token in (257, 258, 259, 260)] == [SPECIAL] * 4


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        (" of the", 2),
        ("e of the ", 3),
        (" the", 1),
        (" \xa0 \xa0", 0),
        ("//\n//", 0),
        (",\n", 0),
        ("();\n\n", 0),
        ("a\xa0b", 2),
        ("в\u3000доме", 2),
        ("1 2", 0),
        ("東京 都", 2),
        ("x = y", 2),
    ],
)
def test_a_superword_has_letters_of_two_words(piece: str, words: int) -> None:
    vocabulary = of_pieces([piece.encode()]).vocabulary
    assert words_in(piece.encode()) == words == words_plainly(piece.encode())
    assert is_superword(vocabulary, 256) is (words > 1)
    assert bool(piece_facts(vocabulary).flags[256] & SUPERWORD) is (words > 1)


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        *((one, RESERVED) for one in (
            "<unused12>", "[unused12]", "<unused_3>", "<|unused5|>", "<|reserved_special_token_5|>",
            "<reserved_7>", "<|reserved_200000|>", "<extra_id_0>", "<|extra_0|>", "madeupword0000",
            "<SPECIAL_12>", "[control_8]", "<dummy00001>", "<|dummy_12|>", "<|placeholder1|>",
            ">>UNUSED_12<<", "<reserved_special_token_7>",
        )),
        *((one, SPECIAL) for one in (
            "<pad>", "[PAD]", "<unk>", "[CLS]", "<bos>", "</s>", "<|im_end|>", "<start_of_turn>",
        )),
        ("<0x0A>", BYTES),
        *((one, -1) for one in (
            "<div>", "unused", "<unused", "extra_id_0", "[12]", "<h1>", "madeupwords", "<0x0G>",
            "<table>", "mad", "[a-z]", "reserved_7", "<|", "<||>", "special_12>",
        )),
    ],
)  # fmt: skip
def test_reserved_entries_are_of_no_script(piece: str, expected: int) -> None:
    assert written_class(piece.encode()) == expected
    facts = piece_facts(of_pieces([piece.encode()]).vocabulary)
    assert (facts.scripts[256] == expected) is (expected >= 0)
