"""Writes a handout as HTML or as PDF: pages of A4 with their numbers, steps and questions kept together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final

import regex
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPointF, QRectF, QSizeF, Qt, QUrl
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
LEAST_TEXT: Final = 9
"""Pixels of the text, and at least on a worksheet."""

BESIDE: Final = 0.4 * WIDTH
SMALL_PICTURE: Final = 130
SMALLER: Final = 14
"""Pixels of the width and the height of a picture beside a question, at most; and by how much it is lower for each pixel
by which the text is smaller."""

LONGEST_LINE: Final = 90
"""Characters of choices in one line."""


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
    new_page: bool = False
    most: float = 0.0  # the height of a picture

    @property
    def picture_size(self) -> QSizeF:
        """The size of its picture on the page, in pixels: the width of the text, or less."""
        assert self.image is not None
        size = QSizeF(self.image.width(), self.image.height()) / 2  # drawn at twice its size
        room = QSizeF(WIDTH if self.document is None else BESIDE, self.most)
        return size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)

    @property
    def height(self) -> float:
        if self.document is None:
            return self.picture_size.height()
        inset = 2 * INSET - 8 if self.frame else 0
        high = self.document.size().height() + self.lines * LINE
        beside = self.picture_size.height() if self.image is not None else 0.0
        return max(high, beside) + inset


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
    pages = _pages_of(handout)
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


def _pages_of(handout: Handout) -> list[list[_Placed]]:
    """Returns the pages of a handout; the questions of a worksheet are as large as one page has room for."""
    for size in range(TEXT, LEAST_TEXT, -1) if handout.one_page else ():
        sheet = handout._replace(answers=False, plan=())
        if len(_pages(_boxes(sheet, size))) == 1:
            return _pages(_boxes(handout, size))
    return _pages(_boxes(handout, LEAST_TEXT if handout.one_page else TEXT))


# What is on the pages.


def _boxes(handout: Handout, size: int = TEXT) -> list[_Box]:
    """Returns the parts of a handout from top to bottom: its plan, the questions, and then the answers, apart."""
    boxes = [*_plan_boxes(handout), *_student_boxes(handout, size)]
    if handout.answers:
        boxes += _answer_boxes(handout)
    if handout.one_page and not handout.answers:
        return boxes
    used = "".join(f"<li>{escape(tokenizer)}</li>" for tokenizer in handout.tokenizers)
    said = f"<p>All figures were computed with {escape(handout.program)} and these tokenizers:</p><ul>{used}</ul>"
    return [*boxes, _Box(_document(said, TEXT - 2), rule=True)]


def _plan_boxes(handout: Handout) -> Iterator[_Box]:
    """Yields the plan of a class, a box for each part."""
    if not handout.plan:
        return
    about = "".join(f"<p>{escape(one)}</p>" for one in handout.learns)
    head = f"<h1>{escape(handout.title)}</h1><p>{escape(handout.kind)} · the plan</p>{about}"
    yield _Box(_document(head))
    for part in handout.plan:
        where = f"<p><i>{escape(part.where)}</i></p>" if part.where else ""
        said = f"<h2>{part.time} min &nbsp; {escape(part.title)}</h2>{where}<p>{escape(part.notes)}</p>"
        yield _Box(_document(said), rule=True)


def _student_boxes(handout: Handout, size: int) -> Iterator[_Box]:
    """Yields what students get: the steps with their pictures, and questions with room to write."""
    learns = "".join(f"<li>{escape(sentence)}</li>" for sentence in handout.learns)
    about = "" if handout.one_page else f"<p><b>What it is about</b></p><ul>{learns}</ul>"
    yield _Box(
        _document(
            f"<h1>{escape(handout.title)}</h1><p>{escape(handout.kind)}</p>"
            f"<p>Name: ______________________________ &nbsp; Date: ________________</p>{about}",
            size,
        ),
        new_page=bool(handout.plan),
    )
    for number, step in enumerate(handout.steps, 1):
        question, title = step.question, f"<h2>{number}. {escape(step.title)}</h2>"
        image = QImage.fromData(step.picture) if step.picture else None
        if handout.one_page and question is not None:
            room = WIDTH - 2 * INSET - (BESIDE + INSET if image is not None else 0)
            inside = _document(_question_html(question, size, short=True), size, room)
            yield _Box(_document(title, size), joined=True, rule=True)
            most = SMALL_PICTURE - SMALLER * (TEXT - size)
            yield _Box(inside, image, frame=True, lines=question.lines, most=most)
            continue
        joined = image is not None or question is not None
        yield _Box(_document(title + step.prose, size), joined=joined, rule=True)
        if image is not None:
            yield _Box(image=image, joined=question is not None, most=PAGE.height() / 2)
        if question is not None:
            inside = _document(_question_html(question, size), size, WIDTH - 2 * INSET)
            yield _Box(inside, frame=True, lines=question.lines)


def _answer_boxes(handout: Handout) -> Iterator[_Box]:
    """Yields the answers with their reasons, and the notes, on pages of their own."""
    title = f"<h1>Answers: {escape(handout.title)}</h1>"
    yield _Box(_document(title), new_page=True, joined=True)
    for number, step in enumerate(handout.steps, 1):
        if step.question is None and not step.notes:
            continue
        answer = _answer_html(step.question) if step.question is not None else ""
        head = f"<h2>{number}. {escape(step.title)}</h2>{answer}"
        yield _Box(_document(head), rule=True, joined=bool(step.notes))
        if step.notes:
            notes = f"<p><b>For the teacher</b></p>{step.notes}"
            yield _Box(_document(notes, width=WIDTH - INSET), bar=True)


def _question_html(question: HandoutQuestion, size: int, short: bool = False) -> str:
    """Returns a question; if it is ``short``, with its choices in one line if they have room there."""
    parts = ["" if short else "<p><b>Predict first</b></p>", question.ask]
    choices = [f"☐ &nbsp;{one.number}. {escape(one.text)}" for one in question.choices]
    if short and sum(map(len, choices)) <= LONGEST_LINE:
        choices = ["&nbsp; &nbsp; ".join(choices)] if choices else []
    parts += [f"<p>{choice}</p>" for choice in choices]
    if question.kind == "split":
        letters = "&nbsp;&nbsp;&nbsp;".join(escape(part) for part in question.parts)
        parts.append(f'<p style="font-size:{size + 9}px">{letters}</p>')
    else:
        parts += [f"<p>____ &nbsp; {escape(part)}</p>" for part in question.parts]
    if question.hint:
        hint = question.hint.removeprefix("<p>").removesuffix("</p>")
        parts.append(f"<p><i>Hint: {hint}</i></p>")
    return "".join(parts)


def _answer_html(question: HandoutQuestion) -> str:
    parts = [f"<p><b>Answer: ✓ {escape(question.answer)}</b></p>" if question.answer else ""]
    parts.append(question.after)
    for choice in question.choices:
        if choice.reason and not choice.right:
            reason = choice.reason.removeprefix("<p>").removesuffix("</p>")
            parts.append(f"<p>✗ &nbsp;{choice.number}. {escape(choice.text)}</p>")
            parts.append(f'<p style="margin-left:24px"><i>{reason}</i></p>')
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
        if pages[-1] and (box.new_page or y + min(needed, room) > BOTTOM):
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
    if box.document is None:
        _paint_picture(painter, box, MARGIN, y)
        return
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
    line_end = MARGIN + WIDTH - INSET
    if box.image is not None and first == 0:
        size = box.picture_size
        line_end -= size.width() + INSET
        _paint_picture(painter, box, line_end + INSET, y + (whole.height() - size.height()) / 2)
    painter.save()
    painter.translate(left, top - first)
    inside = QRectF(0, first, WIDTH, last - first)
    painter.setClipRect(inside)
    box.document.drawContents(painter, inside)
    painter.restore()
    for number in range(box.lines):
        at = y + box.height - INSET - (box.lines - 1 - number) * LINE
        painter.setPen(QPen(QColor("#000000"), 0.75))
        painter.drawLine(round(left), round(at), round(line_end), round(at))


def _paint_picture(painter: QPainter, box: _Box, x: float, y: float) -> None:
    assert box.image is not None
    rect = QRectF(QPointF(x, y), box.picture_size)
    painter.drawImage(rect, box.image)
    painter.setPen(QPen(QColor("#999999"), 0.75))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)
