"""The formats that a tokenizer can be written in, which of them can hold it, and the writing itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, final

from tokenarium_core.errors import ArgumentError, WriteError
from tokenarium_core.formats import gpt2_writer, json_writer, tiktoken_writer, vocab_txt_writer
from tokenarium_core.formats.hf import hf_writer
from tokenarium_core.formats.sentencepiece import sentencepiece_writer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.whole_files import write_files

Files = dict[str, bytes]
"""The content of each file by its name."""


@final
class ExportFormat:
    """One format: how a person calls it, what the main file ends with, and who reads it.

    ``obstacle`` tells in a sentence why a tokenizer cannot be written so; it is empty where it can.
    ``write`` returns the files for a name (with no suffix) that a person chose, the main one first.
    """

    def __init__(
        self,
        title: str,
        suffix: str,
        reference: str,
        obstacle: Callable[[Tokenizer], str],
        write: Callable[[Tokenizer, str], Files],
    ) -> None:
        self.title = title
        self.suffix = suffix
        self.reference = reference
        self.obstacle = obstacle
        self.write = write


EXPORT_FORMATS: Final[dict[str, ExportFormat]] = {
    "tokenarium": ExportFormat(
        "Tokenarium's JSON", ".json", "", json_writer.obstacle, json_writer.write
    ),
    "huggingface": ExportFormat(
        "Hugging Face tokenizer.json", ".json", "tokenizers", hf_writer.obstacle, hf_writer.write
    ),
    "tiktoken": ExportFormat(
        "tiktoken ranks and pattern",
        ".tiktoken",
        "tiktoken",
        tiktoken_writer.obstacle,
        tiktoken_writer.write,
    ),
    "sentencepiece": ExportFormat(
        "SentencePiece model",
        ".model",
        "sentencepiece",
        sentencepiece_writer.obstacle,
        sentencepiece_writer.write,
    ),
    "gpt2": ExportFormat(
        "GPT-2's encoder.json and vocab.bpe",
        ".json",
        "tiktoken",
        gpt2_writer.obstacle,
        gpt2_writer.write,
    ),
    "vocab.txt": ExportFormat(
        "BERT's vocab.txt", ".txt", "tokenizers", vocab_txt_writer.obstacle, vocab_txt_writer.write
    ),
}
"""All formats, by the names that `Tokenizer.save` knows them by."""


def files_of(tokenizer: Tokenizer, format: str, stem: str) -> Files:
    """Returns the files of a tokenizer in a format, the main one first; ``stem`` is the name without suffix.

    Raises ArgumentError for an unknown format, and for one that cannot hold this tokenizer, with the reason.
    """
    chosen = EXPORT_FORMATS.get(format)
    if chosen is None:
        known = ", ".join(EXPORT_FORMATS)
        raise ArgumentError(f"Tokenizers are not saved as {format!r}: there is {known}.")
    obstacle = chosen.obstacle(tokenizer)
    if obstacle:
        raise ArgumentError(f"{tokenizer.name} cannot be saved as {chosen.title}: {obstacle}")
    return chosen.write(tokenizer, stem)


def save(tokenizer: Tokenizer, path: str | os.PathLike[str], format: str) -> list[Path]:
    """Writes a tokenizer, whole or not at all, and returns the files; errors as `files_of`, and WriteError.

    The main file gets the path's name; others that belong to it lie beside it. Of the pair of GPT-2, whose names are
    given, the path is the folder, or one of the two.
    """
    target = Path(path)
    files = files_of(tokenizer, format, target.stem)
    names = list(files)
    if format == "gpt2":
        folder = target.parent if target.name in names else target
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    else:
        folder = target.parent
        content = files.pop(names[0])
        files = {target.name: content, **files}
    paths = {folder / name: content for name, content in files.items()}
    write_files(paths)
    return list(paths)
