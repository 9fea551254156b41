"""The figure of the page Migrate: what becomes of the ids when a model gets another tokenizer, and the first of them."""

from __future__ import annotations

from typing import Final

import tokenarium_core as tc
from tokenarium.models.compare.migration import (
    DROPPED,
    KINDS,
    MigrationTable,
    begins_with,
    clashes_sentence,
    migration_sentence,
    migration_table,
)
from tokenarium.models.text.lost_text import is_doubtful, lost_bytes
from tokenarium.models.text.piece import percent, piece_text
from tokenarium.web.analysis_figures import check_tokenizers
from tokenarium.web.html import bdi, escaped, table
from tokenarium.web.page import Figure
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer

MOST_IDS: Final = 30
"""The most ids that are listed."""


def migrate_figures(shown: ShownScene) -> list[Figure]:
    """Returns what the ids of the new tokenizer of a scene are in its old one."""
    old, new = _pair(shown)
    found = migration_table(tc.migrate(old.tokenizer, new.tokenizer))
    costs, losses = None, []
    if shown.text.byte_count:
        encodings = [one.tokenizer.encode(shown.text.text) for one in (old, new)]
        costs = len(encodings[0].ids), len(encodings[1].ids)
        for one, encoding in zip((old, new), encodings, strict=True):
            share = lost_bytes(one.tokenizer, shown.text.utf8, encoding) / shown.text.byte_count
            if is_doubtful(share):
                losses.append((one.name, share))
    said = migration_sentence(found, (old.name, new.name), costs, losses)
    clashes = clashes_sentence(found.clashes)
    remark = f'<p class="remark">{escaped(clashes)}</p>' if clashes else ""
    title = f"{old.name} to {new.name}"
    html = f"<p>{escaped(said)}</p>{remark}{_kinds(found, title)}{_ids(found, old, new, shown)}"
    return [Figure(f'<div class="answer">{html}</div>', title=title)]


def _pair(shown: ShownScene) -> tuple[ShownTokenizer, ShownTokenizer]:
    """Returns the two of the scene, or else the first two: the old one and the new one."""
    check_tokenizers(shown, 2)
    kept = shown.kept("pair")
    keys = kept if isinstance(kept, list | tuple) else ()
    there = {one.key: one for one in shown.tokenizers}
    chosen = {key: there[key] for key in keys if isinstance(key, str) and key in there}
    first, second = chosen.values() if len(chosen) == 2 else shown.tokenizers[:2]
    return first, second


def _kinds(found: MigrationTable, title: str) -> str:
    counts, total = found.counts, max(len(found.fates), 1)
    rows = [
        [kind, f"{counts[kind]:,}", "" if kind == DROPPED else percent(counts[kind] / total), said]
        for kind, said in KINDS.items()
    ]
    return table(["Which", "Ids", "Share", "What becomes of them"], rows, title, (1, 2))


def _ids(found: MigrationTable, old: ShownTokenizer, new: ShownTokenizer, shown: ShownScene) -> str:
    """Returns the first ids, or those of the kind that is chosen; of dropped entries, those are ids of the old one."""
    kind = shown.kept("kind")
    kind = kind if isinstance(kind, str) and kind in KINDS else ""
    ids = found.ids(kind).tolist()
    whose = (old if kind == DROPPED else new).tokenizer.vocabulary
    rows = [
        [
            str(id),
            bdi(piece_text(whose, id)),
            DROPPED if kind == DROPPED else found.fate(id),
            "–" if kind == DROPPED else bdi(begins_with(found, old.tokenizer, id)),
        ]
        for id in ids[:MOST_IDS]
    ]
    said = f"{len(ids):,} ids{f' of the kind “{kind}”' if kind else ''}; {len(rows):,} are listed."
    listed = table(["Id", "Entry", "Which", "Begins with"], rows, "The ids", (0,))
    return f'<p class="remark">{escaped(said)}</p>{listed}'
