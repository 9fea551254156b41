"""The list of tools that a chat template gets: what is wrong in it, by line, and calls of a tool to try it with.

Source: the tools of ``apply_chat_template`` in huggingface/transformers, each a JSON schema of a function
(``get_json_schema`` in ``utils/chat_template_utils.py``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tokenarium.models.chat.conversation import BOUNDS, Message
from tokenarium_core import FormatError
from tokenarium_core.bounded_json import read_json

TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
"""The types of JSON schemas."""

MOST_FAULTS: Final = 20
_DEEPEST: Final = 20

Path = tuple[str | int, ...]

SAMPLE_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Returns the weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The name of the city."},
                "days": {"type": "integer", "description": "For how many days."},
            },
            "required": ["city"],
        },
    },
}
"""A tool to begin with."""


class ToolFault(NamedTuple):
    """A fault in a list of tools; ``line`` counts from 1. ``fatal``: the list cannot be passed to a template."""

    line: int
    sentence: str
    fatal: bool = False


def read_tools(
    text: str, what: str = "tools"
) -> tuple[list[dict[str, Any]] | None, list[ToolFault]]:
    """Returns the list of objects that a text holds in JSON, and its faults; None if it is empty or has a fatal fault.

    ``what`` is "tools", or "documents", of which only the form is checked.
    """
    if not text.strip():
        return None, []
    try:
        value = json.loads(text)
        read_json(text.encode("utf-8", "surrogatepass"), what, BOUNDS)
    except json.JSONDecodeError as error:
        return None, [ToolFault(error.lineno, f"This is not JSON: {error.msg}.", True)]
    except (FormatError, RecursionError, ValueError) as error:
        return None, [ToolFault(1, str(error), True)]
    if not isinstance(value, list):
        return None, [ToolFault(1, f"The {what} must be a list: put them in [ and ].", True)]
    found: list[tuple[Path, str, bool]] = []
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            found.append(((index,), f"Item {index + 1} must be an object in {{ and }}.", True))
        elif what == "tools":
            found += [((index, *path), said, False) for path, said in _faults_of(item)]
    if what == "tools":
        found += _repeated(value)
    faults = [
        ToolFault(text.count("\n", 0, place_of(text, path)) + 1, said, fatal)
        for path, said, fatal in found[:MOST_FAULTS]
    ]
    return (None if any(fault.fatal for fault in faults) else value), sorted(faults)


def _faults_of(tool: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """Returns the faults of one tool, with the paths to them."""
    faults: list[tuple[Path, str]] = []
    function, path = tool.get("function"), ("function",)
    if "function" not in tool and "name" in tool:
        return [((), "The function is not in “function”: templates read tool.function.name.")]
    if tool.get("type") != "function":
        faults.append((("type",), '“type” must be "function".'))
    if not isinstance(function, dict):
        return [*faults, (path, "“function” must be an object with a name.")]
    name = function.get("name")
    if not isinstance(name, str) or not name:
        faults.append(((*path, "name"), "The function has no name."))
    if not isinstance(function.get("description"), str):
        faults.append(((*path, "description"), "The function has no description."))
    parameters = function.get("parameters")
    if parameters is not None:
        faults += _schema_faults(parameters, (*path, "parameters"), _DEEPEST)
        if isinstance(parameters, dict) and parameters.get("type") != "object":
            faults.append(
                ((*path, "parameters", "type"), "“parameters” must have the type object.")
            )
    return faults


def _schema_faults(schema: Any, path: Path, depth: int) -> list[tuple[Path, str]]:
    if not isinstance(schema, dict):
        return [(path, f"“{path[-1]}” must be a schema in {{ and }}.")]
    if not depth:
        return []
    faults: list[tuple[Path, str]] = []
    types = schema.get("type")
    for one in types if isinstance(types, list) else [types]:
        if one is not None and one not in TYPES:
            said = f"{json.dumps(one, ensure_ascii=False)[:40]} is no type: {', '.join(TYPES)}."
            faults.append(((*path, "type"), said))
    properties = schema.get("properties")
    if properties is not None and not isinstance(properties, dict):
        faults.append(((*path, "properties"), "“properties” must be an object."))
        properties = None
    for name, inner in (properties or {}).items():
        faults += _schema_faults(inner, (*path, "properties", name), depth - 1)
    required = schema.get("required")
    if required is not None and not isinstance(required, list):
        faults.append(((*path, "required"), "“required” must be a list of names."))
    elif required is not None:
        missing = [
            one for one in required if not isinstance(properties, dict) or one not in properties
        ]
        if missing:
            named = ", ".join(str(one)[:40] for one in missing[:5])
            faults.append(((*path, "required"), f"Required, but not in “properties”: {named}."))
    items = schema.get("items")
    if items is not None:
        faults += _schema_faults(items, (*path, "items"), depth - 1)
    enum = schema.get("enum")
    if enum is not None and not (isinstance(enum, list) and enum):
        faults.append(((*path, "enum"), "“enum” must be a list with a value."))
    return faults


def _repeated(tools: Sequence[Any]) -> list[tuple[Path, str, bool]]:
    seen, found = set(), []
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str) and name in seen:
            path: Path = (index, "function", "name")
            found.append((path, f"Another function is called {name[:40]} too.", False))
        seen.add(name if isinstance(name, str) else None)
    return found


def place_of(text: str, path: Path) -> int:
    """Returns where the value at a path begins in valid JSON; where it is missing, the value around it."""
    decoder = json.JSONDecoder()

    def after_space(at: int) -> int:
        while at < len(text) and text[at] in " \t\r\n,:":
            at += 1
        return at

    at = after_space(0)
    for step in path:
        opened, inner = at, after_space(at + 1)
        if text[opened] not in ("[" if isinstance(step, int) else "{"):
            return opened
        index = 0
        while text[inner] not in "]}":
            key: str | int = index
            if isinstance(step, str):
                key, inner = decoder.raw_decode(text, inner)
                inner = after_space(inner)
            if key == step:
                at = inner
                break
            inner = after_space(decoder.raw_decode(text, inner)[1])
            index += 1
        if at == opened:
            return opened
    return at


def sample_call(tool: Mapping[str, Any], number: int = 1) -> list[Message]:
    """Returns a message of the assistant that calls a tool, and one with a result, to be filled in."""
    function = tool.get("function")
    function = function if isinstance(function, dict) else tool
    name = str(function.get("name") or "function")
    arguments = sample_value(function.get("parameters") or {"type": "object"})
    call_id = f"call{number:05d}"  # Mistral's templates want nine letters and digits
    call = {"type": "function", "id": call_id, "function": {"name": name, "arguments": arguments}}
    given = {"role": "assistant", "content": "", "tool_calls": [call]}
    result = {"role": "tool", "content": '{"result": "…"}', "name": name, "tool_call_id": call_id}
    return [
        Message("assistant", "", given),
        Message("tool", str(result["content"]), dict(result)),
    ]


def sample_value(schema: Any, depth: int = _DEEPEST) -> Any:
    """Returns a value that a JSON schema allows: its default or first choice, or a short one of its type."""
    if not isinstance(schema, dict) or not depth:
        return "…"
    if "default" in schema:
        return schema["default"]
    enum, kind = schema.get("enum"), schema.get("type")
    if isinstance(enum, list) and enum:
        return enum[0]
    kind = kind[0] if isinstance(kind, list) and kind else kind
    properties = schema.get("properties")
    if kind == "object" or isinstance(properties, dict):
        properties = properties if isinstance(properties, dict) else {}
        return {name: sample_value(inner, depth - 1) for name, inner in properties.items()}
    if kind == "array":
        return [sample_value(schema.get("items"), depth - 1)]
    simple: dict[Any, Any] = {"number": 1.5, "integer": 1, "boolean": True, "null": None}
    return simple.get(kind, "…") if isinstance(kind, str) else "…"
