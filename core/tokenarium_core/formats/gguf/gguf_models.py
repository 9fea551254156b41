"""The tokenizer that llama.cpp builds from the fields of a GGUF file, composed of existing stages.

- ``gpt2`` and ``gemma4``, BPE with merges: those of a `tokenizer.json` with the same content.
- ``whitespace``, the same over the characters of words, without the whitespace between them.
- ``llama``, BPE by scores: those of a SentencePiece model with the same pieces. User-defined pieces are matched first.
- ``t5``, Unigram: see `gguf_unigram`.
- ``bert``, WordPiece: see `gguf_wordpiece`.
- ``rwkv``, the longest entries: see `gguf_rwkv`.
- ``plamo2``, the entries of the lowest cost: see `gguf_plamo`.

Source: ``src/llama-vocab.cpp`` in ggml-org/llama.cpp, from ``llama_vocab::impl::load`` on.
"""

from __future__ import annotations

import json
from typing import Final

from mypy_extensions import u8

from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_cuts import DEFAULT, GgufCuts, cuts_of
from tokenarium_core.formats.gguf.gguf_entries import (
    BYTE_TYPE,
    CONTROL_TYPE,
    FIELDS,
    MARK,
    UNKNOWN_TYPE,
    USER_DEFINED_TYPE,
    Entries,
)
from tokenarium_core.formats.gguf.gguf_file import GgufMetadata
from tokenarium_core.formats.gguf.gguf_plamo import plamo_of
from tokenarium_core.formats.gguf.gguf_rwkv import rwkv_of
from tokenarium_core.formats.gguf.gguf_unigram import unigram_of
from tokenarium_core.formats.gguf.gguf_wordpiece import wordpiece_of
from tokenarium_core.formats.hf.hf_format import load_huggingface, read_huggingface
from tokenarium_core.formats.hf.hf_vocabulary import dump_added_tokens, load_added_tokens
from tokenarium_core.formats.llama_stages import as_in_llama
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    content_of_pieces,
    load_sentencepiece,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.vocabulary import (
    USER_DEFINED,
)

_MERGES: Final = FIELDS + "merges"
_KIMI: Final = "kimi-k2"

_WORDS: Final = "whitespace"
_LOWERCASE: Final = FIELDS + "normalizer.lowercase"
_NONE: Final = ("none", "no_vocab")

_SCORES: Final = 0
_MERGES_OF_JSON: Final = 1
"""How what the cache has of a file goes on: as a SentencePiece model, or as a tokenizer.json."""

KINDS: Final = {
    "gpt2": "byte-level BPE",
    "gemma4": "BPE with merges",
    "whitespace": "BPE of words",
    "llama": "SentencePiece BPE",
    "t5": "Unigram",
    "bert": "WordPiece",
    "rwkv": "longest match",
    "plamo2": "Unigram in whole numbers",
}
"""The supported kinds of models, by the field ``tokenizer.ggml.model``."""

_NAMES: Final = {
    "unknown": "unk_token",
    "seperator": "sep_token",
    "padding": "pad_token",
}
"""Names of special tokens that Hugging Face files spell differently; GGUF has "seperator"."""


