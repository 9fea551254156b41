"""A lesson's Markdown in a label: no HTML, and no files except the lesson's pictures."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextImageFormat
from PySide6.QtWidgets import QLabel

from tokenarium.models.lessons.pictures import (
    WEB,
    Picture,
    PictureError,
    bounded_markdown,
    pictures_of,
)
from tokenarium.pictures.safe_document import SafeDocument
from tokenarium.style.theme import GRID, Theme
from tokenarium.style.themed import Themed

MOST_FOUND = 64
"""The most parts of a picture's description for which the picture is shown: Qt makes one for each part."""

LINE_HEIGHT = 126
"""Percent of the font's own: 23 pixels for letters of 15."""

WIDEST_PICTURE = 230
"""Pixels: the greatest width of a picture in the text."""


def prose_html(markdown: str, file: str = "", room: float = 0, dark: bool = False) -> str:
    """Returns Markdown as Qt's HTML, with room between its paragraphs, which Qt's own label leaves out.

    Pictures are in the folder of the lesson's ``file``; a sentence says why one is not shown. Links lead to the web, or
    become text. ``room``: pixels below a paragraph. ``dark``: pictures are those for dark themes, where there are such.
    """
    document = SafeDocument()
    document.setMarkdown(bounded_markdown(markdown), QTextDocument.MarkdownFeature.MarkdownNoHTML)
    _show_pictures(document, file, dark)
    _check_links(document)
    cursor, block = QTextCursor(document), document.begin()
    while (following := block.next()).isValid():
        if following.textList() is None or block.textList() is None:
            _set_format(cursor, block, room)
        else:
            _set_format(cursor, block, 0)
        block = following
    _set_format(cursor, block, 0)
    # The font is that of the label, whose size may change.
    return re.sub("<body[^>]*>", "<body>", document.toHtml(), count=1)


def _set_format(cursor: QTextCursor, block: QTextBlock, room: float) -> None:
    """Sets the distance of the lines of a paragraph, and the pixels below it."""
    spaced = block.blockFormat()
    spaced.setBottomMargin(room)
    high = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
    spaced.setLineHeight(LINE_HEIGHT, high)
    cursor.setPosition(block.position())
    cursor.setBlockFormat(spaced)


def _show_pictures(document: QTextDocument, file: str, dark: bool) -> None:
    """Replaces the addresses of pictures with the pictures, or with sentences."""
    pictures = [
        (index, fragment.charFormat().toImageFormat().name())
        for fragment in _fragments(document)
        if fragment.charFormat().isImageFormat()
        for index in range(fragment.position(), fragment.position() + fragment.length())
    ]
    if len(pictures) > MOST_FOUND:
        document.setPlainText(document.toPlainText().replace("\ufffc", ""))
        return
    picture = pictures_of(file, dark)
    documents: list[tuple[int, Picture | str]] = []
    for place, name in pictures:
        try:
            documents.append((place, picture(name)))
        except PictureError as error:
            documents.append((place, str(error)))
    for place, shown in reversed(documents):
        cursor = QTextCursor(document)
        cursor.setPosition(place)
        cursor.setPosition(place + 1, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        if isinstance(shown, str):
            plain = cursor.blockCharFormat()
            plain.setFontItalic(True)
            cursor.insertText(f" {shown} ", plain)
        else:
            image = QTextImageFormat()
            image.setName(shown.uri)
            image.setWidth(min(WIDEST_PICTURE, shown.width))
            cursor.insertImage(image)


def _check_links(document: QTextDocument) -> None:
    """Keeps only links to the web."""
    links = [
        (fragment.position(), fragment.length(), fragment.charFormat().anchorHref())
        for fragment in _fragments(document)
        if fragment.charFormat().isAnchor()
    ]
    for place, length, address in links:
        cursor = QTextCursor(document)
        cursor.setPosition(place)
        cursor.setPosition(place + length, QTextCursor.MoveMode.KeepAnchor)
        shown = cursor.charFormat()
        if not WEB.match(address):
            shown.setAnchor(False)
            shown.setAnchorHref("")
            shown.setFontUnderline(False)
            shown.clearForeground()
            cursor.setCharFormat(shown)


def _fragments(document: QTextDocument) -> list[Any]:
    """Returns the parts of a document, each with a uniform format."""
    fragments = []
    block: QTextBlock = document.begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            fragments.append(at.fragment())
            at += 1
        block = block.next()
    return fragments


class ProseLabel(Themed, QLabel):
    """Shows Markdown of a lesson; `text` is the Markdown.

    ``file`` is the lesson's, whose folder contains its pictures.
    """

    def __init__(self, room: float = GRID) -> None:
        super().__init__(wordWrap=True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.file = ""
        self._room = room
        self._markdown = ""
        self.linkHovered.connect(self.setToolTip)  # the address of a link
        self.follow_theme()

    def dress(self, theme: Theme) -> None:
        if "![" in self._markdown:
            self.setText(self._markdown)

    def setText(self, text: str) -> None:
        self._markdown = text
        super().setText(prose_html(text, self.file, self._room, self.theme.dark))

    def text(self) -> str:
        return self._markdown
