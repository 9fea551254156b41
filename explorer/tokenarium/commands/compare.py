"""``tokenarium compare``: how many tokens several tokenizers need for the same texts, by file, language and script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import tokenarium_core as tc
from tokenarium.analyses.costs import cost_table, costs_of
from tokenarium.analyses.figure_rows import FigureRow, figure_notes, figure_table, shown_figure
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.commands.evaluate_study import (
    results_of,
    write_results,
)
from tokenarium.commands.price_options import CurrencyOption, PriceOption, price_list
from tokenarium.commands.shared_options import FieldOption
from tokenarium.commands.terminal import (
    MOST_NOTES,
    JsonOption,
    TextOption,
    TokenizersArgument,
    bar_news,
    byte_progress,
    end_partly,
    path_of,
    sentences,
    text_of,
    tokenizer_of,
    write_answer,
    write_json,
    write_notes,
    write_table,
    write_tables,
)
from tokenarium.models.compare.comparing import ParallelCounts, named_parts
from tokenarium.models.compare.intervals import RESAMPLES, SIGNIFICANCE
from tokenarium.models.compare.kept_lines import LanguageTexts
from tokenarium.models.compare.language_premiums import (
    PremiumEstimate,
    language_gini,
    language_premiums,
    language_table,
)
from tokenarium.models.compare.metrics import Figures
from tokenarium.models.compare.parallel_texts import ParallelText, aligned, of_folder, shipped
from tokenarium.models.compare.part_tallies import PIECE, PartTallies, tally_part
from tokenarium.models.compare.prices import PriceList
from tokenarium.models.compare.tally import Tally, measured, tally
from tokenarium.models.compare.two_texts import (
    FORMS,
    HEADS,
    lost_sentence,
    pair_cells,
    pair_count,
    pair_sentence,
    pair_values,
    text_size,
)
from tokenarium.models.corpora.encoded_corpus import corpus_parts
from tokenarium.models.corpora.encoding_order import tokenizer_fingerprint
from tokenarium.models.files import write_whole
from tokenarium.models.scripts.text_scripts import CountedTokens, TokenScripts, text_scripts
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES
from tokenarium.models.studies.study_file import StudyTokenizer
from tokenarium.models.studies.study_making import IntervalSettings, study_of, with_hashes
from tokenarium.models.text.lost_text import LOST_TEXT, SIGN
from tokenarium.models.text.piece import percent
from tokenarium.models.text.text_file import TextFileError
from tokenarium.models.tokenizers.tokenizer_names import tell_apart
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.models.training.corpus_parts import CorpusPart
from tokenarium.models.training.keeping import reading_notes
from tokenarium.work.cluster import Cluster
from tokenarium.work.corpus_counting import WorkMeter


def _write_pair(tokenizers: Sequence[tc.Tokenizer], first: str, second: str, as_json: bool) -> None:
    """Writes a row for each tokenizer, with its figures for both texts."""
    sizes = text_size(first), text_size(second)
    counts = [pair_count(tokenizer.name, tokenizer, first, second) for tokenizer in tokenizers]
    if as_json:
        write_json(pair_values(counts, *sizes))
        return
    columns = [(head.replace("/token", "\n/token"), index > 0) for index, head in enumerate(HEADS)]
    title = f"A: {sizes[0].sentence()}   B: {sizes[1].sentence()}"
    write_table(columns, [pair_cells(count, *sizes) for count in counts], title)
    if counts:
        for said in filter(None, (pair_sentence(counts), lost_sentence(counts))):
            typer.echo(said)


def _made(text: str, form: str) -> str:
    """Returns a text in another form. Raises TokenariumError if there is no such form, or the text does not have it."""
    if form not in FORMS:
        raise tc.TokenariumError(f"{form!r} is not a form: choose from {', '.join(FORMS)}.")
    made = FORMS[form].make(text)
    if made is None:
        raise tc.TokenariumError(FORMS[form].fault)
    return made


Sums = Tally | TokenScripts
Counting = Callable[[Sequence[tc.Tokenizer], str], list[Any]]
"""Returns the `Sums` of each tokenizer over a text."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A named text, with the sums of each tokenizer over it: without the text itself."""

    name: str
    sums: Sequence[Any]


def _tallies(tokenizers: Sequence[tc.Tokenizer], text: str) -> list[Any]:
    document = measured(text)
    return [tally(tokenizer, document) for tokenizer in tokenizers]


def _scripts(tokenizers: Sequence[tc.Tokenizer], text: str) -> list[Any]:
    utf8 = text.encode("utf-8", "surrogatepass")
    return [
        text_scripts(utf8, CountedTokens.of(tokenizer, tokenizer.encode(text)))
        for tokenizer in tokenizers
    ]