def tokenizer_of(metadata: GgufMetadata, name: str, out: CacheWriter | None) -> Tokenizer:
    """Returns the tokenizer of a file's metadata; it is written to ``out`` for `load_gguf`, if it can be cached.

    Raises FormatError for a file without a tokenizer, for an unknown kind of model or pre-tokenizer,
    with its name, and for inconsistent fields.
    """
    kind = metadata.text(FIELDS + "model")
    if kind in _NONE:
        raise FormatError(
            f"{metadata.source} holds no tokenizer: its model does not read text (tokenizer.ggml.model is {kind!r})."
        )
    if not kind:
        raise FormatError(
            f"{metadata.source} holds no tokenizer: it has no field 'tokenizer.ggml.model'. Of a model in several files,"
            " the first one holds it."
        )
    if kind not in KINDS:
        known = ", ".join([f"{known} ({what})" for known, what in KINDS.items()])
        raise FormatError(
            f"{metadata.source} has a tokenizer of the kind {kind!r} (tokenizer.ggml.model), which this program does not"
            f" run. It runs {known}."
        )
    cuts = GgufCuts([])
    if kind in ("gpt2", "gemma4"):
        pre = "gemma4" if kind == "gemma4" else metadata.text(FIELDS + "pre")
        cuts = cuts_of(pre, metadata.source)
    entries = Entries(metadata, "gpt2" if kind == _WORDS else kind, cuts)
    if kind == "llama":
        tokenizer = _by_scores(entries, name, out)
    elif kind == "t5":
        tokenizer = unigram_of(entries, name)
    elif kind == "bert":
        tokenizer = wordpiece_of(entries, name)
    elif kind == "rwkv":
        tokenizer = rwkv_of(entries, name)
    elif kind == "plamo2":
        tokenizer = plamo_of(entries, name)
    elif kind == _WORDS:
        tokenizer = _of_words(entries, name, out)
    else:
        tokenizer = _by_merges(entries, cuts, name, out)
    tokenizer.details = _details(metadata, entries, kind)
    if out is not None and out.complete:
        out.number(len(tokenizer.details))
        for detail in tokenizer.details:
            for text in (detail.group, detail.name, detail.value):
                out.text(text)
    return tokenizer


def load_gguf(cached: CacheReader, source: str, name: str) -> Tokenizer:
    """Returns the tokenizer that `tokenizer_of` wrote to its ``out``."""
    if cached.number() == _SCORES:
        tokenizer = _load_by_scores(cached, source, name)
    else:
        tokenizer = as_in_llama(load_huggingface(cached, name, None))
    tokenizer.details = [
        Detail(cached.text(), cached.text(), cached.text()) for _ in range(cached.number())
    ]
    return tokenizer


# BPE with merges.


def _by_merges(entries: Entries, cuts: GgufCuts, name: str, out: CacheWriter | None) -> Tokenizer:
    """Returns the tokenizer of a `tokenizer.json` with the same entries, merges and patterns."""
    pairs = _merges(entries)
    splits: list[dict[str, object]] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern in cuts.patterns
    ]
    normalizer: dict[str, object] | None = None
    decoder: dict[str, object] = {
        "type": "ByteLevel",
        "add_prefix_space": True,
        "trim_offsets": True,
        "use_regex": True,
    }
    if cuts.marks:
        normalizer = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
        steps: list[dict[str, object]] = [
            {"type": "Replace", "pattern": {"String": MARK}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
        ]
        decoder = {"type": "Sequence", "decoders": steps}
    else:
        splits.append(
            {
                "type": "ByteLevel",
                "add_prefix_space": False,
                "trim_offsets": True,
                "use_regex": False,
            }
        )
    model = {
        "type": "BPE",
        "byte_fallback": cuts.marks,
        "ignore_merges": cuts.whole,
        "vocab": entries.ids,
        "merges": pairs,
    }
    pre_tokenizer: dict[str, object] = {"type": "Sequence", "pretokenizers": splits}
    return _as_json(entries, normalizer, pre_tokenizer, decoder, model, name, out)


def _of_words(entries: Entries, name: str, out: CacheWriter | None) -> Tokenizer:
    """Returns the tokenizer of the kind ``whitespace``; characters that are not entries become their bytes, or nothing.

    FormatError for another way to split than at whitespace, for lowercase letters, and for entries of some bytes only.
    """
    metadata = entries.metadata
    if metadata.text(FIELDS + "pre") != _WORDS or metadata.flag(_LOWERCASE, False):
        raise FormatError(
            f"{entries.source} has a tokenizer of the kind 'whitespace' that splits words by a pattern (tokenizer.ggml.pre)"
            " or makes letters lowercase (tokenizer.ggml.normalizer.lowercase): only one without both is read."
        )
    bytes_present = sum(f"<0x{byte:02X}>" in entries.ids for byte in range(256))
    if 0 < bytes_present < 256:
        raise FormatError(
            f"{entries.source} has entries for {bytes_present} of the 256 bytes (<0x00> to <0xFF>): all of them are needed,"
            " or none."
        )
    steps: list[dict[str, object]] = [{"type": "ByteFallback"}, {"type": "Fuse"}]
    model = {
        "type": "BPE",
        "byte_fallback": bytes_present > 0,
        "vocab": entries.ids,
        "merges": _merges(entries),
    }
    decoder: dict[str, object] = {"type": "Sequence", "decoders": steps}
    return _as_json(entries, None, {"type": "WhitespaceSplit"}, decoder, model, name, out)


def _as_json(
    entries: Entries,
    normalizer: dict[str, object] | None,
    pre_tokenizer: dict[str, object],
    decoder: dict[str, object],
    model: dict[str, object],
    name: str,
    out: CacheWriter | None,
) -> Tokenizer:
    """Returns the tokenizer of a `tokenizer.json` with these stages, as llama.cpp runs it."""
    added = [
        {
            "id": token.id,
            "content": token.content,
            "single_word": False,
            "lstrip": token.lstrip,
            "rstrip": token.rstrip,
            "normalized": False,
            "special": token.special,
        }
        for token in entries.added()
    ]
    file = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": _post_processor(entries),
        "decoder": decoder,
        "model": model,
    }
    if out is not None:
        out.number(_MERGES_OF_JSON)
    tokenizer = read_huggingface(json.dumps(file, ensure_ascii=False).encode(), name, out=out)
    return as_in_llama(tokenizer)


