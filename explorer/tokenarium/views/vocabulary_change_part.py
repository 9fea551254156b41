"""The base of the parts of the page Change: each makes a new tokenizer from the current one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from tokenarium.models.progress_reporter import stage
from tokenarium.models.tokenizers.library import LibraryItem, name_of_made
from tokenarium.style.controls import primary
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_value
from tokenarium.views.workspace import Page, WorkspacePart, column
from tokenarium.widgets.areas import filled_column
from tokenarium.widgets.layouts import FlowLayout, in_row
from tokenarium.widgets.panel import Rule, named, secondary
from tokenarium.widgets.work_bar import WorkBar
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.models.training.store import Trained

CONTROL_HEIGHT = 34
"""Pixels of fields and buttons."""


class ChangePart(WorkspacePart):
    """One way to change a tokenizer, on a page; ``title`` is its choice there.

    The page calls `show_item` with a loaded tokenizer before the part is seen, and when that changes. The settings that
    a part keeps for scenes have names that no other part uses. Long work runs in another process, one at a time;
    ``summary`` shows its progress and its result.
    """

    title = ""
    ending = "changed"
    """The ending of the default name of the new tokenizer."""

    about = ""
    """The tooltip of the button that makes the tokenizer."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.session = page.session
        self.appearance = page.appearance
        self._page = page
        self._item: LibraryItem | None = None
        self._names: dict[str, str] = {}  # names that were typed, by the key of the old tokenizer
        self._problem = self._made = self._made_key = ""
        self._making: tuple[QWidget, ...] = ()  # widgets that an audience does not need
        self.setAccessibleName(self.title)
        self.summary = named(secondary(QLabel(wordWrap=True)), "What this does")
        self.bar = WorkBar("Progress")
        self.name_field = named(
            QLineEdit(), "Name of the new tokenizer", "What the new tokenizer is called"
        )
        self.name_field.setMinimumWidth(28 * GRID)
        self.make_button = primary(QPushButton("Make the tokenizer"))
        self.make_button.setToolTip(self.about)
        self.make_button.clicked.connect(self.press)
        self.name_field.textEdited.connect(self._take_name)

    def arrange(
        self,
        head: Sequence[QWidget],
        body: QWidget,
        tabs: QWidget | None = None,
        more: Sequence[QWidget] = (),
    ) -> None:
        """Fills the part: controls, the summary, ``tabs`` over the body, then the name and the button to make it."""
        line = in_row(
            (self.summary, 1),
            self.bar,
            spacing=GRID,
            margins=(PAGE_MARGIN, GRID, PAGE_MARGIN, GRID),
        )
        above = [_flow(head, below=0), line]
        if tabs is not None:
            above.append(in_row(tabs, (None, 1), margins=(PAGE_MARGIN, 0, PAGE_MARGIN, GRID)))
        area = filled_column(*above, Rule(), body=body)
        last = (self.name_field, self.make_button, *more)
        self._making = (*head, *last)
        column(area, Rule(), _flow(last, below=GRID), grows=area, into=self)

    def go_on_stage(self) -> None:
        for control in self._making:
            control.hide()

    def kept_names(self, name: str) -> Kept:
        """Returns the setting of scenes with the names that were typed, by the key of the old tokenizer."""
        return kept_value(name, dict[str, str], lambda: self._names or None, self._take_names)

    def _take_names(self, names: dict[str, str]) -> None:
        self._names.update(names)
        if self._item is not None:
            self.name_field.setText(self._names.get(self._item.key, ""))

    @property
    def item(self) -> LibraryItem | None:
        """The current tokenizer."""
        return self._item

    @property
    def entries(self) -> int:
        """The number of entries of the current tokenizer; 0 without one."""
        tokenizer = self._item.tokenizer if self._item is not None else None
        return 0 if tokenizer is None else len(tokenizer.vocabulary)

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        return self._page.help_with(*buttons)

    def show_item(self, item: LibraryItem) -> None:
        """Shows a loaded tokenizer and its planned changes."""
        if item is not self._item:
            self._item = item
            self._problem = ""
            if item.key != self._made_key:  # such as after Undo
                self._made = ""
        self.name_field.setPlaceholderText(self._usual_name(item))
        name = self._names.get(item.key, "")
        if self.name_field.text() != name:
            self.name_field.setText(name)
        self.refresh()

    def take_current(self) -> bool:
        """Shows the current tokenizer, also while another part is visible; returns False while it is not loaded."""
        item = self.session.current
        if item is None or item.tokenizer is None or self.session.opening:
            return False
        self.show_item(item)
        return True

    def refresh(self) -> None:
        """Shows the planned changes, the results, and whether anything runs."""
        raise NotImplementedError

    def idle_summary(self) -> str:
        """Returns the text of the summary while nothing runs."""
        item = self._item
        if self._problem or self._made or item is None:
            return self._problem or self._made
        return self.summary_of(item)

    def summary_of(self, item: LibraryItem) -> str:
        """Returns the planned changes of a tokenizer, and the results."""
        raise NotImplementedError

    def lines(self) -> list[list[str]]:
        """Returns the cells of its table, row by row, with the header; empty if it has none."""
        return []

    # The work.

    @property
    def busy(self) -> bool:
        return self._page.running.runs(self.title)

    def stop(self) -> None:
        self._page.running.cancel(self.title)

    def give_up(self) -> None:
        """Ends the running work at the user's request; the summary then says so."""
        self._page.running.cancel(self.title, stopped=True)

    def press(self) -> None:
        """Makes the tokenizer, or stops the running work."""
        if self.busy:
            self.give_up()
        else:
            self.make()

    def make(self) -> None:
        """Makes the new tokenizer in another process, and adds it to the library."""
        item = self._item
        if item is None:
            return
        name = self.name_field.text().strip() or self._usual_name(item)
        asked = self.making(item, name, str(self.session.trainings.folder))
        if asked is None:
            return
        work, request = asked

        def take(trained: Trained) -> None:
            self._names.pop(item.key, None)
            self.forget(item)
            made = self.session.edits.add_trained(
                trained, self.session.trainings.store.path(trained)
            )
            self._made_key = made.key
            self._made = f"{trained.name} is in the library, with {self.made_of(trained)}. Undo takes it out again."
            self.session.set_current(made.key)

        self.run(work, request, take, "Nothing was made: you stopped it.")

    def making(
        self, item: LibraryItem, name: str, folder: str
    ) -> tuple[Callable[..., Trained], object] | None:
        """Returns the function that makes the new tokenizer, and its request.

        Shows why and returns None if impossible.
        """
        raise NotImplementedError

    def made_of(self, trained: Trained) -> str:
        """Returns the description of a new tokenizer, for a sentence."""
        return f"{trained.pieces:,} ids"

    def forget(self, item: LibraryItem) -> None:
        """Forgets the planned changes of a tokenizer, now that they are made."""

    def run(
        self,
        work: Callable[..., object],
        request: object,
        take: Callable[[Any], None],
        stopped: str,
    ) -> None:
        """Runs a function with a request in another process; ``take`` gets its result."""
        self._problem = self._made = ""

        def finished(result: object) -> None:
            take(result)
            self.refuse("")

        self._page.running.process(
            work,
            request,
            take=finished,
            fail=self.refuse,
            say=self._say_progress,
            stopped=stopped,
            name=self.title,
        )
        self.refresh()
        self._say_progress(stage("Starting", 0.0))

    def wish_changed(self, *_: object) -> None:
        """Clears the message about earlier settings, and shows the new ones."""
        self._problem = self._made = ""
        self.refresh()

    def refuse(self, problem: str) -> None:
        """Says why nothing was done; shows nothing for an empty reason."""
        self._problem = problem
        self.refresh()

    def _say_progress(self, progress: Progress) -> None:
        self.bar.show_progress(progress)
        self.summary.setText(f"{progress.phase} …")

    def _take_name(self, name: str) -> None:
        if self._item is not None:
            self._names[self._item.key] = name

    def _usual_name(self, item: LibraryItem) -> str:
        return name_of_made(item, self.ending)


def _flow(controls: Sequence[QWidget], below: int) -> FlowLayout:
    """Returns controls in rows, with room below them."""
    rows = FlowLayout(spacing=GRID)
    for control in controls:
        control.setFixedHeight(CONTROL_HEIGHT)
        rows.addWidget(control)
    rows.setContentsMargins(PAGE_MARGIN, GRID, PAGE_MARGIN, below)
    return rows
