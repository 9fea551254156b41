"""What a widget paints as text, with the size of each letter on the screen: of labels and of painters alike."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

_MATRIX = re.compile(r"matrix\(([^)]*)\)")


def painted_texts(widget: QWidget) -> list[tuple[float, str]]:
    """Returns the texts that a widget and those in it paint, each with its size in pixels of the widget."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture = QSvgGenerator()
    picture.setOutputDevice(buffer)
    picture.setSize(widget.size())
    picture.setViewBox(QRect(0, 0, widget.width(), widget.height()))
    painter = QPainter(picture)
    widget.render(painter)
    painter.end()
    buffer.close()
    found: list[tuple[float, str]] = []
    _collect(ET.fromstring(bytes(data.data())), 1.0, found)
    return found


def _collect(element: ET.Element, scale: float, found: list[tuple[float, str]]) -> None:
    matrix = _MATRIX.match(element.get("transform") or "")
    if matrix is not None:
        scale *= abs(float(matrix.group(1).split(",")[3]))
    if element.tag.endswith("text"):
        size = float(element.get("font-size") or 0.0) * scale
        found.append((size, "".join(element.itertext()).strip()))
    for inner in element:
        _collect(inner, scale, found)
