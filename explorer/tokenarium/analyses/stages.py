"""The stages of tokenizers side by side, and a text at each: the page Stages of Compare and ``tokenarium stages``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

from tokenarium.analyses.analysis import AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.parts import Part
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.tokenizers.stage_facts import StageFact, stage_facts
from tokenarium.resources.glossary import explanation
from tokenarium_core.progress import Progress

FEW = 3
"""Tokenizers whose columns share the width of a window; more scroll."""


class StagesAnalysis(EachAnalysis[list[StageFact]]):
    """Writes the stages of tokenizers side by side: what each is, and what becomes of a text there."""

    id = "stages"
    title = "Stages"
    asks = "Which stages does {} pass through?"
    doing = "Looking at the stages"
    several = True
    page_limit = 300
    parts = (
        Part("table", "table", "The stages of the tokenizers"),
        Part("head", "note"),
        Part("text", "table", "The text at each stage"),
    )

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, list[StageFact]]:  # fmt: skip
        yield Progress(subject.full_name, 0, 1, False)
        return stage_facts(subject.tokenizer, inputs.text)

    def table(self, inputs: AnalysisInputs, result: Each[list[StageFact]]) -> Table[int]:
        return _table(inputs, result, [("", "", lambda one: one.about), (": text", "_text", lambda one: one.text)])  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[list[StageFact]]) -> Mapping[str, object]:
        shown: dict[str, object] = {"table": _table(inputs, result, [("", "", lambda one: one.about)])}  # fmt: skip
        if result.found:
            shown["head"] = "The same text after each stage. Point at a cell to read all of it."
            shown["text"] = _table(inputs, result, [("", "", lambda one: one.text)])
        elif result.faults:
            shown["head"] = "\n".join(result.faults.values())
        return shown

    def as_json(self, inputs: AnalysisInputs, result: Each[list[StageFact]]) -> object:
        return {
            "text": inputs.text,
            "tokenizers": {
                subject.full_name: {
                    one.name: {"is": one.about, "text": one.text}
                    for one in result.found[subject.key]
                }
                for subject in inputs.subjects
            },
        }


Values = list[tuple[str, str, Callable[[StageFact], str]]]
"""The columns of a tokenizer: what is written after its name, after its name in JSON, and the value."""


def _table(inputs: AnalysisInputs, result: Each[list[StageFact]], values: Values) -> Table[int]:
    """Returns a row for each stage, by its number, and these columns for each tokenizer."""
    names = next(iter(result.found.values()), [])

    def stage(row: int) -> TableCell:
        return TableCell(names[row].name, tip=explanation(names[row].term), value=names[row].name)

    columns = [TableColumn(stage, "Stage", "Stage", "stage", number=False, json="stage")]
    for subject in inputs.subjects:
        for after, json, value in values:
            columns.append(_column(subject, result, after, json, value))
    many = len(inputs.subjects) > FEW
    return Table(columns, range(len(names)), str, seen=8, scrolls=many)


def _column(
    subject: Subject,
    result: Each[list[StageFact]],
    after: str,
    json: str,
    value: Callable[[StageFact], str],
) -> TableColumn[int]:
    def cell(row: int) -> TableCell:
        if subject.key not in result.found:
            fault = result.faults.get(subject.key, "")
            return TableCell("not defined" if fault else "", tip=fault)
        made = value(result.found[subject.key][row])
        return TableCell(made, tip=made, value=made)

    name = subject.name + after
    return TableColumn(
        cell, name, subject.full_name + after, name,
        number=False, colour=subject.colour, grows=True, json=f"{subject.full_name}{json}",
    )  # fmt: skip


STAGES = StagesAnalysis()
