"""Checks a tokenizer against the library that owns its format: equal ids, or where and why they differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.tokenizers.references import (
    Reference,
    of_library,
    reference_for,
    spelled,
)
from tokenarium_core.formats.copy_proof import smallest
from tokenarium_core.normalized_text import unchanged
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.vocabulary import BYTE_ALPHABET

BEFORE, AFTER = 3, 5
"""Tokens that are shown before and after the place where two lists of ids differ."""

WINDOW = 200
"""Characters on each side of that place in which the cause is looked for."""

BLOCK = 1 << 16


class CheckStage(Enum):
    """The stage at which two tokenizers differ."""

    ADDED_TOKENS = "Added tokens"
    NORMALIZER = "Normalizer"
    PRE_TOKENS = "Pre-tokens"
    MODEL = "Model"


Token = tuple[int, str]
"""An id, and its piece as its library spells it."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where two lists of ids differ.

    ``token`` is the number of equal tokens before it, ``character`` and ``byte`` its offset in the text.
    ``ours`` and ``theirs`` are the tokens around it, the first ``before`` of them equal. ``text`` is the
    smallest found part of the text that gives different ids, ``stage`` the first stage that differs,
    and ``our_stage`` and ``their_stage`` what the stage makes of it.
    """

    token: int
    character: int
    byte: int
    ours: tuple[Token, ...]
    theirs: tuple[Token, ...]
    before: int
    text: str
    stage: CheckStage
    our_stage: str
    their_stage: str


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check: the library and its version, how much was compared, and the divergence, if any.

    ``plainly``: special tokens should have been recognized, but were taken as plain text, since the library
    recognizes none.
    """

    name: str
    library: str
    characters: int
    tokens: int
    divergence: Divergence | None
    plainly: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What to check: how the tokenizer is opened, whether special tokens count, where the text is."""

    name: str
    source: str
    pattern: str
    special: bool
    text: Path


def check_file(report: ReportProgress, request: Request) -> Report:
    """Opens the tokenizer and its reference, and checks them on the text, a file of UTF-8.

    ``report`` gets the progress. Raises TokenariumError if the check is not possible.
    """
    report(stage(f"Opening {request.name}"))
    tokenizer = tc.open(request.source, pattern=request.pattern or None)
    reference = reference_for(tokenizer, request.special)
    text = request.text.read_bytes().decode("utf-8")
    return replace(check(tokenizer, reference, text, request.special, report), name=request.name)


def check(
    tokenizer: tc.Tokenizer,
    reference: Reference,
    text: str,
    special: bool = False,
    report: ReportProgress = lambda _: None,
) -> Report:
    """Compares both on a text."""
    plainly = special and not reference.finds_special
    special = special and reference.finds_special
    report(stage(f"Encoding with {tokenizer.name}"))
    encoding = _encode(tokenizer, text, special)
    ours: list[int] = memoryview(encoding.ids).tolist()
    report(stage(f"Encoding with {reference.library}"))
    theirs = _ids(reference, text)
    report(stage("Comparing"))
    index = first_difference(ours, theirs)
    divergence = None
    if index is not None:
        byte = encoding.span(index)[0] if index < len(ours) else len(text.encode())
        divergence = _explain(tokenizer, reference, text, special, ours, theirs, index, byte)
    return Report(tokenizer.name, reference.library, len(text), len(ours), divergence, plainly)


def first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    """Returns the first index at which two lists differ, None if they are equal.

    ``[1, 2, 3], [1, 2]`` differ at 2.
    """
    for block in range(0, max(len(ours), len(theirs)), BLOCK):
        a, b = ours[block : block + BLOCK], theirs[block : block + BLOCK]
        if a != b:
            pairs = enumerate(zip(a, b, strict=False))
            inside = next((k for k, (x, y) in pairs if x != y), min(len(a), len(b)))
            return block + inside
    return None


def _ids(reference: Reference, text: str) -> Sequence[int]:
    """Returns the ids of the library; NotAvailable where it fails, as tokenizers does where unk_token is no entry."""
    try:
        return reference.ids(text)
    except BaseException as error:
        if not of_library(error):
            raise
        said = f"{reference.library} does not encode the text: {error}"
        raise tc.NotAvailable(f"{said.rstrip('.')}.") from error


def _encode(tokenizer: tc.Tokenizer, text: str, special: bool) -> tc.Encoding:
    return tokenizer.encode(text, special="all" if special else "none")


def _explain(
    tokenizer: tc.Tokenizer,
    reference: Reference,
    text: str,
    special: bool,
    ours: Sequence[int],
    theirs: Sequence[int],
    place: int,
    byte: int,
) -> Divergence:
    character = len(text.encode()[:byte].decode("utf-8", "ignore"))

    def differ(piece: str) -> bool:
        ids = memoryview(_encode(tokenizer, piece, special).ids).tolist()
        return list(ids) != list(_ids(reference, piece))

    piece = smallest(text, character, differ) or text[max(0, character - WINDOW) :][: 2 * WINDOW]
    stage, our_stage, their_stage = _stage(tokenizer, reference, piece, special)
    first = max(0, place - BEFORE)
    surface = tokenizer.vocabulary.surface
    return Divergence(
        place,
        character,
        byte,
        tuple((token, surface(token)) for token in ours[first : place + AFTER]),
        tuple((token, reference.piece(token)) for token in theirs[first : place + AFTER]),
        place - first,
        piece,
        stage,
        our_stage,
        their_stage,
    )


def _stage(
    tokenizer: tc.Tokenizer, reference: Reference, text: str, special: bool
) -> tuple[CheckStage, str, str]:
    """Returns the first stage that differs on a text, and what each side makes of it there."""
    encoding = _encode(tokenizer, text, special)
    ours: list[int] = memoryview(encoding.ids).tolist()
    theirs = list(_ids(reference, text))
    added = {token.id for token in tokenizer.added_tokens.tokens}
    our_added = [token for token in ours if token in added]
    their_added = [token for token in theirs if token in added]
    if our_added != their_added:
        return CheckStage.ADDED_TOKENS, _listed(map(str, our_added)), _listed(map(str, their_added))
    if not our_added:  # a library shows its stages for a text without such tokens
        our_text, their_text = _normalized(tokenizer, text), reference.normalized(text)
        if their_text is not None and our_text != their_text.replace("▁", " "):
            return CheckStage.NORMALIZER, our_text, their_text
        cuts = reference.pre_tokens(text)
        our_cuts = _pre_tokens(encoding)
        alphabet = tokenizer.vocabulary.spelling == BYTE_ALPHABET
        if cuts is not None:
            their_cuts = [spelled(cut, alphabet) for cut in cuts]
            if our_cuts != their_cuts:
                return CheckStage.PRE_TOKENS, _listed(our_cuts), _listed(their_cuts)
    surface = tokenizer.vocabulary.surface
    return CheckStage.MODEL, _listed(map(surface, ours)), _listed(map(reference.piece, theirs))


def _normalized(tokenizer: tc.Tokenizer, text: str) -> str:
    data = padded(text)
    size = len(data) - PADDING
    if tokenizer.normalizer is None:
        return text
    made = tokenizer.normalizer.normalize(unchanged(data, size, 0))
    return made.data[: made.size].decode("utf-8", "backslashreplace").replace("▁", " ")


def _pre_tokens(encoding: tc.Encoding) -> list[str]:
    """Returns our pre-tokens without the removed ones, which give no ids."""
    data = encoding.text.data
    start = 0
    pre_tokens = []
    ends = memoryview(encoding.pre_tokens.ends).tolist()
    rules = memoryview(encoding.pre_tokens.rules).tolist()
    for end, rule in zip(ends, rules, strict=True):
        if rule != encoding.pre_tokens.removed:
            pre_tokens.append(data[start:end].decode("utf-8", "backslashreplace"))
        start = end
    return pre_tokens


def _listed(pieces: Iterable[str]) -> str:
    return " | ".join(pieces)
