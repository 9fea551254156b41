"""Writes lessons: a new one, and the step of a view, as the Markdown that a person continues with."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final
from unicodedata import category

import msgspec

from tokenarium.models.lessons.asking import span_of
from tokenarium.models.lessons.lesson import HEAD
from tokenarium.models.lessons.limits import MOST_HEAD
from tokenarium.models.lessons.toml import TomlError, read_toml
from tokenarium.models.scene import Scene, without_paths
from tokenarium.models.text.text_map import TextMap
from tokenarium_core import TokenariumError

MOST_WRITTEN: Final = 20_000
"""The most characters of a text that are written into a step."""


class WritingError(TokenariumError):
    """A view cannot be written as a step; the message says why, and what to do."""


def new_lesson(title: str, keys: Sequence[str]) -> str:
    """Returns a lesson without steps, for tokenizers by their keys."""
    return f"""{HEAD}
title = {_toml(title)}
minutes = 5
learns = ["What this lesson is about, in one sentence."]
tokenizers = {_toml(list(keys))}
level = "first steps"
{HEAD}
"""


TEMPLATE_STEP: Final = """
## The first step

Prose. {{ name() }} makes {{ count("Hello, world") }} tokens of a greeting: {{ tokens("Hello, world") }}.

```asked
A question that people type? | other words for it
```

```scene
text = "Hello, world"
workspace = "tokens"
mark = ["token 1"]
```

```notes
What only the presenter reads.
```

```question
ask = "How many tokens is it?"
choices = ["2", "3", "4"]
answer = "count(text)"
hint = "Count the colours."
after = "It is {{ tokens(text) }}."

[reasons]
2 = "Is the comma a part of a word?"
```
"""
"""A step with all that a step may have."""


def step_of(title: str, scene: Scene, text_map: TextMap, keys: Sequence[str]) -> str:
    """Returns a step that shows what a scene does, over a text; ``keys`` are the tokenizers of the lesson.

    WritingError for a text that is too long.
    """
    if len(text_map.text) > MOST_WRITTEN:
        raise WritingError(
            f"This text has {len(text_map.text):,} characters, and a step has {MOST_WRITTEN:,} at most. Take a part of it."
        )
    text = text_map.text.encode("utf-8", "replace").decode()
    values: dict[str, Any] = {
        "text": text.replace("{{", '{{ "{" * 2 }}'),
        "workspace": scene.workspace,
    }
    if scene.page:
        values["page"] = scene.page
    if scene.selection is not None and scene.selection[0] < scene.selection[1]:
        start, end = scene.selection
        part = text_map.utf8_of(start, end).decode("utf-8", "replace")
        values["select"] = part
        nth = _nth(text_map, part, (start, end))
        if nth > 1:
            values["nth"] = nth
    name = ".".join(part for part in (scene.workspace, scene.page) if part)
    page_settings = without_paths(scene.pages.get(name, {}))  # a lesson opens no file
    settings = {key: value for key, value in page_settings.items() if value is not None}
    if isinstance(settings.get("step"), int):
        values["at"] = settings.pop("step")
    if scene.front in keys and keys.index(scene.front):
        values["front"] = keys.index(scene.front) + 1
    display = {
        key: value
        for key, value in scene.display.items()
        if key in _SHOWN and (key != "patterns" or scene.workspace == "pretokens")
        if value not in ("", "none", [], None)
    }
    if display:
        values["display"] = display
    if settings:
        values["page_settings"] = settings
    written = {key: _toml(value) for key, value in values.items()}
    written["text"] = _lines(values["text"])
    lines = "\n".join(f"{key} = {value}" for key, value in written.items())
    return f"\n## {title}\n\nSay here what to look at.\n\n```scene\n{lines}\n```\n"


_SHOWN: Final = ("annotations", "whitespace", "special", "patterns", "own_pattern")
"""Settings of the display that change how the text and its tokens are seen."""


def _nth(text_map: TextMap, part: str, span: tuple[int, int]) -> int:
    """Returns which of several equal parts is at a place, from 1 on."""
    for nth in range(1, 1_000):
        occurrence = span_of(text_map, part, nth)
        if occurrence is None or occurrence == span:
            return nth if occurrence == span else 1
    return 1


def with_tokenizers(source: str, keys: Sequence[str]) -> str:
    """Returns a lesson whose head names these tokenizers too, after its own."""
    lines = source.split("\n")
    first = next((n for n, line in enumerate(lines) if re.match(r"tokenizers\s*=", line)), -1)
    if first < 0:
        return source
    for last in range(first + 1, min(len(lines), first + 100) + 1):
        try:
            head = read_toml("\n".join(lines[first:last]), MOST_HEAD, "the head")
            groups = msgspec.convert(head.get("tokenizers"), list[str | list[str]])
        except (TomlError, msgspec.ValidationError):
            continue
        known = {key for group in groups for key in ([group] if isinstance(group, str) else group)}
        new = [key for key in keys if key not in known]
        if not new:
            return source
        lines[first:last] = [f"tokenizers = {_toml([*groups, *new])}"]
        return "\n".join(lines)
    return source


def file_name(title: str) -> str:
    """Returns a name for the file of a lesson.

    >>> file_name("Über tokens & more!")
    'über-tokens-more.md'
    """
    name = "-".join(re.findall(r"\w+", title.casefold()))[:60].strip("-")
    return f"{name or 'lesson'}.md"


def _lines(text: str) -> str:
    """Returns a text as TOML: line by line, to be read and edited, where nothing in it has a meaning there."""
    odd = any(part in text for part in ("\\", '"""', "```", "~~~", "+++"))
    lines = text.split("\n")
    if len(lines) < 2 or odd or text.endswith('"') or not all(map(_is_plain, lines)):
        return _toml(text)
    return f'"""\n{text}"""'


def _is_plain(line: str) -> bool:
    """Whether a line has no signs for the control of a terminal, and no ends of lines of another kind."""
    return line.isprintable() or all(
        category(character) not in ("Cc", "Zl", "Zp") for character in line
    )


def _toml(value: Any) -> str:
    """Returns a value as TOML, in a line.

    >>> _toml({"a": ["x\\n", 1], "b-c": True})
    '{ "a" = ["x\\\\n", 1], "b-c" = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        inside = ", ".join(
            f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items() if item is not None
        )
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(item) for item in value if item is not None)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
