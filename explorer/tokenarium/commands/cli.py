"""The command line: ``tokenarium [FILE…]`` opens the window, ``tokenarium encode …`` and others work without it."""

from __future__ import annotations

import os
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from tokenarium.commands.quick import tolerate_characters, version_line

if TYPE_CHECKING:
    from tokenarium.session.session import Session

WINDOW = "window"
"""The command that runs if none is named."""

PRINTED_ROWS = 40
"""Tokens of each tokenizer that ``--render`` prints."""


ANALYSES = (
    "overlap", "stages", "stage-times", "numbers", "morphology", "code", "divergence", "bits",
    "unused", "first-bytes", "perturb", "stream", "ways", "covering", "digits", "text-sizes",
    "superwords", "mingram", "final-style", "sample",
)  # fmt: skip
"""The commands that are made from an analysis, in the module of that name."""

NAMES = (
    "encode", "encode-corpus", "decode", "show", "count", "train", "inspect", "diagnose",
    "evaluate", "expect", "chat", "export", "change", "extend", "migrate", "prune", "compare",
    "diff", "readers", *ANALYSES, "render", "fetch", "lesson", "registry", "desktop",
)  # fmt: skip
"""The other commands, in the order of the help. Each is in the module of its name, with “_” for “-”."""

WRITTEN = ("diff", "readers")
"""The commands of analyses that are written by hand, since they have arguments or exit codes of their own."""

OWN_OPTIONS = ("--help", "--version", "--install-completion", "--show-completion")
"""The options of the program itself; any other belongs to the window."""


class _WindowByDefault(TyperGroup):
    """Passes arguments that do not begin with a command's name to `WINDOW`; imports a command when it is named.

    All commands together import numpy and more, which takes longer than most of them run.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = (WINDOW, *NAMES, *OWN_OPTIONS)
        completing = ctx.resilient_parsing and not args
        if not completing and (not args or args[0] not in known):
            args = [WINDOW, *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def list_commands(self, ctx: Any) -> list[str]:
        return [WINDOW, *NAMES]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in NAMES and cmd_name not in self.commands:
            self.commands[cmd_name] = _command(cmd_name)
        return super().get_command(ctx, cmd_name)


def _command(name: str) -> Any:
    """Returns a command or a group of commands by its name."""
    plain = name.replace("-", "_")
    if name in ANALYSES:
        from tokenarium.commands.analysis_command import command_of

        command = command_of(getattr(import_module(f"tokenarium.analyses.{plain}"), plain.upper()))
    else:
        command = getattr(import_module(f"tokenarium.commands.{plain}"), plain)
    if not isinstance(command, typer.Typer):
        # In all paragraphs but the first, Typer keeps the line breaks of the docstring.
        paragraphs = cleandoc(command.__doc__ or "").split("\n\n")
        written = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
        holder = typer.Typer(add_completion=False)
        holder.command(name, help=written)(command)
        command = holder
    command.info.name = name
    click_command = typer.main.get_command(command)
    click_command.name = name
    for parameter in click_command.params:
        if parameter.param_type_name == "argument" and getattr(parameter, "hidden", False):
            # Click leaves a hidden argument out of the help, but not out of the usage line.
            parameter.get_usage_pieces = lambda ctx: []  # type: ignore[method-assign]
    return click_command


app = typer.Typer(
    cls=_WindowByDefault,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_line())
        raise typer.Exit


@app.callback()
def tokenarium(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Shows how a text becomes tokens, stage by stage, for several tokenizers side by side.

    Without a command, "tokenarium [FILE…]" opens the window.
    """


@app.command(WINDOW)
def window(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Text, session and tokenizer files, and links, to open in the window."),
    ] = None,
    render: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Render the window to PNG files in DIR, without a display, and print the tokens.",
        ),
    ] = None,
    tour: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Render every state of the window, or those that are named after DIR, to PNG files in it.",
        ),
    ] = None,
    safe: Annotated[
        bool,
        typer.Option(
            "--safe", help="Open with only the shipped tokenizer, and save nothing of the window."
        ),
    ] = False,
    new_window: Annotated[
        bool, typer.Option("--new-window", help="Open another window in addition to the open one.")
    ] = False,
) -> None:
    """Opens the window, as without a command; files go to the window that is already open."""
    paths = files or []
    if render is None and tour is None:
        from tokenarium.app.opening import open_window

        raise typer.Exit(open_window([str(path) for path in paths], safe, new_window))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from tokenarium.tour.render import Renderer, quieten_platform

    quieten_platform()
    if render is not None:
        renderer = Renderer()
        for picture in renderer.render(render, paths):
            typer.echo(f"wrote {picture}")
        _print_tokens(renderer.window.session)
    if tour is not None:
        from tokenarium.tour.tour import take_tour

        for picture in take_tour(tour, [path.name for path in paths]):
            typer.echo(f"wrote {picture}")


def _print_tokens(session: Session) -> None:
    """Prints the first tokens of every tokenizer."""
    from tokenarium.commands.terminal import write_table
    from tokenarium.models.packed_arrays import array_of
    from tokenarium.models.text.piece import byte_numbers, readable

    columns = [("#", True), ("id", True), ("token", False), ("bytes", False), ("span", True)]
    for item in session.chosen():
        encoded = session.encoded(item.key)
        if encoded is None or encoded.tokens is None or item.tokenizer is None:
            continue
        ids = array_of(encoded.tokens.whole.ids)
        spans = array_of(encoded.tokens.whole.spans).reshape(-1, 2).tolist()
        pieces = map(item.tokenizer.vocabulary.piece, ids[:PRINTED_ROWS].tolist())
        rows = [
            (
                str(index),
                str(int(ids[index])),
                readable(piece),
                byte_numbers(piece, 12),
                f"{spans[index][0]} to {spans[index][1]}",
            )
            for index, piece in enumerate(pieces)
        ]
        size = max(session.text_map.byte_count, 1)
        title = f"{item.name}: {len(ids):,} tokens, {size / max(len(ids), 1):.2f} bytes per token"
        write_table(columns, rows, title, wrapping=(2, 3))
        if len(ids) > PRINTED_ROWS:
            print(f"and {len(ids) - PRINTED_ROWS:,} more")


def main() -> None:
    """Runs the command line. An exception that no command handles ends in one sentence too."""
    tolerate_characters()
    try:
        app(prog_name="tokenarium")  # whatever name it was called by: shells complete this one
    except (Exception, KeyboardInterrupt) as error:
        from tokenarium.commands.reading import failure
        from tokenarium.models.faults import LISTENERS
        from tokenarium.models.system_libraries import refusal

        if LISTENERS or (isinstance(error, ImportError) and refusal(error)):
            raise  # the process that watches the window reports it, or the caller does
        sentence, code = failure(error)
        typer.secho(sentence, fg="red", err=True)
        raise SystemExit(code) from None
