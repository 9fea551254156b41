"""The files that hold a tokenizer: how each is recognised, read and written.

Public: the names below. They say which formats there are, where the files of an encoding are kept, and what a folder of
Hugging Face's holds; `tokenarium_core.open` and `Tokenizer.save` read and write.
"""

from tokenarium_core.formats.export_formats import EXPORT_FORMATS, files_of, save
from tokenarium_core.formats.hf.hf_folder import named_tokens
from tokenarium_core.formats.hf.hf_format import FOREIGN
from tokenarium_core.formats.hf.hf_slow_folder import GROUP, NOT_APPLIED, kept_under, slow_form
from tokenarium_core.formats.hf.hf_slow_settings import SETTINGS_FILES
from tokenarium_core.formats.named import (
    NAMED,
    NamedEncoding,
    SourceFile,
    cache_folder,
    cache_path,
    missing_files,
)
from tokenarium_core.formats.opening import cutting
from tokenarium_core.formats.recognition import in_folder
from tokenarium_core.formats.tiktoken_writer import PATTERN_SUFFIX

__all__ = [
    "EXPORT_FORMATS",
    "FOREIGN",
    "GROUP",
    "NAMED",
    "NOT_APPLIED",
    "PATTERN_SUFFIX",
    "SETTINGS_FILES",
    "NamedEncoding",
    "SourceFile",
    "cache_folder",
    "cache_path",
    "cutting",
    "files_of",
    "in_folder",
    "kept_under",
    "missing_files",
    "named_tokens",
    "save",
    "slow_form",
]
