"""What the formats of byte-level BPE share: what they cannot represent, and the merges in order."""

from __future__ import annotations

from mypy_extensions import i64

from tokenarium_core.formats.plain_lines import repeated_entries
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.merge_table import ID_MASK
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet


def obstacle_to_bytes(tokenizer: Tokenizer, forms: bool = False, repeats: bool = False) -> str:
    """Returns why a tokenizer is not plain byte-level BPE (a pattern, then merges), as a sentence; empty if it is.

    ``forms``: the format also supports a Unicode normal form before the pattern; ``repeats``: several entries with the
    same bytes.
    """
    if isinstance(tokenizer.model, PickyBpe):
        return "The format holds merges, and PickyBPE removes tokens between them."
    if isinstance(tokenizer.model, BoundlessBpe):
        return "The format holds merges within pre-tokens, and BoundlessBPE also joins pre-tokens."
    if not isinstance(tokenizer.model, BytePairEncoder):
        return "The format holds byte-level BPE, and this is a model of another kind."
    if not repeats and repeated_entries(tokenizer.vocabulary):
        return "Two entries have the same bytes, and in the format each entry occurs once."
    return obstacle_to_stages(tokenizer, forms)


def obstacle_to_stages(tokenizer: Tokenizer, forms: bool = False) -> str:
    """Returns, as a sentence, which stages a tokenizer has other than a pattern and a model on bytes; empty if none.

    ``forms`` as in `obstacle_to_bytes`.
    """
    normalizer = tokenizer.normalizer
    all_normalized = all(token.normalized for token in tokenizer.added_tokens.tokens)
    if normalizer is not None and not (forms and isinstance(normalizer, UnicodeNormalizer)):
        return "The format holds no normalizer, and this tokenizer has one."
    if tokenizer.splitter is not None:
        return "The format holds one pattern that splits a text, and this tokenizer does more."
    for token in tokenizer.added_tokens.tokens:
        options = token.flags
        if not token.special or options != ["special"]:
            one_search = all_normalized and (normalizer is None or forms)
            if options == ["special", "normalized"] and one_search:
                continue
            flags = ", ".join([option for option in options if option != "special"])
            said = f"has {flags}" if token.special else "is not special"
            return f"The format has special tokens without options, and {token.content!r} {said}."
    for byte in range(256):
        if tokenizer.vocabulary.find(bytes([byte])) < 0:
            return f"The format needs an entry for each byte, and 0x{byte:02X} has none."
    return ""


def obstacle_to_spelling(tokenizer: Tokenizer) -> str:
    """Returns, as a sentence, which special token is spelled like another entry in GPT-2's alphabet; empty if none.

    A file that maps spellings to ids can contain only one of the two.
    """
    vocabulary = tokenizer.vocabulary
    for content, token in tokenizer.special_tokens.items():
        if set(content) <= byte_alphabet.BYTES.keys():
            other = vocabulary.find(byte_alphabet.to_bytes(content))
            if other >= 0 and other != token:
                return (
                    f"The special token {content!r} is spelled like the entry {other} is, and the format has one id"
                    " for each spelling. Give it another name, in brackets such as <| and |>."
                )
    return ""


def ordered_merges(encoder: BytePairEncoder) -> list[tuple[int, int]]:
    """Returns the pairs of ids that merge, by rank; pairs of equal rank make the same piece, the smaller ids first."""
    merges: list[tuple[int, int, int]] = []
    for entry in encoder.merges.entries:
        if entry != encoder.merges.no_entry:
            rank: i64 = entry & ID_MASK
            left: i64 = entry >> 42
            right: i64 = entry >> 21 & ID_MASK
            merges.append((rank, left, right))
    merges.sort()
    return [(left, right) for _, left, right in merges]
