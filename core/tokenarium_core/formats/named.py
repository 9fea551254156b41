"""The encodings that tiktoken names: their files, patterns and special tokens, and where tiktoken stores them.

The facts are those of tiktoken's registry (``tiktoken_ext/openai_public.py``). The tests compare the two; reading them
from there would load and parse every file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final, NamedTuple

from tokenarium_core.errors import NotAvailable
from tokenarium_core.plain_files import open_file, read_beginning

_HOST: Final = "https://openaipublic.blob.core.windows.net/"
_END: Final = "<|endoftext|>"
_FILL_IN: Final = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")


_LARGEST: Final = 1 << 28  # of a file whose size is not known


class SourceFile(NamedTuple):
    """A published file: URL, SHA-256, and size in bytes (0 if unknown)."""

    url: str
    sha256: str
    size: int


class NamedEncoding(NamedTuple):
    """An encoding by name: the scanner of its pattern, its special tokens, and the files it is read from."""

    name: str
    models: str
    pre_tokenizer: str
    special_tokens: dict[str, int]
    files: tuple[SourceFile, ...]


def _fill_in(first: int) -> dict[str, int]:
    return {token: first + index for index, token in enumerate(_FILL_IN)}


_P50K: Final = SourceFile(
    _HOST + "encodings/p50k_base.tiktoken",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    0,
)
_O200K: Final = SourceFile(
    _HOST + "encodings/o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    3613922,
)
_HARMONY: Final = {
    "<|startoftext|>": 199998,
    "<|endoftext|>": 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}


def _harmony_tokens() -> dict[str, int]:
    """Returns o200k_base's special tokens, Harmony's own, and a reserved one for each id between.

    The id 200018 has two texts, ``<|endofprompt|>`` and ``<|reserved_200018|>``, as in tiktoken.
    """
    tokens = {"<|endofprompt|>": 200018, **_HARMONY}
    taken = set(_HARMONY.values())
    for token in range(200000, 201088):
        if token not in taken:
            tokens[f"<|reserved_{token}|>"] = token
    return tokens


NAMED: Final[dict[str, NamedEncoding]] = {
    encoding.name: encoding
    for encoding in [
        NamedEncoding(
            "gpt2",
            "GPT-2",
            "gpt2",
            {_END: 50256},
            (
                SourceFile(
                    _HOST + "gpt-2/encodings/main/vocab.bpe",
                    "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
                    456318,
                ),
                SourceFile(
                    _HOST + "gpt-2/encodings/main/encoder.json",
                    "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
                    1042301,
                ),
            ),
        ),
        NamedEncoding(
            "r50k_base",
            "GPT-3",
            "gpt2",
            {_END: 50256},
            (
                SourceFile(
                    _HOST + "encodings/r50k_base.tiktoken",
                    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
                    835554,
                ),
            ),
        ),
        NamedEncoding("p50k_base", "Codex", "gpt2", {_END: 50256}, (_P50K,)),
        NamedEncoding(
            "p50k_edit", "GPT-3 edit", "gpt2", {_END: 50256, **_fill_in(50281)}, (_P50K,)
        ),
        NamedEncoding(
            "cl100k_base",
            "GPT-3.5, GPT-4",
            "cl100k",
            {_END: 100257, **_fill_in(100258), "<|endofprompt|>": 100276},
            (
                SourceFile(
                    _HOST + "encodings/cl100k_base.tiktoken",
                    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
                    1681126,
                ),
            ),
        ),
        NamedEncoding(
            "o200k_base",
            "GPT-4o, o1 to o4",
            "o200k",
            {_END: 199999, "<|endofprompt|>": 200018},
            (_O200K,),
        ),
        NamedEncoding("o200k_harmony", "gpt-oss", "o200k", _harmony_tokens(), (_O200K,)),
    ]
}
"""The encodings by name."""


def cache_folder() -> Path:
    """Returns the folder where tiktoken stores its downloads, by tiktoken's own rules."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        folder = os.environ.get(variable)
        if folder:
            return Path(folder)
    import tempfile  # with archives and more, which a start would wait for

    return Path(tempfile.gettempdir()) / "data-gym-cache"


def cache_path(file: SourceFile) -> Path:
    """Returns where tiktoken stores a file: under the SHA-1 of its URL."""
    return cache_folder() / hashlib.sha1(file.url.encode(), usedforsecurity=False).hexdigest()


def missing_files(encoding: NamedEncoding) -> list[SourceFile]:
    """Returns the files of an encoding that are missing from tiktoken's cache; reads none."""
    return [file for file in encoding.files if not cache_path(file).is_file()]


def read_files(encoding: NamedEncoding) -> list[bytes]:
    """Returns the content of an encoding's files from tiktoken's cache; never uses the network.

    Raises NotAvailable if one is missing, or differs from what its owner published.
    """
    contents: list[bytes] = []
    for file in encoding.files:
        path = cache_path(file)
        try:
            with open_file(path) as file_object:
                content = read_beginning(file_object, file.size or _LARGEST, file.size)
        except OSError as error:
            raise NotAvailable(
                f"{encoding.name} is not on this computer: {file.url.rpartition('/')[2]} was looked for at {path}, in"
                f" tiktoken's cache. Get it with: tokenarium fetch {encoding.name}, or by"
                f' tiktoken.get_encoding("{encoding.name}"); TIKTOKEN_CACHE_DIR names another folder.'
            ) from error
        digest = hashlib.sha256(content).hexdigest()
        if digest != file.sha256:
            raise NotAvailable(
                f"{path}, tiktoken's copy of {file.url.rpartition('/')[2]}, is damaged: its SHA-256 is"
                f" {digest[:12]}… and should be {file.sha256[:12]}…. Delete it and get it again."
            )
        contents.append(content)
    return contents
