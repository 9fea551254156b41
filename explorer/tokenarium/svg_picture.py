"""A widget as an SVG picture, in which nothing is seen beyond the room that it has in the window.

Qt's generator keeps no widget to its room: what is scrolled out of sight would lie over what stands beside it.
So the scrolled parts are drawn apart, and each is clipped by a clipping path (SVG 1.1, 14.3.5). They stand
before the rest, which covers most of what a viewer shows that knows no such paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from xml.etree import ElementTree

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect
from PySide6.QtGui import QPainter, QPainterPath, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QLineEdit, QWidget

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ABOUT = (f"{{{SVG}}}title", f"{{{SVG}}}desc")
HEAD = (*ABOUT, f"{{{SVG}}}defs")
"""What the generator writes before the drawing."""


def svg_picture(widget: QWidget, title: str) -> bytes:
    """Returns a widget as it is seen now, as the bytes of an SVG file in UTF-8."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    picture = _picture(widget, title, count(1))
    return bytes(ElementTree.tostring(picture, "utf-8", xml_declaration=True))


def _picture(widget: QWidget, title: str, numbers: Iterator[int]) -> ElementTree.Element:
    """Returns the picture of a widget, with those of the scrolled parts in it."""
    rooms = list(_rooms(widget))
    places = [QRect(room.mapTo(widget, QPoint()), room.size()) for room in rooms]
    rest = QRegion(widget.rect())
    for place in places:
        rest -= place
    picture = ElementTree.fromstring(_drawn(widget, title, rest))
    kept = [child for child in picture if child.tag in HEAD]
    for room, place in zip(rooms, places, strict=True):
        number = next(numbers)
        part = _picture(room, "", numbers)
        _rename(part, f"part{number}-")
        name = f"room{number}"
        definitions = _element("defs")
        clip = _element("clipPath", id=name)
        clip.append(_element("rect", width=str(place.width()), height=str(place.height())))
        definitions.append(clip)
        where = f"translate({place.x()},{place.y()})"
        group = _element("g", **{"transform": where, "clip-path": f"url(#{name})"})
        group.extend(child for child in part if child.tag not in ABOUT)
        kept += [definitions, group]
    picture[:] = [*kept, *(child for child in picture if child.tag not in HEAD)]
    return picture


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.Element(f"{{{SVG}}}{tag}", attributes)


def _rooms(widget: QWidget) -> Iterator[QWidget]:
    """Yields what scrolls in sight below a widget, viewports and lines of input; none that lies in another one."""
    for child in widget.children():
        if not isinstance(child, QWidget) or child.isHidden() or child.isWindow():
            continue
        parent = child.parent()
        viewport = isinstance(parent, QAbstractScrollArea) and parent.viewport() is child
        if viewport or isinstance(child, QLineEdit):
            yield child
        else:
            yield from _rooms(child)


def _drawn(widget: QWidget, title: str, region: QRegion) -> bytes:
    """Returns what Qt's generator makes of a part of a widget."""
    from PySide6.QtSvg import QSvgGenerator

    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)  # as browsers have it, so that it is as large as in the window
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    generator.setTitle(title)
    painter = QPainter(generator)
    ground = QPainterPath()
    ground.addRegion(region)
    painter.fillPath(ground, widget.palette().window())
    if not region.isEmpty():  # for Qt, an empty region is the whole of it
        widget.render(painter, QPoint(), region)
    painter.end()
    return bytes(content.data())


def _rename(picture: ElementTree.Element, prefix: str) -> None:
    """Gives all that has an id another one, so that two pictures can stand in one file."""
    for element in picture.iter():
        for key, value in element.items():
            if key == "id":
                element.set(key, prefix + value)
            elif key == f"{{{XLINK}}}href" and value.startswith("#"):
                element.set(key, f"#{prefix}{value[1:]}")
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{prefix}"))
