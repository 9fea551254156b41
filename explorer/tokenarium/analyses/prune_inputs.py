"""What to remove from a tokenizer besides the least used entries, for the page and the command."""

from __future__ import annotations

from typing import Final

from tokenarium.analyses.field import Flag, Texts

PRUNE_FIELDS: Final = (
    Texts(
        "script",
        "Remove all entries with a character of this script, such as Cyrillic or Hani; may be repeated.",
        "Scripts to remove",
        "Removes all entries with a character of these scripts, such as Cyrillic, Han",
        "prune_scripts",
        kept_if_usual=False,
        hint="Scripts: Cyrillic, Han …",
    ),
    Flag(
        "never_used",
        "Remove all entries that the texts of --corpus never use.",
        "Never used",
        "Removes all entries that these texts never use",
        "prune_never_used",
        kept_if_usual=False,
    ),
    Flag(
        "keep_ids",
        "Keep the ids of the remaining entries, with gaps, if the file format allows them.",
        "Keep ids",
        "The remaining entries keep their ids, with gaps; not every file format allows gaps",
        "prune_keep_ids",
        kept_if_usual=False,
    ),
)
