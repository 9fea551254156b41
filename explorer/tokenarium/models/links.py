"""Links of the scheme ``tokenarium:``, and the addresses of files that desktops pass.

``tokenarium:lesson/01-spaces-and-case/3`` is the third step of a lesson. Any other link is a scene's
(`tokenarium.models.scene`), with or without ``scene/`` before it. A link only shows something: it runs nothing,
downloads nothing, and changes nothing that cannot be undone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit
from urllib.request import url2pathname

from tokenarium.models.scene import LINK, is_link

_LESSON: Final = re.compile(r"/{0,3}lesson/([^/?#]{1,200})(?:/([0-9]{1,4}))?/?", re.IGNORECASE)


class LessonPlace(NamedTuple):
    """A lesson by its id, and its step from 0, or -1 for where it was left."""

    lesson: str
    step: int = -1


def lesson_link(lesson: str, step: int) -> str:
    """Returns a link to a step of a lesson, which is counted from 0 here and from 1 in the link.

    >>> lesson_link("01-spaces-and-case", 2)
    'tokenarium:lesson/01-spaces-and-case/3'
    """
    return f"{LINK}lesson/{quote(lesson, safe='')}/{step + 1}"


def read_lesson_link(link: str) -> LessonPlace | None:
    """Returns the lesson that a link leads to, which may not be on this computer; None for a link to a scene.

    >>> read_lesson_link("tokenarium:lesson/01-spaces-and-case")
    LessonPlace(lesson='01-spaces-and-case', step=-1)
    """
    match = _LESSON.fullmatch(link.strip()[len(LINK) :]) if is_link(link) else None
    if match is None:
        return None
    return LessonPlace(unquote(match[1]), int(match[2] or 0) - 1)


def path_of(word: str) -> Path:
    """Returns the path that a word of a command line names: a path, or the address of a file on this computer.

    An address with the name of another computer is left as it is: no file has such a name.

    >>> path_of("file:///tmp/a%20text.txt").name
    'a text.txt'
    """
    if word[:5].lower() != "file:":
        return Path(word)
    parts = urlsplit(word)
    if parts.netloc not in ("", "localhost"):
        return Path(word)
    if os.name == "nt":
        return Path(url2pathname(parts.path))
    return Path(os.fsdecode(unquote_to_bytes(parts.path)))  # names that are not UTF-8 too
