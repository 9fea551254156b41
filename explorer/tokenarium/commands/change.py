"""``tokenarium change``: makes a new tokenizer with different special tokens, checked against its library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.change_inputs import CHANGE_FIELDS
from tokenarium.commands.export import destination, proof_text, proof_values, proved
from tokenarium.commands.field_options import with_fields
from tokenarium.commands.shared_options import AllowOption, FormatOption, ToArgument, out_option
from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
    write_json,
)
from tokenarium.models.diagnosis.diagnosis_files import rows_sentence
from tokenarium.models.tokenizers.changed import Changes, without
from tokenarium_core.changing.special_tokens import forgery


@with_fields("out", CHANGE_FIELDS)
def change(
    tokenizer: TokenizerArgument,
    to: ToArgument = None,
    out: Annotated[Path | None, out_option("The file to write.")] = None,
    format: FormatOption = "",
    allow_differences: AllowOption = False,
    file: FileOption = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
    **given: list[str] | None,
) -> None:
    """Adds, renames and removes special tokens, and writes the new tokenizer; all other ids stay.

    The reference library must read the file and give the same ids as before on a test text: the one of --file, and the
    sample texts that come with the program. For each new token, it says whether plain text can forge it.
    """
    with sentences():
        to = destination(to, out, format)
        if to is None:
            raise tc.ArgumentError("Nothing would be kept: name the file to write with --out.")
        opened = tokenizer_of(tokenizer, pattern)
        add, rename, remove = (texts or [] for texts in given.values())
        added = dict(map(_token_and_id, add))
        changes = Changes(added, dict(_old_and_new(one, opened) for one in rename), remove)
        if not changes:
            raise tc.ArgumentError("There is nothing to change: give --add, --rename or --remove.")
        changed = changes.made(opened)
        text = without(proof_text(file), opened, changed)
        if changed.encode_ids(text) != opened.encode_ids(text):
            raise tc.TokenariumError(
                f"With this change, a text without special tokens would get different ids than from {opened.name}."
            )
        proof = proved(changed, to, format, text, allow_differences)
        rows = [
            {
                "token": name,
                "id": changed.special_tokens[name],
                "forgery": forgery(changed, name),
            }
            for name in [*changes.rename.values(), *added]
        ]
        embedding = rows_sentence(opened, changed)
        if as_json:
            write_json(
                {
                    **proof_values(proof),
                    "special_tokens": changed.special_tokens,
                    "changed": rows,
                    "embedding": embedding or None,
                }
            )
            return
        for row in rows:
            typer.echo(f"{row['token']} has the id {row['id']}. {row['forgery']}")
        if embedding:
            typer.echo(embedding)
        typer.echo(proof.sentence)


def _token_and_id(given: str) -> tuple[str, int | None]:
    token, _, id = given.rpartition("=")
    return (token, int(id)) if token and id.isdecimal() else (given, None)


def _old_and_new(given: str, opened: tc.Tokenizer) -> tuple[str, str]:
    """Returns the two names; either may hold “=”, so the old one is looked for among the special tokens."""
    for index, character in enumerate(given):
        if character == "=" and given[:index] in opened.special_tokens:
            return given[:index], given[index + 1 :]
    raise tc.ArgumentError(
        f"{given!r} does not begin with a special token of {opened.name} and “=”: write --rename OLD=NEW."
    )
