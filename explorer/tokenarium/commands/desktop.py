"""``tokenarium desktop install`` and ``remove``: the menu entry of a Linux desktop."""

from __future__ import annotations

import typer

desktop = typer.Typer(help="Adds Tokenarium to the applications menu of a Linux desktop.")


@desktop.command("install")
def install() -> None:
    """Adds Tokenarium to the applications menu of this user, and makes it open tokenizer files and links."""
    from tokenarium.pictures import desktop_entry
    from tokenarium_core import TokenariumError

    _need_linux()
    try:
        files = desktop_entry.install()
    except TokenariumError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    typer.echo(f"Added: {files[0]}, with types of files and icons in {desktop_entry.user_folder()}")
    typer.echo("“tokenarium desktop remove” removes it.")


@desktop.command("remove")
def remove() -> None:
    """Removes what “tokenarium desktop install” has added."""
    from tokenarium.pictures import desktop_entry

    _need_linux()
    try:
        files = desktop_entry.remove()
    except OSError as error:
        typer.echo(f"{error.filename} cannot be removed: {error.strerror}.", err=True)
        raise typer.Exit(1) from error
    typer.echo(f"Removed {len(files)} files." if files else "There was nothing to remove.")


def _need_linux() -> None:
    from tokenarium.pictures import desktop_entry

    if not desktop_entry.is_possible():
        typer.echo("Only Linux and BSD desktops have such entries.", err=True)
        raise typer.Exit(1)
