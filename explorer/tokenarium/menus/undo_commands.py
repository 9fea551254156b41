"""Undo and redo for all that the window changes: what was typed, texts that were replaced, and the library."""

from __future__ import annotations

from collections.abc import Callable

from tokenarium.menus.actions import Action, Section
from tokenarium.session.session import Session
from tokenarium.widgets.text.text_panel import TextPanel


class UndoCommands:
    """Puts two stacks into one order.

    The text field has the steps of typing, as only it knows where words begin, what an input method composes, and
    where the cursor was; the session has all other changes. For each of these it is noted how many steps of typing
    there were before it.
    """

    def __init__(self, session: Session, text: TextPanel) -> None:
        self._stack = session.edits.undo_stack
        self._field = text.field
        self._typed: list[int] = []  # steps of typing before each change of the session
        self._stepping = False
        self._stack.indexChanged.connect(self._note)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("undo", "&Undo", Section.UNDO, "Ctrl+Z", self.undo, "Undoes the last change of the text or of the library", self.can_undo, icon="arrow-u-up-left"),
            Action("redo", "&Redo", Section.UNDO, "Ctrl+Shift+Z", self.redo, "Makes the undone change again", self.can_redo, icon="arrow-u-up-right", also="Ctrl+Y"),
        ]
        # fmt: on

    @property
    def _steps(self) -> int:
        self._field.finish()
        return self._field.document().availableUndoSteps()

    def _note(self, index: int) -> None:
        if index == 0 or self._stepping:  # 0 is also what a stack says as it ends
            return
        if self._stack.count() < len(self._typed):  # the last change was taken back for good
            del self._typed[self._stack.count() :]
        else:
            self._typed[index - 1 :] = [self._field.document().availableUndoSteps()]

    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return self._stack.canUndo() or self._field.document().isUndoAvailable()

    def can_redo(self) -> bool:
        """Whether there is a change to make again."""
        return self._stack.canRedo() or self._field.document().isRedoAvailable()

    def undo(self) -> None:
        """Undoes the last change."""
        index = self._stack.index()
        if index == 0 or self._steps > self._typed[index - 1]:
            self._field.undo()
        else:
            self._step(self._stack.undo)

    def redo(self) -> None:
        """Makes the change again that was undone last."""
        index = self._stack.index()
        typed_before = self._steps >= self._typed[index] if self._stack.canRedo() else False
        if typed_before or not self._field.document().isRedoAvailable():
            self._step(self._stack.redo)
        else:
            self._field.redo()

    def _step(self, step: Callable[[], None]) -> None:
        index, count = self._stack.index(), self._stack.count()
        self._stepping = True
        step()
        self._stepping = False
        if self._stack.count() < count:  # it was a file that was refused
            del self._typed[index - 1]
