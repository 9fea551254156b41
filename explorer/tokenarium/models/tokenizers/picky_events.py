"""What a training of PickyBPE merged and removed, as rows."""

from __future__ import annotations

from tokenarium.models.text.piece import counted, readable
from tokenarium_core.models import PickyBpe

NAMED = 12
"""Removed tokens that are named; the others are counted."""


def removed_tokens(model: PickyBpe) -> list[str]:
    """Returns the texts of the tokens that were removed and did not come back, in the order in which they were made."""
    events = model.events
    return [
        readable(piece)
        for piece, present in zip(events.pieces, events.present, strict=True)
        if not present
    ]


def removal_facts(model: PickyBpe) -> list[tuple[str, str | int]]:
    """Returns how many merges and removals there were, how many tokens came back, and which are gone."""
    events = model.events
    removals = sum(1 for left in events.lefts if left < 0)
    removed = removed_tokens(model)
    named = " · ".join(f"“{token}”" for token in removed[:NAMED])
    if len(removed) > NAMED:
        named += f" and {len(removed) - NAMED:,} more"
    rows: list[tuple[str, str | int]] = [
        ("Merges", len(events) - removals),
        ("Removals", removals),
        ("Removed tokens that came back", removals - len(removed)),
        ("Removed tokens", len(removed)),
    ]
    return [*rows, ("Removed", named)] if removed else rows


def event_rows(model: PickyBpe) -> list[tuple[str, str, str]]:
    """Returns a row for each merge and removal in their order: which of both, of what, and what is there after it."""
    events = model.events
    texts = [readable(piece) for piece in events.pieces]
    rows = []
    for number, (left, right, token) in enumerate(
        zip(events.lefts, events.rights, events.tokens, strict=True)
    ):
        if left < 0:
            parts = " + ".join(texts[part] for part in events.parts_of(number))
            rows.append(("removal", texts[token], parts))
        else:
            rows.append(("merge", f"{texts[left]} + {texts[right]}", texts[token]))
    return rows


def events_title(name: str, model: PickyBpe) -> str:
    """Returns the title of a table of these rows."""
    removals = sum(1 for left in model.events.lefts if left < 0)
    merges = counted(len(model.events) - removals, "merge")
    return f"{name}: {merges} and {counted(removals, 'removal')}"
