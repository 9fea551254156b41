"""Writes a handout as HTML or as PDF: pages of A4 with their numbers, steps and questions kept together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final

import regex
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QTextBlock,
    QTextDocument,
)

from tokenarium.models.lessons.handout import (
    Handout,
    HandoutQuestion,
    HandoutStep,
    handout_page,
)
from tokenarium.models.lessons.limits import MOST_EMOJI
from tokenarium.pictures.safe_document import SafeDocument
from tokenarium.style.fonts import mono_font, ui_font
from tokenarium_core import WriteError
from tokenarium_core.whole_files import write_files

DOTS: Final = 600
"""Dots of an inch of paper."""

PIXELS: Final = 96
"""Pixels of an inch in which a page is laid out."""

PAGE: Final = QSizeF(210 / 25.4 * PIXELS, 297 / 25.4 * PIXELS)
MARGIN: Final = 16 / 25.4 * PIXELS
WIDTH: Final = PAGE.width() - 2 * MARGIN
BOTTOM: Final = PAGE.height() - MARGIN - 12
GAP: Final = 12
INSET: Final = 14
LINE: Final = 34
"""Pixels of a line to write on."""

TEXT: Final = 13
"""Pixels of the text."""


@dataclass(slots=True)
class _Box:
    """A part of a page that is not broken if it fits on one: a document, or a picture."""

    document: QTextDocument | None = None
    image: QImage | None = None
    frame: bool = False
    bar: bool = False
    lines: int = 0
    joined: bool = False  # stays with the box after it
    rule: bool = False

    @property
    def height(self) -> float:
        if self.image is not None:
            return _image_size(self.image).height()
        assert self.document is not None
        inset = 2 * INSET - 8 if self.frame else 0
        return self.document.size().height() + inset + self.lines * LINE


def write_handout(handout: Handout, path: Path) -> None:
    """Writes a handout to a file, as HTML or PDF by its suffix; WriteError if it cannot be written.

    A PDF needs a process in which Qt may draw.
    """
    html = path.suffix.lower() in (".html", ".htm")
    write_files({path: handout_page(handout).encode() if html else pdf_of_handout(handout)})


def pdf_of_handout(handout: Handout) -> bytes:
    """Returns a handout as PDF; WriteError for one with too many emoji, each of which Qt writes as a picture."""
    emoji = len(regex.findall(r"\p{Emoji_Presentation}", handout_page(handout)))
    if emoji > MOST_EMOJI:
        raise WriteError(
            f"“{handout.title}” has {emoji:,} emoji. As PDF it may have {MOST_EMOJI:,}: save it as an HTML page instead."
        )
    pages = _pages(list(_boxes(handout)))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS)
    writer.setTitle(handout.title)
    writer.setCreator(handout.program)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(), QPageLayout.Unit.Millimeter)
    painter = QPainter(writer)
    for number, page in enumerate(pages, 1):
        if number > 1:
            writer.newPage()
        painter.save()
        painter.scale(DOTS / PIXELS, DOTS / PIXELS)
        for box, y, first, last in page:
            _paint(painter, box, y, first, last)
        painter.setFont(ui_font(10))
        painter.setPen(QColor("#333333"))
        foot = QRectF(MARGIN, PAGE.height() - MARGIN, WIDTH, 16)
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, handout.title)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, f"{number} / {len(pages)}")
        painter.restore()
    painter.end()
    return bytes(buffer.data().data())


# What is on the pages.


def _boxes(handout: Handout) -> Iterator[_Box]:
    """Yields the parts of a handout from top to bottom."""
    kind = " · with answers" if handout.answers else ""
    name = (
        ""
        if handout.answers
        else "<p>Name: ______________________________ &nbsp; Date: ________________</p>"
    )
    learns = "".join(f"<li>{escape(sentence)}</li>" for sentence in handout.learns)
    yield _Box(
        _document(
            f"<h1>{escape(handout.title)}</h1>"
            f"<p>A lesson of {handout.minutes} minutes · {escape(handout.level)}{kind}</p>{name}"
            f"<p><b>What it is about</b></p><ul>{learns}</ul>"
        )
    )
    for number, step in enumerate(handout.steps, 1):
        yield from _boxes_of(number, step, handout.answers)
    used = "".join(f"<li>{escape(tokenizer)}</li>" for tokenizer in handout.tokenizers)
    yield _Box(
        _document(
            f"<p>All figures were computed with {escape(handout.program)} and these tokenizers:</p><ul>{used}</ul>",
            TEXT - 2,
        ),
        rule=True,
    )


def _boxes_of(number: int, step: HandoutStep, answers: bool) -> Iterator[_Box]:
    head = f"<h2>{number}. {escape(step.title)}</h2>{step.prose}"
    yield _Box(_document(head), joined=bool(step.picture or step.question), rule=True)
    if step.picture:
        yield _Box(image=QImage.fromData(step.picture), joined=step.question is not None)
    if step.question is not None:
        question = _question_html(step.question, answers)
        lines = 0 if answers else step.question.lines
        yield _Box(_document(question, width=WIDTH - 2 * INSET), frame=True, lines=lines)
    if step.notes:
        notes = f"<p><b>For the teacher</b></p>{step.notes}"
        yield _Box(_document(notes, width=WIDTH - INSET), bar=True)


def _question_html(question: HandoutQuestion, answers: bool) -> str:
    parts = ["<p><b>Predict first</b></p>", question.ask]
    for choice in question.choices:
        mark = ("✓" if choice.right else "✗") if answers else "☐"
        text = f"{mark} &nbsp;{choice.number}. {escape(choice.text)}"
        parts.append(f"<p>{f'<b>{text}</b>' if answers and choice.right else text}</p>")
        if answers and choice.reason and not choice.right:
            reason = choice.reason.removeprefix("<p>").removesuffix("</p>")
            parts.append(f'<p style="margin-left:24px"><i>{reason}</i></p>')
    if question.kind == "split":
        size = TEXT + 9
        letters = "&nbsp;&nbsp;&nbsp;".join(escape(part) for part in question.parts)
        parts.append(f'<p style="font-size:{size}px">{letters}</p>')
    elif question.parts:
        mark = "·" if answers else "____"
        parts += [f"<p>{mark} &nbsp; {escape(part)}</p>" for part in question.parts]
    if answers:
        if question.answer:
            parts.append(f"<p><b>Answer: {escape(question.answer)}</b></p>")
        parts.append(question.after)
    elif question.hint:
        hint = question.hint.removeprefix("<p>").removesuffix("</p>")
        parts.append(f"<p><i>Hint: {hint}</i></p>")
    return "".join(parts)


def _document(html: str, size: int = TEXT, width: float = WIDTH) -> QTextDocument:
    """Returns a document laid out in a width of pixels."""
    document = SafeDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(0)
    font = QFont(ui_font(size))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    document.setDefaultFont(font)
    document.setUseDesignMetrics(True)
    mono = ", ".join(f"'{name}'" for name in mono_font().families())
    document.setDefaultStyleSheet(
        f"body {{ color: #000000; }} h1 {{ font-size: {size + 11}px; margin: 0 0 4px 0; }}"
        f" h2 {{ font-size: {size + 4}px; margin: 8px 0 4px 0; }} p {{ margin: 0 0 5px 0; }}"
        f" ul {{ margin: 0 0 4px 0; }} code, pre {{ font-family: {mono}; }}"
    )
    document.setBaseUrl(QUrl())
    document.setHtml(f"<body>{html}</body>")
    document.setTextWidth(width)
    return document


def _image_size(image: QImage) -> QSizeF:
    """Returns the size of a picture on the page, in pixels: the width of the text, or less."""
    size = QSizeF(image.width(), image.height()) / 2  # drawn at twice its size
    return size.scaled(WIDTH, PAGE.height() / 2, Qt.AspectRatioMode.KeepAspectRatio)


# Where it is.

_Placed = tuple[_Box, float, float, float]
"""A box, its place from the top of the page, and the part of its height that is shown there."""


def _pages(boxes: list[_Box]) -> list[list[_Placed]]:
    """Returns the boxes of each page. A box goes to the next page if it does not fit; one that is too long is broken."""
    pages: list[list[_Placed]] = [[]]
    y = MARGIN
    for index, box in enumerate(boxes):
        height = box.height
        needed = height
        for before, after in pairwise(boxes[index:]):
            if not before.joined:
                break
            needed += GAP + after.height
        room = BOTTOM - MARGIN
        y += GAP if box.rule and pages[-1] else 0
        needed = needed if needed <= room else height
        if pages[-1] and y + min(needed, room) > BOTTOM:
            pages.append([])
            y = MARGIN
        if height <= BOTTOM - y or box.document is None:
            pages[-1].append((box, y, 0.0, height))
            y += height + GAP
            continue
        first = 0.0
        while first < height:
            last = _break_after(box, first, BOTTOM - y)
            pages[-1].append((box, y, first, last))
            y += last - first + GAP
            first = last
            if first < height:
                pages.append([])
                y = MARGIN
    return pages


def _break_after(box: _Box, first: float, room: float) -> float:
    """Returns where a document is broken: after the last line that fits below a place."""
    document = box.document
    assert document is not None
    if box.height - first <= room:
        return box.height
    last = first
    block: QTextBlock = document.begin()
    while block.isValid():
        top = document.documentLayout().blockBoundingRect(block).top()
        layout = block.layout()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            bottom = top + line.y() + line.height()
            if first < bottom <= first + room:
                last = max(last, bottom)
        block = block.next()
    return last if last > first else first + room


def _paint(painter: QPainter, box: _Box, y: float, first: float, last: float) -> None:
    """Paints the part of a box from ``first`` to ``last`` at a height of the page."""
    if box.image is not None:
        size = _image_size(box.image)
        rect = QRectF(MARGIN, y, size.width(), size.height())
        painter.drawImage(rect, box.image)
        painter.setPen(QPen(QColor("#999999"), 0.75))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        return
    assert box.document is not None
    whole = QRectF(MARGIN, y, WIDTH, last - first)
    left, top = MARGIN, y
    if box.rule and first == 0:
        painter.setPen(QPen(QColor("#000000"), 1))
        painter.drawLine(whole.topLeft(), whole.topRight())
    if box.frame:
        painter.setPen(QPen(QColor("#000000"), 1.25))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(whole, 6, 6)
        left, top = left + INSET, top + INSET - 4
    if box.bar:
        painter.setPen(QPen(QColor("#000000"), 1))
        for x in (MARGIN, MARGIN + 3):
            painter.drawLine(round(x), round(y), round(x), round(y + last - first))
        left += INSET
    painter.save()
    painter.translate(left, top - first)
    inside = QRectF(0, first, WIDTH, last - first)
    painter.setClipRect(inside)
    box.document.drawContents(painter, inside)
    painter.restore()
    for number in range(box.lines):
        at = y + box.height - INSET - (box.lines - 1 - number) * LINE
        painter.setPen(QPen(QColor("#000000"), 0.75))
        painter.drawLine(round(left), round(at), round(MARGIN + WIDTH - INSET), round(at))
