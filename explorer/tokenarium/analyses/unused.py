"""Which entries of a script a text of it never uses: the page Unused entries and ``tokenarium unused``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tokenarium.analyses.analysis import AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.parts import Part, TileRow, TilesCard
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.scripts.text_scripts import CountedTokens, text_scripts
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES, VocabularyScripts
from tokenarium.models.text.piece import counted, readable
from tokenarium_core.progress import Progress
from tokenarium_core.unicode import SCRIPTS

EXAMPLES = 8
"""Entries that are named for each script in the table."""

TILES = 400
"""Entries of the chosen script that are shown with their ids."""

SEEN = 16
"""Rows that a window shows without scrolling."""

EXACT = (
    "For each script with letters in the text: the entries of the script, and those that no token of the text is. It depends on"
    " the length of the text: use a long one. An entry that is never used is not useless, since a script is written in several"
    " languages and on many subjects; one that is unused in all texts of a corpus may be."
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScriptUse:
    """The entries of a script, how many of them a text uses, and the names and ids of the first that it does not."""

    script: str
    entries: int
    used: int
    first: tuple[str, ...]
    ids: tuple[int, ...]

    @property
    def share(self) -> float | None:
        """The share of the entries that the text does not use; None if there are no entries."""
        return 1 - self.used / self.entries if self.entries else None


class UnusedRow(NamedTuple):
    """A row of the table: a tokenizer and a script."""

    subject: Subject
    use: ScriptUse


class UnusedAnalysis(EachAnalysis[list[ScriptUse]]):
    """Counts the entries of each script of a text that the text never uses."""

    id = "unused"
    exact = EXACT
    title = "Unused entries"
    term = "script"
    asks = "Which entries does {} never use?"
    doing = "Counting entries by script"
    several = True
    chooses = "script"
    parts = (
        Part("table", "table", "Entries of the scripts of the text"),
        Part("detail", "tiles", "Entries of the chosen row that the text never uses"),
        Part("note", "note"),
    )

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, list[ScriptUse]]:  # fmt: skip
        yield Progress(subject.full_name, 0, 2, False)
        tokenizer, vocabulary = subject.tokenizer, subject.tokenizer.vocabulary
        tokens = CountedTokens.of(tokenizer, tokenizer.encode(inputs.text))
        yield Progress(subject.full_name, 1, 2, False)
        sizes = text_scripts(inputs.text.encode("utf-8", "surrogatepass"), tokens).bytes
        scripts = VocabularyScripts(vocabulary)
        is_used = np.zeros(len(scripts.classes), np.bool_)
        is_used[tokens.ids] = True
        found = []
        for number in np.argsort(-sizes[: len(SCRIPTS)], kind="stable").tolist():
            if sizes[number] and CLASS_NAMES[number] not in ("Common", "Inherited"):
                of_script = scripts.classes == number
                unused = np.flatnonzero(of_script & ~is_used)
                first = tuple(readable(vocabulary.piece(token)) for token in unused[:EXAMPLES].tolist())  # fmt: skip
                total = int(of_script.sum())
                found.append(
                    ScriptUse(
                        CLASS_NAMES[number],
                        total,
                        total - len(unused),
                        first,
                        tuple(unused[:TILES].tolist()),
                    )
                )
        return found

    def table(self, inputs: AnalysisInputs, result: Each[list[ScriptUse]]) -> Table[UnusedRow]:
        columns = [
            TableColumn(lambda row: TableCell(row.subject.name, tip=row.subject.full_name, colour=row.subject.colour, value=row.subject.full_name), "Tokenizer", "Tokenizer", "tokenizer", number=False, json="tokenizer"),
            _column("Script", "script", lambda use: use.script),
            _column("Entries", "entries", lambda use: use.entries, ",.0f"),
            _column("Used", "used", lambda use: use.used, ",.0f"),
            _column("Never used", "never_used", lambda use: use.entries - use.used, ",.0f"),
            _column("Share never used", "share_never_used", lambda use: use.share, ".1%"),
            _column("The first of them", "first", lambda use: " ".join(use.first), grows=True),
        ]  # fmt: skip
        return Table(columns, _rows(inputs, result), _key, seen=SEEN, sortable=True)

    def show(self, inputs: AnalysisInputs, result: Each[list[ScriptUse]]) -> Mapping[str, object]:
        faults = [f"{one.full_name}: {result.faults[one.key]}" for one in inputs.subjects if one.key in result.faults]  # fmt: skip
        return {"table": self.table(inputs, result), "note": "\n".join([EXACT, *faults])}

    def show_chosen(
        self, inputs: AnalysisInputs, result: Each[list[ScriptUse]], key: Hashable
    ) -> Mapping[str, object]:
        row = next((row for row in _rows(inputs, result) if _key(row) == key), None)
        if row is None:
            return {}
        use, unused = row.use, row.use.entries - row.use.used
        title = f"{row.subject.name}, {use.script}: the text never uses {counted(unused, 'entry', 'entries')}"
        more = f"The first {TILES}, by id" if unused > TILES else "By id"
        rows = [TileRow(use.ids, more)] if use.ids else []
        return {"detail": TilesCard(title, row.subject.tokenizer, rows, strong=True)}

    def as_json(self, inputs: AnalysisInputs, result: Each[list[ScriptUse]]) -> object:
        return {"scripts": self.table(inputs, result).values()}


def _rows(inputs: AnalysisInputs, result: Each[list[ScriptUse]]) -> list[UnusedRow]:
    return [UnusedRow(one, use) for one in inputs.subjects for use in result.found.get(one.key, [])]


def _key(row: UnusedRow) -> str:
    return f"{row.subject.key}\n{row.use.script}"


def _column(head: str, json: str, value: Callable[[ScriptUse], float | str | None], form: str = "", grows: bool = False) -> TableColumn[UnusedRow]:  # fmt: skip
    def cell(row: UnusedRow) -> TableCell:
        made = value(row.use)
        if made is None:
            return TableCell("–", "")
        if isinstance(made, str):
            return TableCell(made, value=made)
        return TableCell(format(made, form), f"{made:.6g}", order=made, value=made)

    return TableColumn(cell, head, head, head.lower(), number=bool(form), grows=grows, json=json)


UNUSED = UnusedAnalysis()
