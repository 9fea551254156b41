"""``tokenarium train``: trains a tokenizer on your own texts."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.analyses.training_inputs import HOLD_OUT, MIXING, NAME, VOCAB_SIZE
from tokenarium.commands.field_options import with_fields
from tokenarium.commands.shared_options import (
    AllowOption,
    EncodingOption,
    FieldOption,
    FormatOption,
    TrainingOption,
    out_option,
)
from tokenarium.commands.terminal import (
    FAILED,
    JsonOption,
    bar_news,
    byte_progress,
    end_partly,
    sentences,
    write_answer,
    write_json,
    write_notes,
    write_table,
    write_tables,
)
from tokenarium.commands.train_languages import CommandLanguages
from tokenarium.commands.train_options import list_options
from tokenarium.commands.training_output import STEP_MS, TrainingOutput, run_training
from tokenarium.models.machine import machine_name
from tokenarium.models.training.corpus import MOST_LINES, Corpus, parsed_bytes, share_lines
from tokenarium.models.training.corpus_filters import Filters
from tokenarium.models.training.corpus_lists import (
    exponent_as_temperature,
    groups_of,
    named_sources,
    sources_in_languages,
)
from tokenarium.models.training.counted import is_counts
from tokenarium.models.training.keeping import reading_notes
from tokenarium.models.training.strategy_race import race_text
from tokenarium.models.training.trained_languages import by_language
from tokenarium.models.training.training_algorithms import (
    algorithm_title,
    learns_merges,
)
from tokenarium.models.training.training_request import CountingPlace, TrainingRequest
from tokenarium.models.training.training_run import TrainingRun
from tokenarium.models.training.training_times import (
    MOST_CHARACTERS,
    TimedTraining,
    parsed_sizes,
    time_training,
    times_sentence,
)
from tokenarium_core.command_values import check_algorithm
from tokenarium_core.training import (
    ALGORITHMS,
    PairLedger,
    PairRecord,
    UnigramRecord,
    Value,
)


@with_fields("encoding", MIXING)
def train(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns such as 'texts/**/*.txt', or: library (this Python's own sources)."
            " Or files of counts, made by: tokenarium count."
            " Texts, JSON lines, Parquet, Arrow and folders that datasets saved, also compressed by gzip, bz2, xz or"
            " zstd, and addresses such as s3://… and https://…"
            " SOURCE=0.5 gives its share of the bytes; then each source needs one, and they are divided by their sum."
            " @list.txt names a source in each line, with its weight before it."
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            metavar="LANGUAGE=SOURCE",
            help="A source in a language, such as de=texts/de or sw=sw.txt=0.5, for an algorithm that compares languages:"
            " parity-bpe. May be repeated, also for one language.",
        ),
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            "--dev",
            metavar="LANGUAGE=FILE",
            help="A text in each language, all with the same content, on which the languages are compared. Without it,"
            " these are Tokenarium's own parallel sentences, if it has some in all languages, else the texts that are"
            " trained on; -o dev_set=… chooses.",
        ),
    ] = None,
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help=f"One of {', '.join(ALGORITHMS)}.")
    ] = "bpe",
    vocab_size: Annotated[int, typer.Option("--vocab-size", "-n", help=VOCAB_SIZE.help)] = 8192,
    option: TrainingOption = None,
    options: Annotated[
        bool, typer.Option("--options", help="List the options of the algorithm.")
    ] = False,
    out: Annotated[Path | None, out_option("Write it to a file.")] = None,
    format: FormatOption = "",
    allow_differences: AllowOption = False,
    name: Annotated[str, typer.Option("--name", help=NAME.help)] = "",
    keep: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Keep it in the library of the window.")
    ] = True,
    mix: Annotated[
        list[str] | None,
        typer.Option(
            "--mix",
            metavar="PATTERN",
            help="Each file or folder that matches is a group, such as 'lang/*.jsonl'; --temperature 0.3 makes their"
            " shares more alike. May be repeated.",
        ),
    ] = None,
    field: FieldOption = "text",
    encoding: EncodingOption = "",
    hold_out: Annotated[bool, typer.Option("--hold-out/--no-hold-out", help=HOLD_OUT.help)] = False,
    workers: Annotated[
        int,
        typer.Option(
            min=1,
            help="Processes that count the corpus; more than 1 needs Dask. The result is the same.",
        ),
    ] = 1,
    cluster: Annotated[
        str,
        typer.Option(
            help="The address of a Dask scheduler whose workers count the corpus, which they read from the same places."
        ),
    ] = "",
    table: Annotated[
        str,
        typer.Option(
            help="Only show what the training counted, and keep nothing: pre-tokens, pairs (of unigram: pieces), or"
            " changes, the counts that one merge changed."
        ),
    ] = "",
    after: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The merges, or steps of unigram, after which --table is written; by default, all.",
        ),
    ] = None,
    most_rows: Annotated[
        int, typer.Option("--rows", min=0, help="The most rows of --table; 0 for all.")
    ] = 20,
    times: Annotated[
        str,
        typer.Option(
            metavar="SIZES",
            help="Only measure how long these sizes take, each from scratch, such as '1000 2000 4000'; keeps nothing.",
        ),
    ] = "",
    as_json: JsonOption = False,
    **mixing: Any,
) -> None:
    """Trains a tokenizer. Ctrl+C ends the training early; if the algorithm allows it, --out gets what was learned."""
    with sentences():
        check_algorithm(algorithm)
        if options:
            list_options(algorithm, as_json)
            return
        if format and out is None:
            raise tc.TokenariumError(
                "--format is the format of a file: name the file to write with --out."
            )
        if not corpus and not mix and not language:
            raise tc.TokenariumError(
                "There is nothing to train on: name files or folders, or: library."
            )
        output = TrainingOutput(out, format, allow_differences, keep, as_json)
        place = CountingPlace(workers, cluster)
        written = name.encode(
            "utf-8", "backslashreplace"
        ).decode()  # a terminal may give surrogates
        if corpus and any(map(is_counts, corpus)):
            _check_counted(corpus, algorithm, bool(table or times or mixing["size"]), place)
            from tokenarium.commands.count import given_values, train_counted

            given = given_values(algorithm, option or [])
            train_counted(
                TrainingRequest(
                    written, algorithm, vocab_size, given, (), output.store, counts=corpus
                ),
                output,
            )
            return
        sources = named_sources(corpus or [], field, encoding)
        if mix:
            sources += groups_of(mix, field, encoding)
            mixing["temperature"] = exponent_as_temperature(mixing["temperature"])
        sources += sources_in_languages(language or [], field, encoding)
        languages = CommandLanguages(algorithm, sources, option or [], dev or [])
        if not place.here and (table or times):
            raise tc.TokenariumError(
                "--table and --times need the texts here: leave --workers and --cluster out."
            )
        if times:
            most = parsed_bytes(mixing["size"]) if mixing["size"] else MOST_CHARACTERS
            languages.refuse("--times")
            text = race_text(sources, most)
            _write_times(text, algorithm, times, languages.options, as_json)
            return
        if table:
            languages.refuse("--table")
        else:
            output.check()
        request = TrainingRequest(
            written,
            algorithm,
            vocab_size,
            languages.options,
            sources,
            output.store,
            hold_out=hold_out and not table,
            place=place,
            dev=languages.dev,
            **_mixing(**mixing),
        )
        if table:
            _write_table(request, table, after, most_rows, as_json)
            return
        texts = request.corpus()
        started = time.perf_counter()
        with ExitStack() as closing:
            if place.here:
                _read_corpus(texts, as_json)
                started = time.perf_counter()
                run = TrainingRun(request, texts)
            else:
                from tokenarium.work.counted_training import run_of_counted

                languages.refuse("--workers and --cluster")
                with byte_progress("counting", texts.total) as bar:
                    run = closing.enter_context(run_of_counted(request, texts, bar_news(bar)))
            complete = run_training(run)
        if texts.why_nothing:
            raise tc.TokenariumError(texts.why_nothing)
        _print_left_out(texts)
        held, trainer = run.held, run.trainer
        shares = share_lines(texts.shares) if len(sources) > 1 else ()
        output.write(
            run,
            complete,
            started,
            {
                "documents": texts.documents,
                "characters": texts.characters,
                "fingerprint": texts.fingerprint,
                "shares": [asdict(share) for share in texts.shares],
                "held_out": {
                    "documents": 0 if held is None else len(held.texts),
                    "bytes": 0 if held is None else held.bytes,
                },
                "notes": [*texts.mixing_notes, *filter(None, [texts.damage])],
            },
            [
                ("Documents", f"{texts.documents:,}"),
                ("Characters", f"{texts.characters:,}"),
                *[("Share", line) for line in shares],
                ("Held out", "" if held is None else held.sentence),
            ],
            languages.as_json(trainer),
            languages.sentence(trainer),
        )
        end_partly(bool(texts.damage))


def _mixing(
    size: str, unique: bool, min_characters: int, max_characters: int, **mixing: Any
) -> dict[str, Any]:
    """Returns which part of the sources the options choose, as a request has it."""
    filters = Filters(unique, min_characters, max_characters)
    return {"size": parsed_bytes(size) if size else 0, "filters": filters, **mixing}


def _check_counted(paths: list[str], algorithm: str, other: bool, place: CountingPlace) -> None:
    """Raises TokenariumError for options that cannot be used with files of counts."""
    texts = [path for path in paths if not is_counts(path)]
    if texts:
        raise tc.TokenariumError(
            f"Counts and texts cannot be mixed, and {texts[0]} is a text: count it first with tokenarium count."
        )
    if other:
        raise tc.TokenariumError(
            "--table, --times and --size need the texts, and counts have none: leave them out, or name the texts."
        )
    if by_language(algorithm):
        raise tc.TokenariumError(
            f"{algorithm} takes counts of each language, and a command line cannot say which language counts belong to: train in"
            " Python, counts={'de': …}, or name the texts as --language de=SOURCE."
        )
    if not place.here:
        raise tc.TokenariumError(
            "Counts are merged and trained from here: leave --workers and --cluster out."
        )


def _write_table(
    request: TrainingRequest, name: str, after: int | None, most: int, as_json: bool
) -> None:
    """Trains, and writes one of the tables that the window shows for a training."""
    # The tables need numpy and the models of the player; a training without them does not.
    from tokenarium.models.merges.training_story import story_of

    algorithm = request.algorithm
    record = PairRecord(1, PairLedger()) if learns_merges(algorithm) else UnigramRecord()
    run = TrainingRun(request, record=record)
    if not run_training(run):
        raise typer.Exit(FAILED)
    if run.corpus.why_nothing:
        raise tc.TokenariumError(run.corpus.why_nothing)
    story = story_of(run.trainer, record)
    tables = story.tables
    assert tables is not None, "everything was recorded"
    names = [one.name.lower() for one in tables.tables]
    if isinstance(record, UnigramRecord):
        name = {"pre-tokens": "words", "pairs": "pieces"}.get(name, name)
    if name not in names:
        raise tc.TokenariumError(f"{name!r} is not a table: choose from {', '.join(names)}.")
    if after is not None and after > len(story):
        raise tc.TokenariumError(f"The training had {len(story):,} steps: --after is at most that.")
    tables.go_to(len(story) if after is None else after)
    shown = tables.tables[names.index(name)]
    column, descending = shown.sorted_by
    found = shown.rows(column, descending, "")
    items = (found[:most] if most else found).tolist()
    sentence = shown.sentence(len(found))
    if as_json:
        values = [dict(zip(shown.keys, shown.values(item), strict=True)) for item in items]
        write_json({"step": tables.step, "said": sentence, "count": len(found), "rows": values})
        return
    columns = [(title, place in shown.numbers) for place, title in enumerate(shown.titles)]
    cells = [[shown.cell(item, place) for place in range(len(columns))] for item in items]
    words = [place for place in range(len(columns)) if place not in shown.numbers]
    write_table(
        columns, cells, f"After {tables.step:,} of {len(story):,} steps: {sentence}", wrapping=words
    )


def _write_times(
    text: str,
    algorithm: str,
    sizes: str,
    options: dict[str, Value],
    as_json: bool,
) -> None:
    """Trains each size, and writes the machine and how long it took."""
    if not text:
        raise tc.TokenariumError("There is no text to train on: choose another source.")
    found = [
        one
        for size in parsed_sizes(sizes)
        if (one := time_training(text, algorithm, size, options)) is not None
    ]
    columns: list[TableColumn[TimedTraining]] = [
        printed_column("Entries", lambda one: one.entries, COUNT),
        printed_column("Time", lambda one: one.seconds, "{:.2f} s".format),
    ]
    title = (
        f"{algorithm_title(algorithm)} on {found[0].size / 1e6:,.2f} MB: {times_sentence(found)}"
    )
    write_answer(
        as_json,
        Table(columns, found, title=title),
        lambda _: {"machine": machine_name(), "trainings": [asdict(one) for one in found]},
    )


def _read_corpus(texts: Corpus, as_json: bool) -> None:
    """Counts the text of a mixed corpus, and shows the shares that each source will have."""
    if not texts.mixes:
        return
    with byte_progress("counting the text of each source", max(texts.total // 2, 1)) as bar:
        shown = 0.0

        def look() -> None:
            nonlocal shown
            if time.monotonic() - shown > STEP_MS / 1000:
                shown = time.monotonic()
                bar.update(bar.task_ids[0], completed=texts.done)

        texts.counting = look
        texts.mix()
    mixture = texts.mixture
    if as_json or mixture is None:
        return
    whole = max(sum(mixture.there), 1)
    ordered = sorted(
        zip(mixture.names, mixture.there, mixture.wanted, mixture.shares, strict=True),
        key=lambda one: -one[3],
    )
    columns: list[TableColumn[tuple[str, int, int, float]]] = [
        printed_column("source", lambda one: one[0], grows=True),
        printed_column("bytes", lambda one: one[1], COUNT),
        printed_column("of all", lambda one: one[1] / whole, "{:.1%}".format),
        printed_column("taken", lambda one: one[2], COUNT),
        printed_column("of the corpus", lambda one: one[3], "{:.1%}".format),
    ]
    write_tables(Table(columns, ordered[:MOST_LINES], title="Shares"))
    if len(ordered) > MOST_LINES:
        typer.echo(f"And {len(ordered) - MOST_LINES:,} more sources.")


def _print_left_out(texts: Corpus) -> None:
    """Prints which parts of the corpus were skipped or changed, and why."""
    write_notes(list(reading_notes(texts)))
    if texts.damage:
        typer.secho(texts.damage, fg="yellow", err=True)
