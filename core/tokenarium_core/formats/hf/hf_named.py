"""A tokenizer whose pieces come of one model, and their ids of a vocabulary by name; see `named_pieces`.

It is made of two files: a SentencePiece model, or a `tokenizer.json` that cuts words into parts, and a `tokenizer.json` with everything else: the vocabulary as the entries of a
Unigram model without scores, the added tokens, the template and the decoder. Both are kept for Tokenarium's own format.
"""

from __future__ import annotations

import json
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.hf.hf_slow_builder import WORD_END
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    raw_pieces,
    read_sentencepiece,
)
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import HfSymbols
from tokenarium_core.models.model import Model
from tokenarium_core.models.named_pieces import (
    AfterUnknown,
    LanguageCodes,
    LeadingMark,
    NamedPieces,
)
from tokenarium_core.normalizers.normalizer import NormalizerSequence, Prepend, SpaceMark
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import SPACE_MARK

STAGES: Final = "named_stages"
PIECES: Final = "named_pieces"
CODES: Final = "named_codes"
"""The parts of `Tokenizer.stored`: the two files, and whether a text may begin with a language code."""

AFTER: Final = "@@"
"""What the vocabulary has after a part that is not the last one of a word."""

BETWEEN_WORDS: Final = " "
"""The unknown entry of a `tokenizer.json` that cuts words, which have no spaces."""

LIMITED: Final = "limited_to_vocabulary"
"""What a `tokenizer.json` that cuts words says if parts that the vocabulary lacks are split again, see `_limit`."""

NO_PREFIX: Final = b"\x1a\x02\x18\x00"
"""What turns off ``add_dummy_prefix`` after a SentencePiece model: its normalizer's settings go on there."""

_CONTROL: Final = 3


def named_tokenizer(stages: bytes, pieces: bytes, codes: bool, name: str, source: str) -> Tokenizer:
    """Returns the tokenizer of the two files; ``source`` names the model in errors.

    ``codes``: a text may begin with a language code. Raises FormatError as the readers of the two files do.
    """
    rest = read_huggingface(stages, name)
    if pieces.startswith(b"{"):
        return _of_parts(rest, stages, pieces, name)
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
    before = rest.normalizer
    if isinstance(before, NormalizerSequence) and isinstance(before.normalizers[0], Prepend):
        # SigLIP: only the whole text begins with the mark, and one that has an end gets no other.
        before = NormalizerSequence([SpaceMark(), LeadingMark(), *before.normalizers[1:]])
        normalizer = AfterUnknown(normalizer)
        assert rest.template is not None
        rest.template.once = True
    if before is not None:
        normalizer = NormalizerSequence([before, normalizer])
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


def _of_parts(rest: Tokenizer, stages: bytes, pieces: bytes, name: str) -> Tokenizer:
    """Returns the tokenizer of parts of words: those of ``pieces`` that end no word have `AFTER` in the vocabulary."""
    cutting: dict[str, Any] = json.loads(pieces)
    limited = cutting.pop(LIMITED, False) is True
    cutter = read_huggingface(json.dumps(cutting).encode() if limited else pieces, name)
    fields: dict[str, Any] = json.loads(stages)
    unknown: int = fields["model"]["unk_id"]
    ids: dict[str, int] = {entry[0]: id for id, entry in enumerate(fields["model"]["vocab"])}
    for token in fields[
        "added_tokens"
    ]:  # which a part may spell where capitals become small letters
        ids.setdefault(token["content"], token["id"])
    symbols: dict[str, int] = cutting["model"]["vocab"]
    table = vec[i32]([i32(unknown) for _ in symbols])
    for symbol, place in symbols.items():
        part = symbol.removesuffix(WORD_END) if symbol.endswith(WORD_END) else symbol + AFTER
        table[place] = i32(ids.get(part, unknown) if symbol != BETWEEN_WORDS else unknown)
    if limited:
        _limit(cutter.model, cutting["model"]["merges"], symbols, ids)
    tokenizer = Tokenizer(
        name,
        NamedPieces(rest.vocabulary, cutter.model, table, unknown, 0, {}, None),
        cutter.pre_tokenizer,
        rest.added_tokens,
        cutter.normalizer,
        splitter=cutter.splitter,
        template=rest.template,
        decoder=rest.decoder,
        details=rest.details,
    )
    tokenizer.stored = {STAGES: stages, PIECES: pieces, CODES: b""}
    return tokenizer


def _limit(
    model: Model, merges: list[list[str]], symbols: dict[str, int], ids: dict[str, int]
) -> None:
    """Lets a model split the parts that the vocabulary lacks into those that the first merge joined, and these again.

    Source: ``check_vocab_and_split`` in subword-nmt's ``apply_bpe.py``; ``limitVocab`` in fastBPE's ``fastBPE.hpp``.
    """
    assert isinstance(model, CharacterBpe)
    source = model.source
    assert isinstance(source, HfSymbols)
    splits: dict[int, tuple[int, int]] = {}
    for left, right in merges:
        joined = left + right
        part = joined.removesuffix(WORD_END) if joined.endswith(WORD_END) else joined + AFTER
        if part not in ids:
            splits.setdefault(symbols[joined], (symbols[left], symbols[right]))
    model.merges.splits = splits
    source.splits = splits
