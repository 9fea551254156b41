"""A widget as a picture in a file: as pixels or as vectors."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPoint, QSizeF
from PySide6.QtGui import QImage, QImageWriter, QPageSize, QPainter, QPdfWriter, QPixmap
from PySide6.QtWidgets import QWidget

from tokenarium_core import TokenariumError, WriteError
from tokenarium_core.whole_files import write_files

PDF_DPI = 1200
"""Units of an inch in a PDF; places are written in whole ones."""

_CHANGING = (
    (re.compile(rb"(?<=Date \(D:)\d{14}"), b"20000101000000"),
    (re.compile(rb"(?<=Date=\")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), b"2000-01-01T00:00:00"),
    (re.compile(rb"(?<=DocumentID=\"uuid:)[0-9a-f-]{36}"), b"0" * 36),
    (re.compile(rb"(?<=/ID \[ <)[0-9a-f]{72}> <[0-9a-f]{72}"), b"0" * 72 + b"> <" + b"0" * 72),
)
"""What is different each time in a PDF, and what of the same length is there instead: offsets stay right."""


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


def save_pdf(widget: QWidget, path: Path, scale: float = 1.0) -> None:
    """Writes the current picture of a widget as a PDF page of its size, ``scale`` times as large.

    The same picture gives the same bytes: its dates and its id are not those of now. ExportError if it cannot be written.
    """
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setCreator("Tokenarium")
    writer.setTitle(widget.accessibleName())
    writer.setResolution(PDF_DPI)
    size = QSizeF(widget.size()) * (scale * 25.4 / 96)  # in millimetres
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Millimeter, "", QPageSize.SizeMatchPolicy.ExactMatch))  # fmt: skip
    writer.setPageMargins(QMarginsF())
    painter = QPainter(writer)
    painter.scale(scale * PDF_DPI / 96, scale * PDF_DPI / 96)
    widget.render(painter, QPoint())
    painter.end()
    del writer  # which ends the file
    _write(path, _without_dates(bytes(content.data())))


def _without_dates(pdf: bytes) -> bytes:
    """Returns a PDF file with the beginning of the year 2000 as its dates, and no random id."""
    for pattern, instead in _CHANGING:
        pdf = pattern.sub(instead, pdf)
    return pdf


def _write(path: Path, content: bytes) -> None:
    """Writes a picture completely or not at all."""
    try:
        write_files({path: content})
    except WriteError as error:
        raise ExportError(str(error)) from None
