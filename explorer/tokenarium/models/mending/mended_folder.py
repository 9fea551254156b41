"""Mended files in a folder, or as a tokenizer of the library: written only if they open, and do what was asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosing import EXAMINATION_OF, examined
from tokenarium.models.files import folder_beside
from tokenarium.models.mending.finding_repairs import repairs_of
from tokenarium.models.mending.gguf_repair import mended_gguf, with_pattern
from tokenarium.models.mending.repair import LARGEST, Repair, mended_files
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.text.piece import counted
from tokenarium.models.tokenizers.changed import keep_made, without
from tokenarium.models.tokenizers.export_proof import MOST_SPECIAL
from tokenarium.models.tokenizers.reference_check import check
from tokenarium.models.tokenizers.references import reference_for
from tokenarium.models.training.store import Trained
from tokenarium.resources.samples_index import load_samples
from tokenarium_core.formats import SETTINGS_FILES
from tokenarium_core.formats.chat_part import folder_of
from tokenarium_core.plain_files import read_file
from tokenarium_core.whole_files import WholeFile, replace_files

FOLDER_FILES: Final = (
    *SETTINGS_FILES, "config.json", "generation_config.json", "chat_template.jinja", "chat_templates",
    "tokenizer.model", "vocab.json", "merges.txt", "vocab.txt", "processor_config.json", "preprocessor_config.json",
)  # fmt: skip
"""The files beside a tokenizer that programs read with it; weights are not copied."""


@dataclass(frozen=True, slots=True)
class MendedFolder:
    """What was written: the folder, the files that were mended, those that were copied, and the proof.

    ``texts`` is how many of the ``tried`` sample texts have different ids now; ``library`` the one that gives the same ids
    as this program, empty if none is installed.
    """

    folder: Path
    mended: tuple[str, ...]
    copied: tuple[str, ...]
    texts: int
    tried: int
    library: str

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        names = " and ".join(self.mended)
        copied = (
            f"; {counted(len(self.copied), 'other file')} copied unchanged" if self.copied else ""
        )
        ids = (
            f"{self.texts:,} of {self.tried:,} sample texts have different ids now"
            if self.texts
            else "All sample texts have the same ids as before"
        )
        proof = f", as read by {self.library}" if self.library else ""
        return f"{self.folder}: {names} mended{copied}. {ids}{proof}."


@dataclass(frozen=True, slots=True)
class MendRequest:
    """What to mend: how the tokenizer is opened, the repairs, and the name of the new one.

    ``folder`` is that of the store, or the one that is written, see `write_mended`.
    """

    source: str
    pattern: str
    old_name: str
    repairs: tuple[Repair, ...]
    name: str
    folder: str


def make_mended(report: ReportProgress, request: MendRequest) -> Trained:
    """Makes a tokenizer with some repairs, and keeps it in the store; ``report`` gets the progress.

    TokenariumError where that is not possible, with the reason.
    """
    report(stage(f"Opening {request.old_name}", 0.0))
    old = tc.open(request.source, pattern=request.pattern or None)
    old.name = request.old_name
    report(stage("Mending the files", 0.4))
    with mended_tokenizer(old, request.repairs) as mended:
        mended.name = request.name
        report(stage("Saving it", 0.8))
        said = {"mend": [repair.title for repair in request.repairs]}
        return keep_made(mended, old.name, request.name, request.folder, said)


def write_folder(report: ReportProgress, request: MendRequest) -> MendedFolder:
    """Opens a tokenizer, and writes its mended files to a folder that is not its own; see `write_mended`."""
    report(stage(f"Opening {request.old_name}", 0.0))
    old = tc.open(request.source, pattern=request.pattern or None)
    old.name = request.old_name
    return write_mended(old, request.repairs, Path(request.folder), report, in_place=False)


@contextmanager
def mended_tokenizer(tokenizer: tc.Tokenizer, repairs: Sequence[Repair]) -> Iterator[tc.Tokenizer]:
    """Opens the tokenizer that repairs make; its files exist only inside.

    TokenariumError if a file cannot be mended, or cannot be opened afterwards.
    """
    name = _pattern(repairs)
    if name:
        mended = with_pattern(tokenizer, name)
        mended.name = tokenizer.name
        yield mended
        return
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
        for file, content in {**_beside(tokenizer), **mended_files(tokenizer, repairs)}.items():
            _put(Path(folder), file, content)
        yield _opened(tokenizer, Path(folder))


def write_mended(
    tokenizer: tc.Tokenizer,
    repairs: Sequence[Repair],
    out: Path,
    report: ReportProgress = lambda _: None,
    in_place: bool = True,
) -> MendedFolder:
    """Writes the files of a tokenizer with some repairs, and returns the proof.

    ``out`` is a new or empty folder, which gets the mended files and copies of the others that programs read with them; or
    the folder of the tokenizer, of which only the mended files are replaced, if that is allowed (``in_place``). Files that
    are not mended stay byte for byte.

    TokenariumError if a file cannot be mended or written, if the result cannot be opened, or if the library that owns the
    format gives different ids with it.
    """
    if not repairs:
        raise tc.ArgumentError("There is nothing to mend: name a repair.")
    own = folder_of(tokenizer)
    if own is None:
        raise tc.ArgumentError(f"{tokenizer.name} has no folder: it cannot be mended.")
    in_place = in_place and os.path.isdir(out) and os.path.samefile(own, out)
    if os.path.lexists(out) and not in_place and (not os.path.isdir(out) or os.listdir(out)):
        raise tc.ArgumentError(f"{out} is not empty: name a new folder, or that of the tokenizer.")
    pattern = _pattern(repairs)
    if pattern and in_place:
        raise tc.ArgumentError("A GGUF file is not changed in place: name a new folder.")
    with folder_beside(out, parents=True) as folder:
        report(stage("Mending the files", 0.1))
        copied: dict[str, bytes] = {}
        contents: dict[str, bytes] = {}
        if pattern:
            path = Path(tokenizer.source.path)
            mended: Sequence[str] = [path.name]
            _write(folder / path.name, mended_gguf(path, pattern), path.stat().st_size, report)
            opened = tc.open(folder / path.name)
        else:
            contents = mended_files(tokenizer, repairs)
            mended = [*contents]
            copied = {name: one for name, one in _beside(tokenizer).items() if name not in contents}  # fmt: skip
            for name, content in {**copied, **contents}.items():
                _put(folder, name, content)
            opened = _opened(tokenizer, folder)
        report(stage("Examining the result", 0.4))
        for repair in repairs:
            _check_cause(opened, repair)
        report(stage("Comparing the ids of the sample texts", 0.6))
        changed, tried = _changed(tokenizer, opened)
        library = _proved(opened, report)
        if in_place and mended_files(tokenizer, repairs) != contents:
            raise tc.TokenariumError(f"{own} has changed meanwhile: look for repairs again.")
        moved = mended if in_place else (*copied, *mended)
        out.mkdir(parents=True, exist_ok=True)
        for name in moved:
            (out / name).parent.mkdir(exist_ok=True)
        replace_files([(folder / name, out / name) for name in moved])
    kept = () if in_place else tuple(copied)
    return MendedFolder(out, tuple(mended), kept, changed, tried, library)


def _check_cause(mended: tc.Tokenizer, repair: Repair) -> None:
    """Raises TokenariumError if a finding could still be mended in the same way."""
    examine = EXAMINATION_OF.get(repair.cause)
    if (
        examine is None or repair.pattern
    ):  # a stage was compared before; the model's own tokenizer is not beside the copy
        return
    left = repairs_of(mended, examined(examine, mended))
    if any(one.id == repair.id for one in left):
        raise tc.TokenariumError(
            f"The mended files are not written: “{repair.title}” did not mend everything that was found."
        )


def _pattern(repairs: Iterable[Repair]) -> str:
    """Returns the name of the pattern that a GGUF file gets; empty for other files."""
    return next((repair.pattern for repair in repairs if repair.pattern), "")


def _beside(tokenizer: tc.Tokenizer) -> dict[str, bytes]:
    """Returns the tokenizer's files and those of its folder that programs read with it, by their names."""
    own = folder_of(tokenizer)
    if own is None:
        return {}
    found = {file.name: file for file in tokenizer.source.files if file.parent == own}
    for name in FOLDER_FILES:
        path = own / name
        inner = sorted(path.iterdir()) if path.is_dir() else [path]
        found.update({one.relative_to(own).as_posix(): one for one in inner})
    return {name: read_file(path, LARGEST) for name, path in found.items() if path.is_file()}


