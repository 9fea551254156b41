"""The ``model`` of a `tokenizer.json`: its settings, its merges, and the model that they make.

The merges, hundreds of thousands of pairs of pieces, are read in place. Sources: huggingface/tokenizers,
``models/bpe``, ``models/unigram``, ``models/wordpiece`` and ``models/wordlevel``.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import Fields
from tokenarium_core.formats.hf.hf_pieces import Affixes, vocabulary_of
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.formats.hf.surface_table import SurfaceTable, hash_of
from tokenarium_core.formats.json_scanner import (
    BACKSLASH,
    CLOSE_LIST,
    COMMA,
    OPEN_LIST,
    QUOTE,
    JsonScanner,
    JsonSpan,
    skip_space,
)
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder, load_encoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.hf_bpe import hf_bpe
from tokenarium_core.models.bpe.merge_table import (
    NO_MERGE,
    CharacterMerges,
    MergeTable,
    load_merges,
    merges_of_list,
)
from tokenarium_core.models.bpe.word_merger import WordMerger
from tokenarium_core.models.lookup_models import WordLevel
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import TOKENIZERS
from tokenarium_core.models.wordpiece import MAX_INPUT_CHARS, WordPiece
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    BYTE_ALPHABET,
    CONTROL,
    MAX_IDS,
    NORMAL,
    USER_DEFINED,
    Vocabulary,
    dump_vocabulary,
    load_vocabulary,
)

_MODELS: Final = ("BPE", "Unigram", "WordPiece", "WordLevel")


@final
class ModelSettings:
    """The small fields of the model; FormatError for an unknown or invalid one."""

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
    members: dict[str, JsonSpan],
    settings: ModelSettings,
    entries: HfVocabulary,
    added: list[AddedToken],
    spelling: int,
) -> Model:
    """Returns the model; FormatError if its parts are inconsistent."""
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
    affixes = Affixes(prefix=settings.prefix if settings.type == "WordPiece" else "")
    vocabulary = vocabulary_of(entries, added, spelling, (), False, affixes)
    if settings.type == "WordPiece":
        return _wordpiece(settings, entries, vocabulary)
    return WordLevel(vocabulary, entries.find(settings.unknown), vocabulary.outside)


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
        return byte_level_encoder(vocabulary, merges, settings.ignore_merges)
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
    return _character_bpe(settings, entries, vocabulary, merges)


def _character_bpe(
    settings: ModelSettings,
    entries: HfVocabulary,
    vocabulary: Vocabulary,
    merges: MergeTable,
    cached: CacheReader | None = None,
) -> Model:
    return hf_bpe(
        vocabulary,
        CharacterMerges(merges, vec[i32](), NO_MERGE),
        entries.find(settings.unknown) if settings.has_unknown else -1,
        settings.fuse_unknown,
        settings.prefix,
        settings.suffix,
        settings.byte_fallback,
        settings.ignore_merges,
        cached,
    )


_CHARACTERS: Final = 0
_BYTES: Final = 1
_UNIGRAM: Final = 2
_WORDPIECE: Final = 3


def dump_model(model: Model, out: CacheWriter) -> bool:
    """Writes a model except for its settings; false for a model of a kind that is made as quickly as read."""
    if isinstance(model, BytePairEncoder):
        out.number(_BYTES)
        model.dump(out)
    elif isinstance(model, Unigram):
        out.number(_UNIGRAM)
        model.dump(out)
    elif isinstance(model, WordPiece):
        out.number(_WORDPIECE)
        model.dump(out)
    elif isinstance(model, CharacterBpe):
        out.number(_CHARACTERS)
        dump_vocabulary(model.vocabulary, out, searched=model.cut is None)
        model.merges.table.dump(out)
        model.dump(out)
    else:
        return False
    return True


def load_model(settings: ModelSettings, entries: HfVocabulary, cached: CacheReader) -> Model:
    """Returns the model that `dump_model` wrote."""
    kind = cached.number()
    if kind == _BYTES:
        return load_encoder(cached)
    vocabulary = load_vocabulary(cached)
    if kind == _UNIGRAM:
        return Unigram(vocabulary, settings.unknown_id, settings.byte_fallback, TOKENIZERS, cached)
    if kind == _WORDPIECE:
        return _wordpiece(settings, entries, vocabulary, cached)
    merges = load_merges(cached)
    return _character_bpe(settings, entries, vocabulary, merges, cached)


def _wordpiece(
    settings: ModelSettings,
    entries: HfVocabulary,
    vocabulary: Vocabulary,
    cached: CacheReader | None = None,
) -> WordPiece:
    unknown = entries.find(settings.unknown)
    return WordPiece(
        vocabulary, unknown, settings.max_input_chars, vocabulary.outside, cached=cached
    )


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
    """Returns the dropout share for training; no merges are dropped here."""
    value = fields.take("dropout")
    if value is None:
        return 0.0
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise fields.error("dropout", "a number from 0 to 1", value)
    return float(value)


# BPE on bytes.

_NEVER: Final = frozenset([0xC0, 0xC1, *range(0xF5, 0x100)])
"""Bytes that never occur in UTF-8, so that a vocabulary may lack them."""


def has_all_bytes(entries: HfVocabulary) -> bool:
    """Returns whether the entries have, in GPT-2's alphabet, each byte that occurs in UTF-8."""
    for byte in range(256):
        if byte not in _NEVER and entries.find(byte_alphabet.CHARACTERS[byte]) < 0:
            return False
    return True


