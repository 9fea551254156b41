"""The welcome page: a field that holds tokens, ways to begin, questions, and the usual tokenizers to get."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDropEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QWidget

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import lost_spans
from tokenarium.models.text.piece import counted
from tokenarium.models.text.segmentation import TextParts
from tokenarium.models.tokenizers.library import LibraryItem, State, megabytes
from tokenarium.models.tokenizers.offers import key_of
from tokenarium.resources.catalogue_index import usual_offers
from tokenarium.resources.parallel_index import load_translations
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance
from tokenarium.style.fonts import (
    DISPLAY_SIZE,
    HEADING_SIZE,
    LESSON_SIZE,
    TEXT_SIZE,
    ui_font,
)
from tokenarium.style.icons import paint_icon
from tokenarium.style.shapes import paint_card, paint_marker
from tokenarium.style.theme import CARD_GAP, CARD_RADIUS, GRID
from tokenarium.widgets.drops import accept_copy, local_files
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.mark import MarkView
from tokenarium.widgets.panel import secondary
from tokenarium.widgets.text.token_field import TokenField
from tokenarium.widgets.welcome_cards import (
    WelcomeCard,
    draw_costs,
    draw_curves,
    draw_merge,
    draw_strips,
)
from tokenarium.widgets.welcome_guide import WelcomeGuide

USUAL = tuple(key_of(offer) for offer in usual_offers())
"""The keys of the six tokenizers that are offered together."""

MOST = 5_000
"""Characters of the field that are split into tokens at each keystroke."""

WIDEST = 1_268
"""Pixels: the page is not wider than this."""

ROOMY = 780
"""Pixels of height from which the pictures are large."""


class WelcomePage(QScrollArea):
    """The page; it emits where to go, and the window follows."""

    left = Signal(str)  # "see", "merge", "compare", "train", or "text" with what was typed
    files_dropped = Signal(list)  # of Path

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        fetch: Callable[[str], object],
        open_file: QAction,
        shortcuts: QAction,
        first_text: str,
        questions: Sequence[str],
    ) -> None:
        """``first_text``: the initial text of the field. ``questions`` are answered by lessons."""
        super().__init__()
        self.setAccessibleName("Welcome")
        self._session = session
        self._appearance = appearance
        self._fetch = fetch
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAcceptDrops(True)
        name, about = QLabel("Tokenarium"), secondary(QLabel())
        name.setFont(ui_font(DISPLAY_SIZE, QFont.Weight.Bold))
        about.setText("An explorer for tokenizers. Nothing you type leaves this computer.")
        about.setFont(ui_font(LESSON_SIZE))
        about.setWordWrap(True)
        self.mark = MarkView(62)
        title = in_column(name, about)
        self.field = TokenField()
        self.field.setAccessibleName("A text to see as tokens")
        self.field.setPlaceholderText("Type here, or drop a file")
        self.count = QLabel()
        self.enter = GlyphButton("See all tokenizers", "arrow-right", "ghost")
        self.enter.setToolTip("Takes this text to Tokens (Enter)")
        self.enter.clicked.connect(lambda: self.left.emit("text"))
        self._card = _FieldCard(appearance)
        hint = secondary(QLabel("Type here, or drop a file"))
        foot = in_row(_Glyph("pencil-simple"), hint, STRETCH, self.count, self.enter, spacing=GRID)
        in_column((self.field, 1), foot, into=self._card, spacing=GRID, margins=(28, 20, 20, 10))
        self.cards = [
            WelcomeCard(
                "See a text as tokens",
                "Paste anything. Several tokenizers split it, one below the other.",
                "Start with a sample",
                draw_strips,
            ),
            WelcomeCard(
                "Watch a word being built",
                "Step through the merges that make a token, with their ranks.",
                "Play “unbelievable”",
                draw_merge,
            ),
            WelcomeCard(
                "See what languages cost",
                f"The same sentences in {len(load_translations())} languages, with intervals.",
                "Open Compare",
                draw_costs,
            ),
            WelcomeCard(
                "Train your own",
                "BPE, SuperBPE and Unigram on your files; watch them learn.",
                "Train in a minute",
                draw_curves,
            ),
        ]
        for card, where in zip(self.cards, ("see", "merge", "compare", "train"), strict=True):
            card.clicked.connect(lambda _=False, where=where: self.left.emit(where))
        self._grid = QGridLayout()
        self._grid.setSpacing(CARD_GAP + 2)
        self.guide = WelcomeGuide(questions)
        self.usual = UsualSix(session, appearance, fetch)
        self.open_file = GlyphButton("Open a tokenizer file", "folder-open", "quiet")
        self.open_file.follow(open_file)
        self.shortcuts = GlyphButton("Shortcuts", "keyboard", "quiet").follow(shortcuts)
        body = QWidget()
        body.setMaximumWidth(WIDEST)
        in_column(
            in_row(self.mark, (title, 1), spacing=2 * GRID),
            20,
            self._card,
            CARD_GAP + 10,
            self._grid,
            CARD_GAP + 10,
            self.guide,
            CARD_GAP + 10,
            self.usual,
            STRETCH,
            GRID,
            in_row(STRETCH, self.open_file, self.shortcuts, spacing=GRID),
            into=body,
        )
        middle = QWidget()
        self._outer = in_row(STRETCH, (body, 100), STRETCH, into=middle)
        self.setWidget(middle)
        self.field.write(first_text)
        self._typed = False
        self._columns = 0
        self.field.textChanged.connect(self._take)
        self.field.installEventFilter(self)
        session.tokenizers_changed.connect(self._show_tokens)
        session.current_changed.connect(self._show_tokens)
        self._show_tokens()
        self._fit()

    @property
    def text(self) -> str:
        """The typed text; empty as long as the field has its first text."""
        return self.field.toPlainText() if self._typed else ""

    def write(self, text: str) -> None:
        """Puts a text into the field as if it was typed: it can be undone."""
        self.field.replace(text)

    def focus_first(self) -> None:
        """Puts the focus on the field."""
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take(self) -> None:
        self._typed = True
        self._show_tokens()

    def _show_tokens(self) -> None:
        """Splits the text of the field with the tokenizer in front."""
        current = self._session.current
        text = self.field.toPlainText()
        if current is None or current.tokenizer is None or len(text) > MOST:
            self.field.show_tokens(TextParts.empty())
            self.count.setText("")
            return
        try:
            encoding = current.tokenizer.encode(text)
        except tc.TokenariumError:
            self.field.show_tokens(TextParts.empty())
            self.count.setText("")
            return
        ids = array_of(encoding.ids)
        lost = lost_spans(current.tokenizer, text.encode("utf-8", "surrogatepass"), encoding)
        self.field.show_tokens(TextParts.of_tokens(ids, array_of(encoding.spans)), lost)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setText(f"{counted(len(ids), 'token')} in {current.name}")

    # The room.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        width, low = self.width(), self.height() < ROOMY
        columns = 4 if width >= 1040 else 2 if width >= 540 else 1
        if columns != self._columns:
            self._columns = columns
            for index, card in enumerate(self.cards):
                self._grid.addWidget(card, index // columns, index % columns)
            for column in range(4):
                self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for card in self.cards:
            card.set_low(low)
        self._card.setFixedHeight(152 if width >= 1040 else 184)
        side = 48 if width >= 1040 else 20
        self._outer.setContentsMargins(side, 36 if not low else 16, side, 16)

    # Keys and files.

    def eventFilter(self, watched: object, event: object) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QKeyEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if watched is self.field and enter and not event.modifiers():
                self.left.emit("text")
                return True
        return False

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if local_files(event.mimeData()):
            accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        accept_copy(event)
        self.files_dropped.emit(local_files(event.mimeData()))


class _FieldCard(QWidget):
    """The card around the field, with the border of a field."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.strong, 1))
        painter.setBrush(theme.surface)
        edge = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(edge, CARD_RADIUS, CARD_RADIUS)
        painter.end()


