"""The pictures in a lesson's texts: read from files beside the lesson, of known kinds and bounded sizes, or not at all."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from tokenarium.models.lessons.limits import (
    MOST_NESTED,
    MOST_PICTURE_BYTES,
    MOST_PICTURE_PIXELS,
    MOST_PICTURES,
    MOST_PROSE,
    MOST_PROSE_LINES,
)
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import open_file

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

KINDS: Final = {b"\x89PNG\r\n\x1a\n": b"png", b"\xff\xd8\xff": b"jpeg"}
"""Qt's names of the kinds that are read, by how their files begin: no other decoder sees a stranger's file."""

WEB: Final = re.compile(r"https?://[^\s/?#]+", re.IGNORECASE)
"""How the address of a link begins that may be one; another is shown as text."""

WIDEST: Final = 1_200
"""Pixels of a picture as it is shown; a wider one is made smaller."""


class PictureError(TokenariumError):
    """A picture is not shown; the message says which, why, and what to do."""


def bounded_markdown(text: str) -> str:
    """Returns Markdown that is laid out in a moment: with so many lines, pictures and lists in a line, and no more.

    Expressions may have made it longer than it is in the file.
    """
    lines = [_NESTED.sub("", line) for line in text[: 2 * MOST_PROSE].split("\n", MOST_PROSE_LINES)]
    cut = len(text) > 2 * MOST_PROSE or len(lines) > MOST_PROSE_LINES
    first, *rest = "\n".join(lines[:MOST_PROSE_LINES]).split("![")
    shown, others = rest[:MOST_PICTURES], rest[MOST_PICTURES:]
    text = "![".join([first, *shown]) + "".join(f"!\\[{other}" for other in others)
    if others:
        text += f"\n\n*A text may have at most {MOST_PICTURES} pictures; the others are left out.*"
    return text + ("\n\n*The rest of this text is too long, and is left out.*" if cut else "")


_NESTED: Final = re.compile(
    rf"^(?:[ \t]*(?:>|(?:[-+*]|[0-9]{{1,9}}[.)])(?=[ \t]))){{{MOST_NESTED},}}"
)


class Picture(NamedTuple):
    """A picture as a URI that contains it, as PNG, and its width in pixels."""

    uri: str
    width: int


Pictures = Callable[[str], Picture]
"""Returns a picture by its address in a text; PictureError if it is not shown."""


def dark_name(name: str) -> str:
    """Returns the name of the version of a picture for dark themes.

    >>> dark_name("flow.png")
    'flow-dark.png'
    """
    stem, point, kind = name.rpartition(".")
    return f"{stem}-dark{point}{kind}"


def pictures_of(file: str, dark: bool = False) -> Pictures:
    """Returns what reads the pictures of one text of a lesson, by the lesson's file; without a file there are none.

    ``dark``: of a picture with a version for dark themes, see `dark_name`, it reads that.
    """
    count = 0

    def picture(name: str) -> Picture:
        nonlocal count
        count += 1
        if count > MOST_PICTURES:
            raise _refused(name, f"a text may have at most {MOST_PICTURES}")
        if not file:
            raise _refused(name, "the lesson has no file that the picture could be next to")
        from PySide6.QtCore import QBuffer, QIODevice  # a text without pictures needs no Qt

        folder = Path(file).parent
        image: QImage | None = None
        if dark:
            with suppress(PictureError):
                image = read_picture(folder, dark_name(name))
        if image is None:
            image = read_picture(folder, name)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        image.save(buffer, "PNG")  # type: ignore[call-overload]
        return Picture(picture_uri(bytes(buffer.data().data())), image.width())

    return picture


def picture_uri(data: bytes, kind: str = "png") -> str:
    """Returns a picture as a URI that contains it."""
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def read_picture(folder: Path, name: str) -> QImage:
    """Returns a picture of a folder, or of a folder in it; PictureError if it is not one that is shown.

    Links out of the folder are not followed, and nothing is read from elsewhere, from a device or from the network.
    """
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
    from PySide6.QtGui import QImageReader

    data = _content(folder, name)
    kind = next((kind for head, kind in KINDS.items() if data.startswith(head)), None)
    if kind is None:
        raise _refused(name, "it is neither PNG nor JPEG")
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(kind))
    size = reader.size()
    if not size.isValid():
        raise _refused(name, "its file is damaged")
    pixels = size.width() * size.height()
    if pixels > MOST_PICTURE_PIXELS:
        raise _refused(name, f"it has {pixels:,} pixels, more than {MOST_PICTURE_PIXELS:,}")
    image = reader.read()
    if image.isNull():
        raise _refused(name, "its file is damaged")
    if image.width() > WIDEST:
        image = image.scaledToWidth(WIDEST, Qt.TransformationMode.SmoothTransformation)
    return image


def _content(folder: Path, name: str) -> bytes:
    """Returns the bytes of a picture's file."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", name):
        raise _refused(name, "pictures are files next to the lesson, and nothing is downloaded")
    written = unquote(name)
    if written.startswith(("/", "\\", "~")) or re.search(r"[:\\\0]", written):
        raise _refused(name, "its address is not that of a file next to the lesson")
    try:
        inside = folder.resolve(strict=True)
        path = (inside / written).resolve(strict=True)
        if not path.is_relative_to(inside):
            raise _refused(name, "it is not in the lesson's folder")
        if path.is_dir():
            raise _refused(name, "it is a folder")
        with open_file(path, follow=False) as file:
            data = file.read(MOST_PICTURE_BYTES + 1)
    except FileNotFoundError:
        raise _refused(name, "there is no such file next to the lesson") from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise _refused(name, f"it cannot be read: {reason}") from error
    if len(data) > MOST_PICTURE_BYTES:
        raise _refused(name, f"its file is larger than {MOST_PICTURE_BYTES >> 10:,} KB")
    return data


def _refused(name: str, why: str) -> PictureError:
    return PictureError(f"The picture “{_short(name)}” is not shown: {why}.")


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:59] + "…"
