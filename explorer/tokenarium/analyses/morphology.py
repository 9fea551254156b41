"""How well tokens agree with the morphemes of words: the page Morphemes of Compare and ``tokenarium morphology``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

import tokenarium_core as tc
from tokenarium.analyses.analysis import TOKENIZER, AnalysisInputs, Each, EachAnalysis, Subject
from tokenarium.analyses.field import Flag
from tokenarium.analyses.parts import Part, ShownChart
from tokenarium.analyses.stages import FEW
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.charts.chart import Axis, BarSeries, ChartBar, grouped_bars
from tokenarium.models.compare.morphology import (
    MorphologyOptions,
    MorphologyScores,
    WordArrays,
    score_words,
    token_spans,
    word_arrays,
)
from tokenarium.models.compare.segmentations import FORMS, Segmentations, read_segmentations
from tokenarium.models.task import TaskWork
from tokenarium.models.text.piece import counted, readable
from tokenarium_core.progress import Progress

SHOWN_WORDS = 200
SHOWN_FAULTS = 4

EXACT = (
    "MorphScore follows the rules of its second version (Arnett et al. 2025, arXiv 2507.06378): words of one token or one morpheme do"
    " not count. Precision, recall and F1 are those of the boundaries inside all words together. Boundaries are compared in bytes."
    " MorphScore explains little of how good a model is (the same paper), and files disagree about what the morphemes of a word are:"
    " compare figures of the same file only."
)

Value = Callable[[MorphologyScores], float | None]
MEASURES: tuple[tuple[str, str, Value, str], ...] = (
    ("MorphScore", "morphscore_recall", lambda one: one.recall, "The mean over words of the boundaries of morphemes at which a token ends ÷ the boundaries of morphemes. Source: Arnett et al. 2025"),
    ("MorphScore precision", "morphscore_precision", lambda one: one.precision, "The mean over words of the boundaries of morphemes at which a token ends ÷ the tokens of the word. Source: Arnett et al. 2025"),
    ("Boundary precision", "boundary_precision", lambda one: one.boundary_precision, "Boundaries of tokens that are boundaries of morphemes ÷ boundaries of tokens, inside all words. Source: Virpioja et al. 2011"),
    ("Boundary recall", "boundary_recall", lambda one: one.boundary_recall, "Boundaries of morphemes that are boundaries of tokens ÷ boundaries of morphemes, inside all words. Source: Virpioja et al. 2011"),
    ("Boundary F1", "boundary_f1", lambda one: one.boundary_f1, "The harmonic mean of the precision and the recall of boundaries"),
    ("Micro F1", "micro_f1", lambda one: one.micro_f1, "The harmonic mean of tokens that are morphemes ÷ tokens, and ÷ morphemes, over the words of MorphScore together. Source: the code of MorphScore 2"),
    ("Macro F1", "macro_f1", lambda one: one.macro_f1, "The same, from the means of the shares of each word. Source: the code of MorphScore 2"),
)  # fmt: skip
"""The figures: head, name in JSON, value, and definition with its source."""

TITLES = {
    "morphscore_precision": "Its precision",
    "boundary_precision": "Precision",
    "boundary_recall": "Recall",
    "boundary_f1": "F1",
    "micro_f1": "",
    "macro_f1": "",
}
"""The shorter heads of a window, where a tip says what is meant; empty if only files have the column."""

CHARTED = 5


@dataclass(slots=True)
class MorphologyResult(Each[MorphologyScores]):
    """The scores of each tokenizer; the words of the file, and the tokens of the first ones by the tokenizer's key."""

    file: Segmentations = field(default_factory=Segmentations)
    tokens: dict[str, list[str]] = field(default_factory=dict)


