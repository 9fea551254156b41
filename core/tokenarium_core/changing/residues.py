"""Entries that exist only as steps to others: merges make them, and other merges take them away.

Such *residues* of training have a row of a model's embeddings that is hardly ever trained. Source: Sun et al. 2026,
"LiteToken: Removing Intermediate Merge Residues From BPE Tokenizers" (arXiv 2602.04706), whose measure this is: of the
times that merges make an entry, the share in which it stays a token. They also look at the neighbours of an entry, which
this does not.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from tokenarium_core.changing.recutting import merge_parts
from tokenarium_core.changing.token_usage import TokenUsage
from tokenarium_core.errors import ArgumentError


@final
class Residue:
    """The entry ``id``: merges made it ``made`` times in the texts, and ``used`` times it stayed a token.

    It is a part of ``parts_of`` other merges.
    """

    def __init__(self, id: int, made: int, used: int, parts_of: int) -> None:
        self.id = id
        self.made = made
        self.used = used
        self.parts_of = parts_of

    def __repr__(self) -> str:
        return f"<Residue {self.id}: made {self.made:,} times, used {self.used:,} times>"


def residues(usage: TokenUsage, share: float = 0.01, least: int = 100) -> list[Residue]:
    """Returns the entries that are only steps to others, the one that is made most often first.

    An entry is one if it is a part of another merge, was made ``least`` times or more, and stayed a token in at most
    ``share`` of these times (0 to 1). With few texts, raise neither: what is made seldom says nothing.

    Raises NotAvailable for a model that does not merge, ArgumentError for a share or number that cannot be.
    """
    if not 0 <= share < 1:
        raise ArgumentError(f"The share is {share}: give one from 0 up to 1.")
    if least < 1:
        raise ArgumentError(f"The least number of times is {least}: give 1 or more.")
    tokenizer = usage.tokenizer
    made = usage.made()
    uses = usage.uses
    parts = merge_parts(tokenizer)
    special = {token.id for token in tokenizer.added_tokens.tokens}
    found: list[Residue] = []
    for id in range(len(made)):
        users = int(i64(parts.users[id]))
        if users and id not in special and made[id] >= least and uses[id] <= share * made[id]:
            found.append(Residue(id, made[id], uses[id], users))
    found.sort(key=_rank)
    return found


def _rank(residue: Residue) -> tuple[int, int]:
    return (-residue.made, residue.id)
