"""Writes a page of HTML as PDF by Qt's own printing, in a process of its own: a long page takes many frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tokenarium_core.whole_files import write_files

if TYPE_CHECKING:
    from tokenarium.models.progress_reporter import ProgressReporter

MARGIN_MM = 16
"""Millimetres around a page."""


def write_pdf(report: ProgressReporter, html: str, path: str) -> str:
    """Writes a page on sheets of A4, whole or not at all, and returns the path; for a process of its own.

    Raises WriteError if the file cannot be written.
    """
    from PySide6.QtCore import QBuffer, QIODevice, QMarginsF
    from PySide6.QtGui import (
        QGuiApplication,
        QPageLayout,
        QPageSize,
        QPdfWriter,
        QTextDocument,
    )

    from tokenarium.style.fonts import ui_font

    app = QGuiApplication.instance() or QGuiApplication([])
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setCreator("Tokenarium")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    margins = QMarginsF(MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM)
    writer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
    document = QTextDocument()
    document.setDefaultFont(ui_font())
    document.setHtml(html)
    document.print_(writer)
    del writer  # which ends the file
    write_files({Path(path): bytes(buffer.data().data())})
    assert app is not None
    return path
