"""What was typed in a window, as its file says it, and the windows that ended with something that was typed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

MOST_LEFT: Final = 50
"""The most windows, and the most texts of fields of one window, that are kept for later."""

MOST_FIELD: Final = 4 << 20
"""The most characters of a field's text that are kept."""

MOST_FILE: Final = 64 << 20
"""Bytes up to which a file of typed texts is read."""

HEAD: Final = 120
"""Characters of a text that name it."""


class TypedText(msgspec.Struct, frozen=True, omit_defaults=True):
    """The text of a field, with the names of the field and of what it is in; ``when``: seconds since 1970."""

    field: str
    place: str
    text: str
    when: float = 0.0


class TypedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was typed in a window.

    ``typed``: whether anything was, also in earlier runs that it continues with. ``head`` is the beginning of the text,
    if the user wrote that. ``fields`` are those that were typed in, and ``left`` those of earlier runs that did not
    come back in their places. ``own`` is what a session that is passed on does not have, by names: the messages of a
    chat, for instance. ``left_told`` and ``offered``: whether the user was told of ``left``, and of the window itself once
    it had ended.
    """

    typed: bool = False
    head: str = ""
    fields: tuple[TypedText, ...] = ()
    left: tuple[TypedText, ...] = ()
    left_told: bool = False
    own: dict[str, Any] = {}
    offered: bool = False


class LeftWindow(msgspec.Struct, frozen=True):
    """A window that has ended, and is not the one that the start brought back, by the folder of its files."""

    folder: Path
    when: float
    file: TypedFile
    has_scene: bool

    @property
    def texts(self) -> tuple[TypedText, ...]:
        """The texts of its fields, the last one first."""
        return (*self.file.fields, *self.file.left)


UNKNOWN: Final = TypedFile(typed=True)
"""What counts for a window whose file is not there or damaged: that something was typed."""


def read_typed(path: Path) -> TypedFile | None:
    """Returns what a file says; None if there is none, and `UNKNOWN` for a damaged one."""
    try:
        if os.stat(path).st_size > MOST_FILE:
            return UNKNOWN
        return msgspec.json.decode(path.read_bytes(), type=TypedFile)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return UNKNOWN


def typed_bytes(file: TypedFile) -> bytes:
    """Returns what `read_typed` reads; half surrogate pairs become question marks."""
    try:
        return msgspec.json.encode(file)
    except UnicodeEncodeError:
        fixed = msgspec.to_builtins(file)
        return msgspec.json.encode(_without_halves(fixed))


def _without_halves(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _without_halves(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_halves(item) for item in value]
    return value


def head_of(text: str) -> str:
    """Returns the first words of a text on one line.

    >>> head_of("one\\n  two")
    'one two'
    """
    words = " ".join(text[: 4 * HEAD].split())
    if not words and text and not text.isspace():
        return "…"
    return words if len(words) <= HEAD else f"{words[: HEAD - 1].rstrip()}…"


def not_in(texts: Iterable[TypedText], *shown: object) -> tuple[TypedText, ...]:
    """Returns the typed texts that are none of the texts of some plain values, such as of a scene."""
    there = set(_texts_in(shown))
    return tuple(text for text in texts if text.text not in there)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_in(item)


def joined(*groups: Iterable[TypedText]) -> tuple[TypedText, ...]:
    """Returns the texts of some groups, each once, the last typed first, and of many the last ones."""
    distinct = {
        (typed.field, typed.place, typed.text): typed for group in groups for typed in group
    }
    return tuple(sorted(distinct.values(), key=lambda one: -one.when)[:MOST_LEFT])


def time_of(when: float) -> str:
    """Returns a time as people say it: that of today, or with its date."""
    then = datetime.fromtimestamp(when)
    return f"{then:%H:%M}" if then.date() == datetime.now().date() else f"{then:%Y-%m-%d %H:%M}"
