"""A widget as a picture in a file: as pixels or as vectors."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from tokenarium_core import TokenariumError

SHARPNESS = 2
"""Pixels of a PNG for each pixel of the window."""


class ExportError(TokenariumError):
    """A file that cannot be written; the message is a sentence to show."""


def save_png(widget: QWidget, path: Path) -> None:
    """Writes a widget as it is seen now, at twice its size in pixels; ExportError where it cannot be."""
    pixmap = QPixmap(widget.size() * SHARPNESS)
    pixmap.setDevicePixelRatio(SHARPNESS)
    pixmap.fill(widget.palette().window().color())
    widget.render(pixmap)
    if not pixmap.save(str(path), "PNG"):
        raise ExportError(f"{path} cannot be written. Choose another folder or name.")


def save_svg(widget: QWidget, path: Path) -> None:
    """Writes a widget as it is seen now, as vectors; ExportError where it cannot be."""
    from tokenarium.pictures.svg_picture import svg_picture

    try:
        path.write_bytes(svg_picture(widget, widget.accessibleName()))
    except OSError as error:
        raise ExportError(
            f"{path} cannot be written: {error.strerror}. Choose another folder or name."
        ) from None
