"""Shows the progress and the result of a check against the reference library."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTreeWidgetItem,
    QWidget,
)

from tokenarium.models.text.piece import readable
from tokenarium.models.tokenizers.reference_check import CheckStage, Divergence, Report, Token
from tokenarium.style.fonts import mono_font
from tokenarium.style.theme import GRID
from tokenarium.widgets.flat_table import FlatTree
from tokenarium.widgets.layouts import STRETCH, in_column
from tokenarium.widgets.panel import close_buttons, secondary, strong
from tokenarium.widgets.work_bar import WorkBar

WHAT_EACH_MAKES = {
    CheckStage.ADDED_TOKENS: "Ids of added tokens found",
    CheckStage.NORMALIZER: "The normalized text",
    CheckStage.PRE_TOKENS: "The pre-tokens",
    CheckStage.MODEL: "The tokens",
}


class CheckDialog(QDialog):
    """A verdict, a sentence, and a table of both sides at the first difference."""

    stop_requested = Signal()
    file_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Check against the reference library")
        self.setMinimumWidth(72 * GRID)
        self.verdict = strong(QLabel())
        self.sentence = secondary(QLabel())
        self.bar = WorkBar("The check is running", wide=True)
        self.table = FlatTree("Both sides where they differ", (), uniform=False)
        self.table.setFont(mono_font())
        self.table.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for label in (self.verdict, self.sentence):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        buttons = close_buttons(self)
        self.stop = buttons.addButton("Stop", QDialogButtonBox.ButtonRole.ActionRole)
        self.file = buttons.addButton("Check a file …", QDialogButtonBox.ButtonRole.ActionRole)
        for button in (self.stop, self.file):
            button.setAutoDefault(False)
        self.stop.clicked.connect(self.stop_requested)
        self.file.clicked.connect(self.file_requested)
        in_column(
            self.verdict,
            self.sentence,
            self.bar,
            self.table,
            STRETCH,
            buttons,
            into=self,
            spacing=GRID,
            margins=2 * GRID,
        )
        self.rejected.connect(self.stop_requested)

    def show_running(self, name: str, doing: str) -> None:
        """Shows that the check is running, and its stage."""
        self._show(f"Checking {name}", f"{doing} …", running=True)

    def show_problem(self, name: str, sentence: str) -> None:
        """Shows why the check is not possible."""
        self._show(f"{name} could not be checked", sentence)

    def show_report(self, report: Report) -> None:
        """Shows the result."""
        divergence = report.divergence
        if divergence is None:
            self._show(f"Identical on {report.characters:,} characters", _agreement(report))
            return
        self._show(f"{report.name} and {report.library} differ", _parting(report, divergence))
        self.table.setHeaderLabels(["", report.name, report.library])
        self.table.addTopLevelItems([QTreeWidgetItem(row) for row in _rows(divergence)])
        lines = self.table.topLevelItemCount() * self.table.sizeHintForRow(0)
        self.table.setFixedHeight(lines + self.table.header().sizeHint().height() + GRID)
        self.table.show()
        self.adjustSize()

    def _show(self, verdict: str, sentence: str, running: bool = False) -> None:
        self.verdict.setText(verdict)
        self.sentence.setText(sentence)
        self.bar.setVisible(running)
        self.stop.setVisible(running)
        self.file.setVisible(not running)
        self.table.clear()
        self.table.hide()
        self.adjustSize()


def _agreement(report: Report) -> str:
    agreement = f"{report.name} gives the same {report.tokens:,} ids as {report.library}."
    return agreement + _plainly(report)


def _plainly(report: Report) -> str:
    if not report.plainly:
        return ""
    return f" Special tokens were read as plain text: {report.library} recognizes none."


def _parting(report: Report, found: Divergence) -> str:
    count = found.token
    equal = (
        "The first token is the same" if count == 1 else f"The first {count:,} tokens are the same"
    )
    if count == 0:
        equal = "The first token already differs"
    return (
        f"{equal}, up to character {found.character:,} (byte {found.byte:,}). The difference begins at the "
        f"stage “{found.stage.value}”; the text “{readable(found.text.encode(), 60)}” is enough to see it."
        + _plainly(report)
    )


def _rows(found: Divergence) -> list[list[str]]:
    rows = []
    for place in range(max(len(found.ours), len(found.theirs))):
        number = found.token - found.before + place
        mark = "▸ " if place == found.before else "   "
        rows.append(
            [f"{mark}Token {number:,}", _cell(found.ours, place), _cell(found.theirs, place)]
        )
    stage = [
        WHAT_EACH_MAKES[found.stage],
        readable(found.our_stage.encode(), 200),
        readable(found.their_stage.encode(), 200),
    ]
    return [*rows, stage]


def _cell(side: tuple[Token, ...], place: int) -> str:
    if place >= len(side):
        return ""
    token, piece = side[place]
    return f"{token}  {readable(piece.encode('utf-8', 'replace'))}"
