"""The answer of an analysis as a figure: its tables, tiles, charts and notes, as its page in the window has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tokenarium.analyses.analysis import Analysis, AnalysisInputs, Subject
from tokenarium.analyses.field import Choices, Field, Flag, Number, OneOf, Texts, texts_in
from tokenarium.analyses.parts import ShownChart, TileRow, TilesCard
from tokenarium.analyses.table import Table, TableCell
from tokenarium.models.text.piece import quoted
from tokenarium.web.chart_figures import chart_html
from tokenarium.web.html import bdi, escaped, remark, table
from tokenarium.web.page import Figure
from tokenarium.web.shapes import marker_svg
from tokenarium.web.shown_scene import ShownScene
from tokenarium.web.tiles import tile
from tokenarium_core import TokenariumError, Tokenizer

MOST_ROWS: Final = 60
"""The most rows of a table that are shown."""

SHORT: Final = 60
"""Characters of a text that is written out in the question."""

LONG: Final = 20
"""Characters of a cell from which on its column has a least width."""

NO_TEXT: Final = "There is nothing to ask: the scene has no text."


def analysis_figures(analysis: Analysis[Any], shown: ShownScene) -> list[Figure]:
    """Returns the figure of the page of an analysis, about the selection, the text, or only the tokenizers."""
    inputs = analysis_inputs(analysis, shown)
    result = analysis.complete(inputs)
    parts = dict(analysis.show(inputs, result))
    titles = {part.id: part.name for part in analysis.parts}
    picked = ""
    if analysis.chooses:
        rows = analysis.table(inputs, result)
        keys = list(map(rows.key, rows.rows))
        kept = str(shown.kept(analysis.chooses) or "")
        picked = kept if kept in keys else next(iter(keys), "")
        parts |= analysis.show_chosen(inputs, result, picked)
    html = "".join(
        part_html(parts[part.id], titles[part.id], picked)
        for part in analysis.parts
        if part.id in parts
    )
    return [answer(html, question_of(analysis, shown, inputs.text))]


def answer(html: str, title: str = "") -> Figure:
    """Returns the figure of an answer."""
    return Figure(f'<div class="answer">{html}</div>', title=title)


def check_tokenizers(shown: ShownScene, least: int = 1) -> None:
    """Raises TokenariumError if a scene has fewer tokenizers than a page needs."""
    if len(shown.tokenizers) < least:
        raise TokenariumError("There is nothing to ask: the scene has too few tokenizers.")


def analysis_inputs(analysis: Analysis[Any], shown: ShownScene) -> AnalysisInputs:
    """Returns what an analysis is given: the tokenizers, the one in front first, the text, and the fields of the scene."""
    check_tokenizers(shown, max(1, analysis.least))
    subjects = [
        Subject(one.key, one.name, one.tokenizer, one.identity, one.name) for one in shown.ordered
    ]
    text = ""
    if analysis.needs_text:
        text = shown.asked_text[: min(analysis.limit, analysis.page_limit)]
        if not text:
            raise TokenariumError(NO_TEXT)
    values = values_of(analysis.fields, shown)
    return AnalysisInputs(subjects, text, values | dict(analysis.page_values))


def values_of(fields: Sequence[Field], shown: ShownScene) -> dict[str, object]:
    """Returns the values of fields by their names, as a scene has them for its page."""
    return {one.name: _value(one, shown.kept(one.kept_as)) for one in fields}


def _value(field: Field, kept: object) -> object:
    """Returns the value of a field by what a scene keeps of it; what is invalid has no effect."""
    usual = getattr(field, "default", None)
    match field:
        case Choices():
            left_out = kept if isinstance(kept, list) else []
            gone = {field.renamed.get(name, name) for name in left_out if isinstance(name, str)}
            return [name for name in field.names if name not in gone]
        case OneOf():
            known = {title: value for value, title in field.titles.items()}
            return known.get(str(kept), next(iter(field.titles)))
        case Texts():
            return texts_in(str(usual if kept is None else kept))
        case Flag():
            return kept if isinstance(kept, bool) else usual
        case Number():
            number = isinstance(kept, int | float) and not isinstance(kept, bool)
            return kept if number and field.low <= kept <= field.high else usual  # type: ignore[operator]
    return str(kept) if isinstance(kept, str) else usual


def question_of(analysis: Analysis[Any], shown: ShownScene, text: str) -> str:
    """Returns the question of an analysis about a text of a scene, which is written out if it is short."""
    short = shown.selection is not None or len(text) <= SHORT
    return analysis.question(quoted(text.encode("utf-8", "replace"), 36) if short else "the text")


# The parts.


def part_html(part: object, name: str, picked: str = "") -> str:
    """Returns what a part shows; ``name`` is for those who do not see it, ``picked`` the key of the row that is chosen."""
    if isinstance(part, Table):
        return answer_table(part, name, picked)
    if isinstance(part, TilesCard):
        return _tiles(part)
    if isinstance(part, ShownChart):
        return chart_html(part.chart, part.title or name, part.empty)
    return remark(str(part)) if part else ""


def answer_table(shown: Table[Any], name: str, picked: str = "") -> str:
    """Returns a table with the columns that a window has."""
    columns = shown.shown
    rows = shown.rows[:MOST_ROWS]
    numbers = {at for at, column in enumerate(columns) if column.number}
    cells = [[_cell(column.cell(row)) for column in columns] for row in rows]
    at = next((at for at, row in enumerate(rows) if shown.key(row) == picked), -1)
    rest = len(shown.rows) - len(rows)
    more = remark(f"And {rest:,} more." if rest else "")
    markers = {
        place: f'{marker_svg(column.colour)} <span class="hidden">{escaped(column.tip)} </span>'
        for place, column in enumerate(columns)
        if column.colour >= 0
    }
    return (
        table([column.title or "" for column in columns], cells, name, numbers, at, markers) + more
    )


def _cell(cell: TableCell) -> str:
    marker = f"{marker_svg(cell.colour)} " if cell.colour >= 0 else ""
    # Scripts without spaces break anywhere, so that their column would be as narrow as a character.
    long = ' class="long"' if len(cell.text) > LONG else ""
    if cell.marked is not None:
        parts = (
            f"<mark>{escaped(part.text)}</mark>" if part.changed else escaped(part.text)
            for part in cell.marked()
        )
        return f"<bdi{long}>{''.join(parts)}</bdi>"
    tip = f' title="{escaped(cell.tip)}"' if cell.tip and cell.tip != cell.text else ""
    return f"{marker}<bdi{long}{tip}>{escaped(cell.text)}</bdi>"


def _tiles(card: TilesCard) -> str:
    said = f'<p class="{"" if card.plain else "strong"}">{escaped(card.sentence)}</p>'
    return f'<div class="tiles-card">{said}{"".join(_row(row, card.tokenizer) for row in card.rows)}</div>'


def _row(row: TileRow, tokenizer: Tokenizer) -> str:
    heading = f'<p class="label">{escaped(row.heading)}</p>' if row.heading else ""
    if not row.ids:
        return heading
    vocabulary = tokenizer.vocabulary
    tiles = "".join(
        tile(vocabulary.piece(token), token, place) for place, token in enumerate(row.ids)
    )
    lead = f"<small>{bdi(row.lead)}</small>" if row.lead else ""
    said = f"<small>{escaped(row.said)}</small>" if row.said else ""
    lit = " lit" if row.lit else ""
    return f'{heading}<div class="tile-row{lit}">{lead}<div class="tiles">{tiles}</div>{said}</div>'