def byte_level_encoder(
    vocabulary: Vocabulary, merges: MergeTable, ignore_merges: bool
) -> BytePairEncoder:
    """Returns the byte-level model, whose vocabulary has every byte that can occur in a text."""
    ids = vec[i64]([vocabulary.count] * 256)
    for byte in range(256):
        token = vocabulary.find(bytes([byte]))
        if token >= 0:
            ids[byte] = token
    return BytePairEncoder(vocabulary, WordMerger(ids, merges), whole_pieces=ignore_merges)


# The merges.


def read_merges(
    scanner: JsonScanner, span: JsonSpan, vocabulary: HfVocabulary, skipped: i64
) -> MergeTable:
    """Returns the merges, in both forms that the format has: ``["t", "he"]`` and ``"t he"``.

    ``skipped`` bytes of the right piece, its prefix, are not part of the merged one. Raises FormatError, with the
    place, for a merge of or into what is not a piece. If a merge occurs twice, the last rank counts, as in Hugging
    Face tokenizers.
    """
    data = scanner.data
    path = span.path
    table = vocabulary.table
    ids = vocabulary.ids
    at = scanner.enter(span, OPEN_LIST, "a list of merges")
    byte: i64 = data[at]
    in_lists = byte == OPEN_LIST
    merges = MergeTable(0 if byte == CLOSE_LIST else _counted(data, at, span.stop, in_lists))
    parts = _Parts(scanner, table)
    rank: i64 = 0
    repeated = False
    while byte != CLOSE_LIST:
        start = at
        if in_lists and byte == OPEN_LIST:
            at = parts.read_list(at, path, rank)
        elif not in_lists and byte == QUOTE:
            at = parts.read_line(at, path, rank)
        else:
            raise scanner.error(
                at, f"{path}[{rank}]", "a merge was expected, in the form of the first"
            )
        left = parts.left
        right = parts.right
        if left >= 0:
            result = table.find_joined(left, right, skipped)
            if result < 0:
                raise scanner.error(
                    start,
                    f"{path}[{rank}]",
                    f"{table.text(left)!r} and {table.text(right)!r} merge into a text that is not an entry of"
                    " model.vocab",
                )
            if rank == MAX_IDS:
                what = f"there are more than the {MAX_IDS:,} merges that this program holds"
                raise scanner.error(start, f"{path}[{rank}]", what)
            if not merges.set(rank, i64(ids[left]), i64(ids[right]), i64(ids[result])):
                repeated = True
                merges.note(rank, i64(ids[left]), i64(ids[right]), i64(ids[result]))
            rank += 1
        at = scanner.following(at, CLOSE_LIST, path)
        byte = data[at]
    merges.cut(rank)
    if repeated:
        return merges_of_list(merges.lefts, merges.rights, merges.results).table
    return merges


