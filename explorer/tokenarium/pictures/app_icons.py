"""The icons of the app and of its documents, as SVG and PNG, from one mark."""

from __future__ import annotations

from importlib import resources
from typing import Final

SMALL: Final = 28
"""Pixels: a smaller mark has no letter, and fewer teeth."""

SIDES: Final = (16, 22, 24, 32, 48, 64, 128, 256, 512)
"""Pixels of the icons that desktops look for."""

_PAGE: Final = (
    '<path d="M12 1 H40 L54 15 V59 A4 4 0 0 1 50 63 H14 A4 4 0 0 1 10 59 V3 A2 2 0 0 1 12 1Z" fill="#FFFFFF"'
    ' stroke="#8E94A3" stroke-width="1.5"/><path d="M40 1 V11 A4 4 0 0 0 44 15 H54" fill="#E3E6EE"'
    ' stroke="#8E94A3" stroke-width="1.5"/>'
)


def mark_svg(side: int) -> str:
    """Returns the mark for an icon with this many pixels a side, the same on light and dark."""
    name = "logo-small.svg" if side < SMALL else "logo.svg"
    return (resources.files("tokenarium.resources") / name).read_text("utf-8")


def document_svg(side: int) -> str:
    """Returns the mark on a page: the icon of the files that the app opens."""
    mark = mark_svg(side // 2).strip()
    head, _, rest = mark.partition(">")
    inner = rest.removesuffix("</svg>")
    placed = f'<g transform="translate(17 25) scale(0.46875)">{inner}</g>'
    return f"{head}>{_PAGE}{placed}</svg>\n"


def png_of(svg: str, side: int) -> bytes:
    """Returns a picture as PNG, with a transparent ground. It needs Qt, and no application."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(svg.encode())).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def icon_files() -> dict[str, bytes]:
    """Returns the files of the icon theme "hicolor", by their paths in it."""
    files = {
        "scalable/apps/tokenarium.svg": mark_svg(512).encode(),
        "scalable/mimetypes/tokenarium-document.svg": document_svg(512).encode(),
    }
    for side in SIDES:
        files[f"{side}x{side}/apps/tokenarium.png"] = png_of(mark_svg(side), side)
        files[f"{side}x{side}/mimetypes/tokenarium-document.png"] = png_of(document_svg(side), side)
    return files
