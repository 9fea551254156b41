"""Entries that exist only as steps towards others: merges make them, and other merges consume them.

Such *residues* of training have an embedding row that is hardly ever trained. Source: Sun et al. 2026, "LiteToken:
Removing Intermediate Merge Residues From BPE Tokenizers" (arXiv 2602.04706), whose measure this is: the share of an
entry's creations by merges after which it remains a token. They also look at the neighbours of an entry, which this
does not.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from tokenarium_core.changing.recutting import merge_parts
from tokenarium_core.changing.token_usage import TokenUsage
from tokenarium_core.errors import ArgumentError


@final
class Residue:
    """The entry ``id``: merges made it ``made`` times in the texts, and it remained a token ``used`` times.

    It is part of ``parts_of`` other merges.
    """

    def __init__(self, id: int, made: int, used: int, parts_of: int) -> None:
        self.id = id
        self.made = made
        self.used = used
        self.parts_of = parts_of

    def __repr__(self) -> str:
        return f"<Residue {self.id}: made {self.made:,} times, used {self.used:,} times>"


def residues(usage: TokenUsage, share: float = 0.01, least: int = 100) -> list[Residue]:
    """Returns the entries that are only steps towards others, the one made most often first.

    An entry qualifies if it is part of another merge, was made at least ``least`` times, and remained a token in at
    most ``share`` of these cases (0 to 1). Do not lower ``least`` for few texts: rarely made entries are not
    meaningful.

    Raises UnsupportedError for a model that does not merge, ArgumentError for an invalid share or number.
    """
    if not 0 <= share < 1:
        raise ArgumentError(f"The share is {share}: give a number from 0 to less than 1.")
    if least < 1:
        raise ArgumentError(f"The least number of times is {least}: give 1 or more.")
    tokenizer = usage.tokenizer
    counts = usage.made()
    uses = usage.uses
    parts = merge_parts(tokenizer)
    special = {token.id for token in tokenizer.added_tokens.tokens}
    entries: list[Residue] = []
    for id in range(len(counts)):
        users = int(i64(parts.users[id]))
        if users and id not in special and counts[id] >= least and uses[id] <= share * counts[id]:
            entries.append(Residue(id, counts[id], uses[id], users))
    entries.sort(key=_rank)
    return entries


def _rank(residue: Residue) -> tuple[int, int]:
    return (-residue.made, residue.id)
