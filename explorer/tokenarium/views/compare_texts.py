"""The page Two texts of the workspace Compare: two texts against each other, by all tokenizers that are on."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHeaderView,
    QLabel,
    QMenu,
    QTreeWidgetItem,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.compare.two_texts import (
    EXAMPLES,
    FORMS,
    HEADS,
    OtherForm,
    PairCount,
    lost_sentence,
    pair_cells,
    pair_chart,
    pair_count,
    pair_csv,
    pair_sentence,
    text_size,
)
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import SIGN, is_doubtful, lost_spans, size_of
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.style.fonts import READING_SIZE, SMALL_SIZE, TEXT_SIZE, mono_font, ui_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN, Theme
from tokenarium.views.decks import Deck
from tokenarium.views.kept import Kept, kept_value
from tokenarium.views.page_program import page_program
from tokenarium.views.workspace import SOON_MS, Page, Workspace, column, soon
from tokenarium.widgets.areas import CardArea
from tokenarium.widgets.charts.bar_plot import BarPlot
from tokenarium.widgets.flat_table import ROW_HEIGHT, FlatTree
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import CardFrame, ElidedLabel, literal, menu_button, named, secondary
from tokenarium.widgets.text.token_field import TokenField

MOST = 20_000
"""The most characters of a text that are compared: more would slow down typing. The command line takes any text."""

NARROW = 90 * GRID
"""Pixels: on a narrower page, the texts are below each other."""

SHOWN_IDS = 400


IMPORTS = """
from tokenarium.models.compare.two_texts import pair_count, pair_csv, text_size
from tokenarium.models.programs import rows_of
"""

PROGRAM = """
counts = [
    pair_count(name, tokenizer, FIRST, SECOND, SPECIAL, ADD_BOS, ADD_EOS)
    for name, tokenizer in TOKENIZERS.items()
]
rows = rows_of(pair_csv(counts, text_size(FIRST), text_size(SECOND)))
"""


class _Side(CardFrame):
    """One of the texts: its field, its size, and the ids of the tokenizer in front."""

    def __init__(self, name: str, page: TextPairPage) -> None:
        super().__init__()
        self.field = named(TokenField(READING_SIZE), f"Text {name}")
        self.field.setPlaceholderText(f"Text {name}")
        self.field.setFixedHeight(19 * GRID)
        self.size_line = secondary(ElidedLabel())
        self.count = literal(QLabel())
        self.count.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.ids = secondary(ElidedLabel())
        self.ids.setFont(mono_font(SMALL_SIZE))
        title = QLabel(name)
        title.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        head = in_row(title, (self.size_line, 1), self.count, spacing=GRID)
        in_column(head, self.field, self.ids, into=self, spacing=GRID, margins=(16, 12, 16, 10))

    def write(self, text: str) -> None:
        """Replaces the text, which the field can undo."""
        self.field.replace(text)

    @property
    def text(self) -> str:
        """The part of the text that is compared."""
        return self.field.toPlainText()[:MOST]


class TextPairPage(Page):
    """Two fields with the tokens in them, a sentence, a row for each tokenizer, and bars."""

    id = "texts"
    title = "Two texts"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.sides = (_Side("A", self), _Side("B", self))
        self.examples = named(QComboBox(), "Examples", "Example texts")
        for example in EXAMPLES:
            self.examples.addItem(example.title)
        self.swap = GlyphButton("Swap", "arrows-left-right")
        self.swap.setToolTip("Swaps texts A and B")
        menu = QMenu(self)
        for form in FORMS.values():
            menu.addAction(form.title).triggered.connect(lambda _=False, it=form: self._make(it))
        menu.addAction("The text of the window").triggered.connect(
            lambda: self.sides[1].write(self.session.text_map.part(0, MOST))
        )
        self.make = menu_button("Make B of", "Makes text B of text A", menu)
        self.sentence = literal(QLabel(wordWrap=True))
        self.note = secondary(QLabel(wordWrap=True))
        self.table = FlatTree("Tokens of both texts", HEADS)
        self.table.setAllColumnsShowFocus(True)
        header = self.table.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for place in range(1, len(HEADS)):
            self.table.headerItem().setTextAlignment(place, right)
        self.bars = BarPlot("Tokens of both texts")
        self.bars.problem.connect(self.session.problem)
        self.bars.saved.connect(self.session.requests.tell_saved)
        self.counts: list[PairCount] = []
        self._soon = soon(self, self.compare, SOON_MS)
        self._build()
        self._connect()
        self.show_example(0)

    def _build(self) -> None:
        head = in_row(self.examples, self.make, STRETCH, self.swap, spacing=GRID)
        self._texts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._texts.setSpacing(2 * GRID)
        for side in self.sides:
            self._texts.addWidget(side, 1)
        body = QWidget()
        margins = (PAGE_MARGIN, CARD_MARGIN, PAGE_MARGIN, CARD_MARGIN)
        in_column(
            head, self._texts, self.sentence, self.note, self.table, self.bars,
            into=body, spacing=12, margins=margins,
        )  # fmt: skip
        self.area = CardArea()
        self.area.put(0, body)
        self._pages = self.fill(column(self.area, grows=self.area))

    def _connect(self) -> None:
        session = self.session
        for side in self.sides:
            side.field.textChanged.connect(self._soon.start)
        self.examples.activated.connect(self.show_example)
        self.swap.clicked.connect(self.swap_texts)
        for signal in (
            session.tokenizers_changed, session.current_changed, session.special_changed,
        ):  # fmt: skip
            signal.connect(self._soon.start)
        self.appearance.changed.connect(self._soon.start)

    # The texts.

    def show_texts(self, first: str, second: str) -> None:
        """Compares two other texts."""
        self.sides[0].write(first)
        self.sides[1].write(second)
        self.compare()

    def show_example(self, place: int) -> None:
        """Shows one of the examples."""
        self.examples.setCurrentIndex(place)
        self.show_texts(EXAMPLES[place].first, EXAMPLES[place].second)

    def swap_texts(self) -> None:
        """Swaps texts A and B."""
        first, second = (side.field.toPlainText() for side in self.sides)
        self.show_texts(second, first)

    def _make(self, form: OtherForm) -> None:
        made = form.make(self.sides[0].text)
        if made is None:
            self.session.problem.emit(form.fault)
        else:
            self.sides[1].write(made)
            self.compare()

    # The comparison.

    def compare(self) -> None:
        """Counts the tokens of both texts now; a hidden page waits until it is shown."""
        self._soon.stop()
        if not self.isVisible():
            return
        items = [item for item in self.session.chosen() if item.tokenizer is not None]
        if not items:
            self.say_no_tokenizer()
        self._pages.setCurrentIndex(0 if items else 1)
        texts = [side.text for side in self.sides]
        sizes = [text_size(text) for text in texts]
        session = self.session
        self.counts, shown, faults = [], [], []
        for item in items:
            assert item.tokenizer is not None
            name, ends = session.short_name(item), (session.add_bos, session.add_eos)
            try:
                count = pair_count(name, item.tokenizer, texts[0], texts[1], session.special, *ends)
            except tc.TokenariumError as error:
                faults.append(f"{name}: {error}")
                continue
            self.counts.append(count)
            shown.append(item)
        cut = any(len(side.field.toPlainText()) > MOST for side in self.sides)
        notes = [f"Only the first {MOST:,} characters of a text are compared here."] if cut else []
        said = [*notes, *faults, *filter(None, [lost_sentence(self.counts)])]
        self.note.setText("\n".join(said))
        self.note.setVisible(bool(said))
        for side, size in zip(self.sides, sizes, strict=True):
            side.size_line.setText(size.sentence())
        self._show_front(session.current)
        self.sentence.setText(pair_sentence(self.counts))
        self.table.clear()
        theme = self.appearance.theme
        for count, item in zip(self.counts, shown, strict=True):
            row = QTreeWidgetItem(pair_cells(count, *sizes))
            row.setIcon(0, marker_icon(theme.identity(item.identity)))
            row.setToolTip(0, as_tip(item.name))
            for place in range(1, len(HEADS)):
                row.setTextAlignment(
                    place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                )
            self.table.addTopLevelItem(row)
        rows = len(self.counts)
        self.table.setFixedHeight((rows + 1) * ROW_HEIGHT + 2 * GRID)
        self.bars.set_source(
            FigureSource(" ".join(self._described(n) for n in range(2)), code=self.python)
        )
        self.bars.show_chart(
            pair_chart(self.counts, [item.identity for item in shown]), "No tokens"
        )
        self.bars.setFixedHeight(min(max(26, 12 + 3 * rows), 60) * GRID)

    def _described(self, place: int) -> str:
        """Returns which text it is, for a caption."""
        text = " ".join(self.sides[place].text.split())
        return f"Text {'AB'[place]}: “{text[:60]}{'…' * (len(text) > 60)}”."

    def _show_front(self, item: LibraryItem | None) -> None:
        """Paints the tokens of the tokenizer in front into both fields."""
        session = self.session
        for side in self.sides:
            parts, lost, count, ids = TextParts.empty(), None, "", ""
            if item is not None and item.tokenizer is not None:
                ends = item.tokenizer.ends.chosen(session.add_bos, session.add_eos)
                try:
                    encoding = item.tokenizer.encode(side.text, session.special)
                except tc.TokenariumError:
                    side.field.show_tokens(parts)
                    continue
                found = array_of(encoding.ids)
                parts = TextParts.of_tokens(
                    found, array_of(encoding.spans), (), superword_ids(item.tokenizer)
                )
                utf8 = side.text.encode("utf-8", "surrogatepass")
                lost = lost_spans(item.tokenizer, utf8, encoding)
                doubtful = is_doubtful(size_of(lost) / max(len(utf8), 1))
                whole = encoding if ends is None else encoding.with_ends(ends)
                numbers = array_of(whole.ids)[:SHOWN_IDS].tolist()
                sign = f"{SIGN} " if doubtful else ""
                count = f"{sign}{len(whole.ids):,} by {session.short_name(item)}"
                ids = f"[{', '.join(map(str, numbers))}]"
            side.field.show_tokens(parts, lost)
            side.count.setText(count)
            side.ids.setText(ids)

    # Queries of the window.

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_value("example", str, self.examples.currentText, self._name_example),
            kept_value(
                "texts",
                tuple[str, str],
                lambda: [side.text for side in self.sides],
                lambda texts: self.show_texts(*texts),
            ),
        )

    def _name_example(self, title: str) -> None:
        """Shows the name of an example; its texts may have been changed."""
        place = self.examples.findText(title)
        if place < 0:
            raise ValueError
        self.examples.setCurrentIndex(place)

    def lines(self) -> list[list[str]]:
        if not self.counts:
            return []
        sizes = [text_size(side.text) for side in self.sides]
        return [list(HEADS), *(pair_cells(count, *sizes) for count in self.counts)]

    def deck(self, theme: Theme) -> Deck | None:
        from tokenarium.views.figure_decks import TextPairDeck

        texts = [side.text for side in self.sides]
        return TextPairDeck(self.session, texts, self.counts, theme) if self.counts else None

    def python(self) -> str:
        session, names = self.session, {one.name for one in self.counts}
        items = [item for item in session.chosen() if session.short_name(item) in names]
        if not items:
            return ""
        return page_program(
            session,
            self.title,
            IMPORTS,
            PROGRAM,
            items=items,
            first=self.sides[0].text,
            second=self.sides[1].text,
            special=session.special,
            add_bos=session.add_bos,
            add_eos=session.add_eos,
        )

    def as_csv(self) -> str:
        sizes = [text_size(side.text) for side in self.sides]
        return pair_csv(self.counts, *sizes) if self.counts else ""

    @property
    def busy(self) -> bool:
        return self._soon.isActive() and self.isVisible()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.compare()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        self._texts.setDirection(ways.LeftToRight if self.width() >= NARROW else ways.TopToBottom)

    def focus_first(self) -> None:
        self.sides[0].field.setFocus()
