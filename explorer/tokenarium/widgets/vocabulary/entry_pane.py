"""The details of an entry of a vocabulary: how it is made, what is made from it, and more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QToolButton, QWidget

from tokenarium.models.merges.playback import Node
from tokenarium.models.text.piece import SentenceToken, byte_numbers, readable
from tokenarium.models.text.qt_text import as_tip, on_button
from tokenarium.models.text.segmentation import token_colour
from tokenarium.models.vocabulary.entry_details import Ancestry
from tokenarium.style.fonts import HEADING_SIZE, mono_font, ui_font
from tokenarium.style.icons import icon
from tokenarium.style.theme import CARD_MARGIN, GRID, Identity
from tokenarium.widgets.keyboard import ArrowGroup
from tokenarium.widgets.layouts import FlowLayout, in_column, in_row
from tokenarium.widgets.painting import SentenceLabel
from tokenarium.widgets.panel import MarkerChip, literal, named, secondary, strong
from tokenarium.widgets.players.merge_tree import MergeTree
from tokenarium_core.explaining.vocabulary_entries import words_in

BUTTON_HEIGHT = 3 * GRID


@dataclass(frozen=True, slots=True)
class Link:
    """A link to an entry: the text of its button, the tooltip, and its id."""

    text: str
    tip: str
    token: int


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another tokenizer, and its id for the same bytes (-1: none)."""

    key: str
    name: str
    identity: Identity
    token: int


@dataclass(frozen=True, slots=True)
class EntryDetails:
    """The contents of the pane; ``texts`` and ``notes`` are those of the nodes of the trees, by id."""

    token: int
    piece: bytes
    surface: str
    about: str
    ancestry: Ancestry
    texts: dict[int, str]
    notes: dict[int, str]
    links: Sequence[tuple[str, Sequence[Link], int]]
    elsewhere: Sequence[Elsewhere]
    part_query: str


