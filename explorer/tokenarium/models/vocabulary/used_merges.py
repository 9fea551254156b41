"""What a model did to a part of a text, as tables: its steps, and the merges that it used."""

from __future__ import annotations

from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import score_text
from tokenarium.models.vocabulary.merge_list import written_merge
from tokenarium_core.trace import KINDS


def step_rows(run: TraceRun) -> list[dict[str, object]]:
    """Returns a row for each event of a run: its kind, its bytes of the normalized text, and ids; None for no id."""
    return [
        {
            "kind": KINDS[step.kind],
            "start": step.start,
            "end": step.end,
            "text": run.data[step.start : step.end].decode("utf-8", "replace"),
            "left": step.left if step.left >= 0 else None,
            "right": step.right if step.right >= 0 else None,
            "result": step.result if step.result >= 0 else None,
            "rank": step.rank if step.rank >= 0 else None,
            "score": step.score,
        }
        for step in run.playback.steps
    ]


def used_merge_lines(run: TraceRun) -> list[list[str]]:
    """Returns the merges of a run with their ids, row by row with a head; nothing if nothing merges."""
    scored = run.score(0) is not None
    text = run.tokenizer.vocabulary.surface
    rows = [
        [
            score_text(step.score) if scored else str(step.rank),
            *(str(token) if token >= 0 else "" for token in (step.left, step.right, step.result)),
            *(text(token) if token >= 0 else "" for token in (step.left, step.right, step.result)),
            written_merge(step.left, step.right, step.result),
            str(times),
        ]
        for step, times in run.used_merges()
    ]
    first = "Score" if scored else "Rank"
    heads = [first, "Left id", "Right id", "Id", "Left", "Right", "Entry", "Merge", "Times"]
    return [heads, *rows] if rows else []
