"""What the first byte of a character says in UTF-8, and how many entries begin with it: the page First bytes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

import numpy as np

from tokenarium.analyses.analysis import AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.parts import Part
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lead_bytes import LEAD_BYTES, WHY, LeadBytes
from tokenarium_core.progress import Progress
from tokenarium_core.vocabulary import CONTROL, UNKNOWN, UNUSED

NOTE = (
    "The ones before the first zero give the length: two for a character of two bytes, three for three, four for four. A byte"
    " that begins with 0 is a character by itself. A byte that begins with 10 only continues a character, so a reader that"
    " starts anywhere finds the next one. Entries that begin with such a byte begin inside a character. Special, unknown and"
    " unused entries do not count."
)


class FirstBytesAnalysis(EachAnalysis[list[int]]):
    """Writes the table of the first bytes of characters in UTF-8, and counts the entries that begin with them."""

    id = "first_bytes"
    exact = NOTE
    title = "First bytes"
    term = "UTF-8"
    asks = "What does the first byte of a character say?"
    doing = "Counting the first bytes of entries"
    needs_text = False
    several = True
    parts = (Part("table", "table", "The first bytes of UTF-8"), Part("note", "note"))

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, list[int]]:  # fmt: skip
        """Returns how many entries begin with each of the 256 bytes."""
        yield Progress(subject.full_name, 0, 1, False)
        vocabulary = subject.tokenizer.vocabulary
        offsets = array_of(vocabulary.offsets)[: len(vocabulary) + 1]
        kinds = array_of(vocabulary.kinds)[: len(vocabulary)]
        counted = (offsets[1:] > offsets[:-1]) & ~np.isin(kinds, (CONTROL, UNKNOWN, UNUSED))
        firsts = np.frombuffer(vocabulary.arena, np.uint8)[offsets[:-1][counted]]
        return [int(count) for count in np.bincount(firsts, minlength=256)]

    def table(self, inputs: AnalysisInputs, result: Each[list[int]]) -> Table[LeadBytes]:
        columns = [
            _column("First byte", "first_byte", lambda one: one.name),
            _column("Bits", "bits", lambda one: one.bits),
            _column("Bytes", "bytes", lambda one: one.size or None, number=True),
            _column("Code points", "code_points", _code_points),
            _column("Example", "example", _example),
            _column("In UTF-8", "meaning", lambda one: one.meaning),
            *(_entries(subject, result.found[subject.key]) for subject in inputs.subjects if subject.key in result.found),
        ]  # fmt: skip
        return Table(columns, LEAD_BYTES, lambda one: one.name, scrolls=True)

    def show(self, inputs: AnalysisInputs, result: Each[list[int]]) -> Mapping[str, object]:
        return {"table": self.table(inputs, result), "note": NOTE}

    def as_json(self, inputs: AnalysisInputs, result: Each[list[int]]) -> object:
        entries = {one.full_name: result.found[one.key] for one in inputs.subjects}
        return {"ranges": self.table(inputs, result).values(), "entries_by_first_byte": entries}


def _column(
    head: str, json: str, value: Callable[[LeadBytes], str | int | None], number: bool = False
) -> TableColumn[LeadBytes]:
    def cell(one: LeadBytes) -> TableCell:
        made = value(one)
        tip = WHY.get(one.first, "") if json == "meaning" else ""
        return TableCell("–" if made is None else str(made), "" if made is None else None, tip=tip, value=made)  # fmt: skip

    return TableColumn(cell, head, head, head.lower(), number, grows=json == "meaning", json=json)


def _entries(subject: Subject, counts: list[int]) -> TableColumn[LeadBytes]:
    def cell(one: LeadBytes) -> TableCell:
        count = sum(counts[one.first : one.last + 1])
        return TableCell(f"{count:,}", str(count), order=count, tip=f"{count / max(sum(counts), 1):.1%} of the entries")  # fmt: skip

    name, tip = subject.name, f"Entries of {subject.full_name} that begin with one of these bytes"
    return TableColumn(cell, name, subject.full_name, name, tip=tip, colour=subject.colour)


def _code_points(one: LeadBytes) -> str | None:
    return f"U+{one.low:04X}–U+{one.high:04X}" if one.size else None


def _example(one: LeadBytes) -> str | None:
    return f"{one.example} {one.example.encode().hex(' ').upper()}" if one.size else None


FIRST_BYTES = FirstBytesAnalysis()