class EntryPane(QScrollArea):
    """Shows `EntryDetails`, with buttons for other entries."""

    entry_picked = Signal(int)
    other_picked = Signal(str, int)  # the key of a tokenizer, an id
    query_wanted = Signal(object)  # a str
    occurrence_wanted = Signal(int)  # 1 for the next, -1 for the previous one

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("The entry")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.head = SentenceLabel()
        self.head.setFont(ui_font(HEADING_SIZE))
        self.about = secondary(QLabel(wordWrap=True))
        self.bytes = secondary(QLabel(wordWrap=True))
        self.bytes.setFont(mono_font())
        self.bytes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.trees: list[MergeTree] = []
        self._areas: list[QScrollArea] = []  # of the trees
        self.count = literal(QLabel())
        self.previous = _button("", "Previous occurrence in the text")
        self.next = _button("", "Next occurrence in the text")
        self.previous.setIcon(icon("caret-left"))
        self.next.setIcon(icon("caret-right"))
        self.links: list[QToolButton] = []
        self._body = QWidget(autoFillBackground=True)
        self._body.setBackgroundRole(QPalette.ColorRole.Base)
        line = in_row((self.count, 1), self.previous, self.next, spacing=GRID // 2)
        self._rows = in_column(
            self.head,
            self.about,
            self.bytes,
            line,
            into=self._body,
            spacing=GRID // 2,
            margins=(CARD_MARGIN, GRID, CARD_MARGIN, GRID),
        )
        self._fixed = self._rows.count()
        self._rows.addStretch(1)
        self._parts: list[QWidget] = []
        self.setWidget(self._body)
        self.previous.clicked.connect(lambda: self.occurrence_wanted.emit(-1))
        self.next.clicked.connect(lambda: self.occurrence_wanted.emit(1))
        self._group([self.previous, self.next], self)

    def show_entry(self, details: EntryDetails) -> None:
        """Shows a new entry."""
        self.head.say(
            (SentenceToken(readable(details.piece), details.token), f"  id {details.token}")
        )
        self.about.setText(details.about)
        self.bytes.setText(byte_numbers(details.piece, 64))
        for part in self._parts:
            self._rows.removeWidget(part)
            part.setParent(None)
            part.deleteLater()
        self._parts, self._areas, self.links, self.trees = [], [], [], []
        self._add_ancestry(details)
        for title, links, count in details.links:
            self._add_links(title, links, count, details.part_query if count else "")
        self._add_elsewhere(details.elsewhere)
        self.verticalScrollBar().setValue(0)

    def show_occurrences(self, sentence: str, some: bool) -> None:
        """Shows how often the entry occurs in the text."""
        self.count.setText(sentence)
        for button in (self.previous, self.next):
            button.setEnabled(some)

    def _group(self, buttons: Sequence[QToolButton], parent: QWidget) -> None:
        """Makes some buttons a single Tab stop."""
        group = ArrowGroup(buttons, parent)
        group.reached.connect(self.ensureWidgetVisible)

    def _add(self, widget: QWidget) -> None:
        self._rows.insertWidget(self._fixed + len(self._parts), widget)
        self._parts.append(widget)
        widget.show()  # at once: Qt would only show it in a later turn of the event loop

    def _title(self, text: str) -> None:
        label = strong(QLabel(text, wordWrap=True))
        label.setContentsMargins(0, GRID, 0, 0)
        self._add(label)

    def _add_ancestry(self, details: EntryDetails) -> None:
        self._title("How it is made")
        for way in details.ancestry.ways[:4]:
            tree = MergeTree()
            tree.set_words(
                lambda node: details.texts.get(
                    node.id, readable(details.piece[node.start : node.end])
                ),
                lambda node: details.notes.get(node.id, f"{node.rank:,}") if node.below else "",
                lambda node: _told(node, details),
                lambda node: token_colour(max(node.id, 0)),
                lambda node: words_in(details.piece[node.start : node.end]) > 1,
            )
            tree.show_trees([way], [len(way.nodes)])
            tree.picked.connect(self._pick)
            area = QScrollArea()
            area.setFrameShape(QScrollArea.Shape.NoFrame)
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setWidget(tree)
            area.viewport().setBackgroundRole(QPalette.ColorRole.Base)
            self.trees.append(tree)
            self._areas.append(area)
            self._add(area)
        self._fit_trees()
        if details.ancestry.note:
            label = secondary(QLabel(details.ancestry.note, wordWrap=True))
            self._add(label)

    def _fit_trees(self) -> None:
        """Makes trees as wide as the pane, smaller if necessary; only very wide ones scroll."""
        margins = self._rows.contentsMargins()
        room = self.viewport().width() - margins.left() - margins.right()
        for tree, area in zip(self.trees, self._areas, strict=True):
            tree.fit_into(room)
            bar = area.horizontalScrollBar().sizeHint().height()
            area.setFixedHeight(tree.height() + (bar if tree.width() > room else 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_trees()

    def _pick(self, token: int) -> None:
        if token >= 0:
            self.entry_picked.emit(token)

    def _add_links(self, title: str, links: Sequence[Link], count: int, query: str) -> None:
        if not links:
            return
        self._title(title)
        row = QWidget()
        flow = FlowLayout(row, GRID // 2)
        first = len(self.links)
        for link in links:
            button = _button(link.text, link.tip)
            button.clicked.connect(lambda _=False, token=link.token: self.entry_picked.emit(token))
            self.links.append(button)
            flow.addWidget(button)
        if query and count > len(links):
            button = _button(f"All {count:,} …", "Shows them in the table")
            button.clicked.connect(lambda: self.query_wanted.emit(query))
            self.links.append(button)
            flow.addWidget(button)
        self._group(self.links[first:], row)
        self._add(row)

    def _add_elsewhere(self, others: Sequence[Elsewhere]) -> None:
        if not others:
            return
        self._title("The same bytes in other tokenizers")
        first = len(self.links)
        for other in others:
            row = QWidget()
            line = in_row(
                MarkerChip(other.identity), (literal(QLabel(other.name)), 1), into=row, spacing=GRID
            )
            if other.token < 0:
                line.addWidget(secondary(QLabel("no entry")))
            else:
                button = _button(f"id {other.token}", f"Shows it in {other.name}")
                go = partial(self.other_picked.emit, other.key, other.token)
                button.clicked.connect(lambda _=False, go=go: go())
                self.links.append(button)
                line.addWidget(button)
            self._add(row)
        self._group(self.links[first:], row)


def _told(node: Node, details: EntryDetails) -> str:
    shown = readable(details.piece[node.start : node.end])
    if node.id < 0:
        return f"{shown}: no entry by itself"
    note = details.notes.get(node.id, "")
    origin = f"score {note}" if note else f"the merge of rank {node.rank:,} makes it"
    origin_text = f", {origin}" if node.below else ""
    return f"{shown}: id {node.id}{origin_text}. A click shows it."


def _button(text: str, tip: str) -> QToolButton:
    button = named(QToolButton(), tip, as_tip(tip))
    button.setText(on_button(text))
    button.setFixedHeight(BUTTON_HEIGHT)
    return button
