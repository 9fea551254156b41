"""Hugging Face's BPE models that are not on bytes."""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.character_cut import CharacterCut
from tokenarium_core.models.bpe.character_merges import CharacterMerges
from tokenarium_core.models.bpe.hf_symbols import HfSymbols
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.vocabulary import Vocabulary


def hf_bpe(
    vocabulary: Vocabulary,
    merges: CharacterMerges,
    unknown: i64 = -1,
    fuse_unknown: bool = False,
    prefix: str = "",
    suffix: str = "",
    byte_fallback: bool = False,
    ignore_merges: bool = False,
) -> CharacterBpe:
    """Returns the BPE model of Hugging Face tokenizers, for vocabularies that are not on bytes.

    ``merges`` as `merges_of_list` makes them; ``unknown`` is the id of ``unk_token``, -1 where there is none: unknown
    characters are then left out. ``prefix`` is ``continuing_subword_prefix``, ``suffix`` ``end_of_word_suffix``.
    The vocabulary must spell its pieces as the file does (`Vocabulary.surface`); byte pieces are of the kind BYTE
    where ``byte_fallback`` is on.

    Raises FormatError where byte fallback comes with a prefix or suffix.
    """
    source = HfSymbols(
        vocabulary, unknown, fuse_unknown, prefix, suffix, byte_fallback, ignore_merges
    )
    cut: CharacterCut | None = None
    if source.may_cut(merges.table):
        cut = CharacterCut(vocabulary, merges.table, [0], PrefixMatcher([], []))
    return CharacterBpe(vocabulary, merges, source, cut)
