"""How tokenizers write whole numbers: the page Numbers of Compare and ``tokenarium numbers``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, field

import tokenarium_core as tc
from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.field import Number
from tokenarium.analyses.parts import Part, ShownChart
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, grouped_bars
from tokenarium.models.text.piece import counted
from tokenarium_core.progress import Progress

MOST = 99_999
AT_ONCE = 100  # numbers that are encoded between two looks at the clock

EXACT = (
    "Each number is encoded alone, without separators: every token counts, even one without a digit, such as a ▁ before it."
    " Groups are those of the numbers of four and more digits. Why they matter: Singh and Strouse 2024, “Tokenization counts”."
)  # fmt: skip


@dataclass(slots=True)
class NumberCounts:
    """How often a number of so many digits has so many tokens, and the greatest number, cut into its tokens.

    ``cuts``: the digits of each token, for numbers of four and more digits. ``lost`` numbers have other digits in their
    tokens.
    """

    counts: Counter[tuple[int, int]] = field(default_factory=Counter)
    cuts: set[tuple[int, ...]] = field(default_factory=set)
    lost: int = 0
    example: str = ""

    def mean(self, digits: int = 0) -> float:
        """Returns the mean tokens of a number, or of one with so many digits."""
        some = {key: count for key, count in self.counts.items() if digits in (0, key[0])}
        return sum(tokens * count for (_, tokens), count in some.items()) / sum(some.values())

    def share(self, least: int, most: int) -> float:
        """Returns the share of the numbers with so many tokens."""
        some = (count for (_, tokens), count in self.counts.items() if least <= tokens <= most)
        return sum(some) / self.counts.total()


def grouping(cuts: Collection[tuple[int, ...]]) -> str:
    """Returns from which side digits are grouped, by the digits of the tokens of some numbers."""
    if not cuts:
        return "too few digits"
    size = max(map(max, cuts))
    if size == 1 or all(len(cut) == 1 for cut in cuts):
        return "each digit" if size == 1 else "whole"
    left = all(set(cut[:-1]) <= {size} for cut in cuts)
    right = all(set(cut[1:]) <= {size} for cut in cuts)
    return ("mixed", "from the right", "from the left", "from either side")[2 * left + right]


class NumbersAnalysis(EachAnalysis[NumberCounts]):
    """Counts the tokens of whole numbers from 0 on, and finds from which side their digits are grouped."""

    id = "numbers"
    exact = EXACT
    title = "Numbers"
    asks = "How does each tokenizer write whole numbers?"
    doing = "Encoding numbers"
    fields = (Number("up_to", "The greatest number.", "Up to", default=9999, high=MOST),)
    needs_text = False
    several = True
    parts = (Part("table", "table", "Tokens of numbers"), Part("bars", "bars", "Mean tokens by number of digits"), Part("note", "note"))  # fmt: skip

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, NumberCounts]:  # fmt: skip
        up_to, tokenizer = inputs.values["up_to"], subject.tokenizer
        if not 0 <= up_to <= MOST:
            raise tc.ArgumentError(
                f"The greatest number is {up_to:,}: give one from 0 to {MOST:,}."
            )
        counts, held = NumberCounts(), dict[int, str]()  # the digits of tokens
        for number in range(up_to + 1):
            text = str(number)
            ids = tokenizer.encode_ids(text)
            for token in set(ids) - held.keys():
                held[token] = "".join(chr(byte) for byte in tokenizer.vocabulary.piece(token) if byte in b"0123456789")  # fmt: skip
            parts = [held[token] for token in ids if held[token]]
            counts.counts[len(text), len(ids)] += 1
            counts.lost += "".join(parts) != text
            if len(text) > 3:
                counts.cuts.add(tuple(map(len, parts)))
            counts.example = " ".join(parts)
            if number % AT_ONCE == 0:
                yield Progress(subject.full_name, number, up_to + 1, False)
        return counts

    def table(self, inputs: AnalysisInputs, result: Each[NumberCounts]) -> Table[Subject]:
        def column(head: str, json: str, value: Callable[[NumberCounts], float | str], tip: str = "") -> TableColumn[Subject]:  # fmt: skip
            def cell(one: Subject) -> TableCell:
                if one.key in result.found:
                    made = value(result.found[one.key])
                    if isinstance(made, str):
                        return TableCell(made, value=made)
                    shown = f"{made:.1%}" if json.startswith("share") else f"{made:.2f}"
                    return TableCell(shown, f"{made:.6g}", order=made, value=made)
                said = "not defined" if one.key in result.faults else "counting …"
                return TableCell(said * (json == "groups"), tip=result.faults.get(one.key, ""))

            return TableColumn(cell, head, head, head.lower(), json not in ("groups", "example"), tip=tip, json=json)  # fmt: skip

        columns = [
            TOKENIZER,
            column("Groups", "groups", lambda one: "unknown" if one.lost else grouping(one.cuts), "The side from which the digits of numbers of four and more digits are grouped; unknown if tokens do not hold them"),
            column("Example", "example", lambda one: one.example, "The greatest number, as its tokens divide its digits"),
            column("Mean tokens", "mean_tokens", NumberCounts.mean),
            column("1 token", "share_1", lambda one: one.share(1, 1)),
            column("2 tokens", "share_2", lambda one: one.share(2, 2)),
            column("3 tokens", "share_3", lambda one: one.share(3, 3)),
            column("More", "share_more", lambda one: one.share(4, MOST), "Numbers of four and more tokens"),
        ]  # fmt: skip
        title, done = f"The numbers from 0 to {inputs.values['up_to']:,}", result.found
        return Table(columns, inputs.subjects, lambda one: one.key, title, lambda one: one.key in done)  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[NumberCounts]) -> Mapping[str, object]:
        sizes, series = range(1, len(str(inputs.values["up_to"])) + 1), []
        for subject in (one for one in inputs.subjects if one.key in result.found):
            means = map(result.found[subject.key].mean, sizes)
            bars = [ChartBar(mean, f"{mean:.2f} tokens", [f"{mean:.6g}"]) for mean in means]
            series.append(BarSeries(subject.name, subject.colour, bars))
        mean, names = Axis("Mean tokens of a number"), [counted(size, "digit") for size in sizes]
        chart = grouped_bars(mean, Axis("Digits"), names, series, [mean.title])
        table, height = self.table(inputs, result), 12 + len(names) * (2 + len(series))
        shown = {"bars": ShownChart(chart, f"{table.title}.", height)} if series else {}
        return {"table": table, "note": EXACT, **shown}

    def as_json(self, inputs: AnalysisInputs, result: Each[NumberCounts]) -> object:
        rows = self.table(inputs, result).values()
        for subject, row in zip(inputs.subjects, rows, strict=True):
            counts = result.found[subject.key]
            means = {str(size): counts.mean(size) for size in sorted({size for size, _ in counts.counts})}  # fmt: skip
            row |= {"tokenizer": subject.full_name, "lost": counts.lost, "mean_by_digits": means}
        return {"up_to": inputs.values["up_to"], "tokenizers": rows}


NUMBERS = NumbersAnalysis()
