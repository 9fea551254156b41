"""Edits of JSON in its bytes: the value is another, and the rest is byte for byte the same."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.mending.json_edits import (
    JsonPath,
    insert_item,
    remove_value,
    rename_member,
    set_value,
    set_values,
    value_at,
)
from tokenarium_core import FormatError

NAMES = st.text(alphabet='ab"\\{}[],: é\n', max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-5, 5) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
INDENTS = st.sampled_from([None, 1, 2, "\t"])


def paths(value: Any, path: JsonPath = ()) -> list[JsonPath]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    for key, inner in items:
        found += paths(inner, (*path, key))
    return found


def inside(value: Any, path: JsonPath) -> Any:
    for key in path:
        value = value[key]
    return value


@given(VALUES, VALUES, INDENTS, st.data())
def test_any_value_is_set_inserted_and_removed(value: Any, new: Any, indent: Any, data: st.DataObject) -> None:  # fmt: skip
    content = json.dumps(value, ensure_ascii=False, indent=indent).encode()
    places = paths(value)
    if not places:
        return
    path = data.draw(st.sampled_from(places))
    assert value_at(content, path) == inside(value, path)
    expected = copy.deepcopy(value)
    inside(expected, path[:-1])[path[-1]] = new
    changed = set_value(content, path, new)
    assert json.loads(changed) == expected
    if indent != "\t" and json.dumps(inside(value, path)) != "{}":
        assert changed == json.dumps(expected, ensure_ascii=False, indent=indent).encode()
    assert set_value(changed, path, inside(value, path)) == content
    del inside(expected, path[:-1])[path[-1]]
    assert json.loads(remove_value(content, path)) == expected
    if isinstance(path[-1], int):
        longer = copy.deepcopy(value)
        inside(longer, path[:-1]).insert(path[-1], new)
        inserted = insert_item(content, path[:-1], path[-1], new)
        assert json.loads(inserted) == longer
        assert remove_value(inserted, path) == content


@given(VALUES, INDENTS, st.data())
def test_several_values_at_once(value: Any, indent: Any, data: st.DataObject) -> None:
    content = json.dumps(value, ensure_ascii=False, indent=indent).encode()
    places = [path for path in paths(value) if not isinstance(inside(value, path), dict | list)]
    chosen = data.draw(st.lists(st.sampled_from(places), unique=True)) if places else []
    values = {path: data.draw(VALUES) for path in chosen}
    one_by_one = content
    for path, new in values.items():
        one_by_one = set_value(one_by_one, path, new)
    assert set_values(content, values) == one_by_one


@given(VALUES, st.dictionaries(NAMES, VALUES, max_size=3), INDENTS)
def test_a_member_is_added_at_the_end(new: Any, value: dict[str, Any], indent: Any) -> None:
    content = json.dumps({"x": value}, ensure_ascii=False, indent=indent).encode()
    added = set_value(content, ("x", "new"), new)
    assert json.loads(added) == {"x": {**value, "new": new}}
    assert [*json.loads(added)["x"]][-1] == "new"
    assert insert_item(b"[]", (), 0, 1) == b"[1]"


def test_everything_else_stays_byte_for_byte() -> None:
    content = b'\xef\xbb\xbf{ "a" : [1,  2 ,3],\r\n\t"b\\u0061": {"x":1.50e1,"y" : "\\/"}\r\n}\r\n'
    assert set_value(content, ("ba", "x"), 2) == content.replace(b"1.50e1", b"2")
    assert set_value(content, ("a", 1), None) == content.replace(b"2 ,", b"null ,")
    assert rename_member(content, ("ba",), "é") == content.replace(b'"b\\u0061"', '"é"'.encode())
    assert remove_value(content, ("a", 2)) == content.replace(b" ,3", b"")
    assert insert_item(content, ("a",), 3, 4) == content.replace(b",3", b",3, 4")


@pytest.mark.parametrize("path", [("b",), ("a", 3), ("a", "x"), ("a", 0, "c"), ("s", 0)])
def test_what_is_not_there(path: JsonPath) -> None:
    content = b'{"a": [1, 2, 3], "s": "text"}'
    with pytest.raises(FormatError, match="There is no"):
        value_at(content, path)
    with pytest.raises(FormatError, match="There is no"):
        remove_value(content, path)


@pytest.mark.parametrize("content", [b"", b"{", b'{"a" 1}', b'{"a": }', b"[1, [2]", b'{"a": "x'])
def test_what_is_no_json(content: bytes) -> None:
    with pytest.raises(FormatError):
        value_at(content, ("a",))
