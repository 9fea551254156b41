"""A widget as an SVG picture, clipped as in the window.

Qt's generator does not clip widgets: what is scrolled out of sight would cover its neighbours. So the scrolled parts
are drawn separately, each with a clipping path (SVG 1.1, 14.3.5). They come before the rest, which then covers most
of the excess in a viewer without clipping paths. The rest is clipped to the area around them, as a widget that fills
its background would cover what scrolls on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import cast
from xml.etree import ElementTree

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRect
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QPainter, QPainterPath, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QLineEdit, QWidget

from tokenarium.models.text.direction import (
    END_OF_ISOLATE,
    RIGHT_TO_LEFT_ISOLATE,
    reads_right_to_left,
)
from tokenarium.style.fonts import show_as_written

SVG = "http://www.w3.org/2000/svg"
MOST_TITLE = 1000
"""Characters of a title."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no form for (section 2.2): Qt writes those of a text as they are, and no reader takes
them."""

XLINK = "http://www.w3.org/1999/xlink"
ABOUT = (f"{{{SVG}}}title", f"{{{SVG}}}desc")
HEAD = (*ABOUT, f"{{{SVG}}}defs")
"""The head that the generator writes before the drawing."""

_MATRIX = re.compile(r"matrix\(([^)]*)\)")
_POINT = re.compile(r"([-+.\de]+),([-+.\de]+)")


def svg_picture(widget: QWidget, title: str, scale: float = 1.0) -> bytes:
    """Returns the current picture of a widget as the bytes of an SVG file in UTF-8, ``scale`` times as large."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    picture = _picture(widget, title, count(1))
    for text in picture.iter(f"{{{SVG}}}text"):
        _hold(text)
    _name_fonts(picture)
    _flatten(picture)
    picture.set("style", "font-variant-ligatures: none")  # as `show_as_written`
    for side, length in (("width", widget.width()), ("height", widget.height())):
        picture.set(side, f"{length * scale * 25.4 / 96:.4g}mm")
    return bytes(ElementTree.tostring(picture, "utf-8", xml_declaration=True))


def _picture(widget: QWidget, title: str, numbers: Iterator[int]) -> ElementTree.Element:
    """Returns the picture of a widget, including its scrolled parts."""
    rooms = list(_rooms(widget))
    places = [QRect(room.mapTo(widget, QPoint()), room.size()) for room in rooms]
    rest = QRegion(widget.rect())
    for rect in places:
        rest -= rect
    picture = ElementTree.fromstring(_drawn(widget, title, rest))
    heads = [child for child in picture if child.tag in HEAD]
    for room, rect in zip(rooms, places, strict=True):
        number = next(numbers)
        part = _picture(room, "", numbers)
        _rename(part, f"part{number}-")
        group = _clipped(f"room{number}", [QRect(QPoint(), rect.size())], heads)
        group.set("transform", f"translate({rect.x()},{rect.y()})")
        group.extend(child for child in part if child.tag not in ABOUT)
        heads.append(group)
    drawn = [child for child in picture if child.tag not in HEAD]
    if rooms and not rest.isEmpty():
        pieces = list(cast("Iterable[QRect]", rest))
        beside = _clipped(f"beside{next(numbers)}", pieces, heads)
        beside.extend(drawn)
        drawn = [beside]
    picture[:] = [*heads, *drawn]
    return picture


def _clipped(
    name: str, places: Sequence[QRect], head: list[ElementTree.Element]
) -> ElementTree.Element:
    """Returns a group that is clipped to a region; its clipping path goes into ``head``."""
    clip = _element("clipPath", id=name)
    for rect in places:
        corner, size = rect.topLeft(), rect.size()
        numbers = {"x": corner.x(), "y": corner.y(), "width": size.width(), "height": size.height()}
        clip.append(_element("rect", **{key: str(number) for key, number in numbers.items()}))
    definitions = _element("defs")
    definitions.append(clip)
    head.append(definitions)
    return _element("g", **{"clip-path": f"url(#{name})"})


