"""Pre-tokens, bytes and the question why in a notebook: the rows are those of the core, and what they show is safe."""

from __future__ import annotations

import pytest
from shown_scenes import HOSTILE
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium import notebook

OTHER = of_pieces([b"lo", b"low"], "gpt2")
TEXT = "It's low, né 😀 1234\n"


def test_pre_tokens_are_those_of_the_tokenizer_and_of_a_pattern() -> None:
    shown = notebook.pretokens(TEXT, OTHER, pattern="gpt2")
    by = {name: [row["text"] for row in shown.rows if row["tokenizer"] == name] for name in ("small", "Pattern gpt2")}  # fmt: skip
    assert (
        by["small"] == by["Pattern gpt2"] == ["It", "'s", " low", ",", " né", " 😀", " 1234", "\n"]
    )
    assert [row["rule"] for row in shown.rows[:2]] == ["word", "contraction"]
    assert shown.rows[4]["end"] - shown.rows[4]["start"] == 4
    assert "contraction" in shown.still
    assert 'aria-label="The text with the pre-tokens of small"' in shown.page


def test_a_pattern_of_ones_own_splits_too() -> None:
    shown = notebook.pretokens("ab12", LOWER, pattern="[a-z]|.")
    assert [row["text"] for row in shown.rows if row["tokenizer"] == "Own pattern"] == list("ab12")
    assert "Own pattern" in shown.page
    with pytest.raises(tc.PatternError, match="does not compile"):
        notebook.pretokens("a", LOWER, pattern="(")


def test_bytes_have_the_tokens_over_them() -> None:
    shown = notebook.bytes("né😀", LOWER, OTHER)
    assert [row["character"] for row in shown.rows] == ["n", "é", "😀"]
    assert [row["start"] for row in shown.rows] == [0, 1, 3]
    assert shown.rows[1]["bytes"] == [0xC3, 0xA9]
    assert shown.rows[2]["name"] == "GRINNING FACE"
    assert [row["tokens"]["small"] for row in shown.rows] == [[110], [195, 169], [240, 159, 152, 128]]  # fmt: skip
    merged = notebook.bytes("low", LOWER)
    assert [row["tokens"]["small"] for row in merged.rows] == [[258], [258], [258]]
    assert '<div class="bytes">' in shown.page


def test_why_a_string_is_one_token_or_several() -> None:
    one, several = notebook.why("lower", LOWER, OTHER).rows
    assert (one["one"], one["ids"]) == (True, [260])
    assert (several["one"], several["ids"]) == (False, [257, 101, 114])
    assert "“low”" in str(several["verdict"])
    shown = notebook.why("lower", LOWER, OTHER)
    assert "Why is it one token?" in shown.still
    assert str(several["verdict"]) in " ".join(repr(shown).split())
    assert 'class="panels"' in shown.page


def test_why_in_a_text() -> None:
    alone, inside = notebook.why("low", LOWER), notebook.why("low", LOWER, text="a low b low")
    assert alone.rows[0]["ids"] == [258]
    assert inside.rows[0]["ids"] == LOWER.encode_ids("a low")[2:]
    for string, text, said in (("", "", "no string"), ("x", "low", "does not occur")):
        with pytest.raises(tc.ArgumentError, match=said):
            notebook.why(string, LOWER, text=text)
    with pytest.raises(tc.TokenariumError, match="up to 300 bytes"):
        notebook.why("low" * 200, LOWER)


@pytest.mark.parametrize("text", [*HOSTILE, "", "a" * 300_000])
def test_any_text_is_shown_safely(text: str) -> None:
    for made in (notebook.pretokens(text, LOWER, pattern="gpt2"), notebook.bytes(text, LOWER)):
        assert "<script" not in made.still
        assert "<img" not in made.still
        assert len(made.html) < 3_000_000
        assert len(made.rows) <= 2_000
        assert "\x1b" not in repr(made)
        assert "\u202e" not in repr(made)
    if 0 < len(text.encode("utf-8", "surrogatepass")) <= 300:
        shown = notebook.why(text, LOWER)
        assert "<script" not in shown.still
        assert "\x1b" not in repr(shown)
