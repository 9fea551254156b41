"""Exports a tokenizer with proof: files are put in place only if the format's own library reads them as we do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.tokenizers.reference_check import Divergence, check, first_difference
from tokenarium.models.tokenizers.references import reference_for
from tokenarium_core.formats.registry import EXPORT_FORMATS, save
from tokenarium_core.whole_files import part_path, replace_files


@dataclass(frozen=True, slots=True)
class Proof:
    """What an export wrote, and how it was proved.

    ``library`` is the reference with its version; empty for a format that only this program reads.
    """

    files: tuple[Path, ...]
    library: str
    characters: int
    tokens: int

    @property
    def sentence(self) -> str:
        """The proof in words."""
        names = " and ".join(path.name for path in self.files)
        reader = self.library or "this program"
        return (
            f"{names}: read by {reader}, identical on {self.characters:,} characters"
            f" ({self.tokens:,} tokens)."
        )


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export: how the tokenizer is opened, the format, the main file's path, and the file of a test text."""

    source: str
    pattern: str
    name: str
    format: str
    target: Path
    text: Path


def export_file(report: Callable[[str], None], request: ExportRequest) -> Proof:
    """Opens a tokenizer, exports it and proves it, see `export`; ``report`` gets the current step."""
    report(f"Opening {request.name}")
    tokenizer = tc.open(request.source, pattern=request.pattern or None)
    tokenizer.name = request.name
    text = request.text.read_bytes().decode("utf-8")
    return export(tokenizer, request.format, request.target, text, report)


def export(
    tokenizer: tc.Tokenizer,
    format: str,
    target: Path,
    text: str,
    report: Callable[[str], None] = lambda doing: None,
) -> Proof:
    """Writes a tokenizer in a format, proves on a text that it is the same there, and returns the proof.

    Existing files are replaced only after the proof. Special tokens in the text are left out: libraries do not agree
    on whether plain text may hold them.

    Raises TokenariumError where the format cannot hold the tokenizer, the reference is not installed or reads the
    files differently, or the folder cannot be written.
    """
    title = EXPORT_FORMATS[format].title
    fixed = EXPORT_FORMATS[format].fixed_names
    for token in tokenizer.added_tokens.special:
        text = text.replace(token, "")
    try:
        folder = part_path(target)
        folder.mkdir()
        try:
            report(f"Writing {title}")
            written = save(tokenizer, folder / (fixed[0] if fixed else target.name), format)
            proof = _prove(tokenizer, format, written, text, report)
            place = target if fixed and target.is_dir() else target.parent
            moved = tuple(place / path.name for path in written)
            replace_files(list(zip(written, moved, strict=True))[::-1])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise tc.TokenariumError(
            f"{target} cannot be written: {error.strerror or error}. Choose another folder or name."
        ) from error
    return Proof(moved, proof.library, proof.characters, proof.tokens)


def _prove(
    tokenizer: tc.Tokenizer,
    format: str,
    files: list[Path],
    text: str,
    report: Callable[[str], None],
) -> Proof:
    title = EXPORT_FORMATS[format].title
    report("Opening it again")
    again = tc.open(files[0])
    ours = tokenizer.encode_ids(text)
    place = first_difference(ours, again.encode_ids(text))
    if place is not None:
        raise tc.TokenariumError(
            f"{tokenizer.name} cannot be exported as {title}: read again, it gives other ids from token {place:,} on."
        )
    if not EXPORT_FORMATS[format].reference:
        return Proof(tuple(files), "", len(text), len(ours))
    checked = check(tokenizer, reference_for(again, False), text, report=report)
    if checked.divergence is not None:
        raise tc.TokenariumError(
            f"{tokenizer.name} cannot be exported as {title}: {_described(checked.divergence, checked.library)}"
        )
    return Proof(tuple(files), checked.library, checked.characters, checked.tokens)


def _described(divergence: Divergence, library: str) -> str:
    """Returns where and how the reference differs, as a sentence."""
    return (
        f"{library} gives other ids from character {divergence.character:,} on ({divergence.text!r}). The stage is"
        f" “{divergence.stage.value}”: {divergence.our_stage} here, {divergence.their_stage} there."
    )
