"""``tokenarium inspect``: what a tokenizer is made of, and single entries of its vocabulary."""

from __future__ import annotations

import os
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, facts_table, printed_column
from tokenarium.commands.terminal import (
    DecimalOption,
    JsonOption,
    PatternOption,
    TokenizerArgument,
    byte_values,
    sentences,
    tokenizer_of,
    write_answer,
    write_json,
    write_table,
    write_tables,
)
from tokenarium.models.scripts.vocabulary_scripts import (
    CLASS_NAMES,
    VocabularyScripts,
    largest_first,
)
from tokenarium.models.text.byte_table import HEADS, byte_level, byte_rows, table_values
from tokenarium.models.text.piece import NumberBase, byte_numbers, json_score, percent, readable
from tokenarium.models.tokenizers.picky_events import event_rows, events_title
from tokenarium.models.tokenizers.tokenizer_facts import (
    SHOWN,
    added_tokens,
    as_values,
    facts,
    written,
)
from tokenarium.models.training.counted import is_counts
from tokenarium.models.vocabulary.padded_sizes import padded_sizes
from tokenarium.models.vocabulary.vocabulary_columns import NO_RANK, VocabularyColumns
from tokenarium_core.command_values import entry_of
from tokenarium_core.details import Source
from tokenarium_core.explaining import merge_path
from tokenarium_core.models import PickyBpe

LARGEST_HASHED = 1 << 30
"""The most bytes of a file whose hash is shown: the model in a GGUF file may have a hundred times as many."""


def inspect(
    tokenizer: TokenizerArgument,
    entries: Annotated[
        list[str] | None,
        typer.Argument(
            help="Entries to look up, by id, by text, or as files spell them (Ġthe, ▁the, ##ing)."
        ),
    ] = None,
    pattern: PatternOption = "",
    scripts: Annotated[
        bool,
        typer.Option(
            "--scripts", help="How the entries and their bytes are distributed over scripts."
        ),
    ] = False,
    merges: Annotated[
        bool,
        typer.Option(
            "--merges",
            help="The merges with their ids, in the order in which they are made; of PickyBPE, all merges and removals.",
        ),
    ] = False,
    byte_ids: Annotated[
        bool,
        typer.Option(
            "--bytes", help="The 256 bytes: their characters in GPT-2's alphabet, and their ids."
        ),
    ] = False,
    padded: Annotated[
        list[int] | None,
        typer.Option(
            metavar="MULTIPLE", help="The size padded to a multiple, such as 64; may be repeated."
        ),
    ] = None,
    width: Annotated[
        int,
        typer.Option(
            min=0,
            help="The width of a model, for the parameters of its embedding.",
            show_default=False,
        ),
    ] = 0,
    most_rows: Annotated[
        int, typer.Option("--rows", min=0, help="The most words of a file of counts; 0 for all.")
    ] = 20,
    decimal: DecimalOption = False,
    as_json: JsonOption = False,
) -> None:
    """Writes the stages, the vocabulary and the stored settings of a tokenizer, or some of its entries.

    The rank of an entry is that of the first merge that makes it: merges are made in the order of their ranks. An entry
    that does not exist is named on the standard error, and the exit code is 1. For a file of counts (see tokenarium
    count), it writes the most frequent words, their lengths and scripts, and how the number of distinct words grows.
    """
    with sentences():
        NumberBase.decimal = decimal
        if entries and (scripts or merges or byte_ids):
            option = "--scripts" if scripts else "--merges" if merges else "--bytes"
            raise tc.TokenariumError(f"{option} is about all entries: leave single entries out.")
        if is_counts(tokenizer):
            from tokenarium.commands.count import write_counts

            if entries or scripts or merges or byte_ids:
                raise tc.TokenariumError(
                    f"{tokenizer} contains the counts of a corpus, which have no entries: name no entries."
                )
            write_counts(tokenizer, most_rows, as_json)
            return
        opened = tokenizer_of(tokenizer, pattern)
        if entries:
            _write_entries(opened, entries, as_json)
            return
        if scripts:
            _write_scripts(opened, as_json)
            return
        if byte_ids:
            _write_bytes(opened, as_json)
            return
        if merges:
            _write_merges(opened, as_json)
            return
        multiples = tuple(dict.fromkeys(padded or (64, 128)))
        sections = facts(opened, opened.name, tokenizer, _digests(opened.source), multiples, width)
        if as_json:
            write_json(
                {
                    **as_values(sections),
                    "Padded sizes": [
                        {
                            "multiple": size.multiple,
                            "rows": size.rows,
                            "unused": size.unused,
                            **({"parameters": size.parameters(width)} if width else {}),
                        }
                        for size in padded_sizes(opened, multiples)
                    ],
                    "Added tokens": added_tokens(opened),
                }
            )
            return
        for head, rows in written(sections):
            write_tables(facts_table([(name, _shortened(value)) for name, value in rows], head))


def _shortened(value: str) -> str:
    """Returns at most `SHOWN` lines of a value; JSON has all of them."""
    lines = value.splitlines()
    if len(lines) <= SHOWN:
        return value
    return "\n".join([*lines[:SHOWN], f"… and {len(lines) - SHOWN:,} more"])