def _merges(entries: Entries) -> list[tuple[str, str]]:
    """Returns the merges by rank: of duplicates, only the first counts. Kimi K2's files need none: llama.cpp then merges nothing.

    Raises FormatError for a merge whose parts or result are not entries.
    """
    ids = entries.ids
    source = entries.source
    pairs: dict[tuple[str, str], None] = {}
    lines = entries.metadata.texts(_MERGES)
    if not lines:
        if (
            entries.metadata.text(FIELDS + "pre") == _KIMI
            and _MERGES not in entries.metadata.values
        ):
            return []
        raise FormatError(
            f"{source} has no merges: the field 'tokenizer.ggml.merges', which BPE needs, is empty."
        )
    for rank, line in enumerate(lines):
        text = line.decode("utf-8", "backslashreplace")
        at = text.find(" ", 1)
        left = text[:at]
        right = text[at + 1 :]
        if at < 0 or left not in ids or right not in ids or left + right not in ids:
            raise FormatError(
                f"{source}: merge {rank} is {text!r}, which is not two entries that together are a third one."
            )
        pairs[left, right] = None
    return list(pairs)


def _post_processor(entries: Entries) -> dict[str, object] | None:
    """Returns the post-processor that adds ids around a text, as in a `tokenizer.json`; None if none are added."""
    if entries.template() is None:
        return None
    before = [_special_part(entries.texts[id]) for id in entries.before]
    after = [_special_part(entries.texts[id]) for id in entries.after]
    first: list[object] = [*before, {"Sequence": {"id": "A", "type_id": 0}}, *after]
    second: list[object] = [{"Sequence": {"id": "B", "type_id": 0}}, *after]
    special = {
        entries.texts[id]: {"id": entries.texts[id], "ids": [id], "tokens": [entries.texts[id]]}
        for id in [*entries.before, *entries.after]
    }
    return {
        "type": "TemplateProcessing",
        "single": first,
        "pair": [*first, *second],
        "special_tokens": special,
    }


def _special_part(text: str) -> object:
    return {"SpecialToken": {"id": text, "type_id": 0}}


# BPE by scores.


