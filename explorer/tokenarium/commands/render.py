"""``tokenarium render``: a picture of a saved session."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from tokenarium.commands.terminal import sentences
from tokenarium_core import TokenariumError


def render(
    session: Annotated[
        Path,
        typer.Argument(
            metavar="SESSION", help="A session's file, as File › Save session writes it."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="The picture: a name with .png or .svg."),
    ],
    size: Annotated[
        str,
        typer.Option(
            metavar="WxH",
            help="Width and height in pixels, instead of the session's (1440x900 if it names none).",
            show_default=False,
        ),
    ] = "",
    theme: Annotated[
        Literal["light", "dark", "contrast"] | None,
        typer.Option(help="The colours, instead of the session's.", show_default=False),
    ] = None,
) -> None:
    """Writes a picture of a saved session, without a display.

    If something that the session needs is not on this computer, the standard error names it, and the picture shows the
    rest.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with sentences():
        from tokenarium.models.scene import LEAST_SIDE, MOST_SIDE
        from tokenarium.models.scene_texts import read_scene_file

        sides = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", size)
        fits = sides and all(LEAST_SIDE <= int(side) <= MOST_SIDE for side in sides.groups())
        if size and not fits:
            raise TokenariumError(
                f"{size!r} is not a size: write width and height, each from {LEAST_SIDE} to {MOST_SIDE:,} pixels, as in 1280x720."
            )
        if out.suffix.lower() not in (".png", ".svg"):
            raise TokenariumError(f"{out.name} must end with .png or .svg.")
        scene = read_scene_file(session)
        from PySide6.QtCore import QSize

        from tokenarium.tour.render import Renderer, quieten_platform

        quieten_platform()
        room = QSize(int(sides[1]), int(sides[2])) if sides else None
        for sentence in Renderer(()).scene(scene, out, room, theme):
            typer.echo(sentence, err=True)
        typer.echo(f"wrote {out}")
