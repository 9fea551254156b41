"""``tokenarium extend``: adds entries to a tokenizer, checked against its library, or lists them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import tokenarium_core as tc
from tokenarium.analyses.extend_inputs import EXTEND_FIELDS
from tokenarium.commands.export import destination, proof_text, proved
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
    end_partly,
    sentences,
    tokenizer_of,
    write_json,
    write_notes,
    write_table,
)
from tokenarium.commands.training_output import run_extension
from tokenarium.models.diagnosis.diagnosis_files import rows_sentence
from tokenarium.models.text.piece import counted, percent, readable
from tokenarium.models.tokenizers.extended import words_in_file
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.models.training.counted import is_counts
from tokenarium.models.training.keeping import reading_notes
from tokenarium.models.typed_numbers import parsed_part
from tokenarium_core.changing.extending import Extension
from tokenarium_core.vocabulary import MAX_IDS

SHOWN = 20
"""Entries that are listed; JSON has all of them."""


@with_fields("corpus", EXTEND_FIELDS)
def extend(
    tokenizer: TokenizerArgument,
    to: ToArgument = None,
    out: Annotated[
        Path | None,
        out_option(
            "The file to write. Without it, the entries that save the most tokens are listed."
        ),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="Texts on which the training continues: files in any form that train reads, folders, patterns, or one file"
            " of counts; may be repeated."
        ),
    ] = None,
    format: FormatOption = "",
    allow_differences: AllowOption = False,
    field: FieldOption = "text",
    file: FileOption = None,
    pattern: PatternOption = "",
    as_json: JsonOption = False,
    **added: Any,
) -> None:
    """Adds entries that save tokens on texts, or for a list of words, and writes the new tokenizer; all old ids stay.

    Its training continues: BPE after the existing merges, Unigram by scoring new entries against the old ones. A text
    keeps its ids unless it gets a new entry. The reference library must read the file and give the same ids on a test
    text: the one of --file, and the sample texts that come with the program. Without a file to write, the entries
    are listed by their merges, with the tokens that each saves. Words that cannot be one token are left out and all
    listed, each with the reason; the exit code is then 4.
    """
    with sentences():
        add, words = added.pop("add"), added.pop("words")
        if bool(corpus) == (words is not None):
            raise tc.ArgumentError("Give either --corpus or --words.")
        to = destination(to, out, format)
        opened = tokenizer_of(tokenizer, pattern)
        refused: list[tuple[str, str]] = []
        if words is not None:
            extension = Extension(opened, MAX_IDS - len(opened.vocabulary), resume=added["resume"])
            extension.add_words(words_in_file(words), refused)
            if refused and not extension.added and (to is not None or not as_json):
                if not as_json:
                    _list_refused(refused)
                raise tc.TokenariumError("None of these words can be added.")
        else:
            most = parsed_part(add, len(opened.vocabulary))
            extension = _extension(opened, corpus or [], field, most, **added)
        saved = sum(one.saved for one in extension.added)
        proof = None
        rows = ""
        if to is not None:
            made = extension.tokenizer()
            rows = rows_sentence(opened, made)
            text = proof_text(file)
            proof = proved(made, to, format, text, allow_differences)
        if as_json:
            write_json(
                {
                    "tokenizer": opened.name,
                    "added": [
                        {
                            "id": one.id,
                            "entry": one.piece.decode("utf-8", "replace"),
                            "bytes": one.piece.hex(),
                            "parts": one.parts,
                            "count": one.count,
                            "saved": one.saved,
                            "uses": one.uses,
                            "wanted": one.wanted,
                        }
                        for one in extension.added
                    ],
                    "refused": [{"word": word, "reason": reason} for word, reason in refused],
                    "tokens": {"before": extension.tokens, "after": extension.tokens - saved},
                    "files": [str(path) for path in proof.files] if proof is not None else [],
                    "differences": [one.sentence for one in proof.differences] if proof else [],
                    "library": proof.library if proof is not None else None,
                    "embedding": rows or None,
                }
            )
            end_partly(bool(refused))
            return
        _list(opened, extension, saved)
        _list_refused(refused)
        if rows:
            typer.echo(rows)
        if proof is not None:
            typer.echo(proof.sentence)
        end_partly(bool(refused))


def _extension(
    opened: tc.Tokenizer, corpus: list[str], field: str, count: int, **added: Any
) -> Extension:
    """Returns the finished extension on texts, or on a file of counts."""
    if any(map(is_counts, corpus)):
        if len(corpus) > 1:
            raise tc.ArgumentError(
                "Give only one file of counts: tokenarium count --merge makes one from several."
            )
        extension = Extension(opened, count, counts=tc.WordCounts.load(corpus[0]), **added)
        run_extension(extension)
        return extension
    texts = Corpus([replace(one, weight=None) for one in named_sources(corpus, field)])
    extension = Extension(opened, count, texts, **added)
    run_extension(extension)
    if not extension.tokens:
        raise tc.TokenariumError(texts.why_nothing or "The texts are empty: name other texts.")
    write_notes(list(reading_notes(texts)))
    return extension


def _list_refused(refused: Sequence[tuple[str, str]]) -> None:
    """Writes all words that are left out, each with the reason."""
    if refused:
        rows = [(readable(word.encode("utf-8", "replace"), 40), reason) for word, reason in refused]
        columns = [("word", False), ("why it cannot be one token", False)]
        write_table(columns, rows, f"Left out: {counted(len(rows), 'word')}", wrapping=(0, 1))


def _list(opened: tc.Tokenizer, extension: Extension, saved: int) -> None:
    added = extension.added
    rows = [
        (
            str(one.id),
            readable(one.piece, 40),
            " + ".join(map(str, one.parts)),
            f"{one.count:,}" if one.count else "",
            f"{one.saved:,}" if one.saved else "",
        )
        for one in added[:SHOWN]
    ]
    columns = [
        ("id", True),
        ("entry", False),
        ("made of", False),
        ("times", True),
        ("tokens saved", True),
    ]
    if rows:
        write_table(columns, rows, f"The first {len(rows)} of {len(added):,} new entries")
    if extension.tokens:
        share = percent(saved / extension.tokens)
        typer.echo(
            f"{len(added):,} entries added to {opened.name}: the texts need {extension.tokens - saved:,} tokens instead of"
            f" {extension.tokens:,}, {share} fewer."
        )
    else:
        steps = sum(not one.wanted for one in added)
        more = f", {steps:,} of which are only steps to the words" if steps else ""
        typer.echo(f"{len(added):,} entries added to {opened.name}{more}.")
    if extension.report:
        typer.echo(extension.report)
    changed = extension.changed_words(3)
    if changed:
        said = ", ".join(
            f"{readable(word.text, 24)} ({len(word.old)} to {len(word.new)} tokens)"
            for word in changed
        )
        typer.echo(f"Ids change only where a text contains a new entry, most often in {said}.")
