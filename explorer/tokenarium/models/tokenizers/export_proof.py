"""Exports a tokenizer with proof: files are put in place only if the format's own library reads them as we do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

import tokenarium_core as tc
from tokenarium.models.files import folder_beside
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.tokenizers.reference_check import Divergence, Report, check
from tokenarium.models.tokenizers.references import reference_for
from tokenarium_core.formats.chat_part import TEMPLATES, chat_of
from tokenarium_core.formats.copy_proof import ALLOWING, CopyDifference, differences, refusal
from tokenarium_core.formats.parts import TITLES, parts_of
from tokenarium_core.formats.registry import EXPORT_FORMATS, differences_of, keep_beside, save
from tokenarium_core.whole_files import replace_files

MOST_SPECIAL: Final = 200
"""Special tokens that are put behind the text."""

WINDOW_ADVICE: Final = " Tick the box above to save it anyway."
"""What ends a refusal in the window."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What an export wrote, and how it was proved.

    ``library`` is the reference with its version; empty for a format that only this program reads. ``differences`` are
    the texts that the copy treats differently, where that was allowed.
    """

    files: tuple[Path, ...]
    library: str
    characters: int
    tokens: int
    differences: tuple[CopyDifference, ...] = ()

    @property
    def sentence(self) -> str:
        """The proof in words."""
        return self.summary(len(self.differences))

    def summary(self, most: int) -> str:
        """Returns the proof in words, with at most ``most`` of the texts that differ."""
        names = " and ".join(path.name for path in self.files)
        reader = self.library or "this program"
        if self.differences:
            listed = "\n".join(difference.sentence for difference in self.differences[:most])
            more = len(self.differences) - most
            if more > 0:
                listed += f"\n… and {more} more."
            return f"{names}: read by {reader}, not identical. These texts differ:\n{listed}"
        return (
            f"{names}: read by {reader}, identical on {self.characters:,} characters"
            f" ({self.tokens:,} tokens)."
        )


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export: how the tokenizer is opened, the format, the main file's path, and the file of a test text.

    ``allow_differences``: a copy that treats some texts differently is written anyway.
    """

    source: str
    pattern: str
    name: str
    format: str
    target: Path
    text: Path
    allow_differences: bool = False


class Opened(Protocol):
    """A request that says how a tokenizer is opened, what it is called, and the file of a test text."""

    @property
    def source(self) -> str: ...
    @property
    def pattern(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> Path: ...


def opened_for_export(report: ReportProgress, request: Opened) -> tuple[tc.Tokenizer, str]:
    """Returns the tokenizer of a request and its test text."""
    report(stage(f"Opening {request.name}"))
    tokenizer = tc.open(request.source, pattern=request.pattern or None)
    tokenizer.name = request.name
    return tokenizer, request.text.read_bytes().decode("utf-8")


def export_file(report: ReportProgress, request: ExportRequest) -> Proof:
    """Opens a tokenizer, exports it and proves it, see `export`; ``report`` gets the progress."""
    tokenizer, text = opened_for_export(report, request)
    allowed = request.allow_differences
    return export(tokenizer, request.format, request.target, text, report, allowed, WINDOW_ADVICE)


def export(
    tokenizer: tc.Tokenizer,
    format: str,
    target: Path,
    text: str,
    report: ReportProgress = lambda _: None,
    allow_differences: bool = False,
    advice: str = ALLOWING,
) -> Proof:
    """Writes a tokenizer in a format, proves on a text that it is the same there, and returns the proof.

    Existing files are replaced only after the proof. Read again, the copy must have the same chat templates and, on this
    text and its special tokens, the same ids with and without the template and the same texts of these: else it is
    refused, with ``advice`` at the end, or with ``allow_differences`` the proof lists what differs. The library's ids must
    be those of the copy. It is given the text without special tokens, since libraries do not agree on whether plain text
    may hold them, and with them where it recognizes them.

    Raises TokenariumError if the format cannot hold the tokenizer, the reference is not installed or reads the
    files differently, or the folder cannot be written.
    """
    title = EXPORT_FORMATS[format].title
    fixed = EXPORT_FORMATS[format].fixed_names
    with folder_beside(target, "Choose another folder or name.") as folder:
        report(stage(f"Writing {title}"))
        name = fixed[0] if fixed else target.name
        written = save(tokenizer, folder / name, format, allow_differences=True)
        proof = _prove(tokenizer, format, written, text, report, allow_differences, advice)
        parent = target if fixed and target.is_dir() else target.parent
        sources = {parent / path.name: path for path in written}
        beside = {parent / path.name: b"" for path in written}
        keep_beside(tokenizer, parent, beside)
        moved = tuple(beside)
        replace_files([(sources[path], path) for path in moved][::-1])
    return replace(proof, files=moved)


def _prove(
    tokenizer: tc.Tokenizer,
    format: str,
    files: list[Path],
    text: str,
    report: ReportProgress,
    allow_differences: bool,
    advice: str,
) -> Proof:
    refused = f"{tokenizer.name} cannot be exported as {EXPORT_FORMATS[format].title}: "
    report(stage("Opening it again"))
    again = tc.open(files[0])
    if chat_of(again)[TEMPLATES] != chat_of(tokenizer)[TEMPLATES]:
        raise tc.TokenariumError(f"{refused}when read again, it has different chat templates.")
    lost = set(parts_of(tokenizer)) - set(parts_of(again))
    if lost:
        raise tc.TokenariumError(f"{refused}when read again, it has no {TITLES[min(lost)]}.")
    special = list(tokenizer.special_tokens)[:MOST_SPECIAL]
    with_special = text + "".join(f" {token} a{token}b" for token in special)
    differing = differences_of(tokenizer, format, [with_special])
    differing = differing or differences(tokenizer, again, [with_special])
    if differing and not allow_differences:
        raise tc.TokenariumError(refused + refusal(differing) + advice)
    plain = text
    for token in tokenizer.special_tokens:
        plain = plain.replace(token, "")
    if not EXPORT_FORMATS[format].reference:
        return Proof(tuple(files), "", len(plain), len(again.encode_ids(plain)), tuple(differing))
    checked = _check(again, plain, False, refused, report)
    if reference_for(again, True).finds_special:
        _check(again, with_special, True, refused, report)
    return Proof(
        tuple(files), checked.library, checked.characters, checked.tokens, tuple(differing)
    )


def _check(
    copy: tc.Tokenizer, text: str, special: bool, refused: str, report: ReportProgress
) -> Report:
    """Returns how the library agrees with a copy; TokenariumError if it does not."""
    checked = check(copy, reference_for(copy, special), text, special, report)
    if checked.divergence is not None:
        raise tc.TokenariumError(refused + _described(checked.divergence, checked.library))
    return checked


def _described(divergence: Divergence, library: str) -> str:
    """Returns where and how the reference differs, as a sentence."""
    return (
        f"{library} gives different ids from character {divergence.character:,} on ({divergence.text!r}). The stage is"
        f" “{divergence.stage.value}”: {divergence.our_stage} here, {divergence.their_stage} there."
    )
