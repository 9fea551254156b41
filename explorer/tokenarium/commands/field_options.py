"""Options of commands that are made from fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from tokenarium.analyses.field import Choices, Count, Field, Flag, Line, Number, OneOf, Texts

Function = TypeVar("Function", bound=Callable[..., None])


def option_of(field: Field) -> tuple[Any, Any]:
    """Returns the type of a field's option, and its default."""
    if isinstance(field, Count):
        option = typer.Option(
            f"--{field.name}", field.short, metavar=field.metavar, help=field.help
        )
        return Annotated[str, option], field.usual
    if isinstance(field, Number):
        low, high = field.bounds or (field.low, field.high)
        kind = float if field.decimals else int
        return Annotated[kind, typer.Option(min=low, max=high, help=field.help)], field.default
    if isinstance(field, Line):
        option = typer.Option(
            min=field.low, metavar=field.metavar, help=field.help, show_default=bool(field.default)
        )
        usual = None if field.kind is Path else field.kind(field.default or field.kind())
        return Annotated[field.kind, option], usual
    if isinstance(field, Flag):
        option = typer.Option(f"--{field.name.replace('_', '-')}", help=field.help)
        return Annotated[bool, option], field.default
    if isinstance(field, OneOf):
        option = typer.Option(f"--{field.name}", metavar="|".join(field.titles), help=field.help)
        return Annotated[str, option], next(iter(field.titles))
    assert isinstance(field, Choices | Texts)
    option = typer.Option(f"--{field.name}", metavar=field.metavar, help=field.help)
    return Annotated[list[str] | None, option], None


def signed(command: Function, parameters: Mapping[str, tuple[Any, Any]]) -> Function:
    """Returns a command with parameters of these names, types and defaults, for typer."""
    command.__annotations__ = {name: kind for name, (kind, _) in parameters.items()}
    command.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
        parameters=[
            Parameter(name, Parameter.KEYWORD_ONLY, default=usual, annotation=kind)
            for name, (kind, usual) in parameters.items()
        ]
    )
    return command


def with_fields(after: str, fields: Sequence[Field]) -> Callable[[Function], Function]:
    """Gives a command, which takes them as ``**``, the options of fields after one of its own parameters."""

    def sign(command: Function) -> Function:
        kinds = get_type_hints(command, include_extras=True)
        parameters = {}
        for name, one in signature(command).parameters.items():
            if one.kind is not Parameter.VAR_KEYWORD:
                parameters[name] = kinds[name], one.default
            if name == after:
                parameters |= {field.name: option_of(field) for field in fields}
        return signed(command, parameters)

    return sign
