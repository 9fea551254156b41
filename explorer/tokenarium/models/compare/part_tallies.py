"""Counts of tokenizers over a part of a corpus, for any process: the same as over the documents of the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import tokenarium_core as tc
from tokenarium.models.compare.tally import Tally, empty, measured, tally
from tokenarium.models.corpora.encoding_order import opened_tokenizer
from tokenarium.models.training.corpus_parts import CorpusPart, check_unchanged, part_documents
from tokenarium.models.training.corpus_reports import FileReport

PIECE: Final = 1 << 22
"""Characters. A longer text is counted in pieces that end at lines, each by itself, so that little memory is needed: up
to half a gigabyte. A token that would join the end of a line with the next one is counted as two there."""


@dataclass(frozen=True, slots=True)
class PartTallies:
    """The counts of each tokenizer, how many documents there were, and a sentence on what was not read."""

    tallies: list[Tally]
    documents: int
    note: str = ""


def tally_part(
    tokenizers: Sequence[tuple[str, str]],
    part: CorpusPart,
    progressed: Callable[[int], object] = int,
) -> PartTallies:
    """Counts a part with tokenizers, each given by what opens it and its `tokenizer_fingerprint`.

    ``progressed`` is called with the bytes read. TokenariumError if a different tokenizer is opened, or the file has
    changed.
    """
    opened: list[tc.Tokenizer] = [opened_tokenizer(*source) for source in tokenizers]
    check_unchanged(part)
    tallies = [empty(tokenizer) for tokenizer in opened]
    report = FileReport(part.file) if part.file is not None else None
    documents = 0
    for text in part_documents(part, report, PIECE):
        documents += 1
        document = measured(text)
        for index, tokenizer in enumerate(opened):
            tallies[index] = tallies[index] + tally(tokenizer, document)
        progressed(report.read if report is not None else 0)
    note = f"{report.file.place}: {report.note}" if report is not None and report.note else ""
    return PartTallies(tallies, documents, note)
