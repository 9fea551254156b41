"""Figures about vocabularies: their entries, what was found about them, their scripts, and GPT-2's table of bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, get_args

from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS, examined
from tokenarium.models.diagnosis.diagnosis import Level
from tokenarium.models.scripts.script_bars import Scale, ScriptCounts, share_bars
from tokenarium.models.scripts.vocabulary_scripts import RULE, VocabularyScripts
from tokenarium.models.text.byte_table import ByteTableRow, byte_level, byte_rows
from tokenarium.models.text.piece import counted, hexadecimal, piece_text, readable
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns, value_text
from tokenarium.models.vocabulary.vocabulary_search import matching_entries, vocabulary_columns
from tokenarium.web.analysis_figures import answer, check_tokenizers
from tokenarium.web.chart_figures import chart_html
from tokenarium.web.html import bdi, escaped, remark, table
from tokenarium.web.page import Figure
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer
from tokenarium_core.vocabulary import KINDS

MOST_ENTRIES: Final = 40
"""The most entries that are listed."""

STEP: Final = 16
"""Bytes in a row of the table of bytes."""


def _front(shown: ShownScene) -> ShownTokenizer:
    check_tokenizers(shown)
    return shown.ordered[0]


Cell = Callable[[VocabularyColumns, int], str]

COLUMNS: Final[Mapping[str, tuple[str, Cell]]] = {
    "Id": ("id", lambda _, token: str(token)),
    "Piece": ("text", lambda all, token: bdi(piece_text(all.vocabulary, token))),
    "Bytes": ("text", lambda all, token: hexadecimal(all.piece(token)[:16])),
    "Type": ("kind", lambda all, token: KINDS[all.kinds[token]]),
    "Rank": ("value", value_text),
    "Length": ("length", lambda all, token: str(all.lengths[token])),
    "Script": ("script", lambda all, token: escaped(all.scripts_of(token))),
}
"""The columns of entries by their titles in the window: what each sorts by, and its cells as HTML."""


def entries_figures(shown: ShownScene) -> list[Figure]:
    """Returns the first entries of the tokenizer in front that the filter of the scene finds, in its order.

    They are those around the entry that is chosen, if there is one.
    """
    one = _front(shown)
    columns = vocabulary_columns(one.tokenizer)
    order, line = shown.kept("sorted"), str(shown.kept("filter") or "")
    title, descending = order if isinstance(order, list) and len(order) == 2 else ("Id", False)
    key = COLUMNS[str(title)][0] if str(title) in COLUMNS else "id"
    found = matching_entries(columns, line, key, bool(descending)).tolist()
    chosen = shown.kept("entry")
    picked = found.index(chosen) if chosen in found else -1
    first = max(0, min(picked - MOST_ENTRIES // 2, len(found) - MOST_ENTRIES))
    tokens = found[first : first + MOST_ENTRIES]
    rows = [[cell(columns, token) for _, cell in COLUMNS.values()] for token in tokens]
    heads = ["Score" if head == "Rank" and columns.has_scores else head for head in COLUMNS]
    listed = table(heads, rows, f"Entries of {one.name}", (0, 4, 5), picked - first)
    matching = f" of {columns.count:,} match “{line}”" if line else ""
    said = f"{counted(len(found), 'entry', 'entries')}{matching}; {len(rows):,} are listed."
    return [answer(remark(said) + listed, f"Entries of {one.name}")]


def diagnostics_figures(shown: ShownScene) -> list[Figure]:
    """Returns what was found about the tokenizer in front: the worst first, without what could not be examined."""
    one = _front(shown)
    found = [examined(examine, one.tokenizer) for examine in EXAMINATIONS]
    order = list(Level)
    told = sorted(
        (each for each in found if each.level is not Level.UNKNOWN),
        key=lambda each: order.index(each.level),
    )
    rows = [
        [escaped(each.level.words), f"<b>{escaped(each.title)}</b><br>{bdi(each.sentence)}"]
        for each in told
    ]
    listed = table(["Level", "Finding"], rows, f"Diagnostics of {one.name}")
    rest = counted(len(found) - len(told), "examination")
    said = f"{rest} did not apply to this tokenizer." if len(told) < len(found) else ""
    return [answer(listed + remark(said), f"Diagnostics of {one.name}")]


def scripts_figures(shown: ShownScene) -> list[Figure]:
    """Returns the share of each script in the vocabularies."""
    check_tokenizers(shown)
    counts = []
    for one in shown.tokenizers:
        use = VocabularyScripts(one.tokenizer.vocabulary)
        counts.append(ScriptCounts(one.name, one.identity, use.counts, None, use.byte_counts))
    kept = shown.kept("scale")
    scales: tuple[Scale, ...] = get_args(Scale)
    scale: Scale = next((one for one in scales if one == kept), "share")
    keys = [one.key for one in shown.tokenizers]
    reference = shown.kept("reference")
    place = keys.index(reference) if reference in keys else 0
    chart, _ = share_bars(counts, scale, place, "entries", "the vocabulary")
    html = chart_html(chart, "Vocabularies by script")
    return [answer(html + remark(RULE), "Vocabularies by script")]


def byte_table_figures(shown: ShownScene) -> list[Figure]:
    """Returns the 256 bytes with GPT-2's characters for them, 16 in a row, and their ids in byte-level vocabularies."""
    rows = byte_rows()
    head = ["", *(f"_{low:X}" for low in range(STEP))]
    cells = [
        [f"<b>{first // STEP:X}_</b>", *map(_character, rows[first : first + STEP])]
        for first in range(0, len(rows), STEP)
    ]
    same = sum(row.itself for row in rows)
    said = f"256 bytes: {same} map to themselves, {len(rows) - same} to another character (marked)."
    names = [one.name for one in shown.tokenizers if byte_level(one.tokenizer)]
    level = f" Each byte has an id in {', '.join(names)}." if names else ""
    listed = table(head, cells, "The characters of the 256 bytes")
    return [answer(f'{remark(said + level)}<div class="grid-table">{listed}</div>', "Byte table")]


def _character(row: ByteTableRow) -> str:
    written = bdi(readable(row.character.encode()))
    return written if row.itself else f"<mark>{written}</mark>"
