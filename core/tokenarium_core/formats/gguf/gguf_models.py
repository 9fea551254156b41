"""The tokenizer that llama.cpp makes of the fields of a GGUF file, put together of the stages that are here already.

- ``gpt2`` and ``gemma4``, BPE with merges: those of a `tokenizer.json` with the same content.
- ``llama``, BPE by scores: those of a SentencePiece model with the same pieces. User-defined pieces are found before.
- ``t5``, Unigram: scores are added in double precision, as Hugging Face's library does. A text of spaces alone gets no
  other one before it.
- ``bert``, WordPiece: see `gguf_wordpiece`.

Source: ``src/llama-vocab.cpp`` in ggml-org/llama.cpp, from ``llama_vocab::impl::load`` on.
"""

from __future__ import annotations

import json
import re
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.added_tokens import AddedTokens
from tokenarium_core.decoders.sentencepiece_decoder import SentencePieceDecoder
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_cuts import DEFAULT, GgufCuts, cuts_of
from tokenarium_core.formats.gguf.gguf_entries import (
    BYTE_TYPE,
    CONTROL_TYPE,
    FIELDS,
    MARK,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
    Entries,
)
from tokenarium_core.formats.gguf.gguf_file import GgufMetadata
from tokenarium_core.formats.gguf.gguf_wordpiece import wordpiece_of
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.llama_stages import as_in_llama
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    content_of_pieces,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import (
    CONTROL,
    NORMAL,
    PLAIN,
    SPACE_MARK,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    PieceArena,
    Vocabulary,
)

KINDS: Final = {
    "gpt2": "byte-level BPE",
    "gemma4": "BPE with merges",
    "llama": "SentencePiece BPE",
    "t5": "Unigram",
    "bert": "WordPiece",
}
"""The kinds of models that are run, by the field ``tokenizer.ggml.model``."""

_SIGN: Final = re.compile(rb"[!-~]")
_NOT_BLANK: Final = re.compile(rb"[^ \0]")
_NAMES: Final = {
    "unknown": "unk_token",
    "seperator": "sep_token",
    "padding": "pad_token",
}
"""Names of special tokens that Hugging Face's files spell otherwise; GGUF has "seperator"."""


def tokenizer_of(metadata: GgufMetadata, name: str) -> Tokenizer:
    """Returns the tokenizer of a file's metadata.

    Raises FormatError for a file without a tokenizer, for a kind of model or a pre-tokenizer that this program does not
    know, by its name, and for fields that do not fit together.
    """
    kind = metadata.text(FIELDS + "model")
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
    entries = Entries(metadata, kind, cuts)
    if kind == "llama":
        tokenizer = _by_scores(entries, name)
    elif kind == "t5":
        tokenizer = _unigram(entries, name)
    elif kind == "bert":
        tokenizer = wordpiece_of(entries, name)
    else:
        tokenizer = _by_merges(entries, cuts, name)
    tokenizer.details = _details(metadata, entries, kind)
    return tokenizer


# BPE with merges.


def _by_merges(entries: Entries, cuts: GgufCuts, name: str) -> Tokenizer:
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
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": splits},
        "post_processor": _post_processor(entries),
        "decoder": decoder,
        "model": {
            "type": "BPE",
            "byte_fallback": cuts.marks,
            "ignore_merges": cuts.whole,
            "vocab": entries.ids,
            "merges": pairs,
        },
    }
    made = read_huggingface(json.dumps(file, ensure_ascii=False).encode(), name)
    return as_in_llama(made)


def _merges(entries: Entries) -> list[tuple[str, str]]:
    """Returns the merges by rank: of one that comes twice, only the first counts.

    Raises FormatError for a merge whose parts or result are no entries.
    """
    ids = entries.ids
    source = entries.source
    pairs: dict[tuple[str, str], None] = {}
    lines = entries.metadata.texts(FIELDS + "merges")
    if not lines:
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
                f"{source}: merge {rank} is {text!r}, which is not two entries whose whole is a third one."
            )
        pairs[left, right] = None
    return list(pairs)


def _post_processor(entries: Entries) -> dict[str, object] | None:
    """Returns what adds the ids around a text, as a `tokenizer.json` has it; None for nothing."""
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


