"""``tokenarium count``: counts the words of a corpus, so that tokenizers are trained from the counts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, facts_table, printed_column
from tokenarium.analyses.training_inputs import LENGTHS
from tokenarium.commands.field_options import with_fields
from tokenarium.commands.shared_options import EncodingOption, TrainingOption
from tokenarium.commands.terminal import (
    MOST_NOTES,
    JsonOption,
    bar_news,
    byte_progress,
    end_partly,
    sentences,
    write_json,
    write_notes,
    write_tables,
)
from tokenarium.commands.training_output import TrainingOutput, run_training
from tokenarium.models.corpora.counted_corpus import (
    CountFolder,
    CountingOrder,
    groups_of_parts,
    parts_to_count,
    with_cuts,
)
from tokenarium.models.machine import machine_name
from tokenarium.models.text.piece import percent, readable
from tokenarium.models.training.corpus import parsed_bytes
from tokenarium.models.training.corpus_files import Skipped
from tokenarium.models.training.corpus_filters import Filters, Sieve
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.models.training.corpus_parts import CorpusPart
from tokenarium.models.training.counted import (
    CountedFacts,
    Group,
    is_counts,
)
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_run import counted_run
from tokenarium.work.cluster import Cluster
from tokenarium.work.corpus_counting import count_groups, find_repeated
from tokenarium_core.command_values import (
    check_algorithm,
    option_values,
)
from tokenarium_core.training import ALGORITHMS, FORMER_NAMES, Value
from tokenarium_core.training.word_counts import merge_files


@with_fields("unique", LENGTHS)
def count(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, patterns such as 'texts/**/*.txt', or: library (this Python's own sources). Files of"
            " counts are merged."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="The file of the counts.")],
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help=f"One of {', '.join(ALGORITHMS)}.")
    ] = "bpe",
    option: TrainingOption = None,
    field: Annotated[
        str, typer.Option(help="The field of JSON lines that holds the text.")
    ] = "text",
    encoding: EncodingOption = "",
    memory: Annotated[
        str,
        typer.Option(
            help="How much memory the words may need in each worker; more are kept on the disk and merged."
        ),
    ] = "1GB",
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that count; more than 1 needs Dask.")
    ] = 1,
    cluster: Annotated[
        str,
        typer.Option(
            help="The address of a running Dask scheduler; its workers read the corpus from the same paths."
        ),
    ] = "",
    unique: Annotated[
        bool,
        typer.Option(
            "--unique", help="Count only the first of identical documents; reads the corpus twice."
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop at the first part of the corpus that cannot be read."),
    ] = False,
    as_json: JsonOption = False,
    **lengths: Any,
) -> None:
    """Counts the words of a corpus, from which tokenizers of any size are trained, as if from the corpus.

    The parts of a corpus can be counted on different computers and merged in any order. If a long count is interrupted,
    the same command continues it.
    """
    with sentences():
        check_algorithm(algorithm)
        if not out.parent.is_dir():
            raise tc.TokenariumError(
                f"The folder {out.parent} does not exist: make it, or choose another."
            )
        if out.exists() and not is_counts(out):
            raise tc.TokenariumError(
                f"{out} exists but contains no counts: choose another name, or remove it."
            )
        started = time.perf_counter()
        counted = [value for value in sources if is_counts(value)]
        if counted and len(counted) < len(sources):
            raise tc.TokenariumError(
                "Files of counts and texts cannot be mixed: count the texts first, then merge all counts."
            )
        if counted:
            if option:
                raise tc.TokenariumError(
                    "Counts keep the options they were made with: leave --option out."
                )
            merge_files(counted, out)
            _write_made(tc.WordCounts.load(out), out, len(counted), started, 0, as_json)
            return
        filters = Filters(unique, **lengths)
        filters.check()
        parts, skipped = parts_to_count(
            [replace(source, weight=None) for source in named_sources(sources, field, encoding)]
        )
        order = CountingOrder(
            algorithm,
            tuple(given_values(algorithm, option or []).items()),
            parsed_bytes(memory),
            filters,
            strict,
        )
        if strict and skipped:
            raise tc.TokenariumError(
                f"{skipped[0].path}: {skipped[0].reason} Nothing is counted, as --strict was given."
            )
        tc.WordCounts(algorithm, **dict(order.options))  # refuses what cannot be counted
        number, read, notes = _count_into(order, parts, out, Cluster(workers, cluster), skipped)
        _write_made(tc.WordCounts.load(out), out, number, started, read, as_json, notes)
        end_partly(bool(notes))


def given_values(algorithm: str, given: Sequence[str]) -> dict[str, Value]:
    """Returns the options given as NAME=VALUE; raises TokenariumError for unknown names and impossible values."""
    values = option_values(algorithm, given)
    names = [item.partition("=")[0] for item in given]
    return {name: values[name] for name in (FORMER_NAMES.get(name, name) for name in names)}


def _count_into(
    order: CountingOrder,
    parts: Sequence[CorpusPart],
    out: Path,
    cluster: Cluster,
    skipped: Sequence[Skipped],
) -> tuple[int, int, list[str]]:
    """Counts a corpus into a file with a progress bar, and reports what was not read.

    Returns the number of groups, the bytes read from the disk by this run, and sentences about missing text.
    """
    folder = CountFolder(order, out)
    groups = groups_of_parts(parts)
    cluster.limit(len(groups))
    with byte_progress("counting", sum(group.size for group in groups)) as bar, cluster:
        news = bar_news(bar)
        if order.filters.unique:
            repeated = find_repeated(order.filters, parts, cluster, news)
            groups = with_cuts(groups, repeated, [()] * len(parts))
        already = {index for index, group in enumerate(groups) if folder.kept(group)}
        if already:
            typer.echo(
                f"{len(already):,} of {len(groups):,} groups were already counted.", err=True
            )
        failures, faults = count_groups(order, groups, folder, cluster, news)
    counted = [(group, one) for group, one in zip(groups, failures, strict=True) if one is not None]
    missing = [f"{file.place}: {file.reason}" for file in skipped if file.fault]
    missing += [note for group, one in counted for note in one.notes(group)]
    notes = missing + [f"{file.place}: {file.reason}" for file in skipped if not file.fault]
    sieve = Sieve(order.filters, 0)
    sieve.repeated, sieve.short, sieve.long = (
        sum(one.left_out[at] for _, one in counted) for at in range(3)
    )
    write_notes([*notes, *sieve.notes])
    write_notes(faults, "red")
    if faults:
        raise tc.TokenariumError(
            f"{len(faults)} of {len(groups)} groups are not counted. The others are kept in {folder.path}: the same command"
            " tries the missing ones again."
        )
    if not any(one.documents for _, one in counted):
        folder.remove()
        raise tc.TokenariumError(
            " ".join(["Nothing was read from the corpus.", *notes[:MOST_NOTES]])
        )
    folder.finish(groups)
    read = sum(group.size for index, group in enumerate(groups) if index not in already)
    return len(groups), read, missing


def _write_made(
    counts: tc.WordCounts,
    out: Path,
    merged: int,
    started: float,
    read: int,
    as_json: bool,
    notes: Sequence[str] = (),
) -> None:
    seconds = time.perf_counter() - started
    if as_json:
        write_json(
            {
                **_sums(counts),
                "merged": merged,
                "notes": list(notes),
                "file": str(out),
                "size": out.stat().st_size,
                "seconds": round(seconds, 3),
                "machine": machine_name(),
            }
        )
        return
    rows = [
        *_facts(counts),
        *([("Merged", f"{merged:,} files")] if merged > 1 else []),
        ("Time", f"{seconds:.1f} s" + (f", {read / 1e6 / seconds:,.0f} MB/s" if read else "")),
        ("File", f"{out} ({out.stat().st_size / 1e6:,.1f} MB)"),
    ]
    write_tables(facts_table(rows, out.name))


def _sums(counts: tc.WordCounts) -> dict[str, object]:
    """Returns the summary of all counts for JSON."""
    return {
        "family": counts.family,
        "options": counts.options,
        "words": counts.total,
        "different": len(counts),
        "regions": counts.region_count,
        "bytes": counts.byte_count,
        "texts": counts.texts,
        "left_out": {"too_long": counts.too_long, "reserved": counts.reserved},
    }


def _facts(counts: tc.WordCounts) -> list[tuple[str, str]]:
    """Returns how much was counted, in rows."""
    left = counts.too_long + counts.reserved
    return [
        ("Words", f"{counts.total:,}"),
        ("Different", f"{len(counts):,}"),
        *([("Regions", f"{counts.region_count:,}")] if counts.region_count else []),
        ("Bytes", f"{counts.byte_count:,}"),
        ("Texts and parts", f"{counts.texts:,}"),
        *([("Lines left out", f"{left:,}")] if left else []),
    ]


def train_counted(request: TrainingRequest, output: TrainingOutput) -> None:
    """Trains a tokenizer from files of counts, as `train` does from texts; Ctrl+C ends it early."""
    output.check()
    started = time.perf_counter()
    run = counted_run(request)
    complete = run_training(run)
    counts = run.counts
    assert counts is not None
    values = {"words": counts.total, "different": len(counts), "texts": counts.texts}
    output.write(run, complete, started, values, _facts(counts))


def write_counts(path: str, most: int, as_json: bool) -> None:
    """Writes what a file of counts contains: its most frequent words, lengths, scripts, growth, and its options."""
    counts = tc.WordCounts.load(path)
    facts = CountedFacts(counts)
    frequent = facts.most_frequent(most)
    lengths, scripts, growth, exponent = (
        facts.lengths(),
        facts.scripts(),
        facts.growth(),
        facts.exponent(),
    )
    if as_json:
        write_json(
            {
                **_sums(counts),
                "most_frequent": [
                    {"word": word.decode("utf-8", "replace"), "count": number}
                    for word, number in frequent
                ],
                "lengths": [_as_values(length) for length in lengths],
                "scripts": [_as_values(script) for script in scripts],
                "scripts_of": facts.looked_at,
                "growth": [{"words": words, "different": round(seen)} for words, seen in growth],
                "exponent": exponent,
            }
        )
        return
    words: list[TableColumn[tuple[bytes, int]]] = [
        printed_column("word", lambda row: readable(row[0]), grows=True),
        printed_column("count", lambda row: row[1], COUNT),
        printed_column("share", lambda row: row[1] / max(facts.total, 1), percent),
    ]
    options: list[TableColumn[tuple[str, Value]]] = [
        printed_column("option", lambda row: row[0]),
        printed_column("value", lambda row: _shown(row[1]), grows=True),
    ]
    growing: list[TableColumn[int]] = [
        printed_column("words", lambda place: growth[place][0], COUNT),
        printed_column("different", lambda place: growth[place][1], "{:,.0f}".format),
        printed_column("words for\na new one", lambda place: _new_words(growth, place), str),
    ]
    part = (
        "" if facts.looked_at == len(counts) else f" of the {facts.looked_at:,} most frequent words"
    )
    law = (
        ""
        if exponent is None
        else f"; at the end they grow as words to the power of {exponent:.2f}"
    )
    write_tables(
        facts_table([("Of", counts.family), *_facts(counts)], Path(path).name),
        Table(options, [*counts.options.items()], title="Counted with"),
        Table(words, frequent, title=f"The {len(frequent):,} most frequent words"),
        _groups_table("bytes", lengths, facts.total, "Lengths"),
        _groups_table("script", scripts, facts.total, f"Scripts{part}"),
        Table(growing, range(len(growth)), title=f"Growth of distinct words{law}"),
    )


def _new_words(growth: Sequence[tuple[int, float]], place: int) -> str:
    """Returns how many words there were for each new one since the previous point."""
    if place == 0:
        return ""
    (words, seen), (before, known) = growth[place], growth[place - 1]
    return f"{(words - before) / (seen - known):,.1f}" if seen - known >= 1 else "–"


def _groups_table(head: str, groups: Sequence[Group], total: int, title: str) -> Table[Group]:
    columns: list[TableColumn[Group]] = [
        printed_column(head, lambda row: row.name),
        printed_column("different", lambda row: row.different, COUNT),
        printed_column("occurrences", lambda row: row.occurrences, COUNT),
        printed_column("share", lambda row: row.occurrences / max(total, 1), percent),
    ]
    return Table(columns, groups, title=title)


def _as_values(group: Group) -> dict[str, str | int]:
    return {"name": group.name, "different": group.different, "occurrences": group.occurrences}


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(value) or "none"
    return str(value) or '""'
