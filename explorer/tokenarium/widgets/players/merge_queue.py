"""Next to the canvas of merges: the waiting pairs, the merges so far, and the cost of finding them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from tokenarium.models.merges.word_work import LazyList
from tokenarium.style.fonts import SMALL_SIZE, TEXT_SIZE, mono_font, number_font, ui_font
from tokenarium.style.icons import paint_icon
from tokenarium.style.shapes import paint_card
from tokenarium.style.theme import CARD_GAP, CARD_MARGIN, CARD_RADIUS, GRID
from tokenarium.widgets.painting import PaintedPart

WIDTH = 300
"""Pixels."""

ROW = 32.0
DONE_ROW = 42.0
"""Pixels of a waiting pair, and of a merge, which has its ids in a second line."""

IDS = 22.0
"""Pixels from the top of a merge to that line."""

HEAD = 44.0
NUMBER = 28.0
"""Pixels of the numbers before the merges."""

HEAPED = 22.0
"""Pixels of the positions in the heap."""

COUNTED = HEAD + 2 * 34
"""Pixels of the card with the examined positions."""

TIP = (
    "The number before a pair is its position in the heap. The symbols of a stale entry\n"
    "have merged with others: it is skipped when its turn comes."
)
ROOMY = 540
"""The least height in pixels that has room for it."""


@dataclass(frozen=True, slots=True)
class WaitingPair:
    """Two neighbours: their texts, their bytes, the label and the share of its bar; "": there is no such merge.

    ``middle``: the byte between them. ``place``: its position in the heap, -1 for none; ``stale``: its symbols have
    merged with others, so it is skipped when its turn comes.
    """

    left: str
    right: str
    start: int
    middle: int
    end: int
    label: str = ""
    share: float = 0.0
    next: bool = False
    place: int = -1
    stale: bool = False


@dataclass(frozen=True, slots=True)
class LookedAt:
    """How many positions two methods to find merges examined so far, for the last merge, and in all."""

    queued: int
    scanned: int
    last: tuple[int, int]
    in_all: tuple[int, int]


@dataclass(frozen=True, slots=True)
class DoneMerge:
    """A past or the next merge: the step after it, texts, the label of its rank, and its ids as in code."""

    number: int
    left: str
    right: str
    made: str
    label: str
    start: int
    end: int
    next: bool = False
    ids: str = ""


@dataclass(frozen=True, slots=True)
class QueueScene:
    """The waiting pairs, best first, and the merges in order; ``by_score``: merges are ordered by score, highest first.

    The first ``ranked`` of ``waiting`` have a merge. ``entries`` are these with the stale ones among them, in the order
    of the queue.
    """

    waiting: Sequence[WaitingPair] = ()
    ranked: int = 0
    done: Sequence[DoneMerge] = ()
    by_score: bool = False
    entries: Sequence[WaitingPair] = ()
    looked: LookedAt | None = None

    @property
    def listed(self) -> Sequence[WaitingPair]:
        """The visible waiting pairs: the entries of the queue, then the neighbours without a merge."""
        entries, waiting, ranked = self.entries, self.waiting, self.ranked
        if not entries:
            return waiting
        count = len(entries)
        return LazyList(
            count + len(waiting) - ranked,
            lambda at: entries[at] if at < count else waiting[at - count + ranked],
        )


def bar_share(rank: int, size: int) -> float:
    """Returns the length of the bar of a rank among ``size`` entries, on a log scale: 0.0 to 1.0.

    >>> [round(bar_share(rank, 100_000), 2) for rank in (0, 9, 648, 99_999)]
    [0.06, 0.25, 0.59, 1.0]
    """
    return max(0.06, min(1.0, log(rank + 2) / log(size + 1)))


class MergeQueue(PaintedPart):
    """Three cards: waiting pairs, merges, and examined positions. Pointing at a row highlights its bytes.

    A click goes to its step.
    """

    hovered = Signal(int, int)
    step_picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Waiting merges, and merges made")
        self.setToolTip(TIP)
        self.setMouseTracking(True)
        self.setFixedWidth(WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._scene = QueueScene()
        self._rows: list[tuple[QRectF, WaitingPair | DoneMerge]] = []
        self._size = QSize(WIDTH, 0)

    def show_scene(self, scene: QueueScene) -> None:
        """Shows a step."""
        self._scene = scene
        self.setAccessibleDescription(
            ", ".join(f"{pair.left} + {pair.right} {pair.label}" for pair in scene.waiting[:9])
        )
        self.update()

    @property
    def scene(self) -> QueueScene:
        """Display."""
        return self._scene

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 40 * GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(WIDTH, 0)

    def paint(self, painter: QPainter, seen: QRectF | None = None) -> None:
        self._rows = []
        height = float(self.height())
        if self._scene.looked is not None and height >= ROOMY:
            card = QRectF(0, height - COUNTED, self.width(), COUNTED)
            self._paint_looked(painter, card, self._scene.looked)
            height -= COUNTED + CARD_GAP
        needed = HEAD + max(1, len(self._scene.listed)) * ROW + GRID
        least = HEAD + 2 * ROW + GRID
        upper = max(least, min(needed, 0.55 * (height - CARD_GAP)))
        upper = min(upper, height)
        self._paint_waiting(painter, QRectF(0, 0, self.width(), upper))
        rest = QRectF(0, upper + CARD_GAP, self.width(), height - upper - CARD_GAP)
        if rest.height() >= HEAD + ROW:
            self._paint_done(painter, rest)

    def _paint_title(self, painter: QPainter, card: QRectF, title: str) -> None:
        paint_card(painter, card, self.theme, CARD_RADIUS)
        painter.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        painter.setPen(self.theme.ink)
        place = QRectF(card.left() + CARD_MARGIN, card.top(), card.width() - 2 * CARD_MARGIN, HEAD)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, title)

    def _paint_waiting(self, painter: QPainter, card: QRectF) -> None:
        theme, scene = self.theme, self._scene
        order = "highest score first" if scene.by_score else "lowest rank first"
        self._paint_title(painter, card, f"Queue, {order}")
        fits = max(1, int((card.height() - HEAD - GRID / 2) / ROW))
        listed = scene.listed
        shown = listed if len(listed) <= fits else listed[: fits - 1]
        y = card.top() + HEAD - 4
        for pair in shown:
            row = QRectF(card.left() + GRID, y, card.width() - 2 * GRID, ROW)
            self._rows.append((row, pair))
            self._paint_pair(painter, row, pair)
            y += ROW
        line = QRectF(card.left() + CARD_MARGIN, y, card.width() - 2 * CARD_MARGIN, ROW)
        painter.setFont(ui_font(SMALL_SIZE))
        painter.setPen(theme.dim)
        if len(shown) < len(listed):
            more = f"and {len(listed) - len(shown):,} more"
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, more)
        elif not listed:
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, "No pair waits.")

    def _paint_pair(self, painter: QPainter, row: QRectF, pair: WaitingPair) -> None:
        theme = self.theme
        lit = self._lit[0] <= pair.start and pair.end <= self._lit[1] and self._lit != (0, 0)
        if pair.next or lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.wash if pair.next else theme.sunken)
            painter.drawRoundedRect(row.adjusted(0, 1, 0, -1), 8, 8)
        inside = row.adjusted(GRID, 0, -GRID, 0)
        there = pair.label and not pair.stale
        colour = theme.accent if pair.next else theme.ink if there else theme.dim
        if pair.place >= 0:
            painter.setPen(theme.dim)
            painter.setFont(number_font(SMALL_SIZE))
            _draw(painter, QRectF(inside.left(), inside.top(), HEAPED, ROW), f"{pair.place}")
        if self._scene.entries:
            inside.setLeft(inside.left() + HEAPED)
        painter.setPen(colour)
        font = mono_font(TEXT_SIZE)
        font.setStrikeOut(pair.stale)
        painter.setFont(font)
        names = QRectF(inside.left(), inside.top(), 0.40 * inside.width(), inside.height())
        _draw(painter, names, f"{pair.left} + {pair.right}")
        rest = QRectF(
            names.right() + GRID, inside.top(), inside.right() - names.right() - GRID, ROW
        )
        if not pair.label:
            painter.setFont(ui_font(SMALL_SIZE))
            _draw(painter, rest, "no such merge")
            return
        if pair.stale:
            painter.setFont(ui_font(SMALL_SIZE))
            _draw(painter, rest, "stale")
            painter.setFont(number_font(TEXT_SIZE))
            painter.drawText(
                rest, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, pair.label
            )
            return
        font = number_font(TEXT_SIZE, QFont.Weight.DemiBold)
        painter.setFont(font)
        label = QFontMetricsF(font).horizontalAdvance(pair.label)
        painter.drawText(
            rest, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, pair.label
        )
        # The bars of all rows end at the same position, with room for the longest rank.
        room = max(label, QFontMetricsF(font).horizontalAdvance("000,000")) + GRID + 4
        track = QRectF(rest.left(), rest.center().y() - 3, rest.width() - room, 6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.sunken if not pair.next else theme.surface)
        painter.drawRoundedRect(track, 3, 3)
        painter.setBrush(theme.accent if pair.next else theme.strong)
        track.setWidth(track.width() * pair.share)
        painter.drawRoundedRect(track, 3, 3)

    def _paint_looked(self, painter: QPainter, card: QRectF, looked: LookedAt) -> None:
        """Paints the positions that the queue and a scan examined so far, each as a share of the greater sum."""
        theme = self.theme
        self._paint_title(painter, card, "Positions looked at")
        most = max(1, *looked.in_all)
        rows = zip(
            ("By the queue", "By scanning"),
            (looked.queued, looked.scanned),
            looked.last,
            looked.in_all,
            (theme.accent, theme.strong),
            strict=True,
        )
        y = card.top() + HEAD - 6
        for name, so_far, last, in_all, colour in rows:
            line = QRectF(card.left() + CARD_MARGIN, y, card.width() - 2 * CARD_MARGIN, 18)
            painter.setPen(theme.ink)
            painter.setFont(ui_font(SMALL_SIZE))
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, name)
            painter.setFont(number_font(SMALL_SIZE))
            text = f"{so_far:,} of {in_all:,}" + (f" · +{last:,}" if last else "")
            painter.drawText(
                line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text
            )
            track = QRectF(line.left(), line.bottom() + 2, line.width() * in_all / most, 6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.sunken)
            painter.drawRoundedRect(track, 3, 3)
            track.setWidth(track.width() * so_far / max(1, in_all))
            painter.setBrush(colour)
            painter.drawRoundedRect(track, 3, 3)
            y += 34

    def _paint_done(self, painter: QPainter, card: QRectF) -> None:
        theme, scene = self.theme, self._scene
        self._paint_title(painter, card, "Done so far")
        note = self._note()
        font = ui_font(SMALL_SIZE)
        width = card.width() - 2 * CARD_MARGIN
        flags = int(Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
        needed = QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 999), flags, note).height()
        room = card.height() - HEAD - GRID
        noted = bool(note) and room - needed - GRID >= 3 * ROW
        fits = max(1, int((room - (needed + GRID if noted else 0)) / DONE_ROW))
        y = card.top() + HEAD - 4
        for merge in scene.done[-fits:]:
            row = QRectF(card.left() + GRID, y, card.width() - 2 * GRID, DONE_ROW)
            self._rows.append((row, merge))
            self._paint_merge(painter, row, merge)
            y += DONE_ROW
        painter.setFont(font)
        painter.setPen(theme.dim)
        if not scene.done:
            painter.drawText(
                QRectF(card.left() + CARD_MARGIN, y, width, ROW),
                Qt.AlignmentFlag.AlignVCenter,
                "Nothing yet.",
            )
            y += ROW
        if noted:
            painter.drawText(
                QRectF(card.left() + CARD_MARGIN, y + GRID, width, needed + 2), flags, note
            )

    def _note(self) -> str:
        """Returns an explanation of ranks, with the earliest and the latest visible one."""
        scene = self._scene
        if scene.by_score:
            return "A score is how much a piece is worth: the pair with the best piece goes first."
        waiting = [scene.waiting[at] for at in (0, scene.ranked - 1) if scene.ranked]
        labels = [merge.label for merge in scene.done] + [pair.label for pair in waiting]
        ranks = sorted({int(label.replace(",", "")) for label in labels if label})
        if len(ranks) < 2:
            return "A rank is a merge's place in training."
        return f"A rank is a merge's place in training: {ranks[0]:,} was learned early, {ranks[-1]:,} late."

    def _paint_merge(self, painter: QPainter, row: QRectF, merge: DoneMerge) -> None:
        theme = self.theme
        inside = row.adjusted(GRID, 0, -GRID, 0)
        if merge.ids:
            painter.setPen(theme.dim)
            painter.setFont(mono_font(SMALL_SIZE))
            below = inside.adjusted(NUMBER, IDS, 0, 0)
            _draw(painter, below, merge.ids)
            inside.setHeight(IDS + 2)
        painter.setPen(theme.dim)
        painter.setFont(number_font(SMALL_SIZE))
        line = inside.height()
        _draw(painter, QRectF(inside.left(), inside.top(), NUMBER, line), f"{merge.number:,}")
        font = number_font(TEXT_SIZE)
        label = "next" if merge.next else merge.label
        if merge.next:
            font.setWeight(QFont.Weight.DemiBold)
            painter.setPen(theme.accent)
        painter.setFont(font)
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, label)
        right = inside.right() - QFontMetricsF(font).horizontalAdvance(label) - GRID
        mono, bold = mono_font(TEXT_SIZE), mono_font(TEXT_SIZE, QFont.Weight.DemiBold)
        x = inside.left() + NUMBER
        painter.setPen(theme.dim if merge.next else theme.ink)
        parts = f"{merge.left} + {merge.right}" if merge.left or merge.right else ""
        room = right - x
        if parts:
            painter.setFont(mono)
            width = QFontMetricsF(mono).horizontalAdvance(parts)
            width = min(width, room if merge.next else 0.55 * room)
            _draw(painter, QRectF(x, inside.top(), width + 1, line), parts)
            x += width + GRID
        if not merge.next:
            if parts:
                paint_icon(
                    painter, QRectF(x, inside.center().y() - 7, 14, 14), "arrow-right", theme.dim
                )
                x += 14 + GRID
            painter.setPen(theme.ink)
            painter.setFont(bold)
            _draw(painter, QRectF(x, inside.top(), right - x, line), merge.made)

    # Pointing.

    def _at(self, point: QPointF) -> WaitingPair | DoneMerge | None:
        return next((one for rect, one in self._rows if rect.contains(point)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = self._at(event.position())
        self.hovered.emit(*((hit.start, hit.end) if hit is not None else (0, 0)))
        steps = isinstance(hit, DoneMerge)
        self.setCursor(Qt.CursorShape.PointingHandCursor if steps else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._at(event.position())
        if isinstance(hit, DoneMerge):
            self.step_picked.emit(hit.number)


def _draw(painter: QPainter, rect: QRectF, text: str) -> None:
    """Draws a text at the left of a rectangle, shortened if it does not fit."""
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
    painter.drawText(rect, flags, shown)
