"""A SentencePiece model in a class of transformers without stages of its own, from 5.24 on.

Before, the class wrote ``▁`` for each space and ranked merges by ids. From 5.24 on it follows the model: white space that is
removed, the space before a text, merges by scores, and user-defined pieces, which are split off first.

Source: transformers 5.24, ``_convert_from_sentencepiece`` in ``tokenization_utils_tokenizers.py`` and
``SpmConverter.build_tokenizer_from_spm_proto`` in ``convert_slow_tokenizer.py``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.hf.hf_slow_builder import (
    CONTROL,
    USER_DEFINED,
    SlowBuilder,
    Stage,
    metaspace,
    precompiled,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_classes import bpe_of
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings, SlowToken
from tokenarium_core.formats.hf.hf_slow_unigram import unigram
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces

_NORMAL: Final = 1
_UNIGRAM: Final = 1
_MOST: Final = 1 << 24  # characters that are searched for merges

Piece = tuple[str, float, int]


def fields_of_model(settings: SlowSettings, path: Path) -> tuple[Stage, list[float]]:
    """Returns the `tokenizer.json` that the class makes of a model, and the scores of its entries, none for BPE.

    Raises FormatError if the file is no model.
    """
    pieces, trainer, rules = raw_pieces(content_of(path), path.name)
    if any(type(id) is not int for id in settings.added):
        raise FormatError("The added tokens have no whole numbers as ids.")
    prefix, legacy = bool(rules.add_dummy_prefix), settings.values.get("legacy", True)
    if prefix:
        for token in settings.added.values():
            token.normalized = False
    builder = SlowBuilder(settings)
    builder.values["additional_special_tokens"] = [
        SlowToken(piece, True, False) for piece, _, kind in pieces if kind == CONTROL
    ]
    scores: list[float] = []
    names = [piece for piece, _, _ in pieces]
    if trainer.model_type == _UNIGRAM:
        scores = unigram(
            builder, [(piece, score) for piece, score, _ in pieces], int(trainer.unk_id)
        )
        builder.model["byte_fallback"] = trainer.byte_fallback
    else:
        names = _renamed(names, settings)
        vocabulary = {name: id for id, name in enumerate(names)}
        bpe_of(builder, vocabulary, _merges(pieces, names), trainer.byte_fallback, trainer.unk_piece)  # fmt: skip
    own = [names[id] for id, (_, _, kind) in enumerate(pieces) if kind == USER_DEFINED]
    if own and trainer.model_type != _UNIGRAM:
        builder.model["ignore_merges"] = True
    _stages(builder, rules, own, prefix, bool(legacy), bool(trainer.byte_fallback))
    for name, id, piece, standard in (
        ("bos_token", trainer.bos_id, trainer.bos_piece, "<s>"),
        ("eos_token", trainer.eos_id, trainer.eos_piece, "</s>"),
        ("unk_token", trainer.unk_id, trainer.unk_piece, "<unk>"),
    ):
        if id >= 0:
            builder.token(name, piece or standard)
    builder.finish()
    return builder.fields(), scores


def _renamed(names: list[str], settings: SlowSettings) -> list[str]:
    """Returns the pieces with the names that added_tokens_decoder gives some ids, but none that another piece keeps."""
    given = {id: token.content for id, token in settings.added.items()}
    kept = {name for id, name in enumerate(names) if id not in given}
    return [
        given[id] if id in given and given[id] not in kept else name
        for id, name in enumerate(names)
    ]


def _merges(pieces: list[Piece], names: list[str]) -> list[tuple[str, str]]:
    """Returns the merges of normal pieces: those that make a piece of a high score first."""
    if sum([len(name) * len(name) for name in names]) > _MOST * 8:
        raise FormatError("Its pieces are too long to find the merges that make them.")
    normal = {
        names[id]: (-score, id) for id, (_, score, kind) in enumerate(pieces) if kind == _NORMAL
    }
    ranked: list[tuple[float, int, str, str]] = []
    for name, (score, id) in normal.items():
        for at in range(1, len(name)):
            left, right = name[:at], name[at:]
            if left in normal and right in normal:
                ranked.append((score, id, left, right))
    return [(left, right) for _, _, left, right in sorted(ranked)]


def _stages(
    builder: SlowBuilder, rules: Any, own: list[str], prefix: bool, legacy: bool, falls_back: bool
) -> None:
    """Sets the normalizer, the pre-tokenizer and the decoder by the rules of the model."""
    steps: list[Stage] = []
    if rules.precompiled_charsmap:
        steps.append(precompiled(rules.precompiled_charsmap))
    if rules.remove_extra_whitespaces:
        steps += [replace(r"\A +| +\z", "", True), replace(" {2,}", " ", True)]
    if rules.escape_whitespaces:
        steps.append(replace(" ", "▁"))
    if prefix and legacy:
        steps.append(replace(r"\A▁", "▁▁", True))
    builder.normalizer = sequence("normalizers", steps)
    cuts: list[Stage] = []
    if prefix:
        cuts.append(metaspace("always" if legacy else "first", False))
    if own:
        pattern = "|".join([re.escape(piece) for piece in sorted(own, key=len, reverse=True)])
        cuts.append(
            {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        )  # fmt: skip
    if cuts:
        builder.pre_tokenizer = sequence("pretokenizers", cuts)
    after: list[Stage] = [replace("▁", " ")]
    if falls_back:
        after.append({"type": "ByteFallback"})
    if prefix:
        after += [{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    elif falls_back:
        after.append({"type": "Fuse"})
    builder.decoder = sequence("decoders", after)
