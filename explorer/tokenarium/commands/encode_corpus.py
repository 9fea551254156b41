"""``tokenarium encode-corpus``: a corpus as ids on the disk, for training a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.commands.shared_options import EncodingOption
from tokenarium.commands.terminal import (
    FAILED,
    JsonOption,
    TokenizerArgument,
    bar_news,
    byte_progress,
    end_partly,
    path_of,
    sentences,
    tokenizer_of,
    write_answer,
    write_notes,
)
from tokenarium.models.corpora.encoded_corpus import (
    MANIFEST,
    SHARD_BYTES,
    Shard,
    ShardCheck,
    ShardRecord,
    check_shard,
    corpus_parts,
    prepare_folder,
    shards_of,
    write_manifest,
)
from tokenarium.models.corpora.encoding_order import EncodingOrder, encoding_order
from tokenarium.models.training.corpus import parsed_bytes
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.work.cluster import Cluster
from tokenarium.work.corpus_encoding import WrittenShards, write_shards


def encode_corpus(
    tokenizer: TokenizerArgument,
    corpus: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, patterns such as 'texts/**/*.jsonl', addresses, or @list.txt."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder for the shards.")],
    layout: Annotated[
        str,
        typer.Option(
            help="bin: plain ids, as nanoGPT reads them; megatron: .bin and .idx; parquet: a row for each document."
        ),
    ] = "bin",
    end: Annotated[
        str | None,
        typer.Option(
            help="The special token after each document, its id, or: none. By default, the tokenizer's own end-of-text token."
        ),
    ] = None,
    bos: Annotated[
        bool,
        typer.Option(
            "--bos", help="Put the tokenizer's beginning-of-text id before each document."
        ),
    ] = False,
    special: Annotated[
        bool, typer.Option("--special", help="Give special tokens in the text their single id.")
    ] = False,
    field: Annotated[
        str, typer.Option(help="The field of JSON lines that holds the text.")
    ] = "text",
    encoding: EncodingOption = "",
    shard_size: Annotated[
        str,
        typer.Option(
            help="Bytes of the corpus per shard, such as 256MB; files are divided if possible."
        ),
    ] = "",
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that encode; more than 1 needs Dask.")
    ] = 1,
    cluster: Annotated[
        str,
        typer.Option(
            help="The address of a running Dask scheduler; its workers must see the same corpus and folder."
        ),
    ] = "",
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Afterwards, compare hashes and a sample of the documents with the corpus.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Writes the ids of a corpus in shards, with a manifest; continues an interrupted run.

    A file of plain text is a document, and so is each line of JSON lines and each row of a table. What cannot be read
    is named, and the rest is written; the exit code is then 4.
    """
    with sentences():
        opened = tokenizer_of(tokenizer)
        sources = named_sources(corpus, field, encoding)
        parts, skipped = corpus_parts([replace(source, weight=None) for source in sources])
        left_out = [f"{file.place}: {file.reason}" for file in skipped]
        if not parts:
            write_notes(left_out)
            raise tc.TokenariumError("No file of the corpus can be read.")
        order = encoding_order(opened, path_of(tokenizer), out, layout, end, bos, special)
        shards = shards_of(parts, parsed_bytes(shard_size) if shard_size else SHARD_BYTES)
        prepare_folder(order, shards)
        written = _write(order, shards, Cluster(workers, cluster))
        records, faults = written.records, written.faults
        write_notes([*left_out, *(note for record in records for note in record.notes)])
        write_notes(faults, "red")
        if faults:
            raise tc.TokenariumError(
                f"{len(faults)} of {len(shards)} shards are not written. The same command tries them again."
            )
        manifest = write_manifest(order, records, skipped)
        checks = [check_shard(order, shard) for shard in shards] if check else []
        _report(order, records, checks, manifest, as_json)
        if any(one.faults for one in checks):
            raise typer.Exit(FAILED)
        end_partly(
            any(file.fault for file in skipped)
            or any(record.notes or record.left_out for record in records)
        )


def _write(order: EncodingOrder, shards: Sequence[Shard], cluster: Cluster) -> WrittenShards:
    """Writes the shards that are not there yet, with a progress bar."""
    with byte_progress("encoding", sum(shard.size for shard in shards)) as bar:
        written = write_shards(order, shards, cluster, bar_news(bar))
    if written.new:
        size, tokens = (
            sum(getattr(one, name) for one in written.new) for name in ("bytes", "tokens")
        )
        seconds = max(written.seconds, 1e-9)
        rates = f"{size / 1e6 / seconds:,.1f} MB and {tokens / 1e6 / seconds:,.2f} million tokens a second"
        typer.echo(f"Encoded {size / 1e6:,.1f} MB of text in {seconds:,.1f} s: {rates}.", err=True)
    if written.kept:
        typer.echo(f"{written.kept:,} of {len(shards):,} shards already existed.", err=True)
    return written


def _report(
    order: EncodingOrder,
    records: Sequence[ShardRecord],
    checks: Sequence[ShardCheck],
    manifest: Path,
    as_json: bool,
) -> None:
    documents, tokens = (
        sum(getattr(record, name) for record in records) for name in ("documents", "tokens")
    )
    left_out = sum(record.left_out for record in records)
    in_pieces = sum(record.in_pieces for record in records)
    columns: list[TableColumn[ShardRecord]] = [
        printed_column("files", lambda row: ", ".join(file["name"] for file in row.files)),
        printed_column("documents", lambda row: row.documents, COUNT),
        printed_column("tokens", lambda row: row.tokens, COUNT),
        printed_column("bytes per token", lambda row: row.bytes / max(row.tokens, 1), "{:.2f}".format),
        printed_column("size", lambda row: sum(file["size"] for file in row.files) / 1e6, "{:,.1f} MB".format),
    ]  # fmt: skip
    title = f"{order.name}: {tokens:,} tokens of {documents:,} documents, {order.dtype}"
    write_answer(
        as_json,
        Table(columns, records, title=title),
        lambda _: {
            "folder": order.folder,
            "manifest": MANIFEST,
            "documents": documents,
            "tokens": tokens,
            "dtype": order.dtype,
            "left_out": left_out,
            "lines_left_out": sum(record.lines_left_out for record in records),
            "notes": [note for record in records for note in record.notes],
            "checked": sum(check.compared for check in checks),
            "faults": [fault for check in checks for fault in check.faults],
        },
    )
    if as_json:
        return
    if left_out:
        typer.secho(
            f"{left_out:,} documents cannot be encoded, and were left out.", fg="yellow", err=True
        )
    if in_pieces:
        sentence = f"{in_pieces:,} documents are longer than 64 MB, and were encoded in pieces."
        typer.secho(sentence, fg="yellow", err=True)
    if checks:
        _report_checks(checks)
    typer.echo(f"Written: {manifest}")


def _report_checks(checks: Sequence[ShardCheck]) -> None:
    compared = sum(check.compared for check in checks)
    other = sum(check.other_text for check in checks)
    faults = [fault for check in checks for fault in check.faults]
    if not faults:
        typer.echo(f"Checked: all hashes, and {compared:,} documents with their texts.")
    if other:
        typer.echo(
            f"{other:,} of them decode to a different text, since the tokenizer normalizes, or the text is not valid Unicode; their"
            " ids are right."
        )
    write_notes(faults, "red")
