"""What the ids of a new tokenizer are in an old one, as arrays that cross processes, and as a table for embeddings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.csv_text import csv_text
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.text.lost_text import SIGN, listed
from tokenarium.models.text.piece import counted, percent, piece_text
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

KINDS = {
    SAME: "they keep their id, and its row of the embedding",
    "moved": "both tokenizers have them, with different ids",
    "pieces": "the old tokenizer splits them into several entries, whose rows they start from",
    "nothing": "no old entry has their bytes",
    UNUSED: "the new tokenizer does not use these ids",
    DROPPED: "entries of the old tokenizer that the new one lacks",
}
"""The same about the ids themselves, with those of the old tokenizer that are dropped."""

SHOWN_SOURCES: Final = 12
SHOWN_CLASHES: Final = 4
"""How many old ids of one new id, and how many clashes, are written out."""

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


def migration_sentence(
    table: MigrationTable,
    names: tuple[str, str],
    costs: tuple[int, int] | None,
    losses: Sequence[tuple[str, float]] = (),
) -> str:
    """Returns how many ids keep their meaning, and what a text costs.

    ``names`` are those of the old tokenizer and the new one, ``costs`` their tokens of the text; ``losses`` are those that
    lose too much of it for a comparison, with the share.
    """
    old, new = names
    kept, total = table.counts[SAME], len(table.fates)
    said = f"{kept:,} of the {total:,} ids of {new} keep their meaning ({percent(kept / max(total, 1))})"
    if costs is None or not costs[0]:
        return f"{said}."
    before, after = costs
    how = "as many"
    if after != before:
        how = f"{percent(abs(after / before - 1))} {'fewer' if after < before else 'more'}"
    if losses:  # fewer tokens are then no gain
        how = f"{SIGN} but part of it is lost ({listed(losses)})"
    return f"{said}; the text needs {before:,} tokens in {old} and {after:,} in {new}: {how}."


def clashes_sentence(clashes: Sequence[str]) -> str:
    """Returns how many special tokens mean something else, and the first of them; empty if there are none."""
    if not clashes:
        return ""
    shown = list(clashes[:SHOWN_CLASHES])
    if len(clashes) > SHOWN_CLASHES:
        shown.append(f"And {len(clashes) - SHOWN_CLASHES:,} more special tokens clash.")
    count = counted(len(clashes), "special token means", "special tokens mean")
    return f"{count} something else. {' '.join(shown)}"


def begins_with(table: MigrationTable, old: tc.Tokenizer, id: int) -> str:
    """Returns the old ids, with their pieces, whose rows the row of a new id begins with."""
    sources = table.old_ids(id)
    parts = [f"{one} {piece_text(old.vocabulary, one)}" for one in sources[:SHOWN_SOURCES]]
    more = f"  and {len(sources) - SHOWN_SOURCES} more" if len(sources) > SHOWN_SOURCES else ""
    return "  +  ".join(parts) + more if parts else "–"


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
