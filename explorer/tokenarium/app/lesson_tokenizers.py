"""The tokenizers of a lesson: of each, the first of its keys that is on this computer."""

from __future__ import annotations

from collections.abc import Iterable

from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, State
from tokenarium.models.tokenizers.tokenizer_identity import is_of_offer
from tokenarium.session.session import Session

AWAY = (State.MISSING, State.FETCHING, State.FAILED)


def first_here(session: Session, group: Iterable[str]) -> LibraryItem | None:
    """Returns the first of the tokenizers, given by keys, that is on this computer."""
    found = (item_here(session, key) for key in group)
    return next((item for item in found if item is not None and item.state not in AWAY), None)


def item_here(session: Session, key: str) -> LibraryItem | None:
    """Returns the tokenizer with a key; where that is not on this computer, an open file with the same vocabulary."""
    item = session.library.item(key)
    if item is None or item.state not in AWAY:
        return item
    for other in session.library.group(LibraryGroup.FILES):
        if other.tokenizer is not None and is_of_offer(other.tokenizer, key):
            return other
    return item
