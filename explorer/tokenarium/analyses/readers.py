"""What other programs make of a tokenizer's file: the page Other programs of Compare and ``tokenarium readers``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict

import tokenarium_core as tc
from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.parts import Part, TileRow, TilesCard
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.compare.readers_result import WORDS, ProgramResult, ReadersResult
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import counted, quoted
from tokenarium_core.comparing.readers.readers import OTHER, VERDICTS, ReadersJob

SHOWN = 60
"""Characters of a text, or of a cause, on a terminal; JSON and files have all of them."""

TILES = 40
"""The most ids that are shown as tiles."""

HOW = (
    "What each program does differently with some files is known as rules, which were compared with the program itself in the"
    " version and on the day that the table names. A row with “(run)” is of a program that is installed and was run on this file."
)


class ReadersAnalysis(Analysis[ReadersResult]):
    """Says what other programs make of a tokenizer's file: the same ids, different ids, or a refusal, and why."""

    id = "readers"
    title = "Other programs"
    asks = "What do other programs make of this file?"
    doing = "Comparing with other programs"
    full_names = True
    chooses = "program"
    needs_text = False
    parts = (
        Part("head", "note"),
        Part("table", "table", "What each program makes of the file"),
        Part("detail", "tiles", "The shortest text found with different ids"),
        Part("how", "note"),
    )
    waiting = (
        "Asking the rules of other programs …",
        "A large file is read anew for each program, which can take a few seconds.",
    )

    def begin(self, inputs: AnalysisInputs) -> ReadersResult:
        return ReadersResult()

    def work(self, inputs: AnalysisInputs, result: ReadersResult) -> TaskWork:
        texts: Iterable[str] = inputs.values.get("texts", [inputs.text] if inputs.text else [])
        job = ReadersJob(inputs.subjects[0].tokenizer, texts)
        yield from slices(job)
        result.take(job.results)

    def table(self, inputs: AnalysisInputs, result: ReadersResult) -> Table[ProgramResult]:
        return _table(result.programs)

    def printed(self, inputs: AnalysisInputs, result: ReadersResult) -> Table[ProgramResult] | None:
        return _table(result.reading) if result.reading else None

    def remarks(self, inputs: AnalysisInputs, result: ReadersResult) -> list[str]:
        return [result.sentence]

    def as_json(self, inputs: AnalysisInputs, result: ReadersResult) -> object:
        source = inputs.subjects[0].tokenizer.source
        return {
            "file": source.path,
            "format": source.format,
            "worst": result.worst,
            "programs": [asdict(one) for one in result.programs],
        }

    def show(self, inputs: AnalysisInputs, result: ReadersResult) -> Mapping[str, object]:
        name = isolated(inputs.subjects[0].full_name)
        shown: dict[str, object] = {"head": f"{name}. {result.sentence}", "how": HOW}
        if result.reading:
            worst = sorted(result.reading, key=lambda one: VERDICTS.index(one.verdict))
            shown["table"] = _table(worst)
        return shown

    def show_chosen(
        self, inputs: AnalysisInputs, result: ReadersResult, key: Hashable
    ) -> Mapping[str, object]:
        one = next((one for one in result.reading if one.name == key), None)
        if one is None:
            return {}
        tokenizer = inputs.subjects[0].tokenizer
        rows = []
        if one.text is not None:
            around = " with the ids around it" if one.around else ""
            text = quoted(one.text.encode("utf-8", "replace"), 200)
            rows.append(_tiles(tokenizer, f"{text}{around}, as this file says", one.ids))
            if one.verdict == OTHER:
                rows.append(_tiles(tokenizer, f"{text}{around}, in {one.name}", one.other_ids))
        said = one.cause or "None of its rules applies to this file."
        title = f"{one.name}: {WORDS[one.verdict]}. {said}"
        if one.texts_tried:
            title += f" {counted(one.texts_tried, 'text was', 'texts were')} tried."
        return {"detail": TilesCard(title, tokenizer, rows, plain=True)}


def _tiles(tokenizer: tc.Tokenizer, heading: str, ids: Sequence[int]) -> TileRow:
    """Returns ids as tiles; those that the tokenizer does not have are written."""
    size = len(tokenizer.vocabulary)
    if all(0 <= id < size for id in ids):
        more = f" (the first {TILES} of {len(ids):,})" if len(ids) > TILES else ""
        return TileRow(ids[:TILES], f"{heading}: {counted(len(ids), 'token')}{more}")
    written = " ".join(map(str, ids[:TILES]))
    return TileRow((), f"{heading}: {written}. This file does not have all of these ids.")


def _table(programs: Sequence[ProgramResult]) -> Table[ProgramResult]:
    def ids(values: Sequence[int]) -> TableCell:
        return TableCell(" ".join(map(str, values)))

    def text(one: ProgramResult) -> TableCell:
        if one.text is None:
            return TableCell("", "")
        shown = quoted(one.text.encode("utf-8", "replace"), SHOWN)
        return TableCell(shown, one.text, tip=shown)

    def verdict(one: ProgramResult) -> TableCell:
        return TableCell(WORDS[one.verdict], one.verdict, order=VERDICTS.index(one.verdict))

    def cause(one: ProgramResult) -> TableCell:
        short = one.cause if len(one.cause) <= SHOWN else f"{one.cause[:SHOWN]}…"
        return TableCell(one.cause, one.cause, printed=short, tip=one.cause)

    columns: list[TableColumn[ProgramResult]] = [
        TableColumn(lambda one: TableCell(one.name), "Program", "Program", "program", number=False),
        TableColumn(verdict, "Result", "Result", "result", number=False),
        TableColumn(text, "Shortest text found", "Text", "text", number=False),
        TableColumn(cause, "Why", "Why", "why", number=False, grows=True),
        TableColumn(lambda one: ids(one.ids), file="Ids"),
        TableColumn(lambda one: ids(one.other_ids), file="Ids of the program"),
        TableColumn(lambda one: TableCell(one.compared), "Compared", "Compared", None, number=False, tip="When the rules were last compared with the program itself", spare=True),
    ]  # fmt: skip
    return Table(columns, programs, lambda one: one.name, seen=14, sortable=True)


READERS = ReadersAnalysis()
