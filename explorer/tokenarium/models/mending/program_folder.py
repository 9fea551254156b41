"""A folder that several programs read alike: the file that each of them reads, with settings that agree with it.

The ids are those without tokens around a text: whether a program adds these is its own affair.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.files import folder_beside
from tokenarium.models.mending.finding_repairs import ROLE_NAMES
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.text.added_in_text import id_of
from tokenarium.models.tokenizers.changed import without
from tokenarium.models.tokenizers.export_proof import WINDOW_ADVICE, export, opened_for_export
from tokenarium.models.tokenizers.reference_check import check
from tokenarium.models.tokenizers.references import folder_reference
from tokenarium_core.formats import SETTINGS_FILES
from tokenarium_core.formats.chat_part import folder_of, folder_tokens, own_tokens
from tokenarium_core.formats.copy_proof import ALLOWING
from tokenarium_core.formats.registry import EXPORT_FORMATS, obstacle_to
from tokenarium_core.whole_files import replace_files

TRANSFORMERS: Final = "transformers"

PROGRAMS: Final = {
    "tokenizers": ("huggingface", "tokenizer.json"),
    TRANSFORMERS: ("huggingface", "tokenizer.json"),
    "sentencepiece": ("sentencepiece", "tokenizer.model"),
    "tiktoken": ("tiktoken", "tokenizer.tiktoken"),
}
"""The format that each program reads, and the name of the file."""


@dataclass(frozen=True, slots=True)
class ProgramFolder:
    """What was written: the folder, its files, and the libraries that give the same ids for so many characters.

    ``differences`` are the texts that a file treats differently from the tokenizer, where that was allowed.
    """

    folder: Path
    files: tuple[str, ...]
    libraries: tuple[str, ...]
    characters: int
    differences: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The proof in words."""
        return self.summary(len(self.differences))

    def summary(self, most: int) -> str:
        """Returns the proof in words, with at most ``most`` of the texts that differ."""
        files, libraries = (", ".join(one) for one in (self.files, self.libraries))
        said = f"{self.folder}: {files}. The ids are the same on {self.characters:,} characters, as read by {libraries}."
        if self.differences:
            listed = [*self.differences[:most]]
            more = len(self.differences) - most
            listed += [f"… and {more} more."] * (more > 0)
            said += "\nThese texts differ:\n" + "\n".join(listed)
        return said


@dataclass(frozen=True, slots=True)
class ProgramFolderRequest:
    """What to write: how the tokenizer is opened, the programs, the folder, and the file of a test text; see `ExportRequest`."""

    source: str
    pattern: str
    name: str
    programs: tuple[str, ...]
    folder: Path
    text: Path
    allow_differences: bool = False


def write_program_folder(report: ReportProgress, request: ProgramFolderRequest) -> ProgramFolder:
    """Opens a tokenizer and writes it for programs, see `write_for_programs`; ``report`` gets the progress."""
    tokenizer, text = opened_for_export(report, request)
    return write_for_programs(
        tokenizer,
        request.programs,
        request.folder,
        text,
        report,
        request.allow_differences,
        WINDOW_ADVICE,
    )


def write_for_programs(
    tokenizer: tc.Tokenizer,
    programs: Sequence[str],
    out: Path,
    text: str,
    report: ReportProgress = lambda _: None,
    allow_differences: bool = False,
    advice: str = ALLOWING,
) -> ProgramFolder:
    """Writes a new or empty folder that some of `PROGRAMS` read with the same ids, and returns the proof.

    TokenariumError if a program cannot read such a tokenizer, if it is not installed, or if it gives different ids on a
    text; nothing is written then. A file that treats some texts differently, as a rebuilt one may, is refused too, unless
    that is allowed: then these texts are listed. ``advice`` ends that refusal.
    """
    for program in programs:
        if program not in PROGRAMS:
            raise tc.ArgumentError(f"There is no program {program!r}: choose from {', '.join(PROGRAMS)}.")  # fmt: skip
        format = PROGRAMS[program][0]
        if obstacle := obstacle_to(tokenizer, format):
            title = EXPORT_FORMATS[format].title
            raise tc.ArgumentError(f"{program} reads {title}, which {tokenizer.name} cannot be written as: {obstacle}")  # fmt: skip
    if os.path.lexists(out) and (not os.path.isdir(out) or os.listdir(out)):
        raise tc.ArgumentError(f"{out} is not empty: name a new folder.")
    plain = without(text, tokenizer)
    with folder_beside(out, parents=True) as folder:
        libraries: list[str] = []
        differences: list[str] = []
        for format, name in dict.fromkeys(PROGRAMS[program] for program in programs):
            proof = export(
                tokenizer, format, folder / name, text, report, allow_differences, advice
            )
            libraries.append(proof.library)
            differences += [one.sentence for one in proof.differences]
        if TRANSFORMERS in programs:
            report(stage("Reading it with transformers"))
            _write_settings(tokenizer, folder / SETTINGS_FILES[0])
            libraries.append(_read_by_transformers(tokenizer, folder, plain))
        names = tuple(sorted(path.name for path in folder.iterdir()))
        out.mkdir(parents=True, exist_ok=True)
        replace_files([(folder / name, out / name) for name in names])
    proved = tuple(dict.fromkeys(libraries))
    return ProgramFolder(out, names, proved, len(plain), tuple(differences))


def _write_settings(tokenizer: tc.Tokenizer, path: Path) -> None:
    """Writes the settings that transformers reads: only special tokens that are entries, and nothing that adds others."""
    own = folder_of(tokenizer)
    named = {**own_tokens(tokenizer), **(folder_tokens(own) if own is not None else {})}
    settings: dict[str, Any] = {
        **{role: named[role] for role in ROLE_NAMES if role in named},
        **(json.loads(path.read_bytes()) if path.exists() else {}),  # with the chat templates
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
    }
    for name, value in [*settings.items()]:
        if name.endswith("_token") and isinstance(value, str) and id_of(tokenizer, value) < 0:
            del settings[name]
    path.write_text(json.dumps(settings, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _read_by_transformers(tokenizer: tc.Tokenizer, folder: Path, text: str) -> str:
    """Returns transformers with its version; TokenariumError if it reads the folder with different ids."""
    again = tc.open(folder / PROGRAMS[TRANSFORMERS][1])
    try:
        reference = folder_reference(folder, False)
    except tc.TokenariumError:
        raise
    except Exception as error:  # each class has its own
        raise tc.NotAvailable(f"transformers does not open the folder: {error}") from error
    checked = check(again, reference, text)
    if checked.divergence is not None:
        raise tc.TokenariumError(
            f"{tokenizer.name} is not written: {checked.library} gives different ids at {checked.divergence.text!r}."
        )
    return checked.library
