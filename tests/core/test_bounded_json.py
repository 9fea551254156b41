"""JSON from anywhere: what json reads within the bounds, and a sentence for all else, before anything is parsed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium_core import bounded_json
from tokenarium_core.bounded_json import JsonBounds, check_json, read_json
from tokenarium_core.errors import FormatError

WIDE = JsonBounds(1 << 20, 100, 100_000)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def count_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(count_of, value.values()))
    return 1 + sum(map(count_of, value)) if isinstance(value, list) else 1


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@pytest.mark.slow
@given(values, st.sampled_from([None, 1]), st.booleans())
def test_what_json_reads_is_read(value: object, indent: int | None, escaped: bool) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    assert read_json(data, "It", WIDE) == json.loads(data.decode("utf-8", "surrogatepass"))


@pytest.mark.slow
@given(values)
def test_bounds_are_those_of_the_values(value: object) -> None:
    """As many as there are, and as deep, are read; one less is refused. An empty list may count as two."""
    data = json.dumps(value).encode()
    count, depth = count_of(value), depth_of(value)
    assert read_json(data, "It", JsonBounds(len(data), depth, 2 * count)) == value
    if depth:
        with pytest.raises(FormatError, match="nested too deeply"):
            read_json(data, "It", JsonBounds(len(data), depth - 1, 2 * count))
    if count > 2:
        with pytest.raises(FormatError, match="contains too much"):
            read_json(data, "It", JsonBounds(len(data), depth, count - 2))
    with pytest.raises(FormatError, match="too large"):
        read_json(data, "It", JsonBounds(len(data) - 1, depth, count))


@given(st.binary(max_size=80))
def test_any_bytes_are_read_as_json_reads_them_or_refused(data: bytes) -> None:
    try:
        wanted = json.loads(data.decode("utf-8", "surrogatepass"))
    except ValueError:
        with pytest.raises(FormatError, match=r"^It .*\.$"):
            read_json(data, "It", WIDE)
    else:
        assert read_json(data, "It", WIDE) == wanted


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", r"It is not valid JSON \(line 1\)\."),
        (b'{\n"a": }', r"line 2"),
        (b'\n"\xff"', r"line 2\): it is not UTF-8"),
        (b"[NaN]", "NaN is not a number"),
        (b"[-Infinity]", "-Infinity is not a number"),
        (b"[1e999]", "the number 1e999 is too large"),
        (b"[1" + b"0" * 400 + b".5]", "the number 10+… is too large"),
        (b"[" + b"9" * 5000 + b"]", "a number in it is too long"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read_json(data, "It", WIDE)


@pytest.mark.parametrize("text", ["[[[[{{", '\\"[[[', "\\\\", ",,,,,", "\\u005b", "é[", "\\"])
def test_marks_in_strings_do_not_count(text: str) -> None:
    data = json.dumps([text]).encode()
    assert read_json(data, "It", JsonBounds(100, 1, 2)) == [text]


def test_the_longest_text_has_bounds_of_its_own() -> None:
    bounds = JsonBounds(30, 2, 5, 1000)
    data = json.dumps({"a": "b", "text": "x" * 900}).encode()
    assert read_json(data, "It", bounds)["text"] == "x" * 900
    for large in ({"a": "b" * 40, "text": "x" * 900}, {"a": "b", "text": "x" * 2000}):
        with pytest.raises(FormatError, match="at most 30 bytes are allowed apart from a text"):
            read_json(json.dumps(large).encode(), "It", bounds)


def test_nothing_is_parsed_beyond_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(*_: object, **__: object) -> None:
        raise AssertionError("it is parsed")

    monkeypatch.setattr(bounded_json.json, "loads", parse)
    for data in (b"[" * 101, b"[" + b"1," * 100_001, b" " * ((1 << 20) + 1)):
        with pytest.raises(FormatError):
            read_json(data, "It", WIDE)
        with pytest.raises(FormatError):
            check_json(data, "It", WIDE)
    with pytest.raises(AssertionError, match="it is parsed"):
        read_json(b"[]", "It", WIDE)
