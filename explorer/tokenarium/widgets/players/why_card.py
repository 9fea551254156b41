"""The answer to why a string is not one token: the string, its tokens, a sentence, its prefixes, the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from tokenarium.models.merges.playback import NO_PIECE, Symbol
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.merges.why_finding import Beginning, Fact, Finding, longest_entry
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.piece import as_read, counted, readable
from tokenarium.models.text.qt_text import on_button
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.style.cuts import tile_cuts
from tokenarium.style.fonts import (
    HEADING_SIZE,
    LESSON_SIZE,
    READING_SIZE,
    SMALL_SIZE,
    TEXT_SIZE,
    mono_font,
    reading_font,
    ui_font,
)
from tokenarium.style.icons import icon, paint_icon
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID, Identity
from tokenarium.style.themed import Themed
from tokenarium.widgets.glyph_button import GlyphButton
from tokenarium.widgets.layouts import STRETCH, FlowLayout, in_column, in_row
from tokenarium.widgets.painting import PaintedPart, SentenceLabel
from tokenarium.widgets.panel import (
    UNBOUNDED,
    ElidedLabel,
    FlatButton,
    named,
    secondary,
    small_heading,
)
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.token_tiles import ShownTile, TokenTiles

WORD_SIZE = 40
"""Pixels of the string in question."""

SHOWN = 80
"""The most tokens that are painted; the note under the string gives the number of all."""

NARROW = 560
"""Pixels: a narrower card stacks its columns."""

REASONS = 3
"""The most reasons that are shown."""


class WhyTab(NamedTuple):
    """A tokenizer: its key, name and identity, and the string's number of tokens, or -1 while unknown."""

    key: str
    name: str
    identity: Identity
    tokens: int


