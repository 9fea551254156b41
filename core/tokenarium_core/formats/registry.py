"""Every format that this program knows, in one table. A new one is a module with its value, and a line here.

A file is recognized by its content; its name only decides between the files of a folder. A JSON file of tens of
megabytes is recognized by its first fields, without parsing it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tokenarium_core.errors import ArgumentError, TokenariumError, WriteError
from tokenarium_core.formats import (
    boundless_format,
    clip_format,
    ctc_format,
    fairseq_format,
    gpt2_format,
    js_tiktoken_format,
    litertlm_format,
    llama2c_format,
    minbpe_format,
    rwkv_format,
    subword_nmt_format,
    subwords_format,
    tekken_format,
    tiktoken_format,
    tiktoken_pickle_format,
    tokenarium_format,
    vocab_txt_format,
    yttm_format,
)
from tokenarium_core.formats.chat_part import TEMPLATES, chat_of, sources_in
from tokenarium_core.formats.copy_proof import (
    ALLOWING,
    CopyDifference,
    differences,
    is_rebuilt,
    probes_for,
    refusal,
)
from tokenarium_core.formats.format import (
    CERTAIN,
    HEAD_BYTES,
    LIKELY,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.gguf import gguf_format
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.name_patterns import NamePatterns
from tokenarium_core.formats.parts import lost_parts
from tokenarium_core.formats.sentencepiece import (
    sentencepiece_flat_format,
    sentencepiece_format,
    sentencepiece_listing_format,
)
from tokenarium_core.formats.settings_files import CONFIG
from tokenarium_core.plain_files import open_file
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.whole_files import write_files

FORMATS: Final[dict[str, Format]] = {
    format.name: format
    for format in (
        tokenarium_format.FORMAT,
        hf_format.FORMAT,
        tekken_format.FORMAT,
        tiktoken_format.FORMAT,
        fairseq_format.FORMAT,
        sentencepiece_format.FORMAT,
        sentencepiece_flat_format.FORMAT,
        sentencepiece_listing_format.FORMAT,
        gpt2_format.FORMAT,
        vocab_txt_format.FORMAT,
        gguf_format.FORMAT,
        litertlm_format.FORMAT,
        boundless_format.FORMAT,
        minbpe_format.FORMAT,
        rwkv_format.FORMAT,
        clip_format.FORMAT,
        subword_nmt_format.FORMAT,
        subwords_format.FORMAT,
        ctc_format.FORMAT,
        llama2c_format.FORMAT,
        yttm_format.FORMAT,
        tiktoken_pickle_format.FORMAT,
        js_tiktoken_format.FORMAT,
    )
}
"""All formats by name, in the order shown to users; of several that can hold a tokenizer, the first is taken."""

EXPORT_FORMATS: Final[dict[str, Format]] = {
    name: format for name, format in FORMATS.items() if format.is_written
}
"""The formats that can be written."""

_JSON_FORMATS: Final = [format for format in FORMATS.values() if ".json" in format.suffixes]
"""The formats whose recognizers look at the fields of an object."""

MODEL_FOLDER: Final = "model folder"
"""The `Source.format` of a folder whose vocabulary is opened with the settings beside it."""


# Recognizing.


def recognized(head: FileHead, least: int = LIKELY) -> Format | None:
    """Returns the format of a file if it is at least `LIKELY`, the first that is `CERTAIN` if one is; else None."""
    formats = list(FORMATS.values())
    while True:
        likely: Format | None = None
        for format in formats:
            certainty = format.recognize(head)
            if certainty == CERTAIN:
                return format
            if certainty >= least and likely is None:
                likely = format
        if likely is not None:
            return likely
        if not head.read_field():
            return None
        formats = _JSON_FORMATS


def format_of_file(path: Path, least: int = CERTAIN) -> Format | None:
    """Returns the format of a file by its first bytes; None if it is not certain, or the path is not a file."""
    try:
        with open_file(path) as file:
            return recognized(FileHead(file.read(HEAD_BYTES), path.name), least)
    except (OSError, ValueError):
        return None


_OWN_ENDS: Final = tuple(
    [
        tuple(
            [
                end
                for format in FORMATS.values()
                for end in format.own_names
                if end.startswith(".") and not format.pairs and format.in_place == in_place
            ]
        )
        for in_place in (False, True)  # a vocabulary comes before the whole model beside it
    ]
)


def file_patterns() -> list[str]:
    """Returns the names, with wildcards, of the files that tokenizers are read from, as `fnmatch` takes them."""
    return [pattern for format in FORMATS.values() for pattern in format.patterns]


USUAL_NAMES: Final = NamePatterns(file_patterns())
"""The names of `file_patterns`, to match many."""


def has_own_name(name: str) -> bool:
    """Returns whether only the files of some format have such a name."""
    return any(format.has_own_name(name) for format in FORMATS.values())


def pair_of(path: Path) -> tuple[Path, Path] | None:
    """Returns the two files of a tokenizer to which a path belongs, if both exist."""
    for format in FORMATS.values():
        pair = format.pair_of(path)
        if pair is not None and pair[0].is_file() and pair[1].is_file():
            return pair
    return None


def in_folder(folder: Path) -> Path | None:
    """Returns the file of a folder that makes a tokenizer; None if there is none, or it is not certain."""
    for format in FORMATS.values():
        for name in format.folder_names:
            left = name == fairseq_format.NAME and (folder / CONFIG).is_file()
            if (
                not left and (folder / name).is_file()
            ):  # the settings of transformers name another file
                return folder / name
    for format in FORMATS.values():
        for first, second in format.pairs:
            if (folder / first).is_file() and (folder / second).is_file():
                return folder / first
    names = os.listdir(folder) if folder.is_dir() else []
    for ends in _OWN_ENDS:
        candidates = [name for name in names if name.endswith(ends) and (folder / name).is_file()]
        if candidates:
            return folder / candidates[0] if len(candidates) == 1 else None
    return None


def name_of(path: Path) -> str:
    """Returns the name for the tokenizer of a file: the folder's name if the file's is always the same."""
    name = path.with_suffix("").stem if path.suffix == ".gz" else path.stem
    if path.name == CONFIG:
        name = path.absolute().parent.name
    for format in FORMATS.values():
        if path.name in format.folder_names or any(path.name in pair for pair in format.pairs):
            name = path.absolute().parent.name or path.stem
    # Bytes of a file name that are not UTF-8 are surrogates here, which cannot be written to a file.
    return name.encode("utf-8", "backslashreplace").decode()


# Writing.


def obstacle_to(tokenizer: Tokenizer, format: str) -> str:
    """Returns why a tokenizer cannot be written in one of `EXPORT_FORMATS`, in a sentence; empty if it can be."""
    chosen = EXPORT_FORMATS[format]
    obstacle = chosen.obstacle(tokenizer)
    if obstacle:
        return obstacle
    lost = lost_parts(tokenizer, chosen.holds)
    if not lost:
        return ""
    keep = tokenarium_format.FORMAT
    keeps = not keep.obstacle(tokenizer) and not lost_parts(tokenizer, keep.holds)
    return f"{lost[0]} {keep.title} keeps it." if keeps else lost[0]


def format_for(name: str) -> str:
    """Returns the name of the format that a file of this name should have: our own where the name says nothing.

    Raises ArgumentError for a format that is read but not written.
    """
    low = name.lower()
    usual: list[Format] = []
    others: list[Format] = []
    for format in FORMATS.values():
        suffixes = tuple([suffix for suffix in format.suffixes if suffix != ".json"])
        if low in format.folder_names or any(low in pair for pair in format.pairs):
            usual.append(format)
        elif low.endswith(suffixes):
            others.append(format)
    meant = usual or others
    for format in meant:
        if format.is_written:
            return format.name
    if meant:
        raise ArgumentError(
            f"{name} would be {meant[0].title}, which this program reads but does not write: save it under another name."
        )
    return tokenarium_format.FORMAT.name


def files_of(tokenizer: Tokenizer, format: str, stem: str) -> Files:
    """Returns the files of a tokenizer in a format, the main one first; ``stem`` is the name without suffix.

    Raises ArgumentError for an unknown format, and for one that cannot hold this tokenizer with all its parts, with the
    reason.
    """
    chosen = EXPORT_FORMATS.get(format)
    if chosen is None:
        known = ", ".join(EXPORT_FORMATS)
        raise ArgumentError(f"Tokenizers cannot be saved as {format!r}: choose one of {known}.")
    obstacle = obstacle_to(tokenizer, format)
    if obstacle:
        raise ArgumentError(f"{tokenizer.name} cannot be saved as {chosen.title}: {obstacle}")
    return chosen.write(tokenizer, stem)


def fitting(tokenizer: Tokenizer, suffix: str = "") -> list[str]:
    """Returns the names of the formats that can hold a tokenizer, the best first, of those with a suffix if one is given."""
    names = [
        name
        for name, format in EXPORT_FORMATS.items()
        if suffix in ("", format.suffix) and not obstacle_to(tokenizer, name)
    ]
    own = tokenarium_format.FORMAT.name
    if own in names and tokenarium_format.obstacle_to_fields(tokenizer):
        names.remove(own)
        names.append(own)  # it only wraps the file of another one
    return names


def differences_of(
    tokenizer: Tokenizer, format: str, texts: Sequence[str] = ()
) -> list[CopyDifference]:
    """Returns the texts that a copy in a format would treat otherwise, among probes and some texts.

    There are none but for formats in which the stages are rebuilt of others, see `is_rebuilt`. Raises the errors of
    `files_of`.
    """
    if not is_rebuilt(tokenizer, format):
        return []
    files = files_of(tokenizer, format, "copy")
    name, content = next(iter(files.items()))
    copy = EXPORT_FORMATS[format].read(TokenizerFile(Path(name), content, tokenizer.name))
    return differences(tokenizer, copy, [*probes_for(tokenizer), *texts])


def save(
    tokenizer: Tokenizer,
    path: str | os.PathLike[str],
    format: str,
    allow_differences: bool = False,
) -> list[Path]:
    """Writes a tokenizer, whole or not at all, and returns the files; raises the errors of `files_of`, and WriteError.

    A copy that treats some texts otherwise, see `differences_of`, is refused with ArgumentError, which says which and
    why, unless ``allow_differences``.

    Without a format, the name of the file says which, see `format_for`. The main file gets the path's name; others that belong to it are next to it. If the names are fixed, as those of
    GPT-2's pair, the path is the folder, or one of the files.
    """
    target = Path(path)
    format = format or format_for(target.name)
    files = files_of(tokenizer, format, target.stem)
    if not allow_differences:
        differences = differences_of(tokenizer, format)
        if differences:
            title = EXPORT_FORMATS[format].title
            raise ArgumentError(
                f"{tokenizer.name} is not saved as {title}: {refusal(differences)}{ALLOWING}"
            )
    if EXPORT_FORMATS[format].fixed_names:
        folder = target.parent if target.name in files else target
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    else:
        folder = target.parent
        content = files.pop(next(iter(files)))
        files = {target.name: content, **files}
    paths = {folder / name: content for name, content in files.items()}
    keep_beside(tokenizer, folder, paths)
    write_files(paths)
    return list(paths)


def keep_beside(tokenizer: Tokenizer, folder: Path, files: dict[Path, bytes]) -> None:
    """Leaves the settings of a folder as they are where they have the same chat templates: ``files`` then lack them.

    Raises ArgumentError where they have others, which would be lost.
    """
    beside = folder / CONFIG
    if beside not in files:
        return
    try:
        present = sources_in(folder)
        if present == chat_of(tokenizer)[TEMPLATES]:
            del files[beside]
            return
    except TokenariumError:  # what cannot be read is not replaced
        present = {}
    if present or beside.exists():
        raise ArgumentError(
            f"{tokenizer.name} has a chat template, which is saved in {CONFIG} beside the file, but {folder} already"
            " has its own: choose another folder."
        )
