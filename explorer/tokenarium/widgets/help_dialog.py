"""Help for one page of the window: what it shows, what users can do there, its keys, and its terms."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QTextBrowser, QWidget

from tokenarium.resources.glossary import load_glossary
from tokenarium.resources.help_pages import HelpPage, load_help
from tokenarium.style.fonts import HEADING_SIZE, LESSON_SIZE, TITLE_SIZE, ui_font
from tokenarium.style.theme import CARD_MARGIN, GRID, PAGE_MARGIN
from tokenarium.widgets.layouts import in_column, in_row
from tokenarium.widgets.panel import Rule, close_buttons, named

SIZE = (72 * GRID, 80 * GRID)

Keys = Sequence[tuple[str, str]]
"""Keys, and what they do."""


class HelpDialog(QDialog):
    """Shows one page at a time; a list has all of them. It stays open next to the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self._menu_keys: Keys = ()
        self._page = ""
        self._ids = list(load_help())
        self.pages = named(QComboBox(), "Page")
        for index, page in enumerate(load_help().values()):
            self.pages.addItem(page.title if "/" not in page.id else f"    {page.title}")
            self.pages.setItemData(index, page.id)
        self.pages.activated.connect(lambda place: self.show_page(self._ids[place]))
        self.text = named(QTextBrowser(), "Help")
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setOpenExternalLinks(True)
        self.text.document().setDocumentMargin(PAGE_MARGIN)
        self.text.setFont(ui_font(LESSON_SIZE))
        self.buttons = close_buttons(self)
        self.shortcuts = self.buttons.addButton(
            "All shortcuts …", QDialogButtonBox.ButtonRole.ActionRole
        )
        in_column(
            in_row(self.pages, (None, 1), margins=(CARD_MARGIN, CARD_MARGIN, CARD_MARGIN, GRID)),
            (self.text, 1),
            Rule(),
            in_row((self.buttons, 1), margins=(CARD_MARGIN, GRID, CARD_MARGIN, CARD_MARGIN)),
            into=self,
        )
        self.resize(*SIZE)

    def show_page(self, page: str, menu_keys: Keys = ()) -> None:
        """Shows a page; ``menu_keys`` are the keys of the menu that belongs to it."""
        self._page, self._menu_keys = page, menu_keys
        with QSignalBlocker(self.pages):
            self.pages.setCurrentIndex(self._ids.index(page))
        self.text.setHtml(help_html(load_help()[page], menu_keys))
        self.text.verticalScrollBar().setValue(0)


def help_html(page: HelpPage, menu_keys: Keys = ()) -> str:
    """Returns a page as rich text."""
    parts = [_heading(page.title, TITLE_SIZE), _paragraph(page.shows)]
    if page.can:
        parts.append(_heading("What you can do"))
        parts.append(
            f"<ul style='-qt-list-indent:0; margin-left:{2 * GRID}px'>{''.join(f'<li>{_paragraph(sentence, GRID // 2)}</li>' for sentence in page.can)}</ul>"
        )
    keys = [*page.keys, *menu_keys]
    if keys:
        rows = "".join(
            f"<tr><td style='padding-right:{3 * GRID}px'><b>{escape(key)}</b></td><td>{escape(what)}</td></tr>"
            for key, what in keys
        )
        parts.append(f"{_heading('Keys')}<table cellpadding='2'>{rows}</table>")
    if page.terms:
        glossary = load_glossary()
        parts.append(_heading("Terms"))
        parts += [
            _paragraph(glossary[name].text, GRID, f"<b>{escape(glossary[name].name)}</b>: ")
            for name in page.terms
        ]
    return "".join(parts)


def _heading(text: str, pixels: int = HEADING_SIZE) -> str:
    style = f"font-size:{pixels}px; margin-top:{2 * GRID}px; margin-bottom:{GRID}px"
    return f"<p style='{style}'><b>{escape(text)}</b></p>"


def _paragraph(text: str, below: int = GRID, before: str = "") -> str:
    return f"<p style='margin-top:0; margin-bottom:{below}px; line-height:130%'>{before}{escape(text)}</p>"
