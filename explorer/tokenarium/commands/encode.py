"""``tokenarium encode``: the ids of a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

import tokenarium_core as tc
from tokenarium.analyses.table import COUNT, Table, TableColumn, printed_column
from tokenarium.commands.terminal import (
    DecimalOption,
    FileOption,
    JsonOption,
    PatternOption,
    TextArgument,
    TokenizerArgument,
    sentences,
    text_of,
    tokenizer_of,
    write_answer,
    write_json,
    write_table,
)
from tokenarium_core.batches import Batch, Padding, Truncation, stored_padding, stored_truncation
from tokenarium_core.command_values import content_of, encoding_values

if TYPE_CHECKING:
    from tokenarium.models.training.encoding_race import EncodingLap

STORED, LONGEST = "stored", "longest"
PADS = ("<pad>", "[PAD]", "<|pad|>", "<|finetune_right_pad_id|>", "<|endoftext|>")
"""Special tokens to pad with, for files that do not define a padding token."""

MOST_DIGITS = 7
T = TypeVar("T")


def encode(
    tokenizer: TokenizerArgument,
    text: TextArgument = None,
    file: FileOption = None,
    pattern: PatternOption = "",
    special: Annotated[
        bool, typer.Option("--special", help="Give special tokens in the text their single id.")
    ] = False,
    template: Annotated[
        bool, typer.Option("--template", help="Add the ids around a text, such as <bos>.")
    ] = False,
    add_bos: Annotated[
        bool,
        typer.Option("--bos", help="Put the beginning-of-text id before the text, such as <s>."),
    ] = False,
    add_eos: Annotated[
        bool, typer.Option("--eos", help="Put the end-of-text id after the text, such as </s>.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(
            "--bytes",
            "-b",
            help="Encode the bytes of a file, which need not be UTF-8; only byte-level BPE can.",
        ),
    ] = None,
    truncate: Annotated[
        str,
        typer.Option(
            metavar="N|stored",
            help="Truncate a text to this many ids, including those of --template, or as the file stores it; the rest follows on its"
            " own lines.",
        ),
    ] = "",
    pad: Annotated[
        str,
        typer.Option(
            metavar="N|longest|stored",
            help="Pad a text to this many ids, or to the longest, with the padding token, or as the file stores it.",
        ),
    ] = "",
    lines: Annotated[
        bool, typer.Option("--lines", help="Encode each line as a separate text.")
    ] = False,
    show: Annotated[
        bool,
        typer.Option("--show", "-s", help="A row for each token: its text, its bytes, its span."),
    ] = False,
    race: Annotated[
        bool,
        typer.Option(
            "--race",
            help="Only race two methods to merge the text as one word: scanning all pairs for each merge, and a queue.",
        ),
    ] = False,
    decimal: DecimalOption = False,
    as_json: JsonOption = False,
) -> None:
    """Writes the ids of a text, or of the bytes of a file.

    In JSON, bytes are hexadecimal digits; with --decimal, a list of numbers. --bos and --eos add the special tokens
    that the tokenizer defines; if it defines none, the standard error says so.
    """
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        if data is not None:
            if text is not None or file is not None or special or template or add_bos or add_eos:
                raise tc.TokenariumError(
                    "--bytes encodes the bytes of one file: leave the text and the options for texts out."
                )
            _write(opened, opened.encode_bytes(content_of(data)), show, as_json, decimal)
            return
        _warn_of_ends(opened, add_bos, add_eos)
        content = text_of(text, file)
        if race:
            _write_race(opened, content, as_json)
            return
        if truncate or pad or lines:
            if show or add_bos or add_eos:
                raise tc.TokenariumError(
                    "--truncate, --pad and --lines write ids: leave --show, --bos and --eos out."
                )
            texts = content.splitlines() if lines else [content]
            batch = tc.batch(
                opened,
                texts,
                _truncation(opened, truncate),
                _padding(opened, pad),
                "all" if special else "none",
                template,
            )
            _write_batch(batch, as_json)
            return
        if not (special or template or add_bos or add_eos or show or as_json):
            typer.echo(" ".join(map(str, opened.encode_ids(content))))
            return
        encoding = opened.encode(
            content,
            special="all" if special else "none",
            template=template,
            add_bos=add_bos,
            add_eos=add_eos,
        )
        _write(opened, encoding, show, as_json, decimal)


def _truncation(opened: tc.Tokenizer, asked: str) -> Truncation | None:
    if asked == STORED:
        return _there(stored_truncation(opened), opened, "truncation")
    return Truncation(_number("truncate", asked)) if asked else None


def _padding(opened: tc.Tokenizer, asked: str) -> Padding | None:
    if not asked:
        return None
    stored = stored_padding(opened)
    if asked == STORED:
        return _there(stored, opened, "padding")
    length = 0 if asked == LONGEST else _number("pad", asked)
    if stored is not None:
        return Padding(stored.id, length, stored.multiple, stored.direction)
    token = next((id for text, id in opened.special_tokens.items() if text in PADS), None)
    if token is None:
        raise tc.TokenariumError(
            f"{opened.name} defines no padding token: none of its special tokens is {', '.join(PADS)}."
        )
    return Padding(token, length)


def _there(stored: T | None, opened: tc.Tokenizer, name: str) -> T:
    if stored is None:
        raise tc.TokenariumError(f"{opened.name} stores no {name}: give a number instead.")
    return stored


def _number(option: str, text: str) -> int:
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise tc.TokenariumError(f"--{option} is {text!r}: give a number, or {STORED}.")
    return int(text)


def _write_batch(made: Batch, as_json: bool) -> None:
    """Writes a line for each text, and one for each overflowing window."""
    if as_json:
        names = ("ids", "attention_mask", "overflowing")
        write_json({name: getattr(made, name) for name in names})
        return
    for ids, windows in zip(made.ids, made.overflowing, strict=True):
        for window in (ids, *windows):
            typer.echo(" ".join(map(str, window)))


def _write_race(opened: tc.Tokenizer, text: str, as_json: bool) -> None:
    """Runs both methods on longer and longer parts of a text, and writes the positions and the time of each."""
    from dataclasses import asdict

    from tokenarium.models.task import finish
    from tokenarium.models.training.encoding_race import TITLES, EncodingRace  # numpy, and charts

    race = EncodingRace(opened, text)
    finish(race)
    columns: list[TableColumn[EncodingLap]] = [
        printed_column("symbols", lambda lap: lap.symbols, COUNT),
        printed_column("way", lambda lap: TITLES[lap.way]),
        printed_column("positions looked at", lambda lap: lap.looked, COUNT),
        printed_column("left", lambda lap: lap.left, COUNT),
        printed_column("time", lambda lap: lap.seconds * 1000, "{:.2f} ms".format),
    ]
    write_answer(
        as_json,
        Table(columns, race.laps, title=race.sentence()),
        lambda _: {"tokenizer": opened.name, "laps": [asdict(lap) for lap in race.laps]},
    )


def _warn_of_ends(opened: tc.Tokenizer, add_bos: bool, add_eos: bool) -> None:
    ends = opened.ends
    for requested, ids, name in ((add_bos, ends.bos, "beginning"), (add_eos, ends.eos, "end")):
        if requested and not ids:
            sentence = f"{opened.name} has no token for the {name} of a text."
            typer.secho(sentence, fg="yellow", err=True)


def _write(
    opened: tc.Tokenizer, encoding: tc.Encoding, show: bool, as_json: bool, decimal: bool
) -> None:
    """Writes ids as JSON, as a table, or on a line."""
    from tokenarium.models.text.piece import NumberBase, byte_numbers, readable

    NumberBase.decimal = decimal
    ids: list[int] = memoryview(encoding.ids).tolist()
    vocabulary = opened.vocabulary
    spans = [encoding.span(index) for index in range(len(ids))]
    if as_json:
        write_json(encoding_values(opened, encoding, NumberBase.decimal))
    elif show:
        rows = [
            (
                str(token),
                readable(vocabulary.piece(token)),
                byte_numbers(vocabulary.piece(token), 12),
                f"{start} to {stop}",
            )
            for token, (start, stop) in zip(ids, spans, strict=True)
        ]
        columns = [("id", True), ("token", False), ("bytes", False), ("span", True)]
        write_table(columns, rows, f"{opened.name}: {len(ids):,} tokens", wrapping=(1, 2))
    else:
        typer.echo(" ".join(map(str, ids)))
