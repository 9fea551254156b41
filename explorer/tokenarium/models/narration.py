"""Steps of a run in words: what happens next, and why it is this and nothing else."""

from __future__ import annotations

from tokenarium.models.piece import readable
from tokenarium.models.playback import Step, Symbol
from tokenarium.models.run import Candidate, Run
from tokenarium_core import trace as kinds


def next_step(run: Run, candidates: list[Candidate]) -> str:
    """Returns a sentence on the step that comes next; on the result where there is none.

    ``candidates`` are the pairs of the word at hand that have a merge.
    """
    step = run.next_step
    if step is None:
        count = sum(len(word) for word in run.words())
        if not run.finish:
            return "There is nothing to play here."
        tokens = "one token" if count == 1 else f"{count:,} tokens"
        return f"Nothing is left to do: {tokens}."
    what = {
        kinds.MERGE: _merge,
        kinds.UNMERGE: _unmerge,
        kinds.WHOLE: _whole,
        kinds.PIECE: _piece,
        kinds.UNKNOWN: _unknown,
        kinds.BYTE_FALLBACK: _byte,
        kinds.SPECIAL: _special,
        kinds.TRY: _try,
        kinds.EDGE: _edge,
    }
    return what[step.kind](run, step, candidates)


def quoted(data: bytes) -> str:
    """Returns bytes as a person reads them, in quotation marks."""
    return f"“{readable(data)}”"


def symbol_text(run: Run, symbol: Symbol | Step) -> str:
    """Returns what stands on the tile of a symbol."""
    return readable(run.data[symbol.start : symbol.end])


def _merge(run: Run, step: Step, candidates: list[Candidate]) -> str:
    left = quoted(run.data[step.start : step.middle])
    right = quoted(run.data[step.middle : step.end])
    others = len(candidates) - 1
    sentence = f"Next: {left} and {right} merge, rank {step.rank:,}"
    if others <= 0:
        return f"{sentence}. No other neighbours in this word have a merge."
    pairs = "one other pair" if others == 1 else f"{others:,} other pairs"
    if any(one.rank == step.rank and one.start != step.start for one in candidates):
        return f"{sentence}: the leftmost of the pairs with the lowest rank."
    return f"{sentence}: the lowest; {pairs} must wait."


def _unmerge(run: Run, step: Step, candidates: list[Candidate]) -> str:
    piece = quoted(run.data[step.start : step.end])
    return f"Next: {piece} is an unused piece, so it comes apart again."


def _whole(run: Run, step: Step, candidates: list[Candidate]) -> str:
    return (
        f"Next: {quoted(run.data[step.start : step.end])} is in the vocabulary, and is taken whole."
    )


def _piece(run: Run, step: Step, candidates: list[Candidate]) -> str:
    return f"Next: {quoted(run.data[step.start : step.end])} is taken as a piece."


def _unknown(run: Run, step: Step, candidates: list[Candidate]) -> str:
    piece = quoted(run.data[step.start : step.end])
    return f"Next: {piece} cannot be made of the vocabulary, and becomes the unknown token."


def _byte(run: Run, step: Step, candidates: list[Candidate]) -> str:
    byte = run.data[step.start]
    return f"Next: no piece holds this character, so its byte 0x{byte:02X} becomes a token."


def _special(run: Run, step: Step, candidates: list[Candidate]) -> str:
    return f"Next: {quoted(run.data[step.start : step.end])} stands for itself, and is never cut."


def _try(run: Run, step: Step, candidates: list[Candidate]) -> str:
    piece = quoted(run.data[step.start : step.end])
    found = "it is" if step.result >= 0 else "it is not: the window shrinks from the right"
    return f"Is {piece} in the vocabulary? Next: {found}."


def _edge(run: Run, step: Step, candidates: list[Candidate]) -> str:
    piece = quoted(run.data[step.start : step.end])
    return f"Next: {piece} is a piece, with the score {step.score:.3f}."
