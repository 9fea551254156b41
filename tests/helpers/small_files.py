"""Files and folders that a test makes for itself."""

from __future__ import annotations

from pathlib import Path

import tokenarium_core as tc


def write_file(path: Path, content: str | bytes | bytearray) -> Path:
    """Returns the path of a file, written with a content; a text is encoded as UTF-8."""
    if isinstance(content, str):
        path.write_text(content, "utf-8")
    else:
        path.write_bytes(content)
    return path


def new_folder(path: Path) -> Path:
    """Returns the path of a folder, created empty in a folder that exists."""
    path.mkdir()
    return path


def saved(
    tokenizer: tc.Tokenizer, path: Path, format: str = "", allow_differences: bool = False
) -> Path:
    """Returns the path of a file that a tokenizer is saved in, with the arguments of `Tokenizer.save`."""
    tokenizer.save(path, format, allow_differences)
    return path
