"""The page Perturb of the workspace Tokens: small changes of a text, and what each does to the tokens."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QIcon, QPainter, QTextDocument
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QMenu,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidgetItem,
    QWidget,
)

import tokenarium_core as tc
from tokenarium.models.charts.figure import FigureSource
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, loses
from tokenarium.models.text.perturbing import (
    GROUPS,
    VARIANTS,
    MarkedPart,
    PerturbJob,
    PerturbRow,
    by_effect,
    difference_text,
    marked_parts,
    perturb_chart,
    perturb_csv,
    perturb_lines,
)
from tokenarium.models.text.piece import counted, quoted, readable
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.resources.glossary import explanation
from tokenarium.style.fonts import TEXT_SIZE, reading_font, ui_font
from tokenarium.style.shapes import marker_icon
from tokenarium.style.theme import GRID
from tokenarium.views.kept import kept_sort, texts_of
from tokenarium.views.page_program import page_program
from tokenarium.views.tokens_selection import SelectedTextPage, small_heading, tile_of
from tokenarium.views.workspace import Kept, Workspace, kept_control
from tokenarium.widgets.charts.bar_plot import BarPlot
from tokenarium.widgets.flat_table import ROW_HEIGHT, FlatTree
from tokenarium.widgets.layouts import in_column
from tokenarium.widgets.panel import CardFrame, menu_button, named, secondary
from tokenarium.widgets.term_marks import TermButton
from tokenarium.widgets.text.token_tiles import TokenTiles

if TYPE_CHECKING:
    from tokenarium.models.scene import Json

JOB = "perturb"

MOST_BESIDE = 4
"""With more tokenizers, the table scrolls sideways."""

ROWS_SEEN = 10
"""Rows of the table that are seen at once, at most."""

TILES = 80
"""Most tokens of a text that are shown as tiles."""

CHANGED = Qt.ItemDataRole.UserRole + 1
ROW = Qt.ItemDataRole.UserRole + 2
SORTED = Qt.ItemDataRole.UserRole + 3


PROGRAM = """
found = perturb(TEXT, TOKENIZERS, SEED, GROUPS)
rows = rows_of(perturb_lines(found, {name: name for name in TOKENIZERS}))
"""


class _MarkedDelegate(QStyledItemDelegate):
    """Paints a text with its changed parts on the ground of a question."""

    def __init__(self, page: PerturbPage) -> None:
        super().__init__(page)
        self._page = page
        self._document = QTextDocument()
        self._document.setDocumentMargin(0)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        own.text = ""
        style = own.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, own.widget)
        theme = self._page.appearance.theme
        chosen = bool(own.state & QStyle.StateFlag.State_Selected) and own.widget.hasFocus()
        ink = theme.on_accent if chosen else theme.ink
        mark = f"background-color:{theme.ask_ground.name()};color:{theme.ask.name()}"
        html = "".join(
            f'<span style="{mark}">{self._written(part)}</span>'
            if part.changed
            else self._written(part)
            for part in self._page.parts_of(index.data(CHANGED) or "")
        )
        self._document.setDefaultFont(reading_font(TEXT_SIZE + 1))
        self._document.setHtml(f'<span style="color:{ink.name()};white-space:pre">{html}</span>')
        rect = QRectF(own.rect).adjusted(GRID, 0, -GRID, 0)
        painter.save()
        painter.setClipRect(rect)
        top = rect.top() + (rect.height() - self._document.size().height()) / 2
        painter.translate(rect.left(), top)
        self._document.drawContents(painter)
        painter.restore()

    @staticmethod
    def _written(part: MarkedPart) -> str:
        shown = readable(part.text.encode("utf-8", "replace"), 240) if part.changed else part.text
        return escape(shown.replace("\n", "⏎")).replace(" ", "&nbsp;")

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(30 * GRID, ROW_HEIGHT)


class _SortedRow(QTreeWidgetItem):
    """A row that is sorted by values, not by its texts."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        column = tree.sortColumn() if tree is not None else 0
        return bool(self.data(column, SORTED) < other.data(column, SORTED))


