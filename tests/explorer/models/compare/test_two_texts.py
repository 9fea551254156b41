"""Two texts against each other: counts, sizes, sentences, and what one can be made of the other."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from small_vocabularies import LOWER

import tokenarium_core as tc
from tokenarium.models.compare.two_texts import (
    EXAMPLES,
    FORMS,
    PairCount,
    as_yaml,
    compact_json,
    indented_json,
    lost_sentence,
    pair_cells,
    pair_chart,
    pair_count,
    pair_csv,
    pair_sentence,
    pair_values,
    reversed_text,
    text_size,
)
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


def test_a_word_and_its_reverse() -> None:
    first, second = "lower", reversed_text("lower")
    count = pair_count("small", LOWER, first, second)
    assert (count.first, count.second) == ((260,), tuple(b"rewol"))
    assert (count.difference, count.ratio) == (4, 5.0)
    sizes = text_size(first), text_size(second)
    assert pair_cells(count, *sizes) == ["small", "1", "5", "+4", "5.00", "5.00", "1.00"]
    assert pair_sentence([count]) == "B needs more tokens with each tokenizer: 400% more."


@pytest.mark.parametrize(
    ("pairs", "sentence"),
    [
        ([], ""),
        ([(0, 4)], ""),
        ([(4, 4), (2, 2)], "Both need the same number of tokens."),
        ([(4, 3), (4, 2)], "B needs fewer tokens with each tokenizer: 25% to 50% fewer."),
        ([(4, 2)], "B needs fewer tokens with each tokenizer: 50% fewer."),
        ([(4, 4), (4, 5)], "B needs as many tokens as A, or up to 25% more."),
        ([(4, 4), (4, 3)], "B needs as many tokens as A, or up to 25% fewer."),
        ([(4, 5), (4, 3)], "Which of them needs fewer depends on the tokenizer"),
    ],
)
def test_the_sentence(pairs: list[tuple[int, int]], sentence: str) -> None:
    counts = [PairCount("one", (1,) * a, (1,) * b) for a, b in pairs]
    assert pair_sentence(counts).startswith(sentence)
    assert bool(pair_sentence(counts)) == bool(sentence)


def test_unknown_tokens_are_named() -> None:
    path = next(one.path for one in SHIPPED_TOKENIZERS if one.id == "wordpiece-8k")
    count = pair_count("WordPiece", tc.open(path), "the", "the 𓀀")
    assert lost_sentence([count]).startswith("? A part of the texts is lost (WordPiece")
    assert lost_sentence([pair_count("small", LOWER, "low", "𓀀")]) == ""


def test_sizes() -> None:
    assert text_size("ne\u0301e").sentence() == "5 bytes · 4 characters · 3 graphemes"
    assert text_size("abc").sentence() == "3 bytes · 3 characters"


def test_marks_stay_on_their_letters() -> None:
    assert reversed_text("ne\u0301e") == "ee\u0301n"
    assert reversed_text("a👩\u200d🚀b") == "b👩\u200d🚀a"


@pytest.mark.slow
@given(
    value=st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_json_keeps_its_value(value: object) -> None:
    for make in (compact_json, indented_json):
        made = there(make(json.dumps(value)))
        assert json.loads(made) == value


def test_what_is_no_json() -> None:
    assert compact_json("- a: 1") == '[{"a":1}]'  # YAML says as much
    assert indented_json("[" * 100_000) is None


def test_exports() -> None:
    sizes = text_size("low"), text_size("lo")
    counts = [pair_count("small", LOWER, "low", "lo")]
    line = list(csv.reader(io.StringIO(pair_csv(counts, *sizes))))[1]
    assert line == ["small", "1", "1", "1.000000", "3", "3", "2", "2", "258", "256"]
    values = pair_values(counts, *sizes)
    assert json.loads(json.dumps(values))["rows"][0]["ids_a"] == [258]
    chart = pair_chart(counts, [0])
    assert chart.table().splitlines()[1:] == ["A,small,1", "B,small,1"]


def test_the_examples_differ() -> None:
    for example in EXAMPLES:
        assert example.first != example.second
    assert len({example.title for example in EXAMPLES}) == len(EXAMPLES)


JSON_TEXT = '{"name": "Ada", "langs": ["en", "no"], "born": {"year": 1815}, "note": "a: b"}'
YAML_TEXT = """name: Ada
langs:
- en
- 'no'
born:
  year: 1815
note: 'a: b'"""


def test_json_as_yaml_and_back() -> None:
    assert as_yaml(JSON_TEXT) == YAML_TEXT
    assert as_yaml(YAML_TEXT) == YAML_TEXT
    assert json.loads(compact_json(YAML_TEXT) or "") == json.loads(JSON_TEXT)
    assert indented_json('{"a":[1]}') == '{\n  "a": [\n    1\n  ]\n}'
    assert as_yaml("[1, 2]") == "- 1\n- 2"
    assert as_yaml('{"सुप्रभात": "日本語 🎉"}') == "सुप्रभात: 日本語 🎉"


@pytest.mark.parametrize(
    "text", ["", "plain prose", "{", "[" * 5000, "a: &x [1]\nb: *x", "key: [", "\t- x"]
)
def test_what_is_no_data_has_no_other_form(text: str) -> None:
    assert [as_yaml(text), compact_json(text), indented_json(text)] == [None, None, None]


_PLAIN = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


@pytest.mark.slow
@given(
    st.dictionaries(
        _PLAIN,
        st.recursive(
            st.none() | st.booleans() | st.integers(-(2**40), 2**40) | _PLAIN,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_PLAIN, inner, max_size=3),
            max_leaves=6,
        ),
        min_size=1,
        max_size=3,
    )
)
def test_yaml_says_what_json_said(value: dict[str, object]) -> None:
    made = there(as_yaml(json.dumps(value)))
    assert json.loads(compact_json(made) or "") == value


def test_every_form_has_a_name() -> None:
    assert list(FORMS) == ["yaml", "json", "compact", "reversed", "upper", "same"]
    assert FORMS["reversed"].make("abc") == "cba"
    assert FORMS["same"].make("abc") == "abc"
