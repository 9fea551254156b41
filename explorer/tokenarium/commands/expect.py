"""``tokenarium expect``: writes the ids of texts, and checks later whether a tokenizer still gives them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import Table, TableColumn, printed_column
from tokenarium.commands.shared_options import fail_option, out_option, place_of
from tokenarium.commands.terminal import (
    FOUND,
    JsonOption,
    MarkdownOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
    write_json,
    write_markdown,
    write_stage,
    write_tables,
)
from tokenarium.models.progress_reporter import stage
from tokenarium.models.release.expected_ids import (
    EXPECTED_EFFECTS,
    ExpectedCheck,
    ExpectedText,
    UnexpectedIds,
    check_expected,
    expected_lines,
    texts_of,
    usual_texts,
)
from tokenarium.models.tokenizers.reference_check import BEFORE, first_difference
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, CHANGES_TEXT
from tokenarium_core.whole_files import WholeFile

SHOWN = 20
"""Differences that are written; JSON has more."""

SHORT = 60
"""Characters of a text in a table; JSON has all of them."""

expect = typer.Typer(
    add_completion=False,
    help="Writes the ids of texts to a file, and checks later whether a tokenizer still gives them.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@expect.command("write")
def write(
    tokenizer: TokenizerArgument,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...",
            help="Texts. Without texts and files: Tokenarium's samples, and short texts with difficult characters.",
        ),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            "-f",
            help='A file of texts: a .jsonl file with a field "text", such as a file of expected ids, or lines of UTF-8; may be'
            " repeated.",
        ),
    ] = None,
    special: Annotated[
        bool, typer.Option("--special", help="Give special tokens in the texts their single id.")
    ] = False,
    template: Annotated[
        bool, typer.Option("--template", help="Add the ids around a text, such as <bos>.")
    ] = False,
    out: Annotated[
        Path | None, out_option("The file to write. Without it, the lines are written.")
    ] = None,
    pattern: PatternOption = "",
) -> None:
    """Writes texts with their ids as JSON lines, which a check compares with later ids.

    The file also has the tokens, the pre-tokens, and the SHA-256 of the tokenizer's files, so that a check can name the
    stage that differs. Everything is ASCII: zeros and lone surrogates are escapes.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        given = texts or file
        lines = expected_lines(
            opened, _chosen(texts or [], file or []) if given else usual_texts(), special, template
        )
        if out is None:
            for line in lines:
                typer.echo(line, nl=False)
            return
        whole = WholeFile(out)
        count = -1  # the first line is no text
        try:
            for line in lines:
                whole.write(line.encode("ascii"))
                count += 1
                if count % 1000 == 0:
                    write_stage(stage(f"Writing {count:,} texts"))
            if not count:
                raise tc.ArgumentError("There are no texts: the files are empty.")
            whole.finish()
        finally:
            whole.drop()
            write_stage(None)
        typer.echo(f"{out} has the ids of {count:,} texts in {opened.name}.")


@expect.command("check")
def check(
    expected: Annotated[Path, typer.Argument(help="A file that expect write wrote.")],
    tokenizer: TokenizerArgument,
    most: Annotated[
        int, typer.Option(min=0, help="How many differences are written; all are counted.")
    ] = SHOWN,
    fail_on: Annotated[str, fail_option("EFFECT", "least effect", EXPECTED_EFFECTS)] = CHANGES_IDS,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Encodes the texts of a file of expected ids, and shows which have different ids, and because of which stage.

    Each difference has an effect: changes-ids, changes-text (the same ids decode to a different text), keeps-ids (only
    the files of the tokenizer have changed).

    The exit code is 0 if no difference has the effect of --fail-on or a worse one, 3 if one has, and 1 if the file or the
    tokenizer cannot be opened.
    """
    with sentences():
        bound = place_of(fail_on, EXPECTED_EFFECTS, "effect")
        opened = tokenizer_of(tokenizer, pattern)
        try:
            found = check_expected(expected, opened, write_stage, most)
        finally:
            write_stage(None)
        table = Table(_COLUMNS, found.differences)
        if as_json:
            write_json({**asdict(found), "worst": found.worst or None, "sentence": found.sentence})
        elif markdown:
            write_markdown(f"Expected ids of {opened.name}", [found.sentence, *_more(found)], table)
        else:
            if found.differences:
                write_tables(table)
            for line in (found.sentence, *_more(found)):
                typer.echo(line)
        if found.worst in EXPECTED_EFFECTS[: bound + 1]:
            raise typer.Exit(FOUND)


def _chosen(texts: Iterable[str], files: Iterable[Path]) -> Iterator[str]:
    yield from texts
    for file in files:
        yield from texts_of(file)


def _more(found: ExpectedCheck) -> list[str]:
    left = found.different - len(found.differences)
    return [f"{left:,} more differences are not shown."] if left and found.differences else []


def _shown(text: str) -> str:
    """Returns a text in quotes, in which nothing is invisible, shortened."""
    letters = (
        one if one.isprintable() and one not in '"\\' else json.dumps(one)[1:-1]
        for one in text[:SHORT]
    )
    return f'"{"".join(letters)}"' + ("…" if len(text) > SHORT else "")


def _text(one: UnexpectedIds) -> str:
    """Returns the text; of a long one what is around the first token that differs."""
    start, tokens = _start(one), one.expected.tokens
    if len(one.text) <= SHORT or tokens is None or not start:
        return _shown(one.text)
    return f"… {_shown(''.join(tokens[start:]))}"


def _start(one: UnexpectedIds) -> int:
    """Returns which token of a long list of ids is shown first: some before those that differ."""
    place = first_difference(one.expected.ids, one.found.ids) or 0
    return max(place - BEFORE, 0) if len(one.text) > SHORT else 0


def _result(one: UnexpectedIds, side: ExpectedText) -> str:
    if one.effect == CHANGES_TEXT:
        return _shown(side.text if side.decoded is None else side.decoded)
    if side.refused:
        return side.refused
    start = _start(one)
    ids = ("… " if start else "") + " ".join(map(str, side.ids[start:]))
    return ids if len(ids) <= SHORT else f"{ids[:SHORT]}…"


_COLUMNS: list[TableColumn[UnexpectedIds]] = [
    printed_column("line", lambda one: one.line, str),
    printed_column("text", _text, grows=True),
    printed_column("stage", lambda one: one.stage),
    printed_column("expected", lambda one: _result(one, one.expected), grows=True),
    printed_column("found", lambda one: _result(one, one.found), grows=True),
    printed_column("effect", lambda one: one.effect),
]