def _sums(count: Counting, tokenizers: Sequence[tc.Tokenizer], texts: Iterable[str]) -> list[Any]:
    """Returns the sums over texts, each of which is released once it is counted; none if there is no text."""
    sums: list[Any] = []
    for text in texts:
        text_sums = count(tokenizers, text)
        sums = (
            [ours + theirs for ours, theirs in zip(sums, text_sums, strict=True)]
            if sums
            else text_sums
        )
    return sums


def compare(
    tokenizers: TokenizersArgument,
    text: TextOption = None,
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            "-f",
            help="A text file in UTF-8, or a folder, a compressed file, a table, an address or @list.txt, as train reads"
            " them; may be repeated. Each file has its own rows.",
        ),
    ] = None,
    field: FieldOption = "text",
    texts: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B", help="Compare two texts, such as JSON and YAML; @name reads a file."
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="FORM",
            help=f"Compare one text with another form of it: {', '.join(FORMS)}.",
        ),
    ] = "",
    scripts: Annotated[
        bool, typer.Option("--scripts", help="A row for each script in the tokens.")
    ] = False,
    languages: Annotated[
        bool,
        typer.Option(
            "--languages",
            help="Compare languages on parallel sentences that come with the program.",
        ),
    ] = False,
    parallel: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Compare languages on a folder of parallel texts: a file for each language, named after it.",
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(help="The language that the others are compared with; by default, English."),
    ] = "",
    workers: Annotated[
        int,
        typer.Option(
            min=1, help="Processes that count the files of a corpus; more than 1 needs Dask."
        ),
    ] = 1,
    cluster: Annotated[
        str,
        typer.Option(
            help="The address of a Dask scheduler; its workers read the corpus and the tokenizers from the same paths."
        ),
    ] = "",
    price: PriceOption = None,
    currency: CurrencyOption = "",
    intervals: Annotated[
        str,
        typer.Option(
            metavar="UNIT",
            help="Write figures with bootstrap intervals over each document or line of the files, and the paired"
            " differences of the tokenizers with Holm's correction.",
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="The seed of the intervals.")] = 0,
    resamples: Annotated[
        int, typer.Option(help="How often units are drawn for the intervals.")
    ] = RESAMPLES,
    alpha: Annotated[
        float, typer.Option(help="1 − the confidence of the intervals.")
    ] = SIGNIFICANCE,
    write_study: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help="Instead of comparing, write a study file, which evaluate runs; --intervals names its unit.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Writes a row for each text and tokenizer: tokens, bytes per token, fertility, vocabulary used, round trip.

    Fertility is tokens per word: of the words in the text (in context), and of each word alone, with the median, the
    number that 95 of 100 words do not exceed, and the share of words in one token. Words are separated by white space,
    zero-width spaces and the word dividers of scripts, such as Ethiopic's. Figures have a question mark if the
    tokenizer loses part of the text. Only texts that say the same have premiums and a Gini: see --languages and
    --parallel. Tokenizers and texts that cannot be opened or read are named on the standard error; the exit code is 1,
    or 4 if only part of a text is missing.
    """
    with sentences():
        if texts is not None and (text is not None or file or scripts or languages or parallel):
            raise tc.TokenariumError("--texts brings its own two texts: leave the others out.")
        if (languages or parallel is not None) and (text is not None or file or scripts):
            raise tc.TokenariumError(
                "--languages and --parallel bring their own texts: leave --text, --file and --scripts out."
            )
        if languages and parallel is not None:
            raise tc.TokenariumError("Give --languages or --parallel, not both.")
        if form and (texts is not None or len(file or []) > 1 or scripts or languages or parallel):
            raise tc.TokenariumError("--as needs one text: give it only with --text or --file.")
        there = Cluster(workers, cluster) if workers > 1 or cluster else None
        if there is not None and (not file or texts is not None or form or scripts):
            raise tc.TokenariumError(
                "--workers and --cluster count the files of a corpus: give it with --file, and leave --texts, --as and"
                " --scripts out."
            )
        if price and (texts is not None or form or scripts or languages or parallel is not None):
            raise tc.TokenariumError(
                "--price needs the figures of texts: give it only with --text or --file."
            )
        of_files = bool(intervals) or write_study is not None
        if of_files and (
            text is not None or texts is not None or form or scripts or languages
            or parallel is not None or there is not None or price
        ):  # fmt: skip
            raise tc.TokenariumError(
                "--intervals and --write-study need files: give them only with --file and --field."
            )
        prices = price_list(price or [], currency, tokenizers)
        missing: list[str] = []
        notes: list[str] = []  # on text that could not be read
        names: list[str] = []
        opened = _opened(tokenizers, missing, names)
        if of_files and not missing:
            settings = IntervalSettings(intervals or "document", seed, resamples, alpha)
            titles = [one.name for one in opened]
            study = study_of(
                [StudyTokenizer(*one) for one in zip(titles, names, strict=True)],
                named_sources(file or [], field),
                settings,
            )
            if write_study is not None:
                write_whole(write_study, with_hashes(study, opened).as_toml(write_study))
                typer.echo(
                    f"The study is in {write_study}. Run it with: tokenarium evaluate {write_study}"
                )
            else:
                write_results(results_of(study), as_json)
        elif of_files:
            pass  # a study has all tokenizers or is none
        elif texts is not None:
            first, second = (
                text_of(None, Path(one[1:])) if one.startswith("@") else one for one in texts
            )
            _write_pair(opened, first, second, as_json)
        elif form:
            given = text_of(text, Path(file[0]) if file else None)
            _write_pair(opened, given, _made(given, form), as_json)
        elif languages or parallel is not None:
            _write_languages(opened, parallel, against, as_json, missing)
        else:
            count = _scripts if scripts else _tallies
            read: _Reading = partial(_read, count, opened, notes)
            if there is not None:
                read = partial(_read_there, there, names, opened, notes)
            counted = (
                _texts(text, file or [], field, missing, count, opened, read) if opened else []
            )
            write_notes(notes)
            if scripts:
                _write_scripts(opened, counted, as_json)
            elif opened and counted:
                _write_texts(opened, names, counted, prices, as_json)
        if missing:
            raise tc.TokenariumError("\n".join(missing))
        end_partly(bool(notes))


def _opened(names: Sequence[str], missing: list[str], kept: list[str]) -> list[tc.Tokenizer]:
    """Returns the tokenizers that can be opened; their names, as given, are added to ``kept``."""
    tokenizers = []
    for name in names:
        try:
            tokenizers.append(tokenizer_of(name))
            kept.append(name)
        except tc.TokenariumError as error:
            missing.append(str(error))
    tell_apart(tokenizers)
    return tokenizers


_Reading = Callable[[str, Sequence[CorpusSource], list[str]], Iterable[_Text]]


def _texts(
    text: str | None,
    files: Sequence[str],
    field: str,
    missing: list[str],
    count: Counting,
    tokenizers: Sequence[tc.Tokenizer],
    read: _Reading,
) -> Sequence[_Text]:
    """Returns the texts that the options name; adds a sentence to ``missing`` for each that cannot be read."""
    if not files:
        return [_Text("", count(tokenizers, text_of(text, None)))]
    texts = [] if text is None else [_Text("text", count(tokenizers, text))]
    for file in files:
        try:
            sources = [replace(source, weight=None) for source in named_sources([file], field)]
            texts += read(file, sources, missing)
        except tc.TokenariumError as error:
            missing.append(str(error))
        except OSError as error:
            missing.append(f"{file} cannot be used: {error.strerror or error}.")
    return texts


def _read(
    count: Counting,
    tokenizers: Sequence[tc.Tokenizer],
    notes: list[str],
    place: str,
    sources: Sequence[CorpusSource],
    missing: list[str],
) -> Iterator[_Text]:
    """Yields the texts of sources; adds what was not read to ``notes``, and what has no text to ``missing``."""
    corpus = Corpus(sources)
    rows = _rows(corpus, place, notes, missing)
    for name, source in rows:
        part = Corpus([source], longest=PIECE)
        sums = _sums(count, tokenizers, part)
        said = [*reading_notes(part)] if part.damage else []
        if sums:
            yield _Text(name, sums)
            notes += said
        elif len(rows) == 1:
            missing += said or [f"{name} contains no text."]
        else:
            notes += said


def _rows(
    corpus: Corpus, place: str, notes: list[str], missing: list[str]
) -> list[tuple[str, CorpusSource]]:
    """Returns the names and sources of the texts of a corpus; adds to ``notes`` what is skipped."""
    rows = named_parts(corpus)
    if not rows:
        said = [f"{file.place}: {file.reason}" for file in corpus.skipped]
        missing += said[:MOST_NOTES] or [f"{place} contains no text files."]
        return rows
    notes += [f"{file.place}: {file.reason}" for file in corpus.skipped if file.fault]
    sources = corpus.sources
    if len(sources) > 1 or sources[0].kind != "folder":
        return [(place, rows[0][1])] if len(rows) == 1 and sources[0].kind == "file" else rows
    return [(str(Path(place) / name), source) for name, source in rows]


def _read_there(
    cluster: Cluster,
    names: Sequence[str],
    opened: Sequence[tc.Tokenizer],
    notes: list[str],
    place: str,
    sources: Sequence[CorpusSource],
    missing: list[str],
) -> list[_Text]:
    """Returns the texts of sources as `_read` does, counted by workers; adds their failures to ``missing``."""
    rows = _rows(Corpus(sources), place, notes, missing)
    parts: list[CorpusPart] = []
    row_of: list[int] = []
    for row, (_, source) in enumerate(rows):
        found, _ = corpus_parts([source])
        parts += found
        row_of += [row] * len(found)
    tokenizers = [
        (path_of(name), tokenizer_fingerprint(one)) for name, one in zip(names, opened, strict=True)
    ]
    counted: list[PartTallies | None] = [None] * len(parts)
    with byte_progress("comparing", sum(part.size for part in parts)) as bar, cluster:
        meter = WorkMeter("comparing", [part.size for part in parts], cluster, bar_news(bar))
        for one in cluster.do(partial(tally_part, tokenizers), parts, meter):
            counted[one.place] = one.result
            if one.result is None:
                missing.append(f"{one.item.name}: {one.fault}")
            else:
                meter(one.place, one.item.size)
    texts = []
    for row, (name, _) in enumerate(rows):
        of_row = [one for at, one in zip(row_of, counted, strict=True) if at == row]
        whole = [one for one in of_row if one is not None]
        said = [one.note for one in whole if one.note]
        some = any(one.documents for one in whole)
        if not some and len(rows) == 1:
            missing += said
            continue
        notes += said
        if len(whole) < len(of_row) or not some:
            continue  # a sum without a part would look like the sum of all
        sums = list(whole[0].tallies)
        for other in whole[1:]:
            sums = [ours + theirs for ours, theirs in zip(sums, other.tallies, strict=True)]
        texts.append(_Text(name, sums))
    return texts


def _write_texts(
    tokenizers: Sequence[tc.Tokenizer],
    names: Sequence[str],
    texts: Sequence[_Text],
    prices: PriceList,
    as_json: bool,
) -> None:
    """Writes the figures of tokenizers for texts, and what the texts cost; ``names`` are the tokenizers' as given."""
    counted = [
        (text, tokenizer, text.sums[index])
        for text in texts
        for index, tokenizer in enumerate(tokenizers)
    ]
    rows = [FigureRow.of(text.name, one, one.name, found) for text, one, found in counted]
    first = counted[0][2]
    sizes = {"bytes": first.byte_count, "characters": first.characters}
    whole = sizes if len(texts) == 1 else {}
    costs = cost_table(
        (
            cost
            for text in texts
            for name, tokenizer, found in zip(names, tokenizers, text.sums, strict=True)
            for cost in costs_of(prices.of(name), tokenizer.name, found.tokens, text.name)
        ),
        prices.currency,
    )
    priced = {"costs": costs.values()} if prices.prices else {}
    write_answer(
        as_json,
        figure_table(rows),
        lambda _: {**whole, "rows": [row.values for row in rows], **priced},
    )
    if as_json:
        return
    if priced:
        write_tables(costs)
    for note in figure_notes(rows):
        typer.echo(note)


