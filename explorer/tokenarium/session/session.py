"""The state of the app: the text, the tokenizers, and their encodings of the text.

Views read it, call it, and listen to one signal per kind of change; they never call each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from tokenarium.models.files import trials_folder
from tokenarium.models.text.code_text import LOOKED_AT, is_code, is_pasted
from tokenarium.models.text.edited_encoding import is_taken_over
from tokenarium.models.text.grapheme_edges import GraphemeEdges
from tokenarium.models.text.graphemes import GraphemeJob
from tokenarium.models.text.piece import NumberBase
from tokenarium.models.text.text_file import TextFileError, refuse_text
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, LibraryModel, State
from tokenarium.models.tokenizers.trials import Trials
from tokenarium.session.encodings import EncodingStatus, TextEncodings
from tokenarium.session.figures import FigureChoice
from tokenarium.session.library_edits import LibraryEdits
from tokenarium.session.requests import Requests
from tokenarium.session.tokenizer_sets import TokenizerSets
from tokenarium.work.jobs import Jobs
from tokenarium.work.opener import Opener
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.session.trainings import Trainings

Span = tuple[int, int]
"""A range of bytes of the text's UTF-8: the first byte, and the one after the last."""

Annotations = Literal["none", "ids", "bytes"]


OPENING_TEXT = "open text"
"""The key of the job that prepares a large text."""

MOST_POINTED = 16
"""How many recently current tokenizers are remembered: when one is closed, the previous one becomes current again."""

MOST_UNDO_BYTES = 200_000_000
"""The most bytes of replaced texts kept for undo; a larger text replaces all earlier changes."""

GRAPHEMES_AFTER_MS = 120
"""Milliseconds after the last keystroke until graphemes are computed: they take longer than tokens."""


