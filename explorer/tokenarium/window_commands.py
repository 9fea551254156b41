"""What the command palette offers: every action, every sample, every tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tokenarium.actions import ACTIONS, ActionSet, plain_text
from tokenarium.command_palette import Command
from tokenarium.models.library import State
from tokenarium.session import Session

if TYPE_CHECKING:
    from tokenarium.resources.samples_index import Sample


def action_commands(actions: ActionSet) -> list[Command]:
    """Returns the actions that can be asked for now."""
    return [
        Command(
            plain_text(spec),
            spec.menu,
            actions[spec.id].shortcut().toString(),
            actions[spec.id].trigger,
        )
        for spec in ACTIONS
        if spec.id != "palette" and actions[spec.id].isEnabled()
    ]


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


def tokenizer_commands(session: Session) -> list[Command]:
    """Returns one command for each tokenizer that can be turned on or off."""
    commands = []
    for entry in session.library:
        if entry.state in (State.CLOSED, State.OPENING, State.OPEN):
            title = f"Turn {'off' if entry.on else 'on'} {entry.name}"
            toggle = _later(session.turn_on, entry.key, not entry.on)
            commands.append(Command(title, "Tokenizer", "", toggle))
    return commands


def samples() -> list[Sample]:
    """Returns the sample texts; their list is read only now."""
    from tokenarium.resources.samples_index import load_samples

    return load_samples()


def _later(run: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: run(*arguments)
