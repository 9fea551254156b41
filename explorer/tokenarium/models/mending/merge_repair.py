"""The repair of entries that no merge makes: each missing merge is put where the ids of the entries say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import Diagnosis
from tokenarium.models.mending.repair import (
    WHOLE,
    EditAction,
    FileEdit,
    Repair,
    json_of,
    whole_path,
)
from tokenarium.models.text.piece import counted

MOST_MERGES: Final = 64
"""The most merges that are put in: of a file that lacks more, the merges were not lost one by one."""

Pair = tuple[str, str]


def merge_repairs(tokenizer: tc.Tokenizer, finding: Diagnosis) -> Iterator[Repair]:
    """Yields the repair of a BPE whose ids follow its merges, and which has entries that no merge makes."""
    model = json_of(tokenizer, WHOLE).get("model") if whole_path(tokenizer) is not None else None
    if not isinstance(model, Mapping) or model.get("type", "BPE") != "BPE":
        return
    found = missing_merges(model, finding.tokens)
    if not found:
        return
    is_text = isinstance(model["merges"][0], str)
    edits = tuple(
        FileEdit(
            WHOLE,
            ("model", "merges", place),
            None,
            " ".join(pair) if is_text else list(pair),
            EditAction.INSERT,
        )
        for place, pair in found
    )
    said = (
        f"Puts {counted(len(found), 'missing merge')} into the file, each at the rank that the id of its entry says: the"
        " entries come out of texts again, and texts with them get other ids."
    )
    title = "Add the missing merge" if len(found) == 1 else "Add the missing merges"
    yield Repair(finding.id, finding.id, title, said, edits)


def missing_merges(model: Mapping[str, Any], tokens: tuple[int, ...]) -> list[tuple[int, Pair]]:
    """Returns the merges that are missing for some entries, each with its place, to be inserted in this order.

    None if the ids of the entries do not follow the merges, so that no place is known, or if too many are missing.
    """
    vocab, merges = model.get("vocab"), model.get("merges")
    if not isinstance(vocab, Mapping) or not isinstance(merges, list) or not merges:
        return []
    pairs = [_pair(one) for one in merges]
    made = [vocab.get(left + right, -1) for left, right in pairs]
    if any(first >= second for first, second in pairwise(made)):
        return []
    ranks = dict(zip(pairs, made, strict=True))
    wanted = set(tokens) - set(made)
    entries = sorted((id, entry) for entry, id in vocab.items() if id in wanted and len(entry) > 1)
    found: list[tuple[int, Pair]] = []
    for id, entry in entries:
        parts = _merged(list(entry), ranks, id)
        if len(parts) != 2 or any(part not in vocab for part in parts):
            continue
        pair = (parts[0], parts[1])
        ranks[pair] = id
        found.append((bisect_left(made, id) + len(found), pair))
    return found if len(found) <= MOST_MERGES else []


def _merged(parts: list[str], ranks: Mapping[Pair, int], below: int) -> list[str]:
    """Returns the parts of an entry after all merges that make entries with smaller ids."""
    while len(parts) > 1:
        best = min(
            (ranks[pair] for pair in pairwise(parts) if pair in ranks),
            default=below,
        )
        if best >= below:
            return parts
        place = next(
            at for at in range(len(parts) - 1) if ranks.get((parts[at], parts[at + 1])) == best
        )
        parts = [*parts[:place], parts[place] + parts[place + 1], *parts[place + 2 :]]
    return parts


def _pair(merge: Any) -> Pair:
    left, right = merge.split(" ", 1) if isinstance(merge, str) else merge
    return str(left), str(right)
