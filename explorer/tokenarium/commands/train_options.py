"""The options of an algorithm, as ``tokenarium train --options`` lists them."""

from __future__ import annotations

from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.terminal import write_answer
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium_core.command_values import list_text
from tokenarium_core.training import ALGORITHMS, Option, Value


def list_options(algorithm: str, as_json: bool) -> None:
    """Writes the options of an algorithm, with their defaults."""
    found = ALGORITHMS[algorithm]
    options = TRAINING_ALGORITHMS[algorithm].options
    columns: list[TableColumn[Option]] = [
        printed_column("option", lambda one: one.name),
        printed_column("default", lambda one: _shown(one.default), grows=True),
        printed_column("what it does", _about, grows=True),
    ]
    write_answer(
        as_json,
        Table(columns, options, title=found.title),
        lambda _: {one.name: one.default for one in options},
    )


def _about(option: Option) -> str:
    """Returns what an option does, with its choices if there are only a few."""
    return f"{option.about} One of {', '.join(option.choices)}." if option.choices else option.about


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (list_text(value) if isinstance(value, list) else str(value)) or '""'
