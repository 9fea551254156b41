"""The tokenizer that merges over bytes make."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.details import Source
from tokenarium_core.merge_table import MergeTable
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.rank_merges import encoder_of_merges
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, PieceArena, Vocabulary


def tokenizer_of_merges(
    name: str,
    pre_tokenizer: PreTokenizer,
    lefts: vec[i32],
    rights: vec[i32],
    special: list[str],
) -> Tokenizer:
    """Returns a tokenizer whose ids are the 256 bytes, then the merges, then the special tokens.

    Merge ``k`` makes token 256 + k of ``lefts[k]`` and ``rights[k]``.
    """
    count: i64 = len(lefts)
    pieces = PieceArena(256 + count + len(special))
    by_id = [bytes([byte]) for byte in range(256)]
    for piece in by_id:
        pieces.add(piece, BYTE)
    table = MergeTable(count)
    for rank in range(count):
        left: i64 = i64(lefts[rank])
        right: i64 = i64(rights[rank])
        piece = by_id[left] + by_id[right]
        by_id.append(piece)
        pieces.add(piece, NORMAL)
        table.set(rank, left, right, 256 + rank)
    for token in special:
        pieces.add(token.encode(), CONTROL)
    encoder = encoder_of_merges(Vocabulary(pieces), table)
    ids = {token: int(256 + count) + index for index, token in enumerate(special)}
    tokenizer = Tokenizer(name, encoder, pre_tokenizer, of_special(ids))
    tokenizer.source = Source("trained", "")
    return tokenizer