def _write_scripts(
    tokenizers: Sequence[tc.Tokenizer], texts: Sequence[_Text], as_json: bool
) -> None:
    """Writes how many tokens and bytes of each text each script has."""
    rows = [
        (text.name, tokenizer.name, sums, one)
        for text in texts
        for tokenizer, sums in zip(tokenizers, text.sums, strict=True)
        for one in np.argsort(-sums.bytes, kind="stable").tolist()
        if sums.tokens[one]
    ]
    named = any(text.name for text in texts)
    columns: list[TableColumn[tuple[str, str, TokenScripts, int]]] = [
        *[printed_column("file", lambda row: row[0], json="file")] * named,
        printed_column("tokenizer", lambda row: row[1], json="tokenizer"),
        printed_column("script", lambda row: CLASS_NAMES[row[3]], json="script"),
        printed_column("tokens", lambda row: int(row[2].tokens[row[3]]), COUNT, "tokens"),
        printed_column("that cut a\ncharacter", lambda row: int(row[2].cut[row[3]]), COUNT, "tokens_that_cut"),
        printed_column("bytes", lambda row: int(row[2].bytes[row[3]]), COUNT, "bytes"),
        printed_column("share of\nbytes", lambda row: int(row[2].bytes[row[3]]) / max(int(row[2].bytes.sum()), 1), percent, "share_of_bytes"),
        printed_column("bytes\n/token", lambda row: int(row[2].bytes[row[3]]) / int(row[2].tokens[row[3]]), "{:.3f}".format, "bytes_per_token"),
    ]  # fmt: skip
    write_answer(as_json, Table(columns, rows, keys=2 + named), lambda rows: {"rows": rows})


