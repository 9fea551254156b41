"""Which tokenizers are compared: only some of them, those that are chosen for a set, and sets that are saved by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from tokenarium.models.counted import quoted
from tokenarium.models.tokenizers.library import LibraryItem, State
from tokenarium.models.tokenizers.offers import away_sentence
from tokenarium.models.tokenizers.tokenizer_sets import MOST_MEMBERS, MOST_SETS, set_name
from tokenarium.session.library_edits import LibraryEdits


class TokenizerSets(QObject):
    """The sets of the user, and the tokenizers that are chosen to make one; all changes but the choice can be undone."""

    changed = Signal()
    """Other sets are saved, or other tokenizers chosen."""

    def __init__(self, edits: LibraryEdits, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edits = edits
        self._library = edits.library
        self._sets: dict[str, tuple[str, ...]] = {}
        self._chosen: list[str] = []
        self._hidden: list[str] = []  # the tokenizers that the last change turned off

    # Which tokenizers are compared.

    def show_only(self, keys: Iterable[str], title: str = "") -> None:
        """Turns these tokenizers on and all others off, in one step; nothing if none of them is on this computer."""
        items = [item for key in keys if (item := self._library.item(key)) is not None]
        here = [item for item in items if is_here(item)]
        if not here:
            return
        names = " and ".join(item.display_name for item in here[:2])
        hidden = [item.key for item in self._library if item.on and item not in here]
        with self._edits.undo_stack.step(title or f"Show only {names}"):
            for item in here:
                self._edits.turn_on(item.key, True)
            for key in hidden:
                self._edits.turn_on(key, False)
        self._hidden = hidden
        self.choose(())

    @property
    def can_show_again(self) -> bool:
        """Whether the last change hid tokenizers that are still off."""
        return any(not item.on for item in self._hidden_items())

    def show_again(self) -> None:
        """Turns the tokenizers on again that `show_only` turned off, in one step."""
        with self._edits.undo_stack.step("Show the others again"):
            for item in self._hidden_items():
                self._edits.turn_on(item.key, True)
        self._hidden = []

    def _hidden_items(self) -> list[LibraryItem]:
        items = (self._library.item(key) for key in self._hidden)
        return [item for item in items if item is not None and is_here(item)]

    # The tokenizers that are chosen.

    @property
    def chosen(self) -> tuple[str, ...]:
        """The keys of the tokenizers that are chosen, in the order of the choice."""
        return tuple(key for key in self._chosen if self._library.item(key) is not None)

    def toggle(self, key: str) -> None:
        """Adds a tokenizer to the choice, or removes it."""
        others = [one for one in self.chosen if one != key]
        self.choose(others if key in self._chosen else [*others, key])

    def choose(self, keys: Iterable[str]) -> None:
        """Chooses these tokenizers, and no others."""
        chosen = list(keys)
        if chosen != self._chosen:
            self._chosen = chosen
            self.changed.emit()

    @property
    def members(self) -> tuple[str, ...]:
        """The keys of the tokenizers that a new set gets: those that are chosen, or else those that are on."""
        return self.chosen or tuple(item.key for item in self._library if item.on)

    # The sets.

    @property
    def sets(self) -> Mapping[str, Sequence[str]]:
        """The keys of the tokenizers of each set, by its name, in the order in which they were saved."""
        return self._sets

    def restore(self, sets: Mapping[str, tuple[str, ...]]) -> None:
        """Takes the sets of the settings."""
        self._sets = dict(sets)
        self.changed.emit()

    def save(self, typed: str) -> str:
        """Saves the `members` as a set, or replaces the set of that name; returns why not, or "".

        The choice ends.
        """
        name, members = set_name(typed), self.members
        if not name:
            return "Enter a name for the set."
        if not members:
            return "No tokenizer is on: turn on those that the set shall have."
        if len(members) > MOST_MEMBERS:
            return f"A set has at most {MOST_MEMBERS:,} tokenizers."
        if name not in self._sets and len(self._sets) >= MOST_SETS:
            return f"There are {MOST_SETS:,} sets: delete one first."
        self._change(f"Save the set {name}", {**self._sets, name: members})
        self.choose(())
        return ""

    def show_set(self, name: str) -> str:
        """Shows only the tokenizers of a set; returns a sentence if some are not on this computer, or ""."""
        keys = self._sets.get(name, ())
        items = [self._library.item(key) for key in keys]
        away = [
            (key, item.display_name if item is not None else key.partition(":")[2])
            for key, item in zip(keys, items, strict=True)
            if item is None or not is_here(item)
        ]
        self.show_only(keys, f"Show the set {name}")
        if not away:
            return ""
        then = "; nothing was changed" if len(away) == len(keys) else ""
        return away_sentence([called for _, called in away], [key for key, _ in away], then)

    def rename(self, name: str, typed: str) -> str:
        """Gives a set another name; returns why not, or ""."""
        new = set_name(typed)
        if new == name or name not in self._sets:
            return ""
        if not new:
            return "Enter a name for the set."
        if new in self._sets:
            return f"There is already a set {quoted(new)}."
        renamed = {new if one == name else one: keys for one, keys in self._sets.items()}
        self._change(f"Rename the set {name}", renamed)
        return ""

    def delete(self, name: str) -> None:
        """Deletes a set; its tokenizers stay."""
        left = {one: keys for one, keys in self._sets.items() if one != name}
        if left != self._sets:
            self._change(f"Delete the set {name}", left)

    def _change(self, title: str, sets: dict[str, tuple[str, ...]]) -> None:
        before = self._sets
        self._edits.change(title, lambda: self.restore(sets), lambda: self.restore(before))


def is_here(item: LibraryItem) -> bool:
    """Whether a tokenizer is on this computer, so that it can be turned on."""
    return item.state not in (State.MISSING, State.FETCHING)
