"""Ready classes: sequences of 45 minutes that put steps of several lessons together, with notes for the teacher."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

import msgspec

MINUTES: Final = 45
"""The length of a class."""


class ClassPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a class: its minutes, what is done, and notes.

    ``lesson`` and ``step``: the id of a lesson and the title of its step that is shown, empty for a part without the
    window. ``asks``: the question of that step is on the worksheet.
    """

    minutes: int
    title: str
    notes: str
    lesson: str = ""
    step: str = ""
    asks: bool = False


class ReadyClass(msgspec.Struct, frozen=True):
    """A class: its id, its title, what it is about and for whom, and its parts in order."""

    id: str
    title: str
    about: str
    parts: tuple[ClassPart, ...]

    @property
    def times(self) -> list[tuple[int, int]]:
        """The minutes at which each part begins and ends."""
        ends = [sum(part.minutes for part in self.parts[: n + 1]) for n in range(len(self.parts))]
        return list(zip([0, *ends], ends, strict=False))

    @property
    def lessons(self) -> list[str]:
        """The ids of the lessons whose steps it shows."""
        return list(dict.fromkeys(part.lesson for part in self.parts if part.lesson))


@cache
def ready_classes() -> dict[str, ReadyClass]:
    """Returns the classes by their ids."""
    import tomllib  # few starts need it

    folder = resources.files("tokenarium.resources") / "classes"
    files = sorted(
        (one for one in folder.iterdir() if one.name.endswith(".toml")), key=lambda one: one.name
    )
    found = {}
    for file in files:
        id = file.name.removesuffix(".toml")
        content = tomllib.loads(file.read_text("utf-8"))
        found[id] = msgspec.convert({"id": id, **content}, ReadyClass)
    order = ("class-letters", "class-vocabulary", "class-choosing")
    return {id: found[id] for id in (*order, *(set(found) - set(order)))}
