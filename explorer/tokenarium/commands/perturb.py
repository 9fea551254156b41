"""``tokenarium perturb``: what small changes of a text do to its tokens."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_table,
)
from tokenarium.models.text.piece import readable

if TYPE_CHECKING:
    from tokenarium.models.text.perturbing import PerturbRow

SHOWN = 48
"""Bytes of a changed text that the table shows."""


def perturb(
    tokenizer: TokenizerArgument,
    text: Annotated[
        str | None,
        typer.Argument(
            help="The text; without it, the standard input is read.", show_default=False
        ),
    ] = None,
    file: FileOption = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--with", help="Another tokenizer beside it.", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Only this variant, or group of them.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Which letters the typos hit.")] = 1,
    pattern: PatternOption = "",
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Changes a text in small ways, by case, blanks, typos, normal forms, look-alikes and emoji, and compares the tokens.

    The variant with the greatest effect is first: the one that keeps the smallest share of the tokens.
    """
    from tokenarium.models.text.perturbing import MOST, perturb_csv
    from tokenarium.models.text.perturbing import perturb as perturbed

    with sentences():
        opened = {
            name: tokenizer_of(name, pattern)
            for name in dict.fromkeys([tokenizer, *(against or [])])
        }
        content = text_of(text, file)
        rows = perturbed(content[:MOST], opened, seed, only or [])
        names = {key: one.name for key, one in opened.items()}
        if csv is not None:
            from tokenarium.models.files import write_whole

            write_whole(csv, perturb_csv(rows, names))
        if as_json:
            write_json(
                {
                    "text": content[:MOST],
                    "seed": seed,
                    "variants": [_values(row, names) for row in rows],
                }
            )
            return
        columns = [("variant", False), ("text", False)]
        for name in names.values():
            columns += [(f"{name}: tokens", True), ("difference", True), ("kept", True)]
        lines = [
            [
                row.variant.title,
                readable(row.text.encode("utf-8", "replace"), SHOWN),
                *(cell for key in names for cell in _cells(row, key)),
            ]
            for row in rows
        ]
        title = f"{len(rows)} variants that change the text, seed {seed}"
        write_table(columns, lines, title, wrapping=(1,))


def _cells(row: PerturbRow, key: str) -> list[str]:
    from tokenarium.models.text.perturbing import difference_text

    count = row.counts[key]
    if count.error:
        return ["–", "–", count.error]
    return [count.shown_after, difference_text(count.difference), f"{count.share_kept:.0%}"]


def _values(row: PerturbRow, names: dict[str, str]) -> dict[str, object]:
    return {
        "variant": row.variant.id,
        "group": row.variant.group,
        "text": row.text,
        "tokenizers": [
            {
                "tokenizer": name,
                "tokens": row.counts[key].after,
                "difference": row.counts[key].difference,
                "kept": row.counts[key].kept,
                "share_kept": row.counts[key].share_kept,
                "share_lost": row.counts[key].lost,
            }
            for key, name in names.items()
        ],
    }
