"""What can be chosen for an algorithm, as ``tokenarium train --options`` lists it."""

from __future__ import annotations

from tokenarium.commands.terminal import write_json, write_table
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium_core.command_values import list_text
from tokenarium_core.training import ALGORITHMS, Option, Value


def list_options(algorithm: str, as_json: bool) -> None:
    """Writes the options of an algorithm, with their defaults."""
    found = ALGORITHMS[algorithm]
    if as_json:
        write_json({one.name: one.default for one in TRAINING_ALGORITHMS[algorithm].options})
        return
    options = TRAINING_ALGORITHMS[algorithm].options
    rows = [(option.name, _shown(option.default), _about(option)) for option in options]
    columns = [("option", False), ("default", False), ("what it does", False)]
    write_table(columns, rows, found.title, wrapping=(1, 2))


def _about(option: Option) -> str:
    """Returns what an option does, with its choices where those are few names."""
    return f"{option.about} One of {', '.join(option.choices)}." if option.choices else option.about


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (list_text(value) if isinstance(value, list) else str(value)) or '""'
