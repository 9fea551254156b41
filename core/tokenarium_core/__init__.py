"""The core of Tokenarium: every algorithm, compiled, with no window.

    import tokenarium_core as tc

    tok = tc.open("cl100k_base")
    tok.encode_ids("Hello, world")  # [9906, 11, 1917]

Public: the names of this module and of the modules below. All others may change without notice.

| module | what is there |
|---|---|
| `added_tokens`, `text_ends` | the tokens that are matched in the text, and those around it |
| `batches`, `encoding` | batches with their truncation and padding; what encoding returns, and its job |
| `bounded_json` | JSON from anywhere, bounded in size, depth and values before it is parsed |
| `byte_texts` | the rule of cuts at bytes that are not UTF-8 |
| `changing` | `extending`, `pruning`, `migrating`, `special_tokens`; what they say of texts: `differing_texts`, `extended_files`, `residues`, `token_usage` |
| `comparing.diff`, `comparing.stage_differences`, `comparing.parting_texts` | what two tokenizers do differently, and the texts that show it |
| `comparing.probe_texts` | texts on which tokenizers are likely to differ |
| `comparing.readers` | what other programs make of a file, and the rules of each |
| `command_values` | what command lines read and write: texts, ids, entries, options |
| `details`, `errors`, `progress` | the facts of a tokenizer's file; all errors; how far a job is |
| `explaining` | its modules say why a text became these tokens, and what the entries of a vocabulary are |
| `formats` | the named encodings, and where their files are |
| `formats.registry`, `formats.opening` | all formats, and writing in them; which files of a folder are tokenizers |
| `formats.gguf.gguf_cuts` | the patterns that a GGUF file can name |
| `formats.registered` | the tokenizers that the app has registered, and the folders of the app |
| `formats.parts`, `formats.chat_part`, `formats.copy_proof` | what a copy has to keep, chat templates among it, and whether it does the same |
| `html_view` | tokens and tables as a notebook shows them |
| `models`, `normalizers`, `pretokenizers`, `patterns` | the stages by their classes, as a tokenizer has them |
| `models.model`, `models.nested_cuts`, `models.unigram.lattice` | the class of all models; nested tokenizations; the lattice of Unigram |
| `pretokenizers.pattern`, `pretokenizers.pretokenizer`, `pretokenizers.scanners` | pre-tokenizers by pattern and by name, and the cuts they make |
| `pretokenizers.hf_splitters`, `patterns.found_pattern` | the splitters of a tokenizer.json, in sequence, and the patterns that they search |
| `training` | the algorithms, their options; `training.mixture`: parts of a corpus |
| `training.algorithms`, `training.trainer`, and the modules of the trainers | what makes a trainer by its name; the trainers |
| `training.merge_list`, `training.word_counts` | tokenizers from merges alone; counts of words |
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
    from tokenarium_core.batches import batch
    from tokenarium_core.changing.extending import extend
    from tokenarium_core.changing.migrating import migrate
    from tokenarium_core.changing.pruning import prune
    from tokenarium_core.changing.special_tokens import change_special_tokens
    from tokenarium_core.comparing.diff import diff
    from tokenarium_core.comparing.readers.readers import read_as_others
    from tokenarium_core.encode_stream import EncodeStream
    from tokenarium_core.encoding import Encoding
    from tokenarium_core.errors import (
        ArgumentError,
        ArgumentTypeError,
        FormatError,
        IdError,
        NotAvailable,
        PatternError,
        SpecialTokenError,
        TokenariumError,
        TokenError,
        UnsupportedError,
        WriteError,
    )
    from tokenarium_core.formats.opening import open_tokenizer as open
    from tokenarium_core.tokenizer import Tokenizer
    from tokenarium_core.training.algorithms import train
    from tokenarium_core.training.word_counts import WordCounts
    from tokenarium_core.vocabulary import Vocabulary

__version__ = _version.__version__

COMPILED: bool = not (_version.__file__ or "").endswith(".py")
"""Whether the compiled core runs; the interpreted one gives the same results some fifty times slower."""

__all__ = [
    "COMPILED",
    "ArgumentError",
    "ArgumentTypeError",
    "EncodeStream",
    "Encoding",
    "FormatError",
    "IdError",
    "NotAvailable",
    "PatternError",
    "SpecialTokenError",
    "TokenError",
    "TokenariumError",
    "Tokenizer",
    "UnsupportedError",
    "Vocabulary",
    "WordCounts",
    "WriteError",
    "__version__",
    "batch",
    "change_special_tokens",
    "diff",
    "extend",
    "migrate",
    "open",
    "prune",
    "read_as_others",
    "train",
]

_NAMES = {
    "batches": "batch",
    "changing.extending": "extend",
    "changing.migrating": "migrate",
    "changing.pruning": "prune",
    "changing.special_tokens": "change_special_tokens",
    "comparing.diff": "diff",
    "comparing.readers.readers": "read_as_others",
    "encode_stream": "EncodeStream",
    "encoding": "Encoding",
    "errors": "ArgumentError ArgumentTypeError FormatError IdError NotAvailable PatternError SpecialTokenError TokenariumError TokenError UnsupportedError WriteError",
    "formats.opening": "open_tokenizer",
    "tokenizer": "Tokenizer",
    "training.algorithms": "train",
    "training.word_counts": "WordCounts",
    "vocabulary": "Vocabulary",
}
"""The names that are imported when they are first used, by their modules: a program needs few, and all cost 60 ms."""

_PACKAGES = (
    "changing",
    "comparing",
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