def _write_languages(
    tokenizers: Sequence[tc.Tokenizer],
    folder: Path | None,
    against: str,
    as_json: bool,
    missing: list[str],
) -> None:
    if folder is None:
        texts = shipped()
    else:
        try:
            texts, left_out = of_folder(folder)
        except TextFileError as error:
            raise tc.TokenariumError(str(error)) from None
        missing += left_out
    if not tokenizers:
        return
    reference = _reference(texts, against)
    by_line = aligned(texts)
    parts = LanguageTexts(texts, by_line)
    counts = [parts.counts(tokenizer) for tokenizer in tokenizers]
    titles = [tokenizer.name for tokenizer in tokenizers]
    names = tuple(text.title for text in texts)
    both = ParallelCounts(names, {str(index): count for index, count in enumerate(counts)})
    table = language_table(both, titles, reference)
    ginis = [language_gini(count) for count in counts]
    if as_json:
        shares = [
            {
                "tokenizer": title,
                "gini": one and one.value,
                "low": one and one.low,
                "high": one and one.high,
            }
            for title, one in zip(titles, ginis, strict=True)
        ]
        codes = {text.title: text.language for text in texts}
        each = [row | {"code": codes[str(row["language"])]} for row in table]
        write_json({"against": names[reference], "aligned": by_line, "rows": each, "gini": shares})
        return
    premiums = [language_premiums(count, reference, names) for count in counts]
    rows = [
        (names[index], title, one.figures[index], premium[index])
        for index in range(len(names))
        for title, one, premium in zip(titles, counts, premiums, strict=True)
    ]
    origin = "the program's sentences" if folder is None else str(folder)
    unit = "each line by itself" if by_line else "each text as a whole"

    def shown(head: str, metric: str, digits: int = 3) -> TableColumn[_LanguageRow]:
        return printed_column(head, lambda row: shown_figure(row[2], metric, digits), str)

    columns: list[TableColumn[_LanguageRow]] = [
        printed_column("language", lambda row: row[0]),
        printed_column("tokenizer", lambda row: row[1]),
        shown("tokens", "tokens", 0),
        shown("bytes\n/token", "bytes_per_token"),
        shown("fertility\nin context", "fertility"),
        shown("fertility\nalone", "fertility_alone"),
        printed_column("round\ntrip", lambda row: "yes" if row[2].value("round_trip") == 100 else "no"),
        printed_column("lost\ntext", lambda row: row[2].lost_share, percent),
        printed_column(f"premium over\n{names[reference]}", lambda row: f"{SIGN if row[3].doubt else ''} {row[3].value:.3f}".strip(), str),
        printed_column("95% interval" if by_line else None, lambda row: _interval(row[3].low, row[3].high), str),
    ]  # fmt: skip
    title = f"The same content in {len(names)} languages, {unit}: {origin}"
    inequality: list[TableColumn[int]] = [
        printed_column("tokenizer", lambda place: titles[place]),
        printed_column("Gini", lambda place: ginis[place], str, grows=True),
    ]
    write_tables(
        Table(columns, rows, title=title, keys=2),
        Table(
            inequality,
            range(len(titles)),
            title="Inequality between the languages: 0 if all cost the same",
        ),
    )
    if any(bool(count.doubtful.any()) for count in counts):
        typer.echo(LOST_TEXT)


_LanguageRow = tuple[str, str, Figures, PremiumEstimate]


def _reference(texts: Sequence[ParallelText], wanted: str) -> int:
    """Returns the index of a language by its code or title; without a name, of English if it is there, else 0."""
    names = [{text.language.casefold(), text.title.casefold()} for text in texts]
    requested = {wanted.casefold()} if wanted else {"en", "eng", "english"}
    position = next((index for index, name in enumerate(names) if name & requested), -1)
    if position < 0 and wanted:
        raise tc.TokenariumError(
            f"{wanted!r} is not one of the languages: choose from {', '.join(text.language for text in texts)}."
        )
    return max(position, 0)


def _interval(low: float | None, high: float | None) -> str:
    return f"{low:.2f} to {high:.2f}" if low is not None and high is not None else ""
