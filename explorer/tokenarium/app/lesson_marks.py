"""Rings what a step of a lesson marks in the window, until the reader continues or does something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from tokenarium.models.lessons.asking import span_of
from tokenarium.models.lessons.marks import Mark, mark_of
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.mark_rings import MarkRings

ABOVE = 4
"""Pixels between a token and the ring around it, above and below."""


class LessonMarks:
    """The marks of one window. ``part`` returns a part of it by its name, ``workspace`` the current workspace."""

    def __init__(
        self,
        session: Session,
        host: QWidget,
        workspace: Callable[[], Workspace],
        part: Callable[[str], QWidget | None],
    ) -> None:
        self._session = session
        self._host = host
        self._workspace = workspace
        self._part = part
        self._rings: MarkRings | None = None

    def show(
        self, marks: Iterable[str], items: Sequence[LibraryItem], guide: QWidget | None
    ) -> None:
        """Rings what is marked; ``items`` are the tokenizers of the lesson, ``guide`` the panel of the lesson."""
        found = [mark_of(one) for one in marks]
        if not found:
            self.clear()
            return
        if self._rings is None:
            self._rings = MarkRings(self._host)
            self._rings.gone.connect(self.clear)
        self._rings.guide = guide
        self._rings.mark(lambda: [rect for mark in found for rect in self.rects_of(mark, items)])

    def clear(self) -> None:
        """Removes the rings."""
        if self._rings is not None:
            self._rings.clear()

    @property
    def rings(self) -> MarkRings | None:
        """The rings, once they have been needed."""
        return self._rings

    def rects_of(self, mark: Mark, items: Sequence[LibraryItem]) -> list[QRect]:
        """Returns where a mark is on the screen; nothing if it is not seen."""
        workspace = self._workspace()
        if mark.part == "range":
            return self._at(span_of(self._session.text_map, mark.text))
        if mark.part == "token":
            return self._at(self._token(mark.number))
        if mark.part == "strip":
            item = items[mark.number - 1] if mark.number <= len(items) else None
            return [] if item is None else workspace.strips_of(item.key)
        widget = self._part(mark.part) or workspace.marked_part(mark.part)
        if widget is None or not widget.isVisible():
            return []
        seen = _seen(widget)
        return [seen] if not seen.isEmpty() else []

    def _at(self, span: tuple[int, int] | None) -> list[QRect]:
        place = None if span is None else self._workspace().rect_of(*span)
        # A token has letters on both sides, but room above and below.
        return [] if place is None else [place.adjusted(0, -ABOVE, 0, ABOVE)]

    def _token(self, number: int) -> tuple[int, int] | None:
        """The bytes of a token of the tokenizer in front, counted from 1."""
        current = self._session.current
        encoded = self._session.encoded(current.key) if current is not None else None
        encoding = encoded.encoding if encoded is not None else None
        if encoding is None or number > len(encoding):
            return None
        return encoding.span(number - 1)


def _seen(widget: QWidget) -> QRect:
    """Returns the visible part of a widget, in screen coordinates."""
    seen = widget.rect().translated(widget.mapToGlobal(QPoint()))
    around = widget.parentWidget()
    while around is not None:
        seen &= around.rect().translated(around.mapToGlobal(QPoint()))
        around = around.parentWidget() if not around.isWindow() else None
    return seen
