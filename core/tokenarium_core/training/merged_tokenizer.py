"""The tokenizer that merges over bytes make, and the merges that a tokenizer has."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import of_special
from tokenarium_core.details import Source
from tokenarium_core.errors import TokenariumError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.models.bpe.rank_merges import encoder_of_merges
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, PieceArena, Vocabulary


def tokenizer_of_merges(
    name: str,
    pre_tokenizer: PreTokenizer,
    lefts: vec[i32],
    rights: vec[i32],
    special: list[str],
    normalizer: Normalizer | None = None,
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
    tokenizer = Tokenizer(name, encoder, pre_tokenizer, of_special(ids), normalizer)
    tokenizer.source = Source("trained", "")
    return tokenizer


def merges_of_tokenizer(tokenizer: Tokenizer) -> list[tuple[int, int]]:
    """Returns the merges of a byte-level BPE in their order, by ids as `tokenizer_of_merges` gives them.

    So they do not hang on the tokenizer's own ids: 0 to 255 are the bytes, 256 + k is merge ``k``.
    Raises TokenariumError for a tokenizer that is no byte-level BPE, or has merges that no training gives.
    """
    model = tokenizer.model
    if not isinstance(model, BytePairEncoder) or tokenizer.normalizer or tokenizer.splitter:
        raise TokenariumError(
            f"{tokenizer.name} is not a byte-level BPE alone: training can go on from its like only."
        )
    numbers = {token: byte for byte, token in enumerate(model.byte_symbols())}
    table = model.merges
    merges: list[tuple[int, int]] = []
    for rank in range(table.capacity):
        result: i64 = i64(table.results[rank])
        if result < 0:
            continue
        left: i64 = i64(table.lefts[rank])
        right: i64 = i64(table.rights[rank])
        if result in numbers or left not in numbers or right not in numbers:
            raise TokenariumError(
                f"{tokenizer.name} has entries that more than one merge makes, or none: training cannot"
                " go on from it."
            )
        merges.append((numbers[left], numbers[right]))
        numbers[result] = 255 + len(merges)
    if model.whole_pieces or table.pairs != len(merges):
        raise TokenariumError(
            f"{tokenizer.name} has entries that its merges do not lead to: training cannot go on from it."
        )
    return merges
