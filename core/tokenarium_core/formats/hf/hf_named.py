"""A tokenizer whose pieces come of a SentencePiece model, and their ids of a vocabulary by name; see `named_pieces`.

It is made of two files: that model, and a `tokenizer.json` with everything else: the vocabulary as the entries of a
Unigram model without scores, the added tokens, the template and the decoder. Both are kept for Tokenarium's own format.
"""

from __future__ import annotations

import json
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    raw_pieces,
    read_sentencepiece,
)
from tokenarium_core.models.named_pieces import LanguageCodes, NamedPieces
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import SPACE_MARK

STAGES: Final = "named_stages"
PIECES: Final = "named_pieces"
CODES: Final = "named_codes"
"""The parts of `Tokenizer.stored`: the two files, and whether a text may begin with a language code."""

_CONTROL: Final = 3


def named_tokenizer(stages: bytes, pieces: bytes, codes: bool, name: str, source: str) -> Tokenizer:
    """Returns the tokenizer of the two files; ``source`` names the model in errors.

    ``codes``: a text may begin with a language code. Raises FormatError as the readers of the two files do.
    """
    rest = read_huggingface(stages, name)
    cutter = read_sentencepiece(pieces, source, name)
    listed, trainer, rules = raw_pieces(pieces, source)
    fields: dict[str, Any] = json.loads(stages)
    vocab: list[list[Any]] = fields["model"]["vocab"]  # each entry with its score
    unknown: int = fields["model"]["unk_id"]
    ids: dict[str, int] = {entry[0]: id for id, entry in enumerate(vocab)}
    if codes and not rules.add_dummy_prefix:
        raise FormatError(
            f"{source} puts no space before a text, and then a language code cannot be told from it here."
        )
    table = vec[i32]([i32(ids.get(piece, unknown)) for piece, _, _ in listed])
    known = {piece for piece, _, kind in listed if kind != _CONTROL}
    others: dict[bytes, int] = {}
    marked = cutter.vocabulary.spelling == SPACE_MARK
    for text, id in ids.items():
        if text not in known and not (marked and " " in text):
            others[(text.replace("▁", " ") if marked else text).encode()] = id
    normalizer = cutter.normalizer
    assert normalizer is not None
    by_code = {text.encode(): id for text, id in ids.items()} if codes else None
    tokenizer = Tokenizer(
        name,
        NamedPieces(rest.vocabulary, cutter.model, table, unknown, trainer.unk_id, others, by_code),
        cutter.pre_tokenizer,
        rest.added_tokens,
        LanguageCodes(normalizer) if codes else normalizer,
        template=rest.template,
        decoder=rest.decoder,
        details=cutter.details,
    )
    tokenizer.stored = {STAGES: stages, PIECES: pieces, CODES: b"1" if codes else b""}
    return tokenizer