def _by_scores(entries: Entries, name: str) -> Tokenizer:
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
    model = read_sentencepiece(content_of_pieces(pieces, stored), entries.source, name)
    vocabulary = model.vocabulary
    for id, type in enumerate(entries.types):
        if type == USER_DEFINED_TYPE:
            vocabulary.kinds[id] = u8(USER_DEFINED)
    return Tokenizer(
        name,
        model.model,
        WholeText(),
        AddedTokens(entries.added(), longest_first=True),
        model.normalizer,
        template=entries.template(),
        decoder=model.decoder,
    )


# Unigram.


def _unigram(entries: Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of a Unigram model."""
    metadata = entries.metadata
    if entries.unknown < 0:
        raise FormatError(
            f"{entries.source} has no unknown token, which Unigram needs for characters in no entry."
        )
    spelling: i64 = SPACE_MARK
    for id, text in enumerate(entries.texts):
        if entries.types[id] == NORMAL_TYPE and " " in text:
            spelling = PLAIN  # it would look like a mark
    count = len(entries.texts)
    arena = PieceArena(count)
    scores = vec[float]([0.0] * count)
    outside: set[int] = set()
    protected: list[bytes] = []
    kinds = {
        NORMAL_TYPE: NORMAL,
        UNKNOWN_TYPE: UNKNOWN,
        CONTROL_TYPE: CONTROL,
        USER_DEFINED_TYPE: USER_DEFINED,
        UNUSED_TYPE: UNUSED,
        BYTE_TYPE: CONTROL,  # llama.cpp does not fall back to bytes here
    }
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        if type == NORMAL_TYPE or type == USER_DEFINED_TYPE:
            scores[id] = entries.scores[id] if type == NORMAL_TYPE else 0.0
            spelled = text.replace(MARK, " ") if spelling == SPACE_MARK else text
            arena.add(spelled.encode(), kinds[type])
        else:
            outside.add(id)
            arena.add(text.encode(), kinds[type])
        if type == USER_DEFINED_TYPE:
            protected.append(text.encode())
    arena.scores = scores
    vocabulary = Vocabulary(arena, (), spelling, "", frozenset(outside))
    blob = bytes(
        [number & 0xFF for number in metadata.whole_numbers(FIELDS + "precompiled_charsmap")]
    )
    squeeze = metadata.flag(FIELDS + "remove_extra_whitespaces", False)
    prefix = squeeze or metadata.flag(FIELDS + "add_space_prefix", False)
    charsmap = Charsmap(blob, entries.source) if blob else None
    name_of_rules = "precompiled" if blob else "spaces"
    marks = spelling == PLAIN
    normalizer: Normalizer = SentencePieceNormalizer(
        name_of_rules, charsmap, prefix, squeeze, True, False, protected, marks=marks
    )
    if prefix and not squeeze:
        bare = SentencePieceNormalizer(
            name_of_rules, charsmap, False, False, True, False, protected, marks=marks
        )
        normalizer = _PrefixOfWords(normalizer, bare)
    return Tokenizer(
        name,
        Unigram(vocabulary, entries.unknown, False, TOKENIZERS),
        WholeText(),
        AddedTokens(entries.added(), longest_first=True),
        normalizer,
        template=entries.template(),
        decoder=SentencePieceDecoder(b" \xe2\x81\x87 ", prefix, squeeze),
    )


@final
class _PrefixOfWords(Normalizer):
    """A normalizer that puts a space before each text but those of spaces alone, for which ``bare`` is taken."""

    def __init__(self, full: Normalizer, bare: Normalizer) -> None:
        super().__init__(full.name)
        self.full = full
        self.bare = bare

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalised text; see `Normalizer.normalize`."""
        if _SIGN.search(text.data, 0, text.size) is not None:
            return self.full.normalize(text)
        bare = self.bare.normalize(text)
        if _NOT_BLANK.search(bare.data.replace(MARK.encode(), b" "), 0, bare.size) is None:
            return bare
        return self.full.normalize(text)


# What the file says.

_LONGEST_SHOWN: Final = 2000  # characters
_WHOLE: Final = "chat_template"
"""These values are used, not only shown; the app has a bound for them."""


def _details(metadata: GgufMetadata, entries: Entries, kind: str) -> list[Detail]:
    """Returns the settings as the file stores them: the pre-tokenizer, the special tokens by name, all others."""
    details = [Detail("tokenizer", "model", f"{kind} ({KINDS[kind]})")]
    if kind == "gpt2":
        pre = metadata.text(FIELDS + "pre")
        if not pre:
            pre = f"none: cut by the {DEFAULT} pattern of llama.cpp, which is seldom that of the model"
        details.append(Detail("tokenizer", "pre", pre))
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
