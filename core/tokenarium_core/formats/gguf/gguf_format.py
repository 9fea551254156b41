"""Reading the tokenizer of a GGUF file, the model files of llama.cpp, Ollama and LM Studio.

Only the metadata at the beginning is read, so that a model of any size opens as quickly as its vocabulary. The ids are
those that llama.cpp gives. See `gguf_file` for the format, `gguf_models` for the resulting tokenizers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Format, TokenizerFile
from tokenarium_core.formats.gguf.gguf_file import MAGIC, metadata_sha256, read_metadata
from tokenarium_core.formats.gguf.gguf_models import load_gguf, tokenizer_of
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader


def read_gguf(path: Path, name: str) -> Tokenizer:
    """Returns the tokenizer of a GGUF file.

    Raises NotAvailable if it cannot be read; FormatError, with the field, for a file that is truncated or damaged,
    has no tokenizer, or has one that this program cannot run exactly.
    """
    return tokenizer_of(read_metadata(path), name, None)


def _recognized(head: FileHead) -> int:
    return CERTAIN if head.content.startswith(MAGIC) else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    return tokenizer_of(read_metadata(file.path), file.name, file.out)


def _loaded(cached: CacheReader, file: TokenizerFile) -> Tokenizer:
    return load_gguf(cached, file.path.name, file.name)


FORMAT: Final[Format] = Format(
    "gguf",
    "GGUF model file",
    "GGUF",
    (".gguf",),
    _recognized,
    _opened,
    signs="The file begins with `GGUF`.",
    algorithms="BPE, Unigram, WordPiece, longest match",
    compared="llama-cpp-python 0.3, and the library of the original",
    own_names=(".gguf",),
    in_place=True,
    load=_loaded,
    digest=metadata_sha256,
)
