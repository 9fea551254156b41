"""The settings dialog: its contents, and what each choice does."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import ActionSet
from tokenarium.menus.display_commands import DisplayCommands
from tokenarium.models.compare.prices import MOST_PRICE, priced_sentence
from tokenarium.models.files import MEASURES, cache_folder, data_folder, lessons_folder
from tokenarium.session import settings
from tokenarium.session.figures import MOST_TOKENS
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings, kept_scale
from tokenarium.style.appearance import LETTERS, MOTIONS, SCHEMES, TOKEN_PALETTES, Appearance
from tokenarium.style.fonts import READING_SIZE, READING_SIZES
from tokenarium.style.zoom import NORMAL, SCALES
from tokenarium.widgets.settings_dialog import (
    SettingRow,
    SettingsDialog,
    button_row,
    choice_row,
    number_row,
    switch_row,
)
from tokenarium_core import tokenizer_cache
from tokenarium_core.formats.registered import store_folder

MENU_BAR = "show_menu_bar"


class TextKeeping(Protocol):
    """The texts that are kept from one run to the next."""

    @property
    def kept_bytes(self) -> int:
        """Its size."""

    def keep_texts(self, keep: bool) -> None:
        """Begins or stops keeping texts."""

    def clear(self) -> None:
        """Removes it."""


class SettingsCommands:
    """Opens the dialog. ``actions`` returns the actions of the window."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        appearance: Appearance,
        display: DisplayCommands,
        actions: Callable[[], ActionSet],
        window: QWidget,
        texts: TextKeeping,
    ) -> None:
        self._session = session
        self._store = store
        self._appearance = appearance
        self._display = display
        self._actions = actions
        self._window = window
        self.dialog: SettingsDialog | None = None
        self._texts = texts

    @property
    def busy(self) -> bool:
        """Whether work is running for it: never."""
        return False

    def stop(self) -> None:
        """Closes the dialog."""
        if self.dialog is not None:
            self.dialog.close()

    def open_settings(self) -> None:
        """Shows the dialog."""
        if self.dialog is None:
            self.dialog = SettingsDialog(self._sections(), self._window)
            self._appearance.changed.connect(self.dialog.refresh)
            self._session.figures.changed.connect(self.dialog.refresh)
        room = self._window.size()
        self.dialog.resize(self.dialog.size().boundedTo(room))
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def _sections(self) -> list[tuple[str, list[SettingRow]]]:
        display, looks, session, store = self._display, self._appearance, self._session, self._store
        return [
            (
                "Appearance",
                [
                    choice_row(
                        "Colours",
                        ["System", "Light", "Dark", "High contrast"],
                        lambda: SCHEMES.index(looks.scheme),
                        lambda place: display.set_colour_scheme(SCHEMES[place]),
                    ),
                    choice_row(
                        "Tokens",
                        ["Standard", "Presentation", "Print"],
                        lambda: TOKEN_PALETTES.index(looks.token_palette),
                        lambda place: display.set_token_palette(TOKEN_PALETTES[place]),
                        "Presentation has stronger colours for a projector; Print has paler colours and black lines. Both have a white background.",
                    ),
                    choice_row(
                        "Font",
                        ["Inter", "System font"],
                        lambda: int(looks.system_font),
                        lambda place: display.set_system_font(bool(place)),
                        "Characters that a font lacks are shown in another installed font.",
                    ),
                    choice_row(
                        "Font of the text",
                        ["Automatic", "Fixed width", "Usual"],
                        lambda: LETTERS.index(looks.letters),
                        lambda place: display.set_letters(LETTERS[place]),
                        "Automatic shows code in a monospace font (JetBrains Mono, without ligatures). A text that is opened or pasted counts as code by its brackets, indents and line ends.",
                    ),
                    choice_row(
                        "Motion",
                        ["Full", "Less", "None"],
                        lambda: MOTIONS.index(looks.motion),
                        lambda place: display.set_motion(MOTIONS[place]),
                        "Less animates only what explains something, such as merges. If the system turns animations off, nothing moves.",
                    ),
                    *self._menu_bar(),
                ],
            ),
            (
                "Size",
                [
                    choice_row(
                        "Everything",
                        [f"{scale} %" for scale in SCALES],
                        lambda: SCALES.index(kept_scale(store)),
                        lambda place: display.set_scale(SCALES[place]),
                        "Ctrl with plus, minus or 0, or Ctrl+Shift with the wheel.",
                    ),
                    choice_row(
                        "Text in tokens",
                        [f"{size} pixels" for size in READING_SIZES],
                        lambda: READING_SIZES.index(looks.reading_size),
                        lambda place: display.set_reading_size(READING_SIZES[place]),
                        "Ctrl with the wheel over it.",
                    ),
                ],
            ),
            (
                "What tokens cost",
                [
                    number_row(
                        "Context window",
                        lambda: session.figures.context_tokens,
                        lambda tokens: session.figures.set_cost(
                            int(tokens), session.figures.price_per_million
                        ),
                        most=MOST_TOKENS,
                        step=1000,
                        note="In tokens. Counts then show how much of it a text fills.",
                        term="context window",
                    ),
                    number_row(
                        "Price, other models",
                        lambda: session.figures.price_per_million,
                        lambda price: session.figures.set_cost(
                            session.figures.context_tokens, price
                        ),
                        most=MOST_PRICE,
                        decimals=3,
                        step=0.1,
                        note="Of a million tokens with a tokenizer of which no model has a price.",
                    ),
                    button_row(
                        "Prices of models",
                        lambda: priced_sentence(session.figures.price_list),
                        "Change …",
                        self._actions()["prices"].trigger,
                    ),
                ],
            ),
            (
                "Network",
                [
                    switch_row(
                        "Downloads",
                        "Allowed",
                        lambda: session.downloads_allowed,
                        self.allow_downloads,
                        "Only what you ask for is downloaded. Only the request for a file is sent.",
                    ),
                    switch_row(
                        "Newer versions",
                        "Check once a week",
                        lambda: store.get(settings.CHECK_UPDATES),
                        lambda on: store.set(settings.CHECK_UPDATES, on),
                        "Asks pypi.org for the versions of Tokenarium. Nothing is sent about you or this computer. Help › Check for updates asks now.",
                    ),
                    button_row(
                        "Hugging Face",
                        _hub_token,
                        "Get a token …",
                        lambda: _open("https://huggingface.co/settings/tokens"),
                        "Gated models need a token. Only huggingface_hub reads it, and it is not stored here.",
                    ),
                ],
            ),
            (
                "Folders",
                [
                    _folder_row(
                        "Downloaded", "Tokenizers downloaded from the catalogue.", data_folder
                    ),
                    _folder_row("Trained", "Tokenizers trained here.", store_folder),
                    _folder_row("Lessons", "Your own lessons, as Markdown files.", lessons_folder),
                ],
            ),
            (
                "What is kept",
                [
                    switch_row(
                        "Texts",
                        "Keep from one run to the next",
                        lambda: store.get(settings.KEEP_TEXTS),
                        self.keep_texts,
                        "The text, the selection, pages, forms and recent texts, only on this computer.",
                    ),
                    button_row(
                        "Kept texts",
                        lambda: in_megabytes(self._texts.kept_bytes),
                        "Clear",
                        self._clear_texts,
                        "Removes the last session, all recent texts and unsaved changes of lessons from this computer.",
                    ),
                    button_row(
                        "Prepared files",
                        lambda: _size_of(cache_folder()),
                        "Remove",
                        lambda: _remove_prepared(cache_folder()),
                        "Large files open faster, and large texts are measured once; missing ones are created again.",
                    ),
                    button_row(
                        "All settings",
                        lambda: "",
                        "Reset",
                        self.reset,
                        "Resets colours, sizes, motion, costs and the network to their defaults.",
                    ),
                ],
            ),
        ]

    def _menu_bar(self) -> list[SettingRow]:
        """Returns the row of the menu bar, if the window can hide it."""
        actions = self._actions()
        if MENU_BAR not in [spec.id for spec in actions.declared]:
            return []
        action = actions[MENU_BAR]
        return [
            switch_row(
                "Menu bar",
                "Always shown",
                action.isChecked,
                lambda _: action.trigger(),
                action.statusTip(),
            )
        ]

    def keep_texts(self, keep: bool) -> None:
        """Begins or stops keeping texts from one run to the next."""
        self._texts.keep_texts(keep)
        if self.dialog is not None:
            self.dialog.refresh()

    def _clear_texts(self) -> None:
        self._texts.clear()

    def allow_downloads(self, allowed: bool) -> None:
        """Allows or forbids downloads."""
        self._session.downloads_allowed = allowed
        self._store.set(settings.DOWNLOADS, allowed)

    def reset(self) -> None:
        """Resets everything in the dialog to its default."""
        store = self._store
        self._display.set_colour_scheme("system")
        self._display.set_token_palette("standard")
        self._display.set_system_font(settings.SYSTEM_FONT.default)
        self._display.set_letters("auto")
        self._display.set_motion("full")
        self._display.set_reading_size(READING_SIZE)
        self._display.set_scale(NORMAL)
        if store.get(settings.SHOW_MENU_BAR) != settings.SHOW_MENU_BAR.default:
            self._actions()[MENU_BAR].trigger()
        self._session.figures.set_cost(0, 0.0)
        self.allow_downloads(settings.DOWNLOADS.default)
        store.set(settings.CHECK_UPDATES, settings.CHECK_UPDATES.default)
        self.keep_texts(settings.KEEP_TEXTS.default)
        if self.dialog is not None:
            self.dialog.refresh()


