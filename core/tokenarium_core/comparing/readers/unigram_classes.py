"""The classes of transformers 5 for Unigram models, made of the entries of a `tokenizer.json` as they are.

Out of a SentencePiece model, the same classes also make entries of their own (`hf_slow_unigram`).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any, Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_builder import SECOND, TEXT, SlowBuilder, SlowPieces, Stage
from tokenarium_core.formats.hf.hf_slow_settings import SlowToken, text_of
from tokenarium_core.formats.hf.hf_slow_unigram import around_end, of_unigram, sentinels, unigram
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings

Entries = list[tuple[str, float]]


def of_entries(builder: SlowBuilder, kind: str, fields: dict[str, Any]) -> list[float]:
    """Makes a class of `UNIGRAM_CLASSES` of the entries of a file; returns their scores."""
    entries = [(str(piece), float(score)) for piece, score in fields["model"]["vocab"]]
    builder.values.setdefault("additional_special_tokens", [])
    make = UNIGRAM_CLASSES[kind]
    if make is None:
        trainer = SentencePieceSettings("trainer_spec")
        trainer.put("unk_id", 1 if kind == "DebertaV2Tokenizer" else 0)
        pieces = [(piece, score, 1) for piece, score in entries]
        return of_unigram(builder, kind, SlowPieces(pieces, trainer, charsmap_of(fields)))
    make(builder, entries, charsmap_of(fields))
    return [score for _, score in entries]


def charsmap_of(fields: dict[str, Any]) -> bytes:
    """Returns the character map of SentencePiece in the normalizer of a file; empty if there is none."""
    steps: Stage = fields.get("normalizer") or {}
    for step in steps.get("normalizers", [steps]):
        if step.get("type") == "Precompiled":
            return base64.b64decode(step.get("precompiled_charsmap") or "")
    return b""


def _t5(builder: SlowBuilder, entries: Entries, charsmap: bytes) -> None:
    builder.tokens(eos_token="</s>", unk_token="<unk>", pad_token="<pad>")
    sentinels(builder)
    unigram(builder, entries, 2)
    builder.charsmap_stage(charsmap)
    builder.metaspace_stages("always")
    builder.finish()
    around_end(builder, "</s>", builder.special.get("eos_token"))


def _xlm_roberta(builder: SlowBuilder, entries: Entries, charsmap: bytes) -> None:
    prefix = builder.flag("add_prefix_space", True)
    bos = builder.token("bos_token", "<s>")
    eos = builder.token("eos_token", "</s>")
    builder.tokens(
        sep_token="</s>",
        cls_token="<s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
    )
    unigram(builder, entries, 3)
    _words(builder, charsmap, prefix)
    _between(builder, bos, eos)


def _camembert(builder: SlowBuilder, entries: Entries, charsmap: bytes) -> None:
    prefix = builder.flag("add_prefix_space", True)
    bos = builder.token("bos_token", "<s>")
    eos = builder.token("eos_token", "</s>")
    builder.tokens(sep_token="</s>", cls_token="<s>", pad_token="<pad>")
    unknown = text_of(builder.token("unk_token", "<unk>"))
    mask = builder.token("mask_token", "<mask>")
    if isinstance(mask, str):
        builder.values["mask_token"] = SlowToken(mask, True, lstrip=True)
    extra = builder.values["additional_special_tokens"]
    assert isinstance(extra, list)
    extra += ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]
    ids = [id for id, (piece, _) in enumerate(entries) if piece == unknown]
    unigram(builder, entries, ids[0] if ids else 0)
    _words(builder, charsmap, prefix)
    _between(builder, bos, eos)


def _albert(builder: SlowBuilder, entries: Entries, charsmap: bytes) -> None:
    """Makes ALBERT's class: the tokens around a text are those of the file, if it has any."""
    around = builder.post_processor
    pieces = SlowPieces(
        [(piece, score, 1) for piece, score in entries],
        SentencePieceSettings("trainer_spec"),
        charsmap,
    )
    of_unigram(builder, "AlbertTokenizer", pieces)
    if around is not None:
        builder.post_processor = around


def _words(builder: SlowBuilder, charsmap: bytes, prefix: bool) -> None:
    builder.charsmap_stage(charsmap)
    builder.metaspace_stages("always" if prefix else "never")
    builder.finish()


def _between(builder: SlowBuilder, bos: object, eos: object) -> None:
    """Puts RoBERTa's tokens around a text, and two of them between a pair."""
    if builder.id_of(bos) is None or builder.id_of(eos) is None:
        raise FormatError(
            f"{builder.settings.kind} puts two tokens around a text that are no entries."
        )
    builder.template(
        [(bos, 0), (TEXT, 0), (eos, 0)],
        [(bos, 0), (TEXT, 0), (eos, 0), (eos, 0), (SECOND, 0), (eos, 0)],
    )


UNIGRAM_CLASSES: Final[dict[str, Callable[[SlowBuilder, Entries, bytes], None] | None]] = {
    "T5Tokenizer": _t5,
    "XLMRobertaTokenizer": _xlm_roberta,
    "CamembertTokenizer": _camembert,
    "AlbertTokenizer": _albert,
    "DebertaV2Tokenizer": None,
    "XLNetTokenizer": None,
}
"""The classes that are made here, or by `of_unigram`, which takes the entries as they are for the last two."""
