"""The core of Tokenarium: every algorithm, compiled, with no window.

    import tokenarium_core as tc

    tok = tc.open("cl100k_base")
    tok.encode_ids("Hello, world")  # [9906, 11, 1917]

Public: the names of this module and of the modules below. All others may change without notice.

| module | what is there |
|---|---|
| `bounded_json` | JSON from anywhere, bounded in size, depth and values before it is parsed |
| `command_values` | what command lines read and write: texts, ids, entries, options |
| `explaining` | its modules say why a text became these tokens, and what the entries of a vocabulary are |
| `formats` | the named encodings, and where their files are |
| `formats.registry`, `formats.opening` | all formats, and writing in them; which files of a folder are tokenizers |
| `formats.parts`, `formats.chat_part`, `formats.copy_proof` | what a copy has to keep, chat templates among it, and whether it does the same |
| `models`, `normalizers`, `pretokenizers`, `patterns` | the stages by their classes, as a tokenizer has them |
| `training` | the algorithms, their options, the trainers; `training.mixture`: parts of a corpus |
| `unicode` | scripts of characters; `unicode.byte_alphabet`: GPT-2's alphabet of bytes |
| `patterns.syntax_tree` | the parts of a regular expression |
| `trace`, `vocabulary` | the kinds of events and of entries |
| `normalized_text`, `padded_text` | the forms in which a text passes the stages |
| `plain_files` | how every file is read: only what is a file, and no more than fits |
| `tokenizer_cache` | opened tokenizers kept on disk |
| `whole_files` | how every file is written: whole, or not at all |
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from tokenarium_core import version as _version

if _TYPE_CHECKING:
    from tokenarium_core.added_tokens import AddedMatch, AddedToken, AddedTokens
    from tokenarium_core.batches import (
        Batch,
        Padding,
        Truncation,
        batch,
        stored_padding,
        stored_truncation,
    )
    from tokenarium_core.byte_texts import BYTES_RULE
    from tokenarium_core.changing.differing_texts import DifferingText, differing_texts
    from tokenarium_core.changing.extended_files import NewEntry
    from tokenarium_core.changing.extending import ChangedWord, Extension, extend, extend_with
    from tokenarium_core.changing.migrating import Migration, SpecialClash, migrate
    from tokenarium_core.changing.pruning import Pruned, Pruning, prune, prune_curve, pruned
    from tokenarium_core.changing.residues import Residue, residues
    from tokenarium_core.changing.special_tokens import (
        CHANGES,
        change_special_tokens,
        forgery,
    )
    from tokenarium_core.changing.token_usage import TokenUsage, usage_of
    from tokenarium_core.details import Detail, Source
    from tokenarium_core.encode_stream import EncodeStream
    from tokenarium_core.encoding import (
        ADDED_RULE,
        SPECIAL_RULE,
        EncodedTexts,
        EncodeJob,
        Encoding,
        Template,
    )
    from tokenarium_core.errors import (
        ArgumentError,
        ArgumentTypeError,
        FormatError,
        IdError,
        NotAvailable,
        PatternError,
        RoomError,
        SpecialTokenError,
        TokenariumError,
        TokenError,
        WriteError,
    )
    from tokenarium_core.explaining.merge_path import merges
    from tokenarium_core.explaining.prefix_walk import (
        PrefixTrie,
        PrefixWalk,
        prefix_tries,
        prefix_walks,
    )
    from tokenarium_core.explaining.sampling import SampledCut, SampledCuts, sample
    from tokenarium_core.explaining.vocabulary_entries import is_superword, superwords, words_in
    from tokenarium_core.formats.opening import open_tokenizer as open
    from tokenarium_core.models.model import Model
    from tokenarium_core.models.nested_cuts import MergeLevels, NestedCuts
    from tokenarium_core.models.unigram.lattice import Lattice
    from tokenarium_core.normalized_text import NormalizedText
    from tokenarium_core.pretokenizers.pattern import pattern
    from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer, PreTokens, cut
    from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, cutting, pre_tokenizer
    from tokenarium_core.progress import Progress
    from tokenarium_core.text_ends import TextEnds
    from tokenarium_core.tokenizer import Tokenizer
    from tokenarium_core.trace import Trace
    from tokenarium_core.training.algorithms import ALGORITHMS, make_trainer, tokenizer_of, train
    from tokenarium_core.training.bpe_trainer import BpeTrainer
    from tokenarium_core.training.merge_list import from_merges
    from tokenarium_core.training.parity_trainer import ParityTrainer
    from tokenarium_core.training.picky_trainer import PickyBpeTrainer
    from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer
    from tokenarium_core.training.trainer import Option, Trainer
    from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer
    from tokenarium_core.training.word_counts import CountJob, WordCounts, count, merge_files
    from tokenarium_core.vocabulary import Vocabulary

__version__ = _version.__version__

COMPILED: bool = not (_version.__file__ or "").endswith(".py")
"""Whether the compiled core runs; the interpreted one gives the same results some fifty times slower."""

__all__ = [
    "ADDED_RULE",
    "ALGORITHMS",
    "BYTES_RULE",
    "CHANGES",
    "COMPILED",
    "PRE_TOKENIZERS",
    "SPECIAL_RULE",
    "AddedMatch",
    "AddedToken",
    "AddedTokens",
    "ArgumentError",
    "ArgumentTypeError",
    "Batch",
    "BpeTrainer",
    "ChangedWord",
    "CountJob",
    "Detail",
    "DifferingText",
    "EncodeJob",
    "EncodeStream",
    "EncodedTexts",
    "Encoding",
    "Extension",
    "FormatError",
    "IdError",
    "Lattice",
    "MergeLevels",
    "Migration",
    "Model",
    "NestedCuts",
    "NewEntry",
    "NormalizedText",
    "NotAvailable",
    "Option",
    "Padding",
    "ParityTrainer",
    "PatternError",
    "PickyBpeTrainer",
    "PreTokenizer",
    "PreTokens",
    "PrefixTrie",
    "PrefixWalk",
    "Progress",
    "Pruned",
    "Pruning",
    "Residue",
    "RoomError",
    "SampledCut",
    "SampledCuts",
    "Source",
    "SpecialClash",
    "SpecialTokenError",
    "SuperBpeTrainer",
    "Template",
    "TextEnds",
    "TokenError",
    "TokenUsage",
    "TokenariumError",
    "Tokenizer",
    "Trace",
    "Trainer",
    "Truncation",
    "UnigramTrainer",
    "Vocabulary",
    "WordCounts",
    "WriteError",
    "__version__",
    "batch",
    "change_special_tokens",
    "count",
    "cut",
    "cutting",
    "differing_texts",
    "extend",
    "extend_with",
    "forgery",
    "from_merges",
    "is_superword",
    "make_trainer",
    "merge_files",
    "merges",
    "migrate",
    "open",
    "pattern",
    "pre_tokenizer",
    "prefix_tries",
    "prefix_walks",
    "prune",
    "prune_curve",
    "pruned",
    "residues",
    "sample",
    "stored_padding",
    "stored_truncation",
    "superwords",
    "tokenizer_of",
    "train",
    "usage_of",
    "words_in",
]

_NAMES = {
    "added_tokens": "AddedMatch AddedToken AddedTokens",
    "batches": "Batch Padding Truncation batch stored_padding stored_truncation",
    "byte_texts": "BYTES_RULE",
    "changing.differing_texts": "DifferingText differing_texts",
    "changing.extended_files": "NewEntry",
    "changing.extending": "ChangedWord Extension extend extend_with",
    "changing.migrating": "Migration SpecialClash migrate",
    "changing.pruning": "Pruned Pruning prune prune_curve pruned",
    "changing.residues": "Residue residues",
    "changing.special_tokens": "CHANGES change_special_tokens forgery",
    "changing.token_usage": "TokenUsage usage_of",
    "details": "Detail Source",
    "encode_stream": "EncodeStream",
    "encoding": "ADDED_RULE SPECIAL_RULE EncodedTexts EncodeJob Encoding Template",
    "errors": "ArgumentError ArgumentTypeError FormatError IdError NotAvailable PatternError RoomError SpecialTokenError TokenariumError TokenError WriteError",
    "explaining.merge_path": "merges",
    "explaining.prefix_walk": "PrefixTrie PrefixWalk prefix_tries prefix_walks",
    "explaining.sampling": "SampledCut SampledCuts sample",
    "explaining.vocabulary_entries": "is_superword superwords words_in",
    "formats.opening": "open_tokenizer",
    "models.model": "Model",
    "models.nested_cuts": "MergeLevels NestedCuts",
    "models.unigram.lattice": "Lattice",
    "normalized_text": "NormalizedText",
    "pretokenizers.pattern": "pattern",
    "pretokenizers.pretokenizer": "PreTokenizer PreTokens cut",
    "pretokenizers.scanners": "PRE_TOKENIZERS cutting pre_tokenizer",
    "progress": "Progress",
    "text_ends": "TextEnds",
    "tokenizer": "Tokenizer",
    "trace": "Trace",
    "training.algorithms": "ALGORITHMS make_trainer tokenizer_of train",
    "training.bpe_trainer": "BpeTrainer",
    "training.merge_list": "from_merges",
    "training.parity_trainer": "ParityTrainer",
    "training.picky_trainer": "PickyBpeTrainer",
    "training.superbpe_trainer": "SuperBpeTrainer",
    "training.trainer": "Option Trainer",
    "training.unigram.unigram_trainer": "UnigramTrainer",
    "training.word_counts": "CountJob WordCounts count merge_files",
    "vocabulary": "Vocabulary",
}
"""The names that are imported when they are first used, by their modules: a program needs few, and all cost 60 ms."""

_PACKAGES = (
    "explaining",
    "formats",
    "models",
    "normalizers",
    "patterns",
    "pretokenizers",
    "training",
    "unicode",
)

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not _TYPE_CHECKING:  # else any name would seem to exist

    def __getattr__(name: str) -> object:
        if name in _PACKAGES:
            return _import_module(f"{__name__}.{name}")
        own = "open_tokenizer" if name == "open" else name
        if own not in _MODULES or name == "open_tokenizer":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(_import_module(f"{__name__}.{_MODULES[own]}"), own)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *_PACKAGES})
