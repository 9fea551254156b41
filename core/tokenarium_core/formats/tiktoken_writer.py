"""Writing ``.tiktoken`` ranks, and beside them the pattern and the special tokens, which that file has no place for.

``tiktoken.Encoding(**json, mergeable_ranks=load_tiktoken_bpe(ranks))`` takes the two together, once the field
`RANKS_HASH` is taken out of the JSON: it says which ranks the file belongs to. Source: tiktoken's ``tiktoken/core.py``.
"""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Final

from mypy_extensions import i64

from tokenarium_core.formats.byte_level import obstacle_to_bytes
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder, encoder_of_ranks
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, NORMAL

PATTERN_SUFFIX: Final = ".pattern.json"
"""What the name of the file with the pattern ends with, in place of ``.tiktoken``."""

RANKS_HASH: Final = "ranks_sha256"
"""The field of that file with the SHA-256 of the ranks, in hexadecimal digits."""


def obstacle(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer cannot be written so; empty where it can."""
    reason = obstacle_to_bytes(tokenizer)
    if reason:
        return reason
    model = tokenizer.model
    assert isinstance(model, BytePairEncoder)
    if model.whole_pieces:
        return ""
    results = model.merges.results
    last: i64 = -1
    for rank in range(len(results)):
        result: i64 = i64(results[rank])
        if result >= 0:
            if result < last:
                return (
                    "The ranks of tiktoken are the ids, and here the merges come in another order than the ids:"
                    f" entry {result} is merged after entry {last}."
                )
            last = result
    if not _has_merges_of_ranks(model):
        return (
            "In tiktoken any two entries merge that together are a third one, and some of these entries come of other"
            " merges than the ranks alone would lead to, or of none."
        )
    return ""


def _has_merges_of_ranks(model: BytePairEncoder) -> bool:
    """Tells whether the merges are those that are found in the ranks; every entry has one then."""
    found = encoder_of_ranks(model.vocabulary)
    if found.whole_pieces or found.merges.pairs != model.merges.pairs:
        return False
    table = model.merges
    for rank in range(len(table)):
        result: i64 = i64(table.results[rank])
        if result >= 0 and (
            table.lefts[rank] != found.merges.lefts[result]
            or table.rights[rank] != found.merges.rights[result]
        ):
            return False
    return True


def write(tokenizer: Tokenizer, stem: str) -> dict[str, bytes]:
    """Returns the file of the ranks, and that of the pattern and the special tokens."""
    vocabulary = tokenizer.vocabulary
    lines: list[bytes] = []
    for token in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[token])
        if kind == NORMAL or kind == BYTE:
            lines.append(base64.b64encode(vocabulary.piece(token)) + b" %d\n" % token)
    ranks = b"".join(lines)
    beside = {
        "name": tokenizer.name,
        "pat_str": tokenizer.pre_tokenizer.pattern,
        "special_tokens": tokenizer.special_tokens,
        RANKS_HASH: hashlib.sha256(ranks).hexdigest(),
    }
    return {
        f"{stem}.tiktoken": ranks,
        f"{stem}{PATTERN_SUFFIX}": json.dumps(beside, ensure_ascii=False, indent=1).encode()
        + b"\n",
    }
