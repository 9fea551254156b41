"""Figures of ids: what can be shown of a text while its tokens arrive, and what a list of ids decodes to."""

from __future__ import annotations

from typing import Final

from tokenarium.analyses.stream import STREAM
from tokenarium.models.task import finish
from tokenarium.models.text.id_decoding import decode_ids, summary
from tokenarium.models.text.stream_words import end_sentence
from tokenarium.web.analysis_figures import analysis_inputs, answer, check_tokenizers, question_of
from tokenarium.web.html import bdi, escaped, paragraphs, table
from tokenarium.web.page import Figure
from tokenarium.web.shown_scene import ShownScene
from tokenarium.web.tiles import tile
from tokenarium_core import TokenariumError
from tokenarium_core.command_values import ids_in
from tokenarium_core.explaining.prompt_end import UnstableEndJob

MOST: Final = 200
"""The most tokens that are listed."""


def stream_figures(shown: ShownScene) -> list[Figure]:
    """Returns what readers see after each token, and what the end of the text could become."""
    inputs = analysis_inputs(STREAM, shown)
    made = STREAM.complete(inputs)
    heads, rows, _ = STREAM.table(inputs, made).printed()
    cells = [[str(at), *map(bdi, row)] for at, row in enumerate(rows[:MOST], 1)]
    names = ["", *(name for name, _ in heads)]
    listed = table(
        [name[:1].upper() + name[1:] for name in names],
        cells,
        "What can be shown after each token",
        (0, 1),
    )
    end = UnstableEndJob(inputs.subjects[0].tokenizer, inputs.text)
    finish(end)
    said = [*STREAM.remarks(inputs, made), end_sentence(end.end, inputs.subjects[0].tokenizer)]
    return [answer(listed + paragraphs(said), question_of(STREAM, shown, inputs.text))]


def decode_figures(shown: ShownScene) -> list[Figure]:
    """Returns what the ids of the scene decode to, by each tokenizer."""
    ids = ids_in(str(shown.kept("ids") or "")).ids[:MOST]
    check_tokenizers(shown)
    if not ids:
        raise TokenariumError("There is nothing to decode: the scene has no ids.")
    front = shown.ordered[0]
    decoded = decode_ids(front.tokenizer, ids)
    tiles = "".join(
        tile(row.piece, row.id if row.known else -1, at, row.note)
        for at, row in enumerate(decoded.rows)
    )
    said = [
        summary(decoded, len(ids)),
        *(fault.sentence for fault in decoded.faults),
        *decoded.notes,
    ]
    rows = [[escaped(one.name), bdi(decode_ids(one.tokenizer, ids).text)] for one in shown.ordered]
    listed = table(["Tokenizer", "Text"], rows, "The same ids in each tokenizer")
    html = (
        f'<div class="tiles-card"><div class="tiles">{tiles}</div></div>{paragraphs(said)}{listed}'
    )
    return [answer(html, f"What the ids decode to in {front.name}")]
