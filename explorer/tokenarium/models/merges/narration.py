"""Steps of a run in words: what happens next, and why."""

from __future__ import annotations

from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.merges.playback import Step, Symbol
from tokenarium.models.merges.run import MergeCandidate, TraceRun
from tokenarium.models.text.piece import byte_sign, counted, quoted, readable, score_text
from tokenarium.models.text.superword_ids import superword_note
from tokenarium_core import trace as kinds
from tokenarium_core.models import BoundlessBpe, PickyBpe


def next_step(run: TraceRun) -> str:
    """Returns a sentence on the next step, or at the end on the result."""
    step = run.next_step
    if step is None:
        return result(run)
    what = {
        kinds.MERGE: _merge,
        kinds.UNMERGE: _unmerge,
        kinds.WHOLE: _whole,
        kinds.PIECE: _piece,
        kinds.UNKNOWN: _unknown,
        kinds.BYTE_FALLBACK: _byte,
        kinds.SPECIAL: _special,
        kinds.TRY: _try,
    }
    return what[step.kind](run, step)


def result(run: TraceRun) -> str:
    """Returns a sentence on the result of a run."""
    if not len(run) and not run.words:
        return "There is nothing to play here."
    symbols = [symbol for word in run.symbols() for symbol in word]
    vocabulary = run.tokenizer.vocabulary
    several = sum(1 for symbol in symbols if superword_note(vocabulary, symbol.id))
    superwords = f", {several:,} of them {'a superword' if several == 1 else 'superwords'}"
    return (
        f"Nothing is left to do: {counted(len(symbols), 'token')}{superwords if several else ''}."
    )


def count(run: TraceRun) -> str:
    """Returns how many symbols the region has now, or tokens at the end."""
    return counted(run.count(), "token" if run.next_step is None else "symbol")


def next_edges(run: TraceRun, paths: LatticePaths, sums: dict[int, tuple[float, int]]) -> str:
    """Returns a sentence on the next step in a lattice; ``sums`` are those of the steps so far."""
    step = run.next_step
    if step is None:
        ids = len(paths.ids(paths.best))
        if not paths.edges:
            return "There is nothing to play here."
        return f"The best way scores {score_text(paths.best.score)}: {counted(ids, 'token')}."
    if step.kind == kinds.SPECIAL:
        return _special(run, step)
    if step.kind != kinds.EDGE:
        return "Next: go back from the end along the best piece into each place, which gives the best way."
    count = len(run.next_steps)
    pieces = "one piece begins" if count == 1 else f"{count:,} pieces begin"
    if step.start not in sums or step.start == paths.start:
        return f"Next: {pieces} here."
    total, number = sums[step.start]
    here = sum(1 for edge in paths.edges if edge.end == step.start)
    among = "the only piece" if here == 1 else f"the best of {here:,} pieces"
    surface = paths.surface(number)
    return f"“{surface}” is {among} to end here, with the sum {score_text(total)}. Next: {pieces} here."


def symbol_text(run: TraceRun, symbol: Symbol | Step) -> str:
    """Returns the text on the tile of a symbol."""
    return readable(run.data[symbol.start : symbol.end])


def _merge(run: TraceRun, step: Step) -> str:
    left = quoted(run.data[step.start : step.middle])
    right = quoted(run.data[step.middle : step.end])
    made = quoted(run.data[step.start : step.end])
    candidates = run.candidates(run.symbols()[step.word])
    others = len(candidates) - 1
    score = run.score(step.result)
    ranked = f"rank {step.rank:,}" if score is None else f"score {score_text(score)}"
    extreme = "lowest rank" if score is None else "highest score"
    several = superword_note(run.tokenizer.vocabulary, step.result)
    become = f"become {'the superword ' if several else ''}{made}"
    if others <= 0:
        return f"The only pair that has a merge: {left} and {right} {become}, {ranked}."
    alike = [
        candidate
        for candidate in candidates
        if candidate.start != step.start and _as_good(candidate, step, score)
    ]
    if alike:
        return (
            f"The leftmost of the pairs with the {extreme} goes first: {left} and {right} {become}."
        )
    pairs = "One other pair waits" if others == 1 else f"{_number(others)} other pairs wait"
    return f"The {extreme} goes first: {left} and {right} {become}. {pairs}."


_NUMBERS = (
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
)


def _number(count: int) -> str:
    """Returns a number from 2 on at the beginning of a sentence."""
    return _NUMBERS[count - 2] if count <= 12 else f"{count:,}"


def _as_good(candidate: MergeCandidate, step: Step, score: float | None) -> bool:
    return candidate.rank == step.rank if score is None else candidate.score == score


def _unmerge(run: TraceRun, step: Step) -> str:
    piece = quoted(run.data[step.start : step.end])
    if isinstance(run.tokenizer.model, BoundlessBpe):
        return f"Next: {piece} was deleted at this point of the training, so it comes apart."
    if isinstance(run.tokenizer.model, PickyBpe):
        return f"Next: {piece} was removed from the vocabulary at this point of the training, so it comes apart."
    return f"Next: {piece} is an unused entry, so it comes apart again."


def _whole(run: TraceRun, step: Step) -> str:
    return (
        f"Next: {quoted(run.data[step.start : step.end])} is in the vocabulary, and is taken whole."
    )


def _piece(run: TraceRun, step: Step) -> str:
    return f"Next: {quoted(run.data[step.start : step.end])} is taken as a token."


def _unknown(run: TraceRun, step: Step) -> str:
    data = run.data[step.start : step.end]
    limit = run.longest_word
    characters = len(data.decode("utf-8", "replace"))
    if characters > limit >= 0:
        return (
            f"Next: the word has {characters:,} characters, more than the {limit:,} that this model splits"
            " (max_input_chars_per_word), so all of it becomes the unknown token."
        )
    piece = quoted(data, always=True)
    return f"Next: {piece} cannot be made from the vocabulary, and becomes the unknown token."


def _byte(run: TraceRun, step: Step) -> str:
    steps = run.next_steps
    data = run.data[step.start : steps[-1].end]
    if len(steps) == 1:
        return f"Next: no entry holds this character, so its byte {byte_sign(data[0])} becomes a token."
    piece = quoted(data, always=True)
    return f"Next: no entry holds {piece}, so its {len(steps)} bytes become a token each."


def _special(run: TraceRun, step: Step) -> str:
    return f"Next: {quoted(run.data[step.start : step.end])} stands for itself, and is never cut."


def _try(run: TraceRun, step: Step) -> str:
    word = run.words[step.word]
    piece = quoted(run.data[step.start : step.end])
    if step.start > word.start:
        affix = run.tokenizer.vocabulary.affix
        piece = f"“{affix}{piece[1:]}"
    if run.window_is_cut(step):
        piece = f"{piece}, the longest window (no entry has more bytes),"
    if step.result < 0:
        if run.data[step.start : step.end].decode("utf-8", "replace")[1:]:
            return f"Is {piece} in the vocabulary? No: the window shrinks by one character."
        return f"Is {piece} in the vocabulary? No, and nothing shorter is left."
    if step.end == word.end:
        return f"Is {piece} in the vocabulary? Yes: the word is done."
    return f"Is {piece} in the vocabulary? Yes: it is set down, and the rest of the word is next."