def _hold(text: ElementTree.Element) -> None:
    """Fixes the width and the direction of a text, whatever fonts a viewer has."""
    content = text.text or ""
    font = QFont(text.get("font-family", ""))
    font.setPixelSize(max(1, round(float(text.get("font-size", "13")))))
    font.setWeight(QFont.Weight(int(text.get("font-weight", "400"))))
    show_as_written(font)
    width = QFontMetricsF(font).horizontalAdvance(content)
    if len(content) > 1 and width > 0:
        text.set("textLength", f"{width:g}")
        text.set("lengthAdjust", "spacingAndGlyphs")
    if reads_right_to_left(
        [content]
    ):  # else its end, such as a full stop, would be at the other side
        text.text = f"{RIGHT_TO_LEFT_ISOLATE}{content}{END_OF_ISOLATE}"


def _name_fonts(picture: ElementTree.Element) -> None:
    """Names the actual fonts and a generic fallback: Qt may name a font that only it knows."""
    for element in picture.iter():
        family = element.get("font-family")
        if family is not None:
            seen = QFontInfo(QFont(family))
            fixed = family == "monospace" or seen.fixedPitch()
            kind = "monospace" if fixed else "sans-serif"
            element.set("font-family", f"'{seen.family()}', {kind}")


def _flatten(picture: ElementTree.Element) -> None:
    """Converts lines with ``vector-effect`` (SVG Tiny 1.2, 11.6), such as curves of charts, to pixels.

    Qt scales them by a transformation, and not all viewers keep their width then.
    """
    for group in picture.iter(f"{{{SVG}}}g"):
        shapes = list(group)
        numbers = _MATRIX.fullmatch(group.get("transform", ""))
        if numbers is None or not shapes:
            continue
        if any(s.get("vector-effect") != "non-scaling-stroke" or not _points(s) for s in shapes):
            continue
        a, b, c, d, e, f = (float(number) for number in numbers[1].split(","))
        for shape in shapes:
            key = _points(shape)
            points = [(float(x), float(y)) for x, y in _POINT.findall(shape.get(key, ""))]
            placed = iter(f"{a * x + c * y + e:g},{b * x + d * y + f:g}" for x, y in points)
            shape.set(key, _POINT.sub(lambda _, placed=placed: next(placed), shape.get(key, "")))  # type: ignore[misc]
            del shape.attrib["vector-effect"]
        del group.attrib["transform"]


def _points(shape: ElementTree.Element) -> str:
    """Returns the name of the attribute with the points of a shape, if it has one."""
    return {f"{{{SVG}}}polyline": "points", f"{{{SVG}}}path": "d"}.get(shape.tag, "")


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.Element(f"{{{SVG}}}{tag}", attributes)


def _rooms(widget: QWidget) -> Iterator[QWidget]:
    """Yields the outermost visible viewports and line edits in a widget."""
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
    """Returns the SVG that Qt's generator makes of a region of a widget."""
    from PySide6.QtSvg import QSvgGenerator

    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)  # as in browsers, so that it is as large as in the window
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    generator.setTitle(title[:MOST_TITLE])
    painter = QPainter(generator)
    ground = QPainterPath()
    ground.addRegion(region)
    painter.fillPath(ground, widget.palette().window())
    if not region.isEmpty():  # for Qt, an empty region means all of it
        widget.render(painter, QPoint(), region)
    painter.end()
    return _NO_XML.sub("\ufffd", bytes(content.data()).decode("utf-8", "replace")).encode()


def _rename(picture: ElementTree.Element, prefix: str) -> None:
    """Gives all ids a prefix, so that two pictures can be in one file."""
    for element in picture.iter():
        for key, value in element.items():
            if key == "id":
                element.set(key, prefix + value)
            elif key == f"{{{XLINK}}}href" and value.startswith("#"):
                element.set(key, f"#{prefix}{value[1:]}")
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{prefix}"))
