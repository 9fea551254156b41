"""``tokenarium prune``: removes entries from a tokenizer, checked against its library, or shows each size's cost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.analyses.prune_inputs import PRUNE_FIELDS
from tokenarium.commands.export import destination, proof_text, proof_values, proved
from tokenarium.commands.field_options import with_fields
from tokenarium.commands.shared_options import (
    AllowOption,
    FieldOption,
    FormatOption,
    ToArgument,
    out_option,
)
from tokenarium.commands.terminal import (
    FileOption,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_json,
    write_stage,
    write_table,
)
from tokenarium.models.csv_text import csv_text
from tokenarium.models.text.piece import percent
from tokenarium.models.tokenizers.pruned import (
    Removal,
    UsageTexts,
    check_pieces,
    pruning_of,
    read_usage,
    run_pruning,
)
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.models.typed_numbers import parsed_part
from tokenarium_core.changing.pruning import Pruned, Pruning, pruned
from tokenarium_core.changing.residues import residues
from tokenarium_core.changing.token_usage import TokenUsage
from tokenarium_core.whole_files import write_files

SIZES = 12
"""Rows of the table of costs."""

SHOWN = 10
"""How many residues, and entries that are removed first, are named; JSON has all."""


@with_fields("multiple_of", PRUNE_FIELDS)
def prune(
    tokenizer: TokenizerArgument,
    to: ToArgument = None,
    out: Annotated[
        Path | None, out_option("The file to write. Without it, the cost of each size is shown.")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="Texts whose use of the entries decides: files in any form that train reads, folders, patterns, or one"
            " file of counts; may be repeated."
        ),
    ] = None,
    to_size: Annotated[
        str | None,
        typer.Option(
            metavar="ENTRIES",
            help="How many entries to keep, such as 32k, or which share of them, such as 50%; the least used are removed.",
        ),
    ] = None,
    multiple_of: Annotated[
        int,
        typer.Option(
            min=1, help="Make the number of entries a multiple of this, such as 64 or 128."
        ),
    ] = 1,
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a row for each old id: its entry, its new id if it has one, and why it was removed. A .json file contains"
            " the same as an object.",
        ),
    ] = None,
    format: FormatOption = "",
    allow_differences: AllowOption = False,
    field: FieldOption = "text",
    file: FileOption = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
    **removed: Any,
) -> None:
    """Removes the entries that texts use least, all that they never use, or all of a script; writes the new tokenizer.

    A text keeps its pieces if none of its tokens is removed. The reference library must read the file and give the same
    ids on a test text: the one of --file, and the sample texts that come with the program. Without --corpus, the last
    merges are removed first. Without a file to write, the table says what each size costs.
    """
    with sentences():
        to = destination(to, out, format)
        opened = tokenizer_of(tokenizer, pattern)
        sources = tuple(replace(one, weight=None) for one in named_sources(corpus or [], field))
        size = None if to_size is None else parsed_part(to_size, len(opened.vocabulary))
        scripts = tuple(removed.pop("script") or ())
        wanted = Removal(size, multiple_of, scripts, **removed)
        usage = read_usage(opened, UsageTexts(sources), write_stage)
        if to is None:
            text = text_of(None, file) if file is not None else ""
            _show_costs(opened, usage, text, as_json)
            return
        if not wanted.description:
            raise tc.ArgumentError(
                "There is nothing to remove: give --to-size, --multiple-of, --script or --never-used."
            )
        pruning = pruning_of(opened, usage, wanted)
        run_pruning(pruning, write_stage)
        write_stage(None)
        found = pruned(pruning, wanted.keep_ids)
        text = proof_text(file)
        same = check_pieces(opened, found, text)
        proof = proved(found.tokenizer, to, format, text, allow_differences)
        if mapping is not None:
            write_files({mapping: mapping_of(opened, found, mapping.suffix.lower() == ".json")})
        if as_json:
            write_json(
                {
                    **proof_values(proof),
                    "entries": pruning.entries - len(found.removed),
                    "removed": len(found.removed),
                    "reasons": {
                        one: found.reasons.count(one) for one in dict.fromkeys(found.reasons)
                    },
                    "tokens": {"before": found.tokens_before, "after": found.tokens},
                    "lines_with_the_same_pieces": same,
                    "mapping": str(mapping) if mapping is not None else None,
                }
            )
            return
        reasons = ", ".join(
            f"{found.reasons.count(one):,} by {one}" for one in dict.fromkeys(found.reasons)
        )
        typer.echo(
            f"{len(found.removed):,} of {pruning.entries:,} entries were removed ({reasons}); {pruning.entries - len(found.removed):,} remain."
        )
        if usage is not None:
            typer.echo(f"The texts cost {_costs(found.tokens_before, found.tokens)}.")
        typer.echo(proof.sentence)
        if mapping is not None:
            typer.echo(f"{mapping} has a row for each old id.")


def _costs(before: int, after: int) -> str:
    more = after - before
    share = percent(more / max(before, 1))
    return f"{after:,} tokens instead of {before:,}: {more:,} more ({share})"


def _show_costs(opened: tc.Tokenizer, usage: TokenUsage | None, text: str, as_json: bool) -> None:
    """Writes what the texts cost at some sizes, which entries are removed first, and which are only steps to others."""
    if usage is None:
        raise tc.ArgumentError(
            "The cost of a size depends on texts: give some with --corpus. To write a tokenizer, name its file."
        )
    pruning = Pruning(opened, usage, text)
    run_pruning(pruning, write_stage)
    write_stage(None)
    try:
        steps = residues(usage)
    except tc.UnsupportedError:
        steps = []
    surface = opened.vocabulary.surface
    never = next((place for place, one in enumerate(pruning.uses) if one), len(pruning.uses))
    if as_json:
        write_json(
            {
                "tokenizer": opened.name,
                "entries": pruning.entries,
                "smallest": pruning.smallest,
                "never_used": never,
                "tokens": pruning.tokens,
                "text_tokens": pruning.text_tokens if text else None,
                "removed": [
                    {"id": id, "entry": surface(id), "uses": uses}
                    for id, uses in zip(pruning.removed, pruning.uses, strict=True)
                ],
                "residues": [
                    {"id": one.id, "entry": surface(one.id), "made": one.made, "used": one.used}
                    for one in steps
                ],
            }
        )
        return
    first = pruning.tokens[0]
    rows = []
    for size in shown_sizes(pruning.entries, pruning.smallest, never):
        tokens = pruning.tokens_at(size)
        row = [f"{size:,}", f"{tokens:,}", percent((tokens - first) / max(first, 1))]
        rows.append([*row, f"{pruning.text_tokens_at(size):,}"] if text else row)
    columns = [("entries", True), ("tokens\nof the texts", True), ("more", True)]
    if text:
        columns.append(("tokens\nof the file", True))
    title = f"{opened.name}: {pruning.entries:,} entries, {pruning.smallest:,} of which must stay"
    write_table(columns, rows, title)
    typer.echo(f"{never:,} entries are never used, and can be removed at no cost.")
    names = " ".join(repr(surface(id)) for id in pruning.removed[never : never + SHOWN])
    if names:
        typer.echo(f"Of the used entries, these are removed first: {names}")
    if steps:
        share = percent(len(steps) / max(pruning.entries, 1))
        names = " ".join(repr(surface(one.id)) for one in steps[:SHOWN])
        typer.echo(f"{len(steps):,} entries ({share}) are only steps to others: {names}")


def shown_sizes(entries: int, smallest: int, never_used: int) -> list[int]:
    """Returns the sizes of the table, the largest first: all entries, all used ones, and more at equal ratios."""
    used = entries - never_used
    sizes = {entries, used, smallest}
    for step in range(1, SIZES):
        sizes.add(round(used * (max(smallest, 1) / max(used, 1)) ** (step / SIZES)))
    return sorted((one for one in sizes if smallest <= one <= entries), reverse=True)


def mapping_of(old: tc.Tokenizer, found: Pruned, as_json: bool) -> bytes:
    """Returns the table of all old ids, as CSV or as JSON in UTF-8."""
    reasons = dict(zip(found.removed, found.reasons, strict=True))
    rows = [
        (id, old.vocabulary.surface(id), new, reasons.get(id, ""))
        for id, new in enumerate(found.ids)
        if new >= 0 or id in reasons
    ]
    if as_json:
        content = {
            "old": old.name,
            "ids": [
                {
                    "id": id,
                    "entry": entry,
                    "new_id": new if new >= 0 else None,
                    "reason": reason or None,
                }
                for id, entry, new, reason in rows
            ],
        }
        return json.dumps(content, ensure_ascii=False, indent=0).encode() + b"\n"
    lines = [(id, entry, new if new >= 0 else "", reason) for id, entry, new, reason in rows]
    written = csv_text([("id", "entry", "new_id", "reason"), *lines], quoted=True)
    return written.encode("utf-8", "surrogatepass")
