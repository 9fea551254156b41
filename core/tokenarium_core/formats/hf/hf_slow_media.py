"""The classes of transformers 5 of SentencePiece models for documents, speech, pictures and entities; see `hf_slow_classes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    SlowBuilder,
    SlowPieces,
    Stage,
    metaspace,
    precompiled,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_classes import bpe_of, merges_of
from tokenarium_core.formats.hf.hf_slow_pairs import entity_tokens
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of
from tokenarium_core.formats.hf.hf_slow_unigram import around_end, sentinels, unigram

_MADE_UP: Final = 7  # words of XGLM without a meaning


def of_media_pieces(builder: SlowBuilder, kind: str, pieces: SlowPieces) -> list[float]:
    """Makes a class of `MEDIA_PIECE_FILES`; returns the scores of the entries, none for BPE.

    Raises FormatError if the class and the model do not fit together.
    """
    builder.values["additional_special_tokens"] = pieces.added()
    return _CLASSES[kind](builder, pieces)


def _lasr(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    sentinels(builder)
    builder.tokens(eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    scores = unigram(builder, pieces.scored, 3)
    builder.charsmap_stage(pieces.charsmap)
    builder.metaspace_stages("always")
    builder.finish()
    around_end(builder, "</s>", builder.special.get("eos_token"))
    return scores


def _video_prism(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    count = sentinels(builder)
    builder.tokens(eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    entries = pieces.scored + [(f"<extra_id_{id}>", 0.0) for id in range(count - 1, -1, -1)]
    scores = unigram(builder, entries, 2)
    builder.charsmap_stage(pieces.charsmap)
    builder.metaspace_stages("always")
    builder.finish()
    return scores


def _udop(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    builder.tokens(eos_token="</s>", sep_token="</s>")
    unknown = text_of(builder.token("unk_token", "<unk>"))
    builder.token("pad_token", "<pad>")
    entries = pieces.scored
    ids = [id for id, (piece, _) in enumerate(entries) if piece == unknown]
    scores = unigram(builder, entries, ids[0] if ids else 2)
    builder.metaspace_stages("always")
    builder.finish()
    around_end(builder, "</s>", builder.special.get("eos_token"))
    return scores


def _layout_xlm(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    names = [
        text_of(builder.values.get(name, usual))
        for name, usual in (
            ("bos_token", "<s>"),
            ("pad_token", "<pad>"),
            ("eos_token", "</s>"),
            ("unk_token", "<unk>"),
            ("mask_token", "<mask>"),
        )
    ]
    builder.tokens(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>")
    builder.tokens(unk_token="<unk>", pad_token="<pad>")
    _stripping_mask(builder)
    prefix = builder.flag("add_prefix_space", True)
    entries = [(name, 0.0) for name in names[:4]] + pieces.scored[3:] + [(names[4], 0.0)]
    scores = unigram(builder, entries, 3)
    steps: list[Stage] = [
        {"type": "Strip", "strip_left": False, "strip_right": True},
        replace(" {2,}", "▁", True),
    ]
    builder.normalizer = sequence("normalizers", steps)
    builder.pre_tokenizer = builder.decoder = metaspace("always" if prefix else "never")
    builder.finish()
    cls, sep = builder.special.get("cls_token"), builder.special.get("sep_token")
    single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (sep, 0)]
    builder.template(single, [*single, (sep, 0), (SECOND, 0), (sep, 0)])
    return scores


def _xglm(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    known = [text_of(token) for token in extra]
    made_up = [f"<madeupword{number}>" for number in range(_MADE_UP)]
    extra += [word for word in made_up if word not in known]
    builder.tokens(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>")
    builder.tokens(unk_token="<unk>", pad_token="<pad>")
    prefix = builder.flag("add_prefix_space", True)
    scores = unigram(builder, pieces.scored, 3)
    steps = [precompiled(pieces.charsmap)] if pieces.charsmap else []
    builder.normalizer = sequence("normalizers", [*steps, replace(" {2,}", " ", True)])
    builder.pre_tokenizer = builder.decoder = metaspace("always" if prefix else "never")
    builder.finish()
    eos = builder.special.get("eos_token")
    builder.template([(eos, 0), (TEXT, 0)], [(eos, 0), (TEXT, 0), (eos, 0), (eos, 0), (SECOND, 0)])
    return scores


def _mluke(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    """Makes mLUKE's class; transformers (5.23) gives pieces their ids in the model, not those of XLM-RoBERTa."""
    builder.tokens(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>")
    builder.tokens(unk_token="<unk>", pad_token="<pad>")
    _stripping_mask(builder)
    entity_tokens(builder, "▁", True)
    scores = unigram(builder, pieces.scored, 0)
    builder.normalizer = sequence("normalizers", [replace("``", '"'), replace("''", '"')])
    builder.pre_tokenizer = builder.decoder = metaspace("always")
    builder.finish()
    builder.add_all_special()
    cls, sep = builder.special.get("cls_token"), builder.special.get("sep_token")
    single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (sep, 0)]
    builder.template(single, [*single, (sep, 0), (SECOND, 1), (sep, 1)])
    return scores


def _tips(builder: SlowBuilder, pieces: SlowPieces) -> list[float]:
    builder.tokens(unk_token="<unk>", pad_token="<pad>", bos_token=None, eos_token=None)
    lower = builder.flag("do_lower_case", True)
    vocabulary = {piece: id for id, (piece, _, _) in enumerate(pieces.pieces)}
    bpe_of(builder, vocabulary, merges_of(vocabulary), True, None)
    steps: list[Stage] = [{"type": "Lowercase"}] if lower else []
    if pieces.charsmap:
        steps.append(precompiled(pieces.charsmap))
    builder.normalizer = sequence("normalizers", steps)
    builder.metaspace_stages("always")
    builder.decoder = sequence(
        "decoders", [metaspace("always"), {"type": "ByteFallback"}, {"type": "Fuse"}]
    )
    builder.finish()
    return []


def _stripping_mask(builder: SlowBuilder) -> None:
    """Takes the mask token, which as plain text absorbs the white space before it."""
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, lstrip=True)


_CLASSES: Final[dict[str, Callable[[SlowBuilder, SlowPieces], list[float]]]] = {
    "LasrTokenizer": _lasr,
    "VideoPrismTokenizer": _video_prism,
    "UdopTokenizer": _udop,
    "LayoutXLMTokenizer": _layout_xlm,
    "XGLMTokenizer": _xglm,
    "MLukeTokenizer": _mluke,
    "Tipsv2Tokenizer": _tips,
}

MEDIA_PIECE_FILES: Final = {
    "LasrTokenizer": "spiece.model",
    "VideoPrismTokenizer": "spiece.model",
    "UdopTokenizer": "spiece.model",
    "LayoutXLMTokenizer": "sentencepiece.bpe.model",
    "XGLMTokenizer": "tokenizer.model",
    "MLukeTokenizer": "sentencepiece.bpe.model",
    "Tipsv2Tokenizer": "tokenizer.model",
}
"""The classes that are made here, and the file that each looks for in a folder without ``tokenizer.model``."""
