"""The facts found in the bytes of entries are those that plain Python finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

from tokenarium_core.explaining.piece_facts import (
    BYTES,
    COMMON,
    LEADING_SPACE,
    MIXED,
    SPECIAL,
    SPLITS,
    SUPERWORD,
    piece_facts,
)
from tokenarium_core.unicode.codepoints import SCRIPTS, script_of

pytestmark = pytest.mark.core

CLASSES = {MIXED: "mixed", COMMON: "common", BYTES: "bytes", SPECIAL: "special"}


def plainly(piece: bytes) -> tuple[int, str, int]:
    """Returns the characters, the class and the flags of a normal piece."""
    flags = LEADING_SPACE if piece[:1] == b" " else 0
    if len(piece.split()) > 1:
        flags |= SUPERWORD
    characters = len(piece.decode("utf-8", "ignore"))
    try:
        text = piece.decode()
    except UnicodeDecodeError:
        return characters, "bytes", flags | SPLITS
    scripts = {script_of(ord(c)) for c in text} - {"Zyyy", "Zinh"}
    name = "mixed" if len(scripts) > 1 else "".join(scripts) or "common"
    return characters, name, flags


@given(
    st.lists(
        st.binary(min_size=2, max_size=9) | st.text(min_size=2, max_size=5).map(str.encode),
        unique=True,
        max_size=12,
    )
)
def test_facts_are_those_of_plain_python(pieces: list[bytes]) -> None:
    vocabulary = of_pieces([piece for piece in pieces if len(piece) > 1]).vocabulary
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
