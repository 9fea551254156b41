"""The part "Extend" of the page Change: adds entries, by the tokens that they save on texts, or for given words."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QHeaderView, QPushButton, QTreeWidgetItem

from tokenarium.analyses.extend_inputs import EXTEND_FIELDS
from tokenarium.models.text.piece import counted, percent
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.icons import icon
from tokenarium.style.theme import GRID, PAGE_MARGIN
from tokenarium.views.kept import Kept, kept_fields
from tokenarium.views.page_program import page_program
from tokenarium.views.text_choice import NO_TEXT, TEXT
from tokenarium.views.vocabulary_finding_part import FindingPart
from tokenarium.views.workspace import Page
from tokenarium.widgets.analysis.field_control import control_of
from tokenarium.widgets.file_dialogs import ask_file
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.panel import named
from tokenarium.widgets.text.bounded_field import set_line
from tokenarium.widgets.vocabulary.changing_table import ChangingTable
from tokenarium.widgets.vocabulary.suggested_table import SuggestedTable
from tokenarium_core import TokenariumError
from tokenarium_core.models import BytePairEncoder, CharacterBpe

if TYPE_CHECKING:
    from tokenarium.models.tokenizers.extended import ExtendRequest, Suggestions
    from tokenarium.models.training.store import Trained

ENTRIES, CHANGING, REFUSED = range(3)
"""The indices of the views."""

HEADS = ("Word", "Why it cannot be one token")
WORD, REASON = range(2)

WORD_FILES = "Text (*.txt);;All files (*)"

TEXTS_IMPORTS = "from tokenarium_core.changing.extending import Extension"

TEXTS_PROGRAM = """
extension = Extension(TOKENIZER, COUNT, TEXTS_READ)
extension.run()
rows = [{"id": one.id, "entry": one.piece, "times": one.count, "saved": one.saved} for one in extension.added]
wider = extension.tokenizer()
"""

WORDS_IMPORTS = "from tokenarium_core.changing.extending import extend_with"

WORDS_PROGRAM = """
wider = extend_with(TOKENIZER, WORDS)
first = len(TOKENIZER.vocabulary)
rows = [{"id": id, "entry": wider.vocabulary.piece(id)} for id in range(first, len(wider.vocabulary))]
"""


class ExtendPart(FindingPart):
    """The texts and the number of entries, or words; a table of what each entry saves; and the new tokenizer."""

    title = "Extend"
    ending = "extended"
    about = "Makes a new tokenizer with the ticked entries, and adds it to the library"
    texts_title = "Texts to continue with"
    texts_about = "The texts on which the training continues"
    find_title = "Suggest"
    find_about = "Finds entries to add, and what each of them saves"
    stopped = "You stopped it."
    view_titles = ("Entries to add", "Texts that change", "Words that cannot be")

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._found: Suggestions | None = None
        self._asked: tuple[object, ...] = ()  # the settings of the result
        self._refused: tuple[tuple[str, str], ...] = ()  # the words in the table
        self.controls: dict[str, Any] = {
            field.name: control_of(field, self.wish_changed, self)
            for field in EXTEND_FIELDS
            if field.title
        }
        self.count_field, self.words = (control.widget for control in self.controls.values())
        self.count_field.setMinimumWidth(12 * GRID)
        self.words.setMaxLength(100_000)
        self.words.setMinimumWidth(30 * GRID)
        self.file_button = named(
            QPushButton(icon("folder-open"), "From a file …"),
            "Take words from a file",
            "Takes the words from a text file with one on each line, with its space in front if it has one",
        )
        self.file_button.clicked.connect(self._ask_for_file)
        self.table = SuggestedTable()
        self.changing_table = ChangingTable()
        self.refused_table = FlatTree("Words that cannot be one token", HEADS, left=PAGE_MARGIN)
        heads = self.refused_table.header()
        heads.resizeSection(WORD, 28 * GRID)
        heads.setSectionResizeMode(REASON, QHeaderView.ResizeMode.Stretch)
        self.arrange_views(
            (self.texts, self.count_field, self.words, self.file_button, self.find_button),
            self.table,
            self.changing_table,
            self.refused_table,
        )
        self.texts.changed.connect(self.wish_changed)
        self.table.ticked.connect(self._ticked)
        self.session.text_changed.connect(self._text_changed)

    def keeps(self) -> Iterable[Kept]:
        return (
            self.texts.kept("extend_texts"),
            *kept_fields(self.controls),
            self.kept_names("extend_names"),
            self.kept_views("extend_view"),
            self.kept_result("extend_suggested"),
        )

    # The settings.

    @property
    def result(self) -> Suggestions | None:
        """The entries that were found for the current settings."""
        return self._found if self._asked == self._wish() else None

    def _wish(self) -> tuple[object, ...]:
        item = self._item
        tokenizer = item.tokenizer if item is not None else None
        words = self.words.text().strip()
        place = self.texts.place
        text = self.session.text if place == TEXT else ""
        return (tokenizer, place, self.texts.sources, self.count_field.value(), words, text)

    @property
    def chosen(self) -> tuple[bytes, ...]:
        """The bytes of the suggested entries that have a tick."""
        entries = self.result.entries if self.result is not None else ()
        return tuple(one.piece for one in entries if one.id not in self.table.left_out)

    def _ask_for_file(self) -> None:
        name = ask_file("words", self, "A file with a word on each line", WORD_FILES)
        if name:
            set_line(self.words, f"@{os.path.abspath(name)}")

    def _ticked(self) -> None:
        self._made = ""
        self.summary.setText(self.idle_summary())
        self.make_button.setEnabled(bool(self.chosen))

    def _text_changed(self) -> None:
        if self.texts.place == TEXT and not self.busy and self.isVisible():
            self.refresh()

    def _request(self, item: LibraryItem, name: str = "", folder: str = "") -> ExtendRequest | None:
        """Returns the settings; shows why and returns None if there are none."""
        from tokenarium.models.tokenizers.extended import ExtendRequest, names_file, words_of

        if item.tokenizer is None:
            return None
        try:
            words = words_of(self.words.text(), item.tokenizer)
        except TokenariumError as error:
            self.refuse(str(error))
            return None
        evidence = self.texts.usage()
        if not words and names_file(self.words.text()):
            self.refuse("The file has no words.")
            return None
        if not words and not evidence:
            self.refuse(NO_TEXT)
            return None
        count = self.count_field.value()
        return ExtendRequest(
            item.source, item.pattern, item.name, evidence, count, words, name, folder
        )

    # The work.

    def finding(
        self, item: LibraryItem
    ) -> tuple[Callable[..., object], object, Callable[[Suggestions], None]] | None:
        from tokenarium.models.tokenizers.extended import suggestions_of

        wish, request = self._wish(), self._request(item)
        if request is None:
            return None

        def take(found: Suggestions) -> None:
            self._found, self._asked = found, wish
            self.table.left_out.clear()
            self._show_refused(found.refused)
            if found.refused and not found.entries:
                self.views.setCurrentIndex(REFUSED)

        return suggestions_of, request, take

    def making(
        self, item: LibraryItem, name: str, folder: str
    ) -> tuple[Callable[..., Trained], object] | None:
        from tokenarium.models.tokenizers.extended import make_extended

        request = self._request(item, name, folder)
        if request is None:
            return None
        if self.table.left_out and self.result is not None:
            request = replace(request, pieces=self.chosen)
        return make_extended, request

    def made_of(self, trained: Trained) -> str:
        refused = trained.settings["extend"]["refused"]
        without = f"; without {counted(refused, 'word')} that cannot be one token, see Suggest"
        return f"{super().made_of(trained)}{without if refused else ''}"

    # Display.

    @property
    def can_make(self) -> bool:
        return self.result is None or bool(self.chosen)

    def show_result(self) -> None:
        found = self.result
        self.table.show_entries(found)
        self.changing_table.show_texts(found.changing if found is not None else ())
        self._show_refused(found.refused if found is not None else ())

    def _show_refused(self, refused: tuple[tuple[str, str], ...]) -> None:
        """Lists words with the reasons, and offers the list only if there are any."""
        if refused is not self._refused:
            self._refused = refused
            self.refused_table.clear()
            rows = [QTreeWidgetItem(list(one)) for one in refused]
            for row in rows:
                row.setToolTip(REASON, row.text(REASON))
            self.refused_table.addTopLevelItems(rows)
        if not refused and self.views.currentIndex() == REFUSED:
            self.views.setCurrentIndex(ENTRIES)
        self.views.setTabVisible(REFUSED, bool(refused))

    def missing(self) -> tuple[str, str] | None:
        found, view = self.result, self.views.currentIndex()
        if found is None and self._problem:
            return "Nothing was found", self._problem
        if found is None:
            return (
                "Which entries would save most?",
                "Choose texts and press Suggest: the training continues from the current entries. Or type words to make one token each.",
            )
        if view == CHANGING and not found.changing:
            return (
                "None of these texts change",
                "They keep all their ids: none of them contains a new entry.",
            )
        if view == ENTRIES and not found.entries:
            others = "The other words are" if found.refused else "These words are"
            return "Nothing to add", f"{others} one token each already."
        return None

    def summary_of(self, item: LibraryItem) -> str:
        found = self.result
        if found is not None and found.changing and self.views.currentIndex() == CHANGING:
            return self._said_of_changes(found)
        if found is None:
            return f"New entries of {item.name} get new ids: all old ones stay, and a text changes only where it gets a new one."
        if found.refused and self.views.currentIndex() == REFUSED:
            rest = "the others can be added" if found.entries else "there is nothing to add"
            return f"These words are left out, each for the reason beside it; {rest}."
        noun = counted(len(found.entries), "entry", "entries")
        if self.table.left_out:
            steps = " and the steps to them" if self._merges else ""
            return f"{len(self.chosen):,} of {noun} have a tick: only these are added{steps}, each as one token."
        if not found.tokens:
            steps_only = sum(not one.wanted for one in found.entries)
            more = f", {steps_only:,} of which are only steps to the words" if steps_only else ""
            left_out = (
                f" {counted(len(found.refused), 'word')} cannot be one token and will be left out."
                if found.refused
                else ""
            )
            return f"{noun} for these words{more}.{left_out}"
        share = percent(found.saved / max(found.tokens, 1))
        said = f"{noun}: {found.saved:,} of {found.tokens:,} tokens fewer on {self.texts.title} ({share})."
        return f"{said} {found.report}".strip()

    def _said_of_changes(self, found: Suggestions) -> str:
        """Returns the changes in the texts.

        Texts without a new entry change only if the model uses the longest match.
        """
        without = sum(not one.has_new for one in found.changing)
        if without:
            noun = counted(without, "text")
            return f"{noun} of these would get different ids without a new entry: look at them before you add the words."
        first = "The most frequent words" if found.tokens else "The first lines"
        return f"{first} of {self.texts.title} whose ids change, each with a new entry: all others keep theirs."

    @property
    def _merges(self) -> bool:
        """Whether an entry may need intermediate entries."""
        item = self._item
        tokenizer = item.tokenizer if item is not None else None
        return tokenizer is not None and isinstance(
            tokenizer.model, (BytePairEncoder, CharacterBpe)
        )

    def lines(self) -> list[list[str]]:
        if self.views.currentIndex() == CHANGING:
            return self.changing_table.lines()
        if self.views.currentIndex() == REFUSED:
            return [list(HEADS), *map(list, self._refused)] if self._refused else []
        return self.table.lines()

    def python(self) -> str:
        from tokenarium.models.tokenizers.extended import words_of

        item = self._item
        if item is None or item.tokenizer is None or self.result is None:
            return ""
        try:
            words: list[str] | list[bytes] = list(words_of(self.words.text(), item.tokenizer))
        except TokenariumError:  # its file is gone
            words = list(self.chosen)
        if self.table.left_out or self.result.refused:
            words = list(self.chosen)
            if not words:
                return ""
        if words:
            return page_program(
                self.session, self.title, WORDS_IMPORTS, WORDS_PROGRAM, front=item, words=words
            )
        return self.program_of_texts(
            TEXTS_IMPORTS, TEXTS_PROGRAM, self.session.text, count=self.count_field.value()
        )
