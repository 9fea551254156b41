"""What other rules for digits would do to the tokens of a text: the page Digits of Compare and ``tokenarium digits``."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.parts import Part, ShownChart, TileRow, TilesCard, part_row
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, grouped_bars
from tokenarium.models.text.digit_cuts import DIGIT_RULES, DigitCuts
from tokenarium.models.text.perturbing import difference_text
from tokenarium.models.text.piece import counted, quoted
from tokenarium_core.progress import Progress

OWN = "own"
"""The name of the tokenizer's own encoding, beside the ids of the rules."""

TITLES = {OWN: "As it is"} | {rule.id: rule.title for rule in DIGIT_RULES}

BEFORE = 2
"""Tokens that are shown before the first difference."""

EXACT = (
    "A rule splits the numbers before the tokenizer's own pre-tokenizer, which sees each part by itself: a space before a"
    " number stays with the text before it. The vocabulary is the same, so a group without an entry is several tokens."
)  # fmt: skip


class DigitsAnalysis(EachAnalysis[dict[str, list[int]]]):
    """Encodes a text as it is, and with its numbers split first: into single digits, or threes from the right or left.

    The ids are those of tokenizers with a Split put before all other pre-tokenizers.
    """

    id = "digits"
    exact = EXACT
    title = "Digits"
    term = "digit grouping"
    asks = "What would other rules for digits do to {}?"
    doing = "Splitting numbers"
    several = True
    parts = (
        Part("table", "table", "Tokens by the rule for digits"),
        Part("tiles", "tiles", "Tokens of the front tokenizer by the rule for digits"),
        Part("bars", "bars", "Tokens by the rule for digits"),
        Part("note", "note"),
    )

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, dict[str, list[int]]]:  # fmt: skip
        ids = {OWN: subject.tokenizer.encode_ids(inputs.text)}
        for done, rule in enumerate(DIGIT_RULES, 1):
            yield Progress(subject.full_name, done, len(DIGIT_RULES) + 1, False)
            ids[rule.id] = DigitCuts(subject.tokenizer, rule).encode_ids(inputs.text)
        return ids

    def table(self, inputs: AnalysisInputs, result: Each[dict[str, list[int]]]) -> Table[Subject]:
        def count(id: str) -> TableColumn[Subject]:
            def cell(one: Subject) -> TableCell:
                if one.key in result.found:
                    size = len(result.found[one.key][id])
                    return TableCell(f"{size:,}", str(size), order=size)
                said = "not defined" if one.key in result.faults else "counting …"
                return TableCell(said * (id == OWN), tip=result.faults.get(one.key, ""))

            return TableColumn(cell, TITLES[id], TITLES[id], TITLES[id].lower())

        def difference(id: str) -> TableColumn[Subject]:
            def cell(one: Subject) -> TableCell:
                if one.key not in result.found:
                    return TableCell("")
                more = _more(result.found[one.key], id)
                return TableCell(difference_text(more), str(more), order=more)

            tip = f"{TITLES[id]}: tokens more or fewer than the text has as it is"
            return TableColumn(cell, "±", f"{TITLES[id]}: difference", "±", tip=tip, spare=True)

        columns = [TOKENIZER, count(OWN)]
        for rule in DIGIT_RULES:
            columns += [count(rule.id), difference(rule.id)]
        done = result.found
        return Table(columns, inputs.subjects, lambda one: one.key, "Tokens by the rule for digits", lambda one: one.key in done)  # fmt: skip

    def show(
        self, inputs: AnalysisInputs, result: Each[dict[str, list[int]]]
    ) -> Mapping[str, object]:
        front = inputs.subjects[0]
        shown: dict[str, object] = {"note": EXACT, "table": self.table(inputs, result)}
        ids, fault = result.found.get(front.key), result.faults.get(front.key)
        if ids is not None:
            shown["tiles"] = TilesCard(f"{front.name}: {_sentence(ids)}", front.tokenizer, _rows(ids))  # fmt: skip
        else:
            said = f"{front.name}: {fault}" if fault else f"{front.name} is being asked …"
            shown["tiles"] = TilesCard(said, front.tokenizer)
        series = []
        for subject in (one for one in inputs.subjects if one.key in result.found):
            sizes = [len(some) for some in result.found[subject.key].values()]
            bars = [ChartBar(size, counted(size, "token"), [str(size)]) for size in sizes]
            series.append(BarSeries(subject.name, subject.colour, bars))
        if series:
            chart = grouped_bars(Axis("Tokens"), Axis("Digits"), list(TITLES.values()), series, ["Tokens"])  # fmt: skip
            caption = f"Text: {quoted(inputs.text.encode('utf-8', 'replace'), 60)}."
            shown["bars"] = ShownChart(chart, caption, 12 + len(TITLES) * (2 + len(series)))
        return shown

    def as_json(self, inputs: AnalysisInputs, result: Each[dict[str, list[int]]]) -> object:
        tokenizers = [
            {"tokenizer": one.full_name}
            | {id: {"tokens": len(ids), "ids": ids} for id, ids in result.found[one.key].items()}
            for one in inputs.subjects
        ]
        rules = {rule.id: rule.pattern for rule in DIGIT_RULES}
        return {"text": inputs.text, "patterns": rules, "tokenizers": tokenizers}


def _more(ids: Mapping[str, list[int]], id: str) -> int:
    return len(ids[id]) - len(ids[OWN])


def _sentence(ids: Mapping[str, list[int]]) -> str:
    """Returns what the rules do to the number of tokens of a text."""
    if all(some == ids[OWN] for some in ids.values()):
        return f"{counted(len(ids[OWN]), 'token')}. No rule for digits changes one of them."
    said = [f"{difference_text(_more(ids, rule.id))} with {rule.title.lower()}" for rule in DIGIT_RULES]  # fmt: skip
    return f"{counted(len(ids[OWN]), 'token')} as it is; {', '.join(said)}."


def _rows(ids: Mapping[str, list[int]]) -> list[TileRow]:
    """Returns the tokens of each encoding, from shortly before the first difference."""
    same = 0
    while all(same < len(some) and some[same] == ids[OWN][same] for some in ids.values()):
        same += 1
    start = max(same - BEFORE, 0) if any(some != ids[OWN] for some in ids.values()) else 0
    return [part_row(TITLES[id], some, start, lit=id == OWN) for id, some in ids.items()]


DIGITS = DigitsAnalysis()
