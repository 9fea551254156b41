"""The log in a window: it follows new lines, and can show only warnings or errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent, QTextCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from tokenarium.style.fonts import SMALL_SIZE, mono_font, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID
from tokenarium.widgets.announcing import announce
from tokenarium.widgets.layouts import STRETCH, in_column, in_row
from tokenarium.widgets.panel import ElidedLabel, Rule, close_buttons, named, secondary
from tokenarium.widgets.segmented import Segmented

SIZE = QSize(104 * GRID, 72 * GRID)
"""Pixels: the first size."""

FOLLOW_MS = 1_000
"""How often it looks for new lines, while it is shown."""

SHOWN = ("All", "Warnings", "Errors")
"""The choices: all lines, or those of a least severity."""

_LEVELS = (("DEBUG", "INFO"), ("WARNING",), ("ERROR", "CRITICAL"))
_HEAD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ([A-Z]+) ")
_NAME = re.compile(r"tokenarium-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-(\d+)")


class LogDialog(QDialog):
    """Shows the logs of this run and of earlier ones. It stays open next to the window.

    ``read`` returns the text of a log; ``files`` returns the logs, the newest first; ``own`` is that of this run.
    """

    def __init__(
        self,
        own: Path,
        files: Callable[[], Sequence[Path]],
        read: Callable[[Path], str],
        copy_report: Callable[[], object],
        open_folder: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Log")
        self._own, self._files, self._read = own, files, read
        self._whole = ""
        self.runs = named(QComboBox(), "Run", "This run and earlier runs")
        self.runs.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.runs.activated.connect(lambda _: self.refresh())
        self.levels = named(Segmented(SHOWN), "What is shown")
        self.levels.chosen.connect(lambda _: self._show())
        self.follow = named(
            QCheckBox("Follow"), "Follow", "Shows new lines as they are written, at the end"
        )
        self.follow.setChecked(True)
        self.follow.toggled.connect(lambda _: self.refresh())
        self.text = named(QPlainTextEdit(readOnly=True), "Log")
        self.text.setFont(mono_font(SMALL_SIZE))
        self.text.document().setDocumentMargin(GRID)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText("The log has no such lines.")
        self.path = secondary(ElidedLabel())
        self.path.setFont(ui_font(SMALL_SIZE))
        promise = secondary(
            QLabel("Your texts and the names of your files are never written here.")
        )
        promise.setFont(ui_font(SMALL_SIZE))
        copy = self._button("Copy", self.copy, "Copies the lines that are shown")
        report = self._button(
            "Copy report", copy_report, "Copies versions, the system and the end of this run's log"
        )
        folder = self._button("Open folder", open_folder, "Shows the folder of the logs")
        buttons = close_buttons(self)
        in_column(
            in_row(self.runs, self.levels, STRETCH, self.follow, spacing=2 * GRID),
            GRID,
            (self.text, 1),
            GRID,
            in_row((self.path, 1), promise, spacing=2 * GRID),
            into=(body := QWidget()),
            margins=(CARD_MARGIN, CARD_MARGIN, CARD_MARGIN, GRID),
        )
        in_column(
            (body, 1),
            Rule(),
            in_row(
                copy,
                report,
                folder,
                (buttons, 1),
                spacing=GRID,
                margins=(CARD_MARGIN, GRID, CARD_MARGIN, CARD_MARGIN),
            ),
            into=self,
        )
        self._timer = QTimer(self, interval=FOLLOW_MS)
        self._timer.timeout.connect(self._look)
        room = parent.window().size() if parent is not None else SIZE
        self.resize(SIZE.boundedTo(room))

    @staticmethod
    def _button(text: str, run: Callable[[], object], tip: str) -> QPushButton:
        button = named(QPushButton(text), text, tip)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _: run())
        return button

    def _fill_runs(self) -> None:
        files = list(self._files())
        if self._own not in files:
            files.insert(0, self._own)
        listed = [self.runs.itemData(index) for index in range(self.runs.count())]
        if [str(path) for path in files] == listed:
            return
        chosen = self.runs.currentData() or str(self._own)
        self.runs.clear()
        for path in files:
            self.runs.addItem(_run_name(path, path == self._own), str(path))
        self.runs.setCurrentIndex(max(0, self.runs.findData(chosen)))

    def refresh(self) -> None:
        """Reads the chosen log, and shows its end."""
        self._fill_runs()
        path = Path(self.runs.currentData())
        self.path.setText(str(path))
        self._whole = self._read(path)
        self._show()

    def _look(self) -> None:
        if not self.follow.isChecked() or self.runs.currentData() != str(self._own):
            return
        whole = self._read(self._own)
        if whole == self._whole:
            return
        before, self._whole = self._whole, whole
        if before and whole.startswith(before) and not self.levels.currentIndex():
            cursor = QTextCursor(self.text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(
                ("\n" if self.text.toPlainText() else "") + whole[len(before) :].rstrip("\n")
            )
            self._to_end()
        else:
            self._show()

    def _show(self) -> None:
        self.text.setPlainText(lines_from(self._whole, self.levels.currentIndex()).rstrip("\n"))
        self._to_end()

    def _to_end(self) -> None:
        if self.follow.isChecked():
            bar = self.text.verticalScrollBar()
            bar.setValue(bar.maximum())

    def copy(self) -> None:
        """Copies the selected text, or all visible lines."""
        cursor = self.text.textCursor()
        chosen = cursor.selection().toPlainText() if cursor.hasSelection() else ""
        QGuiApplication.clipboard().setText(chosen or self.text.toPlainText())
        announce(self, "Copied")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


def lines_from(text: str, least: int) -> str:
    """Returns the lines of a log of at least a severity, an index in `SHOWN`, with their continuation lines.

    >>> lines_from(
    ...     "2026-01-02 03:04:05.678 INFO    a\\n2026-01-02 03:04:05.678 ERROR   b\\n    c\\n", 2
    ... )
    '2026-01-02 03:04:05.678 ERROR   b\\n    c\\n'
    """
    if not least:
        return text
    levels_shown = {level for levels in _LEVELS[least:] for level in levels}
    lines: list[str] = []
    keeps = False
    for line in text.splitlines(keepends=True):
        head = _HEAD.match(line)
        if head is not None:
            keeps = head[1] in levels_shown
        if keeps:
            lines.append(line)
    return "".join(lines)


def _run_name(path: Path, own: bool) -> str:
    name_match = _NAME.match(path.name)
    if name_match is None:
        return path.name
    year, month, day, hour, minute, second, _ = name_match.groups()
    when = f"{hour}:{minute}:{second}"
    return f"This run, {when}" if own else f"{year}-{month}-{day}, {when}"
