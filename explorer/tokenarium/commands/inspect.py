"""``tokenarium inspect``: what a tokenizer is made of, and single entries of its vocabulary."""

from __future__ import annotations

from typing import Annotated

import typer

import tokenarium_core as tc
from tokenarium.commands.terminal import (
    JsonOption,
    PatternOption,
    TokenizerArgument,
    sentences,
    tokenizer_of,
    write_json,
    write_table,
)
from tokenarium.models.text.piece import hexadecimal, readable
from tokenarium.models.tokenizers.tokenizer_facts import SHOWN, facts
from tokenarium.models.vocabulary.json_score import json_score
from tokenarium_core.explaining.byte_spelling import has_byte_spelling, spelled_bytes

DIGITS = 20
"""Digits of a number that may be an id, leading zeros among them."""


def inspect(
    tokenizer: TokenizerArgument,
    entries: Annotated[
        list[str] | None,
        typer.Argument(
            help="Entries to look up, by id, by text, or as files spell them (Ġthe, ▁the, ##ing).",
            show_default=False,
        ),
    ] = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
) -> None:
    """Tells the stages, the vocabulary and the stored settings of a tokenizer, or about some of its entries."""
    with sentences():
        opened = tokenizer_of(tokenizer, pattern)
        if entries:
            _write_entries(opened, entries, as_json)
            return
        sections = facts(opened, opened.name, tokenizer, opened.source.digests())
        if as_json:
            write_json({head: dict(rows) for head, rows in sections})
            return
        for head, rows in sections:
            shown = [(name, _shortened(value)) for name, value in rows]
            write_table([("", False), ("", False)], shown, head)


def _shortened(value: str) -> str:
    """Returns a value of no more than `SHOWN` lines; JSON has all of them."""
    lines = value.splitlines()
    if len(lines) <= SHOWN:
        return value
    return "\n".join([*lines[:SHOWN], f"… and {len(lines) - SHOWN:,} more"])


def _write_entries(opened: tc.Tokenizer, wanted: list[str], as_json: bool) -> None:
    vocabulary = opened.vocabulary
    found = [_id_of(opened, entry) for entry in wanted]
    scores = len(vocabulary.scores) > 0
    if as_json:
        write_json(
            [
                {
                    "id": token,
                    "piece": vocabulary.surface(token),
                    "bytes": vocabulary.piece(token).hex(),
                    "kind": vocabulary.kind(token),
                    **({"score": json_score(vocabulary.scores[token])} if scores else {}),
                }
                for token in found
            ]
        )
        return
    rows = [
        (
            str(token),
            readable(vocabulary.piece(token)),
            hexadecimal(vocabulary.piece(token)),
            vocabulary.kind(token),
            f"{vocabulary.scores[token]:g}" if scores else "",
        )
        for token in found
    ]
    columns = [("id", True), ("entry", False), ("bytes", False), ("kind", False), ("score", True)]
    write_table(columns, rows)


def _id_of(opened: tc.Tokenizer, wanted: str) -> int:
    """Returns the id that a word means: a number, else the text of an entry, else how the file spells one.

    An entry of bytes may also be written in GPT-2's alphabet where its file holds plain bytes.

    Raises TokenariumError where there is none.
    """
    vocabulary = opened.vocabulary
    if wanted.isdecimal():
        # Python makes no number of thousands of digits.
        if len(wanted) <= DIGITS and int(wanted) < len(vocabulary):
            return int(wanted)
        shown = f"{int(wanted):,}" if len(wanted) <= DIGITS else f"{wanted[:DIGITS]}…"
        raise tc.TokenariumError(
            f"{opened.name} has the ids 0 to {len(vocabulary) - 1:,}, but not {shown}."
        )
    # A terminal hands on bytes that are no UTF-8 as surrogates.
    token = vocabulary.find(wanted.encode("utf-8", "surrogatepass"))
    if token < 0:
        token = opened.special_tokens.get(wanted, -1)
    if token < 0:
        every = range(len(vocabulary))
        token = next((one for one in every if vocabulary.surface(one) == wanted), -1)
    if token < 0 and has_byte_spelling(
        opened
    ):  # tiktoken's files spell nothing, yet one writes Ġthe
        meant = spelled_bytes(wanted)
        token = vocabulary.find(meant) if meant is not None else -1
    if token < 0:
        raise tc.TokenariumError(f"{opened.name} has no entry {wanted!r}.")
    return token
