"""The command line: opens the window, or renders it to pictures where there is no display."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        from tokenarium_core import COMPILED
        from tokenarium_core.version import __version__

        typer.echo(f"Tokenarium {__version__}, core {'compiled' if COMPILED else 'interpreted'}")
        raise typer.Exit


@app.command()
def tokenarium(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="A text file to open, and tokenizer files to add.", show_default=False),
    ] = None,
    render: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Render the window to PNG files in DIR, with no display, and print the tokens.",
        ),
    ] = None,
    tour: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Render every state of the window to PNG files in DIR."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Shows how a text becomes tokens, stage by stage, for several tokenizers side by side."""
    paths = files or []
    if render is None and tour is None:
        from tokenarium.app import run

        raise typer.Exit(run(paths))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tokenarium.render import Renderer, quieten_platform

    quieten_platform()
    renderer = Renderer()
    if render is not None:
        for picture in renderer.render(render, paths):
            typer.echo(f"wrote {picture}")
        renderer.print_tokens()
    if tour is not None:
        for picture in renderer.tour(tour):
            typer.echo(f"wrote {picture}")


def main() -> None:
    """Runs the command line."""
    app()
