"""What the command palette offers: every action, every sample, every tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

from tokenarium.menus.actions import ACTIONS, MENUS, ActionSet, plain_text
from tokenarium.menus.command_palette import Command
from tokenarium.models.tokenizers.library import State
from tokenarium.session.session import Session
from tokenarium.widgets.shortcut_dialog import IN_THE_BYTES, IN_THE_FIELD, IN_THE_TEXTS, Section

if TYPE_CHECKING:
    from tokenarium.resources.samples_index import Sample


def action_commands(actions: ActionSet) -> list[Command]:
    """Returns all actions; those that cannot be asked for now are told apart."""
    return [
        Command(
            plain_text(spec),
            spec.menu,
            actions[spec.id].shortcut().toString(),
            actions[spec.id].trigger,
            actions[spec.id].isEnabled(),
        )
        for spec in ACTIONS
        if spec.id != "palette"
    ]


def shortcut_sections(actions: ActionSet) -> list[Section]:
    """Returns the keys of every action, menu by menu, and those of the coloured texts."""
    native = QKeySequence.SequenceFormat.NativeText
    menus = [
        (
            menu,
            [
                (plain_text(spec).removesuffix(" …"), actions[spec.id].shortcut().toString(native))
                for spec in ACTIONS
                if spec.menu == menu
            ],
        )
        for menu in MENUS
    ]
    return [*menus, IN_THE_FIELD, IN_THE_TEXTS, IN_THE_BYTES]


def sample_commands(session: Session) -> list[Command]:
    """Returns one command for each sample text."""
    commands = []
    for sample in samples():
        title = sample.title
        if sample.native_title != title:
            title = f"{title} ({sample.native_title})"
        show = _later(lambda sample: session.set_text(sample.text()), sample)
        commands.append(Command(title, f"Sample · {sample.group}", "", show))
    return commands


def tokenizer_commands(session: Session, fetch: Callable[[str], object]) -> list[Command]:
    """Returns one command for each tokenizer that can be turned on or off, or be fetched."""
    commands = []
    for entry in session.library:
        if entry.state in (State.CLOSED, State.OPENING, State.OPEN):
            title = f"Turn {'off' if entry.on else 'on'} {entry.name}"
            toggle = _later(session.edits.turn_on, entry.key, not entry.on)
            commands.append(Command(title, "Tokenizer", "", toggle))
        elif entry.state in (State.MISSING, State.FAILED):
            get = _later(fetch, entry.key)
            commands.append(Command(f"Get {entry.name}", "Tokenizer", "", get))
    return commands


def samples() -> list[Sample]:
    """Returns the sample texts; their list is read only now."""
    from tokenarium.resources.samples_index import load_samples

    return load_samples()


def _later(run: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: run(*arguments)
