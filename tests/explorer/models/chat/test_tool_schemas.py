"""Lists of tools: their faults by line, and calls made of a schema."""

from __future__ import annotations

import json
from typing import Any

import chat_templates
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import written
from tokenarium.models.chat.conversation import message_of
from tokenarium.models.chat.tool_schemas import (
    SAMPLE_TOOL,
    place_of,
    read_tools,
    sample_call,
    sample_value,
)

LINES = json.dumps([SAMPLE_TOOL], indent=1)


def faults(text: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.sentence) for fault in read_tools(text)[1]]


def line_of(part: str, text: str = LINES) -> int:
    return text.count("\n", 0, text.index(part)) + 1


def test_the_sample_has_no_faults() -> None:
    assert read_tools(LINES) == ([SAMPLE_TOOL], [])
    assert read_tools(" \n") == (None, [])
    assert read_tools("[]") == ([], [])


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ('"type": "function"', '"type": "tool"', '"type": "tool"', '"function"'),
        ('"name": "weather"', '"name": ""', '"name": ""', "no name"),
        ('"type": "integer"', '"type": "int"', '"type": "int"', '"int" is no type: string,'),
        ('     "city"\n', '     "town"\n', '"required"', "not in “properties”: town."),
        ('"description": "Returns the weather in a city."', '"x": 1', '"function": {', "no description"),
        ('"required": [\n     "city"\n    ]', '"required": "city"', '"required"', "a list of names"),
        ('"days": {', '"days": [], "x": {', '"days"', "“days” must be a schema"),
        ('"type": "integer"', '"enum": []', '"enum"', "a list with a value"),
    ],
)  # fmt: skip
def test_a_fault_has_its_line(old: str, new: str, where: str, said: str) -> None:
    text = LINES.replace(old, new, 1)
    assert text != LINES
    ((line, sentence),) = faults(text)
    assert line == line_of(where, text)
    assert said in sentence
    assert read_tools(text)[0] is not None


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[\n{,}]", 2, "not JSON"),
        ("{}", 1, "must be a list"),
        ("[{},\n\n 7]", 3, "Item 2 must be an object"),
        ("[" * 500 + "]" * 500, 1, "deep"),
    ],
)
def test_what_no_template_could_take_is_fatal(text: str, line: int, said: str) -> None:
    value, found = read_tools(text)
    assert value is None
    fatal = [fault for fault in found if fault.fatal]
    assert [fault.line for fault in fatal] == [line]
    assert said in fatal[0].sentence


def test_a_function_outside_of_function_and_two_of_one_name() -> None:
    assert faults('[{"name": "a"}]') == [
        (1, "The function is not in “function”: templates read tool.function.name.")
    ]
    two = json.dumps([SAMPLE_TOOL, SAMPLE_TOOL], indent=1)
    line = two.count("\n", 0, two.rindex('"weather"')) + 1
    assert faults(two) == [(line, "Another function is called weather too.")]


def test_documents_may_have_any_fields() -> None:
    assert read_tools('[{"title": 1}]', "documents") == ([{"title": 1}], [])
    assert read_tools("[1]", "documents")[1][0].fatal


JSON = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(',:[]{}"\\ a', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a:,"', max_size=2), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.slow
@given(JSON, st.sampled_from([None, 1, 3]))
def test_every_value_is_found_by_its_path(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)

    def check(one: Any, path: tuple[str | int, ...]) -> None:
        found, _ = json.JSONDecoder().raw_decode(text, place_of(text, path))
        assert found == one
        items = (
            enumerate(one)
            if isinstance(one, list)
            else one.items()
            if isinstance(one, dict)
            else ()
        )
        for key, item in items:
            check(item, (*path, key))

    check(value, ())


def test_a_value_of_each_type() -> None:
    properties = {
        "a": {"type": "string"},
        "b": {"type": ["integer", "null"]},
        "c": {"type": "array", "items": {"type": "number"}},
        "d": {"enum": ["x", "y"]},
        "e": {"type": "boolean", "default": False},
        "f": {"type": "object", "properties": {"g": {"type": "null"}}},
        "h": 7,
    }
    assert sample_value({"type": "object", "properties": properties}) == {
        "a": "…", "b": 1, "c": [1.5], "d": "x", "e": False, "f": {"g": None}, "h": "…",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["llama", "mistral", "qwen", "deepseek"])
def test_the_templates_of_models_take_a_sample_of_a_call(name: str) -> None:
    user, *_ = [one for one in chat_templates.CHAT if one["role"] == "user"]
    call, result = sample_call(SAMPLE_TOOL, 3)
    assert call.as_dict()["tool_calls"][0]["id"] == result.as_dict()["tool_call_id"]
    template = ChatTemplate(name, chat_templates.TEMPLATES[name], chat_templates.TOKENS)
    made = written(template, [message_of(user), call, result], False, Inputs(tools=[SAMPLE_TOOL]))
    assert '"city": "…"' in made.chat.text
    assert "result" in made.chat.text
