"""Questions about tokenizers as figures: the comparison of texts, the analyses of the window, and the difference of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import tokenarium_core as tc
from tokenarium.analyses.analysis import Analysis, Answer, analysis_named
from tokenarium.analyses.diff import DIFF, tried_sentence
from tokenarium.analyses.figure_rows import FigureRow, figure_notes, figure_table
from tokenarium.commands.cli import ANALYSES
from tokenarium.models.compare.tally import measured, tally
from tokenarium.notebook.figure import NotebookFigure
from tokenarium.notebook.given import GivenTokenizer, named
from tokenarium.notebook.live_progress import LiveProgress
from tokenarium.notebook.tables import table_figure
from tokenarium_core.html_view import escaped, id_boxes

R = TypeVar("R")

Texts = str | Sequence[str] | Mapping[str, str]
"""A text, several, or several by name."""


def compare(texts: Texts, *tokenizers: GivenTokenizer) -> NotebookFigure:
    """Returns a row for each text and tokenizer: tokens, bytes per token, fertility, what is lost.

    ``texts`` is a text, several, or several by name, such as by language. The rows have all figures of the page Compare.
    """
    by_name = _by_name(texts)
    opened = named(tokenizers)
    rows: list[FigureRow] = []
    with LiveProgress("Counting") as progress:
        for name, text in by_name.items():
            document = measured(text)
            for called, one in opened.items():
                progress.show("Counting", len(rows) / (len(by_name) * len(opened)))
                rows.append(FigureRow.of(name, one, called, tally(one, document)))
    return table_figure(
        figure_table(rows, "text"), figure_notes(rows), [row.values for row in rows]
    )


def _by_name(texts: Texts) -> dict[str, str]:
    """Returns texts by name; ArgumentError if there is none."""
    if isinstance(texts, str):
        return {"": texts}
    if not isinstance(texts, Mapping):
        texts = {f"text {number}": text for number, text in enumerate(texts, 1)}
    if not texts:
        raise tc.ArgumentError("There is no text to compare: give one, or several.")
    return dict(texts)


def ask(
    question: str, *tokenizers: GivenTokenizer, text: str = "", **values: Any
) -> NotebookFigure:
    """Returns the answer of an analysis by the name of its command, such as "numbers", "overlap" or "first-bytes".

    ``values`` are its options with "_" for "-", with the defaults of its page. ArgumentError for a name of which there is
    none, and for several tokenizers where it is about one.
    """
    if question not in ANALYSES:
        raise tc.ArgumentError(
            f"There is no analysis {question!r}: ask one of {', '.join(ANALYSES)}."
        )
    analysis = analysis_named(question.replace("-", "_"))
    opened = named(tokenizers)
    if len(opened) < analysis.least:
        raise tc.ArgumentError(
            f"{analysis.title} needs {analysis.least} tokenizers: name another one."
        )
    if not analysis.several and len(opened) > 1:
        if tokenizers:
            raise tc.ArgumentError(f"{analysis.title} is about one tokenizer: name only one.")
        opened = dict([*opened.items()][:1])
    if analysis.needs_text and not text:
        raise tc.ArgumentError(f"{analysis.title} is about a text: give text=….")
    answer = _answer(analysis, opened, text, values)
    shown = analysis.printed(answer.inputs, answer.result)
    said = [
        *analysis.summary_lines(answer.inputs, answer.result),
        *analysis.remarks(answer.inputs, answer.result),
    ]
    return table_figure(shown or analysis.table(answer.inputs, answer.result), said, answer.rows)


def _answer(
    analysis: Analysis[R],
    tokenizers: Mapping[str, tc.Tokenizer],
    text: str,
    values: Mapping[str, Any],
) -> Answer[R]:
    """Returns what `Analysis.run` does, and shows meanwhile how far it is."""
    inputs = analysis.inputs_for(tokenizers, text, None, **values)
    with LiveProgress(analysis.title) as progress:
        return Answer(analysis, inputs, analysis.complete(inputs, progress.take))


def diff(a: GivenTokenizer, b: GivenTokenizer, texts: str | Sequence[str] = ()) -> NotebookFigure:
    """Returns what two tokenizers do differently, stage by stage, and the shortest text that shows it, with its tokens.

    ``texts`` are tried besides those that are made from the differences.
    """
    opened = named([a, b])
    tried = [texts] if isinstance(texts, str) else list(texts)
    answer = _answer(DIFF, opened, "", {"texts": tried})
    result = answer.result
    tokens = ""
    if result.first is not None:
        for name, ids, one in zip(opened, (result.first.ids_a, result.first.ids_b), opened.values(), strict=True):  # fmt: skip
            tokens += f"<div>{escaped(name)}: {id_boxes(one.vocabulary, ids)}</div>"
    said = [result.sentence, tried_sentence(result)]
    return table_figure(DIFF.table(answer.inputs, result), said, answer.rows, tokens)
