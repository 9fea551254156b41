"""A widget as a picture in a file: as pixels or as vectors."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter, QPixmap
from PySide6.QtWidgets import QWidget

from tokenarium_core import TokenariumError, WriteError
from tokenarium_core.whole_files import write_files


class ExportError(TokenariumError):
    """A file that cannot be written; the message is a sentence to show."""


def save_image(picture: QPixmap | QImage, path: Path) -> None:
    """Writes a picture as PNG; ExportError if that fails."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image = picture.toImage() if isinstance(picture, QPixmap) else picture
    if not QImageWriter(buffer, QByteArray(b"png")).write(image):
        raise ExportError("There is not enough memory for this picture.")
    _write(path, bytes(content.data()))


def save_svg(widget: QWidget, path: Path, scale: float = 1.0) -> None:
    """Writes the current picture of a widget as vectors, ``scale`` times as large; ExportError if that fails."""
    from tokenarium.pictures.svg_picture import svg_picture

    _write(path, svg_picture(widget, widget.accessibleName(), scale))


def _write(path: Path, content: bytes) -> None:
    """Writes a picture completely or not at all."""
    try:
        write_files({path: content})
    except WriteError as error:
        raise ExportError(str(error)) from None
