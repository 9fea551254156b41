"""A figure in a notebook: a still form that needs no script, perhaps a live one, and the same in a terminal."""

from __future__ import annotations

import html
import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

from tokenarium.models.files import write_whole

FRAME_HEIGHT = 420
"""Pixels of a live figure, which scrolls if it is taller."""

PLAIN_WIDTH = 100
"""Columns of a figure as plain text."""


class NotebookFigure:
    """What the functions of `tokenarium.notebook` return.

    A notebook shows ``html``, rich draws it in a terminal, and ``str`` is plain text. ``rows`` are the numbers that it
    shows, a dict for each row: ``pandas.DataFrame(figure.rows)`` is a table of them.
    """

    def __init__(
        self,
        still: str,
        drawing: RenderableType,
        rows: Sequence[Mapping[str, object]] = (),
        page: str = "",
        height: int = FRAME_HEIGHT,
    ) -> None:
        """``still`` is HTML without a script, ``page`` a whole HTML page with one, if there is one; ``height``: in pixels."""
        self.still = still
        self.rows = [dict(row) for row in rows]
        self.page = page
        self._drawing = drawing
        self.height = height

    @property
    def html(self) -> str:
        """The figure as a notebook shows it.

        A page with a script is in a frame of its own, where it sees nothing of the notebook. In a notebook that is not
        trusted the frame is removed, and the still form is left.
        """
        if not self.page:
            return self.still
        frame = (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="Figure" width="100%"'
            f' height="{self.height}" style="border: 0"></iframe>'
        )
        return f"{frame}<details><summary>Without a script</summary>{self.still}</details>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure as an HTML page that needs no other file; WriteError if that is not possible."""
        page = self.page or (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Tokenarium</title>'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline';"
            f' img-src data:"></head><body>{self.still}</body></html>'
        )
        write_whole(Path(path), page)

    def _repr_html_(self) -> str:
        return self.html

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._drawing

    def __repr__(self) -> str:
        out = io.StringIO()
        Console(file=out, width=PLAIN_WIDTH, color_system=None, force_jupyter=False).print(
            self._drawing
        )
        return out.getvalue().rstrip("\n")