class Session(QObject):
    """Text, library, selection, hover and encodings of one window."""

    text_changed = Signal()
    text_replaced = Signal()  # after text_changed: if the text was replaced, not edited
    selection_changed = Signal()
    hover_changed = Signal()
    special_changed = Signal()
    tokenizers_changed = Signal()  # which tokenizers are chosen, or their order
    current_changed = Signal()
    display_changed = Signal()
    graphemes_changed = Signal()
    patterns_changed = Signal()
    encoding_changed = Signal(str)  # the key of the tokenizer
    problem = Signal(str)  # a sentence to show; empty: the previous one is no longer true

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.requests = Requests(self)
        self.figures = FigureChoice(self)
        self.library = LibraryModel(self)
        self.edits = LibraryEdits(self.library, self)
        self.sets = TokenizerSets(self.edits, self)
        self.edits.changed.connect(self.tokenizers_changed)
        self.edits.wanted.connect(self._take_up)
        self.jobs = Jobs(self)
        self.downloads_allowed = True
        self.weights: dict[str, str] = {}
        """The files of models' weights that were chosen, by the keys of tokenizers."""
        self._text_map = TextMap("")
        self.text_is_code = False
        """Whether the text looked like code when it was set; typing does not change this."""
        self._title = ""
        self._file = ""
        self._undo_bytes = 0  # of the texts that undo would bring back
        self._selection: Span | None = None
        self._hover: Span | None = None
        self._special: Literal["none", "all"] = "none"
        self._add_bos = self._add_eos = False
        self._show_whitespace = True
        self._annotations: Annotations = "none"
        self._pointed: list[str] = []  # keys of tokenizers that were current, the last one first
        self._encodings = TextEncodings(self.jobs, self)
        self._encodings.changed.connect(self.encoding_changed)
        self._encodings.cut_short.connect(self.problem)
        self.edits.dropped.connect(self._encodings.forget)
        self._patterns: tuple[str, ...] = ()
        self._own_pattern = ""
        self._grapheme_edges: GraphemeEdges | None = None
        self._graphemes_soon = QTimer(self)
        self._graphemes_soon.setSingleShot(True)
        self._graphemes_soon.setInterval(GRAPHEMES_AFTER_MS)
        self._graphemes_soon.timeout.connect(self._find_graphemes)
        self.opener = Opener(self.library, self)
        self.opener.opened.connect(self._take_opened)
        self.trials = Trials(trials_folder())
        self.opener.trying.connect(self._note_trial)
        self.encoding_changed.connect(self._end_trial)

    # The text, the selection and the hover.

    @property
    def text(self) -> str:
        """The text that all tokenizers split."""
        return self._text_map.text

    @property
    def has_text(self) -> bool:
        """Whether the text is not empty; `text` itself may have to be joined."""
        return self._text_map.byte_count > 0

    @property
    def text_map(self) -> TextMap:
        """The map between the text's characters and bytes."""
        return self._text_map

    @property
    def title(self) -> str:
        """The name of the text: of a sample or a file; empty for what the user wrote."""
        return self._title

    @property
    def file(self) -> str:
        """The path of the file of the text; empty for a sample, and for a text that the user wrote or changed."""
        return self._file

    def set_text(self, text: str, edited: bool = False, title: str = "") -> None:
        """Replaces the text, which can be undone; clears selection and hover; all chosen tokenizers encode it.

        ``edited``: the text was edited, so views keep their position, and the text field has the undo. ``title``: its
        name. A different text that is too large to be shown is rejected with a sentence; nothing changes.
        """
        if text != self.text:
            if not edited:
                try:
                    refuse_text(text)
                except TextFileError as error:
                    self.problem.emit(str(error))
                    return
            text_map = self._text_map.edited(text) if edited else TextMap(text)
            self.show_text(text_map, edited, title)

    def take_edit(self, text_map: TextMap) -> None:
        """Shows the text after an edit in the text field, which has the undo."""
        if text_map is not self._text_map:
            self.show_text(text_map, edited=True)

    def show_text(
        self, text_map: TextMap, edited: bool = False, title: str = "", file: str = ""
    ) -> None:
        """Like `set_text`, for a map that may already be prepared, as a large one should be; ``file`` has the text."""
        before, former, was_in = self._text_map, self._title, self._file
        if edited or not before.byte_count or before.has_text_of(text_map):
            self._show_text(text_map, edited, title, file)
            return
        self._undo_bytes += before.byte_count
        if self._undo_bytes > MOST_UNDO_BYTES:
            self.edits.undo_stack.clear()
            self._undo_bytes = before.byte_count
        self.edits.change(
            "the text",
            lambda: self._show_text(text_map, title=title, file=file),
            lambda: self._show_text(before, title=former, file=was_in),
        )

    def _show_text(
        self, text_map: TextMap, edited: bool = False, title: str = "", file: str = ""
    ) -> None:
        self._title, self._file = title, file
        if not edited:
            self.jobs.cancel(OPENING_TEXT)  # the last request counts
        if not edited or is_pasted(self._text_map, text_map):
            self.text_is_code = is_code(text_map.part(0, LOOKED_AT + 1))
        self._text_map = text_map
        self._encodings.clear(edited)
        self._grapheme_edges = None
        self.jobs.cancel("graphemes")
        self._graphemes_soon.start()
        for item in self._in_turn():
            self._encode(item)
        had_selection, self._selection = self._selection is not None, None
        had_hover, self._hover = self._hover is not None, None
        self.text_changed.emit()
        if not edited:
            self.text_replaced.emit()
        for item in self.chosen():
            self.encoding_changed.emit(item.key)
        if had_selection:
            self.selection_changed.emit()
        if had_hover:
            self.hover_changed.emit()

    @property
    def grapheme_edges(self) -> GraphemeEdges | None:
        """Where graphemes of the text end; None while they are computed."""
        return self._grapheme_edges

    def _find_graphemes(self) -> None:
        if self.encodes_much:
            self._graphemes_soon.start()
            return
        work = GraphemeJob(self._text_map)

        def take(progress: Progress) -> None:
            if progress.finished:
                self._grapheme_edges = work.edges
                self.graphemes_changed.emit()

        self.jobs.start("graphemes", "Finding graphemes", work, take, lambda error: None)

    @property
    def selection(self) -> Span | None:
        """The selected bytes."""
        return self._selection

    def select(self, start: int, end: int) -> None:
        """Selects bytes in all views; an empty range selects nothing."""
        span = (start, end) if end > start else None
        if span != self._selection:
            self._selection = span
            self.selection_changed.emit()

    @property
    def hover(self) -> Span | None:
        """The bytes under the pointer."""
        return self._hover

    def point_at(self, start: int, end: int) -> None:
        """Highlights bytes in all views; an empty range highlights nothing."""
        span = (start, end) if end > start else None
        if span != self._hover:
            self._hover = span
            self.hover_changed.emit()

    @property
    def focus(self) -> Span | None:
        """What the inspector shows: the selected bytes, or else those under the pointer."""
        return self._selection or self._hover

    # The tokenizers.

    def chosen(self) -> list[LibraryItem]:
        """Returns the tokenizers that are on and open, in the order of the library."""
        return [item for item in self.library if item.on and item.tokenizer is not None]

    def short_name(self, item: LibraryItem) -> str:
        """Returns a short name of a tokenizer that is on: its model's, if no other has the same."""
        name = item.model_name
        alike = sum(other.model_name == name for other in self.chosen())
        return name if name and alike == 1 else item.name

    @property
    def current(self) -> LibraryItem | None:
        """The tokenizer that commands apply to: the last current one that is open, or else the first."""
        chosen = self.chosen()
        by_key = {item.key: item for item in chosen}
        pointed = (by_key[key] for key in self._pointed if key in by_key)
        return next(pointed, chosen[0] if chosen else None)

    def set_current(self, key: str) -> None:
        """Makes a tokenizer the current one."""
        if self._pointed[:1] != [key]:
            self._pointed = [key, *(one for one in self._pointed if one != key)][:MOST_POINTED]
            self.current_changed.emit()

    def fill_library(self, items: Iterable[LibraryItem]) -> None:
        """Puts the first items into the library; this cannot be undone."""
        for item in items:
            self.library.insert(item, self.library.neighbours(item))
            if item.on:
                self.opener.open_soon(item)
        self.tokenizers_changed.emit()

    def retry(self, key: str) -> None:
        """Tries again to open a tokenizer that was missing or failed, and turns it on."""
        item = self.library.item(key)
        if item is not None and item.state is not State.OPEN:
            self.library.set_on(item, True)
            self.opener.open_soon(item)

    @cached_property
    def trainings(self) -> Trainings:
        """The trainings; their code is loaded at first use."""
        from tokenarium.session.trainings import Trainings
        from tokenarium_core.formats.registered import store_folder

        trainings = Trainings(self.edits, store_folder(), self)
        trainings.changed.connect(self.requests.refresh_menus)
        trainings.problem.connect(self.problem)
        return trainings

    @property
    def trains(self) -> bool:
        """Whether a training runs."""
        return "trainings" in self.__dict__ and self.trainings.running is not None

    @property
    def will_train(self) -> bool:
        """Whether a training begins after the check of its corpus."""
        return "trainings" in self.__dict__ and self.trainings.waits_for_check

    def stop(self) -> None:
        """Ends all running work, as when the window closes."""
        if "trainings" in self.__dict__:
            self.trainings.stop_all()
        self.opener.stop()
        self.jobs.cancel_all()
        self._encodings.stop()
        self.trials.close()

    @property
    def opening(self) -> bool:
        """Whether tokenizers still wait to be opened."""
        return self.opener.busy

    def _take_up(self, item: LibraryItem) -> None:
        if item.tokenizer is None:
            self.opener.open_soon(item)
        else:
            self._encode(item)

    def _note_trial(self, item: LibraryItem) -> None:
        if item.group is not LibraryGroup.SHIPPED:
            self.trials.begin(item.key)

    def _end_trial(self, key: str) -> None:
        """Notes that a tokenizer works once it is open and has encoded all of the text, or is off."""
        item = self.library.item(key)
        encoded = self.encoded(key)
        if item is None or not item.on or (encoded is not None and encoded.complete):
            self.trials.end(key)

    def _take_opened(self, item: LibraryItem, problem: str) -> None:
        removed = self.library.item(item.key) is not item  # in the meantime
        self.edits.settle(item, opened=not problem)
        if removed:
            self.trials.end(item.key)
            return
        if problem:
            self.problem.emit(f"{item.display_name} cannot be opened. {problem}")
        elif item.on:
            self._encode(item)
        self._end_trial(item.key)
        self.tokenizers_changed.emit()

    # Display of the text.

    def _set(self, name: str, value: object, changed: SignalInstance) -> None:
        if getattr(self, name) != value:
            setattr(self, name, value)
            changed.emit()

    @property
    def show_whitespace(self) -> bool:
        """Whether spaces, line ends and control characters are made visible."""
        return self._show_whitespace

    def set_show_whitespace(self, show: bool) -> None:
        """Makes spaces, line ends and control characters visible, or not."""
        self._set("_show_whitespace", show, self.display_changed)

    @property
    def decimal(self) -> bool:
        """Whether bytes and code points are written in decimal instead of hexadecimal."""
        return NumberBase.decimal

    def set_decimal(self, decimal: bool) -> None:
        """Writes bytes and code points in decimal, or in hexadecimal."""
        if decimal != NumberBase.decimal:
            NumberBase.decimal = decimal
            self.display_changed.emit()

    @property
    def annotations(self) -> Annotations:
        """What is shown under each token."""
        return self._annotations

    def set_annotations(self, annotations: Annotations) -> None:
        """Chooses what is shown under each token."""
        self._set("_annotations", annotations, self.display_changed)

    @property
    def patterns(self) -> tuple[str, ...]:
        """What splits the text in Pre-tokens: names of patterns, and keys of tokenizers."""
        return self._patterns

    def set_patterns(self, names: Iterable[str]) -> None:
        """Chooses what splits the text in Pre-tokens."""
        self._set("_patterns", tuple(names), self.patterns_changed)

    @property
    def own_pattern(self) -> str:
        """The pattern that the user is writing."""
        return self._own_pattern

    def set_own_pattern(self, pattern: str) -> None:
        """Changes the pattern that the user is writing."""
        self._set("_own_pattern", pattern, self.patterns_changed)

    # Encoding.

    @property
    def special(self) -> Literal["none", "all"]:
        """Whether special tokens in the text are plain text ("none") or recognized ("all")."""
        return self._special

    def set_special(self, special: Literal["none", "all"]) -> None:
        """Treats special tokens as plain text ("none") or recognizes them ("all")."""
        if special == self._special:
            return
        self._special = special
        self.special_changed.emit()
        for item in self.chosen():
            self._encode(item)
            self.encoding_changed.emit(item.key)

    @property
    def add_bos(self) -> bool:
        """Whether the id of the beginning is put before a text, for tokenizers that have one."""
        return self._add_bos

    @property
    def add_eos(self) -> bool:
        """Whether the id of the end is put after a text, for tokenizers that have one."""
        return self._add_eos

    def set_ends(self, add_bos: bool, add_eos: bool) -> None:
        """Puts the ids of the beginning and the end around a text, or not; see `tokenarium_core.TextEnds`."""
        if (add_bos, add_eos) == (self._add_bos, self._add_eos):
            return
        self._add_bos, self._add_eos = add_bos, add_eos
        self.special_changed.emit()
        for item in self.chosen():
            self._encode(item)
            self.encoding_changed.emit(item.key)

    def expect_large_text(self) -> None:
        """Prepares to encode a large text, which is still being read."""
        self._encodings.expect_large()

    def encode_ahead(self, text_map: TextMap) -> None:
        """Begins to encode a large text that will be shown, or goes on with it: call it again and again until then."""
        if self._encodings.goes_ahead(text_map):
            tokenizers = [item.tokenizer for item in self._in_turn() if item.tokenizer is not None]
            self._encodings.encode_ahead(text_map, self._special, tokenizers)

    def forget_ahead(self) -> None:
        """Ends what `encode_ahead` began: the text will not be shown."""
        self._encodings.forget_ahead()

    def _in_turn(self) -> list[LibraryItem]:
        """The chosen tokenizers, the current one first, then the fastest, so that most are there at once."""
        current = self.current
        chosen = sorted(self.chosen(), key=lambda item: not is_taken_over(item.tokenizer))
        return sorted(chosen, key=lambda item: item is not current)

    @property
    def encodes_much(self) -> bool:
        """Whether a large text is being encoded, for which other work on all of it should wait."""
        return self._encodings.busy

    def encoded(self, key: str) -> EncodingStatus | None:
        """Returns what a tokenizer has made of the text so far."""
        return self._encodings.of(key)

    def _encode(self, item: LibraryItem) -> None:
        ends = item.tokenizer.ends.chosen(self._add_bos, self._add_eos) if item.tokenizer else None
        front = item is self.current
        self._encodings.encode(item, self._text_map, self._special, front, ends)
