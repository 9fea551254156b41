"""The files that hold a tokenizer: how each is recognised, read and written.

Public: the names below, which say where the files of an encoding are kept, and what a folder of Hugging Face's holds;
and `export_formats`, which is loaded where a tokenizer is written: the formats for that.
"""

from tokenarium_core.formats.hf.hf_folder import named_tokens
from tokenarium_core.formats.hf.hf_format import FOREIGN
from tokenarium_core.formats.hf.hf_slow_folder import GROUP, NOT_APPLIED, cache_key, slow_form
from tokenarium_core.formats.hf.hf_slow_settings import SETTINGS_FILES
from tokenarium_core.formats.named import (
    NAMED,
    NamedEncoding,
    SourceFile,
    cache_folder,
    cache_path,
    missing_files,
)
from tokenarium_core.formats.registry import in_folder
from tokenarium_core.formats.tiktoken_format import PATTERN_SUFFIX
from tokenarium_core.pretokenizers.scanners import cutting

__all__ = [
    "FOREIGN",
    "GROUP",
    "NAMED",
    "NOT_APPLIED",
    "PATTERN_SUFFIX",
    "SETTINGS_FILES",
    "NamedEncoding",
    "SourceFile",
    "cache_folder",
    "cache_key",
    "cache_path",
    "cutting",
    "in_folder",
    "missing_files",
    "named_tokens",
    "slow_form",
]
