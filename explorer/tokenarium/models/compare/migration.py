"""What the ids of a new tokenizer are in an old one, as arrays that cross processes, and as a table for embeddings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.csv_text import csv_text
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium_core.changing.migrating import Migration, SpecialClash
from tokenarium_core.whole_files import write_files

SAME: Final = "same"
MOVED: Final = "moved"
PIECES: Final = "pieces"
NOTHING: Final = "nothing"
UNUSED: Final = "unused"
DROPPED: Final = "dropped"

FATES = {
    SAME: "keep their id",
    MOVED: "have another id",
    PIECES: "are several entries of the old one",
    NOTHING: "are new: no old entry has their bytes",
    UNUSED: "are not used",
}
"""What becomes of the new ids, in words; the names are those of `Migration`."""

_NUMBERS = {fate: number for number, fate in enumerate(FATES)}

Ids = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class MigrationTable:
    """A `Migration` in arrays: ``fates`` by new id, as places in `FATES`; the old ids of each are a range of
    ``sources``.

    ``offsets`` has one more than there are new ids. ``dropped`` are the old ids that are no longer there.
    """

    fates: npt.NDArray[np.uint8]
    offsets: Ids
    sources: Ids
    dropped: Ids
    clashes: tuple[str, ...]

    def fate(self, id: int) -> str:
        """Returns what becomes of a new id."""
        return list(FATES)[int(self.fates[id])]

    def old_ids(self, id: int) -> list[int]:
        """Returns the old ids that a new one begins with."""
        sources: list[int] = self.sources[self.offsets[id] : self.offsets[id + 1]].tolist()
        return sources

    def ids(self, fate: str) -> Ids:
        """Returns the new ids of a fate, or the old ones that are dropped; all new ones for ""."""
        if fate == DROPPED:
            return self.dropped
        if not fate:
            return np.arange(len(self.fates), dtype=np.int32)
        return np.flatnonzero(self.fates == _NUMBERS[fate]).astype(np.int32)

    @property
    def counts(self) -> dict[str, int]:
        """How many new ids have each fate, and how many old ones are dropped."""
        counts = np.bincount(self.fates, minlength=len(FATES)).tolist()
        return {**dict(zip(FATES, counts, strict=True)), DROPPED: len(self.dropped)}


def migration_table(found: Migration) -> MigrationTable:
    """Returns a migration in arrays."""
    lengths = [len(ids) for ids in found.sources]
    return MigrationTable(
        np.array([_NUMBERS[fate] for fate in found.fates], np.uint8),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        np.array([id for ids in found.sources for id in ids], np.int32),
        np.array(found.dropped, np.int32),
        tuple(map(clash_sentence, found.clashes)),
    )


def migrate_sources(
    report: ProgressReporter, old: str, old_pattern: str, new: str, new_pattern: str
) -> MigrationTable:
    """Opens two tokenizers, and returns what the ids of the second are in the first; for a process of its own."""
    return migration_table(tc.migrate(_opened(old, old_pattern), _opened(new, new_pattern)))


def save_mapping(
    report: ProgressReporter,
    table: MigrationTable,
    old: tuple[str, str, str],
    new: tuple[str, str, str],
    path: Path,
) -> None:
    """Writes `mapping_of` two tokenizers, each by its source, pattern and name; as JSON where the path says so.

    For a process of its own. WriteError if the file cannot be written.
    """
    before, after = _opened(*old), _opened(*new)
    write_files({path: mapping_of(table, before, after, path.suffix.lower() == ".json")})


def _opened(source: str, pattern: str, name: str = "") -> tc.Tokenizer:
    tokenizer = tc.open(source, pattern=pattern or None)
    if name:
        tokenizer.name = name
    return tokenizer


def clash_sentence(one: SpecialClash) -> str:
    """Returns a sentence on a special token that now means something else."""
    if one.old_name == one.new_name:
        return f"{one.old_name} had the id {one.old_id}, and now has {one.new_id}."
    return f"The id {one.old_id} was {one.old_name}, and is now {one.new_name}."


def mapping_of(table: MigrationTable, old: tc.Tokenizer, new: tc.Tokenizer, as_json: bool) -> bytes:
    """Returns a row for each new id: its entry, what becomes of it, and the old ids whose rows its embedding begins with.

    As CSV, or as JSON with the names of both tokenizers and the ids that are dropped; both in UTF-8.
    """
    fates, starts, sources = list(FATES), table.offsets.tolist(), table.sources.tolist()
    rows = (
        (id, new.vocabulary.surface(id), fates[fate], sources[starts[id] : starts[id + 1]])
        for id, fate in enumerate(table.fates.tolist())
    )
    if as_json:
        content = {
            "old": old.name,
            "new": new.name,
            "ids": [
                {"id": id, "entry": entry, "fate": fate, "old_ids": ids}
                for id, entry, fate, ids in rows
            ],
            "dropped": table.dropped.tolist(),
        }
        return json.dumps(content, ensure_ascii=False, indent=0).encode() + b"\n"
    lines = [(id, entry, fate, " ".join(map(str, ids))) for id, entry, fate, ids in rows]
    written = csv_text([("id", "entry", "fate", "old_ids"), *lines], quoted=True)
    return written.encode("utf-8", "surrogatepass")
