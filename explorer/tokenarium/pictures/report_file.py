"""Writes an evaluation report as HTML, or as PDF by Qt's own printing; in a process of its own, since both take many
frames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tokenarium.models.release.evaluation_page import evaluation_page
from tokenarium_core.whole_files import write_files

if TYPE_CHECKING:
    from tokenarium.models.progress_reporter import ProgressReporter
    from tokenarium.models.release.evaluation_report import EvaluationReport, ReportComparison

MARGIN_MM = 16
"""Millimetres around a page."""

PIXELS_MM = 96 / 25.4
"""Pixels of a millimetre in a document, which knows nothing of the paper."""


def write_report(
    report: ProgressReporter,
    evaluation: EvaluationReport,
    compared: ReportComparison | None,
    path: str,
) -> str:
    """Writes the page of an evaluation report as .html or .pdf, and returns the path; for a process of its own.

    Raises WriteError if the file cannot be written.
    """
    html = evaluation_page(evaluation, compared)
    content = html.encode() if Path(path).suffix.lower() == ".html" else pdf_of(html)
    write_files({Path(path): content})
    return path


def pdf_of(html: str) -> bytes:
    """Returns a page as PDF, on sheets of A4; it needs a process in which Qt may draw."""
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
    writer.setPageMargins(QMarginsF(), QPageLayout.Unit.Millimeter)
    document = QTextDocument()
    document.setDefaultFont(ui_font())
    document.setDocumentMargin(MARGIN_MM * PIXELS_MM)
    document.setHtml(html)
    document.setPageSize(
        writer.pageLayout().fullRect(QPageLayout.Unit.Millimeter).size() * PIXELS_MM
    )
    document.print_(writer)
    del writer  # which ends the file
    assert app is not None
    return bytes(buffer.data().data())