class MorphologyAnalysis(EachAnalysis[MorphologyScores]):
    """Compares tokens with the morphemes of words, which a file gives: MorphScore, and precision and recall of boundaries.

    A line of the file has a word, a tab and its parts with spaces or | between them. Files of UniMorph, CoNLL-U with MSeg=
    and the CSV files of MorphScore are read too.
    """

    id = "morphology"
    title = "Morphemes"
    term = "MorphScore"
    asks = "How well do tokens agree with morphemes?"
    doing = "Comparing tokens with morphemes"
    several = True
    page_limit = 1 << 24
    fields = (
        Flag("after_space", "Encode each word after a space.", "After a space", "Encode each word after a space, as in a text; MorphScore encodes it alone"),
        Flag("single_tokens", "Count words of one token in MorphScore, as 1.", "Words of one token", "Count words of one token in MorphScore, as 1"),
        Flag("single_morphemes", "Count words of one morpheme in MorphScore, as 0 if they have several tokens."),
        Flag("frequencies", "Weight words in MorphScore by how often the file has them, or by its frequencies."),
    )  # fmt: skip
    parts = (
        Part("table", "table", "How well tokens agree with morphemes"),
        Part("note", "note"),
        Part("bars", "bars", "Agreement with morphemes"),
        Part("words", "table", "The words with their morphemes and tokens"),
    )

    def begin(self, inputs: AnalysisInputs) -> MorphologyResult:
        return MorphologyResult()

    def work(self, inputs: AnalysisInputs, result: Each[MorphologyScores]) -> TaskWork:
        assert isinstance(result, MorphologyResult)
        for done, total in read_segmentations(inputs.text, result.file):
            yield Progress("Reading words", done, total, False)
        if not result.file.words:
            raise tc.ArgumentError(f"No line of the text is a word with its parts. {FORMS}")
        arrays = []
        for some in word_arrays(result.file.words):
            arrays.append(some)
            yield None
        for subject in inputs.subjects:
            try:
                yield from self._score(subject, inputs, result, arrays)
            except tc.TokenariumError as error:
                if inputs.strict:
                    raise
                result.faults[subject.key] = str(error)
            yield None

    def _score(
        self,
        subject: Subject,
        inputs: AnalysisInputs,
        result: MorphologyResult,
        arrays: Sequence[WordArrays],
    ) -> Generator[Progress | None, None, None]:
        values = {one.name: inputs.values[one.name] for one in self.fields}
        options, words, scores = MorphologyOptions(**values), result.file.words, MorphologyScores()
        for done in score_words(subject.tokenizer, arrays, options, scores):
            yield Progress(subject.full_name, done, len(words), False)
        shown = words[:SHOWN_WORDS]
        spans = token_spans(subject.tokenizer, shown, options)
        result.tokens[subject.key] = [
            "|".join(readable(one.word.encode("utf-8", "surrogatepass")[start:end]) for start, end in cuts if end > start)
            for one, cuts in zip(shown, spans, strict=True)
        ]  # fmt: skip
        result.found[subject.key] = scores

    def table(self, inputs: AnalysisInputs, result: Each[MorphologyScores]) -> Table[Subject]:
        def column(head: str, json: str, value: Value, tip: str) -> TableColumn[Subject]:
            def cell(one: Subject) -> TableCell:
                if one.key not in result.found:
                    fault = result.faults.get(one.key, "")
                    return TableCell("not defined" if fault else "", tip=fault)
                made = value(result.found[one.key])
                if made is None:
                    return TableCell("–", "", order=-1.0)
                count = isinstance(made, int)
                shown = f"{made:,}" if count else f"{made:.1%}"
                return TableCell(shown, str(made) if count else f"{made:.6g}", order=made, value=made)  # fmt: skip

            title = TITLES.get(json, head)
            small = head if head.startswith("MorphScore") else head[0].lower() + head[1:]
            return TableColumn(cell, title or None, head, small.replace(" ", "\n"), tip=tip, json=json)  # fmt: skip

        columns = [
            TOKENIZER,
            *(column(*measure) for measure in MEASURES),
            column("Scored", "scored_words", lambda one: one.scored, "Words that count in MorphScore"),
            column("One token", "one_token", lambda one: one.single / one.words, "Words of the file that are one token"),
        ]  # fmt: skip
        done = result.found
        return Table(columns, inputs.subjects, lambda one: one.key, ready=lambda one: one.key in done)  # fmt: skip

    def show(self, inputs: AnalysisInputs, result: Each[MorphologyScores]) -> Mapping[str, object]:
        assert isinstance(result, MorphologyResult)
        notes = "\n".join(self.remarks(inputs, result))
        shown: dict[str, object] = {"table": self.table(inputs, result), "note": notes}
        series = []
        for subject in (one for one in inputs.subjects if one.key in result.found):
            bars = []
            for _, _, value, _ in MEASURES[:CHARTED]:
                made = value(result.found[subject.key])
                bars.append(ChartBar(100 * (made or 0.0), "–" if made is None else f"{made:.1%}", [f"{made or 0.0:.6g}"]))  # fmt: skip
            series.append(BarSeries(subject.name, subject.colour, bars))
        if series:
            names, axis = [head for head, *_ in MEASURES[:CHARTED]], Axis("Share", "%")
            chart = grouped_bars(axis, Axis("Figure"), names, series, [axis.title])
            shown["bars"] = ShownChart(chart, EXACT, 12 + CHARTED * (2 + len(series)))
            shown["words"] = _words(inputs, result)
        return shown

    def remarks(self, inputs: AnalysisInputs, result: Each[MorphologyScores]) -> list[str]:
        assert isinstance(result, MorphologyResult)
        file = result.file
        said = [f"{counted(len(file.words), 'word')} with morphemes"]
        if file.bare:
            said.append(f"{counted(file.bare, 'line')} without parts")
        if file.left_out:
            said.append(f"{counted(file.left_out, 'row')} that MorphScore leaves out")
        lines = [f"{'; '.join(said)}."]
        lines += [f"Line {number:,}: {why}." for number, why in file.faults[:SHOWN_FAULTS]]
        if (more := len(file.faults) - SHOWN_FAULTS) > 0:
            lines.append(f"{counted(more, 'more line')} not understood.")
        return [*lines, EXACT]

    def as_json(self, inputs: AnalysisInputs, result: Each[MorphologyScores]) -> object:
        assert isinstance(result, MorphologyResult)
        file = result.file
        rows = self.table(inputs, result).values()
        for subject, row in zip(inputs.subjects, rows, strict=True):
            row |= {"tokenizer": subject.full_name}
        return {
            "words": len(file.words),
            "lines_without_parts": file.bare,
            "rows_left_out": file.left_out,
            "not_understood": [{"line": number, "why": why} for number, why in file.faults],
            "tokenizers": rows,
        }


def _words(inputs: AnalysisInputs, result: MorphologyResult) -> Table[int]:
    """Returns the first words, with their morphemes and the tokens of each tokenizer."""
    words = result.file.words[:SHOWN_WORDS]

    def of(head: str, value: Callable[[int], str], colour: int = -1) -> TableColumn[int]:
        return TableColumn(lambda row: TableCell(value(row)), head, head, number=False, grows=True, colour=colour)  # fmt: skip

    def tokens(subject: Subject) -> TableColumn[int]:
        made = result.tokens.get(subject.key, [])
        return of(subject.name, lambda row: made[row] if made else "", subject.colour)

    columns = [of("Morphemes", lambda row: "|".join(words[row].parts)), *map(tokens, inputs.subjects)]  # fmt: skip
    return Table(columns, range(len(words)), str, scrolls=len(inputs.subjects) > FEW)


MORPHOLOGY = MorphologyAnalysis()
