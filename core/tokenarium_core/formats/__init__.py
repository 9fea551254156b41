"""The files of tokenizers: how each is recognized, read and written.

Public: the names below, which say where the files of an encoding are stored, and what a Hugging Face folder contains;
`registry`: all formats, and writing in them; `opening`: which files of a folder are tokenizers; `parts`: what a copy
has to preserve, of which `chat_part` has the chat templates; and `copy_proof`: whether a copy behaves identically.
"""

from tokenarium_core.formats.archives import archive_kind
from tokenarium_core.formats.hf.hf_folder import named_tokens
from tokenarium_core.formats.hf.hf_format import FOREIGN
from tokenarium_core.formats.hf.hf_slow_folder import GROUP, NOT_APPLIED, slow_form
from tokenarium_core.formats.hub_cache import hub_folder, newest_snapshot
from tokenarium_core.formats.named import (
    NAMED,
    NamedEncoding,
    SourceFile,
    cache_folder,
    cache_path,
    missing_files,
)
from tokenarium_core.formats.parts import FIELDS
from tokenarium_core.formats.registry import in_folder
from tokenarium_core.formats.settings_files import SETTINGS_FILES
from tokenarium_core.formats.tiktoken_format import lacks_pattern
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_cutting

__all__ = [
    "FIELDS",
    "FOREIGN",
    "GROUP",
    "NAMED",
    "NOT_APPLIED",
    "SETTINGS_FILES",
    "NamedEncoding",
    "SourceFile",
    "archive_kind",
    "cache_folder",
    "cache_path",
    "cutting",
    "hub_folder",
    "in_folder",
    "lacks_pattern",
    "missing_files",
    "named_tokens",
    "newest_snapshot",
    "slow_form",
    "tiktoken_cutting",
]
