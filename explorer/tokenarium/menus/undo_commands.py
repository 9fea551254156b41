"""Undo and redo for all changes in the window: typing, replaced texts, and the library."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from tokenarium.menus.actions import Action, Section
from tokenarium.session.session import Session
from tokenarium.session.undo_stack import UndoStep
from tokenarium.widgets.text.text_panel import TextPanel


class UndoCommands:
    """Combines two undo stacks in one order.

    The text field has the steps of typing, as only it knows where words begin, what an input method composes, and where
    the cursor was; the session has all other changes. For each of these, the number of typing steps before it is
    recorded.
    """

    def __init__(self, session: Session, text: TextPanel) -> None:
        self._stack = session.edits.undo_stack
        self._field = text.field
        self._typed: WeakKeyDictionary[UndoStep, int] = WeakKeyDictionary()
        """The number of typing steps before each step of the session."""
        self._stack.recorded.connect(self._note)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("undo", "&Undo", Section.UNDO, "Ctrl+Z", self.undo, "Undoes the last change to the text or the library", self.can_undo, icon="arrow-u-up-left"),
            Action("redo", "&Redo", Section.UNDO, "Ctrl+Shift+Z", self.redo, "Redoes the change that was undone", self.can_redo, icon="arrow-u-up-right", also="Ctrl+Y"),
        ]
        # fmt: on

    @property
    def _steps(self) -> int:
        self._field.finish()
        return self._field.document().availableUndoSteps()

    def _note(self, step: UndoStep) -> None:
        self._typed[step] = self._field.document().availableUndoSteps()

    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return self._stack.can_undo or self._field.document().isUndoAvailable()

    def can_redo(self) -> bool:
        """Whether there is a change to redo."""
        return self._stack.can_redo or self._field.document().isRedoAvailable()

    def undo(self) -> None:
        """Undoes the last change."""
        last = self._stack.last
        if last is None or self._steps > self._typed.get(last, 0):
            self._field.undo()
        else:
            self._stack.undo()

    def redo(self) -> None:
        """Redoes the change that was undone last."""
        following = self._stack.following
        typed_before = following is not None and self._steps >= self._typed.get(following, 0)
        if typed_before or not self._field.document().isRedoAvailable():
            self._stack.redo()
        else:
            self._field.redo()
