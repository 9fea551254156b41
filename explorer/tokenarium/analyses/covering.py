"""The sequences of ids that a prompt may be the beginning of: the page Covering of Tokens and ``tokenarium covering``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import tokenarium_core as tc
from tokenarium.analyses.analysis import Analysis, AnalysisInputs
from tokenarium.analyses.parts import TILES, Part, TilesCard, part_row
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.covering import CoveringJob, CoveringPlace
from tokenarium.models.text.covering_words import covering_sentence, end_of_prompt
from tokenarium.models.text.piece import quoted, readable
from tokenarium.models.text.ways_words import all_digits, big_number

MOST = 20_000
"""Most characters of a prompt."""

EXACT = (
    "The covering of a prompt are all sequences of ids that decode to a text which begins with the prompt, and would not"
    " without their last id. The probability of a prompt is the sum of theirs (Vieira et al. 2024). A sequence is"
    " canonical if encoding its text gives it: a model has seen almost no others."
)  # fmt: skip


class CoveringAnalysis(Analysis[CoveringJob]):
    """Finds all sequences of ids that a prompt may be the beginning of, by where their last id begins.

    Their decoding begins with the prompt, and without the last id it does not.
    """

    id = "covering"
    exact = EXACT
    title = "Covering"
    term = "covering"
    asks = "Which sequences of ids may {} be the beginning of?"
    doing = "Finding the sequences that begin with the prompt"
    page_limit = 1_000
    chooses = "place"
    parts = (
        Part("table", "table", "Sequences by where the last id begins"),
        Part("prompt", "tiles", "Encoding of the prompt"),
        Part("detail", "tiles", "Last ids of the chosen row"),
        Part("note", "note"),
    )

    def begin(self, inputs: AnalysisInputs) -> CoveringJob:
        front = inputs.subjects[0]
        if len(inputs.text) > MOST:
            raise tc.ArgumentError(f"The prompt has {len(inputs.text):,} characters: give at most {MOST:,}, such as its end.")  # fmt: skip
        job = CoveringJob(front.tokenizer, inputs.text, inputs.cache.get(front.key))
        inputs.cache[front.key] = job.starts
        return job

    def work(self, inputs: AnalysisInputs, result: CoveringJob) -> TaskWork:
        yield from slices(result)

    def table(self, inputs: AnalysisInputs, result: CoveringJob) -> Table[CoveringPlace]:
        data, last = result.covering.data, result.covering.last_at

        def column(cell: Callable[[CoveringPlace], TableCell], title: str | None, file: str, json: str = "", tip: str = "", text: bool = False) -> TableColumn[CoveringPlace]:  # fmt: skip
            return TableColumn(cell, title, file, None if title is None else file.lower(), not text, tip=tip, grows=text, json=json)  # fmt: skip

        def number(value: Callable[[CoveringPlace], int]) -> Callable[[CoveringPlace], TableCell]:
            def cell(row: CoveringPlace) -> TableCell:
                made = value(row)
                return TableCell(big_number(made), all_digits(made), order=made, value=made)

            return cell

        columns = [
            column(lambda row: TableCell(end_of_prompt(data[: row.at]), readable(data[: row.at], 400), order=row.at, tip=readable(data[: row.at], 400)), "Before", "Before", tip="The prompt up to where the last token begins", text=True),
            column(lambda row: TableCell(readable(row.rest, 48), order=-row.at), "Rest", "Begins with", tip="The rest of the prompt, with which the last token begins", text=True),
            column(lambda row: TableCell("encoding" * (row.at == last)), "", "Encoding", tip="Where the last token of the prompt’s encoding begins"),
            column(lambda row: TableCell(str(row.at), value=row.at), None, "Byte", "at"),
            column(lambda row: TableCell(row.rest.hex(), value=row.rest.hex()), None, "Rest in hexadecimal", "rest"),
            column(number(lambda row: row.before), "Ways before", "Ways before", "before", "How many sequences of ids decode to what is before the last token"),
            column(number(lambda row: len(row.entries)), "Entries", "Entries", tip="Entries that begin with the rest"),
            column(number(lambda row: row.sequences), "Sequences", "Sequences", "sequences", "Sequences of the covering whose last token begins here"),
            column(number(lambda row: len(row.canonical)), "Canonical", "Canonical", tip="Those of them that are the encoding of their own text"),
        ]  # fmt: skip
        return Table(columns, result.covering.places, lambda row: str(row.at), covering_sentence(result.covering), seen=8, sortable=True)  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: CoveringJob) -> Mapping[str, object]:
        front, ids = inputs.subjects[0], result.covering.ids
        row = part_row("Encoding of the prompt", ids, max(len(ids) - TILES, 0), lit=True)
        return {
            "table": self.table(inputs, result),
            "prompt": TilesCard(
                f"{front.name}: {covering_sentence(result.covering)}", front.tokenizer, [row]
            ),
            "note": EXACT,
        }

    def show_chosen(
        self, inputs: AnalysisInputs, result: CoveringJob, key: Hashable
    ) -> Mapping[str, object]:
        places = result.covering.places
        place = next((place for place in places if str(place.at) == key), None)
        if place is None:
            return {}
        canonical = set(place.canonical)
        others = [token for token in place.entries if token not in canonical]
        named = (("Canonical", place.canonical), ("Not canonical", others))
        rows = [part_row(name, ids, what=("entry", "entries")) for name, ids in named if ids]
        title = f"Last tokens that begin with {quoted(place.rest, 60)}"
        return {"detail": TilesCard(title, inputs.subjects[0].tokenizer, rows, strong=True)}

    def as_json(self, inputs: AnalysisInputs, result: CoveringJob) -> object:
        covering = result.covering
        rows = self.table(inputs, result).values()
        for place, row in zip(covering.places, rows, strict=True):
            for name in ("before", "sequences"):
                row[name] = all_digits(getattr(place, name))
            row |= {"entries": place.entries, "canonical": place.canonical}
        return {
            "tokenizer": inputs.subjects[0].full_name,
            "prompt": covering.data.decode(),
            "ids": covering.ids,
            "sequences": all_digits(covering.sequences),
            "canonical": covering.canonical,
            "places": rows,
        }


COVERING = CoveringAnalysis()
