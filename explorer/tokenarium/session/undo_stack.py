"""What can be undone: steps, each of one change or of several that were made together.

Qt's own stack frees a rejected command that the macro around it may still use, and keeps an obsolete one until undo
reaches it. Here a change can be withdrawn anywhere: alone, among the others of its step, in a step that is still open,
and in one that was undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal


class Change:
    """One change that can be undone; ``about`` is the changed object, such as an item of the library."""

    __slots__ = ("about", "do", "undo")

    def __init__(
        self, do: Callable[[], object], undo: Callable[[], object], about: object = None
    ) -> None:
        self.do, self.undo, self.about = do, undo, about


class UndoStep:
    """The changes that one undo reverts, in the order in which they were made, at least one."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.changes: list[Change] = []


class UndoStack(QObject):
    """The steps that were made, and those that were undone and can be redone."""

    changed = Signal()  # what can be undone or redone
    recorded = Signal(object)  # a new `UndoStep`, once all of it is made

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done: list[UndoStep] = []
        self._undone: list[UndoStep] = []  # the step that was undone last is the last
        self._open: UndoStep | None = None
        self._running = False

    @property
    def last(self) -> UndoStep | None:
        """The step that is undone next; None if there is none."""
        return self._done[-1] if self._done else None

    @property
    def following(self) -> UndoStep | None:
        """The step that is redone next; None if there is none."""
        return self._undone[-1] if self._undone else None

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo; never within a step."""
        return bool(self._done) and self._at_rest

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo; never within a step."""
        return bool(self._undone) and self._at_rest

    @property
    def _at_rest(self) -> bool:
        return self._open is None and not self._running

    def __len__(self) -> int:
        """Returns how many steps there are, undone ones too."""
        return len(self._done) + len(self._undone)

    def __bool__(self) -> bool:
        return True  # even an empty stack is true

    def make(self, title: str, change: Change) -> None:
        """Makes a change: a step of its own, or a part of the step that is open.

        Changes that a change itself causes when it is made, undone or redone belong to it, and are not recorded.
        """
        if self._running:
            change.do()
            return
        with self.step(title) as step:
            step.changes.append(change)
            try:
                self._run([change.do])
            except BaseException:
                self.withdraw(change)
                raise

    @contextmanager
    def step(self, title: str) -> Iterator[UndoStep]:
        """Makes all changes within the block one step, or a part of the enclosing step.

        Without changes there is no step.
        """
        if self._open is not None or self._running:
            yield self._open or UndoStep(title)
            return
        step = self._open = UndoStep(title)
        try:
            yield step
        finally:
            self._open = None
            if step.changes:
                self._undone.clear()
                self._done.append(step)
                self.recorded.emit(step)
                self.changed.emit()

    def withdraw(self, change: Change) -> None:
        """Forgets a change that the caller has reverted or that had no effect; a step without changes is removed."""
        self._keep_only(lambda one: one is not change)

    def withdraw_about(self, about: object) -> None:
        """Forgets all changes of something that is gone for good."""
        self._keep_only(lambda one: one.about is not about)

    def undo(self) -> None:
        """Undoes the last step; does nothing if there is none, or within a step."""
        if self.can_undo:
            step = self._done.pop()
            self._undone.append(step)
            self._take([change.undo for change in reversed(step.changes)])

    def redo(self) -> None:
        """Redoes the step that was undone last; does nothing if there is none, or within a step."""
        if self.can_redo:
            step = self._undone.pop()
            self._done.append(step)
            self._take([change.do for change in step.changes])

    def clear(self) -> None:
        """Forgets all steps; their changes stay."""
        self._done.clear()
        self._undone.clear()
        if self._open is not None:
            self._open.changes.clear()
        self.changed.emit()

    def _take(self, calls: list[Callable[[], object]]) -> None:
        try:
            self._run(calls)
        finally:
            self.changed.emit()

    def _run(self, calls: list[Callable[[], object]]) -> None:
        self._running = True
        try:
            for call in calls:
                call()
        finally:
            self._running = False

    def _keep_only(self, stays: Callable[[Change], bool]) -> None:
        for steps in (self._done, self._undone, [self._open] if self._open is not None else []):
            for step in steps:
                step.changes[:] = filter(stays, step.changes)
            steps[:] = [step for step in steps if step.changes]
        self.changed.emit()