def _folder_row(name: str, note: str, folder: Callable[[], Path]) -> SettingRow:
    return button_row(name, lambda: str(folder()), "Open", lambda: open_folder(folder()), note)


def open_folder(folder: Path) -> None:
    """Shows a folder in the system's file manager, and creates it first if it does not exist."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    _open(QUrl.fromLocalFile(str(folder)).toString())


def _open(address: str) -> None:
    QDesktopServices.openUrl(QUrl(address))


def _hub_token() -> str:
    """Returns whether huggingface_hub has a token, without reading it."""
    if os.environ.get("HF_TOKEN"):
        return "A token is set, by HF_TOKEN"
    home = os.environ.get("HF_HOME") or Path("~/.cache/huggingface").expanduser()
    path = Path(os.environ.get("HF_TOKEN_PATH") or Path(home, "token"))
    return "A token is set, by “hf auth login”" if os.path.isfile(path) else "No token"


def _size_of(folder: Path) -> str:
    return in_megabytes(sum(path.stat().st_size for path in _prepared(folder)))


def in_megabytes(size: int) -> str:
    """Returns a size in words."""
    return f"{max(size / 1e6, 0.1):,.1f} MB" if size else "None"


def _remove_prepared(folder: Path) -> None:
    for path in _prepared(folder):
        with suppress(OSError):
            path.unlink()


def _prepared(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place in (folder, folder / MEASURES):
        with suppress(OSError):  # a parent folder may be unreadable
            stored = place.glob(f"*{tokenizer_cache.SUFFIX}")
            found += [path for path in stored if os.path.isfile(path)]
    return found
