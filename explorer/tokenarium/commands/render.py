"""``tokenarium render``: a picture of a saved session, or a web page."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from tokenarium.commands.terminal import say, sentences, write_stage
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
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="A picture: a name with .png or .svg; or a web page: .html.",
        ),
    ],
    size: Annotated[
        str,
        typer.Option(
            metavar="WxH",
            help="Width and height in pixels, instead of the session's (1440x900 if it names none).",
        ),
    ] = "",
    theme: Annotated[
        Literal["light", "dark", "contrast"] | None,
        typer.Option(help="The colours, instead of the session's."),
    ] = None,
) -> None:
    """Writes a picture of a saved session, without a display, or a web page.

    A web page is one file that needs no network: it shows the text and the tokens in any browser, light and dark.

    If something that the session needs is not on this computer, the standard error names it, and the picture or the page
    shows the rest.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with sentences():
        if out.suffix.lower() in (".html", ".htm"):
            _write_page(session, out, size, theme)
            return
        from tokenarium.models.scene import LEAST_SIDE, MOST_SIDE
        from tokenarium.models.scene_texts import read_scene_file

        sides = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", size)
        fits = sides and all(LEAST_SIDE <= int(side) <= MOST_SIDE for side in sides.groups())
        if size and not fits:
            raise TokenariumError(
                f"{size!r} is not a size: write width and height, each from {LEAST_SIDE} to {MOST_SIDE:,} pixels, as in 1280x720."
            )
        if out.suffix.lower() not in (".png", ".svg"):
            raise TokenariumError(f"{out.name} must end with .png, .svg or .html.")
        scene = read_scene_file(session)
        from PySide6.QtCore import QSize

        from tokenarium.tour.render import Renderer, quieten_platform

        quieten_platform()
        room = QSize(int(sides[1]), int(sides[2])) if sides else None
        for sentence in Renderer(()).scene(scene, out, room, theme):
            say(sentence)
        say(f"wrote {out}", err=False)


def _write_page(
    session: Path, out: Path, size: str, theme: Literal["light", "dark", "contrast"] | None
) -> None:
    """Writes the web page of a session, which needs neither a window nor its library."""
    from tokenarium.commands.reading import tokenizer_of
    from tokenarium.models.scene import SceneTokenizer
    from tokenarium.models.scene_texts import read_scene_file
    from tokenarium.web.scene_pages import scene_page
    from tokenarium_core import Tokenizer
    from tokenarium_core.whole_files import write_files

    if size:
        raise TokenariumError("A web page has no size: leave out --size.")

    def opened(one: SceneTokenizer) -> Tokenizer:
        return tokenizer_of(one.key.partition(":")[2] or one.key, one.pattern)

    html, said = scene_page(read_scene_file(session), opened, theme, report=write_stage)
    write_stage(None)
    for sentence in said:
        say(sentence)
    write_files({out: html.encode()})
    say(f"wrote {out}", err=False)