@final
class _Parts:
    """Reads one merge: the numbers of its two pieces; ``left`` is -1 for a line that is not one."""

    def __init__(self, scanner: JsonScanner, table: SurfaceTable) -> None:
        self.scanner = scanner
        self.table = table
        self.left: i64 = -1
        self.right: i64 = -1
        self._scratch = BytesWriter()

    def read_list(self, at: i64, path: str, rank: i64) -> i64:
        """Reads ``["t", "he"]``; returns the byte after it."""
        data = self.scanner.data
        at = self._piece(skip_space(data, at + 1), path, rank)
        self.left = self.right
        byte: i64 = data[at]
        if byte == COMMA:
            at = self._piece(skip_space(data, at + 1), path, rank)
            byte = data[at]
            if byte == CLOSE_LIST:
                return at + 1
        raise self.scanner.error(at, f"{path}[{rank}]", "a merge is a list of two entries")

    def read_line(self, at: i64, path: str, rank: i64) -> i64:
        """Reads ``"t he"``; returns the byte after it."""
        scratch = self._scratch
        scratch.truncate(0)
        stop = self.scanner.write_string(at, scratch)
        size: i64 = len(scratch)
        scratch.write(ZEROS)
        line = scratch.getvalue()
        if line.startswith(b"#version"):
            self.left = -1
            return stop
        middle: i64 = line.find(b" ")
        if middle < 0 or line.find(b" ", middle + 1) >= 0:
            raise self.scanner.error(
                at, f"{path}[{rank}]", "a merge is two entries with one space between them"
            )
        self.left = self._find(line, 0, middle, at, path, rank)
        self.right = self._find(line, middle + 1, size, at, path, rank)
        return stop

    def _piece(self, at: i64, path: str, rank: i64) -> i64:
        """Reads one piece into ``right``; returns the byte after it."""
        scanner = self.scanner
        data = scanner.data
        byte: i64 = data[at]
        if byte != QUOTE:
            raise scanner.error(at, f"{path}[{rank}]", "an entry was expected, in quotes")
        stop = at + 1
        byte = data[stop]
        while byte != QUOTE and byte != BACKSLASH:
            stop += 1
            byte = data[stop]
        if byte == QUOTE:
            self.right = self._find(data, at + 1, stop, at, path, rank)
            return skip_space(data, stop + 1)
        scratch = self._scratch
        scratch.truncate(0)
        stop = scanner.write_string(at, scratch)
        size: i64 = len(scratch)
        scratch.write(ZEROS)
        self.right = self._find(scratch.getvalue(), 0, size, at, path, rank)
        return skip_space(data, stop)

    def _find(self, piece: bytes, start: i64, stop: i64, at: i64, path: str, rank: i64) -> i64:
        number = self.table.find(piece, start, stop, hash_of(piece, start, stop))
        if number < 0:
            text = piece[start:stop].decode("utf-8", "replace")
            raise self.scanner.error(
                at, f"{path}[{rank}]", f"this merges {text!r}, which is not an entry of model.vocab"
            )
        return number


def _counted(data: bytes, start: i64, stop: i64, in_lists: bool) -> i64:
    """Returns an upper bound for the number of merges: one for each bracket or line."""
    if in_lists:
        return min(i64(data.count(b"[", start, stop)), MAX_IDS)
    return min(i64(data.count(b'",', start, stop)) + 1, MAX_IDS)