class PerturbPage(SelectedTextPage):
    """A table of variants, the cuts of the chosen one beside those of the text, and bars."""

    id = "perturb"
    title = "Perturb"
    most = 4_000

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        theme = self.appearance.theme
        self.made: list[PerturbRow] = []
        self._job: PerturbJob | None = None
        self._named: list[LibraryItem] = []
        self._parts: dict[str, list[MarkedPart]] = {}
        self.seed = named(
            QSpinBox(), "Seed", "Which letters the typos hit: the same for the same seed"
        )
        self.seed.setRange(1, 9999)
        self.seed.setPrefix("Seed ")
        self.groups = QMenu(self)
        for group in GROUPS:
            action = self.groups.addAction(group)
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(lambda _: self.ask_again())
        self.choose = menu_button("Variants", "Which variants are tried", self.groups)
        self.table = FlatTree("Variants of the text", ["Variant", "Text"])
        self.table.setAllColumnsShowFocus(True)
        self.table.setItemDelegateForColumn(1, _MarkedDelegate(self))
        self.table.setSortingEnabled(True)
        self.detail = CardFrame()
        self.detail_title = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.detail_title.setFont(ui_font(TEXT_SIZE, QFont.Weight.DemiBold))
        self.before_title, self.after_title = small_heading(""), small_heading("")
        self.before, self.after = TokenTiles(theme, 34, 15), TokenTiles(theme, 34, 15)
        in_column(
            self.detail_title, self.before_title, self.before, self.after_title, self.after,
            into=self.detail, spacing=6, margins=(16, 14, 16, 14),
        )  # fmt: skip
        self.bars = BarPlot("What each variant changes", theme)
        self.bars.problem.connect(self.session.problem)
        self.bars.saved.connect(self.session.saved)
        self.same = secondary(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText))
        self.table.currentItemChanged.connect(lambda row, _: self._show_detail(row))
        self.seed.valueChanged.connect(lambda _: self.ask_again())
        self.build(
            self.table,
            self.detail,
            self.bars,
            self.same,
            head=[TermButton("perturbation", explanation("perturbation")), self.choose, self.seed],
        )

    def title_of(self, what: str) -> str:
        return f"What do small changes of {what} do to its tokens?"

    # The variants.

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        self._named = items
        groups = {action.text() for action in self.groups.actions() if action.isChecked()}
        variants = [one for one in VARIANTS if one.group in groups]
        tokenizers = {item.key: item.tokenizer for item in items if item.tokenizer is not None}
        job = self._job = PerturbJob(text, tokenizers, self.seed.value(), variants)
        jobs = self.session.jobs
        jobs.cancel(JOB)
        try:
            job.step(4.0)
        except tc.TokenariumError as error:
            self._fail(error)
            return
        if job.finished:
            self._show()
            return

        def take(progress: tc.Progress) -> None:
            if progress.finished and self._job is job:
                self._show()

        jobs.start(JOB, "Trying variants of the text", job, take, self._fail)

    def _fail(self, error: Exception) -> None:
        self.made = []
        self.table.clear()
        self.same.setText(str(error))
        self.same.show()

    def _show(self) -> None:
        job, theme = self._job, self.appearance.theme
        assert job is not None
        chosen = self.chosen
        kept = chosen.variant.id if chosen is not None else ""
        front = self._named[0].key
        self.made = by_effect(job.rows, front)
        self._parts.clear()
        heads = ["Variant", "Text", "Tokens", "±", "Kept"]
        heads += ["±" for _ in self._named[1:]]
        table = self.table
        table.setSortingEnabled(False)
        table.clear()
        table.setColumnCount(len(heads))
        table.setHeaderLabels(heads)
        header, head = table.header(), table.headerItem()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for column in range(len(heads)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
            head.setTextAlignment(column, right if column > 1 else left)
            head.setIcon(column, QIcon())
            head.setToolTip(column, "")
        header.setMinimumSectionSize(6 * GRID)
        header.setSectionResizeMode(
            1,
            QHeaderView.ResizeMode.Interactive
            if len(self._named) > MOST_BESIDE
            else QHeaderView.ResizeMode.Stretch,
        )
        table.setColumnWidth(1, 28 * GRID)
        head.setToolTip(3, "Tokens more or less than the text has")
        head.setToolTip(4, "Share of the tokens of the text that are still there, in their order")
        for place, item in enumerate(self._named):
            column = 2 if place == 0 else 4 + place
            head.setIcon(column, marker_icon(theme.identity(item.identity)))
            what = "tokens" if place == 0 else "tokens more or less than the text has"
            head.setToolTip(column, as_tip(f"{item.name}: {what}"))
        for place, made in enumerate(self.made):
            table.addTopLevelItem(self._row(place, made, right))
        table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
        rows = min(max(len(self.made), 1), ROWS_SEEN)
        table.setFixedHeight((rows + 1) * ROW_HEIGHT + 5 * GRID)
        some = bool(self.made)
        self.detail.setVisible(some)
        self.bars.setVisible(some)
        names = [variant.title for variant in job.unchanged]
        self.same.setText(f"These change nothing here: {', '.join(names)}." if names else "")
        self.same.setVisible(bool(names))
        if some:
            again = next((n for n, one in enumerate(self.made) if one.variant.id == kept), 0)
            table.setCurrentIndex(table.model().index(again, 0))
            self._show_bars()

    def _row(self, place: int, made: PerturbRow, right: Qt.AlignmentFlag) -> QTreeWidgetItem:
        row = _SortedRow([made.variant.title, ""])
        row.setData(0, ROW, place)
        row.setData(0, SORTED, VARIANTS.index(made.variant))
        row.setToolTip(0, as_tip(made.variant.group))
        row.setData(1, CHANGED, made.text)
        row.setData(1, SORTED, made.text)
        row.setData(1, Qt.ItemDataRole.AccessibleTextRole, made.text[:200])
        row.setToolTip(1, as_tip(readable(made.text.encode("utf-8", "replace"), 400)))
        cells: list[tuple[str, float, str]] = []
        for number, item in enumerate(self._named):
            count = made.counts[item.key]
            said = (
                count.error
                or f"{item.name}: {counted(count.after, 'token')}, {count.kept:,} of {count.before:,} kept"
            )
            if count.lost and not count.error:
                said += f"\nThe variant {loses(count.lost)}. {SAYS}"
            if number == 0:
                cells.append((count.shown_after, count.after, said))
            sign = f"{SIGN} " * is_doubtful(count.lost)
            cells.append((sign + difference_text(count.difference), count.difference, said))
            if number == 0:
                cells.append((f"{count.share_kept:.0%}", count.share_kept, said))
            if count.error:
                cells[-1] = ("–", 0, said)
        for column, (shown, value, said) in enumerate(cells, 2):
            row.setText(column, shown)
            row.setData(column, SORTED, value)
            row.setTextAlignment(column, right)
            row.setToolTip(column, as_tip(said))
        return row

    def parts_of(self, text: str) -> list[MarkedPart]:
        """Returns the parts of a changed text, found when it is first seen."""
        if text not in self._parts:
            before = self._job.text if self._job is not None else ""
            self._parts[text] = marked_parts(before, text)
        return self._parts[text]

    @property
    def chosen(self) -> PerturbRow | None:
        """The variant whose cuts are shown."""
        item = self.table.currentItem()
        place = item.data(0, ROW) if item is not None else None
        return self.made[place] if place is not None and place < len(self.made) else None

    def _show_detail(self, row: QTreeWidgetItem | None) -> None:
        made, job = self.chosen, self._job
        if row is None or made is None or job is None or not self._named:
            return
        item = self._named[0]
        assert item.tokenizer is not None
        name = self.session.short_name(item)
        count = made.counts[item.key]
        self.detail_title.setText(
            f"{made.variant.group}: {made.variant.title}. {count.error}"
            if count.error
            else f"{made.variant.group}: {made.variant.title}. {name} keeps {count.kept:,} of"
            f" {counted(count.before, 'token')}."
        )
        parts = (
            (self.before_title, self.before, job.text, "The text"),
            (self.after_title, self.after, made.text, "The variant"),
        )
        for heading, tiles, text, what in parts:
            ids = [] if count.error else item.tokenizer.encode_ids(text)
            more = f", the first {TILES} here" if len(ids) > TILES else ""
            heading.setText(f"{what}: {counted(len(ids), 'token')}{more}")
            tiles.show_tiles(
                [tile_of(item.tokenizer, token, at) for at, token in enumerate(ids[:TILES])]
            )

    def _show_bars(self) -> None:
        names, colours = self.names, {item.key: item.identity for item in self._named}
        text = self._job.text if self._job is not None else ""
        shown = self.made[:20]
        self.bars.set_source(
            FigureSource(
                f"Text: {quoted(text.encode('utf-8', 'replace'), 60)}, seed {self.seed.value()}.",
                code=self.python,
            )
        )
        self.bars.show_chart(perturb_chart(shown, names, colours), "No variant")
        self.bars.setFixedHeight((12 + len(shown) * (2 + len(names))) * GRID)

    @property
    def names(self) -> dict[str, str]:
        """The names of the tokenizers by their keys, the one in front first."""
        return {item.key: self.session.short_name(item) for item in self._named}

    # What the window asks.

    def python(self) -> str:
        job, groups = self._job, [a.text() for a in self.groups.actions() if a.isChecked()]
        if job is None or not groups or not self._named:
            return ""
        return page_program(
            self.session,
            self.title,
            "from tokenarium.models.programs import rows_of\n"
            "from tokenarium.models.text.perturbing import perturb, perturb_lines",
            PROGRAM,
            text=job.text,
            items=self._named,
            seed=self.seed.value(),
            groups=groups,
        )

    def keeps(self) -> Iterable[Kept]:
        return (
            kept_control("seed", self.seed),
            Kept("groups_out", self._groups_out, self._leave_out),
            kept_sort("sorted", self.table, lambda: bool(self.made) and not self.busy),
            Kept("variant", self._variant, self._choose),
            *super().keeps(),
        )

    def _groups_out(self) -> list[Json] | None:
        return [one.text() for one in self.groups.actions() if not one.isChecked()] or None

    def _leave_out(self, groups: object) -> None:
        out = texts_of(groups)
        if not set(out) <= set(GROUPS):
            raise ValueError
        for action in self.groups.actions():
            action.setChecked(action.text() not in out)

    def _variant(self) -> str | None:
        return self.chosen.variant.id if self.chosen is not None else None

    def _choose(self, variant: object) -> bool:
        if self.busy or not self.made:
            return False
        for row in range(self.table.topLevelItemCount()):
            item = self.table.topLevelItem(row)
            if item is not None and self.made[item.data(0, ROW)].variant.id == variant:
                self.table.setCurrentItem(item)
                return True
        raise ValueError

    def lines(self) -> list[list[str]]:
        return perturb_lines(self.made, self.names) if self.made else []

    def as_csv(self) -> str:
        return perturb_csv(self.made, self.names) if self.made else ""

    @property
    def busy(self) -> bool:
        return super().busy or self.session.jobs.runs(JOB)

    def stop(self) -> None:
        self.session.jobs.cancel(JOB)

    def focus_first(self) -> None:
        self.table.setFocus()

    @property
    def last_control(self) -> QWidget | None:
        return self.bars.canvas

    def show_theme(self) -> None:
        theme = self.appearance.theme
        for tiles in (self.before, self.after):
            tiles.set_theme(theme)
        self.bars.set_theme(theme)
