"""What small changes of a text do to its tokens: the page Perturb and ``tokenarium perturb``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from tokenarium.analyses.analysis import Analysis, AnalysisInputs, Subject
from tokenarium.analyses.field import Choices, Number
from tokenarium.analyses.parts import Part, ShownChart, TilesCard, part_row
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, loses
from tokenarium.models.text.marked import marked_parts
from tokenarium.models.text.perturbing import (
    GROUPS,
    MOST,
    RENAMED_GROUPS,
    VARIANTS,
    PerturbCount,
    PerturbJob,
    PerturbRow,
    by_effect,
    difference_text,
    perturb_chart,
    variants_of,
)
from tokenarium.models.text.piece import counted, quoted, readable

MOST_BESIDE = 4
"""With more tokenizers, the table scrolls sideways."""

TILES = 80
"""Most tokens of a text that are shown as tiles."""

BARS = 20
"""Most variants of the chart."""

PRINTED = 48
"""Bytes of a changed text on a terminal."""


class PerturbAnalysis(Analysis[PerturbJob]):
    """Changes a text in small ways, by case, spaces, typos, normal forms, look-alikes and emoji, and compares the tokens.

    The variant with the greatest effect is first: the one that keeps the smallest share of the tokens.
    """

    id = "perturb"
    title = "Perturb"
    term = "perturbation"
    asks = "What do small changes of {} do to its tokens?"
    doing = "Trying variants of the text"
    fields = (
        Choices("only", "Only this variant or group of variants.", "Variants", "Which variants are tried", kept="groups_out", names=GROUPS, renamed=RENAMED_GROUPS),
        Number("seed", "Which letters the typos change.", "Seed", "Which letters the typos change: the same seed changes the same ones", default=1, low=1, high=9999, bounds=(None, None)),
    )  # fmt: skip
    several = True
    limit = MOST
    page_limit = 4_000
    chooses = "variant"
    parts = (
        Part("table", "table", "Variants of the text"),
        Part("detail", "tiles"),
        Part("bars", "bars", "What each variant changes"),
        Part("same", "note"),
    )

    def begin(self, inputs: AnalysisInputs) -> PerturbJob:
        tokenizers = {subject.key: subject.tokenizer for subject in inputs.subjects}
        variants = variants_of(inputs.values["only"])
        return PerturbJob(inputs.text, tokenizers, inputs.values["seed"], variants)

    def work(self, inputs: AnalysisInputs, result: PerturbJob) -> TaskWork:
        yield from slices(result)

    def table(self, inputs: AnalysisInputs, result: PerturbJob) -> Table[PerturbRow]:
        def text(row: PerturbRow) -> TableCell:
            data = row.text.encode("utf-8", "replace")
            return TableCell(
                row.text,
                printed=readable(data, PRINTED),
                tip=readable(data, 400),
                marked=lambda: marked_parts(result.text, row.text),
            )

        columns: list[TableColumn[PerturbRow]] = [
            TableColumn(lambda row: TableCell(row.variant.group), file="Group"),
            TableColumn(_variant, "Variant", "Variant", "variant", number=False),
            TableColumn(text, "Text", "Text", "text", number=False, grows=True),
        ]
        for index, subject in enumerate(inputs.subjects):
            columns += _columns(subject, index == 0)
        rows = by_effect(result.rows, inputs.subjects[0].key) if result.finished else []
        title = f"{len(rows)} variants that change the text, seed {inputs.values['seed']}"
        scrolls = len(inputs.subjects) > MOST_BESIDE
        return Table(
            columns,
            rows,
            lambda row: row.variant.id,
            title,
            seen=10,
            sortable=True,
            scrolls=scrolls,
        )

    def show(self, inputs: AnalysisInputs, result: PerturbJob) -> Mapping[str, object]:
        table = self.table(inputs, result)
        shown: dict[str, object] = {"table": table}
        names = [variant.title for variant in result.unchanged]
        if names:
            shown["same"] = f"These change nothing here: {', '.join(names)}."
        if table.rows:
            rows = table.rows[:BARS]
            subjects = inputs.subjects
            chart = perturb_chart(
                rows,
                {subject.key: subject.name for subject in subjects},
                {subject.key: subject.colour for subject in subjects},
            )
            text = quoted(result.text.encode("utf-8", "replace"), 60)
            caption = f"Text: {text}, seed {inputs.values['seed']}."
            height = 12 + len(rows) * (2 + len(subjects))
            shown["bars"] = ShownChart(chart, caption, height, empty="No variant")
        return shown

    def show_chosen(
        self, inputs: AnalysisInputs, result: PerturbJob, key: Hashable
    ) -> Mapping[str, object]:
        front = inputs.subjects[0]
        row = next((row for row in result.rows if row.variant.id == key), None)
        if row is None:
            return {}
        count = row.counts[front.key]
        sentence = f"{front.name} keeps {count.kept:,} of {counted(count.before, 'token')}."
        rows = []
        for what, text in (("The text", result.text), ("The variant", row.text)):
            ids = [] if count.error else front.tokenizer.encode_ids(text)
            rows.append(part_row(what, ids, most=TILES))
        title = f"{row.variant.group}: {row.variant.title}. {count.error or sentence}"
        return {"detail": TilesCard(title, front.tokenizer, rows, strong=True)}

    def as_json(self, inputs: AnalysisInputs, result: PerturbJob) -> object:
        return {
            "text": result.text,
            "seed": inputs.values["seed"],
            "variants": [
                {
                    "variant": row.variant.id,
                    "group": row.variant.group,
                    "text": row.text,
                    "tokenizers": [
                        {"tokenizer": subject.full_name, **_values(row.counts[subject.key])}
                        for subject in inputs.subjects
                    ],
                }
                for row in self.table(inputs, result).rows
            ],
        }


def _variant(row: PerturbRow) -> TableCell:
    return TableCell(row.variant.title, order=VARIANTS.index(row.variant), tip=row.variant.group)


def _columns(subject: Subject, front: bool) -> list[TableColumn[PerturbRow]]:
    """Returns the columns of a tokenizer; in a window the one in ``front`` has three, each other one."""
    key, name = subject.key, subject.name

    def column(
        value: Callable[[PerturbCount], tuple[str, float, str]],
        title: str | None, file: str, terminal: str | None, tip: str = "", marker: bool = False,
    ) -> TableColumn[PerturbRow]:  # fmt: skip
        def cell(row: PerturbRow) -> TableCell:
            count = row.counts[key]
            if count.error:
                first = file.endswith("tokens")
                printed = count.error if terminal == "kept" else "–"
                return TableCell("–", count.error * first, printed, 0, count.error)
            shown, order, exact = value(count)
            said = f"{subject.full_name}: {counted(count.after, 'token')}, {count.kept:,} of {count.before:,} kept"
            if count.lost:
                said += f"\nThe variant {loses(count.lost)}. {SAYS}"
            return TableCell(shown, exact, order=order, tip=said)

        colour = subject.colour if marker else -1
        return TableColumn(cell, title, f"{name}: {file}", terminal, tip=tip, colour=colour)

    def difference(count: PerturbCount) -> tuple[str, float, str]:
        sign = f"{SIGN} " * is_doubtful(count.lost)
        return sign + difference_text(count.difference), count.difference, str(count.difference)

    more = "tokens more or fewer than the text has"
    return [
        column(lambda one: (one.shown_after, one.after, str(one.after)), "Tokens" if front else None, "tokens", f"{name}: tokens", f"{subject.full_name}: tokens", front),
        column(difference, "±", "difference", "difference", more.capitalize() if front else f"{subject.full_name}: {more}", not front),
        column(lambda one: (f"{one.share_kept:.0%}", one.share_kept, f"{one.share_kept:.4f}"), "Kept" if front else None, "share kept", "kept", "Share of the tokens of the text that are still there, in the same order"),
        column(lambda one: ("", one.lost, f"{one.lost:.4f}"), None, "share lost", None),
    ]  # fmt: skip


def _values(count: PerturbCount) -> dict[str, object]:
    return {
        "tokens": count.after,
        "difference": count.difference,
        "kept": count.kept,
        "share_kept": count.share_kept,
        "share_lost": count.lost,
    }


PERTURB = PerturbAnalysis()