def _by_scores(entries: Entries, name: str, out: CacheWriter | None) -> Tokenizer:
    """Returns the tokenizer of a SentencePiece model with the same pieces."""
    pieces: list[tuple[str, float, int]] = []
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        # What is found before the model runs must not be found by it; SentencePiece has one unknown piece.
        if type == USER_DEFINED_TYPE or (type == UNKNOWN_TYPE and id != entries.unknown):
            type = CONTROL_TYPE
        pieces.append((text, entries.scores[id], type))
    if entries.unknown >= 0:
        text, score, _ = pieces[entries.unknown]
        pieces[entries.unknown] = (text, score, UNKNOWN_TYPE)
    trainer = SentencePieceSettings("trainer_spec")
    trainer.put("model_type", 2)
    trainer.put("byte_fallback", BYTE_TYPE in entries.types)
    rules = SentencePieceSettings("normalizer_spec")
    rules.put("add_dummy_prefix", entries.metadata.flag(FIELDS + "add_space_prefix", True))
    rules.put("remove_extra_whitespaces", False)
    rules.put("escape_whitespaces", True)
    stored = {"trainer_spec": trainer.content(), "normalizer_spec": rules.content()}
    if out is not None:
        out.number(_SCORES)
    model = read_sentencepiece(content_of_pieces(pieces, stored), entries.source, name, out)
    added = entries.added()
    template = entries.template()
    if out is not None and out.complete:
        dump_added_tokens(added, [], out)
        out.number(0 if template is None else 1)
        if template is not None:
            out.text(template.name)
            for ids in (template.before, template.after):
                out.number(len(ids))
                for id in ids:
                    out.number(id)
    return _of_scores(model, added, template, name)


def _load_by_scores(cached: CacheReader, source: str, name: str) -> Tokenizer:
    model = load_sentencepiece(cached, source, name)
    added, _ = load_added_tokens(cached)
    template: Template | None = None
    if cached.number() == 1:
        text = cached.text()
        before = [int(cached.number()) for _ in range(cached.number())]
        template = Template(text, before, [int(cached.number()) for _ in range(cached.number())])
    return _of_scores(model, added, template, name)


def _of_scores(
    model: Tokenizer, added: list[AddedToken], template: Template | None, name: str
) -> Tokenizer:
    """Returns a tokenizer with the stages of a SentencePiece model, and llama.cpp's added tokens."""
    vocabulary = model.vocabulary
    kinds = vocabulary.kinds[:]  # a copy: the others may still have to be written to the cache
    for token in added:
        if not token.special:
            kinds[token.id] = u8(USER_DEFINED)
    vocabulary.kinds = kinds
    return Tokenizer(
        name,
        model.model,
        WholeText(),
        AddedTokens(added, longest_first=True),
        model.normalizer,
        template=template,
        decoder=model.decoder,
    )


# What the file says.

_LONGEST_SHOWN: Final = 2000  # characters
_WHOLE: Final = "chat_template"
"""These values are used, not just shown; the app bounds them."""


def _details(metadata: GgufMetadata, entries: Entries, kind: str) -> list[Detail]:
    """Returns the settings as the file stores them: the pre-tokenizer, the special tokens by name, all others."""
    details = [Detail("tokenizer", "model", f"{kind} ({KINDS[kind]})")]
    if kind == "gpt2":
        pre = metadata.text(FIELDS + "pre")
        if not pre:
            pre = f"none: split by the {DEFAULT} pattern of llama.cpp, which is seldom that of the model"
        details.append(Detail("tokenizer", "pre", pre))
        if _MERGES not in metadata.values:
            said = "none: each byte is a token, as in llama.cpp, which is not what the model was trained with"
            details.append(Detail("tokenizer", "merges", said))
    for name in metadata.values:
        if name.endswith("_token_id") and name.startswith(FIELDS):
            role = name[len(FIELDS) : -len("_token_id")]
            id = metadata.number(name)
            text = entries.texts[id] if 0 <= id < len(entries.texts) else f"{id} (no such id)"
            details.append(Detail("special tokens", _NAMES.get(role, f"{role}_token"), text))
    for name, value in metadata.values.items():
        group, _, rest = name.partition(".")
        rest = rest.removeprefix("ggml.")
        if rest in ("model", "pre") or rest.endswith("_token_id") or isinstance(value, list):
            continue
        shown = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        if isinstance(value, bool):
            shown = "true" if value else "false"
        if len(shown) > _LONGEST_SHOWN and not rest.startswith(_WHOLE):
            shown = f"{shown[:_LONGEST_SHOWN]}…"
        details.append(Detail(group, rest, shown))
    return details
