"""``tokenarium export``: writes a tokenizer in another format, checked against the library that owns it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.shared_options import AllowOption, FormatOption, ToArgument, out_option
from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_answer,
    write_json,
    write_stage,
)
from tokenarium.models.mending.program_folder import PROGRAMS, write_for_programs
from tokenarium.models.tokenizers.export_proof import Proof
from tokenarium.models.tokenizers.export_proof import export as prove
from tokenarium_core.command_values import format_of_name, formats_of_name, one_destination
from tokenarium_core.formats.copy_proof import CopyDifference
from tokenarium_core.formats.registry import EXPORT_FORMATS, obstacle_to


def export(
    tokenizer: TokenizerArgument,
    to: ToArgument = None,
    out: Annotated[
        Path | None, out_option("The file to write. Without it, the formats are listed.")
    ] = None,
    format: FormatOption = "",
    program: Annotated[
        list[str] | None,
        typer.Option(
            help="Write a folder, --out, that this program and the others named read with the same ids; may be repeated:"
            f" {', '.join(PROGRAMS)}."
        ),
    ] = None,
    file: FileOption = None,
    pattern: PatternOption = "",
    allow_differences: AllowOption = False,
    as_json: JsonOption = False,
) -> None:
    """Writes a tokenizer in another format; the reference library must read it and give the same ids.

    Read again, the copy must have the same chat templates, ids with and without the template, and texts of ids.

    The test text is the one of --file, and the sample texts that come with the program.
    """
    with sentences():
        if program:
            _write_folder(
                tokenizer_of(tokenizer, pattern),
                program,
                to or out,
                file,
                allow_differences,
                as_json,
            )
            return
        to = destination(to, out, format)
        opened = tokenizer_of(tokenizer, pattern)
        if to is None:
            _list(opened, as_json)
            return
        text = proof_text(file)
        proof = proved(opened, to, format, text, allow_differences)
        if as_json:
            write_json(
                {
                    "files": [str(path) for path in proof.files],
                    "library": proof.library,
                    "characters": proof.characters,
                    "tokens": proof.tokens,
                    "differences": [as_values(difference) for difference in proof.differences],
                }
            )
        else:
            typer.echo(proof.sentence)


def _write_folder(
    opened: tc.Tokenizer,
    programs: list[str],
    out: Path | None,
    file: Path | None,
    allow: bool,
    as_json: bool,
) -> None:
    """Writes a folder for several programs."""
    if out is None:
        raise tc.ArgumentError("Name the folder to write with --out.")
    try:
        written = write_for_programs(opened, programs, out, proof_text(file), write_stage, allow)
    finally:
        write_stage(None)
    if as_json:
        write_json({**asdict(written), "folder": str(written.folder)})
    else:
        typer.echo(written.sentence)


def destination(to: Path | None, out: Path | None, format: str) -> Path | None:
    """Returns the file to write, if there is one; TokenariumError if it cannot have this name or this format."""
    found = one_destination(to, out)
    if found is not None:
        formats_of_name(found, format)
    return found


def proved(
    tokenizer: tc.Tokenizer, to: Path, format: str, text: str, allow_differences: bool
) -> Proof:
    """Writes a tokenizer in a format, or in that of the file name, with progress; returns the proof."""
    return prove(
        tokenizer,
        format_of_name(tokenizer, to, format),
        to,
        text,
        lambda progress: typer.echo(f"{progress.phase} …", err=True),
        allow_differences,
    )


def proof_text(file: Path | None) -> str:
    """Returns the text on which a library has to give the same ids: that of a file, and the sample texts."""
    from tokenarium.resources.samples_index import load_samples

    text = "\n".join(sample.text() for sample in load_samples())
    return text if file is None else text_of(None, file) + text


def proof_values(proof: Proof) -> dict[str, object]:
    """Returns a proof for JSON, with a sentence for each difference."""
    return {
        "files": [str(path) for path in proof.files],
        "differences": [one.sentence for one in proof.differences],
        "library": proof.library,
        "characters": proof.characters,
    }


def as_values(difference: CopyDifference) -> dict[str, str]:
    """Returns a difference of a copy for JSON."""
    names = ("text", "what", "here", "there", "cause")
    return {name: getattr(difference, name) for name in names}


def _list(opened: tc.Tokenizer, as_json: bool) -> None:
    obstacles = {name: obstacle_to(opened, name) for name in EXPORT_FORMATS}
    columns: list[TableColumn[str]] = [
        printed_column("format", str),
        printed_column("what it is", lambda name: EXPORT_FORMATS[name].title, grows=True),
        printed_column("suffix", lambda name: EXPORT_FORMATS[name].suffix),
        printed_column("can be written", lambda name: obstacles[name] or "yes", grows=True),
    ]
    write_answer(as_json, Table(columns, [*obstacles], title=opened.name), lambda _: obstacles)
