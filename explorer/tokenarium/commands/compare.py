"""``tokenarium compare``: how many tokens several tokenizers need for the same text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_table,
)
from tokenarium.models.text.share_text import percent
from tokenarium.models.text.unknown_text import SIGN, is_doubtful, unknown_share
from tokenarium.models.tokenizers.tokenizer_names import tell_apart

Row = dict[str, str | float | None]

UNKNOWN_TEXT = (
    f"{SIGN} Part of the text became unknown tokens. One stands for a whole word or character that the vocabulary lacks,"
    " so these figures look better than they are."
)


def compare(
    tokenizers: Annotated[
        list[str],
        typer.Argument(
            help="Tokenizers: files, folders, names of encodings or trained ones.",
            show_default=False,
        ),
    ],
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            "-t",
            help="The text; without it and a file, the standard input.",
            show_default=False,
        ),
    ] = None,
    file: FileOption = None,
    as_json: JsonOption = False,
) -> None:
    """Writes a row for each tokenizer: tokens, bytes and characters a token, vocabulary used, round trip."""
    with sentences():
        opened = [tokenizer_of(name) for name in tokenizers]
        tell_apart(opened)
        content = text_of(text, Path(file) if file else None)
        size = len(content.encode("utf-8", "surrogatepass"))
        rows: list[Row] = []
        for tokenizer in opened:
            ids = tokenizer.encode_ids(content)
            share = unknown_share(tokenizer, [content])
            rows.append(
                {
                    "tokenizer": tokenizer.name,
                    "vocabulary": len(tokenizer.vocabulary),
                    "tokens": len(ids),
                    "bytes_per_token": size / len(ids) if ids else None,
                    "characters_per_token": len(content) / len(ids) if ids else None,
                    "entries_used": len(set(ids)),
                    "unknown_text": share,
                    "round_trip": tokenizer.decode(ids) == content,
                }
            )
        if as_json:
            write_json({"bytes": size, "characters": len(content), "rows": rows})
            return
        columns = [
            ("tokenizer", False),
            ("entries", True),
            ("tokens", True),
            ("bytes\n/token", True),
            ("chars\n/token", True),
            ("entries\nused", True),
            ("unknown\ntext", True),
            ("round\ntrip", False),
        ]
        shown = [
            (
                str(row["tokenizer"]),
                f"{row['vocabulary']:,}",
                _sign(row) + f"{row['tokens']:,}",
                _sign(row) + _ratio(row["bytes_per_token"]),
                _sign(row) + _ratio(row["characters_per_token"]),
                f"{row['entries_used']:,}",
                percent(float(row["unknown_text"] or 0)),
                "yes" if row["round_trip"] else "no",
            )
            for row in rows
        ]
        title = f"{size:,} bytes, {len(content):,} characters"
        write_table(columns, shown, title)
        if any(map(_sign, rows)):
            typer.echo(UNKNOWN_TEXT)


def _sign(row: Row) -> str:
    return f"{SIGN} " if is_doubtful(float(row["unknown_text"] or 0)) else ""


def _ratio(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "none"
