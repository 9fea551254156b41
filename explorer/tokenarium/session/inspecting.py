"""Gathers what the inspector shows, out of the session."""

from __future__ import annotations

from tokenarium.models.text import inspection
from tokenarium.session.session import Session
from tokenarium.style.theme import Theme
from tokenarium.widgets.text.inspector import Inspected, TokenizerPart

SHOWN_BYTES = 1024
"""A longer range is looked into at its beginning only."""


def inspect(session: Session, theme: Theme) -> Inspected | None:
    """Returns what the selected (else the pointed at) bytes are; None where there are none."""
    span = session.focus
    text_map = session.text_map
    if span is None or span[1] > text_map.byte_count:
        return None
    start, end = span
    first, last = text_map.characters(start, end)
    count = int(text_map.byte_to_char(last)) - int(text_map.byte_to_char(first))
    parts = []
    for entry in session.chosen():
        encoded = session.encoded(entry.key)
        if encoded is not None and encoded.encoding is not None and entry.tokenizer is not None:
            rows = inspection.tokens(encoded.encoding, entry.tokenizer, start, end)
            parts.append(TokenizerPart(entry.key, entry.name, theme.tokenizer(entry.colour), rows))
    return Inspected(
        start,
        end,
        text_map.byte_count,
        session.selection is not None,
        text_map.utf8[start : min(end, start + SHOWN_BYTES)],
        inspection.characters(text_map.utf8[first : min(last, first + SHOWN_BYTES)]),
        count,
        parts,
    )
