"""The base of the parts of the page Change: each makes a new tokenizer of the current one in its own way."""

from __future__ import annotations

from PySide6.QtGui import QAction

from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.views.workspace import Page, WorkspacePart


class ChangePart(WorkspacePart):
    """One way to change a tokenizer, on a page; ``title`` is its choice there.

    The page calls `show_item` with a loaded tokenizer before the part is seen, and when it becomes another one. What
    the part keeps for scenes has names that no other part has.
    """

    title = ""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.session = page.session
        self.appearance = page.appearance
        self._page = page
        self._item: LibraryItem | None = None
        self.setAccessibleName(self.title)

    @property
    def item(self) -> LibraryItem | None:
        """The tokenizer that is shown."""
        return self._item

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        return self._page.help_with(*buttons)

    def show_item(self, item: LibraryItem) -> None:
        """Shows a loaded tokenizer, with what is to be changed of it."""
        raise NotImplementedError

    def lines(self) -> list[list[str]]:
        """Returns the cells of its table, row by row with its head; empty if it has none."""
        return []
