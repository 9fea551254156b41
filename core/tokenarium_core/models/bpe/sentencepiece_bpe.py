"""SentencePiece's BPE models: made from a vocabulary, or from what was worked out before."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from tokenarium_core.errors import FormatError
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import CharacterCut
from tokenarium_core.models.bpe.character_merges import CharacterMerges
from tokenarium_core.models.bpe.merge_table import dump_merges, load_merges
from tokenarium_core.models.bpe.piece_merges import PieceSymbols, merges_of_pieces
from tokenarium_core.models.bpe.sentencepiece_symbols import SentencePieceSymbols
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.vocabulary import (
    USER_DEFINED,
    Vocabulary,
    dump_vocabulary,
    load_vocabulary,
)

_NESTED: Final = (
    64  # user-defined pieces within one another of which SentencePiece finds the longest
)


def sentencepiece_bpe(vocabulary: Vocabulary) -> CharacterBpe:
    """Returns the BPE model of a SentencePiece vocabulary, in which spaces stand for ``▁``.

    All is told by the pieces: kinds, scores (as 32-bit floats), byte pieces (all 256: unknown characters fall back to
    bytes; none: they become the unknown piece). Normal, user-defined and unused pieces must be findable by
    their bytes.

    Raises FormatError where the vocabulary has no scores, neither unknown nor byte pieces, or some byte pieces only.
    """
    if len(vocabulary.scores) < vocabulary.count:
        raise FormatError(
            f"The vocabulary has {len(vocabulary.scores):,} scores for {vocabulary.count:,} pieces: each needs one."
        )
    symbols = PieceSymbols(vocabulary)
    return _sentencepiece_bpe(symbols, merges_of_pieces(symbols))


def dump_sentencepiece_bpe(model: CharacterBpe, out: CacheWriter) -> bool:
    """Writes a model of `sentencepiece_bpe`; false for one with pieces that are taken apart again."""
    source = model.source
    merges = model.merges
    if not isinstance(source, SentencePieceSymbols) or merges.splits or merges.ambiguous:
        return False
    dump_vocabulary(model.vocabulary, out)
    source.pieces.dump(out)
    dump_merges(merges.table, out)
    out.i32s(merges.priorities)
    out.number(merges.first_tied)
    return True


def load_sentencepiece_bpe(cached: CacheReader) -> CharacterBpe:
    """Returns the model that `dump_sentencepiece_bpe` wrote."""
    vocabulary = load_vocabulary(cached)
    symbols = PieceSymbols(vocabulary, cached)
    table = load_merges(cached)
    priorities = cached.i32s()
    return _sentencepiece_bpe(symbols, CharacterMerges(table, priorities, cached.number()))


def _sentencepiece_bpe(symbols: PieceSymbols, merges: CharacterMerges) -> CharacterBpe:
    vocabulary = symbols.vocabulary
    pieces: list[bytes] = []
    ids: list[int] = []
    for token in range(vocabulary.count):
        if i64(vocabulary.kinds[token]) == USER_DEFINED:
            pieces.append(vocabulary.piece(token))
            ids.append(token)
    matcher = PrefixMatcher(pieces, ids, _NESTED)
    source = SentencePieceSymbols(symbols, merges, matcher)
    cut: CharacterCut | None = None
    if not merges.ambiguous:
        cut = CharacterCut(vocabulary, merges.table, symbols.codes, matcher)
    return CharacterBpe(vocabulary, merges, source, cut)
