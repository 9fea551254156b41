"""What a stream of tokens shows, and what the end of a prompt could become, in sentences."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium.models.text.piece import counted, quoted
from tokenarium_core.explaining.prompt_end import UnstableEnd
from tokenarium_core.explaining.streaming import TokenStream


def stop_sentence(made: TokenStream) -> str:
    """Returns where a stop string ended the stream; empty if none did."""
    if made.stopped_at < 0:
        return ""
    step = made.steps[-1]
    said = (
        f"Cut at {quoted(step.stop.encode())}, completed by token {len(made.steps):,}"
        f" of {len(made.ids):,}"
    )
    return f"{said}: the cut is inside this token." if made.inside else f"{said}."


def step_sentence(made: TokenStream, number: int) -> str:
    """Returns what a reader sees after some tokens, and why not more."""
    if number == 0:
        return "Nothing has arrived yet."
    step = made.steps[number - 1]
    if step.stop:
        return stop_sentence(made)
    if step.held:
        size = counted(len(step.held), "byte")
        return f"{size} of a character held back until the others arrive; decoded by itself, this token is {quoted(step.alone.encode())}."
    if step.waiting:
        return f"{quoted(step.waiting.encode())} waits: it may be the beginning of a stop string."
    if "\ufffd" in step.alone:
        return f"The character is complete; decoded by itself, this token would be {quoted(step.alone.encode())}."
    return "Everything that has arrived is shown."


def shown_text(made: TokenStream, number: int) -> str:
    """Returns the text that a reader sees after some tokens."""
    return made.text[: made.steps[number - 1].shown] if number else ""


def end_sentence(found: UnstableEnd, tokenizer: tc.Tokenizer) -> str:
    """Returns which of the last tokens of a prompt more text could change."""
    count = len(found.ids)
    if count == 0:
        return "There is no token yet."
    if found.stable == count:
        return f"All {counted(count, 'token')} stay, whatever comes."
    unstable = count - found.stable
    said = (
        f"The first {counted(found.stable, 'token')} {'stays' if found.stable == 1 else 'stay'}, whatever comes;"
        f" the last {'one' if unstable == 1 else format(unstable, ',')} could change."
        if found.stable
        else f"All {counted(count, 'token')} could change."
        if count > 1
        else "This one token could change."
    )
    if not found.continuation:
        return f"{said} None of the continuations that were tried changes one."
    pieces = tokenizer.vocabulary.piece
    now = " · ".join(quoted(pieces(token)) for token in found.ids[found.changed :][:6])
    then = " · ".join(quoted(pieces(token)) for token in found.continued[:6])
    return f"{said} With {quoted(found.continuation.encode())} after it, {now} becomes {then}."


def prompt_of(made: TokenStream, number: int) -> str:
    """Returns the text after some tokens, without a character that is not complete: the prompt that they make."""
    if number == 0:
        return ""
    step = made.steps[number - 1]
    return made.text[: step.shown + len(step.waiting)]
