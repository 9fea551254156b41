"""Writes lessons: a new one, and the step of a view, as the Markdown that a person continues with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from tokenarium.models.lessons.asking import span_of
from tokenarium.models.lessons.lesson import HEAD
from tokenarium.models.lessons.toml_editing import lines_of, toml_of
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
title = {toml_of(title)}
minutes = 5
learns = ["What this lesson is about, in one sentence."]
tokenizers = {toml_of(list(keys))}
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
    values = scene_values(scene, text_map, keys)
    lines = "\n".join(
        f"{key} = {lines_of(value) if key == 'text' else toml_of(value)}"
        for key, value in values.items()
    )
    return f"\n## {title}\n\nSay here what to look at.\n\n```scene\n{lines}\n```\n"


def scene_values(scene: Scene, text_map: TextMap, keys: Sequence[str]) -> dict[str, Any]:
    """Returns the values of the block that shows what a scene does; see `step_of`."""
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
    return values


_SHOWN: Final = ("annotations", "whitespace", "special", "patterns", "own_pattern")
"""Settings of the display that change how the text and its tokens are seen."""


def _nth(text_map: TextMap, part: str, span: tuple[int, int]) -> int:
    """Returns which of several equal parts is at a place, from 1 on."""
    for nth in range(1, 1_000):
        occurrence = span_of(text_map, part, nth)
        if occurrence is None or occurrence == span:
            return nth if occurrence == span else 1
    return 1


def file_name(title: str) -> str:
    """Returns a name for the file of a lesson.

    >>> file_name("Über tokens & more!")
    'über-tokens-more.md'
    """
    name = "-".join(re.findall(r"\w+", title.casefold()))[:60].strip("-")
    return f"{name or 'lesson'}.md"
