"""``tokenarium render``: a picture of a saved session."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from tokenarium.commands.terminal import sentences
from tokenarium_core import TokenariumError

LEAST, MOST = 320, 8192
"""Pixels: the smallest and the largest side of a picture."""


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
        str, typer.Option(metavar="WxH", help="Width and height in pixels.")
    ] = "1440x900",
    theme: Annotated[
        Literal["light", "dark", "contrast"] | None,
        typer.Option(help="The colours, instead of the session's.", show_default=False),
    ] = None,
) -> None:
    """Writes a picture of a saved session, without a display.

    What the session needs and this computer does not have is named on the standard error, and what can be shown is
    in the picture.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with sentences():
        sides = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", size)
        if sides is None or not all(LEAST <= int(side) <= MOST for side in sides.groups()):
            raise TokenariumError(
                f"{size!r} is not a size: write width and height, each from {LEAST} to {MOST:,} pixels, as in 1280x720."
            )
        if out.suffix.lower() not in (".png", ".svg"):
            raise TokenariumError(f"{out.name} must end with .png or .svg.")
        from tokenarium.models.scene import read_scene_file

        found = read_scene_file(session)
        from PySide6.QtCore import QSize

        from tokenarium.tour.render import Renderer, quieten_platform

        quieten_platform()
        room = QSize(int(sides[1]), int(sides[2]))
        for sentence in Renderer(()).scene(found, out, room, theme):
            typer.echo(sentence, err=True)
        typer.echo(f"wrote {out}")
