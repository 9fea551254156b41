"""A byte-level BPE made from a list of merges, as in programs and textbooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i32

from tokenarium_core.added_tokens import EMPTY_TOKEN
from tokenarium_core.errors import ArgumentError
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merge_trainer import tokenizer_of_merges
from tokenarium_core.training.merging.merger import BYTES
from tokenarium_core.vocabulary import MAX_IDS

_MOST_BYTES: Final = 1 << 28
"""The most bytes of all entries: each merge may double the one before."""

Part = bytes | str | int


def from_merges(
    merges: Iterable[tuple[Part, Part]],
    pattern: str = "cl100k",
    special_tokens: Sequence[str] = (),
    name: str = "merges",
) -> Tokenizer:
    """Returns the byte-level BPE of a list of merges, in the order in which they were learned.

    A merge is a pair of entries, each given as bytes, as text that is its UTF-8, or as an id. The ids are 0 to 255
    for the bytes, 256 + k for the entry that merge ``k`` makes, and after them the ``special_tokens``. ``pattern``
    splits a text before the merges: the name of one, a regular expression, or ``none``.

    Raises ArgumentError for a merge of something that is not an entry yet, for one that makes an existing entry, and
    for more entries than a vocabulary can have.
    """
    special = list(special_tokens)
    if "" in special:
        raise ArgumentError(EMPTY_TOKEN)
    if len(set(special)) < len(special):
        raise ArgumentError("A special token is named twice: name each of them once.")
    pieces = [bytes([byte]) for byte in range(BYTES)]
    ids = {piece: token for token, piece in enumerate(pieces)}
    lefts = vec[i32]()
    rights = vec[i32]()
    size = 0
    given: Iterable[object] = (
        merges  # what is not a pair gets a sentence, not a TypeError of compiled code
    )
    for number, merge in enumerate(given):
        if len(pieces) + len(special) >= MAX_IDS:
            raise ArgumentError(
                f"There are more merges than a vocabulary of {MAX_IDS:,} entries has room for."
            )
        if not isinstance(merge, (tuple, list)) or len(merge) != 2:
            raise ArgumentError(
                f"Merge {number:,} is {_shown(merge)}, which is not a pair of entries, such as (b'l', b'o')."
            )
        left = _id_of(merge[0], ids, number)
        right = _id_of(merge[1], ids, number)
        size += len(pieces[left]) + len(pieces[right])
        if size > _MOST_BYTES:
            raise ArgumentError(
                f"With merge {number:,} the entries have more than {_MOST_BYTES >> 20} MiB: leave the last ones out."
            )
        piece = pieces[left] + pieces[right]
        if piece in ids:
            raise ArgumentError(
                f"Merge {number:,} makes {_shown(piece)}, which is already the entry {ids[piece]:,}: leave it out."
            )
        ids[piece] = len(pieces)
        pieces.append(piece)
        lefts = append(lefts, i32(left))
        rights = append(rights, i32(right))
    return tokenizer_of_merges(name, cutting(pattern), lefts, rights, special)


def _id_of(part: object, ids: dict[bytes, int], number: int) -> int:
    """Returns the id of a part of a merge; ArgumentError if it is not an entry yet."""
    if isinstance(part, int) and not isinstance(part, bool):
        if 0 <= part < len(ids):
            return part
        raise ArgumentError(
            f"Merge {number:,} uses the id {part}, but only the ids 0 to {len(ids) - 1:,} exist by then: the bytes,"
            " and what the merges before it make."
        )
    piece = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
    if not isinstance(piece, bytes):
        raise ArgumentError(
            f"Merge {number:,} has {_shown(part)} in it, which is neither bytes, nor text, nor an id."
        )
    id = ids.get(piece, -1)
    if id < 0:
        raise ArgumentError(
            f"Merge {number:,} uses {_shown(piece)}, which is neither a byte nor made by an earlier merge."
        )
    return id


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
