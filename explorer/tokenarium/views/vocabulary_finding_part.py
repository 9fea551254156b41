"""The base of the parts of the page Change that first measure texts: what a change costs or saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.views.kept import Kept, kept_segment, kept_value
from tokenarium.views.page_program import page_program
from tokenarium.views.text_choice import TEXT, TextChoice
from tokenarium.views.vocabulary_change_part import ChangePart
from tokenarium.views.workspace import Page
from tokenarium.widgets.count_field import CountField
from tokenarium.widgets.empty_state import EmptyState
from tokenarium.widgets.panel import named
from tokenarium.widgets.segmented import Segmented


class FindingPart(ChangePart):
    """A choice of texts, a button that finds something on them, and views of what was found.

    ``texts_title`` and ``texts_about`` name the choice, ``find_title`` and ``find_about`` the button, ``stopped`` is
    the message when the user stops it.
    """

    texts_title = texts_about = find_title = find_about = stopped = ""
    view_titles: Sequence[str] = ()

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.texts = TextChoice(self.session, self.texts_title, self.texts_about)
        self.find_button = QPushButton(self.find_title)
        self.find_button.setToolTip(self.find_about)
        self.find_button.clicked.connect(self._press_find)
        self.views = named(Segmented(self.view_titles), "What is shown")
        self.nothing = EmptyState()
        self._bodies = QStackedWidget()
        self._fields: tuple[QWidget, ...] = ()  # disabled while anything runs

    def arrange_views(self, head: Sequence[QWidget], *views: QWidget) -> None:
        """Fills the part: the controls, and a view for each title."""
        for body in (*views, self.nothing):
            self._bodies.addWidget(body)
        self.arrange(head, self._bodies, self.views)
        self._fields = (*(cell for cell in head if cell is not self.find_button), self.name_field)
        self.views.currentChanged.connect(self.refresh)
        for cell in head:
            if isinstance(cell, CountField):
                # Later, since a field that goes back tells of a change, which removes the sentence.
                cell.refused.connect(self.refuse, Qt.ConnectionType.QueuedConnection)

    # What a part defines.

    @property
    def result(self) -> object | None:
        """The result for the current settings; None if there is none yet."""
        raise NotImplementedError

    @property
    def can_make(self) -> bool:
        """Whether there is a tokenizer to make."""
        raise NotImplementedError

    def finding(
        self, item: LibraryItem
    ) -> tuple[Callable[..., object], object, Callable[[Any], None]] | None:
        """Returns the function that computes the result, its request, and the receiver of the result.

        None, with the reason shown, if there are no texts.
        """
        raise NotImplementedError

    def show_result(self) -> None:
        """Fills the views."""
        raise NotImplementedError

    def missing(self) -> tuple[str, str] | None:
        """Returns the message instead of the chosen view: why it is empty, and what to do; None if it is not."""
        raise NotImplementedError

    # Actions.

    def find_now(self) -> None:
        """Computes the result in another process."""
        item = self._item
        if item is None or item.tokenizer is None:
            return
        self.stop()
        request = self.finding(item)
        if request is not None:
            self.run(*request, self.stopped)

    def _press_find(self) -> None:
        if self.busy:
            self.give_up()
        else:
            self.find_now()

    def kept_result(self, name: str) -> Kept:
        """Returns the setting that there is a result, for scenes; it is computed again once the tokenizer is open."""
        return kept_value(name, bool, lambda: self.result is not None or None, self._take_found)

    def _take_found(self, found_before: bool) -> bool:
        if found_before and self.result is None and not self.busy:
            if not self.take_current():
                return False
            self.find_now()
        return True

    def kept_views(self, name: str) -> Kept:
        """Returns the setting of scenes which view is chosen."""
        return kept_segment(name, self.views)

    def refresh(self, *_: object) -> None:
        running = self.busy
        for control in self._fields:
            if isinstance(control, CountField):
                control.whole = self.entries
            control.setEnabled(not running)
        self.bar.setVisible(running)
        self.find_button.setText("Stop" if running else self.find_title)
        self.make_button.setEnabled(not running and self.can_make)
        if not running:
            self.summary.setText(self.idle_summary())
        self.show_result()
        missing = self.missing()
        if missing is not None:
            self.nothing.say(*missing)
        place = self.views.currentIndex() if missing is None else len(self.view_titles)
        self._bodies.setCurrentIndex(place)

    def program_of_texts(self, imports: str, body: str, text: str, **values: object) -> str:
        """Returns a program for the chosen texts, where ``body`` has TEXTS_READ; ``text`` is that of the window."""
        texts_imports, read, texts = self.texts.program()
        return page_program(
            self.session,
            self.title,
            f"{imports}\n{texts_imports}",
            body.replace("TEXTS_READ", read),
            text=text if self.texts.place == TEXT else None,
            items=None,
            front=self._item,
            **values,
            **texts,
        )

    def focus_first(self) -> None:
        self.find_button.setFocus()
