"""How well tokens agree with the parts of a program: the page Code of Compare and ``tokenarium code``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field

import tokenarium_core as tc
from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.field import OneOf
from tokenarium.analyses.parts import Part, ShownChart
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, grouped_bars
from tokenarium.models.compare.code_parts import (
    AUTOMATIC,
    KINDS,
    LANGUAGES,
    CodeParts,
    parse_code,
)
from tokenarium.models.compare.code_scores import CodeScores, score_code
from tokenarium.models.compare.metric import ratio
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.task import TaskWork, slices
from tokenarium.models.text.piece import counted
from tokenarium_core.progress import Progress

EXACT = (
    "Leaves are those of tree-sitter's syntax tree, without comments and white space; a token that begins with a space begins"
    " after it. The words of identifiers are those of camelCase and snake_case, with digits apart; an underscore may belong to"
    " either word. Frequent short names dominate all figures of identifiers, and none of them tells how well a model writes code."
)

Value = Callable[[CodeScores], float | None]
MEASURES: tuple[tuple[str, str, Value, str], ...] = (
    ("Leaves aligned", "leaves_aligned", lambda one: one.alignment, "Leaves of the syntax tree at whose start a token begins and at whose end one ends ÷ leaves. Source: full alignment in the suite of Meister et al. 2025"),
    ("Whole identifiers", "identifiers_whole", lambda one: ratio(one.whole, one.identifiers), "Identifiers that are one token ÷ identifiers, at each occurrence. Source: 1 − the fragmentation rate of the same suite"),
    ("Tokens per identifier", "tokens_per_identifier", lambda one: ratio(one.identifier_tokens, one.identifiers), "Tokens that have a byte of an identifier ÷ identifiers, at each occurrence"),
    ("Word precision", "word_precision", lambda one: ratio(one.inner_right, one.inner), "Boundaries of tokens inside identifiers where two words meet ÷ boundaries of tokens inside identifiers"),
    ("Word recall", "word_recall", lambda one: ratio(one.gaps_found, one.gaps), "Places where two words of an identifier meet at which a token ends ÷ such places"),
    ("Word F1", "word_f1", lambda one: one.word_f1, "The harmonic mean of the precision and the recall of words"),
    ("Tokens per indentation", "tokens_per_indentation", lambda one: ratio(one.indent_tokens, one.indents), "Tokens that have a byte of the white space at the beginning of a line ÷ indented lines; blank lines do not count"),
)  # fmt: skip
"""The figures: head, name in JSON, value, and definition with its source."""

TITLES = {"Leaves aligned": "Leaves", "Whole identifiers": "Whole names", "Tokens per identifier": "Tokens/name", "Tokens per indentation": "Tokens/indent", "Word precision": "Precision", "Word recall": "Recall", "Word F1": "F1"}  # fmt: skip
"""The shorter heads of a window, where a tip says what is meant."""


PARTS = "parts of the code"
"""Under which the parts of the text are in the cache while it is worked on."""


@dataclass(slots=True)
class CodeResult(Each[CodeScores]):
    """The scores of each tokenizer, and the parts of the program."""

    parts: CodeParts = field(default_factory=lambda: CodeParts(b""))


class CodeAnalysis(EachAnalysis[CodeScores]):
    """Compares tokens with the parts of a program: leaves of its syntax tree, words of identifiers, and indentation.

    The extra ``code`` has the grammars of tree-sitter.
    """

    id = "code"
    title = "Code"
    term = "syntax tree"
    asks = "How well do tokens agree with the parts of this code?"
    doing = "Comparing tokens with code"
    several = True
    page_limit = 1 << 20
    fields = (
        OneOf("language", "The programming language; automatic: that whose grammar fits best.", "Language", "The programming language of the text", titles={AUTOMATIC: "Automatic"} | {name: title for name, (title, *_) in LANGUAGES.items()}),
    )  # fmt: skip
    parts = (
        Part("table", "table", "How well tokens agree with code"),
        Part("note", "note"),
        Part("bars", "bars", "Leaves of the syntax tree that are aligned"),
    )

    def begin(self, inputs: AnalysisInputs) -> CodeResult:
        return CodeResult()

    def work(self, inputs: AnalysisInputs, result: Each[CodeScores]) -> TaskWork:
        assert isinstance(result, CodeResult)
        utf8 = inputs.text.encode("utf-8", "surrogatepass")
        result.parts = CodeParts(utf8)
        language = inputs.values["language"] or AUTOMATIC
        for done, total in parse_code(utf8, language, result.parts):
            yield Progress("Parsing", done, total, False)
        if not len(result.parts.starts):
            raise tc.ArgumentError("The text has no code.")
        inputs.cache[PARTS] = result.parts
        yield from EachAnalysis.work(self, inputs, result)

    def work_on(self, subject: Subject, inputs: AnalysisInputs) -> Generator[Progress | None, None, CodeScores]:  # fmt: skip
        parts: CodeParts = inputs.cache[PARTS]
        job = subject.tokenizer.encode_job(inputs.text)
        yield from slices(job)
        return score_code(array_of(job.whole().spans).reshape(-1, 2), parts)

    def table(self, inputs: AnalysisInputs, result: Each[CodeScores]) -> Table[Subject]:
        def column(head: str, json: str, value: Value, tip: str) -> TableColumn[Subject]:
            def cell(one: Subject) -> TableCell:
                if one.key not in result.found:
                    fault = result.faults.get(one.key, "")
                    return TableCell("not defined" if fault else "", tip=fault)
                made = value(result.found[one.key])
                if made is None:
                    return TableCell("–", "", order=-1.0)
                shown = f"{made:.2f}" if json.startswith("tokens") else f"{made:.1%}"
                return TableCell(shown, f"{made:.6g}", order=made, value=made)

            small = (head[0].lower() + head[1:]).replace(" ", "\n")
            return TableColumn(cell, TITLES.get(head, head), head, small, tip=tip, json=json)

        columns = [TOKENIZER, *(column(*measure) for measure in MEASURES)]
        done = result.found
        return Table(columns, inputs.subjects, lambda one: one.key, ready=lambda one: one.key in done)  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[CodeScores]) -> Mapping[str, object]:
        notes = "\n".join(self.remarks(inputs, result))
        shown: dict[str, object] = {"table": self.table(inputs, result), "note": notes}
        series = []
        for subject in (one for one in inputs.subjects if one.key in result.found):
            made = [result.found[subject.key].alignment_of(kind) for kind in KINDS]
            bars = [
                ChartBar(100 * (one or 0.0), "–" if one is None else f"{one:.1%}", [f"{one or 0.0:.6g}"])
                for one in made
            ]  # fmt: skip
            series.append(BarSeries(subject.name, subject.colour, bars))
        if series:
            axis = Axis("Leaves aligned", "%")
            chart = grouped_bars(axis, Axis("Kind"), KINDS, series, [axis.title])
            shown["bars"] = ShownChart(chart, EXACT, 12 + len(KINDS) * (2 + len(series)))
        return shown

    def remarks(self, inputs: AnalysisInputs, result: Each[CodeScores]) -> list[str]:
        assert isinstance(result, CodeResult)
        parts = result.parts
        if not parts.language:
            return [EXACT]
        title, counts = LANGUAGES[parts.language][0], [counted(len(parts.starts), "leaf", "leaves")]
        counts += [counted(len(parts.identifiers), "identifier"), counted(len(parts.indents), "indented line")]  # fmt: skip
        lines = [f"{title}: {', '.join(counts)}."]
        if parts.errors:
            lines.append(f"{counted(parts.errors, 'byte')} of the text are not valid {title}; the leaves there count too.")  # fmt: skip
        return [*lines, EXACT]

    def as_json(self, inputs: AnalysisInputs, result: Each[CodeScores]) -> object:
        assert isinstance(result, CodeResult)
        rows = self.table(inputs, result).values()
        for subject, row in zip(inputs.subjects, rows, strict=True):
            scores = result.found[subject.key]
            by_kind = {kind.lower(): scores.alignment_of(kind) for kind in KINDS}
            row |= {"tokenizer": subject.full_name, "aligned_by_kind": by_kind}
        parts = result.parts
        return {
            "language": parts.language,
            "leaves": len(parts.starts),
            "identifiers": len(parts.identifiers),
            "indented_lines": len(parts.indents),
            "bytes_in_errors": parts.errors,
            "tokenizers": rows,
        }


CODE = CodeAnalysis()