class WhyCard(QWidget):
    """Shows the `Finding` of one of several tokenizers, which are its tabs."""

    tab_chosen = Signal(str)  # the key of a tokenizer
    play_wanted = Signal()
    put_wanted = Signal()
    like_wanted = Signal()
    picture_wanted = Signal()
    near_picked = Signal(object)  # a str: Qt would take a byte order mark from it
    menu_requested = Signal(QPoint, int)  # a place on the screen, an id

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding: Finding | None = None
        self._shown_tabs: list[WhyTab] = []
        self.title = _Title()
        self.tabs = named(Segmented(), "Tokenizers")
        self.tabs.setIconSize(QSize(14, 14))
        self.tabs.chosen.connect(self._choose)
        self.box = named(QComboBox(), "Tokenizer")
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.box.activated.connect(self._choose)
        self.close_button = named(FlatButton(), "Close the card", "Close (Esc)")
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.word = named(ElidedLabel(), "The string")
        self.word.setMinimumHeight(54)
        self.line = secondary(ElidedLabel())
        self.tokens = TokenTiles(56, 24)
        self.tokens.menu_requested.connect(self._ask_for_menu)
        self.verdict = _Verdict()
        self.sentence = self.verdict.label
        self.beginnings_title = small_heading("Prefixes of increasing length")
        self.beginnings = BeginningsRow()
        self.reasons = _Reasons()
        self.play = GlyphButton("Play the merges", "play", "primary")
        self.play.setToolTip("Shows the steps of this tokenizer, at the deciding one")
        self.like = GlyphButton("Find similar entries", "magnifying-glass")
        self.like.setToolTip("Shows the entries of the vocabulary that begin the same way")
        self.picture = GlyphButton("Copy as picture", "image", "ghost")
        self.note = secondary(QLabel("The text is not split like this anywhere."))
        self.put = QPushButton("Use as the whole text")
        self.put.setToolTip("Replaces the text with this string; undo in the text brings it back")
        self.near: list[QToolButton] = []
        self._near = QWidget()
        self._near_row = FlowLayout(self._near, GRID)
        self._near_title = secondary(QLabel("Similar, and one token:"))
        self._near_title.setMinimumHeight(28)
        self._near_row.addWidget(self._near_title)
        self._build()

    def _build(self) -> None:
        self.play.clicked.connect(self.play_wanted)
        self.put.clicked.connect(self.put_wanted)
        self.like.clicked.connect(self.like_wanted)
        self.picture.clicked.connect(self.picture_wanted)
        self.close_button.setIcon(icon("x"))
        self.close_button.setFixedSize(28, 28)
        self.close_button.hide()
        self._head = in_row(
            self.title, STRETCH, self.tabs, self.box, self.close_button, spacing=GRID
        )
        words = QWidget()
        in_column(self.word, self.line, into=words)
        self._top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._top.setSpacing(3 * GRID)
        self._top.addWidget(words, 1)
        self._top.addWidget(self.tokens, 0, Qt.AlignmentFlag.AlignVCenter)
        self.buttons = QWidget()
        in_row(self.play, self.like, STRETCH, self.picture, into=self.buttons, spacing=GRID)
        self._offer = QWidget()
        in_row(self.note, self.put, STRETCH, into=self._offer, spacing=GRID)
        self._ways = QWidget()
        in_column(self.beginnings_title, 6, self.beginnings, into=self._ways)
        in_column(
            self._head,
            self._top,
            self.verdict,
            self._ways,
            self.reasons,
            self._near,
            self._offer,
            self.buttons,
            STRETCH,
            into=self,
            spacing=12,
        )
        self.offer_to_put(False)

    # Which tokenizer.

    def show_tabs(self, tabs: Sequence[WhyTab], chosen: str) -> None:
        """Shows the tokenizers, with the chosen one as the current tab."""
        before = self._shown_tabs
        self._shown_tabs = list(tabs)
        texts = [tab.name if tab.tokens < 0 else f"{tab.name}  {tab.tokens:,}" for tab in tabs]
        place = next((n for n, tab in enumerate(tabs) if tab.key == chosen), 0)
        if [(tab.key, tab.identity) for tab in before] != [(tab.key, tab.identity) for tab in tabs]:
            with QSignalBlocker(self.tabs):
                while self.tabs.count():
                    self.tabs.removeTab(0)
                self.box.clear()
                for tab, text in zip(tabs, texts, strict=True):
                    self.tabs.addTab(marker_icon(tab.identity, 14), text)
                    self.box.addItem(marker_icon(tab.identity), text)
        for number, text in enumerate(texts):
            if self.tabs.tabText(number) != text:  # each lays out all of them
                self.tabs.setTabText(number, text)
                self.box.setItemText(number, text)
        self.tabs.choose(place)
        self.box.setCurrentIndex(place)
        self._fit()

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self._shown_tabs):
            self.tab_chosen.emit(self._shown_tabs[place].key)

    # The answer.

    def show_finding(self, finding: Finding, others: Sequence[Fact] = ()) -> None:
        """Shows a new answer; ``others`` are the answers of the other tokenizers."""
        self.finding = finding
        self._show_word(finding)
        self.sentence.say((finding.error,) if finding.error else finding.sentence)
        self.verdict.set_good(finding.is_one)
        self.title.label.setText("Why is it one token?" if finding.is_one else "Why not one token?")
        self._show_tokens(finding)
        self.beginnings.show_beginnings(finding.beginnings)
        self._ways.setVisible(len(finding.beginnings) > 1)
        own = list(finding.facts)
        room = max(REASONS - len(others), 1 if own else 0)
        self.reasons.show_facts([*own[:room], *others][:REASONS])
        self.play.setVisible(bool(finding.tokens))
        self.like.setVisible(bool(finding.beginnings))
        self.offer_to_put(False)
        self._show_near(finding)
        self._fit()

    def _show_word(self, finding: Finding) -> None:
        text = finding.question.text
        bare = as_read(text.encode("utf-8", "replace"), 120)
        self.word.setText(isolated(bare))
        size = WORD_SIZE if len(bare) <= 24 else 28 if len(bare) <= 60 else READING_SIZE
        self.word.setFont(reading_font(size))
        data = finding.question.end - finding.question.start
        parts = [counted(len(text), "character"), counted(data, "byte")]
        space = "with the space before it " if text.startswith(" ") and text.strip() else ""
        count = sum(len(word) for word in finding.touched)
        more = f" · the first {SHOWN} of {count:,} tokens" if count > SHOWN else ""
        self.line.setText(f"{space}{', '.join(parts)}{more}")

    def _show_tokens(self, finding: Finding) -> None:
        tiles = word_tiles(finding.run, finding.touched) if finding.run is not None else []
        self.tokens.show_tiles(tiles[:SHOWN])
        self.tokens.setVisible(bool(tiles))

    def _ask_for_menu(self, point: QPoint, number: int) -> None:
        note = self.tokens.tiles[number].note
        if note:
            self.menu_requested.emit(point, int(note))

    def offer_to_put(self, offer: bool = True) -> None:
        """Says that the text has no such place, and offers to use the string as the text."""
        self._offer.setVisible(offer)
        self.put.setVisible(offer)
        if offer:
            self.put.setFocus()

    def _show_near(self, finding: Finding) -> None:
        for button in self.near:
            self._near_row.removeWidget(button)
            button.setParent(None)
            button.deleteLater()
        self.near = []
        for similar in finding.near:
            button = QToolButton()
            button.setText(
                on_button(f"{isolated(readable(similar.text.encode(), 40))}  {similar.token}")
            )
            button.setFixedHeight(28)
            button.setToolTip(
                f"{similar.how[:1].upper()}{similar.how[1:]} it is one token, id {similar.token}"
            )
            button.setAccessibleName(f"Ask about it {similar.how}")
            button.clicked.connect(lambda _=False, text=similar.text: self.near_picked.emit(text))
            self.near.append(button)
            self._near_row.addWidget(button)
            button.show()
        self._near.setVisible(bool(self.near))

    @property
    def controls(self) -> list[QWidget]:
        """The widgets that take the focus, in Tab order."""
        return [
            self.tabs,
            self.box,
            self.tokens,
            *self.near,
            self.put,
            self.play,
            self.like,
            self.picture,
        ]

    # Layout.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Puts the tokens under the string if they do not fit next to it; tabs that do not fit become a list."""
        room = self.width()
        wide = sum(self.tabs.tabSizeHint(index).width() for index in range(self.tabs.count()))
        few = wide + self.title.sizeHint().width() + 6 * GRID <= room
        self.tabs.setVisible(few and self.tabs.count() > 0)
        self.box.setVisible(not few)
        word = QFontMetricsF(self.word.font()).horizontalAdvance(self.word.text())
        beside = word + self.tokens.full_width + 5 * GRID <= room
        ways = QBoxLayout.Direction
        self._top.setDirection(ways.LeftToRight if beside else ways.TopToBottom)
        self._top.setSpacing(3 * GRID if beside else GRID)
        self.tokens.set_right(beside)
        wide = round(self.tokens.full_width) + 4
        self.tokens.setMinimumWidth(wide if beside else 0)
        self.tokens.setMaximumWidth(wide if beside else UNBOUNDED)
        self.picture.setVisible(room >= 420)
        self.reasons.fit(room)


