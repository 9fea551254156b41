"""What a scene can open above the page of a window: dialogs, the palette, "Why not one token?", lessons.

The list is closed, and each entry only shows something: it writes no file, runs nothing, and asks no other computer.
"""

# A group of dialogs is made only when one of them is opened:
# ruff: noqa: PLW0108

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtWidgets import QWidget

from tokenarium.app.helping import HelpCommands
from tokenarium.app.lessons import Lessons
from tokenarium.app.panes import Panes
from tokenarium.app.presenting import PresentingCommands
from tokenarium.app.scenes import Above
from tokenarium.app.welcoming import Welcoming
from tokenarium.menus.command_palette import PaletteCommands
from tokenarium.menus.lazy_commands import LazyCommands
from tokenarium.menus.library_commands import LibraryCommands
from tokenarium.menus.merge_commands import MergeCommands
from tokenarium.menus.token_commands import TokenCommands
from tokenarium.views.kept import Kept, kept_control


class Opens(Protocol):
    """The parts of a window that open something above its page."""

    panes: Panes
    welcoming: Welcoming
    lessons: Lessons
    library_commands: LibraryCommands
    lazy: LazyCommands
    help: HelpCommands
    palette_commands: PaletteCommands
    token_commands: TokenCommands
    merge_commands: MergeCommands
    presenting: PresentingCommands


def all_above(window: Opens) -> tuple[Above, ...]:
    """Returns everything that can be open above the page of a window."""
    lazy, lessons, palette = window.lazy, window.lessons, window.palette_commands
    steps, sets = window.merge_commands.animations, window.library_commands.sets

    def seen(dialog: QWidget | None) -> bool:
        return dialog is not None and dialog.isVisible()

    def shows(group: str) -> bool:
        """Returns whether a dialog is shown, without making its group of commands."""
        made = vars(lazy).get(group)
        return made is not None and seen(made.dialog)

    def typed() -> Iterable[Kept]:
        return () if palette.opened is None else (kept_control("typed", palette.opened.search),)

    def presented() -> Iterable[Kept]:
        return () if window.presenting.shown is None else window.presenting.shown.deck.keeps()

    def describes() -> bool:
        made = vars(lazy).get("checking")
        return made is not None and seen(made.about_window)

    def ask_why() -> None:
        window.token_commands.ask_about_selection()
        if window.token_commands.answers is not None:
            window.token_commands.answers.finish()

    return (
        Above("welcome", lambda: window.panes.covered, window.welcoming.show_page),
        Above("lessons", lambda: lessons.is_open and lessons.lesson is None, lessons.open_list),
        Above("lesson", lambda: lessons.lesson is not None, lambda: None, lessons.keeps),
        Above("why", lambda: seen(window.token_commands.card), ask_why, window.token_commands.keeps),
        Above("presentation", lambda: window.presenting.shown is not None, window.presenting.present, presented),
        Above("export_steps", lambda: seen(steps.dialog), steps.export_steps, steps.keeps),
        Above("share", lambda: shows("sharing"), lambda: lazy.sharing.share_card()),
        Above("palette", lambda: seen(palette.opened), palette.open_palette, typed),
        Above("shortcuts", lambda: seen(window.help.shortcut_dialog), window.help.show_shortcuts),
        Above("help", lambda: seen(window.help.dialog), window.help.show_help),
        Above("settings", lambda: shows("settings"), lambda: lazy.settings.open_settings()),
        Above("prices", lambda: shows("pricing"), lambda: lazy.pricing.edit_prices()),
        Above("sets", lambda: seen(sets.dialog), sets.open_sets),
        Above("about_tokenizer", describes, lambda: lazy.checking.about_tokenizer()),
        Above("save_tokenizer", lambda: shows("exporting"), lambda: lazy.exporting.save_tokenizer(), lambda: lazy.exporting.keeps()),
        Above("encode_corpus", lambda: shows("encoding"), lambda: lazy.encoding.encode_corpus(), lambda: lazy.encoding.keeps()),
        Above("chat", lambda: shows("chatting"), lambda: lazy.chatting.chat(), lambda: lazy.chatting.keeps()),
    )  # fmt: skip
