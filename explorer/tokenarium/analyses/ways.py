"""How many sequences of ids decode to a text, and the best of them: the page Ways and ``tokenarium ways``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import ClassVar

from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.field import Flag, Number
from tokenarium.analyses.parts import Part, ShownChart, TileRow, TilesCard
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.task import slices
from tokenarium.models.text.piece import counted, quoted, readable
from tokenarium.models.text.ways_words import all_digits, big_number, ways_chart, ways_sentence
from tokenarium_core.explaining.decoded_pieces import DecodedPieces
from tokenarium_core.explaining.ways import WayOfText, Ways, WaysJob
from tokenarium_core.progress import Progress

RankedWay = tuple[int, WayOfText]
WayColumn = TableColumn[RankedWay]

TILES = 60
"""Most tokens of a sequence that is shown as tiles."""

DIGITS = 400
"""Digits of a number that a tip shows."""


HEADS = (
    ("Sequences", "Sequences"),
    ("log2/byte", "log2/byte"),
    ("Tokens", "Tokens"),
    ("With fewer", "With fewer"),
    ("Encoding", "Ids of encoding"),
)
"""The columns beside the tokenizer, in a window and in files."""


class WaysAnalysis(EachAnalysis[Ways]):
    """Counts the sequences of ids that decode to a text, and writes the best of them."""

    id = "ways"
    title = "Ways"
    term = "non-canonical tokens"
    asks = "How many sequences of ids decode to {}?"
    fields = (
        Number("best", "How many of the best sequences are written.", default=10, high=1000),
        Flag("special", "Also count special tokens, if they decode to text."),
        Flag("exact", "Write only the number, with all its digits."),
    )
    plain = "exact"
    page_values: ClassVar = {"best": 8}
    parts = (
        Part("table", "table", "Sequences of ids by tokenizer"),
        Part("best", "tiles"),
        Part("chart", "plot", "Sequences by their number of tokens"),
    )
    more = """
