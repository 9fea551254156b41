"""Small changes of a text: their table, their seeds, and what they do to the tokens."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.analyses.perturb import PERTURB
from tokenarium.models.text.marked import marked_parts
from tokenarium.models.text.perturbing import (
    GROUPS,
    MOST,
    VARIANTS,
    PerturbJob,
    PerturbRow,
    changed,
    common,
    perturb_chart,
)
from tokenarium.session.catalogue import shipped

TEXT = 'The naïve "fox" jumped over\n it\'s café - ok'
BY_ID = {variant.id: variant for variant in VARIANTS}


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.open(shipped().source)


def perturb(text: str, tokenizer: tc.Tokenizer, **values: Any) -> list[PerturbRow]:
    """Returns the rows of the analysis, in its order."""
    answer = PERTURB.run({"a": tokenizer}, text, **values)
    return list(answer.analysis.table(answer.inputs, answer.result).rows)


def test_variants_have_ids_of_their_own() -> None:
    assert len(BY_ID) == len(VARIANTS)
    assert len({variant.title for variant in VARIANTS}) == len(VARIANTS)
    assert {variant.group for variant in VARIANTS} == set(GROUPS)


@pytest.mark.parametrize(
    ("variant", "text", "expected"),
    [
        ("upper", "straße", "STRASSE"),
        ("alternating", "lower", "lOwEr"),
        ("no-blanks", "a b\tc\n", "abc"),
        ("no-break", "a b", "a\u00a0b"),
        ("crlf", "a\nb\r\nc", "a\r\nb\r\nc"),
        ("backwards", "cafe\u0301", "e\u0301fac"),
        ("nfd", "é", "e\u0301"),
        ("nfkc", "ﬁ½", "fi1⁄2"),
        ("unmarked", "naïve Ångström", "naive Angstrom"),
        ("cyrillic", "paypal", "раураl"),
        ("digits", "leet", "1337"),
        ("curly", '"it\'s" - ok', "“it’s” – ok"),
        ("bold", "Hi!", "𝐇𝐢!"),
        ("wide", "a 1", "ａ\u3000１"),
        ("zero-width", "word a", "wo\u200brd a"),
        ("emoji-words", "a b", "a 🙂 b"),
    ],
)
def test_what_they_do(variant: str, text: str, expected: str) -> None:
    assert changed(BY_ID[variant], text) == expected


@pytest.mark.parametrize("variant", ["swap", "drop", "double", "key"])
@given(st.text("abcxyz \n,é", max_size=40), st.integers(1, 100))
def test_typos_follow_their_seed(variant: str, text: str, seed: int) -> None:
    made = changed(BY_ID[variant], text, seed)
    assert changed(BY_ID[variant], text, seed) == made
    letters = sum(letter.isalpha() for letter in text)
    assert abs(len(made) - len(text)) <= max(1, letters // 12)
    if variant == "swap":
        assert sorted(made) == sorted(text)


def test_another_seed_hits_other_letters() -> None:
    assert len({changed(BY_ID["drop"], TEXT, seed) for seed in range(1, 20)}) > 5


@given(st.text(max_size=30))
def test_every_text_can_be_changed(text: str) -> None:
    for variant in VARIANTS:
        changed(variant, text)


@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_the_longest_common_subsequence(first: list[int], second: list[int]) -> None:
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for row, one in enumerate(first, 1):
        for column, other in enumerate(second, 1):
            table[row][column] = (
                table[row - 1][column - 1] + 1
                if one == other
                else max(table[row - 1][column], table[row][column - 1])
            )
    assert common(first, second) == table[-1][-1]


def test_the_greatest_effect_is_first(tokenizer: tc.Tokenizer) -> None:
    rows = perturb(TEXT, tokenizer, seed=3)
    effects = [row.counts["a"].effect for row in rows]
    assert effects == sorted(effects, reverse=True)
    ids = tokenizer.encode_ids(TEXT)
    for row in rows:
        count = row.counts["a"]
        assert row.text == changed(row.variant, TEXT, 3) != TEXT
        assert (count.before, count.after) == (len(ids), len(tokenizer.encode_ids(row.text)))
        matched = SequenceMatcher(None, ids, tokenizer.encode_ids(row.text), autojunk=False)
        assert count.kept >= sum(block.size for block in matched.get_matching_blocks())


def test_only_some_variants(tokenizer: tc.Tokenizer) -> None:
    rows = perturb(TEXT, tokenizer, only=["case", "nfd"])
    assert {row.variant.group for row in rows} == {"Case", "Normal forms"}
    with pytest.raises(tc.ArgumentError, match="no variant 'x'"):
        perturb(TEXT, tokenizer, only=["x"])


def test_a_group_still_has_its_former_name(tokenizer: tc.Tokenizer) -> None:
    former, now = (perturb(TEXT, tokenizer, only=[name]) for name in ("Blanks", "spaces"))
    assert [row.variant.id for row in former] == [row.variant.id for row in now] != []
    assert {row.variant.group for row in former} == {"Spaces"}


def test_it_goes_in_steps_and_says_what_changes_nothing(tokenizer: tc.Tokenizer) -> None:
    job = PerturbJob("lower " * MOST, {"a": tokenizer}, variants=[BY_ID["nfc"], BY_ID["lower"]])
    assert len(job.text) == MOST
    while not job.step(0.001).finished:
        assert not job.finished
    assert (job.rows, [one.id for one in job.unchanged]) == ([], ["nfc", "lower"])


@given(st.text("abc é", max_size=30), st.text("abc é", max_size=30))
def test_marked_parts_are_the_text(before: str, after: str) -> None:
    parts = marked_parts(before, after)
    if len(after) <= 24:
        assert "".join(part.text for part in parts) == after
    if before == after:
        assert not any(part.changed for part in parts)


def test_far_changes_are_in_sight() -> None:
    parts = marked_parts("a" * 500, "a" * 400 + "b" + "a" * 99)
    assert parts[0].text == "… "
    assert [part.text for part in parts if part.changed] == ["b"]


def test_a_variant_that_is_lost_says_so() -> None:
    """A word that became one unknown token looks like fewer tokens."""
    corpus = ["low lower lowest"] * 9
    words = tc.train("wordpiece", corpus, vocab_size=40, lowercase=False)
    rows = perturb("low lower", words, only=["upper", "space-before"])
    counts = {row.variant.id: row.counts["a"] for row in rows}
    assert counts["upper"].lost > 0.8
    assert counts["upper"].shown_after.startswith("? ")
    written = PERTURB.run({"a": words}, "low lower", only=["upper"]).rows
    lines = {row["Variant"]: f"{row['a: share lost']:.4f}" for row in written}
    assert lines["in capitals"] == f"{counts['upper'].lost:.4f}"
    assert counts["space-before"].lost < 0.2


def test_exports(tokenizer: tc.Tokenizer) -> None:
    answer = PERTURB.run({"Ours": tokenizer}, unicodedata.normalize("NFC", TEXT), only=["Case"])
    heads, *_ = answer.analysis.table(answer.inputs, answer.result).lines()
    assert (
        ",".join(heads)
        == "Group,Variant,Text,Ours: tokens,Ours: difference,Ours: share kept,Ours: share lost"
    )
    chart = perturb_chart(answer.result.rows, {"Ours": "Ours"}, {"Ours": 2})
    assert "in capitals" in chart.table()
