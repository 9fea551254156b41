"""The tokens of a view's visible lines for assistive technology: each is a child with its text, its id and its bytes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget

from tokenarium.widgets.text.token_view import TokenView

# For a missing child, Qt expects None, which the stubs of PySide do not allow.

KEPT_TOKENS = 4096
"""The most tokens that keep their interface, which Qt refers to; beyond that, the oldest are dropped."""


class AccessibleTokens(QAccessibleWidget):
    """A view whose children are the tokens in front, in the visible lines."""

    def __init__(self, view: TokenView) -> None:
        super().__init__(view, QAccessible.Role.List)
        self._view = view
        self._tokens: dict[int, AccessibleToken] = {}

    def childCount(self) -> int:
        return len(self._view.visible_parts())

    def child(self, index: int) -> Any:
        parts = self._view.visible_parts()
        if not 0 <= index < len(parts):
            return None
        part = parts[index]
        token = self._tokens.get(part)
        if token is None:
            if len(self._tokens) >= KEPT_TOKENS:
                del self._tokens[next(iter(self._tokens))]
            token = self._tokens[part] = AccessibleToken(self, self._view, part)
        return token

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        parts = self._view.visible_parts()
        if isinstance(child, AccessibleToken) and child.part in parts:
            return child.part - parts.start
        return -1

    def childAt(self, x: int, y: int) -> Any:
        part = self._view.part_at(self._view.viewport().mapFromGlobal(QPoint(x, y)))
        parts = self._view.visible_parts()
        return self.child(part - parts.start) if part in parts else None

    def focusChild(self) -> Any:
        parts = self._view.visible_parts()
        current = self._view.current_part
        return self.child(current - parts.start) if current in parts else None


class AccessibleToken(QAccessibleInterface):
    """One token: ``part`` is its number in the view."""

    def __init__(self, parent: AccessibleTokens, view: TokenView, part: int) -> None:
        super().__init__()
        self._parent = parent
        self._view = view
        self.part = part

    def isValid(self) -> bool:
        return self.part < len(self._view.parts)

    def object(self) -> Any:
        return None

    def parent(self) -> QAccessibleInterface:
        return self._parent

    def child(self, index: int) -> Any:
        return None

    def childAt(self, x: int, y: int) -> Any:
        return None

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        state.selectable = True
        return state

    def rect(self) -> QRect:
        rects = self._view.part_rects(self.part) if self.isValid() else []
        whole = rects[0].toAlignedRect() if rects else QRect()
        return QRect(self._view.viewport().mapToGlobal(whole.topLeft()), whole.size())

    def text(self, kind: QAccessible.Text) -> str:
        if not self.isValid():
            return ""
        text, about = self._view.part_in_words(self.part)
        if kind == QAccessible.Text.Name:
            return _spoken(text)
        return about if kind == QAccessible.Text.Description else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """The text cannot be changed here."""


def _spoken(text: str) -> str:
    """A token that is only white space, in words: a screen reader would say nothing."""
    if not text.isspace():
        return text
    name = _BLANKS.get(text[0], "blank")
    return name if len(text) == 1 else f"{len(text)} × {name}"


_BLANKS = {" ": "space", "\n": "line end", "\t": "tab", "\r": "carriage return"}


def install() -> None:
    """Makes Qt use these interfaces for token views."""
    if not _installed:
        _installed.append(True)
        QAccessible.installFactory(_make)


_installed: list[bool] = []
_made: dict[int, AccessibleTokens] = {}


def _make(name: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, TokenView):
        return None
    key = id(thing)
    interface = _made[key] = AccessibleTokens(thing)
    thing.destroyed.connect(lambda: _made.pop(key, None))
    return interface
