"""Which texts are shown in letters of one width."""

from __future__ import annotations

import inspect
import json
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.text.code_text import LOOKED_AT, PASTED, is_code, is_pasted
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.samples_index import load_samples


@pytest.mark.parametrize("sample", load_samples(), ids=lambda sample: sample.id)
def test_samples_of_code_are_code_and_prose_is_not(sample: object) -> None:
    name, text = sample.id, sample.text()  # type: ignore[attr-defined]
    if name.startswith(("code", "prose")) or name in {"welcome", "emoji", "mixed"}:
        assert is_code(text) == name.startswith("code")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", False),
        ("   \n\t\n", False),
        (":-) ;-) (*)", False),
        ('{"name": "Ann", "age": 7}', True),
        (json.dumps({"a": [1, 2, {"b": None}]}, indent=2), True),
        ("SELECT a, b FROM t WHERE (a = 1) AND (b <> 2);", True),
        ("if (x > 0) {\n  return f(x);\n}", True),
        ("Roses are red,\n  violets are blue,\nsugar is sweet,\n  and so are you.", False),
        ("- one thing (and more of it)\n- another [link](to/it) in the middle\n- the last", False),
        ("a,b,c\n1,2,3\n4,5,6", False),
        ("See https://example.org/?q=1&r=2 for more.", False),
        ("def f(x):\n" + "    x = x + 1\n" * 3, True),
    ],
)
def test_texts(text: str, code: bool) -> None:
    assert is_code(text) is code


def test_source_files_are_code() -> None:
    for module in (inspect, json, textwrap):
        assert is_code(inspect.getsource(module))
    assert not is_code(inspect.cleandoc(textwrap.__doc__ or ""))


def test_only_the_beginning_counts() -> None:
    prose = "The quick brown fox jumps over the lazy dog. " * 500
    assert len(prose) > LOOKED_AT
    assert not is_code(prose + "{};" * 100_000)


@given(st.text(max_size=200), st.integers(0, 200), st.characters())
def test_a_typed_character_is_no_paste(text: str, at: int, typed: str) -> None:
    at = min(at, len(text))
    after = text[:at] + typed + text[at:]
    assert not is_pasted(TextMap(text), TextMap(after))
    assert not is_pasted(TextMap(after), TextMap(text))


@pytest.mark.parametrize(
    ("before", "after", "pasted"),
    [
        ("", "x" * (PASTED + 1), True),
        ("", "x" * PASTED, False),
        ("a" * 100, "b" * 90, True),
        ("a" * 100, "a" * 100 + "b" * 90, False),
        ("a" * 100, "", False),
    ],
)
def test_what_counts_as_pasted(before: str, after: str, pasted: bool) -> None:
    assert is_pasted(TextMap(before), TextMap(after)) is pasted
