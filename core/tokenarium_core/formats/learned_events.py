"""What a BoundlessBPE training learned, event by event, as listed in its files."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.merge_events import BYTES, REMOVAL, MergeEvents
from tokenarium_core.models.bpe.supermerges import Supermerges
from tokenarium_core.vocabulary import Vocabulary

MERGE: Final = "merge"
DELETION: Final = "deletion"
SUPERMERGE: Final = "supermerge"

LONGEST: Final = 1 << 16
"""The most bytes of a piece that an event may make: no training makes longer ones."""

Learned = tuple[str, list[bytes]]
"""The kind of an event, and its pieces: two that are joined, or one that is deleted."""


def learned_events(model: BoundlessBpe) -> list[Learned]:
    """Returns the events of a model in their order."""
    events = model.events
    supermerges = model.supermerges
    vocabulary = model.vocabulary
    learned: list[Learned] = []
    following: i64 = 0
    for event in range(len(events) + 1):
        while following < len(supermerges) and i64(supermerges.times[following]) == event:
            left = vocabulary.piece(i64(supermerges.lefts[following]))
            right = vocabulary.piece(i64(supermerges.rights[following]))
            learned.append((SUPERMERGE, [left, right]))
            following += 1
        if event == len(events):
            break
        if i64(events.lefts[event]) == REMOVAL:
            learned.append((DELETION, [events.pieces[i64(events.tokens[event])]]))
        else:
            left = events.pieces[i64(events.lefts[event])]
            right = events.pieces[i64(events.rights[event])]
            learned.append((MERGE, [left, right]))
    return learned


@final
class EventsReader:
    """Collects the events of a file in order, and checks that each can follow those before it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._events = MergeEvents(to_bytes=True)
        self._supermerges = Supermerges()

    def add(self, kind: str, pieces: list[bytes], where: str) -> None:
        """Adds an event; FormatError, which begins with ``where``, if no training has it here."""
        product = b"".join(pieces)
        ids = [self._vocabulary.find(piece) for piece in (*pieces, product)]
        if -1 in ids or len(product) > LONGEST:
            raise FormatError(
                f"{where} needs an entry that does not exist, or makes one that is too long."
            )
        events = self._events
        if kind == SUPERMERGE:
            self._supermerges.add(ids[0], ids[1], ids[2], len(events))
            return
        numbers = [events.number_of(piece) for piece in pieces]
        if -1 in numbers:
            raise FormatError(f"{where} needs a token that no merge before it makes.")
        if kind == MERGE:
            if events.number_of(product) >= 0:
                raise FormatError(f"{where} makes a token that already exists.")
            events.merge(numbers[0], numbers[1])
        elif numbers[0] < BYTES or not events.present[numbers[0]]:
            raise FormatError(f"{where} deletes a byte, or a token that is already deleted.")
        else:
            events.remove(numbers[0])

    def model(self, source: str) -> BoundlessBpe:
        """Returns the model of all events; FormatError if supermerges make an entry twice."""
        try:
            return BoundlessBpe(self._vocabulary, self._events, self._supermerges)
        except FormatError as error:
            raise FormatError(f"{source}: {error}") from error