class _Glyph(QWidget):
    """An icon next to a sentence."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setFixedSize(18, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = self.palette().placeholderText().color()
        paint_icon(painter, QRectF(1, 1, 16, 16), self._name, colour)
        painter.end()


class UsualSix(QWidget):
    """Six well-known tokenizers to download with one button; hidden when all of them are here."""

    def __init__(
        self, session: Session, appearance: Appearance, fetch: Callable[[str], object]
    ) -> None:
        super().__init__()
        self._session = session
        self._appearance = appearance
        self._fetch = fetch
        self.title, self.sentence = QLabel("Get the usual six"), secondary(QLabel())
        self.title.setFont(ui_font(HEADING_SIZE, QFont.Weight.DemiBold))
        self.sentence.setWordWrap(True)
        self._chips = QWidget()
        flow = FlowLayout(self._chips, GRID)
        self.chips = [_UsualChip(appearance, item) for item in self._items()]
        for chip in self.chips:
            flow.addWidget(chip)
        self.button = GlyphButton("Get all six", "download-simple", "primary")
        self.button.clicked.connect(self._get)
        words = in_column(self.title, self.sentence, spacing=2)
        in_row(
            (words, 1),
            (self._chips, 2),
            (self.button, 0, Qt.AlignmentFlag.AlignVCenter),
            into=self,
            spacing=20,
            margins=(22, 16, 22, 16),
        )
        session.library.dataChanged.connect(self.refresh)
        self.refresh()

    def _items(self) -> list[LibraryItem]:
        items = (self._session.library.item(key) for key in USUAL)
        return [item for item in items if item is not None]

    def _missing(self) -> list[LibraryItem]:
        return [item for item in self._items() if item.state in (State.MISSING, State.FAILED)]

    def refresh(self) -> None:
        """Shows which tokenizers are still missing."""
        missing = self._missing()
        coming = [item for item in self._items() if item.state is State.FETCHING]
        self.setVisible(bool(missing or coming))
        size = sum(item.total for item in missing)
        if coming:
            received = sum(item.received for item in coming)
            total = sum(item.total for item in coming)
            self.sentence.setText(f"{megabytes(received)} of {megabytes(total)} downloaded.")
        else:
            self.sentence.setText(
                f"Downloaded from their owners, hashes checked, about {megabytes(size)}, once."
            )
        whole = len(missing) == len(USUAL)
        self.button.setText("Get all six" if whole else f"Get {len(missing)}")
        self.button.setAccessibleName(f"Get {counted(len(missing), 'tokenizer')}")
        self.button.setEnabled(bool(missing))
        self.button.updateGeometry()
        for chip in self.chips:
            chip.refresh()

    def _get(self) -> None:
        for item in self._missing():
            self._fetch(item.key)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_card(painter, QRectF(self.rect()), self._appearance.theme, CARD_RADIUS)
        painter.end()


class _UsualChip(QWidget):
    """The marker and the name of a tokenizer, with a check mark if it is here."""

    def __init__(self, appearance: Appearance, item: LibraryItem) -> None:
        super().__init__()
        self._appearance = appearance
        self._item = item
        self.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        name = item.model_name or item.name
        size = f", {megabytes(item.total)}" if item.total else ""
        self.setToolTip(f"{item.display_name}{size}")
        self._name = name
        self.refresh()

    def refresh(self) -> None:
        """Shows whether the tokenizer is here."""
        self._here = self._item.state not in (State.MISSING, State.FETCHING, State.FAILED)
        width = self.fontMetrics().horizontalAdvance(self._name) + (70 if self._here else 48)
        self.setFixedSize(width, 34)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, item = self._appearance.theme, self._item
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(theme.surface)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 17, 17)
        paint_marker(painter, QRectF(13, 11, 13, 13), theme.identity(item.identity))
        painter.setPen(theme.ink)
        painter.setFont(self.font())
        painter.drawText(
            self.rect().adjusted(34, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._name
        )
        if self._here:
            paint_icon(
                painter, QRectF(self.width() - 24, 9, 16, 16), "check-circle", theme.good, True
            )
        painter.end()
