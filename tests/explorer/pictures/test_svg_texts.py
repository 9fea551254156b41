"""A picture is XML that any reader takes, whatever the text in it is."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from narrowed import there
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from windows import off_screen

from tokenarium.pictures.svg_picture import MOST_TITLE, svg_picture

TEXTS = {
    "controls": "a\0b\x01\x0b\x1f\x7f\x85",
    "no characters": "\ufffe\uffff\U0001fffe\U0010ffff",
    "halves": "\ud800 \udfff",
    "directions": "\u202e\u2066abc",
    "marks": "e" + "\u0301" * 3000,
    "signs of XML": "]]><script>&\"'<!--",
    "line ends": "\r\n\u2028\u2029",
    "long": "x" * 100_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_texts_make_a_picture_that_can_be_read(text: str, qtbot: QtBot) -> None:
    label = off_screen(qtbot, QLabel(text[:3000]), 400, 60)
    picture = ElementTree.fromstring(svg_picture(label, text))
    title = there(picture.find("{http://www.w3.org/2000/svg}title"))
    assert len(title.text or "") <= MOST_TITLE
    assert not any(one.tag.endswith("script") for one in picture.iter())
