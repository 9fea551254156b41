"""Edits of the options of added tokens, in every file that states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import tokenarium_core as tc
from tokenarium.models.mending.json_edits import JsonPath
from tokenarium.models.mending.repair import WHOLE, FileEdit, json_of, whole_path
from tokenarium_core.formats import SETTINGS_FILES


def flag_edits(
    tokenizer: tc.Tokenizer, wanted: Mapping[str, Mapping[str, bool]]
) -> Iterator[FileEdit]:
    """Yields the edits of options of added tokens, by their texts, in every file that states them.

    transformers reads the settings beside the tokenizer, too.
    """
    if whole_path(tokenizer) is None or not wanted:
        return
    for file in (WHOLE, *SETTINGS_FILES):
        for path, token in objects_in(
            json_of(tokenizer, file) if file != WHOLE else added_list(tokenizer)
        ):
            content = token.get("content")
            for flag, value in wanted.get(content, {}).items() if isinstance(content, str) else ():
                if token.get(flag) is (not value):
                    yield FileEdit(file, (*path, flag), not value, value)


def added_list(tokenizer: tc.Tokenizer) -> Mapping[str, Any]:
    """Returns the list of added tokens of the tokenizer's own file."""
    return {"added_tokens": json_of(tokenizer, WHOLE).get("added_tokens")}


def objects_in(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Mapping[str, Any]]]:
    """Yields all objects in a value with the paths that lead to them."""
    if isinstance(value, Mapping):
        yield path, value
        for name, inner in value.items():
            if isinstance(inner, Mapping | list):
                yield from objects_in(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            if isinstance(inner, Mapping | list):
                yield from objects_in(inner, (*path, place))
