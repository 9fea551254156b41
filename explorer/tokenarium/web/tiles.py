"""Tokens as tiles, and sentences with tokens in them, as HTML."""

from __future__ import annotations

from tokenarium.models.text.piece import Sentence, readable
from tokenarium.models.text.segmentation import TOKEN_COLOURS, token_colour
from tokenarium.style.cuts import Cut, tile_cuts
from tokenarium.web.html import bdi, escaped

_EDGES = {Cut.TORN: "torn", Cut.NOTCH: "notch"}


def tile(piece: bytes, token: int = -1, place: int = 0, about: str = "", more: str = "") -> str:
    """Returns a token as a tile with its id below; without an id it has no colour.

    ``place`` is its place among others, which gives its shade; ``about`` is a tooltip, ``more`` are classes.
    """
    left, right = tile_cuts(piece)
    edges = "".join(
        f" {_EDGES[cut]}-{side}"
        for cut, side in ((left, "left"), (right, "right"))
        if cut in _EDGES
    )
    colour = f"s{token_colour(token) + TOKEN_COLOURS // 2 * (place % 2)}" if token >= 0 else "none"
    title = f' title="{escaped(about)}"' if about else ""
    below = f"<small>{token}</small>" if token >= 0 else ""
    return f'<span class="token"{title}><span class="tile {colour}{edges}{more}">{bdi(readable(piece, 40))}</span>{below}</span>'


def sentence(parts: Sentence) -> str:
    """Returns a sentence with its tokens as small tiles."""
    written = []
    for part in parts:
        if isinstance(part, str):
            written.append(escaped(part))
            continue
        colour = f"s{token_colour(part.id)}" if part.id >= 0 else "none"
        written.append(f'<span class="tile {colour} small">{bdi(part.text)}</span>')
    return "".join(written)