def _digests(source: Source) -> list[tuple[str, str]]:
    """Returns the hashes of the files, or why there are none: reading a whole model may take minutes."""
    sizes = [os.path.getsize(file) if os.path.isfile(file) else 0 for file in source.files]
    if max(sizes, default=0) <= LARGEST_HASHED:
        return source.digests()
    return [
        (file.name, f"not computed, since the file is {size / 1e9:,.1f} GB")
        for file, size in zip(source.files, sizes, strict=True)
    ]


def _write_entries(opened: tc.Tokenizer, wanted: list[str], as_json: bool) -> None:
    vocabulary = opened.vocabulary
    found: list[int] = []
    missing: list[str] = []
    for entry in wanted:
        try:
            found.append(entry_of(opened, entry))
        except tc.TokenariumError as error:
            missing.append(str(error))
    known = VocabularyColumns(opened)

    def rank(token: int) -> int | None:
        return None if (found := known.ranks[token]) == NO_RANK else int(found)

    columns: list[TableColumn[int]] = [
        printed_column("id", int, str, json="id"),
        printed_column(None, vocabulary.surface, json="piece"),
        printed_column("entry", lambda row: readable(vocabulary.piece(row)), grows=True),
        printed_column(None, lambda row: byte_values(vocabulary.piece(row)), json="bytes"),
        printed_column("bytes", lambda row: byte_numbers(vocabulary.piece(row)), grows=True),
        printed_column("kind", vocabulary.kind, json="kind"),
    ]
    if known.has_scores:
        scores = vocabulary.scores
        columns += [
            printed_column(None, lambda row: json_score(scores[row]), json="score"),
            printed_column("score", lambda row: scores[row], "{:g}".format),
        ]
    if known.merges is not None:
        columns.append(printed_column("rank", rank, COUNT, json="rank"))
    if as_json or found:
        write_answer(as_json, Table(columns, found))
    if missing:
        raise tc.TokenariumError("\n".join(missing))


def _write_scripts(opened: tc.Tokenizer, as_json: bool) -> None:
    """Writes a row for each script of the entries, the largest first."""
    use = VocabularyScripts(opened.vocabulary)
    order = largest_first([use.counts / max(use.total, 1)])
    total = use.total
    columns: list[TableColumn[int]] = [
        printed_column("script", lambda row: CLASS_NAMES[row], json="script"),
        printed_column("entries", lambda row: int(use.counts[row]), COUNT, "entries"),
        printed_column("share", lambda row: int(use.counts[row]) / total, percent, "share"),
        printed_column("bytes of\nthe entries", lambda row: int(use.byte_counts[row]), COUNT, "bytes"),
        printed_column("bytes/\nentry", lambda row: float(use.mean_bytes[row]), "{:.2f}".format, "bytes_per_entry"),
    ]  # fmt: skip
    write_answer(
        as_json,
        Table(columns, order, title=f"{opened.name}: {total:,} entries"),
        lambda rows: {"tokenizer": opened.name, "entries": total, "scripts": rows},
    )


def _write_bytes(opened: tc.Tokenizer, as_json: bool) -> None:
    """Writes a row for each byte. Raises TokenariumError if the bytes have no ids."""
    if not byte_level(opened):
        raise tc.UnsupportedError(
            f"{opened.name} has no table of bytes: words begin as single bytes only in byte-level BPE."
        )
    rows = byte_rows([opened])
    if as_json:
        write_json(table_values(rows, [opened.name]))
        return
    right = (True, False, False, False, False, True)
    heads = list(zip([*HEADS, "id"], right, strict=True))
    write_table(heads, [row.cells() for row in rows], f"{opened.name}: 256 bytes", wrapping=(2,))


def _write_merges(opened: tc.Tokenizer, as_json: bool) -> None:
    """Writes a row for each merge: (left id, right id) → id, and the texts; for PickyBPE, removals too."""
    model = opened.model
    if isinstance(model, PickyBpe):
        _write_events(opened.name, model, as_json)
        return
    merges = merge_path.merges(opened)
    if as_json:
        write_json([{"left": left, "right": right, "id": made} for left, right, made in merges])
        return
    vocabulary = opened.vocabulary

    def entry(token: int) -> str:
        return readable(vocabulary.piece(token)) if token >= 0 else ""

    rows = [
        (f"{rank:,}", f"({left}, {right}) → {made}", f"{entry(left)} + {entry(right)}", entry(made))
        for rank, (left, right, made) in enumerate(merges)
    ]
    heads = [("order", True), ("merge", False), ("of", False), ("entry", False)]
    write_table(heads, rows, f"{opened.name}: {len(rows):,} merges", wrapping=(2, 3))


def _write_events(name: str, model: PickyBpe, as_json: bool) -> None:
    """Writes a row for each merge and removal: its entries, and the result."""
    rows = event_rows(model)
    if as_json:
        write_json([{"event": kind, "of": old, "made": new} for kind, old, new in rows])
        return
    heads = [("order", True), ("event", False), ("of", False), ("made", False)]
    numbered = [(f"{number:,}", *row) for number, row in enumerate(rows)]
    write_table(heads, numbered, events_title(name, model), wrapping=(2, 3))