def _put(folder: Path, name: str, content: bytes) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def _write(path: Path, parts: Iterable[bytes], size: int, report: ReportProgress) -> None:
    """Writes a large file, with progress."""
    file, done = WholeFile(path), 0
    try:
        for part in parts:
            file.write(part)
            done += len(part)
            report(stage("Copying the tensors", 0.5 * min(done / max(size, 1), 1.0)))
        file.finish()
    finally:
        file.drop()


def _opened(tokenizer: tc.Tokenizer, folder: Path) -> tc.Tokenizer:
    path = Path(tokenizer.source.path)
    opened = tc.open(folder if os.path.isdir(path) else folder / path.name)
    opened.name = tokenizer.name
    return opened


def _changed(old: tc.Tokenizer, new: tc.Tokenizer) -> tuple[int, int]:
    """Returns how many of the sample texts get different ids, with the template, and how many there are."""
    ids: Callable[[tc.Tokenizer, str], list[int]] = lambda one, text: list(one.encode(text, template=True).ids)  # noqa: E731  # fmt: skip
    texts = [sample.text() for sample in load_samples()]
    return sum(ids(old, text) != ids(new, text) for text in texts), len(texts)


def _proved(mended: tc.Tokenizer, report: ReportProgress) -> str:
    """Returns the library that gives the ids of the mended tokenizer; empty if none is there. TokenariumError if its ids
    differ.
    """
    text = "\n".join(sample.text() for sample in load_samples())
    special = "".join(f" {token} a{token}b" for token in [*mended.special_tokens][:MOST_SPECIAL])
    library = ""
    for recognized in (False, True):
        try:
            reference = reference_for(mended, recognized)
        except tc.NotAvailable:
            return ""
        if recognized and not reference.finds_special:
            continue
        tried = text + special if recognized else without(text, mended)
        checked = check(mended, reference, tried, recognized, report)
        library = checked.library
        if checked.divergence is not None:
            raise tc.TokenariumError(
                f"The mended files are not written: {library} gives different ids with them at {checked.divergence.text!r}."
            )
    return library
