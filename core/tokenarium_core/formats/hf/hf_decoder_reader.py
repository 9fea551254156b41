"""The ``decoder`` of a `tokenizer.json`.

Source: huggingface/tokenizers, ``decoders/mod.rs``.
"""

from __future__ import annotations

from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.decoders.token_decoders import (
    BpeStep,
    ByteFallbackStep,
    ByteLevelStep,
    CtcStep,
    DecoderStep,
    FuseStep,
    MetaspaceStep,
    ReplaceStep,
    StepsDecoder,
    StripStep,
    WordPieceStep,
)
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_splitter_reader import metaspace_scheme, pattern_of


def decoder_of(steps: list[Fields], named: bool, left_out: frozenset[int]) -> Decoder:
    """Returns the decoder of these steps; ``named`` tells whether the file has one at all.

    The ids ``left_out`` give no text.
    Raises FormatError for one that cannot be run.
    """
    made: list[DecoderStep] = []
    for step in steps:
        made.append(_step(step))
        step.finish()
    return StepsDecoder(made, left_out, not named)


def _step(step: Fields) -> DecoderStep:
    name = step.type
    if name == "ByteLevel":
        for field in ("add_prefix_space", "trim_offsets", "use_regex"):
            step.flag(field, True)
        return ByteLevelStep()
    if name == "ByteFallback":
        return ByteFallbackStep()
    if name == "Fuse":
        return FuseStep()
    if name == "Replace":
        pattern = pattern_of(step, False)
        assert pattern is not None  # only where the text is spaced
        return ReplaceStep(pattern, step.text("content"))
    if name == "Strip":
        return StripStep(step.text("content"), step.number("start"), step.number("stop"))
    if name == "Metaspace":
        replacement = step.text("replacement")
        step.flag("split", True)
        return MetaspaceStep(replacement, metaspace_scheme(step))
    if name == "BPEDecoder":
        return BpeStep(step.text("suffix"))
    if name == "CTC":
        pad = step.text("pad_token")
        return CtcStep(pad, step.text("word_delimiter_token"), step.flag("cleanup"))
    if name == "WordPiece":
        return WordPieceStep(step.text("prefix"), step.flag("cleanup"))
    raise step.refuse(f"is of type {name!r}")
