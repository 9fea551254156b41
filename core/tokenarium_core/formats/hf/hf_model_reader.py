"""The ``model`` of a `tokenizer.json`: its settings, and the model that they mean.

Sources: huggingface/tokenizers, ``models/bpe``, ``models/unigram``, ``models/wordpiece`` and ``models/wordlevel``.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_bpe_reader import byte_level_encoder
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_merges_reader import read_merges
from tokenarium_core.formats.hf.hf_pieces import Affixes, vocabulary_of
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.formats.json_scanner import JsonScanner, Span
from tokenarium_core.frozen import FrozenReader, FrozenWriter
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import hf_bpe
from tokenarium_core.models.bpe.merge_table import (
    NO_MERGE,
    CharacterMerges,
    MergeTable,
    freeze_merges,
    thaw_merges,
)
from tokenarium_core.models.lookup_models import WordLevel
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.models.wordpiece import MAX_INPUT_CHARS, WordPiece
from tokenarium_core.vocabulary import (
    BYTE,
    BYTE_ALPHABET,
    CONTROL,
    NORMAL,
    USER_DEFINED,
    Vocabulary,
    freeze_vocabulary,
    thaw_vocabulary,
)

_MODELS: Final = ("BPE", "Unigram", "WordPiece", "WordLevel")


@final
class ModelSettings:
    """The small fields of the model; FormatError for one that is not known, or not what it should be."""

    def __init__(self, fields: Fields) -> None:
        self.type = fields.type
        self.source = fields.source
        if self.type not in _MODELS:
            raise fields.refuse(f"is of type {self.type!r}")
        self.unknown = ""
        self.has_unknown = False
        self.unknown_id = -1
        self.prefix = ""
        self.suffix = ""
        self.fuse_unknown = False
        self.byte_fallback = False
        self.ignore_merges = False
        self.max_input_chars = MAX_INPUT_CHARS
        self.dropout = 0.0
        if self.type == "Unigram":
            self.unknown_id = fields.number("unk_id") if fields.has("unk_id") else -1
            fields.take("unk_id")
            self.byte_fallback = fields.flag("byte_fallback", False)
        else:
            self.unknown = fields.text("unk_token", "")
            self.has_unknown = fields.has("unk_token")
        if self.type == "BPE":
            self.prefix = fields.text("continuing_subword_prefix", "")
            self.suffix = fields.text("end_of_word_suffix", "")
            self.fuse_unknown = fields.flag("fuse_unk", False)
            self.byte_fallback = fields.flag("byte_fallback", False)
            self.ignore_merges = fields.flag("ignore_merges", False)
            self.dropout = _dropout(fields)
        elif self.type == "WordPiece":
            self.prefix = fields.text("continuing_subword_prefix", "##")
            self.max_input_chars = fields.number("max_input_chars_per_word", MAX_INPUT_CHARS)
        fields.finish()


def model_of(
    scanner: JsonScanner,
    members: dict[str, Span],
    settings: ModelSettings,
    entries: HfVocabulary,
    added: list[AddedToken],
    spelling: int,
) -> Model:
    """Returns the model; FormatError where its parts do not fit together."""
    if settings.type == "Unigram":
        return _unigram(settings, entries, added, spelling)
    if len(entries.scores):
        raise FormatError(
            f"{scanner.source}: model.vocab is a list of entries and scores, but the model is of type"
            f" {settings.type!r}, which has ids by entry."
        )
    if settings.type == "BPE":
        span = members.get("model.merges")
        if span is None:
            raise FormatError(f"{scanner.source}: model has no field 'merges', which BPE needs.")
        merges = read_merges(scanner, span, entries, len(settings.prefix.encode()))
        return _bpe(settings, entries, merges, added, spelling)
    unknown = entries.find(settings.unknown)
    affixes = Affixes(prefix=settings.prefix if settings.type == "WordPiece" else "")
    vocabulary = vocabulary_of(entries, added, spelling, (), False, affixes)
    if settings.type == "WordPiece":
        return WordPiece(vocabulary, unknown, settings.max_input_chars, vocabulary.outside)
    return WordLevel(vocabulary, unknown, vocabulary.outside)


def _bpe(
    settings: ModelSettings,
    entries: HfVocabulary,
    merges: MergeTable,
    added: list[AddedToken],
    spelling: int,
) -> Model:
    if spelling == BYTE_ALPHABET:
        vocabulary = vocabulary_of(
            entries, added, spelling, (NORMAL, BYTE, CONTROL, USER_DEFINED), False, Affixes()
        )
    else:
        affixes = Affixes()
        if not (settings.prefix and settings.suffix):  # with both, pieces are left as they are
            affixes = Affixes(settings.prefix, settings.suffix)
        vocabulary = vocabulary_of(
            entries,
            added,
            spelling,
            (NORMAL, CONTROL, USER_DEFINED),
            settings.byte_fallback,
            affixes,
        )
    return _bpe_on(settings, entries, vocabulary, merges)


def _bpe_on(
    settings: ModelSettings, entries: HfVocabulary, vocabulary: Vocabulary, merges: MergeTable
) -> Model:
    if vocabulary.spelling == BYTE_ALPHABET:
        return byte_level_encoder(vocabulary, merges, settings.ignore_merges)
    return hf_bpe(
        vocabulary,
        CharacterMerges(merges, vec[i32](), NO_MERGE),
        entries.find(settings.unknown) if settings.has_unknown else -1,
        settings.fuse_unknown,
        settings.prefix,
        settings.suffix,
        settings.byte_fallback,
        settings.ignore_merges,
    )


def freeze_bpe(model: Model, out: FrozenWriter) -> bool:
    """Writes a BPE model but for its settings; false for a model of another kind."""
    if isinstance(model, BytePairEncoder):
        merges = model.merges
    elif isinstance(model, CharacterBpe):
        merges = model.merges.table
    else:
        return False
    freeze_vocabulary(model.vocabulary, out)
    freeze_merges(merges, out)
    return True


def thaw_bpe(settings: ModelSettings, entries: HfVocabulary, frozen: FrozenReader) -> Model:
    """Returns the model that `freeze_bpe` wrote."""
    vocabulary = thaw_vocabulary(frozen)
    return _bpe_on(settings, entries, vocabulary, thaw_merges(frozen))


def _unigram(
    settings: ModelSettings, entries: HfVocabulary, added: list[AddedToken], spelling: int
) -> Unigram:
    if entries.size and not len(entries.scores):
        raise FormatError(
            f"{settings.source}: model.vocab is an object of ids by entry, but Unigram has a list of entries"
            " and scores."
        )
    vocabulary = vocabulary_of(entries, added, spelling, (), settings.byte_fallback, Affixes())
    return Unigram(vocabulary, settings.unknown_id, settings.byte_fallback, TOKENIZERS)


def _dropout(fields: Fields) -> float:
    """Returns the share of merges that training leaves out; none is left out here."""
    value = fields.take("dropout")
    if value is None:
        return 0.0
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise fields.error("dropout", "a number from 0 to 1", value)
    return float(value)
