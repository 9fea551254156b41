"""The tokenizer that llama.cpp makes of the fields of a GGUF file, put together of the stages that are here already.

- ``gpt2`` and ``gemma4``, BPE with merges: those of a `tokenizer.json` with the same content.
- ``llama``, BPE by scores: those of a SentencePiece model with the same pieces. User-defined pieces are found before.
- ``t5``, Unigram: scores are added in double precision, as Hugging Face's library does. A text of spaces alone gets no
  other one before it.
- ``bert``, WordPiece: a piece with ``▁`` begins a word. Where accents are removed, llama.cpp also removes spacing
  marks, and of a Hangul syllable all but the first letter, which Hugging Face's normalizer does not.

Control and unknown tokens are special ones, user-defined ones are found in any text: of several that begin at one
place the longest, where llama.cpp takes the longest of the whole text. Tokens of Phi-3 take all blanks after them, in
llama.cpp those of ASCII.

Source: ``src/llama-vocab.cpp`` in ggml-org/llama.cpp, from ``llama_vocab::impl::load`` on.
"""

from __future__ import annotations

import json
import re
from math import isnan
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.decoders.sentencepiece_decoder import SentencePieceDecoder
from tokenarium_core.decoders.token_decoders import StepsDecoder, WordPieceStep
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.gguf.gguf_cuts import DEFAULT, GgufCuts, cuts_of
from tokenarium_core.formats.gguf.gguf_file import GgufMetadata
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    content_of_pieces,
    read_sentencepiece,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_settings import SentencePieceSettings
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalized_text import NormalizedText
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.normalizers.character_normalizers import CharacterNormalizer
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.normalizer import Normalizer, NormalizerSequence
from tokenarium_core.normalizers.sentencepiece_normalizer import SentencePieceNormalizer
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.older_unicode import (
    OlderPreTokenizer,
    OlderSplitter,
    OlderUnicode,
)
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.bert_characters import mapping
from tokenarium_core.unicode.bert_data import STRIPPED
from tokenarium_core.unicode.codepoints import CATEGORIES, CATEGORY_TABLE, CODE_POINTS
from tokenarium_core.unicode.llama_codepoints_data import NEWER
from tokenarium_core.vocabulary import (
    CONTINUING,
    CONTROL,
    MAX_IDS,
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

_FIELDS: Final = "tokenizer.ggml."
_MARK: Final = "▁"
_SIGN: Final = re.compile(rb"[!-~]")
_NOT_BLANK: Final = re.compile(rb"[^ \0]")
# Hangul: Unicode, section 3.12.
_SYLLABLES: Final = 0xAC00
_LETTERS: Final = 0x1100
_FIRST_LETTERS: Final = 19
_WITH_EACH: Final = 588
_LONGEST_WORD: Final = 1 << 30  # characters: llama.cpp has no limit

# The types of tokens, which are those of SentencePiece's pieces.
_NORMAL: Final = 1
_UNKNOWN: Final = 2
_CONTROL: Final = 3
_USER_DEFINED: Final = 4
_UNUSED: Final = 5
_BYTE: Final = 6
_TYPES: Final = (_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE)

# Texts that llama.cpp takes for control tokens whatever their type is, the second only if no field names such a token.
_ENDS: Final = frozenset(
    [
        "<|eot_id|>",
        "<|im_end|>",
        "<|end|>",
        "<|return|>",
        "<|call|>",
        "<|flush|>",
        "<|calls|>",
        "<end_of_turn>",
        "<|endoftext|>",
        "</s>",
        "<|eom_id|>",
        "<EOT>",
        "_<EOT>",
        "[EOT]",
        "[EOS]",
        "<|end_of_text|>",
        "<end_of_utterance>",
        "<eos>",
        "<turn|>",
        "<|tool_response>",
        "<｜end▁of▁sentence｜>",
        "[e~[",
    ]
)
_BY_ROLE: Final = [
    (
        "fim_pre prefix",
        "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE> <|code_prefix|> <|prefix|>",
    ),
    (
        "fim_suf suffix",
        "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF> <|code_suffix|> <|suffix|>",
    ),
    (
        "fim_mid middle",
        "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID> <|code_middle|> <|middle|>",
    ),
    ("fim_pad", "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]"),
    ("fim_rep", "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>"),
    ("fim_sep", "<|file_sep|>"),
]
_SHOWN_TEXTS: Final = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")
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
    kind = metadata.text(_FIELDS + "model")
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
        pre = "gemma4" if kind == "gemma4" else metadata.text(_FIELDS + "pre")
        cuts = cuts_of(pre, metadata.source)
    entries = _Entries(metadata, kind, cuts)
    if kind == "llama":
        tokenizer = _by_scores(entries, name)
    elif kind == "t5":
        tokenizer = _unigram(entries, name)
    elif kind == "bert":
        tokenizer = _wordpiece(entries, name)
    else:
        tokenizer = _by_merges(entries, cuts, name)
    tokenizer.details = _details(metadata, entries, kind)
    return tokenizer


@final
class _Entries:
    """The entries of a file by id, checked: ``texts``, ``types`` and ``scores``; and the ids around a text."""

    def __init__(self, metadata: GgufMetadata, kind: str, cuts: GgufCuts) -> None:
        self.metadata = metadata
        self.source = metadata.source
        self.texts: list[str] = []
        self.ids: dict[str, int] = {}
        raw = metadata.texts(_FIELDS + "tokens")
        count = len(raw)
        if count == 0:
            raise FormatError(
                f"{self.source} has no entries: the field 'tokenizer.ggml.tokens' is empty."
            )
        if count > MAX_IDS:
            raise FormatError(
                f"{self.source} has {count:,} entries, more than the {MAX_IDS:,} that this program holds."
            )
        for id, piece in enumerate(raw):
            try:
                text = piece.decode() if piece else f"[EMPTY_{id}]"  # so llama.cpp calls it
            except UnicodeDecodeError as error:
                raise FormatError(
                    f"{self.source}: entry {id} is {piece!r}, which is not UTF-8."
                ) from error
            if self.ids.setdefault(text, id) != id:
                raise FormatError(
                    f"{self.source}: the entries {self.ids[text]} and {id} are both {text!r}."
                )
            self.texts.append(text)
        self.types = self._types(count)
        self.scores = metadata.scores(_FIELDS + "scores") or [0.0] * count
        if len(self.scores) < count:
            raise FormatError(
                f"{self.source} has {count:,} entries, and only {len(self.scores):,} scores."
            )
        for id in range(count):
            if isnan(self.scores[id]):
                raise FormatError(
                    f"{self.source}: entry {id} has the score NaN, which no number equals."
                )
        self.bos = self._role("bos", {"llama": 1, "bert": 101, "gpt2": 11}.get(kind, -1))
        self.eos = self._role("eos", {"llama": 2, "t5": 1, "gpt2": 11}.get(kind, -1))
        self.unknown = self._role("unknown", {"llama": 0, "bert": 100, "t5": 2}.get(kind, -1))
        self.separator = self._role("seperator", 102 if kind == "bert" else -1)
        adds_bos = metadata.flag(_FIELDS + "add_bos_token", cuts.bos or kind == "llama")
        adds_eos = metadata.flag(_FIELDS + "add_eos_token", kind == "t5")
        self.before: list[int] = []
        self.after: list[int] = []
        if kind == "bert":
            self.before = [self.bos] if self.bos >= 0 else []
            self.after = [self.separator] if self.separator >= 0 else []
        else:
            if (adds_bos or kind == "gemma4") and self.bos >= 0:
                self.before = [self.bos]
            if adds_eos and self.eos >= 0:
                self.after = [self.eos]

    def _types(self, count: int) -> list[int]:
        """Returns the type of each entry, by the field and by the texts that llama.cpp knows."""
        stored = self.metadata.whole_numbers(_FIELDS + "token_type")
        if stored and len(stored) < count:
            raise FormatError(
                f"{self.source} has {count:,} entries, and only {len(stored):,} types of them."
            )
        types = [stored[id] if stored and stored[id] in _TYPES else _NORMAL for id in range(count)]
        known = set(_ENDS)
        for roles, texts in _BY_ROLE:
            if all(self.metadata.number(f"{_FIELDS}{role}_token_id") < 0 for role in roles.split()):
                known.update(texts.split())
        for text in known:
            id = self.ids.get(text, -1)
            if id >= 0:
                types[id] = _CONTROL
        shown = list(_SHOWN_TEXTS)
        has = self.ids.keys()
        if {"<|return|>", "<|call|>"} <= has or (
            "<|flush|>" in has and ("<|call|>" in has or "<|calls|>" in has)
        ):
            shown.append("<|end|>")
        for text in shown:
            id = self.ids.get(text, -1)
            if id >= 0:
                types[id] = _USER_DEFINED
        if "<|tool_response>" in has and "</s>" in has:
            types[self.ids["</s>"]] = _NORMAL
        return types

    def _role(self, role: str, default: int) -> int:
        """Returns the id of a special token, -1 if there is none; one that does not exist counts as not there."""
        id = self.metadata.number(f"{_FIELDS}{role}_token_id")
        if not 0 <= id < len(self.texts):
            id = default
        return id if id < len(self.texts) else -1

    def special_ids(self) -> list[int]:
        """Returns the ids of the control and unknown tokens."""
        return [id for id, type in enumerate(self.types) if type in (_CONTROL, _UNKNOWN)]

    def added(self) -> list[AddedToken]:
        """Returns the tokens that are found before a text is cut, with the blanks that some models' tokens take."""
        pre = self.metadata.text(_FIELDS + "pre")
        name = self.metadata.text("general.name").lower()
        architecture = self.metadata.text("general.architecture")
        takes_left: tuple[str, ...] = ()
        takes_right = False
        if pre.startswith(("jina-v2-de", "jina-v2-es", "jina-v2-code")) or architecture.startswith(
            ("nomic-bert-moe", "jina-bert-v3")
        ):
            takes_left = ("<mask>",)
        elif "phi-3" in name or "phi3" in name:
            takes_right = True
        elif "modern-bert" in name:
            takes_left = ("[MASK]",)
        tokens: list[AddedToken] = []
        for id, type in enumerate(self.types):
            if type not in (_CONTROL, _UNKNOWN, _USER_DEFINED):
                continue
            text = self.texts[id]
            tokens.append(
                AddedToken(
                    text,
                    id,
                    special=type != _USER_DEFINED,
                    lstrip=text in takes_left,
                    rstrip=takes_right and text not in ("<unk>", "<s>", "<|endoftext|>"),
                )
            )
        return tokens

    def template(self) -> Template | None:
        """Returns the ids around a text; None for nothing."""
        if not self.before and not self.after:
            return None
        names = [self.texts[id] for id in self.before]
        return Template(
            " ".join([*names, "…", *[self.texts[id] for id in self.after]]), self.before, self.after
        )


# BPE with merges.


def _by_merges(entries: _Entries, cuts: GgufCuts, name: str) -> Tokenizer:
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
        normalizer = {"type": "Replace", "pattern": {"String": " "}, "content": _MARK}
        steps: list[dict[str, object]] = [
            {"type": "Replace", "pattern": {"String": _MARK}, "content": " "},
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
    if cuts.marks:
        return made  # its only pattern finds lines
    splitter = made.splitter
    tokenizer = Tokenizer(
        name,
        made.model,
        made.pre_tokenizer
        if splitter is not None
        else OlderPreTokenizer(made.pre_tokenizer, _OLDER),
        made.added_tokens,
        splitter=OlderSplitter(splitter, _OLDER) if splitter is not None else None,
        template=made.template,
        decoder=made.decoder,
    )
    tokenizer.stored = made.stored
    return tokenizer


_OLDER: Final = OlderUnicode(NEWER)
"""The Unicode of llama.cpp."""


def _merges(entries: _Entries) -> list[tuple[str, str]]:
    """Returns the merges by rank: of one that comes twice, only the first counts.

    Raises FormatError for a merge whose parts or result are no entries.
    """
    ids = entries.ids
    source = entries.source
    pairs: dict[tuple[str, str], None] = {}
    lines = entries.metadata.texts(_FIELDS + "merges")
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


def _post_processor(entries: _Entries) -> dict[str, object] | None:
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


def _by_scores(entries: _Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of a SentencePiece model with the same pieces."""
    pieces: list[tuple[str, float, int]] = []
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        # What is found before the model runs must not be found by it; SentencePiece has one unknown piece.
        if type == _USER_DEFINED or (type == _UNKNOWN and id != entries.unknown):
            type = _CONTROL
        pieces.append((text, entries.scores[id], type))
    if entries.unknown >= 0:
        text, score, _ = pieces[entries.unknown]
        pieces[entries.unknown] = (text, score, _UNKNOWN)
    trainer = SentencePieceSettings("trainer_spec")
    trainer.put("model_type", 2)
    trainer.put("byte_fallback", _BYTE in entries.types)
    rules = SentencePieceSettings("normalizer_spec")
    rules.put("add_dummy_prefix", entries.metadata.flag(_FIELDS + "add_space_prefix", True))
    rules.put("remove_extra_whitespaces", False)
    rules.put("escape_whitespaces", True)
    stored = {"trainer_spec": trainer.content(), "normalizer_spec": rules.content()}
    model = read_sentencepiece(content_of_pieces(pieces, stored), entries.source, name)
    vocabulary = model.vocabulary
    for id, type in enumerate(entries.types):
        if type == _USER_DEFINED:
            vocabulary.kinds[id] = u8(USER_DEFINED)
    return Tokenizer(
        name,
        model.model,
        WholeText(),
        AddedTokens(entries.added()),
        model.normalizer,
        template=entries.template(),
        decoder=model.decoder,
    )


# Unigram.


def _unigram(entries: _Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of a Unigram model."""
    metadata = entries.metadata
    if entries.unknown < 0:
        raise FormatError(
            f"{entries.source} has no unknown token, which Unigram needs for characters in no entry."
        )
    spelling: i64 = SPACE_MARK
    for id, text in enumerate(entries.texts):
        if entries.types[id] == _NORMAL and " " in text:
            spelling = PLAIN  # it would look like a mark
    count = len(entries.texts)
    arena = PieceArena(count)
    scores = vec[float]([0.0] * count)
    outside: set[int] = set()
    protected: list[bytes] = []
    kinds = {
        _NORMAL: NORMAL,
        _UNKNOWN: UNKNOWN,
        _CONTROL: CONTROL,
        _USER_DEFINED: USER_DEFINED,
        _UNUSED: UNUSED,
        _BYTE: CONTROL,  # llama.cpp does not fall back to bytes here
    }
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        if type == _NORMAL or type == _USER_DEFINED:
            scores[id] = entries.scores[id] if type == _NORMAL else 0.0
            spelled = text.replace(_MARK, " ") if spelling == SPACE_MARK else text
            arena.add(spelled.encode(), kinds[type])
        else:
            outside.add(id)
            arena.add(text.encode(), kinds[type])
        if type == _USER_DEFINED:
            protected.append(text.encode())
    arena.scores = scores
    vocabulary = Vocabulary(arena, (), spelling, "", frozenset(outside))
    blob = bytes(
        [number & 0xFF for number in metadata.whole_numbers(_FIELDS + "precompiled_charsmap")]
    )
    squeeze = metadata.flag(_FIELDS + "remove_extra_whitespaces", False)
    prefix = squeeze or metadata.flag(_FIELDS + "add_space_prefix", False)
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
        AddedTokens(entries.added()),
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
        if _NOT_BLANK.search(bare.data.replace(_MARK.encode(), b" "), 0, bare.size) is None:
            return bare
        return self.full.normalize(text)


# WordPiece.


def _wordpiece(entries: _Entries, name: str) -> Tokenizer:
    """Returns the tokenizer of a WordPiece model."""
    metadata = entries.metadata
    lowercase = metadata.flag(_FIELDS + "normalizer.lowercase", True)
    strips = metadata.flag(_FIELDS + "normalizer.strip_accents", lowercase)
    arena = PieceArena(len(entries.texts))
    special = entries.special_ids()
    for id, text in enumerate(entries.texts):
        type = entries.types[id]
        if id == entries.unknown or type == _UNKNOWN:
            arena.add(text.encode(), UNKNOWN)
        elif type == _CONTROL:
            arena.add(text.encode(), CONTROL)
        elif type == _USER_DEFINED:
            arena.add(text.encode(), USER_DEFINED)
        elif text.startswith(_MARK) and len(text) > 1:
            arena.add(text[1:].encode(), NORMAL)
        else:
            arena.add(text.encode(), CONTINUING)
    vocabulary = Vocabulary(arena, (NORMAL,), affix="##")
    return Tokenizer(
        name,
        WordPiece(vocabulary, entries.unknown, _LONGEST_WORD),
        BertPreTokenizer(),
        AddedTokens(entries.added()),
        NormalizerSequence(
            [
                CharacterNormalizer("characters", _changed_characters(strips)),
                BertNormalizer(strip_accents=strips, lowercase=lowercase),
            ]
        ),
        template=entries.template(),
        decoder=StepsDecoder([WordPieceStep()], frozenset(special)),
    )


def _changed_characters(strips: bool) -> dict[int, str]:
    """Returns what llama.cpp makes of the characters that BERT's normalizer treats in another way, before it runs.

    ``strips``: accents are removed, and of what is decomposed, only the first character stays, unless it is a mark.
    """
    changed = dict.fromkeys([0x0B, 0x0C, 0x85], " ")  # blanks, and no control characters
    if not strips:
        return changed
    marks = (CATEGORIES.index("Mc"), CATEGORIES.index("Me"))
    for point in range(CODE_POINTS):
        if CATEGORY_TABLE[point] in marks:
            changed[point] = ""
    for point, parts in mapping(STRIPPED).items():
        if len(parts) > 1:
            changed[point] = "" if CATEGORY_TABLE[ord(parts[0])] in marks else parts[0]
    for first in range(_FIRST_LETTERS):
        for point in range(_SYLLABLES + first * _WITH_EACH, _SYLLABLES + (first + 1) * _WITH_EACH):
            changed[point] = chr(_LETTERS + first)
    return changed


# What the file says.

_LONGEST_SHOWN: Final = 2000  # characters
_WHOLE: Final = "chat_template"
"""These values are used, not only shown; the app has a bound for them."""


def _details(metadata: GgufMetadata, entries: _Entries, kind: str) -> list[Detail]:
    """Returns the settings as the file stores them: the pre-tokenizer, the special tokens by name, all others."""
    details = [Detail("tokenizer", "model", f"{kind} ({KINDS[kind]})")]
    if kind == "gpt2":
        pre = metadata.text(_FIELDS + "pre")
        if not pre:
            pre = f"none: cut by the {DEFAULT} pattern of llama.cpp, which is seldom that of the model"
        details.append(Detail("tokenizer", "pre", pre))
    for name in metadata.values:
        if name.endswith("_token_id") and name.startswith(_FIELDS):
            role = name[len(_FIELDS) : -len("_token_id")]
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
