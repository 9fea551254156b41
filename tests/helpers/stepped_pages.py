"""Reads the figures of pages that are played step by step: what is seen of them at each step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from typing import Any

from tokenarium.web.page import Figure

ISOLATES = str.maketrans("", "", "\u2066\u2067\u2068\u2069")

VOID = ("br", "img", "input", "meta", "link", "hr")


@dataclass
class PagePart:
    """A part of a figure: its classes, how they change from step to step, and its texts."""

    classes: list[str]
    looks: list[tuple[int, list[str]]]
    texts: list[str] = field(default_factory=list)

    def look(self, step: int) -> list[str]:
        """The classes at a step that change."""
        return [names for first, names in self.looks if first <= step][-1] if self.looks else []

    def seen(self, step: int) -> bool:
        """Whether it is seen at a step."""
        return "off" not in self.look(step)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[PagePart] = []
        self._open: list[PagePart | None] = []
        self._fresh = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._fresh = True
        if tag in VOID:
            return
        values = dict(attrs)
        part = None
        if tag in ("g", "span", "li", "tr") and values.get("class"):
            at = values.get("data-at") or ""
            looks = [(int(one.split()[0]), one.split()[1:]) for one in at.split(";") if one]
            part = PagePart(str(values["class"]).split(), looks)
            self.parts.append(part)
        self._open.append(part)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._fresh = True

    def handle_endtag(self, tag: str) -> None:
        self._fresh = True
        if tag not in VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        part = next((one for one in reversed(self._open) if one is not None), None)
        if part is None:
            return
        if self._fresh or not part.texts:
            part.texts.append("")
        self._fresh = False
        part.texts[-1] += data.translate(ISOLATES)


CHILD = re.compile(r"<(g|span|li|tr) class=.*?</\1>")
"""A part as markup: none has an element of its own kind inside."""


def recorded(figure: Figure) -> str:
    """Returns all parts of a figure as markup, with all their looks, as the script of a page makes them."""
    assert isinstance(figure.data, dict)
    data: dict[str, Any] = figure.data
    made = []
    for box, parts in zip(figure.html.split(" data-parts>")[1:], data["parts"], strict=True):
        there = (found[0] for found in CHILD.finditer(box))
        made += [_recorded(part, data, there) for part in parts]
    return "".join(made)


def _recorded(part: list[Any], data: dict[str, Any], there: Iterator[str]) -> str:
    shape, changes, *more = part
    model = _markup(data["shapes"][shape if shape >= 0 else -1 - shape])
    looks = zip(changes[::2], (data["looks"][number] for number in changes[1::2]), strict=True)
    at = ";".join(f"{step} {look}".strip() for step, look in [(-1, "off"), *looks])
    if shape < 0:
        element = next(there)
    else:
        texts = iter(more[1:])
        element = re.sub(r"(?<=>)\?(?=<)", lambda _: escape(next(texts)), model)
        assert next(texts, None) is None
    base = re.match(r'<\w+ class="([^"]*)"', model)
    assert base is not None
    return re.sub(r'class="[^"]*"', f'class="{base[1]}" data-at="{at}"', element, count=1)


def _markup(shape: list[Any] | str) -> str:
    if isinstance(shape, str):
        return shape
    name, attributes, *inside = shape
    values = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{values}>{''.join(map(_markup, inside))}</{name}>"


def parts_of(figure: Figure, *kinds: str) -> list[PagePart]:
    """Returns the parts of a figure that have one of some classes."""
    reader = _Reader()
    reader.feed(recorded(figure))
    reader.close()
    return [part for part in reader.parts if set(kinds) & set(part.classes)]


def texts_at(parts: list[PagePart], step: int) -> list[list[str]]:
    """Returns the texts of the parts that are seen at a step."""
    return [part.texts for part in parts if part.seen(step)]


SHOWN = """
[...document.querySelectorAll(SELECTOR)].filter(one => !one.classList.contains("off")).map(
    one => [...one.querySelectorAll("text, b, small")].map(text => text.textContent.replace(/[\\u2066-\\u2069]/g, "")))
"""
"""What a page shows, as `texts_at` has it; SELECTOR stands for the parts."""
