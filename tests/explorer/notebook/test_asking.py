"""Comparisons, analyses and differences in a notebook."""

from __future__ import annotations

import pytest
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium import notebook
from tokenarium.commands.cli import ANALYSES
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

OTHER = of_pieces([b"lo", b"low"], "gpt2")


def test_texts_are_compared_by_name() -> None:
    compared = notebook.compare({"one": "lower", "two": "low low"}, LOWER, OTHER)
    assert [(row["file"], row["tokenizer"], row["tokens"]) for row in compared.rows] == [
        ("one", "small", len(LOWER.encode("lower"))),
        ("one", "small (2)", len(OTHER.encode("lower"))),
        ("two", "small", len(LOWER.encode("low low"))),
        ("two", "small (2)", len(OTHER.encode("low low"))),
    ]
    assert compared.rows[0]["bytes_per_token"] == 5.0
    assert ">fertility in context<" in compared.still
    assert "tokenizer" in repr(compared)


def test_a_single_text_has_no_name() -> None:
    (row,) = notebook.compare("lower", LOWER).rows
    assert "file" not in row
    assert "5 bytes, 5 characters" in notebook.compare("lower", LOWER).still
    named = notebook.compare(["low", "lower"], LOWER).rows
    assert [row["file"] for row in named] == ["text 1", "text 2"]
    with pytest.raises(tc.ArgumentError, match="no text"):
        notebook.compare([], LOWER)


def test_an_analysis_is_asked_by_its_name() -> None:
    asked = notebook.ask("numbers", LOWER, up_to=99)
    assert asked.rows
    assert "The numbers from 0 to 99" in asked.still
    assert "Singh and Strouse" in " ".join(repr(asked).split())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: notebook.ask("dreams", LOWER), f"ask one of {ANALYSES[0]}"),
        (lambda: notebook.ask("stages", LOWER), "give text="),
        (lambda: notebook.ask("overlap", LOWER), "needs 2 tokenizers"),
    ],
)
def test_what_cannot_be_asked(call: object, said: str) -> None:
    assert callable(call)
    with pytest.raises(tc.ArgumentError, match=said):
        call()


def test_the_difference_of_two_is_shown_with_the_shortest_text() -> None:
    found = notebook.diff(LOWER, OTHER, "lower")
    assert "They give different ids" in found.still or "different ids" in found.still
    assert {row["Stage"] for row in found.rows} >= {"vocabulary"}
    assert found.still.count("background:") >= 2
    same = notebook.diff(LOWER, LOWER)
    assert "no difference" in repr(same).lower()
    assert "background:" not in same.still


def test_what_is_about_one_tokenizer_takes_one() -> None:
    with pytest.raises(tc.ArgumentError, match="is about one tokenizer"):
        notebook.ask("ways", LOWER, OTHER, text="lower")
    first = next(one.id for one in SHIPPED_TOKENIZERS if one.on)
    usual = notebook.ask("ways", text="lower")
    assert usual.still == notebook.ask("ways", first, text="lower").still
    assert usual.still != notebook.ask("ways", LOWER, text="lower").still


def test_halves_of_a_surrogate_pair_are_one_character() -> None:
    joined, halves = (notebook.compare(text, LOWER).rows for text in ("a😀b", "a\ud83d\ude00b"))
    assert joined == halves
    assert notebook.show("a\ud83d\ude00b", LOWER).rows == notebook.show("a😀b", LOWER).rows
    assert notebook.trace("a\ud83d\ude00b", LOWER).rows == notebook.trace("a😀b", LOWER).rows
