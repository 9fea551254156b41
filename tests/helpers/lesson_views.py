"""Finds what is cut off in the panel of lessons, at the size of a window."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QWidget

from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.lesson_panel import LessonPanel


def cut_off(panel: LessonPanel) -> list[str]:
    """Returns a sentence for each part of the panel that cannot be read or reached; none if all is in order."""
    window = panel.window()
    said = []
    if not _inside(panel, window):
        said.append("the panel is wider than the window has room for")
    if panel.shows_step and not _inside(panel.next, panel):
        said.append("the button Next is not in sight")
    for area in panel.findChildren(QScrollArea):
        inner = area.widget()
        if area.isVisible() and inner.width() > area.viewport().width():
            said.append(f"the content is {inner.width() - area.viewport().width()} pixels too wide")
        if area.isVisible() and area.horizontalScrollBar().isVisible():
            said.append("there is a horizontal scroll bar")
    said += [
        f"“{label.text()[:40]}” is cut off"
        for label in panel.findChildren(QLabel)
        if label.isVisible() and label.text() and _is_cut(label)
    ]
    for button in panel.findChildren(QPushButton):
        needed = button.fontMetrics().horizontalAdvance(button.text())
        if isinstance(button, GlyphButton):
            needed = button.sizeHint().width()  # it may show only its icon
        policy = button.sizePolicy()
        if isinstance(button, GlyphButton) and button.compact:
            continue  # its name is in its tooltip
        if button.isVisible() and not policy.hasHeightForWidth() and needed > button.width():
            said.append(f"the button “{button.text()}” is cut off")
        if button.isVisible() and policy.hasHeightForWidth():
            if button.heightForWidth(button.width()) > button.height():
                said.append(f"the choice “{button.text()}” is cut off")
    return said


def _inside(widget: QWidget, outer: QWidget) -> bool:
    place = widget.mapTo(outer, QPoint())
    return outer.rect().contains(widget.rect().translated(place))


def _is_cut(label: QLabel) -> bool:
    if label.wordWrap():
        return label.heightForWidth(label.width()) > label.height()
    return label.textFormat() != Qt.TextFormat.RichText and label.sizeHint().width() > label.width()
