"""What every workspace has: a name, the switches over it, and what the window asks of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QWidget

from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.views.workspace_names import WorkspaceName

Switches = tuple[tuple[str, str], ...]
"""Ids of actions with the short texts of their buttons; an empty id is a gap."""


NO_TEXT = (
    "There is no text yet",
    "Type or paste one above, or drop a file there. Each tokenizer then shows how it cuts the text.",
)
"""What a workspace says without a text: a title and how to go on."""

NO_TEXT_HELP = (("samples", "Samples …"), ("open_text", "Open …"), ("paste_text", "Paste"))
"""The actions that help where there is no text, with the short texts of their buttons."""

NO_TOKENIZER = (
    "No tokenizer is on",
    "Tick one in the library at the left, or drop a tokenizer file there.",
)
"""What a workspace says without a tokenizer."""


def has_focus(widget: QWidget) -> bool:
    """Tells whether a widget, or one in it, has the focus of its window."""
    focus = widget.window().focusWidget()
    return focus is not None and (focus is widget or widget.isAncestorOf(focus))


class Workspace(QWidget):
    """Base of all workspaces. A workspace is made when it is first shown.

    ``actions`` finds an action of the window by its id.
    """

    name: WorkspaceName
    switches: Switches = ()

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        actions: Callable[[str], QAction] | None = None,
    ) -> None:
        super().__init__()
        self._actions = actions
        self._shows: list[Callable[[], object]] = []
        self._due: set[int] = set()  # places in it
        self.session = session
        self.appearance = appearance
        self.setAccessibleName(self.name.title)

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        """Returns actions to offer where there is nothing to show; none in a workspace by itself."""
        find = self._actions
        return [(find(action_id), text) for action_id, text in buttons] if find else []

    def when_seen(self, show: Callable[[], object]) -> Callable[[], None]:
        """Returns what shows a change at once, or, where the workspace is not seen, as soon as it is.

        What has waited is shown in the order in which this was called for each.
        """
        place = len(self._shows)
        self._shows.append(show)

        def take() -> None:
            if self.isVisible():
                show()
            else:
                self._due.add(place)

        return take

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        due, self._due = sorted(self._due), set()
        for place in due:
            self._shows[place]()

    def focus_first(self) -> None:
        """Puts the focus on what a person works with first."""
        self.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        """The last control that Tab reaches in it, where there is one."""
        return None

    def seek(self, byte: int) -> None:
        """Scrolls to a byte of the text, where the text is laid out."""

    def stop(self) -> None:
        """Ends what runs in other processes, as when the window closes."""

    @property
    def follows_text(self) -> bool:
        """Whether it shows the tokens of the text, so that what is selected in it can be inspected."""
        return True

    @property
    def busy(self) -> bool:
        """Whether something is on its way that will change what is shown."""
        return False

    @property
    def walks_differences(self) -> bool:
        """Whether it compares cuts, so that differences can be walked; how many there are it knows itself."""
        return False

    def go_to_difference(self, step: int) -> None:
        """Selects the next (1) or previous (-1) place where cuts differ, where there are such."""

    @property
    def difference_count(self) -> int:
        """How many places there are where cuts differ."""
        return 0
