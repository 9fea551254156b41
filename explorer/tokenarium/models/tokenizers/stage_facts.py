"""The stages of a tokenizer in eight lines: what each is, and what becomes of a text there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import unknown_ids
from tokenarium.models.text.piece import counted, quoted
from tokenarium.models.text.pipeline import UNCHANGED, cuts_by, stages
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.tokenizer_facts import MODELS, ends_note
from tokenarium_core.vocabulary import BYTE, BYTE_ALPHABET, SPACE_MARK

RARE = "𒀀𪚥𓂀𖠀𐍈"
"""Characters of old or rare writing: most vocabularies have no entry for the first of them, or for another one."""

SHOWN = 200
"""Bytes of a decoded text that are shown."""


@dataclass(frozen=True, slots=True)
class StageFact:
    """A stage: its name, its term in the glossary, what it is in a tokenizer, and what becomes of a text there."""

    name: str
    term: str
    about: str
    text: str


def stage_facts(tokenizer: tc.Tokenizer, text: str) -> list[StageFact]:
    """Returns the eight stages of a tokenizer, in the order in which a text passes them; raises what encoding does."""
    encoding = tokenizer.encode(text)
    text_map = TextMap(text)
    shown = {
        stage.name.removesuffix("s"): stage.brief or stage.content
        for stage in stages(tokenizer, encoding, text_map, 0, text_map.byte_count)
    }
    model = type(tokenizer.model).__name__
    normalizer = tokenizer.normalizer.name if tokenizer.normalizer is not None else "none"
    return [
        StageFact("Added tokens", "added token", _added(tokenizer), shown.get("Added", UNCHANGED)),
        StageFact("Normalizer", "normalizer", normalizer, shown["Normalized"]),
        StageFact("Pre-tokenizer", "pre-tokenizer", cuts_by(tokenizer), shown["Pre-token"]),
        StageFact("Symbols", "symbol", symbols_of(tokenizer), _symbols_in(tokenizer, encoding)),
        StageFact("Model", "model", MODELS.get(model, model), shown["Piece"]),
        StageFact("Unknown characters", "unknown token", unknown_by(tokenizer), _unknown_in(tokenizer, list(encoding.ids))),
        StageFact("Post-processor", "BOS and EOS", _ends(tokenizer), ends_note(tokenizer, True, True)),
        StageFact("Decoder", "decoder", tokenizer.decoder.name, _decoded(tokenizer, list(encoding.ids), text)),
    ]  # fmt: skip


def _added(tokenizer: tc.Tokenizer) -> str:
    added = tokenizer.added_tokens.tokens
    special = sum(token.special for token in added)
    if not added:
        return "none"
    return f"{len(added):,}, {'all' if special == len(added) else f'{special:,} of them'} special"


def _ends(tokenizer: tc.Tokenizer) -> str:
    """Returns whether there are ids for the ends of a text, and who puts them there."""
    ends = tokenizer.ends
    return " · ".join(
        f"{name} {('added by itself' if adds else 'added when asked for') if ids else 'none'}"
        for name, ids, adds in (("BOS", ends.bos, ends.adds_bos), ("EOS", ends.eos, ends.adds_eos))
    )


def symbols_of(tokenizer: tc.Tokenizer) -> str:
    """Returns what the model begins with, and how the file spells a space."""
    kind = "bytes" if len(tokenizer.model.byte_symbols()) == 256 else "characters"
    spaces = {BYTE_ALPHABET: "Ġ", SPACE_MARK: "▁"}.get(tokenizer.vocabulary.spelling)
    return f"{kind}; {spaces} is a space in the file" if spaces else kind


def _symbols_in(tokenizer: tc.Tokenizer, encoding: tc.Encoding) -> str:
    data = encoding.text.data[: encoding.text.size]
    if len(tokenizer.model.byte_symbols()) == 256:
        return counted(len(data), "byte")
    return counted(len(data.decode("utf-8", "replace")), "character")


def unknown_by(tokenizer: tc.Tokenizer) -> str:
    """Returns what becomes of a character without an entry, as seen with a rare one."""
    if len(tokenizer.model.byte_symbols()) == 256:
        return "none: each byte has an entry"
    vocabulary, unknown = tokenizer.vocabulary, unknown_ids(tokenizer)
    for character in RARE:
        try:
            ids = [token for token in tokenizer.encode_ids(character) if vocabulary.piece(token) != b" "]  # fmt: skip
        except tc.TokenariumError:
            return "refused with an error"
        if not ids:
            return "dropped"
        for token in ids:
            if unknown[token]:
                return f"{vocabulary.surface(token)}; their text is lost"
            if vocabulary.kinds[token] == BYTE:
                return "their bytes, by byte fallback"
    return "not seen: rare characters have entries"


def _unknown_in(tokenizer: tc.Tokenizer, ids: list[int]) -> str:
    if len(tokenizer.model.byte_symbols()) == 256:
        return "none"
    some = np.asarray(ids, np.int64)
    unknown = int(unknown_ids(tokenizer)[some].sum())
    fallen = int((array_of(tokenizer.vocabulary.kinds)[some] == BYTE).sum())
    parts = [counted(unknown, "unknown token")] * (unknown > 0)
    return ", ".join([*parts, *[counted(fallen, "byte piece")] * (fallen > 0)]) or "none"


def _decoded(tokenizer: tc.Tokenizer, ids: list[int], text: str) -> str:
    decoded = tokenizer.decode(ids, skip_special_tokens=False)
    if decoded == text:
        return "the text again"
    return f"another text: {quoted(decoded.encode('utf-8', 'replace'), SHOWN)}"
