"""What a tokenizer's file says about itself: where it is, and the settings that it stores."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, final

from tokenarium_core.plain_files import open_file

CHUNK: Final = 1 << 20
"""Bytes that are hashed at once."""

CHANGED: Final = "changed since it was opened"
GONE: Final = "cannot be read any more"


@final
class Detail:
    """One stored setting, as the file has it: its group ("trainer", "normalizer"), its name, its value."""

    def __init__(self, group: str, name: str, value: str) -> None:
        self.group = group
        self.name = name
        self.value = value


@final
class Source:
    """Where a tokenizer came from.

    ``format``: "tiktoken", "gpt2", "sentencepiece", "huggingface", "vocab.txt", "tekken", "gguf", "tokenarium",
    "model folder" or "trained"; ``path``: the file or folder, from the root on, or the name of an encoding; empty if
    there is none. ``files`` are the files that were read, in this order; none if the format keeps them in a place of its own.
    ``pattern`` and ``special_tokens`` are those that were given when it was opened.
    """

    def __init__(
        self,
        format: str,
        path: str,
        files: list[Path] | None = None,
        pattern: str | None = None,
        special_tokens: dict[str, int] | None = None,
    ) -> None:
        self.format = format
        self.path = path
        self.files = [file.absolute() for file in files or []]
        self.pattern = pattern
        self.special_tokens = dict(special_tokens or {})
        self._states = [_state(file) for file in self.files]

    def digests(self) -> list[tuple[str, str]]:
        """Returns each file's name with its SHA-256, in 64 hexadecimal digits; or `CHANGED`, or `GONE`.

        It reads the files in small parts, so that it can run in a thread.
        """
        digests: list[tuple[str, str]] = []
        for file, state in zip(self.files, self._states, strict=True):
            if _state(file) != state:
                digests.append((file.name, CHANGED if file.is_file() else GONE))
                continue
            digest = hashlib.sha256()
            try:
                with open_file(file) as content:
                    while part := content.read(CHUNK):
                        digest.update(part)
            except OSError:
                digests.append((file.name, GONE))
                continue
            digests.append((file.name, digest.hexdigest()))
        return digests


def _state(file: Path) -> tuple[int, int, int]:
    """Returns what changes when a file is written: its inode, its size, and its time."""
    try:
        about = file.stat()
    except OSError:
        return (-1, -1, -1)
    return (about.st_ino, about.st_size, about.st_mtime_ns)