class _Title(QWidget):
    """The question, with its icon, in the accent colour."""

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel("Why not one token?")
        self.label.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.label.setForegroundRole(QPalette.ColorRole.Accent)
        in_row(22, self.label, into=self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        square = QRectF(0, self.height() / 2 - 8, 16, 16)
        paint_icon(painter, square, "question", self.palette().accent().color())
        painter.end()


class _Verdict(Themed, QWidget):
    """One sentence with its own background."""

    def __init__(self) -> None:
        super().__init__()
        self._good = False
        self.label = SentenceLabel()
        self.label.setFont(ui_font(HEADING_SIZE))
        in_column(self.label, into=self, margins=(18, 12, 18, 12))

    def set_good(self, good: bool) -> None:
        """Paints the background for a right answer."""
        self._good = good
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.good_ground if self._good else self.theme.wash)
        painter.drawRoundedRect(QRectF(self.rect()), 10, 10)
        painter.end()


class _Reasons(QWidget):
    """Up to three reasons side by side, each with an icon."""

    def __init__(self) -> None:
        super().__init__()
        self._facts: Sequence[Fact] = ()
        self.labels: list[SentenceLabel] = []
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Shows new reasons."""
        self._facts = facts
        while (item := self._row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        self.labels = []
        for fact in facts:
            reason = _Reason(fact)
            self.labels.append(reason.label)
            self._row.addWidget(reason, 1, Qt.AlignmentFlag.AlignTop)
        self.setVisible(bool(facts))

    def fit(self, width: int) -> None:
        """Puts the reasons side by side, or one below the other in a narrow card."""
        narrow = width < NARROW
        ways = QBoxLayout.Direction
        self._row.setDirection(ways.TopToBottom if narrow else ways.LeftToRight)
        self._row.setSpacing(GRID if narrow else 3 * GRID)


class _Reason(Themed, QWidget):
    """One reason: an icon and a sentence."""

    def __init__(self, fact: Fact) -> None:
        super().__init__()
        self._icon = fact.icon
        self.label = SentenceLabel()
        self.label.setFont(ui_font(LESSON_SIZE))
        self.label.say((f"{fact.label} ", *fact.sentence) if fact.label else fact.sentence)
        in_row(28, (self.label, 1), into=self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_icon(painter, QRectF(0, 1, 18, 18), self._icon, self.theme.accent)
        painter.end()


BOX_HEIGHT = 56.0
BOX_GAP = 6.0
LEAST_BOX = 64.0
MOST_BOX = 168.0


class BeginningsRow(PaintedPart):
    """The prefixes of a string in boxes: entries with their ids, and the prefixes after the longest one.

    If there is little room, only the longest entry, the prefix after it and the whole string stay.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Prefixes of increasing length")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(round(BOX_HEIGHT))
        self.shown: Sequence[Beginning] = ()

    def show_beginnings(self, beginnings: Sequence[Beginning]) -> None:
        """Shows new prefixes."""
        self.shown = beginnings
        sentences = [
            f"{readable(beginning.piece)} {'is no entry' if beginning.token < 0 else f'id {beginning.token}'}"
            for beginning in beginnings
        ]
        self.setAccessibleDescription(", ".join(sentences))
        self.update()

    def placed(self, width: float) -> list[tuple[Beginning | None, QRectF]]:
        """Returns the boxes for a width, from left to right; None stands for omitted boxes."""
        count = len(self.shown)
        if not count:
            return []
        metrics = QFontMetricsF(reading_font(READING_SIZE - 2))
        sizes = [
            min(max(metrics.horizontalAdvance(readable(one.piece)) + 24, LEAST_BOX), MOST_BOX)
            for one in self.shown
        ]
        longest = longest_entry(self.shown)
        candidates = [
            longest,
            longest + 1,
            count - 1,
            longest - 1,
            longest + 2,
            longest - 2,
            longest + 3,
        ]
        candidates += [*range(longest - 3, -1, -1), *range(longest + 4, count)]
        chosen: set[int] = set()
        for place in candidates:
            if not 0 <= place < count or place in chosen:
                continue
            tried = sorted({*chosen, place})
            gaps = sum(b - a > 1 for a, b in zip([-1, *tried], tried, strict=False))
            needed = sum(sizes[window] + BOX_GAP for window in tried) + gaps * 22
            if needed > width + BOX_GAP and chosen:
                break
            chosen.add(place)
        boxes: list[tuple[Beginning | None, QRectF]] = []
        x, before = 0.0, -1
        for place in sorted(chosen):
            if place - before > 1:
                boxes.append((None, QRectF(x, 0, 16, BOX_HEIGHT)))
                x += 22
            size = min(sizes[place], width - x)
            boxes.append((self.shown[place], QRectF(x, 0, size, BOX_HEIGHT)))
            x += size + BOX_GAP
            before = place
        return boxes

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        theme = self.theme
        longest = longest_entry(self.shown)
        text, note = reading_font(READING_SIZE - 2), mono_font(SMALL_SIZE)
        metrics = QFontMetricsF(text)
        centre = Qt.AlignmentFlag.AlignCenter
        for one, rect in self.placed(self.width()):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if one is None:
                painter.setPen(theme.dim)
                painter.drawText(rect, centre, "…")
                continue
            box = rect.adjusted(1, 1, -1, -1)
            if one.token < 0:
                painter.setPen(QPen(theme.strong, 1, Qt.PenStyle.DashLine))
            else:
                last = longest >= 0 and one is self.shown[longest]
                painter.setPen(QPen(theme.good if last else theme.line, 2 if last else 1))
                painter.setBrush(theme.good_ground)
            painter.drawRoundedRect(box, 8, 8)
            painter.setFont(text)
            painter.setPen(theme.dim if one.token < 0 else theme.ink)
            shown = metrics.elidedText(
                readable(one.piece), Qt.TextElideMode.ElideMiddle, box.width() - 12
            )
            painter.drawText(QRectF(box.left(), box.top() + 5, box.width(), 28), centre, shown)
            painter.setFont(note)
            painter.setPen(theme.dim)
            under = QRectF(box.left(), box.top() + 33, box.width(), 16)
            painter.drawText(under, centre, "none" if one.token < 0 else str(one.token))


def word_tiles(run: TraceRun, words: Sequence[Sequence[Symbol]]) -> list[ShownTile]:
    """Returns a tile for each token of some words."""
    tiles: list[ShownTile] = []
    unknown = text_loss(run.tokenizer).unknown
    for word in words:
        for number, symbol in enumerate(word):
            piece = run.data[symbol.start : symbol.end]
            known = symbol.id != NO_PIECE
            left, right = tile_cuts(piece)
            colour = token_colour(symbol.id) + TOKEN_COLOURS // 2 * (len(tiles) % 2)
            note = superword_note(run.tokenizer.vocabulary, symbol.id)
            tiles.append(
                ShownTile(
                    readable(piece, 40),
                    str(symbol.id) if known else "",
                    colour if known else -1,
                    left,
                    right,
                    note,
                    superword=bool(note),
                    apart=number == 0,
                    lost=known and bool(unknown[symbol.id]),
                )
            )
    return tiles