best = {name: [way.ids for way in one.best] for name, one in answer.result.found.items()}
lengths = {name: one.by_length for name, one in answer.result.found.items()}  # sequences by their number of tokens
"""

    def working(self, inputs: AnalysisInputs) -> str:
        return f"Counting the ways of {inputs.subjects[0].full_name}"

    def work_on(
        self, subject: Subject, inputs: AnalysisInputs
    ) -> Generator[Progress | None, None, Ways]:
        if subject.key not in inputs.cache:
            inputs.cache[subject.key] = DecodedPieces(subject.tokenizer, inputs.values["special"])
            yield Progress("preparing", 0, 1, False)
        pieces, best = inputs.cache[subject.key], inputs.values["best"]
        job = WaysJob(subject.tokenizer, inputs.text, best, inputs.values["special"], pieces)
        yield from slices(job)
        return job.ways

    def table(self, inputs: AnalysisInputs, result: Each[Ways]) -> Table[Subject]:
        columns: list[TableColumn[Subject]] = [TOKENIZER]
        for at, (title, file) in enumerate(HEADS):

            def cell(one: Subject, at: int = at) -> TableCell:
                if one.key in result.found:
                    return _cells(result.found[one.key])[at]
                fault = result.faults.get(one.key, "")
                said = "not defined" if fault else "counting …"
                return TableCell("" if at else said, tip="" if at else fault)

            columns.append(
                TableColumn(cell, title, file, spare=at in (1, 3), term=self.term * (at == 4))
            )
        return Table(
            columns, inputs.subjects, lambda one: one.key, ready=lambda one: one.key in result.found
        )

    def show(self, inputs: AnalysisInputs, result: Each[Ways]) -> Mapping[str, object]:
        front = inputs.subjects[0]
        ways, fault = result.found.get(front.key), result.faults.get(front.key)
        shown: dict[str, object] = {"table": self.table(inputs, result)}
        if ways is None:
            said = f"{front.name}: {fault}" if fault else f"{front.name} is being counted …"
            return shown | {"best": TilesCard(said, front.tokenizer)}
        said = f"{front.name}: {ways_sentence(ways)}"
        if not ways.comes_back:
            said += (
                f" The text does not survive a round trip: this is about {quoted(ways.data, 60)}."
            )
        shown["best"] = TilesCard(said, front.tokenizer, _rows(ways))
        if ways.by_length and ways.count > 1:
            chart = ways_chart(ways, front.colour)
            shown["chart"] = ShownChart(
                chart,
                f"Text: {quoted(ways.data, 60)}.",
                10 + 3 * len(chart.bars),
                f"Sequences by their number of tokens: {front.name}",
            )
        return shown

    # The command, which is given one tokenizer.

    def summary_lines(self, inputs: AnalysisInputs, result: Each[Ways]) -> list[str]:
        (ways,) = result.found.values()
        if inputs.values["exact"]:
            return [all_digits(ways.count)]
        size = f"log2: {ways.bits_per_byte:.3f} bits per byte, {len(ways.data):,} bytes"
        lost = "The text does not survive a round trip: this is about what its ids decode to."
        return [ways_sentence(ways), size, *([] if ways.comes_back else [lost])]

    def printed(self, inputs: AnalysisInputs, result: Each[Ways]) -> Table[RankedWay] | None:
        (ways,) = result.found.values()
        if not ways.count or not ways.best:
            return None
        pieces = inputs.subjects[0].tokenizer.vocabulary.surface

        def column(head: str, cell: Callable[[int, list[int]], str], *kinds: str) -> WayColumn:
            return TableColumn(
                lambda row: TableCell(cell(row[0], row[1].ids)),
                terminal=head, number="number" in kinds, grows="grows" in kinds,
            )  # fmt: skip

        columns = [
            column("", lambda at, _: str(at), "number"),
            column("tokens", lambda _, ids: "·".join(readable(pieces(token).encode()) for token in ids), "grows"),
            column("n", lambda _, ids: str(len(ids)), "number"),
            column("ids", lambda _, ids: " ".join(map(str, ids)), "grows"),
            column("", lambda _, ids: "encoding" * (ids == ways.canonical)),
        ]  # fmt: skip
        title = f"The best {len(ways.best)} of {big_number(ways.count)}, by {ways.order}"
        return Table(columns, list(enumerate(ways.best, 1)), str, title)

    def as_json(self, inputs: AnalysisInputs, result: Each[Ways]) -> object:
        (ways,) = result.found.values()
        tokenizer = inputs.subjects[0].tokenizer
        pieces = tokenizer.vocabulary.surface
        return {
            "tokenizer": tokenizer.name,
            "bytes": len(ways.data),
            "comes_back": ways.comes_back,
            "ways": all_digits(ways.count),
            "bits_per_byte": ways.bits_per_byte,
            "canonical": ways.canonical,
            "by_length": ways.by_length,
            "order": ways.order,
            "best": [
                {"ids": way.ids, "score": way.score, "pieces": [pieces(n) for n in way.ids]}
                for way in ways.best
            ],
        }


def _cells(found: Ways) -> list[TableCell]:
    """Returns what is known of one tokenizer, under `HEADS`."""
    digits = all_digits(found.count)
    tip = f"{digits[:DIGITS]}{' …' * (len(digits) > DIGITS)} ({counted(len(digits), 'digit')})"
    known = found.shorter >= 0
    return [
        TableCell(big_number(found.count), digits, tip=tip),
        TableCell(f"{found.bits_per_byte:.2f}", f"{found.bits_per_byte:.6f}"),
        TableCell(f"{len(found.canonical):,}", str(len(found.canonical))),
        TableCell(big_number(found.shorter) if known else "–", all_digits(found.shorter) * known),
        TableCell(
            f"1 in {big_number(found.count)}" if found.count else "–",
            " ".join(map(str, found.canonical)),
        ),
    ]


def _rows(found: Ways) -> list[TileRow]:
    """Returns the best sequences, if they are short enough to be seen."""
    if len(found.canonical) > TILES or not found.best:
        return [TileRow(heading="Select a word or a line to see its best sequences.")]
    rows = []
    for index, way in enumerate(found.best, 1):
        lit = way.ids == found.canonical
        said = [counted(len(way.ids), "token")]
        if way.score:
            said.append(f"score {way.score:.2f}".replace("-", "−"))
        if lit:
            said.append("encoding")
        heading = f"The best ones, by {found.order}" if index == 1 else ""
        rows.append(TileRow(way.ids, heading, str(index), " · ".join(said), lit))
    return rows


WAYS = WaysAnalysis()
